//! What the endpoints show of themselves beside what TFMCC's do, and what may happen in them.

use crate::endpoint::{EventKind, Gauge, RECEIVER_EXCLUDED};
use crate::tfmcc;

/// What a sender shows: what TFMCC's does, and what multiplies the rate.
pub const SENDER_GAUGES: &[Gauge] = {
    let [timeouts, feedback_rounds, round_reports, srtt, max_rtt] = *tfmcc::SENDER_GAUGES;
    &[
        timeouts,
        feedback_rounds,
        round_reports,
        srtt,
        max_rtt,
        Gauge::level("factor", "1", "What the rate is multiplied by: f(N) or what bounds and slow growth leave of it."),
        Gauge::level("receivers", "1", "N as far as it is known and makes a difference."),
    ]
};

/// The sender multiplies its rate by another factor f(N).
pub const SCALE: &EventKind = &EventKind::new("scale", "1", "The rate is multiplied by another factor f(N).");

/// All that may happen in the endpoints.
pub const EVENTS: &[&EventKind] = &[
    tfmcc::RATE,
    tfmcc::LIMITING_RECEIVER,
    tfmcc::SLOW_START_ENDED,
    tfmcc::LOSS_EVENT,
    tfmcc::REPORT,
    RECEIVER_EXCLUDED,
    SCALE,
];
