//! Sequence numbers that wrap, as a count that does not, and which of them are believed (RFC 3550 appendix A.1).

/// Numbers further ahead than this need a second packet that confirms them (RFC 3550 appendix A.1).
const MAX_DROPOUT: u32 = 3000;
/// Numbers further behind than this need it too. RFC 3550 has 100, two seconds of 50 packets each; this is 24 ms of
/// 1000-byte packets at 1 Gbit/s. No less than [`MAX_DROPOUT`]: a receiver that believed one stray number ahead goes on
/// with those behind it.
const MAX_MISORDER: u32 = MAX_DROPOUT;
/// The count of the first packet. Packets from before it have counts, too.
const START: u64 = 1 << 32;

/// What a receiver knows of the numbers of the packets that are sent to it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequence {
    /// The count of the highest number believed; 0 = none yet.
    highest: u64,
    /// That number as it came.
    number: u32,
    /// The number of the last packet if it was not believed, else the highest.
    suspect: u32,
}

impl Sequence {
    /// The count of the packet with this number; `None` if it is too far from the others to be believed.
    ///
    /// Such a number is believed when the next packet has one shortly after it, where "shortly" leaves room for losses
    /// (RFC 3550 wants the very next one). If it is ahead by no more than `most`, what can have been sent since the
    /// last packet, there was an outage, and what was sent in it is missing; else the sender has started anew, and
    /// nothing is known to be.
    pub fn count(&mut self, number: u32, most: impl FnOnce() -> u64) -> Option<u64> {
        if self.highest == 0 {
            *self = Sequence { highest: START, number, suspect: number };
            return Some(START);
        }
        // Serial arithmetic: ahead is what is less than half the number space ahead.
        let ahead = number.wrapping_sub(self.number) as i32;
        if (-(MAX_MISORDER as i32)..=MAX_DROPOUT as i32).contains(&ahead) {
            return Some(self.advance(number, i64::from(ahead)));
        }
        if !(1..=MAX_DROPOUT).contains(&number.wrapping_sub(self.suspect)) {
            self.suspect = number;
            return None;
        }
        let outage = ahead > 0 && u64::from(ahead.unsigned_abs()) <= u64::from(MAX_DROPOUT).saturating_add(most());
        Some(self.advance(number, if outage { i64::from(ahead) } else { 1 }))
    }

    /// Takes `packets` in, each of which has the number that follows the one before, from [`next`](Self::next) on, as
    /// [`count`](Self::count) would one by one. There must have been a first.
    pub fn pass(&mut self, packets: u32) {
        self.highest += u64::from(packets);
        self.number = self.number.wrapping_add(packets);
        self.suspect = self.number;
    }

    /// The number after the highest that is believed.
    pub fn next(&self) -> u32 {
        self.number.wrapping_add(1)
    }

    /// The count of the highest number believed; 0 before the first.
    pub fn highest(&self) -> u64 {
        self.highest
    }

    /// The number with which the packet of this count was sent, as far as the sender has not started anew since.
    pub fn number_of(&self, count: u64) -> u32 {
        self.number.wrapping_sub(self.highest.wrapping_sub(count) as u32)
    }

    /// The count that belongs to a number, if it is less than half the number space away from the highest that is
    /// believed; none before the first. It need not be believed, and is not taken note of.
    pub fn count_of(&self, number: u32) -> Option<u64> {
        let ahead = number.wrapping_sub(self.number) as i32;
        (self.highest > 0).then(|| self.highest.saturating_add_signed(ahead.into()))
    }

    fn advance(&mut self, number: u32, by: i64) -> u64 {
        let count = self.highest.saturating_add_signed(by);
        if by > 0 {
            (self.highest, self.number) = (count, number);
        }
        self.suspect = self.number;
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts of these numbers in the order of arrival, relative to the first; of an outage nothing was sent.
    fn counts(numbers: &[u32]) -> Vec<Option<i64>> {
        counts_in_outage(numbers, 0)
    }

    fn counts_in_outage(numbers: &[u32], most: u64) -> Vec<Option<i64>> {
        let mut sequence = Sequence::default();
        numbers.iter().map(|&n| sequence.count(n, || most).map(|count| count as i64 - START as i64)).collect()
    }

    #[test]
    fn numbers_wrap_and_counts_do_not() {
        let top = u32::MAX;
        assert_eq!(counts(&[top - 1, top, 1, 0, 2]), [0, 1, 3, 2, 4].map(Some));
        // Once around in steps that are believed.
        let mut sequence = Sequence::default();
        let mut number = 7u32;
        for step in 0..3_000_000u64 {
            assert_eq!(sequence.count(number, || 0), Some(START + 3000 * step));
            number = number.wrapping_add(3000);
        }
        assert_eq!(sequence.highest(), START + 3000 * 2_999_999);
    }

    #[test]
    fn many_at_once_are_as_many_one_by_one() {
        for first in [7, u32::MAX - 3, u32::MAX, 1 << 31] {
            for packets in [0, 1, 2, 5, 4000] {
                let mut both = [Sequence::default(); 2];
                for sequence in &mut both {
                    // One that is missing, one that is behind, and one that is not believed.
                    for number in [0, 2, 1].map(|by: u32| first.wrapping_add(by)) {
                        assert!(sequence.count(number, || 0).is_some());
                    }
                    assert_eq!(sequence.next(), first.wrapping_add(3));
                    if packets > 0 {
                        assert_eq!(sequence.count(first.wrapping_add(100_000), || 0), None);
                    }
                }
                let [at_once, one_by_one] = &mut both;
                at_once.pass(packets);
                for _ in 0..packets {
                    assert!(one_by_one.count(one_by_one.next(), || 0).is_some());
                }
                assert_eq!(format!("{at_once:?}"), format!("{one_by_one:?}"));
                assert_eq!(at_once.highest(), START + 2 + u64::from(packets));
            }
        }
    }

    #[test]
    fn packets_from_before_the_first_have_counts() {
        assert_eq!(counts(&[10, 5, 11, u32::MAX]), [0, -5, 1, -11].map(Some));
    }

    #[test]
    fn the_reach_is_three_thousand_either_way() {
        assert_eq!(counts(&[10_000, 13_000, 10_000]), [0, 3000, 0].map(Some));
        assert_eq!(counts(&[10_000, 13_001]), [Some(0), None]);
        assert_eq!(counts(&[10_000, 6_999]), [Some(0), None]);
    }

    #[test]
    fn one_wild_number_is_ignored_wherever_it_is() {
        for wild in [3_000_000_000, 1_000_000, u32::MAX, 0, 500_001 - 3001, 500_001 + 3001] {
            let numbers = [500_000, 500_001, wild, 500_002, wild.wrapping_add(1), 500_003];
            assert_eq!(counts(&numbers), [Some(0), Some(1), None, Some(2), None, Some(3)], "{wild}");
        }
    }

    #[test]
    fn a_count_tells_the_number_that_was_sent() {
        let mut sequence = Sequence::default();
        let numbers = [u32::MAX - 2, u32::MAX, u32::MAX - 1, 1, 4];
        for number in numbers {
            let count = sequence.count(number, || 0).expect("it is near");
            assert_eq!(sequence.number_of(count), number);
            assert_eq!(sequence.count_of(number), Some(count));
        }
        assert_eq!((sequence.count_of(7), sequence.count_of(u32::MAX - 9)), (Some(START + 10), Some(START - 7)));
        assert_eq!(Sequence::default().count_of(7), None);
        // One of those that are missing, before and after the numbers wrap.
        assert_eq!(sequence.number_of(sequence.highest() - 1), 3);
        assert_eq!(sequence.number_of(sequence.highest() - 4), 0);
        assert_eq!(sequence.number_of(sequence.highest() - 8), u32::MAX - 3);
    }

    #[test]
    fn two_that_agree_are_an_outage_or_a_new_start() {
        // Ahead by 100 000: an outage in which so many can have been sent, or less by what is believed anyway.
        for most in [100_001, 97_001] {
            assert_eq!(
                counts_in_outage(&[0, 100_000, 100_001, 100_002], most),
                [Some(0), None, Some(100_001), Some(100_002)]
            );
        }
        // One more than can have been: a new start, from which on counts go on.
        assert_eq!(counts_in_outage(&[0, 100_000, 100_001, 100_003], 97_000), [Some(0), None, Some(1), Some(3)]);
        // Behind: whatever can have been sent.
        assert_eq!(counts_in_outage(&[100_000, 50, 51, 52], u64::MAX), [Some(0), None, Some(1), Some(2)]);
        // Losses between the two, as many as are believed.
        assert_eq!(counts_in_outage(&[0, 100_000, 103_000], u64::MAX), [Some(0), None, Some(103_000)]);
        assert_eq!(counts_in_outage(&[0, 100_000, 103_001, 103_002], u64::MAX), [Some(0), None, None, Some(103_002)]);
        // The same number twice agrees with nothing.
        assert_eq!(counts(&[0, 100_000, 100_000]), [Some(0), None, None]);
        // The farthest that is ahead, and the next, which is behind.
        let half = 1 << 31;
        assert_eq!(counts_in_outage(&[0, half - 2, half - 1], u64::MAX)[2], Some(i64::from(half - 1)));
        assert_eq!(counts_in_outage(&[0, half - 1, half], u64::MAX)[2], Some(1));
    }
}
