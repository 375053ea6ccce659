//! What router agents can tell of.

use super::traffic::{trees, ways};
use crate::network::Network;
use faircast_sim::ids::{LinkId, NodeId};

/// Of how many things all agents of a network together can tell at most: each of its interface, of the flows that cross
/// it, of their pairs of hosts and of the groups of sessions. Where routes change everything may cross every interface.
pub(super) fn subjects_told_of(network: &Network) -> f64 {
    let watched: Vec<bool> = network.links.iter().map(|link| link.agent.is_some()).collect();
    let agents = watched.iter().filter(|watched| **watched).count() as f64;
    if agents == 0.0 {
        return 0.0;
    }
    let of_session = |groups: u32, receivers: usize| f64::from(groups) + 1.0 + receivers as f64;
    // The interface, and the groups of neighbours.
    let own = 2.0 * agents;
    if network.reroutes() {
        let sessions = network.sessions.iter().map(|session| of_session(session.plan.groups, session.receivers.len()));
        return own + agents * (2.0 * network.flows.len() as f64 + sessions.sum::<f64>());
    }
    let edges = network.edges();
    let routes = network.routes(&edges);
    let is_watched = |link: LinkId| watched[link.index()];
    let of_flows: f64 = ways(network, &edges, &routes)
        .iter()
        .map(|way| way.there.iter().chain(&way.back).filter(|&&link| is_watched(link)).count() as f64)
        .sum();
    let mut told = own + 2.0 * of_flows;
    for (session, tree) in network.sessions.iter().zip(trees(network, &edges, &routes)) {
        let crossed = tree.iter().filter(|&&(link, _)| is_watched(link)).count() as f64;
        told += crossed * of_session(session.plan.groups, 0);
        // What receivers report, each to the source on its own way.
        let mut reports = vec![0.0; network.links.len()];
        for receiver in &session.receivers {
            for link in routes.way(&edges, NodeId(receiver.node), NodeId(session.source)) {
                reports[link.index()] += 1.0;
            }
        }
        let reports = reports.iter().zip(&watched).filter(|&(&reports, &watched)| watched && reports > 0.0);
        told += reports.map(|(reports, _)| reports + of_session(session.plan.groups, 0)).sum::<f64>();
    }
    told
}
