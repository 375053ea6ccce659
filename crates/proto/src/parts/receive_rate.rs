//! The rate at which a receiver gets data (RFC 4654 section 4.3.4), from a few marks along the way instead of a list of
//! packets.

use crate::time::{Duration, Instant, NANOS_PER_SECOND};

/// Marks that are kept.
const MARKS: usize = 12;
/// Those before the last.
const OLDER: usize = MARKS - 1;
/// Parts into which marks divide the longest window.
const PARTS: f64 = 10.0;
/// Parts up to this length are known to a nanosecond, however they are computed.
const LONGEST_PART_NS: f64 = 1e12;

/// Counts arrivals and remembers the count at some of them; at first there have been none. What every packet touches
/// comes first.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct ReceiveRate {
    last_at: Instant,
    /// The last mark: when, and how many had arrived.
    newest_at: Instant,
    newest_count: u32,
    /// How many have arrived; wraps around.
    packets: u32,
    /// Marks that have been set, up to [`MARKS`].
    kept: u8,
    /// Where the one before the last is.
    last_older: u8,
    times: [Instant; OLDER],
    counts: [u32; OLDER],
}

impl ReceiveRate {
    /// A packet arrives; windows will be up to `window_s` long. One that arrived before the last counts as come with
    /// it.
    pub fn arrive(&mut self, now: Instant, window_s: f64) {
        // The mark is set at the packet before, so that the newest mark is always older than the last arrival.
        if self.packets > 0 || self.kept > 0 {
            let since_mark = self.last_at.since(self.newest_at);
            if self.kept == 0 || since_mark.as_secs_f64() * PARTS >= window_s {
                self.set_mark();
            }
        }
        self.packets = self.packets.wrapping_add(1);
        self.last_at = self.last_at.max(now);
    }

    /// Takes `packets` in, the last of which arrived at `last_at`, as [`arrive`](Self::arrive) would one by one if all
    /// came before [`unmarked_until`](Self::unmarked_until).
    pub fn pass(&mut self, packets: u32, last_at: Instant) {
        self.packets = self.packets.wrapping_add(packets);
        self.last_at = last_at;
    }

    /// Before this moment no arrival sets a mark if windows are up to `window_s` long. It is rounded down: the mark
    /// may come a nanosecond later, and where parts of the window are longer than `LONGEST_PART_NS` much later.
    pub fn unmarked_until(&self, window_s: f64) -> Instant {
        if self.kept == 0 {
            return Instant::ZERO;
        }
        let part_ns = (window_s * (NANOS_PER_SECOND as f64 / PARTS)).min(LONGEST_PART_NS) as u64;
        self.newest_at + Duration(part_ns.saturating_sub(1))
    }

    /// Packets per second over about the last `window_s` seconds; the last gap if that holds fewer than two packets,
    /// the time since the first packet if that is shorter. 0 before the second packet.
    ///
    /// The window begins at an arrival, which it does not count, and ends at the last one as long as no more than the
    /// mean gap has passed since, so that an even stream is measured exactly.
    pub fn packets_per_s(&self, now: Instant, window_s: f64) -> f64 {
        let kept = usize::from(self.kept);
        let since = now - Duration::from_secs_f64(window_s);
        let in_window = (0..kept).take_while(|&back| self.mark(back).0 >= since).last();
        if kept == 0 {
            return 0.0;
        }
        let (from, count) = self.mark(in_window.unwrap_or(0));
        let packets = f64::from(self.packets.wrapping_sub(count));
        let spread_s = self.last_at.since(from).as_secs_f64();
        let silence_s = now.since(self.last_at).as_secs_f64() - spread_s / packets;
        packets / (spread_s + silence_s.max(0.0)).max(1e-9)
    }

    /// Sets a mark at the last arrival; the oldest is forgotten.
    fn set_mark(&mut self) {
        if self.kept > 0 {
            self.last_older = (self.last_older + 1) % OLDER as u8;
            self.times[usize::from(self.last_older)] = self.newest_at;
            self.counts[usize::from(self.last_older)] = self.newest_count;
        }
        (self.newest_at, self.newest_count) = (self.last_at, self.packets);
        self.kept = (self.kept + 1).min(MARKS as u8);
    }

    /// The mark set `back` marks before the last one.
    fn mark(&self, back: usize) -> (Instant, u32) {
        if back == 0 {
            return (self.newest_at, self.newest_count);
        }
        let index = (usize::from(self.last_older) + OLDER + 1 - back) % OLDER;
        (self.times[index], self.counts[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn an_even_stream_is_measured_exactly() {
        for gap_us in [10_u64, 700, 30_000, 400_000] {
            let mut rate = ReceiveRate::default();
            for n in 0..5000 {
                let now = Instant(n * gap_us * 1000);
                rate.arrive(now, 0.4);
                if n > 0 {
                    let measured = rate.packets_per_s(now, 0.4) * gap_us as f64 / 1e6;
                    assert!((measured - 1.0).abs() < 1e-9, "gap {gap_us} us, packet {n}: {measured}");
                }
            }
        }
    }

    #[test]
    fn silence_counts_from_the_mean_gap_on() {
        // 10 ms from one to the next. Marks are 40 ms apart, and the first in the window is at 120 ms: 38 packets in
        // 380 ms, and up to one gap later nothing has changed.
        let mut rate = ReceiveRate::default();
        assert_eq!(rate.packets_per_s(Instant::ZERO, 0.4), 0.0);
        rate.arrive(Instant::ZERO, 0.4);
        assert_eq!(rate.packets_per_s(Instant::ZERO, 0.4), 0.0, "one packet is no rate");
        let at = |ms: u64| Instant(ms * 1_000_000);
        (1..=50).for_each(|n| rate.arrive(at(10 * n), 0.4));
        for (ms, expected) in [(500, 100.0), (505, 100.0), (510, 100.0), (520, 38.0 / 0.39)] {
            let window_s = 0.001 * (ms - 500) as f64 + 0.4;
            let measured = rate.packets_per_s(at(ms), window_s);
            assert!((measured - expected).abs() < 1e-6, "{ms} ms: {measured}, not {expected}");
        }
        // Two at once are a nanosecond apart.
        let mut rate = ReceiveRate::default();
        rate.arrive(at(1), 0.4);
        rate.arrive(at(1), 0.4);
        assert!((rate.packets_per_s(at(1), 0.4) - 1e9).abs() < 1.0);
    }

    #[test]
    fn stamps_that_run_backwards_count_as_come_with_the_last() {
        // Each tenth packet is said to have come 3 ms before the one before.
        let (mut rate, mut exact) = (ReceiveRate::default(), ReceiveRate::default());
        for n in 1..2000_u64 {
            let at_ms = if n % 10 == 0 { 10 * n - 13 } else { 10 * n };
            rate.arrive(Instant(at_ms * 1_000_000), 0.4);
            exact.arrive(Instant(10 * n * 1_000_000), 0.4);
            let now = Instant(10 * n * 1_000_000);
            let (measured, expected) = (rate.packets_per_s(now, 0.4), exact.packets_per_s(now, 0.4));
            assert!(
                n < 100 || (measured - expected).abs() <= 0.03 * expected,
                "packet {n}: {measured}, not {expected}"
            );
        }
        // Behind a mark.
        let mut rate = ReceiveRate::default();
        [5, 9, 9, 1].iter().for_each(|&second| rate.arrive(Instant(second * NANOS_PER_SECOND), 0.4));
        assert!(rate.packets_per_s(Instant(9 * NANOS_PER_SECOND), 10.0) < 1.0);
    }

    #[test]
    fn many_at_once_are_as_many_one_by_one() {
        // Windows of odd lengths, and one whose parts are longer than what is computed with.
        for (window_s, mean_s) in [(0.4, 0.001), (0.123_456_789, 0.000_1), (7.0 / 3.0, 0.01), (3e4, 30.0)] {
            let mut random = Random::stream(1, "test/gaps");
            let (mut now, mut rate, mut at_once) = (Instant::ZERO, ReceiveRate::default(), ReceiveRate::default());
            assert_eq!(rate.unmarked_until(window_s), Instant::ZERO, "the second packet sets a mark");
            let (mut passed, mut marks) = (0, 0);
            for _ in 0..3000 {
                now += Duration::from_secs_f64(random.exponential(mean_s));
                let before = rate;
                rate.arrive(now, window_s);
                marks += u32::from(rate.newest_at != before.newest_at);
                if now < before.unmarked_until(window_s) {
                    assert_eq!(rate.newest_at, before.newest_at, "no mark is set");
                    passed += 1;
                    continue;
                }
                at_once.pass(passed, before.last_at);
                assert_eq!(format!("{at_once:?}"), format!("{before:?}"));
                at_once.arrive(now, window_s);
                passed = 0;
            }
            assert!((1..600).contains(&marks) && passed < 300, "{marks}");
        }
    }

    #[test]
    fn parts_of_a_window_are_rounded_down() {
        // A mark at 1 s, a part of 40 ms: an arrival at 1.04 s makes the next one set a mark.
        let mut rate = ReceiveRate::default();
        let at = |ns: u64| Instant(1_000_000_000 + ns);
        rate.arrive(at(0), 0.4);
        rate.arrive(at(1_000_000), 0.4);
        assert_eq!(rate.unmarked_until(0.4), at(39_999_999));
        assert_eq!(rate.unmarked_until(0.0), at(0));
        assert_eq!(rate.unmarked_until(1e9), at(LONGEST_PART_NS as u64 - 1));
    }

    #[test]
    fn where_the_count_turns_nothing_changes() {
        let mut random = Random::stream(1, "test/gaps");
        let mut plain = ReceiveRate::default();
        let mut now = Instant::ZERO;
        for n in 0..2000 {
            now += Duration::from_secs_f64(random.exponential(0.01));
            plain.arrive(now, 0.4);
            if n % 100 == 0 {
                // The same with a count that turns after some more.
                let mut turned = plain;
                let by = (u32::MAX - n / 100).wrapping_sub(plain.packets);
                turned.packets = turned.packets.wrapping_add(by);
                turned.newest_count = turned.newest_count.wrapping_add(by);
                turned.counts = turned.counts.map(|count| count.wrapping_add(by));
                let (mut same, mut then) = (plain, now);
                for _ in 0..200 {
                    then += Duration::from_secs_f64(random.exponential(0.02));
                    same.arrive(then, 0.4);
                    turned.arrive(then, 0.4);
                    assert_eq!(same.packets_per_s(then, 0.4), turned.packets_per_s(then, 0.4));
                    let marks = |rate: &ReceiveRate| (rate.newest_at, rate.times, rate.kept);
                    assert_eq!(marks(&same), marks(&turned));
                }
            }
        }
    }

    #[test]
    fn the_window_follows_a_change_of_rate_and_silence() {
        let mut rate = ReceiveRate::default();
        let mut now = Instant::ZERO;
        for n in 0..2000 {
            now += Duration::from_millis(if n < 1000 { 10 } else { 1 });
            rate.arrive(now, 0.4);
        }
        assert!((rate.packets_per_s(now, 0.4) - 1000.0).abs() < 1e-6);
        assert!((rate.packets_per_s(now, 0.1) - 1000.0).abs() < 1e-6);
        let later = now + Duration::from_secs(4);
        assert!(rate.packets_per_s(later, 0.4) < 30.0);
    }
}
