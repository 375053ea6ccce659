//! Packets in a row that say nothing new, counted instead of taken one by one.
//!
//! In a large session nearly every packet is for nearly every receiver the next one, of the same size, round and R_max
//! as the one before, and changes nothing but counts. While that goes on a receiver touches a cache line instead of
//! all that it knows, and catches up when something else happens or somebody asks. What it knows then is to the last
//! bit what it would know if it had taken each packet by itself.

use super::header::{DataHeader, Echo};
use crate::packet::{Address, Ecn, Packet};
use crate::time::Instant;

/// The packets of a streak, and what the next one must be to belong to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Streak {
    /// From here on nothing belongs to it.
    until: Instant,
    /// The sender's stamp on the last packet.
    sent: Instant,
    /// Number of the next packet.
    next: u32,
    count: u32,
    max_rtt_us: u32,
    scale: f32,
    /// X of the last packet, bit/s: it may change.
    rate_bps: f32,
    size: u16,
    round: u8,
    /// A feedback timer is set: a packet with a suppression rate might cancel it.
    is_timed: bool,
}

/// What a streak adds to what a receiver knows.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// How many packets.
    pub count: u32,
    /// When the last came.
    pub last_at: Instant,
    /// The sender's stamp on it.
    pub sent: Instant,
    /// X in it, bit/s.
    pub rate_bps: f32,
}

/// What a streak begins with, beside the packet before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// Before this moment packets like the last one change nothing but counts.
    pub(super) until: Instant,
    /// The number of the next packet.
    pub(super) next: u32,
    /// The feedback round of the receiver.
    pub(super) round: u8,
    /// Whether its feedback timer is set.
    pub(super) is_timed: bool,
}

impl Streak {
    /// None: the next packet does not belong to it.
    pub(super) const NONE: Streak = Streak {
        until: Instant::ZERO,
        sent: Instant::ZERO,
        next: 0,
        count: 0,
        max_rtt_us: 0,
        scale: 1.0,
        rate_bps: 0.0,
        size: 0,
        round: 0,
        is_timed: false,
    };

    /// One that may begin behind `packet`, which is not in it.
    pub(super) fn behind(packet: &Packet, data: &DataHeader, scale: f32, terms: Terms) -> Streak {
        let Terms { until, next, round, is_timed } = terms;
        let DataHeader { max_rtt_us, rate_bps, .. } = *data;
        let (sent, size) = (packet.sent, packet.size);
        Streak { until, sent, next, count: 0, max_rtt_us, scale, rate_bps, size, round, is_timed }
    }

    /// Takes a packet in that has come to `own`, if it belongs to the streak. `sender` sent the others.
    #[inline(always)]
    pub(super) fn takes(
        &mut self,
        now: Instant,
        packet: &Packet,
        data: &DataHeader,
        scale: f32,
        (own, sender): (Address, Address),
    ) -> bool {
        let is_plain = now < self.until
            && data.sequence == self.next
            && packet.size == self.size
            && data.round == self.round
            && data.max_rtt_us == self.max_rtt_us
            && scale == self.scale
            && packet.source == sender
            && packet.ecn <= Ecn::Capable
            && data.echo.is_none_or(|Echo { receiver, .. }| receiver != own)
            && !data.starting
            && !(self.is_timed && data.suppression_bps.is_finite());
        if is_plain {
            self.next = self.next.wrapping_add(1);
            self.count += 1;
            self.sent = packet.sent;
            self.rate_bps = data.rate_bps;
        }
        is_plain
    }

    /// How many packets belong to it.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Their bytes.
    pub(super) fn bytes(&self) -> u64 {
        u64::from(self.count) * u64::from(self.size)
    }

    /// What it adds, the last packet having come at `last_at`.
    pub(super) fn stretch(&self, last_at: Instant) -> Stretch {
        Stretch { count: self.count, last_at, sent: self.sent, rate_bps: self.rate_bps }
    }
}
