//! Outages: for some time nothing comes through.

use super::LossModel;
use faircast_proto::limits;
use faircast_proto::limits::{Limited, above, above_field};
use faircast_proto::packet::Packet;
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A link that is dead for a while, once or again and again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Outage", transform = limits::declare::<Config>)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// When the first outage begins.
    pub start: Duration,
    /// How long it lasts.
    pub length: Duration,
    /// From the beginning of one outage to that of the next, more than `length`. Default: there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Duration>,
}

limits! { Config {
    length: above(Duration::ZERO),
    period: above_field("length", |config: &Config| config.length),
} }

/// Loses what comes to the far end during an outage.
#[derive(Debug)]
pub struct Outage {
    start: Instant,
    length: Duration,
    period: Option<Duration>,
}

impl Config {
    /// Every field with an illegal value, and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        self.beyond_limits()
    }

    #[cfg(test)]
    pub(super) fn samples() -> Vec<(Config, f64)> {
        let (start, length) = (Duration::from_secs(1), Duration::from_millis(40));
        let often = Config { start, length, period: Some(Duration::from_millis(160)) };
        // The battery sends 400 000 packets in 4000 s; an outage holds those that come from its start on.
        let once = Config { start, length: Duration::from_secs(400), period: None };
        vec![(often, 0.25), (once, 0.1)]
    }
}

impl Outage {
    /// The model that `config` describes; nothing about it is random.
    pub fn new(config: &Config, _random: Random) -> Outage {
        Outage { start: Instant::ZERO + config.start, length: config.length, period: config.period }
    }
}

impl LossModel for Outage {
    #[inline]
    fn loses(&mut self, now: Instant, _packet: &Packet) -> bool {
        if now < self.start {
            return false;
        }
        let since = now.since(self.start);
        match self.period {
            Some(period) => since.0 % period.0 < self.length.0,
            None => since < self.length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::battery::packet;
    use faircast_proto::packet::Ecn;

    fn model(start: u64, length: u64, period: Option<u64>) -> Outage {
        let secs = Duration::from_secs;
        let config = Config { start: secs(start), length: secs(length), period: period.map(secs) };
        Outage::new(&config, Random::stream(1, "test/outage"))
    }

    #[test]
    fn it_begins_and_ends_on_time() {
        let lost = |model: &mut Outage, seconds: f64| {
            model.loses(Instant::from_secs_f64(seconds), &packet(1000, Ecn::NotCapable))
        };
        let mut once = model(10, 2, None);
        assert!([9.999, 12.0, 22.5].iter().all(|&at| !lost(&mut once, at)));
        assert!([10.0, 11.999].iter().all(|&at| lost(&mut once, at)));
        let mut often = model(10, 2, Some(5));
        assert!([0.0, 9.999, 12.0, 14.999, 17.0].iter().all(|&at| !lost(&mut often, at)));
        assert!([10.0, 15.0, 16.999, 20.0].iter().all(|&at| lost(&mut often, at)));
    }

    #[test]
    fn illegal_values_are_named() {
        let secs = Duration::from_secs;
        let config = Config { start: secs(0), length: secs(0), period: Some(secs(0)) };
        let fields: Vec<String> = config.check().into_iter().map(|(field, _)| field).collect();
        assert_eq!(fields, ["length", "period"]);
    }
}
