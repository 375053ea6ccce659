//! What is above a driver: what data packets carry, and who watches.

use faircast_proto::endpoint::Event;
use faircast_proto::packet::Packet;
use faircast_proto::time::Instant;

/// The application's side of a driver. Nothing of it may wait.
pub trait Content {
    /// Appends what a data packet that goes out carries: at most `room` bytes. What is left of them is filled with
    /// zeros, so that the packet has the size that its rate counts.
    fn fill(&mut self, _packet: &Packet, _room: usize, _into: &mut Vec<u8>) {}

    /// The packet could not be sent; what [`fill`](Self::fill) gave for it last is lost.
    fn not_sent(&mut self, _packet: &Packet) {}

    /// A data packet has come with this beside its message.
    fn take(&mut self, _now: Instant, _packet: &Packet, _payload: &[u8]) {}

    /// Something has happened in the endpoint.
    fn event(&mut self, _now: Instant, _event: &Event) {}
}

/// Zeros, and nobody watches.
impl Content for () {}
