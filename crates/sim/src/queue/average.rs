//! RED's average of the queue: exponentially weighted over arrivals, decayed for the time the link stood idle.

use super::auto::Auto;
use super::discipline::{InterfaceView, LinkContext};
use faircast_proto::time::NANOS_PER_SECOND;

/// The average queue, in packets.
#[derive(Clone, Debug)]
pub(super) struct Average {
    value: f64,
    weight: f64,
    keep: f64,
    rate_bps: u64,
    /// Bits of a mean packet times nanoseconds of a second: what a link at 1 bit/s needs for one.
    bit_nanos_per_packet: u64,
}

impl Average {
    /// An average that starts at zero. `mean_packet_bytes` must be positive.
    pub fn new(weight: Auto<f64>, mean_packet_bytes: u64, link: &LinkContext) -> Average {
        let weight = weight.unwrap_or_else(|| automatic_weight(mean_packet_bytes, link));
        Average {
            value: 0.0,
            weight,
            keep: 1.0 - weight,
            rate_bps: link.rate.0,
            bit_nanos_per_packet: 8 * mean_packet_bytes * NANOS_PER_SECOND,
        }
    }

    /// Takes in that `queue` packets wait when a packet arrives, and gives the new average.
    ///
    /// [FloydJacobson93]: an idle link counts as the arrivals at an empty queue that it could have served.
    #[inline]
    pub fn at_arrival(&mut self, queue: f64, at: &InterfaceView) -> f64 {
        if at.is_idle() {
            let missed = self.packets_in(at.now.since(at.idle_since).0);
            if missed > 0 {
                self.value *= libm::pow(self.keep, missed as f64);
            }
        }
        self.value = self.keep * self.value + self.weight * queue;
        self.value
    }

    /// The present average.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// Whole mean packets that the link can send in so many nanoseconds: exact, in integers.
    fn packets_in(&self, nanos: u64) -> u64 {
        match nanos.checked_mul(self.rate_bps) {
            Some(bit_nanos) => bit_nanos / self.bit_nanos_per_packet,
            None => (u128::from(nanos) * u128::from(self.rate_bps) / u128::from(self.bit_nanos_per_packet)) as u64,
        }
    }
}

/// Packets of mean size that the link can send per second (ns-2's `ptc`).
pub(super) fn packets_per_second(mean_packet_bytes: u64, link: &LinkContext) -> f64 {
    link.rate.as_bps_f64() / (8.0 * mean_packet_bytes as f64)
}

/// ns-2's later default: `1 - exp(-1/(10 rtt ptc))` with `rtt = max(0.1 s, 3 (delay + 1/ptc))`.
fn automatic_weight(mean_packet_bytes: u64, link: &LinkContext) -> f64 {
    let ptc = packets_per_second(mean_packet_bytes, link);
    let rtt_pkts = (0.1 * ptc).max(3.0 * (link.delay.as_secs_f64() * ptc + 1.0));
    -libm::expm1(-1.0 / (10.0 * rtt_pkts))
}

#[cfg(test)]
mod tests {
    use super::super::battery::{link, view};
    use super::*;
    use faircast_proto::time::{Duration, Instant};

    #[test]
    fn a_thousand_arrivals_at_a_constant_queue() {
        // 10 (1 - 0.998^1000) = 8.6494
        let mut average = Average::new(Auto::Set(0.002), 1000, &link(1));
        for _ in 0..1000 {
            average.at_arrival(10.0, &view(10, 1000));
        }
        assert!((average.value() - 8.6494).abs() < 5e-5, "{}", average.value());
    }

    #[test]
    fn idle_time_counts_as_missed_arrivals_at_an_empty_queue() {
        // 1.5 Mbit/s and 1000 bytes: 187.5 packets per second. 16 ms are exactly 3 packets, 15.999 ms only 2.
        let decayed = |idle: Duration| {
            let mut average = Average::new(Auto::Set(0.5), 1000, &link(1));
            average.at_arrival(8.0, &view(8, 1000));
            assert_eq!(average.value(), 4.0);
            let idle_since = Instant::from_secs_f64(10.0);
            let at = InterfaceView { now: idle_since + idle, transmitting: false, idle_since, ..view(0, 1000) };
            average.at_arrival(0.0, &at)
        };
        // The arrival itself sees an empty queue, too: one halving more than packets missed.
        assert_eq!(decayed(Duration::ZERO), 2.0);
        assert_eq!(decayed(Duration::from_millis(16)), 0.25);
        assert_eq!(decayed(Duration(15_999_999)), 0.5);
        assert!(decayed(Duration::from_secs(1_000_000)) < 1e-300);
    }

    #[test]
    fn idle_time_means_nothing_while_transmitting() {
        let mut average = Average::new(Auto::Set(0.5), 1000, &link(1));
        average.at_arrival(8.0, &view(8, 1000));
        let at = InterfaceView { now: Instant::from_secs_f64(100.0), ..view(0, 1000) };
        assert_eq!(average.at_arrival(0.0, &at), 2.0);
    }

    #[test]
    fn automatic_weights_by_hand() {
        // 65 ms, 187.5 packets/s: rtt = 3 (0.065 + 0.005333) = 0.211 s, 39.5625 packets: 1 - exp(-1/395.625).
        assert!((automatic_weight(1000, &link(1)) - 0.002_524_45).abs() < 1e-8);
        // 1 ms: rtt = 0.1 s, 18.75 packets: 3 (0.1875 + 1) = 3.56 is less: 1 - exp(-1/187.5).
        let near = LinkContext { delay: Duration::from_millis(1), ..link(1) };
        assert!((automatic_weight(1000, &near) - 0.005_319_14).abs() < 1e-8);
    }
}
