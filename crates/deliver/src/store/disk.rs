//! The file system below an open folder: every step goes from folder to folder and follows no symbolic link, and
//! everything that changes something is here, so that tests can end a process before and within any of it.

use crate::failure::Failure;
use crate::names::FileName;
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

/// An open folder.
pub(super) struct Folder {
    path: PathBuf,
    at: OwnedFd,
}

/// What is there under a name.
pub(super) enum Found {
    Nothing,
    /// A regular file, open for reading.
    File(File),
    /// A folder, a symbolic link, a device, or something below one.
    Else,
}

/// Whether a file has got its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placed {
    Done,
    /// Something has the name already.
    Taken,
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl Folder {
    /// Opens somebody's folder and makes it if it is not there. Symbolic links on the way to it are theirs.
    pub(super) fn open(path: &Path) -> Result<Folder, Failure> {
        fs::create_dir_all(path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
                Failure::input(format!("{} is no folder", path.display()))
            }
            _ => Failure::disk("make", path, &error),
        })?;
        let flags = FOLDER.difference(OFlags::NOFOLLOW);
        let at =
            rustix::fs::open(path, flags, Mode::empty()).map_err(|error| Failure::disk("open", path, &error.into()))?;
        Ok(Folder { path: path.to_owned(), at })
    }

    /// Opens a folder in this one and makes it if it is not there.
    pub(super) fn inner(&self, name: &str) -> Result<Folder, Failure> {
        let path = self.path.join(name);
        let mode = Mode::from_raw_mode(0o777);
        burn().map_err(|error| Failure::disk("make", &path, &error))?;
        match rustix::fs::mkdirat(&self.at, name, mode) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(Failure::disk("make", &path, &error.into())),
        }
        match rustix::fs::openat(&self.at, name, FOLDER, Mode::empty()) {
            Ok(at) => Ok(Folder { path, at }),
            Err(Errno::NOTDIR | Errno::LOOP) => {
                Err(Failure::input(format!("{} should be a folder and is something else", path.display())))
            }
            Err(error) => Err(Failure::disk("open", &path, &error.into())),
        }
    }

    /// Opens a file in this folder for reading and writing and makes it if it is not there.
    pub(super) fn file(&self, name: &str) -> Result<File, Failure> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let open = || {
            burn()?;
            let file = File::from(rustix::fs::openat(&self.at, name, flags, Mode::from_raw_mode(0o666))?);
            if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no file")) }
        };
        open().map_err(|error| Failure::disk("write", &self.path.join(name), &error))
    }

    /// What is under a name somewhere below this folder.
    pub(super) fn find(&self, name: &FileName) -> Result<Found, Failure> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut inner: Option<OwnedFd> = None;
        let mut parts = name.parts().peekable();
        while let Some(part) = parts.next() {
            let flags = if parts.peek().is_some() { FOLDER } else { flags };
            let at = inner.as_ref().unwrap_or(&self.at);
            match rustix::fs::openat(at, part, flags, Mode::empty()) {
                Ok(opened) => inner = Some(opened),
                Err(Errno::NOENT) => return Ok(Found::Nothing),
                Err(Errno::NOTDIR | Errno::LOOP | Errno::NXIO) => return Ok(Found::Else),
                Err(error) => return Err(Failure::disk("read", &self.path.join(name.as_str()), &error.into())),
            }
        }
        let file = File::from(inner.expect("a name has parts"));
        let failed = |error| Failure::disk("read", &self.path.join(name.as_str()), &error);
        Ok(if file.metadata().map_err(failed)?.is_file() { Found::File(file) } else { Found::Else })
    }

    /// Gives a file of `from` its name somewhere below this folder, with the folders that it needs. What has the name
    /// already stays, unless it is to be replaced.
    pub(super) fn place(&self, from: &Folder, part: &str, name: &FileName, replace: bool) -> Result<Placed, Failure> {
        let mut inner: Option<Folder> = None;
        let mut parts: Vec<&str> = name.parts().collect();
        let last = parts.pop().expect("a name has parts");
        for part in parts {
            inner = Some(inner.as_ref().unwrap_or(self).inner(part)?);
        }
        let into = inner.as_ref().unwrap_or(self);
        let path = into.path.join(last);
        burn().map_err(|error| Failure::disk("name", &path, &error))?;
        let renamed = if replace {
            rustix::fs::renameat(&from.at, part, &into.at, last)
        } else {
            match rustix::fs::renameat_with(&from.at, part, &into.at, last, RenameFlags::NOREPLACE) {
                // Some file systems cannot; two steps are as good but for those who write at the same moment.
                Err(Errno::INVAL | Errno::NOSYS) => {
                    match rustix::fs::statat(&into.at, last, AtFlags::SYMLINK_NOFOLLOW) {
                        Err(Errno::NOENT) => rustix::fs::renameat(&from.at, part, &into.at, last),
                        Ok(_) => Err(Errno::EXIST),
                        Err(error) => Err(error),
                    }
                }
                other => other,
            }
        };
        match renamed {
            Ok(()) => {}
            Err(Errno::EXIST | Errno::ISDIR | Errno::NOTEMPTY) => return Ok(Placed::Taken),
            Err(error) => return Err(Failure::disk("name", &path, &error.into())),
        }
        // The name outlasts a loss of power. Some file systems cannot sync folders; they need not.
        let _ = rustix::fs::fsync(&into.at);
        Ok(Placed::Done)
    }

    /// Renames a file within this folder, over what has the name.
    pub(super) fn rename(&self, from: &str, to: &str) -> Result<(), Failure> {
        let renamed = burn().and_then(|()| Ok(rustix::fs::renameat(&self.at, from, &self.at, to)?));
        renamed.map_err(|error| Failure::disk("write", &self.path.join(to), &error))
    }

    /// Removes a file from this folder if it is there.
    pub(super) fn remove(&self, name: &str) -> Result<(), Failure> {
        self.unlink(name, AtFlags::empty())
    }

    /// Removes a folder from this one if it is there and empty.
    pub(super) fn remove_folder(&self, name: &str) -> Result<(), Failure> {
        self.unlink(name, AtFlags::REMOVEDIR)
    }

    fn unlink(&self, name: &str, flags: AtFlags) -> Result<(), Failure> {
        let removed = burn().and_then(|()| match rustix::fs::unlinkat(&self.at, name, flags) {
            Ok(()) | Err(Errno::NOENT | Errno::NOTEMPTY) => Ok(()),
            Err(error) => Err(error.into()),
        });
        removed.map_err(|error| Failure::disk("remove", &self.path.join(name), &error))
    }

    /// Whether a file is there, and how long it is.
    pub(super) fn length(&self, name: &str) -> Option<u64> {
        let stat = rustix::fs::statat(&self.at, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        u64::try_from(stat.st_size).ok()
    }

    /// How many bytes the file system has left for its users.
    pub(super) fn room(&self) -> Option<u64> {
        let found = rustix::fs::fstatvfs(&self.at).ok()?;
        Some(found.f_bavail.saturating_mul(found.f_frsize))
    }

    /// Its path, for people.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Writes all of `bytes` at a position.
pub(super) fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    if let Err(error) = burn() {
        // A process that is killed may have written a part.
        let _ = file.write_all_at(&bytes[..bytes.len() / 2], at);
        return Err(error);
    }
    file.write_all_at(bytes, at)
}

/// Gives a file its length.
pub(super) fn set_length(file: &File, length: u64) -> io::Result<()> {
    burn()?;
    file.set_len(length)
}

/// Reads from a position as much as there is; the rest of `out` becomes zeros.
pub(super) fn read_at(file: &File, out: &mut [u8], at: u64) -> io::Result<()> {
    let mut got = 0;
    while got < out.len() {
        match file.read_at(&mut out[got..], at + got as u64) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    out[got..].fill(0);
    Ok(())
}

/// What stands before every change of a disk; fails in tests that end a process there.
#[cfg(not(test))]
#[inline]
fn burn() -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
use fuse::burn;

/// What becomes of a file that has the name of one that comes, and is another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and the one that comes is refused.
    #[default]
    Keep,
    /// It is replaced as soon as the other is whole.
    Replace,
}

/// The end of a process, in tests: after so many changes of the disk none is made any more.
#[cfg(test)]
pub(crate) mod fuse {
    use std::cell::Cell;
    use std::io;

    thread_local! {
        static LEFT: Cell<Option<(u64, io::ErrorKind)>> = const { Cell::new(None) };
    }

    /// After `changes` more changes all fail with this error; nothing fails any more with `None`.
    pub(crate) fn light(changes: Option<(u64, io::ErrorKind)>) {
        LEFT.set(changes);
    }

    pub(super) fn burn() -> io::Result<()> {
        match LEFT.get() {
            None => Ok(()),
            Some((0, kind)) => Err(kind.into()),
            Some((left, kind)) => {
                LEFT.set(Some((left - 1, kind)));
                Ok(())
            }
        }
    }
}
