//! Queue disciplines: what an output interface does with a packet that arrives.
//!
//! Adding one is one file beside this one and one line in `queues!`.

use faircast_proto::packet::{Ecn, Packet};
use faircast_proto::time::{Instant, Rate};

/// A queue discipline. It decides; the link holds the packets.
pub trait Discipline {
    /// Whether the arriving packet enters, and with which mark.
    fn arrive(&mut self, packet: &Packet, at: &InterfaceView) -> Verdict;

    /// Whether a packet whose turn it is may still leave. Asked only if [`decides_at_departure`](Self::decides_at_departure).
    fn depart(&mut self, _packet: &Packet, _at: &InterfaceView) -> Verdict {
        Verdict::Accept
    }

    /// Whether `depart` must be asked; such a queue cannot run on a fused link.
    fn decides_at_departure(&self) -> bool {
        false
    }

    /// The average queue that decisions rest on, in packets, if there is one.
    fn average_pkts(&self) -> Option<f64> {
        None
    }
}

/// What a real router knows of its own interface, when a packet arrives (the packet itself not counted).
#[derive(Clone, Copy, Debug)]
pub struct InterfaceView {
    /// The present moment.
    pub now: Instant,
    /// Packets waiting, without the one in transmission.
    pub waiting_pkts: u32,
    /// Bytes waiting, without the packet in transmission.
    pub waiting_bytes: u64,
    /// Whether a packet is in transmission.
    pub transmitting: bool,
    /// When the transmitter last finished a packet and found nothing waiting; means nothing while transmitting.
    pub idle_since: Instant,
    /// The link's rate.
    pub rate: Rate,
}

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It enters unchanged.
    Accept,
    /// It enters with its congestion bits raised to this level (never lowered).
    Mark(Ecn),
    /// It is dropped.
    Drop(DropReason),
}

/// Why a queue dropped a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// The limit was reached.
    Overflow,
    /// The discipline dropped it although there was room: a random early drop, or the average above its hard threshold.
    Active,
}
