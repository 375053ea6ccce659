//! Data for members alone: AEAD by the group key.
//!
//! The nonce is a packet's number in its session, and the key is derived with the session's salt, so no nonce meets a
//! key twice. Every 2^23 packets there is another key: RFC 9001 has that as the most that AES-GCM should encrypt.
//! There is no window against replays here. A member could push it ahead and so shut out the sender; and a symbol that
//! comes twice does no harm. What else is in a packet may: `crates/cast` has a window that gives way to that.

use super::secret::{Salt, Secret};
use crate::failure::Malformed;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use std::fmt;

/// Bytes behind a sealed packet: tag, salt, number.
pub const SEALED_BYTES: usize = TAG_BYTES + SALT_BYTES + NUMBER_BYTES;

const TAG_BYTES: usize = 16;
const SALT_BYTES: usize = 12;
const NUMBER_BYTES: usize = 6;
/// Packets that one key seals, as a power of two.
const KEY_BITS: u32 = 23;
/// How many keys a receiver remembers: of the present session, of its next key, and of one or two other senders.
const REMEMBERED: usize = 4;

/// A session has sent as many packets as it has numbers for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

/// Encrypts the packets of one session.
pub struct Sealer {
    group: Secret,
    salt: Salt,
    next: u64,
    key: LessSafeKey,
}

/// Decrypts packets of whichever session.
pub struct Opener {
    group: Secret,
    /// The key used last comes first.
    keys: Vec<(Salt, u64, LessSafeKey)>,
}

/// What a packet carries.
#[derive(Debug, PartialEq, Eq)]
pub struct Opened<'a> {
    /// The salt of its session; an open one does not say.
    pub salt: Option<Salt>,
    /// What is for this crate.
    pub payload: &'a [u8],
}

impl Sealer {
    /// Whoever seals by the group key in the session with this salt, from packet 0 on.
    pub fn new(group: Secret, salt: Salt) -> Sealer {
        let key = key(&group, salt, 0);
        Sealer { group, salt, next: 0, key }
    }

    /// Encrypts what `message` has from `payload_at` on, authenticates all of it, and appends [`SEALED_BYTES`].
    ///
    /// # Errors
    ///
    /// The session has sent 2^48 packets.
    ///
    /// # Panics
    ///
    /// The message ends before `payload_at`.
    pub fn seal(&mut self, message: &mut Vec<u8>, payload_at: usize) -> Result<(), Exhausted> {
        if self.next >> (8 * NUMBER_BYTES) != 0 {
            return Err(Exhausted);
        }
        if self.next != 0 && self.next.trailing_zeros() >= KEY_BITS {
            self.key = key(&self.group, self.salt, self.next >> KEY_BITS);
        }
        let (clear, payload) = message.split_at_mut(payload_at);
        let tag = self
            .key
            .seal_in_place_separate_tag(nonce(self.next), Aad::from(clear), payload)
            .expect("a packet is shorter than what AES-GCM takes");
        message.extend_from_slice(tag.as_ref());
        message.extend_from_slice(&self.salt.0);
        message.extend_from_slice(&self.next.to_be_bytes()[8 - NUMBER_BYTES..]);
        self.next += 1;
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn at(self, next: u64) -> Sealer {
        let key = key(&self.group, self.salt, next >> KEY_BITS);
        Sealer { next, key, ..self }
    }
}

impl Opener {
    /// Whoever opens by the group key.
    pub fn new(group: Secret) -> Opener {
        Opener { group, keys: Vec::with_capacity(REMEMBERED + 1) }
    }

    /// Decrypts what `message` has from `payload_at` on, in place.
    ///
    /// # Errors
    ///
    /// It is too short, forged, or sealed by another key; the message is then of no use any more.
    pub fn open<'a>(&mut self, message: &'a mut [u8], payload_at: usize) -> Result<Opened<'a>, Malformed> {
        let end =
            message.len().checked_sub(SALT_BYTES + NUMBER_BYTES).ok_or(Malformed("it is too short to be sealed"))?;
        let (sealed, trailer) = message.split_at_mut(end);
        let (salt, number) = trailer.split_first_chunk::<SALT_BYTES>().expect("both are there");
        let salt = Salt(*salt);
        let number = number.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let (clear, payload) =
            sealed.split_at_mut_checked(payload_at).ok_or(Malformed("it is too short to be sealed"))?;
        let which = (salt, number >> KEY_BITS);
        let known = self.keys.iter().position(|(salt, part, _)| (*salt, *part) == which);
        let fresh = known.is_none().then(|| key(&self.group, which.0, which.1));
        let key = known.map(|index| &self.keys[index].2).or(fresh.as_ref()).expect("one of the two");
        let length = key
            .open_in_place(nonce(number), Aad::from(clear), payload)
            .map_err(|_| Malformed("a packet that the group key does not open"))?
            .len();
        // A key is remembered when it has opened something: strangers push none out.
        match (known, fresh) {
            (Some(index), _) => self.keys[..=index].rotate_right(1),
            (None, Some(fresh)) => {
                self.keys.insert(0, (which.0, which.1, fresh));
                self.keys.truncate(REMEMBERED);
            }
            (None, None) => {}
        }
        Ok(Opened { salt: Some(salt), payload: &message[payload_at..payload_at + length] })
    }
}

impl fmt::Display for Exhausted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the session has sent 2^48 packets: start it again")
    }
}

impl std::error::Error for Exhausted {}

/// The key of a part of a session.
fn key(group: &Secret, salt: Salt, part: u64) -> LessSafeKey {
    let Secret(key) = group.derive(&salt.0, &[b"faircast data 1", &part.to_be_bytes()]);
    LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &key).expect("32 bytes are a key"))
}

/// The nonce of a packet: its number, behind zeros.
fn nonce(number: u64) -> Nonce {
    let mut bytes = [0; 12];
    bytes[4..].copy_from_slice(&number.to_be_bytes());
    Nonce::assume_unique_for_key(bytes)
}
