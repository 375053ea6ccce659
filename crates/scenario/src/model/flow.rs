//! What a scenario says of flows between two nodes.

use faircast_proto::quantity::Bytes;
use faircast_proto::source::{cbr, on_off};
use faircast_proto::tcp;
use faircast_proto::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One or several like flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(rename = "Flow")]
pub enum FlowEntry {
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

impl FlowEntry {
    /// Where and when it runs.
    pub fn course(&self) -> &Course {
        match self {
            FlowEntry::Tcp(flow) => &flow.course,
            FlowEntry::Cbr(flow) => &flow.course,
            FlowEntry::OnOff(flow) => &flow.course,
        }
    }

    /// Its name in configurations.
    pub fn kind(&self) -> &'static str {
        match self {
            FlowEntry::Tcp(_) => "tcp",
            FlowEntry::Cbr(_) => "cbr",
            FlowEntry::OnOff(_) => "on-off",
        }
    }

    /// Whether it answers congestion.
    pub fn is_controlled(&self) -> bool {
        matches!(self, FlowEntry::Tcp(_))
    }

    /// Every field with an illegal value, and what is legal.
    pub(crate) fn check(&self) -> Vec<(String, String)> {
        match self {
            FlowEntry::Tcp(flow) => flow.config.check(),
            FlowEntry::Cbr(flow) => flow.config.check(),
            FlowEntry::OnOff(flow) => flow.config.check(),
        }
    }

    /// The size of its data packets on the wire.
    pub fn packet_size(&self) -> Bytes {
        match self {
            FlowEntry::Tcp(flow) => Bytes(flow.config.segment_bytes()),
            FlowEntry::Cbr(flow) => flow.config.packet_size,
            FlowEntry::OnOff(flow) => flow.config.packet_size,
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
