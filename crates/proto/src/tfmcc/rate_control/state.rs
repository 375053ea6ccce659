//! How the rate of a sender comes about: the states of a rate control, and how much it may grow.

use super::super::clr::Limit;
use super::super::start::Start;
use crate::time::Instant;

/// How the rate comes about.
#[derive(Clone, Debug)]
pub(super) enum State {
    /// Towards the lowest of twice the receive rates, until somebody reports a loss (section 3.6).
    SlowStart {
        limit: Limit,
        /// The rate on its way to the present target.
        ramp: Option<Ramp>,
    },
    /// By a start of its own, until somebody reports a loss or a queue has grown.
    Starting { limit: Limit, start: Box<Start> },
    /// As the four cases of section 3.3 say.
    Steady { limit: Limit, increase: Increase },
}

/// A linear change of the rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ramp {
    pub(super) from_bps: f64,
    pub(super) to_bps: f64,
    pub(super) start: Instant,
    pub(super) length_s: f64,
}

/// How much the rate may grow (section 3.3).
#[derive(Clone, Copy, Debug)]
pub(super) struct Increase {
    /// When it was last allowed to.
    pub(super) grown_at: Instant,
    /// Until when a new limiting receiver does not raise it (case 3).
    pub(super) hold_until: Instant,
}

impl State {
    pub(super) fn limit(&self) -> &Limit {
        match self {
            State::SlowStart { limit, .. } | State::Starting { limit, .. } | State::Steady { limit, .. } => limit,
        }
    }

    pub(super) fn limit_mut(&mut self) -> &mut Limit {
        match self {
            State::SlowStart { limit, .. } | State::Starting { limit, .. } | State::Steady { limit, .. } => limit,
        }
    }
}

impl Increase {
    pub(super) fn new(now: Instant) -> Increase {
        Increase { grown_at: now, hold_until: Instant::ZERO }
    }

    /// By how much the rate may grow at a report: at most `step_bps` each R_max, whatever the distance of reports, and
    /// by nothing during a hold.
    pub(super) fn grant(&mut self, now: Instant, max_rtt_s: f64, step_bps: f64) -> f64 {
        let share = (now.since(self.grown_at).as_secs_f64() / max_rtt_s).min(1.0);
        self.grown_at = now;
        if now < self.hold_until { 0.0 } else { step_bps * share }
    }
}
