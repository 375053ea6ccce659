//! Bits that nobody else knows, and keys derived from them.

use crate::failure::Failure;
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::{hkdf, hmac};
use std::fmt;

/// What a session is told apart by: 96 random bits, drawn when a sender starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Salt(pub [u8; 12]);

/// 256 secret bits, which are not shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub(crate) [u8; 32]);

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

    pub(super) fn hmac(&self) -> hmac::Key {
        hmac::Key::new(hmac::HMAC_SHA256, &self.0)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret(..)")
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
