//! How many nodes, links, flows, connections and receivers there may be: looked at before any of them gets a name.

use crate::model::{FlowEntry, Scenario};
use crate::problem::Finding;

/// The most of each. A choice: four times the most hosts that a side of a topology has, some 10 GB.
pub(crate) const MOST: u64 = 4_000_000;

/// Whether all may be made; otherwise what is too many is reported.
pub(super) fn check(scenario: &Scenario, found: &mut Vec<Finding>) -> bool {
    let before = found.len();
    let size = scenario.topology.as_ref().map(|topology| topology.size());
    let of_topology = |of: u64, own: usize| of.saturating_add(own as u64);
    let nodes = of_topology(size.map_or(0, |size| size.nodes), scenario.nodes.len());
    let links = of_topology(size.map_or(0, |size| size.links), scenario.links.len());
    let mut report = |number: u64, what: &str, path: String| {
        if number > MOST {
            let message = format!("{number} {what} in all; legal are at most {MOST}");
            found.push(Finding::new(path, message));
        }
    };
    let made = if size.is_some() { "topology" } else { "nodes" };
    report(nodes, "nodes", made.into());
    // A topology has about as many links as nodes: one message will do.
    if nodes <= MOST {
        report(links, "links", if size.is_some() { "topology" } else { "links" }.into());
    }
    let flows = scenario.flows.iter().map(|(name, flow)| (u64::from(flow.course().flows()), name));
    report(flows.clone().map(|(count, _)| count).sum(), "flows", path(flows.max(), "flows", "count"));
    // Each connection that may be open has a number of its own.
    let open = scenario.flows.iter().filter_map(|(name, flow)| match flow {
        FlowEntry::Web(web) => Some((u64::from(web.traffic.at_once), name)),
        _ => None,
    });
    report(open.clone().map(|(count, _)| count).sum(), "connections at once", path(open.max(), "flows", "at_once"));
    let right = scenario.right();
    let receivers =
        scenario.sessions.iter().map(|(name, session)| (u64::from(session.course().receivers.number(right)), name));
    // More right hosts than there may be are reported as nodes.
    if nodes <= MOST {
        let most = path(receivers.clone().max(), "sessions", "receivers.count");
        report(receivers.map(|(count, _)| count).sum(), "receivers", most);
    }
    found.len() == before
}

/// The key to which the largest entry owes its number.
fn path(largest: Option<(u64, &String)>, table: &str, key: &str) -> String {
    largest.map_or(table.to_owned(), |(_, name)| format!("{table}.{name}.{key}"))
}
