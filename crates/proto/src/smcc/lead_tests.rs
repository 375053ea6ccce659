//! Who limits a layer, in a source alone: elections, silence, and receivers that come and go.

use super::*;

#[test]
fn who_comes_to_an_empty_layer_below_others_limits_it_at_once() {
    let mut run = Run::new(&direct());
    run.keep_reporting((2.0, 4.0), 1, 3, 6e6);
    assert_eq!(run.rates()[..3], [1e6, 2e6, 4e6]);
    run.report(4.0, 2, 1, 1.3e6);
    let close = |run: &Run, expected: [f64; 3]| run.rates().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1.0);
    assert!(close(&run, [1e6, 1.3e6, 4e6]), "{:?}", run.rates());
    // R_3 takes no part in it: R_2 = 4 - 1.3 Mbit/s now.
    run.packets.clear();
    for n in 0..15 {
        let now_s = 4.01 + 0.064 * f64::from(n);
        run.report(now_s, 1, 3, 6e6);
        run.report(now_s, 2, 1, 1.3e6);
    }
    let last = run.sent(4.9);
    let seconds = last.last().unwrap().sent.since(last[0].sent).as_secs_f64();
    let per_s = per_layer(&last).map(|count| count as f64 / seconds);
    let expected = [125.0, 37.5, 337.5, 250.0];
    assert!(per_s.iter().zip(expected).all(|(rate, expected)| (rate - expected).abs() < 3.0), "{per_s:?}");
    // Another below it in the same layer takes over, one above does not.
    run.report(5.0, 3, 1, 1.2e6);
    run.report(5.0, 4, 1, 1.25e6);
    assert_eq!((run.sender.lead(1), run.sender.lead(3)), (Some(receiver(3)), Some(receiver(1))));
    assert_eq!(run.elections(), []);
}

#[test]
fn a_receiver_that_drops_to_an_empty_layer_never_sees_less_than_it_asks_for() {
    // The pilot: from layer 2 to 1, which is empty but for it.
    let mut run = Run::new(&direct());
    run.keep_reporting((2.0, 5.0), 1, 2, 3e6);
    run.packets.clear();
    run.report_as(5.0, 1, 1, 1.8e6, |header| header.dropped = true);
    assert_eq!((run.leads(), run.elections()), (vec![None, Some(receiver(1)), None, None], vec![(5.0, 2)]));
    run.keep_reporting((5.064, 9.0), 1, 1, 1.8e6);
    let least =
        run.packets.iter().filter_map(data).filter(|(layer, _)| *layer == 1).map(|(_, data)| data.data.rate_bps);
    assert_eq!(least.fold(f32::INFINITY, f32::min), 1.8e6);
    // The layer that it left has asked for others for two rounds at most, of 6 round trips, and is empty then.
    let falls: Vec<(f64, f64)> = run
        .events
        .iter()
        .filter(|(_, event)| event.is(RATE) && event.layer == Some(2))
        .map(|(now, event)| (now.as_secs_f64(), event.after))
        .collect();
    let (fell_s, to_bps) = *falls.last().unwrap();
    assert!(to_bps == 2e6 && fell_s > 5.0 && fell_s < 5.0 + 12.0 * 0.07, "{falls:?}");
    assert_eq!(run.rates(), [1e6, f64::from(1.8e6_f32), 2e6, 4e6]);
}

#[test]
fn what_a_receiver_gives_up_below_is_not_sent_in_the_layer_that_it_has_left() {
    // R_2 is 1 Mbit/s, 125 packets per second. It would be 1.9 once T_1 is 1.1.
    let mut run = Run::new(&direct());
    run.keep_reporting((2.0, 5.0), 1, 2, 3e6);
    run.sent(5.0);
    run.report_as(5.0, 1, 1, 1.1e6, |header| header.dropped = true);
    run.keep_reporting((5.064, 5.5), 1, 1, 1.1e6);
    let left_behind = per_layer(&run.sent(5.5))[2];
    assert!((60..=64).contains(&left_behind), "{left_behind}");
    assert!((run.rates()[2] - 3e6).abs() < 1.0, "{:?}", run.rates());
    // Another is there, and gets all that there was.
    run.report(5.5, 2, 2, 3e6);
    let for_another = per_layer(&run.sent(6.0))[2];
    assert!(for_another > 110, "{for_another}");
}

#[test]
fn what_a_receiver_gives_up_below_is_sent_in_the_layer_that_it_has_left_if_somebody_is_above() {
    // R_2 is T_2 - T_1 = 3 - 1.1 Mbit/s from the moment on: 237.5 packets per second.
    let mut run = Run::new(&direct());
    let both = |run: &mut Run, from_s: f64, until_s: f64, (layer, rate_bps): (u8, f64)| {
        for n in 0..((until_s - from_s) / 0.064) as u32 {
            let now_s = from_s + 0.064 * f64::from(n);
            run.report(now_s, 1, layer, rate_bps);
            run.report(now_s, 2, 3, 6e6);
        }
    };
    both(&mut run, 2.0, 5.0, (2, 3e6));
    run.sent(5.0);
    run.report_as(5.0, 1, 1, 1.1e6, |header| header.dropped = true);
    both(&mut run, 5.064, 5.5, (1, 1.1e6));
    let sent = per_layer(&run.sent(5.5))[2];
    assert!((115..=121).contains(&sent), "{sent}");
}

#[test]
fn a_lowest_layer_that_is_full_for_those_above_is_not_halved_for_want_of_reports() {
    let mut run = Run::new(&direct());
    run.keep_reporting((2.0, 60.0), 1, 2, 3e6);
    assert_eq!((run.rates()[0], crate::testing::gauge(&run.sender, "timeouts")), (1e6, 0.0));
}

#[test]
fn the_rate_grows_by_the_longest_round_trip_that_who_limits_had_lately() {
    for (wait_s, expected_s) in [(1.0, 0.3), (20.0, 0.064)] {
        let mut run = Run::new(&direct());
        run.keep_reporting((2.0, 4.0), 1, 1, 2e6);
        // A full queue for a moment, then none.
        run.report_as(4.0, 1, 1, 2e6, |header| {
            header.feedback.echoed_stamp_us = header.feedback.echoed_stamp_us.wrapping_sub(236_000);
        });
        run.keep_reporting((4.064, 4.0 + wait_s), 1, 1, 2e6);
        run.report(4.0 + wait_s, 1, 2, 3e6);
        assert!((run.sender.max_rtt_s(2) - expected_s).abs() < 1e-3, "{}", run.sender.max_rtt_s(2));
    }
}

#[test]
fn the_longest_round_trip_goes_along_from_layer_to_layer() {
    let mut run = Run::new(&direct());
    run.keep_reporting((2.0, 4.0), 1, 1, 2e6);
    run.report_as(4.0, 1, 1, 2e6, |header| {
        header.feedback.echoed_stamp_us = header.feedback.echoed_stamp_us.wrapping_sub(236_000);
    });
    run.report(4.1, 1, 2, 3e6);
    run.keep_reporting((4.164, 5.0), 1, 2, 4e6);
    run.report(5.0, 1, 3, 6e6);
    // A round may be over, with which it goes down by a tenth.
    assert!((0.26..0.301).contains(&run.sender.max_rtt_s(3)), "{}", run.sender.max_rtt_s(3));
}

#[test]
fn who_limits_again_as_the_next_one_never_answers_is_asked_at_once_unless_it_has_left() {
    for has_left in [false, true] {
        let mut run = Run::new(&direct());
        run.keep_reporting((2.0, 4.0), 1, 1, 1.8e6);
        run.report(4.0, 2, 1, 1.2e6);
        if has_left {
            run.report_as(4.1, 1, 1, 1.8e6, |header| header.feedback.leave = true);
        }
        assert_eq!(run.sender.lead(1), Some(receiver(2)));
        while run.sender.lead(1) == Some(receiver(2)) {
            let due = run.sender.deadline().expect("it goes on");
            run.packets.clear();
            run.input(due, Input::Timeout);
        }
        assert_eq!(run.sender.lead(1), (!has_left).then_some(receiver(1)));
        if has_left {
            continue;
        }
        let sent = run.sent(run.now.as_secs_f64() + 0.1);
        let echo = sent.iter().filter_map(data).find(|(layer, _)| *layer == 1).and_then(|(_, data)| data.data.echo);
        assert_eq!(echo.map(|Echo { receiver, is_clr, .. }| (receiver, is_clr)), Some((receiver(1), true)));
    }
}

#[test]
fn an_election_asks_everybody_and_does_not_raise_the_rate() {
    let mut run = Run::new(&direct());
    run.keep_reporting((2.0, 5.0), 1, 2, 2.5e6);
    let round = run.sender.round(2);
    // It goes up: its report on layer 3 is its leave of layer 2.
    run.report(5.0, 1, 3, 5e6);
    assert_eq!((run.elections(), run.sender.lead(2)), (vec![(5.0, 2)], None));
    assert_eq!(run.sender.round(2), round.wrapping_add(1), "a new round at once");
    assert_eq!(run.sender.rate_bps(2), 2.5e6);
    // The first report makes the one that limits, though it asks for more; the rate stays for a round of 6 · 64 ms.
    run.report(5.1, 2, 2, 3.5e6);
    assert_eq!((run.sender.lead(2), run.sender.rate_bps(2)), (Some(receiver(2)), 2.5e6));
    run.report(5.2, 3, 2, 3e6);
    assert_eq!(run.sender.lead(2), Some(receiver(2)), "not lower than the rate");
    run.report(5.3, 4, 2, 2.2e6);
    assert_eq!((run.sender.lead(2), run.sender.rate_bps(2)), (Some(receiver(4)), f64::from(2.2e6_f32)));
    run.report(5.4, 4, 2, 3.9e6);
    assert_eq!(run.sender.rate_bps(2), f64::from(2.2e6_f32), "the round since 5.1 s is not over");
    run.report(5.5, 4, 2, 3.9e6);
    assert!(run.sender.rate_bps(2) > 2.2e6 + 100e3, "{:?}", run.rates());
    assert_eq!(run.elections().len(), 1);
    let changes = |run: &Run| crate::testing::gauge(&run.sender, "lead_changes");
    // Receiver 1 on 2, on 3 and off 2; then 2 and 4 on 2.
    assert_eq!((changes(&run), crate::testing::gauge(&run.sender, "elections")), (5.0, 1.0));
}

#[test]
fn an_election_without_an_answer_leaves_what_is_right_for_an_empty_layer() {
    // With somebody above: all that the layer may carry. Without: the least.
    for (above, expected_bps) in [(true, 4e6), (false, 2e6)] {
        let mut run = Run::new(&direct());
        for n in 0..50 {
            let now_s = 2.0 + 0.064 * f64::from(n);
            run.report(now_s, 1, 2, 2.5e6);
            if above {
                run.report(now_s, 2, 3, 5e6);
            }
        }
        run.report_as(5.2, 1, 2, 2.5e6, |header| header.feedback.leave = true);
        assert_eq!((run.elections(), run.rates()[2]), (vec![(5.2, 2)], 2.5e6));
        let mut settled_s = None;
        for n in 1..40 {
            let now_s = 5.2 + 0.064 * f64::from(n);
            run.run(now_s);
            if above {
                run.report(now_s, 2, 3, 5e6);
            }
            if run.sender.rate_bps(2) != 2.5e6 {
                settled_s.get_or_insert(now_s - 5.2);
            }
        }
        // 2T = 12 R_max = 0.768 s.
        assert!(settled_s.is_some_and(|s| (0.7..0.85).contains(&s)), "{settled_s:?}");
        assert_eq!((run.sender.rate_bps(2), run.sender.lead(2)), (expected_bps, None));
        // Who comes then may raise it at once, by a packet per R_max, which starts anew from its own round trip.
        run.report(10.0, 3, 2, 3e6);
        let grown = if above { f64::from(3e6_f32) } else { 2.125e6 };
        assert_eq!((run.sender.rate_bps(2), run.sender.max_rtt_s(2)), (grown, 0.064));
    }
}

#[test]
fn a_silent_receiver_is_given_up_and_another_elected() {
    let mut run = Run::new(&direct());
    run.keep_reporting((2.0, 5.0), 1, 1, 1.8e6);
    let last_s = run.now.as_secs_f64();
    // Halved after 4 round trips, not below the floor, given up after 10.
    run.run(last_s + 0.6);
    assert_eq!((run.rates()[1], run.elections()), (1e6, vec![]));
    run.run(last_s + 0.639);
    let round = run.sender.round(1);
    let passed = run.sender.layers[1].led.clone().pass(at(last_s + 0.641), true);
    assert!(passed.given_up && passed.next_round, "the one that begins a round says so");
    run.run(last_s + 0.641);
    let [(given_up_s, 1)] = run.elections()[..] else { panic!("{:?}", run.elections()) };
    assert!((given_up_s - last_s - 0.64).abs() < 1e-3, "{given_up_s}");
    assert_eq!(run.sender.round(1), round.wrapping_add(1), "it asks at once");
    assert_eq!(run.rates(), [1e6, 1e6, 2e6, 4e6]);
    // Nobody answers: the session has no receiver that is heard of, and the lowest layer falls as TFMCC's does.
    run.run(last_s + 60.0);
    assert!(run.rates()[0] < 0.1e6 && run.rates()[1..] == [1e6, 2e6, 4e6], "{:?}", run.rates());
}

#[test]
fn who_wants_less_than_a_layer_carries_at_least_counts_as_wanting_that() {
    let mut run = Run::new(&direct());
    run.keep_reporting((2.0, 4.0), 1, 2, 3.5e6);
    run.report(4.0, 2, 2, 0.3e6);
    assert_eq!((run.sender.rate_bps(2), run.sender.lead(2)), (2e6, Some(receiver(2))));
    // That suppresses others down to 0.9 · 2 Mbit/s, not to 0.27: who is not lower than the rate need not report.
    run.report(4.01, 4, 2, 0.2e6);
    assert_eq!(run.sender.lead(2), Some(receiver(2)));
    let LayerControl::Tfmcc(control) = &run.sender.layers[2].led.control else { panic!("it is TFMCC") };
    assert_eq!(control.suppression_bps(), 1.8e6);
    // Computed with R_max for want of a measurement, the floor is that of what is made of it.
    run.report_as(4.3, 3, 2, 0.1e6, |header| header.feedback.have_rtt = false);
    assert_eq!((run.sender.rate_bps(2), run.sender.lead(2)), (2e6, Some(receiver(2))));
}

/// A report of receiver 1 on layer 1, sent at 103.99 s by its clock and overtaken by the one at 104 s.
fn overtaken(run: &mut Run, now_s: f64) {
    let feedback = tfmcc::FeedbackHeader {
        have_rtt: true,
        have_loss: true,
        leave: false,
        round: run.sender.round(1),
        echoed_stamp_us: stamp_us(at(now_s)).wrapping_sub(64_000),
        rate_bps: 1.5e6,
        rtt_s: 0.064,
        loss_event_rate: 0.01,
        receive_bps: 1.5e6,
        scale: 1.0,
    };
    let header = Header::Feedback(FeedbackHeader { feedback, layer: 1, dropped: false }).into();
    let packet = Packet { sent: at(103.99), header, source: receiver(1), ..run.sender.template };
    run.input(at(now_s), Input::packet(&packet, None, at(now_s)));
}

#[test]
fn who_has_left_is_not_elected_by_a_report_from_before() {
    // It drops the layer, where another leads below, or leaves the session.
    for leave in [false, true] {
        let mut run = Run::new(&direct());
        for n in 0..30 {
            let now_s = 2.0 + 0.064 * f64::from(n);
            run.report(now_s, 1, 1, 1.8e6);
            run.report(now_s, 2, 0, 0.4e6);
        }
        let as_said: fn(&mut FeedbackHeader) =
            if leave { |header| header.feedback.leave = true } else { |header| header.dropped = true };
        run.report_as(4.0, 1, u8::from(leave), 0.9e6, as_said);
        assert_eq!((run.leads(), run.elections()), (vec![Some(receiver(2)), None, None, None], vec![(4.0, 1)]));
        overtaken(&mut run, 4.01);
        assert_eq!((run.leads()[1], run.elections().len()), (None, 1), "{leave}");
        // What it sends afterwards counts.
        run.report(4.02, 1, 1, 1.2e6);
        assert_eq!(run.leads()[1], Some(receiver(1)));
    }
}

#[test]
fn one_that_reports_without_limiting_has_the_others_told_at_once() {
    let mut run = Run::new(&direct());
    let told = |run: &mut Run, until_s: f64| -> Vec<(f64, bool)> {
        let sent = run.sent(until_s);
        let of_layer = sent.iter().filter_map(|packet| data(packet).map(|found| (packet.sent.as_secs_f64(), found)));
        let of_layer = of_layer.filter(|(_, (layer, _))| *layer == 3);
        of_layer.map(|(at, (_, data))| (at, data.data.suppression_bps.is_finite())).collect()
    };
    // T_2 is B_2, as nobody is there, and so is T_3: a packet a second of that layer.
    run.keep_reporting((2.0, 4.2), 1, 3, 4e6);
    told(&mut run, 4.2);
    run.report(4.2, 2, 3, 5e6);
    run.report(4.205, 3, 3, 4.1e6);
    run.report(4.21, 1, 3, 4e6);
    // Eight packets of 4 Mbit/s are 16 ms apart.
    let packets = told(&mut run, 4.4);
    assert!(packets.len() == 2 && packets[0] == (4.2, true) && (packets[1].0 - 4.216).abs() < 1e-6, "{packets:?}");
    // Who limits has nothing to tell.
    run.report(4.5, 1, 3, 4e6);
    assert_eq!(told(&mut run, 4.6), []);
    let packets = told(&mut run, 5.3);
    assert!(packets.len() == 1 && (packets[0].0 - 5.216).abs() < 1e-6, "a second after the last one: {packets:?}");
}
