//! Time stamps of 32 bits in microseconds, and the moments that they stand for.
//!
//! They wrap around after 2^32 µs, 71 minutes and 35 seconds. One that comes is the moment nearest to a known one of
//! the same sender that has these lower bits: serial arithmetic, which is right as long as the two are less than half
//! of that apart.

pub use faircast_proto::parts::rtt::stamp_us as stamp;

use faircast_proto::time::Instant;

/// After how many microseconds stamps begin again.
pub const WRAP_US: u64 = 1 << 32;

const NANOS_PER_MICRO: u64 = 1000;

/// The moment nearest to `near` that has this stamp, in whole microseconds. There is none before the clock's zero nor
/// behind its end: what would be, is one turn off.
pub fn unwrap(stamp: u32, near: Instant) -> Instant {
    let near_us = near.0 / NANOS_PER_MICRO;
    // As a number with its sign: how far it is ahead.
    let ahead = i64::from(stamp.wrapping_sub(near_us as u32) as i32);
    // Microseconds are a thousandth of what the clock has room for, so only its zero can be passed here.
    let at_us = near_us.checked_add_signed(ahead).unwrap_or(near_us.wrapping_add_signed(ahead).wrapping_add(WRAP_US));
    Instant(at_us.checked_mul(NANOS_PER_MICRO).unwrap_or_else(|| (at_us - WRAP_US) * NANOS_PER_MICRO))
}

/// The moment of a sender's first stamp, of whom nothing is known: its clock might have begun a turn ago, so that what
/// is late by less has a place before it.
pub const fn first(stamp: u32) -> Instant {
    Instant((WRAP_US + stamp as u64) * NANOS_PER_MICRO)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MICRO: u64 = 1000;

    fn at_us(us: u64) -> Instant {
        Instant(us * MICRO)
    }

    #[test]
    fn moments_come_back_over_the_wrap() {
        // 71 minutes and 34.967295 s are the last stamp of the first turn.
        assert_eq!(stamp(at_us(u64::from(u32::MAX))), u32::MAX);
        assert_eq!((stamp(at_us(WRAP_US)), stamp(at_us(WRAP_US + 5))), (0, 5));
        for turn in [1, 2, 3, 1000] {
            let border = turn * WRAP_US;
            for (sent, near) in [
                (border + 3, border - 2),
                (border - 2, border + 3),
                (border, border - 1),
                (border - 1, border),
                (border + 2_000_000_000, border),
                (border - 2_000_000_000, border),
                (border, border),
            ] {
                assert_eq!(unwrap(stamp(at_us(sent)), at_us(near)), at_us(sent), "{sent} near {near}");
            }
        }
    }

    #[test]
    fn half_a_turn_is_as_far_as_it_goes() {
        let near = 10 * WRAP_US + 77;
        let half = WRAP_US / 2;
        for (sent, read) in [
            (near + half - 1, near + half - 1),
            (near + half, near - half),
            (near - half, near - half),
            (near - half - 1, near + half - 1),
        ] {
            assert_eq!(unwrap(stamp(at_us(sent)), at_us(near)), at_us(read));
        }
    }

    #[test]
    fn nothing_is_before_the_zero_or_behind_the_end() {
        // 5 µs before zero there is no moment: it is a turn later.
        assert_eq!(unwrap(0_u32.wrapping_sub(5), Instant::ZERO), at_us(WRAP_US - 5));
        assert_eq!(unwrap(3, at_us(9)), at_us(3));
        let last_us = u64::MAX / MICRO;
        assert_eq!(unwrap(last_us as u32, Instant(u64::MAX)), at_us(last_us));
        assert_eq!(unwrap((last_us + 1) as u32, Instant(u64::MAX)), at_us(last_us + 1 - WRAP_US));
    }

    #[test]
    fn parts_of_microseconds_are_left_out() {
        assert_eq!(stamp(Instant(1_999)), 1);
        assert_eq!(unwrap(1, Instant(2_999)), Instant(1_000));
    }

    #[test]
    fn a_first_stamp_has_a_turn_before_it() {
        assert_eq!(first(7), at_us(WRAP_US + 7));
        assert_eq!(unwrap(u32::MAX, first(0)), at_us(WRAP_US - 1));
    }
}
