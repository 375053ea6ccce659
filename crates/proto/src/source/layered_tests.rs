//! Layers of constant rates and who holds them.

use super::layered::{Announce, Config, Header, Step};
use crate::endpoint::{Action, Endpoint, Input, LAYER_ADDED, LAYER_DROPPED, Outbox};
use crate::group_set::{GroupPlan, Role, Senders};
use crate::packet::{self, Ecn, FlowId, Packet};
use crate::quantity::Bytes;
use crate::random::Random;
use crate::scheme::{Scheme, Seat};
use crate::testing::group::{GROUP, Group, Who};
use crate::testing::{Fate, gauge};
use crate::time::{Duration, Instant, Rate};

fn seat(who: Who) -> Seat {
    let random = Random::stream(1, &format!("test/{}", who.stream()));
    Seat { flow: FlowId(0), own: who.address(), group: GROUP, members: 2, line_rate: None, random }
}

fn step(seconds: u64, level: u32) -> Step {
    Step { after: Duration::from_secs(seconds), level }
}

#[test]
fn members_get_the_layers_that_they_hold() {
    // 10, 20 and 40 packets per second.
    let config = Config {
        rates: vec![Rate(80_000), Rate(160_000), Rate(320_000)],
        level: Some(1),
        climb: vec![step(10, 3), step(20, 2), step(30, 0), step(40, 1)],
        ..Config::default()
    };
    assert_eq!(config.check(), []);
    let still = Config { climb: vec![], level: None, ..config.clone() };
    let members = vec![
        (config.receiver(seat(Who::Receiver(0))), Duration::from_millis(50)),
        (still.receiver(seat(Who::Receiver(1))), Duration::from_millis(50)),
    ];
    // Every tenth packet of layer 1 is lost on its way to the second member.
    let network = |_: Who, to: Who, packet: &Packet| match packet.header {
        packet::Header::LayeredCbr(Header::Data { layer: 1, sequence })
            if to == Who::Receiver(1) && sequence % 10 == 9 =>
        {
            Fate::Lose
        }
        _ => Fate::Deliver,
    };
    let mut group = Group::new(config.sender(seat(Who::Sender)), members, network);
    group.pester = true;
    group.start_all();
    let mut received = Vec::new();
    for end_s in [5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0, 45.0, 50.0] {
        group.run_until(Instant::from_secs_f64(end_s));
        received.push(group.members[0].report().received_pkts);
    }
    // In five seconds each; the last ones of a layer are under way when it is left, the first when it is joined.
    let per_slot: Vec<u64> = received.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let expected = [50, 350, 350, 150, 150, 0, 0, 50, 50];
    assert!(per_slot.iter().zip(expected).all(|(got, wanted)| got.abs_diff(wanted) <= 3), "{per_slot:?}");
    assert_eq!((gauge(&group.members[0], "missed"), group.counts[1].joined.len()), (0.0, 1));
    // 20 packets per second for 50 s and one at its start, of those every tenth.
    assert_eq!(gauge(&group.members[1], "missed"), 99.0);
    let levels: Vec<(&str, f64, f64, Option<u8>)> = group
        .events
        .iter()
        .filter(|(_, who, event)| *who == Who::Receiver(0) && (event.is(LAYER_ADDED) || event.is(LAYER_DROPPED)))
        .map(|(_, _, event)| (event.kind.name, event.before, event.after, event.layer))
        .collect();
    let added = |layer: u8| ("layer-added", f64::from(layer), f64::from(layer) + 1.0, Some(layer));
    let dropped = |layer: u8| ("layer-dropped", f64::from(layer) + 1.0, f64::from(layer), Some(layer));
    assert_eq!(levels, [added(0), added(1), added(2), dropped(2), dropped(1), dropped(0), added(0)]);
}

#[test]
fn what_members_hold_is_integrated_over_their_climb() {
    let rates = vec![Rate(80_000), Rate(160_000), Rate(320_001)];
    let config = Config { rates, level: Some(1), climb: vec![step(10, 3), step(20, 0)], ..Config::default() };
    let rate = |seconds| config.steady_rate(Duration::from_secs(seconds)).map(|rate| rate.0);
    // 80 kbit/s for 10 s, 560 001 bit/s for up to 10 s, then nothing.
    assert_eq!([5, 10, 15, 20, 40].map(rate), [80_000, 80_000, 240_000, 320_001, 160_000].map(Some));
    assert_eq!(
        Config { climb: vec![], level: None, ..config }.steady_rate(Duration::from_secs(7)),
        Some(Rate(560_001))
    );
    // Of other schemes it is all that they send.
    let cbr = super::cbr::Config { rate: Rate(7_654_321), ..Default::default() };
    assert_eq!(Scheme::steady_rate(&cbr, Duration::from_secs(7)), Some(Rate(7_654_321)));
}

#[test]
fn members_tell_each_other_of_their_levels_where_they_are_told_to() {
    // Each goes twice to another level and hears twice of the other's; at the stop it goes to 0.
    for (announce, groups) in [(Announce::Apart, 3), (Announce::Base, 2)] {
        let config = Config {
            rates: vec![Rate(80_000), Rate(160_000)],
            level: Some(1),
            climb: vec![step(1, 2)],
            announce: Some(announce),
            ..Config::default()
        };
        assert_eq!((config.check(), config.groups().len()), (vec![], groups));
        assert_eq!(GroupPlan::complaint(&config.groups()), None);
        let senders: Vec<Senders> = config.groups().iter().map(|group| group.senders).collect();
        match announce {
            Announce::Apart => {
                assert_eq!(senders, [Senders::Source, Senders::Source, Senders::Members]);
                assert_eq!(config.groups()[2].role, Role::Control);
            }
            Announce::Base => assert_eq!(senders, [Senders::All, Senders::Source]),
        }
        let member = |n| (config.receiver(seat(Who::Receiver(n))), Duration::from_millis(50));
        let mut group =
            Group::new(config.sender(seat(Who::Sender)), vec![member(0), member(1)], |_, _, _: &_| Fate::Deliver);
        group.start_all();
        group.run_until(Instant::from_secs_f64(2.0));
        group.stop(Who::Receiver(0));
        group.run_until(Instant::from_secs_f64(3.0));
        let shown = [0, 1].map(|n| (gauge(&group.members[n], "announcements"), group.members[n].report().sent_bytes));
        assert_eq!(shown, [(2.0, 3 * 47), (3.0, 2 * 47)], "{announce:?}");
        assert_eq!([0, 1].map(|n| group.counts[n + 1].joined.len()), [0, groups as u32], "{announce:?}");
        // What members say is no data.
        let report = group.members[1].report();
        assert_eq!(report.received_bytes - report.distinct_bytes, 3 * 47);
        assert_eq!(gauge(&group.members[1], "missed"), 0.0);
    }
}

#[test]
fn numbers_wrap_and_late_packets_and_repeats_are_told_apart() {
    let mut member = Config::default().receiver(seat(Who::Receiver(0)));
    let mut out = Outbox::new();
    member.handle(Instant::ZERO, Input::Start, &mut out);
    let mut sent = Outbox::new();
    Config::default().sender(seat(Who::Sender)).handle(Instant::ZERO, Input::Start, &mut sent);
    let Some(&Action::Send(template)) = sent.actions().first() else { panic!("it begins to send") };
    for sequence in [u32::MAX - 1, u32::MAX, 1, 0, 1, 2] {
        let header = Header::Data { layer: 2, sequence }.into();
        member.handle(Instant::ZERO, Input::packet(&Packet { header, ..template }, None, Instant::ZERO), &mut out);
    }
    let report = member.report();
    assert_eq!((report.received_pkts, report.distinct_bytes, gauge(&member, "missed")), (6, 5000, 1.0));
}

#[test]
fn wrong_values_are_named() {
    let config = Config {
        rates: vec![Rate(1000), Rate(0)],
        packet_size: Bytes(0),
        jitter: 1.5,
        level: Some(3),
        climb: vec![step(5, 1), step(5, 3)],
        ..Config::default()
    };
    let fields: Vec<String> = Scheme::check(&config).into_iter().map(|(field, _)| field).collect();
    assert_eq!(fields, ["jitter", "rates[1]", "packet_size", "level", "climb[1].level", "climb[1].after"]);
    let none = Config { rates: vec![], ..Config::default() };
    assert_eq!(Scheme::check(&none)[0], ("rates".to_owned(), "0 layers given; legal are 1 to 128".to_owned()));
    let full = Config { rates: vec![Rate(1000); 128], ..Config::default() };
    assert_eq!((Scheme::check(&full), full.groups().len()), (vec![], 128));
    // One group is needed for what members say.
    let more = Config { announce: Some(Announce::Apart), ..full };
    assert_eq!(Scheme::check(&more), [("rates".to_owned(), "128 layers given; legal are 1 to 127".to_owned())]);
}

#[test]
fn jitter_spreads_gaps_evenly_about_the_nominal_one() {
    // 1000 B at 80 kbit/s: 100 ms, times 0.5 to 1.5.
    let config = Config { rates: vec![Rate(80_000)], jitter: 0.5, ..Config::default() };
    let mut source = config.sender(seat(Who::Sender));
    let mut out = Outbox::default();
    source.handle(Instant::ZERO, Input::Start, &mut out);
    let mut before = Instant::ZERO;
    let gap = |_| {
        let at = source.deadline().expect("it sends forever");
        source.handle(at, Input::Timeout, &mut out);
        let gap_ms = at.since(before).as_secs_f64() * 1e3;
        before = at;
        gap_ms
    };
    let gaps: Vec<f64> = (0..5000).map(gap).collect();
    let mean = |gaps: &[f64]| gaps.iter().sum::<f64>() / gaps.len() as f64;
    let squares: Vec<f64> = gaps.iter().map(|gap| (gap - 100.0) * (gap - 100.0)).collect();
    // Four standard errors of the mean of 5000, and of a uniform spread of 100²/12.
    assert!((mean(&gaps) - 100.0).abs() < 4.0 * 28.9 / 5000_f64.sqrt(), "{}", mean(&gaps));
    assert!((mean(&squares) / 833.3 - 1.0).abs() < 0.06, "{}", mean(&squares));
    assert!(gaps.iter().all(|gap| (50.0..=150.0).contains(gap)));
}

#[test]
fn headers_are_told_apart() {
    use crate::packet::ProtocolHeader;
    let mut seen = std::collections::BTreeSet::new();
    for number in [0, 1, 2, 255, 256, 1 << 24, u32::MAX] {
        for rank in [0, 1, 2, 127] {
            assert!(seen.insert(Header::Data { layer: rank, sequence: number }.digest()));
            assert!(seen.insert(Header::Level { level: rank, sequence: number }.digest()));
        }
    }
}

#[test]
fn who_starts_again_climbs_again() {
    let config = Config { level: Some(1), climb: vec![step(1, 2)], ..Config::default() };
    let mut member = config.receiver(seat(Who::Receiver(0)));
    let mut out = Outbox::default();
    for start in [0, 100] {
        let at = |seconds: u64| Instant((start + seconds) * 1_000_000_000);
        member.handle(at(0), Input::Start, &mut out);
        assert_eq!(member.deadline(), Some(at(1)));
        member.handle(at(1), Input::Timeout, &mut out);
        assert_eq!(member.deadline(), None);
        member.handle(at(2), Input::Stop, &mut out);
    }
}

#[test]
fn packets_are_ecn_capable_if_so_wanted() {
    for (ecn, expected) in [(true, Ecn::Capable), (false, Ecn::NotCapable)] {
        let mut sent = Outbox::default();
        Config { ecn, ..Config::default() }.sender(seat(Who::Sender)).handle(Instant::ZERO, Input::Start, &mut sent);
        let Some(Action::Send(packet)) = sent.actions().first() else { panic!("it begins to send") };
        assert_eq!(packet.ecn, expected);
    }
}
