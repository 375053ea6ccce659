//! Multicast: which interface gets a copy of which group's packets, and how that comes about.
//!
//! | file | subject |
//! |---|---|
//! | `tree.rs` | the tree of a session: the way to the source, the branches away from it |
//! | `state.rs` | what interfaces forward, what members have joined, what nodes hence want |
//! | `membership.rs` | how nodes tell each other what they want: reports, acknowledgements, lifetimes |
//! | `engine.rs` | copies and messages in the engine |
//!
//! A session owns up to [`MAX_GROUPS`] groups. They share one tree, the reverse of the shortest paths to the source. Of
//! each session an interface of a router keeps two sets of groups: `joined`, wanted by someone downstream, and
//! `blocked`, held back by the router itself; it forwards `joined - blocked`. Blocking never alters `joined`.
//!
//! *Sparse*: nothing flows where nobody has asked. *Dense*: the first packets go everywhere; routers that have no use
//! for them prune, and what was pruned opens again after `prune_timeout` (ns-2's dense mode).

mod engine;
mod membership;
mod state;
mod tree;

use crate::ids::{LinkId, NodeId};
use crate::routing::Graph;
use faircast_proto::group_set::{GroupSet, MAX_GROUPS};
use faircast_proto::time::{Duration, Instant};
use membership::Agenda;
pub(crate) use membership::Message;
use state::Session;
use std::collections::VecDeque;
use std::sync::Arc;
use tree::Tree;

/// Size of a report or acknowledgement on the wire.
pub const CONTROL_BYTES: u16 = 40;

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

/// All sessions of a network.
#[derive(Default)]
pub(crate) struct Multicast {
    sessions: Vec<Session>,
    /// Session and number within it of every group.
    groups: Vec<(u32, u32)>,
    agenda: Agenda,
    /// Sessions of which something has changed that somebody wants to know.
    changed: VecDeque<u32>,
    /// Sessions and nodes on which endpoints have joined or left just now.
    to_speak: Vec<(u32, NodeId)>,
}

/// Where a session's source is and who may join it: `(node, endpoint)` in any order.
pub(crate) struct SessionSite<'a> {
    pub(crate) plan: SessionPlan,
    pub(crate) flow: u32,
    pub(crate) root: NodeId,
    pub(crate) members: &'a [(NodeId, u32)],
    /// Nodes that have endpoints and one link out.
    pub(crate) hosts: &'a [bool],
    /// Links on which a report can be lost although it is repeated until it is acknowledged.
    pub(crate) fallible: &'a Arc<[bool]>,
    /// Links at whose beginning somebody wants to know what is joined.
    pub(crate) watched: &'a Arc<[bool]>,
}

impl Multicast {
    /// Adds a session on the shortest paths of `graph`; its groups follow those of the sessions before it.
    pub(crate) fn add(&mut self, site: &SessionSite<'_>, graph: &Graph<'_>) {
        assert!(site.plan.groups <= MAX_GROUPS, "the builder has seen to it");
        let index = self.sessions.len() as u32;
        let first_group = self.groups.len() as u32;
        self.groups.extend((0..site.plan.groups).map(|group| (index, group)));
        self.sessions.push(Session::new(site, first_group, Tree::new(graph, site.root)));
        self.note_changes(index);
    }

    /// Session and number within it of a group; `None` for a group that no session owns.
    #[inline]
    pub(crate) fn place(&self, group: usize) -> Option<(u32, u32)> {
        self.groups.get(group).copied()
    }

    /// The next change that somebody wants to know of: session, link, and what was joined there before.
    pub(crate) fn take_change(&mut self) -> Option<(u32, LinkId, GroupSet)> {
        while let Some(&session) = self.changed.front() {
            if let Some((link, before)) = self.sessions[session as usize].take_change() {
                return Some((session, link, before));
            }
            self.changed.pop_front();
        }
        None
    }

    /// Remembers a session if something has changed of which somebody wants to know.
    fn note_changes(&mut self, session: u32) {
        if self.sessions[session as usize].has_changes() && self.changed.back() != Some(&session) {
            self.changed.push_back(session);
        }
    }

    /// Makes what a branch of a session has joined `groups`.
    fn set_joined(&mut self, session: u32, branch: u32, groups: GroupSet) {
        self.sessions[session as usize].set_joined(branch, groups);
        self.note_changes(session);
    }

    /// A session.
    #[inline]
    pub(crate) fn session(&self, session: u32) -> &Session {
        &self.sessions[session as usize]
    }

    fn session_mut(&mut self, session: u32) -> &mut Session {
        &mut self.sessions[session as usize]
    }

    /// Passes to the trees on the shortest paths of `graph`, which has the nodes and links of those before.
    pub(crate) fn retree(&mut self, now: Instant, graph: &Graph<'_>, out: &mut Vec<Message>) {
        for session in 0..self.sessions.len() as u32 {
            let state = &mut self.sessions[session as usize];
            let moved = state.retree(Tree::new(graph, state.tree.root()));
            self.note_changes(session);
            self.meet_anew(now, session, &moved, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::Edge;

    #[test]
    fn several_changes_of_a_moment_are_told_as_one() {
        // What opens and closes at one moment, as in dense mode, would else be told twice.
        let ends = [(0, 1), (1, 0)].map(|(from, to)| (NodeId(from), NodeId(to)));
        let edges = ends.map(|(from, to)| Edge { from, to, delay: Duration::from_millis(1) });
        let (fallible, watched): (Arc<[bool]>, Arc<[bool]>) = (Arc::new([false; 2]), Arc::new([true; 2]));
        let mut multicast = Multicast::default();
        let site = SessionSite {
            plan: SessionPlan::sparse(3),
            flow: 0,
            root: NodeId(0),
            members: &[],
            hosts: &[true; 2],
            fallible: &fallible,
            watched: &watched,
        };
        multicast.add(&site, &Graph::new(2, &edges));
        for groups in [GroupSet::of(1), GroupSet::of(1) | GroupSet::of(2), GroupSet::of(2)] {
            multicast.set_joined(0, 0, groups);
        }
        assert_eq!(multicast.take_change(), Some((0, LinkId(0), GroupSet::EMPTY)));
        assert_eq!(multicast.take_change(), None);
        multicast.set_joined(0, 0, GroupSet::EMPTY);
        assert_eq!(multicast.take_change(), Some((0, LinkId(0), GroupSet::of(2))));
    }
}
