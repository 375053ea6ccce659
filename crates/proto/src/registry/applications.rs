//! Every scheme with an application that limits it: what is sent is what was made.

use super::battery::{LINE_RATE, MEMBERS, settings};
use super::*;
use crate::packet::{FlowId, Packet};
use crate::quantity::Bytes;
use crate::random::Random;
use crate::source::application::{self, ApplicationLimited};
use crate::testing::group::{GROUP, Group, Who};
use crate::testing::{Fate, gauge};

type Limited<N> = Group<ApplicationLimited<SchemeSender>, SchemeReceiver, N>;

fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

/// A session of which so many in a hundred packets are lost.
fn session(
    config: &SchemeConfig,
    application: &application::Config,
    lost: f64,
) -> Limited<impl FnMut(Who, Who, &Packet) -> Fate + use<>> {
    assert_eq!(application.check(config.packet_bytes()), []);
    let seat = |who: Who| Seat {
        flow: FlowId(0),
        own: who.address(),
        group: GROUP,
        members: MEMBERS as u32,
        line_rate: Some(LINE_RATE),
        random: Random::stream(1, &format!("test/{}", who.stream())),
    };
    let member = |n| (config.receiver(seat(Who::Receiver(n))), Duration::from_millis(5 + 20 * n as u64));
    let source = ApplicationLimited::new(application, config.packet_bytes(), config.sender(seat(Who::Sender)));
    let mut random = Random::stream(1, "test/loss");
    let network = move |_, _, _: &Packet| if random.chance(lost / 100.0) { Fate::Lose } else { Fate::Deliver };
    let mut group = Group::new(source, (0..MEMBERS).map(member).collect(), network);
    (group.record, group.pester) = (true, true);
    group.start_all();
    group
}

/// When packets with the application's data were sent, and to which group.
fn sent<N>(group: &Limited<N>) -> impl Iterator<Item = &(Instant, Who, Packet)> {
    group.sent.iter().filter(|(_, who, packet)| *who == Who::Sender && packet.header.takes_granted())
}

#[test]
fn what_is_made_is_sent_waits_or_is_dropped() {
    for config in settings() {
        for lost in [0.0, 1.0, 90.0] {
            // A tenth of the line, and more than it carries.
            for (part, buffer) in [(0.1, None), (2.0, Some(Bytes(3 * config.packet_bytes())))] {
                let rate = Rate((part * LINE_RATE.as_bps_f64()) as u64);
                let application = application::Config { rate: Some(rate), buffer, ..Default::default() };
                let mut group = session(&config, &application, lost);
                group.run_until(at(10.0));
                let name = format!("{part} {buffer:?} {lost} % {config:?}");
                let made = (rate.as_bps_f64() * 10.0 / (8.0 * config.packet_bytes() as f64)) as u64;
                assert_eq!(gauge(&group.source, "application_made") as u64, made, "{name}");
                let (waiting, dropped) = (group.source.waiting(), group.source.dropped());
                assert_eq!(sent(&group).count() as u64 + waiting + dropped, made, "{name}");
                assert!(buffer.is_none_or(|_| waiting <= 3) && (buffer.is_some() || dropped == 0), "{name}");
                let is_short = gauge(&group.source, "application_limited");
                assert!((0.0..=10.0).contains(&is_short), "{is_short} {name}");
                if part > 1.0 && lost == 0.0 {
                    assert!(waiting + dropped > 0, "{name}");
                }
            }
        }
    }
}

#[test]
fn of_layers_the_lowest_takes_first() {
    // The first layer alone has more than that.
    for config in settings().into_iter().filter(|config| config.groups().len() > 1) {
        let rate = Some(Rate(8 * config.packet_bytes() / 2));
        let mut group = session(&config, &application::Config { rate, ..Default::default() }, 0.0);
        group.run_until(at(30.0));
        let all = sent(&group).count();
        let first = sent(&group).filter(|(.., packet)| packet.destination == GROUP).count();
        // A layer whose turn comes alone sends, too.
        assert!(all >= 13 && 2 * first >= all, "{first} of {all}: {config:?}");
    }
}

#[test]
fn a_film_ends_with_its_last_packet() {
    for config in settings() {
        let bytes = Some(Bytes(7 * config.packet_bytes() - 1));
        for rate in [None, Some(Rate(8 * config.packet_bytes()))] {
            let mut group = session(&config, &application::Config { rate, bytes, ..Default::default() }, 0.0);
            group.run_until(at(60.0));
            assert_eq!(sent(&group).count(), 7, "{rate:?} {config:?}");
            assert_eq!(group.source.deadline(), None, "{rate:?} {config:?}");
        }
    }
}
