//! What SMCC says in its packets: what the control of a layer says, and what joins need.

use crate::digest::{Digest, Digestible};
use crate::protocol_header::ProtocolHeader;
use crate::tfmcc::{self, Echo};
use crate::wire::Layout;
use crate::wire::coding::{Coded, FieldError, Reader, Writer};
use crate::wire::message::{header, message};
use std::fmt;

header! {
    /// The header of an SMCC packet.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Header {
        /// From the sender to the group of a layer. Which one, the destination says.
        0: Data(data: PackedDataHeader);
        /// From the sender to the group of a counting layer. Which one, the destination says.
        1: Counting(counting: CountingHeader);
        /// From a receiver to the sender.
        2: Feedback(feedback: FeedbackHeader);
        /// From a receiver that limits to the sender, for each packet of a layer that comes; with windows only.
        3: Ack(ack: AckHeader);
    }
}

message! {
    /// A data packet of a layer.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct DataHeader is DATA = "SMCC: data", Format::Own(64), [] {
        /// What the control of the layer says: the packet's number in the layer, X = T_i, X_supp, R_max, the feedback
        /// round, the echo of a time stamp.
        pub data: tfmcc::DataHeader => first,
        /// T_{i+1}, the rate of the next layer and those below it, bit/s; NaN if there is no such layer.
        pub next_bps: f32 => ["next rate": 32] absent,
        /// The number of the tick in which it was sent, from the sender's start: what the periods of all counting
        /// layers have a whole number of. Behind the last comes 0.
        pub tick: u32 => ["tick": 32],
    }
}

/// The header of data packets without gaps between the numbers, as there are 36 bytes for a header.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(Rust, packed)]
pub struct PackedDataHeader {
    sequence: u32,
    suppression_bps: f32,
    rate_bps: f32,
    max_rtt_us: u32,
    round: u8,
    echo: Option<Echo>,
    next_bps: f32,
    tick: u32,
}

message! {
    /// A packet of a counting layer.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct CountingHeader is COUNTING = "SMCC: counting", Format::Own(65), [] {
        /// Number of the packet in its group, from 0; wraps around.
        pub sequence: u32 => ["sequence": 32],
        /// The number of the tick in which it was sent, from the sender's start: what the periods of all counting
        /// layers have a whole number of. Behind the last comes 0.
        pub tick: u32 => ["tick": 32],
    }
}

message! {
    /// A feedback packet.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FeedbackHeader is FEEDBACK = "SMCC: report", Format::Own(66), [] {
        /// What TFMCC says.
        pub feedback: tfmcc::FeedbackHeader => first,
        /// The highest layer that the receiver holds, after what it reports.
        pub layer: u8 => ["layer": 8],
        /// It has just left the layer above.
        pub dropped: bool => [],
    }
}

message! {
    /// An acknowledgement.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AckHeader is ACK = "SMCC: ACK", Format::Own(67), [] {
        /// The highest layer that the receiver holds.
        pub layer: u8 => ["layer": 8],
        /// Time stamp of the packet that it answers, low 32 bits of microseconds.
        pub echoed_stamp_us: u32 => ["echoed stamp": 32] undigested,
        /// The highest number of the lowest layer that has come.
        pub highest: u32 => ["highest": 32],
        /// Which of the latest 32 packets of that layer have come, bit 0 the highest.
        pub bitmap: u32 => ["bitmap": 32],
    }
    digest [highest, bitmap, layer]
}

impl From<DataHeader> for Header {
    fn from(data: DataHeader) -> Header {
        Header::Data(data.pack())
    }
}

impl DataHeader {
    /// As it lies in a packet.
    #[inline]
    pub fn pack(self) -> PackedDataHeader {
        let DataHeader { data, next_bps, tick } = self;
        // A session of layers has no start of its own.
        let tfmcc::DataHeader { sequence, suppression_bps, rate_bps, max_rtt_us, round, echo, .. } = data;
        PackedDataHeader { sequence, suppression_bps, rate_bps, max_rtt_us, round, echo, next_bps, tick }
    }
}

impl PackedDataHeader {
    /// What it says.
    #[inline]
    pub fn unpack(self) -> DataHeader {
        let PackedDataHeader { sequence, suppression_bps, rate_bps, max_rtt_us, round, echo, next_bps, tick } = self;
        let (starting, at_once) = (false, false);
        let data =
            tfmcc::DataHeader { sequence, suppression_bps, rate_bps, max_rtt_us, round, echo, starting, at_once };
        DataHeader { data, next_bps, tick }
    }
}

/// How it lies in memory is no affair of the wire, of traces or of listings: it is what it is unpacked.
impl PackedDataHeader {
    const LAYOUT: Layout = DATA;
}

impl Digestible for PackedDataHeader {
    fn put(self, digest: &mut Digest) {
        self.unpack().put(digest);
    }
}

impl Coded for PackedDataHeader {
    const BYTES: u16 = DataHeader::BYTES;

    fn encode(&self, writer: &mut Writer<'_>) {
        self.unpack().encode(writer);
    }

    fn decode(reader: &mut Reader<'_, '_>) -> Result<PackedDataHeader, FieldError> {
        DataHeader::decode(reader).map(DataHeader::pack)
    }
}

impl fmt::Display for PackedDataHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.unpack().fmt(f)
    }
}

impl ProtocolHeader for Header {
    fn is_data(&self) -> bool {
        matches!(self, Header::Data(_) | Header::Counting(_))
    }

    /// Packets of counting layers go by their schedule, whatever there is to send.
    fn takes_granted(&self) -> bool {
        matches!(self, Header::Data(_))
    }

    /// Each layer and each counting layer counts by itself. Of a report it is the feedback round that it is for, of an
    /// ACK the highest number of the lowest layer.
    fn number(&self) -> Option<u64> {
        Some(match *self {
            Header::Data(packed) => packed.sequence.into(),
            Header::Counting(counting) => counting.sequence.into(),
            Header::Feedback(feedback) => feedback.feedback.round.into(),
            Header::Ack(ack) => ack.highest.into(),
        })
    }

    #[cfg(any(test, feature = "testing"))]
    fn wild(wild: &mut crate::wild::Wild<'_>) -> Header {
        match wild.below(8) {
            0..3 => {
                let data = tfmcc::DataHeader::wild(wild);
                DataHeader { data, next_bps: wild.number(), tick: wild.sequence() }.into()
            }
            3 => Header::Counting(CountingHeader { sequence: wild.sequence(), tick: wild.sequence() }),
            4 | 5 => Header::Ack(AckHeader {
                echoed_stamp_us: wild.word(),
                highest: wild.sequence(),
                bitmap: if wild.chance(0.5) { u32::MAX } else { wild.word() },
                layer: wild.below(6) as u8,
            }),
            _ => Header::Feedback(FeedbackHeader {
                feedback: tfmcc::FeedbackHeader::wild(wild),
                layer: wild.below(6) as u8,
                dropped: wild.chance(0.3),
            }),
        }
    }
}

const _: () = assert!(core::mem::size_of::<Header>() <= 36);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Address;

    #[test]
    fn what_is_packed_comes_back() {
        for (echo, next_bps) in [
            (None, f32::NAN),
            (Some(Echo { receiver: Address::endpoint(77), stamp_us: u32::MAX, is_clr: false }), 2e6),
            (Some(Echo { receiver: Address::endpoint(3), stamp_us: 5, is_clr: true }), f32::INFINITY),
        ] {
            let data = tfmcc::DataHeader {
                starting: false,
                at_once: false,
                sequence: 0xdead_beef,
                suppression_bps: f32::INFINITY,
                rate_bps: 1.5e6,
                max_rtt_us: 500_000,
                round: 255,
                echo,
            };
            let header = Header::from(DataHeader { data, next_bps, tick: 1 << 31 });
            let Header::Data(packed) = header else { panic!("{header:?}") };
            let back = packed.unpack();
            assert_eq!((back.data, back.next_bps.to_bits(), back.tick), (data, next_bps.to_bits(), 1 << 31));
            assert_eq!((header.number(), header.is_data()), (Some(0xdead_beef), true));
        }
    }

    #[test]
    fn digests_tell_packets_apart() {
        let data = tfmcc::DataHeader {
            starting: false,
            at_once: false,
            sequence: 7,
            suppression_bps: 1e6,
            rate_bps: 1e6,
            max_rtt_us: 1,
            round: 1,
            echo: None,
        };
        let of = |next_bps| Header::from(DataHeader { data, next_bps, tick: 0 }).digest();
        assert_ne!(of(1e6), of(2e6));
        let counting = |sequence, tick| Header::Counting(CountingHeader { sequence, tick }).digest();
        assert_ne!(counting(1, 2), counting(2, 1));
    }
}
