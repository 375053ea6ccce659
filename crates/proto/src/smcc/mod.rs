//! SMCC: multirate congestion control out of single-rate control [Kwon].
//!
//! A session has cumulative layers, each with a range of rates and a single-rate control of its own, which keeps the
//! rate up to that layer fit for the slowest of the receivers in it. A receiver whose fair rate leaves the range of its
//! layer goes to another: down at once, up by adding a packet per round-trip time with the help of counting layers, as
//! a TCP would.
//!
//! | file | part |
//! |---|---|
//! | `attempt.rs` | an attempt to join the next layer, by adding a packet per slot |
//! | `config.rs` | the parameters |
//! | `scheme.rs` | the endpoints that they make |
//! | `counting.rs` | when which packet of which counting layer is sent |
//! | `entry.rs` | when a member says that it has come to a layer |
//! | `header.rs` | what packets say |
//! | `control.rs` | the control of one layer, of whatever kind: the rate up to it, and who limits it |
//! | `lately.rs` | the least or the most of the last seconds |
//! | `lead.rs` | election, silence and leave of the receiver that limits a layer |
//! | `layer.rs` | a layer at the source: its control, its packets and their times |
//! | `sender.rs` | the source: the ensemble of layers, and the counting layers |
//! | `layers.rs` | the bounds of layers, and who belongs where |
//! | `windowed.rs` | the control of a layer by a window, as pgmcc has it |
//! | `slots.rs` | the source's slots as a member sees them |
//! | `receiver.rs` | a member: what it measures and reports, and when it goes to another layer |
//! | `show.rs` | what endpoints show, and what happens in them |

mod attempt;
mod config;
mod control;
pub mod counting;
#[cfg(test)]
mod ensemble_tests;
mod entry;
mod header;
mod lately;
mod layer;
mod layers;
mod lead;
mod quiet;
mod receiver;
mod scheme;
mod sender;
mod show;
mod slots;
mod windowed;

pub use config::{Config, ControlKind, Election, Join, MOST_COUNTING_LAYERS, PeriodSet, Windowed};
pub use header::{
    ACK, AckHeader, COUNTING, CountingHeader, DATA, DataHeader, FEEDBACK, FeedbackHeader, Header, PackedDataHeader,
};
pub use layers::{HEADROOM, Layers};
pub use receiver::Receiver;
pub use sender::Sender;
pub use show::{
    ELECTION, EVENTS, JOIN_ABANDONED, JOIN_BEGUN, JOIN_FAILED, JOIN_SUCCEEDED, JOIN_WAITING, RECEIVER_GAUGES,
    SENDER_GAUGES,
};
