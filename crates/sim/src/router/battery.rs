//! Tests that every router agent must stand, and of what the engine promises agents.

use super::*;
use crate::builder::{LinkPlan, NetworkBuilder};
use crate::calendar::{Calendar, Heap, Wheel};
use crate::ids::{LinkId, NodeId};
use crate::link::LinkMode;
use crate::loss::{self, Loss};
use crate::multicast::{Rebuild, SessionPlan};
use crate::probe::{ProbePlan, RouterEvent};
use crate::queue::{self, LinkContext, Queue};
use crate::routing::Edge;
use crate::world::World;
use faircast_proto::endpoint::{Endpoint, Input, Outbox, Report};
use faircast_proto::packet::{Ecn, Header, INITIAL_TTL};
use std::sync::{Arc, Mutex};

/// How many groups the sessions have: more than a word holds.
const GROUPS: u32 = 70;

/// Sends to its groups by turns, a packet of 500 or 1000 bytes each millisecond.
struct Source {
    flow: FlowId,
    own: Address,
    first: Address,
    next: Option<Instant>,
    sent: u32,
}

/// Joins and leaves groups at random, and counts what comes.
struct Fickle {
    first: Address,
    wants: GroupSet,
    random: Random,
    next: Option<Instant>,
    received: u64,
}

pub(super) fn packet(now: Instant, flow: FlowId, source: Address, destination: Address, number: u32) -> Packet {
    let header = Header::Datagram { sequence: u64::from(number) };
    let size = if number.is_multiple_of(3) { 500 } else { 1000 };
    Packet { sent: now, flow, source, destination, size, ttl: INITIAL_TTL, ecn: Ecn::NotCapable, header }
}

impl Endpoint for Source {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        if matches!(input, Input::Start) {
            self.next = Some(now);
        }
        if self.next.is_some_and(|next| next <= now) {
            // Low groups more often than high ones.
            let group = self.sent * self.sent / 7 % GROUPS % (1 + self.sent % GROUPS);
            let destination = Address::group(self.first.index() as u32 + group);
            out.send(packet(now, self.flow, self.own, destination, self.sent));
            self.sent += 1;
            self.next = Some(now + Duration::from_millis(1));
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.next
    }

    fn report(&self) -> Report {
        Report { sent_pkts: u64::from(self.sent), ..Report::default() }
    }
}

impl Endpoint for Fickle {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Start => self.next = Some(now),
            Input::Packet { .. } => self.received += 1,
            _ => {}
        }
        if self.next.is_some_and(|next| next <= now) {
            let group = (self.random.uniform() * 12.0) as u32 * 6;
            let address = Address::group(self.first.index() as u32 + group);
            match self.wants.contains(group) {
                true => out.leave(address),
                false => out.join(address),
            }
            self.wants = self.wants ^ GroupSet::of(group);
            self.next = Some(now + Duration::from_secs_f64(self.random.exponential(0.03)));
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.next
    }

    fn report(&self) -> Report {
        Report { received_pkts: self.received, ..Report::default() }
    }
}

/// Two sources, a router, two routers below it side by side and two hosts on each; members of both sessions on all
/// hosts. Agents on the links from the source's router down (one after the other) and beside each other.
fn network(mode: LinkMode, rebuild: Rebuild, agent: &dyn Fn(u32) -> InterfaceAgent) -> (NetworkBuilder, Vec<Edge>) {
    let seed = 1;
    let mut network = NetworkBuilder::new(seed);
    let mut edges = Vec::new();
    let nodes: Vec<NodeId> =
        ["s0", "s1", "top", "left", "right", "l0", "l1", "r0", "r1"].map(|name| network.node(name)).to_vec();
    let pairs = [(0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (3, 5), (3, 6), (4, 7), (4, 8)];
    for (a, b) in pairs {
        for (from, to) in [(nodes[a], nodes[b]), (nodes[b], nodes[a])] {
            // Narrow at the middle, so that queues fill.
            let rate = Rate(if a == 2 && from == nodes[2] { 2_654_321 } else { 7_654_321 });
            let delay = Duration::from_micros(3_210);
            let config: queue::Config =
                serde_json::from_str(r#"{"kind": "drop-tail", "limit": "20 packets"}"#).expect("legal");
            let random = Random::stream(seed, "queue");
            let queue = Queue::new(&config, LinkContext { rate, delay, mean_packet_bytes: 1000, random });
            let lossless: loss::Config = serde_json::from_str(r#"{"kind": "none"}"#).expect("legal");
            let loss = Loss::new(&lossless, Random::stream(seed, "loss"));
            let name = format!("{}-{}", from.0, to.0);
            network.link(LinkPlan { name, from, to, rate, delay, queue, loss, mode });
            edges.push(Edge { from, to, delay });
        }
    }
    for link in [0, 4, 6, 10, 14] {
        network.router_agent(LinkId(link), agent(link));
    }
    for source in 0..2 {
        let own = network.address(nodes[source]);
        let plan = SessionPlan { leave_delay: Duration::from_millis(50), rebuild, ..SessionPlan::sparse(GROUPS) };
        let (flow, first) = network.session(own, plan);
        let agent = Source { flow, own, first, next: None, sent: 0 };
        network.place(own, flow, crate::agent::Agent::Guest(Box::new(agent)), Instant::ZERO, None);
        for (host, &node) in nodes.iter().enumerate().skip(5) {
            let member = network.address(node);
            network.member(flow, member);
            let random = network.stream(&format!("{source}/{host}"));
            let agent = Fickle { first, wants: GroupSet::EMPTY, random, next: None, received: 0 };
            network.place(member, flow, crate::agent::Agent::Guest(Box::new(agent)), Instant::ZERO, None);
        }
    }
    network.probes(ProbePlan {
        trace: true,
        links: true,
        interval: Duration::from_millis(100),
        ..ProbePlan::default()
    });
    (network, edges)
}

/// Runs three seconds, in which the trees move to and fro every 50 ms. Gives the digest.
fn run<C: Calendar>(
    mode: LinkMode,
    agent: &dyn Fn(u32) -> InterfaceAgent,
    look: impl FnMut(&World<C>),
) -> (Option<(u64, u64)>, World<C>) {
    run_rebuilding(Rebuild::AtOnce, mode, agent, look)
}

fn run_rebuilding<C: Calendar>(
    rebuild: Rebuild,
    mode: LinkMode,
    agent: &dyn Fn(u32) -> InterfaceAgent,
    mut look: impl FnMut(&World<C>),
) -> (Option<(u64, u64)>, World<C>) {
    let (network, edges) = network(mode, rebuild, agent);
    let mut world: World<C> = network.build().expect("a network without errors");
    for step in 1..60u32 {
        world.run(Instant::ZERO + Duration::from_millis(50 * u64::from(step)), u64::MAX);
        let mut edges = edges.clone();
        if step % 2 == 1 {
            for edge in &mut edges[6..8] {
                edge.delay = Duration::from_secs(1);
            }
        }
        world.retree(&edges);
        look(&world);
        assert!(world.links().iter().all(|link| link.conserves()));
    }
    (world.digest(), world)
}

fn built(config: &Config, link: u32) -> InterfaceAgent {
    InterfaceAgent::new(
        config,
        RouterContext {
            rate: Rate(1_000_000),
            delay: Duration::ZERO,
            limit: QueueSize::Packets(20.0),
            is_fair: false,
            mean_packet_bytes: 1000,
            random: Random::stream(1, &link.to_string()),
        },
    )
}

/// What an agent sees is what is; its state is gone with the tree; nothing depends on calendar or link mode.
#[test]
fn every_agent_sees_what_is_in_both_calendars_and_link_modes() {
    for config in Config::samples() {
        assert_eq!(config.check(), [], "{config:?}");
        let agent = |link| built(&config, link);
        let look = |world: &World<Wheel>| {
            for link in [0, 4, 6, 10, 14].map(LinkId) {
                let seen = world.router_sessions(link);
                for first in [0, GROUPS].map(Address::group) {
                    let is = world.interface(first, link).unwrap_or_default();
                    let sees = seen.iter().find(|session| session.first == first);
                    let sees = sees.map_or((GroupSet::EMPTY, GroupSet::EMPTY), |at| (at.joined, at.blocked));
                    assert_eq!(sees, is, "{config:?}: {first:?} on {link:?}");
                    assert!((is.1 - is.0).is_empty(), "only what is joined is blocked");
                }
            }
        };
        let (digest, world) = run::<Wheel>(LinkMode::Fused, &agent, look);
        assert!(digest.is_some_and(|(_, records)| records > 5_000), "{digest:?}");
        assert_eq!(digest, run::<Wheel>(LinkMode::TwoStage, &agent, |_| {}).0, "{config:?}");
        assert_eq!(digest, run::<Heap>(LinkMode::Fused, &agent, |_| {}).0, "{config:?}");
        assert!(!world.records().routers.is_empty());
    }
}

/// What one agent on a link has heard and seen.
#[derive(Default)]
struct Log {
    offered: Vec<(Instant, Address)>,
    joins: Vec<(Instant, Address)>,
    samples: Vec<(Instant, u32, u64, bool)>,
}

/// Blocks every group at its join; looks at the queue every 20 ms.
struct BlocksAtJoin {
    log: Arc<Mutex<Log>>,
    next: Instant,
    blocks: bool,
}

impl RouterAgent for BlocksAtJoin {
    fn on_packet(&mut self, packet: &Packet, at: &RouterView<'_>, _out: &mut RouterOutbox) -> Offer {
        if at.place(packet.destination).is_some() {
            self.log.lock().expect("one thread").offered.push((at.interface.now, packet.destination));
        }
        Offer::Forward
    }

    fn on_membership(&mut self, change: &MembershipChange, at: &RouterView<'_>, out: &mut RouterOutbox) {
        for group in change.joined.iter() {
            let address = Address::group(change.first.index() as u32 + group);
            let (session, number) = at.place(address).expect("it is joined");
            assert!(session.joined.contains(number) && !session.blocked.contains(number));
            self.log.lock().expect("one thread").joins.push((at.interface.now, address));
            if self.blocks {
                out.block(address);
            }
        }
    }

    fn on_timeout(&mut self, at: &RouterView<'_>, _out: &mut RouterOutbox) {
        let InterfaceView { now, waiting_pkts, waiting_bytes, transmitting, .. } = at.interface;
        self.log.lock().expect("one thread").samples.push((now, waiting_pkts, waiting_bytes, transmitting));
        self.next = now + Duration::from_millis(20);
    }

    fn deadline(&self) -> Option<Instant> {
        Some(self.next)
    }

    fn gauges(&self, _tell: &mut dyn FnMut(RouterGauge)) {}
}

/// The log of the agent on each link.
type Logs = Vec<(u32, Arc<Mutex<Log>>)>;

fn logged<C: Calendar>(mode: LinkMode, blocks: impl Fn(u32) -> bool) -> (World<C>, Logs) {
    let logs: Logs = [0, 4, 6, 10, 14].map(|link| (link, Arc::new(Mutex::new(Log::default())))).to_vec();
    let agent = |link: u32| {
        let log = logs.iter().find(|(of, _)| *of == link).expect("one of them").1.clone();
        InterfaceAgent::Guest(Box::new(BlocksAtJoin { log, next: Instant::ZERO, blocks: blocks(link) }))
    };
    let (_, world) = run::<C>(mode, &agent, |_| {});
    (world, logs)
}

#[test]
fn what_is_blocked_at_its_join_does_not_pass_a_single_packet() {
    let (world, logs) = logged::<Wheel>(LinkMode::Fused, |link| link != 0);
    for (link, log) in &logs {
        let log = log.lock().expect("one thread");
        assert_eq!(log.offered.is_empty(), *link != 0, "link {link}");
        assert!(log.joins.len() > 10, "link {link}");
    }
    let blocks = world.records().router_events.iter().filter(|row| matches!(row.event, RouterEvent::Blocked(_)));
    let joins: usize = logs[1..].iter().map(|(_, log)| log.lock().expect("one thread").joins.len()).sum();
    assert_eq!(blocks.count(), joins, "each is blocked once");
}

#[test]
fn samples_of_the_queue_do_not_depend_on_the_link_mode() {
    let samples = |mode| -> Vec<_> {
        let (_, logs) = logged::<Wheel>(mode, |_| false);
        logs.iter().map(|(_, log)| std::mem::take(&mut log.lock().expect("one thread").samples)).collect()
    };
    let fused = samples(LinkMode::Fused);
    assert!(fused.iter().flatten().any(|sample| sample.1 > 3), "queues fill");
    assert!(fused.iter().all(|samples| samples.len() == 148), "every 20 ms from 0 s to 2.95 s");
    assert_eq!(fused, samples(LinkMode::TwoStage));
}

/// Blocks and releases at random, and looks whether what it has blocked comes.
struct Wanton {
    random: Random,
    next: Instant,
    operations: Arc<Mutex<u64>>,
}

impl RouterAgent for Wanton {
    fn on_packet(&mut self, packet: &Packet, at: &RouterView<'_>, out: &mut RouterOutbox) -> Offer {
        if let Some((session, group)) = at.place(packet.destination) {
            assert!(session.joined.contains(group), "what nobody wants does not come");
            assert!(!session.blocked.contains(group), "what is blocked does not pass");
            // Carried out after all packets of the moment.
            if self.random.chance(0.05) {
                out.block(packet.destination);
            }
        }
        *self.operations.lock().expect("one thread") += 1;
        if self.random.chance(0.02) { Offer::HoldBack } else { Offer::Forward }
    }

    fn on_membership(&mut self, change: &MembershipChange, at: &RouterView<'_>, out: &mut RouterOutbox) {
        assert!((change.joined & change.left).is_empty());
        let session = at.sessions.iter().find(|session| session.flow == change.flow);
        let joined = session.map_or(GroupSet::EMPTY, |session| session.joined);
        assert!((change.joined - joined).is_empty() && (change.left & joined).is_empty());
        assert!(at.sessions.iter().all(|session| !session.joined.is_empty()), "state is gone with the tree");
        *self.operations.lock().expect("one thread") += 1;
        if let Some(first) = change.joined.first()
            && self.random.chance(0.5)
        {
            out.block(Address::group(change.first.index() as u32 + first));
        }
    }

    fn on_timeout(&mut self, at: &RouterView<'_>, out: &mut RouterOutbox) {
        self.next = at.interface.now + Duration::from_secs_f64(self.random.exponential(0.000_14));
        for session in at.sessions {
            // Also groups that are not joined, or blocked already: that has no effect.
            let group = session.group((self.random.uniform() * f64::from(GROUPS)) as u32);
            match self.random.chance(0.3) {
                true => out.block(group),
                false => out.release(group),
            }
            if let Some(held) = session.held().first() {
                out.release(session.group(held));
            }
        }
        *self.operations.lock().expect("one thread") += 1;
    }

    fn deadline(&self) -> Option<Instant> {
        Some(self.next)
    }

    fn gauges(&self, _tell: &mut dyn FnMut(RouterGauge)) {}
}

#[test]
fn agents_in_series_and_side_by_side_keep_to_their_own_interface() {
    for rebuild in [Rebuild::AtOnce, Rebuild::ByMessages] {
        let operations = Arc::new(Mutex::new(0));
        let agent = |link: u32| {
            let random = Random::stream(u64::from(link), "wanton");
            InterfaceAgent::Guest(Box::new(Wanton { random, next: Instant::ZERO, operations: operations.clone() }))
        };
        let look = |world: &World<Wheel>| {
            for link in (0..18).map(LinkId) {
                for first in [0, GROUPS].map(Address::group) {
                    let (joined, blocked) = world.interface(first, link).unwrap_or_default();
                    assert!((blocked - joined).is_empty());
                    assert!(blocked.is_empty() || [0, 4, 6, 10, 14].contains(&link.0));
                    let seen = world.router_sessions(link).iter().find(|session| session.first == first);
                    let seen = seen.map_or((GroupSet::EMPTY, GroupSet::EMPTY), |at| (at.joined, at.blocked));
                    assert!(seen == (joined, blocked) || ![0, 4, 6, 10, 14].contains(&link.0));
                }
            }
        };
        let (digest, world) = run_rebuilding(rebuild, LinkMode::Fused, &agent, look);
        assert!(*operations.lock().expect("one thread") > 100_000);
        assert_eq!(digest, run_rebuilding::<Heap>(rebuild, LinkMode::TwoStage, &agent, |_| {}).0);
        let held: u64 = world.links().iter().map(|link| link.counters().held_back).sum();
        assert!(held > 40, "{held}");
        let received = |member: usize| world.receiver(member / 4, member % 4).received_pkts;
        assert!((0..8).all(|member| received(member) > 50), "what is joined does come");
    }
}

/// Sends what nobody can take, blocks what is nobody's, and is late with its deadline.
struct Liar(u64);

impl RouterAgent for Liar {
    fn on_packet(&mut self, _packet: &Packet, _at: &RouterView<'_>, _out: &mut RouterOutbox) -> Offer {
        Offer::Forward
    }

    fn on_timeout(&mut self, at: &RouterView<'_>, out: &mut RouterOutbox) {
        self.0 += 1;
        let nobody = Address::endpoint(1_000_000);
        let addresses =
            [nobody, Address::group(1_000_000), Address::NEIGHBOUR, Address::group(0), Address::endpoint(0)];
        for destination in addresses {
            for flow in [0, 1, 77_777].map(FlowId) {
                out.send(packet(at.interface.now, flow, nobody, destination, 7));
            }
            out.block(destination);
            out.release(destination);
        }
        out.note("lies", self.0 as f64);
    }

    fn deadline(&self) -> Option<Instant> {
        // Three times, and the last two of them at times that are past.
        (self.0 < 3).then(|| Instant::ZERO + Duration::from_millis(1000 - self.0))
    }

    fn gauges(&self, _tell: &mut dyn FnMut(RouterGauge)) {}
}

#[test]
fn what_an_agent_sends_to_nobody_is_given_up_and_counted() {
    let agent = |link: u32| match link {
        4 => InterfaceAgent::Guest(Box::new(Liar(0))),
        _ => built(&Config::Monitor(monitor::Config {}), link),
    };
    let (digest, world) = run::<Wheel>(LinkMode::Fused, &agent, |_| {});
    let given_up = world.undeliverable();
    // To an endpoint and a group that are not there, and to a neighbour that is not meant: three times each.
    assert_eq!([0, 1, 2].map(|flow| given_up[flow].no_route), [9; 3]);
    // From the router below the first session's source up to it, who is the only one to send.
    assert_eq!([0, 1, 2].map(|flow| given_up[flow].not_a_source), [3; 3]);
    let notes = world.records().router_events.iter().filter_map(|row| match row.event {
        RouterEvent::Note(what, value) => Some((row.link, what, value)),
        _ => None,
    });
    assert_eq!(notes.collect::<Vec<_>>(), [1.0, 2.0, 3.0].map(|n| (LinkId(4), "lies", n)));
    assert_eq!(digest, run::<Heap>(LinkMode::TwoStage, &agent, |_| {}).0);
}

/// Always wants to be called now.
struct Restless;

impl RouterAgent for Restless {
    fn on_packet(&mut self, _packet: &Packet, _at: &RouterView<'_>, _out: &mut RouterOutbox) -> Offer {
        Offer::Forward
    }

    fn deadline(&self) -> Option<Instant> {
        Some(Instant(3))
    }

    fn gauges(&self, _tell: &mut dyn FnMut(RouterGauge)) {}
}

#[test]
#[should_panic(expected = "the agent of a router, node 2, does not leave the moment")]
fn an_agent_whose_deadline_stays_ends_the_run_in_a_message() {
    let agent = |link: u32| match link {
        4 => InterfaceAgent::Guest(Box::new(Restless)),
        _ => built(&Config::Monitor(monitor::Config {}), link),
    };
    run::<Wheel>(LinkMode::Fused, &agent, |_| {});
}

#[test]
fn the_cap_holds_and_what_has_room_is_released() {
    // Three of the six groups of 100 kbit/s each have room below 340 kbit/s.
    struct Layers(Instant, FlowId, Address, Address, u32);
    impl Endpoint for Layers {
        fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
            let Layers(next, flow, own, first, sent) = self;
            if matches!(input, Input::Timeout | Input::Start) && *next <= now {
                for group in 0..6 {
                    let destination = Address::group(first.index() as u32 + group);
                    out.send(Packet { size: 1000, ..packet(now, *flow, *own, destination, *sent) });
                }
                *sent += 1;
                *next = now + Duration::from_millis(80);
            }
        }
        fn deadline(&self) -> Option<Instant> {
            Some(self.0)
        }
        fn report(&self) -> Report {
            Report::default()
        }
    }
    struct All(Address, u64);
    impl Endpoint for All {
        fn handle(&mut self, _now: Instant, input: Input<'_>, out: &mut Outbox) {
            match input {
                Input::Start => (0..6).for_each(|g| out.join(Address::group(self.0.index() as u32 + g))),
                Input::Packet { .. } => self.1 += 1,
                _ => {}
            }
        }
        fn deadline(&self) -> Option<Instant> {
            None
        }
        fn report(&self) -> Report {
            Report { received_pkts: self.1, ..Report::default() }
        }
    }
    let mut network = NetworkBuilder::new(1);
    let nodes = ["source", "host"].map(|name| network.node(name));
    for (from, to) in [(nodes[0], nodes[1]), (nodes[1], nodes[0])] {
        let (rate, delay) = (Rate(7_654_321), Duration::from_millis(5));
        let config: queue::Config = serde_json::from_str(r#"{"kind": "drop-tail"}"#).expect("legal");
        let random = Random::stream(1, "queue");
        let queue = Queue::new(&config, LinkContext { rate, delay, mean_packet_bytes: 1000, random: random.clone() });
        let none: loss::Config = serde_json::from_str(r#"{"kind": "none"}"#).expect("legal");
        let loss = Loss::new(&none, random);
        network.link(LinkPlan { name: from.0.to_string(), from, to, rate, delay, queue, loss, mode: LinkMode::Fused });
    }
    let config = rate_cap::Config { rate: Rate(340_000), ..rate_cap::Config::default() };
    network.router_agent(LinkId(0), built(&Config::RateCap(config), 0));
    let own = network.address(nodes[0]);
    let (flow, first) = network.session(own, SessionPlan::sparse(6));
    let layers = Layers(Instant::ZERO, flow, own, first, 0);
    network.place(own, flow, crate::agent::Agent::Guest(Box::new(layers)), Instant::ZERO, None);
    let member = network.address(nodes[1]);
    network.member(flow, member);
    network.place(member, flow, crate::agent::Agent::Guest(Box::new(All(first, 0))), Instant::ZERO, None);
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(Instant::ZERO + Duration::from_secs(20), u64::MAX);
    let before = world.receiver(0, 0).received_pkts;
    world.run(Instant::ZERO + Duration::from_secs(40), u64::MAX);
    assert_eq!(world.receiver(0, 0).received_pkts - before, 3 * 250, "three groups of 12.5 packets a second for 20 s");
    assert_eq!(
        world.interface(first, LinkId(0)).map(|(_, blocked)| blocked),
        Some(GroupSet::all(6) - GroupSet::all(3))
    );
}

#[test]
fn what_is_flooded_is_known_from_the_beginning() {
    let mut network = NetworkBuilder::new(1);
    let nodes = ["source", "left", "right", "host"].map(|name| network.node(name));
    for (a, b) in [(0, 1), (0, 2), (1, 3)] {
        for (from, to) in [(nodes[a], nodes[b]), (nodes[b], nodes[a])] {
            let (rate, delay, random) = (Rate(7_654_321), Duration::from_millis(5), Random::stream(1, "link"));
            let context = LinkContext { rate, delay, mean_packet_bytes: 1000, random: random.clone() };
            let queue = Queue::new(&queue::Config::default(), context);
            let loss = Loss::new(&loss::Config::default(), random);
            let mode = LinkMode::Fused;
            network.link(LinkPlan { name: from.0.to_string(), from, to, rate, delay, queue, loss, mode });
        }
    }
    network.router_agent(LinkId(2), built(&Config::Monitor(monitor::Config {}), 2));
    network.router_agent(LinkId(4), built(&Config::Monitor(monitor::Config {}), 4));
    let own = network.address(nodes[0]);
    let mode = crate::multicast::Mode::Dense { prune_timeout: Duration::from_secs(1) };
    let (flow, first) = network.session(own, SessionPlan { mode, ..SessionPlan::sparse(GROUPS) });
    let source = Source { flow, own, first, next: None, sent: 0 };
    network.place(own, flow, crate::agent::Agent::Guest(Box::new(source)), Instant::FAR_FUTURE, None);
    let member = network.address(nodes[3]);
    network.member(flow, member);
    let silent = Source { flow, own: member, first, next: None, sent: 0 };
    network.place(member, flow, crate::agent::Agent::Guest(Box::new(silent)), Instant::FAR_FUTURE, None);
    let world: World<Wheel> = network.build().expect("a network without errors");
    let joined = |link| world.router_sessions(LinkId(link)).iter().map(|session| session.joined).collect::<Vec<_>>();
    assert_eq!(joined(2), [GroupSet::all(GROUPS)]);
    assert_eq!(joined(4), [], "hosts are not flooded");
}
