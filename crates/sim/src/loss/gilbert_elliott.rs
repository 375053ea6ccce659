//! Gilbert-Elliott loss: the link is in a good or a bad state, each with a loss probability of its own.
//!
//! ```text
//!            a per packet, or after T_g on average
//!        ┌────────────────────────────────────────┐
//!     Good: loses with loss_good (0)           Bad: loses with loss_bad (1)
//!        └────────────────────────────────────────┘
//!            b per packet, or after T_b on average
//! ```
//!
//! Per packet, the stationary loss is `(b loss_good + a loss_bad) / (a + b)` and the mean stay in the bad state `1/b`
//! packets; over time, with exponential stays, the same with `a = 1/T_g`, `b = 1/T_b`. The chain starts in its
//! stationary distribution. Stays are drawn when they begin, so a packet within one costs a comparison; over time the
//! states depend on the stream alone and not on the traffic, as long as neither probability needs a draw.

use super::LossModel;
use faircast_proto::limits;
use faircast_proto::limits::{Limited, from};
use faircast_proto::packet::Packet;
use faircast_proto::quantity::Packets;
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Losses in bursts.
#[derive(Clone, Debug)]
pub struct GilbertElliott {
    random: Random,
    bad: bool,
    stay: Stay,
    loss_good: f64,
    loss_bad: f64,
}

/// How long the present state lasts.
#[derive(Clone, Debug)]
enum Stay {
    /// So many packets more; then it is left with `a` or `b` per packet.
    Packets { a: f64, b: f64, more: u64 },
    /// Until this moment; means in nanoseconds.
    Time { good: f64, bad: f64, until: Instant },
}

/// Parameters of Gilbert-Elliott loss. The chain is given in one of three ways: `mean_loss` (and `mean_burst`);
/// `good_to_bad` and `bad_to_good`; `good_time` and `bad_time`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GilbertElliott", transform = limits::declare::<Config>)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Loss in the long run, from `loss_good` to below `loss_bad`. The chain then goes by packets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_loss: Option<f64>,
    /// Mean stay in the bad state; with `loss_bad` 1 the mean number of packets lost in a row. Default "5 packets",
    /// with `mean_loss`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_burst: Option<Packets>,
    /// Probability per packet of passing from good to bad, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub good_to_bad: Option<f64>,
    /// Probability per packet of passing from bad to good, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bad_to_good: Option<f64>,
    /// Mean of the exponential stays in the good state: the chain goes by time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub good_time: Option<Duration>,
    /// Mean of the exponential stays in the bad state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bad_time: Option<Duration>,
    /// Probability that a packet is lost in the good state, 0 to 1. Default 0.
    pub loss_good: f64,
    /// Probability that a packet is lost in the bad state, 0 to 1. Default 1.
    pub loss_bad: f64,
}

limits! { Config {
    loss_good, loss_bad, good_to_bad, bad_to_good: from(0.0).to(1.0),
} }

/// The chain that a configuration describes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Chain {
    /// Probabilities per packet.
    Packets { a: f64, b: f64 },
    /// Mean stays in nanoseconds.
    Time { good: f64, bad: f64 },
}

/// Mean burst for which sensitivity runs are made.
const MEAN_BURST: Packets = Packets(5.0);
/// After a pause of so many mean cycles nothing is left of the state before it (a part of 1/e^2000 at most).
const FORGOTTEN_AFTER_CYCLES: f64 = 1000.0;

impl GilbertElliott {
    /// The chain of `config`, drawn from `random`.
    ///
    /// # Panics
    /// If `config` describes no chain, which [`Config::check`] tells.
    pub fn new(config: &Config, random: Random) -> GilbertElliott {
        let stay = match config.chain().expect("checked") {
            Chain::Packets { a, b } => Stay::Packets { a, b, more: 0 },
            Chain::Time { good, bad } => Stay::Time { good, bad, until: Instant::ZERO },
        };
        let Config { loss_good, loss_bad, .. } = *config;
        let mut model = GilbertElliott { random, bad: false, stay, loss_good, loss_bad };
        model.start(Instant::ZERO);
        model
    }

    /// Draws the state at `now` from the stationary distribution. What is left of its stay is distributed as a whole
    /// one: both distributions forget.
    fn start(&mut self, now: Instant) {
        let bad = match self.stay {
            Stay::Packets { a, b, .. } if a + b > 0.0 => a / (a + b),
            Stay::Packets { .. } => 0.0,
            Stay::Time { good, bad, .. } => bad / (good + bad),
        };
        self.bad = self.random.chance(bad);
        self.begin_stay(now);
    }

    fn begin_stay(&mut self, now: Instant) {
        match &mut self.stay {
            Stay::Packets { a, b, more } => {
                *more = self.random.geometric(if self.bad { *b } else { *a }).saturating_add(1);
            }
            Stay::Time { good, bad, until } => {
                let mean = if self.bad { *bad } else { *good };
                *until = now + Duration(self.random.exponential(mean) as u64);
            }
        }
    }

    /// Moves the chain to the packet that arrives now.
    #[inline]
    fn advance(&mut self, now: Instant) {
        match &mut self.stay {
            Stay::Packets { more, .. } => {
                if *more == 0 {
                    self.bad = !self.bad;
                    self.begin_stay(now);
                }
                if let Stay::Packets { more, .. } = &mut self.stay {
                    *more -= 1;
                }
            }
            Stay::Time { until, .. } => {
                if now >= *until {
                    self.catch_up(now);
                }
            }
        }
    }

    /// Goes through the stays that have ended until `now`.
    fn catch_up(&mut self, now: Instant) {
        while let Stay::Time { good, bad, until } = self.stay
            && now >= until
        {
            if now.since(until).0 as f64 > FORGOTTEN_AFTER_CYCLES * (good + bad) {
                self.start(now);
                return;
            }
            self.bad = !self.bad;
            self.begin_stay(until);
        }
    }
}

impl LossModel for GilbertElliott {
    #[inline]
    fn loses(&mut self, now: Instant, _packet: &Packet) -> bool {
        self.advance(now);
        let p = if self.bad { self.loss_bad } else { self.loss_good };
        p >= 1.0 || (p > 0.0 && self.random.chance(p))
    }
}

impl Config {
    /// Every field with an illegal value, and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        let mut wrong = self.beyond_limits();
        if wrong.is_empty() {
            wrong.extend(self.chain().err().map(|(field, complaint)| (field.to_owned(), complaint)));
        }
        wrong
    }

    /// The chain, or the field that makes none and why.
    fn chain(&self) -> Result<Chain, (&'static str, String)> {
        const WAYS: &str = "legal is one of: mean_loss (and mean_burst); good_to_bad and bad_to_good; \
                            good_time and bad_time";
        let by_loss = self.mean_loss.is_some() || self.mean_burst.is_some();
        let by_packet = self.good_to_bad.is_some() || self.bad_to_good.is_some();
        let by_time = self.good_time.is_some() || self.bad_time.is_some();
        let whole = |given: usize| match given {
            0 => Err(("mean_loss", format!("nothing says how the states change; {WAYS}"))),
            1 => Err(("mean_loss", format!("half of a description is missing; {WAYS}"))),
            _ => Err(("mean_loss", format!("the states are described twice; {WAYS}"))),
        };
        match (by_loss, by_packet, by_time) {
            (true, false, false) => match self.mean_loss {
                Some(mean_loss) => self.chain_of_mean_loss(mean_loss),
                None => whole(1),
            },
            (false, true, false) => match (self.good_to_bad, self.bad_to_good) {
                (Some(a), Some(b)) => Ok(Chain::Packets { a, b }),
                _ => whole(1),
            },
            (false, false, true) => match (self.good_time, self.bad_time) {
                (Some(Duration::ZERO), _) => Err(("good_time", "0 s given; legal are times above zero".into())),
                (_, Some(Duration::ZERO)) => Err(("bad_time", "0 s given; legal are times above zero".into())),
                (Some(good), Some(bad)) => Ok(Chain::Time { good: good.0 as f64, bad: bad.0 as f64 }),
                _ => whole(1),
            },
            (false, false, false) => whole(0),
            _ => whole(2),
        }
    }

    /// `b = 1/burst`; `a` from the stationary loss `(b loss_good + a loss_bad)/(a + b)`.
    fn chain_of_mean_loss(&self, mean_loss: f64) -> Result<Chain, (&'static str, String)> {
        let Packets(burst) = self.mean_burst.unwrap_or(MEAN_BURST);
        if !(burst >= 1.0 && burst.is_finite()) {
            return Err(("mean_burst", format!("{burst} packets given; legal are 1 packet and more")));
        }
        let (low, high) = (self.loss_good, self.loss_bad);
        if !(mean_loss >= low && mean_loss < high) {
            let legal = format!("legal is from loss_good = {low} to below loss_bad = {high}");
            return Err(("mean_loss", format!("{mean_loss} given; {legal}")));
        }
        let b = 1.0 / burst;
        let a = b * (mean_loss - low) / (high - mean_loss);
        if a > 1.0 {
            let legal = "too much loss for so short bursts: the good state would last less than a packet";
            return Err(("mean_burst", format!("{burst} packets given; {legal}")));
        }
        Ok(Chain::Packets { a, b })
    }

    #[cfg(test)]
    pub(super) fn samples() -> Vec<(Config, f64)> {
        let plain = Config::default();
        let chain = |a, b| Config { good_to_bad: Some(a), bad_to_good: Some(b), ..plain.clone() };
        let times = |good, bad| Config {
            good_time: Some(Duration::from_millis(good)),
            bad_time: Some(Duration::from_millis(bad)),
            ..plain.clone()
        };
        vec![
            (Config { mean_loss: Some(0.01), ..plain.clone() }, 0.01),
            (Config { mean_loss: Some(0.0), ..plain.clone() }, 0.0),
            (Config { mean_loss: Some(0.1), loss_good: 0.02, loss_bad: 0.6, ..plain.clone() }, 0.1),
            (chain(0.02, 0.25), 0.02 / 0.27),
            (chain(0.0, 0.25), 0.0),
            (chain(0.25, 0.0), 1.0),
            (chain(0.0, 0.0), 0.0),
            (chain(1.0, 1.0), 0.5),
            // (b k_g + a k_b)/(a + b)
            (Config { loss_good: 0.1, loss_bad: 0.5, ..chain(0.1, 0.2) }, (0.2 * 0.1 + 0.1 * 0.5) / 0.3),
            (times(1000, 50), 50.0 / 1050.0),
            // Far shorter than the pauses between packets: every packet finds a fresh state.
            (times(3, 1), 0.25),
        ]
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            mean_loss: None,
            mean_burst: None,
            good_to_bad: None,
            bad_to_good: None,
            good_time: None,
            bad_time: None,
            loss_good: 0.0,
            loss_bad: 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::observe;
    use super::*;
    use crate::loss;
    use crate::queue::battery::packet;
    use faircast_proto::packet::Ecn;

    fn burst(config: Config) -> f64 {
        observe(&loss::Config::GilbertElliott(config), 9, 2_000_000).1
    }

    #[test]
    fn bursts_per_packet_last_as_long_as_theory_says() {
        for packets in [1.0, 5.0, 20.0] {
            let config = Config { mean_loss: Some(0.02), mean_burst: Some(Packets(packets)), ..Config::default() };
            let measured = burst(config);
            assert!((measured / packets - 1.0).abs() < 0.05, "{packets}: {measured}");
        }
    }

    #[test]
    fn bursts_over_time_last_as_long_as_theory_says() {
        let (good, bad) = (Duration::from_millis(1000), Duration::from_millis(50));
        let measured = burst(Config { good_time: Some(good), bad_time: Some(bad), ..Config::default() });
        // From one packet to the next, 10 ms later, bad stays bad with pi + (1 - pi) exp(-0.01 (1/T_g + 1/T_b)).
        let stationary = 50.0 / 1050.0;
        let stays = stationary + (1.0 - stationary) * libm::exp(-0.01 * (1.0 / 1.0 + 1.0 / 0.05));
        let theory = 1.0 / (1.0 - stays);
        assert!((measured / theory - 1.0).abs() < 0.03, "{measured}, theory {theory}");
    }

    #[test]
    fn states_over_time_do_not_depend_on_the_traffic() {
        let config = Config {
            good_time: Some(Duration::from_millis(300)),
            bad_time: Some(Duration::from_millis(100)),
            ..Config::default()
        };
        let lost_at = |every_ms: u64| {
            let mut model = GilbertElliott::new(&config, Random::stream(1, "test/fade"));
            let mut times = (1..=60_000 / every_ms).map(|n| n * every_ms);
            let mut lost =
                |ms: &u64| model.loses(Instant::ZERO + Duration::from_millis(*ms), &packet(1000, Ecn::NotCapable));
            times.by_ref().filter(|ms| lost(ms)).filter(|ms| ms % 70 == 0).collect::<Vec<_>>()
        };
        assert!(lost_at(70).len() > 100);
        assert_eq!(lost_at(10), lost_at(70));
    }

    #[test]
    fn a_long_pause_is_no_work() {
        let config = Config {
            good_time: Some(Duration::from_micros(1)),
            bad_time: Some(Duration::from_micros(1)),
            ..Config::default()
        };
        let mut model = GilbertElliott::new(&config, Random::stream(1, "test/pause"));
        // Ten years of microsecond cycles.
        model.loses(Instant(315_360_000 * 1_000_000_000), &packet(40, Ecn::NotCapable));
    }

    #[test]
    fn descriptions_that_make_no_chain_are_explained() {
        let plain = Config::default();
        let complaint = |config: Config| {
            let wrong = config.check();
            assert_eq!(wrong.len(), 1, "{wrong:?}");
            format!("{}: {}", wrong[0].0, wrong[0].1)
        };
        assert!(complaint(plain.clone()).contains("nothing says how the states change"));
        assert!(complaint(Config { good_to_bad: Some(0.1), ..plain.clone() }).contains("half of a description"));
        let twice = Config { mean_loss: Some(0.1), bad_time: Some(Duration(1)), ..plain.clone() };
        assert!(complaint(twice).contains("described twice"));
        let beyond = Config { mean_loss: Some(0.7), loss_bad: 0.6, ..plain.clone() };
        assert!(complaint(beyond).starts_with("mean_loss: 0.7 given; legal is from loss_good = 0 to below"));
        let short = Config { mean_loss: Some(0.9), mean_burst: Some(Packets(1.0)), ..plain.clone() };
        assert!(complaint(short).starts_with("mean_burst: 1 packets given; too much loss"));
        assert!(complaint(Config { loss_bad: 2.0, ..plain }).starts_with("loss_bad: 2 given"));
    }
}
