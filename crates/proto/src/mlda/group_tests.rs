//! A source and its receivers, each behind a link of its own with a queue.

use super::config::{Config, RateRule, ReportsTo};
use super::header::Header;
use super::receiver_show::{JOIN_REVOKED, SHARE};
use super::{Receiver, Sender};
use crate::endpoint::Endpoint;
use crate::group_set::GroupSet;
use crate::packet::{self, FlowId, Packet};
use crate::random::Random;
use crate::scheme::Seat;
use crate::testing::group::{GROUP, Group, Who};
use crate::testing::{Fate, gauge};
use crate::time::{Duration, Instant, Rate};
use std::cell::RefCell;
use std::rc::Rc;

/// What lies before a receiver.
#[derive(Clone)]
struct Path {
    rate: Rate,
    /// Packets that wait or are sent.
    room: u32,
    /// When the last packet that was taken has been sent.
    free_at: Instant,
    loss: f64,
    /// From when to when nothing passes.
    dark: (f64, f64),
    /// Reports of the source are lost from when to when.
    deaf: (f64, f64),
}

const NEVER: (f64, f64) = (f64::INFINITY, f64::INFINITY);

fn path(kbps: u64) -> Path {
    Path { rate: Rate(1000 * kbps), room: 50, free_at: Instant::ZERO, loss: 0.0, dark: NEVER, deaf: NEVER }
}

impl Path {
    fn carry(&mut self, packet: &Packet, random: &mut Random) -> Fate {
        let now_s = packet.sent.as_secs_f64();
        let within = |(from, to): (f64, f64)| (from..to).contains(&now_s);
        let is_report = matches!(packet.header, packet::Header::Mlda(Header::SenderReport { .. }));
        if within(self.dark) || is_report && within(self.deaf) {
            return Fate::Lose;
        }
        let packet_time = self.rate.time_for(packet.size.into());
        let free_at = self.free_at.max(packet.sent);
        if free_at.since(packet.sent).0 > packet_time.0 * u64::from(self.room) {
            return Fate::Lose;
        }
        self.free_at = free_at + packet_time;
        // Errors come behind the queue.
        if random.chance(self.loss) { Fate::Lose } else { Fate::Late(self.free_at.since(packet.sent)) }
    }
}

/// A session, and what its members have joined: the network brings them nothing else.
struct Session<N> {
    group: Group<Sender, Receiver, N>,
    joined: Rc<RefCell<Vec<GroupSet>>>,
}

impl<N: FnMut(Who, Who, &Packet) -> Fate> Session<N> {
    fn run_until(&mut self, seconds: f64) {
        let joined = &self.joined;
        self.group.run_while(Instant::from_secs_f64(seconds), |group| {
            for (known, counts) in joined.borrow_mut().iter_mut().zip(&group.counts[1..]) {
                *known = counts.joined;
            }
            true
        });
    }

    /// Mean rate at which each member got data from one moment to another, as part of so many kbit/s.
    fn used(&mut self, (from_s, to_s): (f64, f64), kbps: &[f64]) -> Vec<f64> {
        let mut bytes = |at_s| -> Vec<u64> {
            self.run_until(at_s);
            self.group.members.iter().map(|member| member.report().distinct_bytes).collect()
        };
        let (before, after) = (bytes(from_s), bytes(to_s));
        let part =
            |((after, before), kbps): ((u64, &u64), &f64)| 8e-3 * (after - before) as f64 / (to_s - from_s) / kbps;
        after.into_iter().zip(&before).zip(kbps).map(part).collect()
    }
}

/// Where an endpoint sits in a session of so many members.
fn seat(who: Who, members: usize) -> Seat {
    Seat {
        flow: FlowId(0),
        own: who.address(),
        group: GROUP,
        members: members as u32,
        line_rate: Some(Rate(10_000_000)),
        random: Random::stream(7, &format!("test/{}", who.stream())),
    }
}

/// A session over these paths, 10 Mbit/s out of the source, 270 ms one way.
fn session(config: &Config, paths: Vec<Path>) -> Session<impl FnMut(Who, Who, &Packet) -> Fate + use<>> {
    session_over(config, paths, Duration::from_millis(270))
}

/// The same, so long one way.
fn session_over(
    config: &Config,
    paths: Vec<Path>,
    one_way: Duration,
) -> Session<impl FnMut(Who, Who, &Packet) -> Fate + use<>> {
    let members = paths.len();
    let endpoints = (0..members).map(|n| (Receiver::new(config, seat(Who::Receiver(n), members)), one_way));
    let mut paths = paths;
    let mut random = Random::stream(7, "test/paths");
    let joined = Rc::new(RefCell::new(vec![GroupSet::default(); members]));
    let known = Rc::clone(&joined);
    let network = move |from: Who, to: Who, packet: &Packet| match (from, to) {
        (Who::Sender, Who::Receiver(n)) if known.borrow()[n].contains(packet.destination.index() as u32) => {
            paths[n].carry(packet, &mut random)
        }
        (Who::Sender, Who::Receiver(_)) => Fate::Lose,
        _ => Fate::Deliver,
    };
    Session { group: Group::new(Sender::new(config, seat(Who::Sender, members)), endpoints.collect(), network), joined }
}

#[test]
fn a_receiver_alone_uses_between_80_and_90_parts_of_a_hundred() {
    for rate_rule in [RateRule::Lda, RateRule::Equation] {
        for layers in [1, 2, 3, 9] {
            let config = Config { rate_rule, layers, ..Config::default() };
            let mut session = session(&config, vec![path(300)]);
            session.group.start_all();
            let used = session.used((100.0, 600.0), &[300.0])[0];
            assert!((0.8..=0.905).contains(&used), "{rate_rule:?} {layers}: {used}");
            let member = &session.group.members[0];
            let bottleneck = gauge(member, "bottleneck");
            assert!((299e3..301e3).contains(&bottleneck), "{bottleneck}");
            assert_eq!(member.level(), layers as usize, "empty layers are held, too");
            // 540 ms, 13.65 ms for a packet, or what waits before it.
            assert!((0.54..0.8).contains(&gauge(member, "rtt")));
        }
    }
}

#[test]
fn a_fast_and_a_slow_receiver_get_what_they_can_take() {
    for reports_to in [ReportsTo::Sender, ReportsTo::SenderAndGroup] {
        let config = Config { reports_to, ..Config::default() };
        let mut session = session(&config, vec![path(100), path(700)]);
        session.group.start_all();
        let used = session.used((200.0, 800.0), &[100.0, 700.0]);
        assert!(used.iter().all(|used| (0.7..=0.905).contains(used)), "{reports_to:?} {used:?}");
        assert_eq!((session.group.members[0].level(), session.group.members[1].level()), (1, 3));
    }
}

#[test]
fn a_late_joiner_comes_up_though_the_base_layer_is_small() {
    // Without room for the next layer in what bounds an increase it would stay at twice the base layer's rate.
    let mut session = session(&Config::default(), vec![path(60), path(700), path(700)]);
    for who in [Who::Receiver(0), Who::Receiver(1), Who::Sender] {
        session.group.start(who);
    }
    session.run_until(200.0);
    assert_eq!((session.group.members[0].level(), session.group.members[1].level()), (1, 3));
    session.group.start(Who::Receiver(2));
    let used = session.used((500.0, 800.0), &[60.0, 700.0, 700.0]);
    assert!(used[2] > 0.7, "{used:?}");
}

#[test]
fn without_a_queue_of_its_own_the_source_bounds_it() {
    // Nothing lies between: no pair has a gap, so that R stays unknown, and what the source sends is the bound.
    let config = Config { max_rate: Some(Rate(200_000)), ..Config::default() };
    let bare = |who| Seat { line_rate: None, ..seat(who, 1) };
    let member = Receiver::new(&config, bare(Who::Receiver(0)));
    let source = Sender::new(&config, bare(Who::Sender));
    let mut group = Group::new(source, vec![(member, Duration::from_millis(50))], |_, _, _: &Packet| Fate::Deliver);
    group.start_all();
    group.run_until(Instant::from_secs_f64(400.0));
    let member = &group.members[0];
    assert!(gauge(member, "bottleneck").is_nan());
    // Twice what comes, or as the source allows no more: not beyond all bounds.
    let share_bps = member.share_bps().unwrap();
    assert!((200e3..=420e3).contains(&share_bps), "{share_bps}");
}

#[test]
fn reports_of_the_source_may_be_lost_for_minutes() {
    let mut deaf = path(300);
    deaf.deaf = (200.0, 400.0);
    let mut session = session(&Config::default(), vec![deaf, path(300)]);
    session.group.start_all();
    let used_before = session.used((100.0, 200.0), &[300.0; 2]);
    let used_deaf = session.used((200.0, 400.0), &[300.0; 2]);
    let used_after = session.used((430.0, 600.0), &[300.0; 2]);
    for used in [&used_before, &used_deaf, &used_after] {
        assert!(used.iter().all(|used| (0.75..=0.91).contains(used)), "{used_before:?} {used_deaf:?} {used_after:?}");
    }
    let missed = gauge(&session.group.members[0], "reports_missed");
    assert!((12.0..=14.0).contains(&missed), "200 s by 15 s: {missed}");
    assert_eq!(gauge(&session.group.members[1], "reports_missed"), 0.0);
}

#[test]
fn rounds_may_be_shorter_than_the_round_trip_time() {
    // 540 ms there and back, and a report is spread over up to a round: it comes up to six rounds late.
    let config = Config { report_interval: Duration::from_millis(100), ..Config::default() };
    let mut session = session(&config, vec![path(300)]);
    session.group.start_all();
    let used = session.used((60.0, 120.0), &[300.0])[0];
    assert!((0.5..=0.905).contains(&used), "{used}");
}

#[test]
fn an_outage_is_survived() {
    let mut dark = path(300);
    dark.dark = (200.0, 260.0);
    for rate_rule in [RateRule::Lda, RateRule::Equation] {
        let mut session = session(&Config { rate_rule, ..Config::default() }, vec![dark.clone(), path(300)]);
        session.group.start_all();
        session.run_until(259.0);
        let after_s = 500.0;
        let used = session.used((after_s, after_s + 300.0), &[300.0; 2]);
        assert!(used.iter().all(|used| (0.6..=0.905).contains(used)), "{rate_rule:?} {used:?}");
    }
}

#[test]
fn nine_of_ten_packets_lost_leave_a_packet_per_second() {
    let mut bad = path(300);
    bad.loss = 0.9;
    let mut session = session(&Config::default(), vec![bad]);
    session.group.start_all();
    session.run_until(600.0);
    assert!(session.group.members[0].share_bps().is_none_or(|share_bps| share_bps < 17e3));
    let sent_bps = session.group.source.rates_bps().sum::<f64>();
    assert!(sent_bps <= 20e3, "{sent_bps}");
}

#[test]
fn of_many_receivers_few_report_and_the_least_share_is_among_them() {
    const MEMBERS: usize = 200;
    let config = Config { layers: 1, bottleneck: Some(Rate(1_000_000)), ..Config::default() };
    let mut random = Random::stream(5, "test/many");
    let delays = |_: usize| Duration::from_secs_f64(random.uniform_in(0.01, 0.1));
    let delays: Vec<Duration> = (0..MEMBERS).map(delays).collect();
    let members = delays
        .into_iter()
        .enumerate()
        .map(|(n, delay)| (Receiver::new(&config, seat(Who::Receiver(n), MEMBERS)), delay));
    let network = move |from, _, packet: &Packet| {
        let is_data = packet.header.is_data() && from == Who::Sender;
        if is_data && random.chance(0.01) { Fate::Lose } else { Fate::Deliver }
    };
    let mut group = Group::new(Sender::new(&config, seat(Who::Sender, MEMBERS)), members.collect(), network);
    group.start_all();
    let mut per_round = Vec::new();
    for round in 0..12 {
        let before = gauge(&group.source, "reports");
        // The source has sized its layers by the round, and receivers have not got the next report yet.
        group.run_until(Instant::from_secs_f64(5.0 * f64::from(round) + 5.005));
        per_round.push(gauge(&group.source, "reports") - before);
        let shares = group.members.iter().filter_map(Receiver::share_bps);
        let least = shares.fold(f64::INFINITY, f64::min);
        let known = gauge(&group.source, "r_lo");
        assert!((known / least - 1.0).abs() < 1e-3 || known < least, "round {round}: {known} for {least}");
    }
    // In the first three rounds everybody without a round-trip time asks for one; 117 echoes go out in each.
    assert!(per_round[..3].iter().all(|&reports| reports <= MEMBERS as f64), "{per_round:?}");
    assert!(per_round[3..].iter().all(|&reports| (1.0..60.0).contains(&reports)), "{per_round:?}");
    assert!(group.members.iter().all(|member| member.rtt_s().is_some()));
}

#[test]
fn of_a_thousand_receivers_everybody_has_its_round_trip_time_within_the_budget() {
    const MEMBERS: usize = 1000;
    for reports_to in [ReportsTo::SenderAndGroup, ReportsTo::Sender] {
        let config = Config { layers: 1, bottleneck: Some(Rate(1_000_000)), reports_to, ..Config::default() };
        let members = (0..MEMBERS).map(|n| {
            (Receiver::new(&config, seat(Who::Receiver(n), MEMBERS)), Duration::from_millis(40 + n as u64 / 20))
        });
        // No data but one packet in a hundred: it is reports that are looked at.
        let network = move |_, _, packet: &Packet| {
            let spared = packet.header.is_data() && packet.header.number().is_some_and(|number| number % 100 != 0);
            if spared { Fate::Lose } else { Fate::Deliver }
        };
        let mut group = Group::new(Sender::new(&config, seat(Who::Sender, MEMBERS)), members.collect(), network);
        group.start_all();
        let bytes = |group: &Group<Sender, Receiver, _>| -> u64 {
            // Headers of IP and UDP count, and are in there.
            group.members.iter().map(|member| member.report().sent_bytes).sum()
        };
        group.run_until(Instant::from_secs_f64(75.0));
        let with = group.members.iter().filter(|member| member.rtt_s().is_some()).count();
        assert_eq!(with, MEMBERS, "{reports_to:?}");
        let used = 8.0 * bytes(&group) as f64 / 75.0 / 1e6;
        assert!(used < 0.0375, "{reports_to:?}: {used}");
    }
}

#[test]
fn a_late_slow_receiver_is_neither_flooded_nor_starved() {
    // One of 200 kbit/s comes to one of 1.8 Mbit/s that has had the session alone, at any time of a round.
    for join_s in [100.0, 101.3, 102.5, 104.9] {
        let paths = vec![path(1800), path(200)];
        let mut session = session_over(&Config::default(), paths, Duration::from_millis(12));
        session.group.start(Who::Sender);
        session.group.start(Who::Receiver(0));
        session.run_until(join_s);
        assert!(session.group.source.rates_bps().sum::<f64>() > 1e6);
        session.group.start(Who::Receiver(1));
        session.run_until(join_s + 25.0);
        let base_bps = session.group.source.rates_bps().next().unwrap();
        assert!(base_bps < 220e3, "{join_s}: the base layer has {base_bps}");
        let used = session.used((join_s + 40.0, join_s + 50.0), &[1800.0, 200.0]);
        let loss = gauge(&session.group.members[1], "loss");
        assert!((0.5..0.95).contains(&used[1]) && used[0] > 0.5, "{join_s}: {used:?}, {loss}");
    }
}

#[test]
fn a_source_that_starts_anew_finds_its_receivers_again() {
    let mut session = session(&Config::default(), vec![path(300)]);
    session.group.start_all();
    session.run_until(100.0);
    session.group.stop(Who::Sender);
    session.run_until(110.0);
    session.group.start(Who::Sender);
    session.run_until(112.0);
    assert_eq!(session.group.members[0].level(), 1);
    let used = session.used((250.0, 500.0), &[300.0])[0];
    assert!((0.8..=0.905).contains(&used), "{used}");
}

#[test]
fn events_tell_why_shares_and_layers_changed() {
    let mut session = session(&Config::default(), vec![path(100), path(700)]);
    session.group.start_all();
    session.run_until(300.0);
    let shares =
        session.group.events.iter().filter(|(_, who, event)| *who == Who::Receiver(0) && event.is(SHARE)).count();
    assert!((59..=61).contains(&shares), "one per report: {shares}");
    let revoked = session.group.events.iter().filter(|(_, _, event)| event.is(JOIN_REVOKED)).count();
    let counted: f64 = session.group.members.iter().map(|member| gauge(member, "joins_revoked")).sum();
    assert_eq!(revoked as f64, counted);
}
