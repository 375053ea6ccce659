//! A receiver (draft-ietf-rmt-bb-pgmcc-03 section 4): ACKs for packets that name it, NAKs for those that do not come.

use super::config::Config;
use super::header::{Ack, Data, Header, Nak};
use super::loss_filter::LossFilter;
use super::naks::{Due, Naks};
use super::received::{Arrival, Received};
use super::show::RECEIVER_GAUGES;
use crate::endpoint::{Endpoint, Gauge, Input, Outbox, Report};
use crate::packet::{self, Address, Ecn, FlowId, INITIAL_TTL, Packet};
use crate::parts::rtt::stamp_us;
use crate::quantity::Bytes;
use crate::random::Random;
use crate::time::Instant;
use crate::wire::{self, message::Message};

/// A member of a pgmcc session.
#[derive(Debug)]
pub struct Receiver {
    flow: FlowId,
    own: Address,
    group: Address,
    feedback_size: Option<Bytes>,
    random: Random,
    phase: Phase,
    /// Where feedback goes: the source of the data.
    source: Address,
    received: Received,
    filter: LossFilter,
    naks: Naks,
    /// Whether the packet with the highest number names it.
    is_acker: bool,
    /// The stamp of the last packet, and when it came.
    last_sent: Instant,
    last_at: Instant,
    sent_naks: u64,
    counts: Report,
}

/// How far a receiver is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Not started, or left.
    Idle,
    /// Joined, no packet yet.
    Waiting,
    /// Receives.
    Member,
}

impl Receiver {
    /// A receiver at `own` of the session that is sent to `group`. `config` must have passed [`Config::check`];
    /// `random` is for the back-off of NAKs.
    pub fn new(config: &Config, flow: FlowId, own: Address, group: Address, random: Random) -> Receiver {
        Receiver {
            flow,
            own,
            group,
            feedback_size: config.feedback_size,
            random,
            phase: Phase::Idle,
            source: own,
            received: Received::default(),
            filter: LossFilter::new(config.loss_weight),
            naks: Naks::new(config.nak_backoff),
            is_acker: false,
            last_sent: Instant::ZERO,
            last_at: Instant::ZERO,
            sent_naks: 0,
            counts: Report::default(),
        }
    }

    /// The loss rate p.
    pub fn loss_rate(&self) -> f64 {
        self.filter.rate()
    }

    fn take(&mut self, now: Instant, arrived: Instant, packet: &Packet, out: &mut Outbox) {
        match packet.header {
            packet::Header::Pgmcc(Header::Data(data)) => self.data((now, arrived), packet, data, out),
            packet::Header::Pgmcc(Header::Ncf { missing }) => {
                self.count(packet);
                let received = &self.received;
                self.naks.confirmed(missing, |count| received.number_of(count));
            }
            _ => {}
        }
    }

    fn count(&mut self, packet: &Packet) {
        self.counts.received_pkts += 1;
        self.counts.received_bytes += u64::from(packet.size);
    }

    fn data(&mut self, (now, arrived): (Instant, Instant), packet: &Packet, data: Data, out: &mut Outbox) {
        self.count(packet);
        let marked = packet.ecn > Ecn::Capable;
        let Some(mut arrival) = self.received.take(arrived, data.sequence, marked) else { return };
        let is_own = data.acker == Some(self.own);
        if let Arrival::Anew { count } = arrival {
            // What was missing before the stray number was not.
            self.naks.clear();
            self.filter.clear();
            arrival = Arrival::Next { count, missing: 0 };
        }
        match arrival {
            Arrival::Again | Arrival::Anew { .. } => return,
            Arrival::Next { count, missing } => {
                self.phase = Phase::Member;
                self.source = packet.source;
                (self.last_sent, self.last_at) = (packet.sent, arrived);
                self.is_acker = is_own;
                self.filter.lose(missing);
                self.naks.miss(now, count, missing, &mut self.random);
                if marked {
                    self.filter.lose(1);
                    self.naks.miss(now, count + 1, 1, &mut self.random);
                } else {
                    self.filter.receive();
                }
                self.naks.named(now, data.acker.is_some(), &mut self.random);
            }
            Arrival::Late { .. } if marked => {}
            Arrival::Late { count, behind } => {
                self.filter.find(behind);
                self.naks.found(count);
            }
        }
        self.counts.distinct_bytes += u64::from(packet.size);
        if is_own {
            // As if it had been answered when it arrived.
            self.acknowledge(now, stamp_us(packet.sent + now.since(arrived)), false, out);
        }
    }

    fn acknowledge(&mut self, now: Instant, echoed_stamp_us: u32, leave: bool, out: &mut Outbox) {
        let ack = Ack {
            echoed_stamp_us,
            loss_rate: self.filter.rate() as f32,
            highest: self.received.highest(),
            bitmap: self.received.bitmap(),
            leave,
        };
        self.send(now, Header::Ack(ack), out);
    }

    fn send_due(&mut self, now: Instant, out: &mut Outbox) {
        while let Some(due) = self.naks.take_due(now) {
            let missing = match due {
                Due::Missing(count) => Some(self.received.number_of(count)),
                Due::Dummy => None,
            };
            let nak = Nak {
                echoed_stamp_us: self.held_stamp_us(now),
                loss_rate: self.filter.rate() as f32,
                highest: self.received.highest(),
                missing,
            };
            self.sent_naks += 1;
            self.send(now, Header::Nak(nak), out);
        }
    }

    /// The stamp of the last packet plus the time since it came.
    fn held_stamp_us(&self, now: Instant) -> u32 {
        stamp_us(self.last_sent + now.since(self.last_at))
    }

    fn send(&mut self, now: Instant, header: Header, out: &mut Outbox) {
        let size = wire::size(self.feedback_size, header.layout());
        self.counts.sent_pkts += 1;
        self.counts.sent_bytes += u64::from(size);
        out.send(Packet {
            sent: now,
            flow: self.flow,
            source: self.own,
            destination: self.source,
            size,
            ttl: INITIAL_TTL,
            ecn: Ecn::NotCapable,
            header: header.into(),
        });
    }

    /// The acker says that it goes (section 2.3.2), others just go.
    fn leave(&mut self, now: Instant, out: &mut Outbox) {
        if self.phase == Phase::Member && self.is_acker {
            self.acknowledge(now, self.held_stamp_us(now), true, out);
        }
        self.phase = Phase::Idle;
        self.naks.clear();
        out.leave(self.group);
    }
}

impl Endpoint for Receiver {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => {
                self.phase = Phase::Waiting;
                out.join(self.group);
            }
            Input::Stop if self.phase != Phase::Idle => self.leave(now, out),
            Input::Unjoined(group) if self.phase != Phase::Idle && group == self.group => self.leave(now, out),
            Input::Packet { packet, arrived, .. } if self.phase != Phase::Idle => self.take(now, arrived, packet, out),
            Input::NotSent(packet) => self.counts.not_sent(packet),
            Input::Packet { .. } | Input::Stop | Input::Timeout => {}
            Input::LinkLoss(_) | Input::Unjoined(_) | Input::Granted(_) => {}
        }
        self.send_due(now, out);
    }

    fn deadline(&self) -> Option<Instant> {
        Some(self.naks.deadline()).filter(|&at| at != Instant::FAR_FUTURE)
    }

    fn report(&self) -> Report {
        self.counts
    }

    fn gauges(&self) -> &'static [Gauge] {
        RECEIVER_GAUGES
    }

    fn measure(&self, values: &mut [f64]) {
        let loss_rate = if self.counts.distinct_bytes > 0 { self.filter.rate() } else { f64::NAN };
        values.copy_from_slice(&[loss_rate, self.sent_naks as f64, self.naks.suppressed() as f64]);
    }
}
