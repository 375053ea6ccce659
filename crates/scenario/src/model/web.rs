//! What a scenario says of web traffic: finite transfers that arrive at random.

use faircast_proto::limits;
use faircast_proto::limits::{Limited, above, from, from_field, within};
use faircast_proto::quantity::Bytes;
use faircast_proto::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When transfers arrive and how large they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<WebTraffic>)]
#[serde(default)]
pub struct WebTraffic {
    /// Mean time between two arrivals of a Poisson process. One of `interval`, `load`, `arrivals` and `visits` says
    /// when transfers arrive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Duration>,
    /// Arrivals are a Poisson process that offers this part of the rate of `link`, headers included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<f64>,
    /// The direction of a link of which `load` is a part. Default: the slowest on the way of the first pair of nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Transfers arrive at these moments, counted from `start`: a list, or the name of a CSV file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Arrivals>")]
    pub arrivals: Option<Vec<ArrivalEntry>>,
    /// Users who fetch page after page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visits: Option<VisitsEntry>,
    /// How large a transfer is, in bytes of payload. Needed, unless `arrivals` says it of each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<SizeEntry>,
    /// Transfers that a connection carries, one after the other. Default 1.
    pub objects_per_connection: u32,
    /// Round trips between TCP's handshake and data, a segment each: 1 with TLS 1.3, 2 with TLS 1.2. Default 0.
    pub tls_round_trips: u32,
    /// Limits of the classes of size in the summary: in class 1 are transfers of at most the first of these, and so on;
    /// in the last one those larger than all. Default "10 KB", "100 KB", "1 MB".
    pub classes: Vec<Bytes>,
    /// Connections open at one time, at most; further ones wait in order. Default 10000.
    pub at_once: u32,
}

/// A transfer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Arrival", transform = limits::declare::<ArrivalEntry>)]
pub struct ArrivalEntry {
    /// When it arrives, from the start of the traffic.
    pub at: Duration,
    /// How large it is, bytes of payload. Default: as `size` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Bytes>,
    /// Between the nodes of which pair, counted from 0. Default: drawn, each as likely as the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<u32>,
}

/// Arrivals as a scenario says them. The content of a file takes its place when the scenario is read.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
#[expect(dead_code, reason = "it is there for the schema")]
enum Arrivals {
    /// A CSV file with the columns time, size, pair; its path is relative to the scenario's.
    #[schemars(extend("x-file" = true))]
    File(String),
    /// Arrival by arrival.
    List(Vec<ArrivalEntry>),
}

/// Users, each of whom fetches a page, waits until all of it is there, thinks, and fetches the next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Visits", transform = limits::declare::<VisitsEntry>)]
#[serde(default)]
pub struct VisitsEntry {
    /// How many; user i is on pair i of the nodes, and they go round. Default 1.
    pub users: u32,
    /// Mean time from the end of a page to the next, exponential; each user thinks before the first page, too. Default
    /// "5 s".
    pub think: Duration,
    /// Transfers of a page, over connections that are opened at once. Default 1.
    pub objects: u32,
}

/// How sizes are distributed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Size")]
#[serde(tag = "kind")]
pub enum SizeEntry {
    /// All are equal.
    #[serde(rename = "constant")]
    Constant(ConstantSize),
    /// Sizes with an exponential distribution.
    #[serde(rename = "exponential")]
    Exponential(ExponentialSize),
    /// Pareto, with an upper bound or without.
    #[serde(rename = "pareto")]
    Pareto(ParetoSize),
    /// Sizes with a lognormal distribution.
    #[serde(rename = "lognormal")]
    Lognormal(LognormalSize),
    /// Drawn from a list, each entry as likely as the others.
    #[serde(rename = "listed")]
    Listed(ListedSize),
}

/// All are equal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<ConstantSize>)]
#[serde(default)]
pub struct ConstantSize {
    /// Size of each. Default "100 KB".
    pub bytes: Bytes,
}

/// Sizes with an exponential distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<ExponentialSize>)]
#[serde(default)]
pub struct ExponentialSize {
    /// Default "100 KB".
    pub mean: Bytes,
}

/// P(X > x) = (least / x)^shape, with `most` cut off and the rest scaled to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<ParetoSize>)]
#[serde(default)]
pub struct ParetoSize {
    /// The smallest. Default "10 KB".
    pub least: Bytes,
    /// Default 1.2. Up to 1 there is no finite mean without `most`.
    pub shape: f64,
    /// The largest. Default: there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<Bytes>,
}

/// The logarithm of the size is normal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<LognormalSize>)]
#[serde(default)]
pub struct LognormalSize {
    /// Default "10 KB".
    pub median: Bytes,
    /// Standard deviation of the natural logarithm. Default 1.5.
    pub sigma: f64,
}

/// Drawn from a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ListedSize {
    /// What is drawn from: a list, or the name of a CSV file.
    #[schemars(with = "Sizes")]
    pub sizes: Vec<Bytes>,
}

/// Sizes as a scenario says them.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
#[expect(dead_code, reason = "it is there for the schema")]
enum Sizes {
    /// A CSV file with the column size; its path is relative to the scenario's.
    #[schemars(extend("x-file" = true))]
    File(String),
    /// Size by size.
    List(Vec<Bytes>),
}

limits! { WebTraffic {
    interval: above(Duration::ZERO),
    load: above(0.0).to(100.0),
    objects_per_connection: from(1).to(1000),
    tls_round_trips: faircast_proto::limits::to(10),
    at_once: from(1).to(1_000_000),
} }

limits! { ArrivalEntry { size: above(Bytes(0)) } }
limits! { VisitsEntry { users: from(1).to(1_000_000), objects: from(1).to(1000) } }
limits! { ConstantSize { bytes: above(Bytes(0)) } }
limits! { ExponentialSize { mean: above(Bytes(0)) } }
limits! { LognormalSize { median: above(Bytes(0)), sigma: from(0.0).to(10.0) } }
limits! { ParetoSize {
    least: above(Bytes(0)),
    shape: above(0.0).to(100.0),
    most: from_field("least", |size: &ParetoSize| size.least),
} }

impl WebTraffic {
    /// Every field with an illegal value: its path below the entry, and what was given and what is legal.
    pub(crate) fn check(&self) -> Vec<(String, String)> {
        let mut wrong = self.beyond_limits();
        let size = match &self.size {
            None => Vec::new(),
            Some(SizeEntry::Constant(size)) => size.beyond_limits(),
            Some(SizeEntry::Exponential(size)) => size.beyond_limits(),
            Some(SizeEntry::Pareto(size)) => size.beyond_limits(),
            Some(SizeEntry::Lognormal(size)) => size.beyond_limits(),
            Some(SizeEntry::Listed(size)) => {
                let zero = size.sizes.iter().position(|&size| size == Bytes(0));
                let zero = zero.map(|at| (format!("sizes[{at}]"), "0 B given; legal is above 0 B".to_owned()));
                let none = || ("sizes".to_owned(), "the list is empty; legal is a size or more".to_owned());
                zero.into_iter().chain(size.sizes.is_empty().then(none)).collect()
            }
        };
        wrong.extend(within("size", size));
        wrong.extend(self.visits.iter().flat_map(|visits| within("visits", visits.beyond_limits())));
        if let Some(at) = (1..self.classes.len()).find(|&at| self.classes[at] <= self.classes[at - 1]) {
            let [before, given] = [self.classes[at - 1], self.classes[at]].map(|size| size.0);
            wrong.push((format!("classes[{at}]"), format!("{given} B given; legal is above {before} B before it")));
        }
        wrong
    }
}

impl Default for WebTraffic {
    fn default() -> WebTraffic {
        WebTraffic {
            interval: None,
            load: None,
            link: None,
            arrivals: None,
            visits: None,
            size: None,
            objects_per_connection: 1,
            tls_round_trips: 0,
            classes: vec![Bytes(10_000), Bytes(100_000), Bytes(1_000_000)],
            at_once: 10_000,
        }
    }
}

impl Default for VisitsEntry {
    fn default() -> VisitsEntry {
        VisitsEntry { users: 1, think: Duration::from_secs(5), objects: 1 }
    }
}

impl Default for ConstantSize {
    fn default() -> ConstantSize {
        ConstantSize { bytes: Bytes(100_000) }
    }
}

impl Default for ExponentialSize {
    fn default() -> ExponentialSize {
        ExponentialSize { mean: Bytes(100_000) }
    }
}

impl Default for ParetoSize {
    fn default() -> ParetoSize {
        ParetoSize { least: Bytes(10_000), shape: 1.2, most: None }
    }
}

impl Default for LognormalSize {
    fn default() -> LognormalSize {
        LognormalSize { median: Bytes(10_000), sigma: 1.5 }
    }
}
