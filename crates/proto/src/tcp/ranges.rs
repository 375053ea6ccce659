//! A set of segment numbers kept as sorted, disjoint, non-touching ranges.
//!
//! The receiver keeps what has arrived above a gap in one, the sender's scoreboard what has been reported in RFC 2018
//! blocks. Both are empty while nothing is missing, and have as many ranges as there are gaps otherwise.

use super::number::Run;
use std::collections::VecDeque;

/// Segments as ranges `start..end`, ascending, with at least one absent segment between two of them.
#[derive(Clone, Debug, Default)]
pub struct SegmentRanges {
    ranges: VecDeque<Run>,
    count: u64,
}

impl SegmentRanges {
    /// Adds `block`; `on_new` gets, in ascending order, the pieces `(start, end)` that were not yet in the set.
    pub fn insert(&mut self, block: Run, mut on_new: impl FnMut(u64, u64)) {
        if block.start >= block.end {
            return;
        }
        let first = self.first_reaching(block.start);
        let mut merged = block;
        let mut covered = block.start;
        let mut after = first;
        while let Some(range) = self.ranges.get(after).filter(|range| range.start <= block.end) {
            if covered < range.start {
                self.count += range.start - covered;
                on_new(covered, range.start);
            }
            covered = covered.max(range.end);
            merged.start = merged.start.min(range.start);
            merged.end = merged.end.max(range.end);
            after += 1;
        }
        if covered < block.end {
            self.count += block.end - covered;
            on_new(covered, block.end);
        }
        if first == after {
            self.ranges.insert(first, merged);
        } else {
            self.ranges[first] = merged;
            self.ranges.drain(first + 1..after);
        }
    }

    /// Takes out everything below `segment` and says how many segments that were.
    pub fn remove_below(&mut self, segment: u64) -> u64 {
        let mut removed = 0;
        while let Some(front) = self.ranges.front_mut().filter(|front| front.start < segment) {
            if front.end > segment {
                removed += segment - front.start;
                front.start = segment;
                break;
            }
            removed += front.end - front.start;
            self.ranges.pop_front();
        }
        self.count -= removed;
        removed
    }

    /// Whether nothing is in the set.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// How many segments are in the set.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The range that holds `segment`.
    pub fn range_with(&self, segment: u64) -> Option<Run> {
        // A range that merely ends at `segment` reaches it but does not hold it; the next one cannot start there.
        let at = self.first_reaching(segment);
        self.ranges.get(at).copied().filter(|range| range.start <= segment && segment < range.end)
    }

    /// The first segment from `segment` on that is not in the set.
    pub fn first_absent(&self, segment: u64) -> u64 {
        self.range_with(segment).map_or(segment, |range| range.end)
    }

    /// One past the highest segment of the set.
    pub fn end(&self) -> Option<u64> {
        self.ranges.back().map(|range| range.end)
    }

    /// The `n`-th highest segment, counted from 1. Takes at most `n` steps.
    pub fn nth_highest(&self, n: u64) -> Option<u64> {
        let mut missing = n;
        for range in self.ranges.iter().rev() {
            let length = range.end - range.start;
            if length >= missing {
                return Some(range.end - missing);
            }
            missing -= length;
        }
        None
    }

    /// The ranges, highest first.
    pub fn descending(&self) -> impl Iterator<Item = Run> + '_ {
        self.ranges.iter().rev().copied()
    }

    /// Index of the first range whose end is at or above `segment`.
    fn first_reaching(&self, segment: u64) -> usize {
        match self.ranges.back() {
            None => 0,
            // Arrivals mostly extend the last range or open a new one behind it.
            Some(last) if last.end < segment => self.ranges.len(),
            Some(last) if last.start <= segment => self.ranges.len() - 1,
            Some(_) => self.ranges.partition_point(|range| range.end < segment),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::collections::BTreeSet;

    fn block(start: u64, end: u64) -> Run {
        Run { start, end }
    }

    #[test]
    fn neighbours_merge_and_new_pieces_are_reported() {
        let mut set = SegmentRanges::default();
        set.insert(block(5, 6), |_, _| {});
        set.insert(block(8, 9), |_, _| {});
        let mut pieces = Vec::new();
        set.insert(block(4, 10), |start, end| pieces.push((start, end)));
        assert_eq!(pieces, [(4, 5), (6, 8), (9, 10)]);
        assert_eq!(set.descending().collect::<Vec<_>>(), [block(4, 10)]);
        set.insert(block(10, 12), |_, _| {});
        assert_eq!(set.descending().collect::<Vec<_>>(), [block(4, 12)]);
        assert_eq!((set.count(), set.nth_highest(3), set.nth_highest(9)), (8, Some(9), None));
    }

    #[test]
    fn a_plain_set_agrees_after_random_operations() {
        for seed in 0..20 {
            let mut random = Random::stream(seed, "test/ranges");
            let (mut set, mut plain, mut floor) = (SegmentRanges::default(), BTreeSet::new(), 0u64);
            for _ in 0..400 {
                let start = floor + (random.uniform() * 60.0) as u64;
                let end = start + (random.uniform() * random.uniform() * 12.0) as u64;
                let mut new = Vec::new();
                set.insert(block(start, end), |from, to| new.extend(from..to));
                let expected: Vec<u64> = (start..end).filter(|segment| plain.insert(*segment)).collect();
                assert_eq!(new, expected, "seed {seed}");
                if random.chance(0.2) {
                    floor += (random.uniform() * 20.0) as u64;
                    let before = plain.len();
                    plain = plain.split_off(&floor);
                    assert_eq!(set.remove_below(floor) as usize, before - plain.len(), "seed {seed}");
                }
                assert_eq!(set.count() as usize, plain.len());
                assert_eq!(set.end(), plain.last().map(|last| last + 1));
                assert_eq!(set.nth_highest(3), plain.iter().rev().nth(2).copied());
                for segment in floor..floor + 80 {
                    assert_eq!(set.range_with(segment).is_some(), plain.contains(&segment), "seed {seed}");
                    let absent = (segment..).find(|s| !plain.contains(s)).expect("the set is finite");
                    assert_eq!(set.first_absent(segment), absent, "seed {seed}");
                }
            }
        }
    }
}
