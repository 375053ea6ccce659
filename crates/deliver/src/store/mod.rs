//! A receiver's folder: files come together in [`WORK_FOLDER`] and get their names when all is there and hashes agree.
//!
//! A process may be killed at any moment. What had come then is in partial files and the journal beside them
//! (`journal.rs`), and the next one goes on from there as soon as it hears a root of the same content.

mod check;
mod content;
mod disk;
mod index;
mod journal;
mod lock;
mod loose;
mod object;
mod outcome;
mod resume;
mod work;

use crate::bytes::hex;
use crate::failure::{Failure, Malformed};
use crate::feedback::{HEADER_BYTES, LINE_BYTES, MOST_LINES, Request};
use crate::keys::{Salt, Verifier};
use crate::manifest::Manifest;
use crate::names::WORK_FOLDER;
use crate::root::{ROOT, Root};
use crate::symbol::{MANIFEST, SYMBOL, SymbolId};
use content::Content;
use disk::Folder;
use index::Index;
use lock::lock;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;
use work::Work;

pub use disk::Existing;
#[cfg(test)]
pub(crate) use disk::fuse;
pub use loose::{Loose, Named};
pub use outcome::{Event, Progress, Taken};

/// How a receiver behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What becomes of files that are there.
    pub existing: Existing,
    /// After how long without anything new for the first time the sender is taken to have sent all once.
    pub quiet: Duration,
}

/// A folder that receives.
pub struct Store {
    folder: Folder,
    work: Folder,
    /// Held as long as this is there, so that no other process works in the folder.
    _lock: File,
    settings: Settings,
    verifier: Option<Verifier>,
    /// When the latest session began that was ever taken.
    latest: u64,
    root: Option<(Root, Vec<u8>)>,
    state: State,
}

/// How far the receiver is.
///
/// ```text
///   waiting ──root──> index ──manifest──> content
/// ```
enum State {
    Waiting,
    Index(Index, Box<Work>),
    Content(Box<Content>),
}

const LATEST: &str = "latest";
const COUNTER: &str = "counter";
/// How many numbers of messages are written down as used at once. In microseconds it is about a second: a folder that
/// is emptied then goes on above all that it had said as soon as that has passed, since its numbers are those of the
/// clock again.
const RESERVED: u64 = 1 << 20;

impl Default for Settings {
    fn default() -> Settings {
        Settings { existing: Existing::Keep, quiet: Duration::from_secs(1) }
    }
}

impl Store {
    /// Opens a folder to receive in, and makes it if it is not there. With a verifier only what its owner has signed
    /// is taken, without one everything.
    ///
    /// # Errors
    ///
    /// The folder cannot be made or written, or another process receives in it.
    pub fn open(path: &Path, settings: Settings, verifier: Option<Verifier>) -> Result<Store, Failure> {
        let folder = Folder::open(path)?;
        let work = folder.inner(WORK_FOLDER)?;
        let lock = lock(&work, path)?;
        let latest = if verifier.is_some() { read_number(&work, LATEST)? } else { 0 };
        Ok(Store { folder, work, _lock: lock, settings, verifier, latest, root: None, state: State::Waiting })
    }

    /// Takes a payload. `salt` is that of the packet, where packets have one.
    ///
    /// # Errors
    ///
    /// The disk is full or gives way in another manner. What has come is kept; the same payload may be given again.
    pub fn take(&mut self, now: Duration, salt: Option<Salt>, payload: &[u8]) -> Result<Taken, Failure> {
        match payload.first() {
            Some(&ROOT) => self.take_root(now, salt, payload),
            Some(&SYMBOL) => match SymbolId::decode(payload) {
                Ok((id, symbol)) => self.take_symbol(now, id, symbol),
                Err(malformed) => Ok(Taken::Malformed(malformed)),
            },
            _ => Ok(Taken::Malformed(Malformed("a payload of another kind"))),
        }
    }

    /// Does a part of what takes long: holding whole files against their hashes, a megabyte at a time, and giving them
    /// their names. To be called between packets until there is nothing to do.
    ///
    /// # Errors
    ///
    /// The disk is full or gives way in another manner.
    pub fn proceed(&mut self) -> Result<Event, Failure> {
        let State::Content(content) = &mut self.state else { return Ok(Event::Nothing) };
        let event = content.proceed(&self.folder)?;
        if event == Event::All
            && let Some((root, _)) = &self.root
        {
            self.work.remove_folder(&hex(&root.content().0))?;
        }
        Ok(event)
    }

    /// Writes what is still in memory, 64 symbols at most. To be called when nothing has come for a moment.
    ///
    /// # Errors
    ///
    /// The disk is full or gives way in another manner.
    pub fn flush(&mut self) -> Result<(), Failure> {
        match &mut self.state {
            State::Content(content) => content.flush(),
            _ => Ok(()),
        }
    }

    /// What the sender should hear now, in at most `limit` bytes; nothing before a root has come. When all is there
    /// it says so, each time.
    pub fn request(&mut self, now: Duration, limit: usize) -> Option<Vec<u8>> {
        let content = self.root.as_ref()?.0.content().tag();
        let room = (limit.checked_sub(HEADER_BYTES)? / LINE_BYTES).min(MOST_LINES);
        let (left, lines) = match &mut self.state {
            State::Waiting => return None,
            State::Index(index, _) => (u64::MAX, index.lines(room)),
            State::Content(content) => content.lines(now, self.settings.quiet, room),
        };
        Some(Request { content, left, lines }.encode())
    }

    /// Whether every file has its name or was refused.
    pub fn complete(&self) -> bool {
        matches!(&self.state, State::Content(content) if content.complete())
    }

    /// How much has come.
    pub fn progress(&self) -> Progress {
        match &self.state {
            State::Content(content) => content.progress(),
            _ => Progress::default(),
        }
    }

    /// What comes, once that is known.
    pub fn manifest(&self) -> Option<&Manifest> {
        match &self.state {
            State::Content(content) => Some(content.manifest()),
            _ => None,
        }
    }

    /// The salt of the session that is taken part in; feedback is authenticated with it.
    pub fn salt(&self) -> Option<Salt> {
        self.root.as_ref().map(|(root, _)| root.salt)
    }

    /// Numbers for the authenticated messages of this run, above all that were ever used in this folder. `clock` is the
    /// time in microseconds since 1970: it serves if the folder has been emptied.
    ///
    /// # Errors
    ///
    /// They cannot be written down.
    pub fn counter(&self, clock: u64) -> Result<Range<u64>, Failure> {
        let first = read_number(&self.work, COUNTER)?.max(clock);
        self.reserve(first)
    }

    /// Numbers from this one on, for a run that has used up what it had.
    ///
    /// # Errors
    ///
    /// They cannot be written down.
    pub fn reserve(&self, first: u64) -> Result<Range<u64>, Failure> {
        let end = first.saturating_add(RESERVED);
        write_number(&self.work, COUNTER, end)?;
        Ok(first..end)
    }

    fn take_root(&mut self, now: Duration, salt: Option<Salt>, payload: &[u8]) -> Result<Taken, Failure> {
        if self.root.as_ref().is_some_and(|(_, bytes)| bytes == payload) {
            return Ok(Taken::Known);
        }
        let root = match Root::decode(payload, self.verifier.as_ref()) {
            Ok(root) => root,
            Err(malformed) => return Ok(Taken::Malformed(malformed)),
        };
        if salt.is_some_and(|salt| salt != root.salt) {
            return Ok(Taken::Malformed(Malformed("a root of another session than its packet")));
        }
        let latest = self.root.as_ref().map_or(self.latest, |(root, _)| root.began.max(self.latest));
        if root.began < latest {
            return Ok(Taken::Malformed(Malformed("a root of a session before the latest")));
        }
        let same = self.root.as_ref().is_some_and(|(other, _)| other.content() == root.content());
        if !same {
            self.flush()?;
            self.state = State::Waiting;
            self.root = None;
            let work = self.work.inner(&hex(&root.content().0))?;
            self.state = match index::read(&work, &root)? {
                Some(manifest) => State::Content(Box::new(self.content(now, work, manifest)?)),
                None => State::Index(Index::new(&root), Box::new(Work::open(work)?.0)),
            };
        }
        if self.verifier.is_some() && root.began != self.latest {
            write_number(&self.work, LATEST, root.began)?;
            self.latest = root.began;
        }
        self.root = Some((root, payload.to_vec()));
        Ok(Taken::Root)
    }

    fn take_symbol(&mut self, now: Duration, id: SymbolId, symbol: &[u8]) -> Result<Taken, Failure> {
        let Some((root, _)) = &self.root else { return Ok(Taken::Early) };
        if id.content != root.content().tag() {
            return Ok(Taken::Foreign);
        }
        match &mut self.state {
            State::Waiting => Ok(Taken::Early),
            State::Content(content) => content.take(now, id, symbol),
            State::Index(..) if id.object != MANIFEST => Ok(Taken::Early),
            State::Index(index, work) => {
                let taken = index.take(id, symbol);
                let Some(manifest) = index.whole() else { return Ok(taken) };
                let manifest = match manifest {
                    Ok(manifest) => manifest,
                    Err(malformed) => return Ok(Taken::Malformed(malformed)),
                };
                index::write(work.folder(), &manifest)?;
                let work = self.work.inner(&hex(&root.content().0))?;
                self.state = State::Content(Box::new(self.content(now, work, manifest)?));
                Ok(Taken::Manifest)
            }
        }
    }

    fn content(&self, now: Duration, work: Folder, manifest: Manifest) -> Result<Content, Failure> {
        Content::open(now, &self.folder, work, manifest, self.settings.existing)
    }
}

/// A number that a file has in decimal digits; 0 if there is none.
fn read_number(folder: &Folder, name: &str) -> Result<u64, Failure> {
    if folder.length(name).is_none() {
        return Ok(0);
    }
    let mut digits = [0; 20];
    let file = folder.file(name)?;
    disk::read_at(&file, &mut digits, 0).map_err(|error| Failure::disk("read", &folder.path().join(name), &error))?;
    let text = std::str::from_utf8(&digits).unwrap_or_default();
    Ok(text.trim_end_matches('\0').parse().unwrap_or(0))
}

/// Writes a number into a file, which has the old one or this at every moment.
fn write_number(folder: &Folder, name: &str, number: u64) -> Result<(), Failure> {
    let next = format!("{name}.next");
    let failed = |error| Failure::disk("write", &folder.path().join(&next), &error);
    let file = folder.file(&next)?;
    disk::set_length(&file, 0).map_err(failed)?;
    disk::write_at(&file, number.to_string().as_bytes(), 0).map_err(failed)?;
    file.sync_data().map_err(failed)?;
    folder.rename(&next, name)
}

#[cfg(test)]
mod tests;
