//! What is offered: names, lengths, hashes of files and of their blocks.
//!
//! The manifest is an object as files are. What is signed is the [`Root`](crate::root::Root), which has the hashes of
//! the manifest's blocks; so one signature covers every byte of every file.

use crate::bytes::Reader;
use crate::failure::Malformed;
use crate::geometry::{Cut, Geometry};
use crate::names::FileName;
use std::collections::BTreeMap;

/// A BLAKE3 hash.
pub type Hash = [u8; 32];

/// The hash of `bytes`.
pub fn hash(bytes: &[u8]) -> Hash {
    *blake3::hash(bytes).as_bytes()
}

/// A file of an offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Where it lies below the receiver's folder.
    pub name: FileName,
    /// How it is cut, and so how long it is.
    pub geometry: Geometry,
    /// BLAKE3 of the whole file, as `b3sum` prints it.
    pub hash: Hash,
    /// The hash of each block.
    pub blocks: Vec<Hash>,
}

/// All files of an offer. The first one is object 1; the manifest itself is object 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    entries: Vec<Entry>,
}

/// Bytes of an entry beside its name and blocks: length of the name, length, hash.
const ENTRY_BYTES: usize = 2 + 8 + 32;

impl Manifest {
    /// A manifest of these files.
    ///
    /// # Errors
    ///
    /// Two of them have one name, also where case does not count, or one is named as a folder of another; or there is
    /// none.
    pub fn new(entries: Vec<Entry>) -> Result<Manifest, String> {
        if entries.is_empty() {
            return Err("there is no file".to_owned());
        }
        let mut names = BTreeMap::new();
        for entry in &entries {
            if let Some(other) = names.insert(entry.name.folded(), &entry.name) {
                return Err(if *other == entry.name {
                    format!("two files are called {other}")
                } else {
                    format!("{other} and {} differ by case alone, which some systems do not see", entry.name)
                });
            }
        }
        for (folded, name) in &names {
            for (end, _) in folded.match_indices('/') {
                if let Some(file) = names.get(&folded[..end]) {
                    return Err(format!("{file} is a file and, for {name}, a folder"));
                }
            }
        }
        Ok(Manifest { entries })
    }

    /// Its files, in the order in which they are sent.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// How many bytes all files have together.
    pub fn bytes(&self) -> u64 {
        self.entries.iter().map(|entry| entry.geometry.length()).sum()
    }

    /// How many source symbols all files have together.
    pub fn symbols(&self) -> u64 {
        self.entries.iter().map(|entry| entry.geometry.symbols()).sum()
    }

    /// The form in which it is sent.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = (self.entries.len() as u32).to_be_bytes().to_vec();
        for entry in &self.entries {
            out.extend_from_slice(&(entry.name.as_str().len() as u16).to_be_bytes());
            out.extend_from_slice(entry.name.as_str().as_bytes());
            out.extend_from_slice(&entry.geometry.length().to_be_bytes());
            out.extend_from_slice(&entry.hash);
            entry.blocks.iter().for_each(|hash| out.extend_from_slice(hash));
        }
        out
    }

    /// Reads a manifest of an offer that is cut so. It takes no more memory than a few times the bytes' own length,
    /// whatever they say: a length that is made up needs the hashes of its blocks.
    ///
    /// # Errors
    ///
    /// The bytes are no manifest, or one that [`Manifest::new`] refuses.
    pub fn decode(bytes: &[u8], cut: Cut) -> Result<Manifest, Malformed> {
        let mut reader = Reader::new(bytes);
        let count = reader.u32()? as usize;
        let mut entries = Vec::with_capacity(count.min(bytes.len() / ENTRY_BYTES));
        for _ in 0..count {
            let length = usize::from(reader.u16()?);
            let name = std::str::from_utf8(reader.take(length)?).map_err(|_| Malformed("a name is not UTF-8"))?;
            let name = FileName::new(name).map_err(|_| Malformed("a name could leave the folder"))?;
            let geometry = Geometry::new(cut, reader.u64()?)?;
            let hash = reader.array()?;
            let hashes =
                reader.take((geometry.blocks() as usize).checked_mul(32).ok_or(Malformed("too many blocks"))?)?;
            let (blocks, _) = hashes.as_chunks::<32>();
            entries.push(Entry { name, geometry, hash, blocks: blocks.to_vec() });
        }
        reader.end()?;
        Manifest::new(entries).map_err(|_| Malformed("names of files are in each other's way"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUT: Cut = Cut { symbol_bytes: 64, block_symbols: 4 };

    fn entry(name: &str, length: u64) -> Entry {
        let geometry = Geometry::new(CUT, length).expect("legal");
        let blocks = (0..geometry.blocks()).map(|block| hash(&block.to_be_bytes())).collect();
        Entry { name: FileName::new(name).expect("legal"), geometry, hash: hash(name.as_bytes()), blocks }
    }

    #[test]
    fn bytes_are_those_of_the_format() {
        let (whole, block) = (hash(b"b/d"), hash(&0_u32.to_be_bytes()));
        let bytes = [&[0, 0, 0, 1, 0, 3][..], b"b/d", &[0, 0, 0, 0, 0, 0, 1, 0], &whole, &block].concat();
        assert_eq!(Manifest::new(vec![entry("b/d", 256)]).expect("legal").encode(), bytes);
    }

    #[test]
    fn what_is_written_is_read() {
        let manifest = Manifest::new(vec![entry("a", 0), entry("b/c", 1000), entry("b/d", 1)]).expect("legal");
        let bytes = manifest.encode();
        assert_eq!(bytes.len(), 4 + 3 * ENTRY_BYTES + 7 + 32 * (4 + 1));
        assert_eq!(Manifest::decode(&bytes, CUT), Ok(manifest.clone()));
        for end in 0..bytes.len() {
            assert!(Manifest::decode(&bytes[..end], CUT).is_err(), "{end} bytes");
        }
        assert!(Manifest::decode(&[&bytes[..], &[0]].concat(), CUT).is_err());
        assert_eq!((manifest.bytes(), manifest.symbols()), (1001, 17));
    }

    #[test]
    fn names_that_are_in_each_others_way_are_refused() {
        for names in [["a", "a"], ["a/b", "A/B"], ["a", "a/b"], ["a/b", "A"], ["x/y/z", "x/y"]] {
            let entries: Vec<Entry> = names.iter().map(|name| entry(name, 1)).collect();
            assert!(Manifest::new(entries.clone()).is_err(), "{names:?}");
            assert!(Manifest::decode(&Manifest { entries }.encode(), CUT).is_err(), "{names:?}");
        }
        assert!(Manifest::new(vec![entry("ab", 1), entry("a/b", 1), entry("a-b", 1)]).is_ok());
        assert!(Manifest::decode(&0u32.to_be_bytes(), CUT).is_err(), "no file at all");
    }

    #[test]
    fn a_strangers_lengths_take_no_memory() {
        let mut huge = Manifest { entries: vec![entry("a", 256)] }.encode();
        for length in [u64::MAX, 1 << 48, 1 << 40, 257] {
            huge[7..15].copy_from_slice(&length.to_be_bytes());
            assert!(Manifest::decode(&huge, CUT).is_err(), "{length}");
        }
        assert!(Manifest::decode(&u32::MAX.to_be_bytes(), CUT).is_err());
    }
}
