//! A receiver alone, message by message, with numbers by hand.

use super::*;
use crate::endpoint::{Action, Endpoint, Input, Outbox};
use crate::omcc::{self, Scaled};
use crate::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use crate::parts::throughput_equation::throughput_bps;
use crate::quantity::Bytes;
use crate::random::Random;
use crate::testing::gauge;
use crate::time::Instant;

pub(super) const SENDER: Address = Address::endpoint(0);
pub(super) const OWN: Address = Address::endpoint(1);
pub(super) const GROUP: Address = Address::group(0);

pub(super) fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

pub(super) fn us(seconds: f64) -> u32 {
    (seconds * 1e6 + 0.5) as u32
}

pub(super) fn packet(source: Address, sent_s: f64, header: Header) -> Packet {
    Packet {
        sent: at(sent_s),
        flow: FlowId(0),
        source,
        destination: SENDER,
        size: 1000,
        ttl: INITIAL_TTL,
        ecn: Ecn::NotCapable,
        header,
    }
}

/// A receiver, what data tells it, and the reports it has sent, in the headers of OMCC, which has what TFMCC's hook
/// scales by and what the feedback timers were drawn from. Data takes no time to it.
pub(super) struct Alone {
    pub(super) receiver: ReceiverOf<Scaled>,
    pub(super) round: u8,
    max_rtt_us: u32,
    pub(super) suppression_bps: f32,
    pub(super) rate_bps: f32,
    scale: f32,
    pub(super) reports: Vec<Packet>,
    /// p at its loss events.
    events: Vec<f64>,
}

/// What a report says: have_RTT, have_loss, fb_nr, X_r.
fn said(report: &Packet) -> (bool, bool, u8, f64) {
    match report.header {
        Header::Omcc(omcc::Header::Feedback(omcc::FeedbackHeader { tfmcc, .. })) => {
            (tfmcc.have_rtt, tfmcc.have_loss, tfmcc.round, f64::from(tfmcc.rate_bps))
        }
        _ => panic!("{report:?}"),
    }
}

impl Alone {
    fn new() -> Alone {
        Alone::with(&Config::default())
    }

    pub(super) fn with(config: &Config) -> Alone {
        let mut receiver = ReceiverOf::new(config, FlowId(0), OWN, GROUP, Random::stream(1, "test"));
        receiver.handle(Instant::ZERO, Input::Start, &mut Outbox::new());
        Alone {
            receiver,
            round: 0,
            max_rtt_us: 500_000,
            suppression_bps: f32::INFINITY,
            rate_bps: 160_000.0,
            scale: 1.0,
            reports: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Data with this number at `now_s`, with an echo that says that the round trip of the limiting receiver, this one,
    /// took so long.
    pub(super) fn data(&mut self, sequence: u32, now_s: f64, rtt_s: Option<f64>) {
        self.echo(sequence, now_s, now_s, rtt_s.map(|rtt_s| (rtt_s, true)));
    }

    /// The same sent at `sent_s`; the echo may be that of a receiver that does not limit.
    pub(super) fn echo(&mut self, sequence: u32, sent_s: f64, now_s: f64, echo: Option<(f64, bool)>) {
        let packet = self.sent(sequence, sent_s, now_s, echo);
        self.hand(now_s, Input::packet(&packet, None, at(now_s)));
    }

    fn sent(&self, sequence: u32, sent_s: f64, now_s: f64, echo: Option<(f64, bool)>) -> Packet {
        let echo =
            echo.map(|(rtt_s, is_clr)| Echo { receiver: OWN, stamp_us: us(now_s).wrapping_sub(us(rtt_s)), is_clr });
        let tfmcc = DataHeader {
            starting: false,
            at_once: false,
            sequence,
            suppression_bps: self.suppression_bps,
            rate_bps: self.rate_bps,
            max_rtt_us: self.max_rtt_us,
            round: self.round,
            echo,
        };
        let header = omcc::Header::Data(omcc::DataHeader { tfmcc, scale: self.scale, receivers: 1.0 }).into();
        packet(SENDER, sent_s, header)
    }

    fn hand(&mut self, now_s: f64, input: Input<'_>) {
        let mut out = Outbox::new();
        self.receiver.handle(at(now_s), input, &mut out);
        for action in out.drain() {
            match action {
                Action::Send(packet) => self.reports.push(packet),
                Action::Event(event) if event.is(LOSS_EVENT) => self.events.push(event.after),
                _ => {}
            }
        }
    }

    fn last(&self) -> (bool, bool, u8, f64) {
        said(self.reports.last().expect("it has reported"))
    }
}

#[test]
fn a_report_echoes_the_highest_round_received() {
    // Section 2.2.2. The packet that makes it report begins a round.
    let mut alone = Alone::new();
    for n in 0..10 {
        alone.data(n, 1.0 + 0.05 * f64::from(n), None);
    }
    alone.round = 3;
    alone.data(10, 1.5, Some(0.1));
    assert_eq!(alone.reports.len(), 1);
    assert_eq!(alone.last().2, 3);
}

#[test]
fn what_a_report_says() {
    // Sections 2.2.2, 4.3.4 and 4.5. 20 packets per second, each 30 ms on its way; R = 120 ms, so that the limiting
    // receiver reports at 1.00 and 1.12 s. The last packet left at 1.07 s and has been here for 20 ms.
    let mut alone = Alone::new();
    alone.round = 9;
    for n in 0..3 {
        let now_s = 1.0 + 0.05 * f64::from(n);
        alone.echo(n, now_s - 0.03, now_s, Some((0.12, true)));
    }
    alone.hand(1.12, Input::Timeout);
    let report = &alone.reports[1];
    let Header::Omcc(omcc::Header::Feedback(omcc::FeedbackHeader { tfmcc, draw })) = report.header else {
        panic!("{report:?}");
    };
    let FeedbackHeader { leave, echoed_stamp_us, rtt_s, loss_event_rate, .. } = tfmcc;
    assert_eq!((report.source, report.destination, report.size, report.sent), (OWN, SENDER, 72, at(1.12)));
    assert_eq!(alone.last(), (true, false, 9, 320_000.0), "twice the receive rate");
    assert_eq!((leave, echoed_stamp_us, rtt_s, loss_event_rate), (false, 1_090_000, 0.12, 0.0));
    assert!(draw.is_nan(), "by no feedback timer");
    // And what the simulator reads.
    let told = alone.receiver.report();
    assert_eq!((told.sent_pkts, told.sent_bytes), (2, 2 * 72));
    assert_eq!((told.received_pkts, told.received_bytes, told.distinct_bytes), (3, 3000, 3000));
    assert_eq!((told.rate_bps, gauge(&alone.receiver, "loss_event_rate")), (320_000.0, 0.0));
    assert!((gauge(&alone.receiver, "rtt") - 0.12).abs() < 1e-9);
}

#[test]
fn a_receiver_says_nothing_before_its_first_packet() {
    let mut receiver = ReceiverOf::new(&Config::default(), FlowId(0), OWN, GROUP, Random::stream(1, "test"));
    let mut out = Outbox::new();
    // Nor does it hear anything before its start.
    let mut alone = Alone::new();
    alone.data(0, 1.0, None);
    let told = |receiver: &ReceiverOf<Scaled>| {
        let told = receiver.report();
        let [rtt, p] = ["rtt", "loss_event_rate"].map(|name| gauge(receiver, name));
        (told.received_pkts, rtt.is_nan(), told.rate_bps.is_nan(), p.is_nan())
    };
    assert_eq!(told(&alone.receiver), (1, true, false, false));
    receiver.handle(at(1.0), Input::packet(&alone.sent(0, 1.0, 1.0, None), None, at(1.0)), &mut out);
    assert_eq!((told(&receiver), receiver.deadline(), out.actions().len()), ((0, true, true, true), None, 0));
    receiver.handle(at(2.0), Input::Start, &mut out);
    assert_eq!((told(&receiver), receiver.deadline(), receiver.is_member()), ((0, true, true, true), None, false));
    assert_eq!(out.drain().count(), 1, "it joins");
    // It may leave again, and what comes then is not for it.
    receiver.handle(at(3.0), Input::Stop, &mut out);
    assert_eq!(out.drain().count(), 1, "it leaves");
    receiver.handle(at(4.0), Input::packet(&alone.sent(0, 4.0, 4.0, None), None, at(4.0)), &mut out);
    receiver.handle(at(4.0), Input::Stop, &mut out);
    assert_eq!((told(&receiver).0, receiver.is_member(), out.actions().len()), (0, false, 0));
}

#[test]
fn the_seed_follows_the_first_round_trip_time() {
    // Section 5.6. R_max = 500 ms, 20 packets per second but for the one that is missing: 5 in the 300 ms from the
    // first mark within the last R_max to the last packet before. l_0 = (5/0.3·0.5)²/1.5 = 46.30.
    let mut alone = Alone::new();
    for n in (0..44).filter(|&n| n != 40) {
        alone.data(n, 1.0 + 0.05 * f64::from(n), None);
    }
    let seed = 1.0 / alone.receiver.loss_event_rate();
    assert!((seed - 46.2963).abs() < 1e-4, "{seed}");
    alone.data(44, 3.2, Some(0.25));
    assert_eq!(alone.receiver.rtt_s(), 0.25);
    let p = alone.receiver.loss_event_rate();
    assert!((p * seed - 4.0).abs() < 1e-4, "(0.5/0.25)² = 4, not {}", p * seed);
    let (have_rtt, have_loss, _, rate_bps) = alone.last();
    assert!(have_rtt && have_loss);
    assert!((rate_bps / throughput_bps(1000.0, 0.25, p) - 1.0).abs() < 1e-6, "{rate_bps}");
    // Only the first measurement does that.
    alone.data(45, 3.25, Some(0.1));
    assert!((alone.receiver.rtt_s() - (0.9 * 0.25 + 0.1 * 0.1)).abs() < 1e-7);
    assert_eq!(alone.receiver.loss_event_rate(), p);
}

#[test]
fn ten_round_trips_of_silence_clear_the_flag_and_keep_the_history() {
    // Section 4.3.1. R = 100 ms, 20 packets per second.
    let mut alone = Alone::with(&Config { discount_threshold: 0.5, ..Config::default() });
    let mut now = 1.0;
    for n in (0..44).filter(|&n| n != 40) {
        now = 1.0 + 0.05 * f64::from(n);
        alone.data(n, now, Some(0.1));
    }
    assert!(alone.last().1, "the loss event was reported at once");
    // 20 packets per second: l_0 = 2²/1.5, and I_0 = 4 beside it: p = 2/(4 + 2.667) = 0.3.
    let seed = 4.0 / 1.5;
    assert!((alone.receiver.loss_event_rate() - 0.3).abs() < 1e-6);
    alone.data(44, now + 0.99, Some(0.1));
    assert!(alone.last().1);
    now += 0.99 + 1.01;
    alone.data(45, now, Some(0.1));
    let (_, have_loss, _, rate_bps) = alone.last();
    assert!(!have_loss);
    // No packet in the last 4 R: the last gap, 1.01 s.
    assert!((rate_bps / (2.0 * 8000.0 / 1.01) - 1.0).abs() < 1e-6, "twice the receive rate, not {rate_bps}");
    // I_0 = 6 is more than twice 2.667: DF = 8/9.
    let expected = (1.0 + 8.0 / 9.0) / (6.0 + 8.0 / 9.0 * seed);
    assert!((alone.receiver.loss_event_rate() - expected).abs() < 1e-6);
    // The next event closes the interval from 40 to 140. The old seed is before it, not a new one, and has DF = 1/2.
    for n in (46..144).filter(|&n| n != 140) {
        now += 0.05;
        alone.data(n, now, Some(0.1));
    }
    assert!(alone.last().1);
    let expected = 1.5 / (100.0 + 0.5 * seed);
    assert!((alone.receiver.loss_event_rate() - expected).abs() < 1e-6);
}

#[test]
fn losses_and_a_low_rate_are_no_silence_of_the_sender() {
    // Section 4.3.1 lets the sender start anew after it was idle. R = 100 ms, and a loss event.
    let lossy = || {
        let mut alone = Alone::new();
        for n in (0..44).filter(|&n| n != 40) {
            alone.data(n, 1.0 + 0.05 * f64::from(n), Some(0.1));
        }
        alone
    };
    // 100 packets in 5 s, of which the last arrives: an outage.
    let mut alone = lossy();
    alone.data(143, 8.15, Some(0.1));
    assert!(alone.last().1);
    // A packet each 300 ms, and one that is late by almost 1.2 s: five gaps are more than 10 R. Then one more than
    // that.
    let mut alone = lossy();
    alone.rate_bps = 8000.0 / 0.3;
    alone.data(44, 3.45, Some(0.1));
    alone.data(45, 4.9, Some(0.1));
    assert!(alone.last().1);
    alone.data(46, 6.5, Some(0.1));
    assert!(!alone.last().1);
}

#[test]
fn who_stands_less_than_a_packet_in_eight_seconds_leaves_after_two_minutes() {
    // Section 4.4. R = R_max = 2 s, every other packet lost, one sent each 2 s. The loss of 1 shows with 6, at 13 s;
    // I_0 = 2 and a seed of 1 give p = 2/3, 66 bit/s; p = 1/2 is 167 bit/s. No more packets from 33 s on.
    let left_at = |rate_bps: f32, clean_from: u32, until: u32| {
        let mut alone = Alone::new();
        (alone.max_rtt_us, alone.rate_bps) = (2_000_000, rate_bps);
        for n in (0..until).filter(|n| n % 2 == 0 || *n >= clean_from) {
            let now_s = 1.0 + 2.0 * f64::from(n);
            while let Some(due) = alone.receiver.deadline().filter(|&due| due < at(now_s)) {
                alone.hand(due.as_secs_f64(), Input::Timeout);
            }
            alone.data(n, now_s, None);
        }
        while alone.receiver.is_member() {
            let due = alone.receiver.deadline()?.as_secs_f64();
            alone.hand(due, Input::Timeout);
            if !alone.receiver.is_member() {
                return Some(due);
            }
        }
        None
    };
    assert_eq!(left_at(4000.0, u32::MAX, 17), Some(133.0));
    // The sender sends less than even that: it need not. Between the two rates it has to from the first on.
    assert_eq!(left_at(60.0, u32::MAX, 17), None);
    // Nor if it can stand more before the two minutes are over: without losses from 33 s on.
    assert_eq!(left_at(4000.0, 17, 50), None);
}

#[test]
fn the_limiting_receiver_that_has_to_leave_says_so_for_a_round() {
    let mut alone = Alone::new();
    (alone.max_rtt_us, alone.rate_bps) = (2_000_000, 4000.0);
    for n in (0..17).filter(|n| n % 2 == 0) {
        alone.data(n, 1.0 + 2.0 * f64::from(n), Some(2.0));
    }
    let mut left = false;
    let mut times = Vec::new();
    while let (Some(due), false) = (alone.receiver.deadline(), left) {
        let before = alone.reports.len();
        alone.hand(due.as_secs_f64(), Input::Timeout);
        left = !alone.receiver.is_member();
        let leaving = |report: &Packet| match report.header {
            Header::Omcc(omcc::Header::Feedback(feedback)) => feedback.tfmcc.leave,
            _ => false,
        };
        times.extend(alone.reports[before..].iter().filter(|report| leaving(report)).map(|report| report.sent));
    }
    // Below the least rate since 13 s; six times R_max later it is gone.
    assert_eq!((times.first(), left), (Some(&at(133.0)), true));
    assert!(!alone.receiver.is_clr());
}

#[test]
fn a_timer_that_expires_after_packets_have_ceased_is_postponed_until_one_comes() {
    // Section 4.5. 20 packets per second up to 1.5 s, R_max = 100 ms.
    let mut alone = Alone::new();
    for n in 0..10 {
        alone.data(n, 1.0 + 0.05 * f64::from(n), None);
    }
    (alone.round, alone.max_rtt_us) = (1, 100_000);
    alone.data(10, 1.5, None);
    let due = alone.receiver.deadline().expect("it is set").as_secs_f64();
    assert!(due > 1.6 && due <= 2.1, "T = 600 ms: {due}");
    alone.hand(due, Input::Timeout);
    let later = alone.receiver.deadline().expect("it is set").as_secs_f64();
    assert!(alone.reports.is_empty() && (later - (due + (due - 1.5 - 0.1))).abs() < 1e-8, "{due}, {later}");
    // A packet has come in time for the second.
    alone.data(11, later - 0.05, None);
    alone.hand(later, Input::Timeout);
    assert_eq!((alone.reports.len(), alone.receiver.deadline()), (1, None));
}

#[test]
fn the_seed_has_a_floor() {
    // The first packets at 100 ms, R_max = 500 ms, the second of them lost. RFC 5348 section 6.3.1, through the
    // equation: half a packet per round-trip time is sqrt(2p/3) + 12·sqrt(3p/8)·p·(1 + 32p²) = 2, p = 0.20649.
    for (seed_floor, expected) in [(SeedFloor::Packet, 1.0), (SeedFloor::Half, 0.206_49)] {
        let mut alone = Alone::with(&Config { seed_floor, discount_threshold: 0.5, ..Config::default() });
        for n in [0, 2, 3, 4, 5, 6] {
            alone.data(n, 1.0 + 2.0 * f64::from(n), None);
        }
        // By R_max 2.5 s of silence are no idle sender: a packet in 2 s.
        let p = alone.receiver.loss_event_rate();
        // I_0 = 6 is more than twice a seed of 1: DF = 1/2, p = 1.5/6.5; with a seed of 4.843 it is 2/10.843.
        let open = if expected == 1.0 { 1.5 / 6.5 } else { 2.0 / (6.0 + 1.0 / expected) };
        assert!((p - open).abs() < 1e-4, "{seed_floor:?}: {p}");
        // Not below it by the first round-trip time either.
        alone.data(7, 15.0, Some(0.05));
        let (_, have_loss, _, rate_bps) = alone.last();
        assert!(have_loss && rate_bps >= throughput_bps(1000.0, 0.05, open) * 0.99, "{rate_bps}");
    }
}

#[test]
fn the_floor_of_the_seed_is_scaled_like_the_equation() {
    // Four times the equation gives half a packet per round-trip time where the equation gives an eighth: p = 0.35046.
    // A mark on the third packet is the first loss event; of the two before it so little is asked that the floor holds.
    let mut alone = Alone::with(&Config { seed_floor: SeedFloor::Half, ..Config::default() });
    alone.scale = 4.0;
    for n in 0..3 {
        let mut packet = alone.sent(n, 1.0 + 2.0 * f64::from(n), 1.0 + 2.0 * f64::from(n), None);
        packet.ecn = if n == 2 { Ecn::Moderate } else { Ecn::Capable };
        alone.hand(1.0 + 2.0 * f64::from(n), Input::packet(&packet, None, at(1.0 + 2.0 * f64::from(n))));
    }
    let p = alone.receiver.loss_event_rate();
    assert!((p - 0.350_46).abs() < 1e-4, "{p}");
    assert_eq!(alone.events, [p]);
}

#[test]
fn late_packets_are_no_silence_and_the_last_loss_taken_back_is_none() {
    // Section 4.3.1. R = 100 ms, 20 packets per second, 20 and 40 lost.
    let mut alone = Alone::new();
    for n in (0..44).filter(|&n| n != 20 && n != 40) {
        alone.data(n, 1.0 + 0.05 * f64::from(n), Some(0.1));
    }
    assert_eq!((alone.events.len(), gauge(&alone.receiver, "loss_events")), (2, 2.0));
    alone.data(20, 3.25, Some(0.1));
    assert!(alone.last().1, "40 is lost still");
    alone.data(40, 3.35, Some(0.1));
    assert_eq!((alone.last().1, alone.receiver.loss_event_rate()), (false, 0.0));
}

#[test]
fn losses_that_the_first_round_trip_time_parts_are_counted() {
    // R_max = 500 ms, 20 packets per second: 30 and 35 are one event, with R = 50 ms two.
    let mut alone = Alone::new();
    for n in (0..40).filter(|&n| n != 30 && n != 35) {
        alone.data(n, 1.0 + 0.05 * f64::from(n), None);
    }
    assert_eq!(gauge(&alone.receiver, "loss_events"), 1.0);
    alone.data(40, 3.0, Some(0.05));
    assert_eq!(gauge(&alone.receiver, "loss_events"), 2.0);
}

#[test]
fn rates_are_of_the_size_that_was_agreed_on_and_short_if_that_is_asked_for() {
    // A packet each 60 ms in a session with packets of 500 bytes, however long they are: twice that is 133333.3 bit/s,
    // or 100·2^10·(1 + 39/128) (section 2.2.1).
    for (quantise, expected) in [(false, 8000.0 / 0.06), (true, 133_600.0)] {
        for sizes in [[500; 3], [500, 500, 100], [100, 500, 500], [90; 3]] {
            let mut alone = Alone::with(&Config { quantise, packet_size: Bytes(500), ..Config::default() });
            for (n, size) in (0..).zip(sizes) {
                let now_s = 1.0 + 0.06 * f64::from(n);
                let packet = alone.sent(n, now_s, now_s, Some((0.12, true)));
                alone.hand(now_s, Input::packet(&Packet { size, ..packet }, None, at(now_s)));
            }
            assert_eq!(alone.reports.len(), 2, "with the packet that comes when it is due");
            assert!((alone.last().3 / expected - 1.0).abs() < 1e-6, "{sizes:?}: {}", alone.last().3);
        }
    }
}

#[test]
fn short_packets_among_others_change_no_rate() {
    // One in fifty is lost; in the second run every other report follows a packet of 112 bytes.
    let [long, mixed] = [1000, 112].map(|short| {
        let mut alone = Alone::new();
        for n in (0..200).filter(|n| n % 50 != 17) {
            let now_s = 1.0 + 0.05 * f64::from(n);
            let packet = alone.sent(n, now_s, now_s, Some((0.1, true)));
            let size = if n % 4 < 2 { short } else { 1000 };
            alone.hand(now_s, Input::packet(&Packet { size, ..packet }, None, at(now_s)));
        }
        assert!(alone.last().1, "by the equation in the end");
        alone.reports.iter().map(said).collect::<Vec<_>>()
    });
    assert!(long.len() > 80);
    assert_eq!(long, mixed);
}

#[test]
fn the_packet_with_the_highest_number_says_the_round() {
    // Section 4.5 goes by half the number space of rounds, which a silence of some minutes outlasts; packets have more
    // numbers.
    for (from, to) in [(0, 1), (0, 127), (0, 128), (0, 255), (200, 71), (200, 72), (200, 199)] {
        let mut alone = Alone::new();
        alone.round = from;
        alone.data(0, 1.0, None);
        alone.round = to;
        alone.data(2, 1.05, Some(0.1));
        assert_eq!(alone.last().2, to, "{from} {to}");
        // The packet between them comes late.
        alone.round = to.wrapping_sub(1);
        alone.data(1, 1.2, Some(0.1));
        assert_eq!((alone.reports.len(), alone.last().2), (2, to), "{from} {to}");
    }
}

#[test]
fn a_stray_number_ahead_makes_nobody_mute() {
    // Those behind it, 2900 numbers, are believed. A round lasts 3 s, in which 20 packets per second come.
    let mut alone = Alone::new();
    (0..10).for_each(|n| alone.data(n, 1.0 + 0.05 * f64::from(n), None));
    alone.data(2910, 1.5, None);
    for round in 1..=20_u8 {
        alone.round = round;
        let begin_s = f64::from(round) * 3.0;
        let first = 10 + 60 * (u32::from(round) - 1);
        for n in 0..60_u32 {
            alone.data(first + n, begin_s + 0.05 * f64::from(n), None);
            let now_s = begin_s + 0.05 * f64::from(n + 1) - 0.001;
            if alone.receiver.deadline().is_some_and(|at| at.as_secs_f64() <= now_s) {
                alone.hand(now_s, Input::Timeout);
            }
        }
    }
    assert!(alone.reports.len() >= 15, "{} reports in 20 rounds", alone.reports.len());
}

#[test]
fn after_an_outage_of_many_rounds_a_receiver_reports_in_the_first_one() {
    // 150 rounds of 3 s, in which 20 packets per second are sent.
    let mut alone = Alone::new();
    (0..10).for_each(|n| alone.data(n, 1.0 + 0.05 * f64::from(n), None));
    alone.round = 150;
    // A number so far ahead is believed when the next one comes.
    [9000, 9001].into_iter().for_each(|n| alone.data(n, 451.0 + 0.05 * f64::from(n - 9000), None));
    let due = alone.receiver.deadline().expect("it is set").as_secs_f64();
    assert!(due > 451.0 && due <= 451.05 + 3.0, "{due}");
}

#[test]
fn biased_timers_ask_for_the_rate_in_parts_of_what_is_sent() {
    // Twice the receive rate is 320 kbit/s. That is half of what is sent, or more than nine tenths: a quarter of T
    // (3 s) between them.
    let due = |rate_bps: f32| {
        let mut alone = Alone::with(&Config { timer_bias: TimerBias::Offset, ..Config::default() });
        alone.rate_bps = rate_bps;
        for n in 0..10 {
            alone.data(n, 1.0 + 0.05 * f64::from(n), None);
        }
        alone.round = 1;
        alone.data(10, 1.5, None);
        alone.receiver.deadline().expect("it is set").as_secs_f64()
    };
    assert!((due(160_000.0) - due(640_000.0) - 0.75).abs() < 1e-6);
}

#[test]
fn who_is_gone_does_nothing_any_more() {
    // Section 4.2: others leave at once, the limiting receiver after a round of 6·0.5 s.
    for (is_clr, gone_s) in [(false, 2.0), (true, 5.0)] {
        let mut alone = Alone::new();
        for n in 0..10 {
            alone.data(n, 1.0 + 0.05 * f64::from(n), is_clr.then_some(0.1));
        }
        alone.hand(2.0, Input::Stop);
        let mut last = at(2.0);
        while let Some(due) = alone.receiver.deadline() {
            last = due;
            assert!(alone.receiver.is_member() && due <= at(gone_s), "{due}");
            // Data goes on, so that it has something to report.
            let n = 20 * (due.0 / 1_000_000_000) as u32;
            alone.data(n, due.as_secs_f64(), None);
            alone.hand(due.as_secs_f64(), Input::Timeout);
        }
        assert!(!alone.receiver.is_member() && !alone.receiver.is_clr() && last == at(gone_s), "{last}");
        let reports = alone.reports.len();
        alone.data(200, 10.0, Some(0.1));
        alone.hand(11.0, Input::Timeout);
        assert_eq!((alone.reports.len(), alone.receiver.deadline()), (reports, None));
    }
}

#[test]
fn wild_numbers_are_as_if_they_had_not_come() {
    // Wild echoes, rates and rounds come with them.
    let mut with = Alone::new();
    let mut without = Alone::new();
    for n in (0..400).filter(|n| n % 50 != 30) {
        let now_s = 1.0 + 0.05 * f64::from(n);
        for alone in [&mut with, &mut without] {
            alone.data(n, now_s, Some(0.1));
        }
        if n % 7 == 3 {
            (with.rate_bps, with.max_rtt_us, with.round) = (1e9, 1, 77);
            with.data(n.wrapping_mul(0x9e37_79b9) | 1 << 30, now_s, Some(0.001));
            (with.rate_bps, with.max_rtt_us, with.round) = (160_000.0, 500_000, 0);
        }
        assert_eq!(with.receiver.deadline(), without.receiver.deadline());
    }
    assert_eq!(format!("{:?}", with.reports), format!("{:?}", without.reports));
    assert_eq!(with.receiver.report().distinct_bytes, without.receiver.report().distinct_bytes);
    assert!(with.receiver.report().received_pkts > without.receiver.report().received_pkts);
}

#[test]
fn the_limiting_receiver_reports_once_per_round_trip_and_at_losses() {
    // Section 4.5. 20 packets per second and R = 120 ms: by timer, between packets.
    let mut alone = Alone::new();
    for n in (0..400).filter(|&n| n != 300) {
        let now_s = 1.0 + 0.05 * f64::from(n);
        while let Some(due) = alone.receiver.deadline().filter(|&due| due < at(now_s)) {
            alone.hand(due.as_secs_f64(), Input::Timeout);
        }
        alone.data(n, now_s, Some(0.12));
    }
    let sent: Vec<f64> = alone.reports.iter().map(|report| report.sent.as_secs_f64()).collect();
    let gaps: Vec<f64> = sent.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let odd: Vec<f64> = gaps.into_iter().filter(|gap| (gap - 0.12).abs() > 1e-6).collect();
    assert_eq!(sent[0], 1.0, "as soon as it knows");
    assert!(odd.len() == 1 && odd[0] < 0.12, "one report ahead of time, for the loss: {odd:?}");
    assert!(sent.iter().any(|&sent| (sent - (1.0 + 0.05 * 303.0)).abs() < 1e-9), "with the third packet after it");
    assert!((165..=168).contains(&sent.len()), "19.95 s / 0.12 s: {}", sent.len());
}

#[test]
fn the_timer_follows_r_max_and_packets_of_its_round_cancel_it() {
    // Section 4.5. A round begins at 1.5 s; by then 20 packets per second, so X_r = 320 kbit/s.
    let mut alone = Alone::new();
    for n in 0..10 {
        alone.data(n, 1.0 + 0.05 * f64::from(n), None);
    }
    alone.round = 1;
    alone.data(10, 1.5, None);
    let due = alone.receiver.deadline().expect("it is set").as_secs_f64();
    assert!(due > 1.7 && due <= 4.5, "T = 3 s, and not one of the few that report at once: {due}");
    alone.max_rtt_us = 1_000_000;
    alone.data(11, 1.6, None);
    let later = alone.receiver.deadline().expect("it is set").as_secs_f64();
    assert!((later - (1.6 + 2.0 * (due - 1.6))).abs() < 1e-6, "{later}, it was {due}");
    // A packet of the round before, which comes again, says nothing, nor does X_supp above the own rate.
    (alone.round, alone.suppression_bps) = (0, 1000.0);
    alone.data(9, 1.65, None);
    (alone.round, alone.suppression_bps) = (1, 400_000.0);
    alone.data(12, 1.7, None);
    assert_eq!(alone.receiver.deadline().map(|at| at.as_secs_f64()), Some(later));
    alone.suppression_bps = 200_000.0;
    alone.data(13, 1.75, None);
    assert_eq!((alone.receiver.deadline(), alone.reports.len()), (None, 0));
}

#[test]
fn one_way_delays_adjust_the_round_trip_of_those_that_do_not_limit() {
    // Section 4.3.3: 30 ms more on the way here than at the measurement.
    use OneWayAdjustment::{All, Off, Others};
    for (one_way_adjustment, is_clr, expected) in
        [(All, true, 0.13), (All, false, 0.13), (Others, true, 0.1), (Others, false, 0.13), (Off, false, 0.1)]
    {
        let mut alone = Alone::with(&Config { one_way_adjustment, ..Config::default() });
        alone.echo(0, 1.0, 1.05, Some((0.1, is_clr)));
        assert!((alone.receiver.rtt_s() - 0.1).abs() < 1e-7);
        alone.echo(1, 1.05, 1.13, None);
        assert!((alone.receiver.rtt_s() - expected).abs() < 1e-7, "{one_way_adjustment:?} {is_clr}");
        // The next measurement does without the adjustment.
        alone.echo(2, 1.1, 1.15, Some((0.1, is_clr)));
        assert!((alone.receiver.rtt_s() - 0.1).abs() < 1e-7);
    }
}

#[test]
fn a_receiver_that_becomes_limiting_reports_by_no_feedback_timer() {
    // Section 4.5: once per round-trip time instead. The timer of the round that began at 1.5 s was set before.
    let mut alone = Alone::new();
    for n in 0..10 {
        alone.data(n, 1.0 + 0.05 * f64::from(n), None);
    }
    alone.round = 1;
    alone.data(10, 1.5, None);
    assert!(alone.receiver.deadline().is_some(), "it is set");
    alone.echo(11, 1.55, 1.55, Some((1.4, true)));
    assert_eq!(alone.reports.len(), 1, "at once when it learns of it");
    assert_eq!(alone.receiver.deadline(), None);
    alone.data(12, 1.6, None);
    assert_eq!(alone.receiver.deadline().map(|due| (due.as_secs_f64() * 1e3).round()), Some(2950.0));
}
