//! TCP as congestion control knows it: a one-way bulk transfer that counts segments.
//!
//! | file | part | source |
//! |---|---|---|
//! | `config.rs` | the parameters | ns-2's defaults, RFC sections at each field |
//! | `header.rs` | what packets say | RFC 3168, RFC 2018, RFC 7323 |
//! | `sender.rs` | beginning, timers, end | RFC 6298 section 5 |
//! | `sender/acknowledgements.rs`, `sender/sending.rs` | what comes in; what goes out | RFC 5681, RFC 3042 |
//! | `state.rs` | the states of a sender | |
//! | `counts.rs`, `events.rs` | what a sender counts and shows; what happens in it | |
//! | `handshake.rs` | the exchange of SYNs before data, if wanted | RFC 9293 section 3.5, RFC 6298 (5.7) |
//! | `recovery.rs` | which losses are known, fast retransmit and recovery | RFC 5681 section 3.2, RFC 6582, RFC 6675 |
//! | `rate_reduction.rs` | the window in a recovery, if it shrinks with what arrives | RFC 9937 |
//! | `window.rs` | the congestion window, what a rule for it is, Reno's arithmetic | RFC 5681 section 3.1 |
//! | `rule/` | how the window grows and shrinks: one file per rule | |
//! | `chosen_rule.rs` | the rule that a configuration names | |
//! | `hystart.rs` | the end of the first slow start by delay, if wanted | RFC 9406 |
//! | `pacing.rs` | when the next segment may go, if paced | |
//! | `receiver.rs` | cumulative and selective ACKs, delayed ACKs | RFC 5681 section 4.2, RFC 2018 |
//! | `congestion_echo.rs` | marks: the receiver's latch, the sender's response | RFC 3168 section 6.1, [Durresi] |
//! | `rtt.rs` | what round trips are measured with, Karn's rule | RFC 6298 section 3 |
//! | `relay.rs`, `sender/relayed.rs` | a proxy that splits the connection; who sends to one | RFC 3135 section 2.4 |
//! | `objects.rs` | objects one after the other on a connection | RFC 8446 section 2 |
//! | `number.rs` | numbers of segments on the wire and inside | RFC 9293 section 3.4 |
//! | `scoreboard.rs`, `ranges.rs` | what has been selectively acknowledged | RFC 6675 section 4 |
//!
//! The time-out, SRTT and RTTVAR, is in [`parts::rto`](crate::parts::rto).
//!
//! `docs/tcp.md` has the state diagram, the table of parameters and the deviations.

mod bundles;
mod chosen_rule;
mod config;
mod congestion_echo;
mod counts;
pub mod events;
mod flow;
#[cfg(test)]
mod golden_tests;
mod handshake;
mod header;
mod hystart;
mod number;
mod objects;
mod pacing;
mod ranges;
mod rate_reduction;
mod receiver;
mod recovery;
mod relay;
mod rtt;
pub mod rule;
mod scoreboard;
mod sender;
mod state;
#[cfg(test)]
mod tests;
mod validation;
mod whole_segments;
mod window;

pub use chosen_rule::ChosenRule;
pub use config::{Config, CwndValidation, EcnMode, FullAck, Mecn, Profile};
pub use counts::WINDOW_LIMITED;
pub use header::{Header, RelayBlock, SEGMENT, SackBlock};
pub use objects::{ObjectsReceiver, ObjectsSender, object_ends, without_end};
pub use receiver::Receiver;
pub use relay::{Relay, RelayPlace};
pub use rule::Variant;
pub use sender::Sender;
pub use window::{Ack, Credit, MIN_SSTHRESH, Recovery, Window, WindowRule};
