//! MLDA: layers whose rates follow what receivers report [Ehlert, Sisalem00].
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

mod config;
mod header;
pub mod rtcp;

pub use config::{Config, Lda, LossRule, RateRule, ReportsTo};
pub use header::{DataHeader, Header};
