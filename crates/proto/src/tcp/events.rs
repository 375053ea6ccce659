//! What may happen in a TCP sender. Windows are in segments.

pub use crate::endpoint::FINISHED;
use crate::endpoint::{EventKind, Gauge};
use crate::packet::Ecn;

/// What is known of each of them, but of `finished`.
const WINDOWS: &[Gauge] = &[
    Gauge::level("cwnd_before", "packets", "The congestion window before."),
    Gauge::level("cwnd_after", "packets", "And after."),
    Gauge::level("ssthresh_before", "packets", "The slow-start threshold before."),
    Gauge::level("ssthresh_after", "packets", "And after."),
];

/// A loss was found by duplicate ACKs or SACK.
pub const LOSS_REDUCTION: &EventKind =
    &EventKind::new("loss-reduction", "packets", "A loss was found by duplicate ACKs or SACK: the congestion window.")
        .with(WINDOWS);
/// An echo of incipient congestion was answered.
pub const INCIPIENT_REDUCTION: &EventKind = &EventKind::new(
    "incipient-reduction",
    "packets",
    "An echo of incipient congestion was answered: the congestion window.",
)
.with(WINDOWS);
/// An echo of moderate congestion was answered, the only one of plain ECN.
pub const MODERATE_REDUCTION: &EventKind = &EventKind::new(
    "moderate-reduction",
    "packets",
    "An echo of moderate congestion, the only one of plain ECN, was answered: the congestion window.",
)
.with(WINDOWS);
/// The retransmission timer expired; before is its value, without the back-off that follows.
pub const TIMEOUT: &EventKind =
    &EventKind::new("timeout", "s", "The retransmission timer expired: its value before.").with(WINDOWS);

/// The application had not used the window, so that it was reduced: after a rest, or at the end of a non-validated
/// period.
pub const UNUSED_WINDOW: &EventKind = &EventKind::new(
    "unused-window",
    "packets",
    "The window was reduced because the application had not used it: the congestion window.",
)
.with(WINDOWS);

/// All of them.
pub const ALL: &[&EventKind] =
    &[LOSS_REDUCTION, INCIPIENT_REDUCTION, MODERATE_REDUCTION, TIMEOUT, UNUSED_WINDOW, FINISHED];

/// The answer to an echo of this level.
pub(super) fn reduction(level: Ecn) -> &'static EventKind {
    if level == Ecn::Incipient { INCIPIENT_REDUCTION } else { MODERATE_REDUCTION }
}
