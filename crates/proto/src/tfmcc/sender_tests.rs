//! A sender alone, report by report, with numbers by hand.

use super::receiver_tests::{GROUP, OWN, SENDER, at, packet, us};
use super::*;
use crate::endpoint::{Action, Cause, Endpoint, Event, EventSubject, Input, Outbox};
use crate::packet::{Address, FlowId, Header, Packet};
use crate::testing::gauge;
use crate::tfmcc;
use crate::time::{Duration, Instant, Rate};

/// A sender that has started, with R_max = 500 ms and X = 16 kbit/s.
fn sender() -> Sender {
    let mut sender = Sender::new(&Config::default(), FlowId(0), SENDER, GROUP);
    sender.handle(Instant::ZERO, Input::Start, &mut Outbox::new());
    sender
}

/// Runs its timers up to `until_s`; what it did.
fn run(sender: &mut Sender, until_s: f64) -> Vec<(f64, Action)> {
    let (mut out, mut did) = (Outbox::new(), Vec::new());
    while let Some(now) = sender.deadline().filter(|&due| due <= at(until_s)) {
        sender.handle(now, Input::Timeout, &mut out);
        did.extend(out.drain().map(|action| (now.as_secs_f64(), action)));
    }
    did
}

/// A report of receiver `from` at `now_s`, its round trip 100 ms.
pub(super) fn report(sender: &mut Sender, now_s: f64, from: u32, (have_rtt, have_loss): (bool, bool), rate_bps: f32) {
    run(sender, now_s);
    let header = Header::Tfmcc(tfmcc::Header::Feedback(tfmcc::FeedbackHeader {
        have_rtt,
        have_loss,
        leave: false,
        round: sender.round(),
        echoed_stamp_us: us(now_s).wrapping_sub(100_000),
        rate_bps,
        rtt_s: if have_rtt { 0.1 } else { 0.5 },
        loss_event_rate: 0.0,
        receive_bps: 9000.0,
        scale: 1.0,
    }));
    sender.handle(
        at(now_s),
        Input::packet(&packet(Address::endpoint(from), now_s, header), None, at(now_s)),
        &mut Outbox::new(),
    );
}

#[test]
fn rates_reckoned_with_r_max_are_adjusted_but_suppress_as_they_are() {
    // Section 3.3: X_r' = X_r·R_max/R_r, here five times X_r; section 3.4: not so for X_supp.
    let mut sender = sender();
    report(&mut sender, 0.1, 2, (false, true), 2000.0);
    assert_eq!((sender.rate_bps(), sender.clr()), (10_000.0, Some(Address::endpoint(2))));
    report(&mut sender, 0.2, 3, (false, true), 2100.0);
    assert_eq!((sender.rate_bps(), sender.clr()), (10_000.0, Some(Address::endpoint(2))), "10500 is not lower");
    report(&mut sender, 0.3, 4, (true, true), 9000.0);
    assert_eq!((sender.rate_bps(), sender.clr()), (9000.0, Some(Address::endpoint(4))), "it knows its own");
    let supp = run(&mut sender, 2.0).iter().find_map(|(_, action)| match action {
        Action::Send(Packet {
            header: Header::Tfmcc(tfmcc::Header::Data(tfmcc::DataHeader { suppression_bps, .. })),
            ..
        }) => Some(*suppression_bps),
        _ => None,
    });
    assert_eq!(supp, Some(1800.0), "0.9·2000");
}

#[test]
fn slow_start_goes_to_the_lowest_rate_over_a_round_trip() {
    // Section 3.6. X is brought up to date by any input: a report whose rate is no number.
    let mut sender = sender();
    let look = |sender: &mut Sender, now_s: f64| {
        report(sender, now_s, 9, (true, false), f32::NAN);
        sender.rate_bps()
    };
    report(&mut sender, 0.2, 1, (true, false), 40_000.0);
    assert!((look(&mut sender, 0.25) - 24_000.0).abs() < 1e-6, "half way to twice the rate, in half of 100 ms");
    assert_eq!(look(&mut sender, 0.35), 32_000.0);
    // Another with more changes nothing, one with less limits; 40000 - 32000 is less than a packet per R_max, 16000,
    // so that is what the rate grows by, over R_max = 500 ms.
    report(&mut sender, 0.4, 2, (true, false), 41_000.0);
    assert_eq!(sender.clr(), Some(OWN));
    report(&mut sender, 0.5, 3, (true, false), 39_000.0);
    assert_eq!(sender.clr(), Some(Address::endpoint(3)));
    assert!((look(&mut sender, 0.75) - 40_000.0).abs() < 1e-6);
    // Less than the present rate is followed down; the first loss ends it at once.
    report(&mut sender, 0.8, 3, (true, false), 20_000.0);
    let before = sender.rate_bps();
    assert!((look(&mut sender, 0.85) - 0.5 * (before + 20_000.0)).abs() < 1e-6);
    report(&mut sender, 0.86, 5, (true, true), 10_000.0);
    assert!(!sender.in_slow_start());
    assert_eq!((sender.rate_bps(), sender.clr()), (10_000.0, Some(Address::endpoint(5))));
}

#[test]
fn the_rate_grows_by_a_packet_per_max_rtt_at_most_however_long_the_last_report_was_ago() {
    // Section 3.3, case 4: 8s/R_max = 16 kbit/s.
    let mut sender = sender();
    let growth = |sender: &mut Sender, now_s: f64| {
        let before = sender.rate_bps();
        report(sender, now_s, 1, (true, true), 1e9);
        sender.rate_bps() - before
    };
    assert_eq!(growth(&mut sender, 0.1), 0.0, "the end of slow start");
    assert!((growth(&mut sender, 0.2) - 3200.0).abs() < 1e-6, "a fifth of R_max");
    // Selected less than 10 round-trip times ago, it may be silent for as long: 0.6 s.
    assert!((growth(&mut sender, 0.8) - 16_000.0).abs() < 1e-6, "not 6/5 of it");
    assert_eq!(sender.max_rtt_s(), 0.5);
}

#[test]
fn the_limiting_receiver_is_echoed_once_per_round_though_others_wait() {
    // Section 3.5. Two others report for each packet. A packet each 0.5 s, R_max = 500 ms, rounds of 3 s.
    let mut sender = sender();
    report(&mut sender, 0.1, 1, (true, true), 16_000.0);
    let mut turns = Vec::new();
    for step in 0..58 {
        let now_s = 0.15 + 0.1 * f64::from(step);
        turns.extend(run(&mut sender, now_s).into_iter().filter_map(|(at_s, action)| match action {
            Action::Send(Packet {
                header: Header::Tfmcc(tfmcc::Header::Data(tfmcc::DataHeader { echo, .. })), ..
            }) => Some((at_s, echo?.is_clr)),
            _ => None,
        }));
        let (from, rate_bps) = if step % 3 == 0 { (1, 16_000.0) } else { (2 + step, 50_000.0) };
        report(&mut sender, now_s, from, (true, true), rate_bps);
    }
    assert_eq!(turns.len(), 11);
    // In the first round because it is new, in the second because half of it is over.
    let limiting: Vec<f64> = turns.iter().filter(|(_, is_clr)| *is_clr).map(|(at_s, _)| *at_s).collect();
    assert_eq!(limiting, [0.5, 4.5]);
}

#[test]
fn the_sender_counts_from_nought() {
    let mut sender = sender();
    report(&mut sender, 0.1, 1, (true, true), 16_000.0);
    report(&mut sender, 0.2, 1, (true, true), 16_000.0);
    report(&mut sender, 0.3, 2, (true, true), 50_000.0);
    let first = run(&mut sender, 0.5).into_iter().find_map(|(_, action)| match action {
        Action::Send(Packet {
            header: Header::Tfmcc(tfmcc::Header::Data(tfmcc::DataHeader { sequence, .. })), ..
        }) => Some(sequence),
        _ => None,
    });
    assert_eq!(first, Some(1), "the second packet; the first went at the first time-out, at nought");
    // The first report came from nobody that limited, the second from who did, the third from another.
    let counts = |sender: &Sender| ["round_reports", "feedback_rounds", "timeouts"].map(|name| gauge(sender, name));
    assert_eq!((sender.report().received_pkts, counts(&sender)), (3, [2.0, 0.0, 0.0]));
    assert!((gauge(&sender, "srtt") - 0.1).abs() < 1e-9 && gauge(&sender, "max_rtt") >= 0.1);
    assert_eq!(sender.report().received_bytes, 3000);
    run(&mut sender, 3.0);
    assert_eq!(counts(&sender)[1], 1.0);
}

#[test]
fn without_reports_the_rate_is_halved_every_ten_max_rtts() {
    // Section 3.3, and R_max not below the gap between packets, at the end of rounds of 12 R_max (sections 3.2, 3.4):
    // 10·0.5 s; at 6 s R_max = 1 s, so 15 s; at 18 s R_max = 2 s, so 35 s; at 42 s R_max = 4 s, so 75 s; then a packet
    // in 8 s is the least.
    let mut counted = sender();
    run(&mut counted, 80.0);
    assert_eq!(gauge(&counted, "timeouts"), 4.0);
    let halved: Vec<(f64, f64)> = run(&mut sender(), 500.0)
        .into_iter()
        .filter_map(|(now_s, action)| match action {
            Action::Event(Event { kind: RATE, after, .. }) => Some((now_s, after)),
            _ => None,
        })
        .collect();
    assert_eq!(halved, [(5.0, 8000.0), (15.0, 4000.0), (35.0, 2000.0), (75.0, 1000.0)]);
}

#[test]
fn at_a_low_rate_it_is_halved_when_five_gaps_are_over() {
    // 7273 bit/s: a gap of 1.1 s. R_max is 0.5 s until the end of the first round, at 6 s.
    let mut sender = Sender::new(&Config { max_rate: Some(Rate(7273)), ..Config::default() }, FlowId(0), SENDER, GROUP);
    sender.handle(Instant::ZERO, Input::Start, &mut Outbox::new());
    let halved = run(&mut sender, 20.0).into_iter().find_map(|(now_s, action)| match action {
        Action::Event(event) if event.is(RATE) => Some(now_s),
        _ => None,
    });
    assert!(halved.is_some_and(|now_s| (now_s - 5.0 * 8000.0 / 7273.0).abs() < 1e-6), "{halved:?}");
}

#[test]
fn a_floor_that_follows_is_the_present_gap_and_the_granularity() {
    // Nobody reports: 8 kbit/s from 5 s on, so R_max is 1.01 s from 6 s on. A report ends slow start; the next one,
    // 1.01 s later, allows 8000/1.01 bit/s more.
    let max_rtt = tfmcc::MaxRttRule::Rfc;
    let config = Config { max_rtt, granularity: Duration::from_millis(10), ..Config::default() };
    let mut sender = Sender::new(&config, FlowId(0), SENDER, GROUP);
    sender.handle(Instant::ZERO, Input::Start, &mut Outbox::new());
    report(&mut sender, 6.5, 1, (true, true), 1e9);
    assert_eq!((sender.rate_bps(), sender.max_rtt_s()), (8000.0, 1.01));
    report(&mut sender, 7.51, 1, (true, true), 1e9);
    let rate_bps = 8000.0 + 8000.0 / 1.01;
    assert!((sender.rate_bps() - rate_bps).abs() < 1e-6);
    assert!((sender.max_rtt_s() - (8000.0 / rate_bps + 0.01)).abs() < 1e-9, "{}", sender.max_rtt_s());
}

#[test]
fn a_session_begins_when_it_starts() {
    // At 100 s, with the clock at something else than nought: its first round lasts 6 s from there on.
    let mut sender = Sender::new(&Config::default(), FlowId(0), SENDER, GROUP);
    assert_eq!(sender.rate_bps(), 0.0);
    sender.handle(at(100.0), Input::Start, &mut Outbox::new());
    run(&mut sender, 105.9);
    assert_eq!((sender.round(), sender.rate_bps(), gauge(&sender, "timeouts")), (0, 8000.0, 1.0));
    run(&mut sender, 106.0);
    assert_eq!(sender.round(), 1);
    // Stopped on the way from 16 to 32 kbit/s and started again it is not on its way any more.
    report(&mut sender, 106.1, 1, (true, false), 1e6);
    report(&mut sender, 106.3, 1, (true, false), 1e6);
    sender.handle(at(106.35), Input::Stop, &mut Outbox::new());
    sender.handle(at(110.0), Input::Start, &mut Outbox::new());
    run(&mut sender, 112.0);
    assert_eq!((sender.round(), sender.rate_bps()), (0, 16_000.0));
}

#[test]
fn a_driver_that_is_late_catches_up_with_what_is_not_older_than_max_rtt() {
    // Section 3.7. 16 kbit/s is a packet of 8000 bit each 0.5 s; R_max = 0.5 s.
    let mut sender = sender();
    let sent = |sender: &mut Sender, now_s: f64| {
        let mut out = Outbox::new();
        while sender.deadline().is_some_and(|due| due <= at(now_s)) {
            sender.handle(at(now_s), Input::Timeout, &mut out);
        }
        out.drain().filter(|action| matches!(action, Action::Send(_))).count()
    };
    // The first went at 0. Called at 0.8, 1.0 and 1.5: due at 0.5, 1.0, 1.5.
    assert_eq!(sent(&mut sender, 0.8), 1);
    assert_eq!(sender.deadline(), Some(at(1.0)), "nominal times accumulate");
    assert_eq!(sent(&mut sender, 1.0), 1);
    // Called 1.4 s late: what was due more than R_max ago is let go. At 2.9 those of 2.4 and 2.9.
    assert_eq!(sent(&mut sender, 2.9), 2);
    assert_eq!(sender.deadline(), Some(at(3.4)));
}

#[test]
fn max_rtt_stays_above_the_gap_by_the_granularity() {
    // Section 3.2: a gap of 0.5 s at the end of the first round and 10 ms.
    let config = Config { granularity: Duration::from_millis(10), max_rate: Some(Rate(16_000)), ..Config::default() };
    let mut sender = Sender::new(&config, FlowId(0), SENDER, GROUP);
    sender.handle(Instant::ZERO, Input::Start, &mut Outbox::new());
    report(&mut sender, 0.1, 1, (true, false), 1e6);
    for step in 1..13 {
        report(&mut sender, 0.5 * f64::from(step), 1, (true, false), 1e6);
    }
    assert_eq!(sender.round(), 1);
    assert!((sender.max_rtt_s() - 0.51).abs() < 1e-9, "{}", sender.max_rtt_s());
}

/// What the next packet says.
fn next_data(sender: &mut Sender) -> Header {
    loop {
        let due = sender.deadline().expect("it runs").as_secs_f64();
        for (_, action) in run(sender, due) {
            if let Action::Send(Packet { header, .. }) = action {
                return header;
            }
        }
    }
}

#[test]
fn short_numbers_are_those_of_the_wire() {
    // Section 2.2.1. R_max = 500 ms is rounded up to 2^9 ms; X_supp = 0.3·0.9·2000 = 540 to 100·2^2·(1 + 45/128) bit/s.
    // X goes as it is.
    for (quantise, expected) in [(false, (500_000, 540.0)), (true, (512_000, 540.625))] {
        let mut sender = Sender::new(&Config { quantise, ..Config::default() }, FlowId(0), SENDER, GROUP);
        sender.handle(Instant::ZERO, Input::Start, &mut Outbox::new());
        report(&mut sender, 0.1, 2, (true, true), 2000.0);
        sender.scale(Scaling { equation: 0.3, receivers: 1001.0, increase: 1.0 });
        let Header::Tfmcc(tfmcc::Header::Data(tfmcc::DataHeader { suppression_bps, rate_bps, max_rtt_us, .. })) =
            next_data(&mut sender)
        else {
            panic!("it is data");
        };
        assert_eq!(((max_rtt_us, suppression_bps), rate_bps), (expected, 2000.0));
    }
}

#[test]
fn the_successor_of_a_silent_limiting_receiver_raises_nothing_for_a_feedback_round() {
    // Section 3.3, case 3. The limiting receiver reports 16 kbit/s at 0.1 s and never again. The rate is halved 10
    // round trips after that, at 1.1 s. Five gaps of 0.5 s after its report, at 2.6 s, it is given up. R_max is 0.5 s
    // then: T = 3 s.
    let after = |wait_s: f64| {
        let mut sender = sender();
        report(&mut sender, 0.1, 1, (true, true), 16_000.0);
        run(&mut sender, 2.599);
        assert_eq!((sender.clr(), sender.rate_bps()), (Some(OWN), 8000.0));
        run(&mut sender, 2.6);
        assert_eq!((sender.clr(), sender.max_rtt_s()), (None, 0.5));
        for step in 0..30 {
            report(&mut sender, 2.7 + 0.1 * f64::from(step), 2, (true, true), 1e6);
            assert_eq!((sender.clr(), sender.rate_bps()), (Some(Address::endpoint(2)), 8000.0));
        }
        report(&mut sender, 5.7 + wait_s, 2, (true, true), 1e6);
        sender.rate_bps() - 8000.0
    };
    assert_eq!(after(-0.001), 0.0);
    assert!(after(0.0) > 0.0, "as soon as the round is over");
}

#[test]
fn how_often_the_rate_was_halved_does_not_put_off_giving_up_a_silent_limiting_receiver() {
    // Section 3.3: X/2 every 4 R = 0.4 s, given up after 10 R = 1 s. That is 20 gaps at 160 kbit/s, but they grow
    // with each halving, from 50 to 200 ms here. At 40 kbit/s two gaps of 0.4 s put off the second halving to
    // 0.4 + 0.8 s; at 20 kbit/s five gaps of 0.4 s are 2 s.
    let cases: [(f32, &[f64], f64); 4] =
        [(160_000.0, &[0.4, 0.8], 1.0), (80_000.0, &[0.4, 0.8], 1.0), (40_000.0, &[0.4], 1.0), (20_000.0, &[0.8], 2.0)];
    for (rate_bps, expected, patience_s) in cases {
        let mut sender = sender();
        let mut now_s = 0.0;
        while sender.rate_bps() < f64::from(rate_bps) {
            now_s += 0.1;
            report(&mut sender, now_s, 1, (true, false), 1e6);
        }
        for _ in 0..=10 {
            now_s += 0.1;
            report(&mut sender, now_s, 1, (true, true), rate_bps);
        }
        let (mut halved, mut given_up) = (Vec::new(), None);
        for (at_s, action) in run(&mut sender, now_s + 60.0) {
            match action {
                Action::Event(event) if event.is(RATE) && given_up.is_none() => halved.push(at_s - now_s),
                Action::Event(Event { kind: LIMITING_RECEIVER, subject: EventSubject::Nobody, .. }) => {
                    given_up = Some(at_s - now_s);
                }
                _ => {}
            }
        }
        let near = |left: f64, right: f64| (left - right).abs() < 1e-6;
        assert!(given_up.is_some_and(|at_s| near(at_s, patience_s)), "{rate_bps}: {given_up:?}");
        assert_eq!(halved.len(), expected.len(), "{rate_bps}: {halved:?}");
        assert!(halved.iter().zip(expected).all(|(&left, &right)| near(left, right)), "{rate_bps}: {halved:?}");
    }
}

#[test]
fn a_sender_that_is_stopped_is_silent_and_deaf_until_it_starts_again() {
    let mut sender = sender();
    report(&mut sender, 0.1, 1, (true, true), 12_000.0);
    sender.handle(at(0.2), Input::Stop, &mut Outbox::new());
    assert_eq!(sender.deadline(), None);
    report(&mut sender, 0.3, 1, (true, true), 9000.0);
    assert_eq!((sender.rate_bps(), sender.report().received_pkts), (12_000.0, 1));
    sender.handle(at(10.0), Input::Start, &mut Outbox::new());
    assert!(sender.deadline().is_some_and(|due| due >= at(10.0)));
}

#[test]
fn a_pause_is_no_time_in_which_the_rate_might_have_grown() {
    // A packet per R_max, 16 kbit/s, each R_max: a fifth of it 0.1 s after the start.
    let mut sender = sender();
    report(&mut sender, 0.1, 1, (true, true), 12_000.0);
    sender.handle(at(0.2), Input::Stop, &mut Outbox::new());
    sender.handle(at(0.3), Input::Start, &mut Outbox::new());
    report(&mut sender, 0.4, 1, (true, true), 1e9);
    assert!((sender.rate_bps() - 19_200.0).abs() < 1e-6, "{}", sender.rate_bps());
}

#[test]
fn who_says_that_it_leaves_has_broken_the_silence() {
    // Section 3.3 has "the absence of any feedback from any of the receivers". Without, X would be halved at 5 s.
    let mut sender = sender();
    run(&mut sender, 4.0);
    let header = Header::Tfmcc(tfmcc::Header::Feedback(tfmcc::FeedbackHeader {
        have_rtt: true,
        have_loss: false,
        leave: true,
        round: 0,
        echoed_stamp_us: us(3.9),
        rate_bps: 12_000.0,
        rtt_s: 0.1,
        loss_event_rate: 0.0,
        receive_bps: 9000.0,
        scale: 1.0,
    }));
    sender.handle(at(4.0), Input::packet(&packet(OWN, 4.0, header), None, at(4.0)), &mut Outbox::new());
    run(&mut sender, 8.9);
    assert_eq!((sender.clr(), sender.rate_bps()), (None, 16_000.0));
    run(&mut sender, 9.0);
    assert_eq!(sender.rate_bps(), 8000.0);
}

#[test]
fn what_the_first_report_of_a_loss_changes_is_told() {
    let (mut sender, mut out) = (sender(), Outbox::new());
    let header = Header::Tfmcc(tfmcc::Header::Feedback(tfmcc::FeedbackHeader {
        have_rtt: true,
        have_loss: true,
        leave: false,
        round: 0,
        echoed_stamp_us: 0,
        rate_bps: 12_000.0,
        rtt_s: 0.1,
        loss_event_rate: 0.1,
        receive_bps: 9000.0,
        scale: 1.0,
    }));
    sender.handle(at(0.1), Input::packet(&packet(OWN, 0.1, header), None, at(0.1)), &mut out);
    let events: Vec<Event> = out
        .drain()
        .filter_map(|action| match action {
            Action::Event(event) => Some(event),
            _ => None,
        })
        .collect();
    let cause = Cause::Report { receiver: OWN, number: 0 };
    // What travels is in single precision.
    let single = |value: f64| f64::from(value as f32);
    assert_eq!(
        events,
        [
            Event::change(REPORT, 16_000.0, 12_000.0, cause).about(Some(OWN)).with([9000.0, 0.1, 0.1, 1.0].map(single)),
            Event::change(SLOW_START_ENDED, 16_000.0, f64::NAN, cause),
            Event::new(LIMITING_RECEIVER, cause).about(Some(OWN)),
            Event::change(RATE, 16_000.0, 12_000.0, cause),
        ]
    );
    // The same again changes nothing, and a negative rate is none.
    report(&mut sender, 0.2, 1, (true, true), 12_000.0);
    report(&mut sender, 0.3, 1, (true, true), -0.5);
    assert_eq!(sender.rate_bps(), 12_000.0);
}

#[test]
fn who_does_not_lower_the_suppression_rate_may_do_so_later() {
    // Receiver 3 answers three rounds with a rate beyond all bounds, and the fourth with 50 kbit/s.
    let mut sender = sender();
    report(&mut sender, 0.1, 1, (true, true), 16_000.0);
    for round in 0..4 {
        while sender.round() < round {
            let now_s = sender.deadline().expect("it runs").as_secs_f64();
            report(&mut sender, now_s, 1, (true, true), 16_000.0);
        }
        let now_s = sender.deadline().expect("it runs").as_secs_f64();
        report(&mut sender, now_s, 3, (true, true), if round < 3 { f32::INFINITY } else { 50_000.0 });
    }
    let Header::Tfmcc(tfmcc::Header::Data(tfmcc::DataHeader { suppression_bps, .. })) = next_data(&mut sender) else {
        panic!("it is data")
    };
    assert_eq!(suppression_bps, 45_000.0, "0.9 of it");
}

#[test]
fn who_is_given_up_is_told_no_more_that_it_limits() {
    // Given up at 2.6 s, as above. Packets go at 0.5, 1.0, 1.5 and, with 8 kbit/s from 1.1 s on, at 2.5 and 3.5 s.
    let mut sender = sender();
    report(&mut sender, 0.1, 1, (true, true), 16_000.0);
    let is_clr = [(); 5].map(|()| match next_data(&mut sender) {
        Header::Tfmcc(tfmcc::Header::Data(tfmcc::DataHeader { echo, .. })) => echo.map(|echo| echo.is_clr),
        other => panic!("{other:?}"),
    });
    assert_eq!(is_clr, [Some(true), Some(true), Some(true), Some(true), None]);
}

#[test]
fn stamps_without_a_measurement_are_echoed_once_by_the_rfc() {
    // Section 3.5. A packet each 0.5 s: the new limiting receiver first, then the other, or by turns.
    for (max_rtt, expected) in [(MaxRttRule::Rfc, [1, 2, 1, 1, 1]), (MaxRttRule::Recent, [1, 2, 2, 1, 2])] {
        let mut sender = Sender::new(&Config { max_rtt, ..Config::default() }, FlowId(0), SENDER, GROUP);
        sender.handle(Instant::ZERO, Input::Start, &mut Outbox::new());
        report(&mut sender, 0.1, 1, (true, true), 16_000.0);
        report(&mut sender, 0.15, 2, (false, true), 50_000.0);
        let mut heard_s = 0.1;
        let echoed = expected.map(|_| {
            let echoed = match next_data(&mut sender) {
                Header::Tfmcc(tfmcc::Header::Data(DataHeader { echo: Some(echo), .. })) => echo.receiver.index(),
                other => panic!("{other:?}"),
            };
            heard_s += 0.5;
            report(&mut sender, heard_s, 1, (true, true), 16_000.0);
            echoed
        });
        assert_eq!(echoed, expected, "{max_rtt:?}");
    }
}
