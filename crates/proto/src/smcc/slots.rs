//! The slots of the source as a member sees them, from the numbers of ticks on the packets that come.

use super::counting::Counting;
use crate::time::{Duration, Instant};

/// How many slots of the finest set a number may be away from where it is expected.
const MAX_DROPOUT: i64 = 64;
/// For how long the view holds what the fastest packets said: the clocks of two hosts drift apart by some parts in
/// 10^4, which makes 1.6 ms in this.
const WINDOW: Duration = Duration::from_secs(8);

/// A member's view of the ticks of which all slots consist: which is the last that it has seen, and when each begins as
/// it sees it, that is, when the first packet sent in it would come on the fastest way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots {
    /// How long a tick is.
    tick: Duration,
    /// How many have numbers of their own.
    numbers: i64,
    /// How many a number may be away from where it is expected.
    most_dropout: i64,
    /// The last that has been seen, as a count that goes on where numbers begin anew; 0 = none yet.
    last: u64,
    /// Its number.
    last_number: u32,
    /// When a packet came last.
    last_at: Instant,
    /// A number that was not believed, else that of the last.
    suspect: u32,
    /// A tick, and when it would have begun if the packet that came first had been its first.
    base: (u64, Instant),
    /// By how much the fastest packet of the present window was behind that, and of the one before, nanoseconds.
    least: [i64; 2],
    window_ends: Instant,
}

/// What the number on a packet says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// It is of the last tick or of one before it, which is this.
    Old(u64),
    /// It is of a tick after the last, which is this.
    New(u64),
    /// Ticks are numbered anew from this one on: what was planned by the old numbers is void.
    Anew(u64),
    /// It is too far from the others to be believed.
    Wild,
}

impl Slots {
    /// The slots of these counting layers, of which none has been seen.
    pub(super) fn new(counting: &Counting) -> Slots {
        let never = Instant::ZERO;
        Slots {
            tick: counting.tick(),
            numbers: counting.numbers() as i64,
            most_dropout: MAX_DROPOUT * counting.ticks(0) as i64,
            last: 0,
            last_number: 0,
            last_at: never,
            suspect: 0,
            base: (0, never),
            least: [0; 2],
            window_ends: never,
        }
    }

    /// The last tick that has been seen; none before the first packet.
    pub(super) fn last(&self) -> Option<u64> {
        (self.last > 0).then_some(self.last)
    }

    /// The count of the tick with this number on a packet that comes at `now`; none if it is too far from where it is
    /// expected, and before the first packet.
    pub(super) fn count_of(&self, now: Instant, number: u32) -> Option<u64> {
        let last = self.last()?;
        Some(last.wrapping_add_signed(self.ahead(now, number)?))
    }

    /// By how many ticks the number is ahead of the last, if it is where it is expected.
    #[inline]
    fn ahead(&self, now: Instant, number: u32) -> Option<i64> {
        let ahead = self.between(self.last_number, number);
        let passed = (now.since(self.last_at).0 / self.tick.0) as i64;
        (-self.most_dropout..=passed.saturating_add(self.most_dropout)).contains(&ahead).then_some(ahead)
    }

    /// By how many ticks a number is ahead of another by serial arithmetic: ahead is what is less than half of all
    /// numbers ahead.
    #[inline]
    fn between(&self, from: u32, to: u32) -> i64 {
        let ahead = i64::from(to) - i64::from(from);
        let half = self.numbers / 2;
        if ahead >= half {
            ahead - self.numbers
        } else if ahead < -half {
            ahead + self.numbers
        } else {
            ahead
        }
    }

    /// A packet has come with this number. One that is far from where it is expected is believed when the next is near
    /// it.
    #[inline]
    pub(super) fn see(&mut self, now: Instant, number: u32) -> Seen {
        if i64::from(number) >= self.numbers {
            return Seen::Wild;
        }
        if self.last == 0 {
            return self.begin(now, number);
        }
        let Some(ahead) = self.ahead(now, number) else {
            let near = (-self.most_dropout..=self.most_dropout).contains(&self.between(self.suspect, number));
            let was_suspected = self.suspect != self.last_number;
            self.suspect = number;
            return if near && was_suspected { self.begin(now, number) } else { Seen::Wild };
        };
        self.last_at = now;
        let tick = self.last.wrapping_add_signed(ahead);
        self.time(now, tick);
        let seen = if ahead > 0 { Seen::New(tick) } else { Seen::Old(tick) };
        if ahead > 0 {
            (self.last, self.last_number) = (tick, number);
        }
        self.suspect = self.last_number;
        seen
    }

    /// When a tick begins in the view. One must have been seen.
    pub(super) fn start_of(&self, tick: u64) -> Instant {
        let behind = self.least[0].min(self.least[1]);
        Instant(u64::try_from(self.nominal(tick) + i128::from(behind)).unwrap_or(0))
    }

    /// The first tick that begins at this moment or later in the view. One must have been seen.
    pub(super) fn first_from(&self, at: Instant) -> u64 {
        let behind = i128::from(self.least[0].min(self.least[1]));
        let since_base = i128::from(at.0) - i128::from(self.base.1.0) - behind;
        let ticks = since_base.div_euclid(i128::from(self.tick.0));
        let ticks = if since_base.rem_euclid(i128::from(self.tick.0)) == 0 { ticks } else { ticks + 1 };
        self.base.0.saturating_add_signed(i64::try_from(ticks).unwrap_or(i64::MAX / 2))
    }

    fn begin(&mut self, now: Instant, number: u32) -> Seen {
        // A turn is ahead, so that the ticks before it have counts, too.
        let tick = self.numbers as u64 + u64::from(number);
        (self.last, self.last_number, self.last_at, self.suspect) = (tick, number, now, number);
        (self.base, self.least, self.window_ends) = ((tick, now), [0; 2], now + WINDOW);
        Seen::Anew(tick)
    }

    /// Start of a tick if those before had been as the first packet said, nanoseconds.
    fn nominal(&self, tick: u64) -> i128 {
        let (base, at) = self.base;
        i128::from(at.0) + (i128::from(tick) - i128::from(base)) * i128::from(self.tick.0)
    }

    #[inline]
    fn time(&mut self, now: Instant, tick: u64) {
        let behind = i64::try_from(i128::from(now.0) - self.nominal(tick)).unwrap_or(i64::MAX);
        if now >= self.window_ends {
            self.least = [i64::MAX, self.least[0]];
            self.window_ends = now + WINDOW;
        }
        self.least[0] = self.least[0].min(behind);
    }
}

#[cfg(test)]
mod tests {
    use super::super::counting::Set;
    use super::*;

    const MS: u64 = 1_000_000;

    fn at(ms: u64) -> Instant {
        Instant(ms * MS)
    }

    fn ticks_of_10_ms() -> Counting {
        Counting::new(Duration::from_millis(10), &[Set { ticks: 1, layers: 3 }], 1)
    }

    /// Slots of 10 ms, the first of which begins at 1000 ms in the view.
    fn seen(packets: &[(u64, u32)]) -> (Slots, Vec<Seen>) {
        let mut slots = Slots::new(&ticks_of_10_ms());
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
    fn where_numbers_begin_anew_before_2_to_the_32_nothing_is_missed() {
        let counting =
            Counting::new(Duration::from_millis(10), &[Set { ticks: 5, layers: 3 }, Set { ticks: 7, layers: 3 }], 1);
        let numbers = counting.numbers() as u32;
        assert!(numbers < u32::MAX && numbers.is_multiple_of(35 << 16));
        let mut slots = Slots::new(&counting);
        // No number of this source, though it is the first.
        assert_eq!((slots.see(at(990), numbers), slots.last()), (Seen::Wild, None));
        let seen = [(1000, numbers - 2), (1021, 0), (1022, numbers - 1), (1032, 1)].map(|(ms, n)| slots.see(at(ms), n));
        let last = slots.last().expect("it has seen some");
        assert_eq!(seen, [Seen::Anew(last - 3), Seen::New(last - 1), Seen::Old(last - 2), Seen::New(last)]);
        // What it counts has the remainders of the numbers.
        assert_eq!((last % u64::from(numbers), slots.start_of(last)), (1, at(1030)));
        assert_eq!(slots.count_of(at(1033), numbers - 2), Some(last - 3));
        // 64 slots of the finest set are 320 ticks.
        assert_eq!([321, 322].map(|n| slots.count_of(at(1033), n)), [Some(last + 320), None]);
        assert_eq!([numbers - 319, numbers - 320].map(|n| slots.count_of(at(1033), n)), [Some(last - 320), None]);
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
