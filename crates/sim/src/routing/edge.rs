//! Links as routing sees them.

use crate::ids::NodeId;
use faircast_proto::time::Duration;

/// A directed link as routing sees it.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Node it leaves.
    pub from: NodeId,
    /// Node it leads to.
    pub to: NodeId,
    /// Propagation delay, the measure of length.
    pub delay: Duration,
}
