//! Multicast in networks small enough to work out when every packet comes.

mod exchange;
mod forwarding;
mod membership;
mod support;
mod trees;
