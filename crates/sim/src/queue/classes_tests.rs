use super::*;
use crate::ids::LinkId;
use crate::part::Aim;
use crate::queue::auto::Auto;
use crate::queue::battery::{link, packet};
use crate::queue::{fq_codel, red, shaper};
use crate::store::Store;
use faircast_proto::packet::{Ecn, FlowId};
use faircast_proto::quantity::Bytes;
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Rate};

/// Queues by class, in which flow n has DSCP n.
struct Bench {
    queue: Classes,
    store: Store,
    now: Instant,
}

fn tail(pkts: f64) -> QueueConfig {
    QueueConfig::DropTail(drop_tail::Config { limit: QueueSize::Packets(pkts), ..Default::default() })
}

fn class(dscp: &[u8], priority: u32, weight: f64, queue: QueueConfig) -> Of {
    Of { name: String::new(), dscp: dscp.to_vec(), priority, weight, queue }
}

impl Bench {
    fn new(classes: Vec<Of>) -> Bench {
        let config = Config { classes, ..Config::default() };
        assert_eq!(config.check(), []);
        let mut queue = Classes::new(&config, link(0));
        queue.know_dscp(&(0..64).collect());
        Bench { queue, store: Store::default(), now: Instant::ZERO }
    }

    fn view(&self) -> InterfaceView {
        InterfaceView {
            now: self.now,
            waiting_pkts: self.queue.len() as u32,
            waiting_bytes: 0,
            transmitting: true,
            idle_since: Instant::ZERO,
            rate: Rate(1_000_000),
        }
    }

    fn come(&mut self, flow: u32, size: u16) -> Verdict {
        let (packet, view) = (Packet { flow: FlowId(flow), ..packet(size, Ecn::NotCapable) }, self.view());
        let verdict = self.queue.arrive(&packet, &view);
        if verdict == Verdict::Accept {
            let (label, ecn) = (self.store.insert(&packet), Ecn::NotCapable);
            let held = Held { label, since: self.now, aim: Aim::Wanting, link: LinkId(0), ecn, doomed: false };
            self.queue.enqueue(held, &packet, &view, &mut Drops::default());
        }
        verdict
    }

    /// The flow and size of the next to leave.
    fn leave(&mut self) -> Option<(u32, u16)> {
        let (mut drops, view) = (Drops::default(), self.view());
        let (held, _) = self.queue.dequeue(&view, &mut drops)?;
        let packet = *self.store.get(held.label.packet());
        Some((packet.flow.0, held.size()))
    }
}

#[test]
fn smaller_priorities_go_first_whatever_waits() {
    let classes = [class(&[], 7, 1.0, tail(99.0)), class(&[5], 0, 1.0, tail(99.0)), class(&[6], 3, 1.0, tail(99.0))];
    let mut bench = Bench::new(classes.into());
    for flow in [1, 6, 5, 1, 6, 5] {
        bench.come(flow, 1000);
    }
    let order: Vec<u32> = std::iter::from_fn(|| bench.leave()).map(|(flow, _)| flow).collect();
    // What no class names is the last one's, here that of DSCP 6.
    assert_eq!(order, [5, 5, 1, 6, 1, 6]);
    bench.come(6, 1000);
    bench.come(5, 1000);
    assert_eq!(bench.leave(), Some((5, 1000)));
}

#[test]
fn code_points_of_no_class_are_the_last_ones() {
    let mut bench = Bench::new(vec![class(&[1], 0, 1.0, tail(1.0)), class(&[2], 0, 1.0, tail(99.0))]);
    // The first class has room for one: of flow 1 the second is dropped; flows 0, 2 and 63 share the other.
    let verdicts: Vec<bool> = [1, 1, 0, 2, 63, 0].map(|flow| bench.come(flow, 100) == Verdict::Accept).into();
    assert_eq!(verdicts, [true, false, true, true, true, true]);
    // A flow beyond those that are known has 0, as membership.
    assert_eq!(bench.come(1000, 100), Verdict::Accept);
}

#[test]
fn weights_are_kept_within_two_quanta_and_a_packet() {
    for (weights, seed) in [([1.0, 1.0], 1), ([3.0, 1.0], 2), ([1.0, 7.5], 3)] {
        let mut random = Random::stream(seed, "test/classes");
        let classes = [class(&[1], 0, weights[0], tail(1e6)), class(&[2], 0, weights[1], tail(1e6))];
        let mut bench = Bench::new(classes.into());
        let (mut served, mut history) = ([0.0_f64; 2], Vec::new());
        for _ in 0..4000 {
            for flow in [1, 2] {
                for _ in 0..3 {
                    bench.come(flow, random.uniform_in(40.0, 1500.0) as u16);
                }
            }
            let (flow, size) = bench.leave().expect("both have more");
            served[flow as usize - 1] += f64::from(size);
            history.push([served[0] / weights[0], served[1] / weights[1]]);
        }
        // Between any two moments the bytes over weights differ by two quanta and a packet at most.
        let least = weights[0].min(weights[1]);
        let bound = (2.0 * LEAST_QUANTUM + 1500.0) / least;
        let apart = |from: usize, to: usize| {
            let [a, b] = [0, 1].map(|n| history[to][n] - history[from][n]);
            (a - b).abs()
        };
        let worst = (0..history.len()).flat_map(|to| (0..to).step_by(7).map(move |from| (from, to)));
        let worst = worst.map(|(from, to)| apart(from, to)).fold(0.0, f64::max);
        assert!(worst <= bound && worst > 0.3 * bound, "{weights:?}: {worst} of {bound}");
    }
}

#[test]
fn a_class_that_has_nothing_leaves_its_share_and_saves_none() {
    let mut bench = Bench::new(vec![class(&[1], 0, 1.0, tail(1e3)), class(&[2], 0, 1.0, tail(1e3))]);
    for _ in 0..60 {
        bench.come(1, 1000);
    }
    assert!((0..20).all(|_| bench.leave() == Some((1, 1000))));
    for _ in 0..60 {
        bench.come(2, 1000);
    }
    let of_second = (0..20).filter(|_| bench.leave().is_some_and(|(flow, _)| flow == 2)).count();
    assert!((9..=11).contains(&of_second), "{of_second}");
}

#[test]
fn a_class_that_is_shaped_lets_others_go_and_says_when_it_may() {
    let shaped = shaper::Config { rate: Some(Rate(8000)), burst: Bytes(1000), ..Default::default() };
    let classes = vec![class(&[1], 0, 1.0, QueueConfig::Shaper(shaped)), class(&[2], 1, 1.0, tail(9.0))];
    let mut bench = Bench::new(classes);
    for flow in [1, 1, 2] {
        bench.come(flow, 1000);
    }
    assert_eq!([bench.leave(), bench.leave(), bench.leave()], [Some((1, 1000)), Some((2, 1000)), None]);
    assert_eq!((bench.queue.deadline(), bench.queue.len()), (Some(Instant::from_secs_f64(1.0)), 1));
    bench.now = Instant::from_secs_f64(1.0);
    assert_eq!(bench.leave(), Some((1, 1000)));
    assert_eq!(bench.queue.deadline(), None);
}

#[test]
fn a_queue_knows_of_its_own_class_alone() {
    // RED begins at two packets of its own, however many wait elsewhere.
    let red = red::Config { w_q: red::Config::default().w_q, ..Default::default() };
    let classes = vec![class(&[1], 0, 1.0, QueueConfig::Red(red)), class(&[2], 0, 1.0, tail(1e3))];
    let mut bench = Bench::new(classes);
    (0..500).for_each(|_| assert_eq!(bench.come(2, 1000), Verdict::Accept));
    assert_eq!(bench.come(1, 1000), Verdict::Accept);
    let inner = &bench.queue.classes[0].queue;
    let view = bench.view();
    assert_eq!(format!("{inner:?}"), "in order with 1 packets, 1000 B");
    assert_eq!(bench.queue.classes[1].queue.len(), 500);
    assert!(view.waiting_pkts == 501 && bench.queue.len() == 501);
    // Those that leave otherwise are counted, too.
    let mut out = Vec::new();
    bench.queue.remove(&mut |_| true, &mut out);
    assert_eq!((out.len(), bench.queue.len()), (501, 0));
    assert!(bench.queue.classes.iter().all(|class| format!("{:?}", class.queue).ends_with("0 packets, 0 B")));
}

#[test]
fn a_queue_that_is_not_asked_is_idle_while_others_are_sent() {
    let red = red::Config { w_q: Auto::Set(0.5), ..Default::default() };
    let mut bench = Bench::new(vec![class(&[1], 1, 1.0, QueueConfig::Red(red)), class(&[2], 0, 1.0, tail(9.0))]);
    (0..4).for_each(|_| assert_eq!(bench.come(1, 1000), Verdict::Accept));
    (0..4).for_each(|_| assert_eq!(bench.leave(), Some((1, 1000))));
    // RED's average is 2.125. Its queue is the second by priority, so it is not asked while the first has packets.
    bench.come(2, 1000);
    bench.now = Instant(16_000_000);
    assert_eq!(bench.leave(), Some((2, 1000)));
    bench.now = Instant(32_000_000);
    bench.come(1, 1000);
    // At 1.5 Mbit/s there is time for six packets in 32 ms.
    assert_eq!(bench.queue.classes[1].queue.average_pkts(), Some(2.125 / 128.0));
}

#[test]
fn what_is_wrong_is_named() {
    let wrong = |classes: Vec<Of>| -> Vec<String> {
        let config = Config { classes, ..Config::default() };
        config.check().into_iter().map(|(at, what)| at + ": " + &what).collect()
    };
    assert_eq!(wrong(vec![]), ["classes: 0 classes given; legal are 1 to 64"]);
    let twice = [class(&[3], 0, 1.0, tail(9.0)), class(&[64, 3], 0, 0.0, tail(9.0))];
    assert_eq!(
        wrong(twice.into()),
        [
            "classes[1].dscp[0]: 64 given; legal is 0 to 63",
            "classes[1].dscp[1]: 3 given; classes[0] has it already",
            "classes[1].weight: 0 given; legal is above 0"
        ]
    );
    for weight in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(wrong(vec![class(&[], 0, weight, tail(9.0))]).len(), 1);
    }
    let far = wrong(vec![class(&[], 0, 1.0, tail(9.0)), class(&[1], 0, 2e6, tail(9.0))]);
    assert_eq!(far, ["classes[1].weight: 2000000 given; legal is a million times the least, 1, at most"]);
    assert_eq!(wrong(vec![class(&[], 0, 1.0, tail(9.0)), class(&[1], 1, 2e6, tail(9.0))]), [""; 0]);
    let far = wrong(vec![class(&[], 0, 1.0, tail(9.0)), class(&[1], 0, 1e300, tail(9.0))]);
    assert_eq!(far, ["classes[1].weight: 1e300 given; legal is a million times the least, 1, at most"]);
    // Each has a name of its own, with which those within it can be named.
    let named = |name: &str| Of { name: name.to_owned(), ..class(&[], 0, 1.0, tail(9.0)) };
    assert_eq!(wrong(vec![named("a"), named(""), named("b")]), [""; 0]);
    assert_eq!(
        wrong(vec![named("a"), named("2"), named(""), named("a"), named("a/b"), named("a/b")]),
        [
            "classes[2].name: \"2\" given; classes[1] is called so",
            "classes[3].name: \"a\" given; classes[0] is called so",
            "classes[4].name: \"a/b\" given; legal are names without a slash",
            "classes[5].name: \"a/b\" given; legal are names without a slash"
        ]
    );
    let zero = fq_codel::Config { quantum: Bytes(0), ..Default::default() };
    let inner = wrong(vec![class(&[], 0, 1.0, QueueConfig::FqCoDel(zero))]);
    assert!(inner.len() == 1 && inner[0].starts_with("classes[0].queue.quantum: "), "{inner:?}");
    let plain = serde_json::from_str::<Of>(r#"{"queue": {"kind": "drop-tail"}}"#).expect("nothing else is needed");
    assert_eq!(plain, class(&[], 0, 1.0, QueueConfig::default()));
    let error = serde_json::from_str::<Of>(r#"{"dscp": [1]}"#).expect_err("a class without a queue").to_string();
    assert!(error.contains("missing field `queue`"), "{error}");
}

#[test]
fn by_default_there_are_three_classes() {
    let mut queue = Classes::new(&Config::default(), link(0));
    queue.know_dscp(&[0, 46, 12].into());
    let mut bench = Bench { queue, store: Store::default(), now: Instant::ZERO };
    for flow in [0, 2, 1] {
        assert_eq!(bench.come(flow, 1000), Verdict::Accept);
    }
    assert_eq!(
        [bench.leave(), bench.leave(), bench.leave()].map(|out| out.map(|(flow, _)| flow)),
        [Some(1), Some(2), Some(0)]
    );
    // A tenth of 1.5 Mbit/s: of 30 packets of EF at once 15 go, and 9 kB more in half a second.
    let mut bench = Bench { queue: bench.queue, store: Store::default(), now: Instant::ZERO + Duration::from_secs(10) };
    let taken = |bench: &mut Bench| (0..30).filter(|_| bench.come(1, 1000) == Verdict::Accept).count();
    assert_eq!(taken(&mut bench), 15);
    bench.now += Duration::from_millis(500);
    assert_eq!(taken(&mut bench), 9);
}

/// The flows of the next `pkts` to leave.
fn order(bench: &mut Bench, pkts: usize) -> Vec<u32> {
    (0..pkts).filter_map(|_| bench.leave()).map(|(flow, _)| flow).collect()
}

#[test]
fn a_turn_ends_with_its_last_byte() {
    for (size, expected) in [
        // 1514 bytes are a turn.
        (1514, [1, 2, 1, 2, 1, 2]),
        // One byte is left for a second packet; then a turn begins with 1514 - 1512 = 2 bytes, which are one packet.
        (1513, [1, 1, 2, 2, 1, 2]),
    ] {
        // Whatever the weights are called, the least has a turn of so much.
        for weight in [1.0, 0.01, 20.0] {
            let mut bench = Bench::new(vec![class(&[1], 0, weight, tail(99.0)), class(&[2], 0, weight, tail(99.0))]);
            for flow in [1, 1, 1, 1, 2, 2, 2, 2] {
                bench.come(flow, size);
            }
            assert_eq!(order(&mut bench, 6), expected, "{size} B, {weight}");
        }
    }
}

#[test]
fn what_is_owed_for_a_large_packet_does_not_stop_a_class_that_is_alone() {
    // After 60 000 bytes a class owes 38 turns and a bit.
    let mut bench = Bench::new(vec![class(&[1], 0, 1.0, tail(99.0)), class(&[2], 0, 1.0, tail(99.0))]);
    (0..3).for_each(|_| assert_eq!(bench.come(1, 60_000), Verdict::Accept));
    assert_eq!(order(&mut bench, 4), [1, 1, 1]);
}

#[test]
fn what_is_owed_is_owed_after_a_rest() {
    let mut bench = Bench::new(vec![class(&[1], 0, 1.0, tail(99.0)), class(&[2], 0, 1.0, tail(99.0))]);
    bench.come(1, 60_000);
    assert_eq!([bench.leave(), bench.leave()], [Some((1, 60_000)), None]);
    bench.come(1, 1000);
    (0..60).for_each(|_| assert_eq!(bench.come(2, 1000), Verdict::Accept));
    // 60 000 bytes are made up for by 39 turns after the first; before the last of them the other class has had 38,
    // which are 57 532 bytes, or 58 packets.
    assert_eq!(order(&mut bench, 99).iter().position(|flow| *flow == 1), Some(58));
}

#[test]
fn classes_say_the_first_moment_in_which_one_may_send() {
    let shaped = |bps: u64| {
        QueueConfig::Shaper(shaper::Config { rate: Some(Rate(bps)), burst: Bytes(1000), ..Default::default() })
    };
    // A packet takes 1 s or 2 s.
    for rates in [[8000, 4000], [4000, 8000]] {
        let [first, second] = rates.map(shaped);
        let mut bench = Bench::new(vec![class(&[1], 0, 1.0, first), class(&[2], 0, 1.0, second)]);
        for flow in [1, 2, 1, 2] {
            bench.come(flow, 1000);
        }
        assert_eq!(order(&mut bench, 3).len(), 2);
        assert_eq!(bench.queue.deadline(), Some(Instant::from_secs_f64(1.0)), "{rates:?}");
    }
}

#[test]
fn bounds_are_legal_themselves() {
    let wrong = |classes: Vec<Of>| Config { classes, ..Config::default() }.check().len();
    let many = |count: usize| vec![class(&[], 0, 1.0, tail(9.0)); count];
    assert_eq!([1, 64, 65].map(|count| wrong(many(count))), [0, 0, 1]);
    // The least weight may be written before or after the greatest, and one that is wrong counts for nothing.
    let weights = |weights: [f64; 3]| wrong(weights.map(|weight| class(&[], 0, weight, tail(9.0))).into());
    assert_eq!(weights([1.0, 0.5, 5e5]), 0);
    assert_eq!(weights([5.1e5, 0.5, 1.0]), 1);
    assert_eq!(weights([0.0, 1.0, 2.0]), 1);
    assert_eq!(weights([f64::MIN_POSITIVE, f64::MIN_POSITIVE, f64::MIN_POSITIVE]), 0);
    assert_eq!(wrong(vec![class(&[0, 63], 0, 1.0, tail(9.0))]), 0);
}

#[test]
fn a_class_that_had_nothing_begins_with_a_turn_and_no_byte_more() {
    let mut bench = Bench::new(vec![class(&[1], 0, 1.0, tail(99.0)), class(&[2], 0, 1.0, tail(99.0))]);
    (0..8).for_each(|_| assert_eq!(bench.come(1, 1514), Verdict::Accept));
    assert_eq!(order(&mut bench, 4), [1, 1, 1, 1]);
    (0..4).for_each(|_| assert_eq!(bench.come(2, 1514), Verdict::Accept));
    // One of 1514 bytes is a turn.
    assert_eq!(order(&mut bench, 6), [2, 1, 2, 1, 2, 1]);
}
