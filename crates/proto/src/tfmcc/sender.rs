//! The sender (RFC 4654 section 3): the rate, the packets, the reports.

use super::Config;
use super::clr::{Clr, Consequence, Feedback, Growth, judge, judge_in_slow_start};
use super::config::{GREATEST_MAX_RTT, MaxRttRule};
use super::echo::{Echoes, REPEATS, Stamp};
use super::header::{DataHeader, FeedbackHeader, Plain, Wording};
use super::quantise;
use super::rounds::Rounds;
use super::rtt::{LEAST_RTT_S, lag_s, stamp_us};
use super::scaling::Scaling;
use super::show::{LIMITING_RECEIVER, RATE, SENDER_GAUGES, SLOW_START_ENDED};
use super::suppressors::Suppressors;
use crate::endpoint::{Cause, Endpoint, Event, Gauge, Input, Outbox, Report};
use crate::packet::{Address, Ecn, FlowId, INITIAL_TTL, Packet};
use crate::time::{Duration, Instant};
use std::marker::PhantomData;

/// The source of a TFMCC session.
pub type Sender = SenderOf<Plain>;

/// The source of a session of TFMCC or of a scheme built on it, whose messages travel in the headers of `W`.
#[derive(Debug)]
pub struct SenderOf<W> {
    headers: PhantomData<W>,
    config: Config,
    scaling: Scaling,
    flow: FlowId,
    own: Address,
    group: Address,
    running: bool,
    /// X, bit/s, as of the last input.
    rate_bps: f64,
    /// Slow start: the rate on its way to a target.
    ramp: Option<Ramp>,
    slow_start: bool,
    /// Until when a new limiting receiver does not raise the rate (section 3.3, case 3).
    hold_until: Instant,
    /// When the rate was last allowed to grow (section 3.3).
    grown_at: Instant,
    clr: Option<Clr>,
    /// A limiting receiver was given up for its silence: nothing else leaves the session without one.
    after_silence: bool,
    /// When anyone reported, or the rate was halved since nobody did.
    heard_at: Instant,
    rounds: Rounds,
    suppressors: Suppressors,
    echoes: Echoes,
    /// Number of the next packet.
    sequence: u32,
    /// Nominal time of the next packet.
    due: Instant,
    /// Nominal time of the last packet.
    last_due: Instant,
    /// The last input: no deadline is before it.
    now: Instant,
    sent_pkts: u64,
    reports: u64,
    /// Reports of receivers that did not limit.
    round_reports: u64,
    /// Feedback rounds begun.
    feedback_rounds: u64,
    received_bytes: u64,
    silences: u64,
}

/// A linear change of the rate.
#[derive(Clone, Copy, Debug)]
struct Ramp {
    from_bps: f64,
    to_bps: f64,
    start: Instant,
    length_s: f64,
}

impl<W: Wording> SenderOf<W> {
    /// A source at `own` that sends to `group`. `config` must have passed [`Config::check`].
    pub fn new(config: &Config, flow: FlowId, own: Address, group: Address) -> Self {
        SenderOf {
            headers: PhantomData,
            scaling: Scaling::default(),
            flow,
            own,
            group,
            running: false,
            rate_bps: 0.0,
            ramp: None,
            slow_start: true,
            hold_until: Instant::ZERO,
            grown_at: Instant::ZERO,
            clr: None,
            after_silence: false,
            heard_at: Instant::ZERO,
            rounds: Rounds::new(Instant::ZERO, config),
            suppressors: Suppressors::new(config.suppressing_rounds),
            echoes: Echoes::new(match config.max_rtt {
                MaxRttRule::Rfc => 0,
                MaxRttRule::Recent => REPEATS,
            }),
            sequence: 0,
            due: Instant::FAR_FUTURE,
            last_due: Instant::ZERO,
            now: Instant::ZERO,
            sent_pkts: 0,
            reports: 0,
            round_reports: 0,
            feedback_rounds: 0,
            received_bytes: 0,
            silences: 0,
            config: config.clone(),
        }
    }

    /// The sending rate X, bit/s.
    pub fn rate_bps(&self) -> f64 {
        self.rate_bps
    }

    /// R_max, seconds.
    pub fn max_rtt_s(&self) -> f64 {
        self.rounds.max_rtt_s()
    }

    /// Whether slow start goes on.
    pub fn in_slow_start(&self) -> bool {
        self.slow_start
    }

    /// The current limiting receiver.
    pub fn clr(&self) -> Option<Address> {
        self.clr.map(|clr| clr.receiver)
    }

    /// The feedback round (fb_nr); wraps around.
    pub fn round(&self) -> u8 {
        self.rounds.number()
    }

    /// What multiplies the rate.
    pub fn scaling(&self) -> Scaling {
        self.scaling
    }

    /// From now on `scaling` multiplies the rate: that of receivers with the next packets they get, the increase at
    /// once. What suppresses reports in this round follows.
    pub fn scale(&mut self, scaling: Scaling) {
        self.rounds.scale(scaling.equation / self.scaling.equation);
        self.scaling = scaling;
    }

    /// Sections 3.1 and 3.4: a packet per R_max, slow start, the first round.
    fn start(&mut self, now: Instant) {
        self.running = true;
        self.rounds = Rounds::new(now, &self.config);
        self.rate_bps = self.bounded(self.packet_bits() / self.rounds.max_rtt_s());
        self.grown_at = now;
        self.heard_at = now;
        self.due = now;
    }

    fn stop(&mut self) {
        self.running = false;
        self.ramp = None;
    }

    /// Reports as section 3 treats them.
    fn hear(&mut self, now: Instant, packet: &Packet, out: &mut Outbox) {
        let Some(report) = W::read_feedback(&packet.header) else { return };
        let FeedbackHeader { have_rtt, have_loss, leave, round, echoed_stamp_us, rate_bps, rtt_s: reckoned_s, .. } =
            report;
        self.reports += 1;
        self.received_bytes += u64::from(packet.size);
        // A rate that is no number says nothing; a round-trip time beyond what R_max can express is none.
        if rate_bps.is_nan() || rate_bps < 0.0 {
            return;
        }
        let legal = |rtt_s: f64| rtt_s.clamp(LEAST_RTT_S, GREATEST_MAX_RTT.as_secs_f64());
        let rtt_s = legal(lag_s(stamp_us(now), echoed_stamp_us));
        let rate_bps = f64::from(rate_bps);
        // Section 3.3: the rate was reckoned with R_max for want of a round-trip time.
        let reckoned_s = match self.config.max_rtt {
            MaxRttRule::Rfc => self.rounds.max_rtt_s(),
            // The present R_max may be far from that one.
            MaxRttRule::Recent => legal(f64::from(reckoned_s)),
        };
        let adjusted_bps = if have_loss && !have_rtt { rate_bps * reckoned_s / rtt_s } else { rate_bps };
        let feedback = Feedback { receiver: packet.source, rate_bps, adjusted_bps, rtt_s, leave };

        self.heard_at = now;
        self.rounds.measured(now, rtt_s);
        // Before any change: a report that makes its receiver the limiting one was sent when it was not (section 3.4).
        let mut lowered = false;
        if self.clr() != Some(feedback.receiver) {
            self.round_reports += 1;
            lowered = self.rounds.answered(round, rate_bps, self.suppressors.may_lower(feedback.receiver));
        }
        let cause = Cause::Report { receiver: packet.source, number: u64::from(round) };
        if have_loss && self.slow_start {
            self.end_slow_start(now, cause, out);
        }
        let before = (self.rate_bps, self.clr());
        if self.slow_start {
            self.slow_start_report(now, &feedback);
        } else {
            self.steady_report(now, &feedback);
        }
        self.tell(before, cause, out);

        let is_clr = self.clr() == Some(feedback.receiver);
        if lowered && !is_clr {
            self.suppressors.add(feedback.receiver);
        }
        let receiver = feedback.receiver;
        self.echoes
            .add(Stamp { receiver, stamp_us: stamp_us(packet.sent), came: now, round, have_rtt, rate_bps }, is_clr);
    }

    /// Section 3.6: towards the lowest of twice the receive rates, over one round-trip time.
    fn slow_start_report(&mut self, now: Instant, feedback: &Feedback) {
        let consequence = judge_in_slow_start(self.clr.as_ref(), feedback);
        self.follow(now, feedback, consequence);
        if consequence == Consequence::None {
            return;
        }
        // What was received was sent, so twice that is at most twice the rate, unless the receiver lies.
        let mut target_bps = self.bounded(feedback.rate_bps.min(2.0 * self.rate_bps));
        let mut length_s = feedback.rtt_s;
        let step_bps = self.packet_bits() / self.rounds.max_rtt_s();
        if target_bps >= self.rate_bps && target_bps - self.rate_bps < step_bps {
            target_bps = self.bounded(self.rate_bps + step_bps);
            length_s = self.rounds.max_rtt_s();
        }
        self.ramp = Some(Ramp { from_bps: self.rate_bps, to_bps: target_bps, start: now, length_s });
    }

    /// The four cases of section 3.3.
    fn steady_report(&mut self, now: Instant, feedback: &Feedback) {
        let consequence = judge(self.clr.as_ref(), self.after_silence, self.rate_bps, feedback);
        self.follow(now, feedback, consequence);
        if consequence == Consequence::Select(Growth::AfterARound) && feedback.adjusted_bps > self.rate_bps {
            self.hold_until = now + Duration::from_secs_f64(self.rounds.length_s());
        }
        if consequence == Consequence::None {
            return;
        }
        // At most a packet per R_max each R_max, whatever the distance of reports.
        let max_rtt_s = self.rounds.growth_rtt_s();
        let share = (now.since(self.grown_at).as_secs_f64() / max_rtt_s).min(1.0);
        self.grown_at = now;
        let step_bps = self.packet_bits() / max_rtt_s * self.scaling.increase;
        let increment_bps = if now < self.hold_until { 0.0 } else { step_bps * share };
        self.set_rate(now, feedback.adjusted_bps.min(self.rate_bps + increment_bps));
    }

    /// Who limits from now on.
    fn follow(&mut self, now: Instant, feedback: &Feedback, consequence: Consequence) {
        match consequence {
            Consequence::None => {}
            Consequence::Select(_) => {
                self.clr = Some(Clr::new(now, feedback));
            }
            Consequence::Follow => {
                if let Some(clr) = &mut self.clr {
                    clr.reported(now, feedback);
                }
            }
        }
    }

    fn end_slow_start(&mut self, now: Instant, cause: Cause, out: &mut Outbox) {
        self.slow_start = false;
        self.ramp = None;
        self.grown_at = now;
        out.event(Event::change(SLOW_START_ENDED, self.rate_bps, f64::NAN, cause));
    }

    /// The silence of the limiting receiver, and of all (section 3.3).
    fn silence(&mut self, now: Instant, out: &mut Outbox) {
        let before = (self.rate_bps, self.clr());
        let gap_s = self.gap_s();
        if let Some(clr) = &mut self.clr {
            if clr.give_up_at(gap_s) <= now {
                self.clr = None;
                self.after_silence = true;
                self.heard_at = now;
                self.echoes.clr_lost();
            } else if clr.halve_at(gap_s) <= now {
                clr.halved(now, gap_s);
                self.halve(now);
            }
        } else if self.all_silent_at() <= now {
            self.heard_at = now;
            self.halve(now);
        }
        self.tell(before, Cause::Time, out);
    }

    fn halve(&mut self, now: Instant) {
        self.silences += 1;
        self.ramp = None;
        self.set_rate(now, 0.5 * self.rate_bps);
    }

    /// When the rate is halved if no receiver reports at all: 10 R_max, 5 gaps at least.
    fn all_silent_at(&self) -> Instant {
        self.heard_at + Duration::from_secs_f64((10.0 * self.rounds.max_rtt_s()).max(5.0 * self.gap_s()))
    }

    fn next_round(&mut self, now: Instant) {
        self.feedback_rounds += 1;
        self.rounds.next(now, self.gap_s() + self.config.granularity.as_secs_f64());
        self.suppressors.next_round();
        self.echoes.next_round();
    }

    fn send(&mut self, now: Instant, out: &mut Outbox) {
        let mut suppression_bps = self.rounds.suppression_bps();
        let mut max_rtt_s = self.rounds.max_rtt_s();
        let mut scaling = self.scaling;
        if self.config.quantise {
            suppression_bps = quantise::decode_rate(quantise::encode_rate(suppression_bps));
            max_rtt_s = quantise::decode_rtt(quantise::encode_rtt(max_rtt_s));
            scaling.equation = quantise::decode_scale(quantise::encode_scale(scaling.equation));
            scaling.receivers = quantise::decode_scale(quantise::encode_scale(scaling.receivers));
        }
        let round = self.rounds.number();
        let data = DataHeader {
            sequence: self.sequence,
            suppression_bps: suppression_bps as f32,
            rate_bps: self.rate_bps as f32,
            max_rtt_us: (max_rtt_s * 1e6 + 0.5) as u32,
            round,
            echo: self.echoes.take(now, round, now >= self.rounds.middle()),
        };
        out.send(Packet {
            sent: now,
            flow: self.flow,
            source: self.own,
            destination: self.group,
            size: self.config.packet_size.0 as u16,
            ttl: INITIAL_TTL,
            ecn: if self.config.ecn { Ecn::Capable } else { Ecn::NotCapable },
            header: W::data(data, scaling),
        });
        self.sequence = self.sequence.wrapping_add(1);
        self.sent_pkts += 1;
        // Section 3.7: nominal times accumulate, so that a driver that is late keeps the rate. What it is late by more
        // than R_max is let go.
        self.last_due = self.due.max(now - Duration::from_secs_f64(self.rounds.max_rtt_s()));
        self.due = self.last_due + Duration::from_secs_f64(self.gap_s());
    }

    /// A new rate; a packet that would come sooner with it than planned does so.
    fn set_rate(&mut self, now: Instant, rate_bps: f64) {
        self.rate_bps = self.bounded(rate_bps);
        self.rounds.gap_changed(self.gap_s() + self.config.granularity.as_secs_f64());
        let sooner = self.last_due + Duration::from_secs_f64(self.gap_s());
        self.due = self.due.min(sooner.max(now));
    }

    /// Brings a rate on its way to a target up to date.
    fn ramp(&mut self, now: Instant) {
        if let Some(ramp) = self.ramp {
            let part = (now.since(ramp.start).as_secs_f64() / ramp.length_s).min(1.0);
            self.set_rate(now, ramp.from_bps + (ramp.to_bps - ramp.from_bps) * part);
            if part >= 1.0 {
                self.ramp = None;
            }
        }
    }

    fn tell(&self, (rate_bps, clr): (f64, Option<Address>), cause: Cause, out: &mut Outbox) {
        if self.clr() != clr {
            out.event(Event::new(LIMITING_RECEIVER, cause).about(self.clr()));
        }
        if self.rate_bps != rate_bps {
            out.event(Event::change(RATE, rate_bps, self.rate_bps, cause));
        }
    }

    /// At least a packet in 8 s (section 3.3), at most what is configured.
    fn bounded(&self, rate_bps: f64) -> f64 {
        let most = self.config.max_rate.map_or(MOST_BPS, |rate| rate.as_bps_f64());
        rate_bps.min(most).max(self.config.least_bps())
    }

    fn packet_bits(&self) -> f64 {
        8.0 * self.config.packet_size.0 as f64
    }

    /// ts_ipi (section 3.7), seconds.
    fn gap_s(&self) -> f64 {
        self.packet_bits() / self.rate_bps
    }

    fn silence_at(&self) -> Instant {
        match &self.clr {
            Some(clr) => clr.halve_at(self.gap_s()).min(clr.give_up_at(self.gap_s())),
            None => self.all_silent_at(),
        }
    }
}

/// The highest rate, bit/s: what the encoding of RFC 4654 section 2.2.1 can hold.
const MOST_BPS: f64 = 400e9;

impl<W: Wording> Endpoint for SenderOf<W> {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => self.start(now),
            Input::Stop => self.stop(),
            _ if !self.running => return,
            Input::Packet(packet, _) => {
                self.now = now;
                self.ramp(now);
                self.hear(now, packet, out);
            }
            // Before the deadline a time-out changes nothing, not even the progress of a ramp.
            Input::Timeout if self.deadline().is_none_or(|at| at > now) => return,
            Input::Timeout => self.ramp(now),
        }
        self.now = now;
        if !self.running {
            return;
        }
        if self.silence_at() <= now {
            self.silence(now, out);
        }
        if self.rounds.end() <= now {
            self.next_round(now);
        }
        if self.due <= now {
            self.send(now, out);
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.running.then(|| self.due.min(self.rounds.end()).min(self.silence_at()).max(self.now))
    }

    fn report(&self) -> Report {
        Report {
            sent_pkts: self.sent_pkts,
            sent_bytes: self.sent_pkts * self.config.packet_size.0,
            received_pkts: self.reports,
            received_bytes: self.received_bytes,
            rate_bps: self.rate_bps,
            ..Report::default()
        }
    }

    fn gauges(&self) -> &'static [Gauge] {
        SENDER_GAUGES
    }

    fn measure(&self, values: &mut [f64]) {
        let [silences, rounds, reports] =
            [self.silences, self.feedback_rounds, self.round_reports].map(|count| count as f64);
        values.copy_from_slice(&[silences, rounds, reports, self.clr.map_or(f64::NAN, |clr| clr.rtt_s)]);
    }
}
