//! Ways between nodes over time, and hand-offs, from a scenario to tables.

use crate::support::{go, numbers, table, words};
use faircast_proto::time::Duration;
use faircast_scenario::run::{Control, RunOutput};
use faircast_scenario::tables::Values;
use faircast_scenario::{Scenario, run, walk};
use std::collections::BTreeSet;

/// ns-2's example: Iridium, Berkeley and Boston.
const IRIDIUM: &str = r#"
format = 1
name = "berkeley-boston"
duration = "6000 s"
topology = { kind = "constellation", shell = "iridium" }
[stations.berkeley]
latitude = 37.9
longitude = -122.3
[stations.boston]
latitude = 42.3
longitude = -71.1
[probes]
paths = [{ from = "berkeley", to = "boston" }, { from = "boston", to = "berkeley" }]
flows = false
links = false
"#;

/// Two ways from a to b, of which the shorter one comes and goes, and a flow over them.
const TWO_WAYS: &str = r#"
format = 1
name = "two-ways"
duration = "10 s"
nodes = { a = {}, b = {}, c = {} }
[links]
straight = { from = "a", to = "b", rate = "1 Mbit/s", delay = "30 ms" }
up = { from = "a", to = "c", rate = "1 Mbit/s", delay = "10 ms" }
[links.down]
from = "c"
to = "b"
rate = "1 Mbit/s"
delay = "5 ms"
changes = [{ at = "2.5 s", up = false }, { at = "4 s", up = true }]
[flows.load]
kind = "tcp"
from = "a"
to = "b"
[probes]
interval = "2 s"
paths = [{ from = "a", to = "b" }]
"#;

/// A row of the table of paths.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    t_s: f64,
    from: String,
    event: String,
    delay_s: f64,
    hops: i64,
    way: String,
}

fn rows(output: &RunOutput) -> Vec<Row> {
    let paths = table(output, "paths");
    let (t_s, delay_s) = (numbers(paths, "t_s"), numbers(paths, "delay_s"));
    let Some(Values::Integer(hops)) = paths.get("hops") else { panic!("hops are counted") };
    let [from, event, way] = ["from", "event", "way"].map(|column| words(paths, column));
    let row = |i: usize| Row {
        t_s: t_s[i],
        from: from[i].clone(),
        event: event[i].clone(),
        delay_s: delay_s[i],
        hops: hops[i],
        way: way[i].clone(),
    };
    (0..paths.rows()).map(row).collect()
}

#[test]
fn from_berkeley_to_boston_delay_jumps_at_events_only() {
    let scenario = Scenario::from_toml(IRIDIUM).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let output = walk(&scenario, 1, None, &Control::default()).expect("it can be walked");
    let handoffs = table(&output, "handoffs");
    let (times, stations) = (numbers(handoffs, "t_s"), words(handoffs, "station"));
    for station in ["berkeley", "boston"] {
        let number = stations.iter().filter(|name| *name == station).count();
        // About every nine minutes.
        assert!((10..=13).contains(&number), "{station}: {number}");
    }
    let all = rows(&output);
    for end in ["berkeley", "boston"] {
        let rows: Vec<&Row> = all.iter().filter(|row| row.from == end).collect();
        assert_eq!(rows.iter().filter(|row| row.event.is_empty()).count(), 6001);
        assert!(rows.iter().all(|row| (0.020..0.051).contains(&row.delay_s)));
        for pair in rows.windows(2).filter(|pair| pair[1].event.is_empty()) {
            let [old, new] = [pair[0], pair[1]];
            assert_eq!(old.way, new.way);
            // Two links to the ground and up to ten between satellites change their length by 7.5 km/s at most, 25
            // us/s; each piece of a delay lies within 1 us of the geometry.
            let most = 12.0 * (25e-6 * (new.t_s - old.t_s) + 2e-6);
            assert!((new.delay_s - old.delay_s).abs() < most, "{old:?} {new:?}");
        }
        let jumps = rows.iter().filter(|row| row.event == "hand-off").map(|row| row.t_s.to_bits());
        assert_eq!(jumps.collect::<BTreeSet<_>>(), times.iter().map(|at| at.to_bits()).collect());
        assert!(rows.iter().any(|row| row.event == "path-changed"));
    }
}

/// How much longer the ways between cities on all continents are than the shortest at that moment, at most, in samples
/// over `seconds` seconds. Where routes follow `topology`, and where each sample has routes of its own.
fn longest_detour_s(shell: &str, topology: &str, seconds: u32) -> f64 {
    // No two samples have the same distance to the next computation of routes.
    const EVERY: &str = "4.9 s";
    let cities = [
        ("tokyo", 35.7, 139.7),
        ("sydney", -33.9, 151.2),
        ("cape-town", -33.9, 18.4),
        ("oslo", 59.9, 10.7),
        ("quito", -0.2, -78.5),
    ];
    let stations: String = cities
        .iter()
        .map(|(name, latitude, longitude)| {
            format!("[stations.{name}]\nlatitude = {latitude}\nlongitude = {longitude}\n")
        })
        .collect();
    let pairs = [("tokyo", "sydney"), ("cape-town", "oslo"), ("quito", "tokyo"), ("quito", "oslo")];
    let paths: Vec<String> = pairs.iter().map(|(from, to)| format!("{{ from = \"{from}\", to = \"{to}\" }}")).collect();
    let delays = |topology: &str| -> Vec<f64> {
        let text = format!(
            "format = 1\nname = \"cities\"\nduration = \"{seconds} s\"\n\
             [topology]\nkind = \"constellation\"\nshell = \"{shell}\"\n{topology}\n{stations}\
             [probes]\ninterval = \"{EVERY}\"\npaths = [{}]\n",
            paths.join(", ")
        );
        let scenario = Scenario::from_toml(&text).unwrap_or_else(|problems| panic!("{problems:#?}"));
        let output = walk(&scenario, 1, None, &Control::default()).expect("it can be walked");
        rows(&output).into_iter().filter(|row| row.event.is_empty()).map(|row| row.delay_s).collect()
    };
    let (found, shortest) = (delays(topology), delays(&format!("reroute_interval = \"{EVERY}\"")));
    assert!(found.len() == shortest.len() && found.len() as f64 > 0.8 * f64::from(seconds));
    let longer = found.iter().zip(&shortest).map(|(found, shortest)| found - shortest);
    let (least, most) = longer.fold((0.0_f64, 0.0_f64), |(least, most), by| (least.min(by), most.max(by)));
    assert!(least > -1e-9, "no way is shorter than the shortest: {least}");
    most
}

#[test]
fn over_the_shells_by_name_no_way_is_a_millisecond_longer_than_the_shortest() {
    for (shell, seconds, stale) in [("iridium", 6100, 0.005), ("teledesic", 1500, 0.000_5)] {
        let detour_s = longest_detour_s(shell, "", seconds);
        assert!(detour_s < 0.001, "{shell}: {detour_s} s");
        // Were routes to follow only links that come and go, they would be milliseconds longer.
        let detour_s = longest_detour_s(shell, "reroute_interval = \"24 h\"", seconds);
        assert!(detour_s > stale, "{shell}: {detour_s} s");
    }
}

#[test]
fn nobody_needs_to_send_for_ways_to_be_seen() {
    let row = |t_s: f64, event: &str, millis: f64, way: &str| Row {
        t_s,
        from: "a".into(),
        event: event.into(),
        delay_s: millis / 1000.0,
        hops: way.matches('>').count() as i64,
        way: way.into(),
    };
    let expected = [
        row(0.0, "", 15.0, "a > c > b"),
        row(2.0, "", 15.0, "a > c > b"),
        row(2.5, "path-changed", 30.0, "a > b"),
        row(4.0, "path-changed", 15.0, "a > c > b"),
        row(4.0, "", 15.0, "a > c > b"),
        row(6.0, "", 15.0, "a > c > b"),
        row(8.0, "", 15.0, "a > c > b"),
        row(10.0, "", 15.0, "a > c > b"),
    ];
    let scenario = Scenario::from_toml(TWO_WAYS).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let walked = walk(&scenario, 1, None, &Control::default()).expect("it can be walked");
    assert_eq!((rows(&walked), walked.packet_hops), (expected.to_vec(), 0));
    let ran = run(&scenario, 1, &Control::default(), 1).expect("it runs");
    assert!(ran.packet_hops > 0);
    assert_eq!(rows(&ran), expected);
    let begun = walk(&scenario, 1, Some(Duration::from_secs(3)), &Control::default()).expect("it can be walked");
    assert_eq!(rows(&begun), expected[..3]);
    let beyond = walk(&scenario, 1, Some(Duration::from_secs(11)), &Control::default());
    assert!(format!("{beyond:?}").contains("11 s given; legal is up to the duration, 10 s"), "{beyond:?}");
    // A scenario without traffic is one, if somebody looks.
    let (head, tail) = TWO_WAYS.split_once("[flows.load]").expect("it is there");
    let probes = tail.split_once("[probes]").expect("it is there").1;
    assert_eq!(rows(&go(&format!("{head}[probes]{probes}"))), expected);
}

#[test]
fn a_way_that_is_gone_is_lost_until_it_is_found() {
    let text = TWO_WAYS.replace(r#"delay = "30 ms" }"#, r#"delay = "30 ms", changes = [{ at = "1 s", up = false }] }"#);
    let events: Vec<(f64, String, i64, String)> = rows(&go(&text))
        .into_iter()
        .filter(|row| !row.event.is_empty())
        .inspect(|row| assert_eq!(row.delay_s.is_nan(), row.hops == 0))
        .map(|row| (row.t_s, row.event, row.hops, row.way))
        .collect();
    assert_eq!(events, [(2.5, "lost".into(), 0, String::new()), (4.0, "found".into(), 2, "a > c > b".into())]);
}

#[test]
fn wrong_ends_of_a_path_are_named() {
    let problems = |paths: &str| {
        let text = TWO_WAYS.replace(r#"[{ from = "a", to = "b" }]"#, paths);
        let problems = Scenario::from_toml(&text).expect_err("something is wrong");
        problems.into_iter().map(|problem| (problem.path, problem.message)).collect::<Vec<_>>()
    };
    let text = IRIDIUM.replace(r#"to = "boston" }"#, r#"to = "bostn" }"#);
    let found = Scenario::from_toml(&text).expect_err("something is wrong");
    let boston = ("probes.paths[0].to", "there is no node bostn; did you mean boston?");
    assert_eq!(found.iter().map(|one| (one.path.as_str(), one.message.as_str())).collect::<Vec<_>>(), [boston]);
    let itself = ("probes.paths[0]".to_owned(), "a path leads to another node, not to itself".to_owned());
    assert_eq!(problems(r#"[{ from = "a", to = "a" }]"#), [itself]);
    let twice = ("probes.paths[2]".to_owned(), "the path from a to b is named twice".to_owned());
    let three = r#"[{ from = "a", to = "b" }, { from = "b", to = "a" }, { from = "a", to = "b" }]"#;
    assert_eq!(problems(three), [twice]);
    assert!(problems(r#"[{ from = "a" }]"#)[0].1.contains("missing"));
}
