//! Members with the real source, over networks by hand.

use super::super::{Config, JOIN_ABANDONED, JOIN_BEGUN, JOIN_FAILED, JOIN_SUCCEEDED, Sender};
use super::*;
use crate::endpoint::{LAYER_ADDED, LAYER_DROPPED};
use crate::packet::FlowId;
use crate::scheme::Scheme;
use crate::testing::Fate;
use crate::testing::group::{GROUP, Group, Who};
use crate::tfmcc::RATE;
use crate::time::Rate;

#[path = "receiver_hostile_tests.rs"]
mod hostile;
#[path = "receiver_link_tests.rs"]
mod links;

fn seat(who: Who) -> Seat {
    let random = Random::stream(7, &format!("test/{}", who.stream()));
    Seat { flow: FlowId(0), own: who.address(), group: GROUP, members: 2, line_rate: None, random }
}

/// Members at these delays from the source.
fn session<N: FnMut(Who, Who, &Packet) -> Fate>(config: &Config, ms: &[u64], network: N) -> Group<Sender, Receiver, N> {
    assert_eq!(config.check(), []);
    let member = |(n, &ms): (usize, &u64)| (*config.receiver(seat(Who::Receiver(n))), Duration::from_millis(ms));
    Group::new(config.sender(seat(Who::Sender)), ms.iter().enumerate().map(member).collect(), network)
}

/// Loses this share of what goes to each member.
fn lossy<const N: usize>(shares: [f64; N]) -> impl FnMut(Who, Who, &Packet) -> Fate {
    let mut random = Random::stream(1, "test/loss");
    move |_, to, _| {
        let Who::Receiver(n) = to else { return Fate::Deliver };
        if random.chance(shares[n]) { Fate::Lose } else { Fate::Deliver }
    }
}

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

fn layers(count: u32, phases: u32) -> Config {
    Config { base_rate: Some(Rate(1_000_000)), layers: Some(count), phases, ..Config::default() }
}

fn count<S, M, N>(group: &Group<S, M, N>, who: Who, kind: &EventKind) -> usize {
    group.events.iter().filter(|(_, from, event)| *from == who && event.is(kind)).count()
}

use crate::endpoint::EventKind;

/// The first loses a tenth and holds the lowest layer at some 0.5 Mbit/s, half of B_0 or less: the second is never sent
/// what twice of would be more than B_0 by far, and has no loss.
#[test]
fn a_loss_free_member_below_a_slow_lead_climbs() {
    for (phases, ms) in [(1, [20, 20]), (2, [20, 20]), (2, [20, 3]), (2, [30, 110])] {
        let mut group = session(&layers(3, phases), &ms, lossy([0.1, 0.0]));
        group.start(Who::Sender);
        group.start(Who::Receiver(0));
        group.run_until(at(20.0));
        group.start(Who::Receiver(1));
        group.run_until(at(60.0));
        // The mean of half a minute.
        let mut slow_bps = 0.0;
        for n in 1..=60 {
            group.run_until(at(60.0 + 0.5 * f64::from(n)));
            slow_bps += group.source.rate_bps(0) / 60.0;
        }
        assert!(slow_bps < 0.7e6, "{slow_bps}");
        let member = &group.members[1];
        assert_eq!((member.level(), member.counts.failed, member.loss_event_rate()), (2, 0, 0.0), "{phases} {ms:?}");
        assert_eq!(group.source.lead(2), Some(Who::Receiver(1).address()));
        assert!(group.source.rate_bps(2) > 3.9e6);
        // It had to add packets for the first layer at least, and none was taken for lost.
        assert!(member.counts.counting_joins >= 2, "{:?}", member.counts);
        assert_eq!(member.counts.counting_joins, member.counts.counting_leaves);
        let x = if ms[1] == 110 {
            0.256
        } else if ms[1] == 3 {
            0.032
        } else {
            0.064
        };
        let of_one = |(_, who, event): &&(Instant, Who, Event)| *who == Who::Receiver(1) && event.is(JOIN_SUCCEEDED);
        let periods: Vec<f64> = group.events.iter().filter(of_one).map(|(_, _, event)| event.details[2]).collect();
        assert!(periods.contains(&x), "{periods:?}, not {x}");
        // The first stays where it is.
        assert_eq!((group.members[0].level(), count(&group, Who::Receiver(0), LAYER_ADDED)), (0, 1));
    }
}

#[test]
fn every_attempt_has_one_end_and_levels_move_one_by_one() {
    // About what B_0 and B_1 are: they go up and down.
    let mut group = session(&layers(4, 2), &[20, 40, 80], lossy([0.02, 0.004, 0.002]));
    group.start_all();
    group.run_until(at(120.0));
    let mut seen = 0;
    for n in 0..3 {
        let member = &group.members[n];
        let of = |kind| count(&group, Who::Receiver(n), kind);
        let abandoned = of(JOIN_ABANDONED);
        let begun = of(JOIN_BEGUN);
        assert_eq!([begun, of(JOIN_SUCCEEDED), of(JOIN_FAILED)].map(|count| count as u64), {
            let counts = member.counts;
            [counts.attempts, counts.succeeded, counts.failed]
        });
        assert!(of(JOIN_SUCCEEDED) + of(JOIN_FAILED) + abandoned + 1 >= begun);
        assert_eq!(of(LAYER_ADDED), of(JOIN_SUCCEEDED) + 1);
        assert_eq!(of(LAYER_ADDED) - of(LAYER_DROPPED), member.level() + 1);
        seen += of(LAYER_DROPPED);
        // One at a time, and never twice within the round-trip time of a loss event.
        let moves = group
            .events
            .iter()
            .filter(|(_, who, event)| *who == Who::Receiver(n) && (event.is(LAYER_ADDED) || event.is(LAYER_DROPPED)));
        let drops: Vec<(Instant, f64)> = moves.map(|&(when, _, event)| (when, event.after - event.before)).collect();
        assert!(drops.iter().all(|&(_, by)| by.abs() == 1.0));
        for pair in drops.windows(2).filter(|pair| pair[0].1 < 0.0) {
            assert!(pair[1].0.since(pair[0].0).as_secs_f64() > 0.9 * [0.04, 0.08, 0.16][n], "{pair:?}");
        }
    }
    assert!(seen > 2, "{seen}");
}

#[test]
fn at_ninety_percent_loss_a_member_stays_in_the_lowest_layer_and_harms_no_other() {
    let mut group = session(&layers(3, 1), &[20, 20], lossy([0.9, 0.0]));
    group.start_all();
    group.run_until(at(100.0));
    assert_eq!((group.members[0].level(), group.members[1].level()), (0, 2));
    assert!(group.source.rate_bps(2) > 3.9e6);
    // It limits the lowest layer whenever it is heard of.
    let slow = |(_, _, event): &(Instant, Who, Event)| event.is(RATE) && event.layer == Some(0) && event.after < 50e3;
    assert!(group.events.iter().any(slow));
}

#[test]
fn members_come_late_go_and_come_again() {
    let mut group = session(&layers(3, 1), &[20, 20], lossy([0.0, 0.0]));
    group.start(Who::Sender);
    group.start(Who::Receiver(0));
    group.run_until(at(30.0));
    group.start(Who::Receiver(1));
    group.run_until(at(40.0));
    assert_eq!(group.members.iter().map(Receiver::level).collect::<Vec<_>>(), [2, 2]);
    group.stop(Who::Receiver(1));
    group.stop(Who::Receiver(0));
    group.run_until(at(60.0));
    assert!(group.counts[1..].iter().all(|counts| counts.joined.is_empty() && counts.handed_pkts > 1000));
    group.start(Who::Receiver(1));
    group.run_until(at(90.0));
    assert_eq!((group.members[1].level(), group.counts[2].joined.len()), (2, 3));
}

#[test]
fn a_layer_behind_a_block_is_left_and_tried_again_after_a_minute() {
    let network = |_, to, packet: &Packet| {
        let blocked = to == Who::Receiver(0) && packet.destination.index() == GROUP.index() + 1;
        if blocked { Fate::Lose } else { Fate::Deliver }
    };
    let mut group = session(&layers(3, 1), &[20, 20], network);
    group.start_all();
    let mut most = 0;
    for step in 0..1000 {
        group.run_until(at(0.1 * f64::from(step)));
        let joined = group.counts[1].joined;
        let held = joined & crate::group_set::GroupSet::all(3);
        assert_eq!(held, crate::group_set::GroupSet::all(held.len()), "no gap");
        most = most.max(held.len());
    }
    let left = count(&group, Who::Receiver(0), LAYER_DROPPED);
    assert!((1..=4).contains(&left) && most >= 2, "{left} {most}");
    assert_eq!(group.members[1].level(), 2);
}

/// One that has not measured its round-trip time computes with R_max, half a second at first: by that a climb would
/// take a minute, and the wait before it another.
#[test]
fn late_members_climb_as_soon_as_their_round_trip_lets_them() {
    for phases in [1, 2] {
        let ms = [6, 8, 15, 35];
        let mut group = session(&layers(4, phases), &ms, lossy([0.0; 4]));
        group.start(Who::Sender);
        for n in 0..ms.len() {
            group.run_until(at(1.7 * n as f64));
            group.start(Who::Receiver(n));
        }
        group.run_until(at(60.0));
        let levels: Vec<usize> = group.members.iter().map(Receiver::level).collect();
        let reached = |kind| (0..4).map(|n| count(&group, Who::Receiver(n), kind)).sum::<usize>();
        assert_eq!((levels, reached(JOIN_FAILED)), (vec![3; 4], 0), "{phases}");
        assert!(group.members.iter().all(|member| member.loss_event_rate() == 0.0));
    }
}
