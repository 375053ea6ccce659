//! A rate control driven by hand: no packets, no endpoint.

use super::*;
use crate::quantity::Bytes;
use crate::random::Random;
use crate::tfmcc::{Bound, GapFloor, Profile};
use crate::time::Rate;

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

/// A report with a loss: its rate, its round trip.
fn feedback(control: &RateControl, receiver: u32, rate_bps: f64, rtt_s: f64) -> Feedback {
    Feedback {
        delayed: false,
        receiver: Address::endpoint(receiver),
        rate_bps,
        rtt_s,
        used_rtt_s: rtt_s,
        have_rtt: true,
        have_loss: true,
        leave: false,
        round: control.round(),
    }
}

/// A layer that serves rates from 1 to 4 Mbit/s, for a scheme with a rate control for each of its layers; packets of
/// 1000 bytes, R_max = 500 ms, from 10 s on.
fn layer() -> RateControl {
    let mut control = RateControl::new(&Config::default()).without_slow_start();
    control.set_bounds(1e6, 4e6);
    assert_eq!(control.rate_bps(), 0.0, "it has not begun");
    control.begin(at(10.0));
    control
}

/// Reports of receiver 1 every `rtt_s` seconds from 10 s on, which ask for 1 Gbit/s: the rate after each.
fn climb(control: &mut RateControl, rtt_s: f64, reports: u32) -> Vec<f64> {
    (0..reports)
        .map(|n| {
            let now = at(10.0 + rtt_s * f64::from(n));
            control.pass(now);
            control.hear(now, &feedback(control, 1, 1e9, rtt_s)).expect("it says something");
            control.rate_bps()
        })
        .collect()
}

#[test]
fn a_layer_climbs_from_its_floor_to_its_ceiling_by_a_packet_per_round_trip() {
    // 8s/R_max = 8000 bit / 64 ms = 125 kbit/s per 64 ms, nothing at the moment of the beginning: 24 steps for 3
    // Mbit/s, 1.5 s. With an R_max of 0.5 s it is 16 kbit/s per 0.5 s.
    let mut control = layer();
    assert_eq!((control.rate_bps(), control.in_slow_start()), (1e6, false), "not a packet per R_max, 16 kbit/s");
    control.restart_max_rtt(0.064);
    assert_eq!(control.max_rtt_s(), 0.064);
    let rates = climb(&mut control, 0.064, 27);
    for (n, rate_bps) in rates.iter().enumerate() {
        let expected = (1e6 + 125e3 * n as f64).min(4e6);
        assert!((rate_bps - expected).abs() < 1e-3, "report {n}: {rate_bps}, not {expected}");
    }
    let mut control = layer();
    let slow = climb(&mut control, 0.064, 27).pop().expect("rates");
    assert!((slow - 1e6 - 16_000.0 * 26.0 * 0.064 / 0.5).abs() < 1e-3, "{slow}");
}

#[test]
fn what_the_application_does_not_use_raises_nothing() {
    let mut control = layer();
    control.restart_max_rtt(0.064);
    // A packet per round trip: 125 kbit/s each 64 ms.
    let rates = climb(&mut control, 0.064, 5);
    assert!((rates[4] - 1.5e6).abs() < 1e-3, "{rates:?}");
    let report = |control: &mut RateControl, now_s: f64, rate_bps: f64| {
        control.hear(at(now_s), &feedback(control, 1, rate_bps, 0.064)).expect("it says something");
        control.rate_bps()
    };
    // Bounded below what it has, to that; above it, there; and a report that asks for less gets it.
    control.bound(Bound::Growth(0.3e6));
    assert_eq!(report(&mut control, 10.32, 1e9), rates[4]);
    control.bound(Bound::Growth(1.55e6));
    assert_eq!(report(&mut control, 10.384, 1e9), 1.55e6);
    assert_eq!(report(&mut control, 10.448, 1.2e6), 1.2e6);
    control.bound(Bound::Growth(f64::NAN));
    assert_eq!(report(&mut control, 10.512, 1e9), 1.2e6);
    control.bound(Bound::None);
    assert!((report(&mut control, 10.576, 1e9) - 1.325e6).abs() < 1e-3);
    // Bounded as a whole it comes down to that, but not below its floor.
    control.bound(Bound::Rate(1.3e6));
    assert_eq!(report(&mut control, 10.64, 1e9), 1.3e6);
    assert_eq!(report(&mut control, 10.704, 1.25e6), 1.25e6);
    control.bound(Bound::Rate(0.0));
    assert_eq!(report(&mut control, 10.768, 1e9), 1e6);
    control.bound(Bound::Rate(f64::NAN));
    assert!((report(&mut control, 10.832, 1e9) - 1.125e6).abs() < 1e-3);
}

#[test]
fn who_wants_least_limits_above_the_rate_if_the_owner_wants_it_so() {
    // The one that limits wants 2 Mbit/s, X is 1 Mbit/s, another one wants 1.5 Mbit/s and has a shorter round trip.
    for (least, limiting) in [(false, 1), (true, 2)] {
        let mut control = layer();
        control = if least { control.with_least_limiting() } else { control };
        control.hear(at(10.0), &feedback(&control, 1, 2e6, 0.6));
        control.hear(at(10.0), &feedback(&control, 2, 1.5e6, 0.04));
        assert_eq!((control.clr(), control.rate_bps()), (Some(Address::endpoint(limiting)), 1e6), "no jump");
        control.hear(at(10.1), &feedback(&control, 3, 2.5e6, 0.1));
        assert_eq!(control.clr(), Some(Address::endpoint(limiting)), "who wants more does not limit");
        let low = feedback(&control, 3, 1.01e6, 0.1);
        control.hear(at(10.2), &Feedback { leave: true, ..low });
        assert_eq!(control.clr(), Some(Address::endpoint(limiting)), "nor does one that leaves");
        // Who has had no loss limits as long as it wants no more than X, and not beside one that has.
        let lossless = |rate_bps| Feedback { have_loss: false, ..feedback(&control, 3, rate_bps, 0.1) };
        let (more, less) = (lossless(1.4e6), lossless(1.0e6 - 1.0));
        control.hear(at(10.3), &more);
        assert_eq!(control.clr(), Some(Address::endpoint(limiting)));
        control.hear(at(10.4), &less);
        assert_eq!(control.clr(), Some(Address::endpoint(3)));
        control.hear(at(10.5), &feedback(&control, 2, 1.5e6, 0.04));
        assert_eq!(control.clr(), Some(Address::endpoint(3)), "X would rise beyond what it can take");
        control.hear(at(10.6), &more);
        control.hear(at(10.7), &feedback(&control, 2, 1.5e6, 0.04));
        assert_eq!(control.clr(), Some(Address::endpoint(if least { 2 } else { 3 })));
    }
}

#[test]
fn bounds_hold_whatever_is_reported_and_move_the_rate_at_once() {
    let mut control = layer();
    control.hear(at(10.0), &feedback(&control, 1, 2e6, 0.1));
    for _ in 0..2 {
        control.hear(at(10.1), &feedback(&control, 2, 30_000.0, 0.1));
    }
    assert_eq!((control.rate_bps(), control.clr()), (1e6, Some(Address::endpoint(2))), "the floor");
    // The silence of the limiting receiver does not lead below it either: at 11.1 s, ten round trips after it.
    assert_eq!(control.silence_at(), at(11.1));
    assert!(control.pass(at(11.1)).given_up);
    assert_eq!(control.rate_bps(), 1e6);
    control.jump(4e6);
    assert_eq!(control.rate_bps(), 4e6);
    control.jump(5e6);
    assert_eq!(control.rate_bps(), 4e6, "the ceiling");
    control.set_bounds(1e6, 2.5e6);
    assert_eq!(control.rate_bps(), 2.5e6);
    control.set_bounds(3e6, 6e6);
    assert_eq!((control.rate_bps(), control.gap_s()), (3e6, 8000.0 / 3e6));
}

#[test]
fn without_a_loss_a_layer_that_does_not_start_slowly_grows_no_faster() {
    // Twice the receive rate is asked for: in slow start that would be the target within one round trip.
    let without_loss =
        |control: &RateControl, receiver| Feedback { have_loss: false, ..feedback(control, receiver, 2e6, 0.1) };
    let mut control = layer();
    for (now_s, expected) in [(10.0, 1e6), (10.25, 1.008e6), (10.5, 1.016e6)] {
        let heard = control.hear(at(now_s), &without_loss(&control, 1)).expect("it says something");
        assert_eq!(heard, ReportOutcome { limits: true, ended_slow_start: false });
        assert!((control.rate_bps() - expected).abs() < 1e-6, "{now_s}: {}", control.rate_bps());
    }
    let mut control = RateControl::new(&Config::default());
    control.set_bounds(1e6, 4e6);
    control.begin(at(10.0));
    control.hear(at(10.0), &without_loss(&control, 1));
    control.advance(at(10.1));
    assert_eq!((control.rate_bps(), control.in_slow_start()), (2e6, true));
    let heard = control.hear(at(10.2), &feedback(&control, 2, 3e6, 0.1)).expect("it says something");
    assert_eq!(heard, ReportOutcome { limits: false, ended_slow_start: true });
    assert_eq!(control.clr(), Some(Address::endpoint(1)), "who limited in slow start does so still");
}

#[test]
fn who_limits_after_one_that_has_left_raises_nothing_for_a_round() {
    let mut control = layer();
    assert!(!control.limiting_left(at(10.0)), "there is nobody");
    assert_eq!(control.round(), 0);
    control.jump(2.5e6);
    control.hear(at(10.1), &feedback(&control, 1, 2e6, 0.1));
    control.hear(at(10.2), &feedback(&control, 2, 3e6, 0.1));
    assert_eq!(control.suppression_bps(), 1.8e6, "of the first, which did not limit yet");
    let rate_bps = control.rate_bps();
    assert!(control.limiting_left(at(10.3)));
    assert_eq!((control.clr(), control.round(), control.suppression_bps()), (None, 1, f64::INFINITY));
    assert_eq!((control.rate_bps(), control.counts().rounds), (rate_bps, 1));
    assert!(!control.limiting_left(at(10.3)), "once");
    // R_max = 0.9·0.5 s, so a round of 2.7 s; the first to report limits, whatever it asks for.
    assert!((control.max_rtt_s() - 0.45).abs() < 1e-12);
    for now_s in [10.4, 11.0, 12.0, 13.0, 13.099] {
        control.hear(at(now_s), &feedback(&control, 3, 3e6, 0.1));
        assert_eq!((control.clr(), control.rate_bps()), (Some(Address::endpoint(3)), rate_bps), "{now_s} s");
    }
    // A lower rate is taken at once all the same.
    let mut lower = control.clone();
    lower.hear(at(13.099), &feedback(&lower, 4, 1.2e6, 0.1));
    assert_eq!((lower.clr(), lower.rate_bps()), (Some(Address::endpoint(4)), 1.2e6));
    control.hear(at(13.2), &feedback(&control, 3, 3e6, 0.1));
    assert!(control.rate_bps() > rate_bps, "the round is over");
}

#[test]
fn the_first_to_come_after_nobody_was_left_may_raise_the_rate_at_once() {
    let mut control = layer();
    control.hear(at(10.1), &feedback(&control, 1, 2e6, 0.1));
    control.nobody_left();
    assert_eq!(control.clr(), Some(Address::endpoint(1)), "there is somebody");
    control.limiting_left(at(10.3));
    let rate_bps = control.rate_bps();
    control.nobody_left();
    control.hear(at(11.0), &feedback(&control, 3, 3e6, 0.1));
    assert!(control.rate_bps() > rate_bps);
}

#[test]
fn a_gap_that_the_owner_sets_bounds_r_max_and_makes_patient() {
    let config = Config { gap_floor: GapFloor::Follows, ..Config::default() };
    let mut control = RateControl::new(&config).without_slow_start();
    control.set_bounds(1e6, 4e6);
    control.begin(at(10.0));
    control.restart_max_rtt(0.1);
    assert_eq!(control.gap_s(), 0.008, "that of 1 Mbit/s");
    control.hear(at(10.0), &feedback(&control, 1, 2e6, 0.1));
    // 4 round trips, but not before 10 of them from the selection on.
    control.reported_again(10.7);
    assert_eq!(control.silence_at(), at(11.1));
    control.set_gap(0.8);
    // 2 gaps, and 5 before it is given up.
    assert_eq!((control.gap_s(), control.silence_at()), (0.8, at(12.3)));
    control.next_round(at(10.8));
    assert_eq!(control.max_rtt_s(), 0.8, "not below the gap");
    control.set_gap(0.2);
    assert_eq!(control.max_rtt_s(), 0.2, "it follows the gap down");
    control.set_gap(0.01);
    assert!((control.max_rtt_s() - 0.1).abs() < 1e-12, "to what was measured: {}", control.max_rtt_s());
}

impl RateControl {
    /// Receiver 1 reports once more.
    fn reported_again(&mut self, now_s: f64) {
        let feedback = feedback(self, 1, 2e6, 0.1);
        self.hear(at(now_s), &feedback);
    }
}

#[test]
fn silence_can_be_excused() {
    // Nobody limits: X/2 after 10 R_max = 5 s.
    let mut control = layer();
    control.jump(4e6);
    for now_s in [12.0, 14.0, 16.0, 18.0, 20.0, 22.9] {
        control.excuse_silence(at(now_s));
        control.pass(at(now_s));
        assert_eq!(control.rate_bps(), 4e6, "{now_s}");
    }
    control.pass(at(29.0));
    assert_eq!((control.rate_bps(), control.counts().halvings), (2e6, 1));
    // Of somebody that limits it says nothing: it is halved and given up as ever.
    control.hear(at(30.0), &feedback(&control, 1, 2e6, 0.1));
    control.excuse_silence(at(30.9));
    assert!(control.pass(at(31.1)).given_up);
}

#[test]
fn in_slow_start_one_that_has_left_takes_its_target_with_it() {
    let mut control = RateControl::new(&Config::default());
    control.begin(at(0.0));
    control.hear(at(0.0), &Feedback { have_loss: false, ..feedback(&control, 1, 1e9, 0.1) });
    control.advance(at(0.05));
    assert!((control.rate_bps() - 24_000.0).abs() < 1e-6, "half way to twice the rate");
    assert!(control.limiting_left(at(0.05)));
    control.advance(at(0.1));
    assert!((control.rate_bps() - 24_000.0).abs() < 1e-6);
    assert!(control.in_slow_start());
}

#[test]
fn r_max_starts_anew_by_the_rule_in_use() {
    for max_rtt in [MaxRttRule::Rfc, MaxRttRule::Recent] {
        let mut control = RateControl::new(&Config { max_rtt, ..Config::default() });
        control.begin(at(0.0));
        control.hear(at(0.1), &feedback(&control, 1, 1e6, 7.0));
        assert_eq!(control.max_rtt_s(), 7.0);
        control.restart_max_rtt(0.25);
        assert_eq!((control.max_rtt_s(), control.round()), (0.25, 0));
        // What can be expressed is a millisecond to 63 s (section 2.2.1).
        control.restart_max_rtt(1e9);
        assert_eq!(control.max_rtt_s(), 63.0);
        control.restart_max_rtt(0.0);
        assert_eq!(control.max_rtt_s(), 1e-3);
        control.hear(at(0.2), &feedback(&control, 1, 1e6, 0.3));
        assert_eq!(control.max_rtt_s(), 0.3);
    }
}

#[test]
fn reports_without_a_rate_say_nothing() {
    let mut control = layer();
    control.hear(at(10.0), &feedback(&control, 1, 2e6, 0.1));
    let before = format!("{control:?}");
    for rate_bps in [f64::NAN, -1.0, f64::NEG_INFINITY] {
        assert_eq!(control.hear(at(10.2), &feedback(&control, 2, rate_bps, 0.2)), None);
    }
    assert_eq!(format!("{control:?}"), before);
    assert!(control.hear(at(10.2), &feedback(&control, 2, f64::INFINITY, 0.2)).is_some());
}

#[test]
fn no_order_of_reports_departures_and_bounds_leads_out_of_the_bounds() {
    for seed in 0..30 {
        let mut random = Random::stream(seed, "test/rate-control");
        let packet_size = Bytes(random.uniform_in(40.0, 1500.0) as u64);
        let max_rtt = if seed % 2 == 0 { MaxRttRule::Rfc } else { MaxRttRule::Recent };
        let config = Config { packet_size, max_rtt, max_rate: Some(Rate(7_654_321)), ..Config::default() };
        let mut control = RateControl::new(&config);
        if random.chance(0.5) {
            control = control.without_slow_start();
        }
        let (mut floor_bps, mut ceiling_bps) = (config.least_bps(), 7_654_321.0);
        let mut now = at(random.uniform_in(0.0, 1e6));
        control.begin(now);
        for _ in 0..2000 {
            let mean_s = if random.chance(0.02) { 20.0 } else { 0.05 };
            now += Duration::from_secs_f64(random.exponential(mean_s));
            control.advance(now);
            while control.deadline() <= now {
                let (before, deadline) = (control.rate_bps(), control.deadline());
                control.pass(now);
                assert!(control.rate_bps() <= before, "silence never raises");
                assert!(control.deadline() > deadline, "what was due has been done");
            }
            match (random.uniform() * 100.0) as u32 {
                0 => {
                    floor_bps = random.uniform_in(1.0, 4e6);
                    ceiling_bps = floor_bps * random.uniform_in(1.0, 5.0);
                    control.set_bounds(floor_bps, ceiling_bps);
                }
                1 => {
                    assert_eq!(control.clr().is_some(), control.limiting_left(now));
                    assert_eq!(control.clr(), None);
                }
                2 => control.jump(random.exponential(4e6)),
                3 => control.restart_max_rtt(random.exponential(0.1)),
                _ => {
                    let (rate_bps, rtt_s) = (random.exponential(2e6), random.exponential(0.1));
                    let receiver = (random.uniform() * 4.0) as u32;
                    let feedback = Feedback {
                        have_rtt: random.chance(0.8),
                        have_loss: random.chance(0.3),
                        leave: random.chance(0.05),
                        ..feedback(&control, receiver, rate_bps, rtt_s)
                    };
                    let (before, slow_start) = (control.rate_bps(), control.in_slow_start());
                    let heard = control.hear(now, &feedback).expect("it says something");
                    assert_eq!(heard.limits, control.clr() == Some(feedback.receiver));
                    assert_eq!(heard.ended_slow_start, slow_start && !control.in_slow_start());
                    // Section 3.3: by a packet per R_max at most.
                    let step_bps = 8.0 * packet_size.0 as f64 / control.max_rtt_s();
                    assert!(control.rate_bps() <= before + step_bps * (1.0 + 1e-12));
                }
            }
            assert!((floor_bps..=ceiling_bps).contains(&control.rate_bps()), "seed {seed}: {}", control.rate_bps());
        }
    }
}

/// A control that begins at 10 s with R_max = 100 ms, no slow start and 1 Mbit/s.
fn near(config: &Config) -> RateControl {
    let mut control = RateControl::new(config).without_slow_start();
    control.begin(at(10.0));
    control.restart_max_rtt(0.1);
    control.jump(1e6);
    control
}

#[test]
fn a_round_trip_far_above_the_receivers_own_counts_as_twice_that() {
    let late = |control: &RateControl| Feedback { used_rtt_s: 0.08, ..feedback(control, 1, 1e9, 60.0) };
    let mut control = near(&Config::default());
    control.hear(at(10.1), &late(&control));
    assert_eq!((control.max_rtt_s(), control.clr_rtt_s()), (0.16, Some(0.16)));
    control.hear(at(10.2), &feedback(&control, 2, 1e9, 0.5));
    assert_eq!(control.max_rtt_s(), 0.5, "which is its own");
    // One that has not measured its own computes with R_max, which may be short for it: up to twice the first R_max.
    control.hear(at(10.3), &Feedback { have_rtt: false, ..late(&control) });
    assert_eq!(control.max_rtt_s(), 1.0);
    let mut control = near(&Config::of(Profile::Rfc4654));
    control.hear(at(10.1), &late(&control));
    assert_eq!(control.max_rtt_s(), 60.0, "the letter");
}

#[test]
fn what_was_sent_before_a_silence_ended_does_not_raise_r_max() {
    let honest = |control: &RateControl, rtt_s| feedback(control, 1, 1e9, rtt_s);
    // The longest silence of one that limits that is none is 4 R_max, 400 ms.
    for (silence_s, counts) in [(0.39, true), (0.41, false), (1.5, false), (5.0, false)] {
        let mut control = near(&Config::default());
        control.hear(at(11.0), &honest(&control, 0.1));
        let mut end_s: f64 = 11.0;
        while end_s < 11.0 + silence_s {
            end_s = (end_s + 0.1).min(11.0 + silence_s);
            control.pass(at(end_s));
        }
        // Two packets that have waited for its end, as the receiver says of its own round-trip time, too.
        control.hear(at(end_s), &honest(&control, 0.7));
        control.hear(at(end_s + 0.2), &honest(&control, 0.6));
        assert_eq!(control.max_rtt_s() > 0.3, counts, "{silence_s} s: {}", control.max_rtt_s());
        // And one that was sent after it.
        control.hear(at(end_s + 0.4), &honest(&control, 0.39));
        assert!(control.max_rtt_s() >= 0.39, "{silence_s} s: {}", control.max_rtt_s());
    }
}

#[test]
fn nobodys_silence_is_one_and_that_of_one_among_others_is_none() {
    // Nobody limits, and the rate is halved as nobody reports.
    let mut control = near(&Config::default());
    control.hear(at(11.0), &feedback(&control, 1, 1e9, 0.1));
    control.limiting_left(at(11.0));
    while control.counts().halvings == 0 {
        let now = control.silence_at();
        control.pass(now);
    }
    let end = control.heard_at + Duration::from_secs(2);
    control.hear(end, &feedback(&control, 2, 1e9, 0.7));
    assert!(control.max_rtt_s() < 0.3, "{}", control.max_rtt_s());
    // The one that limits is given up while another one reports.
    let mut control = near(&Config::default());
    control.hear(at(11.0), &feedback(&control, 1, 1e6, 0.1));
    for n in 1..=30 {
        let now = at(11.0 + 0.05 * f64::from(n));
        control.pass(now);
        let rtt_s = if control.clr().is_none() { 0.7 } else { 0.1 };
        control.hear(now, &feedback(&control, 2, 1e9, rtt_s));
    }
    assert_eq!((control.clr(), control.max_rtt_s()), (Some(Address::endpoint(2)), 0.7));
}

#[test]
fn the_rate_grows_by_what_was_measured_and_not_by_the_gap() {
    let mut control = near(&Config::default());
    control.jump(1000.0);
    control.hear(at(10.0), &feedback(&control, 1, 1e9, 0.1));
    control.next_round(at(10.0));
    assert_eq!(control.max_rtt_s(), 8.0, "the gap, for rounds");
    let before_bps = control.rate_bps();
    control.hear(at(10.1), &feedback(&control, 1, 1e9, 0.1));
    assert!((control.rate_bps() - before_bps - 80_000.0).abs() < 1.0, "8s/R in 0.1 s: {}", control.rate_bps());
    assert!((control.max_rtt_s() - 8000.0 / control.rate_bps()).abs() < 1e-9 || control.max_rtt_s() == 0.1);
    let mut control = near(&Config::of(Profile::Rfc4654));
    control.jump(1000.0);
    control.hear(at(10.0), &feedback(&control, 1, 1e9, 0.1));
    control.next_round(at(10.0));
    let before_bps = control.rate_bps();
    control.hear(at(10.1), &feedback(&control, 1, 1e9, 0.1));
    assert!((control.rate_bps() - before_bps - 12.5).abs() < 1e-6, "8s/R_max² is 125 bit/s²: the letter");
    assert_eq!(control.max_rtt_s(), 8.0);
}

#[test]
fn a_new_limiting_receiver_waits_for_a_round_without_the_gap() {
    // R_max is 8 s for rounds at a packet in 8 s; the round in which nothing grows is 6·0.081 s all the same.
    for (config, hold_s) in [(Config::default(), 0.486), (Config::of(Profile::Rfc4654), 48.0)] {
        let mut control = near(&config);
        control.jump(1000.0);
        control.hear(at(10.0), &feedback(&control, 1, 1000.0, 0.05));
        control.next_round(at(10.0));
        control.limiting_left(at(10.0));
        assert_eq!(control.max_rtt_s(), 8.0);
        control.hear(at(10.0), &feedback(&control, 2, 1e9, 0.05));
        control.hear(at(10.0 + 0.9 * hold_s), &feedback(&control, 2, 1e9, 0.05));
        assert_eq!(control.rate_bps(), 1000.0, "{hold_s}");
        control.hear(at(10.0 + 1.01 * hold_s), &feedback(&control, 2, 1e9, 0.05));
        assert!(control.rate_bps() > 1000.0, "{hold_s}");
    }
}

#[test]
fn the_rate_never_grows_by_more_than_a_packet_per_round_trip_of_the_farthest() {
    for seed in 0..20 {
        let mut random = Random::stream(seed, "test/growth");
        let mut control = near(&Config::default());
        let (mut now_s, mut grown_at_s, mut largest_s) = (10.0, 10.0, 0.1_f64);
        for _ in 0..3000 {
            now_s += random.uniform_in(0.001, 0.1);
            if control.pass(at(now_s)).next_round {
                largest_s *= 0.9;
            }
            let rtt_s = random.uniform_in(0.1, 0.3);
            let asked_bps = if random.chance(0.05) { 2e5 } else { 1e9 };
            let report = feedback(&control, random.uniform_in(1.0, 6.0) as u32, asked_bps, rtt_s);
            let before_bps = control.rate_bps();
            let heard = control.hear(at(now_s), &report).expect("it says something");
            largest_s = largest_s.max(rtt_s);
            let most_bps = 8000.0 * (now_s - grown_at_s) / (largest_s * largest_s);
            let grown_bps = control.rate_bps() - before_bps;
            assert!(grown_bps <= most_bps + 1e-3, "seed {seed}: {grown_bps} of {most_bps} at {now_s}");
            if heard.limits {
                grown_at_s = now_s;
            }
        }
    }
}

#[test]
fn who_limits_and_never_answers_gives_its_place_back() {
    let deadline = |control: &RateControl| control.silence_at().as_secs_f64();
    let lied = |config: &Config| {
        let mut control = near(config);
        for now_s in [10.0, 10.1, 10.2] {
            control.hear(at(now_s), &feedback(&control, 1, 1e6, 0.1));
        }
        control.hear(at(10.25), &feedback(&control, 9, 0.0, 0.1));
        assert_eq!((control.clr(), control.rate_bps()), (Some(Address::endpoint(9)), 1000.0));
        control
    };
    // Ten round trips (five gaps of 8 ms are less), and the gap to the second packet that names it.
    let mut control = lied(&Config::default());
    let mut given_back_s = f64::NAN;
    while control.clr() == Some(Address::endpoint(9)) {
        given_back_s = deadline(&control);
        let passed = control.pass(at(given_back_s));
        let restored = control.clr().filter(|&clr| clr == Address::endpoint(1));
        assert_eq!((passed.given_up, passed.restored), (false, restored));
    }
    assert!((given_back_s - 19.25).abs() < 1e-6, "{given_back_s}");
    assert_eq!((control.clr(), control.rate_bps()), (Some(Address::endpoint(1)), 1000.0));
    control.hear(at(given_back_s + 0.1), &feedback(&control, 1, 1e6, 0.1));
    assert!(control.rate_bps() > 50_000.0, "no round without growth: {}", control.rate_bps());
    // If it does not answer either, nobody limits.
    let mut control = lied(&Config::default());
    while control.clr().is_some() {
        let now = control.silence_at();
        control.pass(now);
    }
    assert!(control.silence_at() > at(19.25 + 40.0));
    // One that answers stays, and is given up by the ordinary rule.
    let mut control = lied(&Config::default());
    control.hear(at(18.0), &feedback(&control, 9, 0.0, 0.1));
    control.pass(at(30.0));
    assert_eq!(control.clr(), Some(Address::endpoint(9)));
    // Several that never answer, one in the place of the other, give it back to the one before them.
    let mut control = lied(&Config::default());
    control.jump(2000.0);
    control.hear(at(10.3), &feedback(&control, 8, 0.0, 0.1));
    assert_eq!(control.clr(), Some(Address::endpoint(8)));
    while control.clr() == Some(Address::endpoint(8)) {
        let now = control.silence_at();
        control.pass(now);
    }
    assert_eq!(control.clr(), Some(Address::endpoint(1)));
    // Of others that leave it does not depend.
    let mut control = lied(&Config::default());
    control.other_left(Address::endpoint(5));
    control.pass(at(19.3));
    assert_eq!(control.clr(), Some(Address::endpoint(1)));
    // Once nobody has limited nobody before that limits again.
    let mut control = lied(&Config::default());
    control.limiting_left(at(10.3));
    control.hear(at(10.4), &feedback(&control, 7, 1e6, 0.1));
    control.hear(at(10.5), &Feedback { leave: true, ..feedback(&control, 7, 1e6, 0.1) });
    control.hear(at(10.6), &feedback(&control, 6, 1e6, 0.1));
    assert_eq!(control.clr(), Some(Address::endpoint(6)));
    control.pass(at(100.0));
    assert_eq!(control.clr(), None);
    // Who has left meanwhile does not limit again.
    let mut control = lied(&Config::default());
    control.other_left(Address::endpoint(1));
    control.pass(at(30.0));
    assert_eq!(control.clr(), Some(Address::endpoint(9)));
    let mut control = lied(&Config::of(Profile::Rfc4654));
    control.pass(at(30.0));
    assert_eq!(
        control.clr(),
        Some(Address::endpoint(9)),
        "five gaps of 8 s: the letter, with its patience at low rates"
    );
}

#[test]
fn no_place_is_given_back_to_who_is_long_gone() {
    let taken_over = || {
        let mut control = near(&Config::default());
        control.hear(at(10.0), &feedback(&control, 1, 1e6, 0.1));
        control.hear(at(10.1), &feedback(&control, 1, 1e6, 0.1));
        control.hear(at(10.2), &feedback(&control, 9, 5e5, 0.1));
        control
    };
    // The one in between has answered: 8, which never does, has no predecessor when that one leaves.
    let mut control = taken_over();
    control.hear(at(10.3), &feedback(&control, 9, 5e5, 0.1));
    control.hear(at(10.4), &Feedback { leave: true, ..feedback(&control, 9, 5e5, 0.1) });
    control.hear(at(10.5), &feedback(&control, 8, 1e5, 0.1));
    while control.clr() == Some(Address::endpoint(8)) {
        let now = control.silence_at();
        control.pass(now);
    }
    assert_eq!(control.clr(), None);
    // And one that says that it leaves does not limit again.
    let mut control = taken_over();
    control.hear(at(10.3), &Feedback { leave: true, ..feedback(&control, 1, 1e6, 0.1) });
    while control.clr() == Some(Address::endpoint(9)) {
        let now = control.silence_at();
        control.pass(now);
    }
    assert_eq!(control.clr(), None);
}
