//! MECN, multilevel explicit congestion notification: RED that marks two levels of congestion [Durresi, IV].
//!
//! ```text
//! average   0 ........ min_th ........ mid_th ........ max_th ........
//!             nothing  |  incipient    |  moderate     |  drop
//!                      |  p1 = 0→P1max |  p2 = 0→P2max |
//! ```
//!
//! The estimator and its guards are RED's (not gentle). The paper does not say what becomes of the first ramp above
//! `mid_th`; the profiles are the three readings:
//!
//! * `mecn-literal`: it ends there, so that just above `mid_th` nothing is marked at all;
//! * `mecn-overlap`: a packet not marked moderate is still marked incipient with P1max;
//! * `mecn-longramp`: it runs from `min_th` to `max_th`.
//!
//! Choices where the paper is silent: each level spaces its marks with a count of its own; moderate is tested first,
//! and if it fires incipient is not; a packet that is not ECN-capable is dropped with the larger of the two
//! probabilities.

use super::auto::Auto;
use super::average::Average;
use super::discipline::{Discipline, DropReason, InterfaceView, LinkContext, Verdict};
use super::red::packet_sizes;
use super::room::{Room, check_limit};
use super::spacing::spaced;
use faircast_proto::limits;
use faircast_proto::limits::{Limited, above, from};
use faircast_proto::packet::{Ecn, Packet};
use faircast_proto::quantity::{Bytes, Packets, QueueSize};
use faircast_proto::random::Random;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An MECN queue.
#[derive(Clone, Debug)]
pub struct Mecn {
    random: Random,
    rules: Rules,
}

/// Everything but the random numbers.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) average: Average,
    curves: Curves,
    incipient: Level,
    moderate: Level,
    wait: bool,
    room: Room,
}

/// Parameters of an MECN queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Mecn", transform = limits::declare::<Config>)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The most that may wait, in packets or in bytes, without the packet in transmission. Default "50 packets" (ns-2).
    pub limit: QueueSize,
    /// Average queue from which packets are marked incipient. Default "5 packets" (ns-2's RED).
    pub min_th: Packets,
    /// Average queue from which packets are marked moderate. Default "auto": `2 min_th` [Durresi].
    pub mid_th: Auto<Packets>,
    /// Average queue from which every packet is dropped. Default "auto": `2 mid_th` [Durresi].
    pub max_th: Auto<Packets>,
    /// Nominal probability of an incipient mark at the end of its ramp, 0 to 1. Default 0.1 (ns-2's RED; the paper
    /// gives none).
    pub p1_max: f64,
    /// Nominal probability of a moderate mark when the average reaches `max_th`, 0 to 1. Default 0.1, as `p1_max`.
    pub p2_max: f64,
    /// How the levels share the thresholds. Default "mecn-overlap".
    pub profile: Profile,
    /// Weight of an arrival in the average, above 0 and up to 1. Default 0.002 [FloydJacobson93]. "auto" as
    /// for RED.
    pub w_q: Auto<f64>,
    /// Leaves at least 1/p packets between two marks of a level. Default true (ns-2).
    pub wait: bool,
    /// Mean packet size, for the decay while idle. Default: the size of the flows' data packets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_pktsize: Option<Bytes>,
}

/// How the two levels share the thresholds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MecnProfile")]
pub enum Profile {
    /// The paper's words: incipient marks end at `mid_th`.
    #[serde(rename = "mecn-literal")]
    Literal,
    /// Above `mid_th` a packet not marked moderate is still marked incipient with `p1_max`.
    #[default]
    #[serde(rename = "mecn-overlap")]
    Overlap,
    /// The incipient ramp runs from `min_th` to `max_th`.
    #[serde(rename = "mecn-longramp")]
    LongRamp,
}

impl Mecn {
    /// An MECN queue as `config` says, for the link of `link`.
    pub fn new(config: &Config, link: LinkContext) -> Mecn {
        Mecn { rules: Rules::new(config, &link), random: link.random }
    }
}

impl Discipline for Mecn {
    #[inline]
    fn arrive(&mut self, packet: &Packet, at: &InterfaceView) -> Verdict {
        self.rules.decide(packet, at, || self.random.uniform())
    }

    fn average_pkts(&self) -> Option<f64> {
        Some(self.rules.average.value())
    }
}

impl Rules {
    pub(super) fn new(config: &Config, link: &LinkContext) -> Rules {
        let mean_packet = config.mean_pktsize.map_or(u64::from(link.mean_packet_bytes), |size| size.0);
        Rules {
            average: Average::new(config.w_q, mean_packet, link),
            curves: Curves::new(config),
            incipient: Level::default(),
            moderate: Level::default(),
            wait: config.wait,
            room: Room::waiting(config.limit),
        }
    }

    #[inline]
    pub(super) fn decide(&mut self, packet: &Packet, at: &InterfaceView, draw: impl FnMut() -> f64) -> Verdict {
        let average = self.average.at_arrival(f64::from(at.waiting_pkts), at);
        let crowded = at.waiting_pkts > 1;
        let mut verdict = Verdict::Accept;
        if crowded && average >= self.curves.max_th {
            self.clear_counts();
            verdict = Verdict::Drop(DropReason::Active);
        } else {
            let incipient = self.incipient.at_arrival(crowded && average >= self.curves.min_th);
            let moderate = self.moderate.at_arrival(crowded && average >= self.curves.mid_th);
            // Who is above mid_th is above min_th.
            if incipient || moderate {
                verdict = self.random_action(packet.ecn, average, moderate, draw);
            }
        }
        if !self.room.admits(packet.size, at) {
            self.clear_counts();
            verdict = Verdict::Drop(DropReason::Overflow);
        }
        verdict
    }

    /// Marks or drops at random, between `min_th` and `max_th`; `moderate`: that level is open, too.
    fn random_action(&mut self, ecn: Ecn, average: f64, moderate: bool, mut draw: impl FnMut() -> f64) -> Verdict {
        let p1 = self.curves.incipient(average);
        let p2 = if moderate { self.curves.moderate(average) } else { 0.0 };
        let wait = self.wait;
        if ecn == Ecn::NotCapable {
            let fires = if moderate && p2 >= p1 {
                self.moderate.fires(p2, wait, draw)
            } else {
                self.incipient.fires(p1, wait, draw)
            };
            return if fires { Verdict::Drop(DropReason::Active) } else { Verdict::Accept };
        }
        let mark = if moderate && self.moderate.fires(p2, wait, &mut draw) {
            Ecn::Moderate
        } else if self.incipient.fires(p1, wait, draw) {
            Ecn::Incipient
        } else {
            return Verdict::Accept;
        };
        // A mark set upstream is never lowered, and one that is as high already stays what it is.
        if mark > ecn { Verdict::Mark(mark) } else { Verdict::Accept }
    }

    fn clear_counts(&mut self) {
        self.incipient.count = 0.0;
        self.moderate.count = 0.0;
    }
}

/// One level of marking and the spacing of its marks.
#[derive(Clone, Debug, Default)]
struct Level {
    /// Its region applied to the last arrival.
    inside: bool,
    /// Arrivals since its last mark, or since its region was entered.
    count: f64,
}

impl Level {
    /// Counts an arrival; whether it may be marked. The first in the region never is.
    #[inline]
    fn at_arrival(&mut self, applies: bool) -> bool {
        let entered = applies && !self.inside;
        self.inside = applies;
        self.count = if entered { 1.0 } else { self.count + 1.0 };
        applies && !entered
    }

    #[inline]
    fn fires(&mut self, nominal: f64, wait: bool, mut draw: impl FnMut() -> f64) -> bool {
        let p = spaced(nominal, self.count, wait);
        let fires = p > 0.0 && draw() < p;
        if fires {
            self.count = 0.0;
        }
        fires
    }
}

/// Nominal probabilities over the average, below `max_th`.
#[derive(Clone, Debug)]
struct Curves {
    min_th: f64,
    mid_th: f64,
    max_th: f64,
    p1_max: f64,
    p1_slope: f64,
    p2_slope: f64,
    /// Incipient marks end at `mid_th`.
    literal: bool,
}

impl Curves {
    fn new(config: &Config) -> Curves {
        let (min_th, mid_th, max_th) = config.thresholds();
        let p1_end = if config.profile == Profile::LongRamp { max_th } else { mid_th };
        Curves {
            min_th,
            mid_th,
            max_th,
            p1_max: config.p1_max,
            p1_slope: config.p1_max / (p1_end - min_th),
            p2_slope: config.p2_max / (max_th - mid_th),
            literal: config.profile == Profile::Literal,
        }
    }

    #[inline]
    fn incipient(&self, average: f64) -> f64 {
        if self.literal && average >= self.mid_th {
            return 0.0;
        }
        (self.p1_slope * (average - self.min_th)).clamp(0.0, self.p1_max)
    }

    #[inline]
    fn moderate(&self, average: f64) -> f64 {
        (self.p2_slope * (average - self.mid_th)).max(0.0)
    }
}

impl Config {
    /// Every field with an illegal value, and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        let mut wrong: Vec<_> = check_limit(self.limit).into_iter().collect();
        wrong.extend(self.beyond_limits());
        let (min, mid, max) = self.thresholds();
        if min <= 0.0 && (self.mid_th == Auto::Auto) {
            wrong.push(("min_th".into(), "0 packets given; with mid_th \"auto\" it must be above 0".into()));
        } else if mid <= min {
            wrong.push(("mid_th".into(), format!("{mid} packets given; it must be above min_th = {min} packets")));
        }
        if max <= mid && self.max_th != Auto::Auto {
            wrong.push(("max_th".into(), format!("{max} packets given; it must be above mid_th = {mid} packets")));
        }
        wrong
    }

    /// `min_th`, `mid_th` and `max_th` in packets.
    fn thresholds(&self) -> (f64, f64, f64) {
        let min_th = self.min_th.0;
        let mid_th = self.mid_th.unwrap_or_else(|| Packets(2.0 * min_th)).0;
        let max_th = self.max_th.unwrap_or_else(|| Packets(2.0 * mid_th)).0;
        (min_th, mid_th, max_th)
    }

    #[cfg(test)]
    pub(super) fn samples() -> Vec<Config> {
        let with = |profile| Config { profile, w_q: Auto::Set(0.05), ..Config::default() };
        vec![
            Config::default(),
            with(Profile::Literal),
            Config { limit: QueueSize::Packets(12.0), ..with(Profile::Overlap) },
            Config { limit: QueueSize::Bytes(15_000), wait: false, ..with(Profile::LongRamp) },
            Config { mid_th: Auto::Set(Packets(7.5)), max_th: Auto::Set(Packets(9.0)), ..with(Profile::Overlap) },
        ]
    }
}

limits! { Config {
    p1_max, p2_max: from(0.0).to(1.0),
    w_q: above(0.0).to(1.0),
    mean_pktsize: packet_sizes(),
} }

impl Default for Config {
    fn default() -> Config {
        Config {
            limit: QueueSize::Packets(50.0),
            min_th: Packets(5.0),
            mid_th: Auto::Auto,
            max_th: Auto::Auto,
            p1_max: 0.1,
            p2_max: 0.1,
            profile: Profile::default(),
            w_q: Auto::Set(0.002),
            wait: true,
            mean_pktsize: None,
        }
    }
}

#[cfg(test)]
#[path = "mecn_tests.rs"]
mod tests;
