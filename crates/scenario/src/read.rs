//! Reading: a scenario from a text or a value, or everything that is wrong with it, at once.
//!
//! A value is held against the schema, which finds what is wrong with its form. Each such place is then given a legal
//! stand-in, so that the rest can still be read and looked at for its meaning; what is found there that follows from a
//! stand-in is dropped.

use crate::control::{Cancelled, Control, Failure};
use crate::elements;
use crate::expand::expand;
use crate::files::Files;
use crate::form::found::{Found, find};
use crate::form::repair::{self, Repair};
use crate::form::schema::{decisive, schema, without_files};
use crate::form::{guests, quantity, toml_text, translate};
use crate::meaning;
use crate::model::Scenario;
use crate::problem::{Finding, Places, Problem, capped, shortened};
use crate::recordings::{self, held::Holding};
use crate::shorthand::{self, Limits, Origins};
use crate::traces;
use crate::web;
use jsonschema::Validator;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

impl Scenario {
    /// Reads a scenario from TOML.
    ///
    /// # Errors
    /// Everything that is wrong with it. Errors of TOML itself come alone, with line and column.
    pub fn from_toml(text: &str) -> Result<Scenario, Vec<Problem>> {
        let (value, unreadable) = toml_text::to_json(text)?;
        read(value, unreadable, Files::Unknown, &Control::default()).map_err(Failure::problems)
    }

    /// Reads a scenario from a JSON value.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn from_json(value: Value) -> Result<Scenario, Vec<Problem>> {
        Scenario::from_json_unless_cancelled(value, &Control::default()).map_err(Failure::problems)
    }

    /// Reads a scenario from a JSON value while someone else may cancel it.
    ///
    /// # Errors
    /// Everything that is wrong with it; that it was cancelled.
    pub fn from_json_unless_cancelled(value: Value, control: &Control) -> Result<Scenario, Failure> {
        read(value, Vec::new(), Files::Unknown, control)
    }

    /// Reads a scenario that lies in `folder` from a JSON value. The files that it names are read, too: their content
    /// takes the places of their names, so that the scenario stands for itself afterwards.
    ///
    /// # Errors
    /// Everything that is wrong with it and its files.
    pub fn from_json_in(value: Value, folder: &Path) -> Result<Scenario, Vec<Problem>> {
        read(value, Vec::new(), Files::Folder(folder), &Control::default()).map_err(Failure::problems)
    }

    /// Reads a scenario from a JSON value, and the files that it names from `files`, by the names that it has for them:
    /// where there are no folders. Their content takes the places of their names.
    ///
    /// # Errors
    /// Everything that is wrong with it and its files; of a file that is not given, that.
    pub fn from_json_with(value: Value, files: &BTreeMap<String, Vec<u8>>) -> Result<Scenario, Vec<Problem>> {
        read(value, Vec::new(), Files::Given(files), &Control::default()).map_err(Failure::problems)
    }

    /// The scenario with everything filled in that has a default, keys in alphabetical order. Read back it gives the
    /// same scenario.
    pub fn to_json(&self) -> Value {
        let mut filled = self.clone();
        filled.fill();
        serde_json::to_value(filled).expect("a scenario is plain data with text keys")
    }

    /// Everything that is wrong with the meaning of a scenario that was not read but put together.
    pub fn check(&self) -> Vec<Problem> {
        let found = meaning::check(self, &Control::default()).expect("nobody else has the control");
        found.into_iter().map(|finding| finding.problem).collect()
    }
}

/// The value of a TOML text, not yet checked.
///
/// # Errors
/// Errors of TOML, each with line and column, and values that JSON does not have.
pub fn toml_to_json(text: &str) -> Result<Value, Vec<Problem>> {
    let (value, unreadable) = toml_text::to_json(text)?;
    if unreadable.is_empty() { Ok(value) } else { Err(unreadable) }
}

/// `unreadable`: values that could not even be put into `value`; null stands in their places. `files`: where those are
/// that it names.
fn read(mut value: Value, unreadable: Vec<Problem>, files: Files<'_>, control: &Control) -> Result<Scenario, Failure> {
    whole_numbers(&mut value);
    let mut problems = unreadable;
    let _recordings = Holding::begin();
    problems.extend(traces::inline(&mut value, files, &recordings::inline));
    problems.extend(web::files::inline(&mut value, files));
    problems.extend(elements::inline(&mut value, files));
    // Messages quote what was written.
    let written = value.clone();
    let checker = checker();
    let spelled = shorthand::spell_out(&mut value, &checker.schema, &|value| checker.validator.is_valid(value));
    let (limits, origins) = (spelled.limits, spelled.origins);
    problems.extend(spelled.problems);
    let Found { mut problems, repairs, misspelt } = find(&checker.validator, &value, &checker.schema, problems);
    // What has been replaced, of a wrong tag the whole table: what is found in a stand-in is nobody's mistake.
    let mut replaced = Places::default();
    for repair in &repairs {
        if let Repair::Replace { pointer, .. } = repair {
            replaced.add(&translate::path_of(pointer));
        }
    }
    repair::carry_out(repairs, &mut value, &checker.schema);
    // Patterns are still there if nobody can know which links they are about.
    if let Some(Value::Object(links)) = value.get_mut("links") {
        links.retain(|name, _| !shorthand::is_several(name));
    }
    let unused = if problems.is_empty() { shorthand::unused(&value) } else { Vec::new() };
    problems.extend(unused);
    let again = if limits.is_empty() { Value::Null } else { value.clone() };
    match serde_json::from_value::<Scenario>(value) {
        Ok(mut scenario) => {
            scenario.fill();
            let by_links: Vec<Problem> = limits.places().collect();
            let uncertain = [Places::of(&problems), replaced, misspelt, Places::of(&by_links)];
            let certain = meaning::check(&scenario, control)?
                .into_iter()
                .filter(|finding| !uncertain.iter().any(|places| finding.follows_from(places)));
            let certain: Vec<Problem> = certain.map(|finding| finding.problem).collect();
            problems.extend(certain);
            if problems.is_empty() && !limits.is_empty() {
                match measured(&scenario, &limits, &origins, again, control)? {
                    Ok(settled) => scenario = settled,
                    Err(found) => problems.extend(found.into_iter().map(|finding| finding.problem)),
                }
            }
            if problems.is_empty() {
                Ok(scenario)
            } else {
                Err(sorted(quoted(origins.trace(problems), &written)).into())
            }
        }
        // The schema is made from the structs, so this does not happen but where a guest cannot read what stands in for
        // something else that is wrong; if it does, it is said as well as can be.
        Err(error) => {
            if problems.is_empty() {
                problems.push(Problem::new("", format!("cannot be read: {error}")));
            }
            Err(sorted(quoted(origins.trace(problems), &written)).into())
        }
    }
}

/// A scenario with packets in the places of what is measured by links: `value`, from which it came, with those.
fn measured(
    scenario: &Scenario,
    limits: &Limits,
    origins: &Origins,
    mut value: Value,
    control: &Control,
) -> Result<Result<Scenario, Vec<Finding>>, Cancelled> {
    let network = expand(scenario, scenario.seed, &mut Vec::new(), control)?;
    if let Err(found) = limits.settle(scenario, &network, origins, &mut value) {
        return Ok(Err(found));
    }
    let mut settled: Scenario = serde_json::from_value(value).expect("packets stand where packets stood");
    settled.fill();
    let found = meaning::check(&settled, control)?;
    Ok(if found.is_empty() { Ok(settled) } else { Err(found) })
}

/// Problems whose messages repeat what was given as it was written: `1e9 s`, not `1000000000 s`; and that say of a
/// default that it is one.
fn quoted(mut problems: Vec<Problem>, written: &Value) -> Vec<Problem> {
    for problem in &mut problems {
        let Some((read, rest)) = problem.message.split_once(" given;") else { continue };
        if is_left_out(written, &problem.path) {
            problem.message = format!("{read} by default;{rest}");
            continue;
        }
        let Some(text) = at_path(written, &problem.path).and_then(Value::as_str) else { continue };
        let is_quantity = read.starts_with(|sign: char| sign.is_ascii_digit()) && read.split(' ').count() <= 2;
        if is_quantity && text != read {
            let text = shortened(text, 60);
            let shown = if Limits::measures(&text) { format!("{text}, {read},") } else { text.clone() };
            problem.message = format!("{shown} given;{rest}");
            problem.given = Some(text);
        }
    }
    problems
}

/// Whether the table that a path leads to has been written without the key at its end.
fn is_left_out(written: &Value, path: &str) -> bool {
    let Some((table, key)) = path.rsplit_once('.') else { return false };
    at_path(written, table)
        .and_then(Value::as_object)
        .is_some_and(|table| !key.contains('[') && !table.contains_key(key))
}

/// What stands at a path such as `links.bottleneck.rate` or `probes.queues[0]`.
fn at_path<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(value, |value, part| {
        // The brackets of a row of names, `home-[1-9]`, hold more than a number.
        let index = |part: &str| -> Option<(usize, usize)> {
            let (key, index) = part.strip_suffix(']')?.rsplit_once('[')?;
            Some((key.len(), index.parse().ok()?))
        };
        let (mut key, mut indices) = (part, Vec::new());
        while let Some((length, index)) = index(key) {
            key = &key[..length];
            indices.push(index);
        }
        indices.into_iter().rev().try_fold(value.get(key)?, |value, index| value.get(index))
    })
}

pub(crate) fn sorted(mut problems: Vec<Problem>) -> Vec<Problem> {
    problems.sort_by(|a, b| a.path.cmp(&b.path));
    capped(problems.into_iter().map(Problem::bounded).collect())
}

/// Reads 1.0 as 1: JSON does not tell them apart, serde does.
pub(crate) fn whole_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(float) = number.as_f64().filter(|_| number.is_f64())
                && float.fract() == 0.0
                && float.abs() <= crate::model::MAX_SEED as f64
            {
                *value = Value::from(float as i64);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole_numbers),
        Value::Object(entries) => entries.values_mut().for_each(whole_numbers),
        _ => {}
    }
}

struct Checker {
    /// The guests that it knows.
    guests: Vec<usize>,
    schema: Value,
    validator: Validator,
}

/// What scenarios are held against, made anew when guests have come.
fn checker() -> Arc<Checker> {
    static CHECKER: Mutex<Option<Arc<Checker>>> = Mutex::new(None);
    let guests = guests::present();
    let known = || CHECKER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(checker) = known().as_ref().filter(|checker| checker.guests == guests) {
        return checker.clone();
    }
    let schema = decisive(&without_files(&schema()));
    // Guests are asked what they stand for while it is made, which may take other locks.
    let validator = jsonschema::options()
        .with_keyword("x-quantity", quantity::keyword)
        .with_keyword("x-guest", guests::keyword)
        .build(&schema)
        .expect("the schema of this crate is legal");
    let checker = Arc::new(Checker { guests, schema, validator });
    *known() = Some(checker.clone());
    checker
}
