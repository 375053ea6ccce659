//! Random numbers: one stream per purpose, seeded from the run's seed and a stable name.
//!
//! A stream depends on nothing but the seed and its name (`"link/bottleneck/loss"`, `"flow/web-0/jitter"`), never on
//! the order in which a network is built, so two schemes compared under one seed meet the same losses. Generator and
//! distributions are fixed here and held by golden values: the same seed gives the same numbers on every platform.

use rand_core::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
#[cfg(debug_assertions)]
use std::{cell::RefCell, collections::BTreeSet};

/// One stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(Xoshiro256PlusPlus);

#[cfg(debug_assertions)]
thread_local! {
    /// Names of all streams that this thread has made.
    static NAMES: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
}

impl Random {
    /// The names of the streams that this thread has made since it was last asked. Debug builds only, in which tests
    /// hold the documented names against them.
    #[cfg(debug_assertions)]
    pub fn names() -> std::collections::BTreeSet<String> {
        NAMES.take()
    }

    /// The stream called `name` of the run with `seed`.
    pub fn stream(seed: u64, name: &str) -> Random {
        #[cfg(debug_assertions)]
        NAMES.with_borrow_mut(|names| names.insert(name.to_owned()));
        let mut state = fnv1a(name.as_bytes()) ^ splitmix(seed);
        let mut bytes = [0u8; 32];
        for chunk in bytes.chunks_exact_mut(8) {
            state = state.wrapping_add(GOLDEN_GAMMA);
            chunk.copy_from_slice(&splitmix(state).to_le_bytes());
        }
        Random(Xoshiro256PlusPlus::from_seed(bytes))
    }

    /// A stream for a part of who has this one, which goes on behind what that is made of.
    pub fn split(&mut self) -> Random {
        Random(Xoshiro256PlusPlus::from_rng(&mut self.0))
    }

    /// Uniform in [0, 1), 53 bits.
    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in [low, high).
    pub fn uniform_in(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    /// Exponential with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        // 1 - U lies in (0, 1], so the logarithm is finite.
        -mean * libm::log1p(-self.uniform())
    }

    /// Standard normal (Box and Muller, 1958): of the two that they give one, so that each takes two draws.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log1p(-self.uniform())).sqrt();
        radius * libm::cos(std::f64::consts::TAU * self.uniform())
    }

    /// Pareto with the given mean and shape > 1 (heavy tail for shape < 2).
    pub fn pareto(&mut self, mean: f64, shape: f64) -> f64 {
        let scale = mean * (shape - 1.0) / shape;
        scale * libm::pow(1.0 - self.uniform(), -1.0 / shape)
    }

    /// Number of failures before the first success with success probability `p`: how many packets pass before
    /// the next loss. `u64::MAX` if `p` is zero.
    pub fn geometric(&mut self, p: f64) -> u64 {
        if p >= 1.0 {
            return 0;
        }
        if p <= 0.0 {
            return u64::MAX;
        }
        // A float-to-integer cast saturates.
        libm::floor(libm::log1p(-self.uniform()) / libm::log1p(-p)) as u64
    }
}

/// A fixed hash of a name: 64-bit FNV-1a.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function of SplitMix64 (Steele, Lea, Flood 2014): spreads neighbouring seeds over all 64 bits.
fn splitmix(state: u64) -> u64 {
    let mut z = state.wrapping_add(GOLDEN_GAMMA);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv1a() {
        // Published check values of FNV-1a, 64 bit.
        assert_eq!(fnv1a(b""), 0xcbf29ce484222325);
        assert_eq!(fnv1a(b"foobar"), 0x85944171f73967e8);
    }

    #[test]
    fn streams_differ_by_name_and_seed_and_repeat() {
        let first = |seed, name| Random::stream(seed, name).uniform();
        assert_eq!(first(1, "a"), first(1, "a"));
        assert_ne!(first(1, "a"), first(1, "b"));
        assert_ne!(first(1, "a"), first(2, "a"));
    }

    #[test]
    fn a_part_has_a_stream_made_of_the_next_four_numbers() {
        let mut whole = Random::stream(7, "test/split");
        let mut same = whole.clone();
        let mut part = whole.split();
        let [a, _, _, d] = [(); 4].map(|()| same.0.next_u64());
        // The first number of xoshiro256++ with these as its state (Blackman and Vigna, 2019).
        assert_eq!(part.0.next_u64(), a.wrapping_add(d).rotate_left(23).wrapping_add(a));
        assert_eq!(whole.0.next_u64(), same.0.next_u64(), "the whole goes on behind them");
    }

    #[test]
    fn means_are_as_asked() {
        let mut random = Random::stream(7, "test/means");
        let n = 200_000;
        let mean = |f: &mut dyn FnMut() -> f64| (0..n).map(|_| f()).sum::<f64>() / f64::from(n);
        assert!((mean(&mut || random.uniform()) - 0.5).abs() < 0.004);
        assert!((mean(&mut || random.exponential(3.0)) - 3.0).abs() < 0.04);
        assert!((mean(&mut || random.pareto(2.0, 2.5)) - 2.0).abs() < 0.1);
        assert!(mean(&mut || random.normal()).abs() < 0.01);
        let square = |number: f64| number * number;
        assert!((mean(&mut || square(random.normal())) - 1.0).abs() < 0.02);
        assert!((mean(&mut || f64::from(u8::from(random.normal() > 1.0))) - 0.158_655).abs() < 0.004);
        assert!((mean(&mut || random.geometric(0.1) as f64) - 9.0).abs() < 0.15);
    }

    #[test]
    fn geometric_at_its_borders() {
        let mut random = Random::stream(7, "test/borders");
        assert_eq!(random.geometric(1.0), 0);
        assert_eq!(random.geometric(0.0), u64::MAX);
    }
}
