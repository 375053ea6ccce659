//! What is said beside data, and when it may be said again.

use crate::intervals::Intervals;
use faircast_codec::norm::Feedback;
use faircast_proto::time::Instant;

/// The end of the transmission is said until nobody asks for anything.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flushing {
    pub(super) at: Instant,
    pub(super) count: u32,
}

/// Each of both is said once in a GRTT.
#[derive(Clone, Copy, Debug)]
pub(super) struct Advert {
    /// When what has been asked for may be said, and whether there is something.
    pub(super) needs_at: Instant,
    pub(super) has_needs: bool,
    /// When feedback may be.
    pub(super) feedback_at: Instant,
    /// The lowest of the feedback that others did not hear, since the last one.
    pub(super) feedback: Option<Feedback>,
}

/// Objects that were asked for and are none of its, and when that may be said.
#[derive(Clone, Debug)]
pub(super) struct Squelch {
    pub(super) at: Instant,
    pub(super) invalid: Intervals,
}
