//! Congestion-control protocols without I/O.
//!
//! An [`Endpoint`](endpoint::Endpoint) is a deterministic state machine: it is handed packets and timeouts with the
//! present time as an argument and says through an [`Outbox`](endpoint::Outbox) what it wants sent. It reads no clock,
//! owns no socket and draws random numbers only from a [`Random`](random::Random) stream given to it, so the same code
//! runs in the simulator and, with another driver, on a network.
//!
//! # Features
//!
//! None is on by default, and none is needed to drive endpoints: parameters are structures with public fields and a
//! `Default`, and [`Scheme::check`](scheme::Scheme::check) says what is wrong with them.
//!
//! | feature | brings |
//! |---|---|
//! | `serde` | parameters are read and written, as scenarios have them, by `profile` if wanted; kinds of [`guest`]s |
//! | `schemars` | a JSON schema of what may be said; has `serde` within |
//! | `testing` | drivers for tests: two endpoints, or a group, in virtual time |
//!
//! | module | subject |
//! |---|---|
//! | [`time`], [`packet`] | the vocabulary: instants, rates, the 64-byte packet |
//! | [`wire`] | what packets are on the wire, field by field, and so how long |
//! | [`guest`] | code outside the tree: its headers, its kinds of schemes and other things |
//! | [`control`] | messages that no header holds |
//! | [`group_set`] | the groups of a session: sets of them, and what each is for |
//! | [`endpoint`] | the contract between a protocol and its driver |
//! | [`quantity`] | quantities with units in configurations: `"1.5 Mbit/s"`, `"250 ms"`, `"50 packets"` |
//! | [`limits`] | what values of parameters are legal: the check, its message and the schema |
//! | [`profile`] | sets of values that a key `profile` gives to the others |
//! | [`random`] | named random streams |
//! | [`tcp`] | TCP: Reno, NewReno, SACK; ECN and multilevel ECN |
//! | [`tfmcc`] | TFMCC, single-rate multicast congestion control |
//! | [`omcc`] | OMCC: TFMCC scaled by the utility that a session has for the network |
//! | [`smcc`] | SMCC: layers, each with a single-rate control of its own |
//! | [`mlda`] | MLDA: layers whose rates follow what receivers report |
//! | [`pgmcc`] | pgmcc, window-based single-rate multicast congestion control |
//! | [`scheme`], [`flow_kind`] | the contracts of schemes of multicast congestion control and of kinds of flows |
//! | [`registry`] | the schemes and the kinds of flows, by name |
//! | [`source`] | sources without congestion control and their sink |
//! | [`playout`] | a player at a receiver: what a viewer sees of the media that a session carries |
//! | [`parts`] | what several protocols are made of |

#![warn(clippy::missing_errors_doc, clippy::missing_panics_doc)]

mod address;
pub mod control;
mod declared;
pub mod digest;
mod ecn;
pub mod endpoint;
mod event;
pub mod flow_kind;
mod gauge;
pub mod group_set;
pub mod guest;
pub mod layer_blocking;
pub mod liar;
pub mod limits;
pub mod mlda;
pub mod omcc;
pub mod packet;
pub mod parts;
pub mod pgmcc;
pub mod playout;
#[cfg(feature = "serde")]
pub mod profile;
mod protocol_header;
pub mod quantity;
pub mod random;
pub mod registry;
pub mod rlm;
pub mod scheme;
pub mod smcc;
pub mod source;
pub mod tcp;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod tfmcc;
pub mod time;
#[cfg(any(test, feature = "testing"))]
mod wild;
pub mod wire;
#[cfg(test)]
mod wire_tests;
