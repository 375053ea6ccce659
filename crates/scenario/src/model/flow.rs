//! What a scenario says of flows between two nodes.

use faircast_proto::registry::flows::FlowConfig;
use faircast_proto::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

macro_rules! flows {
    ($($Variant:ident ( $($path:ident)::+ ) $(with $($header:ident)::+)? = $name:literal : $about:literal ;)+) => {
        /// One or several like flows.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind")]
        #[schemars(rename = "Flow")]
        pub enum FlowEntry {
            $(#[doc = $about] #[serde(rename = $name)] $Variant(FlowOf<faircast_proto::$($path)::+>),)+
        }

        impl FlowEntry {
            /// Where and when it runs.
            pub fn course(&self) -> &Course {
                match self {
                    $(FlowEntry::$Variant(flow) => &flow.course,)+
                }
            }

            /// The parameters of its kind.
            pub fn config(&self) -> FlowConfig {
                match self {
                    $(FlowEntry::$Variant(flow) => FlowConfig::$Variant(flow.config.clone()),)+
                }
            }
        }
    };
}

faircast_proto::flow_kinds!(flows);

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
