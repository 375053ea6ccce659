//! A file to which records are appended as they come, and which survives whatever ends its writer: the form of
//! `python/faircast/journal.py`, which reads it.
//!
//! A record is one line: a checksum, the length of what follows, JSON. Every record begins with a line break, so that
//! one which was cut off, by a kill, a full disk or a power cut, spoils itself only. Nothing is brought to the disk by
//! force, so that a slow disk holds up no session: a kill costs nothing that was appended, a power cut what the kernel
//! had not written yet.

use serde_json::Value;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;

/// A file of records, open to be appended to.
#[derive(Debug)]
pub struct Journal {
    file: File,
    /// Bytes of whole records.
    bytes: u64,
    most: u64,
}

/// Why a journal cannot be opened.
#[derive(Debug)]
pub enum Closed {
    /// Another process has it open.
    Busy,
    /// The system says no.
    System(io::Error),
}

impl Journal {
    /// Opens a journal, which is made if there is none, for `most` bytes in all; with the first record that it has.
    ///
    /// # Errors
    ///
    /// Another process writes it, or the system says no.
    pub fn open(path: &Path, most: u64) -> Result<(Journal, Option<Value>), Closed> {
        let file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(Closed::System)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Closed::Busy),
            // There are file systems without locks.
            Err(TryLockError::Error(_)) => {}
        }
        let bytes = file.metadata().map_err(Closed::System)?.len();
        let first = first(&file).map_err(Closed::System)?;
        Ok((Journal { file, bytes, most }, first))
    }

    /// Appends a record. What there is of one that did not fit is taken away again.
    ///
    /// # Errors
    ///
    /// The disk is full or the journal as large as it may be: nothing can be appended any more.
    pub fn append(&mut self, record: &Value) -> io::Result<()> {
        let text = record.to_string();
        let line = format!("\n{:08x} {} {text}", crc32fast::hash(text.as_bytes()), text.len());
        if self.bytes + line.len() as u64 > self.most {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has {} bytes", self.bytes)));
        }
        let written = self.file.write_all(line.as_bytes());
        match written {
            Ok(()) => self.bytes += line.len() as u64,
            Err(_) => drop(self.file.set_len(self.bytes)),
        }
        written
    }
}

/// The first whole record of a journal, if there is one: for who only looks.
pub fn beginning(path: &Path) -> Option<Value> {
    first(&File::open(path).ok()?).ok()?
}

/// The first whole record.
fn first(file: &File) -> io::Result<Option<Value>> {
    for line in BufReader::new(file).lines() {
        let line = match line {
            Ok(line) => line,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => continue,
            Err(error) => return Err(error),
        };
        if let Some(record) = record(&line) {
            return Ok(Some(record));
        }
    }
    Ok(None)
}

/// What a line holds, if it is as it was written.
fn record(line: &str) -> Option<Value> {
    let (checksum, rest) = line.split_once(' ')?;
    let (length, text) = rest.split_once(' ')?;
    let is_whole = length.parse() == Ok(text.len()) && checksum == format!("{:08x}", crc32fast::hash(text.as_bytes()));
    if is_whole { serde_json::from_str(text).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn path(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("faircast-cast-journal-{name}-{}", std::process::id()))
    }

    #[test]
    fn what_was_cut_off_spoils_itself_only() {
        let path = path("cut");
        let (mut journal, first) = Journal::open(&path, 10_000).unwrap();
        assert_eq!(first, None);
        journal.append(&json!({ "a": 1 })).unwrap();
        journal.append(&json!({ "b": 2 })).unwrap();
        assert!(matches!(Journal::open(&path, 10_000), Err(Closed::Busy)));
        drop(journal);
        let whole = std::fs::read_to_string(&path).unwrap();
        // As zlib's crc32 has it.
        assert_eq!(whole, "\n561bacaf 7 {\"a\":1}\n3a9685bc 7 {\"b\":2}");
        std::fs::write(&path, &whole[..whole.len() - 3]).unwrap();
        let (mut journal, first) = Journal::open(&path, 10_000).unwrap();
        assert_eq!(first, Some(json!({ "a": 1 })));
        journal.append(&json!({ "c": 3 })).unwrap();
        let read = std::fs::read_to_string(&path).unwrap();
        let records: Vec<Value> = read.lines().filter_map(record).collect();
        assert_eq!(records, [json!({ "a": 1 }), json!({ "c": 3 })]);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn it_becomes_no_larger_than_it_may() {
        let path = path("large");
        let (mut journal, _) = Journal::open(&path, 60).unwrap();
        journal.append(&json!("0123456789")).unwrap();
        journal.append(&json!("0123456789")).unwrap();
        assert_eq!(journal.append(&json!("0123456789")).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(std::fs::metadata(&path).unwrap().len() <= 60);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn what_did_not_fit_is_taken_away_again() {
        let path = path("full");
        let (mut journal, _) = Journal::open(&path, 10_000).unwrap();
        journal.append(&json!({ "a": 1 })).unwrap();
        // A file that says no, as one on a full disk does.
        journal.file = File::open(&path).unwrap();
        assert!(journal.append(&json!({ "b": 2 })).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "\n561bacaf 7 {\"a\":1}");
        std::fs::remove_file(&path).unwrap();
    }
}
