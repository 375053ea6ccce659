//! The rules that hold for all queues, and what scenario files may say.

use faircast_proto::quantity::QueueSize;
use faircast_proto::time::{Duration, Rate};
use faircast_scenario::run::{Control, RunOutput};
use faircast_scenario::tables::Values;
use faircast_scenario::{Scenario, run};
use faircast_sim::queue::battery;
use own_queues::head_drop::HeadDrop;
use own_queues::shaper::Shaper;
use own_queues::two_queues::TwoQueues;

#[test]
fn they_keep_the_rules_that_hold_for_every_queue() {
    let limit = QueueSize::Packets(6.0);
    battery::run_scheduler(limit, |_link| Shaper::new(Rate(1_000_000), 3000, 6));
    battery::run_scheduler(limit, |_link| HeadDrop::new(6, Duration::from_millis(20)));
    for weight in [0.1, 1.0, 7.0] {
        battery::run_scheduler(limit, |_link| TwoQueues::new(6, weight));
    }
}

fn output(text: &str) -> RunOutput {
    own_queues::register();
    let scenario = Scenario::from_toml(text).unwrap_or_else(|problems| panic!("{problems:#?}"));
    run(&scenario, 1, &Control::default(), 1).expect("it runs")
}

/// A row of the summary.
fn value(output: &RunOutput, subject: &str, metric: &str) -> f64 {
    let summary = output.tables.iter().find(|table| table.name == "summary").expect("there is such a table");
    let words = |column: &str| match summary.get(column) {
        Some(Values::Words(words)) => words.codes.iter().map(|&code| words.dictionary[code as usize].clone()).collect(),
        other => panic!("{other:?}"),
    };
    let (subjects, metrics): (Vec<String>, Vec<String>) = (words("subject"), words("metric"));
    let Some(Values::Float(values)) = summary.get("value") else { panic!("{summary:?}") };
    let row = (0..summary.rows()).find(|&row| subjects[row] == subject && metrics[row] == metric);
    values[row.unwrap_or_else(|| panic!("no {metric} of {subject}"))]
}

const STARVED: &str = include_str!("../starved.toml");

#[test]
fn two_queues_keep_multicast_alive_beside_a_flood() {
    let film = |text: &str| value(&output(text), "film", "goodput");
    let half = film(STARVED);
    assert!((0.45e6..0.55e6).contains(&half), "{half}");
    let rest = film(&STARVED.replace("limit = \"30 packets\"", "limit = \"30 packets\", weight = 0.25"));
    assert!((0.17e6..0.23e6).contains(&rest), "{rest}");
    let none = film(&STARVED.replace("two-queues", "drop-tail"));
    assert!(none < 0.1 * half, "{none}");
}

#[test]
fn a_shaper_bounds_what_a_link_carries() {
    let queue = r#"kind = "token-bucket", rate = "300 kbit/s", limit = "30 packets""#;
    let output = output(&STARVED.replace(r#"kind = "two-queues", limit = "30 packets""#, queue));
    let carried = value(&output, "flood", "goodput") + value(&output, "film", "goodput");
    assert!((299e3..301e3).contains(&carried), "{carried}");
}

#[test]
fn what_is_wrong_is_told_with_its_path() {
    own_queues::register();
    let problems = |queue: &str| {
        let text = STARVED.replace(r#"kind = "two-queues", limit = "30 packets""#, queue);
        let problems = Scenario::from_toml(&text).expect_err("something is wrong");
        problems.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let limit = "legal is a whole number of packets from 1 to 1e9";
    assert_eq!(
        problems(r#"kind = "two-queues", limit = "0 packets", weight = 0"#),
        [
            format!("links.bottleneck.queue.limit: 0 packets given; {limit}"),
            "links.bottleneck.queue.weight: 0 given; legal is 0.001 to 1000".to_owned()
        ]
    );
    assert_eq!(
        problems(r#"kind = "head-drop", limit = "3 kB""#),
        [format!("links.bottleneck.queue.limit: 3 kB given; {limit}")]
    );
}
