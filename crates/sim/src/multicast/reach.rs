//! Whom a packet would have come to that was lost on its way.

use super::Multicast;
use super::state::Session;
use super::tree::{Branch, BranchId, Heading, Vertex};
use crate::ids::{LinkId, SessionId};

impl Multicast {
    /// Adds to `endpoints` the members to which a packet of a group would have gone on from the far end of `link`: what
    /// is held back on the way, or not joined, is left out.
    pub(crate) fn reach(&self, session: SessionId, link: LinkId, group: u32, endpoints: &mut Vec<u32>) {
        let Some(&crossing) = self.crossing(session, link) else { return };
        let state = self.session(session);
        let Branch { parent, child, .. } = *state.tree.branch(crossing.branch);
        match crossing.way {
            Heading::Down => state.reach_below(child, None, group, endpoints),
            Heading::Up if state.has_any_source(group) => state.reach_around(parent, crossing.branch, group, endpoints),
            Heading::Up => {}
        }
    }
}

impl Session {
    /// The members on a node and below it, but on the branch `except`.
    fn reach_below(&self, node: Vertex, except: Option<BranchId>, group: u32, endpoints: &mut Vec<u32>) {
        let joined = self.members(self.fan_of(node)).iter().filter(|member| member.has_joined(group));
        endpoints.extend(joined.map(|member| member.endpoint));
        let [start, end] = self.tree.fan(node);
        for branch in (start..end).map(BranchId) {
            if Some(branch) != except && self.is_open(branch, group) {
                self.reach_below(self.tree.branch(branch).child, None, group, endpoints);
            }
        }
    }

    /// The members that a packet comes to which has come up the branch `from` to `node`, and goes on up to the source.
    fn reach_around(&self, mut node: Vertex, mut from: BranchId, group: u32, endpoints: &mut Vec<u32>) {
        loop {
            self.reach_below(node, Some(from), group, endpoints);
            let above = self.branches().find(|&branch| self.tree.branch(branch).child == node);
            let Some(branch) = above.filter(|_| !self.is_root(node)) else { return };
            (node, from) = (self.parent(branch), branch);
        }
    }

    /// Whether packets of a group pass the beginning of a branch.
    fn is_open(&self, branch: BranchId, group: u32) -> bool {
        let (joined, blocked) = self.held_on(branch);
        let carrier = self.tree.branch(branch).carrier.and_then(|carrier| self.beam(carrier));
        let held_back = carrier.map_or(blocked, |beam| beam.held().1);
        joined.contains(group) && !held_back.contains(group)
    }
}
