//! Parts: what is wrong with the form of one part of a scenario, before there is a scenario around it.

use crate::form::definitions::{REF, variant};
use crate::form::found::find;
use crate::form::schema::{decisive, of_parts, schema, with_files};
use crate::form::{guests, quantity};
use crate::problem::Problem;
use crate::read::{sorted, whole_numbers};
use crate::shorthand;
use jsonschema::Validator;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Everything that is wrong with the form of a value as what the schema defines under a name, such as `Link`, or as a
/// `Scenario`. Paths begin at the part. Files that it names are not looked at.
///
/// Nothing if the schema has no such definition.
pub fn check_part(definition: &str, value: Value) -> Option<Vec<Problem>> {
    let parts = parts();
    let place = parts.place(definition)?;
    let validator = parts.validator(definition, place);
    // The part stands where it would in a scenario, as some messages and what can be said in fewer words depend on it.
    let mut value = place.iter().rev().fold(value, |inner, key| json!({ *key: inner }));
    whole_numbers(&mut value);
    let spelled = match definition {
        "Scenario" => shorthand::spell_out(&mut value, &parts.schema, &|value| validator.is_valid(value)),
        _ => shorthand::spell_part(&mut value, &parts.schema),
    };
    let problems = find(&validator, &value, &parts.schema, spelled.problems).problems;
    let mut problems = sorted(spelled.origins.trace(problems));
    let place = place.join(".");
    for problem in &mut problems {
        let inside = problem.path.strip_prefix(&place).unwrap_or(&problem.path);
        problem.path = inside.strip_prefix('.').unwrap_or(inside).to_owned();
    }
    Some(problems)
}

struct Parts {
    /// The guests that it knows.
    guests: Vec<usize>,
    schema: Value,
    /// By definition, each made when the first such part comes.
    validators: Mutex<BTreeMap<String, Arc<Validator>>>,
}

impl Parts {
    /// Where such a part may stand in a scenario. Of those whose place changes nothing that of topologies will do.
    fn place(&self, definition: &str) -> Option<&'static [&'static str]> {
        if definition == "Scenario" {
            return Some(&[]);
        }
        let properties = &self.schema["$defs"].get(definition)?["properties"];
        let kind = properties["kind"]["const"].as_str().unwrap_or_default();
        Some(if definition == "Queue" || variant(&self.schema, "Queue", "kind", kind).is_some() {
            &["links", "x", "queue"]
        } else if properties.get("queue").is_some() {
            &["links", "x"]
        } else if properties.get("start_step").is_some() {
            &["flows", "x"]
        } else {
            &["topology"]
        })
    }

    fn validator(&self, definition: &str, place: &[&str]) -> Arc<Validator> {
        let made = || self.validators.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(validator) = made().get(definition) {
            return validator.clone();
        }
        let mut root = match definition {
            "Scenario" => self.schema.clone(),
            _ => json!({ "$ref": format!("{REF}{definition}") }),
        };
        for key in place.iter().rev() {
            root = json!({ "properties": { *key: root } });
        }
        if definition != "Scenario" {
            root["$defs"] = self.reached_from(definition).into();
        }
        // Guests are asked what they stand for while it is made, which may take other locks.
        let validator = jsonschema::options()
            .with_keyword("x-quantity", quantity::keyword)
            .with_keyword("x-guest", guests::keyword)
            .build(&root)
            .expect("the schema of this crate is legal");
        made().entry(definition.to_owned()).or_insert(Arc::new(validator)).clone()
    }

    /// A definition and those that it refers to, directly or not: to compile all takes ten times as long.
    fn reached_from(&self, definition: &str) -> Map<String, Value> {
        let mut found = Map::new();
        let mut open = vec![definition.to_owned()];
        while let Some(name) = open.pop() {
            if !found.contains_key(&name) {
                let node = &self.schema["$defs"][&name];
                references(node, &mut open);
                found.insert(name, node.clone());
            }
        }
        found
    }
}

/// Adds the names of the definitions that a schema refers to.
fn references(node: &Value, names: &mut Vec<String>) {
    match node {
        Value::Object(object) => {
            let to = object.get("$ref").and_then(Value::as_str);
            names.extend(to.and_then(|to| to.strip_prefix(REF)).map(str::to_owned));
            object.values().for_each(|inner| references(inner, names));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, names)),
        _ => {}
    }
}

/// What parts are held against, made anew when guests have come.
fn parts() -> Arc<Parts> {
    static PARTS: Mutex<Option<Arc<Parts>>> = Mutex::new(None);
    let guests = guests::present();
    let known = || PARTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(parts) = known().as_ref().filter(|parts| parts.guests == guests) {
        return parts.clone();
    }
    let parts =
        Arc::new(Parts { guests, schema: decisive(&with_files(&of_parts(&schema()))), validators: Mutex::default() });
    *known() = Some(parts.clone());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;

    fn lines(definition: &str, value: Value) -> Vec<String> {
        let problems = check_part(definition, value).expect("there is such a definition");
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_part_has_the_problems_that_it_has_in_a_scenario() {
        let parts = [
            json!({ "rate": "2 Mbit", "delay": 250, "simplex": 1 }),
            json!({ "rat": "2 Mbit/s", "queue": { "kind": "red", "limt": "5 packets" } }),
            json!({ "queue": { "kind": "blue" }, "loss": { "kind": "bernoulli" } }),
            json!({ "back": { "rate": "x", "loss": { "kind": "bernoulli", "p": 2 } }, "changes": [{ "time": 3 }] }),
        ];
        for part in parts {
            let whole = json!({
                "format": 1, "name": "x", "duration": "1 s", "topology": { "kind": "dumbbell" },
                "links": { "bottleneck": part },
            });
            let in_scenario: Vec<String> = Scenario::from_json(whole)
                .expect_err("it is not legal")
                .into_iter()
                .filter_map(|problem| Some(problem.to_string().strip_prefix("links.bottleneck.")?.to_owned()))
                .collect();
            assert!(!in_scenario.is_empty());
            assert_eq!(lines("Link", part), in_scenario);
        }
    }

    #[test]
    fn what_is_legal_has_no_problems() {
        assert_eq!(lines("Link", json!({ "rate": "2 Mbit/s" })), [""; 0]);
        assert_eq!(lines("Bernoulli", json!({ "kind": "bernoulli", "p": 1.0 })), [""; 0]);
        assert_eq!(lines("Loss", json!({ "kind": "bernoulli", "p": 0.5 })), [""; 0]);
        assert_eq!(lines("Scenario", json!({ "format": 1.0, "name": "x", "duration": "1 s" })), [""; 0]);
    }

    #[test]
    fn what_can_be_said_in_fewer_words_can_be_said_in_parts() {
        assert_eq!(lines("DropTail", json!({ "kind": "drop-tail", "limit": "0.5 BDP" })), [""; 0]);
        assert_eq!(lines("Queue", json!({ "kind": "red", "min_th": "20 ms" })), [""; 0]);
        let queue = json!({ "kind": "drop-tail", "limit": "50 ms" });
        for part in ["Link", "Duplex", "Settings"] {
            assert_eq!(lines(part, json!({ "queue": queue })), [""; 0], "{part}");
        }
        assert_eq!(lines("Link", json!({ "back": { "queue": queue } })), [""; 0]);
        assert_eq!(lines("Dumbbell", json!({ "kind": "dumbbell", "bottleneck": { "queue": queue } })), [""; 0]);
        let row = json!({ "first": "2 ms", "step": "5 ms" });
        assert_eq!(lines("Link", json!({ "delay": row, "queue": { "limit": "9 packets" } })), [""; 0]);
        assert_eq!(lines("Receivers", json!({ "join": row, "leave": row })), [""; 0]);
        let loss = json!({ "kind": "bernoulli", "p": 0.1, "direction": "back" });
        assert_eq!([lines("Bernoulli", loss.clone()), lines("Link", json!({ "loss": loss }))], [[""; 0], [""; 0]]);
        let [wrong] = &lines("Link", json!({ "delay": { "first": 3 } }))[..] else { panic!("one problem") };
        assert!(wrong.contains("a series has first and step"), "{wrong}");
        let [wrong] = &lines("DropTail", json!({ "kind": "drop-tail", "limit": "5" }))[..] else { panic!("one") };
        assert!(wrong.starts_with("limit: 5 has no unit"), "{wrong}");
        assert!(wrong.ends_with("\"0.5 BDP\" are legal, too"), "{wrong}");
        let [wrong] = &lines("DropTail", json!({ "kind": "drop-tail", "limit": "-1 BDP" }))[..] else { panic!("one") };
        assert!(wrong.starts_with("limit: "), "{wrong}");
        let scenario = json!({
            "format": 1, "name": "x", "duration": "1 s", "schemes": { "tfmcc": { "nothing": 1 } },
            "links": { "bottleneck": { "queue": queue } },
        });
        let [wrong] = &lines("Scenario", scenario)[..] else { panic!("one problem") };
        assert!(wrong.starts_with("schemes.tfmcc.nothing: unknown key"), "{wrong}");
    }

    #[test]
    fn what_is_missing_is_told_as_well() {
        assert_eq!(lines("Bernoulli", json!({ "kind": "bernoulli" })), ["p: missing; legal is a number from 0 to 1"]);
        let [wrong] = &lines("Link", json!([]))[..] else { panic!("one problem") };
        assert!(wrong.starts_with("[] is not legal; legal is a table of acm, agent, back, "), "{wrong}");
    }

    #[test]
    fn a_file_may_stand_for_its_content() {
        assert_eq!(lines("Link", json!({ "changes": "no-such-file.csv" })), [""; 0]);
        let found = lines("Link", json!({ "changes": 3 }));
        let legal = "a list, each item a table of at, attenuation, delay, delay_to, efficiency, es_n0, loss, over, \
                     rate, to, up";
        assert_eq!(found, [format!("changes: 3 is not legal; legal is {legal}")]);
    }

    #[test]
    fn there_are_parts_that_there_are() {
        assert!(check_part("Lnik", json!({})).is_none());
        assert!(check_part("", json!({})).is_none());
    }
}
