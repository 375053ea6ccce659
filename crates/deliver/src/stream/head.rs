//! The head of a stream: a signed packet that says which blocks there are, and by which hashes they are known.
//!
//! It comes before each block and again and again, and lists the latest blocks, so that one that is lost is no loss.
//! Salt and beginning are signed with it, so that a head of an earlier session is none of a later one.

use super::delay::DELAYS;
use crate::bytes::Reader;
use crate::failure::Malformed;
use crate::geometry::Cut;
use crate::keys::{Salt, Signature, Signer, Verifier};
use crate::manifest::{Hash, hash};

use std::time::Duration;

/// The kind of a packet with a head, in its first byte.
pub const HEAD: u8 = 4;
/// The version of the format.
pub const VERSION: u8 = 1;
/// Bytes before the entries.
pub const FIXED_BYTES: usize = 1 + 4 + 1 + 1 + 2 + 2 + 4 + 8 + 12 + 8 + 8 + 8 + 8 + 1;
/// Bytes of an entry.
pub const ENTRY_BYTES: usize = 8 + 4 + 32;

const SIGNED: u8 = 128;
const OVER: u8 = 1;
const SIGNATURE_BYTES: usize = 64;
/// What a signature is of, before the head's own bytes.
const PURPOSE: &[u8] = b"faircast stream 1";

/// A block, as a head lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Where it begins, bytes of the stream. Behind the end of the block before it, if the sender has left some out.
    pub at: u64,
    /// Its length, bytes.
    pub bytes: u32,
    /// Its hash.
    pub hash: Hash,
}

/// What is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Bytes of a symbol, and the most symbols of a block.
    pub cut: Cut,
    /// How long a block is kept, whole milliseconds.
    pub delay: Duration,
    /// When the session began, seconds since 1970 by the sender's clock.
    pub began: u64,
    /// The session's salt.
    pub salt: Salt,
    /// No more blocks will come than there are.
    pub is_over: bool,
    /// How many bytes of the stream are in blocks or were left out; all of them when it is over.
    pub bytes: u64,
    /// How many blocks the sender has begun to send.
    pub begun: u64,
    /// The number of the first block that is kept.
    pub kept: u64,
    /// The number of the first entry.
    pub listed: u64,
    /// Blocks that follow each other.
    pub entries: Vec<Entry>,
}

impl Entry {
    /// Where it ends, bytes of the stream.
    pub fn end(&self) -> u64 {
        self.at + u64::from(self.bytes)
    }

    /// How many source symbols it has.
    pub fn symbols(&self, cut: Cut) -> u16 {
        self.bytes.div_ceil(u32::from(cut.symbol_bytes)) as u16
    }

    /// How many bytes a symbol has in a packet: the last source symbol ends where the block does.
    pub fn symbol_bytes(&self, cut: Cut, symbol: u32) -> usize {
        let full = u32::from(cut.symbol_bytes);
        let is_source = symbol < u32::from(self.symbols(cut));
        if is_source { (self.bytes - symbol * full).min(full) as usize } else { full as usize }
    }
}

impl Head {
    /// What all packets of the session have.
    pub fn tag(&self) -> u32 {
        let mut of = vec![VERSION];
        of.extend_from_slice(&self.cut.symbol_bytes.to_be_bytes());
        of.extend_from_slice(&self.cut.block_symbols.to_be_bytes());
        of.extend_from_slice(&(self.delay.as_millis() as u32).to_be_bytes());
        of.extend_from_slice(&self.began.to_be_bytes());
        of.extend_from_slice(&self.salt.0);
        let [a, b, c, d, ..] = hash(&of);
        u32::from_be_bytes([a, b, c, d])
    }

    /// How many entries a packet has room for.
    pub fn room(bytes: usize) -> usize {
        (bytes.saturating_sub(FIXED_BYTES + SIGNATURE_BYTES) / ENTRY_BYTES).min(usize::from(u8::MAX))
    }

    /// Appends the packet's payload; without a signer it is not signed, and only those who ask for no keys take it.
    ///
    /// # Panics
    ///
    /// There are more than 255 entries.
    pub fn encode(&self, signer: Option<&Signer>, out: &mut Vec<u8>) {
        let start = out.len();
        out.push(HEAD);
        out.extend_from_slice(&self.tag().to_be_bytes());
        out.push(VERSION);
        out.push(if signer.is_some() { SIGNED } else { 0 } | if self.is_over { OVER } else { 0 });
        out.extend_from_slice(&self.cut.symbol_bytes.to_be_bytes());
        out.extend_from_slice(&self.cut.block_symbols.to_be_bytes());
        out.extend_from_slice(&(self.delay.as_millis() as u32).to_be_bytes());
        out.extend_from_slice(&self.began.to_be_bytes());
        out.extend_from_slice(&self.salt.0);
        let numbers = [self.bytes, self.begun, self.kept, self.listed];
        numbers.iter().for_each(|number| out.extend_from_slice(&number.to_be_bytes()));
        out.push(u8::try_from(self.entries.len()).expect("as many as fit into a packet"));
        for entry in &self.entries {
            out.extend_from_slice(&entry.at.to_be_bytes());
            out.extend_from_slice(&entry.bytes.to_be_bytes());
            out.extend_from_slice(&entry.hash);
        }
        if let Some(signer) = signer {
            let Signature(signature) = signer.sign(PURPOSE, &out[start..]);
            out.extend_from_slice(&signature);
        }
    }

    /// Reads a head and, if there is a verifier, holds its signature against it.
    ///
    /// # Errors
    ///
    /// The bytes are no head, of another version, contradict themselves, or are not signed by whom they should be.
    pub fn decode(bytes: &[u8], verifier: Option<&Verifier>) -> Result<Head, Malformed> {
        let mut reader = Reader::new(bytes);
        if reader.u8()? != HEAD {
            return Err(Malformed("it is no head"));
        }
        let tag = reader.u32()?;
        if reader.u8()? != VERSION {
            return Err(Malformed("a head of another version"));
        }
        let flags = reader.u8()?;
        let cut = Cut { symbol_bytes: reader.u16()?, block_symbols: reader.u16()? }.check()?;
        let delay = Duration::from_millis(reader.u32()?.into());
        let (began, salt) = (reader.u64()?, Salt(reader.array()?));
        let (so_far, begun, kept, listed) = (reader.u64()?, reader.u64()?, reader.u64()?, reader.u64()?);
        let count = usize::from(reader.u8()?);
        let mut entries = Vec::with_capacity(count.min(bytes.len() / ENTRY_BYTES));
        for _ in 0..count {
            entries.push(Entry { at: reader.u64()?, bytes: reader.u32()?, hash: reader.array()? });
        }
        let is_over = flags & OVER != 0;
        let head = Head { cut, delay, began, salt, is_over, bytes: so_far, begun, kept, listed, entries };
        head.check()?;
        if head.tag() != tag {
            return Err(Malformed("a head of another session than it says"));
        }
        let signature = if flags & SIGNED != 0 { Some(Signature(reader.array()?)) } else { None };
        reader.end()?;
        if let Some(verifier) = verifier {
            let signature = signature.ok_or(Malformed("a head without signature"))?;
            if !verifier.verify(PURPOSE, &bytes[..bytes.len() - SIGNATURE_BYTES], &signature) {
                return Err(Malformed("a head that somebody else has signed"));
            }
        }
        Ok(head)
    }

    fn check(&self) -> Result<(), Malformed> {
        if !DELAYS.contains(&self.delay) {
            return Err(Malformed("a delay of 0.1 to 1000 seconds is legal"));
        }
        let end = self.listed.checked_add(self.entries.len() as u64);
        if self.kept > self.begun || end.is_none_or(|end| end > self.begun.saturating_add(1)) {
            return Err(Malformed("a head about blocks that there are not"));
        }
        let longest = u32::from(self.cut.symbol_bytes) * u32::from(self.cut.block_symbols);
        let mut end = 0;
        for entry in &self.entries {
            let is_legal = (1..=longest).contains(&entry.bytes) && entry.at >= end;
            end = entry.at.checked_add(entry.bytes.into()).filter(|_| is_legal).ok_or(Malformed("an illegal block"))?;
        }
        if end > self.bytes {
            return Err(Malformed("a head about more bytes than there are"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::testing::signer;

    fn head() -> Head {
        let entry = |at, bytes, of| Entry { at, bytes, hash: [of; 32] };
        Head {
            cut: Cut { symbol_bytes: 1144, block_symbols: 512 },
            delay: Duration::from_millis(2500),
            began: 1_700_000_000,
            salt: Salt([7; 12]),
            is_over: false,
            bytes: 0x0608,
            begun: 9,
            kept: 4,
            listed: 8,
            entries: vec![entry(0x0102, 0x0304, 5), entry(0x0507, 6, 7)],
        }
    }

    fn bytes(head: &Head, signer: Option<&Signer>) -> Vec<u8> {
        let mut out = Vec::new();
        head.encode(signer, &mut out);
        out
    }

    #[test]
    fn bytes_are_those_of_the_format() {
        let head = Head { is_over: true, ..head() };
        let written = bytes(&head, None);
        assert_eq!(written.len(), FIXED_BYTES + 2 * ENTRY_BYTES);
        assert_eq!(written[..1], [4]);
        assert_eq!(written[1..5], head.tag().to_be_bytes());
        assert_eq!(written[5..23], [1, 1, 4, 120, 2, 0, 0, 0, 9, 196, 0, 0, 0, 0, 101, 83, 241, 0]);
        assert_eq!(written[23..35], [7; 12]);
        assert_eq!(
            written[35..68],
            [0, 0, 0, 0, 0, 0, 6, 8, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 8, 2]
        );
        assert_eq!(written[68..80], [0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4]);
        assert_eq!(
            (written[80..112].to_vec(), written[112..124].to_vec()),
            (vec![5; 32], vec![0, 0, 0, 0, 0, 0, 5, 7, 0, 0, 0, 6])
        );
        assert_eq!(Head::decode(&written, None), Ok(head));
    }

    #[test]
    fn what_is_signed_is_read_and_nothing_else() {
        let (ours, verifier) = signer(1);
        let written = bytes(&head(), Some(&ours));
        assert_eq!(written.len(), FIXED_BYTES + 2 * ENTRY_BYTES + 64);
        assert_eq!(Head::decode(&written, Some(&verifier)), Ok(head()));
        for byte in 0..written.len() {
            let mut other = written.clone();
            other[byte] ^= 1 << (byte % 8);
            assert!(Head::decode(&other, Some(&verifier)).is_err(), "byte {byte}");
            assert!(Head::decode(&written[..byte], None).is_err(), "{byte} bytes");
        }
        assert!(Head::decode(&bytes(&head(), Some(&signer(2).0)), Some(&verifier)).is_err());
        assert!(Head::decode(&bytes(&head(), None), Some(&verifier)).is_err());
        assert!(Head::decode(&[&bytes(&head(), None)[..], &[0]].concat(), None).is_err());
    }

    #[test]
    fn contradictions_are_refused() {
        let entry = head().entries[0];
        for wrong in [
            Head { cut: Cut { symbol_bytes: 0, block_symbols: 5 }, ..head() },
            Head { delay: Duration::from_millis(99), ..head() },
            Head { delay: Duration::from_millis(1_000_001), ..head() },
            Head { kept: 10, ..head() },
            Head { bytes: 0x0507 + 5, ..head() },
            Head { listed: 9, ..head() },
            Head { listed: u64::MAX, ..head() },
            Head { entries: vec![entry; 2], ..head() },
            Head { entries: vec![Entry { bytes: 0, ..entry }], ..head() },
            Head { entries: vec![Entry { bytes: 1144 * 512 + 1, ..entry }], ..head() },
            Head { entries: vec![Entry { at: u64::MAX, ..entry }], ..head() },
        ] {
            assert!(Head::decode(&bytes(&wrong, None), None).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_last_source_symbol_is_short() {
        let (cut, entry) = (Cut { symbol_bytes: 100, block_symbols: 9 }, Entry { at: 0, bytes: 250, hash: [0; 32] });
        assert_eq!(
            (entry.symbols(cut), [0, 1, 2, 3, 1 << 23].map(|symbol| entry.symbol_bytes(cut, symbol))),
            (3, [100, 100, 50, 100, 100])
        );
        let even = Entry { bytes: 200, ..entry };
        assert_eq!((even.symbols(cut), [1, 2].map(|symbol| even.symbol_bytes(cut, symbol))), (2, [100, 100]));
        assert_eq!((Head::room(1160), Head::room(175), Head::room(176), Head::room(9)), (23, 0, 1, 0));
    }
}
