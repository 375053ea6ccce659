//! The table of random streams in the chapter on determinism, held against runs.
#![cfg(debug_assertions)]

use faircast_proto::random::Random;
use faircast_scenario::Scenario;
use faircast_scenario::run::{Control, run};
use std::collections::BTreeSet;

/// All kinds of traffic, all that is random in their courses.
const SCENARIO: &str = r#"
format = 1
name = "streams"
duration = "2 s"
[topology]
kind = "dumbbell"
left = 2
right = 2
[links.beam]
from = "left-0"
symbol_rate = "1 Mbaud"
[links.to-right]
leg_of = "beam"
to = "right-0"
delay = "125 ms"
es_n0 = "10 dB"
rain = { frequency = "20 GHz", elevation = 30, latitude = 48, longitude = 16, height = 3, rate = "40 mm/h" }
[links.slotted]
from = "right-0"
to = "left-1"
simplex = true
delay = "1 s"
[return_channels.carrier]
links = ["slotted"]
superframe = "1 s"
slots = 10
payload = "1 KB"
access = { kind = "aloha" }
[links.bottleneck]
loss = { kind = "bernoulli", p = 0.01 }
queue = { kind = "red" }
[flows.web]
kind = "tcp"
start_jitter = "1 s"
send_jitter = "1 ms"
[flows.voice]
kind = "cbr"
jitter = 0.5
[flows.burst]
kind = "on-off"
[flows.pages]
kind = "web"
interval = "500 ms"
size = { kind = "exponential" }
[flows.users]
kind = "web"
visits = { think = "500 ms" }
size = { kind = "constant" }
[sessions.steady]
scheme = "cbr"
source = "left-0"
receivers = { nodes = ["right-0"] }
[sessions.film]
scheme = "tfmcc"
source = "left-0"
start_jitter = "1 s"
receivers = { nodes = ["right-0", "right-1"], join_jitter = "1 s", lie = { part = 0.1 } }
[sessions.scaled]
scheme = "omcc"
source = "left-1"
receivers = { nodes = ["right-1"] }
"#;

#[test]
fn the_documented_streams_are_those_that_runs_draw_from() {
    let scenario = Scenario::from_toml(SCENARIO).expect("it is legal");
    Random::names();
    run(&scenario, 1, &Control::default(), 1).expect("it runs");
    let pattern = |name: String| {
        let (kind, rest) = name.split_once('/').expect("kind, name, purpose");
        let (_, purpose) = rest.rsplit_once('/').expect("kind, name, purpose");
        format!("{kind}/NAME/{purpose}")
    };
    let drawn: BTreeSet<String> = Random::names().into_iter().map(pattern).collect();
    let chapter = include_str!("../../../docs/determinism.md");
    let rows = chapter.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    let documented: BTreeSet<String> =
        rows.map(|(name, _)| name.to_owned()).filter(|name| name.contains('/')).collect();
    assert_eq!(documented, drawn);
}
