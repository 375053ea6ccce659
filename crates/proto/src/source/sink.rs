//! The sink: counts what arrives, for itself or as a member of multicast groups.

use crate::endpoint::{Endpoint, Input, Outbox, Report};
use crate::packet::{Address, Header, Packet};
use crate::time::Instant;

/// Counts datagrams. It sends nothing; told so it joins groups when it starts and leaves them when it stops.
#[derive(Clone, Debug, Default)]
pub struct Sink {
    received_pkts: u64,
    received_bytes: u64,
    distinct_bytes: u64,
    /// The highest number received, if any was.
    highest: u64,
    /// Which of the 64 numbers up to the highest have come, bit 0 for the highest; 0 if none has.
    seen: u64,
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
        if self.is_new(sequence) {
            self.distinct_bytes += u64::from(packet.size);
        }
    }

    /// Whether `sequence` has not come before. What is more than 64 numbers late counts as having come.
    #[inline]
    fn is_new(&mut self, sequence: u64) -> bool {
        if self.seen == 0 || sequence > self.highest {
            let ahead = sequence - self.highest;
            self.seen = if ahead < 64 { self.seen << ahead | 1 } else { 1 };
            self.highest = sequence;
            return true;
        }
        let age = self.highest - sequence;
        let new = age < 64 && self.seen >> age & 1 == 0;
        if new {
            self.seen |= 1 << age;
        }
        new
    }
}

impl Endpoint for Sink {
    #[inline(always)]
    fn handle(&mut self, _now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Packet(packet, _) => self.on_packet(packet),
            Input::Start => self.groups.clone().for_each(|group| out.join(Address::group(group))),
            Input::Stop => self.groups.clone().for_each(|group| out.leave(Address::group(group))),
            Input::Timeout => {}
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_recognised_within_64_numbers() {
        let mut sink = Sink::new();
        assert!(sink.is_new(0) && sink.is_new(3) && sink.is_new(1));
        assert!(!sink.is_new(0) && !sink.is_new(3) && !sink.is_new(1));
        assert!(sink.is_new(2));
        assert!(sink.is_new(66) && !sink.is_new(3) && sink.is_new(4));
        assert!(sink.is_new(u64::MAX) && !sink.is_new(u64::MAX) && sink.is_new(u64::MAX - 63) && !sink.is_new(67));
        let mut sink = Sink::new();
        assert!(sink.is_new(200) && !sink.is_new(200) && sink.is_new(137) && !sink.is_new(136));
        // 64 ahead: bit 0 has gone, and what was one behind it counts as not seen.
        let mut sink = Sink::new();
        assert!(sink.is_new(0) && sink.is_new(64) && sink.is_new(1) && !sink.is_new(0) && !sink.is_new(64));
    }
}
