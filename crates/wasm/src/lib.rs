//! The core for browsers: scenarios as text in, typed arrays out, runs in steps.
//!
//! | file | subject |
//! |---|---|
//! | `check.rs` | everything about a text that can be said without a run |
//! | `places.rs` | where in a text something stands, as JavaScript counts |
//! | `output.rs` | what a run gave, column by column |
//! | `bind.rs` | what JavaScript calls; for `wasm32` alone |
//!
//! What has structure goes over as JSON, what has length as typed arrays. A run is a value that goes on as far as it is
//! asked to, so that a worker can hear in between that nobody wants it any more.

#[cfg(target_arch = "wasm32")]
mod bind;
pub mod check;
pub mod output;
pub mod places;
