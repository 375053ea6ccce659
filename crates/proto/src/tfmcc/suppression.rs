//! The feedback timer of a receiver and its cancellation (RFC 4654 section 4.5).

use super::config::TimerBias;
use super::rounds::RoundLength;
use crate::random::Random;
use crate::time::{Duration, Instant};

/// The timer of one feedback round.
#[derive(Clone, Copy, Debug)]
pub(super) struct FeedbackTimer {
    /// When it expires; `FAR_FUTURE` = not set.
    at: Instant,
    /// The desired rate at the beginning of the round, X_fbr, bit/s.
    round_bps: f64,
    /// The R_max for which it is set, seconds.
    max_rtt_s: f64,
    /// The uniform number it was drawn from.
    draw: f64,
}

impl FeedbackTimer {
    /// Not set.
    pub(super) const OFF: FeedbackTimer =
        FeedbackTimer { at: Instant::FAR_FUTURE, round_bps: 0.0, max_rtt_s: 1.0, draw: f64::NAN };

    /// Sets it at the beginning of a round: to expire after `delay_s`, drawn from `draw`.
    pub(super) fn set(now: Instant, delay_s: f64, draw: f64, round_bps: f64, max_rtt_s: f64) -> FeedbackTimer {
        FeedbackTimer { at: now + Duration::from_secs_f64(delay_s), round_bps, max_rtt_s, draw }
    }

    /// When it expires, `FAR_FUTURE` if it is not set.
    pub(super) fn at(&self) -> Instant {
        self.at
    }

    /// The uniform number it was drawn from.
    pub(super) fn draw(&self) -> f64 {
        self.draw
    }

    pub(super) fn is_set(&self) -> bool {
        self.at != Instant::FAR_FUTURE
    }

    /// Whether a packet with this suppression rate cancels it, given the desired rate and the receiver's round-trip
    /// time: X_supp below the desired rate, now or at the beginning of the round, and R_max not below the own.
    pub(super) fn is_suppressed(&self, suppression_bps: f64, rate_bps: f64, max_rtt_s: f64, rtt_s: f64) -> bool {
        (suppression_bps < rate_bps || suppression_bps < self.round_bps) && max_rtt_s >= rtt_s
    }

    /// R_max has changed: what is left of the time changes in proportion to the length of the round. True
    /// if the timer is set, and it has.
    pub(super) fn rescale(&mut self, now: Instant, max_rtt_s: f64, round: RoundLength) -> bool {
        let changes = self.is_set() && max_rtt_s != self.max_rtt_s;
        if changes {
            let rounds = round.rtts(max_rtt_s) / round.rtts(self.max_rtt_s);
            self.at = now + self.at.since(now).mul_f64(max_rtt_s / self.max_rtt_s * rounds);
            self.max_rtt_s = max_rtt_s;
        }
        changes
    }

    /// It expires after `delay_s` at the latest, whether or not it was set; that was drawn from no number by which
    /// receivers are counted. The desired rate is `rate_bps` now.
    pub(super) fn set_earlier(&mut self, now: Instant, delay_s: f64, rate_bps: f64, max_rtt_s: f64) {
        let other = FeedbackTimer::set(now, delay_s, f64::NAN, rate_bps, max_rtt_s);
        if other.at < self.at {
            *self = other;
        }
    }

    /// It expires at this moment, if it does not before.
    pub(super) fn hasten(&mut self, at: Instant) {
        self.at = self.at.min(at);
    }

    /// The desired rate is this now, bit/s: if that is more it counts as that at the beginning of the round.
    pub(super) fn renew(&mut self, rate_bps: f64) {
        self.round_bps = self.round_bps.max(rate_bps);
    }

    /// It has expired, but the last packet came longer than R_max ago: waits as much longer as it was overdue. True if
    /// so.
    pub(super) fn postpone(&mut self, now: Instant, last_packet: Instant) -> bool {
        let overdue = now.since(last_packet).0.saturating_sub(Duration::from_secs_f64(self.max_rtt_s).0);
        if overdue > 0 {
            self.at = now + Duration(overdue);
        }
        overdue > 0
    }
}

/// A number uniform in (0, 1].
pub(super) fn draw(random: &mut Random) -> f64 {
    1.0 - random.uniform()
}

/// Time from the beginning of a round to the report, in rounds: max(1 + log(x)/log(N), 0). With
/// [`TimerBias::Offset`] that is three quarters of it, and the desired rate relative to the sending rate, from half
/// to nine tenths of it, decides about the rest.
pub(super) fn delay_rounds(draw: f64, max_receivers: u32, bias: TimerBias, relative_rate: f64) -> f64 {
    let delay = (1.0 + libm::log(draw) / libm::log(f64::from(max_receivers))).max(0.0);
    match bias {
        TimerBias::None => delay,
        TimerBias::Offset => {
            let clipped = if relative_rate.is_nan() { 0.9 } else { relative_rate.clamp(0.5, 0.9) };
            BIASED_PART * (clipped - 0.5) / 0.4 + (1.0 - BIASED_PART) * delay
        }
    }
}

/// Part of the round that depends on the rate with biased timers (gamma of the SIGCOMM paper).
const BIASED_PART: f64 = 0.25;

#[cfg(test)]
mod tests {
    use super::super::config::{Config, MaxRttRule};
    use super::*;

    #[test]
    fn timers_follow_their_distribution() {
        // P(t <= tau) = N^(tau/T - 1).
        let mut random = Random::stream(3, "test/timers");
        let draws = 200_000;
        let times: Vec<f64> =
            (0..draws).map(|_| delay_rounds(draw(&mut random), 10_000, TimerBias::None, 1.0)).collect();
        for (tau, expected) in [(0.25, 1e-3), (0.5, 1e-2), (0.75, 0.1), (0.9, 0.398_107)] {
            let share = times.iter().filter(|&&t| t <= tau).count() as f64 / f64::from(draws);
            let spread = (expected * (1.0 - expected) / f64::from(draws)).sqrt();
            assert!((share - expected).abs() < 4.0 * spread, "{tau}: {share}, not {expected}");
        }
        assert!(times.iter().all(|t| (0.0..=1.0).contains(t)));
        assert!(delay_rounds(1e-4, 10_000, TimerBias::None, 1.0) < 1e-12);
        assert_eq!(delay_rounds(0.9e-4, 10_000, TimerBias::None, 1.0), 0.0);
        assert_eq!(delay_rounds(1.0, 10_000, TimerBias::None, 1.0), 1.0);
    }

    #[test]
    fn low_rates_go_first_with_biased_timers() {
        let delay = |relative| delay_rounds(0.1, 10_000, TimerBias::Offset, relative);
        assert!((delay(0.2) - 0.5625).abs() < 1e-12, "three quarters of 0.75");
        assert!((delay(0.7) - 0.6875).abs() < 1e-12);
        assert!((delay(3.0) - 0.8125).abs() < 1e-12);
        assert_eq!(delay(f64::NAN), delay(3.0), "a rate that is no number is not low");
    }

    #[test]
    fn cancellation_wants_a_lower_rate_and_a_covered_round_trip() {
        let timer = FeedbackTimer::set(Instant::ZERO, 1.0, 0.5, 1e6, 0.5);
        assert!(timer.is_suppressed(0.9e6, 2e6, 0.5, 0.5));
        assert!(timer.is_suppressed(0.9e6, 0.5e6, 0.5, 0.1), "below the rate at the beginning of the round");
        assert!(!timer.is_suppressed(1.1e6, 1.05e6, 0.5, 0.1));
        assert!(!timer.is_suppressed(1e6, 1e6, 0.5, 0.1), "the same rate is not lower");
        assert!(!timer.is_suppressed(0.1e6, 2e6, 0.5, 0.51), "a longer round-trip time has to be heard of");
    }

    #[test]
    fn timers_are_rescaled_and_postponed() {
        let at = Instant::from_secs_f64;
        let mut timer = FeedbackTimer::set(at(10.0), 2.0, 0.5, 1e6, 0.5);
        let round = RoundLength::new(&Config::default());
        timer.rescale(at(11.0), 0.25, round);
        assert_eq!(timer.at(), at(11.5));
        timer.rescale(at(11.0), 1.0, round);
        assert_eq!(timer.at(), at(13.0));
        assert!(!timer.postpone(at(13.0), at(12.0)));
        assert!(timer.postpone(at(13.0), at(11.5)));
        assert_eq!(timer.at(), at(13.5), "half a second beyond R_max");
        // T = 8 s for R_max = 2 s and 16 s for 8 s.
        let round = RoundLength::new(&Config { max_rtt: MaxRttRule::Recent, ..Config::default() });
        let mut timer = FeedbackTimer::set(at(10.0), 8.0, 0.5, 1e6, 8.0);
        timer.rescale(at(11.0), 2.0, round);
        assert!((timer.at().as_secs_f64() - (11.0 + 7.0 * 8.0 / 16.0)).abs() < 1e-6, "{}", timer.at());
    }

    /// The sender's part of suppression with `receivers` of equal rate: rounds of 6 R_max, X_supp known to all one
    /// R_max after a report left.
    fn mean_reports(receivers: u32, rounds: u32, bias: TimerBias) -> f64 {
        let mut random = Random::stream(9, "test/rounds");
        let mut reports = 0;
        for _ in 0..rounds {
            let times: Vec<f64> =
                (0..receivers).map(|_| 6.0 * delay_rounds(draw(&mut random), 10_000, bias, 1.0)).collect();
            let first = times.iter().copied().fold(f64::INFINITY, f64::min);
            reports += times.iter().filter(|&&time| time <= first + 1.0).count();
        }
        reports as f64 / f64::from(rounds)
    }

    #[test]
    fn reports_do_not_grow_with_the_number_of_receivers() {
        for bias in [TimerBias::None, TimerBias::Offset] {
            let means = [10, 100, 1000, 10_000].map(|receivers| mean_reports(receivers, 300, bias));
            // One R_max is a sixth of the round, in which the share of expired timers grows N^(1/6) = 4.64-fold; with
            // bias a quarter of the round is the same for all and it grows 10000^(1/4.5) = 7.74-fold.
            assert!(means.iter().all(|&mean| (1.0..30.0).contains(&mean)), "{means:?}");
            assert!(means[3] < 3.0 * means[1], "{means:?}");
        }
    }
}
