//! Keys: who may send, who may speak as whom, and who may read.
//!
//! | key | who has it | for |
//! |---|---|---|
//! | signing seed | the sender | signs roots (Ed25519, RFC 8032) |
//! | root key | the sender | K_r = HKDF(root key, r) (RFC 5869) for every receiver r |
//! | K_r | the sender and receiver r | feedback of r (HMAC-SHA-256) |
//! | group key | all members | data (AES-256-GCM) |
//!
//! Each start of a sender draws a [`Salt`], and keys of data and of feedback are derived with it: no nonce comes twice,
//! whatever a killed sender has sent, and feedback of one session is none of another. `docs/delivery.md` has a table of
//! what a member can do and what stops it.

mod data;
mod feedback;
mod file;
mod secret;
mod signature;
mod window;

pub use data::{Exhausted, Opened, Opener, SEALED_BYTES, Sealer};
pub use feedback::{Listener, MAC_BYTES, Speaker, Verified};
pub use file::{ReceiverKeys, SenderKeys, make};
pub use secret::{Salt, Secret};
pub use signature::{Signature, Signer, Verifier};
pub use window::Window;

use crate::failure::{Failure, Malformed};

/// A sender's keys in use, or none (`open`).
pub struct SenderSession {
    salt: Salt,
    keyed: Option<(Signer, Sealer, Listener)>,
}

/// A receiver's keys in use, or none (`open`).
pub struct ReceiverSession {
    keyed: Option<(Verifier, Opener)>,
    own: Option<(u32, Secret)>,
    speaker: Option<(Salt, Speaker)>,
    /// The number of the next message that is authenticated.
    next: u64,
}

impl SenderSession {
    /// A session by these keys, or an open one; it draws a fresh salt.
    ///
    /// # Errors
    ///
    /// The system gives no random numbers.
    pub fn start(keys: Option<&SenderKeys>) -> Result<SenderSession, Failure> {
        let salt = Salt::draw()?;
        let keyed = keys.map(|keys| {
            let listener = Listener::new(keys.root.clone(), keys.receivers, salt);
            (Signer::new(&keys.seed), Sealer::new(keys.group.clone(), salt), listener)
        });
        Ok(SenderSession { salt, keyed })
    }

    /// The session's salt.
    pub fn salt(&self) -> Salt {
        self.salt
    }

    /// Who signs the session's root; nobody in an open one.
    pub fn signer(&self) -> Option<&Signer> {
        self.keyed.as_ref().map(|(signer, ..)| signer)
    }

    /// Encrypts what `message` has from `payload_at` on, authenticates all of it, and appends [`SEALED_BYTES`]. An
    /// open session leaves it as it is.
    ///
    /// # Errors
    ///
    /// The session has sent 2^48 packets.
    pub fn seal(&mut self, message: &mut Vec<u8>, payload_at: usize) -> Result<(), Exhausted> {
        self.keyed.as_mut().map_or(Ok(()), |(_, sealer, _)| sealer.seal(message, payload_at))
    }

    /// Which receiver says this, and what; in an open session it has to be taken at its word.
    ///
    /// # Errors
    ///
    /// It is forged, of another session, of nobody who has a key, or has been heard before.
    pub fn verify<'a>(&mut self, message: &'a [u8]) -> Result<Verified<'a>, Malformed> {
        match &mut self.keyed {
            Some((.., listener)) => listener.verify(message),
            None => Ok(Verified { receiver: None, message }),
        }
    }
}

impl ReceiverSession {
    /// A receiver with these keys, or one of open sessions. `first` is the number of its first authenticated message:
    /// above all that it has ever used, as [`Store::counter`](crate::store::Store::counter) gives it.
    pub fn new(keys: Option<&ReceiverKeys>, first: u64) -> ReceiverSession {
        ReceiverSession {
            keyed: keys.map(|keys| (keys.sender, Opener::new(keys.group.clone()))),
            own: keys.map(|keys| (keys.id, keys.own.clone())),
            speaker: None,
            next: first,
        }
    }

    /// By whom roots must be signed; nobody in open sessions.
    pub fn verifier(&self) -> Option<Verifier> {
        self.keyed.as_ref().map(|(verifier, _)| *verifier)
    }

    /// Decrypts what `message` has from `payload_at` on, in place.
    ///
    /// # Errors
    ///
    /// It is too short, forged, or sealed by another key.
    pub fn open<'a>(&mut self, message: &'a mut [u8], payload_at: usize) -> Result<Opened<'a>, Malformed> {
        match &mut self.keyed {
            Some((_, opener)) => opener.open(message, payload_at),
            None => {
                let payload = message.get(payload_at..).ok_or(Malformed("it ends before its payload"))?;
                Ok(Opened { salt: None, payload })
            }
        }
    }

    /// The number of the next message that is authenticated.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Authenticates `message` in the session with this salt by appending [`MAC_BYTES`]; in open ones nothing.
    pub fn mac(&mut self, salt: Salt, message: &mut Vec<u8>) {
        let Some((id, own)) = &self.own else { return };
        if self.speaker.as_ref().is_none_or(|(of, _)| *of != salt) {
            self.speaker = Some((salt, Speaker::new(*id, own, salt)));
        }
        if let Some((_, speaker)) = &self.speaker {
            speaker.mac(self.next, message);
            self.next += 1;
        }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// A signing key that is the same every time.
    pub(crate) fn signer(seed: u8) -> (Signer, Verifier) {
        let signer = Signer::new(&Secret([seed; 32]));
        let verifier = signer.verifier();
        (signer, verifier)
    }

    /// Keys of a sender and of some receivers.
    pub(crate) fn keys(receivers: u32) -> (SenderKeys, Vec<ReceiverKeys>) {
        let sender = SenderKeys { receivers, root: Secret([1; 32]), group: Secret([2; 32]), seed: Secret([3; 32]) };
        let each = (1..=receivers).map(|id| sender.receiver(id)).collect();
        (sender, each)
    }
}

#[cfg(test)]
mod tests;
