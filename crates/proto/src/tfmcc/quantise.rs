//! Rates and round-trip times as short floating-point numbers (RFC 4654 section 2.2.1).
//!
//! The RFC gives the widths and the ranges. A rate has 5 bits of exponent and 7 of mantissa, 100·2^e·(1 + m/128)
//! bit/s: 100 bit/s to 428 Gbit/s, rounded to the nearest; the highest code stands for "no limit". R_max has 4 and 4,
//! 2^e·(1 + m/16) ms: 1 ms to 63.5 s, rounded up, since it may not fall below the gap between packets.

/// The 12-bit code of a rate in bit/s; values out of range become the nearer end.
pub fn encode_rate(bps: f64) -> u16 {
    if bps >= UNLIMITED_BPS {
        return RATE_MAX;
    }
    let scaled = (bps / LEAST_BPS).max(1.0);
    let exponent = libm::floor(libm::log2(scaled)).min(31.0);
    let mantissa = libm::round((scaled / libm::exp2(exponent) - 1.0) * 128.0);
    // A mantissa of 128 carries into the exponent.
    ((exponent * 128.0 + mantissa) as u16).min(RATE_MAX - 1)
}

/// The rate of a 12-bit code, bit/s; infinite for the highest.
pub fn decode_rate(code: u16) -> f64 {
    if code >= RATE_MAX {
        return f64::INFINITY;
    }
    LEAST_BPS * libm::exp2(f64::from(code >> 7)) * (1.0 + f64::from(code & 0x7f) / 128.0)
}

/// The 12-bit code of a number of receivers, or of what the rate is multiplied by for them: 2^(e - 10)·(1 + m/128),
/// from 1/1024 to 4 million, rounded to the nearest. Not in the RFC.
pub fn encode_scale(scale: f64) -> u16 {
    let scaled = (scale * SCALES_PER_UNIT).max(1.0);
    let exponent = libm::floor(libm::log2(scaled)).min(31.0);
    let mantissa = libm::round((scaled / libm::exp2(exponent) - 1.0) * 128.0);
    // A cast saturates, and a mantissa of 128 carries into the exponent.
    ((exponent * 128.0 + mantissa) as u16).min(RATE_MAX)
}

/// The number of a 12-bit code.
pub fn decode_scale(code: u16) -> f64 {
    libm::exp2(f64::from(code >> 7)) * (1.0 + f64::from(code & 0x7f) / 128.0) / SCALES_PER_UNIT
}

/// The 8-bit code of a round-trip time in seconds.
pub fn encode_rtt(rtt_s: f64) -> u8 {
    let scaled = (rtt_s * 1e3).max(1.0);
    let exponent = libm::floor(libm::log2(scaled)).min(15.0);
    // A code decodes to itself although the decoded seconds are not whole milliseconds to the last bit.
    let mantissa = libm::ceil((scaled / libm::exp2(exponent) - 1.0) * 16.0 - 1e-9);
    (exponent * 16.0 + mantissa).min(255.0) as u8
}

/// The round-trip time of an 8-bit code, seconds.
pub fn decode_rtt(code: u8) -> f64 {
    1e-3 * libm::exp2(f64::from(code >> 4)) * (1.0 + f64::from(code & 0xf) / 16.0)
}

const LEAST_BPS: f64 = 100.0;
const SCALES_PER_UNIT: f64 = 1024.0;
const RATE_MAX: u16 = (1 << 12) - 1;
/// Above the middle between the last rate and what the highest code would be.
const UNLIMITED_BPS: f64 = 100.0 * 2_147_483_648.0 * (1.0 + 126.5 / 128.0);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_comes_back() {
        for code in 0..=RATE_MAX {
            assert_eq!(encode_rate(decode_rate(code)), code);
            assert_eq!(encode_scale(decode_scale(code)), code);
        }
        for code in 0..=u8::MAX {
            assert_eq!(encode_rtt(decode_rtt(code)), code);
        }
    }

    #[test]
    fn whole_numbers_up_to_255_and_powers_of_two_are_exact_scales() {
        for scale in (1..256).chain([512, 4096, 1 << 21]).map(f64::from) {
            assert_eq!(decode_scale(encode_scale(scale)), scale);
        }
        assert_eq!(decode_scale(encode_scale(0.0)), 1.0 / 1024.0);
        assert!(decode_scale(encode_scale(f64::INFINITY)) > 4e6);
        for scale in [0.3, 1.21, 31.62, 317.3, 9_999.0] {
            let error = decode_scale(encode_scale(scale)) / scale - 1.0;
            assert!(error.abs() < 0.004, "{scale}: {error}");
        }
    }

    #[test]
    fn errors_and_ranges_are_those_of_the_rfc() {
        assert_eq!(decode_rate(0), 100.0);
        assert!(decode_rate(RATE_MAX - 1) > 400e9);
        assert_eq!(decode_rate(encode_rate(f64::INFINITY)), f64::INFINITY);
        assert_eq!((encode_rate(0.0), encode_rtt(0.0), encode_rtt(1000.0)), (0, 0, 255));
        assert_eq!(encode_rate(0.999_999 * UNLIMITED_BPS), RATE_MAX - 1, "a rate that is no promise of all");
        assert_eq!(decode_rtt(0), 1e-3);
        assert!((decode_rtt(255) - 63.488).abs() < 1e-9);
        let mut value = 100.0;
        while value < 400e9 {
            let error = decode_rate(encode_rate(value)) / value - 1.0;
            assert!(error.abs() < 0.004, "{value}: {error}");
            value *= 1.0007;
        }
        let mut value = 1e-3;
        while value < 63.0 {
            let error = decode_rtt(encode_rtt(value)) / value - 1.0;
            assert!((-1e-9..0.0626).contains(&error), "{value}: {error}");
            value *= 1.0007;
        }
    }
}
