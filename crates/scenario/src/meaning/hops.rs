//! Ways that are longer than the hop limit of packets.

use super::entries::pairs;
use crate::model::Scenario;
use crate::network::Network;
use crate::problem::Finding;
use faircast_sim::ids::NodeId;
use faircast_sim::routing::{Edge, MAX_HOPS, Routes};
use std::collections::BTreeSet;

/// Flows and receivers whose packets would run out of hops on their way, there or back.
pub(super) fn check(scenario: &Scenario, network: &Network, edges: &[Edge], routes: &Routes, found: &mut Vec<Finding>) {
    // No way visits a node twice.
    if network.nodes.len() <= MAX_HOPS + 1 {
        return;
    }
    let receivers = || {
        network.sessions.iter().flat_map(|session| session.receivers.iter().map(move |receiver| (session, receiver)))
    };
    let too_long = |a: u32, b: u32| {
        [(a, b), (b, a)].into_iter().find_map(|(from, to)| {
            let hops = routes.hops(edges, NodeId(from), NodeId(to), |_| {}).filter(|&hops| hops > MAX_HOPS)?;
            let [from, to] = [from, to].map(|node| &network.nodes[node as usize].name);
            Some(format!("the way from node {from} to node {to} has {hops} hops; legal is at most {MAX_HOPS}"))
        })
    };
    // The first of an entry will do: with it the others are likely to be fixed.
    let mut reported = BTreeSet::new();
    let mut report = |own: String, message: String| {
        if reported.insert(own.clone()) {
            found.push(Finding::new(own, message).on(["topology", "nodes", "links"]));
        }
    };
    for (entry, flow) in pairs(scenario, network) {
        if let Some(message) = too_long(flow.from, flow.to) {
            report(format!("flows.{entry}"), format!("flow {}: {message}", flow.name));
        }
    }
    for (session, receiver) in receivers() {
        if let Some(message) = too_long(session.source, receiver.node) {
            report(format!("sessions.{}.receivers", session.name), format!("receiver {}: {message}", receiver.name));
        }
    }
}
