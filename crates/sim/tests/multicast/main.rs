//! Multicast in networks small enough to work out when every packet comes.

mod exchange;
mod forwarding;
mod legs;
mod membership;
mod support;
mod trees;
