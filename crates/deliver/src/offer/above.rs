//! What goes into packets of higher layers. Whoever is in the lowest layer alone must get all by that one, so the
//! carousel is there. Those above hold the lowest, too, and are served best by what it has not sent them yet.
//!
//! Each group walks over the source symbols of all files by itself, round once, and begins where those below it are
//! last: the first one in the middle, the next two at a quarter and at three quarters, and so on. So whoever holds some
//! of them has all when each has come to where another began. A group that has been round takes part in a walk over all
//! blocks that sends some repair of each, ever new. Nobody asks for any of it, and what is lost of it is not missed.

use crate::symbol::FIRST_ABOVE;

/// A round of repair that nobody has asked for has this part of a block's symbols.
pub(super) const UNASKED_PART: u32 = 16;

/// Blocks and their symbols.
#[derive(Clone, Debug)]
pub(super) struct Above {
    /// How many source symbols each block of all files has, at least one.
    symbols: Vec<u16>,
    /// By group, from the second one on.
    walks: Vec<Walk>,
    repair: Repair,
}

/// Where a group is.
#[derive(Clone, Copy, Debug)]
struct Walk {
    block: usize,
    symbol: u16,
    /// How many source symbols it has not sent yet.
    left: u64,
}

/// Where the groups are that have been round.
#[derive(Clone, Copy, Debug, Default)]
struct Repair {
    round: u32,
    block: usize,
    /// How many symbols of the block have been sent in this round.
    sent: u32,
}

impl Above {
    pub(super) fn new(symbols: Vec<u16>) -> Above {
        Above { symbols, walks: Vec::new(), repair: Repair::default() }
    }

    /// How many groups there are.
    pub(super) fn groups(&self) -> usize {
        self.walks.len()
    }

    /// The next symbol of this group, from 1 on: which block, by its place among all, and which symbol of it. None if
    /// there are no blocks.
    pub(super) fn next(&mut self, group: u32) -> Option<(usize, u32)> {
        if self.symbols.is_empty() {
            return None;
        }
        for another in self.walks.len() as u32 + 1..=group {
            self.walks.push(Walk::new(another, &self.symbols));
        }
        let walk = &mut self.walks[group as usize - 1];
        Some(walk.next(&self.symbols).unwrap_or_else(|| self.repair.next(&self.symbols)))
    }
}

impl Walk {
    /// The number of the group with its bits in reverse says where it begins.
    fn new(group: u32, symbols: &[u16]) -> Walk {
        let left = symbols.iter().copied().map(u64::from).sum();
        let mut start = ((u128::from(group.reverse_bits()) * u128::from(left)) >> 32) as u64;
        let mut block = 0;
        while start >= u64::from(symbols[block]) {
            start -= u64::from(symbols[block]);
            block += 1;
        }
        Walk { block, symbol: start as u16, left }
    }

    fn next(&mut self, symbols: &[u16]) -> Option<(usize, u32)> {
        self.left = self.left.checked_sub(1)?;
        let next = (self.block, self.symbol.into());
        self.symbol += 1;
        if self.symbol == symbols[self.block] {
            (self.block, self.symbol) = ((self.block + 1) % symbols.len(), 0);
        }
        Some(next)
    }
}

impl Repair {
    fn next(&mut self, symbols: &[u16]) -> (usize, u32) {
        let (block, count) = (self.block, u32::from(symbols[self.block]).div_ceil(UNASKED_PART));
        // Behind the last one they begin again.
        let number = (u64::from(self.round) * u64::from(count) + u64::from(self.sent)) % u64::from(FIRST_ABOVE);
        self.sent += 1;
        if self.sent == count {
            (self.block, self.sent) = (self.block + 1, 0);
        }
        if self.block == symbols.len() {
            (self.block, self.round) = (0, self.round.saturating_add(1));
        }
        (block, FIRST_ABOVE + number as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbol::MOST_SYMBOLS;

    fn times(above: &mut Above, group: u32, times: usize) -> Vec<(usize, u32)> {
        (0..times).map(|_| above.next(group).expect("there are blocks")).collect()
    }

    #[test]
    fn each_group_goes_round_once_from_where_those_below_are_last() {
        let symbols = [40, 17, 7];
        let mut above = Above::new(symbols.to_vec());
        let all: Vec<_> =
            (0..3).flat_map(|block| (0..symbols[block].into()).map(move |symbol| (block, symbol))).collect();
        for (group, start) in [(1, 32), (2, 16), (3, 48), (4, 8), (6, 24), (64, 0), (127, 63)] {
            let mut expected = all.clone();
            expected.rotate_left(start);
            assert_eq!(times(&mut above, group, 64), expected, "{group}");
        }
        assert_eq!(above.groups(), 127);
        // Then a sixteenth of each block in each round, rounded up, whichever group it is.
        let repair = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0), (0, 3), (0, 4), (0, 5), (1, 2), (1, 3), (2, 1)];
        let groups = [1, 2, 1, 1, 3, 3, 3, 2, 4, 64, 1, 1];
        for ((block, n), group) in repair.into_iter().zip(groups) {
            assert_eq!(above.next(group), Some((block, FIRST_ABOVE + n)));
        }
        // One that was not there before has its round before it.
        assert_eq!(above.next(65), Some((0, 32)));
        assert_eq!(Above::new(Vec::new()).next(1), None);
    }

    #[test]
    fn repair_symbols_begin_again_behind_the_last_one() {
        let mut repair = Repair { round: FIRST_ABOVE - 1, block: 0, sent: 0 };
        let next: Vec<u32> = (0..3).map(|_| repair.next(&[1]).1).collect();
        assert_eq!(next, [MOST_SYMBOLS - 1, FIRST_ABOVE, FIRST_ABOVE + 1]);
    }
}
