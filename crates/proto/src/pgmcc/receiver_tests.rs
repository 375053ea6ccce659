//! A receiver alone: what it acknowledges, when it sends NAKs and when it does not.

use super::*;
use crate::endpoint::{Action, Endpoint, Input, Outbox};
use crate::packet::{self, Address, Ecn, FlowId, INITIAL_TTL, Packet};
use crate::random::Random;
use crate::time::{Duration, Instant};
use crate::wire::message::Message;

const SOURCE: Address = Address::endpoint(0);
const OWN: Address = Address::endpoint(1);
const OTHER: Address = Address::endpoint(2);
const GROUP: Address = Address::group(0);
/// By how much the source's clock is ahead.
const AHEAD_S: f64 = 77.0;

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

struct Bench {
    receiver: Receiver,
    out: Outbox,
    sent: Vec<(f64, Header)>,
}

impl Bench {
    fn new(config: &Config) -> Bench {
        let receiver = Receiver::new(config, FlowId(0), OWN, GROUP, Random::stream(5, "test/pgmcc-receiver"));
        let mut bench = Bench { receiver, out: Outbox::new(), sent: Vec::new() };
        bench.input(0.0, Input::Start);
        bench
    }

    fn input(&mut self, now: f64, input: Input<'_>) {
        self.receiver.handle(at(now), input, &mut self.out);
        for action in self.out.drain() {
            match action {
                Action::Send(Packet { destination: SOURCE, size, header: packet::Header::Pgmcc(header), .. }) => {
                    assert_eq!(size, header.layout().bytes());
                    self.sent.push((now, header));
                }
                Action::Join(GROUP) | Action::Leave(GROUP) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    fn packet(&mut self, now: f64, ecn: Ecn, header: Header) {
        let packet = Packet {
            sent: at(AHEAD_S + now - 0.05),
            flow: FlowId(0),
            source: SOURCE,
            destination: GROUP,
            size: 1000,
            ttl: INITIAL_TTL,
            ecn,
            header: header.into(),
        };
        self.input(now, Input::packet(&packet, None, at(now)));
    }

    fn data(&mut self, now: f64, sequence: u32, acker: Option<Address>) {
        self.packet(now, Ecn::Capable, Header::Data(Data { sequence, acker }));
    }

    fn wait(&mut self, until: f64) {
        while let Some(deadline) = self.receiver.deadline().filter(|&deadline| deadline <= at(until)) {
            self.input(deadline.as_secs_f64(), Input::Timeout);
        }
    }

    fn acks(&self) -> Vec<Ack> {
        self.sent
            .iter()
            .filter_map(|(_, header)| if let Header::Ack(ack) = header { Some(*ack) } else { None })
            .collect()
    }

    fn naks(&self) -> Vec<(f64, Nak)> {
        let nak = |&(at, header): &(f64, Header)| if let Header::Nak(nak) = header { Some((at, nak)) } else { None };
        self.sent.iter().filter_map(nak).collect()
    }

    fn gauge(&self, name: &str) -> f64 {
        let mut values = [0.0; RECEIVER_GAUGES.len()];
        self.receiver.measure(&mut values);
        values[RECEIVER_GAUGES.iter().position(|gauge| gauge.name == name).expect("it is there")]
    }
}

#[test]
fn who_is_named_acknowledges_at_once() {
    let mut bench = Bench::new(&Config::default());
    assert!(bench.gauge("loss_rate").is_nan());
    bench.data(1.0, u32::MAX, Some(OWN));
    bench.data(1.1, 0, Some(OTHER));
    bench.data(1.2, 2, Some(OWN));
    // A late one names it, too, and comes twice.
    bench.data(1.21, 1, Some(OWN));
    bench.data(1.22, 1, Some(OWN));
    let c = 500.0 / 65536.0;
    let acks = bench.acks();
    assert_eq!(acks.len(), 3);
    let expected = [(u32::MAX, u32::MAX, 0.0, 1.0), (2, !0b10, c * (1.0 - c), 1.2), (2, u32::MAX, 0.0, 1.21)];
    for (ack, (highest, bitmap, loss_rate, now)) in acks.iter().zip(expected) {
        assert_eq!((ack.highest, ack.bitmap, ack.leave), (highest, bitmap, false));
        assert!((f64::from(ack.loss_rate) - loss_rate).abs() < 1e-9, "{ack:?}");
        assert_eq!(ack.echoed_stamp_us, ((AHEAD_S + now - 0.05) * 1e6_f64).round() as u32);
    }
    let report = bench.receiver.report();
    assert_eq!((report.received_pkts, report.sent_pkts, report.sent_bytes), (5, 3, 3 * 59));
    assert_eq!(bench.receiver.report().distinct_bytes, 4000);
    bench.wait(2.0);
    assert!(bench.naks().is_empty(), "what was missing came before the back-off was over");
}

#[test]
fn who_has_left_shows_the_loss_rate_that_it_had() {
    let mut bench = Bench::new(&Config::default());
    bench.data(1.0, 0, Some(OTHER));
    bench.data(1.1, 2, Some(OTHER));
    let shown = bench.gauge("loss_rate");
    assert!(shown > 0.0);
    bench.input(1.2, Input::Stop);
    assert_eq!(bench.gauge("loss_rate"), shown);
}

#[test]
fn naks_wait_for_a_random_part_of_the_back_off() {
    let mut bench = Bench::new(&Config::default());
    for n in 0..200 {
        let now = 1.0 + f64::from(n);
        bench.wait(now);
        bench.data(now, 2 * n as u32, Some(OTHER));
    }
    bench.wait(300.0);
    let naks = bench.naks();
    assert_eq!((naks.len(), bench.gauge("naks"), bench.gauge("naks_suppressed")), (199, 199.0, 0.0));
    let waits: Vec<f64> = naks.iter().map(|(at, _)| at.fract()).collect();
    assert!(waits.iter().all(|&wait| wait <= 0.05));
    let mean = waits.iter().sum::<f64>() / 199.0;
    assert!((mean - 0.025).abs() < 0.003, "{mean}");
    for (n, (at, nak)) in naks.iter().enumerate() {
        assert_eq!((nak.missing, nak.highest), (Some(2 * n as u32 + 1), 2 * n as u32 + 2));
        // The time that it waited is in its echo: 50 ms on the way from the source, whenever it leaves.
        let echoed_s = f64::from(nak.echoed_stamp_us) * 1e-6;
        assert!((echoed_s - (AHEAD_S + at - 0.05) % 4_294.967_296).abs() < 2e-6, "{echoed_s} at {at}");
    }
    // Half of 399 packets are lost, seen through the filter: 0.5 (1 - (1 - c)^399) = 0.476.
    assert!((f64::from(naks[198].1.loss_rate) - 0.476).abs() < 0.005);
}

#[test]
fn a_confirmation_spares_a_nak_and_a_late_packet_too() {
    let mut bench = Bench::new(&Config::default());
    bench.data(1.0, 10, Some(OTHER));
    bench.data(1.1, 14, Some(OTHER));
    bench.packet(1.1, Ecn::NotCapable, Header::Ncf { missing: 12 });
    bench.packet(1.1, Ecn::NotCapable, Header::Ncf { missing: 14 });
    bench.data(1.1, 13, Some(OTHER));
    bench.wait(2.0);
    let missing: Vec<Option<u32>> = bench.naks().iter().map(|(_, nak)| nak.missing).collect();
    assert_eq!(missing, [Some(11)]);
    assert_eq!(bench.gauge("naks_suppressed"), 1.0);
    // Each once.
    bench.data(3.0, 15, Some(OTHER));
    bench.wait(4.0);
    assert_eq!(bench.naks().len(), 1);
}

#[test]
fn of_a_long_gap_the_last_are_reported() {
    let mut bench = Bench::new(&Config::default());
    bench.data(1.0, 0, Some(OTHER));
    bench.data(1.1, 2, Some(OTHER));
    bench.data(1.1, 1003, Some(OTHER));
    bench.wait(2.0);
    let mut missing: Vec<u32> = bench.naks().iter().filter_map(|(_, nak)| nak.missing).collect();
    missing.sort_unstable();
    assert_eq!(missing, (971..1003).collect::<Vec<u32>>());
    assert!((bench.receiver.loss_rate() - 1.0).abs() < 0.01);
}

#[test]
fn dummies_elect_and_are_spared_when_somebody_is_named() {
    let mut bench = Bench::new(&Config::default());
    bench.data(1.0, 0, None);
    assert!(bench.receiver.deadline().is_some_and(|deadline| deadline <= at(1.05)));
    bench.data(1.0, 1, Some(OTHER));
    assert_eq!((bench.receiver.deadline(), bench.gauge("naks_suppressed")), (None, 1.0));
    bench.data(5.0, 2, None);
    bench.data(5.0, 3, None);
    bench.wait(6.0);
    let naks = bench.naks();
    assert_eq!(naks.len(), 1);
    assert_eq!((naks[0].1.missing, naks[0].1.highest), (None, 3));
    // The source asks again.
    bench.data(8.0, 4, None);
    bench.wait(9.0);
    assert_eq!(bench.naks().len(), 2);
}

#[test]
fn marks_count_as_losses() {
    let mut bench = Bench::new(&Config::default());
    bench.data(1.0, 0, Some(OWN));
    bench.packet(1.1, Ecn::Moderate, Header::Data(Data { sequence: 1, acker: Some(OWN) }));
    bench.data(1.2, 2, Some(OWN));
    let acks = bench.acks();
    assert_eq!(acks.iter().map(|ack| ack.bitmap).collect::<Vec<u32>>(), [!0, !1, !2]);
    assert!((f64::from(acks[1].loss_rate) - 500.0 / 65536.0).abs() < 1e-9);
    bench.wait(2.0);
    assert_eq!(bench.naks().iter().map(|(_, nak)| nak.missing).collect::<Vec<_>>(), [Some(1)]);
    assert_eq!(bench.receiver.report().distinct_bytes, 3000);
}

#[test]
fn an_acker_says_that_it_leaves_and_others_do_not() {
    for (acker, says) in [(OWN, true), (OTHER, false)] {
        let mut bench = Bench::new(&Config::default());
        bench.data(1.0, 0, Some(OWN));
        bench.data(1.1, 2, Some(acker));
        let before = bench.acks().len();
        bench.input(1.2, Input::Stop);
        let last = bench.acks().last().copied().expect("one");
        assert_eq!((bench.acks().len() - before, last.leave), (usize::from(says), says));
        assert_eq!(bench.receiver.deadline(), None);
        // Nothing more, whatever comes.
        let sent = bench.sent.len();
        bench.data(1.3, 3, Some(OWN));
        bench.data(1.4, 9, None);
        bench.input(1.5, Input::Stop);
        bench.wait(3.0);
        assert_eq!(bench.sent.len(), sent);
    }
}

#[test]
fn without_a_back_off_naks_leave_at_once() {
    let mut bench = Bench::new(&Config { nak_backoff: Duration::ZERO, ..Config::default() });
    bench.data(1.0, 0, None);
    bench.data(1.1, 2, Some(OTHER));
    let missing: Vec<Option<u32>> = bench.naks().iter().map(|(_, nak)| nak.missing).collect();
    assert_eq!(missing, [None, Some(1)]);
}
