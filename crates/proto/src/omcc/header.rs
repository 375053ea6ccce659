//! What OMCC says in its packets: what TFMCC says, and what multiplies the rate.

use crate::digest::Digest;
use crate::packet::{self, ProtocolHeader};
use crate::tfmcc::{self, Scaling, Wording};
use crate::wire::{Field, Format, Layout};

/// The header of an OMCC packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Header {
    /// From the sender to the group.
    Data(DataHeader),
    /// From a receiver to the sender.
    Feedback(FeedbackHeader),
    /// A receiver says to the sender that it is a member, or no longer. The receiver is
    /// [`Packet::source`](packet::Packet::source); of two messages the one with the later
    /// [`Packet::sent`](packet::Packet::sent) counts.
    Registration {
        /// Whether it is one.
        member: bool,
    },
}

/// A data packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DataHeader {
    /// What TFMCC says.
    pub tfmcc: tfmcc::DataHeader,
    /// Receivers multiply the throughput equation by this, f(N) ([Hang] eq. 13).
    pub scale: f32,
    /// N, the number of receivers that the rate counts for; for observers.
    pub receivers: f32,
}

/// A feedback packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeedbackHeader {
    /// What TFMCC says.
    pub tfmcc: tfmcc::FeedbackHeader,
    /// The uniform number the feedback timer was drawn from, for counting receivers; NaN for the CLR.
    pub draw: f32,
}

/// A data packet.
pub const DATA: Layout = Layout::new(
    "OMCC: data",
    Format::Own(48),
    &[tfmcc::DATA_FIELDS, &[Field::new("equation scale", 32), Field::new("receivers", 32)]],
);
/// A report.
pub const FEEDBACK: Layout =
    Layout::new("OMCC: report", Format::Own(49), &[tfmcc::FEEDBACK_FIELDS, &[Field::new("draw", 32)]]);
/// A receiver's word on whether it is a member.
pub const REGISTRATION: Layout = Layout::new("OMCC: registration", Format::Own(50), &[&[Field::new("flags", 8)]]);

/// TFMCC's endpoints in these headers.
#[derive(Clone, Copy, Debug)]
pub struct Scaled;

impl Wording for Scaled {
    const FEEDBACK: &'static Layout = &FEEDBACK;

    fn data(tfmcc: tfmcc::DataHeader, scaling: Scaling) -> packet::Header {
        let Scaling { equation, receivers, .. } = scaling;
        Header::Data(DataHeader { tfmcc, scale: equation as f32, receivers: receivers as f32 }).into()
    }

    #[inline]
    fn read_data(header: &packet::Header) -> Option<(tfmcc::DataHeader, f32)> {
        match *header {
            packet::Header::Omcc(Header::Data(data)) => Some((data.tfmcc, data.scale)),
            _ => None,
        }
    }

    fn feedback(tfmcc: tfmcc::FeedbackHeader, draw: f32) -> packet::Header {
        Header::Feedback(FeedbackHeader { tfmcc, draw }).into()
    }

    #[inline]
    fn read_feedback(header: &packet::Header) -> Option<tfmcc::FeedbackHeader> {
        match *header {
            packet::Header::Omcc(Header::Feedback(feedback)) => Some(feedback.tfmcc),
            _ => None,
        }
    }
}

impl ProtocolHeader for Header {
    fn digest(&self) -> u64 {
        let digest = Digest::new();
        match *self {
            Header::Data(DataHeader { tfmcc, scale, receivers }) => {
                digest.with(0_u8).with(tfmcc.digest()).with(scale).with(receivers)
            }
            Header::Feedback(FeedbackHeader { tfmcc, draw }) => digest.with(1_u8).with(tfmcc.digest()).with(draw),
            Header::Registration { member } => digest.with(2_u8).with(member),
        }
        .value()
    }

    fn layout(&self) -> &'static Layout {
        match self {
            Header::Data(_) => &DATA,
            Header::Feedback(_) => &FEEDBACK,
            Header::Registration { .. } => &REGISTRATION,
        }
    }

    fn is_data(&self) -> bool {
        matches!(self, Header::Data(_))
    }

    /// Of a report the feedback round that it is for.
    fn number(&self) -> Option<u64> {
        match *self {
            Header::Data(data) => Some(data.tfmcc.sequence.into()),
            Header::Feedback(feedback) => Some(feedback.tfmcc.round.into()),
            Header::Registration { .. } => None,
        }
    }

    #[cfg(any(test, feature = "testing"))]
    fn wild(wild: &mut crate::testing::Wild<'_>) -> Header {
        match wild.below(3) {
            0 => Header::Data(DataHeader {
                tfmcc: tfmcc::DataHeader::wild(wild),
                scale: wild.number(),
                receivers: wild.number(),
            }),
            1 => Header::Feedback(FeedbackHeader { tfmcc: tfmcc::FeedbackHeader::wild(wild), draw: wild.number() }),
            _ => Header::Registration { member: wild.chance(0.8) },
        }
    }
}
