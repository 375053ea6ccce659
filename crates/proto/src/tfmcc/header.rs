//! What TFMCC says in its packets (RFC 4654 section 2.2).

use crate::address::Address;
use crate::digest::{Digest, Digestible};
use crate::protocol_header::ProtocolHeader;
use crate::wire::coding::{Coded, FieldError, Reader, Writer};
use crate::wire::message::{Listed, header, message};
use std::fmt;

header! {
    /// The header of a TFMCC packet.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Header {
        /// From the sender to the group.
        0: Data(data: DataHeader);
        /// From a receiver to the sender.
        1: Feedback(feedback: FeedbackHeader);
    }
}

message! {
    /// A data packet (section 2.2.1); the time stamp ts_i is [`Packet::sent`](crate::packet::Packet::sent).
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct DataHeader is DATA = "TFMCC: data", Format::Own(32), ["flags": 8] {
        /// Feedback round, wraps around (fb_nr).
        pub round: u8 => ["round": 8],
        /// Number of the packet, from 0 (i).
        pub sequence: u32 => ["sequence": 32],
        /// Suppression rate X_supp, bit/s; infinite at the beginning of a feedback round.
        pub suppression_bps: f32 => ["suppression": 32] infinite,
        /// The present sending rate X, bit/s. Not in the RFC: for timers biased by the rate and for observers.
        pub rate_bps: f32 => ["rate": 32],
        /// Maximum round-trip time R_max, microseconds.
        pub max_rtt_us: u32 => ["max_rtt": 32],
        /// The receiver whose time stamp is echoed.
        pub echo: Option<Echo> => ["echo receiver": 64, "echo stamp": 32],
        /// A start goes on in which receivers look for queues, and answer sooner. Not in the RFC.
        pub starting: bool => [] undigested,
        /// In it those that suffer say so at once, if they were there when all were asked. Not in the RFC.
        pub at_once: bool => [] undigested,
    }
    digest (whole [suppression_bps, rate_bps, max_rtt_us, sequence, round, echo])
}

message! {
    /// A feedback packet (section 2.2.2); the receiver's identity r is
    /// [`Packet::source`](crate::packet::Packet::source), its time stamp tr_r is
    /// [`Packet::sent`](crate::packet::Packet::sent).
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FeedbackHeader is FEEDBACK = "TFMCC: report", Format::Own(33), ["flags": 8] {
        /// The receiver has measured its round-trip time.
        pub have_rtt: bool => [],
        /// The receiver has seen a loss event.
        pub have_loss: bool => [],
        /// The receiver is about to leave.
        pub leave: bool => [],
        /// The highest feedback round seen.
        pub round: u8 => ["round": 8],
        /// Time stamp of the last data packet plus the time since then (ts_i'), low 32 bits of microseconds.
        pub echoed_stamp_us: u32 => ["echoed stamp": 32] undigested,
        /// Desired rate X_r, bit/s. In a start that of a receiver without losses whose packets have come to take longer
        /// is X_recv, where it is twice that otherwise.
        pub rate_bps: f32 => ["rate": 32],
        /// The receiver's round-trip time, seconds; R_max if it has none of its own. Not in the RFC.
        pub rtt_s: f32 => ["rtt": 32],
        /// Loss event rate p; 0 before the first loss. Not in the RFC.
        pub loss_event_rate: f32 => ["loss_event_rate": 32],
        /// Receive rate X_recv, bit/s. Not in the RFC: for observers, and for a source whose application limits it.
        pub receive_bps: f32 => ["receive": 32],
        /// What the receiver multiplies the equation by. Not in the RFC; for observers.
        pub scale: f32 => ["scale": 32],
    }
    digest whole
}

/// The echo of a receiver's time stamp in a data packet. Packed, so that a scheme built on TFMCC has room beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(Rust, packed)]
pub struct Echo {
    /// The receiver (r).
    pub receiver: Address,
    /// Its time stamp plus the time the sender held it (tr_r'), low 32 bits of microseconds.
    pub stamp_us: u32,
    /// Whether it is the current limiting receiver (is_CLR).
    pub is_clr: bool,
}

impl Digestible for Echo {
    /// The stamp begins anywhere.
    fn put(self, digest: &mut Digest) {
        let Echo { receiver, stamp_us: _, is_clr } = self;
        Digest::new().with(receiver).with(is_clr).value().put(digest);
    }
}

/// Two flags, whether it is there and whether it is of the CLR; without it all is 0.
impl Coded for Option<Echo> {
    const BYTES: u16 = 12;

    fn encode(&self, writer: &mut Writer<'_>) {
        writer.flag(self.is_some());
        writer.flag(self.is_some_and(|echo| echo.is_clr));
        self.map(|echo| echo.receiver).encode(writer);
        self.map_or(0, |echo| echo.stamp_us).encode(writer);
    }

    fn decode(reader: &mut Reader<'_, '_>) -> Result<Option<Echo>, FieldError> {
        if !reader.flag() {
            reader.flag();
            reader.bytes::<12>()?;
            return Ok(None);
        }
        let (is_clr, receiver) = (reader.flag(), Address::decode(reader)?);
        Ok(Some(Echo { receiver, stamp_us: u32::decode(reader)?, is_clr }))
    }
}

impl Listed for Echo {
    fn list(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Echo { receiver, stamp_us, is_clr } = *self;
        write!(f, " {name} {stamp_us} of {}{}", receiver.index(), if is_clr { ", the CLR" } else { "" })
    }
}

impl ProtocolHeader for Header {
    fn is_data(&self) -> bool {
        matches!(self, Header::Data(_))
    }

    /// Of a report the feedback round that it is for.
    fn number(&self) -> Option<u64> {
        Some(match *self {
            Header::Data(data) => data.sequence.into(),
            Header::Feedback(feedback) => feedback.round.into(),
        })
    }

    #[cfg(any(test, feature = "testing"))]
    fn wild(wild: &mut crate::wild::Wild<'_>) -> Header {
        if wild.chance(0.6) {
            Header::Data(DataHeader::wild(wild))
        } else {
            Header::Feedback(FeedbackHeader::wild(wild))
        }
    }
}

impl ProtocolHeader for DataHeader {
    fn is_data(&self) -> bool {
        true
    }

    #[cfg(any(test, feature = "testing"))]
    fn wild(wild: &mut crate::wild::Wild<'_>) -> DataHeader {
        DataHeader {
            sequence: wild.sequence(),
            suppression_bps: wild.number(),
            rate_bps: wild.number(),
            max_rtt_us: if wild.chance(0.1) { wild.word() } else { wild.below(1_000_000) },
            round: wild.word() as u8,
            echo: wild.chance(0.5).then(|| Echo {
                receiver: wild.from,
                stamp_us: wild.word(),
                is_clr: wild.chance(0.5),
            }),
            starting: wild.chance(0.3),
            at_once: wild.chance(0.3),
        }
    }
}

impl ProtocolHeader for FeedbackHeader {
    fn is_data(&self) -> bool {
        false
    }

    #[cfg(any(test, feature = "testing"))]
    fn wild(wild: &mut crate::wild::Wild<'_>) -> FeedbackHeader {
        FeedbackHeader {
            have_rtt: wild.chance(0.5),
            have_loss: wild.chance(0.3),
            leave: wild.chance(0.2),
            round: wild.word() as u8,
            echoed_stamp_us: wild.word(),
            rate_bps: wild.number(),
            rtt_s: wild.number(),
            loss_event_rate: wild.number(),
            receive_bps: wild.number(),
            scale: wild.number(),
        }
    }
}
