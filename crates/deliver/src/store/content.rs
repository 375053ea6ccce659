//! Files while they come: what is there of each block, what is lacking, and what becomes of a symbol.

use super::disk::{Existing, Folder};
use super::journal::Record;
use super::object::{Check, Object, State};
use super::outcome::{Event, Progress, Taken};
use super::work::Work;
use crate::block::Block;
use crate::failure::{Failure, Malformed};
use crate::feedback::Line;
use crate::geometry::Geometry;
use crate::manifest::{Manifest, hash};
use crate::offer::MOST_BLOCKS_ASKED;
use crate::symbol::SymbolId;
use std::time::Duration;

/// A content of which the manifest is known.
pub(super) struct Content {
    pub(super) manifest: Manifest,
    /// Files by number, from object 1 on.
    pub(super) objects: Vec<Object>,
    pub(super) work: Work,
    pub(super) existing: Existing,
    /// How many symbols are lacking of files that are being received.
    pub(super) left: u64,
    /// The furthest block of which a source symbol has come, and when it was the first of its block.
    frontier: (u32, u32),
    moved: Duration,
    /// Where the next request begins.
    ask_from: (u32, u32),
    /// A block that is whole in memory and must get to its place before anything else happens.
    pending: Option<(u32, u32, Vec<u8>)>,
    /// Files whose fate somebody should hear of.
    pub(super) events: Vec<Event>,
    pub(super) cleared: bool,
    forged: u64,
}

impl Content {
    /// A content of which nothing has come, in this folder.
    pub(super) fn new(now: Duration, manifest: Manifest, work: Work, existing: Existing) -> Content {
        let objects = manifest.entries().iter().map(|entry| Object::new(&entry.geometry)).collect();
        Content {
            manifest,
            objects,
            work,
            existing,
            left: 0,
            frontier: (0, 0),
            moved: now,
            ask_from: (0, 0),
            pending: None,
            events: Vec::new(),
            cleared: false,
            forged: 0,
        }
    }

    /// Takes a symbol of a file.
    pub(super) fn take(&mut self, now: Duration, id: SymbolId, symbol: &[u8]) -> Result<Taken, Failure> {
        self.settle()?;
        let Some(index) = (id.object as usize).checked_sub(1) else { return Ok(Taken::Known) };
        let Some(object) = self.objects.get_mut(index) else {
            return Ok(Taken::Malformed(Malformed("a symbol of an object that there is not")));
        };
        let geometry = self.manifest.entries()[index].geometry;
        if id.block >= geometry.blocks() {
            return Ok(Taken::Malformed(Malformed("a symbol of a block that there is not")));
        }
        if symbol.len() != geometry.symbol_bytes(id.block, id.symbol) {
            return Ok(Taken::Malformed(Malformed("a symbol of another length")));
        }
        let symbols = geometry.symbols_of(id.block);
        if id.symbol < u32::from(symbols) && (id.object, id.block) > self.frontier {
            (self.frontier, self.moved) = ((id.object, id.block), now);
        }
        if !matches!(object.state, State::Receiving) || object.done[id.block as usize] {
            return Ok(Taken::Known);
        }
        let block = object.blocks.entry(id.block).or_insert_with(|| Block::new(symbols));
        if block.has(id.symbol) {
            // All of them are there since a moment when the disk gave way.
            return if block.is_full() { self.try_block(id.object, id.block) } else { Ok(Taken::Known) };
        }
        match block.slot_for(id.symbol) {
            Some(slot) => {
                self.work.put(id.object, &geometry, id.block, slot, id.symbol, symbol)?;
                block.fill(slot, id.symbol);
                self.left -= 1;
            }
            None => block.keep(id.symbol, symbol),
        }
        if block.is_full() { self.try_block(id.object, id.block) } else { Ok(Taken::Symbol) }
    }

    /// Puts together a block of which all slots are filled, if that gives it, and holds it against its hash.
    pub(super) fn try_block(&mut self, number: u32, block: u32) -> Result<Taken, Failure> {
        let index = number as usize - 1;
        let entry = &self.manifest.entries()[index];
        let geometry = entry.geometry;
        let slots = self.work.read_slots(number, &geometry, block)?;
        let there = &self.objects[index].blocks[&block];
        let home = there.is_home();
        let whole = if home { Some(slots) } else { repaired(&geometry, block, there, slots) };
        let Some(mut whole) = whole else { return Ok(Taken::Symbol) };
        whole.truncate(geometry.bytes_of(block));
        if hash(&whole) != entry.blocks[block as usize] {
            self.drop_block(number, block)?;
            self.forged += 1;
            return Ok(Taken::Forged);
        }
        if home {
            self.work.note(&[Record::Done { object: number, block }])?;
            self.finish(number, block);
        } else {
            self.pending = Some((number, block, whole));
            self.settle()?;
        }
        Ok(Taken::Block)
    }

    /// Symbols of a block were wrong: it begins anew.
    pub(super) fn drop_block(&mut self, number: u32, block: u32) -> Result<(), Failure> {
        self.work.note(&[Record::Dropped { object: number, block }])?;
        self.work.forget(number, block);
        let object = &mut self.objects[number as usize - 1];
        self.left += match object.blocks.get(&block) {
            Some(there) => u64::from(there.held()),
            None => u64::from(self.manifest.entries()[number as usize - 1].geometry.symbols_of(block)),
        };
        object.undo(block);
        Ok(())
    }

    /// Brings the block that is whole in memory to its place.
    pub(super) fn settle(&mut self) -> Result<(), Failure> {
        let Some((number, block, bytes)) = &self.pending else { return Ok(()) };
        let (number, block) = (*number, *block);
        let geometry = self.manifest.entries()[number as usize - 1].geometry;
        let slots: Vec<u16> = self.objects[number as usize - 1].blocks[&block].away().collect();
        self.work.restore(number, &geometry, block, bytes, &slots)?;
        self.work.note(&[Record::Done { object: number, block }])?;
        self.pending = None;
        self.finish(number, block);
        Ok(())
    }

    fn finish(&mut self, number: u32, block: u32) {
        let object = &mut self.objects[number as usize - 1];
        object.finish(block);
        if object.undone == 0 {
            object.state = State::Checking(Check::part());
        }
    }

    /// Writes what is in memory.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        self.settle()?;
        self.work.flush()
    }

    /// How many symbols are lacking in all, and the lines of a request: blocks behind which the sender has gone, or all
    /// when nothing new has come for `quiet`. Where there is more than a request has room for, the next one goes on.
    pub(super) fn lines(&mut self, now: Duration, quiet: Duration, room: usize) -> (u64, Vec<Line>) {
        if self.complete() {
            return (0, Vec::new());
        }
        let end = if now.saturating_sub(self.moved) >= quiet { (u32::MAX, u32::MAX) } else { self.frontier };
        let from = self.ask_from;
        let (mut lines, mut rest) = self.lines_from(from, end, room);
        if lines.is_empty() && from != (0, 0) {
            (lines, rest) = self.lines_from((0, 0), end, room);
        }
        self.ask_from = rest.unwrap_or((0, 0));
        (self.left.max(1), lines)
    }

    /// Lines about blocks from one to before another, and where to go on if there are more.
    fn lines_from(&self, from: (u32, u32), end: (u32, u32), room: usize) -> (Vec<Line>, Option<(u32, u32)>) {
        let mut lines: Vec<Line> = Vec::new();
        let mut asked = 0;
        for (object, number) in self.objects.iter().zip(1u32..).skip((from.0 as usize).saturating_sub(1)) {
            if !matches!(object.state, State::Receiving) {
                continue;
            }
            let geometry = &self.manifest.entries()[number as usize - 1].geometry;
            let first = if number == from.0 { from.1 } else { 0 };
            for block in (first..geometry.blocks()).filter(|block| !object.done[*block as usize]) {
                if (number, block) >= end {
                    return (lines, None);
                }
                let there = object.blocks.get(&block);
                let lacks = there.map_or(geometry.symbols_of(block), Block::lacks);
                let seen = there.map_or(0, Block::seen);
                let line = Line { object: number, block, blocks: 1, lacks, seen };
                let full = lines.len() == room;
                let last = lines.last_mut().filter(|last| last.goes_on_with(&line));
                if asked == MOST_BLOCKS_ASKED || (last.is_none() && full) {
                    return (lines, Some((number, block)));
                }
                asked += 1;
                match last {
                    Some(last) => last.blocks += 1,
                    None => lines.push(line),
                }
            }
        }
        (lines, None)
    }

    /// Whether every file has its name or was refused.
    pub(super) fn complete(&self) -> bool {
        self.cleared
    }

    /// What comes.
    pub(super) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    pub(super) fn progress(&self) -> Progress {
        let count = |wanted: fn(&State) -> bool| self.objects.iter().filter(|object| wanted(&object.state)).count();
        Progress {
            symbols: self.manifest.symbols(),
            left: self.left,
            bytes: self.manifest.bytes(),
            files: self.objects.len(),
            named: count(|state| matches!(state, State::Named)),
            refused: count(|state| matches!(state, State::Refused)),
            forged: self.forged,
        }
    }

    /// Whether something can be received without the disk of `folder` becoming full.
    pub(super) fn check_room(&self, folder: &Folder) -> Result<(), Failure> {
        let cut = self.manifest.entries()[0].geometry.cut();
        let (needed, room) = (self.left.saturating_mul(u64::from(cut.symbol_bytes)), folder.room());
        match room {
            Some(room) if room < needed => Err(Failure::Disk(format!(
                "{} has room for {room} bytes and {needed} are to come; make room and start again, what came is kept",
                folder.path().display()
            ))),
            _ => Ok(()),
        }
    }
}

/// The source symbols of a block, from the slots of its partial file and what is spare.
fn repaired(geometry: &Geometry, block: u32, there: &Block, mut slots: Vec<u8>) -> Option<Vec<u8>> {
    let full = usize::from(geometry.cut().symbol_bytes);
    for (slot, symbol) in there.slots() {
        // The object's last symbol is short; what lies behind it in the slot may be of another one.
        let start = usize::from(slot) * full;
        slots[start + geometry.symbol_bytes(block, symbol)..start + full].fill(0);
    }
    there.decode(geometry.cut(), &slots)
}
