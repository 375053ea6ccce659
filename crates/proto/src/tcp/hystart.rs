//! HyStart++ (RFC 9406): the first slow start ends when round trips become longer, before a queue overflows.
//!
//! ```text
//! slow start ── the least round trip of this round exceeds that of the last one by the threshold ──▶ conservative
//!     ▲                                                                                             slow start
//!     └── the least of this round falls below what it was then: it was jitter ─────────────────────────┘  │
//!                                                                                  five rounds: congestion avoidance
//! ```
//!
//! It works with every window rule: the rule says by how much an acknowledgement lets the window grow in slow start,
//! which is here counted per segment acknowledged and divided in conservative slow start.

use super::window::{Ack, Credit, Window};
use crate::time::{Duration, Instant};
use std::collections::VecDeque;

/// The first slow start of a sender. It is over, for good, with the first retransmission or congestion echo.
#[derive(Clone, Debug)]
pub struct HyStart {
    /// Most segments of an acknowledgement that let the window grow, L; infinite with pacing.
    most_credit: f64,
    /// Sending times of what is outstanding: a sender of today remembers them, with or without time stamps. None of it
    /// has been sent twice.
    sent: VecDeque<Instant>,
    /// The round ends when this segment is acknowledged.
    window_end: u64,
    last_min: Option<Duration>,
    current_min: Option<Duration>,
    samples: u32,
    conservative: Option<Conservative>,
}

/// Conservative slow start.
#[derive(Clone, Copy, Debug)]
struct Conservative {
    /// The least round-trip time of the round when it began.
    baseline: Duration,
    /// Rounds that have begun in it or in which it has begun.
    rounds: u32,
}

impl HyStart {
    /// At the beginning of a connection.
    pub fn new(paced: bool) -> HyStart {
        HyStart {
            most_credit: if paced { f64::INFINITY } else { MOST_CREDIT },
            sent: VecDeque::new(),
            window_end: 0,
            last_min: None,
            current_min: None,
            samples: 0,
            conservative: None,
        }
    }

    /// Numbers the first segment `first`.
    #[cfg(test)]
    pub fn numbered_from(self, first: u64) -> HyStart {
        HyStart { window_end: first, ..self }
    }

    /// The next segment has been sent for the first time.
    #[inline]
    pub fn sent(&mut self, now: Instant) {
        self.sent.push_back(now);
    }

    /// The round-trip time of the last of `newly_acked` segments, by the sender's memory.
    #[inline]
    pub fn round_trip(&mut self, now: Instant, newly_acked: u32) -> Option<Duration> {
        let last = self.sent.get((newly_acked as usize).checked_sub(1)?).copied();
        self.sent.drain(..self.sent.len().min(newly_acked as usize));
        last.map(|sent| now.since(sent))
    }

    /// New data below `acknowledged` has been acknowledged, with this round trip, and everything below `sent_end` has
    /// been sent; `grow` is the rule's growth. Says whether slow start goes on; if not, the threshold has been set, or
    /// had been reached.
    pub fn on_ack(
        &mut self,
        ack: &Ack,
        rtt: Option<Duration>,
        [acknowledged, sent_end]: [u64; 2],
        window: &mut Window,
        grow: impl FnOnce(&Ack, &mut Window),
    ) -> bool {
        if window.cwnd >= window.ssthresh {
            grow(ack, window);
            return false;
        }
        if acknowledged > self.window_end && !self.begin_round(sent_end) {
            window.ssthresh = window.cwnd;
            grow(ack, window);
            return false;
        }
        let before = window.cwnd;
        grow(&Ack { credit: Credit::ONE, ..*ack }, window);
        let credit = f64::from(ack.newly_acked).min(self.most_credit);
        let divisor = if self.conservative.is_some() { CSS_GROWTH_DIVISOR } else { 1.0 };
        let one = window.cwnd - before;
        // No further than the threshold, but for what the rule gives for one segment: it may have looked at that, as
        // Hybla's does.
        window.cwnd = before + (one * credit / divisor).min((window.ssthresh - before).max(one));
        if let Some(rtt) = rtt {
            self.take(rtt);
        }
        true
    }

    /// A new round. Says whether slow start goes on, conservative or not.
    fn begin_round(&mut self, sent_end: u64) -> bool {
        self.window_end = sent_end;
        self.last_min = self.current_min.take();
        self.samples = 0;
        if let Some(conservative) = &mut self.conservative {
            conservative.rounds += 1;
            return conservative.rounds <= CSS_ROUNDS;
        }
        true
    }

    /// A round-trip time (RFC 9406 section 4.2).
    fn take(&mut self, rtt: Duration) {
        let current = self.current_min.map_or(rtt, |least| least.min(rtt));
        self.current_min = Some(current);
        self.samples += 1;
        if self.samples < N_RTT_SAMPLE {
            return;
        }
        match (self.conservative, self.last_min) {
            (Some(conservative), _) => {
                if current < conservative.baseline {
                    self.conservative = None;
                }
            }
            (None, Some(last)) => {
                let threshold = Duration(last.0 / MIN_RTT_DIVISOR).min(MAX_RTT_THRESH).max(MIN_RTT_THRESH);
                if current >= last + threshold {
                    self.conservative = Some(Conservative { baseline: current, rounds: 1 });
                }
            }
            (None, None) => {}
        }
    }
}

// RFC 9406 section 4.3.
const MIN_RTT_THRESH: Duration = Duration::from_millis(4);
const MAX_RTT_THRESH: Duration = Duration::from_millis(16);
const MIN_RTT_DIVISOR: u64 = 8;
const N_RTT_SAMPLE: u32 = 8;
const CSS_GROWTH_DIVISOR: f64 = 4.0;
const CSS_ROUNDS: u32 = 5;
/// L without pacing.
const MOST_CREDIT: f64 = 8.0;

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// A slow start whose window is acknowledged segment by segment, all of it under way.
    struct Start {
        hystart: HyStart,
        window: Window,
        acknowledged: u64,
    }

    impl Start {
        fn new(paced: bool) -> Start {
            let window = Window { cwnd: 20.0, ssthresh: 1e9, wnd: 1e9 };
            Start { hystart: HyStart::new(paced), window, acknowledged: 0 }
        }

        /// An ACK of so many segments, whose round trip was this; by how much the window has grown.
        fn hear(&mut self, newly_acked: u32, rtt: Duration) -> f64 {
            let before = self.window.cwnd;
            self.acknowledged += u64::from(newly_acked);
            let ack = Ack {
                arrived: Instant::ZERO,
                newly_acked,
                flight: 20,
                rtt: None,
                srtt: None,
                credit: Credit::of(newly_acked),
            };
            let numbers = [self.acknowledged, self.acknowledged + 19];
            let goes_on =
                self.hystart.on_ack(&ack, Some(rtt), numbers, &mut self.window, |ack, window| window.grow(ack));
            assert_eq!(goes_on, self.window.ssthresh == 1e9);
            self.window.cwnd - before
        }

        /// A round: 20 segments, all with this round trip; by how much each has let the window grow.
        fn round(&mut self, rtt_ms: f64) -> Vec<f64> {
            (0..20).map(|_| self.hear(1, Duration((rtt_ms * MS as f64) as u64))).collect()
        }
    }

    #[test]
    fn it_becomes_conservative_with_the_eighth_long_round_trip() {
        // An eighth of the last least, at least 4 ms, at most 16 ms.
        for (last_ms, threshold_ms) in [(100.0, 12.5), (20.0, 4.0), (400.0, 16.0)] {
            let mut start = Start::new(false);
            assert_eq!(start.round(last_ms), [1.0; 20]);
            assert_eq!(start.round(last_ms + threshold_ms - 0.01), [1.0; 20]);
            let mut start = Start::new(false);
            start.round(last_ms);
            let grown = start.round(last_ms + threshold_ms);
            assert_eq!((&grown[..8], &grown[8..]), (&[1.0; 8][..], &[0.25; 12][..]), "{last_ms} ms");
        }
    }

    #[test]
    fn one_short_round_trip_in_a_round_shows_that_there_is_no_queue() {
        let mut start = Start::new(false);
        start.round(100.0);
        start.hear(1, Duration(100 * MS));
        assert_eq!(start.round(150.0)[..19], [1.0; 19]);
    }

    #[test]
    fn five_rounds_of_conservative_slow_start_count_that_in_which_it_began() {
        let mut start = Start::new(false);
        start.round(100.0);
        start.round(120.0);
        for _ in 0..4 {
            assert_eq!(start.round(120.0), [0.25; 20]);
        }
        // 20 + 20 + 8 + 12/4 + 4 * 20/4: the threshold is the window, which grows by 1/cwnd from there.
        assert!(start.hystart.conservative.is_some_and(|conservative| conservative.rounds == CSS_ROUNDS));
        assert!((start.hear(1, Duration(120 * MS)) - 1.0 / 71.0).abs() < 1e-9);
        assert_eq!(start.window.ssthresh, 71.0);
    }

    #[test]
    fn slow_start_goes_on_when_the_round_trips_fall_again() {
        let mut start = Start::new(false);
        start.round(100.0);
        start.round(120.0);
        // The eighth sample of a round counts, and what is not below the baseline does not.
        assert_eq!(start.round(120.0), [0.25; 20]);
        let grown = start.round(119.0);
        assert_eq!((&grown[..8], &grown[8..]), (&[0.25; 8][..], &[1.0; 12][..]));
        // And becomes conservative anew.
        let grown = start.round(140.0);
        assert_eq!((&grown[..8], &grown[8..]), (&[1.0; 8][..], &[0.25; 12][..]));
    }

    #[test]
    fn growth_counts_segments_up_to_eight_unless_paced() {
        for (paced, most) in [(false, 8.0), (true, 20.0)] {
            let mut start = Start::new(paced);
            assert_eq!([2, 8, 20].map(|count| start.hear(count, Duration(100 * MS))), [2.0, 8.0, most]);
        }
    }

    #[test]
    fn beyond_the_threshold_the_rule_alone_says_how_the_window_grows() {
        let mut start = Start::new(false);
        start.window.ssthresh = 20.0;
        start.hear(1, Duration(100 * MS));
        assert_eq!(start.window.cwnd, 20.0 + 1.0 / 20.0);
    }

    #[test]
    fn a_sender_remembers_when_it_sent_what_is_outstanding() {
        let mut hystart = HyStart::new(false);
        for ms in [0, 1, 2, 5] {
            hystart.sent(Instant(ms * MS));
        }
        assert_eq!(hystart.round_trip(Instant(100 * MS), 1), Some(Duration(100 * MS)));
        assert_eq!(hystart.round_trip(Instant(104 * MS), 2), Some(Duration(102 * MS)));
        assert_eq!(hystart.round_trip(Instant(105 * MS), 1), Some(Duration(100 * MS)));
        assert_eq!((hystart.round_trip(Instant(105 * MS), 3), hystart.round_trip(Instant(105 * MS), 0)), (None, None));
    }
}
