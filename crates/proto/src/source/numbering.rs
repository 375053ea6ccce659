//! Numbers and counts of the datagrams of a source.

use super::codepoint::Codepoint;
use crate::endpoint::Report;
use crate::packet::{Address, FlowId, Header, INITIAL_TTL, Packet};
use crate::quantity::Bytes;
use crate::time::Instant;

/// Numbers and counts the datagrams of a source.
#[derive(Clone, Debug)]
pub(super) struct Numbering {
    next: u64,
    /// Numbers that went with packets that were not sent and could not be taken back.
    unsent: u64,
    template: Packet,
}

impl Numbering {
    pub(super) fn new(packet_size: Bytes, ecn: Codepoint, flow: FlowId, own: Address, peer: Address) -> Numbering {
        let template = Packet {
            sent: Instant::ZERO,
            flow,
            source: own,
            destination: peer,
            size: packet_size.0 as u16,
            ttl: INITIAL_TTL,
            ecn: ecn.into(),
            header: Header::Datagram { sequence: 0 },
        };
        Numbering { next: 0, unsent: 0, template }
    }

    pub(super) fn next(&mut self, now: Instant) -> Packet {
        let packet = Packet { sent: now, header: Header::Datagram { sequence: self.next }, ..self.template };
        self.next += 1;
        packet
    }

    /// This datagram has not been sent: if it was the last, the next one has its number.
    pub(super) fn take_back(&mut self, packet: &Packet) {
        match packet.header {
            Header::Datagram { sequence } if sequence + 1 == self.next => self.next = sequence,
            _ => self.unsent += 1,
        }
    }

    pub(super) fn report(&self) -> Report {
        let sent_pkts = self.next - self.unsent;
        Report { sent_pkts, sent_bytes: sent_pkts * u64::from(self.template.size), ..Report::default() }
    }
}
