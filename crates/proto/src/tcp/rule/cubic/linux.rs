//! The growth of CUBIC in congestion avoidance as Linux 6.1 has it (`bictcp_update` in net/ipv4/tcp_cubic.c,
//! `tcp_cong_avoid_ai` in net/ipv4/tcp_cong.c): in whole segments, so many acknowledged segments for each.

use crate::time::{Duration, Instant};

/// What Linux keeps. All numbers of segments are whole, and the names are its own.
#[derive(Clone, Debug)]
pub struct Linux {
    beta: f64,
    c: f64,
    /// `delay_min`.
    least_rtt: Duration,
    stage: Option<Stage>,
}

impl Linux {
    /// With these two constants of CUBIC.
    pub fn new(beta: f64, c: f64) -> Linux {
        Linux { beta, c, least_rtt: Duration::ZERO, stage: None }
    }

    /// Takes in a round-trip time.
    pub fn measure(&mut self, rtt: Option<Duration>) {
        let Some(rtt) = rtt else { return };
        if self.least_rtt == Duration::ZERO || rtt < self.least_rtt {
            self.least_rtt = rtt;
        }
    }

    /// The stage is over.
    pub fn end_stage(&mut self) {
        self.stage = None;
    }

    /// The window after an ACK of so many segments; `last_max_cwnd` is that of the last reduction, none where there was
    /// none or it was a time-out. What was not `used` grows by nothing, nor does time go on for it.
    pub fn grow(&mut self, now: Instant, acked: u32, cwnd: f64, last_max_cwnd: Option<f64>, used: bool) -> f64 {
        let mut stage = self.stage.unwrap_or_else(|| Stage::new(now, cwnd, last_max_cwnd.unwrap_or(0.0), self.c));
        let since_last = now.since(stage.last_ack);
        stage.last_ack = now;
        let grown = if used {
            stage.ack_cnt += f64::from(acked);
            if !stage.last.is_some_and(|(last_cwnd, at)| last_cwnd == cwnd && now.since(at) <= COMPUTED_AGAIN) {
                stage.last = Some((cwnd, now));
                self.update(&mut stage, now, cwnd, last_max_cwnd.is_none());
            }
            stage.cong_avoid_ai(acked.into(), cwnd)
        } else {
            stage.epoch_start += since_last;
            cwnd
        };
        self.stage = Some(stage);
        grown
    }

    /// `bictcp_update`.
    fn update(&self, stage: &mut Stage, now: Instant, cwnd: f64, plateau_is_unknown: bool) {
        let t = (now.since(stage.epoch_start) + self.least_rtt).as_secs_f64();
        let from_plateau = t - stage.bic_k;
        // What it is away from the plateau is rounded down.
        let bic_target = stage.bic_origin_point + (self.c * from_plateau * from_plateau * from_plateau).trunc();
        stage.cnt = if bic_target > cwnd { (cwnd / (bic_target - cwnd)).floor() } else { 100.0 * cwnd };
        if plateau_is_unknown {
            // 5 % per round trip.
            stage.cnt = stage.cnt.min(20.0);
        }
        // The region that is fair to Reno: alpha is 8/scale, and stays that.
        let scale = (8.0 * (1.0 + self.beta) / 3.0 / (1.0 - self.beta)).floor();
        let each = (cwnd * scale / 8.0).floor().max(1.0);
        let grown = ((stage.ack_cnt / each).ceil() - 1.0).max(0.0);
        stage.ack_cnt -= grown * each;
        stage.tcp_cwnd += grown;
        if stage.tcp_cwnd > cwnd {
            stage.cnt = stage.cnt.min((cwnd / (stage.tcp_cwnd - cwnd)).floor());
        }
        // No more than half as much again per round trip.
        stage.cnt = stage.cnt.max(2.0);
    }
}

/// A congestion avoidance stage.
#[derive(Clone, Copy, Debug)]
struct Stage {
    /// When it began. Times in which something else than the window limited the flow move it.
    epoch_start: Instant,
    last_ack: Instant,
    /// The plateau.
    bic_origin_point: f64,
    /// How long the function takes to the plateau, seconds.
    bic_k: f64,
    /// The window of Reno.
    tcp_cwnd: f64,
    /// Segments acknowledged that `tcp_cwnd` has not grown for yet.
    ack_cnt: f64,
    /// So many segments acknowledged let the window grow by one.
    cnt: f64,
    /// Segments acknowledged since it grew.
    snd_cwnd_cnt: f64,
    /// The window at the last update, and when that was.
    last: Option<(f64, Instant)>,
}

impl Stage {
    fn new(now: Instant, cwnd: f64, last_max_cwnd: f64, c: f64) -> Stage {
        let bic_origin_point = last_max_cwnd.max(cwnd);
        Stage {
            epoch_start: now,
            last_ack: now,
            bic_origin_point,
            bic_k: libm::cbrt((bic_origin_point - cwnd) / c),
            tcp_cwnd: cwnd,
            ack_cnt: 0.0,
            cnt: 0.0,
            snd_cwnd_cnt: 0.0,
            last: None,
        }
    }

    /// `tcp_cong_avoid_ai`.
    fn cong_avoid_ai(&mut self, acked: f64, mut cwnd: f64) -> f64 {
        if self.snd_cwnd_cnt >= self.cnt {
            // Credits from when more were needed are used gently.
            self.snd_cwnd_cnt = 0.0;
            cwnd += 1.0;
        }
        self.snd_cwnd_cnt += acked;
        let gained = (self.snd_cwnd_cnt / self.cnt).floor();
        self.snd_cwnd_cnt -= gained * self.cnt;
        cwnd + gained
    }
}

/// The constants as Linux keeps them: beta in parts of 1024, C in parts of 102.4, which gives 717/1024 and 41/102.4 for
/// 0.7 and 0.4.
pub fn rounded(beta: f64, c: f64) -> (f64, f64) {
    ((beta * 1024.0).round().clamp(1.0, 1023.0) / 1024.0, (c * 102.4).round().max(1.0) / 102.4)
}

/// While the window stays the same, `cnt` does for so long (`HZ / 32`).
const COMPUTED_AGAIN: Duration = Duration(31_250_000);

#[cfg(test)]
mod tests {
    use super::super::tests::{ack, cubic, window};
    use super::super::{Cubic, Growth, Parameters};
    use super::*;
    use crate::tcp::{Ack, Window, WindowRule};
    use crate::tcp::{Config, Profile};
    use serde_json::json;

    const RTT: Duration = Duration::from_millis(100);

    fn linux() -> Cubic {
        cubic(Parameters { growth: Growth::Linux, ..Parameters::default() })
    }

    /// ACKs of `each` segments for `segments` in all, at this moment.
    fn acked(rule: &mut Cubic, w: &mut Window, at_s: f64, segments: u32, each: u32) {
        for _ in 0..segments / each {
            let mut ack = ack(at_s, w, RTT);
            ack.newly_acked = each;
            rule.observe(&ack, w);
            rule.grow(&ack, w);
        }
    }

    /// After a loss at this window, which has left 717/1024 of it, rounded down.
    fn after_a_loss(cwnd: f64) -> (Cubic, Window) {
        let (mut rule, mut w) = (linux(), window(cwnd));
        rule.on_loss(0, &mut w);
        (rule, w)
    }

    #[test]
    fn constants_and_reductions_by_hand() {
        assert_eq!(rounded(0.7, 0.4), (717.0 / 1024.0, 41.0 / 102.4));
        assert_eq!((rounded(1e-9, 1e-9), rounded(0.999_999, 4.0).0), ((1.0 / 1024.0, 1.0 / 102.4), 1023.0 / 1024.0));
        // 100 * 717 / 1024 = 70.02, 9 * 717 / 1024 = 6.3; at least 2, from the whole window.
        for (cwnd, left) in [(100.0, 70.0), (90.0, 63.0), (9.0, 6.0), (8.0, 5.0), (2.0, 2.0), (9.9, 6.0)] {
            let (rule, w) = after_a_loss(cwnd);
            assert_eq!((w.cwnd, w.ssthresh, rule.w_max), (left, left, Some(cwnd.floor())), "{cwnd}");
        }
        // Fast convergence: 63 * 1741 / 2048 = 53.6.
        let (mut rule, mut w) = after_a_loss(90.0);
        rule.on_loss(0, &mut w);
        assert_eq!((w.cwnd, rule.w_max), (44.0, Some(53.0)));
        rule.on_timeout(0, &mut w);
        assert_eq!((w.cwnd, w.ssthresh, rule.w_max), (1.0, 30.0, None));
    }

    #[test]
    fn reno_is_followed_by_whole_segments_with_an_alpha_that_stays() {
        // A window of 80, which is the plateau, too. The window of Reno grows when more than 80 * 15 / 8 = 150 segments
        // are acknowledged. It is one ahead then, so cnt is 80, and there are credits.
        let (mut rule, mut w) = after_a_loss(115.0);
        assert_eq!(w.cwnd, 80.0);
        rule.w_max = Some(80.0);
        acked(&mut rule, &mut w, 0.0, 1, 1);
        let stage = |rule: &Cubic| rule.linux.as_ref().expect("Linux").stage.expect("begun");
        assert_eq!((stage(&rule).tcp_cwnd, stage(&rule).cnt), (80.0, 8000.0));
        // Later than 1/32 s the numbers are computed anew.
        acked(&mut rule, &mut w, 0.0, 150, 1);
        assert_eq!((w.cwnd, stage(&rule).tcp_cwnd), (80.0, 80.0));
        acked(&mut rule, &mut w, 0.032, 1, 1);
        assert_eq!((w.cwnd, stage(&rule).tcp_cwnd), (81.0, 81.0));

        // Over many round trips it is 8/15 of a segment each, beyond the window before the loss, too, where RFC 9438
        // has one.
        let (mut rule, mut w) = after_a_loss(10.0);
        let mut trips = 0;
        let mut at_20 = None;
        while w.cwnd < 36.0 {
            // A round trip of 50 ms, in which the cubic function stays below.
            let a_window = w.cwnd as u32;
            acked(&mut rule, &mut w, 0.05 * f64::from(trips), a_window, 1);
            trips += 1;
            if w.cwnd >= 20.0 {
                at_20.get_or_insert(trips);
            }
        }
        let trips = f64::from(trips - at_20.expect("passed"));
        assert!((16.0 / trips - 8.0 / 15.0).abs() < 0.03, "{trips}");
    }

    #[test]
    fn reno_is_a_segment_ahead_after_each_150_but_the_last() {
        // When so many are acknowledged: the window of Reno, cnt, and what counts for the next growth, which credits
        // do not.
        for (segments, expected) in
            [(150, (80.0, 8000.0, 150.0)), (151, (81.0, 80.0, 1.0)), (300, (81.0, 80.0, 1.0)), (301, (82.0, 40.0, 1.0))]
        {
            let (mut rule, mut w) = after_a_loss(115.0);
            rule.w_max = Some(80.0);
            acked(&mut rule, &mut w, 0.0, segments - 1, 1);
            acked(&mut rule, &mut w, 0.032, 1, 1);
            let stage = rule.linux.as_ref().expect("Linux").stage.expect("begun");
            assert_eq!((stage.tcp_cwnd, stage.cnt, stage.snd_cwnd_cnt), expected, "{segments}");
        }
    }

    #[test]
    fn each_reduction_ends_the_stage() {
        let ends: [fn(&mut Cubic, &mut Window); 5] = [
            |rule, w| rule.on_loss(0, w),
            |rule, w| rule.on_timeout(0, w),
            |rule, w| rule.on_mark(0.7, w),
            |rule, w| rule.on_further_mark(0.7, w),
            |rule, _| rule.on_timeout_after_mark(),
        ];
        for end in ends {
            let (mut rule, mut w) = after_a_loss(100.0);
            acked(&mut rule, &mut w, 0.0, 1, 1);
            end(&mut rule, &mut w);
            assert!(rule.linux.expect("Linux").stage.is_none());
        }
    }

    #[test]
    fn delayed_acks_make_no_difference_but_by_their_steps() {
        for at_s in [0.05, 3.0, 6.0] {
            let after = |each| {
                let (mut rule, mut w) = after_a_loss(100.0);
                for n in 0..20 {
                    acked(&mut rule, &mut w, at_s * f64::from(n) / 20.0, 60, each);
                }
                w.cwnd
            };
            assert!((after(1) - after(2)).abs() <= 1.0, "{at_s}: {} {}", after(1), after(2));
            assert!(at_s < 1.0 || after(2) > 80.0, "{at_s}: {}", after(2));
        }
    }

    #[test]
    fn the_cubic_function_leads_by_the_least_round_trip() {
        // K = cbrt((100 - 70) / 0.4004) = 4.2158 s. At 1 s and 0.1 s more: 100 - floor(0.4004 * 3.1158^3 = 12.1) = 88,
        // 18 more than 70: one for each 70 / 18 = 3 segments.
        let (mut rule, mut w) = after_a_loss(100.0);
        acked(&mut rule, &mut w, 0.0, 1, 1);
        let mut late = ack(1.0, &w, Duration::from_millis(900));
        late.newly_acked = 2;
        rule.observe(&late, &mut w);
        rule.grow(&late, &mut w);
        let stage = rule.linux.as_ref().expect("Linux").stage.expect("begun");
        assert_eq!((stage.cnt, w.cwnd), (3.0, 71.0));
    }

    #[test]
    fn without_a_plateau_growth_is_a_twentieth_and_never_more_than_half() {
        let (mut rule, mut w) = (linux(), Window { cwnd: 200.0, ssthresh: 200.0, wnd: 1e9 });
        acked(&mut rule, &mut w, 0.0, 200, 1);
        assert_eq!(w.cwnd, 210.0);
        assert_eq!(rule.linux.as_ref().expect("Linux").stage.expect("begun").cnt, 20.0);
        // Long after the plateau of 30: cnt is 2.
        let (mut rule, mut w) = after_a_loss(30.0);
        acked(&mut rule, &mut w, 0.0, 1, 1);
        acked(&mut rule, &mut w, 60.0, 20, 1);
        assert_eq!(w.cwnd, 31.0);
        // Credits of the slow time before count once.
        assert_eq!(rule.linux.as_ref().expect("Linux").stage.expect("begun").cnt, 2.0);
    }

    #[test]
    fn what_is_not_used_neither_grows_nor_ages() {
        let (mut rule, mut w) = after_a_loss(100.0);
        acked(&mut rule, &mut w, 0.0, 1, 1);
        w.wnd = w.cwnd;
        for n in 1..=100 {
            acked(&mut rule, &mut w, f64::from(n), 50, 2);
        }
        assert_eq!(w.cwnd, 70.0);
        let stage = rule.linux.as_ref().expect("Linux").stage.expect("begun");
        assert_eq!(stage.epoch_start, Instant::from_secs_f64(100.0));
        // What was outstanding before the ACK counts: half of 70 segments, of which it acknowledges 10. Of a window
        // with a fraction the whole segments do.
        for (flight, epoch_s) in [(25, 0.0), (24, 1.0)] {
            let (mut rule, mut w) = after_a_loss(100.0);
            acked(&mut rule, &mut w, 0.0, 1, 1);
            w.cwnd = 70.0;
            rule.grow(&Ack { flight, newly_acked: 10, ..ack(1.0, &w, RTT) }, &mut w);
            let stage = rule.linux.as_ref().expect("Linux").stage.expect("begun");
            assert_eq!(stage.epoch_start, Instant::from_secs_f64(epoch_s));
            w.cwnd = 75.5;
            rule.grow(&Ack { flight: 0, ..ack(1.0, &w, RTT) }, &mut w);
            assert_eq!(w.cwnd, 75.0);
        }
    }

    #[test]
    fn the_profile_of_a_linux_host_has_it_and_explicit_keys_win() {
        let growth = |table| serde_json::from_value::<Config>(table).expect("legal").cubic.growth;
        assert_eq!(growth(json!({ "profile": "linux" })), Growth::Linux);
        assert_eq!(growth(json!({ "profile": "linux", "cubic": { "c": 4.0 } })), Growth::Linux);
        assert_eq!(growth(json!({ "profile": "linux", "cubic": { "growth": "rfc9438" } })), Growth::Rfc9438);
        for other in [json!({}), json!({ "profile": "ns2" })] {
            assert_eq!(growth(other), Growth::Rfc9438);
        }
        assert_eq!(Config::of(Profile::Linux).westwood_plus.least_after_slow_start, 0.0);
    }

    #[test]
    fn an_ack_of_any_number_at_any_window_ends() {
        for (beta, cwnd, newly_acked) in
            [(1e-9, 1.0, u32::MAX), (0.999_999, 1.0, u32::MAX), (0.7, 2e9, 1), (0.5, 2.0, 7)]
        {
            let mut rule = cubic(Parameters { beta, c: 1e6, growth: Growth::Linux, ..Parameters::default() });
            let mut w = window(cwnd);
            rule.on_loss(0, &mut w);
            for at_s in [0.0, 1.0, 1e9] {
                let mut ack = ack(at_s, &w, RTT);
                ack.newly_acked = newly_acked;
                rule.observe(&ack, &mut w);
                rule.grow(&ack, &mut w);
                assert!(w.cwnd.is_finite() && w.cwnd >= 2.0, "{beta} {cwnd}: {}", w.cwnd);
            }
        }
    }
}
