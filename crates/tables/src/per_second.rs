//! Amounts per second.

use faircast_proto::time::Instant;

/// `amount` per second; NaN over no time: a rate of nobody is none.
pub fn over(amount: f64, seconds: f64) -> f64 {
    if seconds > 0.0 { amount / seconds } else { f64::NAN }
}

/// Seconds from `start` to `end`.
pub fn seconds(start: Instant, end: Instant) -> f64 {
    end.since(start).as_secs_f64()
}
