//! Changes in the engine: what changes at an instant, and the routes of the time after it, its *epoch*.
//!
//! Routes are computed anew after every change of a link's state or far end, and when the plan says so, in the network
//! as it is then: its present delays, the links that are up. They are found when a packet asks for them, those to all
//! hosts behind one router together, and do not depend on when that is.

use crate::calendar::{Calendar, Entry, Kind};
use crate::change::{Change, Handoff, Plan};
use crate::engine::World;
use crate::ids::{LinkId, NodeId};
use crate::legs::{Aim, Legs};
use crate::link::Link;
use crate::multicast::Woods;
use crate::routing::{Edge, Graph, Routes};
use crate::store::Label;
use crate::trace::Happening;
use faircast_proto::time::Instant;

/// The changes to come, and the state of what they change.
pub(crate) struct Changes {
    plan: Plan,
    /// `None` if routes stay as they were built.
    epoch: Option<Epoch>,
    /// By link: what becomes of packets that wait.
    treatments: Vec<Treatment>,
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
    edges: Vec<Edge>,
    up: Vec<bool>,
    /// The hosts, slot by slot.
    hosts: Vec<NodeId>,
    /// Towards the hosts that somebody has asked for.
    routes: Option<Routes>,
    nodes: usize,
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
    fn pass(&mut self, now: Instant, links: &[Link], legs: &Legs) {
        self.routes = None;
        for ((id, link), (edge, up)) in (0..).map(LinkId).zip(links).zip(self.edges.iter_mut().zip(&mut self.up)) {
            if link.may_change() || legs.carrier(id).is_some() {
                (edge.to, edge.delay, *up) = (link.far_end(), link.delay(now), legs.is_usable(links, id));
            }
        }
    }

    /// Routes that lead to these nodes.
    fn routes(&mut self, destinations: &[NodeId]) -> &Routes {
        let (nodes, edges, up) = (self.nodes, &self.edges, &self.up);
        let usable = |link: LinkId| up[link.index()];
        let routes = self.routes.get_or_insert_with(|| Routes::over_those(nodes, edges, usable, &[]));
        if !destinations.iter().all(|&node| routes.lead_to(node)) {
            routes.search(&Graph::of_those(nodes, edges, usable), destinations);
        }
        routes
    }

    /// The link that `node` takes towards the host at `slot`.
    fn way(&mut self, node: NodeId, slot: u32) -> Option<LinkId> {
        let host = self.hosts[slot as usize];
        self.routes(&[host]).next(node, host)
    }
}

impl<C: Calendar> World<C> {
    /// Carries out what changes now.
    #[cold]
    pub(crate) fn change(&mut self) {
        let now = self.wires.now;
        let Some(changes) = &mut self.changes else { return };
        let mut reroutes = changes.plan.take_reroute(now);
        // In the order of links, as changes of one instant are.
        let mut turned = Vec::new();
        while let Some((link, change)) = changes.plan.take_change(now) {
            reroutes |= change.subject().is_of_routes();
            if matches!(change, Change::Down | Change::FarEnd(_)) {
                turned.push(link);
            }
            self.wires.links[link.index()].change(now, change);
        }
        if let Some(at) = changes.plan.next() {
            self.wires.calendar.schedule(Entry::new(at, Kind::Change, 0));
        }
        if reroutes && let Some(epoch) = &mut changes.epoch {
            epoch.pass(now, &self.wires.links, &self.wires.legs);
            // What leaves at this moment finds the new trees; what nodes say about them comes behind what waits.
            self.pass_to_new_trees();
            self.hand_off(&turned);
            self.send_messages();
            self.look_for_changed_paths();
        }
    }

    /// The link that `node` takes towards the host at `slot`, where routes change.
    #[cold]
    pub(crate) fn way(&mut self, node: NodeId, slot: u32) -> Option<LinkId> {
        self.changes.as_mut()?.epoch.as_mut()?.way(node, slot)
    }

    /// The trees of all sessions become those of the present routes; [`send_messages`](Self::send_messages) must
    /// follow.
    fn pass_to_new_trees(&mut self) {
        let Some(epoch) = self.changes.as_mut().and_then(|changes| changes.epoch.as_mut()) else { return };
        epoch.routes(&self.multicast.roots());
        let Some(routes) = &epoch.routes else { return };
        let mut woods = Woods::new(epoch.nodes, &epoch.edges, routes, self.wires.legs.carriers());
        self.multicast.retree(self.wires.now, &mut woods, &mut self.messages);
    }

    /// Does with waiting packets what is to be done, at links that have gone down or turned elsewhere, and at those
    /// that are down: what had to stay there may have a way now. Those that have come up go on.
    fn hand_off(&mut self, turned: &[LinkId]) {
        let now = self.wires.now;
        let mut rerouted = Vec::new();
        for link in (0..self.wires.links.len() as u32).map(LinkId) {
            let state = &self.wires.links[link.index()];
            if !state.may_change() {
                continue;
            }
            let mut waiting = state.waiting_pkts();
            let whole = self.is_disturbed(link, turned);
            for (label, aim) in self.take_disturbed(link, turned) {
                let way = aim.way(link);
                if !whole && !self.is_disturbed(way, turned) {
                    self.wires.links[link.index()].keep(label, aim);
                    continue;
                }
                match self.detour(way, aim, label) {
                    // Another leg of the same transmitter.
                    Some(other) if self.wires.legs.carrier(other) == Some(link) => {
                        self.wires.links[link.index()].keep(label, Aim::Leg(other));
                    }
                    Some(other) => {
                        waiting -= 1;
                        self.wires.links[link.index()].note_rerouted(now, label, waiting, &self.wires.store);
                        self.wires.trace(link, Happening::Rerouted, label.packet);
                        rerouted.push((other, label));
                    }
                    None => {
                        let disturbed = if whole { link } else { way };
                        self.treat(link, disturbed, aim, label, &mut waiting);
                    }
                }
            }
            self.depart(link);
            self.wires.links[link.index()].note_waiting(now);
        }
        for (link, label) in rerouted {
            // What leaves that link at this moment leaves first, as when packets come over wires.
            self.depart(self.wires.legs.carrier(link).unwrap_or(link));
            self.wires.put(link, label);
        }
    }

    /// Whether a link is down or among those that have turned.
    fn is_disturbed(&self, link: LinkId, turned: &[LinkId]) -> bool {
        !self.wires.links[link.index()].is_up() || turned.binary_search(&link).is_ok()
    }

    /// Takes out what waits at a link, if something must be done with some of it.
    fn take_disturbed(&mut self, link: LinkId, turned: &[LinkId]) -> Vec<(Label, Aim)> {
        let state = &self.wires.links[link.index()];
        let aims = state.aims().into_iter().flatten();
        let leg = aims.copied().any(|aim| self.is_disturbed(aim.way(link), turned));
        match leg || self.is_disturbed(link, turned) {
            true => self.wires.links[link.index()].take_waiting(),
            false => Vec::new(),
        }
    }

    /// The other link on which a packet that waits at `link` goes on; none for what is lost with its leg already.
    fn detour(&mut self, link: LinkId, aim: Aim, label: Label) -> Option<LinkId> {
        let destination = self.wires.store.destination(label.packet);
        let changes = self.changes.as_mut()?;
        if destination.is_group() || aim == Aim::Nobody || changes.treatments[link.index()].no_detour {
            return None;
        }
        let epoch = changes.epoch.as_mut()?;
        let node = epoch.edges[link.index()].from;
        epoch.way(node, self.places[destination.index()].slot).filter(|&way| way != link)
    }

    /// What becomes of one of the packets waiting at a link and which has no other way, as the link or the leg that it
    /// is for, which `disturbed` says, has gone down or turned.
    fn treat(&mut self, link: LinkId, disturbed: LinkId, aim: Aim, label: Label, waiting: &mut u32) {
        let Some(changes) = &self.changes else { return };
        let state = &mut self.wires.links[link.index()];
        match changes.treatments[disturbed.index()].handoff {
            Handoff::Keep => state.keep(label, aim),
            // What is meant for no leg is heard by none.
            Handoff::Lose if disturbed != link => state.keep(label, Aim::Nobody),
            Handoff::Lose => state.lose(label, aim),
            Handoff::Discard => {
                *waiting -= 1;
                self.wires.trace(link, Happening::Discarded, label.packet);
                self.wires.links[link.index()].discard(self.wires.now, label, *waiting, &mut self.wires.store);
            }
        }
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
