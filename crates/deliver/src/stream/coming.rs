//! A block that is coming: its symbols, kept in memory until they give it.

use super::head::Entry;
use crate::block::Block;
use crate::geometry::Cut;
use crate::manifest::hash;
use std::time::Duration;

/// How far a block is.
///
/// ```text
///   listed by no head ──entry──> symbols come ──hash is right──> whole
/// ```
pub(super) enum State {
    /// Its symbols that came before a head that lists it.
    Early(Vec<(u32, Vec<u8>)>),
    /// It is known by its entry: which symbols are there, and their bytes in slots.
    Coming(Entry, Block, Vec<u8>),
    /// All is there.
    Whole(Entry, Vec<u8>),
}

/// A block, and since when it waits: for what is lacking, once the last of it has been sent for the first time, as far
/// as is known; when it is whole, for whoever reads.
pub(super) struct Coming {
    pub(super) since: Duration,
    pub(super) state: State,
}

/// What a symbol, or an entry, has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    /// It is of no use.
    Nothing,
    /// A symbol that was missing.
    Symbol,
    /// The block is whole.
    Block,
    /// The symbols were not those of the block: it begins anew.
    Forged,
}

/// How many symbols are kept beyond what a block may have, as long as it is not known how many it has.
const MOST_SPARE: usize = 32;

impl Coming {
    /// A block of which nothing has come.
    pub(super) fn new(now: Duration) -> Coming {
        Coming { since: now, state: State::Early(Vec::new()) }
    }

    /// A head lists it.
    pub(super) fn know(&mut self, cut: Cut, entry: Entry) -> Done {
        let State::Early(early) = &mut self.state else { return Done::Nothing };
        let early = std::mem::take(early);
        self.begin(cut, entry);
        let done = early.iter().map(|(symbol, bytes)| self.take(cut, *symbol, bytes));
        done.fold(Done::Nothing, |before, done| if matches!(done, Done::Block | Done::Forged) { done } else { before })
    }

    /// Takes a symbol.
    pub(super) fn take(&mut self, cut: Cut, symbol: u32, bytes: &[u8]) -> Done {
        match &mut self.state {
            State::Whole(..) => Done::Nothing,
            State::Early(early) => {
                let is_full = early.len() >= usize::from(cut.block_symbols) + MOST_SPARE;
                if is_full || bytes.len() > cut.symbol_bytes.into() || early.iter().any(|(other, _)| *other == symbol) {
                    return Done::Nothing;
                }
                early.push((symbol, bytes.to_vec()));
                Done::Symbol
            }
            State::Coming(entry, block, slots) => {
                if bytes.len() != entry.symbol_bytes(cut, symbol) || block.has(symbol) {
                    return Done::Nothing;
                }
                match block.slot_for(symbol) {
                    Some(slot) => {
                        slots[usize::from(slot) * usize::from(cut.symbol_bytes)..][..bytes.len()]
                            .copy_from_slice(bytes);
                        block.fill(slot, symbol);
                    }
                    None => block.keep(symbol, bytes),
                }
                if block.is_full() { self.finish(cut) } else { Done::Symbol }
            }
        }
    }

    /// How many symbols it lacks, how many should be sent for that, and one more than the highest that has come. If as
    /// many are lost as so far, so many of those that are sent come; and where repair has come already and was not
    /// enough, one more makes it likelier that there is no third time.
    pub(super) fn lacks(&self) -> (u16, u16, u32) {
        match &self.state {
            State::Whole(..) => (0, 0, 0),
            State::Early(early) => (1, 1, early.iter().map(|(symbol, _)| symbol + 1).max().unwrap_or(0)),
            State::Coming(_, block, _) => {
                let (lacks, held, seen) = (u64::from(block.lacks()), u64::from(block.held()), block.seen());
                let lost = u64::from(seen).saturating_sub(held);
                let more = (lacks * lost + held / 2).checked_div(held).unwrap_or(0);
                let again = u64::from(seen > block.symbols().into());
                (lacks as u16, (lacks + more + again).min(u16::MAX.into()) as u16, seen)
            }
        }
    }

    /// Bytes that it has in memory.
    pub(super) fn bytes(&self) -> usize {
        match &self.state {
            State::Early(early) => early.iter().map(|(_, bytes)| bytes.len()).sum(),
            State::Coming(_, _, bytes) | State::Whole(_, bytes) => bytes.len(),
        }
    }

    fn begin(&mut self, cut: Cut, entry: Entry) {
        let symbols = entry.symbols(cut);
        let slots = vec![0; usize::from(symbols) * usize::from(cut.symbol_bytes)];
        self.state = State::Coming(entry, Block::new(symbols), slots);
    }

    /// There are as many symbols as the block has: they may be enough.
    fn finish(&mut self, cut: Cut) -> Done {
        let State::Coming(entry, block, slots) = &mut self.state else { return Done::Nothing };
        let entry = *entry;
        let whole = if block.is_home() { Some(std::mem::take(slots)) } else { block.decode(cut, slots) };
        let Some(mut whole) = whole else { return Done::Symbol };
        whole.truncate(entry.bytes as usize);
        if hash(&whole) != entry.hash {
            self.begin(cut, entry);
            return Done::Forged;
        }
        self.state = State::Whole(entry, whole);
        Done::Block
    }
}
