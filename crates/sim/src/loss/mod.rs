//! Loss models: packets that a link loses whatever the congestion.
//!
//! Applied to a packet at the receiving end of the link, before any queue. Adding one is one file beside this one
//! and one line in `losses!`.

use faircast_proto::packet::Packet;
use faircast_proto::time::Instant;

/// A loss model of one direction of one link.
pub trait LossModel {
    /// Whether the packet that arrives now is lost.
    fn loses(&mut self, now: Instant, packet: &Packet) -> bool;
}
