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
mod window;

pub use data::{Exhausted, Opened, Opener, SEALED_BYTES, Sealer};
pub use feedback::{Listener, MAC_BYTES, Speaker, Verified};
pub use file::{ReceiverKeys, SenderKeys, make};
pub use window::Window;

use crate::failure::{Failure, Malformed};
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use ring::{hkdf, hmac};
use std::fmt;

/// What a session is told apart by: 96 random bits, drawn when a sender starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Salt(pub [u8; 12]);

/// An Ed25519 signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature(pub [u8; 64]);

/// 256 secret bits, which are not shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub(crate) [u8; 32]);

/// The sender's signing key.
pub struct Signer(Ed25519KeyPair);

/// The sender's public key, by which receivers know its roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verifier(pub [u8; 32]);

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

impl Salt {
    /// A salt that nobody has had.
    ///
    /// # Errors
    ///
    /// The system gives no random numbers.
    pub fn draw() -> Result<Salt, Failure> {
        Ok(Salt(random()?))
    }
}

impl Secret {
    /// A secret that nobody knows.
    ///
    /// # Errors
    ///
    /// The system gives no random numbers.
    pub fn draw() -> Result<Secret, Failure> {
        Ok(Secret(random()?))
    }

    /// HKDF-SHA-256 of this secret (RFC 5869) with a salt, and `info` that says what for.
    pub(crate) fn derive(&self, salt: &[u8], info: &[&[u8]]) -> Secret {
        let mut out = [0; 32];
        hkdf::Salt::new(hkdf::HKDF_SHA256, salt)
            .extract(&self.0)
            .expand(info, hkdf::HKDF_SHA256)
            .and_then(|expanded| expanded.fill(&mut out))
            .expect("HKDF gives as many bytes as its hash has");
        Secret(out)
    }

    fn hmac(&self) -> hmac::Key {
        hmac::Key::new(hmac::HMAC_SHA256, &self.0)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret(..)")
    }
}

impl Signer {
    /// The signing key of a seed.
    pub fn new(seed: &Secret) -> Signer {
        Signer(Ed25519KeyPair::from_seed_unchecked(&seed.0).expect("every 32 bytes are a seed"))
    }

    /// Its public key.
    pub fn verifier(&self) -> Verifier {
        Verifier(self.0.public_key().as_ref().try_into().expect("a public key has 32 bytes"))
    }

    /// Signs `bytes` for a purpose.
    pub fn sign(&self, purpose: &[u8], bytes: &[u8]) -> Signature {
        let signature = self.0.sign(&[purpose, bytes].concat());
        Signature(signature.as_ref().try_into().expect("a signature has 64 bytes"))
    }
}

impl Verifier {
    /// Whether whoever has the signing key has signed `bytes` for this purpose.
    pub fn verify(&self, purpose: &[u8], bytes: &[u8], signature: &Signature) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0).verify(&[purpose, bytes].concat(), &signature.0).is_ok()
    }
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

/// Bytes that nobody can know.
fn random<const N: usize>() -> Result<[u8; N], Failure> {
    let mut bytes = [0; N];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| Failure::Disk("cannot draw keys: the system gives no random numbers".to_owned()))?;
    Ok(bytes)
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
