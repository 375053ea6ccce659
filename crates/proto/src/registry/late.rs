//! Drivers that are late: packets wait until they are handed in, and come with the moment at which they arrived.

use super::battery::{check_counts, session, settings};
use super::*;
use crate::packet::Packet;
use crate::quantity::Bytes;
use crate::random::Random;
use crate::testing::group::{Group, Who};
use crate::testing::{Fate, gauge};
use crate::time::Duration;
use crate::{mlda, omcc, pgmcc, smcc, tfmcc};

/// How late a driver is at most.
const MOST_LATE: Duration = Duration::from_millis(50);

/// How the drivers of a session are late.
#[derive(Clone, Copy, Debug)]
enum Lateness {
    /// Not at all.
    None,
    /// They look every 50 ms, each at moments of its own, and hand in all that has arrived, in order.
    Batches,
    /// Each packet waits for a random time by itself: what is handed in later may have arrived before.
    Each,
}

impl Lateness {
    /// When a packet that has arrived is handed in.
    fn hands_in(self) -> impl FnMut(Who, Instant) -> Instant + 'static {
        let mut random = Random::stream(1, "test/late");
        move |who, arrived| match self {
            Lateness::None => arrived,
            Lateness::Batches => {
                let phase = 7_000_000 * who.address().index() as u64 % MOST_LATE.0;
                Instant((arrived.0 + phase).next_multiple_of(MOST_LATE.0) - phase)
            }
            Lateness::Each => arrived + MOST_LATE.mul_f64(random.uniform()),
        }
    }
}

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

#[test]
fn every_scheme_stands_drivers_that_are_late() {
    for config in settings() {
        for lateness in [Lateness::Batches, Lateness::Each] {
            let name = format!("{lateness:?} {config:?}");
            let mut random = Random::stream(1, "test/loss");
            let network = move |_, _, _: &Packet| if random.chance(0.02) { Fate::Lose } else { Fate::Deliver };
            let mut group = session(&config, 1, network).with_late_packets(lateness.hands_in());
            group.record = false;
            group.pester = true;
            group.start_all();
            for second in 1..=25 {
                group.run_until(at(f64::from(second)));
                check_counts(&group, &name);
            }
            for (n, member) in group.members.iter().enumerate() {
                assert!(member.report().distinct_bytes > 5 * config.packet_bytes(), "{name}: member {n} gets nothing");
            }
            for who in group.everyone() {
                group.stop(who);
            }
            group.run_until(at(120.0));
            for who in group.everyone() {
                assert_eq!(group.endpoint(who).deadline(), None, "{name}: {who:?} goes on");
            }
        }
    }
}

/// A session of five members, of which the last, 170 ms away and back, loses 2 %: the mean rate of what it gets after a
/// while, bit/s, and of the round-trip time by which the source goes, seconds.
fn measured(config: &SchemeConfig, lateness: Lateness) -> (f64, f64) {
    const SLOWEST: Who = Who::Receiver(4);
    let mut random = Random::stream(3, "test/loss");
    let network = move |_, to, packet: &Packet| {
        if to == SLOWEST && packet.is_data() && random.chance(0.02) { Fate::Lose } else { Fate::Deliver }
    };
    let mut group: Group<SchemeSender, SchemeReceiver, _> =
        session(config, 1, network).with_late_packets(lateness.hands_in());
    group.record = false;
    group.start_all();
    group.run_until(at(60.0));
    let (before, mut sum) = (group.endpoint(SLOWEST).report().distinct_bytes, 0.0);
    const LOOKS: u32 = 2400;
    for look in 1..=LOOKS {
        group.run_until(at(60.0 + 0.1 * f64::from(look)));
        sum += gauge(&group.source, "srtt");
    }
    let bytes = group.endpoint(SLOWEST).report().distinct_bytes - before;
    (8.0 * bytes as f64 / (0.1 * f64::from(LOOKS)), sum / f64::from(LOOKS))
}

#[test]
fn rates_and_round_trips_are_those_of_a_driver_that_is_not_late() {
    let tfmcc = SchemeConfig::Tfmcc(tfmcc::Config { max_rate: Some(Rate(20_000_000)), ..Default::default() });
    let pgmcc = SchemeConfig::Pgmcc(pgmcc::Config { max_rate: Some(Rate(20_000_000)), ..Default::default() });
    // A window goes round with the packets: what they wait for lowers its rate, but is no part of what is measured. Two
    // waits of 25 ms in the mean, or up to the next batch, are added to 170 ms.
    for (config, least) in [(tfmcc, 0.95), (pgmcc, 0.55)] {
        let exact = measured(&config, Lateness::None);
        assert!((exact.1 - 0.17).abs() < 0.001, "{exact:?}");
        for lateness in [Lateness::Batches, Lateness::Each] {
            let late = measured(&config, lateness);
            assert!((late.1 - exact.1).abs() < 0.001, "{} {lateness:?}: {exact:?}, {late:?}", config.name());
            let part = late.0 / exact.0;
            assert!((least..1.05).contains(&part), "{} {lateness:?}: {exact:?}, {late:?}", config.name());
        }
    }
}

#[test]
fn receivers_measure_their_round_trips_as_of_arrivals() {
    let smcc = smcc::Config::default();
    let configs = [
        SchemeConfig::Tfmcc(tfmcc::Config::default()),
        SchemeConfig::Omcc(omcc::Config::default()),
        SchemeConfig::Smcc(smcc.clone()),
        SchemeConfig::Smcc(smcc::Config { control: smcc::ControlKind::Pgmcc, ..smcc }),
        SchemeConfig::Mlda(mlda::Config::default()),
    ];
    for config in configs {
        for lateness in [Lateness::None, Lateness::Batches] {
            let mut random = Random::stream(3, "test/loss");
            let network = move |_, to, packet: &Packet| {
                if to != Who::Sender && packet.is_data() && random.chance(0.02) { Fate::Lose } else { Fate::Deliver }
            };
            let mut group = session(&config, 1, network).with_late_packets(lateness.hands_in());
            group.record = false;
            group.start_all();
            group.run_until(at(90.0));
            // Delays of 5, 25, .. 85 ms. Some have not been echoed.
            let rtts = group.members.iter().map(|member| gauge(member, "rtt"));
            let errors = (0..).zip(rtts).map(|(n, rtt_s): (u32, f64)| rtt_s - 0.01 - 0.04 * f64::from(n));
            let errors: Vec<f64> = errors.filter(|error| !error.is_nan()).collect();
            assert!(
                errors.len() >= 2 && errors.iter().all(|error| error.abs() < 0.001),
                "{lateness:?} {config:?} {errors:?}"
            );
        }
    }
}

/// A network that loses nothing, to receivers whose packets wait: nothing is missing for a receiver that holds a layer.
#[test]
fn what_waits_is_not_missed() {
    for config in settings() {
        let mut group =
            session(&config, 1, |_, _, _: &Packet| Fate::Deliver).with_late_packets(Lateness::Batches.hands_in());
        group.record = false;
        group.start_all();
        group.run_until(at(40.0));
        for member in &group.members {
            for name in ["missed", "loss_events"] {
                if member.gauges().iter().any(|gauge| gauge.name == name) {
                    assert_eq!(gauge(member, name), 0.0, "{name}: {config:?}");
                }
            }
        }
    }
}

/// The most that a source is bounded to in these tests, bit/s, and its settings.
const MOST_BPS: u64 = 1_000_000;

fn rate_based() -> [SchemeConfig; 5] {
    let most = Some(Rate(MOST_BPS));
    let tfmcc = tfmcc::Config { max_rate: most, packet_size: Bytes(500), ..Default::default() };
    let bounds = Some(vec![Rate(MOST_BPS / 4), Rate(MOST_BPS)]);
    let smcc = smcc::Config { tfmcc: tfmcc.clone(), bounds, ..Default::default() };
    [
        SchemeConfig::Tfmcc(tfmcc.clone()),
        SchemeConfig::Omcc(omcc::Config { tfmcc, ..Default::default() }),
        SchemeConfig::Smcc(smcc.clone()),
        SchemeConfig::Smcc(smcc::Config { control: smcc::ControlKind::Pgmcc, ..smcc }),
        SchemeConfig::Mlda(mlda::Config { max_rate: most, least_rate: most, ..Default::default() }),
    ]
}

/// What a source has sent between two moments in seconds, bytes of data, and the most packets at one moment.
fn sent_by<N>(group: &Group<SchemeSender, SchemeReceiver, N>, from_s: f64, to_s: f64) -> (u64, usize) {
    let sent = group
        .sent
        .iter()
        .filter(|(when, who, packet)| *who == Who::Sender && packet.is_data() && (at(from_s)..at(to_s)).contains(when));
    let (mut bytes, mut last, mut burst, mut most) = (0, Instant::ZERO, 0, 0);
    for (when, _, packet) in sent {
        bytes += u64::from(packet.size);
        burst = if *when == last { burst + 1 } else { 1 };
        (last, most) = (*when, most.max(burst));
    }
    (bytes, most)
}

#[test]
fn sources_whose_timers_are_late_keep_their_rate_and_make_no_long_bursts() {
    for config in rate_based() {
        let run = |wakes: Option<Box<dyn FnMut(Who, Instant) -> Instant>>| {
            let mut group = session(&config, 1, |_, _, _: &Packet| Fate::Deliver);
            if let Some(wakes) = wakes {
                group = group.with_late_timers(wakes);
            }
            group.start_all();
            group.run_until(at(160.0));
            group
        };
        let exact = run(None);
        let mut random = Random::stream(4, "test/late");
        let late = run(Some(Box::new(move |who, due| match who {
            Who::Sender => due + Duration::from_millis(20).mul_f64(random.uniform()),
            Who::Receiver(_) => due,
        })));
        let [exact_bytes, late_bytes] = [&exact, &late].map(|group| sent_by(group, 60.0, 160.0).0);
        let ratio = late_bytes as f64 / exact_bytes as f64;
        assert!(exact_bytes > 1_000_000 && (ratio - 1.0).abs() < 0.01, "{config:?}: {late_bytes} for {exact_bytes}");
        // The source sleeps for ten seconds.
        let (stall, wake) = (at(60.0), at(70.0));
        let stalled = run(Some(Box::new(
            move |who, due| {
                if who == Who::Sender && (stall..wake).contains(&due) { wake } else { due }
            },
        )));
        let burst = sent_by(&stalled, 60.0, 160.0).1;
        // R_max is little more than 170 ms; where there are layers, each may have a packet more.
        let most = (MOST_BPS as f64 * 0.2 / (8.0 * config.packet_bytes() as f64)) as usize;
        assert!((2..=most).contains(&burst), "{config:?}: {burst} packets at once");
    }
}
