//! Round-trip times and the retransmission time-out (RFC 6298).

use crate::time::Duration;

/// SRTT, RTTVAR and RTO of one connection, or of one receiver.
///
/// Scaled integers as in the classic BSD code: 8·SRTT and 4·RTTVAR, so that the gains 1/8 and 1/4 are shifts whose
/// rounding does not accumulate.
#[derive(Clone, Debug)]
pub struct RttEstimator {
    srtt_ns_by_8: u64,
    rttvar_ns_by_4: u64,
    rto_ns: u64,
    initial_ns: u64,
    min_ns: u64,
    max_ns: u64,
    granularity_ns: u64,
    sampled: bool,
}

impl RttEstimator {
    /// No sample yet: the time-out is `initial`.
    pub fn new(initial: Duration, min: Duration, max: Duration, granularity: Duration) -> RttEstimator {
        RttEstimator {
            srtt_ns_by_8: 0,
            rttvar_ns_by_4: 0,
            rto_ns: initial.0,
            initial_ns: initial.0,
            min_ns: min.0,
            max_ns: max.0,
            granularity_ns: granularity.0,
            sampled: false,
        }
    }

    /// Takes a measured round-trip time in; this ends a back-off.
    pub fn sample(&mut self, rtt: Duration) {
        let rtt_ns = rtt.0.min(LONGEST_NS);
        if self.sampled {
            // RFC 6298 (2.3): RTTVAR first, with the old SRTT.
            let error_ns = (self.srtt_ns_by_8 / 8).abs_diff(rtt_ns);
            self.rttvar_ns_by_4 = self.rttvar_ns_by_4 - self.rttvar_ns_by_4 / 4 + error_ns;
            self.srtt_ns_by_8 = self.srtt_ns_by_8 - self.srtt_ns_by_8 / 8 + rtt_ns;
        } else {
            // RFC 6298 (2.2): SRTT = R, RTTVAR = R/2.
            self.srtt_ns_by_8 = 8 * rtt_ns;
            self.rttvar_ns_by_4 = 2 * rtt_ns;
            self.sampled = true;
        }
        // RFC 6298 (2.3), (2.4), (2.5): RTO = SRTT + max(G, 4·RTTVAR), within bounds.
        let rto_ns = self.srtt_ns_by_8 / 8 + self.granularity_ns.max(self.rttvar_ns_by_4);
        self.rto_ns = rto_ns.max(self.min_ns).min(self.max_ns);
    }

    /// RFC 6298 (5.5): doubles the time-out. It stays so until the next sample.
    pub fn back_off(&mut self) {
        self.rto_ns = self.rto_ns.saturating_mul(2).min(self.max_ns);
    }

    /// The time-out becomes `initial` again, but at least `least`, within the maximum.
    pub fn restart(&mut self, least: Duration) {
        self.rto_ns = self.initial_ns.max(least.0).min(self.max_ns);
    }

    /// The retransmission time-out.
    #[inline]
    pub fn rto(&self) -> Duration {
        Duration(self.rto_ns)
    }

    /// The time-out after `exponent` doublings, not above the maximum.
    pub fn rto_doubled(&self, exponent: u32) -> Duration {
        self.doubled(self.rto_ns, exponent)
    }

    /// What [`rto_doubled`](Self::rto_doubled) is for a way of which nothing has been measured: at least the time-out
    /// before the first sample is doubled.
    pub fn unmeasured_doubled(&self, exponent: u32) -> Duration {
        self.doubled(self.rto_ns.max(self.initial_ns), exponent)
    }

    fn doubled(&self, time_ns: u64, exponent: u32) -> Duration {
        let factor = 1u64.checked_shl(exponent).unwrap_or(u64::MAX);
        Duration(time_ns.saturating_mul(factor).min(self.max_ns.max(time_ns)))
    }

    /// The smoothed round-trip time; `None` before the first sample.
    #[inline]
    pub fn srtt(&self) -> Option<Duration> {
        self.sampled.then_some(Duration(self.srtt_ns_by_8 / 8))
    }
}

/// Samples count as this at most, 36 years: eight of them, and four deviations, fit into 64 bits together.
const LONGEST_NS: u64 = 1 << 60;

#[cfg(test)]
mod tests {
    use super::*;

    fn estimator() -> RttEstimator {
        let (min, max) = (Duration::from_millis(200), Duration::from_secs(60));
        RttEstimator::new(Duration::from_secs(3), min, max, Duration::from_millis(10))
    }

    #[test]
    fn two_samples_by_hand() {
        let mut rtt = estimator();
        assert_eq!((rtt.srtt(), rtt.rto()), (None, Duration::from_secs(3)));
        rtt.sample(Duration::from_millis(160));
        // SRTT 160, RTTVAR 80: RTO 160 + 320 ms.
        assert_eq!((rtt.srtt(), rtt.rto()), (Some(Duration::from_millis(160)), Duration::from_millis(480)));
        rtt.sample(Duration::from_millis(240));
        // RTTVAR = 3/4·80 + 1/4·80 = 80, SRTT = 7/8·160 + 1/8·240 = 170: RTO 170 + 320 ms.
        assert_eq!((rtt.srtt(), rtt.rto()), (Some(Duration::from_millis(170)), Duration::from_millis(490)));
    }

    #[test]
    fn the_variance_term_is_at_least_the_granularity() {
        let min = Duration::from_millis(1);
        let mut rtt =
            RttEstimator::new(Duration::from_secs(1), min, Duration::from_secs(60), Duration::from_millis(10));
        for _ in 0..100 {
            rtt.sample(Duration::from_millis(40));
        }
        assert_eq!(rtt.rto(), Duration::from_millis(50));
    }

    #[test]
    fn bounds_and_back_off() {
        let mut rtt = estimator();
        rtt.sample(Duration::from_millis(8));
        assert_eq!(rtt.rto(), Duration::from_millis(200));
        rtt.back_off();
        rtt.back_off();
        assert_eq!(rtt.rto(), Duration::from_millis(800));
        assert_eq!(rtt.rto_doubled(1), Duration::from_millis(1600));
        assert_eq!(rtt.rto_doubled(200), Duration::from_secs(60));
        for _ in 0..20 {
            rtt.back_off();
        }
        assert_eq!(rtt.rto(), Duration::from_secs(60));
        rtt.sample(Duration::from_millis(8));
        assert_eq!(rtt.rto(), Duration::from_millis(200));
    }

    #[test]
    fn samples_of_any_length_are_survived() {
        let longest = Duration(u64::MAX);
        let mut rtt = RttEstimator::new(Duration::from_secs(3), Duration::from_secs(1), longest, Duration(1 << 62));
        for sample in [longest, longest, Duration::ZERO, longest, Duration::ZERO] {
            rtt.sample(sample);
            assert!(rtt.srtt().is_some_and(|srtt| srtt.0 <= LONGEST_NS) && rtt.rto().0 >= 1 << 62);
            rtt.back_off();
        }
        assert!(rtt.rto_doubled(3).0 >= 1 << 62);
    }
}
