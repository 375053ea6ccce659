use super::super::battery::{link, packet, view};
use super::*;

const PROFILES: [Profile; 3] = [Profile::Literal, Profile::Overlap, Profile::LongRamp];

/// Thresholds 5, 10, 20; the average follows the queue at once, so a constant queue is a constant average.
fn instant(profile: Profile) -> Config {
    Config { profile, w_q: Auto::Set(1.0), ..Config::default() }
}

/// Numbers of the arrivals, from 1, at which a queue of constantly `waiting` packets gives `wanted`.
fn when(mecn: &mut Mecn, waiting: u32, ecn: Ecn, arrivals: u32, wanted: Verdict) -> Vec<u32> {
    (1..=arrivals).filter(|_| mecn.arrive(&packet(1000, ecn), &view(waiting, 1000)) == wanted).collect()
}

fn rate(profile: Profile, waiting: u32, ecn: Ecn, wanted: Verdict) -> f64 {
    let n = 300_000;
    when(&mut Mecn::new(&instant(profile), link(6)), waiting, ecn, n, wanted).len() as f64 / f64::from(n)
}

/// The rate in the long run of a nominal probability: gaps uniform over the whole numbers from 1/p to 2/p - 1.
fn long_run(nominal: f64) -> f64 {
    if nominal == 0.0 { 0.0 } else { 1.0 / (1.5 / nominal - 0.5) }
}

#[test]
fn every_region_marks_at_its_nominal_rates() {
    // (average, p1, p2) by hand.
    let tables = [
        (Profile::Literal, [(7, 0.04, 0.0), (10, 0.0, 0.0), (15, 0.0, 0.05), (18, 0.0, 0.08)]),
        (Profile::Overlap, [(7, 0.04, 0.0), (10, 0.1, 0.0), (15, 0.1, 0.05), (18, 0.1, 0.08)]),
        (Profile::LongRamp, [(8, 0.02, 0.0), (11, 0.04, 0.01), (15, 0.2 / 3.0, 0.05), (5, 0.0, 0.0)]),
    ];
    for (profile, rows) in tables {
        for (waiting, p1, p2) in rows {
            let curves = Curves::new(&instant(profile));
            let average = f64::from(waiting);
            assert!((curves.incipient(average) - p1).abs() < 1e-12, "{profile:?} {waiting}");
            assert!((curves.moderate(average) - p2).abs() < 1e-12, "{profile:?} {waiting}");
            let moderate = rate(profile, waiting, Ecn::Capable, Verdict::Mark(Ecn::Moderate));
            // An incipient mark that falls due with a moderate one waits for the next packet.
            let incipient = rate(profile, waiting, Ecn::Capable, Verdict::Mark(Ecn::Incipient));
            assert!((moderate - long_run(p2)).abs() <= 0.03 * long_run(p2), "{profile:?} {waiting}: {moderate}");
            assert!((incipient - long_run(p1)).abs() <= 0.05 * long_run(p1), "{profile:?} {waiting}: {incipient}");
        }
    }
}

#[test]
fn the_levels_space_their_marks_apart_from_each_other() {
    // Average 15: incipient 0.1, gaps 10 to 20; moderate 0.05, gaps 20 to 40. One common count could not have both.
    let mut mecn = Mecn::new(&instant(Profile::Overlap), link(2));
    let (mut incipient, mut moderate) = (Vec::new(), Vec::new());
    for n in 1..50_000 {
        match mecn.arrive(&packet(1000, Ecn::Capable), &view(15, 1000)) {
            Verdict::Mark(Ecn::Incipient) => incipient.push(n),
            Verdict::Mark(Ecn::Moderate) => moderate.push(n),
            other => assert_eq!(other, Verdict::Accept),
        }
    }
    let gaps = |marks: &[i32]| marks.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>();
    assert!(gaps(&moderate).iter().all(|gap| (20..=40).contains(gap)));
    assert!(gaps(&incipient).iter().all(|gap| (10..=21).contains(gap)));
}

#[test]
fn the_literal_reading_has_a_notch_and_the_overlap_has_none() {
    let marks = |profile, waiting| {
        rate(profile, waiting, Ecn::Capable, Verdict::Mark(Ecn::Incipient))
            + rate(profile, waiting, Ecn::Capable, Verdict::Mark(Ecn::Moderate))
    };
    assert!(marks(Profile::Literal, 9) > 0.04);
    assert_eq!(marks(Profile::Literal, 10), 0.0);
    assert!(marks(Profile::Overlap, 10) > marks(Profile::Overlap, 9));
}

#[test]
fn marking_pressure_never_falls_with_the_average_but_for_the_literal_reading() {
    // The expected reduction that a mark asks for: 20 % incipient, 40 % moderate [Durresi, Table III].
    let pressure = |curves: &Curves, average: f64| {
        let (p1, p2) = (curves.incipient(average), curves.moderate(average));
        0.4 * p2 + 0.2 * (1.0 - p2) * p1
    };
    for profile in PROFILES {
        let curves = Curves::new(&instant(profile));
        let rises = (500..2000)
            .all(|n| pressure(&curves, f64::from(n + 1) / 100.0) >= pressure(&curves, f64::from(n) / 100.0) - 1e-12);
        assert_eq!(rises, profile != Profile::Literal, "{profile:?}");
    }
}

#[test]
fn packets_that_are_not_capable_are_dropped_with_the_larger_probability() {
    let drops = |profile, waiting| rate(profile, waiting, Ecn::NotCapable, Verdict::Drop(DropReason::Active));
    for (profile, waiting, nominal) in [
        (Profile::Overlap, 7, 0.04),
        (Profile::Overlap, 15, 0.1),
        (Profile::Literal, 15, 0.05),
        (Profile::LongRamp, 15, 0.2 / 3.0),
    ] {
        let measured = drops(profile, waiting);
        assert!((measured / long_run(nominal) - 1.0).abs() < 0.03, "{profile:?} {waiting}: {measured}");
    }
}

#[test]
fn a_mark_set_upstream_stays() {
    let any_mark = |waiting, ecn, level| rate(Profile::Overlap, waiting, ecn, Verdict::Mark(level));
    assert_eq!(any_mark(15, Ecn::Moderate, Ecn::Incipient), 0.0);
    assert_eq!(any_mark(15, Ecn::Moderate, Ecn::Moderate), 0.0, "nothing left to raise");
    assert_eq!(any_mark(15, Ecn::Incipient, Ecn::Incipient), 0.0);
    assert!(any_mark(15, Ecn::Incipient, Ecn::Moderate) > 0.03);
}

#[test]
fn above_max_th_and_at_the_limit_everything_is_dropped() {
    for profile in PROFILES {
        assert_eq!(rate(profile, 20, Ecn::Capable, Verdict::Drop(DropReason::Active)), 1.0);
        assert_eq!(rate(profile, 50, Ecn::Capable, Verdict::Drop(DropReason::Overflow)), 1.0);
    }
}

#[test]
fn a_forced_drop_clears_both_counts() {
    let mut mecn = Mecn::new(&instant(Profile::Overlap), link(1));
    let mut quiet = |waiting, arrivals| when(&mut mecn, waiting, Ecn::Capable, arrivals, Verdict::Accept).len() as u32;
    assert_eq!(quiet(15, 9), 9, "the tenth may be the first mark");
    assert_eq!(quiet(20, 1), 0);
    // The region was never left, so this is number 1 after the forced drop.
    assert_eq!(quiet(15, 9), 9);
    let counts = [mecn.rules.incipient.count, mecn.rules.moderate.count];
    assert_eq!(counts, [9.0, 9.0]);
}

#[test]
fn the_first_packet_after_crossing_min_th_passes() {
    let config = Config { p1_max: 1.0, p2_max: 1.0, wait: false, ..instant(Profile::Overlap) };
    for waiting in [9, 19] {
        let mut mecn = Mecn::new(&config, link(1));
        let mut arrive = |waiting| mecn.arrive(&packet(1000, Ecn::Capable), &view(waiting, 1000));
        assert_eq!(arrive(waiting), Verdict::Accept);
        assert!(matches!(arrive(waiting), Verdict::Mark(_)));
        assert_eq!(arrive(1), Verdict::Accept, "at most one waits");
        assert_eq!(arrive(waiting), Verdict::Accept, "crossed anew");
    }
}

#[test]
fn thresholds_follow_min_th_unless_given() {
    let at = |min| Config { min_th: Packets(min), ..Config::default() }.thresholds();
    assert_eq!(at(5.0), (5.0, 10.0, 20.0));
    assert_eq!(at(2.5), (2.5, 5.0, 10.0));
}

#[test]
fn thresholds_out_of_order_are_explained() {
    let four = Auto::Set(Packets(4.0));
    let wrong = Config { mid_th: four, max_th: four, ..Config::default() }.check();
    assert_eq!(wrong.len(), 2);
    assert_eq!(wrong[0].0, "mid_th");
    assert_eq!(wrong[0].1, "4 packets given; it must be above min_th = 5 packets");
    assert_eq!(wrong[1].0, "max_th");
    let zero = Config { min_th: Packets(0.0), p2_max: 2.0, ..Config::default() }.check();
    assert_eq!([zero[0].0.as_str(), zero[1].0.as_str()], ["p2_max", "min_th"]);
}
