//! A mesh of 66 nodes, 60 satellites in a torus and six terminals, whose links and routes change every second.

use crate::support::{NO_LOSS, Stay, Wire, always, carrier, constant_rate, leg, link, session, session_of, tcp};
use faircast_proto::packet::Address;
use faircast_proto::quantity::Bytes;
use faircast_proto::random::Random;
use faircast_proto::registry::SchemeConfig;
use faircast_proto::source::layered::{Announce, Step};
use faircast_proto::source::{cbr, layered};
use faircast_proto::tfmcc;
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_sim::builder::NetworkBuilder;
use faircast_sim::calendar::{Calendar, Heap, Wheel};
use faircast_sim::change::{Change, Handoff, Slope};
use faircast_sim::counters::LinkCounters;
use faircast_sim::ids::NodeId;
use faircast_sim::link::LinkMode;
use faircast_sim::loss::{self, Loss};
use faircast_sim::probe::ProbePlan;
use faircast_sim::world::World;
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

/// The mesh, with constant rates between its terminals, and perhaps TCP, TFMCC, a constant rate to a group and layers
/// of which members hold more and fewer in turn, too.
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
        layers(&mut network, &terminals);
        for (a, b) in [(0, 1), (2, 3), (5, 4)] {
            tcp(&mut network, terminals[a], terminals[b], r#"{"variant": "sack", "rto_min": "200 ms"}"#);
        }
    }
    network.probes(ProbePlan { trace: true, ..ProbePlan::default() });
    network
}

/// Four layers, and members that go from level to level: one holds all of them, two change in turn, one leaves.
fn layers(network: &mut NetworkBuilder, terminals: &[NodeId]) {
    let config = |level, climb: &[(u64, u32)]| {
        let step = |&(millis, level): &(u64, u32)| Step { after: Duration::from_millis(millis), level };
        SchemeConfig::LayeredCbr(layered::Config {
            rates: [20_011, 30_011, 40_009, 50_021].map(Rate).to_vec(),
            packet_size: Bytes(300),
            jitter: 0.5,
            level: Some(level),
            climb: climb.iter().map(step).collect(),
            announce: Some(Announce::Apart),
            ecn: false,
        })
    };
    let members = [
        (config(4, &[]), always(terminals[2])),
        (config(1, &[(1300, 3), (4100, 2)]), always(terminals[3])),
        (config(2, &[(2000, 4), (3000, 1), (6500, 4)]), Stay { start: 0.7, ..always(terminals[4]) }),
        (config(3, &[]), Stay { stop: Some(6.0), ..always(terminals[5]) }),
    ];
    session_of(network, &config(4, &[]), terminals[1], &members);
}

/// The session of layers is flow 7. Its groups come after those of the two sessions before it: four layers, and one for
/// announcements.
fn layers_add_up(world: &World<Wheel>, what: &str) {
    let groups: Vec<_> = (2..7).map(|group| world.group(Address::group(group)).expect("there are five")).collect();
    let reports: Vec<_> = (0..4).map(|member| world.receiver(7, member)).collect();
    assert_eq!(world.sender(7).sent_pkts, groups.iter().map(|group| group.sent).sum::<u64>(), "{what}");
    assert!((0..4).all(|layer| groups[layer].others_sent == 0) && groups[4].sent == 0, "{what}");
    // One at the start of each, at each step and at the stop.
    let announced: u64 = reports.iter().map(|report| report.sent_pkts).sum();
    assert_eq!((announced, groups[4].others_sent), (4 + 2 + 3 + 1, announced), "{what}");
    let received: u64 = reports.iter().map(|report| report.received_pkts).sum();
    assert_eq!(received, groups.iter().map(|group| group.received).sum::<u64>(), "{what}");
    // Four layers for 8 s; 1, 3 and 2 for 1.3, 2.8 and 3.9 s; 2, 4, 1 and 4 for 2, 1, 3.5 and 0.8 s; 3 for 6 s.
    let first = world.flows()[7].receivers.start;
    let held: Vec<f64> = (first..first + 4).map(|receiver| world.held(receiver).as_secs_f64()).collect();
    let expected = [32.0, 1.3 + 8.4 + 7.8, 4.0 + 4.0 + 3.5 + 3.2, 18.0];
    assert!(held.iter().zip(expected).all(|(held, expected)| (held - expected).abs() < 1e-9), "{held:?} {what}");
    let in_groups: f64 = groups[..4].iter().map(|group| group.member_time.as_secs_f64()).sum();
    assert!((in_groups - expected.iter().sum::<f64>()).abs() < 1e-9, "{in_groups} {what}");
    assert!(groups.iter().all(|group| group.received > 0) && reports[0].received_pkts > 100, "{what}: {groups:?}");
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
        layers_add_up(&wheel, &format!("{handoff:?} {reroute} {down:?}"));
        for (flow, receivers) in [1, 1, 1, 1, 1, 3, 2, 4, 1, 1, 1].into_iter().enumerate() {
            let received = |receiver: usize| wheel.receiver(flow, receiver).received_pkts;
            let all: Vec<u64> = (0..receivers).map(received).collect();
            assert!(all.iter().all(|&received| received > 5), "flow {flow}, {handoff:?} {reroute} {down:?}: {all:?}");
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
