//! Nodes at once: `[nodes."home-[1-1000]"]` makes a row of them, and wherever several nodes may be listed
//! `"home-*"` lists all that are called so and `"home-[1-9]"` those of a row.

use super::names::{by_number, has_several, is_pattern, is_range, is_several, matches, row};
use super::origins::Origins;
use crate::meaning::MOST;
use crate::problem::{Problem, given, list, nearest};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The nodes of a scenario by their names.
pub(super) struct Known {
    /// Those of the topology in its order, then those of the file in that of their names.
    in_order: Vec<String>,
    by_name: BTreeSet<String>,
}

impl Known {
    /// The nodes that the topology makes and those of the file, in which rows have been spelled out.
    pub fn of(made: &[String], scenario: &Value) -> Known {
        let mut by_name: BTreeSet<String> = made.iter().cloned().collect();
        let own = scenario["nodes"].as_object().into_iter().flatten().map(|(name, _)| name);
        let mut own: Vec<String> = own.filter(|name| !by_name.contains(*name)).cloned().collect();
        own.sort_by(|one, other| by_number(one, other));
        by_name.extend(own.iter().cloned());
        Known { in_order: made.iter().cloned().chain(own).collect(), by_name }
    }

    /// The nodes for which a name stands, in order, or what is wrong with it.
    pub fn called(&self, name: &str) -> Result<Vec<String>, String> {
        if is_range(name) && is_pattern(name) {
            return Err(format!("{name} has a row and a *; legal is one of them"));
        }
        let all = || self.in_order.iter().map(String::as_str);
        if is_pattern(name) {
            let called: Vec<String> = all().filter(|node| matches(name, node)).map(str::to_owned).collect();
            if called.is_empty() {
                let there: Vec<&str> = all().collect();
                return Err(format!(
                    "no node is called like {name}{}; there are {}",
                    nearest(name, all()),
                    list(&there)
                ));
            }
            return Ok(called);
        }
        let called = row(name)?;
        let mut lacking = called.iter().filter(|node| !self.by_name.contains(*node));
        match (lacking.next(), lacking.count()) {
            (None, _) => Ok(called),
            (Some(first), others) => {
                let more =
                    if others > 0 { format!(", and {others} more of {name} are not there") } else { String::new() };
                Err(format!("there is no node {first}{}{more}", nearest(first, all())))
            }
        }
    }
}

/// Whether a scenario says something of several nodes at once.
pub(super) fn are_several(scenario: &Value) -> bool {
    let inner = |table: &str| scenario[table].as_object().into_iter().flatten().map(|(_, entry)| entry);
    let lists = inner("flows").flat_map(of_flow);
    let lists = lists.chain(inner("sessions").map(|session| &session["receivers"]["nodes"]));
    let pairs = scenario["probes"]["paths"].as_array().into_iter().flatten();
    let mut lists = lists.chain(pairs.flat_map(|pair| [&pair["from"], &pair["to"]]));
    let makes = |nodes: &Map<String, Value>| nodes.keys().any(|name| is_several(name));
    lists.any(has_several) || scenario["nodes"].as_object().is_some_and(makes)
}

/// Where a flow may name several nodes.
fn of_flow(flow: &Value) -> impl Iterator<Item = &Value> {
    let of_peps = flow["pep"]["at"].as_array().into_iter().flatten();
    [&flow["from"], &flow["to"]].into_iter().chain(of_peps)
}

/// Makes the nodes of rows; whether that was all. What else is meant for several cannot be made and is dropped.
pub(super) fn make(scenario: &mut Value, origins: &mut Origins, problems: &mut Vec<Problem>) -> bool {
    let Some(Value::Object(nodes)) = scenario.get_mut("nodes") else { return true };
    let wrong = problems.len();
    let several: Vec<String> = nodes.keys().filter(|name| is_several(name)).cloned().collect();
    for (written, entry) in several.iter().filter_map(|name| nodes.remove_entry(name)).collect::<Vec<_>>() {
        let names = match is_pattern(&written) {
            true => Err(format!("{written} names nodes that are there; a row, such as home-[1-9], makes them")),
            false => row(&written),
        };
        let too_many = |names: &Vec<String>| (nodes.len() + names.len()) as u64 > MOST;
        let path = format!("nodes.{written}");
        match names {
            Ok(names) if too_many(&names) => {
                let message = format!("with these there are more than {MOST} nodes, which are the most that are legal");
                problems.push(Problem { given: Some(written), ..Problem::new(path, message) });
            }
            Ok(names) => {
                let is_plain = entry.as_object().is_some_and(Map::is_empty);
                for name in names {
                    // What a node's own table says counts.
                    if !nodes.contains_key(&name) {
                        if !is_plain {
                            origins.add(format!("nodes.{name}"), &path);
                        }
                        nodes.insert(name, entry.clone());
                    }
                }
            }
            Err(message) => problems.push(Problem { given: Some(written), ..Problem::new(path, message) }),
        }
    }
    problems.len() == wrong
}

/// Lists the nodes wherever several are named at once.
pub(super) fn spread(scenario: &mut Value, known: &Known, problems: &mut Vec<Problem>) {
    let mut listing = Listing { known, listed: 0, problems };
    for (name, flow) in scenario.get_mut("flows").and_then(Value::as_object_mut).into_iter().flatten() {
        let Value::Object(flow) = flow else { continue };
        for key in ["from", "to"] {
            let number = listing.list(flow, key, &format!("flows.{name}"));
            // So many flows as there are nodes, if nothing else is said.
            if let Some(number) = number.filter(|_| !flow.contains_key("count")) {
                flow.insert("count".to_owned(), json!(number));
            }
        }
        if let Some(Value::Array(at)) = flow.get_mut("pep").and_then(|pep| pep.get_mut("at")) {
            for (place, nodes) in at.iter_mut().enumerate() {
                let key = format!("at[{place}]");
                let mut table = Map::from_iter([(key.clone(), nodes.take())]);
                listing.list(&mut table, &key, &format!("flows.{name}.pep"));
                // What cannot be listed is no node, which has been said.
                *nodes = table.remove(&key).unwrap_or_else(|| json!([]));
            }
        }
    }
    for (name, session) in scenario.get_mut("sessions").and_then(Value::as_object_mut).into_iter().flatten() {
        let Some(Value::Object(receivers)) = session.get_mut("receivers") else { continue };
        listing.list(receivers, "nodes", &format!("sessions.{name}.receivers"));
    }
    let paths = scenario.get_mut("probes").and_then(|probes| probes.get_mut("paths"));
    if let Some(paths) = paths.and_then(Value::as_array_mut) {
        let pairs = std::mem::take(paths);
        let pairs = pairs.into_iter().enumerate().flat_map(|(place, pair)| listing.pairs(place, pair));
        *paths = pairs.collect();
    }
}

/// Nodes that are listed where several are named at once.
struct Listing<'a> {
    known: &'a Known,
    /// How many so far.
    listed: u64,
    problems: &'a mut Vec<Problem>,
}

impl Listing<'_> {
    /// Lists what one key of a table names; how many nodes these are, if it named several at once. What cannot be
    /// listed is dropped.
    fn list(&mut self, table: &mut Map<String, Value>, key: &str, path: &str) -> Option<usize> {
        let path = format!("{path}.{key}");
        let value = table.get(key)?;
        let listed = match value {
            Value::String(name) if is_several(name) => self.called(&path, name),
            Value::Array(items) if has_several(value) => {
                let of_item = |(place, item): (usize, &Value)| match item.as_str().filter(|name| is_several(name)) {
                    Some(name) => self.called(&format!("{path}[{place}]"), name),
                    None => Some(vec![item.clone()]),
                };
                let found: Vec<Option<Vec<Value>>> = items.iter().enumerate().map(of_item).collect();
                found.into_iter().collect::<Option<Vec<_>>>().map(|found| found.concat())
            }
            _ => return None,
        };
        let number = listed.as_ref().map(Vec::len);
        match listed {
            Some(listed) => drop(table.insert(key.to_owned(), listed.into())),
            None => drop(table.remove(key)),
        }
        number
    }

    /// The pairs of nodes for which one pair stands: each of its first end with each of its second.
    fn pairs(&mut self, place: usize, pair: Value) -> Vec<Value> {
        let mut pairs = vec![pair];
        for key in ["from", "to"] {
            let Some(name) = pairs[0][key].as_str().filter(|name| is_several(name)).map(str::to_owned) else {
                continue;
            };
            let Some(nodes) = self.called(&format!("probes.paths[{place}].{key}"), &name) else { return Vec::new() };
            let with = |pair: &Value, node: &Value| {
                let mut pair = pair.clone();
                pair[key] = node.clone();
                pair
            };
            pairs = pairs.iter().flat_map(|pair| nodes.iter().map(move |node| with(pair, node))).collect();
        }
        pairs
    }

    /// The nodes for which a name at a path stands; nothing if something is wrong with it, which is then said.
    fn called(&mut self, path: &str, name: &str) -> Option<Vec<Value>> {
        let message = match self.known.called(name) {
            Ok(nodes) if self.listed + nodes.len() as u64 <= MOST => {
                self.listed += nodes.len() as u64;
                return Some(nodes.into_iter().map(Value::String).collect());
            }
            Ok(nodes) => format!("{} nodes for {name}: with these more than {MOST} are listed", nodes.len()),
            Err(message) => message,
        };
        let given = Some(given(&json!(name)));
        self.problems.push(Problem { given, ..Problem::new(path, message) });
        None
    }
}
