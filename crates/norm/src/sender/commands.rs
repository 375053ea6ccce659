//! What is said beside data, and when it may be said again.

use crate::intervals::Intervals;
use crate::needs::Needs;
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

impl Squelch {
    /// Somebody asks for this, of which the first so many objects are there.
    pub(super) fn add(&mut self, needs: &Needs, objects: u64) {
        for row in needs.objects.iter().chain(needs.information.iter()) {
            self.invalid.insert(row.start.max(objects)..row.end.min(1 << 16));
        }
    }

    /// Takes what has been asked for, and gives the first `most` of those that are to be listed: behind the first that
    /// is there. Numbers in the other half are those of objects before that (section 4.2.3.3).
    pub(super) fn take(&mut self, most: usize) -> Vec<u16> {
        let invalid = std::mem::take(&mut self.invalid);
        invalid.iter().flatten().take_while(|number| *number < 1 << 15).take(most).map(|number| number as u16).collect()
    }
}
