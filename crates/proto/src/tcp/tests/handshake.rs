//! The exchange of SYNs before data: 50 ms each way, so data begins at 0.1 s if nothing is lost.

use super::*;
use crate::endpoint::{Input, Outbox};
use crate::tcp;

fn greeting() -> Config {
    Config { handshake: true, initial_cwnd: Packets(4.0), ..Config::default() }
}

/// A pair whose network treats the n-th SYN and the n-th SYN-ACK, from 0, as `fate` says, and loses nothing else.
fn pair_with<F: FnMut(Side, u32) -> Fate>(
    config: &Config,
    mut fate: F,
) -> Pair<Sender, Receiver, impl FnMut(Side, &Packet) -> Fate + use<F>> {
    let (sender, receiver) = ends(config);
    let mut seen = [0; 2];
    let network = move |to: Side, packet: &Packet| {
        let (side, count) = match packet.header {
            Header::Tcp(tcp::Header::Syn) => (Side::Left, &mut seen[0]),
            Header::Tcp(tcp::Header::SynAck { .. }) => (Side::Right, &mut seen[1]),
            _ => return Fate::Deliver,
        };
        assert_eq!(side, to, "who sent it");
        *count += 1;
        fate(side, *count - 1)
    };
    let mut pair = Pair::new(sender, receiver, DELAY, network);
    pair.record = true;
    pair.pester = true;
    pair
}

/// When SYNs and SYN-ACKs were sent, seconds.
fn greetings<L, R, N>(pair: &Pair<L, R, N>, from: Side) -> Vec<f64> {
    let is_one = |packet: &Packet| {
        matches!(packet.header, Header::Tcp(tcp::Header::Syn) | Header::Tcp(tcp::Header::SynAck { .. }))
    };
    let sent = pair.sent.iter().filter(|(_, side, packet)| *side == from && is_one(packet));
    sent.map(|(at, _, _)| at.as_secs_f64()).collect()
}

#[test]
fn data_begins_a_round_trip_later_and_that_is_known() {
    for timestamps in [false, true] {
        let config = Config { timestamps, ecn: EcnMode::Ecn, ack_size: Bytes(52), ..greeting() };
        let mut pair = pair_with(&config, |_, _| Fate::Deliver);
        pair.run_until(seconds(0.075));
        assert!(pair.left.shown().srtt_s.is_nan());
        pair.run_until(seconds(0.125));
        assert_eq!(data_sent(&pair, 0.0, 0.125), "0.1: 0 1 2 3");
        // One sample, and no growth: RFC 5681 section 3.1.
        assert_eq!((pair.left.shown().srtt_s, pair.left.shown().cwnd_pkts), (0.1, 4.0));
        for (at, _, packet) in &pair.sent[..2] {
            assert_eq!((packet.size, packet.ecn), (52, Ecn::NotCapable), "{at}");
        }
        let (sender, receiver) = (pair.left.shown(), pair.right.report());
        assert_eq!((sender.sent_pkts, sender.sent_bytes), (5, 52 + 4 * 1040));
        assert_eq!((sender.retransmitted_pkts, sender.timeouts, sender.received_pkts), (0, 0, 1));
        assert_eq!((receiver.sent_pkts, receiver.sent_bytes), (1, 52));
        assert_eq!((receiver.received_pkts, receiver.received_bytes, receiver.distinct_bytes), (1, 52, 0));
    }
}

#[test]
fn the_first_time_out_of_data_goes_by_the_round_trip_of_the_handshake() {
    // 0.1 s + 4 · 0.05 s after the SYN-ACK, instead of 3 s.
    let config = Config { rto_min: Duration::from_millis(200), ..greeting() };
    let mut pair = pair(&config, |_, again| if again { Fate::Deliver } else { Fate::Lose });
    pair.run_until(seconds(0.45));
    assert_eq!(data_sent(&pair, 0.0, 0.45), "0.1: 0 1 2 3, 0.4: 0r");
}

#[test]
fn the_clock_that_ticks_measures_the_handshake_too() {
    let config = Config { rtt_tick: Some(Duration::from_millis(70)), ..greeting() };
    let mut pair = pair_with(&config, |_, _| Fate::Deliver);
    pair.run_until(seconds(0.125));
    let srtt_s = pair.left.shown().srtt_s;
    assert!(srtt_s == 0.07 || srtt_s == 0.14, "{srtt_s}");
}

#[test]
fn after_a_lost_syn_or_answer_data_begins_with_one_segment_and_a_long_time_out() {
    let s = Duration::from_secs;
    // The initial time-out, how many are lost, when SYNs are sent, when segment 0 is, and again.
    let cases: [(u64, u32, &[f64], &str); 4] = [
        (3, 1, &[0.0, 3.0], "3.1: 0, 6.1: 0r"),
        (3, 2, &[0.0, 3.0, 9.0], "9.1: 0, 12.1: 0r"),
        (1, 2, &[0.0, 1.0, 3.0], "3.1: 0, 6.1: 0r"),
        (5, 1, &[0.0, 5.0], "5.1: 0, 10.1: 0r"),
    ];
    for (rto_initial, lost, syns, data) in cases {
        for (loser, timestamps) in [(Side::Left, false), (Side::Right, false), (Side::Left, true)] {
            let config = Config { rto_initial: s(rto_initial), timestamps, ..greeting() };
            let (sender, receiver) = ends(&config);
            let mut seen = 0;
            let mut pair = Pair::new(sender, receiver, DELAY, |side, packet: &Packet| match packet.header {
                Header::Tcp(tcp::Header::Data { retransmission, .. }) if !retransmission => Fate::Lose,
                Header::Tcp(tcp::Header::Syn) | Header::Tcp(tcp::Header::SynAck { .. }) if side == loser => {
                    seen += 1;
                    if seen <= lost { Fate::Lose } else { Fate::Deliver }
                }
                _ => Fate::Deliver,
            });
            pair.record = true;
            pair.pester = true;
            let name = format!("{rto_initial} s, {lost} lost, {loser:?}, {timestamps}");
            let begin_s = syns[syns.len() - 1] + 0.1;
            pair.run_until(seconds(begin_s + 0.05));
            // Karn: which of the SYNs was answered only a time stamp tells.
            let srtt_s = pair.left.shown().srtt_s;
            assert!(if timestamps { srtt_s == 0.1 } else { srtt_s.is_nan() }, "{name}: {srtt_s}");
            assert_eq!(pair.left.shown().cwnd_pkts, 1.0, "{name}");
            pair.run_until(seconds(begin_s + rto_initial.max(3) as f64 + 0.05));
            assert_eq!(greetings(&pair, Side::Left), syns, "{name}");
            assert_eq!(data_sent(&pair, 0.0, 100.0), data, "{name}");
            let report = pair.left.shown();
            assert_eq!(
                (report.timeouts, report.retransmitted_pkts),
                (u64::from(lost) + 1, u64::from(lost) + 1),
                "{name}"
            );
        }
    }
}

#[test]
fn the_time_out_after_a_lost_syn_stays_below_the_greatest() {
    let s = Duration::from_secs;
    let config = Config { rto_initial: s(1), rto_max: s(2), ..greeting() };
    let mut pair =
        pair_with(&config, |side, count| if side == Side::Left && count == 0 { Fate::Lose } else { Fate::Deliver });
    pair.run_while(seconds(9.0), |pair| pair.left.shown().received_pkts == 0);
    assert_eq!(pair.left.deadline(), Some(seconds(3.1)));
}

#[test]
fn a_syn_that_comes_twice_or_late_is_answered_and_changes_nothing_else() {
    let config = Config { segments: Some(40), ..greeting() };
    let run = |fate: fn(Side, u32) -> Fate, answers: &[f64]| {
        let mut pair = pair_with(&config, fate);
        pair.run_until(seconds(9.0));
        assert_eq!(pair.left.acknowledged(), 40);
        let rounded: Vec<f64> = greetings(&pair, Side::Right).iter().map(|s| (s * 1e3).round() / 1e3).collect();
        assert_eq!(rounded, answers);
        (data_sent(&pair, 0.0, 9.0), pair.events)
    };
    let plain = run(|_, _| Fate::Deliver, &[0.05]);
    assert!(run(|side, _| if side == Side::Left { Fate::Twice } else { Fate::Deliver }, &[0.05, 0.05]) == plain);
    assert!(run(|_, _| Fate::Twice, &[0.05, 0.05]) == plain);
    // The first SYN comes after the second one, in the middle of the data.
    let lost = run(|side, count| if (side, count) == (Side::Left, 0) { Fate::Lose } else { Fate::Deliver }, &[3.05]);
    let late = |side, count| {
        if (side, count) == (Side::Left, 0) { Fate::Late(Duration::from_millis(3200)) } else { Fate::Deliver }
    };
    assert!(run(late, &[3.05, 3.25]) == lost);
}

#[test]
fn without_an_answer_syns_are_repeated_ever_more_slowly_until_the_stop() {
    let config = greeting();
    let mut pair = pair_with(&config, |_, _| Fate::Lose);
    pair.run_until(seconds(160.0));
    assert_eq!(greetings(&pair, Side::Left), [0.0, 3.0, 9.0, 21.0, 45.0, 93.0, 153.0]);
    assert_eq!((pair.left.shown().timeouts, data_sent(&pair, 0.0, 160.0)), (6, String::new()));
    pair.stop_left();
    pair.run_until(seconds(1000.0));
    assert_eq!(greetings(&pair, Side::Left).len(), 7);
    assert_eq!(
        pair.events.last().map(|(at, side, event)| (*at, *side, event.kind)),
        Some((seconds(160.0), Side::Left, events::FINISHED))
    );
    assert_eq!(pair.left.deadline(), None);
}

#[test]
fn an_answer_after_the_stop_and_a_start_after_it_send_nothing() {
    for inputs in [[Input::Start, Input::Stop], [Input::Stop, Input::Start]] {
        let starts = matches!(inputs[0], Input::Start);
        let (mut sender, mut out) = (ends(&greeting()).0, Outbox::new());
        for input in inputs {
            sender.handle(seconds(1.0), input, &mut out);
        }
        let answer = Packet {
            sent: seconds(1.0),
            flow: FlowId(0),
            source: Address::endpoint(1),
            destination: Address::endpoint(0),
            size: 40,
            ttl: 64,
            ecn: Ecn::NotCapable,
            header: Header::Tcp(tcp::Header::SynAck { echoed_stamp_us: 0 }),
        };
        sender.handle(seconds(1.1), Input::packet(&answer, None, seconds(1.1)), &mut out);
        assert_eq!((sender.report().sent_pkts, sender.deadline()), (u64::from(starts), None));
    }
}

/// A connection whose SYN-ACK is acknowledged by a packet of its own.
fn acknowledging() -> Config {
    Config { handshake_ack: true, ..greeting() }
}

/// When ACKs of SYN-ACKs were sent, seconds.
fn acknowledgements<L, R, N>(pair: &Pair<L, R, N>) -> Vec<f64> {
    let sent = pair.sent.iter().filter(|(_, _, packet)| packet.header == tcp::Header::HandshakeAck.into());
    sent.map(|(at, side, _)| (side == &Side::Left).then(|| at.as_secs_f64()).expect("the sender's")).collect()
}

#[test]
fn an_answer_is_acknowledged_before_data_by_a_packet_of_its_own_if_wanted() {
    let config = Config { segments: Some(3), ecn: EcnMode::Ecn, ack_size: Bytes(52), ..acknowledging() };
    let trace = |config: &Config| -> Vec<(f64, Side, String, u16, Ecn)> {
        let mut pair = pair_with(config, |_, _| Fate::Deliver);
        pair.run_until(seconds(9.0));
        let shown = |packet: &Packet| packet.header.to_string().split(" echo").next().unwrap_or_default().to_owned();
        let sent = pair.sent.iter();
        sent.map(|(at, side, packet)| (at.as_secs_f64(), *side, shown(packet), packet.size, packet.ecn)).collect()
    };
    let (left, right) = (Side::Left, Side::Right);
    let data = |number: u32| (0.1, left, format!("TCP: data sequence {number}"), 1040, Ecn::Capable);
    let ack = |next: u32| (0.15, right, format!("TCP: ACK next_expected {next}"), 52, Ecn::NotCapable);
    let mut wanted = vec![
        (0.0, left, "TCP: SYN".to_owned(), 52, Ecn::NotCapable),
        (0.05, right, "TCP: SYN-ACK".to_owned(), 52, Ecn::NotCapable),
        (0.1, left, "TCP: ACK of a SYN-ACK".to_owned(), 52, Ecn::NotCapable),
    ];
    wanted.extend([data(0), data(1), data(2), ack(1), ack(2), ack(3)]);
    let mut sent = trace(&config);
    sent[1].2 = sent[1].2.split(" echoed").next().unwrap_or_default().to_owned();
    assert_eq!(sent, wanted);
    // Without it all else goes as it did; without a handshake there is nothing to acknowledge, and the key is refused.
    wanted.remove(2);
    let mut sent = trace(&Config { handshake_ack: false, ..config.clone() });
    sent[1].2 = sent[1].2.split(" echoed").next().unwrap_or_default().to_owned();
    assert_eq!(sent, wanted);
    assert_eq!(trace(&Config { handshake: false, handshake_ack: false, ..config.clone() }).len(), 6);
    let wrong = Config { handshake: false, ..config }.check();
    assert_eq!(wrong.len(), 1);
    assert!(wrong[0].0 == "handshake_ack" && wrong[0].1.contains("handshake false"), "{wrong:?}");
}

#[test]
fn the_packet_counts_where_it_is_sent_and_where_it_comes_and_is_no_repetition() {
    let config = Config { segments: Some(3), ack_size: Bytes(52), ..acknowledging() };
    let mut pair = pair_with(&config, |_, _| Fate::Deliver);
    pair.run_until(seconds(9.0));
    let (sender, receiver) = (pair.left.shown(), pair.right.report());
    assert_eq!((sender.sent_pkts, sender.sent_bytes), (5, 2 * 52 + 3 * 1040));
    assert_eq!((receiver.received_pkts, receiver.received_bytes), (5, 2 * 52 + 3 * 1040));
    assert_eq!((receiver.distinct_bytes, receiver.sent_pkts), (3 * 1040, 4));
    assert_eq!((sender.retransmitted_pkts, sender.timeouts, sender.received_pkts), (0, 0, 4));
    assert_eq!((sender.cwnd_pkts, sender.srtt_s), (7.0, 0.1));
}

#[test]
fn the_loss_of_the_acknowledgement_or_its_delay_changes_nothing() {
    let config = Config { segments: Some(40), ..acknowledging() };
    let run = |config: &Config, fate: Fate| {
        let (sender, receiver) = ends(config);
        let mut pair = Pair::new(sender, receiver, DELAY, move |_, packet: &Packet| {
            if packet.header == tcp::Header::HandshakeAck.into() { fate } else { Fate::Deliver }
        });
        (pair.record, pair.pester) = (true, true);
        pair.run_until(seconds(9.0));
        assert_eq!(pair.left.acknowledged(), 40);
        let received = pair.right.report().received_pkts;
        (data_sent(&pair, 0.0, 9.0), pair.events, received)
    };
    let (data, events, received) = run(&Config { handshake_ack: false, ..config.clone() }, Fate::Deliver);
    for (fate, more) in [(Fate::Deliver, 1), (Fate::Lose, 0), (Fate::Twice, 2), (Fate::Late(DELAY), 1)] {
        assert!(run(&config, fate) == (data.clone(), events.clone(), received + more), "{fate:?}");
    }
}

#[test]
fn each_answer_is_acknowledged_as_long_as_the_connection_lasts() {
    let config = Config { segments: Some(40), ..acknowledging() };
    let run = |fate: fn(Side, u32) -> Fate| {
        let mut pair = pair_with(&config, fate);
        pair.run_until(seconds(9.0));
        assert_eq!(pair.left.acknowledged(), 40);
        let rounded = acknowledgements(&pair).iter().map(|s| (s * 1e3).round() / 1e3).collect::<Vec<_>>();
        (rounded, pair.left.shown().retransmitted_pkts)
    };
    assert_eq!(run(|_, _| Fate::Deliver), (vec![0.1], 0));
    assert_eq!(run(|side, _| if side == Side::Left { Fate::Twice } else { Fate::Deliver }), (vec![0.1, 0.1], 0));
    // The first answer is lost, or comes late: in the middle of the data, and when all has been acknowledged.
    let first_answer =
        |fate: Fate| move |side, count| if (side, count) == (Side::Right, 0) { fate } else { Fate::Deliver };
    let mut times = Vec::new();
    for fate in [Fate::Lose, Fate::Late(Duration::from_millis(3150)), Fate::Late(Duration::from_secs(7))] {
        let mut pair = pair_with(&config, first_answer(fate));
        pair.run_until(seconds(9.0));
        assert_eq!((pair.left.acknowledged(), pair.left.shown().retransmitted_pkts), (40, 1), "{fate:?}");
        times.push(acknowledgements(&pair).iter().map(|s| (s * 1e3).round() / 1e3).collect::<Vec<_>>());
    }
    assert_eq!(times, [vec![3.1], vec![3.1, 3.25], vec![3.1]]);
}

#[test]
fn what_could_not_be_sent_is_not_counted_and_not_missed() {
    let config = Config { segments: Some(40), ..acknowledging() };
    let first_syn = |side, count| if (side, count) == (Side::Left, 0) { Fate::Lose } else { Fate::Deliver };
    let mut pair = pair_with(&config, first_syn)
        .with_full_buffers(|_, packet: &Packet| packet.header == tcp::Header::HandshakeAck.into());
    pair.run_until(seconds(9.0));
    let sender = pair.left.shown();
    // Two SYNs, of which one was repeated, and 40 segments.
    assert_eq!((pair.left.acknowledged(), sender.sent_pkts, sender.retransmitted_pkts), (40, 42, 1));
    assert_eq!(pair.right.report().received_pkts, 41);
}

#[test]
fn an_application_with_nothing_to_send_yet_has_its_connection_acknowledged() {
    let mut pair = pair_with(&acknowledging(), |_, _| Fate::Deliver);
    pair.grant_left(0);
    pair.run_until(seconds(5.0));
    assert_eq!((acknowledgements(&pair), data_sent(&pair, 0.0, 5.0)), (vec![0.1], String::new()));
    pair.grant_left(2);
    pair.run_until(seconds(9.0));
    assert_eq!((acknowledgements(&pair).len(), data_sent(&pair, 0.0, 9.0).as_str()), (1, "5: 0 1"));
}
