use super::*;
use crate::parts::loss_detection::{ArrivalOrder, LossDetection};

/// A receiver that detects losses in each space, and differentiates.
struct Bench {
    part: LossDifferentiation,
    detections: Vec<LossDetection>,
    lost: u64,
}

impl Bench {
    fn new(rule: DifferentiationRule, window: Forgetting, scope: Scope) -> Bench {
        let has_least = matches!(rule, DifferentiationRule::Ias | DifferentiationRule::Mbiaz);
        let config = Config { rule, window: has_least.then_some(window), scope: has_least.then_some(scope) };
        assert_eq!(config.check(), []);
        Bench { part: LossDifferentiation::new(&config), detections: vec![LossDetection::NOTHING; 3], lost: 0 }
    }

    fn layer(rule: DifferentiationRule) -> Bench {
        Bench::new(rule, Forgetting::Session, Scope::Layer)
    }

    /// A packet comes after so many milliseconds of the run; what a gap before it is taken for.
    fn comes(&mut self, space: u16, count: u64, at_ms: f64) -> Option<Judgement> {
        self.comes_as(space, count, at_ms, false)
    }

    fn comes_as(&mut self, space: u16, count: u64, at_ms: f64, is_probe: bool) -> Option<Judgement> {
        let now = Instant((at_ms * 1e6).round() as u64);
        self.part.arrived(space, count, now, is_probe);
        match self.detections[usize::from(space)].arrive(count, now) {
            ArrivalOrder::Next(Some(gap)) => {
                self.lost += gap.missing;
                let judgement = self.part.judge(space, &gap, now);
                assert_eq!(judgement.link + judgement.congestion, gap.missing);
                Some(judgement)
            }
            ArrivalOrder::Late | ArrivalOrder::Old => {
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
fn judged(rule: DifferentiationRule, missing: u64, ratio: f64) -> Verdict {
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
            assert_eq!(judged(DifferentiationRule::Ias, missing, ratio), expected, "n = {missing}, {ratio}");
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
            assert_eq!(judged(DifferentiationRule::Ias, missing, ratio), expected, "n = {missing}, {ratio}");
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
            assert_eq!(judged(DifferentiationRule::Mbiaz, missing, ratio), expected, "n = {missing}, {ratio}");
        }
    }
}

#[test]
fn without_a_rule_all_is_congestion_whatever_its_time() {
    for ratio in [0.1, 2.0, 2.5, 30.0] {
        assert_eq!(judged(DifferentiationRule::None, 1, ratio), Verdict::Congestion);
    }
}

const fn link(link: u64) -> Option<Judgement> {
    Some(Judgement { link, congestion: 0 })
}

const fn congestion(congestion: u64) -> Option<Judgement> {
    Some(Judgement { link: 0, congestion })
}

#[test]
fn five_samples_behind_the_first_second_are_needed() {
    // Packets at 0, 10, .. ms; what comes up to 1 s after the first says nothing.
    for (last, expected) in [(104, congestion(1)), (105, link(1))] {
        let mut bench = Bench::layer(DifferentiationRule::Ias);
        bench.come(0, 0..=last, 0.0, 10.0);
        assert_eq!(bench.comes(0, last + 2, 10.0 * (last + 2) as f64), expected, "{last}");
    }
    // A shorter time within the first second is not the least.
    let mut bench = Bench::layer(DifferentiationRule::Ias);
    bench.come(0, 0..=50, 0.0, 1.0);
    bench.come(0, 51..=200, 60.0, 10.0);
    assert_eq!(bench.comes(0, 202, 1570.0), link(1));
}

#[test]
fn the_time_behind_a_probe_or_a_gap_is_no_sample() {
    for is_probe in [true, false] {
        let mut bench = Bench::layer(DifferentiationRule::Ias);
        bench.come(0, 0..=150, 0.0, 10.0);
        bench.comes_as(0, 151, 1510.0, is_probe);
        assert_eq!(bench.comes(0, 152, 1511.0), None);
        bench.come(0, 153..=160, 1530.0, 10.0);
        // The least is 1 ms if the pair counts.
        assert_eq!(bench.comes(0, 162, 1620.0), if is_probe { link(1) } else { congestion(1) });
    }
    // 1 ms after a packet that is behind it by two numbers: a queue has emptied in a burst of others.
    let mut bench = Bench::layer(DifferentiationRule::Ias);
    bench.come(0, 0..=150, 0.0, 10.0);
    assert_eq!(bench.comes(0, 152, 1501.0), congestion(1));
    bench.come(0, 153..=160, 1511.0, 10.0);
    assert_eq!(bench.comes(0, 162, 1601.0), link(1));
}

#[test]
fn a_rate_that_changes_by_more_than_a_tenth_begins_another_window() {
    for (window, scope) in [
        (Forgetting::Session, Scope::Layer),
        (Forgetting::Rate, Scope::Layer),
        (Forgetting::Session, Scope::Aggregate),
        (Forgetting::Rate, Scope::Aggregate),
    ] {
        let mut bench = Bench::new(DifferentiationRule::Ias, window, scope);
        bench.part.rate(0, 100.0);
        bench.come(0, 0..=150, 0.0, 10.0);
        // A tenth is not more than a tenth, nor is what is no rate; and each is held against the first.
        for rate_bps in [110.0, 90.0, 100.0, 95.0, 109.0, f64::NAN, 0.0, -1.0, f64::INFINITY] {
            bench.part.rate(0, rate_bps);
        }
        assert_eq!(bench.comes(0, 152, 1520.0), link(1), "{window:?}");
        bench.part.rate(0, 50.0);
        bench.come(0, 153..=157, 1540.0, 20.0);
        let (early, late) = match window {
            Forgetting::Session | Forgetting::Recent => (congestion(1), congestion(1)),
            // Four samples, as the time to the first packet at the new rate is none, and then more than five.
            Forgetting::Rate => (congestion(1), link(1)),
        };
        assert_eq!(bench.comes(0, 159, 1660.0), early, "{window:?}");
        bench.come(0, 160..=170, 1680.0, 20.0);
        assert_eq!(bench.comes(0, 172, 1920.0), late, "{window:?}");
    }
}

#[test]
fn the_least_time_survives_leaving_and_coming_back() {
    for rule in [DifferentiationRule::Ias, DifferentiationRule::Mbiaz] {
        let mut bench = Bench::layer(rule);
        bench.come(0, 0..=150, 0.0, 10.0);
        bench.part.link_lost(0, 151);
        bench.part.left(0);
        bench.part.joined(0);
        bench.detections[0] = LossDetection::NOTHING;
        // Others numbers: what was between is no gap, and what is known of the old ones is forgotten.
        bench.come(0, 100_000..=100_001, 5000.0, 10.0);
        assert_eq!(bench.comes(0, 100_003, 5030.0), link(1));
        assert_eq!(bench.part.confusion(), Confusion { congestion_as_link: 1, ..Confusion::default() });
    }
}

#[test]
fn layers_have_least_times_of_their_own_or_one_together() {
    // Layer 0 each 10 ms, layer 1 5 ms behind it each: together 5 ms.
    for scope in [Scope::Layer, Scope::Aggregate] {
        let mut bench = Bench::new(DifferentiationRule::Ias, Forgetting::Session, scope);
        for count in 0..150 {
            let at_ms = 10.0 * count as f64;
            assert_eq!([bench.comes(0, count, at_ms), bench.comes(1, count, at_ms + 5.0)], [None, None]);
        }
        // 150 of layer 0 is missing, that of layer 1 has come: of the aggregate one of four places, of the layer one
        // of two.
        assert_eq!(bench.comes(1, 150, 1505.0), None);
        assert_eq!(bench.comes(0, 151, 1510.0), link(1));
        // Both of 152 are missing. Of the aggregate nobody knows yet that the second place is empty, too, when the
        // first is judged.
        assert_eq!(bench.comes(1, 151, 1515.0), None);
        let first = if scope == Scope::Layer { link(1) } else { congestion(1) };
        assert_eq!(bench.comes(0, 153, 1530.0), first);
        assert_eq!(bench.comes(1, 153, 1535.0), link(1));
        // 14 ms after the last of its layer: less than two of 10 ms, or than three of 5 ms.
        assert_eq!(bench.comes(0, 155, 1544.0), congestion(1));
        assert_eq!(bench.part.confusion().losses(), bench.lost);
    }
}

#[test]
fn the_oracle_is_right_about_each_packet_of_a_gap() {
    let mut bench = Bench::layer(DifferentiationRule::Oracle);
    bench.come(0, 0..=5, 0.0, 1.0);
    for lost in [6, 7, 9, 12] {
        bench.part.link_lost(0, lost);
    }
    let now = Instant(13_000_000);
    bench.part.arrived(0, 13, now, false);
    let ArrivalOrder::Next(Some(gap)) = bench.detections[0].arrive(13, now) else { panic!("there is a gap") };
    let mut rows = Vec::new();
    bench.part.judge_rows(0, &gap, now, |row| rows.push((row.first, row.missing, row.verdict)));
    let (link, congestion) = (Verdict::Link, Verdict::Congestion);
    assert_eq!(rows, [(6, 2, link), (8, 1, congestion), (9, 1, link), (10, 2, congestion), (12, 1, link)]);
    let right = Confusion { link_as_link: 4, congestion_as_congestion: 3, ..Confusion::default() };
    assert_eq!(bench.part.confusion(), right);
}

/// Packets of two layers over a link that loses and a queue that drops; now and then one is late. The matrix is that of
/// what never came.
fn mixed(rule: DifferentiationRule, loss: f64, drop: f64, late: f64) -> Confusion {
    let mut bench = Bench::new(rule, Forgetting::Session, Scope::Layer);
    let mut random = crate::random::Random::stream(5, "test/differentiation");
    let (mut lost, mut dropped) = (0, 0);
    let mut held: Option<(u16, u64)> = None;
    for count in 0..20_000_u64 {
        for space in [0, 1] {
            let at_ms = 2.0 * count as f64 + f64::from(space);
            // The ends come, so that all gaps are judged.
            let is_end = !(1..19_990).contains(&count);
            if !is_end && random.chance(loss) {
                bench.part.link_lost(space, count);
                lost += 1;
            } else if !is_end && random.chance(drop) {
                dropped += 1;
            } else if !is_end && held.is_none() && random.chance(late) {
                held = Some((space, count));
            } else {
                bench.comes(space, count, at_ms);
                if let Some((space, count)) = held.take_if(|&mut (other, _)| other == space) {
                    bench.comes(space, count, at_ms);
                }
            }
        }
    }
    assert_eq!(bench.lost, lost + dropped);
    let confusion = bench.part.confusion();
    assert_eq!(confusion.link_as_link + confusion.link_as_congestion, lost);
    assert_eq!(confusion.congestion_as_link + confusion.congestion_as_congestion, dropped);
    confusion
}

#[test]
fn the_matrix_holds_each_loss_once() {
    for rule in
        [DifferentiationRule::None, DifferentiationRule::Ias, DifferentiationRule::Mbiaz, DifferentiationRule::Oracle]
    {
        for (loss, drop, late) in [(0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.05, 0.05, 0.02), (0.5, 0.4, 0.02)] {
            let confusion = mixed(rule, loss, drop, late);
            let Confusion { link_as_link, link_as_congestion, congestion_as_link, .. } = confusion;
            match rule {
                DifferentiationRule::Oracle => assert_eq!((link_as_congestion, congestion_as_link), (0, 0)),
                DifferentiationRule::None => assert_eq!((link_as_link, congestion_as_link), (0, 0)),
                // All come evenly, so that nearly each gap looks like the link's.
                _ if late == 0.0 => assert!(10 * (link_as_link + congestion_as_link) > 9 * confusion.losses()),
                _ => assert!(link_as_link + congestion_as_link > 0),
            }
        }
    }
}

#[test]
fn a_truth_that_comes_after_the_judgement_is_put_right() {
    for rule in [DifferentiationRule::None, DifferentiationRule::Oracle] {
        let mut bench = Bench::layer(rule);
        bench.come(0, 0..=5, 0.0, 1.0);
        assert_eq!(bench.comes(0, 8, 8.0), congestion(2));
        for _ in 0..2 {
            bench.part.link_lost(0, 7);
            let right = Confusion { link_as_congestion: 1, congestion_as_congestion: 1, ..Confusion::default() };
            assert_eq!(bench.part.confusion(), right, "told twice is told once");
        }
        // What came, or was before the first, is nobody's loss.
        for count in [8, 3] {
            bench.part.link_lost(0, count);
        }
        assert_eq!(bench.part.confusion().losses(), 2);
        // And one that comes after all was none.
        assert_eq!(bench.part.late(0, 7), Some(Verdict::Congestion));
        assert_eq!(bench.part.confusion(), Confusion { congestion_as_congestion: 1, ..Confusion::default() });
        assert_eq!(bench.part.late(0, 7), None);
    }
}

#[test]
fn before_the_first_packet_nothing_is_lost() {
    let mut bench = Bench::layer(DifferentiationRule::Oracle);
    bench.part.link_lost(0, 100);
    bench.come(0, 99..=99, 0.0, 1.0);
    assert_eq!(bench.comes(0, 102, 3.0), congestion(2));
}

#[test]
fn however_much_is_lost_little_is_remembered() {
    let mut bench = Bench::layer(DifferentiationRule::Oracle);
    let mut random = crate::random::Random::stream(2, "test/memory");
    for count in 0..200_000_u64 {
        if random.chance(0.9) {
            bench.part.link_lost(0, count);
        } else if random.chance(0.9) {
            bench.comes(0, count, count as f64);
        }
        let (told, judged) = bench.part.ledgers.first().map_or((0, 0), Ledger::remembered);
        assert!(told <= 300 && judged <= 32, "{told}, {judged}");
    }
    // Every other one is told, and nothing comes for a long time.
    for count in 0..100_000 {
        bench.part.link_lost(0, 1_000_000 + 2 * count);
    }
    let (told, judged) = bench.part.ledgers[0].remembered();
    assert!(told == 4096 && judged <= 32, "{told}, {judged}");
}

#[test]
fn a_gap_that_no_packet_has_ended_is_congestion_but_for_the_oracle() {
    for (rule, expected) in [(DifferentiationRule::Ias, congestion(2)), (DifferentiationRule::Oracle, link(2))] {
        let mut bench = Bench::layer(rule);
        bench.come(0, 0..=200, 0.0, 10.0);
        bench.part.link_lost(0, 201);
        bench.part.link_lost(0, 202);
        let now = Instant(2_030_000_000);
        let gap = bench.detections[0].pass_over(202, now);
        assert_eq!(Some(bench.part.judge(0, &gap, now)), expected);
        // The next is none behind a gap, and the time to it no sample.
        assert_eq!(bench.comes(0, 203, 2030.1), None);
        bench.come(0, 204..=204, 2040.0, 1.0);
        assert_eq!(
            bench.comes(0, 206, 2060.0).map(|judgement| judgement.link),
            Some(u64::from(rule == DifferentiationRule::Ias))
        );
    }
}

#[test]
fn who_joins_a_layer_begins_another_window_over_all_together() {
    for (window, link) in [(Forgetting::Rate, 0), (Forgetting::Session, 1)] {
        let mut bench = Bench::new(DifferentiationRule::Ias, window, Scope::Aggregate);
        bench.come(0, 1..=201, 0.0, 10.0);
        bench.part.joined(1);
        assert_eq!(bench.comes(0, 203, 2020.0), Some(Judgement { link, congestion: 1 - link }), "{window:?}");
    }
}

#[test]
fn any_packet_of_a_gap_may_come_late() {
    let mut bench = Bench::layer(DifferentiationRule::None);
    bench.come(0, 1..=10, 0.0, 10.0);
    bench.comes(0, 16, 150.0);
    for (late, verdict) in [(12, true), (14, true), (13, true), (13, false), (11, true), (16, false)] {
        assert_eq!(bench.part.late(0, late), verdict.then_some(Verdict::Congestion), "{late}");
    }
    assert_eq!(bench.part.confusion().losses(), 1);
}
