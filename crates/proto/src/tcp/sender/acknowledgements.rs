//! What acknowledgements do: progress, duplicates, losses, congestion echoes.

use super::Sender;
use crate::endpoint::{Cause, Event, Outbox};
use crate::packet::{self, Ecn};
use crate::tcp::bundles::Bundles;
use crate::tcp::events;
use crate::tcp::header::{Header, SackBlock};
use crate::tcp::number::expand;
use crate::tcp::recovery::{Cut, Duplicate, EchoAnswer, Progress};
use crate::tcp::rtt::since_stamp;
use crate::tcp::state::State;
use crate::tcp::whole_segments;
use crate::tcp::window::{Ack, Credit, WindowRule};
use crate::time::{Duration, Instant};

impl Sender {
    #[inline]
    pub(super) fn on_ack(&mut self, now: Instant, arrived: Instant, header: &packet::Header, out: &mut Outbox) {
        let packet::Header::Tcp(Header::Ack { next_expected: ack, echo, sack, echoed_stamp_us }) = header else {
            return self.on_other(now, arrived, header, out);
        };
        self.counts.acks += 1;
        let Some(ack) = expand(*ack, self.snd_una) else { return };
        self.take_ack((now, arrived), ack, (*echo, sack, *echoed_stamp_us), true, out);
    }

    /// What is in an acknowledgement of all below `ack`. `repeats` says that it is a duplicate if it acknowledges
    /// nothing new.
    #[inline(always)]
    pub(super) fn take_ack(
        &mut self,
        (now, arrived): (Instant, Instant),
        ack: u64,
        (echo, sack, echoed_stamp_us): (Ecn, &[SackBlock; 3], u32),
        repeats: bool,
        out: &mut Outbox,
    ) {
        // Acknowledgements of what was never sent, and such as were overtaken by later ones, say nothing.
        if ack > self.sent_end || ack < self.snd_una {
            return;
        }
        let news = self.recovery.take_blocks(ack, sack, self.sent_end);
        self.recovery.reduce(self.sent_end, self.window.cwnd);
        if ack > self.snd_una {
            self.on_new_ack((now, arrived), ack, echo, echoed_stamp_us, out);
            if news {
                self.count_duplicate(now, out);
            }
        } else if self.sent_end > self.snd_una {
            let counts = news || repeats && !self.recovery.is_selective();
            self.on_duplicate_ack((now, arrived), ack, echo, counts, out);
        }
        self.use_opportunity(now, out);
    }

    #[cold]
    fn on_other(&mut self, now: Instant, arrived: Instant, header: &packet::Header, out: &mut Outbox) {
        match *header {
            packet::Header::Tcp(Header::SynAck { echoed_stamp_us }) => {
                self.on_syn_ack(now, arrived, echoed_stamp_us, out);
            }
            packet::Header::Tcp(Header::RelayAck { next_expected, echo, sack, echoed_stamp_us, window, behind }) => {
                let sack = sack.map(|block| block.numbered(next_expected));
                let said = (echo, &sack, echoed_stamp_us);
                self.on_relay_ack((now, arrived), next_expected, said, (window, behind), out);
            }
            _ => {}
        }
    }

    #[inline]
    fn on_new_ack(
        &mut self,
        (now, arrived): (Instant, Instant),
        ack: u64,
        echo: Ecn,
        echoed_stamp_us: u32,
        out: &mut Outbox,
    ) {
        let newly_acked = (ack - self.snd_una) as u32;
        self.snd_una = ack;
        self.next = self.next.max(ack);
        self.bundles.iter_mut().for_each(|bundles| bundles.acknowledged(ack));
        let measured = self.measure(arrived, ack, echoed_stamp_us);
        let flight = (self.sent_end - ack) as u32;
        let credit = self.credit(newly_acked);
        let notice = Ack { arrived, newly_acked, flight, rtt: measured, srtt: self.rtt.srtt(), credit };
        self.rule.observe(&notice, &mut self.window);
        let echoed = echo >= Ecn::Incipient;
        // The timer that runs for a hold goes on.
        let restart_timer = self.state == State::Running && self.advance(now, &notice, echoed, out);
        if restart_timer {
            // RFC 6298 (5.2), (5.3).
            let outstanding = self.sent_end > ack;
            self.timer = if outstanding { now + self.rtt.rto() } else { Instant::FAR_FUTURE };
        }
        if echoed {
            self.on_echo(now, ack, echo, out);
        }
        if ack >= self.limit {
            self.rest(now, out);
        }
    }

    /// New data acknowledged: recovery, or growth. Says whether the retransmission timer restarts.
    #[inline]
    fn advance(&mut self, now: Instant, notice: &Ack, echoed: bool, out: &mut Outbox) -> bool {
        let was_repairing = self.watches_use && self.recovery.is_repairing();
        let progress = self.recovery.on_new_ack(self.snd_una, notice.newly_acked, self.sent_end, &mut self.window);
        if self.watches_use {
            self.watch_use(notice, was_repairing);
        }
        match progress {
            Progress::None => {
                if !echoed || self.repairs_after_timeout() {
                    if self.watches_use {
                        self.grow_by_use(now, notice);
                    } else if self.limit == self.end || self.is_validated(notice) {
                        self.grow(notice);
                    }
                    self.window.cwnd = self.window.cwnd.min(self.window.wnd);
                    self.echo.relieved();
                }
                true
            }
            Progress::Advanced => true,
            Progress::NextLost { restart_timer } => {
                self.send_segment(now, self.snd_una, out);
                restart_timer
            }
        }
    }

    /// For how many segments an ACK of so many counts.
    ///
    /// After a time-out "ACKs for large amounts of previously unacknowledged data are common" that tell of one segment
    /// which has left the network (RFC 3465 section 2.3): in the slow start that follows each counts for one, and so it
    /// does in congestion avoidance while what was outstanding then is repaired.
    #[inline]
    fn credit(&self, newly_acked: u32) -> Credit {
        if newly_acked == 1 || !self.byte_counting {
            return Credit::ONE;
        }
        if !self.recovery.follows_timeout() {
            return Credit { slow_start: newly_acked.min(self.abc_limit), avoidance: newly_acked };
        }
        let repairs = self.recovery.repairs_after_timeout(self.snd_una);
        Credit { slow_start: 1, avoidance: if repairs { 1 } else { newly_acked } }
    }

    /// Whether the application uses the window: half of it was outstanding before this ACK (RFC 7661 section 4.3). One
    /// that is not used does not grow.
    #[cold]
    fn is_validated(&self, notice: &Ack) -> bool {
        2.0 * f64::from(notice.flight + notice.newly_acked) >= self.window.cwnd
    }

    /// What this ACK says of how the window is used; during a recovery nothing (RFC 7661 section 4.2).
    #[cold]
    fn watch_use(&mut self, notice: &Ack, was_repairing: bool) {
        let Some(cwv) = &mut self.validation else { return };
        match (was_repairing, self.recovery.is_repairing()) {
            (true, false) => {
                cwv.recovered(self.counts.retransmitted, &mut self.window);
                self.settle();
            }
            (_, true) => {}
            (false, false) => {
                if let Some(srtt) = notice.srtt {
                    cwv.acknowledged(notice.arrived, self.snd_una - u64::from(notice.newly_acked), srtt);
                }
            }
        }
    }

    /// Growth as far as the use of the window lets it.
    #[cold]
    fn grow_by_use(&mut self, now: Instant, notice: &Ack) {
        let before = self.window;
        let may_grow = match (&mut self.validation, notice.srtt) {
            (Some(cwv), Some(srtt)) => cwv.may_grow(now, notice, &before, srtt),
            (Some(_), None) => true,
            (None, _) => self.increase.is_some() || self.limit == self.end || self.is_validated(notice),
        };
        if may_grow {
            self.grow(notice);
            if let Some(increase) = &self.increase {
                increase.bound(notice, &before, &mut self.window);
            }
        }
    }

    /// Growth by the rule, in the first slow start as HyStart++ lets it.
    #[inline]
    fn grow(&mut self, notice: &Ack) {
        let before = self.window.cwnd;
        self.grow_by_parts(notice);
        if self.whole_segments {
            whole_segments::count(before, &mut self.window);
        }
    }

    #[inline]
    fn grow_by_parts(&mut self, notice: &Ack) {
        let Some(hystart) = &mut self.hystart else { return self.rule.grow(notice, &mut self.window) };
        let rtt = hystart.round_trip(notice.arrived, notice.newly_acked);
        let rtt = rtt.map(|rtt| self.clock.measured(rtt, notice.arrived));
        let rule = &mut self.rule;
        let numbers = [self.snd_una, self.sent_end];
        if !hystart.on_ack(notice, rtt, numbers, &mut self.window, |ack, window| rule.grow(ack, window)) {
            self.hystart = None;
            self.settle();
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
    fn on_duplicate_ack(
        &mut self,
        (now, arrived): (Instant, Instant),
        ack: u64,
        echo: Ecn,
        counts: bool,
        out: &mut Outbox,
    ) {
        let (flight, srtt) = ((self.sent_end - ack) as u32, self.rtt.srtt());
        let notice = Ack { arrived, newly_acked: 0, flight, rtt: None, srtt, credit: Credit::of(0) };
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
    ///
    /// ns-2 does not ask whether the segment is new: after a time-out it repairs in this way.
    fn transmit_limited(&mut self, now: Instant, count: u32, out: &mut Outbox) {
        if self.is_paced() && self.next < self.window_end(0.0) {
            // What the window allows waits for its time.
            return;
        }
        if self.next < self.sent_end && !self.limited_retransmit {
            return;
        }
        let known_end = self.sent_end.max(self.window_end(0.0));
        let end = self.window_end(f64::from(count));
        // What waits to be a bundle goes with it.
        let most = 1 + self.bundles.as_ref().map_or(0, Bundles::waiting);
        self.begin_bundle(most.min(end.saturating_sub(self.next)));
        for _ in 0..most {
            if self.send_missing(now, end, out) && self.sent_end > known_end {
                self.recovery.note_limited();
            }
        }
    }

    fn begin_recovery(&mut self, now: Instant, cut: Cut, out: &mut Outbox) {
        let before = self.window;
        let reduced = match cut {
            Cut::Whole => {
                let flight = self.flight_at_loss();
                self.rule.on_loss(flight, &mut self.window);
                if let (Some(cwv), Some(srtt)) = (&mut self.validation, self.rtt.srtt()) {
                    cwv.on_loss(now, &before, flight, self.counts.retransmitted, &mut self.window, srtt);
                }
                true
            }
            Cut::Rest => self.cut_rest(),
        };
        self.settle();
        self.recovery.end_with_at_most(self.rule.most_after_recovery(&self.window));
        self.recovery.begin_reduction(self.sent_end, &mut self.window);
        if reduced {
            self.note_reduced();
            self.cwr_pending = true;
            self.counts.loss_reductions += 1;
            let cause = Cause::Loss { sequence: self.snd_una };
            let event = Event::change(events::LOSS_REDUCTION, before.cwnd, self.window.cwnd, cause);
            out.event(event.with(self.windows_since(&before)));
        }
        self.send_segment(now, self.snd_una, out);
        self.timer = now + self.rtt.rto();
    }

    /// Brings the reduction made for a mark to that for a loss; says whether anything was missing.
    pub(super) fn cut_rest(&mut self) -> bool {
        let missing = self.echo.loss();
        if missing < 1.0 {
            self.settle();
            self.rule.on_further_mark(missing, &mut self.window);
        }
        missing < 1.0
    }

    /// The segments outstanding, as the reduction for a loss counts them.
    fn flight_at_loss(&self) -> u32 {
        // RFC 5681 section 3.2 step 2: what limited transmit has added does not count.
        let flight = (self.sent_end - self.snd_una) as u32 - self.recovery.limited();
        // The jitter stands for the time that a host takes to send: what it holds back has the window's leave already,
        // as has what waits to be a bundle.
        let waits = self.bundles.as_ref().is_some_and(|bundles| bundles.waiting() > 0);
        if self.send_at != Instant::FAR_FUTURE || waits {
            flight.max(self.window_end(0.0).saturating_sub(self.snd_una) as u32)
        } else {
            flight
        }
    }

    /// A congestion echo: answered as `LossRecovery::on_echo` says.
    fn on_echo(&mut self, now: Instant, ack: u64, level: Ecn, out: &mut Outbox) {
        let before = self.window;
        match self.recovery.on_echo(ack, self.sent_end) {
            EchoAnswer::None => return,
            EchoAnswer::First if self.echo.holds() && before.cwnd <= 1.0 => {
                let doublings = self.echo.begin_hold();
                self.state = State::Held;
                self.timer = now + self.rtt.rto_doubled(doublings);
            }
            EchoAnswer::First => {
                let factor = self.echo.first(level);
                self.settle();
                if let (Some(cwv), Some(srtt)) = (&mut self.validation, self.rtt.srtt()) {
                    cwv.before_mark(now, (self.sent_end - self.snd_una) as u32, &mut self.window, srtt);
                }
                self.rule.on_mark(factor, &mut self.window);
            }
            EchoAnswer::Further => match self.echo.further(level) {
                Some(factor) => {
                    self.settle();
                    self.rule.on_further_mark(factor, &mut self.window);
                }
                None => return,
            },
        }
        self.settle();
        self.note_reduced();
        self.cwr_pending = true;
        // RFC 9406 section 4.2: a mark ends slow start.
        self.hystart = None;
        self.counts.ecn_reductions += 1;
        let cause = Cause::Mark { sequence: ack, level };
        let event = Event::change(events::reduction(level), before.cwnd, self.window.cwnd, cause);
        out.event(event.with(self.windows_since(&before)));
    }

    /// A new round-trip time if this ACK gives one.
    #[inline]
    fn measure(&mut self, arrived: Instant, ack: u64, echoed_stamp_us: u32) -> Option<Duration> {
        let measured =
            if self.timestamps { since_stamp(arrived, echoed_stamp_us) } else { self.timed.take(ack, arrived) };
        self.sample(arrived, measured)
    }
}
