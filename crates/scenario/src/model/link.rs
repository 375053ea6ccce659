//! What a scenario says of links.

use super::acm::{Acm, RainEntry, efficiencies, es_n0s};
pub(crate) use super::bounds::{delays, rates};
use super::trace::TraceEntry;
use faircast_proto::limits;
use faircast_proto::limits::from;
use faircast_proto::quantity::{Bytes, Decibels, SymbolRate};
use faircast_proto::time::{Duration, Rate};
use faircast_sim::change::Handoff;
use faircast_sim::part::Aspect;
use faircast_sim::{loss, queue, router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A link between two nodes, or changes to a link of that name that the topology makes.
///
/// A new link needs `from`, `to`, `rate` and `delay`. It carries traffic both ways; `back` says what is different in
/// the direction from `to` to `from`. A link with legs needs `from` and `rate`, each of its legs `leg_of`, `to` and
/// `delay`; both are simplex.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "Link")]
pub struct LinkEntry {
    /// Node at one end. Not for links of the topology. Of links that are named at once "home-*" or "home-[1-9]" gives
    /// each one of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Node at the other end, like `from`. Not for links of the topology.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// No direction back. Default false.
    #[serde(skip_serializing_if = "is_false")]
    pub simplex: bool,
    /// The link of which this is a leg: a far end with delay and losses of its own, behind that link's queue and
    /// transmitter. Not for links of the topology.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leg_of: Option<String>,
    /// Rate, delay, queue, loss.
    #[serde(flatten)]
    pub duplex: Duplex,
}

/// Settings of all links of one kind in a topology, both directions.
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

/// Settings of one direction of a link.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<Settings>)]
#[serde(default)]
pub struct Settings {
    /// Rate of the transmitter, 10 bit/s to 10000 Gbit/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Of a link with legs, in the place of a rate: the symbols that its transmitter sends in a second, 100 baud to
    /// 10 Gbaud. What a symbol carries depends on those who are to hear it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol_rate: Option<SymbolRate>,
    /// Of a link with a symbol rate: how the modulation and code of transmissions is chosen. Default: without delay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acm: Option<Acm>,
    /// Of a leg of a link with a symbol rate: the bits in a symbol that it can receive, 0.1 to 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub efficiency: Option<f64>,
    /// Of a leg of a link with a symbol rate, in the place of `efficiency`: the Es/N0 under a clear sky, -50 dB to
    /// 100 dB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub es_n0: Option<Decibels>,
    /// Of a leg with an Es/N0: rain on the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rain: Option<RainEntry>,
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
    /// Bytes that the link layer adds to each packet, up to 1500 B: they take time, and bit errors can hit them.
    /// Default none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<Bytes>,
    /// What changes while the network runs: a list, or the name of a CSV file. Default nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Changes>")]
    pub changes: Option<Vec<ChangeEntry>>,
    /// The link as it was measured, in the place of `changes`. Default nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceEntry>,
    /// What becomes of packets that wait when the link goes down or turns elsewhere and they cannot be rerouted.
    /// Default "keep".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoff_queue: Option<HandoffChoice>,
    /// Whether packets to one host that wait when the link goes down or turns elsewhere take another way if there is
    /// one. Default true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reroute: Option<bool>,
}

/// A change of a link: everything that is said changes at that instant, before anything else happens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Change", transform = limits::declare::<ChangeEntry>)]
pub struct ChangeEntry {
    /// When, from the start of the run.
    pub at: Duration,
    /// Whether it is up from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<bool>,
    /// Its rate from now on, 10 bit/s to 10000 Gbit/s. What is in transmission completes at the old one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Its propagation delay from now on, up to 1 h. Packets take the delay of their departure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Duration>,
    /// The delay goes from `delay` to this one in a straight line, in the time `over`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_to: Option<Duration>,
    /// How long the delay takes from `delay` to `delay_to`. It stays there unless another change comes first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<Duration>,
    /// What gets lost from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<loss::Config>,
    /// The bits in a symbol that it can receive from now on, 0.1 to 20. Only for legs with `efficiency`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub efficiency: Option<f64>,
    /// Its Es/N0 under a clear sky from now on, -50 dB to 100 dB. Only for legs with `es_n0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub es_n0: Option<Decibels>,
    /// What is taken off its Es/N0 from now on, 0 dB to 100 dB. Only for legs with `es_n0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attenuation: Option<Decibels>,
    /// Node to which it leads from now on. Only for links with `simplex`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// Changes as a scenario says them. The content of a file takes its place when the scenario is read.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
#[expect(dead_code, reason = "it is there for the schema")]
enum Changes {
    /// A CSV file with the columns time, rate, delay, loss, up, efficiency, es_n0, attenuation; its path
    /// is relative to the scenario's.
    #[schemars(extend("x-file" = true))]
    File(String),
    /// Change by change.
    List(Vec<ChangeEntry>),
}

/// What becomes of packets that wait when their link goes down or turns elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "HandoffQueue")]
pub enum HandoffChoice {
    /// They wait on, for the link to come up, or go to the new far end.
    #[default]
    Keep,
    /// They are transmitted, but nobody receives them, as in ns-2.
    Lose,
    /// They are removed at once.
    Discard,
}

limits! { ChangeEntry {
    rate: rates(),
    delay, delay_to: delays(),
    efficiency: efficiencies(),
    es_n0: es_n0s(),
    attenuation: from(Decibels(0.0)).to(Decibels(100.0)),
} }

limits! { Settings {
    rate: rates(),
    symbol_rate: from(SymbolRate(100)).to(SymbolRate(10_000_000_000)),
    efficiency: efficiencies(),
    es_n0: es_n0s(),
    delay: delays(),
} }

impl ChangeEntry {
    /// Nothing yet, at a moment.
    pub(crate) fn at(at: Duration) -> ChangeEntry {
        ChangeEntry {
            at,
            up: None,
            rate: None,
            delay: None,
            delay_to: None,
            over: None,
            loss: None,
            efficiency: None,
            es_n0: None,
            attenuation: None,
            to: None,
        }
    }

    /// What it says, key by key, and what about the link that changes.
    pub(crate) fn subjects(&self) -> Vec<(&'static str, Aspect)> {
        let all = [
            ("up", self.up.is_some(), Aspect::State),
            ("rate", self.rate.is_some(), Aspect::Rate),
            ("delay", self.delay.is_some() || self.delay_to.is_some() || self.over.is_some(), Aspect::Delay),
            ("loss", self.loss.is_some(), Aspect::Loss),
            ("efficiency", self.efficiency.is_some(), Aspect::Signal),
            ("es_n0", self.es_n0.is_some(), Aspect::Signal),
            ("attenuation", self.attenuation.is_some(), Aspect::Signal),
            ("to", self.to.is_some(), Aspect::FarEnd),
        ];
        all.into_iter().filter_map(|(key, is_there, subject)| is_there.then_some((key, subject))).collect()
    }
}

impl From<HandoffChoice> for Handoff {
    fn from(choice: HandoffChoice) -> Handoff {
        match choice {
            HandoffChoice::Keep => Handoff::Keep,
            HandoffChoice::Lose => Handoff::Lose,
            HandoffChoice::Discard => Handoff::Discard,
        }
    }
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
    /// Which of its keys say what its rate is, or that it changes. A trace does, whatever it tells; a rate that follows
    /// from it is not named as well.
    pub(crate) fn keys_of_rate(&self) -> Vec<String> {
        let follows = self.trace.as_ref().is_some_and(|trace| trace.mean_rate().is_some());
        let keys = [("rate", self.rate.is_some() && !follows), ("trace", self.trace.is_some())];
        let keys = keys.into_iter().filter(|&(_, is_there)| is_there).map(|(key, _)| key.to_owned());
        let changes = self.changes.iter().flatten().enumerate().filter(|(_, change)| change.rate.is_some());
        keys.chain(changes.map(|(index, _)| format!("changes[{index}].rate"))).collect()
    }

    /// The settings completed by those of `base` where nothing is set.
    pub fn over(&self, base: &Settings) -> Settings {
        // What says the one of two things that exclude each other takes the place of the other.
        let rate = if self.symbol_rate.is_some() { None } else { base.rate };
        let symbol_rate = if self.rate.is_some() { None } else { base.symbol_rate };
        let efficiency = if self.es_n0.is_some() { None } else { base.efficiency };
        let es_n0 = if self.efficiency.is_some() { None } else { base.es_n0 };
        Settings {
            rate: self.rate.or(rate),
            symbol_rate: self.symbol_rate.or(symbol_rate),
            acm: self.acm.as_ref().or(base.acm.as_ref()).cloned(),
            efficiency: self.efficiency.or(efficiency),
            es_n0: self.es_n0.or(es_n0),
            rain: self.rain.as_ref().or(base.rain.as_ref()).cloned(),
            delay: self.delay.or(base.delay),
            queue: self.queue.as_ref().or(base.queue.as_ref()).cloned(),
            loss: self.loss.as_ref().or(base.loss.as_ref()).cloned(),
            agent: self.agent.as_ref().or(base.agent.as_ref()).cloned(),
            mode: self.mode.or(base.mode),
            header: self.header.or(base.header),
            changes: self.changes.as_ref().or(base.changes.as_ref()).cloned(),
            trace: self.trace.as_ref().or(base.trace.as_ref()).cloned(),
            handoff_queue: self.handoff_queue.or(base.handoff_queue),
            reroute: self.reroute.or(base.reroute),
        }
    }

    /// What a new link has that says nothing else. Rate and delay must be said.
    pub(crate) fn of_new_link() -> Settings {
        Settings {
            queue: Some(queue::Config::default()),
            loss: Some(loss::Config::default()),
            mode: Some(ModeChoice::Auto),
            ..Settings::default()
        }
    }
}

impl Duplex {
    /// The settings completed by those of `base` where nothing is set, key by key.
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
