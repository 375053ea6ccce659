//! Networks with real protocols: what comes of them together.

mod clocks;
mod presence;
mod support;
mod tfmcc;
mod undeliverable;
mod warmup;
