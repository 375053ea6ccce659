//! Branches: sources at one router, and behind it branches of several sorts, each with receivers of its own.
//!
//! ```text
//! source-0 ─ access-source-0 ─ router ┬ sat-trunk ─ sat-station ─ sat-feeder ─ sat-satellite ┬ sat-down-0 ─> sat-0
//!                                     │                                                      └ sat-down-1 ─> sat-1
//!                                     │                             sat-0 ── sat-up-0 ──> sat-satellite, ..
//!                                     └ ter-trunk ─ ter-node ┬ ter-down-0 ─> ter-0 ── ter-up-0 ──> ter-node
//!                                                            └ ter-down-1 ─> ter-1 ── ter-up-1 ──> ter-node
//! ```
//!
//! A satellite that processes is a router, `sat-satellite`, with a queue for each downlink. A bent pipe has no queue on
//! board and is no node: downlinks start at the station, and their delay is that of both hops. Where all receivers hear
//! one downlink that is the link `sat-down`, and `sat-down-0`, .. are its legs.
//!
//! | file | subject |
//! |---|---|
//! | `preset.rs` | what branches are like that say nothing else |
//! | `site.rs` | delays that follow from where a place and a satellite are |
//! | `layout.rs` | nodes and links |
//! | `overhead.rs` | satellites and who is on the ground, where their places are known |
//! | `problems.rs` | what neither the schema nor the checks of links can say |

mod layout;
mod overhead;
mod preset;
mod problems;
mod site;
#[cfg(test)]
mod tests;

pub use preset::{Payload, Preset};
pub use site::Site;

use super::overhead::Overhead;
use super::shape::Shape;
use super::sketch::{Hosts, MOST, Size, Sketch, Sort, Surroundings};
use crate::model::link::{Duplex, Settings};
use faircast_proto::limits;
use faircast_proto::limits::from;
use faircast_proto::time::{Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Sources at a router, and branches behind it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Branches", transform = limits::declare::<Config>)]
#[serde(default)]
pub struct Config {
    /// Hosts for sources at the node `router`: source-0, source-1 and so on. Default 1.
    pub sources: u32,
    /// Their links, access-source-0 and so on. Default 10 ms; rate and queue as those of the fastest trunk: 10 Mbit/s,
    /// drop-tail with 50 packets for the presets "geo" and "adsl".
    pub access: Duplex,
    /// The branches by name, of which nodes and links of the branch have theirs; at least one.
    #[schemars(extend("propertyNames" = { "pattern": "^[A-Za-z0-9_-]+$", "maxLength": 100 }))]
    pub branches: BTreeMap<String, Branch>,
}

limits! { Config {
    sources: from(1).to(MOST),
} }

/// A branch: a trunk, and links to and from receivers behind it, over a satellite or wires.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Branch", transform = limits::declare::<Branch>)]
#[serde(default)]
pub struct Branch {
    /// What it is like where it says nothing else. Default "geo".
    pub preset: Preset,
    /// Hosts for receivers: of a branch called sat sat-0, sat-1 and so on. Default 2.
    pub receivers: u32,
    /// What the satellite does with packets. Default "processing" for "geo", "bent-pipe" for "geo-ka",
    /// "geo-broadcast" and "ka-beam".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Payload>,
    /// The longitude above which the satellite stands, degrees east. Needed where places are given by theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub satellite: Option<f64>,
    /// Where the station is, from which the delay of `feeder` follows. Default: that delay is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub station: Option<Site>,
    /// Where the receivers are, from which the delays of `down` and `up` follow. Default: those delays are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal: Option<Site>,
    /// The link from the router to the station or node, sat-trunk. Default 10 Mbit/s, 10 ms, drop-tail with 50 packets;
    /// "geo-ka" and "ka-beam" 1 Gbit/s, "geo-broadcast" 100 Mbit/s, all with 1000 packets.
    pub trunk: Duplex,
    /// The link from the station to the satellite, sat-feeder. Default 10 Mbit/s, 125 ms, drop-tail with 50 packets;
    /// "geo-ka" and "ka-beam" 1 Gbit/s, "geo-broadcast" 100 Mbit/s, all with 1000 packets. Of a bent pipe it has a
    /// delay only.
    #[serde(skip_serializing_if = "Duplex::is_empty")]
    pub feeder: Duplex,
    /// The links to the receivers, sat-down-0 and so on. Default of "geo" 300 kbit/s, 125 ms, of "geo-ka" 30 Mbit/s,
    /// 125 ms, of "adsl" 768 kbit/s, 10 ms, of "geo-broadcast" one of 38 Mbit/s, 125 ms for all; drop-tail with 50
    /// packets, from 30 Mbit/s with 1000. Of "ka-beam" one of 104 Mbaud, 125 ms, 14 dB, drop-tail with 5000.
    #[schemars(with = "Settings")]
    pub down: Duplex,
    /// The links from the receivers, sat-up-0 and so on, one for each. Default of "geo" 8 kbit/s, 125 ms, of "geo-ka"
    /// 3 Mbit/s, 125 ms, of "geo-broadcast" 512 kbit/s, 125 ms, of "adsl" 128 kbit/s, 10 ms; drop-tail with 50 packets,
    /// with 100 of "geo-ka". Of "ka-beam" 125 ms and 100 packets, in slots of the return channel sat-return.
    #[schemars(with = "Settings")]
    pub up: Duplex,
    /// What is different about receivers, which they take by turns: of two, the third receiver has the first again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub each: Vec<Difference>,
}

limits! { Branch {
    receivers: from(1).to(MOST),
    satellite: from(-180.0).to(360.0),
} }

/// What is different about a receiver of a branch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BranchReceiver")]
#[serde(default)]
pub struct Difference {
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal: Option<Site>,
    /// The link to it. Where all hear one downlink: delay and loss.
    #[serde(skip_serializing_if = "Duplex::is_empty")]
    #[schemars(with = "Settings")]
    pub down: Duplex,
    /// The link from it.
    #[serde(skip_serializing_if = "Duplex::is_empty")]
    #[schemars(with = "Settings")]
    pub up: Duplex,
}

impl Default for Config {
    fn default() -> Config {
        Config { sources: 1, access: Duplex::default(), branches: BTreeMap::new() }
    }
}

impl Default for Branch {
    fn default() -> Branch {
        Branch {
            preset: Preset::default(),
            receivers: 2,
            payload: None,
            satellite: None,
            station: None,
            terminal: None,
            trunk: Duplex::default(),
            feeder: Duplex::default(),
            down: Duplex::default(),
            up: Duplex::default(),
            each: Vec::new(),
        }
    }
}

impl Shape for Config {
    fn fill(&mut self) {
        self.branches.values_mut().for_each(Branch::fill);
        let of_trunks = self.branches.values().map(|branch| &branch.trunk.both);
        let fastest = of_trunks.max_by_key(|trunk| trunk.rate);
        let mut access = preset::of_ground(Rate(10_000_000), 50.0);
        if let Some(Settings { rate, queue, .. }) = fastest {
            (access.both.rate, access.both.queue) = (*rate, queue.clone());
        }
        self.access = self.access.over(&access);
    }

    fn size(&self) -> Size {
        let branches = || self.branches.values();
        let receivers: u64 = branches().map(|branch| u64::from(branch.receivers)).sum();
        let on_board = branches().filter(|branch| branch.processes()).count() as u64;
        let carriers = branches().filter(|branch| branch.preset.is_shared()).count() as u64;
        let (sources, count) = (u64::from(self.sources), self.branches.len() as u64);
        Size {
            left: self.sources,
            right: receivers.min(u64::from(u32::MAX)) as u32,
            nodes: 1 + sources + receivers + count + on_board,
            links: sources + 2 * receivers + count + on_board + carriers,
        }
    }

    fn lay(&self, sketch: &mut Sketch, _: &Surroundings) {
        layout::lay(self, sketch);
    }

    fn overhead(&self, _: &Surroundings) -> Option<Overhead> {
        overhead::of(self)
    }

    fn duplexes(&self) -> Vec<(Cow<'static, str>, &Duplex)> {
        let mut all = vec![(Cow::Borrowed("access"), &self.access)];
        for (name, branch) in &self.branches {
            let parts = [("trunk", &branch.trunk), ("feeder", &branch.feeder), ("down", &branch.down)];
            let parts = parts.into_iter().chain([("up", &branch.up)]);
            all.extend(parts.map(|(key, duplex)| (format!("branches.{name}.{key}").into(), duplex)));
            for (index, different) in branch.each.iter().enumerate() {
                let of = |key| Cow::from(format!("branches.{name}.each[{index}].{key}"));
                all.extend([(of("down"), &different.down), (of("up"), &different.up)]);
            }
        }
        all
    }

    fn base<'k>(&self, key: &'k str) -> Cow<'k, str> {
        let keys: Vec<&str> = key.split('.').filter(|key| !key.starts_with("each[")).collect();
        keys.join(".").into()
    }

    fn host(&self, side: &str, index: u32) -> Option<String> {
        if side == "left" {
            return (index < self.sources).then(|| format!("source-{index}"));
        }
        let mut index = index;
        for (name, branch) in &self.branches {
            if index < branch.receivers {
                return Some(format!("{name}-{index}"));
            }
            index -= branch.receivers;
        }
        None
    }

    fn hosts(&self, side: &str) -> Hosts {
        Hosts::For(if side == "left" { "sources" } else { "receivers" })
    }

    fn can_be_laid(&self, duration: Duration) -> bool {
        self.check(duration).is_empty()
    }

    fn check(&self, _: Duration) -> Vec<(String, String)> {
        problems::of(self)
    }

    fn sort(&self, key: &str) -> Sort {
        match key.rsplit('.').next() {
            Some("down" | "up") => Sort::Simplex,
            _ => Sort::Duplex,
        }
    }

    fn nested(written: &Value) -> Vec<Vec<String>> {
        let mut tables = Vec::new();
        for (name, branch) in written["branches"].as_object().into_iter().flatten() {
            let keys = vec!["branches".to_owned(), name.clone()];
            let differences = branch["each"].as_array().map_or(0, Vec::len);
            let each = (0..differences).map(|index| [&keys[..], &[format!("each[{index}]")]].concat());
            let each: Vec<Vec<String>> = each.collect();
            tables.push(keys);
            tables.extend(each);
        }
        tables
    }
}

impl Branch {
    /// Completes its settings. A delay that follows from where a place is stays open.
    fn fill(&mut self) {
        let preset = self.preset;
        self.payload = self.payload.or(preset.payload());
        let without_delay = |mut duplex: Duplex, place: &Option<Site>| {
            duplex.both.delay = duplex.both.delay.filter(|_| place.is_none());
            duplex
        };
        let feeder = preset.feeder(self.payload).map(|feeder| without_delay(feeder, &self.station));
        self.trunk = self.trunk.over(&preset.trunk());
        self.feeder = self.feeder.over(&feeder.unwrap_or_default());
        self.down = self.down.over(&without_delay(preset.down(), &self.terminal));
        self.up = self.up.over(&without_delay(preset.up(), &self.terminal));
    }

    /// Whether its satellite is a router.
    fn processes(&self) -> bool {
        self.payload.or(self.preset.payload()) == Some(Payload::Processing)
    }
}
