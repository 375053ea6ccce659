//! Trees and copies, by the arithmetic of link delays.

use crate::support::{DELAY, LosesFirst, Marks, Stay, at, build, duplex, from, link, row, session, shown};
use faircast_proto::group_set::GroupSet;
use faircast_proto::time::{Duration, Rate};
use faircast_sim::builder::{BuildError, LinkPlan, NetworkBuilder};
use faircast_sim::calendar::{Calendar, Heap, Wheel};
use faircast_sim::counters::Undeliverable;
use faircast_sim::ids::LinkId;
use faircast_sim::link::LinkMode;
use faircast_sim::loss::Loss;
use faircast_sim::multicast::{Mode, SessionPlan};
use faircast_sim::queue::Queue;
use faircast_sim::world::World;

#[test]
fn nothing_flows_until_a_join_has_come_up_and_data_down() {
    let (mut network, [source, _, _, host]) = row(LinkMode::Fused);
    session(&mut network, source, SessionPlan::sparse(1), &[from(host, 1.0)]);
    let mut world: World<Wheel> = build(network);
    world.run(at(1.0), u64::MAX);
    assert_eq!(world.links()[0].counters().arrived, 0, "not even the first link carries what nobody wants");
    // The join takes three hops of 10 ms, the first packet after that three hops back: 60 ms and transmissions.
    world.run(at(1.0599), u64::MAX);
    assert_eq!(world.receiver(0, 0).received_pkts, 0);
    world.run(at(1.0699), u64::MAX);
    assert!(world.receiver(0, 0).received_pkts >= 1);
    world.run(at(2.0), u64::MAX);
    assert!((186..=189).contains(&world.receiver(0, 0).received_pkts), "{}", world.receiver(0, 0).received_pkts);
    assert!(world.links().iter().all(|link| link.conserves()));
}

#[test]
fn after_a_leave_links_stay_loaded_for_the_leave_delay_and_the_way_of_the_messages() {
    for (leave_delay, quiet_below, quiet_above) in [(2.0, 3.02, 3.03), (0.0, 1.02, 1.03)] {
        let (mut network, [source, _, _, host]) = row(LinkMode::Fused);
        let plan = SessionPlan { leave_delay: Duration::from_secs_f64(leave_delay), ..SessionPlan::sparse(1) };
        let place = Stay { stop: Some(1.0), ..from(host, 0.0) };
        session(&mut network, source, plan, &[place]);
        let mut world: World<Wheel> = build(network);
        // The host's link: leave goes up 10 ms, delay, the last packet comes down 10 ms.
        let delivered_by = |world: &mut World<Wheel>, seconds: f64, link: usize| {
            world.run(at(seconds), u64::MAX);
            world.links()[link].counters().delivered
        };
        let before = delivered_by(&mut world, quiet_below - 0.012, 4);
        let quiet = delivered_by(&mut world, quiet_below + 0.001, 4);
        assert!(quiet > before, "loaded until the leave delay is over");
        // The link above is freed one hop later, by the router above it.
        let above = delivered_by(&mut world, quiet_above + 0.001, 2);
        assert_eq!(delivered_by(&mut world, 5.0, 4), quiet);
        assert_eq!(delivered_by(&mut world, 6.0, 2), above);
        // The member heard nothing after its leave.
        assert!(shown(&world, 0)[2] <= 1.0);
    }
}

#[test]
fn of_two_members_on_one_host_the_last_one_ends_the_flow() {
    let (mut network, [source, _, _, host]) = row(LinkMode::Fused);
    let plan = SessionPlan { leave_delay: Duration::ZERO, ..SessionPlan::sparse(1) };
    let places = [Stay { stop: Some(1.0), ..from(host, 0.0) }, Stay { stop: Some(2.0), ..from(host, 0.0) }];
    session(&mut network, source, plan, &places);
    let mut world: World<Wheel> = build(network);
    world.run(at(4.0), u64::MAX);
    let [first_s, second_s] = [0, 1].map(|member| shown(&world, member)[2]);
    assert!(first_s <= 1.0 && second_s > 1.99 && second_s <= 2.0);
    assert!(world.links()[4].counters().delivered < 2 * world.receiver(0, 1).received_pkts, "one copy serves both");
}

#[test]
fn a_host_that_comes_back_within_the_leave_delay_misses_nothing_but_its_absence() {
    let (mut network, [source, _, _, host]) = row(LinkMode::Fused);
    let places = [Stay { stop: Some(1.0), ..from(host, 0.0) }, from(host, 1.5)];
    session(&mut network, source, SessionPlan::sparse(1), &places);
    let mut world: World<Wheel> = build(network);
    world.run(at(1.5), u64::MAX);
    let before = world.links()[4].counters().delivered;
    world.run(at(6.0), u64::MAX);
    // 200 packets a second, without a gap when the leave of 1.0 s would have taken effect.
    let during = world.links()[4].counters().delivered - before;
    assert!((899..=901).contains(&during), "{during}");
    assert!(world.receiver(0, 1).received_pkts >= 898);
}

#[test]
fn a_lost_join_is_repeated() {
    let mut network = NetworkBuilder::new(1);
    let (source, host) = (network.node("source"), network.node("host"));
    link(&mut network, source, host, LinkMode::Fused, 0);
    link(&mut network, host, source, LinkMode::Fused, 2);
    session(&mut network, source, SessionPlan::sparse(1), &[from(host, 0.0)]);
    let mut world: World<Wheel> = build(network);
    world.run(at(5.9), u64::MAX);
    assert_eq!(world.receiver(0, 0).received_pkts, 0);
    world.run(at(6.1), u64::MAX);
    assert!(world.receiver(0, 0).received_pkts > 0, "the third join, after twice 3 s, has come");
    world.run(at(20.0), u64::MAX);
    assert_eq!(world.links()[1].counters().arrived, 3, "the acknowledged join is not repeated");
}

#[test]
fn a_blocked_group_is_held_back_but_stays_joined_and_a_leave_clears_the_block() {
    let (mut network, [source, _, _, host]) = row(LinkMode::Fused);
    let plan = SessionPlan { leave_delay: Duration::ZERO, ..SessionPlan::sparse(2) };
    let places = [Stay { stop: Some(3.0), ..from(host, 0.0) }, from(host, 4.0)];
    let groups = session(&mut network, source, plan, &places);
    let mut world: World<Wheel> = build(network);
    world.run(at(1.0), u64::MAX);
    assert!(world.set_blocked(groups[0], LinkId(2), GroupSet::of(1), true));
    let count = |world: &World<Wheel>, link: usize| world.links()[link].counters().delivered;
    world.run(at(1.1), u64::MAX);
    let (above, below) = (count(&world, 0), count(&world, 4));
    world.run(at(2.1), u64::MAX);
    assert!((199..=201).contains(&(count(&world, 0) - above)), "the router above still gets both");
    assert!((99..=101).contains(&(count(&world, 4) - below)), "below there is one group of two");
    world.run(at(5.0), u64::MAX);
    let below = count(&world, 4);
    world.run(at(6.0), u64::MAX);
    assert!((199..=201).contains(&(count(&world, 4) - below)), "after leave and join nothing is blocked");
}

#[test]
fn dense_mode_floods_prunes_and_floods_again() {
    let mut network = NetworkBuilder::new(1);
    let [source, left, right, host, idle] = ["source", "left", "right", "host", "idle"].map(|name| network.node(name));
    duplex(&mut network, source, left, LinkMode::Fused);
    duplex(&mut network, source, right, LinkMode::Fused);
    duplex(&mut network, left, host, LinkMode::Fused);
    duplex(&mut network, right, idle, LinkMode::Fused);
    let mode = Mode::Dense { prune_timeout: Duration::from_millis(500) };
    let plan = SessionPlan { mode, leave_delay: Duration::ZERO, ..SessionPlan::sparse(1) };
    session(&mut network, source, plan, &[from(host, 0.0)]);
    let mut world: World<Wheel> = build(network);
    world.run(at(10.0), u64::MAX);
    // Towards the idle side packets flow for the time they take to the last router and its prune takes back, over two
    // links of 10 ms: 40 ms or 8 to 10 packets, once in some 0.54 s.
    let unwanted = world.links()[2].counters().delivered;
    assert!((150..=200).contains(&unwanted), "{unwanted}");
    assert!(world.receiver(0, 0).received_pkts > 1980);
}

#[test]
fn a_mark_on_one_branch_leaves_the_copies_on_the_others_alone() {
    for mode in [LinkMode::Fused, LinkMode::TwoStage] {
        let mut network = NetworkBuilder::new(1);
        let [source, router, a, b] = ["source", "router", "a", "b"].map(|name| network.node(name));
        duplex(&mut network, source, router, LinkMode::Fused);
        duplex(&mut network, router, b, LinkMode::Fused);
        link(&mut network, a, router, LinkMode::Fused, 0);
        let (name, rate, loss) = ("marks".to_owned(), Rate(98_765_432), Loss::Guest(Box::new(LosesFirst(0))));
        let queue = Queue::Guest(Box::new(Marks));
        network.link(LinkPlan { name, from: router, to: a, rate, delay: DELAY, queue, loss, mode });
        session(&mut network, source, SessionPlan::sparse(1), &[from(a, 0.0), from(b, 0.0)]);
        let mut world: World<Wheel> = build(network);
        world.run(at(2.0), u64::MAX);
        let [marked, clean] = [0, 1].map(|member| (world.receiver(0, member).received_pkts, shown(&world, member)[0]));
        assert!(marked.0 > 370 && marked.0 as f64 == marked.1);
        assert_eq!(clean, (marked.0, 0.0));
    }
}

/// A binary tree of routers of this depth, its leaves hosts; every host a member.
fn tree<C: Calendar>(depth: u32, mode: LinkMode) -> (World<C>, usize) {
    let mut network = NetworkBuilder::new(1);
    let root = network.node("source");
    let mut level = vec![root];
    for d in 0..depth {
        let mut next = Vec::new();
        for &parent in &level {
            for side in ["l", "r"] {
                let child = network.node(format!("{d}-{}{side}", parent.0));
                duplex(&mut network, parent, child, mode);
                next.push(child);
            }
        }
        level = next;
    }
    let places: Vec<Stay> = level.iter().map(|&leaf| from(leaf, 0.0)).collect();
    session(&mut network, root, SessionPlan::sparse(1), &places);
    (build(network), level.len())
}

#[test]
fn every_leaf_of_a_tree_gets_every_packet_once() {
    let (mut world, leaves) = tree::<Wheel>(6, LinkMode::Fused);
    world.run(at(2.0), u64::MAX);
    let received: Vec<u64> = (0..leaves).map(|leaf| world.receiver(0, leaf).received_pkts).collect();
    assert!(received.iter().all(|&count| count == received[0]) && received[0] > 370, "{received:?}");
    // On the way down one copy per link, each carried once.
    let copies: u64 = world.links().iter().map(|link| link.counters().delivered_bytes / 1000).sum();
    assert!(copies <= 126 * 400);
    assert_eq!(world.undeliverable(), [Undeliverable::default(); 2]);
    assert!(world.links().iter().all(|link| link.conserves()));
}

#[test]
fn calendars_and_link_modes_give_identical_traces() {
    fn digest<C: Calendar>(mode: LinkMode) -> Option<(u64, u64)> {
        let (mut world, _) = tree::<C>(4, mode);
        world.run(at(1.0), u64::MAX);
        world.digest()
    }
    let fused = digest::<Wheel>(LinkMode::Fused);
    assert!(fused.is_some_and(|(_, records)| records > 10_000));
    assert_eq!(fused, digest::<Wheel>(LinkMode::TwoStage));
    assert_eq!(fused, digest::<Heap>(LinkMode::Fused));
}

#[test]
fn in_an_any_source_session_members_hear_each_other() {
    let plan = SessionPlan { any_source: GroupSet::of(0), ..SessionPlan::sparse(1) };
    let received = |speaks: bool| -> Vec<u64> {
        let mut network = NetworkBuilder::new(1);
        let [source, router, a, b] = ["source", "router", "a", "b"].map(|name| network.node(name));
        for node in [source, a, b] {
            duplex(&mut network, router, node, LinkMode::Fused);
        }
        let places = [from(a, 0.0), from(b, 0.0), Stay { speaks, ..from(a, 1.0) }];
        session(&mut network, source, plan, &places);
        let mut world: World<Wheel> = build(network);
        world.run(at(2.0), u64::MAX);
        (0..3).map(|member| world.receiver(0, member).received_pkts).collect()
    };
    let (without, with) = (received(false), received(true));
    assert_eq!(with, [without[0] + 1, without[1] + 1, without[2]], "all but the speaker hear one packet more");
}

#[test]
fn where_only_the_source_may_send_the_packet_of_a_member_is_given_up_and_counted() {
    let (mut network, [source, _, _, host]) = row(LinkMode::Fused);
    session(&mut network, source, SessionPlan::sparse(1), &[Stay { speaks: true, ..from(host, 0.0) }]);
    let mut world: World<Wheel> = build(network);
    world.run(at(1.0), u64::MAX);
    let counted = world.undeliverable();
    assert_eq!(counted[0], Undeliverable { not_a_source: 1, ..Undeliverable::default() });
    assert_eq!((counted[0].total(), counted[1].total()), (1, 0));
}

#[test]
fn the_packet_of_a_member_that_may_not_send_reaches_nobody_beside_or_below_it() {
    let received = |speaks: bool| {
        let (mut network, [source, _, router, host]) = row(LinkMode::Fused);
        let places = [from(router, 0.0), from(host, 0.0), Stay { speaks, ..from(router, 1.0) }];
        session(&mut network, source, SessionPlan::sparse(1), &places);
        let mut world: World<Wheel> = build(network);
        world.run(at(2.0), u64::MAX);
        assert_eq!(world.undeliverable()[0].not_a_source, u64::from(speaks));
        [0, 1, 2].map(|member| world.receiver(0, member).received_pkts)
    };
    assert_eq!(received(true), received(false));
}

#[test]
fn a_member_that_cannot_be_reached_is_an_error() {
    let mut network = NetworkBuilder::new(1);
    let [source, router, host] = ["source", "router", "host"].map(|name| network.node(name));
    duplex(&mut network, source, router, LinkMode::Fused);
    session(&mut network, source, SessionPlan::sparse(1), &[from(host, 0.0)]);
    let errors = network.build::<Wheel>().err().expect("errors");
    assert!(errors.contains(&BuildError::Unreachable { from: "host".into(), to: "source".into() }));
}
