//! What probes write, each value worked out by hand.
//!
//! At 7 654 321 bit/s packets of 1000, 700 and 300 bytes that are sent together leave after 1 045 161.3, 1 776 774.2
//! and 2 090 322.6 ns; a link's rows show the nanosecond before.

use crate::support::{AMPLE, NO_LOSS, Step, Wire, duplex, script};
use faircast_proto::endpoint::{Cause, Event};
use faircast_proto::packet::{Ecn, FlowId, Packet};
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_proto::{tcp, tfmcc};
use faircast_sim::builder::{LinkPlan, NetworkBuilder, clock_offset};
use faircast_sim::calendar::Wheel;
use faircast_sim::counters::LinkCounters;
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::link::LinkMode;
use faircast_sim::loss::{Loss, LossModel};
use faircast_sim::probe::{ProbePlan, QueueRow};
use faircast_sim::queue::{self, Discipline, InterfaceView, LinkContext, Queue, Verdict};
use faircast_sim::world::World;

const MODES: [LinkMode; 2] = [LinkMode::Fused, LinkMode::TwoStage];
const WIRE: Wire<'_> = Wire { rate: 7_654_321, millis: 3, queue: AMPLE, loss: NO_LOSS };
const THREE: [(u64, Step); 3] = [(0, Step::Send(1000)), (0, Step::Send(700)), (0, Step::Send(300))];

/// Loses the packets of this size.
struct Loses(u16);

impl LossModel for Loses {
    fn loses(&mut self, _now: Instant, packet: &Packet) -> bool {
        packet.size == self.0
    }
}

/// Accepts everything; its "average" is a quarter for every packet that it was asked for.
struct Counts(u32);

impl Discipline for Counts {
    fn arrive(&mut self, _packet: &Packet, _at: &InterfaceView) -> Verdict {
        self.0 += 1;
        Verdict::Accept
    }

    fn average_pkts(&self) -> Option<f64> {
        Some(f64::from(self.0) / 4.0)
    }
}

/// Three packets at time zero over link 0, of which the second is lost; link 1 leads back.
fn three_packets(mode: LinkMode, plan: ProbePlan) -> World<Wheel> {
    let mut network = NetworkBuilder::new(1);
    let [a, b] = ["a", "b"].map(|name| network.node(name));
    let (rate, delay) = (Rate(WIRE.rate), Duration::from_millis(WIRE.millis));
    let config: queue::Config = serde_json::from_str(AMPLE).expect("a legal queue");
    let random = Random::stream(1, "queue");
    let ample = Queue::new(&config, LinkContext { rate, delay, mean_packet_bytes: 1000, random });
    let mut link = |name: &str, from: NodeId, to: NodeId, queue: Queue| {
        let loss = Loss::Guest(Box::new(Loses(700)));
        network.link(LinkPlan { name: name.to_owned(), from, to, rate, delay, queue, loss, mode })
    };
    let links = [link("there", a, b, ample), link("back", b, a, Queue::Guest(Box::new(Counts(0))))];
    assert_eq!(links, [LinkId(0), LinkId(1)]);
    script(&mut network, [a, b], Instant::ZERO, &THREE);
    script(&mut network, [b, a], Instant(600_000), &THREE[..2]);
    network.probes(plan);
    network.build().expect("a network without errors")
}

#[test]
fn link_rows_hold_what_each_link_has_done_by_then() {
    for mode in MODES {
        let plan = ProbePlan { links: true, interval: Duration::from_millis(1), ..ProbePlan::default() };
        let mut world = three_packets(mode, plan);
        world.run(Instant(6_999_999), u64::MAX);
        let rows = &world.records().links;
        let moments: Vec<(u64, u32)> = rows.iter().map(|row| (row.at.0, row.link.0)).collect();
        assert_eq!(moments, Vec::from_iter((1..=6).flat_map(|ms| [(ms * 1_000_000, 0), (ms * 1_000_000, 1)])));
        let counters = |link: u32| -> Vec<[u64; 6]> {
            let rows = rows.iter().filter(|row| row.link == LinkId(link));
            let short =
                |&LinkCounters { arrived, departed, departed_bytes, delivered, delivered_bytes, lost, .. }: &_| {
                    [arrived, departed, departed_bytes, delivered, delivered_bytes, lost]
                };
            rows.map(|row| short(&row.counters)).collect()
        };
        // They come to the far end 3 ms after they have left: at 4.05, 4.78 (lost) and 5.09 ms.
        let there = [
            [3, 0, 0, 0, 0, 0],
            [3, 2, 1700, 0, 0, 0],
            [3, 3, 2000, 0, 0, 0],
            [3, 3, 2000, 0, 0, 0],
            [3, 3, 2000, 1, 1000, 1],
            [3, 3, 2000, 2, 1300, 1],
        ];
        assert_eq!(counters(0), there, "{mode:?}");
        // 0.6 ms later, two of them: they leave at 1.65 and 2.38 and come at 4.65 and 5.38 ms.
        let back = [
            [2, 0, 0, 0, 0, 0],
            [2, 1, 1000, 0, 0, 0],
            [2, 2, 1700, 0, 0, 0],
            [2, 2, 1700, 0, 0, 0],
            [2, 2, 1700, 1, 1000, 0],
            [2, 2, 1700, 1, 1000, 1],
        ];
        assert_eq!(counters(1), back, "{mode:?}");
        // Three have come through, two are lost: five packet-hops.
        assert_eq!(world.packet_hops(), 5);
        assert!(world.records().senders.is_empty() && world.records().receivers.is_empty());
        assert!(world.records().queues.is_empty());
    }
}

#[test]
fn queue_samples_hold_what_waits_and_the_average_of_the_discipline() {
    for mode in MODES {
        let interval = Duration::from_micros(500);
        let queues = vec![LinkId(1), LinkId(0)];
        let mut world = three_packets(mode, ProbePlan { queues, queue_interval: interval, ..ProbePlan::default() });
        world.run(Instant(2_499_999), u64::MAX);
        let of = |link: u32| -> Vec<&QueueRow> {
            world.records().queues.iter().filter(|row| row.link == LinkId(link)).collect()
        };
        for link in [0, 1] {
            let moments: Vec<u64> = of(link).iter().map(|row| row.at.0).collect();
            assert_eq!(moments, [0, 500_000, 1_000_000, 1_500_000, 2_000_000]);
        }
        let sampled =
            |link: u32, column: &str| -> Vec<f64> { of(link).iter().filter_map(|row| row.get(column)).collect() };
        let waiting = |link: u32| sampled(link, "queue_pkts");
        // The packet in transmission does not wait. On the way back they are sent at 0.6 ms; the first leaves at 1.65.
        assert_eq!(
            (waiting(0), waiting(1)),
            (vec![2.0, 2.0, 2.0, 1.0, 0.0], vec![0.0, 0.0, 1.0, 1.0, 0.0]),
            "{mode:?}"
        );
        assert_eq!(sampled(1, "average_pkts"), [0.0, 0.0, 0.5, 0.5, 0.5]);
        assert!(sampled(0, "average_pkts").iter().all(|average| average.is_nan()), "drop-tail keeps no average");
        assert!(world.records().links.is_empty());
    }
}

#[test]
fn the_end_of_a_warmup_cuts_off_what_the_queue_was_before() {
    for mode in MODES {
        let plan = ProbePlan { warmup: Instant(1_500_000), queues: vec![LinkId(0)], ..ProbePlan::default() };
        let mut world = three_packets(mode, plan);
        world.run(Instant(2_500_000), u64::MAX);
        let queue = world.links()[0].probe().expect("it was asked for").statistics(world.now());
        // Two waited until 1.05 ms, then one: of the millisecond from 1.5 ms on it waits for 0.276 774 ms.
        assert_eq!((queue.min(), queue.max()), (0, 1), "{mode:?}");
        assert!((queue.mean() - 0.276_774).abs() < 2e-6, "{mode:?}: {}", queue.mean());
        let at_warmup = &world.records().links_at_warmup;
        assert_eq!([0, 1].map(|link: usize| at_warmup[link].departed), [1, 0], "{mode:?}");
        assert_eq!([0, 1].map(|link: usize| at_warmup[link].arrived), [3, 2], "{mode:?}");
    }
}

/// Two flows from one node to another, the second from 1.5 ms on; the first also tells two events.
fn two_flows(plan: ProbePlan) -> World<Wheel> {
    let mut network = NetworkBuilder::new(1);
    let nodes = ["a", "b"].map(|name| network.node(name));
    duplex(&mut network, nodes[0], nodes[1], &WIRE, LinkMode::Fused);
    let told = Event::change(tfmcc::SLOW_START_ENDED, 4321.5, f64::NAN, Cause::Time);
    let first = [(0, Step::Send(1000)), (750, Step::Tell(told)), (2_250, Step::Send(40)), (2_250, Step::Send(40))];
    script(&mut network, nodes, Instant::ZERO, &first);
    script(
        &mut network,
        nodes,
        Instant(1_500_000),
        &[(0, Step::Send(50)), (1_000, Step::Tell(Event::new(tcp::events::FINISHED, Cause::Packet { sequence: 7 })))],
    );
    network.probes(plan);
    network.build().expect("a network without errors")
}

#[test]
fn sender_and_receiver_rows_hold_the_reports_of_all_flows() {
    let plan = ProbePlan {
        flows: true,
        interval: Duration::from_millis(1),
        warmup: Instant(2_000_000),
        ..ProbePlan::default()
    };
    let mut world = two_flows(plan);
    world.run(Instant(6_000_000), u64::MAX);
    let records = world.records();
    let moments: Vec<(u64, u32)> = records.senders.iter().map(|row| (row.at.0, row.flow.0)).collect();
    assert_eq!(moments, Vec::from_iter((1..=6).flat_map(|ms| [(ms * 1_000_000, 0), (ms * 1_000_000, 1)])));
    let sent = |flow: u32| -> Vec<u64> {
        records.senders.iter().filter(|row| row.flow == FlowId(flow)).map(|row| row.report.sent_pkts).collect()
    };
    assert_eq!((sent(0), sent(1)), (vec![1, 1, 3, 3, 3, 3], vec![0, 1, 1, 1, 1, 1]));
    // They come after 4.05 ms; 4.55 ms; 5.29 and 5.33 ms.
    let received = |receiver: u32| -> Vec<u64> {
        let rows = records.receivers.iter().filter(|row| row.receiver == receiver);
        rows.map(|row| row.report.received_pkts).collect()
    };
    assert_eq!((received(0), received(1)), (vec![0, 0, 0, 0, 1, 3], vec![0, 0, 0, 0, 1, 1]));
    let at_warmup: Vec<u64> = records.senders_at_warmup.iter().map(|report| report.sent_pkts).collect();
    assert_eq!(at_warmup, [1, 1]);
    assert!(records.events.is_empty(), "events were not asked for");
    // That a flow has finished is kept nevertheless, and nothing else that is told.
    let finished: Vec<_> = world.flows().iter().map(|flow| flow.finished).collect();
    assert_eq!(finished, [None, Some(Instant(2_500_000))]);
}

#[test]
fn events_are_kept_on_the_clock_of_the_simulator_if_they_are_asked_for() {
    let mut world = two_flows(ProbePlan { events: true, ..ProbePlan::default() });
    world.run(Instant(6_000_000), u64::MAX);
    let events: Vec<_> =
        world.records().events.iter().map(|row| (row.at.0, row.endpoint, row.flow, row.event)).collect();
    // Endpoints 0 and 1 are the ends of the first flow, 2 and 3 those of the second.
    let expected = [
        (750_000, 0, FlowId(0), Event::change(tfmcc::SLOW_START_ENDED, 4321.5, f64::NAN, Cause::Time)),
        (2_500_000, 2, FlowId(1), Event::new(tcp::events::FINISHED, Cause::Packet { sequence: 7 })),
    ];
    assert_eq!(events, expected);
    assert!(world.records().senders.is_empty() && world.records().links.is_empty());
}

#[test]
fn hosts_have_clocks_of_their_own_unless_it_is_said_that_they_have_not() {
    for offset in [true, false] {
        let mut network = NetworkBuilder::new(1);
        let nodes = ["a", "b"].map(|name| network.node(name));
        duplex(&mut network, nodes[0], nodes[1], &WIRE, LinkMode::Fused);
        let arrivals = script(&mut network, nodes, Instant(1_000), &THREE[..1]);
        if !offset {
            network.clock_offsets(false);
        }
        let mut world: World<Wheel> = network.build().expect("a network without errors");
        world.run(Instant(5_000_000), u64::MAX);
        let ahead = if offset { clock_offset(1, "b").0 } else { 0 };
        assert_eq!(*arrivals.lock().expect("one thread"), [(4_046_161 + ahead, 1000, Ecn::Capable)]);
        // Two starts, an arrival.
        assert_eq!(world.events(), 3);
    }
    // Up to 10^6 s, all of it.
    let seconds = || (0..100).map(|node| clock_offset(1, &format!("n{node}")).as_secs_f64());
    assert!(seconds().all(|offset| offset < 1e6) && seconds().any(|offset| offset > 9e5));
    assert!(seconds().any(|offset| offset < 1e5));
}
