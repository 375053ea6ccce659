//! Router agents that would have nothing to do.

use super::reach::Reach;
use crate::model::{Duplex, Scenario};
use crate::network::{DirectedLink, Network};
use crate::problem::Finding;
use faircast_sim::ids::NodeId;
use faircast_sim::router;
use faircast_sim::routing::{Edge, Routes};
use std::collections::{BTreeMap, BTreeSet};

/// Agents that act on sessions and are said for links none of which leads any session's packets down.
pub(super) fn check(
    scenario: &Scenario,
    network: &Network,
    (edges, routes): (&[Edge], &Routes),
    reach: &Reach,
    found: &mut Vec<Finding>,
) {
    let acts = |link: &DirectedLink| link.agent.as_ref().is_some_and(|agent| agent.acts_on_sessions());
    if !network.links.iter().any(acts) {
        return;
    }
    let crossed = crossed(network, edges, routes);
    // What is said of all links of a kind has its place if it has it on one of them.
    let mut places: BTreeMap<String, (&str, u32, bool)> = BTreeMap::new();
    for (link, crossed) in network.links.iter().zip(crossed).filter(|(link, _)| acts(link)) {
        let kind = link.agent.as_ref().map_or("", |agent| agent.kind());
        let (_, links, any) = places.entry(place(scenario, network, link)).or_insert((kind, 0, false));
        *links += 1;
        *any |= crossed || network.reroutes() && may_be_crossed(network, link, reach);
    }
    for (path, (kind, links, _)) in places.into_iter().filter(|(_, (.., any))| !any) {
        let which = if links == 1 { "this link" } else { "any of these links" };
        let message = format!("a {kind} acts on sessions, and none sends its packets to receivers over {which}");
        found.push(Finding::new(path, message).on(["topology", "nodes", "links", "sessions", "stations"]));
    }
}

/// Where the scenario says that a link has its agent.
fn place(scenario: &Scenario, network: &Network, link: &DirectedLink) -> String {
    let (name, backwards) = match link.name.strip_suffix(".back") {
        Some(name) => (name, true),
        None => (link.name.as_str(), false),
    };
    let of = |duplex: &Duplex| -> Option<router::Config> {
        if backwards { duplex.back.as_ref()?.agent.clone() } else { duplex.both.agent.clone() }
    };
    let own = format!("links.{}.agent", link.name);
    let agent = link.agent.as_deref();
    if scenario.links.get(name).is_some_and(|entry| of(&entry.duplex).is_some()) {
        return own;
    }
    let station = |node: u32| {
        let name = &network.nodes[node as usize].name;
        Some((name, scenario.stations.get(name)?))
    };
    if let Some((station, _)) = station(link.from).filter(|(_, entry)| of(&entry.uplink).as_ref() == agent) {
        return format!("stations.{station}.uplink.agent");
    }
    if let Some((station, _)) = station(link.to).filter(|(_, entry)| of(&entry.downlink).as_ref() == agent) {
        return format!("stations.{station}.downlink.agent");
    }
    let duplexes = scenario.topology.as_ref().map(|topology| topology.duplexes()).unwrap_or_default();
    let key = duplexes.into_iter().find(|(_, duplex)| of(duplex).as_ref() == agent);
    key.map_or(own, |(key, _)| format!("topology.{key}{}.agent", if backwards { ".back" } else { "" }))
}

/// Whether the packets of a session could come over a link when routes change.
fn may_be_crossed(network: &Network, link: &DirectedLink, reach: &Reach) -> bool {
    network.sessions.iter().any(|session| {
        let onward = |receiver: u32| receiver != link.from && reach.leads(link.to, receiver);
        reach.leads(session.source, link.from) && session.receivers.iter().any(|receiver| onward(receiver.node))
    })
}

/// By link: whether it lies on the way from the source of a session to one of its receivers.
fn crossed(network: &Network, edges: &[Edge], routes: &Routes) -> Vec<bool> {
    let mut crossed = vec![false; edges.len()];
    for session in &network.sessions {
        // What lies above a link need not be crossed by the same session: each is followed up to the first of its own.
        let mut own = BTreeSet::new();
        for receiver in &session.receivers {
            let way = routes.way(edges, NodeId(receiver.node), NodeId(session.source));
            for link in way.map_while(|up| routes.back(edges, up)).take_while(|&link| own.insert(link)) {
                // The queue of a leg is that of its link.
                let queue = network.links[link.index()].carrier().unwrap_or(link);
                crossed[queue.index()] = true;
            }
        }
    }
    crossed
}
