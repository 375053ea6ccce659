//! Router agents that would have nothing to do.

use crate::network::Network;
use crate::problem::Finding;
use faircast_sim::ids::NodeId;
use faircast_sim::routing::{Edge, Routes};
use std::collections::BTreeSet;

/// Agents that act on sessions, on links that lead no session's packets down.
pub(super) fn check(network: &Network, edges: &[Edge], routes: &Routes, found: &mut Vec<Finding>) {
    let acts = |link: &crate::network::DirectedLink| link.agent.as_ref().is_some_and(|agent| agent.acts_on_sessions());
    if !network.links.iter().any(acts) {
        return;
    }
    let crossed = crossed(network, edges, routes);
    for (link, _) in network.links.iter().zip(crossed).filter(|(link, crossed)| acts(link) && !crossed) {
        let kind = link.agent.as_ref().map_or("", |agent| agent.kind());
        let message = format!("a {kind} acts on sessions, and none sends its packets to receivers over this link");
        let finding = Finding::new(format!("links.{}.agent", link.name), message);
        found.push(finding.on(["topology", "nodes", "links", "sessions"]));
    }
}

/// By link: whether it lies on the way from the source of a session to one of its receivers.
fn crossed(network: &Network, edges: &[Edge], routes: &Routes) -> Vec<bool> {
    let mut crossed = vec![false; edges.len()];
    for session in &network.sessions {
        // What lies above a link need not be crossed by the same session: each is followed up to the first of its own.
        let mut own = BTreeSet::new();
        for receiver in &session.receivers {
            let way = routes.way(edges, NodeId(receiver.node), NodeId(session.source));
            for link in way.map_while(|up| routes.back(up)).take_while(|&link| own.insert(link)) {
                // The queue of a leg is that of its link.
                let queue = network.links[link.index()].carrier().unwrap_or(link);
                crossed[queue.index()] = true;
            }
        }
    }
    crossed
}
