//! Time stamps in microseconds that may wrap, and the round-trip time of a receiver from them (RFC 4654 sections 4.3.2
//! and 4.3.3).

use crate::time::Instant;

/// The least round-trip time, seconds (RFC 4654 sections 3.2 and 4.3.2: one millisecond).
pub const LEAST_RTT_S: f64 = 1e-3;
/// The same, microseconds.
const LEAST_RTT_US: i32 = (LEAST_RTT_S * 1e6) as i32;

/// What a receiver knows of its round-trip time. Its clock and the sender's may differ by anything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rtt {
    smoothed_s: f64,
    /// The estimate of the last packet by its one-way delay; 0 = none since the last measurement.
    adjusted_s: f64,
    /// D_r: one-way delay to the sender and difference of the clocks, ts_i - tr_r'. The RFC has the sign the other way
    /// round, with which the clocks would not cancel out as it says they do.
    offset_us: u32,
    /// The last measurement, unsmoothed; 0 = there has been none.
    sample_us: u32,
}

impl Rtt {
    /// A packet has come with the echo `echoed_us` (tr_r') of our stamp; `sent_us` is the sender's (ts_i), `q` the
    /// weight of the old estimate. True if it is the first measurement.
    pub fn measure(&mut self, now_us: u32, echoed_us: u32, sent_us: u32, q: f64) -> bool {
        let sample_s = lag_s(now_us, echoed_us).max(LEAST_RTT_S);
        let first = !self.is_measured();
        self.smoothed_s = if first { sample_s } else { q * self.smoothed_s + (1.0 - q) * sample_s };
        self.sample_us = (now_us.wrapping_sub(echoed_us) as i32).max(LEAST_RTT_US) as u32;
        self.offset_us = sent_us.wrapping_sub(echoed_us);
        self.adjusted_s = 0.0;
        first
    }

    /// A packet has come without an echo for us: R' = max(D_r + tr_now - ts_j, 1 ms) (section 4.3.3).
    pub fn adjust(&mut self, now_us: u32, sent_us: u32) {
        if let Some(adjusted_s) = self.momentary_s(now_us, sent_us) {
            self.adjusted_s = adjusted_s;
        }
    }

    /// Whether there has been a measurement.
    pub fn is_measured(&self) -> bool {
        self.sample_us > 0
    }

    /// The smoothed round-trip time R, seconds, if there has been a measurement.
    pub fn smoothed_s(&self) -> Option<f64> {
        self.is_measured().then_some(self.smoothed_s)
    }

    /// The round-trip time R or R', seconds, if there has been a measurement.
    pub fn value_s(&self) -> Option<f64> {
        self.is_measured().then_some(if self.adjusted_s > 0.0 { self.adjusted_s } else { self.smoothed_s })
    }

    /// The last measurement as it was, seconds, if there has been one.
    pub fn sample_s(&self) -> Option<f64> {
        self.is_measured().then(|| f64::from(self.sample_us) * 1e-6)
    }

    /// R' of a packet that was sent at `sent_us` and came at `now_us`, seconds, if there has been a measurement: that,
    /// by as much longer as this packet took more on the way here (section 4.3.3). Of the packet that was measured with
    /// it is the measurement. R does not follow it.
    pub fn momentary_s(&self, now_us: u32, sent_us: u32) -> Option<f64> {
        self.is_measured().then(|| lag_s(self.offset_us.wrapping_add(now_us), sent_us).max(LEAST_RTT_S))
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

    #[test]
    fn the_round_trip_time_of_a_packet_is_unsmoothed_and_changes_nothing() {
        // 60 ms to the sender; the measurement is of 100 ms, then of 140 ms. Stamps wrap, and clocks differ.
        for clock in [0u32, 5_000_000, u32::MAX - 30_000, u32::MAX - 1_090_000] {
            for own in [0u32, u32::MAX - 1_095_000, u32::MAX - 2_050_000] {
                let (sender, here) = (|at_us: u32| at_us.wrapping_add(clock), |at_us: u32| at_us.wrapping_add(own));
                let mut rtt = Rtt::default();
                assert_eq!((rtt.sample_s(), rtt.momentary_s(here(1_000_000), sender(990_000))), (None, None));
                rtt.measure(here(1_100_000), here(1_000_000), sender(1_060_000), 0.9);
                rtt.measure(here(2_140_000), here(2_000_000), sender(2_060_000), 0.9);
                let near = |seconds: Option<f64>, expected_s: f64| (seconds.unwrap() - expected_s).abs() < 1e-9;
                assert!(near(rtt.sample_s(), 0.14) && near(rtt.smoothed_s(), 0.104));
                let of = |rtt: &Rtt, now_us: u32, sent_us: u32| rtt.momentary_s(here(now_us), sender(sent_us));
                assert!(near(of(&rtt, 2_140_000, 2_060_000), 0.14), "that packet's");
                assert!(near(of(&rtt, 2_200_000, 2_150_000), 0.11), "it took 50 ms, 30 ms less");
                assert!(near(of(&rtt, 12_200_000, 2_150_000), 10.11) && near(of(&rtt, 2_200_000, 12_200_000), 1e-3));
                assert!(near(rtt.value_s(), 0.104));
            }
        }
    }
}
