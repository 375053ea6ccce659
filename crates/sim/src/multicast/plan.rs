//! What a session is made of: its groups, how its tree comes about, what its messages take.

use crate::ids::NodeId;
use faircast_proto::group_set::GroupSet;
#[cfg(doc)]
use faircast_proto::group_set::MAX_GROUPS;
use faircast_proto::time::Duration;
use faircast_proto::wire::{MEMBERSHIP_ACKNOWLEDGEMENT, MEMBERSHIP_REPORT};
use std::sync::Arc;

/// Size of a report or acknowledgement on the wire.
pub const CONTROL_BYTES: u16 = MEMBERSHIP_REPORT.bytes();
const _: () = assert!(CONTROL_BYTES == MEMBERSHIP_ACKNOWLEDGEMENT.bytes());

/// How a session's tree comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By explicit joins.
    Sparse,
    /// By flooding; what was pruned opens again after this time.
    Dense {
        /// Until a pruned interface opens again.
        prune_timeout: Duration,
    },
}

/// How interfaces come to know what is wanted below when the tree changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rebuild {
    /// At that instant and without messages, as if the routers had known beforehand.
    #[default]
    AtOnce,
    /// By reports, which the nodes whose way to the source has changed send at that instant.
    ByMessages,
}

/// What a session is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionPlan {
    /// Number of groups, 1 to [`MAX_GROUPS`].
    pub groups: u32,
    /// Groups that are no layers: announcements, reports, what is joined for a while only.
    pub control: GroupSet,
    /// Groups to which members may send, too; their packets go up and down the source's tree.
    pub any_source: GroupSet,
    /// How the tree comes about.
    pub mode: Mode,
    /// How long a router goes on forwarding after a host's leave.
    pub leave_delay: Duration,
    /// How long a report waits for its acknowledgement.
    pub retry: Duration,
    /// How long an interface believes a report that is not repeated, where reports can be lost.
    pub lifetime: Duration,
    /// What happens when the tree changes.
    pub rebuild: Rebuild,
}

impl SessionPlan {
    /// Sparse, with the leave latency and the lifetime of RFC 2236 (2 s and 260 s) and retries after 3 s (as in
    /// PIM-DM).
    pub fn sparse(groups: u32) -> SessionPlan {
        SessionPlan {
            groups,
            control: GroupSet::EMPTY,
            any_source: GroupSet::EMPTY,
            mode: Mode::Sparse,
            leave_delay: Duration::from_secs(2),
            retry: Duration::from_secs(3),
            lifetime: Duration::from_secs(260),
            rebuild: Rebuild::AtOnce,
        }
    }

    /// All of its groups.
    pub fn all(&self) -> GroupSet {
        GroupSet::all(self.groups)
    }
}

/// Where a session's source is and who may join it: `(node, endpoint)` in any order.
pub(crate) struct SessionSite<'a> {
    pub(crate) plan: SessionPlan,
    pub(crate) flow: u32,
    pub(crate) root: NodeId,
    pub(crate) members: &'a [(NodeId, u32)],
    /// Nodes that have endpoints and one link out.
    pub(crate) hosts: &'a Arc<[bool]>,
    /// Links on which a report can be lost although it is repeated until it is acknowledged.
    pub(crate) fallible: &'a Arc<[bool]>,
    /// Links at whose beginning somebody wants to know what is joined.
    pub(crate) watched: &'a Arc<[bool]>,
}
