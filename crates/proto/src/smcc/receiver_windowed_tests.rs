//! A member of a session whose layers have windows.

use super::*;
use crate::smcc::{Election, Windowed};

/// T_0 below the bound of 4 Mbit/s, T_1 and T_2 above.
const RATES_BPS: [f32; 3] = [2_400_000.0, 6_400_000.0, 10_000_000.0];

fn windowed() -> Config {
    Config { control: ControlKind::Pgmcc, ..config() }
}

/// A member of layers 0 and 1 that has come there without losses.
fn on_layer_one() -> Hand {
    let mut hand = Hand::new(&windowed(), &RATES_BPS);
    hand.until(JOIN_SUCCEEDED, none);
    // No attempt on the next one while it is looked at.
    hand.member.hold_until = at(1000.0);
    hand.run(hand.now.as_secs_f64() + 1.0, none);
    assert_eq!(hand.member.level(), 1);
    hand
}

#[test]
fn who_limits_acknowledges_each_packet_of_its_layers_and_others_none() {
    let mut hand = on_layer_one();
    assert!(hand.acks.is_empty(), "it does not limit");
    hand.is_lead = true;
    hand.run(hand.now.as_secs_f64() + 0.1, none);
    let (acks, received, start) = (hand.acks.len(), hand.member.report().received_pkts, hand.now);
    hand.run(hand.now.as_secs_f64() + 1.0, none);
    // 6.4 Mbit/s are 800 packets.
    assert_eq!(hand.acks.len() - acks, (hand.member.report().received_pkts - received) as usize);
    assert!((799..=801).contains(&(hand.acks.len() - acks)));
    let lowest = hand.due[0].1;
    let (when, ack) = *hand.acks.last().expect("there are");
    assert_eq!((ack.layer, ack.bitmap), (1, u32::MAX));
    assert!(lowest - ack.highest <= 2 && when > start);
    // The packets of the bench take no time: the stamp is that of the moment.
    assert_eq!(ack.echoed_stamp_us, (when.0 / 1000) as u32);
}

#[test]
fn the_bitmap_is_that_of_the_lowest_layer() {
    let mut hand = Hand::new(&windowed(), &RATES_BPS);
    hand.member.hold_until = at(1000.0);
    hand.is_lead = true;
    hand.run(0.5, none);
    let lost = hand.due[0].1 + 3;
    hand.run(0.6, |sent| sent.group == 0 && sent.number == lost);
    let ack = hand.acks.iter().map(|(_, ack)| ack).find(|ack| ack.highest == lost + 5).expect("it comes");
    assert_eq!((ack.bitmap, ack.layer), (!(1 << 5), 0));
}

#[test]
fn with_tfmcc_nobody_acknowledges() {
    let mut hand = Hand::new(&config(), &RATES_BPS);
    hand.is_lead = true;
    hand.run(2.0, none);
    assert!(hand.acks.is_empty() && !hand.reports.is_empty());
}

#[test]
fn a_loss_takes_a_layer_and_those_within_a_round_trip_no_more() {
    let mut hand = on_layer_one();
    let hold = hand.member.hold_until;
    // One in a hundred thousand is little, but it is a loss: X stays far above B_0.
    let lost = hand.due[0].1 + 2;
    hand.run(hand.now.as_secs_f64() + 0.05, |sent| sent.group == 0 && sent.number == lost);
    assert_eq!((hand.member.level(), hand.count(LAYER_DROPPED)), (0, 1));
    assert!(hand.member.target_bps() > 4e6, "{}", hand.member.target_bps());
    let (_, report) = hand.reports.iter().rfind(|(_, report)| report.dropped).expect("it has said so");
    assert_eq!((report.layer, hand.member.hold_until), (0, hold));
    // In the lowest layer the source answers.
    let lost = hand.due[0].1 + 2;
    hand.run(hand.now.as_secs_f64() + 1.0, |sent| sent.group == 0 && sent.number == lost);
    assert_eq!((hand.member.level(), hand.gauge("loss_events")), (0, 2.0));
}

#[test]
fn a_burst_takes_one_layer() {
    let mut hand = Hand::new(&windowed(), &RATES_BPS);
    hand.until(JOIN_SUCCEEDED, none);
    hand.until(JOIN_SUCCEEDED, none);
    hand.run(hand.now.as_secs_f64() + 1.0, none);
    assert_eq!(hand.member.level(), 2);
    // Half of what comes in 8 ms, a round trip, and for some time after the leave.
    let from = hand.now + Duration::from_millis(5);
    let until = from + Duration::from_millis(9);
    let mut now = hand.now;
    for _ in 0..40 {
        now += Duration::from_millis(1);
        let is_bad = (from..until).contains(&now);
        hand.run(now.as_secs_f64(), |sent| is_bad && sent.number % 2 == 0);
    }
    assert_eq!((hand.member.level(), hand.count(LAYER_DROPPED)), (1, 1));
}

#[test]
fn a_window_at_its_bound_goes_on_in_the_next_layer() {
    // T_0 has reached B_0; a member with losses that wants less than that, by the equation, tries all the same, and so
    // does the one that limits.
    for (rate_bps, is_lead, tries) in
        [(4_000_000.0, true, true), (4_000_000.0, false, true), (3_900_000.0, true, false)]
    {
        let mut hand = Hand::new(&windowed(), &[rate_bps, 6_400_000.0, 10_000_000.0]);
        hand.is_lead = is_lead;
        hand.rtt = Duration::from_millis(60);
        hand.member.hold_until = at(4.0);
        hand.run(4.0, |sent| sent.number % 100 == 50);
        assert!(hand.member.target_bps() < 3e6, "{}", hand.member.target_bps());
        hand.run(5.0, none);
        assert_eq!(hand.count(JOIN_WAITING) + hand.count(JOIN_BEGUN) > 0, tries, "{rate_bps} {is_lead}");
    }
}

#[test]
fn who_limits_does_not_go_on_by_the_equation_alone() {
    // Without losses X is twice what comes, above B_0; the window is below it.
    for (is_lead, tries) in [(true, false), (false, true)] {
        let mut hand = Hand::new(&windowed(), &RATES_BPS);
        hand.is_lead = is_lead;
        hand.run(3.0, none);
        assert!(hand.member.target_bps() > 4.5e6);
        assert_eq!(hand.count(JOIN_WAITING) > 0, tries, "{is_lead}");
    }
}

#[test]
fn an_empty_layer_above_a_full_one_is_joined_at_once() {
    // T_1 = T_0 = B_0: nothing is to be added.
    let mut hand = Hand::new(&windowed(), &[4_000_000.0, 4_000_000.0, 8_000_000.0]);
    hand.is_lead = true;
    let done = hand.until(JOIN_SUCCEEDED, none);
    assert_eq!((done.layer, done.details[0], hand.count(JOIN_WAITING)), (Some(1), 0.0, 0));
    assert_eq!(hand.gauge("counting_joins"), 0.0);
}

#[test]
fn members_answer_a_round_within_the_back_off_if_asked_to() {
    // R_max is 20 ms, a feedback round up to 120 ms; a packet comes each 3.3 ms.
    let quick = |election| {
        let pgmcc = Windowed { election, nak_backoff: Duration::from_millis(1), ..Windowed::default() };
        let mut hand = Hand::new(&Config { pgmcc, ..windowed() }, &RATES_BPS);
        hand.member.hold_until = at(1000.0);
        let mut quick = 0;
        hand.run(2.0, none);
        for round in 1..=30 {
            hand.round = round;
            let (start, before) = (hand.now, hand.reports.len());
            hand.run(start.as_secs_f64() + 0.5, none);
            let (first, _) = hand.reports.get(before).expect("it reports in each round");
            quick += usize::from(first.since(start) <= Duration::from_millis(5));
        }
        quick
    };
    assert_eq!(quick(Election::BackOff), 30);
    assert!(quick(Election::FeedbackRound) < 15);
}
