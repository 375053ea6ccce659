//! Applications that have little to send, and hosts that cannot send what is asked for.

use super::battery::{LINE_RATE, check_counts, session, settings};
use super::*;
use crate::endpoint::ENDLESS;
use crate::packet::Packet;
use crate::random::Random;
use crate::testing::group::{Group, Who};
use crate::testing::{Fate, gauge};
use crate::{omcc, tfmcc};
use std::collections::BTreeMap;

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

/// The application's packets that the source has sent.
fn of_application<N>(group: &Group<SchemeSender, SchemeReceiver, N>) -> impl Iterator<Item = &(Instant, Who, Packet)> {
    group.sent.iter().filter(|(_, who, packet)| *who == Who::Sender && packet.header.takes_granted())
}

/// Nothing is lost.
fn clear() -> impl FnMut(Who, Who, &Packet) -> Fate {
    |_, _, _| Fate::Deliver
}

#[test]
fn every_scheme_stands_full_buffers_and_numbers_are_taken_back() {
    for config in settings() {
        for tries_on in [false, true] {
            let name = format!("tries on {tries_on} {config:?}");
            let mut random = Random::stream(1, "test/full");
            let full = move |_, _: &Packet| random.chance(0.1);
            let mut group = session(&config, 1, clear()).with_full_buffers(tries_on, full);
            group.pester = true;
            group.start_all();
            for second in 1..=25 {
                group.run_until(at(f64::from(second)));
                check_counts(&group, &name);
            }
            for (n, member) in group.members.iter().enumerate() {
                assert!(member.report().distinct_bytes > 3 * config.packet_bytes(), "{name}: member {n} gets nothing");
            }
            if !tries_on {
                let mut numbers = BTreeMap::new();
                for (_, _, packet) in of_application(&group) {
                    let number = packet.header.number().expect("data has a number");
                    let before = numbers.insert(packet.destination, number);
                    // Those of RTP have 16 bits.
                    let step = before.map_or(1, |before| number.wrapping_sub(before) as u16);
                    assert_eq!(step, 1, "{name}: {packet:?}");
                }
            }
            for who in group.everyone() {
                group.stop(who);
            }
            group.run_until(at(120.0));
            check_counts(&group, &name);
            for who in group.everyone() {
                assert_eq!(group.endpoint(who).deadline(), None, "{name}: {who:?} goes on");
            }
        }
    }
}

#[test]
fn every_source_sends_as_many_packets_as_there_are_and_no_burst_after_a_rest() {
    for config in settings() {
        let mut group = session(&config, 1, clear());
        group.pester = true;
        group.grant(0);
        group.start_all();
        group.run_until(at(20.0));
        assert_eq!(of_application(&group).count(), 0, "{config:?}");
        // Several times, as the last packets of pgmcc may wait for a time-out.
        let mut total = 0;
        for (end_s, packets) in [(60.0, 7), (100.0, 1), (140.0, 10)] {
            group.grant(packets);
            group.run_until(at(end_s));
            total += packets as usize;
            assert_eq!(of_application(&group).count(), total, "at {end_s} s: {config:?}");
            check_counts(&group, "");
        }
        group.grant(ENDLESS);
        group.run_until(at(200.0));
        assert!(of_application(&group).count() > total + 20, "{config:?}");
        // And what is withdrawn is not sent.
        group.grant(5);
        group.grant(0);
        let before = of_application(&group).count();
        group.run_until(at(205.0));
        assert!(of_application(&group).count() <= before + 1, "{config:?}");
        group.run_until(at(230.0));
        group.grant(ENDLESS);
        // A window could let several go before the first acknowledgement, as fast as the line takes them.
        let is_windowed = matches!(config, SchemeConfig::Pgmcc(_));
        group.run_until(at(if is_windowed { 230.009 } else { 230.0 }));
        let burst = of_application(&group).filter(|(when, ..)| *when >= at(230.0)).count();
        // One of each layer; a pair of MLDA's takes the place of one.
        let most = if is_windowed { 1 } else { config.groups().len() + 1 };
        assert!((1..=most).contains(&burst), "{burst} packets at once: {config:?}");
        // A source that is started again has what it had.
        group.grant(0);
        group.stop(Who::Sender);
        group.run_until(at(235.0));
        let before = of_application(&group).count();
        group.start(Who::Sender);
        group.run_until(at(240.0));
        assert_eq!(of_application(&group).count(), before, "{config:?}");
    }
}

#[test]
fn what_has_no_end_changes_nothing() {
    for config in settings() {
        let run = |grants: bool| {
            let mut random = Random::stream(1, "test/loss");
            let network = move |_, _, _: &Packet| if random.chance(0.02) { Fate::Lose } else { Fate::Deliver };
            let mut group = session(&config, 1, network);
            group.start_all();
            for second in 1..=20 {
                group.run_until(at(f64::from(second)));
                if grants {
                    group.grant(ENDLESS);
                }
            }
            group.run_until(at(30.0));
            let sent = group.sent.iter().map(|sent| format!("{sent:?}"));
            sent.chain(group.events.iter().map(|event| format!("{event:?}"))).collect::<Vec<String>>()
        };
        assert!(run(false) == run(true), "{config:?}");
    }
}

/// Runs to `end` with an application of constant rate: a packet each `gap_s` seconds.
fn run_short<N: FnMut(Who, Who, &Packet) -> Fate>(
    group: &mut Group<SchemeSender, SchemeReceiver, N>,
    gap_s: f64,
    end_s: f64,
) {
    let start_s = group.now().as_secs_f64();
    let mut packets = 0.0;
    while start_s + packets * gap_s < end_s {
        group.run_until(at(start_s + packets * gap_s));
        group.grant(1);
        packets += 1.0;
    }
    group.run_until(at(end_s));
}

/// Bit/s of the application from one time to another.
fn rate_bps<N>(group: &Group<SchemeSender, SchemeReceiver, N>, from_s: f64, to_s: f64) -> f64 {
    let sent = of_application(group).filter(|(when, ..)| (at(from_s)..at(to_s)).contains(when));
    8.0 * sent.map(|(_, _, packet)| f64::from(packet.size)).sum::<f64>() / (to_s - from_s)
}

/// A session in which all members lose this part of data; the last is 170 ms away and back. One without losses would
/// bound the rate by its reports alone, which are of twice what it receives.
fn lossy(
    config: &SchemeConfig,
    mut loss: impl FnMut(Instant) -> f64,
) -> Group<SchemeSender, SchemeReceiver, impl FnMut(Who, Who, &Packet) -> Fate> {
    let mut random = Random::stream(3, "test/loss");
    session(config, 1, move |_, to, packet: &Packet| {
        let lost = to != Who::Sender && packet.is_data() && random.chance(loss(packet.sent));
        if lost { Fate::Lose } else { Fate::Deliver }
    })
}

/// The equation gives the fair rate, whatever is sent: packets are lost one in a hundred. By RFC 5348 what the
/// application does not use must not be there when it comes.
#[test]
fn a_rate_that_is_not_used_does_not_grow_beyond_twice_what_is_received() {
    let most = Some(Rate(2_600_000));
    let data_limited = tfmcc::DataLimited::Rfc5348;
    let tfmcc = tfmcc::Config { max_rate: most, data_limited, ..Default::default() };
    let omcc = omcc::Config { tfmcc: tfmcc.clone(), orientation: omcc::Orientation::Sender, ..Default::default() };
    for config in [SchemeConfig::Tfmcc(tfmcc), SchemeConfig::Omcc(omcc)] {
        let packet_bits = 8.0 * config.packet_bytes() as f64;
        let mut whole = lossy(&config, |_| 0.01);
        whole.start_all();
        whole.run_until(at(400.0));
        let fair_bps = rate_bps(&whole, 100.0, 400.0);
        assert!((300e3..800e3).contains(&fair_bps), "{fair_bps}: {config:?}");
        for used_before in [false, true] {
            // While little is sent after much, nothing is lost: the equation gives more and more.
            let is_clear = move |sent: Instant| used_before && (at(100.0)..at(160.0)).contains(&sent);
            let mut group = lossy(&config, move |sent| if is_clear(sent) { 0.0 } else { 0.01 });
            group.start_all();
            let tenth_s = packet_bits / (0.1 * fair_bps);
            let from_s = if used_before { 100.0 } else { 0.0 };
            group.run_until(at(from_s));
            let allowed_before = group.source.report().rate_bps;
            group.grant(0);
            run_short(&mut group, tenth_s, from_s + 60.0);
            let rates_end_s = from_s + 60.0;
            let used_bps = rate_bps(&group, rates_end_s - 30.0, rates_end_s);
            assert!((0.08..0.12).contains(&(used_bps / fair_bps)), "{used_bps} of {fair_bps}: {config:?}");
            let allowed_bps = group.source.report().rate_bps;
            // X_recv is counted over four round-trip times, of few packets: one more or less.
            let bound_bps = 2.0 * used_bps + 2.0 * packet_bits / (4.0 * 0.17);
            let bound_bps = if used_before { bound_bps.max(1.01 * allowed_before) } else { bound_bps };
            assert!(allowed_bps <= bound_bps, "{allowed_bps} bit/s for {used_bps} used, {bound_bps}: {config:?}");
            assert!(allowed_bps >= used_bps, "the application has its rate: {allowed_bps}, {used_bps}: {config:?}");
            // It has much now: what goes in the first round trip is what was allowed, and a packet more.
            group.grant(ENDLESS);
            group.run_until(at(rates_end_s + 0.17));
            let first_bits = 0.17 * rate_bps(&group, rates_end_s, rates_end_s + 0.17);
            assert!(first_bits <= 0.17 * allowed_bps + 2.0 * packet_bits, "{first_bits} of {allowed_bps}: {config:?}");
            // And then as if nothing had been.
            group.run_until(at(rates_end_s + 330.0));
            let after_bps = rate_bps(&group, rates_end_s + 30.0, rates_end_s + 330.0);
            assert!((0.7..1.4).contains(&(after_bps / fair_bps)), "{after_bps}, {fair_bps}: {config:?}");
        }
    }
}

/// Without losses nothing but what is received bounds the rate: a tenth of the line is used.
#[test]
fn no_source_that_answers_raises_a_rate_that_is_not_used() {
    for config in settings().into_iter().filter(|config| config.responder() == Responder::Sender) {
        let mut group = lossy(&config, |_| 0.0);
        group.start_all();
        group.grant(0);
        let packet_bits = 8.0 * config.packet_bytes() as f64;
        let tenth_bps = 0.1 * LINE_RATE.as_bps_f64();
        run_short(&mut group, packet_bits / tenth_bps, 120.0);
        let used_bps = rate_bps(&group, 60.0, 120.0);
        if let SchemeConfig::Pgmcc(_) = config {
            // Of 170 ms at most, which hold six packets, the window covers what is used.
            let window = gauge(&group.source, "cwnd");
            assert!((1.0..8.0).contains(&window), "{window} packets: {config:?}");
        } else {
            // Twice what is received, and a packet per round-trip time.
            let allowed_bps = group.source.report().rate_bps;
            let bounds = used_bps..2.0 * used_bps + packet_bits / 0.17;
            assert!(bounds.contains(&allowed_bps), "{allowed_bps} bit/s for {used_bps} used: {config:?}");
        }
    }
}

/// RFC 4654 section 3.6 halves the rate for the silence of an idle session, RFC 5348 section 4.4 no further than to
/// where it began.
#[test]
fn an_idle_session_begins_again_as_a_new_one() {
    let config = SchemeConfig::Tfmcc(tfmcc::Config { max_rate: Some(Rate(2_000_000)), ..Default::default() });
    let mut group = lossy(&config, |_| 0.01);
    group.start_all();
    group.run_until(at(100.0));
    let before_bps = group.source.report().rate_bps;
    group.grant(0);
    group.run_until(at(400.0));
    let idle_bps = group.source.report().rate_bps;
    // R_max is 0.17 s and what the clock of a host cannot tell apart.
    let first_bps = 8.0 * config.packet_bytes() as f64 / 0.19;
    assert!(idle_bps < 0.3 * before_bps && (0.9..1.2).contains(&(idle_bps / first_bps)), "{idle_bps}, {first_bps}");
    group.grant(ENDLESS);
    group.run_until(at(420.0));
    assert!(rate_bps(&group, 410.0, 420.0) > 4.0 * idle_bps);
    // That nobody answers when there is something to send is another thing: to a packet in 8 s.
    let mut group = session(&config, 1, move |_, _, packet: &Packet| match packet.sent < at(100.0) {
        true => Fate::Deliver,
        false => Fate::Lose,
    });
    group.start_all();
    group.run_until(at(600.0));
    assert_eq!(group.source.report().rate_bps, config.packet_bytes() as f64);
}
