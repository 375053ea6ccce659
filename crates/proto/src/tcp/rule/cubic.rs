//! CUBIC (RFC 9438): the window is a cubic function of the time since the last reduction, flat about the window at
//! which that happened, and never less than that of a Reno which is as fair.

#[cfg(test)]
mod averages;
mod linux;

use self::linux::Linux;
use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::limits;
use crate::limits::above;
use crate::tcp::window::{Ack, MIN_SSTHRESH, Recovery, Window, WindowRule};
use crate::time::{Duration, Instant};

/// The parameters of CUBIC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TcpCubic", transform = limits::declare::<Parameters>)]
#[serde(default, deny_unknown_fields)]
pub struct Parameters {
    /// What a loss, or a mark of plain ECN, multiplies the window by. Default 0.7 (RFC 9438 section 4.6).
    pub beta: f64,
    /// How steep the cubic function is, segments per cubic second. Default 0.4 (RFC 9438 section 5.1).
    pub c: f64,
    /// A loss at a smaller window than that of the one before makes room for others: the plateau is lowered further
    /// (RFC 9438 section 4.7, which wants it off for a flow that is alone). Default true.
    pub fast_convergence: bool,
    /// By whose arithmetic the window grows. Default "rfc9438".
    pub growth: Growth,
}

/// How the window grows in congestion avoidance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TcpCubicGrowth")]
#[serde(rename_all = "lowercase")]
pub enum Growth {
    /// As RFC 9438 sections 4.2 to 4.5 have it: windows with fractions, Reno's growth of a segment per round trip above
    /// the window before the loss, the cubic function counted per ACK.
    #[default]
    Rfc9438,
    /// As Linux 6.1 has it: whole segments, rounded down by a reduction, Reno's growth 8/15 of a segment per round trip
    /// throughout, all of it counted in segments, and 5 % per round trip at least while no reduction has shown a
    /// plateau.
    Linux,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters { beta: 0.7, c: 0.4, fast_convergence: true, growth: Growth::Rfc9438 }
    }
}

limits! { Parameters {
    beta: above(0.0).below(1.0),
    // From some thousands on every growth is at the bound of 1.5 windows in a round trip.
    c: above(0.0).to(1e6),
} }

/// The rule of RFC 9438. Sections without a number of an RFC are of RFC 9438.
#[derive(Clone, Debug)]
pub struct Cubic {
    beta: f64,
    c: f64,
    fast_convergence: bool,
    /// Growth per round trip that is as fair to Reno as a reduction to `beta` allows (section 4.3).
    alpha: f64,
    /// The plateau, segments; `None` = undefined: no reduction yet (section 4.10), or the last one was a time-out
    /// (section 4.8).
    w_max: Option<f64>,
    /// The window when the threshold was set last.
    cwnd_prior: f64,
    /// The congestion avoidance stage under way.
    stage: Option<Stage>,
    /// Where Linux is followed, what it keeps instead of a stage.
    linux: Option<Linux>,
}

/// A congestion avoidance stage.
#[derive(Clone, Copy, Debug)]
struct Stage {
    /// When it began, t_epoch. Times in which something else than the window limited the flow are left out: they move
    /// it (section 5.8).
    began: Instant,
    /// The last ACK in it.
    last: Instant,
    w_max: f64,
    /// How long the function takes to `w_max`, seconds.
    k: f64,
    /// The window of Reno.
    w_est: f64,
}

impl Cubic {
    /// Takes `parameters`.
    pub fn new(parameters: &Parameters) -> Cubic {
        let Parameters { mut beta, mut c, fast_convergence, growth } = *parameters;
        let linux = (growth == Growth::Linux).then(|| {
            (beta, c) = linux::rounded(beta, c);
            Linux::new(beta, c)
        });
        Cubic {
            beta,
            c,
            fast_convergence,
            alpha: 3.0 * (1.0 - beta) / (1.0 + beta),
            w_max: None,
            cwnd_prior: 0.0,
            stage: None,
            linux,
        }
    }

    /// A stage begins with this window. Where W_max is undefined, and where the window is above it (no reduction of
    /// this rule leaves it there, but a multilevel mark may), it begins on the plateau.
    fn begin(&mut self, now: Instant, cwnd: f64) -> Stage {
        let w_max = match self.w_max {
            Some(w_max) => w_max.max(cwnd),
            None => {
                // Section 4.10: the first slow start has ended without a loss. After a time-out the threshold has been
                // set with the window of then.
                self.cwnd_prior = self.cwnd_prior.max(cwnd);
                cwnd
            }
        };
        self.w_max = Some(w_max);
        Stage { began: now, last: now, w_max, k: libm::cbrt((w_max - cwnd) / self.c), w_est: cwnd }
    }

    /// W_cubic, segments, `t_s` seconds after a stage began (section 4.2).
    fn w_cubic(&self, stage: &Stage, t_s: f64) -> f64 {
        let from_plateau_s = t_s - stage.k;
        self.c * from_plateau_s * from_plateau_s * from_plateau_s + stage.w_max
    }

    /// Remembers the window before a reduction for a loss or a mark (sections 4.6 and 4.7).
    fn note_congestion(&mut self, window: &Window) {
        let cwnd = self.whole(window.cwnd.min(window.wnd));
        let lowered = self.fast_convergence && self.w_max.is_some_and(|w_max| cwnd < w_max);
        self.w_max = Some(if lowered { self.whole(cwnd * (1.0 + self.beta) / 2.0) } else { cwnd });
        self.cwnd_prior = cwnd;
        self.end_stage();
    }

    /// The threshold after a reduction by this rule (section 4.6).
    fn lower_threshold(&self, window: &mut Window) {
        let cwnd = self.whole(window.cwnd.min(window.wnd));
        window.ssthresh = self.whole(cwnd * self.beta).max(MIN_SSTHRESH);
    }

    /// So many segments; whole ones with Linux.
    fn whole(&self, segments: f64) -> f64 {
        if self.linux.is_some() { segments.floor() } else { segments }
    }

    fn end_stage(&mut self) {
        self.stage = None;
        if let Some(linux) = &mut self.linux {
            linux.end_stage();
        }
    }
}

impl WindowRule for Cubic {
    fn recovery(&self) -> Recovery {
        Recovery::NewReno
    }

    /// The windows of the RFC have parts: in the region of Reno the window is W_est.
    fn may_count_whole_segments(&self) -> bool {
        self.linux.is_some()
    }

    /// Section 4.10: CUBIC "SHOULD use the HyStart++ slow start algorithm".
    fn hystart(&self) -> bool {
        true
    }

    /// Section 4.6: "reduction on ECE", by beta, too.
    fn mark_factor(&self) -> f64 {
        self.beta
    }

    fn observe(&mut self, ack: &Ack, _window: &mut Window) {
        if let Some(linux) = &mut self.linux {
            linux.measure(ack.rtt);
        }
    }

    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        if window.cwnd < window.ssthresh {
            self.end_stage();
            return window.grow(ack);
        }
        // Section 5.8: neither the window nor the time of a flow that does not use its window goes on.
        let outstanding = f64::from(ack.flight) + f64::from(ack.newly_acked);
        let used = window.cwnd < window.wnd && outstanding >= LEAST_USED * window.cwnd;
        if let Some(linux) = &mut self.linux {
            window.cwnd = linux.grow(ack.arrived, ack.newly_acked, window.cwnd.floor(), self.w_max, used);
            return;
        }
        let mut stage = match self.stage {
            Some(stage) => stage,
            None => self.begin(ack.arrived, window.cwnd),
        };
        let since_last = ack.arrived.since(stage.last);
        stage.last = ack.arrived;
        if !used {
            stage.began += since_last;
            self.stage = Some(stage);
            return;
        }
        // Section 4.3, Figure 4.
        let alpha = if stage.w_est >= self.cwnd_prior { 1.0 } else { self.alpha };
        stage.w_est += alpha * f64::from(ack.newly_acked) / window.cwnd;
        self.stage = Some(stage);

        let t_s = ack.arrived.since(stage.began).as_secs_f64();
        if self.w_cubic(&stage, t_s) < stage.w_est {
            // What the look-ahead below has gained already is not taken back.
            window.cwnd = window.cwnd.max(stage.w_est);
        } else {
            let rtt_s = ack.srtt.unwrap_or(Duration::ZERO).as_secs_f64();
            let target = self.w_cubic(&stage, t_s + rtt_s).clamp(window.cwnd, 1.5 * window.cwnd);
            window.cwnd += (target - window.cwnd) / window.cwnd;
        }
    }

    fn on_loss(&mut self, _flight: u32, window: &mut Window) {
        self.note_congestion(window);
        self.lower_threshold(window);
        window.cwnd = window.ssthresh;
    }

    fn on_timeout(&mut self, _flight: u32, window: &mut Window) {
        self.lower_threshold(window);
        self.cwnd_prior = window.cwnd.min(window.wnd);
        window.cwnd = 1.0;
        self.w_max = None;
        self.end_stage();
    }

    fn on_mark(&mut self, factor: f64, window: &mut Window) {
        self.note_congestion(window);
        window.scale(factor);
    }

    /// The same event: the plateau stays that of its first reduction.
    fn on_further_mark(&mut self, factor: f64, window: &mut Window) {
        self.end_stage();
        window.scale(factor);
    }

    /// Section 4.8, though the threshold is that of the mark.
    fn on_timeout_after_mark(&mut self) {
        self.w_max = None;
        self.end_stage();
    }
}

/// The least part of the window that must have been outstanding for it to be what limits the flow. The choice is ours:
/// half leaves what a bound on bursts, jitter or pacing holds back for a moment out of account.
const LEAST_USED: f64 = 0.5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::Credit;

    const RTT: Duration = Duration::from_millis(100);

    pub(super) fn cubic(parameters: Parameters) -> Cubic {
        Cubic::new(&parameters)
    }

    pub(super) fn alone() -> Parameters {
        Parameters { fast_convergence: false, ..Parameters::default() }
    }

    /// An ACK of one segment when the whole window was outstanding.
    pub(super) fn ack(at_s: f64, window: &Window, rtt: Duration) -> Ack {
        let flight = window.cwnd as u32 - 1;
        Ack {
            arrived: Instant::from_secs_f64(at_s),
            newly_acked: 1,
            flight,
            rtt: Some(rtt),
            srtt: Some(rtt),
            credit: Credit::ONE,
        }
    }

    pub(super) fn window(cwnd: f64) -> Window {
        Window { cwnd, ssthresh: 1e9, wnd: 1e9 }
    }

    /// After a loss at a window of 100 segments, when the first ACK of the stage has come at 0 s.
    fn after_a_loss_at_100() -> (Cubic, Window) {
        let (mut rule, mut w) = (cubic(Parameters::default()), window(100.0));
        rule.on_loss(0, &mut w);
        assert_eq!((w.cwnd, w.ssthresh), (70.0, 70.0));
        rule.grow(&ack(0.0, &w, RTT), &mut w);
        (rule, w)
    }

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9 * b.abs().max(1.0), "{a} is not {b}");
    }

    #[test]
    fn the_cubic_function_by_hand() {
        let (rule, w) = after_a_loss_at_100();
        let stage = rule.stage.expect("begun");
        // K = cbrt((100 - 70) / 0.4) = cbrt(75).
        close(stage.k, 4.217_163_326_508_746);
        assert_eq!((stage.w_max, rule.cwnd_prior), (100.0, 100.0));
        // W(0) = 70, W(K) = 100, W(K + 2) = 100 + 0.4 * 8, W(K - 1) = 100 - 0.4.
        for (t_s, segments) in [(0.0, 70.0), (stage.k, 100.0), (stage.k + 2.0, 103.2), (stage.k - 1.0, 99.6)] {
            close(rule.w_cubic(&stage, t_s), segments);
        }
        // alpha = 3 * 0.3 / 1.7; W_cubic(0) = 70 is less than W_est, so Reno's window holds.
        close(rule.alpha, 0.529_411_764_705_882_4);
        close(w.cwnd, 70.0 + 0.529_411_764_705_882_4 / 70.0);
    }

    #[test]
    fn growth_is_towards_the_window_of_a_round_trip_later() {
        let (mut rule, mut w) = after_a_loss_at_100();
        // At 1 s W(1) = 100 - 0.4 * 3.217^3 = 86.68 is more than Reno's. W(1.1) = 100 - 0.4 * 3.117163^3.
        let before = w.cwnd;
        rule.grow(&ack(1.0, &w, RTT), &mut w);
        let target = 100.0 - 0.4 * libm::pow(3.117_163_326_508_746, 3.0);
        close(w.cwnd, before + (target - before) / before);
        // Past the plateau it is convex: at K + 5 s the target is W(K + 5.1) = 100 + 0.4 * 5.1^3 = 153.06, more than
        // 1.5 times a window of 90, less than that of 140, and below one of 160.
        let at_s = rule.stage.expect("begun").k + 5.0;
        for (cwnd, target) in [(90.0, 135.0), (140.0, 100.0 + 0.4 * libm::pow(5.1, 3.0)), (160.0, 160.0)] {
            w.cwnd = cwnd;
            rule.grow(&ack(at_s, &w, RTT), &mut w);
            assert!((w.cwnd - (cwnd + (target - cwnd) / cwnd)).abs() < 1e-6, "{cwnd}: {}", w.cwnd);
        }
    }

    #[test]
    fn the_reno_friendly_window_by_hand() {
        // A round trip of 1 ms: the cubic function has no time to rise. 70 ACKs add a little less than alpha, ..
        let (mut rule, mut w) = after_a_loss_at_100();
        let mut expected = 70.0 + rule.alpha / 70.0;
        for n in 1..70 {
            expected += rule.alpha / expected;
            rule.grow(&ack(0.001 * f64::from(n) / 70.0, &w, Duration::from_millis(1)), &mut w);
            close(w.cwnd, expected);
        }
        // .. and once W_est has come to 100, the window before the loss, each adds 1/cwnd. One that acknowledges two
        // segments counts twice.
        let mut stage = rule.stage.expect("begun");
        for (w_est, newly_acked, gain) in [(99.9, 1, rule.alpha), (100.0, 1, 1.0), (100.0, 2, 2.0)] {
            stage.w_est = w_est;
            (rule.stage, w.cwnd) = (Some(stage), w_est);
            let now = ack(0.001, &w, Duration::from_millis(1));
            rule.grow(&Ack { newly_acked, ..now }, &mut w);
            close(w.cwnd, w_est + gain / w_est);
        }
    }

    #[test]
    fn what_the_look_ahead_has_gained_is_kept_where_reno_grows_faster() {
        let (mut rule, mut w) = after_a_loss_at_100();
        w.cwnd = 80.0;
        (0..5).for_each(|_| rule.grow(&ack(0.001, &w, Duration::from_millis(1)), &mut w));
        let stage = rule.stage.expect("begun");
        assert!(rule.w_cubic(&stage, 0.001) < stage.w_est && stage.w_est < 71.0);
        assert_eq!(w.cwnd, 80.0);
    }

    #[test]
    fn a_window_that_the_receiver_bounds_is_reduced_from_its_bound() {
        for timed_out in [false, true] {
            let (mut rule, mut w) = (cubic(Parameters::default()), Window { cwnd: 100.0, ssthresh: 1e9, wnd: 50.0 });
            if timed_out {
                rule.on_timeout(50, &mut w)
            } else {
                rule.on_loss(50, &mut w)
            }
            assert_eq!((w.ssthresh, rule.cwnd_prior), (35.0, 50.0));
            assert_eq!((w.cwnd, rule.w_max), if timed_out { (1.0, None) } else { (35.0, Some(50.0)) });
        }
    }

    #[test]
    fn slow_start_ends_a_stage() {
        let (mut rule, mut w) = after_a_loss_at_100();
        w.ssthresh = 72.0;
        rule.grow(&ack(0.1, &w, RTT), &mut w);
        assert!(rule.stage.is_none());
    }

    #[test]
    fn fast_convergence_by_hand() {
        for (fast_convergence, plateau) in [(true, 0.85 * 90.0), (false, 90.0)] {
            let (mut rule, mut w) = (cubic(Parameters { fast_convergence, ..Parameters::default() }), window(100.0));
            // The first reduction, and any at a larger window than before: the window itself.
            for cwnd in [100.0, 100.0, 110.0] {
                w.cwnd = cwnd;
                rule.on_loss(0, &mut w);
                rule.grow(&ack(1.0, &w, RTT), &mut w);
                assert_eq!(rule.w_max, Some(cwnd));
            }
            // At 90 < 110: 90 * (1 + 0.7) / 2. What the threshold had before is the window itself.
            w.cwnd = 90.0;
            rule.on_loss(0, &mut w);
            assert_eq!((rule.w_max, rule.cwnd_prior, w.cwnd), (Some(plateau), 90.0, 90.0 * 0.7));
            rule.grow(&ack(2.0, &w, RTT), &mut w);
            close(rule.stage.expect("begun").k, libm::cbrt(if fast_convergence { 33.75 } else { 67.5 }));
        }
    }

    #[test]
    fn each_window_of_data_has_its_own_plateau_though_no_ack_came_between() {
        // The window of the second reduction is 70: less than 100, so fast convergence makes 70 * 1.7 / 2 of it.
        for marked in [false, true] {
            let (mut rule, mut w) = (cubic(Parameters::default()), window(100.0));
            for _ in 0..2 {
                if marked { rule.on_mark(0.7, &mut w) } else { rule.on_loss(0, &mut w) }
            }
            assert_eq!((rule.w_max, rule.cwnd_prior, w.cwnd), (Some(59.5), 70.0, 49.0));
        }
    }

    #[test]
    fn a_first_slow_start_without_loss_ends_on_the_plateau() {
        let (mut rule, mut w) = (cubic(Parameters::default()), window(60.0));
        w.ssthresh = 60.0;
        rule.grow(&ack(3.0, &w, RTT), &mut w);
        let stage = rule.stage.expect("begun");
        assert_eq!(
            (stage.k, stage.w_max, stage.began, rule.cwnd_prior),
            (0.0, 60.0, Instant::from_secs_f64(3.0), 60.0)
        );
        // cwnd_prior is the window: W_est grows by 1/cwnd at once (section 4.3).
        close(w.cwnd, 60.0 + 1.0 / 60.0);
    }

    #[test]
    fn after_a_timeout_the_plateau_is_where_slow_start_ends() {
        let (mut rule, mut w) = after_a_loss_at_100();
        w.cwnd = 80.0;
        rule.on_timeout(80, &mut w);
        assert_eq!((w.cwnd, w.ssthresh), (1.0, 56.0));
        while w.cwnd < w.ssthresh {
            let before = w.cwnd;
            rule.grow(&ack(4.0, &w, RTT), &mut w);
            assert_eq!(w.cwnd, before + 1.0);
        }
        rule.grow(&ack(5.0, &w, RTT), &mut w);
        let stage = rule.stage.expect("begun");
        assert_eq!(
            (stage.k, stage.w_max, stage.began, rule.cwnd_prior),
            (0.0, 56.0, Instant::from_secs_f64(5.0), 80.0)
        );
        close(w.cwnd, 56.0 + rule.alpha / 56.0);
        // A loss on the way there is at a larger window than an undefined one: no fast convergence.
        rule.on_timeout(56, &mut w);
        w.cwnd = 20.0;
        rule.on_loss(20, &mut w);
        assert_eq!((rule.w_max, w.cwnd), (Some(20.0), 14.0));
    }

    #[test]
    fn marks_reduce_by_beta_to_one_segment_and_losses_to_two() {
        let rule = || cubic(Parameters::default());
        for (cwnd, marked, lost) in [(10.0, 7.0, 7.0), (2.0, 1.4, 2.0), (1.2, 1.0, 2.0)] {
            let (mut w, mut r) = (window(cwnd), rule());
            r.on_mark(r.mark_factor(), &mut w);
            close(w.cwnd, marked);
            close(w.ssthresh, marked.max(2.0));
            assert_eq!(r.w_max, Some(cwnd));
            let mut w = window(cwnd);
            rule().on_loss(0, &mut w);
            close(w.cwnd, lost);
        }
        // What is missing to a reduction is no event of its own, though the window may have grown since: the plateau
        // stays that of the first, and the function begins anew.
        for grown in [false, true] {
            let (mut w, mut r) = (window(100.0), rule());
            r.on_mark(0.8, &mut w);
            if grown {
                r.grow(&ack(1.0, &w, RTT), &mut w);
                w.cwnd = 80.0;
            }
            r.on_further_mark(0.75, &mut w);
            close(w.cwnd, 60.0);
            assert_eq!((r.w_max, r.cwnd_prior, r.stage.is_none()), (Some(100.0), 100.0, true));
        }
    }

    #[test]
    fn time_and_both_windows_stand_still_while_the_flow_is_limited_otherwise() {
        for held_by_wnd in [true, false] {
            let (mut rule, mut w) = after_a_loss_at_100();
            let cwnd = w.cwnd;
            let w_est = rule.stage.expect("begun").w_est;
            // For 100 s the receiver's window, or a source that has 30 segments under way, limits.
            for n in 1..=1000 {
                let mut now = ack(0.1 * f64::from(n), &w, RTT);
                if held_by_wnd {
                    w.wnd = cwnd;
                } else {
                    now.flight = 30;
                }
                rule.grow(&now, &mut w);
            }
            assert_eq!((w.cwnd, rule.stage.expect("begun").w_est), (cwnd, w_est));
            // A second more: as if 1 s had passed, W(1.1), not 101 s.
            w.wnd = 1e9;
            rule.grow(&ack(101.0, &w, RTT), &mut w);
            let target = 100.0 - 0.4 * libm::pow(3.117_163_326_508_746, 3.0);
            assert!((w.cwnd - (cwnd + (target - cwnd) / cwnd)).abs() < 1e-6, "{}", w.cwnd);
        }
    }

    #[test]
    fn a_reduction_beyond_the_plateau_leaves_no_negative_time() {
        // A mark that asks for little leaves the window above the plateau that fast convergence has lowered.
        let (mut rule, mut w) = after_a_loss_at_100();
        w.cwnd = 90.0;
        rule.on_mark(0.95, &mut w);
        assert_eq!((rule.w_max, w.cwnd), (Some(76.5), 85.5));
        rule.grow(&ack(1.0, &w, RTT), &mut w);
        let stage = rule.stage.expect("begun");
        assert_eq!((stage.k, stage.w_max), (0.0, 85.5));
    }
}
