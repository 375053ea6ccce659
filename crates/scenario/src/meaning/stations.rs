//! What is wrong with ground stations.

use crate::expand::constellation::refuse_geometry;
use crate::model::Scenario;
use crate::network::Network;
use crate::problem::Finding;
use faircast_sim::part::Aspect;

/// Stations without a constellation, or whom no satellite serves; names that are taken; settings that have no meaning.
/// Says whether every station is served.
pub(super) fn check(scenario: &Scenario, network: &Network, found: &mut Vec<Finding>) -> bool {
    let satellites = scenario.topology.as_ref().and_then(|topology| Some((topology, topology.mask()?)));
    let Some((topology, mask)) = satellites else {
        if let Some(name) = scenario.stations.keys().next() {
            let message = "a station needs a topology of kind \"constellation\"";
            found.push(Finding::new(format!("stations.{name}"), message).on(["topology"]));
        }
        return scenario.stations.is_empty();
    };
    let mut all_served = true;
    let own = topology.duplexes();
    own.iter().for_each(|(key, duplex)| refuse_geometry(&format!("topology.{key}"), duplex, found));
    let downlink = own.iter().find(|(key, _)| key == "downlink").and_then(|(_, duplex)| duplex.both.changes.as_ref());
    for (index, _) in downlink.into_iter().flatten().enumerate().filter(|(_, entry)| entry.loss.is_some()) {
        let path = format!("topology.downlink.changes[{index}].loss");
        let message = "losses are those of the way to each station: say it in stations.NAME.downlink";
        found.push(Finding::new(path, message));
    }
    for (name, station) in &scenario.stations {
        let path = format!("stations.{name}");
        let satellite = network.nodes.iter().position(|node| node.name == *name);
        let is_satellite = satellite.is_some_and(|index| (index as u64) < topology.size().nodes);
        let other = match is_satellite {
            true => Some("a satellite"),
            false => scenario.nodes.contains_key(name).then_some("nodes"),
        };
        if let Some(other) = other {
            let message = match other {
                "nodes" => format!("the station {name} is a node by itself, and nodes.{name} is another: rename one"),
                _ => format!("{name} is the name of a satellite: rename the station"),
            };
            found.push(Finding::new(path.clone(), message).on(["topology", "nodes"]));
        }
        for (key, duplex) in [("uplink", &station.uplink), ("downlink", &station.downlink)] {
            refuse_geometry(&format!("{path}.{key}"), duplex, found);
        }
        if !station.has_a_beam() {
            for (index, entry) in station.downlink.both.changes.iter().flatten().enumerate() {
                if entry.subjects().iter().any(|(_, subject)| *subject == Aspect::Rate) {
                    let path = format!("{path}.downlink.changes[{index}].rate");
                    let message = "the rate is that of the satellite's transmitter, which all its stations share: give \
                                   downlink a rate of its own";
                    found.push(Finding::new(path, message));
                }
            }
        }
        let is_served = network.links.iter().any(|link| link.name == format!("{name}-up"));
        all_served &= is_served;
        if !is_served && !is_satellite {
            let message = format!(
                "no satellite stands higher than {} degrees above {name} at any of its looks in {}",
                station.mask.unwrap_or(mask),
                scenario.duration
            );
            found.push(Finding::new(path, message).on(["topology", "duration"]));
        }
    }
    all_served
}
