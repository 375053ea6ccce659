//! A small command line for programs that bring guests: check a scenario file, run it, print the summary, write the
//! tables as CSV. The whole one is that of the Python package.

use crate::files::limited;
use crate::problem::Problem;
use crate::run::{Control, RunOutput};
use crate::tables::{Table, Values, Words};
use crate::{Scenario, run, toml_lines, toml_to_json, warning};
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Does what the program's arguments ask for: register guests first.
///
/// The exit code is 0 if all went well, 2 if the input is wrong, 3 if something else was.
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    ExitCode::from(run_with(&arguments, &mut io::stdout().lock(), &mut io::stderr().lock()))
}

const HELP: &str = "\
usage: PROGRAM FILE.toml [--seed N] [--out DIR] [--check]

Checks the scenario, runs it, prints the summary and writes all tables as CSV.

  --seed N    the seed, 0 to 2^53 - 1; default: the scenario's own, 1
  --out DIR   where the tables go; default: results/NAME
  --check     only check
";

/// The file that tells a folder of results from others: the resolved scenario.
const RESOLVED: &str = "scenario.json";

/// Why there is no result.
enum Failed {
    /// Wrong input.
    Input(Vec<String>),
    /// Anything else.
    Other(String),
}

struct Asked {
    file: PathBuf,
    seed: Option<u64>,
    out: Option<PathBuf>,
    only_check: bool,
}

/// The same with all that it touches: returns the exit code.
fn run_with(arguments: &[OsString], out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        return u8::from(write!(out, "{HELP}").is_err()) * 3;
    }
    let (lines, code) = match asked(arguments).and_then(|asked| work(&asked, out, err)) {
        Ok(()) => return 0,
        Err(Failed::Input(lines)) => (lines, 2),
        Err(Failed::Other(line)) => (vec![line], 3),
    };
    for line in lines {
        // Nobody is left to be told if this fails.
        let _ = writeln!(err, "{line}");
    }
    code
}

fn asked(arguments: &[OsString]) -> Result<Asked, Failed> {
    let wrong = |message: String| Failed::Input(vec![message, HELP.lines().next().unwrap_or_default().to_owned()]);
    let mut asked = Asked { file: PathBuf::new(), seed: None, out: None, only_check: false };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let name = argument.to_string_lossy();
        let mut value = || rest.next().ok_or_else(|| wrong(format!("{name} needs a value")));
        match &*name {
            "--check" => asked.only_check = true,
            "--out" => asked.out = Some(value()?.into()),
            "--seed" => {
                let given = value()?.to_string_lossy();
                let seed = given.parse().ok().filter(|&seed: &u64| seed <= crate::model::MAX_SEED);
                asked.seed = Some(seed.ok_or_else(|| wrong(format!("--seed {given}: legal is 0 to 2^53 - 1")))?);
            }
            option if option.starts_with('-') => return Err(wrong(format!("there is no option {option}"))),
            _ if asked.file == Path::new("") => asked.file = argument.into(),
            more => return Err(wrong(format!("one scenario file is enough: {more} is too much"))),
        }
    }
    if asked.file == Path::new("") {
        return Err(wrong("a scenario file is needed".to_owned()));
    }
    Ok(asked)
}

fn work(asked: &Asked, out: &mut dyn Write, err: &mut dyn Write) -> Result<(), Failed> {
    let scenario = read(&asked.file)?;
    let told = |error: io::Error| Failed::Other(format!("cannot print: {error}"));
    for known in warning::known(&scenario) {
        writeln!(err, "warning: {}", known.warning.message).map_err(told)?;
    }
    if asked.only_check {
        return writeln!(out, "{} is legal", asked.file.display()).map_err(told);
    }
    let folder = asked.out.clone().unwrap_or_else(|| Path::new("results").join(&scenario.name));
    claim(&folder)?;
    let seed = asked.seed.unwrap_or(scenario.seed);
    let output = run(&scenario, seed, &Control::default(), 1)
        .map_err(|failure| Failed::Other(listed(&failure.problems()).join("\n")))?;
    for warning in &output.warnings {
        writeln!(err, "warning: {}", warning.message).map_err(told)?;
    }
    let could_not = |error: io::Error| Failed::Other(format!("cannot write into {}: {error}", folder.display()));
    fs::write(folder.join(RESOLVED), format!("{:#}\n", scenario.to_json())).map_err(could_not)?;
    write_all(&output, &folder).map_err(could_not)?;
    print(&output, out).map_err(told)?;
    writeln!(out, "\nseed {seed}; the whole summary and all tables are in {}", folder.display()).map_err(told)
}

fn read(file: &Path) -> Result<Scenario, Failed> {
    let text = fs::File::open(file)
        .map_err(|error| error.to_string())
        .and_then(limited)
        .map_err(|why| Failed::Input(vec![format!("cannot read the scenario {}: {why}", file.display())]))?;
    let of_file = |problems: Vec<Problem>| {
        let head = format!("{} is not legal:", file.display());
        let lines = toml_lines(&text, problems.iter().map(|problem| &problem.path));
        let told = lines.iter().zip(listed(&problems)).map(|(line, problem)| match line {
            Some(line) => format!("line {}, {problem}", line.number),
            None => problem,
        });
        Failed::Input(std::iter::once(head).chain(told).collect())
    };
    let value = toml_to_json(&text).map_err(of_file)?;
    let folder = file.parent().unwrap_or(Path::new("."));
    Scenario::from_json_in(value, folder).map_err(of_file)
}

fn listed(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

/// Makes the folder; one that holds anything but results of this program is not touched.
fn claim(folder: &Path) -> Result<(), Failed> {
    let shown = folder.display();
    let could_not = |error: io::Error| Failed::Input(vec![format!("cannot write into {shown}: {error}")]);
    fs::create_dir_all(folder).map_err(could_not)?;
    let is_empty = fs::read_dir(folder).map_err(could_not)?.next().is_none();
    if is_empty || folder.join(RESOLVED).is_file() {
        return Ok(());
    }
    Err(Failed::Input(vec![format!("{shown} holds something else: name another folder with --out")]))
}

fn write_all(output: &RunOutput, folder: &Path) -> io::Result<()> {
    for table in &output.tables {
        let mut file = BufWriter::new(fs::File::create(folder.join(table.name).with_extension("csv"))?);
        csv(table, &mut file)?;
        file.flush()?;
    }
    Ok(())
}

/// A table as CSV (RFC 4180, with plain line feeds). A number that is none is left out.
fn csv(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<String> = table.columns.iter().map(|column| quoted(&column.name)).collect();
    writeln!(out, "{}", names.join(","))?;
    for row in 0..table.rows() {
        let cells: Vec<String> = table.columns.iter().map(|column| quoted(&cell(&column.values, row))).collect();
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}

fn cell(values: &Values, row: usize) -> String {
    match values {
        Values::Float(values) if values[row].is_nan() => String::new(),
        Values::Float(values) => values[row].to_string(),
        Values::Integer(values) => values[row].to_string(),
        Values::Words(words) => words.dictionary[words.codes[row] as usize].clone(),
    }
}

fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// The summary for people: what concerns flows, sessions, receivers and the run, after the warm-up.
fn print(output: &RunOutput, out: &mut dyn Write) -> io::Result<()> {
    let table = |name: &str| output.tables.iter().find(|table| table.name == name);
    let words = |name: &str, column: &str| match table(name).and_then(|table| table.get(column)) {
        Some(Values::Words(words)) => words,
        _ => panic!("every run has the table {name} with the words {column}"),
    };
    let (subjects, metrics, links) = (words("summary", "subject"), words("summary", "metric"), words("links", "link"));
    let word = |words: &Words, row: usize| words.dictionary[words.codes[row] as usize].clone();
    let summary = table("summary").expect("it has words");
    let shown =
        |row: &usize| !links.dictionary.contains(&word(subjects, *row)) && !word(metrics, *row).ends_with("_all");
    let rows: Vec<usize> = (0..summary.rows()).filter(shown).collect();
    let text = |values: &Values, row: usize| match values {
        Values::Float(values) if values[row].is_nan() => "-".to_owned(),
        Values::Float(values) if values[row].fract() == 0.0 => format!("{}", values[row]),
        Values::Float(values) if values[row].abs() < 1.0 => format!("{:.6}", values[row]),
        Values::Float(values) => format!("{:.3}", values[row]),
        other => cell(other, row),
    };
    let columns = summary.columns.iter().map(|column| {
        let cells = rows.iter().map(|&row| text(&column.values, row));
        let cells: Vec<String> = std::iter::once(column.name.to_string()).chain(cells).collect();
        let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
        (cells, width, matches!(column.values, Values::Words(_)))
    });
    let columns: Vec<(Vec<String>, usize, bool)> = columns.collect();
    for line in 0..=rows.len() {
        let padded = columns.iter().map(|(cells, width, is_word)| match (&cells[line], is_word) {
            (cell, true) => format!("{cell:<width$}"),
            (cell, false) => format!("{cell:>width$}"),
        });
        writeln!(out, "{}", padded.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENARIO: &str = r#"
        format = 1
        name = "pair"
        duration = "2 s"
        [topology]
        kind = "dumbbell"
        [flows.web]
        kind = "cbr"
        rate = "100 kbit/s"
    "#;

    /// Exit code, standard output, standard error of a call in a new folder that holds the scenario.
    fn call(name: &str, scenario: &str, arguments: &[&str]) -> (u8, String, String, PathBuf) {
        let folder = std::env::temp_dir().join(format!("faircast-command-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder of its own");
        fs::write(folder.join("pair.toml"), scenario).expect("it can be written");
        let whole = |argument: &&str| OsString::from(argument.replace("HERE", &folder.display().to_string()));
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = run_with(&arguments.iter().map(whole).collect::<Vec<_>>(), &mut out, &mut err);
        let text = |bytes| String::from_utf8(bytes).expect("it writes text");
        (code, text(out), text(err), folder)
    }

    #[test]
    fn a_run_leaves_a_summary_and_its_tables() {
        let (code, out, err, folder) = call("run", SCENARIO, &["HERE/pair.toml", "--out", "HERE/out", "--seed", "7"]);
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
        assert!(out.starts_with("subject") && out.contains("seed 7; the whole summary and all tables"), "{out}");
        assert!(out.contains("\nweb ") && !out.contains("bottleneck") && !out.contains("_all"), "{out}");
        let read = |name: &str| fs::read_to_string(folder.join("out").join(name)).expect("it is there");
        let flows = read("flows.csv");
        let rows: Vec<&str> = flows.lines().collect();
        assert!(
            rows[0].starts_with("t_s,flow,rate_bps,") && rows[1].starts_with("1,web,") && rows.len() == 3,
            "{flows}"
        );
        assert!(read("events.csv").starts_with("t_s,flow,") && read(RESOLVED).contains("\"100 kbit/s\""));
        // Once more into the same folder, but not into one that is somebody else's.
        assert_eq!(call("run", SCENARIO, &["HERE/pair.toml", "--out", "HERE/out"]).0, 0);
        let (code, _, err, _) = call("run", SCENARIO, &["HERE/pair.toml", "--out", "HERE"]);
        assert!(code == 2 && err.contains("holds something else"), "{err}");
        fs::remove_dir_all(folder).expect("it can be removed");
    }

    #[test]
    fn what_is_wrong_is_said_and_nothing_is_done() {
        let wrong = SCENARIO.replace("rate", "rat").replace("2 s", "2");
        let (code, out, err, folder) = call("wrong", &wrong, &["HERE/pair.toml", "--out", "HERE/out"]);
        assert_eq!((code, out.as_str()), (2, ""));
        assert!(
            err.contains("\nline 4, duration: ")
                && err.contains("\nline 9, flows.web.rat: unknown key; did you mean rate?"),
            "{err}"
        );
        assert!(!folder.join("out").exists());
        for (arguments, message) in [
            (&["--seed", "x", "HERE/pair.toml"][..], "--seed x: legal is 0 to 2^53 - 1"),
            (&["--seed"], "--seed needs a value"),
            (&["--sed", "1"], "there is no option --sed"),
            (&["a", "b"], "one scenario file is enough: b is too much"),
            (&[], "a scenario file is needed"),
            (&["HERE/none.toml"], "cannot read the scenario"),
        ] {
            let (code, _, err, _) = call("wrong", &wrong, arguments);
            assert!(code == 2 && err.contains(message), "{err}");
        }
        let (code, out, _, _) = call("wrong", SCENARIO, &["HERE/pair.toml", "--check"]);
        assert!(code == 0 && out.ends_with("pair.toml is legal\n"), "{out}");
        fs::remove_dir_all(folder).expect("it can be removed");
    }

    #[test]
    fn cells_of_csv_keep_commas_and_quotes() {
        assert_eq!(["a", "a,b", "\"a\"", "a\nb"].map(quoted), ["a", "\"a,b\"", "\"\"\"a\"\"\"", "\"a\nb\""]);
        assert_eq!(cell(&Values::Float(vec![f64::NAN, 0.1, 3.0]), 0), "");
        assert_eq!(cell(&Values::Float(vec![f64::NAN, 0.1, 3.0]), 1), "0.1");
    }
}
