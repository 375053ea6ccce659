//! Whether a receiver's word agrees with its acknowledgements, as the draft advises to look (section 5), and who is
//! barred as it did not.

use crate::packet::Address;
use crate::time::{Duration, Instant};

/// By how much the loss rate that an acker reports may be above the one that its acknowledgements make. Both are the
/// same filter over the same packets, so that of an honest one is above by rounding at most.
const TOLERANCE: f64 = 0.05;

/// Terms as the acker in a row that pass without an acknowledgement, each of them two time-outs long, until that is no
/// bad link any more: one that loses half of all packets does so in one term of four.
const SILENT_TERMS: u32 = 4;

/// Silence longer ago than this is forgotten.
const SILENCE_COUNTS: Duration = Duration::from_secs(120);

/// How many receivers can be barred at one time; of more, who was barred first is free again.
const MOST_BARRED: usize = 1000;

/// The filter of an acker's losses as its acknowledgements tell them.
#[derive(Clone, Debug)]
pub(super) struct Account {
    c: f64,
    /// The number and the bitmap of the last ACK, and p before the packets that its bitmap shows.
    last: Option<(u64, u32, f64)>,
}

impl Account {
    /// Nothing is acknowledged yet; `c` is the weight of the newest packet.
    pub(super) fn new(c: f64) -> Account {
        Account { c, last: None }
    }

    /// An ACK says that packet `highest` has come and which of the 32 up to it, and reports the loss rate `p`. Whether
    /// both can be true. The first one is believed, as is one after a longer gap than a bitmap shows, as far as any
    /// history could have made its loss rate. So is a lower one: packets may have come after they left the bitmap, as
    /// all that was under way does when a path becomes much shorter, and who has begun anew has lost nothing. It gains
    /// nothing by it either: its window goes by the bitmaps, and others take its place the sooner.
    pub(super) fn agrees(&mut self, highest: u64, bitmap: u32, p: f64) -> bool {
        let before = match self.last {
            Some((last, ..)) if highest < last => return true,
            Some((last, shown, before)) if highest - last <= 32 => {
                (0..highest - last).fold(before, |p, n| self.next(p, shown >> (31 - n) & 1 == 1))
            }
            _ => 1.0,
        };
        let most = self.shown(before, bitmap);
        let weight = self.shown(1.0, bitmap) - self.shown(0.0, bitmap);
        // With a large c the weight is 0, and so is the greater of no number and 0.
        self.last = Some((highest, bitmap, (before - (most - p).max(0.0) / weight).max(0.0)));
        p <= most + TOLERANCE
    }

    /// p after the packets of a bitmap.
    fn shown(&self, before: f64, bitmap: u32) -> f64 {
        (0..32).rev().fold(before, |p, bit| self.next(p, bitmap >> bit & 1 == 1))
    }

    fn next(&self, p: f64, came: bool) -> f64 {
        p + self.c * (f64::from(!came) - p)
    }
}

/// Who may not acknowledge, and until when; and who was the acker without acknowledging anything, how often in a row
/// and when last.
#[derive(Clone, Debug, Default)]
pub(super) struct Barred {
    barred: Vec<(Address, Instant)>,
    silent: Vec<(Address, (u32, Instant))>,
}

impl Barred {
    /// A receiver is barred from now on, for so long.
    pub(super) fn bar(&mut self, now: Instant, receiver: Address, length: Duration) {
        self.barred.retain(|&(other, until)| other != receiver && now < until);
        self.has_acknowledged(receiver);
        put(&mut self.barred, (receiver, now + length));
    }

    /// Nobody is any longer: those that are not give no answer.
    pub(super) fn lift(&mut self) {
        self.barred.clear();
    }

    /// A receiver was the acker until two time-outs ended that, and has acknowledged nothing. Whether this is so again
    /// and again, though each time it said that it is there: once, its link may have failed.
    pub(super) fn is_silent_again(&mut self, now: Instant, receiver: Address) -> bool {
        self.silent.retain(|&(_, (_, at))| now < at + SILENCE_COUNTS);
        let terms = 1 + self.silent.iter().find(|(other, _)| *other == receiver).map_or(0, |&(_, (terms, _))| terms);
        self.has_acknowledged(receiver);
        put(&mut self.silent, (receiver, (terms, now)));
        terms >= SILENT_TERMS
    }

    /// A receiver is not silent.
    pub(super) fn has_acknowledged(&mut self, receiver: Address) {
        self.silent.retain(|&(other, _)| other != receiver);
    }

    /// Whether a receiver is.
    pub(super) fn is_barred(&self, now: Instant, receiver: Address) -> bool {
        self.barred.iter().any(|&(other, until)| other == receiver && now < until)
    }
}

fn put<T>(list: &mut Vec<(Address, T)>, entry: (Address, T)) {
    if list.len() == MOST_BARRED {
        list.remove(0);
    }
    list.push(entry);
}

#[cfg(test)]
mod tests {
    use super::super::LossFilter;
    use super::*;
    use crate::random::Random;

    const LIAR: Address = Address::endpoint(1);
    const C: f64 = 500.0 / 65536.0;

    /// ACKs of a receiver that loses `part` of its packets, and of ACKs a tenth; how many of them disagree with what
    /// `word` makes of its loss rate.
    fn disagree(part: f64, word: impl Fn(f64) -> f64) -> u32 {
        let mut random = Random::stream(1, "test/honesty");
        let (mut filter, mut account) = (LossFilter::new(C), Account::new(C));
        let (mut bitmap, mut wrong) = (u32::MAX, 0);
        for number in 0..20_000 {
            let came = number == 0 || !random.chance(part);
            bitmap = bitmap << 1 | u32::from(came);
            if came {
                filter.receive()
            } else {
                filter.lose(1)
            }
            // The first thousand before it was the acker.
            if came && number > 1000 && !random.chance(0.1) {
                let p = f64::from(word(filter.rate()) as f32);
                wrong += u32::from(!account.agrees(number, bitmap, p));
            }
        }
        wrong
    }

    #[test]
    fn the_word_of_the_honest_agrees_and_that_of_others_does_not() {
        for part in [0.0, 0.001, 0.02, 0.2, 0.6] {
            assert_eq!(disagree(part, |p| p), 0, "{part}");
        }
        for part in [0.0, 0.02, 0.2] {
            assert!(disagree(part, |_| 1.0) > 10_000, "all is lost, {part}");
            assert!(disagree(part, |_| 0.4) > 8000, "much is lost, {part}");
        }
        assert_eq!(disagree(0.2, |_| 1e-6), 0, "who says less gains nothing");
    }

    #[test]
    fn a_gap_longer_than_a_bitmap_is_believed_and_an_overtaken_ack_says_nothing() {
        let mut account = Account::new(C);
        assert!(account.agrees(100, u32::MAX, 0.01));
        assert!(account.agrees(99, 1, 0.9), "overtaken");
        assert!(account.agrees(200, u32::MAX, 0.4), "a hundred are unknown");
        assert!(!account.agrees(201, u32::MAX, 0.9));
        assert!(account.agrees(202, u32::MAX, 0.0), "anew");
        assert!(!account.agrees(203, u32::MAX, 0.1), "and it goes on from there");
    }

    #[test]
    fn bars_end_and_are_bounded() {
        let (mut barred, second) = (Barred::default(), Instant::from_secs_f64);
        for n in 0..=MOST_BARRED as u32 {
            barred.bar(second(1.0), Address::endpoint(n), Duration::from_secs(60));
        }
        assert!(!barred.is_barred(second(2.0), Address::endpoint(0)) && barred.barred.len() == MOST_BARRED);
        assert!(barred.is_barred(second(60.9), Address::endpoint(1)));
        assert!(!barred.is_barred(second(61.0), Address::endpoint(1)));
        barred.bar(second(62.0), Address::endpoint(1), Duration::from_secs(60));
        assert_eq!(barred.barred.len(), 1);
        barred.lift();
        assert!(!barred.is_barred(second(63.0), Address::endpoint(1)));
    }

    #[test]
    fn silence_in_a_row_counts_and_acknowledgements_end_it() {
        let mut barred = Barred::default();
        let mut silent = |times_s: &[f64]| {
            let again = times_s.iter().map(|&at| barred.is_silent_again(Instant::from_secs_f64(at), LIAR));
            let again = again.collect::<Vec<_>>();
            barred.has_acknowledged(LIAR);
            again
        };
        assert_eq!(silent(&[1.0, 100.0, 219.0, 338.0, 339.0]), [false, false, false, true, true]);
        assert_eq!(silent(&[340.0, 341.0, 342.0, 463.0]), [false; 4], "the first three are too long ago");
    }
}
