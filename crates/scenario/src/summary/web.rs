//! The rows of web traffic in a summary.
//!
//! What counts are the transfers that arrived after the warm-up. Those that the end of the run found unfinished rank as
//! the slowest of all: a percentile that falls among them is known only to be at least what the slowest of the finished
//! took, and that is what stands there.

use super::Rows;
use crate::network::Network;
use crate::tables::TransferOf;

/// Rows of all entries, those of their classes of size after those of all sizes together.
pub(super) fn add(rows: &mut Rows, network: &Network, transfers: &[TransferOf]) {
    let warmup = network.probes.warmup;
    // Those that arrive at the end of the warm-up are part of it, unless there is none.
    let counts = |of: &&TransferOf| of.transfer.arrived > warmup || warmup.0 == 0;
    for (index, web) in (0..).zip(&network.web) {
        let own: Vec<&TransferOf> = transfers.iter().filter(|of| of.web == index).filter(counts).collect();
        of_class(rows, &web.name, "", &own);
        for class in 1..=web.classes.len() + 1 {
            let of_size: Vec<&TransferOf> = own.iter().copied().filter(|of| of.class() == class).collect();
            of_class(rows, &web.name, &format!("_class_{class}"), &of_size);
        }
    }
}

fn of_class(rows: &mut Rows, name: &str, class: &str, transfers: &[&TransferOf]) {
    let finished = transfers.iter().filter(|of| of.transfer.completion.is_some()).count();
    rows.add(name, &format!("transfers{class}"), "1", transfers.len() as f64);
    rows.add(name, &format!("unfinished{class}"), "1", (transfers.len() - finished) as f64);
    type Time = fn(&TransferOf) -> Option<f64>;
    let times: [(&str, &str, Time); 2] =
        [("completion", "s", TransferOf::completion_s), ("slowdown", "1", TransferOf::slowdown)];
    for (metric, unit, of) in times {
        let mut known: Vec<f64> = transfers.iter().filter_map(|transfer| of(transfer)).collect();
        known.sort_unstable_by(f64::total_cmp);
        for percent in [50, 95, 99] {
            let value = percentile(&known, transfers.len(), percent);
            rows.add(name, &format!("{metric}_p{percent}{class}"), unit, value);
        }
        let mean = if known.is_empty() { f64::NAN } else { known.iter().sum::<f64>() / known.len() as f64 };
        rows.add(name, &format!("finished_{metric}_mean{class}"), unit, mean);
    }
}

/// The value of the nearest rank among so many, of whom those that are not among the `known` ones, in order, rank
/// behind them; of one of those the greatest that is known. NaN if nothing is.
pub(super) fn percentile(known: &[f64], all: usize, percent: usize) -> f64 {
    let rank = (all * percent).div_ceil(100).max(1);
    known.get(rank.min(known.len()).wrapping_sub(1)).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_nearest_rank() {
        let known: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!([50, 95, 99].map(|percent| percentile(&known, 100, percent)), [50.0, 95.0, 99.0]);
        assert_eq!(percentile(&[7.0], 1, 50), 7.0);
        assert_eq!(percentile(&[1.0, 2.0, 3.0], 3, 50), 2.0);
    }

    #[test]
    fn what_is_unfinished_ranks_behind() {
        // Of ten, four unfinished: the fifth is known, the tenth at least what the sixth took.
        let known = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!([50, 60, 61, 95].map(|percent| percentile(&known, 10, percent)), [5.0, 6.0, 6.0, 6.0]);
        assert!(percentile(&[], 3, 50).is_nan() && percentile(&[], 0, 50).is_nan());
    }
}
