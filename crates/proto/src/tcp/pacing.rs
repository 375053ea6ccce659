//! Pacing: segments go out evenly, somewhat faster than the window asks for, instead of at once when an acknowledgement
//! lets them go.
//!
//! The rate is a multiple of `cwnd / srtt`, 2 in slow start and 1.2 after: a window doubles in a round trip of slow
//! start, and what stands still below the path's rate could never find it. When the next segment may go is kept by
//! [`parts::pacer`](crate::parts::pacer); the sender waits for it by its deadline.

use super::window::Window;
use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::limits;
use crate::limits::from;
use crate::parts::pacer::Pacer;
use crate::time::{Duration, Instant};

/// How fast a paced sender sends, in windows per smoothed round-trip time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TcpPacing", transform = limits::declare::<Ratios>)]
#[serde(default, deny_unknown_fields)]
pub struct Ratios {
    /// Windows per round-trip time in slow start. Default 2: the window doubles in a round trip.
    pub slow_start: f64,
    /// Windows per round-trip time in congestion avoidance and recovery. Default 1.2: what has been held back is made
    /// up for.
    pub avoidance: f64,
}

impl Default for Ratios {
    fn default() -> Ratios {
        Ratios { slow_start: 2.0, avoidance: 1.2 }
    }
}

limits! { Ratios {
    slow_start, avoidance: from(1.0).to(MOST_RATIO).because("for less would hold the window back"),
} }

/// The largest ratio: at it a whole window goes out in a thousandth of a round trip.
const MOST_RATIO: f64 = 1000.0;

/// The pace of a sender, if it has one.
#[derive(Clone, Debug)]
pub struct Pace {
    ratios: Option<Ratios>,
    pacer: Pacer,
    /// Something waits for its time: a host that is late makes up for it. Time in which there was nothing to send is
    /// no such lateness.
    waiting: bool,
}

impl Pace {
    /// The first segment may go at once.
    pub fn new(ratios: Option<Ratios>) -> Pace {
        let mut pacer = Pacer::OFF;
        pacer.begin(Instant::ZERO);
        Pace { ratios, pacer, waiting: false }
    }

    /// Whether segments are paced.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.ratios.is_some()
    }

    /// Whether a segment may go now.
    #[inline]
    pub fn allows(&self, now: Instant) -> bool {
        self.ratios.is_none() || self.pacer.due() <= now
    }

    /// When the segment that is there may go: now or later. It waits from now on if it has to.
    pub fn ready(&mut self, now: Instant) -> Instant {
        if self.ratios.is_none() {
            return now;
        }
        if self.pacer.due() <= now {
            self.pacer.begin(now);
        }
        self.waiting = true;
        self.pacer.due()
    }

    /// A segment has been sent, in its turn or at once, as repairs are: the next may go a gap later. In a recovery the
    /// window is what it will be at the end, `recovered`. Before there is a round-trip time there is no gap.
    #[inline]
    pub fn sent(&mut self, now: Instant, srtt: Option<Duration>, window: &Window, recovered: Option<f64>) {
        let (Some(ratios), Some(srtt)) = (&self.ratios, srtt) else { return };
        let (cwnd, ratio) = if let Some(recovered) = recovered {
            (recovered, ratios.avoidance)
        } else if window.cwnd < window.ssthresh {
            (window.cwnd, ratios.slow_start)
        } else {
            (window.cwnd, ratios.avoidance)
        };
        let most_late = if self.waiting { srtt } else { Duration::ZERO };
        self.pacer.sent(now, srtt.as_secs_f64() / (ratio * cwnd.min(window.wnd)), most_late);
    }

    /// All that waited has gone.
    #[inline]
    pub fn rest(&mut self) {
        self.waiting = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Instant {
        Instant::from_secs_f64(seconds)
    }

    fn window(cwnd: f64, ssthresh: f64) -> Window {
        Window { cwnd, ssthresh, wnd: 1000.0 }
    }

    const SRTT: Option<Duration> = Some(Duration::from_millis(120));

    #[test]
    fn gaps_by_hand() {
        let gap_s = |window: &Window, recovered: Option<f64>| {
            let mut pace = Pace::new(Some(Ratios::default()));
            pace.sent(at(1.0), SRTT, window, recovered);
            assert!(!pace.allows(at(1.0)));
            pace.ready(at(1.0)).since(at(1.0)).as_secs_f64()
        };
        // 120 ms / (2 * 10), 120 ms / (1.2 * 10); in a recovery that ends with 10, that of 10.
        for (window, recovered, expected) in [
            (window(10.0, 64.0), None, 0.006),
            (window(10.0, 10.0), None, 0.010),
            (window(2.0, 10.0), Some(10.0), 0.010),
            (window(2.0, 10.0), None, 0.030),
            (Window { cwnd: 10.0, ssthresh: 10.0, wnd: 5.0 }, None, 0.020),
        ] {
            assert!((gap_s(&window, recovered) - expected).abs() < 1e-8, "{window:?}");
        }
    }

    #[test]
    fn a_late_host_makes_up_and_an_idle_one_does_not() {
        // Gaps of 10 ms. What waits from 1 s for 1.01 s and goes at 1.025 s is followed by what was due at 1.02 s at
        // once and the next at 1.03 s.
        let mut pace = Pace::new(Some(Ratios::default()));
        let w = window(10.0, 10.0);
        pace.sent(at(1.0), SRTT, &w, None);
        assert_eq!(pace.ready(at(1.0)), at(1.01));
        for allowed in [true, true, false] {
            assert_eq!(pace.allows(at(1.025)), allowed);
            if allowed {
                pace.sent(at(1.025), SRTT, &w, None);
            }
        }
        assert_eq!(pace.ready(at(1.025)), at(1.03));
        // Nothing to send until 2 s: one goes then, the next 10 ms later.
        pace.sent(at(1.03), SRTT, &w, None);
        pace.rest();
        assert_eq!(pace.ready(at(2.0)), at(2.0));
        pace.sent(at(2.0), SRTT, &w, None);
        assert_eq!(pace.ready(at(2.0)), at(2.01));
        // A repair that could not wait puts off what follows.
        pace.sent(at(2.002), SRTT, &w, None);
        assert_eq!(pace.ready(at(2.002)), at(2.02));
    }

    #[test]
    fn without_ratios_or_a_round_trip_time_there_is_no_gap() {
        for (mut pace, srtt) in [(Pace::new(None), SRTT), (Pace::new(Some(Ratios::default())), None)] {
            pace.sent(at(1.0), srtt, &window(10.0, 10.0), None);
            assert!(pace.allows(at(1.0)));
            assert_eq!(pace.ready(at(1.0)), at(1.0));
        }
    }
}
