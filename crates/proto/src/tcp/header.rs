//! What TCP says in its packets.

use crate::digest::{Digest, Digestible};
use crate::ecn::Ecn;
use crate::protocol_header::ProtocolHeader;
use crate::wire::message::{Listed, header};
use crate::wire::{Field, Format, Layout};
use std::fmt;

header! {
    /// The header of a TCP packet. Sequence numbers count segments. On the wire all are segments, with fields of which
    /// few are needed here: that layout is declared apart.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Header {
        /// The first packet of a connection that begins with a handshake.
        0: Syn is SEGMENT as "TCP: SYN";
        /// The answer to it.
        1: SynAck {
            /// Time stamp of the SYN (RFC 7323 TSecr), low 32 bits of microseconds.
            echoed_stamp_us: u32 => [] undigested,
        } is SEGMENT as "TCP: SYN-ACK";
        /// A data segment.
        2: Data {
            /// Number of the segment, from 0.
            sequence: u32 => [],
            /// The sender has reduced its window (RFC 3168 CWR): the receiver may end its echo.
            window_reduced: bool => [],
            /// Sent before.
            retransmission: bool => [],
            /// The push flag (RFC 9293 section 3.1): the receiver acknowledges it at once.
            push: bool => [] undigested,
        } is SEGMENT as "TCP: data";
        /// An acknowledgement.
        3: Ack {
            /// The next segment expected.
            next_expected: u32 => [],
            /// Congestion level echoed ([Durresi] Table II; RFC 3168 ECE is `Moderate`). `NotCapable` = no echo.
            echo: Ecn => [],
            /// RFC 2018 blocks, the most recent first; empty blocks have `start == end`.
            sack: [SackBlock; 3] => [],
            /// Time stamp of the segment that caused this ACK (RFC 7323 TSecr), low 32 bits of microseconds.
            echoed_stamp_us: u32 => [] undigested,
        } is SEGMENT as "TCP: ACK";
        /// An acknowledgement of a relay, which splits the connection and has only so much room.
        4: RelayAck {
            /// The next segment expected.
            next_expected: u32 => [],
            /// Congestion level echoed.
            echo: Ecn => [],
            /// RFC 2018 blocks, counted from the segment expected.
            sack: [RelayBlock; 3] => [],
            /// Time stamp of the segment that caused this ACK.
            echoed_stamp_us: u32 => [] undigested,
            /// How many segments there is room for from the one expected on: the receiver's window.
            window: u16 => [],
            /// How many of the segments acknowledged have not come through to the last receiver, as far as is known. It
            /// stands for what the far application answers.
            behind: u32 => [],
        } is SEGMENT as "TCP: ACK of a relay";
        /// The sender's answer to a SYN-ACK, if that is a packet of its own. Data says the same.
        5: HandshakeAck is SEGMENT as "TCP: ACK of a SYN-ACK";
    }
}

/// Segments `start..end` have arrived above the cumulative acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlock {
    /// First segment of the block.
    pub start: u32,
    /// First segment after the block.
    pub end: u32,
}

/// Segments above the cumulative acknowledgement of a relay, which has little room, counted from there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RelayBlock {
    /// First segment of the block.
    pub start: u16,
    /// First segment after the block.
    pub end: u16,
}

/// A segment, with data or without, as it is without options (RFC 9293 section 3.1). What options add has to be
/// declared, in [`Config::hdr`](super::Config::hdr) and [`Config::ack_size`](super::Config::ack_size).
pub const SEGMENT: Layout = Layout::new(
    "TCP: segment",
    Format::StandardOverIp,
    &[&[
        Field::new("source port", 16),
        Field::new("destination port", 16),
        Field::new("sequence number", 32),
        Field::new("acknowledgement number", 32),
        Field::new("data offset", 4),
        Field::new("reserved", 4),
        Field::new("control bits", 8),
        Field::new("window", 16),
        Field::new("checksum", 16),
        Field::new("urgent pointer", 16),
    ]],
);

impl SackBlock {
    /// Whether the block says nothing.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

impl Digestible for SackBlock {
    fn put(self, digest: &mut Digest) {
        [self.start, self.end].put(digest);
    }
}

impl RelayBlock {
    /// What `block` is, counted from the segment `next_expected`.
    pub(super) fn counted_from(next_expected: u32, block: SackBlock) -> RelayBlock {
        let count = |segment: u32| segment.wrapping_sub(next_expected) as u16;
        if block.is_empty() {
            RelayBlock::default()
        } else {
            RelayBlock { start: count(block.start), end: count(block.end) }
        }
    }

    /// What it is by the numbers of segments.
    pub(super) fn numbered(self, next_expected: u32) -> SackBlock {
        let number = |count: u16| next_expected.wrapping_add(count.into());
        SackBlock { start: number(self.start), end: number(self.end) }
    }
}

impl Digestible for RelayBlock {
    fn put(self, digest: &mut Digest) {
        [self.start, self.end].put(digest);
    }
}

impl Listed for RelayBlock {
    fn list(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.start == self.end { Ok(()) } else { write!(f, " {name} +{}..+{}", self.start, self.end) }
    }
}

impl Listed for SackBlock {
    fn list(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() { Ok(()) } else { write!(f, " {name} {}..{}", self.start, self.end) }
    }
}

impl ProtocolHeader for Header {
    fn is_data(&self) -> bool {
        matches!(self, Header::Data { .. })
    }

    /// Of an acknowledgement the segment that it expects.
    fn number(&self) -> Option<u64> {
        match *self {
            Header::Syn | Header::SynAck { .. } | Header::HandshakeAck => None,
            Header::Data { sequence: number, .. }
            | Header::Ack { next_expected: number, .. }
            | Header::RelayAck { next_expected: number, .. } => Some(number.into()),
        }
    }

    fn is_retransmission(&self) -> bool {
        matches!(self, Header::Data { retransmission: true, .. })
    }

    #[cfg(any(test, feature = "testing"))]
    fn wild(wild: &mut crate::wild::Wild<'_>) -> Header {
        match wild.below(6) {
            0 => Header::Syn,
            1 => Header::SynAck { echoed_stamp_us: wild.word() },
            2 => Header::Data {
                sequence: wild.sequence(),
                window_reduced: wild.chance(0.5),
                retransmission: wild.chance(0.5),
                push: wild.chance(0.5),
            },
            3 => Header::RelayAck {
                next_expected: wild.sequence(),
                echo: Ecn::Moderate,
                sack: [RelayBlock { start: wild.word() as u16, end: wild.word() as u16 }; 3],
                echoed_stamp_us: wild.word(),
                window: wild.word() as u16,
                behind: wild.word(),
            },
            4 => Header::HandshakeAck,
            _ => Header::Ack {
                next_expected: wild.sequence(),
                echo: Ecn::Moderate,
                sack: [SackBlock { start: wild.word(), end: wild.word() }; 3],
                echoed_stamp_us: wild.word(),
            },
        }
    }
}
