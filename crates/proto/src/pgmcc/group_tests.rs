//! A source and its receivers over a network: the mean window, the worst receiver, crashes, lies, heavy loss.

use super::*;
use crate::endpoint::Endpoint;
use crate::packet::{self, Address, FlowId, Packet};
use crate::random::Random;
use crate::testing::Fate;
use crate::testing::group::{GROUP, Group, SOURCE, Who};
use crate::time::{Duration, Instant};
use std::cell::Cell;
use std::rc::Rc;

pub(super) type Network<'a> = Box<dyn FnMut(Who, Who, &mut Random, &Packet) -> Fate + 'a>;

pub(super) fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

/// Receivers with these one-way delays.
pub(super) fn session<'a>(
    config: &Config,
    seed: u64,
    delays_s: &[f64],
    mut network: Network<'a>,
) -> Group<Sender, Receiver, impl FnMut(Who, Who, &Packet) -> Fate + use<'a>> {
    assert_eq!(config.check(), []);
    let mut random = Random::stream(seed, "test/pgmcc-network");
    let members = delays_s.iter().enumerate().map(|(n, &delay_s)| {
        let own = Who::Receiver(n).address();
        let random = Random::stream(seed, &format!("test/pgmcc-{n}"));
        (Receiver::new(config, FlowId(0), own, GROUP, random), Duration::from_secs_f64(delay_s))
    });
    let source = Sender::new(config, FlowId(0), SOURCE, GROUP);
    Group::new(source, members.collect(), move |from, to, packet: &Packet| network(from, to, &mut random, packet))
}

pub(super) fn is_data(packet: &Packet) -> bool {
    matches!(packet.header, packet::Header::Pgmcc(Header::Data(_)))
}

/// Each receiver loses data packets at random, with its own probability.
fn bernoulli(losses: Vec<f64>) -> Network<'static> {
    Box::new(move |_, to, random, packet| match to {
        Who::Receiver(n) if is_data(packet) && random.chance(losses[n]) => Fate::Lose,
        _ => Fate::Deliver,
    })
}

fn gauge(endpoint: &dyn Endpoint, name: &str) -> f64 {
    let mut values = vec![0.0; endpoint.gauges().len()];
    endpoint.measure(&mut values);
    values[endpoint.gauges().iter().position(|gauge| gauge.name == name).expect("it is there")]
}

/// The mean window from `from_s` to `to_s`, and the packets sent meanwhile per window and `rtt_s`.
fn mean_window<N>(group: &mut Group<Sender, Receiver, N>, from_s: u32, to_s: u32, rtt_s: f64) -> (f64, f64)
where
    N: FnMut(Who, Who, &Packet) -> Fate,
{
    group.run_until(at(f64::from(from_s)));
    let sent = group.source.report().sent_pkts;
    let (mut sum, mut samples) = (0.0, 0);
    while group.now() < at(f64::from(to_s)) {
        group.run_until(group.now() + Duration::from_millis(50));
        sum += group.source.control().window();
        samples += 1;
    }
    let mean = sum / f64::from(samples);
    let rounds = f64::from(to_s - from_s) / rtt_s;
    (mean, (group.source.report().sent_pkts - sent) as f64 / rounds / mean)
}

#[test]
fn the_mean_window_is_that_of_a_tcp() {
    // sqrt(3 / 2p) within 20 %: 12.2 packets at 1 %, 38.7 at 0.1 %; a window per round-trip time within 5 %. No NCFs:
    // they would count as packets sent.
    for (p, length_s) in [(0.01, 1000), (0.001, 1500)] {
        let config = Config { ncf: false, ..Config::default() };
        let mut group = session(&config, 1, &[0.05], bernoulli(vec![p]));
        group.start_all();
        let (mean, per_round) = mean_window(&mut group, 50, length_s, 0.1);
        let expected = (1.5f64 / p).sqrt();
        assert!((mean / expected - 1.0).abs() < 0.2, "{mean} for {expected}");
        assert!((per_round - 1.0).abs() < 0.05, "{per_round} windows per round-trip time at {p}");
    }
}

#[test]
fn the_mean_window_stands_changes_of_the_acker_and_lost_acks() {
    // Two receivers alike, of which now one and now the other seems slower, and one ACK of 50 is lost.
    let config = Config { bias: 1.0, ncf: false, ..Config::default() };
    let network: Network<'_> = Box::new(|_, to, random, packet| {
        let loss = if is_data(packet) { 0.01 } else { 0.02 };
        let _ = to;
        if random.chance(loss) { Fate::Lose } else { Fate::Deliver }
    });
    let mut group = session(&config, 2, &[0.05, 0.05], network);
    group.start_all();
    let (mean, per_round) = mean_window(&mut group, 50, 1000, 0.1);
    assert!(gauge(&group.source, "acker_changes") > 50.0);
    assert!((mean / 12.2 - 1.0).abs() < 0.2, "{mean}");
    assert!((per_round - 1.0).abs() < 0.05, "{per_round}");
}

#[test]
fn the_slowest_receiver_is_the_acker() {
    // p of 0.5, 1, 4 %, then delays: M goes as R sqrt(p).
    for (delays_s, losses, slowest) in
        [([0.05, 0.05, 0.05], [0.005, 0.01, 0.04], 2), ([0.02, 0.2, 0.05], [0.01, 0.01, 0.01], 1)]
    {
        let mut group = session(&Config::default(), 3, &delays_s, bernoulli(losses.to_vec()));
        group.start_all();
        let (mut held, mut seconds) = (0, 0);
        group.run_until(at(20.0));
        while group.now() < at(120.0) {
            group.run_until(group.now() + Duration::from_secs(1));
            held += u32::from(group.source.acker() == Some(Who::Receiver(slowest).address()));
            seconds += 1;
        }
        assert!(held * 10 >= seconds * 9, "{held} of {seconds} s for {losses:?}");
    }
}

#[test]
fn a_crash_of_the_acker_is_survived() {
    let crash = at(60.0);
    let network: Network<'_> = Box::new(move |from, to, random, packet| {
        let crashed = packet.sent >= crash && (from == Who::Receiver(0) || to == Who::Receiver(0));
        let loss = if to == Who::Receiver(0) { 0.03 } else { 0.005 };
        if crashed || (is_data(packet) && random.chance(loss)) { Fate::Lose } else { Fate::Deliver }
    });
    let mut group = session(&Config::default(), 4, &[0.05, 0.05, 0.05], network);
    group.start_all();
    group.run_until(crash);
    assert_eq!(group.source.acker(), Some(Who::Receiver(0).address()));
    let timeouts = gauge(&group.source, "timeouts");
    // The least time-out 1 s, then 2 s, then an election.
    group.run_until(at(64.0));
    assert_eq!(gauge(&group.source, "timeouts"), timeouts + 2.0);
    assert!(group.source.acker().is_some_and(|acker| acker != Who::Receiver(0).address()));
    group.run_until(at(90.0));
    let sent = group.source.report().sent_pkts;
    group.run_until(at(120.0));
    assert!(group.source.report().sent_pkts - sent > 30 * 100, "a window of 17 each 0.1 s");
}

#[test]
fn an_acker_leaves_and_others_come_late() {
    let mut group = session(&Config::default(), 5, &[0.05, 0.1, 0.02], bernoulli(vec![0.02, 0.01, 0.05]));
    group.start(Who::Sender);
    group.run_until(at(20.0));
    assert_eq!(group.source.acker(), None);
    group.start(Who::Receiver(0));
    group.run_until(at(40.0));
    assert_eq!(group.source.acker(), Some(Who::Receiver(0).address()));
    group.start(Who::Receiver(1));
    group.run_until(at(80.0));
    let acker = group.source.acker().expect("one of them");
    let leaver = Who::Receiver(acker.index() - 1);
    let timeouts = gauge(&group.source, "timeouts");
    group.stop(leaver);
    group.run_until(at(81.0));
    // No time-out was needed.
    assert_eq!(gauge(&group.source, "timeouts"), timeouts);
    assert!(group.source.acker().is_some_and(|next| next != acker));
    // All go, and one comes after a while.
    group.stop(Who::Receiver(1 - (acker.index() - 1)));
    let sent = group.source.report().sent_pkts;
    group.run_until(at(180.0));
    let most = group.source.report().sent_pkts - sent;
    assert!((10..=20).contains(&most), "{most} packets in 100 s");
    group.start(Who::Receiver(2));
    group.run_until(at(200.0));
    assert_eq!(group.source.acker(), Some(Who::Receiver(2).address()));
}

#[test]
fn a_shared_loss_is_told_by_few() {
    // Twenty receivers behind one lossy link, 10 to 29 ms away: NCFs reach them before most of them have spoken.
    let run = |ncf: bool| {
        let config = Config { ncf, ..Config::default() };
        let (mut last, mut lost) = (None, false);
        let network: Network<'_> = Box::new(move |_, to, random, packet| {
            if to != Who::Sender && is_data(packet) && last != packet.header.number() {
                (last, lost) = (packet.header.number(), random.chance(0.01));
            }
            if is_data(packet) && to != Who::Sender && lost { Fate::Lose } else { Fate::Deliver }
        });
        let delays_s: Vec<f64> = (0..20).map(|n| 0.01 + 0.001 * f64::from(n)).collect();
        let mut group = session(&config, 6, &delays_s, network);
        group.start_all();
        group.run_until(at(120.0));
        let sum = |name| group.members.iter().map(|member| gauge(member, name)).sum::<f64>();
        (sum("naks"), sum("naks_suppressed"), gauge(&group.source, "loss_reductions"))
    };
    let (naks, suppressed, halvings) = run(true);
    assert!(halvings > 100.0);
    let share = naks / (naks + suppressed);
    assert!(share < 0.7 && suppressed > 1000.0, "{naks} and {suppressed}");
    let (naks, suppressed, _) = run(false);
    // Without them the naming of an acker spares some dummies, and that is all.
    assert!(naks > 2000.0 && suppressed <= 20.0, "{naks} and {suppressed}");
}

#[test]
fn heavy_loss_on_a_long_way_is_stood() {
    // 30 % and 90 % at a round-trip time of 600 ms, of data and of ACKs; W - T is looked at with each step.
    for (loss, least) in [(0.3, 300), (0.9, 70)] {
        let network: Network<'_> =
            Box::new(move |_, _, random, _| if random.chance(loss) { Fate::Lose } else { Fate::Deliver });
        let mut group = session(&Config::default(), 7, &[0.3, 0.3, 0.25], network);
        group.pester = true;
        group.start_all();
        group.run_until(at(600.0));
        let sent = group.source.report().sent_pkts;
        assert!(sent >= least, "{sent} packets at {loss}");
        assert!(sent < 3000, "{sent} packets at {loss}");
        let window = group.source.control().window();
        assert!((1.0..20.0).contains(&window), "{window}");
        for member in &group.members {
            // At 90 % too few packets are sent for the filter to have seen it all.
            let seen = member.loss_rate();
            assert!(seen > 0.15 && seen < loss + 0.15, "{seen} for {loss}");
        }
        assert!(gauge(&group.source, "timeouts") > 50.0);
    }
}

#[test]
fn a_receiver_that_claims_any_loss_slows_the_session_no_more_than_a_bad_one() {
    // Member 1 tells of p = 1 in every report and answers nothing else; each NAK of it makes it the acker.
    let network: Network<'_> = Box::new(move |from, to, random, packet| {
        let lies = from == Who::Receiver(1) && !matches!(packet.header, packet::Header::Pgmcc(Header::Nak(_)));
        if lies || (is_data(packet) && to != Who::Sender && random.chance(0.02)) { Fate::Lose } else { Fate::Deliver }
    });
    let mut group = session(&Config::default(), 8, &[0.05, 0.3], network);
    group.start_all();
    group.run_until(at(300.0));
    // Silent as an acker: it is given up again and again, and the session goes on.
    assert!(gauge(&group.source, "elections") > 3.0);
    assert!(group.source.report().sent_pkts > 300);
    let heard: Vec<Address> = group
        .events
        .iter()
        .filter(|(_, _, event)| event.is(LIMITING_RECEIVER))
        .filter_map(|(_, _, event)| {
            if let crate::endpoint::EventSubject::Other(address) = event.subject { Some(address) } else { None }
        })
        .collect();
    assert!(heard.contains(&Who::Receiver(0).address()) && heard.contains(&Who::Receiver(1).address()));
}

#[test]
fn of_many_that_miss_a_packet_those_speak_whom_no_confirmation_reaches_in_time() {
    // The first NAK leaves almost at once, and its confirmation is here a round trip later: of a back-off of 50 ms that
    // is 20 / 50 with 20 ms, and all of it with 60 ms.
    for (delay_s, expected) in [(0.01, 0.4), (0.03, 1.0)] {
        let (mut last, mut lost) = (None, false);
        let network: Network<'_> = Box::new(move |_, to, random, packet| {
            if to != Who::Sender && is_data(packet) && last != packet.header.number() {
                (last, lost) = (packet.header.number(), random.chance(0.1));
            }
            if is_data(packet) && to != Who::Sender && lost { Fate::Lose } else { Fate::Deliver }
        });
        let mut group = session(&Config::default(), 9, &[delay_s; 200], network);
        group.start_all();
        group.run_until(at(10.0));
        let sum = |name| group.members.iter().map(|member| gauge(member, name)).sum::<f64>();
        let (naks, suppressed) = (sum("naks"), sum("naks_suppressed"));
        let share = naks / (naks + suppressed);
        assert!(naks > 1000.0 && (share - expected).abs() < 0.05, "{naks} of {}", naks + suppressed);
    }
}

#[test]
fn losses_that_all_share_count_whoever_is_the_acker() {
    // Two receivers alike behind one lossy link, of which now one and now the other is the acker: the window is that of
    // one receiver, as no loss is missed when the acker changes.
    let config = Config { bias: 1.0, ncf: false, ..Config::default() };
    let (mut last, mut lost) = (None, false);
    let network: Network<'_> = Box::new(move |_, to, random, packet| {
        if to != Who::Sender && is_data(packet) && last != packet.header.number() {
            (last, lost) = (packet.header.number(), random.chance(0.01));
        }
        if is_data(packet) && to != Who::Sender && (lost || random.chance(0.001)) { Fate::Lose } else { Fate::Deliver }
    });
    let mut group = session(&config, 10, &[0.05, 0.051], network);
    group.start_all();
    let (mean, _) = mean_window(&mut group, 50, 1000, 0.1);
    let changes = gauge(&group.source, "acker_changes");
    assert!(changes > 50.0, "{changes}");
    assert!((mean / 11.7 - 1.0).abs() < 0.2, "{mean}, {changes}");
}

#[test]
fn a_way_that_becomes_ten_times_as_long_and_short_again_is_followed() {
    // 0.1 s, 1 s, 0.1 s, 10 s, 0.1 s of round trip, a minute each; packets overtake others by seconds, some come twice.
    let network: Network<'_> = Box::new(move |_, _, random, packet| {
        let extra_s = match packet.sent.as_secs_f64() as u64 / 60 {
            1 => 0.45,
            3 => 4.95,
            _ => 0.0,
        };
        if random.chance(0.005) {
            Fate::Lose
        } else if random.chance(0.01) {
            Fate::Twice
        } else {
            Fate::Late(Duration::from_secs_f64(extra_s + if random.chance(0.02) { 0.03 } else { 0.0 }))
        }
    });
    let mut group = session(&Config::default(), 11, &[0.05, 0.04], network);
    group.pester = true;
    group.start_all();
    let mut sent = Vec::new();
    for minute in 1..=5 {
        let before = group.source.report().sent_pkts;
        group.run_until(at(f64::from(minute) * 60.0));
        sent.push(group.source.report().sent_pkts - before);
    }
    // Some 10 packets each round trip.
    assert!([sent[0], sent[2], sent[4]].iter().all(|&sent| sent > 3000), "{sent:?}");
    assert!(sent[1] > 200 && sent[3] > 10, "{sent:?}");
}

#[test]
fn one_wild_number_does_not_deafen_the_acker() {
    for ahead in [20, 100, 2000, 3000, 100_000] {
        let mut group = session(&Config::default(), 12, &[0.05], bernoulli(vec![0.01]));
        group.start_all();
        group.run_until(at(30.0));
        let sequence = group.source.control().next() as u32 + ahead;
        let header = Header::Data(Data { sequence, acker: Some(Who::Receiver(0).address()) });
        let wild = Packet {
            sent: group.now(),
            flow: FlowId(0),
            source: SOURCE,
            destination: GROUP,
            size: 1000,
            ttl: packet::INITIAL_TTL,
            ecn: packet::Ecn::NotCapable,
            header: header.into(),
        };
        group.hand(Who::Receiver(0), &wild);
        group.run_until(at(60.0));
        let before = group.source.report().sent_pkts;
        group.run_until(at(90.0));
        let sent = group.source.report().sent_pkts - before;
        assert!(sent > 2000, "{sent} packets in 30 s after a number {ahead} ahead");
    }
}

#[test]
fn one_lie_about_the_round_trip_costs_less_than_twenty_seconds() {
    // A stranger claims p = 1 and a round trip of a minute, by a packet just sent or by one of a minute ago; or the
    // acker does, and says nothing more.
    let (told, stamp) = (at(100.0), 40_000_000);
    let stranger = Address::endpoint(9);
    for (from, is_nak, is_old) in [
        (Some(stranger), true, false),
        (Some(stranger), true, true),
        (Some(stranger), false, false),
        (Some(stranger), false, true),
        (None, true, true),
        (None, false, true),
        (None, false, false),
    ] {
        let silent = Rc::new(Cell::new(None));
        let known = Rc::clone(&silent);
        let network: Network<'_> = Box::new(move |from, to, random, packet| {
            let is_silent = known.get() == Some(from.address());
            let loses = is_data(packet) && to != Who::Sender && random.chance(0.01);
            if is_silent || loses { Fate::Lose } else { Fate::Deliver }
        });
        let mut group = session(&Config::default(), 13, &[0.02, 0.02, 0.02], network);
        group.start_all();
        group.run_until(at(40.0));
        let early = group.source.control().next() as u32;
        group.run_until(at(80.0));
        let counted = group.source.report().sent_pkts;
        group.run_until(told);
        let usual = group.source.report().sent_pkts - counted;
        let acker = group.source.acker().expect("there is one");
        let highest = if is_old { early } else { group.source.control().next() as u32 - 1 };
        let (echoed_stamp_us, loss_rate) = (stamp, 1.0);
        let header = if is_nak {
            Header::Nak(Nak { echoed_stamp_us, loss_rate, highest, missing: None })
        } else {
            Header::Ack(Ack { echoed_stamp_us, loss_rate, highest, bitmap: 1, leave: false })
        };
        let lie = Packet {
            sent: told,
            flow: FlowId(0),
            source: from.unwrap_or(acker),
            destination: SOURCE,
            size: 40,
            ttl: packet::INITIAL_TTL,
            ecn: packet::Ecn::NotCapable,
            header: header.into(),
        };
        silent.set(from.is_none().then_some(acker));
        group.hand(Who::Sender, &lie);
        let what = format!("{from:?} {is_nak} {is_old}");
        assert!(from.is_none() || group.source.acker() == from, "{what}: it is believed");
        group.run_until(at(120.0));
        assert!(group.source.acker().is_some_and(|now| now != lie.source), "{what}");
        let counted = group.source.report().sent_pkts;
        group.run_until(at(140.0));
        let after = group.source.report().sent_pkts - counted;
        assert!(2 * after > usual, "{what}: {after} packets in 20 s, {usual} before");
    }
}

#[test]
fn an_acker_whose_round_trip_is_longer_than_the_greatest_time_out_is_waited_for() {
    // 12 s there and back: time-outs of 8 s would forget each packet before it is acknowledged.
    let mut group = session(&Config::default(), 14, &[6.0], bernoulli(vec![0.0]));
    group.start_all();
    group.run_until(at(300.0));
    let timeouts = gauge(&group.source, "timeouts");
    group.run_until(at(600.0));
    assert_eq!(gauge(&group.source, "timeouts"), timeouts);
    assert!(group.source.control().window() > 8.0, "{}", group.source.control().window());
}
