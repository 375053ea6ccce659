//! The sender: what is outstanding, what may be sent, when to give up waiting.
//!
//! Numbers of segments are half-open: `snd_una..next` has been sent, `sent_end` and `recover_end` are one past the
//! segments that RFC 6582 calls highest sent and `recover`. So an ACK covers everything up to `recover` if
//! `ack >= recover_end`, and more than that if `ack > recover_end`.

use super::congestion_echo::EchoResponse;
use super::handshake::{Handshake, RTO_AFTER_LOST_SYN};
use super::number::{expand, on_wire};
use super::rtt::{RttEstimator, TickingClock, TimedSegment, since_stamp};
use super::rule::{Ack, Recovery, Rule, Window, WindowRule};
use super::scoreboard::Scoreboard;
use super::state::{LastCut, State};
use super::{Config, EcnMode, FullAck};
use crate::endpoint::{Endpoint, Event, Input, Outbox, Report};
use crate::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
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
    /// One past the highest segment sent when the window was last reduced.
    pub(super) recover_end: u64,
    /// One past the last segment there is to send.
    limit: u64,
    pub(super) dupacks: u32,
    /// Segments sent on the duplicate ACKs counted (RFC 3042).
    pub(super) limited: u32,
    pub(super) state: State,
    pub(super) last_cut: LastCut,
    pub(super) window: Window,
    /// When the retransmission timer expires; `FAR_FUTURE` = off.
    pub(super) timer: Instant,
    /// When a delayed opportunity to send comes; `FAR_FUTURE` = none is pending.
    send_at: Instant,
    pub(super) timed: TimedSegment,
    pub(super) rtt: RttEstimator,
    clock: TickingClock,
    pub(super) rule: Rule,
    pub(super) recovery: Recovery,
    /// CWR is to be set on the next new segment: the window has been reduced (RFC 3168 section 6.1.2).
    pub(super) cwr_pending: bool,
    handshake: Handshake,
    finished: bool,
    timestamps: bool,
    limited_transmit: bool,
    grow_after_timeout: bool,
    ecn_retransmissions: bool,
    pub(super) dupthresh: u32,
    pub(super) full_ack: FullAck,
    max_burst: u32,
    jitter: Duration,
    acks_received: u64,
    sent: u64,
    retransmitted: u64,
    /// What all segments have in common.
    template: Packet,
    pub(super) echo: EchoResponse,
    pub(super) scoreboard: Scoreboard,
    pub(super) random: Random,
    pub(super) loss_reductions: u64,
    pub(super) ecn_reductions: u64,
    pub(super) timeouts: u64,
    ack_bytes: u64,
    /// Since when `wnd` has held data back, counted up to then; `FAR_FUTURE` = it does not.
    held_since: Instant,
    held_by_wnd: Duration,
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
            recover_end: 0,
            limit: config.segments.map_or(u64::MAX, u64::from),
            dupacks: 0,
            limited: 0,
            state: State::Closed,
            last_cut: LastCut::None,
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
            recovery: config.recovery_or(rule.recovery()),
            rule,
            cwr_pending: false,
            handshake: Handshake::new(config.handshake, config.ack_size.0 as u16),
            finished: false,
            timestamps: config.timestamps,
            limited_transmit: config.limited_transmit,
            grow_after_timeout: config.grow_after_timeout,
            ecn_retransmissions: config.ecn_retransmissions,
            dupthresh: config.dupthresh,
            full_ack: config.full_ack,
            max_burst: config.max_burst.unwrap_or(u32::MAX),
            jitter: config.send_jitter,
            acks_received: 0,
            sent: 0,
            retransmitted: 0,
            template: Packet {
                sent: Instant::ZERO,
                flow,
                source: own,
                destination: peer,
                size: config.segment_bytes() as u16,
                ttl: INITIAL_TTL,
                ecn: if config.ecn == EcnMode::Off { Ecn::NotCapable } else { Ecn::Capable },
                header: Header::TcpData { sequence: 0, window_reduced: false, retransmission: false },
            },
            echo: EchoResponse::new(config),
            scoreboard: Scoreboard::new(config.dupthresh),
            random,
            loss_reductions: 0,
            ecn_reductions: 0,
            timeouts: 0,
            ack_bytes: config.ack_size.0,
            held_since: Instant::FAR_FUTURE,
            held_by_wnd: Duration::ZERO,
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
        (self.snd_una, self.next, self.sent_end, self.recover_end) = (first, first, first, first);
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
            self.state = State::Open;
            self.use_opportunity(now, out);
        }
    }

    fn send_syn(&mut self, now: Instant, out: &mut Outbox) {
        out.send(self.handshake.syn(now, &self.template));
        self.timer = now + self.rtt.rto();
    }

    fn on_syn_ack(&mut self, now: Instant, header: &Header, out: &mut Outbox) {
        let Header::TcpSynAck { echoed_stamp_us } = header else { return };
        self.acks_received += 1;
        if self.state != State::SynSent {
            return;
        }
        self.state = State::Open;
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
    fn on_ack(&mut self, now: Instant, header: &Header, out: &mut Outbox) {
        let Header::TcpAck { next_expected: ack, echo, sack, echoed_stamp_us } = header else {
            return self.on_syn_ack(now, header, out);
        };
        self.acks_received += 1;
        let (Some(ack), echo) = (expand(*ack, self.snd_una), *echo) else { return };
        // Acknowledgements of what was never sent, and such as were overtaken by later ones, say nothing.
        if ack > self.sent_end || ack < self.snd_una {
            return;
        }
        let selective = self.recovery == Recovery::Sack;
        let news = selective && self.scoreboard.update(ack, sack, self.sent_end);
        if ack > self.snd_una {
            self.on_new_ack(now, ack, echo, *echoed_stamp_us, out);
            if news {
                self.count_duplicate(now, out);
            }
        } else if self.sent_end > self.snd_una {
            self.on_duplicate_ack(now, ack, echo, news || !selective, out);
        }
        self.use_opportunity(now, out);
    }

    #[inline]
    fn on_new_ack(&mut self, now: Instant, ack: u64, echo: Ecn, echoed_stamp_us: u32, out: &mut Outbox) {
        let newly_acked = (ack - self.snd_una) as u32;
        self.snd_una = ack;
        self.next = self.next.max(ack);
        self.dupacks = 0;
        self.limited = 0;
        let measured = self.measure(now, ack, echoed_stamp_us);
        let notice =
            Ack { now, newly_acked, flight: (self.sent_end - ack) as u32, rtt: measured, srtt: self.rtt.srtt() };
        self.rule.observe(&notice, &mut self.window);
        let echoed = echo >= Ecn::Incipient;
        let mut restart_timer = true;
        match self.state {
            State::Open if !echoed || self.repairs_after_timeout(ack) => {
                self.rule.grow(&notice, &mut self.window);
                self.window.cwnd = self.window.cwnd.min(self.window.wnd);
                self.echo.relieved();
            }
            State::Open => {}
            State::Recovery { .. } => restart_timer = self.advance_recovery(now, newly_acked, out),
            // The timer runs for the hold. Before data nothing is acknowledged.
            State::Held | State::Closed | State::SynSent => restart_timer = false,
        }
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

    /// Whether the echo in an ACK of `ack` can only be of marks that a time-out has answered already.
    ///
    /// The sender goes back over what was outstanding, and CWR, which ends the echo, goes out with new data only (RFC
    /// 3168 section 6.1.2). Were growth to wait for that, a window of losses would be repaired at one segment per round
    /// trip, which takes half a minute over a satellite.
    fn repairs_after_timeout(&self, ack: u64) -> bool {
        self.grow_after_timeout && self.last_cut == LastCut::Timeout && ack <= self.recover_end
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
        self.dupacks = self.dupacks.saturating_add(1);
        match &mut self.state {
            State::Open => {
                if !self.try_recovery(now, out) && self.dupacks < self.dupthresh && self.limited_transmit {
                    self.transmit_limited(now, out);
                }
            }
            // RFC 5681 section 3.2 step 4: each further duplicate ACK stands for a segment that has left the network.
            State::Recovery { inflation, .. } => *inflation += 1.0,
            State::Held | State::Closed | State::SynSent => {}
        }
    }

    /// RFC 3042 section 2: the first duplicate ACKs let out a segment each that was never sent, beyond the congestion
    /// window. At once, as ns-2 does, whatever the jitter.
    fn transmit_limited(&mut self, now: Instant, out: &mut Outbox) {
        if self.next == self.sent_end && self.next < self.window_end(f64::from(self.dupacks)) {
            self.limited += 1;
            self.send_next(now, out);
        }
    }

    /// A congestion echo: at most one answer per window of data (RFC 3168 section 6.1.2).
    ///
    /// The receiver echoes until the first segment with CWR arrives, which is that after `recover`; so even the ACK of
    /// `recover` itself still carries the old echo, and only one of more than `recover` a new one.
    fn on_echo(&mut self, now: Instant, ack: u64, level: Ecn, out: &mut Outbox) {
        let before = self.window.cwnd;
        if ack > self.recover_end || self.last_cut == LastCut::None {
            self.recover_end = self.sent_end;
            self.last_cut = LastCut::Echo;
            if self.echo.holds() && before <= 1.0 {
                let doublings = self.echo.begin_hold(level);
                self.state = State::Held;
                self.timer = now + self.rtt.rto_doubled(doublings);
            } else {
                let factor = self.echo.first(level);
                self.rule.on_mark(factor, &mut self.window);
            }
        } else if self.last_cut == LastCut::Echo
            && let Some(factor) = self.echo.further(level)
        {
            self.rule.on_mark(factor, &mut self.window);
        } else {
            return;
        }
        self.cwr_pending = true;
        self.ecn_reductions += 1;
        out.event(Event::EcnReduction { level, before, after: self.window.cwnd });
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

    /// Whether jitter is holding back what may be sent.
    pub(super) fn opportunity_pending(&self) -> bool {
        self.send_at != Instant::FAR_FUTURE
    }

    /// Sends everything that the window, and the bound on bursts, allows.
    #[inline]
    fn send_allowed(&mut self, now: Instant, out: &mut Outbox) {
        match self.state {
            State::Open => self.send_window(now, 0.0, out),
            State::Recovery { inflation, .. } if self.recovery != Recovery::Sack => {
                self.send_window(now, inflation, out)
            }
            State::Recovery { .. } => {
                let mut allowed = self.max_burst;
                while allowed > 0 && self.pipe_has_room() && self.send_by_scoreboard(now, out) {
                    allowed -= 1;
                }
            }
            State::Held | State::Closed | State::SynSent => {}
        }
    }

    #[inline]
    fn send_window(&mut self, now: Instant, inflation: f64, out: &mut Outbox) {
        let end = self.window_end(inflation);
        let mut allowed = self.max_burst;
        while self.next < end && allowed > 0 {
            // After a time-out the sender goes back, but not over what has been SACKed.
            if !self.scoreboard.is_empty() && self.next < self.sent_end {
                self.next = self.scoreboard.first_unsacked(self.next);
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
    pub(super) fn window_end(&self, inflation: f64) -> u64 {
        let window = (self.window.cwnd + inflation).min(self.window.wnd) as u64;
        (self.snd_una + window).min(self.limit)
    }

    /// Whether [`send_allowed`](Self::send_allowed) would send anything.
    fn may_send(&self) -> bool {
        match self.state {
            State::Open => self.next < self.window_end(0.0),
            State::Recovery { inflation, .. } if self.recovery != Recovery::Sack => {
                self.next < self.window_end(inflation)
            }
            State::Recovery { .. } => self.pipe_has_room() && self.scoreboard_names_one(),
            State::Held | State::Closed | State::SynSent => false,
        }
    }

    /// Whether a segment never sent is left and within the receiver's window.
    pub(super) fn has_new(&self) -> bool {
        let within_wnd = self.snd_una + self.window.wnd as u64;
        self.next < within_wnd.min(self.limit)
    }

    #[inline]
    pub(super) fn send_next(&mut self, now: Instant, out: &mut Outbox) {
        let segment = self.next;
        self.next = segment + 1;
        self.send_segment(now, segment, out);
    }

    #[inline]
    pub(super) fn send_segment(&mut self, now: Instant, segment: u64, out: &mut Outbox) {
        let retransmission = segment < self.sent_end;
        let mut window_reduced = false;
        let mut ecn = self.template.ecn;
        if retransmission {
            self.retransmitted += 1;
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
        let header = Header::TcpData { sequence: on_wire(segment), window_reduced, retransmission };
        out.send(Packet { sent: now, flow, source, destination, size, ttl: INITIAL_TTL, ecn, header });
        self.sent += 1;
        if self.timer == Instant::FAR_FUTURE {
            // RFC 6298 (5.1).
            self.timer = now + self.rtt.rto();
        }
    }

    /// Counts the time since the last input if `wnd` held data back in it, and looks whether it does from now on.
    #[inline]
    fn watch_wnd(&mut self, now: Instant) {
        if self.held_since != Instant::FAR_FUTURE {
            self.held_by_wnd = self.held_by_wnd + now.since(self.held_since);
        }
        self.held_since = if self.is_held_by_wnd() { now } else { Instant::FAR_FUTURE };
    }

    /// Whether there is data that the congestion window, but not `wnd`, lets go.
    #[inline]
    fn is_held_by_wnd(&self) -> bool {
        let wnd_is_used = self.next >= self.snd_una + self.window.wnd as u64;
        wnd_is_used && self.next < self.limit && self.cwnd_has_room()
    }

    /// Whether the congestion window lets a segment go when `wnd` is in use. It does not grow above `wnd`: as large, it
    /// would.
    fn cwnd_has_room(&self) -> bool {
        match self.state {
            State::Open => self.window.cwnd >= self.window.wnd,
            State::Recovery { inflation, .. } if self.recovery != Recovery::Sack => {
                self.window.cwnd + inflation >= self.window.wnd
            }
            State::Recovery { .. } => self.pipe_has_room() && self.scoreboard.next_lost().is_none(),
            State::Held | State::Closed | State::SynSent => false,
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
                self.state = State::Open;
            }
            self.use_opportunity(now, out);
        }
    }

    pub(super) fn count_timeout(&mut self, out: &mut Outbox) {
        self.timeouts += 1;
        out.event(Event::RetransmissionTimeout { rto_s: self.rtt.rto().as_secs_f64() });
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
            out.event(Event::Finished);
        }
    }
}

impl Endpoint for Sender {
    #[inline]
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Packet(packet) => self.on_ack(now, &packet.header, out),
            // Before the deadline a time-out changes nothing, not even what is counted.
            Input::Timeout if self.deadline().is_none_or(|at| at > now) => return,
            Input::Timeout => self.on_timeout(now, out),
            Input::Start => self.start(now, out),
            Input::Stop => self.on_stop(out),
        }
        self.watch_wnd(now);
    }

    #[inline]
    fn deadline(&self) -> Option<Instant> {
        let earliest = self.timer.min(self.send_at);
        (earliest != Instant::FAR_FUTURE).then_some(earliest)
    }

    fn report(&self) -> Report {
        let (syns, syn_bytes) = self.handshake.sent();
        Report {
            sent_pkts: self.sent + syns,
            sent_bytes: self.sent * u64::from(self.template.size) + syn_bytes,
            retransmitted_pkts: self.retransmitted + syns.saturating_sub(1),
            received_pkts: self.acks_received,
            received_bytes: self.acks_received * self.ack_bytes,
            loss_reductions: self.loss_reductions,
            ecn_reductions: self.ecn_reductions,
            timeouts: self.timeouts,
            window_limited_s: self.held_by_wnd.as_secs_f64(),
            cwnd_pkts: self.window.cwnd,
            ssthresh_pkts: self.window.ssthresh,
            srtt_s: self.rtt.srtt().map_or(f64::NAN, Duration::as_secs_f64),
            ..Report::default()
        }
    }
}
