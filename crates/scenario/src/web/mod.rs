//! Web traffic: finite transfers over TCP that arrive at random, between pairs of nodes.
//!
//! | file | subject |
//! |---|---|
//! | `entry.rs` | the web traffic of a network, entry by entry |
//! | `sizes.rs` | how large transfers are |
//! | `arrivals.rs` | when they arrive, between which nodes |
//! | `connections.rs` | connections that are opened for them, on the seats of a pool |
//! | `files.rs` | arrivals and sizes from CSV files |
//!
//! What is drawn follows from the seed and the name of the entry alone: streams `flow/NAME/arrivals`, `flow/NAME/pairs`
//! and `flow/NAME/sizes`, of a user `flow/NAME/user-0`, and what its hosts draw, `flow/NAME/hosts`, and what splits
//! its connections, `flow/NAME/relays`.

mod arrivals;
mod connections;
mod entry;
pub(crate) mod files;
mod sizes;

pub(crate) use connections::Connections;
pub(crate) use entry::{Arrival, Source};
pub use entry::{NetworkWeb, Pair};
pub(crate) use sizes::Sizes;
