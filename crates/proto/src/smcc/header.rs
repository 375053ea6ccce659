//! What SMCC says in its packets: what the control of a layer says, and what joins need.

use crate::digest::Digest;
use crate::packet::ProtocolHeader;
use crate::tfmcc::{self, Echo};
use crate::wire::{Field, Format, Layout};

/// The header of an SMCC packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Header {
    /// From the sender to the group of a layer. Which one, the destination says.
    Data(PackedDataHeader),
    /// From the sender to the group of a counting layer. Which one, the destination says.
    Counting(CountingHeader),
    /// From a receiver to the sender.
    Feedback(FeedbackHeader),
    /// From a receiver that limits to the sender, for each packet of a layer that comes; with windows only.
    Ack(AckHeader),
}

/// A data packet of a layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DataHeader {
    /// What the control of the layer says: the packet's number in the layer, X = T_i, X_supp, R_max, the feedback
    /// round, the echo of a time stamp.
    pub data: tfmcc::DataHeader,
    /// T_{i+1}, the rate of the next layer and those below it, bit/s; NaN if there is no such layer.
    pub next_bps: f32,
    /// The number of the tick in which it was sent, from the sender's start: what the periods of all counting layers
    /// have a whole number of. Behind the last comes 0.
    pub tick: u32,
}

/// The same without gaps between the numbers, as there are 36 bytes for a header.
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

/// A packet of a counting layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountingHeader {
    /// Number of the packet in its group, from 0; wraps around.
    pub sequence: u32,
    /// The number of the tick in which it was sent, from the sender's start: what the periods of all counting layers
    /// have a whole number of. Behind the last comes 0.
    pub tick: u32,
}

/// A feedback packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeedbackHeader {
    /// What TFMCC says.
    pub feedback: tfmcc::FeedbackHeader,
    /// The highest layer that the receiver holds, after what it reports.
    pub layer: u8,
    /// It has just left the layer above.
    pub dropped: bool,
}

/// An acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckHeader {
    /// Time stamp of the packet that it answers, low 32 bits of microseconds.
    pub echoed_stamp_us: u32,
    /// The highest number of the lowest layer that has come.
    pub highest: u32,
    /// Which of the latest 32 packets of that layer have come, bit 0 the highest.
    pub bitmap: u32,
    /// The highest layer that the receiver holds.
    pub layer: u8,
}

/// A data packet of a layer.
pub const DATA: Layout = Layout::new(
    "SMCC: data",
    Format::Own(64),
    &[tfmcc::DATA_FIELDS, &[Field::new("next rate", 32), Field::new("tick", 32)]],
);
/// A packet of a counting layer.
pub const COUNTING: Layout =
    Layout::new("SMCC: counting", Format::Own(65), &[&[Field::new("sequence", 32), Field::new("tick", 32)]]);
/// A report.
pub const FEEDBACK: Layout =
    Layout::new("SMCC: report", Format::Own(66), &[tfmcc::FEEDBACK_FIELDS, &[Field::new("layer", 8)]]);
/// An acknowledgement.
pub const ACK: Layout = Layout::new(
    "SMCC: ACK",
    Format::Own(67),
    &[&[Field::new("layer", 8), Field::new("echoed stamp", 32), Field::new("highest", 32), Field::new("bitmap", 32)]],
);

impl From<DataHeader> for Header {
    fn from(DataHeader { data, next_bps, tick }: DataHeader) -> Header {
        let tfmcc::DataHeader { sequence, suppression_bps, rate_bps, max_rtt_us, round, echo } = data;
        let packed = PackedDataHeader { sequence, suppression_bps, rate_bps, max_rtt_us, round, echo, next_bps, tick };
        Header::Data(packed)
    }
}

impl PackedDataHeader {
    /// What it says.
    #[inline]
    pub fn unpack(self) -> DataHeader {
        let PackedDataHeader { sequence, suppression_bps, rate_bps, max_rtt_us, round, echo, next_bps, tick } = self;
        let data = tfmcc::DataHeader { sequence, suppression_bps, rate_bps, max_rtt_us, round, echo };
        DataHeader { data, next_bps, tick }
    }
}

impl ProtocolHeader for Header {
    fn digest(&self) -> u64 {
        let digest = Digest::new();
        match *self {
            Header::Data(packed) => {
                let DataHeader { data, next_bps, tick } = packed.unpack();
                digest.with(0_u8).with(data.digest()).with(next_bps).with(tick)
            }
            Header::Counting(CountingHeader { sequence, tick }) => digest.with(1_u8).with(sequence).with(tick),
            Header::Feedback(FeedbackHeader { feedback, layer, dropped }) => {
                digest.with(2_u8).with(feedback.digest()).with(layer).with(dropped)
            }
            Header::Ack(AckHeader { echoed_stamp_us: _, highest, bitmap, layer }) => {
                digest.with(3_u8).with(highest).with(bitmap).with(layer)
            }
        }
        .value()
    }

    fn layout(&self) -> &'static Layout {
        match self {
            Header::Data(_) => &DATA,
            Header::Counting(_) => &COUNTING,
            Header::Feedback(_) => &FEEDBACK,
            Header::Ack(_) => &ACK,
        }
    }

    fn is_data(&self) -> bool {
        matches!(self, Header::Data(_) | Header::Counting(_))
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
    fn wild(wild: &mut crate::testing::Wild<'_>) -> Header {
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
        let data =
            tfmcc::DataHeader { sequence: 7, suppression_bps: 1e6, rate_bps: 1e6, max_rtt_us: 1, round: 1, echo: None };
        let of = |next_bps| Header::from(DataHeader { data, next_bps, tick: 0 }).digest();
        assert_ne!(of(1e6), of(2e6));
        let counting = |sequence, tick| Header::Counting(CountingHeader { sequence, tick }).digest();
        assert_ne!(counting(1, 2), counting(2, 1));
    }
}
