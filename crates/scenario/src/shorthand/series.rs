//! Series: `{ first = "2 ms", step = "5 ms" }` for a row of like values. The n-th of a row, counted from 0, is the
//! first plus n steps.

use super::names::has_several;
use super::origins::Origins;
use crate::problem::{Problem, given};
use faircast_proto::quantity::{Bytes, Packets};
use faircast_proto::time::{Duration, Rate};
use serde_json::{Map, Value, json};

/// Whether a value is meant as a series.
pub(crate) fn is_series(value: &Value) -> bool {
    value.as_object().is_some_and(|table| table.contains_key("first") || table.contains_key("step"))
}

/// The value `number` of a series, or what is wrong with it.
pub(super) fn nth(series: &Value, number: usize) -> Result<Value, String> {
    const FORM: &str = "a series has first and step, two quantities of one kind or two numbers, such as { first = \
                        \"2 ms\", step = \"5 ms\" }";
    let table = series.as_object().ok_or(FORM)?;
    let (Some(first), Some(step), 2) = (table.get("first"), table.get("step"), table.len()) else {
        return Err(format!("{} is not legal; {FORM}", given(series)));
    };
    if let (Some(first), Some(step)) = (first.as_f64(), step.as_f64()) {
        // 0.1 + 2 * 0.1 is written 0.3.
        let value = ((first + number as f64 * step) * 1e12).round() / 1e12;
        return Ok(json!(value));
    }
    let (Some(first), Some(step)) = (first.as_str(), step.as_str()) else {
        return Err(format!("{} is not legal; {FORM}", given(series)));
    };
    let (step, falls) = match step.trim().strip_prefix('-') {
        Some(step) => (step, true),
        None => (step, false),
    };
    let sum = |first: f64, step: f64| {
        let value = first + if falls { -step } else { step } * number as f64;
        if value < 0.0 { Err(format!("the value {number} of this series would be negative")) } else { Ok(value) }
    };
    // Nanoseconds, bit/s and bytes are whole numbers and far below 2^53.
    if let (Ok(first), Ok(step)) = (Duration::parse(first), Duration::parse(step)) {
        return sum(first.0 as f64, step.0 as f64).map(|nanos| json!(Duration(nanos as u64)));
    }
    if let (Ok(first), Ok(step)) = (Rate::parse(first), Rate::parse(step)) {
        return sum(first.0 as f64, step.0 as f64).map(|bps| json!(Rate(bps as u64)));
    }
    if let (Ok(first), Ok(step)) = (Bytes::parse(first), Bytes::parse(step)) {
        return sum(first.0 as f64, step.0 as f64).map(|bytes| json!(Bytes(bytes as u64)));
    }
    if let (Ok(first), Ok(step)) = (Packets::parse(first), Packets::parse(step)) {
        return sum(first.0, step.0).map(|packets| json!(Packets(packets)));
    }
    Err(format!("{} is not legal; {FORM}", given(series)))
}

/// Spells out series of times: starts of flows, joins and leaves of receivers. `right`: how many hosts are on the right
/// of the topology, if that is known.
pub(super) fn times(scenario: &mut Value, right: Option<u32>, origins: &mut Origins, problems: &mut Vec<Problem>) {
    for (name, flow) in scenario.get_mut("flows").and_then(Value::as_object_mut).into_iter().flatten() {
        if let Some(flow) = flow.as_object_mut() {
            stepped(flow, "start", &format!("flows.{name}"), origins, problems);
        }
    }
    for (name, session) in scenario.get_mut("sessions").and_then(Value::as_object_mut).into_iter().flatten() {
        let Some(receivers) = session.get_mut("receivers").and_then(Value::as_object_mut) else { continue };
        let path = format!("sessions.{name}.receivers");
        stepped(receivers, "join", &path, origins, problems);
        let count = receivers.get("count").and_then(Value::as_u64).map(|count| count as usize);
        let listed = receivers.get("nodes").and_then(Value::as_array).map(Vec::len);
        // Of more than may be nobody needs a list: that they are too many is said elsewhere.
        let number =
            count.or(listed).or(right.map(|right| right as usize)).unwrap_or(1).min(crate::meaning::MOST as usize);
        // How many nodes are called so cannot be known.
        let is_unknown = count.is_none() && receivers.get("nodes").is_some_and(has_several);
        if is_unknown && receivers.get("leave").is_some_and(is_series) {
            receivers.remove("leave");
        }
        if let Some(leave) = receivers.get_mut("leave").filter(|leave| is_series(leave)) {
            match (0..number).map(|index| nth(leave, index)).collect::<Result<Vec<Value>, String>>() {
                Ok(times) => *leave = times.into(),
                Err(message) => {
                    let path = format!("{path}.leave");
                    problems.push(Problem { given: Some(given(leave)), ..Problem::new(path, message) });
                    receivers.remove("leave");
                }
            }
        }
    }
}

/// A series of a key that has another for the time from one to the next.
fn stepped(table: &mut Map<String, Value>, key: &str, path: &str, origins: &mut Origins, problems: &mut Vec<Problem>) {
    let Some(series) = table.get(key).filter(|value| is_series(value)).cloned() else { return };
    let (step, place) = (format!("{key}_step"), format!("{path}.{key}"));
    let legal = match (nth(&series, 0), nth(&series, 1)) {
        (Err(message), _) | (_, Err(message)) => Err(message),
        _ if table.contains_key(&step) => Err(format!("the series has a step, and {step} another: leave out one")),
        _ if series["step"].as_str().is_some_and(|step| step.trim().starts_with('-')) => {
            Err("the step of these times cannot be negative: list them".to_owned())
        }
        _ => Ok(()),
    };
    match legal {
        Ok(()) => {
            table.insert(key.to_owned(), series["first"].clone());
            table.insert(step.clone(), series["step"].clone());
            origins.add(format!("{path}.{step}"), format!("{place}.step"));
        }
        Err(message) => {
            problems.push(Problem { given: Some(given(&series)), ..Problem::new(place, message) });
            table.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_is_the_first_and_n_steps() {
        let of = |first: Value, step: Value, number| nth(&json!({ "first": first, "step": step }), number);
        assert_eq!(of(json!("2 ms"), json!("5 ms"), 3), Ok(json!("17 ms")));
        assert_eq!(of(json!("2 ms"), json!("500 us"), 1), Ok(json!("2.5 ms")));
        assert_eq!(of(json!("1 Mbit/s"), json!("-100 kbit/s"), 9), Ok(json!("100 kbit/s")));
        assert_eq!(of(json!("1000 B"), json!("20 B"), 2), Ok(json!("1.04 KB")));
        assert_eq!(of(json!("4 packets"), json!("1.5 packets"), 1), Ok(json!("5.5 packets")));
        assert_eq!(of(json!(0.1), json!(0.1), 2), Ok(json!(0.3)));
        assert!(of(json!("1 ms"), json!("-1 ms"), 2).unwrap_err().contains("value 2 of this series would be negative"));
        for (first, step) in [(json!("2 ms"), json!(5)), (json!("2 ms"), json!("5 packets")), (json!("x"), json!("y"))]
        {
            assert!(of(first, step, 0).unwrap_err().contains("a series has first and step"));
        }
        assert!(nth(&json!({ "first": 1 }), 0).is_err());
        assert!(nth(&json!({ "first": 1, "step": 2, "last": 3 }), 0).is_err());
    }
}
