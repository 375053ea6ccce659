//! The ring in which a link keeps its packets, in the order of their departures.
//!
//! Three marks divide it: `head` (oldest packet), `cursor` (first packet that has not left the transmitter), `tail`.
//! `head..cursor` are on the wire, `cursor..tail` in the system: the first of them in transmission, the rest waiting.

use faircast_proto::packet::Packet;
use faircast_proto::time::Instant;

/// Packets with their departures; grows by doubling, never shrinks.
pub(crate) struct Ring {
    packets: Box<[Packet]>,
    departures: Box<[Departure]>,
    head: u32,
    cursor: u32,
    tail: u32,
    /// Bytes of the packets in the system.
    system_bytes: u64,
}

#[derive(Clone, Copy)]
struct Departure {
    at: Instant,
    size: u32,
}

impl Ring {
    pub(crate) fn new() -> Ring {
        Ring { packets: Box::default(), departures: Box::default(), head: 0, cursor: 0, tail: 0, system_bytes: 0 }
    }

    #[inline]
    pub(crate) fn push(&mut self, packet: &Packet, departure: Instant) {
        if self.len() as usize == self.packets.len() {
            self.grow(*packet);
        }
        let slot = self.slot(self.tail);
        self.packets[slot] = *packet;
        self.departures[slot] = Departure { at: departure, size: u32::from(packet.size) };
        self.tail = self.tail.wrapping_add(1);
        self.system_bytes += u64::from(packet.size);
    }

    /// Removes the oldest packet, which must exist, into `packet`.
    #[inline]
    pub(crate) fn pop(&mut self, packet: &mut Packet) {
        debug_assert!(self.head != self.cursor, "a packet is delivered after it has departed");
        *packet = self.packets[self.slot(self.head)];
        self.head = self.head.wrapping_add(1);
    }

    /// When the oldest packet leaves or left the transmitter.
    #[inline]
    pub(crate) fn oldest_departure(&self) -> Option<Instant> {
        (self.head != self.tail).then(|| self.departures[self.slot(self.head)].at)
    }

    /// Moves the cursor past the first packet in the system if it has left by `now`; says when, and its size.
    #[inline]
    pub(crate) fn pass_departed(&mut self, now: Instant) -> Option<(Instant, u32)> {
        if self.cursor == self.tail {
            return None;
        }
        let Departure { at, size } = self.departures[self.slot(self.cursor)];
        if at > now {
            return None;
        }
        self.cursor = self.cursor.wrapping_add(1);
        self.system_bytes -= u64::from(size);
        Some((at, size))
    }

    /// Whether no packet is known to be on the wire.
    #[inline]
    pub(crate) fn none_on_wire(&self) -> bool {
        self.head == self.cursor
    }

    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.tail.wrapping_sub(self.head)
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.head == self.tail
    }

    /// Packets in transmission and waiting.
    #[inline]
    pub(crate) fn in_system(&self) -> u32 {
        self.tail.wrapping_sub(self.cursor)
    }

    #[inline]
    pub(crate) fn all_departed(&self) -> bool {
        self.cursor == self.tail
    }

    /// Bytes waiting, without the packet in transmission.
    #[inline]
    pub(crate) fn waiting_bytes(&self) -> u64 {
        if self.all_departed() {
            0
        } else {
            self.system_bytes - u64::from(self.departures[self.slot(self.cursor)].size)
        }
    }

    #[inline]
    fn slot(&self, position: u32) -> usize {
        position as usize & self.packets.len().wrapping_sub(1)
    }

    #[cold]
    fn grow(&mut self, filler: Packet) {
        let old = self.packets.len();
        let new = (old * 2).max(4);
        let mut packets = vec![filler; new].into_boxed_slice();
        let mut departures = vec![Departure { at: Instant::ZERO, size: 0 }; new].into_boxed_slice();
        let mut position = self.head;
        while position != self.tail {
            let to = position as usize & (new - 1);
            let from = self.slot(position);
            packets[to] = self.packets[from];
            departures[to] = self.departures[from];
            position = position.wrapping_add(1);
        }
        self.packets = packets;
        self.departures = departures;
    }
}
