//! The current limiting receiver: who it is, what its reports do to the rate, and its silence (RFC 4654 section 3.3).

use super::config::Config;
use super::feedback::Feedback;
use crate::packet::Address;
use crate::time::{Duration, Instant};

/// The current limiting receiver as the sender knows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clr {
    pub receiver: Address,
    /// X_r of its last report, bit/s.
    pub rate_bps: f64,
    /// It has had a loss: the rate is by the equation, and not twice what it receives.
    pub have_loss: bool,
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
    /// It has taken the place of another one and has not reported since: the gap between packets before that, seconds.
    pub gap_before_selection_s: Option<f64>,
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
            have_loss: feedback.have_loss,
            rtt_s: feedback.rtt_s,
            leaving: false,
            selected_at: now,
            reported_at: now,
            patience_from: now,
            gap_before_halving_s: None,
            gap_before_selection_s: None,
        }
    }

    /// It limits again from now on, as the one that has taken its place does not answer.
    pub(super) fn back(self, now: Instant) -> Clr {
        Clr {
            selected_at: now,
            reported_at: now,
            patience_from: now,
            gap_before_halving_s: None,
            gap_before_selection_s: None,
            ..self
        }
    }

    /// It has reported.
    pub(super) fn reported(&mut self, now: Instant, feedback: &Feedback) {
        self.rate_bps = feedback.rate_bps;
        self.have_loss = feedback.have_loss;
        self.rtt_s = feedback.rtt_s;
        self.leaving = feedback.leave;
        self.reported_at = now;
        self.patience_from = now;
        self.gap_before_halving_s = None;
        self.gap_before_selection_s = None;
    }

    /// The rate is halved because of its silence; the gap between packets was `gap_s`.
    pub(super) fn halved(&mut self, now: Instant, gap_s: f64) {
        self.patience_from = now;
        self.gap_before_halving_s.get_or_insert(gap_s);
    }

    /// When the rate is halved if it stays silent, not before its grace is over.
    pub(super) fn halve_at(&self, gap_s: f64, patience: &Patience) -> Instant {
        let grace_s = patience.grace_rtts * patience.round_trip_s(self.rtt_s);
        let halving = Duration::from_secs_f64(patience.halving_s(self.rtt_s, gap_s));
        (self.patience_from + halving).max(self.selected_at + Duration::from_secs_f64(grace_s))
    }

    /// When it is given up if it stays silent. The gaps are those with which it fell silent: would they grow as the
    /// rate is halved, they would run ahead of the time that passes, down to the lowest rate. One that has taken the
    /// place of another and has not reported since is named in the packet that was due and in the next one, and given
    /// up if it answers neither.
    pub(super) fn give_up_at(&self, gap_s: f64, patience: &Patience) -> Instant {
        if let Some(before_s) = self.gap_before_selection_s {
            return self.selected_at + Duration::from_secs_f64(patience.silence_s(self.rtt_s, before_s) + gap_s);
        }
        let gap_s = self.gap_before_halving_s.unwrap_or(gap_s);
        self.reported_at + Duration::from_secs_f64(patience.silence_s(self.rtt_s, gap_s))
    }
}

/// How long silence is borne (section 3.3). With less than a packet per round-trip time a receiver has nothing to
/// report on, so it is some gaps between packets at least; and as much longer as a clock's granularity makes both ends
/// late: with a round-trip time of 1 ms and timers that come 10 ms late, every report is later than 4 of them. A floor
/// for the first of these times lengthens the others in proportion, so that their order stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Patience {
    halving_rtts: f64,
    halving_gaps: f64,
    grace_rtts: f64,
    silence_rtts: f64,
    silence_gaps: f64,
    granularity_s: f64,
    /// What a round-trip time counts as at least, seconds.
    least_rtt_s: f64,
}

impl Patience {
    pub(super) fn new(config: &Config) -> Patience {
        Patience {
            halving_rtts: config.halving_rtts,
            halving_gaps: config.halving_gaps,
            grace_rtts: config.grace_rtts,
            silence_rtts: config.silence_rtts,
            silence_gaps: config.silence_gaps,
            granularity_s: config.granularity.as_secs_f64(),
            least_rtt_s: config.silence_floor.as_secs_f64() / config.halving_rtts,
        }
    }

    /// A round-trip time as it counts, seconds.
    fn round_trip_s(&self, rtt_s: f64) -> f64 {
        (rtt_s + self.granularity_s).max(self.least_rtt_s)
    }

    /// Silence of the limiting receiver after which the rate is halved, seconds.
    pub(super) fn halving_s(&self, rtt_s: f64, gap_s: f64) -> f64 {
        (self.halving_rtts * self.round_trip_s(rtt_s)).max(self.halving_gaps * gap_s + self.granularity_s)
    }

    /// Silence after which the limiting receiver is given up, or the rate halved if nobody limits it, seconds. `rtt_s`
    /// is R of that receiver, or R_max.
    pub(super) fn silence_s(&self, rtt_s: f64, gap_s: f64) -> f64 {
        (self.silence_rtts * self.round_trip_s(rtt_s)).max(self.silence_gaps * gap_s + self.granularity_s)
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

/// Whether a receiver limits in slow start: the lowest rate limits (section 3.6).
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
            delayed: false,
            receiver: Address::endpoint(receiver),
            rate_bps: bps,
            rtt_s: 0.1,
            used_rtt_s: 0.1,
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
        let rules = Patience::new(&Config::default());
        let mut clr = Clr::new(at(1.0), &feedback(1, 1e6, false));
        assert_eq!(clr.halve_at(0.0, &rules), at(2.0), "10 round-trip times after its selection");
        clr.reported(at(3.0), &feedback(1, 1e6, false));
        assert_eq!(clr.halve_at(0.0, &rules), at(3.4));
        assert_eq!(clr.give_up_at(0.0, &rules), at(4.0));
        assert_eq!(clr.halve_at(1.0, &rules), at(5.0), "two gaps");
        assert_eq!(clr.give_up_at(1.0, &rules), at(8.0), "five gaps");
        clr.halved(at(5.0), 1.0);
        clr.halved(at(7.0), 2.0);
        let when = (clr.halve_at(4.0, &rules), clr.give_up_at(4.0, &rules));
        assert_eq!(when, (at(15.0), at(8.0)), "of when it fell silent");
        clr.reported(at(7.5), &feedback(1, 1e6, false));
        assert_eq!(clr.give_up_at(4.0, &rules), at(27.5), "of the present ones if it has reported");
    }

    #[test]
    fn patience_is_longer_by_the_granularity_of_the_clock() {
        let at = Instant::from_secs_f64;
        let rules = Patience::new(&Config { granularity: Duration::from_millis(50), ..Config::default() });
        let mut clr = Clr::new(at(1.0), &feedback(1, 1e6, false));
        // The round-trip time is 0.1 s: 10, 4 and 10 times 0.15 s.
        assert_eq!(clr.halve_at(0.0, &rules), at(2.5), "after its selection");
        clr.reported(at(3.0), &feedback(1, 1e6, false));
        assert_eq!((clr.halve_at(0.0, &rules), clr.give_up_at(0.0, &rules)), (at(3.6), at(4.5)));
        assert_eq!((clr.halve_at(1.0, &rules), clr.give_up_at(1.0, &rules)), (at(5.05), at(8.05)), "2 and 5 gaps");
    }

    #[test]
    fn a_floor_of_silence_lengthens_all_patience_of_short_round_trips() {
        let at = Instant::from_secs_f64;
        let rules = Patience::new(&Config { silence_floor: Duration::from_millis(50), ..Config::default() });
        let near = |rtt_s: f64| {
            let mut clr = Clr::new(at(1.0), &Feedback { rtt_s, ..feedback(1, 1e6, false) });
            let grace = clr.halve_at(0.0, &rules);
            clr.reported(at(3.0), &Feedback { rtt_s, ..feedback(1, 1e6, false) });
            [grace, clr.halve_at(0.0, &rules), clr.give_up_at(0.0, &rules), clr.halve_at(0.04, &rules)]
        };
        // 12.5 ms for each round trip: 10, 4 and 10 of them; and two gaps of 40 ms are longer.
        assert_eq!(near(0.001), [at(1.125), at(3.05), at(3.125), at(3.08)]);
        assert_eq!(near(0.0125), near(0.001));
        assert_eq!(near(0.02), [at(1.2), at(3.08), at(3.2), at(3.08)], "a longer one is its own measure");
        assert_eq!(rules.silence_s(0.001, 0.0), 0.125, "if nobody limits");
    }

    #[test]
    fn each_bound_of_patience_is_a_parameter() {
        let at = Instant::from_secs_f64;
        let mut clr = Clr::new(at(1.0), &feedback(1, 1e6, false));
        let rules = Patience::new(&Config { grace_rtts: 30.0, ..Config::default() });
        assert_eq!(clr.halve_at(0.0, &rules), at(4.0));
        clr.reported(at(8.0), &feedback(1, 1e6, false));
        for (config, gap_s, halved_s, given_up_s) in [
            (Config { halving_rtts: 6.0, ..Config::default() }, 0.0, 8.6, 9.0),
            (Config { halving_gaps: 3.0, ..Config::default() }, 1.0, 11.0, 13.0),
            (Config { silence_rtts: 20.0, ..Config::default() }, 0.0, 8.4, 10.0),
            (Config { silence_gaps: 7.0, ..Config::default() }, 1.0, 10.0, 15.0),
        ] {
            let rules = Patience::new(&config);
            assert_eq!((clr.halve_at(gap_s, &rules), clr.give_up_at(gap_s, &rules)), (at(halved_s), at(given_up_s)));
        }
    }
}
