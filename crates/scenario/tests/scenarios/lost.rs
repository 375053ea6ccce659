//! Packets that do not come through: where and why, one by one and by flow.

use crate::support::{go, numbers, table, words};
use faircast_scenario::run::RunOutput;
use faircast_scenario::{Problem, Scenario};

/// Two TCP connections and a session of two members over links that lose packets for every reason: a RED queue that is
/// short, random losses behind it, an outage, legs.
const EVERYTHING: &str = r#"
format = 1
name = "everything"
duration = "20 s"
warmup = "5 s"
nodes = { a = {}, r = {}, sat = {}, home = {}, ship = {} }
[links.up]
from = "a"
to = "r"
rate = "10 Mbit/s"
delay = "3 ms"
[links.narrow]
from = "r"
to = "sat"
rate = "1 Mbit/s"
delay = "20 ms"
queue = { kind = "red", min_th = "3 packets", max_th = "9 packets", limit = "9 packets", w_q = 0.1 }
loss = { kind = "bernoulli", p = 0.01 }
handoff_queue = "discard"
changes = [{ at = "9 s", up = false }, { at = "10 s", up = true }]
[links.down]
from = "sat"
rate = "2 Mbit/s"
[links.to-home]
leg_of = "down"
to = "home"
delay = "120 ms"
loss = { kind = "bernoulli", p = 0.02 }
[links.to-ship]
leg_of = "down"
to = "ship"
delay = "130 ms"
loss = { kind = "bernoulli", p = 0.03 }
changes = [{ at = "12 s", delay = "125 ms" }]
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
loss = { kind = "bernoulli", p = 0.05 }
[flows.web]
kind = "tcp"
count = 2
from = "a"
to = "ship"
[flows.voice]
kind = "cbr"
rate = "1100 kbit/s"
packet_size = "600 B"
start = "7 s"
stop = "11 s"
from = "a"
to = "home"
[sessions.film]
scheme = "tfmcc"
source = "a"
receivers = { nodes = ["home", "ship"] }
[probes]
packets = ["up", "narrow", "narrow.back", "down", "to-home", "to-ship", "from-home", "from-ship"]
"#;

/// The summary as (subject, metric) and value.
fn value(output: &RunOutput, subject: &str, metric: &str) -> f64 {
    let summary = table(output, "summary");
    let (subjects, metrics) = (words(summary, "subject"), words(summary, "metric"));
    let row = subjects.iter().zip(&metrics).position(|(s, m)| s == subject && m == metric);
    row.map_or(0.0, |row| numbers(summary, "value")[row])
}

/// A row of the table of packets: time, link, action, flow, number.
type Row = (f64, String, String, String, f64);

fn rows(output: &RunOutput) -> Vec<Row> {
    let packets = table(output, "packets");
    let (links, actions, flows) = (words(packets, "link"), words(packets, "action"), words(packets, "flow"));
    let numbered = numbers(packets, "t_s").iter().zip(numbers(packets, "number"));
    let named = links.into_iter().zip(actions).zip(flows);
    numbered.zip(named).map(|((t, number), ((link, action), flow))| (*t, link, action, flow, *number)).collect()
}

const FLOWS: [&str; 4] = ["web-0", "web-1", "voice", "film"];

#[test]
fn what_flows_lose_is_what_links_lose() {
    let output = go(EVERYTHING);
    let links = ["up", "up.back", "narrow", "narrow.back", "down", "to-home", "to-ship", "from-home", "from-ship"];
    let of_links = |metric: &str| links.iter().map(|link| value(&output, link, metric)).sum::<f64>();
    let of_flows = |metric: &str| FLOWS.iter().map(|flow| value(&output, flow, metric)).sum::<f64>();
    let overflow = of_links("drops_overflow_all");
    let down = of_links("dropped_down_all") + of_links("discarded_all") + of_links("unreceived_all");
    assert_eq!(of_flows("drops_overflow_all"), overflow);
    assert_eq!(of_flows("drops_active_all"), of_links("drops_all") - overflow);
    assert_eq!(of_flows("drops_down_all"), down);
    assert_eq!(of_flows("lost_all"), of_links("lost_all"));
    assert_eq!(of_flows("undeliverable_all"), value(&output, "run", "undeliverable"));
    for metric in ["drops_overflow", "drops_active", "drops_down", "lost", "undeliverable"] {
        assert!(of_flows(&format!("{metric}_all")) > 0.0, "nothing for {metric}");
        let late = rows(&output).into_iter().filter(|row| row.0 > 5.0);
        let is = |action: &str| match metric {
            "drops_overflow" => action == "dropped-overflow",
            "drops_active" => action == "dropped-active",
            "drops_down" => ["dropped-down", "discarded", "unreceived"].contains(&action),
            "lost" => action == "lost",
            _ => ["no-route", "out-of-hops", "off-tree", "not-a-source"].contains(&action),
        };
        let told = late.filter(|row| is(&row.2)).count() as f64;
        assert_eq!(of_flows(metric), told, "{metric} after the warm-up");
    }
    assert!(value(&output, "film", "lost") > 0.0 && value(&output, "web-1", "lost") > 0.0);
}

#[test]
fn what_departs_is_what_has_entered_and_what_is_lost_has_departed() {
    let output = go(EVERYTHING);
    let of = |link: &str, actions: &[&str]| -> Vec<(String, u64)> {
        let rows = rows(&output).into_iter();
        let own = rows.filter(|row| row.1 == link && actions.contains(&row.2.as_str()));
        own.map(|(.., flow, number)| (flow, number.to_bits())).collect()
    };
    let entered = of("narrow", &["accepted", "marked-moderate"]);
    let (departed, discarded) = (of("narrow", &["departed"]), of("narrow", &["discarded"]));
    assert!(discarded.len() > 3 && departed.len() > 500);
    // In their order, but those that were removed in between.
    let mut left = discarded.clone();
    let stayed: Vec<_> = entered
        .into_iter()
        .filter(|packet| match left.iter().position(|gone| gone == packet) {
            Some(place) => {
                left.remove(place);
                false
            }
            None => true,
        })
        .collect();
    assert_eq!(departed[..], stayed[..departed.len()]);
    for link in ["narrow", "from-ship"] {
        let (departed, lost) = (of(link, &["departed"]), of(link, &["lost"]));
        assert!(lost.len() > 1 && lost.iter().all(|packet| departed.contains(packet)), "{link}");
    }
    // A leg has what is lost on it, and nothing else.
    for leg in ["to-home", "to-ship"] {
        assert_eq!(of(leg, &["lost"]).len() as f64, value(&output, leg, "lost_all"), "{leg}");
        assert_eq!(rows(&output).iter().filter(|row| row.1 == leg).count(), of(leg, &["lost"]).len(), "{leg}");
    }
    // What found no way is told on a node.
    let packets = table(&output, "packets");
    let on_nodes = words(packets, "node").into_iter().zip(words(packets, "link")).zip(words(packets, "action"));
    let no_way = ["no-route", "out-of-hops", "off-tree", "not-a-source"];
    for ((node, link), action) in on_nodes {
        let expected = if no_way.contains(&action.as_str()) { (false, true) } else { (true, false) };
        assert_eq!((node.is_empty(), link.is_empty()), expected, "{action}");
    }
}

#[test]
fn packets_are_told_apart() {
    let output = go(EVERYTHING);
    let packets = table(&output, "packets");
    let (sizes, data, again) = (
        crate::support::integers(packets, "size_bytes"),
        crate::support::integers(packets, "is_data"),
        crate::support::integers(packets, "is_retransmission"),
    );
    let groups = numbers(packets, "group");
    for (row, (_, link, action, flow, number)) in rows(&output).into_iter().enumerate() {
        let back = ["narrow.back", "from-home", "from-ship"].contains(&link.as_str());
        // Towards receivers there is data, and what nodes tell each other of groups.
        assert!(data[row] == 0 || !back, "{link} {flow}");
        // An ACK that found no way is told on a node.
        assert!(data[row] == 1 || back || flow == "film" || link.is_empty(), "{link} {flow}");
        assert_eq!(groups[row].is_nan(), flow != "film" || data[row] == 0, "{link} {flow} {action}");
        assert!(again[row] == 0 || flow.starts_with("web") && !back);
        if data[row] == 1 {
            assert!(number >= 0.0 && sizes[row] >= 500, "{number} {}", sizes[row]);
        }
    }
    // At the first link each segment passes once as itself, and again as often as it is sent again.
    let first: Vec<usize> = (0..data.len()).collect();
    let sent = |flow: &str, wanted: i64| {
        let rows = rows(&output);
        let of_flow = |row: &&usize| rows[**row].1 == "up" && rows[**row].2 == "accepted" && rows[**row].3 == flow;
        first.iter().filter(of_flow).filter(|row| again[**row] == wanted).count() as f64
    };
    assert_eq!(sent("web-0", 1), value(&output, "web-0", "retransmitted") + early_repeats(&output, "web-0"));
    assert!(sent("web-0", 0) > 100.0);
}

/// Repetitions during the warm-up, which the metric leaves out.
fn early_repeats(output: &RunOutput, flow: &str) -> f64 {
    let flows = table(output, "flows");
    let rows = words(flows, "flow")
        .into_iter()
        .zip(numbers(flows, "t_s"))
        .zip(crate::support::integers(flows, "retransmitted_pkts"));
    rows.filter(|((name, t), _)| name == flow && **t <= 5.0).map(|(_, count)| *count as f64).sum()
}

#[test]
fn a_window_flows_and_actions_narrow_what_is_kept() {
    let all = rows(&go(EVERYTHING));
    let narrowed = |settings: &str| rows(&go(&format!("{EVERYTHING}{settings}\n")));
    let kept = |keep: &dyn Fn(&Row) -> bool| -> Vec<_> {
        all.iter().filter(|row| keep(row)).map(|row| format!("{row:?}")).collect()
    };
    let shown = |settings: &str| -> Vec<_> { narrowed(settings).iter().map(|row| format!("{row:?}")).collect() };
    let window = shown("packets_from = \"8.5 s\"\npackets_until = \"9.5 s\"");
    assert!(window.len() > 100 && window.len() < all.len() / 5);
    assert_eq!(window, kept(&|row| (8.5..=9.5).contains(&row.0)));
    assert_eq!(shown("packets_flows = [\"web\"]"), kept(&|row| row.3.starts_with("web-")));
    assert_eq!(shown("packets_flows = [\"film\", \"web-1\"]"), kept(&|row| row.3 == "film" || row.3 == "web-1"));
    let losses = shown("packets_actions = [\"lost\", \"dropped-active\", \"no-route\"]");
    assert_eq!(losses, kept(&|row| ["lost", "dropped-active", "no-route"].contains(&row.2.as_str())));
    // What is kept changes nothing.
    let summary =
        |settings: &str| format!("{:?}", numbers(table(&go(&format!("{EVERYTHING}{settings}")), "summary"), "value"));
    assert_eq!(summary(""), summary("packets_until = \"1 s\""));
}

#[test]
fn what_is_wrong_with_what_is_kept_is_said_where_it_stands() {
    let problems = |settings: &str| -> Vec<Problem> {
        Scenario::from_toml(&format!("{EVERYTHING}{settings}\n")).expect_err("something is wrong")
    };
    for (settings, path, message) in [
        (
            "packets_flows = [\"web\", \"flim\"]",
            "probes.packets_flows[1]",
            "there is no flow or session flim; did you mean film?",
        ),
        ("packets_from = \"21 s\"", "probes.packets_from", "21 s given; legal is up to the duration, 20 s"),
        (
            "packets_from = \"3 s\"\npackets_until = \"2 s\"",
            "probes.packets_until",
            "2 s given; legal is packets_from, 3 s, or later",
        ),
        ("packets_actions = [\"dropped\"]", "probes.packets_actions[0]", "dropped-overflow"),
    ] {
        let found = problems(settings);
        let [one] = &found[..] else { panic!("{found:?}") };
        assert!(one.path == path && one.message.contains(message), "{one}");
    }
    let none = EVERYTHING.split("[probes]").next().expect("there is something before").to_owned();
    let found = Scenario::from_toml(&format!("{none}[probes]\npackets_until = \"1 s\"")).expect_err("of which links?");
    assert_eq!(found[0].to_string(), "probes.packets_until: of which links? probes.packets names none");
}
