//! What endpoints show of themselves, and what may happen in them.

use crate::endpoint::{EventKind, Gauge, LAYER_ADDED, LAYER_DROPPED};
use crate::parts::loss_differentiation::with_confusion;
use crate::pgmcc::LOSS_REDUCTION;
use crate::tfmcc::{LIMITING_RECEIVER, LOSS_EVENT, RATE, REPORT, SLOW_START_ENDED};

/// What a source shows. The first four are TFMCC's, over all layers.
pub const SENDER_GAUGES: &[Gauge; 6] = &[
    Gauge::count("timeouts", "1", "How often the rate was halved because nobody reported."),
    Gauge::count("feedback_rounds", "1", "Feedback rounds begun."),
    Gauge::count("round_reports", "reports", "Reports in them, those of the limiting receiver not counted."),
    Gauge::count("elections", "1", "How often the receiver that limits a layer was to be elected anew."),
    Gauge::count("lead_changes", "1", "How often another receiver limited a layer, or none did."),
    Gauge::count("acks", "packets", "Acknowledgements of packets, with windows; they are no reports."),
];

/// What a member shows. The first three are TFMCC's.
pub const RECEIVER_GAUGES: &[Gauge; 8] = &[
    Gauge::count("loss_events", "1", "Loss events found."),
    Gauge::level("loss_event_rate", "1", "Loss event rate p; 0 before the first loss."),
    Gauge::level("rtt", "s", "Round-trip time measured."),
    Gauge::count("join_attempts", "1", "Attempts to join a layer begun."),
    Gauge::count("joins_succeeded", "1", "Attempts that succeeded: the layer was joined."),
    Gauge::count("joins_failed", "1", "Attempts that a loss ended."),
    Gauge::count("counting_joins", "1", "Counting layers joined."),
    Gauge::count("counting_leaves", "1", "Counting layers left."),
];

/// What a member shows that differentiates losses.
pub const DIFFERENTIATING_GAUGES: &[Gauge; 12] = &with_confusion(RECEIVER_GAUGES);

/// What else there is to know of an attempt to join a layer.
const ATTEMPT: &[Gauge] = &[
    Gauge::level("packets_added", "packets", "Packets per period that the attempt has added."),
    Gauge::level("counting_joins", "1", "Counting layers joined in the attempt."),
    Gauge::level("period", "s", "Period x in which the attempt adds a packet."),
    Gauge::level("waited", "s", "Time from the decision to the beginning of the attempt."),
];

/// A receiver wants the next layer and waits for the counting layers to begin anew. Before and after are T_S of the
/// layer that it has and T_{S+1} of the one that it wants; the event is on the latter. So with the other four.
pub const JOIN_WAITING: &EventKind =
    &EventKind::new("join-waiting", "bit/s", "A receiver waits to try a layer: the rate it has, and the one beyond.")
        .with(ATTEMPT);
/// It begins to add packets.
pub const JOIN_BEGUN: &EventKind =
    &EventKind::new("join-begun", "bit/s", "A receiver tries a layer: the rate it has, and the one beyond.")
        .with(ATTEMPT);
/// It has come as far without loss, and joins the layer.
pub const JOIN_SUCCEEDED: &EventKind =
    &EventKind::new("join-succeeded", "bit/s", "A receiver has tried a layer without loss and joins it.").with(ATTEMPT);
/// A packet was lost.
pub const JOIN_FAILED: &EventKind =
    &EventKind::new("join-failed", "bit/s", "A receiver has tried a layer, and lost a packet.").with(ATTEMPT);
/// It gives up without a loss: the counting layers have begun anew before it was through, it no longer wants that much,
/// it has left a layer, or it stops.
pub const JOIN_ABANDONED: &EventKind =
    &EventKind::new("join-abandoned", "bit/s", "A receiver gives up to try a layer, without a loss.").with(ATTEMPT);

/// The receiver that limits a layer has left it, and another is asked for.
pub const ELECTION: &EventKind = &EventKind::new("election", "1", "Who limits a layer is to be elected anew.");

/// All of them.
pub const EVENTS: &[&EventKind] = &[
    RATE,
    LIMITING_RECEIVER,
    SLOW_START_ENDED,
    LOSS_EVENT,
    REPORT,
    LOSS_REDUCTION,
    LAYER_ADDED,
    LAYER_DROPPED,
    ELECTION,
    JOIN_WAITING,
    JOIN_BEGUN,
    JOIN_SUCCEEDED,
    JOIN_FAILED,
    JOIN_ABANDONED,
];
