//! Guests: code from outside the tree, which scenarios name like what is built in.
//!
//! | file | subject |
//! |---|---|
//! | `header.rs` | what guests say in their packets |
//! | `kinds.rs` | kinds of schemes, queues, agents and rules that guests bring, by name |
//! | `no_kinds.rs` | in its place without the feature `serde`: there are none |
//! | `patience.rs` | the end of a guest that wants time-outs without end |
//! | `scheme.rs` | a guest's scheme, behind a pointer |

pub(crate) mod header;
#[cfg(feature = "serde")]
mod kinds;
#[cfg(not(feature = "serde"))]
mod no_kinds;
mod patience;
mod scheme;

pub use header::{Fields, GUEST_BYTES, GuestHeader};
#[cfg(feature = "serde")]
pub use kinds::{Guest, Guests, Kind, ORIGIN, Sort};
#[cfg(not(feature = "serde"))]
pub use no_kinds::Guest;
pub use patience::Patience;
pub use scheme::SchemeKind;
