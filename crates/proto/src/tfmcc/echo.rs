//! Whose time stamp the next data packet echoes (RFC 4654 section 3.5).

use super::config::{Config, MaxRttRule};
use super::header::Echo;
use crate::packet::Address;
use crate::time::Instant;

/// Reports whose stamps wait for a data packet.
#[derive(Clone, Debug, Default)]
pub struct Echoes {
    /// Stamps of receivers that do not limit.
    waiting: Vec<Stamp>,
    /// Stamps of receivers without a measurement that have been echoed, and how many times more they will be.
    again: Vec<(Stamp, u32)>,
    /// How many times more such a stamp is echoed; 0 by the RFC.
    repeats: u32,
    /// The last packet echoed one of those.
    repeated: bool,
    /// Last stamp of the current limiting receiver.
    clr: Option<Stamp>,
    /// That of the last one before it that had reported as such.
    predecessor: Option<Stamp>,
    /// The current limiting receiver has reported since it became that.
    clr_answered: bool,
    /// The current limiting receiver is new, or had no measurement at its last report, and has not been echoed since.
    clr_first: bool,
    /// The current limiting receiver has been echoed in this round.
    clr_echoed: bool,
}

/// A stamp to echo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stamp {
    /// Who sent it.
    pub receiver: Address,
    /// The stamp (tr_r).
    pub stamp_us: u32,
    /// When it came.
    pub came: Instant,
    /// Its feedback round.
    pub round: u8,
    /// Whether the receiver had measured its round-trip time.
    pub have_rtt: bool,
    /// Its rate, bit/s.
    pub rate_bps: f64,
}

impl Echoes {
    /// By the rule of R_max that `config` has.
    pub fn by(config: &Config) -> Echoes {
        Echoes::new(match config.max_rtt {
            MaxRttRule::Rfc | MaxRttRule::Measured => 0,
            MaxRttRule::Recent => REPEATS,
        })
    }

    /// Those without a measurement are echoed once and `repeats` times more.
    fn new(repeats: u32) -> Echoes {
        Echoes { repeats, ..Echoes::default() }
    }

    /// A report has come from a receiver that is now limiting, or is not.
    pub fn add(&mut self, stamp: Stamp, is_clr: bool) {
        self.waiting.retain(|other| other.receiver != stamp.receiver);
        self.again.retain(|(other, _)| other.receiver != stamp.receiver);
        if is_clr {
            let is_new = self.clr.is_none_or(|clr| clr.receiver != stamp.receiver);
            self.clr_first |= is_new || !stamp.have_rtt;
            self.clr_echoed &= !is_new;
            if is_new && self.clr_answered {
                self.predecessor = self.clr;
            }
            self.clr_answered = !is_new;
            self.clr = Some(stamp);
        } else {
            if self.waiting.len() == MOST
                && let Some(last) = self.last_of_waiting(stamp.round)
            {
                self.waiting.swap_remove(last);
            }
            self.waiting.push(stamp);
        }
    }

    /// Nobody limits any more.
    pub fn clr_lost(&mut self) {
        self.clr = None;
        self.predecessor = None;
        self.clr_answered = false;
        self.clr_first = false;
    }

    /// The one before the current limiting receiver limits again.
    pub fn clr_back(&mut self, receiver: Address) {
        self.clr = self.predecessor.take().filter(|stamp| stamp.receiver == receiver);
        self.clr_first = self.clr.is_some();
        (self.clr_answered, self.clr_echoed) = (self.clr.is_some(), false);
    }

    /// A feedback round begins.
    pub fn next_round(&mut self) {
        self.clr_echoed = false;
    }

    /// The echo for a data packet that leaves at `now`, in feedback round `round`; `late` in the round, when it is time
    /// for the limiting receiver if it has not been echoed yet.
    pub fn take(&mut self, now: Instant, round: u8, late: bool) -> Option<Echo> {
        let clr_first = self.clr.is_some() && (self.clr_first || (late && !self.clr_echoed));
        let best = if clr_first { None } else { self.first_of_waiting(round) };
        let (stamp, is_clr) = match best {
            Some(index) => (self.first_time(index), false),
            None => match self.once_more(clr_first) {
                Some(stamp) => (stamp, false),
                None => (self.clr?, true),
            },
        };
        if is_clr {
            self.clr_first = false;
            self.clr_echoed = true;
        }
        // The time it waited here is not part of the round trip.
        let held_us = (now.since(stamp.came).0 / 1000) as u32;
        Some(Echo { receiver: stamp.receiver, stamp_us: stamp.stamp_us.wrapping_add(held_us), is_clr })
    }

    fn first_time(&mut self, index: usize) -> Stamp {
        let stamp = self.waiting.swap_remove(index);
        if !stamp.have_rtt && self.repeats > 0 && self.again.len() < MOST {
            self.again.push((stamp, self.repeats));
        }
        stamp
    }

    /// Every other packet that has nothing better to echo.
    fn once_more(&mut self, clr_first: bool) -> Option<Stamp> {
        self.repeated = !clr_first && !self.repeated && !self.again.is_empty();
        if !self.repeated {
            return None;
        }
        self.again.rotate_left(1);
        let (stamp, left) = self.again.last_mut().expect("there is one");
        *left -= 1;
        let stamp = *stamp;
        self.again.retain(|&(_, left)| left > 0);
        Some(stamp)
    }

    fn first_of_waiting(&self, round: u8) -> Option<usize> {
        let key = |index: &usize| order(&self.waiting[*index], round);
        (0..self.waiting.len()).min_by(|a, b| key(a).partial_cmp(&key(b)).expect("rates are numbers"))
    }

    fn last_of_waiting(&self, round: u8) -> Option<usize> {
        let key = |index: &usize| order(&self.waiting[*index], round);
        (0..self.waiting.len()).max_by(|a, b| key(a).partial_cmp(&key(b)).expect("rates are numbers"))
    }
}

/// Those without a measurement first, then older rounds, then lower rates.
fn order(stamp: &Stamp, round: u8) -> (bool, u8, f64) {
    (stamp.have_rtt, u8::MAX - round.wrapping_sub(stamp.round), stamp.rate_bps)
}

/// How many times the stamp of a receiver without a measurement is echoed again with the rule "recent". A receiver that
/// is sent far more than its link carries misses most echoes, and by the RFC it has one per feedback round. At half of
/// the packets lost 17 in a row are lost once in 131 072 times, at 90 % once in 6; a choice.
const REPEATS: u32 = 16;

/// How many stamps wait at most: more than a round brings. The last in order gives way.
const MOST: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(receiver: u32, round: u8, have_rtt: bool, rate_bps: f64) -> Stamp {
        Stamp { receiver: Address::endpoint(receiver), stamp_us: 1000, came: Instant::ZERO, round, have_rtt, rate_bps }
    }

    fn order_of(echoes: &mut Echoes, round: u8, n: usize) -> Vec<usize> {
        (0..n).map(|_| echoes.take(Instant(5_000_000), round, false).unwrap().receiver.index()).collect()
    }

    #[test]
    fn priorities_are_those_of_the_rfc() {
        let mut echoes = Echoes::default();
        assert_eq!(echoes.take(Instant::ZERO, 0, true), None);
        echoes.add(stamp(1, 2, true, 1e6), false);
        echoes.add(stamp(2, 1, true, 2e6), false);
        echoes.add(stamp(3, 2, false, 3e6), false);
        echoes.add(stamp(4, 255, false, 9e6), false);
        echoes.add(stamp(5, 2, true, 0.5e6), false);
        echoes.add(stamp(6, 2, true, 1e5), true);
        // New CLR; without RTT, older round first (255 is before 2); others: older round, then lower rate; CLR.
        assert_eq!(order_of(&mut echoes, 2, 8), [6, 4, 3, 2, 5, 1, 6, 6]);
    }

    #[test]
    fn stamps_are_advanced_by_the_time_they_wait() {
        let mut echoes = Echoes::default();
        echoes.add(stamp(1, 0, true, 1e6), true);
        let echo = echoes.take(Instant(7_000_000), 0, false).unwrap();
        assert_eq!(echo, Echo { receiver: Address::endpoint(1), stamp_us: 8000, is_clr: true });
    }

    #[test]
    fn those_without_a_measurement_are_echoed_again_by_turns_with_the_limiting_one() {
        let mut echoes = Echoes::new(2);
        for receiver in [2, 3] {
            echoes.add(stamp(receiver, 1, false, f64::from(receiver)), false);
        }
        echoes.add(stamp(4, 1, true, 4.0), false);
        echoes.add(stamp(1, 1, true, 1e5), true);
        // Once and twice more, the others first; who has a measurement has had his turn.
        assert_eq!(order_of(&mut echoes, 1, 14), [1, 2, 3, 4, 2, 1, 3, 1, 2, 1, 3, 1, 1, 1]);
        assert!(echoes.again.is_empty());
        // Its next report ends that, and it need not be the limiting one.
        echoes.add(stamp(2, 2, false, 1e6), false);
        assert_eq!(order_of(&mut echoes, 2, 3), [2, 2, 1]);
        echoes.add(stamp(2, 2, true, 1e6), false);
        assert_eq!(order_of(&mut echoes, 2, 4), [2, 1, 1, 1]);
        // Without anybody that limits there is nothing between them, nor when they are through.
        let mut echoes = Echoes::new(2);
        echoes.add(stamp(2, 1, false, 1.0), false);
        let turns: Vec<bool> = (0..5).map(|_| echoes.take(Instant(5_000_000), 1, false).is_some()).collect();
        assert_eq!(turns, [true, true, false, true, false]);
        // The new limiting receiver goes before them.
        echoes.add(stamp(3, 1, false, 1.0), false);
        assert_eq!(order_of(&mut echoes, 1, 1), [3]);
        echoes.add(stamp(5, 1, true, 1.0), true);
        assert_eq!(order_of(&mut echoes, 1, 3), [5, 3, 5]);
        // Once more is the least.
        let mut echoes = Echoes::new(1);
        echoes.add(stamp(2, 1, false, 1.0), false);
        echoes.add(stamp(1, 1, true, 1e5), true);
        assert_eq!(order_of(&mut echoes, 1, 5), [1, 2, 2, 1, 1]);
        // By the RFC once.
        let mut echoes = Echoes::new(0);
        echoes.add(stamp(2, 1, false, 1.0), false);
        echoes.add(stamp(1, 1, true, 1e5), true);
        assert_eq!(order_of(&mut echoes, 1, 4), [1, 2, 1, 1]);
    }

    #[test]
    fn the_limiting_receiver_has_its_turn_in_every_round() {
        let mut echoes = Echoes::default();
        echoes.add(stamp(1, 0, true, 1e6), true);
        assert_eq!(order_of(&mut echoes, 0, 1), [1]);
        echoes.next_round();
        for receiver in 2..6 {
            echoes.add(stamp(receiver, 1, true, 1e6 + f64::from(receiver)), false);
        }
        assert_eq!(order_of(&mut echoes, 1, 1), [2]);
        assert_eq!(echoes.take(Instant::ZERO, 1, true).unwrap().receiver.index(), 1);
        assert_eq!(echoes.take(Instant::ZERO, 1, true).unwrap().receiver.index(), 3);
    }

    #[test]
    fn a_limiting_receiver_that_is_lost_is_not_echoed_and_has_no_turn() {
        let mut echoes = Echoes::default();
        echoes.add(stamp(1, 0, true, 1e6), true);
        echoes.clr_lost();
        assert_eq!(echoes.take(Instant::ZERO, 0, true), None);
        echoes.add(stamp(2, 0, true, 1e6), false);
        assert_eq!(order_of(&mut echoes, 0, 1), [2]);
        // The next one is new, once.
        echoes.add(stamp(3, 0, true, 1e6), true);
        echoes.add(stamp(4, 0, true, 1e6), false);
        assert_eq!(order_of(&mut echoes, 0, 3), [3, 4, 3]);
    }

    #[test]
    fn one_that_limits_again_is_named_first_by_its_last_stamp() {
        // 1 has reported as the limiting one, 2 has taken its place and does not.
        let replaced = || {
            let mut echoes = Echoes::default();
            for receiver in [1, 1, 2] {
                echoes.add(stamp(receiver, 0, true, 1e6), true);
            }
            assert_eq!(order_of(&mut echoes, 0, 1), [2]);
            echoes.add(stamp(3, 0, true, 1e6), false);
            echoes
        };
        let mut echoes = replaced();
        echoes.clr_back(Address::endpoint(1));
        assert_eq!(order_of(&mut echoes, 0, 3), [1, 3, 1]);
        // It is remembered as one that has answered.
        echoes.add(stamp(4, 0, true, 1e6), true);
        echoes.clr_back(Address::endpoint(1));
        assert_eq!(order_of(&mut echoes, 0, 2), [1, 1]);
        // Nobody else is, nor is anybody once nobody has limited in the meantime.
        let mut echoes = replaced();
        echoes.clr_back(Address::endpoint(5));
        assert_eq!((order_of(&mut echoes, 0, 1), echoes.take(Instant::ZERO, 0, false)), (vec![3], None));
        let mut echoes = replaced();
        echoes.clr_lost();
        echoes.add(stamp(4, 0, true, 1e6), true);
        echoes.clr_back(Address::endpoint(1));
        assert_eq!((order_of(&mut echoes, 0, 1), echoes.take(Instant::ZERO, 0, false)), (vec![3], None));
    }

    #[test]
    fn the_number_of_stamps_is_bounded() {
        let mut echoes = Echoes::default();
        for receiver in 0..1000 {
            echoes.add(stamp(receiver, 0, true, f64::from(receiver)), false);
        }
        assert_eq!(echoes.waiting.len(), MOST);
        assert_eq!(order_of(&mut echoes, 0, 2), [0, 1]);
    }
}
