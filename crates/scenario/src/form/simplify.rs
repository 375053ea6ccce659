//! What schemars makes, brought into one form.

use super::definitions::{REF, class_name, tag_of, text, walk};
use serde_json::{Map, Value, json};

/// Takes away what only repeats the types of Rust: null for options, number formats, one schema per word.
pub(super) fn simplify(schema: &mut Value) {
    walk(schema, &mut |object| {
        let most = object.remove("format").as_ref().and_then(Value::as_str).and_then(greatest);
        let is_bounded = object.contains_key("maximum") || object.contains_key("exclusiveMaximum");
        if let Some(most) = most.filter(|_| !is_bounded) {
            object.insert("maximum".into(), most.into());
        }
        if let Some(Value::String(about)) = object.get_mut("description") {
            *about = about.split("\n\n").map(|paragraph| paragraph.replace('\n', " ")).collect::<Vec<_>>().join("\n\n");
        }
        if let Some(Value::Array(types)) = object.get_mut("type") {
            types.retain(|name| name != "null");
            if let [only] = &types[..] {
                let only = only.clone();
                object.insert("type".into(), only);
            }
        }
        if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
            choices.retain(|choice| choice["type"] != "null");
            if let [Value::Object(only)] = &choices[..] {
                let only = only.clone();
                object.remove("anyOf");
                let own = std::mem::take(object);
                object.extend(only.into_iter().chain(own));
            }
        }
        // What guests can be a variant of is no choice of exactly one for schemars.
        if let Some(Value::Array(choices)) = object.get("anyOf")
            && choices.iter().all(|choice| tag_of(choice).is_some() || choice["const"].is_string())
        {
            let choices = choices.clone();
            object.remove("anyOf");
            object.insert("oneOf".into(), choices.into());
        }
        if let Some(Value::Array(words)) = object.get("oneOf")
            && words.iter().all(|word| word["const"].is_string())
        {
            let meanings: Vec<String> = words
                .iter()
                .map(|word| format!("\"{}\": {}", text(&word["const"]), text(&word["description"])))
                .collect();
            let about = object.get("description").map_or("", text).to_owned();
            let values: Vec<Value> = words.iter().map(|word| word["const"].clone()).collect();
            object.remove("oneOf");
            object.insert("type".into(), "string".into());
            object.insert("description".into(), format!("{about}\n\n{}", meanings.join("\n")).into());
            object.insert("enum".into(), values.into());
        }
    });
}

/// The largest whole number that a type of Rust without a sign can hold and TOML can say.
fn greatest(format: &str) -> Option<u64> {
    match format {
        "uint8" => Some(u8::MAX.into()),
        "uint16" => Some(u16::MAX.into()),
        "uint32" => Some(u32::MAX.into()),
        "uint64" | "uint" => Some(i64::MAX as u64),
        _ => None,
    }
}

/// Makes every variant of a tagged choice a definition.
pub(super) fn name_variants(schema: &mut Value) {
    let before = schema["$defs"].clone();
    let mut made = Map::new();
    walk(schema, &mut |object| {
        let Some(Value::Array(variants)) = object.get_mut("oneOf") else { return };
        for variant in variants {
            let Some((key, kind)) = tag_of(variant) else { continue };
            let name = class_name(key, kind);
            let mut definition = variant.as_object().cloned().unwrap_or_default();
            if let Some(to) = definition.remove("$ref") {
                let base = &before[text(&to).trim_start_matches(REF)];
                for key in ["properties", "required"] {
                    match (definition.get_mut(key), base.get(key)) {
                        (Some(Value::Object(own)), Some(Value::Object(more))) => own.extend(more.clone()),
                        (Some(Value::Array(own)), Some(Value::Array(more))) => own.extend(more.clone()),
                        _ => {}
                    }
                }
            }
            *variant = json!({ "$ref": format!("{REF}{name}") });
            let clash = made.insert(name, definition.into());
            assert!(clash.is_none(), "two kinds share a name");
        }
    });
    let definitions = schema["$defs"].as_object_mut().expect("there are definitions");
    definitions.extend(made);
}

/// Closes every object.
pub(super) fn close(schema: &mut Value) {
    walk(schema, &mut |object| {
        if object.get("type").is_some_and(|name| name == "object") && object.get("additionalProperties").is_none() {
            object.insert("additionalProperties".into(), false.into());
        }
    });
}

/// Drops definitions that nothing refers to any more.
pub(super) fn drop_unused(schema: &mut Value) {
    let all = schema.to_string();
    let definitions = schema["$defs"].as_object_mut().expect("there are definitions");
    definitions.retain(|name, _| all.contains(&format!("\"{REF}{name}\"")));
}
