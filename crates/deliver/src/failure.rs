//! What goes wrong with files, keys and disks, in one sentence for the person whose they are.

use std::fmt;
use std::io::{Error, ErrorKind};
use std::path::Path;

/// Why something could not be done: one sentence that names the file and what to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// What was given is wrong: a name, a key, a folder. Trying again changes nothing.
    Input(String),
    /// A disk or its permissions stand in the way. What has come is kept, and a later start goes on from there.
    Disk(String),
    /// Whoever asked for it wants no more.
    Stopped,
}

impl Failure {
    /// A failure of what somebody gave.
    pub(crate) fn input(sentence: impl Into<String>) -> Failure {
        Failure::Input(sentence.into())
    }

    /// The failure of the file system while it was to `act` ("write", "read") on `path`.
    pub(crate) fn disk(act: &str, path: &Path, error: &Error) -> Failure {
        let path = path.display();
        Failure::Disk(match error.kind() {
            ErrorKind::StorageFull => {
                format!("cannot {act} {path}: the disk is full; make room and start again")
            }
            ErrorKind::QuotaExceeded => {
                format!("cannot {act} {path}: the quota is used up; make room and start again")
            }
            ErrorKind::PermissionDenied => format!("cannot {act} {path}: no permission"),
            ErrorKind::ReadOnlyFilesystem => format!("cannot {act} {path}: the file system is read-only"),
            ErrorKind::NotFound => format!("cannot {act} {path}: it is not there"),
            _ => format!("cannot {act} {path}: {error}"),
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(sentence) | Failure::Disk(sentence) => out.write_str(sentence),
            Failure::Stopped => out.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Failure {}

/// Why bytes from the network are not what they should be; for counters, hence without what they said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Malformed(pub &'static str);

impl fmt::Display for Malformed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0)
    }
}

impl std::error::Error for Malformed {}
