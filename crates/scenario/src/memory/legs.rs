//! What is on its way to legs: a packet once for all of a link, and for each leg its number.

use super::load::Load;
use crate::network::Network;
use faircast_proto::time::Duration;
use faircast_sim::ids::LinkId;
use std::collections::BTreeMap;

/// What may be on the way to legs: packets, each once for all legs of a link, and bytes for what each leg is to get.
pub(super) fn held(network: &Network, loads: &[Load]) -> (f64, f64) {
    let mut longest: BTreeMap<LinkId, f64> = BTreeMap::new();
    let mut circles: BTreeMap<(LinkId, Duration), f64> = BTreeMap::new();
    let mut bytes = 0.0;
    for (link, load) in network.links.iter().zip(loads).filter(|(_, load)| load.smallest > 0.0) {
        let Some(carrier) = link.carrier() else { continue };
        let rate = network.links[carrier.index()].highest_rate().as_bps_f64();
        let wire = (rate * link.longest_delay().as_secs_f64() / load.smallest + 1.0).min(load.most);
        let most = longest.entry(carrier).or_default();
        *most = most.max(wire);
        if link.is_constant() {
            circles.insert((carrier, link.delay), wire * FLIGHT);
            bytes += wire * OF_LEG;
        } else {
            bytes += wire * FLIGHT;
        }
    }
    (longest.values().sum(), bytes + circles.values().sum::<f64>())
}

/// A packet on its way to legs of one delay, or to a leg that changes; and for each leg of that delay its number. In
/// rings that grow by doubling.
const FLIGHT: f64 = 2.0 * 40.0;
const OF_LEG: f64 = 2.0 * 4.0;

#[cfg(test)]
mod tests {
    use super::super::tests::{STEADY, near, network};
    use super::super::traffic::{Span, sessions, trees};
    use super::*;

    #[test]
    fn what_is_on_its_way_to_legs_is_one_packet_and_a_number_for_each() {
        let satellite = |more: &str| {
            network(
                "10 s",
                &format!(
                    "[topology]\nkind = \"satellite\"\nright = 4\nleg_delays = [\"100 ms\", \"200 ms\"]\n{more}\
                     [sessions.film]\nsource = \"left-0\"\n{STEADY}"
                ),
            )
        };
        let of = |network: &Network| {
            let (edges, mut loads) = (network.edges(), vec![Load::default(); network.links.len()]);
            let trees = trees(network, &edges, &network.routes(&edges));
            sessions(network, &trees, &Span::all(network), &mut loads);
            let link = |name: &str| loads[network.link(name).expect("a link") as usize].arrivals;
            let arrivals = ["feeder", "downlink", "leg-0", "leg-3", "return-0"].map(link);
            assert_eq!(arrivals, [1001.0, 1001.0, 1001.0, 1001.0, 0.0]);
            held(network, &loads)
        };
        // 10 Mbit/s * 100 ms / 8000 bit = 125 and one, 250 and one; of 1001 packets.
        let (packets, bytes) = of(&satellite(""));
        near(packets, 251.0);
        near(bytes, 2.0 * (126.0 + 251.0) * OF_LEG + (126.0 + 251.0) * FLIGHT);
        // One that changes has a place of its own for each packet.
        let (packets, bytes) = of(&satellite("[links.leg-0]\nchanges = [{ at = \"1 s\", delay = \"400 ms\" }]\n"));
        near(packets, 501.0);
        near(bytes, (251.0 + 126.0 + 251.0) * OF_LEG + (126.0 + 251.0) * FLIGHT + 501.0 * FLIGHT);
    }
}
