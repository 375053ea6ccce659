//! Messages that are too large for a header and travel beside their packet.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A message of any type beside a packet: a sender report with its echoes, a list of rates. Rare ones only; data has
/// none. Who gets the packet gets it, too, with every copy that the network makes; it is there until the last of them
/// is gone. What it takes on the wire its sender counts into [`Packet::size`](crate::packet::Packet::size).
#[derive(Clone)]
pub struct Control(Arc<dyn Any + Send + Sync>);

impl Control {
    /// The message.
    pub fn new<M: Any + Send + Sync>(message: M) -> Control {
        Control(Arc::new(message))
    }

    /// The message if it is one of this type: endpoints read their own scheme's.
    pub fn get<M: Any>(&self) -> Option<&M> {
        self.0.downcast_ref()
    }

    /// How many hold it: packets under way, and whoever else has a clone.
    pub fn holders(&self) -> usize {
        Arc::strong_count(&self.0)
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Control")
    }
}
