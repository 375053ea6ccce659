//! A receiver: what it holds, and when it reports.

use super::budget::Turns;
use super::config::Config;
use super::header::{DataHeader, Header};
use super::receiver_show::{DIFFERENTIATING_GAUGES, JOIN_REVOKED, RECEIVER_GAUGES, SHARE};
use super::rtcp::{Bye, Message, Octets, ReceiverReport, SenderReport};
use super::session::{Arrival, Session, SourceReport};
use super::share::Interval;
use super::subscription::{Rates, Trial, costs_too_much, next_level};
use super::suppression::{self, PlannedReport};
use crate::endpoint::{Cause, Endpoint, Event, Gauge, Input, Outbox, Report};
use crate::packet::{self, Address, Ecn, FlowId, INITIAL_TTL, Packet};
use crate::parts::loss_differentiation::LossDifferentiation;
use crate::parts::rtt::stamp_us;
use crate::random::Random;
use crate::scheme::Seat;
use crate::time::Instant;

/// A member of an MLDA session.
#[derive(Debug)]
pub struct Receiver {
    now: Instant,
    due: Instant,
    flow: FlowId,
    own: Address,
    /// The first group of the session.
    group: Address,
    is_running: bool,
    /// How many layers it holds.
    level: usize,
    /// Where the data comes from, once it comes.
    source: Option<Address>,
    session: Option<Session>,
    /// The number of another source of which a packet has come: with a second it takes the place of this one.
    suspect: Option<u32>,
    planned: PlannedReport,
    /// It has no membership in the group for reports: it hears no others, and reports in turn.
    is_deaf: bool,
    /// Whether it is planned though it is not the receiver's turn: as it cannot stand the base layer.
    is_out_of_turn: bool,
    turns: Turns,
    trial: Option<Trial>,
    differentiation: Option<LossDifferentiation>,
    counts: Report,
    shown: Shown,
    is_small_group: bool,
    suppression: suppression::Terms,
    random: Random,
    config: Config,
}

#[derive(Clone, Copy, Debug, Default)]
struct Shown {
    joins: u64,
    joins_revoked: u64,
    reports_suppressed: u64,
    reports_missed: u64,
}

impl Receiver {
    /// A member at `seat`. `config` must have passed [`Config::check`].
    pub fn new(config: &Config, seat: Seat) -> Receiver {
        let is_small_group = seat.members <= config.uniform_up_to;
        let steepness = if is_small_group { 0.0 } else { config.feedback_lambda };
        Receiver {
            now: Instant::ZERO,
            due: Instant::FAR_FUTURE,
            flow: seat.flow,
            own: seat.own,
            group: seat.group,
            is_running: false,
            level: 0,
            source: None,
            session: None,
            suspect: None,
            planned: PlannedReport::NONE,
            is_deaf: false,
            is_out_of_turn: false,
            turns: Turns::new(config, seat.members),
            trial: None,
            differentiation: config.loss_differentiation.as_ref().map(LossDifferentiation::new),
            counts: Report::default(),
            shown: Shown::default(),
            is_small_group,
            suppression: suppression::Terms { similar: config.similar, steepness },
            random: seat.random,
            config: config.clone(),
        }
    }

    /// How many layers it holds.
    pub fn level(&self) -> usize {
        self.level
    }

    /// τ, its share, bit/s; none before the first report of the source.
    pub fn share_bps(&self) -> Option<f64> {
        self.session.as_ref()?.share.rate_bps()
    }

    /// R, the rate of its bottleneck as far as it is known, bit/s.
    pub fn bottleneck_bps(&self) -> Option<f64> {
        self.session.as_ref()?.bottleneck_bps()
    }

    /// Its round-trip time, if it has been measured, seconds.
    pub fn rtt_s(&self) -> Option<f64> {
        self.session.as_ref()?.measured_rtt_s()
    }

    fn start(&mut self, now: Instant, out: &mut Outbox) {
        if self.is_running {
            return;
        }
        (self.is_running, self.is_deaf) = (true, false);
        (self.session, self.source, self.suspect) = (None, None, None);
        self.turns.wait(now, &mut self.random);
        self.set_level(now, 1, Cause::Time, out);
        if let Some(reports) = self.report_group() {
            out.join(reports);
        }
    }

    fn stop(&mut self, now: Instant, out: &mut Outbox) {
        if !self.is_running {
            return;
        }
        if self.source.is_some() {
            let bye = Bye { ssrc: self.own.to_bits() }.encode();
            self.send(now, Header::Bye, bye, out);
        }
        self.is_running = false;
        (self.planned, self.trial) = (PlannedReport::NONE, None);
        self.set_level(now, 0, Cause::Time, out);
        if let Some(reports) = self.report_group() {
            out.leave(reports);
        }
    }

    /// It is no member of a group. Without the base layer it goes; without another it goes on below, and tries again
    /// when the next report of the source finds room for it.
    fn unjoined(&mut self, now: Instant, group: Address, out: &mut Outbox) {
        let layer = group.to_bits().wrapping_sub(self.group.to_bits()) as usize;
        if layer == 0 {
            self.stop(now, out);
        } else if layer < self.level {
            self.trial = None;
            self.set_level(now, layer, Cause::Time, out);
        } else if Some(group) == self.report_group() {
            self.is_deaf = true;
        }
    }

    fn packet(&mut self, at: (Instant, Instant), packet: &Packet, message: Option<Message>, out: &mut Outbox) {
        let packet::Header::Mlda(header) = packet.header else { return };
        self.counts.received_pkts += 1;
        self.counts.received_bytes += u64::from(packet.size);
        match (header, message) {
            (Header::Data(data), _) => self.data(at, packet, &data, out),
            (Header::SenderReport { .. }, Some(Message::SenderReport(report))) => {
                self.sender_report(at, packet.source, &report, out);
            }
            (Header::ReceiverReport { .. }, Some(Message::ReceiverReport(report))) => self.overhear(&report),
            _ => {}
        }
    }

    /// Whether a packet of the source with this number is to be taken. The first one makes known who it is; of another
    /// than that two are needed in a row, and then the source has begun anew.
    fn recognise(&mut self, (now, arrived): (Instant, Instant), ssrc: u32, address: Address, out: &mut Outbox) -> bool {
        if self.session.as_ref().is_some_and(|session| session.ssrc == ssrc) {
            (self.suspect, self.source) = (None, Some(address));
            return true;
        }
        if self.session.is_some() && self.suspect != Some(ssrc) {
            self.suspect = Some(ssrc);
            return false;
        }
        self.set_level(now, 1, Cause::Time, out);
        if let Some(differentiation) = &mut self.differentiation {
            (0..self.config.layers).for_each(|layer| differentiation.joined(layer as u16));
        }
        self.session = Some(Session::new(&self.config, ssrc, arrived));
        (self.suspect, self.source) = (None, Some(address));
        (self.planned, self.trial) = (PlannedReport::NONE, None);
        true
    }

    fn data(&mut self, (now, arrived): (Instant, Instant), packet: &Packet, data: &DataHeader, out: &mut Outbox) {
        let layer = packet.destination.to_bits().wrapping_sub(self.group.to_bits()) as usize;
        if layer >= self.level || !self.recognise((now, arrived), data.ssrc, packet.source, out) {
            return;
        }
        // A source that has begun anew is met with the base layer.
        let Some(session) = self.session.as_mut().filter(|_| layer < self.level) else { return };
        let &DataHeader { sequence, timestamp, probe, .. } = data;
        let marked = packet.ecn > Ecn::Capable;
        let arrival = Arrival { now: arrived, layer, sequence, timestamp, probe, size: packet.size, marked };
        let said = session.data(&arrival, self.differentiation.as_mut());
        if said.is_new {
            self.counts.distinct_bytes += u64::from(packet.size);
        }
        let mark = marked.then(|| Cause::Mark { sequence: sequence.into(), level: packet.ecn });
        let cause = said.lost.map(|lost| Cause::Loss { sequence: lost.into() }).or(mark);
        let (Some(Trial { level }), Some(cause)) = (self.trial, cause) else { return };
        let running = *session.loss.running();
        if costs_too_much(&running, self.config.least_expected, self.config.loss_limit) {
            let event = Event::change(JOIN_REVOKED, self.level as f64, level as f64, cause);
            // Each layer counts its packets by itself.
            out.event(event.with([running.loss()]).on(layer as u8));
            self.shown.joins_revoked += 1;
            self.trial = None;
            self.set_level(now, level, cause, out);
        }
    }

    fn sender_report(
        &mut self,
        (now, arrived): (Instant, Instant),
        from: Address,
        report: &SenderReport,
        out: &mut Outbox,
    ) {
        // What is wrong in its rates may be wrong in all of it.
        let Some(rates) = Rates::read(&report.layers, self.config.layers as usize) else { return };
        if !self.recognise((now, arrived), report.ssrc, from, out) {
            return;
        }
        let Some(session) = self.session.as_mut().filter(|session| session.is_news(arrived, report)) else { return };
        if let Some(differentiation) = &mut self.differentiation {
            for (layer, line) in report.layers.iter().enumerate() {
                differentiation.rate(layer as u16, f64::from(line.rate_bps));
            }
        }
        session.hear(arrived, report, rates, self.own.to_bits());
        let cause = Cause::Packet { sequence: report.number.into() };
        if report.extra {
            self.follow(now, self.level, cause, out);
            let can_stand = |(share_bps, heard): (f64, &SourceReport)| share_bps >= heard.rates.base_bps();
            if self.is_out_of_turn && self.share_and_report().is_some_and(can_stand) {
                self.planned = PlannedReport::NONE;
            }
            return;
        }
        let before_bps = session.share.rate_bps();
        let interval = session.end_interval(arrived, self.level);
        let share_bps = session.next_share(&interval, true);
        out.event(share_event(before_bps, share_bps, &interval, cause));
        self.trial = None;
        let level = self.level;
        self.follow(now, self.level + 1, cause, out);
        if self.level > level {
            self.trial = Some(Trial { level });
        }
        self.plan(now, interval.loss, out);
    }

    /// Goes to the level that the share has room for by the rates announced, at most to `most`.
    fn follow(&mut self, now: Instant, most: usize, cause: Cause, out: &mut Outbox) {
        let Some((share_bps, heard)) = self.share_and_report() else { return };
        let target = heard.rates.target(share_bps, self.config.join_tolerance);
        let level = next_level(self.level, target).min(most);
        if self.trial.is_some_and(|trial| level <= trial.level) {
            self.trial = None;
        }
        self.set_level(now, level, cause, out);
    }

    fn share_and_report(&self) -> Option<(f64, &SourceReport)> {
        let session = self.session.as_ref()?;
        Some((session.share.rate_bps()?, session.heard.as_ref()?))
    }

    /// Draws when to report. Who has lost packets and cannot stand the base layer does it at once in a small group; in
    /// a larger one all of those at once would be too many, and the first of the spread timers end early anyway.
    fn plan(&mut self, now: Instant, loss: f64, out: &mut Outbox) {
        let Some((share_bps, heard)) = self.share_and_report() else { return };
        let spread = heard.spread;
        let is_urgent = self.config.fast_decrease && loss > 0.0 && share_bps < heard.rates.base_bps();
        let (has_turn, hears_others) =
            (self.turns.has_come(now), self.config.report_group().is_some() && !self.is_deaf);
        self.planned = PlannedReport::NONE;
        if is_urgent && self.is_small_group {
            self.report_share(now, out);
        } else if hears_others && has_turn && self.rtt_s().is_none() {
            self.planned = PlannedReport::draw_firm(now, share_bps, spread, &mut self.random);
        } else if hears_others || has_turn || is_urgent {
            self.is_out_of_turn = !(hears_others || has_turn);
            self.planned = PlannedReport::draw(now, share_bps, spread, &self.suppression, &mut self.random);
        }
    }

    /// A report of another receiver for the round that runs.
    fn overhear(&mut self, report: &ReceiverReport) {
        let Some(session) = &self.session else { return };
        let is_of_round = report.source == session.ssrc && Some(report.number) == session.round();
        if is_of_round
            && report.ssrc != self.own.to_bits()
            && self.planned.hear(f64::from(report.rate_bps), &self.suppression)
        {
            self.shown.reports_suppressed += 1;
        }
    }

    /// No report of the source has come for so long that the receiver goes by itself: down, if that is what the losses
    /// say, and it reports, if anything comes at all. If none has come ever its share begins all the same, and is
    /// reported: a base layer that is too much for its path may be why.
    fn miss_report(&mut self, now: Instant, out: &mut Outbox) {
        let level = self.level;
        let Some(session) = &mut self.session else { return };
        self.shown.reports_missed += 1;
        let before_bps = session.share.rate_bps();
        let interval = session.end_interval(now, level);
        self.trial = None;
        if interval.received_bps <= 0.0 {
            return;
        }
        let share_bps = session.next_share(&interval, false);
        out.event(share_event(before_bps, share_bps, &interval, Cause::Time));
        if session.round().is_none() {
            let spread = self.config.report_interval.mul_f64(self.config.feedback_share);
            self.planned = PlannedReport::draw_firm(now, share_bps, spread, &mut self.random);
            return;
        }
        self.follow(now, level, Cause::Time, out);
        self.plan(now, interval.loss, out);
    }

    /// When so many reports of the source are missing that the receiver goes by itself.
    fn patience_ends(&self) -> Instant {
        let Some(session) = &self.session else { return Instant::FAR_FUTURE };
        let patience = self.config.report_interval.mul_f64(f64::from(self.config.missed_reports));
        session.began_at() + patience
    }

    fn timeout(&mut self, now: Instant, out: &mut Outbox) {
        if self.planned.at() <= now {
            self.planned = PlannedReport::NONE;
            self.report_share(now, out);
        }
        if self.patience_ends() <= now {
            self.miss_report(now, out);
        }
    }

    fn report_share(&mut self, now: Instant, out: &mut Outbox) {
        let Some(session) = &mut self.session else { return };
        let Some(share_bps) = session.share.rate_bps() else { return };
        let heard = session.heard.as_ref().filter(|heard| heard.number.is_some());
        // If reports of the source are missing the round is a later one; by the last but one nobody is ahead.
        let rounds = heard.map_or(0, |heard| now.since(heard.round_at).0 / self.config.report_interval.0);
        let number = session.round().map_or(0, |number| number.wrapping_add(rounds.saturating_sub(1) as u16));
        // None has come: LSR is 0 then (RFC 3550 section 6.4.1).
        let (last_sr, delay_since_sr) =
            heard.map_or((0, 0), |heard| (heard.last_sr, (now.since(heard.at).as_secs_f64() * 65_536.0) as u32));
        self.turns.wait(now, &mut self.random);
        let since = core::mem::take(&mut session.since_report);
        let in_all = &session.in_all;
        let report = ReceiverReport {
            ssrc: self.own.to_bits(),
            source: session.ssrc,
            number,
            rate_bps: share_bps as f32,
            loss: session.loss.loss() as f32,
            rtt_us: session.measured_rtt_s().map_or(0, |rtt_s| (rtt_s * 1e6 + 0.5) as u32),
            stamp_us: stamp_us(now),
            fraction_lost: (256.0 * since.raw_loss()).min(255.0) as u8,
            cumulative_lost: in_all.lost.saturating_add(in_all.lost_by_link).clamp(MIN_LOST, MAX_LOST) as i32,
            highest_sequence: session.highest_sequence(),
            jitter: session.jitter_us(),
            last_sr,
            delay_since_sr,
        };
        self.send(now, Header::ReceiverReport { number }, report.encode(), out);
    }

    fn send(&mut self, now: Instant, header: Header, octets: Octets, out: &mut Outbox) {
        let Some(source) = self.source else { return };
        let packet = Packet {
            sent: now,
            flow: self.flow,
            source: self.own,
            destination: self.report_group().unwrap_or(source),
            size: octets.size(),
            ttl: INITIAL_TTL,
            ecn: Ecn::NotCapable,
            header: header.into(),
        };
        self.counts.sent_pkts += 1;
        self.counts.sent_bytes += u64::from(packet.size);
        out.send_control(packet, octets.into());
    }

    /// Joins or leaves layers until it holds so many.
    fn set_level(&mut self, now: Instant, level: usize, cause: Cause, out: &mut Outbox) {
        while self.level != level {
            let layer = if level > self.level { self.level } else { self.level - 1 };
            if let Some(session) = &mut self.session {
                session.begin_layer(now, layer);
            }
            let group = Address::group((self.group.index() + layer) as u32);
            if level > self.level {
                self.shown.joins += 1;
                self.level += 1;
                out.join(group);
                out.event(Event::layer_added(layer as u8, cause));
            } else {
                self.level -= 1;
                out.leave(group);
                out.event(Event::layer_dropped(layer as u8, cause));
            }
            if let Some(differentiation) = &mut self.differentiation {
                differentiation.joined(layer as u16);
            }
        }
    }

    fn report_group(&self) -> Option<Address> {
        let number = self.config.report_group()?;
        Some(Address::group(self.group.index() as u32 + number))
    }

    /// The truth about a packet that did not come.
    fn link_loss(&mut self, packet: &Packet) {
        let packet::Header::Mlda(Header::Data(data)) = packet.header else { return };
        let layer = packet.destination.to_bits().wrapping_sub(self.group.to_bits()) as usize;
        let session = self.session.as_ref().filter(|session| session.ssrc == data.ssrc && layer < self.level);
        // Counts begin anew with every layer that is joined, so they have not the number's bits.
        let count = session.and_then(|session| session.count_of(layer, data.sequence));
        if let (Some(differentiation), Some(count)) = (&mut self.differentiation, count) {
            differentiation.link_lost(layer as u16, count);
        }
    }
}

/// What 24 bits with a sign can say of the packets lost.
const MAX_LOST: i64 = (1 << 23) - 1;
const MIN_LOST: i64 = -(1 << 23);

fn share_event(before_bps: Option<f64>, after_bps: f64, interval: &Interval, cause: Cause) -> Event {
    Event::change(SHARE, before_bps.unwrap_or(f64::NAN), after_bps, cause).with([
        interval.loss,
        interval.rtt_s,
        interval.bottleneck_bps.unwrap_or(f64::NAN),
        interval.received_bps,
    ])
}

impl Endpoint for Receiver {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        self.now = now;
        match input {
            Input::Start => self.start(now, out),
            Input::Packet { packet, control, arrived } if self.is_running => {
                let is_data = matches!(packet.header, packet::Header::Mlda(Header::Data(_)));
                let message = if is_data { None } else { Octets::read(control).ok() };
                self.packet((now, arrived), packet, message, out);
            }
            Input::LinkLoss(packet) if self.is_running => self.link_loss(packet),
            Input::Unjoined(group) if self.is_running => self.unjoined(now, group, out),
            Input::Timeout if self.is_running => self.timeout(now, out),
            Input::NotSent(packet) => self.counts.not_sent(packet),
            Input::Packet { .. } | Input::Timeout => {}
            Input::LinkLoss(_) | Input::Unjoined(_) | Input::Granted(_) => {}
            Input::Stop => self.stop(now, out),
        }
        self.due = if self.is_running { self.planned.at().min(self.patience_ends()) } else { Instant::FAR_FUTURE };
    }

    fn deadline(&self) -> Option<Instant> {
        // A packet may have come before a time-out that was due.
        (self.due != Instant::FAR_FUTURE).then(|| self.due.max(self.now))
    }

    fn report(&self) -> Report {
        Report { rate_bps: self.share_bps().unwrap_or(f64::NAN), ..self.counts }
    }

    fn sees_link_losses(&self) -> bool {
        self.differentiation.is_some()
    }

    fn gauges(&self) -> &'static [Gauge] {
        if self.differentiation.is_some() { DIFFERENTIATING_GAUGES } else { RECEIVER_GAUGES }
    }

    fn measure(&self, values: &mut [f64]) {
        let session = self.session.as_ref();
        let loss = session.map(|session| &session.loss);
        let Shown { joins, joins_revoked, reports_suppressed, reports_missed } = self.shown;
        let (levels, counts) = values.split_at_mut(5);
        levels.copy_from_slice(&[
            loss.map_or(f64::NAN, |loss| loss.loss()),
            loss.map_or(f64::NAN, |loss| loss.raw_loss()),
            self.rtt_s().unwrap_or(f64::NAN),
            self.bottleneck_bps().unwrap_or(f64::NAN),
            self.level as f64,
        ]);
        let (counts, confusion) = counts.split_at_mut(4);
        let counted = [joins, joins_revoked, reports_suppressed, reports_missed];
        counts.copy_from_slice(&counted.map(|count| count as f64));
        if let Some(differentiation) = &self.differentiation {
            confusion.copy_from_slice(&differentiation.confusion().values());
        }
    }
}

#[cfg(test)]
#[path = "receiver_tests.rs"]
mod tests;
