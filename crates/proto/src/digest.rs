//! A number that tells headers apart, for traces of runs that must be equal.

use crate::address::Address;
use crate::ecn::Ecn;

/// Mixes what a header says, field by field, into one number. Equal fields in the same order give the same one.
#[derive(Clone, Copy, Debug)]
pub struct Digest(u64);

/// What may be mixed into a [`Digest`].
pub trait Digestible {
    /// Mixes it in.
    fn put(self, digest: &mut Digest);
}

impl Digest {
    /// The digest of nothing, to begin with.
    pub const fn new() -> Digest {
        Digest(0xcbf2_9ce4_8422_2325)
    }

    /// With this as well.
    #[must_use]
    pub fn with(mut self, value: impl Digestible) -> Digest {
        value.put(&mut self);
        self
    }

    /// The number.
    pub const fn value(self) -> u64 {
        self.0
    }
}

impl Default for Digest {
    fn default() -> Digest {
        Digest::new()
    }
}

impl Digestible for u64 {
    fn put(self, digest: &mut Digest) {
        digest.0 = (digest.0 ^ self).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
}

macro_rules! as_u64 {
    ($($kind:ty),+) => {
        $(impl Digestible for $kind {
            fn put(self, digest: &mut Digest) {
                u64::from(self).put(digest);
            }
        })+
    };
}

as_u64!(bool, u8, u16, u32);

impl Digestible for f32 {
    fn put(self, digest: &mut Digest) {
        self.to_bits().put(digest);
    }
}

impl Digestible for Address {
    fn put(self, digest: &mut Digest) {
        self.to_bits().put(digest);
    }
}

impl Digestible for Ecn {
    fn put(self, digest: &mut Digest) {
        (self as u8).put(digest);
    }
}

impl<T: Digestible> Digestible for Option<T> {
    fn put(self, digest: &mut Digest) {
        self.is_some().put(digest);
        self.into_iter().for_each(|value| value.put(digest));
    }
}

impl<T: Digestible, const N: usize> Digestible for [T; N] {
    fn put(self, digest: &mut Digest) {
        self.into_iter().for_each(|value| value.put(digest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Header;
    use crate::random::Random;
    use crate::wild::Wild;
    use std::collections::BTreeMap;

    /// The header of this seed, the draw with a number replaced; and how many draws there were.
    fn drawn(seed: u64, replaced: Option<u32>) -> (Header, u32) {
        let (mut random, mut sequence) = (Random::stream(seed, "test/digest"), 1000);
        let mut wild = Wild::new(&mut random, Address::endpoint(1), &mut sequence).replacing(replaced);
        (Header::wild(&mut wild), wild.draws())
    }

    /// All that a header says but stamps, and the number that an RTP source draws for itself, which begin anywhere; and
    /// the flags of TFMCC's start and TCP's push flag, from before which there are traces. What follows from them is in
    /// reports and acknowledgements.
    fn said(header: &Header) -> String {
        let text = format!("{header:?}");
        let left_out = |part: &&str| {
            let name = part.split(':').next().unwrap_or_default();
            name.contains("stamp") || ["ssrc", "starting", "at_once", "push"].contains(&name.trim())
        };
        text.split(['{', '}', ',']).filter(|part| !left_out(part)).collect()
    }

    #[test]
    fn digests_tell_all_headers_apart_by_every_field_but_stamps() {
        let (mut fields, mut stamps) = (0, 0);
        let mut known: BTreeMap<u64, String> = BTreeMap::new();
        for seed in 0..4000 {
            let (header, draws) = drawn(seed, None);
            for replaced in 1..=draws {
                let (other, _) = drawn(seed, Some(replaced));
                let same = said(&header) == said(&other);
                assert_eq!(header.digest() == other.digest(), same, "{header:?}\n{other:?}");
                if header != other {
                    *if same { &mut stamps } else { &mut fields } += 1;
                }
                let first = known.entry(other.digest()).or_insert_with(|| said(&other));
                assert_eq!(*first, said(&other), "two headers with one digest");
            }
        }
        assert!(fields > 10_000 && stamps > 1000, "{fields}, {stamps}");
    }

    #[test]
    fn order_and_absence_count() {
        let of = |a: u8, b: u8| Digest::new().with(a).with(b).value();
        assert_ne!(of(1, 2), of(2, 1));
        assert_ne!(Digest::new().with(None::<u32>).value(), Digest::new().with(Some(0_u32)).value());
        assert_ne!(Digest::new().with([0_u8; 2]).value(), Digest::new().with([0_u8; 3]).value());
    }
}
