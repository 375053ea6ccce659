//! A block that is not whole yet: which symbols have come, and where in the partial file they lie.
//!
//! A block of K source symbols has K slots, one for each. A repair symbol lies in the slot of a source symbol that is
//! missing, so that it takes no room of its own and is there after a kill as the others are.

use crate::geometry::Cut;
use crate::repair::decode;

/// Nothing lies in the slot.
const FREE: u32 = u32::MAX;
/// How many symbols are kept beyond K, when K of them were not enough.
const MOST_SPARE: usize = 32;

/// Slots of a block and what lies in them.
pub(crate) struct Block {
    slots: Vec<u32>,
    held: u16,
    seen: u32,
    /// Symbols beyond K, in memory alone.
    spare: Vec<(u32, Vec<u8>)>,
}

impl Block {
    /// A block of `symbols`, of which none has come.
    pub(crate) fn new(symbols: u16) -> Block {
        Block { slots: vec![FREE; usize::from(symbols)], held: 0, seen: 0, spare: Vec::new() }
    }

    /// Whether this symbol has come.
    pub(crate) fn has(&self, symbol: u32) -> bool {
        self.slots.get(symbol as usize) == Some(&symbol)
            || self.slots.contains(&symbol)
            || self.spare.iter().any(|(other, _)| *other == symbol)
    }

    /// Where a new symbol goes: a source symbol to where it belongs, if nothing else lies there; all else as far back
    /// as there is a free slot, where source symbols come last.
    pub(crate) fn slot_for(&self, symbol: u32) -> Option<u16> {
        if self.slots.get(symbol as usize) == Some(&FREE) {
            return Some(symbol as u16);
        }
        self.slots.iter().rposition(|slot| *slot == FREE).map(|slot| slot as u16)
    }

    /// A symbol lies in a slot, which was free.
    pub(crate) fn fill(&mut self, slot: u16, symbol: u32) {
        let there = &mut self.slots[usize::from(slot)];
        debug_assert_eq!(*there, FREE, "symbols lie in free slots");
        *there = symbol;
        self.held += 1;
        self.seen = self.seen.max(symbol + 1);
    }

    /// Keeps a symbol for which no slot is left.
    pub(crate) fn keep(&mut self, symbol: u32, bytes: &[u8]) {
        if self.spare.len() < MOST_SPARE {
            self.spare.push((symbol, bytes.to_vec()));
        }
        self.seen = self.seen.max(symbol + 1);
    }

    /// How many source symbols it has: K.
    pub(crate) fn symbols(&self) -> u16 {
        self.slots.len() as u16
    }

    /// How many symbols it has in slots.
    pub(crate) fn held(&self) -> u16 {
        self.held
    }

    /// Whether every slot has a symbol: the block may be whole.
    pub(crate) fn is_full(&self) -> bool {
        usize::from(self.held) == self.slots.len()
    }

    /// Whether all source symbols are where they belong.
    pub(crate) fn is_home(&self) -> bool {
        self.slots.iter().enumerate().all(|(slot, symbol)| slot as u32 == *symbol)
    }

    /// How many symbols it lacks, at least one: K may not have been enough.
    pub(crate) fn lacks(&self) -> u16 {
        (self.slots.len() as u16 - self.held).max(1)
    }

    /// One more than the highest symbol that has come.
    pub(crate) fn seen(&self) -> u32 {
        self.seen
    }

    /// Which symbol lies in which slot.
    pub(crate) fn slots(&self) -> impl Iterator<Item = (u16, u32)> {
        let slots = self.slots.iter().enumerate();
        slots.filter(|(_, symbol)| **symbol != FREE).map(|(slot, symbol)| (slot as u16, *symbol))
    }

    /// The slots in which other symbols lie than belong there.
    pub(crate) fn away(&self) -> impl Iterator<Item = u16> {
        self.slots().filter(|(slot, symbol)| u32::from(*slot) != *symbol).map(|(slot, _)| slot)
    }

    /// The source symbols, by what lies in slots of these bytes and what is spare; nothing if that is not enough. What
    /// lies behind a short symbol in its slot is zero.
    pub(crate) fn decode(&self, cut: Cut, slots: &[u8]) -> Option<Vec<u8>> {
        let full = usize::from(cut.symbol_bytes);
        let filled = |(symbol, bytes): &(u32, Vec<u8>)| {
            let mut bytes = bytes.clone();
            bytes.resize(full, 0);
            (*symbol, bytes)
        };
        let spare: Vec<(u32, Vec<u8>)> = self.spare.iter().map(filled).collect();
        let in_slots = self.slots().map(|(slot, symbol)| (symbol, &slots[usize::from(slot) * full..][..full]));
        decode(cut, self.symbols(), in_slots.chain(spare.iter().map(|(symbol, bytes)| (*symbol, &bytes[..]))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repair_lies_where_source_symbols_are_missing() {
        let mut block = Block::new(4);
        assert_eq!((block.lacks(), block.seen()), (4, 0));
        for (symbol, slot) in [(1, 1), (9, 3), (3, 2), (0, 0)] {
            assert!(!block.has(symbol));
            assert_eq!(block.slot_for(symbol), Some(slot), "symbol {symbol}");
            block.fill(slot, symbol);
            assert!(block.has(symbol));
        }
        assert!(block.is_full() && !block.is_home());
        assert_eq!((block.slot_for(10), block.lacks(), block.seen()), (None, 1, 10));
        block.keep(11, &[1]);
        assert!(block.has(11) && !block.has(2) && block.seen() == 12);
        assert_eq!(block.slots().collect::<Vec<_>>(), [(0, 0), (1, 1), (2, 3), (3, 9)]);
        assert_eq!(block.away().collect::<Vec<_>>(), [2, 3]);
    }

    #[test]
    fn spare_symbols_are_few() {
        let mut block = Block::new(1);
        block.fill(0, 5);
        (10..1000).for_each(|symbol| block.keep(symbol, &[0; 64]));
        assert_eq!(block.spare.len(), MOST_SPARE);
    }
}
