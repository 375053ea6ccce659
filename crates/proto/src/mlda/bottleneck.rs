//! The rate of the bottleneck from pairs of packets that the source sends back to back.
//!
//! The second leaves the bottleneck as long after the first as its transmission takes there. Traffic between the two
//! makes the gap longer, a queue behind the bottleneck shorter; the median of the last samples is the estimate.

use crate::time::Instant;
use std::collections::VecDeque;

/// What a receiver knows of its bottleneck.
#[derive(Clone, Debug)]
pub struct PacketPairs {
    /// Number and arrival of the first of a pair whose second has not come.
    first: Option<(u64, Instant)>,
    /// The last samples, bit/s, the oldest first.
    samples: VecDeque<f64>,
    /// The same, the least first.
    sorted: Vec<f64>,
    most: usize,
}

impl PacketPairs {
    /// None has come. The estimate is the median of the last `most` samples, of which there is at least one.
    pub fn new(most: usize) -> PacketPairs {
        debug_assert!(most > 0);
        let (samples, sorted) = (VecDeque::with_capacity(most), Vec::with_capacity(most));
        PacketPairs { first: None, samples, sorted, most }
    }

    /// A packet of the layer that has the pairs has come: its number, a count that does not wrap, whether it is marked
    /// as the first of a pair, and its size. True if it is the second of one.
    ///
    /// A pair of which one is lost or that came the other way round gives no sample, nor do two at the same moment,
    /// between which there was no bottleneck.
    pub fn arrive(&mut self, now: Instant, count: u64, is_first: bool, size_bytes: u16) -> bool {
        let second = self.first.take().filter(|&(first, _)| first + 1 == count && !is_first);
        if is_first {
            self.first = Some((count, now));
        }
        let Some((_, first_at)) = second else { return false };
        let gap_s = now.since(first_at).as_secs_f64();
        if gap_s > 0.0 {
            self.add(8.0 * f64::from(size_bytes) / gap_s);
        }
        true
    }

    /// The estimate, bit/s; none before the first sample.
    pub fn rate_bps(&self) -> Option<f64> {
        let middle = self.sorted.len() / 2;
        let upper = *self.sorted.get(middle)?;
        Some(if self.sorted.len() % 2 == 1 { upper } else { 0.5 * (self.sorted[middle - 1] + upper) })
    }

    fn add(&mut self, sample_bps: f64) {
        let place = |sorted: &[f64], value: f64| sorted.partition_point(|&other| other < value);
        if self.samples.len() == self.most
            && let Some(oldest) = self.samples.pop_front()
        {
            self.sorted.remove(place(&self.sorted, oldest));
        }
        self.samples.push_back(sample_bps);
        self.sorted.insert(place(&self.sorted, sample_bps), sample_bps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Duration;

    /// A pair of 512 bytes with this gap; whether the second was one.
    fn pair(pairs: &mut PacketPairs, number: u64, gap_us: u64) -> bool {
        let now = Instant::from_secs_f64(number as f64);
        assert!(!pairs.arrive(now, number, true, 512));
        pairs.arrive(now + Duration::from_micros(gap_us), number + 1, false, 512)
    }

    #[test]
    fn a_pair_gives_the_rate() {
        let mut pairs = PacketPairs::new(21);
        assert_eq!(pairs.rate_bps(), None);
        // 4096 bit in 13.6533 ms are 300 kbit/s.
        assert!(pair(&mut pairs, 16, 13_653));
        assert!((pairs.rate_bps().unwrap() - 300_007.0).abs() < 1.0);
        // Packets between pairs are nothing.
        assert!(!pairs.arrive(Instant::from_secs_f64(20.0), 20, false, 512));
        assert!((pairs.rate_bps().unwrap() - 300_007.0).abs() < 1.0);
    }

    #[test]
    fn the_median_stands_what_single_pairs_say() {
        let mut pairs = PacketPairs::new(21);
        // Two: their mean. Three: the middle one.
        pair(&mut pairs, 0, 4096);
        pair(&mut pairs, 16, 8192);
        assert!((pairs.rate_bps().unwrap() - 750e3).abs() < 1e-3);
        pair(&mut pairs, 32, 40_960);
        assert!((pairs.rate_bps().unwrap() - 500e3).abs() < 1e-3);
        // Eleven of twenty-one decide.
        (0..11).for_each(|n| {
            pair(&mut pairs, 100 + 16 * n, 2048);
        });
        (0..10).for_each(|n| {
            pair(&mut pairs, 400 + 16 * n, 40_960);
        });
        assert!((pairs.rate_bps().unwrap() - 2e6).abs() < 1e-3);
        // One more, and the oldest of those that decided is gone.
        pair(&mut pairs, 700, 40_960);
        assert!((pairs.rate_bps().unwrap() - 100e3).abs() < 1e-3);
    }

    #[test]
    fn pairs_with_a_loss_or_out_of_order_are_left_out() {
        let mut pairs = PacketPairs::new(21);
        let at = Instant::from_secs_f64;
        // The second is lost, and what follows is not it.
        assert!(!pairs.arrive(at(1.0), 16, true, 512) && !pairs.arrive(at(1.1), 18, false, 512));
        // The first is lost.
        assert!(!pairs.arrive(at(2.1), 33, false, 512));
        // The second comes first.
        assert!(!pairs.arrive(at(3.0), 49, false, 512) && !pairs.arrive(at(3.1), 48, true, 512));
        assert!(!pairs.arrive(at(3.2), 50, false, 512));
        // The first comes twice.
        assert!(!pairs.arrive(at(4.0), 64, true, 512) && !pairs.arrive(at(4.1), 64, true, 512));
        assert_eq!(pairs.rate_bps(), None);
        assert!(pairs.arrive(at(4.2), 65, false, 512));
        assert!((pairs.rate_bps().unwrap() - 40_960.0).abs() < 1e-3, "from its last copy on");
    }

    #[test]
    fn two_at_one_moment_say_nothing() {
        let mut pairs = PacketPairs::new(21);
        assert!(pair(&mut pairs, 16, 0), "it is a pair all the same");
        assert_eq!(pairs.rate_bps(), None);
    }
}
