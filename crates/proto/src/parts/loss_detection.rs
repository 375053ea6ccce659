//! Which packets of a sequence space are missing, and when they count as lost (RFC 4654 section 5.1).
//!
//! Each group has a sequence space of its own. What becomes of losses, loss events or a mere count, is for others.

use crate::time::{Duration, Instant};

/// Packets with higher numbers that show a loss (RFC 4654 section 5.1).
const HIGHER: usize = 3;

/// What a receiver knows of one sequence space: the last packets by number.
///
/// ```
/// use faircast_proto::parts::loss_detection::{ArrivalOrder, LossDetection};
/// use faircast_proto::time::Instant;
///
/// let mut detection = LossDetection::NOTHING;
/// assert_eq!(detection.arrive(7, Instant(100)), ArrivalOrder::First);
/// let ArrivalOrder::Next(Some(gap)) = detection.arrive(9, Instant(200)) else { panic!() };
/// assert_eq!((gap.first, gap.missing, gap.at), (8, 1, Instant(150)));
/// detection.arrive(10, Instant(300));
/// assert!(!detection.is_lost(8), "two behind it have come");
/// assert_eq!(detection.arrive(8, Instant(310)), ArrivalOrder::Late);
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LossDetection {
    /// The highest numbers that have arrived, falling; before there are as many, the first one stands for the others.
    highest: [u64; HIGHER],
    /// When the highest arrived; `FAR_FUTURE` = nothing has arrived.
    highest_at: Instant,
}

/// What an arrival says about its sequence space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArrivalOrder {
    /// The first packet of all: what was sent before is not missed.
    First,
    /// The highest number so far, and what is missing before it.
    Next(Option<Gap>),
    /// It was missing and did not count as lost yet.
    Late,
    /// Three with higher numbers have arrived: either it counted as lost, or it has been here before, or it was sent
    /// before the first.
    Old,
    /// It has been here before.
    Again,
}

/// Missing packets with consecutive numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// The lowest of the numbers.
    pub first: u64,
    /// How many there are.
    pub missing: u64,
    /// Nominal arrival of the first (RFC 4654 section 5.2: by interpolation between the neighbours).
    pub at: Instant,
    /// Nominal time from one to the next, nanoseconds.
    pub spacing_ns: f64,
}

impl LossDetection {
    /// Nothing has arrived.
    pub const NOTHING: LossDetection = LossDetection { highest: [0; HIGHER], highest_at: Instant::FAR_FUTURE };

    /// The packet with this number arrives. Numbers are counts that do not wrap (see
    /// [`Sequence`](super::sequence::Sequence)). One that arrived before the highest did counts as come with it.
    #[inline]
    pub fn arrive(&mut self, sequence: u64, now: Instant) -> ArrivalOrder {
        if self.highest_at == Instant::FAR_FUTURE {
            *self = LossDetection { highest: [sequence; HIGHER], highest_at: now };
            return ArrivalOrder::First;
        }
        let [before, ..] = self.highest;
        if sequence > before {
            let missing = sequence - before - 1;
            let gap = (missing > 0).then(|| {
                let spacing_ns = now.since(self.highest_at).0 as f64 / (missing as f64 + 1.0);
                Gap { first: before + 1, missing, at: self.highest_at + Duration(spacing_ns as u64), spacing_ns }
            });
            self.highest_at = self.highest_at.max(now);
            self.note(sequence, 0);
            return ArrivalOrder::Next(gap);
        }
        match self.highest.iter().position(|&other| sequence >= other) {
            Some(place) if self.highest[place] == sequence => ArrivalOrder::Again,
            Some(place) => {
                self.note(sequence, place);
                ArrivalOrder::Late
            }
            None => ArrivalOrder::Old,
        }
    }

    /// Takes `packets` in, of which each has the number that follows the highest, the last at `last_at`, as
    /// [`arrive`](Self::arrive) would one by one. There must have been a first.
    pub fn pass(&mut self, packets: u32, last_at: Instant) {
        let sequence = self.highest[0] + u64::from(packets);
        for number in sequence - u64::from(packets.min(HIGHER as u32)) + 1..=sequence {
            self.note(number, 0);
        }
        self.highest_at = last_at;
    }

    /// The packets above the highest number up to this one, which is more, count as lost at `now`, though nothing
    /// behind them has come. The last of them is held for one that has been here if it comes after all.
    pub fn pass_over(&mut self, sequence: u64, now: Instant) -> Gap {
        let missing = sequence - self.highest[0];
        let spacing_ns = now.since(self.highest_at).0 as f64 / (missing as f64 + 1.0);
        let (first, at) = (self.highest[0] + 1, self.highest_at + Duration(spacing_ns as u64));
        self.highest_at = self.highest_at.max(now);
        self.note(sequence, 0);
        Gap { first, missing, at, spacing_ns }
    }

    /// Whether a packet with this number that is missing counts as lost: three with higher numbers have arrived.
    pub fn is_lost(&self, sequence: u64) -> bool {
        self.above(sequence) == LOST
    }

    /// How many with higher numbers than that of a packet that is missing have arrived, up to [`LOST`].
    #[inline]
    pub fn above(&self, sequence: u64) -> u8 {
        self.highest.iter().filter(|&&other| other > sequence).count() as u8
    }

    /// The highest number that has arrived; 0 before the first.
    pub fn highest(&self) -> u64 {
        self.highest[0]
    }

    fn note(&mut self, sequence: u64, place: usize) {
        self.highest.copy_within(place..HIGHER - 1, place + 1);
        self.highest[place] = sequence;
    }
}

/// How many packets with higher numbers show a loss (RFC 4654 section 5.1).
pub const LOST: u8 = HIGHER as u8;

impl Default for LossDetection {
    fn default() -> LossDetection {
        LossDetection::NOTHING
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use std::collections::BTreeSet;

    #[test]
    fn a_packet_is_lost_when_three_behind_it_have_come() {
        let mut detection = LossDetection::default();
        assert_eq!((detection.arrive(100, Instant(1000)), detection.highest()), (ArrivalOrder::First, 100));
        assert_eq!(detection.arrive(101, Instant(2000)), ArrivalOrder::Next(None));
        // 102 and 103 are missing between 2000 and 5000 ns.
        let gap = Gap { first: 102, missing: 2, at: Instant(3000), spacing_ns: 1000.0 };
        assert_eq!(detection.arrive(104, Instant(5000)), ArrivalOrder::Next(Some(gap)));
        assert_eq!((detection.above(102), detection.above(103)), (1, 1));
        assert_eq!(detection.arrive(105, Instant(6000)), ArrivalOrder::Next(None));
        assert_eq!(detection.arrive(105, Instant(6000)), ArrivalOrder::Again);
        assert_eq!(detection.arrive(104, Instant(6000)), ArrivalOrder::Again);
        assert!(!detection.is_lost(102), "one that comes again is no third");
        // 103 is late, and the third with a higher number than 102.
        assert_eq!(detection.arrive(103, Instant(7000)), ArrivalOrder::Late);
        assert!(detection.is_lost(102));
        assert_eq!(detection.arrive(102, Instant(8000)), ArrivalOrder::Old);
        assert_eq!(detection.arrive(101, Instant(8000)), ArrivalOrder::Old);
        let gap = Gap { first: 106, missing: 1, at: Instant(8000), spacing_ns: 2000.0 };
        assert_eq!(
            detection.arrive(107, Instant(10_000)),
            ArrivalOrder::Next(Some(gap)),
            "the highest came at 6000 ns"
        );
    }

    #[test]
    fn one_that_arrived_before_the_highest_counts_as_come_with_it() {
        let mut detection = LossDetection::NOTHING;
        detection.arrive(1, Instant(5000));
        let gap = Gap { first: 2, missing: 1, at: Instant(5000), spacing_ns: 0.0 };
        assert_eq!(detection.arrive(3, Instant(1000)), ArrivalOrder::Next(Some(gap)));
        let gap = Gap { first: 4, missing: 1, at: Instant(5500), spacing_ns: 500.0 };
        assert_eq!(detection.arrive(5, Instant(6000)), ArrivalOrder::Next(Some(gap)));
        let gap = Gap { first: 6, missing: 2, at: Instant(6000), spacing_ns: 0.0 };
        assert_eq!(detection.pass_over(7, Instant(2000)), gap);
        let gap = Gap { first: 8, missing: 1, at: Instant(7000), spacing_ns: 1000.0 };
        assert_eq!(detection.arrive(9, Instant(8000)), ArrivalOrder::Next(Some(gap)));
    }

    #[test]
    fn many_at_once_are_as_many_one_by_one() {
        for before in [&[100][..], &[100, 102], &[100, 102, 105, 103], &[100, 104, 101, 102, 103]] {
            for packets in 1..6 {
                let mut both = [LossDetection::NOTHING; 2];
                for detection in &mut both {
                    for &sequence in before {
                        detection.arrive(sequence, Instant(sequence));
                    }
                }
                let [at_once, one_by_one] = &mut both;
                at_once.pass(packets, Instant(1000 + u64::from(packets)));
                for n in 1..=u64::from(packets) {
                    assert_eq!(
                        one_by_one.arrive(one_by_one.highest() + 1, Instant(1000 + n)),
                        ArrivalOrder::Next(None)
                    );
                }
                assert_eq!(format!("{at_once:?}"), format!("{one_by_one:?}"), "{packets} behind {before:?}");
            }
        }
    }

    #[test]
    fn what_was_sent_before_the_first_is_not_missed() {
        let mut detection = LossDetection::NOTHING;
        detection.arrive(100, Instant(0));
        assert_eq!(detection.arrive(99, Instant(1)), ArrivalOrder::Old);
        detection.arrive(102, Instant(2));
        assert_eq!(detection.arrive(98, Instant(3)), ArrivalOrder::Old);
        assert_eq!(detection.arrive(100, Instant(3)), ArrivalOrder::Again);
        assert_eq!(detection.above(101), 1, "neither 98 nor 99");
        // Numbers from nought on are as good.
        let mut detection = LossDetection::NOTHING;
        assert_eq!(
            [0, 0, 1].map(|n| detection.arrive(n, Instant(n))),
            [ArrivalOrder::First, ArrivalOrder::Again, ArrivalOrder::Next(None)]
        );
    }

    /// The share of packets lost by a count of gaps that late packets undo, as receivers of RTP have it, is that of the
    /// packets that never came or came when three behind them had.
    #[test]
    fn any_order_gives_the_losses_by_definition() {
        for seed in 0..100 {
            let mut random = Random::stream(seed, "test/detection");
            let mut order: Vec<u64> = (1000..1200).filter(|_| !random.chance(0.1)).collect();
            for _ in 0..30 {
                let place = random.uniform_in(1.0, order.len() as f64 - 6.0) as usize;
                let late = order.remove(place);
                order.insert(place + random.uniform_in(0.0, 5.9) as usize, late);
            }
            let mut detection = LossDetection::NOTHING;
            let (mut lost, mut came) = (0, BTreeSet::new());
            for &n in &order {
                let above = came.range(n + 1..).count();
                match detection.arrive(n, Instant(n)) {
                    ArrivalOrder::First => assert!(came.is_empty()),
                    ArrivalOrder::Next(gap) => {
                        assert_eq!(above, 0);
                        lost += gap.map_or(0, |gap| gap.missing);
                    }
                    ArrivalOrder::Late => {
                        assert!((1..3).contains(&above));
                        lost -= 1;
                    }
                    ArrivalOrder::Old => assert!(above >= 3 || n < order[0]),
                    ArrivalOrder::Again => panic!("nothing comes twice"),
                }
                came.insert(n);
                for missing in (order[0]..n).filter(|missing| !came.contains(missing)) {
                    assert_eq!(detection.is_lost(missing), came.range(missing + 1..).count() >= 3);
                }
            }
            let highest = *came.last().expect("some came");
            let overdue = |n: u64, rest: &[u64]| rest.iter().filter(|&&other| other > n).count() >= 3;
            let by_definition = (order[0]..highest)
                .filter(|n| order.iter().position(|other| other == n).is_none_or(|at| overdue(*n, &order[..at])))
                .count() as u64;
            assert_eq!(lost, by_definition, "seed {seed}");
        }
    }
}
