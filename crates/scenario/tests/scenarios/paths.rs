//! Paths are those on which the simulator sends.

use faircast_proto::random::Random;
use faircast_scenario::paths::{Demand, Paths, paths};
use faircast_scenario::run::Control;
use faircast_scenario::tables::{Values, Words};
use faircast_scenario::{Scenario, run};
use std::collections::BTreeMap;

/// Data packets that each run sends, or some more; joins and their acknowledgements are far fewer.
const PACKETS: f64 = 1000.0;

fn scenario(text: &str) -> Scenario {
    Scenario::from_toml(text).unwrap_or_else(|problems| panic!("{text}\n{problems:#?}"))
}

/// Packets that came to each link direction in a run.
fn arrivals(scenario: &Scenario) -> BTreeMap<String, f64> {
    let output = run(scenario, 1, &Control::default(), 1).expect("it runs");
    let summary = output.tables.iter().find(|table| table.name == "summary").expect("there is a summary");
    let words = |column: &str| match summary.get(column) {
        Some(Values::Words(Words { codes, dictionary })) => {
            codes.iter().map(|&code| dictionary[code as usize].clone()).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    let Some(Values::Float(values)) = summary.get("value") else { panic!("there are values") };
    let rows = words("subject").into_iter().zip(words("metric")).zip(values);
    rows.filter(|((_, metric), _)| metric == "arrived_all").map(|((subject, _), value)| (subject, *value)).collect()
}

/// Names of the links that all receivers' paths cross together, sorted.
fn crossed(found: &Paths, demand: &Demand) -> Vec<String> {
    let mut links: Vec<u32> = demand.receivers.iter().flat_map(|(_, links)| links.iter().copied()).collect();
    links.sort_unstable();
    links.dedup();
    let mut names: Vec<String> = links.iter().map(|&link| found.links[link as usize].0.clone()).collect();
    names.sort_unstable();
    names
}

/// A ring of eight nodes with chords, delays of few distinct values, some links double and some in one direction only.
fn mesh(random: &mut Random) -> String {
    let mut text = String::from("format = 1\nname = \"mesh\"\nduration = \"12 s\"\n");
    for node in 0..8 {
        text += &format!("[nodes.n{node}]\n");
    }
    for link in 0..8 + below(random, 10) {
        let (from, to) = match link < 8 {
            true => (link, (link + 1) % 8),
            false => (below(random, 8), below(random, 8)),
        };
        if from != to {
            let (delay, simplex) = (1 + below(random, 3), link >= 8 && below(random, 3) == 0);
            let ends = format!("from = \"n{from}\"\nto = \"n{to}\"\nsimplex = {simplex}");
            text += &format!("[links.l{link}]\n{ends}\nrate = \"10 Mbit/s\"\ndelay = \"{delay} ms\"\n");
        }
    }
    text
}

/// A whole number from 0 to `bound` - 1.
fn below(random: &mut Random, bound: u32) -> u32 {
    (random.uniform() * f64::from(bound)) as u32
}

#[test]
fn flows_go_where_it_is_said() {
    for seed in 0..30 {
        let mut random = Random::stream(seed, "test/paths");
        let mesh = mesh(&mut random);
        let (from, to) = (below(&mut random, 8), 1 + below(&mut random, 7));
        let ends = format!("from = \"n{from}\"\nto = \"n{}\"", (from + to) % 8);
        let cbr = "kind = \"cbr\"\nrate = \"800 kbit/s\"\npacket_size = \"1000 B\"\nstop = \"11 s\"";
        let scenario = scenario(&format!("{mesh}[flows.it]\n{cbr}\n{ends}\n"));
        let found = paths(&scenario.expand());
        let [demand] = &found.demands[..] else { panic!("one flow") };
        assert_eq!((demand.fixed_rate_bps, demand.max_rate_bps, demand.multirate), (Some(800_000.0), None, false));
        // Nothing comes back from a sink.
        let used: Vec<String> = arrivals(&scenario).into_keys().collect();
        assert_eq!(crossed(&found, demand), used, "seed {seed}");
    }
}

#[test]
fn sessions_go_where_it_is_said() {
    let mut refused = 0;
    for seed in 0..30 {
        let mut random = Random::stream(seed, "test/trees");
        let mesh = mesh(&mut random);
        let source = below(&mut random, 8);
        let members: Vec<String> =
            (0..3).map(|_| format!("\"n{}\"", (source + 1 + below(&mut random, 7)) % 8)).collect();
        let text = format!(
            "{mesh}[sessions.it]\nscheme = \"cbr\"\nsource = \"n{source}\"\nrate = \"800 kbit/s\"\n\
             packet_size = \"1000 B\"\nstart = \"1 s\"\n[sessions.it.receivers]\nnodes = [{}]\n",
            members.join(", ")
        );
        let scenario = match Scenario::from_toml(&text) {
            Ok(scenario) => scenario,
            Err(problems) => {
                assert!(problems[0].message.contains("has no direction back"), "{problems:#?}");
                refused += 1;
                continue;
            }
        };
        let found = paths(&scenario.expand());
        let [demand] = &found.demands[..] else { panic!("one session") };
        assert!(demand.is_session && demand.receivers.len() == 3);
        let used = arrivals(&scenario).into_iter().filter(|(_, packets)| *packets >= PACKETS).map(|(link, _)| link);
        assert_eq!(crossed(&found, demand), used.collect::<Vec<_>>(), "seed {seed}\n{text}");
    }
    assert!((1..15).contains(&refused), "{refused} of 30 have a way that cannot be taken backwards");
}

#[test]
fn rates_are_those_of_the_parameters() {
    let scenario = scenario(
        r#"
format = 1
name = "rates"
duration = "10 s"
topology = { kind = "dumbbell", left = 3, right = 3 }
[flows.noise]
kind = "on-off"
rate = "400 kbit/s"
on = "1 s"
off = "3 s"
[flows.web]
kind = "tcp"
from = "left-1"
to = "right-1"
[sessions.video]
scheme = "tfmcc"
source = "left-2"
max_rate = "500 kbit/s"
receivers = { nodes = ["right-1", "right-2"] }
"#,
    );
    let found = paths(&scenario.expand());
    let rates: Vec<_> =
        found.demands.iter().map(|d| (d.name.as_str(), d.fixed_rate_bps, d.max_rate_bps, d.multirate)).collect();
    assert_eq!(
        rates,
        [("noise", Some(100_000.0), None, false), ("web", None, None, false), ("video", None, Some(500_000.0), false)]
    );
    let names: Vec<&str> = found.demands[2].receivers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["video-0", "video-1"]);
    assert_eq!(crossed(&found, &found.demands[2]), ["access-left-2", "access-right-1", "access-right-2", "bottleneck"]);
}

#[test]
fn members_of_layers_need_what_they_hold() {
    let demand = |more: &str| {
        let text = format!(
            "format = 1\nname = \"x\"\nduration = \"20 s\"\ntopology = {{ kind = \"dumbbell\", right = 2 }}\n\
             [sessions.film]\nscheme = \"layered-cbr\"\nsource = \"left-0\"\n\
             rates = [\"80 kbit/s\", \"160 kbit/s\", \"320 kbit/s\"]\n{more}"
        );
        paths(&scenario(&text).expand()).demands.remove(0)
    };
    assert_eq!((demand("").fixed_rate_bps, demand("").multirate), (Some(560e3), false));
    assert_eq!(demand("level = 2").fixed_rate_bps, Some(240e3));
    let climbs = "level = 2\nclimb = [{ after = \"15 s\", level = 0 }]\nannounce = \"apart\"";
    assert_eq!((demand(climbs).fixed_rate_bps, demand(climbs).max_rate_bps), (Some(180e3), None));
}
