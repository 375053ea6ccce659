//! Trees that change.

use crate::support::{DELAY, Stay, at, build, duplex, from, link_of, session, shown};
use faircast_proto::group_set::GroupSet;
use faircast_proto::packet::Address;
use faircast_proto::time::Duration;
use faircast_sim::builder::NetworkBuilder;
use faircast_sim::calendar::Wheel;
use faircast_sim::change::Change;
use faircast_sim::counters::Undeliverable;
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::link::LinkMode;
use faircast_sim::multicast::{Rebuild, SessionPlan};
use faircast_sim::routing::Edge;
use faircast_sim::world::World;

/// Source - left - host and source - right - host, links 0 to 7 in pairs of one down and one up; a second host hangs on
/// the right router. All links take 10 ms.
struct Diamond {
    nodes: [NodeId; 5],
    edges: Vec<Edge>,
}

fn diamond() -> (NetworkBuilder, Diamond) {
    let mut network = NetworkBuilder::new(1);
    let nodes = ["source", "left", "right", "host", "other"].map(|name| network.node(name));
    let [source, left, right, host, other] = nodes;
    let mut edges = Vec::new();
    for (a, b) in [(source, left), (left, host), (source, right), (right, host), (right, other)] {
        duplex(&mut network, a, b, LinkMode::Fused);
        edges.extend([(a, b), (b, a)].map(|(from, to)| Edge { from, to, delay: DELAY }));
    }
    (network, Diamond { nodes, edges })
}

impl Diamond {
    /// The links as routing sees them when those between two nodes are longer.
    fn longer(&self, pair: usize, by: Duration) -> Vec<Edge> {
        let mut edges = self.edges.clone();
        for edge in &mut edges[2 * pair..2 * pair + 2] {
            edge.delay = edge.delay + by;
        }
        edges
    }
}

const LEFT_HOST: usize = 2;
const RIGHT_HOST: usize = 6;

fn joined(world: &World<Wheel>, group: Address, link: usize) -> Option<GroupSet> {
    world.interface(group, LinkId(link as u32)).map(|(joined, _)| joined)
}

#[test]
fn at_a_change_interfaces_have_joined_what_is_wanted_below_at_that_instant() {
    let (mut network, diamond) = diamond();
    let [source, _, _, host, _] = diamond.nodes;
    let groups = session(&mut network, source, SessionPlan::sparse(2), &[from(host, 0.0)]);
    let mut world: World<Wheel> = build(network);
    world.run(at(1.0), u64::MAX);
    let both = Some(GroupSet::all(2));
    assert_eq!([0, LEFT_HOST].map(|link| joined(&world, groups[0], link)), [both; 2]);
    assert_eq!(joined(&world, groups[0], RIGHT_HOST), None, "no part of the tree");
    let messages = [1, 3, 5, 7].map(|link| world.links()[link].counters().arrived);
    world.retree(&diamond.longer(1, Duration::from_millis(1)));
    assert_eq!([4, RIGHT_HOST].map(|link| joined(&world, groups[0], link)), [both; 2]);
    assert_eq!([0, LEFT_HOST].map(|link| joined(&world, groups[0], link)), [Some(GroupSet::EMPTY), None]);
    let before = world.receiver(0, 0).received_pkts;
    world.run(at(2.0), u64::MAX);
    assert_eq!([1, 3, 5, 7].map(|link| world.links()[link].counters().arrived), messages, "nobody had to say a word");
    // What was on its way to the host over the left comes over the wrong link. At the left router nobody wants it.
    let lost = world.undeliverable()[0];
    assert_eq!(lost, Undeliverable { off_tree: 2, ..Undeliverable::default() });
    // What was sent from 1.005 s to 1.975 s; the packet of 1 s was the last that went to the left.
    assert_eq!(world.receiver(0, 0).received_pkts - before, 195);
}

#[test]
fn packets_come_twice_only_where_the_new_way_is_slower() {
    // Source - left - host and left - right - host, with another member at the right router. What left the left router
    // for both from 40 ms to 10 ms before the change has come to the host and comes to the right router after it.
    for (across_ms, twice) in [(40, 6), (10, 0), (5, 0)] {
        let mut network = NetworkBuilder::new(1);
        let [source, left, right, host] = ["source", "left", "right", "host"].map(|name| network.node(name));
        let mut edges = Vec::new();
        for (a, b, ms) in [(source, left, 10), (left, host, 10), (left, right, across_ms), (right, host, 50)] {
            let delay = Duration::from_millis(ms);
            for (from, to) in [(a, b), (b, a)] {
                link_of(&mut network, from, to, delay);
                edges.push(Edge { from, to, delay });
            }
        }
        session(&mut network, source, SessionPlan::sparse(1), &[from(host, 0.0), from(right, 0.0)]);
        let mut world: World<Wheel> = build(network);
        world.run(at(1.0), u64::MAX);
        for edge in &mut edges[2..4] {
            edge.delay = Duration::from_secs(1);
        }
        world.retree(&edges);
        world.run(at(2.0), u64::MAX);
        eprintln!("{:?} {:?}", world.receiver(0, 0), world.undeliverable());
        assert_eq!(shown(&world, 0)[1] as u64, twice, "{across_ms} ms across");
        assert_eq!(shown(&world, 1)[1], 0.0, "the other member's way stays");
        assert_eq!(world.undeliverable()[0].off_tree, 2, "what was on the wire from the left router to the host");
    }
}

#[test]
fn what_the_source_sent_is_off_the_tree_where_the_way_down_has_become_the_way_up() {
    // Source - left - right; then source - right - left. What comes to the right router from the left one would be
    // something that a member sends, if the source had not sent it; that members may send there changes nothing.
    for any_source in [GroupSet::EMPTY, GroupSet::all(1)] {
        let mut network = NetworkBuilder::new(1);
        let [source, left, right] = ["source", "left", "right"].map(|name| network.node(name));
        let mut edges = Vec::new();
        for (a, b, ms) in [(source, left, 10), (left, right, 10), (source, right, 50)] {
            let delay = Duration::from_millis(ms);
            for (from, to) in [(a, b), (b, a)] {
                link_of(&mut network, from, to, delay);
                edges.push(Edge { from, to, delay });
            }
        }
        let plan = SessionPlan { any_source, ..SessionPlan::sparse(1) };
        session(&mut network, source, plan, &[from(left, 0.0), from(right, 0.0)]);
        let mut world: World<Wheel> = build(network);
        world.run(at(1.0), u64::MAX);
        for edge in &mut edges[..2] {
            edge.delay = Duration::from_secs(1);
        }
        world.retree(&edges);
        world.run(at(2.0), u64::MAX);
        // One packet each 5 ms: those of 0.99, 0.995 and 1 s were on the first link, those of 0.98 and 0.985 s on the
        // second one.
        assert_eq!(world.undeliverable()[0], Undeliverable { off_tree: 5, ..Undeliverable::default() });
    }
}

#[test]
fn what_is_blocked_stays_blocked_on_interfaces_that_stay_and_is_gone_on_others() {
    let (mut network, diamond) = diamond();
    let [source, _, _, host, other] = diamond.nodes;
    let groups = session(&mut network, source, SessionPlan::sparse(2), &[from(host, 0.0), from(other, 0.0)]);
    let mut world: World<Wheel> = build(network);
    world.run(at(1.0), u64::MAX);
    let one = GroupSet::of(1);
    for link in [LEFT_HOST, 8] {
        assert!(world.set_blocked(groups[0], LinkId(link as u32), one, true));
    }
    assert!(!world.set_blocked(groups[0], LinkId(1), one, true), "no branch begins with a link up");
    assert!(!world.set_blocked(Address::group(2), LinkId(8), one, true), "no session has this group");
    world.retree(&diamond.longer(1, DELAY));
    let blocked =
        |world: &World<Wheel>, link: u32| world.interface(groups[0], LinkId(link)).map(|(_, blocked)| blocked);
    assert_eq!([6, 8].map(|link| blocked(&world, link)), [Some(GroupSet::EMPTY), Some(one)]);
    world.retree(&diamond.edges);
    assert_eq!([2, 8].map(|link| blocked(&world, link)), [Some(GroupSet::EMPTY), Some(one)]);
}

#[test]
fn by_messages_the_new_way_is_asked_and_the_old_one_told() {
    let (mut network, diamond) = diamond();
    let [source, _, _, host, _] = diamond.nodes;
    let plan = SessionPlan { rebuild: Rebuild::ByMessages, ..SessionPlan::sparse(1) };
    let groups = session(&mut network, source, plan, &[from(host, 0.0)]);
    let mut world: World<Wheel> = build(network);
    world.run(at(1.0), u64::MAX);
    world.retree(&diamond.longer(1, DELAY));
    assert_eq!(joined(&world, groups[0], RIGHT_HOST), Some(GroupSet::EMPTY));
    assert_eq!(joined(&world, groups[0], 0), Some(GroupSet::all(1)), "the left router has not told the source yet");
    // The report takes 10 ms to the right router and 10 ms to the source, the packets 20 ms back.
    world.run(at(1.0101), u64::MAX);
    assert_eq!(joined(&world, groups[0], RIGHT_HOST), Some(GroupSet::all(1)));
    assert_eq!(joined(&world, groups[0], 0), Some(GroupSet::EMPTY));
    let before = world.receiver(0, 0).received_pkts;
    world.run(at(1.04), u64::MAX);
    assert_eq!(world.receiver(0, 0).received_pkts, before);
    world.run(at(1.05), u64::MAX);
    assert!(world.receiver(0, 0).received_pkts > before);
}

#[test]
fn by_messages_reports_go_out_when_a_link_goes_down() {
    let (mut network, diamond) = diamond();
    let [source, _, _, host, _] = diamond.nodes;
    let plan = SessionPlan { rebuild: Rebuild::ByMessages, ..SessionPlan::sparse(1) };
    let groups = session(&mut network, source, plan, &[from(host, 0.0)]);
    for link in [LEFT_HOST, LEFT_HOST + 1] {
        network.change(at(1.0), LinkId(link as u32), Change::Down);
    }
    let mut world: World<Wheel> = build(network);
    world.run(at(1.0001), u64::MAX);
    assert_eq!(joined(&world, groups[0], RIGHT_HOST), Some(GroupSet::EMPTY));
    world.run(at(1.0101), u64::MAX);
    assert_eq!(joined(&world, groups[0], RIGHT_HOST), Some(GroupSet::all(1)), "10 ms later, and not at the next retry");
    world.run(at(1.5), u64::MAX);
    assert!(world.receiver(0, 0).received_pkts > 280);
}

#[test]
fn a_report_from_before_the_change_has_no_effect_after_it() {
    // The host joins, leaves and so on each 3 ms; whatever is under way when the tree moves there and back again, in
    // the end the interface has joined what the host wants.
    for moves in 1..40 {
        let (mut network, diamond) = diamond();
        let [source, _, _, host, _] = diamond.nodes;
        let plan = SessionPlan { leave_delay: Duration::ZERO, ..SessionPlan::sparse(1) };
        let place = |n: u32| {
            let start = 0.5 + 0.006 * f64::from(n);
            Stay { node: host, start, stop: (n < 9).then_some(start + 0.003), speaks: false }
        };
        let places: Vec<Stay> = (0..10).map(place).collect();
        let groups = session(&mut network, source, plan, &places);
        let mut world: World<Wheel> = build(network);
        let first = 0.5 + 0.002 * f64::from(moves);
        for (nth, edges) in [diamond.longer(1, DELAY), diamond.edges.clone()].iter().enumerate() {
            world.run(at(first + 0.004 * nth as f64), u64::MAX);
            world.retree(edges);
        }
        world.run(at(2.0), u64::MAX);
        assert_eq!([0, LEFT_HOST].map(|link| joined(&world, groups[0], link)), [Some(GroupSet::all(1)); 2]);
        assert!(world.links().iter().all(|link| link.conserves()));
    }
}

#[test]
fn a_way_that_becomes_too_long_ends_where_the_hops_do() {
    // A ring of 70 routers, the member a hop from the source, which becomes 69 hops the other way round.
    let mut network = NetworkBuilder::new(1);
    let ring: Vec<NodeId> = (0..70).map(|n| network.node(format!("r{n}"))).collect();
    let mut edges = Vec::new();
    for n in 0..70 {
        let (a, b) = (ring[n], ring[(n + 1) % 70]);
        let delay = Duration::from_millis(1);
        for (from, to) in [(a, b), (b, a)] {
            link_of(&mut network, from, to, delay);
            edges.push(Edge { from, to, delay });
        }
    }
    session(&mut network, ring[0], SessionPlan::sparse(1), &[from(ring[1], 0.0)]);
    let mut world: World<Wheel> = build(network);
    world.run(at(1.0), u64::MAX);
    for edge in &mut edges[0..2] {
        edge.delay = Duration::from_secs(10);
    }
    world.retree(&edges);
    let before = world.receiver(0, 0).received_pkts;
    world.run(at(2.0), u64::MAX);
    assert_eq!(world.receiver(0, 0).received_pkts, before);
    // 64 hops, a millisecond and more each, are the last.
    let out_of_hops = world.undeliverable()[0].out_of_hops;
    assert!((184..=187).contains(&out_of_hops), "{out_of_hops}");
    assert_eq!(world.links()[139 - 2 * 63].counters().delivered, out_of_hops, "the sixty-fourth link on the way");
    assert_eq!(world.links()[139 - 2 * 64].counters().arrived, 0);
}

#[test]
fn what_was_on_its_way_to_where_a_link_led_before_comes_to_nobody_where_it_leads_now() {
    // The link turns at 1 s from one host, which is 10 ms away, to the other, which had a way of 50 ms.
    let mut network = NetworkBuilder::new(1);
    let [source, first, second] = ["source", "first", "second"].map(|name| network.node(name));
    let turns = LinkId(0);
    duplex(&mut network, source, first, LinkMode::Fused);
    for (from, to) in [(source, second), (second, source)] {
        link_of(&mut network, from, to, Duration::from_millis(50));
    }
    network.change(at(1.0), turns, Change::FarEnd(second));
    session(&mut network, source, SessionPlan::sparse(1), &[from(first, 0.0), from(second, 0.0)]);
    let mut world: World<Wheel> = build(network);
    world.run(at(1.0), u64::MAX);
    let received = |world: &World<Wheel>| world.receiver(0, 1).received_pkts;
    let before = received(&world);
    assert!(before > 170, "{before}");
    world.run(at(1.01), u64::MAX);
    assert_eq!(received(&world), before, "what is sent from now on takes 10 ms");
    assert!(world.undeliverable()[0].off_tree >= 2, "those of 0.995 and 1 s came to the first host");
    world.run(at(2.0), u64::MAX);
    assert!(received(&world) - before >= 197, "{}", received(&world) - before);
}

#[test]
fn who_comes_to_the_end_of_a_link_that_has_turned_says_anew_what_it_wants() {
    // Two hosts behind a router. The link to the first, which has said much, turns to the second, whose own goes down.
    let mut network = NetworkBuilder::new(1);
    let [source, router, first, second] = ["source", "router", "first", "second"].map(|name| network.node(name));
    for (a, b) in [(source, router), (router, first), (router, second)] {
        duplex(&mut network, a, b, LinkMode::Fused);
    }
    let (turns, ends) = (LinkId(2), LinkId(4));
    network.change(at(1.0), turns, Change::FarEnd(second));
    network.change(at(1.0), ends, Change::Down);
    let plan = SessionPlan { rebuild: Rebuild::ByMessages, leave_delay: Duration::ZERO, ..SessionPlan::sparse(1) };
    let short = |start: f64| Stay { stop: Some(start + 0.05), ..from(first, start) };
    let mut places: Vec<Stay> = (0..8).map(|step| short(f64::from(step) / 10.0)).collect();
    places.push(from(second, 0.0));
    let groups = session(&mut network, source, plan, &places);
    let mut world: World<Wheel> = build(network);
    world.run(at(0.99), u64::MAX);
    let before = world.receiver(0, 8).received_pkts;
    world.run(at(2.0), u64::MAX);
    assert_eq!(world.interface(groups[0], turns), Some((GroupSet::all(1), GroupSet::EMPTY)));
    // All of a second but twice the delay.
    let received = world.receiver(0, 8).received_pkts - before;
    assert!(received >= 195, "{received}");
}

#[test]
fn what_is_joined_where_no_way_leads_to_the_source_is_there_when_one_does_again() {
    let (at_once, by_messages) = (Rebuild::AtOnce, Rebuild::ByMessages);
    let cases: [(_, &[u32]); 4] = [(at_once, &[2]), (at_once, &[2, 3]), (by_messages, &[2]), (by_messages, &[2, 3])];
    for (rebuild, down) in cases {
        // Source - r1 - r2 - two hosts. What goes down is the link to r2 alone, or the one back as well: the hosts'
        // ways end there, or lead nowhere.
        let mut network = NetworkBuilder::new(1);
        let [source, r1, r2, first, second] = ["source", "r1", "r2", "first", "second"].map(|name| network.node(name));
        for (a, b) in [(source, r1), (r1, r2), (r2, first), (r2, second)] {
            duplex(&mut network, a, b, LinkMode::Fused);
        }
        for &link in down {
            network.change(at(1.0), LinkId(link), Change::Down);
            network.change(at(2.0), LinkId(link), Change::Up);
        }
        let plan = SessionPlan { rebuild, ..SessionPlan::sparse(1) };
        let groups = session(&mut network, source, plan, &[from(first, 0.0), from(second, 0.0)]);
        let mut world: World<Wheel> = build(network);
        world.run(at(2.5), u64::MAX);
        let joined = Some((GroupSet::all(1), GroupSet::EMPTY));
        assert_eq!([2, 4, 6].map(|link| world.interface(groups[0], LinkId(link))), [joined; 3], "{rebuild:?} {down:?}");
    }
}
