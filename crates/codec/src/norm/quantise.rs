//! Short numbers of NORM: round-trip times (RFC 5401 section 3.7.4), sizes of groups, rates and losses. Sections
//! without a number of an RFC are of RFC 5740.

/// A round-trip time in a byte: "grtt", "cc_rtt".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RoundTrip(pub u8);

/// A size of the group in four bits: "gsize" (section 4.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupSize(pub u8);

/// A rate in 12 bits of mantissa and 4 of a decimal exponent: "send_rate", "cc_rate" (section 4.2.3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate(pub u16);

/// A part of packets in 16 bits: "cc_loss" (section 4.2.3.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Loss(pub u16);

impl RoundTrip {
    /// The code of a time in seconds: whole microseconds, rounded down, below 33 of them, and above steps of 8 %,
    /// rounded up. 1 µs to 1000 s; what is beyond, or none, becomes the nearer end.
    pub fn of_s(rtt_s: f64) -> RoundTrip {
        let rtt_s = rtt_s.clamp(RTT_MIN_S, RTT_MAX_S);
        // So that what a code stands for is that code again, whose seconds are not exact to the last bit.
        let code = if rtt_s < 33.0 * RTT_MIN_S {
            libm::floor(rtt_s / RTT_MIN_S + SLACK) - 1.0
        } else {
            libm::ceil(255.0 - 13.0 * libm::log(RTT_MAX_S / rtt_s) - SLACK)
        };
        // A cast saturates, and no number is 0.
        RoundTrip(code as u8)
    }

    /// The time that it stands for, in seconds.
    pub fn s(self) -> f64 {
        match self.0 {
            code @ 0..=31 => f64::from(code + 1) * RTT_MIN_S,
            code => RTT_MAX_S / libm::exp(f64::from(255 - code) / 13.0),
        }
    }
}

impl GroupSize {
    /// The least that is not below so many; the greatest for more than 500 million. The RFC does not say how to round;
    /// a size that is too great costs time, one that is too small an implosion.
    pub fn of(receivers: u64) -> GroupSize {
        let mut all = (0..8).flat_map(|exponent| [exponent, exponent | 8]).map(GroupSize);
        all.find(|size| size.receivers() >= receivers).unwrap_or(GroupSize(15))
    }

    /// How many receivers it stands for. The highest bit of the four says 5 in the place of 1, the others one less than
    /// the power of ten.
    pub const fn receivers(self) -> u64 {
        (if self.0 & 8 == 0 { 1 } else { 5 }) * 10_u64.pow((self.0 & 7) as u32 + 1)
    }
}

impl Rate {
    /// The code of a rate in bytes per second, rounded to the nearest of three digits and a half: 0 to 9.99·10^15; what
    /// is beyond becomes the nearer end, and no number 0.
    pub fn of_bytes_per_s(rate: f64) -> Rate {
        if rate.is_nan() || rate <= 0.0 {
            return Rate(0);
        }
        let mut exponent = libm::floor(libm::log10(rate)).clamp(0.0, 15.0);
        let scaled = |exponent: f64| libm::floor(rate / libm::pow(10.0, exponent) * PER_UNIT + 0.5);
        let mut mantissa = scaled(exponent);
        // 9.9999 rounds to 10, which has no place in 12 bits.
        if mantissa > 4095.0 && exponent < 15.0 {
            exponent += 1.0;
            mantissa = scaled(exponent);
        }
        Rate((mantissa.min(4095.0) as u16) << 4 | exponent as u16)
    }

    /// The rate that it stands for, in bytes per second.
    pub fn bytes_per_s(self) -> f64 {
        f64::from(self.0 >> 4) / PER_UNIT * libm::pow(10.0, f64::from(self.0 & 0xf))
    }
}

impl Loss {
    /// The code of a part, from 0 to 1, rounded down; what is beyond becomes the nearer end, and no number 0.
    pub fn of(part: f64) -> Loss {
        Loss((part * 65_535.0 + SLACK) as u16)
    }

    /// The part that it stands for.
    pub fn part(self) -> f64 {
        f64::from(self.0) / 65_535.0
    }
}

/// RTT_MIN and RTT_MAX as RFC 5401 section 3.7.4 recommends them.
const RTT_MIN_S: f64 = 1e-6;
const RTT_MAX_S: f64 = 1000.0;
/// Mantissas for each unit of the first digit.
const PER_UNIT: f64 = 4096.0 / 10.0;
const SLACK: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_code_stands_for_is_that_code() {
        for code in 0..=u8::MAX {
            assert_eq!(RoundTrip::of_s(RoundTrip(code).s()), RoundTrip(code));
        }
        for code in 0..16 {
            assert_eq!(GroupSize::of(GroupSize(code).receivers()), GroupSize(code));
        }
        for code in 0..=u16::MAX {
            assert_eq!(Loss::of(Loss(code).part()), Loss(code));
            let rate = Rate(code).bytes_per_s();
            let again = Rate::of_bytes_per_s(rate).bytes_per_s();
            assert!((again - rate).abs() <= 1e-12 * rate, "{code}: {rate} {again}");
        }
    }

    #[test]
    fn numbers_are_those_of_the_rfcs() {
        // Section 4.2.3.4: 256 kbit/s; section 4.2.1: its four sizes and the default.
        assert_eq!(Rate::of_bytes_per_s(3.2e4), Rate(0x51f4));
        assert_eq!([0, 8, 1, 15, 3].map(|code| GroupSize(code).receivers()), [10, 50, 100, 500_000_000, 10_000]);
        // RFC 5401 section 3.7.4 by hand: 255 - 13 ln(1000/0.5) = 156.2, rounded up; that is 1000/exp(98/13) s.
        assert_eq!(RoundTrip::of_s(0.5), RoundTrip(157));
        assert!((RoundTrip(157).s() - 0.532_216).abs() < 1e-6, "{}", RoundTrip(157).s());
        assert!((RoundTrip(31).s() - 32e-6).abs() < 1e-12, "{}", RoundTrip(31).s());
        assert_eq!([1e-6, 31.9e-6, 32.5e-6].map(RoundTrip::of_s), [RoundTrip(0), RoundTrip(30), RoundTrip(31)]);
        // Section 4.2.3.5 rounds down: 0.01 · 65535 = 655.35.
        assert_eq!([0.01, 1.0, 0.0].map(Loss::of), [Loss(655), Loss(65_535), Loss(0)]);
    }

    #[test]
    fn ends_are_ends() {
        assert_eq!([0.0, -1.0, 1e9, f64::INFINITY].map(RoundTrip::of_s).map(|rtt| rtt.0), [0, 0, 255, 255]);
        assert_eq!([0, 11, 50_001, u64::MAX].map(GroupSize::of), [0, 8, 4, 15].map(GroupSize));
        assert_eq!([-3.0, f64::NAN, 2.0].map(Loss::of), [0, 0, 65_535].map(Loss));
        assert_eq!([-3.0, f64::NAN, 0.0].map(Rate::of_bytes_per_s), [Rate(0); 3]);
        assert_eq!(Rate::of_bytes_per_s(f64::INFINITY), Rate(0xffff));
        // 4095.18 is rounded down, 4095.59 has no place in 12 bits.
        assert_eq!(Rate::of_bytes_per_s(9.998), Rate(0xfff0));
        assert_eq!(Rate::of_bytes_per_s(9.999), Rate(410 << 4 | 1));
    }

    #[test]
    fn errors_are_small() {
        let mut value = 40e-6;
        while value < 1000.0 {
            let error = RoundTrip::of_s(value).s() / value - 1.0;
            assert!((-1e-9..0.08).contains(&error), "{value}: {error}");
            value *= 1.003;
        }
        let mut value = 1.0;
        while value < 9e15 {
            let error = Rate::of_bytes_per_s(value).bytes_per_s() / value - 1.0;
            assert!(error.abs() < 0.0013, "{value}: {error}");
            value *= 1.003;
        }
    }
}
