//! Dumbbell: hosts on both sides of one bottleneck.
//!
//! ```text
//! left-0 ── access-left-0 ──┐                                       ┌── access-right-0 ── right-0
//! left-1 ── access-left-1 ──┤ left-router ─ bottleneck ─ right-router ├── access-right-1 ── right-1
//!  ..                       ┘                                       └──                    ..
//! ```

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

/// A dumbbell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Dumbbell", transform = limits::declare::<Config>)]
#[serde(default)]
pub struct Config {
    /// Hosts on the left, left-0, left-1 and so on. Default 2.
    pub left: u32,
    /// Hosts on the right, right-0, right-1 and so on. Default 2.
    pub right: u32,
    /// The link `bottleneck` from left-router to right-router. Default 10 Mbit/s, 20 ms, drop-tail with 50 packets.
    pub bottleneck: Duplex,
    /// The links of the hosts.
    #[serde(flatten)]
    pub access: Access,
}

limits! { Config {
    left, right: from(1).to(MOST),
} }

impl Default for Config {
    fn default() -> Config {
        Config { left: 2, right: 2, bottleneck: Duplex::default(), access: Access::default() }
    }
}

impl Shape for Config {
    fn fill(&mut self) {
        self.bottleneck = self.bottleneck.over(&complete(Rate(10_000_000), Duration::from_millis(20), 50.0));
        self.access.fill();
    }

    fn size(&self) -> Size {
        let hosts = u64::from(self.left) + u64::from(self.right);
        Size { left: self.left, right: self.right, nodes: hosts + 2, links: hosts + 1 }
    }

    fn lay(&self, sketch: &mut Sketch, _: &Surroundings) {
        sketch.node("left-router");
        sketch.node("right-router");
        sketch.link("bottleneck", "left-router", "right-router", &self.bottleneck);
        self.access.lay(self.left, self.right, ["left-router", "right-router"], sketch);
    }

    fn duplexes(&self) -> Vec<(Cow<'static, str>, &Duplex)> {
        [("bottleneck".into(), &self.bottleneck)].into_iter().chain(self.access.duplexes()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Topology;
    use super::*;

    #[test]
    fn three_to_two() {
        let topology = Topology::Dumbbell(Config { left: 3, ..Config::default() });
        let sketch = topology.lay(&Surroundings::nothing());
        let nodes = ["left-router", "right-router", "left-0", "left-1", "left-2", "right-0", "right-1"];
        assert_eq!(sketch.nodes, nodes);
        let links: Vec<String> = sketch.links.iter().map(|l| format!("{}: {} {}", l.name, l.from, l.to)).collect();
        assert_eq!(
            links,
            [
                "bottleneck: left-router right-router",
                "access-left-0: left-0 left-router",
                "access-left-1: left-1 left-router",
                "access-left-2: left-2 left-router",
                "access-right-0: right-router right-0",
                "access-right-1: right-router right-1",
            ]
        );
        assert_eq!(topology.size(), Size { left: 3, right: 2, nodes: 7, links: 6 });
    }

    #[test]
    fn a_side_may_differ() {
        let mut config = Config::default();
        config.access.access.both.rate = Some(Rate(5));
        config.access.access_right.both.delay = Some(Duration(7));
        let sketch = Topology::Dumbbell(config).lay(&Surroundings::nothing());
        let settings = |name: &str| {
            let link = sketch.links.iter().find(|link| link.name == name).expect("it is there");
            (link.duplex.both.rate, link.duplex.both.delay)
        };
        assert_eq!(settings("access-left-1"), (Some(Rate(5)), Some(Duration::from_millis(1))));
        assert_eq!(settings("access-right-1"), (Some(Rate(5)), Some(Duration(7))));
        assert_eq!(settings("bottleneck"), (Some(Rate(10_000_000)), Some(Duration::from_millis(20))));
    }
}
