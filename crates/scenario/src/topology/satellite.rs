//! Satellite: sources at a gateway, receivers at terminals, which hear one downlink and answer by links of their own.
//!
//! ```text
//!                                                              ┌── leg-0 ──> right-0 ── return-0 ──┐
//! left-0 ── access-left-0 ── gateway ── feeder ── satellite ───┤                                   ├─> satellite
//!                                                     downlink └── leg-1 ──> right-1 ── return-1 ──┘
//! ```
//!
//! The satellite is a router: packets to it from the gateway, to the terminals and back wait in queues of their own.
//! Times and rates by default are those of a geostationary satellite with 125 ms per hop, as in \[Ehlert].

use super::access::{Access, complete};
use super::shape::Shape;
use super::sketch::{MOST, Size, Sketch, Sort, Surroundings};
use crate::model::link::{Duplex, Settings, delays};
use faircast_proto::limits;
use faircast_proto::limits::from;
use faircast_proto::time::{Duration, Rate};
use faircast_sim::loss;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A satellite with one downlink.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Satellite", transform = limits::declare::<Config>)]
#[serde(default)]
pub struct Config {
    /// Hosts at the gateway, for sources: left-0, left-1 and so on. Default 1.
    pub left: u32,
    /// Terminals, for receivers: right-0, right-1 and so on. Default 2.
    pub right: u32,
    /// The link `feeder` from the gateway to the satellite. Default 10 Mbit/s, 125 ms, drop-tail with 50 packets.
    pub feeder: Duplex,
    /// The link `downlink` from the satellite to all terminals: one queue, one transmitter. Default 10 Mbit/s,
    /// drop-tail with 50 packets.
    #[schemars(with = "Settings")]
    pub downlink: Duplex,
    /// Its legs, leg-0 to terminal right-0 and so on. Default 125 ms, without losses.
    #[schemars(with = "Settings")]
    pub leg: Duplex,
    /// Delays of the legs, which terminals take by turns: of three, leg-3 has the first again. Default: that of `leg`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leg_delays: Vec<Duration>,
    /// Losses of the legs, by turns likewise. Default: that of `leg`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leg_losses: Vec<loss::Config>,
    /// The links back, return-0 from right-0 to the satellite and so on, a transmitter for each terminal. Default
    /// 1 Mbit/s, 125 ms, drop-tail with 50 packets.
    #[serde(rename = "return")]
    #[schemars(with = "Settings")]
    pub back: Duplex,
    /// The links of the hosts at the gateway, access-left-0 and so on. Default 100 Mbit/s, 1 ms, drop-tail with 1000
    /// packets.
    pub access: Duplex,
}

limits! { Config {
    left, right: from(1).to(MOST),
} }

impl Default for Config {
    fn default() -> Config {
        Config {
            left: 1,
            right: 2,
            feeder: Duplex::default(),
            downlink: Duplex::default(),
            leg: Duplex::default(),
            leg_delays: Vec::new(),
            leg_losses: Vec::new(),
            back: Duplex::default(),
            access: Duplex::default(),
        }
    }
}

impl Shape for Config {
    fn fill(&mut self) {
        let hop = complete(Rate(10_000_000), HOP, 50.0);
        self.feeder = self.feeder.over(&hop);
        self.back = self.back.over(&complete(Rate(1_000_000), HOP, 50.0));
        let Settings { rate, queue, .. } = hop.both;
        self.downlink = self.downlink.over(&one_way(Settings { rate, queue, ..Settings::default() }));
        let loss = Some(loss::Config::default());
        self.leg = self.leg.over(&one_way(Settings { delay: Some(HOP), loss, ..Settings::default() }));
        let mut access = self.access();
        access.fill();
        self.access = access.access;
    }

    fn check(&self, _: Duration) -> Vec<(String, String)> {
        let complaints = self.leg_delays.iter().map(|&delay| delays().complaint(delay, self)).enumerate();
        let far = complaints.filter_map(|(i, complaint)| Some((format!("leg_delays[{i}]"), complaint?)));
        let losses = self.leg_losses.iter().enumerate().flat_map(|(i, loss)| {
            loss.check().into_iter().map(move |(field, message)| (format!("leg_losses[{i}].{field}"), message))
        });
        far.chain(losses).collect()
    }

    fn size(&self) -> Size {
        let (left, right) = (u64::from(self.left), u64::from(self.right));
        Size { left: self.left, right: self.right, nodes: left + right + 2, links: left + 2 + 2 * right }
    }

    fn lay(&self, sketch: &mut Sketch, _: &Surroundings) {
        sketch.node("gateway");
        sketch.node("satellite");
        sketch.link("feeder", "gateway", "satellite", &self.feeder);
        self.access().lay(self.left, 0, ["gateway", "gateway"], sketch);
        sketch.add("downlink", "satellite", "satellite", self.downlink.clone(), Sort::Carrier);
        for i in 0..self.right {
            let turn = |length: usize| i as usize % length.max(1);
            let mut leg = self.leg.clone();
            leg.both.delay = self.leg_delays.get(turn(self.leg_delays.len())).copied().or(leg.both.delay);
            leg.both.loss = self.leg_losses.get(turn(self.leg_losses.len())).cloned().or(leg.both.loss);
            sketch.node(format!("right-{i}"));
            sketch.add(format!("leg-{i}"), "downlink", format!("right-{i}"), leg, Sort::Leg);
            sketch.add(format!("return-{i}"), format!("right-{i}"), "satellite", self.back.clone(), Sort::Simplex);
        }
    }

    fn duplexes(&self) -> Vec<(Cow<'static, str>, &Duplex)> {
        let of_satellite = [("feeder", &self.feeder), ("downlink", &self.downlink), ("leg", &self.leg)];
        let of_ground = [("return", &self.back), ("access", &self.access)];
        of_satellite.into_iter().chain(of_ground).map(|(key, duplex)| (key.into(), duplex)).collect()
    }

    fn sort(&self, key: &str) -> Sort {
        match key {
            "downlink" => Sort::Carrier,
            "leg" => Sort::Leg,
            "return" => Sort::Simplex,
            _ => Sort::Duplex,
        }
    }
}

impl Config {
    /// There are no others.
    fn access(&self) -> Access {
        Access { access: self.access.clone(), ..Access::default() }
    }
}

fn one_way(both: Settings) -> Duplex {
    Duplex { both, back: None }
}

/// From the ground to the satellite or back.
const HOP: Duration = Duration::from_millis(125);

#[cfg(test)]
mod tests {
    use super::super::Topology;
    use super::*;

    #[test]
    fn one_to_three_terminals_by_turns() {
        let delays = [120, 139].map(Duration::from_millis);
        let topology = Topology::Satellite(Config { right: 3, leg_delays: delays.to_vec(), ..Config::default() });
        let sketch = topology.lay(&Surroundings::nothing());
        assert_eq!(sketch.nodes, ["gateway", "satellite", "left-0", "right-0", "right-1", "right-2"]);
        let links: Vec<String> = sketch.links.iter().map(|l| format!("{}: {} {}", l.name, l.from, l.to)).collect();
        assert_eq!(
            links,
            [
                "feeder: gateway satellite",
                "access-left-0: left-0 gateway",
                "downlink: satellite satellite",
                "leg-0: downlink right-0",
                "return-0: right-0 satellite",
                "leg-1: downlink right-1",
                "return-1: right-1 satellite",
                "leg-2: downlink right-2",
                "return-2: right-2 satellite",
            ]
        );
        let of_legs = |index: usize| sketch.links[index].duplex.both.delay;
        assert_eq!([3, 5, 7].map(of_legs), [delays[0], delays[1], delays[0]].map(Some));
        assert_eq!(topology.size(), Size { left: 1, right: 3, nodes: 6, links: 9 });
    }
}
