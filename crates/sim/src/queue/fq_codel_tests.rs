use super::*;
use crate::ids::LinkId;
use crate::part::Aim;
use crate::queue::battery::{link, packet};
use crate::store::Store;
use faircast_proto::packet::{Address, Ecn, FlowId};
use faircast_proto::random::Random;
use faircast_proto::time::{Instant, Rate};

/// A queue, and packets for it.
struct Bench {
    queue: FqCoDel,
    store: Store,
    now: Instant,
}

/// A packet of a flow, whose number is in its addresses.
fn of(flow: u32, size: u16) -> Packet {
    let (source, destination) = (Address::endpoint(2 * flow), Address::endpoint(2 * flow + 1));
    Packet { flow: FlowId(flow), source, destination, ..packet(size, Ecn::NotCapable) }
}

impl Bench {
    fn new(config: &Config) -> Bench {
        Bench { queue: FqCoDel::new(config, link(0)), store: Store::default(), now: Instant::ZERO }
    }

    fn view(&self) -> InterfaceView {
        InterfaceView {
            now: self.now,
            waiting_pkts: self.queue.len() as u32,
            waiting_bytes: 0,
            transmitting: true,
            idle_since: Instant::ZERO,
            rate: Rate(1),
        }
    }

    /// A packet comes; the sizes of those that are dropped for it.
    fn come(&mut self, packet: &Packet) -> Vec<u16> {
        let view = self.view();
        assert_eq!(self.queue.arrive(packet, &view), Verdict::Accept);
        let (label, ecn) = (self.store.insert(packet), packet.ecn);
        let held = Held { label, since: self.now, aim: Aim::Wanting, link: LinkId(0), ecn, doomed: false };
        let mut drops = Drops::default();
        self.queue.enqueue(held, packet, &view, &mut drops);
        assert!(drops.packets.iter().all(|(_, reason)| *reason == DropReason::Overflow));
        drops.packets.iter().map(|(held, _)| held.size()).collect()
    }

    /// The sizes of the next `pkts` that leave, as many as there are.
    fn leave(&mut self, pkts: usize) -> Vec<u16> {
        let mut left = Vec::new();
        while left.len() < pkts {
            let (mut drops, view) = (Drops::default(), self.view());
            let Some((held, _)) = self.queue.dequeue(&view, &mut drops) else { break };
            left.push(held.size());
        }
        left
    }
}

#[test]
fn flows_take_turns_by_bytes() {
    let mut bench = Bench::new(&Config { quantum: Bytes(1000), ..Config::default() });
    for _ in 0..6 {
        bench.come(&of(1, 1000));
    }
    for _ in 0..12 {
        bench.come(&of(2, 500));
    }
    // One that has used up its credits has had its turn: of 500 bytes two are in one.
    assert_eq!(bench.leave(9), [1000, 500, 500, 1000, 500, 500, 1000, 500, 500]);
    // A byte that is left lets one more go; the next turn begins with 1001 - 999 = 2 bytes.
    let mut bench = Bench::new(&Config { quantum: Bytes(1001), ..Config::default() });
    for _ in 0..4 {
        bench.come(&of(1, 1000));
    }
    for _ in 0..8 {
        bench.come(&of(2, 500));
    }
    assert_eq!(bench.leave(9), [1000, 1000, 500, 500, 500, 1000, 500, 500, 1000]);
    // Of 400 bytes there are three in a turn, and the turn after it has 200 bytes less.
    let mut bench = Bench::new(&Config { quantum: Bytes(1000), ..Config::default() });
    for _ in 0..6 {
        bench.come(&of(1, 1001));
        bench.come(&of(2, 400));
        bench.come(&of(2, 400));
    }
    // 1001 leaves -1, and 999 of the next turn; 1200 leave -200, and 800.
    assert_eq!(bench.leave(10), [1001, 400, 400, 400, 1001, 400, 400, 1001, 400, 400]);
}

#[test]
fn flows_that_wait_get_the_same_within_a_quantum_and_two_packets() {
    for (quantum, seed) in [(300, 1), (1514, 2), (6000, 3)] {
        let mut random = Random::stream(seed, "test/flows");
        let limit = QueueSize::Packets(1e6);
        let mut bench = Bench::new(&Config { quantum: Bytes(quantum), limit, ..Config::default() });
        // By how many bytes the first is ahead: its sizes are odd, those of the other even.
        let (mut ahead, mut least, mut most) = (0, 0, 0);
        for _ in 0..4000 {
            for flow in [1, 2] {
                for _ in 0..3 {
                    bench.come(&of(flow, 2 * random.uniform_in(20.0, 750.0) as u16 + flow as u16 % 2));
                }
            }
            let size = i64::from(bench.leave(1)[0]);
            ahead += if size % 2 == 1 { size } else { -size };
            (least, most) = (ahead.min(least), ahead.max(most));
        }
        // A flow has sent its turns times the quantum less its credits. Those are above minus a packet, and a quantum
        // at most in its turn, 0 at most otherwise; of turns the first has as many as the other or, in its own, one
        // more. So it is ahead by more than minus a packet and less than a quantum and a packet: between any two
        // moments that changes by less than a quantum and two packets. Where a quantum is a packet or more, two quanta
        // and a packet are enough.
        let (worst, bound) = (most - least, quantum as i64 + 2 * 1500);
        assert!(worst <= bound && worst > bound / 3, "{quantum}: {worst} of {bound}");
    }
}

#[test]
fn new_flows_come_first_and_once() {
    let mut bench = Bench::new(&Config { quantum: Bytes(1000), ..Config::default() });
    for _ in 0..10 {
        bench.come(&of(1, 1000));
        bench.come(&of(2, 1001));
    }
    assert_eq!(bench.leave(4), [1000, 1001, 1000, 1001]);
    // One that comes with little is served at once; then its queue, empty, waits behind the old ones.
    bench.come(&of(3, 100));
    assert_eq!(bench.leave(1), [100]);
    bench.come(&of(3, 101));
    assert_eq!(bench.leave(1), [101], "it has credits left, and is still new");
    assert_eq!(bench.leave(1), [1000], "found empty it goes to the old ones");
    bench.come(&of(3, 102));
    assert_eq!(bench.leave(3), [102, 1001, 1000], "where it has its turn");
    assert_eq!(bench.leave(2), [1001, 1000], "and after that, empty again, leaves");
    bench.come(&of(3, 103));
    assert_eq!(bench.leave(2), [103, 1001], "to be new when it comes again");
}

#[test]
fn what_is_beyond_the_limit_goes_from_the_head_of_the_longest() {
    let mut bench = Bench::new(&Config { limit: QueueSize::Packets(10.0), batch: 3, ..Config::default() });
    // Six of 100 bytes, and four of 200 that are longer in bytes.
    for n in 0..6 {
        assert_eq!(bench.come(&of(1, 100 + n)), [0; 0]);
    }
    for n in 0..4 {
        assert_eq!(bench.come(&of(2, 200 + n)), [0; 0]);
    }
    assert_eq!(bench.queue.len(), 10);
    // Five of the second flow, of which the larger half is three.
    assert_eq!(bench.come(&of(2, 204)), [200, 201, 202]);
    assert_eq!(bench.queue.len(), 8);
    bench.come(&of(1, 106));
    bench.come(&of(1, 107));
    // Nine of the first, half of them five, at most three.
    assert_eq!(bench.come(&of(1, 108)), [100, 101, 102]);
    assert_eq!((bench.queue.pkts, bench.queue.bytes), (8, 103 + 104 + 105 + 106 + 107 + 108 + 203 + 204));
    // A limit in bytes, which one drop does not keep.
    let mut bench = Bench::new(&Config { limit: QueueSize::Bytes(2000), batch: 1, ..Config::default() });
    for n in 0..8 {
        assert_eq!(bench.come(&of(1, 200 + n % 2)), [0; 0]);
    }
    assert_eq!(bench.queue.bytes, 1604);
    assert_eq!(bench.come(&of(2, 396)), [0; 0], "2000 bytes are within the limit");
    assert_eq!(bench.come(&of(2, 1200)), [200, 396, 201, 200, 1200], "the longest, as often as it takes");
}

#[test]
fn each_flow_is_under_its_own_control() {
    let mut bench = Bench::new(&Config { ecn: false, quantum: Bytes(1000), ..Config::default() });
    // The first has a standing queue, the second a packet at a time.
    for _ in 0..400 {
        bench.come(&of(1, 1000));
    }
    let mut dropped = 0;
    for at in 0..300 {
        bench.now = Instant::from_secs_f64(at as f64 * 2e-3);
        bench.come(&of(2, 500));
        let (mut drops, view) = (Drops::default(), bench.view());
        for _ in 0..2 {
            let _ = bench.queue.dequeue(&view, &mut drops);
        }
        assert!(drops.packets.iter().all(|(held, _)| held.size() == 1000), "the short queue drops nothing");
        dropped += drops.packets.len();
    }
    // From 106 ms on: 206, 276.7, 334.4, 384.4, 429.2, 470, 507.8, 543.1, 576.5 ms.
    assert_eq!(dropped, 10);
}

#[test]
fn what_must_be_left_is_asked_of_all_queues_or_of_one() {
    // Ten flows with a packet each, of which one leaves every 2 ms; the flow's next comes at that moment.
    let first_drop = |occupancy: Occupancy, mtu: Option<Bytes>| {
        let config = Config { ecn: false, quantum: Bytes(1000), occupancy, mtu, ..Config::default() };
        let mut bench = Bench::new(&config);
        for flow in 0..10 {
            bench.come(&of(flow, 1000));
        }
        (1..200).find(|n| {
            bench.now = Instant::from_secs_f64(f64::from(*n) * 2e-3);
            let (mut drops, view) = (Drops::default(), bench.view());
            assert!(bench.queue.dequeue(&view, &mut drops).is_some());
            bench.come(&of((n - 1) % 10, 1000));
            !drops.packets.is_empty()
        })
    };
    // The third flow's first packet has waited for 6 ms, its next ones for 20 ms each: from 6 ms on above the target,
    // and every 20 ms it has its turn. The sixth of them is dropped, at 106 ms.
    assert_eq!(first_drop(Occupancy::Shared, None), Some(53));
    assert_eq!(first_drop(Occupancy::Own, None), None, "of a flow nothing is ever left");
    // Nine packets are elsewhere, and a drop is right if more than the MTU is.
    assert_eq!(first_drop(Occupancy::Shared, Some(Bytes(8999))), Some(53));
    assert_eq!(first_drop(Occupancy::Shared, Some(Bytes(9000))), None);
}

#[test]
fn a_session_is_as_many_flows_as_it_has_groups_or_one() {
    let layers = |by: By| {
        let mut bench = Bench::new(&Config { by, quantum: Bytes(1000), ..Config::default() });
        for n in 0..4 {
            for layer in 0..2 {
                bench.come(&Packet { destination: Address::group(layer), ..of(1, 1000 + n * 2 + layer as u16) });
            }
            bench.come(&of(2, 900 + n));
        }
        bench.leave(6)
    };
    assert_eq!(layers(By::Address), [1000, 1001, 900, 901, 1002, 1003]);
    assert_eq!(layers(By::Session), [1000, 900, 901, 1001, 902, 1002]);
}

#[test]
fn where_hashes_are_equal_flows_share_a_queue() {
    let mut bench = Bench::new(&Config { flows: 1, quantum: Bytes(1000), ..Config::default() });
    for n in 0..3 {
        bench.come(&of(1, 1000 + n));
        bench.come(&of(2, 2000 + n));
    }
    assert_eq!(bench.leave(9), [1000, 2000, 1001, 2001, 1002, 2002]);
    assert!(bench.queue.is_empty() && bench.queue.bytes == 0);
    // As many flows as places: of n places a part of 1/e, 0.368, stays empty if the hash is even.
    let mut bench = Bench::new(&Config { flows: 1024, ..Config::default() });
    for flow in 0..1024 {
        bench.come(&of(flow, 100));
    }
    let share = bench.queue.queues.len() as f64 / 1024.0;
    assert!((share - 0.632).abs() < 0.04, "{share}");
    // Who shares one depends on the salt.
    let alone = |seed: u64| {
        let mut queue = FqCoDel::new(&Config::default(), link(seed));
        (0..300).map(|flow| queue.queue_of(&of(flow, 100))).collect::<Vec<_>>()
    };
    assert!(alone(0) == alone(0) && alone(0) != alone(1));
}

#[test]
fn what_is_taken_out_is_counted() {
    let mut bench = Bench::new(&Config::default());
    for n in 0..4 {
        bench.come(&of(n % 2, 100 + n as u16));
    }
    let mut out = Vec::new();
    bench.queue.remove(&mut |held| held.size() % 2 == 1, &mut out);
    assert_eq!((bench.queue.len(), bench.queue.bytes, out.len()), (2, 202, 2));
    assert_eq!(bench.leave(5), [100, 102]);
}

#[test]
fn parameters_are_checked() {
    let wrong = |config: Config| {
        config.check().into_iter().map(|(field, message)| format!("{field}: {message}")).collect::<Vec<_>>()
    };
    assert_eq!(wrong(Config::default()), [""; 0]);
    let zero = Config { quantum: Bytes(0), flows: 0, batch: 0, ..Config::default() };
    let expected = [
        "quantum: 0 B given; legal is 1 B to 1000000 B",
        "flows: 0 given; legal is 1 to 65536",
        "batch: 0 given; legal is 1 or more",
    ];
    assert_eq!(wrong(zero), expected);
    let short = Config { interval: Duration::from_millis(5), ..Config::default() };
    assert_eq!(wrong(short), ["interval: 0.005 s given; legal is above target = 0.005 s up to 3600 s"]);
}

#[test]
fn packets_that_come_say_how_large_the_largest_is() {
    let mut bench = Bench::new(&Config { ecn: false, ..Config::default() });
    (0..3).for_each(|_| assert_eq!(bench.come(&of(1, 1000)), [0; 0]));
    // Behind the first are two packets, so the interval begins; behind the second is one, which is as much as the
    // largest.
    for at in [10.0, 110.0, 111.0] {
        bench.now = Instant::from_secs_f64(at * 1e-3);
        assert_eq!(bench.leave(1), [1000], "nothing is dropped at {at} ms");
    }
}

#[test]
fn what_control_drops_no_longer_counts() {
    let mut bench = Bench::new(&Config { ecn: false, ..Config::default() });
    (0..10).for_each(|_| assert_eq!(bench.come(&of(1, 1000)), [0; 0]));
    bench.now = Instant::from_secs_f64(0.010);
    assert_eq!(bench.leave(1), [1000]);
    // An interval later one is dropped and the next leaves.
    bench.now = Instant::from_secs_f64(0.110);
    assert_eq!(bench.leave(1), [1000]);
    assert_eq!((bench.queue.len(), bench.queue.bytes), (7, 7000));
}

#[test]
fn places_are_those_of_the_published_hash() {
    // FNV-1a of source, destination and salt, its halves combined, modulo 1024: worked out by another program.
    let salt = 0x0123_4567_89ab_cdef;
    for (source, destination, place) in [(2, 3, 508), (3, 2, 812), (2, 2, 306), (70_000, 70_001, 762)] {
        let mut queue = FqCoDel { salt, ..FqCoDel::new(&Config::default(), link(0)) };
        let (source, destination) = (Address::endpoint(source), Address::endpoint(destination));
        queue.queue_of(&Packet { source, destination, ..of(0, 100) });
        assert_eq!(queue.places.iter().position(|place| place.is_some()), Some(place));
    }
}
