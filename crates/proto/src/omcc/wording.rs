//! TFMCC's endpoints in the headers of OMCC.

use super::header::{DataHeader, FEEDBACK, FeedbackHeader, Header};
use crate::packet;
use crate::tfmcc::{self, Scaling, Wording};
use crate::wire::Layout;

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
