//! Sets of numbers that lie in rows: which symbols have come, which are asked for.

use std::collections::BTreeMap;
use std::ops::Range;

/// A set of numbers, kept as the rows that they form: it takes memory by rows, not by numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intervals {
    /// First number of each row, and the one behind its last. No two touch.
    rows: BTreeMap<u64, u64>,
}

impl Intervals {
    /// Adds all numbers of a row.
    pub fn insert(&mut self, row: Range<u64>) {
        if row.is_empty() {
            return;
        }
        let Range { mut start, mut end } = row;
        if let Some((&first, &last)) = self.rows.range(..start).next_back()
            && last >= start
        {
            (start, end) = (first, end.max(last));
        }
        while let Some((&first, &last)) = self.rows.range(start..).next()
            && first <= end
        {
            end = end.max(last);
            self.rows.remove(&first);
        }
        self.rows.insert(start, end);
    }

    /// Takes all numbers of a row out.
    pub fn remove(&mut self, row: Range<u64>) {
        if row.is_empty() {
            return;
        }
        if let Some((_, last)) = self.rows.range_mut(..row.start).next_back()
            && *last > row.start
        {
            let behind = *last;
            *last = row.start;
            if behind > row.end {
                self.rows.insert(row.end, behind);
            }
        }
        while let Some((&first, &last)) = self.rows.range(row.start..row.end).next() {
            self.rows.remove(&first);
            if last > row.end {
                self.rows.insert(row.end, last);
            }
        }
    }

    /// Whether a number is in it.
    pub fn contains(&self, number: u64) -> bool {
        self.rows.range(..=number).next_back().is_some_and(|(_, &last)| number < last)
    }

    /// Whether all numbers of a row are.
    pub fn covers(&self, row: Range<u64>) -> bool {
        row.is_empty() || self.rows.range(..=row.start).next_back().is_some_and(|(_, &last)| row.end <= last)
    }

    /// The rows, in order.
    pub fn iter(&self) -> impl Iterator<Item = Range<u64>> {
        self.rows.iter().map(|(&first, &last)| first..last)
    }

    /// What of a row is not in it, in order.
    pub fn gaps(&self, row: Range<u64>) -> impl Iterator<Item = Range<u64>> {
        let before = self.rows.range(..=row.start).next_back().map_or(row.start, |(_, &last)| last.max(row.start));
        let inner = self.rows.range(row.start..row.end).map(|(&first, &last)| (first, last));
        let ends = inner.chain(std::iter::once((row.end, row.end)));
        ends.scan(before, |from, (first, last)| {
            let gap = *from..first.max(*from);
            *from = last.max(*from);
            Some(gap)
        })
        .filter(|gap| !gap.is_empty())
    }

    /// The least number.
    pub fn first(&self) -> Option<u64> {
        self.rows.keys().next().copied()
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no numbers.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::random::Random;

    #[test]
    fn rows_are_joined_and_cut() {
        let mut set = Intervals::default();
        for row in [5..7, 10..12, 7..8, 9..10, 3..3] {
            set.insert(row);
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), [5..8, 9..12]);
        assert_eq!(set.gaps(0..20).collect::<Vec<_>>(), [0..5, 8..9, 12..20]);
        assert!(set.gaps(6..10).eq(std::iter::once(8..9)));
        assert_eq!(set.gaps(5..8).count(), 0);
        assert!(set.covers(5..8) && !set.covers(5..9) && set.covers(4..4));
        set.remove(6..11);
        assert_eq!(set.iter().collect::<Vec<_>>(), [5..6, 11..12]);
        assert_eq!((set.first(), set.rows()), (Some(5), 2));
    }

    /// Against a list of booleans.
    #[test]
    fn it_is_the_set_that_a_list_of_flags_would_be() {
        let mut random = Random::stream(1, "test/intervals");
        let (mut set, mut flags) = (Intervals::default(), vec![false; 100]);
        for _ in 0..3000 {
            let start = random.uniform_in(0.0, 95.0) as u64;
            let end = start + random.uniform_in(0.0, 6.0) as u64;
            let is_in = random.chance(0.5);
            if is_in {
                set.insert(start..end);
            } else {
                set.remove(start..end);
            }
            (start..end).for_each(|n| flags[n as usize] = is_in);
            assert!((0..100).all(|n| set.contains(n) == flags[n as usize]));
            assert_eq!(set.covers(start..end), (start..end).all(|n| flags[n as usize]));
            let mut seen = vec![true; 100];
            set.gaps(0..100).flatten().for_each(|n| seen[n as usize] = false);
            assert_eq!(seen, flags);
        }
    }
}
