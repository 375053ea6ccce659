//! When a sender probes, and what an answer shows (section 5.5.2.1).

use faircast_codec::norm::Time;
use faircast_codec::norm::tfmcc::instant;
use faircast_proto::time::{Duration, Instant};

/// Probes: NORM_CMD(CC).
#[derive(Clone, Copy, Debug)]
pub struct Probing {
    at: Instant,
    gap: Duration,
    /// The number of the next.
    next: u16,
    /// Data has begun, and the first probe that was sent then; none as soon as that has been answered.
    has_begun: bool,
    first_with_data: Option<u16>,
    /// Data has been sent since the last.
    has_data: bool,
}

/// The first gap, GRTT_sender before anybody has answered (section 5.5.2.1).
const FIRST: Duration = Duration::from_millis(500);
/// Gaps do not grow beyond this while nobody answers. The RFC has 30 s; a receiver that comes then would wait as long,
/// since no data is sent before somebody answers.
const MOST: Duration = Duration::from_secs(2);
/// Nor are they shorter than this, the granularity of hosts' clocks that the rate counts with.
const LEAST: Duration = Duration::from_millis(10);

impl Default for Probing {
    fn default() -> Probing {
        Probing {
            at: Instant::FAR_FUTURE,
            gap: FIRST,
            next: 0,
            has_begun: false,
            first_with_data: None,
            has_data: false,
        }
    }
}

impl Probing {
    /// The first probe is due.
    pub fn start(&mut self, now: Instant) {
        self.at = now;
    }

    /// No more.
    pub fn stop(&mut self) {
        self.at = Instant::FAR_FUTURE;
    }

    /// Data begins; the round-trip time is `rtt_s` seconds.
    pub fn begin(&mut self, now: Instant, rtt_s: f64) {
        self.has_begun = true;
        self.first_with_data = Some(self.next);
        self.gap = Duration::from_secs_f64(rtt_s);
        self.at = now + self.gap;
    }

    /// When the next is due. Where there is data to send, there is no more than one for each packet of it.
    pub fn at(&self, is_pending: bool) -> Instant {
        if is_pending && !self.has_data && self.has_begun { Instant::FAR_FUTURE } else { self.at }
    }

    /// A packet of data has been sent.
    pub fn data(&mut self) {
        self.has_data = true;
    }

    /// One is sent: its number. The next is due after the round-trip time of the receiver that limits, in seconds, or
    /// if nobody does after twice the gap.
    pub fn sent(&mut self, now: Instant, clr_rtt_s: Option<f64>) -> u16 {
        self.gap =
            clr_rtt_s.map_or(MOST.min(Duration(2 * self.gap.0)), |rtt_s| LEAST.max(Duration::from_secs_f64(rtt_s)));
        self.at = now + self.gap;
        self.has_data = false;
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        number
    }

    /// A receiver limits, with a round-trip time of so many seconds: the next is due after that at the latest.
    pub fn follow(&mut self, now: Instant, clr_rtt_s: Option<f64>) {
        if let Some(rtt_s) = clr_rtt_s {
            self.at = self.at.min(now + LEAST.max(Duration::from_secs_f64(rtt_s)));
        }
    }

    /// Whether the probe with this number went before there was data.
    pub fn is_before_data(&self, number: u16) -> bool {
        match self.first_with_data {
            Some(first) => (number.wrapping_sub(first) as i16) < 0,
            None => !self.has_begun,
        }
    }

    /// One of them has been answered that was sent when there was data: all answers are, from now on, as numbers wrap.
    pub fn data_is_reported(&mut self) {
        self.first_with_data = None;
    }
}

/// What a round-trip time is at most; what is more is an answer to nothing.
const MOST_RTT: Duration = Duration::from_secs(64);

/// The round-trip time that an answer shows, seconds; none if it answers no probe.
pub(super) fn sample(arrived: Instant, response: Time) -> Option<f64> {
    let sent = instant(response);
    // Stamps are in microseconds, and what is answered at once may come with the same.
    let is_plausible = response != Time::default() && sent.0 <= arrived.0 + 1_000_000;
    let took = arrived.since(sent);
    (is_plausible && took <= MOST_RTT).then(|| took.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn gaps_double_until_somebody_limits() {
        let mut probing = Probing::default();
        assert_eq!(probing.at(true), Instant::FAR_FUTURE);
        probing.start(at(0));
        let mut now = at(0);
        let gaps: Vec<u64> = (0..4)
            .map(|number| {
                assert_eq!(probing.sent(now, None), number);
                let gap = probing.at(false).since(now);
                now = probing.at(false);
                gap.0 / 1_000_000
            })
            .collect();
        assert_eq!(gaps, [1000, 2000, 2000, 2000]);
        probing.begin(now, 0.04);
        assert!(probing.is_before_data(3) && !probing.is_before_data(4));
        probing.data();
        assert_eq!(probing.at(true), now + Duration::from_millis(40));
        probing.sent(now, Some(0.1));
        assert_eq!(probing.at(true), Instant::FAR_FUTURE, "one for each packet");
        assert_eq!(probing.at(false), now + Duration::from_millis(100));
        probing.follow(now, Some(0.05));
        probing.data();
        assert_eq!(probing.at(true), now + Duration::from_millis(50));
    }
}
