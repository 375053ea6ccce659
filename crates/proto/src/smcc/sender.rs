//! The source: an ensemble of layers, of which each carries what its control says beyond the ones below ([Kwon]
//! section II), and the counting layers by their schedule.

use super::config::Config;
use super::counting::{Counting, Cursor};
use super::header::{AckHeader, CountingHeader, Header};
use super::layer::{Beside, Layer};
use super::quiet::Quiet;
use super::show::{ELECTION, SENDER_GAUGES};
use super::windowed::Acknowledgement;
use crate::endpoint::{Cause, Endpoint, Event, Gauge, Input, Outbox, Report};
use crate::packet::{self, Address, Ecn, INITIAL_TTL, Packet};
use crate::parts::rtt::{lag_s, stamp_us};
use crate::parts::supply::Supply;
use crate::pgmcc::LOSS_REDUCTION;
use crate::scheme::Seat;
use crate::tfmcc::{
    self, Echo, Feedback, LIMITING_RECEIVER, MaxRttRule, RATE, REPORT, Reported, SLOW_START_ENDED, Stamp,
};
use crate::time::{Duration, Instant};

/// The source of an SMCC session.
#[derive(Debug)]
pub struct Sender {
    /// The lowest first.
    layers: Vec<Layer>,
    counting: Counting,
    /// The packets of the counting layers, from the start on.
    cursor: Cursor,
    /// A packet of a counting layer, but for its group, its number and its time.
    template: Packet,
    /// The first group of the counting layers.
    first_counting: u32,
    counting_pkts: u64,
    supply: Supply,
    /// k, round-trip times by which receivers measure what they receive.
    window_rtts: f64,
    started: Option<Instant>,
    /// When it wants to be called again.
    deadline: Option<Instant>,
    reports: u64,
    acks: u64,
    received_bytes: u64,
    lead_changes: u64,
    quiet: Quiet,
    max_rtt: MaxRttRule,
}

impl Sender {
    /// A source at `seat`. `config` must have passed [`Config::check`].
    pub fn new(config: &Config, seat: Seat) -> Sender {
        let bounds = config.layer_bounds();
        let layers: Vec<Layer> = (0..bounds.count()).map(|number| Layer::new(config, &bounds, number, &seat)).collect();
        let counting = config.counting();
        let first_counting = seat.group.index() as u32 + layers.len() as u32;
        Sender {
            layers,
            counting,
            cursor: Cursor::new(counting),
            template: Packet {
                sent: Instant::ZERO,
                flow: seat.flow,
                source: seat.own,
                destination: seat.group,
                size: config.tfmcc.packet_size.0 as u16,
                ttl: INITIAL_TTL,
                ecn: if config.tfmcc.ecn { Ecn::Capable } else { Ecn::NotCapable },
                header: Header::Counting(CountingHeader::default()).into(),
            },
            first_counting,
            counting_pkts: 0,
            supply: Supply::default(),
            window_rtts: config.tfmcc.receive_rate_rtts,
            started: None,
            deadline: None,
            reports: 0,
            acks: 0,
            received_bytes: 0,
            lead_changes: 0,
            quiet: Quiet::NEVER,
            max_rtt: config.tfmcc.max_rtt,
        }
    }

    /// T_i, what the layers up to `layer` carry together, bit/s.
    pub fn rate_bps(&self, layer: usize) -> f64 {
        self.layers[layer].rate_bps()
    }

    /// LR_i, the receiver that limits `layer`.
    pub fn lead(&self, layer: usize) -> Option<Address> {
        self.layers[layer].led.control.lead()
    }

    /// R_max of `layer`, seconds.
    pub fn max_rtt_s(&self, layer: usize) -> f64 {
        self.layers[layer].led.control.max_rtt_s()
    }

    /// The feedback round of `layer`; wraps around.
    pub fn round(&self, layer: usize) -> u8 {
        self.layers[layer].led.control.round()
    }

    fn start(&mut self, now: Instant) {
        self.started = Some(now);
        self.cursor.seek(Duration::ZERO);
        self.layers.iter_mut().for_each(|layer| layer.begin(now));
        self.settle(now);
    }

    fn stop(&mut self) {
        self.started = None;
        self.deadline = None;
        self.layers.iter_mut().for_each(|layer| layer.led.control.stop());
    }

    /// So many packets are there to be sent from now on, in all layers together; of those that are due the lowest goes
    /// first. Counting layers go by their schedule, which receivers know, with data or without.
    /// Whether that changes what is to be done.
    fn grant(&mut self, now: Instant, packets: u64) -> bool {
        let was_empty = self.supply.is_empty();
        self.supply.set(packets);
        if was_empty == self.supply.is_empty() {
            return false;
        }
        self.advance(now);
        if was_empty {
            self.layers.iter_mut().for_each(|layer| layer.let_go(now, self.window_rtts));
        }
        self.tell_supply();
        true
    }

    /// This packet has not been sent.
    fn take_back(&mut self, now: Instant, packet: &Packet) {
        self.advance(now);
        match packet.header {
            packet::Header::Smcc(Header::Data(data)) => {
                let first = self.first_counting as usize - self.layers.len();
                let number = packet.destination.index().wrapping_sub(first);
                if let Some(layer) = self.layers.get_mut(number) {
                    layer.take_back(data.unpack().data.sequence);
                    self.supply.give_back();
                    self.tell_supply();
                }
            }
            packet::Header::Smcc(Header::Counting(_)) => self.counting_pkts -= 1,
            _ => {}
        }
    }

    fn advance(&mut self, now: Instant) {
        self.layers.iter_mut().for_each(|layer| layer.led.control.advance(now));
    }

    fn tell_supply(&mut self) {
        let is_empty = self.supply.is_empty();
        self.layers.iter_mut().for_each(|layer| layer.led.control.set_idle(is_empty));
    }

    fn hear(&mut self, now: Instant, arrived: Instant, packet: &Packet, out: &mut Outbox) {
        let report = match packet.header {
            packet::Header::Smcc(Header::Feedback(report)) => report,
            packet::Header::Smcc(Header::Ack(ack)) => return self.acknowledged(now, arrived, packet, &ack, out),
            _ => return,
        };
        self.reports += 1;
        self.received_bytes += u64::from(packet.size);
        let (receiver, number) = (packet.source, usize::from(report.layer));
        let mut feedback = feedback_of(arrived, receiver, &report.feedback);
        // What is void must not count as a leave of other layers either; one that was overtaken by another, from a
        // layer that the receiver has reached since, or by the one that says that it has left this, is of the past.
        let is_void = feedback.rate_bps.is_nan() || feedback.rate_bps < 0.0 || number >= self.layers.len();
        let is_late = |(other, layer): (usize, &Layer)| match other == number {
            true => !feedback.leave && layer.led.was_left_since(receiver, packet.sent),
            false => layer.led.is_led_since(receiver, packet.sent),
        };
        if is_void || self.layers.iter().enumerate().any(is_late) {
            return;
        }
        if self.max_rtt == MaxRttRule::Measured {
            feedback.rtt_s = self.quiet.counted_rtt_s(now, feedback.rtt_s);
        }
        let cause = Cause::Report { receiver, number: u64::from(feedback.round) };
        self.layers.iter_mut().for_each(Layer::remember);
        if !feedback.leave {
            self.layers[..=number].iter_mut().for_each(Layer::reported);
            self.take_report((now, arrived), packet, &report.feedback, (number, &feedback), cause, out);
        }
        // It is in one layer as the highest, or in none.
        let mut alone = true;
        for (other, layer) in self.layers.iter_mut().enumerate().rev() {
            if (other != number || feedback.leave) && layer.led.left(now, receiver, packet.sent) {
                layer.lead_lost();
                if alone {
                    layer.left_behind();
                }
                out.event(Event::new(ELECTION, cause).on(other as u8));
            }
            alone &= !layer.led.is_occupied();
        }
        self.settle(now);
        self.tell(cause, out);
    }

    /// A report of a receiver on the layer `number`, where it stays.
    fn take_report(
        &mut self,
        (now, arrived): (Instant, Instant),
        packet: &Packet,
        report: &tfmcc::FeedbackHeader,
        (number, feedback): (usize, &Feedback),
        cause: Cause,
        out: &mut Outbox,
    ) {
        let longest_rtt_s = self.layers.iter().find_map(|layer| layer.led.longest_rtt_s(packet.source));
        let layer = &mut self.layers[number];
        let p = if report.have_loss { f64::from(report.loss_event_rate) } else { 0.0 };
        let receive_bps = f64::from(report.receive_bps);
        let reported = Reported { receiver: packet.source, receive_bps, loss_event_rate: p, rtt_s: feedback.rtt_s };
        layer.bound(now, &reported, self.supply.is_empty());
        let (before_bps, asked_bps) = (layer.rate_bps(), layer.led.control.asked_bps(feedback));
        let before = layer.led.control.lead();
        let Some(heard) = layer.led.hear(now, feedback, packet.sent, longest_rtt_s) else { return };
        if heard.limits {
            layer.limits(now, &reported);
            // What the rate goes with: the receiver's own round-trip time, or what has been made of its report here.
            let rtt_s = if report.have_rtt || !report.have_loss { feedback.used_rtt_s } else { feedback.rtt_s };
            let inputs = [receive_bps, rtt_s, p, f64::from(report.scale)];
            let event = Event::change(REPORT, before_bps, asked_bps, cause).about(Some(packet.source));
            out.event(event.with(inputs).on(number as u8));
        }
        if heard.ended_slow_start {
            out.event(Event::change(SLOW_START_ENDED, before_bps, f64::NAN, cause).on(number as u8));
        }
        let stamp = Stamp {
            receiver: packet.source,
            stamp_us: stamp_us(packet.sent),
            came: arrived,
            round: report.round,
            have_rtt: report.have_rtt,
            rate_bps: feedback.rate_bps,
        };
        layer.echoes.add(stamp, heard.limits);
        if before != Some(packet.source) {
            layer.announce(now);
        }
    }

    /// An ACK, with windows.
    fn acknowledged(&mut self, now: Instant, arrived: Instant, packet: &Packet, ack: &AckHeader, out: &mut Outbox) {
        self.acks += 1;
        self.received_bytes += u64::from(packet.size);
        let (receiver, number) = (packet.source, ack.layer);
        let Some(layer) = self.layers.get_mut(usize::from(number)) else { return };
        let rtt_s = lag_s(stamp_us(arrived), ack.echoed_stamp_us);
        let found = Acknowledgement { receiver, rtt_s, highest: ack.highest, bitmap: ack.bitmap };
        let is_used = !layer.is_short(now, self.supply.is_empty());
        if let Some((before, after, sequence)) = layer.acknowledged(now, &found, is_used) {
            let event = Event::change(LOSS_REDUCTION, before, after, Cause::Loss { sequence });
            out.event(event.about(Some(receiver)).with([before, after]).on(number));
        }
        if let Some((before_bps, after_bps)) = layer.take_news() {
            let cause = Cause::Report { receiver, number: ack.highest.into() };
            out.event(Event::change(RATE, before_bps, after_bps, cause).on(number));
        }
        self.follow(now);
    }

    fn pass(&mut self, now: Instant, out: &mut Outbox) {
        if self.layers.iter().all(|layer| layer.led.control.deadline() > now) {
            return;
        }
        self.layers.iter_mut().for_each(Layer::remember);
        let mut alone = true;
        for (number, layer) in self.layers.iter_mut().enumerate().rev() {
            let passed = layer.led.pass(now, alone);
            if passed.given_up {
                layer.lead_lost();
                out.event(Event::new(ELECTION, Cause::Time).on(number as u8));
            }
            if let Some(receiver) = passed.restored {
                layer.echoes.clr_back(receiver);
                layer.announce(now);
            }
            if passed.next_round {
                layer.echoes.next_round();
            }
            alone &= !layer.led.is_occupied();
        }
        self.settle(now);
        self.tell(Cause::Time, out);
    }

    /// The rates of layers that nobody limits, and from them what each layer carries alone.
    fn settle(&mut self, now: Instant) {
        let mut alone = true;
        for layer in self.layers.iter_mut().rev() {
            layer.led.settle(alone);
            alone &= !layer.led.is_occupied();
        }
        self.follow(now);
    }

    fn follow(&mut self, now: Instant) {
        let mut below_bps = 0.0;
        for layer in &mut self.layers {
            layer.follow(now, below_bps);
            below_bps = layer.rate_bps();
        }
    }

    fn tell(&mut self, cause: Cause, out: &mut Outbox) {
        for (number, layer) in self.layers.iter_mut().enumerate() {
            let [(before_bps, lead_before), (after_bps, lead)] = layer.change();
            if lead != lead_before {
                self.lead_changes += 1;
                out.event(Event::new(LIMITING_RECEIVER, cause).about(lead).on(number as u8));
            }
            if after_bps != before_bps {
                out.event(Event::change(RATE, before_bps, after_bps, cause).on(number as u8));
                layer.told();
            }
        }
    }

    /// Sends what is due.
    fn send(&mut self, now: Instant, started: Instant, out: &mut Outbox) {
        let tick = self.counting.tick_at(now.since(started));
        for number in 0..self.layers.len() {
            if self.layers[number].due() <= now && !self.supply.is_empty() {
                self.supply.take();
                if self.supply.is_empty() {
                    self.tell_supply();
                }
                let next_bps = self.layers.get(number + 1).map_or(f64::NAN, Layer::rate_bps);
                let echo = self.take_echo(now, number);
                out.send(self.layers[number].next(now, Beside { next_bps, tick, echo }));
            }
        }
        let since_start = now.since(started);
        if self.cursor.peek().is_some_and(|due| due.at + self.counting.finest() < since_start) {
            // What the driver is late by more than a slot is let go.
            self.cursor.seek(Duration(since_start.0 - self.counting.finest().0));
        }
        while self.cursor.peek().is_some_and(|due| due.at <= since_start) {
            let due = self.cursor.advance().expect("there is one");
            let header = Header::Counting(CountingHeader { sequence: due.number, tick: due.tick });
            let destination = Address::group(self.first_counting + due.group);
            out.send(Packet { sent: now, destination, header: header.into(), ..self.template });
            self.counting_pkts += 1;
        }
    }

    /// The echo in a packet of a layer: if it has none of its own, as there is nobody, one of the next layer that has,
    /// whose receivers hold this one, too.
    fn take_echo(&mut self, now: Instant, number: usize) -> Option<Echo> {
        let echo = self.layers[number].take_echo(now);
        // Who limits another layer does not limit this one.
        let above = |layer: &mut Layer| layer.take_echo(now).map(|echo| Echo { is_clr: false, ..echo });
        echo.or_else(|| self.layers[number + 1..].iter_mut().find_map(above))
    }

    fn next_deadline(&self, now: Instant) -> Option<Instant> {
        let started = self.started?;
        let is_empty = self.supply.is_empty();
        let due = |layer: &Layer| if is_empty { Instant::FAR_FUTURE } else { layer.due() };
        let layers = self.layers.iter().map(|layer| due(layer).min(layer.led.control.deadline()));
        let counting = self.cursor.peek().map_or(Instant::FAR_FUTURE, |due| started + due.at);
        layers.min().map(|at| at.min(counting).max(now))
    }
}

/// A report as far as it concerns the rate.
fn feedback_of(arrived: Instant, receiver: Address, report: &tfmcc::FeedbackHeader) -> Feedback {
    Feedback {
        delayed: false,
        receiver,
        rate_bps: f64::from(report.rate_bps),
        rtt_s: lag_s(stamp_us(arrived), report.echoed_stamp_us),
        used_rtt_s: f64::from(report.rtt_s),
        have_rtt: report.have_rtt,
        have_loss: report.have_loss,
        leave: report.leave,
        round: report.round,
    }
}

impl Endpoint for Sender {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => self.start(now),
            Input::Stop => self.stop(),
            Input::Granted(packets) => {
                if !self.grant(now, packets) {
                    self.deadline = self.deadline.map(|at| at.max(now));
                    return;
                }
            }
            Input::NotSent(packet) => self.take_back(now, packet),
            _ if self.started.is_none() => return,
            // Before the deadline a time-out changes nothing, not even the progress of a rate towards its target.
            Input::Timeout | Input::LinkLoss(_) | Input::Unjoined(_) if self.deadline.is_none_or(|at| at > now) => {
                return;
            }
            Input::Packet { .. } | Input::Timeout | Input::LinkLoss(_) | Input::Unjoined(_) => {
                self.layers.iter_mut().for_each(|layer| layer.led.control.advance(now));
            }
        }
        let Some(started) = self.started else { return };
        self.follow(now);
        if let Input::Packet { packet, arrived, .. } = input {
            self.hear(now, arrived, packet, out);
        }
        self.pass(now, out);
        self.send(now, started, out);
        self.deadline = self.next_deadline(now);
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    fn report(&self) -> Report {
        let counting_bytes = self.counting_pkts * u64::from(self.template.size);
        Report {
            sent_pkts: self.layers.iter().map(Layer::sent_pkts).sum::<u64>() + self.counting_pkts,
            sent_bytes: self.layers.iter().map(Layer::sent_bytes).sum::<u64>() + counting_bytes,
            received_pkts: self.reports,
            received_bytes: self.received_bytes,
            rate_bps: self.layers.last().map_or(f64::NAN, Layer::rate_bps),
            ..Report::default()
        }
    }

    fn gauges(&self) -> &'static [Gauge] {
        SENDER_GAUGES
    }

    fn measure(&self, values: &mut [f64]) {
        let sum = |of: fn(&Layer) -> u64| self.layers.iter().map(of).sum::<u64>();
        let counts = [
            sum(|layer| layer.led.control.counts().halvings),
            sum(|layer| layer.led.control.counts().rounds),
            sum(|layer| layer.led.control.counts().round_reports),
            sum(|layer| layer.led.elections()),
            self.lead_changes,
            self.acks,
        ];
        values.copy_from_slice(&counts.map(|count| count as f64));
    }
}

#[cfg(test)]
#[path = "sender_tests.rs"]
mod tests;
