//! What OMCC says in its packets: what TFMCC says, and what multiplies the rate.

use crate::protocol_header::ProtocolHeader;
use crate::tfmcc;
use crate::wire::message::{header, message};

header! {
    /// The header of an OMCC packet.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Header {
        /// From the sender to the group.
        0: Data(data: DataHeader);
        /// From a receiver to the sender.
        1: Feedback(feedback: FeedbackHeader);
        /// A receiver says to the sender that it is a member, or no longer. The receiver is
        /// [`Packet::source`](crate::packet::Packet::source); of two messages the one with the later
        /// [`Packet::sent`](crate::packet::Packet::sent) counts.
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
        pub draw: f32 => ["draw": 32] absent,
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
    fn wild(wild: &mut crate::wild::Wild<'_>) -> Header {
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
