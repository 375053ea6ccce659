//! Named topologies: what fills the nodes and links of a scenario.
//!
//! | file | topology |
//! |---|---|
//! | `dumbbell.rs` | hosts on both sides of one bottleneck |
//! | `chain.rs` | hosts at both ends of a row of routers |
//! | `parking_lot.rs` | the same with cross traffic at every hop |
//! | `star.rs` | hosts around one router |
//! | `satellite.rs` | hosts and a satellite's terminals |
//! | `branches/` | hosts at one router, and branches of several sorts behind it |
//! | `constellation/` | satellites that move over ground stations |
//! | `tree.rs` | hosts at the root and the leaves of a tree of routers |
//!
//! Most call the hosts at the ends left-0, left-1, .. and right-0, right-1, ..: flow i of an entry goes from left-i to
//! right-i unless it says otherwise. Links point from left to right, so that `back` is from right to left. Adding a
//! topology is one file beside this one and one line in `topologies!`.

mod access;
mod overhead;
mod shape;
mod sketch;

pub use access::Access;
pub use overhead::{GroundPlace, Overhead};
pub use sketch::{Hosts, Size, Sketch, SketchedLink, Sort, Surroundings};

use crate::model::link::Duplex;
use faircast_proto::limits::Limited;
use faircast_proto::time::Duration;
use serde_json::Value;
use shape::Shape;
use std::borrow::Cow;

/// The registry. A line `module::Type = "kind": "description";` declares `mod module`, which must hold `Config`: a
/// [`Shape`] that serde and schemars know, every field with a default.
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
            fn shape(&self) -> &dyn Shape {
                match self {
                    $(Topology::$Type(config) => config,)+
                }
            }

            fn shape_mut(&mut self) -> &mut dyn Shape {
                match self {
                    $(Topology::$Type(config) => config,)+
                }
            }

            /// Every field with a value beyond its limits: its name, and what was given and what is legal.
            pub(crate) fn beyond_limits(&self) -> Vec<(String, String)> {
                match self {
                    $(Topology::$Type(config) => config.beyond_limits(),)+
                }
            }

            /// Its name in scenarios.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Topology::$Type(_) => $kind,)+
                }
            }
        }

        /// Where in the table of a topology, as it was written and may not be legal, there are tables with settings of
        /// links beside itself, whatever its kind: as keys from there.
        pub(crate) fn nested(written: &Value) -> Vec<Vec<String>> {
            [$(<$module::Config as Shape>::nested(written)),+].concat()
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
    satellite::Satellite = "satellite": "Sources at a gateway, receivers on the one downlink of a satellite.";
    branches::Branches = "branches": "Sources at a router, receivers on branches over satellites or wires.";
    constellation::Constellation = "constellation": "Satellites that move over ground stations, with links among them.";
    tree::Tree = "tree": "Sources at the root and receivers at the leaves of a tree of routers.";
}

impl Topology {
    /// Completes the settings of its links.
    pub fn fill(&mut self) {
        self.shape_mut().fill();
    }

    /// How much [`lay`](Self::lay) would make.
    pub fn size(&self) -> Size {
        self.shape().size()
    }

    /// Its nodes and links.
    pub fn lay(&self, around: &Surroundings) -> Sketch {
        let mut filled = self.clone();
        filled.fill();
        let mut sketch = Sketch::default();
        filled.shape().lay(&mut sketch, around);
        sketch
    }

    /// Its settings of links, by the name of their key or the path to it.
    pub fn duplexes(&self) -> Vec<(Cow<'static, str>, &Duplex)> {
        self.shape().duplexes()
    }

    /// What sort of link a key of [`duplexes`](Self::duplexes) is about.
    pub fn sort(&self, key: &str) -> Sort {
        self.shape().sort(key)
    }

    /// The key of that over which the settings of a key are said.
    pub(crate) fn base<'k>(&self, key: &'k str) -> Cow<'k, str> {
        self.shape().base(key)
    }

    /// The name of host `index` on a side, "left" or "right", if there is one.
    pub(crate) fn host(&self, side: &str, index: u32) -> Option<String> {
        self.shape().host(side, index)
    }

    /// How there come to be hosts on a side, "left" or "right".
    pub(crate) fn hosts(&self, side: &str) -> Hosts {
        self.shape().hosts(side)
    }

    /// Whether it changes its links while the network runs.
    pub(crate) fn moves(&self) -> bool {
        self.shape().moves()
    }

    /// The least elevation of a satellite for ground stations that say nothing else, degrees, if it has satellites.
    pub(crate) fn mask(&self) -> Option<f64> {
        self.shape().mask()
    }

    /// How often routes are computed anew unless the scenario says so itself.
    pub(crate) fn reroute_interval(&self) -> Option<Duration> {
        self.shape().reroute_interval()
    }

    /// What it says of that itself.
    pub(crate) fn said_reroute_interval(&self) -> Option<Duration> {
        self.shape().said_reroute_interval()
    }

    /// Its satellites and who is on the ground, as far as their places are known.
    pub(crate) fn overhead(&self, around: &Surroundings) -> Option<Overhead> {
        self.shape().overhead(around)
    }

    /// Whether [`lay`](Self::lay) can make something for a run of this length; if not, [`check`](Self::check) says why.
    pub(crate) fn can_be_laid(&self, duration: Duration) -> bool {
        self.shape().can_be_laid(duration)
    }

    /// What else is wrong with it: field and message.
    pub(crate) fn check(&self, duration: Duration) -> Vec<(String, String)> {
        self.shape().check(duration)
    }
}
