//! The discipline on a link: two nodes, a burst, arithmetic by hand.

use faircast_proto::endpoint::{Endpoint, Input, Outbox, Report};
use faircast_proto::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use faircast_proto::quantity::QueueSize;
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_sim::agent::Agent;
use faircast_sim::builder::{LinkPlan, NetworkBuilder};
use faircast_sim::calendar::Wheel;
use faircast_sim::counters::LinkCounters;
use faircast_sim::link::LinkMode;
use faircast_sim::loss::{self, Loss};
use faircast_sim::queue::{self, LinkContext, Queue};
use faircast_sim::world::World;
use step_marking::StepMarking;

const RATE: Rate = Rate(7_654_321);
const DELAY: Duration = Duration::from_millis(10);

/// Sends twenty packets of 1000 bytes at once.
struct Burst {
    flow: FlowId,
    from: Address,
    to: Address,
}

/// Takes whatever comes.
struct Sink;

impl Endpoint for Burst {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        if let Input::Start = input {
            for sequence in 0..20 {
                let header = Header::Datagram { sequence };
                let (flow, source, destination) = (self.flow, self.from, self.to);
                let (size, ttl, ecn) = (1000, INITIAL_TTL, Ecn::Capable);
                out.send(Packet { sent: now, flow, source, destination, size, ttl, ecn, header });
            }
        }
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn report(&self) -> Report {
        Report::default()
    }
}

impl Endpoint for Sink {
    fn handle(&mut self, _now: Instant, _input: Input<'_>, _out: &mut Outbox) {}

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn report(&self) -> Report {
        Report::default()
    }
}

/// What the link towards the sink has done a second after the burst.
fn after_a_burst(queue: Queue, mode: LinkMode) -> LinkCounters {
    let mut network = NetworkBuilder::new(1);
    let (left, right) = (network.node("left"), network.node("right"));
    let plain = |seed| {
        let link =
            LinkContext { rate: RATE, delay: DELAY, mean_packet_bytes: 1000, random: Random::stream(seed, "back") };
        Queue::new(&queue::Config::default(), link)
    };
    let lossless = || Loss::new(&loss::Config::default(), Random::stream(1, "unused"));
    for (name, from, to, queue) in [("there", left, right, queue), ("back", right, left, plain(1))] {
        let name = name.to_owned();
        network.link(LinkPlan { name, from, to, rate: RATE, delay: DELAY, queue, loss: lossless(), mode });
    }
    let (from, to) = (network.address(left), network.address(right));
    let flow = network.flow(from, to);
    network.place(from, flow, Agent::Guest(Box::new(Burst { flow, from, to })), Instant::ZERO, None);
    network.place(to, flow, Agent::Guest(Box::new(Sink)), Instant::ZERO, None);
    let mut world: World<Wheel> = network.build().expect("two nodes that reach each other");
    world.run(Instant::from_secs_f64(1.0), u64::MAX);
    assert!(world.links().iter().all(|link| link.conserves()));
    *world.links()[0].counters()
}

#[test]
fn a_burst_on_a_link_of_two_nodes() {
    for mode in [LinkMode::Fused, LinkMode::TwoStage] {
        let counters = after_a_burst(StepMarking::new(3, 6).into_queue(), mode);
        assert_eq!(counters.arrived, 20);
        // One in transmission; those that find 0 to 3 waiting enter as they are, those that find 4 and 5 marked.
        assert_eq!(counters.delivered, 7, "{mode:?}");
        assert_eq!(counters.marked_moderate, 2, "{mode:?}");
        assert_eq!(counters.dropped_overflow, 13, "{mode:?}");
    }
}

#[test]
fn a_drop_tail_queue_in_its_place_marks_nothing() {
    let limit = QueueSize::Packets(7.0);
    let config = queue::Config::DropTail(queue::drop_tail::Config { limit, ..queue::drop_tail::Config::default() });
    let link = LinkContext { rate: RATE, delay: DELAY, mean_packet_bytes: 1000, random: Random::stream(1, "there") };
    let counters = after_a_burst(Queue::new(&config, link), LinkMode::Fused);
    assert_eq!((counters.delivered, counters.marked_moderate, counters.dropped_overflow), (7, 0, 13));
}
