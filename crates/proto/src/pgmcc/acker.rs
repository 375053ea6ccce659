//! Whose throughput is lowest (draft-ietf-rmt-bb-pgmcc-03 sections 2.3 and 2.4).

use super::config::ThroughputModel;

/// M = 1/T: what is proportional to the inverse of the throughput of a receiver with this round-trip time, in any unit,
/// and loss rate, 0 to 1. 0 without losses: it is faster than any other.
pub fn slowness(model: ThroughputModel, rtt: f64, p: f64) -> f64 {
    let simple = rtt * p.sqrt();
    match model {
        ThroughputModel::Full => simple * (1.0 + 9.0 * p * (1.0 + 32.0 * p * p)),
        ThroughputModel::Simple => simple,
    }
}

/// Whether a receiver becomes the acker: its throughput is below `bias` times that of the present one.
pub(super) fn replaces(slowness: f64, of_acker: f64, bias: f64) -> bool {
    slowness * bias > of_acker
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::throughput_equation::throughput_bps;

    #[test]
    fn the_full_model_is_the_throughput_equation_of_tcp() {
        for (rtt, p) in [(0.1, 1e-4), (0.1, 0.01), (0.6, 0.3), (0.05, 1.0)] {
            // The factors that are left out: 8 s / sqrt(2/3).
            let constant = slowness(ThroughputModel::Full, rtt, p) * throughput_bps(1000.0, rtt, p);
            assert!((constant / (8000.0 * 1.5f64.sqrt()) - 1.0).abs() < 1e-12, "{rtt} {p}");
        }
        // By hand: 0.2 sqrt(0.25) = 0.1; 1 + 9/4 (1 + 32/16) = 7.75.
        assert!((slowness(ThroughputModel::Full, 0.2, 0.25) - 0.775).abs() < 1e-15);
        assert!((slowness(ThroughputModel::Simple, 0.2, 0.25) - 0.1).abs() < 1e-15);
    }

    #[test]
    fn only_a_clearly_lower_throughput_changes_the_acker() {
        assert!(!replaces(1.2, 1.0, 0.75));
        assert!(replaces(1.5, 1.0, 0.75));
        assert!(!replaces(1.0, 0.75, 0.75), "a tie changes nothing");
        // Without losses nobody is slower than another, and anyone with some is slower than one without.
        assert!(!replaces(0.0, 0.0, 0.75));
        assert!(!replaces(0.0, 1.0, 0.75));
        assert!(replaces(1e-9, 0.0, 0.75));
    }
}
