//! What pgmcc says in its packets (draft-ietf-rmt-bb-pgmcc-03 section 2.1).

use crate::address::Address;
use crate::protocol_header::ProtocolHeader;
use crate::wire::message::{header, message};

header! {
    /// The header of a packet of pgmcc.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Header {
        /// From the source to the group.
        0: Data(data: Data);
        /// From the acker to the source.
        1: Ack(ack: Ack);
        /// From any receiver to the source.
        2: Nak(nak: Nak);
        /// From the source to the group: somebody has told it that the packet with this number is missing (RFC 3208
        /// section 2.1, "NAK confirmation").
        3: Ncf {
            /// The number.
            missing: u32 => ["missing": 32],
        } is NCF = "pgmcc: NCF", Format::Own(83), [];
    }
}

message! {
    /// A data packet (section 2.1.1); its time stamp is [`Packet::sent`](crate::packet::Packet::sent).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Data is DATA = "pgmcc: data", Format::Own(80), [] {
        /// Number of the packet, from 0; wraps around.
        pub sequence: u32 => ["sequence": 32],
        /// Who is to acknowledge it; none = an acker is to be elected.
        pub acker: Option<Address> => ["acker": 64],
    }
}

message! {
    /// An acknowledgement (section 2.1.2).
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Ack is ACK = "pgmcc: ACK", Format::Own(81), ["flags": 8] {
        /// Time stamp of the data packet that it answers plus the time since then, low 32 bits of microseconds.
        pub echoed_stamp_us: u32 => ["echoed stamp": 32] undigested,
        /// The receiver's loss rate p.
        pub loss_rate: f32 => ["loss_rate": 32],
        /// The highest number that has come (RX_MAX).
        pub highest: u32 => ["highest": 32],
        /// Which of the latest 32 packets have come, bit 0 the highest.
        pub bitmap: u32 => ["bitmap": 32],
        /// The receiver leaves (section 2.3.2).
        pub leave: bool => [],
    }
}

message! {
    /// A report of a loss, or a dummy by which an acker is elected.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Nak is NAK = "pgmcc: NAK", Format::Own(82), ["flags": 8] {
        /// Time stamp of the last data packet plus the time since then, low 32 bits of microseconds.
        pub echoed_stamp_us: u32 => ["echoed stamp": 32] undigested,
        /// The receiver's loss rate p.
        pub loss_rate: f32 => ["loss_rate": 32],
        /// The highest number that has come (in PGM: RXW_LEAD).
        pub highest: u32 => ["highest": 32],
        /// The number of the packet that is missing; none: a dummy (section 2.3.1).
        pub missing: Option<u32> => ["missing": 32],
    }
}

impl ProtocolHeader for Header {
    fn is_data(&self) -> bool {
        matches!(self, Header::Data(_))
    }

    /// Of an ACK the highest number that it acknowledges, of a NAK and its confirmation that of what is missing.
    fn number(&self) -> Option<u64> {
        Some(u64::from(match *self {
            Header::Data(data) => data.sequence,
            Header::Ack(ack) => ack.highest,
            Header::Nak(nak) => nak.missing.unwrap_or(nak.highest),
            Header::Ncf { missing } => missing,
        }))
    }

    #[cfg(any(test, feature = "testing"))]
    fn wild(wild: &mut crate::wild::Wild<'_>) -> Header {
        let loss_rate = if wild.chance(0.5) { wild.number() } else { wild.uniform() as f32 };
        let (echoed_stamp_us, highest) = (wild.word(), wild.sequence());
        match wild.below(4) {
            0 => {
                let acker = wild.chance(0.8).then(|| Address::endpoint(wild.below(9)));
                Header::Data(Data { sequence: highest, acker })
            }
            1 => {
                let bitmap = if wild.chance(0.5) { u32::MAX } else { wild.word() };
                Header::Ack(Ack { echoed_stamp_us, loss_rate, highest, bitmap, leave: wild.chance(0.1) })
            }
            2 => {
                let missing = wild.chance(0.7).then(|| wild.sequence());
                Header::Nak(Nak { echoed_stamp_us, loss_rate, highest, missing })
            }
            _ => Header::Ncf { missing: highest },
        }
    }
}
