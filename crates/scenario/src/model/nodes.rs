//! How a scenario names one node or several.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name of a node, or a list of names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum Nodes {
    /// One node for all.
    One(String),
    /// One node for each.
    Each(Vec<String>),
}
