//! One side alone, message by message, with numbers by hand.

use super::*;
use crate::endpoint::{Action, Endpoint, Event, Input, Outbox};
use crate::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet, TfmccEcho};
use crate::parts::throughput_equation::throughput_bps;
use crate::random::Random;
use crate::time::{Duration, Instant, Rate};

const SENDER: Address = Address::endpoint(0);
const OWN: Address = Address::endpoint(1);
const GROUP: Address = Address::group(0);

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

fn us(seconds: f64) -> u32 {
    (seconds * 1e6 + 0.5) as u32
}

fn packet(source: Address, sent_s: f64, header: Header) -> Packet {
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

/// A receiver, what data tells it, and the reports it has sent. Data takes no time to it.
pub(super) struct Alone {
    pub(super) receiver: Receiver,
    pub(super) round: u8,
    max_rtt_us: u32,
    pub(super) suppression_bps: f32,
    rate_bps: f32,
    pub(super) reports: Vec<Packet>,
}

/// What a report says: have_RTT, have_loss, fb_nr, X_r.
fn said(report: &Packet) -> (bool, bool, u8, f64) {
    match report.header {
        Header::TfmccReport { have_rtt, have_loss, round, rate_bps, .. } => {
            (have_rtt, have_loss, round, f64::from(rate_bps))
        }
        _ => panic!("{report:?}"),
    }
}

impl Alone {
    fn new() -> Alone {
        Alone::with(&Config::default())
    }

    pub(super) fn with(config: &Config) -> Alone {
        let mut receiver = Receiver::new(config, FlowId(0), OWN, GROUP, Random::stream(1, "test"));
        receiver.handle(Instant::ZERO, Input::Start, &mut Outbox::new());
        Alone {
            receiver,
            round: 0,
            max_rtt_us: 500_000,
            suppression_bps: f32::INFINITY,
            rate_bps: 160_000.0,
            reports: Vec::new(),
        }
    }

    /// Data with this number at `now_s`, with an echo that says that the round trip of the limiting receiver, this one,
    /// took so long.
    pub(super) fn data(&mut self, sequence: u32, now_s: f64, rtt_s: Option<f64>) {
        self.echo(sequence, now_s, now_s, rtt_s.map(|rtt_s| (rtt_s, true)));
    }

    /// The same sent at `sent_s`; the echo may be that of a receiver that does not limit.
    pub(super) fn echo(&mut self, sequence: u32, sent_s: f64, now_s: f64, echo: Option<(f64, bool)>) {
        let echo = echo.map(|(rtt_s, is_clr)| TfmccEcho {
            receiver: OWN,
            stamp_us: us(now_s).wrapping_sub(us(rtt_s)),
            is_clr,
        });
        let header = Header::TfmccData {
            sequence,
            suppression_bps: self.suppression_bps,
            rate_bps: self.rate_bps,
            max_rtt_us: self.max_rtt_us,
            round: self.round,
            echo,
            scale: 1.0,
            receivers: 1.0,
        };
        self.hand(now_s, Input::Packet(&packet(SENDER, sent_s, header)));
    }

    fn hand(&mut self, now_s: f64, input: Input<'_>) {
        let mut out = Outbox::new();
        self.receiver.handle(at(now_s), input, &mut out);
        self.reports.extend(out.drain().filter_map(|action| match action {
            Action::Send(packet) => Some(packet),
            _ => None,
        }));
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
    let mut alone = Alone::new();
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
        let leaving = |report: &Packet| matches!(report.header, Header::TfmccReport { leave: true, .. });
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
        let mut alone = Alone::with(&Config { seed_floor, ..Config::default() });
        for n in [0, 2, 3, 4] {
            alone.data(n, 1.0 + 2.0 * f64::from(n), None);
        }
        // By R_max 2.5 s of silence are no idle sender: a packet in 2 s.
        let p = alone.receiver.loss_event_rate();
        // I_0 = 4 is more than twice a seed of 1: DF = 1/2, p = 1.5/4.5; it is less than a seed of 4.8.
        let open = if expected == 1.0 { 1.0 / 3.0 } else { expected };
        assert!((p - open).abs() < 1e-4, "{seed_floor:?}: {p}");
        // Not below it by the first round-trip time either.
        alone.data(5, 11.0, Some(0.05));
        let (_, have_loss, _, rate_bps) = alone.last();
        assert!(have_loss && rate_bps >= throughput_bps(1000.0, 0.05, open) * 0.99, "{rate_bps}");
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
    // A packet of the round before says nothing, nor does X_supp above the own rate.
    (alone.round, alone.suppression_bps) = (0, 1000.0);
    alone.data(12, 1.65, None);
    (alone.round, alone.suppression_bps) = (1, 400_000.0);
    alone.data(13, 1.7, None);
    assert_eq!(alone.receiver.deadline().map(|at| at.as_secs_f64()), Some(later));
    alone.suppression_bps = 200_000.0;
    alone.data(14, 1.75, None);
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

/// A sender that has started, with R_max = 500 ms and X = 16 kbit/s.
fn sender() -> Sender {
    let mut sender = Sender::new(&Config::default(), FlowId(0), SENDER, GROUP);
    sender.handle(Instant::ZERO, Input::Start, &mut Outbox::new());
    sender
}

/// Runs its timers up to `until_s`; what it did.
fn run(sender: &mut Sender, until_s: f64) -> Vec<(f64, Action)> {
    let (mut out, mut did) = (Outbox::new(), Vec::new());
    while let Some(now) = sender.deadline().filter(|&due| due <= at(until_s)) {
        sender.handle(now, Input::Timeout, &mut out);
        did.extend(out.drain().map(|action| (now.as_secs_f64(), action)));
    }
    did
}

/// A report of receiver `from` at `now_s`, its round trip 100 ms.
fn report(sender: &mut Sender, now_s: f64, from: u32, (have_rtt, have_loss): (bool, bool), rate_bps: f32) {
    run(sender, now_s);
    let header = Header::TfmccReport {
        have_rtt,
        have_loss,
        leave: false,
        round: sender.round(),
        echoed_stamp_us: us(now_s).wrapping_sub(100_000),
        rate_bps,
        rtt_s: 0.1,
        loss_event_rate: 0.0,
        draw: f32::NAN,
    };
    sender.handle(at(now_s), Input::Packet(&packet(Address::endpoint(from), now_s, header)), &mut Outbox::new());
}

#[test]
fn rates_reckoned_with_r_max_are_adjusted_but_suppress_as_they_are() {
    // Section 3.3: X_r' = X_r·R_max/R_r, here five times X_r; section 3.4: not so for X_supp.
    let mut sender = sender();
    report(&mut sender, 0.1, 2, (false, true), 2000.0);
    assert_eq!((sender.rate_bps(), sender.clr()), (10_000.0, Some(Address::endpoint(2))));
    report(&mut sender, 0.2, 3, (false, true), 2100.0);
    assert_eq!((sender.rate_bps(), sender.clr()), (10_000.0, Some(Address::endpoint(2))), "10500 is not lower");
    report(&mut sender, 0.3, 4, (true, true), 9000.0);
    assert_eq!((sender.rate_bps(), sender.clr()), (9000.0, Some(Address::endpoint(4))), "it knows its own");
    let supp = run(&mut sender, 2.0).iter().find_map(|(_, action)| match action {
        Action::Send(Packet { header: Header::TfmccData { suppression_bps, .. }, .. }) => Some(*suppression_bps),
        _ => None,
    });
    assert_eq!(supp, Some(1800.0), "0.9·2000");
}

#[test]
fn slow_start_goes_to_the_lowest_rate_over_a_round_trip() {
    // Section 3.6. X is brought up to date by any input: a report whose rate is no number.
    let mut sender = sender();
    let look = |sender: &mut Sender, now_s: f64| {
        report(sender, now_s, 9, (true, false), f32::NAN);
        sender.rate_bps()
    };
    report(&mut sender, 0.2, 1, (true, false), 40_000.0);
    assert!((look(&mut sender, 0.25) - 24_000.0).abs() < 1e-6, "half way to twice the rate, in half of 100 ms");
    assert_eq!(look(&mut sender, 0.35), 32_000.0);
    // Another with more changes nothing, one with less limits; 40000 - 32000 is less than a packet per R_max, 16000,
    // so that is what the rate grows by, over R_max = 500 ms.
    report(&mut sender, 0.4, 2, (true, false), 41_000.0);
    assert_eq!(sender.clr(), Some(OWN));
    report(&mut sender, 0.5, 3, (true, false), 39_000.0);
    assert_eq!(sender.clr(), Some(Address::endpoint(3)));
    assert!((look(&mut sender, 0.75) - 40_000.0).abs() < 1e-6);
    // Less than the present rate is followed down; the first loss ends it at once.
    report(&mut sender, 0.8, 3, (true, false), 20_000.0);
    let before = sender.rate_bps();
    assert!((look(&mut sender, 0.85) - 0.5 * (before + 20_000.0)).abs() < 1e-6);
    report(&mut sender, 0.86, 5, (true, true), 10_000.0);
    assert!(!sender.in_slow_start());
    assert_eq!((sender.rate_bps(), sender.clr()), (10_000.0, Some(Address::endpoint(5))));
}

#[test]
fn the_rate_grows_by_a_packet_per_max_rtt_at_most_however_long_the_last_report_was_ago() {
    // Section 3.3, case 4: 8s/R_max = 16 kbit/s.
    let mut sender = sender();
    let growth = |sender: &mut Sender, now_s: f64| {
        let before = sender.rate_bps();
        report(sender, now_s, 1, (true, true), 1e9);
        sender.rate_bps() - before
    };
    assert_eq!(growth(&mut sender, 0.1), 0.0, "the end of slow start");
    assert!((growth(&mut sender, 0.2) - 3200.0).abs() < 1e-6, "a fifth of R_max");
    // Selected less than 10 round-trip times ago, it may be silent for as long: 0.6 s.
    assert!((growth(&mut sender, 0.8) - 16_000.0).abs() < 1e-6, "not 6/5 of it");
    assert_eq!(sender.max_rtt_s(), 0.5);
}

#[test]
fn the_limiting_receiver_is_echoed_once_per_round_though_others_wait() {
    // Section 3.5. Two others report for each packet. A packet each 0.5 s, R_max = 500 ms, rounds of 3 s.
    let mut sender = sender();
    report(&mut sender, 0.1, 1, (true, true), 16_000.0);
    let mut turns = Vec::new();
    for step in 0..58 {
        let now_s = 0.15 + 0.1 * f64::from(step);
        turns.extend(run(&mut sender, now_s).into_iter().filter_map(|(at_s, action)| match action {
            Action::Send(Packet { header: Header::TfmccData { echo, .. }, .. }) => Some((at_s, echo?.is_clr)),
            _ => None,
        }));
        let (from, rate_bps) = if step % 3 == 0 { (1, 16_000.0) } else { (2 + step, 50_000.0) };
        report(&mut sender, now_s, from, (true, true), rate_bps);
    }
    assert_eq!(turns.len(), 11);
    // In the first round because it is new, in the second because half of it is over.
    let limiting: Vec<f64> = turns.iter().filter(|(_, is_clr)| *is_clr).map(|(at_s, _)| *at_s).collect();
    assert_eq!(limiting, [0.5, 4.5]);
}

#[test]
fn the_sender_counts_from_nought() {
    let mut sender = sender();
    report(&mut sender, 0.1, 1, (true, true), 16_000.0);
    report(&mut sender, 0.2, 1, (true, true), 16_000.0);
    report(&mut sender, 0.3, 2, (true, true), 50_000.0);
    let first = run(&mut sender, 0.5).into_iter().find_map(|(_, action)| match action {
        Action::Send(Packet { header: Header::TfmccData { sequence, .. }, .. }) => Some(sequence),
        _ => None,
    });
    assert_eq!(first, Some(1), "the second packet; the first went at the first time-out, at nought");
    // The first report came from nobody that limited, the second from who did, the third from another.
    let counts = sender.report();
    assert_eq!((counts.received_pkts, counts.round_reports, counts.feedback_rounds, counts.timeouts), (3, 2, 0, 0));
    run(&mut sender, 3.0);
    assert_eq!(sender.report().feedback_rounds, 1);
}

#[test]
fn without_reports_the_rate_is_halved_every_ten_max_rtts() {
    // Section 3.3, and R_max not below the gap between packets, at the end of rounds of 12 R_max (sections 3.2, 3.4):
    // 10·0.5 s; at 6 s R_max = 1 s, so 15 s; at 18 s R_max = 2 s, so 35 s; at 42 s R_max = 4 s, so 75 s; then a packet
    // in 8 s is the least.
    let halved: Vec<(f64, f64)> = run(&mut sender(), 500.0)
        .into_iter()
        .filter_map(|(now_s, action)| match action {
            Action::Event(Event::RateChanged { after_bps, .. }) => Some((now_s, after_bps)),
            _ => None,
        })
        .collect();
    assert_eq!(halved, [(5.0, 8000.0), (15.0, 4000.0), (35.0, 2000.0), (75.0, 1000.0)]);
}

#[test]
fn a_driver_that_is_late_catches_up_with_what_is_not_older_than_max_rtt() {
    // Section 3.7. 16 kbit/s is a packet of 8000 bit each 0.5 s; R_max = 0.5 s.
    let mut sender = sender();
    let sent = |sender: &mut Sender, now_s: f64| {
        let mut out = Outbox::new();
        while sender.deadline().is_some_and(|due| due <= at(now_s)) {
            sender.handle(at(now_s), Input::Timeout, &mut out);
        }
        out.drain().filter(|action| matches!(action, Action::Send(_))).count()
    };
    // The first went at 0. Called at 0.8, 1.0 and 1.5: due at 0.5, 1.0, 1.5.
    assert_eq!(sent(&mut sender, 0.8), 1);
    assert_eq!(sender.deadline(), Some(at(1.0)), "nominal times accumulate");
    assert_eq!(sent(&mut sender, 1.0), 1);
    // Called 1.4 s late: what was due more than R_max ago is let go. At 2.9 those of 2.4 and 2.9.
    assert_eq!(sent(&mut sender, 2.9), 2);
    assert_eq!(sender.deadline(), Some(at(3.4)));
}

#[test]
fn max_rtt_stays_above_the_gap_by_the_granularity() {
    // Section 3.2: a gap of 0.5 s at the end of the first round and 10 ms.
    let config = Config { granularity: Duration::from_millis(10), max_rate: Some(Rate(16_000)), ..Config::default() };
    let mut sender = Sender::new(&config, FlowId(0), SENDER, GROUP);
    sender.handle(Instant::ZERO, Input::Start, &mut Outbox::new());
    report(&mut sender, 0.1, 1, (true, false), 1e6);
    for step in 1..13 {
        report(&mut sender, 0.5 * f64::from(step), 1, (true, false), 1e6);
    }
    assert_eq!(sender.round(), 1);
    assert!((sender.max_rtt_s() - 0.51).abs() < 1e-9, "{}", sender.max_rtt_s());
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
