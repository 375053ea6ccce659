//! Links as they were measured: recordings of when a link could send, and of what it was like at which time.
//!
//! A recording stays what it is, an array, however long: some bytes for each of its lines, in memory and in the
//! resolved scenario, where it stands as a text with its length and its hash in place of the file's name.
//!
//! | file | subject |
//! |---|---|
//! | `stamps.rs` | when a link could send |
//! | `samples.rs` | what it was like, moment by moment |
//! | `packed.rs` | numbers as few bytes, and bytes as a text |
//! | `digits.rs` | numbers as files have them |
//! | `formats.rs` | the files: Mahimahi, LeoCC, LENS |
//! | `table.rs` | the files: CSV of any columns |
//! | `held.rs` | those that have been read, for the scenario that is being made |
//! | `inline.rs` | puts their content in the places of their names |
//! | `link_trace.rs` | what a link of the network follows |

mod digits;
mod formats;
pub(crate) mod held;
mod inline;
pub(crate) mod link_trace;
mod packed;
pub(crate) mod samples;
pub(crate) mod stamps;
mod table;

pub(crate) use inline::inline;
pub use link_trace::LinkTrace;
pub use samples::{Sample, Samples};
pub use stamps::Stamps;
