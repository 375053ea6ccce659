//! The queues on a link of two nodes, with arithmetic by hand: a packet of 1000 bytes takes a millisecond.

use faircast_proto::endpoint::{Endpoint, Input, Outbox, Report};
use faircast_proto::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
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
use own_queues::head_drop::HeadDrop;
use own_queues::shaper::Shaper;
use std::sync::{Arc, Mutex};

const RATE: Rate = Rate(8_000_000);
const DELAY: Duration = Duration::from_millis(10);
const MILLISECOND: u64 = 1_000_000;

/// Sends packets of these bytes when it starts, numbered from 0.
struct Burst {
    flow: FlowId,
    from: Address,
    to: Address,
    sizes: Vec<u16>,
}

/// Notes when which packet comes, in milliseconds.
struct Sink(Arc<Mutex<Vec<(f64, u64)>>>);

impl Endpoint for Burst {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        if let Input::Start = input {
            for (sequence, &size) in (0..).zip(&self.sizes) {
                let header = Header::Datagram { sequence };
                let (flow, source, destination) = (self.flow, self.from, self.to);
                let (ttl, ecn) = (INITIAL_TTL, Ecn::Capable);
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
    fn handle(&mut self, now: Instant, input: Input<'_>, _out: &mut Outbox) {
        if let Input::Packet { packet, .. } = input
            && let Header::Datagram { sequence } = packet.header
        {
            self.0.lock().expect("one thread").push((now.0 as f64 / MILLISECOND as f64, sequence));
        }
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn report(&self) -> Report {
        Report::default()
    }
}

/// What comes of packets of these bytes that are sent at once, and what the link has done a second later.
fn burst(queue: Queue, sizes: &[u16]) -> (Vec<(f64, u64)>, LinkCounters) {
    let mut network = NetworkBuilder::new(1);
    network.clock_offsets(false);
    let (left, right) = (network.node("left"), network.node("right"));
    let context = LinkContext { rate: RATE, delay: DELAY, mean_packet_bytes: 1000, random: Random::stream(1, "back") };
    let plain = Queue::new(&queue::Config::default(), context);
    for (name, from, to, queue) in [("there", left, right, queue), ("back", right, left, plain)] {
        let (name, loss) = (name.to_owned(), Loss::new(&loss::Config::default(), Random::stream(1, "unused")));
        network.link(LinkPlan { name, from, to, rate: RATE, delay: DELAY, queue, loss, mode: LinkMode::Fused });
    }
    let (from, to) = (network.address(left), network.address(right));
    let flow = network.flow(from, to);
    let came = Arc::default();
    let sender = Burst { flow, from, to, sizes: sizes.to_vec() };
    network.place(from, flow, Agent::Guest(Box::new(sender)), Instant::ZERO, None);
    network.place(to, flow, Agent::Guest(Box::new(Sink(Arc::clone(&came)))), Instant::ZERO, None);
    let mut world: World<Wheel> = network.build().expect("two nodes that reach each other");
    world.run(Instant::from_secs_f64(1.0), u64::MAX);
    assert_eq!(world.fault(), None);
    assert!(world.links().iter().all(|link| link.conserves()));
    let came = came.lock().expect("one thread").clone();
    (came, *world.links()[0].counters())
}

#[test]
fn a_shaper_lets_packets_wait_while_the_link_is_free() {
    // A tenth of the link's rate, bursts of three packets: 24 ms at the mean rate with 1000 bytes taking 10 ms each.
    let queue = Queue::Scheduler(Box::new(Shaper::new(Rate(800_000), 3000, 6)));
    let (came, counters) = burst(queue, &[1000; 9]);
    // One goes at once, six wait, two find no room. Two more go with the burst, one after the other; then one in 10 ms.
    let expected = [11.0, 12.0, 13.0, 21.0, 31.0, 41.0, 51.0];
    assert_eq!(came, expected.into_iter().zip(0..).collect::<Vec<_>>());
    assert_eq!((counters.delivered, counters.dropped_overflow), (7, 2));
}

#[test]
fn a_packet_larger_than_the_burst_leaves_when_the_bucket_is_full() {
    let queue = Queue::Scheduler(Box::new(Shaper::new(Rate(800_000), 500, 50)));
    let (came, _) = burst(queue, &[1000, 1000, 200]);
    // The first leaves a full bucket with a debt of 10 ms, which the second waits for, and the third with 3 ms to
    // spare.
    assert_eq!(came, [(11.0, 0), (21.0, 1), (27.2, 2)]);
}

#[test]
fn what_has_waited_longest_makes_room_and_nothing_waits_too_long() {
    let queue = Queue::Scheduler(Box::new(HeadDrop::new(3, Duration::from_micros(2500))));
    let (came, counters) = burst(queue, &[1000; 6]);
    // The first goes at once; the second and third make room for the last two. Of the fourth to the sixth, whose turn
    // comes at 1, 2 and 3 ms, the sixth has waited too long.
    assert_eq!(came, [(11.0, 0), (12.0, 3), (13.0, 4)]);
    assert_eq!((counters.dropped_overflow, counters.dropped_active), (2, 1));
}
