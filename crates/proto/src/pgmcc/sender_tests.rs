//! The source alone: elections, reports true and false, time-outs.

use super::*;
use crate::endpoint::{Action, Cause, Endpoint, Event, EventSubject, Input, Outbox};
use crate::packet::{self, Address, Ecn, FlowId, INITIAL_TTL, Packet};
use crate::quantity::Packets;
use crate::time::{Duration, Instant, Rate};

const SOURCE: Address = Address::endpoint(0);
const GROUP: Address = Address::group(0);
pub(super) const A: Address = Address::endpoint(1);
pub(super) const B: Address = Address::endpoint(2);
const C: Address = Address::endpoint(3);
const ALL: u32 = u32::MAX;

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

/// A source and what it has done.
pub(super) struct Bench {
    pub(super) source: Sender,
    out: Outbox,
    data: Vec<(Instant, Data)>,
    ncfs: Vec<u32>,
    pub(super) events: Vec<Event>,
}

impl Bench {
    fn new(config: &Config) -> Bench {
        assert_eq!(config.check(), []);
        let source = Sender::new(config, FlowId(0), SOURCE, GROUP);
        Bench { source, out: Outbox::new(), data: Vec::new(), ncfs: Vec::new(), events: Vec::new() }
    }

    /// Started at 1 s, with the acker `A`, whose round-trip time is 100 ms, at 1.1 s.
    pub(super) fn started(config: &Config) -> Bench {
        let mut bench = Bench::new(config);
        bench.input(1.0, Input::Start);
        bench.nak(1.1, A, 0.1, 0.01, 0, None);
        assert_eq!(bench.source.acker(), Some(A));
        bench
    }

    pub(super) fn input(&mut self, now: f64, input: Input<'_>) {
        self.source.handle(at(now), input, &mut self.out);
        for action in self.out.drain() {
            match action {
                Action::Send(Packet { sent, header: packet::Header::Pgmcc(header), destination: GROUP, .. }) => {
                    match header {
                        Header::Data(data) => self.data.push((sent, data)),
                        Header::Ncf { missing } => self.ncfs.push(missing),
                        _ => panic!("{header:?}"),
                    }
                }
                Action::Event(event) => self.events.push(event),
                other => panic!("{other:?}"),
            }
        }
        assert!(self.source.deadline().is_none_or(|deadline| deadline >= at(now)));
    }

    fn packet(&mut self, now: f64, from: Address, header: Header) {
        let packet = Packet {
            sent: at(now),
            flow: FlowId(0),
            source: from,
            destination: SOURCE,
            size: 59,
            ttl: INITIAL_TTL,
            ecn: Ecn::NotCapable,
            header: header.into(),
        };
        self.input(now, Input::packet(&packet, None, at(now)));
    }

    pub(super) fn nak(
        &mut self,
        now: f64,
        from: Address,
        rtt_s: f64,
        loss_rate: f32,
        highest: u32,
        missing: Option<u32>,
    ) {
        let echoed_stamp_us = ((now - rtt_s) * 1e6 + 0.5) as i64 as u32;
        self.packet(now, from, Header::Nak(Nak { echoed_stamp_us, loss_rate, highest, missing }));
    }

    pub(super) fn ack(&mut self, now: f64, from: Address, rtt_s: f64, loss_rate: f32, highest: u32) {
        let echoed_stamp_us = ((now - rtt_s) * 1e6 + 0.5) as i64 as u32;
        let ack = Ack { echoed_stamp_us, loss_rate, highest, bitmap: ALL, leave: false };
        self.packet(now, from, Header::Ack(ack));
    }

    /// Lets time-outs come until `until`. When they did.
    fn wait(&mut self, until: f64) -> Vec<f64> {
        let mut times = Vec::new();
        while let Some(deadline) = self.source.deadline().filter(|&deadline| deadline <= at(until)) {
            times.push(deadline.as_secs_f64());
            self.input(deadline.as_secs_f64(), Input::Timeout);
        }
        times
    }

    fn named(&self) -> Vec<Option<Address>> {
        self.data.iter().map(|(_, data)| data.acker).collect()
    }

    fn gauge(&self, name: &str) -> f64 {
        let mut values = [0.0; SENDER_GAUGES.len()];
        self.source.measure(&mut values);
        values[SENDER_GAUGES.iter().position(|gauge| gauge.name == name).expect("it is there")]
    }
}

#[test]
fn without_receivers_a_packet_is_sent_now_and_then() {
    let mut bench = Bench::new(&Config::default());
    bench.input(1.0, Input::Start);
    assert_eq!(bench.wait(60.0), [4.0, 10.0, 18.0, 26.0, 34.0, 42.0, 50.0, 58.0], "3, 6 and then 8 s");
    assert_eq!(bench.data.len(), 9);
    assert!(bench.named().iter().all(Option::is_none));
    assert_eq!((bench.gauge("timeouts"), bench.gauge("elections"), bench.gauge("acker_changes")), (8.0, 1.0, 0.0));
    // Somebody comes late.
    bench.nak(58.2, B, 0.2, 0.0, 8, None);
    assert_eq!((bench.source.acker(), bench.named()[9]), (Some(B), Some(B)));
    bench.ack(58.4, B, 0.2, 0.0, 9);
    assert_eq!((bench.data.len(), bench.source.control().window()), (12, 2.0));
    bench.input(59.0, Input::Stop);
    assert_eq!(bench.source.deadline(), None);
    bench.ack(59.2, B, 0.2, 0.0, 11);
    assert_eq!(bench.data.len(), 12);
}

#[test]
fn the_first_to_answer_is_elected() {
    let mut bench = Bench::new(&Config::default());
    bench.input(1.0, Input::Start);
    assert_eq!((bench.data.len(), bench.source.control().tokens()), (1, 0.0));
    bench.nak(1.2, A, 0.2, 0.0, 0, None);
    // The packet that asked is closed: there is a token for the next.
    assert_eq!(bench.named(), [None, Some(A)]);
    assert_eq!((bench.source.control().window(), bench.source.control().outstanding()), (1.0, 1));
    // Another dummy says nothing more.
    bench.nak(1.21, B, 0.21, 0.0, 0, None);
    assert_eq!((bench.source.acker(), bench.data.len()), (Some(A), 2));
    let kinds: Vec<&str> = bench.events.iter().map(|event| event.kind.name).collect();
    assert_eq!(kinds, ["election", "limiting-receiver"]);
    let event = bench.events[1];
    assert_eq!((event.subject, event.cause), (EventSubject::Other(A), Cause::Report { receiver: A, number: 0 }));
    assert!((event.details[0] - 0.2).abs() < 1e-6 && event.details[1] == 0.0, "{event:?}");
}

#[test]
fn a_ratio_of_1_2_changes_nothing_and_of_1_5_the_acker() {
    for (throughput, ratio, changes) in [
        (ThroughputModel::Full, 1.2, false),
        (ThroughputModel::Full, 1.5, true),
        (ThroughputModel::Simple, 1.3, false),
        (ThroughputModel::Simple, 1.35, true),
    ] {
        // By the round-trip time.
        let config = Config { throughput, ..Config::default() };
        let mut bench = Bench::started(&config);
        bench.nak(1.15, B, 0.1 * ratio, 0.01, 1, None);
        assert_eq!(bench.source.acker() == Some(B), changes, "{throughput:?} {ratio}");
        // By the loss rate.
        let mut bench = Bench::started(&config);
        let of_acker = slowness(throughput, 0.1, f64::from(0.01f32));
        let loss_rate =
            (1..10_000).map(|n| f64::from(n) * 1e-4).find(|&p| slowness(throughput, 0.1, p) > ratio * of_acker);
        let loss_rate = loss_rate.expect("it is high enough");
        bench.nak(1.15, B, 0.1, loss_rate as f32, 1, None);
        assert_eq!(bench.source.acker() == Some(B), changes, "{throughput:?} {ratio} {loss_rate}");
    }
}

#[test]
fn who_loses_nothing_replaces_nobody() {
    let mut bench = Bench::started(&Config::default());
    bench.nak(1.2, B, 30.0, 0.0, 1, None);
    assert_eq!(bench.source.acker(), Some(A));
    // The acker has forgotten its losses: still nobody without any replaces it, but anyone with some.
    bench.ack(1.21, A, 0.1, 0.0, 1);
    bench.nak(1.22, B, 30.0, 0.0, 1, None);
    assert_eq!(bench.source.acker(), Some(A));
    bench.nak(1.23, C, 0.001, 1e-6, 1, None);
    assert_eq!(bench.source.acker(), Some(C));
}

#[test]
fn round_trips_are_smoothed() {
    let mut bench = Bench::started(&Config::default());
    // One round trip of B through a full queue is not its round-trip time: 0.1 + (0.24 - 0.1)/8 = 0.1175.
    bench.nak(1.2, B, 0.1, 0.01, 1, None);
    bench.nak(1.3, B, 0.24, 0.01, 1, None);
    assert_eq!(bench.source.acker(), Some(A));
    (0..3).for_each(|n| bench.nak(1.4 + f64::from(n) / 10.0, B, 0.24, 0.01, 1, None));
    // 0.1 + 0.14 (1 - (7/8)^4) = 0.158 > 0.1/0.75.
    assert_eq!(bench.source.acker(), Some(B));
    assert!(bench.gauge("srtt") > 0.1 && bench.gauge("srtt") < 0.24);
}

#[test]
fn round_trips_are_counted_in_packets_if_wanted() {
    let config = Config { rtt: RttUnit::Packets, ssthresh: Packets(64.0), ..Config::default() };
    let mut bench = Bench::started(&config);
    for n in 0..5 {
        let next = bench.data.len() as u32;
        bench.ack(1.2 + f64::from(n) / 10.0, A, 0.1, 0.01, next - 1);
    }
    // Two before the first ACK, then 2, 4, 8, 16 and 32 more. All was acknowledged that had been sent.
    assert_eq!(bench.data.len(), 64);
    // By its stamps B is the faster one; by packets it is two behind, and A one, which is the least.
    bench.nak(1.8, B, 0.001, 0.01, 62, None);
    assert_eq!(bench.source.acker(), Some(A));
    bench.nak(1.8, C, 0.001, 0.01, 61, None);
    assert_eq!(bench.source.acker(), Some(C));
}

#[test]
fn void_reports_change_nothing() {
    let nan = f32::NAN;
    for loss_rate in [nan, f32::INFINITY, f32::NEG_INFINITY, -0.001, 1.001] {
        let mut bench = Bench::started(&Config::default());
        let before = bench.data.len();
        bench.nak(1.15, B, 10.0, loss_rate, 1, Some(0));
        bench.ack(1.2, A, 0.1, loss_rate, 1);
        assert_eq!((bench.source.acker(), bench.data.len()), (Some(A), before), "{loss_rate}");
        assert!(bench.ncfs.is_empty());
        // A liar as the acker: its ACKs are none, so that it is given up.
        bench.wait(5.0);
        assert_eq!(bench.source.acker(), None);
    }
    let mut bench = Bench::started(&Config::default());
    for highest in [2, 1000, 1 << 31, u32::MAX] {
        bench.nak(1.15, B, 10.0, 1.0, highest, None);
        bench.ack(1.16, A, 0.1, 0.01, highest);
    }
    assert_eq!((bench.source.acker(), bench.data.len()), (Some(A), 2), "they have not been sent");
}

#[test]
fn round_trips_that_cannot_be_are_a_millisecond_or_a_minute() {
    // The echo is from the future.
    let mut bench = Bench::started(&Config::default());
    bench.nak(1.15, B, -5.0, 0.05, 1, None);
    assert_eq!(bench.source.acker(), Some(A));
    bench.ack(1.2, A, -100.0, 0.01, 1);
    assert!(bench.gauge("srtt") >= 0.001 && bench.gauge("srtt") < 0.1);
    bench.nak(1.3, B, 2000.0, 0.05, 1, None);
    assert_eq!(bench.source.acker(), Some(B));
    assert!(bench.gauge("srtt") <= 63.0);
}

#[test]
fn an_acker_that_falls_silent_is_replaced_after_two_time_outs() {
    let mut bench = Bench::started(&Config::default());
    for n in 1..=8 {
        bench.ack(1.1 + 0.1 * f64::from(n), A, 0.1, 0.01, n);
    }
    assert_eq!(bench.named().iter().filter(|&&named| named == Some(A)).count(), bench.data.len() - 1);
    // The others go on telling of losses; nothing of that keeps A in office. Least time-out 1 s, then 2 s.
    let mut expiries = Vec::new();
    for n in 0..40 {
        expiries.extend(bench.wait(2.0 + 0.1 * f64::from(n)));
        if bench.source.acker().is_none() {
            break;
        }
        bench.nak(2.001 + 0.1 * f64::from(n), B, 0.1, 0.001, 8, Some(8));
    }
    assert_eq!(expiries.len(), 2);
    assert!((expiries[0] - 2.9).abs() < 1e-6 && (expiries[1] - 4.9).abs() < 1e-6, "{expiries:?}");
    assert_eq!((bench.source.acker(), bench.gauge("elections"), bench.gauge("timeouts")), (None, 2.0, 2.0));
    assert_eq!(bench.data.last().map(|(_, data)| data.acker), Some(None));
    assert_eq!(bench.source.control().window(), 1.0);
    bench.nak(5.0, B, 0.1, 0.001, 8, None);
    assert_eq!(bench.source.acker(), Some(B));
    let nobody = bench
        .events
        .iter()
        .filter(|event| event.kind.name == "limiting-receiver" && event.subject == EventSubject::Nobody);
    assert_eq!(nobody.count(), 1);
    let timeouts: Vec<f64> = bench.events.iter().filter(|event| event.is(TIMEOUT)).map(|event| event.before).collect();
    assert_eq!(timeouts, [1.0, 2.0]);
}

#[test]
fn word_of_the_acker_ends_the_count_of_time_outs() {
    // That it has got something is believed of its ACKs; of NAKs if nobody looks whether both agree.
    for (bar, by_naks, elections) in [(60, false, 1.0), (0, true, 1.0), (60, true, 3.0)] {
        let mut bench = Bench::started(&Config { bar: Duration::from_secs(bar), ..Config::default() });
        bench.ack(1.2, A, 0.1, 0.01, 1);
        for _ in 0..5 {
            let expiry = bench.source.deadline().expect("a packet is outstanding").as_secs_f64();
            bench.input(expiry, Input::Timeout);
            if by_naks {
                bench.nak(expiry + 0.01, A, 0.1, 0.01, 1, None);
            } else {
                bench.ack(expiry + 0.01, A, 0.1, 0.01, 1);
            }
        }
        assert_eq!((bench.gauge("timeouts"), bench.gauge("elections")), (5.0, elections), "{bar} s, NAKs {by_naks}");
        assert_eq!(bench.source.acker(), Some(A));
    }
}

#[test]
fn an_acker_that_leaves_says_so() {
    let mut bench = Bench::started(&Config::default());
    (1..=6).for_each(|n| bench.ack(1.1 + 0.1 * f64::from(n), A, 0.1, 0.01, n));
    let before = bench.data.len() as u32;
    let leave = |highest| Ack { echoed_stamp_us: 1_700_000, loss_rate: 0.01, highest, bitmap: ALL, leave: true };
    bench.packet(1.8, B, Header::Ack(leave(6)));
    assert_eq!(bench.source.acker(), Some(A), "who is not the acker may go");
    bench.packet(1.8, A, Header::Ack(leave(6)));
    // Nobody acknowledges what is under way: the packet that asks is all that is outstanding.
    assert_eq!((bench.source.acker(), bench.data.len() as u32), (None, before + 1));
    assert_eq!((bench.source.control().window(), bench.source.control().outstanding()), (1.0, 1));
    assert_eq!((bench.gauge("elections"), bench.gauge("timeouts")), (2.0, 0.0));
    // What it said before, and what comes late or twice, does not elect it again.
    bench.packet(1.8, A, Header::Ack(leave(6)));
    bench.ack(1.81, A, 0.1, 0.01, before - 1);
    bench.nak(1.82, A, 0.1, 0.01, before - 1, Some(5));
    assert_eq!((bench.source.acker(), bench.gauge("elections")), (None, 2.0));
    bench.nak(1.9, B, 0.1, 0.0, before, None);
    assert_eq!(bench.source.acker(), Some(B));
    // It comes back: it has got a packet that was sent since then.
    bench.nak(2.0, A, 0.1, 0.9, before, None);
    assert_eq!(bench.source.acker(), Some(A));
}

#[test]
fn changes_of_the_acker_do_not_put_off_the_time_out() {
    // B and C take turns: the one that is the acker claims that it has no losses, the other that it has nothing else.
    // Neither acknowledges anything.
    let mut bench = Bench::started(&Config::default());
    bench.ack(1.2, A, 0.1, 0.01, 1);
    for n in 0..100 {
        let now = 1.3 + 0.1 * f64::from(n);
        bench.wait(now);
        let (one, other) = if n % 2 == 0 { (B, C) } else { (C, B) };
        bench.nak(now, other, 0.1, 0.0, 1, None);
        bench.nak(now + 0.01, one, 0.1, 1.0, 1, None);
        assert_eq!(bench.source.acker(), Some(one));
    }
    // 1 s after the last packet was acknowledged, and then each 2 s.
    assert_eq!(bench.gauge("timeouts"), 5.0);
}

#[test]
fn what_a_former_acker_acknowledges_proves_nothing_of_the_one_it_is_now() {
    // B claims the round trip of a packet of long ago, and that it loses everything: three times 39 s would be its
    // time-out. It has acknowledged nothing, so 8 s are the most, whatever A still acknowledges.
    let mut bench = Bench::started(&Config::default());
    for n in 1..=39 {
        bench.ack(1.0 + f64::from(n), A, 0.1, 0.01, n);
    }
    bench.nak(40.5, B, 39.0, 1.0, 1, None);
    assert_eq!(bench.source.acker(), Some(B));
    for now in [40.6, 40.7] {
        bench.ack(now, A, 0.1, 0.01, bench.source.control().next() as u32 - 1);
    }
    let expiry = bench.source.deadline().expect("a packet is outstanding");
    assert!(expiry <= at(48.7), "{expiry:?}");
    // Its own word of that packet is proof enough.
    bench.ack(49.0, B, 39.0, 0.7, bench.source.control().next() as u32 - 1);
    assert_eq!(bench.source.acker(), Some(B));
}

#[test]
fn former_ackers_close_packets_and_others_do_not() {
    let mut bench = Bench::started(&Config::default());
    (1..=6).for_each(|n| bench.ack(1.1 + 0.1 * f64::from(n), A, 0.1, 0.01, n));
    bench.nak(1.75, B, 0.3, 0.05, 6, None);
    assert_eq!(bench.source.acker(), Some(B));
    let open = bench.source.control().outstanding();
    assert!(open >= 4);
    bench.ack(1.76, C, 0.1, 0.0, 8);
    assert_eq!(bench.source.control().outstanding(), open, "C has never been the acker");
    let sent = bench.data.len();
    bench.ack(1.8, A, 0.1, 0.01, 8);
    assert!(bench.data.len() > sent, "two packets are closed, so others go");
    assert!(bench.named()[sent..].iter().all(|&named| named == Some(B)));
}

#[test]
fn few_receivers_are_remembered() {
    let config = Config { recent_ackers: 3, ..Config::default() };
    let mut bench = Bench::started(&config);
    // Each slower than the one before: all become the acker in turn.
    for n in 0..100u32 {
        let rtt_s = 0.1 * f64::from(1u32 << (n + 1).min(9));
        bench.nak(2.0 + f64::from(n), Address::endpoint(10 + n), rtt_s, 0.01, 1, None);
        bench.nak(2.0 + f64::from(n), Address::endpoint(1000 + n), 0.001, 0.001, 1, None);
    }
    assert_eq!(bench.source.receivers_known(), (3, 64));
}

#[test]
fn each_loss_is_confirmed_once() {
    let mut bench = Bench::started(&Config::default());
    (1..=6).for_each(|n| bench.ack(1.1 + 0.1 * f64::from(n), A, 0.1, 0.01, n));
    for missing in [3, 4, 3, 5, 4, 9999, u32::MAX] {
        bench.nak(1.8, B, 0.1, 0.001, 6, Some(missing));
    }
    assert_eq!(bench.ncfs, [3, 4, 5]);
    let mut bench = Bench::started(&Config { ncf: false, ..Config::default() });
    bench.nak(1.8, B, 0.1, 0.001, 1, Some(1));
    assert!(bench.ncfs.is_empty());
}

#[test]
fn the_greatest_rate_spaces_packets() {
    let config = Config { max_rate: Some(Rate(80_000)), ssthresh: Packets(10.0), ..Config::default() };
    let mut bench = Bench::started(&config);
    (0..8).for_each(|n| {
        let now = 1.9 + 0.9 * f64::from(n);
        bench.wait(now);
        let highest = bench.data.len() as u32 - 1;
        bench.ack(now, A, 0.1, 0.01, highest);
    });
    bench.wait(10.0);
    let gaps: Vec<f64> = bench.data.windows(2).map(|pair| pair[1].0.since(pair[0].0).as_secs_f64()).collect();
    assert!(gaps.iter().all(|&gap| gap >= 0.1), "{gaps:?}");
    assert!(gaps.iter().filter(|&&gap| gap < 0.101).count() > 20, "{gaps:?}");
    assert!(bench.source.report().rate_bps <= 80_000.0 && bench.source.report().rate_bps > 10_000.0);
}

#[test]
fn a_late_driver_makes_up_for_what_the_greatest_rate_let_go_a_packet_for_each_time_out() {
    // A packet in 10 ms.
    let config = Config { max_rate: Some(Rate(800_000)), ssthresh: Packets(20.0), ..Config::default() };
    let mut bench = Bench::started(&config);
    for n in 0..12 {
        let now = 1.9 + 0.9 * f64::from(n);
        bench.wait(now);
        bench.ack(now, A, 0.1, 0.0, bench.data.len() as u32 - 1);
    }
    let due = bench.source.deadline().expect("the window is open").as_secs_f64();
    let mut sent = |now: f64, is_timeout: bool| {
        let before = bench.data.len();
        match is_timeout {
            true => bench.input(now, Input::Timeout),
            false => bench.ack(now, A, 0.1, 0.0, before as u32 - 1),
        }
        (bench.data.len() - before, bench.source.deadline().expect("it goes on").as_secs_f64() - due)
    };
    let is = |(count, next): (usize, f64), expected: (usize, f64)| {
        assert!(count == expected.0 && (next - expected.1).abs() < 1e-6, "{count}, {next}: {expected:?}");
    };
    is(sent(due, true), (1, 0.01));
    // Those of 10, 20 and 30 ms.
    is(sent(due + 0.035, true), (1, 0.035));
    is(sent(due + 0.035, true), (1, 0.035));
    is(sent(due + 0.035, true), (1, 0.04));
    is(sent(due + 0.035, true), (0, 0.04));
    // An ACK brings nothing of what is late; one that comes in time changes nothing.
    is(sent(due + 0.045, false), (0, 0.045));
    is(sent(due + 0.045, true), (1, 0.05));
    is(sent(due + 0.046, false), (0, 0.05));
    // Time in which the window was shut is not made up for: all is sent, and then acknowledged 50 ms later.
    let mut now = 0.05;
    while sent(due + now, true).0 == 1 {
        now += 0.01;
    }
    let (count, next) = sent(due + now + 0.05, false);
    assert!(count == 1 && (next - now - 0.06).abs() < 1e-6, "{count}, {next}, {now}");
}

#[test]
fn numbers_wrap() {
    let mut bench = Bench::new(&Config::default());
    bench.source.begin_at(u64::from(u32::MAX) - 20);
    bench.input(1.0, Input::Start);
    bench.nak(1.1, A, 0.1, 0.0, bench.data[0].1.sequence, None);
    for n in 0..20 {
        let (_, last) = *bench.data.last().expect("some");
        bench.ack(1.2 + 0.1 * f64::from(n), A, 0.1, 0.0, last.sequence);
    }
    let numbers: Vec<u32> = bench.data.iter().map(|(_, data)| data.sequence).collect();
    assert!(numbers.windows(2).all(|pair| pair[1] == pair[0].wrapping_add(1)) && numbers.contains(&0), "{numbers:?}");
    assert_eq!((bench.gauge("timeouts"), bench.gauge("loss_reductions")), (0.0, 0.0));
    assert!(bench.source.control().window() > 8.0);
}

#[test]
fn a_window_that_is_lost_as_a_whole_is_recovered_by_a_time_out() {
    let mut bench = Bench::started(&Config::default());
    (1..=12).for_each(|n| bench.ack(1.1 + 0.1 * f64::from(n), A, 0.1, 0.01, n));
    let window = bench.source.control().window();
    assert!(window > 5.0);
    let lost = bench.data.len() as u32;
    // 2.3 s and the least time-out.
    let expiries = bench.wait(3.4);
    assert_eq!(expiries.len(), 1);
    assert!((expiries[0] - 3.3).abs() < 1e-6);
    assert_eq!((bench.source.control().window(), bench.data.len() as u32), (1.0, lost + 1));
    assert_eq!(bench.source.acker(), Some(A));
    bench.ack(3.45, A, 0.1, 0.05, lost);
    assert_eq!((bench.source.control().window(), bench.data.len() as u32), (2.0, lost + 3));
}

#[test]
fn halvings_and_windows_are_told_with_their_causes() {
    let mut bench = Bench::started(&Config::default());
    (1..=9).for_each(|n| bench.ack(1.1 + 0.1 * f64::from(n), A, 0.1, 0.01, n));
    let windows: Vec<(f64, Cause)> =
        bench.events.iter().filter(|event| event.is(WINDOW)).map(|event| (event.after.floor(), event.cause)).collect();
    let acked = |n| Cause::Report { receiver: A, number: n };
    assert_eq!(windows[..3], [(2.0, acked(1)), (3.0, acked(2)), (4.0, acked(3))]);
    for highest in 11..14 {
        let bitmap = ALL & !(1 << (highest - 10));
        let ack = Ack { echoed_stamp_us: 2_000_000, loss_rate: 0.02, highest, bitmap, leave: false };
        bench.packet(2.1, A, Header::Ack(ack));
    }
    let halving = bench.events.iter().find(|event| event.is(LOSS_REDUCTION)).expect("one");
    assert_eq!((halving.cause, halving.subject), (Cause::Loss { sequence: 10 }, EventSubject::Other(A)));
    assert!((halving.after - halving.before / 2.0).abs() < 1e-8);
    assert_eq!(bench.gauge("loss_reductions"), 1.0);
}

#[test]
fn a_stopped_source_may_start_again() {
    let mut bench = Bench::started(&Config::default());
    bench.input(2.0, Input::Stop);
    bench.input(5.0, Input::Start);
    assert_eq!((bench.source.control().outstanding(), bench.data.len()), (1, 3));
    assert!(bench.source.deadline().is_some_and(|deadline| deadline <= at(8.0)), "{:?}", Duration::ZERO);
}
