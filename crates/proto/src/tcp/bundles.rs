//! Segmentation offload: a host hands new segments down in bundles, which the network card, or the kernel just before
//! it, cuts into segments. What shows on the wire is how segments follow each other, and which of them have the push
//! flag.
//!
//! It is Linux that is followed (`tcp_tso_autosize`, `tcp_tso_should_defer` and `__tcp_transmit_skb` in
//! net/ipv4/tcp_output.c). A bundle has as many segments as go in a millisecond at the pace of the window, two at
//! least, and half of the window at most. The last of several that go together has the push flag. What is less than a
//! bundle goes at once, unless something has gone a moment ago and an acknowledgement, with which there will be more,
//! is about to come.

use super::window::Window;
use crate::time::{Duration, Instant};
use std::collections::VecDeque;

/// What a sender remembers for its bundles.
#[derive(Debug, Default)]
pub struct Bundles {
    /// Segments that were sent together for the first time and are not all acknowledged: one past the last of them,
    /// and when that was.
    sent: VecDeque<(u64, Instant)>,
    /// The segments that the bundle under way has left.
    left: u64,
    /// Whether it has the push flag at its end.
    is_pushed: bool,
    /// The segments that wait for an acknowledgement.
    waiting: u64,
}

/// What there is to decide about.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// New segments that may go now.
    pub segments: u64,
    /// Whether there is more to send than that.
    pub more: bool,
    /// Whether losses are being repaired.
    pub repairing: bool,
}

impl Bundles {
    /// All below `snd_una` is acknowledged.
    #[inline]
    pub fn acknowledged(&mut self, snd_una: u64) {
        while self.sent.front().is_some_and(|(end, _)| *end <= snd_una) {
            self.sent.pop_front();
        }
    }

    /// This segment, which was sent last, has not gone; what is outstanding begins with `snd_una`.
    #[cold]
    pub fn take_back(&mut self, segment: u64, snd_una: u64) {
        if let Some((_, at)) = self.sent.pop_back_if(|(end, _)| *end > segment) {
            // What went together with it stays.
            let before = self.sent.back().map_or(snd_una, |(end, _)| *end);
            if before < segment {
                self.sent.push_back((segment, at));
            }
        }
        self.end();
    }

    /// What goes from here on is no part of what went before.
    #[inline]
    pub fn end(&mut self) {
        (self.left, self.is_pushed) = (0, false);
    }

    /// Whether the next segment, for which there is room, waits for an acknowledgement.
    pub fn wait(&mut self, now: Instant, room: Room, window: &Window, srtt: Option<Duration>) -> bool {
        let waits = self.is_worth_waiting(now, room, window, srtt);
        self.waiting = if waits { room.segments } else { 0 };
        waits
    }

    fn is_worth_waiting(&self, now: Instant, room: Room, window: &Window, srtt: Option<Duration>) -> bool {
        if self.left > 0 || !room.more || room.repairing {
            return false;
        }
        let (Some(srtt), Some((_, head)), Some((_, last))) = (srtt, self.sent.front(), self.sent.back()) else {
            return false;
        };
        // A third of the window is not held back (`tcp_tso_win_divisor`).
        let segments = room.segments;
        segments < size(window, Some(srtt))
            && 3 * segments < whole(window)
            && now.since(*last) <= MOMENT
            && (*head + srtt).since(now) <= MOMENT.min(srtt.mul_f64(0.5))
    }

    /// The segments that wait for an acknowledgement, since the last opportunity to send.
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    /// A new segment is next, and so many may go: it begins a bundle, unless it belongs to one.
    #[inline]
    pub fn begin(&mut self, segments: u64, window: &Window, srtt: Option<Duration>) {
        if self.left == 0 {
            // `tcp_cwnd_test`.
            let half = (whole(window) / 2).max(1);
            self.left = segments.min(size(window, srtt)).min(half);
            self.is_pushed = self.left > 1;
            self.waiting = 0;
        }
    }

    /// A segment goes for the first time; whether it has the push flag.
    #[inline]
    pub fn send(&mut self, now: Instant, segment: u64) -> bool {
        self.left = self.left.saturating_sub(1);
        match self.sent.back_mut() {
            Some((end, at)) if *at == now => *end = segment + 1,
            _ => self.sent.push_back((segment + 1, now)),
        }
        if self.left > 0 {
            return false;
        }
        core::mem::take(&mut self.is_pushed)
    }
}

/// An acknowledgement within this is worth waiting for.
const MOMENT: Duration = Duration::from_millis(1);

/// The segments of a bundle.
fn size(window: &Window, srtt: Option<Duration>) -> u64 {
    let Some(srtt) = srtt else { return LEAST };
    // The pace of `tcp_update_pacing_rate`: twice the window per round trip in slow start, 1.2 times it after.
    let ratio = if window.cwnd < libm::floor(window.ssthresh / 2.0) { 2.0 } else { 1.2 };
    let per_s = ratio * whole(window) as f64 * 1e9 / srtt.0 as f64;
    ((per_s / BUNDLES_PER_S) as u64).max(LEAST)
}

/// Segments of the window that are used.
fn whole(window: &Window) -> u64 {
    window.cwnd.min(window.wnd) as u64
}

/// A second of the pace is so many bundles (`sk_pacing_shift`).
const BUNDLES_PER_S: f64 = 1024.0;

/// The fewest segments of a bundle (`tcp_min_tso_segs`).
const LEAST: u64 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Window = Window { cwnd: 50.0, ssthresh: 40.0, wnd: 1e9 };
    const SRTT: Option<Duration> = Some(Duration::from_millis(60));

    fn ms(ms: f64) -> Instant {
        Instant::from_secs_f64(ms / 1e3)
    }

    #[test]
    fn a_bundle_is_a_millisecond_of_the_pace_by_hand() {
        let of =
            |cwnd, ssthresh, wnd, srtt_ms| size(&Window { cwnd, ssthresh, wnd }, Some(Duration::from_millis(srtt_ms)));
        // 1000 / 1024 ms of 1.2 * 50 / 60 = 1, of 1.2 * 500 / 100 = 6, of 1.2 * 520 / 100 = 6.2; the receiver's window
        // bounds it, and parts of a segment do not count.
        assert_eq!([of(50.0, 40.0, 1e9, 60), of(500.0, 40.0, 1e9, 100), of(520.0, 40.0, 1e9, 100)], [2, 5, 6]);
        assert_eq!([of(500.0, 40.0, 300.0, 100), of(427.0, 4.0, 1e9, 100), of(426.9, 4.0, 1e9, 100)], [3, 5, 4]);
        // In slow start, up to half of the threshold, twice the window: 2 * 320 / 100, and 1.2 * 320 / 100 = 3.8.
        assert_eq!([of(320.0, 642.0, 1e9, 100), of(320.0, 641.0, 1e9, 100)], [6, 3]);
        assert_eq!(size(&WINDOW, None), 2);
    }

    /// Which of so many segments that go together have the push flag.
    fn pushed(segments: u64, window: &Window) -> Vec<u64> {
        let mut bundles = Bundles::default();
        let goes = |segment: &u64| {
            bundles.begin(segments - segment, window, SRTT);
            bundles.send(Instant::ZERO, *segment)
        };
        (0..segments).filter(goes).collect()
    }

    #[test]
    fn the_last_of_several_is_pushed() {
        assert_eq!(
            (0..6).map(|n| pushed(n, &WINDOW)).collect::<Vec<_>>(),
            [vec![], vec![], vec![1], vec![1], vec![1, 3], vec![1, 3]]
        );
        // 1000 / 1024 ms of 1.2 * 220 / 60 = 4.4.
        let faster = Window { cwnd: 220.0, ..WINDOW };
        assert_eq!(
            (pushed(8, &faster), pushed(9, &faster), pushed(11, &faster)),
            (vec![3, 7], vec![3, 7], vec![3, 7, 10])
        );
    }

    #[test]
    fn a_bundle_is_no_more_than_half_of_the_window() {
        let of = |cwnd| pushed(4, &Window { cwnd, ssthresh: 2.0, wnd: 1e9 });
        assert_eq!([of(1.0), of(3.9), of(4.0)], [vec![], vec![], vec![1, 3]]);
    }

    #[test]
    fn a_bundle_ends_with_what_let_it_go() {
        let mut bundles = Bundles::default();
        bundles.begin(2, &WINDOW, SRTT);
        assert!(!bundles.send(Instant::ZERO, 0));
        bundles.end();
        bundles.begin(1, &WINDOW, SRTT);
        assert!(!bundles.send(Instant::ZERO, 1));
    }

    #[test]
    fn one_that_belongs_to_no_bundle_is_not_pushed() {
        let mut bundles = Bundles::default();
        assert!(!bundles.send(Instant::ZERO, 0) && !bundles.send(Instant::ZERO, 1));
    }

    /// Two that went at 0 ms and two that went at 60 ms.
    fn four_outstanding() -> Bundles {
        let mut bundles = Bundles::default();
        for (segment, at) in [(0, 0.0), (1, 0.0), (2, 60.0), (3, 60.0)] {
            bundles.begin(1, &WINDOW, SRTT);
            bundles.send(ms(at), segment);
        }
        bundles
    }

    const LONE: Room = Room { segments: 1, more: true, repairing: false };

    #[test]
    fn a_lone_segment_waits_for_an_acknowledgement_that_is_about_to_come() {
        let bundles = four_outstanding();
        // What went at 0 ms is expected at 60 ms.
        assert!(bundles.is_worth_waiting(ms(60.0), LONE, &WINDOW, SRTT));
        for room in [Room { segments: 2, ..LONE }, Room { more: false, ..LONE }, Room { repairing: true, ..LONE }] {
            assert!(!bundles.is_worth_waiting(ms(60.0), room, &WINDOW, SRTT), "{room:?}");
        }
        // Three of a faster flow's four.
        let faster = Window { cwnd: 220.0, ..WINDOW };
        assert!(bundles.is_worth_waiting(ms(60.0), Room { segments: 3, ..LONE }, &faster, SRTT));
        assert!(!bundles.is_worth_waiting(ms(60.0), Room { segments: 4, ..LONE }, &faster, SRTT));
        // A third of the window, of its whole segments.
        for (cwnd, wnd, waits) in [(3.9, 1e9, false), (4.0, 1e9, true), (50.0, 3.0, false), (50.0, 4.0, true)] {
            let window = Window { cwnd, ssthresh: 2.0, wnd };
            assert_eq!(bundles.is_worth_waiting(ms(60.0), LONE, &window, SRTT), waits, "{cwnd} {wnd}");
        }
        // Something has gone within a millisecond.
        assert!(
            bundles.is_worth_waiting(ms(61.0), LONE, &WINDOW, SRTT)
                && !bundles.is_worth_waiting(ms(61.01), LONE, &WINDOW, SRTT)
        );
        assert!(!bundles.is_worth_waiting(ms(60.0), LONE, &WINDOW, None));
        assert!(!Bundles::default().is_worth_waiting(ms(60.0), LONE, &WINDOW, SRTT));
    }

    #[test]
    fn several_wait_if_they_are_less_than_a_third_of_the_window() {
        let mut bundles = Bundles::default();
        for (segment, at) in [(0, 58.0), (1, 60.0)] {
            bundles.begin(1, &WINDOW, SRTT);
            bundles.send(ms(at), segment);
        }
        // Of 1000 / 1024 ms of 1.2 * 9 / 2 = 5.3 three are missing two.
        let room = Room { segments: 3, ..LONE };
        let waits = |cwnd| {
            let window = Window { cwnd, ssthresh: 2.0, wnd: 1e9 };
            bundles.is_worth_waiting(ms(60.0), room, &window, Some(Duration::from_millis(2)))
        };
        assert_eq!([waits(9.0), waits(10.0)], [false, true]);
    }

    #[test]
    fn what_goes_alone_is_outstanding_until_it_is_acknowledged() {
        let mut bundles = Bundles::default();
        bundles.send(ms(0.0), 7);
        bundles.acknowledged(7);
        assert_eq!(bundles.sent, [(8, ms(0.0))]);
        bundles.acknowledged(8);
        assert_eq!(bundles.sent, []);
    }

    #[test]
    fn what_begins_to_go_waits_no_more() {
        let mut bundles = four_outstanding();
        assert!(bundles.wait(ms(60.0), LONE, &WINDOW, SRTT));
        bundles.begin(2, &WINDOW, SRTT);
        assert_eq!(bundles.waiting(), 0);
    }

    #[test]
    fn what_waits_is_known_until_it_does_not_any_more() {
        let mut bundles = four_outstanding();
        let room = Room { segments: 3, ..LONE };
        assert!(bundles.wait(ms(60.0), room, &Window { cwnd: 220.0, ..WINDOW }, SRTT));
        assert_eq!(bundles.waiting(), 3);
        assert!(!bundles.wait(ms(60.0), room, &WINDOW, SRTT));
        assert_eq!(bundles.waiting(), 0);
    }

    #[test]
    fn what_is_expected_is_the_acknowledgement_of_the_first_that_is_outstanding() {
        let mut bundles = four_outstanding();
        let waits = |bundles: &Bundles, srtt_us| {
            bundles.is_worth_waiting(ms(60.0), LONE, &WINDOW, Some(Duration::from_micros(srtt_us)))
        };
        // Within a millisecond, or half of a round trip.
        assert!(waits(&bundles, 61_000) && !waits(&bundles, 61_001));
        bundles.acknowledged(1);
        assert!(waits(&bundles, 61_000));
        bundles.acknowledged(2);
        assert!(!waits(&bundles, 61_000) && !waits(&bundles, 1001));
        // 1 ms after 60 ms is more than half of it.
        assert!(!waits(&bundles, 1000));
        bundles.acknowledged(4);
        assert!(!waits(&bundles, 61_000));
    }

    #[test]
    fn what_has_not_gone_is_not_outstanding() {
        let mut bundles = four_outstanding();
        bundles.take_back(3, 0);
        assert_eq!(bundles.sent, [(2, ms(0.0)), (3, ms(60.0))]);
        bundles.take_back(2, 0);
        assert_eq!(bundles.sent, [(2, ms(0.0))]);
        bundles.acknowledged(1);
        bundles.take_back(1, 1);
        assert_eq!(bundles.sent, []);
        // A bundle that it was of has ended.
        bundles.begin(2, &WINDOW, SRTT);
        bundles.send(ms(61.0), 1);
        bundles.take_back(1, 1);
        bundles.begin(1, &WINDOW, SRTT);
        assert!(!bundles.send(ms(71.0), 1));
    }
}
