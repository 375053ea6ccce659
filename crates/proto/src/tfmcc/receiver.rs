//! The receiver (RFC 4654 section 4): measures, calculates its desired rate and reports it.

use super::Config;
use super::config::{OneWayAdjustment, SeedFloor, TimerBias};
use super::header::{DataHeader, Echo, FeedbackHeader, Plain, Wording};
use super::loss_history::{Arrival, LossHistory};
use super::quantise;
use super::receive_rate::ReceiveRate;
use super::rounds::RoundLength;
use super::scaling;
use super::sequence::Sequence;
use super::show::{LOSS_EVENT, RECEIVER_GAUGES};
use super::suppression::{FeedbackTimer, delay_rounds, draw};
use crate::endpoint::{Cause, Endpoint, Event, Gauge, Input, Outbox, Report};
use crate::packet::{Address, Ecn, FlowId, INITIAL_TTL, Packet};
use crate::parts::rtt::{Rtt, stamp_us};
use crate::parts::throughput_equation::{loss_event_rate, throughput_bps};
use crate::random::Random;
use crate::time::{Duration, Instant};
use std::marker::PhantomData;

/// A member of a TFMCC session.
pub type Receiver = ReceiverOf<Plain>;

/// A member of a session of TFMCC or of a scheme built on it, whose messages travel in the headers of `W`. There may be
/// a hundred thousand, which no cache holds, and each takes every packet: what each packet touches comes first and lies
/// in as few cache lines as will do, in the parts as well.
#[derive(Debug)]
#[repr(C)]
pub struct ReceiverOf<W> {
    headers: PhantomData<W>,
    phase: Phase,
    /// This is the current limiting receiver, as far as it knows.
    is_clr: bool,
    /// A loss event was found, and no long silence came after it (have_loss).
    have_loss: bool,
    /// A packet has come since the last report.
    fresh: bool,
    /// The first measurement of the round-trip time came in this round, and no report since.
    owes_first_rtt: bool,
    /// The highest feedback round seen (fb_nr).
    round: u8,
    /// Size of data packets on the wire.
    packet_size: u16,
    /// When the last input came.
    now: Instant,
    last_at: Instant,
    /// When the current limiting receiver reports next.
    clr_report_at: Instant,
    /// When a receiver that leaves is gone; before, when it has to leave if the calculated rate stays below the least
    /// that is reported.
    leave_at: Instant,
    received_pkts: u64,
    received_bytes: u64,
    distinct_bytes: u64,
    own: Address,
    /// Where reports go: the source of the data.
    sender: Address,
    /// The sender's stamp on the last packet.
    sent_us: u32,
    /// What multiplies the equation, as of the last packet; 1 in TFMCC.
    scale: f32,
    /// R_max of the last packet.
    max_rtt_s: f64,
    /// X of the last packet, bit/s.
    sending_bps: f64,
    sequence: Sequence,
    rtt: Rtt,
    settings: Settings,
    feedback: FeedbackTimer,
    receive_rate: ReceiveRate,
    loss: LossHistory,
    // From here on what few packets touch.
    /// What the scale adds is bounded by the receive rate.
    scale_is_capped: bool,
    loss_events: u32,
    flow: FlowId,
    group: Address,
    random: Random,
    reports_sent: u64,
}

/// What a receiver needs of the configuration.
#[derive(Clone, Copy, Debug)]
struct Settings {
    quantise: bool,
    timer_bias: TimerBias,
    one_way_adjustment: OneWayAdjustment,
    seed_floor: SeedFloor,
    report_size: u16,
    receive_rate_rtts: f32,
    rtt_weight: f32,
    rtt_weight_clr: f32,
    max_receivers: u32,
    round: RoundLength,
}

/// How far a receiver is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Not started.
    Idle,
    /// Joined, no packet yet.
    Waiting,
    /// Receives.
    Member,
    /// The current limiting receiver announces its leave for a feedback round.
    Leaving,
    /// Has left.
    Gone,
}

/// How long a receiver may stand less than the least rate (RFC 4654 section 4.4).
const PATIENCE: Duration = Duration::from_secs(120);

const _: () = assert!(size_of::<Receiver>() <= 576);
const _: () = assert!(std::mem::offset_of!(Receiver, receive_rate) <= 4 * 64);

impl<W: Wording> ReceiverOf<W> {
    /// A receiver at `own` of the session that is sent to `group`. `config` must have passed [`Config::check`];
    /// `random` is for the feedback timers.
    pub fn new(config: &Config, flow: FlowId, own: Address, group: Address, random: Random) -> Self {
        ReceiverOf {
            headers: PhantomData,
            phase: Phase::Idle,
            is_clr: false,
            have_loss: false,
            fresh: false,
            owes_first_rtt: false,
            round: 0,
            packet_size: config.packet_size.0 as u16,
            now: Instant::ZERO,
            last_at: Instant::ZERO,
            clr_report_at: Instant::FAR_FUTURE,
            leave_at: Instant::FAR_FUTURE,
            received_pkts: 0,
            received_bytes: 0,
            distinct_bytes: 0,
            own,
            sender: own,
            sent_us: 0,
            scale: 1.0,
            max_rtt_s: 0.0,
            sending_bps: 0.0,
            sequence: Sequence::default(),
            rtt: Rtt::default(),
            settings: Settings {
                quantise: config.quantise,
                timer_bias: config.timer_bias,
                one_way_adjustment: config.one_way_adjustment,
                seed_floor: config.seed_floor,
                report_size: config.report_size.0 as u16,
                receive_rate_rtts: config.receive_rate_rtts as f32,
                rtt_weight: config.rtt_weight as f32,
                rtt_weight_clr: config.rtt_weight_clr as f32,
                max_receivers: config.max_receivers,
                round: RoundLength::new(config),
            },
            feedback: FeedbackTimer::OFF,
            receive_rate: ReceiveRate::new(),
            loss: LossHistory::new(config.threshold()),
            scale_is_capped: false,
            loss_events: 0,
            flow,
            group,
            random,
            reports_sent: 0,
        }
    }

    /// From now on the scaled rate is at most what is received, or the rate without the scale if that is more; see
    /// `scaling::capped_bps`.
    pub fn cap_scaled_rate(&mut self) {
        self.scale_is_capped = true;
    }

    /// Whether this is the current limiting receiver, as far as it knows.
    pub fn is_clr(&self) -> bool {
        self.is_clr
    }

    /// Loss event rate p; 0 before the first loss.
    pub fn loss_event_rate(&self) -> f64 {
        self.loss.rate()
    }

    /// Round-trip time in seconds: the own one, or R_max before the first measurement (section 4.1).
    pub fn rtt_s(&self) -> f64 {
        self.rtt.value_s().unwrap_or(self.max_rtt_s)
    }

    /// Whether it is a member that has got packets and has not left.
    pub fn is_member(&self) -> bool {
        matches!(self.phase, Phase::Member | Phase::Leaving)
    }

    fn data(&mut self, now: Instant, packet: &Packet, out: &mut Outbox) {
        let Some((data, scale)) = W::read_data(&packet.header) else { return };
        let DataHeader { sequence, suppression_bps, rate_bps, max_rtt_us, round, echo } = data;
        self.received_pkts += 1;
        self.received_bytes += u64::from(packet.size);
        let before = self.sequence.highest();
        let silence_s = now.since(self.last_at).as_secs_f64();
        let gap_s = 8.0 * f64::from(self.packet_size) / self.sending_bps;
        // What can have been sent in an outage: the rate may have doubled.
        let Some(sequence) = self.sequence.count(sequence, || (2.0 * silence_s / gap_s) as u64) else {
            return;
        };
        let first = self.phase == Phase::Waiting;
        // Section 4.3.1: ten round-trip times in which the sender was idle clear the flag; the history stays. What is
        // missing was sent, and at a low rate there are gaps.
        let sent = sequence.saturating_sub(before).max(1) as f64;
        if !first && silence_s / sent > (10.0 * self.rtt_s()).max(5.0 * gap_s) {
            self.have_loss = false;
        }
        self.sender = packet.source;
        self.packet_size = packet.size;
        self.sending_bps = f64::from(rate_bps);
        self.scale = scaling::received(scale);
        self.max_rtt_s = f64::from(max_rtt_us) * 1e-6;
        self.feedback.rescale(now, self.max_rtt_s, self.settings.round);
        self.sent_us = stamp_us(packet.sent);
        self.last_at = now;
        self.fresh = true;
        if first {
            self.phase = Phase::Member;
        }

        let (was_clr, had_rtt) = (self.is_clr, self.rtt.value_s().is_some());
        self.measure_rtt(now, echo);
        let lost = self.record(now, sequence, packet, out);
        // Before it reports: the report echoes the round of this packet (section 2.2.2).
        self.feedback_round(now, first, round, f64::from(suppression_bps));
        if self.is_clr {
            if !was_clr {
                self.feedback = FeedbackTimer::OFF;
            }
            // Besides once per round-trip time: at once when it becomes limiting and when a loss event begins.
            if !was_clr || lost || now >= self.clr_report_at {
                self.clr_report(now, out);
            }
        } else {
            self.clr_report_at = Instant::FAR_FUTURE;
            // An answer to an echo, of which there is one per data packet: it needs no timer.
            let first_rtt = !had_rtt && self.rtt.value_s().is_some();
            self.owes_first_rtt |= first_rtt && self.settings.round.hurries_first_rtt();
            let limits = self.have_loss && self.phase == Phase::Member && self.owes_first_rtt;
            if limits && self.desired_bps(now) < self.sending_bps {
                self.send_report(now, f64::NAN, out);
            }
        }
        self.watch_rate(now);
    }

    /// Sections 4.3.2 and 4.3.3, and whether this is the current limiting receiver.
    fn measure_rtt(&mut self, now: Instant, echo: Option<Echo>) {
        let now_us = stamp_us(now);
        // Packed, so field by field.
        let echo = echo.map(|Echo { receiver, stamp_us, is_clr }| (receiver == self.own, stamp_us, is_clr));
        if let Some((is_own, _, is_clr)) = echo
            && (is_own || is_clr)
        {
            self.is_clr = is_own && is_clr;
        }
        match echo {
            Some((true, stamp_us, _)) => {
                let q = if self.is_clr { self.settings.rtt_weight_clr } else { self.settings.rtt_weight };
                if self.rtt.measure(now_us, stamp_us, self.sent_us, f64::from(q)) {
                    let events = self.loss.events();
                    self.loss.measured(self.rtt_s(), least_seed(self.settings.seed_floor, self.scale));
                    self.loss_events = self.loss_events.saturating_add(self.loss.events().saturating_sub(events));
                }
            }
            _ => match self.settings.one_way_adjustment {
                OneWayAdjustment::All => self.rtt.adjust(now_us, self.sent_us),
                OneWayAdjustment::Others if !self.is_clr => self.rtt.adjust(now_us, self.sent_us),
                _ => {}
            },
        }
    }

    /// Adds the packet to the loss history and the receive rate. True if a loss event was found.
    fn record(&mut self, now: Instant, sequence: u64, packet: &Packet, out: &mut Outbox) -> bool {
        let rtt_s = self.rtt_s();
        let marked = packet.ecn > Ecn::Capable;
        let (receive_rate, events, scale) = (&self.receive_rate, self.loss.events(), self.scale);
        let floor = self.settings.seed_floor;
        // Section 5.6: l_0 = (X_recv·R / (sqrt(3/2)·8s))², with the rate of the last round-trip time. It is the
        // equation inverted, so what multiplies the one divides the other.
        let seed = || {
            let packets_per_rtt = receive_rate.packets_per_s(now, rtt_s) * rtt_s / f64::from(scale);
            (packets_per_rtt * packets_per_rtt / 1.5).max(least_seed(floor, scale))
        };
        let arrival = self.loss.arrive(sequence, marked, now, rtt_s, seed);
        if arrival == Arrival::Duplicate {
            return false;
        }
        self.receive_rate.arrive(now, self.rate_window_s());
        self.distinct_bytes += u64::from(packet.size);
        if self.loss.events() == 0 {
            // Also when a late packet has filled the only hole.
            self.have_loss = false;
        }
        if arrival != Arrival::LossEvent {
            return false;
        }
        self.have_loss = true;
        self.loss_events = self.loss_events.saturating_add(self.loss.events() - events);
        let cause = match marked {
            true => Cause::Mark { sequence, level: packet.ecn },
            false => Cause::Loss { sequence: self.loss.last() },
        };
        out.event(Event::change(LOSS_EVENT, f64::NAN, self.loss.rate(), cause));
        true
    }

    /// Section 4.5: new rounds, and cancellation by the suppression rate.
    fn feedback_round(&mut self, now: Instant, first: bool, round: u8, suppression_bps: f64) {
        // Round numbers wrap around: ahead is what is less than half the number space ahead.
        let is_new = first || (1..128).contains(&round.wrapping_sub(self.round));
        if is_new {
            self.round = round;
            self.owes_first_rtt = false;
            // A round is shorter here than at the sender while a queue drains: the timer might never expire.
            let keeps = self.settings.round.hurries_first_rtt() && self.rtt.value_s().is_none();
            if !keeps {
                self.feedback = FeedbackTimer::OFF;
            }
            if !self.is_clr && self.phase == Phase::Member && !self.feedback.is_set() {
                let draw = draw(&mut self.random);
                let desired_bps = self.desired_bps(now);
                let Settings { max_receivers, timer_bias, round, .. } = self.settings;
                let rounds = delay_rounds(draw, max_receivers, timer_bias, desired_bps / self.sending_bps);
                let delay_s = rounds * round.seconds(self.max_rtt_s);
                self.feedback = FeedbackTimer::set(now, delay_s, draw, desired_bps, self.max_rtt_s);
            }
        }
        // A packet of an older round does not speak for this one.
        if round == self.round && suppression_bps.is_finite() && self.feedback.is_set() {
            let rate_bps = self.desired_bps(now);
            if self.feedback.is_suppressed(suppression_bps, rate_bps, self.max_rtt_s, self.rtt_s()) {
                self.feedback = FeedbackTimer::OFF;
            }
        }
    }

    /// The rate by the equation, or twice the receive rate without loss (section 4.4), bit/s.
    fn calculated_bps(&self, now: Instant) -> f64 {
        if !self.have_loss {
            return 2.0 * self.receive_bps(now);
        }
        let equation_bps = throughput_bps(f64::from(self.packet_size), self.rtt_s(), self.loss.rate());
        let scaled_bps = f64::from(self.scale) * equation_bps;
        if self.scale_is_capped {
            scaling::capped_bps(scaled_bps, equation_bps, self.receive_bps(now))
        } else {
            scaled_bps
        }
    }

    /// X_recv, bit/s (section 4.3.4).
    fn receive_bps(&self, now: Instant) -> f64 {
        8.0 * f64::from(self.packet_size) * self.receive_rate.packets_per_s(now, self.rate_window_s())
    }

    /// X_r: what is reported is at least one packet in 8 s (section 4.4).
    fn desired_bps(&self, now: Instant) -> f64 {
        self.calculated_bps(now).max(f64::from(self.packet_size))
    }

    fn rate_window_s(&self) -> f64 {
        f64::from(self.settings.receive_rate_rtts) * self.rtt_s()
    }

    /// Section 4.4: whoever can stand less than one packet in 8 s for 120 s, and is sent more, has to leave.
    fn watch_rate(&mut self, now: Instant) {
        if self.phase != Phase::Member {
            return;
        }
        // p is at most the sum of weights over I_0, 6/60, and the rate more than a packet in 8 s then: no need to
        // reckon.
        let plenty = self.loss.open() > 60 && self.rtt_s() < 10.0 && self.scale >= 1.0;
        let calculated_bps = if self.have_loss && !plenty { self.calculated_bps(now) } else { f64::INFINITY };
        if calculated_bps >= f64::from(self.packet_size) || self.sending_bps <= calculated_bps {
            self.leave_at = Instant::FAR_FUTURE;
        } else if self.leave_at == Instant::FAR_FUTURE {
            // It may be that no packet comes until then: at heavy loss they are minutes apart.
            self.leave_at = now + PATIENCE;
        }
    }

    fn clr_report(&mut self, now: Instant, out: &mut Outbox) {
        self.send_report(now, f64::NAN, out);
        self.clr_report_at = now + Duration::from_secs_f64(self.rtt_s());
    }

    fn send_report(&mut self, now: Instant, draw: f64, out: &mut Outbox) {
        self.fresh = false;
        self.owes_first_rtt = false;
        self.reports_sent += 1;
        let mut rate_bps = self.desired_bps(now);
        if self.settings.quantise {
            rate_bps = quantise::decode_rate(quantise::encode_rate(rate_bps));
        }
        let held_us = (now.since(self.last_at).0 / 1000) as u32;
        let feedback = FeedbackHeader {
            have_rtt: self.rtt.value_s().is_some(),
            have_loss: self.have_loss,
            leave: self.phase == Phase::Leaving,
            round: self.round,
            echoed_stamp_us: self.sent_us.wrapping_add(held_us),
            rate_bps: rate_bps as f32,
            rtt_s: self.rtt_s() as f32,
            loss_event_rate: self.loss.rate() as f32,
        };
        out.send(Packet {
            sent: now,
            flow: self.flow,
            source: self.own,
            destination: self.sender,
            size: self.settings.report_size,
            ttl: INITIAL_TTL,
            ecn: Ecn::NotCapable,
            header: W::feedback(feedback, draw as f32),
        });
    }

    fn timeout(&mut self, now: Instant, out: &mut Outbox) {
        if self.leave_at <= now {
            if self.phase == Phase::Leaving {
                self.go(out);
                return;
            }
            self.leave(now, out);
        }
        if self.feedback.at() <= now && !self.feedback.postpone(now, self.last_at) {
            let draw = self.feedback.draw();
            self.feedback = FeedbackTimer::OFF;
            self.send_report(now, draw, out);
        }
        if self.is_clr && self.fresh && self.clr_report_at <= now {
            self.clr_report(now, out);
        }
    }

    /// Section 4.2: the current limiting receiver says so for a feedback round, others just go.
    fn leave(&mut self, now: Instant, out: &mut Outbox) {
        match self.phase {
            Phase::Member if self.is_clr => {
                self.phase = Phase::Leaving;
                let round_s = self.settings.round.seconds(self.max_rtt_s);
                self.leave_at = now + Duration::from_secs_f64(round_s);
                self.clr_report(now, out);
            }
            Phase::Waiting | Phase::Member => self.go(out),
            Phase::Idle | Phase::Leaving | Phase::Gone => {}
        }
    }

    fn go(&mut self, out: &mut Outbox) {
        self.phase = Phase::Gone;
        self.leave_at = Instant::FAR_FUTURE;
        self.clr_report_at = Instant::FAR_FUTURE;
        self.feedback = FeedbackTimer::OFF;
        self.is_clr = false;
        out.leave(self.group);
    }
}

/// What the interval before the first loss event is at least, packets, if the equation is multiplied by `scale`.
fn least_seed(floor: SeedFloor, scale: f32) -> f64 {
    match floor {
        SeedFloor::Packet => 1.0,
        // RFC 5348 section 6.3.1: the interval that gives half a packet per round-trip time, by the equation. In units
        // of bytes and seconds in which packet and round-trip time are 1, that is 4 bit/s.
        SeedFloor::Half => 1.0 / loss_event_rate(1.0, 1.0, 4.0 / f64::from(scale)),
    }
}

impl<W: Wording> Endpoint for ReceiverOf<W> {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        self.now = now;
        match input {
            Input::Start => {
                self.phase = Phase::Waiting;
                out.join(self.group);
            }
            Input::Packet(packet, _) if !matches!(self.phase, Phase::Idle | Phase::Gone) => self.data(now, packet, out),
            Input::Packet(..) => {}
            Input::Timeout => self.timeout(now, out),
            Input::Stop => self.leave(now, out),
        }
    }

    fn deadline(&self) -> Option<Instant> {
        // A report without a new packet would say nothing: it goes with the next packet then.
        let clr_report_at = if self.fresh { self.clr_report_at } else { Instant::FAR_FUTURE };
        let at = self.feedback.at().min(clr_report_at).min(self.leave_at);
        // A packet may have come before a time-out that was due.
        (at != Instant::FAR_FUTURE).then(|| at.max(self.now))
    }

    fn report(&self) -> Report {
        let started = !matches!(self.phase, Phase::Idle | Phase::Waiting);
        Report {
            sent_pkts: self.reports_sent,
            sent_bytes: self.reports_sent * u64::from(self.settings.report_size),
            received_pkts: self.received_pkts,
            received_bytes: self.received_bytes,
            distinct_bytes: self.distinct_bytes,
            rate_bps: if started { self.desired_bps(self.last_at) } else { f64::NAN },
        }
    }

    fn gauges(&self) -> &'static [Gauge] {
        RECEIVER_GAUGES
    }

    fn measure(&self, values: &mut [f64]) {
        let started = !matches!(self.phase, Phase::Idle | Phase::Waiting);
        let loss_event_rate = if started { self.loss.rate() } else { f64::NAN };
        values.copy_from_slice(&[f64::from(self.loss_events), loss_event_rate, self.rtt.value_s().unwrap_or(f64::NAN)]);
    }
}
