//! Links with legs in scenarios: what they may say, the topology of a satellite, and what runs give.

use crate::support::{go, numbers, table, words};
use faircast_scenario::network::Network;
use faircast_scenario::paths::paths;
use faircast_scenario::tables::{Table, Values};
use faircast_scenario::{Problem, Scenario};
use faircast_sim::part::LinkRole;

/// A satellite with legs to two of three places, spelled out.
const BASE: &str = r#"
format = 1
name = "legs"
duration = "20 s"
warmup = "0 s"
nodes = { sat = {}, home = {}, ship = {} }

[links.down]
from = "sat"
rate = "2 Mbit/s"
DOWN

[links.to-home]
leg_of = "down"
to = "home"
delay = "120 ms"
LEG

[links.a-ship]
leg_of = "down"
to = "ship"
delay = "130 ms"

[links.from-home]
from = "home"
to = "sat"
rate = "1 Mbit/s"
delay = "120 ms"
simplex = true

[links.from-ship]
from = "ship"
to = "sat"
rate = "1 Mbit/s"
delay = "130 ms"
simplex = true

[sessions.film]
scheme = "cbr"
source = "sat"
rate = "800 kbit/s"
packet_size = "1000 B"
receivers = { nodes = ["home", "ship"] }

[flows.mail]
kind = "cbr"
from = "sat"
to = "ship"
rate = "400 kbit/s"
packet_size = "1000 B"
PROBES
"#;

fn with(down: &str, leg: &str, probes: &str) -> String {
    BASE.replace("DOWN", down).replace("LEG", leg).replace("PROBES", probes)
}

fn problems(text: &str) -> Vec<Problem> {
    Scenario::from_toml(text).expect_err("something is wrong")
}

fn network(text: &str) -> Network {
    Scenario::from_toml(text).unwrap_or_else(|problems| panic!("{problems:#?}")).expand()
}

#[test]
fn legs_come_after_their_link_and_have_its_rate() {
    let network = network(&with("header = \"16 B\"\nhandoff_queue = \"discard\"", "", ""));
    let shown: Vec<_> = network.links.iter().map(|link| (link.name.as_str(), link.part, link.rate.0)).collect();
    let down = network.link("down").map(faircast_sim::ids::LinkId).expect("it is there");
    assert_eq!(
        shown,
        [
            ("down", LinkRole::Carrier, 2_000_000),
            ("from-home", LinkRole::Whole, 1_000_000),
            ("from-ship", LinkRole::Whole, 1_000_000),
            ("a-ship", LinkRole::Leg(down), 2_000_000),
            ("to-home", LinkRole::Leg(down), 2_000_000),
        ]
    );
    assert!(network.links[3..].iter().all(|leg| leg.header == 16 && leg.handoff == network.links[0].handoff));
}

#[test]
fn what_is_wrong_with_legs_is_said_where_it_stands() {
    for (down, leg, probes, path, message) in [
        ("to = \"home\"", "", "", "links.down.to", "this link has legs, which say where they lead: leave out to"),
        ("delay = \"1 ms\"", "", "", "links.down.delay", "delay belongs to the legs of this link: leave it out"),
        ("loss = { kind = \"none\" }", "", "", "links.down.loss", "loss belongs to the legs of this link"),
        ("back = {}", "", "", "links.down.back", "legs are simplex and two-stage: leave it out"),
        ("", "rate = \"1 Mbit/s\"", "", "links.to-home.rate", "rate belongs to the link with this leg: leave it out"),
        ("", "queue = { kind = \"red\" }", "", "links.to-home.queue", "queue belongs to the link with this leg"),
        ("", "agent = { kind = \"monitor\" }", "", "links.to-home.agent", "agent belongs to the link with this leg"),
        ("", "mode = \"fused\"", "", "links.to-home.mode", "mode has no meaning here"),
        ("", "from = \"sat\"", "", "links.to-home.from", "a leg starts where its link does: leave out from"),
        (
            "",
            "changes = [{ at = \"1 s\", up = false, rate = \"1 Mbit/s\" }]",
            "",
            "links.to-home.changes[0].rate",
            "rate belongs to the link with this leg",
        ),
        (
            "changes = [{ at = \"1 s\", rate = \"1 Mbit/s\", delay = \"3 ms\" }]",
            "",
            "",
            "links.down.changes[0].delay",
            "delay belongs to the legs of this link",
        ),
        ("", "", "[probes]\nqueues = [\"to-home\"]", "probes.queues[0]", "to-home is a leg: the queue is that of down"),
        (
            "",
            "",
            "[links.more]\nleg_of = \"up\"\nto = \"home\"\ndelay = \"1 ms\"",
            "links.more.leg_of",
            "there is no link up",
        ),
        (
            "",
            "",
            "[links.more]\nleg_of = \"a-ship\"\nto = \"home\"\ndelay = \"1 ms\"",
            "links.more.leg_of",
            "a-ship is a leg itself",
        ),
        (
            "",
            "",
            "[links.more]\nleg_of = \"down\"\nto = \"sat\"\ndelay = \"1 ms\"",
            "links.more.to",
            "a leg leads to another node than that where its link starts",
        ),
        (
            "",
            "",
            "[links.more]\nleg_of = \"down\"",
            "links.more",
            "to, delay missing: a leg needs leg_of, to and delay",
        ),
    ] {
        let found = problems(&with(down, leg, probes));
        let there = found.iter().find(|problem| problem.path == path && problem.message.contains(message));
        assert!(there.is_some(), "{path}: {message}\n{found:#?}");
        assert_eq!(found.len(), 1, "{found:#?}");
    }
}

/// The rows of the table `summary` of a subject and metric; NaN if there is none.
fn summary(summary: &Table, subject: &str, metric: &str) -> f64 {
    let (subjects, metrics) = (words(summary, "subject"), words(summary, "metric"));
    let row = subjects.iter().zip(&metrics).position(|(s, m)| s == subject && m == metric);
    row.map_or(f64::NAN, |row| numbers(summary, "value")[row])
}

#[test]
fn a_run_shows_the_link_with_its_load_and_each_leg_with_its_losses() {
    let leg = "loss = { kind = \"bernoulli\", p = 0.1 }\nchanges = [{ at = \"10 s\", delay = \"110 ms\" }]";
    let down = "queue = { kind = \"drop-tail\", limit = \"20 packets\" }\nagent = { kind = \"monitor\" }\n\
                changes = [{ at = \"15 s\", rate = \"4 Mbit/s\" }]";
    let output = go(&with(down, leg, "[probes]\nqueues = [\"down\"]"));
    let of = |subject, metric| summary(table(&output, "summary"), subject, metric);
    // 800 kbit/s for two and 400 kbit/s for one on 2 Mbit/s, later 4 Mbit/s: 2.5 Mbit/s in the mean.
    assert!((of("down", "efficiency") - 1.2 / 2.5).abs() < 0.01, "{}", of("down", "efficiency"));
    let [down, home, ship] = ["down", "to-home", "a-ship"].map(|link| of(link, "arrived_all"));
    // 100 and 50 packets a second.
    assert!((down - 3000.0).abs() < 20.0 && (home - 2000.0).abs() < 20.0 && (ship - 3000.0).abs() < 20.0);
    let lost = of("to-home", "lost_all");
    assert!((lost / home - 0.1).abs() < 0.03 && of("a-ship", "lost_all") == 0.0, "{lost}");
    assert!((of("film-0", "rate") - 720e3).abs() < 25e3 && (of("film-1", "rate") - 800e3).abs() < 15e3);
    assert_eq!(of("down", "unreceived_all"), 0.0);
    assert!(of("down", "queue_max") >= 1.0);
    // What the agent counts comes once, however many hear it.
    let routers = table(&output, "routers");
    let rows = words(routers, "gauge").into_iter().zip(words(routers, "about")).zip(numbers(routers, "value"));
    let of_group = rows.filter(|((gauge, about), _)| gauge == "data_pkts" && about == "film/0");
    let groups = of_group.map(|(_, value)| *value).fold(0.0, f64::max);
    assert!((groups - 2000.0).abs() < 20.0, "{groups}");
    let links = table(&output, "links");
    let utilisation: Vec<f64> = words(links, "link")
        .into_iter()
        .zip(numbers(links, "utilisation"))
        .filter_map(|(link, part)| (link == "a-ship").then_some(*part))
        .collect();
    assert!((utilisation[5] - 0.6).abs() < 0.02 && (utilisation[18] - 0.3).abs() < 0.02, "{utilisation:?}");
}

#[test]
fn an_optimum_counts_a_session_once_on_the_link_with_legs() {
    let network = network(&with("", "", ""));
    let paths = paths(&network);
    let down = network.link("down").expect("it is there");
    let film = paths.demands.iter().find(|demand| demand.is_session).expect("there is one");
    assert!(film.receivers.iter().all(|(_, links)| links == &[down]), "{film:?}");
    let mail = paths.demands.iter().find(|demand| !demand.is_session).expect("there is one");
    assert_eq!(mail.receivers[0].1, [down]);
}

/// The topology of a satellite with so many terminals.
fn satellite(right: u32, settings: &str, rest: &str) -> String {
    format!(
        "format = 1\nname = \"sat\"\nduration = \"20 s\"\nwarmup = \"0 s\"\n\
         [topology]\nkind = \"satellite\"\nright = {right}\n\
         {settings}\n[sessions.film]\nscheme = \"cbr\"\nsource = \"left-0\"\nrate = \"400 kbit/s\"\n\
         packet_size = \"1000 B\"\n{rest}"
    )
}

#[test]
fn terminals_of_the_topology_lose_each_for_itself_by_turns() {
    let settings = "leg_delays = [\"120 ms\", \"139 ms\"]\n\
                    leg_losses = [{ kind = \"none\" }, { kind = \"bernoulli\", p = 0.2 }, \
                    { kind = \"bernoulli\", p = 0.05 }]\n\
                    downlink = { rate = \"2 Mbit/s\" }";
    let rest = "[flows.web]\nkind = \"tcp\"\nvariant = \"sack\"\nfrom = \"left-0\"\nto = \"right-3\"\n\
                [links.leg-4]\nloss = { kind = \"bernoulli\", p = 0.9 }\n";
    let output = go(&satellite(6, settings, rest));
    let of = |subject: &str, metric| summary(table(&output, "summary"), subject, metric);
    let lost = |terminal: u32| {
        let leg = format!("leg-{terminal}");
        of(&leg, "lost_all") / of(&leg, "arrived_all")
    };
    let parts: Vec<f64> = (0..6).map(lost).collect();
    for (part, expected) in parts.iter().zip([0.0, 0.2, 0.05, 0.0, 0.9, 0.05]) {
        assert!((part - expected).abs() < 0.04, "{parts:?}");
    }
    // TCP to a terminal without losses beside it fills the downlink; its acknowledgements come back apart.
    assert!(of("web", "goodput") > 800e3, "{}", of("web", "goodput"));
    assert!(of("return-3", "arrived_all") > 1000.0 && of("downlink", "efficiency") > 0.6);
    assert!((of("film-0", "rate") - 400e3).abs() < 25e3);
    let delay = |network: &Network, leg: &str| network.links[network.link(leg).expect("a leg") as usize].delay.0;
    let network = network(&satellite(6, settings, rest));
    assert_eq!(["leg-0", "leg-1", "leg-4"].map(|leg| delay(&network, leg) / 1_000_000), [120, 139, 120]);
}

#[test]
fn what_is_wrong_with_a_satellite_is_said_where_it_stands() {
    for (settings, path, message) in [
        ("downlink = { delay = \"1 ms\" }", "topology.downlink.delay", "delay belongs to the legs of this link"),
        ("leg = { rate = \"1 Mbit/s\" }", "topology.leg.rate", "rate belongs to the link with this leg"),
        ("leg_delays = [\"1 ms\", \"2 h\"]", "topology.leg_delays[1]", "legal is at most 3600 s"),
        (
            "leg_losses = [{ kind = \"none\" }, { kind = \"outage\", start = \"1 s\", length = \"0 s\" }]",
            "topology.leg_losses[1].length",
            "0 s given",
        ),
        ("leg = { back = {} }", "topology.leg.back", "unknown key"),
    ] {
        let found = problems(&satellite(2, settings, ""));
        let there = found.iter().find(|problem| problem.path == path && problem.message.contains(message));
        assert!(there.is_some() && found.len() == 1, "{path}: {message}\n{found:#?}");
    }
    let found = problems(&satellite(2, "", "[links.leg-1]\nleg_of = \"feeder\"\n"));
    assert_eq!(found[0].path, "links.leg-1.leg_of");
    assert!(found[0].message.contains("the topology makes the link leg-1"), "{found:?}");
    let found = problems(&satellite(2, "", "[links.more]\nleg_of = \"feeder\"\nto = \"left-0\"\ndelay = \"1 ms\"\n"));
    assert!(found[0].message.contains("the topology makes the link feeder, which has a far end"), "{found:?}");
    assert_eq!(found[0].legal.as_deref(), Some("downlink"));
}

#[test]
fn an_agent_acts_where_a_session_goes_on_to_legs() {
    let agent = "downlink = { agent = { kind = \"rate-cap\" } }";
    assert!(Scenario::from_toml(&satellite(2, agent, "")).is_ok());
    let idle =
        satellite(2, agent, "").replace("[sessions.film]", "[sessions.film]\nreceivers = { nodes = [\"gateway\"] }");
    assert_eq!(problems(&idle)[0].path, "topology.downlink.agent");
}

#[test]
fn a_scenario_with_legs_is_read_back_as_it_was_resolved() {
    let text = satellite(3, "leg_delays = [\"120 ms\", \"139 ms\"]", "[links.leg-2]\ndelay = \"130 ms\"\n");
    let scenario = Scenario::from_toml(&text).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let again = Scenario::from_json(scenario.to_json()).unwrap_or_else(|problems| panic!("{problems:#?}"));
    assert_eq!(scenario.expand(), again.expand());
}

#[test]
fn a_run_gives_the_columns_that_links_give() {
    let output = go(&with("", "", ""));
    assert!(matches!(table(&output, "links").get("unreceived_pkts"), Some(Values::Integer(_))));
}
