//! What endpoints show of themselves, and what may happen in them.

use super::receiver_show::{JOIN_REVOKED, SHARE};
use crate::endpoint::{EventKind, Gauge, LAYER_ADDED, LAYER_DROPPED, RECEIVER_EXCLUDED};

/// What a source shows.
pub const SENDER_GAUGES: &[Gauge; 8] = &[
    Gauge::level("r_lo", "bit/s", "The least share among the reports that count."),
    Gauge::level("r_hi", "bit/s", "The largest share among them."),
    Gauge::level("reporters", "receivers", "Receivers whose reports count."),
    Gauge::count("reports", "reports", "Reports of receivers that were taken."),
    Gauge::count("void_reports", "reports", "Messages that were not: overtaken, for another time, or nonsense."),
    Gauge::count("feedback_rounds", "1", "Feedback rounds begun."),
    Gauge::count("extra_reports", "reports", "Sender reports between two rounds."),
    Gauge::count("timeouts", "1", "How often the rate was halved because nobody reported."),
];

const INPUTS: &[Gauge] = &[
    Gauge::level("rtt", "s", "The round-trip time that its share was computed with."),
    Gauge::level("loss", "1", "The loss that its share was computed with."),
];

/// What the layers up to this one carry together has changed.
pub const RATE: &EventKind = &EventKind::new("rate", "bit/s", "The layers up to this one carry another rate together.");
/// Another receiver, the subject of the event, has the least share, which is the base layer's rate, or nobody has
/// reported any more. Before and after are the shares.
pub const LIMITING_RECEIVER: &EventKind =
    &EventKind::new("limiting-receiver", "bit/s", "Another receiver has the least share, or none has.").with(INPUTS);
/// Another receiver has the largest share, which is the rate of all layers.
pub const LEADING_RECEIVER: &EventKind =
    &EventKind::new("leading-receiver", "bit/s", "Another receiver has the largest share, or none has.").with(INPUTS);
/// A receiver that loses packets wants less than the base layer has: the source announces other rates between two
/// rounds. Before is the base layer's rate, after the share that is wanted.
pub const FAST_DECREASE: &EventKind = &EventKind::new(
    "fast-decrease",
    "bit/s",
    "A receiver that loses packets wants less than the base layer has: rates change between two rounds.",
)
.with(INPUTS);

/// All of them, those of receivers as well.
pub const EVENTS: &[&EventKind] = &[
    RATE,
    LIMITING_RECEIVER,
    LEADING_RECEIVER,
    FAST_DECREASE,
    RECEIVER_EXCLUDED,
    SHARE,
    LAYER_ADDED,
    LAYER_DROPPED,
    JOIN_REVOKED,
];
