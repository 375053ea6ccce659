//! Constellations and ground stations in scenarios: what they make, what runs give, what is refused.

use crate::support::{go, numbers, table, words};
use faircast_scenario::network::{Network, What};
use faircast_scenario::run::{Control, RunOutput};
use faircast_scenario::tables::Values;
use faircast_scenario::{Problem, Scenario, run, toml_to_json};
use faircast_sim::change::Handoff;
use faircast_sim::part::LinkRole;
use std::path::Path;

/// Berkeley and Boston, the ends of ns-2's example, and a third station near the second.
const BASE: &str = r#"
format = 1
name = "leo"
duration = "1500 s"
warmup = "0 s"

[topology]
kind = "constellation"
TOPOLOGY

[stations.berkeley]
latitude = 37.9
longitude = -122.3
BERKELEY

[stations.boston]
latitude = 42.3
longitude = -71.1

[stations.new-york]
latitude = 40.7
longitude = -74.0

[flows.probe]
kind = "cbr"
rate = "80 kbit/s"
packet_size = "1000 B"
from = "berkeley"
to = "boston"
REST
"#;

fn with(topology: &str, berkeley: &str, rest: &str) -> String {
    BASE.replace("TOPOLOGY", topology).replace("BERKELEY", berkeley).replace("REST", rest)
}

fn scenario(text: &str) -> Scenario {
    Scenario::from_toml(text).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

fn problems(text: &str) -> Vec<Problem> {
    Scenario::from_toml(text).expect_err("something is wrong")
}

fn count(network: &Network, is: impl Fn(&str) -> bool) -> usize {
    network.links.iter().filter(|link| is(&link.name)).count()
}

/// All packets that links lost, dropped or threw away, and how many got through.
fn balance(output: &RunOutput) -> (i64, i64) {
    let links = table(output, "links");
    let sum = |column: &str| match links.get(column) {
        Some(Values::Integer(values)) => values.iter().sum::<i64>(),
        other => panic!("{column} is {other:?}"),
    };
    let gone = ["dropped_overflow_pkts", "dropped_active_pkts", "lost_pkts", "dropped_down_pkts"];
    let gone: i64 = gone.iter().chain(&["discarded_pkts", "unreceived_pkts"]).map(|column| sum(column)).sum();
    (gone, sum("rerouted_pkts"))
}

#[test]
fn stations_have_uplinks_that_turn_and_satellites_downlinks_with_legs() {
    let network = scenario(&with("", "", "")).expand();
    assert_eq!(network.nodes.len(), 66 + 3);
    assert_eq!((&network.nodes[0].name[..], &network.nodes[65].name[..]), ("sat-1-1", "sat-6-11"));
    assert_eq!(network.nodes[66].name, "berkeley");
    // 66 in planes and 55 between them, both ways.
    assert_eq!(count(&network, |name| name.starts_with("isl-")), 2 * 121);
    assert_eq!(count(&network, |name| name.ends_with("-up")), 3);
    let carriers: Vec<_> = network.links.iter().filter(|link| link.part == LinkRole::Carrier).collect();
    assert!(carriers.iter().all(|link| link.name.starts_with("sat-") && link.name.ends_with("-down")));
    let up = network.link("berkeley-up").expect("there is an uplink") as usize;
    let turns = network.links[up].changes.iter().filter(|change| matches!(change.what, What::To(_)));
    let handoffs: Vec<_> = network.handoffs.iter().filter(|handoff| handoff.station == 66).collect();
    // About every nine minutes.
    assert!((2..=4).contains(&handoffs.len()), "{handoffs:?}");
    assert!(turns.map(|change| change.at).eq(handoffs.iter().map(|handoff| handoff.at)));
    // Its legs are up one after the other, without a gap.
    let mut ups: Vec<_> = network
        .links
        .iter()
        .filter(|link| link.to == 66 && matches!(link.part, LinkRole::Leg(_)))
        .flat_map(|link| link.changes.iter().filter(|change| matches!(change.what, What::Up(_))))
        .map(|change| (change.at, change.what == What::Up(true)))
        .filter(|(at, _)| at.0 > 0)
        .collect();
    ups.sort_unstable();
    let expected: Vec<_> = handoffs.iter().flat_map(|handoff| [(handoff.at, false), (handoff.at, true)]).collect();
    assert_eq!(ups, expected);
}

#[test]
fn looks_at_random_times_are_those_of_the_seed() {
    let text = with("handoff_jitter = \"5 s\"", "", "");
    let at = |seed: u64| {
        let network = scenario(&text.replace("format = 1", &format!("format = 1\nseed = {seed}"))).expand();
        network.handoffs.iter().map(|handoff| handoff.at.0).collect::<Vec<_>>()
    };
    assert_eq!(at(1), at(1));
    assert_ne!(at(1), at(2));
    let regular = scenario(&with("", "", "")).expand();
    assert!(regular.handoffs.iter().all(|handoff| handoff.at.0 % 10_000_000_000 == 0));
}

#[test]
fn routes_are_computed_anew_as_the_scenario_says_or_the_topology() {
    let interval = |topology: &str, top: &str| {
        let text = with(topology, "", "").replace("format = 1", &format!("format = 1\n{top}"));
        Scenario::from_toml(&text).map(|scenario| scenario.expand().reroute_interval.map(|every| every.as_secs_f64()))
    };
    let (in_topology, on_top) = (r#"reroute_interval = "2 s""#, r#"reroute_interval = "3 s""#);
    assert_eq!(interval("", ""), Ok(Some(5.0)));
    assert_eq!(interval("shell = \"teledesic\"", ""), Ok(Some(5.0)));
    assert_eq!(interval(in_topology, ""), Ok(Some(2.0)));
    assert_eq!(interval("", on_top), Ok(Some(3.0)));
    assert_eq!(interval(in_topology, in_topology), Ok(Some(2.0)));
    let found = interval(in_topology, on_top).expect_err("they are not the same");
    let said = "2 s given, and 3 s at the top of the file; say it once";
    let [problem] = &found[..] else { panic!("{found:#?}") };
    assert_eq!((&problem.path[..], &problem.message[..]), ("topology.reroute_interval", said));
}

#[test]
fn packets_come_in_their_propagation_time_and_none_is_lost() {
    let output = go(&with("", "", "[probes]\ninterval = \"10 s\""));
    assert_eq!(balance(&output), (0, 0));
    let summary = table(&output, "summary");
    let metrics = words(summary, "metric");
    let subjects = words(summary, "subject");
    let of = |subject: &str, metric: &str| {
        let row = (0..metrics.len()).find(|&row| subjects[row] == subject && metrics[row] == metric);
        numbers(summary, "value")[row.unwrap_or_else(|| panic!("no {metric} of {subject}"))]
    };
    // Ten packets a second for 1500 s; some are on the way at the end.
    assert!(of("probe", "goodput") > 79.9e3, "{}", of("probe", "goodput"));
}

/// TCP both ways and two layered sessions over everything that moves.
const TRAFFIC: &str = r#"
[flows.tcp]
kind = "tcp"
from = "berkeley"
to = "new-york"
[flows.back]
kind = "tcp"
from = "boston"
to = "berkeley"
[sessions.film]
scheme = "layered-cbr"
source = "berkeley"
rates = ["100 kbit/s", "200 kbit/s"]
receivers = { nodes = ["boston", "new-york"] }
[probes]
trace = true
interval = "100 s"
"#;

#[test]
fn hand_offs_in_all_treatments_are_the_same_on_both_calendars() {
    let (mut digests, mut kept) = (Vec::new(), 0);
    for treatment in ["keep", "lose", "discard"] {
        let topology = format!(
            "handoff_queue = \"{treatment}\"\nhandoff = \"nearest\"\nhandoff_jitter = \"9 s\"\n\
             handoff_outage = \"300 ms\""
        );
        let text = with(&topology, "", TRAFFIC).replace("1500 s", "500 s");
        let [wheel, heap] =
            ["wheel", "heap"].map(|calendar| go(&format!("{text}\n[engine]\ncalendar = \"{calendar}\"")));
        assert_eq!(wheel.trace, heap.trace, "{treatment}");
        let of = |column: &str| match table(&wheel, "links").get(column) {
            Some(Values::Integer(values)) => values.iter().sum::<i64>(),
            other => panic!("{column} is {other:?}"),
        };
        let [discarded, unreceived] = [of("discarded_pkts"), of("unreceived_pkts")];
        match treatment {
            // What is in transmission to a group, or waits for it below, is kept for nobody.
            "keep" => assert!(discarded == 0 && unreceived > 0, "{unreceived}"),
            "lose" => assert!(discarded == 0 && unreceived > kept, "{unreceived} {kept}"),
            _ => assert!(discarded > 0, "{discarded}"),
        }
        digests.push(wheel.trace);
        kept = kept.max(if treatment == "keep" { unreceived } else { 0 });
    }
    assert!(digests[0] != digests[1] && digests[1] != digests[2]);
}

#[test]
fn a_source_may_be_at_a_station_that_no_satellite_serves_at_first() {
    // Between the shortest ways to the source as it stands at first some lead over satellites whose turn comes later.
    let shell = "shell = \"delta\"\naltitude = 1200\ninclination = 53\nplanes = 6\nslots = 6";
    let session = "[sessions.film]\nscheme = \"layered-cbr\"\nsource = \"late\"\nreceivers = { nodes = [\"boston\"] }";
    for longitude in [-150, -90, -30, 30, 90] {
        let late = format!("[stations.late]\nlatitude = 40\nlongitude = {longitude}\nmask = 35\n");
        let text = with(shell, "", &format!("{late}{session}")).replace("1500 s", "300 s");
        go(&text);
    }
}

#[test]
fn a_station_can_have_a_beam_of_its_own_and_losses_are_its_own() {
    let network = scenario(&with("", "downlink = { rate = \"3 Mbit/s\" }", "")).expand();
    let mut own = network.links.iter().filter(|link| link.to == 66 && link.name.ends_with("-berkeley"));
    assert!(own.all(|link| link.part == LinkRole::Whole && link.rate.0 == 3_000_000));
    let lossy = "downlink = { loss = { kind = \"bernoulli\", p = 0.5 } }";
    let network = scenario(&with("", lossy, "")).expand();
    let legs: Vec<_> = network.links.iter().filter(|link| matches!(link.part, LinkRole::Leg(_))).collect();
    let lossless = faircast_sim::loss::Config::default();
    assert!(legs.iter().all(|leg| (leg.loss != lossless) == (leg.to == 66)));
}

#[test]
fn an_agent_may_be_said_of_all_links_of_a_kind_and_of_satellites_whose_turn_comes_later() {
    let session =
        "[sessions.film]\nscheme = \"layered-cbr\"\nsource = \"berkeley\"\nreceivers = { nodes = [\"boston\"] }";
    let agent = "agent = { kind = \"rate-cap\" }";
    // Of most satellites no session comes near at the start, and of some never.
    for key in ["uplink", "downlink", "isl"] {
        let text = with(&format!("{key} = {{ {agent} }}"), "", session);
        assert!(scenario(&text).expand().links.iter().filter(|link| link.agent.is_some()).count() > 2);
    }
    let back = "[sessions.film]\nscheme = \"layered-cbr\"\nsource = \"boston\"\nreceivers = { nodes = [\"berkeley\"] }";
    scenario(&with("", &format!("downlink = {{ {agent} }}"), back));
    let network = scenario(&with("", "", session)).expand();
    let serves = |link: &&faircast_scenario::network::DirectedLink| link.name.ends_with("-down-boston");
    let satellites: Vec<&str> =
        network.links.iter().filter(serves).filter_map(|link| link.name.strip_suffix("-boston")).collect();
    assert!(satellites.len() > 2, "{satellites:?}");
    for satellite in satellites {
        scenario(&with("", "", &format!("{session}\n[links.{satellite}]\n{agent}")));
    }
}

#[test]
fn what_is_kept_takes_another_way_whoever_says_that_it_is_kept() {
    let of = |topology: &str, rest: &str, name: &str| {
        let network = scenario(&with(topology, "", rest)).expand();
        let link = &network.links[network.link(name).expect("it is there") as usize];
        (link.handoff, link.reroute)
    };
    let network = scenario(&with("", "", "")).expand();
    let leg =
        network.links.iter().find(|link| link.name.ends_with("-down-boston")).expect("it is served").name.as_str();
    let (keep, lose) = ("handoff_queue = \"keep\"", "handoff_queue = \"lose\"");
    assert_eq!(of("", "", leg), (Handoff::Keep, true));
    assert_eq!(of(lose, "", leg), (Handoff::Lose, false));
    assert_eq!(of("", &format!("[links.{leg}]\n{lose}"), leg), (Handoff::Lose, false));
    assert_eq!(of(lose, &format!("[links.{leg}]\n{keep}"), leg), (Handoff::Keep, true));
    assert_eq!(of("", &format!("[links.{leg}]\n{lose}\nreroute = true"), leg), (Handoff::Lose, true));
    let (isl, back) = ("isl-1-1-1-2", format!("[links.isl-1-1-1-2.back]\n{lose}"));
    assert_eq!(of("", &back, isl), (Handoff::Keep, true));
    assert_eq!(of("", &back, "isl-1-1-1-2.back"), (Handoff::Lose, false));
    assert_eq!(of(lose, &format!("[links.{isl}]\n{keep}"), "isl-1-1-1-2.back"), (Handoff::Keep, true));
}

#[test]
fn an_outage_of_the_scenario_is_one_beside_those_of_the_constellation() {
    let changes = "[links.berkeley-up]\nchanges = [{ at = \"500 s\", up = false }, { at = \"505 s\", up = true }]";
    let output = go(&with("", "", &format!("{changes}\n[probes]\ninterval = \"5 s\"")));
    let links = table(&output, "links");
    let rows = words(links, "link");
    let quiet: Vec<f64> = (0..rows.len())
        .filter(|&row| rows[row] == "berkeley-up" && numbers(links, "rate_bps")[row] == 0.0)
        .map(|row| numbers(links, "t_s")[row])
        .collect();
    assert_eq!(quiet, [505.0]);
}

#[test]
fn real_satellites_come_from_a_file_and_stay_in_the_scenario() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("elements");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    std::fs::write(folder.join("two.tle"), TWO).expect("a file can be written");
    let text = with("shell = \"elements\"\nelements = \"two.tle\"\nplanes = 1\nmask = 0", "", "");
    let text = text.replace("1500 s", "86400 s").replace("80 kbit/s", "8 bit/s");
    let read = Scenario::from_json_in(toml_to_json(&text).expect("legal TOML"), &folder);
    let read = read.unwrap_or_else(|problems| panic!("{problems:#?}"));
    let network = read.expand();
    let names: Vec<&str> = network.nodes.iter().take(2).map(|node| &node.name[..]).collect();
    assert!(names == ["iridium-103", "iridium-106"] || names == ["iridium-106", "iridium-103"], "{names:?}");
    let json = read.to_json();
    let date = json["topology"]["date"].as_str().expect("the latest epoch");
    assert!(date.starts_with("2026-06-13T20:57:46.28304"), "{date}");
    std::fs::remove_file(folder.join("two.tle")).expect("it is there");
    assert_eq!(Scenario::from_json(json).expect("it stands for itself"), read);
    let wrong = TWO.replace("0  9993\n2 41918", "0  9994\n2 41918");
    std::fs::write(folder.join("two.tle"), wrong).expect("a file can be written");
    let found =
        Scenario::from_json_in(toml_to_json(&text).expect("legal TOML"), &folder).expect_err("a wrong checksum");
    assert_eq!((found.len(), &found[0].path[..]), (1, "topology.elements"));
    assert!(found[0].message.starts_with("two.tle: line 5: "), "{}", found[0].message);
}

const TWO: &str = "IRIDIUM 106
1 41917U 17003A   26164.81636817  .00000002  00000+0 -64509-5 0  9993
2 41917  86.3963  89.9654 0001784  83.5618 276.5781 14.34217470492724
IRIDIUM 103
1 41918U 17003B   26164.87345235  .00000072  00000+0  18697-4 0  9993
2 41918  86.3961  89.8413 0002359  78.7002 281.4459 14.34217734492750
";

#[test]
fn the_sample_of_iridium_carries_a_flow_across_america() {
    let text = with("shell = \"elements\"\nelements = \"iridium-next\"\nplanes = 6", "", "").replace("1500 s", "300 s");
    let network = scenario(&text).expand();
    assert_eq!(network.nodes.len(), 66 + 3);
    let output = go(&text);
    assert_eq!(balance(&output).0, 0);
    assert!(output.packet_hops > 3000 * 3, "at least four hops: {}", output.packet_hops);
}

#[test]
fn what_is_wrong_is_said() {
    let elements = r#"shell = "elements"
planes = 1
date = "2026-12-24"
elements = [{ OBJECT_NAME = "A", NORAD_CAT_ID = 1, EPOCH = "2026-06-13T00:00:00", MEAN_MOTION = 14.3,
ECCENTRICITY = 0.0, INCLINATION = 86.4, RA_OF_ASC_NODE = 0.0, ARG_OF_PERICENTER = 0.0, MEAN_ANOMALY = 0.0 }]"#;
    for (topology, berkeley, rest, path, message) in [
        ("shell = \"iridum\"", "", "", "topology.shell", "did you mean iridium?"),
        (
            "shell = \"element\"\nelements = \"iridium-next\"\nplanes = 6",
            "",
            "",
            "topology.shell",
            "did you mean elements?",
        ),
        ("planes = 0", "", "", "topology.planes", "legal is a whole number from 1"),
        ("shell = \"star\"", "", "", "topology.altitude", "Walker's patterns need altitude"),
        ("altitude = 100.0", "", "", "topology.altitude", "legal is a number from 160"),
        ("shell = \"elements\"", "", "", "topology.elements", "missing: a file of element sets"),
        ("elements = \"no.json\"", "", "", "topology.elements", "nobody has said where the scenario lies"),
        (elements, "", "", "topology.date", "the elements of A are 194.0 days from the start of the run"),
        (&elements.replace("2026-12-24", "soon"), "", "", "topology.date", "legal is a date and time in UTC"),
        (
            &elements.replace("86.4", "861.4"),
            "",
            "",
            "topology.elements[0].INCLINATION",
            "legal is a number from 0 to 180",
        ),
        (
            &elements.replace("2026-06-13T00:00:00", "yesterday"),
            "",
            "",
            "topology.elements",
            "EPOCH of A: \"yesterday\" given; legal is a date and time in UTC",
        ),
        (&elements.replace("planes = 1", "planes = 2"), "", "", "topology.planes", "there are 1 satellites"),
        (
            &elements.replace("planes = 1", "planes = 1\nslots = 1").replace("2026-12-24", "2026-06-13"),
            "",
            "",
            "topology.slots",
            "element sets say where",
        ),
        ("date = \"2026-12-24\"", "", "", "topology.date", "belongs to shell = \"elements\""),
        ("handoff_check = \"0 s\"", "", "", "topology.handoff_check", "legal is at least 1 ms"),
        ("reroute_interval = \"999 us\"", "", "", "topology.reroute_interval", "legal is at least 1 ms"),
        ("reroute_interval = 5", "", "", "topology.reroute_interval", "5 has no unit"),
        ("", "reroute_interval = \"5 s\"", "", "stations.berkeley.reroute_interval", "unknown key"),
        ("handoff_jitter = \"10 s\"", "", "", "topology.handoff_jitter", "less than handoff_check, 10 s"),
        ("isl = { delay = \"3 ms\" }", "", "", "topology.isl.delay", "satellites' places say"),
        ("uplink = { back = { rate = \"1 Mbit/s\" } }", "", "", "topology.uplink.back", "unknown key"),
        ("", "mask = 90", "", "stations.berkeley.mask", "legal is a number from 0 to 89"),
        ("inclination = 5.0", "", "", "stations.berkeley", "no satellite stands higher than 8.2 degrees"),
        ("", "uplink = { delay = \"3 ms\" }", "", "stations.berkeley.uplink.delay", "leave it out"),
        (
            "",
            "downlink = { changes = [{ at = \"3 s\", rate = \"1 Mbit/s\" }] }",
            "",
            "stations.berkeley.downlink.changes[0].rate",
            "all its stations share",
        ),
        ("", "", "[nodes.boston]", "stations.boston", "rename one"),
        ("", "", "[links.berkeley-up]\ndelay = \"9 ms\"", "links.berkeley-up.delay", "leave it out"),
        ("", "", "[links.berkeley-up]\nto = \"boston\"", "links.berkeley-up.to", "leave out to"),
        (
            "",
            "",
            "[links.berkeley-up]\nchanges = [{ at = \"1 s\", to = \"boston\" }]",
            "links.berkeley-up.changes[0].to",
            "satellites' places say",
        ),
        (
            "uplink = { changes = [{ at = \"1 s\", to = \"boston\" }] }",
            "",
            "",
            "topology.uplink.changes[0].to",
            "satellites' places say",
        ),
        (
            "",
            "downlink = { changes = [{ at = \"1 s\", to = \"nowhere\" }] }",
            "",
            "stations.berkeley.downlink.changes[0].to",
            "satellites' places say",
        ),
        (
            "",
            "",
            "[links.berkeley-up]\nleg_of = \"lan\"\n[nodes.host]\n[links.lan]\nfrom = \"host\"\nto = \"berkeley\"\n\
             rate = \"1 Mbit/s\"\ndelay = \"1 ms\"",
            "links.berkeley-up.leg_of",
            "leave out leg_of",
        ),
        (
            "",
            "mask = 89",
            "[links.berkeley-up]\nrate = \"1 Mbit/s\"\n[probes]\nqueues = [\"berkeley-up\"]",
            "stations.berkeley",
            "no satellite stands higher than 89 degrees",
        ),
        ("", "", "[flows.tcp]\nkind = \"tcp\"\nto = \"boston\"", "flows.tcp.from", "no hosts on its left; name nodes"),
        (
            "isl_check = \"1 ms\"\nplanes = 80",
            "",
            "",
            "topology.isl_check",
            "880 satellites are looked at 1500000 times",
        ),
        ("handoff_check = \"1 ms\"\nslots = 80", "", "", "topology.handoff_check", "480 satellites are looked at"),
        (
            "downlink = { agent = { kind = \"layer-blocking\" } }",
            "",
            "",
            "topology.downlink.agent",
            "over any of these links",
        ),
        (
            "",
            "uplink = { agent = { kind = \"rate-cap\" } }",
            "",
            "stations.berkeley.uplink.agent",
            "none sends its packets to receivers over this link",
        ),
        (
            "",
            "",
            "[links.isl-1-1-1-2]\nchanges = [{ at = \"1 s\", delay = \"9 ms\" }]",
            "links.isl-1-1-1-2.changes[0].delay",
            "leave it out",
        ),
    ] {
        let found = problems(&with(topology, berkeley, rest));
        assert!(found.iter().any(|problem| problem.path == path), "{topology} {berkeley} {rest}: {found:#?}");
        let problem = found.iter().find(|problem| problem.path == path).expect("looked for above");
        assert!(problem.message.contains(message), "{path}: {}", problem.message);
        // One that never sees a satellite is named for each of the three, and what hangs on them is not.
        let most = if message.starts_with("no satellite") { 3 } else { 1 };
        assert!(found.len() <= most, "{topology} {berkeley} {rest}: {found:#?}");
    }
    let text = with("", "", "").replace("stations.berkeley", "stations.sat-1-1").replace("\"berkeley\"", "\"sat-1-1\"");
    assert_eq!(problems(&text)[0].path, "stations.sat-1-1");
    for (latitude, said) in [("90.5", true), ("-91", true), ("90", false)] {
        let text = with("", "", "").replace("latitude = 37.9", &format!("latitude = {latitude}"));
        let found = Scenario::from_toml(&text);
        match said {
            true => assert_eq!(found.expect_err("off the Earth")[0].path, "stations.berkeley.latitude"),
            false => assert!(run(&found.expect("the pole is a place"), 1, &Control::default(), 1).is_ok()),
        }
    }
    let without = with("", "", "").replace("kind = \"constellation\"", "kind = \"dumbbell\"");
    assert!(problems(&without).iter().any(|problem| problem.message.contains("needs a topology of kind")));
}
