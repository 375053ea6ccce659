//! The links that traffic takes, as routes are at the start of a run.

use crate::network::{DirectedLink, Network, NetworkFlow, NetworkReceiver, NetworkSession};
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::routing::{Edge, Routes};

/// The ways of a network's traffic. A leg follows the link that has it.
pub(super) struct Ways<'a> {
    network: &'a Network,
    edges: Vec<Edge>,
    routes: Routes,
}

impl<'a> Ways<'a> {
    pub(super) fn of(network: &'a Network) -> Ways<'a> {
        let edges = network.edges();
        let routes = network.routes(&edges);
        Ways { network, edges, routes }
    }

    /// The links from the sender of a flow to its receiver; none where no way is.
    pub(super) fn of_flow(&self, flow: &NetworkFlow) -> Vec<LinkId> {
        flow.hops().flat_map(|(from, to)| self.between(NodeId(from), NodeId(to))).collect()
    }

    /// The links from one node to another; none where no way is.
    pub(super) fn between(&self, from: NodeId, to: NodeId) -> Vec<LinkId> {
        let whole = self.routes.way(&self.edges, from, to);
        whole.flat_map(|link| self.link(link).carrier().into_iter().chain([link])).collect()
    }

    /// The links from the source of a session to a receiver: the way up, backwards, as its tree has it.
    pub(super) fn to_receiver(&self, session: &NetworkSession, receiver: &NetworkReceiver) -> Vec<LinkId> {
        let up = self.routes.way(&self.edges, NodeId(receiver.node), NodeId(session.source));
        let down = up.map_while(|link| self.routes.back(&self.edges, link));
        let mut links: Vec<LinkId> =
            down.flat_map(|link| [link].into_iter().chain(self.link(link).carrier())).collect();
        links.reverse();
        links
    }

    /// The links from a receiver to the source of its session.
    pub(super) fn back_from_receiver(&self, session: &NetworkSession, receiver: &NetworkReceiver) -> Vec<LinkId> {
        self.between(NodeId(receiver.node), NodeId(session.source))
    }

    /// The links of a session's tree, each once.
    pub(super) fn of_session(&self, session: &NetworkSession) -> Vec<LinkId> {
        let mut found = vec![false; self.edges.len()];
        let ways = session.receivers.iter().flat_map(|receiver| self.to_receiver(session, receiver));
        ways.filter(|link| !std::mem::replace(&mut found[link.index()], true)).collect()
    }

    pub(super) fn link(&self, link: LinkId) -> &'a DirectedLink {
        &self.network.links[link.index()]
    }
}
