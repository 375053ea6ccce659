//! The time between two changes, its *epoch*: the routes that hold in it.
//!
//! Routes are computed anew after every change of a link's state or far end, and when the plan says so, in the network
//! as it is then: its present delays, the links that are up. They are found when a packet asks for them, those to all
//! hosts behind one router together and no farther than to where it is, and do not depend on when that is.

use crate::change::{Handoff, Plan};
use crate::ids::{LinkId, NodeId};
use crate::legs::Legs;
use crate::link::Link;
use crate::routing::{Edge, Routes};
use faircast_proto::time::{Duration, Instant};

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
    /// Towards the hosts that somebody has asked for, from where they have.
    pub(crate) routes: Routes,
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
        let routes = Routes::towards(nodes, &edges, &[]);
        Epoch { up: vec![true; edges.len()], edges, hosts, routes, nodes }
    }

    /// Passes to the next epoch, which begins with the links as they are now.
    pub(crate) fn pass(&mut self, now: Instant, links: &[Link], legs: &Legs) {
        self.routes.forget_unasked();
        for (id, link) in (0..).map(LinkId).zip(links) {
            if link.may_change() || legs.carrier(id).is_some() {
                self.lead(id, link.far_end(), link.delay(now), legs.is_usable(links, id));
            }
        }
    }

    /// A link leads to a node from now on and has a delay, if it is up.
    fn lead(&mut self, link: LinkId, to: NodeId, delay: Duration, up: bool) {
        let (before, was_up) = (self.edges[link.index()], &mut self.up[link.index()]);
        if (before.to, before.delay, *was_up) == (to, delay, up) {
            return;
        }
        let usable = [std::mem::replace(was_up, up), up];
        self.routes.change(&mut self.edges, link, usable, Edge { to, delay, ..before });
    }

    /// Finds the ways to these nodes.
    pub(crate) fn search(&mut self, destinations: &[NodeId]) {
        self.routes.search(&self.edges, destinations);
    }

    /// The link that `node` takes towards the host at `slot`.
    pub(crate) fn way(&mut self, node: NodeId, slot: u32) -> Option<LinkId> {
        let host = self.hosts[slot as usize];
        self.routes.search_from(&self.edges, node, host);
        self.routes.next(node, host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::random::Random;

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
            assert_eq!(epoch.routes.searches(), 1, "in epoch {number}");
            epoch.pass(Instant::ZERO, &[], &Legs::default());
        }
    }

    #[test]
    fn routes_kept_while_links_change_are_those_made_anew() {
        for seed in 0..400 {
            let mut random = Random::stream(seed, "test/epoch");
            let mut draw = |below: u32| (random.uniform() * f64::from(below)) as u32;
            let nodes = 2 + draw(10);
            let mut edges = Vec::new();
            for _ in 0..1 + draw(2 * nodes) {
                let (a, b, ms) = (draw(nodes), draw(nodes), u64::from(draw(4)));
                let link = |from, to| Edge { from: NodeId(from), to: NodeId(to), delay: Duration::from_millis(ms) };
                edges.push(link(a, b));
                // Most links have a way back, so that there are stubs.
                if draw(5) > 0 {
                    edges.push(link(b, a));
                }
            }
            let links = edges.len() as u32;
            let hosts: Vec<NodeId> = (0..nodes).map(NodeId).collect();
            let (mut now, mut up) = (edges.clone(), vec![true; edges.len()]);
            let mut epoch = Epoch::new(nodes as usize, edges, hosts.clone());
            for number in 0..12 {
                epoch.pass(Instant::ZERO, &[], &Legs::default());
                let changes = if draw(4) == 0 { 2 * links } else { draw(4) };
                for _ in 0..changes {
                    let link = LinkId(draw(links));
                    let (edge, is_up) = (&mut now[link.index()], &mut up[link.index()]);
                    match draw(4) {
                        0 => edge.to = NodeId(draw(nodes)),
                        1 => edge.delay = Duration::from_millis(u64::from(draw(4))),
                        _ => *is_up = !*is_up,
                    }
                    epoch.lead(link, edge.to, edge.delay, *is_up);
                }
                let usable = |link: LinkId| up[link.index()];
                let anew = Routes::over_those(nodes as usize, &now, usable, &hosts);
                let pairs = (0..nodes).flat_map(|node| (0..nodes).map(move |slot| (NodeId(node), slot)));
                // What nobody asks for in one epoch may be asked for in the next.
                for (node, slot) in pairs.filter(|_| draw(3) > 0).collect::<Vec<_>>() {
                    let expected = anew.next(node, NodeId(slot));
                    assert_eq!(epoch.way(node, slot), expected, "seed {seed}, epoch {number}: {node:?} -> {slot}");
                }
                for link in (0..links).map(LinkId) {
                    let back = epoch.routes.back(&now, link);
                    assert_eq!(back, anew.back(&now, link), "seed {seed}, epoch {number}: {link:?}");
                    let leads_back = |&other: &LinkId| {
                        let [there, back] = [link, other].map(|link| now[link.index()]);
                        usable(other) && (back.from, back.to) == (there.to, there.from)
                    };
                    assert_eq!(back, (0..links).map(LinkId).find(leads_back), "seed {seed}, epoch {number}: {link:?}");
                }
                // Otherwise searches go no farther than to where somebody has asked.
                if draw(2) == 0 {
                    epoch.search(&hosts);
                    let stubs = |routes: &Routes| hosts.iter().filter(|&&node| routes.up(node).is_some()).count();
                    assert_eq!(stubs(&epoch.routes), stubs(&anew), "seed {seed}, epoch {number}");
                }
            }
        }
    }

    #[test]
    fn searches_end_with_changes_that_make_their_ways_longer_and_when_nobody_asks() {
        // A square: from 0 to 2 over 1 in 2 ms, over 3 in 6 ms.
        let link = |(from, to, ms)| Edge { from: NodeId(from), to: NodeId(to), delay: Duration::from_millis(ms) };
        let pairs = [(0, 1, 1), (1, 2, 1), (0, 3, 3), (3, 2, 3)];
        let edges: Vec<Edge> = pairs.into_iter().flat_map(|(a, b, ms)| [(a, b, ms), (b, a, ms)]).map(link).collect();
        let mut epoch = Epoch::new(4, edges, (0..4).map(NodeId).collect());
        let lead = |epoch: &mut Epoch, number: u32, ms, up| {
            let to = epoch.edges[number as usize].to;
            epoch.lead(LinkId(number), to, Duration::from_millis(ms), up);
            epoch.routes.searches()
        };
        assert_eq!(epoch.way(NodeId(0), 2), Some(LinkId(0)));
        assert_eq!(lead(&mut epoch, 4, 9, true), 1, "its ways do not lead there");
        assert_eq!(lead(&mut epoch, 4, 9, false), 1);
        assert_eq!(lead(&mut epoch, 4, 1, true), 1, "ways may become shorter");
        assert_eq!(lead(&mut epoch, 6, 0, true), 1);
        assert_eq!(epoch.way(NodeId(0), 2), Some(LinkId(4)));
        assert_eq!(lead(&mut epoch, 4, 2, true), 0, "its way has become longer");
        assert_eq!(epoch.way(NodeId(0), 2), Some(LinkId(0)));
        assert_eq!(lead(&mut epoch, 0, 1, false), 0, "its way has gone");
        assert_eq!([epoch.way(NodeId(0), 2), epoch.way(NodeId(2), 0)], [LinkId(4), LinkId(3)].map(Some));
        epoch.pass(Instant::ZERO, &[], &Legs::default());
        assert_eq!((epoch.routes.searches(), epoch.way(NodeId(0), 2)), (2, Some(LinkId(4))));
        epoch.pass(Instant::ZERO, &[], &Legs::default());
        assert_eq!(epoch.routes.searches(), 1, "nobody has asked for the other");
    }
}
