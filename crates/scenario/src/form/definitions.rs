//! The definitions of a schema: how they are called, found and gone through.

use serde_json::{Map, Value};

/// The schema itself, or the definition that it refers to.
pub(crate) fn resolve<'s>(node: &'s Value, schema: &'s Value) -> &'s Value {
    match node["$ref"].as_str() {
        Some(to) => resolve(&schema["$defs"][to.trim_start_matches(REF)], schema),
        None => node,
    }
}

/// The variant called `name` of a tagged choice, in a decisive schema.
pub(crate) fn variant<'s>(decisive: &'s Value, choice: &str, tag: &str, name: &str) -> Option<&'s Value> {
    let branches = decisive["$defs"][choice]["allOf"].as_array()?;
    let branch = branches.iter().find(|branch| branch["if"]["properties"][tag]["const"] == name)?;
    Some(resolve(&branch["then"], decisive))
}

/// All definitions by name.
pub(super) fn definitions(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["$defs"].as_object().into_iter().flatten()
}

/// Calls `change` for every object of the schema, innermost first.
pub(super) fn walk(value: &mut Value, change: &mut dyn FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            // What defaults and examples hold is no schema.
            object.iter_mut().filter(|(key, _)| !matches!(key.as_str(), "default" | "examples")).for_each(
                |(key, inner)| match (key.as_str(), inner) {
                    // Here keys are names, not keywords.
                    ("properties" | "$defs", Value::Object(named)) => {
                        named.values_mut().for_each(|inner| walk(inner, change));
                    }
                    (_, inner) => walk(inner, change),
                },
            );
            change(object);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| walk(item, change)),
        _ => {}
    }
}

/// The tag of a variant of a tagged choice, key and value.
pub(super) fn tag_of(definition: &Value) -> Option<(&'static str, &str)> {
    TAGS.iter().find_map(|tag| Some((*tag, definition["properties"][tag]["const"].as_str()?)))
}

/// The keys that say which of several kinds of tables one is: sessions have a scheme, all others a kind.
pub(crate) const TAGS: &[&str] = &["kind", "scheme"];

/// `GilbertElliott` for the kind `gilbert-elliott`, `TfmccSession` for the scheme `tfmcc`.
pub(super) fn class_name(tag: &str, kind: &str) -> String {
    if tag == "scheme" {
        return class_name("kind", kind) + "Session";
    }
    if let Some((_, name)) = NAMES.iter().find(|(exception, _)| *exception == kind) {
        return (*name).to_owned();
    }
    let capitalized = |word: &str| word[..1].to_uppercase() + &word[1..];
    kind.split('-').map(capitalized).collect()
}

/// Variants whose kind is no good name by itself.
const NAMES: &[(&str, &str)] = &[("none", "Lossless")];

/// Where definitions are referred to.
pub(crate) const REF: &str = "#/$defs/";

pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
