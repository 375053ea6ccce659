//! Every kind of bad input gets one clear message at the right place, and all of them come at once.

use faircast_scenario::{Problem, Scenario};

/// A legal scenario that the cases spoil.
const BASE: &str = r#"
format = 1
name = "base"
duration = "100 s"
warmup = "10 s"
seed = 3

[topology]
kind = "dumbbell"
left = 2

[nodes.extra]
[nodes.island]

[links.bottleneck]
rate = "1.5 Mbit/s"
delay = "250 ms"
queue = { kind = "red", limit = "100 packets", min_th = "5 packets" }
loss = { kind = "bernoulli", p = 0.001 }

[links.spur]
from = "right-router"
to = "extra"
rate = "1 Mbit/s"
delay = "1 ms"

[flows.web]
kind = "tcp"
count = 2
start = "0 s"

[flows.voice]
kind = "cbr"
from = "left-0"
to = "extra"

[probes]
interval = "1 s"
queues = ["bottleneck", "spur.back"]
"#;

/// What in the base is replaced by what, and the path and a part of the message of the one problem that follows.
const CASES: &[(&str, &str, &str, &str)] = &[
    // Form.
    ("seed = 3", "sed = 3", "sed", "unknown key; did you mean seed?; legal are description, duration"),
    ("delay = \"250 ms\"", "dealy = \"250 ms\"", "links.bottleneck.dealy", "did you mean delay?"),
    ("limit =", "limt =", "links.bottleneck.queue.limt", "did you mean limit?"),
    ("p = 0.001", "p = 0.001, q = 1", "links.bottleneck.loss.q", "unknown key; did you mean p?; legal are kind, p"),
    ("count = 2", "cuont = 2", "flows.web.cuont", "did you mean count?"),
    ("left = 2", "lefd = 2", "topology.lefd", "did you mean left?"),
    ("[nodes.extra]", "[nodes.extra]\ncolour = 1", "nodes.extra.colour", "unknown key; legal are description"),
    ("interval =", "intervall =", "probes.intervall", "did you mean interval?"),
    ("count = 2", "count = \"two\"", "flows.web.count", "\"two\" is not legal; legal is a whole number from 1"),
    // Whole numbers that no field can hold.
    ("count = 2", "count = 4294967296", "flows.web.count", "a whole number from 1 to 4294967295"),
    ("kind = \"tcp\"", "kind = \"tcp\"\nmax_burst = 4294967296", "flows.web.max_burst", "a whole number from"),
    ("seed = 3", "seed = 9223372036854775808", "seed", "whole numbers are from -2^63 to 2^63 - 1"),
    ("count = 2", "count = 0xffff_ffff_ffff_ffff_ffff", "flows.web.count", "0xffffffffffffffffffff is not legal"),
    // Why no more is legal.
    (
        "kind = \"bernoulli\", p = 0.001",
        "kind = \"bit-error\", ber = 1.0",
        "links.bottleneck.loss.ber",
        "legal is a number from 0 to less than 1, for with 1 no bit would arrive as it was sent",
    ),
    // Profiles are of a kind of flow.
    ("count = 2", "profile = \"rfc4654\"", "flows.web.profile", "\"rfc4654\" is not legal; legal are rfc, ns2, linux"),
    ("count = 2", "profile = \"linus\"", "flows.web.profile", "did you mean linux?; legal are rfc, ns2, linux"),
    ("kind = \"cbr\"", "kind = \"cbr\"\nprofile = \"ns2\"", "flows.voice.profile", "unknown key"),
    (
        "count = 2",
        "playout = { kind = \"live\" }",
        "flows.web.playout",
        "receivers of a flow play nothing; legal for sess",
    ),
    ("count = 2", "abc_limit = 0", "flows.web.abc_limit", "0 is not legal; legal is a whole number from 1 to 1000"),
    ("count = 2", "byte_counting = 1", "flows.web.byte_counting", "1 is not legal; legal is true or false"),
    ("count = 2", "count = 1.5", "flows.web.count", "1.5 is not legal; legal is a whole number from 1"),
    ("queues = [", "events = 1\nqueues = [", "probes.events", "1 is not legal; legal is true or false"),
    ("queues = [", "packets = \"spur\"\nqueues = [", "probes.packets", "legal is a list, each item a text"),
    ("\"bottleneck\",", "7,", "probes.queues[0]", "7 is not legal; legal is a text"),
    (
        "seed = 3",
        "seed = 3
engine = 3",
        "engine",
        "3 is not legal; legal is a table",
    ),
    ("duration = \"100 s\"", "", "duration", "missing; legal is a duration such as \"250 ms\""),
    ("name = \"base\"", "", "name", "missing; legal is a text"),
    ("format = 1", "", "format", "missing; legal is 1"),
    ("format = 1", "format = 2", "format", "format 2 is not supported; this version reads format 1"),
    ("name = \"base\"", "name = \"a b\"", "name", "\"a b\" is not legal; legal is a text of up to 100 letters"),
    ("[nodes.extra]", "[nodes.\"x.y\"]\n[nodes.extra]", "nodes.x.y", "illegal name; legal are up to 100 letters"),
    // Quantities.
    (
        "\"1.5 Mbit/s\"",
        "1500000",
        "links.bottleneck.rate",
        "1500000 has no unit: write a rate as text with its unit, e.g. \"1.5 Mbit/s\"",
    ),
    ("\"1.5 Mbit/s\"", "\"1500000\"", "links.bottleneck.rate", "1500000 has no unit"),
    (
        "\"250 ms\"",
        "0.25",
        "links.bottleneck.delay",
        "0.25 has no unit: write a duration as text with its unit, e.g. \"0.25 s\"",
    ),
    // Nobody means seconds by a large delay in a network, and everybody by a run's duration.
    (
        "\"250 ms\"",
        "250",
        "links.bottleneck.delay",
        "250 has no unit: write a duration as text with its unit, e.g. \"250 ms\"",
    ),
    (
        "\"250 ms\"",
        "\"250\"",
        "links.bottleneck.delay",
        "250 has no unit: write a duration as text with its unit, e.g. \"250 ms\"",
    ),
    ("kind = \"tcp\"", "kind = \"tcp\"\nsend_jitter = 8", "flows.web.send_jitter", "e.g. \"8 ms\""),
    ("kind = \"tcp\"", "kind = \"tcp\"\nstart_jitter = 8", "flows.web.start_jitter", "e.g. \"8 s\""),
    ("duration = \"100 s\"", "duration = 100", "duration", "e.g. \"100 s\""),
    // What was given is repeated as it was written.
    (
        "duration = \"100 s\"",
        "duration = \"1e9 s\"",
        "duration",
        "1e9 s given; legal is above 0 s up to 8640000 s, 100 days",
    ),
    ("\"1.5 Mbit/s\"", "\"9 b/s\"", "links.bottleneck.rate", "9 b/s given; legal is"),
    // A key that was meant for another is one mistake.
    ("duration = \"100 s\"", "durration = \"100 s\"", "durration", "unknown key; did you mean duration?"),
    ("p = 0.001", "pp = 0.001", "links.bottleneck.loss.pp", "unknown key; did you mean p?"),
    ("\"100 packets\"", "100", "links.bottleneck.queue.limit", "e.g. \"100 packets\""),
    (
        "\"5 packets\"",
        "5",
        "links.bottleneck.queue.min_th",
        "5 has no unit: write a number of packets as text with its unit, e.g. \"5 packets\"; \"auto\" is legal, too",
    ),
    (
        "\"5 packets\"",
        "\"few\"",
        "links.bottleneck.queue.min_th",
        "is not a number of packets: a number and a unit are needed",
    ),
    (
        "\"5 packets\"",
        "true",
        "links.bottleneck.queue.min_th",
        "true is not legal; legal is a number of packets such as \"50 packets\" or \"auto\"",
    ),
    (
        "\"1.5 Mbit/s\"",
        "\"1.5 Mbps\"",
        "links.bottleneck.rate",
        "\"1.5 Mbps\" is not a rate: a number and a unit are needed, such as \"1.5 Mbit/s\"; units: bit/s, kbit/s",
    ),
    ("\"250 ms\"", "true", "links.bottleneck.delay", "true is not legal; legal is a duration such as \"250 ms\""),
    ("\"1.5 Mbit/s\"", "\"-1 Mbit/s\"", "links.bottleneck.rate", "must be finite and not negative"),
    ("\"1.5 Mbit/s\"", "\"0 Mbit/s\"", "links.bottleneck.rate", "0 Mbit/s given; legal is 10 bit/s to 10000 Gbit/s"),
    ("\"1.5 Mbit/s\"", "\"1e9 Gbit/s\"", "links.bottleneck.rate", "legal is 10 bit/s to 10000 Gbit/s"),
    (
        "left = 2",
        "left = 2\naccess_left = { rate = \"1 bit/s\" }",
        "topology.access_left.rate",
        "1 bit/s given; legal is",
    ),
    ("\"250 ms\"", "\"2 h\"", "links.bottleneck.delay", "2 h given; legal is at most 3600 s"),
    ("\"250 ms\"", "\"1e999 s\"", "links.bottleneck.delay", "must be finite"),
    ("p = 0.001", "p = nan", "links.bottleneck.loss.p", "nan is not legal; numbers are finite"),
    ("p = 0.001", "p = -inf", "links.bottleneck.loss.p", "-inf is not legal; numbers are finite"),
    ("seed = 3", "seed = 2024-01-01", "seed", "2024-01-01 is not legal; a scenario knows no dates"),
    // Kinds.
    (
        "\"dumbbell\"",
        "\"dumbell\"",
        "topology.kind",
        "\"dumbell\" is not legal; did you mean dumbbell?; legal are dumbbell, chain, parking-lot",
    ),
    (
        "kind = \"red\"",
        "kind = \"rde\"",
        "links.bottleneck.queue.kind",
        "did you mean red?; legal are drop-tail, red, mecn, codel, fq-codel, pie, dualpi2, classes, shaper, policer",
    ),
    (
        "kind = \"red\", ",
        "",
        "links.bottleneck.queue.kind",
        "missing; legal is one of drop-tail, red, mecn, codel, fq-codel, pie, dualpi2, classes, shaper, policer",
    ),
    (
        "{ kind = \"bernoulli\", p = 0.001 }",
        "\"bernoulli\"",
        "links.bottleneck.loss",
        "\"bernoulli\" is not legal; legal is a table with a kind: none, bernoulli",
    ),
    ("kind = \"cbr\"", "kind = \"ftp\"", "flows.voice.kind", "\"ftp\" is not legal; legal are tcp, cbr, on-off"),
    ("kind = \"tcp\"", "kind = \"tcp\"\nvariant = \"newrno\"", "flows.web.variant", "did you mean newreno?"),
    ("kind = \"tcp\"", "kind = \"tcp\"\necn = true", "flows.web.ecn", "true is not legal; legal"),
    ("p = 0.001 }", "}", "links.bottleneck.loss.p", "missing; legal is a number from 0 to 1"),
    // Numbers out of range.
    ("p = 0.001", "p = 1.001", "links.bottleneck.loss.p", "1.001 is not legal; legal is a number from 0 to 1"),
    ("p = 0.001", "p = -0.001", "links.bottleneck.loss.p", "legal is a number from 0 to 1"),
    ("seed = 3", "seed = -1", "seed", "-1 is not legal; legal is a whole number from 0 to 9007199254740991"),
    ("seed = 3", "seed = 9007199254740992", "seed", "legal is a whole number from 0 to 9007199254740991"),
    ("count = 2", "count = 0", "flows.web.count", "0 is not legal; legal is a whole number from 1"),
    ("left = 2", "left = 0", "topology.left", "0 is not legal; legal is a whole number from 1 to 1000000"),
    ("count = 2", "count = 3000000000", "flows.web.count", "3000000001 flows in all; legal are at most 4000000"),
    // Parameters against each other.
    (
        "\"5 packets\"",
        "\"50 packets\"",
        "links.bottleneck.queue.max_th",
        "15 packets by default; it must be above min_th = 50 packets",
    ),
    ("\"100 packets\"", "\"0 packets\"", "links.bottleneck.queue.limit", "legal is a whole number of packets from 1"),
    (
        "{ kind = \"red\", limit = \"100 packets\", min_th = \"5 packets\" }",
        "{ kind = \"mecn\", min_th = \"9 packets\", mid_th = \"8 packets\" }",
        "links.bottleneck.queue.mid_th",
        "8 packets given; it must be above min_th = 9 packets",
    ),
    (
        "kind = \"tcp\"",
        "kind = \"tcp\"\nrto_min = \"90 s\"",
        "flows.web.rto_min",
        "90 s given; legal is above 0 s up to rto_max = 60 s",
    ),
    (
        "kind = \"tcp\"",
        "kind = \"tcp\"\nrto_min = \"200 ms\"\nrto_max = \"500 ms\"",
        "flows.web.rto_initial",
        "3 s by default; legal is above 0 s up to rto_max = 0.5 s",
    ),
    // Times.
    ("\"100 s\"", "\"0 s\"", "duration", "0 s given; legal is above 0 s"),
    ("\"100 s\"", "\"101 days\"", "duration", "is not a duration"),
    ("\"100 s\"", "\"2401 h\"", "duration", "8640000 s, 100 days"),
    ("warmup = \"10 s\"", "warmup = \"100 s\"", "warmup", "100 s given; legal is less than the duration, 100 s"),
    ("start = \"0 s\"", "start = \"100 s\"", "flows.web.start", "legal is before the end of the run at 100 s"),
    ("start = \"0 s\"", "start_step = \"100 s\"", "flows.web.start_step", "the last flow would start at 100 s"),
    ("start = \"0 s\"", "start_jitter = \"3 min\"", "flows.web.start_jitter", "as late as 180 s"),
    (
        "start = \"0 s\"",
        "start = \"5 s\"\nstop = \"5 s\"",
        "flows.web.stop",
        "5 s given; legal is after the start at 5 s",
    ),
    (
        "start = \"0 s\"",
        "start_step = \"9 s\"\nstop = \"9 s\"",
        "flows.web.stop",
        "after the last possible start at 9 s",
    ),
    ("interval = \"1 s\"", "interval = \"0 s\"", "probes.interval", "0 s given; legal is 0.000001 s or more"),
    // Names.
    ("to = \"extra\"\nrate", "to = \"etxra\"\nrate", "links.spur.to", "there is no node etxra; did you mean extra?"),
    ("from = \"left-0\"", "from = \"left-7\"", "flows.voice.from", "there is no node left-7; did you mean left-0?"),
    ("from = \"left-0\"", "from = [\"left-0\", \"left-1\"]", "flows.voice.from", "2 nodes for 1 flows"),
    ("from = \"left-0\"", "from = [\"nowhere\"]", "flows.voice.from[0]", "there is no node nowhere"),
    ("to = \"extra\"\nrate", "to = \"right-router\"\nrate", "links.spur.to", "to another node, not to itself"),
    ("from = \"left-0\"", "from = \"extra\"", "flows.voice", "flow voice would start and end on node extra"),
    (
        "to = \"extra\"\n\n",
        "to = \"island\"\n\n",
        "flows.voice",
        "flow voice: no path leads from node left-0 to node island",
    ),
    ("to = \"extra\"\nrate", "to = \"extra\"\nsimplex = true\nrate", "probes.queues[1]", "there is no link spur.back"),
    ("\"spur.back\"", "\"spru\"", "probes.queues[1]", "there is no link spru; did you mean spur?"),
    ("\"spur.back\"", "\"bottleneck\"", "probes.queues[1]", "bottleneck is named twice"),
    (
        "[links.bottleneck]",
        "[links.botleneck]",
        "links.botleneck",
        "makes no link botleneck; did you mean bottleneck?, and a new link needs from, to, rate and delay",
    ),
    ("from = \"right-router\"\n", "", "links.spur", "from missing: a new link needs from, to, rate and delay"),
    ("rate = \"1 Mbit/s\"\ndelay = \"1 ms\"", "", "links.spur", "rate, delay missing"),
    (
        "[links.bottleneck]",
        "[links.bottleneck]\nto = \"extra\"",
        "links.bottleneck.to",
        "says where it ends: leave out to",
    ),
    ("count = 2", "count = 3", "flows.web.from", "would need the node left-2, but topology.left is 2: make it 3"),
    ("[flows.voice]", "[flows.web-1]", "flows.web.count", "count makes a flow web-1, but there is flows.web-1 already"),
    (
        "[links.spur]",
        "[links.spur]\nsimplex = true\nback = {}",
        "links.spur.back",
        "a simplex link has no direction back",
    ),
];

fn problems(text: &str) -> Vec<Problem> {
    Scenario::from_toml(text).expect_err("something is wrong")
}

#[test]
fn the_base_is_legal() {
    Scenario::from_toml(BASE).expect("nothing is wrong with it");
}

#[test]
fn every_case_gets_its_message() {
    let mut wrong = String::new();
    for (old, new, path, message) in CASES {
        assert!(BASE.contains(old), "the base has no {old}");
        let found = match Scenario::from_toml(&BASE.replacen(old, new, 1)) {
            Ok(_) => Vec::new(),
            Err(found) => found,
        };
        if !found.iter().any(|problem| problem.path == *path && problem.message.contains(message)) {
            let shown: Vec<String> = found.iter().map(|p| format!("{} -> {}", p.path, p.message)).collect();
            wrong +=
                &format!("\n{old} => {new}\n  wanted {path} -> {message}\n  got    {}\n", shown.join("\n         "));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn one_mistake_gives_one_problem() {
    // These touch two places by themselves: a table that others refer to, a flow that needs two nodes.
    let twofold = ["simplex = true", "count = 3\n", "[flows.web-1]"];
    for (old, new, ..) in CASES {
        if twofold.iter().any(|exception| format!("{new}\n").contains(exception)) {
            continue;
        }
        let found = problems(&BASE.replacen(old, new, 1));
        assert_eq!(found.len(), 1, "{old} => {new}: {found:#?}");
    }
}

#[test]
fn form_and_meaning_come_at_once() {
    let text = BASE
        .replace("seed = 3", "sed = 3")
        .replace("\"1.5 Mbit/s\"", "1500000")
        .replace("p = 0.001", "p = 2")
        .replace("warmup = \"10 s\"", "warmup = \"100 s\"")
        .replace("start = \"0 s\"", "start = \"200 s\"")
        .replace("from = \"left-0\"", "from = \"left-7\"")
        .replace("\"spur.back\"", "\"spru\"");
    let found = problems(&text);
    let paths: Vec<&str> = found.iter().map(|problem| problem.path.as_str()).collect();
    // The node and the link are judged although a link is wrong; only what may follow from that is held back.
    assert_eq!(
        paths,
        ["flows.voice.from", "flows.web.start", "links.bottleneck.loss.p", "links.bottleneck.rate", "sed", "warmup"]
    );
}

#[test]
fn what_follows_from_another_mistake_is_not_reported() {
    // Without its kind the topology has no nodes, but that is not said once for every node.
    let found = problems(&BASE.replace("kind = \"dumbbell\"", "kind = \"dumbell\""));
    assert_eq!(found.len(), 1, "{found:#?}");
    // Nor does a warm-up become too long because the duration cannot be read.
    let found = problems(&BASE.replace("duration = \"100 s\"", "duration = 100"));
    assert_eq!(found.len(), 1, "{found:#?}");
}

#[test]
fn one_typo_is_answered_once() {
    let bare = "format = 1\nname = \"x\"\nduration = \"10 s\"\n[topology]\nkind = \"dumbbell\"\n";
    for (more, path) in [
        ("[flow.web]\nkind = \"tcp\"\n", "flow"),
        ("[session.web]\nscheme = \"tfmcc\"\nsource = \"left-0\"\n", "session"),
        ("[sessions.web]\nscheme = \"tfmcc\"\nsorce = \"left-0\"\n", "sessions.web.sorce"),
    ] {
        let found = problems(&format!("{bare}{more}"));
        assert_eq!((found.len(), found[0].path.as_str()), (1, path), "{found:#?}");
    }
}

#[test]
fn problems_say_what_was_given_and_what_is_legal() {
    let found = problems(&BASE.replace("seed = 3", "seed = -1"));
    assert_eq!(found[0].given.as_deref(), Some("-1"));
    assert_eq!(found[0].legal.as_deref(), Some("a whole number from 0 to 9007199254740991"));
    assert_eq!(found[0].to_string(), "seed: -1 is not legal; legal is a whole number from 0 to 9007199254740991");
}

#[test]
fn errors_of_toml_have_line_and_column() {
    let found = problems("format = 1\nname = \"x\nduration = 3 s\n");
    assert!(found[0].message.starts_with("line 2, column 10: no legal TOML: "), "{found:#?}");
    assert!(found.iter().any(|problem| problem.message.starts_with("line 3, column ")), "{found:#?}");
    let found = problems("format = 1\nformat = 1\n");
    assert!(found[0].message.starts_with("line 2, column 1: no legal TOML: duplicate key"), "{found:#?}");
}

#[test]
fn a_scenario_without_anything_lacks_everything() {
    let paths: Vec<String> = problems("").into_iter().map(|problem| problem.path).collect();
    assert_eq!(paths, ["duration", "flows", "format", "name"]);
}

#[test]
fn what_is_no_table_is_no_scenario() {
    for value in [serde_json::json!(null), serde_json::json!(3), serde_json::json!([1])] {
        let found = Scenario::from_json(value).expect_err("it is no table");
        assert!(found[0].message.contains("is not legal; legal is a table of description, "), "{found:?}");
    }
}

/// A legal scenario with a session.
const SESSION: &str = r#"
format = 1
name = "session"
duration = "100 s"

[topology]
kind = "star"
left = 1
right = 3

[nodes.island]

[flows.video-9]
kind = "cbr"
from = "left-0"
to = "right-0"

[sessions.video]
scheme = "tfmcc"
source = "left-0"
stop = "90 s"
receivers = { count = 3, join = "5 s", leave = ["50 s", "60 s", "70 s"] }
membership = { profile = "ns2", mode = "dense" }
"#;

const SESSION_CASES: &[(&str, &str, &str, &str)] = &[
    ("source = \"left-0\"", "", "sessions.video.source", "missing; legal is a text"),
    (
        "\"tfmcc\"",
        "\"tfmc\"",
        "sessions.video.scheme",
        "\"tfmc\" is not legal; did you mean tfmcc?; legal are cbr, tfmcc, omcc",
    ),
    ("scheme = \"tfmcc\"", "", "sessions.video.scheme", "missing; legal is one of cbr, tfmcc, omcc"),
    ("scheme =", "kind =", "sessions.video.scheme", "missing"),
    (
        "source = \"left-0\"",
        "source = \"left-1\"",
        "sessions.video.source",
        "there is no node left-1; did you mean left-0?",
    ),
    ("stop = \"90 s\"", "stop = \"0 s\"", "sessions.video.stop", "legal is after the start, 0 s at the latest"),
    ("stop = \"90 s\"", "start = \"100 s\"", "sessions.video.start", "legal is before the end at 100 s"),
    (
        "stop =",
        "pep = { at = [\"x\"] }\nstop =",
        "sessions.video.pep",
        "a session sends to a group and has no connection",
    ),
    ("stop =", "stp =", "sessions.video.stp", "unknown key; did you mean stop?"),
    ("stop = \"90 s\"", "max_rate = \"1 bit/s\"", "sessions.video.max_rate", "legal is at least a packet in 8 s"),
    ("stop = \"90 s\"", "max_rate = 1000", "sessions.video.max_rate", "1000 has no unit"),
    ("count = 3", "count = 0", "sessions.video.receivers.count", "0 is not legal; legal is a whole number from 1"),
    (
        "count = 3",
        "count = 4",
        "sessions.video.receivers.nodes",
        "would need the node right-3, but topology.right is 3",
    ),
    (
        "count = 3",
        "nodes = [\"right-0\", \"left\"], count = 2",
        "sessions.video.receivers.nodes[1]",
        "there is no node left",
    ),
    (
        "count = 3, join = \"5 s\", leave = [\"50 s\", \"60 s\", \"70 s\"]",
        "nodes = []",
        "sessions.video.receivers.nodes",
        "an empty list",
    ),
    (
        "count = 3",
        "nodes = \"right-0\", count = 1000000000",
        "sessions.video.receivers.count",
        "1000000000 receivers in all; legal are at most 4000000",
    ),
    ("count = 3", "nodes = \"rihgt-0\", count = 3", "sessions.video.receivers.nodes", "did you mean right-0?"),
    ("count = 3", "nodes = [\"right-0\"], count = 3", "sessions.video.receivers.nodes", "1 nodes for 3 receivers"),
    (
        "count = 3",
        "nodes = [\"right-0\", \"right-1\", \"island\"]",
        "sessions.video.receivers",
        "no path leads from node left-0 to node island",
    ),
    (
        "join = \"5 s\"",
        "join = [\"5 s\"]",
        "sessions.video.receivers.join",
        "1 times for 3 receivers: give one for each",
    ),
    ("join = \"5 s\"", "join = 5", "sessions.video.receivers.join", "5 has no unit"),
    (
        "join = \"5 s\"",
        "join = \"55 s\"",
        "sessions.video.receivers.leave",
        "receiver video-0 would leave at 50 s; legal is after its join",
    ),
    (
        "join = \"5 s\"",
        "join_jitter = \"100 s\"",
        "sessions.video.receivers.join",
        "receiver video-0 may join as late as 100 s",
    ),
    ("\"ns2\"", "\"ns3\"", "sessions.video.membership.profile", "did you mean ns2?; legal are realistic, ns2"),
    (
        "\"dense\"",
        "\"dense\", prune_timeout = \"0 s\"",
        "sessions.video.membership.prune_timeout",
        "legal is more than 0 s",
    ),
    (
        "\"dense\"",
        "\"dense\", retry = \"0 s\"",
        "sessions.video.membership.retry",
        "0 s given; legal is 0.001 s or more",
    ),
    (
        "\"dense\"",
        "\"dense\", lifetime = \"999 ms\"",
        "sessions.video.membership.lifetime",
        "999 ms given; legal is 1 s or more",
    ),
    (
        "\"dense\"",
        "\"dense\", rebuild = \"messages\"",
        "sessions.video.membership.rebuild",
        "legal are at-once, by-messages",
    ),
    (
        "\"tfmcc\"",
        "\"omcc\"\npopulation = { kind = \"configured\", receivers = 0 }",
        "sessions.video.population.receivers",
        "0 is not legal; legal is a whole number from 1",
    ),
    ("\"tfmcc\"", "\"omcc\"\nweight = -1.0", "sessions.video.weight", "legal is a number above 0"),
    ("\"tfmcc\"", "\"omcc\"\nweight = 0.0", "sessions.video.weight", "0 is not legal; legal is a number above 0"),
    ("\"tfmcc\"", "\"omcc\"\nutility = \"exp\"", "sessions.video.utility", "legal are none, log, tcp, alpha-fair"),
    ("\"tfmcc\"", "\"omcc\"\nutility = \"alpha-fair\"", "sessions.video.alpha", "needs a number above 0"),
    ("\"tfmcc\"", "\"omcc\"\nf_max = 0.5", "sessions.video.f_max", "legal is a number from 1"),
    ("\"tfmcc\"", "\"omcc\"\nsuppression = 1.0", "sessions.video.suppression", "from 0 to less than 1"),
    (
        "\"tfmcc\"",
        "\"smcc\"\nlayers = 0",
        "sessions.video.layers",
        "0 is not legal; legal is a whole number from 1 to 128",
    ),
    ("\"tfmcc\"", "\"smcc\"\ngrowth = 1", "sessions.video.growth", "1 is not legal; legal is a number above 1"),
    ("\"tfmcc\"", "\"smcc\"\nbase_rate = \"999 bit/s\"", "sessions.video.base_rate", "at least a packet in 8 s"),
    (
        "\"tfmcc\"",
        "\"smcc\"\nbounds = [\"2 Mbit/s\", \"1 Mbit/s\"]",
        "sessions.video.bounds[1]",
        "legal is more than the bound before it, 2000000 bit/s",
    ),
    (
        "\"tfmcc\"",
        "\"smcc\"\nbounds = [\"2 Mbit/s\"]\nlayers = 1",
        "sessions.video.layers",
        "legal beside bounds is none",
    ),
    ("\"tfmcc\"", "\"smcc\"\nrtts = []", "sessions.video.rtts", "none given; legal is one or more"),
    (
        "\"tfmcc\"",
        "\"smcc\"\nrtts = [\"64 ms\", \"90.51 ms\"]",
        "sessions.video.rtts[1]",
        "multiples of 0.00001 s; legal",
    ),
    ("\"tfmcc\"", "\"smcc\"\nlayers = 10\nphases = 2", "sessions.video.rtts", "140 groups: 10 layers and 130 counting"),
    (
        "\"tfmcc\"",
        "\"smcc\"\ntfmcc = { packet_size = \"80 B\" }",
        "sessions.video.tfmcc.packet_size",
        "80 B given; legal is 81 B, 80 B of headers and a byte of data, to 65535 B",
    ),
    (
        "\"tfmcc\"",
        "\"omcc\"\npacket_size = \"80 B\"",
        "sessions.video.packet_size",
        "80 B given; legal is 81 B, 80 B of headers and a byte of data, to 65535 B",
    ),
    (
        "\"tfmcc\"",
        "\"tfmcc\"\nreport_size = \"0 B\"",
        "sessions.video.report_size",
        "0 B given; legal is 1 B to 65535 B",
    ),
    ("\"tfmcc\"", "\"smcc\"\ntfmcc = { max_rate = \"1 Mbit/s\" }", "sessions.video.tfmcc.max_rate", "legal is none"),
    (
        "\"tfmcc\"",
        "\"smcc\"\ntfmcc = { exclude_below = \"1 Mbit/s\" }",
        "sessions.video.tfmcc.exclude_below",
        "legal is none: a receiver that asks for less than a layer has leaves the layer",
    ),
    ("\"tfmcc\"", "\"pgmcc\"\nbar = \"2000000 s\"", "sessions.video.bar", "legal is at most 1000000 s"),
    ("count = 3", "count = 3, lie = { part = 1.1 }", "sessions.video.receivers.lie.part", "legal is"),
    ("count = 3", "count = 3, lie = { liars = 4 }", "sessions.video.receivers.lie.liars", "4 given for 3 receivers"),
    ("count = 3", "count = 3, lie = { liars = 0 }", "sessions.video.receivers.lie.liars", "legal is"),
    ("count = 3", "count = 3, lie = { period = \"0 s\" }", "sessions.video.receivers.lie.period", "0.001 s or more"),
    ("count = 3", "count = 3, lie = { what = \"los\" }", "sessions.video.receivers.lie.what", "did you mean loss?"),
    ("\"tfmcc\"", "\"smcc\"\npackets = 3", "sessions.video.packets", "unknown key"),
    (
        "\"tfmcc\"",
        "\"mlda\"\nlayers = 0",
        "sessions.video.layers",
        "0 is not legal; legal is a whole number from 1 to 127",
    ),
    (
        "\"tfmcc\"",
        "\"mlda\"\npacket_size = \"70 KB\"",
        "sessions.video.packet_size",
        "70 KB given; legal is 41 B, 40 B of headers and a byte of data, to 65535 B",
    ),
    (
        "\"tfmcc\"",
        "\"mlda\"\nloss_window = 0",
        "sessions.video.loss_window",
        "0 is not legal; legal is a whole number from 1 to 1000",
    ),
    (
        "\"tfmcc\"",
        "\"mlda\"\nbandwidth_share = 0.0",
        "sessions.video.bandwidth_share",
        "0 is not legal; legal is a number above 0 up to 1",
    ),
    ("\"tfmcc\"", "\"mlda\"\nbandwidth_share = 1.1", "sessions.video.bandwidth_share", "1.1 is not legal"),
    (
        "\"tfmcc\"",
        "\"mlda\"\nreport_interval = \"0 s\"",
        "sessions.video.report_interval",
        "0 s given; legal is 0.1 s to 600 s",
    ),
    (
        "\"tfmcc\"",
        "\"mlda\"\nreport_interval = \"599 s\"",
        "sessions.video.report_interval",
        "599 s given; legal is at most the duration of the run",
    ),
    ("\"tfmcc\"", "\"mlda\"\nprobe_every = 1", "sessions.video.probe_every", "1 given; legal is 0, for never, or 2 or"),
    ("\"tfmcc\"", "\"mlda\"\nlda = { acked_packets = 0.5 }", "sessions.video.lda.acked_packets", "0.5 is not legal"),
    ("video-9", "video-1", "sessions.video", "another flow, session or receiver called video-1"),
    ("video-9", "video", "sessions.video", "another flow, session or receiver called video"),
];

#[test]
fn sessions_are_judged_like_everything_else() {
    Scenario::from_toml(SESSION).expect("nothing is wrong with it");
    let mut wrong = String::new();
    for (old, new, path, message) in SESSION_CASES {
        let text = SESSION.replacen(old, new, 1);
        assert_ne!(text, SESSION, "{old} is not in the base");
        let found = Scenario::from_toml(&text).err().unwrap_or_default();
        if !found.iter().any(|problem| problem.path == *path && problem.message.contains(message)) {
            wrong += &format!("\n{old} => {new}\n  wanted {path} -> {message}\n  got    {found:#?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_wrong_scheme_brings_no_problems_of_its_stand_in() {
    let found = problems(&SESSION.replace("\"tfmcc\"", "\"tfmc\""));
    assert_eq!(found.len(), 1, "{found:#?}");
    let found = problems(&SESSION.replace("kind = \"cbr\"", "kind = \"cbrr\""));
    assert_eq!(found.len(), 1, "{found:#?}");
}

#[test]
fn long_values_and_names_are_cut() {
    let long = "y".repeat(10_000);
    let spaced = "y ".repeat(5_000);
    for (old, new) in [
        ("\"1.5 Mbit/s\"", format!("\"{spaced}\"")),
        ("\"1.5 Mbit/s\"", format!("\"{long}\"")),
        ("\"dumbbell\"", format!("\"{long}\"")),
        ("from = \"left-0\"", format!("from = \"{long}\"")),
        ("seed = 3", format!("{long} = 3")),
        ("seed = 3", format!("seed = \"{spaced}\"")),
    ] {
        for problem in problems(&BASE.replacen(old, &new, 1)) {
            assert!(problem.to_string().len() < 1500, "{} characters: {old}", problem.to_string().len());
        }
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_text() {
    assert_eq!(Scenario::from_toml(&format!("\u{feff}{BASE}")).ok(), Scenario::from_toml(BASE).ok());
}

#[test]
fn the_largest_session_is_the_one_to_mend() {
    let more = |name: &str, count: u32| {
        format!("\n[sessions.{name}]\nscheme = \"cbr\"\nsource = \"left-0\"\nreceivers = {{ count = {count} }}\n")
    };
    let found = problems(&(SESSION.to_owned() + &more("film", 2_500_000) + &more("talk", 2_000_000)));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(
        found[0].to_string(),
        "sessions.film.receivers.count: 4500003 receivers in all; legal are at most 4000000"
    );
}

#[test]
fn endless_topologies_are_refused_before_they_are_laid() {
    let found = problems(
        "format = 1\nname = \"x\"\nduration = \"1 s\"\n[topology]\nkind = \"tree\"\ndepth = 20\nfan_out = 1000000\n\
         [flows.web]\nkind = \"tcp\"",
    );
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].path == "topology" && found[0].message.ends_with("nodes in all; legal are at most 4000000"));
}
