//! What a sender counts and shows.

use crate::endpoint::Gauge;
use crate::time::{Duration, Instant};

/// Counted since the connection began.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Acknowledgements received, SYN-ACKs included.
    pub acks: u64,
    /// Segments sent, SYNs not included.
    pub sent: u64,
    /// Segments among them that had been sent before.
    pub retransmitted: u64,
    /// Reductions of the window for a loss.
    pub loss_reductions: u64,
    /// Reductions of the window for a congestion echo.
    pub ecn_reductions: u64,
    /// Retransmission time-outs, those of SYNs included.
    pub timeouts: u64,
    /// How long the receiver's window held data back, up to the last input.
    pub held: Duration,
    /// Since when it does; `None` = it does not.
    held_since: Option<Instant>,
}

/// What a sender shows, in the order of [`Counts::measure`].
pub const GAUGES: &[Gauge] = &[
    Gauge::count("retransmitted", "packets", "Packets sent again."),
    Gauge::count("loss_reductions", "1", "Window reductions because of loss, time-outs not counted."),
    Gauge::count("ecn_reductions", "1", "Window reductions because of a congestion echo."),
    Gauge::count("timeouts", "1", "Retransmission time-outs."),
    WINDOW_LIMITED,
    Gauge::level("cwnd", "packets", "Congestion window."),
    Gauge::level("ssthresh", "packets", "Slow-start threshold."),
    Gauge::level("srtt", "s", "Smoothed round-trip time."),
];

/// Time in which a sender was held by the receiver's window `wnd`: it had data, and the congestion window would have
/// let more of it go. Up to the last input.
pub const WINDOW_LIMITED: Gauge = Gauge::amount("window_limited", "s", "Time in which only the window wnd held it.");

impl Counts {
    /// Writes the [`GAUGES`]; `syns` were sent again, and the last three are those of the moment.
    pub fn measure(&self, syns: u64, moment: [f64; 3], values: &mut [f64]) {
        let counted = [self.retransmitted + syns, self.loss_reductions, self.ecn_reductions, self.timeouts];
        let [cwnd, ssthresh, srtt] = moment;
        let [a, b, c, d] = counted.map(|count| count as f64);
        values.copy_from_slice(&[a, b, c, d, self.held.as_secs_f64(), cwnd, ssthresh, srtt]);
    }

    /// After each input: whether the receiver's window holds data back from now on.
    #[inline]
    pub fn note_held(&mut self, now: Instant, holds: bool) {
        if let Some(since) = self.held_since {
            self.held = self.held + now.since(since);
        }
        self.held_since = holds.then_some(now);
    }
}
