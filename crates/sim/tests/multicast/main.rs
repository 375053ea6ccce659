//! Multicast in networks small enough to work out when every packet comes.

mod forwarding;
mod membership;
mod support;
mod trees;
