//! What a queue discipline is: what it is asked, what it knows, what it says.

use faircast_proto::packet::{Ecn, Packet};
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant, Rate};

/// A queue discipline. It decides; the link holds the packets, and lets them out in the order of their arrival. One
/// that holds them itself is a [`Scheduler`](super::Scheduler).
pub trait Discipline {
    /// Whether the arriving packet enters, and with which mark.
    fn arrive(&mut self, packet: &Packet, at: &InterfaceView) -> Verdict;

    /// Up to how many packets in the system, waiting and in transmission, every packet is accepted unchanged without
    /// being asked for: the link need not look closely while it holds fewer. A discipline that keeps a state says 0.
    fn sure_room_pkts(&self) -> u32 {
        0
    }

    /// The average queue that decisions rest on, in packets, if there is one.
    fn average_pkts(&self) -> Option<f64> {
        None
    }
}

impl<D: Discipline + ?Sized> Discipline for Box<D> {
    fn arrive(&mut self, packet: &Packet, at: &InterfaceView) -> Verdict {
        (**self).arrive(packet, at)
    }

    fn sure_room_pkts(&self) -> u32 {
        (**self).sure_room_pkts()
    }

    fn average_pkts(&self) -> Option<f64> {
        (**self).average_pkts()
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
    /// The link is down. No discipline says so: those of such links are not asked.
    Down,
}

impl InterfaceView {
    /// Nothing in transmission and nothing waiting: an arriving packet goes straight on the wire.
    #[inline]
    pub fn is_idle(&self) -> bool {
        !self.transmitting && self.waiting_pkts == 0
    }
}

/// What a discipline may know of the link it is built for.
#[derive(Clone, Debug)]
pub struct LinkContext {
    /// The link's rate.
    pub rate: Rate,
    /// The link's propagation delay.
    pub delay: Duration,
    /// Size of the data packets that flows send over it, bytes: the default of `mean_pktsize`.
    pub mean_packet_bytes: u32,
    /// The stream that the discipline draws from.
    pub random: Random,
}
