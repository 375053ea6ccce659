//! What MLDA says in its packets: the header of RTP for data (RFC 3550 section 5.1), and which of the messages beside
//! a packet is in it.

use crate::protocol_header::ProtocolHeader;
use crate::wire::message::{header, message};
use crate::wire::{Field, Format, Layout};

header! {
    /// The header of an MLDA packet. Those of RTCP carry their message beside them, as bytes: [`rtcp`](super::rtcp) has
    /// its fields and their widths, and so what is on the wire is said here apart.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Header {
        /// From the source to the group of a layer. Which one, the destination says.
        0: Data(data: DataHeader);
        /// From the source to the base layer's group, with a [`SenderReport`](super::rtcp::SenderReport) beside it.
        1: SenderReport {
            /// Number of the round; wraps around.
            number: u16 => [],
        } is SENDER_REPORT;
        /// From a receiver, with a [`ReceiverReport`](super::rtcp::ReceiverReport) beside it.
        2: ReceiverReport {
            /// Number of the round it is for; wraps around.
            number: u16 => [],
        } is RECEIVER_REPORT;
        /// From a receiver that goes, with a [`Bye`](super::rtcp::Bye) beside it.
        3: Bye is BYE;
    }
}

message! {
    /// A data packet of a layer: the header of RTP (RFC 3550 section 5.1), without contributing sources and extension.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct DataHeader is DATA = "MLDA: data", Format::Standard,
        ["version": 2, "padding": 1, "extension": 1, "CSRC count": 4] {
        /// The marker bit: it is the first packet of a pair, and the next of the layer follows back to back.
        pub probe: bool => ["marker": 1, "payload type": 7],
        /// Number of the packet in its layer; begins anywhere and wraps around.
        pub sequence: u16 => ["sequence number": 16],
        /// When it was sent on the source's RTP clock of 1 MHz, which begins anywhere; wraps around.
        pub timestamp: u32 => ["timestamp": 32] undigested,
        /// The source, by a number that it draws at its start. It is the same in all layers (RFC 3550 section 8.3).
        pub ssrc: u32 => ["SSRC": 32] undigested,
    }
    digest [sequence, probe]
}

/// A sender report of RTCP (RFC 3550 section 6.4.1) without report blocks; lines of layers and of echoes follow.
pub const SENDER_REPORT: Layout = Layout::new(
    "MLDA: sender report",
    Format::Standard,
    &[
        RTCP,
        &[
            Field::new("NTP timestamp", 64),
            Field::new("RTP timestamp", 32),
            Field::new("sender's packet count", 32),
            Field::new("sender's octet count", 32),
        ],
    ],
)
.with_lists(&[LAYER_LINE, ECHO]);
/// The line of a layer in it. What it has of the session depends on which line it is, and
/// [`rtcp`](super::rtcp) has it.
pub const LAYER_LINE: &[Field] =
    &[Field::new("of the session", 48), Field::new("first sequence number", 16), Field::new("rate", 32)];
/// An echo in it.
pub const ECHO: &[Field] = &[Field::new("receiver", 32), Field::new("stamp", 32), Field::new("held", 32)];
/// A receiver report of RTCP (RFC 3550 section 6.4.2) with one report block, and MLDA's extension.
pub const RECEIVER_REPORT: Layout = Layout::new(
    "MLDA: receiver report",
    Format::Standard,
    &[
        RTCP,
        &[
            Field::new("SSRC of the source", 32),
            Field::new("fraction lost", 8),
            Field::new("cumulative lost", 24),
            Field::new("highest sequence number", 32),
            Field::new("interarrival jitter", 32),
            Field::new("last SR", 32),
            Field::new("delay since last SR", 32),
            Field::new("one", 1),
            Field::new("round, lower bits", 15),
            Field::new("extension's length", 16),
            Field::new("share", 32),
            Field::new("loss", 32),
            Field::new("round, highest bit", 1),
            Field::new("rtt", 31),
            Field::new("stamp", 32),
        ],
    ],
);
/// A receiver goes: an empty receiver report and a BYE (RFC 3550 section 6.6).
pub const BYE: Layout = Layout::new("MLDA: BYE", Format::Standard, &[RTCP, RTCP]);

/// What each packet of RTCP begins with.
const RTCP: &[Field] = &[
    Field::new("version", 2),
    Field::new("padding", 1),
    Field::new("count", 5),
    Field::new("packet type", 8),
    Field::new("length", 16),
    Field::new("SSRC", 32),
];

impl ProtocolHeader for Header {
    fn is_data(&self) -> bool {
        matches!(self, Header::Data(_))
    }

    /// Each layer counts by itself. Of a report it is the round.
    fn number(&self) -> Option<u64> {
        match *self {
            Header::Data(DataHeader { sequence: number, .. })
            | Header::SenderReport { number }
            | Header::ReceiverReport { number } => Some(number.into()),
            Header::Bye => None,
        }
    }

    #[cfg(any(test, feature = "testing"))]
    fn wild(wild: &mut crate::wild::Wild<'_>) -> Header {
        match wild.below(8) {
            0 => Header::SenderReport { number: wild.sequence() as u16 },
            1 => Header::ReceiverReport { number: wild.sequence() as u16 },
            2 => Header::Bye,
            _ => Header::Data(DataHeader {
                sequence: wild.sequence() as u16,
                timestamp: wild.word(),
                ssrc: if wild.chance(0.1) { wild.word() } else { 1 },
                probe: wild.chance(0.1),
            }),
        }
    }
}

const _: () = assert!(core::mem::size_of::<Header>() <= 36);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_and_numbers_tell_packets_apart() {
        let data = |sequence, probe| Header::Data(DataHeader { sequence, timestamp: 9, ssrc: 7, probe });
        let all = [
            data(1, false),
            data(2, false),
            data(1, true),
            Header::SenderReport { number: 1 },
            Header::ReceiverReport { number: 1 },
            Header::Bye,
        ];
        for (n, header) in all.iter().enumerate() {
            assert!(all[n + 1..].iter().all(|other| other.digest() != header.digest()), "{header:?}");
            assert_eq!(header.is_data(), n < 3);
        }
        assert_eq!(all.map(|header| header.number()), [Some(1), Some(2), Some(1), Some(1), Some(1), None]);
    }
}
