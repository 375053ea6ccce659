//! Limited slow start: above a bound the window grows by at most half of that bound per round trip (RFC 3742).
//!
//! Plain slow start doubles the window each round trip, so when it hits a loss it may lose half of a large window. On
//! a path with a geostationary satellite that is hundreds of segments.

use faircast_proto::tcp::Recovery;
use faircast_proto::tcp::rule::{Ack, Rule, Window, WindowRule, reno};

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
    pub fn into_rule(self) -> Rule {
        Rule::Guest(Box::new(self))
    }
}

impl WindowRule for LimitedSlowStart {
    fn recovery(&self) -> Recovery {
        Recovery::NewReno
    }

    fn grow(&mut self, _ack: &Ack, window: &mut Window) {
        if window.cwnd >= window.ssthresh || window.cwnd <= self.max_ssthresh {
            return reno::grow(window);
        }
        // RFC 3742 section 2: K = int(cwnd / (0.5 max_ssthresh)); cwnd += MSS / K.
        let k = (window.cwnd / (0.5 * self.max_ssthresh)).floor();
        window.cwnd += 1.0 / k;
    }
}
