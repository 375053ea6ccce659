//! What tests of whole runs share: run a scenario, look into its tables.

use faircast_scenario::run::{Control, RunOutput};
use faircast_scenario::tables::{Table, Values, Words};
use faircast_scenario::{Scenario, run};

/// Runs a scenario that must be legal, with seed 1.
#[allow(dead_code, reason = "not every test runs one seed")]
pub fn go(text: &str) -> RunOutput {
    let scenario = Scenario::from_toml(text).unwrap_or_else(|problems| panic!("{problems:#?}"));
    run(&scenario, 1, &Control::default(), 1).unwrap_or_else(|problems| panic!("{problems:#?}"))
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
#[allow(dead_code, reason = "not every test asks for counts")]
pub fn integers<'a>(table: &'a Table, column: &str) -> &'a [i64] {
    match table.get(column) {
        Some(Values::Integer(values)) => values,
        other => panic!("{column} is {other:?}"),
    }
}
