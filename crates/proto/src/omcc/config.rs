//! The parameters of an OMCC session.

use super::header::DATA;
use super::population;
use super::utility::{Orientation, Utility, share};
use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::limits;
use crate::limits::{Limited, above, from, within};
use crate::tfmcc;

/// One OMCC session: its sender and all its receivers. The parameters of TFMCC stand beside its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Omcc", transform = limits::declare::<Config>)]
#[serde(default)]
pub struct Config {
    /// What the rate is worth, and so f(N). Default "log".
    pub utility: Utility,
    /// Exponent of the utility "alpha-fair", above 0; needed there and not allowed with another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// Whose utility counts. Default "receiver".
    pub orientation: Orientation,
    /// Weight w of the utility beside that of other flows, above 0: f = (w·N)^(1/alpha). Default 1.
    pub weight: f64,
    /// How the sender knows N. Default { kind = "configured" }.
    pub population: population::Config,
    /// Upper bound of f(N), at least 1; left out, nothing bounds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub f_max: Option<f64>,
    /// What f(N) multiplies. Default "equation".
    pub f_apply: Apply,
    /// What OMCC has in common with TFMCC.
    #[serde(flatten)]
    pub tfmcc: tfmcc::Config,
}

/// What f(N) multiplies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OmccApply")]
#[serde(rename_all = "kebab-case")]
pub enum Apply {
    /// The throughput equation at the receivers ([Hang] eq. 13): the equilibrium is f(N) times that of TFMCC.
    #[default]
    Equation,
    /// The increase per R_max at the sender; the equilibrium remains that of TFMCC. Not in the paper.
    Increase,
    /// The throughput equation at the receivers, but they ask for no more than they receive, or than the equation says
    /// without f(N): X_r = min(f·X, max(X_recv, X)). Not in the paper, a hypothesis about what its authors ran.
    ReceiveRate,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            utility: Utility::default(),
            alpha: None,
            orientation: Orientation::default(),
            weight: 1.0,
            population: population::Config::default(),
            f_max: None,
            f_apply: Apply::default(),
            tfmcc: tfmcc::Config::default(),
        }
    }
}

limits! { Config {
    alpha, weight: above(0.0),
    f_max: from(1.0),
} }

impl Config {
    /// Every field with an illegal value: its path below this one, and what was given and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        let mut wrong = self.beyond_limits();
        let mut refuse = |field: &str, message: &str| wrong.push((field.to_owned(), message.to_owned()));
        match (self.utility, self.alpha) {
            (Utility::AlphaFair, None) => {
                refuse("alpha", "missing; the utility \"alpha-fair\" needs a number above 0");
            }
            (Utility::AlphaFair, Some(_)) | (_, None) => {}
            (_, Some(alpha)) => {
                refuse("alpha", &format!("{alpha} given; legal with the utility \"alpha-fair\" only"));
            }
        }
        let is_estimated = matches!(self.population, population::Config::Estimated(_));
        if is_estimated && self.tfmcc.timer_bias != tfmcc::TimerBias::None {
            // Otherwise the first report of a round is not the one with the smallest number drawn.
            refuse("timer_bias", "\"offset\" given; legal with an estimated population is \"none\"");
        }
        wrong.extend(within("population", self.population.check()));
        wrong.extend(self.tfmcc.check_with(&DATA));
        wrong
    }

    /// f(N), without bounds.
    pub(super) fn share(&self, receivers: f64) -> f64 {
        let alpha = match self.utility {
            Utility::None => return 1.0,
            Utility::Log => 1.0,
            Utility::Tcp => 2.0,
            Utility::AlphaFair => self.alpha.expect("a configuration that passed the check has it"),
        };
        let utilities = if self.orientation == Orientation::Receiver { receivers } else { 1.0 };
        share(self.weight * utilities, alpha)
    }

    /// Whether the number of receivers makes a difference.
    pub(super) fn counts(&self) -> bool {
        self.utility != Utility::None && self.orientation == Orientation::Receiver
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group_set::GroupPlan;
    use crate::quantity::Bytes;
    use crate::scheme::Scheme;
    use core::f64::consts::SQRT_2;

    #[test]
    fn defaults_are_legal_and_come_back() {
        let config = Config::default();
        assert_eq!((config.check(), config.groups()), (Vec::new(), vec![GroupPlan::layer(0)]));
        let text = serde_json::to_string(&config).unwrap();
        assert!(text.contains(r#""packet_size""#) && !text.contains("tfmcc"), "one level: {text}");
        assert_eq!(serde_json::from_str::<Config>(&text).unwrap(), config);
        let given = r#"{"utility": "alpha-fair", "alpha": 3, "weight": 2, "round_rtts": 4, "packet_size": "500 B",
            "population": {"kind": "registration", "refresh": "10 s"}}"#;
        let config: Config = serde_json::from_str(given).unwrap();
        assert_eq!((config.tfmcc.packet_size, config.tfmcc.round_rtts), (Bytes(500), 4.0));
        assert_eq!(config.check(), []);
        assert!(serde_json::from_str::<Config>(r#"{"utility": "cubic"}"#).is_err());
    }

    #[test]
    fn each_illegal_value_is_named() {
        let fields = |given: &str| -> Vec<String> {
            let config: Config = serde_json::from_str(given).unwrap();
            config.check().into_iter().map(|(field, _)| field).collect()
        };
        assert_eq!(fields(r#"{"utility": "alpha-fair"}"#), ["alpha"]);
        assert_eq!(fields(r#"{"utility": "alpha-fair", "alpha": 0}"#), ["alpha"]);
        assert_eq!(fields(r#"{"utility": "tcp", "alpha": 2}"#), ["alpha"]);
        assert_eq!(fields(r#"{"weight": -1, "f_max": 0.5, "report_size": "0 B"}"#), ["weight", "f_max", "report_size"]);
        assert_eq!(fields(r#"{"population": {"kind": "configured", "receivers": 0}}"#), ["population.receivers"]);
        assert_eq!(fields(r#"{"population": {"kind": "estimated"}, "timer_bias": "offset"}"#), ["timer_bias"]);
        let given = r#"{"population": {"kind": "estimated", "rounds": 1, "weight": 0}}"#;
        assert_eq!(fields(given), ["population.rounds", "population.weight"]);
        let given = r#"{"population": {"kind": "registration", "refresh": "0 s", "missed": 0}}"#;
        assert_eq!(fields(given), ["population.refresh", "population.missed"]);
        let config = |alpha| Config { utility: Utility::AlphaFair, alpha: Some(alpha), ..Config::default() };
        for wrong in [-0.5, 0.0, f64::INFINITY, f64::NAN] {
            assert_eq!(config(wrong).check()[0].0, "alpha");
            assert_eq!(Config { weight: wrong, ..Config::default() }.check()[0].0, "weight");
            assert_eq!(Config { f_max: Some(wrong), ..Config::default() }.check()[0].0, "f_max");
        }
        // The ends of the ranges.
        for legal in [
            r#"{"utility": "alpha-fair", "alpha": 1e-3, "weight": 1e-9, "f_max": 1}"#,
            r#"{"population": {"kind": "configured", "receivers": 1}, "timer_bias": "offset"}"#,
            r#"{"population": {"kind": "registration", "refresh": "1 s", "missed": 1}}"#,
            r#"{"population": {"kind": "registration", "refresh": "3600 s", "missed": 100}}"#,
            r#"{"population": {"kind": "estimated", "rounds": 3, "weight": 1}}"#,
            r#"{"population": {"kind": "estimated", "rounds": 10000, "weight": 0.001}}"#,
        ] {
            assert_eq!(fields(legal), [""; 0], "{legal}");
        }
        assert_eq!(fields(r#"{"population": {"kind": "estimated", "rounds": 2}}"#), ["population.rounds"]);
        assert_eq!(fields(r#"{"population": {"kind": "registration", "missed": 101}}"#), ["population.missed"]);
        let given = r#"{"population": {"kind": "estimated", "rounds": 10001, "weight": 1.01}}"#;
        assert_eq!(fields(given), ["population.rounds", "population.weight"]);
    }

    #[test]
    fn the_table_of_factors() {
        let of = |given: &str, receivers: f64| serde_json::from_str::<Config>(given).unwrap().share(receivers);
        for (given, expected) in [
            (r#"{"utility": "none", "weight": 5}"#, [1.0, 1.0, 1.0]),
            (r#"{"utility": "log"}"#, [1.0, 2.0, 100.0]),
            (r#"{"utility": "tcp"}"#, [1.0, SQRT_2, 10.0]),
            (r#"{"utility": "alpha-fair", "alpha": 1}"#, [1.0, 2.0, 100.0]),
            (r#"{"utility": "alpha-fair", "alpha": 2}"#, [1.0, SQRT_2, 10.0]),
            (r#"{"utility": "alpha-fair", "alpha": 4}"#, [1.0, 1.189_207_115, 3.162_277_660]),
            (r#"{"utility": "alpha-fair", "alpha": 0.5}"#, [1.0, 4.0, 10_000.0]),
            (r#"{"utility": "log", "weight": 0.5}"#, [0.5, 1.0, 50.0]),
            (r#"{"utility": "tcp", "weight": 4}"#, [2.0, 2.828_427_125, 20.0]),
            (r#"{"utility": "log", "orientation": "sender"}"#, [1.0, 1.0, 1.0]),
            (r#"{"utility": "tcp", "orientation": "sender", "weight": 9}"#, [3.0, 3.0, 3.0]),
        ] {
            for (receivers, expected) in [1.0, 2.0, 100.0].into_iter().zip(expected) {
                let factor = of(given, receivers);
                assert!((factor / expected - 1.0).abs() < 1e-9, "{given}, {receivers}: {factor}, not {expected}");
            }
        }
    }
}
