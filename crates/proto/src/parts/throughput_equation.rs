//! The TCP throughput equation (RFC 5348 section 3.1): the rate of a TCP with a given loss event rate and round-trip
//! time.

/// Throughput in bit/s of a TCP with segments of `segment_bytes`, a round-trip time of `rtt_s` seconds and a loss event
/// rate `p`, one acknowledgement per segment (`b = 1`) and `t_RTO = 4 R`, as RFC 5348 recommends.
///
/// `p` is in (0, 1]; towards 0 the rate grows beyond all bounds.
pub fn throughput_bps(segment_bytes: f64, rtt_s: f64, p: f64) -> f64 {
    throughput_with_bps(segment_bytes, rtt_s, p, 1.0, 4.0 * rtt_s)
}

/// The equation with every parameter: `b` segments per acknowledgement, a retransmission time-out of `t_rto_s` seconds.
///
/// ```text
///                            s
/// X = ----------------------------------------------------------
///     R·sqrt(2·b·p/3) + t_RTO·(3·sqrt(3·b·p/8)·p·(1 + 32·p²))
/// ```
pub fn throughput_with_bps(segment_bytes: f64, rtt_s: f64, p: f64, b: f64, t_rto_s: f64) -> f64 {
    debug_assert!(p > 0.0 && p <= 1.0, "loss event rate {p}");
    let additive_increase = rtt_s * (2.0 * b * p / 3.0).sqrt();
    let timeouts = t_rto_s * 3.0 * (3.0 * b * p / 8.0).sqrt() * p * (1.0 + 32.0 * p * p);
    8.0 * segment_bytes / (additive_increase + timeouts)
}

/// The loss event rate at which [`throughput_bps`] gives `rate_bps`, by bisection on [1e-10, 1]; the nearer end of that
/// range for rates out of it.
pub fn loss_event_rate(segment_bytes: f64, rtt_s: f64, rate_bps: f64) -> f64 {
    let (mut low, mut high) = (LEAST_LOSS, 1.0);
    if throughput_bps(segment_bytes, rtt_s, low) <= rate_bps {
        return low;
    }
    if throughput_bps(segment_bytes, rtt_s, high) >= rate_bps {
        return high;
    }
    // Halving the logarithm of the range: 60 steps bring the ends together to the last bit.
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if throughput_bps(segment_bytes, rtt_s, middle) > rate_bps {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

const LEAST_LOSS: f64 = 1e-10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_by_hand() {
        // p = 0.01, R = 0.1 s: sqrt(0.02/3) = 0.0816497, so 0.00816497; sqrt(0.03/8) = 0.0612372,
        // 1 + 32·0.0001 = 1.0032, 0.4·3·0.0612372·0.01·1.0032 = 0.000737198; 8000 / 0.008902164 = 898 658.
        for (p, expected) in [(0.001, 3_070_749.0), (0.01, 898_658.0), (0.1, 141_608.0)] {
            let rate = throughput_bps(1000.0, 0.1, p);
            assert!((rate - expected).abs() < 0.6, "p {p}: {rate}");
        }
        // Twice the round trip, half the rate; delayed ACKs (b = 2) at small p: a factor of sqrt(1/2).
        assert!((throughput_bps(1000.0, 0.2, 0.01) - 449_329.0).abs() < 0.6);
        let ratio = throughput_with_bps(1000.0, 0.1, 1e-8, 2.0, 0.4) / throughput_bps(1000.0, 0.1, 1e-8);
        assert!((ratio - 0.5f64.sqrt()).abs() < 1e-6, "{ratio}");
    }

    #[test]
    fn the_inverse_inverts() {
        for p in [1e-9, 1e-4, 0.003, 0.2, 0.9] {
            let back = loss_event_rate(512.0, 0.54, throughput_bps(512.0, 0.54, p));
            assert!((back / p - 1.0).abs() < 1e-9, "{p}: {back}");
        }
        assert_eq!(loss_event_rate(1000.0, 0.1, 1e15), 1e-10);
        assert_eq!(loss_event_rate(1000.0, 0.1, 1.0), 1.0);
    }
}
