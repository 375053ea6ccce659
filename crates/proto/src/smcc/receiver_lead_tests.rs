//! When the receiver that limits its layer tries the next one, by which period any does, and when one leaves for a
//! queue.

use super::*;

#[test]
fn who_limits_waits_until_its_layer_is_full_and_its_way_has_borne_that() {
    let mut hand = Hand::new(&config(), &[2_400_000.0, 4_000_000.0, 8_000_000.0]);
    hand.is_lead = true;
    hand.run(5.0, none);
    assert!(hand.member.target_bps() > 4e6, "it wants more than the layer may carry");
    assert_eq!((hand.count(JOIN_BEGUN), hand.member.level()), (0, 0));
    hand.rates_bps[0] = 4_000_000.0;
    hand.until(JOIN_SUCCEEDED, none);
    assert!((6.99..7.1).contains(&hand.now.as_secs_f64()), "{}", hand.now);
    assert_eq!((hand.gauge("counting_joins"), &hand.held[..]), (0.0, &[0, 1][..]));
}

#[test]
fn who_does_not_know_whether_it_limits_waits_for_that() {
    let mut hand = below_a_slow_one();
    hand.echoes = false;
    hand.run(2.0, none);
    assert!(hand.member.target_bps() > 4e6, "it wants more than the layer may carry");
    assert_eq!(hand.count(JOIN_WAITING), 0);
    hand.echoes = true;
    hand.until(JOIN_WAITING, none);
    assert!(hand.now < at(2.1), "{}", hand.now);
}

#[test]
fn a_way_of_one_packet_proves_nothing_and_one_of_two_does() {
    for (packets, least_s, most_s) in [(1.0, 2.0, 2.2), (2.0, 0.0, 1.0)] {
        let above_bps = 4_000_000.0 + packets * PACKET_BPS;
        let mut hand = Hand::new(&config(), &[4_000_000.0, above_bps, 8_000_000.0]);
        hand.until(JOIN_BEGUN, none);
        assert!((least_s..most_s).contains(&hand.now.as_secs_f64()), "{packets} packets: {}", hand.now);
    }
}

#[test]
fn the_period_is_that_of_the_way_without_its_queue() {
    let config = Config { rtts: vec![X, X + X], ..config() };
    let period_s = |before_s: f64| {
        let mut hand = Hand::new(&config, &[2_400_000.0, 6_400_000.0, 8_000_000.0]);
        // Nothing is to be tried yet.
        hand.is_lead = true;
        hand.run(1.0, none);
        hand.rtt = Duration::from_millis(16);
        hand.run(1.0 + before_s, none);
        hand.is_lead = false;
        hand.until(JOIN_BEGUN, none).details[2]
    };
    assert_eq!(period_s(1.0), 0.01, "8 ms, and a queue of 8 ms");
    assert_eq!(period_s(20.0), 0.02, "the way is longer now");
}

#[test]
fn a_layer_is_left_for_a_queue_as_well_but_not_at_once() {
    let mut hand = on_top();
    hand.rtt = Duration::from_millis(100);
    hand.run(hand.now.as_secs_f64() + 1.0, none);
    let mut first = true;
    hand.until(LOSS_EVENT, |sent| sent.group == 0 && core::mem::take(&mut first));
    hand.rtt = Duration::from_millis(10);
    hand.run(hand.now.as_secs_f64() + 20.0, none);
    assert_eq!(hand.member.level(), 2);
    let (queued_s, events) = (hand.now.as_secs_f64(), hand.count(LOSS_EVENT));
    hand.rtt = Duration::from_millis(2000);
    let event = hand.until(LAYER_DROPPED, none);
    assert_eq!((event.cause, hand.member.level(), hand.count(LOSS_EVENT)), (Cause::Time, 1, events));
    // And the next one a round-trip time later at the earliest.
    let first_s = hand.now.as_secs_f64();
    assert!(first_s - queued_s < 1.0);
    let settled_at = hand.member.settled_at;
    assert!(settled_at.as_secs_f64() - first_s > 0.02);
    hand.until(LAYER_DROPPED, none);
    assert!(hand.now >= settled_at);
}

#[test]
fn a_layer_must_have_been_full_since_it_was_joined() {
    // Both are full from the beginning. The way to the second is five packets, that to the third proves nothing.
    let mut hand = Hand::new(&config(), &[4_000_000.0, 8_000_000.0, 8_000_000.0]);
    hand.until(JOIN_SUCCEEDED, none);
    let first_s = hand.now.as_secs_f64();
    assert!((0.1..1.0).contains(&first_s), "{first_s}");
    hand.until(JOIN_SUCCEEDED, none);
    let second_s = hand.now.as_secs_f64();
    assert!((1.99..2.1).contains(&(second_s - first_s)), "{first_s}, {second_s}");
}
