//! What tests of whole runs share: run a scenario, look into its tables.

pub mod dumbbell;

use faircast_scenario::run::{Control, RunOutput};
use faircast_scenario::tables::{Table, Values, Words};
use faircast_scenario::{Scenario, run};

/// A scenario that must be legal.
pub fn scenario(text: &str) -> Scenario {
    Scenario::from_toml(text).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// Runs a scenario that must be legal, with seed 1.
pub fn go(text: &str) -> RunOutput {
    go_with(text, 1)
}

/// Runs a scenario that must be legal, with a seed.
pub fn go_with(text: &str, seed: u64) -> RunOutput {
    run(&scenario(text), seed, &Control::default(), 1).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// A table by its name.
pub fn table<'a>(output: &'a RunOutput, name: &str) -> &'a Table {
    output.tables.iter().find(|table| table.name == name).expect("there is such a table")
}

/// A column of numbers.
pub fn numbers<'a>(table: &'a Table, column: &str) -> &'a [f64] {
    match table.get(column) {
        Some(Values::Float(values)) => values,
        other => panic!("{column} is {other:?}"),
    }
}

/// A column of words.
pub fn words(table: &Table, column: &str) -> Vec<String> {
    match table.get(column) {
        Some(Values::Words(Words { codes, dictionary })) => {
            codes.iter().map(|&code| dictionary[code as usize].clone()).collect()
        }
        other => panic!("{column} is {other:?}"),
    }
}

/// A column of counts.
pub fn integers<'a>(table: &'a Table, column: &str) -> &'a [i64] {
    match table.get(column) {
        Some(Values::Integer(values)) => values,
        other => panic!("{column} is {other:?}"),
    }
}

/// A value of the summary.
pub fn value(output: &RunOutput, subject: &str, metric: &str) -> f64 {
    let summary = table(output, "summary");
    let (subjects, metrics) = (words(summary, "subject"), words(summary, "metric"));
    let row = subjects.iter().zip(&metrics).position(|(about, name)| about == subject && name == metric);
    numbers(summary, "value")[row.unwrap_or_else(|| panic!("no {metric} of {subject} among {metrics:?}"))]
}
