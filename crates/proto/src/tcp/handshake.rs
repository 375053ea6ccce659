//! The exchange before data, if there is one: SYN and SYN-ACK (RFC 9293 section 3.5).
//!
//! The ACK that completes it goes with the first data segment: "Data or controls that were queued for transmission MAY
//! be included" (section 3.10.7.3). Only the sender has a timer; the receiver answers every SYN.

use super::header::Header;
use super::rtt::since_stamp;
use crate::packet::{Ecn, Packet};
use crate::time::{Duration, Instant};

/// The sender's side.
#[derive(Clone, Copy, Debug)]
pub struct Handshake {
    wanted: bool,
    /// A SYN's bytes on the wire.
    size: u16,
    /// SYNs sent.
    sent: u32,
    /// When the last one was.
    sent_at: Instant,
}

impl Handshake {
    /// Not begun; `size` is that of a SYN on the wire.
    pub fn new(wanted: bool, size: u16) -> Handshake {
        Handshake { wanted, size, sent: 0, sent_at: Instant::ZERO }
    }

    /// Whether data waits for it.
    pub fn is_wanted(&self) -> bool {
        self.wanted
    }

    /// A SYN from and to where `segment` goes. It is not ECN-capable (RFC 3168 section 6.1.1).
    pub fn syn(&mut self, now: Instant, segment: &Packet) -> Packet {
        self.sent += 1;
        self.sent_at = now;
        Packet { sent: now, size: self.size, ecn: Ecn::NotCapable, header: Header::Syn.into(), ..*segment }
    }

    /// A SYN has not been sent. The timer sends the next.
    pub fn take_back(&mut self) {
        self.sent = self.sent.saturating_sub(1);
    }

    /// SYNs sent, and their bytes.
    pub fn sent(&self) -> (u64, u64) {
        (self.sent.into(), u64::from(self.sent) * u64::from(self.size))
    }

    /// Whether a SYN was repeated: then one, or its answer, counts as lost.
    pub fn had_loss(&self) -> bool {
        self.sent > 1
    }

    /// The round-trip time that a SYN-ACK shows which arrived then. If the SYN was repeated, only a time stamp can tell
    /// which of them it answers (Karn; RFC 6298 section 3).
    pub fn round_trip(&self, arrived: Instant, echoed_stamp_us: Option<u32>) -> Option<Duration> {
        match echoed_stamp_us {
            Some(stamp) => since_stamp(arrived, stamp),
            None => (!self.had_loss()).then(|| arrived.since(self.sent_at)),
        }
    }
}

/// What the retransmission time-out is at least when data begins after a SYN was lost (RFC 6298 (5.7)).
pub const RTO_AFTER_LOST_SYN: Duration = Duration::from_secs(3);
