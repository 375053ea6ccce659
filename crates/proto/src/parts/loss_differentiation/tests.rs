use super::*;
use crate::parts::loss_detection::{LossDetection, Place};

/// A receiver that detects losses in each space, and differentiates.
struct Bench {
    part: LossDifferentiation,
    detections: Vec<LossDetection>,
    lost: u64,
}

impl Bench {
    fn new(rule: Rule, window: Window, scope: Scope) -> Bench {
        let has_least = matches!(rule, Rule::Ias | Rule::Mbiaz);
        let config = Config { rule, window: has_least.then_some(window), scope: has_least.then_some(scope) };
        assert_eq!(config.check(), []);
        Bench { part: LossDifferentiation::new(&config), detections: vec![LossDetection::NOTHING; 3], lost: 0 }
    }

    fn layer(rule: Rule) -> Bench {
        Bench::new(rule, Window::Session, Scope::Layer)
    }

    /// A packet comes after so many milliseconds of the run; what a gap before it is taken for.
    fn comes(&mut self, space: u16, count: u64, at_ms: f64) -> Option<Judgement> {
        self.comes_as(space, count, at_ms, false)
    }

    fn comes_as(&mut self, space: u16, count: u64, at_ms: f64, is_probe: bool) -> Option<Judgement> {
        let now = Instant((at_ms * 1e6).round() as u64);
        self.part.arrived(space, count, now, is_probe);
        match self.detections[usize::from(space)].arrive(count, now) {
            Place::Next(Some(gap)) => {
                self.lost += gap.missing;
                let judgement = self.part.judge(space, &gap, now);
                assert_eq!(judgement.link + judgement.congestion, gap.missing);
                Some(judgement)
            }
            Place::Late | Place::Old => {
                self.lost -= u64::from(self.part.late(space, count).is_some());
                None
            }
            _ => None,
        }
    }

    /// Packets of a space every `spacing_ms` from `count` at `at_ms` on, the last one included.
    fn come(&mut self, space: u16, counts: std::ops::RangeInclusive<u64>, at_ms: f64, spacing_ms: f64) {
        let first = *counts.start();
        for count in counts {
            assert_eq!(self.comes(space, count, at_ms + (count - first) as f64 * spacing_ms), None);
        }
    }
}

/// What a gap of `missing` packets is taken for that lasts so many T_min of 10 ms.
fn judged(rule: Rule, missing: u64, ratio: f64) -> Verdict {
    let mut bench = Bench::layer(rule);
    bench.come(0, 1..=201, 0.0, 10.0);
    match bench.comes(0, 202 + missing, 2000.0 + 10.0 * ratio) {
        Some(Judgement { congestion: 0, .. }) => Verdict::Link,
        Some(Judgement { link: 0, .. }) => Verdict::Congestion,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_gap_is_the_links_from_n_plus_1_up_to_n_plus_2_least_times() {
    for (missing, of_link) in [(1, &[2.0, 2.5][..]), (2, &[3.0, 3.1]), (3, &[]), (4, &[])] {
        for ratio in [1.9, 2.0, 2.5, 3.0, 3.1] {
            let expected = if of_link.contains(&ratio) { Verdict::Link } else { Verdict::Congestion };
            assert_eq!(judged(Rule::Ias, missing, ratio), expected, "n = {missing}, {ratio}");
        }
    }
    for missing in 1..=6 {
        let n = missing as f64;
        // A nanosecond is 1e-7 of the least time.
        for (ratio, expected) in [
            (n + 1.0 - 1e-7, Verdict::Congestion),
            (n + 1.0, Verdict::Link),
            (n + 2.0 - 1e-7, Verdict::Link),
            (n + 2.0, Verdict::Congestion),
        ] {
            assert_eq!(judged(Rule::Ias, missing, ratio), expected, "n = {missing}, {ratio}");
        }
    }
}

#[test]
fn mbiaz_ends_at_a_quarter() {
    for missing in 1..=4 {
        let n = missing as f64;
        for (ratio, expected) in [
            (n + 1.0 - 1e-7, Verdict::Congestion),
            (n + 1.0, Verdict::Link),
            (n + 1.25 - 1e-7, Verdict::Link),
            (n + 1.25, Verdict::Congestion),
        ] {
            assert_eq!(judged(Rule::Mbiaz, missing, ratio), expected, "n = {missing}, {ratio}");
        }
    }
}

#[test]
fn without_a_rule_all_is_congestion_whatever_its_time() {
    for ratio in [0.1, 2.0, 2.5, 30.0] {
        assert_eq!(judged(Rule::None, 1, ratio), Verdict::Congestion);
    }
}
