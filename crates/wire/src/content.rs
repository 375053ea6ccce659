//! What is above a driver: what data packets carry, and who watches.

use faircast_proto::endpoint::Event;
use faircast_proto::packet::Packet;
use faircast_proto::time::Instant;
use std::ops::Range;

/// The application's side of a driver. Nothing of it may wait.
pub trait Content {
    /// Appends what a data packet that goes out carries: at most `room` bytes. What is left of them is filled with
    /// zeros, so that the packet has the size that its rate counts, unless [`is_padded`](Self::is_padded) says no.
    fn fill(&mut self, _packet: &Packet, _room: usize, _into: &mut Vec<u8>) {}

    /// The packet could not be sent; what [`fill`](Self::fill) gave for it last is lost.
    fn not_sent(&mut self, _packet: &Packet) {}

    /// The data packet that is [taken](Self::take) next names this member, as those of TFMCC name the one that limits:
    /// by its id, in RTP by the lower 32 bits of that. A member has no addresses of others.
    fn names(&mut self, _id: Option<u64>) {}

    /// A data packet has come with this beside its message.
    fn take(&mut self, _now: Instant, _packet: &Packet, _payload: &[u8]) {}

    /// A member has said this beside its endpoint's messages ([`Driver::say`](crate::driver::Driver::say)).
    fn hear(&mut self, _now: Instant, _id: u64, _said: &[u8]) {}

    /// Something has happened in the endpoint.
    fn event(&mut self, _now: Instant, _event: &Event) {}

    /// Whether what [`fill`](Self::fill) left of the room is filled with zeros. Otherwise a packet is as short as what
    /// it carries, and the rate counts more than is sent.
    fn is_padded(&self) -> bool {
        true
    }

    /// How many bytes [`seal`](Self::seal) adds to each message; 0: messages are neither sealed nor opened. Data has as
    /// much less room, so that the packet has the size that its rate counts; other messages are as much longer.
    fn seal_bytes(&self) -> usize {
        0
    }

    /// Seals a message that goes out, whose payload begins at `payload_at`.
    ///
    /// # Errors
    ///
    /// There is no key for it, yet or any more: it is not sent.
    fn seal(&mut self, _message: &mut Vec<u8>, _payload_at: usize) -> Result<(), Refused> {
        Ok(())
    }

    /// Opens a message that has come, whose payload and seal begin at `payload_at`; `id` is whose it says that it is.
    /// Where its payload is then.
    ///
    /// # Errors
    ///
    /// It is not sealed by who it says, or not for this session: it is dropped before anything looks at it.
    fn open(&mut self, _id: u64, message: &mut [u8], payload_at: usize) -> Result<Range<usize>, Refused> {
        Ok(payload_at..message.len())
    }
}

/// A message is not let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused;

/// Zeros, and nobody watches.
impl Content for () {}
