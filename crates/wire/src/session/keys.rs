//! Sessions as tables of keys and values.

use faircast_proto::limits::Illegal;
use faircast_proto::registry::{LIST, SchemeConfig};
use faircast_proto::source::application;
use faircast_proto::time::Rate;
use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// What a table says: scheme, greatest rate, application. Without a look at whether the values are legal together.
pub(super) type Said = (SchemeConfig, Rate, Option<application::Config>);

/// Reads a table.
pub(super) fn read(table: Value) -> Result<Said, Illegal> {
    let Value::Object(mut table) = table else { return one("session", "no table of keys and values") };
    let names = || format!("legal are {}", LIST.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "));
    let name = match table.remove("scheme") {
        Some(Value::String(name)) => name,
        Some(other) => return one("scheme", format!("{other} given; {}", names())),
        None => return one("scheme", format!("missing; {}", names())),
    };
    let Some(max_rate) = table.remove("max_rate") else {
        let why = "packets of a host are spaced by it, whatever the network would take";
        return one("max_rate", format!("missing; legal is a rate, as \"20 Mbit/s\": {why}"));
    };
    let max_rate = value("max_rate", max_rate)?;
    let application = match table.remove("application") {
        Some(given) => {
            known::<application::Config>("application.", &given, &[])?;
            Some(value("application", given)?)
        }
        None => None,
    };
    let scheme = scheme(&name, table).unwrap_or_else(|| one("scheme", format!("\"{name}\" given; {}", names())))?;
    Ok((scheme, max_rate, application))
}

macro_rules! by_name {
    ($($Variant:ident ( $($path:ident)::+ ) $(with $($header:ident)::+)? = $name:literal : $about:literal ;)+) => {
        /// The scheme of this name with these parameters, if there is one.
        fn scheme(name: &str, table: Map<String, Value>) -> Option<Result<SchemeConfig, Illegal>> {
            match name {
                $($name => Some(config::<faircast_proto::$($path)::+>(table).map(SchemeConfig::$Variant)),)+
                _ => None,
            }
        }
    };
}

faircast_proto::schemes!(by_name);

macro_rules! by_variant {
    ($($Variant:ident ( $($path:ident)::+ ) $(with $($header:ident)::+)? = $name:literal : $about:literal ;)+) => {
        /// The parameters of a scheme, all of them.
        fn parameters(scheme: &SchemeConfig) -> serde_json::Result<Value> {
            match scheme {
                $(SchemeConfig::$Variant(config) => serde_json::to_value(config),)+
                SchemeConfig::Guest(_) => Ok(Value::Null),
            }
        }
    };
}

faircast_proto::schemes!(by_variant);

/// The table of a session, with all that it has by default.
pub(super) fn written((scheme, max_rate, application): &Said) -> serde_json::Result<Value> {
    let mut table = match parameters(scheme)? {
        Value::Object(table) => table,
        _ => Map::new(),
    };
    table.insert("scheme".to_owned(), scheme.name().into());
    table.insert("max_rate".to_owned(), serde_json::to_value(max_rate)?);
    if let Some(application) = application {
        table.insert("application".to_owned(), serde_json::to_value(application)?);
    }
    Ok(Value::Object(table))
}

/// Parameters, of which none is unknown.
fn config<C: DeserializeOwned + JsonSchema>(table: Map<String, Value>) -> Result<C, Illegal> {
    let table = Value::Object(table);
    known::<C>("", &table, &["application", "max_rate", "scheme"])?;
    value("session", table)
}

fn value<T: DeserializeOwned>(key: &str, given: Value) -> Result<T, Illegal> {
    serde_json::from_value(given).or_else(|error| one(key, error.to_string()))
}

fn one<T>(key: &str, message: impl Into<String>) -> Result<T, Illegal> {
    Err(Illegal::one(key, message))
}

/// Looks whether all keys are known, also those of tables within tables. `beside` are legal, too.
fn known<C: JsonSchema>(path: &str, table: &Value, beside: &[&str]) -> Result<(), Illegal> {
    let schema = schema_for!(C).to_value();
    let mut wrong = Vec::new();
    unknown(path, table, (&schema, &schema), beside, &mut wrong);
    Illegal::unless_empty(wrong)
}

fn unknown(
    path: &str,
    table: &Value,
    (schema, whole): (&Value, &Value),
    beside: &[&str],
    wrong: &mut Vec<(String, String)>,
) {
    let schema = resolved(schema, whole);
    let (Some(table), Some(properties)) = (table.as_object(), schema["properties"].as_object()) else { return };
    for (key, value) in table {
        match properties.get(key) {
            Some(property) => unknown(&format!("{path}{key}."), value, (property, whole), &[], wrong),
            None => {
                let mut legal: Vec<&str> =
                    properties.keys().map(String::as_str).chain(beside.iter().copied()).collect();
                legal.sort_unstable();
                legal.dedup();
                wrong.push((format!("{path}{key}"), format!("unknown; legal are {}", legal.join(", "))));
            }
        }
    }
}

/// What a schema refers to, if it does.
fn resolved<'a>(schema: &'a Value, whole: &'a Value) -> &'a Value {
    let reference = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    reference.and_then(|pointer| whole.pointer(pointer)).unwrap_or(schema)
}
