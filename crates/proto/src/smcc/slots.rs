//! The slots of the source as a member sees them, from the numbers on the packets that come.

use crate::time::{Duration, Instant};

/// How many slots a number may be away from where it is expected.
const MAX_DROPOUT: i64 = 64;
/// For how long the view holds what the fastest packets said: the clocks of two hosts drift apart by some parts in
/// 10^4, which makes 1.6 ms in this.
const WINDOW: Duration = Duration::from_secs(8);
/// The count of the first slot, so that those before it have counts, too.
const START: u64 = 1 << 32;

/// A member's view of the slots of the finest set: which is the last that it has seen, and when each begins as it sees
/// it, that is, when the first packet sent in it would come on the fastest way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots {
    period: Duration,
    /// The last that has been seen, as a count that does not wrap; 0 = none yet.
    last: u64,
    /// When a packet came last.
    last_at: Instant,
    /// A number that was not believed, else that of the last.
    suspect: u32,
    /// A slot, and when it would have begun if the packet that came first had been its first.
    base: (u64, Instant),
    /// By how much the fastest packet of the present window was behind that, and of the one before, nanoseconds.
    least: [i64; 2],
    window_ends: Instant,
}

/// What the number on a packet says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// It is of the last slot or of one before it, which is this.
    Old(u64),
    /// It is of a slot after the last, which is this.
    New(u64),
    /// Slots are numbered anew from this one on: what was planned by the old numbers is void.
    Anew(u64),
    /// It is too far from the others to be believed.
    Wild,
}

impl Slots {
    /// Slots of this length, of which none has been seen.
    pub(super) fn new(period: Duration) -> Slots {
        let never = Instant::ZERO;
        Slots { period, last: 0, last_at: never, suspect: 0, base: (0, never), least: [0; 2], window_ends: never }
    }

    /// The last slot that has been seen; none before the first packet.
    pub(super) fn last(&self) -> Option<u64> {
        (self.last > 0).then_some(self.last)
    }

    /// The count of the slot with this number on a packet that comes at `now`; none if it is too far from where it is
    /// expected, and before the first packet.
    pub(super) fn count_of(&self, now: Instant, number: u32) -> Option<u64> {
        let last = self.last()?;
        Some(last.wrapping_add_signed(self.ahead(now, number)?))
    }

    /// By how many slots the number is ahead of the last, if it is where it is expected.
    #[inline]
    fn ahead(&self, now: Instant, number: u32) -> Option<i64> {
        // Serial arithmetic: ahead is what is less than half the number space ahead.
        let ahead = i64::from(number.wrapping_sub(self.last as u32) as i32);
        let passed = (now.since(self.last_at).0 / self.period.0) as i64;
        (-MAX_DROPOUT..=passed.saturating_add(MAX_DROPOUT)).contains(&ahead).then_some(ahead)
    }

    /// A packet has come with this number. One that is far from where it is expected is believed when the next is near
    /// it.
    #[inline]
    pub(super) fn see(&mut self, now: Instant, number: u32) -> Seen {
        if self.last == 0 {
            self.begin(now, START | u64::from(number));
            return Seen::Anew(self.last);
        }
        let Some(ahead) = self.ahead(now, number) else {
            let near = (-MAX_DROPOUT..=MAX_DROPOUT).contains(&i64::from(number.wrapping_sub(self.suspect) as i32));
            let was_suspected = self.suspect != self.last as u32;
            self.suspect = number;
            if !(near && was_suspected) {
                return Seen::Wild;
            }
            self.begin(now, START | u64::from(number));
            return Seen::Anew(self.last);
        };
        self.last_at = now;
        let slot = self.last.wrapping_add_signed(ahead);
        self.time(now, slot);
        let seen = if ahead > 0 { Seen::New(slot) } else { Seen::Old(slot) };
        self.last = self.last.max(slot);
        self.suspect = self.last as u32;
        seen
    }

    /// When a slot begins in the view. A slot must have been seen.
    pub(super) fn start_of(&self, slot: u64) -> Instant {
        let behind = self.least[0].min(self.least[1]);
        Instant(u64::try_from(self.nominal(slot) + i128::from(behind)).unwrap_or(0))
    }

    /// The first slot that begins at this moment or later in the view. A slot must have been seen.
    pub(super) fn first_from(&self, at: Instant) -> u64 {
        let behind = i128::from(self.least[0].min(self.least[1]));
        let since_base = i128::from(at.0) - i128::from(self.base.1.0) - behind;
        let slots = since_base.div_euclid(i128::from(self.period.0));
        let slots = if since_base.rem_euclid(i128::from(self.period.0)) == 0 { slots } else { slots + 1 };
        self.base.0.saturating_add_signed(i64::try_from(slots).unwrap_or(i64::MAX / 2))
    }

    fn begin(&mut self, now: Instant, slot: u64) {
        *self = Slots {
            last: slot,
            last_at: now,
            suspect: slot as u32,
            base: (slot, now),
            window_ends: now + WINDOW,
            ..Slots::new(self.period)
        };
    }

    /// Start of a slot if those before had been as the first packet said, nanoseconds.
    fn nominal(&self, slot: u64) -> i128 {
        let (base, at) = self.base;
        i128::from(at.0) + (i128::from(slot) - i128::from(base)) * i128::from(self.period.0)
    }

    #[inline]
    fn time(&mut self, now: Instant, slot: u64) {
        let behind = i64::try_from(i128::from(now.0) - self.nominal(slot)).unwrap_or(i64::MAX);
        if now >= self.window_ends {
            self.least = [i64::MAX, self.least[0]];
            self.window_ends = now + WINDOW;
        }
        self.least[0] = self.least[0].min(behind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn at(ms: u64) -> Instant {
        Instant(ms * MS)
    }

    /// Slots of 10 ms, the first of which begins at 1000 ms in the view.
    fn seen(packets: &[(u64, u32)]) -> (Slots, Vec<Seen>) {
        let mut slots = Slots::new(Duration::from_millis(10));
        let seen = packets.iter().map(|&(ms, number)| slots.see(at(ms), number)).collect();
        (slots, seen)
    }

    #[test]
    fn slots_begin_when_their_fastest_packets_say() {
        // Packets 7, 3, 9 and 5 ms after the start of their slots: the second is the fastest.
        let (slots, _) = seen(&[(1007, 0), (1013, 1), (1029, 2), (1035, 3)]);
        let first = slots.last().expect("it has seen some") - 3;
        assert_eq!([0, 1, 3, 200].map(|n| slots.start_of(first + n)), [1003, 1013, 1033, 3003].map(at));
        assert_eq!([1003, 1004, 1013].map(|ms| slots.first_from(at(ms)) - first), [0, 1, 1]);
        assert_eq!(first - slots.first_from(at(991)), 1, "before the first");
        // A faster way is taken up at once, a slower one when the fast packets are out of the windows: 8 s and 16 s.
        let mut slots = slots;
        slots.see(at(1041), 4);
        assert_eq!(slots.start_of(first), at(1001));
        for n in 5..2400 {
            slots.see(at(1008 + 10 * u64::from(n)), n);
            let ms = slots.start_of(first).0 / MS;
            assert!(ms == if n < 1600 { 1001 } else { 1008 } || (800..1610).contains(&n), "{n}: {ms}");
        }
    }

    #[test]
    fn numbers_wrap_and_slots_do_not() {
        let (slots, seen) = seen(&[(1000, u32::MAX - 1), (1010, u32::MAX), (1025, 1), (1026, u32::MAX), (1027, 0)]);
        let last = slots.last().expect("it has seen some");
        let expected =
            [Seen::Anew(last - 3), Seen::New(last - 2), Seen::New(last), Seen::Old(last - 2), Seen::Old(last - 1)];
        assert_eq!(seen, expected);
        assert_eq!((last as u32, slots.start_of(last)), (1, at(1025)));
    }

    #[test]
    fn wild_numbers_are_not_believed_alone() {
        let (slots, seen) =
            seen(&[(1000, 100), (1001, 9000), (1010, 101), (1011, 3_000_000_000), (1012, 7), (1021, 102)]);
        let last = slots.last().expect("it has seen some");
        assert_eq!(
            seen,
            [Seen::Anew(last - 2), Seen::Wild, Seen::New(last - 1), Seen::Wild, Seen::Wild, Seen::New(last)]
        );
        assert_eq!(slots.start_of(last), at(1020));
        // Two that agree are.
        let (mut slots, seen) = self::seen(&[(1000, 100), (1010, 50_000), (1020, 50_001)]);
        assert!(matches!(seen[..], [Seen::Anew(_), Seen::Wild, Seen::Anew(_)]), "{seen:?}");
        assert_eq!(slots.start_of(slots.last().expect("it has seen some")), at(1020));
        // Nothing came for 2 s: 200 slots are where it is expected.
        assert!(matches!(slots.see(at(3020), 50_201), Seen::New(_)));
    }
}
