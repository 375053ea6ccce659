//! Bytes that have no end yet, for many receivers: a stream in blocks, each of which is signed, repaired for a bounded
//! time, and then given up.
//!
//! ```text
//!   bytes ──cutter──> blocks ──head, symbols──> receivers ──in order, or with a gap that is known──> bytes
//!                       ^                            │
//!                       └── repair ──< hear() ──<────┘      a block is kept for `delay`, at both ends
//! ```
//!
//! What is about objects that are known beforehand (manifests, files, going on after a kill) is in
//! [`offer`](crate::offer) and [`store`](crate::store). Symbols, the code, needs, requests and who receives are the
//! same here.
//!
//! | file | subject |
//! |---|---|
//! | `head.rs` | the signed packet that says which blocks there are |
//! | `standing.rs` | what receivers say |
//! | `delay.rs`, `settings.rs` | how long blocks are kept, and what follows from it |
//! | `cutter.rs` | where a block ends: by size, by time, between packets of MPEG-TS |
//! | `sender.rs` | blocks that are kept, and what is sent next |
//! | `coming.rs` | a block that is coming |
//! | `receiver.rs` | blocks in order, and what is given up |

mod coming;
mod cutter;
mod delay;
pub mod head;
mod place;
mod receiver;
mod sender;
mod settings;
pub mod standing;

#[cfg(test)]
mod network;
#[cfg(test)]
mod simulation;

pub use delay::{DELAYS, period};
pub use receiver::{Receiver, Tally};
pub use sender::Sender;
pub use settings::Settings;
