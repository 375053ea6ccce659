//! Links with legs: who hears what, what agents see, how trees change.

use crate::support::{DELAY, GAP, Stay, ample, at, build, duplex, from, link, session, shown};
use faircast_proto::group_set::GroupSet;
use faircast_proto::packet::{Address, Packet};
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_sim::builder::{CarrierPlan, LegPlan, NetworkBuilder};
use faircast_sim::calendar::{Calendar, Heap, Wheel};
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::link::LinkMode;
use faircast_sim::loss::{Loss, none::Lossless};
use faircast_sim::multicast::{Mode, Rebuild, SessionPlan};
use faircast_sim::router::{
    InterfaceAgent, MembershipChange, Offer, RouterAgent, RouterGauge, RouterOutbox, RouterView,
};
use faircast_sim::routing::Edge;
use faircast_sim::world::World;
use std::sync::{Arc, Mutex};

fn carrier(network: &mut NetworkBuilder, from: NodeId) -> LinkId {
    let rate = Rate(98_765_432);
    network.carrier(CarrierPlan { name: format!("{}-", from.0), from, rate, queue: ample(rate) })
}

/// A leg, and a link back.
fn leg(network: &mut NetworkBuilder, carrier: LinkId, from: NodeId, to: NodeId) -> LinkId {
    let (name, loss) = (format!("{}-{}", from.0, to.0), Loss::Lossless(Lossless));
    let leg = network.leg(LegPlan { name, carrier, to, delay: DELAY, loss });
    link(network, to, from, LinkMode::Fused, 0);
    leg
}

/// Source - satellite, links 0 and 1, a carrier, link 2, with legs to so many terminals, links 3, 5, ..
fn satellite(terminals: usize) -> (NetworkBuilder, [NodeId; 2], Vec<NodeId>, LinkId) {
    let mut network = NetworkBuilder::new(1);
    let [source, satellite] = ["source", "satellite"].map(|name| network.node(name));
    duplex(&mut network, source, satellite, LinkMode::Fused);
    let carrier = carrier(&mut network, satellite);
    let terminal = |index| {
        let terminal = network.node(format!("t{index}"));
        leg(&mut network, carrier, satellite, terminal);
        terminal
    };
    let terminals = (0..terminals).map(terminal).collect();
    (network, [source, satellite], terminals, carrier)
}

/// What an agent has heard, and the packets of sessions that it has seen.
#[derive(Default)]
struct Log {
    changes: Vec<(f64, GroupSet, GroupSet)>,
    offered: u64,
}

/// Writes down; blocks groups at their joins.
struct Watch {
    log: Arc<Mutex<Log>>,
    blocks: GroupSet,
}

impl RouterAgent for Watch {
    fn on_packet(&mut self, packet: &Packet, at: &RouterView<'_>, _out: &mut RouterOutbox) -> Offer {
        if let Some((session, group)) = at.place(packet.destination) {
            assert!(session.joined.contains(group) && !session.blocked.contains(group));
            self.log.lock().expect("one thread").offered += 1;
        }
        Offer::Forward
    }

    fn on_membership(&mut self, change: &MembershipChange, at: &RouterView<'_>, out: &mut RouterOutbox) {
        let seconds = at.interface.now.as_secs_f64();
        self.log.lock().expect("one thread").changes.push((seconds, change.joined, change.left));
        for group in (change.joined & self.blocks).iter() {
            out.block(Address::group(change.first.index() as u32 + group));
        }
    }

    fn gauges(&self, _tell: &mut dyn FnMut(RouterGauge)) {}
}

fn watch(network: &mut NetworkBuilder, carrier: LinkId, blocks: GroupSet) -> Arc<Mutex<Log>> {
    let log = Arc::new(Mutex::new(Log::default()));
    let agent = Watch { log: log.clone(), blocks };
    network.router_agent(carrier, InterfaceAgent::Guest(Box::new(agent)));
    log
}

#[test]
fn agents_see_the_union_of_what_is_joined_on_legs_and_each_packet_once() {
    let (mut network, [source, _], terminals, carrier) = satellite(3);
    let stay = |node, start, stop| Stay { node, start, stop: Some(stop), speaks: false };
    let places = [stay(terminals[0], 1.0, 3.0), stay(terminals[1], 2.0, 4.0), stay(terminals[2], 2.5, 2.6)];
    let plan = SessionPlan { leave_delay: Duration::ZERO, ..SessionPlan::sparse(1) };
    let groups = session(&mut network, source, plan, &places);
    let log = watch(&mut network, carrier, GroupSet::EMPTY);
    let mut world: World<Wheel> = build(network);
    world.run(at(2.55), u64::MAX);
    let one = (GroupSet::all(1), GroupSet::EMPTY);
    assert_eq!([2, 3, 5, 7].map(|link| world.interface(groups[0], LinkId(link))), [Some(one); 4]);
    world.run(at(3.5), u64::MAX);
    let none = (GroupSet::EMPTY, GroupSet::EMPTY);
    assert_eq!([2, 3, 5, 7].map(|link| world.interface(groups[0], LinkId(link))), [one, none, one, none].map(Some));
    world.run(at(5.0), u64::MAX);
    let log = log.lock().expect("one thread");
    let heard: Vec<_> = log.changes.iter().map(|&(at, joined, left)| ((at * 100.0) as u32, joined, left)).collect();
    assert_eq!(heard, [(101, GroupSet::all(1), GroupSet::EMPTY), (401, GroupSet::EMPTY, GroupSet::all(1))]);
    // One each 5 ms for three seconds, whichever of the three listens, and each leg gets what its terminal wants.
    assert!(log.offered.abs_diff(600) <= 10, "{}", log.offered);
    let sent = |link: usize| world.links()[link].counters().delivered;
    let received = [0, 1, 2].map(|member| world.receiver(0, member).received_pkts);
    assert!(received.iter().zip([400_u64, 400, 20]).all(|(got, want)| want - got <= 10), "{received:?}");
    // And an acknowledgement of each join and leave.
    assert_eq!(sent(2), log.offered + 6);
    for (member, link) in [3, 5, 7].into_iter().enumerate() {
        assert!(sent(link) - 2 >= received[member] && sent(link) - 2 <= received[member] + 4, "leg {link}");
    }
}

#[test]
fn what_still_waits_when_the_last_leg_is_left_is_transmitted_in_vain() {
    // 1.6 Mbit/s to a carrier of 1 Mbit/s: its queue grows until the only terminal leaves.
    let mut network = NetworkBuilder::new(1);
    let [source, satellite, terminal] = ["source", "satellite", "terminal"].map(|name| network.node(name));
    duplex(&mut network, source, satellite, LinkMode::Fused);
    let rate = Rate(1_000_000);
    let carrier = network.carrier(CarrierPlan { name: "down".into(), from: satellite, rate, queue: ample(rate) });
    let leg = leg(&mut network, carrier, satellite, terminal);
    let plan = SessionPlan { leave_delay: Duration::ZERO, ..SessionPlan::sparse(1) };
    session(&mut network, source, plan, &[Stay { node: terminal, start: 0.0, stop: Some(1.0), speaks: false }]);
    let mut world: World<Wheel> = build(network);
    world.run(at(3.0), u64::MAX);
    let [down, heard] = [carrier, leg].map(|link| *world.links()[link.index()].counters());
    assert!(down.unreceived > 50, "{down:?}");
    assert_eq!(down.departed, heard.delivered + down.unreceived);
}

#[test]
fn what_is_blocked_at_its_join_passes_to_no_leg_and_what_is_released_to_all() {
    let (mut network, [source, _], terminals, carrier) = satellite(3);
    let places = [from(terminals[0], 0.0), from(terminals[1], 0.5), from(terminals[2], 0.0)];
    let groups = session(&mut network, source, SessionPlan::sparse(2), &places);
    let log = watch(&mut network, carrier, GroupSet::of(1));
    let mut world: World<Wheel> = build(network);
    world.run(at(1.0), u64::MAX);
    assert_eq!(world.interface(groups[0], carrier), Some((GroupSet::all(2), GroupSet::of(1))));
    let offered = log.lock().expect("one thread").offered;
    assert!(offered.abs_diff(99) <= 4, "group 0 only: {offered}");
    let received = |world: &World<Wheel>| [0, 1, 2].map(|member| world.receiver(0, member).received_pkts);
    assert!(received(&world).iter().zip([99_u64, 49, 99]).all(|(got, want)| got.abs_diff(want) <= 6));
    assert!(!world.set_blocked(groups[0], LinkId(3), GroupSet::of(1), false), "no leg is an interface");
    assert!(world.set_blocked(groups[0], carrier, GroupSet::of(1), false));
    let before = received(&world);
    world.run(at(2.0), u64::MAX);
    assert!(received(&world).iter().zip(before).all(|(now, before)| (now - before).abs_diff(200) <= 4));
}

#[test]
fn what_is_blocked_stays_blocked_while_the_carrier_stays_on_the_tree() {
    let (mut network, [source, _], terminals, carrier) = satellite(2);
    let far = network.node("far");
    duplex(&mut network, terminals[0], far, LinkMode::Fused);
    let groups = session(&mut network, source, SessionPlan::sparse(2), &[from(terminals[0], 0.0), from(far, 0.0)]);
    let ends = |network: &[(NodeId, NodeId)]| -> Vec<Edge> {
        network.iter().map(|&(from, to)| Edge { from, to, delay: DELAY }).collect()
    };
    let (sat, t) = (NodeId(1), &terminals);
    let edges = ends(&[
        (source, sat),
        (sat, source),
        (sat, sat),
        (sat, t[0]),
        (t[0], sat),
        (sat, t[1]),
        (t[1], sat),
        (t[0], far),
        (far, t[0]),
    ]);
    let mut world: World<Wheel> = build(network);
    world.run(at(1.0), u64::MAX);
    assert!(world.set_blocked(groups[0], carrier, GroupSet::of(1), true));
    world.retree(&edges);
    let blocked = (GroupSet::all(2), GroupSet::of(1));
    assert_eq!(world.interface(groups[0], carrier), Some(blocked));
    let before = world.receiver(0, 0).received_pkts;
    world.run(at(2.0), u64::MAX);
    assert!((world.receiver(0, 0).received_pkts - before).abs_diff(100) <= 4, "one of two groups");
}

#[test]
fn what_a_terminal_sends_to_a_group_comes_to_all_others_and_not_back() {
    let plan = || SessionPlan { any_source: GroupSet::of(0), ..SessionPlan::sparse(1) };
    // The source is silent; one of so many members speaks, half a second after the others have joined.
    let run = |nodes: &[usize]| {
        let (mut network, [source, _], terminals, _) = satellite(3);
        let members = nodes.len();
        let mut places: Vec<Stay> = nodes.iter().map(|&node| from(terminals[node], 0.0)).collect();
        places[0] = Stay { node: terminals[0], start: 0.5, stop: None, speaks: true };
        let own = network.address(source);
        let addresses: Vec<Address> = places.iter().map(|place| network.address(place.node)).collect();
        let (flow, first) = network.session(own, plan());
        crate::support::silent(&mut network, own, flow);
        for (place, &own) in places.iter().zip(&addresses) {
            network.member(flow, own);
            let agent = crate::support::member(own, &[first], place.speaks);
            network.place(own, flow, agent, Instant::from_secs_f64(place.start), None);
        }
        let mut world: World<Wheel> = build(network);
        world.run(at(1.0), u64::MAX);
        assert_eq!(world.undeliverable()[0].total(), 0);
        let received: Vec<u64> = (0..members).map(|member| world.receiver(0, member).received_pkts).collect();
        (received, world.links()[2].counters().arrived)
    };
    // Beside it there are only acknowledgements of joins.
    assert_eq!(run(&[0, 1, 2]), (vec![0, 1, 1], 3 + 1));
    assert_eq!(run(&[0]), (vec![0], 1));
    // Nobody wants it but another member on the same terminal, which has it.
    assert_eq!(run(&[0, 0]), (vec![0, 1], 1));
}

#[test]
fn what_goes_up_over_a_leg_comes_to_the_source_and_to_nobody_twice() {
    // The source is on a terminal, and the way of all others to it ends with its leg.
    let (mut network, [gateway, _], terminals, carrier) = satellite(3);
    let plan = SessionPlan { any_source: GroupSet::of(0), ..SessionPlan::sparse(1) };
    let own = network.address(terminals[0]);
    let nodes = [gateway, terminals[1], terminals[2]];
    let addresses = nodes.map(|node| network.address(node));
    let (flow, first) = network.session(own, plan);
    network.place(own, flow, crate::support::member(own, &[first], false), Instant::ZERO, None);
    for (start, own) in [0.5, 0.6, 0.0].into_iter().zip(addresses) {
        network.member(flow, own);
        let speaks = start > 0.0;
        network.place(own, flow, crate::support::member(own, &[first], speaks), at(start), None);
    }
    let mut world: World<Wheel> = build(network);
    world.run(at(1.0), u64::MAX);
    assert_eq!(world.undeliverable()[0].total(), 0);
    // The second that speaks joins after the first has spoken.
    assert_eq!(world.sender(0).received_pkts, 2);
    assert_eq!([0, 1, 2].map(|member| world.receiver(0, member).received_pkts), [1, 0, 2]);
    assert_eq!(world.links()[carrier.index()].counters().unreceived, 0);
}

#[test]
fn in_dense_mode_each_leg_is_pruned_and_grafted_for_itself() {
    // Gateways, two of them with a host.
    let (mut network, [source, _], gateways, _) = satellite(3);
    let hosts: Vec<NodeId> = gateways[..2]
        .iter()
        .map(|&gateway| {
            let host = network.node(format!("host-{}", gateway.0));
            duplex(&mut network, gateway, host, LinkMode::Fused);
            host
        })
        .collect();
    let mode = Mode::Dense { prune_timeout: Duration::from_secs(100) };
    let plan = SessionPlan { mode, ..SessionPlan::sparse(1) };
    let groups = session(&mut network, source, plan, &[from(hosts[0], 0.0), from(hosts[1], 2.0)]);
    let mut world: World<Wheel> = build(network);
    world.run(at(2.0), u64::MAX);
    let (joined, nothing) = (Some((GroupSet::all(1), GroupSet::EMPTY)), Some((GroupSet::EMPTY, GroupSet::EMPTY)));
    let legs = |world: &World<Wheel>| [3, 5, 7].map(|leg| world.interface(groups[0], LinkId(leg)));
    assert_eq!(legs(&world), [joined, nothing, nothing]);
    // The flood of the time until a prune has come: 2 * 10 ms, in which there are five packets.
    assert!((4..=6).contains(&world.links()[7].counters().delivered), "{:?}", world.links()[7].counters());
    world.run(at(4.0), u64::MAX);
    assert_eq!(legs(&world), [joined, joined, nothing]);
    let grafted = world.receiver(0, 1).received_pkts;
    assert!(grafted.abs_diff(390) <= 6, "{grafted}");
    // But for an acknowledgement, and what is on the way from the gateway to the host.
    let came = world.links()[3].counters().delivered - 1;
    assert!((came - 3..=came).contains(&world.receiver(0, 0).received_pkts));
}

#[test]
fn a_member_joins_and_leaves_by_messages_that_are_lost_as_on_a_link_of_its_own() {
    // Half of what its leg delivers is lost: acknowledgements as well.
    let (mut network, [source, at_satellite], terminals, carrier) = satellite(1);
    let far = network.node("far");
    let loss: faircast_sim::loss::Config = serde_json::from_str(r#"{"kind": "bernoulli", "p": 0.5}"#).expect("legal");
    let loss = Loss::new(&loss, network.stream("link/far/loss"));
    let far_leg = network.leg(LegPlan { name: "far".into(), carrier, to: far, delay: Duration::from_millis(30), loss });
    link(&mut network, far, at_satellite, LinkMode::Fused, 3);
    let plan = SessionPlan { retry: Duration::from_millis(300), ..SessionPlan::sparse(1) };
    let stop = Some(6.0);
    let places = [Stay { node: far, start: 0.0, stop, speaks: false }, from(terminals[0], 0.0)];
    let groups = session(&mut network, source, plan, &places);
    let mut world: World<Wheel> = build(network);
    world.run(at(5.0), u64::MAX);
    // The first three reports are lost: joined after 900 ms, and then half of 200 per second comes.
    let received = world.receiver(0, 0).received_pkts;
    assert!((330..490).contains(&received), "{received}");
    assert!(world.receiver(0, 1).received_pkts > 980);
    world.run(at(12.0), u64::MAX);
    assert_eq!(world.interface(groups[0], far_leg).map(|(joined, _)| joined), Some(GroupSet::EMPTY));
    assert_eq!(world.interface(groups[0], carrier).map(|(joined, _)| joined), Some(GroupSet::all(1)));
}

/// A satellite with legs to three gateways, which lead on to six hosts by legs of their own or links across; members
/// of two sessions come and go, agents on both carriers block, and the trees move every 50 ms.
fn restless<C: Calendar>(seed: u64, rebuild: Rebuild) -> (Option<(u64, u64)>, [u64; 3]) {
    let mut random = Random::stream(seed, "test/restless");
    let mut network = NetworkBuilder::new(seed);
    let names = ["source", "other", "g0", "g1", "g2", "h0", "h1", "h2", "h3", "h4", "h5"];
    let nodes = names.map(|name| network.node(name));
    let mut edges = Vec::new();
    let mut carriers = Vec::new();
    let mut pairs = Vec::new();
    for (node, below) in [(0, vec![2, 3, 4]), (1, vec![2, 3, 4]), (2, vec![5, 6, 7]), (3, vec![7, 8]), (4, vec![9, 10])]
    {
        let carrier = carrier(&mut network, nodes[node]);
        edges.push(Edge { from: nodes[node], to: nodes[node], delay: Duration::ZERO });
        carriers.push(carrier);
        for &child in &below {
            leg(&mut network, carrier, nodes[node], nodes[child]);
            pairs.push(edges.len());
            edges.extend([(node, child), (child, node)].map(|(a, b)| Edge {
                from: nodes[a],
                to: nodes[b],
                delay: DELAY,
            }));
        }
    }
    for (a, b) in [(0, 1), (2, 8), (3, 9)] {
        duplex(&mut network, nodes[a], nodes[b], LinkMode::Fused);
        pairs.push(edges.len());
        edges.extend([(a, b), (b, a)].map(|(a, b)| Edge { from: nodes[a], to: nodes[b], delay: DELAY }));
    }
    let logs: Vec<_> = [0, 2, 3]
        .into_iter()
        .map(|carrier: usize| watch(&mut network, carriers[carrier], GroupSet::of(carrier as u32)))
        .collect();
    let mut firsts = Vec::new();
    for source in 0..2 {
        let mut places = Vec::new();
        for &node in &nodes[5..] {
            let mut start = random.uniform();
            for _ in 0..6 {
                let stop = start + random.exponential(0.3);
                places.push(Stay { node, start, stop: Some(stop), speaks: false });
                start = stop + random.exponential(0.2);
            }
        }
        let plan = SessionPlan { leave_delay: Duration::from_millis(40), rebuild, ..SessionPlan::sparse(3) };
        firsts.push(session(&mut network, nodes[source], plan, &places)[0]);
    }
    let mut world: World<C> = build(network);
    for step in 1..70u32 {
        world.run(Instant::ZERO + Duration::from_millis(50 * u64::from(step)), u64::MAX);
        let mut moved = edges.clone();
        for &pair in &pairs {
            let delay = Duration::from_millis(1 + (random.uniform() * 30.0) as u64);
            moved[pair..pair + 2].iter_mut().for_each(|edge| edge.delay = delay);
        }
        world.retree(&moved);
        assert!(world.links().iter().all(|link| link.conserves()));
        for &first in &firsts {
            for &carrier in &carriers {
                let legs = (0..edges.len() as u32).map(LinkId).filter(|&link| world.carrier(link) == Some(carrier));
                let union = legs
                    .filter_map(|leg| world.interface(first, leg))
                    .fold(GroupSet::EMPTY, |all, (joined, _)| all | joined);
                let (joined, blocked) = world.interface(first, carrier).unwrap_or_default();
                assert_eq!(joined, union);
                assert!((blocked - joined).is_empty());
                if let Some(seen) = world.router_sessions(carrier).iter().find(|session| session.first == first) {
                    assert_eq!((seen.joined, seen.blocked), (joined, blocked));
                }
            }
        }
    }
    world.run(at(6.0), u64::MAX);
    let received = (0..72).map(|member| world.receiver(member / 36, member % 36).received_pkts).sum();
    assert!((0..72).all(|member| member / 36 > 0 || shown(&world, member)[0] == 0.0));
    let heard = logs.iter().map(|log| log.lock().expect("one thread").changes.len() as u64).sum();
    let offered = logs.iter().map(|log| log.lock().expect("one thread").offered).sum();
    (world.digest(), [received, heard, offered])
}

#[test]
fn what_carriers_have_joined_is_the_union_whatever_moves() {
    for rebuild in [Rebuild::AtOnce, Rebuild::ByMessages] {
        let (digest, [received, heard, offered]) = restless::<Wheel>(5, rebuild);
        assert!(received > 2000 && heard > 100 && offered > 500, "{received} {heard} {offered}");
        assert_eq!((digest, [received, heard, offered]), restless::<Heap>(5, rebuild), "{rebuild:?}");
    }
    assert_eq!(GAP, Duration::from_millis(5));
}
