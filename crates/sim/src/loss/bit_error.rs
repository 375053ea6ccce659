//! Bit errors: a packet is lost if at least one of its bits is hit (ns-2's byte and bit error models).
//!
//! Bits are hit independently, so the number of good bits until the next hit is geometric and forgets what went
//! before. It is drawn ahead: a packet takes its bits from it, and is lost if they do not suffice. That is exactly
//! the loss probability of [`packet_error_rate`], for packets of any mixture of sizes, without a logarithm per packet.

use super::LossModel;
use faircast_proto::limits;
use faircast_proto::limits::{Limited, from};
use faircast_proto::packet::Packet;
use faircast_proto::random::Random;
use faircast_proto::time::Instant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The probability that a packet of `bytes` is lost: `1 - (1 - ber)^(8 bytes)`, exact for small rates, too.
pub fn packet_error_rate(ber: f64, bytes: u32) -> f64 {
    if ber >= 1.0 {
        // The logarithm below is minus infinity, which times zero bytes would not be a number.
        return if bytes > 0 { 1.0 } else { 0.0 };
    }
    -libm::expm1(8.0 * f64::from(bytes) * libm::log1p(-ber))
}

/// Independent errors of bits.
#[derive(Clone, Debug)]
pub struct BitError {
    ber: f64,
    random: Random,
    /// Bits that still pass before the next one is hit.
    good_bits: u64,
}

/// Parameters of bit-error loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BitError", transform = limits::declare::<Config>)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Bit error rate: probability that a bit is hit, from 0 to less than 1. No default; satellite links 1e-8 to 1e-6
    /// [Ehlert].
    pub ber: f64,
}

limits! { Config {
    ber: from(0.0).below(1.0).because("for with 1 no bit would arrive as it was sent"),
} }

impl BitError {
    /// Loss with the bit error rate of `config`, drawn from `random`.
    pub fn new(config: &Config, mut random: Random) -> BitError {
        let good_bits = random.geometric(config.ber);
        BitError { ber: config.ber, random, good_bits }
    }
}

impl LossModel for BitError {
    #[inline]
    fn loses(&mut self, _now: Instant, packet: &Packet) -> bool {
        let bits = u64::from(packet.size) * 8;
        if self.good_bits >= bits {
            self.good_bits -= bits;
            return false;
        }
        self.good_bits = self.random.geometric(self.ber);
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
        [0.0, 1e-6, 1e-4, 0.5].map(|ber| (Config { ber }, packet_error_rate(ber, 1000))).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::battery::packet;
    use faircast_proto::packet::Ecn;

    #[test]
    fn packet_error_rates_computed_by_hand() {
        let close = |ber, bytes, expected: f64| {
            let rate = packet_error_rate(ber, bytes);
            assert!((rate / expected - 1.0).abs() < 2e-4, "{ber} {bytes}: {rate}");
        };
        close(1e-8, 512, 4.096e-5);
        close(1e-6, 512, 4.088e-3);
        close(1e-6, 552, 4.406e-3);
        close(1e-6, 40, 3.2e-4);
        assert_eq!(packet_error_rate(0.0, 1500), 0.0);
        assert_eq!(packet_error_rate(1.0, 1500), 1.0);
    }

    #[test]
    fn a_rate_of_one_is_no_rate() {
        for (ber, wrong) in [(0.0, false), (0.999, false), (1.0, true), (-1e-9, true), (1.5, true), (f64::NAN, true)] {
            assert_eq!(!Config { ber }.check().is_empty(), wrong, "{ber}");
        }
    }

    #[test]
    fn every_size_of_a_mixture_meets_its_own_rate() {
        let ber = 1e-5;
        let mut model = BitError::new(&Config { ber }, Random::stream(2, "test/bits"));
        let sizes = [40, 512, 1500];
        let mut lost = [0u32; 3];
        let n = 300_000;
        for _ in 0..n {
            for (size, lost) in sizes.iter().zip(&mut lost) {
                *lost += u32::from(model.loses(Instant::ZERO, &packet(*size, Ecn::NotCapable)));
            }
        }
        for (size, lost) in sizes.iter().zip(lost) {
            let theory = packet_error_rate(ber, u32::from(*size));
            let error = 4.0 * (theory / f64::from(n)).sqrt();
            assert!((f64::from(lost) / f64::from(n) - theory).abs() < error, "{size}: {lost}, theory {theory}");
        }
    }
}
