//! What the windows let go, and sending it.

use super::Sender;
use crate::endpoint::Outbox;
use crate::packet::{Ecn, INITIAL_TTL, Packet};
use crate::tcp::bundles::Room;
use crate::tcp::header::Header;
use crate::tcp::number::on_wire;
use crate::tcp::recovery::{Bound, NextSegment};
use crate::tcp::state::State;
use crate::time::{Duration, Instant};

impl Sender {
    /// Something may have become sendable: sends it, or lets the host's jitter pass first (ns-2 `overhead_`).
    #[inline]
    pub(super) fn use_opportunity(&mut self, now: Instant, out: &mut Outbox) {
        if self.is_paced() {
            self.use_opportunity_paced(now, out);
        } else if self.jitter == Duration::ZERO {
            self.send_allowed(now, out);
        } else if self.send_at == Instant::FAR_FUTURE && self.may_send() {
            self.send_at = now + self.jitter.mul_f64(self.random.uniform());
        }
    }

    /// Whether segments wait for their time. Before there is a round-trip time there is no pace: opportunities, and the
    /// bound on bursts, are then as without one.
    pub(super) fn is_paced(&self) -> bool {
        self.pace.is_on() && self.rtt.srtt().is_some()
    }

    /// The same if segments are paced: what may go goes, what is left waits for its time, and the jitter after that.
    fn use_opportunity_paced(&mut self, now: Instant, out: &mut Outbox) {
        if self.send_at != Instant::FAR_FUTURE {
            return;
        }
        if self.jitter == Duration::ZERO && self.pace.ready(now) <= now {
            self.send_allowed(now, out);
        }
        if self.may_send() {
            self.send_at = self.pace.ready(now) + self.jitter.mul_f64(self.random.uniform());
        } else {
            self.pace.rest();
        }
    }

    /// Sends everything that the window, and the bound on bursts, allows.
    #[inline]
    pub(super) fn send_allowed(&mut self, now: Instant, out: &mut Outbox) {
        if self.state != State::Running {
            return;
        }
        match self.recovery.bound() {
            Bound::Window { inflation } => self.send_window(now, inflation, out),
            Bound::Pipe => {
                let mut allowed = self.max_burst;
                while allowed > 0 && self.pace.allows(now) && self.pipe_has_room() && self.send_by_scoreboard(now, out)
                {
                    allowed -= 1;
                }
            }
        }
    }

    /// Sends the segment that NextSeg names; says whether there was one.
    fn send_by_scoreboard(&mut self, now: Instant, out: &mut Outbox) -> bool {
        match self.recovery.take_next_segment(self.has_new(), self.sent_end) {
            Some(NextSegment::New) => {
                debug_assert_eq!(self.next, self.sent_end, "a recovery begins beyond what a time-out goes back over");
                if self.bundles.is_some() {
                    let room = self.recovery.window(self.window.cwnd) - self.recovery.pipe(self.sent_end) as f64;
                    let left = (self.snd_una + self.wnd).min(self.limit) - self.next;
                    self.begin_bundle(left.min(room as u64));
                }
                self.send_next(now, out);
            }
            Some(NextSegment::Again(segment) | NextSegment::Rescue(segment)) => self.send_segment(now, segment, out),
            None => return false,
        }
        true
    }

    /// Whether the SACK sender may put another segment into the network (RFC 6675 section 5 step C).
    fn pipe_has_room(&self) -> bool {
        self.recovery.window(self.window.cwnd) - self.recovery.pipe(self.sent_end) as f64 >= 1.0
    }

    #[inline]
    fn send_window(&mut self, now: Instant, inflation: f64, out: &mut Outbox) {
        let end = self.window_end(inflation);
        let mut allowed = self.max_burst;
        while self.next < end && allowed > 0 && self.pace.allows(now) {
            if self.waits_for_more(now, end, allowed) {
                break;
            }
            if !self.send_missing(now, end, out) {
                break;
            }
            allowed -= 1;
        }
    }

    /// Whether the next segment waits for others to go with it. If not, at most so many begin a bundle with it, unless
    /// it belongs to one.
    #[inline]
    fn waits_for_more(&mut self, now: Instant, end: u64, allowed: u32) -> bool {
        if self.bundles.is_none() || self.next < self.sent_end || self.is_paced() {
            return false;
        }
        let repairing = self.recovery.is_repairing() || self.recovery.repairs_after_timeout(self.snd_una);
        let room = Room { segments: end - self.next, more: end < self.limit, repairing };
        let (window, srtt) = (&self.window, self.rtt.srtt());
        let waits = self.bundles.as_mut().is_some_and(|bundles| bundles.wait(now, room, window, srtt));
        if !waits {
            self.begin_bundle(room.segments.min(allowed.into()));
        }
        waits
    }

    /// A new segment is next, and so many may go now.
    #[inline]
    pub(super) fn begin_bundle(&mut self, segments: u64) {
        let is_paced = self.is_paced();
        if let Some(bundles) = self.bundles.as_mut().filter(|_| !is_paced) {
            bundles.begin(segments, &self.window, self.rtt.srtt());
        }
    }

    /// Sends the next segment below `end`; says whether there is one. After a time-out the sender goes back, but not
    /// over what has been SACKed.
    #[inline]
    pub(super) fn send_missing(&mut self, now: Instant, end: u64, out: &mut Outbox) -> bool {
        if self.next < self.sent_end {
            self.next = self.recovery.first_missing(self.next);
        }
        let is_one = self.next < end;
        if is_one {
            self.send_next(now, out);
        }
        is_one
    }

    /// One past the last segment that the window allows.
    #[inline]
    pub(super) fn window_end(&self, inflation: f64) -> u64 {
        let window = (self.window.cwnd + inflation).min(self.window.wnd) as u64;
        (self.snd_una + window).min(self.limit)
    }

    /// Whether [`send_allowed`](Self::send_allowed) would send anything.
    fn may_send(&self) -> bool {
        self.state == State::Running
            && match self.recovery.bound() {
                Bound::Window { inflation } => self.next < self.window_end(inflation),
                Bound::Pipe => {
                    self.pipe_has_room() && self.recovery.next_segment(self.has_new(), self.sent_end).is_some()
                }
            }
    }

    /// Whether a segment never sent is left and within the receiver's window.
    fn has_new(&self) -> bool {
        let within_wnd = self.snd_una + self.wnd;
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
        let (mut window_reduced, mut push) = (false, false);
        let mut ecn = self.template.ecn;
        if retransmission {
            self.counts.retransmitted += 1;
            if !self.ecn_retransmissions {
                ecn = Ecn::NotCapable;
            }
            self.timed.abandon();
            self.hystart = None;
        } else {
            self.sent_end = segment + 1;
            self.timed.start(segment, now);
            if let Some(hystart) = &mut self.hystart {
                hystart.sent(now);
            }
            window_reduced = core::mem::take(&mut self.cwr_pending) && ecn != Ecn::NotCapable;
            if let Some(bundles) = &mut self.bundles {
                push = bundles.send(now, segment);
            }
        }
        let Packet { flow, source, destination, size, .. } = self.template;
        let header = Header::Data { sequence: on_wire(segment), window_reduced, retransmission, push }.into();
        out.send(Packet { sent: now, flow, source, destination, size, ttl: INITIAL_TTL, ecn, header });
        self.counts.sent += 1;
        if let Some(increase) = &mut self.increase {
            increase.outstanding(self.sent_end - self.snd_una);
        }
        self.pace.sent(now, self.rtt.srtt(), &self.window, self.recovery.window_after(&self.window));
        if self.timer == Instant::FAR_FUTURE {
            // RFC 6298 (5.1).
            self.timer = now + self.rtt.rto();
        }
    }

    /// Whether there is data that the congestion window, but not `wnd`, lets go.
    #[inline]
    pub(super) fn is_held_by_wnd(&self) -> bool {
        let wnd_is_used = self.next >= self.snd_una + self.wnd;
        wnd_is_used && self.next < self.limit && self.cwnd_has_room()
    }

    /// Whether the congestion window lets a segment go when `wnd` is in use. It does not grow above `wnd`: as large, it
    /// would.
    fn cwnd_has_room(&self) -> bool {
        self.state == State::Running
            && match self.recovery.bound() {
                Bound::Window { inflation } => self.window.cwnd + inflation >= self.window.wnd,
                Bound::Pipe => {
                    self.pipe_has_room() && self.recovery.next_segment(true, self.sent_end) == Some(NextSegment::New)
                }
            }
    }
}
