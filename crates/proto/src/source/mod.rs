//! Sources without congestion control, the sink that counts what arrives, and the application that limits any source.
//!
//! | file | part |
//! |---|---|
//! | `cbr.rs` | constant bit rate, if wanted with jitter |
//! | `application/` | what an application has to send, and a source that has no more |
//! | `on_off.rs` | constant bit rate during on periods of random length |
//! | `layered.rs` | constant rates in layers, a group for each |
//! | `codepoint.rs` | the ECN field of datagrams |
//! | `numbering.rs` | numbers and counts of datagrams |
//! | `limits.rs` | what rates and sizes are legal |
//! | `seen.rs` | which numbers have come |
//! | `spacing.rs` | the nominal time between packets, exact in the long run |
//! | `sink.rs` | counts |

pub mod application;
pub mod cbr;
pub mod codepoint;
#[cfg(test)]
mod late_tests;
pub mod layered;
#[cfg(test)]
mod layered_tests;
mod limits;
mod numbering;
pub mod on_off;
pub(crate) mod seen;
pub mod sink;
mod spacing;
pub(crate) mod subscription;

pub use cbr::Cbr;
pub use on_off::OnOff;
pub use sink::Sink;
