//! Sessions of layers: levels over time, and what is counted of each group.

use crate::support::{AMPLE, NO_LOSS, Stay, Wire, always, at, duplex, session};
use faircast_proto::endpoint::{LAYER_ADDED, LAYER_DROPPED};
use faircast_proto::packet::Address;
use faircast_proto::registry::SchemeConfig;
use faircast_proto::source::layered::{Config, Step};
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_sim::builder::NetworkBuilder;
use faircast_sim::calendar::Wheel;
use faircast_sim::ids::NodeId;
use faircast_sim::link::LinkMode;
use faircast_sim::probe::ProbePlan;
use faircast_sim::world::World;

const WIRE: Wire<'_> = Wire { rate: 7_654_321, millis: 3, queue: AMPLE, loss: NO_LOSS };

fn pair(wire: &Wire<'_>) -> (NetworkBuilder, [NodeId; 2]) {
    let mut network = NetworkBuilder::new(1);
    let nodes = ["source", "host"].map(|name| network.node(name));
    duplex(&mut network, nodes[0], nodes[1], wire, LinkMode::Fused);
    (network, nodes)
}

/// 10, 20 and 40 packets a second; two layers more at 2.5 s, none from 4.25 s, two at 6 s.
fn changing() -> SchemeConfig {
    let step = |millis, level| Step { after: Duration::from_millis(millis), level };
    SchemeConfig::LayeredCbr(Config {
        rates: vec![Rate(80_000), Rate(160_000), Rate(320_000)],
        level: Some(1),
        climb: vec![step(2500, 3), step(4250, 0), step(6000, 2)],
        ..Config::default()
    })
}

#[test]
fn levels_are_integrated_over_time() {
    let (mut network, [source, host]) = pair(&WIRE);
    let places = [Stay { node: host, start: 0.0, stop: Some(7.5) }, always(host)];
    session(&mut network, &changing(), source, &places);
    network.probes(ProbePlan { flows: true, warmup: at(3.0), events: true, ..ProbePlan::default() });
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(at(8.0), u64::MAX);
    let rows: Vec<_> = world.records().receivers.iter().filter(|row| row.receiver == 0).collect();
    assert_eq!(rows.iter().map(|row| row.level).collect::<Vec<_>>(), [1, 1, 3, 3, 0, 2, 2, 0]);
    let millis = |of: Duration| of.0 as f64 / 1e6;
    let held: Vec<f64> = rows.iter().map(|row| millis(row.held)).collect();
    assert_eq!(held, [1000.0, 2000.0, 4000.0, 7000.0, 7750.0, 7750.0, 9750.0, 10_750.0]);
    // Who has left all groups is not there.
    let present: Vec<f64> = rows.iter().map(|row| millis(row.present)).collect();
    assert_eq!(present, [1000.0, 2000.0, 3000.0, 4000.0, 4250.0, 4250.0, 5250.0, 5750.0]);
    assert_eq!(world.records().held_at_warmup, [Duration(4_000_000_000); 2]);
    world.run(at(9.0), u64::MAX);
    assert_eq!(
        [0, 1].map(|receiver| (world.level(receiver), millis(world.held(receiver)))),
        [(0, 10_750.0), (2, 13_750.0)]
    );
    let own = |kind| world.records().events.iter().filter(|row| row.endpoint == 1 && row.event.is(kind)).count();
    assert_eq!((own(LAYER_ADDED), own(LAYER_DROPPED)), (5, 5));
}

#[test]
fn groups_are_counted_one_by_one() {
    let (mut network, [source, host]) = pair(&WIRE);
    // A session before it, so that its groups are not the first.
    session(&mut network, &changing(), source, &[always(host)]);
    let config = SchemeConfig::LayeredCbr(Config { level: Some(2), ..layered() });
    session(&mut network, &config, source, &[always(host), Stay { node: host, start: 2.0, stop: Some(2.5) }]);
    network.probes(ProbePlan { flows: true, ..ProbePlan::default() });
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(at(4.0), u64::MAX);
    let rows = &world.records().groups;
    assert_eq!(rows.iter().map(|row| row.group).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5].repeat(4));
    // At 0, 100, .. ms; at 0, 50, ..; at 0, 25, ..
    let of = |group: u32| rows.iter().filter(move |row| row.group == group).map(|row| row.counters);
    for (group, per_second) in [(3, 10), (4, 20), (5, 40)] {
        let sent: Vec<(u64, u64)> = of(group).map(|counters| (counters.sent, counters.sent_bytes)).collect();
        let expected = [1, 2, 3, 4].map(|second| 1 + second * per_second).map(|sent| (sent, 1000 * sent));
        assert_eq!(sent, expected, "group {group}");
    }
    let time = |group: u32| of(group).map(|counters| counters.member_time.0 / 1_000_000).collect::<Vec<_>>();
    assert_eq!([3, 4, 5].map(time), [[1000, 2000, 3500, 4500], [1000, 2000, 3500, 4500], [0, 0, 0, 0]]);
    assert_eq!(of(3).map(|counters| counters.members).collect::<Vec<_>>(), [1, 2, 1, 1]);
    // What members got, group by group and member by member, is the same.
    let received = |groups: std::ops::Range<u32>| {
        groups.filter_map(|group| world.group(Address::group(group))).map(|group| group.received_bytes).sum::<u64>()
    };
    let own = |flow: usize, members: usize| {
        (0..members).map(|member| world.receiver(flow, member).received_bytes).sum::<u64>()
    };
    assert_eq!((received(0..3), received(3..6)), (own(0, 1), own(1, 2)));
    // The way of the join and of the packet takes 6 ms, and the last two packets, of 4 s, are under way.
    assert_eq!(received(3..4) / 1000, 40 - 1 + 5);
    assert_eq!((received(5..6), world.group(Address::group(6))), (0, None));
}

fn layered() -> Config {
    Config { rates: vec![Rate(80_000), Rate(160_000), Rate(320_000)], ..Config::default() }
}

/// Each packet of a layer is lost or comes once, to each of the members that hold it.
#[test]
fn losses_of_layers_add_up() {
    let lossy = Wire { loss: r#"{"kind": "bernoulli", "p": 0.1}"#, ..WIRE };
    let (mut network, [source, host]) = pair(&lossy);
    session(&mut network, &SchemeConfig::LayeredCbr(layered()), source, &[always(host), always(host)]);
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    // At an instant at which nothing is under way.
    world.run(Instant(30_012_000_000), u64::MAX);
    let lost = world.links()[0].counters().lost;
    let groups = || (0..3).filter_map(|group| world.group(Address::group(group)));
    let [sent, received] =
        [0, 1].map(|which| groups().map(|group| if which == 0 { group.sent } else { group.received }).sum::<u64>());
    assert_eq!(world.sender(0).sent_pkts, sent);
    // The first of each layer is sent before the join has come.
    assert_eq!(2 * (sent - 3 - lost), received);
    for member in 0..2 {
        let report = world.receiver(0, member);
        assert_eq!((report.received_pkts * 2, report.received_bytes), (received, report.distinct_bytes));
        // What is lost before the first or after the last packet that comes of a layer nobody can miss.
        let missed = world.measure(world.receivers()[member])[0];
        assert!(lost as f64 - missed < 5.0 && missed <= lost as f64, "{missed} of {lost}");
    }
    assert!(lost > 150);
}
