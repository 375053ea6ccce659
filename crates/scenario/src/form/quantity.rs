//! Quantities: what is wrong with a text that must be a number with a unit.

use crate::problem::{given, shortened};
use faircast_proto::quantity::{Bytes, Decibels, Frequency, Packets, QueueSize, RainRate, SymbolRate};
use faircast_proto::time::{Duration, Rate};
use jsonschema::paths::Location;
use jsonschema::{Keyword, ValidationError};
use serde_json::{Map, Value};

/// The keyword `x-quantity`: a text must be a number with a unit of that kind.
struct Quantity {
    kind: String,
}

pub(crate) fn keyword<'a>(
    _parent: &'a Map<String, Value>,
    value: &'a Value,
    _path: Location,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    Ok(Box::new(Quantity { kind: value.as_str().unwrap_or_default().to_owned() }))
}

impl<'i> Keyword<'i> for Quantity {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        check(&self.kind, instance).map_err(ValidationError::custom)
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        check(&self.kind, instance).is_ok()
    }
}

/// What is wrong with a text as a quantity of a kind. What is no text is the business of the keyword `type`.
pub(crate) fn check(kind: &str, value: &Value) -> Result<(), String> {
    let Value::String(text) = value else { return Ok(()) };
    let result = match kind {
        "duration" => Duration::parse(text).map(drop),
        "rate" => Rate::parse(text).map(drop),
        "number of bytes" => Bytes::parse(text).map(drop),
        "number of packets" => Packets::parse(text).map(drop),
        "queue size" => QueueSize::parse(text).map(drop),
        "symbol rate" => SymbolRate::parse(text).map(drop),
        "number of decibels" => Decibels::parse(text).map(drop),
        "frequency" => Frequency::parse(text).map(drop),
        "rain rate" => RainRate::parse(text).map(drop),
        other => Err(format!("{} cannot be read: there is no kind of quantity {other}", given(value))),
    };
    // A message quotes the text; of a long one the beginning will do.
    let quoted = |message: String| match text.chars().count() {
        0..=60 => message,
        _ => message.replace(text, &shortened(text, 60)),
    };
    let result = result.map_err(quoted);
    result.map_err(|message| if is_bare(value) { no_unit(kind, value, "") } else { message })
}

/// Whether a value is a number without a unit, perhaps as a text.
pub(crate) fn is_bare(value: &Value) -> bool {
    value.is_number() || value.as_str().is_some_and(|text| text.trim().parse::<f64>().is_ok())
}

/// Words in the names of keys that say how long something is in a network, which nobody counts in seconds.
const SHORT: [&str; 8] =
    ["delay", "rtt", "send_jitter", "granularity", "tick", "prune_timeout", "ack_timeout", "rto_min"];

/// Whether so many of a duration without a unit are meant as milliseconds.
fn in_millis(key: &str, number: f64) -> bool {
    number >= 1.0 && key != "leave_delay" && SHORT.iter().any(|word| key.contains(word))
}

/// The complaint about a bare number at a path. What it suggests is a guess from the name of the key.
pub(crate) fn no_unit(kind: &str, value: &Value, path: &str) -> String {
    let key = path.rsplit('.').next().unwrap_or_default();
    let number = match value {
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    };
    let parsed = number.parse::<f64>().unwrap_or(0.0);
    let suggestion = match kind {
        "rate" if parsed >= 1e6 => format!("{} Mbit/s", parsed / 1e6),
        "rate" if parsed >= 1e3 => format!("{} kbit/s", parsed / 1e3),
        "rate" if parsed >= 1.0 => format!("{parsed} bit/s"),
        "duration" if in_millis(key, parsed) => format!("{number} ms"),
        "duration" if parsed > 0.0 => format!("{number} s"),
        "number of bytes" if parsed > 0.0 => format!("{number} B"),
        "symbol rate" if parsed >= 1e6 => format!("{} Mbaud", parsed / 1e6),
        "symbol rate" if parsed > 0.0 => format!("{number} baud"),
        "number of decibels" => format!("{number} dB"),
        "frequency" if parsed > 0.0 => format!("{number} GHz"),
        "rain rate" if parsed > 0.0 => format!("{number} mm/h"),
        "number of packets" | "queue size" if parsed > 0.0 => format!("{number} packets"),
        "rate" => "1.5 Mbit/s".to_owned(),
        "duration" => "250 ms".to_owned(),
        "number of bytes" => "1000 B".to_owned(),
        _ => "50 packets".to_owned(),
    };
    format!("{number} has no unit: write a {kind} as text with its unit, e.g. \"{suggestion}\"")
}
