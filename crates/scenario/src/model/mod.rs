//! The model of a scenario: what a file may say, as serde structs from which the JSON schema is made.
//!
//! Unknown keys are refused through the schema, not by serde, whose `deny_unknown_fields` and `flatten` exclude each
//! other (see `schema.rs`). What may be left out has its default here or is an `Option` that a later step fills.

pub(crate) mod acm;
pub(crate) mod bounds;
pub(crate) mod elements;
pub(crate) mod engine;
mod flow;
pub(crate) mod link;
mod nodes;
mod optimum;
mod pep;
pub(crate) mod return_channel;
mod session;
pub(crate) mod station;
mod times;
pub(crate) mod trace;
mod web;

pub use acm::{Acm, RainEntry};
pub use elements::ElementsEntry;
pub use engine::{CalendarChoice, Engine};
pub(crate) use flow::VARIED;
pub use flow::{Course, FlowEntry, FlowOf, WebEntry};
pub use link::{ChangeEntry, Duplex, HandoffChoice, LinkEntry, ModeChoice, Settings};
pub use nodes::Nodes;
pub use optimum::{Optimum, Orientation, Utility};
pub use pep::PepEntry;
pub use return_channel::{AccessEntry, AlohaAccess, ConstantAccess, RateAccess, ReturnEntry, VolumeAccess};
pub use session::{
    MembershipSettings, Profile, Receivers, SessionCourse, SessionEntry, SessionOf, TreeMode, TreeRebuild,
};
pub use station::StationEntry;
pub use times::Times;
pub use trace::{CsvTrace, LensColumn, LensTrace, LeoccTrace, MahimahiTrace, TraceEntry};
pub use web::{
    ArrivalEntry, ConstantSize, ExponentialSize, ListedSize, LognormalSize, ParetoSize, SizeEntry, VisitsEntry,
    WebTraffic,
};

use crate::topology::{Surroundings, Topology};
use faircast_proto::limits;
use faircast_proto::limits::{above, from, to};
use faircast_proto::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format that this crate reads.
pub const FORMAT: u32 = 1;
/// The largest seed: the largest whole number that every language reads exactly from JSON.
pub const MAX_SEED: u64 = (1 << 53) - 1;

/// A scenario: a network, the traffic on it and what is to be observed.
///
/// Nodes, links, flows and sessions have names and are taken in the order of their names, so that the order in which a
/// file lists them means nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<Scenario>)]
pub struct Scenario {
    /// Version of the format: 1.
    pub format: u32,
    /// Name of the scenario, part of the names of its results: letters, digits, `-`, `_` and `.`.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_-][A-Za-z0-9._-]*$"), length(max = 100))]
    pub name: String,
    /// What it is about, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Simulated time.
    pub duration: Duration,
    /// The beginning that statistics leave out. Default: a tenth of the duration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warmup: Option<Duration>,
    /// Seed of all random streams, 0 to 2^53 - 1. Default 1.
    #[serde(default = "first_seed")]
    pub seed: u64,
    /// A named topology: makes nodes and links, which `nodes` and `links` add to and override.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology: Option<Topology>,
    /// Further nodes by name; "home-[1-9]" names a row of them.
    #[serde(default)]
    #[schemars(extend("propertyNames" = { "pattern": "^[A-Za-z0-9_-]+$", "maxLength": 100 }))]
    pub nodes: BTreeMap<String, NodeEntry>,
    /// Ground stations by name, nodes of their own: those of a topology of kind "constellation".
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("propertyNames" = { "pattern": "^[A-Za-z0-9_-]+$", "maxLength": 100 }))]
    pub stations: BTreeMap<String, StationEntry>,
    /// Further links by name, and changes to the links that the topology makes; "line-*" speaks of all links called so
    /// or, if one end is a pattern, makes one to each such node, and "line-[1-9]" names a row of them.
    #[serde(default)]
    #[schemars(extend("propertyNames" = { "pattern": "^[A-Za-z0-9_-]+$", "maxLength": 100 }))]
    pub links: BTreeMap<String, LinkEntry>,
    /// Carriers by name on which many terminals send in slots, and changes to those that the topology makes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("propertyNames" = { "pattern": "^[A-Za-z0-9_-]+$", "maxLength": 100 }))]
    pub return_channels: BTreeMap<String, ReturnEntry>,
    /// Flows by name.
    #[serde(default)]
    #[schemars(extend("propertyNames" = { "pattern": "^[A-Za-z0-9_-]+$", "maxLength": 100 }))]
    pub flows: BTreeMap<String, FlowEntry>,
    /// Multicast sessions by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("propertyNames" = { "pattern": "^[A-Za-z0-9_-]+$", "maxLength": 100 }))]
    pub sessions: BTreeMap<String, SessionEntry>,
    /// Routes are computed anew this often, in the delays of that moment, at least "1 ms". Default: that of a
    /// constellation, otherwise only when a link goes down or up or turns elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reroute_interval: Option<Duration>,
    /// What is observed.
    #[serde(default)]
    pub probes: Probes,
    /// What would be the best rates: a column of the summary.
    #[serde(default, skip_serializing_if = "Optimum::is_default")]
    pub optimum: Optimum,
    /// How the simulator works; results do not depend on it.
    #[serde(default)]
    pub engine: Engine,
}

// Nanoseconds of the longest run are still whole numbers of a float, so that a scenario is read back exactly.
limits! { Scenario {
    format: from(1).to(1),
    seed: to(9_007_199_254_740_991),
    duration: above(Duration::ZERO).to(Duration::from_secs(100 * 24 * 3600)).because("100 days"),
} }

/// A node: a host or a router, whatever is connected to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "Node")]
pub struct NodeEntry {
    /// What it stands for, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// The observations of a run: what is written down, and how often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<Probes>)]
#[serde(default)]
pub struct Probes {
    /// Time between two rows of a flow, a link or a path. Default "1 s".
    pub interval: Duration,
    /// Time between two samples of a queue. Default "100 ms".
    pub queue_interval: Duration,
    /// A row for each flow, session and receiver and each interval. Default true.
    pub flows: bool,
    /// A row for each direction of a link and interval. Default true.
    pub links: bool,
    /// Reductions of windows and time-outs. Default true.
    pub events: bool,
    /// Directions of links whose queue is sampled: `bottleneck`, or `bottleneck.back` for the direction back.
    /// Default none.
    pub queues: Vec<String>,
    /// Directions of links, and legs, of which it is kept what happens to every single packet, which takes memory.
    /// Default none.
    pub packets: Vec<String>,
    /// From when on, default "0 s".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packets_from: Option<Duration>,
    /// And until when. Default the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packets_until: Option<Duration>,
    /// The flows, entries of flows and sessions whose packets are kept. Default all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub packets_flows: Vec<String>,
    /// What is kept of what happens to them. Default all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub packets_actions: Vec<PacketAction>,
    /// Pairs of nodes: the way that packets take from the first to the second, its delay and hops, at every interval
    /// and whenever it changes. Default none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathEntry>,
    /// A hash over everything that happens, to compare runs. Default false.
    pub trace: bool,
}

limits! { Probes { interval, queue_interval: from(Duration::from_micros(1)) } }

// In the order of the simulator's names, `probe::PacketAction::NAMES`.
/// What may happen to a packet at a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PacketAction {
    /// Entered the queue unchanged.
    Accepted,
    /// Entered with a mark of incipient congestion.
    MarkedIncipient,
    /// Entered with a mark of moderate congestion.
    MarkedModerate,
    /// Was dropped because the queue was full.
    DroppedOverflow,
    /// Was dropped by decision of the discipline.
    DroppedActive,
    /// Left the transmitter.
    Departed,
    /// Came while the link was down.
    DroppedDown,
    /// Waited when the link went down or turned, and took another way.
    Rerouted,
    /// Waited then, and was removed.
    Discarded,
    /// Was sent then, and nobody received it.
    Unreceived,
    /// Was kept from the queue by a router agent.
    HeldBack,
    /// Was destroyed by the loss model at the far end.
    Lost,
    /// Was given up on a node from which no way led on.
    NoRoute,
    /// Was given up after 64 links.
    OutOfHops,
    /// Came over a link that is not the way down its tree, and was given up.
    OffTree,
    /// Came up the tree to a group to which members may not send, and was given up.
    NotASource,
}

/// A pair of nodes between which the way is observed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Path")]
pub struct PathEntry {
    /// The node where the way starts.
    pub from: String,
    /// The node where it ends.
    pub to: String,
}

impl Scenario {
    /// The beginning that statistics leave out: as given, otherwise a tenth of the duration.
    pub fn warmup(&self) -> Duration {
        self.warmup.unwrap_or(Duration(self.duration.0 / 10))
    }

    /// Fills in everything that was left out and has a default.
    pub(crate) fn fill(&mut self) {
        self.warmup = Some(self.warmup());
        if let Some(topology) = &mut self.topology {
            topology.fill();
        }
    }

    /// What its topology has to know of it, in a run with this seed.
    pub(crate) fn surroundings(&self, seed: u64) -> Surroundings<'_> {
        Surroundings { stations: &self.stations, duration: self.duration, seed }
    }

    /// Hosts on the right of the topology.
    pub(crate) fn right(&self) -> u32 {
        self.topology.as_ref().map_or(0, |topology| topology.size().right)
    }
}

impl Default for Probes {
    fn default() -> Probes {
        Probes {
            interval: Duration::from_secs(1),
            queue_interval: Duration::from_millis(100),
            flows: true,
            links: true,
            events: true,
            queues: Vec::new(),
            packets: Vec::new(),
            packets_from: None,
            packets_until: None,
            packets_flows: Vec::new(),
            packets_actions: Vec::new(),
            paths: Vec::new(),
            trace: false,
        }
    }
}

fn first_seed() -> u64 {
    1
}
