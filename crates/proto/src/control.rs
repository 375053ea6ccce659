//! Messages that are too large for a header and travel beside their packet.

use std::fmt;
use std::sync::Arc;

/// The bytes of a message beside a packet: a sender report with its echoes, a list of rates. Rare ones only; data has
/// none. Who gets the packet gets it, too, with every copy that the network makes; it is there until the last of them
/// is gone. What it takes on the wire its sender counts into [`Packet::size`](crate::packet::Packet::size).
///
/// They are bytes so that what moves packets, a simulator or a driver of sockets, can move these without knowing
/// what they say. Who reads them gets them from a network: any bytes may come, and what is no message is left alone.
#[derive(Clone, PartialEq, Eq)]
pub struct Control(Arc<[u8]>);

impl Control {
    /// The message of these bytes.
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Control {
        Control(bytes.into())
    }

    /// What it says.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// How many hold it: packets under way, and others that have a clone.
    pub fn holders(&self) -> usize {
        Arc::strong_count(&self.0)
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Control({} B)", self.0.len())
    }
}
