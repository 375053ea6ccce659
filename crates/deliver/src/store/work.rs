//! The folder in which a content comes together: a partial file for each object, the journal, a scratch file.
//!
//! ```text
//!   symbols ──> run of neighbours ──> N.part, then the journal
//!   what a block needed repair for ──> scratch, journal: restoring ──> N.part, journal: done
//! ```

use super::disk::{self, Folder};
use super::journal::{Journal, Record};
use crate::failure::Failure;
use crate::geometry::Geometry;
use std::fs::File;
use std::ops::Range;

/// How many partial files are kept open.
const MOST_OPEN: usize = 16;
/// How many neighbouring symbols are written at once.
const RUN_SYMBOLS: u16 = 64;
const SCRATCH: &str = "scratch";

/// The folder of a content, open for writing.
pub(super) struct Work {
    folder: Folder,
    journal: Journal,
    /// The file used last comes first.
    open: Vec<(u32, File)>,
    /// What has come and is not written yet.
    run: Option<Run>,
    spare: Vec<u8>,
}

/// Neighbouring source symbols of a block.
struct Run {
    object: u32,
    block: u32,
    slot: u16,
    count: u16,
    at: u64,
    bytes: Vec<u8>,
}

impl Work {
    /// Opens the folder, and what its journal says.
    pub(super) fn open(folder: Folder) -> Result<(Work, Vec<Record>), Failure> {
        let (journal, records) = Journal::open(&folder)?;
        let work = Work { folder, journal, open: Vec::with_capacity(MOST_OPEN + 1), run: None, spare: Vec::new() };
        Ok((work, records))
    }

    /// Writes a symbol into a slot, at once or together with those that follow.
    pub(super) fn put(
        &mut self,
        object: u32,
        geometry: &Geometry,
        block: u32,
        slot: u16,
        symbol: u32,
        bytes: &[u8],
    ) -> Result<(), Failure> {
        let home = u32::from(slot) == symbol;
        if let Some(run) = &mut self.run
            && (run.object, run.block, run.slot + run.count) == (object, block, slot)
            && home
            && run.count < RUN_SYMBOLS
        {
            run.bytes.extend_from_slice(bytes);
            run.count += 1;
            return Ok(());
        }
        self.flush()?;
        let at = geometry.start_of(block) + u64::from(slot) * u64::from(geometry.cut().symbol_bytes);
        if home {
            let mut buffer = std::mem::take(&mut self.spare);
            buffer.clear();
            buffer.extend_from_slice(bytes);
            self.run = Some(Run { object, block, slot, count: 1, at, bytes: buffer });
            return Ok(());
        }
        self.write(object, bytes, at)?;
        self.note(&[Record::Away { object, block, slot, symbol }])
    }

    /// Writes what has not been written yet. If that fails it is kept, and tried again the next time.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        let Some(run) = self.run.take() else { return Ok(()) };
        let Run { object, block, slot, count, at, ref bytes } = run;
        let written =
            self.write(object, bytes, at).and_then(|()| self.note(&[Record::Home { object, block, slot, count }]));
        match written {
            Ok(()) => self.spare = run.bytes,
            Err(_) => self.run = Some(run),
        }
        written
    }

    /// Forgets what of a block has not been written yet.
    pub(super) fn forget(&mut self, object: u32, block: u32) {
        if self.run.as_ref().is_some_and(|run| (run.object, run.block) == (object, block)) {
            self.run = None;
        }
    }

    /// Reads all slots of a block, whole.
    pub(super) fn read_slots(&mut self, object: u32, geometry: &Geometry, block: u32) -> Result<Vec<u8>, Failure> {
        self.flush()?;
        let bytes = usize::from(geometry.symbols_of(block)) * usize::from(geometry.cut().symbol_bytes);
        let mut slots = vec![0; bytes];
        self.read(object, &mut slots, geometry.start_of(block))?;
        Ok(slots)
    }

    /// Reads from a partial file; what it does not have is zeros.
    pub(super) fn read(&mut self, object: u32, out: &mut [u8], at: u64) -> Result<(), Failure> {
        let read = disk::read_at(self.file(object)?, out, at);
        read.map_err(|error| self.failed("read", object, &error))
    }

    /// Puts what belongs into these slots of a block there, so that a kill at any moment leaves what was there or this;
    /// `bytes` are all of the block as it should be.
    pub(super) fn restore(
        &mut self,
        object: u32,
        geometry: &Geometry,
        block: u32,
        bytes: &[u8],
        slots: &[u16],
    ) -> Result<(), Failure> {
        let pieces = slots.iter().map(|slot| &bytes[place(geometry, block, *slot)]).collect::<Vec<_>>().concat();
        let scratch = self.folder.file(SCRATCH)?;
        let failed = |error| Failure::disk("write", &self.folder.path().join(SCRATCH), &error);
        disk::set_length(&scratch, 0).map_err(failed)?;
        disk::write_at(&scratch, &pieces, 0).map_err(failed)?;
        self.note(&[Record::Restoring { object, block }])?;
        self.write_slots(object, geometry, block, bytes, slots)
    }

    /// Writes what belongs into these slots of a block there.
    pub(super) fn write_slots(
        &mut self,
        object: u32,
        geometry: &Geometry,
        block: u32,
        bytes: &[u8],
        slots: &[u16],
    ) -> Result<(), Failure> {
        for slot in slots {
            let place = place(geometry, block, *slot);
            self.write(object, &bytes[place.clone()], geometry.start_of(block) + place.start as u64)?;
        }
        Ok(())
    }

    /// Puts what was to be restored of a block into these slots of it; `slots` are the bytes of all of them.
    pub(super) fn scratch(
        &self,
        geometry: &Geometry,
        block: u32,
        slots: &[u16],
        bytes: &mut [u8],
    ) -> Result<(), Failure> {
        let scratch = self.folder.file(SCRATCH)?;
        let mut at = 0;
        for slot in slots {
            let piece = &mut bytes[place(geometry, block, *slot)];
            disk::read_at(&scratch, piece, at)
                .map_err(|error| Failure::disk("read", &self.folder.path().join(SCRATCH), &error))?;
            at += piece.len() as u64;
        }
        Ok(())
    }

    /// Writes into a partial file.
    pub(super) fn write(&mut self, object: u32, bytes: &[u8], at: u64) -> Result<(), Failure> {
        let written = disk::write_at(self.file(object)?, bytes, at);
        written.map_err(|error| self.failed("write", object, &error))
    }

    /// Appends records to the journal.
    pub(super) fn note(&mut self, records: &[Record]) -> Result<(), Failure> {
        self.journal.append(&self.folder, records)
    }

    /// A journal of these records takes the place of the one that is there.
    pub(super) fn replace_journal(&mut self, records: &[Record]) -> Result<(), Failure> {
        self.journal.replace(&self.folder, records)
    }

    /// How many records the journal has.
    pub(super) fn records(&self) -> usize {
        self.journal.records()
    }

    /// Cuts a partial file to its length.
    pub(super) fn cut(&mut self, object: u32, length: u64) -> Result<(), Failure> {
        let cut = disk::set_length(self.file(object)?, length);
        cut.map_err(|error| self.failed("write", object, &error))
    }

    /// Waits until a partial file is on the disk: a name outlasts a loss of power, so its bytes must.
    pub(super) fn sync(&mut self, object: u32) -> Result<(), Failure> {
        let synced = self.file(object)?.sync_data();
        synced.map_err(|error| self.failed("write", object, &error))
    }

    /// Whether there is a partial file.
    pub(super) fn has_part(&self, object: u32) -> bool {
        self.folder.length(&part(object)).is_some()
    }

    /// Where a partial file lies, for people.
    pub(super) fn part_path(&self, object: u32) -> String {
        self.folder.path().join(part(object)).display().to_string()
    }

    /// Removes a partial file if there is one.
    pub(super) fn remove_part(&mut self, object: u32) -> Result<(), Failure> {
        self.close(object);
        self.folder.remove(&part(object))
    }

    /// Closes a partial file, which is about to be renamed; where it lies.
    pub(super) fn close(&mut self, object: u32) -> (&Folder, String) {
        self.open.retain(|(open, _)| *open != object);
        (&self.folder, part(object))
    }

    /// Removes everything in the folder, which is of no use any more.
    pub(super) fn clear(&mut self, manifest: &str) -> Result<(), Failure> {
        (self.run, self.open) = (None, Vec::new());
        self.folder.remove(SCRATCH)?;
        self.folder.remove(manifest)?;
        Journal::remove(&self.folder)
    }

    /// The folder itself.
    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    fn file(&mut self, object: u32) -> Result<&File, Failure> {
        match self.open.iter().position(|(open, _)| *open == object) {
            Some(at) => self.open[..=at].rotate_right(1),
            None => {
                let file = self.folder.file(&part(object))?;
                self.open.insert(0, (object, file));
                self.open.truncate(MOST_OPEN);
            }
        }
        Ok(&self.open[0].1)
    }

    fn failed(&self, act: &str, object: u32, error: &std::io::Error) -> Failure {
        Failure::disk(act, &self.folder.path().join(part(object)), error)
    }
}

/// Where a source symbol is in its block, bytes.
fn place(geometry: &Geometry, block: u32, slot: u16) -> Range<usize> {
    let start = usize::from(slot) * usize::from(geometry.cut().symbol_bytes);
    start..start + geometry.symbol_bytes(block, slot.into())
}

/// What the partial file of an object is called.
fn part(object: u32) -> String {
    format!("{object}.part")
}
