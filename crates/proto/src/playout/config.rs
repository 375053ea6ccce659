//! The parameters of a player.

use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::limits;
use crate::limits::{Limited, above, from};
use crate::time::{Duration, Rate};

/// What the receivers of a session play, and how: media in segments of one length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Playout", transform = limits::declare::<Config>)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Whether what comes too late is skipped or waited for.
    pub kind: Kind,
    /// Rate of the media, bytes of its packets on the wire without what `fec` adds; of adaptive media a list that
    /// rises, of which each segment has the highest that the source's rate allows. Needed, but of schemes that send at
    /// rates of their own, in layers or constant: those are played as they are, and it must be left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_rate: Option<MediaRate>,
    /// Length of a segment. Default "2 s".
    #[serde(default = "segment")]
    pub segment: Duration,
    /// How much of the media must be there, in whole segments one after the other, before the picture appears. Default:
    /// two segments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Duration>,
    /// Of a file: how much must be there, in whole segments, before the picture goes on after a stall. Default: as
    /// `start`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Duration>,
    /// Of live media of a rate: how long a packet may wait at the source until the whole segment is given up. Default:
    /// as `start`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Duration>,
    /// Of media of a rate: how long they are, rounded up to whole segments. Default: without end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Duration>,
    /// What forward error correction adds to each segment of a layer, as part of it: of n packets any n / (1 + fec),
    /// rounded up, are enough. Default 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fec: f64,
    /// What is missing comes otherwise. Default: it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<Repair>,
}

limits! { Config {
    segment: from(Duration::from_millis(10)),
    start: above(Duration::ZERO),
    buffer: above(Duration::ZERO),
    length: above(Duration::ZERO),
    fec: from(0.0).to(10.0),
} }

/// Whether what comes too late is skipped or waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "PlayoutKind")]
pub enum Kind {
    /// A segment that is not complete when it is due is skipped.
    Live,
    /// The picture stops until the segment is complete.
    File,
}

/// The rate of media, or several of adaptive ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum MediaRate {
    /// One.
    One(Rate),
    /// One for each quality, from the lowest.
    Ladder(Vec<Rate>),
}

/// How what is missing of a segment comes, on a way that is not part of the network.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Repair", transform = limits::declare::<Repair>)]
#[serde(deny_unknown_fields)]
pub struct Repair {
    /// How long it takes, from the moment at which the receiver knows that the segment is over: when a packet of a
    /// later one comes in the same layer, or the source ends.
    pub after: Duration,
    /// The largest part of a segment's packets that is repaired; of a segment that lacks more nothing is. Default 1.
    #[serde(default = "one")]
    pub most: f64,
}

limits! { Repair {
    most: above(0.0).to(1.0),
} }

/// More packets than this are in no segment of a layer.
pub const MOST_PACKETS: u64 = 1 << 24;

impl Config {
    /// The qualities of media that the source makes; none where it sends at rates of its own.
    pub fn rates(&self) -> &[Rate] {
        match &self.media_rate {
            None => &[],
            Some(MediaRate::One(rate)) => std::slice::from_ref(rate),
            Some(MediaRate::Ladder(rates)) => rates,
        }
    }

    /// The segments that must be there before the picture appears.
    pub fn start_segments(&self) -> u32 {
        self.start.map_or(2, |start| self.segments_of(start))
    }

    /// The segments that must be there before the picture of a file goes on after a stall.
    pub fn resume_segments(&self) -> u32 {
        self.buffer.map_or(self.start_segments(), |buffer| self.segments_of(buffer))
    }

    /// How long a packet of live media may wait at the source.
    pub fn wait(&self) -> Duration {
        let start = self.start.unwrap_or(Duration(self.segment.0.saturating_mul(2)));
        self.wait.unwrap_or(start)
    }

    /// How many segments there are, if they come to an end.
    pub fn segments(&self) -> Option<u32> {
        self.length.map(|length| self.segments_of(length))
    }

    /// The packets of a segment at a rate, those of error correction included, at least one.
    pub fn packets(&self, rate: Rate, packet_bytes: u64) -> u64 {
        let bits = rate.as_bps_f64() * self.segment.as_secs_f64() * (1.0 + self.fec);
        // What is whole but for the last digits is whole.
        ((bits / (8.0 * packet_bytes.max(1) as f64) - 1e-9).ceil() as u64).max(1)
    }

    /// How many of a segment's packets are enough.
    pub fn enough(&self, packets: u32) -> u32 {
        (f64::from(packets) / (1.0 + self.fec) - 1e-9).ceil() as u32
    }

    /// What the source sends at the highest quality, bit/s: whole packets of each segment. Nothing if it sends at rates
    /// of its own.
    pub fn highest_bps(&self, packet_bytes: u64) -> Option<f64> {
        let packets = self.packets(*self.rates().last()?, packet_bytes);
        Some(8.0 * (packets * packet_bytes) as f64 / self.segment.as_secs_f64())
    }

    /// Every field with an illegal value: its name, and what was given and what is legal. Packets have `packet_bytes`.
    pub fn check(&self, packet_bytes: u64) -> Vec<(String, String)> {
        let mut wrong = self.beyond_limits();
        let of_repair = self.repair.map_or(Vec::new(), |repair| repair.beyond_limits());
        wrong.extend(of_repair.into_iter().map(|(field, message)| (format!("repair.{field}"), message)));
        let mut refuse = |field: &str, message: String| wrong.push((field.to_owned(), message));
        if self.kind == Kind::Live && self.buffer.is_some() {
            refuse("buffer", "given for live media, which do not wait; legal is none: leave it out".to_owned());
        }
        if self.kind == Kind::File && self.wait.is_some() {
            refuse("wait", "given for a file, of which nothing is given up; legal is none: leave it out".to_owned());
        }
        let rates = self.rates();
        let field = |index: usize| match &self.media_rate {
            Some(MediaRate::Ladder(_)) => format!("media_rate[{index}]"),
            _ => "media_rate".to_owned(),
        };
        if self.media_rate.is_some() && rates.is_empty() {
            refuse("media_rate", "it is empty; legal is a rate, or a list of rates that rise".to_owned());
        }
        if let Some(index) = rates.iter().position(|rate| rate.0 == 0) {
            refuse(&field(index), "0 bit/s given; legal is above 0 bit/s".to_owned());
        } else if let Some(index) = (1..rates.len()).find(|&index| rates[index] <= rates[index - 1]) {
            let (before, rate) = (rates[index - 1].0, rates[index].0);
            let message = format!("{rate} bit/s given after {before} bit/s; legal are rates that rise");
            refuse(&field(index), message);
        } else if let Some(&highest) = rates.last() {
            let packets = self.packets(highest, packet_bytes);
            if packets > MOST_PACKETS {
                let message = format!("a segment would have {packets} packets; legal are {MOST_PACKETS}: shorten it");
                refuse("segment", message);
            }
        }
        wrong
    }

    fn segments_of(&self, time: Duration) -> u32 {
        u32::try_from(time.0.div_ceil(self.segment.0.max(1))).unwrap_or(u32::MAX).max(1)
    }
}

#[cfg(feature = "serde")]
fn segment() -> Duration {
    Duration::from_secs(2)
}

#[cfg(feature = "serde")]
fn one() -> f64 {
    1.0
}

#[cfg(feature = "serde")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}
