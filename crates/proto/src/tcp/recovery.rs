//! Loss recovery: fast retransmit and fast recovery of Reno (RFC 5681 section 3.2), NewReno (RFC 6582) and SACK
//! (RFC 6675), and the retransmission time-out.

use super::FullAck;
use super::rule::{Recovery, WindowRule};
use super::sender::Sender;
use super::state::{LastCut, State};
use crate::endpoint::{Event, Outbox};
use crate::time::Instant;

impl Sender {
    /// Begins a recovery if the duplicate ACK just counted shows a loss that is to be repaired that way; says whether.
    pub(super) fn try_recovery(&mut self, now: Instant, out: &mut Outbox) -> bool {
        let (shows_loss, new_window) = match self.recovery {
            // RFC 6582 section 3.2 step 2 and section 4: one recovery per window of data; the ACK must cover more
            // than `recover`. Reno is given the same care (ns-2 `bugfix_`).
            Recovery::Reno | Recovery::NewReno => (self.dupacks == self.dupthresh, self.snd_una > self.recover_end),
            // RFC 6675 section 5: HighACK must have reached RecoveryPoint.
            Recovery::Sack => {
                let shows_loss = self.dupacks >= self.dupthresh || self.scoreboard.is_lost(self.snd_una);
                (shows_loss, self.snd_una >= self.recover_end)
            }
        };
        if !shows_loss {
            return false;
        }
        let before = self.window.cwnd;
        let reduced = if new_window || self.last_cut == LastCut::None {
            self.rule.on_loss(self.flight_at_loss(), &mut self.window);
            self.recover_end = self.sent_end;
            true
        } else if self.last_cut == LastCut::Echo {
            // The window of data in which the loss fell has already been reduced because of a mark.
            let missing = self.echo.loss();
            if missing < 1.0 {
                self.rule.on_mark(missing, &mut self.window);
            }
            missing < 1.0
        } else {
            // The time-out repairs this loss.
            return false;
        };
        self.last_cut = LastCut::Loss;
        if reduced {
            self.cwr_pending = true;
            self.loss_reductions += 1;
            out.event(Event::LossReduction { before, after: self.window.cwnd });
        }
        self.state = State::Recovery { inflation: f64::from(self.dupthresh), partial_ack: false };
        if self.recovery == Recovery::Sack {
            self.scoreboard.begin_recovery();
            self.scoreboard.mark_retransmitted(self.snd_una);
        }
        self.send_segment(now, self.snd_una, out);
        self.timer = now + self.rtt.rto();
        true
    }

    /// The segments outstanding, as the reduction for a loss counts them.
    fn flight_at_loss(&self) -> u32 {
        // RFC 5681 section 3.2 step 2: what limited transmit has added does not count.
        let flight = (self.sent_end - self.snd_una) as u32 - self.limited;
        // The jitter stands for the time that a host takes to send: what it holds back has the window's leave already.
        if self.opportunity_pending() {
            flight.max(self.window_end(0.0).saturating_sub(self.snd_una) as u32)
        } else {
            flight
        }
    }

    /// New data, `newly_acked` segments, acknowledged in a recovery; says whether the retransmission timer restarts.
    pub(super) fn advance_recovery(&mut self, now: Instant, newly_acked: u32, out: &mut Outbox) -> bool {
        let complete = self.snd_una >= self.recover_end;
        match self.recovery {
            Recovery::Reno => {
                self.window.cwnd = self.window.ssthresh;
                self.state = State::Open;
                true
            }
            Recovery::NewReno if complete => {
                // RFC 6582 section 3.2 step 3.
                self.window.cwnd = match self.full_ack {
                    FullAck::Ssthresh => self.window.ssthresh,
                    FullAck::Flight => {
                        let flight = self.sent_end - self.snd_una;
                        self.window.ssthresh.min(flight.max(1) as f64 + 1.0)
                    }
                };
                self.state = State::Open;
                true
            }
            Recovery::NewReno => self.on_partial_ack(now, newly_acked, out),
            Recovery::Sack => {
                if complete {
                    self.scoreboard.end_recovery();
                    self.state = State::Open;
                }
                true
            }
        }
    }

    /// RFC 6582 section 3.2 step 3, partial acknowledgement: the next segment is lost, too. The window is deflated by
    /// what was acknowledged, less one for the retransmission. Only the first one restarts the timer.
    fn on_partial_ack(&mut self, now: Instant, newly_acked: u32, out: &mut Outbox) -> bool {
        let State::Recovery { inflation, partial_ack } = &mut self.state else {
            unreachable!("partial ACKs exist in recovery only")
        };
        let deflation = f64::from(newly_acked);
        if *inflation > deflation {
            *inflation -= deflation - 1.0;
        } else {
            self.window.cwnd = (self.window.cwnd - (deflation - *inflation)).max(1.0);
            *inflation = 1.0;
        }
        let first = !core::mem::replace(partial_ack, true);
        self.send_segment(now, self.snd_una, out);
        first
    }

    /// Whether the SACK sender may put another segment into the network (RFC 6675 section 5 step C).
    pub(super) fn pipe_has_room(&self) -> bool {
        self.window.cwnd - self.scoreboard.pipe(self.sent_end) as f64 >= 1.0
    }

    /// Whether NextSeg names a segment (RFC 6675 section 4).
    pub(super) fn scoreboard_names_one(&self) -> bool {
        self.scoreboard.next_lost().is_some() || self.has_new() || self.scoreboard.next_hole().is_some()
    }

    /// Sends the segment that NextSeg names (RFC 6675 section 4, rules 1 to 3); says whether there was one.
    pub(super) fn send_by_scoreboard(&mut self, now: Instant, out: &mut Outbox) -> bool {
        let lost = self.scoreboard.next_lost();
        if lost.is_none() && self.has_new() {
            debug_assert_eq!(self.next, self.sent_end, "a recovery begins beyond what a time-out goes back over");
            self.send_next(now, out);
            return true;
        }
        let Some(segment) = lost.or_else(|| self.scoreboard.next_hole()) else { return false };
        self.scoreboard.mark_retransmitted(segment);
        self.send_segment(now, segment, out);
        true
    }

    /// The retransmission timer has expired with data outstanding: RFC 6298 (5.4) to (5.6), RFC 5681 section 3.1, and
    /// back to `snd_una`.
    pub(super) fn on_retransmission_timeout(&mut self, now: Instant, out: &mut Outbox) {
        self.count_timeout(out);
        if self.last_cut == LastCut::Echo && self.snd_una < self.recover_end {
            // RFC 3168 section 6.1.2, ns-2: the threshold has already been lowered in this window of data, because of a
            // mark. The segment at `recover_end` was sent after that, with CWR: its loss is congestion anew.
            let missing = self.echo.loss();
            if missing < 1.0 {
                self.rule.on_mark(missing, &mut self.window);
            }
            self.window.cwnd = 1.0;
        } else {
            self.rule.on_timeout((self.sent_end - self.snd_una) as u32, &mut self.window);
        }
        self.last_cut = LastCut::Timeout;
        self.cwr_pending = true;
        self.recover_end = self.sent_end;
        self.dupacks = 0;
        self.limited = 0;
        self.state = State::Open;
        self.scoreboard.end_recovery();
        self.rtt.back_off();
        self.next = self.snd_una;
        self.send_next(now, out);
    }
}
