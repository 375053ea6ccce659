//! What may happen in a TCP sender. Windows are in segments.

use crate::endpoint::EventKind;
pub use crate::endpoint::FINISHED;
use crate::packet::Ecn;

/// A loss was found by duplicate ACKs or SACK.
pub const LOSS_REDUCTION: &EventKind =
    &EventKind::new("loss-reduction", "packets", "A loss was found by duplicate ACKs or SACK: the congestion window.");
/// An echo of incipient congestion was answered.
pub const INCIPIENT_REDUCTION: &EventKind = &EventKind::new(
    "incipient-reduction",
    "packets",
    "An echo of incipient congestion was answered: the congestion window.",
);
/// An echo of moderate congestion was answered, the only one of plain ECN.
pub const MODERATE_REDUCTION: &EventKind = &EventKind::new(
    "moderate-reduction",
    "packets",
    "An echo of moderate congestion, the only one of plain ECN, was answered: the congestion window.",
);
/// The retransmission timer expired; before is its value, without the back-off that follows.
pub const TIMEOUT: &EventKind = &EventKind::new("timeout", "s", "The retransmission timer expired: its value before.");

/// All of them.
pub const ALL: &[&EventKind] = &[LOSS_REDUCTION, INCIPIENT_REDUCTION, MODERATE_REDUCTION, TIMEOUT, FINISHED];

/// The answer to an echo of this level.
pub(super) fn reduction(level: Ecn) -> &'static EventKind {
    if level == Ecn::Incipient { INCIPIENT_REDUCTION } else { MODERATE_REDUCTION }
}
