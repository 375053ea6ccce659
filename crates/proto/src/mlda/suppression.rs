//! When a receiver reports, and whether the reports of others make its own needless.
//!
//! Reports are spread by timers of which few end early, so that those that do are heard before most others end
//! (Nonnenmacher and Biersack's truncated exponential). Heard is heard enough if the share is similar, but not of a
//! share below or above all that have been heard: these two the source must know.

use crate::random::Random;
use crate::time::{Duration, Instant};

/// What does not change in a session.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Shares that differ by no more than this part of the own are similar.
    pub similar: f64,
    /// λ, how much steeper the density is at the end than at the beginning: by e^λ. 0 = even.
    pub steepness: f64,
}

/// The report of one receiver for one round.
#[derive(Clone, Copy, Debug)]
pub struct PlannedReport {
    /// When it is sent; `FAR_FUTURE` = not at all.
    at: Instant,
    /// The share that it will say, bit/s.
    rate_bps: f64,
    /// The least and the largest share heard, bit/s.
    least_bps: f64,
    most_bps: f64,
    similar: bool,
    /// Whether it is sent whatever is heard.
    firm: bool,
}

impl PlannedReport {
    /// No report is planned.
    pub const NONE: PlannedReport = PlannedReport {
        at: Instant::FAR_FUTURE,
        rate_bps: f64::NAN,
        least_bps: f64::INFINITY,
        most_bps: f64::NEG_INFINITY,
        similar: false,
        firm: false,
    };

    /// A report of the share `rate_bps`, after a time drawn from [0, `spread`].
    pub fn draw(now: Instant, rate_bps: f64, spread: Duration, terms: &Terms, random: &mut Random) -> PlannedReport {
        let wait_s = wait_s(random.uniform(), spread.as_secs_f64(), terms.steepness);
        // As it goes on the wire: who has the same share as all others is not to think itself above or below them.
        let rate_bps = f64::from(rate_bps as f32);
        PlannedReport { at: now + Duration::from_secs_f64(wait_s), rate_bps, ..PlannedReport::NONE }
    }

    /// A report that is sent whatever is heard: as the receiver has no round-trip time, it needs the echo of its stamp.
    /// There may be many such, so the time is drawn evenly.
    pub fn draw_firm(now: Instant, rate_bps: f64, spread: Duration, random: &mut Random) -> PlannedReport {
        let terms = Terms { similar: 0.0, steepness: 0.0 };
        PlannedReport { firm: true, ..PlannedReport::draw(now, rate_bps, spread, &terms, random) }
    }

    /// A report of this round has been heard. True if it makes the own one needless, which then is not sent.
    pub fn hear(&mut self, rate_bps: f64, terms: &Terms) -> bool {
        if self.firm || self.at == Instant::FAR_FUTURE || !(rate_bps.is_finite() && rate_bps >= 0.0) {
            return false;
        }
        (self.least_bps, self.most_bps) = (self.least_bps.min(rate_bps), self.most_bps.max(rate_bps));
        self.similar |= (rate_bps - self.rate_bps).abs() <= terms.similar * self.rate_bps;
        let needless = self.similar && (self.least_bps..=self.most_bps).contains(&self.rate_bps);
        if needless {
            self.at = Instant::FAR_FUTURE;
        }
        needless
    }

    /// When it is sent; `FAR_FUTURE` if it is not.
    pub fn at(&self) -> Instant {
        self.at
    }
}

/// T_wait from a number uniform in [0, 1): z = (T/λ)·ln(1 + u(e^λ − 1)), with density ∝ e^(λz/T) on [0, T].
pub fn wait_s(uniform: f64, spread_s: f64, steepness: f64) -> f64 {
    if steepness == 0.0 {
        return uniform * spread_s;
    }
    spread_s / steepness * libm::log1p(uniform * libm::expm1(steepness))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMS: Terms = Terms { similar: 0.1, steepness: 10.0 };

    fn planned(rate_bps: f64) -> PlannedReport {
        PlannedReport { at: Instant(1), rate_bps, ..PlannedReport::NONE }
    }

    /// Whether a report of 100 kbit/s is needless after these have been heard.
    fn needless(heard: &[f64]) -> bool {
        let mut report = planned(100e3);
        heard.iter().for_each(|&rate_bps| {
            report.hear(rate_bps, &TERMS);
        });
        report.at() == Instant::FAR_FUTURE
    }

    #[test]
    fn the_truncated_exponential_by_hand() {
        // T = 2.5 s: u = 0 and 1 are its ends; u = 1/2 is 0.25·ln(1 + 22025.47/2) = 0.25·9.30690.
        assert_eq!(wait_s(0.0, 2.5, 10.0), 0.0);
        assert!((wait_s(1.0, 2.5, 10.0) - 2.5).abs() < 1e-12);
        assert!((wait_s(0.5, 2.5, 10.0) - 2.326_725).abs() < 1e-6);
        assert!((wait_s(0.5, 2.5, 0.0) - 1.25).abs() < 1e-12);
        // P(z <= t) = (e^(λt/T) - 1)/(e^λ - 1).
        let mut random = Random::stream(5, "test/waits");
        let draws = 100_000;
        let waits: Vec<f64> = (0..draws).map(|_| wait_s(random.uniform(), 1.0, 10.0)).collect();
        for (t, expected) in [(0.5, 0.006_692_85), (0.8, 0.135_296), (0.95, 0.606_513)] {
            let share = waits.iter().filter(|&&wait| wait <= t).count() as f64 / f64::from(draws);
            let spread = (expected * (1.0 - expected) / f64::from(draws)).sqrt();
            assert!((share - expected).abs() < 4.0 * spread, "{t}: {share}, not {expected}");
        }
    }

    #[test]
    fn similar_shares_make_a_report_needless_but_for_the_least_and_the_largest() {
        assert!(!needless(&[]));
        assert!(needless(&[100e3]), "the same is neither less nor more");
        assert!(!needless(&[105e3]), "less than all that have been heard");
        assert!(!needless(&[95e3]), "more than all that have been heard");
        assert!(needless(&[95e3, 105e3]) && needless(&[95e3, 800e3]) && needless(&[5e3, 110e3]));
        assert!(!needless(&[5e3, 800e3]), "none is similar");
        assert!(needless(&[5e3, 110e3]) && needless(&[90e3, 800e3]));
        assert!(!needless(&[5e3, 110.1e3]) && !needless(&[89.9e3, 800e3]));
        assert!(!needless(&[f64::NAN, f64::INFINITY, -1.0]));
        assert!(needless(&[0.0, 105e3]), "a share of nothing is a share");
        assert!(!PlannedReport::NONE.clone().hear(0.0, &TERMS));
    }

    #[test]
    fn equal_shares_are_equal_on_the_wire() {
        for share_bps in [45_875.2, 44_236.8, 1e6 / 3.0] {
            let mut random = Random::stream(1, "test/wire");
            let mut report = PlannedReport::draw(Instant(1), share_bps, Duration::from_secs(1), &TERMS, &mut random);
            assert!(report.hear(f64::from(share_bps as f32), &TERMS), "{share_bps}");
        }
    }

    #[test]
    fn what_is_firm_is_sent_whatever_is_heard() {
        let mut random = Random::stream(1, "test/firm");
        let draw = |_| PlannedReport::draw_firm(Instant::ZERO, 100e3, Duration::from_secs(2), &mut random);
        let mut reports: Vec<PlannedReport> = (0..1000).map(draw).collect();
        assert!(reports.iter_mut().all(|report| !report.hear(100e3, &TERMS)));
        let mean_s = reports.iter().map(|report| report.at().as_secs_f64()).sum::<f64>() / 1000.0;
        assert!((mean_s - 1.0).abs() < 0.08, "spread evenly: {mean_s}");
    }

    #[test]
    fn a_report_that_is_not_planned_is_not_made_needless() {
        let mut none = PlannedReport::NONE;
        assert!(!none.hear(100e3, &TERMS) && none.at() == Instant::FAR_FUTURE);
        let mut spared = planned(100e3);
        assert!(spared.hear(100e3, &TERMS) && !spared.hear(100e3, &TERMS), "spared once");
    }

    /// Reports of a round of receivers with these shares who hear each other after `delay_s`: the shares reported.
    fn round(rates: &[f64], delay_s: f64, random: &mut Random) -> Vec<f64> {
        let spread = Duration::from_secs_f64(2.5);
        let mut receivers: Vec<PlannedReport> = rates
            .iter()
            .map(|&rate_bps| PlannedReport::draw(Instant::ZERO, rate_bps, spread, &TERMS, random))
            .collect();
        receivers.sort_by_key(PlannedReport::at);
        let mut sent: Vec<(Instant, f64)> = Vec::new();
        for mut report in receivers {
            let heard = |&&(at, _): &&(Instant, f64)| at + Duration::from_secs_f64(delay_s) <= report.at;
            let heard: Vec<f64> = sent.iter().take_while(heard).map(|&(_, rate_bps)| rate_bps).collect();
            let at = report.at;
            if !heard.into_iter().any(|rate_bps| report.hear(rate_bps, &TERMS)) {
                sent.push((at, report.rate_bps));
            }
        }
        sent.into_iter().map(|(_, rate_bps)| rate_bps).collect()
    }

    #[test]
    fn a_thousand_receivers_report_about_as_often_as_there_are_records() {
        let mut random = Random::stream(1, "test/rounds");
        let (mut reports, rounds) = (0, 100);
        for _ in 0..rounds {
            // All within a tenth of each other, hardly two alike, as they go on the wire.
            let rates: Vec<f64> = (0..1000).map(|_| f64::from(random.uniform_in(100e3, 109e3) as f32)).collect();
            let reported = round(&rates, 0.0, &mut random);
            let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
            let most = rates.iter().copied().fold(0.0, f64::max);
            assert!(reported.contains(&least) && reported.contains(&most));
            reports += reported.len();
        }
        // The first, and each that is lower or higher than all before: 1 + 2·(1/2 + 1/3 + .. + 1/1000) = 13.97, of
        // variance below 2·6.5.
        let mean = reports as f64 / f64::from(rounds);
        assert!((mean - 13.97).abs() < 1.2, "{mean}");
    }

    #[test]
    fn reports_on_the_way_cost_few_more() {
        let mut random = Random::stream(2, "test/rounds");
        let mean = |receivers: usize, random: &mut Random| {
            let rates: Vec<f64> = (0..receivers).map(|_| random.uniform_in(100e3, 109e3)).collect();
            (0..30).map(|_| round(&rates, 0.25, random).len()).sum::<usize>() as f64 / 30.0
        };
        let means = [10, 100, 1000].map(|receivers| mean(receivers, &mut random));
        // While a report is on the way, a tenth of the spread, the number of ended timers grows e-fold at most.
        assert!(means[2] < 40.0 && means[2] < 5.0 * means[0], "{means:?}");
    }
}
