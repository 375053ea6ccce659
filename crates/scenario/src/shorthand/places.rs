//! Where a scenario, as it was written, says what links are like.

use crate::topology;
use serde_json::Value;

/// The tables with the settings of one direction or both, as keys from the top: those of links, of the topology and its
/// branches, of stations, and what each says of the direction back. A key such as `each[1]` is that of an item.
pub(super) fn settings(scenario: &Value) -> Vec<Vec<String>> {
    let tables = |of: &Value, keys: &[&str]| -> Vec<Vec<String>> {
        let names = of.as_object().into_iter().flatten().filter(|(_, table)| table.is_object()).map(|(name, _)| name);
        names.map(|name| keys.iter().copied().chain([name.as_str()]).map(str::to_owned).collect()).collect()
    };
    let mut places = tables(&scenario["links"], &["links"]);
    places.extend(tables(&scenario["topology"], &["topology"]));
    for nested in topology::nested(&scenario["topology"]) {
        let of = at(&scenario["topology"], &nested).unwrap_or(&Value::Null);
        let keys: Vec<&str> = std::iter::once("topology").chain(nested.iter().map(String::as_str)).collect();
        places.extend(tables(of, &keys));
    }
    for (name, station) in scenario["stations"].as_object().into_iter().flatten() {
        places.extend(tables(station, &["stations", name]));
    }
    let back = |keys: &Vec<String>| keys.iter().cloned().chain(["back".to_owned()]).collect::<Vec<String>>();
    let backs: Vec<Vec<String>> =
        places.iter().map(back).filter(|keys| at(scenario, keys).is_some_and(Value::is_object)).collect();
    places.extend(backs);
    places
}

/// What stands at a place.
pub(super) fn at<'v>(value: &'v Value, keys: &[String]) -> Option<&'v Value> {
    keys.iter().try_fold(value, |value, key| match item(key) {
        Some((key, index)) => value.get(key)?.get(index),
        None => value.get(key),
    })
}

/// What stands at a place, to be changed.
pub(super) fn at_mut<'v>(value: &'v mut Value, keys: &[String]) -> Option<&'v mut Value> {
    keys.iter().try_fold(value, |value, key| match item(key) {
        Some((key, index)) => value.get_mut(key)?.get_mut(index),
        None => value.get_mut(key),
    })
}

/// The list and the index of a key such as `each[1]`.
fn item(key: &str) -> Option<(&str, usize)> {
    let (list, index) = key.strip_suffix(']')?.split_once('[')?;
    Some((list, index.parse().ok()?))
}
