//! A link that loses nothing.

use super::LossModel;
use faircast_proto::packet::Packet;
use faircast_proto::random::Random;
use faircast_proto::time::Instant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Loses nothing.
#[derive(Clone, Debug)]
pub struct Lossless;

/// No parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Lossless")]
#[serde(deny_unknown_fields)]
pub struct Config {}

impl Lossless {
    /// A link without loss.
    pub fn new(_config: &Config, _random: Random) -> Lossless {
        Lossless
    }
}

impl LossModel for Lossless {
    #[inline]
    fn loses(&mut self, _now: Instant, _packet: &Packet) -> bool {
        false
    }
}

impl Config {
    /// Nothing can be wrong.
    pub fn check(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    #[cfg(test)]
    pub(super) fn samples() -> Vec<(Config, f64)> {
        vec![(Config {}, 0.0)]
    }
}
