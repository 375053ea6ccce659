//! Which layers a receiver holds, by its share and the rates announced.

use super::interval_loss::Counts;
use super::rtcp::LayerLine;

/// The rates of the layers, as the last report of the source has them.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// C_1 .. C_K: what the layers up to each carry together, bit/s.
    up_to_bps: Vec<f64>,
}

/// The layer that a receiver has joined with the last report, on trial until the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// How many layers it held before.
    pub level: usize,
}

impl Rates {
    /// The rates in a report: `None` if they are those of another number of layers, or no rates. Nothing else in such a
    /// report is to be believed.
    pub fn read(lines: &[LayerLine], layers: usize) -> Option<Rates> {
        let legal = |line: &LayerLine| line.rate_bps.is_finite() && line.rate_bps >= 0.0;
        if lines.len() != layers || !lines.iter().all(legal) {
            return None;
        }
        let sum = |sum: &mut f64, line: &LayerLine| {
            *sum += f64::from(line.rate_bps);
            Some(*sum)
        };
        Some(Rates { up_to_bps: lines.iter().scan(0.0, sum).collect() })
    }

    /// C_k: what the first `level` layers carry together, bit/s; not a number if there are not so many.
    pub fn up_to_bps(&self, level: usize) -> f64 {
        match level {
            0 => 0.0,
            _ => self.up_to_bps.get(level - 1).copied().unwrap_or(f64::NAN),
        }
    }

    /// r_1, the rate of the base layer, bit/s.
    pub fn base_bps(&self) -> f64 {
        self.up_to_bps(1)
    }

    /// The most layers that a share has room for, the base in any case: max {k: C_k <= τ(1 + tolerance)}.
    pub fn target(&self, share_bps: f64, tolerance: f64) -> usize {
        let room_bps = share_bps * (1.0 + tolerance);
        self.up_to_bps.iter().take_while(|&&sum_bps| sum_bps <= room_bps).count().max(1)
    }
}

/// The level after a report, when the receiver holds `level` layers and its share has room for `target`: down to it at
/// once, up by one.
pub fn next_level(level: usize, target: usize) -> usize {
    target.min(level + 1)
}

/// Whether a layer on trial costs so much that it is left without waiting for the next report.
pub fn costs_too_much(running: &Counts, least_expected: u32, loss_limit: f64) -> bool {
    running.expected >= i64::from(least_expected) && running.loss() > loss_limit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(rates_bps: &[f32]) -> Option<Rates> {
        let lines: Vec<LayerLine> =
            rates_bps.iter().map(|&rate_bps| LayerLine { rate_bps, first_sequence: 0 }).collect();
        Rates::read(&lines, 3)
    }

    #[test]
    fn the_target_is_what_the_share_has_room_for() {
        let rates = rates(&[100e3, 80e3, 80e3]).unwrap();
        assert_eq!([0, 1, 2, 3].map(|level| rates.up_to_bps(level)), [0.0, 100e3, 180e3, 260e3]);
        assert!(rates.up_to_bps(4).is_nan());
        // C_2 = 180 = 171.43·1.05.
        for (share_bps, target) in
            [(0.0, 1), (50e3, 1), (171.4e3, 1), (171.5e3, 2), (247.6e3, 2), (247.7e3, 3), (1e12, 3)]
        {
            assert_eq!(rates.target(share_bps, 0.05), target, "{share_bps}");
        }
        assert_eq!((rates.target(179e3, 0.0), rates.target(180e3, 0.0)), (1, 2));
    }

    #[test]
    fn layers_that_are_empty_are_no_obstacle() {
        let empty = rates(&[100e3, 0.0, 0.0]).unwrap();
        assert_eq!((empty.target(100e3, 0.05), empty.target(20e3, 0.05)), (3, 1));
        assert_eq!(rates(&[0.0, 0.0, 0.0]).unwrap().target(0.0, 0.05), 3);
    }

    #[test]
    fn up_by_one_and_down_at_once() {
        let next =
            [(1, 1), (1, 2), (1, 9), (5, 9), (5, 5), (5, 4), (5, 1)].map(|(level, target)| next_level(level, target));
        assert_eq!(next, [1, 2, 2, 6, 5, 4, 1]);
    }

    #[test]
    fn nonsense_is_no_rate() {
        for nonsense in [f32::NAN, f32::INFINITY, -1.0] {
            assert_eq!(rates(&[100e3, nonsense, 0.0]), None);
        }
        assert_eq!((rates(&[100e3, 0.0]), rates(&[100e3, 0.0, 0.0, 0.0])), (None, None));
        assert_eq!(rates(&[f32::MAX; 3]).unwrap().target(1e30, 0.0), 1, "sums do not overflow");
    }

    #[test]
    fn a_layer_on_trial_may_cost_a_tenth() {
        let counts = |expected, lost, lost_by_link| Counts { expected, lost, lost_by_link, marked: 0 };
        assert!(!costs_too_much(&counts(9, 9, 0), 10, 0.1), "too few");
        assert!(costs_too_much(&counts(10, 2, 0), 10, 0.1));
        assert!(!costs_too_much(&counts(10, 1, 0), 10, 0.1) && !costs_too_much(&counts(100, 10, 90), 10, 0.1));
        assert!(!costs_too_much(&counts(100, 100, 0), 10, 1.0), "never");
    }
}
