//! Parking lot: through traffic from end to end of a row of routers, and cross traffic that uses a single hop.
//!
//! ```text
//!              cross-in-0       cross-in-1  cross-out-0              cross-out-1
//!                  │                 │         │                          │
//! left-i ───── router-0 ── hop-0 ── router-1 ───────── hop-1 ── .. ── router-k ───── right-i
//! ```
//!
//! Cross traffic of hop i goes from cross-in-i at router-i to cross-out-i at router-(i+1).

use super::access::{Access, default_hop};
use super::shape::Shape;
use super::sketch::{MOST, Size, Sketch, Surroundings};
use crate::model::link::Duplex;
use faircast_proto::limits;
use faircast_proto::limits::from;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A parking lot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ParkingLot", transform = limits::declare::<Config>)]
#[serde(default)]
pub struct Config {
    /// Links between routers: router-0, router-1 and so on are joined by hop-0, hop-1 and so on. Default 3.
    pub hops: u32,
    /// Hosts of through traffic at router-0, left-0, left-1 and so on. Default 1.
    pub left: u32,
    /// Hosts of through traffic at the last router, right-0, right-1 and so on. Default 1.
    pub right: u32,
    /// The links hop-0, hop-1 and so on. Default 10 Mbit/s, 10 ms, drop-tail with 50 packets.
    pub hop: Duplex,
    /// The links of the hosts.
    #[serde(flatten)]
    pub access: Access,
    /// What is different for the hosts of cross traffic, on access-cross-in-0, access-cross-out-0 and so on.
    #[serde(skip_serializing_if = "Duplex::is_empty")]
    pub access_cross: Duplex,
}

limits! { Config {
    hops, left, right: from(1).to(MOST),
} }

impl Default for Config {
    fn default() -> Config {
        Config {
            hops: 3,
            left: 1,
            right: 1,
            hop: Duplex::default(),
            access: Access::default(),
            access_cross: Duplex::default(),
        }
    }
}

impl Shape for Config {
    fn fill(&mut self) {
        self.hop = self.hop.over(&default_hop());
        self.access.fill();
    }

    fn size(&self) -> Size {
        let (hosts, hops) = (u64::from(self.left) + u64::from(self.right), u64::from(self.hops));
        Size { left: self.left, right: self.right, nodes: hosts + 3 * hops + 1, links: hosts + 3 * hops }
    }

    fn lay(&self, sketch: &mut Sketch, _: &Surroundings) {
        sketch.hops(self.hops, &self.hop);
        let last = format!("router-{}", self.hops);
        self.access.lay(self.left, self.right, ["router-0", &last], sketch);
        let cross = self.access_cross.over(&self.access.access);
        for i in 0..self.hops {
            let (inward, outward) = (format!("cross-in-{i}"), format!("cross-out-{i}"));
            sketch.node(&inward);
            sketch.node(&outward);
            sketch.link(format!("access-{inward}"), &inward, format!("router-{i}"), &cross);
            sketch.link(format!("access-{outward}"), format!("router-{}", i + 1), &outward, &cross);
        }
    }

    fn duplexes(&self) -> Vec<(Cow<'static, str>, &Duplex)> {
        let own = [("hop".into(), &self.hop), ("access_cross".into(), &self.access_cross)];
        own.into_iter().chain(self.access.duplexes()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Topology;
    use super::*;

    #[test]
    fn two_hops_with_cross_traffic() {
        let topology = Topology::ParkingLot(Config { hops: 2, ..Config::default() });
        let sketch = topology.lay(&Surroundings::nothing());
        let nodes = [
            ["router-0", "router-1", "router-2"].as_slice(),
            &["left-0", "right-0"],
            &["cross-in-0", "cross-out-0", "cross-in-1", "cross-out-1"],
        ];
        assert_eq!(sketch.nodes, nodes.concat());
        let links: Vec<String> = sketch.links.iter().map(|l| format!("{}: {} {}", l.name, l.from, l.to)).collect();
        assert_eq!(
            links,
            [
                "hop-0: router-0 router-1",
                "hop-1: router-1 router-2",
                "access-left-0: left-0 router-0",
                "access-right-0: router-2 right-0",
                "access-cross-in-0: cross-in-0 router-0",
                "access-cross-out-0: router-1 cross-out-0",
                "access-cross-in-1: cross-in-1 router-1",
                "access-cross-out-1: router-2 cross-out-1",
            ]
        );
        assert_eq!(topology.size(), Size { left: 1, right: 1, nodes: 9, links: 8 });
    }
}
