//! MLDA: layers whose rates follow what receivers report [Ehlert, SisalemWolisz00].
//!
//! The source has K cumulative layers. In each round every receiver reckons its fair share of its path, LDA+ by
//! default; the source makes its base layer as wide as the least share that was reported, and all layers together as
//! wide as the largest. Receivers join and leave layers by their share and the rates announced.
//!
//! | file | part |
//! |---|---|
//! | `config.rs` | the parameters |
//! | `header.rs` | what packets say |
//! | `rtcp.rs` | reports as bytes, as RFC 3550 has them |
//! | `layering.rs` | what each layer carries, by the least and the largest share |
//! | `reports.rs` | what receivers have reported, until it expires, and whose time stamp is echoed next |
//! | `sender.rs` | the source: rounds, reports, and the data of the layers |
//! | `show.rs` | what the source shows, and what happens in a session |

mod config;
mod header;
mod layering;
mod reports;
pub mod rtcp;
mod sender;
mod show;

pub use config::{Config, Lda, LossRule, RateRule, ReportsTo};
pub use header::{DataHeader, Header};
pub use layering::Layering;
pub use reports::{Extremes, Heard, Reports};
pub use sender::Sender;
pub use show::{FAST_DECREASE, LEADING_RECEIVER, LIMITING_RECEIVER, RATE, SENDER_GAUGES};
