use super::*;
use crate::ids::LinkId;
use crate::part::Aim;
use crate::queue::battery::{link, packet};
use crate::store::Store;
use faircast_proto::random::Random;
use faircast_proto::time::Rate;

/// A queue whose base probability stays what it is set to, and packets for it.
struct Bench {
    queue: DualPi2,
    store: Store,
    now: Instant,
}

fn ms(milliseconds: f64) -> Duration {
    Duration::from_secs_f64(milliseconds * 1e-3)
}

fn near(ours: f64, expected: f64) {
    assert!((ours - expected).abs() < 1e-12, "{ours}, not {expected}");
}

impl Bench {
    fn new(config: &Config) -> Bench {
        Bench { queue: DualPi2::new(config, link(0)), store: Store::default(), now: Instant::ZERO }
    }

    /// One with this base probability for good.
    fn held_at(probability: f64, config: &Config) -> Bench {
        let mut bench = Bench::new(config);
        bench.queue.controller = Controller { probability, updated: Instant::FAR_FUTURE, ..Controller::default() };
        bench
    }

    fn view(&self) -> InterfaceView {
        let waiting_bytes = self.queue.low_latency.bytes() + self.queue.classic.bytes();
        InterfaceView {
            now: self.now,
            waiting_pkts: self.queue.len() as u32,
            waiting_bytes,
            transmitting: true,
            idle_since: Instant::ZERO,
            rate: Rate(1),
        }
    }

    fn come(&mut self, size: u16, ecn: Ecn) -> Verdict {
        let (packet, view) = (packet(size, ecn), self.view());
        let verdict = self.queue.arrive(&packet, &view);
        if verdict == Verdict::Accept {
            let label = self.store.insert(&packet);
            let held = Held { label, since: self.now, aim: Aim::Wanting, link: LinkId(0), ecn, doomed: false };
            self.queue.enqueue(held, &packet, &view, &mut Drops::default());
        }
        verdict
    }

    /// What leaves next with which verdict, and how many are dropped before it.
    fn leave(&mut self) -> (Option<(u16, Ecn, Verdict)>, usize) {
        let (mut drops, view) = (Drops::default(), self.view());
        let out = self.queue.dequeue(&view, &mut drops);
        assert!(drops.packets.iter().all(|(_, reason)| *reason == DropReason::Active));
        (out.map(|(held, verdict)| (held.size(), held.ecn(), verdict)), drops.packets.len())
    }

    /// The parts that are marked and dropped of 100 000 packets of one kind; always some more wait behind them.
    fn parts(&mut self, ecn: Ecn) -> (f64, f64) {
        let (mut left, mut marked, mut dropped) = (0, 0, 0);
        while left + dropped < 100_000 {
            while self.queue.len() < 20 {
                self.come(1000, ecn);
            }
            let (out, drops) = self.leave();
            marked += u32::from(matches!(out, Some((_, _, Verdict::Mark(_)))));
            left += usize::from(out.is_some());
            dropped += drops;
        }
        self.queue.remove(&mut |_| true, &mut Vec::new());
        let of = (left + dropped) as f64;
        (f64::from(marked) / of, dropped as f64 / of)
    }
}

#[test]
fn the_ramp_is_linear_and_may_be_a_step() {
    let rules = |config: &Config| Rules::new(config, &link(0));
    let ramp = rules(&Config::default());
    for (micros, probability) in [(0, 0.0), (800, 0.0), (900, 0.25), (1000, 0.5), (1199, 0.9975), (1200, 1.0)] {
        near(ramp.ramp(Duration::from_micros(micros)), probability);
    }
    let step = rules(&Config { range: Duration::ZERO, ..Config::default() });
    assert_eq!([799, 800, 801].map(|micros| step.ramp(Duration::from_micros(micros))), [0.0, 1.0, 1.0]);
}

#[test]
fn the_controller_follows_the_delay_of_the_oldest() {
    // alpha = 0.1 · 15 ms / (100 ms)² = 0.15, beta = 0.3 / 100 ms = 3.
    let mut bench = Bench::new(&Config::default());
    bench.now = Instant::ZERO + ms(5.0);
    bench.come(1000, Ecn::Capable);
    bench.now = Instant::ZERO + ms(8.0);
    bench.come(1000, Ecn::Scalable);
    let at = |bench: &mut Bench, time: f64| {
        bench.now = Instant::ZERO + ms(time);
        bench.queue.update(bench.now);
        bench.queue.base_probability()
    };
    assert_eq!(at(&mut bench, 14.999), 0.0);
    // At 15 ms the classic packet has waited for 10 ms.
    let first = 0.15 * (0.010 - 0.015) + 3.0 * 0.010;
    near(at(&mut bench, 15.0), first);
    // At 30 and 45 ms for 25 and 40 ms; both updates are made late.
    let third = first + 0.15 * (0.010 + 0.025) + 3.0 * 0.030;
    near(at(&mut bench, 50.0), third);
    // Without the classic one that of the L queue counts: at 60 ms it has waited for 52 ms.
    bench.queue.classic.pop();
    let fourth = third + 0.15 * (0.052 - 0.015) + 3.0 * 0.012;
    near(at(&mut bench, 60.0), fourth);
    // Nothing waits: down by 0.15 · 15 ms each time, and by 3 · 52 ms at first.
    bench.queue.low_latency.pop();
    near(at(&mut bench, 75.0), (fourth - 0.15 * 0.015 - 3.0 * 0.052).max(0.0));
    assert_eq!(at(&mut bench, 1e9), 0.0);
    assert_eq!(bench.queue.controller.updated, Instant::ZERO + ms(1e9 - 1e9 % 15.0));
    assert_eq!(bench.queue.controller.delay_s, 0.0);
}

#[test]
fn however_long_nothing_leaves() {
    let mut bench = Bench::new(&Config::default());
    bench.come(1000, Ecn::NotCapable);
    bench.now = Instant::from_secs_f64(1e9);
    bench.queue.update(bench.now);
    let Controller { probability, delay_s, updated } = bench.queue.controller;
    assert_eq!((probability, updated), (1.0, Instant::from_secs_f64(999_999_999.99)));
    assert!((delay_s - 999_999_999.99).abs() < 1e-3, "{delay_s}");
    // And again, from there.
    bench.queue.update(Instant::from_secs_f64(2e9));
    assert_eq!(bench.queue.controller.updated, Instant(1_999_999_999_995_000_000));
    assert_eq!(bench.queue.base_probability(), 1.0);
}

#[test]
fn constants_come_from_the_longest_round_trip() {
    let rules = |config: Config| Rules::new(&config, &link(0));
    let default = rules(Config::default());
    assert_eq!(default.t_update, Duration::from_millis(15));
    near(default.alpha, 0.15);
    near(default.beta, 3.0);
    near(default.overload_from, 0.25);
    let satellite = rules(Config { target: ms(60.0), rtt_max: ms(600.0), k: 0.5, ..Config::default() });
    assert_eq!(satellite.t_update, ms(60.0));
    near(satellite.alpha, 0.1 * 0.060 / 0.36);
    near(satellite.beta, 0.5);
    near(satellite.overload_from, 1.0);
    let short = rules(Config { rtt_max: ms(30.0), alpha: Some(2.0), beta: Some(7.0), ..Config::default() });
    assert_eq!((short.t_update, short.alpha, short.beta), (ms(10.0), 2.0, 7.0));
    assert_eq!(rules(Config { t_update: Some(ms(16.0)), ..Config::default() }).t_update, ms(16.0));
    // However short the target, there are no more than a million updates a second.
    assert_eq!(rules(Config { target: Duration(3), ..Config::default() }).t_update, Duration::from_micros(1));
}

#[test]
fn both_queues_are_coupled() {
    for (base, k) in [(0.05, 2.0), (0.1, 2.0), (0.3, 2.0), (0.3, 1.0)] {
        let config = Config { k, ..Config::default() };
        let mut bench = Bench::held_at(base, &config);
        let (marked, dropped) = bench.parts(Ecn::Scalable);
        assert!((marked / (k * base) - 1.0).abs() < 0.01 && dropped == 0.0, "{base} {k}: {marked} {dropped}");
        let classic = bench.parts(Ecn::Capable);
        assert!((classic.0 / (base * base) - 1.0).abs() < 0.02 && classic.1 == 0.0, "{base} {k}: {classic:?}");
        let deaf = bench.parts(Ecn::NotCapable);
        assert!((deaf.1 / (base * base) - 1.0).abs() < 0.02 && deaf.0 == 0.0, "{base} {k}: {deaf:?}");
        // p_CL = k √p_C.
        assert!((marked / (k * deaf.1.sqrt()) - 1.0).abs() < 0.02, "{base} {k}");
    }
}

#[test]
fn beyond_the_greatest_mark_all_are_dropped_alike() {
    // p_C = 0.36, above 1/k² = 0.25.
    let mut bench = Bench::held_at(0.6, &Config::default());
    for ecn in [Ecn::NotCapable, Ecn::Capable, Ecn::Scalable, Ecn::Moderate] {
        let (marked, dropped) = bench.parts(ecn);
        assert!((dropped - 0.36).abs() < 0.005, "{ecn:?}: {dropped}");
        // What is left of the L queue is marked.
        let is_low_latency = ecn == Ecn::Scalable || ecn == Ecn::Moderate;
        assert!(if is_low_latency { marked > 0.6 } else { marked == 0.0 }, "{ecn:?}: {marked}");
    }
    // Just below it, marks are all there is.
    let mut bench = Bench::held_at(0.499, &Config::default());
    assert_eq!([Ecn::Capable, Ecn::Scalable].map(|ecn| bench.parts(ecn).1), [0.0, 0.0]);
}

#[test]
fn the_low_latency_queue_comes_first_and_the_other_has_a_share() {
    let mut bench = Bench::new(&Config::default());
    bench.queue.controller.updated = Instant::FAR_FUTURE;
    let mut served = [0, 0];
    for _ in 0..200 {
        bench.come(1000, Ecn::Scalable);
        bench.come(500, Ecn::NotCapable);
        bench.come(500, Ecn::Capable);
    }
    let mut first = Vec::new();
    for n in 0..160 {
        let (size, ecn, _) = bench.leave().0.expect("both have more");
        served[usize::from(ecn != Ecn::Scalable)] += u32::from(size);
        if n < 32 {
            first.push(ecn == Ecn::Scalable);
        }
    }
    // A debt of 875 bytes at first: 14 packets at 62.5 bytes each, and one more makes it more than nothing.
    assert_eq!(first.iter().position(|is_fast| !is_fast), Some(15));
    let share = f64::from(served[1]) / f64::from(served[0] + served[1]);
    assert!((share - 0.0625).abs() < 0.005, "{share}");
    // Without a rival nothing is owed, and after a rest the L queue comes first again.
    bench.queue.remove(&mut |_| true, &mut Vec::new());
    bench.leave();
    let at_first = bench.queue.owed_to_classic;
    near(at_first, -875.0);
    for ecn in [Ecn::Scalable, Ecn::NotCapable] {
        (0..50).for_each(|_| assert_eq!(bench.come(1000, ecn), Verdict::Accept));
        (0..50).for_each(|_| assert!(bench.leave().0.is_some()));
    }
    assert_eq!(bench.queue.owed_to_classic, at_first);
}

#[test]
fn a_single_packet_is_not_marked_for_its_delay() {
    for (th_len, pkts, marks) in [(1, 1, false), (1, 2, true), (2, 2, false), (2, 3, true), (0, 1, true)] {
        let mut bench = Bench::new(&Config { th_len, ..Config::default() });
        bench.queue.controller.updated = Instant::FAR_FUTURE;
        (0..pkts).for_each(|_| assert_eq!(bench.come(1000, Ecn::Scalable), Verdict::Accept));
        bench.now += ms(5.0);
        // The first of those that are certain is let go: the count has to pass 1.
        bench.queue.marks_of_low_latency = Recurrence(0.5);
        let expected = if marks { Verdict::Mark(Ecn::Moderate) } else { Verdict::Accept };
        assert_eq!(bench.leave().0, Some((1000, Ecn::Scalable, expected)), "{th_len} {pkts}");
    }
}

#[test]
fn less_than_two_of_the_largest_packets_are_left_alone() {
    let mut bench = Bench::held_at(1.0, &Config::default());
    for ecn in [Ecn::NotCapable, Ecn::Capable, Ecn::Scalable] {
        for _ in 0..3 {
            bench.come(1000, ecn);
            bench.come(999, ecn);
            let (out, drops) = bench.leave();
            assert_eq!((out, drops), (Some((1000, ecn, Verdict::Accept)), 0));
            assert_eq!(bench.leave(), (Some((999, ecn, Verdict::Accept)), 0));
        }
    }
    // Of two packets the first is decided upon: after a count of 1, each.
    bench.queue.of_classic = Recurrence(0.5);
    bench.come(1000, Ecn::NotCapable);
    bench.come(1000, Ecn::NotCapable);
    assert_eq!(bench.leave(), (Some((1000, Ecn::NotCapable, Verdict::Accept)), 1));
}

#[test]
fn how_many_are_left_alone_follows_from_the_mtu() {
    // Of packets of 200 bytes: where they are the largest, of two the first is decided upon; with an MTU of 1500 bytes
    // it takes fifteen, and with one of 1000 that came once ten.
    let first_dropped = |mtu: Option<u64>, large: bool| {
        (1..20).find(|&pkts| {
            let mut bench = Bench::held_at(1.0, &Config { mtu: mtu.map(Bytes), ..Config::default() });
            if large {
                bench.come(1000, Ecn::NotCapable);
                assert_eq!(bench.leave(), (Some((1000, Ecn::NotCapable, Verdict::Accept)), 0));
            }
            bench.queue.of_classic = Recurrence(0.5);
            (0..pkts).for_each(|_| assert_eq!(bench.come(200, Ecn::NotCapable), Verdict::Accept));
            bench.leave().1 > 0
        })
    };
    assert_eq!(first_dropped(None, false), Some(2));
    assert_eq!(first_dropped(Some(1500), false), Some(15));
    assert_eq!(first_dropped(None, true), Some(10));
    assert_eq!(first_dropped(Some(100), true), Some(1));
}

#[test]
fn both_share_the_room() {
    for limit in [QueueSize::Packets(3.0), QueueSize::Bytes(3000)] {
        let mut bench = Bench::new(&Config { limit, ..Config::default() });
        let verdicts = [Ecn::Scalable, Ecn::NotCapable, Ecn::Capable, Ecn::Scalable].map(|ecn| bench.come(1000, ecn));
        assert_eq!(verdicts[..3], [Verdict::Accept; 3]);
        assert_eq!(verdicts[3], Verdict::Drop(DropReason::Overflow));
    }
}

#[test]
fn a_recurrence_is_even() {
    let mut recurrence = Recurrence::default();
    let said: Vec<bool> = (0..12).map(|_| recurrence.recurs(0.25)).collect();
    // More than 1 is needed the first time, then each fourth: exact in binary.
    assert_eq!(said.iter().enumerate().filter(|(_, said)| **said).map(|(n, _)| n).collect::<Vec<_>>(), [4, 8]);
    // A probability above 1 leaves nothing behind.
    let mut recurrence = Recurrence(0.5);
    assert!((0..100).all(|_| recurrence.recurs(2.0)));
    assert_eq!(recurrence.0, 0.5);
}

#[test]
fn where_all_would_be_marked_drops_begin() {
    // k p' = 1, and p_C = 0.25 = 1/k².
    let mut bench = Bench::held_at(0.5, &Config::default());
    for ecn in [Ecn::Scalable, Ecn::Capable] {
        let (marked, dropped) = bench.parts(ecn);
        assert!((dropped - 0.25).abs() < 1e-3, "{ecn:?}: {dropped}");
        let rest = if ecn == Ecn::Scalable { 1.0 - dropped } else { 0.0 };
        near(marked, rest);
    }
}

#[test]
fn bytes_are_owed_for_those_that_had_a_rival() {
    let mut bench = Bench::new(&Config { classic_share: 0.25, ..Config::default() });
    bench.queue.controller.updated = Instant::FAR_FUTURE;
    // (2 · 0.25 - 1) · 1000 at first.
    near(bench.queue.owed_to_classic, -500.0);
    (0..2).for_each(|_| assert_eq!(bench.come(1600, Ecn::Scalable), Verdict::Accept));
    (0..2).for_each(|_| assert_eq!(bench.come(800, Ecn::NotCapable), Verdict::Accept));
    let mut leave = || {
        let (size, ..) = bench.leave().0.expect("there are four");
        (size, bench.queue.owed_to_classic)
    };
    // A quarter of 1600 is owed each time, also where that is 0 or less yet; three quarters of 800 are given back.
    assert_eq!([leave(), leave()], [(1600, -100.0), (1600, 300.0)]);
    // The two that are left have no rival.
    assert_eq!([leave(), leave()], [(800, 300.0), (800, 300.0)]);
    assert_eq!(bench.leave(), (None, 0));
    near(bench.queue.owed_to_classic, -500.0);
    // It is the turn of the classic queue when more than nothing is owed.
    for (owed, first, after) in [(0.0, Ecn::Scalable, 400.0), (1.0, Ecn::NotCapable, 1.0 - 600.0)] {
        bench.come(1600, Ecn::Scalable);
        bench.come(800, Ecn::NotCapable);
        bench.queue.owed_to_classic = owed;
        assert_eq!(bench.leave().0.map(|(_, ecn, _)| ecn), Some(first));
        near(bench.queue.owed_to_classic, after);
        bench.leave();
        bench.leave();
    }
}

#[test]
fn departures_move_the_probability_alone_and_so_do_arrivals() {
    let departs = |bench: &mut Bench| assert!(bench.leave().0.is_some());
    let arrives = |bench: &mut Bench| assert_eq!(bench.come(1000, Ecn::NotCapable), Verdict::Accept);
    for event in [departs, arrives] {
        let mut bench = Bench::new(&Config::default());
        (0..2).for_each(|_| arrives(&mut bench));
        // At 15 ms the oldest has waited for 15 ms, the target: 3 · 15 ms.
        bench.now += ms(15.0);
        event(&mut bench);
        near(bench.queue.base_probability(), 0.045);
    }
}

#[test]
fn late_updates_are_those_of_their_moments() {
    let (rules, mut random) = (Rules::new(&Config::default(), &link(0)), Random::stream(1, "test/dualpi2"));
    for n in 0..300 {
        let mut some = |most: f64| if random.chance(0.3) { 0.0 } else { random.uniform_in(0.0, most) };
        let (probability, delay_s) = (some(1.4).min(1.0), some(1.0));
        // Nothing waits, or it has waited for long, or since a short while ago.
        let since = [None, Some(some(1000.0)), Some(8980.0 + some(20.0))][n % 3].map(|at| Instant::ZERO + ms(at));
        let begin = Controller { probability, delay_s, updated: Instant::ZERO + ms(900.0) };
        let (mut late, mut each) = (begin.clone(), begin.clone());
        late.update(&rules, Instant::ZERO + ms(9000.0), since);
        (61..=600).for_each(|step| each.update(&rules, Instant::ZERO + ms(15.0 * f64::from(step)), since));
        assert_eq!(late.updated, each.updated);
        let near = |ours: f64, expected: f64| assert!((ours - expected).abs() < 1e-9, "{begin:?}: {late:?}, {each:?}");
        near(late.probability, each.probability);
        near(late.delay_s, each.delay_s);
    }
}
