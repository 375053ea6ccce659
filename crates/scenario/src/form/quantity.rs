//! Quantities: what is wrong with a text that must be a number with a unit.

use crate::problem::{given, shortened};
use faircast_proto::quantity::{Bytes, Packets, QueueSize};
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
        other => Err(format!("{} cannot be read: there is no kind of quantity {other}", given(value))),
    };
    // A message quotes the text; of a long one the beginning will do.
    let quoted = |message: String| match text.chars().count() {
        0..=60 => message,
        _ => message.replace(text, &shortened(text, 60)),
    };
    let result = result.map_err(quoted);
    result.map_err(|message| if text.trim().parse::<f64>().is_ok() { no_unit(kind, value) } else { message })
}

/// The complaint about a bare number.
pub(crate) fn no_unit(kind: &str, value: &Value) -> String {
    let number = match value {
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    };
    let parsed = number.parse::<f64>().unwrap_or(0.0);
    let suggestion = match kind {
        "rate" if parsed >= 1e6 => format!("{} Mbit/s", parsed / 1e6),
        "rate" if parsed >= 1e3 => format!("{} kbit/s", parsed / 1e3),
        "rate" if parsed >= 1.0 => format!("{parsed} bit/s"),
        "duration" if parsed > 0.0 => format!("{number} s"),
        "number of bytes" if parsed > 0.0 => format!("{number} B"),
        "number of packets" | "queue size" if parsed > 0.0 => format!("{number} packets"),
        "rate" => "1.5 Mbit/s".to_owned(),
        "duration" => "250 ms".to_owned(),
        "number of bytes" => "1000 B".to_owned(),
        _ => "50 packets".to_owned(),
    };
    format!("{number} has no unit: write a {kind} as text with its unit, e.g. \"{suggestion}\"")
}
