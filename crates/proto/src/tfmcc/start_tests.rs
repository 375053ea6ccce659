//! Starts over links with queues: how long they take, what they fill, who ends them.

use super::super::config::{Config, SlowStart};
use super::super::header;
use super::super::receiver::Receiver;
use super::super::sender::Sender;
use super::*;
use crate::endpoint::{Endpoint, Input, Outbox, Report};
use crate::packet::{FlowId, Header, Packet};
use crate::quantity::Bytes;
use crate::random::Random;
use crate::testing::Fate;
use crate::testing::group::{GROUP, Group, SOURCE, Who};
use crate::time::Rate;
use std::cell::RefCell;
use std::rc::Rc;

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

fn doubling() -> Config {
    Config { slow_start: SlowStart::Doubling, ..Config::default() }
}

/// A link with a queue on the way from the source to some members.
#[derive(Clone, Debug)]
struct Link {
    bps: f64,
    /// What fits into the queue, seconds of its rate.
    room_s: f64,
    free_at: Instant,
    /// The packet that was last offered, and what became of it.
    last: Option<(u32, Fate)>,
    /// The most that waited, seconds.
    most_s: f64,
    lost: u32,
}

impl Link {
    fn new(bps: f64, room_s: f64) -> Link {
        Link { bps, room_s, free_at: Instant::ZERO, last: None, most_s: 0.0, lost: 0 }
    }

    /// What becomes of a packet on its way to the group: the same for all behind the link.
    fn carry(&mut self, packet: &Packet) -> Fate {
        let number = sequence(packet);
        match self.last {
            Some((last, fate)) if last == number => fate,
            _ => {
                let wait_s = self.free_at.since(packet.sent).as_secs_f64();
                let fate = if wait_s > self.room_s {
                    self.lost += 1;
                    Fate::Lose
                } else {
                    self.most_s = self.most_s.max(wait_s);
                    let bits = 8.0 * f64::from(packet.size);
                    self.free_at = self.free_at.max(packet.sent) + Duration::from_secs_f64(bits / self.bps);
                    Fate::Late(self.free_at.since(packet.sent))
                };
                self.last = Some((number, fate));
                fate
            }
        }
    }
}

fn sequence(packet: &Packet) -> u32 {
    match packet.header {
        Header::Tfmcc(header::Header::Data(data)) => data.sequence,
        _ => panic!("{packet:?}"),
    }
}

type Links = Rc<RefCell<Vec<Link>>>;
/// A session whose network is `N`, and its links.
type Session<N> = (Group<Sender, Receiver, N>, Links);

/// A session: each member `(rtt_s, link)` behind one of the links; `also` may change what becomes of a copy of data.
fn session<F: FnMut(usize, &Packet, Fate) -> Fate>(
    config: &Config,
    links: Vec<Link>,
    members: &[(f64, usize)],
    mut also: F,
) -> Session<impl FnMut(Who, Who, &Packet) -> Fate + use<F>> {
    assert_eq!(config.check(), []);
    let links = Rc::new(RefCell::new(links));
    let (shared, behind) = (Rc::clone(&links), members.iter().map(|&(_, link)| link).collect::<Vec<_>>());
    let network = move |_, to: Who, packet: &Packet| match to {
        Who::Sender => Fate::Deliver,
        Who::Receiver(n) => {
            let fate = shared.borrow_mut()[behind[n]].carry(packet);
            also(n, packet, fate)
        }
    };
    let receivers = members.iter().enumerate().map(|(n, &(rtt_s, _))| {
        let random = Random::stream(1, &format!("test/start/{n}"));
        let own = Who::Receiver(n).address();
        (Receiver::new(config, FlowId(0), own, GROUP, random), Duration::from_secs_f64(0.5 * rtt_s))
    });
    let group = Group::new(Sender::new(config, FlowId(0), SOURCE, GROUP), receivers.collect(), network);
    (group, links)
}

/// When a member has got nine tenths of this rate over half a second for the first time, seconds: the end of it.
fn reaches<N: FnMut(Who, Who, &Packet) -> Fate>(group: &mut Group<Sender, Receiver, N>, bps: f64, by_s: f64) -> f64 {
    let mut got = vec![group.members[0].report().received_bytes];
    while group.now() < at(by_s) {
        let next = group.now() + Duration::from_millis(50);
        group.run_until(next);
        got.push(group.members[0].report().received_bytes);
        let before = got.len().checked_sub(11).map(|back| got[back]);
        if before.is_some_and(|before| 8.0 * (got[got.len() - 1] - before) as f64 >= 0.9 * 0.5 * bps) {
            return group.now().as_secs_f64();
        }
    }
    f64::INFINITY
}

#[test]
fn a_session_alone_has_nine_tenths_of_ten_mbits_within_three_seconds() {
    // The last answer to the first packet may come after 4 R_max, 2 s; from 2 Mbit/s, ten packets in 40 ms, it is 2.4
    // doublings. By RFC 4654 it is 5.9 s.
    let run = |config: &Config| {
        let (mut group, links) = session(config, vec![Link::new(10e6, 0.04)], &[(0.04, 0)], |_, _, fate| fate);
        group.start_all();
        (reaches(&mut group, 10e6, 30.0), links.borrow()[0].clone())
    };
    let (reached_s, link) = run(&doubling());
    assert!((2.4..3.0).contains(&reached_s), "{reached_s}");
    // What is under way when the alarm comes is more than the queue holds, by about as much as it holds.
    assert!(link.lost < 75, "{link:?}");
    let (letter_s, _) = run(&Config::default());
    assert!(letter_s > 2.0 * reached_s, "{letter_s}");
}

/// A receiver to which some packets come that are short, as those that carry no part of a file are.
struct OfShortPackets(Receiver);

impl Endpoint for OfShortPackets {
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Packet { packet, control, arrived } if sequence(packet).is_multiple_of(23) => {
                let packet = Packet { size: 140, ..*packet };
                self.0.handle(now, Input::Packet { packet: &packet, control, arrived }, out);
            }
            _ => self.0.handle(now, input, out),
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.0.deadline()
    }

    fn report(&self) -> Report {
        self.0.report()
    }
}

#[test]
fn short_packets_among_others_do_not_slow_a_session_down() {
    // Three receivers as on the wire, and one packet of 23 that has 140 of 1280 bytes, from the first on. The rates
    // that follow from such a packet were a ninth of what they are, and 3.5 Mbit/s came.
    let config = Config { packet_size: Bytes(1280), max_rate: Some(Rate(20_000_000)), ..doubling() };
    assert_eq!(config.check(), []);
    let link = Rc::new(RefCell::new(Link::new(10e6, 0.05)));
    let shared = Rc::clone(&link);
    let network = move |_, to: Who, packet: &Packet| match to {
        Who::Sender => Fate::Deliver,
        Who::Receiver(_) => shared.borrow_mut().carry(packet),
    };
    let members = (0..3).map(|n| {
        let own = Who::Receiver(n).address();
        let random = Random::stream(1, &format!("test/start/{n}"));
        (OfShortPackets(Receiver::new(&config, FlowId(0), own, GROUP, random)), Duration::from_millis(20))
    });
    let mut group = Group::new(Sender::new(&config, FlowId(0), SOURCE, GROUP), members.collect(), network);
    group.start_all();
    let mut got = Vec::new();
    for tenths in 0..=120 {
        group.run_until(at(0.1 * f64::from(tenths)));
        got.push(group.members[0].report().received_bytes);
    }
    let mbps = |from: usize, to: usize| 8e-5 * (got[to] - got[from]) as f64 / (to - from) as f64;
    let halves: Vec<f64> = (5..=30).map(|end| mbps(end - 5, end)).collect();
    assert!(halves.iter().any(|&mbps| mbps >= 9.0), "{halves:?}");
    assert!(mbps(20, 120) > 8.0, "{}", mbps(20, 120));
}

#[test]
fn what_an_application_does_not_use_is_not_doubled() {
    // Ten packets in 40 ms are 2 Mbit/s, which double once before a report tells of it. A packet in 50 ms is
    // 160 kbit/s, and twice that is less.
    let (mut group, _) = session(&doubling(), vec![Link::new(100e6, 0.04)], &[(0.04, 0)], |_, _, fate| fate);
    group.start_all();
    for turn in 0..200 {
        group.grant(1);
        group.run_until(at(0.05 * f64::from(turn)));
        assert!(group.source.rate_bps() < 4.001e6, "{turn}: {}", group.source.rate_bps());
    }
    assert!(group.source.in_slow_start());
    // With enough to send it goes on.
    group.grant(crate::endpoint::ENDLESS);
    group.run_until(at(12.0));
    assert!(group.source.rate_bps() > 20e6, "{}", group.source.rate_bps());
}

#[test]
fn over_a_geostationary_hop_twenty_megabytes_take_less_than_thirty_seconds() {
    for (initial_s, room_s) in [(1.0, 0.56), (1.0, 0.2), (0.5, 0.56)] {
        let config = Config { initial_max_rtt: Duration::from_secs_f64(initial_s), ..doubling() };
        let (mut group, _) = session(&config, vec![Link::new(10e6, room_s)], &[(0.56, 0)], |_, _, fate| fate);
        group.start_all();
        group.run_while(at(60.0), |group| group.members[0].report().received_bytes < 20_000_000);
        assert!(group.now() < at(30.0), "R_max {initial_s}, queue {room_s}: {}", group.now());
    }
}

#[test]
fn the_slow_one_of_few_ends_it_and_limits() {
    let links = vec![Link::new(10e6, 0.05), Link::new(2e6, 0.1)];
    let (mut group, links) = session(&doubling(), links, &[(0.04, 0), (0.03, 0), (0.05, 1)], |_, _, fate| fate);
    group.start_all();
    group.run_while(at(10.0), |group| group.source.in_slow_start());
    assert!(group.now() < at(4.0), "{}", group.now());
    group.run_until(at(12.0));
    assert_eq!(group.source.clr(), Some(Who::Receiver(2).address()));
    assert!((0.5e6..2.4e6).contains(&group.source.rate_bps()), "{}", group.source.rate_bps());
    assert_eq!(links.borrow()[0].lost, 0);
}

#[test]
fn a_longer_way_does_not_end_it() {
    // Two hand-offs to a way that is 20 ms longer, while the rate doubles: the second with 50 Mbit/s still far away.
    let also = |_, packet: &Packet, fate| match fate {
        Fate::Late(wait) => {
            let steps = u32::from(packet.sent > at(2.05)) + u32::from(packet.sent > at(2.25));
            Fate::Late(wait + Duration::from_millis(20 * u64::from(steps)))
        }
        other => other,
    };
    let (mut group, links) = session(&doubling(), vec![Link::new(50e6, 0.05)], &[(0.04, 0)], also);
    group.start_all();
    group.run_until(at(2.5));
    assert!(group.source.in_slow_start() || links.borrow()[0].most_s > 0.005, "{links:?}");
    assert!(reaches(&mut group, 50e6, 6.0) < 4.5);
}

#[test]
fn losses_end_it_and_ninety_of_a_hundred_do_no_harm() {
    for (p, by_s, most_bps) in [(0.02, 4.0, 6e6), (0.9, 600.0, 4e4)] {
        let mut random = Random::stream(7, "test/start/loss");
        let also = move |_, _: &Packet, fate| if random.chance(p) { Fate::Lose } else { fate };
        let (mut group, _) = session(&doubling(), vec![Link::new(10e6, 0.05)], &[(0.04, 0)], also);
        group.start_all();
        group.run_while(at(by_s), |group| group.source.in_slow_start());
        assert!(!group.source.in_slow_start(), "{p}");
        let end = group.now() + Duration::from_secs(60);
        group.run_until(end);
        assert!((1000.0..most_bps).contains(&group.source.rate_bps()), "{p}: {}", group.source.rate_bps());
    }
}

#[test]
fn a_loss_while_all_are_asked_does_not_slow_down_what_comes_after() {
    // R_max is half a second until the answers are there: if the rate grew by a packet per R_max in each from the first
    // loss on, nine tenths would take 28 s.
    for lost in [1, 2] {
        let also = move |n, packet: &Packet, fate| if n == 0 && sequence(packet) == lost { Fate::Lose } else { fate };
        let (mut group, _) = session(&doubling(), vec![Link::new(10e6, 0.04)], &[(0.04, 0), (0.05, 0)], also);
        group.start_all();
        let reached_s = reaches(&mut group, 10e6, 30.0);
        assert!(reached_s < 8.0, "{lost}: {reached_s}");
    }
}

#[test]
fn many_do_not_answer_at_once() {
    // As far away as R_max, the worst that there may be: 22 for each of the first eight, and the spread of that.
    // With one receiver in ten thousand behind a slow link it is heard all the same.
    let members: Vec<(f64, usize)> = (0..10_000).map(|n| (0.5, usize::from(n == 77))).collect();
    let links = vec![Link::new(10e6, 0.1), Link::new(0.1e6, 0.2)];
    let config = Config { max_rate: Some(Rate(400_000)), ..doubling() };
    let (mut group, _) = session(&config, links, &members, |_, _, fate| fate);
    group.start_all();
    let reports = |group: &Group<Sender, Receiver, _>| group.source.report().received_pkts;
    group.run_until(at(2.5));
    assert!((8..400).contains(&reports(&group)), "{}", reports(&group));
    let before = reports(&group);
    group.run_until(at(6.0));
    assert!(reports(&group) - before < 400, "{}", reports(&group) - before);
}

#[test]
fn the_highest_rate_bounds_it() {
    let config = Config { max_rate: Some(Rate(3_000_000)), ..doubling() };
    let (mut group, links) = session(&config, vec![Link::new(10e6, 0.05)], &[(0.001, 0)], |_, _, fate| fate);
    group.start_all();
    group.run_while(at(8.0), |group| group.source.rate_bps() <= 3e6);
    assert!(group.now() >= at(8.0), "{}", group.source.rate_bps());
    assert_eq!((group.source.rate_bps(), links.borrow()[0].lost), (3e6, 0));
}

#[test]
fn a_slow_receiver_that_comes_during_the_start_is_heard_and_limits() {
    // It has not been asked, and gets its first packet when the rate is 2 Mbit/s or more; another one ends the start.
    // Its timer of 3 R_max, 1.5 s, began with that packet.
    for join_s in [2.01, 2.1, 2.2] {
        let also = move |n, packet: &Packet, fate| if n == 1 && packet.sent < at(join_s) { Fate::Lose } else { fate };
        let links = vec![Link::new(10e6, 0.1), Link::new(1e6, 0.1)];
        let (mut group, _) = session(&doubling(), links, &[(0.04, 0), (0.06, 1)], also);
        group.start_all();
        group.run_while(at(join_s + 12.0), |group| group.source.clr() != Some(Who::Receiver(1).address()));
        assert!(group.now() < at(join_s + 1.6), "from {join_s}: {}", group.now());
        let (then, before) = (group.now() + Duration::from_secs(5), group.members[1].report().received_bytes);
        group.run_until(then);
        let got_bps = 8.0 / 5.0 * (group.members[1].report().received_bytes - before) as f64;
        assert!((0.8e6..1.01e6).contains(&got_bps), "from {join_s}: {got_bps}");
        assert!(group.source.rate_bps() < 1.5e6, "from {join_s}: {}", group.source.rate_bps());
    }
}

#[test]
fn stamps_that_wrap_change_nothing() {
    // Stamps of 32 bits in microseconds wrap at 4294.967 s: while all are asked, while the rate doubles, at its end.
    for since_s in [0.0, 4294.0, 4292.9, 4292.8, 4292.4] {
        let (mut group, _) = session(&doubling(), vec![Link::new(10e6, 0.04)], &[(0.04, 0)], |_, _, fate| fate);
        group.run_until(at(since_s));
        group.start_all();
        let reached_s = reaches(&mut group, 10e6, since_s + 10.0) - since_s;
        assert!((2.4..3.0).contains(&reached_s), "from {since_s}: {reached_s}");
    }
}

#[test]
fn who_is_first_heard_after_many_rounds_starts_as_the_first() {
    // With a packet in 8 s R_max is as long (RFC 4654 section 3.2), and a round without an answer six of that: numbers
    // of rounds wrap around after some 12 000 s. A member waits at most for the next packet, 8 s, for a timer that the
    // next round begins anew, 24 s, and then for all that are asked, 32 s.
    let silences = [(600.0, false), (640.0, false), (600.0, true), (12_000.0, true), (12_100.0, true)];
    for (dead_s, of_reports) in silences {
        let (link, config) = (Link::new(10e6, 0.04), doubling());
        let shared = Rc::new(RefCell::new(link));
        let network = move |_, to: Who, packet: &Packet| match to {
            _ if packet.sent < at(dead_s) && (to == Who::Sender) == of_reports => Fate::Lose,
            Who::Sender => Fate::Deliver,
            Who::Receiver(_) => shared.borrow_mut().carry(packet),
        };
        let own = Who::Receiver(0).address();
        let receiver = Receiver::new(&config, FlowId(0), own, GROUP, Random::stream(1, "test/start/0"));
        let members = vec![(receiver, Duration::from_millis(20))];
        let mut group = Group::new(Sender::new(&config, FlowId(0), SOURCE, GROUP), members, network);
        group.start_all();
        group.run_until(at(dead_s));
        assert_eq!((group.source.in_slow_start(), group.source.rate_bps()), (true, 1000.0), "{dead_s}");
        let wrapped = group.source.control().counts().rounds > 256;
        assert_eq!(wrapped, dead_s > 12_050.0, "{}", group.source.control().counts().rounds);
        let reached_s = reaches(&mut group, 10e6, dead_s + 200.0) - dead_s;
        let most_s = if of_reports { 48.0 + 32.0 } else { 8.0 + 24.0 + 32.0 };
        assert!(reached_s < most_s + 1.0, "{dead_s} {of_reports}: {reached_s}");
    }
}

#[test]
fn jitter_of_a_packets_time_neither_ends_it_early_nor_hides_a_queue() {
    // 0.8 ms at 10 Mbit/s, 4 ms at 2 Mbit/s: the threshold at 40 ms is 5 ms. What the queue holds later is not the
    // start's: by section 3.3 the rate grows until it is full.
    let run = |bps: f64, jitter_s: f64| {
        let mut random = Random::stream(3, "test/start/jitter");
        let also = move |_, _: &Packet, fate| match fate {
            Fate::Late(wait) => Fate::Late(wait + Duration::from_secs_f64(random.uniform() * jitter_s)),
            other => other,
        };
        let (mut group, links) = session(&doubling(), vec![Link::new(bps, 0.4)], &[(0.04, 0)], also);
        group.start_all();
        group.run_while(at(10.0), |group| group.source.in_slow_start());
        let Link { most_s, lost, .. } = links.borrow()[0];
        assert_eq!(lost, 0, "{bps}");
        (group.now().as_secs_f64(), most_s, group.source.rate_bps())
    };
    for bps in [10e6, 2e6] {
        let ((steady_s, steady_queue_s, _), (ended_s, most_s, rate_bps)) = (run(bps, 0.0), run(bps, 8000.0 / bps));
        assert!((ended_s - steady_s).abs() < 0.04, "{bps}: {ended_s}, without {steady_s}");
        assert!(most_s < steady_queue_s + 0.01, "{bps}: {most_s}, without {steady_queue_s}");
        assert!((0.9 * bps..1.1 * bps).contains(&rate_bps), "{bps}: {rate_bps}");
    }
}

#[test]
fn a_queue_that_overflows_before_the_second_alarm_costs_no_time() {
    // As `faircast send` on the wire, with jitter of a packet's time: in some of these runs packets are lost while it
    // is looked whether delays go on. When that was the end, at 8 Mbit/s and with the R_max of a full queue, it took
    // 5.3 s.
    let config = Config {
        packet_size: Bytes(1280),
        max_rate: Some(Rate(20_000_000)),
        granularity: Duration::from_millis(10),
        silence_floor: Duration::from_millis(50),
        ..doubling()
    };
    let mut lost = 0;
    for seed in 0..8 {
        let (mut random, mut last) = (Random::stream(seed, "test/start/overflow"), Instant::ZERO);
        let also = move |n, packet: &Packet, fate| match fate {
            Fate::Late(wait) => {
                let due = packet.sent + wait + Duration::from_secs_f64(1e-3 * random.uniform());
                last = if n == 0 { due.max(last) } else { last };
                Fate::Late(due.max(last).since(packet.sent))
            }
            other => other,
        };
        let members = [(0.04, 0), (0.0401, 0), (0.0402, 0)];
        let (mut group, links) = session(&config, vec![Link::new(10e6, 0.05)], &members, also);
        group.start_all();
        group.run_while(at(4.0), |group| group.source.in_slow_start());
        lost += u32::from(links.borrow()[0].lost > 0);
        assert!(group.source.control().growth_rtt_s() < 0.05, "{seed}: {}", group.source.control().growth_rtt_s());
        let reached_s = reaches(&mut group, 10e6, 30.0);
        assert!(reached_s < 3.0, "{seed}: {reached_s}");
    }
    assert!(lost > 1, "{lost}");
}

#[test]
fn an_outage_in_the_start_is_over_a_minute_later() {
    // While all are asked, while the rate doubles, and while a queue is drained; both ways are dead.
    for (from_s, length_s) in [(0.5, 3.0), (2.05, 0.5), (2.05, 3.0), (2.2, 3.0), (2.4, 3.0), (2.05, 30.0)] {
        let dead = move |packet: &Packet| packet.sent >= at(from_s) && packet.sent < at(from_s + length_s);
        let also = move |_, packet: &Packet, fate| if dead(packet) { Fate::Lose } else { fate };
        let (mut group, _) = session(&doubling(), vec![Link::new(10e6, 0.04)], &[(0.04, 0)], also);
        group.start_all();
        group.run_until(at(from_s + length_s + 60.0));
        let before = group.members[0].report().received_bytes;
        group.run_until(at(from_s + length_s + 65.0));
        let got_bps = 8.0 / 5.0 * (group.members[0].report().received_bytes - before) as f64;
        assert!(got_bps > 9e6, "{length_s} s from {from_s}: {got_bps}");
    }
}

/// A report of a receiver 40 ms away without losses.
fn report(receiver: u32, rate_bps: f64, delayed: bool) -> Feedback {
    Feedback {
        receiver: Address::endpoint(receiver),
        rate_bps,
        rtt_s: 0.04,
        used_rtt_s: 0.04,
        have_rtt: true,
        have_loss: false,
        delayed,
        leave: false,
        round: 0,
    }
}

/// One that has asked at 0 s, with R_max = 0.5 s, and doubles from 2 s on: two receivers are known.
fn doubles() -> Start {
    let mut start = Start::new(8000.0);
    start.ask(at(0.0), 0.5);
    // Ten packets per R_max from the first answer on; and ten in 40 ms when 4 R_max are over.
    assert!(start.is_unanswered() && start.deadline() == Instant::FAR_FUTURE);
    let first = start.hear(at(1.0), &report(1, 1000.0, false), true, (16_000.0, f64::INFINITY), 0.5);
    assert_eq!((first, start.is_asking(), start.is_unanswered()), (Step::Rate(160_000.0), true, false));
    start.hear(at(1.1), &report(2, 1000.0, false), false, (160_000.0, f64::INFINITY), 0.5);
    assert_eq!((start.deadline(), start.pass(at(1.9), 160_000.0, 0.5)), (at(2.0), Step::None));
    let Step::Rate(rate_bps) = start.pass(at(2.0), 160_000.0, 0.5) else { panic!("{start:?}") };
    assert!((rate_bps - 2e6).abs() < 1.0 && start.is_of_few(), "{rate_bps}");
    start
}

#[test]
fn the_rate_doubles_in_a_round_trip_as_long_as_the_limiting_one_reports() {
    let mut start = doubles();
    let rate_mbps = |start: &Start, s: f64| (start.rate_bps(at(s)).expect("it doubles") * 1e-3).round() * 1e-3;
    assert_eq!([2.0, 2.02, 2.04, 2.08].map(|s| rate_mbps(&start, s)), [2.0, 2.828, 4.0, 4.0]);
    // Another's report says nothing; that of the limiting one, 3 Mbit/s later, lets it go on to twice that.
    start.hear(at(2.02), &report(2, 1e6, false), false, (3e6, f64::INFINITY), 0.5);
    assert_eq!(rate_mbps(&start, 2.04), 4.0);
    start.hear(at(2.03), &report(1, 1e6, false), true, (3e6, f64::INFINITY), 0.5);
    assert_eq!([2.03, 2.07, 2.2].map(|s| rate_mbps(&start, s)), [3.0, 6.0, 6.0]);
    // What the application has left unused is not raised.
    start.hear(at(2.07), &report(1, 1e6, false), true, (6e6, 5e6), 0.5);
    assert_eq!(rate_mbps(&start, 2.2), 6.0);
}

#[test]
fn two_delays_of_one_receiver_are_a_queue_and_one_is_none() {
    let hear = |start: &mut Start, s: f64, n: u32, bps: f64, delayed: bool, x: f64| {
        start.hear(at(s), &report(n, bps, delayed), true, (x, f64::INFINITY), 0.5)
    };
    let mut start = doubles();
    assert!(start.selects(&report(2, 4e6, true), 9e6) && !start.selects(&report(2, 4e6, false), 9e6));
    assert_eq!(hear(&mut start, 2.1, 2, 4e6, true, 9e6), Step::Delayed(4e6));
    // Another behind the same queue, or on the same longer way, is no second one; and within a round-trip time a plain
    // report tells of what was sent before.
    assert_eq!(hear(&mut start, 2.11, 1, 5e6, true, 4e6), Step::Rate(4e6));
    assert_eq!(hear(&mut start, 2.12, 2, 8e6, false, 4e6), Step::None);
    let mut other = start.clone();
    assert_eq!(hear(&mut other, 2.14, 2, 8e6, false, 4e6), Step::Rate(4e6), "it doubles on");
    assert!(other.rate_bps(at(2.15)).is_some());
    // It got 5 Mbit/s: half of that until its round-trip time is below 40 + 5 ms, or for four of them.
    assert_eq!(hear(&mut start, 2.13, 2, 5e6, true, 4e6), Step::Rate(2.5e6));
    assert_eq!(start.deadline(), at(2.13) + Duration::from_secs_f64(0.16));
    let mut late = start.clone();
    assert_eq!(late.pass(at(2.3), 2.5e6, 0.5), Step::Over(5e6));
    let far = Feedback { rtt_s: 0.0451, ..report(2, 5e6, false) };
    assert_eq!(start.hear(at(2.18), &far, true, (2.5e6, f64::INFINITY), 0.5), Step::None);
    assert_eq!(hear(&mut start, 2.22, 1, 9e6, false, 2.5e6), Step::None, "another's way says nothing");
    assert_eq!(hear(&mut start, 2.22, 2, 5e6, false, 2.5e6), Step::Over(5e6));
}

#[test]
fn after_a_loss_the_queue_is_drained_and_then_the_equation_counts() {
    let queued = |receiver, rate_bps| Feedback { have_loss: true, rtt_s: 0.08, ..report(receiver, rate_bps, false) };
    let empty = |receiver, rate_bps| Feedback { rtt_s: 0.044, ..queued(receiver, rate_bps) };
    let hear = |start: &mut Start, s: f64, feedback: &Feedback, x: f64| {
        start.hear(at(s), feedback, true, (x, f64::INFINITY), 0.5)
    };
    // Without an alarm nobody knows what it got but by what it asks for.
    let mut start = doubles();
    assert!(start.selects(&queued(2, 3e6), 8e6) && !start.selects(&queued(2, 9e6), 8e6));
    assert!(!start.selects(&Feedback { leave: true, ..queued(2, 3e6) }, 8e6));
    assert_eq!(hear(&mut start, 2.1, &queued(2, 3e6), 8e6), Step::Rate(1.5e6));
    assert_eq!(start.deadline(), at(2.1) + Duration::from_secs_f64(0.32));
    assert_eq!(start.longest_rtt_s(), Some(0.04), "not that of the queue");
    assert!(start.drains(Address::endpoint(2)) && !start.drains(Address::endpoint(1)));
    assert_eq!(hear(&mut start, 2.15, &queued(2, 3.5e6), 1.5e6), Step::Rate(1.5e6), "it goes on");
    assert_eq!(hear(&mut start, 2.2, &empty(2, 6e6), 1.5e6), Step::Over(3e6));
    // Where no queue is there is none to be drained, or where it is not known.
    assert_eq!(hear(&mut doubles(), 2.1, &empty(2, 3e6), 8e6), Step::Over(3e6));
    assert_eq!(hear(&mut doubles(), 2.1, &queued(3, 3e6), 8e6), Step::Over(3e6));
    // Who leaves, and does not limit, says nothing.
    let mut left = doubles();
    let leaves = Feedback { leave: true, ..queued(2, 3e6) };
    assert_eq!(left.hear(at(2.1), &leaves, false, (8e6, f64::INFINITY), 0.5), Step::None);
    assert!(left.rate_bps(at(2.1)).is_some());
    // It is checked, and has got 5 Mbit/s: what it asks for at a full queue is no bound of what follows.
    let mut start = doubles();
    assert_eq!(hear(&mut start, 2.1, &report(2, 5e6, true), 9e6), Step::Delayed(5e6));
    assert!(start.selects(&queued(1, 4e6), 5e6) && !start.selects(&queued(1, 6e6), 5e6));
    // Another one has not got that much.
    assert_eq!(hear(&mut start.clone(), 2.12, &queued(1, 4e6), 5e6), Step::Rate(2e6));
    assert_eq!(hear(&mut start, 2.13, &queued(2, 3e6), 5e6), Step::Rate(2.5e6));
    let mut late = start.clone();
    assert_eq!(late.pass(at(2.46), 2.5e6, 0.5), Step::Over(3e6), "by its last report");
    // Another that stands what is sent meanwhile does not interfere, one that stands less takes its place.
    assert_eq!(hear(&mut start, 2.14, &queued(1, 3.1e6), 2.5e6), Step::None);
    assert!(start.selects(&queued(1, 1e6), 2.5e6) && !start.selects(&queued(1, 2.7e6), 2.5e6));
    let mut other = start.clone();
    assert_eq!(hear(&mut other, 2.14, &queued(1, 1e6), 2.5e6), Step::Rate(0.5e6));
    assert_eq!(other.deadline(), at(2.14) + Duration::from_secs_f64(0.32), "by its own round-trip time");
    assert_eq!(hear(&mut other, 2.2, &empty(2, 6e6), 0.5e6), Step::None, "not its queue");
    assert_eq!(hear(&mut other, 2.2, &empty(1, 1.2e6), 0.5e6), Step::Over(1e6));
    assert_eq!(hear(&mut start, 2.2, &empty(2, 6e6), 2.5e6), Step::Over(5e6), "no more than it got");
    // A loss while a queue is drained for delays; the round-trip time has 40 + 5 ms to come below.
    let mut start = doubles();
    hear(&mut start, 2.1, &report(2, 5e6, true), 9e6);
    assert_eq!(hear(&mut start, 2.13, &report(2, 6e6, true), 5e6), Step::Rate(3e6));
    assert_eq!(hear(&mut start, 2.135, &empty(1, 20e6), 3e6), Step::None, "a loss on another way");
    assert_eq!(hear(&mut start, 2.14, &queued(2, 2e6), 3e6), Step::Rate(2e6), "it asks for less than half of that");
    let near = Feedback { rtt_s: 0.0451, ..queued(2, 5e6) };
    assert_eq!(hear(&mut start, 2.15, &near, 2e6), Step::Rate(3e6));
    assert_eq!(hear(&mut start, 2.2, &empty(2, 5.5e6), 3e6), Step::Over(5.5e6));
}

#[test]
fn what_a_liar_says_it_got_is_no_more_than_was_sent() {
    let mut start = doubles();
    let mut lie = |s: f64, x: f64| start.hear(at(s), &report(2, f64::INFINITY, true), true, (x, f64::INFINITY), 0.5);
    assert_eq!(lie(2.1, 9e6), Step::Delayed(9e6));
    assert_eq!(lie(2.11, 9e6), Step::Rate(4.5e6));
}

#[test]
fn eight_answers_are_many_and_double_per_r_max() {
    let mut start = Start::new(8000.0);
    start.ask(at(0.0), 0.5);
    for n in 1..8 {
        start.hear(at(1.0), &report(n, 1000.0, false), n == 1, (16_000.0, f64::INFINITY), 0.5);
        start.hear(at(1.0), &report(n, 1000.0, false), n == 1, (16_000.0, f64::INFINITY), 0.5);
        assert!(start.is_asking(), "{n}");
    }
    let last = start.hear(at(1.0), &report(8, 1000.0, false), false, (16_000.0, f64::INFINITY), 0.5);
    assert_eq!((last, start.is_asking(), start.is_of_few()), (Step::Rate(160_000.0), false, false));
    assert_eq!((start.longest_rtt_s(), start.rate_bps(at(1.5))), (None, Some(320_000.0)));
}

#[test]
fn silence_holds_the_rate_until_somebody_reports() {
    let mut start = doubles();
    start.hold(at(2.02), 1.5e6, &Limit::nobody(at(2.02)));
    assert_eq!(start.rate_bps(at(3.0)), Some(1.5e6));
    start.hear(at(3.0), &report(1, 1e6, false), true, (1.5e6, f64::INFINITY), 0.5);
    assert!((start.rate_bps(at(3.04)).expect("it doubles") - 3e6).abs() < 1.0);
    // A check of a receiver that is silent is none; one that is to be drained stays so.
    start.hear(at(3.1), &report(2, 1e6, true), true, (3e6, f64::INFINITY), 0.5);
    start.hold(at(3.4), 0.5e6, &Limit::nobody(at(3.4)));
    assert_eq!(start.rate_bps(at(3.5)), Some(0.5e6));
}

#[test]
fn a_receiver_that_knows_no_round_trip_time_is_one_of_few() {
    // The sender has measured it by the stamp that comes back, and goes by that: 40 ms and not R_max.
    let mut start = Start::new(8000.0);
    start.ask(at(0.0), 0.5);
    let unknown = Feedback { have_rtt: false, used_rtt_s: 0.5, ..report(1, 1000.0, false) };
    start.hear(at(1.0), &unknown, true, (16_000.0, f64::INFINITY), 0.5);
    assert_eq!(start.pass(at(2.0), 160_000.0, 0.5), Step::Rate(8e4 / 0.04));
    assert_eq!((start.is_of_few(), start.longest_rtt_s()), (true, Some(0.04)));
    let late = Feedback { delayed: true, ..unknown };
    assert_eq!(start.hear(at(2.1), &late, true, (4e6, f64::INFINITY), 0.5), Step::Delayed(1000.0));
}

#[test]
fn a_liar_who_sees_no_queue_does_not_hide_that_of_others() {
    let mut start = doubles();
    let lie = report(1, f64::INFINITY, false);
    let hear = |start: &mut Start, s: f64, feedback: &Feedback, limits: bool, x: f64| {
        start.hear(at(s), feedback, limits, (x, f64::INFINITY), 0.5)
    };
    // It limits, and so lets the rate double; an honest one ends that, and goes on to be believed.
    assert_eq!(hear(&mut start, 2.04, &lie, true, 4e6), Step::None);
    assert_eq!(hear(&mut start, 2.06, &report(2, 3e6, true), true, 6e6), Step::Delayed(3e6));
    assert_eq!(hear(&mut start, 2.07, &lie, false, 3e6), Step::None);
    assert_eq!(hear(&mut start, 2.2, &lie, false, 3e6), Step::None, "not even a round-trip time later");
    assert!(start.rate_bps(at(2.2)).is_none());
    assert_eq!(hear(&mut start, 2.2, &report(2, 3.2e6, true), true, 3e6), Step::Rate(1.6e6));
    assert_eq!(hear(&mut start, 2.25, &lie, false, 1.6e6), Step::None);
    assert_eq!(start.pass(at(2.37), 1.6e6, 0.5), Step::Over(3.2e6));
}
