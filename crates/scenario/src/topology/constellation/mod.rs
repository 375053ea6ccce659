//! Constellation: satellites that move over ground stations, and the links among them.
//!
//! ```text
//!    berkeley ── berkeley-up ──> sat-3-1 ── isl-3-1-4-1 ── sat-4-1 ── sat-4-1-down ─┬─ sat-4-1-down-boston ──> boston
//!                     :             │                         │                     └─ sat-4-1-down-ottawa ──> ottawa
//!                     └ later ─> sat-3-11 ── isl-3-11-4-11 ── sat-4-11 ..
//! ```
//!
//! A station has a transmitter of its own, whose link turns from satellite to satellite. A satellite has one downlink,
//! with a leg to each station that ever hangs on it. All that moves is compiled into changes of links before the run.
//!
//! | file | subject |
//! |---|---|
//! | `shell.rs` | what it is made from, and what is known by that |
//! | `satellites.rs` | which satellites there are, and which links between them |
//! | `layout.rs` | nodes and links, and what changes about them when |

mod layout;
mod satellites;
mod shell;

pub use shell::ShellChoice;

use super::overhead::{GroundPlace, Overhead};
use super::shape::Shape;
use super::sketch::{Hosts, Size, Sketch, Sort, Surroundings};
use crate::model::elements::ElementsEntry;
use crate::model::link::{Duplex, HandoffChoice, Settings};
use crate::model::station::StationEntry;
use crate::problem::list;
use faircast_orbit::handoff::HandoffRule;
use faircast_proto::limits;
use faircast_proto::limits::{from, to};
use faircast_proto::quantity::Bytes;
use faircast_proto::time::{Duration, Rate};
use faircast_sim::{loss, queue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Satellites that move over the stations of the scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Constellation", transform = limits::declare::<Config>)]
#[serde(default)]
pub struct Config {
    /// What it is made from. Default "iridium".
    pub shell: ShellChoice,
    /// How long the satellites of a shell have gone round when the run starts. Default 0 s: slot 1 of plane 1 crosses
    /// the equator at the meridian of Greenwich.
    pub start: Duration,
    /// Above the ground, km. Default: that of the preset; Walker's patterns need it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub altitude: Option<f64>,
    /// Degrees, more than 90 for orbits against the turning of the Earth. Default as altitude.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inclination: Option<f64>,
    /// How many planes there are; of element sets into how many the satellites are sorted. Default as altitude.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planes: Option<u32>,
    /// How many satellites each plane has. Default as altitude.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots: Option<u32>,
    /// From one plane's ascending node to the next one's, degrees. Default: that of the preset; 180 divided by the
    /// number of planes for a star, 360 for a delta.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
    /// Walker's F: by how many parts of the circle divided by the number of satellites each plane is ahead of the one
    /// before. Default 0; in presets as the chapter on constellations says, mostly every other plane half a slot ahead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phasing: Option<u32>,
    /// Real satellites: a file of their element sets, OMM in JSON or two-line elements, or a list of them;
    /// "iridium-next" is a sample that comes with the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Elements>")]
    pub elements: Option<Vec<ElementsEntry>>,
    /// When the run of real satellites starts, UTC: "2026-06-14T00:00:00". Default: the latest epoch of the elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The least elevation of a satellite that stations take, degrees. Default 8.2; 40 for "teledesic", 25 for
    /// "starlink", 55 for "oneweb", 35 for "kuiper", 10 for "telesat".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mask: Option<f64>,
    /// How stations choose their satellites. Default "follow-plane".
    pub handoff: HandoffRuleChoice,
    /// A station looks this often, at least "1 ms". Default "10 s".
    pub handoff_check: Duration,
    /// Each time between two looks is drawn anew, uniformly, up to this much less or more. Default "0 s".
    pub handoff_jitter: Duration,
    /// How long a station has no link after each hand-off. Default "0 s".
    pub handoff_outage: Duration,
    /// What becomes of packets that wait at a link that turns or goes down, for all links that say nothing else. Only
    /// those that are kept take another way if there is one. Default "keep".
    pub handoff_queue: HandoffChoice,
    /// How many satellites ahead in its plane, and as many behind, a satellite has links to. Default 1; 2 for
    /// "teledesic".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isl_in_plane: Option<u32>,
    /// In how many planes on either side. Default 1; 2 for "teledesic".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isl_between_planes: Option<u32>,
    /// Whether there are links across the seam, where planes go against each other. Default false; true for
    /// "teledesic".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cross_seam: Option<bool>,
    /// Latitude above which a satellite's links to other planes are down, degrees. Default 60 for "iridium" and
    /// "teledesic", 70 for "oneweb", "telesat", "star" and "elements", 90 for "starlink", "kuiper" and "delta".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isl_latitude: Option<f64>,
    /// Difference of longitudes below which links across the seam are down, degrees. Default 10; 8 for "teledesic".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isl_longitude: Option<f64>,
    /// Latitude, longitude and sight are looked at this often, at least "1 ms". Default "10 s".
    pub isl_check: Duration,
    /// Routes are computed anew this often, in the delays of that moment, beside when a link comes, goes or turns; at
    /// least "1 ms". Default "5 s", with which no way is more than 1 ms longer than the shortest one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reroute_interval: Option<Duration>,
    /// The links between satellites, `isl-1-1-1-2` from sat-1-1 to sat-1-2 and so on. Default 25 Mbit/s, drop-tail with
    /// 50 packets, 16 B of header.
    pub isl: Duplex,
    /// The transmitter of each station, `NAME-up`. Default 1.5 Mbit/s, drop-tail with 50 packets, 16 B of header.
    #[schemars(with = "Settings")]
    pub uplink: Duplex,
    /// The transmitter of each satellite to its stations, `sat-1-1-down` and so on; its losses are those of the legs,
    /// `sat-1-1-down-NAME`. Default 1.5 Mbit/s, drop-tail with 50 packets, 16 B of header.
    #[schemars(with = "Settings")]
    pub downlink: Duplex,
}

limits! { Config {
    altitude: from(160.0).to(100_000.0),
    inclination, isl_longitude: from(0.0).to(180.0),
    planes, slots: from(1).to(1000),
    spacing: from(0.0).to(360.0),
    mask: from(0.0).to(89.0),
    isl_in_plane, isl_between_planes: to(8),
    isl_latitude: from(0.0).to(90.0),
} }

/// Element sets as a scenario says them. The content of a file takes its place when the scenario is read.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
#[expect(dead_code, reason = "it is there for the schema")]
enum Elements {
    /// A file of element sets, OMM in JSON or two-line elements; its path is relative to the scenario's.
    /// "iridium-next" is the sample.
    #[schemars(extend("x-file" = true))]
    File(String),
    /// Set by set.
    List(Vec<ElementsEntry>),
}

/// How a station chooses its satellite, of those above the mask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "HandoffRule")]
pub enum HandoffRuleChoice {
    /// ns-2's: it keeps its satellite as long as that is above the mask, and takes the one that follows in the same
    /// plane, or else the highest.
    #[default]
    FollowPlane,
    /// At every look the nearest one.
    Nearest,
    /// It keeps its satellite as long as that is above the mask, and takes the one that will be so longest.
    LongestLived,
}

/// The most straight pieces of delays of a run: a choice, some 5 GB.
const MOST_PIECES: u64 = 20_000_000;
/// A piece lasts about as long, s: of Iridium's links between satellites 84 s, of 1584 at 550 km 128 s.
const PIECE: u64 = 80;
/// The most satellites.
const MOST: u64 = 100_000;
/// The most satellites to look at, one by one, for the links between all or for one station: a choice, a minute.
const MOST_LOOKS: u64 = 300_000_000;
/// How often routes are computed anew: a choice. Over a day of Iridium and six pairs of cities ways are at most 0.3 ms
/// longer than the shortest then, over a quarter of a day of Teledesic 0.4 ms; with 10 s it is 0.7 and 0.9 ms, and 7
/// and 3 ms if routes follow nothing but links that come and go.
const REROUTE_INTERVAL: Duration = Duration::from_secs(5);
/// Looks more often than this are nobody's.
const OFTENEST: Duration = Duration::from_millis(1);

impl Default for Config {
    fn default() -> Config {
        Config {
            shell: ShellChoice::default(),
            start: Duration::ZERO,
            altitude: None,
            inclination: None,
            planes: None,
            slots: None,
            spacing: None,
            phasing: None,
            elements: None,
            date: None,
            mask: None,
            handoff: HandoffRuleChoice::default(),
            handoff_check: Duration::from_secs(10),
            handoff_jitter: Duration::ZERO,
            handoff_outage: Duration::ZERO,
            handoff_queue: HandoffChoice::default(),
            isl_in_plane: None,
            isl_between_planes: None,
            cross_seam: None,
            isl_latitude: None,
            isl_longitude: None,
            isl_check: Duration::from_secs(10),
            reroute_interval: None,
            isl: Duplex::default(),
            uplink: Duplex::default(),
            downlink: Duplex::default(),
        }
    }
}

impl From<HandoffRuleChoice> for HandoffRule {
    fn from(choice: HandoffRuleChoice) -> HandoffRule {
        match choice {
            HandoffRuleChoice::FollowPlane => HandoffRule::FollowPlane,
            HandoffRuleChoice::Nearest => HandoffRule::Nearest,
            HandoffRuleChoice::LongestLived => HandoffRule::LongestLived,
        }
    }
}

impl Config {
    /// The least elevation of a satellite that stations take which say nothing else, degrees.
    fn least_elevation(&self) -> f64 {
        self.mask.unwrap_or(self.shell.mask())
    }

    /// What keeps satellites from being there for a run of this length: key and message.
    fn unmade(&self, duration: Duration) -> Option<(&'static str, String)> {
        let constellation = match self.constellation() {
            Ok(constellation) => constellation,
            Err(problem) => return Some(problem),
        };
        let lost = constellation.lost_until(duration.as_secs_f64());
        let names: Vec<&str> = lost.iter().map(|&satellite| &constellation.satellites[satellite].name[..]).collect();
        (!names.is_empty()).then(|| {
            let message = format!("{} would come down before the end of the run: leave out what falls", list(&names));
            ("elements", message)
        })
    }
}

impl Shape for Config {
    fn fill(&mut self) {
        self.fill_shell();
        self.isl = self.isl.over(&of_space(Rate(25_000_000)));
        self.uplink = self.uplink.over(&of_space(Rate(1_500_000)));
        self.downlink = self.downlink.over(&of_space(Rate(1_500_000)));
    }

    fn size(&self) -> Size {
        let satellites = self.satellites();
        let rules = self.isl_rules();
        let links = satellites * (rules.in_plane + rules.between_planes + 1) as u64;
        Size { left: 0, right: 0, nodes: satellites, links }
    }

    fn lay(&self, sketch: &mut Sketch, around: &Surroundings) {
        // What keeps satellites from being there has been reported.
        if let Ok(constellation) = self.constellation() {
            layout::lay(self, &constellation, sketch, around);
        }
    }

    fn overhead(&self, around: &Surroundings) -> Option<Overhead> {
        let constellation = self.constellation().ok()?;
        let nodes = layout::names(&constellation).into_iter().map(|(node, _)| node);
        let orbits = constellation.satellites.into_iter().map(|satellite| satellite.orbit);
        let station = |(name, entry): (&String, &StationEntry)| GroundPlace {
            name: name.clone(),
            latitude: entry.latitude,
            longitude: entry.longitude,
        };
        let stations = around.stations.iter().map(station).collect();
        Some(Overhead { earth: constellation.earth, satellites: nodes.zip(orbits).collect(), stations })
    }

    fn duplexes(&self) -> Vec<(Cow<'static, str>, &Duplex)> {
        vec![("isl".into(), &self.isl), ("uplink".into(), &self.uplink), ("downlink".into(), &self.downlink)]
    }

    fn hosts(&self, _side: &str) -> Hosts {
        Hosts::None
    }

    fn sort(&self, key: &str) -> Sort {
        if key == "isl" { Sort::Duplex } else { Sort::Simplex }
    }

    fn moves(&self) -> bool {
        true
    }

    fn mask(&self) -> Option<f64> {
        Some(self.least_elevation())
    }

    fn reroute_interval(&self) -> Option<Duration> {
        Some(self.reroute_interval.unwrap_or(REROUTE_INTERVAL))
    }

    fn said_reroute_interval(&self) -> Option<Duration> {
        self.reroute_interval
    }

    fn can_be_laid(&self, duration: Duration) -> bool {
        self.check(duration).is_empty()
    }

    fn check(&self, duration: Duration) -> Vec<(String, String)> {
        let mut found: Vec<(String, String)> = Vec::new();
        let mut add = |key: &str, message: String| found.push((key.to_owned(), message));
        for (key, every) in [("handoff_check", self.handoff_check), ("isl_check", self.isl_check)] {
            if every < OFTENEST {
                add(key, format!("{every} given; legal is at least 1 ms"));
                continue;
            }
            let (satellites, looks) = (self.satellites(), duration.0 / every.0);
            let looks = if key == "isl_check" && !self.isl_rules().are_any() { 0 } else { looks };
            if satellites <= MOST && looks.saturating_mul(satellites) > MOST_LOOKS {
                let message = format!(
                    "{every} given, for which {satellites} satellites are looked at {looks} times in {duration}; legal \
                     is to look at {MOST_LOOKS} in all"
                );
                add(key, message);
            }
        }
        if let Some(every) = self.reroute_interval.filter(|&every| every < OFTENEST) {
            add("reroute_interval", format!("{every} given; legal is at least 1 ms"));
        }
        if self.handoff_jitter > Duration::ZERO && self.handoff_jitter >= self.handoff_check {
            let check = self.handoff_check;
            add("handoff_jitter", format!("{} given; legal is less than handoff_check, {check}", self.handoff_jitter));
        }
        let of_elements = [("elements", self.elements.is_some()), ("date", self.date.is_some())];
        let of_shells = [
            ("start", self.start != Duration::ZERO),
            ("altitude", self.altitude.is_some()),
            ("inclination", self.inclination.is_some()),
            ("slots", self.slots.is_some()),
            ("spacing", self.spacing.is_some()),
            ("phasing", self.phasing.is_some()),
        ];
        let real = self.shell == ShellChoice::Elements;
        let others = if real { &of_shells[..] } else { &of_elements[..] };
        for (key, _) in others.iter().filter(|(_, is_there)| *is_there) {
            let message = match real {
                true => "element sets say where satellites are: leave it out",
                false => "belongs to shell = \"elements\": leave it out, or say so",
            };
            add(key, message.to_owned());
        }
        let satellites = self.satellites();
        let links = self.size().links.saturating_sub(satellites);
        let pieces = links.saturating_mul(duration.0 / 1_000_000_000 / PIECE);
        if satellites > MOST {
            add("planes", format!("{satellites} satellites in all; legal are at most {MOST}"));
        } else if pieces > MOST_PIECES {
            let message = format!(
                "{links} links between satellites for {duration} take about {pieces} straight pieces of delay; legal \
                 are {MOST_PIECES}: shorten the run"
            );
            found.push((String::new(), message));
        } else {
            found.extend(self.unmade(duration).map(|(key, message)| (key.to_owned(), message)));
        }
        found
    }
}

/// What links to and between satellites are like unless something else is said, as in ns-2's example.
fn of_space(rate: Rate) -> Duplex {
    let (queue, loss) = (Some(queue::Config::default()), Some(loss::Config::default()));
    Duplex { both: Settings { rate: Some(rate), queue, loss, header: Some(HEADER), ..Settings::default() }, back: None }
}

/// What ns-2's link layer of satellites adds to each packet.
const HEADER: Bytes = Bytes(16);
