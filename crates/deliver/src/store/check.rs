//! The last step: a whole file is held against its hash, piece by piece, and gets its name.

use super::content::Content;
use super::disk::{self, Existing, Folder, Placed};
use super::index::MANIFEST_NAME;
use super::journal::Record;
use super::object::{Check, State};
use super::outcome::Event;
use crate::failure::Failure;
use crate::manifest::hash;

/// How much of a file is read at a time.
const PIECE_BYTES: u64 = 1 << 20;

impl Content {
    /// Does a part of what is to do, and says what came of it.
    pub(super) fn proceed(&mut self, folder: &Folder) -> Result<Event, Failure> {
        self.settle()?;
        if let Some(event) = self.events.pop() {
            return Ok(event);
        }
        if self.cleared {
            return Ok(Event::Nothing);
        }
        let checking = |state: &State| matches!(state, State::Checking(_));
        match self.objects.iter().position(|object| checking(&object.state)) {
            Some(index) => self.check(index, folder),
            None if self.objects.iter().all(|object| matches!(object.state, State::Named | State::Refused)) => {
                self.work.clear(MANIFEST_NAME)?;
                self.cleared = true;
                Ok(Event::All)
            }
            None => Ok(Event::Nothing),
        }
    }

    /// Reads on in a file, and ends its check where it ends.
    fn check(&mut self, index: usize, folder: &Folder) -> Result<Event, Failure> {
        let number = index as u32 + 1;
        let entry = &self.manifest.entries()[index];
        let length = entry.geometry.length();
        let State::Checking(check) = &mut self.objects[index].state else { return Ok(Event::Nothing) };
        let mut piece = vec![0; (length - check.at).min(PIECE_BYTES) as usize];
        match &check.there {
            Some(file) => disk::read_at(file, &mut piece, check.at)
                .map_err(|error| Failure::disk("read", &folder.path().join(entry.name.as_str()), &error))?,
            None => {
                if check.at == 0 {
                    self.work.cut(number, length)?;
                }
                self.work.read(number, &mut piece, check.at)?;
            }
        }
        check.hasher.update(&piece);
        check.at += piece.len() as u64;
        if check.at < length {
            return Ok(Event::Working);
        }
        let (right, there) = (*check.hasher.finalize().as_bytes() == entry.hash, check.there.is_some());
        match (right, there) {
            (true, true) => {
                self.work.note(&[Record::Named { object: number }])?;
                self.work.remove_part(number)?;
                self.end(index, State::Named)
            }
            (true, false) => self.name(index, folder),
            (false, true) => self.another_is_there(index),
            (false, false) => self.find_wrong_blocks(index),
        }
    }

    /// Gives a file its name.
    fn name(&mut self, index: usize, folder: &Folder) -> Result<Event, Failure> {
        let number = index as u32 + 1;
        let name = &self.manifest.entries()[index].name;
        self.work.sync(number)?;
        let (from, part) = self.work.close(number);
        match folder.place(from, &part, name, self.existing == Existing::Replace) {
            Ok(Placed::Done) => {
                self.work.note(&[Record::Named { object: number }])?;
                self.end(index, State::Named)
            }
            Ok(Placed::Taken) => {
                let why =
                    format!("the name is taken by something else; it lies whole in {}", self.work.part_path(number));
                self.refuse(index, &why)
            }
            // A file where a folder should be, or a link: it is the name that is wrong, not the disk.
            Err(Failure::Input(sentence)) => {
                let why = format!("{sentence}; it lies whole in {}", self.work.part_path(number));
                self.refuse(index, &why)
            }
            Err(failure) => Err(failure),
        }
    }

    /// What has the name is another file.
    pub(super) fn another_is_there(&mut self, index: usize) -> Result<Event, Failure> {
        if self.existing == Existing::Keep {
            return self.refuse(index, "another file has the name already, and stays");
        }
        let object = &mut self.objects[index];
        self.left += object.left(&self.manifest.entries()[index].geometry);
        object.state = if object.undone == 0 { State::Checking(Check::part()) } else { State::Receiving };
        Ok(Event::Working)
    }

    /// A file is not taken. What there is of it stays in the folder of work.
    pub(super) fn refuse(&mut self, index: usize, why: &str) -> Result<Event, Failure> {
        let name = self.manifest.entries()[index].name.clone();
        let sentence = format!("{name} is not taken: {why}");
        self.objects[index].state = State::Refused;
        self.objects[index].blocks.clear();
        Ok(Event::Refused(name, sentence))
    }

    fn end(&mut self, index: usize, state: State) -> Result<Event, Failure> {
        self.objects[index].state = state;
        self.objects[index].blocks.clear();
        Ok(Event::File(self.manifest.entries()[index].name.clone()))
    }

    /// The whole is wrong, though each block was right: the disk has lost some, which have to come again.
    fn find_wrong_blocks(&mut self, index: usize) -> Result<Event, Failure> {
        let number = index as u32 + 1;
        let entry = &self.manifest.entries()[index];
        let (geometry, expected) = (entry.geometry, entry.blocks.clone());
        let mut bytes = Vec::new();
        for block in 0..geometry.blocks() {
            bytes.resize(geometry.bytes_of(block), 0);
            self.work.read(number, &mut bytes, geometry.start_of(block))?;
            if hash(&bytes) != expected[block as usize] {
                self.drop_block(number, block)?;
            }
        }
        if self.objects[index].undone == 0 {
            return self.refuse(index, "its hash in the manifest is not that of its blocks; the sender is at fault");
        }
        self.objects[index].state = State::Receiving;
        Ok(Event::Working)
    }
}
