//! pgmcc: window-based single-rate multicast congestion control (draft-ietf-rmt-bb-pgmcc-03).
//!
//! One of the receivers, the acker, acknowledges each packet, and a window like the one of TCP runs between it and the
//! source. The others report losses in NAKs; the one with the lowest throughput by the TCP equation is the acker.
//!
//! | file | part | source: the draft |
//! |---|---|---|
//! | `config.rs` | the parameters | at each field |
//! | `scheme.rs` | the endpoints that they make | none |
//! | `header.rs` | what packets say | section 2.1 |
//! | `sender.rs` | the endpoint of the parts below | section 3 |
//! | `window.rs` | W and T: arithmetic alone | section 2.2 |
//! | `outstanding.rs` | packets sent: which are acknowledged, which are lost | section 2.2 |
//! | `window_control.rs` | both together; needs no packets | section 2.2 |
//! | `acker.rs` | whose throughput is lowest | sections 2.3, 2.4 |
//! | `receivers.rs` | what the source knows of receivers; recent ackers | sections 2.5, 2.7 |
//! | `honesty.rs` | whether an acker's word agrees with its ACKs | section 5 |
//! | `send_times.rs` | when packets were sent, to judge the age of what receivers name | none |
//! | `rate_meter.rs` | how fast the source sends, to be shown | none |
//! | `receiver.rs` | the endpoint of the parts below | section 4 |
//! | `received.rs` | which packets have come, the bitmap of an ACK | section 2.1.2 |
//! | `loss_filter.rs` | the loss rate p | section 2.6 |
//! | `naks.rs` | NAKs that wait, and those that are spared | section 2.8, RFC 3208 section 2.2 |
//! | `show.rs` | what endpoints show, and what happens in them | none |
//!
//! `docs/pgmcc.md` has the parameters and the deviations.

mod acker;
mod config;
#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod group_tests;
mod header;
mod honesty;
#[cfg(test)]
mod honesty_tests;
mod loss_filter;
mod naks;
mod outstanding;
mod rate_meter;
mod received;
mod receiver;
#[cfg(test)]
mod receiver_tests;
mod receivers;
mod scheme;
mod send_times;
mod sender;
#[cfg(test)]
mod sender_tests;
mod show;
mod window;
mod window_control;
#[cfg(test)]
mod window_tests;

pub use acker::slowness;
pub use config::{Config, RttUnit, ThroughputModel};
pub use header::{ACK, Ack, DATA, Data, Header, NAK, NCF, Nak};
pub use loss_filter::LossFilter;
pub use outstanding::{Acknowledged, Outstanding};
pub(crate) use received::Received;
pub use receiver::Receiver;
pub use sender::Sender;
pub use show::{ELECTION, EVENTS, LIMITING_RECEIVER, LOSS_REDUCTION, RECEIVER_GAUGES, SENDER_GAUGES, TIMEOUT, WINDOW};
pub use window::TokenWindow;
pub use window_control::{AckOutcome, WindowControl};
