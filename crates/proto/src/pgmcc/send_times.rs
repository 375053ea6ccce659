//! When packets were sent, in steps of a second: what the source itself knows of the age of what receivers name.

use crate::time::{Duration, Instant};
use std::collections::VecDeque;

/// The first packet of each second in which any was sent, the last [`MARKS`] of them.
#[derive(Clone, Debug, Default)]
pub(super) struct SendTimes {
    marks: VecDeque<(u64, Instant)>,
}

/// How far apart marks are at least.
const STEP: Duration = Duration::from_secs(1);
/// With them a round trip of 63 s, the longest that counts, is covered.
const MARKS: usize = 64;

impl SendTimes {
    /// Packet `number` is sent.
    pub(super) fn note(&mut self, number: u64, now: Instant) {
        if self.marks.back().is_none_or(|&(_, at)| now.since(at) >= STEP) {
            if self.marks.len() == MARKS {
                self.marks.pop_front();
            }
            self.marks.push_back((number, now));
        }
    }

    /// A moment up to a second before packet `number` was sent, if that is remembered.
    pub(super) fn not_before(&self, number: u64) -> Option<Instant> {
        self.marks.iter().rev().find(|&&(first, _)| first <= number).map(|&(_, at)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_second() {
        let mut times = SendTimes::default();
        assert_eq!(times.not_before(0), None);
        for number in 0..40 {
            times.note(number, Instant(number * 100_000_000));
        }
        let at_ms = |number| times.not_before(number).map(|at| at.0 / 1_000_000);
        assert_eq!([0, 9, 10, 19, 39, 1000].map(at_ms), [0, 0, 1000, 1000, 3000, 3000].map(Some));
    }

    #[test]
    fn the_last_minute_is_remembered() {
        let mut times = SendTimes::default();
        for number in 0..10_000 {
            times.note(number, Instant(number * 100_000_000));
        }
        assert_eq!((times.marks.len(), times.not_before(9350)), (MARKS, None));
        assert_eq!(times.not_before(9999 - 630), Some(Instant(936_000_000_000)));
    }
}
