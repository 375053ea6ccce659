//! Feedback rounds at the sender: their length and the suppression rate (RFC 4654 section 3.4).

use super::config::{Config, MaxRttRule};
use super::max_rtt::{LEAST_ROUND_RTTS, MaxRtt};
use crate::time::{Duration, Instant};

/// The present feedback round.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    /// fb_nr; wraps around.
    number: u8,
    started: Instant,
    /// X_supp, bit/s; infinite until the first report of the round.
    suppression_bps: f64,
    max_rtt: MaxRtt,
    /// A receiver that did not limit has reported in this round.
    answered: bool,
    length: RoundLength,
    suppression: f64,
}

/// T, the length of a round, given R_max: sender and receivers compute it alike.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundLength {
    /// T in R_max.
    rtts: f64,
    rule: MaxRttRule,
}

/// With the rule "recent" a round lasts no longer than this, or than two R_max if that is more; a choice.
const MOST_ROUND_S: f64 = 8.0;

impl RoundLength {
    pub(super) fn new(config: &Config) -> RoundLength {
        RoundLength::of(config.round_rtts, config.max_rtt)
    }

    /// `rtts` R_max, within the bounds of the rule.
    pub(super) fn of(rtts: f64, rule: MaxRttRule) -> RoundLength {
        RoundLength { rtts, rule }
    }

    /// Whether a receiver makes haste while it has not measured its round-trip time, since what it says is computed
    /// with R_max until then. It keeps its timer when a round begins; and with its first measurement, or later in the
    /// round, it says at once that it has losses and wants less than is sent.
    pub(super) fn hurries_first_rtt(&self) -> bool {
        self.rule == MaxRttRule::Recent
    }

    /// T in R_max.
    pub(super) fn rtts(&self, max_rtt_s: f64) -> f64 {
        self.bounded(self.rtts, max_rtt_s)
    }

    /// T, seconds.
    pub(super) fn seconds(&self, max_rtt_s: f64) -> f64 {
        self.rtts(max_rtt_s) * max_rtt_s
    }

    /// How long a round without an answer lasts, seconds.
    fn unanswered_s(&self, max_rtt_s: f64) -> f64 {
        self.bounded(2.0 * self.rtts, max_rtt_s) * max_rtt_s
    }

    fn bounded(&self, rtts: f64, max_rtt_s: f64) -> f64 {
        match self.rule {
            MaxRttRule::Rfc | MaxRttRule::Measured => rtts,
            MaxRttRule::Recent => rtts.min((MOST_ROUND_S / max_rtt_s).max(LEAST_ROUND_RTTS)),
        }
    }
}

impl Rounds {
    /// The first round begins at `now`.
    pub(super) fn new(now: Instant, config: &Config) -> Rounds {
        let initial_s = config.initial_max_rtt.as_secs_f64();
        Rounds {
            number: 0,
            started: now,
            suppression_bps: f64::INFINITY,
            max_rtt: MaxRtt::new(initial_s, config.round_rtts, config.max_rtt, config.gap_floor),
            answered: false,
            length: RoundLength::new(config),
            suppression: config.suppression,
        }
    }

    pub(super) fn number(&self) -> u8 {
        self.number
    }

    pub(super) fn suppression_bps(&self) -> f64 {
        self.suppression_bps
    }

    /// R_max, seconds.
    pub(super) fn max_rtt_s(&self) -> f64 {
        self.max_rtt.value_s()
    }

    /// The R_max by which the rate grows, seconds.
    pub(super) fn growth_rtt_s(&self) -> f64 {
        self.max_rtt.growth_s()
    }

    /// For how long a new limiting receiver does not raise the rate (section 3.3, case 3): T, seconds.
    pub(super) fn hold_s(&self) -> f64 {
        self.length.seconds(self.max_rtt.hold_s())
    }

    /// T, seconds.
    pub(super) fn length_s(&self) -> f64 {
        self.length.seconds(self.max_rtt_s())
    }

    /// When the round is over at the latest: T if there was an answer, else 2T.
    pub(super) fn end(&self) -> Instant {
        let length_s = if self.answered { self.length_s() } else { self.length.unanswered_s(self.max_rtt_s()) };
        self.started + Duration::from_secs_f64(length_s)
    }

    /// When half of the least length is over.
    pub(super) fn middle(&self) -> Instant {
        self.started + Duration::from_secs_f64(0.5 * self.length_s())
    }

    /// A report with the instantaneous round-trip time `rtt_s` has come.
    pub(super) fn measured(&mut self, now: Instant, rtt_s: f64) {
        self.max_rtt.measured(now, rtt_s);
    }

    /// A receiver that does not limit has reported `rate_bps`, in answer to `round`. The rate is as reported: adjusted
    /// to the receiver's round-trip time it could not suppress those that have not measured theirs (section 3.4). It
    /// lowers X_supp only if it `may`; true if it has done so.
    pub(super) fn answered(&mut self, round: u8, rate_bps: f64, may: bool) -> bool {
        if round != self.number {
            return false;
        }
        self.answered = true;
        let lowers = may && self.suppression_bps > rate_bps;
        if lowers {
            self.suppression_bps = (1.0 - self.suppression) * rate_bps;
        }
        lowers
    }

    /// A report with this rate suppresses others in the present round, whatever round it answers.
    pub(super) fn suppress(&mut self, rate_bps: f64) {
        self.suppression_bps = self.suppression_bps.min((1.0 - self.suppression) * rate_bps);
    }

    /// Rates are multiplied by `factor` from now on: what receivers report does not compare with X_supp otherwise.
    pub(super) fn scale(&mut self, factor: f64) {
        self.suppression_bps *= factor;
    }

    /// From now on a round lasts `rtts` R_max.
    pub(super) fn set_length(&mut self, rtts: f64) {
        self.length = RoundLength { rtts, ..self.length };
    }

    /// The rate grows by this R_max from now on, seconds; the rounds go on.
    pub(super) fn restart_growth(&mut self, rtt_s: f64) {
        self.max_rtt.restart_growth(rtt_s);
    }

    /// R_max starts anew from `rtt_s` seconds; the round goes on.
    pub(super) fn restart_max_rtt(&mut self, rtt_s: f64) {
        self.max_rtt = self.max_rtt.restarted(rtt_s);
    }

    /// The rate has changed, the gap between packets is `gap_s`.
    pub(super) fn gap_changed(&mut self, gap_s: f64) {
        self.max_rtt.gap_changed(gap_s);
    }

    /// The next round begins; the gap between packets is `gap_s`.
    pub(super) fn next(&mut self, now: Instant, gap_s: f64) {
        self.max_rtt.next_round(now, gap_s);
        self.number = self.number.wrapping_add(1);
        self.started = now;
        self.suppression_bps = f64::INFINITY;
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
        let mut rounds = Rounds::new(at(1.0), &Config::default());
        assert_eq!(rounds.end(), at(7.0));
        rounds.answered(0, 1e6, true);
        assert_eq!(rounds.end(), at(4.0));
        rounds.next(at(4.0), 0.0);
        assert_eq!(rounds.number(), 1);
        assert!(!rounds.answered(0, 1e6, true));
        assert_eq!(rounds.end(), at(4.0 + 5.4), "an answer to an older round is none");
    }

    #[test]
    fn a_round_lasts_eight_seconds_or_two_round_trips_at_most_with_the_rule_recent() {
        let config = Config { max_rtt: MaxRttRule::Recent, ..Config::default() };
        let mut rounds = Rounds::new(at(0.0), &config);
        assert_eq!((rounds.end(), rounds.length_s()), (at(6.0), 3.0));
        rounds.measured(at(1.0), 1.25);
        assert_eq!((rounds.end(), rounds.length_s()), (at(8.0), 7.5));
        rounds.measured(at(1.0), 2.5);
        assert_eq!((rounds.end(), rounds.length_s()), (at(8.0), 8.0));
        rounds.measured(at(1.0), 8.0);
        assert_eq!((rounds.end(), rounds.length_s()), (at(16.0), 16.0));
        rounds.answered(0, 1e6, true);
        assert_eq!((rounds.end(), rounds.middle()), (at(16.0), at(8.0)));
        let letter = RoundLength::new(&Config::default());
        assert_eq!((letter.seconds(8.0), letter.unanswered_s(8.0)), (48.0, 96.0));
    }

    #[test]
    fn reports_lower_the_suppression_rate() {
        let mut rounds = Rounds::new(at(0.0), &Config::default());
        rounds.answered(0, 1e6, true);
        assert_eq!(rounds.suppression_bps(), 0.9e6);
        rounds.answered(0, 0.95e6, true);
        assert_eq!(rounds.suppression_bps(), 0.9e6, "a rate above it does not count");
        assert!(!rounds.answered(0, 0.9e6, true), "nor does the same");
        rounds.answered(0, 0.5e6, true);
        assert_eq!(rounds.suppression_bps(), 0.45e6);
        assert!(!rounds.answered(0, 0.1e6, false));
        assert_eq!(rounds.suppression_bps(), 0.45e6, "it may not");
        rounds.next(at(3.0), 0.0);
        assert_eq!(rounds.suppression_bps(), f64::INFINITY);
        rounds.answered(1, 0.1e6, false);
        assert_eq!(rounds.end(), at(3.0 + rounds.length_s()), "an answer all the same");
    }
}
