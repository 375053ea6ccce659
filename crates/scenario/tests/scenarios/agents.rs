//! Router agents from a scenario file to tables.

use crate::support::{go, numbers, table, words};
use faircast_scenario::Scenario;
use faircast_scenario::run::RunOutput;

/// A constant rate of 800 kbit/s to two receivers, and a TCP, over one link.
const FILM: &str = r#"
format = 1
name = "film"
duration = "10 s"

[topology]
kind = "dumbbell"
left = 2
right = 2

[links.bottleneck]
agent = { kind = "monitor" }

[flows.web]
kind = "tcp"
from = "left-1"
to = "right-1"

[sessions.film]
scheme = "cbr"
source = "left-0"
rate = "800 kbit/s"
packet_size = "1000 B"
"#;

/// The last value that the agent at the bottleneck told.
fn told(output: &RunOutput, about: &str, gauge: &str) -> f64 {
    let routers = table(output, "routers");
    let rows = words(routers, "about").into_iter().zip(words(routers, "gauge"));
    let last = rows.enumerate().rfind(|(_, row)| row.0 == about && row.1 == gauge);
    numbers(routers, "value")[last.unwrap_or_else(|| panic!("no {gauge} of {about}")).0]
}

#[test]
fn a_monitor_counts_by_group_flow_and_pair_of_hosts() {
    let output = go(FILM);
    let routers = table(&output, "routers");
    assert!(words(routers, "link").iter().all(|link| link == "bottleneck"), "not the direction back");
    // 100 packets a second, from the join's arrival on to the last moment.
    let film = told(&output, "film/0", "data_pkts");
    assert!((993.0..=1000.0).contains(&film), "{film}");
    assert_eq!(told(&output, "film", "data_pkts"), film);
    assert_eq!(told(&output, "film/0", "data_bytes"), 1000.0 * film);
    let web = told(&output, "web", "data_pkts");
    assert!(web > 3000.0, "{web}");
    assert_eq!(told(&output, "left-1 > right-1", "data_pkts"), web);
    assert_eq!(told(&output, "interface", "data_pkts"), web + film);
    assert_eq!(told(&output, "interface", "joins"), 1.0);
    // Acknowledgements of reports are messages between neighbours.
    assert_eq!(told(&output, "neighbour", "other_pkts"), 1.0);
}

#[test]
fn a_cap_blocks_and_says_so() {
    let text = FILM.replace("kind = \"monitor\"", "kind = \"rate-cap\", rate = \"700 kbit/s\"");
    let output = go(&text);
    let events = table(&output, "router_events");
    assert_eq!((words(events, "event"), words(events, "about")), (vec!["blocked".into()], vec!["film/0".into()]));
    let blocked_at = numbers(events, "t_s")[0];
    assert!((1.0..1.1).contains(&blocked_at), "{blocked_at}");
    assert_eq!(told(&output, "interface", "blocks"), 1.0);
    assert_eq!(told(&output, "interface", "rate_bps"), 0.0);
}

/// The film in ten layers that routers block, through a queue of 50 packets.
fn layers(agent: &str) -> String {
    let text = FILM.replace("scheme = \"cbr\"", "scheme = \"layer-blocking\"");
    let text = text.replace("rate = \"800 kbit/s\"", &format!("rates = [{}]", ["\"100 kbit/s\""; 10].join(", ")));
    let queue = "queue = { kind = \"drop-tail\", limit = \"50 packets\" }\nrate = \"1.5 Mbit/s\"";
    text.replace("duration = \"10 s\"", "duration = \"60 s\"")
        .replace("agent = { kind = \"monitor\" }", &format!("{queue}\nagent = {{ kind = \"layer-blocking\"{agent} }}"))
}

#[test]
fn layer_blocking_says_what_it_sees_and_does() {
    let output = go(&layers(""));
    let events = table(&output, "router_events");
    let rows: Vec<(String, String)> =
        words(events, "event").into_iter().zip(words(events, "about")).filter(|row| row.0 != "phase").collect();
    // Session and layer, the highest first.
    assert_eq!(rows[0], ("blocked".to_owned(), format!("film/{}", told_first_block(&rows))));
    let count = |what: &str| rows.iter().filter(|row| row.0 == what).count() as f64;
    let refusals = told(&output, "interface", "refusals");
    assert_eq!(count("blocked"), told(&output, "interface", "blocks") + refusals);
    assert_eq!(count("released"), told(&output, "interface", "releases"));
    assert!(count("released") > 0.0 && refusals > 0.0);
    assert_eq!(told(&output, "film", "capped"), 1.0);
    assert_eq!(
        (told(&output, "interface", "unicast_sessions"), told(&output, "interface", "multicast_sessions")),
        (1.0, 1.0)
    );
    // Two sessions share 1.5 Mbit/s: what the film leaves of its 750 kbit/s, but no more than a layer, can be wasted.
    let live = told(&output, "film", "live_layers");
    let bound = told(&output, "film", "waste_bound_bps");
    assert!((5.0..=9.0).contains(&live), "{live}");
    assert!((0.0..=115e3).contains(&bound), "{bound}");
    if live <= 6.0 {
        assert!(bound > 50e3, "{bound}");
    }
    // The phase is noted whenever it changes, and looks are counted by phase.
    let phases = words(events, "event").iter().filter(|event| *event == "phase").count();
    let looks: f64 = [1, 2, 3].map(|phase| told(&output, "interface", &format!("phase_{phase}_looks"))).iter().sum();
    assert!(phases > 10 && (2980.0..=3000.0).contains(&looks), "{phases} {looks}");
    assert!(told(&output, "interface", "visits") > told(&output, "interface", "packets"));
}

/// The number of the layer that was blocked first.
fn told_first_block(rows: &[(String, String)]) -> u32 {
    rows[0].1.rsplit('/').next().and_then(|number| number.parse().ok()).expect("a number")
}

#[test]
fn what_is_wrong_with_layer_blocking_is_said() {
    let agent = "links.bottleneck.agent";
    let cases = [
        (", lower_threshold = 0.8, upper_threshold = 0.8", "upper_threshold", "0.8 given; legal is above lower"),
        (", upper_threshold = 1.5", "upper_threshold", "1.5"),
        (", slow_factor = 0.9", "slow_factor", "0.9"),
        (", observation = \"90 s\"", "max_observation", "64 s by default; legal is observation = 90 s or more"),
        (", admission = \"closed\"", "admission", "legal are capped, open"),
        (", threshold = 0.5", "threshold", "unknown key"),
    ];
    for (more, field, message) in cases {
        let problems = Scenario::from_toml(&layers(more)).expect_err(more);
        let path = format!("{agent}.{field}");
        let found = problems.iter().any(|problem| problem.path == path && problem.message.contains(message));
        assert!(found, "{more}: {problems:#?}");
    }
    // And with the layers.
    let cases = [
        (r#"rates = ["0 bit/s", "100 kbit/s"]"#, "rates[0]", "0 bit/s given"),
        ("rates = []", "rates", "0 layers given; legal are 1 to 128"),
        (r#"silence = "0 s""#, "silence", "0 s given; legal is 0.001 s or more"),
        (r#"rate = "50 kbit/s""#, "rate", "unknown key"),
    ];
    for (more, field, message) in cases {
        let text = layers("");
        let start = text.find("rates = [").expect("it has layers");
        let end = start + text[start..].find('\n').expect("a line");
        let problems = Scenario::from_toml(&format!("{}{more}{}", &text[..start], &text[end..])).expect_err(more);
        let path = format!("sessions.film.{field}");
        let found = problems.iter().any(|problem| problem.path == path && problem.message.contains(message));
        assert!(found, "{more}: {problems:#?}");
    }
    let nobody = layers("")
        .replace("agent = {", "back = { agent = {")
        .replace("kind = \"layer-blocking\" }", "kind = \"layer-blocking\" } }");
    let problems = Scenario::from_toml(&nobody).expect_err("nothing goes back");
    let message = "a layer-blocking acts on sessions, and none sends its packets to receivers over this link";
    assert_eq!((problems[0].path.as_str(), problems[0].message.as_str()), ("links.bottleneck.back.agent", message));
}

#[test]
fn what_is_wrong_with_an_agent_is_said() {
    let cases = [
        ("kind = \"monitor\"", "kind = \"moniter\"", "links.bottleneck.agent.kind", "did you mean monitor?"),
        ("kind = \"monitor\"", "kind = \"monitor\", rate = \"1 Mbit/s\"", "links.bottleneck.agent.rate", "unknown key"),
        (
            "kind = \"monitor\"",
            "kind = \"rate-cap\", rate = \"0 bit/s\"",
            "links.bottleneck.agent.rate",
            "legal is above 0 bit/s",
        ),
        (
            "kind = \"monitor\"",
            "kind = \"rate-cap\", interval = \"2 s\"",
            "links.bottleneck.agent.window",
            "1 s by default; legal is interval = 2 s or more",
        ),
        (
            "agent = { kind = \"monitor\" }",
            "back = { agent = { kind = \"rate-cap\" } }",
            "links.bottleneck.back.agent",
            "a rate-cap acts on sessions, and none sends its packets to receivers over this link",
        ),
    ];
    for (from, to, path, message) in cases {
        let text = FILM.replace(from, to);
        assert_ne!(text, FILM);
        let problems = Scenario::from_toml(&text).expect_err(to);
        let found = problems.iter().any(|problem| problem.path == path && problem.message.contains(message));
        assert!(found, "{to}: {problems:#?}");
    }
}

#[test]
fn a_link_that_one_session_alone_crosses_may_have_an_agent_where_ways_of_several_join() {
    // a and b lead to r, r to h: only the second session comes over the agent's link.
    let link = |from: &str, to: &str, more: &str| {
        format!("[links.{from}]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n{more}")
    };
    let session = |source: &str| {
        format!(
            "[sessions.of-{source}]\nscheme = \"cbr\"\nrate = \"8 kbit/s\"\nsource = \"{source}\"\n\
             receivers = {{ nodes = [\"h\"] }}\n"
        )
    };
    let text = format!(
        "format = 1\nname = \"joint\"\nduration = \"1 s\"\n[nodes.a]\n[nodes.b]\n[nodes.r]\n[nodes.h]\n{}{}{}{}{}",
        link("a", "r", ""),
        link("b", "r", "agent = { kind = \"rate-cap\", rate = \"1 Mbit/s\" }\n"),
        link("r", "h", ""),
        session("a"),
        session("b"),
    );
    let read = faircast_scenario::toml_to_json(&text).and_then(faircast_scenario::Scenario::from_json);
    assert_eq!(
        read.map(|_| ()).map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>()),
        Ok(())
    );
}
