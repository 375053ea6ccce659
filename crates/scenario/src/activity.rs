//! When flows had something to send: the time over which they can be judged.

use crate::network::Network;
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::time::{Duration, Instant};
use faircast_sim::world::World;

/// When a flow had something to send in a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Activity {
    /// Since when; later than now if it has not begun.
    pub start: Instant,
    /// When it ended. Of TCP this is the moment from which on nothing is left to be acknowledged, which may be after
    /// its stop; of what knows no acknowledgements it is the
    /// stop, or when the application had sent everything.
    pub end: Option<Instant>,
    now: Instant,
}

impl Activity {
    /// What all flows did, in the order of the simulator, sessions after the others.
    pub fn of_run<C>(world: &World<C>, network: &Network, seed: u64) -> Vec<Activity> {
        let now = world.now();
        let stopped = |stop: Option<Duration>| stop.map(|stop| Instant::ZERO + stop).filter(|&stop| stop <= now);
        let flows = network.flows.iter().zip(world.flows()).map(|(flow, ends)| {
            let end = if flow.kind.answer_bytes() > 0 { ends.finished } else { stopped(flow.stop) };
            Activity { start: flow.starts(seed), end, now }
        });
        let sessions = network.sessions.iter().zip(&world.flows()[network.flows.len()..]).map(|(session, ends)| {
            let end = ends.finished.into_iter().chain(stopped(session.stop)).min();
            Activity { start: session.starts(seed), end, now }
        });
        flows.chain(sessions).collect()
    }

    /// From its start to its end, seconds, if it has come to that.
    pub fn length(&self) -> Option<f64> {
        Some(self.end?.since(self.start).as_secs_f64())
    }

    /// For how long after `since`, seconds.
    pub fn after(&self, since: Instant) -> f64 {
        self.end.unwrap_or(self.now).since(self.start.max(since)).as_secs_f64()
    }

    /// For how long up to `until`, seconds.
    pub fn up_to(&self, until: Instant) -> f64 {
        self.end.unwrap_or(self.now).min(until).since(self.start).as_secs_f64()
    }
}
