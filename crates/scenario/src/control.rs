//! Watching and stopping a run from another thread.

use crate::problem::Problem;
use faircast_proto::time::Instant;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Watches and stops a run from another thread.
///
/// The run looks here before every event, which may be longer than thousands of others together, and while its network
/// is made. So controls of runs side by side must not share a cache line.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Control {
    cancelled: AtomicBool,
    /// How far the run is, and how far it goes, nanoseconds; 0 before it begins.
    now: AtomicU64,
    end: AtomicU64,
}

impl Control {
    /// Ends the run at its next look.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Simulated time done, as a part of the whole.
    pub fn progress(&self) -> f64 {
        let [now, end] = [&self.now, &self.end].map(|at| at.load(Ordering::Relaxed));
        now as f64 / end.max(1) as f64
    }

    /// Whether somebody wants it to end.
    #[inline]
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// To be called every fraction of a second while something is made for a run.
    #[inline]
    pub(crate) fn look(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// The run begins, and goes on until `end`.
    pub(crate) fn begin(&self, end: Instant) {
        self.end.store(end.0, Ordering::Relaxed);
    }

    /// The run is at `now`; says whether it goes on.
    #[inline]
    pub(crate) fn goes_on(&self, now: Instant) -> bool {
        self.now.store(now.0, Ordering::Relaxed);
        !self.is_cancelled()
    }
}

/// Somebody wanted it to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cancelled;

/// Why there is no result.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// Somebody wanted it to end before the network was there.
    Cancelled,
    /// What is wrong.
    Problems(Vec<Problem>),
}

impl From<Cancelled> for Failure {
    fn from(_: Cancelled) -> Failure {
        Failure::Cancelled
    }
}

impl From<Vec<Problem>> for Failure {
    fn from(problems: Vec<Problem>) -> Failure {
        Failure::Problems(problems)
    }
}

impl Failure {
    /// The problems of what nobody could cancel.
    pub(crate) fn problems(self) -> Vec<Problem> {
        match self {
            Failure::Problems(problems) => problems,
            Failure::Cancelled => unreachable!("nobody else has the control"),
        }
    }
}
