//! Links that change send packets ahead, and nobody can tell: their queue is seen as on links in two stages, and the
//! same comes at the same time, with fewer events.

use crate::changes::{MS, delay, loss_of, wire};
use crate::support::{AMPLE, Arrival, NO_LOSS, Step, Wire, link, script};
use faircast_proto::packet::Packet;
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_sim::builder::{LinkPlan, NetworkBuilder};
use faircast_sim::calendar::Wheel;
use faircast_sim::change::{Change, Handoff, Slope};
use faircast_sim::counters::LinkCounters;
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::link::LinkMode;
use faircast_sim::probe::{PacketPlan, ProbePlan};
use faircast_sim::queue::{self, Discipline, DropReason, InterfaceView, LinkContext, Queue, Verdict};
use faircast_sim::world::World;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// What a queue has seen when packets came: when, waiting packets and bytes, and since when it was idle if it was.
type Seen = Arc<Mutex<Vec<(u64, u32, u64, Option<u64>)>>>;

/// Holds 6000 bytes, and writes down what it sees.
struct Watchful(Seen);

impl Discipline for Watchful {
    fn arrive(&mut self, packet: &Packet, at: &InterfaceView) -> Verdict {
        let idle = (!at.transmitting).then_some(at.idle_since.0);
        self.0.lock().expect("one thread").push((at.now.0, at.waiting_pkts, at.waiting_bytes, idle));
        let full = at.waiting_bytes + u64::from(packet.size) > 6000;
        if full && at.transmitting { Verdict::Drop(DropReason::Overflow) } else { Verdict::Accept }
    }
}

#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub digest: Option<(u64, u64)>,
    pub counters: Vec<LinkCounters>,
    seen: Vec<(u64, u32, u64, Option<u64>)>,
    arrivals: Vec<(u64, u16)>,
    /// What the probe shows, if there is one: a row each, and the statistics of the queue.
    pub rows: Vec<String>,
}

fn outcome(seed: u64, mode: LinkMode, watched: bool) -> (Outcome, u64) {
    let seen = Seen::default();
    let queue = |rate| match watched {
        true => Queue::Guest(Box::new(Watchful(seen.clone()))),
        false => drop_tail(rate),
    };
    let (mut outcome, events) = outcome_with(seed, mode, &queue, false);
    outcome.seen = seen.lock().expect("one thread").clone();
    (outcome, events)
}

/// What comes of a link that changes, with changes and packets that follow from the seed, behind the queue for its
/// rate, with a probe or without; and how many events it takes.
pub fn outcome_with(seed: u64, mode: LinkMode, queue: &dyn Fn(Rate) -> Queue, probed: bool) -> (Outcome, u64) {
    let mut random = Random::stream(seed, "test/ahead");
    let mut draw = |below: u64| (random.uniform() * below as f64) as u64;
    let mut network = NetworkBuilder::new(seed);
    network.clock_offsets(false);
    let packets = PacketPlan { links: probed.then_some(LinkId(0)).into_iter().collect(), ..PacketPlan::default() };
    network.probes(ProbePlan { trace: true, packets, ..ProbePlan::default() });
    let [a, b, c] = ["a", "b", "c"].map(|name| network.node(name));
    let rate = Rate(1_000_000 + draw(9_000_000));
    let delay = Duration(draw(20 * MS));
    let queue = queue(rate);
    let plan = LinkPlan { name: "there".into(), from: a, to: b, rate, delay, queue, loss: loss_of(NO_LOSS), mode };
    let there = network.link(plan);
    let aside = Wire { rate: 10_000_000, millis: 1, queue: AMPLE, loss: NO_LOSS };
    for (from, to) in [(b, a), (a, c), (c, a), (b, c), (c, b)] {
        link(&mut network, from, to, &aside, mode);
    }
    network.handoff(there, [Handoff::Keep, Handoff::Lose, Handoff::Discard][draw(3) as usize], draw(2) == 0);
    let mut planned = BTreeSet::new();
    for _ in 0..draw(40) {
        // Some at round moments, so that several are at one.
        let at = Instant(draw(50) * 20 * MS + [0, draw(20 * MS)][draw(2) as usize]);
        let change = any_change(&mut draw, [b, c]);
        if planned.insert((at, change.subject())) {
            network.change(at, there, change);
        }
    }
    let steps: Vec<(u64, Step)> = {
        let mut at = 0;
        let step = |_| {
            at += [0, draw(500), draw(20_000)][draw(3) as usize];
            (at, Step::Send(40 + draw(1461) as u16))
        };
        (0..400).map(step).collect()
    };
    let arrivals = script(&mut network, [a, b], Instant::ZERO, &steps);
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(Instant::from_secs_f64(3.0), u64::MAX);
    assert!(world.links().iter().all(|link| link.conserves()));
    assert_eq!(world.fault(), None);
    let plain = |&(at, size, _): &Arrival| (at, size);
    let rows = world.links()[0].probe().map_or_else(Vec::new, |probe| {
        let rows = probe.rows().into_iter().flatten().map(|row| format!("{row:?}"));
        rows.chain([format!("{:?}", probe.statistics(world.now()))]).collect()
    });
    let outcome = Outcome {
        digest: world.digest(),
        counters: world.links().iter().map(|link| *link.counters()).collect(),
        seen: Vec::new(),
        rows,
        arrivals: arrivals.lock().expect("one thread").iter().map(plain).collect(),
    };
    (outcome, world.events())
}

/// Something that changes, of all but losses.
fn any_change(draw: &mut impl FnMut(u64) -> u64, ends: [NodeId; 2]) -> Change {
    match draw(5) {
        0 => Change::Down,
        1 => Change::Up,
        2 => Change::Rate(Rate(500_000 + draw(9_000_000))),
        3 => Change::FarEnd(ends[draw(2) as usize]),
        _ => {
            let [from, to] = [draw(20 * MS), draw(20 * MS)].map(Duration);
            Change::Delay { from, slope: Slope::between(from, to, Duration(20 * MS + draw(200 * MS))) }
        }
    }
}

/// Twelve packets.
fn drop_tail(rate: Rate) -> Queue {
    let config: queue::Config =
        serde_json::from_str(r#"{"kind": "drop-tail", "limit": "12 packets"}"#).expect("a legal queue");
    let random = Random::stream(1, "test");
    Queue::new(&config, LinkContext { rate, delay: Duration::ZERO, mean_packet_bytes: 1000, random })
}

#[test]
fn a_queue_sees_the_same_whether_packets_are_sent_ahead_or_not() {
    let mut both = 0;
    for seed in 0..300 {
        for watched in [true, false] {
            let ((ahead, few), (staged, many)) =
                (outcome(seed, LinkMode::Fused, watched), outcome(seed, LinkMode::TwoStage, watched));
            assert_eq!(ahead, staged, "seed {seed}");
            assert!(few <= many, "seed {seed}: {few} events instead of {many}");
            both += u64::from(few < many);
        }
    }
    // Some links never change.
    assert!(both > 500, "{both}");
}

#[test]
fn a_change_costs_an_event_and_no_more() {
    // A packet every millisecond for two seconds over a link whose delay begins a new piece every 20 ms.
    let mut network = NetworkBuilder::new(1);
    let [a, b] = ["a", "b"].map(|name| network.node(name));
    let there = link(&mut network, a, b, &wire(10), LinkMode::Fused);
    link(&mut network, b, a, &wire(10), LinkMode::Fused);
    (1..100).for_each(|step| network.change(Instant(step * 20 * MS), there, delay(10 + step % 3)));
    let steps: Vec<(u64, Step)> = (0..2000).map(|step| (step * 1000, Step::Send(900))).collect();
    let arrivals = script(&mut network, [a, b], Instant::ZERO, &steps);
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(Instant::from_secs_f64(3.0), u64::MAX);
    assert_eq!(arrivals.lock().expect("one thread").len(), 2000);
    // A timer and a delivery for each, the changes, and for each of them at most one departure.
    assert!(world.events() <= 2 * 2000 + 2 * 99 + 2, "{}", world.events());
}
