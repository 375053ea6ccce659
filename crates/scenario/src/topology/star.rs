//! Star: hosts around one router, sources on the left, receivers on the right.
//!
//! ```text
//! left-0 ── access-left-0 ──┐     ┌── access-right-0 ── right-0
//!  ..                       ├─ hub ├── access-right-1 ── right-1
//!                           ┘     └──                    ..
//! ```

use super::{MOST, Size, Sketch, default_access};
use crate::model::Duplex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A star.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Star")]
#[serde(default)]
pub struct Config {
    /// Hosts on the left, for sources: left-0, left-1 and so on. Default 1.
    #[schemars(range(min = 1, max = MOST))]
    pub left: u32,
    /// Hosts on the right, for receivers: right-0, right-1 and so on. Default 2.
    #[schemars(range(min = 1, max = MOST))]
    pub right: u32,
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
            left: 1,
            right: 2,
            access: Duplex::default(),
            access_left: Duplex::default(),
            access_right: Duplex::default(),
        }
    }
}

impl Config {
    pub(super) fn fill(&mut self) {
        self.access = self.access.over(&default_access());
    }

    pub(super) fn size(&self) -> Size {
        let hosts = u64::from(self.left) + u64::from(self.right);
        Size { left: self.left, right: self.right, nodes: hosts + 1, links: hosts }
    }

    pub(super) fn lay(&self, sketch: &mut Sketch) {
        sketch.node("hub");
        let access = [self.access_left.over(&self.access), self.access_right.over(&self.access)];
        sketch.ends(self.left, self.right, ["hub", "hub"], [&access[0], &access[1]]);
    }

    pub(super) fn duplexes(&self) -> Vec<(&'static str, &Duplex)> {
        vec![("access", &self.access), ("access_left", &self.access_left), ("access_right", &self.access_right)]
    }
}

#[cfg(test)]
mod tests {
    use super::super::Topology;
    use super::*;

    #[test]
    fn one_to_three() {
        let topology = Topology::Star(Config { right: 3, ..Config::default() });
        let sketch = topology.lay();
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
