//! Guests: code from outside the tree, which scenarios name like what is built in.
//!
//! | file | subject |
//! |---|---|
//! | `header.rs` | what guests say in their packets |
//! | `kinds.rs` | kinds of schemes, queues, agents and rules that guests bring, by name |
//! | `patience.rs` | the end of a guest that wants time-outs without end |
//! | `scheme.rs` | a guest's scheme, behind a pointer |

pub(crate) mod header;
mod kinds;
mod patience;
mod scheme;

pub use header::{Fields, GUEST_BYTES, GuestHeader};
pub use kinds::{Guest, Guests, Kind, ORIGIN, Sort};
pub use patience::Patience;
pub use scheme::SchemeKind;
