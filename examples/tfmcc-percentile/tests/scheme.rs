//! The scheme over the group driver and from scenario files, beside TFMCC.

use faircast_proto::packet::{FlowId, Packet};
use faircast_proto::random::Random;
use faircast_proto::scheme::{Scheme, Seat};
use faircast_proto::testing::group::{GROUP, Group, Who};
use faircast_proto::testing::{Fate, gauge};
use faircast_proto::time::{Duration, Instant};
use faircast_scenario::run::{Control, RunOutput};
use faircast_scenario::tables::{Table, Values};
use faircast_scenario::{Scenario, run};
use tfmcc_percentile::Config;

const ONE_SLOW: &str = include_str!("../one-slow.toml");

fn seat(who: Who) -> Seat {
    let random = Random::stream(1, &format!("test/{who:?}"));
    Seat { flow: FlowId(0), own: who.address(), group: GROUP, members: 4, line_rate: None, random }
}

/// Who limits after a while if receiver 2 misses every third packet and receiver 1 every hundredth.
fn limits(percentile: f64) -> (Option<Who>, f64) {
    let config = Config { percentile, ..Config::default() };
    assert_eq!(config.check(), []);
    let members = (0..4).map(|n| (config.receiver(seat(Who::Receiver(n))), Duration::from_millis(20))).collect();
    let mut number = 0;
    let network = |_: Who, to: Who, _: &Packet| {
        number += u32::from(to == Who::Receiver(0));
        let every = if to == Who::Receiver(2) { 3 } else { 100 };
        let loses = matches!(to, Who::Receiver(1 | 2)) && number % every == 0;
        if loses { Fate::Lose } else { Fate::Deliver }
    };
    let mut group = Group::new(config.sender(seat(Who::Sender)), members, network);
    group.start_all();
    group.run_until(Instant::from_secs_f64(30.0));
    let clr = group.source.clr();
    ((0..4).map(Who::Receiver).find(|who| Some(who.address()) == clr), gauge(&group.source, "passed_over"))
}

#[test]
fn the_slowest_that_is_not_passed_over_limits() {
    assert_eq!(limits(0.0), (Some(Who::Receiver(2)), 0.0));
    // A part of four that is no whole receiver passes over nobody.
    assert_eq!(limits(24.0), (Some(Who::Receiver(2)), 0.0));
    let (clr, passed_over) = limits(25.0);
    assert_eq!(clr, Some(Who::Receiver(1)));
    assert!(passed_over > 5.0, "{passed_over}");
}

/// Runs a scenario that must be legal, with seed 1.
fn go(text: &str) -> RunOutput {
    tfmcc_percentile::register();
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

/// The mean rate of each of the ten receivers from 20 s on, kbit/s.
fn rates_kbps(output: &RunOutput) -> Vec<f64> {
    let goodput = numbers(table(output, "receivers"), "goodput_bps");
    let seconds = goodput.len() / 10;
    // A row for each receiver and second, second by second.
    (0..10).map(|it| (20..seconds).map(|s| goodput[10 * s + it]).sum::<f64>() / (seconds - 20) as f64 / 1e3).collect()
}

#[test]
fn without_a_part_to_be_passed_over_it_is_tfmcc() {
    let none = go(&ONE_SLOW.replace("percentile = 10", "percentile = 0"));
    let tfmcc = go(&ONE_SLOW.replace("tfmcc-percentile", "tfmcc").replace("percentile = 10\n", ""));
    for (name, column) in [
        ("receivers", "goodput_bps"),
        ("receivers", "loss_event_rate"),
        ("flows", "sending_bps"),
        ("flows", "srtt_s"),
        ("events", "t_s"),
        ("events", "after"),
    ] {
        let [own, other] = [&none, &tfmcc].map(|output| numbers(table(output, name), column));
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<u64>>();
        assert_eq!(bits(own), bits(other), "{name} {column}");
    }
}

#[test]
fn one_slow_receiver_does_not_hold_the_others() {
    let tfmcc = rates_kbps(&go(&ONE_SLOW.replace("tfmcc-percentile", "tfmcc").replace("percentile = 10\n", "")));
    let own = rates_kbps(&go(ONE_SLOW));
    println!("TFMCC {tfmcc:.0?}, by the percentile {own:.0?}");
    for receiver in 0..10 {
        assert!((90.0..105.0).contains(&tfmcc[receiver]), "{tfmcc:.0?}");
        match receiver {
            // What its line carries, and all others get much more.
            4 => assert!((85.0..101.0).contains(&own[receiver]), "{own:.0?}"),
            _ => assert!((1500.0..2001.0).contains(&own[receiver]), "{own:.0?}"),
        }
    }
    // Without the slow line TFMCC gives the others as much.
    let fast = ONE_SLOW.replace("100 kbit/s", "2 Mbit/s").replace("tfmcc-percentile", "tfmcc");
    let fast = rates_kbps(&go(&fast.replace("percentile = 10\n", "")));
    assert!((own[0] / fast[0] - 1.0).abs() < 0.1, "{own:.0?} {fast:.0?}");
    // Two of ten are slow: one of them limits.
    let two = ONE_SLOW.replace("[sessions.film]", "[links.line-5]\nrate = \"200 kbit/s\"\n\n[sessions.film]");
    let two = rates_kbps(&go(&two));
    assert!((180.0..201.0).contains(&two[5]) && two[0] < 300.0, "{two:.0?}");
}

#[test]
fn wrong_parameters_are_told_with_their_path() {
    tfmcc_percentile::register();
    for (line, message) in [
        ("percentil = 10", "sessions.film.percentil: unknown key; did you mean percentile?"),
        ("percentile = 100", "sessions.film.percentile: 100 "),
        ("percentile = -1", "sessions.film.percentile: -1 "),
        ("packet_size = 1000", "sessions.film.packet_size: 1000 has no unit"),
        ("round_rtts = 0", "sessions.film.round_rtts: 0 "),
    ] {
        let problems = Scenario::from_toml(&ONE_SLOW.replace("percentile = 10", line)).expect_err("something is wrong");
        let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert!(told.len() == 1 && told[0].starts_with(message), "{told:?}");
    }
}
