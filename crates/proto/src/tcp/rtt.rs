//! Round-trip times and the retransmission time-out (RFC 6298).

use crate::time::{Duration, Instant};

/// SRTT, RTTVAR and RTO of one connection.
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

/// The clock by which round-trip times are measured: it may tick.
#[derive(Clone, Copy, Debug)]
pub struct TickingClock {
    /// 0 = it does not tick.
    tick_ns: u64,
    /// How long before the connection began its clock ticked last.
    phase_ns: u64,
    /// When the connection began. Ticks are counted from there, so that they do not depend on what the host's clock
    /// says.
    began: Instant,
}

/// The one segment whose round trip is being measured, if any.
#[derive(Clone, Copy, Debug)]
pub struct TimedSegment {
    segment: u64,
    sent: Instant,
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
        let factor = 1u64.checked_shl(exponent).unwrap_or(u64::MAX);
        Duration(self.rto_ns.saturating_mul(factor).min(self.max_ns.max(self.rto_ns)))
    }

    /// The smoothed round-trip time; `None` before the first sample.
    #[inline]
    pub fn srtt(&self) -> Option<Duration> {
        self.sampled.then_some(Duration(self.srtt_ns_by_8 / 8))
    }
}

/// Samples count as this at most, 36 years: eight of them, and four deviations, fit into 64 bits together.
const LONGEST_NS: u64 = 1 << 60;

impl TickingClock {
    /// Ticks every `tick`, if it does; at the beginning the part `phase`, from 0 to 1, of a tick is over.
    pub fn new(tick: Option<Duration>, phase: f64) -> TickingClock {
        let tick = tick.unwrap_or(Duration::ZERO);
        TickingClock { tick_ns: tick.0, phase_ns: tick.mul_f64(phase).0, began: Instant::ZERO }
    }

    /// The connection begins.
    pub fn begin(&mut self, now: Instant) {
        self.began = now;
    }

    /// What this clock makes of a round trip that took `rtt` and ends now: whole ticks, at least one.
    #[inline]
    pub fn measured(&self, rtt: Duration, now: Instant) -> Duration {
        if self.tick_ns == 0 {
            return rtt;
        }
        let end_ns = now.since(self.began).0.saturating_add(self.phase_ns);
        let ticks = end_ns / self.tick_ns - end_ns.saturating_sub(rtt.0) / self.tick_ns;
        Duration(ticks.max(1) * self.tick_ns)
    }
}

impl TimedSegment {
    /// Nothing is timed.
    pub const NONE: TimedSegment = TimedSegment { segment: u64::MAX, sent: Instant::ZERO };

    /// Times `segment`, sent for the first time now, unless another one is being timed.
    #[inline]
    pub fn start(&mut self, segment: u64, now: Instant) {
        if self.segment == u64::MAX {
            *self = TimedSegment { segment, sent: now };
        }
    }

    /// Something was sent again: what is acknowledged next is ambiguous (Karn; RFC 6298 section 3).
    pub fn abandon(&mut self) {
        *self = TimedSegment::NONE;
    }

    /// The measured time if an acknowledgement of everything below `acknowledged` covers the timed segment.
    #[inline]
    pub fn take(&mut self, acknowledged: u64, now: Instant) -> Option<Duration> {
        if acknowledged <= self.segment {
            return None;
        }
        let rtt = now.since(self.sent);
        self.abandon();
        Some(rtt)
    }
}

/// A time stamp as ACKs carry it back: low 32 bits of microseconds.
#[inline]
pub fn stamp_us(at: Instant) -> u32 {
    (at.0 / 1000) as u32
}

/// The time since a stamp.
#[inline]
pub fn since_stamp(now: Instant, stamp: u32) -> Duration {
    Duration::from_micros(u64::from(stamp_us(now).wrapping_sub(stamp)))
}

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
    fn a_ticking_clock_counts_ticks_by_hand() {
        let ms = Duration::from_millis;
        let at = |ms: u64| Instant::ZERO + Duration::from_millis(ms);
        assert_eq!(TickingClock::new(None, 0.9).measured(ms(37), at(50)), ms(37));
        // Ticks of 10 ms, 4 ms before the beginning at 1003 ms: 999, 1009, 1019 ..
        let mut clock = TickingClock::new(Some(ms(10)), 0.4);
        clock.begin(at(1003));
        for (sent, back, ticks) in [(1003, 1008, 1), (1003, 1009, 1), (1003, 1018, 1), (1003, 1019, 2), (1010, 1039, 3)]
        {
            assert_eq!(clock.measured(ms(back - sent), at(back)), ms(10 * ticks), "{sent} to {back}");
        }
        assert_eq!(clock.measured(Duration(u64::MAX), at(1039)), ms(40));
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

    #[test]
    fn one_segment_at_a_time_is_measured() {
        let mut timed = TimedSegment::NONE;
        assert_eq!(timed.take(1, Instant(5)), None);
        timed.start(7, Instant(100));
        timed.start(8, Instant(200));
        assert_eq!(timed.take(7, Instant(300)), None);
        assert_eq!(timed.take(8, Instant(350)), Some(Duration(250)));
        assert_eq!(timed.take(9, Instant(400)), None);
        timed.start(9, Instant(500));
        timed.abandon();
        assert_eq!(timed.take(10, Instant(600)), None);
    }
}
