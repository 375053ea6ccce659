//! One process in a folder.

use super::disk::Folder;
use crate::failure::Failure;
use rustix::fs::FlockOperation;
use std::fs::File;
use std::path::Path;

const LOCK: &str = "lock";

/// A file that is held as long as a process works in the folder at `path`, whose partial files are in `work`.
pub(super) fn lock(work: &Folder, path: &Path) -> Result<File, Failure> {
    let lock = work.file(LOCK)?;
    rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive)
        .map_err(|_| Failure::input(format!("another process receives in {}", path.display())))?;
    Ok(lock)
}
