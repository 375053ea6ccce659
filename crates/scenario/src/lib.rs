//! Scenarios: from a TOML text or a JSON value to a checked model, and from there to one network description.
//!
//! ```text
//! TOML or JSON -> JSON value -> schema -> Scenario (serde) -> meaning -> Network -> World -> tables
//!                 └────────── all problems at once ──────────┘
//! ```
//!
//! | module | subject |
//! |---|---|
//! | [`model`] | what a scenario may say |
//! | [`topology`] | named topologies |
//! | [`network`] | what every scenario becomes |
//! | [`mod@paths`] | which links the data of every flow and session crosses |
//! | [`mod@run`] | one run, from a scenario and a seed to tables |
//! | [`steps`] | a run in steps |
//! | [`Sky`] | where satellites are |
//! | [`tables`], [`mod@summary`] | what a run gives |
//! | [`warning`] | what is legal, but should be known |
//! | [`mod@catalogue`] | what there is to choose from |
//! | [`mod@guests`] | what code outside the tree adds to that |
//! | [`mod@command`] | a small command line for programs that do |

mod activity;
mod base_rtt;
mod build;
mod canonical;
pub mod catalogue;
pub mod command;
mod control;
mod elements;
mod expand;
mod files;
mod form;
pub mod guests;
mod machine;
pub mod map;
mod meaning;
pub mod memory;
pub mod model;
pub mod network;
mod part;
pub mod paths;
pub mod periods;
mod problem;
mod read;
pub mod recordings;
pub mod run;
mod shorthand;
mod signals;
mod sky;
pub mod steps;
pub mod summary;
mod synonyms;
pub mod tables;
pub mod topology;
mod traces;
pub mod warning;
pub mod web;

pub use canonical::canonical;
pub use form::schema::schema;
pub use form::toml_lines::{TomlLine, toml_errors, toml_lines, toml_values};
pub use guests::Guests;
pub use model::Scenario;
pub use network::Network;
pub use part::check_part;
pub use problem::Problem;
pub use read::toml_to_json;
pub use run::{outline, run, walk};
pub use sky::{Sky, sky};
pub use steps::Steps;
pub use warning::Warning;
