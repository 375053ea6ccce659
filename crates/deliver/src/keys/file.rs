//! Files with keys: one for the sender, one for each receiver, readable by their owner alone.

use super::feedback::receiver_key;
use super::secret::Secret;
use super::signature::{Signer, Verifier};
use crate::bytes::{from_hex, hex};
use crate::failure::Failure;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// What a sender needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SenderKeys {
    /// Receivers 1 to this have keys.
    pub(super) receivers: u32,
    pub(super) root: Secret,
    pub(super) group: Secret,
    pub(super) seed: Secret,
}

/// What receiver `id` needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiverKeys {
    pub(super) id: u32,
    pub(super) own: Secret,
    pub(super) group: Secret,
    pub(super) sender: Verifier,
}

/// The most receivers that keys are made for at once.
const MOST_RECEIVERS: u32 = 1_000_000;
/// The longest file that can have keys, bytes.
const MOST_BYTES: u64 = 4096;
const FORMAT: &str = "faircast-key 1";

/// Draws keys and writes them into `folder`, which is made if it is not there: `sender.key` and `receiver-1.key` and so
/// on, with leading zeros as the last one needs them. All have mode 0600. What it has written, the sender's first.
/// `goes_on` is asked before each receiver.
///
/// # Errors
///
/// No receiver or more than a million, one of the files is there already, or the folder cannot be written; or it is not
/// to go on, and then none of them is left.
pub fn make(folder: &Path, receivers: u32, goes_on: &mut dyn FnMut() -> bool) -> Result<Vec<PathBuf>, Failure> {
    if !(1..=MOST_RECEIVERS).contains(&receivers) {
        return Err(Failure::input(format!("keys for {receivers} receivers: 1 to {MOST_RECEIVERS} are legal")));
    }
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| Failure::disk("make", folder, &error))?;
    let keys = SenderKeys { receivers, root: Secret::draw()?, group: Secret::draw()?, seed: Secret::draw()? };
    let width = receivers.to_string().len();
    let mut written = vec![write(folder.join("sender.key"), &keys.text())?];
    for id in 1..=receivers {
        let path = folder.join(format!("receiver-{id:0width$}.key"));
        let next = if goes_on() { write(path, &keys.receiver(id).text()) } else { Err(Failure::Stopped) };
        match next {
            Ok(path) => written.push(path),
            Err(why) => {
                // A part of them would stand in the way of the next attempt, and nobody has any yet.
                written.iter().for_each(|path| drop(fs::remove_file(path)));
                return Err(why);
            }
        }
    }
    Ok(written)
}

impl SenderKeys {
    /// Whoever signs with these keys.
    pub fn signer(&self) -> Signer {
        Signer::new(&self.seed)
    }

    /// Reads the sender's file.
    ///
    /// # Errors
    ///
    /// It cannot be read, others can read it, or it is no sender's.
    pub fn read(path: &Path) -> Result<SenderKeys, Failure> {
        let lines = Lines::read(path, "sender")?;
        let receivers = lines.number("receivers")?;
        Ok(SenderKeys {
            receivers,
            root: Secret(lines.bytes("root")?),
            group: Secret(lines.bytes("group")?),
            seed: Secret(lines.bytes("sign")?),
        })
    }

    /// The keys of receiver `id`.
    pub fn receiver(&self, id: u32) -> ReceiverKeys {
        let sender = Signer::new(&self.seed).verifier();
        ReceiverKeys { id, own: receiver_key(&self.root, id), group: self.group.clone(), sender }
    }

    /// How many receivers have keys: those with ids from 1 on.
    pub fn receivers(&self) -> u32 {
        self.receivers
    }

    fn text(&self) -> String {
        let (root, group, seed) = (hex(&self.root.0), hex(&self.group.0), hex(&self.seed.0));
        let receivers = self.receivers;
        format!("{FORMAT}\nrole sender\nreceivers {receivers}\nroot {root}\ngroup {group}\nsign {seed}\n")
    }
}

impl ReceiverKeys {
    /// Reads a receiver's file.
    ///
    /// # Errors
    ///
    /// It cannot be read, others can read it, or it is no receiver's.
    pub fn read(path: &Path) -> Result<ReceiverKeys, Failure> {
        let lines = Lines::read(path, "receiver")?;
        Ok(ReceiverKeys {
            id: lines.number("id")?,
            own: Secret(lines.bytes("own")?),
            group: Secret(lines.bytes("group")?),
            sender: Verifier(lines.bytes("sender")?),
        })
    }

    /// Its id.
    pub fn id(&self) -> u32 {
        self.id
    }

    fn text(&self) -> String {
        let (own, group, sender) = (hex(&self.own.0), hex(&self.group.0), hex(&self.sender.0));
        format!("{FORMAT}\nrole receiver\nid {}\nown {own}\ngroup {group}\nsender {sender}\n", self.id)
    }
}

/// A file's lines, each a name and a value.
struct Lines<'a> {
    path: &'a Path,
    lines: Vec<(String, String)>,
}

impl<'a> Lines<'a> {
    fn read(path: &'a Path, role: &str) -> Result<Lines<'a>, Failure> {
        let failed = |error| Failure::disk("read", path, &error);
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() || metadata.len() > MOST_BYTES {
            return Err(Failure::input(format!("{} is no file with keys", path.display())));
        }
        if metadata.mode() & 0o077 != 0 {
            let path = path.display();
            return Err(Failure::input(format!("{path} has keys that others can read: chmod 600 {path}")));
        }
        let mut text = String::new();
        file.take(MOST_BYTES).read_to_string(&mut text).map_err(failed)?;
        let mut lines = text.lines();
        if lines.next() != Some(FORMAT) {
            return Err(Failure::input(format!("{} is no file with keys of version 1", path.display())));
        }
        let lines = lines.filter_map(|line| line.split_once(' '));
        let lines = Lines { path, lines: lines.map(|(name, value)| (name.to_owned(), value.to_owned())).collect() };
        if lines.value("role")? != role {
            return Err(Failure::input(format!(
                "{} has the keys of a {}, no {role}'s",
                path.display(),
                lines.value("role")?
            )));
        }
        Ok(lines)
    }

    fn value(&self, name: &str) -> Result<&str, Failure> {
        let found = self.lines.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str());
        found.ok_or_else(|| Failure::input(format!("{} has no line {name}", self.path.display())))
    }

    fn number(&self, name: &str) -> Result<u32, Failure> {
        let number = self.value(name)?.parse().ok().filter(|number| (1..=MOST_RECEIVERS).contains(number));
        number.ok_or_else(|| {
            Failure::input(format!("{}: {name} is a number from 1 to {MOST_RECEIVERS}", self.path.display()))
        })
    }

    fn bytes(&self, name: &str) -> Result<[u8; 32], Failure> {
        let bytes = from_hex(self.value(name)?);
        bytes.ok_or_else(|| Failure::input(format!("{}: {name} is 64 hexadecimal digits", self.path.display())))
    }
}

/// Writes a new file that its owner alone can read.
fn write(path: PathBuf, text: &str) -> Result<PathBuf, Failure> {
    let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
    let mut file = opened.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Failure::input(format!("{} is there already: keys are not replaced", path.display()))
        }
        _ => Failure::disk("write", &path, &error),
    })?;
    if let Err(error) = file.write_all(text.as_bytes()) {
        drop(fs::remove_file(&path));
        return Err(Failure::disk("write", &path, &error));
    }
    Ok(path)
}
