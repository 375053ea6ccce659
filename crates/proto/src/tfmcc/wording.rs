//! In which headers TFMCC's endpoints speak: in its own, or in those of a scheme built on it, which says more.

use super::header::{DataHeader, FEEDBACK, FeedbackHeader, Header};
use super::scaling::Scaling;
use crate::packet;
use crate::wire::Layout;

/// In which headers the messages of TFMCC's endpoints travel: [`Plain`], or in those of a scheme built on it, with what
/// that adds. What comes in other headers is not for these endpoints.
pub trait Wording {
    /// What a report is on the wire.
    const FEEDBACK: &'static Layout;

    /// The header of a data packet; the scaling is that in use.
    fn data(data: DataHeader, scaling: Scaling) -> packet::Header;

    /// What a data packet says, and by what its receiver is to multiply the equation.
    fn read_data(header: &packet::Header) -> Option<(DataHeader, f32)>;

    /// The header of a feedback packet. `draw` is the uniform number that the feedback timer was drawn from, NaN if
    /// none was.
    fn feedback(feedback: FeedbackHeader, draw: f32) -> packet::Header;

    /// What a feedback packet says.
    fn read_feedback(header: &packet::Header) -> Option<FeedbackHeader>;
}

/// TFMCC's own headers.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Wording for Plain {
    const FEEDBACK: &'static Layout = &FEEDBACK;

    fn data(data: DataHeader, _: Scaling) -> packet::Header {
        Header::Data(data).into()
    }

    #[inline]
    fn read_data(header: &packet::Header) -> Option<(DataHeader, f32)> {
        match *header {
            packet::Header::Tfmcc(Header::Data(data)) => Some((data, 1.0)),
            _ => None,
        }
    }

    fn feedback(feedback: FeedbackHeader, _: f32) -> packet::Header {
        Header::Feedback(feedback).into()
    }

    #[inline]
    fn read_feedback(header: &packet::Header) -> Option<FeedbackHeader> {
        match *header {
            packet::Header::Tfmcc(Header::Feedback(feedback)) => Some(feedback),
            _ => None,
        }
    }
}
