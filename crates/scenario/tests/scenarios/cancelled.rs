//! Runs that somebody cancels.

use crate::support::{numbers, table, words};
use faircast_scenario::Scenario;
use faircast_scenario::run::{Control, Failure, run};
use std::time::Duration;

const MANY_HOSTS: &str = "format = 1\nname = \"x\"\nduration = \"1 s\"\n[topology]\nkind = \"dumbbell\"\nright = 5000\n\
                          [sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-0\"\n[probes]\nflows = false\n";

#[test]
fn what_is_cancelled_before_it_begins_is_not_made() {
    let value = faircast_scenario::toml_to_json(MANY_HOSTS).expect("it is TOML");
    let scenario = Scenario::from_toml(MANY_HOSTS).expect("it is legal");
    let control = Control::default();
    control.cancel();
    assert_eq!(Scenario::from_json_unless_cancelled(value, &control).err(), Some(Failure::Cancelled));
    assert_eq!(run(&scenario, 1, &control, 1).err(), Some(Failure::Cancelled));
    assert_eq!(control.progress(), 0.0);
}

/// Wherever a run is when it is cancelled, it gives either nothing or what had happened by then.
#[test]
fn a_cancelled_run_ends_in_every_phase() {
    let scenario = Scenario::from_toml(MANY_HOSTS).expect("it is legal");
    for millis in [1, 20, 60, 150] {
        let control = Control::default();
        let result = std::thread::scope(|scope| {
            let running = scope.spawn(|| run(&scenario, 1, &control, 1));
            std::thread::sleep(Duration::from_millis(millis));
            control.cancel();
            running.join().expect("it does not panic")
        });
        match result {
            Ok(output) => assert!(!output.interrupted || output.simulated_s < 1.0, "{millis} ms"),
            Err(failure) => assert_eq!(failure, Failure::Cancelled, "{millis} ms"),
        }
    }
}

/// All that a summary says of the time after the warm-up, whoever it is about, is unknown as long as that has not come.
#[test]
fn of_a_run_that_is_cut_off_during_its_warm_up_nothing_is_known_after_it() {
    let text = "format = 1\nname = \"x\"\nduration = \"100000 s\"\nwarmup = \"99999 s\"\n\
                [topology]\nkind = \"dumbbell\"\nleft = 2\nright = 2\n\
                [links.bottleneck]\nrate = \"1 Mbit/s\"\nqueue = { kind = \"fq-codel\", by = \"session\" }\n\
                agent = { kind = \"layer-blocking\", reads = \"drops\" }\n\
                [flows.bulk]\nkind = \"tcp\"\ncount = 2\n\
                [sessions.film]\nscheme = \"layer-blocking\"\nsource = \"left-0\"\n\
                receivers = { nodes = [\"right-0\", \"right-1\"] }\n\
                [sessions.news]\nscheme = \"tfmcc\"\nsource = \"left-1\"\nreceivers = { nodes = [\"right-1\"] }\n\
                [probes]\nflows = false\nqueues = [\"bottleneck\"]\n";
    let scenario = Scenario::from_toml(text).expect("it is legal");
    let control = Control::default();
    let output = std::thread::scope(|scope| {
        let running = scope.spawn(|| run(&scenario, 1, &control, 1));
        while control.progress() < 1e-4 && !running.is_finished() {
            std::thread::yield_now();
        }
        control.cancel();
        running.join().expect("it does not panic").expect("something has happened")
    });
    assert!(output.interrupted && output.simulated_s < 99_999.0);
    let summary = table(&output, "summary");
    let (subjects, metrics, values) = (words(summary, "subject"), words(summary, "metric"), numbers(summary, "value"));
    let is_there = |subject: &String, metric: &String| {
        subjects.iter().zip(&metrics).any(|(other, another)| (other, another) == (subject, metric))
    };
    let late =
        |&row: &usize| metrics[row].ends_with("_late") || is_there(&subjects[row], &format!("{}_all", metrics[row]));
    let late: Vec<usize> = (0..values.len()).filter(late).collect();
    let known: Vec<_> =
        late.iter().filter(|&&row| !values[row].is_nan()).map(|&row| (&subjects[row], &metrics[row])).collect();
    assert_eq!(known, []);
    assert!(late.len() > 100, "{}", late.len());
}
