//! The packets of one layer as a receiver sees them: which are missing, and which of these come after all.
//!
//! What is missing before a packet is lost at once, as RTP counts, and is not when it is among the next few packets of
//! its layer.

use crate::parts::loss_detection::{ArrivalOrder, Gap, LossDetection};
use crate::parts::sequence::Sequence;
use crate::time::Instant;
use std::collections::VecDeque;

/// What a receiver knows of the packets of one layer since it joined it.
#[derive(Clone, Debug)]
pub struct LayerPackets {
    /// The highest number that was believed, with the cycles above its 16 bits; none before the first packet.
    highest: Option<u32>,
    numbers: Sequence,
    detection: LossDetection,
    /// Packets that came.
    came: u64,
    /// What is missing and may still come, in the order in which it was found.
    holes: VecDeque<Hole>,
    /// Among so many packets behind a gap those that it misses may be.
    reordering: u64,
}

/// Missing packets with consecutive numbers.
#[derive(Clone, Copy, Debug)]
struct Hole {
    first: u64,
    missing: u64,
    /// How many packets had come when it was found, the one that showed it among them.
    found: u64,
}

/// A packet that is believed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taken {
    /// Its number, a count that does not wrap.
    pub count: u64,
    /// Where it stands.
    pub standing: Standing,
}

/// Where a packet stands among the others of its layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Standing {
    /// The first since the layer was joined, or since the source counts from elsewhere: what was sent before is not
    /// missed.
    First,
    /// The highest number so far.
    Next,
    /// The same, behind missing packets, which count as lost from now on.
    Behind(Gap),
    /// It was missing and is not lost after all.
    Late,
    /// It comes too late, or again.
    Old,
}

impl LayerPackets {
    /// Nothing has come. A missing packet that is among the next `reordering` packets behind its gap is not lost.
    pub fn new(reordering: u32) -> LayerPackets {
        LayerPackets {
            highest: None,
            numbers: Sequence::default(),
            detection: LossDetection::NOTHING,
            came: 0,
            holes: VecDeque::new(),
            reordering: reordering.into(),
        }
    }

    /// A packet with this number has come: `None` if that is too far from the others to be believed. `most` is how many
    /// can have been sent since the last.
    pub fn take(&mut self, now: Instant, number: u16, most: impl FnOnce() -> u64) -> Option<Taken> {
        // The nearest of the numbers that end in these bits (RFC 3550 appendix A.1).
        let near = self.highest.unwrap_or(0);
        let extended = near.wrapping_add_signed(i32::from(number.wrapping_sub(near as u16) as i16));
        let extended = if self.highest.is_none() { number.into() } else { extended };
        let before = self.numbers.highest();
        let count = self.numbers.count(extended, most)?;
        // It counts as the next, but that was another number: the source counts from elsewhere.
        let begins_anew = count == before + 1 && extended != near.wrapping_add(1);
        if self.numbers.highest() > before {
            self.highest = Some(extended);
        }
        self.came += 1;
        if begins_anew && before > 0 {
            (self.detection, self.holes) = (LossDetection::NOTHING, VecDeque::new());
        }
        let standing = match self.detection.arrive(count, now) {
            ArrivalOrder::First => Standing::First,
            ArrivalOrder::Next(None) => Standing::Next,
            ArrivalOrder::Next(Some(gap)) => {
                self.forget();
                if self.reordering > 0 {
                    self.holes.push_back(Hole { first: gap.first, missing: gap.missing, found: self.came });
                }
                Standing::Behind(gap)
            }
            ArrivalOrder::Late | ArrivalOrder::Old | ArrivalOrder::Again if self.fills(count) => Standing::Late,
            ArrivalOrder::Late | ArrivalOrder::Old | ArrivalOrder::Again => Standing::Old,
        };
        Some(Taken { count, standing })
    }

    /// The highest number that came, extended by how often numbers have wrapped (RFC 3550 section 6.4.1).
    pub fn highest(&self) -> Option<u32> {
        self.highest
    }

    /// The count of the packet with this number: the one nearest to the highest that has come. `None` before the first.
    pub fn count_of(&self, number: u16) -> Option<u64> {
        let highest = self.numbers.highest();
        let ahead = number.wrapping_sub(self.number_of(highest)) as i16;
        (highest > 0).then(|| highest.checked_add_signed(ahead.into()))?
    }

    /// The number that the packet of this count has on the wire.
    pub fn number_of(&self, count: u64) -> u16 {
        self.numbers.number_of(count) as u16
    }

    /// Holes that nobody can fill any more are forgotten.
    fn forget(&mut self) {
        while self.holes.front().is_some_and(|hole| self.came > hole.found + self.reordering) {
            self.holes.pop_front();
        }
    }

    /// Whether the packet was missing; if so, it no longer is.
    fn fills(&mut self, count: u64) -> bool {
        self.forget();
        let Some(index) = self.holes.iter().position(|hole| count.wrapping_sub(hole.first) < hole.missing) else {
            return false;
        };
        let Hole { first, missing, found } = self.holes[index];
        let (below, above) = (count - first, missing - (count - first) - 1);
        self.holes[index] = Hole { first: count + 1, missing: above, found };
        if below > 0 {
            self.holes.insert(index, Hole { first, missing: below, found });
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// How many packets were expected and lost when these came, a gap being filled by the next three.
    fn counted(numbers: &[u16]) -> (u64, i64) {
        counted_within(3, numbers)
    }

    fn counted_within(reordering: u32, numbers: &[u16]) -> (u64, i64) {
        let mut layer = LayerPackets::new(reordering);
        let taken = |&number: &u16| layer.take(Instant::ZERO, number, || 0);
        numbers.iter().filter_map(taken).fold((0, 0), |counts, taken| add(counts, &taken.standing))
    }

    fn add((expected, lost): (u64, i64), standing: &Standing) -> (u64, i64) {
        match *standing {
            Standing::First | Standing::Next => (expected + 1, lost),
            Standing::Behind(gap) => (expected + 1 + gap.missing, lost + gap.missing as i64),
            Standing::Late => (expected, lost - 1),
            Standing::Old => (expected, lost),
        }
    }

    #[test]
    fn what_is_missing_counts_from_the_first_packet_on() {
        assert_eq!(counted(&[500, 501, 504, 505]), (6, 2));
        assert_eq!(counted(&[500]), (1, 0));
        assert_eq!(counted(&[500, 499, 498]), (1, 0), "from before the first");
    }

    #[test]
    fn a_late_packet_undoes_a_loss_if_it_is_among_the_next_three() {
        assert_eq!(counted(&[10, 12, 11]), (3, 0));
        assert_eq!(counted(&[10, 12, 13, 14, 11]), (5, 0));
        assert_eq!(counted(&[10, 12, 13, 14, 15, 11]), (6, 1), "the fourth is too late");
        assert_eq!(counted(&[10, 13, 12, 11]), (4, 0));
        assert_eq!(counted(&[10, 15, 13, 12, 11, 14]), (6, 1), "14 is too late");
        assert_eq!(counted(&[10, 12, 11, 11, 12, 10]), (3, 0), "again is nothing");
        assert_eq!(counted(&[10, 12, 14, 16, 11, 13, 15]), (7, 0));
        // Of other lengths, and never.
        assert_eq!(counted_within(0, &[10, 12, 11]), (3, 1));
        assert_eq!(counted_within(1, &[10, 12, 11]), (3, 0));
        assert_eq!(counted_within(1, &[10, 12, 13, 11]), (4, 1));
        let mut late: Vec<u16> = (0..200).filter(|&n| n != 50).chain([50]).collect();
        assert_eq!((counted_within(149, &late), counted_within(148, &late)), ((200, 0), (200, 1)));
        late.push(50);
        assert_eq!(counted_within(1000, &late), (200, 0), "and again");
    }

    #[test]
    fn a_number_has_the_count_nearest_to_the_highest() {
        let mut layer = LayerPackets::new(3);
        assert_eq!(layer.count_of(500), None);
        let counts: Vec<u64> =
            [65_534, 65_535, 3].iter().map(|&n| layer.take(Instant::ZERO, n, || 0).unwrap().count).collect();
        assert_eq!([65_534, 65_535, 0, 3, 5].map(|n| layer.count_of(n).unwrap() - counts[0]), [0, 1, 2, 5, 7]);
        assert_eq!(counts.iter().map(|&count| layer.number_of(count)).collect::<Vec<_>>(), [65_534, 65_535, 3]);
    }

    #[test]
    fn numbers_of_sixteen_bits_wrap() {
        assert_eq!(counted(&[65_533, 65_534, 1, 2]), (6, 2));
        assert_eq!(counted(&[65_534, 0, 65_535, 1]), (4, 0));
        // Three times around in steps of 100, of which 99 are missing.
        let (mut layer, mut counts) = (LayerPackets::new(3), (0, 0));
        for n in 0..2000_u64 {
            let taken = layer.take(Instant(n), (7 + 100 * n) as u16, || 0).unwrap();
            counts = add(counts, &taken.standing);
            assert_eq!(layer.number_of(taken.count), (7 + 100 * n) as u16);
        }
        assert_eq!(counts, (199_901, 99 * 1999));
        assert_eq!(layer.highest(), Some(199_907), "three cycles and 3299");
    }

    #[test]
    fn numbers_from_elsewhere_are_not_believed_before_a_second() {
        // A wild one, and on.
        assert_eq!(counted(&[100, 101, 30_000, 102]), (3, 0));
        // The source counts from elsewhere: nothing is lost between.
        assert_eq!(counted(&[100, 101, 30_000, 30_001, 30_003]), (5, 1));
        assert_eq!(counted(&[65_000, 65_001, 20_000, 20_001]), (3, 0));
        // What was missing before that cannot come any more: this is a packet from before the new first one.
        assert_eq!(counted(&[100, 102, 30_000, 30_001, 29_999]), (4, 1));
        // An outage in which so many can have been sent: all of them are.
        let (mut layer, mut counts) = (LayerPackets::new(3), (0, 0));
        for number in [100, 20_100, 20_101] {
            let taken = layer.take(Instant(7), number, || 20_000);
            counts = taken.into_iter().fold(counts, |counts, taken| add(counts, &taken.standing));
        }
        assert_eq!(counts, (20_002, 20_000));
    }

    /// Whatever the order: each packet counts once, and is lost if it never comes, or comes when three others have come
    /// since its gap was seen.
    #[test]
    fn any_order_gives_the_losses_by_definition() {
        for seed in 0..50 {
            let mut random = Random::stream(seed, "test/mlda-packets");
            let mut order: Vec<u64> = (65_000..66_000).filter(|&n| n == 65_000 || !random.chance(0.3)).collect();
            for _ in 0..200 {
                let place = random.uniform_in(1.0, order.len() as f64 - 8.0) as usize;
                let late = order.remove(place);
                order.insert(place + random.uniform_in(0.0, 7.9) as usize, late);
            }
            let (mut layer, mut counts) = (LayerPackets::new(3), (0, 0));
            for &n in &order {
                counts = add(counts, &layer.take(Instant(n), n as u16, || 0).unwrap().standing);
            }
            let is_lost = |n: u64| {
                let shown = order.iter().position(|&other| other > n).expect("a higher one came");
                order.iter().position(|&other| other == n).is_none_or(|at| at > shown + 3)
            };
            let highest = *order.iter().max().unwrap();
            let lost = (65_000..highest).filter(|&n| is_lost(n)).count() as i64;
            assert_eq!(counts, (highest - 64_999, lost), "seed {seed}");
        }
    }
}
