//! Rate controls of owners that have other rules than TFMCC.

use super::state::{Increase, State};
use super::{Feedback, Limit, RateControl};
use crate::time::Instant;

impl RateControl {
    /// A rate control without slow start: from its beginning on the rate grows by a packet per R_max each R_max at
    /// most.
    pub fn without_slow_start(mut self) -> RateControl {
        self.state = State::Steady { limit: Limit::nobody(Instant::ZERO), increase: Increase::new(Instant::ZERO) };
        self
    }

    /// A rate control in which another receiver limits only if it wants less than `bias` of X, 0 < `bias` <= 1: for an
    /// owner whose rate swings. Without slow start.
    pub fn with_bias(self, bias: f64) -> RateControl {
        RateControl { bias, ..self }
    }

    /// A rate control in which of receivers with losses the one that wants least limits, also if that is more than X,
    /// as RFC 5740 section 5.5.2 has it. What others want is twice what they receive, which far away was sent long ago:
    /// it limits as long as it is no more than X. By RFC 4654 section 3.3 one that limits goes on until another one
    /// wants less than X.
    pub fn with_least_limiting(self) -> RateControl {
        RateControl { least_limits: true, ..self }
    }

    /// A receiver that reports this takes the place of the one that limits if it wants less than this, bit/s.
    pub(super) fn limits_below_bps(&self, feedback: &Feedback) -> f64 {
        let below_bps = self.bias * self.rate_bps;
        match self.state.limit().clr() {
            Some(clr) if self.least_limits && feedback.have_loss && !clr.leaving => {
                let wants_more = !clr.have_loss && clr.rate_bps > self.rate_bps;
                below_bps.max(if wants_more { f64::INFINITY } else { clr.rate_bps })
            }
            _ => below_bps,
        }
    }
}
