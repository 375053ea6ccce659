//! Changes: deliveries computed by hand across steps, ramps, outages and hand-offs.

use crate::at_departure::at_departure;
use crate::support::{AMPLE, Arrival, NO_LOSS, Step, Wire, actor, link, script};
use faircast_proto::endpoint::Action;
use faircast_proto::packet::{Ecn, Header, INITIAL_TTL, Packet};
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_sim::builder::{BuildError, LinkPlan, NetworkBuilder};
use faircast_sim::calendar::{Calendar, Heap, Wheel};
use faircast_sim::change::{Change, Handoff, Slope};
use faircast_sim::counters::LinkCounters;
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::link::LinkMode;
use faircast_sim::loss::{self, Loss};
use faircast_sim::multicast::SessionPlan;
use faircast_sim::part::Aspect;
use faircast_sim::probe::{PacketAction, PacketPlan, ProbePlan, QueueStatistics};
use faircast_sim::queue::{DropReason, Queue, Verdict};
use faircast_sim::world::World;
use std::sync::{Arc, Mutex};

/// A byte takes a microsecond.
const RATE: u64 = 8_000_000;
pub const MS: u64 = 1_000_000;

/// 8 Mbit/s and a delay in milliseconds.
pub fn wire<'a>(millis: u64) -> Wire<'a> {
    Wire { rate: RATE, millis, queue: AMPLE, loss: NO_LOSS }
}

pub fn delay(millis: u64) -> Change {
    Change::Delay { from: Duration::from_millis(millis), slope: Slope::LEVEL }
}

/// Puts a network together; what comes to the receivers of its flows.
pub type Make<'a> = &'a dyn Fn(&mut NetworkBuilder) -> Vec<Arc<Mutex<Vec<Arrival>>>>;
/// A microsecond, and how something changes then.
pub type At = (u64, fn() -> Change);

/// What a network did.
pub struct Outcome {
    /// Nanosecond and size of what came, by flow.
    pub arrivals: Vec<Vec<(u64, u16)>>,
    pub counters: Vec<LinkCounters>,
    pub no_route: u64,
    pub digest: (u64, u64),
}

/// Runs the network that `make` makes for a second on both calendars, which must agree.
pub fn run(make: Make<'_>) -> Outcome {
    fn on<C: Calendar>(make: Make<'_>) -> Outcome {
        let mut network = NetworkBuilder::new(1);
        network.clock_offsets(false);
        network.probes(ProbePlan { trace: true, ..ProbePlan::default() });
        let arrivals = make(&mut network);
        let mut world: World<C> = network.build().expect("a network without errors");
        world.run(Instant::from_secs_f64(1.0), u64::MAX);
        assert!(world.links().iter().all(|link| link.conserves()));
        let plain = |arrivals: &Arc<Mutex<Vec<Arrival>>>| {
            arrivals.lock().expect("one thread").iter().map(|&(at, size, _)| (at, size)).collect()
        };
        Outcome {
            arrivals: arrivals.iter().map(plain).collect(),
            counters: world.links().iter().map(|link| *link.counters()).collect(),
            no_route: world.undeliverable().iter().map(|counted| counted.no_route).sum(),
            digest: world.digest().expect("a trace was asked for"),
        }
    }
    let (outcome, other) = (on::<Wheel>(make), on::<Heap>(make));
    assert_eq!(outcome.digest, other.digest);
    outcome
}

/// Sends packets of these sizes at these microseconds over a link of 8 Mbit/s and 10 ms that changes at these.
fn over_a_link(changes: &[At], handoff: Handoff, sends: &[(u64, u16)]) -> Outcome {
    run(&|network| {
        let [a, b] = ["a", "b"].map(|name| network.node(name));
        let there = link(network, a, b, &wire(10), LinkMode::Fused);
        link(network, b, a, &wire(10), LinkMode::Fused);
        network.handoff(there, handoff, true);
        for (micros, change) in changes {
            network.change(Instant(micros * 1000), there, change());
        }
        let steps: Vec<(u64, Step)> = sends.iter().map(|&(micros, size)| (micros, Step::Send(size))).collect();
        vec![script(network, [a, b], Instant::ZERO, &steps)]
    })
}

fn millis(outcome: &Outcome) -> Vec<f64> {
    outcome.arrivals[0].iter().map(|&(at, _)| at as f64 / MS as f64).collect()
}

#[test]
fn a_packet_takes_the_delay_of_its_departure_and_overtakes_none() {
    // Departures at 1, 5, 10.5, 20 and 22 ms.
    let sends = [(0, 1000), (4000, 1000), (9500, 1000), (19_000, 1000), (21_000, 1000)];
    let outcome = over_a_link(&[(5000, || delay(2)), (20_001, || delay(30))], Handoff::Keep, &sends);
    // The second would come at 7 ms, before the first; the fourth leaves a microsecond before the second step.
    assert_eq!(millis(&outcome), [11.0, 11.0, 12.5, 22.0, 52.0]);
}

#[test]
fn a_delay_follows_a_straight_piece_until_the_next() {
    let down = || {
        let slope = Slope::between(Duration::from_millis(10), Duration::from_millis(4), Duration::from_millis(12));
        Change::Delay { from: Duration::from_millis(10), slope }
    };
    // Half a millisecond less per millisecond from 10 ms on, until 22 ms.
    let sends = [(8000, 1000), (13_000, 1000), (15_000, 1000), (22_000, 1000)];
    let outcome = over_a_link(&[(10_000, down), (22_000, || delay(4))], Handoff::Keep, &sends);
    assert_eq!(millis(&outcome), [19.0, 22.0, 23.0, 27.0]);
}

#[test]
fn what_is_in_transmission_completes_at_its_old_rate() {
    // Four at once. The first takes 1 ms, the second, from 1 to 3 ms, 2 ms at 4 Mbit/s although the rate changes again.
    let changes: [At; 2] = [(500, || Change::Rate(Rate(4_000_000))), (1500, || Change::Rate(Rate(7_654_321)))];
    let outcome = over_a_link(&changes, Handoff::Keep, &[(0, 1000); 4]);
    let deliveries: Vec<u64> = outcome.arrivals[0].iter().map(|&(at, _)| at).collect();
    // 8000 bit / 7 654 321 bit/s = 1 045 161.28.. ns; two of them 2 090 322.57.. ns.
    assert_eq!(deliveries, [11 * MS, 13 * MS, 13 * MS + 1_045_161, 13 * MS + 2_090_322]);
}

#[test]
fn a_link_that_is_down_keeps_loses_or_discards_what_waits() {
    // Three at once, down while the second is in transmission; one more while it is down; one after it is up.
    let sends = [(0, 1000), (0, 1000), (0, 1000), (3000, 500), (5500, 800)];
    let changes: [At; 2] = [(1500, || Change::Down), (5000, || Change::Up)];
    let of = |handoff| over_a_link(&changes, handoff, &sends);
    let kept = of(Handoff::Keep);
    assert_eq!(millis(&kept), [11.0, 12.0, 16.0, 16.8]);
    let lost = of(Handoff::Lose);
    // The third is transmitted all the same, from 2 to 3 ms.
    assert_eq!((millis(&lost), lost.counters[0].departed), (vec![11.0, 12.0, 16.3], 4));
    let discarded = of(Handoff::Discard);
    assert_eq!((millis(&discarded), discarded.counters[0].departed), (vec![11.0, 12.0, 16.3], 3));
    let by_reason = |outcome: &Outcome| {
        let LinkCounters { arrived, unreceived, discarded, rerouted, .. } = outcome.counters[0];
        (arrived, unreceived, discarded, rerouted, outcome.no_route)
    };
    assert_eq!(by_reason(&kept), (4, 0, 0, 0, 1));
    assert_eq!(by_reason(&lost), (4, 1, 0, 0, 1));
    assert_eq!(by_reason(&discarded), (4, 0, 1, 0, 1));
}

#[test]
fn what_departs_when_its_link_goes_down_arrives_and_nothing_follows() {
    let changes: [At; 2] = [(1000, || Change::Down), (1000 + 1, || Change::Up)];
    let outcome = over_a_link(&changes, Handoff::Keep, &[(0, 1000), (0, 1000)]);
    assert_eq!(millis(&outcome), [11.0, 12.001]);
    // Doomed packets come first when it is up again at once.
    let outcome = over_a_link(&changes, Handoff::Lose, &[(0, 1000), (0, 1000), (1500, 700)]);
    assert_eq!((millis(&outcome), outcome.counters[0].unreceived), (vec![11.0, 12.7], 1));
}

#[test]
fn what_is_doomed_dooms_nothing_that_comes_later() {
    // Five at once, down while the second is in transmission, and once more while two wait that nobody will receive.
    let changes: [At; 3] = [(1500, || Change::Down), (2500, || Change::Down), (6000, || Change::Up)];
    let sends = [[(0, 1000); 5].as_slice(), &[(7000, 900), (7000, 800)]].concat();
    let outcome = over_a_link(&changes, Handoff::Lose, &sends);
    assert_eq!((millis(&outcome), outcome.counters[0].unreceived), (vec![11.0, 12.0, 17.9, 18.7], 3));
}

/// a to b directly, 10 ms, and over c, 20 ms and 25 ms. Packets of a to b; the direct link goes down and up.
fn detour(handoff: Handoff, reroute: bool) -> Outcome {
    run(&|network| {
        let [a, b, c] = ["a", "b", "c"].map(|name| network.node(name));
        let direct = link(network, a, b, &wire(10), LinkMode::Fused);
        for (from, to, millis) in [(a, c, 20), (c, b, 25), (b, a, 10)] {
            link(network, from, to, &wire(millis), LinkMode::Fused);
        }
        network.handoff(direct, handoff, reroute);
        network.change(Instant(1500 * 1000), direct, Change::Down);
        network.change(Instant(6000 * 1000), direct, Change::Up);
        let sends = [(0, 1000), (0, 1000), (0, 1000), (3000, 500), (5500, 800), (6000, 600)];
        let steps: Vec<(u64, Step)> = sends.iter().map(|&(micros, size)| (micros, Step::Send(size))).collect();
        vec![script(network, [a, b], Instant::ZERO, &steps)]
    })
}

#[test]
fn what_waits_takes_another_way_if_there_is_one() {
    // The third goes over c: 1.5 + 1 + 20 + 1 + 25 ms, as does what comes while the link is down; what comes later, and
    // all that leaves a before, comes earlier.
    let rerouted = [(11 * MS, 1000), (12 * MS, 1000), (16_600_000, 600)];
    let over_c = [(48_500_000, 1000), (49_000_000, 500), (52_100_000, 800)];
    for handoff in [Handoff::Keep, Handoff::Lose, Handoff::Discard] {
        let outcome = detour(handoff, true);
        assert_eq!(outcome.arrivals[0], [&rerouted[..], &over_c[..]].concat(), "{handoff:?}");
        assert_eq!((outcome.counters[0].rerouted, outcome.counters[1].arrived, outcome.no_route), (1, 3, 0));
    }
}

#[test]
fn what_may_not_be_rerouted_is_kept_lost_or_discarded() {
    let of = |handoff| {
        let outcome = detour(handoff, false);
        let LinkCounters { rerouted, unreceived, discarded, .. } = outcome.counters[0];
        let sizes: Vec<u16> = outcome.arrivals[0].iter().map(|&(_, size)| size).collect();
        (sizes, [rerouted, unreceived, discarded])
    };
    // The last one comes while the one kept is in transmission.
    assert_eq!(of(Handoff::Keep), (vec![1000, 1000, 1000, 600, 500, 800], [0, 0, 0]));
    assert_eq!(of(Handoff::Lose), (vec![1000, 1000, 600, 500, 800], [0, 1, 0]));
    assert_eq!(of(Handoff::Discard), (vec![1000, 1000, 600, 500, 800], [0, 0, 1]));
}

#[test]
fn what_waits_for_a_group_is_never_rerouted() {
    let of = |handoff| {
        let outcome = run(&|network| {
            let [a, b, c] = ["a", "b", "c"].map(|name| network.node(name));
            let direct = link(network, a, b, &wire(10), LinkMode::Fused);
            for (from, to, millis) in [(b, a, 10), (a, c, 20), (c, b, 25), (c, a, 20), (b, c, 25)] {
                link(network, from, to, &wire(millis), LinkMode::Fused);
            }
            network.handoff(direct, handoff, true);
            // Three packets at 30 ms, when the member's join has come; the third waits when the link goes down.
            network.change(Instant(31_500 * 1000), direct, Change::Down);
            network.change(Instant(35_000 * 1000), direct, Change::Up);
            // The address of the group has the number of the member's.
            let [member, source] = [network.address(b), network.address(a)];
            let (flow, destination) = network.session(source, SessionPlan::sparse(1));
            network.member(flow, member);
            let (sent, header) = (Instant::ZERO, Header::Datagram { sequence: 0 });
            let packet = |size| {
                let (ttl, ecn) = (INITIAL_TTL, Ecn::NotCapable);
                Action::Send(Packet { sent, flow, source, destination, size, ttl, ecn, header })
            };
            let (sender, _) = actor(&[(30_000, packet(1000)), (30_000, packet(1001)), (30_000, packet(1002))]);
            network.place(source, flow, sender, Instant::ZERO, None);
            let (receiver, arrivals) = actor(&[(0, Action::Join(destination))]);
            network.place(member, flow, receiver, Instant::ZERO, None);
            vec![arrivals]
        });
        let LinkCounters { rerouted, unreceived, discarded, .. } = outcome.counters[0];
        (outcome.arrivals[0].clone(), [rerouted, unreceived, discarded])
    };
    let two = vec![(41 * MS, 1000), (42_001_000, 1001)];
    assert_eq!(of(Handoff::Keep), ([&two[..], &[(46_002_000, 1002)]].concat(), [0, 0, 0]));
    assert_eq!(of(Handoff::Lose), (two.clone(), [0, 1, 0]));
    assert_eq!(of(Handoff::Discard), (two, [0, 0, 1]));
}

/// From a to b directly and over c: at 30 ms a packet to b, which goes into transmission, and behind it one to a group,
/// one to b and one to the group. The direct link goes down at 30.5 ms and up at 35 ms. What its queue's probe sees
/// from 30.1 ms to 34 ms: what happens at which microsecond, and how many wait then.
fn seen(handoff: Handoff) -> (Vec<(u64, PacketAction, u32)>, QueueStatistics) {
    let mut network = NetworkBuilder::new(1);
    network.clock_offsets(false);
    let [a, b, c] = ["a", "b", "c"].map(|name| network.node(name));
    let direct = link(&mut network, a, b, &wire(10), LinkMode::Fused);
    for (from, to, millis) in [(b, a, 10), (a, c, 20), (c, b, 25), (c, a, 20), (b, c, 25)] {
        link(&mut network, from, to, &wire(millis), LinkMode::Fused);
    }
    network.handoff(direct, handoff, true);
    network.change(Instant(30_500 * 1000), direct, Change::Down);
    network.change(Instant(35_000 * 1000), direct, Change::Up);
    let warmup = Instant(30_100_000);
    let packets = PacketPlan { links: vec![direct], ..PacketPlan::default() };
    network.probes(ProbePlan { packets, queues: vec![direct], warmup, ..ProbePlan::default() });
    let [member, source, peer] = [b, a, b].map(|node| network.address(node));
    let (flow, group) = network.session(source, SessionPlan::sparse(1));
    network.member(flow, member);
    let (sent, header, ttl, ecn) = (Instant::ZERO, Header::Datagram { sequence: 0 }, INITIAL_TTL, Ecn::NotCapable);
    let to = |destination| Action::Send(Packet { sent, flow, source, destination, size: 1000, ttl, ecn, header });
    let (sender, _) = actor(&[peer, group, peer, group].map(|destination| (30_000, to(destination))));
    network.place(source, flow, sender, Instant::ZERO, None);
    network.place(peer, flow, actor(&[]).0, Instant::ZERO, None);
    network.place(member, flow, actor(&[(0, Action::Join(group))]).0, Instant::ZERO, None);
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(Instant(34_000_000), u64::MAX);
    let statistics = world.links()[direct.index()].probe().expect("asked for").statistics(world.now());
    assert!(world.links().iter().all(|link| link.conserves()));
    let rows = world.take_packet_rows().remove(0).1;
    let late = rows.iter().filter(|row| row.at > warmup);
    let seen = late.map(|row| (row.at.0 / 1000, row.action, row.waiting_pkts)).collect();
    (seen, statistics)
}

#[test]
fn probes_see_what_goes_and_what_stays_when_a_link_goes_down() {
    use PacketAction::{Departed, Discarded, Rerouted, Unreceived};
    let check = |handoff, happens: &[(u64, PacketAction, u32)], mean: f64, min: u32| {
        let (rows, statistics) = seen(handoff);
        assert_eq!(rows, happens);
        assert!((statistics.mean() - mean).abs() < 1e-9, "{handoff:?}: {}", statistics.mean());
        assert_eq!((statistics.min(), statistics.max()), (min, 3));
    };
    // Three wait for 0.4 ms of 3.9 ms, then two.
    check(Handoff::Keep, &[(30_500, Rerouted, 2), (31_000, Departed, 2)], (3.0 * 0.4 + 2.0 * 3.5) / 3.9, 2);
    let goes = [(30_500, Discarded, 2), (30_500, Rerouted, 1), (30_500, Discarded, 0), (31_000, Departed, 0)];
    check(Handoff::Discard, &goes, 3.0 * 0.4 / 3.9, 0);
    // The two are transmitted for nobody, from 31 ms to 33 ms.
    let leaves = [
        (30_500, Rerouted, 2),
        (31_000, Departed, 1),
        (32_000, Departed, 0),
        (32_000, Unreceived, 1),
        (33_000, Departed, 0),
        (33_000, Unreceived, 0),
    ];
    check(Handoff::Lose, &leaves, (3.0 * 0.4 + 2.0 * 0.5 + 1.0) / 3.9, 0);
}

#[test]
fn what_has_gone_leaves_its_room_in_bytes() {
    // Three wait and fill the queue; the link is down from 0.5 to 5 ms; four more at 6 ms, the first of them the only
    // one that need not wait.
    let came = |handoff, reroute, over_c: bool| {
        let outcome = run(&|network| {
            let [a, b, c] = ["a", "b", "c"].map(|name| network.node(name));
            let narrow = Wire { queue: r#"{"kind": "drop-tail", "limit": "3500 B"}"#, ..wire(10) };
            let direct = link(network, a, b, &narrow, LinkMode::Fused);
            link(network, b, a, &wire(10), LinkMode::Fused);
            if over_c {
                link(network, a, c, &wire(20), LinkMode::Fused);
                link(network, c, b, &wire(20), LinkMode::Fused);
            }
            network.handoff(direct, handoff, reroute);
            network.change(Instant(500 * 1000), direct, Change::Down);
            network.change(Instant(5000 * 1000), direct, Change::Up);
            let steps = [0, 0, 0, 0, 6000, 6000, 6000, 6000, 6000].map(|micros| (micros, Step::Send(1000)));
            vec![script(network, [a, b], Instant::ZERO, &steps)]
        });
        (outcome.arrivals[0].len(), outcome.counters[0].dropped_overflow)
    };
    assert_eq!(came(Handoff::Discard, false, false), (5, 1));
    assert_eq!(came(Handoff::Discard, true, true), (8, 1));
    // Of three that wait one has gone at 6 ms, and one is in transmission: two places, of five.
    assert_eq!(came(Handoff::Keep, false, false), (6, 3));
}

/// Lets every other packet leave, beginning with the first.
fn every_other() -> Queue {
    let mut asked = 0_u32;
    at_departure(move |_, _| {
        asked += 1;
        if asked.is_multiple_of(2) { Verdict::Drop(DropReason::Active) } else { Verdict::Accept }
    })
}

#[test]
fn what_is_doomed_and_dropped_at_its_departure_dooms_nothing_else() {
    // Six at once; the link goes down while the first is in transmission and loses the five that wait, of which two
    // leave for nobody. Two more at 10 ms, one of which leaves.
    let outcome = run(&|network| {
        let [a, b] = ["a", "b"].map(|name| network.node(name));
        let no_loss = loss_of(NO_LOSS);
        let (rate, delay) = (Rate(RATE), Duration::from_millis(10));
        let (from, to, mode, queue) = (a, b, LinkMode::Fused, every_other());
        let there = network.link(LinkPlan { name: "there".into(), from, to, rate, delay, queue, loss: no_loss, mode });
        link(network, b, a, &wire(10), LinkMode::Fused);
        network.handoff(there, Handoff::Lose, true);
        network.change(Instant(500 * 1000), there, Change::Down);
        network.change(Instant(5000 * 1000), there, Change::Up);
        let steps = [0, 0, 0, 0, 0, 0, 10_000, 10_000, 10_000].map(|micros| (micros, Step::Send(1000)));
        vec![script(network, [a, b], Instant::ZERO, &steps)]
    });
    let LinkCounters { unreceived, dropped_active, departed, .. } = outcome.counters[0];
    // The first and the third of what is asked about leave, and so on, from the first of each burst on.
    assert_eq!((unreceived, dropped_active, departed), (2, 4, 5));
    assert_eq!(millis(&outcome), [11.0, 21.0, 22.0]);
}

/// A terminal whose uplink turns from one satellite, 10 ms away, to another, 2 ms away, at 2.5 ms; both lead to the
/// ground in 3 ms. Or it only turns, and the new one is 10 ms away as well.
fn turned(handoff: Handoff, nearer: bool) -> Outcome {
    run(&|network| {
        let [terminal, old, new, ground] = ["terminal", "old", "new", "ground"].map(|name| network.node(name));
        let up = link(network, terminal, old, &wire(10), LinkMode::Fused);
        for (from, to, millis) in [(old, ground, 3), (new, ground, 3), (ground, terminal, 10)] {
            link(network, from, to, &wire(millis), LinkMode::Fused);
        }
        network.handoff(up, handoff, true);
        network.change(Instant(2500 * 1000), up, Change::FarEnd(new));
        if nearer {
            network.change(Instant(2500 * 1000), up, delay(2));
        }
        let sends = [(0, 1000), (0, 1001), (0, 1002), (0, 1003), (10_000, 1004)];
        let steps: Vec<(u64, Step)> = sends.iter().map(|&(micros, size)| (micros, Step::Send(size))).collect();
        vec![script(network, [terminal, ground], Instant::ZERO, &steps)]
    })
}

#[test]
fn what_is_on_the_wire_arrives_where_it_was_sent_and_may_be_overtaken() {
    let outcome = turned(Handoff::Keep, true);
    // Departures at 1, 2.001, 3.003, 4.006 and 11.004 ms; the third, in transmission at the turn, goes to the new one.
    let came = [(9_005_000, 1002), (10_009_000, 1003), (15 * MS, 1000), (16_002_000, 1001), (17_008_000, 1004)];
    assert_eq!(outcome.arrivals[0], came);
    assert_eq!([1, 2].map(|link| outcome.counters[link].arrived), [2, 3]);
    // The fourth waits, and its way leads over the same link: nothing is rerouted.
    assert_eq!(outcome.counters[0].rerouted, 0);
    let of = |handoff| {
        let outcome = turned(handoff, true);
        let sizes: Vec<u16> = outcome.arrivals[0].iter().map(|&(_, size)| size).collect();
        (sizes, outcome.counters[0].unreceived, outcome.counters[0].discarded)
    };
    assert_eq!(of(Handoff::Lose), (vec![1002, 1000, 1001, 1004], 1, 0));
    assert_eq!(of(Handoff::Discard), (vec![1002, 1000, 1001, 1004], 0, 1));
    // A turn alone is enough. Of five packets the trace tells that each entered the two links of its way and came over
    // them; of the fourth that it entered the first, and was removed there.
    let outcome = turned(Handoff::Discard, false);
    assert_eq!((outcome.counters[0].discarded, outcome.digest.1), (1, 4 * 4 + 2));
}

#[test]
fn routes_follow_delays_only_when_they_are_computed_anew() {
    let outcome = run(&|network| {
        let [a, b, c] = ["a", "b", "c"].map(|name| network.node(name));
        let direct = link(network, a, b, &wire(10), LinkMode::Fused);
        for (from, to, millis) in [(a, c, 5), (c, b, 7), (b, a, 10)] {
            link(network, from, to, &wire(millis), LinkMode::Fused);
        }
        // 14 ms from 5 ms on, more than over c; the routes follow at 20 ms.
        network.change(Instant(5 * MS), direct, delay(14));
        network.reroute(Instant(20 * MS));
        let sends = [(0, 1000), (10_000, 1000), (20_000, 1000)];
        vec![script(network, [a, b], Instant::ZERO, &sends.map(|(micros, size)| (micros, Step::Send(size))))]
    });
    assert_eq!(millis(&outcome), [11.0, 25.0, 34.0]);
}

#[test]
fn a_loss_model_decides_from_its_instant_on() {
    let certain = || Change::Loss(loss_of(r#"{"kind": "bernoulli", "p": 1.0}"#));
    let none = || Change::Loss(loss_of(NO_LOSS));
    let outcome = over_a_link(&[(12_000, certain), (13_000, none)], Handoff::Keep, &[(0, 1000); 4]);
    assert_eq!((millis(&outcome), outcome.counters[0].lost), (vec![11.0, 13.0, 14.0], 1));
}

/// A loss model.
pub fn loss_of(config: &str) -> Loss {
    let config: loss::Config = serde_json::from_str(config).expect("a legal loss model");
    Loss::new(&config, NetworkBuilder::new(1).stream("loss"))
}

#[test]
fn a_header_takes_time_and_can_be_hit() {
    let of = |header: u16, loss: &'static str| {
        run(&|network| {
            let [a, b] = ["a", "b"].map(|name| network.node(name));
            let there = link(network, a, b, &Wire { loss, ..wire(10) }, LinkMode::Fused);
            link(network, b, a, &wire(10), LinkMode::Fused);
            network.header(there, header);
            let steps: Vec<(u64, Step)> = (0..400).map(|step| (step * 2000, Step::Send(100))).collect();
            vec![script(network, [a, b], Instant::ZERO, &steps)]
        })
    };
    let plain = of(16, NO_LOSS);
    assert_eq!((plain.arrivals[0][0], plain.counters[0].departed_bytes), ((10_116_000, 100), 400 * 100));
    // Of 100 bytes 15 % are hit, of 1100 bytes 83 %.
    let bits = r#"{"kind": "bit-error", "ber": 0.0002}"#;
    let (bare, long) = (of(0, bits).counters[0].lost, of(1000, bits).counters[0].lost);
    assert!((30..90).contains(&bare) && (310..350).contains(&long), "{bare} {long}");
}

#[test]
fn mean_rates_are_those_of_the_time_asked_for() {
    let mut network = NetworkBuilder::new(1);
    let [a, b] = ["a", "b"].map(|name| network.node(name));
    let there = link(&mut network, a, b, &wire(10), LinkMode::Fused);
    let back = link(&mut network, b, a, &wire(10), LinkMode::Fused);
    network.change(Instant(400 * MS), there, Change::Rate(Rate(1_000_000)));
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(Instant(1000 * MS), u64::MAX);
    let mean = |link: LinkId| world.links()[link.index()].mean_rate_bps(Instant::ZERO, Instant(1000 * MS));
    assert_eq!((mean(there), mean(back)), (3_800_000.0, 8_000_000.0));
}

#[test]
fn plans_that_cannot_be_are_errors_all_at_once() {
    let mut network = NetworkBuilder::new(1);
    let [a, b] = ["a", "b"].map(|name| network.node(name));
    let there = link(&mut network, a, b, &wire(10), LinkMode::Fused);
    let at = Instant(5);
    network.change(at, there, Change::Up);
    network.change(at, there, Change::Rate(Rate(1)));
    network.change(at, there, Change::Down);
    network.change(Instant(6), there, Change::Down);
    network.change(at, LinkId(7), Change::Down);
    network.change(at, there, Change::FarEnd(NodeId(2)));
    network.change(Instant(7), there, Change::FarEnd(a));
    let link = || "0-1".to_owned();
    let errors = network.build::<Wheel>().err().expect("errors");
    assert_eq!(
        errors,
        [
            BuildError::ChangedTwice { link: link(), what: Aspect::State, at },
            BuildError::TooSlow { link: link(), rate: Rate(1) },
            BuildError::NoFarEnd { link: link(), node: 2, at },
            BuildError::ChangeOfNoLink { link: 7, at },
            BuildError::NoFarEnd { link: link(), node: 0, at: Instant(7) },
        ]
    );
    assert_eq!(errors[0].to_string(), "link 0-1: its state, up or down, changes twice at 0.000000005 s; legal is once");
}

/// A busy network with marks and losses; `change` may plan for its four links.
fn busy(rate: u64, mode: LinkMode, change: &dyn Fn(&mut NetworkBuilder, [LinkId; 4])) -> (u64, u64) {
    let red = r#"{"kind": "red", "limit": "40 packets", "min_th": "3 packets", "max_th": "12 packets"}"#;
    let loss = r#"{"kind": "bernoulli", "p": 0.01}"#;
    let outcome = run(&|network| {
        let [a, b, c] = ["a", "b", "c"].map(|name| network.node(name));
        let ab = link(network, a, b, &Wire { rate, millis: 3, queue: red, loss }, mode);
        let bc = link(network, b, c, &Wire { rate: rate / 2, millis: 4, queue: AMPLE, loss: NO_LOSS }, mode);
        let cb = link(network, c, b, &Wire { rate, ..wire(1) }, mode);
        let ba = link(network, b, a, &Wire { rate, ..wire(1) }, mode);
        change(network, [ab, bc, cb, ba]);
        let bursts = |step: u64| (step * 9000, Step::Send(40 + (step * 97 % 1460) as u16));
        let steps: Vec<(u64, Step)> = (0..300).map(|step| bursts(step / 3)).collect();
        vec![script(network, [a, c], Instant::ZERO, &steps), script(network, [c, a], Instant::ZERO, &steps)]
    });
    assert!(outcome.digest.1 > 1000);
    outcome.digest
}

#[test]
fn changes_that_change_nothing_change_nothing() {
    // The second rate is one at which small packets take less than a nanosecond.
    for rate in [7_654_321, 9_999_999_999_999] {
        let steady = busy(rate, LinkMode::Fused, &|_, _| {});
        let same = |network: &mut NetworkBuilder, links: [LinkId; 4]| {
            for (link, (millis, rate)) in links.iter().zip([(3, rate), (4, rate / 2), (1, rate), (1, rate)]) {
                for step in 0..50 {
                    network.change(Instant(step * 9 * MS), *link, Change::Rate(Rate(rate)));
                    network.change(Instant(step * 7 * MS), *link, delay(millis));
                    network.change(Instant(step * 5 * MS), *link, Change::Up);
                }
            }
            (0..100).for_each(|step| network.reroute(Instant(step * 9 * MS)));
        };
        assert_eq!(busy(rate, LinkMode::Fused, &same), steady, "{rate} bit/s");
        let often = |network: &mut NetworkBuilder, _| (0..100).for_each(|step| network.reroute(Instant(step * 9 * MS)));
        assert_eq!(busy(rate, LinkMode::TwoStage, &often), steady, "{rate} bit/s");
    }
}

#[test]
fn a_packet_rerouted_when_another_departs_finds_the_same_queue_on_links_of_both_kinds() {
    let of = |mode| {
        run(&|network| {
            let [a, b, c] = ["a", "b", "c"].map(|name| network.node(name));
            let direct = link(network, a, b, &wire(10), mode);
            let tight = r#"{"kind": "drop-tail", "limit": "2 packets"}"#;
            link(network, a, c, &Wire { queue: tight, ..wire(20) }, mode);
            link(network, c, b, &wire(25), mode);
            link(network, b, a, &wire(10), mode);
            link(network, c, a, &wire(10), mode);
            // At 3 ms the first of three packets towards c departs, and three that wait for b join the others.
            network.change(Instant(3000 * 1000), direct, Change::Down);
            let to_b: Vec<(u64, Step)> = (0..6).map(|_| (0, Step::Send(1000))).collect();
            let to_c: Vec<(u64, Step)> = (0..3).map(|_| (2000, Step::Send(1000))).collect();
            vec![script(network, [a, b], Instant::ZERO, &to_b), script(network, [a, c], Instant::ZERO, &to_c)]
        })
    };
    let (fused, two_stage) = (of(LinkMode::Fused), of(LinkMode::TwoStage));
    assert_eq!(fused.digest, two_stage.digest);
    // Of the three one found no room at 2 ms and one has gone: there is room for one more, now in transmission another.
    assert_eq!((fused.counters[0].rerouted, fused.counters[1].dropped_overflow), (3, 1 + 2));
}
