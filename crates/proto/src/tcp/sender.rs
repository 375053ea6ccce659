//! The sender: what is outstanding, what may be sent, when to give up waiting.
//!
//! Numbers of segments are half-open: `snd_una..next` has been sent, `sent_end` is one past the highest segment sent.

use super::congestion_echo::EchoResponse;
use super::counts::{Counts, GAUGES};
use super::events;
use super::handshake::{Handshake, RTO_AFTER_LOST_SYN};
use super::header::Header;
use super::number::{expand, on_wire};
use super::recovery::{Bound, Cut, Duplicate, EchoAnswer, LossRecovery, NextSegment, Progress};
use super::rtt::{RttEstimator, TickingClock, TimedSegment, since_stamp};
use super::rule::{Ack, Rule, Window, WindowRule};
use super::state::State;
use super::{Config, EcnMode};
use crate::endpoint::{Cause, Endpoint, Event, Gauge, Input, Outbox, Report};
use crate::packet::{self, Address, Ecn, FlowId, INITIAL_TTL, Packet};
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
    /// One past the last segment there is to send.
    limit: u64,
    /// The receiver's window, segments: that of `window` as a whole number, which every input is compared with.
    wnd: u64,
    state: State,
    window: Window,
    /// When the retransmission timer expires; `FAR_FUTURE` = off.
    timer: Instant,
    /// When a delayed opportunity to send comes; `FAR_FUTURE` = none is pending.
    send_at: Instant,
    timed: TimedSegment,
    rtt: RttEstimator,
    clock: TickingClock,
    rule: Rule,
    recovery: LossRecovery,
    /// CWR is to be set on the next new segment: the window has been reduced (RFC 3168 section 6.1.2).
    cwr_pending: bool,
    handshake: Handshake,
    finished: bool,
    timestamps: bool,
    limited_transmit: bool,
    grow_after_timeout: bool,
    ecn_retransmissions: bool,
    max_burst: u32,
    jitter: Duration,
    counts: Counts,
    /// What all segments have in common.
    template: Packet,
    echo: EchoResponse,
    random: Random,
    ack_bytes: u64,
}

impl Sender {
    /// A sender at `own` to the receiver at `peer`, with the window rule that `config` names. `config` must have passed
    /// [`Config::check`]; `random` is used for the jitter of sending only.
    pub fn new(config: &Config, flow: FlowId, own: Address, peer: Address, random: Random) -> Sender {
        Sender::with_rule(Rule::new(config), config, flow, own, peer, random)
    }

    /// The same with a rule of the caller's choice; `config.variant` is not looked at. If the rule wants SACK,
    /// `config.recovery` must say so, for the receiver knows only the configuration.
    pub fn with_rule(rule: Rule, config: &Config, flow: FlowId, own: Address, peer: Address, random: Random) -> Sender {
        let wnd = config.window_pkts();
        Sender {
            snd_una: 0,
            next: 0,
            sent_end: 0,
            limit: config.segments.map_or(u64::MAX, u64::from),
            wnd: wnd as u64,
            state: State::Closed,
            window: Window {
                cwnd: config.initial_cwnd.0.min(wnd),
                ssthresh: config.initial_ssthresh.map_or(wnd, |ssthresh| ssthresh.0),
                wnd,
            },
            timer: Instant::FAR_FUTURE,
            send_at: Instant::FAR_FUTURE,
            timed: TimedSegment::NONE,
            rtt: RttEstimator::new(config.rto_initial, config.rto_min, config.rto_max, config.granularity),
            clock: TickingClock::new(config.rtt_tick, 0.0),
            recovery: LossRecovery::new(config.recovery_or(rule.recovery()), config),
            rule,
            cwr_pending: false,
            handshake: Handshake::new(config.handshake, config.ack_size.0 as u16),
            finished: false,
            timestamps: config.timestamps,
            limited_transmit: config.limited_transmit,
            grow_after_timeout: config.grow_after_timeout,
            ecn_retransmissions: config.ecn_retransmissions,
            max_burst: config.max_burst.unwrap_or(u32::MAX),
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
                header: Header::Data { sequence: 0, window_reduced: false, retransmission: false }.into(),
            },
            echo: EchoResponse::new(config),
            random,
            ack_bytes: config.ack_size.0,
        }
    }

    /// The same sender with a phase of its ticking clock (`rtt_tick`) drawn from `random`, a stream of its own.
    /// Without, or without the parameter, the connection begins with a tick.
    pub fn with_clock_phase(mut self, config: &Config, mut random: Random) -> Sender {
        self.clock = TickingClock::new(config.rtt_tick, random.uniform());
        self
    }

    /// The same sender with its first segment numbered `first`.
    #[cfg(test)]
    pub(super) fn numbered_from(mut self, first: u64) -> Sender {
        (self.snd_una, self.next, self.sent_end) = (first, first, first);
        self.recovery = self.recovery.numbered_from(first);
        self.limit = self.limit.saturating_add(first);
        self
    }

    /// The first segment not acknowledged: how much of the transfer is done.
    pub fn acknowledged(&self) -> u64 {
        self.snd_una
    }

    fn start(&mut self, now: Instant, out: &mut Outbox) {
        self.clock.begin(now);
        if self.handshake.is_wanted() && !self.finished {
            self.state = State::SynSent;
            self.send_syn(now, out);
        } else {
            self.state = State::Running;
            self.use_opportunity(now, out);
        }
    }

    fn send_syn(&mut self, now: Instant, out: &mut Outbox) {
        out.send(self.handshake.syn(now, &self.template));
        self.timer = now + self.rtt.rto();
    }

    fn on_syn_ack(&mut self, now: Instant, header: &packet::Header, out: &mut Outbox) {
        let packet::Header::Tcp(Header::SynAck { echoed_stamp_us }) = header else { return };
        self.counts.acks += 1;
        if self.state != State::SynSent {
            return;
        }
        self.state = State::Running;
        self.timer = Instant::FAR_FUTURE;
        let rtt = self.handshake.round_trip(now, self.timestamps.then_some(*echoed_stamp_us));
        self.sample(now, rtt);
        if self.handshake.had_loss() {
            self.rtt.restart(RTO_AFTER_LOST_SYN);
            // RFC 5681 section 3.1.
            self.window.cwnd = 1.0;
        }
        self.use_opportunity(now, out);
    }

    #[inline]
    fn on_ack(&mut self, now: Instant, header: &packet::Header, out: &mut Outbox) {
        let packet::Header::Tcp(Header::Ack { next_expected: ack, echo, sack, echoed_stamp_us }) = header else {
            return self.on_syn_ack(now, header, out);
        };
        self.counts.acks += 1;
        let (Some(ack), echo) = (expand(*ack, self.snd_una), *echo) else { return };
        // Acknowledgements of what was never sent, and such as were overtaken by later ones, say nothing.
        if ack > self.sent_end || ack < self.snd_una {
            return;
        }
        let news = self.recovery.take_blocks(ack, sack, self.sent_end);
        if ack > self.snd_una {
            self.on_new_ack(now, ack, echo, *echoed_stamp_us, out);
            if news {
                self.count_duplicate(now, out);
            }
        } else if self.sent_end > self.snd_una {
            self.on_duplicate_ack(now, ack, echo, news || !self.recovery.is_selective(), out);
        }
        self.use_opportunity(now, out);
    }

    #[inline]
    fn on_new_ack(&mut self, now: Instant, ack: u64, echo: Ecn, echoed_stamp_us: u32, out: &mut Outbox) {
        let newly_acked = (ack - self.snd_una) as u32;
        self.snd_una = ack;
        self.next = self.next.max(ack);
        let measured = self.measure(now, ack, echoed_stamp_us);
        let notice =
            Ack { now, newly_acked, flight: (self.sent_end - ack) as u32, rtt: measured, srtt: self.rtt.srtt() };
        self.rule.observe(&notice, &mut self.window);
        let echoed = echo >= Ecn::Incipient;
        // The timer that runs for a hold goes on.
        let restart_timer = self.state == State::Running && self.advance(&notice, echoed, out);
        if restart_timer {
            // RFC 6298 (5.2), (5.3).
            let outstanding = self.sent_end > ack;
            self.timer = if outstanding { now + self.rtt.rto() } else { Instant::FAR_FUTURE };
        }
        if echoed {
            self.on_echo(now, ack, echo, out);
        }
        if ack >= self.limit {
            self.finish(out);
        }
    }

    /// New data acknowledged: recovery, or growth. Says whether the retransmission timer restarts.
    #[inline]
    fn advance(&mut self, notice: &Ack, echoed: bool, out: &mut Outbox) -> bool {
        match self.recovery.on_new_ack(self.snd_una, notice.newly_acked, self.sent_end, &mut self.window) {
            Progress::None => {
                if !echoed || self.repairs_after_timeout() {
                    self.rule.grow(notice, &mut self.window);
                    self.window.cwnd = self.window.cwnd.min(self.window.wnd);
                    self.echo.relieved();
                }
                true
            }
            Progress::Advanced => true,
            Progress::NextLost { restart_timer } => {
                self.send_segment(notice.now, self.snd_una, out);
                restart_timer
            }
        }
    }

    /// Whether the echo in the last ACK can only be of marks that a time-out has answered already.
    ///
    /// The sender goes back over what was outstanding, and CWR, which ends the echo, goes out with new data only (RFC
    /// 3168 section 6.1.2). Were growth to wait for that, a window of losses would be repaired at one segment per round
    /// trip, which takes half a minute over a satellite.
    fn repairs_after_timeout(&self) -> bool {
        self.grow_after_timeout && self.recovery.repairs_after_timeout(self.snd_una)
    }

    /// `counts` says whether it shows that a segment has arrived: with SACK, only new blocks do (RFC 6675 section 2).
    fn on_duplicate_ack(&mut self, now: Instant, ack: u64, echo: Ecn, counts: bool, out: &mut Outbox) {
        let notice =
            Ack { now, newly_acked: 0, flight: (self.sent_end - ack) as u32, rtt: None, srtt: self.rtt.srtt() };
        self.rule.observe(&notice, &mut self.window);
        if echo >= Ecn::Incipient {
            self.on_echo(now, ack, echo, out);
        }
        if counts {
            self.count_duplicate(now, out);
        }
    }

    fn count_duplicate(&mut self, now: Instant, out: &mut Outbox) {
        if self.state != State::Running {
            return;
        }
        match self.recovery.on_duplicate(self.snd_una, self.sent_end) {
            Duplicate::Loss(cut) => self.begin_recovery(now, cut, out),
            Duplicate::Early { count } if self.limited_transmit => self.transmit_limited(now, count, out),
            Duplicate::Early { .. } | Duplicate::Nothing => {}
        }
    }

    /// RFC 3042 section 2: the first duplicate ACKs let out a segment each that was never sent, beyond the congestion
    /// window. At once, as ns-2 does, whatever the jitter. What the congestion window allows anyway is not noted.
    fn transmit_limited(&mut self, now: Instant, count: u32, out: &mut Outbox) {
        if self.next == self.sent_end && self.next < self.window_end(f64::from(count)) {
            if self.next >= self.window_end(0.0) {
                self.recovery.note_limited();
            }
            self.send_next(now, out);
        }
    }

    fn begin_recovery(&mut self, now: Instant, cut: Cut, out: &mut Outbox) {
        let before = self.window.cwnd;
        let reduced = match cut {
            Cut::Whole => {
                self.rule.on_loss(self.flight_at_loss(), &mut self.window);
                true
            }
            Cut::Rest => self.cut_rest(),
        };
        if reduced {
            self.cwr_pending = true;
            self.counts.loss_reductions += 1;
            let cause = Cause::Loss { sequence: self.snd_una };
            out.event(Event::change(events::LOSS_REDUCTION, before, self.window.cwnd, cause));
        }
        self.send_segment(now, self.snd_una, out);
        self.timer = now + self.rtt.rto();
    }

    /// Brings the reduction made for a mark to that for a loss; says whether anything was missing.
    fn cut_rest(&mut self) -> bool {
        let missing = self.echo.loss();
        if missing < 1.0 {
            self.rule.on_mark(missing, &mut self.window);
        }
        missing < 1.0
    }

    /// The segments outstanding, as the reduction for a loss counts them.
    fn flight_at_loss(&self) -> u32 {
        // RFC 5681 section 3.2 step 2: what limited transmit has added does not count.
        let flight = (self.sent_end - self.snd_una) as u32 - self.recovery.limited();
        // The jitter stands for the time that a host takes to send: what it holds back has the window's leave already.
        if self.send_at != Instant::FAR_FUTURE {
            flight.max(self.window_end(0.0).saturating_sub(self.snd_una) as u32)
        } else {
            flight
        }
    }

    /// A congestion echo: answered as [`LossRecovery::on_echo`] says.
    fn on_echo(&mut self, now: Instant, ack: u64, level: Ecn, out: &mut Outbox) {
        let before = self.window.cwnd;
        match self.recovery.on_echo(ack, self.sent_end) {
            EchoAnswer::None => return,
            EchoAnswer::First if self.echo.holds() && before <= 1.0 => {
                let doublings = self.echo.begin_hold();
                self.state = State::Held;
                self.timer = now + self.rtt.rto_doubled(doublings);
            }
            EchoAnswer::First => {
                let factor = self.echo.first(level);
                self.rule.on_mark(factor, &mut self.window);
            }
            EchoAnswer::Further => match self.echo.further(level) {
                Some(factor) => self.rule.on_mark(factor, &mut self.window),
                None => return,
            },
        }
        self.cwr_pending = true;
        self.counts.ecn_reductions += 1;
        out.event(Event::change(
            events::reduction(level),
            before,
            self.window.cwnd,
            Cause::Mark { sequence: ack, level },
        ));
    }

    /// Something may have become sendable: sends it, or lets the host's jitter pass first (ns-2 `overhead_`).
    #[inline]
    fn use_opportunity(&mut self, now: Instant, out: &mut Outbox) {
        if self.jitter == Duration::ZERO {
            self.send_allowed(now, out);
        } else if self.send_at == Instant::FAR_FUTURE && self.may_send() {
            self.send_at = now + self.jitter.mul_f64(self.random.uniform());
        }
    }

    /// Sends everything that the window, and the bound on bursts, allows.
    #[inline]
    fn send_allowed(&mut self, now: Instant, out: &mut Outbox) {
        if self.state != State::Running {
            return;
        }
        match self.recovery.bound() {
            Bound::Window { inflation } => self.send_window(now, inflation, out),
            Bound::Pipe => {
                let mut allowed = self.max_burst;
                while allowed > 0 && self.pipe_has_room() && self.send_by_scoreboard(now, out) {
                    allowed -= 1;
                }
            }
        }
    }

    /// Sends the segment that NextSeg names; says whether there was one.
    fn send_by_scoreboard(&mut self, now: Instant, out: &mut Outbox) -> bool {
        match self.recovery.take_next_segment(self.has_new()) {
            Some(NextSegment::New) => {
                debug_assert_eq!(self.next, self.sent_end, "a recovery begins beyond what a time-out goes back over");
                self.send_next(now, out);
            }
            Some(NextSegment::Again(segment)) => self.send_segment(now, segment, out),
            None => return false,
        }
        true
    }

    /// Whether the SACK sender may put another segment into the network (RFC 6675 section 5 step C).
    fn pipe_has_room(&self) -> bool {
        self.window.cwnd - self.recovery.pipe(self.sent_end) as f64 >= 1.0
    }

    #[inline]
    fn send_window(&mut self, now: Instant, inflation: f64, out: &mut Outbox) {
        let end = self.window_end(inflation);
        let mut allowed = self.max_burst;
        while self.next < end && allowed > 0 {
            // After a time-out the sender goes back, but not over what has been SACKed.
            if self.next < self.sent_end {
                self.next = self.recovery.first_missing(self.next);
                if self.next >= end {
                    break;
                }
            }
            self.send_next(now, out);
            allowed -= 1;
        }
    }

    /// One past the last segment that the window allows.
    #[inline]
    fn window_end(&self, inflation: f64) -> u64 {
        let window = (self.window.cwnd + inflation).min(self.window.wnd) as u64;
        (self.snd_una + window).min(self.limit)
    }

    /// Whether [`send_allowed`](Self::send_allowed) would send anything.
    fn may_send(&self) -> bool {
        self.state == State::Running
            && match self.recovery.bound() {
                Bound::Window { inflation } => self.next < self.window_end(inflation),
                Bound::Pipe => self.pipe_has_room() && self.recovery.next_segment(self.has_new()).is_some(),
            }
    }

    /// Whether a segment never sent is left and within the receiver's window.
    fn has_new(&self) -> bool {
        let within_wnd = self.snd_una + self.wnd;
        self.next < within_wnd.min(self.limit)
    }

    #[inline]
    fn send_next(&mut self, now: Instant, out: &mut Outbox) {
        let segment = self.next;
        self.next = segment + 1;
        self.send_segment(now, segment, out);
    }

    #[inline]
    fn send_segment(&mut self, now: Instant, segment: u64, out: &mut Outbox) {
        let retransmission = segment < self.sent_end;
        let mut window_reduced = false;
        let mut ecn = self.template.ecn;
        if retransmission {
            self.counts.retransmitted += 1;
            if !self.ecn_retransmissions {
                ecn = Ecn::NotCapable;
            }
            self.timed.abandon();
        } else {
            self.sent_end = segment + 1;
            self.timed.start(segment, now);
            window_reduced = core::mem::take(&mut self.cwr_pending) && ecn != Ecn::NotCapable;
        }
        let Packet { flow, source, destination, size, .. } = self.template;
        let header = Header::Data { sequence: on_wire(segment), window_reduced, retransmission }.into();
        out.send(Packet { sent: now, flow, source, destination, size, ttl: INITIAL_TTL, ecn, header });
        self.counts.sent += 1;
        if self.timer == Instant::FAR_FUTURE {
            // RFC 6298 (5.1).
            self.timer = now + self.rtt.rto();
        }
    }

    /// Whether there is data that the congestion window, but not `wnd`, lets go.
    #[inline]
    fn is_held_by_wnd(&self) -> bool {
        let wnd_is_used = self.next >= self.snd_una + self.wnd;
        wnd_is_used && self.next < self.limit && self.cwnd_has_room()
    }

    /// Whether the congestion window lets a segment go when `wnd` is in use. It does not grow above `wnd`: as large, it
    /// would.
    fn cwnd_has_room(&self) -> bool {
        self.state == State::Running
            && match self.recovery.bound() {
                Bound::Window { inflation } => self.window.cwnd + inflation >= self.window.wnd,
                Bound::Pipe => self.pipe_has_room() && self.recovery.next_segment(true) == Some(NextSegment::New),
            }
    }

    /// A new round-trip time if this ACK gives one.
    #[inline]
    fn measure(&mut self, now: Instant, ack: u64, echoed_stamp_us: u32) -> Option<Duration> {
        let measured =
            if self.timestamps { Some(since_stamp(now, echoed_stamp_us)) } else { self.timed.take(ack, now) };
        self.sample(now, measured)
    }

    /// Takes in a round-trip time that ends now, if there is one, and says what the clock makes of it.
    #[inline]
    fn sample(&mut self, now: Instant, rtt: Option<Duration>) -> Option<Duration> {
        let measured = rtt.map(|rtt| self.clock.measured(rtt, now));
        if let Some(rtt) = measured {
            self.rtt.sample(rtt);
        }
        measured
    }

    fn on_timeout(&mut self, now: Instant, out: &mut Outbox) {
        if self.send_at <= now {
            self.send_at = Instant::FAR_FUTURE;
            self.send_allowed(now, out);
        }
        if self.timer <= now {
            self.timer = Instant::FAR_FUTURE;
            if self.state == State::SynSent {
                self.count_timeout(out);
                self.rtt.back_off();
                self.send_syn(now, out);
            } else if self.sent_end > self.snd_una {
                // Also at the end of a hold: what is outstanding then has been so for longer than a time-out.
                self.on_retransmission_timeout(now, out);
            } else {
                self.state = State::Running;
            }
            self.use_opportunity(now, out);
        }
    }

    /// The retransmission timer has expired with data outstanding: RFC 6298 (5.4) to (5.6), RFC 5681 section 3.1, and
    /// back to `snd_una`.
    fn on_retransmission_timeout(&mut self, now: Instant, out: &mut Outbox) {
        self.count_timeout(out);
        match self.recovery.on_timeout(self.snd_una, self.sent_end) {
            Cut::Whole => self.rule.on_timeout((self.sent_end - self.snd_una) as u32, &mut self.window),
            Cut::Rest => {
                self.cut_rest();
                self.window.cwnd = 1.0;
            }
        }
        self.cwr_pending = true;
        self.state = State::Running;
        self.rtt.back_off();
        self.next = self.snd_una;
        self.send_next(now, out);
    }

    fn count_timeout(&mut self, out: &mut Outbox) {
        self.counts.timeouts += 1;
        let cause = Cause::Loss { sequence: self.snd_una };
        out.event(Event::change(events::TIMEOUT, self.rtt.rto().as_secs_f64(), f64::NAN, cause));
    }

    /// No new data from now on. A delayed opportunity to send stays: it may be one for repairs.
    fn on_stop(&mut self, out: &mut Outbox) {
        self.limit = self.limit.min(self.sent_end);
        if self.snd_una >= self.limit {
            self.finish(out);
        }
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
        match input {
            Input::Packet(packet, _) => self.on_ack(now, &packet.header, out),
            // Before the deadline a time-out changes nothing, not even what is counted.
            Input::Timeout if self.deadline().is_none_or(|at| at > now) => return,
            Input::Timeout => self.on_timeout(now, out),
            Input::Start => self.start(now, out),
            Input::Stop => self.on_stop(out),
        }
        self.counts.note_held(now, self.is_held_by_wnd());
    }

    #[inline]
    fn deadline(&self) -> Option<Instant> {
        let earliest = self.timer.min(self.send_at);
        (earliest != Instant::FAR_FUTURE).then_some(earliest)
    }

    fn report(&self) -> Report {
        let (syns, syn_bytes) = self.handshake.sent();
        Report {
            sent_pkts: self.counts.sent + syns,
            sent_bytes: self.counts.sent * u64::from(self.template.size) + syn_bytes,
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
        self.counts.measure(self.handshake.sent().0.saturating_sub(1), moment, values);
    }
}
