//! The TCP throughput equation as rate rule: what TFMCC would send to this receiver (RFC 5348, RFC 4654).
//!
//! The loss event rate is that of all layers together: each is a sequence space of one loss history. What a link has
//! lost, as far as that is told from congestion, is no loss there: the history does not see these packets at all.

use super::layer_packets::Standing;
use crate::parts::loss_detection::LossDetection;
use crate::parts::loss_history::{Arrival, LossHistory, Packet, Space};
use crate::parts::receive_rate::ReceiveRate;
use crate::parts::throughput_equation::throughput_bps;
use crate::time::Instant;
use std::collections::VecDeque;

/// The rule of one receiver.
#[derive(Clone, Debug)]
pub struct EquationRule {
    packet_bytes: f64,
    history: LossHistory,
    /// By layer.
    layers: Vec<Seen>,
    received: ReceiveRate,
}

/// What the history sees of a layer.
#[derive(Clone, Debug, Default)]
struct Seen {
    detection: LossDetection,
    /// The last runs of packets that it does not see, rising: number of the first, and how many.
    skipped: VecDeque<(u64, u64)>,
    /// How many it does not see in all.
    unseen: u64,
}

/// Runs that are remembered; packets from before the oldest are not looked at.
const RUNS: usize = 32;
/// The rate of arrivals is over so many round-trip times, as in TFMCC.
const RECEIVE_RATE_RTTS: f64 = 4.0;
/// The least general discount factor (RFC 4654 section 5.5).
const DISCOUNT_THRESHOLD: f64 = 0.5;
/// What the interval before the first loss event is at least, packets.
const LEAST_SEED: f64 = 1.0;

impl EquationRule {
    /// Of a receiver of so many layers of packets of this size.
    pub fn new(packet_bytes: f64, layers: usize) -> EquationRule {
        EquationRule {
            packet_bytes,
            history: LossHistory::new(DISCOUNT_THRESHOLD),
            layers: vec![Seen::default(); layers],
            received: ReceiveRate::default(),
        }
    }

    /// A packet of a layer has come: its count and where it stands among those of the layer. `by_link` are the missing
    /// packets before it that count as errors of links, as runs of a first and a number, rising; for a late one there
    /// is one if it had counted so. True if it shows a new loss event.
    pub fn arrive(
        &mut self,
        (now, rtt_s): (Instant, f64),
        layer: usize,
        (count, standing, marked): (u64, &Standing, bool),
        by_link: &[(u64, u64)],
    ) -> bool {
        let seen = &mut self.layers[layer];
        match standing {
            Standing::Old => return false,
            Standing::Late if !by_link.is_empty() => return false,
            Standing::First => *seen = Seen::default(),
            Standing::Behind(_) => by_link.iter().for_each(|&run| seen.skip(run)),
            Standing::Next | Standing::Late => {}
        }
        let Some(sequence) = seen.number(count) else { return false };
        let received = &self.received;
        // RFC 4654 section 5.6: l_0 = (X_recv·R / (sqrt(3/2)·8s))², with the rate of the last round-trip time.
        let seed = || {
            let packets_per_rtt = received.packets_per_s(now, rtt_s) * rtt_s;
            (packets_per_rtt * packets_per_rtt / 1.5).max(LEAST_SEED)
        };
        let packet = Packet { sequence, marked, now, rtt_s, event_s: rtt_s };
        let arrival = self.history.arrive(Space(layer as u16), &mut seen.detection, packet, None, seed);
        if arrival != Arrival::Duplicate {
            self.received.arrive(now, RECEIVE_RATE_RTTS * rtt_s);
        }
        arrival == Arrival::LossEvent
    }

    /// The first round-trip time has been measured.
    pub fn measured(&mut self, rtt_s: f64) {
        self.history.measured(rtt_s, rtt_s, LEAST_SEED);
    }

    /// The receiver has left a layer.
    pub fn leave(&mut self, layer: usize) {
        self.history.leave(Space(layer as u16));
        self.layers[layer] = Seen::default();
    }

    /// p, the loss event rate over all layers; 0 before the first loss event.
    pub fn loss_event_rate(&self) -> f64 {
        self.history.rate()
    }

    /// The share after an interval of `length_s` in which it was `rate_bps` and `received_bps` came, without the bounds
    /// that it is held within: by the equation, up by no more than a packet per round-trip time in each of them, as
    /// TFMCC's sender (RFC 4654 section 3.3); before the first loss event twice what came, as in its slow start.
    pub fn next_bps(&self, rate_bps: f64, received_bps: f64, length_s: f64, rtt_s: f64) -> f64 {
        let loss_event_rate = self.loss_event_rate();
        if loss_event_rate == 0.0 {
            return rate_bps.max(2.0 * received_bps);
        }
        let increase_bps = 8.0 * self.packet_bytes * length_s / (rtt_s * rtt_s);
        throughput_bps(self.packet_bytes, rtt_s, loss_event_rate).min(rate_bps + increase_bps)
    }
}

impl Seen {
    /// These packets are not seen.
    fn skip(&mut self, run: (u64, u64)) {
        if self.skipped.len() == RUNS {
            self.skipped.pop_front();
        }
        self.skipped.push_back(run);
        self.unseen += run.1;
    }

    /// The number that the packet of this count has among those that are seen.
    fn number(&self, count: u64) -> Option<u64> {
        let later = self.skipped.iter().rev().take_while(|&&(first, _)| first > count);
        let (runs, unseen) = later.fold((0, 0), |(runs, sum), &(_, missing)| (runs + 1, sum + missing));
        // With as many behind it as are remembered there may be more.
        if runs == RUNS { None } else { count.checked_sub(self.unseen - unseen) }
    }
}

#[cfg(test)]
#[path = "equation_tests.rs"]
mod tests;
