//! The parameters of an application.

use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::limits;
use crate::limits::{Limited, above, from};
use crate::quantity::Bytes;
use crate::time::{Duration, Rate};

/// What an application has to send, and when. Bytes are those of packets on the wire, headers included, as in all
/// rates.
///
/// It says `rate`, `bytes`, both, or a `trace`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Application", transform = limits::declare::<Config>)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// It makes so much, evenly. Left out, all of `bytes` is there at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// So much in all; when that has been sent the source stops. Left out, `rate` has no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Bytes>,
    /// How much comes when, from the start of the source on: a list, or the name of a CSV file. After its end the
    /// source stops.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<TraceChoice>")]
    pub trace: Option<Vec<Made>>,
    /// What may wait until the source sends it, in whole packets; what does not find room is dropped, as a live source
    /// has it. Left out, all waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Bytes>,
}

limits! { Config {
    rate: above(Rate(0)),
    bytes: from(Bytes(1)),
} }

/// What comes at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// When, from the start of the source.
    pub at: Duration,
    /// How much. The packets that are full then are there; what is left over waits for what comes next.
    pub bytes: Bytes,
}

/// How a trace may be written: this shapes the schema only, as a file is read before a scenario is.
#[cfg(feature = "schemars")]
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
#[expect(dead_code, reason = "it is there for the schema")]
enum TraceChoice {
    /// A CSV file with the columns time and bytes; its path is relative to the scenario's.
    #[schemars(extend("x-file" = true))]
    File(String),
    /// Moment by moment.
    List(Vec<Made>),
}

impl Config {
    /// Every field with an illegal value: its name, and what was given and what is legal. Packets have `packet_bytes`.
    pub fn check(&self, packet_bytes: u64) -> Vec<(String, String)> {
        let mut wrong = self.beyond_limits();
        let mut refuse = |field: &str, message: String| wrong.push((field.to_owned(), message));
        match (&self.trace, self.rate, self.bytes) {
            (None, None, None) => {
                refuse("rate", "missing: say what there is to send: rate, bytes, both, or a trace".to_owned());
            }
            (Some(_), Some(_), _) => refuse("rate", "given with a trace, which says it all; leave one out".to_owned()),
            (Some(_), None, Some(_)) => {
                refuse("bytes", "given with a trace, which says it all; leave one out".to_owned());
            }
            (Some(trace), None, None) => {
                if let Some((field, message)) = wrong_in(trace) {
                    refuse(&field, message);
                }
            }
            (None, ..) => {}
        }
        if let Some(buffer) = self.buffer
            && buffer.0 < packet_bytes
        {
            refuse("buffer", format!("{} B given; legal is at least a packet, {packet_bytes} B", buffer.0));
        }
        wrong
    }

    /// The packets that there are in all; nothing if there is no end.
    pub fn packets(&self, packet_bytes: u64) -> Option<u64> {
        let bytes = match &self.trace {
            Some(trace) => trace.iter().map(|made| made.bytes.0).fold(0, u64::saturating_add),
            None => self.bytes?.0,
        };
        Some(bytes.div_ceil(packet_bytes.max(1)))
    }

    /// What it makes in the long run, bit/s: a trace its mean up to its last line. Nothing if all is there at once.
    pub fn mean_bps(&self) -> Option<f64> {
        match &self.trace {
            None => self.rate.map(|rate| rate.as_bps_f64()),
            Some(trace) => {
                let length_s = trace.last()?.at.as_secs_f64();
                let bytes: f64 = trace.iter().map(|made| made.bytes.0 as f64).sum();
                (length_s > 0.0).then(|| 8.0 * bytes / length_s)
            }
        }
    }
}

/// What is wrong with a trace, and where: the first of it.
fn wrong_in(trace: &[Made]) -> Option<(String, String)> {
    if trace.is_empty() {
        return Some(("trace".to_owned(), "it is empty; legal is at least one line".to_owned()));
    }
    let mut before = None;
    for (index, made) in trace.iter().enumerate() {
        if made.bytes.0 == 0 {
            let message = "0 B given; legal is at least 1 B: leave out times at which nothing comes".to_owned();
            return Some((format!("trace[{index}].bytes"), message));
        }
        if let Some(message) = before.and_then(|before| wrong_order(before, made.at)) {
            return Some((format!("trace[{index}].at"), message));
        }
        before = Some(made.at);
    }
    None
}

/// What is wrong with a time that follows another in a trace.
pub fn wrong_order(before: Duration, at: Duration) -> Option<String> {
    match before.cmp(&at) {
        std::cmp::Ordering::Less => None,
        std::cmp::Ordering::Equal => {
            Some(format!("the time {at} stands there a second time; legal is once, and all at once"))
        }
        std::cmp::Ordering::Greater => {
            Some(format!("time runs back, from {before} to {at}; legal is later than what stands before"))
        }
    }
}
