//! A hash of everything that happens in a run, to compare runs that must be equal: two calendars, two link modes,
//! repeated runs.

use crate::ids::LinkId;
use faircast_proto::packet::Packet;
use faircast_proto::time::Instant;

/// A running hash of what happened, in order.
#[derive(Clone, Debug)]
pub struct Trace {
    hash: u64,
    records: u64,
}

/// What can happen to a packet on a link, as the trace records it.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub enum Happening {
    /// It entered the queue unchanged.
    Accepted = 1,
    /// It entered the queue marked.
    Marked = 2,
    /// The queue dropped it.
    Dropped = 3,
    /// It came to the far end.
    Delivered = 4,
    /// The loss model took one.
    Lost = 5,
    /// It waited and took another way.
    Rerouted = 6,
    /// It waited and was removed.
    Discarded = 7,
    /// It left the transmitter, and nobody was there.
    Unreceived = 8,
}

impl Trace {
    /// The trace of nothing.
    pub fn new() -> Trace {
        Trace { hash: 0xcbf2_9ce4_8422_2325, records: 0 }
    }

    pub(crate) fn record(&mut self, at: Instant, link: LinkId, what: Happening, packet: Option<&Packet>) {
        self.records += 1;
        self.mix(at.0);
        self.mix(u64::from(link.0) << 8 | what as u64);
        if let Some(packet) = packet {
            self.mix(u64::from(packet.flow.0) << 32 | u64::from(packet.size) << 8 | packet.ecn as u64);
            self.mix(u64::from(packet.source.to_bits()) << 32 | u64::from(packet.destination.to_bits()));
            self.mix(packet.header.digest());
        }
    }

    fn mix(&mut self, value: u64) {
        self.hash = (self.hash ^ value).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    }

    /// The hash and the number of records behind it.
    pub fn digest(&self) -> (u64, u64) {
        (self.hash, self.records)
    }
}

impl Default for Trace {
    fn default() -> Trace {
        Trace::new()
    }
}
