//! The sender's files: which there are, what they hash to, and their blocks when these are sent.

use crate::failure::Failure;
use crate::geometry::{Cut, Geometry};
use crate::manifest::{Entry, Hash, hash};
use crate::names::FileName;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

/// A file to send, and the name that receivers give it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What it is called in the manifest.
    pub name: FileName,
    /// Where it lies.
    pub path: PathBuf,
}

/// How many files are kept open.
const MOST_OPEN: usize = 8;

/// Files that are there to be read in blocks.
pub(crate) struct Sources {
    sources: Vec<Source>,
    /// The file used last comes first.
    open: Vec<(usize, File)>,
}

/// The files that somebody names: a file by its own name, a folder with all below it, sorted by name.
///
/// # Errors
///
/// A path does not exist, is neither file nor folder, has a name that receivers would refuse, or a folder has a
/// symbolic link or a device in it.
pub fn gather(paths: &[PathBuf]) -> Result<Vec<Source>, Failure> {
    let mut sources = Vec::new();
    for path in paths {
        let metadata = fs::metadata(path).map_err(|error| Failure::disk("read", path, &error))?;
        let name = path.file_name().map(PathBuf::from);
        let name = match name {
            Some(name) => name,
            // "." and ".." have a name of their own only where they lead.
            None => {
                let whole = path.canonicalize().map_err(|error| Failure::disk("read", path, &error))?;
                whole.file_name().map(PathBuf::from).ok_or_else(|| refused(path, "has no name"))?
            }
        };
        if metadata.is_dir() {
            walk(path, &name, &mut sources)?;
        } else if metadata.is_file() {
            sources.push(Source { name: file_name(&name, path)?, path: path.clone() });
        } else {
            return Err(refused(path, "is neither a file nor a folder"));
        }
    }
    Ok(sources)
}

/// All files below a folder.
fn walk(folder: &Path, name: &Path, sources: &mut Vec<Source>) -> Result<(), Failure> {
    let failed = |error| Failure::disk("read", folder, &error);
    let mut entries = fs::read_dir(folder).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, name) = (entry.path(), name.join(entry.file_name()));
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_dir() {
            walk(&path, &name, sources)?;
        } else if kind.is_file() {
            sources.push(Source { name: file_name(&name, &path)?, path });
        } else {
            return Err(refused(&path, "is neither a file nor a folder; name it itself if it leads to a file"));
        }
    }
    Ok(())
}

fn file_name(name: &Path, path: &Path) -> Result<FileName, Failure> {
    let name = name.to_str().ok_or_else(|| refused(path, "has a name that is not UTF-8"))?;
    FileName::new(name).map_err(|wrong| refused(path, &format!("cannot be sent: its name {wrong}")))
}

fn refused(path: &Path, wrong: &str) -> Failure {
    Failure::input(format!("{} {wrong}", path.display()))
}

impl Sources {
    pub(crate) fn new(sources: Vec<Source>) -> Sources {
        Sources { sources, open: Vec::with_capacity(MOST_OPEN + 1) }
    }

    /// Reads every file once: what the manifest says of each. `progress` is told how many bytes have been read since it
    /// was told last, and says whether to go on.
    pub(crate) fn entries(&mut self, cut: Cut, progress: &mut dyn FnMut(u64) -> bool) -> Result<Vec<Entry>, Failure> {
        (0..self.sources.len()).map(|index| self.entry(index, cut, progress)).collect()
    }

    fn entry(&mut self, index: usize, cut: Cut, progress: &mut dyn FnMut(u64) -> bool) -> Result<Entry, Failure> {
        let Source { name, path } = self.sources[index].clone();
        let failed = |error| Failure::disk("read", &path, &error);
        let mut file = File::open(&path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(refused(&path, "is no file"));
        }
        let geometry =
            Geometry::new(cut, metadata.len()).map_err(|wrong| refused(&path, &format!("is too long: {wrong}")))?;
        let mut whole = blake3::Hasher::new();
        let mut blocks = Vec::with_capacity(geometry.blocks() as usize);
        let mut block = Vec::new();
        for number in 0..geometry.blocks() {
            block.resize(geometry.bytes_of(number), 0);
            file.read_exact(&mut block).map_err(|error| short(&path, &error))?;
            if geometry.blocks() > 1 {
                whole.update(&block);
            }
            blocks.push(hash(&block));
            if !progress(block.len() as u64) {
                return Err(Failure::Stopped);
            }
        }
        if file.read(&mut [0]).map_err(failed)? != 0 {
            return Err(changed(&path));
        }
        // The only block is the file, and has been hashed.
        let hash = if let [only] = blocks[..] { only } else { *whole.finalize().as_bytes() };
        Ok(Entry { name, geometry, hash, blocks })
    }

    /// Reads a block of file `index` into `out`, and holds it against what the manifest says.
    pub(crate) fn read(
        &mut self,
        index: usize,
        geometry: &Geometry,
        block: u32,
        expected: &Hash,
        out: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let path = &self.sources[index].path;
        match self.open.iter().position(|(open, _)| *open == index) {
            Some(at) => self.open[..=at].rotate_right(1),
            None => {
                let file = File::open(path).map_err(|error| Failure::disk("read", path, &error))?;
                self.open.insert(0, (index, file));
                self.open.truncate(MOST_OPEN);
            }
        }
        out.resize(geometry.bytes_of(block), 0);
        self.open[0].1.read_exact_at(out, geometry.start_of(block)).map_err(|error| short(path, &error))?;
        if hash(out) != *expected {
            return Err(changed(path));
        }
        Ok(())
    }
}

/// A file that ends too early is one that has changed.
fn short(path: &Path, error: &std::io::Error) -> Failure {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => changed(path),
        _ => Failure::disk("read", path, error),
    }
}

fn changed(path: &Path) -> Failure {
    refused(path, "has changed while it is sent: start again when it stays as it is")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Folder;

    const CUT: Cut = Cut { symbol_bytes: 64, block_symbols: 4 };

    #[test]
    fn folders_are_sent_with_all_below() {
        let folder = Folder::new();
        for (name, text) in [("d/b/2", "two"), ("d/a", "one"), ("x", "")] {
            folder.write(name, text.as_bytes());
        }
        let names = |paths: &[&str]| -> Vec<String> {
            let paths: Vec<PathBuf> = paths.iter().map(|name| folder.path().join(name)).collect();
            gather(&paths).expect("legal").iter().map(|source| source.name.to_string()).collect()
        };
        assert_eq!(names(&["x", "d"]), ["x", "d/a", "d/b/2"]);
        assert_eq!(names(&["d/b/2", "d/b/."]), ["2", "b/2"]);
        assert_eq!(names(&["d/b/.."]), ["d/a", "d/b/2"]);
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let folder = Folder::new();
        folder.write("d/a", b"one");
        folder.write("bad:name", b"");
        std::os::unix::fs::symlink("/etc", folder.path().join("d/link")).expect("a link");
        let sentence = |path: PathBuf| gather(&[path]).expect_err("refused").to_string();
        assert!(sentence(folder.path().join("none")).contains("it is not there"));
        assert!(sentence(folder.path().join("d")).contains("d/link is neither a file nor a folder"));
        assert!(sentence(folder.path().join("bad:name")).contains("its name has one of"));
        assert!(sentence("/dev/null".into()).contains("is neither"));
    }

    #[test]
    fn a_file_that_changes_is_noticed() {
        let folder = Folder::new();
        let path = folder.write("a", &[7; 1000]);
        let mut sources = Sources::new(gather(std::slice::from_ref(&path)).expect("legal"));
        let mut told = 0;
        let mut count = |bytes| {
            told += bytes;
            true
        };
        let entry = sources.entries(CUT, &mut count).expect("readable").remove(0);
        assert_eq!((told, entry.geometry.blocks()), (1000, 4));
        assert_eq!(entry.hash, hash(&[7; 1000]));
        for (name, bytes) in [("one block", &[7; 256][..]), ("none", &[])] {
            let files = gather(&[folder.write(name, bytes)]).expect("legal");
            let entry = Sources::new(files).entries(CUT, &mut |_| true).expect("readable").remove(0);
            assert_eq!((entry.hash, entry.blocks.len()), (hash(bytes), usize::from(!bytes.is_empty())));
        }
        let mut looks = 0;
        let stopped = sources.entries(CUT, &mut |_| {
            looks += 1;
            looks < 2
        });
        assert_eq!((stopped, looks), (Err(Failure::Stopped), 2));
        let mut block = Vec::new();
        let mut read = |block_number| {
            sources.read(0, &entry.geometry, block_number, &entry.blocks[block_number as usize], &mut block)
        };
        assert_eq!(read(3), Ok(()));
        let mut bytes = [7; 1000];
        bytes[999] = 8;
        std::fs::write(&path, bytes).expect("ours");
        assert_eq!(read(0), Ok(()));
        assert!(read(3).expect_err("another byte").to_string().contains("has changed while it is sent"));
        std::fs::write(&path, [7; 999]).expect("ours");
        assert!(read(3).expect_err("shorter").to_string().contains("has changed while it is sent"));
    }
}
