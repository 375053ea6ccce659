//! Feedback rounds at the sender: R_max and the suppression rate (RFC 4654 sections 3.2 and 3.4).

use super::config::GapFloor;
use crate::time::{Duration, Instant};

/// The present feedback round.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    /// fb_nr; wraps around.
    number: u8,
    started: Instant,
    /// X_supp, bit/s; infinite until the first report of the round.
    suppression_bps: f64,
    /// R_max, seconds.
    max_rtt_s: f64,
    /// R_max as measured: without the floor that the gap between packets is, if that does not decay.
    measured_s: f64,
    /// R_peak: the longest round-trip time of a report in this round, 0 without one.
    peak_rtt_s: f64,
    /// A report of this round exceeded R_max.
    exceeded: bool,
    /// A receiver that did not limit has reported in this round.
    answered: bool,
    length_rtts: f64,
    suppression: f64,
    gap_floor: GapFloor,
}

impl Rounds {
    /// The first round begins at `now`. `length_rtts` is T in R_max, `suppression` is g.
    pub(super) fn new(now: Instant, max_rtt_s: f64, length_rtts: f64, suppression: f64, gap_floor: GapFloor) -> Rounds {
        Rounds {
            number: 0,
            started: now,
            suppression_bps: f64::INFINITY,
            max_rtt_s,
            measured_s: max_rtt_s,
            peak_rtt_s: 0.0,
            exceeded: false,
            answered: false,
            length_rtts,
            suppression,
            gap_floor,
        }
    }

    pub(super) fn number(&self) -> u8 {
        self.number
    }

    pub(super) fn suppression_bps(&self) -> f64 {
        self.suppression_bps
    }

    pub(super) fn max_rtt_s(&self) -> f64 {
        self.max_rtt_s
    }

    /// T, seconds.
    pub(super) fn length_s(&self) -> f64 {
        self.length_rtts * self.max_rtt_s
    }

    /// When the round is over at the latest: T if there was an answer, else 2T.
    pub(super) fn end(&self) -> Instant {
        let rounds = if self.answered { 1.0 } else { 2.0 };
        self.started + Duration::from_secs_f64(rounds * self.length_s())
    }

    /// When half of the least length is over.
    pub(super) fn middle(&self) -> Instant {
        self.started + Duration::from_secs_f64(0.5 * self.length_s())
    }

    /// A report with the instantaneous round-trip time `rtt_s` has come.
    pub(super) fn measured(&mut self, rtt_s: f64) {
        self.peak_rtt_s = self.peak_rtt_s.max(rtt_s);
        if rtt_s > self.max_rtt_s {
            self.max_rtt_s = rtt_s;
            self.measured_s = rtt_s;
            self.exceeded = true;
        }
    }

    /// A receiver that does not limit has reported `rate_bps`, in answer to `round`. The rate is as reported: adjusted
    /// to the receiver's round-trip time it could not suppress those that have not measured theirs (section 3.4).
    pub(super) fn answered(&mut self, round: u8, rate_bps: f64) {
        if round != self.number {
            return;
        }
        self.answered = true;
        if self.suppression_bps > rate_bps {
            self.suppression_bps = (1.0 - self.suppression) * rate_bps;
        }
    }

    /// Rates are multiplied by `factor` from now on: what receivers report does not compare with X_supp otherwise.
    pub(super) fn scale(&mut self, factor: f64) {
        self.suppression_bps *= factor;
    }

    /// The rate has changed, the gap between packets is `gap_s`: a floor that follows it may fall.
    pub(super) fn gap_changed(&mut self, gap_s: f64) {
        if self.gap_floor == GapFloor::Follows {
            self.max_rtt_s = self.max_rtt_s.min(self.measured_s.max(gap_s));
        }
    }

    /// The next round begins. R_max does not fall below the gap between packets, `gap_s` (section 3.2).
    pub(super) fn next(&mut self, now: Instant, gap_s: f64) {
        if !self.exceeded {
            self.measured_s = (0.9 * self.measured_s).max(self.peak_rtt_s);
        }
        self.max_rtt_s = self.measured_s.max(gap_s);
        if self.gap_floor == GapFloor::Decays {
            self.measured_s = self.max_rtt_s;
        }
        self.number = self.number.wrapping_add(1);
        self.started = now;
        self.suppression_bps = f64::INFINITY;
        self.peak_rtt_s = 0.0;
        self.exceeded = false;
        self.answered = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Instant {
        Instant::from_secs_f64(seconds)
    }

    #[test]
    fn a_round_lasts_t_if_answered_and_twice_that_otherwise() {
        let mut rounds = Rounds::new(at(1.0), 0.5, 6.0, 0.1, GapFloor::Decays);
        assert_eq!(rounds.end(), at(7.0));
        rounds.answered(0, 1e6);
        assert_eq!(rounds.end(), at(4.0));
        rounds.next(at(4.0), 0.0);
        assert_eq!(rounds.number(), 1);
        rounds.answered(0, 1e6);
        assert_eq!(rounds.end(), at(4.0 + 5.4), "an answer to an older round is none");
    }

    #[test]
    fn the_maximum_follows_the_peak() {
        let mut rounds = Rounds::new(at(0.0), 0.5, 6.0, 0.1, GapFloor::Decays);
        rounds.measured(0.3);
        rounds.next(at(3.0), 0.0);
        assert!((rounds.max_rtt_s() - 0.45).abs() < 1e-12, "down by a tenth");
        rounds.measured(0.42);
        rounds.next(at(6.0), 0.0);
        assert!((rounds.max_rtt_s() - 0.42).abs() < 1e-12, "not below the peak");
        rounds.measured(0.8);
        assert_eq!(rounds.max_rtt_s(), 0.8, "up at once");
        rounds.next(at(9.0), 0.0);
        assert_eq!(rounds.max_rtt_s(), 0.8, "a round with a rise does not lower it");
        rounds.next(at(12.0), 1.5);
        assert_eq!(rounds.max_rtt_s(), 1.5, "not below the gap between packets");
    }

    #[test]
    fn a_floor_that_follows_falls_with_the_gap() {
        let mut rounds = Rounds::new(at(0.0), 0.5, 6.0, 0.1, GapFloor::Follows);
        rounds.next(at(3.0), 4.0);
        assert_eq!(rounds.max_rtt_s(), 4.0);
        rounds.gap_changed(2.0);
        assert_eq!(rounds.max_rtt_s(), 2.0);
        rounds.gap_changed(3.0);
        assert_eq!(rounds.max_rtt_s(), 2.0, "a rise waits for the round");
        rounds.gap_changed(0.1);
        assert!((rounds.max_rtt_s() - 0.45).abs() < 1e-12, "what was measured remains");
    }

    #[test]
    fn reports_lower_the_suppression_rate() {
        let mut rounds = Rounds::new(at(0.0), 0.5, 6.0, 0.1, GapFloor::Decays);
        rounds.answered(0, 1e6);
        assert_eq!(rounds.suppression_bps(), 0.9e6);
        rounds.answered(0, 0.95e6);
        assert_eq!(rounds.suppression_bps(), 0.9e6, "a rate above it does not count");
        rounds.answered(0, 0.5e6);
        assert_eq!(rounds.suppression_bps(), 0.45e6);
        rounds.next(at(3.0), 0.0);
        assert_eq!(rounds.suppression_bps(), f64::INFINITY);
    }
}
