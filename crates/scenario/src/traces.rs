//! Traces: changes of a link from a CSV file, whose content takes the place of its name in the scenario.
//!
//! ```text
//! time [s], rate [Mbit/s], delay [ms], loss, up
//! 0,        10,            12.5,       0,    1
//! 1,        ,              13,         0.01,
//! ```
//!
//! The first line names the columns; a unit stands there in brackets or in every cell. What is empty stays as it is.
//! Lines that begin with `#` are comments.

use crate::files::{Files, Named};
use crate::problem::{Problem, given, list, nearest, shortened};
use faircast_proto::time::{Duration, Rate};
use serde_json::{Map, Value, json};

const COLUMNS: [&str; 5] = ["time", "rate", "delay", "loss", "up"];

/// Puts the contents of files in the places of their names; what cannot be read is reported and left out. `files`:
/// where they are.
pub(crate) fn inline(scenario: &mut Value, files: Files<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut of_links = |links: &mut Value, path: &str| {
        for (name, entry) in links.as_object_mut().into_iter().flatten() {
            let path = format!("{path}.{name}");
            direction(entry, &path, files, &mut problems);
            if let Some(back) = entry.get_mut("back") {
                direction(back, &format!("{path}.back"), files, &mut problems);
            }
        }
    };
    for table in ["links", "topology"] {
        if let Some(links) = scenario.get_mut(table) {
            of_links(links, table);
        }
    }
    for (name, station) in scenario.get_mut("stations").and_then(Value::as_object_mut).into_iter().flatten() {
        of_links(station, &format!("stations.{name}"));
    }
    problems
}

/// The changes of one direction of a link.
fn direction(settings: &mut Value, path: &str, files: Files<'_>, problems: &mut Vec<Problem>) {
    let Some(changes) = settings.get_mut("changes") else { return };
    let Value::String(name) = &*changes else { return };
    let read = Named::read(files, name).and_then(|file| {
        parse(&file.text).map_err(|Wrong { line, column, message }| {
            file.wrong(Some((line, column)), &format!(", line {line}: {message}"))
        })
    });
    *changes = read.unwrap_or_else(|message| {
        problems.push(Problem { given: Some(given(changes)), ..Problem::new(format!("{path}.changes"), message) });
        json!([])
    });
}

/// What is wrong with a text, and where, counted from 1.
#[derive(Debug, PartialEq)]
struct Wrong {
    line: usize,
    column: usize,
    message: String,
}

/// What is wrong with a line, and at which of its signs, counted from 0.
type InLine = (usize, String);

/// The changes that a text holds.
fn parse(text: &str) -> Result<Value, Wrong> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim_end();
    let at = |line: usize, (sign, message): InLine| Wrong { line, column: sign + 1, message };
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim_start().starts_with('#'));
    let columns = match lines.next() {
        Some((line, text)) => header(text).map_err(|wrong| at(line, wrong))?,
        None => {
            return Err(at(1, (0, format!("the file is empty; its first line names columns: {}", list(&COLUMNS)))));
        }
    };
    let (mut changes, mut before) = (Vec::new(), None);
    for (line, text) in lines {
        let (time, change) = row(text, &columns).map_err(|wrong| at(line, wrong))?;
        if let Some(before) = before.filter(|before| *before >= time) {
            let message = match before == time {
                true => format!("the time {time} stands there a second time; legal is once, and all at once"),
                false => format!("time runs back, from {before} to {time}; legal is later in every line"),
            };
            return Err(at(line, (0, message)));
        }
        before = Some(time);
        changes.extend(change);
    }
    Ok(Value::Array(changes))
}

/// A column and the unit of its cells, if it says one.
struct Column<'a> {
    name: &'static str,
    unit: Option<&'a str>,
}

fn header(line: &str) -> Result<Vec<Column<'_>>, InLine> {
    let column = |cell: &'_ str| -> Result<&'static str, String> {
        let known = COLUMNS.into_iter().find(|name| *name == cell);
        let unknown = || {
            let near = nearest(cell, COLUMNS);
            format!("there is no column {}{near}; legal are {}", shortened(cell, 60), list(&COLUMNS))
        };
        known.ok_or_else(unknown)
    };
    let mut columns: Vec<Column<'_>> = Vec::new();
    for (sign, cell) in cells(line) {
        let (name, unit) = match cell.split_once('[') {
            Some((name, unit)) => (name.trim(), Some(unit.trim_end_matches(']').trim())),
            None => (cell, None),
        };
        let name = column(name).map_err(|message| (sign, message))?;
        if columns.iter().any(|known| known.name == name) {
            return Err((sign, format!("the column {name} is named twice")));
        }
        columns.push(Column { name, unit });
    }
    if columns.iter().all(|column| column.name != "time") {
        return Err((0, "there is no column time".to_owned()));
    }
    Ok(columns)
}

/// The cells of a line, each with the number of signs before it.
fn cells(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split(',').scan(0, |before, cell| {
        let blank = cell.chars().take_while(|sign| sign.is_whitespace()).count();
        let sign = *before + blank;
        *before += cell.chars().count() + 1;
        Some((sign, cell.trim()))
    })
}

/// The time of a line, and its change unless all stays.
fn row(line: &str, columns: &[Column<'_>]) -> Result<(Duration, Option<Value>), InLine> {
    let cells: Vec<(usize, &str)> = cells(line).collect();
    if cells.iter().all(|(_, cell)| cell.is_empty()) {
        return Err((0, "the line is empty: a gap; leave it out".to_owned()));
    }
    if cells.len() > columns.len() {
        return Err((cells[columns.len()].0, format!("{} cells for {} columns", cells.len(), columns.len())));
    }
    let (mut at, mut change) = (None, Map::new());
    for (Column { name, unit }, (sign, cell)) in columns.iter().zip(cells) {
        if cell.is_empty() {
            continue;
        }
        let text = unit.map_or_else(|| cell.to_owned(), |unit| format!("{cell} {unit}"));
        let of_column = |message: String| (sign, format!("column {name}: {message}"));
        let value = match *name {
            "time" => {
                at = Some(Duration::parse(&text).map_err(of_column)?);
                continue;
            }
            "rate" => Rate::parse(&text).map(|_| json!(text)),
            "delay" => Duration::parse(&text).map(|_| json!(text)),
            "loss" => match cell.parse::<f64>() {
                Ok(p) if (0.0..=1.0).contains(&p) => Ok(json!({ "kind": "bernoulli", "p": p })),
                _ => Err(format!("{} is not legal; legal is a probability from 0 to 1", shortened(cell, 60))),
            },
            _ => match cell {
                "1" | "true" => Ok(json!(true)),
                "0" | "false" => Ok(json!(false)),
                _ => Err(format!("{} is not legal; legal are 1, 0, true and false", shortened(cell, 60))),
            },
        };
        change.insert((*name).to_owned(), value.map_err(of_column)?);
    }
    let at = at.ok_or_else(|| (0, "the time is missing".to_owned()))?;
    if change.is_empty() {
        return Ok((at, None));
    }
    change.insert("at".to_owned(), json!(at));
    Ok((at, Some(Value::Object(change))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_empty_stays() {
        let text = "\u{feff}# measured\ntime [s],rate [Mbit/s], delay,loss,up\r\n0,10,12.5 ms,0,1\n# a comment\n\
                    1.5,,13 ms\n2,,\n3,,,0.25,0\n\n";
        let expected = json!([
            {"at": "0 s", "rate": "10 Mbit/s", "delay": "12.5 ms", "loss": {"kind": "bernoulli", "p": 0.0}, "up": true},
            {"at": "1.5 s", "delay": "13 ms"},
            {"at": "3 s", "loss": {"kind": "bernoulli", "p": 0.25}, "up": false},
        ]);
        assert_eq!(parse(text), Ok(expected));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let wrong = |text: &str| parse(text).expect_err("something is wrong");
        for (text, line, column, message) in [
            ("", 1, 1, "the file is empty"),
            ("rate\n1", 1, 1, "there is no column time"),
            ("time, dela\n", 1, 7, "there is no column dela; did you mean delay?"),
            ("time,rate,rate\n", 1, 11, "the column rate is named twice"),
            ("time [s],rate\n1,1 Mbit/s\n,2 Mbit/s\n", 3, 1, "the time is missing"),
            ("time [s],rate\n1,1 Mbit/s\n\n2,2 Mbit/s\n", 3, 1, "a gap"),
            ("time [s],rate\n1,1 Mbit/s\n,\n2,2 Mbit/s\n", 3, 1, "a gap"),
            ("time [s],rate\n2,1 Mbit/s\n1,2 Mbit/s\n", 3, 1, "time runs back, from 2 s to 1 s"),
            ("time [s],rate\n2,1 Mbit/s\n2,2 Mbit/s\n", 3, 1, "a second time"),
            ("time [s],rate\n-2,1 Mbit/s\n", 2, 1, "column time: "),
            ("time,rate\n2,1 Mbit/s\n", 2, 1, "column time: "),
            ("time [s],loss\n2,  1.5\n", 2, 5, "legal is a probability"),
            ("time [s],up\n2,up\n", 2, 3, "legal are 1, 0"),
            ("time [s],up\n2,1,7\n", 2, 5, "3 cells for 2 columns"),
        ] {
            let said = wrong(text);
            assert!((said.line, said.column) == (line, column) && said.message.contains(message), "{text:?}: {said:?}");
        }
    }
}
