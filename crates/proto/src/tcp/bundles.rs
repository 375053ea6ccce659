//! Segmentation offload: a host hands new segments down in bundles, which the network card, or the kernel just before
//! it, cuts into segments. What shows on the wire is how segments follow each other, and which of them have the push
//! flag.
//!
//! It is Linux that is followed (`tcp_tso_autosize`, `tcp_tso_should_defer` and `__tcp_transmit_skb` in
//! net/ipv4/tcp_output.c). A bundle has as many segments as go in a millisecond at the pace of the window, two at
//! least. The last of several that go together has the push flag. What is less than a bundle goes at once, unless
//! something has gone a moment ago and an acknowledgement, with which there will be more, is about to come.

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

    /// What goes from here on is no part of what went before.
    #[inline]
    pub fn end(&mut self) {
        (self.left, self.is_pushed) = (0, false);
    }

    /// Whether the next segment, for which there is room, waits for an acknowledgement.
    pub fn waits(&self, now: Instant, room: Room, window: &Window, srtt: Option<Duration>) -> bool {
        let (Some(srtt), Some((_, head)), Some((_, last))) = (srtt, self.sent.front(), self.sent.back()) else {
            return false;
        };
        // A third of the window is not held back, and what ends the data goes at once.
        let is_part = room.segments < size(window, Some(srtt)) && 3.0 * (room.segments as f64) < window.cwnd;
        self.left == 0
            && is_part
            && room.more
            && !room.repairing
            && now.since(*last) <= MOMENT
            && (*head + srtt).since(now) <= MOMENT.min(srtt.mul_f64(0.5))
    }

    /// A new segment is next, and so many may go: it begins a bundle, unless it belongs to one.
    #[inline]
    pub fn begin(&mut self, segments: u64, window: &Window, srtt: Option<Duration>) {
        if self.left == 0 {
            self.left = segments.min(size(window, srtt));
            self.is_pushed = self.left > 1;
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

/// A bundle takes this long at the pace of the window, and an acknowledgement within this is worth waiting for.
const MOMENT: Duration = Duration::from_millis(1);

/// The segments of a bundle.
fn size(window: &Window, srtt: Option<Duration>) -> u64 {
    let Some(srtt) = srtt else { return LEAST };
    // The pace of `tcp_update_pacing_rate`: twice the window per round trip in slow start, 1.2 times it after.
    let ratio = if window.cwnd < window.ssthresh / 2.0 { 2.0 } else { 1.2 };
    let per_round_trip = ratio * window.cwnd.min(window.wnd);
    ((per_round_trip * MOMENT.as_secs_f64() / srtt.as_secs_f64()) as u64).max(LEAST)
}

/// The fewest segments of a bundle (`tcp_min_tso_segs`).
const LEAST: u64 = 2;
