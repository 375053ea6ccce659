use super::*;
use crate::ids::LinkId;
use crate::part::Aim;
use crate::queue::battery::{link, packet};
use crate::store::Store;
use faircast_proto::time::Rate;

fn rules(config: &Config) -> Rules {
    Rules::new(config, &link(0))
}

fn near(ours: f64, expected: f64) {
    assert!((ours - expected).abs() < 1e-12, "{ours}, not {expected}");
}

fn ms(milliseconds: f64) -> Instant {
    Instant::from_secs_f64(milliseconds * 1e-3)
}

/// So many packets of 1000 bytes wait.
fn view(now: Instant, pkts: u32) -> InterfaceView {
    InterfaceView {
        now,
        waiting_pkts: pkts,
        waiting_bytes: 1000 * u64::from(pkts),
        transmitting: true,
        idle_since: Instant::ZERO,
        rate: Rate(1),
    }
}

fn held(store: &mut Store, since: Instant) -> Held {
    let (label, ecn) = (store.insert(&packet(1000, Ecn::Capable)), Ecn::Capable);
    Held { label, since, aim: Aim::Wanting, link: LinkId(0), ecn, doomed: false }
}

/// One that acts, with a delay of a millisecond for each packet of 1000 bytes.
fn acting(rules: &Rules) -> State {
    let drain_s = Some(rules.dq_threshold as f64 * 1e-6);
    State { active: true, burst_allowance: Duration::ZERO, drain_s, ..State::new(rules) }
}

#[test]
fn the_probability_moves_by_both_terms() {
    let rules = rules(&Config::default());
    // 0.125 · 5 ms + 1.25 · 5 ms.
    let step = |probability: f64| {
        let mut state = State { probability, delay_s: 0.015, ..acting(&rules) };
        state.step(&rules, 20_000);
        (state.probability - probability) / 0.006_875
    };
    for (probability, part) in [
        (0.0, 1.0 / 2048.0),
        (1e-6, 1.0 / 512.0),
        (1e-5, 1.0 / 128.0),
        (1e-4, 1.0 / 32.0),
        (1e-3, 1.0 / 8.0),
        (1e-2, 0.5),
        (0.1, 1.0),
        (0.5, 1.0),
    ] {
        assert!((step(probability) - part).abs() < 1e-9, "{probability}: {}", step(probability));
    }
    // Down, and not below 0: 0.125 · -10 ms + 1.25 · -15 ms.
    let mut state = State { probability: 0.15, delay_s: 0.020, ..acting(&rules) };
    state.step(&rules, 5000);
    near(state.probability, 0.15 - 0.02);
    let mut state = State { probability: 1e-7, delay_s: 0.020, ..acting(&rules) };
    state.step(&rules, 10_000);
    near(state.probability, 0.0);
    assert_eq!((state.delay_s, state.old_delay_s), (0.010, 0.020));
}

#[test]
fn growth_is_capped_and_calm_decays() {
    let enhanced = rules(&Config::default());
    let basic = rules(&Config { enhanced: false, delay: Some(Delay::Rate), ..Config::default() });
    let after = |rules: &Rules, probability: f64, old_pkts: f64, pkts: u64| {
        let mut state = State { probability, delay_s: old_pkts * 1e-3, ..acting(rules) };
        state.step(rules, pkts * 1000);
        state.probability
    };
    // 0.125 · 85 ms + 1.25 · 100 ms.
    near(after(&enhanced, 0.1, 0.0, 100), 0.12);
    near(after(&basic, 0.1, 0.0, 100), 0.1 + 0.135_625);
    near(after(&enhanced, 0.099, 0.0, 100), 0.099 + 0.135_625 / 2.0);
    assert_eq!(after(&basic, 0.95, 0.0, 100), 1.0);
    // Below half of the target the probability decays; by the basic rules only at zero.
    near(after(&enhanced, 0.3, 7.0, 7), (0.3 - 0.001) * 0.98);
    near(after(&enhanced, 0.3, 8.0, 7), 0.3 - 0.001 - 0.00125);
    near(after(&enhanced, 0.3, 7.0, 8), 0.3 - 0.000_875 + 0.00125);
    near(after(&basic, 0.3, 7.0, 7), 0.3 - 0.001);
    near(after(&basic, 0.3, 0.0, 0), (0.3 - 0.001_875) * 0.98);
}

#[test]
fn updates_are_those_of_their_moments() {
    let rules = rules(&Config::default());
    let mut state =
        State { probability: 0.2, delay_s: 0.030, burst_allowance: Duration::from_millis(40), ..acting(&rules) };
    let mut by_hand = state.clone();
    state.update(&rules, ms(14.999), 30_000);
    assert_eq!(state, by_hand);
    state.update(&rules, ms(47.0), 30_000);
    for _ in 0..3 {
        by_hand.step(&rules, 30_000);
    }
    by_hand.updated = ms(45.0);
    assert_eq!(state, by_hand);
    assert_eq!(state.burst_allowance, Duration::ZERO);
    // However long nothing happens: the probability has reached 1.
    state.update(&rules, Instant::from_secs_f64(1e9), 30_000);
    assert_eq!((state.probability, state.updated), (1.0, Instant::from_secs_f64(999_999_999.99)));
}

#[test]
fn it_acts_from_a_third_of_the_limit_on_and_rests_when_it_is_calm() {
    for (limit, before) in [(QueueSize::Packets(60.0), 18), (QueueSize::Bytes(60_000), 18)] {
        let rules = rules(&Config { limit, ..Config::default() });
        let mut state = State { probability: 0.5, ..State::new(&rules) };
        let mut come = |at: f64, pkts: u32| {
            let verdict = state.arrive(&rules, &packet(1000, Ecn::NotCapable), &view(ms(at), pkts), || 0.0);
            assert_eq!(verdict, Verdict::Accept);
            state.active
        };
        assert!(!come(100.0, before), "{limit:?}");
        assert!(come(200.0, before + 1), "{limit:?}: with itself it is a third");
        assert_eq!((state.updated, state.burst_allowance), (ms(200.0), Duration::from_millis(150)));
        assert_eq!((state.probability, state.measured), (0.0, Some((ms(200.0), 0))));
        // Nothing is measured, so the delay is taken for zero, and that does not count.
        state.update(&rules, ms(600.0), 20_000);
        assert!(state.active && state.burst_allowance == Duration::ZERO);
        // Two updates with less than half of the target.
        state.drain_s = Some(16_384e-6);
        state.update(&rules, ms(620.0), 8000);
        state.update(&rules, ms(635.0), 7000);
        assert!(state.active);
        state.update(&rules, ms(650.0), 7000);
        assert!(!state.active && state.measured.is_none());
    }
    let basic = rules(&Config { enhanced: false, ..Config::default() });
    assert!(State::new(&basic).active);
}

#[test]
fn drops_are_neither_close_together_nor_far_apart() {
    let rules = rules(&Config::default());
    let mut state = State { probability: 0.25, delay_s: 0.030, updated: ms(0.0), ..acting(&rules) };
    let mut come = |draw: f64| state.arrive(&rules, &packet(1000, Ecn::NotCapable), &view(ms(1.0), 30), || draw);
    let dropped = Verdict::Drop(DropReason::Active);
    // 0.25, 0.5 and 0.75 are less than 0.85.
    assert_eq!(
        [come(0.0), come(0.0), come(0.0), come(0.0)],
        [Verdict::Accept, Verdict::Accept, Verdict::Accept, dropped]
    );
    // Then 34 in a row make 8.5.
    let rest: Vec<Verdict> = (0..35).map(|_| come(0.25)).collect();
    assert_eq!(rest.iter().position(|verdict| *verdict == dropped), Some(33));
    assert_eq!(rest[34], Verdict::Accept);
    assert_eq!(state.accumulated, 0.25);
    // By the basic rules each draw counts.
    let basic = super::tests::rules(&Config { enhanced: false, ..Config::default() });
    let mut state = State { probability: 0.25, delay_s: 0.030, ..acting(&basic) };
    let mut come = |draw: f64| state.arrive(&basic, &packet(1000, Ecn::NotCapable), &view(ms(1.0), 30), || draw);
    assert_eq!([come(0.249), come(0.249), come(0.25)], [dropped, dropped, Verdict::Accept]);
}

#[test]
fn who_is_not_dropped() {
    let rules = rules(&Config::default());
    let come = |state: &State, pkts: u32| {
        let mut state = State { accumulated: 0.9, ..state.clone() };
        state.arrive(&rules, &packet(1000, Ecn::NotCapable), &view(ms(1.0), pkts), || 0.0)
    };
    let state = State { probability: 0.1, delay_s: 0.030, ..acting(&rules) };
    let dropped = Verdict::Drop(DropReason::Active);
    assert_eq!(come(&state, 3), dropped);
    assert_eq!(come(&state, 2), Verdict::Accept, "two packets wait");
    assert_eq!(come(&State { burst_allowance: Duration(1), ..state.clone() }, 30), Verdict::Accept, "a burst");
    assert_eq!(come(&State { delay_s: 0.007, ..state.clone() }, 30), Verdict::Accept, "a short delay");
    let likely = State { delay_s: 0.007, probability: 0.199, ..state.clone() };
    assert_eq!(come(&likely, 30), Verdict::Accept, "a short delay");
    assert_eq!(come(&State { delay_s: 0.0075, ..state.clone() }, 30), dropped);
    assert_eq!(come(&State { delay_s: 0.007, probability: 0.2, ..state.clone() }, 30), dropped);
    assert_eq!(come(&State { active: false, ..state.clone() }, 30), Verdict::Accept, "it rests");
    assert_eq!(come(&state, 1000), Verdict::Drop(DropReason::Overflow));
    // In a burst what has been accumulated begins anew nevertheless.
    let mut burst = State { burst_allowance: Duration(1), accumulated: 0.9, ..state.clone() };
    burst.arrive(&rules, &packet(1000, Ecn::NotCapable), &view(ms(1.0), 30), || 0.0);
    assert_eq!(burst.accumulated, 0.0);
    let mut full = State { accumulated: 5.0, ..state };
    full.arrive(&rules, &packet(1000, Ecn::NotCapable), &view(ms(1.0), 1000), || 0.0);
    assert_eq!(full.accumulated, 0.0);
}

#[test]
fn after_a_calm_time_a_burst_is_let_through() {
    let basic = rules(&Config { enhanced: false, ..Config::default() });
    let mut state = State { delay_s: 0.007, old_delay_s: 0.007, ..acting(&basic) };
    let come = |state: &mut State| state.arrive(&basic, &packet(1000, Ecn::NotCapable), &view(ms(1.0), 30), || 0.0);
    come(&mut state);
    assert_eq!(state.burst_allowance, Duration::from_millis(150));
    for changed in [(0.007, 0.0075, 0.0), (0.0075, 0.007, 0.0), (0.007, 0.007, 1e-9)] {
        let mut state = acting(&basic);
        (state.delay_s, state.old_delay_s, state.probability) = changed;
        come(&mut state);
        assert_eq!(state.burst_allowance, Duration::ZERO, "{changed:?}");
    }
}

#[test]
fn marks_up_to_a_probability() {
    let marked = |config: Config, probability: f64, ecn: Ecn| {
        let rules = rules(&config);
        let mut state = State { probability, delay_s: 0.030, accumulated: 0.9, ..acting(&rules) };
        let verdict = state.arrive(&rules, &packet(1000, ecn), &view(ms(1.0), 30), || 0.0);
        assert_eq!(state.accumulated, 0.0);
        verdict
    };
    let (mark, dropped) = (Verdict::Mark(Ecn::Moderate), Verdict::Drop(DropReason::Active));
    assert_eq!(marked(Config::default(), 0.099, Ecn::Capable), mark);
    assert_eq!(marked(Config::default(), 0.1, Ecn::Capable), dropped);
    assert_eq!(marked(Config::default(), 0.05, Ecn::NotCapable), dropped);
    assert_eq!(marked(Config { ecn: false, ..Config::default() }, 0.05, Ecn::Capable), dropped);
    assert_eq!(marked(Config { mark_ecnth: 0.3, ..Config::default() }, 0.29, Ecn::Incipient), mark);
}

#[test]
fn the_rate_is_measured_while_enough_waits() {
    let rules = rules(&Config { dq_threshold: Bytes(16_384), ..Config::default() });
    let (mut state, mut store) = (State { active: true, ..State::new(&rules) }, Store::default());
    // A packet a millisecond; a measurement begins when 16384 bytes wait, and takes 17 packets.
    let mut leave = |state: &mut State, at: f64, waiting: u64| {
        let held = held(&mut store, ms(at - 5.0));
        state.depart(&rules, ms(at), &held, waiting);
    };
    leave(&mut state, 100.0, 16_383);
    assert_eq!(state.measured, None);
    leave(&mut state, 101.0, 16_384);
    assert_eq!(state.measured, Some((ms(101.0), 0)));
    for n in 1..=16 {
        leave(&mut state, 101.0 + f64::from(n), 100);
    }
    assert_eq!((state.measured, state.drain_s), (Some((ms(101.0), 16_000)), None));
    leave(&mut state, 118.0, 100);
    assert_eq!(state.measured, None);
    near(state.drain_s.expect("it is measured"), 0.017);
    // The next counts by a quarter.
    state.measured = Some((ms(200.0), 16_000));
    leave(&mut state, 257.0, 20_000);
    near(state.drain_s.expect("it is measured"), 0.75 * 0.017 + 0.25 * 0.057);
    assert_eq!(state.measured, Some((ms(257.0), 0)), "the next begins at once");
    near(state.sojourn_s, 0.005);
}

#[test]
fn delays_are_those_of_packets_if_so_wanted() {
    let rules = rules(&Config { delay: Some(Delay::Sojourn), ..Config::default() });
    let mut state = State { sojourn_s: 0.040, ..acting(&rules) };
    state.step(&rules, 1);
    assert_eq!(state.delay_s, 0.040);
    state.step(&rules, 0);
    assert_eq!((state.delay_s, state.old_delay_s), (0.0, 0.040));
    assert_eq!(super::tests::rules(&Config { enhanced: false, ..Config::default() }).delay, Delay::Sojourn);
    assert_eq!(super::tests::rules(&Config::default()).delay, Delay::Rate);
}

#[test]
fn parameters_are_checked() {
    let wrong = |config: Config| {
        config.check().into_iter().map(|(field, message)| format!("{field}: {message}")).collect::<Vec<_>>()
    };
    assert_eq!(wrong(Config::default()), [""; 0]);
    let zero =
        Config { target: Duration::ZERO, t_update: Duration::ZERO, alpha: -1.0, mark_ecnth: 1.1, ..Config::default() };
    let expected = [
        "target: 0 s given; legal is above 0 s up to 3600 s",
        "t_update: 0 s given; legal is 0.000001 s to 3600 s",
        "alpha: -1 given; legal is 0 to 1000",
        "mark_ecnth: 1.1 given; legal is 0 to 1",
    ];
    assert_eq!(wrong(zero), expected);
}

#[test]
fn arrivals_alone_move_the_probability() {
    let rules = rules(&Config::default());
    let mut state = State { delay_s: 0.030, probability: 0.2, ..acting(&rules) };
    state.arrive(&rules, &packet(1000, Ecn::Capable), &view(ms(15.0), 30), || 0.99);
    near(state.probability, 0.2 + 0.125 * 0.015);
}

#[test]
fn before_anything_is_known_the_delay_is_none() {
    for delay in [Delay::Rate, Delay::Sojourn] {
        let rules = rules(&Config { delay: Some(delay), enhanced: false, ..Config::default() });
        let mut state = State::new(&rules);
        state.update(&rules, ms(30.0), 30_000);
        assert_eq!((state.delay_s, state.old_delay_s, state.probability), (0.0, 0.0, 0.0), "{delay:?}");
    }
}

#[test]
fn departures_alone_move_the_probability() {
    let config = Config { enhanced: false, max_burst: Duration::ZERO, ..Config::default() };
    let (mut pie, mut store) = (Pie::new(&config, link(0)), Store::default());
    for _ in 0..3 {
        let (packet, held) = (packet(1000, Ecn::Capable), held(&mut store, ms(0.0)));
        assert_eq!(pie.arrive(&packet, &view(ms(0.0), 0)), Verdict::Accept);
        pie.enqueue(held, &packet, &view(ms(0.0), 0), &mut Drops::default());
    }
    // The first leaves after 14 ms, so that is the delay at 15 ms; the second after 100 ms, so at 105 ms it is that.
    let mut leave = |at: f64| {
        assert!(pie.dequeue(&view(ms(at), 0), &mut Drops::default()).is_some());
        (pie.state.delay_s, pie.state.old_delay_s)
    };
    assert_eq!(leave(14.0), (0.0, 0.0));
    assert_eq!(leave(100.0), (0.014, 0.014), "of the updates at 15 to 90 ms each finds 14 ms");
    assert_eq!(leave(105.0), (0.1, 0.014));
    // The first update: 0.125 · -1 ms + 1.25 · 14 ms, of which 1/2048; five with -1 ms alone, and the last with 85 ms
    // and 86 ms more, of which 1/512.
    near(pie.drop_probability(), 0.017375 / 2048.0 + (5.0 * -0.000125 + 0.118125) / 512.0);
}

#[test]
fn late_updates_are_those_of_their_moments() {
    let mut random = Random::stream(1, "test/pie");
    for n in 0..300 {
        let delay = Some(if random.chance(0.5) { Delay::Rate } else { Delay::Sojourn });
        let rules = rules(&Config { enhanced: n % 2 == 0, delay, ..Config::default() });
        let mut some = |most: f64| if random.chance(0.3) { 0.0 } else { random.uniform_in(0.0, most) };
        let (probability, delay_s, old_delay_s, sojourn_s) = (some(1.4).min(1.0), some(0.04), some(0.04), some(0.04));
        let (waiting, drain_s) = (some(40_000.0) as u64, some(0.02));
        let drain_s = (drain_s > 0.0).then_some(drain_s);
        let burst_allowance = Duration::from_secs_f64(some(0.2));
        let state = State { probability, delay_s, old_delay_s, sojourn_s, drain_s, burst_allowance, ..acting(&rules) };
        let (mut late, mut each) = (state.clone(), state.clone());
        late.update(&rules, ms(9000.0), waiting);
        (1..=600).for_each(|step| each.update(&rules, ms(15.0 * f64::from(step)), waiting));
        assert_eq!(late, each, "{n}: {state:?}, {waiting} B wait");
    }
}

#[test]
fn half_of_the_target_is_not_below_it() {
    let rules = rules(&Config { delay: Some(Delay::Sojourn), ..Config::default() });
    for (delay_s, old_s, decays) in
        [(0.0075, 0.0075, false), (0.0075, 0.007, false), (0.007, 0.0075, false), (0.007, 0.007, true)]
    {
        let mut state = State { probability: 0.3, delay_s: old_s, sojourn_s: delay_s, ..acting(&rules) };
        state.step(&rules, 1);
        let moved = 0.3 + 0.125 * (delay_s - 0.015) + 1.25 * (delay_s - old_s);
        near(state.probability, if decays { 0.98 * moved } else { moved });
    }
}

#[test]
fn who_rests() {
    let rests = |config: Config, drain_s: Option<f64>, probability: f64| {
        let rules = rules(&config);
        let mut state = State { drain_s, probability, ..acting(&rules) };
        state.update(&rules, ms(15.0), 1000);
        !state.active
    };
    let (rate, sojourn) = (Config::default(), Config { delay: Some(Delay::Sojourn), ..Config::default() });
    let calm_s = Some(16_384e-6);
    assert!(rests(rate.clone(), calm_s, 0.0));
    assert!(!rests(rate.clone(), None, 0.0), "nothing has been measured");
    assert!(rests(sojourn.clone(), None, 0.0), "no rate is needed");
    assert!(!rests(rate, calm_s, 0.3) && !rests(sojourn.clone(), None, 0.3), "it still drops");
    assert!(!rests(Config { enhanced: false, ..sojourn }, calm_s, 0.0), "by the basic rules it never rests");
}

#[test]
fn with_enhancements_a_burst_is_let_through_when_it_begins_to_act_alone() {
    let enhanced = rules(&Config::default());
    let mut state = acting(&enhanced);
    assert!(state.is_calm(&enhanced));
    state.arrive(&enhanced, &packet(1000, Ecn::NotCapable), &view(ms(1.0), 30), || 0.0);
    assert_eq!(state.burst_allowance, Duration::ZERO);
}

#[test]
fn drops_are_counted_from_where_the_probability_is_above_zero() {
    let rules = rules(&Config::default());
    let come = |probability: f64, accumulated: f64, draw: f64| {
        let mut state = State { probability, accumulated, delay_s: 0.030, ..acting(&rules) };
        let verdict = state.arrive(&rules, &packet(1000, Ecn::NotCapable), &view(ms(1.0), 30), || draw);
        (verdict, state.accumulated)
    };
    assert_eq!(come(0.0, 0.84, 0.0), (Verdict::Accept, 0.0));
    // 0.85 is enough for a draw, 8.5 for a drop without one.
    let dropped = (Verdict::Drop(DropReason::Active), 0.0);
    assert_eq!([come(0.85, 0.0, 0.849), come(0.5, 8.0, 0.99)], [dropped; 2]);
    assert_eq!(come(0.85, 0.0, 0.85), (Verdict::Accept, 0.85));
}

#[test]
fn what_is_dropped_does_not_make_it_act() {
    let rules = rules(&Config { limit: QueueSize::Bytes(1000), ..Config::default() });
    let mut state = State::new(&rules);
    let mut come = |size: u16| {
        let at = InterfaceView { waiting_bytes: 100, ..view(ms(1.0), 1) };
        (state.arrive(&rules, &packet(size, Ecn::Capable), &at, || 0.0), state.active)
    };
    // Larger than the limit, of which a third are 334 bytes.
    assert_eq!(come(1500), (Verdict::Drop(DropReason::Overflow), false));
    assert_eq!([come(233), come(234)], [(Verdict::Accept, false), (Verdict::Accept, true)]);
}

#[test]
fn a_measurement_ends_with_the_last_byte() {
    let rules = rules(&Config { dq_threshold: Bytes(3000), ..Config::default() });
    let mut store = Store::default();
    let mut state = State { active: true, measured: Some((ms(0.0), 0)), ..State::new(&rules) };
    for (at, drain_s) in [(4.0, None), (8.0, None), (12.0, Some(0.012))] {
        state.depart(&rules, ms(at), &held(&mut store, ms(0.0)), 0);
        assert_eq!(state.drain_s, drain_s);
    }
}
