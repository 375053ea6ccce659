//! What the endpoints show of themselves, and what may happen in them.

use crate::endpoint::{EventKind, Gauge, RECEIVER_EXCLUDED};

/// What a source shows. Its tokens are the window less what is outstanding.
pub const SENDER_GAUGES: &[Gauge; 7] = &[
    Gauge::count("timeouts", "1", "Time-outs: nothing was acknowledged for so long."),
    Gauge::count("loss_reductions", "1", "Window reductions because of loss, time-outs not counted."),
    Gauge::count("elections", "1", "How often the source asked for a new acker, the first time included."),
    Gauge::count("acker_changes", "1", "How often another receiver became the acker, or none was left."),
    Gauge::level("cwnd", "packets", "Congestion window."),
    Gauge::level("outstanding", "packets", "Packets that are neither acknowledged nor known to be lost."),
    Gauge::level("srtt", "s", "Smoothed round-trip time of the acker."),
];

/// What a receiver shows.
pub const RECEIVER_GAUGES: &[Gauge; 3] = &[
    Gauge::level("loss_rate", "1", "Loss rate p, a moving average over some 131 packets."),
    Gauge::count("naks", "packets", "NAKs sent, those to elect an acker included."),
    Gauge::count("naks_suppressed", "packets", "NAKs spared as another receiver had told the source."),
];

const WINDOWS: &[Gauge] = &[
    Gauge::level("cwnd_before", "packets", "The congestion window before."),
    Gauge::level("cwnd_after", "packets", "And after."),
];

/// The source's window holds another whole number of packets.
pub const WINDOW: &EventKind =
    &EventKind::new("window", "packets", "The window of the source holds another whole number of packets.");
/// A loss has halved the window. Its cause is the packet's number.
pub const LOSS_REDUCTION: &EventKind =
    &EventKind::new("loss-reduction", "packets", "A loss on the way to the acker was found: the congestion window.")
        .with(WINDOWS);
/// The source's timer has expired; before is its value.
pub const TIMEOUT: &EventKind =
    &EventKind::new("timeout", "s", "Nothing was acknowledged for so long: the window becomes one packet.")
        .with(WINDOWS);
/// The source has another acker, the subject of the event, or none. Before is what it showed for the one before, after
/// what it shows for this one.
pub const LIMITING_RECEIVER: &EventKind =
    &EventKind::new("limiting-receiver", "1", "Another receiver limits the rate, or none does.").with(&[
        Gauge::level("rtt", "s", "The round-trip time of the receiver."),
        Gauge::level("loss_rate", "1", "Its loss rate p."),
    ]);
/// The source asks for an acker: its packets name none.
pub const ELECTION: &EventKind = &EventKind::new("election", "1", "The source asks for a receiver that limits.");
/// All of them.
pub const EVENTS: &[&EventKind] = &[WINDOW, LOSS_REDUCTION, TIMEOUT, LIMITING_RECEIVER, ELECTION, RECEIVER_EXCLUDED];
