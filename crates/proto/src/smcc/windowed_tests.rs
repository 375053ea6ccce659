//! The window of a layer, ACK by ACK, and a source and a member with it.

use super::super::config::Election;
use super::super::control::LayerControl;
use super::*;
use crate::tfmcc;

const A: Address = Address::endpoint(1);
const B: Address = Address::endpoint(2);
const BITS: f64 = 8000.0;
const ALL: u32 = u32::MAX;

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

fn report(receiver: Address, rate_bps: f64, rtt_s: f64) -> Feedback {
    Feedback {
        delayed: false,
        receiver,
        rate_bps,
        rtt_s,
        used_rtt_s: rtt_s,
        have_rtt: true,
        have_loss: true,
        leave: false,
        round: 0,
    }
}

/// A layer from 1 to 2 Mbit/s, or the lowest, up to 2 Mbit/s; it has begun at 0 s.
fn control(lowest: bool) -> WindowedControl {
    let floor_bps = if lowest { 1000.0 } else { 1e6 };
    let mut rounds = RateControl::new(&tfmcc::Config::default()).without_slow_start();
    rounds.set_bounds(floor_bps, 2e6);
    let mut control = WindowedControl::new(&Config::default(), rounds, BITS, (floor_bps, 2e6), lowest);
    control.rounds_mut().begin(Instant::ZERO);
    control
}

fn ack(control: &mut WindowedControl, now_s: f64, receiver: Address, rtt_s: f64, highest: u32) -> Option<u64> {
    let ack = Acknowledgement { receiver, rtt_s, highest, bitmap: ALL };
    control.acknowledged(at(now_s), &ack, true)
}

#[test]
fn who_comes_to_an_empty_layer_begins_with_its_floor_and_gains_a_packet_per_round_trip() {
    let mut control = control(false);
    control.jump(1e6);
    control.hear(at(1.0), &report(A, 5e6, 0.08)).expect("it is a report");
    // W = B_{i-1} R / 8s = 10 packets.
    assert_eq!(control.rounds().clr(), Some(A));
    assert!((control.window() - 10.0).abs() < 1e-6 && (control.rounds().rate_bps() - 1e6).abs() < 1.0);
    // Ten ACKs of a round trip: about a packet more, whatever its reports ask for.
    for n in 1..=10 {
        ack(&mut control, 1.0 + 0.008 * f64::from(n), A, 0.08, n);
        control.hear(at(1.0 + 0.008 * f64::from(n)), &report(A, 1.01e6, 0.08));
    }
    assert!((control.window() - 10.96).abs() < 0.01, "{}", control.window());
    let expected_bps = control.window() * BITS / 0.08;
    assert!((control.rounds().rate_bps() - expected_bps).abs() < 1.0);
    // Of others they are nothing.
    let window = control.window();
    ack(&mut control, 1.1, B, 0.08, 20);
    assert_eq!(control.window(), window);
}

#[test]
fn who_wants_a_little_less_does_not_limit_but_silences_others() {
    let mut control = control(false);
    control.jump(1.6e6);
    control.hear(at(1.0), &report(A, 1.6e6, 0.08)).expect("it is a report");
    // 0.75 of 1.6 Mbit/s are 1.2.
    control.hear(at(1.1), &report(B, 1.25e6, 0.08));
    assert_eq!((control.rounds().clr(), control.rounds().suppression_bps()), (Some(A), 0.9 * 1.25e6));
    control.hear(at(1.2), &report(B, 1.19e6, 0.08));
    assert_eq!(control.rounds().clr(), Some(B));
}

#[test]
fn the_window_stays_within_the_bounds_of_its_layer() {
    let mut control = control(false);
    control.jump(1e6);
    control.hear(at(1.0), &report(A, 5e6, 0.08));
    (1..2000).for_each(|n| {
        ack(&mut control, 1.0 + 0.004 * f64::from(n), A, 0.08, n);
    });
    // B_i R / 8s = 20 packets.
    assert_eq!((control.rounds().rate_bps(), (control.window() * 1e6).round()), (2e6, 20e6));
    // A longer round trip lowers the rate; below the floor the window follows instead.
    for n in 0..200 {
        ack(&mut control, 9.0 + 0.1 * f64::from(n), A, 0.4, 2000 + n);
    }
    let rate_bps = control.rounds().rate_bps();
    assert!((1e6..=2e6).contains(&rate_bps) && control.window() >= 49.9, "{rate_bps} {}", control.window());
}

#[test]
fn another_limits_only_if_it_wants_clearly_less() {
    let mut control = control(false);
    control.jump(1e6);
    control.hear(at(1.0), &report(A, 5e6, 0.08));
    (1..100).for_each(|n| {
        ack(&mut control, 1.0 + 0.008 * f64::from(n), A, 0.08, n);
    });
    let rate_bps = control.rounds().rate_bps();
    assert!(rate_bps > 1.5e6);
    control.hear(at(1.8), &report(B, 0.8 * rate_bps, 0.16));
    assert_eq!(control.rounds().clr(), Some(A));
    assert_eq!(control.rounds().rate_bps(), rate_bps);
    control.hear(at(1.8), &report(B, 0.7 * rate_bps, 0.16));
    assert_eq!(control.rounds().clr(), Some(B));
    // W is what its rate takes at its own round-trip time.
    assert!((control.rounds().rate_bps() / (0.7 * rate_bps) - 1.0).abs() < 1e-6);
    assert!((control.window() - 0.7 * rate_bps * 0.16 / BITS).abs() < 1e-6);
}

#[test]
fn in_the_lowest_layer_a_loss_halves_once_per_round_trip() {
    let mut control = control(true);
    control.hear(at(1.0), &report(A, 1e6, 0.1));
    // From one packet by packets to four, then by a packet per window.
    assert_eq!(control.window(), 1.0);
    let mut number = 0;
    for n in 0..60 {
        control.sent();
        assert_eq!(ack(&mut control, 1.0 + 0.02 * f64::from(n), A, 0.1, number), None);
        number += 1;
    }
    let before = control.window();
    assert!(before > 9.0 && before < 12.0, "{before}");
    assert!((control.rounds().rate_bps() - before * BITS / 0.1).abs() < 1.0);
    // Two of the next twelve are lost.
    (0..12).for_each(|_| control.sent());
    let holes = [number, number + 2];
    let mut halved = Vec::new();
    for highest in (number..number + 12).filter(|highest| !holes.contains(highest)) {
        let bitmap =
            holes.iter().filter(|&&hole| hole < highest).fold(ALL, |bits, hole| bits & !(1 << (highest - hole)));
        let ack = Acknowledgement { receiver: A, rtt_s: 0.1, highest, bitmap };
        halved.extend(control.acknowledged(at(2.3), &ack, true));
    }
    assert_eq!(halved, [u64::from(number)]);
    assert!((control.window() / (before / 2.0) - 1.0).abs() < 0.02, "{before} {}", control.window());
}

#[test]
fn above_the_lowest_layer_losses_are_for_the_receiver_to_answer() {
    let mut control = control(false);
    control.jump(1e6);
    control.hear(at(1.0), &report(A, 5e6, 0.08));
    (0..20).for_each(|_| control.sent());
    for highest in 4..20 {
        let ack = Acknowledgement { receiver: A, rtt_s: 0.08, highest, bitmap: ALL & !0b10 };
        assert_eq!(control.acknowledged(at(1.1), &ack, true), None);
    }
    assert!(control.window() > 11.0);
}

#[test]
fn who_does_not_acknowledge_is_given_up() {
    for acknowledges in [true, false] {
        let mut control = control(false);
        control.jump(1e6);
        control.hear(at(1.0), &report(A, 5e6, 0.08));
        if acknowledges {
            ack(&mut control, 1.1, A, 0.08, 1);
        }
        // A second of time-out after its last word. Before its first ACK it may not know yet that it is to acknowledge,
        // and has 3 s.
        let mut given_up_s = None;
        let mut now_s = 1.1;
        while given_up_s.is_none() && now_s < 20.0 {
            let deadline = control.deadline();
            now_s = deadline.as_secs_f64().max(now_s);
            let (round, passed) = (control.rounds().round(), control.pass(deadline));
            given_up_s = passed.given_up.then_some(now_s);
            // The one that began a round says so.
            let rounds = control.rounds().round().wrapping_sub(round);
            assert_eq!((passed.next_round, passed.restored), (rounds == 1, None));
        }
        let given_up_s = given_up_s.expect("it is");
        assert_eq!(control.rounds().clr(), None);
        assert!(given_up_s <= if acknowledges { 2.2 } else { 4.1 }, "{given_up_s}");
        // Who comes next begins with no more than there is.
        let before_bps = control.rounds().rate_bps();
        control.hear(at(given_up_s + 0.1), &report(B, 2e6, 0.05));
        assert!(control.rounds().rate_bps() <= before_bps);
        assert_eq!(control.rounds().clr(), Some(B));
    }
}

#[test]
fn who_takes_over_has_the_time_to_learn_of_it_whatever_the_one_before_it_did() {
    let mut control = control(false);
    control.jump(1.9e6);
    control.hear(at(1.0), &report(A, 5e6, 0.5));
    ack(&mut control, 1.1, A, 0.5, 1);
    // It has 3 s, as it may not know yet that it is to acknowledge, and not its time-out of R + 4·R/2 = 1.5 s.
    control.hear(at(1.2), &report(B, 1.1e6, 0.5));
    assert_eq!(control.rounds().clr(), Some(B));
    control.pass(at(4.1));
    assert_eq!(control.rounds().clr(), Some(B));
    assert!(control.pass(at(4.3)).given_up);
}

#[test]
fn who_acknowledges_but_no_longer_reports_does_not_win_back_by_acks_what_its_silence_has_halved() {
    let mut control = control(false);
    control.jump(2e6);
    let mut now_s = 1.0;
    while now_s < 10.0 && control.rounds().rate_bps() > 1.9e6 {
        if now_s < 3.0 {
            control.hear(at(now_s), &report(A, 5e6, 0.08));
        }
        ack(&mut control, now_s, A, 0.08, 1);
        control.pass(at(now_s));
        now_s += 0.02;
    }
    assert!(now_s > 3.3, "after four round trips: {now_s}");
    assert_eq!((control.rounds().clr(), control.rounds().rate_bps()), (Some(A), 1e6));
    ack(&mut control, now_s + 0.008, A, 0.08, 2);
    assert!(control.rounds().rate_bps() < 1.02e6, "{}", control.rounds().rate_bps());
}

#[test]
fn who_limits_may_be_silent_for_a_minute_at_most() {
    // RFC 6298 (2.5): a bound of the time-out is 60 s or more. R + 4·R/2 would be 189 s.
    let mut control = control(false);
    control.jump(1e6);
    control.hear(at(1.0), &report(A, 5e6, 63.0));
    assert!(!control.pass(at(60.99)).given_up);
    assert!(control.pass(at(61.01)).given_up);
}

#[test]
fn on_a_long_way_the_time_out_comes_before_ten_round_trips() {
    let mut control = control(false);
    control.jump(1e6);
    control.hear(at(1.0), &report(A, 5e6, 0.5));
    ack(&mut control, 1.5, A, 0.5, 1);
    // R + 4·R/2 at first, 0.5 + 4·0.1875 s with the second sample; TFMCC would wait for 5 s.
    assert!(!control.pass(at(2.7)).given_up);
    let round = control.rounds().round();
    let passed = control.pass(at(2.8));
    assert_eq!((passed.given_up, passed.next_round, passed.restored), (true, true, None));
    assert_eq!((control.rounds().clr(), control.rounds().round()), (None, round.wrapping_add(1)));
}

#[test]
fn one_that_never_answers_gives_its_place_back_unless_the_one_before_it_has_left() {
    for has_left in [false, true] {
        let mut control = control(false);
        control.jump(1e6);
        control.hear(at(1.0), &report(A, 5e6, 0.08));
        (1..100).for_each(|n| {
            ack(&mut control, 1.0 + 0.008 * f64::from(n), A, 0.08, n);
        });
        control.hear(at(1.8), &report(A, 5e6, 0.08));
        control.hear(at(1.8), &report(B, 1.05e6, 0.08));
        assert_eq!(control.rounds().clr(), Some(B));
        let mut control = LayerControl::Windowed(control);
        if has_left {
            control.other_left(A);
        }
        while control.lead() == Some(B) {
            let deadline = control.deadline();
            control.pass(deadline, true);
        }
        assert_eq!(control.lead(), (!has_left).then_some(A));
    }
}

#[test]
fn round_trips_that_cannot_be_do_no_harm() {
    for rtt_s in [f64::NAN, f64::INFINITY, -5.0, 0.0, 1e9] {
        for lowest in [true, false] {
            let mut control = control(lowest);
            control.hear(at(1.0), &report(A, 1e6, rtt_s));
            for n in 0..50 {
                control.sent();
                ack(&mut control, 1.0 + 0.01 * f64::from(n), A, rtt_s, n);
                let (rate_bps, window) = (control.rounds().rate_bps(), control.window());
                assert!((1000.0..=2e6).contains(&rate_bps) && window >= 1.0, "{rtt_s} {rate_bps} {window}");
            }
        }
    }
}

#[test]
fn an_election_takes_a_back_off_and_a_round_trip_if_asked_for() {
    for election in [Election::FeedbackRound, Election::BackOff] {
        let quick = election == Election::BackOff;
        let config = Config { election, ..Config::default() };
        let mut rounds = RateControl::new(&tfmcc::Config::default()).without_slow_start();
        rounds.set_bounds(1e6, 2e6);
        let mut control = WindowedControl::new(&config, rounds, BITS, (1e6, 2e6), false);
        control.rounds_mut().begin(Instant::ZERO);
        control.hear(at(1.0), &report(A, 5e6, 0.08)).expect("it is a report");
        ack(&mut control, 1.2, A, 0.08, 1);
        let round = control.rounds().round();
        control.lead_left(at(1.3));
        let (max_rtt_s, gap_s) = (control.rounds().max_rtt_s(), control.rounds().gap_s());
        assert_eq!(control.rounds().round(), round.wrapping_add(1));
        let end_s = 1.3 + 0.05 + max_rtt_s + gap_s;
        let early = control.pass(at(end_s - 1e-6));
        assert_eq!(quick, control.deadline() < at(end_s + 1e-6));
        let passed = control.pass(at(end_s + 1e-6));
        assert_eq!((early.next_round, passed.next_round, passed.given_up), (false, quick, false));
        assert!(!control.pass(at(end_s + 2e-6)).next_round, "once");
        // Somebody answers in time.
        control.hear(at(1.9), &report(A, 5e6, 0.08));
        control.lead_left(at(2.0));
        let end_s = 2.0 + 0.05 + control.rounds().max_rtt_s() + control.rounds().gap_s();
        control.hear(at(2.05), &report(B, 5e6, 0.08));
        assert!(control.rounds().clr() == Some(B) && !control.pass(at(end_s + 1e-6)).next_round);
    }
}
