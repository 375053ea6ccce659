//! A token bucket: how much may be sent so that in any time it is no more than a rate times that time, and a burst.
//!
//! Tokens are counted in billionths of a bit, of which a nanosecond brings as many as the rate has bits per second: no
//! rounding adds up however long a run is.

use faircast_proto::time::{Duration, Instant, Rate};

/// Tokens of a bit.
const PER_BIT: i128 = 1_000_000_000;

/// A bucket that fills at a rate up to a burst (RFC 2697, section 3: the committed rate and burst size).
#[derive(Clone, Debug)]
pub(super) struct TokenBucket {
    rate: Rate,
    /// What it holds when it is full.
    depth: i128,
    tokens: i128,
    filled: Instant,
}

impl TokenBucket {
    /// A full one that holds `burst` bytes.
    pub(super) fn full(rate: Rate, burst: u64) -> TokenBucket {
        let depth = tokens_of(burst);
        TokenBucket { rate, depth, tokens: depth, filled: Instant::ZERO }
    }

    fn fill(&mut self, now: Instant) {
        let came = i128::from(self.rate.0) * i128::from(now.since(self.filled).0);
        self.tokens = (self.tokens + came).min(self.depth);
        self.filled = self.filled.max(now);
    }

    /// Takes the tokens of so many bytes if all are there.
    pub(super) fn take(&mut self, now: Instant, bytes: u16) -> bool {
        self.fill(now);
        let conforms = self.tokens >= tokens_of(bytes.into());
        if conforms {
            self.tokens -= tokens_of(bytes.into());
        }
        conforms
    }

    /// When so many bytes may be sent: when their tokens are there, or, of more than it ever holds, when it is full.
    /// The rate must not be zero.
    pub(super) fn ready(&mut self, now: Instant, bytes: u16) -> Instant {
        self.fill(now);
        let lacking = tokens_of(bytes.into()).min(self.depth) - self.tokens;
        let rate = i128::from(self.rate.0);
        let wait_ns = (lacking.max(0) + rate - 1) / rate;
        u64::try_from(wait_ns).map_or(Instant::FAR_FUTURE, |wait| now + Duration(wait))
    }

    /// Takes the tokens of so many bytes, some of which may be missing yet.
    pub(super) fn owe(&mut self, now: Instant, bytes: u16) {
        self.fill(now);
        self.tokens -= tokens_of(bytes.into());
    }
}

fn tokens_of(bytes: u64) -> i128 {
    8 * i128::from(bytes) * PER_BIT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Instant {
        Instant(milliseconds * 1_000_000)
    }

    #[test]
    fn a_burst_goes_at_once_and_then_the_rate() {
        // 1 Mbit/s, 3000 bytes: three packets of 1000 at once, then one each 8 ms.
        let mut bucket = TokenBucket::full(Rate(1_000_000), 3000);
        let taken: Vec<bool> = (0..4).map(|_| bucket.take(ms(5), 1000)).collect();
        assert_eq!(taken, [true, true, true, false]);
        assert_eq!(bucket.ready(ms(5), 1000), ms(13));
        assert!(!bucket.take(Instant(12_999_999), 1000));
        assert!(bucket.take(ms(13), 1000));
        // However long nothing comes, it holds no more than the burst.
        assert_eq!((bucket.ready(ms(10_000), 3000), bucket.ready(ms(10_000), 3001)), (ms(10_000), ms(10_000)));
        assert!(!bucket.take(ms(10_000), 3001), "more than it ever holds does not conform");
    }

    #[test]
    fn odd_rates_do_not_drift() {
        // 999 983 bit/s, a prime: in 10^5 packets no nanosecond more than the last one's rounding is lost.
        let mut bucket = TokenBucket::full(Rate(999_983), 1500);
        let mut now = Instant::ZERO;
        for _ in 0..100_000 {
            now = bucket.ready(now, 700);
            bucket.owe(now, 700);
        }
        // The first two go at once, as 1500 bytes were there, the third one needs 600 more.
        let exact = 8.0 * (700.0 * 100_000.0 - 1500.0) / 999_983.0;
        assert!((now.as_secs_f64() - exact).abs() < 2e-9, "{now} for {exact}");
    }

    #[test]
    fn it_says_the_first_nanosecond_in_which_there_is_enough() {
        // 3 bit/s: the 8 bits of a byte take 2.666 666 666 6.. s, and 16 bits 5.333 333 333 3.. s.
        for (bytes, exact) in [(1, 2_666_666_667), (2, 5_333_333_334)] {
            let empty = || {
                let mut bucket = TokenBucket::full(Rate(3), 2);
                assert!(bucket.take(ms(1000), 2));
                bucket
            };
            let at = Instant(1_000_000_000 + exact);
            assert_eq!(empty().ready(ms(1000), bytes), at);
            assert!(!empty().take(Instant(at.0 - 1), bytes) && empty().take(at, bytes), "{bytes} bytes");
            // Who asks too early loses nothing, nor does who asks of a moment that has passed.
            let mut asked = empty();
            for now in [at.0 - 2_000_000_000, at.0 - 2_500_000_000, at.0 - 1] {
                assert!(!asked.take(Instant(now), bytes));
            }
            assert_eq!(asked.ready(Instant(at.0 - 1), bytes), at);
            assert!(asked.take(at, bytes) && !asked.take(at, 1));
        }
        // Just enough is there: at once.
        let mut full = TokenBucket::full(Rate(3), 2);
        assert_eq!((full.ready(ms(7), 2), full.ready(ms(7), 1)), (ms(7), ms(7)));
    }

    #[test]
    fn what_is_owed_after_a_rest_is_owed_by_a_full_bucket() {
        // A byte takes a millisecond. Empty at 0, full from 1 s on, however long it is before the next packet.
        let mut bucket = TokenBucket::full(Rate(8000), 1000);
        bucket.owe(Instant::ZERO, 1000);
        bucket.owe(ms(10_000), 1000);
        assert_eq!(bucket.ready(ms(10_000), 1000), ms(11_000));
    }

    #[test]
    fn packets_larger_than_the_burst_are_owed() {
        let mut bucket = TokenBucket::full(Rate(8_000), 500);
        let mut now = Instant::ZERO;
        let mut sent = Vec::new();
        for _ in 0..4 {
            now = bucket.ready(now, 1000);
            bucket.owe(now, 1000);
            sent.push(now.0 / 1_000_000);
        }
        // One kilobyte a second: the next goes when the debt is paid and the bucket full again.
        assert_eq!(sent, [0, 1000, 2000, 3000]);
        // At one bit a second 65 535 bytes take 524 280 s. One byte was there, and one follows. Of 40 000 such packets
        // the end is beyond what a clock shows, 2^64 ns.
        let mut slow = TokenBucket::full(Rate(1), 1);
        slow.owe(Instant::ZERO, u16::MAX);
        assert_eq!(slow.ready(Instant::ZERO, 1), ms(524_280_000));
        (0..40_000).for_each(|_| slow.owe(Instant::ZERO, u16::MAX));
        assert_eq!(slow.ready(Instant::ZERO, 1), Instant::FAR_FUTURE);
    }
}
