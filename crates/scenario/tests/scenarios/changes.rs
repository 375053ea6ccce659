//! Changes in scenarios: what they may say, traces from files, and what a run gives.

use faircast_scenario::run::{Control, RunOutput};
use faircast_scenario::tables::{Values, Words};
use faircast_scenario::{Problem, Scenario, run, toml_to_json};
use std::path::{Path, PathBuf};

/// A constant rate of 1 Mbit/s for ten seconds over 2 Mbit/s. `SETTINGS` stands for those of the bottleneck.
const BASE: &str = r#"
format = 1
name = "base"
duration = "10 s"
warmup = "0 s"
reroute_interval = "500 ms"
topology = { kind = "dumbbell", left = 1 }
nodes.other = {}

[links.bottleneck]
rate = "2 Mbit/s"
delay = "10 ms"
SETTINGS

[links.spur]
from = "left-router"
to = "other"
rate = "2 Mbit/s"
delay = "10 ms"
simplex = true
changes = [{ at = "3 s", to = "right-router" }, { at = "1 s", up = false }, { at = "1 s", rate = "1 Mbit/s" }]

[flows.load]
kind = "cbr"
rate = "1 Mbit/s"
packet_size = "1000 B"
"#;

fn with(settings: &str) -> String {
    BASE.replace("SETTINGS", settings)
}

fn problems(text: &str) -> Vec<Problem> {
    Scenario::from_toml(text).expect_err("something is wrong")
}

#[test]
fn what_is_wrong_with_changes_is_said_where_it_stands() {
    let change = "links.bottleneck.changes";
    for (entries, path, message) in [
        (r#"{ at = "-1 s", up = false }"#, "[0].at", "not negative"),
        (
            r#"{ at = "1 s" }"#,
            "[0]",
            "says nothing that changes; legal are up, rate, delay, loss, efficiency, es_n0, attenuation and to",
        ),
        (r#"{ up = false }"#, "[0].at", "missing"),
        (
            r#"{ at = "2 s", rate = "1 Mbit/s", up = true }, { at = "1 s", up = true }, { at = "2000 ms", up = true }"#,
            "[2].up",
            "changes at 2 s a second time, after changes[0]; legal is once at one instant",
        ),
        (
            r#"{ at = "2 s", delay = "1 ms" }, { at = "2 s", delay_to = "3 ms", delay = "2 ms", over = "1 s" }"#,
            "[1].delay",
            "a second time",
        ),
        (r#"{ at = "1 s", delay_to = "3 ms", delay = "2 ms" }"#, "[0]", "needs delay, delay_to and over"),
        (r#"{ at = "1 s", over = "3 ms" }"#, "[0]", "needs delay, delay_to and over"),
        (
            r#"{ at = "1 s", delay = "0 s", delay_to = "1 h", over = "100 ms" }"#,
            "[0].over",
            "100 ms given; legal is at least 0.109863282 s for this difference",
        ),
        (r#"{ at = "1 s", delay = "61 min" }"#, "[0].delay", "legal is at most 3600 s"),
        (r#"{ at = "1 s", rate = "9 bit/s" }"#, "[0].rate", "legal is 10 bit/s to 10000 Gbit/s"),
        (r#"{ at = "1 s", loss = { kind = "bernoulli", p = 1.5 } }"#, "[0].loss.p", "legal is a number from 0 to 1"),
        (r#"{ at = "1 s", to = "other" }"#, "[0].to", "only a link of its own with simplex = true can turn"),
        (r#"{ at = "1 s", dealy = "1 ms" }"#, "[0].dealy", "did you mean delay?"),
    ] {
        let found = problems(&with(&format!("changes = [{entries}]")));
        assert_eq!(found.len(), 1, "{entries}: {found:#?}");
        assert_eq!(found[0].path, format!("{change}{path}"), "{entries}");
        assert!(found[0].message.contains(message), "{entries}: {}", found[0].message);
    }
    for (settings, path, message) in [
        ("header = \"2 KB\"", "links.bottleneck.header", "2 KB given; legal is at most 1500 B"),
        ("handoff_queue = \"kept\"", "links.bottleneck.handoff_queue", "did you mean keep?"),
        ("changes = 7", change, "legal is a list"),
        ("changes = \"trace.csv\"", change, "trace.csv cannot be read: nobody has said where the scenario lies"),
        ("back = { changes = [{ at = \"1 s\" }] }", "links.bottleneck.back.changes[0]", "says nothing"),
    ] {
        let found = problems(&with(settings));
        assert_eq!((found.len(), &found[0].path[..]), (1, path), "{settings}: {found:#?}");
        assert!(found[0].message.contains(message), "{settings}: {}", found[0].message);
    }
    let text = with("");
    for (old, new, path, message) in [
        ("500 ms", "999 us", "reroute_interval", "legal is at least 1 ms"),
        (
            "left = 1 }",
            "left = 1, reroute_interval = \"1 s\" }",
            "topology.reroute_interval",
            "unknown key here: reroute_interval stands at the top of the file, above [topology]",
        ),
        ("to = \"right-router\" }", "to = \"right-ruter\" }", "links.spur.changes[0].to", "did you mean right-router?"),
        (
            "to = \"right-router\" }",
            "to = \"left-router\" }",
            "links.spur.changes[0].to",
            "not to the one where it starts",
        ),
    ] {
        let found = problems(&text.replace(old, new));
        assert_eq!((found.len(), &found[0].path[..]), (1, path), "{found:#?}");
        assert!(found[0].message.contains(message), "{}", found[0].message);
    }
}

/// A folder of its own, with a trace of this text in it.
fn folder(name: &str, trace: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    std::fs::write(folder.join("trace.csv"), trace).expect("a file can be written");
    folder
}

fn from_folder(folder: &Path, settings: &str) -> Result<Scenario, Vec<Problem>> {
    Scenario::from_json_in(toml_to_json(&with(settings)).expect("legal TOML"), folder)
}

#[test]
fn a_trace_is_part_of_the_scenario_that_is_read() {
    let trace = "time [s],rate [Mbit/s],delay,loss,up\n1,1,20 ms,,\n2,,,0.5,0\n3,2,,0,1\n";
    let folder = folder("trace", trace);
    let read = from_folder(&folder, "changes = \"trace.csv\"\nback.changes = \"trace.csv\"").expect("it is legal");
    let list = r#"[
        { at = "1 s", rate = "1 Mbit/s", delay = "20 ms" },
        { at = "2 s", loss = { kind = "bernoulli", p = 0.5 }, up = false },
        { at = "3 s", rate = "2 Mbit/s", loss = { kind = "bernoulli", p = 0 }, up = true },
    ]"#;
    let list = format!("changes = {list}\nback.changes = {list}");
    assert_eq!(read, Scenario::from_toml(&with(&list)).expect("it is legal"));
    // What is written stands for itself: the same scenario is read from it without the file.
    let text = read.to_json();
    assert_eq!(text["links"]["bottleneck"]["changes"][0]["at"], "1 s");
    std::fs::remove_file(folder.join("trace.csv")).expect("it is there");
    assert_eq!(Scenario::from_json(text).expect("it is legal"), read);
    let found = from_folder(&folder, "changes = \"trace.csv\"").expect_err("the file is gone");
    assert_eq!((found.len(), &found[0].path[..]), (1, "links.bottleneck.changes"));
    assert!(found[0].message.contains("trace.csv cannot be read: "), "{}", found[0].message);
}

#[test]
fn what_is_wrong_with_a_trace_comes_with_all_else() {
    let folder = folder("wrong", "time [s],rate [Mbit/s]\n2,1\n1,2\n");
    let found = from_folder(&folder, "changes = \"trace.csv\"\nheader = \"9 KB\"").expect_err("two things are wrong");
    let said: Vec<(&str, &str)> = found.iter().map(|found| (&found.path[..], &found.message[..])).collect();
    let runs_back = "trace.csv, line 3: time runs back, from 2 s to 1 s; legal is later in every line";
    let header = "9 KB given; legal is at most 1500 B";
    assert_eq!(said, [("links.bottleneck.changes", runs_back), ("links.bottleneck.header", header)]);
}

fn ran(settings: &str) -> RunOutput {
    let scenario = Scenario::from_toml(&with(settings)).expect("it is legal");
    run(&scenario, 1, &Control::default(), 1).expect("it runs")
}

fn value(output: &RunOutput, subject: &str, metric: &str) -> f64 {
    let table = output.tables.iter().find(|table| table.name == "summary").expect("there is a summary");
    let (Some(Values::Words(subjects)), Some(Values::Words(metrics)), Some(Values::Float(values))) =
        (table.get("subject"), table.get("metric"), table.get("value"))
    else {
        panic!("a summary has two columns of words and one of numbers")
    };
    let is = |words: &Words, row: usize, word: &str| words.dictionary[words.codes[row] as usize] == word;
    let row = (0..values.len()).find(|&row| is(subjects, row, subject) && is(metrics, row, metric));
    values[row.unwrap_or_else(|| panic!("there is no {metric} of {subject}"))]
}

#[test]
fn a_run_counts_what_changes_do_and_measures_by_the_rates_of_the_time() {
    // 1 Mbit/s: half of 2 Mbit/s, and all of 1 Mbit/s; nothing passes for a second.
    let steps =
        r#"changes = [{ at = "4 s", rate = "1 Mbit/s" }, { at = "8 s", up = false }, { at = "9 s", up = true }]"#;
    let output = ran(steps);
    let of = |metric| value(&output, "bottleneck", metric);
    // 9 Mbit of 8 + 6 Mbit, and 125 packets a second for which there is no way.
    assert!((of("efficiency_all") - 9.0 / 14.0).abs() < 0.01, "{}", of("efficiency_all"));
    assert!((value(&output, "run", "undeliverable") - 125.0).abs() <= 2.0);
    let inside = of("dropped_down_all") + of("rerouted_all") + of("discarded_all") + of("unreceived_all");
    assert_eq!(inside, 0.0);
    // A header of 250 bytes makes 1.25 Mbit/s of it.
    let output = ran("header = \"250 B\"");
    assert!((value(&output, "bottleneck", "efficiency_all") - 0.625).abs() < 0.01);
    assert!(value(&output, "load", "goodput") > 0.98e6);
}

#[test]
fn the_way_over_a_link_that_has_turned_is_taken() {
    // The spur leads to the right router from 3 s on, but is down unless it comes up.
    let text = with(r#"changes = [{ at = "5 s", up = false }]"#);
    let run_of = |text: &str| {
        let scenario = Scenario::from_toml(text).expect("it is legal");
        run(&scenario, 1, &Control::default(), 1).expect("it runs")
    };
    let half = value(&run_of(&text), "load", "goodput");
    let whole =
        value(&run_of(&text.replace("{ at = \"1 s\", up = false }", "{ at = \"2 s\", up = true }")), "load", "goodput");
    assert!((half - 0.5e6).abs() < 0.02e6 && whole > 0.98e6, "{half} {whole}");
}
