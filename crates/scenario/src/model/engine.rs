//! What a scenario says of the simulator itself.

use super::link::ModeChoice;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of the simulator. Results do not depend on any of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Engine {
    /// The data structure that holds what happens next. Default "wheel".
    pub calendar: CalendarChoice,
    /// How links with mode "auto" compute departures. Default "auto": fused unless the queue decides at departure.
    pub link_mode: ModeChoice,
    /// Gives the clock of every node a constant offset of its own, as real hosts have. Default true.
    pub clock_offsets: bool,
}

/// The data structure that holds what happens next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Calendar")]
pub enum CalendarChoice {
    /// A timing wheel: the faster one.
    #[default]
    Wheel,
    /// A four-ary heap: the one to compare with.
    Heap,
}

impl Default for Engine {
    fn default() -> Engine {
        Engine { calendar: CalendarChoice::default(), link_mode: ModeChoice::default(), clock_offsets: true }
    }
}
