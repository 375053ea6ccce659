//! What a scenario says of flows between two nodes.

use super::nodes::Nodes;
use super::pep::PepEntry;
use super::times::Times;
use super::web::WebTraffic;
use faircast_proto::limits;
use faircast_proto::limits::{from, to};
use faircast_proto::registry::flows::FlowConfig;
use faircast_proto::source::application;
use faircast_proto::tcp;
use faircast_proto::time::Duration;
use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// Where and when a flow of any kind runs, and the parameters of its kind beside that.
#[derive(Clone, Debug, Default, PartialEq, JsonSchema)]
pub struct FlowOf<C> {
    /// Where and when.
    #[schemars(flatten)]
    pub course: Course,
    /// The parameters of its kind; of several flows those of the first.
    #[schemars(flatten)]
    pub config: C,
    /// The parameters of each flow, if they differ in some of `VARIED`; otherwise empty.
    #[schemars(skip)]
    pub each: Vec<C>,
}

/// Parameters that a flow of a group may have of its own: there is a list in the place of the value.
pub(crate) const VARIED: [&str; 5] = ["variant", "mss", "segments", "rate", "packet_size"];

/// Flows that are all alike.
#[derive(Serialize, Deserialize)]
struct Alike<C> {
    #[serde(flatten)]
    course: Course,
    #[serde(flatten)]
    config: C,
}

impl<'de, C: DeserializeOwned> Deserialize<'de> for FlowOf<C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FlowOf<C>, D::Error> {
        let table = Map::<String, Value>::deserialize(deserializer)?;
        let of = |index: usize| -> Result<Alike<C>, D::Error> {
            let mut own = table.clone();
            for key in VARIED {
                if let Some(value) = own.get_mut(key)
                    && let Value::Array(values) = value
                {
                    *value = values.get(index).or(values.last()).cloned().unwrap_or_default();
                }
            }
            serde_json::from_value(Value::Object(own)).map_err(D::Error::custom)
        };
        let listed = VARIED.iter().filter_map(|key| table.get(*key)?.as_array()).map(Vec::len).max();
        let each = (0..listed.unwrap_or(0)).map(|index| Ok(of(index)?.config));
        let each = each.collect::<Result<Vec<C>, D::Error>>()?;
        let Alike { mut course, config } = of(0)?;
        // Equal times may have been written with different units.
        if let Times::Each(times) = &course.start
            && let [first, others @ ..] = &times[..]
            && others.iter().all(|time| time == first)
        {
            course.start = Times::All(*first);
        }
        Ok(FlowOf { course, config, each })
    }
}

impl<C: Clone + Serialize> Serialize for FlowOf<C> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let alike = Alike { course: self.course.clone(), config: self.config.clone() };
        if self.each.is_empty() {
            return alike.serialize(serializer);
        }
        let mut all = serde_json::to_value(alike).map_err(S::Error::custom)?;
        for key in VARIED {
            let values = self.values(key).map_err(S::Error::custom)?;
            if let Some(values) = values {
                all[key] = values.into();
            }
        }
        all.serialize(serializer)
    }
}

impl<C: Serialize> FlowOf<C> {
    /// The values that flows have of a parameter, if they differ.
    fn values(&self, key: &str) -> Result<Option<Vec<Value>>, serde_json::Error> {
        let mut values = Vec::with_capacity(self.each.len());
        for config in &self.each {
            values.push(serde_json::to_value(config)?.get_mut(key).map(Value::take).unwrap_or_default());
        }
        let differ = values.iter().any(|value| *value != values[0]);
        Ok(differ.then_some(values))
    }
}

/// Where and when transfers arrive, how large they are, and the TCP that carries them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WebEntry {
    /// Where and when.
    #[serde(flatten)]
    pub course: Course,
    /// Arrivals and sizes.
    #[serde(flatten)]
    pub traffic: WebTraffic,
    /// The parameters of its connections.
    #[serde(flatten)]
    pub tcp: tcp::Config,
}

/// Where and when a flow runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<Course>)]
#[serde(default)]
pub struct Course {
    /// Sending node, or one for each of `count` flows: a list, or "home-*" for all nodes called so, or "home-[1-9]" for
    /// those of a row. Default: flow i is sent by the topology's left-i.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Nodes>,
    /// Receiving node, or one for each of `count` flows, like `from`. Default: flow i is received by the topology's
    /// right-i.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Nodes>,
    /// So many flows, called NAME-0, NAME-1 and so on. Default: one flow, called NAME; where `from` or `to` names
    /// several nodes at once, as many as these are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// When the first flow starts. Default "0 s".
    #[schemars(with = "Duration")]
    pub start: Times,
    /// Time from the start of one flow to that of the next. Default "0 s": all start together.
    pub start_step: Duration,
    /// Each flow starts later by a random time, uniform from zero to this. Default "0 s".
    pub start_jitter: Duration,
    /// When all of them stop. Default: not before the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Duration>,
    /// The DSCP of their packets, and of those that answer them, by which queues of kind "classes" tell them. Default
    /// 0.
    #[serde(skip_serializing_if = "is_default")]
    pub dscp: u8,
    /// What the application has to send. Default: always something. For TCP, whose own `segments` it takes the place
    /// of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub application: Option<application::Config>,
    /// Proxies that split the connection of TCP. Default: there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pep: Option<PepEntry>,
}

limits! { Course {
    count: from(1),
    dscp: to(MOST_DSCP),
} }

/// Six bits (RFC 2474).
pub(crate) const MOST_DSCP: u8 = 63;

/// Whether there is nothing to write.
pub(crate) fn is_default(dscp: &u8) -> bool {
    *dscp == 0
}

macro_rules! flows {
    ($($Variant:ident ( $($path:ident)::+ ) $(with $($header:ident)::+)? = $name:literal : $about:literal ;)+) => {
        /// One or several like flows.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind")]
        #[schemars(rename = "Flow")]
        #[allow(clippy::large_enum_variant, reason = "there are few of them")]
        pub enum FlowEntry {
            $(#[doc = $about] #[serde(rename = $name)] $Variant(FlowOf<faircast_proto::$($path)::+>),)+
            /// Finite TCP transfers that arrive at random, between one or several pairs of nodes.
            #[serde(rename = "web")]
            Web(WebEntry),
        }

        impl FlowEntry {
            /// Where and when it runs.
            pub fn course(&self) -> &Course {
                match self {
                    $(FlowEntry::$Variant(flow) => &flow.course,)+
                    FlowEntry::Web(web) => &web.course,
                }
            }

            /// The parameters of its kind; of several flows those of the first.
            pub fn config(&self) -> FlowConfig {
                self.config_of(0)
            }

            /// The parameters of flow `index`.
            pub fn config_of(&self, index: u32) -> FlowConfig {
                match self {
                    $(FlowEntry::$Variant(flow) => {
                        FlowConfig::$Variant(flow.each.get(index as usize).unwrap_or(&flow.config).clone())
                    })+
                    FlowEntry::Web(web) => FlowConfig::Tcp(web.tcp.clone()),
                }
            }

            /// How many flows have parameters of their own: 1 if all have the same.
            pub fn configs(&self) -> u32 {
                match self {
                    $(FlowEntry::$Variant(flow) => flow.each.len().max(1) as u32,)+
                    FlowEntry::Web(_) => 1,
                }
            }

            /// Whether flows differ in a parameter.
            pub(crate) fn varies(&self, key: &str) -> bool {
                match self {
                    $(FlowEntry::$Variant(flow) => flow.values(key).is_ok_and(|values| values.is_some()),)+
                    FlowEntry::Web(_) => false,
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
        let start = self.start.of(index).unwrap_or_default();
        Duration(start.0.saturating_add(self.start_step.0.saturating_mul(u64::from(index))))
    }

    /// The flow that starts last, jitter not counted: the first of those.
    pub fn latest(&self) -> u32 {
        match &self.start {
            Times::All(_) => self.flows().saturating_sub(1),
            Times::Each(times) => {
                // Of equal ones `max_by_key` takes the last.
                (0..times.len() as u32).rev().max_by_key(|&index| self.start_of(index)).unwrap_or(0)
            }
        }
    }
}
