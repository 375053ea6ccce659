//! What a receiver shows, and what may happen in it. Joins and leaves are those of all schemes of layers.

use crate::endpoint::{EventKind, Gauge};
use crate::parts::loss_differentiation::CONFUSION_GAUGES;

/// What a receiver shows.
pub const RECEIVER_GAUGES: &[Gauge; 9] = &[
    Gauge::level("loss", "1", "Share l of packets lost over the last intervals, as far as it counts for the rate."),
    Gauge::level("raw_loss", "1", "The same with what counts as errors of links."),
    Gauge::level("rtt", "s", "Round-trip time measured."),
    Gauge::level("bottleneck", "bit/s", "Rate R of the bottleneck, as far as it is known."),
    Gauge::level("level", "layers", "Layers held."),
    Gauge::count("joins", "1", "Layers joined, the base among them."),
    Gauge::count("joins_revoked", "1", "Layers left at once as too much was lost with them."),
    Gauge::count("reports_suppressed", "reports", "Reports spared as others had said the same."),
    Gauge::count("reports_missed", "reports", "Times when so long none of the source came that it went by itself."),
];

/// Gauges of a receiver that tells errors of links from congestion.
pub const DIFFERENTIATING_GAUGES: &[Gauge; 13] = &{
    let mut gauges = [CONFUSION_GAUGES[0]; 13];
    let mut index = 0;
    while index < RECEIVER_GAUGES.len() {
        gauges[index] = RECEIVER_GAUGES[index];
        index += 1;
    }
    while index < gauges.len() {
        gauges[index] = CONFUSION_GAUGES[index - RECEIVER_GAUGES.len()];
        index += 1;
    }
    gauges
};

/// A receiver has computed its share anew: at a report of the source, which is its cause, by the losses of the
/// intervals up to it, or for want of one.
pub const SHARE: &EventKind = &EventKind::new("share", "bit/s", "A receiver of MLDA has another fair share.").with(&[
    Gauge::level("loss", "1", "Share l of packets lost over the last intervals, as far as it counts for the rate."),
    Gauge::level("rtt", "s", "The round-trip time that it was computed with."),
    Gauge::level("bottleneck", "bit/s", "Rate R of the bottleneck, as far as it is known."),
    Gauge::level("receive", "bit/s", "The rate at which the receiver got data in the interval."),
]);

/// A layer that was joined with the last report of the source is left as too much is lost since then. Before and after
/// are the layers held; the event is on the layer of the packet that is missing, which may be another than that left.
pub const JOIN_REVOKED: &EventKind =
    &EventKind::new("join-revoked", "layers", "A layer just joined is left at once: too much is lost with it.")
        .with(&[Gauge::level("lost_part", "1", "The part of packets that was lost since the join.")]);
