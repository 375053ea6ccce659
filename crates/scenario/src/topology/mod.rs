//! Named topologies: what fills the nodes and links of a scenario.
//!
//! | file | topology |
//! |---|---|
//! | `dumbbell.rs` | hosts on both sides of one bottleneck |
//! | `chain.rs` | hosts at both ends of a row of routers |
//! | `parking_lot.rs` | the same with cross traffic at every hop |
//! | `star.rs` | hosts around one router |
//! | `tree.rs` | hosts at the root and the leaves of a tree of routers |
//!
//! All call the hosts at the ends left-0, left-1, .. and right-0, right-1, ..: flow i of an entry goes from left-i to
//! right-i unless it says otherwise. Links point from left to right, so that `back` is from right to left. Adding a
//! topology is one file beside this one and one line in `topologies!`.

use crate::model::{Duplex, ModeChoice, Settings};
use faircast_proto::quantity::QueueSize;
use faircast_proto::time::{Duration, Rate};
use faircast_sim::{loss, queue};

/// Nodes and links that a topology makes, with their settings complete.
#[derive(Clone, Debug, Default)]
pub struct Sketch {
    /// Names of the nodes.
    pub nodes: Vec<String>,
    /// The links.
    pub links: Vec<SketchedLink>,
}

/// A link that a topology makes.
#[derive(Clone, Debug)]
pub struct SketchedLink {
    /// Its name.
    pub name: String,
    /// Name of the node on its left.
    pub from: String,
    /// Name of the node on its right.
    pub to: String,
    /// What it is like.
    pub duplex: Duplex,
}

/// How many nodes and links a topology makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Hosts called left-0, left-1, ..
    pub left: u32,
    /// Hosts called right-0, right-1, ..
    pub right: u32,
    /// All nodes.
    pub nodes: u64,
    /// All links, a link and its direction back counted once.
    pub links: u64,
}

impl Sketch {
    fn node(&mut self, name: impl Into<String>) {
        self.nodes.push(name.into());
    }

    fn link(&mut self, name: impl Into<String>, from: impl Into<String>, to: impl Into<String>, duplex: &Duplex) {
        self.links.push(SketchedLink { name: name.into(), from: from.into(), to: to.into(), duplex: duplex.clone() });
    }

    /// Hosts left-0, left-1, .. at the first router and right-0, right-1, .. at the second, with their access links.
    fn ends(&mut self, left: u32, right: u32, routers: [&str; 2], access: [&Duplex; 2]) {
        for i in 0..left {
            self.node(format!("left-{i}"));
            self.link(format!("access-left-{i}"), format!("left-{i}"), routers[0], access[0]);
        }
        for i in 0..right {
            self.node(format!("right-{i}"));
            self.link(format!("access-right-{i}"), routers[1], format!("right-{i}"), access[1]);
        }
    }

    /// Routers router-0 to router-`hops`, joined by hop-0, hop-1, ..
    fn hops(&mut self, hops: u32, hop: &Duplex) {
        for i in 0..=hops {
            self.node(format!("router-{i}"));
        }
        for i in 0..hops {
            self.link(format!("hop-{i}"), format!("router-{i}"), format!("router-{}", i + 1), hop);
        }
    }
}

/// The registry. A line `module::Type = "kind": "description";` declares `mod module`, which must hold `Config` (serde
/// and schemars, every field with a default) with
///
/// * `fill(&mut self)`: completes the settings of its links;
/// * `size(&self) -> Size`: what `lay` would make;
/// * `lay(&self, &mut Sketch)`: makes nodes and links of a filled configuration;
/// * `duplexes(&self) -> Vec<(&'static str, &Duplex)>`: its link settings by the name of their key, for checks.
macro_rules! topologies {
    ($($module:ident :: $Type:ident = $kind:literal : $about:literal ;)+) => {
        $(pub mod $module;)+

        /// A named topology as scenarios write it: `kind = "dumbbell"`.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(tag = "kind")]
        pub enum Topology {
            $(#[doc = $about] #[serde(rename = $kind)] $Type($module::Config),)+
        }

        impl Topology {
            /// Completes the settings of its links.
            pub fn fill(&mut self) {
                match self {
                    $(Topology::$Type(config) => config.fill(),)+
                }
            }

            /// How much [`lay`](Self::lay) would make.
            pub fn size(&self) -> Size {
                match self {
                    $(Topology::$Type(config) => config.size(),)+
                }
            }

            /// Its nodes and links.
            pub fn lay(&self) -> Sketch {
                let mut filled = self.clone();
                filled.fill();
                let mut sketch = Sketch::default();
                match &filled {
                    $(Topology::$Type(config) => config.lay(&mut sketch),)+
                }
                sketch
            }

            /// Its settings of links, by the name of their key.
            pub fn duplexes(&self) -> Vec<(&'static str, &Duplex)> {
                match self {
                    $(Topology::$Type(config) => config.duplexes(),)+
                }
            }

            /// Its name in scenarios.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Topology::$Type(_) => $kind,)+
                }
            }
        }

        /// Name and one-line description of every topology.
        pub const LIST: &[(&str, &str)] = &[$(($kind, $about)),+];
    };
}

topologies! {
    dumbbell::Dumbbell = "dumbbell": "Hosts on both sides of one bottleneck.";
    chain::Chain = "chain": "Hosts at both ends of a row of routers.";
    parking_lot::ParkingLot = "parking-lot": "Hosts at both ends of a row of routers, and cross traffic at every hop.";
    star::Star = "star": "Hosts around one router.";
    tree::Tree = "tree": "Sources at the root and receivers at the leaves of a tree of routers.";
}

/// Access links by default: 100 Mbit/s, 1 ms, drop-tail 1000, so that nothing happens there.
fn default_access() -> Duplex {
    complete(Rate(100_000_000), Duration::from_millis(1), 1000.0)
}

/// A hop by default.
fn default_hop() -> Duplex {
    complete(Rate(10_000_000), Duration::from_millis(10), 50.0)
}

/// Settings with a drop-tail queue and no loss.
fn complete(rate: Rate, delay: Duration, limit_pkts: f64) -> Duplex {
    let limit = QueueSize::Packets(limit_pkts);
    let drop_tail = queue::drop_tail::Config { limit, ..Default::default() };
    let both = Settings {
        rate: Some(rate),
        delay: Some(delay),
        queue: Some(queue::Config::DropTail(drop_tail)),
        loss: Some(loss::Config::default()),
        mode: Some(ModeChoice::Auto),
    };
    Duplex { both, back: None }
}

/// The most hosts or hops that a topology makes of a kind.
const MOST: u32 = 1_000_000;
