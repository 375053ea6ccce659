//! Dilation of sessions in networks, and how often receivers join and leave.

use crate::support::{AMPLE, Memberships, NO_LOSS, Stay, Wire, always, at, duplex, session_of};
use faircast_proto::packet::{Address, FlowId};
use faircast_proto::registry::SchemeConfig;
use faircast_proto::scheme::{Scheme, Seat};
use faircast_proto::source::layered::{Config, Step};
use faircast_proto::time::{Duration, Rate};
use faircast_sim::agent::Agent;
use faircast_sim::builder::NetworkBuilder;
use faircast_sim::calendar::Wheel;
use faircast_sim::counters::{MembershipChanges, MembershipMessages};
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::link::LinkMode;
use faircast_sim::multicast::{DilationSpan, SessionPlan};
use faircast_sim::probe::ProbePlan;
use faircast_sim::world::World;

const WIRE: Wire<'_> = Wire { rate: 7_654_321, millis: 3, queue: AMPLE, loss: NO_LOSS };
/// Down from the source to the router.
const TRUNK: LinkId = LinkId(0);

/// A source, a router and two hosts at it.
fn fork() -> (NetworkBuilder, [NodeId; 4]) {
    let mut network = NetworkBuilder::new(1);
    let nodes = ["source", "router", "a", "b"].map(|name| network.node(name));
    duplex(&mut network, nodes[0], nodes[1], &WIRE, LinkMode::Fused);
    duplex(&mut network, nodes[1], nodes[2], &WIRE, LinkMode::Fused);
    duplex(&mut network, nodes[1], nodes[3], &WIRE, LinkMode::Fused);
    (network, nodes)
}

/// 10, 20 and 40 packets a second.
fn layered() -> Config {
    Config { rates: vec![Rate(80_000), Rate(160_000), Rate(320_000)], level: Some(1), ..Config::default() }
}

/// Of the totals on the trunk what there is: the greatest, and the mean.
fn on_trunk(world: &World<Wheel>, span: DilationSpan) -> [f64; 2] {
    let found: Vec<_> = world.dilation(span).collect();
    let [(flow, TRUNK, totals)] = found[..] else { panic!("{found:?}") };
    assert_eq!(flow, FlowId(0));
    [totals.greatest, totals.sum / totals.windows as f64]
}

#[test]
fn receivers_of_cumulative_layers_dilate_nothing_however_they_change() {
    let (mut network, [source, _, a, b]) = fork();
    let step = |millis, level| Step { after: Duration::from_millis(millis), level };
    let climbing = |climb| SchemeConfig::LayeredCbr(Config { climb, ..layered() });
    let own = climbing(vec![step(1010, 3), step(2020, 1)]);
    let members = [(own.clone(), always(a)), (climbing(vec![step(2030, 3), step(2777, 2)]), always(b))];
    session_of(&mut network, &own, source, &members);
    network.probes(ProbePlan { warmup: at(1.5), links: true, ..ProbePlan::default() });
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(at(4.0), u64::MAX);
    for span in [DilationSpan::All, DilationSpan::Late] {
        assert_eq!(on_trunk(&world, span), [1.0, 1.0]);
    }
    let changes = |joins, leaves, layers_joined| MembershipChanges { joins, leaves, layers_joined };
    assert_eq!([0, 1].map(|receiver| world.membership_changes(receiver)), [changes(3, 2, 3), changes(3, 1, 3)]);
    assert_eq!(world.records().membership_changes_at_warmup, [changes(3, 0, 3), changes(1, 0, 1)]);
}

#[test]
fn what_hosts_and_routers_tell_each_other_is_counted() {
    let (mut network, [source, _, a, b]) = fork();
    let step = |millis, level| Step { after: Duration::from_millis(millis), level };
    let climbing = |climb| SchemeConfig::LayeredCbr(Config { climb, ..layered() });
    let own = climbing(vec![step(1010, 3), step(2020, 1)]);
    let members = [(own.clone(), always(a)), (climbing(vec![step(2030, 3), step(2777, 2)]), always(b))];
    session_of(&mut network, &own, source, &members);
    network.probes(ProbePlan { warmup: at(1.5), ..ProbePlan::default() });
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(at(4.0), u64::MAX);
    // The base for both, then three layers for one: he says it, and the router hands it on. What he gives up the other
    // one takes before the leave delay of 2 s is over, so the router has nothing more to say.
    let told =
        |of_hosts, of_routers| MembershipMessages { of_hosts, of_routers, acknowledgements: of_hosts + of_routers };
    assert_eq!(world.records().membership_messages_at_warmup, [told(3, 2)]);
    assert_eq!(Vec::from_iter(world.membership_messages()), [told(6, 2)]);
}

/// Two hosts at the router hold whichever layers they please, at these seconds.
fn scripted(steps: [&[(f64, u32, bool)]; 2]) -> World<Wheel> {
    let (mut network, [source, _, a, b]) = fork();
    let own = network.address(source);
    let (flow, group) = network.session(own, SessionPlan::sparse(3));
    let random = network.stream("source");
    let seat = Seat { flow, own, group, members: 2, line_rate: None, random };
    let source = Agent::SchemeSender(Box::new(SchemeConfig::LayeredCbr(layered()).sender(seat)));
    network.place(own, flow, source, at(0.0), None);
    for (node, steps) in [a, b].into_iter().zip(steps) {
        let member = network.address(node);
        network.member(flow, member);
        let steps =
            steps.iter().map(|&(when, number, joins)| (at(when), Address::group(group.index() as u32 + number), joins));
        network.place(member, flow, Agent::Guest(Box::new(Memberships::new(steps.collect()))), at(0.0), None);
    }
    network.clock_offsets(false);
    network.probes(ProbePlan { warmup: at(2.0), links: true, ..ProbePlan::default() });
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(at(4.0), u64::MAX);
    world
}

#[test]
fn what_only_slower_ones_hold_dilates() {
    // Until 1 s both have the base; then a has the second layer and b the third, until b leaves it at 3 s. Of 70
    // packets demanded a second the faster one gets 50.
    let world = scripted([&[(0.0, 0, true), (1.0, 1, true)], &[(0.0, 0, true), (1.0, 2, true), (3.0, 2, false)]]);
    let near = |found: [f64; 2], expected: [f64; 2]| {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-3, "{found} for {expected}");
        }
    };
    // The first packet of the base comes before anybody has joined, and nothing until 100 ms.
    near(on_trunk(&world, DilationSpan::All), [1.4, (18.0 + 1.4 * 40.0 + 20.0) / 78.0]);
    near(on_trunk(&world, DilationSpan::Late), [1.4, 1.2]);
    let rows = &world.records().dilation;
    let told: Vec<_> = rows.iter().map(|row| (row.at, row.link, row.totals.windows)).collect();
    assert_eq!(told, [(1.0, 18), (2.0, 20), (3.0, 20), (4.0, 20)].map(|(now, windows)| (at(now), TRUNK, windows)));
    for (row, expected) in rows.iter().zip([1.0, 1.4, 1.4, 1.0]) {
        near([row.totals.greatest, row.totals.sum / row.totals.windows as f64], [expected; 2]);
    }
    // Bytes of the second second: 70 and 50 packets of 1000.
    near([rows[1].totals.demanded_bytes / 7e4, rows[1].totals.fastest_bytes / 5e4], [1.0; 2]);
}

#[test]
fn who_is_alone_and_sessions_of_one_group_have_none() {
    let (mut network, [source, _, a, _]) = fork();
    let config = SchemeConfig::LayeredCbr(layered());
    session_of(&mut network, &config, source, &[(config.clone(), always(a))]);
    let one = SchemeConfig::LayeredCbr(Config { rates: vec![Rate(80_000)], ..layered() });
    session_of(&mut network, &one, source, &[(one.clone(), always(a)), (one.clone(), always(a))]);
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(at(1.0), u64::MAX);
    assert_eq!(world.dilation(DilationSpan::All).count(), 0);
}

#[test]
fn several_sessions_are_told_apart() {
    let (mut network, [source, _, a, b]) = fork();
    let config = SchemeConfig::LayeredCbr(layered());
    for _ in 0..2 {
        let late = Stay { node: b, start: 0.5, stop: None };
        session_of(&mut network, &config, source, &[(config.clone(), always(a)), (config.clone(), late)]);
    }
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(at(1.0), u64::MAX);
    let found: Vec<_> = world.dilation(DilationSpan::All).map(|(flow, link, it)| (flow.0, link, it.windows)).collect();
    assert_eq!(found, [(0, TRUNK, 18), (1, TRUNK, 18)]);
}
