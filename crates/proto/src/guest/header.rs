//! What code outside the tree says in its packets: a header of bytes, written and read field by field.
//!
//! ```
//! use faircast_proto::guest::GuestHeader;
//!
//! const OWNER: [u8; 4] = *b"mine";
//! let header = GuestHeader::data(OWNER, (7_u32, 0.25_f32));
//! assert_eq!(header.read::<(u32, f32)>(OWNER), Some((7, 0.25)));
//! assert_eq!(header.read::<(u32, f32)>(*b"else"), None);
//! assert!(header.is_data());
//! // IP, UDP, what all headers begin with, the owner, and these fields.
//! assert_eq!(GuestHeader::wire_bytes::<(u32, f32)>(), 20 + 8 + 14 + 4 + 8);
//! ```

use crate::address::Address;
use crate::digest::Digest;
use crate::ecn::Ecn;
use crate::random::fnv1a;
use crate::wire::coding::{FieldError, Reader, Writer};
use crate::wire::{GUEST, GUEST_DATA, GUEST_KIND};
use std::fmt;

/// Bytes of a [`GuestHeader`] for its fields.
pub const GUEST_BYTES: usize = 32;

/// The header of a guest's packet. Guests that do not know each other keep apart by their `owner`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct GuestHeader {
    owner: [u8; 4],
    is_data: bool,
    bytes: [u8; GUEST_BYTES],
    /// How many of the bytes its fields take; the others are 0.
    length: u8,
}

/// What may stand in a [`GuestHeader`]: numbers, addresses, and up to eight of them in a row.
pub trait Fields: Copy {
    /// How many bytes they take.
    const BYTES: usize;

    /// Writes them to the first of `bytes`.
    fn put(self, bytes: &mut [u8]);

    /// Reads them from the first of `bytes`.
    fn take(bytes: &[u8]) -> Self;
}

impl GuestHeader {
    /// The header of a packet with data, with these fields. What does not fit into [`GUEST_BYTES`] does not compile.
    pub fn data<F: Fields>(owner: [u8; 4], fields: F) -> GuestHeader {
        GuestHeader { is_data: true, ..GuestHeader::message(owner, fields) }
    }

    /// The header of a packet that carries no data: a report, an acknowledgement.
    pub fn message<F: Fields>(owner: [u8; 4], fields: F) -> GuestHeader {
        const { assert!(F::BYTES <= GUEST_BYTES, "a guest's header has room for 32 bytes") };
        let mut bytes = [0; GUEST_BYTES];
        fields.put(&mut bytes);
        GuestHeader { owner, is_data: false, bytes, length: F::BYTES as u8 }
    }

    /// Bytes on the wire of a packet with a header of these fields and nothing else: the size of a message, and what a
    /// packet with data has beside them.
    pub const fn wire_bytes<F: Fields>() -> u16 {
        GUEST.bytes() + F::BYTES as u16
    }

    /// Whether its packet carries data.
    pub fn is_data(&self) -> bool {
        self.is_data
    }

    /// The fields of a header of this owner; nothing of another's.
    pub fn read<F: Fields>(&self, owner: [u8; 4]) -> Option<F> {
        const { assert!(F::BYTES <= GUEST_BYTES, "a guest's header has room for 32 bytes") };
        (self.owner == owner).then(|| F::take(&self.bytes))
    }

    /// Its number on the wire: how many bytes its fields take, and whether its packet carries data.
    pub(crate) fn wire_kind(&self) -> u8 {
        GUEST_KIND | if self.is_data { GUEST_DATA } else { 0 } | self.length
    }

    /// Writes the owner and the fields. These are the guest's own: addresses among them mean something to the driver
    /// alone that has written them.
    pub(crate) fn encode(&self, writer: &mut Writer<'_>) {
        writer.bytes(self.owner);
        writer.slice(&self.bytes[..usize::from(self.length)]);
    }

    /// Reads what a guest's message with this number says; `None` if it is none.
    pub(crate) fn decode(kind: u8, reader: &mut Reader<'_, '_>) -> Option<Result<GuestHeader, FieldError>> {
        let length = kind & (GUEST_DATA - 1);
        (kind >= GUEST_KIND && usize::from(length) <= GUEST_BYTES).then(|| {
            let (owner, fields) = (reader.bytes()?, reader.slice(length.into())?);
            let mut bytes = [0; GUEST_BYTES];
            bytes[..fields.len()].copy_from_slice(fields);
            Ok(GuestHeader { owner, is_data: kind & GUEST_DATA != 0, bytes, length })
        })
    }

    /// A number that tells two of them apart.
    pub(crate) fn digest(&self) -> u64 {
        Digest::new().with(fnv1a(&self.owner)).with(fnv1a(&self.bytes)).with(self.is_data).value()
    }

    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn wild(wild: &mut crate::wild::Wild<'_>) -> GuestHeader {
        let is_data = wild.chance(0.5);
        let bytes = std::array::from_fn(|_| wild.word() as u8);
        GuestHeader { owner: *b"wild", is_data, bytes, length: GUEST_BYTES as u8 }
    }
}

/// For listings, in which the bytes behind the fields are, too.
impl fmt::Debug for GuestHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GuestHeader { owner, is_data, bytes, length: _ } = self;
        let mut all = f.debug_struct("GuestHeader");
        all.field("owner", owner).field("is_data", is_data).field("bytes", bytes).finish()
    }
}

macro_rules! numbers {
    ($($number:ty),+) => {
        $(impl Fields for $number {
            const BYTES: usize = size_of::<$number>();

            fn put(self, bytes: &mut [u8]) {
                bytes[..Self::BYTES].copy_from_slice(&self.to_le_bytes());
            }

            fn take(bytes: &[u8]) -> $number {
                <$number>::from_le_bytes(bytes[..Self::BYTES].try_into().expect("as many as it takes"))
            }
        })+
    };
}

numbers!(u8, u16, u32, u64, i8, i16, i32, i64, f32, f64);

impl Fields for bool {
    const BYTES: usize = 1;

    fn put(self, bytes: &mut [u8]) {
        u8::from(self).put(bytes);
    }

    fn take(bytes: &[u8]) -> bool {
        u8::take(bytes) != 0
    }
}

impl<const N: usize> Fields for [u8; N] {
    const BYTES: usize = N;

    fn put(self, bytes: &mut [u8]) {
        bytes[..N].copy_from_slice(&self);
    }

    fn take(bytes: &[u8]) -> [u8; N] {
        bytes[..N].try_into().expect("as many as it takes")
    }
}

impl Fields for Address {
    const BYTES: usize = 4;

    fn put(self, bytes: &mut [u8]) {
        self.to_bits().put(bytes);
    }

    fn take(bytes: &[u8]) -> Address {
        Address::from_bits(u32::take(bytes))
    }
}

impl Fields for Ecn {
    const BYTES: usize = 1;

    fn put(self, bytes: &mut [u8]) {
        self.code().put(bytes);
    }

    fn take(bytes: &[u8]) -> Ecn {
        const CODES: [Ecn; 5] = [Ecn::NotCapable, Ecn::Capable, Ecn::Incipient, Ecn::Moderate, Ecn::Scalable];
        CODES[usize::from(bytes[0] % 5)]
    }
}

macro_rules! rows {
    ($($($F:ident)+;)+) => {
        $(impl<$($F: Fields),+> Fields for ($($F,)+) {
            const BYTES: usize = 0 $(+ $F::BYTES)+;

            #[allow(non_snake_case, reason = "the field of each type has its name")]
            fn put(self, bytes: &mut [u8]) {
                let ($($F,)+) = self;
                let mut rest = bytes;
                $(
                    let (own, after) = rest.split_at_mut($F::BYTES);
                    $F.put(own);
                    rest = after;
                )+
                let _ = rest;
            }

            fn take(bytes: &[u8]) -> Self {
                let mut rest = bytes;
                ($({
                    let (own, after) = rest.split_at($F::BYTES);
                    rest = after;
                    let _ = rest;
                    $F::take(own)
                },)+)
            }
        })+
    };
}

rows! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: [u8; 4] = *b"test";

    #[test]
    fn fields_come_back_as_they_were() {
        let numbers = (u16::MAX - 1, -5_i32);
        let fields = (u8::MAX, numbers, 1e-9_f64, true, Address::group(77), Ecn::Incipient, -0.5_f32, *b"abc");
        let header = GuestHeader::message(OWNER, fields);
        assert_eq!(header.read(OWNER), Some(fields));
        assert_eq!(header.read::<u8>(OWNER), Some(u8::MAX), "the first field stands first");
        assert_eq!(header.read::<u8>(*b"TEST"), None, "it is another's");
        let full = (u64::MAX, 1_u64, 2_u64, u64::MAX - 3);
        assert_eq!(GuestHeader::message(OWNER, full).read(OWNER), Some(full));
    }

    #[test]
    fn all_congestion_bits_come_back_each_under_its_number() {
        let all = [Ecn::NotCapable, Ecn::Capable, Ecn::Incipient, Ecn::Moderate, Ecn::Scalable];
        for (number, ecn) in (0_u8..).zip(all) {
            let header = GuestHeader::message(OWNER, ecn);
            assert_eq!((header.read::<Ecn>(OWNER), header.read::<u8>(OWNER)), (Some(ecn), Some(number)));
            assert_eq!(ecn.code(), number);
        }
        // What somebody wrote as something else is read as one of them.
        for number in 5_u8..=255 {
            let read = GuestHeader::message(OWNER, number).read(OWNER);
            assert_eq!(read, Some(all[usize::from(number % 5)]));
        }
    }

    #[test]
    fn digests_tell_fields_and_owners_apart() {
        let digests = [
            GuestHeader::message(OWNER, 1_u32).digest(),
            GuestHeader::message(OWNER, 2_u32).digest(),
            GuestHeader::message(*b"tesu", 1_u32).digest(),
        ];
        assert!(digests[0] != digests[1] && digests[0] != digests[2] && digests[1] != digests[2]);
    }
}
