//! Arrivals and sizes from CSV files, whose content takes the place of their names in the scenario.
//!
//! ```text
//! time [s], size [KB], pair
//! 0,        12.5,      0
//! 0.25,     3,         1
//! ```
//!
//! The first line names the columns; a unit stands there in brackets or in every cell. Lines that begin with `#` are
//! comments. A file of sizes has the column `size` alone.

use crate::files::{Files, Named};
use crate::problem::{Problem, given, list, nearest, shortened};
use faircast_proto::quantity::Bytes;
use faircast_proto::time::Duration;
use serde_json::{Map, Value, json};

/// Puts the contents of files in the places of their names; what cannot be read is reported and left out.
pub(crate) fn inline(scenario: &mut Value, files: Files<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (name, flow) in scenario.get_mut("flows").and_then(Value::as_object_mut).into_iter().flatten() {
        let mut read = |place: Option<&mut Value>, key: &str, columns: &[&str]| {
            let Some(place) = place.filter(|place| place.is_string()) else { return };
            let file = place.as_str().unwrap_or_default();
            let read = Named::read(files, file).and_then(|file| {
                parse(&file.text, columns)
                    .map_err(|(line, message)| file.wrong(Some((line, 1)), &format!(", line {line}: {message}")))
            });
            *place = match read {
                Ok(rows) if columns.len() == 1 => rows.into_iter().map(|row| row["size"].clone()).collect(),
                Ok(rows) => rows.into(),
                Err(message) => {
                    let path = format!("flows.{name}.{key}");
                    problems.push(Problem { given: Some(given(place)), ..Problem::new(path, message) });
                    // It is wrong, and nothing that follows from it is said.
                    if columns.len() == 1 { json!(["1 B"]) } else { json!([]) }
                }
            };
        };
        read(flow.get_mut("arrivals"), "arrivals", &["time", "size", "pair"]);
        read(flow.get_mut("size").and_then(|size| size.get_mut("sizes")), "size.sizes", &["size"]);
    }
    problems
}

/// The rows of a text, or what is wrong with which of its lines.
fn parse(text: &str, legal: &[&str]) -> Result<Vec<Value>, (usize, String)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim_end();
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim_start().starts_with('#'));
    let (first, header) =
        lines.next().ok_or_else(|| (1, format!("the file is empty; its first line names columns: {}", list(legal))))?;
    let mut columns: Vec<(&str, Option<&str>)> = Vec::new();
    for cell in header.split(',') {
        let (name, unit) = match cell.split_once('[') {
            Some((name, rest)) => match rest.trim_end().strip_suffix(']').filter(|unit| !unit.contains(['[', ']'])) {
                Some(unit) => (name.trim(), Some(unit.trim())),
                None => {
                    let cell = shortened(cell.trim(), 60);
                    let message = format!(
                        "{cell} is no column; legal is a name, and a unit behind it in brackets, \
                                           with commas between columns"
                    );
                    return Err((first, message));
                }
            },
            None => (cell.trim(), None),
        };
        if !legal.contains(&name) {
            let near = nearest(name, legal.iter().copied());
            return Err((
                first,
                format!("there is no column {}{near}; legal are {}", shortened(name, 60), list(legal)),
            ));
        }
        if columns.iter().any(|(known, _)| *known == name) {
            return Err((first, format!("the column {name} is named twice")));
        }
        columns.push((name, unit));
    }
    if columns.iter().all(|(name, _)| *name != legal[0]) {
        return Err((first, format!("there is no column {}", legal[0])));
    }
    let (mut rows, mut before) = (Vec::new(), Duration::ZERO);
    for (line, text) in lines {
        let (row, at) = row(text, &columns, legal[0]).map_err(|message| (line, message))?;
        if at < before {
            return Err((line, format!("time runs back, from {before} to {at}; legal is as late or later")));
        }
        before = at;
        rows.push(row.into());
    }
    if rows.is_empty() {
        return Err((first, "no line follows the names of the columns".to_owned()));
    }
    Ok(rows)
}

/// What a line says, and its time if it has one.
fn row(line: &str, columns: &[(&str, Option<&str>)], needed: &str) -> Result<(Map<String, Value>, Duration), String> {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    if cells.len() > columns.len() {
        return Err(format!("{} cells for {} columns", cells.len(), columns.len()));
    }
    let (mut row, mut at) = (Map::new(), Duration::ZERO);
    for (&(name, unit), cell) in columns.iter().zip(cells).filter(|(_, cell)| !cell.is_empty()) {
        let text = unit.map_or_else(|| cell.to_owned(), |unit| format!("{cell} {unit}"));
        let of_column = |message: String| format!("column {name}: {message}");
        let (key, value) = match name {
            "time" => {
                at = Duration::parse(&text).map_err(of_column)?;
                ("at", json!(text))
            }
            "size" => {
                if Bytes::parse(&text).map_err(of_column)? == Bytes(0) {
                    return Err(of_column(format!("{} given; legal is above 0 B", shortened(&text, 60))));
                }
                ("size", json!(text))
            }
            _ => match cell.parse::<u32>() {
                Ok(pair) => ("pair", json!(pair)),
                Err(_) => {
                    let message = format!("{} is not legal; legal is the number of a pair", shortened(cell, 60));
                    return Err(of_column(message));
                }
            },
        };
        row.insert(key.to_owned(), value);
    }
    let key = if needed == "time" { "at" } else { needed };
    if row.contains_key(key) { Ok((row, at)) } else { Err(format!("the {needed} is missing")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [&str; 3] = ["time", "size", "pair"];

    fn wrong(text: &str) -> (usize, String) {
        parse(text, &COLUMNS).expect_err("it is wrong")
    }

    #[test]
    fn arrivals_are_read_by_their_columns() {
        let rows = parse("# made by hand\npair, time [s], size\n1, 0.5, 3 KB\n, 0.5,\n", &COLUMNS).expect("legal");
        assert_eq!(rows, [json!({ "pair": 1, "at": "0.5 s", "size": "3 KB" }), json!({ "at": "0.5 s" })]);
        assert_eq!(parse("size [B]\n7\n", &["size"]).expect("legal"), [json!({ "size": "7 B" })]);
    }

    #[test]
    fn each_mistake_is_said_with_its_line() {
        let out_of_order = wrong("time [s]\n1\n0.5\n");
        assert_eq!(out_of_order, (3, "time runs back, from 1 s to 0.5 s; legal is as late or later".to_owned()));
        assert_eq!(wrong("time [s],size [B]\n1,0\n"), (2, "column size: 0 B given; legal is above 0 B".to_owned()));
        assert_eq!(wrong("size [B]\n1\n"), (1, "there is no column time".to_owned()));
        assert_eq!(wrong("time [s],size\n,7 B\n"), (2, "the time is missing".to_owned()));
        assert_eq!(wrong("time\n1\n").0, 2);
        assert_eq!(wrong("time [s],pair\n1,-1\n").0, 2);
        assert_eq!(wrong("time [s]\n1,2\n"), (2, "2 cells for 1 columns".to_owned()));
        assert_eq!(wrong(""), (1, "the file is empty; its first line names columns: time, size, pair".to_owned()));
        assert_eq!(wrong("time [s]\n"), (1, "no line follows the names of the columns".to_owned()));
        for header in ["time [s];size [B]", "time [s]\tsize [B]", "time [s,size [B]", "time [s],size [B"] {
            let (line, message) = wrong(&format!("{header}\n1;100\n"));
            assert!(line == 1 && message.contains("is no column; legal is a name"), "{message}");
        }
    }
}
