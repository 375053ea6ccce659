//! Hybla: a flow with a long round trip grows as fast, in segments per second, as a reference flow with the round trip
//! RTT0 would (Caini and Firrincieli, Int. J. of Satellite Communications and Networking 22, 2004).
//!
//! With ρ = RTT/RTT0, at least 1, an ACK adds `2^ρ - 1` in slow start and `ρ²/cwnd` in congestion avoidance. Losses are
//! answered and repaired as NewReno does; with ρ = 1 it *is* NewReno.

use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::limits;
use crate::limits::above;
use crate::tcp::window::{Ack, Recovery, Window, WindowRule};
use crate::time::Duration;

/// The parameters of Hybla.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TcpHybla", transform = limits::declare::<Parameters>)]
#[serde(default, deny_unknown_fields)]
pub struct Parameters {
    /// RTT0, the round trip of the reference connection, whose growth is imitated. Flows with a shorter one grow as
    /// NewReno does. Default 25 ms (Linux; ns-3 has 50 ms).
    pub rtt0: Duration,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters { rtt0: Duration::from_millis(25) }
    }
}

limits! { Parameters {
    rtt0: above(Duration::ZERO),
} }

/// The rule of Hybla.
#[derive(Clone, Debug)]
pub struct Hybla {
    rtt0: Duration,
    /// The least smoothed round-trip time that has been seen.
    least_srtt: Option<Duration>,
    rho: f64,
    /// What an ACK adds in slow start, segments: `2^ρ - 1`, within [`LARGEST_STEP`].
    step: f64,
    /// Neither a loss nor a mark has been answered yet.
    untouched: bool,
}

impl Hybla {
    /// Grows as NewReno does until a round-trip time is known.
    pub fn new(parameters: &Parameters) -> Hybla {
        Hybla { rtt0: parameters.rtt0, least_srtt: None, rho: 1.0, step: 1.0, untouched: true }
    }

    /// ρ, how many times longer the round trip is than that of the reference connection; at least 1.
    pub fn rho(&self) -> f64 {
        self.rho
    }

    /// Takes in a smoothed round-trip time. As in Linux, a new least one gives a new ρ: what queues add does not count.
    #[inline]
    fn take(&mut self, srtt: Option<Duration>, window: &mut Window) {
        let Some(srtt) = srtt.filter(|&srtt| self.least_srtt.is_none_or(|least| srtt < least)) else { return };
        let first = self.least_srtt.is_none();
        self.least_srtt = Some(srtt);
        self.rho = (srtt.0 as f64 / self.rtt0.0 as f64).max(1.0);
        self.step = (libm::exp2(self.rho) - 1.0).min(LARGEST_STEP);
        if first && self.untouched {
            // Linux starts with ρ segments, as its handshake has measured the round trip. Here it may be known later
            // only, and more than the 4 segments of RFC 3390 are not sent at once.
            window.cwnd = window.cwnd.max(self.rho.min(LARGEST_START)).min(window.wnd.max(window.cwnd));
        }
    }
}

/// The largest window that a connection begins with because of its ρ, segments (RFC 3390).
const LARGEST_START: f64 = 4.0;
/// The most that an ACK adds, segments: Linux lets ρ be 16 at most in slow start. Where neither the threshold nor the
/// receiver's window bounds a window, 2^21.6 segments would leave at once over a satellite.
const LARGEST_STEP: f64 = 65_535.0;

impl WindowRule for Hybla {
    fn recovery(&self) -> Recovery {
        Recovery::NewReno
    }

    fn on_open(&mut self, srtt: Option<Duration>, window: &mut Window) {
        self.take(srtt, window);
    }

    #[inline]
    fn observe(&mut self, ack: &Ack, window: &mut Window) {
        self.take(ack.srtt, window);
    }

    /// An ACK adds what it is published to, whatever it acknowledges.
    fn byte_counting(&self) -> bool {
        false
    }

    #[inline]
    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        if self.rho == 1.0 {
            return window.grow(ack);
        }
        let step = if window.cwnd < window.ssthresh {
            // No further than the threshold, but for the one segment that Reno would add, too.
            (self.step * f64::from(ack.credit.slow_start)).min((window.ssthresh - window.cwnd).max(1.0))
        } else {
            // The window once over is a round trip, in which a reference flow adds ρ².
            let a_round_trip = self.rho * self.rho;
            (a_round_trip * f64::from(ack.credit.avoidance) / window.cwnd).min(a_round_trip)
        };
        window.cwnd += step.min(LARGEST_STEP);
    }

    fn on_loss(&mut self, _flight: u32, window: &mut Window) {
        self.untouched = false;
        window.halve();
    }

    fn on_timeout(&mut self, _flight: u32, window: &mut Window) {
        self.untouched = false;
        window.collapse();
    }

    fn on_mark(&mut self, factor: f64, window: &mut Window) {
        self.untouched = false;
        window.scale(factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limited;
    use crate::tcp::Credit;
    use crate::time::Instant;

    fn ack(srtt: Option<Duration>) -> Ack {
        Ack { arrived: Instant::ZERO, newly_acked: 1, flight: 10, rtt: srtt, srtt, credit: Credit::ONE }
    }

    fn hybla(rtt0_ms: u64) -> Hybla {
        Hybla::new(&Parameters { rtt0: Duration::from_millis(rtt0_ms) })
    }

    /// The window after an ACK with this smoothed round-trip time.
    fn grown(rule: &mut Hybla, srtt_ms: u64, cwnd: f64, ssthresh: f64) -> f64 {
        let mut window = Window { cwnd, ssthresh, wnd: 1e9 };
        let ack = ack(Some(Duration::from_millis(srtt_ms)));
        rule.observe(&ack, &mut window);
        rule.grow(&ack, &mut window);
        window.cwnd
    }

    #[test]
    fn growth_at_twice_the_reference_by_hand() {
        // 540 ms over 270 ms: ρ = 2, so 2^2 - 1 = 3, and 4/cwnd.
        let mut rule = hybla(270);
        assert_eq!(grown(&mut rule, 540, 10.0, 64.0), 13.0);
        assert_eq!(rule.rho(), 2.0);
        assert_eq!(grown(&mut rule, 540, 16.0, 16.0), 16.25);
        // No further than the threshold, or as far beyond as Reno.
        assert_eq!(grown(&mut rule, 540, 10.0, 12.5), 12.5);
        assert_eq!(grown(&mut rule, 540, 12.0, 12.5), 13.0);
    }

    #[test]
    fn growth_counts_segments_by_hand() {
        // At twice the reference: 3 for each of two in slow start, 4/16 for each of three after it, 4 at most.
        let mut rule = hybla(270);
        let mut grown = |cwnd, ssthresh, slow_start, avoidance| {
            let mut window = Window { cwnd, ssthresh, wnd: 1e9 };
            let credit = Credit { slow_start, avoidance };
            let ack = Ack { credit, ..ack(Some(Duration::from_millis(540))) };
            rule.observe(&ack, &mut window);
            rule.grow(&ack, &mut window);
            window.cwnd
        };
        assert_eq!((grown(10.0, 64.0, 2, 5), grown(10.0, 15.0, 2, 5)), (16.0, 15.0));
        assert_eq!((grown(16.0, 16.0, 1, 3), grown(16.0, 16.0, 1, 100)), (16.75, 20.0));
    }

    #[test]
    fn growth_at_the_default_reference_over_a_satellite_by_hand() {
        // 540 ms over 25 ms: ρ = 21.6; 21.6² = 466.56.
        let mut rule = hybla(25);
        assert_eq!(grown(&mut rule, 540, 10.0, 64.0), 64.0);
        assert!((grown(&mut rule, 540, 100.0, 64.0) - 104.6656).abs() < 1e-9);
        // 2^21.6 - 1 is more than three million.
        assert_eq!(grown(&mut rule, 540, 10.0, 1e9), 10.0 + 65_535.0);
        // 300 ms: 2^12 - 1.
        assert_eq!(grown(&mut hybla(25), 300, 10.0, 1e9), 10.0 + 4095.0);
    }

    #[test]
    fn a_round_trip_below_the_reference_counts_as_the_reference() {
        for srtt_ms in [1, 24, 25] {
            let mut rule = hybla(25);
            assert_eq!(grown(&mut rule, srtt_ms, 10.0, 64.0), 11.0);
            assert_eq!(grown(&mut rule, srtt_ms, 63.5, 64.0), 64.5);
            assert_eq!(grown(&mut rule, srtt_ms, 64.0, 64.0), 64.0 + 1.0 / 64.0);
        }
    }

    #[test]
    fn nothing_overflows() {
        // ρ = 100, and ρ = 6e10, where 2^ρ is no number any more.
        for (rtt0, srtt) in [(Duration::from_millis(6), 600), (Duration(1), 60_000)] {
            let parameters = Parameters { rtt0 };
            let mut rule = Hybla::new(&parameters);
            assert_eq!(grown(&mut rule, srtt, 3.0, 64.0), 64.0);
            assert_eq!(grown(&mut rule, srtt, 3.0, 1e9), 3.0 + 65_535.0);
            let avoiding = grown(&mut rule, srtt, 1000.0, 64.0);
            assert!(avoiding > 1000.0 && avoiding <= 1000.0 + 65_535.0, "{avoiding}");
        }
        let mut hundred = hybla(6);
        assert_eq!(grown(&mut hundred, 600, 1000.0, 64.0), 1010.0);
        assert_eq!(hundred.rho(), 100.0);
    }

    #[test]
    fn only_a_new_least_round_trip_changes_rho() {
        let mut rule = hybla(100);
        for (srtt_ms, rho) in [(400, 4.0), (500, 4.0), (300, 3.0), (350, 3.0), (50, 1.0), (300, 1.0)] {
            let _ = grown(&mut rule, srtt_ms, 10.0, 64.0);
            assert_eq!(rule.rho(), rho, "{srtt_ms} ms");
        }
    }

    #[test]
    fn the_first_window_grows_with_the_first_measurement_only() {
        let opened_after = |before: fn(&mut Hybla, &mut Window), rtt0_ms, cwnd, wnd| {
            let (mut rule, mut window) = (hybla(rtt0_ms), Window { cwnd, ssthresh: 64.0, wnd });
            before(&mut rule, &mut window);
            rule.observe(&ack(None), &mut window);
            rule.on_open(Some(Duration::from_millis(300)), &mut window);
            rule.observe(&ack(Some(Duration::from_millis(200))), &mut window);
            window.cwnd
        };
        let opened = |rtt0_ms, cwnd, wnd| opened_after(|_, _| (), rtt0_ms, cwnd, wnd);
        assert_eq!(opened(25, 2.0, 64.0), 4.0);
        assert_eq!(opened(100, 2.0, 64.0), 3.0);
        assert_eq!(opened(100, 10.0, 64.0), 10.0);
        assert_eq!(opened(300, 2.0, 64.0), 2.0);
        assert_eq!(opened(25, 2.0, 3.0), 3.0);
        // Not once something was lost or marked.
        assert_eq!(opened_after(|rule, window| rule.on_timeout(1, window), 25, 2.0, 64.0), 1.0);
        assert_eq!(opened_after(|rule, window| rule.on_loss(5, window), 25, 5.0, 64.0), 2.5);
        assert_eq!(opened_after(|rule, window| rule.on_mark(0.5, window), 25, 5.0, 64.0), 2.5);
    }

    #[test]
    fn it_grows_as_newreno_until_a_round_trip_is_known() {
        let mut rule = hybla(25);
        let mut grown = |cwnd| {
            let mut window = Window { cwnd, ssthresh: 64.0, wnd: 1e9 };
            rule.grow(&ack(None), &mut window);
            window.cwnd
        };
        assert_eq!(grown(10.0), 11.0);
        assert_eq!(grown(64.0), 64.0 + 1.0 / 64.0);
    }

    #[test]
    fn a_reference_of_no_time_is_named() {
        let wrong = Parameters { rtt0: Duration::ZERO }.beyond_limits();
        assert_eq!(wrong, [("rtt0".to_owned(), "0 s given; legal is above 0 s".to_owned())]);
        assert_eq!(Parameters::default().beyond_limits(), []);
    }
}
