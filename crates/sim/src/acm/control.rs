//! The loop that chooses modulation and code for a terminal: the terminal averages its Es/N0 and reports, the report is
//! on its way, the gateway takes a margin off and does not go up at once, and switching takes its time.
//!
//! Nothing of it depends on traffic. So what the loop grants over time follows from the Es/N0 over time, and is worked
//! out before the run; a run only looks at it.

use super::modcod::Ladder;
use super::track::Track;
use faircast_proto::time::{Duration, Instant};

/// How the loop is set. The default is a loop without any delay: what a terminal can receive is granted at once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Loop {
    /// Terminals report the mean of their Es/N0, in dB, over so long; zero: the present one.
    pub averaging: Duration,
    /// How often they report, from the start of the run on; zero: whenever it changes.
    pub report_interval: Duration,
    /// How long a report is on its way to the gateway.
    pub report_delay: Duration,
    /// How long the gateway takes from a report to the first transmission by it.
    pub switching_delay: Duration,
    /// What the gateway takes off what is reported, dB.
    pub margin_db: f64,
    /// A better modulation and code is granted only if so much more than it needs is reported, dB.
    pub hysteresis_db: f64,
}

impl Loop {
    /// How many rungs of the ladder are granted when, for a terminal with this Es/N0 over time, until `end`. What is
    /// reported first is granted from the start on, as if the terminal had been there before.
    pub fn grants(&self, ladder: &Ladder, es_n0: &Track, end: Instant) -> Track<u32> {
        let mut granted = self.rungs(ladder, 0, es_n0.at(Instant::ZERO));
        let mut grants = Track::level(granted);
        let late = self.report_delay + self.switching_delay;
        let mut next = Some(Instant::ZERO);
        while let Some(at) = next.filter(|&at| at <= end) {
            let rungs = self.rungs(ladder, granted, es_n0.mean(at, self.averaging));
            if rungs != granted {
                granted = rungs;
                grants.set(at + late, rungs);
            }
            next = self.next_report(at, es_n0);
        }
        grants
    }

    /// The next report after one at `at` that may say something else.
    fn next_report(&self, at: Instant, es_n0: &Track) -> Option<Instant> {
        if self.report_interval == Duration::ZERO {
            return es_n0.next_after(at);
        }
        let next = at + self.report_interval;
        // While what is averaged has not changed reports say the same, and what they say has been heeded.
        if es_n0.is_level(at, self.averaging) {
            let change = es_n0.next_after(at)?;
            let skipped = change.since(next).0.div_ceil(self.report_interval.0);
            return Some(next + Duration(self.report_interval.0.saturating_mul(skipped)));
        }
        Some(next)
    }

    /// How many rungs are granted after a report of an Es/N0, where so many are.
    fn rungs(&self, ladder: &Ladder, granted: u32, reported_db: f64) -> u32 {
        let holds = ladder.rungs_at(reported_db - self.margin_db) as u32;
        let rises = ladder.rungs_at(reported_db - self.margin_db - self.hysteresis_db) as u32;
        // Down at once, up only with room to spare, in between as it is.
        if holds < granted { holds } else { granted.max(rises) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::modcod::ladder;
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn seconds(seconds: f64) -> Duration {
        Duration((seconds * 1e9) as u64)
    }

    fn course(first: f64, steps: &[(f64, f64)]) -> Track {
        let mut track = Track::level(first);
        steps.iter().for_each(|&(at, es_n0)| track.set(Instant::ZERO + seconds(at), es_n0));
        track
    }

    /// What is granted when, in seconds and the Es/N0 that it needs; 100 is an outage.
    fn granted(by: Loop, es_n0: &Track) -> Vec<(f64, f64)> {
        let needs = |rungs: u32| rungs.checked_sub(1).map_or(100.0, |best| ladder().rungs()[best as usize].es_n0_db);
        let grants = by.grants(ladder(), es_n0, Instant(1000 * SECOND));
        grants.steps().iter().map(|&(at, rungs)| (at.as_secs_f64(), needs(rungs))).collect()
    }

    // The ladder has rungs at 1.00, 1.45, 2.23, 3.10, 4.03, 4.68, 4.73 and 5.13 dB.

    #[test]
    fn without_delays_it_follows_the_signal() {
        let es_n0 = course(4.73, &[(3.0, 4.729), (7.0, -3.0), (8.0, 5.0)]);
        assert_eq!(granted(Loop::default(), &es_n0), [(0.0, 4.73), (3.0, 4.68), (7.0, 100.0), (8.0, 4.73)]);
    }

    #[test]
    fn a_margin_is_taken_off_at_once_and_hysteresis_on_the_way_up() {
        let by = Loop { margin_db: 1.0, hysteresis_db: 0.5, ..Loop::default() };
        // 4.73 dB is granted from 6.23 dB on, and held down to 5.73 dB.
        let es_n0 = course(6.22, &[(1.0, 6.23), (2.0, 5.73), (3.0, 5.72), (4.0, 6.22), (5.0, 6.24)]);
        assert_eq!(granted(by, &es_n0), [(0.0, 4.68), (1.0, 4.73), (3.0, 4.68), (5.0, 4.73)]);
    }

    #[test]
    fn hysteresis_keeps_what_flaps() {
        let flaps: Vec<(f64, f64)> = (1..100).map(|at| (f64::from(at), if at % 2 == 0 { 4.8 } else { 4.6 })).collect();
        let es_n0 = course(4.8, &flaps);
        assert_eq!(granted(Loop::default(), &es_n0).len(), 100);
        let by = Loop { hysteresis_db: 0.3, ..Loop::default() };
        assert_eq!(granted(by, &es_n0), [(0.0, 4.03)]);
    }

    #[test]
    fn a_report_is_on_its_way_and_switching_takes_its_time() {
        let by = Loop {
            report_interval: seconds(2.0),
            report_delay: seconds(0.25),
            switching_delay: seconds(0.5),
            ..Loop::default()
        };
        // Reported at 4 s; what is gone by the next report is not seen.
        let es_n0 = course(5.0, &[(2.5, 1.5), (6.5, 5.0), (7.5, 1.5), (21.0, 5.0)]);
        assert_eq!(granted(by, &es_n0), [(0.0, 4.73), (4.75, 1.45), (22.75, 4.73)]);
        // What changes between two reports is in the second of them, whatever comes after.
        let es_n0 = course(5.0, &[(1.0, 1.5), (3.0, 5.0), (9.0, 1.5)]);
        assert_eq!(granted(by, &es_n0), [(0.0, 4.73), (2.75, 1.45), (4.75, 4.73), (10.75, 1.45)]);
    }

    #[test]
    fn what_is_reported_is_the_mean() {
        let by = Loop { averaging: seconds(4.0), report_interval: seconds(1.0), ..Loop::default() };
        // From 9 to 1 dB at 10 s: means of 7, 5, 3 and 1 dB at 11, .. 14 s.
        let es_n0 = course(9.0, &[(10.0, 1.0)]);
        let steps = granted(by, &es_n0);
        assert_eq!(steps, [(0.0, 8.97), (11.0, 6.84), (12.0, 4.73), (13.0, 2.23), (14.0, 1.0)]);
    }
}
