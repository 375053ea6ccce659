//! How long receivers are there.

use crate::support::{AMPLE, Memberships, NO_LOSS, Stay, Wire, always, at, constant_rate, duplex, session};
use faircast_proto::packet::Address;
use faircast_proto::registry::SchemeConfig;
use faircast_proto::registry::flows::FlowReceiver;
use faircast_proto::source::{Sink, cbr};
use faircast_proto::tfmcc;
use faircast_proto::time::{Duration, Instant};
use faircast_sim::agent::Agent;
use faircast_sim::builder::NetworkBuilder;
use faircast_sim::calendar::Wheel;
use faircast_sim::ids::NodeId;
use faircast_sim::link::LinkMode;
use faircast_sim::multicast::SessionPlan;
use faircast_sim::probe::{ProbePlan, ReceiverRow};
use faircast_sim::world::World;

const WIRE: Wire<'_> = Wire { rate: 7_654_321, millis: 3, queue: AMPLE, loss: NO_LOSS };

fn pair() -> (NetworkBuilder, [NodeId; 2]) {
    let mut network = NetworkBuilder::new(1);
    let nodes = ["source", "host"].map(|name| network.node(name));
    duplex(&mut network, nodes[0], nodes[1], &WIRE, LinkMode::Fused);
    (network, nodes)
}

#[test]
fn rows_and_warmup_hold_how_long_each_receiver_was_present() {
    let (mut network, [source, host]) = pair();
    let places = [
        always(host),
        Stay { node: host, start: 1.25, stop: Some(2.75) },
        Stay { node: host, start: 3.5, stop: None },
        Stay { node: host, start: 9.0, stop: None },
    ];
    constant_rate(&mut network, source, host, 100_000);
    session(&mut network, &SchemeConfig::Cbr(cbr::Config::default()), source, &places);
    network.probes(ProbePlan { flows: true, warmup: at(2.0), ..ProbePlan::default() });
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(at(4.0), u64::MAX);
    let rows = &world.records().receivers;
    let millis = |receiver: u32| -> Vec<u64> {
        rows.iter().filter(|row| row.receiver == receiver).map(|row| row.present.0 / 1_000_000).collect()
    };
    assert_eq!([0, 1].map(millis), [[1000, 2000, 3000, 4000], [1000, 2000, 3000, 4000]]);
    assert_eq!([2, 3, 4].map(millis), [[0, 750, 1500, 1500], [0, 0, 0, 500], [0; 4]]);
    let at_warmup: Vec<u64> = world.records().presence_at_warmup.iter().map(|present| present.0).collect();
    assert_eq!(at_warmup, [2_000_000_000, 2_000_000_000, 750_000_000, 0, 0]);
    world.run(Instant(9_500_000_001), u64::MAX);
    let now: Vec<u64> = (0..5).map(|receiver| world.presence(receiver).0).collect();
    assert_eq!(now, [9_500_000_001, 9_500_000_001, 1_500_000_000, 6_000_000_001, 500_000_001]);
}

#[test]
fn who_has_left_all_groups_is_absent_until_it_joins_again() {
    let (mut network, [source, host]) = pair();
    let (own, member) = (network.address(source), network.address(host));
    let (flow, first) = network.session(own, SessionPlan::sparse(64));
    let last = Address::group(first.index() as u32 + 63);
    network.member(flow, member);
    network.place(own, flow, Agent::FlowReceiver(FlowReceiver::Cbr(Sink::new())), at(0.0), None);
    let steps = [
        (1.0, first, true),
        (1.5, last, true),
        (2.0, first, false),
        (3.0, last, false),
        (3.5, last, false),
        (5.0, last, true),
        (6.0, first, true),
        (6.25, first, false),
        (7.5, last, false),
    ];
    let steps = steps.map(|(seconds, group, joins)| (at(seconds), group, joins)).to_vec();
    network.place(member, flow, Agent::Guest(Box::new(Memberships::new(steps))), at(1.0), Some(at(7.0)));
    network.clock_offsets(false);
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    // It is to stop at 7 s and takes half a second to go.
    let expected = [(0.5, 0.0), (1.75, 0.75), (2.5, 1.5), (3.0, 2.0), (4.0, 2.0), (5.5, 2.5), (6.5, 3.5), (8.0, 4.5)];
    for (now, present) in expected {
        world.run(at(now), u64::MAX);
        assert_eq!(world.presence(0), Duration::from_secs_f64(present), "at {now} s");
    }
}

/// The receiver that limits announces its leave for a feedback round (RFC 4654 section 4.2), in which data still comes.
#[test]
fn who_gets_data_is_present() {
    let (mut network, [source, host]) = pair();
    let leaves = Stay { node: host, start: 0.0, stop: Some(5.0) };
    session(&mut network, &SchemeConfig::Tfmcc(tfmcc::Config::default()), source, &[leaves]);
    network.probes(ProbePlan { flows: true, interval: Duration::from_millis(100), ..ProbePlan::default() });
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(at(20.0), u64::MAX);
    let rows: Vec<_> = world.records().receivers.iter().collect();
    let got_some = |pair: &[&ReceiverRow]| pair[1].report.received_bytes > pair[0].report.received_bytes;
    for pair in rows.windows(2).filter(|pair| got_some(pair)) {
        assert!(pair[1].present > pair[0].present, "it got data before {} without being there", pair[1].at);
    }
    let late = rows.windows(2).filter(|pair| pair[0].at >= at(5.1) && got_some(pair)).count();
    assert!(late > 10, "data came after it was to stop, in {late} tenths of a second");
    let present = world.presence(0);
    assert!(present > Duration::from_secs(6) && present < Duration::from_secs(10), "{present}");
}
