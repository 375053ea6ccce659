//! What a run gave, column by column: each leaves the core when it is taken.

use faircast_scenario::run::RunOutput;
use faircast_scenario::tables::{Column, Table, Values, Words};
use serde_json::{Value, json};

/// What a run gave beside its tables: `interrupted`, `simulated_s`, `packet_hops`, `events`, `trace`, and `warnings`
/// with `kind`, `subject`, `value` and `message`.
pub fn facts(output: &RunOutput) -> Value {
    let warnings = output.warnings.iter().map(|warning| {
        let (kind, subject, message) = (warning.kind, &warning.subject, &warning.message);
        json!({ "kind": kind, "subject": subject, "value": warning.value, "message": message })
    });
    json!({
        "interrupted": output.interrupted,
        "simulated_s": output.simulated_s,
        "packet_hops": output.packet_hops,
        "events": output.events,
        "trace": output.trace.map(|(hash, records)| format!("{hash:016x}-{records}")),
        "warnings": warnings.collect::<Vec<_>>(),
    })
}

/// The tables by name, with their `rows`, and their `columns`: `name` and `kind`, "numbers" or "words".
pub fn listing(tables: &[Table]) -> Value {
    let column = |column: &Column| {
        let kind = if matches!(column.values, Values::Words(_)) { "words" } else { "numbers" };
        json!({ "name": column.name, "kind": kind })
    };
    let table = |table: &Table| {
        let columns: Vec<Value> = table.columns.iter().map(column).collect();
        json!({ "name": table.name, "rows": table.rows(), "columns": columns })
    };
    Value::Array(tables.iter().map(table).collect())
}

/// Takes the numbers of a column; counts become numbers, exact up to 2^53.
pub fn take_numbers(tables: &mut [Table], table: usize, column: usize) -> Vec<f64> {
    match take(tables, table, column) {
        Some(Values::Float(numbers)) => numbers,
        Some(Values::Integer(counts)) => counts.into_iter().map(|count| count as f64).collect(),
        _ => Vec::new(),
    }
}

/// Takes the words of a column: codes and dictionary.
pub fn take_words(tables: &mut [Table], table: usize, column: usize) -> (Vec<u32>, Vec<String>) {
    match take(tables, table, column) {
        // Codes count from 0.
        Some(Values::Words(Words { codes, dictionary })) => {
            (codes.into_iter().map(|code| code as u32).collect(), dictionary)
        }
        _ => (Vec::new(), Vec::new()),
    }
}

fn take(tables: &mut [Table], table: usize, column: usize) -> Option<Values> {
    let values = &mut tables.get_mut(table)?.columns.get_mut(column)?.values;
    Some(std::mem::replace(values, Values::Float(Vec::new())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_scenario::Scenario;
    use faircast_scenario::run::{Control, run};

    #[test]
    fn columns_come_as_they_are_and_once() {
        let text = "format = 1\nname = \"x\"\nduration = \"2 s\"\nwarmup = \"0 s\"\n[topology]\nkind = \"dumbbell\"\n\
                    [flows.web]\nkind = \"tcp\"\n[probes]\ntrace = true\n";
        let scenario = Scenario::from_toml(text).expect("it is legal");
        let mut output = run(&scenario, 1, &Control::default(), 1).expect("it runs");
        let facts = facts(&output);
        assert_eq!(facts["packet_hops"], output.packet_hops);
        assert_eq!((&facts["interrupted"], &facts["simulated_s"]), (&json!(false), &json!(2.0)));
        assert!(facts["trace"].as_str().is_some_and(|trace| trace.len() > 17));
        let listed = listing(&output.tables);
        let original = output.tables.clone();
        for (t, table) in original.iter().enumerate() {
            assert_eq!((&listed[t]["name"], &listed[t]["rows"]), (&json!(table.name), &json!(table.rows())));
            for (c, column) in table.columns.iter().enumerate() {
                let said = &listed[t]["columns"][c];
                assert_eq!(said["name"], *column.name);
                match &column.values {
                    Values::Float(numbers) => {
                        let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
                        assert_eq!(bits(&take_numbers(&mut output.tables, t, c)), bits(numbers));
                        assert_eq!(said["kind"], "numbers");
                    }
                    Values::Integer(counts) => {
                        let numbers = take_numbers(&mut output.tables, t, c);
                        assert!(numbers.iter().map(|&number| number as i64).eq(counts.iter().copied()));
                        assert_eq!(said["kind"], "numbers");
                    }
                    Values::Words(words) => {
                        let (codes, dictionary) = take_words(&mut output.tables, t, c);
                        assert!(codes.iter().map(|&code| code as i32).eq(words.codes.iter().copied()));
                        assert_eq!((dictionary, &said["kind"]), (words.dictionary.clone(), &json!("words")));
                    }
                }
                assert!(take_numbers(&mut output.tables, t, c).is_empty());
            }
        }
        assert_eq!(take_words(&mut output.tables, 999, 0), (Vec::new(), Vec::new()));
    }
}
