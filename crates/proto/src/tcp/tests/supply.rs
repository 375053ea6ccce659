//! Applications that have little to send, and hosts that cannot send what is asked for.

use super::*;
use crate::endpoint::ENDLESS;
use crate::tcp::CwndValidation;
use crate::tcp::pacing::Ratios;

/// Senders that meet different parts of the machine.
fn settings() -> Vec<Config> {
    let window = Config { wnd: Some(Packets(40.0)), ..Config::default() };
    let mut settings: Vec<Config> = [Variant::Reno, Variant::NewReno, Variant::Sack, Variant::Cubic]
        .map(|variant| Config { variant, ..window.clone() })
        .into();
    settings.push(Config { handshake: true, send_jitter: Duration::from_millis(1), ..window.clone() });
    settings.push(Config { handshake: true, handshake_ack: true, ..window.clone() });
    settings.push(Config { variant: Variant::Sack, pacing: Some(Ratios::default()), ..window.clone() });
    settings.push(Config {
        variant: Variant::Sack,
        segmentation_offload: true,
        whole_segments: true,
        ..window.clone()
    });
    settings.push(Config { rate_limited_increase: true, ..window });
    settings
}

/// Those, and senders whose windows last.
fn all_settings() -> Vec<Config> {
    let validated = [Variant::NewReno, Variant::Sack, Variant::Cubic].map(|variant| Config {
        variant,
        wnd: Some(Packets(40.0)),
        cwnd_validation: CwndValidation::Rfc7661,
        ..Config::default()
    });
    settings().into_iter().chain(validated).collect()
}

/// Segments sent for the first time.
fn new_segments<L, R, N>(pair: &Pair<L, R, N>) -> usize {
    let of_left = pair.sent.iter().filter(|(_, side, _)| *side == Side::Left);
    of_left.filter(|(_, _, packet)| segment(packet).is_some_and(|(_, again)| !again)).count()
}

#[test]
fn as_many_segments_go_as_there_are_and_the_connection_stays() {
    for config in all_settings() {
        let (sender, receiver) = ends(&config);
        let mut pair = Pair::new(sender, receiver, DELAY, |_, _: &Packet| Fate::Deliver);
        (pair.record, pair.pester) = (true, true);
        pair.grant_left(0);
        pair.run_until(seconds(5.0));
        assert_eq!(new_segments(&pair), 0, "{config:?}");
        for (end_s, segments, all) in [(10.0, 7, 7), (20.0, 3, 10), (30.0, 100, 110), (40.0, 0, 110)] {
            pair.run_until(seconds(end_s - 5.0));
            pair.grant_left(segments);
            pair.run_until(seconds(end_s));
            assert_eq!(new_segments(&pair), all, "{config:?}");
            assert_eq!(pair.left.deadline(), None, "{config:?}");
        }
        assert_eq!(pair.count_events(|event| event.is(tcp::events::FINISHED)), 0, "{config:?}");
        // The end of the application is that of the connection.
        pair.grant_left(4);
        pair.run_until(seconds(50.0));
        pair.stop_left();
        assert_eq!(new_segments(&pair), 114, "{config:?}");
        assert_eq!(pair.count_events(|event| event.is(tcp::events::FINISHED)), 1, "{config:?}");
    }
}

#[test]
fn a_transfer_is_over_when_all_of_it_has_gone_however_it_was_granted() {
    for config in all_settings() {
        let (sender, receiver) = ends(&Config { segments: Some(50), ..config });
        let mut pair = Pair::new(sender, receiver, DELAY, |_, _: &Packet| Fate::Deliver);
        pair.record = true;
        for second in 0..10 {
            pair.grant_left(7);
            pair.run_until(seconds(f64::from(2 * second)));
        }
        assert_eq!(new_segments(&pair), 50);
        assert_eq!(pair.count_events(|event| event.is(tcp::events::FINISHED)), 1);
    }
}

#[test]
fn after_a_rest_the_window_is_no_more_than_the_initial_one() {
    for config in settings() {
        let burst_after = |rest_s: f64| {
            let (sender, receiver) = ends(&config);
            let mut pair = Pair::new(sender, receiver, DELAY, |_, _: &Packet| Fate::Deliver);
            pair.record = true;
            pair.run_until(seconds(20.0));
            pair.grant_left(0);
            pair.run_until(seconds(20.0 + rest_s));
            let before = new_segments(&pair);
            pair.grant_left(ENDLESS);
            // What goes before the first acknowledgement.
            pair.run_until(seconds(20.0 + rest_s + 0.09));
            new_segments(&pair) - before
        };
        let initial = config.initial_cwnd.0 as usize;
        assert_eq!(burst_after(60.0), initial, "{config:?}");
        // A pause of a round trip is none.
        assert!(burst_after(0.15) > 3 * initial, "{} {config:?}", burst_after(0.15));
    }
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    for config in all_settings() {
        let (sender, receiver) = ends(&config);
        let mut pair = Pair::new(sender, receiver, DELAY, |_, _: &Packet| Fate::Deliver);
        // Two segments in a round trip, for a minute.
        for n in 0..1200 {
            pair.run_until(seconds(0.05 * f64::from(n)));
            pair.grant_left(1);
        }
        let window = gauge(&pair.left, "cwnd");
        // With a segment that waits for the host three are outstanding at times, and one more in twice as many.
        assert!(window <= 7.0, "{window} {config:?}");
    }
}

#[test]
fn all_arrives_though_hosts_cannot_send_now_and_then() {
    for config in all_settings() {
        for seed in 1..=3 {
            let (sender, receiver) = ends(&Config { segments: Some(400), ..config.clone() });
            let mut random = Random::stream(seed, "test/full");
            let mut loss = Random::stream(seed, "test/loss");
            let lossy = move |_, _: &Packet| if loss.chance(0.01) { Fate::Lose } else { Fate::Deliver };
            let mut pair = Pair::new(sender, receiver, DELAY, lossy).with_full_buffers(move |_, _| random.chance(0.05));
            (pair.record, pair.pester) = (true, true);
            pair.run_until(seconds(600.0));
            assert_eq!(pair.count_events(|event| event.is(tcp::events::FINISHED)), 1, "{config:?}");
            assert_eq!(pair.right.report().distinct_bytes, 400 * config.segment_bytes(), "{config:?}");
            for (side, report) in [(Side::Left, pair.left.report()), (Side::Right, pair.right.report())] {
                let sent = pair.sent.iter().filter(|(_, other, _)| *other == side).map(|(.., packet)| packet.size);
                let bytes: u64 = sent.clone().map(u64::from).sum();
                assert_eq!((report.sent_pkts, report.sent_bytes), (sent.count() as u64, bytes), "{side:?} {config:?}");
            }
            // Nothing was sent for the first time twice, and in order.
            let firsts: Vec<u32> =
                pair.sent.iter().filter_map(|(_, _, packet)| segment(packet)).filter(|s| !s.1).map(|s| s.0).collect();
            assert!(firsts.is_sorted() && firsts.len() == 400, "{} {config:?}", firsts.len());
        }
    }
}

/// RFC 7661: what is not used lasts for five minutes after a second without acknowledgements, then half of it.
#[test]
fn a_window_that_lasts_is_there_after_a_rest() {
    let config = Config { wnd: Some(Packets(40.0)), cwnd_validation: CwndValidation::Rfc7661, ..Config::default() };
    for (rest_s, window, told) in [(60.0, 40, 0), (299.0, 40, 0), (310.0, 20, 1), (650.0, 10, 1), (5000.0, 2, 1)] {
        let (sender, receiver) = ends(&config);
        let mut pair = Pair::new(sender, receiver, DELAY, |_, _: &Packet| Fate::Deliver);
        pair.record = true;
        pair.run_until(seconds(20.0));
        assert_eq!(gauge(&pair.left, "cwnd"), 40.0);
        pair.grant_left(0);
        pair.run_until(seconds(20.0 + rest_s));
        let before = new_segments(&pair);
        pair.grant_left(ENDLESS);
        pair.run_until(seconds(20.0 + rest_s + 0.09));
        assert_eq!(new_segments(&pair) - before, window, "after {rest_s} s");
        assert_eq!(pair.count_events(|event| event.is(tcp::events::UNUSED_WINDOW)), told, "after {rest_s} s");
        assert_eq!(gauge(&pair.left, "loss_reductions") + gauge(&pair.left, "timeouts"), 0.0);
    }
}

/// RFC 7661 section 4.4.1: the window is 40, of which four segments a round trip are used, one each 25 ms; one is lost.
/// That is known 175 ms later, by the third duplicate ACK, with seven outstanding.
#[test]
fn a_loss_brings_a_window_that_was_not_used_to_half_of_what_was() {
    for (cwnd_validation, expected) in [(CwndValidation::Rfc7661, 3.5), (CwndValidation::Rfc5681, 20.0)] {
        let config = Config {
            wnd: Some(Packets(40.0)),
            rto_min: Duration::from_secs(30),
            rto_initial: Duration::from_secs(30),
            cwnd_validation,
            ..Config::default()
        };
        let (sender, receiver) = ends(&config);
        let mut lost = false;
        let network = move |side: Side, packet: &Packet| {
            let loses = side == Side::Left && packet.sent >= seconds(25.0) && segment(packet).is_some() && !lost;
            lost |= loses;
            if loses { Fate::Lose } else { Fate::Deliver }
        };
        let mut pair = Pair::new(sender, receiver, DELAY, network);
        pair.run_until(seconds(20.0));
        pair.grant_left(0);
        pair.run_until(seconds(20.2));
        for n in 0..300 {
            pair.run_until(seconds(20.2 + 0.025 * f64::from(n)));
            pair.grant_left(1);
        }
        assert_eq!(gauge(&pair.left, "loss_reductions"), 1.0);
        // It grows again while half of it is used: five segments a round trip, those at both its ends counted.
        let window = gauge(&pair.left, "cwnd");
        let most = if cwnd_validation == CwndValidation::Rfc7661 { 2.0 * 5.0 + 1.0 } else { 22.0 };
        assert!((3.0..=most).contains(&window), "{window} {config:?}");
        let cut = pair.events.iter().find(|event| event.2.is(tcp::events::LOSS_REDUCTION)).expect("one").2;
        assert_eq!(cut.after, expected, "{config:?}");
    }
}
