//! Endpoints that come and go while a network runs.

use crate::support::{AMPLE, Arrival, NO_LOSS, Wire, actor, at, duplex, tcp};
use faircast_proto::endpoint::{Action, Cause, Endpoint, Event, FINISHED, Report};
use faircast_proto::packet::{Address, Ecn, Header, INITIAL_TTL, Packet};
use faircast_proto::random::Random;
use faircast_proto::registry::flows::{FlowReceiver, FlowSender};
use faircast_proto::tcp::{self, Relay, RelayPlace};
use faircast_proto::time::{Duration, Instant};
use faircast_sim::agent::Agent;
use faircast_sim::builder::{NetworkBuilder, clock_offset};
use faircast_sim::calendar::{Calendar, Heap, Wheel};
use faircast_sim::link::LinkMode;
use faircast_sim::probe::ProbePlan;
use faircast_sim::visits::{Endpoints, Seats, Visit, Visits};
use faircast_sim::world::{Progress, World};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// A visit that has ended, and what its sender and its receiver had counted.
#[derive(Clone, Debug)]
struct Gone {
    seats: Seats,
    began: Instant,
    ended: Instant,
    sent: Report,
    received: Report,
}

impl Gone {
    fn of(visit: Visit, endpoints: Endpoints) -> Gone {
        let [sent, received] = [endpoints.sender, endpoints.receiver].map(|endpoint| endpoint.report());
        Gone { seats: visit.seats, began: visit.began, ended: visit.ended, sent, received }
    }
}

/// How many segments a relay may hold.
const ROOM: u16 = 2;

type Ended = Arc<Mutex<Vec<Gone>>>;
type Arrivals = Arc<Mutex<Vec<Arrival>>>;

/// TCP transfers of one to nine segments, which begin at these moments.
struct Transfers {
    due: VecDeque<Instant>,
    begun: u64,
    /// Between how many pairs of nodes they go round.
    pairs: u64,
    ended: Ended,
}

impl Visits for Transfers {
    fn next(&self) -> Option<Instant> {
        self.due.front().copied()
    }

    fn pair(&self) -> usize {
        (self.begun % self.pairs) as usize
    }

    fn begin(&mut self, now: Instant, seats: Seats) -> Endpoints {
        assert!(self.due.pop_front().is_some_and(|due| due <= now));
        let segments = 1 + self.begun % 9;
        let config =
            format!(r#"{{"variant": "newreno", "segments": {segments}, "rto_initial": "1 s", "rto_max": "2 s"}}"#);
        let config: tcp::Config = serde_json::from_str(&config).expect("a legal flow");
        let random = Random::stream(self.begun, "visit");
        self.begun += 1;
        let row: Vec<Address> = seats.row().collect();
        assert_eq!((row[0], row[row.len() - 1]), (seats.sender, seats.receiver));
        assert!(seats.relays().eq(row[1..row.len() - 1].iter().copied()));
        let of_sender = tcp::Sender::new(&config, seats.flow, row[0], row[1], random);
        let of_sender = if row.len() > 2 { of_sender.to_relay(ROOM) } else { of_sender };
        let of_receiver = tcp::Receiver::new(&config, seats.flow, seats.receiver, row[row.len() - 2]);
        let relay = |(number, hosts): (usize, &[Address])| {
            let &[upstream, own, downstream] = hosts else { unreachable!("windows of three") };
            let place = RelayPlace { flow: seats.flow, upstream, own, downstream, room: ROOM };
            let random = ["a", "b"].map(|name| Random::stream(self.begun, name));
            let relay = Relay::new(&config, &config, place, random);
            Agent::Relay(Box::new(if number + 3 < row.len() { relay.to_relay(ROOM) } else { relay }))
        };
        let relays = row.windows(3).enumerate().map(relay).collect();
        let sender = Agent::FlowSender(FlowSender::Tcp(Box::new(of_sender)));
        Endpoints { sender, receiver: Agent::FlowReceiver(FlowReceiver::Tcp(of_receiver)), relays }
    }

    fn end(&mut self, visit: Visit, endpoints: Endpoints) {
        assert!(visit.is_finished);
        self.ended.lock().expect("one thread").push(Gone::of(visit, endpoints));
    }
}

/// 10 Mbit/s and 10 ms, a queue of five packets, so many seats, and transfers at random moments in 100 s.
fn transfers<C: Calendar>(seats: u32, count: usize, offsets: bool) -> (World<C>, Vec<Gone>) {
    let mut network = NetworkBuilder::new(3);
    let [a, b] = ["a", "b"].map(|name| network.node(name));
    let queue = r#"{"kind": "drop-tail", "limit": "5 packets"}"#;
    duplex(&mut network, a, b, &Wire { rate: 10_000_000, millis: 10, queue, loss: NO_LOSS }, LinkMode::Fused);
    let mut random = network.stream("test/arrivals");
    let mut due: Vec<Instant> = (0..count).map(|_| at(random.uniform_in(0.0, 100.0))).collect();
    due.sort_unstable();
    let ended = Ended::default();
    let visits = Transfers { due: due.into(), begun: 0, pairs: 1, ended: ended.clone() };
    network.pool(vec![[a, b]], seats, Box::new(visits));
    network.clock_offsets(offsets);
    network.probes(ProbePlan { trace: true, ..ProbePlan::default() });
    let mut world: World<C> = network.build().expect("a whole network");
    assert_eq!(world.run(at(400.0), u64::MAX), Progress::Done);
    let ended = ended.lock().expect("one thread").clone();
    (world, ended)
}

#[test]
fn transfers_share_seats_one_after_the_other() {
    let (world, ended) = transfers::<Wheel>(100, 1000, true);
    assert_eq!(ended.len(), 1000, "all have ended");
    // Those of one seat do not overlap, and each has what was sent for it, and nothing else.
    let mut by_seat = vec![Vec::new(); 100];
    for visit in &ended {
        by_seat[visit.seats.flow.0 as usize].push(visit.clone());
    }
    let used = by_seat.iter().filter(|visits| !visits.is_empty()).count();
    assert!((2..40).contains(&used), "{used} seats are enough for those that are there together");
    for visits in &by_seat {
        assert!(visits.windows(2).all(|pair| pair[0].ended < pair[1].began), "{visits:?}");
    }
    let mut segments: Vec<u64> = ended.iter().map(|visit| visit.received.distinct_bytes / 1040).collect();
    segments.sort_unstable();
    let mut wanted: Vec<u64> = (0..1000).map(|index| 1 + index % 9).collect();
    wanted.sort_unstable();
    assert!(segments == wanted, "each gets its segments of 1040 bytes, once");
    assert!(ended.iter().all(|visit| visit.began < visit.ended && visit.received.received_pkts > 0));
    assert!(world.links().iter().all(|link| link.inside_pkts() == 0));
    let lone: u64 = world.undeliverable().iter().map(|given_up| given_up.no_route).sum();
    assert_eq!(lone, 0);
}

#[test]
fn calendars_and_clocks_change_nothing() {
    let (wheel, of_wheel) = transfers::<Wheel>(20, 500, true);
    let (heap, of_heap) = transfers::<Heap>(20, 500, true);
    assert_eq!(wheel.digest(), heap.digest());
    let (_, of_one_clock) = transfers::<Wheel>(20, 500, false);
    let spans = |visits: &[Gone]| -> Vec<_> {
        visits.iter().map(|visit| (visit.seats, visit.began, visit.ended, visit.received.received_pkts)).collect()
    };
    assert_eq!(spans(&of_wheel), spans(&of_heap));
    assert_eq!(spans(&of_wheel), spans(&of_one_clock));
}

#[test]
fn visits_wait_in_order_where_seats_are_few() {
    let (_, ended) = transfers::<Wheel>(1, 3000, true);
    assert_eq!(ended.len(), 3000);
    assert!(ended.windows(2).all(|pair| pair[0].ended < pair[1].began), "one after the other");
    // A transfer takes a round trip of 20 ms at least, so some thousand of them fill 60 s and more.
    let waited = ended.windows(2).filter(|pair| pair[1].began == pair[0].ended + Duration(1)).count();
    assert!(waited > 300, "{waited} began when the seat was left");
}

/// Two pairs of nodes in turn, and fewer seats than pairs: a link of 10 Mbit/s to each receiver, of 10 and 30 ms.
fn in_turn<C: Calendar>(offsets: bool) -> (World<C>, Vec<Gone>) {
    let mut network = NetworkBuilder::new(3);
    let [a, b, c] = ["a", "b", "c"].map(|name| network.node(name));
    for (to, millis) in [(b, 10), (c, 30)] {
        duplex(&mut network, a, to, &Wire { rate: 10_000_000, millis, queue: AMPLE, loss: NO_LOSS }, LinkMode::Fused);
    }
    let ended = Ended::default();
    let due = (0..100).map(|index| at(0.01 * f64::from(index))).collect();
    let visits = Transfers { due, begun: 0, pairs: 2, ended: ended.clone() };
    network.pool(vec![[a, b], [a, c]], 1, Box::new(visits));
    network.clock_offsets(offsets);
    let mut world: World<C> = network.build().expect("a whole network");
    assert_eq!(world.run(at(100.0), u64::MAX), Progress::Done);
    let ended = ended.lock().expect("one thread").clone();
    (world, ended)
}

#[test]
fn a_free_seat_moves_to_where_it_is_needed() {
    let (world, ended) = in_turn::<Wheel>(true);
    assert_eq!(world.seats(0).len(), 1);
    assert_eq!(ended.len(), 100, "none waits for a seat between its own nodes");
    for (index, visit) in ended.iter().enumerate() {
        assert_eq!(visit.received.distinct_bytes, (1 + index as u64 % 9) * 1040, "visit {index}");
        let rtt = Duration::from_millis(if index % 2 == 0 { 20 } else { 60 });
        assert!(visit.ended.since(visit.began) > rtt, "each is on its own way");
        assert!(index % 9 > 1 || visit.ended.since(visit.began) < rtt + Duration::from_millis(5), "visit {index}");
    }
    assert!(world.links().iter().all(|link| link.inside_pkts() == 0));
    let spans = |visits: &[Gone]| visits.iter().map(|visit| (visit.began, visit.ended)).collect::<Vec<_>>();
    assert_eq!(spans(&ended), spans(&in_turn::<Wheel>(false).1));
    assert_eq!(spans(&ended), spans(&in_turn::<Heap>(true).1));
}

/// Transfers that two relays split, between two pairs of nodes in turn, over links that lose this part of what they
/// carry.
fn split<C: Calendar>(seats: u32, count: usize, loss: f64, offsets: bool) -> (World<C>, Vec<Gone>) {
    let mut network = NetworkBuilder::new(3);
    let [a, station, one, two, b, c] = ["a", "station", "one", "two", "b", "c"].map(|name| network.node(name));
    let loss = format!(r#"{{"kind": "bernoulli", "p": {loss}}}"#);
    for (from, to, millis) in [(a, station, 5), (station, one, 50), (station, two, 50), (one, b, 1), (two, c, 2)] {
        duplex(&mut network, from, to, &Wire { rate: 10_000_000, millis, queue: AMPLE, loss: &loss }, LinkMode::Fused);
    }
    let mut random = network.stream("test/arrivals");
    let mut due: Vec<Instant> = (0..count).map(|_| at(random.uniform_in(0.0, 10.0))).collect();
    due.sort_unstable();
    let ended = Ended::default();
    let visits = Transfers { due: due.into(), begun: 0, pairs: 2, ended: ended.clone() };
    network.split_pool(vec![vec![a, station, one, b], vec![a, station, two, c]], seats, Box::new(visits));
    network.clock_offsets(offsets);
    network.probes(ProbePlan { trace: true, ..ProbePlan::default() });
    let mut world: World<C> = network.build().expect("a whole network");
    assert_eq!(world.run(at(1e7), u64::MAX), Progress::Done);
    let ended = ended.lock().expect("one thread").clone();
    (world, ended)
}

#[test]
fn relays_come_and_go_with_those_whose_connections_they_split() {
    for (seats, count, loss) in [(200, 200, 0.0), (5, 300, 0.05), (40, 300, 0.3), (7, 30, 0.9)] {
        let (world, ended) = split::<Wheel>(seats, count, loss, true);
        assert_eq!(ended.len(), count, "loss {loss}: all come through");
        let mut segments: Vec<u64> = ended.iter().map(|visit| visit.received.distinct_bytes / 1040).collect();
        segments.sort_unstable();
        let mut wanted: Vec<u64> = (0..count as u64).map(|index| 1 + index % 9).collect();
        wanted.sort_unstable();
        assert!(segments == wanted, "loss {loss}: each gets its segments, once");
        assert!(world.seats(0).len() <= seats as usize && world.links().iter().all(|link| link.inside_pkts() == 0));
        let relays = world.relays();
        assert_eq!(relays.iter().map(|row| row.place).collect::<Vec<_>>(), [0, 1]);
        assert!(relays.iter().all(|row| row.state.held == 0 && row.state.most == 2), "loss {loss}: {relays:?}");
        // What comes to the first relay goes over 50 ms; nobody waits for room at the last but by losses.
        assert!(relays[0].state.held_back > relays[1].state.held_back, "loss {loss}: {relays:?}");
        let spans = |visits: &[Gone]| -> Vec<_> {
            visits.iter().map(|visit| (visit.seats, visit.began, visit.ended, visit.received.received_pkts)).collect()
        };
        let (heap, of_heap) = split::<Heap>(seats, count, loss, true);
        assert_eq!((heap.digest(), spans(&of_heap)), (world.digest(), spans(&ended)), "loss {loss}");
        let (one_clock, of_one_clock) = split::<Wheel>(seats, count, loss, false);
        assert_eq!((one_clock.relays(), spans(&of_one_clock)), (relays, spans(&ended)), "loss {loss}");
    }
}

/// Visits that begin at these moments; each sends one packet, of 100 bytes more than the one before, and has finished,
/// but for the last, which stays.
struct Datagrams {
    due: VecDeque<Instant>,
    sent: u16,
    /// How much the clock of the sender's node is ahead.
    offset: Duration,
    got: Arc<Mutex<Vec<Arrivals>>>,
    ended: Ended,
}

impl Visits for Datagrams {
    fn next(&self) -> Option<Instant> {
        self.due.front().copied()
    }

    fn begin(&mut self, now: Instant, seats: Seats) -> Endpoints {
        self.due.pop_front();
        self.sent += 1;
        let (size, header) = (100 * self.sent, Header::Datagram { sequence: 0 });
        let Seats { flow, sender: source, receiver: destination } = seats;
        let (sent, ecn) = (now + self.offset, Ecn::NotCapable);
        let packet = Packet { sent, flow, source, destination, size, ttl: INITIAL_TTL, ecn, header };
        let mut actions = vec![(0, Action::Send(packet))];
        if !self.due.is_empty() {
            actions.push((0, Action::Event(Event::new(FINISHED, Cause::Time))));
        }
        let (receiver, got) = actor(&[]);
        self.got.lock().expect("one thread").push(got);
        Endpoints::of_pair(actor(&actions).0, receiver)
    }

    fn end(&mut self, visit: Visit, endpoints: Endpoints) {
        assert!(visit.is_finished);
        self.ended.lock().expect("one thread").push(Gone::of(visit, endpoints));
    }
}

/// The sizes that came to each visit, and the visits that have ended, of so many seats between nodes 10 ms apart.
fn datagrams(seats: u32, due: &[f64], offsets: bool) -> (Vec<Vec<u16>>, Vec<Gone>, World<Wheel>) {
    let mut network = NetworkBuilder::new(1);
    let [a, b] = ["a", "b"].map(|name| network.node(name));
    let wire = Wire { rate: 10_000_000, millis: 10, queue: AMPLE, loss: NO_LOSS };
    duplex(&mut network, a, b, &wire, LinkMode::Fused);
    let (got, ended) = (Arc::default(), Ended::default());
    let offset = if offsets { clock_offset(1, "a") } else { Duration::ZERO };
    let due = due.iter().copied().map(at).collect();
    let visits = Datagrams { due, sent: 0, offset, got: Arc::clone(&got), ended: ended.clone() };
    network.pool(vec![[a, b]], seats, Box::new(visits));
    network.clock_offsets(offsets);
    let mut world: World<Wheel> = network.build().expect("a whole network");
    assert_eq!(world.run(at(1.0), u64::MAX), Progress::Done);
    let sizes = |got: &Arrivals| got.lock().expect("one thread").iter().map(|got| got.1).collect();
    let sizes = got.lock().expect("one thread").iter().map(sizes).collect();
    let ended = ended.lock().expect("one thread").clone();
    (sizes, ended, world)
}

#[test]
fn the_next_in_a_seat_gets_nothing_that_was_sent_for_those_before() {
    for offsets in [false, true] {
        // The third begins as soon as the second has left, when its packet has just been sent.
        let (sizes, ended, world) = datagrams(1, &[0.001, 0.005, 0.005], offsets);
        assert_eq!(sizes, [vec![], vec![], vec![300]], "those that have gone get nothing, and who stays its own");
        assert_eq!((ended.len(), world.links()[0].counters().delivered), (2, 3));
        assert_eq!(world.seats(0).len(), 1);
    }
}

#[test]
fn those_who_finish_together_leave_together() {
    let (sizes, ended, _) = datagrams(3, &[0.001, 0.001, 0.001, 0.2], true);
    assert_eq!(sizes, [vec![], vec![], vec![], vec![400]]);
    let sent: Vec<u64> = ended.iter().map(|visit| visit.sent.sent_pkts).collect();
    assert_eq!(sent, [1, 1, 1], "each is counted where it was");
    let mut flows: Vec<u32> = ended.iter().map(|visit| visit.seats.flow.0).collect();
    flows.sort_unstable();
    assert_eq!(flows, [0, 1, 2]);
}

/// Two pools between three nodes, with flows that finish before and after them.
#[test]
fn pools_and_other_flows_do_not_disturb_each_other() {
    let mut network = NetworkBuilder::new(5);
    let [a, b, c] = ["a", "b", "c"].map(|name| network.node(name));
    let wire = Wire { rate: 10_000_000, millis: 10, queue: AMPLE, loss: NO_LOSS };
    duplex(&mut network, a, b, &wire, LinkMode::Fused);
    duplex(&mut network, b, c, &wire, LinkMode::Fused);
    let few = r#"{"variant": "newreno", "segments": 3}"#;
    let before = tcp(&mut network, a, b, few);
    let ended = [Ended::default(), Ended::default()];
    for (ended, (to, first)) in ended.iter().zip([(b, 0.1), (c, 0.15)]) {
        let due = (0..20).map(|index| at(first + 0.1 * f64::from(index))).collect();
        network.pool(vec![[a, to]], 2, Box::new(Transfers { due, begun: 0, pairs: 1, ended: ended.clone() }));
    }
    let after = tcp(&mut network, b, c, few);
    let mut world: World<Wheel> = network.build().expect("a whole network");
    assert_eq!(world.run(at(0.11), u64::MAX), Progress::Done);
    // The first visit of the first pool is under way, and shows what endpoints show.
    let sender = world.seats(0)[0].sender;
    assert!(world.measure(sender).iter().any(|value| value.is_finite()));
    assert_eq!(world.run(at(10.0), u64::MAX), Progress::Done);
    for ended in &ended {
        assert_eq!(ended.lock().expect("one thread").len(), 20);
    }
    for flow in [before, after] {
        let flow = flow.0 as usize;
        assert!(world.flows()[flow].finished.is_some());
        assert_eq!(world.receiver(flow, 0).distinct_bytes, 3 * 1040, "it is still there");
    }
}
