//! The rate of a sender, from reports and from silence (RFC 4654 sections 3.1 to 3.4 and 3.6).
//!
//! It says how fast to send and leaves packets, their times and their headers to others, so that a scheme may have
//! several: one for each of its layers, say, each between a floor and a ceiling of its own.
//!
//! The states, of which `docs/tfmcc.md` has the transitions:
//!
//! ```text
//!            SlowStart { limit: Nobody }  ─┐ a loss is  ┌─▶  Steady { limit: Nobody }
//!                        │      ▲          ├─ reported ─┤              │      ▲
//!               a report ▼      │ silence  │            │     a report ▼      │ silence, or it has left
//!            SlowStart { limit: By(Clr) } ─┘            └─▶  Steady { limit: By(Clr) }
//! ```
//!
//! With a start of its own Starting stands in the place of SlowStart, and [`start`](super::start) says how it ends.

use super::clr::{Clr, Consequence, Growth, Limit, Patience, judge, judge_in_slow_start};
use super::config::Config;
use super::config::{GREATEST_MAX_RTT, IdleFloor, MaxRttRule, SlowStart, UnansweredClr};
use super::data_limit::Bound;
use super::feedback::Feedback;
use super::rounds::Rounds;
use super::start::Start;
use super::suppressors::Suppressors;
use crate::packet::Address;
use crate::parts::rtt::LEAST_RTT_S;
use crate::time::{Duration, Instant};
use state::{Ramp, State};

mod starting;
mod state;
mod variants;

/// The rate X of one sender, and what it follows from: who limits it, R_max, the feedback rounds.
///
/// Its owner hands it every report ([`hear`](Self::hear)), calls [`pass`](Self::pass) when
/// [`deadline`](Self::deadline) has come, and sends by [`rate_bps`](Self::rate_bps). Before an input at a later moment
/// it calls [`advance`](Self::advance), by which a rate that is on its way to a target comes up to date.
#[derive(Clone, Debug)]
pub struct RateControl {
    state: State,
    /// X, bit/s, as of the last input.
    rate_bps: f64,
    /// What X is never below, bit/s.
    floor_bps: f64,
    /// What X is never above, bit/s.
    ceiling_bps: f64,
    /// What multiplies the increase; 1 in TFMCC.
    increase_factor: f64,
    /// What of X another receiver must want less than to limit; 1 in TFMCC.
    bias: f64,
    /// Who wants least limits, also if that is more than X.
    least_limits: bool,
    /// The gap between the packets that tell of X, if it does not follow from X, seconds.
    own_gap_s: Option<f64>,
    config: Config,
    patience: Patience,
    rounds: Rounds,
    /// Who limited before the present one, if that has not reported since it was selected.
    predecessor: Option<Clr>,
    /// When the last report came.
    heard_at: Instant,
    silence: Silence,
    suppressors: Suppressors,
    counts: RateCounts,
    /// What the next report may make of X at most.
    bound: Bound,
    /// Whether there is nothing to send.
    idle: bool,
}

/// Whether reports have failed to come.
#[derive(Clone, Copy, Debug)]
enum Silence {
    /// There has been none.
    Never,
    /// It goes on: a receiver was given up, or the rate halved as nobody reports.
    Lasts,
    /// The last one ended then.
    Ended(Instant),
}

/// What a report did beside changing the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportOutcome {
    /// Its receiver limits now.
    pub limits: bool,
    /// It ended slow start: the first report of a loss, or of an empty queue after a [start](SlowStart::Doubling).
    pub ended_slow_start: bool,
}

/// What the passing of time did beside changing the rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// The limiting receiver was given up for its silence.
    pub given_up: bool,
    /// It was, and this one limits again, in whose place it had been selected without reporting ever since.
    pub restored: Option<Address>,
    /// A feedback round has begun.
    pub next_round: bool,
    /// Slow start is over, without a report.
    pub ended_slow_start: bool,
}

/// What a rate control counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateCounts {
    /// How often the rate was halved because nobody, or not the limiting receiver, reported.
    pub halvings: u64,
    /// Feedback rounds begun, the first not counted.
    pub rounds: u64,
    /// Reports of receivers that did not limit when they came.
    pub round_reports: u64,
}

/// The highest rate, bit/s: what the encoding of RFC 4654 section 2.2.1 can hold.
pub(super) const MOST_BPS: f64 = 400e9;
/// How many of the receiver's own round-trip times a report may have taken with the rule "measured". Between one report
/// and the next the way of one that limits at most doubles while less than twice what a link carries is sent; a choice.
pub(super) const FAR_RTTS: f64 = 2.0;

impl RateControl {
    /// A rate control by `config`, which must have passed [`Config::check`]. Its floor is a packet in 8 s (section
    /// 3.3), its ceiling the configuration's `max_rate`, R_max at first its `initial_max_rtt`. X is 0 until it
    /// [begins](Self::begin).
    pub fn new(config: &Config) -> RateControl {
        let limit = Limit::nobody(Instant::ZERO);
        RateControl {
            state: match config.slow_start {
                SlowStart::Rfc4654 => State::SlowStart { limit, ramp: None },
                SlowStart::Doubling => {
                    State::Starting { limit, start: Box::new(Start::new(8.0 * config.packet_size.0 as f64)) }
                }
            },
            rate_bps: 0.0,
            floor_bps: config.least_bps(),
            ceiling_bps: config.max_rate.map_or(MOST_BPS, |rate| rate.as_bps_f64()),
            increase_factor: 1.0,
            bias: 1.0,
            least_limits: false,
            own_gap_s: None,
            config: config.clone(),
            patience: Patience::new(config),
            rounds: Rounds::new(Instant::ZERO, config),
            predecessor: None,
            heard_at: Instant::ZERO,
            silence: Silence::Never,
            suppressors: Suppressors::new(config.suppressing_rounds),
            counts: RateCounts::default(),
            bound: Bound::None,
            idle: false,
        }
    }

    /// The session begins: a packet per R_max, within the bounds, and the first feedback round (sections 3.1 and 3.4).
    /// If it was stopped before, who limits it is known still, and slow start stays over if it was.
    pub fn begin(&mut self, now: Instant) {
        self.rounds = Rounds::new(now, &self.config);
        self.rate_bps = self.bounded(self.packet_bits() / self.rounds.max_rtt_s());
        self.state.limit_mut().heard(now);
        match &mut self.state {
            State::SlowStart { .. } => {}
            State::Starting { .. } => self.ask(now),
            State::Steady { increase, .. } => increase.grown_at = now,
        }
    }

    /// From now on X is at least `floor_bps` and at most `ceiling_bps`; a rate out of that becomes the nearer bound at
    /// once. Bits per second, 0 < `floor_bps` <= `ceiling_bps`.
    pub fn set_bounds(&mut self, floor_bps: f64, ceiling_bps: f64) {
        debug_assert!(floor_bps > 0.0 && floor_bps <= ceiling_bps, "bounds {floor_bps} and {ceiling_bps}");
        (self.floor_bps, self.ceiling_bps) = (floor_bps, ceiling_bps);
        if self.rate_bps > 0.0 {
            self.set_rate(self.rate_bps);
        }
    }

    /// X is `rate_bps` from now on, within the bounds: for an owner that knows it from elsewhere. What limits it stays,
    /// but slow start no longer has a target.
    pub fn jump(&mut self, rate_bps: f64) {
        self.hold(self.heard_at);
        self.set_rate(rate_bps);
    }

    /// R_max starts anew from `rtt_s` seconds, whatever was measured before: for an owner that knows better than
    /// `initial_max_rtt`, from the first report say. The feedback round goes on.
    pub fn restart_max_rtt(&mut self, rtt_s: f64) {
        self.rounds.restart_max_rtt(legal_rtt_s(rtt_s));
    }

    /// The packets that tell of X come `gap_s` seconds apart from now on, whatever X is: for an owner that sends them
    /// at another rate, as X is that of several groups together. R_max and the patience with silent receivers follow.
    pub fn set_gap(&mut self, gap_s: f64) {
        self.own_gap_s = Some(gap_s);
        self.rounds.gap_changed(self.least_max_rtt_s());
    }

    /// From now on X_supp, and what receivers report, is `equation` times what it was, and `increase` multiplies the
    /// increase of section 3.3, a packet per R_max each R_max.
    pub fn scale(&mut self, equation: f64, increase: f64) {
        self.rounds.scale(equation);
        self.increase_factor = increase;
    }

    /// No new target from now on: the session is over.
    pub fn stop(&mut self) {
        self.hold(self.heard_at);
    }

    /// Brings a rate on its way to a target up to date.
    pub fn advance(&mut self, now: Instant) {
        if let State::Starting { start, .. } = &self.state
            && let Some(rate_bps) = start.rate_bps(now)
        {
            self.set_rate(rate_bps);
        }
        let State::SlowStart { ramp: Some(ramp), .. } = self.state else { return };
        let part = (now.since(ramp.start).as_secs_f64() / ramp.length_s).min(1.0);
        self.set_rate(ramp.from_bps + (ramp.to_bps - ramp.from_bps) * part);
        if part >= 1.0 {
            self.hold(now);
        }
    }

    /// A report has come (sections 3.2 to 3.4 and 3.6). `None` if it says nothing, its rate being none.
    pub fn hear(&mut self, now: Instant, feedback: &Feedback) -> Option<ReportOutcome> {
        let Feedback { receiver, rate_bps, .. } = *feedback;
        if rate_bps.is_nan() || rate_bps < 0.0 {
            return None;
        }
        self.end_silence(now);
        if feedback.leave {
            self.other_left(receiver);
        }
        let feedback = Feedback { rtt_s: self.counted_rtt_s(now, feedback), ..*feedback };
        let adjusted_bps = self.adjusted_bps(&feedback);
        self.state.limit_mut().heard(now);
        self.rounds.measured(now, feedback.rtt_s);
        // Before any change: a report that makes its receiver the limiting one was sent when it was not (section 3.4).
        let mut lowered = false;
        if self.clr() != Some(receiver) {
            self.counts.round_reports += 1;
            let may = self.suppressors.may_lower(receiver) && !self.waits_for_each();
            lowered = self.rounds.answered(feedback.round, rate_bps, may);
        }
        let mut ended_slow_start = feedback.have_loss && matches!(self.state, State::SlowStart { .. });
        if ended_slow_start {
            self.end_slow_start(now);
        }
        match self.state {
            State::SlowStart { .. } => self.hear_in_slow_start(now, &feedback),
            State::Starting { .. } => {
                let asked_bps = if feedback.have_loss { adjusted_bps } else { feedback.rate_bps };
                ended_slow_start = self.hear_in_start(now, &Feedback { rate_bps: asked_bps, ..feedback });
            }
            State::Steady { .. } => self.hear_in_steady_state(now, &feedback, adjusted_bps),
        }
        let limits = self.clr() == Some(receiver);
        if lowered && !limits {
            self.suppressors.add(receiver);
        }
        Some(ReportOutcome { limits, ended_slow_start })
    }

    /// The limiting receiver has left, as its owner knows from elsewhere: nobody limits, a feedback round begins at
    /// once, so that others report, and the next limiting receiver does not raise the rate for a round (section 3.3,
    /// case 3). False, and nothing happens, if nobody limits.
    pub fn limiting_left(&mut self, now: Instant) -> bool {
        if self.clr().is_none() {
            return false;
        }
        self.predecessor = None;
        *self.state.limit_mut() = Limit::Nobody { heard_at: now, successor: Growth::AfterARound };
        self.hold(now);
        self.next_round(now);
        true
    }

    /// `receiver`, which does not limit, has left, as its owner knows from elsewhere.
    pub fn other_left(&mut self, receiver: Address) {
        if self.predecessor.take_if(|clr| clr.receiver == receiver).is_some()
            && let Limit::By(clr) = self.state.limit_mut()
        {
            clr.gap_before_selection_s = None;
        }
    }

    /// Notes that no receiver is left, as the owner knows from elsewhere: the next limiting receiver may raise the rate
    /// at once.
    pub fn nobody_left(&mut self) {
        if let Limit::Nobody { successor, .. } = self.state.limit_mut() {
            *successor = Growth::Now;
        }
    }

    /// As long as nobody limits: that nobody reports says nothing, as its owner knows from elsewhere. Silence counts
    /// from now on.
    pub fn excuse_silence(&mut self, now: Instant) {
        self.state.limit_mut().heard(now);
    }

    /// In steady state a report that X follows makes no more of it than this from now on. For an owner whose
    /// application has not used X, so that what the network would have made of it is not known. In slow start X follows
    /// what is received anyway.
    pub fn bound(&mut self, bound: Bound) {
        self.bound = bound;
    }

    /// Whether there is nothing to send from now on, and so nothing to report of. X is halved for that silence all the
    /// same (section 3.6), but with the `idle_floor` "initial" not to less than a session begins with, a packet per
    /// R_max, as RFC 5348 section 4.4 has it for an idle sender. That a sender "may perform a slowstart" up to what X
    /// was before is not made use of.
    pub fn set_idle(&mut self, idle: bool) {
        self.idle = idle;
    }

    /// A feedback round begins at once.
    pub fn next_round(&mut self, now: Instant) {
        self.counts.rounds += 1;
        self.rounds.next(now, self.least_max_rtt_s());
        self.suppressors.next_round();
        self.ask_again(now);
    }

    /// What is due by now: the silence of the limiting receiver or of all (section 3.3), the next feedback round.
    pub fn pass(&mut self, now: Instant) -> Passed {
        let given_up = self.silence_at() <= now && self.silence(now);
        let restored = self.clr().filter(|_| given_up);
        let ended_slow_start = self.pass_start(now);
        let next_round = self.round_end() <= now;
        if next_round {
            self.next_round(now);
        }
        Passed { given_up: given_up && restored.is_none(), restored, next_round, ended_slow_start }
    }

    /// By when to call [`pass`](Self::pass). It may be past.
    pub fn deadline(&self) -> Instant {
        self.round_end().min(self.silence_at()).min(self.start_deadline())
    }

    /// When a feedback round begins at the latest. While there is nothing to send none does: no packet would tell of
    /// it, and of half of all numbers receivers believe that they are of the past.
    fn round_end(&self) -> Instant {
        if self.idle { Instant::FAR_FUTURE } else { self.rounds.end().max(self.asked_until()) }
    }

    /// The sending rate X, bit/s; 0 before the beginning.
    pub fn rate_bps(&self) -> f64 {
        self.rate_bps
    }

    /// The gap between packets, ts_ipi (section 3.7), seconds: at that rate, or what its owner has
    /// [set](Self::set_gap).
    pub fn gap_s(&self) -> f64 {
        self.own_gap_s.unwrap_or_else(|| self.packet_bits() / self.rate_bps)
    }

    /// R_max, seconds.
    pub fn max_rtt_s(&self) -> f64 {
        self.rounds.max_rtt_s()
    }

    /// The R_max by which the rate grows (section 3.3), seconds.
    pub fn growth_rtt_s(&self) -> f64 {
        self.rounds.growth_rtt_s()
    }

    /// Whether slow start goes on.
    pub fn in_slow_start(&self) -> bool {
        !matches!(self.state, State::Steady { .. })
    }

    /// The current limiting receiver.
    pub fn clr(&self) -> Option<Address> {
        self.state.limit().clr().map(|clr| clr.receiver)
    }

    /// Its round-trip time as the sender saw it last, seconds.
    pub fn clr_rtt_s(&self) -> Option<f64> {
        self.state.limit().clr().map(|clr| clr.rtt_s)
    }

    /// The feedback round (fb_nr); wraps around.
    pub fn round(&self) -> u8 {
        self.rounds.number()
    }

    /// Whether half of the least length of the present round is over.
    pub fn is_late_in_round(&self, now: Instant) -> bool {
        now >= self.rounds.middle()
    }

    /// X_supp, bit/s; infinite until the first report of the round.
    pub fn suppression_bps(&self) -> f64 {
        self.rounds.suppression_bps()
    }

    /// What has been counted so far.
    pub fn counts(&self) -> RateCounts {
        self.counts
    }

    /// X_r' (section 3.3): adjusted to the receiver's round-trip time if it was computed with R_max for want of one.
    pub fn adjusted_bps(&self, feedback: &Feedback) -> f64 {
        if !feedback.have_loss || feedback.have_rtt {
            return feedback.rate_bps;
        }
        let rtt_s = legal_rtt_s(feedback.rtt_s);
        let used_rtt_s = match self.config.max_rtt {
            MaxRttRule::Rfc => self.rounds.max_rtt_s(),
            // The present R_max may be far from that one.
            MaxRttRule::Measured | MaxRttRule::Recent => legal_rtt_s(feedback.used_rtt_s),
        };
        feedback.rate_bps * used_rtt_s / rtt_s
    }

    /// Section 3.6: towards the lowest of twice the receive rates, over one round-trip time.
    fn hear_in_slow_start(&mut self, now: Instant, feedback: &Feedback) {
        let consequence = judge_in_slow_start(self.state.limit(), feedback);
        self.state.limit_mut().follow(now, feedback, consequence);
        if consequence == Consequence::None {
            return;
        }
        // What was received was sent, so twice that is at most twice the rate, unless the receiver lies.
        let mut target_bps = self.bounded(feedback.rate_bps.min(2.0 * self.rate_bps));
        let mut length_s = feedback.rtt_s;
        let step_bps = self.packet_bits() / self.rounds.max_rtt_s();
        if target_bps >= self.rate_bps && target_bps - self.rate_bps < step_bps {
            target_bps = self.bounded(self.rate_bps + step_bps);
            length_s = self.rounds.max_rtt_s();
        }
        if let State::SlowStart { ramp, .. } = &mut self.state {
            *ramp = Some(Ramp { from_bps: self.rate_bps, to_bps: target_bps, start: now, length_s });
        }
    }

    /// The four cases of section 3.3.
    fn hear_in_steady_state(&mut self, now: Instant, feedback: &Feedback, adjusted_bps: f64) {
        let below_bps = self.limits_below_bps(feedback);
        let consequence = judge(self.state.limit(), below_bps, adjusted_bps, feedback);
        let (max_rtt_s, round_s) = (self.rounds.growth_rtt_s(), self.rounds.hold_s());
        let step_bps = self.packet_bits() / max_rtt_s * self.increase_factor;
        let gap_s = self.gap_s();
        let State::Steady { limit, increase } = &mut self.state else { return };
        let before = limit.clr().copied();
        limit.follow(now, feedback, consequence);
        if consequence == Consequence::Follow {
            self.predecessor = None;
        }
        if self.config.unanswered_clr == UnansweredClr::Predecessor
            && let (Limit::By(clr), Consequence::Select(_), Some(before)) = (limit, consequence, before)
        {
            if before.gap_before_selection_s.is_none() && !before.leaving {
                self.predecessor = Some(before);
            }
            clr.gap_before_selection_s = self.predecessor.is_some().then_some(gap_s);
        }
        if consequence == Consequence::Select(Growth::AfterARound) && adjusted_bps > self.rate_bps {
            increase.hold_until = now + Duration::from_secs_f64(round_s);
        }
        if consequence == Consequence::None {
            return;
        }
        let increment_bps = increase.grant(now, max_rtt_s, step_bps);
        let most_bps = match self.bound {
            Bound::None => f64::INFINITY,
            Bound::Growth(bps) => bps.max(self.rate_bps),
            Bound::Rate(bps) => bps,
        };
        self.set_rate(adjusted_bps.min(self.rate_bps + increment_bps).min(most_bps));
    }

    /// A report has come. If all were silent for longer than the reports of the one that limits take, it may have
    /// waited for the end of an outage, whether or not the rate was halved meanwhile.
    fn end_silence(&mut self, now: Instant) {
        let patience_s = self.patience.halving_s(self.rounds.growth_rtt_s(), self.gap_s());
        let long = self.clr().is_some() && now.since(self.heard_at).as_secs_f64() > patience_s;
        if long || matches!(self.silence, Silence::Lasts) {
            self.silence = Silence::Ended(now);
        }
        self.heard_at = now;
    }

    /// Section 3.3. True if the limiting receiver is given up.
    fn silence(&mut self, now: Instant) -> bool {
        let (gap_s, patience) = (self.gap_s(), self.patience);
        let quiet_s = now.since(self.heard_at).as_secs_f64();
        let all_silent = quiet_s > patience.halving_s(self.rounds.growth_rtt_s(), gap_s);
        let limit = self.state.limit_mut();
        match limit {
            Limit::By(clr) if clr.give_up_at(gap_s, &patience) <= now => {
                let unanswered = clr.gap_before_selection_s.is_some();
                let successor = match self.predecessor.take() {
                    Some(predecessor) if unanswered => Limit::By(predecessor.back(now)),
                    _ => {
                        if all_silent {
                            self.silence = Silence::Lasts;
                        }
                        Limit::Nobody { heard_at: now, successor: Growth::AfterARound }
                    }
                };
                *self.state.limit_mut() = successor;
                self.hold(now);
                return true;
            }
            // What is due is to be halved for it.
            Limit::By(clr) => clr.halved(now, gap_s),
            Limit::Nobody { heard_at, .. } => {
                *heard_at = now;
                self.silence = Silence::Lasts;
            }
        }
        self.counts.halvings += 1;
        let first_bps = self.packet_bits() / self.rounds.max_rtt_s();
        let has_floor = self.idle && self.config.idle_floor == IdleFloor::Initial;
        let least_bps = if has_floor { first_bps.min(self.rate_bps) } else { 0.0 };
        self.set_rate((0.5 * self.rate_bps).max(least_bps));
        self.hold(now);
        false
    }

    /// When silence has lasted too long: that of the limiting receiver, or of all if no receiver limits.
    fn silence_at(&self) -> Instant {
        let (gap_s, patience) = (self.gap_s(), &self.patience);
        match self.state.limit() {
            Limit::By(clr) => clr.halve_at(gap_s, patience).min(clr.give_up_at(gap_s, patience)),
            Limit::Nobody { heard_at, .. } => {
                *heard_at + Duration::from_secs_f64(patience.silence_s(self.rounds.max_rtt_s(), gap_s))
            }
        }
    }

    /// The round-trip time of a report as far as it counts, seconds. One beyond what R_max can express is none. With
    /// the rule "measured" one far above the receiver's own counts as twice that; and a packet that was sent before a
    /// silence ended may have waited for its end, and tells of it and not of the way.
    fn counted_rtt_s(&self, now: Instant, feedback: &Feedback) -> f64 {
        let rtt_s = legal_rtt_s(feedback.rtt_s);
        if self.config.max_rtt != MaxRttRule::Measured {
            return rtt_s;
        }
        let Feedback { used_rtt_s, have_rtt, .. } = *feedback;
        let own_s = if have_rtt { used_rtt_s } else { used_rtt_s.max(self.config.initial_max_rtt.as_secs_f64()) };
        let most_s = match self.silence {
            Silence::Ended(end) if Duration::from_secs_f64(rtt_s) >= now.since(end) => self.rounds.growth_rtt_s(),
            _ => f64::INFINITY,
        };
        // Of numbers and of none the number.
        legal_rtt_s(rtt_s.min(FAR_RTTS * own_s).min(most_s))
    }

    fn set_rate(&mut self, rate_bps: f64) {
        self.rate_bps = self.bounded(rate_bps);
        self.rounds.gap_changed(self.least_max_rtt_s());
    }

    /// R_max is not below the gap between packets (section 3.2), seconds.
    fn least_max_rtt_s(&self) -> f64 {
        self.gap_s() + self.config.granularity.as_secs_f64()
    }

    /// 8s.
    fn packet_bits(&self) -> f64 {
        8.0 * self.config.packet_size.0 as f64
    }

    fn bounded(&self, rate_bps: f64) -> f64 {
        rate_bps.min(self.ceiling_bps).max(self.floor_bps)
    }

    /// X is on its way to nowhere: it stays until somebody reports.
    fn hold(&mut self, now: Instant) {
        match &mut self.state {
            State::SlowStart { ramp, .. } => *ramp = None,
            State::Starting { limit, start } => start.hold(now, self.rate_bps, limit),
            State::Steady { .. } => {}
        }
    }
}

/// A round-trip time that R_max can express (section 2.2.1).
fn legal_rtt_s(rtt_s: f64) -> f64 {
    rtt_s.clamp(LEAST_RTT_S, GREATEST_MAX_RTT.as_secs_f64())
}

#[cfg(test)]
#[path = "rate_control_tests.rs"]
mod tests;
