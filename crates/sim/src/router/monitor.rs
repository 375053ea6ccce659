//! An agent that counts and does nothing else.

use super::{GaugeSubject, MembershipChange, Offer, RouterAgent, RouterContext, RouterGauge, RouterOutbox, RouterView};
use faircast_proto::packet::Packet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Nothing to choose.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Monitor")]
pub struct Config {}

/// Counts what is offered to the queue, data apart from acknowledgements and messages.
pub struct Monitor {
    counts: BTreeMap<GaugeSubject, Counts>,
    joins: u64,
    leaves: u64,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    data_pkts: u64,
    data_bytes: u64,
    other_pkts: u64,
}

impl Config {
    pub(super) const ACTS_ON_SESSIONS: bool = false;

    /// Nothing can be wrong.
    pub fn check(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    #[cfg(test)]
    pub(super) fn samples() -> Vec<Config> {
        vec![Config {}]
    }
}

impl Monitor {
    /// Has seen nothing.
    pub fn new(_config: &Config, _context: RouterContext) -> Monitor {
        Monitor { counts: BTreeMap::new(), joins: 0, leaves: 0 }
    }
}

impl RouterAgent for Monitor {
    fn on_packet(&mut self, packet: &Packet, at: &RouterView<'_>, _out: &mut RouterOutbox) -> Offer {
        let destination = packet.destination;
        let own = match (at.host(packet.source), at.host(destination)) {
            (Some(from), Some(to)) => GaugeSubject::Pair(from, to),
            _ => GaugeSubject::Group(destination),
        };
        for subject in [GaugeSubject::Interface, GaugeSubject::Flow(packet.flow), own] {
            let counts = self.counts.entry(subject).or_default();
            if packet.is_data() {
                counts.data_pkts += 1;
                counts.data_bytes += u64::from(packet.size);
            } else {
                counts.other_pkts += 1;
            }
        }
        Offer::Forward
    }

    fn on_membership(&mut self, change: &MembershipChange, _at: &RouterView<'_>, _out: &mut RouterOutbox) {
        self.joins += u64::from(change.joined.len());
        self.leaves += u64::from(change.left.len());
    }

    fn gauges(&self, tell: &mut dyn FnMut(RouterGauge)) {
        for (&about, counts) in &self.counts {
            let Counts { data_pkts, data_bytes, other_pkts } = *counts;
            for (name, value) in [("data_pkts", data_pkts), ("data_bytes", data_bytes), ("other_pkts", other_pkts)] {
                tell(RouterGauge { about, name, value: value as f64 });
            }
        }
        for (name, value) in [("joins", self.joins), ("leaves", self.leaves)] {
            tell(RouterGauge { about: GaugeSubject::Interface, name, value: value as f64 });
        }
    }
}
