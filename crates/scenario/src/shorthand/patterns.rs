//! Patterns: `[links."access-right-*"]` speaks of all links that are called so.
//!
//! What `[links.NAME]` says itself counts before what patterns say, key by key, and of several patterns the one with
//! more characters beside `*`; of equally many the first in the alphabet.

use super::kinds::completed;
use super::origins::Origins;
use super::series::{is_series, nth};
use crate::problem::{Problem, given, list, nearest};
use serde_json::{Map, Value};

/// Whether a name stands for several.
pub(crate) fn is_pattern(name: &str) -> bool {
    name.contains('*')
}

/// Whether a name is one of those for which a pattern stands: `*` is any number of any characters.
fn matches(pattern: &str, name: &str) -> bool {
    let parts: Vec<&str> = pattern.split('*').collect();
    let (Some((first, parts)), true) = (parts.split_first(), is_pattern(pattern)) else { return pattern == name };
    let (Some((last, between)), Some(mut rest)) = (parts.split_last(), name.strip_prefix(first)) else { return false };
    for part in between {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Gives every link what the patterns say that it matches. `made`: names of the links of the topology in its order;
/// nothing if they cannot be known. Then patterns stay, to be looked at for themselves.
pub(super) fn spread(
    scenario: &mut Value,
    schema: &Value,
    made: Option<&[String]>,
    origins: &mut Origins,
    problems: &mut Vec<Problem>,
) {
    let Some(Value::Object(links)) = scenario.get_mut("links") else { return };
    let mut patterns: Vec<String> = links.keys().filter(|name| is_pattern(name)).cloned().collect();
    patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.chars().filter(|sign| *sign != '*').count()));
    let Some(made) = made else {
        for pattern in &patterns {
            let mut unknown = Vec::new();
            at_index(&mut links[pattern], &format!("links.{pattern}"), 0, &mut unknown);
            problems.extend(unknown);
        }
        return;
    };
    let own = links.keys().filter(|name| !is_pattern(name) && !made.contains(name));
    let names: Vec<String> = made.iter().chain(own).cloned().collect();
    let mut said: Vec<(String, Value)> = patterns.iter().filter_map(|pattern| links.remove_entry(pattern)).collect();
    for (pattern, settings) in &mut said {
        let matching = names.iter().filter(|name| matches(pattern, name));
        let mut number = 0;
        for name in matching {
            let (mut settings, mut wrong) = (settings.clone(), Vec::new());
            at_index(&mut settings, &format!("links.{pattern}"), number, &mut wrong);
            for problem in wrong {
                if !problems.iter().any(|known| known.path == problem.path) {
                    problems.push(problem);
                }
            }
            number += 1;
            let paths = [format!("links.{name}"), format!("links.{pattern}")];
            if !links.contains_key(name) {
                origins.add(&paths[0], &paths[1]);
            }
            let link = links.entry(name.clone()).or_insert_with(|| Map::new().into());
            match (link, settings) {
                (Value::Object(link), Value::Object(settings)) => under(link, settings, &paths, schema, origins),
                // What is no table is reported where it stands.
                (link, settings) => *link = settings,
            }
        }
        if number == 0 {
            let near = nearest(pattern, names.iter().map(String::as_str));
            let all: Vec<&str> = names.iter().map(String::as_str).collect();
            let message = format!("no link is called like {pattern}{near}; there are {}", list(&all));
            problems
                .push(Problem { given: Some(pattern.clone()), ..Problem::new(format!("links.{pattern}"), message) });
        }
    }
}

/// Puts what a pattern says under what is said already. `paths`: where the latter and the former stand.
fn under(
    link: &mut Map<String, Value>,
    settings: Map<String, Value>,
    [plain, written]: &[String; 2],
    schema: &Value,
    origins: &mut Origins,
) {
    for (key, value) in settings {
        let paths = [format!("{plain}.{key}"), format!("{written}.{key}")];
        match (link.get_mut(&key), value) {
            (Some(Value::Object(back)), Value::Object(settings)) if key == "back" => {
                under(back, settings, &paths, schema, origins);
            }
            (Some(given), base) => {
                if let Some(whole) = completed(given, &base, &key, schema).and_then(Result::ok) {
                    *given = whole;
                }
            }
            (None, value) => {
                link.insert(key, value);
                let [plain, written] = paths;
                origins.add(plain, written);
            }
        }
    }
}

/// Puts the first value of each series of a part in its place.
pub(super) fn first(part: &mut Value, problems: &mut Vec<Problem>) {
    for (key, value) in part.as_object_mut().into_iter().flatten() {
        at_index(value, key, 0, problems);
    }
}

/// Puts the value `number` of each series in its place; `problems` for those that are none.
fn at_index(value: &mut Value, path: &str, number: usize, problems: &mut Vec<Problem>) {
    if is_series(value) {
        match nth(value, number) {
            Ok(plain) => *value = plain,
            Err(message) => {
                problems.push(Problem { given: Some(given(value)), ..Problem::new(path, message) });
                *value = Value::Null;
            }
        }
        return;
    }
    match value {
        Value::Object(table) => {
            table.iter_mut().for_each(|(key, value)| at_index(value, &format!("{path}.{key}"), number, problems));
        }
        Value::Array(items) => {
            items
                .iter_mut()
                .enumerate()
                .for_each(|(index, value)| at_index(value, &format!("{path}[{index}]"), number, problems));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, name, expected) in [
            ("access-*", "access-left-0", true),
            ("access-*", "access-", true),
            ("access-*", "xaccess-0", false),
            ("*-0", "access-left-0", true),
            ("*-0", "access-left-01", false),
            ("a*b*c", "abc", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxcyyb", false),
            ("ab*ba", "aba", false),
            ("*", "anything", true),
            ("hop", "hop", true),
            ("hop", "hop-1", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
