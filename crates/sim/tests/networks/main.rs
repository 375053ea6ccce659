//! Networks with real protocols, or with scripted ones where every nanosecond is worked out by hand: what comes of
//! endpoints, links and queues together.

mod adaptive;
mod ahead;
mod at_departure;
mod blocking;
mod changes;
mod clocks;
mod dilation;
mod disciplines;
mod layers;
mod legs;
mod link_losses;
mod mesh;
mod owned;
mod paths;
mod pgmcc;
mod presence;
mod records;
mod rlm;
mod scale;
mod slots;
mod smcc_windowed;
mod support;
mod tfmcc;
mod undeliverable;
mod visits;
mod warmup;
