//! Where the driver meets the codec.

pub use crate::native::{decode, encode};

use faircast_proto::control::Control;
use faircast_proto::packet::{Address, Packet};
use faircast_proto::time::Instant;

/// Ids of what an encoder names.
pub trait Directory {
    /// The id of whom the address is.
    fn id(&self, address: Address) -> u64;
}

/// What a decoder asks for.
pub trait Scope {
    /// Whose id it is.
    fn address(&mut self, id: u64) -> Option<Address>;

    /// A full stamp of this sender, near which those of its packets are.
    fn near(&self, id: u64) -> Instant;
}

/// A message that has been read.
#[derive(Debug)]
pub struct Decoded<'a> {
    /// The packet; flow, destination, ttl and ecn are for the driver to say.
    pub packet: Packet,
    /// The message beside it.
    pub control: Option<Control>,
    /// What follows the message.
    pub payload: &'a [u8],
}

/// A packet that has no message on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unencodable;

/// A datagram that is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;
