use super::super::battery::{link, packet, view};
use super::*;
use faircast_proto::time::Rate;

/// The average follows the queue at once, so a constant queue is a constant average.
fn instant() -> Config {
    Config { w_q: Auto::Set(1.0), ..Config::default() }
}

/// Numbers of the arrivals, from 1, on which a queue of constantly `waiting` packets acts.
fn actions(red: &mut Red, waiting: u32, ecn: Ecn, arrivals: u32) -> Vec<(u32, Verdict)> {
    (1..=arrivals)
        .map(|n| (n, red.arrive(&packet(1000, ecn), &view(waiting, 1000))))
        .filter(|(_, verdict)| *verdict != Verdict::Accept)
        .collect()
}

fn gaps(actions: &[(u32, Verdict)]) -> Vec<u32> {
    actions.windows(2).map(|pair| pair[1].0 - pair[0].0).collect()
}

#[test]
fn the_average_moves_on_every_arrival_even_on_those_that_are_dropped() {
    let mut red = Red::new(&Config { limit: QueueSize::Packets(10.0), ..Config::default() }, link(1));
    for _ in 0..1000 {
        assert_eq!(
            red.arrive(&packet(1000, Ecn::NotCapable), &view(10, 1000)),
            Verdict::Drop(DropReason::Overflow),
            "the limit is reached"
        );
    }
    assert!((red.average_pkts().unwrap() - 8.6494).abs() < 5e-5);
}

#[test]
fn the_limit_counts_waiting_packets_only() {
    let config = Config { limit: QueueSize::Packets(10.0), max_p: 0.0, ..Config::default() };
    let mut red = Red::new(&config, link(1));
    let held = (0..100).take_while(|&n| red.arrive(&packet(1000, Ecn::NotCapable), &view(n, 1000)) == Verdict::Accept);
    assert_eq!(held.count(), 10);
}

#[test]
fn early_drops_keep_their_distance() {
    // Average 10: half way up the ramp, 0.05.
    let mut red = Red::new(&instant(), link(4));
    let drops = actions(&mut red, 10, Ecn::NotCapable, 200_000);
    let gaps = gaps(&drops);
    assert!(gaps.iter().all(|gap| (20..=40).contains(gap)));
    let mean = f64::from(gaps.iter().sum::<u32>()) / gaps.len() as f64;
    assert!((mean - 29.5).abs() < 0.5, "{mean}");
    assert!(drops.iter().all(|(_, verdict)| *verdict == Verdict::Drop(DropReason::Active)));
}

#[test]
fn without_wait_early_drops_may_follow_each_other() {
    let mut red = Red::new(&Config { wait: false, ..instant() }, link(4));
    let gaps = gaps(&actions(&mut red, 10, Ecn::NotCapable, 200_000));
    assert!(gaps.iter().all(|gap| (1..=20).contains(gap)));
    assert!(gaps.contains(&1));
    let mean = f64::from(gaps.iter().sum::<u32>()) / gaps.len() as f64;
    assert!((mean - 10.0).abs() < 0.2, "{mean}");
}

#[test]
fn the_first_packet_after_crossing_always_passes() {
    // max_p = 1 near max_th: every later packet would be dropped without wait.
    let config = Config { max_p: 1.0, wait: false, ..instant() };
    let mut red = Red::new(&config, link(1));
    let mut arrive = |waiting| red.arrive(&packet(1000, Ecn::NotCapable), &view(waiting, 1000));
    assert_eq!(arrive(14), Verdict::Accept);
    assert_eq!(arrive(14), Verdict::Drop(DropReason::Active));
    assert_eq!(arrive(4), Verdict::Accept);
    assert_eq!(arrive(14), Verdict::Accept, "crossed anew");
    assert_eq!(arrive(14), Verdict::Drop(DropReason::Active));
    // min_th itself is above: ns-2 `red.cc`, v_ave >= th_min.
    assert_eq!((arrive(4), arrive(5)), (Verdict::Accept, Verdict::Accept));
    assert_eq!(arrive(14), Verdict::Drop(DropReason::Active));
}

#[test]
fn one_waiting_packet_is_no_congestion_whatever_the_average() {
    let config = Config { w_q: Auto::Set(0.5), max_p: 1.0, wait: false, ..Config::default() };
    let mut red = Red::new(&config, link(1));
    let mut arrive = |waiting| red.arrive(&packet(1000, Ecn::NotCapable), &view(waiting, 1000));
    assert_eq!(arrive(40), Verdict::Drop(DropReason::Active), "average 20, above the hard threshold");
    assert_eq!(arrive(1), Verdict::Accept, "average 10.5");
    assert_eq!(arrive(2), Verdict::Accept, "average 6.25: the guard has reset the crossing");
}

#[test]
fn above_the_hard_threshold_everything_is_dropped_and_the_count_cleared() {
    let mut red = Red::new(&instant(), link(1));
    assert_eq!(actions(&mut red, 10, Ecn::NotCapable, 15), [], "waiting for the twentieth");
    assert_eq!(actions(&mut red, 15, Ecn::NotCapable, 3).len(), 3);
    // Not a fresh crossing: the next is number 1, so that the first drop may come with number 20.
    assert_eq!(actions(&mut red, 10, Ecn::NotCapable, 19), []);
    assert_eq!(actions(&mut red, 10, Ecn::NotCapable, 21).len(), 1);
}

#[test]
fn gentle_rises_from_max_p_at_max_th_to_one_at_twice_max_th() {
    let ramp = Ramp::new(5.0, 15.0, 0.1);
    assert_eq!(ramp.nominal(5.0), 0.0);
    assert!((ramp.nominal(10.0) - 0.05).abs() < 1e-15);
    assert!((ramp.nominal(15.0) - 0.1).abs() < 1e-15);
    assert!((ramp.nominal(22.5) - 0.55).abs() < 1e-15);
    assert!((ramp.nominal(30.0) - 1.0).abs() < 1e-15);

    let mut gentle = Red::new(&Config { gentle: true, ..instant() }, link(1));
    let at_max_th = actions(&mut gentle, 15, Ecn::NotCapable, 2_000).len();
    assert!((130..=142).contains(&at_max_th), "nominal 0.1, gaps 10 to 19, mean 14.5: {at_max_th}");
    assert_eq!(actions(&mut gentle, 30, Ecn::NotCapable, 50).len(), 50);
}

#[test]
fn ecn_marks_below_max_th_and_drops_above() {
    let config = Config { ecn: true, gentle: true, ..instant() };
    let kinds = |waiting, ecn| {
        let mut seen = Vec::new();
        for (_, verdict) in actions(&mut Red::new(&config, link(1)), waiting, ecn, 2_000) {
            if !seen.contains(&verdict) {
                seen.push(verdict);
            }
        }
        seen
    };
    assert_eq!(kinds(10, Ecn::Capable), [Verdict::Mark(Ecn::Moderate)]);
    assert_eq!(kinds(10, Ecn::NotCapable), [Verdict::Drop(DropReason::Active)]);
    assert_eq!(kinds(10, Ecn::Moderate), [], "marked upstream already");
    assert_eq!(kinds(20, Ecn::Capable), [Verdict::Drop(DropReason::Active)], "above max_th");
    assert_eq!(kinds(50, Ecn::Capable), [Verdict::Drop(DropReason::Overflow)], "at the limit");
}

#[test]
fn byte_mode_spares_small_packets() {
    // 10 packets of 1000 bytes wait: average 10, nominal 0.05. The count grows by 0.04 per packet of 40 bytes: 20 is
    // reached with the 500th, and p is 0.04 times as large.
    let config = Config { bytes: true, ..instant() };
    let first = |size: u16| {
        let mut red = Red::new(&config, link(9));
        (1..).find(|_| red.arrive(&packet(size, Ecn::NotCapable), &view(10, 1000)) != Verdict::Accept)
    };
    assert!((20..=40).contains(&first(1000).unwrap()));
    assert!((500..=1100).contains(&first(40).unwrap()), "{:?}", first(40));
    // The queue is measured in bytes: 100 small packets are 4 mean ones, below min_th.
    let mut red = Red::new(&Config { limit: QueueSize::Packets(1000.0), ..config.clone() }, link(9));
    red.arrive(&packet(40, Ecn::NotCapable), &view(100, 40));
    assert!((red.average_pkts().unwrap() - 4.0).abs() < 1e-12);
}

#[test]
fn adaptive_steps_by_hand() {
    // Rate 1.5 Mbit/s: bottom = min(0.01, 0.0533) = 0.01. Target zone 9 to 11.
    let mut red = Red::new(&Config { adaptive: true, ..instant() }, link(1));
    let mut max_p_after = |waiting, seconds| {
        let at = InterfaceView { now: Instant::from_secs_f64(seconds), ..view(waiting, 1000) };
        red.arrive(&packet(1000, Ecn::NotCapable), &at);
        red.max_p()
    };
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-15, "{a} {b}");
    close(max_p_after(12, 0.5), 0.1); // not more than half a second yet
    close(max_p_after(12, 0.51), 0.11); // + min(0.01, 0.025)
    close(max_p_after(12, 1.01), 0.11); // half a second exactly
    close(max_p_after(9, 2.0), 0.11); // inside the zone
    close(max_p_after(10, 2.0), 0.11);
    close(max_p_after(11, 2.0), 0.11);
    close(max_p_after(8, 2.01), 0.099); // times 0.9
    close(max_p_after(8, 2.02), 0.099);
    close(max_p_after(8, 3.0), 0.0891);
}

#[test]
fn adaptive_bounds_and_the_relative_step() {
    let start = |max_p, bottom| {
        let adapt = Adapt { bottom, ..Adapt::default() };
        Config { max_p, adaptive: true, adapt, ..instant() }
    };
    let after = |config: &Config, waiting, steps: u32| {
        let mut red = Red::new(config, link(1));
        for step in 1..=steps {
            let at = InterfaceView { now: Instant(u64::from(step) * 600_000_000), ..view(waiting, 1000) };
            red.arrive(&packet(1000, Ecn::NotCapable), &at);
        }
        red.max_p()
    };
    // 0.02 + 0.25 · 0.02
    assert!((after(&start(0.02, Auto::Auto), 14, 1) - 0.025).abs() < 1e-15);
    // Never raised once at 0.5, never lowered once at the bottom: one step may pass each.
    let highest = after(&start(0.1, Auto::Auto), 14, 1000);
    assert!((0.5..0.51).contains(&highest), "{highest}");
    let lowest = after(&start(0.1, Auto::Auto), 2, 1000);
    assert!((0.009..=0.01).contains(&lowest), "{lowest}");
    assert_eq!(after(&start(0.1, Auto::Set(0.1)), 2, 10), 0.1);
}

#[test]
fn on_a_fast_link_max_p_may_fall_further() {
    // 80 000 / 16 000 000 = 0.005: lowered from just above, and then no more.
    let config = Config { max_p: 0.00501, adaptive: true, ..instant() };
    let mut red = Red::new(&config, LinkContext { rate: Rate(16_000_000), ..link(1) });
    for seconds in 1..5 {
        let at = InterfaceView { now: Instant::from_secs_f64(f64::from(seconds)), ..view(2, 1000) };
        red.arrive(&packet(1000, Ecn::NotCapable), &at);
        assert!((red.max_p() - 0.00501 * 0.9).abs() < 1e-15, "{}", red.max_p());
    }
}

#[test]
fn automatic_thresholds_follow_the_rate() {
    let config = Config { min_th: Auto::Auto, max_th: Auto::Auto, ..Config::default() };
    assert_eq!(config.thresholds(187.5), (5.0, 15.0));
    assert_eq!(config.thresholds(10_000.0), (25.0, 75.0));
    assert_eq!(Config { max_th: Auto::Auto, ..Config::default() }.thresholds(1.0), (5.0, 15.0));
}

#[test]
fn everything_wrong_is_said_at_once() {
    let config = Config {
        limit: QueueSize::Packets(0.0),
        min_th: Auto::Set(Packets(15.0)),
        max_p: 1.5,
        w_q: Auto::Set(0.0),
        mean_pktsize: Some(Bytes(0)),
        adapt: Adapt { decrease: -1.0, margin: 0.6, ..Adapt::default() },
        ..Config::default()
    };
    let wrong = config.check();
    let fields: Vec<&str> = wrong.iter().map(|(field, _)| field.as_str()).collect();
    assert_eq!(fields, ["limit", "max_p", "w_q", "mean_pktsize", "adapt.decrease", "adapt.margin", "max_th"]);
    assert_eq!(wrong[6].1, "15 packets given; it must be above min_th = 15 packets");
    let half = Config { min_th: Auto::Auto, ..Config::default() };
    assert_eq!(half.check()[0].0, "max_th");
}

#[test]
fn what_is_legal_ends_where_the_messages_say() {
    let wrong = |config: Config| config.check().into_iter().map(|(field, _)| field).collect::<Vec<_>>();
    for (min, fields) in [(0.0, vec!["min_th"]), (-1.0, vec!["min_th"]), (0.5, vec![]), (2.0, vec![])] {
        let min_th = Auto::Set(Packets(min));
        assert_eq!(wrong(Config { min_th, max_th: Auto::Auto, ..Config::default() }), fields, "{min}");
        // With a maximum of its own there is no harm in acting from an empty queue on.
        assert_eq!(wrong(Config { min_th, ..Config::default() }), [""; 0], "{min}");
    }
    let with = |adapt: Adapt| wrong(Config { adapt, ..Config::default() });
    for bottom in [0.0, 1.0] {
        assert_eq!(with(Adapt { bottom: Auto::Set(bottom), ..Adapt::default() }), [""; 0]);
    }
    for bottom in [-0.1, 1.1, f64::NAN] {
        assert_eq!(with(Adapt { bottom: Auto::Set(bottom), ..Adapt::default() }), ["adapt.bottom"]);
    }
    for increase_part in [0.0, 7.0] {
        assert_eq!(with(Adapt { increase_part, ..Adapt::default() }), [""; 0]);
    }
    for increase_part in [-0.1, f64::NAN, f64::INFINITY] {
        assert_eq!(with(Adapt { increase_part, ..Adapt::default() }), ["adapt.increase_part"]);
    }
}

#[test]
fn a_forced_drop_begins_a_new_distance() {
    // Average 10: probability 0.05, so 20 packets lie between two actions at least. ns-2 `red.cc`: count = 0 with every
    // forced drop, whether the average or the limit forces it.
    for (forced, limit) in [(15, 50.0), (12, 12.0)] {
        let config = Config { limit: QueueSize::Packets(limit), ..instant() };
        let mut red = Red::new(&config, link(3));
        let mut arrive = |waiting| red.arrive(&packet(1000, Ecn::NotCapable), &view(waiting, 1000));
        for round in 0..200 {
            // Up to 19 arrivals without an action, a forced one, and 19 more must pass.
            for _ in 0..19 {
                assert_eq!(arrive(10), Verdict::Accept, "{forced}: round {round}");
            }
            assert!(matches!(arrive(forced), Verdict::Drop(_)), "{forced}: round {round}");
        }
    }
}

#[test]
fn gentle_red_marks_above_max_th_if_asked_to() {
    let marks_at = |average: u32, config: &Config| {
        let mut red = Red::new(config, link(5));
        let verdicts = actions(&mut red, average, Ecn::Capable, 2000);
        assert!(verdicts.len() > 20, "{average}");
        let first = verdicts[0].1;
        assert!(verdicts.iter().all(|(_, verdict)| *verdict == first), "{average}");
        first == Verdict::Mark(Ecn::Moderate)
    };
    let plain = Config { gentle: true, ecn: true, ..instant() };
    let marking = Config { mark_above_max_th: true, ..plain.clone() };
    // Thresholds 5 and 15; from 30 on everything is dropped.
    let marked = [(14, true, true), (15, false, true), (29, false, true), (30, false, false)];
    for (average, by_plain, by_marking) in marked {
        assert_eq!((marks_at(average, &plain), marks_at(average, &marking)), (by_plain, by_marking), "{average}");
    }
    for (gentle, ecn, wrong) in [(true, true, 0), (false, true, 1), (true, false, 1)] {
        assert_eq!(Config { gentle, ecn, ..marking.clone() }.check().len(), wrong, "gentle {gentle}, ecn {ecn}");
    }
}
