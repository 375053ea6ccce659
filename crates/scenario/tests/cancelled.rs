//! Runs that somebody cancels.

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
