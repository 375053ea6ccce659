//! RLM, receiver-driven layered multicast [McCanne96]: receivers try whether there is room for a layer more by joining
//! it, and give it up when packets are lost soon after. Followed is the code that ns-2 has of its authors; see
//! `docs/rlm.md`.
//!
//! | file | subject |
//! |---|---|
//! | `config.rs` | the parameters |
//! | `scheme.rs` | the endpoints that they make |
//! | `receiver.rs` | the receiver: its states, timers and experiments |

mod config;
mod receiver;
mod scheme;
#[cfg(test)]
mod tests;

pub use config::{Config, Profile};
pub use receiver::{JOIN_HEARD, Receiver, STATE};
