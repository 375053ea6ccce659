//! Which entry of the file a flow comes from.

use crate::model::Scenario;
use crate::network::Network;

/// Two nodes between which a flow goes, or web traffic.
pub(super) struct Ends<'a> {
    pub name: &'a str,
    pub from: u32,
    pub to: u32,
}

/// Every connection of a flow, and every pair of web traffic, with the name of its entry.
pub(super) fn pairs<'a>(scenario: &'a Scenario, network: &'a Network) -> impl Iterator<Item = (&'a str, Ends<'a>)> {
    let of_flows = network.flows.iter().flat_map(move |flow| {
        flow.hops().map(move |(from, to)| (entry_of(scenario, &flow.name), Ends { name: &flow.name, from, to }))
    });
    let of_web = network.web.iter().flat_map(|web| {
        let name = web.name.as_str();
        web.hops().map(move |(from, to)| (name, Ends { name, from, to }))
    });
    of_flows.chain(of_web)
}

/// The entry from which a flow comes.
pub(super) fn entry_of<'a>(scenario: &'a Scenario, name: &str) -> &'a str {
    let whole = scenario.flows.get_key_value(name).filter(|(_, flow)| flow.course().count.is_none());
    let counted = || scenario.flows.get_key_value(name.rsplit_once('-')?.0);
    whole.or_else(counted).map_or("", |(entry, _)| entry.as_str())
}
