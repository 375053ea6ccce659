//! The engine against arithmetic done by hand, and against itself: two calendars, two link modes, with and without
//! clock offsets.

use faircast_proto::endpoint::{Endpoint, Input, Outbox, Report};
use faircast_proto::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_sim::agent::Agent;
use faircast_sim::builder::{BuildError, LinkPlan, NetworkBuilder};
use faircast_sim::calendar::{Calendar, Heap, Wheel};
use faircast_sim::counters::LinkCounters;
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::link::LinkMode;
use faircast_sim::loss::{self, Loss};
use faircast_sim::multicast::SessionPlan;
use faircast_sim::probe::{PacketAction, PacketIdentity, PacketPlan, PacketRow, ProbePlan};
use faircast_sim::queue::{self, DropReason, LinkContext, Queue};
use faircast_sim::world::{Loop, Progress, World};

/// Keeps `window` packets under way, each followed by another when its echo comes, and asks for a timeout every
/// millisecond to no purpose. After `Stop` sends nothing.
struct FixedWindow {
    flow: FlowId,
    own: Address,
    peer: Address,
    window: u32,
    size: u16,
    sent: u64,
    echoes: u64,
    next_timeout: Option<Instant>,
    stopped: bool,
}

/// Sends every packet back as one of 40 bytes.
struct Echo {
    flow: FlowId,
    own: Address,
    peer: Address,
    received: u64,
    received_bytes: u64,
}

fn packet(now: Instant, flow: FlowId, source: Address, destination: Address, size: u16, sequence: u64) -> Packet {
    let header = Header::Datagram { sequence };
    Packet { sent: now, flow, source, destination, size, ttl: INITIAL_TTL, ecn: Ecn::Capable, header }
}

impl Endpoint for FixedWindow {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        let new = match input {
            Input::Start => self.window,
            Input::Packet { control: None, .. } if !self.stopped => {
                self.echoes += 1;
                1
            }
            Input::Stop => {
                self.stopped = true;
                0
            }
            _ => 0,
        };
        for _ in 0..new {
            out.send(packet(now, self.flow, self.own, self.peer, self.size, self.sent));
            self.sent += 1;
        }
        self.next_timeout = Some(now + Duration::from_millis(1));
    }

    fn deadline(&self) -> Option<Instant> {
        self.next_timeout
    }

    fn report(&self) -> Report {
        Report { sent_pkts: self.sent, received_pkts: self.echoes, ..Report::default() }
    }
}

impl Endpoint for Echo {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        if let Input::Packet { packet: packet_in, .. } = input {
            self.received += 1;
            self.received_bytes += u64::from(packet_in.size);
            out.send(packet(now, self.flow, self.own, self.peer, 40, self.received));
        }
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn report(&self) -> Report {
        Report { received_pkts: self.received, received_bytes: self.received_bytes, ..Report::default() }
    }
}

fn queue(json: &str, rate: Rate, random: Random) -> Queue {
    let config: queue::Config = serde_json::from_str(json).expect("a legal queue");
    Queue::new(&config, LinkContext { rate, delay: Duration::ZERO, mean_packet_bytes: 1000, random })
}

fn no_loss() -> Loss {
    let config: loss::Config = serde_json::from_str(r#"{"kind": "none"}"#).expect("a legal loss model");
    Loss::new(&config, Random::stream(0, "none"))
}

const AMPLE: &str = r#"{"kind": "drop-tail", "limit": "100000 packets"}"#;

struct Ends {
    window: u32,
    start: Instant,
    stop: Option<Instant>,
}

fn connect(network: &mut NetworkBuilder, left: NodeId, right: NodeId, ends: &Ends) {
    let (sender, receiver) = (network.address(left), network.address(right));
    let flow = network.flow(sender, receiver);
    let window = FixedWindow {
        flow,
        own: sender,
        peer: receiver,
        window: ends.window,
        size: 1000,
        sent: 0,
        echoes: 0,
        next_timeout: None,
        stopped: false,
    };
    let echo = Echo { flow, own: receiver, peer: sender, received: 0, received_bytes: 0 };
    network.place(sender, flow, Agent::Guest(Box::new(window)), ends.start, ends.stop);
    network.place(receiver, flow, Agent::Guest(Box::new(echo)), Instant::ZERO, None);
}

fn duplex(network: &mut NetworkBuilder, a: NodeId, b: NodeId, rate: Rate, delay: Duration, json: &str, mode: LinkMode) {
    for (from, to) in [(a, b), (b, a)] {
        let random = network.stream(&format!("link/{}-{}/queue", from.0, to.0));
        let name = format!("{}-{}", from.0, to.0);
        let queue = queue(json, rate, random);
        network.link(LinkPlan { name, from, to, rate, delay, queue, loss: no_loss(), mode });
    }
}

/// Sends so many packets of 1000 bytes when it starts, then nothing.
struct Burst {
    packets: Vec<Packet>,
}

impl Endpoint for Burst {
    fn handle(&mut self, _now: Instant, input: Input<'_>, out: &mut Outbox) {
        if let Input::Start = input {
            self.packets.iter().for_each(|&packet| out.send(packet));
        }
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn report(&self) -> Report {
        Report::default()
    }
}

fn burst(network: &mut NetworkBuilder, from: NodeId, to: NodeId, number: usize) {
    let (own, peer) = (network.address(from), network.address(to));
    let flow = network.flow(own, peer);
    let packets = vec![packet(Instant::ZERO, flow, own, peer, 1000, 0); number];
    network.place(own, flow, Agent::Guest(Box::new(Burst { packets })), Instant::ZERO, None);
    network.place(peer, flow, Agent::Guest(Box::new(Burst { packets: Vec::new() })), Instant::ZERO, None);
}

/// Six flows of different windows over one bottleneck, equal delays so that events coincide often.
fn busy_dumbbell<C: Calendar>(seed: u64, mode: LinkMode, offsets: bool, bottleneck: &str) -> World<C> {
    let mut network = NetworkBuilder::new(seed);
    let (left, right) = (network.node("left"), network.node("right"));
    duplex(&mut network, left, right, Rate(7_654_321), Duration::from_millis(10), bottleneck, mode);
    for i in 0..6u32 {
        let (a, b) = (network.node(format!("a{i}")), network.node(format!("b{i}")));
        duplex(&mut network, a, left, Rate(76_543_210), Duration::from_millis(1), AMPLE, mode);
        duplex(&mut network, right, b, Rate(76_543_210), Duration::from_millis(1), AMPLE, mode);
        let ends = Ends { window: 5 + i, start: Instant(u64::from(i % 2)), stop: None };
        connect(&mut network, a, b, &ends);
    }
    network.clock_offsets(offsets);
    network.probes(ProbePlan {
        trace: true,
        queues: vec![LinkId(0)],
        packets: PacketPlan { links: vec![LinkId(0)], ..PacketPlan::default() },
        ..ProbePlan::default()
    });
    network.build().expect("a network without errors")
}

const RED: &str =
    r#"{"kind": "red", "min_th": "3 packets", "max_th": "9 packets", "limit": "30 packets", "ecn": true}"#;

fn digest<C: Calendar>(seed: u64, mode: LinkMode, offsets: bool, bottleneck: &str) -> (u64, u64) {
    let mut world = busy_dumbbell::<C>(seed, mode, offsets, bottleneck);
    assert_eq!(world.run(Instant::from_secs_f64(2.0), u64::MAX), Progress::Done);
    assert!(world.links().iter().all(|link| link.conserves()));
    let digest = world.digest().expect("a trace was asked for");
    assert!(digest.1 > 10_000, "something happened");
    digest
}

#[test]
fn calendars_link_modes_and_clock_offsets_give_identical_traces() {
    for bottleneck in [AMPLE, r#"{"kind": "drop-tail", "limit": "20 packets"}"#, RED] {
        let reference = digest::<Wheel>(1, LinkMode::Fused, true, bottleneck);
        assert_eq!(digest::<Heap>(1, LinkMode::Fused, true, bottleneck), reference, "calendar, {bottleneck}");
        assert_eq!(digest::<Wheel>(1, LinkMode::TwoStage, true, bottleneck), reference, "link mode, {bottleneck}");
        assert_eq!(digest::<Wheel>(1, LinkMode::Fused, false, bottleneck), reference, "offsets, {bottleneck}");
    }
    assert_ne!(digest::<Wheel>(1, LinkMode::Fused, true, RED), digest::<Wheel>(2, LinkMode::Fused, true, RED));
}

#[test]
fn a_window_of_one_takes_one_round_trip() {
    // There: 1 ms for 1000 bytes at 8 Mbit/s and 10 ms; back: 40 us and 10 ms.
    let mut network = NetworkBuilder::new(1);
    let (a, b) = (network.node("a"), network.node("b"));
    duplex(&mut network, a, b, Rate(8_000_000), Duration::from_millis(10), AMPLE, LinkMode::Fused);
    connect(&mut network, a, b, &Ends { window: 1, start: Instant::ZERO, stop: None });
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    let round_trip = 21_040_000;
    world.run(Instant(100 * round_trip - 1), u64::MAX);
    assert_eq!(world.sender(0).received_pkts, 99);
    world.run(Instant(100 * round_trip), u64::MAX);
    assert_eq!(world.sender(0).received_pkts, 100);
    assert_eq!(world.packet_hops(), 200);
}

#[test]
fn a_busy_link_sends_at_its_rate_to_the_nanosecond() {
    // 1.5 Mbit/s: 5333333.33.. ns per 1000 bytes. The remainder is carried: after 3 s exactly 562.5 packets have left.
    let mut network = NetworkBuilder::new(1);
    let (a, b) = (network.node("a"), network.node("b"));
    duplex(&mut network, a, b, Rate(1_500_000), Duration::ZERO, AMPLE, LinkMode::Fused);
    connect(&mut network, a, b, &Ends { window: 4000, start: Instant::ZERO, stop: None });
    let mut world: World<Heap> = network.build().expect("a network without errors");
    // The 2^-32 ns of rounding of a byte's time stays far below a nanosecond here, but leaves the last digit open.
    world.run(Instant(3 * 5_333_333 + 2), u64::MAX);
    assert_eq!(world.links()[0].counters().departed, 3);
    world.run(Instant(3_000_000_000 - 2_666_667), u64::MAX);
    assert_eq!(world.links()[0].counters().departed, 562);
    world.run(Instant(15_999_999_998), u64::MAX);
    assert_eq!(world.links()[0].counters().departed, 2999);
    world.run(Instant(16_000_000_001), u64::MAX);
    assert_eq!(world.links()[0].counters().departed, 3000);
}

#[test]
fn start_and_stop_are_heeded() {
    let mut network = NetworkBuilder::new(1);
    let (a, b) = (network.node("a"), network.node("b"));
    duplex(&mut network, a, b, Rate(8_000_000), Duration::from_millis(1), AMPLE, LinkMode::Fused);
    let ends = Ends { window: 2, start: Instant::from_secs_f64(1.0), stop: Some(Instant::from_secs_f64(2.0)) };
    connect(&mut network, a, b, &ends);
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(Instant::from_secs_f64(0.999), u64::MAX);
    assert_eq!(world.sender(0).sent_pkts, 0);
    world.run(Instant::from_secs_f64(2.0), u64::MAX);
    let sent = world.sender(0).sent_pkts;
    assert!(sent > 500);
    world.run(Instant::from_secs_f64(9.0), u64::MAX);
    assert_eq!(world.sender(0).sent_pkts, sent);
}

#[test]
fn a_network_that_is_no_longer_wanted_is_not_built() {
    let started = |asked_at_most: u32| {
        let mut network = NetworkBuilder::new(1);
        let (a, b) = (network.node("a"), network.node("b"));
        let (rate, delay) = (Rate(7_654_321), Duration::from_millis(1));
        duplex(&mut network, a, b, rate, delay, AMPLE, LinkMode::Fused);
        connect(&mut network, a, b, &Ends { window: 2, start: Instant::ZERO, stop: None });
        let asked = std::cell::Cell::new(0);
        let built = network.build_while::<Wheel>(|| asked.replace(asked.get() + 1) < asked_at_most);
        (built.err(), asked.get())
    };
    let (error, all) = started(u32::MAX);
    assert!(error.is_none() && all > 4, "{all}");
    for asked in 0..all {
        assert_eq!(started(asked), (Some(vec![BuildError::GivenUp]), asked + 1));
    }
}

#[test]
fn a_run_in_pieces_is_the_same_run() {
    let mut whole = busy_dumbbell::<Wheel>(3, LinkMode::Fused, true, RED);
    whole.run(Instant::from_secs_f64(1.0), u64::MAX);
    let mut pieces = busy_dumbbell::<Wheel>(3, LinkMode::Fused, true, RED);
    assert_eq!((pieces.run(Instant::from_secs_f64(1.0), 776), pieces.events()), (Progress::Paused, 776));
    while pieces.run(Instant::from_secs_f64(1.0), 777) == Progress::Paused {}
    assert_eq!(whole.digest(), pieces.digest());
    assert_eq!(whole.events(), pieces.events());
}

#[test]
fn the_loop_that_is_compiled_apart_is_the_same() {
    fn advanced<C: Calendar>(end: Instant, budget: u64) -> (Option<(u64, u64)>, u64)
    where
        World<C>: Loop,
    {
        let mut world = busy_dumbbell::<C>(3, LinkMode::Fused, true, RED);
        assert_eq!(world.advance(end, 0), Progress::Paused);
        assert_eq!((world.events(), world.now()), (0, Instant::ZERO));
        while world.advance(end, budget) == Progress::Paused {}
        assert_eq!(world.now(), end);
        (world.digest(), world.events())
    }
    let end = Instant::from_secs_f64(1.0);
    let mut whole = busy_dumbbell::<Wheel>(3, LinkMode::Fused, true, RED);
    whole.run(end, u64::MAX);
    for found in [advanced::<Wheel>(end, 64), advanced::<Wheel>(end, u64::MAX), advanced::<Heap>(end, 777)] {
        assert_eq!(found, (whole.digest(), whole.events()));
    }
}

#[test]
fn queue_statistics_agree_between_link_modes() {
    let statistics = |mode| {
        let mut world = busy_dumbbell::<Wheel>(1, mode, true, RED);
        world.run(Instant::from_secs_f64(2.0), u64::MAX);
        let queue = world.links()[0].probe().expect("it was asked for").statistics(world.now());
        (queue.mean(), queue.standard_deviation(), queue.min(), queue.max())
    };
    let (fused, two_stage) = (statistics(LinkMode::Fused), statistics(LinkMode::TwoStage));
    assert_eq!(fused, two_stage);
    assert!(fused.0 > 1.0 && fused.3 <= 30);
}

/// Every event at the bottleneck's queue: nanosecond, action, packet, packets waiting, average.
type QueueEvent = (u64, PacketAction, PacketIdentity, u32, u64);

fn events_at_queue(mode: LinkMode, bottleneck: &str) -> (Vec<QueueEvent>, LinkCounters) {
    let mut world = busy_dumbbell::<Wheel>(1, mode, true, bottleneck);
    world.run(Instant::from_secs_f64(1.0), u64::MAX);
    let rows = world.links()[0].probe().and_then(|probe| probe.rows()).expect("they were asked for");
    let event = |row: &PacketRow| (row.at.0, row.action, row.packet, row.waiting_pkts, row.average_pkts.to_bits());
    (rows.iter().map(event).collect(), *world.links()[0].counters())
}

#[test]
fn every_event_at_a_queue_is_kept_and_the_same_in_both_link_modes() {
    for bottleneck in [r#"{"kind": "drop-tail", "limit": "20 packets"}"#, RED] {
        let (events, counters) = events_at_queue(LinkMode::Fused, bottleneck);
        assert!((&events, counters) == (&events_at_queue(LinkMode::TwoStage, bottleneck).0, counters), "{bottleneck}");
        let count = |action: PacketAction| events.iter().filter(|event| event.1 == action).count() as u64;
        let (overflow, active) =
            (PacketAction::Dropped(DropReason::Overflow), PacketAction::Dropped(DropReason::Active));
        assert_eq!(count(overflow), counters.dropped_overflow);
        assert_eq!(count(active), counters.dropped_active);
        assert!(counters.dropped_overflow + counters.dropped_active + counters.marked_moderate > 20, "{counters:?}");
        assert_eq!(count(PacketAction::Marked(Ecn::Moderate)), counters.marked_moderate);
        assert_eq!(count(PacketAction::Departed), counters.departed);
        let accepted = count(PacketAction::Accepted);
        let not_accepted = counters.dropped_overflow + counters.dropped_active + counters.marked_moderate;
        assert_eq!(accepted + not_accepted, counters.arrived);
        // A drop leaves the queue as it was, and says whose packet it was, with the bits that it came with.
        let mut waiting = 0;
        for (at, action, packet, after, _) in &events {
            if let PacketAction::Dropped(_) = action {
                assert_eq!((*after, packet.ecn), (waiting, Ecn::Capable), "at {at} ns");
            }
            waiting = *after;
        }
        // Packets depart in the order in which they entered.
        let of = |wanted: fn(PacketAction) -> bool| {
            events.iter().filter(|event| wanted(event.1)).map(|event| event.2).collect::<Vec<_>>()
        };
        let entered = of(|action| matches!(action, PacketAction::Accepted | PacketAction::Marked(_)));
        let departed = of(|action| action == PacketAction::Departed);
        assert_eq!(departed[..], entered[..departed.len()]);
    }
}

#[test]
fn a_link_keeps_its_rate_in_both_modes_whatever_the_remainder() {
    // 1000 bytes at 7 654 321 bit/s: 1 045 160.87.. ns, of which nothing may be lost from packet to packet. Rounding a
    // byte's time to 2^-32 ns leaves 10^-7 ns per packet.
    for mode in [LinkMode::Fused, LinkMode::TwoStage] {
        let mut network = NetworkBuilder::new(1);
        let (a, b) = (network.node("a"), network.node("b"));
        duplex(&mut network, a, b, Rate(7_654_321), Duration::ZERO, AMPLE, mode);
        connect(&mut network, a, b, &Ends { window: 10_000, start: Instant::ZERO, stop: None });
        let mut world: World<Heap> = network.build().expect("a network without errors");
        for packets in [1u64, 2, 3, 1000, 9999] {
            let exact = (u128::from(packets) * 8_000_000_000_000).div_ceil(7_654_321) as u64;
            world.run(Instant(exact - 2), u64::MAX);
            assert_eq!(world.links()[0].counters().departed, packets - 1, "{mode:?}");
            world.run(Instant(exact), u64::MAX);
            assert_eq!(world.links()[0].counters().departed, packets, "{mode:?}");
        }
    }
}

#[test]
fn what_takes_longer_than_time_lasts_never_leaves() {
    // At 2 bit/s a thousand bytes take 4000 s. A delay of 2^64 - 1 ns is added to that without beginning anew at zero.
    for mode in [LinkMode::Fused, LinkMode::TwoStage] {
        let mut network = NetworkBuilder::new(1);
        let (a, b) = (network.node("a"), network.node("b"));
        duplex(&mut network, a, b, Rate(2), Duration(u64::MAX), AMPLE, mode);
        burst(&mut network, a, b, 10_000);
        let mut world: World<Heap> = network.build().expect("a network without errors");
        world.run(Instant::from_secs_f64(1e6), u64::MAX);
        let LinkCounters { arrived, departed, delivered, .. } = *world.links()[0].counters();
        assert_eq!((arrived, departed, delivered), (10_000, 250, 0), "{mode:?}");
    }
}

#[test]
fn all_errors_of_a_network_come_at_once() {
    let mut network = NetworkBuilder::new(1);
    let (a, b, lonely) = (network.node("a"), network.node("b"), network.node("lonely"));
    duplex(&mut network, a, b, Rate(1), Duration::ZERO, AMPLE, LinkMode::Fused);
    connect(&mut network, a, lonely, &Ends { window: 1, start: Instant::ZERO, stop: None });
    let errors = network.build::<Wheel>().err().expect("errors");
    assert!(errors.contains(&BuildError::TooSlow { link: "0-1".into(), rate: Rate(1) }));
    assert!(errors.contains(&BuildError::Unreachable { from: "a".into(), to: "lonely".into() }));
    assert!(errors.contains(&BuildError::Unreachable { from: "lonely".into(), to: "a".into() }));
}

#[test]
fn a_flow_within_a_node_is_an_error_unless_it_is_a_session() {
    let mut network = NetworkBuilder::new(1);
    let (a, b) = (network.node("a"), network.node("b"));
    duplex(&mut network, a, b, Rate(1_000_000), Duration::ZERO, AMPLE, LinkMode::Fused);
    burst(&mut network, a, b, 1);
    burst(&mut network, b, b, 1);
    let [source, member] = [0; 2].map(|_| network.address(a));
    let (session, first) = network.session(source, SessionPlan::sparse(3));
    network.member(session, member);
    let (_, second) = network.session(source, SessionPlan::sparse(1));
    assert_eq!((first, second), (Address::group(0), Address::group(3)), "each has groups of its own");
    for address in [source, member] {
        network.place(address, session, Agent::Guest(Box::new(Burst { packets: vec![] })), Instant::ZERO, None);
    }
    let errors = network.build::<Wheel>().err().expect("errors");
    assert_eq!(errors, [BuildError::SameNode { node: "b".into() }]);
    assert_eq!(errors[0].to_string(), "a flow starts and ends on node b");
}
