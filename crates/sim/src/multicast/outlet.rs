//! What packets see of a node of a session: its outlets and the members on it.

use crate::ids::LinkId;
use faircast_proto::group_set::GroupSet;

/// The outlets of a node and the members on it, indices from one to before another.
#[derive(Clone, Copy)]
pub(crate) struct Fan {
    pub(super) outlets: [u32; 2],
    pub(super) members: [u32; 2],
}

/// The beginning of a branch, as packets see it.
#[derive(Clone, Copy)]
pub(crate) struct Outlet {
    pub(crate) link: LinkId,
    /// What is joined and not blocked.
    pub(super) open: GroupSet,
}

/// An endpoint that may join.
#[derive(Clone, Copy)]
pub(crate) struct Member {
    pub(crate) endpoint: u32,
    pub(super) joined: GroupSet,
}

impl Fan {
    /// The fan of a node without branches and members.
    pub(super) const NOWHERE: Fan = Fan { outlets: [0; 2], members: [0; 2] };

    /// Whether packets may go on from there.
    #[inline]
    pub(crate) fn has_outlets(self) -> bool {
        self.outlets[0] < self.outlets[1]
    }

    /// The member there, if there is one and packets go on to nowhere else.
    #[inline(always)]
    pub(super) fn lone_member(self) -> Option<u32> {
        let [first, end] = self.members;
        (!self.has_outlets() && first + 1 == end).then_some(first)
    }

    /// The members there.
    #[inline]
    pub(crate) fn members(self) -> std::ops::Range<u32> {
        self.members[0]..self.members[1]
    }
}

impl Outlet {
    /// Whether it gets packets of a group.
    #[inline]
    pub(crate) fn is_open(&self, group: u32) -> bool {
        self.open.contains(group)
    }
}

impl Member {
    /// Whether it has joined a group.
    #[inline]
    pub(crate) fn has_joined(&self, group: u32) -> bool {
        self.joined.contains(group)
    }
}
