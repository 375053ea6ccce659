//! NORM (RFC 5740): files from one to many, repaired by what receivers ask for, at the rate of TFMCC.
//!
//! A [`Sender`] and a [`Receiver`] take messages and moments and give messages; they know no socket, no clock and no
//! disk. Sections without a number of an RFC are of RFC 5740. `docs/norm.md` says what of it is here.
//!
//! | file | subject | source |
//! |---|---|---|
//! | `intervals.rs` | sets of numbers in rows | none |
//! | `geometry.rs` | how objects are cut | RFC 5052 section 9.1 |
//! | `needs.rs` | what lacks, as sets and as requests | section 4.3.1 |
//! | `fixed.rs` | numbers that no message says | section 6 |
//! | `backoff.rs` | how long who wants to speak waits | RFC 5401 section 3.2.2 |
//! | `sender/` | the sender | sections 5.1, 5.4, 5.5 |
//! | `receiver/` | a receiver | sections 5.2, 5.3, 5.5 |

#![warn(clippy::missing_errors_doc, clippy::missing_panics_doc)]

mod backoff;
mod fixed;
mod geometry;
mod intervals;
mod needs;
pub mod receiver;
pub mod sender;

pub use fixed::{NOBODY, ROBUST_FACTOR};
pub use receiver::Receiver;
pub use sender::Sender;
