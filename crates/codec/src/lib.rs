//! Messages as bytes, and bytes as messages.
//!
//! [`encode`] writes what a [`Packet`](faircast_proto::packet::Packet) says, [`decode`] reads a datagram. The project's
//! own format is specified in `docs/wire-format.md`; its fields are declared where each protocol has its header
//! ([`faircast_proto::wire`]), and here stands what comes before them. MLDA is on the wire in RTP and RTCP ([`rtp`]).
//! NORM's messages ([`norm`]) and LCT's packets ([`lct`]) are read and written apart: a session is in one format.
//!
//! Nothing here does I/O or reads a clock, and no bytes cause a panic or more memory than they take themselves. Whoever
//! sends or receives keeps two things: who has which id ([`Directory`]), and for each sender a full time stamp of late
//! ([`Scope::near`]), as those on the wire wrap around after 71 minutes ([`stamp`]).
//!
//! ```
//! use faircast_codec::{Directory, Scope, decode, encode};
//! use faircast_proto::packet::{Address, Ecn, FlowId, Header, Packet};
//! use faircast_proto::time::Instant;
//!
//! /// Everybody has the id 1 + the number of the address.
//! struct Ids;
//!
//! impl Directory for Ids {
//!     fn id(&self, address: Address) -> u64 {
//!         1 + address.index() as u64
//!     }
//!     fn address(&mut self, id: u64) -> Option<Address> {
//!         (id <= 9).then(|| Address::endpoint(id as u32 - 1))
//!     }
//! }
//!
//! impl Scope for Ids {
//!     fn near(&self, _sender: Address) -> Option<Instant> {
//!         Some(Instant::from_secs_f64(7.0))
//!     }
//! }
//!
//! let packet = Packet {
//!     sent: Instant::from_secs_f64(7.25),
//!     flow: FlowId(0),
//!     source: Address::endpoint(4),
//!     destination: Address::group(0),
//!     size: 1000,
//!     ttl: 1,
//!     ecn: Ecn::NotCapable,
//!     header: Header::Datagram { sequence: 12 },
//! };
//! let mut bytes = Vec::new();
//! assert_eq!(encode(&packet, None, &Ids, &mut bytes), Ok(22));
//! bytes.extend(b"payload");
//!
//! let decoded = decode(&bytes, &mut Ids).unwrap();
//! assert_eq!((decoded.packet.source, decoded.packet.sent), (packet.source, packet.sent));
//! assert_eq!((decoded.packet.header, decoded.payload), (packet.header, &b"payload"[..]));
//! assert!(decode(&bytes[..21], &mut Ids).is_err());
//! ```

#![warn(clippy::missing_errors_doc, clippy::missing_panics_doc)]

mod decoded;
mod error;
pub mod fec;
pub mod lct;
mod native;
pub mod norm;
pub mod rtp;
pub mod stamp;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use decoded::{Decoded, Scope};
pub use error::{Malformed, Unencodable};
pub use faircast_proto::wire::coding::Directory;
pub use native::{decode, decode_between_neighbours, encode};
