//! Rows and patterns of nodes and links mean what is written out, to the byte.

use crate::support::{go, table};
use faircast_scenario::{Problem, Scenario};
use serde_json::{Value, json};

const HEAD: &str = r#"
format = 1
name = "homes"
duration = "20 s"
[nodes.server]
[nodes.exchange]
[links.trunk]
from = "server"
to = "exchange"
rate = "10 Mbit/s"
delay = "20 ms"
"#;

const AT_ONCE: &str = r#"
[nodes."home-[9-11]"]
[links."line-*"]
from = "exchange"
to = "home-*"
rate = "2 Mbit/s"
delay = { first = "2 ms", step = "5 ms" }
queue = { limit = "20 packets" }
[links.line-10]
rate = "1 Mbit/s"
[sessions.film]
scheme = "tfmcc"
source = "server"
receivers = { nodes = "home-*", leave = { first = "19 s", step = "-1 s" } }
[flows.web]
kind = "tcp"
from = "server"
to = "home-[10-11]"
[probes]
paths = [{ from = "server", to = "home-*" }]
"#;

const WRITTEN_OUT: &str = r#"
[nodes]
home-9 = {}
home-10 = {}
home-11 = {}
[links.line-9]
from = "exchange"
to = "home-9"
rate = "2 Mbit/s"
delay = "2 ms"
queue = { kind = "drop-tail", limit = "20 packets" }
[links.line-10]
from = "exchange"
to = "home-10"
rate = "1 Mbit/s"
delay = "7 ms"
queue = { kind = "drop-tail", limit = "20 packets" }
[links.line-11]
from = "exchange"
to = "home-11"
rate = "2 Mbit/s"
delay = "12 ms"
queue = { kind = "drop-tail", limit = "20 packets" }
[sessions.film]
scheme = "tfmcc"
source = "server"
receivers = { nodes = ["home-9", "home-10", "home-11"], leave = ["19 s", "18 s", "17 s"] }
[flows.web]
kind = "tcp"
count = 2
from = "server"
to = ["home-10", "home-11"]
[probes]
paths = [
  { from = "server", to = "home-9" },
  { from = "server", to = "home-10" },
  { from = "server", to = "home-11" },
]
"#;

fn with(more: &str) -> String {
    HEAD.to_owned() + more
}

fn resolved(text: &str) -> Value {
    Scenario::from_toml(text).unwrap_or_else(|found| panic!("{text}\n{found:#?}")).to_json()
}

/// The one problem of a text.
fn one(text: &str) -> (String, String) {
    let found: Vec<Problem> = Scenario::from_toml(text).expect_err("something is wrong");
    assert_eq!(found.len(), 1, "{text}\n{found:#?}");
    (found[0].path.clone(), found[0].message.clone())
}

#[test]
fn what_is_said_at_once_is_what_is_written_out() {
    let (at_once, written_out) = (with(AT_ONCE), with(WRITTEN_OUT));
    assert_eq!(resolved(&at_once), resolved(&written_out));
    // Read back the resolved form stays as it is.
    let plain = resolved(&at_once);
    assert_eq!(Scenario::from_json(plain.clone()).expect("it is legal").to_json(), plain);
    let [one, other] = [&at_once, &written_out].map(|text| go(text));
    for (left, right) in one.tables.iter().zip(&other.tables) {
        assert_eq!(format!("{left:?}"), format!("{right:?}"), "{}", left.name);
    }
    assert!(table(&one, "flows").rows() > 0);
}

#[test]
fn rows_name_links_and_nodes_one_by_one() {
    let row = AT_ONCE.replace("line-*", "line-[9-11]").replace("to = \"home-*\"\nrate", "to = \"home-[9-11]\"\nrate");
    assert_eq!(resolved(&with(&row)), resolved(&with(AT_ONCE)));
    // A pattern of nodes beside a row of links gives each link the next of them.
    let mixed = AT_ONCE.replace("line-*", "line-[9-11]");
    assert_eq!(resolved(&with(&mixed)), resolved(&with(AT_ONCE)));
    // The same row the other way round, and a list with names, rows and patterns.
    let back = AT_ONCE.replace("from = \"exchange\"\nto = \"home-*\"", "from = \"home-*\"\nto = \"exchange\"");
    assert_eq!(resolved(&with(&back))["links"]["line-11"]["from"], "home-11");
    let list = AT_ONCE.replace(
        "{ nodes = \"home-*\", leave = { first = \"19 s\", step = \"-1 s\" } }",
        "{ nodes = [\"exchange\", \"home-[9-10]\", \"*e-11\"], leave = { first = \"19 s\", step = \"-1 s\" } }",
    );
    let receivers = &resolved(&with(&list))["sessions"]["film"]["receivers"];
    assert_eq!(receivers["nodes"], json!(["exchange", "home-9", "home-10", "home-11"]));
    assert_eq!(receivers["leave"], json!(["19 s", "18 s", "17 s", "16 s"]));
    // One node that matches is a list of one.
    let only = AT_ONCE.replace("to = \"home-[10-11]\"", "to = \"home-1*1\"");
    let web = &resolved(&with(&only))["flows"]["web"];
    assert_eq!([&web["to"], &web["count"]], [&json!(["home-11"]), &json!(1)]);
}

#[test]
fn both_ends_may_follow_the_same_star() {
    let text = with(
        "[nodes.\"street-[1-2]\"]\n[nodes.\"home-[1-2]\"]\n\
         [links.\"street-*\"]\nfrom = \"exchange\"\nto = \"street-*\"\nrate = \"5 Mbit/s\"\ndelay = \"1 ms\"\n\
         [links.\"door-*\"]\nfrom = \"street-*\"\nto = \"home-*\"\nrate = \"5 Mbit/s\"\ndelay = \"1 ms\"\n\
         [sessions.film]\nscheme = \"tfmcc\"\nsource = \"server\"\nreceivers = { nodes = \"home-*\" }\n",
    );
    let links = &resolved(&text)["links"];
    assert_eq!([&links["door-2"]["from"], &links["door-2"]["to"]], ["street-2", "home-2"]);
    let grid = text.replace("home-[1-2]", "home-[1-2]-[1-3]").replace("nodes = \"home-*\"", "nodes = \"home-2-*\"");
    let grid = grid.replace("door-*", "door-[1-2]-[1-3]").replace("from = \"street-*\"", "from = \"exchange\"");
    let scenario = resolved(&grid);
    assert_eq!(scenario["links"]["door-2-3"]["to"], "home-2-3");
    assert_eq!(scenario["sessions"]["film"]["receivers"]["nodes"], json!(["home-2-1", "home-2-2", "home-2-3"]));
}

#[test]
fn a_row_counts_before_a_pattern_and_a_name_before_both() {
    let more = "[links.\"*-1*\"]\nrate = \"7 Mbit/s\"\nheader = \"4 B\"\n[links.\"line-[10-11]\"]\nheader = \"8 B\"\n\
                mode = \"two-stage\"\n";
    let links = &resolved(&with(&(AT_ONCE.to_owned() + more)))["links"];
    let of = |link: &str| ["rate", "header", "mode"].map(|key| links[link][key].clone());
    // The maker has more characters of its own than the other pattern.
    assert_eq!(of("line-11"), [json!("2 Mbit/s"), json!("8 B"), json!("two-stage")]);
    assert_eq!(of("line-10"), [json!("1 Mbit/s"), json!("8 B"), json!("two-stage")]);
    assert_eq!(of("line-9"), [json!("2 Mbit/s"), Value::Null, Value::Null]);
}

#[test]
fn hosts_and_links_of_a_topology_can_be_named_at_once() {
    let text = "format = 1\nname = \"x\"\nduration = \"10 s\"\n\
                [topology]\nkind = \"dumbbell\"\nleft = 1\nright = 12\n\
                [links.\"access-right-[9-11]\"]\ndelay = { first = \"5 ms\", step = \"1 ms\" }\n\
                [sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-0\"\nreceivers = { nodes = \"right-1*\" }\n";
    let scenario = resolved(text);
    assert_eq!(scenario["links"]["access-right-11"]["delay"], "7 ms");
    assert_eq!(scenario["links"].as_object().expect("a table").len(), 3);
    assert_eq!(scenario["sessions"]["film"]["receivers"]["nodes"], json!(["right-1", "right-10", "right-11"]));
    let (at, what) = one(&text.replace("access-right-[9-11]", "access-right-[9-13]"));
    assert_eq!(at, "links.access-right-[9-13]");
    assert!(what.starts_with("the topology makes no link access-right-12; did you mean access-right-1"), "{what}");
}

#[test]
fn mistakes_are_said_once_where_they_stand() {
    let (to, mut wrong) = ("to = \"home-*\"\nrate", Vec::new());
    for (old, new, path, message) in [
        (
            "nodes = \"home-*\"",
            "nodes = \"hoem-*\"",
            "sessions.film.receivers.nodes",
            "no node is called like hoem-*; did you mean home-9?; there are exchange, home-9",
        ),
        (
            "nodes = \"home-*\"",
            "nodes = \"home-[9\"",
            "sessions.film.receivers.nodes",
            "home-[9 is no row of names: a row",
        ),
        (
            "nodes = \"home-*\"",
            "nodes = [\"server\", \"home-[8-12]\"]",
            "sessions.film.receivers.nodes[1]",
            "there is no node home-8; did you mean home-9?, and 1 more of home-[8-12] are not there",
        ),
        ("nodes = \"home-*\"", "nodes = \"*-[1-2]\"", "sessions.film.receivers.nodes", "has a row and a *"),
        (
            "nodes = \"home-*\"",
            "nodes = \"home-*\", count = 4",
            "sessions.film.receivers.nodes",
            "3 nodes for 4 receivers: name one for each, or leave out count",
        ),
        ("to = \"home-[10-11]\"", "to = \"hoem-*\"", "flows.web.to", "no node is called like hoem-*"),
        (to, "to = \"hoem-*\"\nrate", "links.line-*.to", "no node is called like hoem-*; did you mean home-9?"),
        (to, "to = \"home-[9-11]\"\nrate", "links.line-*.to", "is a row of names: name the links by a row as well"),
        (to, "to = \"home-*-*\"\nrate", "links.line-*.to", "home-*-* has 2 *, and the link, line-*, has 1"),
        (to, "to = \"home-*\"\nraet = 1\nrate", "links.line-*.raet", "did you mean rate?"),
        ("rate = \"2 Mbit/s\"", "rate = 2", "links.line-*.rate", "2 has no unit"),
        ("rate = \"2 Mbit/s\"", "rate = \"2e0 bit/s\"", "links.line-*.rate", "2e0 bit/s given; legal is"),
        ("rate = \"2 Mbit/s\"", "", "links.line-*", "rate missing: a new link needs"),
        ("line-*", "line-[9-12]", "links.line-[9-12].to", "3 nodes for 4 links"),
        ("line-*", "line-[9-11", "links.line-[9-11", "is no row of names"),
        ("line-*", "line-*-[9-11]", "links.line-*-[9-11]", "has a row and a *"),
        ("from = \"exchange\"\nto", "from = \"exchagne\"\nto", "links.line-*.from", "did you mean exchange?"),
        ("[nodes.\"home-[9-11]\"]", "[nodes.\"home-[11-9]\"]", "nodes.home-[11-9]", "is no row of names"),
        ("[nodes.\"home-[9-11]\"]", "[nodes.\"home-*\"]", "nodes.home-*", "home-* names nodes that are there; a row"),
        (
            "[nodes.\"home-[9-11]\"]",
            "[nodes.\"home-[1-4000000]\"]",
            "nodes.home-[1-4000000]",
            "more than 4000000 nodes",
        ),
        (
            "home-[9-11]\"]",
            "home-[9-11]\"]\ndescr = \"x\"",
            "nodes.home-[9-11].descr",
            "unknown key; legal are description",
        ),
        (
            "paths = [{ from = \"server\", to = \"home-*\"",
            "paths = [{ from = \"x-*\", to = \"server\"",
            "probes.paths[0].from",
            "no node is called like x-*",
        ),
    ] {
        let text = with(&AT_ONCE.replacen(old, new, 1));
        let found: Vec<Problem> = Scenario::from_toml(&text).expect_err("something is wrong");
        if found.len() != 1 || found[0].path != path || !found[0].message.contains(message) {
            wrong.push(format!("{new}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn two_nodes_never_get_one_link() {
    let flow = "[flows.web]\nkind = \"tcp\"\nfrom = \"server\"\nto = \"exchange\"\n";
    let text = with(
        "[nodes.home-1-12]\n[nodes.home-11-2]\n[links.\"line-**\"]\nfrom = \"exchange\"\nto = \"home-*-*\"\n\
         rate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n",
    ) + flow;
    let (at, message) = one(&text);
    assert_eq!(at, "links.line-**.to");
    assert_eq!(
        message,
        "the links to home-1-12 and home-11-2 would both be called line-112: put something between the * of line-**"
    );
    assert_eq!(resolved(&text.replace("line-**", "line-*-*"))["links"]["line-11-2"]["to"], "home-11-2");
    let (at, message) = one(&(with("[nodes.\"home-[1-11][1-12]\"]\n") + flow));
    assert_eq!(at, "nodes.home-[1-11][1-12]");
    assert!(message.starts_with("home-[1-11][1-12] names home-111 twice"), "{message}");
}
