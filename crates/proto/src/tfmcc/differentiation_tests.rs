//! A receiver that differentiates losses.

use super::super::Config;
use super::super::header::{DataHeader, Header};
use super::super::show::{DIFFERENTIATING_GAUGES, RECEIVER_GAUGES};
use super::Receiver;
use crate::endpoint::{Endpoint, Input, Outbox};
use crate::packet::{Address, Ecn, FlowId, INITIAL_TTL, Packet};
use crate::parts::loss_differentiation::{self, DifferentiationRule};
use crate::random::Random;
use crate::time::Instant;

const GROUP: Address = Address::group(3);

/// A packet of 1000 bytes that was sent 20 ms before it comes.
fn packet(number: u32, at_ms: u64, rate_bps: f32) -> Packet {
    let header = Header::Data(DataHeader {
        starting: false,
        at_once: false,
        sequence: number,
        suppression_bps: f32::INFINITY,
        rate_bps,
        max_rtt_us: 100_000,
        round: 1,
        echo: None,
    });
    Packet {
        sent: Instant(at_ms * 1_000_000 - 20_000_000),
        flow: FlowId(0),
        source: Address::endpoint(1),
        destination: GROUP,
        size: 1000,
        ttl: INITIAL_TTL,
        ecn: Ecn::NotCapable,
        header: header.into(),
    }
}

struct Alone {
    receiver: Receiver,
    out: Outbox,
    now_ms: u64,
}

impl Alone {
    fn new(rule: Option<DifferentiationRule>) -> Alone {
        let differentiation = rule.map(|rule| loss_differentiation::Config { rule, window: None, scope: None });
        let config = Config { loss_differentiation: differentiation, ..Config::default() };
        assert_eq!(config.check(), []);
        let random = Random::stream(1, "test/receiver");
        let receiver = Receiver::new(&config, FlowId(0), Address::endpoint(0), GROUP, random);
        let mut alone = Alone { receiver, out: Outbox::new(), now_ms: 0 };
        alone.hand(0, Input::Start);
        alone
    }

    fn hand(&mut self, at_ms: u64, input: Input<'_>) {
        self.now_ms = at_ms;
        self.receiver.handle(Instant(at_ms * 1_000_000), input, &mut self.out);
        self.out.clear();
    }

    /// Packet `number` at the moment of a spacing of 10 ms: 0.8 Mbit/s.
    fn comes(&mut self, number: u32) {
        self.comes_at(number, 10 * u64::from(number) + 100);
    }

    fn comes_at(&mut self, number: u32, at_ms: u64) {
        self.hand(at_ms, Input::packet(&packet(number, at_ms, 8e5), None, Instant(at_ms * 1_000_000)));
    }

    /// A link loses packet `number`.
    fn link_loses(&mut self, number: u32) {
        let at_ms = 10 * u64::from(number) + 100;
        self.hand(at_ms, Input::LinkLoss(&packet(number, at_ms, 8e5)));
    }

    /// The four counts.
    fn confusion(&self) -> [f64; 4] {
        let mut values = [0.0; 7];
        self.receiver.measure(&mut values);
        [values[3], values[4], values[5], values[6]]
    }

    /// Loss events, and p.
    fn loss(&self) -> (f64, f64) {
        let mut values = vec![0.0; self.receiver.gauges().len()];
        self.receiver.measure(&mut values);
        (values[0], values[1])
    }
}

#[test]
fn without_the_part_nobody_is_told_and_nothing_is_shown() {
    let plain = Alone::new(None);
    assert!(!plain.receiver.sees_link_losses());
    assert_eq!(*plain.receiver.gauges(), *RECEIVER_GAUGES);
    for rule in [
        DifferentiationRule::None,
        DifferentiationRule::Ias,
        DifferentiationRule::Mbiaz,
        DifferentiationRule::Spike,
        DifferentiationRule::Zigzag,
        DifferentiationRule::Oracle,
    ] {
        let alone = Alone::new(Some(rule));
        assert!(alone.receiver.sees_link_losses());
        assert_eq!(alone.receiver.gauges(), DIFFERENTIATING_GAUGES.as_slice());
        assert_eq!(alone.receiver.gauges()[..3], *RECEIVER_GAUGES);
    }
}

#[test]
fn what_the_oracle_knows_to_be_the_links_makes_no_loss_event() {
    let mut alone = Alone::new(Some(DifferentiationRule::Oracle));
    let mut other = Alone::new(None);
    for number in 0..300 {
        match number {
            150..=153 | 200 => alone.link_loses(number),
            // Nobody says where these have gone.
            100 | 250 => {}
            _ => alone.comes(number),
        }
        if ![100, 250].contains(&number) {
            other.comes(number);
        }
        let events = f64::from([102, 252].into_iter().filter(|&seen| number > seen).count() as u32);
        assert_eq!(alone.loss().0, events, "{number}");
        assert_eq!(alone.loss().0 == 0.0, alone.loss().1 == 0.0);
    }
    assert_eq!(alone.confusion(), [5.0, 0.0, 0.0, 2.0]);
    // Both intervals are as if the packets had come.
    assert_eq!(alone.loss(), other.loss());
}

#[test]
fn a_gap_with_both_kinds_is_cut() {
    let mut alone = Alone::new(Some(DifferentiationRule::Oracle));
    let mut other = Alone::new(None);
    for number in 0..300 {
        match number {
            150 | 152 | 153 => {
                alone.link_loses(number);
                other.comes(number);
            }
            100 | 151 => {}
            _ => [&mut alone, &mut other].into_iter().for_each(|one| one.comes(number)),
        }
    }
    assert_eq!(alone.confusion(), [3.0, 0.0, 0.0, 2.0]);
    assert_eq!((alone.loss(), alone.loss().0), (other.loss(), 2.0));
}

#[test]
fn ias_judges_by_the_time_of_the_gap() {
    let mut alone = Alone::new(Some(DifferentiationRule::Ias));
    for number in 0..300 {
        match number {
            150 | 200 | 201 => alone.link_loses(number),
            // A queue has dropped it, and the next comes in its place.
            250 => {}
            _ if number > 250 => alone.comes_at(number, 10 * u64::from(number) + 90),
            _ => alone.comes(number),
        }
    }
    assert_eq!(alone.confusion(), [3.0, 0.0, 0.0, 1.0]);
    assert_eq!(alone.loss().0, 1.0);
    // With rule "none" all three gaps are loss events.
    let mut none = Alone::new(Some(DifferentiationRule::None));
    for number in 0..300 {
        match number {
            150 | 200 | 201 => none.link_loses(number),
            250 => {}
            _ => none.comes(number),
        }
    }
    assert_eq!((none.confusion(), none.loss().0), ([0.0, 3.0, 0.0, 1.0], 3.0));
}

#[test]
fn a_late_packet_takes_its_loss_back_whatever_it_was_called() {
    for (rule, called) in [(DifferentiationRule::Ias, 2), (DifferentiationRule::None, 3)] {
        let mut alone = Alone::new(Some(rule));
        (0..200).filter(|number| ![150, 151].contains(number)).for_each(|number| alone.comes(number));
        let mut expected = [0.0; 4];
        expected[called] = 2.0;
        assert_eq!(alone.confusion(), expected, "{rule:?}");
        let before = alone.receiver.report().distinct_bytes;
        alone.comes_at(151, alone.now_ms + 1);
        expected[called] = 1.0;
        assert_eq!(alone.confusion(), expected, "{rule:?}");
        // It is no duplicate, but a second one is.
        assert_eq!(alone.receiver.report().distinct_bytes, before + 1000);
        alone.comes_at(151, alone.now_ms + 1);
        assert_eq!(alone.confusion(), expected, "{rule:?}");
        assert_eq!(alone.receiver.report().distinct_bytes, before + 1000);
        alone.comes_at(150, alone.now_ms + 1);
        assert_eq!((alone.confusion(), alone.receiver.loss_event_rate()), ([0.0; 4], 0.0), "{rule:?}");
    }
}

#[test]
fn another_rate_begins_another_window() {
    // 10 ms until 2 s, then 20 ms; at the new rate a gap of one loss lasts 40 ms, four times the old T_min.
    let mut alone = Alone::new(Some(DifferentiationRule::Ias));
    let mut at_ms = 100;
    for number in 0..300_u32 {
        let (spacing_ms, rate) = if number < 200 { (10, 8e5) } else { (20, 4e5) };
        at_ms += spacing_ms;
        let sent = packet(number, at_ms, rate);
        match number {
            250 => alone.hand(at_ms, Input::LinkLoss(&sent)),
            _ => alone.hand(at_ms, Input::packet(&sent, None, Instant(at_ms * 1_000_000))),
        }
    }
    assert_eq!(alone.confusion(), [1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn numbers_that_wrap_are_no_matter() {
    let mut alone = Alone::new(Some(DifferentiationRule::Oracle));
    let first = u32::MAX - 120;
    for step in 0..300_u32 {
        let at_ms = 100 + 10 * u64::from(step);
        let sent = packet(first.wrapping_add(step), at_ms, 8e5);
        match step {
            118..=124 | 200 => alone.hand(at_ms, Input::LinkLoss(&sent)),
            _ => alone.hand(at_ms, Input::packet(&sent, None, Instant(at_ms * 1_000_000))),
        }
    }
    assert_eq!((alone.confusion(), alone.loss()), ([8.0, 0.0, 0.0, 0.0], (0.0, 0.0)));
}

#[test]
fn trips_end_when_packets_arrive_and_not_when_they_are_handed_in() {
    let mut alone = Alone::new(Some(DifferentiationRule::Spike));
    // Trips of 20 ms, or of 60: a spike begins above 40. From number 50 on packets are handed in 300 ms late.
    let mut comes = |number: u32, trip_ms: u64| {
        let at_ms = 10 * u64::from(number) + 100;
        let (arrived_ms, late_ms) = (at_ms + trip_ms - 20, if number < 50 { 0 } else { 300 });
        let arrived = Instant(arrived_ms * 1_000_000);
        alone.hand(arrived_ms + late_ms, Input::packet(&packet(number, at_ms, 8e5), None, arrived));
        alone.confusion()
    };
    for number in 1..10 {
        comes(number, 20);
    }
    assert_eq!(comes(10, 60), [0.0; 4]);
    assert_eq!(comes(15, 20), [0.0, 0.0, 4.0, 0.0]);
    for number in 16..60 {
        comes(number, 20);
    }
    assert_eq!(comes(61, 20), [0.0, 0.0, 5.0, 0.0]);
    assert_eq!(comes(63, 41), [0.0, 0.0, 5.0, 1.0]);
}
