//! N is given: what the simulations of [Hang] do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// N does not change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// N, how many receivers there are. Left out, as many as the session was set up with.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub receivers: Option<u32>,
}

impl Config {
    /// Every field with an illegal value, and what was given and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        match self.receivers {
            Some(0) => vec![("receivers".to_owned(), "0 given; legal is 1 or more".to_owned())],
            _ => Vec::new(),
        }
    }
}
