//! OMCC: optimization-based multicast congestion control, TFMCC whose rate is multiplied by f(N) [Hang].
//!
//! A session of N receivers is worth more to the network than a flow to one. If every receiver has the utility u(x) of
//! the rate x, network utility maximisation gives the session f(N) times the rate of a flow that has u alone; f follows
//! from u. Receivers multiply the throughput equation by it ([Hang] eq. 13); all the rest is TFMCC.
//!
//! | file | part |
//! |---|---|
//! | `config.rs` | the parameters |
//! | `scheme.rs` | the endpoints that they make |
//! | `header.rs` | what packets say |
//! | `wording.rs` | TFMCC's endpoints in these headers |
//! | `show.rs` | what endpoints show, and what happens in them |
//! | `utility.rs` | utilities and their f(N) |
//! | `scale.rs` | the factor in use: its bound and its growth |
//! | `population/` | N: configured, registered or estimated |
//! | `sender.rs`, `receiver.rs` | the endpoints: those of [`tfmcc`](crate::tfmcc), and N |
//!
//! `docs/omcc.md` has the parameters, the choices and the errata of the paper.

mod config;
mod header;
pub mod population;
mod receiver;
mod scale;
mod scheme;
mod sender;
mod show;
#[cfg(test)]
mod tests;
mod utility;
mod wording;

pub use config::{Apply, Config};
pub use header::{DATA, DataHeader, FEEDBACK, FeedbackHeader, Header, REGISTRATION};
pub use receiver::Receiver;
pub use sender::Sender;
pub use show::{EVENTS, SCALE, SENDER_GAUGES};
pub use utility::{Orientation, Utility};
pub use wording::Scaled;
