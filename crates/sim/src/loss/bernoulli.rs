//! Bernoulli loss: each packet is lost with probability `p`, whatever happened to the others.
//!
//! The number of packets until the next loss is geometric, so it is drawn ahead: a packet costs a subtraction, and
//! only a loss costs a random number.

use super::LossModel;
use faircast_proto::limits;
use faircast_proto::limits::{Limited, from};
use faircast_proto::packet::Packet;
use faircast_proto::random::Random;
use faircast_proto::time::Instant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Independent losses of packets.
#[derive(Clone, Debug)]
pub struct Bernoulli {
    p: f64,
    random: Random,
    /// Packets that still pass before the next loss.
    passing: u64,
}

/// Parameters of Bernoulli loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Bernoulli", transform = limits::declare::<Config>)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Probability that a packet is lost, 0 to 1. No default.
    pub p: f64,
}

limits! { Config {
    p: from(0.0).to(1.0),
} }

impl Bernoulli {
    /// Loss with the probability of `config`, drawn from `random`.
    pub fn new(config: &Config, mut random: Random) -> Bernoulli {
        let passing = random.geometric(config.p);
        Bernoulli { p: config.p, random, passing }
    }
}

impl LossModel for Bernoulli {
    #[inline]
    fn loses(&mut self, _now: Instant, _packet: &Packet) -> bool {
        if self.passing > 0 {
            self.passing -= 1;
            return false;
        }
        self.passing = self.random.geometric(self.p);
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
        [0.0, 0.001, 0.3, 1.0].map(|p| (Config { p }, p)).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::observe;
    use super::*;

    #[test]
    fn runs_of_losses_are_as_short_as_independence_makes_them() {
        let (rate, burst) = observe(&super::super::Config::Bernoulli(Config { p: 0.3 }), 5, 200_000);
        assert!((rate - 0.3).abs() < 0.005, "{rate}");
        // A run of losses goes on with probability p: mean 1/(1 - p).
        assert!((burst - 1.0 / 0.7).abs() < 0.02, "{burst}");
    }

    #[test]
    fn a_probability_beyond_one_is_explained() {
        for p in [-0.1, 1.1, f64::NAN] {
            let complaints = Config { p }.check();
            assert_eq!(complaints[0].0, "p");
            assert!(complaints[0].1.contains("legal is 0 to 1"), "{complaints:?}");
        }
    }
}
