//! The root of an offer: one packet, signed, from which everything else can be checked.
//!
//! It has how objects are cut, how long the manifest is and the hashes of its blocks. The signature also covers when
//! the session began and its salt, so that a root of an earlier session is none of a later one.

use crate::bytes::Reader;
use crate::failure::Malformed;
use crate::geometry::{Cut, Geometry};
use crate::keys::{Salt, Signature, Signer, Verifier};
use crate::manifest::{Hash, hash};

/// The kind of a packet with a root, in its first byte.
pub const ROOT: u8 = 1;
/// The version of the format.
pub const VERSION: u8 = 1;
/// The longest manifest, bytes.
pub const MOST_MANIFEST_BYTES: u32 = 64 << 20;

const SIGNED: u8 = 128;
/// Bytes before the hashes of the manifest's blocks.
const FIXED_BYTES: usize = 1 + 4 + 1 + 1 + 2 + 2 + 4 + 8 + 12 + 1;
const SIGNATURE_BYTES: usize = 64;
/// What a signature is of, before the root's own bytes: no signature of anything else can be taken for one.
const PURPOSE: &[u8] = b"faircast root 1";

/// What a content is known by: equal for the same files, cut in the same way, whoever sends them and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContentId(pub [u8; 16]);

/// What is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// How objects are cut.
    pub cut: Cut,
    /// Length of the manifest, bytes.
    pub manifest_bytes: u32,
    /// When the session began, seconds since 1970 by the sender's clock.
    pub began: u64,
    /// The session's salt.
    pub salt: Salt,
    /// Hashes of the manifest's blocks.
    pub hashes: Vec<Hash>,
}

impl ContentId {
    /// The first four bytes, which every packet of the content has.
    pub fn tag(self) -> u32 {
        let [a, b, c, d, ..] = self.0;
        u32::from_be_bytes([a, b, c, d])
    }
}

impl Root {
    /// What its content is known by.
    pub fn content(&self) -> ContentId {
        let mut of = Vec::with_capacity(9 + 32 * self.hashes.len());
        of.push(VERSION);
        of.extend_from_slice(&self.cut.symbol_bytes.to_be_bytes());
        of.extend_from_slice(&self.cut.block_symbols.to_be_bytes());
        of.extend_from_slice(&self.manifest_bytes.to_be_bytes());
        self.hashes.iter().for_each(|hash| of.extend_from_slice(hash));
        let (id, _) = hash(&of).split_first_chunk().map(|(id, rest)| (*id, rest.len())).expect("32 bytes have 16");
        ContentId(id)
    }

    /// How the manifest is cut.
    pub fn geometry(&self) -> Geometry {
        Geometry::new(self.cut, u64::from(self.manifest_bytes)).expect("checked when it was made or read")
    }

    /// Bytes of a root with hashes of so many blocks.
    pub fn bytes(blocks: usize) -> usize {
        FIXED_BYTES + 32 * blocks + SIGNATURE_BYTES
    }

    /// The packet's payload; without a signer it is not signed, and only those who ask for no keys take it.
    ///
    /// # Panics
    ///
    /// There are more than 255 hashes; [`Offer`](crate::offer::Offer) sees to that.
    pub fn encode(&self, signer: Option<&Signer>) -> Vec<u8> {
        let mut out = Vec::with_capacity(Root::bytes(self.hashes.len()));
        out.push(ROOT);
        out.extend_from_slice(&self.content().tag().to_be_bytes());
        out.push(VERSION);
        out.push(if signer.is_some() { SIGNED } else { 0 });
        out.extend_from_slice(&self.cut.symbol_bytes.to_be_bytes());
        out.extend_from_slice(&self.cut.block_symbols.to_be_bytes());
        out.extend_from_slice(&self.manifest_bytes.to_be_bytes());
        out.extend_from_slice(&self.began.to_be_bytes());
        out.extend_from_slice(&self.salt.0);
        out.push(u8::try_from(self.hashes.len()).expect("as many as fit into a packet"));
        self.hashes.iter().for_each(|hash| out.extend_from_slice(hash));
        if let Some(signer) = signer {
            let Signature(signature) = signer.sign(PURPOSE, &out);
            out.extend_from_slice(&signature);
        }
        out
    }

    /// Reads a root and, if there is a verifier, holds its signature against it. Without one a signature is not
    /// looked at, as whoever has no key cannot.
    ///
    /// # Errors
    ///
    /// The bytes are no root, of another version, contradict themselves, or are not signed by whom they should be.
    pub fn decode(bytes: &[u8], verifier: Option<&Verifier>) -> Result<Root, Malformed> {
        let mut reader = Reader::new(bytes);
        if reader.u8()? != ROOT {
            return Err(Malformed("it is no root"));
        }
        let tag = reader.u32()?;
        if reader.u8()? != VERSION {
            return Err(Malformed("a root of another version"));
        }
        let signed = reader.u8()? & SIGNED != 0;
        let cut = Cut { symbol_bytes: reader.u16()?, block_symbols: reader.u16()? };
        let manifest_bytes = reader.u32()?;
        let (began, salt) = (reader.u64()?, Salt(reader.array()?));
        let count = usize::from(reader.u8()?);
        let (hashes, _) = reader.take(32 * count)?.as_chunks::<32>();
        let root = Root { cut, manifest_bytes, began, salt, hashes: hashes.to_vec() };
        if manifest_bytes == 0 || manifest_bytes > MOST_MANIFEST_BYTES {
            return Err(Malformed("a manifest of 1 byte to 64 MiB is legal"));
        }
        if Geometry::new(cut, u64::from(manifest_bytes))?.blocks() as usize != count {
            return Err(Malformed("a root with hashes of other blocks"));
        }
        if root.content().tag() != tag {
            return Err(Malformed("a root of another content than it says"));
        }
        let signature = if signed { Some(Signature(reader.array()?)) } else { None };
        reader.end()?;
        if let Some(verifier) = verifier {
            let signature = signature.ok_or(Malformed("a root without signature"))?;
            let of = &bytes[..bytes.len() - SIGNATURE_BYTES];
            if !verifier.verify(PURPOSE, of, &signature) {
                return Err(Malformed("a root that somebody else has signed"));
            }
        }
        Ok(root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::testing::signer;

    fn root() -> Root {
        Root {
            cut: Cut { symbol_bytes: 1152, block_symbols: 512 },
            manifest_bytes: 600_000,
            began: 1_700_000_000,
            salt: Salt([7; 12]),
            hashes: vec![[1; 32], [2; 32]],
        }
    }

    #[test]
    fn bytes_are_those_of_the_format() {
        let cut = [4, 0x80, 2, 0, 0, 9, 0x27, 0xc0];
        let identified = [&[1][..], &cut, &[1; 32], &[2; 32]].concat();
        let began_and_salt = [0, 0, 0, 0, 0x65, 0x53, 0xf1, 0, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7];
        let content = hash(&identified);
        let head = [&[1][..], &content[..4], &[1, 0], &cut, &began_and_salt, &[2]].concat();
        assert_eq!(root().encode(None), [&head[..], &[1; 32], &[2; 32]].concat());
        assert_eq!(root().content().0, content[..16]);
        let (signer, verifier) = signer(1);
        let signed = root().encode(Some(&signer));
        let (before, signature) = signed.split_last_chunk().expect("it is signed");
        assert_eq!((before[6], &before[7..]), (128, &root().encode(None)[7..]));
        assert!(verifier.verify(b"faircast root 1", before, &Signature(*signature)));
    }

    #[test]
    fn what_is_signed_is_read_and_nothing_else() {
        let (signer, verifier) = signer(1);
        let bytes = root().encode(Some(&signer));
        assert_eq!(bytes.len(), Root::bytes(2));
        assert_eq!(Root::decode(&bytes, Some(&verifier)), Ok(root()));
        assert_eq!(Root::decode(&bytes, None), Ok(root()));
        for byte in 0..bytes.len() {
            for bit in 0..8 {
                let mut other = bytes.clone();
                other[byte] ^= 1 << bit;
                assert!(Root::decode(&other, Some(&verifier)).is_err(), "byte {byte}, bit {bit}");
            }
            assert!(Root::decode(&bytes[..byte], Some(&verifier)).is_err(), "{byte} bytes");
        }
    }

    #[test]
    fn another_signer_or_none_is_refused() {
        let (_, verifier) = signer(1);
        let (other, _) = signer(2);
        assert!(Root::decode(&root().encode(Some(&other)), Some(&verifier)).is_err());
        assert!(Root::decode(&root().encode(None), Some(&verifier)).is_err());
        assert_eq!(Root::decode(&root().encode(None), None), Ok(root()));
    }

    #[test]
    fn a_content_is_known_by_what_it_is_and_not_by_its_session() {
        let later = Root { began: 1, salt: Salt([9; 12]), ..root() };
        assert_eq!(later.content(), root().content());
        for other in [
            Root { manifest_bytes: 600_001, ..root() },
            Root { hashes: vec![[1; 32], [3; 32]], ..root() },
            Root { cut: Cut { symbol_bytes: 1153, ..root().cut }, ..root() },
        ] {
            assert_ne!(other.content(), root().content());
        }
    }

    #[test]
    fn contradictions_are_refused() {
        for wrong in [
            Root { manifest_bytes: 0, hashes: vec![], ..root() },
            Root { manifest_bytes: MOST_MANIFEST_BYTES + 1, ..root() },
            Root { hashes: vec![[1; 32]], ..root() },
            Root { cut: Cut { symbol_bytes: 0, block_symbols: 512 }, ..root() },
            Root { cut: Cut { symbol_bytes: 1152, block_symbols: 0 }, ..root() },
        ] {
            assert!(Root::decode(&wrong.encode(None), None).is_err());
        }
    }
}
