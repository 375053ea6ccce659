//! What OMCC says in its packets: what TFMCC says, and what multiplies the rate.

use crate::packet::{self, ProtocolHeader};
use crate::tfmcc::{self, Scaling, Wording};
use crate::wire::message::{header, message};
use crate::wire::{Format, Layout};

header! {
    /// The header of an OMCC packet.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Header {
        /// From the sender to the group.
        0: Data(data: DataHeader);
        /// From a receiver to the sender.
        1: Feedback(feedback: FeedbackHeader);
        /// A receiver says to the sender that it is a member, or no longer. The receiver is
        /// [`Packet::source`](packet::Packet::source); of two messages the one with the later
        /// [`Packet::sent`](packet::Packet::sent) counts.
        2: Registration {
            /// Whether it is one.
            member: bool => [],
        } is REGISTRATION = "OMCC: registration", Format::Own(50), ["flags": 8];
    }
}

message! {
    /// A data packet.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct DataHeader is DATA = "OMCC: data", Format::Own(48), [] {
        /// What TFMCC says.
        pub tfmcc: tfmcc::DataHeader => first,
        /// Receivers multiply the throughput equation by this, f(N) ([Hang] eq. 13).
        pub scale: f32 => ["equation scale": 32],
        /// N, the number of receivers that the rate counts for; for observers.
        pub receivers: f32 => ["receivers": 32],
    }
}

message! {
    /// A feedback packet.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FeedbackHeader is FEEDBACK = "OMCC: report", Format::Own(49), [] {
        /// What TFMCC says.
        pub tfmcc: tfmcc::FeedbackHeader => first,
        /// The uniform number the feedback timer was drawn from, for counting receivers; NaN for the CLR.
        pub draw: f32 => ["draw": 32],
    }
}

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
