//! Traces: changes of a link, or what an application makes, from a CSV file, whose content takes the place of its name
//! in the scenario.
//!
//! ```text
//! time [s], rate [Mbit/s], delay [ms], loss, up, attenuation [dB]
//! 0,        10,            12.5,       0,    1
//! 1,        ,              13,         0.01,
//! ```
//!
//! The first line names the columns; a unit stands there in brackets or in every cell. What is empty stays as it is.
//! Lines that begin with `#` are comments. A trace of an application has the columns `time` and `bytes`, and both in
//! every line.

use crate::files::{Files, Named};
use crate::problem::{Problem, given, list, nearest, shortened};
use faircast_proto::quantity::{Bytes, Decibels};
use faircast_proto::time::{Duration, Rate};
use serde_json::{Map, Value, json};

/// The columns of a trace.
pub(crate) type Columns = [&'static str];

/// Of changes of a link.
const CHANGES: &Columns = &["time", "rate", "delay", "loss", "up", "efficiency", "es_n0", "attenuation"];
/// Of what an application makes.
const MADE: &Columns = &["time", "bytes"];

/// Puts the content of files in the place of their names in the settings of one direction of a link, at a path.
pub(crate) type Inline = dyn Fn(&mut Value, &str, Files<'_>, &mut Vec<Problem>);

/// Puts the contents of files in the places of their names; what cannot be read is reported and left out. `files`:
/// where they are; `recordings`: what does so with recordings that a direction of a link names.
pub(crate) fn inline(scenario: &mut Value, files: Files<'_>, recordings: &Inline) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut of_links = |links: &mut Value, path: &str| {
        for (name, entry) in links.as_object_mut().into_iter().flatten() {
            let path = format!("{path}.{name}");
            direction(entry, &path, files, &mut problems);
            recordings(entry, &path, files, &mut problems);
            if let Some(back) = entry.get_mut("back") {
                let path = format!("{path}.back");
                direction(back, &path, files, &mut problems);
                recordings(back, &path, files, &mut problems);
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
    for table in ["flows", "sessions"] {
        for (name, entry) in scenario.get_mut(table).and_then(Value::as_object_mut).into_iter().flatten() {
            if let Some(trace) = entry.get_mut("application").and_then(|application| application.get_mut("trace")) {
                content(trace, MADE, &format!("{table}.{name}.application.trace"), files, &mut problems);
            }
        }
    }
    problems
}

/// The changes of one direction of a link.
fn direction(settings: &mut Value, path: &str, files: Files<'_>, problems: &mut Vec<Problem>) {
    if let Some(changes) = settings.get_mut("changes") {
        content(changes, CHANGES, &format!("{path}.changes"), files, problems);
    }
}

/// Puts the content of a file with these columns in the place of its name, if a name stands there.
fn content(place: &mut Value, columns: &Columns, path: &str, files: Files<'_>, problems: &mut Vec<Problem>) {
    let Value::String(name) = &*place else { return };
    let read = Named::read(files, name).and_then(|file| {
        parse(&file.text, columns).map_err(|Wrong { line, column, message }| {
            file.wrong(Some((line, column)), &format!(", line {line}: {message}"))
        })
    });
    *place = read.unwrap_or_else(|message| {
        problems.push(Problem { given: Some(given(place)), ..Problem::new(path, message) });
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
pub(crate) type InLine = (usize, String);

/// The lines that a text with these columns holds.
fn parse(text: &str, known: &Columns) -> Result<Value, Wrong> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim_end();
    let at = |line: usize, (sign, message): InLine| Wrong { line, column: sign + 1, message };
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim_start().starts_with('#'));
    let columns = match lines.next() {
        Some((line, text)) => header(text, known).map_err(|wrong| at(line, wrong))?,
        None => {
            return Err(at(1, (0, format!("the file is empty; its first line names columns: {}", list(known)))));
        }
    };
    let (mut changes, mut before) = (Vec::new(), None);
    for (line, text) in lines {
        let (time, change) = row(text, &columns).map_err(|wrong| at(line, wrong))?;
        if change.is_none() && known == MADE {
            return Err(at(line, (0, "the bytes are missing".to_owned())));
        }
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
pub(crate) struct Column<'a> {
    pub(crate) name: &'static str,
    pub(crate) unit: Option<&'a str>,
}

pub(crate) fn header<'l>(line: &'l str, legal: &Columns) -> Result<Vec<Column<'l>>, InLine> {
    let column = |cell: &'_ str| -> Result<&'static str, String> {
        let known = legal.iter().copied().find(|name| *name == cell);
        let unknown = || {
            let near = nearest(cell, legal.iter().copied());
            format!("there is no column {}{near}; legal are {}", shortened(cell, 60), list(legal))
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
pub(crate) fn cells(line: &str) -> impl Iterator<Item = (usize, &str)> {
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
            "es_n0" | "attenuation" => Decibels::parse(&text).map(|_| json!(text)),
            "efficiency" => match cell.parse::<f64>() {
                Ok(bits) if bits.is_finite() => Ok(json!(bits)),
                _ => Err(format!("{} is not legal; legal is a number of bits in a symbol", shortened(cell, 60))),
            },
            "bytes" => match Bytes::parse(&text) {
                Ok(Bytes(0)) => {
                    Err("0 B is not legal; legal is at least 1 B: leave out times at which nothing comes".into())
                }
                other => other.map(|_| json!(text)),
            },
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
        assert_eq!(parse(text, CHANGES), Ok(expected));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let wrong = |text: &str| parse(text, CHANGES).expect_err("something is wrong");
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

    #[test]
    fn a_signal_is_read_in_its_units() {
        let text = "time [s],es_n0 [dB],attenuation,efficiency\n0,12,,\n1,-3.5,2 dB,\n2,,0.25 dB,1.5\n";
        let expected = json!([
            {"at": "0 s", "es_n0": "12 dB"},
            {"at": "1 s", "es_n0": "-3.5 dB", "attenuation": "2 dB"},
            {"at": "2 s", "attenuation": "0.25 dB", "efficiency": 1.5},
        ]);
        assert_eq!(parse(text, CHANGES), Ok(expected));
        for (text, message) in [
            ("time [s],attenuation\n0,1\n", "column attenuation: "),
            ("time [s],attenuation [dB]\n0,much\n", "column attenuation: "),
            (
                "time [s],efficiency\n0,inf\n",
                "column efficiency: inf is not legal; legal is a number of bits in a symbol",
            ),
        ] {
            let said = parse(text, CHANGES).expect_err("something is wrong");
            assert!((said.line, said.column) == (2, 3) && said.message.contains(message), "{text:?}: {said:?}");
        }
    }

    #[test]
    fn what_an_application_makes_is_read_line_by_line() {
        let text = "# film\ntime [s],bytes\n0,1500 B\n0.04, 2 kB\n";
        let expected = json!([{"at": "0 s", "bytes": "1500 B"}, {"at": "40 ms", "bytes": "2 kB"}]);
        assert_eq!(parse(text, MADE), Ok(expected));
        for (text, line, column, message) in [
            ("", 1, 1, "its first line names columns: time, bytes"),
            ("time [s],rate\n", 1, 10, "there is no column rate; legal are time, bytes"),
            ("bytes\n1", 1, 1, "there is no column time"),
            ("time [s],bytes [B]\n0,1\n1,\n", 3, 1, "the bytes are missing"),
            ("time [s],bytes [B]\n0,1\n,7\n", 3, 1, "the time is missing"),
            ("time [s],bytes [B]\n0,1\n1,0\n", 3, 3, "0 B is not legal; legal is at least 1 B"),
            ("time [s],bytes [B]\n0,-1\n", 2, 3, "column bytes: "),
            ("time [s],bytes [B]\n1,1\n1,2\n", 3, 1, "the time 1 s stands there a second time"),
            ("time [s],bytes [B]\n2,1\n1,2\n", 3, 1, "time runs back, from 2 s to 1 s"),
        ] {
            let said = parse(text, MADE).expect_err("something is wrong");
            assert!((said.line, said.column) == (line, column) && said.message.contains(message), "{text:?}: {said:?}");
        }
    }
}
