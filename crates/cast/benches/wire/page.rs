//! The table of all that has been found, as a page of the documentation.

use crate::case::{Case, Row};
use crate::place::{kept, root};
use serde_json::Value;
use std::fs;

const PAGE: &str = "docs/on-the-wire-measured.md";
/// Around the table: what stands outside stays as it is.
const BEGIN: &str = "<!-- make measure-wire -->\n";
const END: &str = "<!-- end -->\n";

/// Keeps what a case has found.
pub fn keep(name: &str, rows: &[Row]) {
    let path = kept("found").join(name).with_extension("json");
    let rows: Vec<Value> = rows.iter().map(Row::to_json).collect();
    fs::write(&path, Value::Array(rows).to_string()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Puts the table of all that was ever found here into the page; of a case that was not measured here the page keeps
/// what it has. The table.
pub fn write(cases: &[Case]) -> String {
    let path = root().join(PAGE);
    let page = fs::read_to_string(&path).unwrap_or_default();
    let parts = page.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?)));
    let published = parts.map_or("", |(_, (published, _))| published);
    let mut table = "| case | what | wire | simulator | wanted | |\n|---|---|---|---|---|---|\n".to_owned();
    for case in cases {
        let rows = found(case.name).map_or_else(|| lines_of(case.name, published), |rows| lines(case.name, &rows));
        table.extend(rows.into_iter().map(|row| row + "\n"));
    }
    if let Some((before, (_, after))) = parts
        && let Err(error) = fs::write(&path, format!("{before}{BEGIN}\n{table}\n{END}{after}"))
    {
        println!("cannot write {}: {error}", path.display());
    }
    table
}

/// Nothing if a case was not measured here, or by a program that kept it otherwise.
fn found(name: &str) -> Option<Vec<Row>> {
    let text = fs::read_to_string(kept("found").join(name).with_extension("json")).ok()?;
    let rows: Vec<Value> = serde_json::from_str(&text).ok()?;
    rows.iter().map(Row::from_json).collect()
}

/// Markdown of one case, which is named where its first row is.
fn lines(name: &str, rows: &[Row]) -> Vec<String> {
    let shown = |number: usize| if number == 0 { format!("`{name}`") } else { String::new() };
    rows.iter()
        .enumerate()
        .map(|(number, row)| format!("| {} | {} |", shown(number), row.cells().join(" | ")))
        .collect()
}

/// What a table has of one case: from the row that names it up to the next that names one.
fn lines_of(name: &str, table: &str) -> Vec<String> {
    let begins = format!("| `{name}` |");
    let mut rows = table.lines().skip_while(|line| !line.starts_with(&begins));
    let first = rows.next();
    first.into_iter().chain(rows.take_while(|line| line.starts_with("|  |"))).map(str::to_owned).collect()
}
