//! The discipline by itself: its own rule, and the rules that hold for all.

use faircast_proto::packet::Ecn;
use faircast_proto::quantity::QueueSize;
use faircast_scenario::run::{Control, RunOutput};
use faircast_scenario::tables::Values;
use faircast_scenario::{Scenario, run};
use faircast_sim::queue::battery::{self, packet, view};
use faircast_sim::queue::{Discipline, DropReason, Verdict};
use step_marking::StepMarking;

#[test]
fn marks_above_the_threshold_and_drops_at_the_limit() {
    let mut queue = StepMarking::new(3, 6).into_queue();
    let mut arrive =
        |ecn| (0..8).map(|waiting| queue.arrive(&packet(1000, ecn), &view(waiting, 1000))).collect::<Vec<_>>();
    let (pass, mark, drop) = (Verdict::Accept, Verdict::Mark(Ecn::Moderate), Verdict::Drop(DropReason::Overflow));
    assert_eq!(arrive(Ecn::Capable), [pass, pass, pass, pass, mark, mark, drop, drop]);
    assert_eq!(arrive(Ecn::NotCapable), [pass, pass, pass, pass, pass, pass, drop, drop]);
}

#[test]
fn keeps_the_rules_that_hold_for_every_queue() {
    battery::run(QueueSize::Packets(6.0), |_link| StepMarking::new(3, 6));
}

/// What the bottleneck of the scenario file does over the whole run, by column of the table of links.
fn counted(output: &RunOutput, column: &str) -> i64 {
    let links = output.tables.iter().find(|table| table.name == "links").expect("there is such a table");
    let Some(Values::Words(names)) = links.get("link") else { panic!("{links:?}") };
    let Some(Values::Integer(counts)) = links.get(column) else { panic!("{links:?}") };
    let of_bottleneck = |row: &usize| names.dictionary[names.codes[*row] as usize] == "bottleneck";
    (0..links.rows()).filter(of_bottleneck).map(|row| counts[row]).sum()
}

#[test]
fn a_scenario_file_names_it() {
    step_marking::register();
    let text = include_str!("../ecn.toml");
    let scenario = Scenario::from_toml(text).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let output = run(&scenario, 1, &Control::default(), 1).expect("it runs");
    assert!(counted(&output, "marked_moderate_pkts") > 100);
    assert_eq!(counted(&output, "dropped_overflow_pkts"), 0, "marks keep the queue below its limit");
    let problems = Scenario::from_toml(&text.replace("10 packets", "0.5 packets")).expect_err("it is no threshold");
    let message = "links.bottleneck.queue.threshold: 0.5 packets given; legal is a whole number from 1 to 1e9";
    assert_eq!(problems.iter().map(ToString::to_string).collect::<Vec<_>>(), [message]);
}
