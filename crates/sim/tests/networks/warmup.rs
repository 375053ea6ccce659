//! The end of the warm-up, and of a run before its time.

use crate::support::{AMPLE, NO_LOSS, Wire, at, constant_rate, duplex, tcp};
use faircast_proto::time::Instant;
use faircast_sim::builder::NetworkBuilder;
use faircast_sim::calendar::Wheel;
use faircast_sim::counters::LinkCounters;
use faircast_sim::ids::LinkId;
use faircast_sim::link::LinkMode;
use faircast_sim::probe::ProbePlan;
use faircast_sim::world::{Progress, World};

/// Two segments at time zero and nothing more, over one link.
fn two_segments(warmup: Instant) -> World<Wheel> {
    let mut network = NetworkBuilder::new(1);
    let nodes = ["a", "b"].map(|name| network.node(name));
    let wire = Wire { rate: 7_654_321, millis: 3, queue: AMPLE, loss: NO_LOSS };
    duplex(&mut network, nodes[0], nodes[1], &wire, LinkMode::Fused);
    tcp(&mut network, nodes[0], nodes[1], r#"{"segments": 2, "initial_cwnd": "2 packets"}"#);
    network.probes(ProbePlan { warmup, queues: vec![LinkId(0)], ..ProbePlan::default() });
    network.build().expect("a network without errors")
}

#[test]
fn a_warmup_of_zero_leaves_nothing_out() {
    let mut world = two_segments(Instant::ZERO);
    world.run(at(1.0), u64::MAX);
    assert_eq!(world.sender(0).sent_pkts, 2);
    let records = world.records();
    assert_eq!(records.senders_at_warmup[0].sent_pkts, 0);
    assert_eq!((records.receivers_at_warmup.len(), records.presence_at_warmup.len()), (1, 1));
    assert_eq!(records.links_at_warmup, [LinkCounters::default(); 2]);
    // The second packet waits while the first, of 1040 bytes at 7 654 321 bit/s, is in transmission.
    let queue = world.links()[0].probe().expect("it was asked for").statistics(world.now());
    assert_eq!((queue.min(), queue.max()), (0, 1));
    assert!((queue.mean() - 1040.0 * 8.0 / 7_654_321.0).abs() < 1e-9, "{}", queue.mean());
}

#[test]
fn a_warmup_leaves_out_what_happens_up_to_its_end() {
    let mut world = two_segments(Instant(1));
    world.run(at(1.0), u64::MAX);
    assert_eq!(world.records().senders_at_warmup[0].sent_pkts, 2);
    assert_eq!(world.records().links_at_warmup[0].arrived, 2);
}

/// A long wire with a load of 0.9 in packets of 1000 bytes, of which none comes to the far end before the end.
fn long_wire() -> World<Wheel> {
    let mut network = NetworkBuilder::new(1);
    let nodes = ["a", "b"].map(|name| network.node(name));
    let wire = Wire { rate: 7_654_321, millis: 1_000_000, queue: AMPLE, loss: NO_LOSS };
    duplex(&mut network, nodes[0], nodes[1], &wire, LinkMode::Fused);
    constant_rate(&mut network, nodes[0], nodes[1], 6_888_889);
    network.probes(ProbePlan { trace: true, ..ProbePlan::default() });
    network.build().expect("a network without errors")
}

#[test]
fn a_run_that_ends_at_a_pause_counts_what_has_left_by_then() {
    let mut world = long_wire();
    assert_eq!(world.run(at(100.0), 1000), Progress::Paused);
    world.settle();
    let LinkCounters { arrived, departed, departed_bytes, .. } = *world.links()[0].counters();
    assert!(arrived > 900 && arrived - departed <= 1, "{arrived} came, {departed} left");
    let load = departed_bytes as f64 * 8.0 / (7_654_321.0 * world.now().as_secs_f64());
    assert!((load - 0.9).abs() < 0.002, "{load}");
}

#[test]
fn settling_at_every_pause_changes_nothing() {
    let mut whole = long_wire();
    whole.run(at(20.0), u64::MAX);
    let mut pieces = long_wire();
    while pieces.run(at(20.0), 77) == Progress::Paused {
        pieces.settle();
    }
    assert_eq!(whole.digest(), pieces.digest());
    assert_eq!(whole.links()[0].counters(), pieces.links()[0].counters());
}
