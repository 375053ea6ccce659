//! A run in steps, for those who do something else between them.
//!
//! The steps decide nothing: however long they are, the tables are those of a run in one piece.

use crate::activity::Activity;
use crate::build::build;
use crate::control::{Control, Failure};
use crate::expand::expand;
use crate::memory::Forecast;
use crate::model::{CalendarChoice, Scenario};
use crate::network::Network;
use crate::problem::Problem;
use crate::summary::{Rows, summary};
use crate::tables::{Seen, Subjects, Table, TransferOf, tables};
use crate::warning::{self, Warning};
use faircast_proto::time::{Duration, Instant};
use faircast_sim::calendar::{Calendar, Heap, Wheel};
pub use faircast_sim::world::Progress;
use faircast_sim::world::{Fault, Loop, World};

/// A run that is under way.
pub struct Steps {
    course: Box<dyn Course>,
    end: Instant,
    is_over: bool,
}

impl Steps {
    /// The run of `scenario` with `seed` before its first event, unless it may take more than `memory` bytes.
    ///
    /// # Errors
    /// What keeps the network from being built; that it may take more memory; that it was cancelled.
    pub fn new(scenario: &Scenario, seed: u64, memory: f64, control: &Control) -> Result<Steps, Failure> {
        let network = expand(scenario, seed, &mut Vec::new(), control)?;
        Steps::of(network, seed, memory, control)
    }

    /// The run of a network that has been made with this seed.
    pub(crate) fn of(network: Network, seed: u64, memory: f64, control: &Control) -> Result<Steps, Failure> {
        if let Some(problem) = Forecast::of(&network).too_large(memory) {
            return Err(vec![problem].into());
        }
        control.look()?;
        let end = Instant(network.duration.0);
        let course: Box<dyn Course> = match network.calendar {
            CalendarChoice::Wheel => Box::new(Underway::<Wheel>::new(network, seed, control)?),
            CalendarChoice::Heap => Box::new(Underway::<Heap>::new(network, seed, control)?),
        };
        Ok(Steps { course, end, is_over: false })
    }

    /// Goes on until everything up to the simulated time `until` has happened, or its end has come, but for `events`
    /// events at most. It looks at the time only now and then: it may go some events beyond `until`.
    ///
    /// # Errors
    /// What a queue of the network did that no queue may do. The run is then of no use.
    pub fn advance(&mut self, until: Duration, events: u64) -> Result<Progress, Failure> {
        let until = Instant(until.0);
        let mut left = events;
        while left > 0 && !self.is_over && (until >= self.end || self.now() <= until) {
            let now = left.min(AT_ONCE);
            self.is_over = self.course.advance(self.end, now)? == Progress::Done;
            left -= now;
        }
        Ok(if self.is_over { Progress::Done } else { Progress::Paused })
    }

    /// The simulated time of the last event.
    pub fn now(&self) -> Instant {
        self.course.now()
    }

    /// The simulated time at which it ends.
    pub fn end(&self) -> Instant {
        self.end
    }

    /// Calendar entries carried out.
    pub fn events(&self) -> u64 {
        self.course.events()
    }

    /// Packets that left a link.
    pub fn packet_hops(&self) -> u64 {
        self.course.packet_hops()
    }

    /// What it gave. Before its end it is given up: the tables hold what has happened by now.
    pub fn finish(self) -> RunOutput {
        self.course.output(!self.is_over)
    }
}

/// What a run gave.
#[derive(Debug)]
pub struct RunOutput {
    /// `flows`, `receivers`, `layers`, `links`, `dilation`, `queues`, `sojourn`, `packets`, `events`, `routers`,
    /// `router_events`, `paths`, `handoffs`, `transfers`, `playback`, `summary` and `warnings`.
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

/// Events between two looks at the time, and at whether a queue has failed; with many receivers one event takes
/// milliseconds.
pub(crate) const AT_ONCE: u64 = 64;

/// A run, whatever its calendar.
trait Course {
    fn now(&self) -> Instant;
    fn events(&self) -> u64;
    fn packet_hops(&self) -> u64;
    fn advance(&mut self, end: Instant, events: u64) -> Result<Progress, Failure>;
    fn output(self: Box<Self>, interrupted: bool) -> RunOutput;
}

struct Underway<C> {
    world: World<C>,
    network: Network,
    seed: u64,
}

impl<C: Calendar> Underway<C> {
    fn new(network: Network, seed: u64, control: &Control) -> Result<Underway<C>, Failure> {
        Ok(Underway { world: build::<C>(&network, seed, control)?, network, seed })
    }
}

impl<C: Calendar> Course for Underway<C>
where
    World<C>: Loop,
{
    fn now(&self) -> Instant {
        self.world.now()
    }

    fn events(&self) -> u64 {
        self.world.events()
    }

    fn packet_hops(&self) -> u64 {
        self.world.packet_hops()
    }

    fn advance(&mut self, end: Instant, events: u64) -> Result<Progress, Failure> {
        match self.world.fault() {
            Some(fault) => Err(vec![of_queue(fault, &self.network, self.world.now())].into()),
            None => Ok(self.world.advance(end, events)),
        }
    }

    fn output(self: Box<Self>, interrupted: bool) -> RunOutput {
        let Underway { mut world, mut network, seed } = *self;
        if interrupted {
            world.settle();
        }
        let activity = Activity::of_run(&world, &network, seed);
        // What warnings look at, and what they need for that, is gone before the rows come.
        let warnings = warning::of_run(&world, &network, &activity);
        let subjects = Subjects::taken_from(&mut network);
        let playback = world.take_playback();
        let transfers = TransferOf::all(world.take_transfers(), &network);
        let flow_of = |receiver| world.flows().partition_point(|flow| flow.receivers.end <= receiver);
        let seen = Seen::of(playback, &subjects, flow_of);
        let summary = summary(Rows::default(), &world, &network, &subjects, &activity, (&transfers, &seen));
        let mut tables = tables(&mut world, &subjects, &network, &transfers, &seen);
        tables.push(summary);
        tables.push(warning::table(&warnings));
        RunOutput {
            tables,
            warnings,
            interrupted,
            simulated_s: world.now().as_secs_f64(),
            packet_hops: world.packet_hops(),
            events: world.events(),
            trace: world.digest(),
        }
    }
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
