use super::super::counting::Cursor;
use super::super::header::{AckHeader, FeedbackHeader};
use super::super::show::JOIN_FAILED;
use super::super::{Config, JOIN_ABANDONED, JOIN_BEGUN, JOIN_SUCCEEDED, JOIN_WAITING};
use super::*;
use crate::endpoint::{Action, LAYER_ADDED, LAYER_DROPPED};
use crate::packet::{Ecn, FlowId, INITIAL_TTL};
use crate::testing::feed;
use crate::testing::group::{GROUP, SOURCE};
use crate::tfmcc::LOSS_EVENT;
use crate::time::Rate;

#[path = "receiver_odd_tests.rs"]
mod odd;

const OWN: Address = Address::endpoint(1);
const X: Duration = Duration::from_millis(10);
/// A packet of 1000 bytes per slot of 10 ms, bit/s.
const PACKET_BPS: f32 = 800_000.0;

pub(super) fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

fn seat(own: Address) -> Seat {
    let random = Random::stream(7, "test/member");
    Seat { flow: FlowId(0), own, group: GROUP, members: 1, line_rate: None, random }
}

/// Layers of 4, 8 and 16 Mbit/s, one set of counting layers for 10 ms.
fn config() -> Config {
    Config { base_rate: Some(Rate(4_000_000)), layers: Some(3), rtts: vec![X], ..Config::default() }
}

/// A member, and a source by hand whose packets take no time: it sends what the member holds, at the rates that a test
/// says, and echoes the member's stamps so that it measures the round-trip time that the test says.
struct Hand {
    member: Receiver,
    cursor: Cursor,
    layers: usize,
    now: Instant,
    /// By how much the time at which what comes was sent is ahead of the member's clock, nanoseconds.
    source_ns: i64,
    /// T_i, bit/s.
    rates_bps: Vec<f32>,
    rtt: Duration,
    is_lead: bool,
    /// The feedback round of the lowest layer.
    round: u8,
    /// Whether anything is echoed.
    echoes: bool,
    /// R_max as the source has it.
    max_rtt: Duration,
    /// Layers that do not come.
    blocked: Vec<usize>,
    ecn: Ecn,
    /// When the next packet of each layer is due, and its number.
    due: Vec<(Instant, u32)>,
    held: Vec<u32>,
    /// Groups that were joined or left, and when.
    moves: Vec<(Instant, u32, bool)>,
    reports: Vec<(Instant, FeedbackHeader)>,
    acks: Vec<(Instant, AckHeader)>,
    events: Vec<(Instant, Event)>,
    out: Outbox,
}

/// A packet of a group: its number there, and its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sent {
    group: u32,
    number: u32,
    slot: u64,
}

impl Hand {
    fn new(config: &Config, rates_bps: &[f32]) -> Hand {
        assert_eq!(config.check(), []);
        let mut hand = Hand {
            member: Receiver::new(config, seat(OWN)),
            cursor: Cursor::new(config.counting()),
            layers: rates_bps.len(),
            now: Instant::ZERO,
            source_ns: 0,
            rates_bps: rates_bps.to_vec(),
            rtt: Duration::from_millis(8),
            is_lead: false,
            round: 0,
            echoes: true,
            max_rtt: Duration::from_millis(20),
            blocked: Vec::new(),
            ecn: Ecn::Capable,
            due: vec![(Instant(1), 0); rates_bps.len()],
            held: Vec::new(),
            moves: Vec::new(),
            reports: Vec::new(),
            acks: Vec::new(),
            events: Vec::new(),
            out: Outbox::new(),
        };
        hand.input(Input::Start);
        hand
    }

    fn input(&mut self, input: Input<'_>) {
        feed(&mut self.member, self.now, input, true, &mut self.out, &"member");
        for action in self.out.drain() {
            match action {
                Action::Join(group) => {
                    let group = (group.index() - GROUP.index()) as u32;
                    assert!(!self.held.contains(&group), "{group} twice");
                    self.held.push(group);
                    self.moves.push((self.now, group, true));
                }
                Action::Leave(group) => {
                    let group = (group.index() - GROUP.index()) as u32;
                    let place = self.held.iter().position(|&held| held == group).expect("it holds what it leaves");
                    self.held.remove(place);
                    self.moves.push((self.now, group, false));
                }
                Action::Send(packet) => {
                    assert_eq!((packet.destination, packet.sent), (SOURCE, self.now));
                    match packet.header {
                        packet::Header::Smcc(Header::Feedback(report)) => self.reports.push((self.now, report)),
                        packet::Header::Smcc(Header::Ack(ack)) => self.acks.push((self.now, ack)),
                        _ => panic!("{packet:?}"),
                    }
                }
                Action::Event(event) => self.events.push((self.now, event)),
                Action::SendControl(..) => panic!("nothing beside packets"),
            }
        }
        // Never a gap in the layers.
        let mut layers: Vec<u32> = self.held.iter().copied().filter(|&group| (group as usize) < self.layers).collect();
        layers.sort_unstable();
        assert!(layers.iter().copied().eq(0..layers.len() as u32), "{layers:?}");
    }

    /// Runs up to this time, in seconds; what `lose` says is lost.
    fn run(&mut self, until_s: f64, mut lose: impl FnMut(Sent) -> bool) {
        let until = at(until_s);
        loop {
            let timer = self.member.deadline().unwrap_or(Instant::FAR_FUTURE);
            let counting = self.cursor.peek().map_or(Instant::FAR_FUTURE, |due| {
                Instant(due.at.0.saturating_add_signed(-self.source_ns)).max(self.now)
            });
            let layer = (0..self.layers).min_by_key(|&layer| self.due[layer].0).expect("there is one");
            let next = timer.min(counting).min(self.due[layer].0);
            if next > until {
                self.now = until;
                return;
            }
            self.now = next;
            if timer == next {
                self.input(Input::Timeout);
            } else if counting == next {
                let due = self.cursor.advance().expect("there is one");
                let group = self.layers as u32 + due.group;
                let header = Header::Counting(CountingHeader { sequence: due.number, tick: due.tick });
                self.give(group, due.number, header, &mut lose);
            } else {
                let number = self.due[layer].1;
                let below_bps = if layer == 0 { 0.0 } else { self.rates_bps[layer - 1] };
                let gap_s = (8000.0 / f64::from(self.rates_bps[layer] - below_bps)).min(1.0);
                self.due[layer] = (next + Duration::from_secs_f64(gap_s), number + 1);
                if !self.blocked.contains(&layer) {
                    let header = self.data(layer, number);
                    self.give(layer as u32, number, header, &mut lose);
                }
            }
        }
    }

    fn data(&self, layer: usize, number: u32) -> Header {
        let stamp_us = ((self.now - self.rtt).0 / 1000) as u32;
        let is_clr = self.is_lead && layer == self.member.level;
        let data = tfmcc::DataHeader {
            starting: false,
            at_once: false,
            sequence: number,
            suppression_bps: f32::INFINITY,
            rate_bps: self.rates_bps[layer],
            max_rtt_us: (self.max_rtt.0 / 1000) as u32 + layer as u32,
            round: self.round + 10 * layer as u8,
            echo: self.echoes.then_some(Echo { receiver: OWN, stamp_us, is_clr }),
        };
        let next_bps = self.rates_bps.get(layer + 1).copied().unwrap_or(f32::NAN);
        DataHeader { data, next_bps, tick: self.slot() as u32 }.into()
    }

    /// The slot in which what comes was sent.
    fn slot(&self) -> u64 {
        self.now.0.saturating_add_signed(self.source_ns) / X.0
    }

    fn give(&mut self, group: u32, number: u32, header: Header, lose: &mut impl FnMut(Sent) -> bool) {
        let sent = Sent { group, number, slot: self.slot() };
        if self.held.contains(&group) && !lose(sent) {
            self.hand_in(group, header);
        }
    }

    fn hand_in(&mut self, group: u32, header: Header) {
        let packet = Packet {
            sent: self.now,
            flow: FlowId(0),
            source: SOURCE,
            destination: Address::group(GROUP.index() as u32 + group),
            size: 1000,
            ttl: INITIAL_TTL,
            ecn: self.ecn,
            header: header.into(),
        };
        self.input(Input::packet(&packet, None, self.now));
    }

    /// Runs until an event of this kind, up to 70 s on.
    fn until(&mut self, kind: &EventKind, mut lose: impl FnMut(Sent) -> bool) -> Event {
        let before = self.events.len();
        for _ in 0..70_000 {
            self.run((self.now.0 / 1_000_000 + 1) as f64 / 1000.0, &mut lose);
            if let Some((_, event)) = self.events[before..].iter().find(|(_, event)| event.is(kind)) {
                return *event;
            }
        }
        let names: Vec<_> = self.events.iter().map(|(at, event)| (at.0 / 1_000_000, event.kind.name)).collect();
        panic!("no {}: {names:?}", kind.name);
    }

    fn count(&self, kind: &EventKind) -> usize {
        self.events.iter().filter(|(_, event)| event.is(kind)).count()
    }

    fn gauge(&self, name: &str) -> f64 {
        let gauges = self.member.gauges();
        let mut values = vec![0.0; gauges.len()];
        self.member.measure(&mut values);
        values[gauges.iter().position(|gauge| gauge.name == name).expect("it is shown")]
    }

    /// Counting layers that it holds.
    fn climbed(&self) -> usize {
        self.held.iter().filter(|&&group| group as usize >= self.layers).count()
    }
}

use crate::endpoint::EventKind;

fn none(_: Sent) -> bool {
    false
}

/// T_0 = 2.4 Mbit/s below a slow receiver, T_1 = 6.4: five packets per slot more.
fn below_a_slow_one() -> Hand {
    Hand::new(&config(), &[2_400_000.0, 2_400_000.0 + 5.0 * PACKET_BPS, 6_400_000.0 + 3.0 * PACKET_BPS])
}

#[test]
fn a_member_without_loss_climbs_below_a_slow_one() {
    let mut hand = below_a_slow_one();
    // Twice what comes is 4.8 Mbit/s, above B_0. 1.25 · 5 packets need three layers: t_0 is a multiple of 80 ms.
    let waiting = hand.until(JOIN_WAITING, none);
    assert_eq!((waiting.layer, waiting.before, waiting.after), (Some(1), 2_400_000.0, f64::from(6_400_000.0_f32)));
    let decided_s = hand.events.last().expect("there is one").0.as_secs_f64();
    hand.until(JOIN_BEGUN, none);
    let start_s = hand.events.last().expect("there is one").0.as_secs_f64();
    let steps = start_s / 0.08;
    assert!((steps - steps.round()).abs() < 0.02, "{start_s}");
    assert!((waiting.details[3] - (start_s - decided_s)).abs() < 1e-9 && waiting.details[..3] == [0.0, 0.0, 0.01]);
    let done = hand.until(JOIN_SUCCEEDED, none);
    assert_eq!((done.layer, &done.details[..3]), (Some(1), &[5.0, 3.0, 0.01][..]));
    // Slot 5 has passed when slot 6 begins; the first packet in it says so.
    let first = hand
        .moves
        .iter()
        .filter(|&&(_, group, _)| group >= 3)
        .map(|&(when, group, joins)| ((when.as_secs_f64() - start_s) * 1000.0, group, joins));
    let moves: Vec<(f64, u32, bool)> = first.collect();
    let groups: Vec<(u32, bool)> = moves.iter().map(|&(_, group, joins)| (group, joins)).collect();
    assert_eq!(groups, [(3, true), (4, true), (5, true), (5, false), (4, false), (3, false)]);
    // R = 8 ms before slots 1, 2 and 4 as it sees them; its view is behind by what lies between packets.
    for (&(ms, ..), expected) in moves.iter().zip([2.0, 12.0, 32.0, 60.0, 60.0, 60.0]) {
        assert!((ms - expected).abs() < 3.0, "{moves:?}");
    }
    assert_eq!((hand.member.level(), &hand.held[..]), (1, &[0, 1][..]));
    // It reports at once, on the new layer.
    let &(when, report) = hand.reports.last().expect("it has reported");
    assert_eq!((when, report.layer, report.dropped), (hand.events.last().expect("one").0, 1, false));
    assert_eq!((hand.count(LAYER_ADDED), hand.gauge("joins_succeeded"), hand.gauge("joins_failed")), (2, 1.0, 0.0));
    // And on: from 6.4 to 8.8 Mbit/s.
    let done = hand.until(JOIN_SUCCEEDED, none);
    assert_eq!((done.layer, &done.details[..2]), (Some(2), &[3.0, 3.0][..]));
    hand.run(hand.now.as_secs_f64() + 5.0, none);
    assert_eq!((hand.member.level(), hand.count(JOIN_WAITING), hand.climbed()), (2, 2, 0));
    assert_eq!(
        (hand.gauge("join_attempts"), hand.gauge("counting_joins"), hand.gauge("counting_leaves")),
        (2.0, 6.0, 6.0)
    );
}

#[test]
fn before_its_first_measurement_it_joins_counting_layers_a_slot_ahead() {
    // R_max becomes shorter with every round without a report, whatever the way takes.
    let joins_ms = |echoes| {
        // T_0 is B_0, and five packets per slot are between the two.
        let mut hand = Hand::new(&config(), &[4_000_000.0, 8_000_000.0, 10_400_000.0]);
        (hand.echoes, hand.max_rtt) = (echoes, Duration::from_millis(8));
        hand.until(JOIN_BEGUN, none);
        let start = hand.now;
        hand.until(JOIN_SUCCEEDED, none);
        let joins = hand.moves.iter().filter(|&&(_, group, joins)| group >= 3 && joins);
        joins.map(|&(when, ..)| when.since(start).as_secs_f64() * 1000.0).collect::<Vec<f64>>()
    };
    let (measured, unmeasured) = (joins_ms(true), joins_ms(false));
    // Before slots 1, 2 and 4, of which its view is a millisecond behind: by R = 8 ms, and by x = 10 ms.
    for (found, expected) in [(&measured, [1.0, 11.0, 31.0]), (&unmeasured, [0.0, 9.0, 29.0])] {
        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 0.01), "{found:?}");
    }
    assert_eq!((measured.len(), unmeasured.len()), (3, 3));
}

#[test]
fn it_does_not_try_before_what_is_sent_comes() {
    let mut hand = below_a_slow_one();
    // A fifth is lost on the way without a trace: the source says more than it sends.
    hand.rates_bps[0] = 3_000_000.0;
    let mut said = hand.data(0, 0);
    assert!(matches!(said, Header::Data(_)));
    hand.run(0.02, none);
    said = hand.data(0, 7);
    let Header::Data(packed) = said else { panic!("{said:?}") };
    let DataHeader { mut data, next_bps, tick } = packed.unpack();
    data.rate_bps = 3_600_000.0;
    let header = DataHeader { data, next_bps, tick };
    hand.run(3.0, none);
    assert!(hand.count(JOIN_WAITING) > 0);
    let mut hand = below_a_slow_one();
    for number in 0..900 {
        // 3 Mbit/s come, 3.6 are said to be sent.
        hand.now = at(1.0 + 8000.0 / 3e6 * f64::from(number));
        let tick = (hand.now.0 / X.0) as u32;
        let stamp_us = ((hand.now - hand.rtt).0 / 1000) as u32;
        let echo = Some(Echo { receiver: OWN, stamp_us, is_clr: false });
        let data = tfmcc::DataHeader { sequence: number, echo, ..header.data };
        hand.give(0, number, DataHeader { data, tick, ..header }.into(), &mut none);
    }
    assert!(hand.member.target_bps() > 5.9e6 && hand.count(JOIN_WAITING) == 0);
}

#[test]
fn any_loss_ends_an_attempt_and_the_next_one_waits() {
    // A packet of the layer that it has, and of each counting layer the last in a slot: behind those of the first two
    // nothing of theirs comes before the second slot after their own.
    for (lost, steps) in [(0, 1), (3, 3), (4, 3), (5, 5)] {
        let mut hand = below_a_slow_one();
        hand.until(JOIN_BEGUN, none);
        let slot = hand.now.0 / X.0 + steps;
        let mut last = None;
        let failed = hand.until(JOIN_FAILED, |sent| {
            let of_slot = 1 << lost.max(3) >> 3;
            let is_it = sent.group == lost && sent.slot == slot && sent.number % of_slot == of_slot - 1;
            let is_it = is_it && last.is_none();
            last = last.or(is_it.then_some(sent.number));
            is_it
        });
        assert!(last.is_some() && matches!(failed.cause, Cause::Loss { .. }), "{lost}: {failed:?}");
        assert_eq!((hand.count(LOSS_EVENT), hand.climbed(), hand.member.level()), (1, 0, 0), "{lost}");
        assert_eq!(failed.cause.number(), last.map(u64::from), "{lost}");
        // At the start of the second slot after its own at the latest, as the packets tell it.
        let known = hand.events.last().expect("there is one").0.0 / X.0;
        assert!(known <= slot + 2, "{lost}: lost in {slot}, known in {known}");
        assert_eq!((hand.gauge("joins_failed"), hand.gauge("counting_leaves")), (1.0, hand.gauge("counting_joins")));
        // t_hold: a second, since ten round-trip times are less.
        let failed_s = hand.now.as_secs_f64();
        hand.until(JOIN_WAITING, none);
        assert!(hand.now.as_secs_f64() >= failed_s + 0.999, "{lost}");
        // The loss stays in the history.
        assert!(hand.member.loss_event_rate() > 0.0 && hand.gauge("loss_events") == 1.0);
    }
}

#[test]
fn after_a_failure_it_waits_for_ten_round_trips() {
    let mut hand = below_a_slow_one();
    hand.rtt = Duration::from_millis(150);
    let began = hand.until(JOIN_BEGUN, none);
    assert_eq!(began.details[2], 0.01, "there is one set only");
    let slot = hand.now.0 / X.0;
    hand.until(JOIN_FAILED, |sent| sent.group == 4 && sent.slot > slot + 2);
    let failed_at = hand.events.last().expect("there is one").0;
    let held_s = hand.member.hold_until.since(failed_at).as_secs_f64();
    // The first stamps are of the time before it began.
    assert!((1.2..1.5).contains(&held_s) && (held_s - 10.0 * hand.member.rtt_s()).abs() < 1e-6, "{held_s}");
}

#[test]
fn a_mark_is_a_loss() {
    let mut hand = below_a_slow_one();
    hand.until(JOIN_BEGUN, none);
    hand.run(hand.now.as_secs_f64() + 0.02, none);
    hand.ecn = Ecn::Moderate;
    let failed = hand.until(JOIN_FAILED, none);
    assert!(matches!(failed.cause, Cause::Mark { level: Ecn::Moderate, .. }));
    assert_eq!(hand.climbed(), 0);
}

#[test]
fn where_the_counting_layers_begin_anew_it_gives_up_and_tries_again() {
    let mut hand = below_a_slow_one();
    hand.until(JOIN_BEGUN, none);
    // More than the three layers for 1.25 · 5 packets count, and more than the fourth and fifth, if they are off.
    hand.rates_bps[1] = 2_400_000.0 + 60.0 * PACKET_BPS;
    hand.rates_bps[2] = hand.rates_bps[1] + PACKET_BPS;
    let given_up = hand.until(JOIN_ABANDONED, none);
    let added = given_up.details[0];
    assert!([8.0, 16.0, 32.0].contains(&added), "{added}");
    assert_eq!((hand.climbed(), hand.member.level(), hand.gauge("joins_failed")), (0, 0, 0.0));
    hand.rates_bps[1] = 2_400_000.0 + 7.0 * PACKET_BPS;
    hand.until(JOIN_SUCCEEDED, none);
    assert_eq!((hand.count(JOIN_BEGUN), hand.count(JOIN_ABANDONED)), (2, 1));
}

#[test]
fn a_stop_calls_it_off() {
    for is_lead in [false, true] {
        let mut hand = below_a_slow_one();
        hand.until(JOIN_BEGUN, none);
        hand.is_lead = is_lead;
        hand.run(hand.now.as_secs_f64() + 0.035, none);
        assert_eq!(hand.climbed(), 3);
        hand.input(Input::Stop);
        assert_eq!((hand.climbed(), hand.count(JOIN_ABANDONED)), (0, 1));
        // The one that limits says so for a round.
        assert_eq!(hand.held.is_empty(), !is_lead);
        hand.run(hand.now.as_secs_f64() + 10.0, none);
        assert_eq!((hand.held.len(), hand.member.deadline(), hand.count(LAYER_DROPPED)), (0, None, 1));
        assert_eq!(hand.reports.last().is_some_and(|(_, report)| report.feedback.leave), is_lead);
        // It may come again, and begins anew.
        hand.is_lead = false;
        hand.input(Input::Start);
        hand.until(JOIN_SUCCEEDED, none);
        assert_eq!(hand.held, [0, 1]);
    }
}

/// Loses one packet of the base layer each time so many have been sent, after this time.
fn every(packets: u32) -> impl FnMut(Sent) -> bool {
    move |sent| sent.group == 0 && sent.number.is_multiple_of(packets)
}

#[test]
fn at_t_0_it_begins_only_if_it_still_wants_more() {
    // The wait is long: 60 packets at B_0 = 4 Mbit/s, t_0 at multiples of 1.28 s.
    let config =
        Config { bounds: Some(vec![Rate(4_000_000), Rate(60_000_000)]), base_rate: None, layers: None, ..config() };
    let mut hand = Hand::new(&config, &[2_400_000.0, 50_400_000.0]);
    hand.until(JOIN_WAITING, none);
    let given_up = hand.until(JOIN_ABANDONED, every(10));
    assert_eq!((hand.count(JOIN_BEGUN), hand.gauge("join_attempts"), hand.gauge("counting_joins")), (0, 0.0, 0.0));
    assert!(given_up.details[3] > 0.1 && hand.member.target_bps() < 4e6);
    assert_eq!(hand.gauge("joins_failed"), 0.0, "what was lost before t_0 ends nothing");
}

#[test]
fn while_it_climbs_its_own_rate_is_not_consulted() {
    let mut hand = below_a_slow_one();
    // With a loss behind it X is that of the equation.
    hand.until(JOIN_BEGUN, none);
    hand.until(JOIN_FAILED, every(5));
    hand.until(JOIN_BEGUN, none);
    assert!(hand.member.measurement.have_loss());
    hand.rtt = Duration::from_millis(300);
    hand.run(hand.now.as_secs_f64() + 0.03, none);
    assert!(hand.member.target_bps() < 4e6 && hand.climbed() > 0, "{}", hand.member.target_bps());
    // But at the end it is: with the long round trip it does not want the layer.
    hand.until(JOIN_ABANDONED, none);
    assert_eq!((hand.climbed(), hand.member.level(), hand.count(JOIN_SUCCEEDED)), (0, 0, 0));
}

#[test]
fn with_nothing_to_add_no_counting_layer_is_joined() {
    let mut hand = Hand::new(&config(), &[3_000_000.0, 3_000_000.0, 3_000_000.0]);
    let done = hand.until(JOIN_SUCCEEDED, none);
    assert_eq!((&done.details[..2], hand.count(JOIN_WAITING)), (&[0.0, 0.0][..], 0));
    hand.run(5.0, none);
    assert_eq!((hand.gauge("counting_joins"), hand.gauge("join_attempts") >= 1.0), (0.0, true));
}

#[test]
fn one_that_joins_directly_joins_at_once_and_then_waits() {
    let config = Config { join: Join::Direct, ..config() };
    let mut hand = Hand::new(&config, &[3_000_000.0, 6_000_000.0, 12_000_000.0]);
    hand.until(JOIN_SUCCEEDED, none);
    let first_s = hand.now.as_secs_f64();
    assert_eq!((hand.member.level(), hand.held.len()), (1, 2));
    hand.until(JOIN_SUCCEEDED, none);
    assert!((0.999..1.1).contains(&(hand.now.as_secs_f64() - first_s)));
    assert_eq!((hand.member.level(), hand.gauge("join_attempts"), hand.count(JOIN_WAITING)), (2, 2.0, 0));
}

/// A member at the top of three layers.
fn on_top() -> Hand {
    let mut hand = Hand::new(&config(), &[4_000_000.0, 8_000_000.0, 12_000_000.0]);
    while hand.member.level() < 2 {
        hand.until(JOIN_SUCCEEDED, none);
    }
    hand.run(hand.now.as_secs_f64() + 0.5, none);
    hand
}

#[test]
fn one_layer_is_dropped_for_a_loss_event() {
    let mut hand = on_top();
    hand.rtt = Duration::from_millis(100);
    hand.run(hand.now.as_secs_f64() + 1.0, none);
    // One in 100 is lost: the rate of the equation is about 1 Mbit/s, below B_0.
    let (mut first, from) = (true, hand.now);
    let mut lose_one = |sent: Sent| sent.group == 0 && core::mem::take(&mut first);
    hand.until(LOSS_EVENT, &mut lose_one);
    assert_eq!(
        (hand.member.level(), hand.count(LAYER_DROPPED)),
        (2, 0),
        "by its first loss it stands half of what came"
    );
    let mut event = hand.count(LOSS_EVENT);
    let mut level = hand.member.level();
    while hand.member.level() > 0 {
        assert!(hand.now < from + Duration::from_secs(60));
        hand.run(hand.now.as_secs_f64() + 0.001, every(30));
        let (events, now_at) = (hand.count(LOSS_EVENT), hand.member.level());
        assert!(now_at == level || (now_at + 1 == level && events > event), "{level} to {now_at} at {}", hand.now);
        if now_at < level {
            let &(_, report) = hand.reports.last().expect("it has reported");
            assert_eq!((usize::from(report.layer), report.dropped), (now_at, true));
            // Of the rounds of the layer in which it is active now.
            assert_eq!(usize::from(report.feedback.round), 10 * now_at);
            (level, event) = (now_at, events);
        }
    }
    assert_eq!((hand.count(LAYER_DROPPED), &hand.held[..]), (2, &[0][..]));
    // Its rounds and R_max are those of the lowest layer now.
    hand.run(hand.now.as_secs_f64() + 0.1, none);
    assert_eq!((hand.member.reporting.round(), hand.member.measurement.max_rtt_s()), (0, 0.02));
}

#[test]
fn a_drop_calls_off_a_wait() {
    let bounds = Some([4, 8, 60].map(|mbps| Rate(1_000_000 * mbps)).to_vec());
    let config = Config { bounds, base_rate: None, layers: None, ..config() };
    let mut hand = Hand::new(&config, &[4_000_000.0, 8_000_000.0, 50_400_000.0]);
    hand.until(JOIN_SUCCEEDED, none);
    // For 53 packets and the reserve t_0 is at multiples of 1.28 s.
    assert_eq!(hand.count(JOIN_WAITING), 2);
    hand.rtt = Duration::from_millis(400);
    hand.until(LAYER_DROPPED, every(3));
    assert_eq!((hand.count(JOIN_ABANDONED), hand.count(JOIN_BEGUN), hand.member.attempt.is_none()), (1, 1, true));
    assert_eq!((hand.member.level(), &hand.held[..]), (0, &[0][..]));
}

#[test]
fn a_layer_that_does_not_come_is_left_with_those_above() {
    let mut hand = on_top();
    let quiet = hand.now;
    hand.blocked = vec![1];
    hand.until(LAYER_DROPPED, none);
    let after_s = hand.now.as_secs_f64() - quiet.as_secs_f64();
    assert!((9.9..10.2).contains(&after_s), "{after_s}");
    assert_eq!((hand.member.level(), &hand.held[..], hand.count(LAYER_DROPPED)), (0, &[0][..], 2));
    // Each is told of, the highest first.
    let last: Vec<(u8, bool)> =
        hand.reports.iter().rev().take(2).map(|(_, report)| (report.layer, report.dropped)).collect();
    assert_eq!(last, [(0, true), (1, true)]);
    // For a minute it does not try again.
    let left_s = hand.now.as_secs_f64();
    hand.until(JOIN_WAITING, none);
    assert!((59.99..61.0).contains(&(hand.now.as_secs_f64() - left_s)));
}

#[test]
fn an_outage_of_everything_costs_no_layer() {
    let mut hand = on_top();
    let now_s = hand.now.as_secs_f64();
    hand.run(now_s + 30.0, |_| true);
    hand.run(now_s + 30.2, none);
    // By its rate it may leave layers, but none is barred for its silence.
    assert!(hand.member.hold_until < hand.now + Duration::from_secs(10));
}

#[test]
fn joins_are_logarithmic_in_what_is_added() {
    for (packets, joins) in [(1, 2), (2, 2), (3, 3), (6, 3), (12, 4), (25, 5), (50, 6)] {
        let bounds = Some(vec![Rate(4_000_000), Rate(60_000_000)]);
        let config = Config { bounds, base_rate: None, layers: None, ..config() };
        let mut hand = Hand::new(&config, &[2_400_000.0, 2_400_000.0 + packets as f32 * PACKET_BPS]);
        let done = hand.until(JOIN_SUCCEEDED, none);
        assert_eq!(done.details[..2], [f64::from(packets), f64::from(joins)]);
        assert_eq!(hand.gauge("counting_joins"), f64::from(joins));
    }
}

#[test]
fn what_it_does_not_hold_is_nothing_to_it() {
    let mut hand = below_a_slow_one();
    hand.run(0.05, none);
    let (report, target_bps) = (hand.member.report(), hand.member.target_bps());
    for group in [1, 2, 3, 7, 100, 9000] {
        let counting = Header::Counting(CountingHeader { sequence: 5, tick: 5 });
        for header in [hand.data(0, 9), counting] {
            hand.hand_in(group, header);
        }
    }
    assert_eq!((hand.member.report().distinct_bytes, hand.member.level()), (report.distinct_bytes, 0));
    assert_eq!((hand.member.report().received_pkts, hand.member.target_bps()), (report.received_pkts + 12, target_bps));
}

#[path = "receiver_lead_tests.rs"]
mod lead;

#[path = "receiver_windowed_tests.rs"]
mod windowed;
