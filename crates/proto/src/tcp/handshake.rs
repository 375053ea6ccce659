//! The exchange before data, if there is one: SYN, SYN-ACK and ACK (RFC 9293 section 3.5).
//!
//! The ACK that completes it is a packet of its own if that is wanted, as the figures of that section have it and as a
//! host sends it whose application writes once it is connected. Otherwise it goes with the first data segment: "Data or
//! controls that were queued for transmission MAY be included" (section 3.10.7.3). Nobody waits for it: every data
//! segment says the same, so its loss changes nothing. Only the sender has a timer; the receiver answers every SYN.

use super::header::Header;
use super::rtt::since_stamp;
use crate::packet::{Ecn, Packet};
use crate::time::{Duration, Instant};

/// The sender's side.
#[derive(Clone, Copy, Debug)]
pub struct Handshake {
    wanted: bool,
    /// Whether each SYN-ACK is acknowledged by a packet.
    acknowledges: bool,
    /// Bytes on the wire of a SYN, and of the ACK.
    size: u16,
    /// SYNs sent.
    sent: u32,
    /// ACKs of SYN-ACKs sent.
    acks_sent: u32,
    /// When the last SYN was.
    sent_at: Instant,
}

impl Handshake {
    /// Not begun; `size` is that of a SYN on the wire, and of the ACK of its answer if that is `acknowledged` by a
    /// packet of its own.
    pub fn new(wanted: bool, acknowledged: bool, size: u16) -> Handshake {
        let acknowledges = wanted && acknowledged;
        Handshake { wanted, acknowledges, size, sent: 0, acks_sent: 0, sent_at: Instant::ZERO }
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

    /// The ACK of a SYN-ACK, from and to where `segment` goes, if there is to be one. As all without data it is not
    /// ECN-capable (RFC 3168 section 6.1.4).
    pub fn ack(&mut self, now: Instant, segment: &Packet) -> Option<Packet> {
        let header = Header::HandshakeAck.into();
        self.acknowledges.then(|| {
            self.acks_sent += 1;
            Packet { sent: now, size: self.size, ecn: Ecn::NotCapable, header, ..*segment }
        })
    }

    /// A packet with this header, a SYN or an ACK, has not been sent. The timer sends the next SYN; an ACK is not
    /// missed.
    pub fn take_back(&mut self, header: Header) {
        let count = if header == Header::Syn { &mut self.sent } else { &mut self.acks_sent };
        *count = count.saturating_sub(1);
    }

    /// SYNs and ACKs sent, and their bytes.
    pub fn sent(&self) -> (u64, u64) {
        let packets = u64::from(self.sent) + u64::from(self.acks_sent);
        (packets, packets * u64::from(self.size))
    }

    /// SYNs that were sent again.
    pub fn repeated(&self) -> u64 {
        self.sent.saturating_sub(1).into()
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
