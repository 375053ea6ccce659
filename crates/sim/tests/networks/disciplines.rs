//! What links show a queue discipline, and what they do with its verdicts.

use crate::at_departure::at_departure;
use crate::support::{AMPLE, Arrival, NO_LOSS, Step, Wire, link, script};
use faircast_proto::packet::{Ecn, Packet};
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_sim::builder::{LinkPlan, NetworkBuilder};
use faircast_sim::calendar::Wheel;
use faircast_sim::counters::LinkCounters;
use faircast_sim::ids::LinkId;
use faircast_sim::link::LinkMode;
use faircast_sim::loss::{self, Loss};
use faircast_sim::probe::{PacketAction, PacketPlan, ProbePlan};
use faircast_sim::queue::{Discipline, DropReason, InterfaceView, Queue, Verdict};
use faircast_sim::world::World;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Size of the packet asked for, nanosecond, packets and bytes waiting, since when the transmitter is idle.
type Seen = (u16, u64, u32, u64, Option<u64>);

/// Accepts all packets but those whose size has a verdict, which it gives at arrival or, if so made, at departure.
#[derive(Clone, Default)]
struct BySize {
    verdicts: BTreeMap<u16, Verdict>,
    at_departure: bool,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl BySize {
    fn verdict(&self, size: u16, at: &InterfaceView) -> Verdict {
        let idle_since = (!at.transmitting).then_some(at.idle_since.0);
        let seen = (size, at.now.0, at.waiting_pkts, at.waiting_bytes, idle_since);
        self.seen.lock().expect("one thread").push(seen);
        self.verdicts.get(&size).copied().unwrap_or(Verdict::Accept)
    }
}

impl Discipline for BySize {
    fn arrive(&mut self, packet: &Packet, at: &InterfaceView) -> Verdict {
        self.verdict(packet.size, at)
    }
}

impl BySize {
    fn into_queue(self) -> Queue {
        match self.at_departure {
            true => at_departure(move |held, at| self.verdict(held.size(), at)),
            false => Queue::Guest(Box::new(self)),
        }
    }
}

/// Sends packets at given microseconds over a link of 7 654 321 bit/s and 3 ms in front of which `queue` stands.
fn through(queue: BySize, mode: LinkMode, steps: &[(u64, Step)]) -> (World<Wheel>, Vec<Seen>, Vec<Arrival>) {
    let mut network = NetworkBuilder::new(1);
    let [from, to] = ["a", "b"].map(|name| network.node(name));
    let seen = queue.seen.clone();
    let no_loss: loss::Config = serde_json::from_str(NO_LOSS).expect("a legal loss model");
    let loss = Loss::new(&no_loss, network.stream("loss"));
    let (name, rate, delay) = ("there".to_owned(), Rate(7_654_321), Duration::from_millis(3));
    network.link(LinkPlan { name, from, to, rate, delay, queue: queue.into_queue(), loss, mode });
    let wire = Wire { rate: 7_654_321, millis: 3, queue: AMPLE, loss: NO_LOSS };
    link(&mut network, to, from, &wire, mode);
    let arrivals = script(&mut network, [from, to], Instant::ZERO, steps);
    network.clock_offsets(false);
    network.probes(ProbePlan {
        packets: PacketPlan { links: vec![LinkId(0)], ..PacketPlan::default() },
        ..ProbePlan::default()
    });
    let mut world: World<Wheel> = network.build().expect("a network without errors");
    world.run(Instant::from_secs_f64(1.0), u64::MAX);
    assert!(world.links()[0].conserves());
    let (seen, arrivals) = (seen.lock().expect("one thread").clone(), arrivals.lock().expect("one thread").clone());
    (world, seen, arrivals)
}

#[test]
fn a_queue_sees_its_interface_as_it_is_without_the_packet_that_arrives() {
    for mode in [LinkMode::Fused, LinkMode::TwoStage] {
        let steps = [(0, 1000), (0, 700), (0, 300), (1_500, 100), (10_000, 40)];
        let steps = steps.map(|(micros, size)| (micros, Step::Send(size)));
        let (world, seen, _) = through(BySize::default(), mode, &steps);
        // The first leaves at 1.05 ms; at 1.5 ms the second is in transmission and the third waits. After 2100 bytes,
        // at 2 194 838.7 ns, nothing is left.
        let expected = [
            (1000, 0, 0, 0, Some(0)),
            (700, 0, 0, 0, None),
            (300, 0, 1, 700, None),
            (100, 1_500_000, 1, 300, None),
            (40, 10_000_000, 0, 0, Some(2_194_838)),
        ];
        assert_eq!(seen, expected, "{mode:?}");
        assert_eq!(world.links()[0].counters().departed_bytes, 2140);
    }
}

#[test]
fn marks_are_raised_and_counted_by_level_and_never_lowered() {
    for mode in [LinkMode::Fused, LinkMode::TwoStage] {
        let verdicts = BTreeMap::from([
            (101, Verdict::Mark(Ecn::Incipient)),
            (102, Verdict::Mark(Ecn::Moderate)),
            (103, Verdict::Mark(Ecn::Capable)),
        ]);
        let queue = BySize { verdicts, ..BySize::default() };
        let steps = [
            (0, Step::Send(101)),
            (0, Step::Send(102)),
            (0, Step::Send(103)),
            (0, Step::Send(101)),
            (0, Step::Marked(101)),
            (0, Step::Marked(102)),
            (0, Step::Send(104)),
        ];
        let (world, _, arrivals) = through(queue, mode, &steps);
        let bits: Vec<(u16, Ecn)> = arrivals.iter().map(|&(_, size, ecn)| (size, ecn)).collect();
        let expected = [
            (101, Ecn::Incipient),
            (102, Ecn::Moderate),
            (103, Ecn::Capable),
            (101, Ecn::Incipient),
            (101, Ecn::Moderate),
            (102, Ecn::Moderate),
            (104, Ecn::Capable),
        ];
        assert_eq!(bits, expected, "{mode:?}");
        let counters = world.links()[0].counters();
        assert_eq!((counters.marked_incipient, counters.marked_moderate), (2, 1), "{mode:?}");
    }
}

#[test]
fn a_discipline_may_mark_and_drop_packets_when_their_turn_has_come() {
    // Whatever mode is asked for.
    for mode in [LinkMode::Fused, LinkMode::TwoStage] {
        let verdicts = BTreeMap::from([
            (700, Verdict::Mark(Ecn::Moderate)),
            (300, Verdict::Drop(DropReason::Active)),
            (200, Verdict::Drop(DropReason::Overflow)),
        ]);
        let queue = BySize { verdicts, at_departure: true, ..BySize::default() };
        let steps = [
            (0, 1000),
            (0, 700),
            (0, 300),
            (0, 200),
            (0, 100),
            // The last that waits is dropped, and the link is idle until the next comes.
            (10_000, 1000),
            (10_000, 300),
            (20_000, 100),
        ];
        let (world, seen, arrivals) = through(queue, mode, &steps.map(|(micros, size)| (micros, Step::Send(size))));
        // Who finds the transmitter free is asked for at once, the others when the one before has left, at 1 045 161.3
        // or, with the second, 1 776 774.2 ns; they see what waits behind them.
        let expected = [
            (1000, 0, 0, 0, Some(0)),
            (700, 1_045_161, 3, 600, Some(1_045_161)),
            (300, 1_776_774, 2, 300, Some(1_776_774)),
            (200, 1_776_774, 1, 100, Some(1_776_774)),
            (100, 1_776_774, 0, 0, Some(1_776_774)),
            (1000, 10_000_000, 0, 0, Some(1_881_290)),
            (300, 11_045_161, 0, 0, Some(11_045_161)),
            (100, 20_000_000, 0, 0, Some(11_045_161)),
        ];
        assert_eq!(seen, expected, "{mode:?}");
        // 1800 bytes take 1 881 290.3 ns, then 3 ms of wire. 100 bytes take 104 516.1 ns.
        let expected = [
            (4_045_161, 1000, Ecn::Capable),
            (4_776_774, 700, Ecn::Moderate),
            (4_881_290, 100, Ecn::Capable),
            (14_045_161, 1000, Ecn::Capable),
            (23_104_516, 100, Ecn::Capable),
        ];
        assert_eq!(arrivals, expected, "{mode:?}");
        let expected = LinkCounters {
            arrived: 8,
            delivered: 5,
            delivered_bytes: 2900,
            departed: 5,
            departed_bytes: 2900,
            dropped_overflow: 1,
            dropped_active: 2,
            marked_moderate: 1,
            ..LinkCounters::default()
        };
        assert_eq!(*world.links()[0].counters(), expected, "{mode:?}");
        // A drop counts the next packet as gone: it starts, or is dropped, in the same moment.
        let rows = world.links()[0].probe().and_then(|probe| probe.rows()).expect("they were asked for");
        let gone: Vec<(u64, PacketAction, u32)> = rows
            .iter()
            .filter(|row| row.action != PacketAction::Accepted)
            .map(|row| (row.at.0, row.action, row.waiting_pkts))
            .collect();
        let (active, overflow) =
            (PacketAction::Dropped(DropReason::Active), PacketAction::Dropped(DropReason::Overflow));
        let expected = [
            (1_045_161, PacketAction::Departed, 3),
            (1_045_161, PacketAction::Marked(Ecn::Moderate), 3),
            (1_776_774, PacketAction::Departed, 2),
            (1_776_774, active, 1),
            (1_776_774, overflow, 0),
            (1_881_290, PacketAction::Departed, 0),
            (11_045_161, PacketAction::Departed, 0),
            (11_045_161, active, 0),
            (20_104_516, PacketAction::Departed, 0),
        ];
        assert_eq!(gone, expected, "{mode:?}");
    }
}
