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

/// Puts the table of all that was ever found here into the page. The table.
pub fn write(cases: &[Case]) -> String {
    let rows: Vec<(&str, Row)> = cases.iter().flat_map(|case| found(case.name)).collect();
    let table = table(&rows);
    let path = root().join(PAGE);
    let page = fs::read_to_string(&path).unwrap_or_default();
    if let Some((before, rest)) = page.split_once(BEGIN)
        && let Some((_, after)) = rest.split_once(END)
        && let Err(error) = fs::write(&path, format!("{before}{BEGIN}\n{table}\n{END}{after}"))
    {
        println!("cannot write {}: {error}", path.display());
    }
    table
}

fn found(name: &str) -> Vec<(&str, Row)> {
    let text = fs::read_to_string(kept("found").join(name).with_extension("json")).unwrap_or_default();
    let rows: Vec<Value> = serde_json::from_str(&text).unwrap_or_default();
    rows.iter().filter_map(Row::from_json).map(|row| (name, row)).collect()
}

/// Markdown. The case is named where its first row is.
fn table(rows: &[(&str, Row)]) -> String {
    let mut lines =
        vec!["| case | what | wire | simulator | wanted | |".to_owned(), "|---|---|---|---|---|---|".to_owned()];
    let mut before = "";
    for (name, row) in rows {
        let shown = if *name == before { String::new() } else { format!("`{name}`") };
        before = name;
        lines.push(format!("| {shown} | {} |", row.cells().join(" | ")));
    }
    lines.join("\n") + "\n"
}
