//! Both ends of connections that carry objects, 10 ms apart, with losses and duplicates by hand.

use super::*;
use crate::endpoint::Action;
use crate::packet::{self, Address, FlowId, Packet};
use crate::random::Random;
use crate::tcp::header::Header;
use std::collections::VecDeque;

const OWN: Address = Address::endpoint(0);
const PEER: Address = Address::endpoint(1);
const WAY: Duration = Duration::from_millis(10);

/// Two ends and what is on its way between them.
struct Bench {
    config: Config,
    own: ObjectsSender,
    peer: ObjectsReceiver,
    now: Instant,
    way: VecDeque<(Instant, Packet)>,
    /// When which segment was sent, ms.
    sent: Vec<(u64, u32)>,
    /// When how much was acknowledged, ms.
    acknowledged: Vec<(u64, u32)>,
}

impl Bench {
    fn new(config: Config) -> Bench {
        let config = without_end(&config);
        let (own, peer) = (ObjectsSender::idle(sender(&config)), ObjectsReceiver::idle(receiver(&config)));
        let (now, way, sent, acknowledged) = (Instant::ZERO, VecDeque::new(), Vec::new(), Vec::new());
        Bench { config, own, peer, now, way, sent, acknowledged }
    }

    fn begin(&mut self, before: u32, objects: &[u32]) {
        self.own.begin(sender(&self.config), before, objects);
        self.peer.begin(receiver(&self.config), before, objects);
    }

    /// Numbers the first segment `first`.
    fn numbered_from(mut self, first: u64) -> Bench {
        self.own.sender = self.own.sender.numbered_from(first);
        self.own.end += first;
        self.peer.receiver = self.peer.receiver.numbered_from(first);
        self.peer.ends.iter_mut().for_each(|end| *end += first);
        self
    }

    /// What goes out unless it is lost, as often as `copies` says of the number and of whether it is an ACK.
    fn send(&mut self, out: &mut Outbox, copies: &mut impl FnMut(u32, bool) -> usize) {
        for action in out.drain() {
            let Action::Send(packet) = action else { continue };
            let ms = self.now.0 / 1_000_000;
            let (number, is_ack) = match packet.header {
                packet::Header::Tcp(Header::Data { sequence, .. }) => (sequence, false),
                packet::Header::Tcp(Header::Ack { next_expected, .. }) => (next_expected, true),
                other => panic!("{other:?}"),
            };
            (if is_ack { &mut self.acknowledged } else { &mut self.sent }).push((ms, number));
            (0..copies(number, is_ack)).for_each(|_| self.way.push_back((self.now + WAY, packet)));
        }
    }

    /// Goes on until nothing is on its way and nobody waits, for a minute at most.
    fn run(&mut self, mut copies: impl FnMut(u32, bool) -> usize) {
        let mut out = Outbox::new();
        let end = self.now + Duration::from_secs(60);
        self.peer.handle(self.now, Input::Start, &mut out);
        self.own.handle(self.now, Input::Start, &mut out);
        self.send(&mut out, &mut copies);
        loop {
            let comes = self.way.front().map(|(at, _)| *at);
            let next = [comes, self.own.deadline(), self.peer.deadline()].into_iter().flatten().min();
            let Some(next) = next.filter(|&next| next <= end) else { return };
            self.now = self.now.max(next);
            if comes == Some(next) {
                let (_, packet) = self.way.pop_front().expect("it comes");
                let input = Input::packet(&packet, None, self.now);
                match packet.destination == OWN {
                    true => self.own.handle(self.now, input, &mut out),
                    false => self.peer.handle(self.now, input, &mut out),
                }
            } else {
                self.own.handle(self.now, Input::Timeout, &mut out);
                self.peer.handle(self.now, Input::Timeout, &mut out);
            }
            self.send(&mut out, &mut copies);
        }
    }

    fn completed_ms(&self) -> Vec<u64> {
        self.own.completed().iter().map(|after| after.0 / 1_000_000).collect()
    }
}

fn sender(config: &Config) -> Sender {
    Sender::new(config, FlowId(0), OWN, PEER, Random::stream(1, "test"))
}

fn receiver(config: &Config) -> Receiver {
    Receiver::new(config, FlowId(0), PEER, OWN)
}

fn delayed() -> Config {
    Config { delayed_ack: true, ..Config::default() }
}

#[test]
fn an_object_goes_when_the_one_before_it_is_there_and_its_last_ack_does_not_wait() {
    let mut bench = Bench::new(delayed());
    bench.begin(0, &[1, 3, 2]);
    bench.run(|_, _| 1);
    // The window is two segments at first, three after the first one. Of three the first two are acknowledged together,
    // and the third at once.
    assert_eq!(bench.sent, [(0, 0), (20, 1), (20, 2), (20, 3), (40, 4), (40, 5)]);
    assert_eq!(bench.acknowledged, [(10, 1), (30, 3), (30, 4), (50, 6)]);
    assert_eq!(bench.completed_ms(), [20, 40, 60]);
}

#[test]
fn round_trips_above_tcp_are_no_objects() {
    let mut bench = Bench::new(delayed());
    bench.begin(2, &[2, 1]);
    bench.run(|_, _| 1);
    assert_eq!(bench.sent, [(0, 0), (20, 1), (40, 2), (40, 3), (60, 4)]);
    assert_eq!(bench.completed_ms(), [60, 80], "the first has waited for what is before it");
}

#[test]
fn a_last_acknowledgement_that_is_lost_comes_again_at_once() {
    let mut bench = Bench::new(delayed());
    bench.begin(0, &[3, 1]);
    let mut is_first = true;
    bench.run(|number, is_ack| usize::from(!(is_ack && number == 3 && std::mem::take(&mut is_first))));
    let again = bench.sent.iter().filter(|(_, number)| *number == 2).map(|(ms, _)| *ms).collect::<Vec<_>>();
    // At 20 ms for the first time; then when the time-out has passed.
    assert_eq!((again.len(), again[0]), (2, 20));
    let acknowledged = bench.acknowledged.iter().filter(|(_, number)| *number == 3).map(|(ms, _)| *ms);
    assert_eq!(acknowledged.collect::<Vec<_>>(), [30, again[1] + 10], "no delay, though the object is known");
    assert_eq!(bench.completed_ms(), [again[1] + 20, again[1] + 40]);
    // It was counted once: what follows is acknowledged as a whole, once.
    assert_eq!(bench.acknowledged.last(), Some(&(again[1] + 30, 4)));
    assert_eq!(bench.own.report().sent_pkts, 5);
}

#[test]
fn duplicates_grant_nothing_twice() {
    // Without blocks three ACKs of one kind would be a loss.
    let mut bench = Bench::new(Config { variant: crate::tcp::Variant::Sack, ..Config::default() });
    bench.begin(1, &[2, 2, 1]);
    // Every packet comes twice, in both directions.
    bench.run(|_, _| 2);
    assert_eq!(bench.sent.iter().map(|(_, number)| *number).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    assert_eq!(bench.completed_ms(), [40, 60, 80]);
    assert_eq!(bench.peer.report().received_pkts, 12);
    assert_eq!(bench.peer.report().distinct_bytes, 6 * bench.config.segment_bytes());
}

#[test]
fn numbers_may_wrap_within_an_object_and_between_two() {
    for before in 0..8 {
        let mut bench = Bench::new(delayed());
        bench.begin(1, &[3, 4]);
        let mut bench = bench.numbered_from((1 << 32) - before);
        bench.run(|_, _| 1);
        assert_eq!(bench.completed_ms(), [40, 60], "{before} before it");
        assert_eq!(bench.sent.len(), 8);
    }
}

#[test]
fn who_begins_anew_knows_nothing_of_those_before() {
    let mut bench = Bench::new(delayed());
    bench.begin(1, &[5, 2]);
    bench.run(|_, _| 1);
    assert_eq!(bench.own.completed().len(), 2);
    let (since, sent) = (bench.now, bench.sent.len());
    bench.begin(0, &[3]);
    assert_eq!((bench.own.completed().len(), bench.own.sender.acknowledged()), (0, 0));
    bench.run(|_, _| 1);
    assert_eq!(bench.completed_ms(), [40]);
    assert_eq!(bench.sent[sent..].iter().map(|(_, number)| *number).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(bench.now, since + Duration::from_millis(40));
}
