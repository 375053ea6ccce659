//! What packets are on the wire, field by field, and so how long they are: `docs/wire-format.md`, which a test holds
//! against this.
//!
//! Each protocol declares its messages once ([`message`]): from that come header, [`Layout`], bytes ([`coding`]),
//! digest and listing. Whatever has a size by default has the length of its layout. What is in a layout and not in the
//! header is in [`Packet`](crate::packet::Packet) (who sends, and when) or says which message it is.

pub(crate) mod code;
pub mod coding;
pub mod message;

use crate::quantity::Bytes;
use crate::time::Rate;

/// A field of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name in the documentation.
    pub name: &'static str,
    /// How wide it is.
    pub bits: u16,
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Its name in the documentation: that of its protocol, a colon, and its own.
    pub name: &'static str,
    /// In which format it is.
    pub format: Format,
    /// What comes first: the fields of a message that this one repeats and adds to.
    pub first: &'static [&'static [Field]],
    /// Its fields, in order, in parts.
    pub parts: &'static [&'static [Field]],
    /// What follows as often as there is something to say: the fields of a line of each list.
    pub lists: &'static [&'static [Field]],
    /// As packets ask for it.
    bytes: u16,
}

/// What stands before the fields of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// IP, UDP and [`COMMON`], with this number of the message.
    Own(u8),
    /// IP and [`BETWEEN_NEIGHBOURS`], with this number.
    OwnOverIp(u8),
    /// IP and UDP; the fields are those of a standard.
    Standard,
    /// IP alone; the fields are those of a standard.
    StandardOverIp,
}

/// Bytes of the header of IPv4, without options (RFC 791 section 3.1).
pub const IP_BYTES: u16 = 20;
/// Bytes of the header of UDP (RFC 768).
pub const UDP_BYTES: u16 = 8;
/// The largest packet, bytes: IP has 16 bits for its length.
pub const MOST_BYTES: u64 = 65_535;

/// What each message in the project's own format begins with.
pub const COMMON: &[Field] =
    &[Field::new("version", 8), Field::new("kind", 8), Field::new("sender", 64), Field::new("stamp", 32)];
/// What a message between neighbours begins with: it is the same as above, but for what they do not need.
pub const BETWEEN_NEIGHBOURS: &[Field] = &[Field::new("version", 8), Field::new("kind", 8)];
/// The version of that format.
pub const VERSION: u8 = 1;

/// The datagram of a source without control.
pub const DATAGRAM: Layout = Layout::new("Datagram", Format::Own(1), &[&[Field::new("sequence", 64)]]);
/// Which groups of a session are wanted.
pub const MEMBERSHIP_REPORT: Layout = Layout::new("Membership: report", Format::OwnOverIp(2), &[MEMBERSHIP]);
/// The answer to it.
pub const MEMBERSHIP_ACKNOWLEDGEMENT: Layout =
    Layout::new("Membership: acknowledgement", Format::OwnOverIp(3), &[MEMBERSHIP]);
/// The number of a guest's message without fields and data: their number of bytes comes on top, and [`GUEST_DATA`].
pub const GUEST_KIND: u8 = 128;
/// What the number of a guest's message has more if its packet carries data.
pub const GUEST_DATA: u8 = 64;
/// A message of a guest, without its fields.
pub const GUEST: Layout = Layout::new("Guest", Format::Own(GUEST_KIND), &[&[Field::new("owner", 32)]]);

const MEMBERSHIP: &[Field] = &[Field::new("session", 64), Field::new("number", 32), Field::new("groups", 128)];

impl Format {
    /// The number of the message, if it has one.
    pub const fn kind(self) -> Option<u8> {
        match self {
            Format::Own(kind) | Format::OwnOverIp(kind) => Some(kind),
            Format::Standard | Format::StandardOverIp => None,
        }
    }

    /// Whether it is the message with this number.
    pub const fn is(self, kind: u8) -> bool {
        matches!(self.kind(), Some(own) if own == kind)
    }
}

impl Field {
    /// A field of this width.
    pub const fn new(name: &'static str, bits: u16) -> Field {
        Field { name, bits }
    }
}

impl Layout {
    /// A message with these fields, and no lists.
    pub const fn new(name: &'static str, format: Format, parts: &'static [&'static [Field]]) -> Layout {
        let below = match format {
            Format::Own(_) => IP_BYTES + UDP_BYTES + bytes_of(COMMON),
            Format::OwnOverIp(_) => IP_BYTES + bytes_of(BETWEEN_NEIGHBOURS),
            Format::Standard => IP_BYTES + UDP_BYTES,
            Format::StandardOverIp => IP_BYTES,
        };
        Layout { name, format, first: &[], parts, lists: &[], bytes: below + bytes_of_parts(parts) }
    }

    /// A layout that follows the fields of another message.
    ///
    /// # Panics
    /// If that one follows another itself, which a constant says when it is compiled.
    pub const fn building_on(self, other: &'static Layout) -> Layout {
        assert!(other.first.is_empty() && self.first.is_empty(), "one message repeats one other");
        Layout { first: other.parts, bytes: self.bytes + bytes_of_parts(other.parts), ..self }
    }

    /// A layout with these lists behind it.
    pub const fn with_lists(self, lists: &'static [&'static [Field]]) -> Layout {
        Layout { lists, ..self }
    }

    /// Bytes on the wire, with IP and all that is below the fields: of a message its size, of a packet with data what
    /// it has beside them. Lists come on top.
    pub const fn bytes(&self) -> u16 {
        self.bytes
    }

    /// What is wrong with the size of packets whose header is this, if anything is: there must be room for it and a
    /// byte of data.
    pub fn complaint(&self, packet_bytes: u64) -> Option<String> {
        let least = u64::from(self.bytes()) + 1;
        (!(least..=MOST_BYTES).contains(&packet_bytes)).then(|| {
            let what = format!("{} B of headers and a byte of data", self.bytes());
            format!("{packet_bytes} B given; legal is {least} B, {what}, to {MOST_BYTES} B")
        })
    }
}

/// The size of a message: what is given, or else what its fields take.
pub fn size(given: Option<Bytes>, layout: &Layout) -> u16 {
    given.map_or(layout.bytes(), |given| given.0 as u16)
}

/// What is wrong with the size of data packets, whose header is this, and with the one of messages that is given, if
/// any is: the field, and what was given and what is legal.
pub(crate) fn check_sizes(
    data: &Layout,
    packet_size: Bytes,
    (field, given): (&str, Option<Bytes>),
) -> impl Iterator<Item = (String, String)> {
    let of_data = data.complaint(packet_size.0).map(|message| ("packet_size".to_owned(), message));
    let of_messages = given.filter(|given| !(1..=MOST_BYTES).contains(&given.0));
    let complaint = |given: Bytes| format!("{} B given; legal is 1 B to {MOST_BYTES} B", given.0);
    of_data.into_iter().chain(of_messages.map(|given| (field.to_owned(), complaint(given))))
}

/// What is wrong with the greatest rate of a session that sends a packet in 8 s at least (RFC 4654 section 3.3).
pub(crate) fn check_max_rate(max_rate: Option<Rate>, packet_size: Bytes) -> Option<(String, String)> {
    let least = packet_size.0.max(1);
    let rate = max_rate.filter(|rate| rate.0 < least)?;
    let message = format!("{} bit/s given; legal is at least a packet in 8 s, {least} bit/s", rate.0);
    Some(("max_rate".to_owned(), message))
}

/// Bytes of these fields together, whole ones.
pub const fn bytes_of(fields: &[Field]) -> u16 {
    whole_bytes(bits_of(fields))
}

/// Bytes of all these parts together, whole ones.
pub const fn bytes_of_parts(parts: &[&[Field]]) -> u16 {
    let (mut bits, mut part) = (0, 0);
    while part < parts.len() {
        bits += bits_of(parts[part]);
        part += 1;
    }
    whole_bytes(bits)
}

/// Bits of these fields together.
pub const fn bits_of(fields: &[Field]) -> u16 {
    let (mut bits, mut field) = (0, 0);
    while field < fields.len() {
        bits += fields[field].bits;
        field += 1;
    }
    bits
}

const fn whole_bytes(bits: u16) -> u16 {
    assert!(bits.is_multiple_of(8), "a message has whole bytes");
    bits / 8
}
