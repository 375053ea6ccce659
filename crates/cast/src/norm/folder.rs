//! The receiver's folder, and what becomes of objects in it.

use faircast_deliver::Failure;
use faircast_deliver::names::FileName;
use faircast_deliver::store::{Loose, Named};
use faircast_norm::receiver::Sink;

/// Files as they come.
pub struct Folder {
    loose: Loose,
    /// Names of those that have been given one since this was emptied last.
    pub named: Vec<String>,
    /// How many those are in all, and their bytes.
    pub files: usize,
    pub bytes: u64,
    /// What is not kept, in a sentence each.
    pub refused: Vec<String>,
}

impl Folder {
    pub fn new(loose: Loose) -> Folder {
        Folder { loose, named: Vec::new(), files: 0, bytes: 0, refused: Vec::new() }
    }
}

impl Sink for Folder {
    type Error = Failure;

    fn write(&mut self, object: u64, at: u64, bytes: &[u8]) -> Result<bool, Failure> {
        let has_room = self.loose.write(object, at, bytes)?;
        if !has_room {
            self.refused
                .push(format!("a file that is said to go beyond byte {at} is longer than the disk takes files"));
        }
        Ok(has_room)
    }

    fn complete(&mut self, object: u64, bytes: u64, information: Option<&[u8]>) -> Result<(), Failure> {
        let name = match information {
            // Nobody says what it is called.
            None => Ok(format!("norm-{}", object as u16)),
            Some(information) => String::from_utf8(information.to_vec()).map_err(|_| "is not UTF-8"),
        };
        let harmless = name.and_then(|name| FileName::new(&name));
        let name = match harmless {
            Ok(name) => name,
            Err(wrong) => {
                let name = String::from_utf8_lossy(information.unwrap_or_default()).into_owned();
                self.refused.push(format!("{name:?} is not kept: its name {wrong}"));
                return self.loose.abandon(object);
            }
        };
        let named = match self.loose.finish(object, bytes, &name) {
            Ok(named) => named,
            // Where a part of the name should be a folder and is a file: the others can have theirs.
            Err(Failure::Input(why)) => {
                self.refused.push(format!("{:?} is not kept: {why}", name.as_str()));
                return self.loose.abandon(object);
            }
            Err(failure) => return Err(failure),
        };
        match named {
            Named::Done | Named::Same => {
                self.named.push(name.as_str().to_owned());
                self.files += 1;
                self.bytes += bytes;
            }
            Named::Taken => {
                self.refused.push(format!("{name} is there with other content and stays; --replace replaces it"));
            }
        }
        Ok(())
    }

    /// What cannot be removed is removed by the next that receives there.
    fn abandon(&mut self, object: u64) {
        let _ = self.loose.abandon(object);
    }
}
