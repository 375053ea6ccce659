//! The packet: one `Copy` value of 64 bytes, a cache line.

pub use crate::address::{Address, FlowId};
pub use crate::ecn::Ecn;
pub use crate::protocol_header::ProtocolHeader;

use crate::digest::Digest;
use crate::group_set::GroupSet;
#[cfg(any(test, feature = "testing"))]
use crate::group_set::MAX_GROUPS;
use crate::guest::header::GuestHeader;
use crate::random::fnv1a;
use crate::time::Instant;
use crate::wire::coding::{Coded, FieldError, Reader, Writer};
use crate::wire::message::Message;
use crate::wire::{self, Layout};
use std::fmt;

/// A packet without its payload.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Packet {
    /// When it was sent, on the sender's clock.
    pub sent: Instant,
    /// The flow or session it belongs to.
    pub flow: FlowId,
    /// Who sent it, and hence where an answer goes.
    pub source: Address,
    /// Who is to get it.
    pub destination: Address,
    /// Bytes on the wire, headers included.
    pub size: u16,
    /// Hops it may still take.
    pub ttl: u8,
    /// Congestion bits.
    pub ecn: Ecn,
    /// What the protocol says.
    pub header: Header,
}

macro_rules! headers {
    ($($Variant:ident ( $($path:ident)::+ ) $(with $($header:ident)::+)? = $name:literal : $about:literal ;)+) => {
        /// What a packet says: what every driver understands, or the header of a protocol, which is that protocol's
        /// own. Protocols come from the registries of [flow kinds](crate::flow_kinds!) and [schemes](crate::schemes!).
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Header {
            /// A datagram of an uncontrolled source.
            Datagram {
                /// Number of the datagram, from 0.
                sequence: u64,
            },
            /// A message about membership in multicast groups, from a node to its neighbour on the tree.
            Membership {
                /// What it says.
                what: MembershipMessage,
                /// Session that the groups belong to, by the number of the driver.
                session: u32,
                /// Number of the report, or of the one that is acknowledged; wraps around.
                number: u32,
                /// The session's groups that are wanted.
                groups: GroupSet,
            },
            $($(#[doc = $about] $Variant(crate::$($header)::+),)?)+
            /// Of a protocol from outside the tree.
            Guest(GuestHeader),
        }

        impl Header {
            /// Of whom there are headers.
            pub const KINDS: &'static [&'static str] =
                &["datagram", "membership", "guest" $($(, own_name!($name, $($header)::+))?)+];

            /// A number that tells two of them apart, for traces of runs that must be equal.
            pub fn digest(&self) -> u64 {
                let kind = |kind: &str, digest: u64| Digest::new().with(fnv1a(kind.as_bytes())).with(digest).value();
                match self {
                    Header::Datagram { sequence } => kind("datagram", *sequence),
                    Header::Membership { what, session, number, groups } => {
                        let of_all = Digest::new().with(*what as u8).with(*session).with(*number);
                        kind("membership", groups.iter().fold(of_all, Digest::with).value())
                    }
                    $($(Header::$Variant(header) => kind($name, <crate::$($header)::+>::digest(header)),)?)+
                    Header::Guest(header) => kind("guest", header.digest()),
                }
            }

            /// What its packet is on the wire; of a guest's what is there beside its own fields.
            pub fn layout(&self) -> &'static Layout {
                match self {
                    Header::Datagram { .. } => &wire::DATAGRAM,
                    Header::Membership { what: MembershipMessage::Report, .. } => &wire::MEMBERSHIP_REPORT,
                    Header::Membership { what: MembershipMessage::Acknowledge, .. } => {
                        &wire::MEMBERSHIP_ACKNOWLEDGEMENT
                    }
                    $($(Header::$Variant(header) => <crate::$($header)::+>::layout(header),)?)+
                    Header::Guest(_) => &wire::GUEST,
                }
            }

            /// Writes its fields, without what stands before them on the wire.
            pub fn encode_fields(&self, writer: &mut Writer<'_>) {
                match self {
                    Header::Datagram { sequence } => sequence.encode(writer),
                    Header::Membership { what: _, session, number, groups } => {
                        writer.field("session");
                        writer.session(*session);
                        number.encode(writer);
                        groups.to_bits().encode(writer);
                    }
                    $($(Header::$Variant(header) => <crate::$($header)::+>::encode_fields(header, writer),)?)+
                    Header::Guest(header) => header.encode(writer),
                }
            }

            /// Reads the fields of the message with this number; `None` if there is no such message.
            pub fn decode_fields(kind: u8, reader: &mut Reader<'_, '_>) -> Option<Result<Header, FieldError>> {
                if wire::DATAGRAM.format.is(kind) {
                    return Some(u64::decode(reader).map(|sequence| Header::Datagram { sequence }));
                }
                if wire::MEMBERSHIP_REPORT.format.is(kind) {
                    return Some(MembershipMessage::Report.decode(reader));
                }
                if wire::MEMBERSHIP_ACKNOWLEDGEMENT.format.is(kind) {
                    return Some(MembershipMessage::Acknowledge.decode(reader));
                }
                $($(if let Some(taken) = <crate::$($header)::+>::decode_fields(kind, reader) {
                    return Some(taken.map(Header::$Variant));
                })?)+
                GuestHeader::decode(kind, reader).map(|taken| taken.map(Header::Guest))
            }

            /// Its number on the wire: of the messages in the project's own format those of a guest with data, and with
            /// fields of other lengths, have others. `None` if it is in a standard's.
            pub fn wire_kind(&self) -> Option<u8> {
                match self {
                    Header::Guest(header) => Some(header.wire_kind()),
                    other => other.layout().format.kind(),
                }
            }

            /// Whether its packet carries data, and not an acknowledgement, a report or a message about membership.
            #[inline]
            pub fn is_data(&self) -> bool {
                match self {
                    Header::Datagram { .. } => true,
                    Header::Membership { .. } => false,
                    $($(Header::$Variant(header) => <crate::$($header)::+>::is_data(header),)?)+
                    Header::Guest(header) => header.is_data(),
                }
            }

            /// The packet's number as its protocol counts; none if it has none, or is a guest's.
            pub fn number(&self) -> Option<u64> {
                match self {
                    Header::Datagram { sequence } => Some(*sequence),
                    Header::Membership { .. } | Header::Guest(_) => None,
                    $($(Header::$Variant(header) => <crate::$($header)::+>::number(header),)?)+
                }
            }

            /// Whether what the packet carries has been sent before, as far as the protocol says so.
            pub fn is_retransmission(&self) -> bool {
                match self {
                    Header::Datagram { .. } | Header::Membership { .. } | Header::Guest(_) => false,
                    $($(Header::$Variant(header) => <crate::$($header)::+>::is_retransmission(header),)?)+
                }
            }

            /// Whether the packet takes one of those that an application has
            /// [granted](crate::endpoint::Input::Granted): data that has not been sent before.
            pub fn takes_granted(&self) -> bool {
                match self {
                    Header::Datagram { .. } => true,
                    Header::Membership { .. } => false,
                    $($(Header::$Variant(header) => <crate::$($header)::+>::takes_granted(header),)?)+
                    Header::Guest(header) => header.is_data(),
                }
            }

            /// Which of the [`KINDS`](Self::KINDS) it is.
            pub fn kind(&self) -> &'static str {
                match self {
                    Header::Datagram { .. } => "datagram",
                    Header::Membership { .. } => "membership",
                    Header::Guest(_) => "guest",
                    $($(Header::$Variant(_) => own_name!($name, $($header)::+),)?)+
                }
            }

            /// Any header at all, of each kind as often.
            #[cfg(any(test, feature = "testing"))]
            pub fn wild(wild: &mut crate::wild::Wild<'_>) -> Header {
                match Header::KINDS[wild.below(Header::KINDS.len() as u32) as usize] {
                    "datagram" => Header::Datagram { sequence: u64::from(wild.sequence()) },
                    "membership" => Header::Membership {
                        what: MembershipMessage::Report,
                        session: wild.word(),
                        number: wild.word(),
                        groups: GroupSet::of(wild.below(MAX_GROUPS)),
                    },
                    $($(own_name!($name, $($header)::+) => Header::$Variant(<crate::$($header)::+>::wild(wild)),)?)+
                    _ => Header::Guest(GuestHeader::wild(wild)),
                }
            }
        }

        /// For listings: which message it is, and what it says.
        impl fmt::Display for Header {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    Header::Datagram { sequence } => write!(f, "{} sequence {sequence}", wire::DATAGRAM.name),
                    Header::Membership { what: _, session, number, groups } => {
                        write!(f, "{} session {session} number {number} groups", self.layout().name)?;
                        groups.iter().try_for_each(|group| write!(f, " {group}"))
                    }
                    $($(Header::$Variant(header) => <crate::$($header)::+ as fmt::Display>::fmt(header, f),)?)+
                    // What the bytes mean its owner knows.
                    Header::Guest(header) => write!(f, "{} {header:?}", wire::GUEST.name),
                }
            }
        }

        $($(impl From<crate::$($header)::+> for Header {
            #[inline(always)]
            fn from(header: crate::$($header)::+) -> Header {
                Header::$Variant(header)
            }
        })?)+
    };
}

/// The name, for those that have a header of their own.
macro_rules! own_name {
    ($name:literal, $($header:ident)::+) => {
        $name
    };
}

impl From<GuestHeader> for Header {
    fn from(header: GuestHeader) -> Header {
        Header::Guest(header)
    }
}

/// The lines of the flow kinds, then those of the schemes.
macro_rules! of_flow_kinds_and_schemes {
    ($($line:tt)*) => {
        crate::schemes!(headers $($line)*);
    };
}

crate::flow_kinds!(of_flow_kinds_and_schemes);

/// What a message about membership says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MembershipMessage {
    /// From below: these groups of the session are wanted here, and no others.
    Report,
    /// From above: the report with this number has come.
    Acknowledge,
}

impl MembershipMessage {
    fn decode(self, reader: &mut Reader<'_, '_>) -> Result<Header, FieldError> {
        reader.field("session");
        let (session, number) = (reader.session()?, u32::decode(reader)?);
        Ok(Header::Membership { what: self, session, number, groups: GroupSet::from_bits(u128::decode(reader)?) })
    }
}

impl Packet {
    /// Whether it carries data, and not an acknowledgement, a report or a message about membership.
    #[inline]
    pub fn is_data(&self) -> bool {
        self.header.is_data()
    }
}

const _: () = assert!(core::mem::size_of::<Packet>() == 64);
const _: () = assert!(core::mem::size_of::<Header>() <= 40);

/// The hop limit that packets start with.
pub const INITIAL_TTL: u8 = 64;
