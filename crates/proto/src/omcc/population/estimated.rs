//! N is estimated from the feedback timers: the smallest of n uniform numbers tells n.
//!
//! In each feedback round every receiver but the limiting one draws a number, uniform in (0, 1], for its timer (RFC
//! 4654 section 4.5). The smallest one fires first, before any other report could suppress it, and its report says what
//! was drawn. For the least u of n numbers -ln(1 - u) is exponential with mean 1/n, so that over k rounds
//! (k - 1) / sum(-ln(1 - u_j)) is an unbiased estimate of n with a relative standard deviation of 1/sqrt(k - 2). A
//! first report that is lost makes it too low.

use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::limits;
use crate::limits::{above, from};

/// N from the feedback timers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<Config>)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// k: rounds for one estimate, those left out in which only the limiting receiver reports. Default 32: a standard
    /// deviation of 18 %.
    pub rounds: u32,
    /// Weight of a new estimate against the mean of those before. Default 0.25.
    pub weight: f64,
}

impl Default for Config {
    fn default() -> Config {
        Config { rounds: 32, weight: 0.25 }
    }
}

limits! { Config {
    rounds: from(3).to(10_000),
    weight: above(0.0).to(1.0),
} }

/// The estimate and what the next one will be made of.
#[derive(Clone, Debug)]
pub(in crate::omcc) struct Estimate {
    config: Config,
    /// Upper bound of N.
    most: f64,
    /// The present feedback round.
    round: u8,
    /// The least number of the present round; infinite without a report.
    least: f64,
    /// The same of the round before, whose last reports may still be on their way; none before the second round.
    least_before: Option<f64>,
    /// Rounds in the next estimate so far.
    taken: u32,
    /// Sum of -ln(1 - u) over them.
    sum: f64,
    /// Rounds in a row without a report.
    silent: u32,
    /// Mean of the estimates; none before the first.
    mean: Option<f64>,
}

impl Estimate {
    pub(super) fn new(config: &Config, most: u32) -> Estimate {
        Estimate {
            config: config.clone(),
            most: f64::from(most),
            round: 0,
            least: f64::INFINITY,
            least_before: None,
            taken: 0,
            sum: 0.0,
            silent: 0,
            mean: None,
        }
    }

    /// A report has come that answers `round`, its timer from the number `draw`; that of the limiting receiver has
    /// none.
    pub(super) fn report(&mut self, round: u8, draw: f32) {
        let draw = f64::from(draw);
        if !(draw > 0.0 && draw <= 1.0) {
            return;
        }
        match (self.round.wrapping_sub(round), &mut self.least_before) {
            (0, _) => self.least = self.least.min(draw),
            (1, Some(least)) => *least = least.min(draw),
            _ => {}
        }
    }

    /// Feedback round `round` begins.
    pub(super) fn next_round(&mut self, round: u8) {
        if let Some(least) = self.least_before {
            self.settle(least);
        }
        self.least_before = Some(self.least);
        self.least = f64::INFINITY;
        self.round = round;
    }

    /// The number of receivers, N; 1 before the first estimate.
    pub(super) fn receivers(&self) -> f64 {
        self.mean.unwrap_or(1.0)
    }

    /// A round had this least number.
    fn settle(&mut self, least: f64) {
        if least.is_infinite() {
            self.silent += 1;
            if self.silent >= self.config.rounds {
                // There is nobody but the limiting receiver.
                (self.silent, self.taken, self.sum, self.mean) = (0, 0, 0.0, Some(1.0));
            }
            return;
        }
        self.silent = 0;
        self.taken += 1;
        // The number came as an `f32`, in which 1 stands for all that is closer to it than half a step.
        self.sum -= libm::log1p(-least.min(1.0 - HALF_STEP));
        if self.taken < self.config.rounds {
            return;
        }
        let others = f64::from(self.taken - 1) / self.sum;
        let estimate = (1.0 + others).min(self.most);
        let weight = self.config.weight;
        self.mean = Some(self.mean.map_or(estimate, |mean| (1.0 - weight) * mean + weight * estimate));
        (self.taken, self.sum) = (0, 0.0);
    }
}

/// Half the distance of 1 from the `f32` below it.
const HALF_STEP: f64 = 1.0 / 33_554_432.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Rounds of so many receivers, of which one limits, each with all reports.
    fn rounds(estimate: &mut Estimate, random: &mut Random, receivers: u32, rounds: u32) {
        for _ in 0..rounds {
            for _ in 1..receivers {
                estimate.report(estimate.round, (1.0 - random.uniform()) as f32);
            }
            estimate.report(estimate.round, f32::NAN);
            estimate.next_round(estimate.round.wrapping_add(1));
        }
    }

    #[test]
    fn estimates_are_unbiased_and_as_close_as_they_should_be() {
        for receivers in [2, 10, 100] {
            let mut random = Random::stream(4, "test/draws");
            let estimates: Vec<f64> = (0..200)
                .map(|_| {
                    let mut estimate = Estimate::new(&Config::default(), 10_000);
                    rounds(&mut estimate, &mut random, receivers, 33);
                    estimate.receivers()
                })
                .collect();
            let truth = f64::from(receivers);
            let mean = estimates.iter().sum::<f64>() / 200.0;
            assert!((mean / truth - 1.0).abs() < 0.05, "{receivers}: {mean}");
            let close = estimates.iter().filter(|&&n| (n / truth - 1.0).abs() < 0.25).count();
            // A gamma variable of shape 32 puts 84 % of 31/S between 0.75 and 1.25, and the 1 for the limiting receiver
            // brings it closer.
            assert!(close >= 150, "{receivers}: {close} of 200");
        }
    }

    #[test]
    fn an_estimate_by_hand() {
        let mut estimate = Estimate::new(&Config { rounds: 3, weight: 0.5 }, 10_000);
        let block = |estimate: &mut Estimate, draws: [f32; 3]| {
            for draw in draws {
                estimate.report(estimate.round, draw);
                estimate.next_round(estimate.round.wrapping_add(1));
            }
        };
        block(&mut estimate, [0.1, 0.2, 0.05]);
        assert_eq!(estimate.receivers(), 1.0, "the last round is open for late reports");
        // -ln 0.9 = 0.105361, -ln 0.8 = 0.223144, -ln 0.95 = 0.051293: 1 + 2/0.379798 = 6.26598.
        estimate.next_round(estimate.round.wrapping_add(1));
        assert!((estimate.receivers() - 6.26598).abs() < 1e-4, "{}", estimate.receivers());
        // One round was silent and is left out. 1 + 2/(3·0.693147) = 1.96180; half and half: 4.11389.
        block(&mut estimate, [0.5; 3]);
        estimate.next_round(estimate.round.wrapping_add(1));
        assert!((estimate.receivers() - 4.11389).abs() < 1e-4, "{}", estimate.receivers());
    }

    #[test]
    fn late_reports_count_and_later_ones_do_not() {
        let mut estimate = Estimate::new(&Config { rounds: 3, weight: 1.0 }, 10_000);
        estimate.report(0, 0.5);
        estimate.report(255, 0.001);
        estimate.next_round(1);
        estimate.report(0, 0.3);
        estimate.report(1, 0.4);
        assert_eq!((estimate.least_before, estimate.least), (Some(f64::from(0.3_f32)), f64::from(0.4_f32)));
        estimate.next_round(2);
        estimate.report(0, 0.1);
        assert_eq!((estimate.least_before, estimate.least), (Some(f64::from(0.4_f32)), f64::INFINITY));
    }

    #[test]
    fn the_limiting_receiver_alone_is_one() {
        let mut random = Random::stream(5, "test/draws");
        let mut estimate = Estimate::new(&Config::default(), 10_000);
        rounds(&mut estimate, &mut random, 50, 40);
        assert!(estimate.receivers() > 25.0);
        rounds(&mut estimate, &mut random, 1, 32);
        assert!(estimate.receivers() > 25.0, "one round of the 50 was still to be settled");
        rounds(&mut estimate, &mut random, 1, 1);
        assert_eq!(estimate.receivers(), 1.0);
    }

    #[test]
    fn lies_are_bounded() {
        let mut estimate = Estimate::new(&Config::default(), 500);
        for lie in [f32::NAN, f32::INFINITY, -0.5, 0.0, 1.1] {
            estimate.report(0, lie);
            assert_eq!(estimate.least, f64::INFINITY);
        }
        for _ in 0..40 {
            estimate.report(estimate.round, 1e-30);
            estimate.next_round(estimate.round.wrapping_add(1));
        }
        assert_eq!(estimate.receivers(), 500.0);
        for _ in 0..640 {
            estimate.report(estimate.round, 1.0);
            estimate.next_round(estimate.round.wrapping_add(1));
        }
        assert!((1.0..5.0).contains(&estimate.receivers()), "{}", estimate.receivers());
    }
}
