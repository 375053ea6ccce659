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
            Header::Syn | Header::SynAck { .. } => None,
            Header::Data { sequence: number, .. } | Header::Ack { next_expected: number, .. } => Some(number.into()),
        }
    }

    fn is_retransmission(&self) -> bool {
        matches!(self, Header::Data { retransmission: true, .. })
    }

    #[cfg(any(test, feature = "testing"))]
    fn wild(wild: &mut crate::wild::Wild<'_>) -> Header {
        match wild.below(4) {
            0 => Header::Syn,
            1 => Header::SynAck { echoed_stamp_us: wild.word() },
            2 => Header::Data {
                sequence: wild.sequence(),
                window_reduced: wild.chance(0.5),
                retransmission: wild.chance(0.5),
            },
            _ => Header::Ack {
                next_expected: wild.sequence(),
                echo: Ecn::Moderate,
                sack: [SackBlock { start: wild.word(), end: wild.word() }; 3],
                echoed_stamp_us: wild.word(),
            },
        }
    }
}
