//! Star: hosts around one router, sources on the left, receivers on the right.
//!
//! ```text
//! left-0 ── access-left-0 ──┐     ┌── access-right-0 ── right-0
//!  ..                       ├─ hub ├── access-right-1 ── right-1
//!                           ┘     └──                    ..
//! ```

use super::access::Access;
use super::shape::Shape;
use super::sketch::{MOST, Size, Sketch, Surroundings};
use crate::model::link::Duplex;
use faircast_proto::limits;
use faircast_proto::limits::from;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A star.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Star", transform = limits::declare::<Config>)]
#[serde(default)]
pub struct Config {
    /// Hosts on the left, for sources: left-0, left-1 and so on. Default 1.
    pub left: u32,
    /// Hosts on the right, for receivers: right-0, right-1 and so on. Default 2.
    pub right: u32,
    /// The links of the hosts.
    #[serde(flatten)]
    pub access: Access,
}

limits! { Config {
    left, right: from(1).to(MOST),
} }

impl Default for Config {
    fn default() -> Config {
        Config { left: 1, right: 2, access: Access::default() }
    }
}

impl Shape for Config {
    fn fill(&mut self) {
        self.access.fill();
    }

    fn size(&self) -> Size {
        let hosts = u64::from(self.left) + u64::from(self.right);
        Size { left: self.left, right: self.right, nodes: hosts + 1, links: hosts }
    }

    fn lay(&self, sketch: &mut Sketch, _: &Surroundings) {
        sketch.node("hub");
        self.access.lay(self.left, self.right, ["hub", "hub"], sketch);
    }

    fn duplexes(&self) -> Vec<(Cow<'static, str>, &Duplex)> {
        self.access.duplexes().into()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Topology;
    use super::*;

    #[test]
    fn one_to_three() {
        let topology = Topology::Star(Config { right: 3, ..Config::default() });
        let sketch = topology.lay(&Surroundings::nothing());
        assert_eq!(sketch.nodes, ["hub", "left-0", "right-0", "right-1", "right-2"]);
        let links: Vec<String> = sketch.links.iter().map(|l| format!("{}: {} {}", l.name, l.from, l.to)).collect();
        assert_eq!(
            links,
            [
                "access-left-0: left-0 hub",
                "access-right-0: hub right-0",
                "access-right-1: hub right-1",
                "access-right-2: hub right-2",
            ]
        );
        assert_eq!(topology.size(), Size { left: 1, right: 3, nodes: 5, links: 4 });
    }
}
