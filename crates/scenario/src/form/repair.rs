//! Stand-ins for what is wrong, so that the rest of a scenario can be read.

use super::definitions::{REF, resolve};
use serde_json::{Map, Value};

/// How to make a value legal in form.
#[derive(Debug)]
pub(crate) enum Repair {
    /// Nothing needs to be done.
    None,
    /// Leave out the key of the table at `pointer`.
    Remove { pointer: String, key: String },
    /// Put a value after the schema `with` into the table at `pointer`.
    Insert { pointer: String, key: String, with: Value },
    /// Replace what is at `pointer` by a value after the schema `with`.
    Replace { pointer: String, with: Value },
}

/// Carries all of them out; what an earlier one has taken away is passed over.
pub(crate) fn carry_out(repairs: Vec<Repair>, value: &mut Value, schema: &Value) {
    for repair in repairs {
        match repair {
            Repair::None => {}
            Repair::Remove { pointer, key } => {
                if let Some(Value::Object(table)) = value.pointer_mut(&pointer) {
                    table.remove(&key);
                }
            }
            Repair::Insert { pointer, key, with } => {
                if let Some(Value::Object(table)) = value.pointer_mut(&pointer) {
                    table.entry(key).or_insert_with(|| stand_in(&with, schema));
                }
            }
            Repair::Replace { pointer, with } => {
                if let Some(place) = value.pointer_mut(&pointer) {
                    *place = stand_in(&with, schema);
                }
            }
        }
    }
}

/// Some value that a schema admits.
fn stand_in(node: &Value, schema: &Value) -> Value {
    let node = resolve(node, schema);
    let first = |list: &str| node[list].get(0);
    if let Some(value) = node.get("default").or_else(|| node.get("const")).or_else(|| first("enum")) {
        return value.clone();
    }
    if let Some(value) = first("examples").or_else(|| node.get("minimum")) {
        return value.clone();
    }
    if let Some(choice) = first("anyOf").or_else(|| node.get("else")) {
        return stand_in(choice, schema);
    }
    match node["type"].as_str() {
        Some("boolean") => Value::Bool(false),
        Some("integer" | "number") => Value::from(0),
        Some("array") => Value::Array(Vec::new()),
        Some("object") => {
            // Of a tagged choice the first variant, which is a reference in the first branch.
            let variant = first("allOf").map(|branch| &branch["then"]);
            let definition = variant.filter(|then| then["$ref"].as_str().is_some_and(|to| to.starts_with(REF)));
            definition.map_or_else(|| required_of(node, schema), |then| stand_in(then, schema))
        }
        _ => Value::String("x".to_owned()),
    }
}

fn required_of(node: &Value, schema: &Value) -> Value {
    let keys = node["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let entries: Map<String, Value> =
        keys.map(|key| (key.to_owned(), stand_in(&node["properties"][key], schema))).collect();
    Value::Object(entries)
}
