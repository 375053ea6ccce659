//! ECN and multilevel ECN between the two ends.

use super::*;
use crate::endpoint::Cause;
use crate::tcp;

fn config(ecn: EcnMode) -> Config {
    Config {
        variant: Variant::Reno,
        wnd: Some(Packets(1000.0)),
        initial_cwnd: Packets(1.0),
        initial_ssthresh: Some(Packets(8.0)),
        ecn,
        ..Config::default()
    }
}

/// Levels and factors of the answers to echoes.
fn answers<L, R, N>(pair: &Pair<L, R, N>) -> Vec<(Ecn, f64)> {
    let answer = |event: &Event| match event.cause {
        Cause::Mark { level, .. } if is_answer(event) => Some((level, event.after / event.before)),
        _ => None,
    };
    pair.events.iter().filter_map(|(_, _, event)| answer(event)).collect()
}

fn is_answer(event: &Event) -> bool {
    event.is(events::INCIPIENT_REDUCTION) || event.is(events::MODERATE_REDUCTION)
}

/// Marks and answers, and the mean window before the late answers, of a flow with one mark every ten round trips.
fn one_mark_in_ten_round_trips(config: &Config, level: Ecn) -> (usize, usize, f64) {
    let (sender, receiver) = ends(config);
    let mut next_mark = seconds(1.0);
    let mut marks = 0;
    let mut pair = Pair::new(sender, receiver, DELAY, |side, packet: &Packet| {
        if side == Side::Left && packet.sent >= next_mark {
            next_mark += Duration::from_secs(1);
            marks += 1;
            return Fate::Mark(level);
        }
        Fate::Deliver
    });
    pair.run_until(seconds(200.5));
    let befores: Vec<f64> = pair
        .events
        .iter()
        .filter(|(at, _, _)| *at > seconds(100.0))
        .filter_map(|(_, _, event)| is_answer(event).then_some(event.before))
        .collect();
    let (answered, losses) = (pair.left.shown().ecn_reductions as usize, pair.left.shown().loss_reductions);
    assert_eq!((losses, pair.left.shown().timeouts), (0, 0));
    drop(pair);
    (marks, answered, befores.iter().sum::<f64>() / befores.len() as f64)
}

#[test]
fn each_mark_is_answered_once_and_windows_settle_where_theory_says() {
    // With factor f the peak W obeys (1 - f)·W = growth in 10 - 1.3 round trips.
    let cases = [
        (EcnMode::Mecn, Ecn::Incipient, 43.6, 2.0),
        (EcnMode::Mecn, Ecn::Moderate, 21.2, 1.5),
        (EcnMode::Ecn, Ecn::Moderate, 17.0, 1.0),
    ];
    for (ecn, level, expected, tolerance) in cases {
        for variant in RENO_LIKE {
            let config = Config { variant: variant.clone(), ..config(ecn) };
            let (marks, answered, peak) = one_mark_in_ten_round_trips(&config, level);
            assert_eq!((marks, answered), (200, 200), "{level:?}");
            assert!((peak - expected).abs() <= tolerance, "{level:?}: {peak}");
        }
    }
}

#[test]
fn a_mark_in_every_round_trip_leaves_a_window_of_one() {
    for level in [Ecn::Incipient, Ecn::Moderate] {
        let mut pair = pair(&config(EcnMode::Mecn), |_, _| Fate::Mark(level));
        pair.run_until(seconds(30.0));
        assert_eq!(pair.left.shown().cwnd_pkts, 1.0);
        assert_eq!(pair.left.shown().timeouts, 0);
        // Without the pause at a window of one, a segment goes each round trip.
        assert_eq!(data_sent(&pair, 29.0, 29.95).split(", ").count(), 10);
    }
}

#[test]
fn with_a_window_of_one_an_echo_stops_the_sender_until_its_timer() {
    let single = Config { initial_ssthresh: None, ..config(EcnMode::Ecn) };
    let mut pair = pair(&single, |number, _| if number < 2 { Fate::Mark(Ecn::Moderate) } else { Fate::Deliver });
    pair.run_until(seconds(3.35));
    // 1 s from the ACK at 0.1 s; the ACK at 1.2 s echoes again, so 2 s; the ACK at 3.3 s does not.
    assert_eq!(data_sent(&pair, 0.0, 3.35), "0: 0, 1.1: 1, 3.2: 2, 3.3: 3 4");
    let report = pair.left.shown();
    assert_eq!((report.timeouts, report.ecn_reductions, report.ssthresh_pkts), (0, 2, 1000.0));
}

#[test]
fn a_loss_in_a_window_reduced_by_ecn_is_repaired_without_another_reduction() {
    // The window 15 to 22 of `traces.rs`, with 15 marked and 17 lost.
    let fate = |number, again| match (number, again) {
        (15, _) => Fate::Mark(Ecn::Moderate),
        (17, false) => Fate::Lose,
        _ => Fate::Deliver,
    };
    let mut pair = pair(&config(EcnMode::Ecn), fate);
    pair.run_until(seconds(0.65));
    // ACK 16 halves 8.941 to 4.47. Five duplicates of 17: the third repairs it, inflation 3; the fourth reaches
    // 17 + floor(4.47 + 4) = 25 and lets out 23 and 24, the fifth 25. ACK 23 at 0.6 s ends the recovery: 23 + 4 = 27.
    // The ACKs of 23, which carried CWR, to 25 add nothing but 1/cwnd each (4.47 to 5.09: 26 + 5 = 31).
    assert_eq!(data_sent(&pair, 0.5, 0.6), "0.5: 17r 23 24 25, 0.6: 26 27 28 29 30");
    let report = pair.left.shown();
    assert_eq!((report.loss_reductions, report.ecn_reductions, report.timeouts), (0, 1, 0));
    assert_eq!(answers(&pair), [(Ecn::Moderate, 0.5)]);
}

#[test]
fn a_mark_in_a_window_reduced_for_a_loss_is_not_answered() {
    // 15 is lost, 20 marked: its echo comes after the third duplicate ACK. The next new segment, 25, carries CWR for
    // the loss, so ACK 26, the first of more than `recover`, has no echo any more.
    let fate = |number, again| match (number, again) {
        (15, false) => Fate::Lose,
        (20, _) => Fate::Mark(Ecn::Moderate),
        _ => Fate::Deliver,
    };
    for variant in RENO_LIKE {
        let mut pair = pair(&Config { variant: variant.clone(), ..config(EcnMode::Ecn) }, fate);
        pair.run_until(seconds(3.0));
        let report = pair.left.shown();
        assert_eq!((report.loss_reductions, report.ecn_reductions, report.timeouts), (1, 0, 0), "{}", variant.name());
    }
}

#[test]
fn a_loss_in_a_window_reduced_by_a_mark_makes_it_half() {
    let fate = |number, again| match (number, again) {
        (15, _) => Fate::Mark(Ecn::Incipient),
        (17, false) => Fate::Lose,
        _ => Fate::Deliver,
    };
    let full = (0..8).fold(8.0, |cwnd: f64, _| cwnd + 1.0 / cwnd);
    let mut escalating = pair(&config(EcnMode::Mecn), fate);
    escalating.run_until(seconds(0.55));
    let [_, (_, _, Event { kind: events::LOSS_REDUCTION, after, .. })] = escalating.events[..] else {
        panic!("{:?}", escalating.events)
    };
    assert!((after - full / 2.0).abs() < 1e-9, "{after}");
    let mut plain = config(EcnMode::Mecn);
    plain.mecn.escalate = false;
    let mut plain = pair(&plain, fate);
    plain.run_until(seconds(0.55));
    assert_eq!(plain.events.len(), 1);
    assert!((plain.left.shown().cwnd_pkts - full * 0.8).abs() < 1e-9);
}

#[test]
fn a_time_out_in_a_window_reduced_by_ecn_leaves_the_threshold() {
    // 15 is marked; everything behind it is lost.
    let fate = |number, again| match (number, again) {
        (15, _) => Fate::Mark(Ecn::Moderate),
        (16..=22, false) => Fate::Lose,
        _ => Fate::Deliver,
    };
    let mut pair = pair(&config(EcnMode::Ecn), fate);
    pair.run_until(seconds(1.55));
    let half = (0..8).fold(8.0, |cwnd: f64, _| cwnd + 1.0 / cwnd) / 2.0;
    let report = pair.left.shown();
    assert_eq!((report.timeouts, report.cwnd_pkts), (1, 1.0));
    assert!((report.ssthresh_pkts - half).abs() < 1e-12);
}

#[test]
fn the_loss_of_the_segment_with_cwr_is_answered_anew() {
    // RFC 3168 section 6.1.2. 15 is marked, so ACK 16 halves 8.941; the first new segment, 23, carries CWR and is lost.
    let full = (0..8).fold(8.0, |cwnd: f64, _| cwnd + 1.0 / cwnd);
    let fate = |last: u32| {
        move |number, again| match (number, again) {
            (15, _) => Fate::Mark(Ecn::Moderate),
            (n, false) if (23..=last).contains(&n) => Fate::Lose,
            _ => Fate::Deliver,
        }
    };
    for variant in RENO_LIKE {
        let config = Config { variant: variant.clone(), ..config(EcnMode::Ecn) };
        // Found by duplicate ACKs: SACK reduces for the loss. The others do not, as ns-2, but without CWR the echo goes
        // on, and the ACK that ends the recovery is the first of more than `recover`.
        let mut found = pair(&config, fate(23));
        found.run_until(seconds(3.0));
        let report = found.left.shown();
        let by_loss = u64::from(config.variant == Variant::Sack);
        let counts = (report.loss_reductions, report.ecn_reductions, report.timeouts);
        assert_eq!(counts, (by_loss, 2 - by_loss, 0), "{}", variant.name());
        // Found by the timer, with everything behind it lost, too: the threshold is halved a second time.
        let mut timed_out = pair(&config, fate(60));
        timed_out.run_while(seconds(3.0), |pair| pair.left.shown().timeouts == 0);
        assert_eq!(timed_out.left.acknowledged(), 23);
        assert_eq!(timed_out.left.shown().ssthresh_pkts, full / 4.0, "{}", variant.name());
    }
}

#[test]
fn the_second_level_is_answered_a_round_trip_after_the_first() {
    // [Durresi] section V: 15 is marked incipient, 17 moderate, before CWR can come.
    let fate = |number, _| match number {
        15 => Fate::Mark(Ecn::Incipient),
        17 => Fate::Mark(Ecn::Moderate),
        _ => Fate::Deliver,
    };
    let mut pair = pair(&config(EcnMode::Mecn), fate);
    pair.run_until(seconds(2.0));
    let echoes: Vec<(u32, Ecn)> = pair
        .sent
        .iter()
        .filter_map(|(_, _, packet)| match packet.header {
            Header::Tcp(tcp::Header::Ack { next_expected, echo, .. }) => Some((next_expected, echo)),
            _ => None,
        })
        .collect();
    let level = |ack: u32| echoes.iter().find(|(number, _)| *number == ack).expect("every segment is acknowledged").1;
    let cwrs: Vec<u32> = pair
        .sent
        .iter()
        .filter_map(|(_, _, packet)| match packet.header {
            Header::Tcp(tcp::Header::Data { sequence, window_reduced: true, .. }) => Some(sequence),
            _ => None,
        })
        .collect();
    // The first answer comes with ACK 16, when 22 is the last segment sent; the first new one is 23.
    assert_eq!((level(15), level(16), level(23)), (Ecn::NotCapable, Ecn::Incipient, Ecn::Incipient));
    let [first, second] = cwrs[..] else { panic!("{cwrs:?}") };
    assert_eq!(first, 23);
    assert!((24..=second).all(|ack| level(ack) == Ecn::Moderate));
    assert_eq!(level(second + 1), Ecn::NotCapable);
    let factors = answers(&pair);
    assert_eq!(factors.iter().map(|(level, _)| *level).collect::<Vec<_>>(), [Ecn::Incipient, Ecn::Moderate]);
    assert!((factors[0].1 - 0.8).abs() < 1e-12 && (factors[1].1 - 0.6).abs() < 1e-12, "{factors:?}");
}

#[test]
fn without_the_latch_a_higher_level_tops_up_the_reduction() {
    let fate = |number, _| match number {
        15 => Fate::Mark(Ecn::Incipient),
        17 => Fate::Mark(Ecn::Moderate),
        _ => Fate::Deliver,
    };
    let mut unlatched = config(EcnMode::Mecn);
    unlatched.mecn.latch = false;
    let mut pair = pair(&unlatched, fate);
    pair.run_until(seconds(2.0));
    let factors = answers(&pair);
    assert_eq!(factors.len(), 2, "{factors:?}");
    assert!((factors[0].1 * factors[1].1 - 0.6).abs() < 1e-12, "{factors:?}");
}

#[test]
fn retransmissions_are_ecn_capable_only_if_asked_for_and_acks_never() {
    for (ecn, ecn_retransmissions) in [(EcnMode::Ecn, false), (EcnMode::Mecn, true), (EcnMode::Off, true)] {
        let fate = |number, again: bool| if number == 15 && !again { Fate::Lose } else { Fate::Deliver };
        let mut pair = pair(&Config { ecn_retransmissions, ..config(ecn) }, fate);
        pair.run_until(seconds(2.0));
        for (_, side, packet) in &pair.sent {
            let capable = segment(packet).is_some_and(|(_, again)| !again || ecn_retransmissions);
            let expected = if capable && ecn != EcnMode::Off { Ecn::Capable } else { Ecn::NotCapable };
            assert_eq!(packet.ecn, expected, "{side:?} {packet:?}");
        }
        assert_eq!(pair.left.shown().retransmitted_pkts, 1);
    }
}

#[test]
fn a_time_out_is_repaired_in_slow_start_although_the_echo_goes_on() {
    // 20 is marked; everything behind it is lost. The receiver echoes until a new segment brings CWR, and that comes
    // only after all that was lost has been sent again.
    let repaired_after = |grow_after_timeout| {
        let fate = |number, again| match (number, again) {
            (20, _) => Fate::Mark(Ecn::Moderate),
            (21..=60, false) => Fate::Lose,
            _ => Fate::Deliver,
        };
        let config = Config { initial_ssthresh: Some(Packets(64.0)), grow_after_timeout, ..config(EcnMode::Ecn) };
        let mut pair = pair(&config, fate);
        pair.run_while(seconds(60.0), |pair| pair.left.shown().timeouts == 0);
        let (timeout, outstanding) = (pair.now(), pair.left.shown().sent_pkts);
        pair.run_while(seconds(60.0), |pair| pair.left.acknowledged() < outstanding - 1);
        assert_eq!(pair.left.shown().timeouts, 1);
        let lost = outstanding - 1 - 21;
        (pair.now().since(timeout).as_secs_f64() / 0.1, lost as f64)
    };
    let (round_trips, lost) = repaired_after(true);
    assert!(lost > 10.0 && round_trips < lost / 2.0, "{lost} segments in {round_trips} round trips");
    let (round_trips, lost) = repaired_after(false);
    assert!((round_trips - lost).abs() <= 2.0, "to the letter: one segment each round trip, {lost} in {round_trips}");
}

#[test]
fn a_time_out_after_a_mild_mark_makes_the_reduction_that_of_a_loss() {
    // 15 is marked incipient, so ACK 16 leaves 0.8 of the window; everything behind it is lost: 0.5 in all, once.
    let fate = |number, again| match (number, again) {
        (15, _) => Fate::Mark(Ecn::Incipient),
        (16..=30, false) => Fate::Lose,
        _ => Fate::Deliver,
    };
    let mut pair = pair(&config(EcnMode::Mecn), fate);
    pair.run_while(seconds(3.0), |pair| pair.left.shown().timeouts == 0);
    let full = (0..8).fold(8.0, |cwnd: f64, _| cwnd + 1.0 / cwnd);
    let report = pair.left.shown();
    assert!((report.ssthresh_pkts - full / 2.0).abs() < 1e-9, "{report:?}");
    assert_eq!(report.cwnd_pkts, 1.0);
}
