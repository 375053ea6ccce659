//! The ring in which a link keeps its packets, in the order of their departures.
//!
//! Three marks divide it: `head` (oldest packet), `cursor` (first packet that has not left the transmitter), `tail`.
//! `head..cursor` are on the wire, `cursor..tail` in the system: the first of them in transmission, the rest waiting.
//! Where nobody asks how many are in the system the cursor stays behind, and may be left behind by `head`: then it must
//! [catch up](Ring::catch_up) first.

use crate::store::Label;
use faircast_proto::time::Instant;

/// Packets with their departures; grows by doubling, never shrinks.
pub(crate) struct Ring {
    places: Box<[Slot]>,
    head: u32,
    cursor: u32,
    tail: u32,
    /// Bytes of the packets from the cursor on.
    system_bytes: u64,
}

/// A packet, when it leaves or left the transmitter, and when it comes to the far end.
#[derive(Clone, Copy)]
struct Slot {
    departure: Instant,
    delivery: Instant,
    label: Label,
}

impl Ring {
    /// The cursor may be behind by so many packets at most: it is a number that wraps around.
    pub(crate) const MOST_UNSETTLED: u32 = 1 << 30;

    pub(crate) fn new() -> Ring {
        Ring { places: Box::default(), head: 0, cursor: 0, tail: 0, system_bytes: 0 }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, label: Label, departure: Instant, delivery: Instant) {
        let place = Slot { departure, delivery, label };
        if self.len() as usize == self.places.len() {
            self.grow(place);
        }
        let slot = self.slot(self.tail);
        self.places[slot] = place;
        self.tail = self.tail.wrapping_add(1);
        self.system_bytes += u64::from(label.size());
    }

    /// Removes the oldest packet, which must exist and have departed by `now`.
    #[inline]
    pub(crate) fn pop(&mut self, now: Instant) -> Label {
        debug_assert!(!self.is_empty(), "only what is here can be delivered");
        let Slot { departure, label, .. } = self.places[self.slot(self.head)];
        debug_assert!(departure <= now, "a packet is delivered after it has departed");
        self.head = self.head.wrapping_add(1);
        label
    }

    /// How many packets have been removed although the cursor had not passed them.
    #[inline]
    pub(crate) fn behind(&self) -> u32 {
        // The cursor is ahead by the packets on the wire, or behind by `MOST_UNSETTLED` at most.
        (self.head.wrapping_sub(self.cursor) as i32).max(0) as u32
    }

    /// Lets the cursor pass what has been removed, `bytes` together.
    #[inline]
    pub(crate) fn catch_up(&mut self, bytes: u64) {
        debug_assert!(self.behind() > 0);
        self.cursor = self.head;
        self.system_bytes -= bytes;
    }

    /// When the oldest packet comes to the far end.
    #[inline]
    pub(crate) fn oldest_delivery(&self) -> Option<Instant> {
        (self.head != self.tail).then(|| self.places[self.slot(self.head)].delivery)
    }

    /// The packet that came last, which has departed, comes to the far end at `delivery`.
    pub(crate) fn deliver_newest(&mut self, delivery: Instant) {
        let slot = self.slot(self.tail.wrapping_sub(1));
        self.places[slot].delivery = delivery;
    }

    /// The packet that came last, which has not departed, does so at `departure`.
    pub(crate) fn set_newest_departure(&mut self, departure: Instant) {
        debug_assert!(self.cursor != self.tail, "it has not departed");
        let slot = self.slot(self.tail.wrapping_sub(1));
        self.places[slot].departure = departure;
    }

    /// The packet that came last has not survived its transmission.
    pub(crate) fn garble_newest(&mut self) {
        let slot = self.slot(self.tail.wrapping_sub(1));
        self.places[slot].label = self.places[slot].label.garbled();
    }

    /// The packet that came last, if there is one.
    pub(crate) fn newest(&self) -> Option<Label> {
        (self.head != self.tail).then(|| self.places[self.slot(self.tail.wrapping_sub(1))].label)
    }

    /// Removes the packet that came last, which the cursor has passed.
    pub(crate) fn remove_newest(&mut self) {
        debug_assert!(self.cursor == self.tail && !self.is_empty());
        self.tail = self.tail.wrapping_sub(1);
        self.cursor = self.tail;
    }

    /// Moves the cursor past the first packet in the system if it has left by `now`; says when.
    #[inline]
    pub(crate) fn pass_departed(&mut self, now: Instant) -> Option<(Instant, Label)> {
        if self.cursor == self.tail {
            return None;
        }
        let Slot { departure, label, .. } = self.places[self.slot(self.cursor)];
        if departure > now {
            return None;
        }
        self.cursor = self.cursor.wrapping_add(1);
        self.system_bytes -= u64::from(label.size());
        Some((departure, label))
    }

    /// Whether no packet is known to be on the wire.
    #[inline]
    pub(crate) fn none_on_wire(&self) -> bool {
        self.head.wrapping_sub(self.cursor) as i32 >= 0
    }

    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.tail.wrapping_sub(self.head)
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.head == self.tail
    }

    /// Packets in transmission and waiting, and those that have left and that the cursor has not passed.
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
            self.system_bytes - u64::from(self.places[self.slot(self.cursor)].label.size())
        }
    }

    #[inline]
    fn slot(&self, position: u32) -> usize {
        (position & (self.places.len() as u32).wrapping_sub(1)) as usize
    }

    #[cold]
    fn grow(&mut self, filler: Slot) {
        let new = (self.places.len() * 2).max(2);
        let mut places = vec![filler; new].into_boxed_slice();
        let mut position = self.head;
        while position != self.tail {
            places[position as usize & (new - 1)] = self.places[self.slot(position)];
            position = position.wrapping_add(1);
        }
        self.places = places;
    }
}
