//! SMCC: multirate congestion control out of single-rate control [Kwon].
//!
//! A session has cumulative layers, each with a range of rates and a single-rate control of its own, which keeps the
//! rate up to that layer fit for the slowest of the receivers in it. A receiver whose fair rate leaves the range of its
//! layer goes to another: down at once, up by adding a packet per round-trip time with the help of counting layers, as a
//! TCP would.
//!
//! | file | part |
//! |---|---|
//! | `config.rs` | the parameters |
//! | `counting.rs` | when which packet of which counting layer is sent |
//! | `header.rs` | what packets say |
//! | `layers.rs` | the bounds of layers, and who belongs where |
//! | `show.rs` | what endpoints show, and what happens in them |

mod config;
pub mod counting;
mod header;
mod layers;
mod show;

pub use config::{Config, ControlKind, Join, MOST_COUNTING_LAYERS, PeriodSet};
pub use header::{CountingHeader, DataHeader, FeedbackHeader, Header, PackedDataHeader};
pub use layers::{HEADROOM, Layers};
pub use show::{
    ELECTION, EVENTS, JOIN_ABANDONED, JOIN_BEGUN, JOIN_FAILED, JOIN_SUCCEEDED, JOIN_WAITING, RECEIVER_GAUGES,
    SENDER_GAUGES,
};
