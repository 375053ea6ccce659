//! Scenarios: from a TOML text or a JSON value to a checked model, and from there to one network description.
//!
//! ```text
//! TOML or JSON -> JSON value -> schema -> Scenario (serde) -> meaning -> Network
//!                 └────────── all problems at once ──────────┘
//! ```
//!
//! | module | subject |
//! |---|---|
//! | [`model`] | what a scenario may say |
//! | [`topology`] | named topologies |
//! | [`network`] | what every scenario becomes |

mod check;
mod expand;
mod meaning;
mod memory;
pub mod model;
pub mod network;
mod problem;
mod repair;
mod schema;
mod toml_text;
pub mod topology;
mod translate;

pub use check::toml_to_json;
pub use model::Scenario;
pub use network::Network;
pub use problem::Problem;
pub use schema::schema;
