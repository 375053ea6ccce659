//! A packet-level network simulator: integer time, links, queues, a total order of events.
//!
//! A [`Network`](network::Network) is put together from nodes, links and endpoints and becomes a
//! [`World`](engine::World) that runs. Protocols come from `faircast_proto` and know nothing of this crate.
//!
//! | module | subject |
//! |---|---|
//! | [`network`], [`routing`] | putting a network together; shortest paths |
//! | [`engine`] | the event loop, forwarding, the driver of endpoints |
//! | [`link`] | transmitter, wire and the ring of packets; fused and two-stage links |
//! | [`multicast`] | groups, trees, joins and prunes |
//! | [`queue`], [`loss`] | what a queue admits, drops, marks; what a wire loses |
//! | [`calendar`] | what happens next: heap and wheel |
//! | [`probe`], [`trace`] | what observers see |

pub mod agent;
pub mod calendar;
mod distribution;
pub mod engine;
mod forwarding;
mod host;
pub mod link;
pub mod loss;
pub mod multicast;
pub mod network;
pub mod probe;
pub mod queue;
mod ring;
pub mod routing;
mod store;
pub mod trace;
mod wires;
