//! Packets evenly spaced in time, by a rate that changes (RFC 4654 section 3.7).

use crate::time::{Duration, Instant};

/// When the next packet is due.
///
/// Nominal times accumulate, so that a driver that is late keeps the rate: what it owes goes in a burst, one packet per
/// call. The debt is bounded: what it is late by more than the caller allows ([`MOST_LATE`] where nothing else says it)
/// is let go. The caller names the gap between packets, size over rate, at each step, in seconds; a scheme that sends
/// in several groups has a pacer for each.
///
/// ```
/// use faircast_proto::parts::pacer::Pacer;
/// use faircast_proto::time::{Duration, Instant};
///
/// let at = Instant::from_secs_f64;
/// let mut pacer = Pacer::OFF;
/// pacer.begin(at(1.0));
/// pacer.sent(at(1.0), 0.5, Duration::from_secs(1));
/// assert_eq!(pacer.due(), at(1.5));
/// // A higher rate: it goes sooner. A lower one leaves it where it is.
/// pacer.follow(at(1.1), 0.2);
/// pacer.follow(at(1.1), 0.8);
/// assert_eq!(pacer.due(), at(1.2));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Pacer {
    /// Nominal time of the next packet.
    due: Instant,
    /// Nominal time of the last packet.
    last: Instant,
}

/// The lateness that is made up for where no standard says it: bursts are no longer than what the rate sends in this. A
/// choice: hosts that are not overloaded are late by some milliseconds, busy ones by tens, and queues of access links
/// hold about as much.
pub const MOST_LATE: Duration = Duration::from_millis(100);

impl Pacer {
    /// Nothing is due.
    pub const OFF: Pacer = Pacer { due: Instant::FAR_FUTURE, last: Instant::ZERO };

    /// The first packet is due now.
    pub fn begin(&mut self, now: Instant) {
        self.due = now;
    }

    /// The first packet is due when this part of a gap has passed, so that those who begin together need not send
    /// together.
    pub fn begin_within(&mut self, now: Instant, gap_s: f64, part: f64) {
        self.last = now - Duration::from_secs_f64((1.0 - part) * gap_s);
        self.due = now + Duration::from_secs_f64(part * gap_s);
    }

    /// When the next packet is due; [`Instant::FAR_FUTURE`] before the beginning.
    pub fn due(&self) -> Instant {
        self.due
    }

    /// The next packet is due now, if it would be later.
    pub fn hurry(&mut self, now: Instant) {
        self.due = self.due.min(now);
    }

    /// There was nothing to send until now: a turn that has passed is no lateness that is to be made up for. Whether
    /// one has.
    pub fn let_go(&mut self, now: Instant) -> bool {
        let has_passed = self.due < now;
        self.due = self.due.max(now);
        has_passed
    }

    /// The packet that was due has been sent; the next one is due a gap after its nominal time. What the driver is late
    /// by more than `most_late` is let go, not made up for.
    pub fn sent(&mut self, now: Instant, gap_s: f64, most_late: Duration) {
        self.take(now, Duration::from_secs_f64(gap_s), most_late);
    }

    /// Takes note of a packet that went out at a constant rate, with a gap in whole nanoseconds. Lateness is made up
    /// for to [`MOST_LATE`], or to a gap if that is longer, which is no burst.
    pub fn sent_at_constant_rate(&mut self, now: Instant, gap: Duration) {
        self.take(now, gap, MOST_LATE.max(gap));
    }

    fn take(&mut self, now: Instant, gap: Duration, most_late: Duration) {
        self.last = self.due.max(now - most_late);
        self.due = self.last + gap;
    }

    /// The gap may have changed: a packet that would come sooner by the present one than planned does so, but not
    /// before now. One that would come later keeps its time.
    pub fn follow(&mut self, now: Instant, gap_s: f64) {
        let sooner = self.last + Duration::from_secs_f64(gap_s);
        self.due = self.due.min(sooner.max(now));
    }

    /// The gap has changed: what is left of the one before, `before_s`, is that part of the present one. So each rate
    /// counts for as long as it holds, and pacers that divide a rate keep to it together but for a packet of each,
    /// however often it is divided anew; with [`follow`](Self::follow) each change may add a packet.
    pub fn rescale(&mut self, now: Instant, before_s: f64, gap_s: f64) {
        if self.due == Instant::FAR_FUTURE || self.due <= now || gap_s == before_s {
            return;
        }
        let left_s = self.due.since(now).as_secs_f64() * (gap_s / before_s);
        self.due = now + Duration::from_secs_f64(left_s);
        self.last = now - Duration::from_secs_f64((gap_s - left_s).max(0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn at(seconds: f64) -> Instant {
        Instant::from_secs_f64(seconds)
    }

    #[test]
    fn nominal_times_accumulate_and_what_is_too_old_is_let_go() {
        let mut pacer = Pacer::OFF;
        assert_eq!(pacer.due(), Instant::FAR_FUTURE);
        pacer.begin(at(3.0));
        // Late by 0.2 s, then by 0.9 s: both are made up for.
        for (now_s, due_s) in [(3.2, 3.5), (4.4, 4.0), (4.4, 4.5), (4.5, 5.0)] {
            pacer.sent(at(now_s), 0.5, SECOND);
            assert_eq!(pacer.due(), at(due_s), "sent at {now_s} s");
        }
        // Late by 3 s, of which 2 are lost: at 8 s those of 7, 7.5 and 8 go.
        for due_s in [7.5, 8.0, 8.5] {
            pacer.sent(at(8.0), 0.5, SECOND);
            assert_eq!(pacer.due(), at(due_s));
        }
    }

    #[test]
    fn a_beginning_within_a_gap_is_as_if_it_had_begun_before() {
        let mut pacer = Pacer::OFF;
        pacer.begin_within(at(10.0), 4.0, 0.75);
        assert_eq!(pacer.due(), at(13.0));
        // The packet before would have gone at 9 s.
        pacer.follow(at(10.5), 2.0);
        assert_eq!(pacer.due(), at(11.0));
        pacer.sent(at(11.0), 2.0, SECOND);
        assert_eq!(pacer.due(), at(13.0));
    }

    #[test]
    fn a_higher_rate_brings_a_packet_forward_but_not_before_now() {
        let mut pacer = Pacer::OFF;
        pacer.begin(at(10.0));
        pacer.sent(at(10.0), 8.0, SECOND);
        pacer.follow(at(11.0), 4.0);
        assert_eq!(pacer.due(), at(14.0));
        pacer.follow(at(12.0), 0.5);
        assert_eq!(pacer.due(), at(12.0), "it has been due since 10.5 s");
        pacer.follow(at(12.0), 5.0);
        assert_eq!(pacer.due(), at(12.0), "a lower rate does not put it off");
        pacer.sent(at(12.0), 5.0, SECOND);
        assert_eq!(pacer.due(), at(17.0));
    }

    #[test]
    fn a_gap_that_is_rescaled_keeps_the_part_that_has_passed() {
        let mut pacer = Pacer::OFF;
        pacer.rescale(at(1.0), 1.0, 2.0);
        assert_eq!(pacer.due(), Instant::FAR_FUTURE);
        pacer.begin(at(10.0));
        pacer.rescale(at(11.0), 1.0, 8.0);
        assert_eq!(pacer.due(), at(10.0), "what is due stays so");
        pacer.sent(at(10.0), 8.0, SECOND);
        // A quarter has passed, then half, then 7/8.
        for (now_s, before_s, gap_s, due_s) in
            [(12.0, 8.0, 4.0, 15.0), (13.0, 4.0, 16.0, 21.0), (19.0, 16.0, 8.0, 20.0)]
        {
            pacer.rescale(at(now_s), before_s, gap_s);
            assert_eq!(pacer.due(), at(due_s), "at {now_s} s");
        }
        // As if it had been 8 s all the time: since 12 s.
        pacer.follow(at(19.0), 7.5);
        assert_eq!(pacer.due(), at(19.5));
        pacer.sent(at(19.5), 7.5, SECOND);
        assert_eq!(pacer.due(), at(27.0));
    }
}
