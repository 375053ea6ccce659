//! The control of a layer by a window, as pgmcc has it ([Kwon] section V): T_i is a window per round-trip time.
//!
//! The receiver that limits the layer, LR_i, acknowledges every packet of the layers that it holds, and each ACK opens
//! the window W_i by its part of a packet per window. In the lowest layer a loss halves it; in those above LR_i itself
//! leaves at a loss. Who limits, and the feedback rounds in which others report, are as with TFMCC, whose rate follows
//! the window here.

use super::config::Windowed as Config;
use crate::packet::Address;
use crate::parts::rto::RttEstimator;
use crate::pgmcc::{Outstanding, TokenWindow};
use crate::tfmcc::{Feedback, Passed, RateControl, ReportOutcome};
use crate::time::{Duration, Instant};

/// T_i and what it follows from. The first part is TFMCC's; its X is always T_i.
#[derive(Clone, Debug)]
pub(super) struct WindowedControl {
    /// Who limits, R_max, the feedback rounds.
    rounds: RateControl,
    window: TokenWindow,
    /// Round trips of LR_i.
    rtt: RttEstimator,
    /// When LR_i was heard last.
    heard_at: Instant,
    /// When an election is over in which nobody has answered; `FAR_FUTURE` = with its feedback round, or there is none.
    election_ends: Instant,
    /// How long members wait in an election at most, if not as in any feedback round.
    backoff: Option<Duration>,
    /// Whether it has acknowledged anything: before it learns that it limits it does not.
    acknowledges: bool,
    /// For how long it may be silent until then.
    initial_rto: Duration,
    /// The packets of the lowest layer; none of the others, where losses are for LR_i to answer.
    packets: Option<Packets>,
    fresh_rtt: RttEstimator,
    packet_bits: f64,
    floor_bps: f64,
    bound_bps: f64,
}

/// Packets of the lowest layer and their losses.
#[derive(Clone, Debug, Default)]
struct Packets {
    outstanding: Outstanding,
    /// Losses of packets before this one belong to the last halving.
    ignore_until: u64,
}

/// What LR_i has acknowledged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acknowledgement {
    pub receiver: Address,
    /// The round trip that it ends, seconds.
    pub rtt_s: f64,
    /// The highest number of its highest layer that has come, and which of the latest 32 have, bit 0 the highest.
    pub highest: u32,
    pub bitmap: u32,
}

/// How many packets LR_i may be silent for at the least.
const PATIENCE_PKTS: f64 = 4.0;

impl WindowedControl {
    /// A control of the rate that `rounds` has within these bounds, bit/s. `lowest`: the layer is the lowest. `config`
    /// must be legal.
    pub(super) fn new(
        config: &Config,
        rounds: RateControl,
        packet_bits: f64,
        (floor_bps, bound_bps): (f64, f64),
        lowest: bool,
    ) -> Self {
        let fresh_rtt = RttEstimator::new(config.initial_rto, config.min_rto, Duration::from_secs(60), Duration::ZERO);
        WindowedControl {
            // T_i swings as a TCP's rate does: the next to limit must want clearly less. Others are silenced by what
            // was asked for all the same.
            rounds: rounds.with_bias(config.bias),
            window: TokenWindow::new(config.ssthresh.0),
            rtt: fresh_rtt.clone(),
            heard_at: Instant::ZERO,
            election_ends: Instant::FAR_FUTURE,
            backoff: config.backoff(),
            acknowledges: false,
            initial_rto: config.initial_rto,
            packets: lowest.then(Packets::default),
            fresh_rtt,
            packet_bits,
            floor_bps,
            bound_bps,
        }
    }

    /// Who limits, R_max, the feedback rounds; its X is T_i.
    pub(super) fn rounds(&self) -> &RateControl {
        &self.rounds
    }

    /// The rate control, for changes that touch neither X nor the limiting receiver.
    pub(super) fn rounds_mut(&mut self) -> &mut RateControl {
        &mut self.rounds
    }

    /// A report of a receiver whose highest layer is this and which stays there. `None` if it says nothing; else
    /// somebody limits.
    pub(super) fn hear(&mut self, now: Instant, feedback: &Feedback) -> Option<ReportOutcome> {
        let (before_bps, lead) = (self.rounds.rate_bps(), self.rounds.clr());
        let heard = self.rounds.hear(now, feedback)?;
        let lead_now = self.rounds.clr();
        if lead_now == Some(feedback.receiver) {
            self.heard_at = now;
        }
        self.election_ends = Instant::FAR_FUTURE;
        if lead_now != lead {
            // What it asks for, but no more than there is: what is beyond comes with its ACKs.
            let asked_bps = self.rounds.adjusted_bps(feedback).min(before_bps);
            self.acknowledges = false;
            self.rtt = self.fresh_rtt.clone();
            self.rtt.sample(Duration::from_secs_f64(feedback.rtt_s.clamp(LEAST_RTT_S, GREATEST_RTT_S)));
            self.set_window(asked_bps);
        }
        self.follow();
        Some(heard)
    }

    /// An ACK has come; of others than LR_i it is nothing. The number of the packet of which the loss has halved the
    /// window, if one has. Without `is_used` the application limits what is sent, and the window does not grow.
    pub(super) fn acknowledged(&mut self, now: Instant, ack: &Acknowledgement, is_used: bool) -> Option<u64> {
        if self.rounds.clr() != Some(ack.receiver) {
            return None;
        }
        self.heard_at = now;
        self.acknowledges = true;
        let mut halved = None;
        self.rtt.sample(Duration::from_secs_f64(ack.rtt_s.clamp(LEAST_RTT_S, GREATEST_RTT_S)));
        match &mut self.packets {
            None => self.window.grow(u64::from(is_used)),
            Some(packets) => {
                let next = packets.outstanding.next();
                let found = packets.outstanding.acknowledge(ack.receiver, ack.highest, ack.bitmap)?;
                halved = found.congestion.filter(|&number| number >= packets.ignore_until);
                if halved.is_some() {
                    self.window.halve();
                    packets.ignore_until = next;
                } else if found.lost == 0 && found.highest >= packets.ignore_until {
                    self.window.grow(if is_used { found.acknowledged } else { 0 });
                }
            }
        }
        self.follow();
        halved
    }

    /// The packet of the layer with this number has not been sent.
    pub(super) fn take_back(&mut self, on_wire: u32) {
        if let Some(packets) = &mut self.packets {
            packets.outstanding.take_back(on_wire);
        }
    }

    /// A packet of the layer is sent.
    pub(super) fn sent(&mut self) {
        if let Some(packets) = &mut self.packets {
            packets.outstanding.send(self.rounds.clr());
            if self.rounds.clr().is_none() {
                packets.outstanding.forget();
            }
        }
    }

    /// LR_i has left: the others are asked to report.
    pub(super) fn lead_left(&mut self, now: Instant) {
        let asks = self.rounds.limiting_left(now);
        if let (true, Some(backoff)) = (asks, self.backoff) {
            // The packet that asks may be a gap away.
            let answer_s = self.rounds.max_rtt_s() + self.rounds.gap_s();
            self.election_ends = now + backoff + Duration::from_secs_f64(answer_s);
        }
    }

    /// What is due by now. LR_i that has acknowledged nothing for its time-out has left.
    pub(super) fn pass(&mut self, now: Instant) -> Passed {
        let before_bps = self.rounds.rate_bps();
        let lead = self.rounds.clr();
        let mut passed = self.rounds.pass(now);
        if self.rounds.clr().is_some() && self.silent_at() <= now {
            self.lead_left(now);
            passed = Passed { ended_slow_start: false, given_up: true, restored: None, next_round: true };
        }
        if self.election_ends <= now {
            self.election_ends = Instant::FAR_FUTURE;
            self.rounds.next_round(now);
            passed.next_round = true;
        }
        if self.rounds.clr().is_some() && self.rounds.clr() == lead && self.rounds.rate_bps() < before_bps {
            // It was halved as LR_i does not report.
            self.set_window(self.rounds.rate_bps());
        }
        passed
    }

    /// By when to call [`pass`](Self::pass). It may be past.
    pub(super) fn deadline(&self) -> Instant {
        let silent_at = if self.rounds.clr().is_some() { self.silent_at() } else { Instant::FAR_FUTURE };
        self.rounds.deadline().min(silent_at).min(self.election_ends)
    }

    /// T_i, which nobody limits, is this from now on, within the bounds, bit/s.
    pub(super) fn jump(&mut self, rate_bps: f64) {
        debug_assert!(self.rounds.clr().is_none(), "the window of who limits says what T_i is");
        self.rounds.jump(rate_bps);
    }

    /// W_i, packets.
    pub(super) fn window(&self) -> f64 {
        self.window.packets()
    }

    /// Until when LR_i may be silent.
    fn silent_at(&self) -> Instant {
        let packets = Duration::from_secs_f64(PATIENCE_PKTS * self.packet_bits / self.rounds.rate_bps());
        let rto = if self.acknowledges { self.rtt.rto() } else { self.rtt.rto().max(self.initial_rto) };
        self.heard_at + rto.max(packets)
    }

    /// The round-trip time of LR_i, seconds.
    fn rtt_s(&self) -> f64 {
        self.rtt.srtt().map_or(GREATEST_RTT_S, Duration::as_secs_f64).max(LEAST_RTT_S)
    }

    /// W_i is what gives this rate.
    fn set_window(&mut self, rate_bps: f64) {
        self.window.set(rate_bps * self.rtt_s() / self.packet_bits);
    }

    /// T_i is what W_i gives, as somebody limits; W_i stays within what the layer may carry.
    fn follow(&mut self) {
        debug_assert!(self.rounds.clr().is_some(), "without anybody there is no window");
        let packets = |rate_bps: f64| rate_bps * self.rtt_s() / self.packet_bits;
        let bounded = self.window.packets().min(packets(self.bound_bps)).max(packets(self.floor_bps));
        if bounded != self.window.packets() {
            self.window.set(bounded);
        }
        self.rounds.jump(self.window.packets() * self.packet_bits / self.rtt_s());
    }
}

const LEAST_RTT_S: f64 = crate::parts::rtt::LEAST_RTT_S;
/// Round-trip times beyond this are none, as in TFMCC, seconds.
const GREATEST_RTT_S: f64 = 63.0;

#[cfg(test)]
#[path = "windowed_tests.rs"]
mod tests;
