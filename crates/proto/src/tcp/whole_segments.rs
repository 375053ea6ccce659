//! A window that grows by whole segments, as hosts count it (`tcp_cong_avoid_ai` of Linux): a segment when as many as
//! the window has have been acknowledged, where RFC 5681's equation (3) adds its part with each acknowledgement.
//!
//! The window that is used is the same at first, as parts of a segment cannot be sent. But those parts raise what the
//! next acknowledgement is a part of: by the equation a segment of growth takes half a segment longer.
//!
//! What has been acknowledged towards the next segment is the fraction of the window: `n` of `w` segments are
//! `w + n/w`.

use super::window::{MIN_SSTHRESH, Window};

/// The window was `before`, and a rule has let it grow.
pub fn count(before: f64, window: &mut Window) {
    let grown = window.cwnd - before;
    if grown <= 0.0 || window.cwnd == libm::floor(window.cwnd) {
        // Slow start, a rule that counts whole segments itself, or one that takes back.
        return;
    }
    let steps = libm::floor(grown);
    // What goes beyond slow start counts from where that has ended.
    let mut acknowledged = (before - libm::floor(before)) * libm::floor(before) + (grown - steps) * (before + steps);
    let mut whole = libm::floor(before) + steps;
    if acknowledged > whole - ROUNDING {
        acknowledged = (acknowledged - whole).max(0.0);
        whole += 1.0;
    }
    window.cwnd = whole + acknowledged / whole;
}

/// What a reduction has left is rounded down, and nothing of the next segment is acknowledged.
pub fn settle(window: &mut Window) {
    window.cwnd = libm::floor(window.cwnd).max(1.0);
    window.ssthresh = libm::floor(window.ssthresh).max(MIN_SSTHRESH);
}

/// Sums of parts miss a whole by less than this.
const ROUNDING: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::window::{Ack, Credit};
    use crate::time::Instant;

    fn ack(segments: u32) -> Ack {
        let credit = Credit::of(segments);
        Ack { arrived: Instant::ZERO, newly_acked: segments, flight: 9, rtt: None, srtt: None, credit }
    }

    fn window(cwnd: f64, ssthresh: f64) -> Window {
        Window { cwnd, ssthresh, wnd: 1e9 }
    }

    fn grow(window: &mut Window, segments: u32) {
        let before = window.cwnd;
        window.grow(&ack(segments));
        count(before, window);
    }

    #[test]
    fn a_segment_for_as_many_as_the_window_has() {
        for (first, each) in [(4, 1), (40, 1), (40, 2), (41, 2), (7, 3)] {
            let mut w = window(first.into(), 2.0);
            // As `tcp_cong_avoid_ai` counts.
            let (mut cwnd, mut counted) = (first, 0);
            for n in 0..10_000 {
                grow(&mut w, each);
                counted += each;
                if counted >= cwnd {
                    (cwnd, counted) = (cwnd + 1, counted - cwnd);
                }
                assert_eq!(w.cwnd as u32, cwnd, "ACK {n} of {each}, from {first}");
                assert!((w.cwnd - f64::from(cwnd) - f64::from(counted) / f64::from(cwnd)).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn by_equation_3_it_takes_half_a_segment_longer() {
        let (mut whole, mut parts) = (window(10.0, 2.0), window(10.0, 2.0));
        let mut acks = [0, 0];
        while whole.cwnd < 20.0 {
            grow(&mut whole, 1);
            acks[0] += 1;
        }
        while parts.cwnd < 20.0 {
            parts.grow(&ack(1));
            acks[1] += 1;
        }
        // 10 + 11 + .. + 19, and a half for each; the sum of the equation ends beyond a step.
        assert_eq!(acks, [145, 150]);
    }

    #[test]
    fn slow_start_is_as_ever() {
        let mut w = window(10.0, 13.0);
        grow(&mut w, 2);
        assert_eq!(w.cwnd, 12.0);
        // One to the threshold, two of what follows: 2 of 13.
        grow(&mut w, 3);
        assert!((w.cwnd - (13.0 + 2.0 / 13.0)).abs() < 1e-6, "{}", w.cwnd);
    }

    #[test]
    fn what_a_rule_says_in_whole_segments_or_takes_back_stays() {
        for (before, after) in [(20.25, 22.0), (20.25, 20.0), (20.9, 10.5), (100.99, 10.5), (20.5, 20.5)] {
            let mut w = window(after, 2.0);
            count(before, &mut w);
            assert_eq!(w.cwnd, after, "{before}");
        }
    }

    #[test]
    fn reductions_leave_whole_segments() {
        for (given, cwnd, ssthresh) in
            [((10.9, 10.9), 10.0, 10.0), ((1.6, 1.6), 1.0, 2.0), ((1.0, 5.5), 1.0, 5.0), ((0.9, 2.0), 1.0, 2.0)]
        {
            let mut w = window(given.0, given.1);
            settle(&mut w);
            assert_eq!((w.cwnd, w.ssthresh), (cwnd, ssthresh));
        }
    }
}
