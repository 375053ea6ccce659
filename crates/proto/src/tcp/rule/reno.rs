//! Reno: slow start, additive increase, halving (RFC 5681), counted in segments.

use super::{Ack, Recovery, Window, WindowRule};
use crate::tcp::config::Config;

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

/// Growth by an ACK, for the segments that count: in slow start by one for each, in congestion avoidance by one for as
/// many as the window has (RFC 5681 section 3.1, RFC 3465 sections 2.1 and 2.2).
///
/// In slow start it is what as many ACKs of one segment would give: what has brought the window to the threshold, or
/// less than a segment beyond it, does not count again.
#[inline]
pub fn grow(ack: &Ack, window: &mut Window) {
    if window.cwnd >= window.ssthresh {
        return avoid(ack.credit.avoidance.into(), window);
    }
    let credit = f64::from(ack.credit.slow_start);
    let steps = (window.ssthresh - window.cwnd).ceil().min(credit);
    window.cwnd += steps;
    if steps < credit {
        avoid(credit - steps, window);
    }
}

/// Growth in congestion avoidance. No more than a segment, whatever is acknowledged at once: "cwnd MUST NOT be
/// increased by more than SMSS bytes per RTT" (RFC 5681 section 3.1).
#[inline]
fn avoid(segments: f64, window: &mut Window) {
    window.cwnd += (segments / window.cwnd).min(1.0);
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
    use crate::tcp::rule::Credit;
    use crate::time::Instant;

    fn ack(slow_start: u32, avoidance: u32) -> Ack {
        let credit = Credit { slow_start, avoidance };
        Ack { arrived: Instant::ZERO, newly_acked: avoidance, flight: 9, rtt: None, srtt: None, credit }
    }

    fn window(cwnd: f64, ssthresh: f64) -> Window {
        Window { cwnd, ssthresh, wnd: 100.0 }
    }

    #[test]
    fn growth_by_hand() {
        let mut w = window(3.0, 4.0);
        grow(&ack(1, 1), &mut w);
        assert_eq!(w.cwnd, 4.0);
        grow(&ack(1, 1), &mut w);
        assert_eq!(w.cwnd, 4.25);
    }

    #[test]
    fn growth_counts_segments_by_hand() {
        let grown = |cwnd, ssthresh, slow_start, avoidance| {
            let mut w = window(cwnd, ssthresh);
            grow(&ack(slow_start, avoidance), &mut w);
            w.cwnd
        };
        // Congestion avoidance: 2 of 8; a window of fractions; all of the window, and more than that, are one segment.
        assert_eq!([grown(8.0, 8.0, 1, 2), grown(2.5, 2.0, 1, 2)], [8.25, 3.3]);
        assert_eq!([grown(8.0, 8.0, 1, 8), grown(8.0, 8.0, 1, 1000), grown(1.0, 1.0, 1, 3)], [9.0, 9.0, 2.0]);
        // Slow start, by its own count.
        assert_eq!([grown(8.0, 64.0, 1, 5), grown(8.0, 64.0, 2, 5), grown(8.0, 64.0, 5, 5)], [9.0, 10.0, 13.0]);
        // Across the threshold: of four two bring the window to it, or beyond it by less than a segment.
        assert_eq!([grown(6.0, 8.0, 4, 4), grown(6.5, 8.0, 4, 4)], [8.25, 8.5 + 2.0 / 8.5]);
        // What does not count in slow start does not after it either.
        assert_eq!([grown(7.0, 8.0, 1, 4), grown(7.5, 8.0, 1, 4)], [8.0, 8.5]);
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
