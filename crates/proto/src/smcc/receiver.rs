//! A member: what it holds, and when it goes to another layer ([Kwon] sections 3 and 4).
//!
//! Measurement and reports are TFMCC's: one measurement over all groups that it holds, and the rounds of its highest
//! layer, in which it is active. What is its own are the decisions to leave that layer or to try the next one.

use super::attempt::Attempt;
use super::config::{Config, ControlKind, Join};
use super::counting::Counting;
use super::entry::{Echoed, Entry};
use super::header::{ACK, CountingHeader, DataHeader, FEEDBACK, Header};
use super::lately::Lately;
use super::layers::Layers;
use super::show::{DIFFERENTIATING_GAUGES, RECEIVER_GAUGES};
use super::slots::Slots;
use crate::endpoint::{Cause, Endpoint, Event, Gauge, Input, Outbox, Report};
use crate::packet::{self, Address, Ecn, Packet};
use crate::parts::loss_differentiation::LossDifferentiation;
use crate::pgmcc::Received;
use crate::random::Random;
use crate::scheme::Seat;
use crate::tfmcc::{self, Echo, Measurement, Place, ReportPackets, Reporting, SequenceSpace, Silencing};
use crate::time::{Duration, Instant};
use measuring::Held;

/// A member of an SMCC session.
#[derive(Debug)]
pub struct Receiver {
    now: Instant,
    /// Rates are as of then: when the packet in hand arrived, since others behind it may still wait; else now.
    rates_at: Instant,
    due: Instant,
    own: Address,
    /// Where reports go: the source of the data.
    sender: Address,
    /// The first group of the session.
    group: Address,
    phase: Phase,
    /// S: it holds the layers 0 to this one.
    level: usize,
    /// The next packet of the highest layer is the first since that is the highest.
    is_new_there: bool,
    /// Whether this receiver limits the highest layer has been said since that is the highest.
    is_lead_known: bool,
    /// What the highest layer said last, as far as it is not of single packets; before it has said anything, what is
    /// known of it.
    top: tfmcc::DataHeader,
    /// T_{S+1}, bit/s; not a number if there is no such layer or it is not known.
    next_bps: f32,
    received_pkts: u64,
    received_bytes: u64,
    distinct_bytes: u64,
    distinct_pkts: u64,
    reporting: Reporting,
    /// When it says that it has come to the highest layer.
    entry: Entry,
    measurement: Measurement,
    /// The round-trip time without queues.
    least_rtt: Lately,
    slots: Slots,
    attempt: Option<Attempt>,
    /// No attempt before this moment (t_hold).
    hold_until: Instant,
    /// Loss events when it last went to another layer.
    moved_at_event: u32,
    /// A round-trip time after that: a loss event is over by then.
    settled_at: Instant,
    /// Since when T_S has been B_S; `FAR_FUTURE` = it is not.
    full_since: Instant,
    /// What is held of the layers, the lowest first.
    layers: Vec<Layer>,
    /// The counting layers that the attempt has joined, the lowest first.
    climbed: Vec<Climbed>,
    counts: Counts,
    bounds: Layers,
    counting: Counting,
    join: Join,
    control: ControlKind,
    /// How long it waits in a feedback round at most, if that is not by the round.
    backoff: Option<Duration>,
    /// What has come of the lowest layer, for ACKs.
    lowest: Received,
    /// Until then losses are those of before the layer above was left; with windows only.
    spared_until: Instant,
    packet_bits: f64,
    reports: ReportPackets,
    acks: ReportPackets,
    random: Random,
    /// Over all groups that it holds; spaces are known by the numbers of the groups.
    differentiation: Option<Box<LossDifferentiation>>,
}

/// What a member knows of one layer.
#[derive(Clone, Copy, Debug)]
struct Layer {
    space: SequenceSpace,
    /// When a packet of it came last, or it was joined; the time in which nothing came at all is not counted.
    heard_at: Instant,
    /// What it said last: X = T_i and X_supp, bit/s, R_max, feedback round; and T_{i+1}. None before its first packet.
    told: Option<(tfmcc::DataHeader, f32)>,
}

/// A counting layer that has been joined.
#[derive(Clone, Copy, Debug, Default)]
struct Climbed {
    space: SequenceSpace,
    /// The count of a packet less what the schedule counts for it, which is the same for all; none before the first.
    offset: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    attempts: u64,
    succeeded: u64,
    failed: u64,
    counting_joins: u64,
    counting_leaves: u64,
}

/// How far a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Not started, or has left.
    Out,
    /// Joined, no packet yet.
    Waiting,
    /// Receives.
    Member {
        /// When it has to leave, if it goes on to stand less than the least rate that is reported (RFC 4654 section
        /// 4.4); `FAR_FUTURE` = it does not.
        leave_at: Instant,
    },
    /// The receiver that limits its layer announces its leave for a feedback round.
    Leaving {
        /// When it is gone.
        gone_at: Instant,
    },
}

/// R_max of a layer begins with one report and follows its lead. While a queue grows, all have measured more by the
/// one-way delay of the last packet; a round of six R_max is three of their round trips. Before that first report it is
/// as long as the gap between the packets of a layer that nobody has; a choice.
const AMONG_MANY: Silencing = Silencing { rtts: 2.0, renews: true };
/// If nothing came of any layer for this time, that is not for one of them to answer for.
const QUIET: Duration = Duration::from_secs(2);

impl Layer {
    fn joined(now: Instant) -> Layer {
        Layer { space: SequenceSpace::default(), heard_at: now, told: None }
    }
}

impl Receiver {
    /// A member at `seat`. `config` must have passed [`Config::check`].
    pub fn new(config: &Config, seat: Seat) -> Receiver {
        let bounds = config.layer_bounds();
        let counting = config.counting();
        Receiver {
            now: Instant::ZERO,
            rates_at: Instant::ZERO,
            due: Instant::FAR_FUTURE,
            own: seat.own,
            sender: seat.own,
            group: seat.group,
            phase: Phase::Out,
            level: 0,
            is_new_there: true,
            is_lead_known: false,
            top: nothing_said(),
            next_bps: f32::NAN,
            received_pkts: 0,
            received_bytes: 0,
            distinct_bytes: 0,
            distinct_pkts: 0,
            reporting: Reporting::new(&config.tfmcc),
            entry: Entry::SILENT,
            measurement: Measurement::new(&config.tfmcc),
            least_rtt: Lately::LEAST,
            slots: Slots::new(&counting),
            attempt: None,
            hold_until: Instant::ZERO,
            moved_at_event: 0,
            settled_at: Instant::ZERO,
            full_since: Instant::FAR_FUTURE,
            layers: Vec::with_capacity(bounds.count()),
            climbed: Vec::with_capacity(counting.sets().iter().map(|set| usize::from(set.layers)).max().unwrap_or(0)),
            counts: Counts::default(),
            bounds,
            counting,
            join: config.join,
            control: config.control,
            backoff: config.pgmcc.backoff().filter(|_| config.control == ControlKind::Pgmcc),
            lowest: Received::default(),
            spared_until: Instant::ZERO,
            packet_bits: config.packet_bits(),
            reports: ReportPackets::new(&config.tfmcc, seat.flow, &FEEDBACK),
            acks: ReportPackets::new(&config.tfmcc, seat.flow, &ACK),
            random: seat.random,
            differentiation: config.loss_differentiation.as_ref().map(|part| Box::new(LossDifferentiation::new(part))),
        }
    }

    /// S, the highest layer that it holds.
    pub fn level(&self) -> usize {
        self.level
    }

    /// Whether this is the receiver that limits its highest layer, as far as it knows.
    pub fn is_lead(&self) -> bool {
        self.reporting.is_limiting()
    }

    /// Loss event rate p; 0 before the first loss.
    pub fn loss_event_rate(&self) -> f64 {
        self.measurement.loss_event_rate()
    }

    /// Smoothed round-trip time in seconds: the own one, or R_max before the first measurement.
    pub fn rtt_s(&self) -> f64 {
        self.measurement.smoothed_rtt_s()
    }

    /// X, by which the level is decided, bit/s.
    pub fn target_bps(&self) -> f64 {
        self.measurement.lasting_bps(self.rates_at, self.distinct_pkts)
    }

    fn start(&mut self, now: Instant, out: &mut Outbox) {
        match self.phase {
            Phase::Out => {}
            Phase::Waiting | Phase::Member { .. } => return,
            // It has not gone yet, and stays: the source hears of it with the next report.
            Phase::Leaving { .. } => return self.phase = Phase::Member { leave_at: Instant::FAR_FUTURE },
        }
        self.phase = Phase::Waiting;
        // What was measured before it left stays, what was said is of the past.
        self.slots = Slots::new(&self.counting);
        (self.top, self.next_bps, self.is_new_there) = (nothing_said(), f32::NAN, true);
        (self.level, self.hold_until, self.lowest) = (0, now, Received::default());
        self.layers.push(Layer::joined(now));
        out.join(self.group);
        out.event(Event::layer_added(0, Cause::Time));
    }

    fn packet(&mut self, now: Instant, arrived: Instant, packet: &Packet, out: &mut Outbox) {
        let packet::Header::Smcc(header) = packet.header else { return };
        if matches!(header, Header::Feedback(_) | Header::Ack(_)) || self.phase == Phase::Out {
            return;
        }
        self.received_pkts += 1;
        self.received_bytes += u64::from(packet.size);
        let number = packet.destination.to_bits().wrapping_sub(self.group.to_bits());
        match header {
            Header::Data(data) if (number as usize) < self.layers.len() => {
                self.data((now, arrived), packet, number as usize, &data.unpack(), out);
            }
            Header::Counting(counting) => {
                let first = self.attempt.as_ref().map(|attempt| self.number_of(attempt, 0));
                let rank = first.map_or(u32::MAX, |first| number.wrapping_sub(first));
                if (rank as usize) < self.climbed.len() {
                    self.counting((now, arrived), packet, rank as u8, counting, out);
                }
            }
            _ => {}
        }
    }

    /// A packet of a layer that it holds.
    fn data(
        &mut self,
        (now, arrived): (Instant, Instant),
        packet: &Packet,
        number: usize,
        header: &DataHeader,
        out: &mut Outbox,
    ) {
        let is_top = number == self.level;
        let mut data = header.data;
        if !is_top {
            // Rate and R_max are those of the highest layer.
            data.rate_bps = self.top.rate_bps;
            if self.top.max_rtt_us > 0 {
                data.max_rtt_us = self.top.max_rtt_us;
            }
        }
        let silent_since = self.measurement.last_at();
        let layer = &mut self.layers[number];
        let Some(taken) = self.measurement.take(&mut layer.space, arrived, packet, &data, 1.0) else { return };
        layer.told = Some((header.data, header.next_bps));
        self.sender = packet.source;
        if self.phase == Phase::Waiting {
            self.phase = Phase::Member { leave_at: Instant::FAR_FUTURE };
        }
        if arrived.since(silent_since) > QUIET {
            self.layers.iter_mut().for_each(|layer| layer.heard_at = arrived);
        }
        self.layers[number].heard_at = arrived;
        if is_top {
            (self.top, self.next_bps) = (header.data, header.next_bps);
            self.note_full(now);
        } else if number + 1 == self.level && self.layers[self.level].told.is_none() {
            self.top.rate_bps = header.next_bps;
        }

        // Packed, so field by field.
        let echoed = header.data.echo.map(|Echo { receiver, stamp_us, is_clr }| Echoed {
            receiver,
            own_stamp_us: (receiver == self.own).then_some(stamp_us),
            is_lead: is_clr,
        });
        // Who limits another layer says nothing of this one.
        let is_settled = now >= self.settled_at;
        self.is_lead_known |= is_top && echoed.is_some_and(|echo| echo.is_lead || (echo.is_own() && is_settled));
        let selected = is_top && echoed.is_some_and(|echo| self.reporting.named(echo.is_own(), echo.is_lead));
        let own_stamp_us = echoed.and_then(|echo| echo.own_stamp_us);
        let first_rtt = self.measure_rtt(now, arrived, own_stamp_us);
        self.note_rate(number);
        let before = self.distinct_pkts;
        let lost = self.record((now, arrived), packet, Held::Layer(number), taken, out);
        if self.control == ControlKind::Pgmcc {
            if number == 0 {
                self.lowest.take(arrived, header.data.sequence, packet.ecn > Ecn::Capable);
            }
            if self.distinct_pkts > before && self.is_lead() && matches!(self.phase, Phase::Member { .. }) {
                self.acknowledge(now, arrived, packet, out);
            }
        }

        let is_member = matches!(self.phase, Phase::Member { .. });
        if is_top {
            let is_suppressed = header.data.suppression_bps.is_finite();
            let rtt = (self.measurement.measured_rtt_s().is_some(), self.measurement.rtt_s());
            self.entry.hear(now, echoed, (self.is_lead_known, is_suppressed), rtt);
            // Until it has heard of a lead it has but one timer.
            let waits = self.entry.is_pending();
            let is_new = !waits && core::mem::take(&mut self.is_new_there);
            let (may_report, random) = (is_member && !waits, &mut self.random);
            let round = self.reporting.round();
            // Numbers are a layer's: as long as it waits it goes by the rounds of the one that it knew.
            let place = (Place::of(is_new, taken.newest && !waits), may_report);
            self.reporting.hear_among(now, &header.data, place, AMONG_MANY, &self.measurement, random);
            if let Some(backoff) = self.backoff.filter(|_| is_new || self.reporting.round() != round) {
                // Perhaps an election: the packets do not tell it from any other round.
                self.reporting.hasten(now + backoff.mul_f64(self.random.uniform()));
            }
        }
        let (new_slot, overdue) = self.see((now, arrived), header.tick, out);
        let lost = lost.or(overdue);
        let measurement = &self.measurement;
        let hurt =
            || measurement.have_loss() && is_member && measurement.desired_bps(arrived) < measurement.sending_bps();
        if self.reporting.answers(now, selected || lost.is_some(), first_rtt, hurt) {
            self.send_report(now, false, out);
        }
        self.watch_rate(now);
        // X moves with losses and measurements, by a packet more next to nothing; an attempt begins with a slot anyway.
        if lost.is_some() || own_stamp_us.is_some() || new_slot {
            self.decide(now, lost.unwrap_or(Cause::Time), out);
        }
    }

    /// A packet of a counting layer that it holds.
    fn counting(
        &mut self,
        (now, arrived): (Instant, Instant),
        packet: &Packet,
        rank: u8,
        header: CountingHeader,
        out: &mut Outbox,
    ) {
        let data = tfmcc::DataHeader { sequence: header.sequence, echo: None, ..self.top };
        let climbed = &mut self.climbed[usize::from(rank)];
        let Some(taken) = self.measurement.take(&mut climbed.space, arrived, packet, &data, 1.0) else { return };
        self.measure_rtt(now, arrived, None);
        let before = self.distinct_pkts;
        let lost = self.record((now, arrived), packet, Held::Counting(rank), taken, out);
        let is_distinct = self.distinct_pkts > before;
        // The attempt may be over.
        if let (Some(attempt), Some(tick)) = (&mut self.attempt, self.slots.count_of(arrived, header.tick)) {
            let step = attempt.steps(&self.counting, tick);
            if let Some(step) = step.filter(|_| is_distinct) {
                attempt.count(step);
            }
            let layer = attempt.layer(rank);
            let before = self.counting.sent_before(layer, self.counting.slot_of(layer.set, tick));
            let scheduled = before.wrapping_add(Counting::index_in_slot(rank, header.sequence).into());
            let offset = &mut self.climbed[usize::from(rank)].offset;
            offset.get_or_insert(taken.sequence.wrapping_sub(scheduled));
        }
        let (new_slot, overdue) = self.see((now, arrived), header.tick, out);
        let lost = lost.or(overdue);
        if self.reporting.answers(now, lost.is_some(), false, || false) {
            self.send_report(now, false, out);
        }
        if lost.is_some() || new_slot {
            self.decide(now, lost.unwrap_or(Cause::Time), out);
        }
    }

    fn timeout(&mut self, now: Instant, out: &mut Outbox) {
        match self.phase {
            Phase::Leaving { gone_at } if gone_at <= now => return self.go(out),
            Phase::Member { leave_at } if leave_at <= now => self.leave(now, out),
            _ => {}
        }
        if self.entry.deadline() <= now {
            self.send_report(now, false, out);
        }
        if self.reporting.due(now, self.measurement.last_at()).is_some() {
            self.send_report(now, false, out);
        }
    }

    /// Section 4.2 of RFC 4654: the receiver that limits says so for a feedback round, others just go.
    fn leave(&mut self, now: Instant, out: &mut Outbox) {
        self.abandon(now, out);
        match self.phase {
            Phase::Member { .. } if self.is_lead() => {
                let round_s = self.reporting.round_s(self.measurement.max_rtt_s());
                self.phase = Phase::Leaving { gone_at: now + Duration::from_secs_f64(round_s) };
                self.send_report(now, false, out);
            }
            Phase::Waiting | Phase::Member { .. } => self.go(out),
            Phase::Out | Phase::Leaving { .. } => {}
        }
    }

    fn go(&mut self, out: &mut Outbox) {
        self.phase = Phase::Out;
        self.reporting.quit();
        self.entry.end();
        while !self.layers.is_empty() {
            self.leave_top(Cause::Time, out);
        }
    }
}

/// A layer that has said nothing yet.
fn nothing_said() -> tfmcc::DataHeader {
    tfmcc::DataHeader {
        starting: false,
        at_once: false,
        sequence: 0,
        suppression_bps: f32::INFINITY,
        rate_bps: f32::NAN,
        max_rtt_us: 0,
        round: 0,
        echo: None,
    }
}

impl Endpoint for Receiver {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        (self.now, self.rates_at) = (now, now);
        self.advance(now, out);
        match input {
            Input::Start => self.start(now, out),
            Input::Packet { packet, arrived, .. } => {
                self.rates_at = arrived;
                self.packet(now, arrived, packet, out);
            }
            Input::Timeout => self.timeout(now, out),
            Input::LinkLoss(packet) => {
                self.link_lost(packet);
                self.timeout(now, out);
            }
            Input::Stop => self.leave(now, out),
            Input::Unjoined(group) => self.unjoined(now, group, out),
            Input::NotSent(packet) => match packet.header {
                packet::Header::Smcc(Header::Ack(_)) => self.acks.not_sent(),
                _ => self.reports.not_sent(),
            },
            Input::Granted(_) => {}
        }
        let leave_at = match self.phase {
            Phase::Member { leave_at: at } | Phase::Leaving { gone_at: at } => at,
            Phase::Out | Phase::Waiting => Instant::FAR_FUTURE,
        };
        let attempt_at = self.attempt.as_ref().map_or(Instant::FAR_FUTURE, Attempt::due_at);
        self.due = self.reporting.deadline().min(self.entry.deadline()).min(leave_at).min(attempt_at);
    }

    fn deadline(&self) -> Option<Instant> {
        // A packet may have come before a time-out that was due.
        (self.due != Instant::FAR_FUTURE).then(|| self.due.max(self.now))
    }

    fn report(&self) -> Report {
        let measurement = &self.measurement;
        Report {
            sent_pkts: self.reports.sent_pkts() + self.acks.sent_pkts(),
            sent_bytes: self.reports.sent_bytes() + self.acks.sent_bytes(),
            received_pkts: self.received_pkts,
            received_bytes: self.received_bytes,
            distinct_bytes: self.distinct_bytes,
            rate_bps: if self.distinct_pkts > 0 { measurement.desired_bps(measurement.last_at()) } else { f64::NAN },
        }
    }

    fn sees_link_losses(&self) -> bool {
        self.differentiation.is_some()
    }

    fn gauges(&self) -> &'static [Gauge] {
        if self.differentiation.is_some() { DIFFERENTIATING_GAUGES } else { RECEIVER_GAUGES }
    }

    fn measure(&self, values: &mut [f64]) {
        let (measurement, counts) = (&self.measurement, &self.counts);
        let loss_event_rate = if self.distinct_pkts > 0 { measurement.loss_event_rate() } else { f64::NAN };
        let counted = [counts.attempts, counts.succeeded, counts.failed, counts.counting_joins, counts.counting_leaves];
        values[..3].copy_from_slice(&[
            f64::from(measurement.loss_events()),
            loss_event_rate,
            measurement.measured_rtt_s().unwrap_or(f64::NAN),
        ]);
        let (own, others) = values.split_at_mut(RECEIVER_GAUGES.len());
        own[3..].copy_from_slice(&counted.map(|count| count as f64));
        if let Some(part) = &self.differentiation {
            others.copy_from_slice(&part.confusion().values());
        }
    }
}

#[path = "receiver_differentiation.rs"]
mod differentiation;

#[path = "receiver_joins.rs"]
mod joins;

#[path = "receiver_measuring.rs"]
mod measuring;

#[path = "receiver_reports.rs"]
mod reports;

#[cfg(test)]
#[path = "receiver_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "receiver_group_tests.rs"]
mod group_tests;
