//! The source: layers whose rates follow the reports of the receivers, round by round.

use super::budget::{Budget, rounds_counted};
use super::config::Config;
use super::header::{DataHeader, Header};
use super::layering::Layering;
use super::reports::{Reports, TimedReport};
use super::rtcp::{LayerLine, Message, Octets, ReceiverReport, SenderReport, middle};
use super::show::{FAST_DECREASE, LEADING_RECEIVER, LIMITING_RECEIVER, RATE, SENDER_GAUGES};
use crate::control::Control;
use crate::endpoint::{Cause, Endpoint, Event, EventKind, Gauge, Input, Outbox, RECEIVER_EXCLUDED, Report};
use crate::packet::{self, Address, Ecn, INITIAL_TTL, Packet};
use crate::parts::exclusion::{Exclusion, Verdict};
use crate::parts::pacer::{MOST_LATE, Pacer};
use crate::parts::rtt::stamp_us;
use crate::parts::supply::{GREATEST_GROWTH, Supply};
use crate::random::Random;
use crate::scheme::Seat;
use crate::time::{Duration, Instant, NANOS_PER_SECOND};

/// The source of an MLDA session.
#[derive(Debug)]
pub struct Sender {
    config: Config,
    budget: Budget,
    exclusion: Exclusion,
    layering: Layering,
    /// A data packet, but for its group, its number and its time.
    template: Packet,
    /// The group of the base layer; those of the others follow it.
    base: Address,
    /// Where receivers report to, beside the source's own address.
    report_group: Option<Address>,
    random: Random,
    layers: Vec<Layer>,
    supply: Supply,
    reports: Reports,
    /// `None` before the start and after the stop.
    running: Option<Running>,
    sent_pkts: u64,
    sent_bytes: u64,
    received_pkts: u64,
    received_bytes: u64,
    taken: u64,
    rounds: u64,
    extra_reports: u64,
    halvings: u64,
    deadline: Option<Instant>,
}

/// A layer at the source.
#[derive(Clone, Copy, Debug)]
struct Layer {
    /// What it carries alone, bit/s; 0 = nothing.
    rate_bps: f64,
    pacer: Pacer,
    /// What the present gap is of the nominal one, by chance.
    stretch: f64,
    /// The number of its next packet.
    sequence: u16,
}

/// What lasts from a start to the stop.
#[derive(Debug)]
struct Running {
    ssrc: u32,
    /// By how much the clock of time stamps is ahead of the source's own, microseconds.
    clock_us: u32,
    /// The present round, from 0; its number on the wire is the low 16 bits.
    round: u64,
    /// When the next one begins.
    next_round: Instant,
    /// When the last sender report was sent, extra ones included.
    announced_at: Instant,
    /// Whether a report has come in it.
    heard: bool,
    /// Rounds in a row in which nobody has reported.
    silent: u64,
    /// When the next extra report may be sent.
    extra_from: Instant,
    /// The report for which one is due.
    extra_for: Option<(Address, TimedReport)>,
    /// Who had the least and the largest share when layers were last sized, and their shares, bit/s.
    extremes: [Option<(Address, f64)>; 2],
    /// Data packets since the start.
    packets: u32,
    /// How many there were when the round began.
    packets_before: u32,
    /// Whether a turn has passed in it for which there was nothing to send.
    short: bool,
    /// What was sent in the round before if there was one in that, bit/s.
    used_bps: Option<f64>,
    /// Packets of the base layer up to the next pair.
    until_pair: u32,
}

impl Sender {
    /// A source at `seat`. `config` must have passed [`Config::check`].
    pub fn new(config: &Config, seat: Seat) -> Sender {
        let group = |number: u32| Address::group(seat.group.index() as u32 + number);
        let layer = Layer { rate_bps: 0.0, pacer: Pacer::OFF, stretch: 1.0, sequence: 0 };
        Sender {
            budget: Budget::new(config, seat.members),
            exclusion: Exclusion::new(config.exclude_below),
            layering: Layering {
                least_bps: config.least_bps(),
                most_bps: seat.bounded(config.max_rate).map_or(f64::INFINITY, |rate| rate.as_bps_f64()).min(MOST_BPS),
                least_gap: config.least_gap,
            },
            template: Packet {
                sent: Instant::ZERO,
                flow: seat.flow,
                source: seat.own,
                destination: seat.group,
                size: config.packet_size.0 as u16,
                ttl: INITIAL_TTL,
                ecn: if config.ecn { Ecn::Capable } else { Ecn::NotCapable },
                header: Header::Bye.into(),
            },
            base: seat.group,
            report_group: config.report_group().map(group),
            random: seat.random,
            layers: vec![layer; config.layers as usize],
            supply: Supply::default(),
            config: config.clone(),
            reports: Reports::default(),
            running: None,
            sent_pkts: 0,
            sent_bytes: 0,
            received_pkts: 0,
            received_bytes: 0,
            taken: 0,
            rounds: 0,
            extra_reports: 0,
            halvings: 0,
            deadline: None,
        }
    }

    /// What each layer carries, the base first, bit/s.
    pub fn rates_bps(&self) -> impl Iterator<Item = f64> {
        self.layers.iter().map(|layer| layer.rate_bps)
    }

    fn start(&mut self, now: Instant, out: &mut Outbox) {
        if let Some(group) = self.report_group.filter(|_| self.running.is_none()) {
            out.join(group);
        }
        self.reports.clear();
        let mut word = || (self.random.uniform() * TWO_TO_32) as u32;
        let (ssrc, clock_us) = (word(), word());
        for layer in &mut self.layers {
            *layer = Layer { rate_bps: 0.0, pacer: Pacer::OFF, stretch: 1.0, sequence: word() as u16 };
        }
        self.running = Some(Running {
            ssrc,
            clock_us,
            round: 0,
            next_round: now + self.config.report_interval,
            announced_at: now,
            heard: true,
            silent: 0,
            extra_from: now,
            extra_for: None,
            extremes: [None; 2],
            packets: 0,
            packets_before: 0,
            short: false,
            used_bps: None,
            until_pair: 0,
        });
        self.rounds += 1;
        let first_bps = self.layering.bounded_bps(self.config.first_rate.as_bps_f64());
        self.set_rates(now, (first_bps, first_bps), [Cause::Time; 2], out);
        self.announce(now, false, out);
    }

    fn stop(&mut self, out: &mut Outbox) {
        if let Some(group) = self.report_group.filter(|_| self.running.is_some()) {
            out.leave(group);
        }
        self.running = None;
        self.layers.iter_mut().for_each(|layer| layer.pacer = Pacer::OFF);
    }

    /// A round begins.
    fn begin_round(&mut self, now: Instant, out: &mut Outbox) {
        self.note_use(now);
        let Some(running) = &mut self.running else { return };
        running.round += 1;
        self.rounds += 1;
        // What the driver is late by is not made up for.
        running.next_round = Some(running.next_round + self.config.report_interval)
            .filter(|&next| next > now)
            .unwrap_or(now + self.config.report_interval);
        running.silent = if std::mem::take(&mut running.heard) { 0 } else { running.silent + 1 };
        running.extra_for = None;
        let is_silent = running.silent >= u64::from(self.config.silent_rounds);
        let counted = rounds_counted(&self.config, &self.budget);
        self.reports.expire(running.round, counted, self.budget.rounds_remembered());
        if is_silent {
            self.halvings += 1;
            let base_bps = self.layering.bounded_bps(0.5 * self.layers[0].rate_bps);
            self.tell_extremes([None; 2], out);
            self.set_rates(now, (base_bps, base_bps), [Cause::Time; 2], out);
        } else {
            self.size(now, out);
        }
        self.announce(now, false, out);
    }

    /// Notes what the round that ends has sent, if the application had not enough for it.
    fn note_use(&mut self, now: Instant) {
        let is_short = self.is_short(now);
        let Some(running) = &mut self.running else { return };
        let sent = running.packets.wrapping_sub(running.packets_before);
        let sent_bps = f64::from(sent) * self.config.packet_bits() / self.config.report_interval.as_secs_f64();
        running.used_bps = is_short.then_some(sent_bps);
        (running.packets_before, running.short) = (running.packets, false);
    }

    /// Whether a turn has passed in this round for which there was nothing to send.
    fn is_short(&self, now: Instant) -> bool {
        let waits = || self.supply.is_empty() && self.layers.iter().any(|layer| layer.pacer.due() < now);
        self.running.as_ref().is_some_and(|running| running.short) || waits()
    }

    /// A share that is not above what the last round has shown the network to carry, or what is allowed already, if the
    /// application had not enough for that: who reports it has seen no more. The bound is that of TFMCC.
    fn shown(&self, share_bps: f64, allowed_bps: f64) -> f64 {
        let used_bps = self.running.as_ref().and_then(|running| running.used_bps);
        used_bps.map_or(share_bps, |used_bps| share_bps.min(allowed_bps.max(GREATEST_GROWTH * used_bps)))
    }

    /// So many packets are there to be sent from now on, in all layers together; of those that are due the lowest goes
    /// first.
    fn grant(&mut self, now: Instant, packets: u64) {
        if self.supply.is_empty() {
            let passed = self.layers.iter_mut().fold(false, |passed, layer| layer.pacer.let_go(now) | passed);
            if let Some(running) = &mut self.running {
                running.short |= passed;
            }
        }
        self.supply.set(packets);
    }

    /// This packet has not been sent. Of a pair of which the second goes missing receivers make what they can.
    fn take_back(&mut self, packet: &Packet) {
        self.sent_pkts -= 1;
        self.sent_bytes -= u64::from(packet.size);
        let packet::Header::Mlda(Header::Data(data)) = packet.header else { return };
        let number = packet.destination.index().wrapping_sub(self.base.index());
        let layer = self.layers.get_mut(number).filter(|layer| layer.sequence.wrapping_sub(1) == data.sequence);
        if let Some(layer) = layer {
            layer.sequence = data.sequence;
        }
        self.supply.give_back();
        if let Some(running) = &mut self.running {
            running.packets = running.packets.wrapping_sub(1);
        }
    }

    /// Sizes the layers by the reports that there are. If there is none, the base layer stays as it is, alone.
    fn size(&mut self, now: Instant, out: &mut Outbox) {
        let Some(extremes) = self.reports.extremes() else {
            self.tell_extremes([None; 2], out);
            let base_bps = self.layers[0].rate_bps;
            return self.set_rates(now, (base_bps, base_bps), [Cause::Time; 2], out);
        };
        let both = [extremes.least, extremes.largest];
        self.tell_extremes(both.map(Some), out);
        let [least_bps, largest_bps] = both.map(|(_, heard)| f64::from(heard.report.rate_bps));
        let least_bps = self.shown(least_bps, self.layers[0].rate_bps);
        let largest_bps = self.shown(largest_bps, self.rates_bps().sum());
        self.set_rates(now, (least_bps, largest_bps), both.map(cause_of), out);
    }

    /// Tells of receivers whose share is the least or the largest, where they are others than before.
    fn tell_extremes(&mut self, extremes: [Option<(Address, TimedReport)>; 2], out: &mut Outbox) {
        let Some(running) = &mut self.running else { return };
        let top = self.layers.len() as u8 - 1;
        let kinds: [(&'static EventKind, u8); 2] = [(LIMITING_RECEIVER, 0), (LEADING_RECEIVER, top)];
        for ((known, (kind, layer)), found) in running.extremes.iter_mut().zip(kinds).zip(extremes) {
            let share_bps = |heard: &TimedReport| f64::from(heard.report.rate_bps);
            let (who, after_bps) = (found.map(|(who, _)| who), found.map_or(f64::NAN, |(_, heard)| share_bps(&heard)));
            if who != known.map(|(who, _)| who) {
                let before_bps = known.map_or(f64::NAN, |(_, share_bps)| share_bps);
                let cause = found.map_or(Cause::Time, cause_of);
                let details = found.map_or([f64::NAN; 2], |(_, heard)| inputs(&heard.report));
                out.event(Event::change(kind, before_bps, after_bps, cause).about(who).with(details).on(layer));
            }
            *known = who.map(|who| (who, after_bps));
        }
    }

    /// Sets the rates by the least and the largest share. They hold from now on; the caller announces them.
    fn set_rates(
        &mut self,
        now: Instant,
        (least_bps, largest_bps): (f64, f64),
        [by_least, by_largest]: [Cause; 2],
        out: &mut Outbox,
    ) {
        let count = self.layers.len();
        let (mut before_bps, mut after_bps) = (0.0, 0.0);
        let rates = self.layering.rates_bps(least_bps, largest_bps, count);
        for (number, (layer, rate_bps)) in self.layers.iter_mut().zip(rates).enumerate() {
            before_bps += layer.rate_bps;
            after_bps += rate_bps;
            if after_bps != before_bps {
                let cause = if number == 0 { by_least } else { by_largest };
                out.event(Event::change(RATE, before_bps, after_bps, cause).on(number as u8));
            }
            if rate_bps == layer.rate_bps {
                continue;
            }
            let gap_s = self.config.packet_bits() / rate_bps;
            if rate_bps <= 0.0 {
                layer.pacer = Pacer::OFF;
            } else if layer.rate_bps > 0.0 {
                layer.pacer.follow(now, gap_s * layer.stretch);
            } else if number == 0 {
                layer.pacer.begin(now);
            } else {
                // Layers that begin together send one after the other.
                layer.pacer.begin_within(now, gap_s, self.random.uniform());
            }
            layer.rate_bps = rate_bps;
        }
    }

    /// Sends a sender report.
    fn announce(&mut self, now: Instant, extra: bool, out: &mut Outbox) {
        let spread_s = self.feedback_spread_s();
        let Some(running) = &mut self.running else { return };
        let number = running.round as u16;
        let since = now.since(core::mem::replace(&mut running.announced_at, now));
        let room = self.budget.echoes(self.layers.len(), since);
        let echoes = self.reports.take_echoes(now, self.config.echoes.map_or(room, |most| room.min(most as usize)));
        let report = SenderReport {
            ssrc: running.ssrc,
            number,
            extra,
            ntp: ntp(now),
            rtp_timestamp: stamp_us(now).wrapping_add(running.clock_us),
            packets: running.packets,
            octets: running.packets.wrapping_mul(self.template.size.into()),
            feedback_spread_us: (1e6 * spread_s) as u32,
            layers: self
                .layers
                .iter()
                .map(|layer| LayerLine { rate_bps: layer.rate_bps as f32, first_sequence: layer.sequence })
                .collect(),
            echoes,
        };
        let octets = report.encode();
        let packet = Packet {
            sent: now,
            destination: self.base,
            size: octets.size(),
            header: Header::SenderReport { number }.into(),
            ..self.template
        };
        self.sent_pkts += 1;
        self.sent_bytes += u64::from(packet.size);
        out.send_control(packet, octets.into());
    }

    /// T_fb, seconds.
    fn feedback_spread_s(&self) -> f64 {
        let interval_s = self.config.report_interval.as_secs_f64();
        let least_s = self.config.feedback_share * interval_s;
        least_s.max(self.config.feedback_rtts * self.reports.max_rtt_s()).min(interval_s)
    }

    /// A message of a receiver, or anything else.
    fn hear(
        &mut self,
        (now, arrived): (Instant, Instant),
        packet: &Packet,
        control: Option<&Control>,
        out: &mut Outbox,
    ) {
        self.received_pkts += 1;
        self.received_bytes += u64::from(packet.size);
        let Some(running) = &mut self.running else { return };
        let receiver = packet.source;
        let report = match (packet.header, Octets::read(control)) {
            (packet::Header::Mlda(Header::ReceiverReport { .. }), Ok(Message::ReceiverReport(report))) => report,
            (packet::Header::Mlda(Header::Bye), Ok(Message::Bye(bye))) if bye.ssrc == receiver.to_bits() => {
                if self.reports.remove(receiver) {
                    self.taken += 1;
                }
                return;
            }
            _ => return,
        };
        // Who has heard no report of the source names the first round, and means the present one.
        let is_deaf = (report.last_sr, report.number) == (0, 0);
        let behind = if is_deaf { 0 } else { u64::from((running.round as u16).wrapping_sub(report.number)) };
        // As many more as pass while a sender report goes down and the answer comes up.
        let rtt_s = rtt_s(arrived, report.last_sr, report.delay_since_sr);
        let on_the_way = rtt_s.unwrap_or(0.0).min(MOST_RTT_S) / self.config.report_interval.as_secs_f64();
        let most_behind = u64::from(self.config.report_rounds) + on_the_way as u64;
        let is_of_now = behind <= running.round.min(most_behind);
        let is_own = report.ssrc == receiver.to_bits() && report.source == running.ssrc;
        let is_sound = report.rate_bps.is_finite() && report.rate_bps >= 0.0 && (0.0..=1.0).contains(&report.loss);
        if !(is_of_now && is_own && is_sound) {
            return;
        }
        if report.loss > 0.0 {
            let share_bps = f64::from(report.rate_bps);
            let verdict = self.exclusion.hear(receiver, share_bps);
            if verdict == Verdict::Excluded {
                let cause = Cause::Report { receiver, number: report.number.into() };
                let event = Event::change(RECEIVER_EXCLUDED, self.exclusion.least_bps(), share_bps, cause);
                out.event(event.about(Some(receiver)));
            }
            if verdict != Verdict::Heeded {
                self.reports.remove(receiver);
                return;
            }
        }
        let heard = TimedReport { report, rtt_s, came: arrived, round: running.round };
        if !self.reports.add(receiver, heard) {
            return;
        }
        self.taken += 1;
        running.heard = true;
        let share_bps = self.layering.bounded_bps(report.rate_bps.into());
        if self.config.fast_decrease && report.loss > 0.0 && share_bps < self.layers[0].rate_bps {
            running.extra_for = Some((receiver, heard));
            self.decrease(now, out);
        }
    }

    /// Sends an extra report if one is due and may be sent.
    fn decrease(&mut self, now: Instant, out: &mut Outbox) {
        let Some(running) = self.running.as_mut().filter(|running| running.extra_from <= now) else { return };
        let Some(asked) = running.extra_for.take() else { return };
        running.extra_from = now + self.config.extra_interval;
        self.extra_reports += 1;
        let (base_bps, asked_bps) = (self.layers[0].rate_bps, f64::from(asked.1.report.rate_bps));
        let event = Event::change(FAST_DECREASE, base_bps, asked_bps, cause_of(asked)).about(Some(asked.0));
        out.event(event.with(inputs(&asked.1.report)).on(0));
        self.size(now, out);
        self.announce(now, true, out);
    }

    /// Sends the data that is due.
    fn send(&mut self, now: Instant, out: &mut Outbox) {
        let Some(running) = &mut self.running else { return };
        for (number, layer) in self.layers.iter_mut().enumerate().filter(|(_, layer)| layer.pacer.due() <= now) {
            let is_pair = number == 0 && self.config.sends_pairs() && running.until_pair == 0;
            // A pair takes two packets that are there; with one it waits for its next turn.
            let is_pair = is_pair && self.supply.packets() > 1;
            let packets = if is_pair { 2 } else { 1 };
            if self.supply.is_empty() {
                break;
            }
            for nth in 0..packets {
                self.supply.take();
                let header = Header::Data(DataHeader {
                    sequence: layer.sequence,
                    timestamp: stamp_us(now).wrapping_add(running.clock_us),
                    ssrc: running.ssrc,
                    probe: is_pair && nth == 0,
                });
                let destination = Address::group(self.base.index() as u32 + number as u32);
                out.send(Packet { sent: now, destination, header: header.into(), ..self.template });
                layer.sequence = layer.sequence.wrapping_add(1);
            }
            if number == 0 {
                running.until_pair =
                    if is_pair { self.config.probe_every } else { running.until_pair }.saturating_sub(packets);
            }
            running.packets = running.packets.wrapping_add(packets);
            self.sent_pkts += u64::from(packets);
            self.sent_bytes += u64::from(packets) * u64::from(self.template.size);
            // A pair takes the place of two packets.
            let jitter = self.config.jitter;
            let chance = if jitter > 0.0 { self.random.uniform_in(-jitter, jitter) } else { 0.0 };
            layer.stretch = f64::from(packets) * (1.0 + chance);
            let gap_s = self.config.packet_bits() / layer.rate_bps * layer.stretch;
            layer.pacer.sent(now, gap_s, MOST_LATE.max(Duration::from_secs_f64(gap_s)));
        }
    }

    fn next_deadline(&self, now: Instant) -> Option<Instant> {
        let running = self.running.as_ref()?;
        let due = |layer: &Layer| if self.supply.is_empty() { Instant::FAR_FUTURE } else { layer.pacer.due() };
        let data = self.layers.iter().map(due);
        let extra = running.extra_for.map(|_| running.extra_from);
        data.chain(extra).fold(running.next_round, Instant::min).max(now).into()
    }
}

/// What a share was computed with: the round-trip time, if it was measured, and the loss.
fn inputs(report: &ReceiverReport) -> [f64; 2] {
    let rtt_s = if report.rtt_us == 0 { f64::NAN } else { 1e-6 * f64::from(report.rtt_us) };
    [rtt_s, report.loss.into()]
}

fn cause_of((receiver, heard): (Address, TimedReport)) -> Cause {
    Cause::Report { receiver, number: heard.report.number.into() }
}

/// The source's clock as RFC 3550 has it: seconds, and fractions in the lower 32 bits. It begins at a second, as a time
/// whose middle bits are 0 would be taken for none at all.
fn ntp(now: Instant) -> u64 {
    let (seconds, nanos) = (now.0 / NANOS_PER_SECOND + 1, now.0 % NANOS_PER_SECOND);
    (seconds << 32) + (nanos << 32) / NANOS_PER_SECOND
}

/// The round-trip time of a report that came now, by the time of the last sender report that it names and how long ago
/// that was (RFC 3550 section 6.4.1), seconds. `None` if it names none, or one that is to come.
fn rtt_s(now: Instant, last_sr: u32, delay_since_sr: u32) -> Option<f64> {
    let units = middle(ntp(now)).wrapping_sub(last_sr).wrapping_sub(delay_since_sr) as i32;
    (last_sr != 0 && units >= 0).then(|| f64::from(units) / 65_536.0)
}

impl Endpoint for Sender {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => self.start(now, out),
            Input::Stop => self.stop(out),
            Input::Timeout if self.deadline.is_none_or(|at| at > now) => return,
            Input::Packet { packet, control, arrived } => self.hear((now, arrived), packet, control, out),
            Input::Granted(packets) => self.grant(now, packets),
            Input::NotSent(packet) => self.take_back(packet),
            // Whatever comes: what is due goes if the driver is late.
            Input::Timeout | Input::LinkLoss(_) | Input::Unjoined(_) => {}
        }
        if self.running.as_ref().is_some_and(|running| running.next_round <= now) {
            self.begin_round(now, out);
        }
        self.decrease(now, out);
        self.send(now, out);
        self.deadline = self.next_deadline(now);
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    fn report(&self) -> Report {
        Report {
            sent_pkts: self.sent_pkts,
            sent_bytes: self.sent_bytes,
            received_pkts: self.received_pkts,
            received_bytes: self.received_bytes,
            // A sum of parts may exceed the whole by what was rounded.
            rate_bps: self.rates_bps().sum::<f64>().min(self.layering.most_bps),
            ..Report::default()
        }
    }

    fn gauges(&self) -> &'static [Gauge] {
        SENDER_GAUGES
    }

    fn measure(&self, values: &mut [f64]) {
        let extremes = self.running.as_ref().map_or([None; 2], |running| running.extremes);
        let [least_bps, largest_bps] = extremes.map(|found| found.map_or(f64::NAN, |(_, share_bps)| share_bps));
        let counts = [self.taken, self.received_pkts - self.taken, self.rounds, self.extra_reports, self.halvings];
        values[..3].copy_from_slice(&[least_bps, largest_bps, self.reports.count() as f64]);
        values[3..].copy_from_slice(&counts.map(|count| count as f64));
    }
}

/// The most that all layers carry if neither parameters nor line say less, bit/s.
const MOST_BPS: f64 = 4e11;
/// Round-trip times above this are nonsense.
const MOST_RTT_S: f64 = 60.0;
const TWO_TO_32: f64 = 4_294_967_296.0;

#[cfg(test)]
#[path = "sender_tests.rs"]
mod tests;
