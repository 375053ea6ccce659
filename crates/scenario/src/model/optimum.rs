//! What a scenario says of the optimum that stands beside its results.

use faircast_proto::limits;
use faircast_proto::limits::from;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What would be the best rates: which utility of all rates together is greatest. It is computed after a run and
/// changes nothing in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<Optimum>)]
#[serde(default)]
pub struct Optimum {
    /// How a rate is valued. Default "own".
    pub utility: Utility,
    /// Of utility "alpha-fair", which needs it: 0.1 to 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// Whether a session counts as one or as many as it has receivers. Default "session". With the utility "own" it is
    /// about sessions whose scheme has none.
    pub orientation: Orientation,
    /// Whether every receiver of a session that answers congestion has a rate of its own, or all of them one. Default
    /// as the session's scheme has it: several layers give several rates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multirate: Option<bool>,
    /// What flows and sessions count among the others, by name of an entry or of one of its flows, above 0. Default 1.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub weights: BTreeMap<String, f64>,
}

// The alphas that are solved reliably.
limits! { Optimum { alpha: from(0.1).to(20.0).because("beyond that take the utility max-min") } }

/// How a rate x is valued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Utility {
    /// That of the sessions whose scheme has one: OMCC has f(N) times the rate of a flow on the same path. Else log x.
    #[default]
    Own,
    /// log x: proportional fairness.
    Proportional,
    /// -1/x: least potential delay, near to what TCP does.
    PotentialDelay,
    /// The least rate first, then the next one.
    MaxMin,
    /// x^(1 - alpha) / (1 - alpha), log x for alpha = 1.
    AlphaFair,
}

/// Whether a session counts as one or as many as it has receivers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Orientation {
    /// As one, like a flow.
    #[default]
    Session,
    /// As many as it has receivers.
    Receiver,
}

impl Optimum {
    pub(crate) fn is_default(&self) -> bool {
        *self == Optimum::default()
    }
}
