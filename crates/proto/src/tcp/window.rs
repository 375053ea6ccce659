//! The congestion window: the variables that a window rule works on, what it may know, and what it answers.

use crate::time::{Duration, Instant};

/// The variables that a rule works on, in segments.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Congestion window, at least 1.
    pub cwnd: f64,
    /// Slow-start threshold.
    pub ssthresh: f64,
    /// The receiver's window; neither more than this is sent nor does `cwnd` grow above it.
    pub wnd: f64,
}

/// Reno's arithmetic, from which the rules start.
impl Window {
    /// Growth by an ACK, for the segments that count: in slow start by one for each, in congestion avoidance by one for
    /// as many as the window has (RFC 5681 section 3.1, RFC 3465 sections 2.1 and 2.2).
    ///
    /// In slow start it is what as many ACKs of one segment would give: what has brought the window to the threshold,
    /// or less than a segment beyond it, does not count again.
    #[inline]
    pub fn grow(&mut self, ack: &Ack) {
        if self.cwnd >= self.ssthresh {
            return self.avoid(ack.credit.avoidance.into());
        }
        let credit = f64::from(ack.credit.slow_start);
        let steps = (self.ssthresh - self.cwnd).ceil().min(credit);
        self.cwnd += steps;
        if steps < credit {
            self.avoid(credit - steps);
        }
    }

    /// Growth in congestion avoidance. No more than a segment, whatever is acknowledged at once: "cwnd MUST NOT be
    /// increased by more than SMSS bytes per RTT" (RFC 5681 section 3.1).
    #[inline]
    fn avoid(&mut self, segments: f64) {
        self.cwnd += (segments / self.cwnd).min(1.0);
    }

    /// After a loss: both variables become half of the window, the threshold at least 2. RFC 5681 eq. (4) does not
    /// round; nor do we, though ns-2 cuts the threshold (not the window) to whole segments.
    ///
    /// The equation halves the flight, ns-2 (and we) the window; for a source that always has data they are equal,
    /// except right after a recovery.
    pub fn halve(&mut self) {
        let half = self.cwnd.min(self.wnd) / 2.0;
        self.ssthresh = half.max(MIN_SSTHRESH);
        self.cwnd = half.max(1.0);
    }

    /// After a time-out: threshold as after a loss, window one segment (RFC 5681 section 3.1, LW).
    pub fn collapse(&mut self) {
        self.halve();
        self.cwnd = 1.0;
    }

    /// After a congestion echo: the window shrinks to `factor`, the threshold follows, so slow start is over.
    pub fn scale(&mut self, factor: f64) {
        let scaled = self.cwnd.min(self.wnd) * factor;
        self.cwnd = scaled.max(1.0);
        self.ssthresh = scaled.max(MIN_SSTHRESH);
    }
}

/// The least slow-start threshold, segments (RFC 5681 eq. (4)).
pub const MIN_SSTHRESH: f64 = 2.0;

/// What a rule sees of an acknowledgement.
#[derive(Clone, Copy, Debug)]
pub struct Ack {
    /// When it arrived, on the sender's clock; perhaps a little before the one that was handed in before it.
    pub arrived: Instant,
    /// Segments acknowledged for the first time; 0 for a duplicate ACK.
    pub newly_acked: u32,
    /// Segments still outstanding.
    pub flight: u32,
    /// The round-trip time, if this ACK measured one.
    pub rtt: Option<Duration>,
    /// The smoothed round-trip time, once there is one.
    pub srtt: Option<Duration>,
    /// For how many segments it lets the window grow.
    pub credit: Credit,
}

/// For how many segments an ACK of new data lets the window grow (RFC 3465 section 2), as the machine counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credit {
    /// Segments that count in slow start.
    pub slow_start: u32,
    /// Segments that count in congestion avoidance.
    pub avoidance: u32,
}

impl Credit {
    /// What an ACK counts where ACKs are counted and not what they acknowledge.
    pub const ONE: Credit = Credit::of(1);

    /// As many segments in slow start as in congestion avoidance.
    pub const fn of(segments: u32) -> Credit {
        Credit { slow_start: segments, avoidance: segments }
    }
}

/// How losses are repaired.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    crate::declared::Serialize,
    crate::declared::Deserialize,
    crate::declared::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Recovery {
    /// One segment; over with the first new ACK.
    Reno,
    /// One segment per round trip until everything sent before the loss is there (RFC 6582).
    NewReno,
    /// Everything that SACK blocks show to be lost, as fast as the window allows (RFC 6675).
    Sack,
}

/// A way of choosing the window. The defaults are those of Reno.
pub trait WindowRule {
    /// How losses are repaired unless the configuration says otherwise.
    fn recovery(&self) -> Recovery {
        Recovery::NewReno
    }

    /// Whether the first slow start ends by HyStart++ unless the configuration says otherwise.
    fn hystart(&self) -> bool {
        false
    }

    /// Whether its window may be counted in whole segments, if the configuration asks for it: not where the rule keeps
    /// a window with parts of its own.
    fn may_count_whole_segments(&self) -> bool {
        true
    }

    /// Whether an ACK lets the window grow for each segment that it acknowledges, rather than for one, unless the
    /// configuration says otherwise.
    fn byte_counting(&self) -> bool {
        true
    }

    /// The handshake is over, if there was one, and has measured this; the window is that of the beginning. A window
    /// that began with a lost SYN is one segment whatever is done here.
    fn on_open(&mut self, _srtt: Option<Duration>, _window: &mut Window) {}

    /// What a mark of plain ECN multiplies the window by: half, as for a single dropped packet (RFC 3168 section
    /// 6.1.2).
    fn mark_factor(&self) -> f64 {
        0.5
    }

    /// Sees every ACK, duplicates included, before anything else is done about it: for estimators.
    #[inline]
    fn observe(&mut self, _ack: &Ack, _window: &mut Window) {}

    /// Lets the window grow: on an ACK of new data outside a recovery that echoes no congestion. The machine limits
    /// the result to `wnd`.
    #[inline]
    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        window.grow(ack);
    }

    /// Shrinks the window when a loss has been found by duplicate ACKs or SACK; `flight` segments are outstanding (or,
    /// of what the window allows, about to be sent when the jitter has passed), those of limited transmit not counted.
    fn on_loss(&mut self, _flight: u32, window: &mut Window) {
        window.halve();
    }

    /// Shrinks the window when the retransmission timer has expired; `flight` segments were outstanding.
    fn on_timeout(&mut self, _flight: u32, window: &mut Window) {
        window.collapse();
    }

    /// Answers a congestion echo that asks for a reduction to `factor` of the window: for RFC 3168
    /// [`mark_factor`](Self::mark_factor), with multilevel ECN what the level asks for.
    fn on_mark(&mut self, factor: f64, window: &mut Window) {
        window.scale(factor);
    }

    /// A higher level, or a loss, in a window of data that a mark has reduced: what is missing to its reduction. By
    /// default as any mark.
    fn on_further_mark(&mut self, factor: f64, window: &mut Window) {
        self.on_mark(factor, window);
    }

    /// The retransmission timer has expired in a window of data that a mark has reduced: the threshold stays, the
    /// window becomes one segment (RFC 3168 section 6.1.2), whatever is done here.
    fn on_timeout_after_mark(&mut self) {}

    /// The most with which a recovery may end that begins with this window, already reduced. Those of Reno and NewReno
    /// end with the threshold, or this if it is less.
    fn most_after_recovery(&self, _window: &Window) -> f64 {
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(slow_start: u32, avoidance: u32) -> Ack {
        let credit = Credit { slow_start, avoidance };
        Ack { arrived: Instant::ZERO, newly_acked: avoidance, flight: 9, rtt: None, srtt: None, credit }
    }

    fn window(cwnd: f64, ssthresh: f64) -> Window {
        Window { cwnd, ssthresh, wnd: 100.0 }
    }

    #[test]
    fn growth_by_hand() {
        let mut w = window(3.0, 4.0);
        w.grow(&ack(1, 1));
        assert_eq!(w.cwnd, 4.0);
        w.grow(&ack(1, 1));
        assert_eq!(w.cwnd, 4.25);
    }

    #[test]
    fn growth_counts_segments_by_hand() {
        let grown = |cwnd, ssthresh, slow_start, avoidance| {
            let mut w = window(cwnd, ssthresh);
            w.grow(&ack(slow_start, avoidance));
            w.cwnd
        };
        // Congestion avoidance: 2 of 8; a window of fractions; all of the window, and more than that, are one segment.
        assert_eq!([grown(8.0, 8.0, 1, 2), grown(2.5, 2.0, 1, 2)], [8.25, 3.3]);
        assert_eq!([grown(8.0, 8.0, 1, 8), grown(8.0, 8.0, 1, 1000), grown(1.0, 1.0, 1, 3)], [9.0, 9.0, 2.0]);
        // Slow start, by its own count.
        assert_eq!([grown(8.0, 64.0, 1, 5), grown(8.0, 64.0, 2, 5), grown(8.0, 64.0, 5, 5)], [9.0, 10.0, 13.0]);
        // Across the threshold: of four two bring the window to it, or beyond it by less than a segment.
        assert_eq!([grown(6.0, 8.0, 4, 4), grown(6.5, 8.0, 4, 4)], [8.25, 8.5 + 2.0 / 8.5]);
        // What does not count in slow start does not after it either.
        assert_eq!([grown(7.0, 8.0, 1, 4), grown(7.5, 8.0, 1, 4)], [8.0, 8.5]);
    }

    #[test]
    fn reductions_by_hand() {
        let mut w = window(7.5, 64.0);
        w.halve();
        assert_eq!((w.cwnd, w.ssthresh), (3.75, 3.75));
        let mut w = window(7.5, 64.0);
        w.collapse();
        assert_eq!((w.cwnd, w.ssthresh), (1.0, 3.75));
        let mut w = window(2.0, 64.0);
        w.scale(0.8);
        assert_eq!((w.cwnd, w.ssthresh), (1.6, 2.0));
        w.scale(0.5);
        assert_eq!((w.cwnd, w.ssthresh), (1.0, 2.0));
        let mut w = window(150.0, 64.0);
        w.halve();
        assert_eq!((w.cwnd, w.ssthresh), (50.0, 50.0));
    }
}
