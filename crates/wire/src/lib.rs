//! Endpoints on real sockets: the driver that takes the simulator's place.
//!
//! A [`Driver`](driver::Driver) carries one endpoint of any scheme. It reads no clock and owns no socket: a
//! [`Clock`](clock::Clock) and a [`Network`](network::Network) are handed to it, so that its tests need neither time
//! nor a network.
//!
//! | module | subject |
//! |---|---|
//! | [`session`] | a scheme by name, its parameters, the groups, the greatest rate: what both ends must agree on |
//! | [`driver`] | inputs in, outbox out, deadlines, memberships, what is refused |
//! | [`content`] | what is above: payloads, seals, observers |
//! | [`directory`] | ids on the wire, the endpoint's addresses, addresses of sockets |
//! | [`groups`] | the groups of a session as addresses of sockets |
//! | [`network`] | the contract of what sends and receives |
//! | [`counters`], [`group_use`] | what a driver has counted, and what of each group |
//! | [`event_log`] | events of an endpoint, kept until somebody writes them down |
//! | `record` | a session written down, in the tables of simulations (feature `record`) |
//! | [`sockets`] | real ones: groups, interfaces, batches, stamps |
//! | [`run`] | the loop of a program |
//! | [`other_sources`] | who else sends to a member's groups |
//! | [`debt`] | what it owes when it was late, and how that is paid |
//! | [`rests`] | how long it waits at least |
//! | [`clock`] | a host's clock, and when packets came |
//! | `testing` | a network that only looks like one, and a clock that a test moves (feature `testing`) |

#![warn(clippy::missing_errors_doc, clippy::missing_panics_doc)]

pub mod clock;
pub mod content;
pub mod counters;
pub mod debt;
pub mod directory;
pub mod driver;
#[cfg(test)]
mod driver_tests;
pub mod event_log;
pub mod group_use;
pub mod groups;
pub mod network;
pub mod other_sources;
#[cfg(test)]
mod pacing_tests;
#[cfg(doctest)]
mod page_tests;
#[cfg(feature = "record")]
pub mod record;
#[cfg(test)]
mod record_tests;
pub mod rests;
pub mod run;
#[cfg(test)]
mod seal_tests;
pub mod session;
#[cfg(test)]
mod session_tests;
pub mod sockets;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
