//! The ring in which a link keeps its packets, in the order of their departures.
//!
//! Three marks divide it: `head` (oldest packet), `cursor` (first packet that has not left the transmitter), `tail`.
//! `head..cursor` are on the wire, `cursor..tail` in the system: the first of them in transmission, the rest waiting.

use crate::store::Label;
use faircast_proto::time::Instant;

/// Packets with their departures; grows by doubling, never shrinks.
pub(crate) struct Ring {
    places: Box<[Place]>,
    head: u32,
    cursor: u32,
    tail: u32,
    /// Bytes of the packets in the system.
    system_bytes: u64,
}

/// A packet and when it leaves or left the transmitter.
#[derive(Clone, Copy)]
struct Place {
    departure: Instant,
    label: Label,
}

impl Ring {
    pub(crate) fn new() -> Ring {
        Ring { places: Box::default(), head: 0, cursor: 0, tail: 0, system_bytes: 0 }
    }

    #[inline]
    pub(crate) fn push(&mut self, label: Label, departure: Instant) {
        let place = Place { departure, label };
        if self.len() as usize == self.places.len() {
            self.grow(place);
        }
        let slot = self.slot(self.tail);
        self.places[slot] = place;
        self.tail = self.tail.wrapping_add(1);
        self.system_bytes += u64::from(label.size);
    }

    /// Removes the oldest packet, which must exist.
    #[inline]
    pub(crate) fn pop(&mut self) -> Label {
        debug_assert!(self.head != self.cursor, "a packet is delivered after it has departed");
        let label = self.places[self.slot(self.head)].label;
        self.head = self.head.wrapping_add(1);
        label
    }

    /// When the oldest packet leaves or left the transmitter.
    #[inline]
    pub(crate) fn oldest_departure(&self) -> Option<Instant> {
        (self.head != self.tail).then(|| self.places[self.slot(self.head)].departure)
    }

    /// Moves the cursor past the first packet in the system if it has left by `now`; says when, and its size.
    #[inline]
    pub(crate) fn pass_departed(&mut self, now: Instant) -> Option<(Instant, u16)> {
        if self.cursor == self.tail {
            return None;
        }
        let Place { departure, label: Label { size, .. } } = self.places[self.slot(self.cursor)];
        if departure > now {
            return None;
        }
        self.cursor = self.cursor.wrapping_add(1);
        self.system_bytes -= u64::from(size);
        Some((departure, size))
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

    /// Bytes of the packets in transmission and waiting.
    #[inline]
    pub(crate) fn system_bytes(&self) -> u64 {
        self.system_bytes
    }

    /// Bytes waiting, without the packet in transmission.
    #[inline]
    pub(crate) fn waiting_bytes(&self) -> u64 {
        if self.all_departed() {
            0
        } else {
            self.system_bytes - u64::from(self.places[self.slot(self.cursor)].label.size)
        }
    }

    #[inline]
    fn slot(&self, position: u32) -> usize {
        position as usize & self.places.len().wrapping_sub(1)
    }

    #[cold]
    fn grow(&mut self, filler: Place) {
        let new = (self.places.len() * 2).max(4);
        let mut places = vec![filler; new].into_boxed_slice();
        let mut position = self.head;
        while position != self.tail {
            places[position as usize & (new - 1)] = self.places[self.slot(position)];
            position = position.wrapping_add(1);
        }
        self.places = places;
    }
}
