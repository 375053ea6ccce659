//! Applications by hand: when packets are there, what waits, what is dropped, how it ends.

use super::making::Making;
use super::*;
use crate::packet::{Address, Ecn, FlowId, INITIAL_TTL};
use crate::quantity::Bytes;
use crate::tcp;
use crate::testing::gauge;
use crate::time::Rate;

const SIZE: u64 = 1000;

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

fn made(lines: &[(f64, u64)]) -> Config {
    let line = |&(at_s, bytes): &(f64, u64)| Made { at: Duration::from_secs_f64(at_s), bytes: Bytes(bytes) };
    Config { trace: Some(lines.iter().map(line).collect()), ..Config::default() }
}

/// When how many packets come to be, up to so many steps.
fn steps(config: &Config, most: usize) -> Vec<(u64, u64)> {
    let mut making = Making::new(config, SIZE);
    std::iter::from_fn(|| Some((making.next()?.0, making.step()))).take(most).collect()
}

#[test]
fn a_packet_of_a_rate_is_there_when_its_last_byte_is() {
    // 1000 B at 1.5 Mbit/s: 5 333 333.3 ns.
    let even = Config { rate: Some(Rate(1_500_000)), ..Config::default() };
    assert_eq!(steps(&even, 4), [(5_333_333, 1), (10_666_666, 1), (16_000_000, 1), (21_333_333, 1)]);
    // 2500 B are three packets.
    let film = Config { bytes: Some(Bytes(2500)), ..even };
    assert_eq!(steps(&film, 9), [(5_333_333, 1), (10_666_666, 1), (16_000_000, 1)]);
    assert_eq!((film.packets(SIZE), film.mean_bps()), (Some(3), Some(1.5e6)));
    let at_once = Config { bytes: Some(Bytes(2500)), ..Config::default() };
    assert_eq!(steps(&at_once, 9), [(0, 3)]);
    assert_eq!((at_once.packets(SIZE), at_once.mean_bps()), (Some(3), None));
}

#[test]
fn bytes_of_a_trace_make_whole_packets_and_the_last_what_is_left() {
    // 2500 B: two, 500 B over; 700 B more: one, 200 B over; 100 B more, the last: what is left is a packet.
    let trace = made(&[(0.0, 2500), (1.0, 700), (3.0, 100)]);
    assert_eq!(steps(&trace, 9), [(0, 2), (1_000_000_000, 1), (3_000_000_000, 1)]);
    assert_eq!((trace.packets(SIZE), trace.mean_bps()), (Some(4), Some(8.0 * 3300.0 / 3.0)));
    // Of which no packet comes at once, and one that ends with a full packet.
    assert_eq!(steps(&made(&[(0.5, 400), (1.0, 600)]), 9), [(500_000_000, 0), (1_000_000_000, 1)]);
    // Numbers at the end of theirs.
    assert_eq!(steps(&made(&[(0.0, u64::MAX), (1.0, u64::MAX)]), 9).len(), 2);
}

#[test]
fn what_is_illegal_is_said() {
    let rate = Some(Rate(1));
    let bytes = Some(Bytes(1));
    for (config, field, said) in [
        (Config::default(), "rate", "missing: say what there is to send"),
        (Config { rate: Some(Rate(0)), ..Config::default() }, "rate", "0 bit/s given; legal is above 0 bit/s"),
        (Config { bytes: Some(Bytes(0)), ..Config::default() }, "bytes", "0 B given; legal is 1 B or more"),
        (Config { rate, ..made(&[(0.0, 1)]) }, "rate", "given with a trace"),
        (Config { bytes, ..made(&[(0.0, 1)]) }, "bytes", "given with a trace"),
        (made(&[]), "trace", "it is empty"),
        (made(&[(0.0, 1), (1.0, 0)]), "trace[1].bytes", "0 B given; legal is at least 1 B"),
        (made(&[(0.0, 1), (1.0, 1), (1.0, 1)]), "trace[2].at", "the time 1 s stands there a second time"),
        (made(&[(2.0, 1), (1.0, 1)]), "trace[1].at", "time runs back, from 2 s to 1 s"),
        (
            Config { rate, buffer: Some(Bytes(999)), ..Config::default() },
            "buffer",
            "legal is at least a packet, 1000 B",
        ),
    ] {
        let wrong = config.check(SIZE);
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert!(wrong[0].0 == field && wrong[0].1.contains(said), "{wrong:?} {field} {said}");
    }
    for legal in [made(&[(0.0, 1)]), Config { rate, bytes, buffer: Some(Bytes(1000)), ..Config::default() }] {
        assert_eq!(legal.check(SIZE), []);
    }
}

/// Sends whatever is granted, one packet each `gap` and the first at once.
struct Paced {
    granted: u64,
    gap: Duration,
    next: Instant,
    stopped: bool,
}

impl Endpoint for Paced {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Granted(packets) => self.granted = packets,
            Input::Stop => self.stopped = true,
            _ => {}
        }
        if !self.stopped && self.granted > 0 && self.next <= now {
            self.granted -= 1;
            self.next = now + self.gap;
            out.send(data());
        }
    }

    fn deadline(&self) -> Option<Instant> {
        (!self.stopped && self.granted > 0).then_some(self.next)
    }

    fn report(&self) -> Report {
        Report::default()
    }
}

fn data() -> Packet {
    Packet {
        sent: Instant::ZERO,
        flow: FlowId(0),
        source: Address::endpoint(0),
        destination: Address::group(0),
        size: SIZE as u16,
        ttl: INITIAL_TTL,
        ecn: Ecn::NotCapable,
        header: Header::Datagram { sequence: 0 },
    }
}

fn paced(config: &Config, gap_s: f64) -> ApplicationLimited<Paced> {
    let gap = Duration::from_secs_f64(gap_s);
    ApplicationLimited::new(config, SIZE, Paced { granted: u64::MAX, gap, next: Instant::ZERO, stopped: false })
}

/// Runs up to a moment; when packets were sent, in seconds.
fn run(application: &mut ApplicationLimited<Paced>, until_s: f64) -> Vec<f64> {
    let (mut out, mut sent) = (Outbox::new(), Vec::new());
    while let Some(now) = application.deadline().filter(|&now| now <= at(until_s)) {
        application.handle(now, Input::Timeout, &mut out);
        sent.extend(out.drain().filter(|action| matches!(action, Action::Send(_))).map(|_| now.as_secs_f64()));
    }
    sent
}

fn started(config: &Config, gap_s: f64, start_s: f64) -> (ApplicationLimited<Paced>, usize) {
    let (mut application, mut out) = (paced(config, gap_s), Outbox::new());
    application.handle(at(start_s), Input::Start, &mut out);
    let sent = out.drain().count();
    (application, sent)
}

#[test]
fn a_source_sends_as_packets_come_and_no_sooner() {
    let even = Config { rate: Some(Rate(8000)), ..Config::default() };
    let (mut application, sent) = started(&even, 0.1, 5.0);
    assert_eq!(sent, 0);
    assert_eq!(run(&mut application, 8.5), [6.0, 7.0, 8.0]);
    assert_eq!(application.waiting(), 0);
    // All the time but where a packet waited, which was none; up to the last input.
    assert_eq!(gauge(&application, "application_limited"), 3.0);
    assert_eq!((gauge(&application, "application_made"), gauge(&application, "application_dropped")), (3.0, 0.0));
    // What the driver grants is not the application's.
    application.handle(at(8.5), Input::Granted(9), &mut Outbox::new());
    assert_eq!(run(&mut application, 9.5), [9.0]);
}

#[test]
fn what_is_more_than_the_source_sends_waits_or_is_dropped() {
    // A packet a second, of which every third second one goes.
    let even = Config { rate: Some(Rate(8000)), ..Config::default() };
    let (mut application, _) = started(&even, 3.0, 0.0);
    assert_eq!(run(&mut application, 10.0), [1.0, 4.0, 7.0, 10.0]);
    assert_eq!((application.waiting(), application.dropped()), (6, 0));
    assert_eq!(gauge(&application, "application_waiting"), 6.0);
    // Short until the first came, at 1 s, and until the second, at 2 s.
    assert_eq!(gauge(&application, "application_limited"), 2.0);
    let live = Config { buffer: Some(Bytes(2999)), ..even };
    let (mut application, _) = started(&live, 3.0, 0.0);
    assert_eq!(run(&mut application, 10.0), [1.0, 4.0, 7.0, 10.0]);
    // Two find room: at 4 s one of 2 s and 3 s goes and 4 s comes; 5 s is the second, 6 s finds none; at 7 s one goes.
    assert_eq!((application.waiting(), application.dropped()), (2, 4));
    assert_eq!(gauge(&application, "application_dropped"), 4.0);
}

#[test]
fn what_comes_at_once_may_be_more_than_the_buffer_if_it_goes_at_once() {
    let frame = Config { buffer: Some(Bytes(1000)), ..made(&[(0.0, 3000), (9.0, 1)]) };
    let (application, sent) = started(&frame, 1.0, 0.0);
    // One has gone, one waits, one is dropped.
    assert_eq!((sent, application.waiting(), application.dropped()), (1, 1, 1));
}

#[test]
fn the_end_stops_the_source_when_all_has_gone() {
    let film = Config { rate: Some(Rate(8000)), bytes: Some(Bytes(3000)), ..Config::default() };
    let (mut application, _) = started(&film, 1.5, 0.0);
    assert_eq!(run(&mut application, 99.0), [1.0, 2.5, 4.0]);
    assert!(application.source.stopped && application.deadline().is_none());
    let limited = gauge(&application, "application_limited");
    application.handle(at(99.0), Input::Timeout, &mut Outbox::new());
    assert_eq!(gauge(&application, "application_limited"), limited, "what is over limits nothing");
}

#[test]
fn a_stop_pauses_the_application() {
    let even = Config { rate: Some(Rate(8000)), ..Config::default() };
    let (mut application, _) = started(&even, 0.1, 0.0);
    assert_eq!(run(&mut application, 1.5), [1.0]);
    application.handle(at(1.5), Input::Stop, &mut Outbox::new());
    assert_eq!(run(&mut application, 9.0), [] as [f64; 0]);
    application.source.stopped = false;
    application.handle(at(9.0), Input::Start, &mut Outbox::new());
    assert_eq!(run(&mut application, 11.0), [9.5, 10.5]);
}

#[test]
fn what_takes_nothing_and_what_could_not_be_sent() {
    let at_once = Config { bytes: Some(Bytes(2000)), ..Config::default() };
    let (mut application, sent) = started(&at_once, 1.0, 0.0);
    assert_eq!((sent, application.waiting()), (1, 1));
    application.source.granted = 2;
    application.handle(at(0.5), Input::NotSent(&data()), &mut Outbox::new());
    assert_eq!(application.waiting(), 2);
    // Of TCP what was sent before, and what was not the last, comes again by itself.
    let segment = |sequence, retransmission| Packet {
        header: tcp::Header::Data { sequence, window_reduced: false, retransmission, push: false }.into(),
        ..data()
    };
    application.last_number = Some(0);
    for (packet, comes_back) in [
        (segment(0, true), false),
        (segment(7, false), false),
        (segment(0, false), true),
        // Before it is the last of all numbers.
        (segment(u32::MAX, false), true),
        (segment(u32::MAX, false), false),
    ] {
        assert_eq!(application.comes_back(&packet), comes_back, "{packet:?}");
    }
}

#[test]
fn sources_that_show_the_same_share_a_list() {
    const OWN: &[Gauge] = &[Gauge::count("own", "1", "")];
    let names = |gauges: &[Gauge]| gauges.iter().map(|gauge| gauge.name).collect::<Vec<_>>();
    let all = with_application(OWN);
    assert_eq!(names(all)[..2], ["own", "application_made"]);
    assert!(std::ptr::eq(all, with_application(OWN)));
    assert_eq!(with_application(&[]).len(), GAUGES.len());
}
