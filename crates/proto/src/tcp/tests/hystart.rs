//! HyStart++ over the whole machine, with every variant.

use super::alone::{Alone, CLEAR};
use super::*;

/// A sender's first slow start into a bottleneck that takes 1 ms for a packet and queues without end: the sender after
/// 6 s. The path holds 100 segments.
fn into_a_queue(config: &Config) -> Shown {
    let (sender, receiver) = ends(config);
    let mut free = Instant::ZERO;
    let network = move |side: Side, packet: &Packet| {
        if side == Side::Right {
            return Fate::Deliver;
        }
        free = free.max(packet.sent) + Duration::from_millis(1);
        Fate::Late(free.since(packet.sent))
    };
    let mut pair = Pair::new(sender, receiver, DELAY, network);
    pair.run_until(seconds(6.0));
    pair.left.shown()
}

#[test]
fn the_first_slow_start_ends_before_the_queue_is_long_with_every_variant() {
    // The window of 256 is the first whose first packet finds a queue, of 128 - 100; the eighth of its ACKs tells it.
    // Then five rounds of conservative slow start, (5/4)^5 = 3.05, since the queue stays.
    for variant in rule::VARIANTS {
        for delayed_ack in [false, true] {
            let config = |hystart| Config {
                variant: variant.clone(),
                hystart,
                delayed_ack,
                // At more than its reference Hybla has left any queue behind before a round is over.
                hybla: rule::hybla::Parameters { rtt0: Duration::from_secs(100) },
                ..Config::default()
            };
            let with = into_a_queue(&config(Some(true)));
            assert!((256.0..820.0).contains(&with.ssthresh_pkts), "{}: {with:?}", variant.name());
            let without = into_a_queue(&config(Some(false)));
            assert!(without.cwnd_pkts > 700.0 && without.ssthresh_pkts > 1e6, "{}: {without:?}", variant.name());
            let default = into_a_queue(&config(None));
            let expected = if *variant == Variant::Cubic { with } else { without };
            assert_eq!(default.cwnd_pkts, expected.cwnd_pkts, "{}", variant.name());
        }
    }
}

#[test]
fn it_sees_round_trips_as_the_ticking_clock_does() {
    // A tick is longer than the run: all round trips are one tick long. With ticks of 8 ms the queue shows.
    for (tick_ms, ends) in [(60_000, false), (8, true)] {
        let rtt_tick = Some(Duration::from_millis(tick_ms));
        let shown = into_a_queue(&Config { hystart: Some(true), rtt_tick, ..Config::default() });
        assert_eq!(shown.ssthresh_pkts < 820.0, ends, "{shown:?}");
    }
}

#[test]
fn without_a_queue_it_is_slow_start() {
    // 2, 4, 8 .. to the threshold, also with an ACK for every second segment: growth counts segments.
    for delayed_ack in [false, true] {
        let config = Config { hystart: Some(true), initial_ssthresh: Some(Packets(256.0)), ..Config::default() };
        let config = Config { delayed_ack, ..config };
        let mut pair = pair(&config, |_, _| Fate::Deliver);
        pair.run_until(seconds(0.65));
        assert_eq!(pair.left.shown().cwnd_pkts, 128.0, "{delayed_ack}");
    }
}

#[test]
fn a_loss_or_a_mark_ends_it() {
    // From then on growth counts ACKs, here for two segments each: 9, 9.5 after a time-out from 1 on.
    for fate in [Fate::Lose, Fate::Mark(Ecn::Moderate)] {
        let config = Config { hystart: Some(true), ecn: EcnMode::Ecn, ..Config::default() };
        let mut pair = pair(&config, move |number, again| if number == 20 && !again { fate } else { Fate::Deliver });
        pair.run_until(seconds(2.0));
        assert!(pair.left.shown().ssthresh_pkts < 100.0, "{:?}", pair.left.shown());
        assert!(format!("{:?}", pair.left).contains("hystart: None"));
    }
}

#[test]
fn slow_start_ends_at_the_threshold_whatever_an_ack_acknowledges() {
    // Hybla at 540 ms goes to the threshold with one ACK, and no further with an ACK of two segments or of eight; Reno
    // comes as far with eight. What the rule gives for one segment is given above it, too.
    let hybla = |rtt0_ms| rule::hybla::Parameters { rtt0: Duration::from_millis(rtt0_ms) };
    for (variant, cwnd, acked, after) in [
        (Variant::Hybla, 2.0, 2, 16.0),
        (Variant::Hybla, 8.0, 8, 16.0),
        (Variant::NewReno, 10.0, 8, 16.0),
        (Variant::NewReno, 10.0, 3, 13.0),
        (Variant::NewReno, 15.5, 8, 16.5),
    ] {
        let config = Config {
            variant: variant.clone(),
            hystart: Some(true),
            hybla: hybla(25),
            initial_cwnd: Packets(cwnd),
            initial_ssthresh: Some(Packets(16.0)),
            ..Config::default()
        };
        let (mut alone, _) = Alone::start(&config);
        alone.hear(0.54, acked, CLEAR, &[]);
        assert_eq!(alone.cwnd(), after, "{} {cwnd} {acked}", variant.name());
    }
}

#[test]
fn after_a_time_out_growth_counts_acks_again() {
    // Half of 8 is the threshold. An ACK of four segments: from one to two, not to the threshold.
    let config = Config { hystart: Some(true), initial_cwnd: Packets(8.0), ..Config::default() };
    let (mut alone, _) = Alone::start(&config);
    assert_eq!(alone.wake().1, "0r");
    alone.hear(3.1, 4, CLEAR, &[]);
    assert_eq!((alone.cwnd(), alone.shown().ssthresh_pkts), (2.0, 4.0));
}

#[test]
fn a_paced_sender_counts_all_that_an_ack_acknowledges() {
    // RFC 9406 section 4.3: L is 8, infinite with pacing.
    for (pacing, cwnd) in [(None, 28.0), (Some(tcp::pacing::Ratios::default()), 40.0)] {
        let config = Config { hystart: Some(true), initial_cwnd: Packets(20.0), pacing, ..Config::default() };
        let (mut alone, _) = Alone::start(&config);
        alone.hear(0.1, 20, CLEAR, &[]);
        assert_eq!(alone.cwnd(), cwnd);
    }
}
