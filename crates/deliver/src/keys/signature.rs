//! Signatures of a sender (Ed25519, RFC 8032).

use super::secret::Secret;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};

/// An Ed25519 signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature(pub [u8; 64]);

/// The sender's signing key.
pub struct Signer(Ed25519KeyPair);

/// The sender's public key, by which receivers know its roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verifier(pub [u8; 32]);

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
