//! The sender: what is outstanding, what may be sent, when to give up waiting.
//!
//! Here are its parts, its beginning, its timers and its end; what acknowledgements do to it is in
//! `acknowledgements.rs`, what it may send in `sending.rs`, what is different if a relay acknowledges in `relayed.rs`.
//!
//! Numbers of segments are half-open: `snd_una..next` has been sent, `sent_end` is one past the highest segment sent.

mod acknowledgements;
mod relayed;
mod sending;

use super::bundles::Bundles;
use super::chosen_rule::ChosenRule;
use super::config::{Config, CwndValidation, EcnMode};
use super::congestion_echo::EchoResponse;
use super::counts::{Counts, GAUGES};
use super::events;
use super::handshake::{Handshake, RTO_AFTER_LOST_SYN};
use super::header::Header;
use super::hystart::HyStart;
use super::number::on_wire;
use super::pacing::Pace;
use super::recovery::{Cut, LossRecovery};
use super::rtt::{TickingClock, TimedSegment};
use super::state::State;
use super::validation::{NewCwv, RateLimitedIncrease};
use super::whole_segments;
use super::window::{Window, WindowRule};
use crate::endpoint::{Cause, Endpoint, Event, Gauge, Input, Outbox, RETRY, Report};
use crate::packet::{self, Address, Ecn, FlowId, INITIAL_TTL, Packet};
use crate::parts::rto::RttEstimator;
use crate::random::Random;
use crate::time::{Duration, Instant};

/// The sending end of a connection.
#[derive(Debug)]
pub struct Sender {
    /// First segment not acknowledged.
    pub(super) snd_una: u64,
    /// Segment to be sent next; behind `sent_end` after a time-out.
    pub(super) next: u64,
    /// One past the highest segment ever sent.
    pub(super) sent_end: u64,
    /// One past the last segment that the connection carries.
    end: u64,
    /// One past the last segment there is to send: that, or as far as the application has got.
    limit: u64,
    /// When all that there was to send had been acknowledged; `FAR_FUTURE` = something has been sent since, as far as
    /// is known.
    rests_since: Instant,
    /// The receiver's window, segments: that of `window` as a whole number, which every input is compared with.
    wnd: u64,
    state: State,
    window: Window,
    /// When the retransmission timer expires; `FAR_FUTURE` = off.
    timer: Instant,
    /// When a delayed opportunity to send comes, by jitter or pacing; `FAR_FUTURE` = none is pending.
    send_at: Instant,
    pace: Pace,
    /// The first slow start, while HyStart++ watches it.
    hystart: Option<HyStart>,
    timed: TimedSegment,
    rtt: RttEstimator,
    clock: TickingClock,
    rule: ChosenRule,
    recovery: LossRecovery,
    /// CWR is to be set on the next new segment: the window has been reduced (RFC 3168 section 6.1.2).
    cwr_pending: bool,
    handshake: Handshake,
    finished: bool,
    timestamps: bool,
    limited_transmit: bool,
    limited_retransmit: bool,
    byte_counting: bool,
    abc_limit: u32,
    whole_segments: bool,
    grow_after_timeout: bool,
    ecn_retransmissions: bool,
    max_burst: u32,
    /// If segments go in bundles.
    bundles: Option<Bundles>,
    jitter: Duration,
    counts: Counts,
    /// What all segments have in common.
    template: Packet,
    echo: EchoResponse,
    random: Random,
    ack_bytes: u64,
    /// What the window is at most after a rest.
    restart_cwnd: f64,
    /// Whether one of the two that follow is there.
    watches_use: bool,
    validation: Option<NewCwv>,
    increase: Option<RateLimitedIncrease>,
    /// Of the relay that this sends to, if the connection is split.
    relayed: Option<Relayed>,
}

/// What a sender knows of the relay that it sends to.
#[derive(Debug)]
struct Relayed {
    /// One past the last segment that there has been room for.
    edge: u64,
    /// The first segment that has not come through to the last receiver, as far as is known.
    through: u64,
    /// One past the last segment that the application has got to.
    available: u64,
    /// Segments sent only to hear from the relay, since something new was heard.
    probes: u32,
    /// For how long it has had no room, but for the span that began at `held_since`, if it has none now.
    held_back: Duration,
    held_since: Option<Instant>,
}

impl Sender {
    /// A sender at `own` to the receiver at `peer`, with the window rule that `config` names. `config` must have passed
    /// [`Config::check`]; `random` is used for the jitter of sending only.
    pub fn new(config: &Config, flow: FlowId, own: Address, peer: Address, random: Random) -> Sender {
        Sender::with_rule(ChosenRule::new(config), config, flow, own, peer, random)
    }

    /// A sender with a rule of the caller's choice; `config.variant` is not looked at. If the rule wants SACK,
    /// `config.recovery` must say so, for the receiver knows only the configuration.
    pub fn with_rule(
        rule: ChosenRule,
        config: &Config,
        flow: FlowId,
        own: Address,
        peer: Address,
        random: Random,
    ) -> Sender {
        let wnd = config.window_pkts();
        let hystart = config.hystart.unwrap_or(rule.hystart());
        Sender {
            snd_una: 0,
            next: 0,
            sent_end: 0,
            end: config.segments.map_or(u64::MAX, u64::from),
            limit: config.segments.map_or(u64::MAX, u64::from),
            rests_since: Instant::FAR_FUTURE,
            restart_cwnd: config.initial_cwnd.0.min(wnd),
            watches_use: config.cwnd_validation == CwndValidation::Rfc7661 || config.rate_limited_increase,
            validation: (config.cwnd_validation == CwndValidation::Rfc7661).then(NewCwv::new),
            increase: config.rate_limited_increase.then(|| RateLimitedIncrease::new(config.initial_cwnd.0)),
            relayed: None,
            wnd: wnd as u64,
            state: State::Closed,
            window: Window {
                cwnd: config.initial_cwnd.0.min(wnd),
                ssthresh: config.initial_ssthresh.map_or(wnd, |ssthresh| ssthresh.0),
                wnd,
            },
            timer: Instant::FAR_FUTURE,
            send_at: Instant::FAR_FUTURE,
            pace: Pace::new(config.pacing.clone()),
            hystart: hystart.then(|| HyStart::new(config.pacing.is_some())),
            timed: TimedSegment::NONE,
            rtt: RttEstimator::new(config.rto_initial, config.rto_min, config.rto_max, config.granularity),
            clock: TickingClock::new(config.rtt_tick, 0.0),
            recovery: LossRecovery::new(config.recovery_or(rule.recovery()), config),
            echo: EchoResponse::new(config, rule.mark_factor()),
            byte_counting: config.byte_counting.unwrap_or(rule.byte_counting()),
            abc_limit: config.abc_limit,
            whole_segments: config.whole_segments && rule.may_count_whole_segments(),
            rule,
            cwr_pending: false,
            handshake: Handshake::new(config.handshake, config.handshake_ack, config.ack_size.0 as u16),
            finished: false,
            timestamps: config.timestamps,
            limited_transmit: config.limited_transmit,
            limited_retransmit: config.limited_retransmit,
            grow_after_timeout: config.grow_after_timeout,
            ecn_retransmissions: config.ecn_retransmissions,
            max_burst: config.max_burst.unwrap_or(u32::MAX),
            bundles: config.segmentation_offload.then(Bundles::default),
            jitter: config.send_jitter,
            counts: Counts::default(),
            template: Packet {
                sent: Instant::ZERO,
                flow,
                source: own,
                destination: peer,
                size: config.segment_bytes() as u16,
                ttl: INITIAL_TTL,
                ecn: if config.ecn == EcnMode::Off { Ecn::NotCapable } else { Ecn::Capable },
                header: Header::Data { sequence: 0, window_reduced: false, retransmission: false, push: false }.into(),
            },
            random,
            ack_bytes: config.ack_size.0,
        }
    }

    /// Gives the sender a phase of its ticking clock (`rtt_tick`) drawn from `random`, a stream of its own. Without, or
    /// without the parameter, the connection begins with a tick.
    pub fn with_clock_phase(mut self, config: &Config, mut random: Random) -> Sender {
        self.clock = TickingClock::new(config.rtt_tick, random.uniform());
        self
    }

    /// Ends with `segments`, of which `first` are there at the beginning; the others are granted.
    pub(super) fn ending_at(mut self, segments: u64, first: u64) -> Sender {
        self.end = segments;
        self.make_available(first);
        self
    }

    /// Numbers the first segment `first`.
    #[cfg(test)]
    pub(super) fn numbered_from(mut self, first: u64) -> Sender {
        (self.snd_una, self.next, self.sent_end) = (first, first, first);
        self.recovery = self.recovery.numbered_from(first);
        self.end = self.end.saturating_add(first);
        self.limit = self.limit.saturating_add(first);
        self.hystart = self.hystart.map(|hystart| hystart.numbered_from(first));
        self
    }

    /// The first segment not acknowledged: how much of the transfer is done.
    pub fn acknowledged(&self) -> u64 {
        self.snd_una
    }

    /// One past the highest segment ever sent.
    pub(super) fn sent_end(&self) -> u64 {
        self.sent_end
    }

    fn start(&mut self, now: Instant, out: &mut Outbox) {
        self.clock.begin(now);
        if self.handshake.is_wanted() && !self.finished {
            self.state = State::SynSent;
            self.send_syn(now, out);
        } else {
            self.state = State::Running;
            self.use_opportunity(now, out);
            self.watch_room(now);
        }
    }

    fn send_syn(&mut self, now: Instant, out: &mut Outbox) {
        out.send(self.handshake.syn(now, &self.template));
        self.timer = now + self.rtt.rto();
    }

    fn on_syn_ack(&mut self, now: Instant, arrived: Instant, echoed_stamp_us: u32, out: &mut Outbox) {
        self.counts.acks += 1;
        // One that comes again is answered again: "any unacceptable segment [..] must be responded to with an empty
        // acknowledgment segment" (RFC 9293 section 3.5.2).
        if self.state != State::Closed && !self.finished {
            self.handshake.ack(now, &self.template).into_iter().for_each(|ack| out.send(ack));
        }
        if self.state != State::SynSent {
            return;
        }
        self.state = State::Running;
        self.timer = Instant::FAR_FUTURE;
        let rtt = self.handshake.round_trip(arrived, self.timestamps.then_some(echoed_stamp_us));
        self.sample(arrived, rtt);
        self.rule.on_open(self.rtt.srtt(), &mut self.window);
        if self.handshake.had_loss() {
            self.rtt.restart(RTO_AFTER_LOST_SYN);
            // RFC 5681 section 3.1.
            self.window.cwnd = 1.0;
        }
        self.use_opportunity(now, out);
        self.watch_room(now);
    }

    /// Takes in a round-trip time that ended at `arrived`, if there is one, and says what the clock makes of it.
    #[inline]
    fn sample(&mut self, arrived: Instant, rtt: Option<Duration>) -> Option<Duration> {
        let measured = rtt.map(|rtt| self.clock.measured(rtt, arrived));
        if let Some(rtt) = measured {
            self.rtt.sample(rtt);
        }
        measured
    }

    fn on_timeout(&mut self, now: Instant, out: &mut Outbox) {
        if self.send_at <= now {
            self.send_at = Instant::FAR_FUTURE;
            self.send_allowed(now, out);
            if self.is_paced() {
                self.use_opportunity(now, out);
            }
        }
        if self.timer <= now {
            self.timer = Instant::FAR_FUTURE;
            if self.state == State::SynSent {
                self.count_timeout(self.window, out);
                self.rtt.back_off();
                self.send_syn(now, out);
            } else if self.sent_end > self.snd_una {
                // Also at the end of a hold: what is outstanding then has been so for longer than a time-out.
                self.on_retransmission_timeout(now, out);
            } else {
                self.state = State::Running;
                self.probe(now, out);
            }
            self.use_opportunity(now, out);
        }
        if self.relayed.is_some() {
            self.await_relay(now);
        }
    }

    /// The retransmission timer has expired with data outstanding: RFC 6298 (5.4) to (5.6), RFC 5681 section 3.1, and
    /// back to `snd_una`.
    fn on_retransmission_timeout(&mut self, now: Instant, out: &mut Outbox) {
        let before = self.window;
        match self.recovery.on_timeout(self.snd_una, self.sent_end) {
            Cut::Whole => self.rule.on_timeout((self.sent_end - self.snd_una) as u32, &mut self.window),
            Cut::Rest => {
                self.cut_rest();
                self.rule.on_timeout_after_mark();
                self.window.cwnd = 1.0;
            }
        }
        self.settle();
        if self.watches_use {
            self.note_reduced();
            self.validation.iter_mut().for_each(NewCwv::on_timeout);
        }
        self.count_timeout(before, out);
        self.cwr_pending = true;
        self.state = State::Running;
        self.rtt.back_off();
        self.next = self.snd_una;
        self.send_next(now, out);
    }

    /// What is less than a segment is gone, where whole ones are counted: after each reduction, and before those that
    /// are not by half, of which the half of the whole segments is the whole of the half.
    pub(super) fn settle(&mut self) {
        if self.whole_segments {
            whole_segments::settle(&mut self.window);
        }
    }

    /// The retransmission timer has expired, and the windows were these before.
    fn count_timeout(&mut self, before: Window, out: &mut Outbox) {
        self.counts.timeouts += 1;
        let cause = Cause::Loss { sequence: self.snd_una };
        let event = Event::change(events::TIMEOUT, self.rtt.rto().as_secs_f64(), f64::NAN, cause);
        out.event(event.with(self.windows_since(&before)));
    }

    /// Window and threshold, before and now: the details of events.
    fn windows_since(&self, before: &Window) -> [f64; 4] {
        [before.cwnd, self.window.cwnd, before.ssthresh, self.window.ssthresh]
    }

    /// No new data from now on. A delayed opportunity to send stays: it may be one for repairs.
    fn on_stop(&mut self, out: &mut Outbox) {
        self.end = self.end.min(self.sent_end);
        self.make_available(self.available().min(self.end));
        if self.through() >= self.end {
            self.finish(out);
        }
    }

    /// All that there was to send has been acknowledged.
    #[cold]
    fn rest(&mut self, now: Instant, out: &mut Outbox) {
        self.rests_since = now;
        if self.through() >= self.end {
            self.finish(out);
        }
    }

    /// So many segments that have never been sent are there from now on. After a rest of more than a time-out the
    /// window is the initial one at most (RFC 5681 section 4.1), or a whole window would go at once.
    #[cold]
    fn grant(&mut self, now: Instant, segments: u64, out: &mut Outbox) {
        self.make_available(self.end.min(self.sent_end.saturating_add(segments)));
        self.end_probing();
        if segments > 0 {
            self.reduce_unused(now, out);
        }
        if self.sent_end == self.snd_una {
            self.rests_since = if segments > 0 { Instant::FAR_FUTURE } else { self.rests_since.min(now) };
        }
        self.use_opportunity(now, out);
        self.await_relay(now);
    }

    /// Before data goes again: what was not used for long is reduced, by RFC 5681 section 4.1 or RFC 7661 section
    /// 4.4.3.
    fn reduce_unused(&mut self, now: Instant, out: &mut Outbox) {
        let before = self.window;
        let rests = self.sent_end == self.snd_una && now.since(self.rests_since) > self.rtt.rto();
        match (&mut self.validation, self.rtt.srtt()) {
            (None, _) if rests => self.window.cwnd = before.cwnd.min(self.restart_cwnd),
            (Some(cwv), Some(srtt)) if !self.recovery.is_repairing() => {
                cwv.pass(now, &mut self.window, self.restart_cwnd, srtt);
                self.settle();
            }
            _ => {}
        }
        if self.window.cwnd < before.cwnd {
            self.note_reduced();
            let event = Event::change(events::UNUSED_WINDOW, before.cwnd, self.window.cwnd, Cause::Application);
            out.event(event.with(self.windows_since(&before)));
        }
    }

    /// The window has been reduced.
    fn note_reduced(&mut self) {
        self.increase.iter_mut().for_each(RateLimitedIncrease::reduced);
    }

    /// This packet has not been sent. A segment sent for the first time that was the last is there to be sent again, a
    /// little later; of another the retransmission timer takes care, as if the network had lost it.
    #[cold]
    fn take_back(&mut self, now: Instant, packet: &Packet) {
        let packet::Header::Tcp(header) = packet.header else { return };
        let Header::Data { sequence, window_reduced, retransmission, .. } = header else {
            return self.handshake.take_back(header);
        };
        self.counts.sent -= 1;
        self.cwr_pending |= window_reduced;
        if retransmission {
            self.counts.retransmitted -= 1;
            return;
        }
        let segment = self.sent_end - 1;
        if on_wire(segment) != sequence || self.next != self.sent_end || self.snd_una == self.sent_end {
            return;
        }
        (self.next, self.sent_end) = (segment, segment);
        self.recovery.take_back_last();
        self.bundles.iter_mut().for_each(|bundles| bundles.take_back(segment, self.snd_una));
        self.timed.take_back(segment);
        if self.snd_una == self.sent_end && self.state == State::Running {
            self.timer = Instant::FAR_FUTURE;
        }
        self.send_at = self.send_at.min(now + RETRY);
    }

    fn finish(&mut self, out: &mut Outbox) {
        if !self.finished {
            self.finished = true;
            self.timer = Instant::FAR_FUTURE;
            self.send_at = Instant::FAR_FUTURE;
            out.event(Event::new(events::FINISHED, Cause::Packet { sequence: self.snd_una }));
        }
    }
}

impl Endpoint for Sender {
    #[inline]
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        self.bundles.iter_mut().for_each(Bundles::end);
        match input {
            Input::Packet { packet, arrived, .. } => self.on_ack(now, arrived, &packet.header, out),
            // Before the deadline a time-out changes nothing, not even what is counted.
            Input::Timeout | Input::LinkLoss(_) | Input::Unjoined(_) if self.deadline().is_none_or(|at| at > now) => {
                return;
            }
            Input::Timeout | Input::LinkLoss(_) | Input::Unjoined(_) => self.on_timeout(now, out),
            Input::Start => self.start(now, out),
            Input::Stop => self.on_stop(out),
            Input::Granted(segments) => self.grant(now, segments, out),
            Input::NotSent(packet) => self.take_back(now, packet),
        }
        self.counts.note_held(now, self.is_held_by_wnd());
    }

    #[inline]
    fn deadline(&self) -> Option<Instant> {
        let earliest = self.timer.min(self.send_at);
        (earliest != Instant::FAR_FUTURE).then_some(earliest)
    }

    fn report(&self) -> Report {
        let (greetings, greeting_bytes) = self.handshake.sent();
        Report {
            sent_pkts: self.counts.sent + greetings,
            sent_bytes: self.counts.sent * u64::from(self.template.size) + greeting_bytes,
            received_pkts: self.counts.acks,
            received_bytes: self.counts.acks * self.ack_bytes,
            ..Report::default()
        }
    }

    fn gauges(&self) -> &'static [Gauge] {
        GAUGES
    }

    fn measure(&self, values: &mut [f64]) {
        let srtt_s = self.rtt.srtt().map_or(f64::NAN, Duration::as_secs_f64);
        let moment = [self.window.cwnd, self.window.ssthresh, srtt_s];
        self.counts.measure(self.handshake.repeated(), moment, values);
    }
}
