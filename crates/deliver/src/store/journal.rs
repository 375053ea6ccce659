//! What has come, as a file to which one only appends: a process that is killed leaves what it had written.
//!
//! A record stands behind what it speaks of: data first, then the record. So whatever the journal says is on the disk
//! (after a loss of power, which writes in another order, hashes find what is not).

use super::disk::{self, Folder};
use crate::bytes::Reader;
use crate::failure::{Failure, Malformed};
use crate::manifest::hash;
use std::fs::File;

/// What has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Record {
    /// Source symbols lie where they belong, `count` from `slot` on.
    Home { object: u32, block: u32, slot: u16, count: u16 },
    /// A symbol lies in a slot where it does not belong.
    Away { object: u32, block: u32, slot: u16, symbol: u32 },
    /// What belongs into slots where other symbols lie is in the scratch file, one after the other, and goes from there
    /// to its place.
    Restoring { object: u32, block: u32 },
    /// The block is whole.
    Done { object: u32, block: u32 },
    /// Symbols of the block were wrong: it begins anew.
    Dropped { object: u32, block: u32 },
    /// The file has its name.
    Named { object: u32 },
}

/// Bytes of a record: kind, object, block, slot, count, symbol, check.
const RECORD_BYTES: usize = 1 + 4 + 4 + 2 + 2 + 4 + 4;
const NAME: &str = "journal";
/// Where a shorter journal is written before it takes the place of the other.
const NEXT: &str = "journal.next";

/// The journal of a content.
pub(super) struct Journal {
    file: File,
    /// Bytes of whole records.
    length: u64,
    bytes: Vec<u8>,
}

impl Journal {
    /// Opens the journal of a folder, and what it says. Behind the first record that is not whole there is nothing.
    pub(super) fn open(folder: &Folder) -> Result<(Journal, Vec<Record>), Failure> {
        let file = folder.file(NAME)?;
        let failed = |error| Failure::disk("read", &folder.path().join(NAME), &error);
        let length = file.metadata().map_err(failed)?.len() as usize;
        let mut bytes = vec![0; length - length % RECORD_BYTES];
        disk::read_at(&file, &mut bytes, 0).map_err(failed)?;
        let (records, _) = bytes.as_chunks::<RECORD_BYTES>();
        let records: Vec<Record> = records.iter().map_while(|bytes| Record::decode(bytes).ok()).collect();
        let length = (records.len() * RECORD_BYTES) as u64;
        Ok((Journal { file, length, bytes: Vec::new() }, records))
    }

    /// Appends records; all of them are there, or none counts.
    pub(super) fn append(&mut self, folder: &Folder, records: &[Record]) -> Result<(), Failure> {
        self.bytes.clear();
        records.iter().for_each(|record| record.encode(&mut self.bytes));
        // At its own end, and not the file's: what a full disk has cut off is written over.
        disk::write_at(&self.file, &self.bytes, self.length)
            .map_err(|error| Failure::disk("write", &folder.path().join(NAME), &error))?;
        self.length += self.bytes.len() as u64;
        Ok(())
    }

    /// A journal with these records takes the place of the one that is there.
    pub(super) fn replace(&mut self, folder: &Folder, records: &[Record]) -> Result<(), Failure> {
        let failed = |error| Failure::disk("write", &folder.path().join(NEXT), &error);
        let file = folder.file(NEXT)?;
        disk::set_length(&file, 0).map_err(failed)?;
        let mut next = Journal { file, length: 0, bytes: Vec::new() };
        next.append(folder, records)?;
        next.file.sync_data().map_err(failed)?;
        folder.rename(NEXT, NAME)?;
        *self = next;
        Ok(())
    }

    /// Removes the journal of a folder.
    pub(super) fn remove(folder: &Folder) -> Result<(), Failure> {
        folder.remove(NEXT)?;
        folder.remove(NAME)
    }

    /// How many records it has.
    pub(super) fn records(&self) -> usize {
        self.length as usize / RECORD_BYTES
    }
}

impl Record {
    fn encode(self, out: &mut Vec<u8>) {
        let (kind, object, block, slot, count, symbol) = match self {
            Record::Home { object, block, slot, count } => (1u8, object, block, slot, count, 0),
            Record::Away { object, block, slot, symbol } => (2, object, block, slot, 0, symbol),
            Record::Restoring { object, block } => (3, object, block, 0, 0, 0),
            Record::Done { object, block } => (4, object, block, 0, 0, 0),
            Record::Dropped { object, block } => (5, object, block, 0, 0, 0),
            Record::Named { object } => (6, object, 0, 0, 0, 0),
        };
        let start = out.len();
        out.push(kind);
        out.extend_from_slice(&object.to_be_bytes());
        out.extend_from_slice(&block.to_be_bytes());
        out.extend_from_slice(&slot.to_be_bytes());
        out.extend_from_slice(&count.to_be_bytes());
        out.extend_from_slice(&symbol.to_be_bytes());
        let check = hash(&out[start..]);
        out.extend_from_slice(&check[..4]);
    }

    fn decode(bytes: &[u8; RECORD_BYTES]) -> Result<Record, Malformed> {
        let (of, check) = bytes.split_at(RECORD_BYTES - 4);
        if hash(of)[..4] != *check {
            return Err(Malformed("a record that is not whole"));
        }
        let mut reader = Reader::new(of);
        let kind = reader.u8()?;
        let (object, block, slot, count, symbol) =
            (reader.u32()?, reader.u32()?, reader.u16()?, reader.u16()?, reader.u32()?);
        Ok(match kind {
            1 => Record::Home { object, block, slot, count },
            2 => Record::Away { object, block, slot, symbol },
            3 => Record::Restoring { object, block },
            4 => Record::Done { object, block },
            5 => Record::Dropped { object, block },
            6 => Record::Named { object },
            _ => return Err(Malformed("a record of another kind")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn records() -> Vec<Record> {
        vec![
            Record::Home { object: 1, block: 2, slot: 3, count: 4 },
            Record::Away { object: 1, block: 2, slot: 3, symbol: 1 << 23 },
            Record::Restoring { object: 1, block: 2 },
            Record::Done { object: 1, block: 2 },
            Record::Dropped { object: 9, block: 2 },
            Record::Named { object: u32::MAX },
        ]
    }

    #[test]
    fn what_was_appended_is_read_up_to_where_it_is_cut() {
        let place = testing::Folder::new();
        let folder = Folder::open(place.path()).expect("ours");
        let (mut journal, before) = Journal::open(&folder).expect("a new one");
        assert_eq!(before, []);
        journal.append(&folder, &records()[..2]).expect("room");
        journal.append(&folder, &records()[2..]).expect("room");
        assert_eq!((Journal::open(&folder).expect("ours").1, journal.records()), (records(), 6));
        let bytes = std::fs::read(place.path().join(NAME)).expect("ours");
        for cut in 0..bytes.len() {
            std::fs::write(place.path().join(NAME), &bytes[..cut]).expect("ours");
            let (mut journal, read) = Journal::open(&folder).expect("ours");
            assert_eq!(read, records()[..cut / RECORD_BYTES]);
            journal.append(&folder, &records()[..1]).expect("room");
            assert_eq!(Journal::open(&folder).expect("ours").1.len(), cut / RECORD_BYTES + 1, "cut at {cut}");
        }
        let mut wrong = bytes.clone();
        wrong[RECORD_BYTES + 5] ^= 1;
        std::fs::write(place.path().join(NAME), &wrong).expect("ours");
        assert_eq!(Journal::open(&folder).expect("ours").1, records()[..1]);
    }

    #[test]
    fn a_shorter_one_takes_its_place() {
        let place = testing::Folder::new();
        let folder = Folder::open(place.path()).expect("ours");
        let (mut journal, _) = Journal::open(&folder).expect("a new one");
        journal.append(&folder, &records()).expect("room");
        journal.replace(&folder, &records()[3..]).expect("room");
        journal.append(&folder, &records()[..1]).expect("room");
        let expected = [&records()[3..], &records()[..1]].concat();
        assert_eq!(Journal::open(&folder).expect("ours").1, expected);
        Journal::remove(&folder).expect("ours");
        assert_eq!(std::fs::read_dir(place.path()).expect("ours").count(), 0);
    }
}
