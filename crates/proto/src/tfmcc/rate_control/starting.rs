//! A rate control in a [start](super::super::start) of its own.

use super::super::clr::{Consequence, Growth, judge_in_slow_start};
use super::super::data_limit::Bound;
use super::super::feedback::Feedback;
use super::super::start::{ROUND_RTTS, Step};
use super::state::{Increase, State};
use super::{RateControl, Start};
use crate::time::Instant;

impl RateControl {
    /// Whether a start goes on in which receivers look for queues, and answer sooner.
    pub fn is_starting(&self) -> bool {
        matches!(self.state, State::Starting { .. })
    }

    /// Whether receivers that suffer are to say so at once, as they are few and all have been asked.
    pub fn hears_each(&self) -> bool {
        self.start().is_some_and(Start::is_of_few)
    }

    /// Whether no report is to suppress others, since all are asked.
    pub(super) fn waits_for_each(&self) -> bool {
        self.start().is_some_and(Start::is_asking)
    }

    /// The session begins, or goes on after it was stopped in its start.
    pub(super) fn ask(&mut self, now: Instant) {
        let rtts = ROUND_RTTS.min(self.config.round_rtts);
        self.rounds.set_length(rtts);
        let max_rtt_s = self.rounds.max_rtt_s();
        if let State::Starting { start, .. } = &mut self.state {
            start.ask(now, max_rtt_s);
        }
    }

    /// A feedback round begins: if nobody has answered, all are asked again.
    pub(super) fn ask_again(&mut self, now: Instant) {
        let max_rtt_s = self.rounds.max_rtt_s();
        if let State::Starting { start, .. } = &mut self.state
            && start.is_unanswered()
        {
            start.ask(now, max_rtt_s);
        }
    }

    /// A report in a start. Whether it has ended it.
    pub(super) fn hear_in_start(&mut self, now: Instant, feedback: &Feedback) -> bool {
        let max_rtt_s = self.rounds.max_rtt_s();
        let most_bps = match self.bound {
            Bound::None => f64::INFINITY,
            Bound::Growth(bps) | Bound::Rate(bps) => bps,
        };
        let rates_bps = (self.rate_bps, most_bps);
        let State::Starting { limit, start } = &mut self.state else { return false };
        let selects = start.selects(feedback, self.rate_bps);
        let drains = limit.clr().is_some_and(|clr| !clr.leaving && start.drains(clr.receiver));
        let consequence = match judge_in_slow_start(limit, feedback) {
            Consequence::None if selects => Consequence::Select(Growth::Now),
            // It would report no longer, and nobody would know when its queue is empty.
            Consequence::Select(_) if drains && !selects => Consequence::None,
            consequence => consequence,
        };
        limit.follow(now, feedback, consequence);
        let limits = limit.clr().is_some_and(|clr| clr.receiver == feedback.receiver);
        let step = start.hear(now, feedback, limits, rates_bps, max_rtt_s);
        self.take(now, step)
    }

    /// What is due in a start by now. Whether that has ended it.
    pub(super) fn pass_start(&mut self, now: Instant) -> bool {
        let (rate_bps, max_rtt_s) = (self.rate_bps, self.rounds.max_rtt_s());
        let State::Starting { start, .. } = &mut self.state else { return false };
        let step = start.pass(now, rate_bps, max_rtt_s);
        self.take(now, step)
    }

    /// By when to call [`pass_start`](Self::pass_start).
    pub(super) fn start_deadline(&self) -> Instant {
        self.start().map_or(Instant::FAR_FUTURE, Start::deadline)
    }

    /// Until when the round does not end, as answers to it are waited for.
    pub(super) fn asked_until(&self) -> Instant {
        self.start().filter(|start| start.is_asking() && !start.is_unanswered()).map_or(Instant::ZERO, Start::deadline)
    }

    /// Slow start is over: with the rate as it was before a queue was drained, and by growth as fast as the receivers'
    /// round-trip times allow, if all are known.
    pub(super) fn end_slow_start(&mut self, now: Instant) {
        if let Some(rtt_s) = self.start().and_then(Start::longest_rtt_s) {
            self.rounds.restart_growth(rtt_s);
        }
        if self.is_starting() {
            self.rounds.set_length(self.config.round_rtts);
        }
        self.state = State::Steady { limit: *self.state.limit(), increase: Increase::new(now) };
    }

    fn take(&mut self, now: Instant, step: Step) -> bool {
        match step {
            Step::None => {}
            Step::Rate(rate_bps) => self.set_rate(rate_bps),
            Step::Delayed(rate_bps) => {
                self.set_rate(rate_bps);
                self.next_round(now);
                self.rounds.suppress(rate_bps);
            }
            Step::Over(rate_bps) => {
                self.end_slow_start(now);
                self.set_rate(rate_bps);
            }
        }
        matches!(step, Step::Over(_))
    }

    fn start(&self) -> Option<&Start> {
        match &self.state {
            State::Starting { start, .. } => Some(start.as_ref()),
            _ => None,
        }
    }
}
