//! What the calendar holds: times with what happens then.

use faircast_proto::time::{Duration, Instant};

/// A priority queue of [`Entry`]s.
pub trait Calendar {
    /// The calendar's name in configurations.
    const NAME: &'static str;

    /// An empty calendar. `horizon` is how far ahead most entries lie: the time that a packet spends on one link.
    fn new(horizon: Duration) -> Self;

    /// Adds an entry, which must not lie before the last one popped.
    fn schedule(&mut self, entry: Entry);

    /// From now on entries after `end` stay where they are.
    fn set_end(&mut self, end: Instant);

    /// Removes and returns the first entry if it is not after the [end](Self::set_end), and [`Entry::END`] otherwise:
    /// one number says what happens, the end included, and the loop asks once.
    fn take_next(&mut self) -> Entry;

    /// Removes and returns the first entry if it is not after the [end](Self::set_end).
    fn pop(&mut self) -> Option<Entry> {
        Some(self.take_next()).filter(|entry| entry.kind() != Kind::End)
    }

    /// Removes and returns the first entry if it is not after `end`, the end from now on.
    fn pop_until(&mut self, end: Instant) -> Option<Entry> {
        self.set_end(end);
        self.pop()
    }
}

/// What an entry is about. The order of the variants is the order of simultaneous events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// The network changes as planned; everything else of that moment finds it changed.
    Change = 0,
    /// A packet has left a transmitter (links in two stages only).
    Departure = 1,
    /// A packet has come to the far end of a link.
    Delivery = 2,
    /// A packet has come to the far ends of legs.
    Hearing = 3,
    /// An endpoint's deadline.
    Timer = 4,
    /// A probe looks; it sees the state after everything else that happens at that moment.
    Probe = 5,
    /// Nothing happens any more until the end; never in a calendar, see [`Entry::END`].
    End = 6,
}

/// Time, then kind and entity in one number: entries are in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    at: u64,
    key: u32,
}

impl Entry {
    const KIND_SHIFT: u32 = 29;

    /// What a calendar gives when nothing is left until its end.
    pub const END: Entry = Entry { at: u64::MAX, key: (Kind::End as u32) << Self::KIND_SHIFT };

    /// The entry for `entity` (below 2^29) at time `at`.
    #[inline]
    pub fn new(at: Instant, kind: Kind, entity: u32) -> Entry {
        debug_assert!(entity < 1 << Self::KIND_SHIFT);
        Entry::from_parts(at.0, (kind as u32) << Self::KIND_SHIFT | entity)
    }

    #[inline]
    pub(super) fn from_parts(at: u64, key: u32) -> Entry {
        Entry { at, key }
    }

    /// Kind and entity.
    #[inline]
    pub(super) fn key(self) -> u32 {
        self.key
    }

    /// When it happens.
    #[inline]
    pub fn at(self) -> Instant {
        Instant(self.at)
    }

    /// Whether it is of a kind.
    #[inline]
    pub fn is(self, kind: Kind) -> bool {
        self.key() >> Self::KIND_SHIFT == kind as u32
    }

    /// What happens.
    #[inline]
    pub fn kind(self) -> Kind {
        match self.key() >> Self::KIND_SHIFT {
            0 => Kind::Change,
            1 => Kind::Departure,
            2 => Kind::Delivery,
            3 => Kind::Hearing,
            4 => Kind::Timer,
            5 => Kind::Probe,
            _ => Kind::End,
        }
    }

    /// To whom it happens: a link, a circle of legs, an endpoint or a probe, by kind; 0 for changes.
    #[inline]
    pub fn entity(self) -> u32 {
        self.key() & ((1 << Self::KIND_SHIFT) - 1)
    }
}
