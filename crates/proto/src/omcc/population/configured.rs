//! N is given: what the simulations of [Hang] do.

use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::limits;
use crate::limits::from;

/// N does not change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<Config>)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// N, how many receivers there are. Left out, as many as the session was set up with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receivers: Option<u32>,
}

limits! { Config {
    receivers: from(1),
} }
