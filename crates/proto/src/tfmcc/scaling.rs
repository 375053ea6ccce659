//! The hook for schemes that are TFMCC but for a factor: what multiplies the rate.

/// What a scheme on top of TFMCC multiplies. The default changes nothing: TFMCC itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// Receivers multiply the throughput equation by it, and divide by it where they invert the equation. Their rate
    /// in slow start, twice the receive rate, is not scaled. From [`LEAST_SCALE`] to [`MOST_SCALE`].
    pub equation: f64,
    /// The sender multiplies the increase of RFC 4654 section 3.3, a packet per R_max each R_max, by it; that of slow
    /// start it does not.
    pub increase: f64,
    /// How many receivers this stands for; it goes into data packets, for observers.
    pub receivers: f64,
}

impl Default for Scaling {
    fn default() -> Scaling {
        Scaling { equation: 1.0, increase: 1.0, receivers: 1.0 }
    }
}

/// The scaled rate f·X capped at what is received: min(f·X, max(X_recv, X)), all in bit/s.
pub(super) fn capped_bps(scaled_bps: f64, equation_bps: f64, receive_bps: f64) -> f64 {
    scaled_bps.min(receive_bps.max(equation_bps))
}

/// The least factor: what its short form on the wire can hold.
pub const LEAST_SCALE: f64 = 1.0 / 1024.0;
/// The greatest factor, likewise.
pub const MOST_SCALE: f64 = 2_097_152.0;

/// The factor of a data packet; 1 if the packet holds none that a sender could have sent.
pub(super) fn received(scale: f32) -> f32 {
    let legal = (LEAST_SCALE..=MOST_SCALE).contains(&f64::from(scale));
    if legal { scale } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_that_no_sender_sends_are_one() {
        for legal in [LEAST_SCALE as f32, 0.5, 1.0, 7.0, MOST_SCALE as f32] {
            assert_eq!(received(legal), legal);
        }
        for wrong in [f32::NAN, f32::INFINITY, -1.0, 0.0, 0.0009, 2_097_153.0] {
            assert_eq!(received(wrong), 1.0, "{wrong}");
        }
    }

    #[test]
    fn a_capped_rate_is_between_the_equation_and_what_is_received() {
        assert_eq!(capped_bps(8e6, 1e6, 3e6), 3e6);
        assert_eq!(capped_bps(8e6, 1e6, 9e6), 8e6);
        assert_eq!(capped_bps(8e6, 1e6, 0.5e6), 1e6);
    }
}
