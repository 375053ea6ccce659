//! What a member measures of the packets that come to it, in all groups together.

use super::super::attempt::Attempt;
use super::super::show::JOIN_FAILED;
use super::{Phase, Receiver};
use crate::endpoint::{Cause, Event, Outbox};
use crate::packet::{Address, Packet};
use crate::parts::loss_history::Space;
use crate::parts::rtt::{LEAST_RTT_S, lag_s, stamp_us};
use crate::tfmcc::{LOSS_EVENT, Recorded, Taken};
use crate::time::{Duration, Instant};

/// One of the groups that it holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Held {
    /// This layer.
    Layer(usize),
    /// The counting layer of this rank in the attempt's replica.
    Counting(u8),
}

impl Receiver {
    /// A packet that arrived then says something of the round-trip time: it echoes the own stamp, or it does not. True
    /// if this is the first measurement.
    pub(super) fn measure_rtt(&mut self, now: Instant, arrived: Instant, own_stamp_us: Option<u32>) -> bool {
        let is_first = self.measurement.measure_rtt(arrived, own_stamp_us, self.is_lead());
        let sample_s = match own_stamp_us {
            Some(stamp) => Some(lag_s(stamp_us(arrived), stamp).max(LEAST_RTT_S)),
            // By the one-way delay of the packet, if that is computed with.
            None => self.measurement.measured_rtt_s(),
        };
        if let Some(sample_s) = sample_s {
            self.least_rtt.take(now, sample_s);
        }
        is_first
    }

    /// Adds a packet to what is measured. If packets were lost: why that is known.
    pub(super) fn record(
        &mut self,
        (now, arrived): (Instant, Instant),
        packet: &Packet,
        held: Held,
        taken: Taken,
        out: &mut Outbox,
    ) -> Option<Cause> {
        let name = self.name(held);
        let space = match held {
            Held::Layer(number) => &mut self.layers[number].space,
            Held::Counting(rank) => &mut self.climbed[usize::from(rank)].space,
        };
        if let Some(part) = &mut self.differentiation {
            part.took(arrived, stamp_us(packet.sent));
        }
        let differ = self.differentiation.as_deref_mut();
        let recorded = self.measurement.record(name, space, arrived, taken.sequence, packet.ecn, differ);
        if recorded != Recorded::Duplicate {
            self.distinct_bytes += u64::from(packet.size);
            self.distinct_pkts += 1;
        }
        self.found(now, recorded, out)
    }

    /// What came of a packet, or of none: the cause, if any was lost. A loss event is told, any loss ends an attempt.
    pub(super) fn found(&mut self, now: Instant, recorded: Recorded, out: &mut Outbox) -> Option<Cause> {
        let cause = match recorded {
            Recorded::Duplicate | Recorded::Packet => return None,
            Recorded::Loss(cause) => cause,
            Recorded::LossEvent(cause) => {
                let event = Event::change(LOSS_EVENT, f64::NAN, self.measurement.loss_event_rate(), cause);
                out.event(event.on(self.level as u8));
                cause
            }
        };
        if self.is_climbing() {
            self.counts.failed += 1;
            self.end_attempt(now, JOIN_FAILED, cause, out);
            self.hold_after_attempt(now);
        }
        Some(cause)
    }

    /// Section 4.4 of RFC 4654: a receiver that can stand less than one packet in 8 s for 120 s, and is sent more, has
    /// to leave.
    pub(super) fn watch_rate(&mut self, now: Instant) {
        let Phase::Member { leave_at } = &mut self.phase else { return };
        if self.level > 0 || !self.measurement.stands_too_little(self.rates_at) {
            *leave_at = Instant::FAR_FUTURE;
        } else if *leave_at == Instant::FAR_FUTURE {
            *leave_at = now + PATIENCE;
        }
    }

    /// By what the loss history knows a group: its number.
    pub(super) fn name(&self, held: Held) -> Space {
        let number = match held {
            Held::Layer(number) => number as u32,
            Held::Counting(rank) => self.attempt.as_ref().map_or(0, |attempt| self.number_of(attempt, rank)),
        };
        Space(number as u16)
    }

    /// Number of the group of the attempt's counting layer with this rank.
    pub(super) fn number_of(&self, attempt: &Attempt, rank: u8) -> u32 {
        self.bounds.count() as u32 + self.counting.group_of(attempt.layer(rank))
    }

    pub(super) fn address(&self, name: Space) -> Address {
        Address::group(self.group.index() as u32 + u32::from(name.0))
    }
}

/// How long a receiver may stand less than the least rate (RFC 4654 section 4.4).
const PATIENCE: Duration = Duration::from_secs(120);
