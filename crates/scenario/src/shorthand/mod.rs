//! Shorthand: what a scenario may say in fewer words. It is spelled out before the scenario is held against the schema,
//! so that equal scenarios are equal however they were written, and nothing behind it knows of it.
//!
//! | file | what it spells out |
//! |---|---|
//! | `schemes.rs` | `[schemes.tfmcc]`: parameters of all sessions of a scheme |
//! | `limits.rs` | `limit = "0.5 BDP"`: queues measured in time or bandwidth-delay products |
//! | `places.rs` | where links are spoken of |
//! | `origins.rs` | where what has been spelled out was written, for messages |

mod limits;
mod origins;
mod places;
mod schemes;

pub(crate) use limits::Limits;
pub(crate) use origins::Origins;
pub(crate) use schemes::unused;

use crate::problem::Problem;
use serde_json::Value;

/// What has been spelled out.
#[derive(Debug, Default)]
pub(crate) struct Spelled {
    /// Where it was written.
    pub origins: Origins,
    /// What cannot be spelled out; legal values stand in its places.
    pub problems: Vec<Problem>,
    /// Queues that wait for the network to be known.
    pub limits: Limits,
}

/// Spells out a scenario. `schema`: the decisive one.
pub(crate) fn spell_out(scenario: &mut Value, schema: &Value) -> Spelled {
    let mut spelled = Spelled::default();
    schemes::spread(scenario, schema, &mut spelled.origins);
    spelled.limits = Limits::take(scenario, schema, &mut spelled.problems);
    spelled
}
