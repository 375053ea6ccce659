//! Utilities of a rate and the factor f(N) that network utility maximisation gives a session for them.

use crate::declared::{Deserialize, JsonSchema, Serialize};

/// The utility u(x) that a receiver, or the session, has of the rate x.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OmccUtility")]
#[serde(rename_all = "kebab-case")]
pub enum Utility {
    /// No utility: f = 1, TFMCC.
    None,
    /// log x: proportional fairness, f(N) = N ([Hang] eq. 1).
    #[default]
    Log,
    /// -1/x: that of TCP, f(N) = sqrt N ([Hang] eq. 2).
    Tcp,
    /// x^(1 - alpha) / (1 - alpha): f(N) = N^(1/alpha); alpha = 1 is log, 2 is tcp.
    AlphaFair,
}

/// Whose utility counts ([Hang] section 2.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OmccOrientation")]
#[serde(rename_all = "lowercase")]
pub enum Orientation {
    /// The session's, whatever the number of receivers ([Hang] eq. 3).
    Sender,
    /// The sum over its receivers, each with the same ([Hang] eq. 4 and 5).
    #[default]
    Receiver,
}

/// How many times the rate of a flow with the utility u a session with the utility `total`·u has on the same path, if
/// u' = x^(-alpha): both have the same price, total·y^(-alpha) = x^(-alpha), hence y/x = total^(1/alpha).
pub(super) fn share(total: f64, alpha: f64) -> f64 {
    libm::pow(total, 1.0 / alpha)
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::SQRT_2;

    #[test]
    fn what_can_be_exact_is() {
        for total in [1e-3, 0.3, 1.0, 2.0, 7.0, 1234.567, 1e6] {
            assert_eq!((share(total, 1.0), share(total, 2.0)), (total, total.sqrt()));
        }
    }

    #[test]
    fn shares_of_one_link() {
        // Capacity 1, one flow x and one session y of two receivers ([Hang] table 1, its rates unrounded; its fairness
        // of 2.03 and 1.44 are quotients of rounded rates). First column: the weights 1/3 and 1/4.
        for (total, alpha, x, ratio) in [
            (3.0 / 4.0, 1.0, 4.0 / 7.0, 0.75),
            (2.0, 1.0, 1.0 / 3.0, 2.0),
            (2.0, 2.0, SQRT_2 - 1.0, SQRT_2),
            (2.0, 4.0, 0.456_786_0, 1.189_207_1),
            (8.0, 3.0, 1.0 / 3.0, 2.0),
        ] {
            let y_over_x = share(total, alpha);
            assert!((y_over_x - ratio).abs() < 1e-6, "{total} {alpha}: {y_over_x}");
            assert!((1.0 / (1.0 + y_over_x) - x).abs() < 1e-6);
        }
    }
}
