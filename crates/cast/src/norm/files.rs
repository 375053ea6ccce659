//! The sender's files, read where receivers need them.

use faircast_deliver::Failure;
use faircast_deliver::source::Source;
use faircast_norm::sender::{Objects, Offered};
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// Files to be sent.
pub struct Files {
    sources: Vec<Source>,
    lengths: Vec<u64>,
    /// The file used last comes first.
    open: Vec<(usize, File)>,
}

/// How many files are kept open.
const MOST_OPEN: usize = 8;

impl Files {
    /// Files of the lengths that they have now.
    ///
    /// # Errors
    ///
    /// A file cannot be read.
    pub fn new(sources: Vec<Source>) -> Result<Files, Failure> {
        let length = |source: &Source| {
            let file = File::open(&source.path).and_then(|file| file.metadata());
            file.map(|metadata| metadata.len()).map_err(|error| failed(&source.path, &error.to_string()))
        };
        let lengths = sources.iter().map(length).collect::<Result<_, Failure>>()?;
        Ok(Files { sources, lengths, open: Vec::with_capacity(MOST_OPEN + 1) })
    }

    /// What of them is said to receivers.
    pub fn offered(&self) -> Vec<Offered> {
        let names = self.sources.iter().map(|source| source.name.as_str().as_bytes().to_vec());
        names.zip(&self.lengths).map(|(information, &bytes)| Offered { information, bytes }).collect()
    }

    /// How many there are, and their bytes.
    pub fn size(&self) -> (usize, u64) {
        (self.sources.len(), self.lengths.iter().sum())
    }
}

impl Objects for Files {
    type Error = Failure;

    fn read(&mut self, object: usize, at: u64, into: &mut [u8]) -> Result<(), Failure> {
        let path = &self.sources[object].path;
        match self.open.iter().position(|(open, _)| *open == object) {
            Some(place) => self.open[..=place].rotate_right(1),
            None => {
                let file = File::open(path).map_err(|error| failed(path, &error.to_string()))?;
                if file.metadata().is_ok_and(|metadata| metadata.len() != self.lengths[object]) {
                    return Err(changed(path));
                }
                self.open.insert(0, (object, file));
                self.open.truncate(MOST_OPEN);
            }
        }
        self.open[0].1.read_exact_at(into, at).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => changed(path),
            _ => failed(path, &error.to_string()),
        })
    }
}

fn failed(path: &Path, why: &str) -> Failure {
    Failure::Input(format!("cannot read {}: {why}", path.display()))
}

fn changed(path: &Path) -> Failure {
    Failure::Input(format!("{} has changed while it is sent: start again when it stays as it is", path.display()))
}
