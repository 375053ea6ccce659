//! Westwood+: Westwood with one sample of the bandwidth per round trip, which compressed ACKs do not mislead (Grieco
//! and Mascolo, ACM Computer Communication Review 34(2), 2004).

use super::delivered::Delivered;
use super::westwood::{LeastRtt, answer_loss, answer_mark, answer_timeout, as_it_began};
use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::limits;
use crate::limits::{above, from};
use crate::tcp::window::{Ack, Recovery, Window, WindowRule};
use crate::time::{Duration, Instant};

/// The parameters of Westwood+'s filter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TcpWestwoodPlus", transform = limits::declare::<Parameters>)]
#[serde(default, deny_unknown_fields)]
pub struct Parameters {
    /// The weight of a new sample, which is the mean of the last two. Default 0.1 (ns-3).
    pub weight: f64,
    /// A sample is over a round trip, but over no less than this. Default 50 ms (Linux).
    pub least_interval: Duration,
    /// A loss in slow start leaves at least this part of the window. The estimate is one of ten round trips and lags
    /// far behind a window that doubles in one. Default 0.5, what Reno leaves, and half of the window is what the path
    /// carried in the round trip before; 0 as published, and as in Linux.
    pub least_after_slow_start: f64,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters { weight: 0.1, least_interval: Duration::from_millis(50), least_after_slow_start: 0.5 }
    }
}

/// The longest of the least intervals.
const LONGEST_INTERVAL: Duration = Duration::from_secs(86_400);

limits! { Parameters {
    weight: above(0.0).to(1.0),
    least_interval: above(Duration::ZERO).to(LONGEST_INTERVAL),
    least_after_slow_start: from(0.0).to(1.0),
} }

/// The rule of Westwood+.
#[derive(Clone, Debug)]
pub struct WestwoodPlus {
    delivered: Delivered,
    meter: Meter,
    least_rtt: LeastRtt,
    least_after_slow_start: f64,
}

impl WestwoodPlus {
    /// Knows no bandwidth yet.
    pub fn new(parameters: &Parameters) -> WestwoodPlus {
        WestwoodPlus {
            delivered: Delivered::default(),
            meter: Meter::new(parameters),
            least_rtt: LeastRtt::default(),
            least_after_slow_start: parameters.least_after_slow_start,
        }
    }

    /// What the path carries without a queue, as far as is known when this window met a loss or a mark.
    fn pipe(&self, window: &Window) -> Option<f64> {
        let pipe = self.least_rtt.pipe(self.meter.estimate)?;
        let in_slow_start = window.cwnd < window.ssthresh;
        let least = if in_slow_start { self.least_after_slow_start * window.cwnd.min(window.wnd) } else { 0.0 };
        Some(pipe.max(least))
    }
}

impl WindowRule for WestwoodPlus {
    /// As in Linux. Over the links with random losses that it is meant for several losses fall into a window: NewReno
    /// repairs one of them per round trip, and its timer expires from the third on (RFC 6582 section 3.2 step 3), after
    /// which slow start leads to the whole threshold at once.
    fn recovery(&self) -> Recovery {
        Recovery::Sack
    }

    #[inline]
    fn observe(&mut self, ack: &Ack, _window: &mut Window) {
        let segments = self.delivered.by(ack);
        self.meter.take(ack, segments);
        self.least_rtt.take(ack.rtt);
    }

    fn on_loss(&mut self, _flight: u32, window: &mut Window) {
        answer_loss(self.pipe(window), window);
    }

    fn on_timeout(&mut self, _flight: u32, window: &mut Window) {
        answer_timeout(self.pipe(window), window);
        self.least_rtt.renew();
    }

    fn on_mark(&mut self, factor: f64, window: &mut Window) {
        answer_mark(factor, self.pipe(window), window);
    }

    fn on_timeout_after_mark(&mut self) {
        self.least_rtt.renew();
    }

    fn most_after_recovery(&self, window: &Window) -> f64 {
        as_it_began(window)
    }
}

/// What is acknowledged per round trip, smoothed.
#[derive(Clone, Debug)]
struct Meter {
    weight: f64,
    least_interval: Duration,
    /// The last round-trip time.
    rtt: Option<Duration>,
    /// When the present interval began; `None` before the first ACK.
    began: Option<Instant>,
    /// Segments reported since then.
    segments: u64,
    /// The last sample, segments/s.
    sample: f64,
    /// The estimate, segments/s; `None` before the first sample.
    estimate: Option<f64>,
}

impl Meter {
    fn new(parameters: &Parameters) -> Meter {
        let Parameters { weight, least_interval, .. } = *parameters;
        Meter { weight, least_interval, rtt: None, began: None, segments: 0, sample: 0.0, estimate: None }
    }

    /// An ACK reports this many segments. Those with which an interval begins belong to it, those of the ACK that ends
    /// it to the next one.
    #[inline]
    fn take(&mut self, ack: &Ack, segments: u32) {
        self.rtt = ack.rtt.or(self.rtt);
        let began = *self.began.get_or_insert(ack.arrived);
        let length = ack.arrived.since(began);
        if self.rtt.is_some_and(|rtt| length >= rtt.max(self.least_interval)) {
            self.end_interval(self.segments as f64 / length.as_secs_f64());
            self.began = Some(ack.arrived);
            self.segments = 0;
        }
        self.segments += u64::from(segments);
    }

    /// The first sample is the estimate, as in Linux: a filter that began at zero would take twenty round trips to
    /// know the path.
    fn end_interval(&mut self, sample: f64) {
        self.estimate = Some(match self.estimate {
            None => sample,
            Some(estimate) => (1.0 - self.weight) * estimate + self.weight * (sample + self.sample) / 2.0,
        });
        self.sample = sample;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limited;
    use crate::tcp::Credit;

    fn ack(at_ms: u64, rtt_ms: Option<u64>) -> Ack {
        let now = Instant::ZERO + Duration::from_millis(at_ms);
        Ack {
            arrived: now,
            newly_acked: 1,
            flight: 9,
            rtt: rtt_ms.map(Duration::from_millis),
            srtt: None,
            credit: Credit::ONE,
        }
    }

    #[test]
    fn samples_by_hand() {
        let mut meter = Meter::new(&Parameters::default());
        // From 1000 ms on one segment every 20 ms; the round trip, 100 ms, is known at 1040 ms. The interval ends at
        // 1100 ms with the five segments before: 50 a second.
        for at in (1000..=1100).step_by(20) {
            assert_eq!(meter.estimate, None, "{at}");
            meter.take(&ack(at, (at == 1040).then_some(100)), 1);
        }
        assert_eq!(meter.estimate, Some(50.0));
        // Twice as much in the next: 0.9·50 + 0.1·(100 + 50)/2.
        for at in (1120..=1200).step_by(20) {
            meter.take(&ack(at, None), if at == 1120 { 6 } else { 1 });
        }
        assert_eq!(meter.estimate, Some(52.5));
        // A longer round trip lengthens the interval: 15 ACKs at 1210 .. 1350 and the one of 1200 in 160 ms.
        for at in (1210..=1350).step_by(10) {
            meter.take(&ack(at, (at == 1250).then_some(155)), 1);
            assert_eq!(meter.estimate, Some(52.5), "{at}");
        }
        meter.take(&ack(1360, None), 1);
        assert_eq!(meter.estimate, Some(0.9 * 52.5 + 0.1 * (100.0 + 100.0) / 2.0));
    }

    #[test]
    fn a_sample_is_over_no_less_than_the_least_interval() {
        for (least_ms, samples) in [(50, 4), (10, 20), (100, 2)] {
            let least_interval = Duration::from_millis(least_ms);
            let mut meter = Meter::new(&Parameters { least_interval, ..Parameters::default() });
            let mut ends = 0;
            for at in (0..=200).step_by(5) {
                meter.take(&ack(at, Some(7)), 1);
                ends += u32::from(meter.segments == 1 && at > 0);
            }
            assert_eq!((ends, meter.estimate), (samples, Some(200.0)), "{least_ms} ms");
        }
    }

    #[test]
    fn a_constant_rate_of_acks_is_known_after_five_seconds() {
        for (interval_ms, segments, rtt_ms) in [(1, 1, 20), (15, 1, 540), (30, 2, 540), (100, 2, 100)] {
            let mut meter = Meter::new(&Parameters::default());
            for at in (0..=5000).step_by(interval_ms) {
                meter.take(&ack(at, Some(rtt_ms)), segments);
            }
            let rate = f64::from(segments) / (interval_ms as f64 / 1e3);
            let estimate = meter.estimate.expect("there were ACKs");
            assert!((estimate / rate - 1.0).abs() < 0.01, "{segments} each {interval_ms} ms: {estimate} for {rate}");
        }
    }

    #[test]
    fn a_loss_in_slow_start_leaves_half_and_a_later_one_what_the_path_carries() {
        // 100 segments/s and 100 ms: 10 segments.
        let after = |least_after_slow_start, window: Window, answer: fn(&mut WestwoodPlus, &mut Window)| {
            let parameters = Parameters { least_after_slow_start, ..Parameters::default() };
            let mut rule = WestwoodPlus::new(&parameters);
            let mut window = window;
            for n in 0..=1000 {
                rule.observe(&ack(10 * n, Some(100)), &mut window);
            }
            answer(&mut rule, &mut window);
            (window.cwnd.round(), window.ssthresh.round())
        };
        let slow_start = Window { cwnd: 80.0, ssthresh: 1e9, wnd: 60.0 };
        let avoidance = Window { cwnd: 80.0, ssthresh: 80.0, wnd: 60.0 };
        for (least, kept) in [(0.5, 30.0), (0.25, 15.0), (0.1, 10.0), (0.0, 10.0), (1.0, 60.0)] {
            assert_eq!(after(least, slow_start, |rule, w| rule.on_loss(9, w)), (kept, kept));
            assert_eq!(after(least, slow_start, |rule, w| rule.on_mark(0.5, w)), (kept, kept));
            assert_eq!(after(least, slow_start, |rule, w| rule.on_timeout(9, w)), (1.0, kept));
            assert_eq!(after(least, avoidance, |rule, w| rule.on_loss(9, w)), (10.0, 10.0));
        }
    }

    #[test]
    fn wrong_parameters_are_named() {
        let wrong = |weight, least_interval| {
            let wrong = Parameters { weight, least_interval, ..Parameters::default() }.beyond_limits();
            wrong.iter().map(|(field, message)| format!("{field}: {message}")).collect::<Vec<_>>().join("; ")
        };
        let ms = Duration::from_millis;
        assert_eq!(wrong(0.0, ms(50)), "weight: 0 given; legal is above 0 up to 1");
        assert_eq!(wrong(1.1, ms(50)), "weight: 1.1 given; legal is above 0 up to 1");
        assert_eq!(wrong(f64::NAN, ms(50)), "weight: NaN given; legal is above 0 up to 1");
        assert_eq!(wrong(0.1, ms(0)), "least_interval: 0 s given; legal is above 0 s up to 86400 s");
        for least_after_slow_start in [-0.1, 1.1, f64::NAN] {
            let [(field, message)] =
                &Parameters { least_after_slow_start, ..Parameters::default() }.beyond_limits()[..]
            else {
                panic!("{least_after_slow_start}");
            };
            let said = (field.clone(), message.as_str());
            let given = format!("{least_after_slow_start} given; legal is 0 to 1");
            assert_eq!(said, ("least_after_slow_start".to_owned(), given.as_str()));
        }
        assert_eq!((wrong(1.0, LONGEST_INTERVAL), wrong(1e-9, Duration(1))), (String::new(), String::new()));
    }
}
