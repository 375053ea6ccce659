//! Everything about the text of a scenario that can be said without a run.

use crate::places::Units;
use faircast_scenario::memory::Forecast;
use faircast_scenario::warning::known;
use faircast_scenario::{Problem, Scenario, toml_errors, toml_lines, toml_to_json, toml_values};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::Range;

/// Files that a scenario names, by the names that it has for them.
pub type Files = BTreeMap<String, Vec<u8>>;

/// What is to be said of a TOML text: `problems` and their number, `count`; of a legal scenario also `scenario`, with
/// all defaults and the content of its files, `warnings`, `memory` that a run may need, bytes, and how long a run
/// takes, `duration_s`.
///
/// Problems and warnings have `path`, `message`, and if that is known `line`, counted from 1, and `at`, the units of
/// UTF-16 that they are about; problems `given` and `legal` besides, warnings their `kind`.
pub fn check(text: &str, files: &Files) -> Value {
    let lines = Lines::of(text);
    let value = match toml_to_json(text) {
        Ok(value) => value,
        Err(problems) => return refused(&problems, &lines.of_errors(&problems)),
    };
    let guests = guests(&value);
    if !guests.is_empty() {
        return refused(&guests, &lines.of_paths(&guests));
    }
    let scenario = match Scenario::from_json_with(value, files) {
        Ok(scenario) => scenario,
        Err(problems) => return refused(&problems, &lines.of_paths(&problems)),
    };
    let known = known(&scenario);
    let paths: Vec<&str> = known.iter().map(|known| known.path.as_str()).collect();
    let places = lines.places(&paths);
    let warnings = known.iter().zip(places).map(|(known, place)| {
        let (path, warning) = (&known.path, &known.warning);
        let about = json!({ "kind": warning.kind, "path": path, "message": warning.message });
        with(about, place)
    });
    json!({
        "problems": [],
        "count": 0,
        "warnings": warnings.collect::<Vec<_>>(),
        "memory": Forecast::of(&scenario.expand()).in_all(),
        "duration_s": scenario.duration.as_secs_f64(),
        "scenario": scenario.to_json(),
    })
}

/// A resolved scenario, as [`check`] gives it.
///
/// # Errors
/// What is wrong with it, in one text.
pub fn resolved(json: &str) -> Result<Scenario, String> {
    let value = serde_json::from_str(json).map_err(|error| format!("not JSON: {error}"))?;
    Scenario::from_json(value).map_err(|problems| told(&problems))
}

/// All problems in one text, one a line.
pub fn told(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Code from elsewhere that a scenario names: there is none here.
fn guests(value: &Value) -> Vec<Problem> {
    let mut found = Vec::new();
    look_for_origins(value, "", &mut found);
    found
}

fn look_for_origins(value: &Value, path: &str, found: &mut Vec<Problem>) {
    match value {
        Value::Object(table) => {
            if let Some(Value::String(origin)) = table.get("origin") {
                let message = format!(
                    "this is a guest, code from outside faircast, which a page cannot run: run the scenario by the \
                     command line where {origin} is installed"
                );
                found.push(Problem {
                    given: Some(format!("{origin:?}")),
                    ..Problem::new(below(path, "origin"), message)
                });
            }
            table.iter().for_each(|(key, value)| look_for_origins(value, &below(path, key), found));
        }
        Value::Array(items) => {
            (0..).zip(items).for_each(|(i, item): (usize, _)| look_for_origins(item, &format!("{path}[{i}]"), found));
        }
        _ => {}
    }
}

fn below(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn refused(problems: &[Problem], places: &[Option<Place>]) -> Value {
    let listed = problems.iter().zip(places).map(|(problem, place)| {
        let Problem { path, given, message, legal, .. } = problem;
        with(json!({ "path": path, "message": message, "given": given, "legal": legal }), *place)
    });
    json!({
        "problems": listed.collect::<Vec<_>>(),
        "count": problems.iter().map(Problem::count).sum::<usize>(),
    })
}

/// Where something stands: its line and the units of the text.
type Place = (usize, [usize; 2]);

fn with(mut about: Value, place: Option<Place>) -> Value {
    if let Some((line, at)) = place {
        about["line"] = line.into();
        about["at"] = json!(at);
    }
    about
}

/// The text by its lines.
struct Lines<'t> {
    text: &'t str,
    /// The byte at which each line begins.
    starts: Vec<usize>,
    units: Units<'t>,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Lines<'t> {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Lines { text, starts, units: Units::of(text) }
    }

    fn of_paths(&self, problems: &[Problem]) -> Vec<Option<Place>> {
        self.places(&problems.iter().map(|problem| problem.path.as_str()).collect::<Vec<_>>())
    }

    /// Where paths stand: their values, or the lines of the tables around them.
    fn places(&self, paths: &[&str]) -> Vec<Option<Place>> {
        let values = toml_values(self.text, paths);
        let found = toml_lines(self.text, paths).into_iter().zip(values);
        found
            .map(|(line, value)| {
                let number = line?.number;
                Some((number, self.units.range(&value.unwrap_or_else(|| self.words(number)))))
            })
            .collect()
    }

    /// Where a text is no TOML; values that JSON does not have are known by their paths.
    fn of_errors(&self, problems: &[Problem]) -> Vec<Option<Place>> {
        let errors = toml_errors(self.text);
        if errors.is_empty() {
            return self.of_paths(problems);
        }
        let place = |bytes: Option<Range<usize>>| {
            let bytes = bytes?;
            let number = self.starts.partition_point(|&start| start <= bytes.start);
            // What is missing has no length: its line is shown.
            let shown = if bytes.is_empty() { self.words(number) } else { bytes };
            Some((number, self.units.range(&shown)))
        };
        let mut places: Vec<_> = errors.into_iter().map(place).collect();
        places.resize(problems.len(), None);
        places
    }

    /// The bytes of a line, counted from 1, without blanks around them.
    fn words(&self, number: usize) -> Range<usize> {
        let start = self.starts[number - 1];
        let line = self.text[start..].lines().next().unwrap_or_default();
        let blank = line.len() - line.trim_start().len();
        start + blank..start + line.trim_end().len().max(blank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "format = 1\nname = \"x\"\nduration = \"2 s\"\n[topology]\nkind = \"dumbbell\"\n\
                        [flows.web]\nkind = \"tcp\"\n[probes]\nqueues = [\"bottleneck\"]\n";

    fn shown(text: &str, problem: &Value) -> (u64, String) {
        let at = |end: usize| problem["at"][end].as_u64().expect("it has a place") as usize;
        let units: Vec<u16> = text.encode_utf16().collect();
        let quoted = String::from_utf16(&units[at(0)..at(1)]).expect("whole characters");
        (problem["line"].as_u64().expect("it has a line"), quoted)
    }

    fn problems(text: &str) -> Vec<Value> {
        let found = check(text, &Files::new());
        assert!(found.get("scenario").is_none(), "{found}");
        found["problems"].as_array().expect("a list").clone()
    }

    #[test]
    fn a_legal_scenario_is_resolved_and_can_be_run() {
        let found = check(TEXT, &Files::new());
        assert_eq!((&found["problems"], &found["count"]), (&json!([]), &json!(0)));
        assert_eq!(found["scenario"]["flows"]["web"]["rto_min"], "1 s");
        assert_eq!(found["duration_s"], 2.0);
        assert!(found["memory"].as_f64().is_some_and(|bytes| (1e4..1e8).contains(&bytes)), "{}", found["memory"]);
        assert!(resolved(&found["scenario"].to_string()).is_ok());
        assert_eq!(resolved("{"), Err("not JSON: EOF while parsing an object at line 1 column 1".to_owned()));
        assert!(resolved("{\"format\": 1}").is_err_and(|told| told.contains("duration")));
    }

    #[test]
    fn what_is_wrong_is_said_where_it_stands() {
        let text = TEXT.replace("\"tcp\"", "\"tcp\"\nmss = \"ä\"").replace("[probes]", "[probes] # a table\nnone = 1");
        let found = problems(&text);
        let mut told: Vec<_> = found.iter().map(|problem| (problem["path"].as_str(), shown(&text, problem))).collect();
        told.sort();
        let expected = [(Some("flows.web.mss"), (8, "\"ä\"".to_owned())), (Some("probes.none"), (10, "1".to_owned()))];
        assert_eq!(told, expected);
        // What is missing: at the table that it would be in, or nowhere.
        let text = format!("{TEXT}  [sessions.film] \nscheme = \"tfmcc\"\n");
        let found = problems(&text);
        let missing = found.iter().find(|problem| problem["path"] == "sessions.film.source").expect("it is missing");
        assert_eq!(shown(&text, missing), (10, "[sessions.film]".to_owned()));
        assert_eq!(problems("format = 1\nname = \"x\"\n")[0].get("line"), None);
    }

    #[test]
    fn what_is_no_toml_is_said_where_it_stands() {
        let text = "# ä\nformat = 1\nname = x\n";
        let found = problems(text);
        assert_eq!(shown(text, &found[0]), (3, "x".to_owned()));
        assert!(found[0]["message"].as_str().is_some_and(|told| told.starts_with("line 3, column 8")), "{found:?}");
        let text = "format = 1\nname = 1970-01-01\n";
        assert_eq!(shown(text, &problems(text)[0]), (2, "1970-01-01".to_owned()));
    }

    #[test]
    fn files_are_those_that_are_given() {
        let text = format!("{TEXT}[links.bottleneck]\nchanges = \"trace.csv\"\n");
        let found = problems(&text);
        assert_eq!(found[0]["path"], "links.bottleneck.changes");
        assert_eq!(found[0]["message"], "the file trace.csv cannot be read: it has not been given");
        assert_eq!(shown(&text, &found[0]), (11, "\"trace.csv\"".to_owned()));
        let files = Files::from([("trace.csv".to_owned(), b"time [s], rate [Mbit/s]\n1, 2\n".to_vec())]);
        let scenario = &check(&text, &files)["scenario"];
        assert_eq!(scenario["links"]["bottleneck"]["changes"][0]["rate"], "2 Mbit/s");
    }

    #[test]
    fn guests_are_refused_with_a_sentence() {
        let text =
            "format = 1\nname = \"x\"\nduration = \"1 s\"\n[sessions.film]\nscheme = \"mine\"\norigin = \"mine.py\"\n";
        let found = problems(text);
        assert_eq!((found.len(), &found[0]["path"]), (1, &json!("sessions.film.origin")));
        assert_eq!(shown(text, &found[0]), (6, "\"mine.py\"".to_owned()));
        assert!(found[0]["message"].as_str().is_some_and(|told| told.contains("which a page cannot run")));
    }

    #[test]
    fn warnings_say_where_they_come_from() {
        let text = format!(
            "{TEXT}[sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-0\"\ninitial_max_rtt = \"20 ms\"\n\
             receivers = {{ nodes = [\"right-0\"] }}\n"
        );
        let found = check(&text, &Files::new());
        let warning = &found["warnings"][0];
        assert_eq!(
            (&warning["kind"], &warning["path"]),
            (&json!("initial-max-rtt"), &json!("sessions.film.initial_max_rtt"))
        );
        assert_eq!(shown(&text, warning), (13, "\"20 ms\"".to_owned()));
    }
}
