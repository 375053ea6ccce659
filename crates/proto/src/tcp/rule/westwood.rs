//! Westwood: after a loss the window becomes what the path was found to carry, bandwidth times least round-trip time
//! (Casetti, Gerla, Mascolo, Sanadidi, Wang: "TCP Westwood: Bandwidth Estimation for Enhanced Transport over Wireless
//! Links", MobiCom 2001). Growth is that of Reno.
//!
//! The bandwidth is estimated anew on every ACK, by a low-pass filter with time constant τ; where none comes for τ/m,
//! the filter gets a sample of zero.

use super::delivered::Delivered;
use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::limits;
use crate::limits::{above, from};
use crate::tcp::window::{Ack, MIN_SSTHRESH, Recovery, Window, WindowRule};
use crate::time::{Duration, Instant};

/// The parameters of Westwood's filter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TcpWestwood", transform = limits::declare::<Parameters>)]
#[serde(default, deny_unknown_fields)]
pub struct Parameters {
    /// The time constant τ of the filter. Default 0.5 s.
    pub tau: Duration,
    /// Where no ACK comes for `tau / m`, a sample of zero is taken in. Default 2, the least that the sampling theorem
    /// allows.
    pub m: f64,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters { tau: Duration::from_millis(500), m: 2.0 }
    }
}

/// The largest time constant.
const LONGEST: Duration = Duration::from_secs(86_400);

limits! { Parameters {
    tau: above(Duration::ZERO).to(LONGEST),
    m: from(1.0).to(1000.0),
} }

/// The rule of Westwood.
#[derive(Clone, Debug)]
pub struct Westwood {
    delivered: Delivered,
    filter: Filter,
    least_rtt: LeastRtt,
}

impl Westwood {
    /// Knows no bandwidth yet.
    pub fn new(parameters: &Parameters) -> Westwood {
        Westwood { delivered: Delivered::default(), filter: Filter::new(parameters), least_rtt: LeastRtt::default() }
    }

    /// What the path carries without a queue, segments; `None` while that is not known.
    fn pipe(&self) -> Option<f64> {
        self.least_rtt.pipe(self.filter.segments_per_s())
    }
}

impl WindowRule for Westwood {
    /// As the first version had it, which the studies of its time mean; `recovery = "newreno"` combines it otherwise.
    fn recovery(&self) -> Recovery {
        Recovery::Reno
    }

    #[inline]
    fn observe(&mut self, ack: &Ack, _window: &mut Window) {
        let segments = self.delivered.by(ack);
        self.filter.take(ack.arrived, segments);
        self.least_rtt.take(ack.rtt);
    }

    fn on_loss(&mut self, _flight: u32, window: &mut Window) {
        answer_loss(self.pipe(), window);
    }

    fn on_timeout(&mut self, _flight: u32, window: &mut Window) {
        answer_timeout(self.pipe(), window);
        self.least_rtt.renew();
    }

    fn on_mark(&mut self, factor: f64, window: &mut Window) {
        answer_mark(factor, self.pipe(), window);
    }

    fn on_timeout_after_mark(&mut self) {
        self.least_rtt.renew();
    }

    fn most_after_recovery(&self, window: &Window) -> f64 {
        as_it_began(window)
    }
}

/// A first-order low-pass filter of samples that come at any times (its bilinear discretisation).
#[derive(Clone, Debug)]
struct Filter {
    tau_s: f64,
    /// After so long without an ACK there is a sample of zero.
    silence: Duration,
    /// What a sample of zero leaves of the estimate.
    kept: f64,
    /// The last ACK; `None` before the first.
    last: Option<Instant>,
    /// Reported at that very moment, which is too short for a sample.
    pending: u32,
    /// The last sample, segments/s.
    sample: f64,
    /// The estimate, segments/s; `None` before the first sample.
    estimate: Option<f64>,
}

impl Filter {
    fn new(parameters: &Parameters) -> Filter {
        let tau_s = parameters.tau.as_secs_f64();
        let silence = Duration(parameters.tau.mul_f64(1.0 / parameters.m).0.max(1));
        Filter { tau_s, silence, kept: kept_after(silence, tau_s), last: None, pending: 0, sample: 0.0, estimate: None }
    }

    #[inline]
    fn segments_per_s(&self) -> Option<f64> {
        self.estimate
    }

    /// An ACK reports this many segments now. The first begins the measurement: over which time its segments came,
    /// nobody knows.
    #[inline]
    fn take(&mut self, now: Instant, segments: u32) {
        // One that arrived before the last counts as come with it.
        let now = self.last.map_or(now, |last| last.max(now));
        let Some(last) = self.last.replace(now) else { return };
        self.pending = self.pending.saturating_add(segments);
        let since = now.since(last);
        if since == Duration::ZERO {
            return;
        }
        // Over the whole time since the last ACK, samples of zero or not. Over what they leave of it, an ACK just after
        // one of them would stand for a bandwidth without bound.
        let sample = f64::from(core::mem::take(&mut self.pending)) / since.as_secs_f64();
        let rest = self.pass_silence(since);
        let kept = kept_after(rest, self.tau_s);
        let estimate = self.estimate.unwrap_or(0.0);
        self.estimate = Some(kept * estimate + (1.0 - kept) * (sample + self.sample) / 2.0);
        self.sample = sample;
    }

    /// Samples of zero until no more than the time for one is left of `since`, which is returned.
    #[inline]
    fn pass_silence(&mut self, since: Duration) -> Duration {
        let zeros = (since.0 - 1) / self.silence.0;
        if zeros > 0 {
            let estimate = self.estimate.unwrap_or(0.0);
            let first = self.kept * estimate + (1.0 - self.kept) * self.sample / 2.0;
            // All further ones follow a zero: one power, however long the silence.
            self.estimate = Some(first * libm::pow(self.kept, (zeros - 1) as f64));
            self.sample = 0.0;
        }
        Duration(since.0 - zeros * self.silence.0)
    }
}

/// What a sample after `interval` leaves of the estimate.
#[inline]
fn kept_after(interval: Duration, tau_s: f64) -> f64 {
    let interval_s = interval.as_secs_f64();
    (2.0 * tau_s - interval_s) / (2.0 * tau_s + interval_s)
}

/// The least round-trip time since the beginning, or since the measurement that follows a time-out (Linux): the way may
/// be another one then.
#[derive(Clone, Debug, Default)]
pub struct LeastRtt {
    least: Option<Duration>,
    is_old: bool,
}

impl LeastRtt {
    /// Takes in what an ACK has measured.
    #[inline]
    pub fn take(&mut self, rtt: Option<Duration>) {
        let Some(rtt) = rtt else { return };
        match self.least {
            Some(least) if !self.is_old && least <= rtt => {}
            _ => self.least = Some(rtt),
        }
        self.is_old = false;
    }

    /// The next measurement counts whatever was measured before.
    pub fn renew(&mut self) {
        self.is_old = true;
    }

    /// What a path with this bandwidth carries without a queue, segments.
    pub fn pipe(&self, segments_per_s: Option<f64>) -> Option<f64> {
        Some(segments_per_s? * self.least?.as_secs_f64())
    }
}

/// After a loss: the threshold is what the path carries, and the window no more than that. Before anything is known
/// of the path, half.
pub fn answer_loss(pipe: Option<f64>, window: &mut Window) {
    let Some(pipe) = pipe else { return window.halve() };
    window.ssthresh = pipe.max(MIN_SSTHRESH);
    window.cwnd = window.cwnd.min(window.wnd).min(window.ssthresh);
}

/// After a time-out: the threshold as after a loss, and a window of one segment.
pub fn answer_timeout(pipe: Option<f64>, window: &mut Window) {
    answer_loss(pipe, window);
    window.cwnd = 1.0;
}

/// After a mark: as after a loss (RFC 3168 section 5), whatever its level. What is more than the path carries stands in
/// the queue that has marked; how much, the estimate says better than `factor`.
pub fn answer_mark(factor: f64, pipe: Option<f64>, window: &mut Window) {
    match pipe {
        Some(_) => answer_loss(pipe, window),
        None => window.scale(factor),
    }
}

/// The most that a recovery which begins with this window ends with: no loss makes a window larger, though the
/// threshold may be far above it.
pub fn as_it_began(window: &Window) -> f64 {
    window.cwnd.max(MIN_SSTHRESH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limited;
    use crate::tcp::Credit;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6 * b.abs().max(1e-6)
    }

    /// A filter that hears `segments` every `interval_us` for so long, and when it heard them last.
    fn fed(parameters: &Parameters, interval_us: u64, segments: u32, seconds: f64) -> (Filter, Instant) {
        let (mut filter, mut now) = (Filter::new(parameters), Instant::from_secs_f64(7.0));
        let count = (seconds * 1e6) as u64 / interval_us;
        for _ in 0..=count {
            filter.take(now, segments);
            now += Duration::from_micros(interval_us);
        }
        (filter, now - Duration::from_micros(interval_us))
    }

    fn hundred_per_second() -> (Filter, Instant) {
        let (filter, now) = fed(&Parameters::default(), 10_000, 1, 30.0);
        assert!(close(filter.estimate.expect("fed"), 100.0), "{filter:?}");
        (filter, now)
    }

    #[test]
    fn a_constant_rate_of_acks_is_known_after_five_seconds() {
        for (interval_us, segments) in [(7, 1), (1_000, 1), (14_720, 1), (29_440, 2), (100_000, 2), (250_000, 5)] {
            let (filter, _) = fed(&Parameters::default(), interval_us, segments, 5.0);
            let rate = f64::from(segments) / (interval_us as f64 / 1e6);
            let estimate = filter.estimate.expect("there were ACKs");
            assert!((estimate / rate - 1.0).abs() < 0.01, "{segments} each {interval_us} us: {estimate} for {rate}");
        }
    }

    #[test]
    fn a_pause_of_a_second_by_hand() {
        // τ/m = 0.25 s: α = 0.75/1.25 = 0.6. Zeros after 0.25, 0.5 and 0.75 s: 60 + 0.4·(0 + 100)/2 = 80, 48, 28.8.
        // Then the ACK, one segment in 1 s: 0.6·28.8 + 0.4·(1 + 0)/2.
        let (mut filter, now) = hundred_per_second();
        filter.take(now + Duration::from_secs(1), 1);
        assert!(close(filter.estimate.expect("fed"), 17.48), "{filter:?}");
        assert!(close(filter.sample, 1.0), "{filter:?}");
        // τ/m itself is no pause yet: 60 + 0.4·(4 + 100)/2. A little more is: 80, and hardly anything for the ACK.
        let (mut filter, now) = hundred_per_second();
        filter.take(now + Duration::from_millis(250), 1);
        assert!(close(filter.estimate.expect("fed"), 80.8), "{filter:?}");
        let (mut filter, now) = hundred_per_second();
        filter.take(now + Duration(250_000_001), 1);
        assert!(close(filter.estimate.expect("fed"), 80.0), "{filter:?}");
    }

    #[test]
    fn other_parameters_by_hand() {
        // τ = 1 s, m = 4: τ/m = 0.25 s again, α = 1.75/2.25 = 7/9. A pause of 0.5 s: one zero, 70 + 20 = 800/9, and
        // then 7/9·800/9 + 2/9·(3/0.5)/2.
        let parameters = Parameters { tau: Duration::from_secs(1), m: 4.0 };
        let (mut filter, now) = fed(&parameters, 10_000, 1, 60.0);
        filter.take(now + Duration::from_millis(500), 3);
        assert!(close(filter.estimate.expect("fed"), 5600.0 / 81.0 + 2.0 / 3.0), "{filter:?}");
    }

    #[test]
    fn acks_of_one_moment_are_one_sample() {
        let (mut filter, now) = hundred_per_second();
        for segments in [3, 2] {
            filter.take(now, segments);
        }
        assert!(close(filter.estimate.expect("fed"), 100.0), "{filter:?}");
        filter.take(now + Duration::from_millis(10), 1);
        assert!(close(filter.sample, 600.0), "{filter:?}");
        // α = 0.99/1.01: 100·α + (1 - α)·(600 + 100)/2.
        assert!(close(filter.estimate.expect("fed"), (99.0 + 0.02 * 350.0) / 1.01), "{filter:?}");
    }

    #[test]
    fn the_first_ack_only_begins_the_measurement() {
        let mut filter = Filter::new(&Parameters::default());
        filter.take(Instant::from_secs_f64(3.0), 1);
        assert_eq!(filter.estimate, None);
        // α = 0.9/1.1; from zero: 0.2/1.1·(1/0.1)/2.
        filter.take(Instant::from_secs_f64(3.1), 1);
        assert!(close(filter.estimate.expect("fed"), 1.0 / 1.1), "{filter:?}");
    }

    #[test]
    fn the_longest_silence_and_the_finest_filter_are_no_trouble() {
        for (tau, m) in [(Duration(1), 1.0), (Duration(1), 1000.0), (LONGEST, 1.0), (LONGEST, 1000.0)] {
            let (mut filter, now) = fed(&Parameters { tau, m }, 10_000, 1, 0.1);
            filter.take(now + Duration(u64::MAX / 2), u32::MAX);
            filter.take(now + Duration(u64::MAX / 2 + 1), u32::MAX);
            assert!(filter.estimate.is_some_and(|estimate| estimate.is_finite() && estimate >= 0.0), "{filter:?}");
        }
    }

    #[test]
    fn an_ack_that_arrived_before_the_last_counts_as_come_with_it() {
        let at = |ms: u64| Instant(ms * 1_000_000);
        let mut both = [(); 2].map(|()| Filter::new(&Parameters::default()));
        for (filter, third_ms) in both.iter_mut().zip([20, 5]) {
            for ms in [10, 20, third_ms, 30] {
                filter.take(at(ms), 1);
            }
        }
        let [with_it, before_it] = both;
        assert!(with_it.segments_per_s().is_some());
        assert_eq!(format!("{with_it:?}"), format!("{before_it:?}"));
    }

    #[test]
    fn the_least_round_trip_is_forgotten_when_the_next_is_known() {
        let ms = |ms| Some(Duration::from_millis(ms));
        let mut least = LeastRtt::default();
        assert_eq!(least.pipe(Some(100.0)), None);
        for (rtt, pipe) in [(ms(300), 30.0), (ms(200), 20.0), (ms(250), 20.0), (None, 20.0)] {
            least.take(rtt);
            assert_eq!(least.pipe(Some(100.0)), Some(pipe), "{rtt:?}");
        }
        assert_eq!(least.pipe(None), None);
        least.renew();
        for (rtt, pipe) in [(None, 20.0), (ms(600), 60.0), (ms(900), 60.0), (ms(500), 50.0)] {
            least.take(rtt);
            assert_eq!(least.pipe(Some(100.0)), Some(pipe), "{rtt:?}");
        }
    }

    #[test]
    fn any_time_out_renews_the_least_round_trip() {
        use crate::tcp::ChosenRule;
        use crate::tcp::rule::westwood_plus::{self, WestwoodPlus};
        let window = || Window { cwnd: 40.0, ssthresh: 40.0, wnd: 50.0 };
        let time_outs: [fn(&mut ChosenRule); 2] = [
            |rule| rule.on_timeout(9, &mut Window { cwnd: 40.0, ssthresh: 40.0, wnd: 50.0 }),
            |rule| rule.on_timeout_after_mark(),
        ];
        for time_out in time_outs {
            for mut rule in [
                ChosenRule::Westwood(Westwood::new(&Parameters::default())),
                ChosenRule::WestwoodPlus(WestwoodPlus::new(&westwood_plus::Parameters::default())),
            ] {
                // 100 segments/s; 100 ms, and 300 ms after the time-out: a threshold of 10, and 30 then.
                let mut thresholds = Vec::new();
                for n in 0..=1000_u64 {
                    let rtt = Some(Duration::from_millis(if n < 1000 { 100 } else { 300 }));
                    let now = Instant::ZERO + Duration::from_millis(10 * n);
                    rule.observe(
                        &Ack { arrived: now, newly_acked: 1, flight: 9, rtt, srtt: rtt, credit: Credit::ONE },
                        &mut window(),
                    );
                    if n >= 999 {
                        let mut after = window();
                        rule.on_loss(9, &mut after);
                        thresholds.push(after.ssthresh);
                        time_out(&mut rule);
                    }
                }
                assert!(close(thresholds[0], 10.0) && close(thresholds[1], 30.0), "{rule:?}: {thresholds:?}");
            }
        }
    }

    #[test]
    fn answers_by_hand() {
        let answered = |answer: fn(Option<f64>, &mut Window), pipe, cwnd| {
            let mut window = Window { cwnd, ssthresh: 64.0, wnd: 50.0 };
            answer(pipe, &mut window);
            (window.cwnd, window.ssthresh)
        };
        assert_eq!(answered(answer_loss, Some(12.5), 40.0), (12.5, 12.5));
        // Smaller than what the path carries, it stays.
        assert_eq!(answered(answer_loss, Some(12.5), 8.0), (8.0, 12.5));
        assert_eq!(answered(answer_loss, Some(100.0), 60.0), (50.0, 100.0));
        assert_eq!(answered(answer_loss, Some(0.3), 8.0), (2.0, 2.0));
        assert_eq!(answered(answer_loss, None, 8.0), (4.0, 4.0));
        assert_eq!(answered(answer_timeout, Some(12.5), 40.0), (1.0, 12.5));
        assert_eq!(answered(answer_timeout, None, 8.0), (1.0, 4.0));
        assert_eq!(answered(|pipe, window| answer_mark(0.8, pipe, window), Some(12.5), 40.0), (12.5, 12.5));
        assert_eq!(answered(|pipe, window| answer_mark(0.8, pipe, window), None, 40.0), (32.0, 32.0));
    }

    #[test]
    fn wrong_parameters_are_named() {
        let wrong = |tau, m| {
            let wrong = Parameters { tau, m }.beyond_limits();
            wrong.iter().map(|(field, message)| format!("{field}: {message}")).collect::<Vec<_>>().join("; ")
        };
        let second = Duration::from_secs(1);
        assert_eq!(wrong(Duration::ZERO, 2.0), "tau: 0 s given; legal is above 0 s up to 86400 s");
        assert_eq!(wrong(Duration(LONGEST.0 + 1), 0.5).matches("given").count(), 2);
        assert_eq!(wrong(second, 0.99), "m: 0.99 given; legal is 1 to 1000");
        assert_eq!(wrong(second, f64::NAN), "m: NaN given; legal is 1 to 1000");
        for (tau, m) in [(Duration(1), 1.0), (LONGEST, 1000.0), (second, 2.5)] {
            assert_eq!(wrong(tau, m), "");
        }
    }
}
