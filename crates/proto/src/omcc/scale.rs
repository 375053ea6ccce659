//! The factor that a session uses: f(N) with its bounds, growing slowly and falling at once.

use super::config::{Apply, Config};
use crate::tfmcc::{LEAST_SCALE, MOST_SCALE, Scaling};

/// The factor in use.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    config: Config,
    /// At most f(N).
    factor: f64,
    /// N as of the last change.
    receivers: f64,
}

impl Scale {
    /// The whole factor for so many receivers: what is known at the start is no change.
    pub(super) fn new(config: &Config, receivers: f64) -> Scale {
        Scale { factor: target(config, receivers), config: config.clone(), receivers }
    }

    /// There are so many receivers now: the factor falls if it is too high, and does not rise.
    pub(super) fn set(&mut self, receivers: f64) {
        self.receivers = receivers;
        self.factor = self.factor.min(target(&self.config, self.receivers));
    }

    /// A feedback round is over: the factor may rise, by a tenth.
    pub(super) fn next_round(&mut self) {
        self.factor = (GROWTH * self.factor).min(target(&self.config, self.receivers));
    }

    /// The factor in use.
    pub(super) fn factor(&self) -> f64 {
        self.factor
    }

    /// What it means for TFMCC.
    pub(super) fn scaling(&self) -> Scaling {
        let receivers = if self.config.counts() { self.receivers } else { 1.0 };
        match self.config.f_apply {
            Apply::Equation | Apply::ReceiveRate => Scaling { equation: self.factor, receivers, ..Scaling::default() },
            Apply::Increase => Scaling { increase: self.factor, receivers, ..Scaling::default() },
        }
    }
}

/// f(N) within its bounds: that of the configuration, and what goes into a packet.
fn target(config: &Config, receivers: f64) -> f64 {
    let factor = config.share(receivers);
    factor.min(config.f_max.unwrap_or(MOST_SCALE)).clamp(LEAST_SCALE, MOST_SCALE)
}

/// How much the factor may grow per feedback round; a choice.
const GROWTH: f64 = 1.1;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::omcc::Utility;

    #[test]
    fn up_by_a_tenth_per_round_and_down_at_once() {
        let mut scale = Scale::new(&Config::default(), 4.0);
        assert_eq!(scale.factor(), 4.0, "at once at the start");
        scale.set(5.0);
        assert_eq!(scale.factor(), 4.0);
        for expected in [4.4, 4.84, 5.0, 5.0] {
            scale.next_round();
            assert!((scale.factor() - expected).abs() < 1e-12);
        }
        scale.set(2.0);
        assert_eq!(scale.factor(), 2.0);
        scale.set(5.0);
        assert_eq!((scale.factor(), scale.scaling().receivers), (2.0, 5.0));
    }

    #[test]
    fn bounds() {
        let capped = Config { f_max: Some(3.0), ..Config::default() };
        assert_eq!([1.0, 3.0, 50.0].map(|n| Scale::new(&capped, n).factor()), [1.0, 3.0, 3.0]);
        let steep = Config { utility: Utility::AlphaFair, alpha: Some(0.01), ..Config::default() };
        assert_eq!(Scale::new(&steep, 1000.0).factor(), MOST_SCALE);
        let flat = Config { weight: 1e-9, ..Config::default() };
        assert_eq!(Scale::new(&flat, 1.0).factor(), LEAST_SCALE);
    }

    #[test]
    fn what_is_multiplied() {
        let config = Config { f_apply: Apply::Increase, ..Config::default() };
        let increase = Scaling { increase: 7.0, equation: 1.0, receivers: 7.0 };
        assert_eq!(Scale::new(&config, 7.0).scaling(), increase);
        let equation = Scaling { increase: 1.0, equation: 7.0, receivers: 7.0 };
        assert_eq!(Scale::new(&Config::default(), 7.0).scaling(), equation);
        let capped = Config { f_apply: Apply::ReceiveRate, ..Config::default() };
        assert_eq!(Scale::new(&capped, 7.0).scaling(), equation, "receivers cap it");
        let none = Config { utility: Utility::None, ..Config::default() };
        assert_eq!(Scale::new(&none, 7.0).scaling(), Scaling::default());
    }
}
