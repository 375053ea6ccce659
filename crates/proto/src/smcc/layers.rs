//! The layers of a session as numbers: their bounds, who belongs where, what each carries ([Kwon] section II).
//!
//! Layers are cumulative: who holds layer i holds all below it. B_i bounds the rate T_i of the layers up to i together,
//! so that layer i serves receivers that want B_{i-1} to B_i. Alone it carries R_i = T_i - T_{i-1}.

/// The bounds B_0 < B_1 < .. of a session's layers. There is one layer at least.
#[derive(Clone, Debug, PartialEq)]
pub struct Layers {
    bounds_bps: Box<[f64]>,
}

/// A path is planned for so many times the packets that it takes at present, since the rates move on the way; a choice,
/// which halves the number of attempts that do not reach their goal.
pub const HEADROOM: f64 = 1.25;

impl Layers {
    /// Layers with these bounds, which increase, bit/s.
    pub fn new(bounds_bps: impl IntoIterator<Item = f64>) -> Layers {
        let bounds_bps: Box<[f64]> = bounds_bps.into_iter().collect();
        debug_assert!(!bounds_bps.is_empty() && bounds_bps[0] > 0.0 && bounds_bps.is_sorted_by(|a, b| a < b));
        Layers { bounds_bps }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.bounds_bps.len()
    }

    /// The highest layer.
    pub fn top(&self) -> usize {
        self.bounds_bps.len() - 1
    }

    /// B_i, what the layers up to `layer` carry together at most, bit/s.
    pub fn bound_bps(&self, layer: usize) -> f64 {
        self.bounds_bps[layer]
    }

    /// B_{i-1}, what the layers up to `layer` carry together at least, bit/s; 0 for the lowest.
    pub fn floor_bps(&self, layer: usize) -> f64 {
        layer.checked_sub(1).map_or(0.0, |below| self.bounds_bps[below])
    }

    /// T_i within the bounds of its layer, bit/s. Of the lowest layer it is `least_bps` at least.
    pub fn bounded_bps(&self, layer: usize, rate_bps: f64, least_bps: f64) -> f64 {
        rate_bps.min(self.bound_bps(layer)).max(self.floor_bps(layer)).max(least_bps)
    }

    /// S, the layer to which a receiver of `rate_bps` belongs: the lowest with a bound that is not below it, the
    /// highest if there is none.
    pub fn level_of(&self, rate_bps: f64) -> usize {
        self.bounds_bps.partition_point(|&bound_bps| bound_bps < rate_bps).min(self.top())
    }

    /// The most packets per `period_s` that an attempt to join a layer adds, each of `packet_bits`: from the least that
    /// the layer below it carries to the most of the layer itself, with [`HEADROOM`]. 0 with a single layer.
    pub fn most_packets(&self, period_s: f64, packet_bits: f64) -> f64 {
        let climb_bps = (1..self.count()).map(|layer| self.bound_bps(layer) - self.floor_bps(layer - 1));
        HEADROOM * climb_bps.fold(0.0, f64::max) * period_s / packet_bits
    }

    /// M, how many counting layers of period `period_s` it takes for that: the smallest number with 2^M - 1 not below
    /// [`most_packets`](Self::most_packets).
    pub fn counting_layers(&self, period_s: f64, packet_bits: f64) -> u32 {
        let packets = self.most_packets(period_s, packet_bits);
        // Beyond 2^53 the numbers have gaps, and nobody has that many packets.
        (0..53).find(|&layers| (1_u64 << layers) as f64 - 1.0 >= packets).unwrap_or(53)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubling() -> Layers {
        Layers::new([1e6, 2e6, 4e6, 8e6])
    }

    #[test]
    fn levels_of_the_example() {
        // [Kwon]: 6 Mbit/s belongs to level 3 with B_0 = 1 Mbit/s; a bound belongs to its own layer.
        let rates = [0.0, 0.5e6, 1e6, 1.01e6, 2e6, 4e6, 6e6, 8e6, 9e6, f64::INFINITY];
        assert_eq!(rates.map(|rate_bps| doubling().level_of(rate_bps)), [0, 0, 0, 1, 1, 2, 3, 3, 3, 3]);
        let uneven = Layers::new([1e6, 1.5e6, 9e6]);
        assert_eq!([1.5e6, 1.6e6, 9e6].map(|rate_bps| uneven.level_of(rate_bps)), [1, 2, 2]);
        assert_eq!(Layers::new([3e5]).level_of(1e9), 0);
    }

    #[test]
    fn a_layer_has_the_bound_below_it_for_its_floor() {
        let layers = doubling();
        assert_eq!((layers.count(), layers.top()), (4, 3));
        assert_eq!([0, 1, 2, 3].map(|layer| layers.floor_bps(layer)), [0.0, 1e6, 2e6, 4e6]);
        let bounded = |layer, rate_bps| layers.bounded_bps(layer, rate_bps, 1000.0);
        assert_eq!([bounded(0, 0.0), bounded(0, 5e5), bounded(0, 2e6)], [1000.0, 5e5, 1e6]);
        assert_eq!([bounded(2, 0.0), bounded(2, 3e6), bounded(2, 5e6)], [2e6, 3e6, 4e6]);
    }

    #[test]
    fn counting_layers_reach_over_the_longest_way() {
        // From 2 to 8 Mbit/s with 64 ms and 1000 B: 1.25 · 6e6 · 0.064 / 8000 = 60 packets, which 6 layers can add.
        let layers = doubling();
        assert!((layers.most_packets(0.064, 8000.0) - 60.0).abs() < 1e-9);
        assert_eq!([0.032, 0.064, 0.128, 0.256, 0.512].map(|x| layers.counting_layers(x, 8000.0)), [5, 6, 7, 8, 9]);
        // The lowest gap counts from nothing: 1.25 · 2e6 · 0.01 / 8000 = 3.125, which 2 layers (3) cannot add.
        assert_eq!(Layers::new([1e6, 2e6]).counting_layers(0.01, 8000.0), 3);
        // Just reached: 1.25 · 2e6 · 0.0096 / 8000 = 3.
        assert_eq!(Layers::new([1e6, 2e6]).counting_layers(0.0096, 8000.0), 2);
        assert_eq!(Layers::new([1e6]).counting_layers(0.512, 8000.0), 0, "there is nothing to join");
        assert_eq!(Layers::new([1e6, 4e11]).counting_layers(63.0, 1e-9), 53);
    }
}
