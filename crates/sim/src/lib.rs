//! A packet-level network simulator: integer time, links, queues, a total order of events.
//!
//! A [`NetworkBuilder`](builder::NetworkBuilder) puts nodes, links and endpoints together and builds a
//! [`World`](world::World) from them, which runs. Protocols come from `faircast_proto` and know nothing of this crate.
//!
//! | module | subject |
//! |---|---|
//! | [`builder`], [`routing`] | putting a network together; shortest paths |
//! | [`ids`], [`flow`] | numbers of nodes and links; who sends to whom |
//! | [`visits`] | endpoints that come and go while a network runs |
//! | [`relays`] | what is in relays that split connections |
//! | [`playout`] | what viewers see of sessions whose media are played |
//! | [`world`] | a network that runs: the loop, forwarding, the driver of endpoints, groups, routers, probes |
//! | [`link`] | transmitter, wire and the ring of packets; fused and two-stage links |
//! | [`acm`] | modulations and codes that are chosen for those who are to hear |
//! | [`return_channel`] | terminals that send in slots of one carrier |
//! | [`part`] | what a link is a part of: links with several far ends |
//! | [`change`] | what changes while the network runs |
//! | [`counters`] | what links count |
//! | [`multicast`] | groups, trees, joins and prunes |
//! | [`router`] | agents that look after an interface of a router |
//! | [`queue`], [`loss`] | what a queue admits, drops, marks; what a wire loses |
//! | [`calendar`] | what happens next: heap and wheel |
//! | [`probe`], [`trace`] | what observers see |

/// How a registry holds one of its kind in a variant: itself, or in a box.
macro_rules! held {
    (Box $held:ty) => { Box<$held> };
    ($held:ty) => { $held };
}
pub(crate) use held;

pub mod acm;
pub mod agent;
pub mod builder;
pub mod calendar;
pub mod change;
pub mod counters;
mod epoch;
pub mod flow;
mod forwarding;
mod host;
pub mod ids;
mod legs;
pub mod link;
mod link_log;
pub mod loss;
pub mod multicast;
pub mod opportunities;
mod packet_probe;
pub mod part;
mod paths;
pub mod playout;
mod presence;
pub mod probe;
pub mod queue;
mod queue_probe;
mod queue_sample;
pub mod relays;
pub mod return_channel;
mod ring;
pub mod router;
pub mod routing;
mod sojourn;
mod store;
pub mod trace;
pub mod visits;
mod wires;
mod witnesses;
pub mod world;
