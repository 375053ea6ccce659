//! The source with real members: lead receivers that leave, fall silent or lie, and what others see of it.

use super::show::{JOIN_BEGUN, JOIN_FAILED, JOIN_SUCCEEDED};
use super::*;
use crate::endpoint::{Endpoint, Event};
use crate::packet::{Address, FlowId, Packet};
use crate::random::Random;
use crate::scheme::{Scheme, Seat};
use crate::testing::Fate;
use crate::testing::group::{GROUP, Group, SOURCE, Who};
use crate::tfmcc::LIMITING_RECEIVER;
use crate::time::{Duration, Instant};
use std::cell::Cell;

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

fn seat(who: Who) -> Seat {
    let random = Random::stream(3, &format!("test/{}", who.stream()));
    Seat { flow: FlowId(0), own: who.address(), group: GROUP, members: 4, line_rate: None, random }
}

/// Members 30 ms from the source.
fn session<N: FnMut(Who, Who, &Packet) -> Fate>(
    config: &Config,
    members: usize,
    network: N,
) -> Group<Sender, Receiver, N> {
    assert_eq!(config.check(), []);
    let member = |n| (*config.receiver(seat(Who::Receiver(n))), Duration::from_millis(30));
    Group::new(config.sender(seat(Who::Sender)), (0..members).map(member).collect(), network)
}

/// Who led a layer, and from when on.
fn leads(events: &[(Instant, Who, Event)], layer: u8) -> Vec<(Instant, crate::endpoint::EventSubject)> {
    let of_layer = |event: &Event| event.is(LIMITING_RECEIVER) && event.layer == Some(layer);
    events.iter().filter(|(_, _, event)| of_layer(event)).map(|(now, _, event)| (*now, event.subject)).collect()
}

fn elections(events: &[(Instant, Who, Event)], since: Instant) -> Vec<(Instant, u8)> {
    let told = events.iter().filter(|(now, _, event)| event.is(ELECTION) && *now >= since);
    told.map(|(now, _, event)| (*now, event.layer.expect("it is on a layer"))).collect()
}

#[test]
fn another_member_of_the_layer_leads_within_two_rounds() {
    // All lose a fiftieth, which holds them in the lowest of two layers. The one that leads stops, or is cut off.
    for crashes in [false, true] {
        let cut_off = Cell::new(Address::NEIGHBOUR);
        let mut random = Random::stream(5, "test/loss");
        let config: Config =
            serde_json::from_str(r#"{"base_rate": "3 Mbit/s", "layers": 2, "join": "direct"}"#).unwrap();
        let mut group = session(&config, 4, |from: Who, to: Who, _: &Packet| {
            let is_cut = [from, to].iter().any(|who| who.address() == cut_off.get());
            if is_cut || (to != Who::Sender && random.chance(0.02)) { Fate::Lose } else { Fate::Deliver }
        });
        group.start_all();
        group.run_until(at(60.0));
        for now_s in [60.0, 75.0, 90.0] {
            group.run_until(at(now_s));
            let lead = group.source.lead(0).expect("somebody leads");
            if crashes {
                cut_off.set(lead);
            } else {
                group.stop(Who::Receiver(lead.index() - 1));
            }
            let (before_bps, round_s) = (group.source.rate_bps(0), 6.0 * group.source.max_rtt_s(0).max(0.06));
            // The rate does not rise until there is another; silence is noticed after 10 round trips.
            let patience_s = if crashes { 10.0 * 0.07 } else { 0.07 };
            let mut led_at = None;
            while led_at.is_none() && group.now() < at(now_s + 14.0) {
                let next = group.now() + Duration::from_millis(5);
                group.run_until(next);
                let now = group.source.lead(0).filter(|now| *now != lead);
                assert!(now.is_some() || group.source.rate_bps(0) <= before_bps + 8000.0 / 0.06, "{crashes}");
                led_at = now.map(|_| group.now());
            }
            let took_s = led_at.expect("another leads").as_secs_f64() - now_s;
            assert!(took_s < patience_s + 2.0 * round_s + 0.1, "{crashes}: {took_s} s, rounds of {round_s} s");
            cut_off.set(Address::NEIGHBOUR);
        }
    }
}

#[test]
fn a_late_slow_member_takes_from_the_lowest_layer_and_nothing_from_those_above() {
    // [Kwon] section VII-B: the first loses little and is in layer 2, the other a twentieth from 40 s on.
    let mut random = Random::stream(6, "test/loss");
    let shares = [0.000_4, 0.05];
    let config: Config = serde_json::from_str(r#"{"layers": 3}"#).unwrap();
    let mut group = session(&config, 2, |_, to, _: &Packet| match to {
        Who::Receiver(n) if random.chance(shares[n]) => Fate::Lose,
        _ => Fate::Deliver,
    });
    group.start(Who::Sender);
    group.start(Who::Receiver(0));
    group.run_until(at(40.0));
    assert_eq!(group.members[0].level(), 2);
    assert_eq!(group.source.rate_bps(0), 1e6);
    let got = |group: &Group<_, Receiver, _>| group.members[0].report().distinct_bytes as f64;
    let before = got(&group);
    group.run_until(at(50.0));
    let rate_before_bps = (got(&group) - before) * 8.0 / 10.0;
    group.start(Who::Receiver(1));
    group.run_until(at(55.0));
    let led = leads(&group.events, 0);
    let (since, subject) = *led.last().expect("somebody leads the lowest layer");
    assert_eq!(subject, crate::endpoint::EventSubject::Other(Who::Receiver(1).address()));
    assert!(since < at(52.0), "within about a second: {since}");
    let before = got(&group);
    group.run_until(at(65.0));
    let rate_after_bps = (got(&group) - before) * 8.0 / 10.0;
    assert!(group.source.rate_bps(0) < 0.9e6, "{}", group.source.rate_bps(0));
    assert!((rate_after_bps / rate_before_bps - 1.0).abs() < 0.25, "{rate_before_bps} and {rate_after_bps}");
}

#[test]
fn one_that_reports_on_all_layers_has_each_elected_anew_and_no_more() {
    let config: Config = serde_json::from_str(r#"{"layers": 3}"#).unwrap();
    let mut random = Random::stream(7, "test/loss");
    let mut group =
        session(
            &config,
            1,
            |_, to, _: &Packet| {
                if to != Who::Sender && random.chance(0.000_5) { Fate::Lose } else { Fate::Deliver }
            },
        );
    group.start_all();
    group.run_until(at(40.0));
    assert_eq!(group.members[0].level(), 2);
    let honest = Who::Receiver(0).address();
    for n in 0..3000u32 {
        let now = at(40.0 + 0.02 * f64::from(n));
        group.run_until(now);
        let layer = (n % 3) as u8;
        let stamp_us = ((now - Duration::from_millis(40)).0 / 1000) as u32;
        let feedback = crate::tfmcc::FeedbackHeader {
            have_rtt: true,
            have_loss: true,
            leave: false,
            round: group.source.round(usize::from(layer)),
            echoed_stamp_us: stamp_us,
            rate_bps: 1e9,
            rtt_s: 0.04,
            loss_event_rate: 1e-6,
            receive_bps: 1e9,
            scale: 1.0,
        };
        let header = Header::Feedback(FeedbackHeader { feedback, layer, dropped: false });
        let packet = Packet {
            sent: now,
            flow: FlowId(0),
            source: Address::endpoint(99),
            destination: SOURCE,
            size: 40,
            ttl: crate::packet::INITIAL_TTL,
            ecn: crate::packet::Ecn::NotCapable,
            header: header.into(),
        };
        group.hand(Who::Sender, &packet);
        let rates = [0, 1, 2].map(|layer| group.source.rate_bps(layer));
        assert!(rates.is_sorted() && rates[0] <= 1e6 && rates[2] <= 4e6, "{rates:?}");
    }
    // An honest receiver that wants less, leads its layer.
    assert_eq!(group.source.lead(2), Some(honest));
    assert!(elections(&group.events, at(40.0)).iter().all(|&(_, layer)| layer < 2));
}

#[test]
fn periods_that_are_no_multiples_of_each_other_count_as_well() {
    // Round trips of 60 ms: less than 70 ms, more than 50. One loses much and holds the lowest layer down, the other
    // nothing, or one packet of the second counting layer of the second set: the last of those that come in a row.
    let config: Config = serde_json::from_str(r#"{"layers": 2, "rtts": ["50 ms", "70 ms", "100 ms"]}"#).unwrap();
    let second = Address::group((GROUP.index() as u32) + config.period_sets()[1].first_group + 1);
    for loses in [false, true] {
        let (climbs, heard) = (Cell::new(false), Cell::new(0));
        let mut random = Random::stream(6, "test/loss");
        let mut group = session(&config, 2, |_, to, packet: &Packet| {
            if to == Who::Receiver(1) && random.chance(0.05) {
                return Fate::Lose;
            }
            let is_it = climbs.get() && to == Who::Receiver(0) && packet.destination == second;
            heard.set(heard.get() + u32::from(is_it));
            if loses && is_it && heard.get() == 4 { Fate::Lose } else { Fate::Deliver }
        });
        group.start_all();
        let mut now = at(0.0);
        while now < at(30.0) {
            now += Duration::from_millis(5);
            group.run_until(now);
            climbs.set(group.events.iter().any(|(_, _, event)| event.is(JOIN_BEGUN) && event.details[2] > 0.0));
        }
        let of = |kind| {
            group
                .events
                .iter()
                .filter(|told| told.1 == Who::Receiver(0))
                .map(|told| told.2)
                .filter(move |event: &Event| event.is(kind))
        };
        assert!(of(JOIN_BEGUN).next().is_some() && of(JOIN_BEGUN).all(|event| event.details[2] == 0.07));
        assert_eq!((of(JOIN_FAILED).count(), group.members[0].loss_event_rate() > 0.0), (usize::from(loses), loses));
        // What is through has had all packets of a slot, as many as were sent, and those of three counting layers.
        let (added, joined) =
            of(JOIN_SUCCEEDED).next().map_or((0.0, 0.0), |event| (event.details[0], event.details[1]));
        assert!(loses || (added >= 3.0 && joined >= 2.0 && group.members[0].level() == 1), "{added} {joined}");
    }
}
