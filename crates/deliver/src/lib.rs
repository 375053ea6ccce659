//! Files for many receivers: everything about them that needs no socket.
//!
//! | file | subject |
//! |---|---|
//! | `geometry.rs` | how objects are cut into blocks, and blocks into symbols |
//! | `names.rs` | names of files that cannot leave the receiver's folder |
//! | `manifest.rs` | names, lengths and hashes of all files |
//! | `root.rs` | the one signed packet from which all else can be checked |
//! | `symbol.rs` | what a packet with a symbol begins with |
//! | `feedback.rs` | what receivers ask for, as bytes |
//! | `source.rs`, `repair.rs`, `octets.rs` | the sender's files; RaptorQ, and its arithmetic |
//! | `roster.rs` | who receives |
//! | `offer/` | the sender: the carousel, and what is asked for |
//! | `needs.rs`, `block.rs` | what was asked for and is to be sent; a block that is not whole yet |
//! | `store/` | a receiver: partial files beside a journal |
//! | `stream/` | bytes that have no end yet: sender and receiver, in memory |
//! | `keys/` | who may send, who may speak as whom, and who may read |
//!
//! A driver asks an [`Offer`] for payloads and gives those that come to a [`Store`]; now
//! and then it asks the store for a request and lets the offer hear it. Sessions of [`keys`] seal the former and
//! authenticate the latter. Nothing here knows a socket or a clock: the time is an argument, a [`Duration`] since
//! whenever the driver likes. `docs/delivery.md` tells how it works, `docs/wire-format.md` every byte.
//!
//! [`Duration`]: std::time::Duration

mod block;
mod bytes;
pub mod failure;
pub mod feedback;
pub mod geometry;
pub mod keys;
pub mod manifest;
pub mod names;
mod needs;
mod octets;
pub mod offer;
mod repair;
pub mod root;
pub mod roster;
pub mod source;
pub mod store;
pub mod stream;
pub mod symbol;

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod wire_format_tests;

pub use failure::{Failure, Malformed};
pub use keys::{ReceiverKeys, ReceiverSession, SenderKeys, SenderSession};
pub use offer::Offer;
pub use store::Store;
