//! What TFMCC says in its packets (RFC 4654 section 2.2), and how a scheme built on it says more.

use super::scaling::Scaling;
use crate::digest::{Digest, Digestible};
use crate::packet::{self, Address, ProtocolHeader};
use crate::wire::message::{Listed, header, message};
use crate::wire::{Format, Layout};
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
    /// A data packet (section 2.2.1); the time stamp ts_i is [`Packet::sent`](packet::Packet::sent).
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct DataHeader is DATA = "TFMCC: data", Format::Own(32), ["flags": 8] {
        /// Feedback round, wraps around (fb_nr).
        pub round: u8 => ["round": 8],
        /// Number of the packet, from 0 (i).
        pub sequence: u32 => ["sequence": 32],
        /// Suppression rate X_supp, bit/s; infinite at the beginning of a feedback round.
        pub suppression_bps: f32 => ["suppression": 32],
        /// The present sending rate X, bit/s. Not in the RFC: for timers biased by the rate and for observers.
        pub rate_bps: f32 => ["rate": 32],
        /// Maximum round-trip time R_max, microseconds.
        pub max_rtt_us: u32 => ["max_rtt": 32],
        /// The receiver whose time stamp is echoed.
        pub echo: Option<Echo> => ["echo receiver": 64, "echo stamp": 32],
    }
    digest (whole [suppression_bps, rate_bps, max_rtt_us, sequence, round, echo])
}

message! {
    /// A feedback packet (section 2.2.2); the receiver's identity r is [`Packet::source`](packet::Packet::source), its
    /// time stamp tr_r is [`Packet::sent`](packet::Packet::sent).
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
        /// Desired rate X_r, bit/s.
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

impl Listed for Echo {
    fn list(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Echo { receiver, stamp_us, is_clr } = *self;
        write!(f, " {name} {stamp_us} of {}{}", receiver.index(), if is_clr { ", the CLR" } else { "" })
    }
}

/// In which headers the messages of TFMCC's endpoints travel: [`Plain`], or in those of a scheme built on it, with what
/// that adds. What comes in other headers is not for these endpoints.
pub trait Wording {
    /// What a report is on the wire.
    const FEEDBACK: &'static Layout;

    /// The header of a data packet; the scaling is that in use.
    fn data(data: DataHeader, scaling: Scaling) -> packet::Header;

    /// What a data packet says, and by what its receiver is to multiply the equation.
    fn read_data(header: &packet::Header) -> Option<(DataHeader, f32)>;

    /// The header of a feedback packet. `draw` is the uniform number that the feedback timer was drawn from, NaN if
    /// none was.
    fn feedback(feedback: FeedbackHeader, draw: f32) -> packet::Header;

    /// What a feedback packet says.
    fn read_feedback(header: &packet::Header) -> Option<FeedbackHeader>;
}

/// TFMCC's own headers.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Wording for Plain {
    const FEEDBACK: &'static Layout = &FEEDBACK;

    fn data(data: DataHeader, _: Scaling) -> packet::Header {
        Header::Data(data).into()
    }

    #[inline]
    fn read_data(header: &packet::Header) -> Option<(DataHeader, f32)> {
        match *header {
            packet::Header::Tfmcc(Header::Data(data)) => Some((data, 1.0)),
            _ => None,
        }
    }

    fn feedback(feedback: FeedbackHeader, _: f32) -> packet::Header {
        Header::Feedback(feedback).into()
    }

    #[inline]
    fn read_feedback(header: &packet::Header) -> Option<FeedbackHeader> {
        match *header {
            packet::Header::Tfmcc(Header::Feedback(feedback)) => Some(feedback),
            _ => None,
        }
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
    fn wild(wild: &mut crate::testing::Wild<'_>) -> Header {
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
    fn wild(wild: &mut crate::testing::Wild<'_>) -> DataHeader {
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
        }
    }
}

impl ProtocolHeader for FeedbackHeader {
    fn is_data(&self) -> bool {
        false
    }

    #[cfg(any(test, feature = "testing"))]
    fn wild(wild: &mut crate::testing::Wild<'_>) -> FeedbackHeader {
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
