//! The ways between chosen nodes over time: which links lead from one to the other, and how long they take.
//!
//! Routes are those of packets: each node is asked for its link towards the far end, as for a packet there. A way is
//! looked at when it may have changed, at the beginning of an epoch ([`epoch`](crate::epoch)), and at the interval of
//! probes; nothing is done on the way of packets.

use crate::ids::{LinkId, NodeId};
use std::sync::Arc;

/// A pair of nodes between which the way is watched.
pub(crate) struct Watched {
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    /// The slot of `to` in the forwarding tables.
    pub(crate) slot: u32,
    /// The way as it was last seen; nothing before the first look, and no way if there was none.
    pub(crate) seen: Option<Option<Arc<[LinkId]>>>,
}
