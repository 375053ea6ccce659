//! Rules that estimate something of the path, in a sender that hears ACKs made by hand: Westwood, Westwood+, Hybla.

use super::alone::{Alone, CLEAR, window_of};
use super::rule::hybla;
use super::*;

/// A sender with a window of 20 whose segments have been acknowledged one by one every 10 ms, the first after 100 ms
/// and those behind it, hence, after 200 ms and more. With the time of the last ACK, and how many there were.
fn steady(config: &Config, until_s: f64) -> (Alone, f64, u32) {
    let (mut alone, _) = Alone::start(config);
    let count = ((until_s - 0.1) * 100.0) as u32;
    for number in 1..=count {
        alone.hear(0.09 + 0.01 * f64::from(number), number, CLEAR, &[]);
    }
    (alone, 0.09 + 0.01 * f64::from(count), count)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-3 * b
}

#[test]
fn after_three_duplicates_westwoods_threshold_is_bandwidth_times_least_round_trip() {
    // 100 segments/s and 100 ms, though queues have made the round trip twice as long.
    for variant in [Variant::Westwood, Variant::WestwoodPlus] {
        let config = Config { recovery: Some(Recovery::NewReno), ..window_of(20.0, variant.clone()) };
        let (mut alone, at, acked) = steady(&config, 6.0);
        let name = format!("{} {:?}", variant.name(), alone.shown());
        assert!(alone.cwnd() > 20.0 && alone.shown().srtt_s > 0.19, "{name}");
        for duplicate in 1..=3 {
            alone.hear(at + 0.01 * f64::from(duplicate), acked, CLEAR, &[]);
        }
        let shown = alone.shown();
        assert_eq!(shown.loss_reductions, 1, "{name}");
        assert!(close(shown.ssthresh_pkts, 10.0) && shown.cwnd_pkts == shown.ssthresh_pkts, "{name}: {shown:?}");
        // An ACK of all ends the recovery with that window.
        let all = alone.sent_end();
        alone.hear(at + 0.1, all, CLEAR, &[]);
        assert_eq!(alone.shown().cwnd_pkts, shown.ssthresh_pkts, "{name}");
    }
}

#[test]
fn after_a_timeout_westwood_knows_the_path_still() {
    for variant in [Variant::Westwood, Variant::WestwoodPlus] {
        let (mut alone, ..) = steady(&window_of(20.0, variant.clone()), 6.0);
        alone.wake();
        let shown = alone.shown();
        assert_eq!((shown.timeouts, shown.cwnd_pkts), (1, 1.0), "{}", variant.name());
        assert!(close(shown.ssthresh_pkts, 10.0), "{}: {shown:?}", variant.name());
    }
}

#[test]
fn westwood_answers_a_mark_as_a_loss() {
    for variant in [Variant::Westwood, Variant::WestwoodPlus] {
        let config = Config { ecn: EcnMode::Ecn, ..window_of(20.0, variant.clone()) };
        let (mut alone, at, acked) = steady(&config, 6.0);
        alone.hear(at + 0.01, acked + 1, Ecn::Moderate, &[]);
        let shown = alone.shown();
        assert_eq!((shown.ecn_reductions, shown.loss_reductions), (1, 0), "{}", variant.name());
        assert!(close(shown.cwnd_pkts, 10.0) && shown.ssthresh_pkts == shown.cwnd_pkts, "{shown:?}");
    }
}

/// A Westwood sender with a window of 4 that has heard four ACKs 2 ms apart after a round trip of one second: they
/// show a path of more than ten segments.
fn compressed(recovery: Recovery) -> (Alone, Config) {
    let config = Config { recovery: Some(recovery), ..window_of(4.0, Variant::Westwood) };
    let (mut alone, _) = Alone::start(&config);
    for number in 1..=4 {
        alone.hear(1.0 + 0.002 * f64::from(number), number, CLEAR, &[]);
    }
    (alone, config)
}

#[test]
fn a_loss_leaves_a_window_below_the_pipe_as_it_is() {
    // 4.25, 4.485, 4.708, 4.92: so it stays, whatever the recovery, and slow start goes on from there.
    for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
        let (mut alone, _) = compressed(recovery);
        let before = alone.cwnd();
        assert!((before - 4.92).abs() < 0.01, "{before}");
        for block in 1..=3_u32 {
            alone.hear(1.0 + 0.01 * f64::from(block), 4, CLEAR, &[(5, 5 + block)]);
        }
        let shown = alone.shown();
        assert_eq!((shown.loss_reductions, shown.cwnd_pkts), (1, before), "{recovery:?}");
        assert!(shown.ssthresh_pkts > 2.0 * before, "{recovery:?}: {shown:?}");
        // A partial ACK, which NewReno deflates the window for, and one of everything.
        let all = alone.sent_end();
        if recovery == Recovery::NewReno {
            alone.hear(2.0, 6, CLEAR, &[]);
        }
        alone.hear(2.1, all, CLEAR, &[]);
        assert_eq!(alone.cwnd(), before, "{recovery:?}");
        alone.hear(2.2, all + 1, CLEAR, &[]);
        assert_eq!(alone.cwnd(), before + 1.0, "{recovery:?}");
    }
}

#[test]
fn before_it_knows_the_path_westwood_halves() {
    for variant in [Variant::Westwood, Variant::WestwoodPlus] {
        let (mut alone, _) = Alone::start(&window_of(8.0, variant));
        alone.wake();
        assert_eq!((alone.cwnd(), alone.shown().ssthresh_pkts), (1.0, 4.0));
    }
}

/// Hybla with this RTT0, from a window of two.
fn hybla_config(rtt0_ms: u64) -> Config {
    Config {
        variant: Variant::Hybla,
        hybla: hybla::Parameters { rtt0: Duration::from_millis(rtt0_ms) },
        wnd: Some(Packets(64.0)),
        initial_ssthresh: Some(Packets(16.0)),
        ..Config::default()
    }
}

#[test]
fn hybla_at_twice_its_reference_adds_three_and_then_four_over_the_window() {
    let (mut alone, sent) = Alone::start(&hybla_config(270));
    assert_eq!(sent, "0 1");
    assert_eq!(alone.hear(0.54, 1, CLEAR, &[]), "2 3 4 5");
    assert_eq!(alone.cwnd(), 5.0);
    assert_eq!(alone.hear(0.54, 2, CLEAR, &[]), "6 7 8 9");
    for (number, cwnd) in [(3, 11.0), (4, 14.0), (5, 16.0), (6, 16.25), (7, 16.25 + 4.0 / 16.25)] {
        alone.hear(1.08, number, CLEAR, &[]);
        assert_eq!(alone.cwnd(), cwnd, "{number}");
    }
}

#[test]
fn hyblas_window_is_never_above_the_receivers() {
    // ρ = 21.6: slow start goes to the threshold at once, 29 more with the next ACK, and then the window is full.
    let (mut alone, _) = Alone::start(&hybla_config(25));
    alone.hear(0.54, 1, CLEAR, &[]);
    assert_eq!(alone.cwnd(), 16.0);
    alone.hear(0.54, 2, CLEAR, &[]);
    assert!(close(alone.cwnd(), 16.0 + 466.56 / 16.0), "{}", alone.cwnd());
    for number in 3..=5 {
        alone.hear(1.08, number, CLEAR, &[]);
    }
    assert_eq!(alone.cwnd(), 64.0);
}

#[test]
fn a_handshake_gives_hybla_its_first_window() {
    // 100 ms over 25 ms: four segments, or three of ρ = 3.
    for (rtt0_ms, lost, first) in [(25, 0, 4), (40, 0, 2), (200, 0, 2), (25, 1, 1)] {
        let config = Config { handshake: true, timestamps: true, ..hybla_config(rtt0_ms) };
        let (sender, receiver) = ends(&config);
        let mut syns = 0;
        let mut pair = Pair::new(sender, receiver, DELAY, |side, packet| {
            let syn = side == Side::Left && matches!(packet.header, Header::Tcp(tcp::Header::Syn));
            syns += u32::from(syn);
            if syn && syns <= lost { Fate::Lose } else { Fate::Deliver }
        });
        pair.record = true;
        pair.run_until(seconds(3.0 * f64::from(lost) + 0.15));
        let data = pair.sent.iter().filter(|(_, side, packet)| *side == Side::Left && segment(packet).is_some());
        assert_eq!(data.count(), first, "RTT0 {rtt0_ms} ms, {lost} lost");
    }
}
