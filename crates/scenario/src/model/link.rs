//! What a scenario says of links.

use faircast_proto::time::{Duration, Rate};
use faircast_sim::{loss, queue, router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A link between two nodes, or changes to a link of that name that the topology makes.
///
/// A new link needs `from`, `to`, `rate` and `delay`. It carries traffic both ways; `back` says what is different in
/// the direction from `to` to `from`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "Link")]
pub struct LinkEntry {
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
    /// What looks after the queue in the router, of this direction alone. Default: nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<router::Config>,
    /// How departures are computed. Default "auto". Results do not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ModeChoice>,
}

/// How a link computes when packets leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "LinkMode")]
pub enum ModeChoice {
    /// As `engine.link_mode` says; there: fused unless the queue decides at departure.
    #[default]
    Auto,
    /// At arrival.
    Fused,
    /// As events of their own.
    TwoStage,
}

impl Settings {
    /// These settings, and those of `base` where nothing is set.
    pub fn over(&self, base: &Settings) -> Settings {
        Settings {
            rate: self.rate.or(base.rate),
            delay: self.delay.or(base.delay),
            queue: self.queue.as_ref().or(base.queue.as_ref()).cloned(),
            loss: self.loss.as_ref().or(base.loss.as_ref()).cloned(),
            agent: self.agent.as_ref().or(base.agent.as_ref()).cloned(),
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
            agent: None,
            mode: Some(ModeChoice::Auto),
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

    /// What the direction back is like. An agent is that of one direction; one for the other is named there.
    pub fn backwards(&self) -> Settings {
        let agent = self.back.as_ref().and_then(|back| back.agent.clone());
        let settings = self.back.as_ref().map_or_else(|| self.both.clone(), |back| back.over(&self.both));
        Settings { agent, ..settings }
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == Duplex::default()
    }
}

fn is_false(value: &bool) -> bool {
    !value
}
