//! Whether packets take longer and longer on their way to a receiver, as they do while a queue grows: the test of
//! HyStart++ (RFC 9406 section 4.2) with one-way delays.
//!
//! A receiver sees the delay of each packet, but for the difference of the clocks, which does not change meanwhile; a
//! sender with a report per round-trip time would have one sample of it. What the way back adds is left out.

use crate::parts::rtt::stamp_us;
use crate::time::{Duration, Instant};

/// The delays of the round-trip time before and of the last packets.
///
/// The least delay of the last packets is compared with the least of the round before. Where RFC 9406 takes the least
/// of the present round so far, which remembers its beginning, this takes that of the last [`SAMPLES`] packets and a
/// sixteenth of a round-trip time at least: a queue that grows is found as much sooner. After an alarm it compares with
/// the delay that it told of, as conservative slow start does (`cssBaselineMinRtt`): if the next packets take no
/// longer, nothing more is said.
#[derive(Clone, Debug)]
pub struct DelayWatch {
    /// The delay of the first packet, from which all are counted, and which tells of the clocks only.
    reference_us: u32,
    /// Least delay of the round before; none yet.
    last_us: Option<i32>,
    round: Stretch,
    /// The last packets, each of which has taken longer by the threshold; none of them.
    late: Option<Stretch>,
    /// An alarm of which its owner has not told yet.
    is_untold: bool,
}

/// Packets in a row.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    since: Instant,
    packets: u32,
    least_us: i32,
}

/// Least number of packets that a round or the last packets are (N_RTT_SAMPLE, RFC 9406 section 4.3).
pub const SAMPLES: u32 = 8;
/// Which part of a round-trip time the last packets take at least; a choice. At high rates more packets are compared,
/// so that jitter shows less.
const PARTS: f64 = 16.0;
/// By how much delays rise at least and at most, and in parts of the round-trip time (RFC 9406 section 4.3).
const MIN_RTT_THRESH_S: f64 = 4e-3;
const MAX_RTT_THRESH_S: f64 = 16e-3;
const MIN_RTT_DIVISOR: f64 = 8.0;

/// By how much the least delay of a round exceeds that of the one before where a queue grows, seconds (RFC 9406
/// section 4.2, `RttThresh`).
pub fn threshold_s(rtt_s: f64) -> f64 {
    (rtt_s / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH_S, MAX_RTT_THRESH_S)
}

impl DelayWatch {
    /// It begins with a packet that has come at `now` and was sent at `sent_us` by its sender's clock, of which the
    /// upper bits are left out.
    pub fn begin(now: Instant, sent_us: u32) -> DelayWatch {
        let round = Stretch { since: now, packets: 1, least_us: 0 };
        DelayWatch { reference_us: lag_us(now, sent_us), last_us: None, round, late: None, is_untold: false }
    }

    /// The next packet. Whether packets take longer than in the round-trip time before by the threshold; the round-trip
    /// time is `rtt_s`.
    pub fn arrive(&mut self, now: Instant, sent_us: u32, rtt_s: f64) -> bool {
        let delay_us = lag_us(now, sent_us).wrapping_sub(self.reference_us) as i32;
        if self.round.is_full(now, rtt_s) {
            self.last_us = Some(self.round.least_us);
            self.round = Stretch::new(now);
        }
        self.round.add(delay_us);
        let rise_us = self.last_us.map_or(0, |last_us| delay_us.saturating_sub(last_us));
        if rise_us < (1e6 * threshold_s(rtt_s)) as i32 {
            self.late = None;
            return false;
        }
        let late = self.late.get_or_insert(Stretch::new(now));
        late.add(delay_us);
        let rises = late.is_full(now, rtt_s / PARTS);
        if rises {
            self.last_us = Some(late.least_us);
            (self.round, self.late) = (Stretch::new(now), None);
        }
        self.is_untold |= rises;
        rises
    }

    /// Whether there was an alarm of which its owner has not [told](Self::told) yet.
    pub fn is_untold(&self) -> bool {
        self.is_untold
    }

    /// Its owner has told of the last alarm, or it is of the past.
    pub fn told(&mut self) {
        self.is_untold = false;
    }
}

impl Stretch {
    fn new(now: Instant) -> Stretch {
        Stretch { since: now, packets: 0, least_us: i32::MAX }
    }

    fn add(&mut self, delay_us: i32) {
        self.packets += 1;
        self.least_us = self.least_us.min(delay_us);
    }

    /// Whether it has packets enough and is as long as this.
    fn is_full(&self, now: Instant, length_s: f64) -> bool {
        self.packets >= SAMPLES && now.since(self.since) >= Duration::from_secs_f64(length_s)
    }
}

/// Microseconds from the sender's stamp to the arrival, of two clocks that differ by anything.
fn lag_us(now: Instant, sent_us: u32) -> u32 {
    stamp_us(now).wrapping_sub(sent_us)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets each 2 ms, each delayed by so many ms, from the first on; which of them say that delays rise.
    fn alarms(rtt_s: f64, clock_us: u32, delays_ms: impl IntoIterator<Item = f64>) -> Vec<usize> {
        let mut watch = None;
        let mut alarms = Vec::new();
        for (n, delay_ms) in delays_ms.into_iter().enumerate() {
            let sent = Instant::from_secs_f64(5.0 + 0.002 * n as f64);
            let sent_us = stamp_us(sent).wrapping_add(clock_us);
            let now = sent + Duration::from_secs_f64(0.001 * delay_ms);
            match &mut watch {
                None => watch = Some(DelayWatch::begin(now, sent_us)),
                Some(watch) => alarms.extend(watch.arrive(now, sent_us, rtt_s).then_some(n)),
            }
        }
        alarms
    }

    #[test]
    fn thresholds_are_those_of_the_rfc() {
        for (rtt_s, expected_s) in [(0.001, 0.004), (0.032, 0.004), (0.04, 0.005), (0.128, 0.016), (0.56, 0.016)] {
            assert!((threshold_s(rtt_s) - expected_s).abs() < 1e-12, "{rtt_s}");
        }
    }

    #[test]
    fn a_rise_is_found_by_the_least_of_eight_packets_once_and_whatever_the_clocks_show() {
        // A round-trip time of 40 ms is 20 packets, after which there is a round to compare with. From packet 40 on the
        // way is longer by 5 ms, the threshold: the eighth of them is packet 47.
        let step = |ms: f64| (0..200).map(move |n| if n < 40 { 20.0 } else { 20.0 + ms });
        for clock_us in [0, 5_000_000, u32::MAX - 5_050_000, u32::MAX - 5_000_000, 1 << 31] {
            assert_eq!(alarms(0.04, clock_us, step(5.0)), [47], "{clock_us}");
        }
        assert_eq!(alarms(0.04, 0, step(4.9)), [0; 0], "below the threshold");
        assert_eq!(alarms(0.032, 0, step(4.0)), [47], "which is 4 ms at least");
        assert_eq!(alarms(0.04, 0, step(-10.0)), [0; 0]);
        // A sixteenth of 400 ms is 12 gaps and a half.
        assert_eq!(alarms(0.4, 0, (0..900).map(|n| if n < 400 { 20.0 } else { 36.0 })), [413]);
        // One of eight that is not late says that the queue is empty.
        let with_one = (0..200).map(|n| if n < 40 || n % 8 == 3 { 20.0 } else { 40.0 });
        assert_eq!(alarms(0.04, 0, with_one), [0; 0]);
    }

    #[test]
    fn a_queue_that_goes_on_growing_is_told_of_again_and_a_longer_way_is_not() {
        // 1 ms more with each packet from 40 on, which has 21: by 5 ms from packet 44 on, whose delay is 25, the least
        // of 44 to 51; then from 49, whose delay is 30, but of those after the alarm: 52 to 59; and so on.
        let queue = (0..80).map(|n: i32| 20.0 + f64::from((n - 39).max(0)));
        assert_eq!(alarms(0.04, 0, queue), [51, 59, 67, 75]);
        let step = (0..400).map(|n| if n < 40 { 20.0 } else { 45.0 });
        assert_eq!(alarms(0.04, 0, step), [47]);
        // Back, and up again in the round after the next.
        let twice = (0..400).map(|n| if n < 40 || (60..120).contains(&n) { 20.0 } else { 45.0 });
        assert_eq!(alarms(0.04, 0, twice), [47, 127]);
    }

    #[test]
    fn slow_changes_and_the_first_round_say_nothing() {
        // 2 ms more in each round: a queue of others that grows by a packet or two per round-trip time.
        assert_eq!(alarms(0.04, 0, (0..400).map(|n| 20.0 + 0.1 * f64::from(n))), [0; 0]);
        // Packets come 12 ms apart: the first eight are the first round, which has nothing to be compared with, and as
        // many have to take longer.
        assert_eq!(alarms(0.04, 0, (0..15).map(|n| 20.0 + 10.0 * f64::from(n))), [0; 0]);
        assert_eq!(alarms(0.04, 0, (0..16).map(|n| 20.0 + 10.0 * f64::from(n))), [15]);
        // A round has eight packets, be it longer than a round-trip time.
        assert_eq!(alarms(0.002, 0, (0..12).map(|n| if n < 8 { 20.0 } else { 40.0 })), [0; 0]);
        assert_eq!(alarms(0.002, 0, (0..16).map(|n| if n < 8 { 20.0 } else { 40.0 })), [15]);
    }

    #[test]
    fn an_alarm_is_untold_until_it_is_told() {
        let mut watch = DelayWatch::begin(Instant::ZERO, 0);
        let mut packet = |n: u32, delay_ms: f64| {
            let sent = Duration::from_millis(2 * u64::from(n));
            let now = Instant::ZERO + sent + Duration::from_secs_f64(0.001 * delay_ms);
            watch.arrive(now, stamp_us(Instant::ZERO + sent), 0.04);
            watch.clone()
        };
        (1..40).for_each(|n| assert!(!packet(n, 0.0).is_untold()));
        let mut last = (40..48).map(|n| packet(n, 6.0)).last().expect("there are eight");
        assert!(last.is_untold() && packet(48, 6.0).is_untold());
        last.told();
        assert!(!last.is_untold());
    }
}
