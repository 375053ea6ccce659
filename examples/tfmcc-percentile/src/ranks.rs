//! Who of all receivers is among the slowest, by what they asked for last.

use faircast_proto::packet::Address;
use std::collections::BTreeMap;

/// The receivers of a session in the order of the rates that they calculate. Those that have said none yet, as they
/// have lost nothing or others spoke for them, count as faster than all that have.
#[derive(Debug)]
pub(crate) struct Ranks {
    asked_bps: BTreeMap<Address, f64>,
    members: u32,
    percentile: f64,
}

impl Ranks {
    /// Of a session to so many members.
    pub fn new(members: u32, percentile: f64) -> Ranks {
        Ranks { asked_bps: BTreeMap::new(), members, percentile }
    }

    /// A receiver asks for a rate; one that is no number says nothing.
    pub fn heard(&mut self, receiver: Address, asked_bps: f64) {
        if !asked_bps.is_nan() {
            self.asked_bps.insert(receiver, asked_bps);
        }
    }

    /// A receiver leaves; from now on it counts no more.
    pub fn left(&mut self, receiver: Address) {
        self.members -= u32::from(self.asked_bps.remove(&receiver).is_some());
    }

    /// How many of the slowest are passed over.
    pub fn passed_over(&self) -> usize {
        (f64::from(self.members) * self.percentile / 100.0) as usize
    }

    /// Whether a receiver is one of them. Of equal rates those of the lower addresses are.
    pub fn is_passed_over(&self, receiver: Address) -> bool {
        let Some(own) = self.asked_bps.get(&receiver) else { return false };
        let is_slower = |(address, bps): &(&Address, &f64)| (**bps, **address) < (*own, receiver);
        self.asked_bps.iter().filter(is_slower).count() < self.passed_over()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed_over(ranks: &Ranks) -> Vec<u32> {
        (0..10).filter(|number| ranks.is_passed_over(Address::endpoint(*number))).collect()
    }

    #[test]
    fn the_slowest_are_passed_over() {
        let mut ranks = Ranks::new(10, 25.0);
        assert_eq!((ranks.passed_over(), passed_over(&ranks)), (2, vec![]));
        for (receiver, bps) in [(3, 5e5), (7, 1e6), (1, 2e5), (4, 9e5)] {
            ranks.heard(Address::endpoint(receiver), bps);
        }
        assert_eq!(passed_over(&ranks), [1, 3]);
        // By what was said last; what is no number says nothing, and of equals the first address is slower.
        ranks.heard(Address::endpoint(1), 9e5);
        ranks.heard(Address::endpoint(3), f64::NAN);
        assert_eq!(passed_over(&ranks), [1, 3]);
        ranks.heard(Address::endpoint(1), 9.1e5);
        assert_eq!(passed_over(&ranks), [3, 4]);
        // Of seven a quarter is one.
        for receiver in [3, 7, 1, 1] {
            ranks.left(Address::endpoint(receiver));
        }
        assert_eq!((ranks.passed_over(), passed_over(&ranks)), (1, vec![4]));
    }

    #[test]
    fn nobody_is_passed_over_where_the_part_is_none() {
        for (members, percentile) in [(10, 0.0), (9, 10.0), (1, 99.0), (0, 50.0)] {
            let mut ranks = Ranks::new(members, percentile);
            ranks.heard(Address::endpoint(0), 1e3);
            assert_eq!(passed_over(&ranks), [0; 0], "{members} {percentile}");
        }
    }
}
