//! Guests: code from outside the tree, which scenarios name like what is built in.
//!
//! | file | subject |
//! |---|---|
//! | `header.rs` | what guests say in their packets |
//! | `kinds.rs` | kinds of schemes, queues, agents and rules that guests bring, by name |
//! | `scheme.rs` | a guest's scheme, behind a pointer |

mod header;
mod kinds;
mod scheme;

pub use header::{Fields, GUEST_BYTES, GuestHeader};
pub use kinds::{Guest, Guests, Kind, ORIGIN, Sort};
pub use scheme::SchemeKind;
