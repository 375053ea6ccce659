//! Going on from what an earlier run has left.

use super::content::Content;
use super::disk::{Existing, Folder, Found};
use super::journal::Record;
use super::object::{Check, Object, State};
use super::work::Work;
use crate::block::Block;
use crate::failure::Failure;
use crate::manifest::{Manifest, hash};
use std::time::Duration;

/// A journal is written anew if it has this many records more than are needed.
const MOST_RECORDS_TOO_MANY: usize = 4096;

impl Content {
    /// Opens a content: what its journal says has come, and what is in `folder` already.
    pub(super) fn open(
        now: Duration,
        folder: &Folder,
        work: Folder,
        manifest: Manifest,
        existing: Existing,
    ) -> Result<Content, Failure> {
        let (work, records) = Work::open(work)?;
        let mut content = Content::new(now, manifest, work, existing);
        let mut restoring = None;
        for record in records {
            content.replay(record, &mut restoring);
        }
        if let Some((object, block)) = restoring {
            content.end_restoring(object, block)?;
        }
        let mut lost = false;
        for index in 0..content.objects.len() {
            lost |= content.look(index, folder)?;
        }
        let needed = content.records();
        if lost || content.work.records() > needed.len() + MOST_RECORDS_TOO_MANY {
            content.work.replace_journal(&needed)?;
        }
        content.try_full_blocks()?;
        content.check_room(folder)?;
        Ok(content)
    }

    /// What a record says. One that cannot be is left out: hashes decide in the end.
    fn replay(&mut self, record: Record, restoring: &mut Option<(u32, u32)>) {
        let (object, block) = match record {
            Record::Named { object } => (object, None),
            Record::Home { object, block, .. }
            | Record::Away { object, block, .. }
            | Record::Restoring { object, block }
            | Record::Done { object, block }
            | Record::Dropped { object, block } => (object, Some(block)),
        };
        let Some(index) = (object as usize).checked_sub(1).filter(|index| *index < self.objects.len()) else { return };
        let geometry = self.manifest.entries()[index].geometry;
        if block.is_some_and(|block| block >= geometry.blocks()) {
            return;
        }
        let there = &mut self.objects[index];
        let mut fill = |block: u32, slot: u16, symbol: u32| {
            let symbols = geometry.symbols_of(block);
            let block = there.blocks.entry(block).or_insert_with(|| Block::new(symbols));
            if slot < symbols && !block.has(symbol) && block.slots().all(|(other, _)| other != slot) {
                block.fill(slot, symbol);
            }
        };
        match record {
            Record::Home { block, slot, count, .. } => {
                (slot..slot.saturating_add(count)).for_each(|slot| fill(block, slot, u32::from(slot)));
            }
            Record::Away { block, slot, symbol, .. } => fill(block, slot, symbol),
            Record::Restoring { block, .. } => *restoring = Some((object, block)),
            Record::Done { block, .. } => {
                there.finish(block);
                *restoring = restoring.filter(|which| *which != (object, block));
            }
            Record::Dropped { block, .. } => {
                there.undo(block);
                *restoring = restoring.filter(|which| *which != (object, block));
            }
            Record::Named { .. } => there.state = State::Named,
        }
    }

    /// Ends what a kill has interrupted: what was found goes to its place once more, if the scratch file has it all.
    fn end_restoring(&mut self, number: u32, block: u32) -> Result<(), Failure> {
        let entry = &self.manifest.entries()[number as usize - 1];
        let object = &mut self.objects[number as usize - 1];
        let slots: Vec<u16> = object.blocks.get(&block).into_iter().flat_map(Block::away).collect();
        let mut bytes = self.work.read_slots(number, &entry.geometry, block)?;
        self.work.scratch(&entry.geometry, block, &slots, &mut bytes)?;
        bytes.truncate(entry.geometry.bytes_of(block));
        if hash(&bytes) == entry.blocks[block as usize] {
            self.work.write_slots(number, &entry.geometry, block, &bytes, &slots)?;
            self.work.note(&[Record::Done { object: number, block }])?;
            object.finish(block);
        } else {
            self.work.note(&[Record::Dropped { object: number, block }])?;
            object.undo(block);
        }
        Ok(())
    }

    /// Finds out what a file is at, by what is on the disk; whether the journal knows of something that is not there.
    fn look(&mut self, index: usize, folder: &Folder) -> Result<bool, Failure> {
        let number = index as u32 + 1;
        let entry = &self.manifest.entries()[index];
        let geometry = entry.geometry;
        let found = folder.find(&entry.name)?;
        let length = if let Found::File(file) = &found { file.metadata().map(|file| file.len()).ok() } else { None };
        let object = &mut self.objects[index];
        let named = matches!(object.state, State::Named);
        if named && length == Some(geometry.length()) {
            return Ok(false);
        }
        let begun = object.undone < geometry.blocks() || !object.blocks.is_empty();
        let lost = named || (begun && !self.work.has_part(number));
        if lost {
            *object = Object::new(&geometry);
        }
        match found {
            // It may be the very file: of an earlier session, or named just before a kill.
            Found::File(file) if length == Some(geometry.length()) => {
                object.state = State::Checking(Check::there(file))
            }
            Found::Nothing => self.receive(index),
            Found::File(_) if self.existing == Existing::Replace => self.receive(index),
            Found::File(_) => {
                let event = self.refuse(index, "another file has the name already, and stays")?;
                self.events.push(event);
            }
            Found::Else => {
                let event = self.refuse(index, "the name is taken by something that is no file")?;
                self.events.push(event);
            }
        }
        Ok(lost)
    }

    fn receive(&mut self, index: usize) {
        let object = &mut self.objects[index];
        if object.undone == 0 {
            object.state = State::Checking(Check::part());
        } else {
            self.left += object.left(&self.manifest.entries()[index].geometry);
        }
    }

    /// Blocks whose last symbol came just before a kill.
    fn try_full_blocks(&mut self) -> Result<(), Failure> {
        let mut full = Vec::new();
        for (object, number) in self.objects.iter().zip(1u32..) {
            if matches!(object.state, State::Receiving) {
                let blocks = object.blocks.iter().filter(|(_, block)| block.is_full());
                full.extend(blocks.map(|(block, _)| (number, *block)));
            }
        }
        for (number, block) in full {
            self.try_block(number, block)?;
        }
        Ok(())
    }

    /// The shortest journal that says what is there.
    fn records(&self) -> Vec<Record> {
        let mut records = Vec::new();
        for (object, number) in self.objects.iter().zip(1u32..) {
            if matches!(object.state, State::Named) {
                records.push(Record::Named { object: number });
                continue;
            }
            let done = object.done.iter().zip(0u32..).filter(|(done, _)| **done);
            records.extend(done.map(|(_, block)| Record::Done { object: number, block }));
            for (&block, there) in &object.blocks {
                for (slot, symbol) in there.slots() {
                    match records.last_mut() {
                        Some(Record::Home { object: of, block: inner, slot: first, count })
                            if (*of, *inner, *first + *count) == (number, block, slot) && symbol == u32::from(slot) =>
                        {
                            *count += 1;
                        }
                        _ if symbol == u32::from(slot) => {
                            records.push(Record::Home { object: number, block, slot, count: 1 });
                        }
                        _ => records.push(Record::Away { object: number, block, slot, symbol }),
                    }
                }
            }
        }
        records
    }
}
