//! Links with legs: what comes to whom worked out by hand, and what comes to each as on links of its own.

use crate::at_departure::at_departure;
use crate::changes::{At, MS, Outcome, delay, run, wire};
use crate::support::{AMPLE, Arrival, NO_LOSS, Step, Wire, actor, carrier, leg, link, script};
use faircast_proto::endpoint::Action;
use faircast_proto::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use faircast_proto::time::{Instant, Rate};
use faircast_sim::builder::{BuildError, CarrierPlan, NetworkBuilder};
use faircast_sim::calendar::{Calendar, Heap, Wheel};
use faircast_sim::change::{Change, Handoff};
use faircast_sim::counters::LinkCounters;
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::link::LinkMode;
use faircast_sim::loss::{self, Loss};
use faircast_sim::multicast::SessionPlan;
use faircast_sim::part::Aspect;
use faircast_sim::part::LinkRole;
use faircast_sim::queue::{DropReason, Queue, Verdict};
use faircast_sim::world::World;
use std::sync::{Arc, Mutex};

pub type Arrivals = Arc<Mutex<Vec<Arrival>>>;

pub fn datagram(flow: FlowId, source: Address, destination: Address, size: u16) -> Action {
    let (sent, header) = (Instant::ZERO, Header::Datagram { sequence: 0 });
    Action::Send(Packet { sent, flow, source, destination, size, ttl: INITIAL_TTL, ecn: Ecn::NotCapable, header })
}

/// A session from `source` that sends packets of these sizes at these microseconds; its members join at the start.
pub fn group(network: &mut NetworkBuilder, source: NodeId, members: &[NodeId], sends: &[(u64, u16)]) -> Vec<Arrivals> {
    let source = network.address(source);
    let (flow, first) = network.session(source, SessionPlan::sparse(1));
    let sends: Vec<_> = sends.iter().map(|&(micros, size)| (micros, datagram(flow, source, first, size))).collect();
    network.place(source, flow, actor(&sends).0, Instant::ZERO, None);
    let place = |&node: &NodeId| {
        let own = network.address(node);
        network.member(flow, own);
        let (member, arrivals) = actor(&[(0, Action::Join(first))]);
        network.place(own, flow, member, Instant::ZERO, None);
        arrivals
    };
    members.iter().map(place).collect()
}

/// A satellite that carries packets of its own at 8 Mbit/s to terminals so many milliseconds away, each of which has an
/// uplink of 1 ms. Link 0 is the carrier, its legs follow, then come the uplinks.
pub struct Satellite {
    pub satellite: NodeId,
    pub carrier: LinkId,
    pub terminals: Vec<NodeId>,
    pub legs: Vec<LinkId>,
}

pub fn satellite(network: &mut NetworkBuilder, queue: &str, away: &[u64]) -> Satellite {
    let satellite = network.node("satellite");
    let carrier = carrier(network, satellite, &Wire { queue, ..wire(0) });
    let terminals: Vec<NodeId> = away.iter().map(|millis| network.node(format!("t{millis}"))).collect();
    let of = |(&to, &millis): (&NodeId, &u64)| leg(network, carrier, satellite, to, &wire(millis));
    let legs = terminals.iter().zip(away).map(of).collect();
    for &terminal in &terminals {
        link(network, terminal, satellite, &wire(1), LinkMode::Fused);
    }
    Satellite { satellite, carrier, terminals, legs }
}

#[test]
fn one_transmission_serves_all_legs_and_a_packet_to_a_host_one() {
    let outcome = run(&|network| {
        let Satellite { satellite, terminals, .. } = satellite(network, AMPLE, &[10, 20, 20]);
        // The joins have come by then, and their acknowledgements left.
        let at = |micros: u64| 100_000 + micros;
        let first = script(network, [satellite, terminals[0]], Instant::ZERO, &[(at(0), Step::Send(1000))]);
        let all = group(network, satellite, &terminals, &[(at(0), 500)]);
        let second = script(network, [satellite, terminals[1]], Instant::ZERO, &[(at(0), Step::Send(700))]);
        [vec![first, second], all].concat()
    });
    // Departures at 101, 101.5 and 102.2 ms.
    let ms = |thousandths: u64| thousandths * 1000;
    assert_eq!(outcome.arrivals[0], [(ms(111_000), 1000)]);
    assert_eq!(outcome.arrivals[1], [(ms(122_200), 700)]);
    let of_group: Vec<_> = outcome.arrivals[2..].iter().map(|arrivals| arrivals[0]).collect();
    assert_eq!(of_group, [(ms(111_500), 500), (ms(121_500), 500), (ms(121_500), 500)]);
    // The transmitter counts each once, and three acknowledgements; each leg what it gets.
    let transmitter = outcome.counters[0];
    assert_eq!((transmitter.arrived, transmitter.delivered, transmitter.departed), (6, 6, 6));
    assert_eq!(transmitter.departed_bytes, 1000 + 500 + 700 + 3 * 50);
    let legs = [1, 2, 3].map(|leg| outcome.counters[leg]);
    assert_eq!(legs.map(|leg| (leg.arrived, leg.delivered)), [(3, 3), (3, 3), (2, 2)]);
    assert_eq!(legs.map(|leg| leg.delivered_bytes), [1550, 1250, 550]);
}

#[test]
fn the_queue_is_the_carriers() {
    // Of four packets at once, one for each leg and two for all, three find room.
    let outcome = run(&|network| {
        let two = r#"{"kind": "drop-tail", "limit": "3 packets"}"#;
        let Satellite { satellite, terminals, .. } = satellite(network, two, &[10, 20]);
        let one = script(network, [satellite, terminals[0]], Instant::ZERO, &[(100_000, Step::Send(1000))]);
        let all = group(network, satellite, &terminals, &[(100_000, 1000), (100_000, 1001)]);
        let other = script(network, [satellite, terminals[1]], Instant::ZERO, &[(100_000, Step::Send(1000))]);
        [vec![one, other], all].concat()
    });
    assert_eq!(outcome.arrivals.iter().map(Vec::len).collect::<Vec<_>>(), [1, 0, 2, 2]);
    assert_eq!((outcome.counters[0].dropped_overflow, outcome.counters[0].delivered), (1, 5));
}

/// Drops every third packet when its turn comes.
fn drops_thirds() -> Queue {
    let mut asked = 0_u32;
    at_departure(move |_, _| {
        asked += 1;
        if asked.is_multiple_of(3) { Verdict::Drop(DropReason::Active) } else { Verdict::Accept }
    })
}

#[test]
fn what_a_queue_drops_at_departure_takes_no_others_leg() {
    let outcome = run(&|network| {
        let satellite = network.node("satellite");
        let queue = drops_thirds();
        let plan = CarrierPlan { name: "down".into(), from: satellite, rate: Rate(8_000_000), queue };
        let carrier = network.carrier(plan);
        let flow = |index: u64| {
            let terminal = network.node(format!("t{index}"));
            leg(network, carrier, satellite, terminal, &wire(10 + index));
            link(network, terminal, satellite, &wire(1), LinkMode::Fused);
            let steps: Vec<_> = (0..4).map(|_| (0, Step::Send(100 + index as u16))).collect();
            script(network, [satellite, terminal], Instant::ZERO, &steps)
        };
        (0..3).map(flow).collect()
    });
    // Of twelve, flow by flow, four are dropped.
    let sizes = outcome.arrivals.iter().map(|all| all.iter().map(|&(_, size)| size).collect::<Vec<_>>());
    assert_eq!(sizes.collect::<Vec<_>>(), [vec![100; 3], vec![101; 3], vec![102; 2]]);
    assert_eq!(outcome.counters[0].dropped_active, 4);
    // What came to the wrong terminal would have gone back.
    assert_eq!([2, 4, 6].map(|uplink| outcome.counters[uplink].arrived), [0; 3]);
}

/// Three packets to each of two terminals 10 and 20 ms away, by turns from 0 ms on, of different sizes; the second's
/// leg changes.
fn two_legs(handoff: Handoff, changes: &[At]) -> Outcome {
    run(&|network| {
        let Satellite { satellite, terminals, legs, .. } = satellite(network, AMPLE, &[10, 20]);
        network.handoff(legs[1], handoff, true);
        for (micros, change) in changes {
            network.change(Instant(micros * 1000), legs[1], change());
        }
        let flow = |terminal: usize| {
            let steps: Vec<_> = (0..3).map(|step| (0, Step::Send(1000 + 10 * terminal as u16 + step))).collect();
            script(network, [satellite, terminals[terminal]], Instant::ZERO, &steps)
        };
        [0, 1].map(flow).to_vec()
    })
}

fn sizes(outcome: &Outcome) -> [Vec<u16>; 2] {
    [0, 1].map(|flow| outcome.arrivals[flow].iter().map(|&(_, size)| size).collect())
}

#[test]
fn a_leg_that_changes_delivers_in_order_what_departed_with_its_delay() {
    // The packets for the second terminal depart at 4.013, 5.024 and 6.036 ms.
    let outcome = two_legs(Handoff::Keep, &[(5 * 1000, || delay(2))]);
    let came = [(24_013_000, 1010), (24_013_000, 1011), (24_013_000, 1012)];
    assert_eq!(outcome.arrivals[1], came);
    assert_eq!(outcome.arrivals[0], [(11_000_000, 1000), (12_001_000, 1001), (13_003_000, 1002)]);
}

#[test]
fn what_waits_for_a_leg_that_goes_down_is_kept_lost_or_discarded() {
    // Down from 4.5 ms, when the last but one is in transmission, to 5.5 ms: the last has waited. Down until 7 ms, it
    // is its turn, and nobody hears it.
    let of = |handoff, until| {
        let outcome = two_legs(handoff, &[(4500, || Change::Down), (until, || Change::Up)]);
        let LinkCounters { unreceived, discarded, rerouted, .. } = outcome.counters[0];
        assert_eq!(rerouted, 0);
        assert_eq!(sizes(&outcome)[0], [1000, 1001, 1002]);
        (sizes(&outcome)[1].clone(), unreceived, discarded)
    };
    assert_eq!(of(Handoff::Keep, 5000), (vec![1010, 1011, 1012], 0, 0));
    assert_eq!(of(Handoff::Keep, 5500), (vec![1010, 1012], 1, 0));
    assert_eq!(of(Handoff::Keep, 7000), (vec![1010], 2, 0));
    assert_eq!(of(Handoff::Lose, 5000), (vec![1010, 1011], 1, 0));
    assert_eq!(of(Handoff::Discard, 5000), (vec![1010, 1011], 0, 1));
}

#[test]
fn what_comes_for_a_leg_that_is_down_is_dropped_and_all_when_the_carrier_is() {
    let of = |whole: bool| {
        run(&|network| {
            let Satellite { satellite, terminals, legs, carrier } = satellite(network, AMPLE, &[10, 20]);
            let what = if whole { carrier } else { legs[1] };
            network.change(Instant(200 * MS), what, Change::Down);
            network.change(Instant(300 * MS), what, Change::Up);
            let all = group(network, satellite, &terminals, &[(100_000, 100), (250_000, 101), (350_000, 102)]);
            let steps = [(100_000, Step::Send(50)), (250_000, Step::Send(51)), (350_000, Step::Send(52))];
            let one = |index: usize| script(network, [satellite, terminals[index]], Instant::ZERO, &steps);
            [all, [0, 1].map(one).to_vec()].concat()
        })
    };
    let sizes = |outcome: &Outcome| -> Vec<Vec<u16>> {
        outcome.arrivals.iter().map(|all| all.iter().map(|&(_, size)| size).collect()).collect()
    };
    // No route leads over what is down.
    let leg = of(false);
    assert_eq!(sizes(&leg), [vec![100, 101, 102], vec![100, 102], vec![50, 51, 52], vec![50, 52]]);
    assert_eq!((leg.no_route, leg.counters[0].unreceived), (1, 0));
    let whole = of(true);
    assert_eq!(sizes(&whole), [vec![100, 102], vec![100, 102], vec![50, 52], vec![50, 52]]);
    assert_eq!(whole.no_route, 2);
}

#[test]
fn a_hand_off_moves_a_leg_and_what_waits_for_it_goes_after_it() {
    // Two satellites 5 ms apart. A terminal moves from one to the other at 2.5 ms, when its four packets wait behind
    // those of another.
    let of = |handoff, reroute| {
        run(&|network| {
            let [old, new, first, second] = ["old", "new", "first", "second"].map(|name| network.node(name));
            let carriers = [old, new].map(|satellite| carrier(network, satellite, &wire(0)));
            let stays = leg(network, carriers[0], old, second, &wire(10));
            let leaves = leg(network, carriers[0], old, first, &wire(10));
            let comes = leg(network, carriers[1], new, first, &wire(3));
            for (from, to) in [(old, new), (new, old), (first, new), (second, old)] {
                link(network, from, to, &wire(5), LinkMode::Fused);
            }
            for leg in [stays, leaves, comes] {
                network.handoff(leg, handoff, reroute);
            }
            network.change(Instant::ZERO, comes, Change::Down);
            network.change(Instant(2_500_000), leaves, Change::Down);
            network.change(Instant(2_500_000), comes, Change::Up);
            let flow = |to: NodeId| {
                let base = if to == first { 2000 } else { 1000 };
                let steps: Vec<_> = (0..2).flat_map(|_| [(0, Step::Send(base)), (0, Step::Send(base))]).collect();
                script(network, [old, to], Instant::ZERO, &steps)
            };
            [second, first].map(flow).to_vec()
        })
    };
    // The second's four depart until 4 ms whatever becomes of the others.
    let second: Vec<_> = (1..=4).map(|packet| ((10 + packet) * MS, 1000)).collect();
    let outcome = of(Handoff::Keep, true);
    assert_eq!(outcome.arrivals[0], second);
    // Four times 2 ms to the other satellite, one after the other, 5 ms on the way, 2 ms there, 3 ms on the way.
    let over: Vec<_> = (1..=4).map(|packet| ((2_500 + 2000 * packet + 10_000) * 1000, 2000)).collect();
    assert_eq!(outcome.arrivals[1], over);
    assert_eq!(outcome.counters[0].rerouted, 4);
    let reasons = |outcome: &Outcome| (outcome.counters[0].unreceived, outcome.counters[0].discarded);
    for (handoff, expected) in [(Handoff::Keep, (4, 0)), (Handoff::Lose, (4, 0)), (Handoff::Discard, (0, 4))] {
        let outcome = of(handoff, false);
        assert_eq!(outcome.arrivals[0], second);
        assert_eq!((outcome.arrivals[1].len(), reasons(&outcome)), (0, expected), "{handoff:?}");
    }
}

#[test]
fn over_another_leg_of_its_link_a_packet_keeps_its_place() {
    // Two legs to one terminal, the shorter down at 1.5 ms: two packets wait for it, behind one for another terminal.
    let outcome = run(&|network| {
        let [satellite, near, other] = ["satellite", "near", "other"].map(|name| network.node(name));
        let carrier = carrier(network, satellite, &wire(0));
        let short = leg(network, carrier, satellite, near, &wire(10));
        leg(network, carrier, satellite, near, &wire(20));
        leg(network, carrier, satellite, other, &wire(10));
        for terminal in [near, other] {
            link(network, terminal, satellite, &wire(1), LinkMode::Fused);
        }
        network.change(Instant(1_500_000), short, Change::Down);
        let to = |node, steps: &[(u64, Step)], network: &mut NetworkBuilder| {
            script(network, [satellite, node], Instant::ZERO, steps)
        };
        let first = to(near, &[(0, Step::Send(1000))], network);
        let between = to(other, &[(100, Step::Send(1000)), (400, Step::Send(1000))], network);
        let waiting = to(near, &[(200, Step::Send(1000)), (300, Step::Send(1001))], network);
        vec![first, between, waiting]
    });
    assert_eq!(outcome.arrivals[0], [(11 * MS, 1000)]);
    assert_eq!(outcome.arrivals[1], [(12 * MS, 1000), (15_001_000, 1000)]);
    assert_eq!(outcome.arrivals[2], [(23 * MS, 1000), (24_001_000, 1001)]);
    assert_eq!((outcome.counters[0].rerouted, outcome.counters[0].unreceived), (0, 0));
}

#[test]
fn what_goes_to_a_group_that_nobody_hears_any_more_is_counted() {
    let outcome = run(&|network| {
        let Satellite { satellite, terminals, legs, .. } = satellite(network, AMPLE, &[10]);
        // Two at once; the first is in transmission when the leg goes down, and nobody hears either of them.
        network.change(Instant(100_500_000), legs[0], Change::Down);
        group(network, satellite, &terminals, &[(50_000, 1000), (100_000, 1000), (100_000, 1000)])
    });
    assert_eq!(outcome.arrivals[0], [(61 * MS, 1000)]);
    assert_eq!((outcome.counters[0].unreceived, outcome.counters[0].delivered), (2, 2));
}

#[test]
fn what_is_lost_with_its_leg_takes_no_other_way_when_the_carrier_goes_down_as_well() {
    let outcome = run(&|network| {
        let Satellite { satellite, terminals, legs, carrier } = satellite(network, AMPLE, &[10, 20]);
        link(network, satellite, terminals[1], &wire(50), LinkMode::Fused);
        network.handoff(legs[1], Handoff::Lose, false);
        // The last packet for the second terminal waits until 4.033 ms.
        network.change(Instant(3_500_000), legs[1], Change::Down);
        network.change(Instant(3_800_000), carrier, Change::Down);
        network.change(Instant(7_000_000), carrier, Change::Up);
        let first = script(network, [satellite, terminals[0]], Instant::ZERO, &[(0, Step::Send(1000))]);
        let steps = [1010, 1011, 1012, 1013].map(|size| (0, Step::Send(size)));
        vec![first, script(network, [satellite, terminals[1]], Instant::ZERO, &steps)]
    });
    assert_eq!(sizes(&outcome), [vec![1000], vec![1010, 1011]]);
    let LinkCounters { rerouted, unreceived, delivered, .. } = outcome.counters[0];
    assert_eq!((rerouted, unreceived, delivered), (0, 2, 3));
}

#[test]
fn a_leg_that_comes_up_hears_what_departs_at_that_moment() {
    // A packet to the group departs at 101 ms.
    let of = |up: u64| {
        let outcome = run(&|network| {
            let Satellite { satellite, terminals, legs, .. } = satellite(network, AMPLE, &[10, 20]);
            network.change(Instant(50 * MS), legs[1], Change::Down);
            network.change(Instant(up), legs[1], Change::Up);
            group(network, satellite, &terminals, &[(100_000, 1000)])
        });
        outcome.arrivals[1].clone()
    };
    assert_eq!(of(101 * MS - 1), [(121 * MS, 1000)]);
    assert_eq!(of(101 * MS), [(121 * MS, 1000)], "a change comes before everything else of its instant");
    assert_eq!(of(101 * MS + 1), []);
}

#[test]
fn changes_belong_to_the_leg_or_to_the_carrier() {
    let mut network = NetworkBuilder::new(1);
    let Satellite { carrier, legs, satellite, .. } = satellite(&mut network, AMPLE, &[10]);
    let lossless = Loss::Lossless(loss::none::Lossless);
    network.change(Instant(1), carrier, Change::Loss(lossless));
    network.change(Instant(1), carrier, delay(3));
    network.change(Instant(1), carrier, Change::Rate(Rate(1000)));
    network.change(Instant(1), carrier, Change::Down);
    network.change(Instant(1), legs[0], Change::Rate(Rate(1000)));
    network.change(Instant(1), legs[0], Change::Down);
    network.change(Instant(1), legs[0], delay(3));
    network.change(Instant(2), legs[0], Change::FarEnd(satellite));
    let errors = network.build::<Wheel>().err().expect("errors");
    let not_its_own = |what, part: LinkRole, link: &str| BuildError::NotItsOwn { link: link.into(), what, part };
    let expected = [
        not_its_own(Aspect::Loss, LinkRole::Carrier, "0-"),
        not_its_own(Aspect::Delay, LinkRole::Carrier, "0-"),
        not_its_own(Aspect::Rate, LinkRole::Leg(carrier), "0-1"),
        BuildError::NoFarEnd { link: "0-1".into(), node: satellite.0, at: Instant(2) },
    ];
    assert!(errors.len() == 4 && expected.iter().all(|error| errors.contains(error)), "{errors:?}");
    assert_eq!(
        expected[2].to_string(),
        "a leg has no rate of its own that link 0-1 could change; legal is its state, delay, loss model and far end"
    );
}

/// A satellite that sends 2000 packets to a group, and what each of `count` terminals gets and loses: on legs or on
/// links of their own with losses of the same names. Every seventh is a mover, whose delay follows a plan.
fn star<C: Calendar>(legs: bool, count: u64, packets: u64, loss: &str) -> (Vec<Vec<Arrival>>, Vec<LinkCounters>) {
    let mut network = NetworkBuilder::new(3);
    network.clock_offsets(false);
    let satellite = network.node("satellite");
    let down = Wire { rate: 7_654_321, millis: 0, queue: AMPLE, loss: NO_LOSS };
    let carrier = legs.then(|| carrier(&mut network, satellite, &down));
    carrier.iter().for_each(|&carrier| network.header(carrier, 16));
    let terminals: Vec<NodeId> = (0..count).map(|index| network.node(format!("t{index}"))).collect();
    let mut ways = Vec::new();
    for (index, &terminal) in (0..).zip(&terminals) {
        let wire = Wire { millis: 120 + index % 5, loss, ..down };
        let way = match carrier {
            Some(carrier) => leg(&mut network, carrier, satellite, terminal, &wire),
            None => {
                let own = link(&mut network, satellite, terminal, &wire, LinkMode::Fused);
                network.header(own, 16);
                own
            }
        };
        if index % 7 == 0 {
            (0..20).for_each(|step| network.change(Instant(step * 777 * MS), way, delay(120 + (index + 3 * step) % 9)));
        }
        ways.push(way);
        link(&mut network, terminal, satellite, &wire_up(index), LinkMode::Fused);
    }
    let send = |packet| (1_000_000 + 5000 * packet, 40 + (packet * 131 % 1460) as u16);
    let arrivals = group(&mut network, satellite, &terminals, &(0..packets).map(send).collect::<Vec<_>>());
    let mut world: World<C> = network.build().expect("a network without errors");
    world.run(Instant(60_000 * MS), u64::MAX);
    assert!(world.links().iter().all(|link| link.conserves() && link.inside_pkts() == 0));
    let arrivals = arrivals.iter().map(|arrivals| arrivals.lock().expect("one thread").clone()).collect();
    (arrivals, ways.iter().map(|way| *world.links()[way.index()].counters()).collect())
}

/// Uplinks of a millisecond more each, so that no two acknowledgements meet.
fn wire_up<'a>(index: u64) -> Wire<'a> {
    Wire { rate: 7_654_321, millis: 1 + index, queue: AMPLE, loss: NO_LOSS }
}

#[test]
fn everyone_gets_and_loses_what_it_would_on_a_link_of_its_own() {
    for loss in [
        r#"{"kind": "bernoulli", "p": 0.03}"#,
        r#"{"kind": "bit-error", "ber": 0.00001}"#,
        r#"{"kind": "gilbert-elliott", "mean_loss": 0.03, "mean_burst": "5 packets"}"#,
    ] {
        let (own, own_counters) = star::<Wheel>(false, 40, 2000, loss);
        let (shared, shared_counters) = star::<Wheel>(true, 40, 2000, loss);
        assert_eq!(own, shared, "{loss}");
        let lost = |counters: &[LinkCounters]| counters.iter().map(|leg| (leg.lost, leg.delivered)).collect::<Vec<_>>();
        assert_eq!(lost(&own_counters), lost(&shared_counters), "{loss}");
        assert!(own_counters.iter().all(|link| link.lost > 5), "{loss}");
        assert_eq!(star::<Heap>(true, 40, 2000, loss).0, shared, "{loss}");
    }
}

/// A satellite with so many legs of 1000 distinct delays, each at 0.1 % loss, and a mover among each hundred; a group
/// gets so many packets, and one terminal as many of its own.
fn crowd(count: u64, packets: u64) -> World<Wheel> {
    let mut network = NetworkBuilder::new(2);
    let satellite = network.node("satellite");
    let queue = r#"{"kind": "drop-tail", "limit": "1000000 packets"}"#;
    let down = Wire { rate: 10_000_000_000, millis: 0, queue, loss: NO_LOSS };
    let carrier = carrier(&mut network, satellite, &down);
    let lossy = r#"{"kind": "bernoulli", "p": 0.001}"#;
    let terminals: Vec<NodeId> = (0..count).map(|index| network.node(format!("t{index}"))).collect();
    for (index, &terminal) in (0..).zip(&terminals) {
        let millis = 100 + index % 1000;
        let leg = leg(&mut network, carrier, satellite, terminal, &Wire { millis, loss: lossy, ..down });
        link(&mut network, terminal, satellite, &Wire { millis: 1, ..down }, LinkMode::Fused);
        if index % 100 == 7 {
            network.change(Instant(5_020 * MS), leg, delay(millis + 3));
        }
    }
    let sends: Vec<_> = (0..packets).map(|packet| (5_000_000 + 10_000 * packet, 1000)).collect();
    group(&mut network, satellite, &terminals, &sends);
    let steps: Vec<_> = sends.iter().map(|&(micros, size)| (micros + 3000, Step::Send(size))).collect();
    script(&mut network, [satellite, terminals[11]], Instant::ZERO, &steps);
    network.build().expect("a network without errors")
}

#[test]
fn a_packet_costs_an_entry_for_each_delay_however_many_legs_there_are() {
    for count in [2_000, 20_000] {
        let mut world = crowd(count, 5);
        world.run(Instant(4_999 * MS), u64::MAX);
        let (before, hops) = (world.events(), world.packet_hops());
        world.run(Instant(8_000 * MS), u64::MAX);
        // Five timers of each sender and ten departures; hearings, of the group for each delay of a leg that stays, and
        // of the one terminal; a delivery for each mover; the change, and the agenda of lost acknowledgements, once.
        let (fixed, movers) = (10 + 10 + 5 * 990 + 5 + 2, 5 * count / 100);
        assert_eq!(world.events() - before, fixed + movers, "{count} legs");
        assert_eq!(world.packet_hops() - hops, 5 * (count + 1));
        let lost: u64 = world.links()[1..].iter().map(|link| link.counters().lost).sum();
        // Of what went to the group and of acknowledgements, with three standard deviations.
        let expected = 6.0 * count as f64 * 0.001;
        assert!((lost as f64 - expected).abs() < 3.0 * expected.sqrt() + 1.0, "{lost}, not {expected}");
    }
}

#[test]
fn legs_lose_independently_of_each_other() {
    // The lost packets of each of 60 legs, by size, which names them: 2x2 tables of pairs, and their chi-square.
    let (arrivals, counters) = star::<Wheel>(true, 60, 1460, r#"{"kind": "bernoulli", "p": 0.1}"#);
    let n = 1460.0;
    let came = |arrivals: &[Arrival]| {
        let mut came = vec![false; 1500];
        arrivals.iter().for_each(|&(_, size, _)| came[usize::from(size)] = true);
        came
    };
    let came: Vec<Vec<bool>> = arrivals.iter().map(|arrivals| came(arrivals)).collect();
    let lost: u64 = counters.iter().map(|leg| leg.lost).sum();
    assert!((lost as f64 / (60.0 * n) - 0.1).abs() < 0.005, "{lost}");
    let sizes = |leg: usize| (40..1500).map(move |size| (leg, size));
    let missed = |leg: usize| sizes(leg).filter(|&(leg, size)| !came[leg][size]).count() as f64;
    let mut statistics = Vec::new();
    for (a, b) in (0..60).flat_map(|a| (a + 1..60).map(move |b| (a, b))) {
        let both = (40..1500).filter(|&size| !came[a][size] && !came[b][size]).count() as f64;
        let (of_a, of_b) = (missed(a), missed(b));
        let determinant = n * both - of_a * of_b;
        statistics.push(n * determinant * determinant / (of_a * of_b * (n - of_a) * (n - of_b)));
    }
    // 1770 pairs with a degree of freedom each: mean 1, and a twentieth above 3.841. Three standard deviations, as if
    // the pairs were independent.
    let mean = statistics.iter().sum::<f64>() / 1770.0;
    assert!((mean - 1.0).abs() < 3.0 * (2.0_f64 / 1770.0).sqrt(), "{mean}");
    let above = statistics.iter().filter(|&&statistic| statistic > 3.841).count() as f64 / 1770.0;
    assert!((above - 0.05).abs() < 3.0 * (0.05_f64 * 0.95 / 1770.0).sqrt(), "{above}");
    assert!(statistics.iter().all(|&statistic| statistic < 25.0));
}
