//! The sink: counts what arrives, for itself or as a member of multicast groups.

use super::seen::Seen;
use crate::endpoint::{Endpoint, Input, Outbox, Report};
use crate::packet::{Address, Header, Packet};
use crate::time::Instant;

/// Counts datagrams. It sends nothing; told so it joins groups when it starts and leaves them when it stops.
#[derive(Clone, Debug, Default)]
pub struct Sink {
    received_pkts: u64,
    distinct_bytes: u64,
    received_bytes: u64,
    seen: Seen,
    /// Numbers of the groups it joins.
    groups: core::ops::Range<u32>,
}

impl Sink {
    /// Has seen nothing.
    pub fn new() -> Sink {
        Sink::default()
    }

    /// Has seen nothing; joins `count` groups from `first` on.
    pub fn member(first: Address, count: u32) -> Sink {
        let first = first.index() as u32;
        Sink { groups: first..first + count, ..Sink::default() }
    }

    #[inline]
    fn on_packet(&mut self, packet: &Packet) {
        self.received_pkts += 1;
        self.received_bytes += u64::from(packet.size);
        let Header::Datagram { sequence } = packet.header else { return };
        if self.seen.is_new(sequence) {
            self.distinct_bytes += u64::from(packet.size);
        }
    }
}

impl Endpoint for Sink {
    #[inline(always)]
    fn handle(&mut self, _now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Packet { packet, .. } => self.on_packet(packet),
            Input::Start => self.groups.clone().for_each(|group| out.join(Address::group(group))),
            Input::Stop => self.groups.clone().for_each(|group| out.leave(Address::group(group))),
            Input::Timeout | Input::LinkLoss(_) | Input::Unjoined(_) | Input::Granted(_) | Input::NotSent(_) => {}
        }
    }

    #[inline]
    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn report(&self) -> Report {
        Report {
            received_pkts: self.received_pkts,
            received_bytes: self.received_bytes,
            distinct_bytes: self.distinct_bytes,
            ..Report::default()
        }
    }
}
