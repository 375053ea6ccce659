//! How large transfers are.

use crate::model::SizeEntry;
use faircast_proto::random::Random;
use std::sync::Arc;

/// A distribution of sizes, bytes of payload.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sizes {
    Constant(f64),
    Exponential { mean: f64 },
    Pareto { least: f64, shape: f64, most: f64 },
    Lognormal { median: f64, sigma: f64 },
    Listed(Arc<[u64]>),
}

impl Sizes {
    /// As a scenario has it, which must be legal.
    pub(crate) fn of(entry: &SizeEntry) -> Sizes {
        match entry {
            SizeEntry::Constant(size) => Sizes::Constant(size.bytes.0 as f64),
            SizeEntry::Exponential(size) => Sizes::Exponential { mean: size.mean.0 as f64 },
            SizeEntry::Pareto(size) => Sizes::Pareto {
                least: size.least.0 as f64,
                shape: size.shape,
                most: size.most.map_or(f64::INFINITY, |most| most.0 as f64),
            },
            SizeEntry::Lognormal(size) if size.sigma == 0.0 => Sizes::Constant(size.median.0 as f64),
            SizeEntry::Lognormal(size) => Sizes::Lognormal { median: size.median.0 as f64, sigma: size.sigma },
            SizeEntry::Listed(size) => Sizes::Listed(size.sizes.iter().map(|size| size.0).collect()),
        }
    }

    /// The next size; at least a byte.
    pub(crate) fn draw(&self, random: &mut Random) -> u64 {
        let size = match self {
            Sizes::Constant(size) => *size,
            Sizes::Exponential { mean } => random.exponential(*mean),
            Sizes::Pareto { least, shape, most } => {
                let cut = libm::pow(least / most, *shape);
                least * libm::pow(1.0 - random.uniform() * (1.0 - cut), -1.0 / shape)
            }
            Sizes::Lognormal { median, sigma } => median * libm::exp(sigma * random.normal()),
            Sizes::Listed(sizes) => return sizes[(random.uniform() * sizes.len() as f64) as usize],
        };
        // A cast from a float saturates.
        size.round().max(1.0) as u64
    }

    /// Whether its mean is finite.
    pub(crate) fn has_mean(&self) -> bool {
        !matches!(self, Sizes::Pareto { shape, most, .. } if *shape <= 1.0 && most.is_infinite())
    }

    /// The mean of the segments that a transfer takes, of so many bytes each. That of a number that is rounded up is
    /// the sum of P(X > k mss) over all k from 0; what is far out is summed as an integral, with half of its first term
    /// (Euler and Maclaurin), which is off by less than a segment in a million.
    pub(crate) fn mean_segments(&self, mss: f64) -> f64 {
        match self {
            Sizes::Constant(size) => (size / mss).ceil(),
            Sizes::Listed(sizes) => {
                let segments = sizes.iter().map(|&size| (size as f64 / mss).ceil());
                segments.sum::<f64>() / sizes.len() as f64
            }
            _ => {
                let near: f64 = (0..NEAR).map(|k| self.beyond(f64::from(k) * mss)).sum();
                let edge = f64::from(NEAR) * mss;
                near + self.excess(edge) / mss + self.beyond(edge) / 2.0
            }
        }
    }

    /// P(X > x).
    fn beyond(&self, x: f64) -> f64 {
        match self {
            Sizes::Exponential { mean } => libm::exp(-x / mean),
            Sizes::Pareto { least, most, .. } if x < *least || x >= *most => f64::from(u8::from(x < *least)),
            Sizes::Pareto { least, shape, most } => {
                let cut = libm::pow(least / most, *shape);
                (libm::pow(least / x, *shape) - cut) / (1.0 - cut)
            }
            Sizes::Lognormal { median, sigma } if x > 0.0 => {
                libm::erfc(libm::log(x / median) / (sigma * std::f64::consts::SQRT_2)) / 2.0
            }
            Sizes::Lognormal { .. } => 1.0,
            Sizes::Constant(_) | Sizes::Listed(_) => f64::NAN,
        }
    }

    /// E[max(X - a, 0)], the integral of [`beyond`](Self::beyond) from `a`.
    fn excess(&self, a: f64) -> f64 {
        match self {
            Sizes::Exponential { mean } => mean * libm::exp(-a / mean),
            Sizes::Pareto { most, .. } if a >= *most => 0.0,
            Sizes::Pareto { least, .. } if a < *least => least - a + self.excess(*least),
            Sizes::Pareto { least, shape, most } => {
                let cut = libm::pow(least / most, *shape);
                let power = |x: f64| libm::pow(least / x, *shape) * x;
                // The integral of (least / x)^shape; at shape 1 the limit of it.
                let under = match (shape - 1.0).abs() < 1e-9 {
                    true => least * libm::log(most / a),
                    false if most.is_infinite() => power(a) / (shape - 1.0),
                    false => (power(a) - power(*most)) / (shape - 1.0),
                };
                if cut == 0.0 { under } else { (under - cut * (most - a)) / (1.0 - cut) }
            }
            Sizes::Lognormal { median, sigma } => {
                let mean = median * libm::exp(sigma * sigma / 2.0);
                let z = libm::log(a / median) / sigma;
                let above = |z: f64| libm::erfc(z / std::f64::consts::SQRT_2) / 2.0;
                mean * above(z - sigma) - a * above(z)
            }
            Sizes::Constant(_) | Sizes::Listed(_) => f64::NAN,
        }
    }
}

/// Terms that are summed one by one.
const NEAR: u32 = 4000;

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, wanted: f64, off: f64) {
        assert!((found / wanted - 1.0).abs() < off, "{found} instead of {wanted}");
    }

    /// Sizes whose means are known, with those.
    fn known() -> [(Sizes, f64); 5] {
        let pareto = |shape, most| Sizes::Pareto { least: 2000.0, shape, most };
        [
            (Sizes::Exponential { mean: 30_000.0 }, 30_000.0),
            // least shape / (shape - 1).
            (pareto(2.5, f64::INFINITY), 2000.0 * 2.5 / 1.5),
            // With the bound h = 10 least: least shape / (shape - 1) (1 - h^(1 - shape)) / (1 - h^-shape).
            (pareto(1.5, 20_000.0), 2000.0 * 3.0 * (1.0 - 0.1f64.sqrt()) / (1.0 - libm::pow(0.1, 1.5))),
            // At shape 1: least ln(h) / (1 - 1 / h).
            (pareto(1.0, 20_000.0), 2000.0 * libm::log(10.0) / 0.9),
            (Sizes::Lognormal { median: 10_000.0, sigma: 1.0 }, 10_000.0 * libm::exp(0.5)),
        ]
    }

    #[test]
    fn means_are_those_of_the_distributions() {
        for (sizes, mean) in known() {
            // In segments of a byte: half a byte more by rounding up.
            near(sizes.mean_segments(1.0), mean + 0.5, 1e-3);
            let mut random = Random::stream(1, "test/sizes");
            let drawn: f64 = (0..400_000).map(|_| sizes.draw(&mut random) as f64).sum();
            near(drawn / 400_000.0, mean, 0.01);
        }
    }

    #[test]
    fn segments_are_whole() {
        for (sizes, _) in known() {
            let mut random = Random::stream(2, "test/sizes");
            let drawn: f64 = (0..400_000).map(|_| (sizes.draw(&mut random) as f64 / 1000.0).ceil()).sum();
            near(sizes.mean_segments(1000.0), drawn / 400_000.0, 0.01);
        }
        assert_eq!(Sizes::Constant(2500.0).mean_segments(1000.0), 3.0);
        assert_eq!(Sizes::Listed([1, 1001].into()).mean_segments(1000.0), 1.5);
    }

    #[test]
    fn bounds_hold_and_heavy_tails_have_no_mean() {
        let mut random = Random::stream(3, "test/sizes");
        let bounded = Sizes::Pareto { least: 1000.0, shape: 0.5, most: 5000.0 };
        assert!((0..10_000).all(|_| (1000..=5000).contains(&bounded.draw(&mut random))));
        assert!(bounded.has_mean());
        assert!(!Sizes::Pareto { least: 1000.0, shape: 1.0, most: f64::INFINITY }.has_mean());
        assert!(Sizes::Pareto { least: 1000.0, shape: 1.01, most: f64::INFINITY }.has_mean());
    }
}
