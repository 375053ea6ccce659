//! Who says what: feedback is authenticated by the key of the receiver that it is from.

use super::secret::{Salt, Secret};
use super::window::Window;
use crate::failure::Malformed;
use ring::hmac;
use std::collections::BTreeMap;

/// Bytes behind an authenticated message: receiver, number, tag.
pub const MAC_BYTES: usize = ID_BYTES + NUMBER_BYTES + TAG_BYTES;

const ID_BYTES: usize = 4;
const NUMBER_BYTES: usize = 8;
const TAG_BYTES: usize = 32;

/// A receiver that speaks for itself in one session.
pub struct Speaker {
    id: u32,
    key: hmac::Key,
}

/// A sender that hears receivers in one session.
pub struct Listener {
    root: Secret,
    receivers: u32,
    salt: Salt,
    /// Those that have been heard; no more than there are keys.
    heard: BTreeMap<u32, (hmac::Key, Window)>,
}

/// A message of which it is known who says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified<'a> {
    /// The id in the receiver's key; none in open sessions.
    pub receiver: Option<u32>,
    /// The message without what authenticated it.
    pub message: &'a [u8],
}

impl Speaker {
    /// Receiver `id` with its K_r in the session with this salt.
    pub fn new(id: u32, own: &Secret, salt: Salt) -> Speaker {
        Speaker { id, key: key(own, salt) }
    }

    /// Appends [`MAC_BYTES`]. The number must be above all that the receiver has used in the session.
    pub fn mac(&self, number: u64, message: &mut Vec<u8>) {
        message.extend_from_slice(&self.id.to_be_bytes());
        message.extend_from_slice(&number.to_be_bytes());
        let tag = hmac::sign(&self.key, message);
        message.extend_from_slice(tag.as_ref());
    }
}

impl Listener {
    /// A sender that knows receivers 1 to `receivers` by its root key.
    pub fn new(root: Secret, receivers: u32, salt: Salt) -> Listener {
        Listener { root, receivers, salt, heard: BTreeMap::new() }
    }

    /// Which receiver says this, and what.
    ///
    /// # Errors
    ///
    /// It is forged, of another session, of nobody who has a key, or has been heard before.
    pub fn verify<'a>(&mut self, message: &'a [u8]) -> Result<Verified<'a>, Malformed> {
        const SHORT: Malformed = Malformed("feedback that is too short to be authenticated");
        let (signed, tag) = message.split_last_chunk::<TAG_BYTES>().ok_or(SHORT)?;
        let (rest, number) = signed.split_last_chunk::<NUMBER_BYTES>().ok_or(SHORT)?;
        let (message, id) = rest.split_last_chunk::<ID_BYTES>().ok_or(SHORT)?;
        let (id, number) = (u32::from_be_bytes(*id), u64::from_be_bytes(*number));
        if !(1..=self.receivers).contains(&id) {
            return Err(Malformed("feedback of a receiver without a key"));
        }
        let fresh = (!self.heard.contains_key(&id)).then(|| key(&receiver_key(&self.root, id), self.salt));
        let known = self.heard.get(&id).map(|(key, _)| key).or(fresh.as_ref()).expect("one of the two");
        hmac::verify(known, signed, tag).map_err(|_| Malformed("feedback that is forged or of another session"))?;
        if let Some(fresh) = fresh {
            self.heard.insert(id, (fresh, Window::default()));
        }
        let fresh = self.heard.get_mut(&id).is_some_and(|(_, window)| window.fresh(number));
        if fresh {
            Ok(Verified { receiver: Some(id), message })
        } else {
            Err(Malformed("feedback that has been heard before"))
        }
    }
}

/// K_r of receiver `id`.
pub(super) fn receiver_key(root: &Secret, id: u32) -> Secret {
    root.derive(&[], &[b"faircast receiver 1", &id.to_be_bytes()])
}

/// The key of a receiver's feedback in a session.
fn key(own: &Secret, salt: Salt) -> hmac::Key {
    own.derive(&salt.0, &[b"faircast feedback 1"]).hmac()
}
