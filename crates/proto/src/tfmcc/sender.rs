//! The sender (RFC 4654 section 3): a rate control, the packets by it, and whose time stamps they echo.

use super::config::Config;
use super::data_limit::{Bound, DataLimit, Reported};
use super::data_packets::DataPackets;
use super::echo::{Echoes, Stamp};
use super::feedback::Feedback;
use super::header::FeedbackHeader;
use super::rate_control::RateControl;
use super::scaling::Scaling;
use super::show::{LIMITING_RECEIVER, RATE, REPORT, SENDER_GAUGES, SLOW_START_ENDED};
use super::wording::{Plain, Wording};
use crate::endpoint::{Cause, Endpoint, Event, Gauge, Input, Outbox, RECEIVER_EXCLUDED, Report};
use crate::packet::{Address, FlowId, Packet};
use crate::parts::exclusion::{Exclusion, Verdict};
use crate::parts::pacer::Pacer;
use crate::parts::rtt::{lag_s, stamp_us};
use crate::parts::supply::{GREATEST_GROWTH, Supply};
use crate::time::{Duration, Instant};
use std::marker::PhantomData;

/// The source of a TFMCC session.
pub type Sender = SenderOf<Plain>;

/// The source of a session of TFMCC or of a scheme built on it, whose messages travel in the headers of `W`.
#[derive(Debug)]
pub struct SenderOf<W> {
    headers: PhantomData<W>,
    control: RateControl,
    pacer: Pacer,
    packets: DataPackets,
    echoes: Echoes,
    exclusion: Exclusion,
    scaling: Scaling,
    supply: Supply,
    /// Until when reports tell of what was sent while the application had nothing to send.
    short_until: Instant,
    /// What a report may make of X that tells of such a time, where that is not what it makes of it otherwise.
    data_limit: Option<DataLimit>,
    /// When data was last sent, and when somebody last reported.
    sent_at: Instant,
    heard_at: Instant,
    /// k, round-trip times by which receivers measure what they receive.
    window_rtts: f64,
    running: bool,
    /// The last input: no deadline is before it.
    now: Instant,
    reports: u64,
    received_bytes: u64,
}

impl<W: Wording> SenderOf<W> {
    /// A source at `own` that sends to `group`. `config` must have passed [`Config::check`].
    pub fn new(config: &Config, flow: FlowId, own: Address, group: Address) -> Self {
        SenderOf {
            headers: PhantomData,
            control: RateControl::new(config),
            pacer: Pacer::OFF,
            packets: DataPackets::new(config, flow, own, group),
            echoes: Echoes::by(config),
            exclusion: Exclusion::new(config.exclude_below),
            scaling: Scaling::default(),
            supply: Supply::default(),
            short_until: Instant::ZERO,
            data_limit: DataLimit::by(config),
            sent_at: Instant::ZERO,
            heard_at: Instant::ZERO,
            window_rtts: config.receive_rate_rtts,
            running: false,
            now: Instant::ZERO,
            reports: 0,
            received_bytes: 0,
        }
    }

    /// The rate, and what it follows from.
    pub fn control(&self) -> &RateControl {
        &self.control
    }

    /// The sending rate X, bit/s.
    pub fn rate_bps(&self) -> f64 {
        self.control.rate_bps()
    }

    /// R_max, seconds.
    pub fn max_rtt_s(&self) -> f64 {
        self.control.max_rtt_s()
    }

    /// Whether slow start goes on.
    pub fn in_slow_start(&self) -> bool {
        self.control.in_slow_start()
    }

    /// The current limiting receiver.
    pub fn clr(&self) -> Option<Address> {
        self.control.clr()
    }

    /// The feedback round (fb_nr); wraps around.
    pub fn round(&self) -> u8 {
        self.control.round()
    }

    /// What multiplies the rate.
    pub fn scaling(&self) -> Scaling {
        self.scaling
    }

    /// From now on `scaling` multiplies the rate: that of receivers with the next packets they get, the increase at
    /// once. What suppresses reports in this round follows.
    pub fn scale(&mut self, scaling: Scaling) {
        self.control.scale(scaling.equation / self.scaling.equation, scaling.increase);
        self.scaling = scaling;
    }

    /// The rate X_r' for which a report asks (section 3.3), bit/s: what its receiver calculates, with the round-trip
    /// time that the sender sees as long as the receiver has none. Nothing for packets that are no reports. `arrived`
    /// is when it came.
    pub fn asked_bps(&self, arrived: Instant, packet: &Packet) -> Option<f64> {
        let report = W::read_feedback(&packet.header)?;
        Some(self.control.adjusted_bps(&feedback(packet, &report, arrived)))
    }

    /// `receiver` limits no longer, as an owner has decided that hears reports before this sender does: others are
    /// asked at once, and the next one that limits raises the rate after a round. Nothing happens if it did not limit.
    pub fn dismiss(&mut self, now: Instant, receiver: Address, cause: Cause, out: &mut Outbox) {
        if self.clr() == Some(receiver) {
            self.control.advance(now);
            let before = (self.rate_bps(), self.clr());
            self.control.limiting_left(now);
            self.echoes.clr_lost();
            self.tell(before, cause, out);
        }
    }

    fn start(&mut self, now: Instant) {
        self.running = true;
        self.control.begin(now);
        self.pacer.begin(now);
    }

    fn stop(&mut self) {
        self.running = false;
        self.control.stop();
    }

    /// So many packets are there to be sent from now on. Whether that changes what is to be done.
    #[cold]
    fn grant(&mut self, now: Instant, packets: u64) -> bool {
        let was_empty = self.supply.is_empty();
        self.supply.set(packets);
        self.now = now;
        if was_empty == self.supply.is_empty() {
            return false;
        }
        self.control.advance(now);
        if was_empty && self.pacer.let_go(now) {
            // What was sent until now is reported of a way later, over k round-trip times.
            self.short_until = now + Duration::from_secs_f64((self.window_rtts + 1.0) * self.control.max_rtt_s());
        }
        self.control.set_idle(!was_empty);
        true
    }

    /// This packet has not been sent. Its turn has passed; the next one tries again.
    #[cold]
    fn take_back(&mut self, now: Instant, packet: &Packet) {
        self.control.advance(now);
        if let Some((data, _)) = W::read_data(&packet.header) {
            self.packets.not_sent(data.sequence);
            self.supply.give_back();
            self.control.set_idle(false);
        }
    }

    /// Whether the application, and not X, has limited what reports tell of now.
    fn is_short(&self, now: Instant) -> bool {
        now < self.short_until || (self.supply.is_empty() && self.pacer.due() < now)
    }

    /// Whether nothing is due by now. Of a time-out it is a packet as a rule, so that is looked at first.
    fn waits(&self, now: Instant) -> bool {
        self.due() > now && self.control.deadline() > now
    }

    /// When the next packet is due that there is.
    fn due(&self) -> Instant {
        if self.supply.is_empty() { Instant::FAR_FUTURE } else { self.pacer.due() }
    }

    fn hear(&mut self, now: Instant, arrived: Instant, packet: &Packet, out: &mut Outbox) {
        let Some(report) = W::read_feedback(&packet.header) else { return };
        self.reports += 1;
        self.received_bytes += u64::from(packet.size);
        let feedback = feedback(packet, &report, arrived);
        self.heard_at = now;
        let p = if report.have_loss { f64::from(report.loss_event_rate) } else { 0.0 };
        let receive_bps = f64::from(report.receive_bps);
        let reported = Reported { receiver: packet.source, receive_bps, loss_event_rate: p, rtt_s: feedback.rtt_s };
        let is_short = self.is_short(now);
        let limited = self.data_limit.as_mut().map(|data_limit| data_limit.bound(now, &reported, is_short));
        // A start follows what is received and is not raised for packets that were not there to be lost, either.
        let in_start = (self.control.is_starting() && is_short).then_some(Bound::Growth(GREATEST_GROWTH * receive_bps));
        self.control.bound(in_start.or(limited).unwrap_or(Bound::None));
        let before = (self.rate_bps(), self.clr());
        let asked_bps = self.control.adjusted_bps(&feedback);
        let cause = Cause::Report { receiver: packet.source, number: u64::from(report.round) };
        if (report.have_loss || feedback.delayed)
            && !report.leave
            && self.excludes(packet.source, asked_bps, cause, out)
        {
            self.dismiss(now, packet.source, cause, out);
            return;
        }
        let Some(heard) = self.control.hear(now, &feedback) else { return };
        if heard.limits {
            if let Some(data_limit) = &mut self.data_limit {
                data_limit.limits(now, &reported);
            }
            // What X_r' goes with: the receiver's own round-trip time, or what the sender has made of its report.
            let rtt_s = if report.have_rtt || !report.have_loss { feedback.used_rtt_s } else { feedback.rtt_s };
            let inputs = [receive_bps, rtt_s, p, f64::from(report.scale)];
            let event = Event::change(REPORT, before.0, asked_bps, cause);
            out.event(event.about(Some(packet.source)).with(inputs));
        }
        if heard.ended_slow_start {
            out.event(Event::change(SLOW_START_ENDED, before.0, f64::NAN, cause));
        }
        self.tell(before, cause, out);
        let stamp = Stamp {
            receiver: packet.source,
            stamp_us: stamp_us(packet.sent),
            came: arrived,
            round: report.round,
            have_rtt: report.have_rtt,
            rate_bps: feedback.rate_bps,
        };
        self.echoes.add(stamp, heard.limits);
    }

    /// Whether a receiver that loses packets asks for too little to be heeded.
    fn excludes(&mut self, receiver: Address, asked_bps: f64, cause: Cause, out: &mut Outbox) -> bool {
        let verdict = self.exclusion.hear(receiver, asked_bps);
        if verdict == Verdict::Excluded {
            let event = Event::change(RECEIVER_EXCLUDED, self.exclusion.least_bps(), asked_bps, cause);
            out.event(event.about(Some(receiver)));
        }
        verdict != Verdict::Heeded
    }

    fn pass(&mut self, now: Instant, out: &mut Outbox) {
        let before = (self.rate_bps(), self.clr());
        let passed = self.control.pass(now);
        // Who has reported since the last packet has no more to report of.
        let is_idle = self.supply.is_empty() && self.heard_at >= self.sent_at;
        let cause = if is_idle { Cause::Application } else { Cause::Time };
        if passed.ended_slow_start {
            out.event(Event::change(SLOW_START_ENDED, before.0, f64::NAN, cause));
        }
        self.tell(before, cause, out);
        if passed.given_up {
            self.echoes.clr_lost();
        }
        if let Some(receiver) = passed.restored {
            self.echoes.clr_back(receiver);
        }
        if passed.next_round {
            self.echoes.next_round();
        }
    }

    fn send(&mut self, now: Instant, out: &mut Outbox) {
        let echo = self.echoes.take(now, self.control.round(), self.control.is_late_in_round(now));
        out.send(self.packets.next(now, &self.control, self.scaling, echo, W::data));
        self.supply.take();
        self.sent_at = now;
        if self.supply.is_empty() {
            self.control.set_idle(true);
        }
        // Section 3.7: what the driver is late by more than R_max is let go.
        let most_late = Duration::from_secs_f64(self.control.max_rtt_s());
        self.pacer.sent(now, self.control.gap_s(), most_late);
    }

    fn tell(&self, (rate_bps, clr): (f64, Option<Address>), cause: Cause, out: &mut Outbox) {
        if self.clr() != clr {
            out.event(Event::new(LIMITING_RECEIVER, cause).about(self.clr()));
        }
        if self.rate_bps() != rate_bps {
            out.event(Event::change(RATE, rate_bps, self.rate_bps(), cause));
        }
    }
}

/// What a report that has come says to the rate.
fn feedback(packet: &Packet, report: &FeedbackHeader, arrived: Instant) -> Feedback {
    Feedback {
        receiver: packet.source,
        rate_bps: f64::from(report.rate_bps),
        rtt_s: lag_s(stamp_us(arrived), report.echoed_stamp_us),
        used_rtt_s: f64::from(report.rtt_s),
        have_rtt: report.have_rtt,
        have_loss: report.have_loss,
        // Otherwise it asks for twice that, or for a packet in 8 s if that is more.
        delayed: !report.have_loss && report.rate_bps < 1.5 * report.receive_bps,
        leave: report.leave,
        round: report.round,
    }
}

impl<W: Wording> Endpoint for SenderOf<W> {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => self.start(now),
            Input::Stop => self.stop(),
            Input::Granted(packets) if !self.grant(now, packets) => return,
            Input::Granted(_) => {}
            Input::NotSent(packet) => self.take_back(now, packet),
            _ if !self.running => return,
            // Before the deadline a time-out changes nothing, not even the progress of a rate towards its target.
            Input::Timeout | Input::LinkLoss(_) | Input::Unjoined(_) if self.waits(now) => {
                return;
            }
            Input::Packet { .. } | Input::Timeout | Input::LinkLoss(_) | Input::Unjoined(_) => {
                self.control.advance(now)
            }
        }
        self.now = now;
        if !self.running {
            return;
        }
        // After each step: a rate that rises and falls again within an input has brought the next packet forward.
        self.pacer.follow(now, self.control.gap_s());
        if let Input::Packet { packet, arrived, .. } = input {
            self.hear(now, arrived, packet, out);
            self.pacer.follow(now, self.control.gap_s());
        }
        self.pass(now, out);
        self.pacer.follow(now, self.control.gap_s());
        if self.due() <= now {
            self.send(now, out);
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.running.then(|| self.due().min(self.control.deadline()).max(self.now))
    }

    fn report(&self) -> Report {
        Report {
            sent_pkts: self.packets.sent_pkts(),
            sent_bytes: self.packets.sent_bytes(),
            received_pkts: self.reports,
            received_bytes: self.received_bytes,
            rate_bps: self.rate_bps(),
            ..Report::default()
        }
    }

    fn gauges(&self) -> &'static [Gauge] {
        SENDER_GAUGES
    }

    fn measure(&self, values: &mut [f64]) {
        let counts = self.control.counts();
        let [halvings, rounds, reports] =
            [counts.halvings, counts.rounds, counts.round_reports].map(|count| count as f64);
        let levels = [self.control.clr_rtt_s().unwrap_or(f64::NAN), self.control.growth_rtt_s()];
        values.copy_from_slice(&[halvings, rounds, reports, levels[0], levels[1]]);
    }
}
