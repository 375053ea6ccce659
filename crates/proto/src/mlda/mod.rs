//! MLDA: layers whose rates follow what receivers report [Ehlert, SisalemWolisz00].
//!
//! The source has K cumulative layers. In each round every receiver computes its fair share of its path, LDA+ by
//! default; the source makes its base layer as wide as the least share that was reported, and all layers together as
//! wide as the largest. Receivers join and leave layers by their share and the rates announced.
//!
//! | file | part |
//! |---|---|
//! | `config.rs` | the parameters |
//! | `scheme.rs` | the endpoints that they make |
//! | `header.rs` | what packets say |
//! | `rtcp.rs` | reports as bytes, as RFC 3550 has them |
//! | `budget.rs` | what reports may take of the network |
//! | `layering.rs` | what each layer carries, by the least and the largest share |
//! | `reports.rs` | what receivers have reported, until it expires, and whose time stamp is echoed next |
//! | `sender.rs` | the source: rounds, reports, and the data of the layers |
//! | `show.rs` | what the source shows, and what happens in a session |
//! | `receiver.rs` | a receiver: what it holds, and when it reports |
//! | `session.rs` | what a receiver knows of its source and of the path from it |
//! | `layer_packets.rs` | the packets of a layer: which are missing, and which come late |
//! | `interval_loss.rs` | loss per interval over the layers held |
//! | `bottleneck.rs` | the rate of a receiver's bottleneck by pairs of packets |
//! | `share.rs` | a receiver's share: a rate rule within bounds |
//! | `lda.rs` | LDA+ |
//! | `equation.rs` | the throughput equation as rate rule |
//! | `subscription.rs` | which layers a receiver holds |
//! | `suppression.rs` | when a receiver reports, and when others have said it all |
//! | `receiver_show.rs` | what a receiver shows, and what happens in it |

mod bottleneck;
mod budget;
mod config;
mod equation;
#[cfg(test)]
mod group_tests;
mod header;
mod interval_loss;
mod layer_packets;
mod layering;
mod lda;
mod receiver;
mod receiver_show;
mod reports;
pub mod rtcp;
mod scheme;
mod sender;
mod session;
mod share;
mod show;
mod subscription;
mod suppression;

pub use config::{Config, Lda, LossRule, RateRule, ReportsTo};
pub use header::{BYE, DATA, DataHeader, Header, RECEIVER_REPORT, SENDER_REPORT};
pub use layering::Layering;
pub use receiver::Receiver;
pub use receiver_show::{DIFFERENTIATING_GAUGES, JOIN_REVOKED, RECEIVER_GAUGES, SHARE};
pub use reports::{Extremes, Reports, TimedReport};
pub use sender::Sender;
pub use show::{EVENTS, FAST_DECREASE, LEADING_RECEIVER, LIMITING_RECEIVER, RATE, SENDER_GAUGES};
