//! The receiver (RFC 4654 section 4): what it measures, when it reports, and how it joins and leaves.

use super::config::Config;
use super::header::{Echo, FeedbackHeader};
use super::measurement::{Measurement, Recorded, SequenceSpace, Taken};
use super::report_packets::ReportPackets;
use super::reporting::{Place, Reporting};
use super::show::{DIFFERENTIATING_GAUGES, LOSS_EVENT, RECEIVER_GAUGES};
use super::streak::{Streak, Terms};
use super::wording::{Plain, Wording};
use crate::endpoint::{Endpoint, Event, Gauge, Input, Outbox, Report};
use crate::packet::{Address, FlowId, Packet};
use crate::parts::loss_differentiation::LossDifferentiation;
use crate::parts::loss_history::LossHistory;
use crate::parts::rtt::stamp_us;
use crate::random::Random;
use crate::time::{Duration, Instant};
use std::marker::PhantomData;

/// A member of a TFMCC session.
pub type Receiver = ReceiverOf<Plain>;

/// A member of a session of TFMCC or of a scheme built on it, whose messages travel in the headers of `W`. There may be
/// a hundred thousand, which no cache holds, and each takes every packet: what each packet touches comes first and fits
/// into a cache line. What the others touch lies in as few as will do, in the parts as well.
#[derive(Debug)]
#[repr(C)]
pub struct ReceiverOf<W> {
    headers: PhantomData<W>,
    /// The last packets, as long as they say nothing new: they are in nothing of what follows.
    pub(super) streak: Streak,
    /// When the last input came.
    now: Instant,
    /// When something is to be done if no packet comes; `FAR_FUTURE` = nothing.
    due: Instant,
    own: Address,
    /// Where reports go: the source of the data.
    sender: Address,
    // From here on what packets touch that say something new.
    phase: Phase,
    received_pkts: u64,
    received_bytes: u64,
    distinct_bytes: u64,
    reporting: Reporting,
    space: SequenceSpace,
    measurement: Measurement,
    // From here on what few packets touch.
    reports: ReportPackets,
    group: Address,
    random: Random,
    /// Boxed, since few sessions have it and there may be thousands of receivers.
    differentiation: Option<Box<LossDifferentiation>>,
}

/// How far a receiver is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Not started.
    Idle,
    /// Joined, no packet yet.
    Waiting,
    /// Receives.
    Member {
        /// When it has to leave, if it goes on to stand less than the least rate that is reported; `FAR_FUTURE` = it
        /// does not.
        leave_at: Instant,
    },
    /// The current limiting receiver announces its leave for a feedback round.
    Leaving {
        /// When it is gone.
        gone_at: Instant,
    },
    /// Has left.
    Gone,
}

/// How long a receiver may stand less than the least rate (RFC 4654 section 4.4).
const PATIENCE: Duration = Duration::from_secs(120);

const _: () = assert!(size_of::<Receiver>() <= 624);
const _: () = assert!(std::mem::offset_of!(Receiver, phase) <= 64);
const _: () = assert!(std::mem::offset_of!(Receiver, measurement) + 80 <= 5 * 64);

impl<W: Wording> ReceiverOf<W> {
    /// A receiver at `own` of the session that is sent to `group`. `config` must have passed [`Config::check`];
    /// `random` is for the feedback timers.
    pub fn new(config: &Config, flow: FlowId, own: Address, group: Address, random: Random) -> Self {
        ReceiverOf {
            headers: PhantomData,
            streak: Streak::NONE,
            now: Instant::ZERO,
            due: Instant::FAR_FUTURE,
            own,
            sender: own,
            phase: Phase::Idle,
            received_pkts: 0,
            received_bytes: 0,
            distinct_bytes: 0,
            reporting: Reporting::new(config),
            space: SequenceSpace::default(),
            measurement: Measurement::new(config),
            reports: ReportPackets::new(config, flow, W::FEEDBACK),
            group,
            random,
            differentiation: config.loss_differentiation.as_ref().map(|part| Box::new(LossDifferentiation::new(part))),
        }
    }

    /// From now on the scaled rate is at most what is received, or the rate without the scale if that is more; see
    /// `scaling::capped_bps`.
    pub fn cap_scaled_rate(&mut self) {
        self.measurement.cap_scaled_rate();
    }

    /// Whether this is the current limiting receiver, as far as it knows.
    pub fn is_clr(&self) -> bool {
        self.reporting.is_limiting()
    }

    /// Loss event rate p; 0 before the first loss.
    pub fn loss_event_rate(&self) -> f64 {
        self.caught_up().loss_event_rate()
    }

    /// Round-trip time in seconds: the own one, or R_max before the first measurement (section 4.1).
    pub fn rtt_s(&self) -> f64 {
        self.measurement.rtt_s()
    }

    /// Whether it is a member that has got packets and has not left.
    pub fn is_member(&self) -> bool {
        matches!(self.phase, Phase::Member { .. } | Phase::Leaving { .. })
    }

    /// Takes a packet that says nothing new. One that has waited is not of them: the streak ends when the last input
    /// came.
    #[inline]
    fn passes(&mut self, now: Instant, arrived: Instant, packet: &Packet) -> bool {
        if arrived != now {
            return false;
        }
        let Some((data, scale)) = W::read_data(&packet.header) else { return false };
        let passes = self.streak.takes(now, packet, &data, scale, (self.own, self.sender));
        if passes {
            self.now = now;
        }
        passes
    }

    /// Takes any input.
    #[inline(never)]
    fn attend(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        self.end_streak();
        self.now = now;
        match input {
            Input::Start => {
                self.phase = Phase::Waiting;
                out.join(self.group);
            }
            Input::Packet { packet, arrived, .. } if !matches!(self.phase, Phase::Idle | Phase::Gone) => {
                self.data(now, arrived, packet, out);
            }
            Input::Packet { .. } => {}
            Input::Timeout => self.timeout(now, out),
            Input::LinkLoss(packet) => {
                self.link_lost(packet);
                self.timeout(now, out);
            }
            Input::Stop => self.leave(now, out),
            Input::Unjoined(group) if group == self.group => self.leave(now, out),
            Input::NotSent(packet) => {
                if W::read_feedback(&packet.header).is_some() {
                    self.reports.not_sent();
                }
            }
            Input::Unjoined(_) | Input::Granted(_) => {}
        }
        let leave_at = match self.phase {
            Phase::Member { leave_at } => leave_at,
            Phase::Leaving { gone_at } => gone_at,
            Phase::Idle | Phase::Waiting | Phase::Gone => Instant::FAR_FUTURE,
        };
        self.due = self.reporting.deadline().min(leave_at);
    }

    /// Catches up with the streak.
    pub(super) fn end_streak(&mut self) {
        self.received_pkts += u64::from(self.streak.count());
        self.received_bytes += self.streak.bytes();
        self.distinct_bytes += self.streak.bytes();
        self.measurement.pass(&mut self.space, &self.streak.stretch(self.now));
        self.streak = Streak::NONE;
    }

    /// What is measured, the streak included.
    fn caught_up(&self) -> Measurement {
        let (mut measurement, mut space) = (self.measurement.clone(), self.space);
        measurement.pass(&mut space, &self.streak.stretch(self.now));
        measurement
    }

    /// What was measured, and rates by it, are as of when the packet arrived: that others behind it may still wait to
    /// be handed in is no silence.
    fn data(&mut self, now: Instant, arrived: Instant, packet: &Packet, out: &mut Outbox) {
        let Some((data, scale)) = W::read_data(&packet.header) else { return };
        self.received_pkts += 1;
        self.received_bytes += u64::from(packet.size);
        let taken = self.measurement.take(&mut self.space, arrived, packet, &data, scale);
        let Some(Taken { sequence, first, newest }) = taken else { return };
        self.sender = packet.source;
        if first {
            self.phase = Phase::Member { leave_at: Instant::FAR_FUTURE };
        }

        // Packed, so field by field.
        let echo = data.echo.map(|Echo { receiver, stamp_us, is_clr }| (receiver == self.own, stamp_us, is_clr));
        let selected = echo.is_some_and(|(is_own, _, is_clr)| self.reporting.named(is_own, is_clr));
        let own_stamp_us = echo.and_then(|(is_own, stamp_us, _)| is_own.then_some(stamp_us));
        let first_rtt = self.measurement.measure_rtt(arrived, own_stamp_us, self.is_clr());
        if let Some(part) = &mut self.differentiation {
            part.rate(LossHistory::ONLY.0, f64::from(data.rate_bps));
            part.took(arrived, stamp_us(packet.sent));
        }
        let differ = self.differentiation.as_deref_mut();
        let recorded =
            self.measurement.record(LossHistory::ONLY, &mut self.space, arrived, sequence, packet.ecn, differ);
        if recorded != Recorded::Duplicate {
            self.distinct_bytes += u64::from(packet.size);
        }
        let mut lost = false;
        if let Recorded::LossEvent(cause) = recorded {
            lost = true;
            out.event(Event::change(LOSS_EVENT, f64::NAN, self.measurement.loss_event_rate(), cause));
        }
        // Before it reports: the report echoes the round of this packet (section 2.2.2).
        let is_member = matches!(self.phase, Phase::Member { .. });
        let round = self.reporting.round();
        self.reporting.hear(now, &data, (Place::of(first, newest), is_member), &self.measurement, &mut self.random);
        if self.reporting.round() != round {
            self.measurement.delay_is_told();
        }
        let suffers = self.measurement.watch_delay(&data) || lost;
        let measurement = &self.measurement;
        let hurt =
            || measurement.have_loss() && is_member && measurement.desired_bps(arrived) < measurement.sending_bps();
        let complains = suffers && is_member && self.reporting.complains(now, &data, measurement, &mut self.random);
        if self.reporting.answers(now, selected || suffers, first_rtt, hurt) || complains {
            self.send_report((now, arrived), f64::NAN, out);
        }
        self.watch_rate(now, arrived);
        let is_calm = self.phase == Phase::Member { leave_at: Instant::FAR_FUTURE }
            && self.reporting.is_steady()
            && !data.starting;
        // A receiver that differentiates losses looks at the time of each packet.
        if is_calm && self.differentiation.is_none() {
            let (until, next) = (self.measurement.steady_until(), self.space.next());
            let terms = Terms { until, next, round: self.reporting.round(), is_timed: self.reporting.is_timed() };
            self.streak = Streak::behind(packet, &data, scale, terms);
        }
    }

    /// The truth about a packet that did not come, for a receiver that differentiates.
    fn link_lost(&mut self, packet: &Packet) {
        let Some(part) = &mut self.differentiation else { return };
        let Some((data, _)) = W::read_data(&packet.header) else { return };
        if let Some(count) = self.space.count_of(data.sequence) {
            part.link_lost(LossHistory::ONLY.0, count);
        }
    }

    /// Section 4.4: a receiver that can stand less than one packet in 8 s for 120 s, and is sent more, has to leave.
    fn watch_rate(&mut self, now: Instant, arrived: Instant) {
        let Phase::Member { leave_at } = &mut self.phase else { return };
        if !self.measurement.stands_too_little(arrived) {
            *leave_at = Instant::FAR_FUTURE;
        } else if *leave_at == Instant::FAR_FUTURE {
            // It may be that no packet comes until then: at heavy loss they are minutes apart.
            *leave_at = now + PATIENCE;
        }
    }

    /// Its rates are as of `at`; `draw` is the uniform number that the feedback timer was drawn from, NaN if none was.
    fn send_report(&mut self, (now, at): (Instant, Instant), draw: f64, out: &mut Outbox) {
        let measurement = &self.measurement;
        let feedback = FeedbackHeader {
            have_rtt: measurement.measured_rtt_s().is_some(),
            have_loss: measurement.have_loss(),
            leave: matches!(self.phase, Phase::Leaving { .. }),
            round: self.reporting.round(),
            echoed_stamp_us: measurement.held_stamp_us(now),
            rate_bps: self.reports.rate_bps(measurement.desired_bps(at)),
            rtt_s: measurement.rtt_s() as f32,
            loss_event_rate: measurement.loss_event_rate() as f32,
            receive_bps: measurement.receive_bps(at) as f32,
            scale: measurement.scale(),
        };
        self.reporting.reported(now, measurement.rtt_s());
        self.measurement.delay_is_told();
        out.send(self.reports.next(now, self.own, self.sender, W::feedback(feedback, draw as f32)));
    }

    fn timeout(&mut self, now: Instant, out: &mut Outbox) {
        match self.phase {
            Phase::Leaving { gone_at } if gone_at <= now => return self.go(out),
            Phase::Member { leave_at } if leave_at <= now => self.leave(now, out),
            _ => {}
        }
        if let Some(draw) = self.reporting.due(now, self.measurement.last_at()) {
            self.send_report((now, now), draw, out);
        }
    }

    /// Section 4.2: the current limiting receiver says so for a feedback round, others just go.
    fn leave(&mut self, now: Instant, out: &mut Outbox) {
        match self.phase {
            Phase::Member { .. } if self.is_clr() => {
                let round_s = self.reporting.round_s(self.measurement.max_rtt_s());
                self.phase = Phase::Leaving { gone_at: now + Duration::from_secs_f64(round_s) };
                self.send_report((now, now), f64::NAN, out);
            }
            Phase::Waiting | Phase::Member { .. } => self.go(out),
            Phase::Idle | Phase::Leaving { .. } | Phase::Gone => {}
        }
    }

    fn go(&mut self, out: &mut Outbox) {
        self.phase = Phase::Gone;
        self.reporting.quit();
        out.leave(self.group);
    }
}

impl<W: Wording> Endpoint for ReceiverOf<W> {
    #[inline]
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Packet { packet, arrived, .. } if self.passes(now, arrived, packet) => {}
            _ => self.attend(now, input, out),
        }
    }

    #[inline]
    fn deadline(&self) -> Option<Instant> {
        // A packet may have come before a time-out that was due.
        (self.due != Instant::FAR_FUTURE).then(|| self.due.max(self.now))
    }

    fn report(&self) -> Report {
        let started = !matches!(self.phase, Phase::Idle | Phase::Waiting);
        let (measurement, streak) = (self.caught_up(), &self.streak);
        Report {
            sent_pkts: self.reports.sent_pkts(),
            sent_bytes: self.reports.sent_bytes(),
            received_pkts: self.received_pkts + u64::from(streak.count()),
            received_bytes: self.received_bytes + streak.bytes(),
            distinct_bytes: self.distinct_bytes + streak.bytes(),
            rate_bps: if started { measurement.desired_bps(measurement.last_at()) } else { f64::NAN },
        }
    }

    fn sees_link_losses(&self) -> bool {
        self.differentiation.is_some()
    }

    fn gauges(&self) -> &'static [Gauge] {
        if self.differentiation.is_some() { DIFFERENTIATING_GAUGES } else { RECEIVER_GAUGES }
    }

    fn measure(&self, values: &mut [f64]) {
        let started = !matches!(self.phase, Phase::Idle | Phase::Waiting);
        let loss_event_rate = if started { self.loss_event_rate() } else { f64::NAN };
        let rtt_s = self.measurement.measured_rtt_s().unwrap_or(f64::NAN);
        let (own, others) = values.split_at_mut(RECEIVER_GAUGES.len());
        own.copy_from_slice(&[f64::from(self.measurement.loss_events()), loss_event_rate, rtt_s]);
        if let Some(part) = &self.differentiation {
            others.copy_from_slice(&part.confusion().values());
        }
    }
}

#[cfg(test)]
#[path = "differentiation_tests.rs"]
mod differentiation_tests;
