//! Hosts that cannot join groups, or lose them.

use super::battery::{check_counts, session, settings};
use super::*;
use crate::endpoint::{Event, LAYER_ADDED};
use crate::group_set::Role;
use crate::packet::{Address, Header, Packet};
use crate::random::Random;
use crate::testing::group::{GROUP, Group, Who};
use crate::testing::{Fate, gauge};
use crate::time::Duration;
use crate::{pgmcc, tfmcc};
use std::collections::BTreeSet;

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

/// The groups of a scheme that carry layers, the lowest first, and whether a member holds several.
fn layers(config: &SchemeConfig) -> Vec<u32> {
    let groups = (0..).zip(config.groups());
    groups.filter(|(_, group)| matches!(group.role, Role::Layer(_))).map(|(number, _)| number).collect()
}

fn group_of(number: u32) -> Address {
    Address::group(GROUP.index() as u32 + number)
}

fn holds<N>(group: &Group<SchemeSender, SchemeReceiver, N>, who: Who, number: u32) -> bool {
    group.counts[who.address().index()].joined.contains(GROUP.index() as u32 + number)
}

#[test]
fn every_scheme_stands_joins_that_fail_and_memberships_that_are_lost() {
    for config in settings() {
        for seed in 1..=2 {
            let name = format!("seed {seed} {config:?}");
            let mut random = Random::stream(seed, "test/unjoined");
            let mut refusals = Random::stream(seed, "test/refused");
            let network = |_, _, _: &Packet| Fate::Deliver;
            let mut group = session(&config, seed, network).with_failing_joins(move |_, _| refusals.chance(0.2));
            group.record = false;
            group.pester = true;
            group.start_all();
            let count = config.groups().len() as u32;
            for tenth in 1..=300 {
                group.run_until(at(0.1 * f64::from(tenth)));
                let who = Who::Receiver((random.uniform() * group.members.len() as f64) as usize);
                if random.chance(0.1) {
                    // Whether it has the group or not.
                    group.unjoin(who, group_of((random.uniform() * f64::from(count)) as u32));
                }
                let is_gone = group.counts[who.address().index()].joined.is_empty();
                if is_gone && group.endpoint(who).deadline().is_none() {
                    group.start(who);
                } else if random.chance(0.05) {
                    group.stop(who);
                }
                check_counts(&group, &name);
            }
            for who in group.everyone() {
                group.stop(who);
            }
            group.run_until(at(120.0));
            for who in group.everyone() {
                assert!(group.counts[who.address().index()].joined.is_empty(), "{name}: {who:?} has not left");
                assert_eq!(group.endpoint(who).deadline(), None, "{name}: {who:?} goes on");
            }
        }
    }
}

#[test]
fn a_layer_that_is_lost_goes_with_those_above_and_no_loss_is_counted() {
    let mut schemes = BTreeSet::new();
    for config in settings() {
        let numbers = layers(&config);
        if numbers.len() < 2 {
            continue;
        }
        // From 20 s on the second layer and all above cannot be had.
        let second = numbers[1];
        let mut group = session(&config, 1, |_, _, _: &Packet| Fate::Deliver);
        group.record = false;
        group.start_all();
        group.run_until(at(20.0));
        let who = Who::Receiver(2);
        let held_before = holds(&group, who, second);
        group = group.with_failing_joins(move |who, group| {
            who == Who::Receiver(2) && numbers[1..].contains(&(group.index() as u32 - GROUP.index() as u32))
        });
        if held_before {
            schemes.insert(config.name());
            group.unjoin(who, group_of(second));
        }
        let mut most_tries = 0;
        for tenth in 1..=200 {
            let above = layers(&config)[1..].iter().filter(|&&number| holds(&group, who, number)).count();
            assert_eq!(above, 0, "{config:?}");
            group.run_until(at(20.0 + 0.1 * f64::from(tenth)));
            let added = |(_, other, event): &&(Instant, Who, Event)| *other == who && event.is(LAYER_ADDED);
            most_tries = group.events.iter().filter(added).count();
        }
        // It tries again, but not all the time.
        // Layer blocking each 0.3 s in one of the settings; the others wait longer, RLM longer each time.
        let most = if config.name() == "layer-blocking" { 72 } else { 30 };
        assert!(most_tries <= most, "{most_tries} tries: {config:?}");
        let member = &group.members[2];
        for shown in ["missed", "loss_events"] {
            if member.gauges().iter().any(|gauge| gauge.name == shown) {
                assert_eq!(gauge(member, shown), 0.0, "{shown}: {config:?}");
            }
        }
        let got = |group: &Group<SchemeSender, SchemeReceiver, _>| group.members[2].report().distinct_bytes;
        let before = got(&group);
        group.run_until(at(45.0));
        assert!(!held_before || got(&group) > before || !holds(&group, who, 0), "nothing of the base: {config:?}");
    }
    assert_eq!(Vec::from_iter(schemes), ["layer-blocking", "layered-cbr", "mlda", "rlm", "smcc"]);
}

#[test]
fn a_member_without_its_only_group_goes_says_so_and_may_start_again() {
    let most = Some(Rate(2_000_000));
    let tfmcc = SchemeConfig::Tfmcc(tfmcc::Config { max_rate: most, ..Default::default() });
    let pgmcc = SchemeConfig::Pgmcc(pgmcc::Config { max_rate: most, ..Default::default() });
    for config in [tfmcc, pgmcc] {
        // Member 4 loses most, so it is the one that limits.
        let mut random = Random::stream(3, "test/loss");
        let network = move |_, to, packet: &Packet| {
            let lost = to == Who::Receiver(4) && packet.is_data() && random.chance(0.05);
            if lost { Fate::Lose } else { Fate::Deliver }
        };
        let mut group = session(&config, 1, network);
        group.start_all();
        group.run_until(at(60.0));
        let limits = Who::Receiver(4);
        let before = group.sent.len();
        group.unjoin(limits, GROUP);
        let says_so = group.sent[before..].iter().any(|(_, who, packet)| {
            let leaves = match packet.header {
                Header::Tfmcc(tfmcc::Header::Feedback(feedback)) => feedback.leave,
                Header::Pgmcc(pgmcc::Header::Ack(ack)) => ack.leave,
                _ => false,
            };
            *who == limits && leaves
        });
        assert!(says_so, "{config:?}");
        group.run_until(at(90.0));
        assert!(!holds(&group, limits, 0) && group.endpoint(limits).deadline().is_none(), "{config:?}");
        let got = |group: &Group<SchemeSender, SchemeReceiver, _>| group.endpoint(limits).report().distinct_bytes;
        let without = got(&group);
        group.start(limits);
        group.run_until(at(90.0) + Duration::from_secs(10));
        assert!(got(&group) > without, "{config:?}");
    }
}
