//! The nominal time between packets of equal size at a constant rate.

use crate::quantity::Bytes;
use crate::time::{Duration, NANOS_PER_SECOND, Rate};

/// Gives one gap after the other; what rounding to nanoseconds leaves over is carried on, so the long-run rate is
/// exact.
#[derive(Clone, Debug)]
pub struct Spacing {
    bit_nanos: u64,
    rate_bps: u64,
    /// Bit-nanoseconds left over, below `rate_bps`.
    left_over: u64,
}

impl Spacing {
    /// Packets of `packet_size` at `rate`, which must not be zero.
    pub fn new(rate: Rate, packet_size: Bytes) -> Spacing {
        Spacing { bit_nanos: packet_size.0 * 8 * NANOS_PER_SECOND, rate_bps: rate.0, left_over: 0 }
    }

    /// The next gap.
    pub fn next_gap(&mut self) -> Duration {
        let total = self.bit_nanos + self.left_over;
        self.left_over = total % self.rate_bps;
        Duration(total / self.rate_bps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extremes_stay_within_their_numbers() {
        let mut slow = Spacing::new(Rate(1), Bytes(65_535));
        assert_eq!(slow.next_gap(), Duration(524_280_000_000_000));
        // 8 bit at 1 Tbit/s minus 1 bit/s: a little above 8 ps, so that 125 of them make a nanosecond.
        let mut fast = Spacing::new(Rate(999_999_999_999), Bytes(1));
        let whole: u64 = (0..125).map(|_| fast.next_gap().0).sum();
        assert_eq!(whole, 1);
    }

    #[test]
    fn three_gaps_of_a_third() {
        // 1000 B at 1.5 Mbit/s: 5 333 333.3 ns each, 16 000 000 ns for three.
        let mut spacing = Spacing::new(Rate(1_500_000), Bytes(1000));
        let gaps: Vec<u64> = (0..6).map(|_| spacing.next_gap().0).collect();
        assert_eq!(gaps, [5_333_333, 5_333_333, 5_333_334, 5_333_333, 5_333_333, 5_333_334]);
    }
}
