//! What each layer carries, by the least and the largest share that was reported ([Ehlert] section III.A).
//!
//! The base layer is the least share, the K - 1 enhancement layers are equal and add up to the rest: the layers up to
//! layer k carry C_k, together they carry the largest share.

/// How layers are sized.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layering {
    /// The least rate of the base layer, bit/s.
    pub least_bps: f64,
    /// The most that all layers carry together, bit/s. Where it is below the least, it holds.
    pub most_bps: f64,
    /// The enhancement layers are empty if they would carry less than this part of all together.
    pub least_gap: f64,
}

impl Layering {
    /// A share within the bounds. What is no number is the least.
    pub fn bounded_bps(&self, share_bps: f64) -> f64 {
        share_bps.max(self.least_bps).min(self.most_bps)
    }

    /// The rates of `layers` layers, the base first, for the least and the largest share, bit/s. A single layer has the
    /// least share.
    pub fn rates_bps(&self, least_share_bps: f64, largest_share_bps: f64, layers: usize) -> impl Iterator<Item = f64> {
        let base_bps = self.bounded_bps(least_share_bps);
        let all_bps = self.bounded_bps(largest_share_bps).max(base_bps);
        let gap_bps = all_bps - base_bps;
        let is_narrow = gap_bps <= 0.0 || gap_bps < self.least_gap * all_bps;
        // Without enhancement layers nobody asks for what each of them carries.
        let each_bps = if is_narrow { 0.0 } else { gap_bps / layers.saturating_sub(1).max(1) as f64 };
        (0..layers).map(move |layer| if layer == 0 { base_bps } else { each_bps })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const LAYERING: Layering = Layering { least_bps: 4096.0, most_bps: 1e6, least_gap: 0.05 };

    fn rates(least_bps: f64, largest_bps: f64, layers: usize) -> Vec<f64> {
        LAYERING.rates_bps(least_bps, largest_bps, layers).collect()
    }

    #[test]
    fn hand_computed_layers() {
        assert_eq!(rates(1e5, 3e5, 3), [1e5, 1e5, 1e5]);
        assert_eq!(rates(1.2e5, 6.9e5, 3), [1.2e5, 2.85e5, 2.85e5]);
        assert_eq!(rates(1.2e5, 6.9e5, 2), [1.2e5, 5.7e5]);
        assert_eq!(rates(1.2e5, 6.9e5, 1), [1.2e5]);
        assert_eq!(rates(1e5, 1e5, 3), [1e5, 0.0, 0.0]);
        // A gap of a twentieth of all is none that is too small.
        assert_eq!(rates(95_000.0, 1e5, 3), [95_000.0, 2500.0, 2500.0]);
        assert_eq!(rates(95_001.0, 1e5, 3), [95_001.0, 0.0, 0.0]);
        let wide = Layering { least_gap: 0.0, ..LAYERING };
        assert_eq!(wide.rates_bps(99_998.0, 1e5, 3).collect::<Vec<_>>(), [99_998.0, 1.0, 1.0]);
        assert_eq!(wide.rates_bps(1e5, 1e5, 2).collect::<Vec<_>>(), [1e5, 0.0]);
    }

    #[test]
    fn no_share_leaves_the_bounds() {
        assert_eq!(rates(0.0, 1e30, 3), [4096.0, 497_952.0, 497_952.0]);
        assert_eq!(rates(1e30, 1e30, 3), [1e6, 0.0, 0.0]);
        assert_eq!(rates(f64::INFINITY, f64::INFINITY, 2), [1e6, 0.0]);
        assert_eq!(rates(f64::NAN, f64::NAN, 2), [4096.0, 0.0]);
        assert_eq!(rates(3e5, 1e5, 2), [3e5, 0.0], "the other way round");
        let slow = Layering { most_bps: 1000.0, ..LAYERING };
        assert_eq!(slow.rates_bps(1e5, 3e5, 2).collect::<Vec<_>>(), [1000.0, 0.0], "the line is slower than the least");
    }

    #[test]
    fn layers_add_up_to_the_largest_share() {
        let mut random = Random::stream(1, "test/layering");
        for layers in 1..=16 {
            for _ in 0..500 {
                let shares: Vec<f64> =
                    (0..1 + (random.uniform() * 9.0) as usize).map(|_| random.uniform_in(0.0, 1.1e6)).collect();
                let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
                let largest = shares.iter().copied().fold(0.0, f64::max);
                let rates = rates(least, largest, layers);
                let (lo, hi) = (least.clamp(4096.0, 1e6), largest.clamp(4096.0, 1e6));
                assert_eq!((rates.len(), rates[0]), (layers, lo));
                assert!(rates[1..].windows(2).all(|pair| pair[0] == pair[1]), "{rates:?}");
                let narrow = hi - lo < 0.05 * hi;
                let sum = if layers == 1 || narrow { lo } else { hi };
                assert!((rates.iter().sum::<f64>() - sum).abs() < 1e-6 * sum, "{rates:?} of {lo} to {hi}");
            }
        }
    }
}
