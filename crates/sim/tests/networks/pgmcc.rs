//! pgmcc over the simulator's multicast: the slowest receiver is the acker, and the session shares with TCP.

use crate::support::{AMPLE, NO_LOSS, Wire, always, at, duplex, session, tcp};
use faircast_proto::pgmcc;
use faircast_proto::registry::SchemeConfig;
use faircast_sim::builder::NetworkBuilder;
use faircast_sim::calendar::{Calendar, Heap, Wheel};
use faircast_sim::ids::NodeId;
use faircast_sim::link::LinkMode;
use faircast_sim::probe::ProbePlan;
use faircast_sim::world::World;

fn scheme() -> SchemeConfig {
    SchemeConfig::Pgmcc(pgmcc::Config::default())
}

/// Five receivers behind a star: four on clean links, one that loses one packet in a hundred.
fn star<C: Calendar>(seed: u64, mode: LinkMode) -> World<C> {
    let mut network = NetworkBuilder::new(seed);
    let (source, hub) = (network.node("source"), network.node("hub"));
    let ample = Wire { rate: 98_765_432, millis: 10, queue: AMPLE, loss: NO_LOSS };
    duplex(&mut network, source, hub, &ample, mode);
    let leaves: Vec<NodeId> = (0..5).map(|i| network.node(format!("leaf{i}"))).collect();
    for (i, &leaf) in leaves.iter().enumerate() {
        let loss = if i == 3 { r#"{"kind": "bernoulli", "p": 0.01}"# } else { NO_LOSS };
        duplex(&mut network, hub, leaf, &Wire { millis: 40, loss, ..ample }, mode);
    }
    let places: Vec<_> = leaves.into_iter().map(always).collect();
    session(&mut network, &scheme(), source, &places);
    network.probes(ProbePlan { trace: true, ..ProbePlan::default() });
    network.build().expect("a network without errors")
}

#[test]
fn the_session_gets_the_window_of_its_worst_receiver_each_round_trip() {
    // sqrt(3 / 2p) = 12.2 packets of 1000 B each 100 ms: 980 kbit/s, at the least 3 in 4 of it and 5 in 4 at the most.
    let rate = |seed| {
        let mut world = star::<Wheel>(seed, LinkMode::Fused);
        world.run(at(30.0), u64::MAX);
        let before = world.receiver(0, 0).received_bytes;
        world.run(at(230.0), u64::MAX);
        8e-6 * (world.receiver(0, 0).received_bytes - before) as f64 / 200.0
    };
    let mean = (1..=4).map(rate).sum::<f64>() / 4.0;
    assert!((0.78..=1.18).contains(&mean), "{mean} Mbit/s");
}

#[test]
fn packets_without_data_are_counted_for_who_sends_them() {
    // ACKs and NAKs of receivers, of 59 bytes, which send nothing else, and the source's confirmations of NAKs, of 46.
    let mut world = star::<Wheel>(1, LinkMode::Fused);
    world.run(at(30.0), u64::MAX);
    let mut naks = 0;
    for (receiver, &address) in world.receivers().iter().enumerate() {
        let (sent, report) = (world.messages_sent(address), world.receiver(0, receiver));
        assert_eq!((sent.packets, sent.bytes), (report.sent_pkts, 59 * report.sent_pkts));
        naks += world.measure(address)[1] as u64;
    }
    let [source] = world.flows() else { panic!("one session") };
    let sent = world.messages_sent(source.sender);
    assert_eq!(sent.bytes, 46 * sent.packets);
    assert!(sent.packets > 0 && sent.packets <= naks, "{} for {naks} NAKs", sent.packets);
    let all = world.sender(0);
    let data = all.sent_pkts - sent.packets;
    assert_eq!(all.sent_bytes - sent.bytes, 1000 * data);
}

#[test]
fn calendars_and_link_modes_give_identical_traces() {
    fn digest<C: Calendar>(mode: LinkMode) -> Option<(u64, u64)> {
        let mut world = star::<C>(7, mode);
        world.run(at(30.0), u64::MAX);
        assert!(world.links().iter().all(|link| link.conserves()));
        world.digest()
    }
    let fused = digest::<Wheel>(LinkMode::Fused);
    assert!(fused.is_some_and(|(_, records)| records > 10_000));
    assert_eq!(fused, digest::<Heap>(LinkMode::Fused));
    assert_eq!(fused, digest::<Wheel>(LinkMode::TwoStage));
}

/// What the session gets of a link of 2 Mbit/s, relative to one TCP, by the kind of queue.
fn beside_tcp(queue: &str, seed: u64) -> f64 {
    let mut network = NetworkBuilder::new(seed);
    let [source, left, right, receiver, client, server] =
        ["source", "left", "right", "receiver", "client", "server"].map(|name| network.node(name));
    let ample = Wire { rate: 98_765_432, millis: 5, queue: AMPLE, loss: NO_LOSS };
    let bottleneck = Wire { rate: 1_987_654, millis: 40, queue, loss: NO_LOSS };
    duplex(&mut network, left, right, &bottleneck, LinkMode::Fused);
    for (a, b) in [(source, left), (client, left), (right, receiver), (right, server)] {
        duplex(&mut network, a, b, &ample, LinkMode::Fused);
    }
    session(&mut network, &scheme(), source, &[always(receiver)]);
    tcp(&mut network, client, server, r#"{"variant": "newreno", "hdr": "0 B", "wnd": "1000 packets"}"#);
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    let from = |world: &World<Wheel>, flow: usize| world.receiver(flow, 0).received_bytes as f64;
    world.run(at(60.0), u64::MAX);
    let before = [0, 1].map(|flow| from(&world, flow));
    world.run(at(360.0), u64::MAX);
    (from(&world, 0) - before[0]) / (from(&world, 1) - before[1])
}

#[test]
fn beside_tcp_the_ratio_is_within_two() {
    let red =
        r#"{"kind": "red", "limit": "100 packets", "min_th": "5 packets", "max_th": "50 packets", "gentle": true}"#;
    for queue in [red, r#"{"kind": "drop-tail", "limit": "25 packets"}"#] {
        let mean = (1..=4).map(|seed| beside_tcp(queue, seed)).sum::<f64>() / 4.0;
        assert!((0.5..=2.0).contains(&mean), "pgmcc / TCP = {mean} over {queue}");
    }
}
