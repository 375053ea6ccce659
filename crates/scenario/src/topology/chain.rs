//! Chain: hosts at both ends of a row of routers.
//!
//! ```text
//! left-i ── access-left-i ── router-0 ── hop-0 ── router-1 ── hop-1 ── .. ── router-k ── access-right-i ── right-i
//! ```

use super::{MOST, Size, Sketch, default_access, default_hop};
use crate::model::Duplex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A chain of routers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Chain")]
#[serde(default)]
pub struct Config {
    /// Links between routers: router-0, router-1 and so on are joined by hop-0, hop-1 and so on. Default 2.
    #[schemars(range(min = 1, max = MOST))]
    pub hops: u32,
    /// Hosts at router-0, left-0, left-1 and so on. Default 2.
    #[schemars(range(min = 1, max = MOST))]
    pub left: u32,
    /// Hosts at the last router, right-0, right-1 and so on. Default 2.
    #[schemars(range(min = 1, max = MOST))]
    pub right: u32,
    /// The links hop-0, hop-1 and so on. Default 10 Mbit/s, 10 ms, drop-tail with 50 packets.
    pub hop: Duplex,
    /// The links of the hosts, access-left-0, access-right-0 and so on. Default 100 Mbit/s, 1 ms, drop-tail with 1000
    /// packets.
    pub access: Duplex,
    /// What is different on the left.
    #[serde(skip_serializing_if = "Duplex::is_empty")]
    pub access_left: Duplex,
    /// What is different on the right.
    #[serde(skip_serializing_if = "Duplex::is_empty")]
    pub access_right: Duplex,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            hops: 2,
            left: 2,
            right: 2,
            hop: Duplex::default(),
            access: Duplex::default(),
            access_left: Duplex::default(),
            access_right: Duplex::default(),
        }
    }
}

impl Config {
    pub(super) fn fill(&mut self) {
        self.hop = self.hop.over(&default_hop());
        self.access = self.access.over(&default_access());
    }

    pub(super) fn size(&self) -> Size {
        let (hosts, hops) = (u64::from(self.left) + u64::from(self.right), u64::from(self.hops));
        Size { left: self.left, right: self.right, nodes: hosts + hops + 1, links: hosts + hops }
    }

    pub(super) fn lay(&self, sketch: &mut Sketch) {
        sketch.hops(self.hops, &self.hop);
        let access = [self.access_left.over(&self.access), self.access_right.over(&self.access)];
        let last = format!("router-{}", self.hops);
        sketch.ends(self.left, self.right, ["router-0", &last], [&access[0], &access[1]]);
    }

    pub(super) fn duplexes(&self) -> Vec<(&'static str, &Duplex)> {
        vec![
            ("hop", &self.hop),
            ("access", &self.access),
            ("access_left", &self.access_left),
            ("access_right", &self.access_right),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::super::Topology;
    use super::*;

    #[test]
    fn two_hops() {
        let topology = Topology::Chain(Config { left: 1, right: 1, ..Config::default() });
        let sketch = topology.lay();
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
