//! Who is told of what links lose: those to whom it was on its way, once each, and of nothing else.

use crate::changes::{delay, wire};
use crate::support::{AMPLE, NO_LOSS, Step, Wire, carrier, link, script};
use faircast_proto::endpoint::{Endpoint, Input, Outbox, Report};
use faircast_proto::group_set::GroupSet;
use faircast_proto::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_sim::agent::Agent;
use faircast_sim::builder::{LegPlan, LinkPlan, NetworkBuilder};
use faircast_sim::calendar::{Calendar, Heap, Wheel};
use faircast_sim::change::{Change, Handoff, Slope};
use faircast_sim::counters::LinkCounters;
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::link::LinkMode;
use faircast_sim::loss::{self, Loss, LossModel};
use faircast_sim::multicast::SessionPlan;
use faircast_sim::probe::ProbePlan;
use faircast_sim::queue::{self, LinkContext, Queue};
use faircast_sim::world::World;
use std::sync::{Arc, Mutex};

/// Group, by its number in the session, or `u32::MAX` for a packet to one host; number of the packet.
type Named = (u32, u64);

/// What an endpoint got, and what it was told of, with the moment in milliseconds.
#[derive(Default)]
struct Seen {
    came: Vec<Named>,
    told: Vec<(u64, Named)>,
}

type Watched = Arc<Mutex<Seen>>;

/// Joins groups, and writes down what it sees.
struct Witness {
    first: Option<Address>,
    groups: GroupSet,
    sees: bool,
    seen: Watched,
}

/// Sends packets of 1000 bytes, one a millisecond from 100 ms on, to its destinations by turns.
struct Sender {
    template: Packet,
    to: Vec<Address>,
    next: Instant,
    sent: u64,
    most: u64,
}

/// Loses packets with these numbers.
struct Loses(&'static [u64]);

impl LossModel for Loses {
    fn loses(&mut self, _now: Instant, packet: &Packet) -> bool {
        matches!(packet.header, Header::Datagram { sequence } if self.0.contains(&sequence))
    }
}

/// Loses data only, and no messages about membership.
struct OfData(Loss);

impl LossModel for OfData {
    fn loses(&mut self, now: Instant, packet: &Packet) -> bool {
        packet.is_data() && self.0.loses(now, packet)
    }
}

impl Endpoint for Witness {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        let name = |packet: &Packet| {
            let Header::Datagram { sequence } = packet.header else { panic!("nobody sends {:?}", packet.header) };
            match self.first.filter(|_| packet.destination.is_group()) {
                Some(first) => ((packet.destination.index() - first.index()) as u32, sequence),
                None => (u32::MAX, sequence),
            }
        };
        let mut seen = self.seen.lock().expect("one thread");
        match (input, self.first) {
            (Input::Start, Some(first)) => {
                let group = |number| Address::group(first.index() as u32 + number);
                self.groups.iter().for_each(|number| out.join(group(number)));
            }
            (Input::Packet { packet, .. }, _) => seen.came.push(name(packet)),
            (Input::LinkLoss(packet), _) => seen.told.push((now.0 / 1_000_000, name(packet))),
            _ => {}
        }
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn sees_link_losses(&self) -> bool {
        self.sees
    }

    fn report(&self) -> Report {
        Report::default()
    }
}

impl Endpoint for Sender {
    fn handle(&mut self, now: Instant, _input: Input<'_>, out: &mut Outbox) {
        while self.next <= now && self.sent < self.most {
            let destination = self.to[self.sent as usize % self.to.len()];
            let header = Header::Datagram { sequence: self.sent };
            out.send(Packet { sent: now, destination, header, ..self.template });
            self.sent += 1;
            self.next += Duration::from_millis(1);
        }
    }

    fn deadline(&self) -> Option<Instant> {
        (self.sent < self.most).then_some(self.next)
    }

    fn report(&self) -> Report {
        Report { sent_pkts: self.sent, ..Report::default() }
    }
}

fn send(network: &mut NetworkBuilder, flow: FlowId, own: Address, to: Vec<Address>, most: u64) {
    let header = Header::Datagram { sequence: 0 };
    let (sent, size, ttl, ecn) = (Instant::ZERO, 1000, INITIAL_TTL, Ecn::NotCapable);
    let template = Packet { sent, flow, source: own, destination: own, size, ttl, ecn, header };
    let sender = Sender { template, to, next: Instant::from_secs_f64(0.1), sent: 0, most };
    network.place(own, flow, Agent::Guest(Box::new(sender)), Instant::ZERO, None);
}

/// A session of `groups` groups with 1000 packets by turns to its members, each of which joins some, and sees losses or
/// not.
fn session(network: &mut NetworkBuilder, source: NodeId, groups: u32, members: &[(NodeId, u64, bool)]) -> Vec<Watched> {
    let own = network.address(source);
    let (flow, first) = network.session(own, SessionPlan::sparse(groups));
    let to = (0..groups).map(|number| Address::group(first.index() as u32 + number)).collect();
    send(network, flow, own, to, 1000);
    let place = |&(node, joined, sees): &(NodeId, u64, bool)| {
        let own = network.address(node);
        network.member(flow, own);
        let seen = Watched::default();
        let groups = (0..groups).filter(|number| joined & 1 << number != 0).collect();
        let witness = Witness { first: Some(first), groups, sees, seen: seen.clone() };
        network.place(own, flow, Agent::Guest(Box::new(witness)), Instant::ZERO, None);
        seen
    };
    members.iter().map(place).collect()
}

/// The same from one host to another.
fn flow(network: &mut NetworkBuilder, [from, to]: [NodeId; 2], sees: bool) -> Watched {
    let (source, own) = (network.address(from), network.address(to));
    let flow = network.flow(source, own);
    send(network, flow, source, vec![own], 1000);
    let seen = Watched::default();
    let witness = Witness { first: None, groups: GroupSet::EMPTY, sees, seen: seen.clone() };
    network.place(own, flow, Agent::Guest(Box::new(witness)), Instant::ZERO, None);
    seen
}

/// A link that loses the packets with these numbers, and one back without.
fn losing(network: &mut NetworkBuilder, from: NodeId, to: NodeId, lost: &'static [u64]) -> LinkId {
    let there = link_with(network, [from, to], 100_000_000, AMPLE, Box::new(Loses(lost)), LinkMode::Fused);
    link(network, to, from, &wire(10), LinkMode::Fused);
    there
}

fn link_with(
    network: &mut NetworkBuilder,
    [from, to]: [NodeId; 2],
    rate: u64,
    queue: &str,
    loss: Box<dyn LossModel + Send>,
    mode: LinkMode,
) -> LinkId {
    let (name, rate, delay) = (format!("{}-{}", from.0, to.0), Rate(rate), Duration::from_millis(10));
    let config: queue::Config = serde_json::from_str(queue).expect("a legal queue");
    let random = network.stream("queue");
    let queue = Queue::new(&config, LinkContext { rate, delay, mean_packet_bytes: 1000, random });
    network.link(LinkPlan { name, from, to, rate, delay, queue, loss: Loss::Guest(loss), mode })
}

fn run_on<C: Calendar>(mut network: NetworkBuilder) -> World<C> {
    network.clock_offsets(false);
    network.probes(ProbePlan { trace: true, ..ProbePlan::default() });
    let mut world: World<C> = network.build().expect("a network without errors");
    world.run(Instant::from_secs_f64(3.0), u64::MAX);
    assert!(world.links().iter().all(|link| link.conserves()));
    world
}

fn run(network: NetworkBuilder) -> World<Wheel> {
    run_on(network)
}

fn told(seen: &Watched) -> Vec<Named> {
    seen.lock().expect("one thread").told.iter().map(|&(_, named)| named).collect()
}

/// Those of these packets by turns to `groups` groups that go to the groups in `joined`.
fn of_groups(lost: &[u64], groups: u64, joined: u64) -> Vec<Named> {
    let of = |&number: &u64| ((number % groups) as u32, number);
    lost.iter().map(of).filter(|(group, _)| joined & 1 << group != 0).collect()
}

#[test]
fn a_lone_receiver_is_told_of_all_that_links_on_its_way_lose_and_of_nothing_that_queues_drop() {
    for mode in [LinkMode::Fused, LinkMode::TwoStage] {
        for changes in [false, true] {
            for is_session in [false, true] {
                let mut network = NetworkBuilder::new(7);
                let nodes = ["source", "r1", "r2", "host"].map(|name| network.node(name));
                let losses = [
                    r#"{"kind": "bernoulli", "p": 0.1}"#,
                    r#"{"kind": "outage", "start": "400 ms", "length": "50 ms"}"#,
                    r#"{"kind": "gilbert-elliott", "mean_loss": 0.1, "mean_burst": "3 packets"}"#,
                ];
                let mut ways = Vec::new();
                for (pair, loss) in nodes.windows(2).zip(losses) {
                    // The second is slower than what is sent, with room for five.
                    let slow = loss.contains("outage");
                    let (rate, queue) = match slow {
                        true => (6_000_000, r#"{"kind": "drop-tail", "limit": "5 packets"}"#),
                        false => (100_000_000, AMPLE),
                    };
                    let config: loss::Config = serde_json::from_str(loss).expect("a legal loss model");
                    let loss = Box::new(OfData(Loss::new(&config, network.stream(loss))));
                    let there = link_with(&mut network, [pair[0], pair[1]], rate, queue, loss, mode);
                    link(&mut network, pair[1], pair[0], &wire(10), mode);
                    if changes {
                        network.change(Instant::from_secs_f64(0.5), there, delay(7));
                    }
                    ways.push(there);
                }
                let seen = match is_session {
                    true => session(&mut network, nodes[0], 2, &[(nodes[3], 0b11, true)]).remove(0),
                    false => flow(&mut network, [nodes[0], nodes[3]], true),
                };
                let world = run(network);
                let counted = |count: fn(&LinkCounters) -> u64| {
                    ways.iter().map(|way| count(world.links()[way.index()].counters())).collect::<Vec<u64>>()
                };
                let (lost, dropped) = (counted(|link| link.lost), counted(|link| link.dropped_overflow));
                assert!(lost.iter().all(|&lost| lost > 20) && dropped[1] > 50, "{lost:?}, {dropped:?}");
                let told = told(&seen);
                assert_eq!(told.len() as u64, lost.iter().sum::<u64>());
                let came = &seen.lock().expect("one thread").came;
                assert_eq!(came.len() as u64 + told.len() as u64 + dropped[1], 1000);
                assert!(told.iter().all(|lost| !came.contains(lost)));
                let mut once = told.clone();
                once.sort_unstable();
                once.dedup();
                assert_eq!(once.len(), told.len());
            }
        }
    }
}

#[test]
fn all_members_below_that_hold_the_group_are_told_at_that_moment() {
    // source - r1 - r2 - a, b; r1 - c. Three groups.
    const INNER: &[u64] = &[30, 31, 32, 500];
    const LAST: &[u64] = &[40, 41, 601];
    const FIRST: &[u64] = &[900, 901, 902];
    let mut network = NetworkBuilder::new(1);
    let [source, r1, r2, a, b, c] = ["source", "r1", "r2", "a", "b", "c"].map(|name| network.node(name));
    losing(&mut network, source, r1, FIRST);
    losing(&mut network, r1, r2, INNER);
    losing(&mut network, r2, a, LAST);
    losing(&mut network, r2, b, &[]);
    losing(&mut network, r1, c, &[]);
    // Two at one node, of which one does not ask, and nobody wants the third group but c.
    let members = [(a, 0b001, true), (a, 0b011, true), (a, 0b011, false), (b, 0b010, true), (c, 0b111, true)];
    let seen = session(&mut network, source, 3, &members);
    let others = session(&mut network, source, 3, &[(a, 0b111, true)]);
    let world = run(network);
    let of = |lost: &[&[u64]], joined| sorted(of_groups(&lost.concat(), 3, joined));
    assert_eq!(sorted(told(&seen[0])), of(&[INNER, LAST, FIRST], 0b001));
    assert_eq!(sorted(told(&seen[1])), of(&[INNER, LAST, FIRST], 0b011));
    assert_eq!(told(&seen[2]), []);
    assert_eq!(sorted(told(&seen[3])), of(&[INNER, FIRST], 0b010));
    assert_eq!(sorted(told(&seen[4])), of(&[FIRST], 0b111));
    assert_eq!(sorted(told(&others[0])), of(&[INNER, LAST, FIRST], 0b111));
    // Packet 30 leaves at 130 ms and is lost at the end of two links of 10 ms and 80 us, behind that of the others.
    assert_eq!(seen[0].lock().expect("one thread").told[0], (150, (0, 30)));
    // Of the 333 packets 1, 4, .. 997 of the second group the inner link loses 31, the first one 901.
    assert_eq!(told(&seen[3]), [(1, 31), (1, 901)]);
    assert_eq!(seen[3].lock().expect("one thread").came.len(), 333 - 2);
    drop(world);
}

#[test]
fn of_what_a_member_sends_all_others_are_told_that_it_was_on_its_way_to() {
    // c - source - r1 - a, b: what a sends goes up to the source, and down beside its way.
    let mut network = NetworkBuilder::new(1);
    let [source, r1, a, b, c] = ["source", "r1", "a", "b", "c"].map(|name| network.node(name));
    losing(&mut network, a, r1, &[10, 11]);
    losing(&mut network, r1, source, &[20]);
    losing(&mut network, r1, b, &[30]);
    losing(&mut network, source, c, &[40]);
    let own = network.address(source);
    let (flow, first) = network.session(own, SessionPlan { any_source: GroupSet::of(0), ..SessionPlan::sparse(1) });
    send(&mut network, flow, own, vec![first], 0);
    let speaks = network.address(a);
    network.member(flow, speaks);
    send(&mut network, flow, speaks, vec![first], 1000);
    let seen = [b, c].map(|node| {
        let (own, seen) = (network.address(node), Watched::default());
        network.member(flow, own);
        let witness = Witness { first: Some(first), groups: GroupSet::of(0), sees: true, seen: seen.clone() };
        network.place(own, flow, Agent::Guest(Box::new(witness)), Instant::ZERO, None);
        seen
    });
    run(network);
    let of_group = |numbers: &[u64]| numbers.iter().map(|&number| (0, number)).collect::<Vec<Named>>();
    assert_eq!(seen.map(|seen| told(&seen)), [of_group(&[10, 11, 30]), of_group(&[10, 11, 20, 40])]);
}

/// By number.
fn sorted(mut packets: Vec<Named>) -> Vec<Named> {
    packets.sort_unstable_by_key(|&(_, number)| number);
    packets
}

#[test]
fn of_what_routers_hold_back_nobody_below_is_told() {
    let mut network = NetworkBuilder::new(1);
    let [source, r1, a, b] = ["source", "r1", "a", "b"].map(|name| network.node(name));
    losing(&mut network, source, r1, &[150, 151, 850, 851]);
    let to_a = losing(&mut network, r1, a, &[160, 161]);
    losing(&mut network, r1, b, &[]);
    let seen = session(&mut network, source, 2, &[(a, 0b11, true), (b, 0b11, true)]);
    network.clock_offsets(false);
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(Instant::from_secs_f64(0.2), u64::MAX);
    assert!(world.set_blocked(Address::group(0), to_a, GroupSet::of(1), true));
    world.run(Instant::from_secs_f64(3.0), u64::MAX);
    assert_eq!(told(&seen[1]), [(0, 150), (1, 151), (0, 850), (1, 851)]);
    // Nor does 161, of the same group, come to the link that would lose it.
    assert_eq!(told(&seen[0]), [(0, 150), (0, 160), (0, 850)]);
}

/// A satellite's carrier with three legs, the first of which changes if that is asked for. What members of two groups
/// are told, and what is told to the receiver of a flow to the first terminal.
fn by_legs<C: Calendar>(changes: bool) -> (Vec<Vec<Named>>, (u64, u64)) {
    let mut network = NetworkBuilder::new(1);
    let [source, satellite] = ["source", "satellite"].map(|name| network.node(name));
    losing(&mut network, source, satellite, &[10, 11]);
    let downlink = carrier(&mut network, satellite, &wire(0));
    let terminals = ["t0", "t1", "t2"].map(|name| network.node(name));
    let losses: [&[u64]; 3] = [&[20, 21, 50], &[21, 22], &[]];
    for (&to, lost) in terminals.iter().zip(losses) {
        let loss = Loss::Guest(Box::new(Loses(lost)));
        let delay = Duration::from_millis(10);
        let leg = network.leg(LegPlan { name: format!("leg-{}", to.0), carrier: downlink, to, delay, loss });
        if changes && lost.len() == 3 {
            network.change(Instant::from_secs_f64(0.14), leg, Change::Delay { from: delay, slope: Slope::LEVEL });
        }
        link(&mut network, to, satellite, &wire(1), LinkMode::Fused);
    }
    let members = [(terminals[0], 0b11, true), (terminals[1], 0b10, true), (terminals[2], 0b11, true)];
    let seen = session(&mut network, source, 2, &members);
    let one = flow(&mut network, [source, terminals[0]], true);
    let world: World<C> = run_on(network);
    let mut all: Vec<Vec<Named>> = seen.iter().map(told).collect();
    all.push(told(&one));
    (all, world.digest().expect("a trace was asked for"))
}

#[test]
fn each_leg_loses_for_those_at_its_end() {
    for changes in [false, true] {
        let (all, digest) = by_legs::<Wheel>(changes);
        assert_eq!(by_legs::<Heap>(changes), (all.clone(), digest));
        assert_eq!(all[0], [(0, 10), (1, 11), (0, 20), (1, 21), (0, 50)]);
        assert_eq!(all[1], [(1, 11), (1, 21)]);
        assert_eq!(all[2], [(0, 10), (1, 11)]);
        assert_eq!(all[3], [10, 11, 20, 21, 50].map(|number| (u32::MAX, number)));
    }
}

#[test]
fn what_a_link_does_not_transmit_or_transmits_in_vain_is_no_link_error() {
    for handoff in [Handoff::Keep, Handoff::Lose, Handoff::Discard] {
        let mut network = NetworkBuilder::new(1);
        let [source, r1, host] = ["source", "r1", "host"].map(|name| network.node(name));
        losing(&mut network, source, r1, &[700]);
        // It is slower than what is sent, so that some wait when it goes down.
        let slow = Wire { rate: 7_900_000, millis: 10, queue: AMPLE, loss: NO_LOSS };
        let there = link(&mut network, r1, host, &slow, LinkMode::Fused);
        link(&mut network, host, r1, &wire(10), LinkMode::Fused);
        network.handoff(there, handoff, false);
        network.change(Instant::from_secs_f64(0.4), there, Change::Down);
        network.change(Instant::from_secs_f64(0.5), there, Change::Up);
        let seen = session(&mut network, source, 1, &[(host, 1, true)]);
        let alone = flow(&mut network, [source, host], true);
        let world = run(network);
        let counters = world.links()[there.index()].counters();
        let in_vain = counters.dropped_down + counters.discarded + counters.unreceived;
        let no_way: u64 = world.undeliverable().iter().map(|counted| counted.no_route).sum();
        assert!(no_way > 100 && (in_vain > 10 || handoff == Handoff::Keep), "{counters:?}, {no_way}");
        assert_eq!((told(&seen[0]), told(&alone)), (vec![(0, 700)], vec![(u32::MAX, 700)]));
    }
}

#[test]
fn what_was_on_its_way_to_where_a_link_no_longer_leads_is_nobodys() {
    // The link turns from a to b and back while packets are on it; those that it loses then were on no tree.
    let mut network = NetworkBuilder::new(1);
    let [source, a, b] = ["source", "a", "b"].map(|name| network.node(name));
    let turning = losing(&mut network, source, a, &[99, 100, 101, 102, 400]);
    link(&mut network, source, b, &wire(10), LinkMode::Fused);
    link(&mut network, b, source, &wire(10), LinkMode::Fused);
    let seen = session(&mut network, source, 1, &[(a, 1, true), (b, 1, true)]);
    // Packet 101 leaves at 201 ms and comes at 211; the link turns at 205 and back at 300 ms.
    network.change(Instant::from_secs_f64(0.205), turning, Change::FarEnd(b));
    network.change(Instant::from_secs_f64(0.3), turning, Change::FarEnd(a));
    let world = run(network);
    assert!(world.undeliverable().iter().map(|counted| counted.off_tree).sum::<u64>() > 0);
    assert_eq!(told(&seen[0]), [(0, 400)]);
    assert_eq!(told(&seen[1]), []);
}

#[test]
fn who_is_told_changes_nothing_for_the_others_nor_for_itself() {
    let digest = |sees: bool| {
        let mut network = NetworkBuilder::new(3);
        let [source, r1, a, b] = ["source", "r1", "a", "b"].map(|name| network.node(name));
        for (from, to) in [(source, r1), (r1, a), (r1, b)] {
            let lossy = Wire { loss: r#"{"kind": "bernoulli", "p": 0.3}"#, ..wire(10) };
            link(&mut network, from, to, &lossy, LinkMode::Fused);
            link(&mut network, to, from, &lossy, LinkMode::Fused);
        }
        let seen = session(&mut network, source, 3, &[(a, 0b111, sees), (b, 0b011, sees)]);
        let step = script(&mut network, [source, a], Instant::ZERO, &[(5, Step::Send(100))]);
        let world = run(network);
        let came: Vec<Vec<Named>> = seen.iter().map(|seen| seen.lock().expect("one thread").came.clone()).collect();
        assert_eq!(seen.iter().any(|seen| !told(seen).is_empty()), sees);
        drop(step);
        (world.digest(), world.events(), came)
    };
    assert_eq!(digest(false), digest(true));
}
