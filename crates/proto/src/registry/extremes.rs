//! Parameters at and beyond the ends of what there is: each key of each scheme and kind of flow by itself, as a table
//! may have it. Either it is refused, with a sentence that names it, or endpoints are made of it and go for a while.

use super::battery::LINE_RATE;
use super::flows::FlowConfig;
use super::*;
use crate::flow_kind::{FlowKind, FlowSeat};
use crate::packet::{Address, FlowId};
use crate::random::Random;
use crate::testing::group::{GROUP, Group};
use crate::testing::{Fate, Pair};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Inputs of an exchange: enough for some packets, reports and time-outs.
const INPUTS: u32 = 300;

/// Values for a key with this schema: the ends of its type and what is beyond them.
fn values(schema: &Value) -> Vec<Value> {
    let all = |texts: &[&str]| texts.iter().map(|&text| json!(text)).collect();
    if let Some(variants) = schema["anyOf"].as_array() {
        return variants.iter().flat_map(values).collect();
    }
    match schema["x-quantity"].as_str() {
        Some("duration") => {
            return all(&["0 s", "1 ns", "1 us", "1e9 s", "9.2e9 s", "-1 s", "inf s", "NaN s", "1e30 s"]);
        }
        Some("rate") => return all(&["0 bit/s", "1 bit/s", "9e9 Gbit/s", "-1 bit/s", "inf bit/s", "NaN bit/s"]),
        Some("number of bytes") => return all(&["0 B", "1 B", "65535 B", "65536 B", "9e9 GB", "-1 B", "NaN B"]),
        Some("number of packets") => {
            return all(&["0 packets", "1e-300 packets", "1 packet", "9e18 packets", "inf packets"]);
        }
        _ => {}
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let mut found = Vec::new();
    if types.iter().any(|one| ["integer", "number"].contains(one)) {
        found.extend([json!(0), json!(1), json!(-1), json!(u32::MAX), json!(u64::MAX), json!(i64::MIN)]);
    }
    if types.contains(&"number") {
        found.extend([json!(-0.0), json!(1e-300), json!(-1e-300), json!(0.999_999_999), json!(1e300), json!(-1e300)]);
    }
    found
}

/// Whether a key's schema says what is legal, or leaves nothing to be said.
fn is_bounded(schema: &Value) -> bool {
    let keys = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "x-legal", "enum", "const"];
    keys.iter().any(|key| !schema[key].is_null())
}

/// Takes a table with one key changed; says what is wrong with it if it can be read, and nothing if it goes.
type Try<'a> = dyn Fn(Map<String, Value>) -> Result<(), Vec<(String, String)>> + 'a;

/// Tries all values of all keys of a table with this schema. How many were refused by their limits, and how many went.
fn try_all(name: &str, schema: &Value, go: &Try<'_>) -> (u32, u32) {
    let (mut refused, mut went) = (0, 0);
    for (key, property) in schema["properties"].as_object().expect("parameters have properties") {
        for value in values(property) {
            let said = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                go(Map::from_iter([(key.clone(), value.clone())]))
            }));
            match said.unwrap_or_else(|_| panic!("{name}: {key} = {value} is taken, and ends with a panic")) {
                Ok(()) => went += 1,
                Err(wrong) => {
                    refused += 1;
                    assert!(!wrong.is_empty(), "{name}: {key} = {value}");
                }
            }
        }
    }
    (refused, went)
}

fn seat(own: u32) -> Seat {
    Seat {
        flow: FlowId(0),
        own: Address::endpoint(own),
        group: GROUP,
        members: 1,
        line_rate: Some(LINE_RATE),
        random: Random::stream(own.into(), "extremes"),
    }
}

fn try_scheme(config: &SchemeConfig) -> Result<(), Vec<(String, String)>> {
    let config = config.checked().map_err(|wrong| wrong.to_vec())?;
    let mut number = 0;
    let lose = move |_, _, _: &crate::packet::Packet| {
        number += 1;
        if number % 7 == 0 { Fate::Lose } else { Fate::Deliver }
    };
    let delay = Duration::from_millis(20);
    let mut group = Group::new(config.sender(seat(0)), vec![(config.receiver(seat(1)), delay)], lose);
    group.start_all();
    let left = std::cell::Cell::new(INPUTS);
    group.run_while(Instant::FAR_FUTURE, |_| left.replace(left.get().saturating_sub(1)) > 0);
    Ok(())
}

fn try_flow(config: &FlowConfig) -> Result<(), Vec<(String, String)>> {
    let config = config.checked().map_err(|wrong| wrong.to_vec())?;
    let seat =
        FlowSeat { flow: FlowId(0), sender: Address::endpoint(0), receiver: Address::endpoint(1), name: "it", seed: 1 };
    let mut number = 0;
    let lose = move |_, _: &crate::packet::Packet| {
        number += 1;
        if number % 7 == 0 { Fate::Lose } else { Fate::Deliver }
    };
    let mut pair = Pair::new(config.sender(&seat), config.receiver(&seat), Duration::from_millis(20), lose);
    let left = std::cell::Cell::new(INPUTS);
    pair.run_while(Instant::FAR_FUTURE, |_| left.replace(left.get().saturating_sub(1)) > 0);
    Ok(())
}

/// For each line of a registry its name, the schema of its parameters, and what makes endpoints of a table of them.
macro_rules! each {
    ($Config:ident $try:ident
        $($Variant:ident ( $($path:ident)::+ ) $(with $($header:ident)::+)? = $name:literal : $about:literal ;)+) => {
        vec![$({
            let settings = schemars::generate::SchemaSettings::draft2020_12().with(|it| it.inline_subschemas = true);
            let schema = settings.into_generator().into_root_schema_for::<crate::$($path)::+>().to_value();
            let go = |table: Map<String, Value>| -> Result<(), Vec<(String, String)>> {
                let read = serde_json::from_value::<crate::$($path)::+>(Value::Object(table));
                let config = read.map_err(|error| vec![("table".to_owned(), error.to_string())])?;
                $try(&$Config::$Variant(config))
            };
            ($name, schema, Box::new(go) as Box<Try<'static>>)
        }),+]
    };
}

fn all() -> Vec<(&'static str, Value, Box<Try<'static>>)> {
    let mut all: Vec<(&'static str, Value, Box<Try<'static>>)> = crate::schemes!(each SchemeConfig try_scheme);
    all.extend(crate::flow_kinds!(each FlowConfig try_flow));
    all
}

#[test]
fn what_is_not_refused_goes() {
    for (name, schema, go) in all() {
        let (refused, went) = try_all(name, &schema, &*go);
        assert!(refused >= 5, "{name}: {refused} refused");
        assert!(went >= 2, "{name}: {went} went");
    }
}

/// Keys without bounds of their own, all of them quantities, which are finite and not negative as they are read: any
/// value is legal, or a rule of the check has its bounds, as sizes of packets depend on what their headers take.
const FREE: &[&str] = &[
    "cbr.packet_size",
    "layer-blocking.join_latency",
    "layer-blocking.packet_size",
    "layered-cbr.packet_size",
    "mlda.exclude_below",
    "mlda.packet_size",
    "omcc.exclude_below",
    "omcc.max_rate",
    "omcc.packet_size",
    "omcc.report_size",
    "on-off.packet_size",
    "pgmcc.exclude_below",
    "pgmcc.feedback_size",
    "pgmcc.max_rate",
    "pgmcc.packet_size",
    "rlm.detection_deviation",
    "rlm.max_hold",
    "rlm.packet_size",
    "smcc.base_rate",
    "tcp.hdr",
    "tfmcc.exclude_below",
    "tfmcc.max_rate",
    "tfmcc.packet_size",
    "tfmcc.report_size",
];

#[test]
fn numbers_say_what_is_legal() {
    let mut free = BTreeSet::new();
    for (name, schema, _) in all() {
        for (key, property) in schema["properties"].as_object().expect("parameters have properties") {
            if !values(property).is_empty() && !is_bounded(property) {
                free.insert(format!("{name}.{key}"));
            }
        }
    }
    assert_eq!(free.iter().collect::<Vec<_>>(), FREE);
}
