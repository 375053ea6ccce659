//! What a report says to the rate.

use crate::address::Address;

/// A receiver's report, as far as it concerns the rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feedback {
    /// Who sent it.
    pub receiver: Address,
    /// X_r, bit/s. What is negative or no number makes the report void.
    pub rate_bps: f64,
    /// The round trip that ends with it, as the sender's clock shows, seconds. Taken as 1 ms at least and 63 s at most.
    pub rtt_s: f64,
    /// The round-trip time with which X_r was computed, seconds; looked at with the rule "recent" only.
    pub used_rtt_s: f64,
    /// Whether the receiver has measured its round-trip time.
    pub have_rtt: bool,
    /// Whether it has had a loss.
    pub have_loss: bool,
    /// Whether packets have come to take longer to it, in a [start](super::config::SlowStart) that looks for that.
    pub delayed: bool,
    /// Whether it is about to leave.
    pub leave: bool,
    /// The feedback round that it answers (fb_nr).
    pub round: u8,
}
