//! The scheme over the group driver and from scenario files.

use faircast_proto::endpoint::Cause;
use faircast_proto::packet::{FlowId, Packet};
use faircast_proto::random::Random;
use faircast_proto::scheme::{Scheme, Seat};
use faircast_proto::testing::group::{GROUP, Group, Who};
use faircast_proto::testing::{Fate, gauge};
use faircast_proto::time::{Duration, Instant};
use faircast_scenario::run::{Control, RunOutput};
use faircast_scenario::tables::{Table, Values};
use faircast_scenario::{Scenario, run};
use worst_loss::Config;

fn seat(who: Who) -> Seat {
    let random = Random::stream(1, &format!("test/{who:?}"));
    Seat { flow: FlowId(0), own: who.address(), group: GROUP, members: 2, line_rate: None, random }
}

#[test]
fn the_rate_grows_by_a_step_and_is_cut_by_the_member_that_loses() {
    let config = Config::default();
    assert_eq!(config.check(), []);
    let members = (0..2).map(|n| (config.receiver(seat(Who::Receiver(n))), Duration::from_millis(10))).collect();
    // Member 1 misses every fifth packet.
    let mut number = 0;
    let network = |_: Who, to: Who, _: &Packet| {
        number += u32::from(to == Who::Receiver(1));
        if to == Who::Receiver(1) && number % 5 == 0 { Fate::Lose } else { Fate::Deliver }
    };
    let mut group = Group::new(config.sender(seat(Who::Sender)), members, network);
    group.pester = true;
    group.start_all();
    group.run_until(Instant::from_secs_f64(3.5));
    let rates: Vec<(f64, f64, Cause)> =
        group.events.iter().map(|(_, _, event)| (event.before, event.after, event.cause)).collect();
    // The first report comes after the first change; the second change and the third know of the loss.
    let report = |number| Cause::Report { receiver: Who::Receiver(1).address(), number };
    assert_eq!(rates, [(50e3, 100e3, Cause::Time), (100e3, 70e3, report(0)), (70e3, 50e3, report(1))]);
    assert_eq!(gauge(&group.source, "cuts"), 2.0);
    assert!(gauge(&group.members[0], "missed") == 0.0 && gauge(&group.members[1], "missed") > 0.1);
}

/// Runs a scenario that must be legal, with seed 1.
fn go(text: &str) -> RunOutput {
    worst_loss::register();
    let scenario = Scenario::from_toml(text).unwrap_or_else(|problems| panic!("{problems:#?}"));
    run(&scenario, 1, &Control::default(), 1).unwrap_or_else(|failure| panic!("{failure:#?}"))
}

fn table<'a>(output: &'a RunOutput, name: &str) -> &'a Table {
    output.tables.iter().find(|table| table.name == name).expect("there is such a table")
}

fn numbers<'a>(table: &'a Table, column: &str) -> &'a [f64] {
    match table.get(column) {
        Some(Values::Float(values)) => values,
        other => panic!("{column} is {other:?}"),
    }
}

#[test]
fn alone_it_fills_a_link_and_takes_back_what_is_too_much() {
    let output = go(r#"
        format = 1
        name = "alone"
        duration = "160 s"
        [topology]
        kind = "dumbbell"
        [links.bottleneck]
        rate = "987654 bit/s"
        queue = { kind = "drop-tail", limit = "10 packets" }
        [sessions.film]
        scheme = "worst-loss"
        source = "left-0"
    "#);
    let late = &numbers(table(&output, "receivers"), "goodput_bps")[60..];
    let mean_bps = late.iter().sum::<f64>() / late.len() as f64;
    assert!((0.75e6..1e6).contains(&mean_bps), "{mean_bps}");
}

#[test]
fn the_scenario_beside_a_tcp_shows_gauges_and_events_by_name() {
    let output = go(include_str!("../beside-tcp.toml"));
    let (flows, receivers, events) = (table(&output, "flows"), table(&output, "receivers"), table(&output, "events"));
    let Some(Values::Integer(cuts)) = flows.get("cuts") else { panic!("{flows:?}") };
    assert!(cuts.iter().sum::<i64>() > 10);
    // Members hear a rate that the source has had, as far as a header's 32 bits tell it.
    let had: Vec<f32> = numbers(events, "after").iter().map(|&bps| bps as f32).collect();
    let announced: Vec<f32> = numbers(receivers, "announced_bps").iter().map(|&bps| bps as f32).collect();
    assert!(announced.iter().all(|bps| *bps == 50e3 || had.contains(bps)));
    assert!(announced.iter().any(|&bps| bps > 80e3));
    let Some(Values::Words(kinds)) = events.get("event") else { panic!("{events:?}") };
    assert!(kinds.dictionary.iter().any(|kind| kind == "rate"));
    assert!(numbers(receivers, "missed").iter().any(|&missed| missed > 0.02));
}

#[test]
fn wrong_parameters_are_told_with_their_path() {
    worst_loss::register();
    for (line, message) in [
        ("stp = \"20 kbit/s\"", "sessions.film.stp: unknown key; did you mean step?"),
        ("step = 20000", "sessions.film.step: 20000 has no unit: write a rate as text with its unit"),
        ("tolerance = 1.0", "sessions.film.tolerance: 1 given; legal is from 0 up to, not including, 1"),
        ("packet_size = \"70 KB\"", "sessions.film.packet_size: 70 KB given; legal is 59 B to 65535 B"),
    ] {
        let wrong = include_str!("../beside-tcp.toml").replace("step = \"20 kbit/s\"", line);
        let problems = Scenario::from_toml(&wrong).expect_err("something is wrong");
        let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert!(told.len() == 1 && told[0].starts_with(message), "{told:?}");
    }
}
