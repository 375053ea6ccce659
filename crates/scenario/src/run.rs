//! One run: from a scenario and a seed to tables.

use crate::activity::Activity;
use crate::build::build;
pub use crate::control::{Control, Failure};
use crate::expand::expand;
use crate::machine::Share;
use crate::memory::Forecast;
use crate::model::{CalendarChoice, Scenario};
use crate::network::Network;
use crate::problem::Problem;
use crate::summary::{Rows, summary};
use crate::tables::{Subjects, Table, tables};
use crate::warning::{self, Warning};
use faircast_proto::time::{Duration, Instant};
use faircast_sim::calendar::{Calendar, Heap, Wheel};
use faircast_sim::world::{Fault, Loop, Progress, World};

/// What a run gave.
#[derive(Debug)]
pub struct RunOutput {
    /// `flows`, `receivers`, `layers`, `links`, `dilation`, `queues`, `sojourn`, `packets`, `events`, `routers`,
    /// `router_events`, `paths`, `handoffs`, `summary` and `warnings`.
    pub tables: Vec<Table>,
    /// What should be known about the tables, the same as in the last of them.
    pub warnings: Vec<Warning>,
    /// Whether it was cancelled before its end; the tables hold what had happened by then.
    pub interrupted: bool,
    /// How far it came.
    pub simulated_s: f64,
    /// Packets that left a link.
    pub packet_hops: u64,
    /// Calendar entries carried out.
    pub events: u64,
    /// Hash of everything that happened and the number of records behind it, if the scenario asked for it.
    pub trace: Option<(u64, u64)>,
}

/// Runs `scenario` with `seed`, one of `jobs` runs that go on at the same time and share the memory.
///
/// # Errors
/// What keeps the network from being built; that it may take more memory than its share of what this process may have;
/// that it was cancelled before anything could happen.
pub fn run(scenario: &Scenario, seed: u64, control: &Control, jobs: u32) -> Result<RunOutput, Failure> {
    let network = expand(scenario, seed, &mut Vec::new(), control)?;
    let share = Share::take(jobs);
    if let Some(problem) = Forecast::of(&network).too_large(share.bytes) {
        return Err(vec![problem].into());
    }
    control.look()?;
    match network.calendar {
        CalendarChoice::Wheel => run_with::<Wheel>(network, seed, control),
        CalendarChoice::Heap => run_with::<Heap>(network, seed, control),
    }
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
    if let Some(problem) = Forecast::of(&network).too_large(Share::take(1).bytes) {
        return Err(vec![problem].into());
    }
    control.look()?;
    run_with::<Heap>(network, seed, control)
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
    let world = build::<Heap>(&network, seed, control)?;
    let activity = Activity::of_run(&world, &network, seed);
    let subjects = Subjects::taken_from(&mut network);
    Ok(summary(Rows::with_unused_links(), &world, &network, &subjects, &activity))
}

/// Events between two looks at whether somebody wants the run to end; with many receivers one event takes milliseconds.
const AT_ONCE: u64 = 64;

fn run_with<C: Calendar>(mut network: Network, seed: u64, control: &Control) -> Result<RunOutput, Failure>
where
    World<C>: Loop,
{
    let mut world = build::<C>(&network, seed, control)?;
    let end = Instant(network.duration.0);
    control.begin(end);
    let interrupted = loop {
        if !control.goes_on(world.now()) {
            break true;
        }
        if let Some(fault) = world.fault() {
            return Err(vec![of_queue(fault, &network, world.now())].into());
        }
        if world.advance(end, AT_ONCE) == Progress::Done {
            break false;
        }
    };
    if interrupted {
        world.settle();
    }
    let activity = Activity::of_run(&world, &network, seed);
    // What warnings look at, and what they need for that, is gone before the rows come.
    let warnings = warning::of_run(&world, &network, &activity);
    let subjects = Subjects::taken_from(&mut network);
    let summary = summary(Rows::default(), &world, &network, &subjects, &activity);
    let mut tables = tables(&mut world, &subjects, &network);
    tables.push(summary);
    tables.push(warning::table(&warnings));
    Ok(RunOutput {
        tables,
        warnings,
        interrupted,
        simulated_s: world.now().as_secs_f64(),
        packet_hops: world.packet_hops(),
        events: world.events(),
        trace: world.digest(),
    })
}

/// What a queue of the network has done that no queue may do.
fn of_queue(fault: &Fault, network: &Network, now: Instant) -> Problem {
    let (link, queue, what) = (&network.links[fault.link.index()].name, &fault.queue, &fault.what);
    let now = now.as_secs_f64();
    Problem::new(
        format!("links.{link}.queue"),
        format!("the queue {queue:?} {what} (seen at {now} s; the run has ended)"),
    )
}
