//! The time between two changes, its *epoch*: the routes that hold in it.
//!
//! Routes are computed anew after every change of a link's state or far end, and when the plan says so, in the network
//! as it is then: its present delays, the links that are up. They are found when a packet asks for them, those to all
//! hosts behind one router together and no farther than to where it is, and do not depend on when that is.

use crate::change::{Handoff, Plan};
use crate::ids::{LinkId, NodeId};
use crate::legs::Legs;
use crate::link::Link;
use crate::routing::{Edge, Graph, Routes, incoming};
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
    /// Those of them that are up, by the node that they lead to.
    incoming: Vec<Vec<LinkId>>,
    /// The hosts, slot by slot.
    hosts: Vec<NodeId>,
    /// Towards the hosts that somebody has asked for, from where they have.
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
        let incoming = incoming(nodes, &edges, |_| true);
        Epoch { up: vec![true; edges.len()], edges, incoming, hosts, routes: None, nodes }
    }

    /// Passes to the next epoch, which begins with the links as they are now.
    pub(crate) fn pass(&mut self, now: Instant, links: &[Link], legs: &Legs) {
        self.routes = None;
        for (id, link) in (0..).map(LinkId).zip(links) {
            if link.may_change() || legs.carrier(id).is_some() {
                self.edges[id.index()].delay = link.delay(now);
                self.lead(id, link.far_end(), legs.is_usable(links, id));
            }
        }
    }

    /// A link leads to a node from now on, if it is up.
    fn lead(&mut self, link: LinkId, to: NodeId, up: bool) {
        let (edge, was_up) = (&mut self.edges[link.index()], &mut self.up[link.index()]);
        if edge.to == to && *was_up == up {
            return;
        }
        if *was_up {
            self.incoming[edge.to.index()].retain(|&other| other != link);
        }
        if up {
            self.incoming[to.index()].push(link);
        }
        (edge.to, *was_up) = (to, up);
    }

    /// Routes that lead to these nodes.
    pub(crate) fn routes(&mut self, destinations: &[NodeId]) -> &Routes {
        let (graph, routes) = self.graph_and_routes();
        routes.search(&graph, destinations);
        routes
    }

    /// The link that `node` takes towards the host at `slot`.
    pub(crate) fn way(&mut self, node: NodeId, slot: u32) -> Option<LinkId> {
        let host = self.hosts[slot as usize];
        let (graph, routes) = self.graph_and_routes();
        routes.search_from(&graph, node, host);
        routes.next(node, host)
    }

    fn graph_and_routes(&mut self) -> (Graph<'_>, &mut Routes) {
        let (nodes, edges, up) = (self.nodes, &self.edges, &self.up);
        let begin = || Routes::over_those(nodes, edges, |link| up[link.index()], &[]);
        (Graph::of_known(edges, &self.incoming), self.routes.get_or_insert_with(begin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::random::Random;
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
    #[test]
    fn links_that_turn_and_come_and_go_are_where_they_lead() {
        let mut random = Random::stream(1, "test/epoch");
        let mut draw = |below: u32| (random.uniform() * f64::from(below)) as u32;
        for _ in 0..100 {
            let nodes = 2 + draw(8);
            let edge = |(from, to, ms)| Edge { from: NodeId(from), to: NodeId(to), delay: Duration::from_millis(ms) };
            let drawn: Vec<_> = (0..3 * nodes).map(|_| (draw(nodes), draw(nodes), u64::from(draw(3)))).collect();
            let edges: Vec<Edge> = drawn.into_iter().map(edge).collect();
            let hosts: Vec<NodeId> = (0..nodes).map(NodeId).collect();
            let (mut now, mut up) = (edges.clone(), vec![true; edges.len()]);
            let mut epoch = Epoch::new(nodes as usize, edges, hosts.clone());
            for _ in 0..10 {
                epoch.pass(Instant::ZERO, &[], &Legs::default());
                assert!(epoch.routes.is_none(), "those of an epoch end with it");
                for _ in 0..draw(4) {
                    let (link, to, is_up) = (LinkId(draw(3 * nodes)), NodeId(draw(nodes)), draw(2) > 0);
                    epoch.lead(link, to, is_up);
                    (now[link.index()].to, up[link.index()]) = (to, is_up);
                }
                let anew = Routes::over_those(nodes as usize, &now, |link| up[link.index()], &hosts);
                for (node, slot) in (0..nodes).flat_map(|node| (0..nodes).map(move |slot| (NodeId(node), slot))) {
                    assert_eq!(epoch.way(node, slot), anew.next(node, NodeId(slot)), "{node:?} -> {slot}");
                }
            }
        }
    }
}
