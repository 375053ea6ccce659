//! A start of its own: round-trip times first, then a rate that doubles in each of them until a queue grows.
//!
//! RFC 4654 has one slow start (section 3.6), by which the rate follows what receivers say they got over the last k
//! round-trip times, and so grows by a fifth in each. Here it doubles as TCP's window does, and the end is found as
//! HyStart++ does (RFC 9406), by delay, at the receivers ([`DelayWatch`](crate::parts::delay_watch)). Its states:
//!
//! ```text
//! Asking ── all have answered, or many have ──▶ Doubling ── a receiver's packets are delayed ──▶ Checking
//!                                                   ▲                                            │    │
//!                                                   └── a round-trip time later no longer so ────┘    │ yet more so
//!                                                                                                     │ or a loss
//!                              Steady ◀── the queue is empty ── Draining ◀── a loss ── Doubling       │
//!                                                                  ▲                                  │
//!                                                                  └──────────────────────────────────┘
//! ```
//!
//! Where packets are lost without a queue, as on a lossy way, Draining is over at once, and so it is if it is not known
//! how far away a receiver was before, as with all but the first of many. A loss while all are asked leads to Steady
//! when they have answered.

use super::clr::Limit;
use super::feedback::Feedback;
use crate::packet::Address;
use crate::parts::delay_watch::threshold_s;
use crate::time::{Duration, Instant};

/// The start of a rate control: how far it is, and what it has learned of round-trip times.
#[derive(Clone, Debug)]
pub(super) struct Start {
    phase: Phase,
    /// Who has answered, and the least round-trip time that its reports have shown, seconds; [`FEW`] at most.
    heard: Vec<(Address, f64)>,
    /// The longest round-trip time that reports have shown before any queue was ours, seconds.
    longest_s: f64,
    /// 8s.
    packet_bits: f64,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Few packets ask all receivers for a report.
    Asking {
        /// When all have answered that got the first packet.
        until: Instant,
        /// Whether somebody has lost a packet: the rate does not double after that.
        lost: bool,
    },
    /// The rate doubles in each period.
    Doubling {
        from_bps: f64,
        since: Instant,
        /// The limiting receiver has to report by then for it to go on.
        until: Instant,
        period_s: f64,
    },
    /// Packets of this receiver have been delayed, and no more is sent than it got, to see whether they go on to be.
    Checking {
        receiver: Address,
        since: Instant,
        /// The rate until then.
        before_bps: f64,
    },
    /// They did, or packets of this receiver were lost: half of what it got is sent until the queue is empty.
    Draining {
        receiver: Address,
        /// What it got.
        got_bps: f64,
        /// What it asks for by the equation, if it has lost packets; infinite if not.
        asked_bps: f64,
        until: Instant,
    },
}

/// What a report has done to a start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    /// Nothing but what it says about who limits.
    None,
    /// The rate is this now, bit/s.
    Rate(f64),
    /// The same, and a feedback round begins, in which none that asks for as much reports.
    Delayed(f64),
    /// Slow start is over, the rate is this.
    Over(f64),
}

/// Length of a feedback round in R_max during the start, at least if somebody has answered. A choice: half of what RFC
/// 4654 section 3.4 has. With one receiver the first report comes after 2.7 R_max in the mean; of 10 000 as far away as
/// R_max, 10 000^(1/3) = 22 report where one would do.
pub(super) const ROUND_RTTS: f64 = 3.0;
/// With as many answers the receivers are many: no more are asked, and the rate doubles per R_max, since only random
/// timers may speak for those that suffer. With fewer each of them does at once, and the rate doubles in the longest of
/// their round-trip times. A choice.
pub(super) const FEW: usize = 8;
/// Packets in the first round-trip time that is known: TCP's initial window (RFC 6928 section 2).
const INITIAL_WINDOW: f64 = 10.0;
/// For how many round-trip times a queue is drained at most; a choice. Between the alarm and the lower rate a queue of
/// one and a half round-trip times comes about, and half of the rate takes three to empty it.
const DRAIN_RTTS: f64 = 4.0;
/// What of the rate that a receiver gets is sent while a queue is drained; a choice.
const DRAIN: f64 = 0.5;

impl Start {
    pub(super) fn new(packet_bits: f64) -> Start {
        let phase = Phase::Asking { until: Instant::FAR_FUTURE, lost: false };
        Start { phase, heard: Vec::new(), longest_s: 0.0, packet_bits }
    }

    /// The first packet, or the first of another round in which all are asked since nobody has answered, goes at `now`.
    pub(super) fn ask(&mut self, now: Instant, max_rtt_s: f64) {
        // The last timer, and the way back.
        let until = now + Duration::from_secs_f64((ROUND_RTTS + 1.0) * max_rtt_s);
        self.phase = Phase::Asking { until, lost: false };
    }

    /// Whether all receivers are asked.
    pub(super) fn is_asking(&self) -> bool {
        matches!(self.phase, Phase::Asking { .. })
    }

    /// Whether it was nobody yet.
    pub(super) fn is_unanswered(&self) -> bool {
        self.is_asking() && self.heard.is_empty()
    }

    /// Whether those who have answered are all that there are, and few: each may speak for itself at once.
    pub(super) fn is_of_few(&self) -> bool {
        !self.is_asking() && self.heard.len() < FEW
    }

    /// What a round-trip time is until a queue of ours grows, if those of all receivers are known, seconds.
    pub(super) fn longest_rtt_s(&self) -> Option<f64> {
        self.is_of_few().then_some(self.longest_s)
    }

    /// The rate at `now`, bit/s, if it changes by itself.
    pub(super) fn rate_bps(&self, now: Instant) -> Option<f64> {
        let Phase::Doubling { from_bps, since, until, period_s } = self.phase else { return None };
        let periods = now.min(until).since(since).as_secs_f64() / period_s;
        Some(from_bps * libm::exp2(periods))
    }

    /// Whether this report makes its receiver the limiting one, though what the limiting one says it got is less: it
    /// suffers, and the rate was `rate_bps`.
    pub(super) fn selects(&self, feedback: &Feedback, rate_bps: f64) -> bool {
        let suffers = match self.phase {
            Phase::Asking { .. } => false,
            Phase::Doubling { .. } => feedback.delayed || (feedback.have_loss && feedback.rate_bps < rate_bps),
            Phase::Checking { .. } | Phase::Draining { .. } => feedback.have_loss && feedback.rate_bps < rate_bps,
        };
        suffers && !feedback.leave
    }

    /// Whether it is the queue of this receiver that is drained.
    pub(super) fn drains(&self, receiver: Address) -> bool {
        matches!(self.phase, Phase::Draining { receiver: drained, .. } if drained == receiver)
    }

    /// A report has come, when the rate was `rate_bps`; its receiver is the limiting one, or not. No more than
    /// `most_bps` may come of it.
    pub(super) fn hear(
        &mut self,
        now: Instant,
        feedback: &Feedback,
        limits: bool,
        (rate_bps, most_bps): (f64, f64),
        max_rtt_s: f64,
    ) -> Step {
        if feedback.leave && !limits {
            return Step::None;
        }
        self.note(feedback);
        let &Feedback { receiver, rtt_s, delayed, .. } = feedback;
        let asked_bps = feedback.rate_bps.min(rate_bps);
        if let Phase::Asking { lost, .. } = &mut self.phase {
            *lost |= feedback.have_loss;
        }
        match self.phase {
            Phase::Asking { until, .. } if self.heard.len() >= FEW || now >= until => {
                self.asked(now, if feedback.have_loss { asked_bps } else { rate_bps }, max_rtt_s)
            }
            Phase::Asking { .. } if feedback.have_loss => Step::Rate(asked_bps),
            Phase::Asking { lost: true, .. } => Step::None,
            // Somebody is there: a window of the longest round-trip time that there may be.
            Phase::Asking { .. } => Step::Rate(rate_bps.max(INITIAL_WINDOW * self.packet_bits / max_rtt_s)),
            _ if feedback.have_loss => self.lost(now, feedback, rate_bps),
            Phase::Doubling { .. } if delayed => {
                self.phase = Phase::Checking { receiver, since: now, before_bps: rate_bps };
                Step::Delayed(asked_bps)
            }
            Phase::Doubling { .. } if limits => {
                let period_s = self.period_s(max_rtt_s);
                let until = if rate_bps < most_bps { now + Duration::from_secs_f64(period_s) } else { now };
                self.phase = Phase::Doubling { from_bps: rate_bps, since: now, until, period_s };
                Step::None
            }
            Phase::Checking { receiver: checked, before_bps, .. } if delayed && receiver == checked => {
                let got_bps = feedback.rate_bps.min(before_bps).max(rate_bps);
                let until = now + Duration::from_secs_f64(DRAIN_RTTS * rtt_s);
                self.phase = Phase::Draining { receiver, got_bps, asked_bps: f64::INFINITY, until };
                Step::Rate(DRAIN * got_bps)
            }
            Phase::Checking { .. } if delayed => Step::Rate(asked_bps),
            // What was sent since then has come, and all that was under way.
            Phase::Checking { receiver: checked, since, .. }
                if receiver == checked && now.since(since).as_secs_f64() >= rtt_s =>
            {
                self.double(now, rate_bps, max_rtt_s)
            }
            // One whose former round-trip time is not known waits.
            Phase::Draining { receiver: drained, got_bps, .. }
                if receiver == drained
                    && self.least_rtt_s(drained).is_some_and(|least_s| is_drained(feedback, least_s)) =>
            {
                Step::Over(got_bps)
            }
            Phase::Doubling { .. } | Phase::Checking { .. } | Phase::Draining { .. } => Step::None,
        }
    }

    /// A receiver has lost packets, and asks for what the equation gives. What it asks for when the queue is empty is
    /// the rate of the steady state, as far as it got that much: round-trip times of a full queue, which the start has
    /// made, would lower that rate, and raise the R_max by which it grows afterwards. 3 s and more went by from 8
    /// Mbit/s to nine tenths of 10 by a packet per 89 ms in each, where there are 40 without the queue.
    fn lost(&mut self, now: Instant, feedback: &Feedback, rate_bps: f64) -> Step {
        let &Feedback { receiver, rtt_s, rate_bps: asked_bps, .. } = feedback;
        let drain_end = now + Duration::from_secs_f64(DRAIN_RTTS * rtt_s);
        let (got_bps, until) = match self.phase {
            Phase::Draining { receiver: drained, got_bps, until, .. } if receiver == drained => (got_bps, until),
            // What is sent meanwhile it stands: it speaks again if it does not stand what comes then.
            Phase::Draining { .. } if asked_bps >= rate_bps => return Step::None,
            // The rate is what it got.
            Phase::Checking { receiver: checked, .. } if receiver == checked => (rate_bps, drain_end),
            _ => (asked_bps.min(rate_bps), drain_end),
        };
        // How far away others are than the first of many is not known.
        if self.least_rtt_s(receiver).is_none_or(|least_s| is_drained(feedback, least_s)) {
            return Step::Over(got_bps.min(asked_bps));
        }
        self.phase = Phase::Draining { receiver, got_bps, asked_bps, until };
        Step::Rate((DRAIN * got_bps).min(asked_bps))
    }

    /// What is due by now.
    pub(super) fn pass(&mut self, now: Instant, rate_bps: f64, max_rtt_s: f64) -> Step {
        match self.phase {
            _ if self.deadline() > now => Step::None,
            Phase::Asking { .. } => self.asked(now, rate_bps, max_rtt_s),
            Phase::Draining { got_bps, asked_bps, .. } => Step::Over(got_bps.min(asked_bps)),
            Phase::Doubling { .. } | Phase::Checking { .. } => Step::None,
        }
    }

    /// By when to call [`pass`](Self::pass).
    pub(super) fn deadline(&self) -> Instant {
        match self.phase {
            Phase::Asking { until, .. } if !self.heard.is_empty() => until,
            Phase::Draining { until, .. } => until,
            _ => Instant::FAR_FUTURE,
        }
    }

    /// From now on the rate stays until the limiting receiver reports: it was silent, has left, or the session is over.
    /// A check goes on with who limits then, as `limit` says.
    pub(super) fn hold(&mut self, now: Instant, rate_bps: f64, limit: &Limit) {
        let clr = limit.clr().map(|clr| clr.receiver);
        match self.phase {
            Phase::Checking { receiver, .. } if clr == Some(receiver) => {}
            Phase::Doubling { .. } | Phase::Checking { .. } => {
                let period_s = self.period_s(self.longest_s);
                self.phase = Phase::Doubling { from_bps: rate_bps, since: now, until: now, period_s };
            }
            Phase::Asking { .. } | Phase::Draining { .. } => {}
        }
    }

    /// Takes note of who reports, and from how far away.
    fn note(&mut self, feedback: &Feedback) {
        let &Feedback { receiver, rtt_s, delayed, have_loss, .. } = feedback;
        if let Some((_, least_s)) = self.heard.iter_mut().find(|(address, _)| *address == receiver) {
            *least_s = least_s.min(rtt_s);
        } else if self.is_asking() && self.heard.len() < FEW {
            self.heard.push((receiver, rtt_s));
        }
        let is_plain = match self.phase {
            Phase::Asking { .. } => true,
            Phase::Doubling { .. } => !delayed && !have_loss,
            Phase::Checking { .. } | Phase::Draining { .. } => false,
        };
        if is_plain {
            self.longest_s = self.longest_s.max(rtt_s);
        }
    }

    /// All have been asked: the rate doubles, or the start is over if somebody has lost a packet meanwhile. It ends
    /// then and not before, since who is how far away decides how fast the rate grows afterwards.
    fn asked(&mut self, now: Instant, rate_bps: f64, max_rtt_s: f64) -> Step {
        let lost = matches!(self.phase, Phase::Asking { lost: true, .. });
        let doubled = self.double(now, rate_bps, max_rtt_s);
        if lost { Step::Over(rate_bps) } else { doubled }
    }

    /// The rate doubles from now on, from a window at least.
    fn double(&mut self, now: Instant, rate_bps: f64, max_rtt_s: f64) -> Step {
        self.phase = Phase::Doubling { from_bps: rate_bps, since: now, until: now, period_s: 1.0 };
        let period_s = self.period_s(max_rtt_s);
        let from_bps = rate_bps.max(INITIAL_WINDOW * self.packet_bits / period_s);
        let until = now + Duration::from_secs_f64(period_s);
        self.phase = Phase::Doubling { from_bps, since: now, until, period_s };
        Step::Rate(from_bps)
    }

    /// The time in which the rate doubles, seconds.
    fn period_s(&self, max_rtt_s: f64) -> f64 {
        self.longest_rtt_s().unwrap_or(max_rtt_s.max(self.longest_s))
    }

    /// The least round-trip time of this receiver, seconds, if it is one of those that are remembered.
    fn least_rtt_s(&self, receiver: Address) -> Option<f64> {
        self.heard.iter().find(|(address, _)| *address == receiver).map(|&(_, least_s)| least_s)
    }
}

/// Whether the round-trip time of a report is as it was before the queue.
fn is_drained(feedback: &Feedback, least_s: f64) -> bool {
    feedback.rtt_s < least_s + threshold_s(least_s)
}

#[cfg(test)]
#[path = "start_tests.rs"]
mod tests;
