//! A timing wheel: time is cut into slots, each with an entry or a list of them, sorted when its turn comes. What lies
//! beyond one turn of the wheel waits in a heap.

use super::entry::{Calendar, Entry};
use super::heap::Heap;
use faircast_proto::time::{Duration, Instant};

/// Slots of the wheel. Two levels of 64-bit maps find the next occupied one. A choice: with twice as many, 512 KiB,
/// fewer share one and more miss the cache, which costs loads of many links 5 %; with half as many others lose 13 %.
const SLOTS: usize = 1 << 15;
const WORDS: usize = SLOTS / 64;
const GROUPS: usize = WORDS / 64;
/// How far an entry is moved among those of its slot: what comes further out of order waits in a heap, and more than so
/// many that were there before the slot's turn are sorted. A choice.
const FEW: usize = 64;

/// The wheel calendar.
#[derive(Debug)]
pub struct Wheel {
    /// Entries of slot `cursor` and of slots before it, the first one last.
    current: Vec<Entry>,
    /// By slot, modulo `SLOTS`: what there is in each of the slots `cursor + 1 .. cursor + SLOTS` that is occupied.
    slots: Box<[Slot; SLOTS]>,
    /// Bit s: slot s is occupied; and one level above, bit w: word w is not zero.
    occupied: Box<[u64; WORDS]>,
    /// A slot is `1 << shift` nanoseconds wide.
    shift: u32,
    /// The slot whose entries are in `current`, counted from time zero.
    cursor: u64,
    /// From this slot on it must be looked at the end and at what is beyond the wheel: see [`watch`](Self::watch).
    limit: u64,
    occupied_words: [u64; GROUPS],
    /// Those of `current` that would have had to be moved by more than [`FEW`] places; it is empty if `current` is.
    crowd: Heap,
    /// Entries of slots that have several, in the order in which they came.
    lists: Vec<Vec<Entry>>,
    /// Lists that no slot has.
    free: Vec<u32>,
    end: Instant,
    /// The first slot of which an entry waits in `far`.
    far_slot: u64,
    /// Entries beyond the wheel.
    far: Heap,
}

/// The entry of a slot that has one, in half of its size: many of them fit into a cache.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The last 32 bits of its time; those before them are the slot's.
    low: u32,
    /// Its key; of a slot that has several [`SEVERAL`] and the number of their list.
    key: u32,
}

/// Those keys say that a slot has several entries which no kind of entry has.
const SEVERAL: u32 = 7 << 29;

impl Calendar for Wheel {
    const NAME: &'static str = "wheel";

    fn new(horizon: Duration) -> Wheel {
        // Slots as narrow as will do, so that few entries share one; one turn holds one and a half horizons.
        let width = (horizon.0 + horizon.0 / 2) / SLOTS as u64;
        Wheel {
            current: Vec::with_capacity(64),
            slots: boxed(Slot { low: 0, key: 0 }),
            occupied: boxed(0),
            shift: (64 - width.leading_zeros()).clamp(6, 32),
            cursor: 0,
            limit: 0,
            occupied_words: [0; GROUPS],
            crowd: Heap::default(),
            lists: Vec::new(),
            free: Vec::new(),
            end: Instant::ZERO,
            far_slot: u64::MAX,
            far: Heap::default(),
        }
    }

    #[inline]
    fn schedule(&mut self, entry: Entry) {
        let slot = entry.at().0 >> self.shift;
        if slot.wrapping_sub(self.cursor + 1) < SLOTS as u64 - 1 {
            self.put(slot, entry);
        } else {
            self.schedule_elsewhere(slot, entry);
        }
    }

    fn set_end(&mut self, end: Instant) {
        self.end = end;
        self.watch();
    }

    #[inline]
    fn take_next(&mut self) -> Entry {
        if self.current.is_empty() {
            let slot = self.next_slot();
            if slot >= self.limit {
                return self.turn_carefully(slot);
            }
            let first = self.turn_to(slot);
            if first.key < SEVERAL {
                return first.entry(slot << self.shift);
            }
            self.open(first.key - SEVERAL);
        }
        self.take_current()
    }
}

impl Wheel {
    /// Says from which slot on [`pop`](Calendar::pop) must look closely: the one with the end in it, or the first one
    /// from which a turn reaches what is beyond the wheel.
    fn watch(&mut self) {
        self.limit = (self.end.0 >> self.shift).min(self.far_slot.saturating_sub(SLOTS as u64));
    }

    #[inline]
    fn put(&mut self, slot: u64, entry: Entry) {
        let at = slot as usize % SLOTS;
        let (word, bit) = (self.occupied[at / 64], 1 << (at % 64));
        if word & bit != 0 {
            return self.put_beside(slot, entry);
        }
        self.slots[at] = Slot { low: entry.at().0 as u32, key: entry.key() };
        if word == 0 {
            self.occupied_words[at / 64 / 64] |= 1 << (at / 64 % 64);
        }
        self.occupied[at / 64] = word | bit;
    }

    /// Into a slot that has an entry.
    #[inline(never)]
    fn put_beside(&mut self, slot: u64, entry: Entry) {
        let key = self.slots[slot as usize % SLOTS].key;
        match key >= SEVERAL {
            true => self.lists[(key - SEVERAL) as usize].push(entry),
            false => self.begin_list(slot, entry),
        }
    }

    /// The same if it has only one.
    #[inline(never)]
    fn begin_list(&mut self, slot: u64, entry: Entry) {
        let place = &mut self.slots[slot as usize % SLOTS];
        let before = place.entry(slot << self.shift);
        let list = self.free.pop().unwrap_or_else(|| {
            self.lists.push(Vec::new());
            self.lists.len() as u32 - 1
        });
        self.lists[list as usize].extend([before, entry]);
        place.key = SEVERAL + list;
    }

    /// Into the present slot, or beyond the wheel.
    #[cold]
    fn schedule_elsewhere(&mut self, slot: u64, entry: Entry) {
        if slot <= self.cursor {
            self.insert(entry);
        } else {
            self.far.schedule(entry);
            self.far_slot = self.far_slot.min(slot);
            self.watch();
        }
    }

    /// Among the entries of the present slot.
    #[inline]
    fn insert(&mut self, entry: Entry) {
        // Endpoints that start at one moment, for instance, of which there may be a hundred thousand.
        let reach = self.current.len().saturating_sub(FEW);
        if reach > 0 && self.current[reach - 1] < entry {
            return self.crowd.schedule(entry);
        }
        self.current.push(entry);
        self.sink(self.current.len() - 1);
    }

    /// Moves an entry of the present slot behind those that come after it.
    #[inline]
    fn sink(&mut self, mut at: usize) {
        while at > 0 && self.current[at - 1] < self.current[at] {
            self.current.swap(at - 1, at);
            at -= 1;
        }
    }

    /// Removes the first entry of the present slot, if it is not after the end.
    #[inline(always)]
    fn take_current(&mut self) -> Entry {
        let Some(&first) = self.current.last() else { return Entry::END };
        if !self.crowd.is_empty() {
            return self.take_of_crowd(first);
        }
        if first.at() > self.end {
            return Entry::END;
        }
        self.current.pop();
        first
    }

    /// The same if there is a crowd; `first` is the first entry apart from it.
    #[cold]
    fn take_of_crowd(&mut self, first: Entry) -> Entry {
        let of_crowd = self.crowd.peek().filter(|&of_crowd| of_crowd < first);
        let next = of_crowd.unwrap_or(first);
        if next.at() > self.end {
            return Entry::END;
        }
        if of_crowd.is_some() {
            self.crowd.take();
            return next;
        }
        self.current.pop();
        if self.current.is_empty() {
            self.current.extend(self.crowd.take());
        }
        next
    }

    /// The next slot after the cursor that holds an entry, on the wheel or beyond; `u64::MAX` if none does. All that is
    /// on the wheel comes before all that is beyond it.
    #[inline]
    fn next_slot(&self) -> u64 {
        let next = self.cursor + 1;
        let here = next as usize % SLOTS;
        let rest = self.occupied[here / 64] >> (here % 64);
        if rest != 0 {
            return next + u64::from(rest.trailing_zeros());
        }
        let word = self.occupied[(here / 64 + 1) % WORDS];
        if word != 0 {
            return (next | 63) + 1 + u64::from(word.trailing_zeros());
        }
        self.next_slot_after(next)
    }

    /// The same if neither the word of slot `next` nor the one after it has another.
    #[inline(never)]
    fn next_slot_after(&self, next: u64) -> u64 {
        let here = next as usize % SLOTS;
        match self.first_occupied_after(here / 64).or_else(|| self.first_occupied()) {
            Some(at) => next + ((at + SLOTS - here) % SLOTS) as u64,
            None => self.far_slot,
        }
    }

    /// The first occupied slot in a word after `word`.
    #[inline]
    fn first_occupied_after(&self, word: usize) -> Option<usize> {
        let next = word + 1;
        let mut group = next / 64;
        let mut words = self.occupied_words.get(group)? & (u64::MAX << (next % 64));
        while words == 0 {
            group += 1;
            words = *self.occupied_words.get(group)?;
        }
        Some(self.first_in_word(group * 64 + words.trailing_zeros() as usize))
    }

    fn first_occupied(&self) -> Option<usize> {
        let group = self.occupied_words.iter().position(|&words| words != 0)?;
        Some(self.first_in_word(group * 64 + self.occupied_words[group].trailing_zeros() as usize))
    }

    #[inline]
    fn first_in_word(&self, word: usize) -> usize {
        word * 64 + self.occupied[word % WORDS].trailing_zeros() as usize
    }

    /// Moves the cursor to an occupied slot of the wheel, which is empty then: what was in it.
    #[inline]
    fn turn_to(&mut self, slot: u64) -> Slot {
        self.cursor = slot;
        let at = slot as usize % SLOTS;
        let word = self.occupied[at / 64] & !(1 << (at % 64));
        self.occupied[at / 64] = word;
        if word == 0 {
            self.occupied_words[at / 64 / 64] &= !(1 << (at / 64 % 64));
        }
        self.slots[at]
    }

    /// Moves the cursor to a slot at the end or where the wheel reaches what was beyond it, if it is not after the end.
    #[cold]
    fn turn_carefully(&mut self, slot: u64) -> Entry {
        // Never turn past the end: entries may still be added up to it.
        if slot > self.end.0 >> self.shift {
            return Entry::END;
        }
        let at = slot as usize % SLOTS;
        if self.occupied[at / 64] & 1 << (at % 64) != 0 {
            let first = self.turn_to(slot);
            match first.key < SEVERAL {
                true => self.current.push(first.entry(slot << self.shift)),
                false => self.open(first.key - SEVERAL),
            }
        }
        self.cursor = slot;
        self.fetch_far();
        self.take_current()
    }

    /// Takes a list as the entries of the present slot, of which there are none yet. However many share a slot, each
    /// costs a logarithm at most, as in a heap; what was put in in order needs no sorting.
    fn open(&mut self, list: u32) {
        debug_assert!(self.current.is_empty());
        std::mem::swap(&mut self.current, &mut self.lists[list as usize]);
        self.free.push(list);
        let is_sorted = self.current.is_sorted();
        self.current.reverse();
        match is_sorted {
            true => {}
            false if self.current.len() > FEW => self.current.sort_unstable_by(|a, b| b.cmp(a)),
            false => (1..self.current.len()).for_each(|at| self.sink(at)),
        }
    }

    /// Takes onto the wheel what has come within one turn of the cursor.
    fn fetch_far(&mut self) {
        while self.far_slot < self.cursor + SLOTS as u64 {
            let entry = self.far.take().expect("far_slot names an entry");
            if self.far_slot <= self.cursor {
                self.insert(entry);
            } else {
                self.put(self.far_slot, entry);
            }
            self.far_slot = self.far.peek().map_or(u64::MAX, |entry| entry.at().0 >> self.shift);
        }
        self.watch();
    }
}

impl Slot {
    /// The entry that it holds, in the slot that begins at `begin`.
    #[inline]
    fn entry(self, begin: u64) -> Entry {
        Entry::from_parts(begin + u64::from(self.low.wrapping_sub(begin as u32)), self.key)
    }
}

/// An array on the heap, never on the stack.
fn boxed<T: Clone, const N: usize>(value: T) -> Box<[T; N]> {
    match vec![value; N].into_boxed_slice().try_into() {
        Ok(array) => array,
        Err(_) => unreachable!("the slice has the array's length"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::Kind;

    #[test]
    fn insertion_keeps_few_entries_in_order() {
        // Insertion into many would take quadratic time, whether they come before their slot's turn or in it.
        let mut wheel = Wheel::new(Duration::from_millis(1));
        let entry = |at: u64, entity: u32| Entry::new(Instant(at), Kind::Timer, entity);
        (0..100_000).for_each(|entity| wheel.schedule(entry(0, entity)));
        assert!(wheel.current.len() <= FEW + 1);
        (0..100_000).for_each(|entity| wheel.schedule(entry(500_000, entity)));
        (0..100_000).for_each(|entity| wheel.schedule(entry(1 << 40, entity)));
        for at in [0, 500_000, 1 << 40] {
            for entity in 0..100_000 {
                assert_eq!(wheel.pop_until(Instant::FAR_FUTURE), Some(entry(at, entity)));
            }
            assert!(wheel.crowd.is_empty());
        }
    }

    #[test]
    fn entries_that_share_a_slot_are_sorted_at_its_turn_whatever_their_order() {
        // Slots of some seconds; in the second one 100 000 entries, each way round, and all over the place.
        let orders: [fn(u64) -> u64; 3] = [|n| n, |n| 99_999 - n, |n| n * 61_803 % 100_000];
        for order in orders {
            let mut wheel = Wheel::new(Duration::from_secs(3_600_000));
            let entry = |n: u64| Entry::new(Instant((1 << wheel.shift) + n), Kind::Timer, n as u32);
            let entries: Vec<Entry> = (0..100_000).map(|n| entry(order(n))).collect();
            entries.into_iter().for_each(|entry| wheel.schedule(entry));
            let first = wheel.pop_until(Instant::FAR_FUTURE).expect("there are entries");
            assert!(wheel.crowd.is_empty());
            assert_eq!(wheel.current.len(), 99_999);
            assert!(first < wheel.current[99_998] && wheel.current.is_sorted_by(|a, b| a > b));
        }
    }

    /// A wheel for links of a millisecond, with slots of 64 ns, and an entry in one of its slots.
    fn wheel() -> Wheel {
        let wheel = Wheel::new(Duration::from_millis(1));
        assert_eq!(wheel.shift, 6);
        wheel
    }

    fn in_slot(slot: u64) -> Entry {
        Entry::new(Instant(slot << 6), Kind::Delivery, 0)
    }

    #[test]
    fn a_turn_holds_one_and_a_half_horizons_and_not_twice_as_much() {
        for step in 0..100 {
            let horizon = Duration(10_000_000 + step * step * 1_234_567);
            let turn = (SLOTS as u64) << Wheel::new(horizon).shift;
            let least = horizon.0 + horizon.0 / 2;
            assert!(turn > least && turn <= 2 * least, "{horizon}: {turn}");
        }
        // Slots of 64 ns to 4.3 s.
        for (horizon, shift) in [(0, 6), (1 << 62, 32)] {
            assert_eq!(Wheel::new(Duration(horizon)).shift, shift);
        }
    }

    #[test]
    fn the_next_slot_is_found_wherever_the_cursor_stands() {
        const TURN: u64 = SLOTS as u64;
        for here in [0, 1, 62, 63, 64, 4094, 4095, 4096, 20_000, TURN - 1, TURN, TURN + 1, 70_001] {
            for ahead in [1, 2, 63, 64, 65, 4095, 4096, 4097, 30_000, TURN - 2, TURN - 1, TURN, TURN + 1, 200_000] {
                let mut wheel = wheel();
                wheel.cursor = here;
                assert_eq!(wheel.next_slot(), u64::MAX);
                wheel.schedule(in_slot(here + ahead));
                assert_eq!(wheel.next_slot(), here + ahead, "{here} and {ahead}");
            }
        }
    }

    #[test]
    fn what_lies_a_turn_apart_is_told_apart() {
        let turn = SLOTS as u64;
        let slots = [3, turn - 2, turn - 1, turn, turn + 1, turn + 2, turn + 3, 2 * turn + 3];
        for first in 0..slots.len() {
            let mut wheel = wheel();
            (0..slots.len()).for_each(|at| wheel.schedule(in_slot(slots[(first + at) % slots.len()])));
            for slot in slots {
                assert_eq!(wheel.pop_until(Instant::FAR_FUTURE), Some(in_slot(slot)));
            }
        }
    }

    #[test]
    fn the_wheel_is_not_turned_past_the_end() {
        let mut wheel = wheel();
        wheel.schedule(in_slot(100));
        assert_eq!(wheel.pop_until(Instant(50 << 6)), None);
        assert_eq!(wheel.cursor, 0);
    }

    #[test]
    fn only_what_would_be_moved_far_waits_in_a_crowd() {
        let entry = |at: u64| Entry::new(Instant(at), Kind::Timer, 0);
        let mut wheel = Wheel::new(Duration::from_secs(1));
        // Each before all others: none is moved.
        (0..200).rev().for_each(|at| wheel.schedule(entry(10 * at)));
        assert!(wheel.crowd.is_empty());
        // As many are before it as it may be moved over, and one more.
        wheel.schedule(entry(10 * FEW as u64 - 5));
        assert!(wheel.crowd.is_empty());
        wheel.schedule(entry(10 * FEW as u64 + 5));
        assert!(!wheel.crowd.is_empty());
    }

    #[test]
    fn a_slot_keeps_all_of_a_time() {
        // Slots of 4.3 s, whose entries are kept by the last 32 bits of their times; and short ones far from zero.
        for (horizon, slot) in [(1 << 62, 5), (1 << 62, 4_000_000_000), (0, (1 << 40) + 3)] {
            let mut wheel = Wheel::new(Duration(horizon));
            wheel.cursor = slot - 2;
            let begin = slot << wheel.shift;
            let entry = |at: u64| Entry::new(Instant(begin + at), Kind::Probe, (1 << 29) - 1);
            let last = (1 << wheel.shift) - 1;
            for ats in [&[last][..], &[0], &[7], &[0, last]] {
                ats.iter().for_each(|&at| wheel.schedule(entry(at)));
                for &at in ats {
                    assert_eq!(wheel.pop_until(Instant(begin + last)), Some(entry(at)));
                }
                wheel.cursor = slot - 2;
            }
        }
    }

    #[test]
    fn places_of_entries_are_used_again() {
        let mut wheel = wheel();
        for round in 0..1000 {
            for place in [0, 0, 0, 1, 5] {
                wheel.schedule(Entry::new(Instant((round * 64 + 8 + place) << 6), Kind::Timer, place as u32));
            }
            while wheel.pop_until(Instant((round * 64 + 20) << 6)).is_some() {}
            assert_eq!(wheel.lists.len(), 1);
        }
    }
}
