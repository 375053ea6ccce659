//! Chain: hosts at both ends of a row of routers.
//!
//! ```text
//! left-i ── access-left-i ── router-0 ── hop-0 ── router-1 ── hop-1 ── .. ── router-k ── access-right-i ── right-i
//! ```

use super::access::{Access, default_hop};
use super::shape::Shape;
use super::sketch::{MOST, Size, Sketch, Surroundings};
use crate::model::link::Duplex;
use faircast_proto::limits;
use faircast_proto::limits::from;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A chain of routers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Chain", transform = limits::declare::<Config>)]
#[serde(default)]
pub struct Config {
    /// Links between routers: router-0, router-1 and so on are joined by hop-0, hop-1 and so on. Default 2.
    pub hops: u32,
    /// Hosts at router-0, left-0, left-1 and so on. Default 2.
    pub left: u32,
    /// Hosts at the last router, right-0, right-1 and so on. Default 2.
    pub right: u32,
    /// The links hop-0, hop-1 and so on. Default 10 Mbit/s, 10 ms, drop-tail with 50 packets.
    pub hop: Duplex,
    /// The links of the hosts.
    #[serde(flatten)]
    pub access: Access,
}

limits! { Config {
    hops, left, right: from(1).to(MOST),
} }

impl Default for Config {
    fn default() -> Config {
        Config { hops: 2, left: 2, right: 2, hop: Duplex::default(), access: Access::default() }
    }
}

impl Shape for Config {
    fn fill(&mut self) {
        self.hop = self.hop.over(&default_hop());
        self.access.fill();
    }

    fn size(&self) -> Size {
        let (hosts, hops) = (u64::from(self.left) + u64::from(self.right), u64::from(self.hops));
        Size { left: self.left, right: self.right, nodes: hosts + hops + 1, links: hosts + hops }
    }

    fn lay(&self, sketch: &mut Sketch, _: &Surroundings) {
        sketch.hops(self.hops, &self.hop);
        let last = format!("router-{}", self.hops);
        self.access.lay(self.left, self.right, ["router-0", &last], sketch);
    }

    fn duplexes(&self) -> Vec<(Cow<'static, str>, &Duplex)> {
        [("hop".into(), &self.hop)].into_iter().chain(self.access.duplexes()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Topology;
    use super::*;

    #[test]
    fn two_hops() {
        let topology = Topology::Chain(Config { left: 1, right: 1, ..Config::default() });
        let sketch = topology.lay(&Surroundings::nothing());
        assert_eq!(sketch.nodes, ["router-0", "router-1", "router-2", "left-0", "right-0"]);
        let links: Vec<String> = sketch.links.iter().map(|l| format!("{}: {} {}", l.name, l.from, l.to)).collect();
        assert_eq!(
            links,
            [
                "hop-0: router-0 router-1",
                "hop-1: router-1 router-2",
                "access-left-0: left-0 router-0",
                "access-right-0: router-2 right-0",
            ]
        );
        assert_eq!(topology.size(), Size { left: 1, right: 1, nodes: 5, links: 4 });
    }
}
