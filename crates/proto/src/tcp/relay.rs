//! A relay: a performance enhancing proxy that splits a connection (RFC 3135 section 2.4).
//!
//! It is the receiver of what comes from upstream and the sender of that to downstream: two connections with round
//! trips, windows and repairs of their own. Segments have the same numbers on both, and what has come in order may go
//! on. Its buffer holds what has come and has not been acknowledged downstream; what is left of it is the window that
//! it tells upstream, so that nobody sends what it has no room for.
//!
//! What a relay acknowledges has not come to the far application yet. With each acknowledgement it says how much that
//! is (`behind`): an application that waits for an answer waits for that from the far end. When what has come through
//! passes the end of an object, which the far end would answer, it says so at once.

use super::config::Config;
use super::header::{Header, RelayBlock};
use super::number::expand;
use super::receiver::Receiver;
use super::sender::Sender;
use crate::endpoint::{Action, Endpoint, Gauge, Input, Outbox, Report};
use crate::packet::{self, Address, FlowId};
use crate::random::Random;
use crate::time::{Duration, Instant};

/// A relay between a sender and a receiver, or between two others.
#[derive(Debug)]
pub struct Relay {
    receiver: Receiver,
    sender: Sender,
    upstream: Address,
    /// How many segments it may hold.
    room: u64,
    /// One past the last segment that it has told upstream there is room for.
    edge: u64,
    /// The first segment of which it has not told upstream that it has come through.
    told: u64,
    /// One past the last segment that its sender has been granted.
    granted: u64,
    /// One past the last segment of each object that is known.
    ends: Vec<u64>,
    /// How many of them have come through.
    passed: usize,
    /// The most segments that it has held.
    most: u64,
    /// Whether anything has come from upstream.
    is_open: bool,
}

/// Where a relay is, and what it may hold.
#[derive(Clone, Copy, Debug)]
pub struct RelayPlace {
    /// The flow that it carries.
    pub flow: FlowId,
    /// Who sends to it.
    pub upstream: Address,
    /// Its own address.
    pub own: Address,
    /// To whom it sends.
    pub downstream: Address,
    /// How many segments it may hold.
    pub room: u16,
}

/// What a relay shows: of itself, then of its sender.
pub const GAUGES: &[Gauge] = &[
    Gauge::level("relay_held", "packets", "Packets in the buffer of a relay that splits the connection."),
    Gauge::count("relay_most", "packets", "The most that have been there at one time."),
];

impl Relay {
    /// One that receives as `upstream` says and sends as `downstream` does, without an end of its own. Both must have
    /// passed [`Config::check`], with segments of one size. `random` is for the jitter of sending and the phase of the
    /// clock.
    pub fn new(upstream: &Config, downstream: &Config, place: RelayPlace, random: [Random; 2]) -> Relay {
        debug_assert_eq!(upstream.segment_bytes(), downstream.segment_bytes(), "segments go on as they come");
        let RelayPlace { flow, upstream: from, own, downstream: to, room } = place;
        let [jitter, phase] = random;
        let sender = Sender::new(downstream, flow, own, to, jitter).with_clock_phase(downstream, phase);
        Relay {
            receiver: Receiver::new(upstream, flow, own, from),
            sender: sender.ending_at(u64::MAX, 0),
            upstream: from,
            room: room.into(),
            edge: room.into(),
            told: 0,
            granted: 0,
            ends: upstream.segments.map(u64::from).into_iter().collect(),
            passed: 0,
            most: 0,
            is_open: false,
        }
    }

    /// Sends to another relay, which has room for so many segments.
    pub fn to_relay(mut self, room: u16) -> Relay {
        self.sender = self.sender.to_relay(room);
        self
    }

    /// What is carried are objects, whose last segments are before these: their ends are answered from afar.
    pub fn with_ends(mut self, ends: impl IntoIterator<Item = u64>) -> Relay {
        self.ends.clear();
        self.ends.extend(ends);
        self
    }

    /// Numbers the first segment `first`.
    #[cfg(test)]
    pub(super) fn numbered_from(mut self, first: u64) -> Relay {
        self.receiver = self.receiver.numbered_from(first);
        self.sender = self.sender.numbered_from(first).ending_at(u64::MAX, first);
        self.edge += first;
        (self.told, self.granted) = (first, first);
        self.ends.iter_mut().for_each(|end| *end += first);
        self
    }

    /// How many segments it holds: what has come and has not been acknowledged downstream.
    pub fn held(&self) -> u64 {
        self.receiver.next_expected() - self.sender.acknowledged() + self.receiver.early()
    }

    /// How many segments it may hold.
    pub fn room(&self) -> u64 {
        self.room
    }

    /// The first segment that has not come.
    pub fn arrived(&self) -> u64 {
        self.receiver.next_expected()
    }

    /// For how long there has been something in it by now for which the next relay had no room.
    pub fn held_back(&self, now: Instant) -> Duration {
        self.sender.held_back(now)
    }

    /// The most that it has held at one time.
    pub fn most_held(&self) -> u64 {
        self.most
    }

    /// Upstream begins, or sends data: then the connection onward begins, too.
    fn take_from_upstream(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        let Input::Packet { packet, .. } = input else { return };
        if let packet::Header::Tcp(Header::Data { sequence, .. }) = packet.header
            && expand(sequence, self.receiver.next_expected()).is_some_and(|segment| segment >= self.edge)
        {
            // There is no room for that, as has been said (RFC 9293 section 3.10.7).
            return self.acknowledge(now, out);
        }
        self.up(out, |receiver, out| receiver.handle(now, input, out));
        if !std::mem::replace(&mut self.is_open, true) {
            self.down(now, Input::Start, out);
        }
    }

    /// Lets the receiver do something. What it acknowledges, the relay acknowledges.
    fn up(&mut self, out: &mut Outbox, act: impl FnOnce(&mut Receiver, &mut Outbox)) {
        let before = out.actions().len();
        act(&mut self.receiver, out);
        let (edge, through) = self.may_tell();
        let next = self.receiver.next_expected();
        out.review(before, |action| {
            if let Action::Send(packet) = action
                && let packet::Header::Tcp(Header::Ack { next_expected, echo, sack, echoed_stamp_us }) = packet.header
            {
                let sack = sack.map(|block| RelayBlock::counted_from(next_expected, block));
                let (window, behind) = ((edge - next) as u16, (next - through) as u32);
                packet.header = Header::RelayAck { next_expected, echo, sack, echoed_stamp_us, window, behind }.into();
                (self.edge, self.told) = (edge, through);
            }
            true
        });
    }

    fn acknowledge(&mut self, now: Instant, out: &mut Outbox) {
        self.up(out, |receiver, out| receiver.acknowledge(now, out));
    }

    /// Hands an input to the sender. Its events are not those of the flow's own sender, and are not told.
    fn down(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        let before = out.actions().len();
        self.sender.handle(now, input, out);
        out.review(before, |action| !matches!(action, Action::Event(_)));
    }

    /// One past the last segment for which there is room, and the first that has not come through, as they may be told
    /// upstream. Who finds losses by duplicates alone sees them only as long as all else in them is the same (RFC 5681
    /// section 2): what was told last holds until the gap is filled.
    fn may_tell(&self) -> (u64, u64) {
        if self.receiver.early() > 0 && !self.receiver.is_selective() {
            return (self.edge, self.told);
        }
        (self.edge.max(self.sender.acknowledged() + self.room), self.sender.through())
    }

    /// After each input: what has come goes on, and upstream is told what it waits for.
    fn go_on(&mut self, now: Instant, out: &mut Outbox) {
        let arrived = self.receiver.next_expected();
        if arrived > self.granted {
            self.granted = arrived;
            self.down(now, Input::Granted(arrived - self.sender.sent_end()), out);
        }
        self.most = self.most.max(self.held());
        let through = self.sender.through();
        let passed = self.passed;
        while self.ends.get(self.passed).is_some_and(|&end| through >= end) {
            self.passed += 1;
        }
        let is_answered = self.passed > passed && through > self.told;
        if is_answered {
            self.told = through;
        }
        if is_answered || self.has_opened(arrived) {
            self.acknowledge(now, out);
        }
    }

    /// Whether the window is small and could be twice what was told. A choice: then whoever is held by it is told in
    /// time, and others hear of room with what they send.
    fn has_opened(&self, arrived: u64) -> bool {
        let (told, room) = (self.edge - arrived, self.may_tell().0 - arrived);
        2 * told <= self.room && room >= (2 * told).max(1)
    }
}

impl Endpoint for Relay {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Packet { packet, .. } => match packet.header {
                packet::Header::Tcp(Header::Syn | Header::HandshakeAck | Header::Data { .. }) => {
                    self.take_from_upstream(now, input, out);
                }
                packet::Header::Tcp(_) => self.down(now, input, out),
                _ => return,
            },
            Input::NotSent(packet) if packet.destination == self.upstream => self.receiver.handle(now, input, out),
            Input::NotSent(_) => self.down(now, input, out),
            Input::Timeout | Input::LinkLoss(_) | Input::Unjoined(_) => {
                self.up(out, |receiver, out| receiver.handle(now, Input::Timeout, out));
                self.down(now, Input::Timeout, out);
            }
            // It begins when upstream does, and has nothing of its own to send.
            Input::Start | Input::Stop | Input::Granted(_) => return,
        }
        self.go_on(now, out);
    }

    fn deadline(&self) -> Option<Instant> {
        self.receiver.deadline().into_iter().chain(self.sender.deadline()).min()
    }

    fn report(&self) -> Report {
        let (up, down) = (self.receiver.report(), self.sender.report());
        Report {
            sent_pkts: up.sent_pkts + down.sent_pkts,
            sent_bytes: up.sent_bytes + down.sent_bytes,
            received_pkts: up.received_pkts + down.received_pkts,
            received_bytes: up.received_bytes + down.received_bytes,
            ..up
        }
    }

    fn gauges(&self) -> &'static [Gauge] {
        GAUGES
    }

    fn measure(&self, values: &mut [f64]) {
        values.copy_from_slice(&[self.held() as f64, self.most as f64]);
    }
}
