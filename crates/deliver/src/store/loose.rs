//! Files of other formats, which have no manifest: they come in pieces under numbers, and get a name when they are
//! whole.

use super::disk::{Existing, Folder, Found, Placed, read_at, write_at};
use super::lock::lock;
use crate::failure::Failure;
use crate::names::{FileName, WORK_FOLDER};
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

/// A folder in which files come without a manifest. Pieces lie where they do in the file, so that what has not come
/// takes no room; nothing of them outlives this.
pub struct Loose {
    folder: Folder,
    work: Folder,
    /// Held as long as this is there, so that no other process works in the folder.
    _lock: File,
    existing: Existing,
    /// The file used last comes first.
    open: Vec<(u64, File)>,
}

/// What has become of a file that is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// It has its name.
    Done,
    /// The same is there already under this name.
    Same,
    /// Something else has the name, and stays.
    Taken,
}

const PIECES: &str = "pieces";
/// How many files are kept open.
const MOST_OPEN: usize = 8;
/// Bytes that are compared at once.
const PIECE: usize = 1 << 16;

impl Loose {
    /// Opens a folder to receive in, and makes it if it is not there. What others have left there in pieces goes.
    ///
    /// # Errors
    ///
    /// The folder cannot be made or written, or another process receives in it.
    pub fn open(path: &Path, existing: Existing) -> Result<Loose, Failure> {
        let folder = Folder::open(path)?;
        let work = folder.inner(WORK_FOLDER)?;
        let lock = lock(&work, path)?;
        let work = work.inner(PIECES)?;
        let loose = Loose { folder, work, _lock: lock, existing, open: Vec::with_capacity(MOST_OPEN + 1) };
        loose.clear()?;
        Ok(loose)
    }

    /// Keeps a piece of a file. Whether the file system has room for a file that is so long.
    ///
    /// # Errors
    ///
    /// The disk is full or gives way in another manner.
    pub fn write(&mut self, number: u64, at: u64, bytes: &[u8]) -> Result<bool, Failure> {
        match write_at(self.file(number)?, bytes, at) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::FileTooLarge || i64::try_from(at).is_err() => Ok(false),
            Err(error) => Err(Failure::disk("write", &self.work.path().join(name(number)), &error)),
        }
    }

    /// A file is whole, with so many bytes, and gets its name.
    ///
    /// # Errors
    ///
    /// The disk gives way.
    pub fn finish(&mut self, number: u64, bytes: u64, as_name: &FileName) -> Result<Named, Failure> {
        let part = name(number);
        let path = self.work.path().join(&part);
        let failed = |error| Failure::disk("write", &path, &error);
        self.file(number)?.sync_data().map_err(failed)?;
        let replaces = self.existing == Existing::Replace;
        let placed = self.folder.place(&self.work, &part, as_name, replaces)?;
        if placed == Placed::Done {
            self.open.retain(|(open, _)| *open != number);
            return Ok(Named::Done);
        }
        let is_same = match self.folder.find(as_name)? {
            Found::File(there) => is_same(self.file(number)?, &there, bytes).map_err(failed)?,
            Found::Nothing | Found::Else => false,
        };
        self.abandon(number)?;
        Ok(if is_same { Named::Same } else { Named::Taken })
    }

    /// A file will not be whole: its pieces go.
    ///
    /// # Errors
    ///
    /// The disk gives way.
    pub fn abandon(&mut self, number: u64) -> Result<(), Failure> {
        self.open.retain(|(open, _)| *open != number);
        self.work.remove(&name(number))
    }

    fn file(&mut self, number: u64) -> Result<&File, Failure> {
        match self.open.iter().position(|(open, _)| *open == number) {
            Some(at) => self.open[..=at].rotate_right(1),
            None => {
                let file = self.work.file(&name(number))?;
                self.open.insert(0, (number, file));
                self.open.truncate(MOST_OPEN);
            }
        }
        Ok(&self.open[0].1)
    }

    fn clear(&self) -> Result<(), Failure> {
        let path = self.work.path();
        let failed = |error| Failure::disk("read", path, &error);
        for entry in std::fs::read_dir(path).map_err(failed)? {
            if let Some(name) = entry.map_err(failed)?.file_name().to_str() {
                self.work.remove(name)?;
            }
        }
        Ok(())
    }
}

impl Drop for Loose {
    fn drop(&mut self) {
        let _ = self.clear();
    }
}

fn name(number: u64) -> String {
    number.to_string()
}

/// Whether two files have the same so many bytes, and no more.
fn is_same(one: &File, other: &File, bytes: u64) -> std::io::Result<bool> {
    if one.metadata()?.len() != bytes || other.metadata()?.len() != bytes {
        return Ok(false);
    }
    let (mut a, mut b) = (vec![0; PIECE], vec![0; PIECE]);
    let mut at = 0;
    while at < bytes {
        read_at(one, &mut a, at)?;
        read_at(other, &mut b, at)?;
        if a != b {
            return Ok(false);
        }
        at += PIECE as u64;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use std::fs;

    fn open(folder: &testing::Folder, existing: Existing) -> Loose {
        Loose::open(folder.path(), existing).expect("a folder")
    }

    fn named(text: &str) -> FileName {
        FileName::new(text).expect("legal")
    }

    #[test]
    fn pieces_become_a_file_in_any_order() {
        let folder = testing::Folder::new();
        let mut loose = open(&folder, Existing::Keep);
        // More files than are kept open.
        for number in 0..20 {
            assert_eq!(loose.write(number, 3, b"def"), Ok(true));
        }
        for number in 0..20 {
            assert_eq!(loose.write(number, 0, b"abc"), Ok(true));
            assert_eq!(loose.finish(number, 6, &named(&format!("a/{number}"))), Ok(Named::Done));
        }
        assert_eq!(loose.finish(20, 0, &named("empty")), Ok(Named::Done));
        assert!((0..20).all(|n| fs::read(folder.path().join(format!("a/{n}"))).expect("a file") == b"abcdef"));
        assert_eq!(fs::read(folder.path().join("empty")).expect("a file"), b"");
    }

    #[test]
    fn what_has_the_name_stays_unless_it_is_to_be_replaced() {
        let folder = testing::Folder::new();
        folder.write("film", b"other!");
        folder.write("same", b"abcdef");
        let mut loose = open(&folder, Existing::Keep);
        for (name, expected) in [("film", Named::Taken), ("same", Named::Same)] {
            loose.write(1, 0, b"abcdef").expect("room");
            assert_eq!(loose.finish(1, 6, &named(name)), Ok(expected), "{name}");
        }
        assert_eq!(fs::read(folder.path().join("film")).expect("it stays"), b"other!");
        drop(loose);
        let mut loose = open(&folder, Existing::Replace);
        loose.write(1, 0, b"abcdef").expect("room");
        assert_eq!(loose.finish(1, 6, &named("film")), Ok(Named::Done));
        assert_eq!(fs::read(folder.path().join("film")).expect("it is there"), b"abcdef");
    }

    #[test]
    fn what_is_claimed_takes_no_room() {
        let folder = testing::Folder::new();
        let mut loose = open(&folder, Existing::Keep);
        let far = (1 << 42) + 5;
        if loose.write(7, far, b"end").expect("no failure") {
            use std::os::unix::fs::MetadataExt as _;
            let pieces = fs::metadata(folder.path().join(".faircast/pieces/7")).expect("it is there");
            assert!(pieces.len() > far && pieces.blocks() < 64, "{} blocks", pieces.blocks());
        }
        assert_eq!(loose.write(8, u64::MAX - 2, b"end"), Ok(false), "no file is so long");
        loose.abandon(7).expect("it can be removed");
        assert!(!folder.path().join(".faircast/pieces/7").exists());
    }

    #[test]
    fn one_process_works_in_a_folder_and_leaves_no_pieces() {
        let folder = testing::Folder::new();
        let mut loose = open(&folder, Existing::Keep);
        loose.write(1, 0, b"abc").expect("room");
        let why = Loose::open(folder.path(), Existing::Keep).map(|_| ()).expect_err("another one");
        assert!(why.to_string().starts_with("another process receives in"), "{why}");
        let pieces = folder.path().join(".faircast/pieces");
        assert_eq!(fs::read_dir(&pieces).expect("a folder").count(), 1);
        drop(loose);
        assert_eq!(fs::read_dir(&pieces).expect("a folder").count(), 0);
        // Of one that was killed.
        folder.write(".faircast/pieces/9", b"old");
        let mut loose = open(&folder, Existing::Keep);
        assert_eq!(fs::read_dir(&pieces).expect("a folder").count(), 0);
        loose.write(9, 0, b"new").expect("room");
        assert_eq!(loose.finish(9, 3, &named("nine")), Ok(Named::Done));
    }
}
