//! Unions of sets of groups that stay known while single sets change: in steps that grow with the logarithm of their
//! number, so that a hundred thousand members can join on one node.

use std::ops::Range;

/// A row of sets of groups, bit i is group i, cut into ranges. Of each range the union is known.
///
/// A range of n sets is a binary tree in 2 n places: its root is at 1, below place i are 2 i and 2 i + 1, and the sets
/// stand from n on.
#[derive(Debug)]
pub(crate) struct Unions {
    places: Vec<u64>,
}

impl Unions {
    /// So many sets, all empty.
    pub(crate) fn new(sets: usize) -> Unions {
        Unions { places: vec![0; 2 * sets] }
    }

    /// The union of the sets of a range.
    #[inline]
    pub(crate) fn of(&self, range: Range<usize>) -> u64 {
        if range.is_empty() { 0 } else { self.places[2 * range.start + 1] }
    }

    /// Makes the set `at` of a range that begins at `range.start` this one.
    pub(crate) fn set(&mut self, range: Range<usize>, at: usize, set: u64) {
        let tree = &mut self.places[2 * range.start..2 * range.end];
        let mut place = range.len() + at - range.start;
        tree[place] = set;
        while place > 1 {
            place /= 2;
            tree[place] = tree[2 * place] | tree[2 * place + 1];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::random::Random;

    #[test]
    fn unions_are_those_of_the_sets() {
        // Ranges of 0, 1, 2, 3, 8 and 13 sets beside each other.
        let ends = [0, 1, 3, 6, 14, 27];
        let ranges: Vec<Range<usize>> = [0].iter().chain(&ends).zip(&ends).map(|(&start, &end)| start..end).collect();
        let mut sets = [0u64; 27];
        let mut unions = Unions::new(sets.len());
        let mut random = Random::stream(1, "test/unions");
        for _ in 0..2000 {
            let at = (random.uniform() * 27.0) as usize;
            sets[at] = if random.chance(0.6) { 0 } else { 1 << (random.uniform() * 64.0) as u32 };
            let range = ranges.iter().find(|range| range.contains(&at)).expect("all are in one");
            unions.set(range.clone(), at, sets[at]);
            for range in &ranges {
                let union = sets[range.clone()].iter().fold(0, |union, set| union | set);
                assert_eq!(unions.of(range.clone()), union, "{range:?}: {sets:?}");
            }
        }
    }
}
