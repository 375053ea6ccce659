//! Router agents that would have nothing to do.

use crate::network::Network;
use crate::problem::Finding;
use faircast_sim::ids::NodeId;
use faircast_sim::routing::Graph;

/// Agents that act on sessions, on links that lead no session's packets down.
pub(super) fn check(network: &Network, found: &mut Vec<Finding>) {
    let acts = |link: &crate::network::DirectedLink| link.agent.as_ref().is_some_and(|agent| agent.acts_on_sessions());
    if !network.links.iter().any(acts) {
        return;
    }
    let crossed = crossed(network);
    for (link, _) in network.links.iter().zip(crossed).filter(|(link, crossed)| acts(link) && !crossed) {
        let kind = link.agent.as_ref().map_or("", |agent| agent.kind());
        let message = format!("a {kind} acts on sessions, and none sends its packets to receivers over this link");
        let finding = Finding::new(format!("links.{}.agent", link.name), message);
        found.push(finding.on(["topology", "nodes", "links", "sessions"]));
    }
}

/// By link: whether it lies on the way from the source of a session to one of its receivers.
fn crossed(network: &Network) -> Vec<bool> {
    let edges = network.edges();
    let graph = Graph::new(network.nodes.len(), &edges);
    let mut crossed = vec![false; edges.len()];
    for session in &network.sessions {
        let up = graph.towards(NodeId(session.source));
        let down = graph.down(&up);
        for receiver in &session.receivers {
            let mut node = NodeId(receiver.node);
            while let (Some(way), Some(link)) = (up[node.index()], down[node.index()]) {
                if std::mem::replace(&mut crossed[link.index()], true) {
                    break;
                }
                node = graph.edge(way).to;
            }
        }
    }
    crossed
}
