//! Time stamps in microseconds that may wrap, and the round-trip time of a receiver from them (RFC 4654 sections 4.3.2
//! and 4.3.3).

use crate::time::Instant;

/// The least round-trip time, seconds (RFC 4654 sections 3.2 and 4.3.2: one millisecond).
pub const LEAST_RTT_S: f64 = 1e-3;

/// What a receiver knows of its round-trip time. Its clock and the sender's may differ by anything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rtt {
    smoothed_s: f64,
    /// The estimate of the last packet by its one-way delay; 0 = none since the last measurement.
    adjusted_s: f64,
    /// D_r: one-way delay to the sender and difference of the clocks, ts_i - tr_r'. The RFC has the sign the other way
    /// round, with which the clocks would not cancel out as it says they do.
    offset_us: u32,
    measured: bool,
}

impl Rtt {
    /// A packet has come with the echo `echoed_us` (tr_r') of our stamp; `sent_us` is the sender's (ts_i), `q` the
    /// weight of the old estimate. True if it is the first measurement.
    pub fn measure(&mut self, now_us: u32, echoed_us: u32, sent_us: u32, q: f64) -> bool {
        let sample_s = lag_s(now_us, echoed_us).max(LEAST_RTT_S);
        let first = !self.measured;
        self.smoothed_s = if first { sample_s } else { q * self.smoothed_s + (1.0 - q) * sample_s };
        self.measured = true;
        self.offset_us = sent_us.wrapping_sub(echoed_us);
        self.adjusted_s = 0.0;
        first
    }

    /// A packet has come without an echo for us: R' = max(D_r + tr_now - ts_j, 1 ms) (section 4.3.3).
    pub fn adjust(&mut self, now_us: u32, sent_us: u32) {
        if self.measured {
            self.adjusted_s = lag_s(self.offset_us.wrapping_add(now_us), sent_us).max(LEAST_RTT_S);
        }
    }

    /// Whether there has been a measurement.
    pub fn is_measured(&self) -> bool {
        self.measured
    }

    /// The smoothed round-trip time R, seconds, if there has been a measurement.
    pub fn smoothed_s(&self) -> Option<f64> {
        self.measured.then_some(self.smoothed_s)
    }

    /// The round-trip time R or R', seconds, if there has been a measurement.
    pub fn value_s(&self) -> Option<f64> {
        self.measured.then_some(if self.adjusted_s > 0.0 { self.adjusted_s } else { self.smoothed_s })
    }
}

/// A moment as it goes on the wire: low 32 bits of microseconds.
pub fn stamp_us(at: Instant) -> u32 {
    (at.0 / 1000) as u32
}

/// Seconds from `earlier_us` to `later_us`, both of one clock; negative if it is the other way round.
pub fn lag_s(later_us: u32, earlier_us: u32) -> f64 {
    f64::from(later_us.wrapping_sub(earlier_us) as i32) * 1e-6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_smoothed() {
        let mut rtt = Rtt::default();
        assert_eq!(rtt.value_s(), None);
        assert!(rtt.measure(200_000, 100_000, 0, 0.9));
        assert!((rtt.value_s().unwrap() - 0.1).abs() < 1e-12);
        assert!(!rtt.measure(500_000, 300_000, 0, 0.9));
        assert!((rtt.value_s().unwrap() - 0.11).abs() < 1e-12);
        rtt.measure(700_000, 700_000, 0, 0.5);
        assert!((rtt.value_s().unwrap() - (0.055 + 0.0005)).abs() < 1e-12, "the least sample is a millisecond");
    }

    #[test]
    fn one_way_delays_adjust_and_are_discarded() {
        // 60 ms to the sender and 40 ms back, and three differences of the clocks.
        for clock in [0u32, 5_000_000, u32::MAX - 30_000] {
            let mut rtt = Rtt::default();
            let sender = |at_us: u32| at_us.wrapping_add(clock);
            rtt.measure(1_100_000, 1_000_000, sender(1_060_000), 0.5);
            rtt.adjust(2_000_000, sender(1_960_000));
            assert!((rtt.value_s().unwrap() - 0.1).abs() < 1e-9);
            rtt.adjust(2_100_000, sender(1_990_000));
            assert!((rtt.value_s().unwrap() - 0.17).abs() < 1e-9, "70 ms more on the way here");
            // Down to a millisecond, also if that packet was faster than any way there and back.
            for (sent_us, rtt_s) in [(2_158_999, 1.001e-3), (2_159_500, 1e-3), (2_160_000, 1e-3), (2_400_000, 1e-3)] {
                rtt.adjust(2_100_000, sender(sent_us));
                assert!((rtt.value_s().unwrap() - rtt_s).abs() < 1e-9, "sent at {sent_us} us");
            }
            rtt.measure(3_100_000, 3_000_000, sender(3_060_000), 0.5);
            assert!((rtt.value_s().unwrap() - 0.1).abs() < 1e-9, "adjustments do not enter the smoothing");
        }
    }
}
