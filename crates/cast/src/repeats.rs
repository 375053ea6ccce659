//! Packets that come again: somebody without keys has recorded them. What they say of round-trip times and rates was
//! true once, and would slow down everybody.

use std::time::Duration;

/// Which packets of a session have come, by the numbers with which they are sealed.
pub struct Repeats {
    /// The newest, and when it was; none before the first.
    newest: Option<(u64, Duration)>,
    /// A bit for each of the last [`WIDTH`] numbers, at its remainder.
    come: Vec<u64>,
}

/// How far a packet may be behind the newest: layers have sockets of their own, which are read one after the other.
const WIDTH: u64 = 1 << 14;
/// How far before the first packet another may be that was overtaken.
const OVERTAKEN: u64 = 64;
/// When nothing new has come for so long, what comes is new, whatever its number. A member has the key, and could seal
/// a number far ahead, behind which all of the source's would be old.
const PUSHED: Duration = Duration::from_secs(10);

impl Repeats {
    /// No packet has come.
    pub fn new() -> Repeats {
        Repeats { newest: None, come: vec![0; WIDTH as usize / 64] }
    }

    /// Whether the packet with this number comes for the first time.
    pub fn is_new(&mut self, now: Duration, number: u64) -> bool {
        let Some((newest, at)) = self.newest.filter(|(_, at)| now.saturating_sub(*at) < PUSHED) else {
            // What was before it is not known: all but the last few count as come.
            self.come.fill(u64::MAX);
            (number.saturating_sub(OVERTAKEN)..number).for_each(|other| self.set(other, false));
            self.set(number, true);
            self.newest = Some((number, now));
            return true;
        };
        if number > newest {
            (newest + 1..=number).take(WIDTH as usize).for_each(|other| self.set(other, false));
            // Those behind a long gap are the last ones of it, whichever were taken.
            self.set(number, true);
            self.newest = Some((number, now));
            return true;
        }
        if newest - number >= WIDTH || self.has(number) {
            return false;
        }
        self.set(number, true);
        self.newest = Some((newest, at.max(now)));
        true
    }

    fn has(&self, number: u64) -> bool {
        let bit = number % WIDTH;
        self.come[(bit / 64) as usize] >> (bit % 64) & 1 == 1
    }

    fn set(&mut self, number: u64, has_come: bool) {
        let bit = number % WIDTH;
        let word = &mut self.come[(bit / 64) as usize];
        *word = *word & !(1 << (bit % 64)) | u64::from(has_come) << (bit % 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn each_packet_is_new_once() {
        let mut repeats = Repeats::new();
        let mut is_new = |number| repeats.is_new(SECOND, number);
        for (number, expected) in [
            (1000, true),
            (1000, false),
            (999, true),
            (999, false),
            (1000 - OVERTAKEN, true),
            (999 - OVERTAKEN, false),
            (1001, true),
            (1000 + WIDTH, true),
            (1001, false),
            (1002, true),
            (1000, false),
            (2, false),
            (5_000_000, true),
            (5_000_001 - WIDTH, true),
            (5_000_001 - WIDTH, false),
            (5_000_000 - WIDTH, false),
            (1003, false),
        ] {
            assert_eq!(is_new(number), expected, "{number}");
        }
    }

    #[test]
    fn it_is_as_a_list_of_all() {
        let (mut repeats, mut all, mut state) = (Repeats::new(), vec![100_000u64], 1u64);
        assert!(repeats.is_new(SECOND, 100_000));
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let newest = *all.iter().max().unwrap();
            let number = newest + (state >> 33) % 9 - (state >> 40) % 50;
            let expected = !all.contains(&number);
            assert_eq!(repeats.is_new(SECOND, number), expected, "{number} after {newest}");
            if expected {
                all.push(number);
                all.drain(..all.len().saturating_sub(200));
            }
        }
    }

    #[test]
    fn a_member_that_pushes_numbers_ahead_shuts_nobody_out_for_long() {
        let mut repeats = Repeats::new();
        assert!(repeats.is_new(SECOND, 5) && repeats.is_new(SECOND, 1 << 47));
        assert!(!repeats.is_new(SECOND * 2, 6) && !repeats.is_new(SECOND * 10, 7));
        assert!(repeats.is_new(SECOND * 11, 8) && repeats.is_new(SECOND * 11, 9));
    }
}
