//! TFMCC over the simulator's multicast: the limiting receiver is found, and it shares with TCP.

use crate::support::{AMPLE, NO_LOSS, Wire, always, at, duplex, session, tcp};
use faircast_proto::registry::SchemeConfig;
use faircast_proto::tfmcc;
use faircast_sim::builder::NetworkBuilder;
use faircast_sim::calendar::{Calendar, Heap, Wheel};
use faircast_sim::counters::Undeliverable;
use faircast_sim::ids::NodeId;
use faircast_sim::link::LinkMode;
use faircast_sim::probe::ProbePlan;
use faircast_sim::world::World;

fn scheme() -> SchemeConfig {
    SchemeConfig::Tfmcc(tfmcc::Config::default())
}

/// Mbit/s that a receiver of flow 0 got from one moment to another.
fn rate_between<C: Calendar>(world: &mut World<C>, receiver: usize, from: f64, to: f64) -> f64 {
    world.run(at(from), u64::MAX);
    let before = world.receiver(0, receiver).received_bytes;
    world.run(at(to), u64::MAX);
    8e-6 * (world.receiver(0, receiver).received_bytes - before) as f64 / (to - from)
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
fn the_session_gets_what_the_equation_gives_its_worst_receiver() {
    // RTT 100 ms, Bernoulli 0.01: 899 kbit/s at p = 0.01; losses of one round trip make one event, which allows some
    // per cent more. Averaged over seeds, since the loss history remembers eight intervals only.
    let mean =
        (1..=4).map(|seed| rate_between(&mut star::<Wheel>(seed, LinkMode::Fused), 0, 60.0, 360.0)).sum::<f64>() / 4.0;
    assert!((0.76..=1.03).contains(&mean), "{mean} Mbit/s");
}

#[test]
fn every_receiver_gets_the_same_copies_and_packets_are_conserved() {
    let mut world = star::<Wheel>(1, LinkMode::Fused);
    world.run(at(60.0), u64::MAX);
    let received: Vec<u64> = (0..5).map(|receiver| world.receiver(0, receiver).received_pkts).collect();
    let sent = world.sender(0).sent_pkts;
    for clean in [0, 1, 2, 4] {
        assert!(sent - received[clean] < 40, "{sent} sent, {received:?} received");
    }
    assert!(received[3] < received[0] && received[3] > received[0] * 97 / 100);
    assert!(world.links().iter().all(|link| link.conserves()));
    assert_eq!(world.undeliverable(), [Undeliverable::default(); 2]);
}

#[test]
fn calendars_and_link_modes_give_identical_traces() {
    fn digest<C: Calendar>(mode: LinkMode) -> Option<(u64, u64)> {
        let mut world = star::<C>(7, mode);
        world.run(at(30.0), u64::MAX);
        world.digest()
    }
    let fused = digest::<Wheel>(LinkMode::Fused);
    assert!(fused.is_some_and(|(_, records)| records > 10_000));
    assert_eq!(fused, digest::<Heap>(LinkMode::Fused));
    assert_eq!(fused, digest::<Wheel>(LinkMode::TwoStage));
}

#[test]
fn beside_tcp_on_a_red_link_the_ratio_is_within_two() {
    // RFC 4654 section 1 calls a flow reasonably fair if its rate is generally within a factor of two of TCP's.
    let ratio = |seed| {
        let mut network = NetworkBuilder::new(seed);
        let [source, left, right, receiver, client, server] =
            ["source", "left", "right", "receiver", "client", "server"].map(|name| network.node(name));
        let red =
            r#"{"kind": "red", "limit": "100 packets", "min_th": "5 packets", "max_th": "50 packets", "gentle": true}"#;
        let ample = Wire { rate: 98_765_432, millis: 5, queue: AMPLE, loss: NO_LOSS };
        duplex(
            &mut network,
            left,
            right,
            &Wire { rate: 1_987_654, millis: 40, queue: red, loss: NO_LOSS },
            LinkMode::Fused,
        );
        for (a, b) in [(source, left), (client, left), (right, receiver), (right, server)] {
            duplex(&mut network, a, b, &ample, LinkMode::Fused);
        }
        session(&mut network, &scheme(), source, &[always(receiver)]);
        tcp(&mut network, client, server, r#"{"variant": "sack", "hdr": "0 B", "wnd": "1000 packets"}"#);
        let mut world: World<Wheel> = network.build().expect("a network without errors");
        let from = |world: &World<Wheel>, flow: usize| world.receiver(flow, 0).received_bytes as f64;
        world.run(at(60.0), u64::MAX);
        let before = [0, 1].map(|flow| from(&world, flow));
        world.run(at(360.0), u64::MAX);
        (from(&world, 0) - before[0]) / (from(&world, 1) - before[1])
    };
    let mean = (1..=4).map(ratio).sum::<f64>() / 4.0;
    assert!((0.5..=2.0).contains(&mean), "TFMCC / TCP = {mean}");
}
