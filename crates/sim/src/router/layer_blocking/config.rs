//! The parameters of layer blocking.

use faircast_proto::limits;
use faircast_proto::limits::{Limited, above_field, from, from_field};
use faircast_proto::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of layer blocking: those of the paper's table I, and those that it leaves open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "LayerBlocking", transform = limits::declare::<Config>)]
pub struct Config {
    /// What says whether the queue is short or long. Default "length", as in the paper.
    pub reads: Reads,
    /// F1: up to this part of the queue's limit the queue is short (phase 1). Default 0: empty.
    pub lower_threshold: f64,
    /// F2: from this part of the queue's limit on it is long (phase 3). Default 0.8.
    pub upper_threshold: f64,
    /// With `reads = "drops"`: for so long after a drop or mark the queue counts as long, and as short after a `window`
    /// without any. Default 100 ms.
    pub memory: Duration,
    /// F_slow: the observation time grows so many times with a release that follows another. Default 1.5.
    pub slow_factor: f64,
    /// F_back: it grows so many times when a block follows a release. Default 4.
    pub back_factor: f64,
    /// R_block: a block needs a mean rate of multicast sessions that is above that of unicast flows by more than this
    /// part. Default 0.2.
    pub excess: f64,
    /// I_chk: from one look at the queue to the next. Default 20 ms.
    pub interval: Duration,
    /// T_obs at first: how long the queue must have been short before a release. Default 1 s.
    pub observation: Duration,
    /// The longest that the observation time becomes (open in the paper). Default 64 s.
    pub max_observation: Duration,
    /// When the observation time returns to its first value (open in the paper). Default "calm"; with `reads = "drops"`
    /// "level".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reset: Option<Reset>,
    /// What a release waits for that follows from a comparison, as multicast sessions have less than unicast flows
    /// (open in the paper). Default "observation"; with `reads = "drops"` "hold".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared: Option<Compared>,
    /// Over how long packets are counted (open in the paper). Default 2 s.
    pub window: Duration,
    /// For how long after its last packet a flow or layer counts as there (open in the paper). Default 3 s.
    pub lifetime: Duration,
    /// The least time from one action to the next (open in the paper). Default: the window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<Duration>,
    /// The least time from one block to the next (open in the paper). Default 0.5 s.
    pub block_hold: Duration,
    /// What is counted of the traffic. Default "packets", as in the paper.
    pub count: Count,
    /// What is one unicast session. Default "flow".
    pub unicast: Unicast,
    /// What becomes of layers that are joined (open in the paper). Default "capped".
    pub admission: Admission,
}

/// What says whether the queue is short or long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "BlockingReads")]
pub enum Reads {
    /// Its length.
    Length,
    /// What it has dropped or marked, for queues that are kept short; and its length from F2 on. Under fair queueing it
    /// is what was dropped or marked of the session alone.
    Drops,
}

/// When the observation time returns to its first value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "BlockingReset")]
pub enum Reset {
    /// With a release that comes more than four observation times after the one before, and when a session comes or
    /// goes.
    Calm,
    /// Never, as in the paper's algorithm.
    Never,
    /// It belongs to the number of layers that was too much, as a block followed a release to it: what leads to fewer
    /// waits for the first value. It returns when a release to that number or more proves right, when a session comes
    /// or goes, and when the link becomes faster by what was blocked last. Beside unicast flows a short queue's
    /// releases make it grow, and it returns, as with "calm", too.
    Level,
}

/// What a release waits for that follows from a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "BlockingCompared")]
pub enum Compared {
    /// The observation time, which grows with it as with any release.
    Observation,
    /// The hold alone, and the observation time stays what it is. With `reset = "level"` what leads to as many layers
    /// as were too much waits for both.
    Hold,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "BlockingCount")]
pub enum Count {
    /// Packets; for traffic of one packet size.
    Packets,
    /// Bytes.
    Bytes,
}

/// What is one unicast session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "BlockingUnicast")]
pub enum Unicast {
    /// A flow: addresses and ports.
    Flow,
    /// All flows from one host to another, which needs less state in the router.
    Pair,
}

/// What becomes of a layer that is joined, other than the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "BlockingAdmission")]
pub enum Admission {
    /// It is blocked if a layer of its session has been blocked before, and passes otherwise.
    Capped,
    /// It passes.
    Open,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            reads: Reads::Length,
            memory: Duration::from_millis(100),
            lower_threshold: 0.0,
            upper_threshold: 0.8,
            slow_factor: 1.5,
            back_factor: 4.0,
            excess: 0.2,
            interval: Duration::from_millis(20),
            observation: Duration::from_secs(1),
            max_observation: Duration::from_secs(64),
            reset: None,
            compared: None,
            window: Duration::from_secs(2),
            lifetime: Duration::from_secs(3),
            hold: None,
            block_hold: Duration::from_millis(500),
            count: Count::Packets,
            unicast: Unicast::Flow,
            admission: Admission::Capped,
        }
    }
}

limits! { Config {
    lower_threshold, upper_threshold: from(0.0).to(1.0),
    upper_threshold: above_field("lower_threshold", |config: &Config| config.lower_threshold),
    slow_factor, back_factor: from(1.0),
    excess: from(0.0),
    interval, observation: from(Duration::from_millis(1)),
    max_observation: from_field("observation", |config: &Config| config.observation),
    memory, window, lifetime: from_field("interval", |config: &Config| config.interval),
} }

impl Config {
    pub(in crate::router) const ACTS_ON_SESSIONS: bool = true;

    /// When the observation time returns.
    pub(super) fn reset(&self) -> Reset {
        self.reset.unwrap_or(match self.reads {
            Reads::Length => Reset::Calm,
            Reads::Drops => Reset::Level,
        })
    }

    /// What a release by comparison waits for.
    pub(super) fn compared(&self) -> Compared {
        self.compared.unwrap_or(match self.reads {
            Reads::Length => Compared::Observation,
            Reads::Drops => Compared::Hold,
        })
    }

    /// Every field with an illegal value, and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        self.beyond_limits()
    }

    #[cfg(test)]
    pub(in crate::router) fn samples() -> Vec<Config> {
        let hasty = Config {
            upper_threshold: 0.1,
            excess: 0.0,
            window: Duration::from_millis(100),
            lifetime: Duration::from_millis(300),
            hold: Some(Duration::from_millis(40)),
            block_hold: Duration::from_millis(20),
            observation: Duration::from_millis(20),
            ..Config::default()
        };
        let (unicast, count, admission) = (Unicast::Pair, Count::Bytes, Admission::Open);
        let reads = Config { reads: Reads::Drops, ..hasty.clone() };
        vec![Config::default(), reads, Config { unicast, count, admission, ..hasty.clone() }, hasty]
    }
}
