//! One run: from a scenario and a seed to tables.

use crate::activity::Activity;
use crate::build::build;
pub use crate::control::{Control, Failure};
use crate::expand::expand;
use crate::machine::Share;
use crate::memory::Forecast;
use crate::model::{CalendarChoice, Scenario};
use crate::problem::Problem;
pub use crate::steps::RunOutput;
use crate::steps::{AT_ONCE, Steps};
use crate::summary::{Rows, summary};
use crate::tables::{Seen, Subjects, Table};
use faircast_proto::time::Duration;
use faircast_sim::calendar::Heap;
use faircast_sim::world::Progress;

/// Runs `scenario` with `seed`, one of `jobs` runs that go on at the same time and share the memory.
///
/// # Errors
/// What keeps the network from being built; that it may take more memory than its share of what this process may have;
/// that it was cancelled before anything could happen.
pub fn run(scenario: &Scenario, seed: u64, control: &Control, jobs: u32) -> Result<RunOutput, Failure> {
    let network = expand(scenario, seed, &mut Vec::new(), control)?;
    let share = Share::take(jobs);
    through(Steps::of(network, seed, share.bytes, control)?, control)
}

/// Lets the network of `scenario` change as it does in a run with `seed`, without anything being sent, up to `until` or
/// its end. What it gives are the tables `paths`, of the pairs that `probes.paths` names, and `handoffs`.
///
/// # Errors
/// As [`run`]; that `until` is after the end.
pub fn walk(scenario: &Scenario, seed: u64, until: Option<Duration>, control: &Control) -> Result<RunOutput, Failure> {
    let mut network = expand(scenario, seed, &mut Vec::new(), control)?.without_traffic();
    if let Some(until) = until {
        if until > network.duration {
            let end = network.duration;
            return Err(
                vec![Problem::new("until", format!("{until} given; legal is up to the duration, {end}"))].into()
            );
        }
        network.duration = until;
    }
    network.calendar = CalendarChoice::Heap;
    let share = Share::take(1);
    through(Steps::of(network, seed, share.bytes, control)?, control)
}

/// The summary of a run of `scenario` with `seed` in which nothing has happened yet: its rows without their numbers.
///
/// A run has these rows, and those of what has to happen first: `dilation` and `jain_index` are of what was there.
///
/// # Errors
/// As [`run`].
pub fn outline(scenario: &Scenario, seed: u64, control: &Control) -> Result<Table, Failure> {
    let mut network = expand(scenario, seed, &mut Vec::new(), control)?;
    if let Some(problem) = Forecast::of(&network).too_large(Share::take(1).bytes) {
        return Err(vec![problem].into());
    }
    control.look()?;
    let mut world = build::<Heap>(&network, seed, control)?;
    let playback = world.take_playback();
    let activity = Activity::of_run(&world, &network, seed);
    let subjects = Subjects::taken_from(&mut network);
    let seen = Seen::of(playback, &subjects, |_| 0);
    Ok(summary(Rows::with_unused_links(), &world, &network, &subjects, &activity, (&[], &seen)))
}

/// All steps of a run, unless somebody wants it to end.
fn through(mut steps: Steps, control: &Control) -> Result<RunOutput, Failure> {
    let end = steps.end();
    control.begin(end);
    while control.goes_on(steps.now()) && steps.advance(Duration(end.0), AT_ONCE)? == Progress::Paused {}
    Ok(steps.finish())
}
