//! Ways between nodes over time: rows worked out by hand, and that looking changes nothing.

use crate::changes::{MS, delay, wire};
use crate::support::{constant_rate, link};
use faircast_proto::time::{Duration, Instant};
use faircast_sim::builder::NetworkBuilder;
use faircast_sim::calendar::{Heap, Wheel};
use faircast_sim::change::{Change, Slope};
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::link::LinkMode;
use faircast_sim::probe::{PathEvent, PathRow, ProbePlan};
use faircast_sim::routing::MAX_HOPS;
use faircast_sim::world::World;

/// Millisecond, event, delay in microseconds and links.
type Seen<'a> = (u64, PathEvent, u64, Option<&'a [u32]>);

fn links(row: &PathRow) -> Option<Vec<u32>> {
    row.way.as_ref().map(|way| way.iter().map(|link| link.0).collect())
}

fn assert_seen(rows: &[PathRow], path: u32, expected: &[Seen<'_>]) {
    let rows: Vec<_> = rows
        .iter()
        .filter(|row| row.path == path)
        .map(|row| (row.at.0 / MS, row.event, row.delay.0 / 1000, links(row)))
        .collect();
    let expected: Vec<_> =
        expected.iter().map(|&(at, e, delay, way)| (at, e, delay, way.map(<[u32]>::to_vec))).collect();
    assert_eq!(rows, expected);
}

/// From a to b by c in 5 + 5 ms, or straight in 20 ms; the same way back. Links 0 to 5.
fn triangle(network: &mut NetworkBuilder) -> [NodeId; 3] {
    let [a, b, c] = ["a", "b", "c"].map(|name| network.node(name));
    for (from, to, millis) in [(a, c, 5), (c, b, 5), (a, b, 20), (b, c, 5), (c, a, 5), (b, a, 20)] {
        link(network, from, to, &wire(millis), LinkMode::Fused);
    }
    [a, b, c]
}

fn at(millis: u64) -> Instant {
    Instant(millis * MS)
}

#[test]
fn a_way_is_told_when_it_changes_and_at_every_interval() {
    use PathEvent::{Changed, Found, Lost, Sample};
    let mut network = NetworkBuilder::new(1);
    let [a, b, _] = triangle(&mut network);
    network.change(at(1500), LinkId(1), Change::Down);
    // From 2.25 s to 3.25 s from 20 to 30 ms: 27.5 ms at 3 s. Routes do not ask.
    let slope = Slope::between(Duration::from_millis(20), Duration::from_millis(30), Duration::from_secs(1));
    network.change(at(2250), LinkId(2), Change::Delay { from: Duration::from_millis(20), slope });
    network.change(at(3250), LinkId(2), delay(30));
    network.change(at(4000), LinkId(2), Change::Down);
    network.change(at(4500), LinkId(1), Change::Up);
    let paths = vec![(a, b), (b, a)];
    network.probes(ProbePlan { paths, ..ProbePlan::default() });
    let mut world: World<Heap> = network.build().expect("a network without errors");
    world.run(at(5000), u64::MAX);
    let rows = world.take_records().paths;
    let (by_c, straight): (Option<&[u32]>, Option<&[u32]>) = (Some(&[0, 1]), Some(&[2]));
    assert_seen(
        &rows,
        0,
        &[
            (0, Sample, 10_000, by_c),
            (1000, Sample, 10_000, by_c),
            (1500, Changed, 20_000, straight),
            (2000, Sample, 20_000, straight),
            (3000, Sample, 27_500, straight),
            (4000, Lost, 0, None),
            (4000, Sample, 0, None),
            (4500, Found, 10_000, by_c),
            (5000, Sample, 10_000, by_c),
        ],
    );
    let back: [Seen<'_>; 6] = [0, 1000, 2000, 3000, 4000, 5000].map(|at| (at, Sample, 10_000, Some(&[3, 4][..])));
    assert_seen(&rows, 1, &back);
}

#[test]
fn a_link_that_turns_and_routes_computed_anew_change_ways() {
    use PathEvent::{Changed, Sample};
    let mut network = NetworkBuilder::new(1);
    let [a, b, c] = triangle(&mut network);
    // Straight links are the shorter ones from 0.5 s on, which is found at 0.7 s; then that from a turns to c.
    network.change(at(500), LinkId(2), delay(3));
    network.reroute_every(Duration::from_millis(700));
    network.change(at(900), LinkId(2), Change::FarEnd(c));
    network.probes(ProbePlan { paths: vec![(a, b)], ..ProbePlan::default() });
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(at(1000), u64::MAX);
    let rows = world.take_records().paths;
    let expected: [Seen<'_>; 4] = [
        (0, Sample, 10_000, Some(&[0, 1])),
        (700, Changed, 3000, Some(&[2])),
        (900, Changed, 8000, Some(&[2, 1])),
        (1000, Sample, 8000, Some(&[2, 1])),
    ];
    assert_seen(&rows, 0, &expected);
}

#[test]
fn where_routes_stay_a_way_has_as_many_links_as_a_packet_may_cross() {
    let mut network = NetworkBuilder::new(1);
    let nodes: Vec<NodeId> = (0..=MAX_HOPS + 1).map(|node| network.node(node.to_string())).collect();
    let island = network.node("island");
    for pair in nodes.windows(2) {
        link(&mut network, pair[0], pair[1], &wire(2), LinkMode::Fused);
    }
    let paths = vec![(nodes[0], nodes[MAX_HOPS]), (nodes[0], nodes[MAX_HOPS + 1]), (nodes[0], island)];
    network.probes(ProbePlan { paths, ..ProbePlan::default() });
    let mut world: World<Heap> = network.build().expect("a network without errors");
    world.run(at(500), u64::MAX);
    let found: Vec<_> =
        world.records().paths.iter().map(|row| (row.delay.0 / MS, row.way.as_ref().map(|way| way.len()))).collect();
    assert_eq!(found, [(2 * MAX_HOPS as u64, Some(MAX_HOPS)), (0, None), (0, None)]);
}

#[test]
fn who_looks_changes_nothing() {
    let digest = |paths: &dyn Fn([NodeId; 3]) -> Vec<(NodeId, NodeId)>| {
        let mut network = NetworkBuilder::new(1);
        let nodes = triangle(&mut network);
        constant_rate(&mut network, nodes[0], nodes[1], 7_654_321);
        network.change(at(205), LinkId(1), Change::Down);
        network.change(at(450), LinkId(1), Change::Up);
        let (paths, interval) = (paths(nodes), Duration::from_millis(7));
        network.probes(ProbePlan { trace: true, paths, interval, ..ProbePlan::default() });
        let mut world: World<Wheel> = network.build().expect("a network without errors");
        world.run(at(1000), u64::MAX);
        world.digest()
    };
    assert_eq!(digest(&|_| Vec::new()), digest(&|[a, b, c]| vec![(a, b), (c, b), (b, c)]));
}
