//! Reno: slow start, additive increase, halving (RFC 5681), counted per ACK and in segments as ns-2 does.

use super::{Recovery, Window, WindowRule};
use crate::tcp::Config;

/// The rule of RFC 5681. It has no state of its own.
#[derive(Clone, Debug)]
pub struct Reno;

impl Reno {
    /// Needs nothing from the configuration.
    pub fn new(_: &Config) -> Reno {
        Reno
    }
}

impl WindowRule for Reno {
    fn recovery(&self) -> Recovery {
        Recovery::Reno
    }
}

/// Growth per ACK: by one segment in slow start, by `1/cwnd` in congestion avoidance (RFC 5681 section 3.1).
#[inline]
pub fn grow(window: &mut Window) {
    window.cwnd += if window.cwnd < window.ssthresh { 1.0 } else { 1.0 / window.cwnd };
}

/// After a loss: both variables become half of the window, the threshold at least 2. RFC 5681 eq. (4) does not round;
/// nor do we, though ns-2 cuts the threshold (not the window) to whole segments.
///
/// The equation halves the flight, ns-2 (and we) the window; for a source that always has data they are equal,
/// except right after a recovery.
pub fn halve(window: &mut Window) {
    let half = window.cwnd.min(window.wnd) / 2.0;
    window.ssthresh = half.max(MIN_SSTHRESH);
    window.cwnd = half.max(1.0);
}

/// After a time-out: threshold as after a loss, window one segment (RFC 5681 section 3.1, LW).
pub fn collapse(window: &mut Window) {
    halve(window);
    window.cwnd = 1.0;
}

/// After a congestion echo: the window shrinks to `factor`, the threshold follows, so slow start is over.
pub fn scale(factor: f64, window: &mut Window) {
    let scaled = window.cwnd.min(window.wnd) * factor;
    window.cwnd = scaled.max(1.0);
    window.ssthresh = scaled.max(MIN_SSTHRESH);
}

/// The least slow-start threshold, segments (RFC 5681 eq. (4)).
pub const MIN_SSTHRESH: f64 = 2.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn window(cwnd: f64, ssthresh: f64) -> Window {
        Window { cwnd, ssthresh, wnd: 100.0 }
    }

    #[test]
    fn growth_by_hand() {
        let mut w = window(3.0, 4.0);
        grow(&mut w);
        assert_eq!(w.cwnd, 4.0);
        grow(&mut w);
        assert_eq!(w.cwnd, 4.25);
    }

    #[test]
    fn reductions_by_hand() {
        let mut w = window(7.5, 64.0);
        halve(&mut w);
        assert_eq!((w.cwnd, w.ssthresh), (3.75, 3.75));
        let mut w = window(7.5, 64.0);
        collapse(&mut w);
        assert_eq!((w.cwnd, w.ssthresh), (1.0, 3.75));
        let mut w = window(2.0, 64.0);
        scale(0.8, &mut w);
        assert_eq!((w.cwnd, w.ssthresh), (1.6, 2.0));
        scale(0.5, &mut w);
        assert_eq!((w.cwnd, w.ssthresh), (1.0, 2.0));
        let mut w = window(150.0, 64.0);
        halve(&mut w);
        assert_eq!((w.cwnd, w.ssthresh), (50.0, 50.0));
    }
}
