//! What is wrong with what splits the connections of a flow.

use super::entries::entry_of;
use crate::model::{FlowEntry, PepEntry, Scenario};
use crate::network::Network;
use crate::problem::{Finding, list};
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::registry::flows::FlowConfig;
use faircast_sim::ids::NodeId;
use faircast_sim::routing::{Edge, Routes};
use std::collections::BTreeSet;

/// All that is wrong with it; `path` leads to the flow.
pub(super) fn of_flow(path: &str, flow: &FlowEntry, pep: &PepEntry, found: &mut Vec<Finding>) {
    let wrong = |key: &str, message: String| Finding::new(format!("{path}.{key}"), message).on([path.to_owned()]);
    let FlowConfig::Tcp(_) = flow.config() else {
        let kind = flow.config().name();
        let message = format!("flows of kind {kind} have no connection to split, as TCP has; leave it out");
        return found.push(wrong("pep", message));
    };
    let sizes = (0..flow.configs()).map(|index| flow.config_of(index).packet_bytes());
    let segment_bytes = sizes.max().unwrap_or_default();
    found.extend(pep.check(segment_bytes).into_iter().map(|(key, message)| wrong(&format!("pep.{key}"), message)));
    let FlowConfig::Tcp(tcp) = flow.config() else { return };
    // What the flow itself has is said of the flow.
    let own = tcp.check();
    let of_relays = pep.config(&tcp).check().into_iter().filter(|beyond| !own.contains(beyond));
    let given = of_relays.filter(|(key, _)| key.starts_with("variant") || key == "rate_limited_increase");
    found.extend(given.map(|(key, message)| match key.starts_with("variant") {
        true => wrong(&format!("pep.{key}"), message),
        false => wrong("pep.variant", message),
    }));
}

/// Proxies that do not see what they are to split, as the way of the flow does not lead over their nodes, in their
/// order. Where routes change it may do so later.
pub(super) fn off_the_way(
    scenario: &Scenario,
    network: &Network,
    edges: &[Edge],
    routes: &Routes,
    found: &mut Vec<Finding>,
) {
    if network.reroutes() {
        return;
    }
    let of_flows = network.flows.iter().filter_map(|flow| {
        let row = [flow.from].into_iter().chain(flow.pep.as_ref()?.at.iter().copied()).chain([flow.to]);
        Some((flow.name.as_str(), row.collect::<Vec<_>>()))
    });
    let of_web = network.web.iter().filter(|web| !web.pep.is_empty());
    let of_web = of_web.flat_map(|web| web.rows().map(|row| (web.name.as_str(), row)));
    // The first of an entry will do: with it the others are likely to be fixed.
    let mut reported = BTreeSet::new();
    for (name, row) in of_flows.chain(of_web) {
        let (from, to) = (row[0], row[row.len() - 1]);
        let way = routes.way(edges, NodeId(from), NodeId(to)).map(|link| network.links[link.index()].to);
        let way: Vec<u32> = way.collect();
        let mut rest = way.iter();
        let off = |&(_, node): &(usize, &u32)| !way.is_empty() && !rest.any(|on| on == node);
        let Some((place, &node)) = row[1..row.len() - 1].iter().enumerate().find(off) else { continue };
        let entry = entry_of(scenario, name);
        if !reported.insert(entry) {
            continue;
        }
        let name_of = |node: u32| network.nodes[node as usize].name.as_str();
        let all: Vec<&str> = [from].into_iter().chain(way.iter().copied()).map(name_of).collect();
        let what = if way[..way.len() - 1].contains(&node) { "comes before the one before it" } else { "is not" };
        let message = format!(
            "{} {what} on the way from {} to {}, which is {}",
            name_of(node),
            name_of(from),
            name_of(to),
            list(&all)
        );
        let finding = Finding::new(format!("flows.{entry}.pep.at[{place}]"), message).given(Some(name_of(node)));
        let finding = finding.legal(list(&all[1..all.len() - 1]));
        found.push(finding.on(["topology".to_owned(), "links".to_owned(), format!("flows.{entry}")]));
    }
}
