//! How fast a source sends whose window, not a rate, says when: to be shown.

use crate::time::{Duration, Instant};

/// The mean rate over the last interval. Intervals end with the sending of a packet that belongs to the next.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RateMeter {
    since: Instant,
    bytes: u64,
    rate_bps: f64,
}

/// The least interval.
const LEAST: Duration = Duration::from_millis(100);

impl RateMeter {
    /// The source begins.
    pub(super) fn begin(&mut self, now: Instant) {
        *self = RateMeter { since: now, bytes: 0, rate_bps: 0.0 };
    }

    /// A packet is sent. Intervals are to be a round-trip time long, `rtt`, or a little more.
    pub(super) fn sent(&mut self, now: Instant, bytes: u16, rtt: Duration) {
        let length = now.since(self.since);
        if length >= rtt.max(LEAST) {
            self.rate_bps = 8.0 * self.bytes as f64 / length.as_secs_f64();
            (self.since, self.bytes) = (now, 0);
        }
        self.bytes += u64::from(bytes);
    }

    /// The rate, bit/s; 0 before the first interval has ended.
    pub(super) fn rate_bps(&self) -> f64 {
        self.rate_bps
    }
}
