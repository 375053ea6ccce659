//! Queues and losses without a kind: they say what is different about the one that would be there otherwise, so that
//! `--set links.bottleneck.queue.limit="20 packets"` keeps the kind that the topology has for it.

use super::limits::Limits;
use super::places::{at, at_mut, settings};
use crate::form::definitions::variant;
use crate::model::{Duplex, Settings};
use crate::problem::{Problem, list};
use crate::topology::{Sketch, Topology};
use serde_json::{Map, Value};

/// What a link has that can be without a kind: its key and the choice that it is of.
const PARTS: [(&str, &str); 2] = [("queue", "Queue"), ("loss", "Loss")];

/// Whether something about a link says no kind.
fn lacks_kind(value: &Value) -> bool {
    value.as_object().is_some_and(|table| !table.contains_key("kind"))
}

/// The places under `table` of the scenario where something says no kind.
pub(super) fn lacking(scenario: &Value, table: &str) -> Vec<(Vec<String>, &'static str)> {
    let places = settings(scenario).into_iter().filter(|keys| keys[0] == table);
    let parts = |keys: Vec<String>| PARTS.iter().map(move |(part, _)| (keys.clone(), *part));
    let lacks = |(keys, part): &(Vec<String>, &str)| {
        at(scenario, keys).is_some_and(|settings| settings.get(part).is_some_and(lacks_kind))
    };
    places.flat_map(parts).filter(lacks).collect()
}

/// Puts `given`, which says no kind, over `base`: nothing if that is not to be done, otherwise the whole or which kind
/// the base has and which of the keys that one does not know. `key`: what the two are.
pub(super) fn completed(
    given: &Value,
    base: &Value,
    key: &str,
    schema: &Value,
) -> Option<Result<Value, (String, Vec<String>)>> {
    let (_, choice) = PARTS.iter().find(|(part, _)| *part == key)?;
    let given = given.as_object().filter(|given| !given.contains_key("kind"))?;
    let kind = base["kind"].as_str()?;
    let known = |key: &str| variant(schema, choice, "kind", kind).is_some_and(|it| it["properties"].get(key).is_some());
    let foreign: Vec<String> = given.keys().filter(|key| !known(key)).cloned().collect();
    if !foreign.is_empty() {
        return Some(Err((kind.to_owned(), foreign)));
    }
    let mut whole: Map<String, Value> = base.as_object()?.clone();
    whole.extend(given.clone());
    Some(Ok(whole.into()))
}

/// Completes what says no kind in the table `topology`, from what the topology, without it, has by default.
pub(super) fn of_topology(
    scenario: &mut Value,
    schema: &Value,
    (filled, limits): (&Topology, &Limits),
    problems: &mut Vec<Problem>,
) {
    let duplexes = filled.duplexes();
    let of = |key: &str| duplexes.iter().find(|(name, _)| *name == key).map(|(_, duplex)| *duplex);
    for (keys, part) in lacking(scenario, "topology").into_iter().chain(lacking(scenario, "stations")) {
        let is_back = keys.last().is_some_and(|key| key == "back");
        let own = if keys[0] == "stations" { &keys[2..] } else { &keys[1..] };
        let key = own[..own.len() - usize::from(is_back)].join(".");
        // What is said of some links is said over what holds for all.
        let base = of(&key).and_then(|duplex| of_duplex(duplex, is_back, part));
        let base = base.or_else(|| of_duplex(of(&filled.base(&key))?, is_back, part));
        complete(scenario, &keys, part, base.map(|base| limits.restored(base)), schema, problems);
    }
}

/// Leaves out what says no kind in a table: what it is cannot be known.
pub(super) fn leave_out(scenario: &mut Value, table: &str) {
    for (keys, part) in lacking(scenario, table) {
        if let Some(Value::Object(settings)) = at_mut(scenario, &keys) {
            settings.remove(part);
        }
    }
}

/// Completes what says no kind in `links`, from what the link has from its topology.
pub(super) fn of_links(
    scenario: &mut Value,
    schema: &Value,
    (sketch, limits): (&Sketch, &Limits),
    problems: &mut Vec<Problem>,
) {
    for (keys, part) in lacking(scenario, "links") {
        let is_back = keys.len() > 2;
        let made = sketch.links.iter().find(|link| link.name == keys[1]).map(|link| &*link.duplex);
        let new = Duplex { both: Settings::of_new_link(), back: None };
        let there = || of_duplex(made.unwrap_or(&new), false, part).map(|base| limits.restored(base));
        let base = match is_back {
            false => there(),
            true => (made.and_then(|made| of_settings(made.back.as_ref()?, part)))
                .map(|base| limits.restored(base))
                .or_else(|| at(scenario, &keys[..2])?.get(part).cloned())
                .or_else(there),
        };
        complete(scenario, &keys, part, base, schema, problems);
    }
}

fn complete(
    scenario: &mut Value,
    keys: &[String],
    part: &str,
    base: Option<Value>,
    schema: &Value,
    problems: &mut Vec<Problem>,
) {
    let (Some(base), Some(place)) = (base, at_mut(scenario, keys).and_then(|settings| settings.get_mut(part))) else {
        return;
    };
    match completed(place, &base, part, schema) {
        Some(Ok(whole)) => *place = whole,
        Some(Err((kind, foreign))) => {
            let kinds: Vec<&str> = kinds(schema, part);
            let foreign: Vec<&str> = foreign.iter().map(String::as_str).collect();
            let message = format!(
                "missing; legal is one of {}; without it this {part} would stay of kind {kind}, which has no {}",
                list(&kinds),
                list(&foreign)
            );
            let path = format!("{}.{part}.kind", keys.join("."));
            problems.push(Problem::new(path, message));
        }
        None => {}
    }
}

fn kinds<'s>(schema: &'s Value, part: &str) -> Vec<&'s str> {
    let choice = PARTS.iter().find(|(name, _)| *name == part).map_or("", |(_, choice)| choice);
    let kinds = schema["$defs"][choice]["properties"]["kind"]["enum"].as_array();
    kinds.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn of_duplex(duplex: &Duplex, is_back: bool, part: &str) -> Option<Value> {
    let of_back = || of_settings(duplex.back.as_ref()?, part);
    if is_back { of_back().or_else(|| of_settings(&duplex.both, part)) } else { of_settings(&duplex.both, part) }
}

fn of_settings(settings: &Settings, part: &str) -> Option<Value> {
    match part {
        "queue" => serde_json::to_value(settings.queue.as_ref()?).ok(),
        _ => serde_json::to_value(settings.loss.as_ref()?).ok(),
    }
}
