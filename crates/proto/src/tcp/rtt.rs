//! What a connection measures its round-trip times with; what follows from them is in
//! [`parts::rto`](crate::parts::rto).

use crate::time::{Duration, Instant};

/// The clock by which round-trip times are measured: it may tick.
#[derive(Clone, Copy, Debug)]
pub struct TickingClock {
    /// 0 = it does not tick.
    tick_ns: u64,
    /// How long before the connection began its clock ticked last.
    phase_ns: u64,
    /// When the connection began. Ticks are counted from there, so that they do not depend on what the host's clock
    /// says.
    began: Instant,
}

/// The one segment whose round trip is being measured, if any.
#[derive(Clone, Copy, Debug)]
pub struct TimedSegment {
    segment: u64,
    sent: Instant,
}

impl TickingClock {
    /// Ticks every `tick`, if it does; at the beginning the part `phase`, from 0 to 1, of a tick is over.
    pub fn new(tick: Option<Duration>, phase: f64) -> TickingClock {
        let tick = tick.unwrap_or(Duration::ZERO);
        TickingClock { tick_ns: tick.0, phase_ns: tick.mul_f64(phase).0, began: Instant::ZERO }
    }

    /// The connection begins.
    pub fn begin(&mut self, now: Instant) {
        self.began = now;
    }

    /// What this clock makes of a round trip that took `rtt` and ends now: whole ticks, at least one.
    #[inline]
    pub fn measured(&self, rtt: Duration, now: Instant) -> Duration {
        if self.tick_ns == 0 {
            return rtt;
        }
        let end_ns = now.since(self.began).0.saturating_add(self.phase_ns);
        let ticks = end_ns / self.tick_ns - end_ns.saturating_sub(rtt.0) / self.tick_ns;
        Duration(ticks.max(1) * self.tick_ns)
    }
}

impl TimedSegment {
    /// Nothing is timed.
    pub const NONE: TimedSegment = TimedSegment { segment: u64::MAX, sent: Instant::ZERO };

    /// Times `segment`, sent for the first time now, unless another one is being timed.
    #[inline]
    pub fn start(&mut self, segment: u64, now: Instant) {
        if self.segment == u64::MAX {
            *self = TimedSegment { segment, sent: now };
        }
    }

    /// `segment` has not been sent.
    pub fn take_back(&mut self, segment: u64) {
        if self.segment == segment {
            *self = TimedSegment::NONE;
        }
    }

    /// Something was sent again: its acknowledgement is ambiguous (Karn; RFC 6298 section 3), and that of what was sent
    /// after it waits for the repair. The section forbids to measure the former only.
    pub fn abandon(&mut self) {
        *self = TimedSegment::NONE;
    }

    /// The measured time if an acknowledgement of everything below `acknowledged` covers the timed segment.
    #[inline]
    pub fn take(&mut self, acknowledged: u64, now: Instant) -> Option<Duration> {
        if acknowledged <= self.segment {
            return None;
        }
        let rtt = now.since(self.sent);
        self.abandon();
        Some(rtt)
    }
}

/// A time stamp as ACKs carry it back: low 32 bits of microseconds.
#[inline]
pub fn stamp_us(at: Instant) -> u32 {
    (at.0 / 1000) as u32
}

/// The time from a stamp to an arrival; none if the stamp is the later one, by serial arithmetic: a stamp that nobody
/// sent, or clocks of a host that disagree, and no round-trip time of 36 minutes and more.
#[inline]
pub fn since_stamp(arrived: Instant, stamp: u32) -> Option<Duration> {
    let since_us = stamp_us(arrived).wrapping_sub(stamp);
    (since_us < 1 << 31).then(|| Duration::from_micros(since_us.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticking_clock_counts_ticks_by_hand() {
        let ms = Duration::from_millis;
        let at = |ms: u64| Instant::ZERO + Duration::from_millis(ms);
        assert_eq!(TickingClock::new(None, 0.9).measured(ms(37), at(50)), ms(37));
        // Ticks of 10 ms, 4 ms before the beginning at 1003 ms: 999, 1009, 1019 ..
        let mut clock = TickingClock::new(Some(ms(10)), 0.4);
        clock.begin(at(1003));
        for (sent, back, ticks) in [(1003, 1008, 1), (1003, 1009, 1), (1003, 1018, 1), (1003, 1019, 2), (1010, 1039, 3)]
        {
            assert_eq!(clock.measured(ms(back - sent), at(back)), ms(10 * ticks), "{sent} to {back}");
        }
        assert_eq!(clock.measured(Duration(u64::MAX), at(1039)), ms(40));
    }

    #[test]
    fn a_stamp_that_is_later_than_the_arrival_says_nothing() {
        let us = |us: u64| Instant(1000 * us);
        assert_eq!(since_stamp(us(700), 650), Some(Duration::from_micros(50)));
        assert_eq!((since_stamp(us(700), 700), since_stamp(us(700), 701)), (Some(Duration::ZERO), None));
        // Stamps wrap around.
        assert_eq!(since_stamp(us((1 << 32) + 20), u32::MAX - 9), Some(Duration::from_micros(30)));
        assert_eq!(since_stamp(us((1 << 32) - 10), 20), None);
    }

    #[test]
    fn one_segment_at_a_time_is_measured() {
        let mut timed = TimedSegment::NONE;
        assert_eq!(timed.take(1, Instant(5)), None);
        timed.start(7, Instant(100));
        timed.start(8, Instant(200));
        assert_eq!(timed.take(7, Instant(300)), None);
        assert_eq!(timed.take(8, Instant(350)), Some(Duration(250)));
        assert_eq!(timed.take(9, Instant(400)), None);
        timed.start(9, Instant(500));
        timed.abandon();
        assert_eq!(timed.take(10, Instant(600)), None);
    }
}
