//! When each of several flows or receivers does something.

use faircast_proto::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A time, or a list of times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum Times {
    /// One time for all.
    All(Duration),
    /// One time for each.
    Each(Vec<Duration>),
}

impl Times {
    /// The time of receiver `index`; nothing if the list is too short.
    pub fn of(&self, index: u32) -> Option<Duration> {
        match self {
            Times::All(time) => Some(*time),
            Times::Each(times) => times.get(index as usize).copied(),
        }
    }

    /// How many times are given.
    pub fn given(&self) -> usize {
        match self {
            Times::All(_) => 1,
            Times::Each(times) => times.len(),
        }
    }

    /// Whether there is one for each of `number`, no more and no less.
    pub fn fits(&self, number: u32) -> bool {
        match self {
            Times::All(_) => true,
            Times::Each(times) => times.len() as u64 == u64::from(number),
        }
    }
}

impl Default for Times {
    fn default() -> Times {
        Times::All(Duration::ZERO)
    }
}
