//! From the errors of the schema validator to problems that a person can act upon.

use super::definitions::{TAGS, resolve};
use super::guests::ORIGIN_MARK;
use super::quantity::{self, is_bare, no_unit};
use super::repair::Repair;
use crate::problem::{Problem, given, list, nearest};
use crate::shorthand::is_series;
use faircast_proto::guest::ORIGIN;
use faircast_proto::limits::words;
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

/// What an error of the validator means for `whole`, and how to go on despite it.
pub(crate) fn problems(error: &ValidationError<'_>, whole: &Value, schema: &Value) -> Vec<(Problem, Repair)> {
    let pointer = error.instance_path().as_str().to_owned();
    let path = path_of(&pointer);
    let instance: &Value = error.instance();
    let node = node_of(error, schema);
    let at = |message: String| Problem {
        given: Some(given(instance)),
        legal: Some(describe(node, schema)),
        ..Problem::new(path.clone(), message)
    };
    let replace = || Repair::Replace { pointer: pointer.clone(), with: node.clone() };
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => unexpected
            .iter()
            .map(|key| {
                let problem = unknown_key(&path, key, &instance[key], node, schema);
                (problem, Repair::Remove { pointer: pointer.clone(), key: key.clone() })
            })
            .collect(),
        Kind::Required { property } => {
            let key = property.as_str().unwrap_or_default();
            let wanted = resolve(&node["properties"][key], schema);
            let legal = describe(wanted, schema);
            let message = format!("missing; legal is {legal}");
            let problem = Problem { legal: Some(legal), ..Problem::new(join(&path, key), message) };
            let repair = match wanted["enum"].is_array() && TAGS.contains(&key) {
                // Without its kind nothing of it can be judged.
                true => Repair::Replace { pointer, with: node.clone() },
                false => Repair::Insert { pointer, key: key.to_owned(), with: wanted.clone() },
            };
            vec![(problem, repair)]
        }
        Kind::PropertyNames { error } => {
            let name = error.instance().as_str().unwrap_or_default().to_owned();
            let message = "illegal name; legal are up to 100 letters, digits, - and _".to_owned();
            let (at, legal) = (join(&path, &name), Some("[A-Za-z0-9_-]+".into()));
            let problem = Problem { given: Some(name), legal, ..Problem::new(at, message) };
            // The name harms nobody who only reads.
            vec![(problem, Repair::None)]
        }
        Kind::Enum { .. } => {
            let words: Vec<&str> = node["enum"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let (parent, key) = pointer.rsplit_once('/').unwrap_or_default();
            let origin = whole.pointer(parent).and_then(|table| table[ORIGIN].as_str());
            let message = match origin.filter(|_| TAGS.contains(&key)) {
                Some(origin) => format!(
                    "{} is a guest from {origin}, and not here: take the program that has it; legal here are {}",
                    given(instance),
                    list(&words)
                ),
                None => {
                    let near = nearest(instance.as_str().unwrap_or_default(), words.iter().copied());
                    format!("{} is not legal{near}; legal are {}", given(instance), list(&words))
                }
            };
            let repair = match tagged_parent(error, schema, key) {
                Some(with) => Repair::Replace { pointer: parent.to_owned(), with },
                None => replace(),
            };
            vec![(at(message), repair)]
        }
        Kind::Constant { .. } if node[ORIGIN_MARK] == true => {
            let message = format!(
                "this comes from {}, and here is {}, which may give other results: leave {ORIGIN} out to take that",
                given(instance),
                node["const"]
            );
            vec![(at(message), replace())]
        }
        Kind::Type { .. } => vec![(at(wrong_type(instance, node, schema, &path)), replace())],
        Kind::AnyOf { .. } => vec![(at(no_choice(instance, node, schema, &path) + measured(&path, node)), replace())],
        Kind::Custom { .. } if node["x-quantity"].is_string() && is_bare(instance) => {
            vec![(at(wrong_type(instance, node, schema, &path) + measured(&path, node)), replace())]
        }
        Kind::Custom { message, .. } => vec![(at(message.clone() + measured(&path, node)), replace())],
        Kind::Minimum { .. } | Kind::Maximum { .. } if path == "format" => {
            let message = format!("format {} is not supported; this version reads format 1", given(instance));
            vec![(at(message), replace())]
        }
        _ => {
            let legal = describe(node, schema) + &reason(node);
            vec![(at(format!("{} is not legal; legal is {legal}", given(instance))), replace())]
        }
    }
}

/// Why no more is legal, if that was declared.
fn reason(node: &Value) -> String {
    node["x-reason"].as_str().map_or_else(String::new, |reason| format!(", {reason}"))
}

/// What else is legal for a number of packets in the queue of a link; not in one within it, whose rate is not known.
fn measured(path: &str, node: &Value) -> &'static str {
    let quantity = |node: &Value| matches!(node["x-quantity"].as_str(), Some("queue size" | "number of packets"));
    let choices = || node["anyOf"].as_array().into_iter().flatten();
    let of_link = path.split('.').filter(|key| *key == "queue").count() == 1;
    match of_link && (quantity(node) || choices().any(quantity)) {
        true => "; a time such as \"50 ms\" and a bandwidth-delay product such as \"0.5 BDP\" are legal, too",
        false => "",
    }
}

/// `links.bottleneck.rate` for `/links/bottleneck/rate`, `probes.queues[0]` for `/probes/queues/0`.
pub(crate) fn path_of(pointer: &str) -> String {
    pointer.split('/').skip(1).fold(String::new(), |path, part| {
        let part = part.replace("~1", "/").replace("~0", "~");
        // No table has keys of digits only beside those of names, and they are reached through names.
        let within_list = part.bytes().all(|byte| byte.is_ascii_digit()) && !LISTLESS.contains(&path.as_str());
        if within_list { format!("{path}[{part}]") } else { join(&path, &part) }
    })
}

/// Tables whose keys are names that the user chose, digits perhaps.
const LISTLESS: &[&str] = &["nodes", "links", "flows", "sessions"];

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// The schema that holds the keyword which failed.
fn node_of<'s>(error: &ValidationError<'_>, schema: &'s Value) -> &'s Value {
    let keyword = error.schema_path().as_str();
    let parent = keyword.rsplit_once('/').map_or("", |(parent, _)| parent);
    schema.pointer(parent).unwrap_or(&Value::Null)
}

/// The schema of the table whose tag is wrong, if `key` is one.
fn tagged_parent(error: &ValidationError<'_>, schema: &Value, key: &str) -> Option<Value> {
    let keyword = error.schema_path().as_str();
    let parent = keyword.strip_suffix(&format!("/properties/{key}/enum")).filter(|_| TAGS.contains(&key))?;
    schema.pointer(parent).cloned()
}

fn unknown_key(path: &str, key: &str, value: &Value, node: &Value, schema: &Value) -> Problem {
    let legal: Vec<&str> = node["properties"].as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
    let near = nearest(key, legal.iter().copied());
    let legal = list(&legal);
    let elsewhere = elsewhere(path, key).map(str::to_owned);
    let message = match (path, elsewhere.or_else(|| of_another_scheme(key, node, schema))) {
        ("schemes", _) => format!("there is no scheme {key}{near}; legal are {legal}"),
        (_, Some(message)) => message,
        ("topology", None) if schema["properties"][key]["x-quantity"].is_string() => {
            format!("unknown key here: {key} stands at the top of the file, above [topology]; legal are {legal}")
        }
        _ => format!("unknown key{near}; legal are {legal}"),
    };
    Problem { given: Some(given(value)), legal: Some(legal), ..Problem::new(join(path, key), message) }
}

/// What to say of a key that flows have and sessions cannot have, or the other way round.
fn elsewhere(path: &str, key: &str) -> Option<&'static str> {
    match (path.split_once('.')?.0, key) {
        ("sessions", "pep") => Some(
            "unknown key: a session sends to a group and has no connection that a proxy could split; legal for flows \
             of kind tcp",
        ),
        ("flows", "playout") => Some("unknown key: receivers of a flow play nothing; legal for sessions"),
        _ => None,
    }
}

/// The key that the message about an unknown one proposes, if it does.
pub(crate) fn meant(message: &str) -> Option<&str> {
    Some(message.strip_prefix("unknown key; did you mean ")?.split_once("?;")?.0)
}

/// The table of a scheme whose receivers can tell losses on links from congestion.
const LOSS_DIFFERENTIATION: &str = "loss_differentiation";

/// What to say of an unknown key of a session, if another scheme has it.
fn of_another_scheme(key: &str, node: &Value, schema: &Value) -> Option<String> {
    let own = node["properties"]["scheme"]["const"].as_str()?;
    let schemes = schema["properties"]["schemes"]["properties"].as_object()?;
    let has = |parameters: &&Value| resolve(parameters, schema)["properties"].get(key).is_some();
    let others: Vec<&str> = schemes.iter().filter(|(_, it)| has(it)).map(|(name, _)| name.as_str()).collect();
    if key == LOSS_DIFFERENTIATION && !others.is_empty() {
        let others = list(&others);
        return Some(format!(
            "no loss differentiation with {own}, whose receivers compute no rate from losses; schemes that have it are \
             {others}"
        ));
    }
    let (have, count) = if others.len() == 1 { ("has", "counts") } else { ("have", "count") };
    let tables: Vec<String> = others.iter().map(|name| format!("[schemes.{name}]")).collect();
    let (tables, others) = (tables.join(" or "), if others.is_empty() { return None } else { list(&others) });
    Some(format!(
        "unknown key: {own} has no {key}, but {others} {have}; say it in {tables}, which {count} for that scheme alone"
    ))
}

fn wrong_type(instance: &Value, node: &Value, schema: &Value, path: &str) -> String {
    match node["x-quantity"].as_str() {
        Some(kind) if is_bare(instance) => no_unit(kind, instance, path),
        _ => format!(
            "{} is not legal; legal is {}{}{}",
            given(instance),
            describe(node, schema),
            row(instance),
            counted(instance, node, schema)
        ),
    }
}

/// What to say of a number where a table is asked for that can count.
fn counted(instance: &Value, node: &Value, schema: &Value) -> String {
    let counts = resolve(node, schema)["properties"]["count"].is_object();
    if counts && instance.is_u64() { format!("; for that many write {{ count = {instance} }}") } else { String::new() }
}

/// What to say of a series that is not that of several.
fn row(instance: &Value) -> &'static str {
    match is_series(instance) {
        true => "; a series has its place where several are meant, as in [links.\"access-right-*\"]",
        false => "",
    }
}

/// The complaint about a value that fits none of several choices.
fn no_choice(instance: &Value, node: &Value, schema: &Value, path: &str) -> String {
    let choices = || node["anyOf"].as_array().into_iter().flatten().map(|choice| resolve(choice, schema));
    let others: Vec<String> =
        choices().filter(|choice| choice["const"].is_string()).map(|choice| choice["const"].to_string()).collect();
    let also = match others.is_empty() {
        true => String::new(),
        false => format!("; {} is legal, too", others.join(" or ")),
    };
    match choices().find_map(|choice| choice["x-quantity"].as_str()) {
        Some(kind) if is_bare(instance) => no_unit(kind, instance, path) + &also,
        Some(kind) if instance.is_string() => quantity::check(kind, instance).err().unwrap_or_default() + &also,
        _ => format!("{} is not legal; legal is {}", given(instance), describe(node, schema)),
    }
}

/// The bounds of a number, in words that follow "a number".
fn between(node: &Value) -> String {
    let bound = |legal: &str, illegal: &str| {
        let legal = as_text(&node[legal]).map(|value| (value, true));
        legal.or_else(|| as_text(&node[illegal]).map(|value| (value, false)))
    };
    match (bound("minimum", "exclusiveMinimum"), bound("maximum", "exclusiveMaximum")) {
        (Some((least, true)), Some((greatest, true))) => format!(" from {least} to {greatest}"),
        (Some((least, true)), None) => format!(" from {least}"),
        (None, Some((greatest, true))) => format!(" up to {greatest}"),
        (None, None) => String::new(),
        (low, high) => format!(" {}", words(low, high)),
    }
}

/// A number as people write it: 1.0 is 1, and of large whole numbers no digit is lost.
fn as_text(number: &Value) -> Option<String> {
    if number.is_f64() { Some(number.as_f64()?.to_string()) } else { number.is_number().then(|| number.to_string()) }
}

/// What a schema asks for, in words.
fn describe(node: &Value, schema: &Value) -> String {
    let node = resolve(node, schema);
    if let Some(kind) = node["x-quantity"].as_str() {
        return format!("a {kind} such as {}", node["examples"][0]);
    }
    if let Some(constant) = node.get("const") {
        return constant.to_string();
    }
    if let (Some(least), Some(greatest)) = (node["minimum"].as_f64(), node["maximum"].as_f64())
        && least == greatest
    {
        return least.to_string();
    }
    if let Some(words) = node["enum"].as_array() {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        return format!("one of {}", list(&words));
    }
    if node["else"].is_object() {
        return format!("{} or {}", describe(&node["else"], schema), describe(&node["then"], schema));
    }
    if let Some(choices) = node["anyOf"].as_array() {
        // Bounds beside the choices are those of the number among them.
        let bounds = |choice: &Value| if choice["type"] == "number" { between(node) } else { String::new() };
        let choices = choices.iter().map(|choice| describe(choice, schema) + &bounds(choice));
        return choices.collect::<Vec<_>>().join(" or ");
    }
    let range = |what: &str| format!("{what}{}", between(node));
    match node["type"].as_str() {
        Some("boolean") => "true or false".to_owned(),
        Some("integer") => range("a whole number"),
        Some("number") => range("a number"),
        Some("string") if node["pattern"].is_string() => {
            "a text of up to 100 letters, digits, -, _ and ., without spaces and not starting with a dot".to_owned()
        }
        Some("string") => "a text".to_owned(),
        Some("array") => format!("a list, each item {}", describe(&node["items"], schema)),
        Some("object") => {
            let tag = TAGS.iter().find_map(|tag| Some((tag, node["properties"][tag]["enum"].as_array()?)));
            match tag {
                Some((tag, names)) => {
                    let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
                    format!("a table with a {tag}: {}", list(&names))
                }
                None => {
                    let keys: Vec<&str> =
                        node["properties"].as_object().into_iter().flatten().map(|(k, _)| &**k).collect();
                    if keys.is_empty() { "a table".to_owned() } else { format!("a table of {}", list(&keys)) }
                }
            }
        }
        _ => "something else".to_owned(),
    }
}
