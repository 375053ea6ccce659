//! One run: from a scenario and a seed to tables.

use crate::build::build;
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

/// Events between two looks at the [`Control`]: some ten milliseconds.
const EVENTS_PER_LOOK: u64 = 200_000;

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

/// Runs `scenario` with `seed`.
///
/// # Errors
/// What keeps the network from being built.
pub fn run(scenario: &Scenario, seed: u64, control: &Control) -> Result<RunOutput, Vec<Problem>> {
    let network = scenario.expand();
    match network.calendar {
        CalendarChoice::Wheel => run_with::<Wheel>(&network, seed, control),
        CalendarChoice::Heap => run_with::<Heap>(&network, seed, control),
    }
}

fn run_with<C: Calendar>(network: &Network, seed: u64, control: &Control) -> Result<RunOutput, Vec<Problem>> {
    let mut world = build::<C>(network, seed)?;
    let end = Instant(network.duration.0);
    let mut interrupted = false;
    while world.run(end, EVENTS_PER_LOOK) == Progress::Paused {
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
