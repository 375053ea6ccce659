//! Loss recovery: fast retransmit and fast recovery of Reno (RFC 5681 section 3.2), NewReno (RFC 6582) and SACK
//! (RFC 6675). What has been heard of losses is kept here, and what follows from it said; to send, to reduce the window
//! and to run the timer is the sender's business.
//!
//! Numbers of segments are half-open: `sent_end` and `recover_end` are one past the segments that RFC 6582 calls
//! highest sent and `recover`. So an ACK covers everything up to `recover` if `ack >= recover_end`, and more than that
//! if `ack > recover_end`.

use super::config::{Config, FullAck};
use super::header::SackBlock;
use super::rate_reduction::{Delivery, RateReduction};
use super::scoreboard::Scoreboard;
use super::window::{Recovery, Window};

/// What a sender knows of losses, and which window of data it has answered last.
#[derive(Debug)]
pub struct LossRecovery {
    kind: Recovery,
    dupthresh: u32,
    full_ack: FullAck,
    holes_first: bool,
    rescue_retransmission: bool,
    reduces_rate: bool,
    dupacks: u32,
    /// Segments sent on the duplicate ACKs counted (RFC 3042).
    limited: u32,
    repair: Option<Repair>,
    last_cut: LastCut,
    /// One past the highest segment sent when the window was last reduced.
    recover_end: u64,
    scoreboard: Scoreboard,
    /// Before the last acknowledgement.
    before: Known,
}

/// What was known of segments at some time.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    una: u64,
    delivered: u64,
    lost_below: u64,
}

/// A recovery under way.
#[derive(Clone, Copy, Debug)]
struct Repair {
    /// Segments that duplicate ACKs show to have left the network, which new ones may replace (RFC 5681 section 3.2);
    /// not used with SACK.
    inflation: f64,
    /// A partial ACK has come (RFC 6582).
    partial_ack: bool,
    /// The most with which it ends, if the threshold is more.
    most_after: f64,
    /// One past the segment up to which an acknowledgement allows no rescue retransmission (RFC 6675 RescueRxt).
    rescue_end: u64,
    /// The window shrinks with what arrives.
    reduction: Option<RateReduction>,
}

/// Why the window was last reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastCut {
    None,
    Loss,
    Echo,
    Timeout,
}

/// What a duplicate ACK asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicate {
    /// Nothing but what the window allows.
    Nothing,
    /// It is one of the first, the `count`-th: limited transmit.
    Early {
        /// Duplicate ACKs so far.
        count: u32,
    },
    /// A recovery has begun: the window is to be reduced, the first segment not acknowledged to be sent again.
    Loss(Cut),
}

/// A reduction of the window for a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The whole.
    Whole,
    /// What is missing to it: the window of data in which the loss fell has been reduced because of a mark.
    Rest,
}

/// What an ACK of new data does to a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There is none.
    None,
    /// It goes on, or is over; the timer restarts.
    Advanced,
    /// The next segment is lost, too, and to be sent again.
    NextLost {
        /// The timer restarts.
        restart_timer: bool,
    },
}

/// Which answer a congestion echo asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EchoAnswer {
    /// None: it is of a window of data that has been answered.
    None,
    /// The first in a window of data.
    First,
    /// A further one, if its level is higher.
    Further,
}

/// What bounds sending.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    /// The window, enlarged by so many segments.
    Window {
        /// See [`Repair`].
        inflation: f64,
    },
    /// The segments in the network; [`LossRecovery::next_segment`] says what is to be sent (RFC 6675 section 5).
    Pipe,
}

/// What NextSeg names (RFC 6675 section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextSegment {
    /// Rule (2): one never sent.
    New,
    /// Rules (1) and (3): this one again.
    Again(u64),
    /// Rule (4): this one, the highest that is outstanding, again.
    Rescue(u64),
}

impl LossRecovery {
    /// Nothing lost yet; repairs go by `kind`.
    pub fn new(kind: Recovery, config: &Config) -> LossRecovery {
        LossRecovery {
            kind,
            dupthresh: config.dupthresh,
            full_ack: config.full_ack,
            holes_first: config.holes_first,
            rescue_retransmission: config.rescue_retransmission,
            reduces_rate: config.proportional_rate_reduction && kind == Recovery::Sack,
            dupacks: 0,
            limited: 0,
            repair: None,
            last_cut: LastCut::None,
            recover_end: 0,
            scoreboard: Scoreboard::new(config.dupthresh),
            before: Known::default(),
        }
    }

    /// Numbers the first segment `first`.
    #[cfg(test)]
    pub fn numbered_from(self, first: u64) -> LossRecovery {
        LossRecovery { recover_end: first, scoreboard: self.scoreboard.numbered_from(first), ..self }
    }

    /// Whether blocks tell what has arrived.
    #[inline]
    pub fn is_selective(&self) -> bool {
        self.kind == Recovery::Sack
    }

    /// Takes in the blocks of an ACK of everything below `ack`, and says whether they tell of a segment not known to
    /// have arrived.
    #[inline]
    pub fn take_blocks(&mut self, ack: u64, blocks: &[SackBlock], sent_end: u64) -> bool {
        if self.reduces_rate {
            let board = &self.scoreboard;
            self.before = Known { una: board.una(), delivered: board.delivered(), lost_below: board.lost_below() };
        }
        self.is_selective() && self.scoreboard.update(ack, blocks, sent_end)
    }

    /// New data, `newly_acked` segments below `ack`, has been acknowledged. The window is deflated, or becomes that
    /// after a recovery.
    #[inline]
    pub fn on_new_ack(&mut self, ack: u64, newly_acked: u32, sent_end: u64, window: &mut Window) -> Progress {
        self.forget_duplicates();
        match self.repair {
            None => Progress::None,
            Some(repair) => self.advance(repair, ack, newly_acked, sent_end, window),
        }
    }

    fn forget_duplicates(&mut self) {
        self.dupacks = 0;
        self.limited = 0;
    }

    fn advance(&mut self, repair: Repair, ack: u64, newly_acked: u32, sent_end: u64, window: &mut Window) -> Progress {
        let complete = ack >= self.recover_end;
        match self.kind {
            Recovery::Reno => {
                window.cwnd = window.ssthresh.min(repair.most_after);
                self.repair = None;
            }
            Recovery::NewReno if complete => {
                // RFC 6582 section 3.2 step 3.
                let after = window.ssthresh.min(repair.most_after);
                window.cwnd = match self.full_ack {
                    FullAck::Ssthresh => after,
                    FullAck::Flight => after.min((sent_end - ack).max(1) as f64 + 1.0),
                };
                self.repair = None;
            }
            Recovery::NewReno => {
                self.repair = Some(repair.after_partial_ack(newly_acked, window));
                return Progress::NextLost { restart_timer: !repair.partial_ack };
            }
            Recovery::Sack if complete => {
                self.repair = None;
            }
            Recovery::Sack => {}
        }
        Progress::Advanced
    }

    /// A duplicate ACK, which shows that a segment has arrived above `una`, the first one not acknowledged.
    pub fn on_duplicate(&mut self, una: u64, sent_end: u64) -> Duplicate {
        self.dupacks = self.dupacks.saturating_add(1);
        if let Some(repair) = &mut self.repair {
            // RFC 5681 section 3.2 step 4: each further one stands for a segment that has left the network.
            repair.inflation += 1.0;
            return Duplicate::Nothing;
        }
        if let Some(cut) = self.loss_shown(una) {
            self.begin(una, sent_end, cut);
            Duplicate::Loss(cut)
        } else if self.dupacks < self.dupthresh {
            Duplicate::Early { count: self.dupacks }
        } else {
            Duplicate::Nothing
        }
    }

    /// The reduction due if the duplicate ACKs counted show a loss that is to be repaired by a recovery.
    fn loss_shown(&self, una: u64) -> Option<Cut> {
        let (shows_loss, new_window) = match self.kind {
            // RFC 6582 section 3.2 step 2 and section 4: one recovery per window of data; the ACK must cover more
            // than `recover`. Reno is given the same care (ns-2 `bugfix_`).
            Recovery::Reno | Recovery::NewReno => (self.dupacks == self.dupthresh, una > self.recover_end),
            // RFC 6675 section 5: HighACK must have reached RecoveryPoint.
            Recovery::Sack => (self.dupacks >= self.dupthresh || self.scoreboard.is_lost(una), una >= self.recover_end),
        };
        match self.last_cut {
            _ if !shows_loss => None,
            _ if new_window => Some(Cut::Whole),
            LastCut::None => Some(Cut::Whole),
            LastCut::Echo => Some(Cut::Rest),
            // The time-out repairs this loss.
            LastCut::Loss | LastCut::Timeout => None,
        }
    }

    fn begin(&mut self, una: u64, sent_end: u64, cut: Cut) {
        if cut == Cut::Whole {
            self.recover_end = sent_end;
        }
        self.last_cut = LastCut::Loss;
        let inflation = f64::from(self.dupthresh);
        let repair =
            Repair { inflation, partial_ack: false, most_after: f64::INFINITY, rescue_end: una + 1, reduction: None };
        self.repair = Some(repair);
        if self.is_selective() {
            self.scoreboard.begin_recovery();
            self.scoreboard.mark_retransmitted(una);
        }
    }

    /// The recovery that has just begun ends with the threshold, but with no more than `most`.
    pub fn end_with_at_most(&mut self, most: f64) {
        if let Some(repair) = &mut self.repair {
            repair.most_after = most;
        }
    }

    /// The recovery has just begun with this window, already reduced, and its first segment is about to be sent again:
    /// if the window is to shrink with what arrives, it does from now on, to that with which the recovery ends (RFC
    /// 9937 section 6.4).
    pub fn begin_reduction(&mut self, sent_end: u64, window: &mut Window) {
        let Some(target) = self.window_after(window).filter(|_| self.reduces_rate) else { return };
        window.cwnd = target;
        let mut by = self.delivery(sent_end);
        // The segment that is about to be sent again counts already.
        by.inflight -= 1;
        let undelivered = sent_end - self.scoreboard.delivered();
        let mut reduction = RateReduction::begin(undelivered + by.delivered, by, target);
        reduction.on_sent();
        self.repair.iter_mut().for_each(|repair| repair.reduction = Some(reduction));
    }

    /// A segment sent for the first time, the last one, has not been sent.
    pub fn take_back_last(&mut self) {
        let reduction = self.repair.iter_mut().filter_map(|repair| repair.reduction.as_mut());
        reduction.for_each(RateReduction::take_back);
    }

    /// What the acknowledgement whose blocks were taken in last does to the window that shrinks with what arrives, to
    /// `cwnd`, if there was one before it.
    #[inline]
    pub fn reduce(&mut self, sent_end: u64, cwnd: f64) {
        if self.reduces_rate && self.repair.is_some() {
            let by = self.delivery(sent_end);
            let reduction = self.repair.iter_mut().filter_map(|repair| repair.reduction.as_mut());
            reduction.for_each(|reduction| reduction.on_ack(by, cwnd));
        }
    }

    /// What the last acknowledgement says to a reduction.
    fn delivery(&self, sent_end: u64) -> Delivery {
        let (board, before) = (&self.scoreboard, &self.before);
        Delivery {
            delivered: board.delivered().saturating_sub(before.delivered),
            inflight: board.pipe(sent_end),
            is_good: board.una() > before.una && !board.has_lost_from(before.lost_below),
        }
    }

    /// What may be in the network, segments, of a window of `cwnd`.
    #[inline]
    pub fn window(&self, cwnd: f64) -> f64 {
        let reduction = self.repair.and_then(|repair| repair.reduction);
        reduction.map_or(cwnd, |reduction| reduction.cwnd() as f64)
    }

    /// Limited transmit has sent a segment.
    pub fn note_limited(&mut self) {
        self.limited += 1;
    }

    /// The segments that limited transmit has sent since the last new ACK.
    pub fn limited(&self) -> u32 {
        self.limited
    }

    /// A congestion echo in an ACK of everything below `ack`: at most one answer per window of data (RFC 3168 section
    /// 6.1.2).
    ///
    /// The receiver echoes until the first segment with CWR arrives, which is that after `recover`; so even the ACK of
    /// `recover` itself still carries the old echo, and only one of more than `recover` a new one.
    pub fn on_echo(&mut self, ack: u64, sent_end: u64) -> EchoAnswer {
        match self.last_cut {
            _ if ack > self.recover_end => {}
            LastCut::None => {}
            LastCut::Echo => return EchoAnswer::Further,
            LastCut::Loss | LastCut::Timeout => return EchoAnswer::None,
        }
        self.recover_end = sent_end;
        self.last_cut = LastCut::Echo;
        EchoAnswer::First
    }

    /// The retransmission timer has expired with data from `una` on outstanding: what it was is forgotten but for
    /// SACKs.
    pub fn on_timeout(&mut self, una: u64, sent_end: u64) -> Cut {
        // RFC 3168 section 6.1.2, ns-2: the threshold has already been lowered in this window of data, because of a
        // mark. The segment at `recover_end` was sent after that, with CWR: its loss is congestion anew.
        let cut = if self.last_cut == LastCut::Echo && una < self.recover_end { Cut::Rest } else { Cut::Whole };
        self.last_cut = LastCut::Timeout;
        self.forget_duplicates();
        self.recover_end = sent_end;
        self.repair = None;
        cut
    }

    /// Whether losses are being repaired, other than after a time-out.
    pub fn is_repairing(&self) -> bool {
        self.repair.is_some()
    }

    /// Whether the window was last reduced by a time-out: if it is below the threshold, this is the slow start after
    /// it.
    #[inline]
    pub fn follows_timeout(&self) -> bool {
        self.last_cut == LastCut::Timeout
    }

    /// Whether an ACK of everything below `ack` can only be of data from before a time-out.
    #[inline]
    pub fn repairs_after_timeout(&self, ack: u64) -> bool {
        self.last_cut == LastCut::Timeout && ack <= self.recover_end
    }

    /// The window with which the recovery under way will end, as things stand; `None` if there is none.
    #[inline]
    pub fn window_after(&self, window: &Window) -> Option<f64> {
        self.repair.map(|repair| window.cwnd.max(window.ssthresh.min(repair.most_after)))
    }

    /// What bounds sending now.
    #[inline]
    pub fn bound(&self) -> Bound {
        match self.repair {
            None => Bound::Window { inflation: 0.0 },
            Some(_) if self.is_selective() => Bound::Pipe,
            Some(Repair { inflation, .. }) => Bound::Window { inflation },
        }
    }

    /// The segments thought to be in the network (RFC 6675 section 4).
    pub fn pipe(&self, sent_end: u64) -> u64 {
        self.scoreboard.pipe(sent_end)
    }

    /// The segment that NextSeg names, if `has_new` says whether one never sent is left.
    pub fn next_segment(&self, has_new: bool, sent_end: u64) -> Option<NextSegment> {
        if let Some(segment) = self.scoreboard.next_lost() {
            return Some(NextSegment::Again(segment));
        }
        let hole = || self.scoreboard.next_hole().map(NextSegment::Again);
        let new = has_new.then_some(NextSegment::New);
        let next = if self.holes_first { hole().or(new) } else { new.or_else(hole) };
        next.or_else(|| self.rescue(sent_end).map(NextSegment::Rescue))
    }

    /// NextSeg rule (4), once in a recovery, when more than the segment has been acknowledged with which it began.
    fn rescue(&self, sent_end: u64) -> Option<u64> {
        let rescue_end = self.repair.filter(|_| self.rescue_retransmission)?.rescue_end;
        if self.scoreboard.una() > rescue_end { self.scoreboard.last_unsacked(sent_end) } else { None }
    }

    /// Takes the [next segment](Self::next_segment), which is sent.
    pub fn take_next_segment(&mut self, has_new: bool, sent_end: u64) -> Option<NextSegment> {
        let next = self.next_segment(has_new, sent_end);
        if let (Some(_), Some(Repair { reduction: Some(reduction), .. })) = (next, &mut self.repair) {
            reduction.on_sent();
        }
        match (next, &mut self.repair) {
            (Some(NextSegment::Again(segment)), _) => self.scoreboard.mark_retransmitted(segment),
            (Some(NextSegment::Rescue(_)), Some(repair)) => repair.rescue_end = self.recover_end,
            _ => {}
        }
        next
    }

    /// The first segment from `segment` on that is not known to have arrived.
    pub fn first_missing(&self, segment: u64) -> u64 {
        if self.scoreboard.is_empty() { segment } else { self.scoreboard.first_unsacked(segment) }
    }
}

impl Repair {
    /// RFC 6582 section 3.2 step 3, partial acknowledgement: the next segment is lost, too. The window is deflated by
    /// what was acknowledged, less one for the retransmission.
    fn after_partial_ack(self, newly_acked: u32, window: &mut Window) -> Repair {
        let deflation = f64::from(newly_acked);
        let inflation = if self.inflation > deflation {
            self.inflation - (deflation - 1.0)
        } else {
            window.cwnd = (window.cwnd - (deflation - self.inflation)).max(1.0);
            1.0
        };
        Repair { inflation, partial_ack: true, ..self }
    }
}
