//! What tests of whole runs share: run a scenario, look into its tables.

#[allow(dead_code, reason = "not every test looks at the queue of a bottleneck")]
pub mod dumbbell;

use faircast_scenario::run::{Control, RunOutput};
use faircast_scenario::tables::{Table, Values, Words};
use faircast_scenario::{Scenario, run};

/// A scenario that must be legal.
#[allow(dead_code, reason = "not every test asks for a scenario")]
pub fn scenario(text: &str) -> Scenario {
    Scenario::from_toml(text).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// Runs a scenario that must be legal, with seed 1.
#[allow(dead_code, reason = "not every test runs one seed")]
pub fn go(text: &str) -> RunOutput {
    go_with(text, 1)
}

/// Runs a scenario that must be legal, with a seed.
#[allow(dead_code, reason = "not every test runs other seeds")]
pub fn go_with(text: &str, seed: u64) -> RunOutput {
    run(&scenario(text), seed, &Control::default(), 1).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// A table by its name.
#[allow(dead_code, reason = "not every test looks into tables")]
pub fn table<'a>(output: &'a RunOutput, name: &str) -> &'a Table {
    output.tables.iter().find(|table| table.name == name).expect("there is such a table")
}

/// A column of numbers.
#[allow(dead_code, reason = "not every test looks into tables")]
pub fn numbers<'a>(table: &'a Table, column: &str) -> &'a [f64] {
    match table.get(column) {
        Some(Values::Float(values)) => values,
        other => panic!("{column} is {other:?}"),
    }
}

/// A column of words.
#[allow(dead_code, reason = "not every test looks into tables")]
pub fn words(table: &Table, column: &str) -> Vec<String> {
    match table.get(column) {
        Some(Values::Words(Words { codes, dictionary })) => {
            codes.iter().map(|&code| dictionary[code as usize].clone()).collect()
        }
        other => panic!("{column} is {other:?}"),
    }
}

/// A column of counts.
#[allow(dead_code, reason = "not every test asks for counts")]
pub fn integers<'a>(table: &'a Table, column: &str) -> &'a [i64] {
    match table.get(column) {
        Some(Values::Integer(values)) => values,
        other => panic!("{column} is {other:?}"),
    }
}

/// A value of the summary.
#[allow(dead_code, reason = "not every test asks for the summary")]
pub fn value(output: &RunOutput, subject: &str, metric: &str) -> f64 {
    let summary = table(output, "summary");
    let (subjects, metrics) = (words(summary, "subject"), words(summary, "metric"));
    let row = subjects.iter().zip(&metrics).position(|(about, name)| about == subject && name == metric);
    numbers(summary, "value")[row.unwrap_or_else(|| panic!("no {metric} of {subject} among {metrics:?}"))]
}
