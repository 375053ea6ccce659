//! The time between two changes, its *epoch*: the routes that hold in it.
//!
//! Routes are computed anew after every change of a link's state or far end, and when the plan says so, in the network
//! as it is then: its present delays, the links that are up. They are found when a packet asks for them, those to all
//! hosts behind one router together, and do not depend on when that is.

use crate::change::{Handoff, Plan};
use crate::ids::{LinkId, NodeId};
use crate::legs::Legs;
use crate::link::Link;
use crate::routing::{Edge, Graph, Routes};
use faircast_proto::time::Instant;

/// The changes to come, and the state of what they change.
pub(crate) struct Changes {
    pub(crate) plan: Plan,
    /// `None` if routes stay as they were built.
    pub(crate) epoch: Option<Epoch>,
    /// By link: what becomes of packets that wait.
    pub(crate) treatments: Vec<Treatment>,
}

/// What becomes of packets that wait at a link that goes down or turns elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Treatment {
    pub(crate) handoff: Handoff,
    /// Packets to one host stay even if there is another way.
    pub(crate) no_detour: bool,
}

/// The routes between two changes.
pub(crate) struct Epoch {
    /// The links as they were at its beginning.
    pub(crate) edges: Vec<Edge>,
    up: Vec<bool>,
    /// The hosts, slot by slot.
    hosts: Vec<NodeId>,
    /// Towards the hosts that somebody has asked for.
    pub(crate) routes: Option<Routes>,
    pub(crate) nodes: usize,
}

impl Changes {
    /// Changes by `plan`, which is in order.
    pub(crate) fn new(plan: Plan, epoch: Option<Epoch>, treatments: Vec<Treatment>) -> Changes {
        Changes { plan, epoch, treatments }
    }
}

impl Epoch {
    /// The first epoch, in the network as it is built.
    pub(crate) fn new(nodes: usize, edges: Vec<Edge>, hosts: Vec<NodeId>) -> Epoch {
        Epoch { up: vec![true; edges.len()], edges, hosts, routes: None, nodes }
    }

    /// Passes to the next epoch, which begins with the links as they are now.
    pub(crate) fn pass(&mut self, now: Instant, links: &[Link], legs: &Legs) {
        self.routes = None;
        for ((id, link), (edge, up)) in (0..).map(LinkId).zip(links).zip(self.edges.iter_mut().zip(&mut self.up)) {
            if link.may_change() || legs.carrier(id).is_some() {
                (edge.to, edge.delay, *up) = (link.far_end(), link.delay(now), legs.is_usable(links, id));
            }
        }
    }

    /// Routes that lead to these nodes.
    pub(crate) fn routes(&mut self, destinations: &[NodeId]) -> &Routes {
        let (nodes, edges, up) = (self.nodes, &self.edges, &self.up);
        let usable = |link: LinkId| up[link.index()];
        let routes = self.routes.get_or_insert_with(|| Routes::over_those(nodes, edges, usable, &[]));
        if !destinations.iter().all(|&node| routes.lead_to(node)) {
            routes.search(&Graph::of_those(nodes, edges, usable), destinations);
        }
        routes
    }

    /// The link that `node` takes towards the host at `slot`.
    pub(crate) fn way(&mut self, node: NodeId, slot: u32) -> Option<LinkId> {
        let host = self.hosts[slot as usize];
        self.routes(&[host]).next(node, host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::time::Duration;

    #[test]
    fn one_search_finds_the_ways_to_all_hosts_behind_a_router() {
        // A hundred hosts behind each of two routers.
        let link = |from, to| Edge { from: NodeId(from), to: NodeId(to), delay: Duration::from_millis(1) };
        let pairs = (2..202).map(|host| (host % 2, host)).chain([(0, 1)]);
        let edges: Vec<Edge> = pairs.flat_map(|(a, b)| [link(a, b), link(b, a)]).collect();
        let hosts: Vec<NodeId> = (2..202).map(NodeId).collect();
        let mut epoch = Epoch::new(202, edges, hosts);
        for number in 0..3 {
            for (host, slot) in (2..202).zip(0..) {
                let way = |epoch: &mut Epoch, node| epoch.way(NodeId(node), slot);
                let there = LinkId(2 * slot);
                assert_eq!([way(&mut epoch, host % 2), way(&mut epoch, host)], [Some(there), None]);
                let across = LinkId(400 + u32::from(host % 2 == 0));
                assert_eq!(way(&mut epoch, (host + 1) % 2), Some(across));
                let other = if host < 201 { host + 1 } else { 2 };
                assert_eq!(way(&mut epoch, other), Some(LinkId(2 * (other - 2) + 1)));
            }
            assert_eq!(epoch.routes.as_ref().map(Routes::searches), Some(1), "in epoch {number}");
            epoch.pass(Instant::ZERO, &[], &Legs::default());
        }
    }
}
