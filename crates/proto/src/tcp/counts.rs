//! What a sender counts for its report.

use crate::time::{Duration, Instant};

/// Counted since the connection began.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Acknowledgements received, SYN-ACKs included.
    pub acks: u64,
    /// Segments sent, SYNs not included.
    pub sent: u64,
    /// Those among them that had been sent before.
    pub retransmitted: u64,
    /// Reductions of the window for a loss.
    pub loss_reductions: u64,
    /// Reductions of the window for a congestion echo.
    pub ecn_reductions: u64,
    /// Retransmission time-outs, those of SYNs included.
    pub timeouts: u64,
    /// How long the receiver's window held data back, up to the last input.
    pub held: Duration,
    /// Since when it does; `None` = it does not.
    held_since: Option<Instant>,
}

impl Counts {
    /// After each input: whether the receiver's window holds data back from now on.
    #[inline]
    pub fn note_held(&mut self, now: Instant, holds: bool) {
        if let Some(since) = self.held_since {
            self.held = self.held + now.since(since);
        }
        self.held_since = holds.then_some(now);
    }
}
