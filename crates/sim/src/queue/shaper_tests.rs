use super::*;
use crate::ids::LinkId;
use crate::part::Aim;
use crate::queue::battery::{link, packet};
use crate::queue::{codel, drop_tail};
use crate::store::Store;
use faircast_proto::packet::Ecn;
use faircast_proto::time::Duration;

struct Bench {
    queue: Shaper,
    store: Store,
    now: Instant,
}

impl Bench {
    fn new(config: &Config) -> Bench {
        assert_eq!(config.check(), []);
        Bench { queue: Shaper::new(config, link(0)), store: Store::default(), now: Instant::ZERO }
    }

    fn view(&self) -> InterfaceView {
        InterfaceView {
            now: self.now,
            waiting_pkts: self.queue.len() as u32,
            waiting_bytes: 0,
            transmitting: false,
            idle_since: Instant::ZERO,
            rate: Rate(1),
        }
    }

    fn come(&mut self, size: u16) -> Verdict {
        let (packet, view) = (packet(size, Ecn::Capable), self.view());
        let verdict = self.queue.arrive(&packet, &view);
        if verdict == Verdict::Accept {
            let (label, ecn) = (self.store.insert(&packet), Ecn::Capable);
            let held = Held { label, since: self.now, aim: Aim::Wanting, link: LinkId(0), ecn, doomed: false };
            self.queue.enqueue(held, &packet, &view, &mut Drops::default());
        }
        verdict
    }

    /// The size of the next, if one may leave now.
    fn leave(&mut self) -> Option<u16> {
        let view = self.view();
        self.queue.dequeue(&view, &mut Drops::default()).map(|(held, _)| held.size())
    }

    /// Lets all out over a transmitter that is never busy: when each has left, ms, and its size.
    fn drain(&mut self) -> Vec<(f64, u16)> {
        let mut gone = Vec::new();
        loop {
            let view = self.view();
            match self.queue.dequeue(&view, &mut Drops::default()) {
                Some((held, _)) => gone.push((self.now.as_secs_f64() * 1e3, held.size())),
                None => match self.queue.deadline() {
                    Some(at) => {
                        assert!(at > self.now);
                        self.now = at;
                    }
                    None => return gone,
                },
            }
        }
    }
}

#[test]
fn a_burst_goes_at_once_and_the_rest_at_the_rate() {
    let config = Config { rate: Some(Rate(1_000_000)), burst: Bytes(2500), ..Config::default() };
    let mut bench = Bench::new(&config);
    (0..5).for_each(|_| assert_eq!(bench.come(1000), Verdict::Accept));
    // 2500 bytes: two at once, the third when 500 bytes more are there, then one each 8 ms.
    assert_eq!(bench.drain(), [(0.0, 1000), (0.0, 1000), (4.0, 1000), (12.0, 1000), (20.0, 1000)]);
    assert!(bench.queue.is_empty() && bench.queue.deadline().is_none());
    // After a long rest the burst is as large as at first.
    bench.now += Duration::from_secs(10);
    (0..3).for_each(|_| assert_eq!(bench.come(1000), Verdict::Accept));
    assert_eq!(bench.drain().iter().map(|(at, _)| at - 10_020.0).collect::<Vec<_>>(), [0.0, 0.0, 4.0]);
}

#[test]
fn larger_packets_than_the_burst_wait_for_all_of_it() {
    let mut bench = Bench::new(&Config { rate: Some(Rate(8_000)), burst: Bytes(100), ..Config::default() });
    (0..3).for_each(|_| assert_eq!(bench.come(1000), Verdict::Accept));
    assert_eq!(bench.drain(), [(0.0, 1000), (1000.0, 1000), (2000.0, 1000)]);
}

#[test]
fn the_one_that_waits_for_tokens_counts_and_can_be_taken_away() {
    let mut bench = Bench::new(&Config { rate: Some(Rate(8_000)), burst: Bytes(1000), ..Config::default() });
    (0..3).for_each(|n| assert_eq!(bench.come(1000 + n), Verdict::Accept));
    let view = bench.view();
    assert!(bench.queue.dequeue(&view, &mut Drops::default()).is_some());
    assert!(bench.queue.dequeue(&view, &mut Drops::default()).is_none());
    assert_eq!((bench.queue.len(), bench.queue.next.is_some()), (2, true));
    let (mut seen, mut out) = (Vec::new(), Vec::new());
    bench.queue.remove(
        &mut |held| {
            seen.push(held.size());
            held.size() == 1001
        },
        &mut out,
    );
    assert_eq!((seen, out.len(), bench.queue.len()), (vec![1001, 1002], 1, 1));
    assert_eq!(bench.drain(), [(1000.0, 1002)]);
}

#[test]
fn without_a_rate_it_is_that_of_the_link() {
    let mut bench = Bench::new(&Config { burst: Bytes(1000), ..Config::default() });
    (0..3).for_each(|_| assert_eq!(bench.come(1000), Verdict::Accept));
    // 1.5 Mbit/s.
    let gaps: Vec<f64> = bench.drain().windows(2).map(|two| two[1].0 - two[0].0).collect();
    assert!(gaps.iter().all(|gap| (gap - 8.0 / 1.5).abs() < 1e-5), "{gaps:?}");
}

#[test]
fn the_queue_within_decides_by_how_long_packets_wait_for_tokens() {
    let codel =
        codel::Config { target: Duration::from_millis(1), interval: Duration::from_millis(10), ..Default::default() };
    let queue = Box::new(QueueConfig::CoDel(codel));
    let mut bench = Bench::new(&Config { rate: Some(Rate(80_000)), burst: Bytes(1000), queue });
    (0..40).for_each(|_| assert_eq!(bench.come(1000), Verdict::Accept));
    let left = bench.drain().len();
    assert!((2..35).contains(&left), "of 40 packets that wait for 0.1 s each CoDel lets {left} go");
}

#[test]
fn what_is_wrong_is_named() {
    let wrong = |config: Config| config.check().into_iter().map(|(at, _)| at).collect::<Vec<_>>();
    assert_eq!(wrong(Config { rate: Some(Rate(0)), burst: Bytes(0), ..Config::default() }), ["rate", "burst"]);
    let zero = codel::Config { target: Duration::ZERO, ..Default::default() };
    assert_eq!(wrong(Config { queue: Box::new(QueueConfig::CoDel(zero)), ..Config::default() }), ["queue.target"]);
}

#[test]
fn what_waits_for_its_tokens_takes_room() {
    use Verdict::{Accept, Drop};
    for limit in [QueueSize::Packets(2.0), QueueSize::Bytes(2000)] {
        let full = [Accept, Drop(crate::queue::DropReason::Overflow)];
        let queue = Box::new(QueueConfig::DropTail(drop_tail::Config { limit, count_transmission: false }));
        let mut bench = Bench::new(&Config { rate: Some(Rate(8000)), burst: Bytes(1000), queue });
        assert_eq!((bench.come(1000), bench.leave()), (Accept, Some(1000)));
        // The second has left the queue, and waits for a second: one more may wait behind it.
        assert_eq!((bench.come(1000), bench.leave()), (Accept, None));
        assert_eq!([1000, 1000].map(|size| bench.come(size)), full, "{limit:?}");
        // As soon as it has gone its room is free.
        bench.now = Instant::from_secs_f64(1.0);
        assert_eq!(bench.leave(), Some(1000));
        assert_eq!([1000, 1000].map(|size| bench.come(size)), full, "{limit:?}");
        // That of one which is taken away as it waits is, too.
        assert_eq!((bench.leave(), bench.queue.len()), (None, 2));
        let (mut out, mut first) = (Vec::new(), true);
        bench.queue.remove(&mut |_| std::mem::take(&mut first), &mut out);
        assert_eq!((out.len(), bench.queue.len()), (1, 1));
        assert_eq!([1000, 1000].map(|size| bench.come(size)), full, "{limit:?}");
    }
}
