//! Tree: sources at the root, receivers at the leaves.
//!
//! ```text
//!                                       ┌── branch-1 ── router-1 ─┬─ access-right-0 ── right-0
//! left-0 ── access-left-0 ── router-0 ──┤                         └─ access-right-1 ── right-1
//!                                       └── branch-2 ── router-2 ── ..
//! ```
//!
//! Routers are numbered level by level; branch-i leads down to router-i, the last level of links to the leaves.

use super::access::{Access, complete};
use super::shape::Shape;
use super::sketch::{MOST, Size, Sketch, Surroundings};
use crate::model::link::Duplex;
use faircast_proto::limits;
use faircast_proto::limits::from;
use faircast_proto::time::{Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A tree in which every router has equally many links down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Tree", transform = limits::declare::<Config>)]
#[serde(default)]
pub struct Config {
    /// Levels of links from the root to the leaves. Default 3.
    pub depth: u32,
    /// Links down from each router. Default 2: a binary tree. There are fan_out to the power of depth leaves, a million
    /// at most.
    pub fan_out: u32,
    /// Hosts at the root, for sources: left-0, left-1 and so on. Default 1.
    pub left: u32,
    /// The links between routers, branch-1, branch-2 and so on. Default 10 Mbit/s, 10 ms, drop-tail with 50 packets.
    pub branch: Duplex,
    /// The links of the hosts.
    #[serde(flatten)]
    pub access: Access,
}

limits! { Config {
    depth: from(1).to(20),
    fan_out, left: from(1).to(MOST),
} }

impl Default for Config {
    fn default() -> Config {
        Config { depth: 3, fan_out: 2, left: 1, branch: Duplex::default(), access: Access::default() }
    }
}

impl Shape for Config {
    fn fill(&mut self) {
        self.branch = self.branch.over(&complete(Rate(10_000_000), Duration::from_millis(10), 50.0));
        self.access.fill();
    }

    fn size(&self) -> Size {
        let (leaves, routers) = (self.level(self.depth), self.routers());
        let hosts = leaves.saturating_add(u64::from(self.left));
        Size {
            left: self.left,
            right: leaves.min(u64::from(u32::MAX)) as u32,
            nodes: hosts.saturating_add(routers),
            links: hosts.saturating_add(routers) - 1,
        }
    }

    fn lay(&self, sketch: &mut Sketch, _: &Surroundings) {
        let routers = self.routers();
        for i in 0..routers {
            sketch.node(format!("router-{i}"));
        }
        for i in 1..routers {
            let above = (i - 1) / u64::from(self.fan_out);
            sketch.link(format!("branch-{i}"), format!("router-{above}"), format!("router-{i}"), &self.branch);
        }
        let access = [self.access.left(), self.access.right()];
        for i in 0..self.left {
            sketch.node(format!("left-{i}"));
            sketch.link(format!("access-left-{i}"), format!("left-{i}"), "router-0", &access[0]);
        }
        let last_level = routers - self.level(self.depth - 1);
        for i in 0..self.level(self.depth) {
            let above = last_level + i / u64::from(self.fan_out);
            sketch.node(format!("right-{i}"));
            sketch.link(format!("access-right-{i}"), format!("router-{above}"), format!("right-{i}"), &access[1]);
        }
    }

    fn duplexes(&self) -> Vec<(Cow<'static, str>, &Duplex)> {
        [("branch".into(), &self.branch)].into_iter().chain(self.access.duplexes()).collect()
    }
}

impl Config {
    /// Nodes at a level, the root's being 0.
    fn level(&self, level: u32) -> u64 {
        u64::from(self.fan_out).saturating_pow(level)
    }

    /// Routers: all levels but the leaves.
    fn routers(&self) -> u64 {
        (0..self.depth).map(|level| self.level(level)).fold(0, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Topology;
    use super::*;

    #[test]
    fn two_levels_of_three() {
        let topology = Topology::Tree(Config { depth: 2, fan_out: 3, ..Config::default() });
        let sketch = topology.lay(&Surroundings::nothing());
        let links: Vec<String> = sketch.links.iter().map(|l| format!("{}: {} {}", l.name, l.from, l.to)).collect();
        assert_eq!(
            links,
            [
                "branch-1: router-0 router-1",
                "branch-2: router-0 router-2",
                "branch-3: router-0 router-3",
                "access-left-0: left-0 router-0",
                "access-right-0: router-1 right-0",
                "access-right-1: router-1 right-1",
                "access-right-2: router-1 right-2",
                "access-right-3: router-2 right-3",
                "access-right-4: router-2 right-4",
                "access-right-5: router-2 right-5",
                "access-right-6: router-3 right-6",
                "access-right-7: router-3 right-7",
                "access-right-8: router-3 right-8",
            ]
        );
        assert_eq!(topology.size(), Size { left: 1, right: 9, nodes: 14, links: 13 });
        assert_eq!((sketch.nodes.len(), sketch.links.len()), (14, 13));
    }

    #[test]
    fn sizes_are_those_of_what_is_laid() {
        for (depth, fan_out) in [(1, 1), (1, 5), (3, 1), (4, 2), (10, 2)] {
            let topology = Topology::Tree(Config { depth, fan_out, left: 2, ..Config::default() });
            let (sketch, size) = (topology.lay(&Surroundings::nothing()), topology.size());
            assert_eq!((sketch.nodes.len() as u64, sketch.links.len() as u64), (size.nodes, size.links));
            assert_eq!(sketch.nodes.iter().filter(|name| name.starts_with("right-")).count() as u32, size.right);
        }
        let endless = Topology::Tree(Config { depth: 20, fan_out: 1_000_000, ..Config::default() });
        assert!(endless.size().nodes > 1 << 60);
    }
}
