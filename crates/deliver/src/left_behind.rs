//! A sender asks receivers to go for a while: they would hold all others up, or be sent more than their ways stand.

use crate::bytes::Reader;
use crate::failure::Malformed;
use crate::keys::{Salt, Signature, Signer, Verifier};

/// The kind of a packet that asks for it, in its first byte.
pub const LEFT_BEHIND: u8 = 6;
/// The version of the format.
pub const VERSION: u8 = 1;
/// Bytes before the receivers.
pub const FIXED_BYTES: usize = 1 + 1 + 12 + 4 + 4 + 2;
/// Bytes of a receiver.
pub const RECEIVER_BYTES: usize = 4;

const SIGNATURE_BYTES: usize = 64;
/// What a signature is of, before the packet's own bytes.
const PURPOSE: &[u8] = b"faircast left behind 1";

/// What is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftBehind {
    /// The session's salt.
    pub salt: Salt,
    /// Each has a higher number than the one before, so that one that is repeated is known.
    pub number: u32,
    /// For how long they are asked to go, seconds.
    pub seconds: u32,
    /// Whom it is about, by the numbers of their keys.
    pub receivers: Vec<u32>,
}

impl LeftBehind {
    /// How many receivers a packet has room for.
    pub fn room(bytes: usize) -> usize {
        bytes.saturating_sub(FIXED_BYTES + SIGNATURE_BYTES) / RECEIVER_BYTES
    }

    /// Appends the packet's payload.
    ///
    /// # Panics
    ///
    /// There are more than 65 535 receivers.
    pub fn encode(&self, signer: &Signer, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&[LEFT_BEHIND, VERSION]);
        out.extend_from_slice(&self.salt.0);
        out.extend_from_slice(&self.number.to_be_bytes());
        out.extend_from_slice(&self.seconds.to_be_bytes());
        out.extend_from_slice(&u16::try_from(self.receivers.len()).expect("they fit into a packet").to_be_bytes());
        self.receivers.iter().for_each(|receiver| out.extend_from_slice(&receiver.to_be_bytes()));
        let Signature(signature) = signer.sign(PURPOSE, &out[start..]);
        out.extend_from_slice(&signature);
    }

    /// Reads a payload and holds its signature against whom it should be from.
    ///
    /// # Errors
    ///
    /// The bytes are something else, of another version, cut off or go on, or are signed by somebody else.
    pub fn decode(bytes: &[u8], verifier: &Verifier) -> Result<LeftBehind, Malformed> {
        let mut reader = Reader::new(bytes);
        if reader.u8()? != LEFT_BEHIND {
            return Err(Malformed("it leaves nobody behind"));
        }
        if reader.u8()? != VERSION {
            return Err(Malformed("who is left behind, in another version"));
        }
        let (salt, number, seconds) = (Salt(reader.array()?), reader.u32()?, reader.u32()?);
        let count = usize::from(reader.u16()?);
        let (receivers, _) = reader.take(RECEIVER_BYTES * count)?.as_chunks::<RECEIVER_BYTES>();
        let receivers = receivers.iter().map(|receiver| u32::from_be_bytes(*receiver)).collect();
        let signature = Signature(reader.array()?);
        reader.end()?;
        if !verifier.verify(PURPOSE, &bytes[..bytes.len() - SIGNATURE_BYTES], &signature) {
            return Err(Malformed("who is left behind, signed by somebody else"));
        }
        Ok(LeftBehind { salt, number, seconds, receivers })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::testing::signer;

    #[test]
    fn bytes_are_those_of_the_format_and_nobody_else_can_make_them() {
        let (own, verifier) = signer(1);
        let said = LeftBehind { salt: Salt([7; 12]), number: 3, seconds: 258, receivers: vec![5, 0x0102_0304] };
        let mut bytes = Vec::new();
        said.encode(&own, &mut bytes);
        assert_eq!(bytes[..2], [6, 1]);
        assert_eq!(bytes[14..32], [0, 0, 0, 3, 0, 0, 1, 2, 0, 2, 0, 0, 0, 5, 1, 2, 3, 4]);
        assert_eq!((bytes.len(), LeftBehind::room(bytes.len()), LeftBehind::room(95)), (96, 2, 1));
        assert_eq!(LeftBehind::decode(&bytes, &verifier), Ok(said.clone()));
        assert!(LeftBehind::decode(&bytes, &signer(2).1).is_err());
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(LeftBehind::decode(&changed, &verifier).is_err(), "{at}");
            assert!(LeftBehind::decode(&bytes[..at], &verifier).is_err(), "{at}");
        }
        assert!(LeftBehind::decode(&[&bytes[..], &[0]].concat(), &verifier).is_err());
        // A list says how long it is; that is no reason to make room for it.
        let mut claim = bytes.clone();
        claim[22..24].copy_from_slice(&u16::MAX.to_be_bytes());
        assert!(LeftBehind::decode(&claim, &verifier).is_err());
    }
}
