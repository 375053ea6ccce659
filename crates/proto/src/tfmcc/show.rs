//! What the endpoints show of themselves, and what may happen in them.

use crate::endpoint::{EventKind, Gauge, RECEIVER_EXCLUDED};
use crate::parts::loss_differentiation::with_confusion;

/// What a sender shows.
pub const SENDER_GAUGES: &[Gauge; 5] = &[
    Gauge::count("timeouts", "1", "How often the rate was halved because nobody reported."),
    Gauge::count("feedback_rounds", "1", "Feedback rounds begun."),
    Gauge::count("round_reports", "reports", "Reports in them, those of the limiting receiver not counted."),
    Gauge::level("srtt", "s", "Round-trip time of the receiver that limits."),
    Gauge::level("max_rtt", "s", "R_max by which the rate grows: a packet per R_max in each R_max at most."),
];

/// What a receiver shows.
pub const RECEIVER_GAUGES: &[Gauge; 3] = &[
    Gauge::count("loss_events", "1", "Loss events found."),
    Gauge::level("loss_event_rate", "1", "Loss event rate p; 0 before the first loss."),
    Gauge::level("rtt", "s", "Round-trip time measured."),
];

/// What a receiver shows that differentiates losses.
pub const DIFFERENTIATING_GAUGES: &[Gauge; 7] = &with_confusion(RECEIVER_GAUGES);

/// The sender has another rate.
pub const RATE: &EventKind = &EventKind::new("rate", "bit/s", "The source has another rate.");
/// The sender has another current limiting receiver, the subject of the event, or none.
pub const LIMITING_RECEIVER: &EventKind =
    &EventKind::new("limiting-receiver", "1", "Another receiver limits the rate, or none does.");
/// The sender's slow start is over; before is the rate then.
pub const SLOW_START_ENDED: &EventKind = &EventKind::new("slow-start-ended", "bit/s", "Slow start is over: the rate.");
/// A receiver has found a loss event; after it is its loss event rate.
pub const LOSS_EVENT: &EventKind = &EventKind::new("loss-event", "1", "A receiver has found a loss event: its rate p.");

/// The source has got a report of the receiver that limits from then on: the subject. Before is the source's rate X,
/// after the rate X_r' that the receiver asks for.
pub const REPORT: &EventKind =
    &EventKind::new("report", "bit/s", "The receiver that limits has reported: the rate X, and what it asks for.")
        .with(&[
            Gauge::level("receive", "bit/s", "The rate X_recv at which the receiver gets data."),
            Gauge::level("rtt", "s", "The round-trip time R that its rate was computed with."),
            Gauge::level("loss_event_rate", "1", "Its loss event rate p; 0 as long as twice X_recv is asked for."),
            Gauge::level("factor", "1", "What multiplies the throughput equation, f(N); 1 in TFMCC."),
        ]);

/// All of them.
pub const EVENTS: &[&EventKind] = &[RATE, LIMITING_RECEIVER, SLOW_START_ENDED, LOSS_EVENT, REPORT, RECEIVER_EXCLUDED];
