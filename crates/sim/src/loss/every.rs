//! Every n-th packet is lost: the deterministic loss of models of TCP, which know of no chance.
//!
//! In that of section 5 of RFC 9438 the number of packets between two losses is always 1/p. All packets of the
//! direction count, from any sender.

use super::LossModel;
use faircast_proto::limits;
use faircast_proto::limits::{Limited, from};
use faircast_proto::packet::Packet;
use faircast_proto::random::Random;
use faircast_proto::time::Instant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Losses at even distances.
#[derive(Clone, Debug)]
pub struct Every {
    n: u64,
    /// Packets that still pass before the next loss.
    passing: u64,
}

/// Parameters of losses at even distances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Every", transform = limits::declare::<Config>)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The packet with this number is lost, counted from 1, and each that comes as many after it. No default.
    pub n: u64,
}

limits! { Config {
    n: from(1),
} }

impl Every {
    /// Loss as `config` has it.
    pub fn new(config: &Config, _: Random) -> Every {
        Every { n: config.n, passing: config.n - 1 }
    }
}

impl LossModel for Every {
    #[inline]
    fn loses(&mut self, _now: Instant, _packet: &Packet) -> bool {
        if self.passing > 0 {
            self.passing -= 1;
            return false;
        }
        self.passing = self.n - 1;
        true
    }
}

impl Config {
    /// Every field with an illegal value, and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        self.beyond_limits()
    }

    #[cfg(test)]
    pub(super) fn samples() -> Vec<(Config, f64)> {
        [1, 3, 1000].map(|n| (Config { n }, 1.0 / n as f64)).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::battery::packet;
    use faircast_proto::packet::Ecn;

    #[test]
    fn the_nth_is_lost_and_each_n_after_it() {
        for (n, expected) in [(1, vec![1, 2, 3, 4, 5, 6, 7]), (3, vec![3, 6]), (7, vec![7]), (8, vec![])] {
            let mut model = Every::new(&Config { n }, Random::stream(1, "x"));
            let packet = packet(1000, Ecn::NotCapable);
            let lost: Vec<u32> = (1..=7).filter(|_| model.loses(Instant::ZERO, &packet)).collect();
            assert_eq!(lost, expected, "{n}");
        }
    }

    #[test]
    fn none_at_all_is_another_kind() {
        let wrong = Config { n: 0 }.check();
        assert_eq!(wrong, [("n".to_owned(), "0 given; legal is 1 or more".to_owned())]);
        assert_eq!(Config { n: 1 }.check(), []);
    }
}
