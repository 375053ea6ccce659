//! Time, rates and sizes as the protocols use them: integers with a unit in the type.

use core::fmt;
use core::ops::{Add, AddAssign, Sub};

/// Nanoseconds in a second.
pub const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// A moment on one clock, in nanoseconds since that clock's zero.
///
/// Every host has a clock of its own; two instants are comparable only when they come from the same host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Instant(pub u64);

/// A length of time in nanoseconds; never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Duration(pub u64);

/// A data rate in bit/s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Rate(pub u64);

impl Instant {
    /// The clock's zero.
    pub const ZERO: Instant = Instant(0);
    /// Later than everything that happens.
    pub const FAR_FUTURE: Instant = Instant(u64::MAX);

    /// The moment `seconds` after the clock's zero, rounded to a nanosecond. Negative values become zero.
    pub fn from_secs_f64(seconds: f64) -> Instant {
        Instant(Duration::from_secs_f64(seconds).0)
    }

    /// Seconds since the clock's zero.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND as f64
    }

    /// Time from `earlier` to `self`; zero if `earlier` is later.
    pub fn since(self, earlier: Instant) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);

    /// `seconds` rounded to a nanosecond. Negative values and NaN become zero, too large ones the maximum.
    pub fn from_secs_f64(seconds: f64) -> Duration {
        // A float-to-integer cast saturates, and maps NaN to zero.
        Duration((seconds * NANOS_PER_SECOND as f64 + 0.5) as u64)
    }

    /// A whole number of milliseconds; too large ones become the maximum.
    pub const fn from_millis(millis: u64) -> Duration {
        Duration(millis.saturating_mul(1_000_000))
    }

    /// A whole number of microseconds; too large ones become the maximum.
    pub const fn from_micros(micros: u64) -> Duration {
        Duration(micros.saturating_mul(1_000))
    }

    /// A whole number of seconds; too large ones become the maximum.
    pub const fn from_secs(seconds: u64) -> Duration {
        Duration(seconds.saturating_mul(NANOS_PER_SECOND))
    }

    /// The length in seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND as f64
    }

    /// The length times `factor`, rounded to a nanosecond.
    pub fn mul_f64(self, factor: f64) -> Duration {
        Duration((self.0 as f64 * factor + 0.5) as u64)
    }
}

impl Rate {
    /// Bit/s as a float.
    pub fn as_bps_f64(self) -> f64 {
        self.0 as f64
    }

    /// How long `bytes` take at this rate, rounded up to a nanosecond; what is too long becomes the maximum. The rate
    /// must not be zero.
    pub fn time_for(self, bytes: u32) -> Duration {
        let bit_nanos = u128::from(bytes) * 8 * u128::from(NANOS_PER_SECOND);
        Duration(u64::try_from(bit_nanos.div_ceil(u128::from(self.0))).unwrap_or(u64::MAX))
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;
    fn add(self, later: Duration) -> Instant {
        Instant(self.0.saturating_add(later.0))
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, later: Duration) {
        *self = *self + later;
    }
}

impl Sub<Duration> for Instant {
    type Output = Instant;
    fn sub(self, earlier: Duration) -> Instant {
        Instant(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Duration {
    type Output = Duration;
    fn add(self, other: Duration) -> Duration {
        Duration(self.0.saturating_add(other.0))
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.as_secs_f64())
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_round_to_the_nearest_nanosecond() {
        assert_eq!(Duration::from_secs_f64(0.065), Duration(65_000_000));
        assert_eq!(Duration::from_secs_f64(-1.0), Duration::ZERO);
        assert_eq!(Duration::from_secs_f64(f64::NAN), Duration::ZERO);
        assert_eq!(Instant::from_secs_f64(1e-9), Instant(1));
    }

    #[test]
    fn a_thousand_bytes_at_one_and_a_half_megabit() {
        // 8000 bit / 1.5 Mbit/s = 5.333... ms
        assert_eq!(Rate(1_500_000).time_for(1000), Duration(5_333_334));
        assert_eq!(Rate(1_000_000_000).time_for(1), Duration(8));
    }

    #[test]
    fn what_is_too_long_becomes_the_longest_time() {
        // 2^32 - 1 bytes at 1 bit/s take 34 359 738 360 s, more than 2^64 ns; at 2 bit/s half of that, which is less.
        assert_eq!(Rate(1).time_for(u32::MAX), Duration(u64::MAX));
        assert_eq!(Rate(2).time_for(u32::MAX), Duration(17_179_869_180_000_000_000));
        assert_eq!(Rate(u64::MAX).time_for(u32::MAX), Duration(2));
        let longest = Duration(u64::MAX);
        assert_eq!(
            [Duration::from_secs(1 << 62), Duration::from_millis(1 << 62), Duration::from_micros(1 << 62)],
            [longest; 3]
        );
        assert_eq!(Instant(5) + longest, Instant::FAR_FUTURE);
        assert_eq!(longest.mul_f64(2.0), longest);
    }
}
