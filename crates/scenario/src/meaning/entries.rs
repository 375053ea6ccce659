//! Which entry of the file a flow comes from.

use crate::model::Scenario;
use crate::network::{Network, NetworkFlow};

/// Every flow with the name of its entry.
pub(super) fn entries<'a>(
    scenario: &'a Scenario,
    network: &'a Network,
) -> impl Iterator<Item = (&'a str, &'a NetworkFlow)> {
    let entry_of = |name: &str| {
        let whole = scenario.flows.get_key_value(name).filter(|(_, flow)| flow.course().count.is_none());
        let counted = || scenario.flows.get_key_value(name.rsplit_once('-')?.0);
        whole.or_else(counted).map_or("", |(entry, _)| entry.as_str())
    };
    network.flows.iter().map(move |flow| (entry_of(&flow.name), flow))
}
