//! The control of a layer: the rate of the layers up to it together, and who limits it.
//!
//! It is a single-rate control as a session of its own would have it. This is what the ensemble of layers needs of any:
//! a further one is a variant.

use super::windowed::WindowedControl;
use crate::packet::Address;
use crate::tfmcc::{Bound, Feedback, Passed, RateControl, RateCounts, ReportOutcome};
use crate::time::Instant;

/// What controls T_i.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "one per layer of a source")]
pub(super) enum LayerControl {
    /// TFMCC's, whose X is T_i.
    Tfmcc(RateControl),
    /// A window's, opened by the ACKs of LR_i.
    Windowed(WindowedControl),
}

impl LayerControl {
    /// The session begins.
    pub(super) fn begin(&mut self, now: Instant) {
        match self {
            LayerControl::Tfmcc(control) => control.begin(now),
            LayerControl::Windowed(control) => control.rounds_mut().begin(now),
        }
    }

    /// No new target from now on: the session is over.
    pub(super) fn stop(&mut self) {
        match self {
            LayerControl::Tfmcc(control) => control.stop(),
            LayerControl::Windowed(control) => control.rounds_mut().stop(),
        }
    }

    /// Brings T_i up to date, before an input.
    pub(super) fn advance(&mut self, now: Instant) {
        match self {
            LayerControl::Tfmcc(control) => control.advance(now),
            LayerControl::Windowed(control) => control.rounds_mut().advance(now),
        }
    }

    /// There is nothing to send from now on, or there is.
    pub(super) fn set_idle(&mut self, idle: bool) {
        match self {
            LayerControl::Tfmcc(control) => control.set_idle(idle),
            LayerControl::Windowed(control) => control.rounds_mut().set_idle(idle),
        }
    }

    /// A report makes no more of T_i than this from now on.
    pub(super) fn bound(&mut self, bound: Bound) {
        match self {
            LayerControl::Tfmcc(control) => control.bound(bound),
            LayerControl::Windowed(control) => control.rounds_mut().bound(bound),
        }
    }

    /// A report of a receiver whose highest layer is this. `None` if it says nothing.
    pub(super) fn hear(&mut self, now: Instant, feedback: &Feedback) -> Option<ReportOutcome> {
        match self {
            LayerControl::Tfmcc(control) => control.hear(now, feedback),
            LayerControl::Windowed(control) => control.hear(now, feedback),
        }
    }

    /// The rate that a report asks for, bit/s.
    pub(super) fn asked_bps(&self, feedback: &Feedback) -> f64 {
        match self {
            LayerControl::Tfmcc(control) => control.adjusted_bps(feedback),
            LayerControl::Windowed(control) => control.rounds().adjusted_bps(feedback),
        }
    }

    /// `receiver`, which does not lead, has left the layer.
    pub(super) fn other_left(&mut self, receiver: Address) {
        match self {
            LayerControl::Tfmcc(control) => control.other_left(receiver),
            LayerControl::Windowed(control) => control.rounds_mut().other_left(receiver),
        }
    }

    /// What is due by now. `silence`: that nobody reports where nobody limits says something.
    pub(super) fn pass(&mut self, now: Instant, silence: bool) -> Passed {
        match self {
            LayerControl::Tfmcc(control) => {
                if !silence {
                    control.excuse_silence(now);
                }
                control.pass(now)
            }
            LayerControl::Windowed(control) => {
                if !silence {
                    control.rounds_mut().excuse_silence(now);
                }
                control.pass(now)
            }
        }
    }

    /// By when to call [`pass`](Self::pass). It may be past.
    pub(super) fn deadline(&self) -> Instant {
        match self {
            LayerControl::Tfmcc(control) => control.deadline(),
            LayerControl::Windowed(control) => control.deadline(),
        }
    }

    /// T_i, bit/s.
    pub(super) fn rate_bps(&self) -> f64 {
        match self {
            LayerControl::Tfmcc(control) => control.rate_bps(),
            LayerControl::Windowed(control) => control.rounds().rate_bps(),
        }
    }

    /// LR_i.
    pub(super) fn lead(&self) -> Option<Address> {
        match self {
            LayerControl::Tfmcc(control) => control.clr(),
            LayerControl::Windowed(control) => control.rounds().clr(),
        }
    }

    /// T_i, which nobody limits, is this from now on, within the bounds, bit/s.
    pub(super) fn jump(&mut self, rate_bps: f64) {
        match self {
            LayerControl::Tfmcc(control) => control.jump(rate_bps),
            LayerControl::Windowed(control) => control.jump(rate_bps),
        }
    }

    /// LR_i has left: others are asked to report, and T_i does not rise until they could.
    pub(super) fn lead_left(&mut self, now: Instant) {
        match self {
            LayerControl::Tfmcc(control) => {
                control.limiting_left(now);
            }
            LayerControl::Windowed(control) => {
                control.lead_left(now);
            }
        }
    }

    /// The control has itself given LR_i up: as if it had left, what that has not done.
    pub(super) fn ask_anew(&mut self, now: Instant) {
        match self {
            LayerControl::Tfmcc(control) => control.next_round(now),
            LayerControl::Windowed(control) => control.rounds_mut().next_round(now),
        }
    }

    /// Nobody has answered: the next one may raise T_i at once.
    pub(super) fn nobody_left(&mut self) {
        match self {
            LayerControl::Tfmcc(control) => control.nobody_left(),
            LayerControl::Windowed(control) => control.rounds_mut().nobody_left(),
        }
    }

    /// The first receiver of an empty layer reports, its round trip is `rtt_s` seconds.
    pub(super) fn occupied(&mut self, rtt_s: f64) {
        match self {
            LayerControl::Tfmcc(control) => control.restart_max_rtt(rtt_s),
            LayerControl::Windowed(control) => control.rounds_mut().restart_max_rtt(rtt_s),
        }
    }

    /// Packets of the layer itself come `gap_s` seconds apart.
    pub(super) fn set_gap(&mut self, gap_s: f64) {
        match self {
            LayerControl::Tfmcc(control) => control.set_gap(gap_s),
            LayerControl::Windowed(control) => control.rounds_mut().set_gap(gap_s),
        }
    }

    /// The gap between packets of the layer, seconds.
    pub(super) fn gap_s(&self) -> f64 {
        match self {
            LayerControl::Tfmcc(control) => control.gap_s(),
            LayerControl::Windowed(control) => control.rounds().gap_s(),
        }
    }

    /// The longest round-trip time, seconds: what the driver is late by more than that is not made up for.
    pub(super) fn max_rtt_s(&self) -> f64 {
        match self {
            LayerControl::Tfmcc(control) => control.max_rtt_s(),
            LayerControl::Windowed(control) => control.rounds().max_rtt_s(),
        }
    }

    /// The feedback round; wraps around.
    pub(super) fn round(&self) -> u8 {
        match self {
            LayerControl::Tfmcc(control) => control.round(),
            LayerControl::Windowed(control) => control.rounds().round(),
        }
    }

    /// Whether half of the round is over.
    pub(super) fn is_late_in_round(&self, now: Instant) -> bool {
        match self {
            LayerControl::Tfmcc(control) => control.is_late_in_round(now),
            LayerControl::Windowed(control) => control.rounds().is_late_in_round(now),
        }
    }

    /// What has been counted so far.
    pub(super) fn counts(&self) -> RateCounts {
        match self {
            LayerControl::Tfmcc(control) => control.counts(),
            LayerControl::Windowed(control) => control.rounds().counts(),
        }
    }
}
