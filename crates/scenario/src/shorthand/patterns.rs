//! Links at once: `[links."access-right-*"]` speaks of all links that are called so, `[links."line-[1-9]"]` of those of
//! a row, and `[links."line-*"]` whose `to` is `home-*` makes a link to every node that is called so.
//!
//! What `[links.NAME]` says itself counts before what patterns say, key by key. A row counts before what has a `*`, and
//! of several of one sort the one with more characters beside `*`; of equally many the first in the alphabet.

use super::kinds::completed;
use super::names::{by_number, filled, is_pattern, is_range, is_several, matches, own_characters, row, stars, twice};
use super::nodes::Known;
use super::origins::Origins;
use super::series::{is_series, nth};
use crate::problem::{Problem, given, list, nearest};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The links of which one table speaks.
struct Speaks {
    /// As the table is called.
    written: String,
    /// What it says of each.
    settings: Value,
    /// Their names, in order, and the ends that it gives each.
    links: Vec<(String, Ends)>,
}

/// Ends of a link: its keys and the nodes.
type Ends = Vec<(&'static str, String)>;

/// What is wrong with a table: the key, if it is one, and the message.
type Wrong = (Option<&'static str>, String);

/// The keys of a link that name nodes.
const ENDS: [&str; 2] = ["to", "from"];

/// Gives every link what the tables say that speak of it. `made`: names of the links of the topology in its order, and
/// the nodes; nothing if they cannot be known. Then patterns stay, to be looked at for themselves.
pub(super) fn spread(
    scenario: &mut Value,
    schema: &Value,
    made: Option<(&[String], &Known)>,
    origins: &mut Origins,
    problems: &mut Vec<Problem>,
) {
    let Some(Value::Object(links)) = scenario.get_mut("links") else { return };
    let mut several: Vec<String> = links.keys().filter(|name| is_several(name)).cloned().collect();
    several.sort_by_key(|name| (is_pattern(name), std::cmp::Reverse(own_characters(name))));
    let Some((made, nodes)) = made else {
        for name in &several {
            let mut unknown = Vec::new();
            at_index(&mut links[name], &format!("links.{name}"), 0, &mut unknown);
            problems.extend(unknown);
        }
        several.iter().for_each(|name| leave_out(name, links));
        return;
    };
    let said: Vec<(String, Value)> = several.iter().filter_map(|name| links.remove_entry(name)).collect();
    let (mut tables, mut patterns) = (Vec::new(), Vec::new());
    for (written, mut settings) in said {
        match links_of(&written, &mut settings, nodes) {
            Some(Ok(links)) => tables.push(Speaks { written, settings, links }),
            Some(Err((key, message))) => {
                let path = format!("links.{written}{}", key.map(|key| format!(".{key}")).unwrap_or_default());
                let given = key.map_or(Some(written.as_str()), |key| settings[key].as_str()).map(str::to_owned);
                problems.push(Problem { given, ..Problem::new(path, message) });
                leave_out(&written, links);
            }
            None => patterns.push((written, settings)),
        }
    }
    let there: BTreeSet<&str> = made.iter().map(String::as_str).collect();
    let of_tables = tables.iter().flat_map(|table| table.links.iter().map(|(name, _)| name.clone()));
    let own: BTreeSet<String> = links.keys().cloned().chain(of_tables).collect();
    let mut own: Vec<String> = own.into_iter().filter(|name| !there.contains(&name[..])).collect();
    own.sort_by(|one, other| by_number(one, other));
    let names: Vec<&str> = made.iter().chain(&own).map(String::as_str).collect();
    for (written, settings) in patterns {
        let matching = names.iter().filter(|name| matches(&written, name));
        let links: Vec<(String, Ends)> = matching.map(|name| ((*name).to_owned(), Vec::new())).collect();
        if links.is_empty() {
            let near = nearest(&written, names.iter().copied());
            let message = format!("no link is called like {written}{near}; there are {}", list(&names));
            problems
                .push(Problem { given: Some(written.clone()), ..Problem::new(format!("links.{written}"), message) });
        }
        tables.push(Speaks { written, settings, links });
    }
    tables.sort_by_key(|table| several.iter().position(|name| *name == table.written));
    for table in &tables {
        give(table, links, schema, origins, problems);
    }
}

/// The links that a table makes or names by itself, in order, with the ends that it gives each, which it then says no
/// more; or which key is wrong and why. Nothing of a table that speaks of what others make.
fn links_of(written: &str, settings: &mut Value, nodes: &Known) -> Option<Result<Vec<(String, Ends)>, Wrong>> {
    let end = |key: &str| settings[key].as_str().filter(|end| is_several(end)).map(str::to_owned);
    let ends: Ends = ENDS.into_iter().filter_map(|key| Some((key, end(key)?))).collect();
    let links = match (is_range(written), ends.first()) {
        (true, _) => of_row(written, &ends, nodes),
        (false, Some((key, _))) => to_each(written, &ends, nodes).map_err(|message| (Some(*key), message)),
        (false, None) => return None,
    };
    if let (Ok(_), Value::Object(settings)) = (&links, settings) {
        ends.iter().for_each(|(key, _)| drop(settings.remove(*key)));
    }
    Some(links)
}

/// The links of a row, the n-th with the n-th node of each end that stands for several.
fn of_row(written: &str, ends: &Ends, nodes: &Known) -> Result<Vec<(String, Ends)>, Wrong> {
    if is_pattern(written) {
        return Err((None, format!("{written} has a row and a *; legal is one of them")));
    }
    let names = row(written).map_err(|message| (None, message))?;
    let mut links: Vec<(String, Ends)> = names.into_iter().map(|name| (name, Vec::new())).collect();
    for (key, end) in ends {
        let at_end = nodes.called(end).map_err(|message| (Some(*key), message))?;
        if at_end.len() != links.len() {
            let message =
                format!("{} nodes for {} links: name one for each, or a single one", at_end.len(), links.len());
            return Err((Some(*key), message));
        }
        links.iter_mut().zip(at_end).for_each(|((_, own), node)| own.push((key, node)));
    }
    Ok(links)
}

/// A link to each node that is called like the first end: what `*` stands for there it stands for in the name of the
/// link, and at the other end.
fn to_each(written: &str, ends: &Ends, nodes: &Known) -> Result<Vec<(String, Ends)>, String> {
    let (_, end) = &ends[0];
    let number = |name: &str| name.matches('*').count();
    if let Some((_, row)) = ends.iter().find(|(_, end)| is_range(end)) {
        return Err(format!("{row} is a row of names: name the links by a row as well, such as line-[1-9]"));
    }
    for (what, name) in std::iter::once(("the link", written)).chain(ends.iter().map(|(key, end)| (*key, &end[..]))) {
        if number(name) != number(end) {
            return Err(format!(
                "{end} has {} *, and {what}, {name}, has {}: each * of one stands for the same in the other",
                number(end),
                number(name)
            ));
        }
    }
    let called = nodes.called(end)?;
    let link = |node: &String| {
        let stars = stars(end, node).expect("the node is called so");
        let ends = ends.iter().map(|(key, end)| (*key, filled(end, &stars))).collect();
        (filled(written, &stars), ends)
    };
    let links: Vec<(String, Ends)> = called.iter().map(link).collect();
    match twice(links.iter().map(|(name, _)| name)) {
        Some(name) => {
            let to: Vec<&str> =
                (links.iter().zip(&called)).filter(|((own, _), _)| own == name).map(|(_, to)| &to[..]).collect();
            Err(format!(
                "the links to {} would both be called {name}: put something between the * of {written}",
                to.join(" and ")
            ))
        }
        None => Ok(links),
    }
}

/// Leaves out what is said of single links that a table might have made, since that cannot be known of it.
fn leave_out(table: &str, links: &mut Map<String, Value>) {
    let before = table.split(['*', '[']).next().unwrap_or_default();
    let is_its_own = |name: &str| if is_range(table) { name.starts_with(before) } else { matches(table, name) };
    let has_ends = |link: &Value| ENDS.iter().any(|key| link.get(key).is_some());
    links.retain(|name, link| is_several(name) || !is_its_own(name) || has_ends(link));
}

/// Gives each link what a table says of it.
fn give(
    table: &Speaks,
    links: &mut Map<String, Value>,
    schema: &Value,
    origins: &mut Origins,
    problems: &mut Vec<Problem>,
) {
    let Speaks { written, settings, links: of } = table;
    for (number, (name, ends)) in of.iter().enumerate() {
        let (mut settings, mut wrong) = (settings.clone(), Vec::new());
        at_index(&mut settings, &format!("links.{written}"), number, &mut wrong);
        for problem in wrong {
            if !problems.iter().any(|known| known.path == problem.path) {
                problems.push(problem);
            }
        }
        if let Value::Object(settings) = &mut settings {
            settings.extend(ends.iter().map(|(key, node)| ((*key).to_owned(), node.as_str().into())));
        }
        let paths = [format!("links.{name}"), format!("links.{written}")];
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
