//! Who lowers the suppression rate without limiting: a bound for those who do it again and again.
//!
//! A report suppresses others by the rate that it states, not by the one adjusted to its round-trip time: RFC 4654
//! section 3.4 wants it so, since otherwise it could not suppress those that have not measured theirs. So a report that
//! is not limiting after its adjustment can silence everybody, and who forges one per round silences the session. Of
//! many honest receivers each does that seldom, since chance decides who is first.

use crate::packet::Address;

/// The receivers that lowered X_supp in one of the last rounds without becoming the limiting one.
#[derive(Clone, Debug)]
pub(super) struct Suppressors {
    known: Vec<Suppressor>,
    /// In how many of [`ROUNDS`] rounds a receiver may do it.
    allowed: u32,
}

#[derive(Clone, Copy, Debug)]
struct Suppressor {
    receiver: Address,
    /// Bit i: in the i-th round before the present one.
    rounds: u8,
}

/// For how many rounds it is remembered, the present one included.
pub(super) const ROUNDS: u32 = u8::BITS;

/// How many receivers are remembered; the one known longest gives way.
const MOST: usize = 64;

impl Suppressors {
    pub(super) fn new(allowed: u32) -> Suppressors {
        Suppressors { known: Vec::new(), allowed }
    }

    /// Whether `receiver` may lower X_supp in the present round.
    pub(super) fn may_lower(&self, receiver: Address) -> bool {
        let known = self.known.iter().find(|known| known.receiver == receiver);
        known.is_none_or(|known| (known.rounds >> 1).count_ones() < self.allowed)
    }

    /// `receiver` has lowered X_supp in the present round and does not limit.
    pub(super) fn add(&mut self, receiver: Address) {
        if let Some(known) = self.known.iter_mut().find(|known| known.receiver == receiver) {
            known.rounds |= 1;
            return;
        }
        if self.known.len() == MOST {
            self.known.remove(0);
        }
        self.known.push(Suppressor { receiver, rounds: 1 });
    }

    /// The next feedback round begins.
    pub(super) fn next_round(&mut self) {
        self.known.iter_mut().for_each(|known| known.rounds <<= 1);
        self.known.retain(|known| known.rounds > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIAR: Address = Address::endpoint(7);

    /// In which of so many rounds somebody who always wants to may lower it.
    fn rounds(allowed: u32, count: usize) -> Vec<bool> {
        let mut suppressors = Suppressors::new(allowed);
        (0..count)
            .map(|_| {
                let may = suppressors.may_lower(LIAR);
                if may {
                    suppressors.add(LIAR);
                    assert!(suppressors.may_lower(LIAR), "again in the same round");
                }
                suppressors.next_round();
                may
            })
            .collect()
    }

    #[test]
    fn two_rounds_of_eight() {
        let (yes, no) = (true, false);
        let expected = [yes, yes, no, no, no, no, no, no, yes, yes, no, no, no, no, no, no, yes];
        assert_eq!(rounds(2, 17), expected);
        assert!(rounds(8, 100).iter().all(|&may| may), "the letter");
    }

    #[test]
    fn others_are_not_concerned_and_are_forgotten() {
        let mut suppressors = Suppressors::new(1);
        for n in 0..100 {
            suppressors.add(Address::endpoint(n));
        }
        assert_eq!(suppressors.known.len(), MOST);
        suppressors.next_round();
        assert!(suppressors.may_lower(Address::endpoint(35)), "has given way");
        assert!(!suppressors.may_lower(Address::endpoint(36)) && !suppressors.may_lower(Address::endpoint(99)));
        for _ in 0..7 {
            assert!(!suppressors.may_lower(Address::endpoint(99)));
            suppressors.next_round();
        }
        assert!(suppressors.known.is_empty() && suppressors.may_lower(Address::endpoint(99)));
    }
}
