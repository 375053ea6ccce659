//! Windows that their application does not use: congestion window validation (RFC 7661), and how far such a window may
//! grow (draft-ietf-ccwg-ratelimited-increase).

use super::window::{Ack, Window};
use crate::time::{Duration, Instant};

/// Whether what was acknowledged lately validates the window, and what follows if it does not.
///
/// ```text
/// Validated: pipeACK >= cwnd / 2, or undefined ──▶ Non-validated: less
///      ▲                                                │
///      └── so much is acknowledged again; a loss, a mark, a time-out: pipeACK is undefined
/// ```
#[derive(Clone, Debug)]
pub(super) struct NewCwv {
    /// The sample in progress: what had been acknowledged when it began, and when that was.
    begun: Option<(u64, Instant)>,
    /// The highest samples of the latest parts of the sampling period, each with the beginning of its part; the newest
    /// last.
    samples: [Option<(Instant, f64)>; PARTS + 1],
    /// When the window was last known to be validated.
    validated_at: Instant,
    /// Since when it is not, or when its last non-validated period ended.
    since: Option<Instant>,
    /// A recovery under way that began when the window was not validated: what it ends with is half of this, segments
    /// repaired taken off, and how many had been sent again before.
    loss: Option<(f64, u64)>,
}

/// "Divide the pipeACK Sampling Period into several (e.g., five) equal-length measurement periods" (section 4.5.1).
const PARTS: usize = 5;
/// The pipeACK Sampling Period is "Max(3*RTT, 1 second)" (section 4.2).
const PERIOD_RTTS: u64 = 3;
const LEAST_PERIOD: Duration = Duration::from_secs(1);
/// The non-validated period, NVP: "a period of five minutes was chosen" (section 5).
pub(super) const NVP: Duration = Duration::from_secs(300);

impl NewCwv {
    /// Of a connection that begins: validated, pipeACK undefined (section 4.1).
    pub fn new() -> NewCwv {
        NewCwv { begun: None, samples: [None; PARTS + 1], validated_at: Instant::ZERO, since: None, loss: None }
    }

    /// An ACK outside a recovery: what had been acknowledged before it. A sample is what is acknowledged in a
    /// round-trip time (section 4.2).
    pub fn acknowledged(&mut self, at: Instant, una_before: u64, srtt: Duration) {
        let Some((from, begun)) = self.begun else {
            self.begun = Some((una_before, at));
            return;
        };
        if at.since(begun) >= srtt {
            // Of a pause in between it is none.
            self.record(begun + srtt, una_before.saturating_sub(from) as f64, srtt);
            self.begun = Some((una_before, at));
        }
    }

    fn record(&mut self, at: Instant, sample: f64, srtt: Duration) {
        let part = Duration(period(srtt).0 / PARTS as u64);
        match &mut self.samples[PARTS] {
            Some((start, highest)) if at.since(*start) < part => *highest = highest.max(sample),
            _ => {
                self.samples.rotate_left(1);
                self.samples[PARTS] = Some((at, sample));
            }
        }
    }

    /// pipeACK, segments: the highest sample of the period, 0 if there was none in it; nothing while it is undefined.
    pub fn pipe_ack(&self, now: Instant, srtt: Duration) -> Option<f64> {
        self.samples[PARTS]?;
        let recent = |sample: &(Instant, f64)| now.since(sample.0) < period(srtt);
        Some(self.samples.iter().flatten().filter(|sample| recent(sample)).map(|sample| sample.1).fold(0.0, f64::max))
    }

    /// Whether the window is validated (section 4.3). It is told each time that this may have changed.
    pub fn is_validated(&mut self, now: Instant, window: &Window, srtt: Duration) -> bool {
        let is_validated = self.pipe_ack(now, srtt).is_none_or(|pipe| 2.0 * pipe >= window.cwnd.min(window.wnd));
        if is_validated {
            (self.validated_at, self.since) = (now, None);
        } else if self.since.is_none() {
            self.since = Some((self.validated_at + period(srtt)).min(now));
        }
        is_validated
    }

    /// Whether this ACK may let the window grow: one that is not validated only if it was full (sections 4.4, 4.5.3).
    pub fn may_grow(&mut self, now: Instant, ack: &Ack, window: &Window, srtt: Duration) -> bool {
        let is_full = (ack.flight + ack.newly_acked) as f64 >= window.cwnd.min(window.wnd).floor();
        self.is_validated(now, window, srtt) || is_full
    }

    /// For each NVP that has passed without validation the threshold remembers the window, and that becomes half,
    /// `initial` at least (section 4.4.3). Whether one has.
    pub fn pass(&mut self, now: Instant, window: &mut Window, initial: f64, srtt: Duration) -> bool {
        if self.is_validated(now, window, srtt) {
            return false;
        }
        let mut reduced = false;
        while let Some(since) = self.since.filter(|since| now.since(*since) >= NVP) {
            window.ssthresh = window.ssthresh.max(0.75 * window.cwnd);
            let halved = (0.5 * window.cwnd).max(initial).min(window.cwnd);
            reduced |= halved < window.cwnd;
            self.since = Some(if halved == window.cwnd { now } else { since + NVP });
            window.cwnd = halved;
        }
        reduced
    }

    /// A loss has been found with so many segments outstanding, and the rule has shrunk what `before` was to `window`:
    /// one that was not validated becomes half of what was used, max(pipeACK, LossFlightSize) (section 4.4.1).
    /// `sent_again`: segments that had been sent again before.
    pub fn on_loss(
        &mut self,
        now: Instant,
        before: &Window,
        flight: u32,
        sent_again: u64,
        window: &mut Window,
        srtt: Duration,
    ) {
        if !self.is_validated(now, before, srtt) {
            let used = self.pipe_ack(now, srtt).unwrap_or(0.0).max(f64::from(flight));
            self.loss = Some((used, sent_again));
            (window.cwnd, window.ssthresh) = after_loss(used);
        }
    }

    /// A recovery is over: of a window that was not validated half of what was used and came through stays (section
    /// 4.4.1). pipeACK is undefined.
    pub fn recovered(&mut self, sent_again: u64, window: &mut Window) {
        if let Some((used, before)) = self.loss.take() {
            let (cwnd, ssthresh) = after_loss(used - sent_again.saturating_sub(before) as f64);
            (window.cwnd, window.ssthresh) = (window.cwnd.min(cwnd), ssthresh);
        }
        self.forget();
    }

    /// A mark has been echoed: the window that is to be reduced is no more than what was used. Not in the RFC, which
    /// speaks of losses.
    pub fn before_mark(&mut self, now: Instant, flight: u32, window: &mut Window, srtt: Duration) {
        if !self.is_validated(now, window, srtt) {
            let used = self.pipe_ack(now, srtt).unwrap_or(0.0).max(f64::from(flight));
            window.cwnd = window.cwnd.min(used.max(1.0));
        }
        self.forget();
    }

    /// The retransmission timer has expired: pipeACK is undefined.
    pub fn on_timeout(&mut self) {
        self.loss = None;
        self.forget();
    }

    fn forget(&mut self) {
        (self.begun, self.samples, self.since) = (None, [None; PARTS + 1], None);
    }
}

/// Window and threshold of half of what was used; the one at least a segment, the other as RFC 5681 has it.
fn after_loss(used: f64) -> (f64, f64) {
    (f64::max(0.5 * used, 1.0), f64::max(0.5 * used, super::window::MIN_SSTHRESH))
}

fn period(srtt: Duration) -> Duration {
    Duration(srtt.0.saturating_mul(PERIOD_RTTS)).max(LEAST_PERIOD)
}

/// How far a window may grow that is not full: to what an ACK of everything that was outstanding at once would make of
/// it (draft-ietf-ccwg-ratelimited-increase, Rate-Limited Increase).
#[derive(Clone, Copy, Debug)]
pub(super) struct RateLimitedIncrease {
    /// maxFS: the most segments outstanding since the window was last reduced.
    max_flight: f64,
}

impl RateLimitedIncrease {
    /// Of a connection with this initial window.
    pub fn new(initial: f64) -> RateLimitedIncrease {
        RateLimitedIncrease { max_flight: initial }
    }

    /// So many are outstanding now.
    pub fn outstanding(&mut self, flight: u64) {
        self.max_flight = self.max_flight.max(flight as f64);
    }

    /// The window has been reduced.
    pub fn reduced(&mut self) {
        self.max_flight = 0.0;
    }

    /// Bounds what `ack` has made of `before`: limit(maxFS) is 2 maxFS in slow start and maxFS + 1 in congestion
    /// avoidance. What is above that already stays: an ACK takes nothing away.
    pub fn bound(&self, ack: &Ack, before: &Window, window: &mut Window) {
        if f64::from(ack.flight + ack.newly_acked) < before.cwnd {
            let in_slow_start = before.cwnd < before.ssthresh;
            let limit = if in_slow_start { 2.0 * self.max_flight } else { self.max_flight + 1.0 };
            window.cwnd = window.cwnd.min(limit.max(before.cwnd));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::window::Credit;

    const RTT: Duration = Duration::from_millis(100);

    fn at(seconds: f64) -> Instant {
        Instant::from_secs_f64(seconds)
    }

    fn window(cwnd: f64, ssthresh: f64) -> Window {
        Window { cwnd, ssthresh, wnd: 1e9 }
    }

    fn ack(flight: u32, newly_acked: u32) -> Ack {
        Ack { arrived: Instant::ZERO, newly_acked, flight, rtt: None, srtt: None, credit: Credit::ONE }
    }

    /// One to whom so many segments a round-trip time have been acknowledged from `from_s` on, each second of them.
    fn after(rounds: u32, each: u64, from_s: f64) -> NewCwv {
        let mut cwv = NewCwv::new();
        for round in 0..=rounds {
            cwv.acknowledged(at(from_s + 0.1 * f64::from(round)), each * u64::from(round), RTT);
        }
        cwv
    }

    #[test]
    fn samples_are_of_a_round_trip_and_the_highest_of_the_period_counts() {
        assert_eq!(NewCwv::new().pipe_ack(at(1.0), RTT), None);
        assert_eq!(after(0, 8, 1.0).pipe_ack(at(1.0), RTT), None, "one ACK is no sample");
        let mut cwv = after(3, 8, 1.0);
        assert_eq!(cwv.pipe_ack(at(1.3), RTT), Some(8.0));
        // Within a round trip nothing new; then 2.
        cwv.acknowledged(at(1.35), 25, RTT);
        cwv.acknowledged(at(1.4), 26, RTT);
        assert_eq!(cwv.pipe_ack(at(1.4), RTT), Some(8.0));
        for round in 5..=20_u32 {
            cwv.acknowledged(at(1.0 + 0.1 * f64::from(round)), 26 + 2 * u64::from(round - 4), RTT);
        }
        // The period is a second, its parts 200 ms.
        assert_eq!(cwv.pipe_ack(at(3.0), RTT), Some(2.0));
        assert_eq!(cwv.pipe_ack(at(4.1), RTT), Some(0.0), "nothing for a period");
        // What was acknowledged before a pause is not of the time after it.
        let mut cwv = after(3, 8, 1.0);
        cwv.acknowledged(at(61.0), 32, RTT);
        assert_eq!(cwv.pipe_ack(at(61.0), RTT), Some(0.0));
        // Three round-trip times of a second.
        let long = Duration::from_secs(1);
        let mut cwv = NewCwv::new();
        for second in 0..3 {
            cwv.acknowledged(at(f64::from(second)), 10 * u64::from(second as u32), long);
        }
        assert_eq!([cwv.pipe_ack(at(4.9), long), cwv.pipe_ack(at(5.1), long)], [Some(10.0), Some(0.0)]);
    }

    #[test]
    fn half_of_the_window_validates_it() {
        let mut cwv = after(3, 8, 1.0);
        assert!(cwv.is_validated(at(1.3), &window(16.0, 4.0), RTT));
        assert!(!cwv.is_validated(at(1.3), &window(16.1, 4.0), RTT));
        assert!(NewCwv::new().is_validated(at(1.3), &window(1e6, 4.0), RTT), "undefined");
        // It grows only if it was full.
        let wide = window(20.9, 4.0);
        assert!(!cwv.may_grow(at(1.3), &ack(17, 2), &wide, RTT) && cwv.may_grow(at(1.3), &ack(18, 2), &wide, RTT));
        assert!(cwv.may_grow(at(1.3), &ack(1, 1), &window(16.0, 4.0), RTT));
    }

    #[test]
    fn a_window_lasts_five_minutes_and_then_a_half_of_it() {
        let mut cwv = after(3, 8, 1.0);
        let mut w = window(16.0, 4.0);
        assert!(!cwv.pass(at(1.3), &mut w, 2.0, RTT));
        // Validated until 1.3 s, so not since 2.3 s.
        assert!(!cwv.pass(at(302.2), &mut w, 2.0, RTT) && w.cwnd == 16.0 && w.ssthresh == 4.0);
        assert!(cwv.pass(at(302.4), &mut w, 2.0, RTT));
        assert_eq!((w.cwnd, w.ssthresh), (8.0, 12.0));
        assert!(!cwv.pass(at(602.2), &mut w, 2.0, RTT));
        // Two more have passed; the initial window is the least.
        assert!(cwv.pass(at(1202.0), &mut w, 3.0, RTT));
        assert_eq!((w.cwnd, w.ssthresh), (3.0, 12.0));
        assert!(!cwv.pass(at(1e9), &mut w, 3.0, RTT), "no less, and at once");
        assert_eq!(w.cwnd, 3.0);
    }

    #[test]
    fn a_loss_takes_back_what_was_not_used() {
        let mut cwv = after(3, 8, 1.0);
        let (before, mut w) = (window(40.0, 64.0), window(20.0, 20.0));
        cwv.on_loss(at(1.3), &before, 6, 10, &mut w, RTT);
        // max(8, 6) / 2.
        assert_eq!((w.cwnd, w.ssthresh), (4.0, 4.0));
        cwv.recovered(13, &mut w);
        // (8 - 3) / 2.
        assert_eq!((w.cwnd, w.ssthresh), (2.5, 2.5));
        assert_eq!(cwv.pipe_ack(at(1.3), RTT), None);
        // Who used it is treated as ever.
        let mut cwv = after(3, 20, 1.0);
        let mut w = window(20.0, 20.0);
        cwv.on_loss(at(1.3), &before, 40, 10, &mut w, RTT);
        cwv.recovered(13, &mut w);
        assert_eq!((w.cwnd, w.ssthresh), (20.0, 20.0));
        // All that was outstanding was lost: a segment.
        let mut cwv = after(3, 8, 1.0);
        cwv.on_loss(at(1.3), &before, 30, 0, &mut w, RTT);
        assert_eq!(w.cwnd, 15.0);
        cwv.recovered(30, &mut w);
        assert_eq!((w.cwnd, w.ssthresh), (1.0, 2.0));
        let mut cwv = after(3, 8, 1.0);
        let mut w = before;
        cwv.before_mark(at(1.3), 9, &mut w, RTT);
        assert_eq!(w.cwnd, 9.0);
        let mut cwv = after(3, 8, 1.0);
        cwv.on_timeout();
        assert_eq!(cwv.pipe_ack(at(1.3), RTT), None);
    }

    /// The example of the draft: ten segments, a pause, four more.
    #[test]
    fn the_drafts_example_comes_to_twenty() {
        let mut increase = RateLimitedIncrease::new(10.0);
        increase.outstanding(10);
        let mut w = window(10.0, 1e9);
        for acked in 1..=14_u32 {
            let before = w;
            w.cwnd += 1.0;
            let flight = if acked <= 10 { 10 - acked } else { 14 - acked };
            increase.bound(&ack(flight, 1), &before, &mut w);
        }
        assert_eq!(w.cwnd, 20.0);
        // Congestion avoidance: a segment more than ever was outstanding.
        let (before, mut w) = (window(10.9, 4.0), window(11.2, 4.0));
        increase.bound(&ack(3, 1), &before, &mut w);
        assert_eq!(w.cwnd, 11.0);
        // After a reduction what is outstanding then counts, and nothing is taken away.
        increase.reduced();
        increase.outstanding(5);
        let (before, mut w) = (window(7.0, 4.0), window(7.2, 4.0));
        increase.bound(&ack(3, 1), &before, &mut w);
        assert_eq!(w.cwnd, 7.0);
        // A full window grows as ever.
        let (before, mut w) = (window(7.0, 4.0), window(7.2, 4.0));
        increase.bound(&ack(6, 1), &before, &mut w);
        assert_eq!(w.cwnd, 7.2);
    }
}
