//! From TOML text to a JSON value.

use crate::problem::{Problem, shortened};
use serde_json::{Map, Number, Value};
use toml::de::{DeTable, DeValue};

/// The value of a text, and the places where TOML has something that JSON does not have, with null in their places.
///
/// # Errors
/// Errors of TOML, each with line and column.
pub(crate) fn to_json(text: &str) -> Result<(Value, Vec<Problem>), Vec<Problem>> {
    // A byte order mark is no part of the text; some editors put it there.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let listed = errors.iter().take(LISTED).map(|error| syntax_problem(text, error));
        return Err(listed.chain(Problem::left_out(errors.len().saturating_sub(LISTED))).collect());
    }
    let mut unreadable = Vec::new();
    let value = convert(DeValue::Table(table.into_inner()), "", &mut unreadable);
    Ok((value, unreadable))
}

/// Errors of TOML that are listed.
const LISTED: usize = 100;

fn syntax_problem(text: &str, error: &toml::de::Error) -> Problem {
    let message = error.message().trim_end().replace('\n', "; ");
    let Some(span) = error.span() else { return Problem::new("", message) };
    let before = text.get(..span.start).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let given = text.get(span).map(str::to_owned).filter(|given| !given.is_empty());
    let source: String = text.lines().nth(line - 1).unwrap_or_default().trim().chars().take(80).collect();
    Problem { given, ..Problem::new("", format!("line {line}, column {column}: no legal TOML: {message}: {source}")) }
}

fn convert(value: DeValue<'_>, path: &str, unreadable: &mut Vec<Problem>) -> Value {
    let mut refuse = |given: String, message: &str| {
        let message = format!("{} is not legal; {message}", shortened(&given, 60));
        unreadable.push(Problem { given: Some(given), ..Problem::new(path, message) });
        Value::Null
    };
    match value {
        DeValue::String(text) => Value::String(text.into_owned()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Value::from(number),
            Err(_) => refuse(number.to_string(), "whole numbers are from -2^63 to 2^63 - 1"),
        },
        DeValue::Boolean(truth) => Value::Bool(truth),
        DeValue::Float(number) => match number.as_str().parse().ok().and_then(Number::from_f64) {
            Some(number) => Value::Number(number),
            None => refuse(number.as_str().to_owned(), "numbers are finite"),
        },
        DeValue::Datetime(moment) => {
            refuse(moment.to_string(), "a scenario knows no dates; times are durations such as \"250 ms\"")
        }
        DeValue::Array(items) => {
            let items = (0..)
                .zip(items)
                .map(|(i, item): (usize, _)| convert(item.into_inner(), &format!("{path}[{i}]"), unreadable));
            Value::Array(items.collect())
        }
        DeValue::Table(entries) => {
            let mut object = Map::new();
            for (key, entry) in entries {
                let key = key.into_inner();
                let below = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
                let entry = convert(entry.into_inner(), &below, unreadable);
                object.insert(key.into_owned(), entry);
            }
            Value::Object(object)
        }
    }
}
