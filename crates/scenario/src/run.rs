//! One run: from a scenario and a seed to tables.

use crate::build::build;
use crate::machine::Share;
use crate::memory::Forecast;
use crate::model::{CalendarChoice, Scenario};
use crate::network::Network;
use crate::problem::Problem;
use crate::summary::summary;
use crate::tables::{Subjects, Table, tables};
use crate::warning::{self, Warning};
use faircast_proto::time::Instant;
use faircast_sim::calendar::{Calendar, Heap, Wheel};
use faircast_sim::engine::Progress;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Events between two looks at the [`Control`], at the most: some ten milliseconds.
const EVENTS_PER_LOOK: u64 = 200_000;
/// Events before the first look: nobody knows yet how long they take.
const FIRST_EVENTS: u64 = 1000;
/// The time that may pass between two of them; if it is longer, fewer events are done until the next.
const LONGEST_LOOK: std::time::Duration = std::time::Duration::from_millis(100);

/// What a run gave.
#[derive(Debug)]
pub struct RunOutput {
    /// `flows`, `receivers`, `links`, `queues`, `packets`, `events`, `summary` and `warnings`.
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

/// Watches and stops a run from another thread.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    /// Simulated time done as a part of the whole, in parts of 2^32.
    progress: AtomicU64,
}

impl Control {
    /// Ends the run at its next look.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Simulated time done, as a part of the whole.
    pub fn progress(&self) -> f64 {
        self.progress.load(Ordering::Relaxed) as f64 / (1u64 << 32) as f64
    }
}

/// Runs `scenario` with `seed`, one of `jobs` runs that go on at the same time and share the memory.
///
/// # Errors
/// What keeps the network from being built; that it may take more memory than its share of what this process may have.
pub fn run(scenario: &Scenario, seed: u64, control: &Control, jobs: u32) -> Result<RunOutput, Vec<Problem>> {
    let network = scenario.expand();
    let share = Share::take(jobs);
    if let Some(problem) = Forecast::of(&network).too_large(share.bytes) {
        return Err(vec![problem]);
    }
    match network.calendar {
        CalendarChoice::Wheel => run_with::<Wheel>(&network, seed, control),
        CalendarChoice::Heap => run_with::<Heap>(&network, seed, control),
    }
}

#[expect(clippy::disallowed_methods, reason = "when to look at the control changes nothing in the run")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, std::time::Duration) {
    let begin = std::time::Instant::now();
    (work(), begin.elapsed())
}

fn run_with<C: Calendar>(network: &Network, seed: u64, control: &Control) -> Result<RunOutput, Vec<Problem>> {
    let mut world = build::<C>(network, seed)?;
    let end = Instant(network.duration.0);
    let mut interrupted = false;
    let mut events = FIRST_EVENTS;
    loop {
        let (progress, took) = timed(|| world.run(end, events));
        if progress == Progress::Done {
            break;
        }
        // Some events take long, such as joins on a node with very many members.
        events = if took > LONGEST_LOOK { (events / 4).max(1) } else { (events * 2).min(EVENTS_PER_LOOK) };
        let done = world.now().as_secs_f64() / end.as_secs_f64();
        control.progress.store((done * (1u64 << 32) as f64) as u64, Ordering::Relaxed);
        if control.cancelled.load(Ordering::Relaxed) {
            interrupted = true;
            world.settle();
            break;
        }
    }
    let subjects = Subjects::of(network);
    let mut tables = tables(&world, &subjects, network.probes.interval);
    tables.push(summary(&world, &subjects, network.probes.warmup));
    let warnings = warning::of_run(&world, network, seed);
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
