//! The current limiting receiver: who it is, what its reports do to the rate, and its silence (RFC 4654 section 3.3).

use super::rate_control::Feedback;
use crate::packet::Address;
use crate::time::{Duration, Instant};

/// The current limiting receiver as the sender knows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clr {
    pub receiver: Address,
    /// X_r of its last report, bit/s.
    pub rate_bps: f64,
    /// Its round-trip time as the sender saw it last.
    pub rtt_s: f64,
    /// It has said that it will leave.
    pub leaving: bool,
    pub selected_at: Instant,
    pub reported_at: Instant,
    /// When the rate was halved last because of its silence, or its last report.
    pub patience_from: Instant,
    /// The gap between packets before the rate was first halved because of its present silence, seconds.
    pub gap_before_halving_s: Option<f64>,
}

/// Who limits the rate.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    /// The current limiting receiver.
    By(Clr),
    /// Nobody does.
    Nobody {
        /// When anyone reported, or the rate was halved since nobody did.
        heard_at: Instant,
        /// How the rate may grow once somebody limits it.
        successor: Growth,
    },
}

/// What a report means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Consequence {
    /// It changes nothing.
    None,
    /// The receiver limits from now on; its rate is taken at once as far as it is lower, else as `growth` says.
    Select(Growth),
    /// It comes from the limiting receiver: the rate follows.
    Follow,
}

/// How the rate may grow towards the one that a new limiting receiver wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Growth {
    /// At once, by a packet per R_max.
    Now,
    /// After a feedback round, in which receivers with lower rates can report.
    AfterARound,
}

impl Limit {
    /// Nobody has limited yet.
    pub(super) fn nobody(now: Instant) -> Limit {
        Limit::Nobody { heard_at: now, successor: Growth::Now }
    }

    /// The current limiting receiver.
    pub(super) fn clr(&self) -> Option<&Clr> {
        match self {
            Limit::By(clr) => Some(clr),
            Limit::Nobody { .. } => None,
        }
    }

    /// Anyone has reported.
    pub(super) fn heard(&mut self, now: Instant) {
        if let Limit::Nobody { heard_at, .. } = self {
            *heard_at = now;
        }
    }

    /// Who limits from now on.
    pub(super) fn follow(&mut self, now: Instant, feedback: &Feedback, consequence: Consequence) {
        match (consequence, &mut *self) {
            (Consequence::Select(_), limit) => *limit = Limit::By(Clr::new(now, feedback)),
            (Consequence::Follow, Limit::By(clr)) => clr.reported(now, feedback),
            (Consequence::Follow, Limit::Nobody { .. }) | (Consequence::None, _) => {}
        }
    }
}

impl Clr {
    pub(super) fn new(now: Instant, feedback: &Feedback) -> Clr {
        Clr {
            receiver: feedback.receiver,
            rate_bps: feedback.rate_bps,
            rtt_s: feedback.rtt_s,
            leaving: false,
            selected_at: now,
            reported_at: now,
            patience_from: now,
            gap_before_halving_s: None,
        }
    }

    /// It has reported.
    pub(super) fn reported(&mut self, now: Instant, feedback: &Feedback) {
        self.rate_bps = feedback.rate_bps;
        self.rtt_s = feedback.rtt_s;
        self.leaving = feedback.leave;
        self.reported_at = now;
        self.patience_from = now;
        self.gap_before_halving_s = None;
    }

    /// The rate is halved because of its silence; the gap between packets was `gap_s`.
    pub(super) fn halved(&mut self, now: Instant, gap_s: f64) {
        self.patience_from = now;
        self.gap_before_halving_s.get_or_insert(gap_s);
    }

    /// When the rate is halved if it stays silent: 4 round-trip times, not before 10 from its selection. With less than
    /// a packet per round-trip time a receiver has nothing to report on, so it is 2 gaps between packets at least.
    pub(super) fn halve_at(&self, gap_s: f64) -> Instant {
        let patience = Duration::from_secs_f64((4.0 * self.rtt_s).max(2.0 * gap_s));
        (self.patience_from + patience).max(self.selected_at + Duration::from_secs_f64(10.0 * self.rtt_s))
    }

    /// When it is given up if it stays silent: 10 round-trip times, 5 gaps at least. They are those with which it fell
    /// silent: would they grow as the rate is halved, they would run ahead of the time that passes, down to the lowest
    /// rate.
    pub(super) fn give_up_at(&self, gap_s: f64) -> Instant {
        let gap_s = self.gap_before_halving_s.unwrap_or(gap_s);
        self.reported_at + Duration::from_secs_f64((10.0 * self.rtt_s).max(5.0 * gap_s))
    }
}

/// The four cases of section 3.3. X is `sending_bps`, X_r' `adjusted_bps`.
pub(super) fn judge(limit: &Limit, sending_bps: f64, adjusted_bps: f64, feedback: &Feedback) -> Consequence {
    match limit {
        Limit::By(clr) if clr.receiver == feedback.receiver => Consequence::Follow,
        _ if feedback.leave => Consequence::None,
        Limit::Nobody { successor, .. } => Consequence::Select(*successor),
        Limit::By(_) if adjusted_bps < sending_bps => Consequence::Select(Growth::Now),
        Limit::By(clr) if clr.leaving => Consequence::Select(Growth::AfterARound),
        Limit::By(_) => Consequence::None,
    }
}

/// The same in slow start: the lowest rate limits (section 3.6).
pub(super) fn judge_in_slow_start(limit: &Limit, feedback: &Feedback) -> Consequence {
    match limit {
        Limit::By(clr) if clr.receiver == feedback.receiver => Consequence::Follow,
        _ if feedback.leave => Consequence::None,
        Limit::By(clr) if !clr.leaving && feedback.rate_bps >= clr.rate_bps => Consequence::None,
        _ => Consequence::Select(Growth::Now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feedback(receiver: u32, bps: f64, leave: bool) -> Feedback {
        Feedback {
            receiver: Address::endpoint(receiver),
            rate_bps: bps,
            rtt_s: 0.1,
            reckoned_s: 0.1,
            have_rtt: true,
            have_loss: true,
            leave,
            round: 0,
        }
    }

    /// Nobody, one, and one that leaves.
    fn limits() -> [Limit; 3] {
        let clr = Clr::new(Instant::ZERO, &feedback(1, 1e6, false));
        [Limit::nobody(Instant::ZERO), Limit::By(clr), Limit::By(Clr { leaving: true, ..clr })]
    }

    #[test]
    fn the_four_cases() {
        let [nobody, clr, leaving] = limits();
        use Consequence::{Follow, None as Nothing, Select};
        for (limit, from, bps, leave, expected) in [
            (&nobody, 2, 5e6, false, Select(Growth::Now)),
            (&nobody, 2, 5e5, true, Nothing),
            (&clr, 2, 0.9e6, false, Select(Growth::Now)),
            (&clr, 2, 0.9e6, true, Nothing),
            (&clr, 2, 1.0e6, false, Nothing),
            (&leaving, 2, 2e6, false, Select(Growth::AfterARound)),
            (&leaving, 2, 0.5e6, false, Select(Growth::Now)),
            (&leaving, 2, 0.5e6, true, Nothing),
            (&clr, 1, 2e6, true, Follow),
        ] {
            assert_eq!(judge(limit, 1e6, bps, &feedback(from, bps, leave)), expected, "{from} {bps} {leave}");
        }
        let deserted = Limit::Nobody { heard_at: Instant::ZERO, successor: Growth::AfterARound };
        assert_eq!(judge(&deserted, 1e6, 5e6, &feedback(2, 5e6, false)), Select(Growth::AfterARound));
        // What is compared with the rate is X_r', whatever X_r is.
        assert_eq!(judge(&clr, 1e6, 0.9e6, &feedback(2, 5e6, false)), Select(Growth::Now));
        assert_eq!(judge(&clr, 1e6, 1e6, &feedback(2, 5e5, false)), Nothing);
    }

    #[test]
    fn the_lowest_rate_limits_in_slow_start() {
        let [nobody, clr, leaving] = limits();
        use Consequence::{Follow, None as Nothing, Select};
        for (limit, from, bps, leave, expected) in [
            (&nobody, 2, 5e6, false, Select(Growth::Now)),
            (&nobody, 2, 5e6, true, Nothing),
            (&clr, 2, 0.9e6, false, Select(Growth::Now)),
            (&clr, 2, 0.9e6, true, Nothing),
            (&clr, 2, 1.0e6, false, Nothing),
            (&leaving, 2, 2e6, false, Select(Growth::Now)),
            (&clr, 1, 2e6, false, Follow),
        ] {
            assert_eq!(judge_in_slow_start(limit, &feedback(from, bps, leave)), expected, "{from} {bps} {leave}");
        }
    }

    #[test]
    fn patience() {
        let at = Instant::from_secs_f64;
        let mut clr = Clr::new(at(1.0), &feedback(1, 1e6, false));
        assert_eq!(clr.halve_at(0.0), at(2.0), "10 round-trip times after its selection");
        clr.reported(at(3.0), &feedback(1, 1e6, false));
        assert_eq!(clr.halve_at(0.0), at(3.4));
        assert_eq!(clr.give_up_at(0.0), at(4.0));
        assert_eq!(clr.halve_at(1.0), at(5.0), "two gaps");
        assert_eq!(clr.give_up_at(1.0), at(8.0), "five gaps");
        clr.halved(at(5.0), 1.0);
        clr.halved(at(7.0), 2.0);
        assert_eq!((clr.halve_at(4.0), clr.give_up_at(4.0)), (at(15.0), at(8.0)), "of when it fell silent");
        clr.reported(at(7.5), &feedback(1, 1e6, false));
        assert_eq!(clr.give_up_at(4.0), at(27.5), "of the present ones if it has reported");
    }
}
