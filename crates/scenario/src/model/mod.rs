//! The model of a scenario: what a file may say, as serde structs from which the JSON schema is made.
//!
//! Unknown keys are refused through the schema, not by serde, whose `deny_unknown_fields` and `flatten` exclude each
//! other (see `schema.rs`). What may be left out has its default here or is an `Option` that a later step fills.

mod optimum;
mod session;

pub use optimum::{Optimum, Orientation, Utility};
pub use session::{Membership, Mode, Profile, Receivers, Session, SessionCourse, SessionOf, Times};

use crate::topology::Topology;
use faircast_proto::quantity::Bytes;
use faircast_proto::source::{cbr, on_off};
use faircast_proto::tcp;
use faircast_proto::time::{Duration, Rate};
use faircast_sim::{loss, queue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format that this crate reads.
pub const FORMAT: u32 = 1;
/// The largest seed: the largest whole number that every language reads exactly from JSON.
pub const MAX_SEED: u64 = (1 << 53) - 1;

/// A scenario: a network, the traffic on it and what is to be observed.
///
/// Nodes, links, flows and sessions have names and are taken in the order of their names, so that the order in which a file
/// lists them means nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scenario {
    /// Version of the format: 1.
    #[schemars(range(min = 1, max = 1))]
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
    #[schemars(range(max = 9_007_199_254_740_991_u64))]
    pub seed: u64,
    /// A named topology: makes nodes and links, which `nodes` and `links` add to and override.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology: Option<Topology>,
    /// Further nodes by name.
    #[serde(default)]
    #[schemars(extend("propertyNames" = { "pattern": "^[A-Za-z0-9_-]+$", "maxLength": 100 }))]
    pub nodes: BTreeMap<String, Node>,
    /// Further links by name, and changes to the links that the topology makes.
    #[serde(default)]
    #[schemars(extend("propertyNames" = { "pattern": "^[A-Za-z0-9_-]+$", "maxLength": 100 }))]
    pub links: BTreeMap<String, Link>,
    /// Flows by name.
    #[serde(default)]
    #[schemars(extend("propertyNames" = { "pattern": "^[A-Za-z0-9_-]+$", "maxLength": 100 }))]
    pub flows: BTreeMap<String, Flow>,
    /// Multicast sessions by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("propertyNames" = { "pattern": "^[A-Za-z0-9_-]+$", "maxLength": 100 }))]
    pub sessions: BTreeMap<String, Session>,
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

/// A node: a host or a router, whatever is connected to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Node {
    /// What it stands for, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A link between two nodes, or changes to a link of that name that the topology makes.
///
/// A new link needs `from`, `to`, `rate` and `delay`. It carries traffic both ways; `back` says what is different in
/// the direction from `to` to `from`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Link {
    /// Node at one end. Not for links of the topology.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Node at the other end. Not for links of the topology.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// No direction back. Default false.
    #[serde(skip_serializing_if = "is_false")]
    pub simplex: bool,
    /// Rate, delay, queue, loss.
    #[serde(flatten)]
    pub duplex: Duplex,
}

/// What a topology says of links of one kind, both directions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Duplex {
    /// Both directions, as far as `back` says nothing else.
    #[serde(flatten)]
    pub both: Settings,
    /// What is different in the direction back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub back: Option<Settings>,
}

/// What one direction of a link is like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// Rate of the transmitter, 10 bit/s to 10000 Gbit/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Propagation delay, up to 1 h.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Duration>,
    /// The queue in front of the transmitter. Default of a new link: drop-tail with 50 packets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<queue::Config>,
    /// What gets lost on the way. Default: nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<loss::Config>,
    /// How departures are computed. Default "auto". Results do not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<LinkMode>,
}

/// How a link computes when packets leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LinkMode {
    /// As `engine.link_mode` says; there: fused unless the queue decides at departure.
    #[default]
    Auto,
    /// At arrival.
    Fused,
    /// As events of their own.
    TwoStage,
}

/// One or several like flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Flow {
    /// A TCP transfer.
    Tcp(TcpFlow),
    /// Packets at a constant rate.
    Cbr(CbrFlow),
    /// Packets at a constant rate during on periods of random length, nothing between them.
    OnOff(OnOffFlow),
}

/// A TCP transfer.
pub type TcpFlow = FlowOf<tcp::Config>;
/// A source of constant rate.
pub type CbrFlow = FlowOf<cbr::Config>;
/// A source that is on and off by turns.
pub type OnOffFlow = FlowOf<on_off::Config>;

/// Where and when a flow of any kind runs, and the parameters of its kind beside that.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FlowOf<C> {
    /// Where and when.
    #[serde(flatten)]
    pub course: Course,
    /// The parameters of its kind.
    #[serde(flatten)]
    pub config: C,
}

/// Where and when a flow runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Course {
    /// Sending node, or one for each of `count` flows. Default: flow i is sent by the topology's left-i.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Nodes>,
    /// Receiving node, or one for each of `count` flows. Default: flow i is received by the topology's right-i.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Nodes>,
    /// So many flows, called NAME-0, NAME-1 and so on. Default: one flow, called NAME.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub count: Option<u32>,
    /// When the first flow starts. Default "0 s".
    pub start: Duration,
    /// Time from the start of one flow to that of the next. Default "0 s": all start together.
    pub start_step: Duration,
    /// Each flow starts later by a random time, uniform from zero to this. Default "0 s".
    pub start_jitter: Duration,
    /// When all of them stop. Default: not before the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Duration>,
}

/// The name of a node, or a list of names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum Nodes {
    /// One node for all.
    One(String),
    /// One node for each.
    Each(Vec<String>),
}

/// What is observed in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Probes {
    /// Time between two rows of a flow or a link. Default "1 s".
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
    /// Directions of links of whose queue every single event is kept, which takes memory. Default none.
    pub packets: Vec<String>,
    /// A hash over everything that happens, to compare runs. Default false.
    pub trace: bool,
}

/// How the simulator works. Results do not depend on any of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Engine {
    /// The data structure that holds what happens next. Default "wheel".
    pub calendar: Calendar,
    /// How links with mode "auto" compute departures. Default "auto": fused unless the queue decides at departure.
    pub link_mode: LinkMode,
    /// Gives the clock of every node a constant offset of its own, as real hosts have. Default true.
    pub clock_offsets: bool,
}

/// The data structure that holds what happens next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Calendar {
    /// A timing wheel: the faster one.
    #[default]
    Wheel,
    /// A four-ary heap: the one to compare with.
    Heap,
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

    /// Hosts on the right of the topology.
    pub(crate) fn right(&self) -> u32 {
        self.topology.as_ref().map_or(0, |topology| topology.size().right)
    }
}

impl Flow {
    /// Where and when it runs.
    pub fn course(&self) -> &Course {
        match self {
            Flow::Tcp(flow) => &flow.course,
            Flow::Cbr(flow) => &flow.course,
            Flow::OnOff(flow) => &flow.course,
        }
    }

    /// Its name in configurations.
    pub fn kind(&self) -> &'static str {
        match self {
            Flow::Tcp(_) => "tcp",
            Flow::Cbr(_) => "cbr",
            Flow::OnOff(_) => "on-off",
        }
    }

    /// Whether it answers congestion.
    pub fn is_controlled(&self) -> bool {
        matches!(self, Flow::Tcp(_))
    }

    /// Every field with an illegal value, and what is legal.
    pub(crate) fn check(&self) -> Vec<(String, String)> {
        match self {
            Flow::Tcp(flow) => flow.config.check(),
            Flow::Cbr(flow) => flow.config.check(),
            Flow::OnOff(flow) => flow.config.check(),
        }
    }

    /// The size of its data packets on the wire.
    pub fn packet_size(&self) -> Bytes {
        match self {
            Flow::Tcp(flow) => Bytes(flow.config.mss.0 + flow.config.hdr.0),
            Flow::Cbr(flow) => flow.config.packet_size,
            Flow::OnOff(flow) => flow.config.packet_size,
        }
    }
}

impl Course {
    /// How many flows.
    pub fn flows(&self) -> u32 {
        self.count.unwrap_or(1)
    }

    /// The name of flow `index` of the entry `name`.
    pub fn flow_name(&self, name: &str, index: u32) -> String {
        match self.count {
            Some(_) => format!("{name}-{index}"),
            None => name.to_owned(),
        }
    }

    /// When flow `index` starts, its jitter not counted.
    pub fn start_of(&self, index: u32) -> Duration {
        Duration(self.start.0.saturating_add(self.start_step.0.saturating_mul(u64::from(index))))
    }
}

impl Settings {
    /// These settings, and those of `base` where nothing is set.
    pub fn over(&self, base: &Settings) -> Settings {
        Settings {
            rate: self.rate.or(base.rate),
            delay: self.delay.or(base.delay),
            queue: self.queue.as_ref().or(base.queue.as_ref()).cloned(),
            loss: self.loss.as_ref().or(base.loss.as_ref()).cloned(),
            mode: self.mode.or(base.mode),
        }
    }

    /// What a new link has that says nothing else. Rate and delay must be said.
    pub(crate) fn of_new_link() -> Settings {
        Settings {
            rate: None,
            delay: None,
            queue: Some(queue::Config::default()),
            loss: Some(loss::Config::default()),
            mode: Some(LinkMode::Auto),
        }
    }
}

impl Duplex {
    /// These settings, and those of `base` where nothing is set, key by key.
    pub fn over(&self, base: &Duplex) -> Duplex {
        let back = match (&self.back, &base.back) {
            (Some(back), Some(base)) => Some(back.over(base)),
            (back, base) => back.as_ref().or(base.as_ref()).cloned(),
        };
        Duplex { both: self.both.over(&base.both), back }
    }

    /// What the direction back is like.
    pub fn backwards(&self) -> Settings {
        self.back.as_ref().map_or_else(|| self.both.clone(), |back| back.over(&self.both))
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == Duplex::default()
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
            trace: false,
        }
    }
}

impl Default for Engine {
    fn default() -> Engine {
        Engine { calendar: Calendar::default(), link_mode: LinkMode::default(), clock_offsets: true }
    }
}

fn first_seed() -> u64 {
    1
}

fn is_false(value: &bool) -> bool {
    !value
}
