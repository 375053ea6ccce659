//! Who is honest is not barred, whatever the network does to what it gets and says; who does not acknowledge is.

use super::group_tests::{Network, at, is_data, session};
use super::sender_tests::{A, B, Bench};
use super::*;
use crate::endpoint::{Endpoint, Input, RECEIVER_EXCLUDED};
use crate::packet::{self, Ecn};
use crate::testing::Fate;
use crate::testing::group::{Group, Who};
use crate::time::{Duration, Rate};

/// How often a receiver was barred so far.
fn bars<S: Endpoint, M: Endpoint, N>(group: &Group<S, M, N>) -> usize {
    group.events.iter().filter(|(_, _, event)| event.is(RECEIVER_EXCLUDED)).count()
}

/// The same in an hour.
fn in_an_hour(config: &Config, delays_s: &[f64], network: Network<'_>) -> usize {
    let mut group = session(config, 1, delays_s, network);
    group.start_all();
    group.run_until(at(3600.0));
    bars(&group)
}

/// The last of these receivers loses this part of data, the others 1 %; of what they say this part is lost.
fn both_ways(members: usize, loss: f64, back: f64) -> Network<'static> {
    Box::new(move |_, to, random, _| {
        let part = match to {
            Who::Sender => back,
            Who::Receiver(n) if n + 1 == members => loss,
            Who::Receiver(_) => 0.01,
        };
        if random.chance(part) { Fate::Lose } else { Fate::Deliver }
    })
}

#[test]
fn losses_bar_nobody_up_to_three_of_ten() {
    for members in [1, 3] {
        for (loss, back) in [(0.02, 0.2), (0.1, 0.2), (0.2, 0.1), (0.3, 0.0)] {
            let found = in_an_hour(&Config::default(), &[0.025; 3][..members], both_ways(members, loss, back));
            assert_eq!(found, 0, "{members} members, {loss} of data and {back} of ACKs");
        }
    }
}

#[test]
fn order_copies_and_marks_bar_nobody() {
    for loss_weight in [0.001, 500.0 / 65536.0, 0.2, 0.8, 0.999_999_9] {
        for (late_ms, part) in [(20, 0.1), (300, 0.05), (1000, 0.02)] {
            let config = Config { loss_weight, ecn: true, ..Config::default() };
            let network: Network<'_> = Box::new(move |_, to, random, packet| {
                let draw = random.uniform();
                if draw < part {
                    Fate::Late(Duration::from_millis(late_ms))
                } else if draw < part + 0.05 {
                    Fate::Twice
                } else if is_data(packet) && draw < part + 0.06 {
                    Fate::Mark(Ecn::Moderate)
                } else if to != Who::Sender && draw < part + 0.061 {
                    Fate::Lose
                } else {
                    Fate::Deliver
                }
            });
            assert_eq!(in_an_hour(&config, &[0.025, 0.04], network), 0, "c = {loss_weight}, late by {late_ms} ms");
        }
    }
}

#[test]
fn a_path_that_becomes_much_shorter_bars_nobody() {
    // What was under way comes after what is sent then, more of it than a bitmap shows.
    let config = Config { max_rate: Some(Rate(20_000_000)), ..Config::default() };
    let network: Network<'_> = Box::new(|_, to, random, packet| match to {
        Who::Receiver(_) if random.chance(0.0001) => Fate::Lose,
        _ if ((packet.sent.as_secs_f64() / 50.0) as u64).is_multiple_of(2) => Fate::Late(Duration::from_millis(250)),
        _ => Fate::Deliver,
    });
    assert_eq!(in_an_hour(&config, &[0.025], network), 0);
}

#[test]
fn numbers_that_wrap_around_and_ackers_that_come_go_and_change_bar_nobody() {
    let mut group = session(&Config::default(), 1, &[0.02, 0.05, 0.08], both_ways(3, 0.01, 0.05));
    group.source.begin_at(u64::from(u32::MAX) - 5000);
    group.start(Who::Receiver(0));
    group.start(Who::Sender);
    for turn in 0..40 {
        let who = Who::Receiver(1 + turn % 2);
        group.start(who);
        group.run_until(group.now() + Duration::from_secs(20));
        group.stop(who);
    }
    let changes = group.events.iter().filter(|(_, _, event)| event.is(LIMITING_RECEIVER)).count();
    let wrapped = group.source.control().next() > 1 << 32;
    assert!(wrapped && changes > 80, "{changes} changes, wrapped around {wrapped}");
    assert_eq!(bars(&group), 0);
}

#[test]
fn an_acker_whose_link_fails_for_a_minute_comes_back() {
    let mut group = session(
        &Config::default(),
        1,
        &[0.025; 3],
        Box::new(|from, to, random, packet| {
            let is_last = [from, to].contains(&Who::Receiver(2));
            let fails = is_last && (100.0..160.0).contains(&packet.sent.as_secs_f64());
            let part = if to == Who::Sender { 0.0 } else { [0.001, 0.05][usize::from(is_last)] };
            if fails || random.chance(part) { Fate::Lose } else { Fate::Deliver }
        }),
    );
    group.start_all();
    let last = Some(Who::Receiver(2).address());
    for (until_s, is_acker) in [(99.0, true), (150.0, false), (170.0, true)] {
        group.run_until(at(until_s));
        assert_eq!(group.source.acker() == last, is_acker, "{until_s} s");
    }
    assert_eq!(bars(&group), 0);
}

#[test]
fn who_is_alone_and_loses_nearly_all_is_served_on() {
    // It looks like one that does not acknowledge; as nobody else does, that is of no use.
    let pkts = [Duration::from_secs(60), Duration::from_secs(1_000_000), Duration::ZERO].map(|bar| {
        let mut group = session(&Config { bar, ..Config::default() }, 1, &[0.025], both_ways(1, 0.7, 0.5));
        group.start_all();
        group.run_until(at(3600.0));
        assert_eq!(bars(&group) > 0, bar > Duration::ZERO);
        group.members[0].report().received_pkts as f64
    });
    assert!(pkts[0] > 0.8 * pkts[2] && pkts[1] > 0.8 * pkts[2], "{pkts:?}");
}

#[test]
fn who_gets_everything_and_acknowledges_nothing_is_barred_and_the_others_go_on() {
    let pkts = [60, 0].map(|bar_s| {
        let config = Config { bar: Duration::from_secs(bar_s), ..Config::default() };
        let mut group = session(
            &config,
            1,
            &[0.025; 3],
            Box::new(|from, to, random, packet| {
                let is_ack = matches!(packet.header, packet::Header::Pgmcc(Header::Ack(_)));
                let part = if to == Who::Sender { 0.0 } else { 0.01 + 0.1 * f64::from(to == Who::Receiver(2)) };
                if from == Who::Receiver(2) && is_ack || random.chance(part) { Fate::Lose } else { Fate::Deliver }
            }),
        );
        group.start_all();
        group.run_until(at(600.0));
        assert_eq!(bars(&group) > 5, bar_s > 0);
        group.members[0].report().received_pkts
    });
    assert!(pkts[0] > 5 * pkts[1], "{pkts:?}");
}

#[test]
fn an_acker_silent_in_four_terms_is_barred_and_one_acknowledgement_ends_the_count() {
    for (acknowledges, barred) in [(false, true), (true, false)] {
        let (mut bench, mut now) = (Bench::started(&Config::default()), 0.0);
        for term in 0..4 {
            assert_eq!(bench.source.acker(), Some(A), "{term}");
            while bench.source.acker() == Some(A) {
                now = bench.source.deadline().expect("a packet is outstanding").as_secs_f64();
                bench.input(now, Input::Timeout);
            }
            // The election's packet is one that it has got.
            now += 0.1;
            let last = bench.source.control().next() as u32 - 1;
            bench.nak(now, A, 0.1, 0.01, last, None);
            if acknowledges && term == 2 {
                bench.ack(now + 0.1, A, 0.1, 0.01, last + 1);
            }
        }
        assert_eq!(bench.source.acker(), (!barred).then_some(A));
        let told = bench.events.iter().filter(|event| event.is(RECEIVER_EXCLUDED)).count();
        assert_eq!(told, usize::from(barred));
        if barred {
            // Nobody else is there: after two time-outs it is better than nobody.
            let last = bench.source.control().next() as u32 - 1;
            let [first, second] = [(), ()].map(|()| {
                let expiry = bench.source.deadline().expect("a packet asks for an acker").as_secs_f64();
                bench.input(expiry, Input::Timeout);
                expiry
            });
            assert!(second - first > 3.0);
            bench.nak(second + 0.1, A, 0.1, 0.01, last + 2, None);
            assert_eq!(bench.source.acker(), Some(A));
        }
    }
}

#[test]
fn who_is_barred_elects_nobody_and_closes_nothing() {
    let mut bench = Bench::started(&Config::default());
    bench.ack(1.2, A, 0.1, 0.01, 1);
    bench.ack(1.3, A, 0.1, 0.9, 2);
    assert_eq!((bench.source.acker(), bench.source.control().outstanding()), (None, 1));
    bench.nak(1.4, B, 0.1, 0.01, 2, None);
    assert_eq!(bench.source.acker(), Some(B));
    bench.nak(1.5, A, 0.1, 0.9, 2, None);
    let next = bench.source.control().next();
    bench.ack(1.6, A, 0.1, 0.9, next as u32 - 1);
    assert_eq!((bench.source.acker(), bench.source.control().next()), (Some(B), next));
    // The bar ends after 60 s.
    let mut now = 1.7;
    while now < 61.2 {
        bench.ack(now, B, 0.1, 0.01, bench.source.control().next() as u32 - 1);
        now += 0.5;
    }
    bench.nak(61.25, A, 0.1, 0.9, bench.source.control().next() as u32 - 1, None);
    assert_eq!(bench.source.acker(), Some(B));
    bench.nak(61.35, A, 0.1, 0.9, bench.source.control().next() as u32 - 1, None);
    assert_eq!(bench.source.acker(), Some(A));
}

#[test]
fn an_acker_whose_throughput_is_of_no_use_is_one_no_longer() {
    // The TCP equation has 1 Mbit/s at 100 ms and 1 %, and 32 kbit/s at 100 ms and 30 %.
    for (exclude_below, acker) in [(None, Some(A)), (Some(Rate(50_000)), None), (Some(Rate(10_000)), Some(A))] {
        let mut bench = Bench::started(&Config { exclude_below, ..Config::default() });
        bench.nak(1.2, A, 0.1, 0.3, 0, Some(0));
        assert_eq!(bench.source.acker(), acker, "{exclude_below:?}");
        let told = bench.events.iter().filter(|event| event.is(RECEIVER_EXCLUDED)).count();
        assert_eq!(told, usize::from(acker.is_none()));
        // It is heeded when it is better, and who loses nothing takes nobody's place.
        let last = bench.source.control().next() as u32 - 1;
        bench.nak(1.3, A, 0.1, 0.01, last, None);
        bench.nak(1.4, B, 0.2, 0.0, last, None);
        assert_eq!(bench.source.acker(), Some(A));
    }
}
