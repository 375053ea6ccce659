//! A mesh of 66 nodes, 60 satellites in a torus and six terminals, whose links and routes change every second.

use crate::support::{NO_LOSS, Wire, always, carrier, constant_rate, leg, link, session, tcp};
use faircast_proto::quantity::Bytes;
use faircast_proto::random::Random;
use faircast_proto::registry::SchemeConfig;
use faircast_proto::source::cbr;
use faircast_proto::tfmcc;
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_sim::builder::NetworkBuilder;
use faircast_sim::calendar::{Calendar, Heap, Wheel};
use faircast_sim::change::{Change, Handoff, Slope};
use faircast_sim::counters::LinkCounters;
use faircast_sim::engine::World;
use faircast_sim::ids::NodeId;
use faircast_sim::link::LinkMode;
use faircast_sim::loss::{self, Loss};
use faircast_sim::probe::ProbePlan;
use std::collections::BTreeMap;

const SECONDS: u64 = 8;
const PLANES: u32 = 6;
const SLOTS: u32 = 10;
/// Satellites that a terminal sees, one after the other.
const SEEN: usize = 3;

/// How the satellites reach the terminals.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Down {
    /// By a link each.
    Links,
    /// By legs of one link.
    Legs,
}

/// The mesh, with constant rates between its terminals, and perhaps TCP, TFMCC and a constant rate to groups, too.
fn mesh(handoff: Handoff, reroute: bool, with_all: bool, way_down: Down) -> NetworkBuilder {
    let mut network = NetworkBuilder::new(7);
    let mut random = Random::stream(7, "test/mesh");
    let mut draw = |below: u64| (random.uniform() * below as f64) as u64;
    let satellites: Vec<NodeId> = (0..PLANES * SLOTS).map(|node| network.node(format!("sat-{node}"))).collect();
    let terminals: Vec<NodeId> = (0..6).map(|node| network.node(format!("terminal-{node}"))).collect();
    let tight = r#"{"kind": "drop-tail", "limit": "12 packets"}"#;
    let loss = r#"{"kind": "bernoulli", "p": 0.002}"#;
    let satellite = |plane: u32, slot: u32| satellites[(plane % PLANES * SLOTS + slot % SLOTS) as usize];
    let mut between = Vec::new();
    for plane in 0..PLANES {
        for slot in 0..SLOTS {
            for other in [satellite(plane + 1, slot), satellite(plane, slot + 1)] {
                let here = satellite(plane, slot);
                let wire = Wire { rate: 765_431 + draw(300_000), millis: 2 + draw(14), queue: tight, loss };
                between.push([(here, other), (other, here)].map(|(from, to)| {
                    let link = link(&mut network, from, to, &wire, LinkMode::Fused);
                    network.handoff(link, handoff, reroute);
                    link
                }));
            }
        }
    }
    let mut change_between = |network: &mut NetworkBuilder, at: Instant| {
        for pair in &between {
            let what = draw(12);
            let delay = Duration::from_micros(2000 + draw(14_000));
            let later = Duration::from_micros(2000 + draw(14_000));
            let rate = Rate(654_321 + draw(400_000));
            for &link in pair {
                let config: loss::Config = serde_json::from_str(loss).expect("a legal loss model");
                let random = network.stream(&format!("loss/{}/{}", link.0, at.0));
                match what {
                    0..2 => network.change(at, link, Change::Down),
                    2..6 => network.change(at, link, Change::Up),
                    6 => network.change(at, link, Change::Rate(rate)),
                    7 => network.change(at, link, Change::Loss(Loss::new(&config, random))),
                    _ => {
                        let slope = Slope::between(delay, later, Duration::from_secs(1));
                        network.change(at, link, Change::Delay { from: delay, slope });
                    }
                }
            }
        }
    };
    (1..SECONDS).for_each(|second| change_between(&mut network, Instant(second * 1_000_000_000)));
    let mut carriers = BTreeMap::new();
    for (number, &terminal) in (0..).zip(&terminals) {
        // Two terminals see the same satellites if these have legs.
        let place = if way_down == Down::Legs { number / 2 * 2 } else { number };
        let seen: [NodeId; SEEN] = std::array::from_fn(|turn| satellite(place, 3 * place + 2 * turn as u32));
        let wire = Wire { rate: 1_234_567, millis: 4, queue: tight, loss: NO_LOSS };
        let up = link(&mut network, terminal, seen[0], &wire, LinkMode::Fused);
        let down = seen.map(|from| match way_down {
            Down::Links => link(&mut network, from, terminal, &wire, LinkMode::Fused),
            Down::Legs => {
                // Narrower, so that something waits: they carry what is for several terminals.
                let narrow = Wire { rate: 654_321, ..wire };
                let carrier = *carriers.entry(from).or_insert_with(|| {
                    let carrier = carrier(&mut network, from, &narrow);
                    network.handoff(carrier, handoff, reroute);
                    carrier
                });
                leg(&mut network, carrier, from, terminal, &Wire { loss, ..wire })
            }
        });
        for link in [[up].as_slice(), &down].concat() {
            network.handoff(link, handoff, reroute);
        }
        let instant = |second: u64| Instant(second * 1_000_000_000 + 77 * u64::from(number));
        down[1..].iter().for_each(|&link| network.change(Instant::ZERO, link, Change::Down));
        for second in 1..SECONDS {
            let [before, now] = [second - 1, second].map(|second| second as usize % SEEN);
            network.change(instant(second), up, Change::FarEnd(seen[now]));
            network.change(instant(second), down[before], Change::Down);
            network.change(instant(second), down[now], Change::Up);
        }
    }
    for second in 1..SECONDS {
        network.reroute(Instant(second * 1_000_000_000 + 500_000_000));
    }
    for (a, b, bps) in [(0, 3, 190_001), (1, 4, 250_007), (5, 2, 310_003), (3, 0, 70_001), (4, 1, 600_011)] {
        constant_rate(&mut network, terminals[a], terminals[b], bps);
    }
    if with_all {
        let cbr = cbr::Config { rate: Rate(123_457), packet_size: Bytes(700), ..cbr::Config::default() };
        let tfmcc = SchemeConfig::Tfmcc(tfmcc::Config::default());
        session(
            &mut network,
            &tfmcc,
            terminals[0],
            &[always(terminals[2]), always(terminals[4]), always(terminals[5])],
        );
        session(&mut network, &SchemeConfig::Cbr(cbr), terminals[3], &[always(terminals[1]), always(terminals[5])]);
        for (a, b) in [(0, 1), (2, 3), (5, 4)] {
            tcp(&mut network, terminals[a], terminals[b], r#"{"variant": "sack", "rto_min": "200 ms"}"#);
        }
    }
    network.probes(ProbePlan { trace: true, ..ProbePlan::default() });
    network
}

fn run<C: Calendar>(network: NetworkBuilder) -> World<C> {
    let mut world = network.build().expect("a network without errors");
    world.run(Instant(SECONDS * 1_000_000_000), u64::MAX);
    assert!(world.links().iter().all(|link| link.conserves()));
    world
}

fn sum(world: &World<Wheel>, of: impl Fn(&LinkCounters) -> u64) -> u64 {
    world.links().iter().map(|link| of(link.counters())).sum()
}

const TREATMENTS: [(Handoff, bool); 4] =
    [(Handoff::Keep, true), (Handoff::Lose, true), (Handoff::Lose, false), (Handoff::Discard, false)];

#[test]
fn heap_and_wheel_agree_whatever_becomes_of_waiting_packets() {
    [Down::Links, Down::Legs].into_iter().for_each(calendars_agree);
}

fn calendars_agree(down: Down) {
    let mut digests = Vec::new();
    for (handoff, reroute) in TREATMENTS {
        let wheel = run::<Wheel>(mesh(handoff, reroute, true, down));
        let heap = run::<Heap>(mesh(handoff, reroute, true, down));
        assert_eq!(wheel.digest(), heap.digest(), "{handoff:?} {reroute}");
        let reasons = |counters: &LinkCounters| [counters.rerouted, counters.unreceived, counters.discarded];
        let [rerouted, unreceived, discarded] = [0, 1, 2].map(|reason| sum(&wheel, |link| reasons(link)[reason]) > 0);
        // Nothing else may have become of them, and with detours the mesh leaves nothing to be treated but on uplinks.
        // What is in transmission for a leg that goes down is heard by nobody anyway.
        let unheard = handoff == Handoff::Lose || down == Down::Legs;
        let expected = (reroute, unheard, handoff == Handoff::Discard);
        assert_eq!((rerouted, unreceived, discarded), expected, "{handoff:?} {reroute} {down:?}");
        for (flow, receivers) in [1, 1, 1, 1, 1, 3, 2, 1, 1, 1].into_iter().enumerate() {
            let received = |receiver: usize| wheel.receiver(flow, receiver).received_pkts;
            assert!((0..receivers).all(|receiver| received(receiver) > 10), "flow {flow}, {handoff:?} {reroute}");
        }
        digests.push(wheel.digest());
    }
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len(), TREATMENTS.len(), "treatments differ");
}

#[test]
fn every_packet_is_received_under_way_or_counted_by_what_became_of_it() {
    for ((handoff, reroute), down) in TREATMENTS.into_iter().flat_map(|one| [(one, Down::Links), (one, Down::Legs)]) {
        let world = run::<Wheel>(mesh(handoff, reroute, false, down));
        let (mut sent, mut received) = (0, 0);
        for flow in 0..5 {
            sent += world.sender(flow).sent_pkts;
            received += world.receiver(flow, 0).received_pkts;
        }
        let given_up: u64 = world.undeliverable().iter().map(|counted| counted.total()).sum();
        let dropped = |link: &LinkCounters| link.dropped_overflow + link.dropped_active + link.dropped_down;
        let lost = |link: &LinkCounters| dropped(link) + link.lost + link.discarded + link.unreceived;
        let inside: u64 = world.links().iter().map(|link| link.inside_pkts()).sum();
        assert_eq!(sent, received + sum(&world, lost) + given_up + inside, "{handoff:?} {reroute} {down:?}");
        assert!(received > sent / 2 && sum(&world, lost) > 0, "{handoff:?} {reroute} {down:?}: {received} of {sent}");
        // No link can be reached that is down.
        assert_eq!(sum(&world, |link| link.dropped_down), 0);
    }
}

#[test]
fn links_lead_where_the_plan_says_at_the_end() {
    let world = run::<Wheel>(mesh(Handoff::Keep, true, false, Down::Links));
    let uplink = |number: u32| world.links().len() - 24 + 4 * number as usize;
    let satellite = |number: u32| {
        let turn = (SECONDS - 1) as u32 % SEEN as u32;
        NodeId(number % PLANES * SLOTS + (3 * number + 2 * turn) % SLOTS)
    };
    for number in 0..6 {
        assert_eq!(world.links()[uplink(number)].far_end(), satellite(number));
        let up: Vec<bool> = (1..4).map(|link| world.links()[uplink(number) + link].is_up()).collect();
        let turn = (SECONDS - 1) as usize % SEEN;
        assert_eq!(up, [0, 1, 2].map(|number| number == turn));
    }
}
