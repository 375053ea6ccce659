//! The JSON schema of scenarios.
//!
//! It is made from the serde structs by schemars and then brought into one form: every object is closed, so that an
//! unknown key is an error anywhere; every variant of a tagged choice is a definition of its own, named after its
//! kind; what may be left out is not nullable; words are one `enum`. Quantities carry `x-quantity`, the kind of their
//! unit; where a file may stand in place of its content its name carries `x-file`. The file `schema.json` of this crate
//! holds it for tools that cannot ask the program.

use super::definitions::{REF, class_name, definitions, resolve, tag_of, text, walk};
use super::guests;
use super::simplify::{close, drop_unused, name_variants, simplify};
use crate::model::{Scenario, SessionCourse, VARIED};
use faircast_proto::guest::ORIGIN;
use serde_json::{Map, Value, json};

/// The JSON schema (draft 2020-12) of a scenario, with all guests that have come by now.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(Scenario).to_value();
    simplify(&mut schema);
    name_variants(&mut schema);
    close(&mut schema);
    drop_unused(&mut schema);
    guests::add(&mut schema);
    add_schemes(&mut schema);
    add_rows(&mut schema);
    schema
}

/// Adds what a scenario may say of several links or hosts at once: patterns for names, series for values, and one
/// direction for losses.
fn add_rows(schema: &mut Value) {
    schema["properties"]["links"]["propertyNames"]["pattern"] = format!("^({NAME}|{NAMES})$").into();
    schema["properties"]["nodes"]["propertyNames"]["pattern"] = format!("^{NAMES}$").into();
    schema["$defs"]["Series"] = json!({
        "type": "object",
        "description": "Values of a row: that of the n-th link or host, counted from 0, is the first plus n steps.",
        "properties": {
            "first": { "description": "The first value.", "anyOf": [{ "type": "string" }, { "type": "number" }] },
            "step": { "description": "From one to the next.", "anyOf": [{ "type": "string" }, { "type": "number" }] },
        },
        "required": ["first", "step"],
        "additionalProperties": false,
    });
    let series = json!({ "$ref": format!("{REF}Series") });
    let mut places = vec![("Link", "delay"), ("Link", "rate"), ("Bernoulli", "p")];
    places.extend([("Receivers", "join"), ("Receivers", "leave")]);
    places.extend(FLOWS.map(|flow| (flow, "start")));
    add_lists(schema);
    for (definition, key) in places {
        let property = &mut schema["$defs"][definition]["properties"][key];
        if let Some(choices) = property.get_mut("anyOf").and_then(Value::as_array_mut) {
            choices.push(series.clone());
            continue;
        }
        let (about, default) = (property["description"].take(), property.get("default").cloned());
        let mut plain = property.clone();
        plain.as_object_mut().into_iter().for_each(|plain| plain.retain(|key, _| key != "description"));
        *property = json!({ "description": about, "anyOf": [plain, series] });
        default.into_iter().for_each(|default| property["default"] = default);
    }
    let losses = schema["$defs"]["Loss"]["oneOf"].as_array().cloned().unwrap_or_default();
    for loss in losses {
        let name = text(&loss["$ref"]).trim_start_matches(REF).to_owned();
        if name != "Lossless" {
            schema["$defs"][name]["properties"]["direction"] = json!({
                "type": "string",
                "enum": ["both", "forward", "back"],
                "description": "Which direction of the link loses; the other one then loses nothing. Default \"both\".",
                SHORTHAND: true,
            });
        }
    }
}

/// Adds what each flow of a group may have of its own: a list in the place of one value.
fn add_lists(schema: &mut Value) {
    for (flow, key) in
        FLOWS.into_iter().flat_map(|flow| VARIED.into_iter().chain(["start"]).map(move |key| (flow, key)))
    {
        let Some(property) = schema["$defs"][flow]["properties"].get_mut(key) else { continue };
        let (about, default) = (text(&property["description"]).to_owned(), property.get("default").cloned());
        let mut one = property.clone();
        one.as_object_mut()
            .into_iter()
            .for_each(|one| one.retain(|key, _| !matches!(&key[..], "description" | "default")));
        let about = format!("{about} A list has one for each of `count` flows.");
        let each = json!({ "type": "array", "items": one });
        *property = json!({ "description": about, "anyOf": [one, each], EACH: true });
        default.into_iter().for_each(|default| property["default"] = default);
    }
}

/// A name that may be a pattern.
const NAME: &str = "[A-Za-z0-9_*-]+";

/// A name that may be a row of names, each range of numbers in brackets.
const NAMES: &str = r"([A-Za-z0-9_-]|\[[0-9]+-[0-9]+\])+";

/// The definitions of the kinds of flows.
const FLOWS: [&str; 3] = ["Tcp", "Cbr", "OnOff"];

/// Marks a property that is one value or a list of such.
const EACH: &str = "x-each";

/// Marks a property that is spelled out before a scenario is held against the schema.
const SHORTHAND: &str = "x-shorthand";

/// Adds `[schemes.NAME]`, with the parameters of each scheme: what its sessions have beside what all sessions have.
fn add_schemes(schema: &mut Value) {
    let course = schemars::schema_for!(SessionCourse).to_value();
    let sessions = schema["$defs"]["Session"]["oneOf"].as_array().cloned().unwrap_or_default();
    let mut schemes = Map::new();
    for session in &sessions {
        let definition = resolve(session, schema);
        let scheme = text(&definition["properties"]["scheme"]["const"]).to_owned();
        let mut parameters = definition["properties"].as_object().cloned().unwrap_or_default();
        let of_all = |key: &str| ["scheme", ORIGIN].contains(&key) || course["properties"].get(key).is_some();
        parameters.retain(|key, _| !of_all(key));
        let parameters = json!({
            "type": "object",
            "description": format!("Parameters of the scheme {scheme}, for all sessions that do not say them."),
            "properties": parameters,
            "additionalProperties": false,
        });
        let name = class_name("kind", &scheme) + "Parameters";
        schemes.insert(scheme, json!({ "$ref": format!("{REF}{name}") }));
        schema["$defs"][name] = parameters;
    }
    let about = "Parameters by scheme, for every session of that scheme that does not say them. So a session can \
                 have another scheme without keys of the first one in its way.";
    schema["properties"]["schemes"] = json!({
        "type": "object",
        "description": about,
        "properties": schemes,
        "additionalProperties": false,
    });
}

/// The schema that scenarios are held against: a tagged choice first looks at the tag and then at nothing but the
/// variant that it names, so that the problems of that variant are reported and no others.
pub(crate) fn decisive(schema: &Value) -> Value {
    let mut decisive = schema.clone();
    let tags: Vec<(String, (&str, &str))> = definitions(schema)
        .filter_map(|(name, definition)| Some((format!("{REF}{name}"), tag_of(definition)?)))
        .collect();
    let series = format!("{REF}Series");
    walk(&mut decisive, &mut |object| {
        // Shorthand has been spelled out by now.
        if let Some(Value::Object(properties)) = object.get_mut("properties") {
            properties.retain(|_, property| property[SHORTHAND] != true);
        }
        if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
            choices.retain(|choice| choice["$ref"] != *series);
            if let [Value::Object(only)] = &choices[..] {
                let only = only.clone();
                object.remove("anyOf");
                for (key, value) in only {
                    object.entry(key).or_insert(value);
                }
            }
        }
        // What is no list is judged as one value, so that the problem of either is reported, and where it is.
        if object.get(EACH).is_some_and(|mark| *mark == true)
            && let Some(Value::Array(choices)) = object.get("anyOf")
            && let [one, each] = &choices[..]
        {
            let (one, each) = (one.clone(), each.clone());
            object.remove("anyOf");
            object.insert("if".into(), json!({ "type": "array" }));
            object.insert("then".into(), each);
            object.insert("else".into(), one);
            return;
        }
        // Words, or tables of which each says its kind.
        if let Some(Value::Array(choices)) = object.get("anyOf")
            && let [words, tables @ ..] = &choices[..]
            && words["enum"].is_array()
            && let Some(choice) = tagged(tables, &tags)
        {
            let words = words.clone();
            object.remove("anyOf");
            object.insert("if".into(), json!({ "type": "object" }));
            object.insert("then".into(), choice.into());
            object.insert("else".into(), words);
            return;
        }
        let Some(Value::Array(variants)) = object.get("oneOf") else { return };
        let Some(choice) = tagged(variants, &tags) else { return };
        object.remove("oneOf");
        object.extend(choice);
    });
    decisive
}

/// The schema of what has been spelled out as a part of a scenario: of losses the direction stays, as nobody can know
/// whose losses they are.
pub(crate) fn of_parts(schema: &Value) -> Value {
    let mut changed = schema.clone();
    walk(&mut changed, &mut |object| drop(object.remove(SHORTHAND)));
    changed
}

/// The schema where every file has been read: what was its name is its content by now.
pub(crate) fn without_files(schema: &Value) -> Value {
    instead_of_files(schema, &|_, content| content.clone())
}

/// The schema where a text is taken for the name of a file, and anything else for its content.
pub(crate) fn with_files(schema: &Value) -> Value {
    instead_of_files(schema, &|file, content| {
        let choice = [("if", json!({ "type": "string" })), ("then", file.clone()), ("else", content.clone().into())];
        choice.map(|(key, value)| (key.to_owned(), value)).into_iter().collect()
    })
}

/// What is made of the schemas of a file's name and of its content.
type Either = dyn Fn(&Value, &Map<String, Value>) -> Map<String, Value>;

/// The schema with something else wherever there is a choice of the name of a file and its content.
fn instead_of_files(schema: &Value, made: &Either) -> Value {
    let mut changed = schema.clone();
    walk(&mut changed, &mut |object| {
        if let Some(Value::Array(choices)) = object.get("anyOf")
            && let [file, Value::Object(content)] = &choices[..]
            && file["x-file"] == true
        {
            let other = made(file, content);
            object.remove("anyOf");
            object.extend(other);
        }
    });
    changed
}

/// A choice of tables that looks at the tag of each; nothing if one of them has none. `tags`: of each definition.
fn tagged(variants: &[Value], tags: &[(String, (&str, &str))]) -> Option<Map<String, Value>> {
    let tag = |variant: &Value| tags.iter().find(|(to, _)| variant["$ref"] == **to).map(|(_, tag)| *tag);
    let own = variants.iter().map(tag).collect::<Option<Vec<_>>>()?;
    let &(key, _) = own.first()?;
    let names: Vec<&str> = own.iter().map(|(_, name)| *name).collect();
    let branch = |(name, variant): (&&str, &Value)| {
        let named = json!({ "type": "object", "properties": { key: { "const": name } }, "required": [key] });
        json!({ "if": named, "then": variant })
    };
    let branches: Vec<Value> = names.iter().zip(variants).map(branch).collect();
    let mut choice = Map::new();
    choice.insert("type".into(), "object".into());
    choice.insert("properties".into(), json!({ key: { "type": "string", "enum": names } }));
    choice.insert("required".into(), json!([key]));
    choice.insert("allOf".into(), branches.into());
    Some(choice)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schema.json");

    #[test]
    fn the_file_is_up_to_date() {
        let now = serde_json::to_string_pretty(&schema()).expect("it is plain data") + "\n";
        if std::env::var_os("FAIRCAST_WRITE_SCHEMA").is_some() {
            std::fs::write(FILE, &now).expect("the file can be written");
        }
        let file = std::fs::read_to_string(FILE).unwrap_or_default();
        assert!(
            file == now,
            "crates/scenario/schema.json is out of date; renew it by\n  \
             FAIRCAST_WRITE_SCHEMA=1 cargo test -p faircast-scenario the_file_is_up_to_date\n  \
             python3 tools/generate_model.py"
        );
    }

    #[test]
    fn every_object_is_closed_and_nothing_is_null() {
        walk(&mut schema(), &mut |object| {
            if object.contains_key("properties") {
                assert_eq!(object["additionalProperties"], false, "{object:?}");
            }
            assert_ne!(object.get("type"), Some(&"null".into()), "{object:?}");
        });
    }

    #[test]
    fn every_kind_is_a_definition() {
        let schema = schema();
        let kinds = [
            faircast_sim::queue::LIST,
            faircast_sim::loss::LIST,
            faircast_sim::router::LIST,
            crate::topology::LIST,
            &[("tcp", ""), ("cbr", ""), ("on-off", "")],
        ];
        for (kind, _) in kinds.concat() {
            assert_eq!(schema["$defs"][class_name("kind", kind)]["properties"]["kind"]["const"], kind);
        }
        for (scheme, _) in faircast_proto::registry::LIST {
            assert_eq!(schema["$defs"][class_name("scheme", scheme)]["properties"]["scheme"]["const"], *scheme);
        }
    }

    #[test]
    fn flattened_parameters_stand_beside_the_others() {
        let tcp = &schema()["$defs"]["Tcp"]["properties"];
        for key in ["kind", "from", "to", "start", "count", "variant", "wnd"] {
            assert!(tcp[key].is_object(), "{key}");
        }
    }
}
