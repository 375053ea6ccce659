//! Limited slow start: above a bound the window grows by at most half of that bound per round trip (RFC 3742).
//!
//! Plain slow start doubles the window each round trip, so when it hits a loss it may lose half of a large window. On
//! a path with a geostationary satellite that is hundreds of segments.

use faircast_proto::quantity::Packets;
use faircast_proto::tcp::rule::RuleKind;
use faircast_proto::tcp::{Ack, ChosenRule, Recovery, Window, WindowRule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes the rule known: scenarios may name it from now on.
pub fn register() {
    let guests = faircast_scenario::guests!();
    guests.window_rule::<Config>("limited-slow-start", "NewReno with limited slow start (RFC 3742).");
}

/// The parameters, as a scenario gives them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The window up to which it doubles each round trip. Default "100 packets" (RFC 3742 section 2).
    pub max_ssthresh: Packets,
}

/// NewReno with limited slow start.
#[derive(Clone, Copy, Debug)]
pub struct LimitedSlowStart {
    max_ssthresh: f64,
}

impl LimitedSlowStart {
    /// Doubles the window up to `max_ssthresh` segments. RFC 3742 section 2 recommends 100.
    pub fn new(max_ssthresh: f64) -> LimitedSlowStart {
        LimitedSlowStart { max_ssthresh }
    }

    /// The rule as a sender takes it.
    pub fn into_rule(self) -> ChosenRule {
        ChosenRule::Guest(Box::new(self))
    }
}

impl WindowRule for LimitedSlowStart {
    fn recovery(&self) -> Recovery {
        Recovery::NewReno
    }

    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        if window.cwnd >= window.ssthresh || window.cwnd <= self.max_ssthresh {
            return window.grow(ack);
        }
        // RFC 3742 section 2: K = int(cwnd / (0.5 max_ssthresh)); cwnd += MSS / K.
        let k = (window.cwnd / (0.5 * self.max_ssthresh)).floor();
        window.cwnd += 1.0 / k;
    }
}

impl RuleKind for Config {
    fn check(&self) -> Vec<(String, String)> {
        let legal = self.max_ssthresh.0 >= 2.0;
        let message = format!("{} packets given; legal is 2 or more", self.max_ssthresh.0);
        (!legal).then(|| ("max_ssthresh".to_owned(), message)).into_iter().collect()
    }

    fn rule(&self) -> Box<dyn WindowRule + Send> {
        Box::new(LimitedSlowStart::new(self.max_ssthresh.0))
    }
}

impl Default for Config {
    fn default() -> Config {
        Config { max_ssthresh: Packets(100.0) }
    }
}
