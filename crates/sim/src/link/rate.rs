//! How long bytes take at a rate.

use faircast_proto::time::{NANOS_PER_SECOND, Rate};

/// The least rate of a link: a byte takes less than 2^32 ns.
pub const LEAST_RATE: Rate = Rate(2);

/// Nanoseconds that a byte takes at `rate`, with 32 binary places, rounded to the nearest; exact from [`LEAST_RATE`]
/// on.
pub(super) fn nanos_per_byte(rate: Rate) -> u64 {
    let scaled = (8 * u128::from(NANOS_PER_SECOND)) << 32;
    u64::try_from((scaled + u128::from(rate.0) / 2) / u128::from(rate.0)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_at_one_gigabit_takes_eight_nanoseconds() {
        assert_eq!(nanos_per_byte(Rate(1_000_000_000)), 8 << 32);
        assert_eq!(nanos_per_byte(Rate(10)), 800_000_000 << 32);
        assert_eq!(nanos_per_byte(LEAST_RATE), 4_000_000_000 << 32);
        // 4 488 934 726 655.63.. and 4 488 933 553 740.43.., rounded to the nearest.
        assert_eq!(nanos_per_byte(Rate(7_654_319)), 4_488_934_726_656);
        assert_eq!(nanos_per_byte(Rate(7_654_321)), 4_488_933_553_740);
    }
}
