//! Numbers of nodes, links and sessions, each a type of its own.

/// A node, by the order in which nodes were added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct NodeId(pub u32);

/// One direction of a link, by the order in which links were added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct LinkId(pub u32);

/// A multicast session, by the order in which sessions were added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub(crate) struct SessionId(pub(crate) u32);

impl NodeId {
    /// Its place in a list of all nodes.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl LinkId {
    /// In place of a link: none. No network has so many.
    pub(crate) const NONE: LinkId = LinkId(u32::MAX);

    /// Its place in a list of all links.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl SessionId {
    /// Its place in a list of all sessions.
    #[inline(always)]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}
