//! A terminal of a return channel: its slots, and how packets fill them.

use super::grid::Grid;
use crate::ids::LinkId;
use faircast_proto::random::Random;
use faircast_proto::time::Instant;
use std::ops::Range;

/// What a terminal of a return channel has done since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlotCounters {
    /// Slots that it has asked for; of a rate those of each superframe in which it holds.
    pub asked: u64,
    /// Slots that were its own, up to the end of the present superframe.
    pub assigned: u64,
    /// Slots in which it has begun to send.
    pub used: u64,
    /// Slots of volume that were its own, up to the end of the present superframe.
    pub volume: u64,
    /// Slots of volume that it was waiting for when a superframe had begun, superframe by superframe. By `volume` this
    /// is how many superframes each of them came after it had been asked for.
    pub awaited: u64,
    /// Bytes that it has sent in them, with those of the link layer.
    pub bytes: u64,
    /// Bytes of these slots that stayed empty, of those that are over.
    pub padding: u64,
    /// Packets that have met others, each time that they were sent.
    pub collided: u64,
}

/// A terminal of a return channel.
pub(super) struct Terminal {
    pub(super) link: LinkId,
    /// The channel on which it sends.
    pub(super) channel: u32,
    /// Its slots of the present superframe that it has not begun.
    own: Range<u64>,
    /// The slot that it began last, and the bytes that are left in it.
    slot: u64,
    left: u32,
    /// What the packet in transmission lacks, bytes.
    missing: u32,
    pub(super) counters: SlotCounters,
    /// Whether what it sends without asking has met something else.
    pub(super) is_hit: bool,
    /// Says how long it waits then.
    pub(super) random: Random,
}

/// When a terminal may send what waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Now.
    Now,
    /// When its next slot begins.
    At(Instant),
    /// It has no slot in this superframe any more.
    Later,
}

impl Terminal {
    pub(super) fn new(link: LinkId, channel: u32, random: Random) -> Terminal {
        let (counters, is_hit) = (SlotCounters::default(), false);
        Terminal { link, channel, own: 0..0, slot: 0, left: 0, missing: 0, counters, is_hit, random }
    }

    /// The slots of the superframe that begins are so many from this one on.
    pub(super) fn give(&mut self, first: u64, slots: u32) {
        // Its last slot is over, and what waited for the rest of it has begun.
        self.close();
        self.own = first..first + u64::from(slots);
        self.counters.assigned += u64::from(slots);
    }

    /// When it may send, if no packet is in transmission. `oldest` says since when packets wait.
    pub(super) fn turn(&mut self, grid: &Grid, now: Instant, oldest: impl FnOnce() -> Instant) -> Turn {
        debug_assert!(self.missing == 0, "nothing is in transmission");
        self.own.start = self.own.start.max(grid.next(now)).min(self.own.end);
        // What has come since the slot began stays in the queue until another one begins.
        if self.is_open(grid, now) && (self.begins(grid, now) || oldest() <= grid.start(self.slot)) {
            return Turn::Now;
        }
        match self.own.is_empty() {
            true => Turn::Later,
            false if self.begins(grid, now) => Turn::Now,
            false => Turn::At(grid.start(self.own.start)),
        }
    }

    /// A packet begins that has waited since then; when its last slot ends, if there are enough.
    pub(super) fn begin(&mut self, grid: &Grid, now: Instant, since: Instant, bytes: u32) -> Option<Instant> {
        if !self.is_open(grid, now) || since > grid.start(self.slot) {
            self.close();
            self.own.start = self.own.start.max(grid.next(now)).min(self.own.end);
        }
        self.missing = bytes;
        self.go_on(grid)
    }

    /// The packet in transmission goes on, if there is one; when its last slot ends, if there are enough.
    pub(super) fn go_on(&mut self, grid: &Grid) -> Option<Instant> {
        if self.missing == 0 {
            return None;
        }
        while self.missing > self.left {
            self.missing -= self.left;
            self.counters.bytes += u64::from(self.left);
            self.left = 0;
            self.slot = self.own.next()?;
            self.left = grid.payload;
            self.counters.used += 1;
        }
        self.counters.bytes += u64::from(self.missing);
        self.left -= self.missing;
        self.missing = 0;
        Some(grid.start(self.slot + 1))
    }

    /// Whether it has slots in the present superframe that it has not begun.
    pub(super) fn has_slots(&self) -> bool {
        !self.own.is_empty()
    }

    /// What the packet in transmission lacks, bytes.
    pub(super) fn missing(&self) -> u32 {
        self.missing
    }

    /// Nothing more comes into the slot that it began last.
    fn close(&mut self) {
        self.counters.padding += u64::from(std::mem::take(&mut self.left));
    }

    /// Whether the next of its slots begins now.
    fn begins(&self, grid: &Grid, now: Instant) -> bool {
        !self.own.is_empty() && grid.start(self.own.start) == now
    }

    /// Whether something is left in the slot that ends now.
    fn is_open(&self, grid: &Grid, now: Instant) -> bool {
        self.left > 0 && grid.start(self.slot + 1) == now
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::time::Duration;

    /// Slots of a microsecond and 100 bytes.
    const GRID: Grid = Grid { superframe: Duration(10_000), slots: 10, payload: 100 };

    fn us(micros: u64) -> Instant {
        Instant(micros * 1000)
    }

    #[test]
    fn packets_share_slots_and_go_on_in_later_ones() {
        let none = SlotCounters::default();
        let mut terminal = Terminal::new(LinkId(0), 0, Random::stream(1, "test"));
        // Its turn, of what waits since `oldest`.
        let turn = |terminal: &mut Terminal, now, oldest| terminal.turn(&GRID, now, || oldest);
        assert_eq!(turn(&mut terminal, us(0), us(0)), Turn::Later);
        terminal.give(2, 4);
        assert_eq!(turn(&mut terminal, us(1), us(1)), Turn::At(us(2)));
        assert_eq!(turn(&mut terminal, us(2), us(1)), Turn::Now);
        // 150 bytes: the slot from 2 and half of that from 3 us.
        assert_eq!(terminal.begin(&GRID, us(2), us(1), 150), Some(us(4)));
        assert_eq!(turn(&mut terminal, us(4), us(3)), Turn::Now);
        // Waits since the slot began: takes 40 of the 50 bytes.
        assert_eq!(terminal.begin(&GRID, us(4), us(3), 40), Some(us(4)));
        // Came later than that: the next slot, of which 70 bytes are left.
        assert_eq!(terminal.begin(&GRID, us(4), Instant(3001), 30), Some(us(5)));
        assert_eq!(turn(&mut terminal, us(5), us(4)), Turn::Now);
        // 70 and 100 bytes of two slots, the rest in the next superframe.
        assert_eq!(terminal.begin(&GRID, us(5), us(4), 271), None);
        assert_eq!(terminal.missing(), 101);
        assert_eq!(terminal.counters, SlotCounters { assigned: 4, used: 4, bytes: 390, padding: 10, ..none });
        terminal.give(15, 1);
        assert_eq!((terminal.go_on(&GRID), terminal.missing()), (None, 1));
        terminal.give(29, 1);
        assert_eq!((terminal.go_on(&GRID), terminal.missing()), (Some(us(30)), 0));
        assert_eq!(terminal.counters, SlotCounters { assigned: 6, used: 6, bytes: 491, padding: 10, ..none });
        // What has waited since it began is for the rest of a slot that ends, what has come since is not.
        assert_eq!(turn(&mut terminal, us(30), us(29)), Turn::Now);
        assert_eq!(turn(&mut terminal, us(30), Instant(29_001)), Turn::Later);
        // What is left of a slot that has ended is nobody's, and so are slots that have begun.
        assert_eq!(turn(&mut terminal, Instant(30_001), us(29)), Turn::Later);
        terminal.give(30, 3);
        assert_eq!(terminal.counters, SlotCounters { assigned: 9, used: 6, bytes: 491, padding: 109, ..none });
        assert_eq!(turn(&mut terminal, Instant(30_001), us(29)), Turn::At(us(31)));
        assert_eq!(turn(&mut terminal, Instant(32_001), us(29)), Turn::Later);
        assert_eq!(terminal.go_on(&GRID), None);
    }

    #[test]
    fn what_comes_too_late_for_a_slot_waits_for_the_next_of_its_own() {
        let mut terminal = Terminal::new(LinkId(0), 0, Random::stream(1, "test"));
        terminal.give(2, 2);
        assert_eq!(terminal.begin(&GRID, us(2), us(2), 60), Some(us(3)));
        // The next one begins now, whenever it has come.
        assert_eq!(terminal.turn(&GRID, us(3), || unreachable!("nobody need look")), Turn::Now);
        assert_eq!(terminal.begin(&GRID, us(3), Instant(2001), 60), Some(us(4)));
        assert_eq!(terminal.turn(&GRID, us(4), || Instant(3001)), Turn::Later);
        terminal.give(17, 1);
        assert_eq!(terminal.turn(&GRID, us(10), || Instant(3001)), Turn::At(us(17)));
        assert_eq!(terminal.counters.padding, 80);
    }
}
