//! R_max at the sender, by the rule of RFC 4654 section 3.2 or by what was measured lately.
//!
//! By the RFC it falls by a tenth per feedback round, whose length goes with it: after slow start has filled a buffer
//! of many seconds that takes minutes. By the other rule it is the peak of the last rounds, which forgets a full buffer
//! as soon as it is empty. The slow fall of the RFC has a purpose, though: receivers farther away than R_max are not
//! suppressed, and if it fell at once to the round-trip time of those nearby, all that are far away would answer within
//! a round too short to stop them. So it does not fall below a third of the largest round-trip time of the last
//! minute, by which a round of six stays twice as long as that. And the rate goes on growing by an R_max that falls by
//! a tenth per round: with one that forgets at once it grows by 8s/R_max² = 9 Mbit/s per second at 30 ms, far beyond a
//! slow link before a full buffer of seconds lets anybody know, and swings from then on.

use super::config::{GapFloor, MaxRttRule};
use crate::time::{Duration, Instant};

/// R_max of a session.
#[derive(Clone, Debug)]
pub(super) struct MaxRtt {
    /// R_max, seconds.
    value_s: f64,
    /// R_max as measured: without the floor that the gap between packets is, if that does not decay.
    measured_s: f64,
    /// R_peak: the longest round-trip time of a report in this round, 0 without one.
    peak_s: f64,
    /// By what the rate grows, seconds, but for the rule "rfc": it falls slowly, as by the RFC, and the gap between
    /// packets does not raise it.
    growth_s: f64,
    rule: MaxRttRule,
    gap_floor: GapFloor,
    /// What the rule "recent" remembers.
    recent: Option<Recent>,
}

/// What was measured lately.
#[derive(Clone, Debug)]
struct Recent {
    /// Ends of the last rounds with a report, and their peaks, in order. What stands there at first has no end.
    peaks: [(Instant, f64); ROUNDS],
    minute: LargestOfAMinute,
    /// Which part of the largest of a minute R_max does not fall below.
    part: f64,
}

/// Over how many rounds the rule "recent" takes the peak; a choice.
const ROUNDS: usize = 4;
/// How long after the end of a round its peak counts at most, but for the last round; a choice.
const RECENT: Duration = Duration::from_secs(10);
/// How many times the largest round-trip time of a minute a round lasts at least with the rule "recent"; a choice.
pub(super) const LEAST_ROUND_RTTS: f64 = 2.0;

impl MaxRtt {
    /// It is `initial_s` at first. Rounds last `round_rtts` times R_max.
    pub(super) fn new(initial_s: f64, round_rtts: f64, rule: MaxRttRule, gap_floor: GapFloor) -> MaxRtt {
        let part = (LEAST_ROUND_RTTS / round_rtts).min(1.0);
        MaxRtt::from_the_start(initial_s, rule, part, gap_floor)
    }

    /// R_max by this rule from `initial_s` on; nothing has been measured.
    pub(super) fn restarted(&self, initial_s: f64) -> MaxRtt {
        let part = self.recent.as_ref().map_or(1.0, |recent| recent.part);
        MaxRtt::from_the_start(initial_s, self.rule, part, self.gap_floor)
    }

    fn from_the_start(initial_s: f64, rule: MaxRttRule, part: f64, gap_floor: GapFloor) -> MaxRtt {
        let peaks = [(Instant::FAR_FUTURE, initial_s); ROUNDS];
        MaxRtt {
            value_s: initial_s,
            measured_s: initial_s,
            peak_s: 0.0,
            growth_s: initial_s,
            rule,
            gap_floor,
            recent: (rule == MaxRttRule::Recent).then(|| Recent { peaks, minute: LargestOfAMinute::default(), part }),
        }
    }

    /// R_max, seconds.
    pub(super) fn value_s(&self) -> f64 {
        self.value_s
    }

    /// The R_max by which the rate grows (section 3.3), seconds.
    pub(super) fn growth_s(&self) -> f64 {
        match self.rule {
            MaxRttRule::Rfc => self.value_s,
            MaxRttRule::Measured => self.growth_s,
            MaxRttRule::Recent => self.growth_s.max(self.value_s),
        }
    }

    /// The R_max of the round for which a new limiting receiver does not raise the rate (section 3.3), seconds. With
    /// the rule "measured" it is that of growth: near one packet in 8 s nobody can ask for less, and a round by the gap
    /// would last a minute.
    pub(super) fn hold_s(&self) -> f64 {
        if self.rule == MaxRttRule::Measured { self.growth_s } else { self.value_s }
    }

    /// The rate grows by this R_max from now on, as it is the longest round-trip time that there is, seconds. What the
    /// present round has measured beyond it is of the past.
    pub(super) fn restart_growth(&mut self, rtt_s: f64) {
        self.growth_s = rtt_s;
        self.peak_s = self.peak_s.min(rtt_s);
    }

    /// A report with the instantaneous round-trip time `rtt_s` has come.
    pub(super) fn measured(&mut self, now: Instant, rtt_s: f64) {
        self.peak_s = self.peak_s.max(rtt_s);
        if rtt_s > self.value_s {
            self.value_s = rtt_s;
            self.measured_s = rtt_s;
        }
        if let Some(recent) = &mut self.recent {
            recent.minute.add(now, rtt_s);
        }
        self.growth_s = self.growth_s.max(rtt_s);
    }

    /// The rate has changed, the gap between packets is `gap_s`: a floor that follows it may fall.
    pub(super) fn gap_changed(&mut self, gap_s: f64) {
        if self.gap_floor == GapFloor::Follows {
            self.value_s = self.value_s.min(self.measured_s.max(gap_s));
        }
    }

    /// The next round begins. R_max does not fall below the gap between packets, `gap_s` (section 3.2).
    pub(super) fn next_round(&mut self, now: Instant, gap_s: f64) {
        match &mut self.recent {
            Some(recent) => self.measured_s = recent.next_round(now, self.peak_s),
            None => self.measured_s = (0.9 * self.measured_s).max(self.peak_s),
        }
        self.value_s = self.measured_s.max(gap_s);
        self.growth_s = (0.9 * self.growth_s).max(self.peak_s);
        if self.gap_floor == GapFloor::Decays && self.recent.is_none() {
            self.measured_s = self.value_s;
        }
        self.peak_s = 0.0;
    }
}

impl Recent {
    /// A round with this peak is over; R_max by the rule. A round without a report says nothing and does not count.
    fn next_round(&mut self, now: Instant, peak_s: f64) -> f64 {
        if peak_s > 0.0 {
            self.peaks.rotate_left(1);
            self.peaks[ROUNDS - 1] = (now, peak_s);
        }
        let last_s = self.peaks[ROUNDS - 1].1;
        let recent = self.peaks.iter().filter(|&&(end, _)| now.since(end) <= RECENT).map(|&(_, peak_s)| peak_s);
        recent.fold(last_s.max(self.part * self.minute.largest(now)), f64::max)
    }
}

/// The largest of the numbers of the last minute: kept for 60 s, gone after 70 s.
#[derive(Clone, Debug, Default)]
struct LargestOfAMinute {
    /// When the first came: time is cut from there on, so that it does not matter what the clock of the host shows.
    first: Option<Instant>,
    /// The largest of each 10 s, by their number modulo 7.
    slots: [f64; SLOTS],
    /// The number of the present 10 s.
    present: u64,
}

const SLOT: Duration = Duration::from_secs(10);
const SLOTS: usize = 7;

impl LargestOfAMinute {
    fn add(&mut self, now: Instant, number: f64) {
        self.first.get_or_insert(now);
        self.forget(now);
        let slot = &mut self.slots[(self.present % SLOTS as u64) as usize];
        *slot = slot.max(number);
    }

    /// 0 if there is none.
    fn largest(&mut self, now: Instant) -> f64 {
        self.forget(now);
        self.slots.iter().copied().fold(0.0, f64::max)
    }

    fn forget(&mut self, now: Instant) {
        let present = self.first.map_or(0, |first| now.since(first).0 / SLOT.0);
        for slot in (self.present + 1..=present).take(SLOTS) {
            self.slots[(slot % SLOTS as u64) as usize] = 0.0;
        }
        self.present = present;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> Instant {
        Instant::from_secs_f64(seconds)
    }

    fn rfc(gap_floor: GapFloor) -> MaxRtt {
        MaxRtt::new(0.5, 6.0, MaxRttRule::Rfc, gap_floor)
    }

    #[test]
    fn growth_that_starts_anew_forgets_what_this_round_has_measured() {
        let mut max_rtt = MaxRtt::new(0.5, 6.0, MaxRttRule::Measured, GapFloor::Follows);
        max_rtt.measured(at(0.5), 0.09);
        max_rtt.restart_growth(0.04);
        assert_eq!(max_rtt.growth_s(), 0.04);
        max_rtt.measured(at(0.6), 0.042);
        max_rtt.next_round(at(3.0), 0.0);
        assert_eq!(max_rtt.growth_s(), 0.042, "and not 0.09");
    }

    #[test]
    fn the_maximum_follows_the_peak() {
        let mut max_rtt = rfc(GapFloor::Decays);
        max_rtt.measured(at(0.5), 0.3);
        max_rtt.next_round(at(3.0), 0.0);
        assert!((max_rtt.value_s() - 0.45).abs() < 1e-12, "down by a tenth");
        max_rtt.measured(at(3.5), 0.42);
        max_rtt.next_round(at(6.0), 0.0);
        assert!((max_rtt.value_s() - 0.42).abs() < 1e-12, "not below the peak");
        max_rtt.measured(at(6.5), 0.8);
        assert_eq!(max_rtt.value_s(), 0.8, "up at once");
        max_rtt.next_round(at(9.0), 0.0);
        assert_eq!(max_rtt.value_s(), 0.8, "a round with a rise does not lower it");
        max_rtt.next_round(at(12.0), 1.5);
        assert_eq!(max_rtt.value_s(), 1.5, "not below the gap between packets");
    }

    #[test]
    fn a_peak_counts_in_its_own_round_only() {
        let mut max_rtt = rfc(GapFloor::Decays);
        max_rtt.measured(at(0.5), 0.5);
        for round in 1..=3 {
            max_rtt.next_round(at(3.0 * f64::from(round)), 0.0);
        }
        assert!((max_rtt.value_s() - 0.5 * 0.81).abs() < 1e-12, "{}", max_rtt.value_s());
    }

    #[test]
    fn a_floor_that_follows_falls_with_the_gap() {
        for rule in [MaxRttRule::Rfc, MaxRttRule::Recent] {
            let mut max_rtt = MaxRtt::new(0.5, 6.0, rule, GapFloor::Follows);
            max_rtt.next_round(at(3.0), 4.0);
            assert_eq!(max_rtt.value_s(), 4.0);
            max_rtt.gap_changed(2.0);
            assert_eq!(max_rtt.value_s(), 2.0);
            max_rtt.gap_changed(3.0);
            assert_eq!(max_rtt.value_s(), 2.0, "a rise waits for the round");
            max_rtt.gap_changed(0.1);
            let measured = if rule == MaxRttRule::Rfc { 0.45 } else { 0.5 };
            assert!((max_rtt.value_s() - measured).abs() < 1e-12, "what was measured remains");
        }
    }

    #[test]
    fn the_peak_of_a_round_counts_though_the_floor_fell_after_it() {
        // Section 3.2: not below R_peak, which came while the gap of 4 s was above it.
        let mut max_rtt = rfc(GapFloor::Follows);
        max_rtt.next_round(at(3.0), 4.0);
        max_rtt.measured(at(3.5), 3.0);
        max_rtt.gap_changed(0.1);
        max_rtt.measured(at(4.0), 2.5);
        assert_eq!(max_rtt.value_s(), 2.5);
        max_rtt.next_round(at(5.0), 0.1);
        assert_eq!(max_rtt.value_s(), 3.0);
    }

    #[test]
    fn a_floor_that_decays_stays_for_the_round() {
        let mut max_rtt = rfc(GapFloor::Decays);
        max_rtt.next_round(at(3.0), 4.0);
        max_rtt.gap_changed(0.1);
        assert_eq!(max_rtt.value_s(), 4.0);
        max_rtt.next_round(at(6.0), 0.1);
        assert!((max_rtt.value_s() - 3.6).abs() < 1e-12, "down by a tenth");
    }

    /// A session by the rule "recent".
    fn recent() -> MaxRtt {
        MaxRtt::new(0.5, 6.0, MaxRttRule::Recent, GapFloor::Decays)
    }

    #[test]
    fn recent_peaks_count_up_to_ten_seconds_and_a_third_of_them_for_a_minute() {
        let mut max_rtt = recent();
        max_rtt.measured(at(0.0), 9.0);
        assert_eq!(max_rtt.value_s(), 9.0, "up at once");
        let mut values = Vec::new();
        for round in 1..=6 {
            max_rtt.next_round(at(10.0 * f64::from(round)), 0.0);
            values.push(max_rtt.value_s());
            max_rtt.measured(at(10.0 * f64::from(round) + 1.0), 0.1);
        }
        assert_eq!(values, [9.0, 9.0, 3.0, 3.0, 3.0, 3.0], "it has ended 10 s ago, then 20 s ago");
        max_rtt.next_round(at(70.0), 0.0);
        assert_eq!(max_rtt.value_s(), 0.1);
        max_rtt.next_round(at(80.0), 1.25);
        assert_eq!(max_rtt.value_s(), 1.25, "not below the gap between packets");
        max_rtt.next_round(at(90.0), 0.0);
        assert_eq!(max_rtt.value_s(), 0.1, "which is no measurement");
    }

    #[test]
    fn with_rounds_of_one_r_max_it_is_the_largest_of_the_minute() {
        let mut max_rtt = MaxRtt::new(0.5, 1.0, MaxRttRule::Recent, GapFloor::Decays);
        max_rtt.measured(at(1.0), 4.0);
        for second in [10.0, 20.0, 30.0, 40.0] {
            max_rtt.next_round(at(second), 0.0);
            max_rtt.measured(at(second + 1.0), 0.1);
        }
        assert_eq!(max_rtt.value_s(), 4.0, "not twice that");
    }

    #[test]
    fn peaks_of_short_rounds_count_for_four_rounds_and_of_long_ones_for_ten_seconds() {
        let values = |round_s: f64| -> Vec<f64> {
            let mut max_rtt = recent();
            max_rtt.measured(at(0.1), 0.9);
            (1..=6)
                .map(|round| {
                    max_rtt.next_round(at(round_s * f64::from(round)), 0.0);
                    max_rtt.measured(at(round_s * f64::from(round) + 0.1), 0.2);
                    (max_rtt.value_s() * 1e6).round() / 1e6
                })
                .collect()
        };
        assert_eq!(values(3.0), [0.9, 0.9, 0.9, 0.9, 0.3, 0.3]);
        assert_eq!(values(4.0), [0.9, 0.9, 0.9, 0.3, 0.3, 0.3]);
        // Here with the initial 0.5 s, which counts until four rounds have had a report.
        assert_eq!(values(11.0), [0.9, 0.5, 0.5, 0.3, 0.3, 0.3]);
    }

    #[test]
    fn growth_remembers_longer_than_recent_rounds() {
        let mut max_rtt = recent();
        max_rtt.measured(at(0.0), 9.0);
        assert_eq!(max_rtt.growth_s(), 9.0);
        for round in 1..=7 {
            max_rtt.next_round(at(10.0 * f64::from(round)), 0.0);
            max_rtt.measured(at(10.0 * f64::from(round) + 1.0), 0.1);
        }
        assert_eq!(max_rtt.value_s(), 0.1);
        assert!((max_rtt.growth_s() - 9.0 * libm::pow(0.9, 6.0)).abs() < 1e-12, "{}", max_rtt.growth_s());
        let mut max_rtt = rfc(GapFloor::Decays);
        max_rtt.measured(at(1.0), 9.0);
        max_rtt.next_round(at(10.0), 0.0);
        max_rtt.next_round(at(20.0), 0.0);
        assert_eq!((max_rtt.growth_s(), max_rtt.value_s()), (8.1, 8.1), "one R_max by the RFC");
    }

    #[test]
    fn rounds_without_a_report_do_not_count_as_recent() {
        let mut max_rtt = recent();
        for round in 1..100 {
            max_rtt.next_round(at(3.0 * f64::from(round)), 0.0);
        }
        assert_eq!(max_rtt.value_s(), 0.5);
        for round in 100..104 {
            assert_eq!(max_rtt.value_s(), 0.5);
            max_rtt.measured(at(3.0 * f64::from(round) - 1.0), 0.2);
            max_rtt.next_round(at(3.0 * f64::from(round)), 0.0);
        }
        assert_eq!(max_rtt.value_s(), 0.2);
    }

    #[test]
    fn when_a_number_goes_does_not_depend_on_the_clock() {
        let kept = |offset_s: f64| {
            let mut largest = LargestOfAMinute::default();
            largest.add(at(offset_s), 1.0);
            (1..80).filter(|&second| largest.largest(at(offset_s + f64::from(second))) > 0.0).count()
        };
        for offset_s in [0.0, 3.0, 7.0, 9.999, 1e6] {
            assert_eq!(kept(offset_s), 69, "{offset_s}");
        }
        // Whether anything has been asked for before makes no difference.
        let mut largest = LargestOfAMinute::default();
        assert_eq!(largest.largest(at(3.0)), 0.0);
        largest.add(at(7.0), 1.0);
        assert_eq!((largest.largest(at(76.9)), largest.largest(at(77.0))), (1.0, 0.0));
    }

    #[test]
    fn the_largest_of_a_minute_is_kept_for_sixty_seconds_and_gone_after_seventy() {
        for start in [0.0, 3.0, 9.9] {
            let mut largest = LargestOfAMinute::default();
            largest.add(at(start), 5.0);
            largest.add(at(start + 0.05), 3.0);
            assert_eq!(largest.largest(at(start + 60.0)), 5.0);
            assert_eq!(largest.largest(at(start + 70.0)), 0.0);
            largest.add(at(start + 1000.0), 1.0);
            assert_eq!(largest.largest(at(start + 1030.0)), 1.0);
        }
    }
}
