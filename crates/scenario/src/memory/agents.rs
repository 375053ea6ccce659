//! What router agents can tell of.

use super::traffic::{trees, ways};
use crate::network::Network;
use faircast_sim::ids::{LinkId, NodeId};
use std::collections::BTreeSet;

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
    // The queue of a leg is that of its link.
    let queue = |link: LinkId| network.links[link.index()].carrier().unwrap_or(link);
    let is_watched = |link: &LinkId| watched[link.index()];
    let of_flows: usize = ways(network, &edges, &routes)
        .iter()
        .map(|way| way.there.iter().chain(&way.back).map(|&link| queue(link)).filter(is_watched).count())
        .sum();
    let mut told = own + 2.0 * of_flows as f64;
    for (session, tree) in network.sessions.iter().zip(trees(network, &edges, &routes)) {
        let mut crossed: BTreeSet<LinkId> = tree.iter().map(|&(link, _)| queue(link)).filter(is_watched).collect();
        // What receivers report, each to the source on its own way.
        for receiver in &session.receivers {
            let up = routes.way(&edges, NodeId(receiver.node), NodeId(session.source)).map(queue);
            for link in up.filter(is_watched) {
                crossed.insert(link);
                told += 1.0;
            }
        }
        told += crossed.len() as f64 * of_session(session.plan.groups, 0);
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::tests::{STEADY, fork};
    use crate::model::Scenario;

    #[test]
    fn agents_tell_of_what_crosses_their_queue() {
        let agent = |link: &str| format!("{STEADY}[links.{link}.agent]\nkind = \"monitor\"\n");
        assert_eq!(subjects_told_of(&fork(STEADY)), 0.0);
        // The interface, neighbours, and the session with its group; back from one receiver or two their pairs, too.
        assert_eq!(subjects_told_of(&fork(&agent("a"))), 4.0);
        let back = |link: &str| format!("{STEADY}[links.{link}.back.agent]\nkind = \"monitor\"\n");
        assert_eq!(["a", "s"].map(|link| subjects_told_of(&fork(&back(link)))), [5.0, 6.0]);
        // A flow with its pair, there and back.
        let flow = "[flows.x]\nkind = \"tcp\"\nfrom = \"s\"\nto = \"a\"\n";
        assert_eq!(subjects_told_of(&fork(&format!("{}{flow}", agent("a")))), 6.0);
        // Where routes change anything may come.
        let turns = "[[links.b.changes]]\nat = \"1 s\"\nup = false\n";
        assert_eq!(subjects_told_of(&fork(&format!("{}{turns}", agent("a")))), 6.0);
    }

    #[test]
    fn the_queue_of_legs_is_one() {
        let text = format!(
            "format = 1\nname = \"x\"\nduration = \"1 s\"\n[topology]\nkind = \"satellite\"\nright = 4\n\
             [links.downlink.agent]\nkind = \"monitor\"\n[sessions.film]\nsource = \"left-0\"\n{STEADY}"
        );
        let scenario = Scenario::from_toml(&text).unwrap_or_else(|problems| panic!("{problems:#?}"));
        assert_eq!(subjects_told_of(&scenario.expand()), 4.0);
    }
}
