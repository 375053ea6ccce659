//! Branches in scenarios: what they may say, and what runs over satellites and wires give.

use crate::support::{go, numbers, table, words};
use faircast_scenario::network::{DirectedLink, Network};
use faircast_scenario::tables::Table;
use faircast_scenario::{Problem, Scenario};

/// A scenario of branches with constant rates to all receivers, unless `traffic` says something else.
fn scenario(branches: &str, traffic: &str) -> String {
    let film =
        "[sessions.film]\nscheme = \"cbr\"\nsource = \"source-0\"\nrate = \"100 kbit/s\"\npacket_size = \"500 B\"\n";
    let traffic = if traffic.is_empty() { film } else { traffic };
    format!(
        "format = 1\nname = \"branches\"\nduration = \"20 s\"\nwarmup = \"0 s\"\n[topology]\nkind = \"branches\"\n\
         {branches}\n{traffic}"
    )
}

fn problems(text: &str) -> Vec<Problem> {
    Scenario::from_toml(text).expect_err("something is wrong")
}

fn network(text: &str) -> Network {
    Scenario::from_toml(text).unwrap_or_else(|problems| panic!("{problems:#?}")).expand()
}

fn link<'n>(network: &'n Network, name: &str) -> &'n DirectedLink {
    &network.links[network.link(name).unwrap_or_else(|| panic!("there is a link {name}")) as usize]
}

/// A metric of a subject in the table `summary`.
fn summary(summary: &Table, subject: &str, metric: &str) -> f64 {
    let (subjects, metrics) = (words(summary, "subject"), words(summary, "metric"));
    let row = subjects.iter().zip(&metrics).position(|(s, m)| s == subject && m == metric);
    row.map_or_else(|| panic!("{subject} has a {metric}"), |row| numbers(summary, "value")[row])
}

#[test]
fn a_round_trip_over_the_satellite_takes_540_ms() {
    // One packet per 10 s and its acknowledgement: 10 + 10 + 125 + 125 ms each way, and what transmitters take for 552
    // and 40 bytes: three of 10 Mbit/s and one of 300 kbit/s there, one of 8 kbit/s and three of 10 Mbit/s back.
    let tcp = "[flows.web]\nkind = \"tcp\"\nmss = \"512 B\"\nwnd = \"1 packets\"\n";
    let srtt = |branches: &str| {
        let output = go(&scenario(branches, tcp));
        summary(table(&output, "summary"), "web", "srtt_end")
    };
    let transmission = |bytes: f64, rates: &[f64]| rates.iter().map(|rate| 8.0 * bytes / rate).sum::<f64>();
    let board = transmission(552.0, &[1e7, 1e7, 1e7, 3e5]) + transmission(40.0, &[8e3, 1e7, 1e7, 1e7]);
    let pipe = transmission(552.0, &[1e7, 1e7, 3e5]) + transmission(40.0, &[8e3, 1e7, 1e7]);
    let wires = transmission(552.0, &[1e7, 1e7, 768e3]) + transmission(40.0, &[128e3, 1e7, 1e7]);
    for (branches, expected) in [
        ("[topology.branches.sat]", 0.540 + board),
        ("[topology.branches.sat]\npayload = \"bent-pipe\"", 0.540 + pipe),
        ("[topology.branches.ter]\npreset = \"adsl\"", 0.060 + wires),
    ] {
        let srtt = srtt(branches);
        assert!((srtt - expected).abs() < 1e-4, "{branches}: {srtt}, not {expected}");
    }
}

#[test]
fn every_preset_runs_with_tcp_and_multicast() {
    let presets = ["geo", "geo-ka", "geo-broadcast", "ka-beam", "adsl"];
    for (index, preset) in presets.iter().enumerate() {
        for payload in ["", "payload = \"processing\"", "payload = \"bent-pipe\""] {
            if *preset == "adsl" && !payload.is_empty() {
                continue;
            }
            // Beside it another one, whose receivers come after its own.
            let other = presets[(index + 1) % presets.len()];
            let branches = format!(
                "[topology.branches.a]\npreset = \"{preset}\"\n{payload}\nreceivers = 3\n[topology.branches.b]\npreset \
                 = \"{other}\"\n"
            );
            let traffic = "[sessions.film]\nscheme = \"tfmcc\"\nsource = \"source-0\"\ninitial_max_rtt = \"1 s\"\n\
                           [flows.web]\nkind = \"tcp\"\nfrom = \"source-0\"\nto = [\"a-0\", \"b-1\"]\ncount = 2\n";
            let text = scenario(&branches, traffic);
            let read = Scenario::from_toml(&text).unwrap_or_else(|problems| panic!("{preset}: {problems:#?}"));
            let again = Scenario::from_json(read.to_json()).unwrap_or_else(|problems| panic!("{problems:#?}"));
            assert_eq!((again.expand(), again.to_json()), (read.expand(), read.to_json()), "{preset} {payload}");
            let nodes: Vec<&str> = read.expand().sessions[0]
                .receivers
                .iter()
                .map(|it| it.node as usize)
                .map(|node| read.expand().nodes[node].name.clone().leak() as &str)
                .collect();
            assert_eq!(nodes, ["a-0", "a-1", "a-2", "b-0", "b-1"]);
            let output = go(&text);
            let of = |subject: &str, metric| summary(table(&output, "summary"), subject, metric);
            for flow in ["film-0", "film-2", "film-4"] {
                assert!(of(flow, "rate") > 2e3, "{preset} {payload}: {flow} {}", of(flow, "rate"));
            }
            for flow in ["web-0", "web-1"] {
                assert!(of(flow, "goodput") > 10e3, "{preset} {payload}: {flow} {}", of(flow, "goodput"));
            }
        }
    }
}

#[test]
fn a_broadcast_is_sent_once_and_lost_by_each_for_itself() {
    let loss = "down = { loss = { kind = \"bernoulli\", p = 0.1 } }\nreceivers = 4\neach = [{}, {}, {}, { down = { \
                loss = { p = 0.3 } } }]";
    for (payload, sent_at) in [("bent-pipe", 0), ("processing", 1)] {
        let branch = format!("[topology.branches.tv]\npreset = \"geo-broadcast\"\npayload = \"{payload}\"\n{loss}\n");
        let film = "[sessions.film]\nscheme = \"cbr\"\nsource = \"source-0\"\nrate = \"800 kbit/s\"\n\
                    packet_size = \"500 B\"\n[probes]\npackets = [\"tv-down-0\", \"tv-down-1\"]\n\
                    packets_actions = [\"lost\"]\n";
        let text = scenario(&branch, film);
        assert_eq!(network(&text).nodes.iter().filter(|node| node.name == "tv-satellite").count(), sent_at);
        let output = go(&text);
        let of = |subject: &str, metric| summary(table(&output, "summary"), subject, metric);
        // 200 packets a second for some 19 s, once for all four.
        let sent = of("tv-down", "arrived_all");
        assert!((sent - 3900.0).abs() < 60.0, "{sent}");
        for (i, p) in [(0, 0.1), (1, 0.1), (2, 0.1), (3, 0.3)] {
            let leg = format!("tv-down-{i}");
            let (arrived, lost) = (of(&leg, "arrived_all"), of(&leg, "lost_all"));
            assert!((arrived - sent).abs() < 60.0, "{leg}: {arrived} of {sent}");
            assert!((lost / arrived - p).abs() < 0.03, "{leg}: {}", lost / arrived);
        }
        // Of a tenth and another tenth a hundredth is common if they are independent, not a tenth.
        let packets = table(&output, "packets");
        let (links, ids) = (words(packets, "link"), numbers(packets, "number"));
        let lost_on = |leg: &str| -> std::collections::BTreeSet<i64> {
            links.iter().zip(ids).filter_map(|(link, number)| (link == leg).then_some(*number as i64)).collect()
        };
        let (first, second) = (lost_on("tv-down-0"), lost_on("tv-down-1"));
        let common = first.intersection(&second).count() as f64 / sent;
        assert!(first.len() > 300 && (common - 0.01).abs() < 0.007, "{common}");
    }
}

#[test]
fn the_satellite_has_a_queue_or_not() {
    // Twice what the downlink carries: on board the packets wait before it, with a bent pipe at the station.
    let traffic = "[flows.a]\nkind = \"cbr\"\nrate = \"600 kbit/s\"\npacket_size = \"500 B\"\n";
    for payload in ["processing", "bent-pipe"] {
        let text = scenario(&format!("[topology.branches.sat]\npayload = \"{payload}\""), traffic);
        let output = go(&text);
        let of = |subject: &str, metric| summary(table(&output, "summary"), subject, metric);
        assert!(of("sat-down-0", "drops_overflow_all") > 1000.0);
        let network = network(&text);
        let from = &network.nodes[link(&network, "sat-down-0").from as usize].name;
        assert_eq!(from, if payload == "processing" { "sat-satellite" } else { "sat-station" });
        assert_eq!(network.link("sat-feeder").is_some(), payload == "processing");
    }
}

#[test]
fn queues_and_losses_of_branches_may_be_written_short() {
    let text = scenario(
        "[topology.branches.sat]\nreceivers = 3\ndown = { queue = { limit = \"1 BDP\" }, loss = { kind = \
         \"bernoulli\", p = 0.25 } }\nup = { queue = { limit = \"7 packets\" } }\n\
         each = [{}, { down = { queue = { limit = \"9 packets\" }, loss = { p = 0.5 } } }]\n\
         feeder = { back = { queue = { limit = \"8 packets\" } } }\n\
         [topology.branches.far]\nreceivers = 1\nterminal = { elevation = 0 }\n",
        "",
    );
    let network = network(&text);
    let queue = |name: &str| serde_json::to_value(&*link(&network, name).queue).expect("plain data")["limit"].clone();
    // 300 kbit/s in 540 ms are 40.5 packets of 500 bytes.
    assert_eq!(["sat-down-0", "sat-down-1", "sat-down-2"].map(queue), ["41 packets", "9 packets", "41 packets"]);
    assert_eq!(["sat-up-1", "sat-feeder", "sat-feeder.back"].map(queue), ["7 packets", "50 packets", "8 packets"]);
    let p = |name: &str| serde_json::to_value(&link(&network, name).loss).expect("plain data")["p"].clone();
    assert_eq!(["sat-down-0", "sat-down-1", "sat-down-2"].map(p), [0.25, 0.5, 0.25]);
    let delay = |name: &str| link(&network, name).delay.0 as f64 / 1e6;
    assert!((delay("far-down-0") - 139.025).abs() < 1e-3 && delay("far-feeder") == 125.0);
    // Links may be overridden by name or by pattern, as those of every topology.
    let changed = text
        + "[links.\"sat-down-*\"]\ndelay = { first = \"120 ms\", step = \"1 ms\" }\n\
                          [links.sat-up-2]\nrate = \"1 Mbit/s\"\n";
    let network = self::network(&changed);
    assert_eq!(["sat-down-0", "sat-down-2"].map(|name| link(&network, name).delay.0 / 1_000_000), [120, 122]);
    assert_eq!(["sat-up-1", "sat-up-2"].map(|name| link(&network, name).rate.0), [8_000, 1_000_000]);
}

#[test]
fn what_is_wrong_with_branches_is_said_where_it_stands() {
    let bad_loss =
        |ber: &str| format!("[topology.branches.a]\ndown = {{ loss = {{ kind = \"bit-error\", ber = {ber} }} }}");
    for (branches, path, message) in [
        ("", "topology.branches", "missing: receivers are on branches, at least one"),
        ("[topology.branches.a]\nreceivers = 0", "topology.branches.a.receivers", "0 is not legal; legal is a whole"),
        (
            "[topology.branches.a]\npreset = \"leo\"",
            "topology.branches.a.preset",
            "legal are geo, geo-ka, geo-broadcast, ka-beam, adsl",
        ),
        ("[topology.branches.a]\npayload = \"none\"", "topology.branches.a.payload", "processing, bent-pipe"),
        (
            "[topology.branches.a]\nuplink = {}",
            "topology.branches.a.uplink",
            "unknown key; legal are down, each, feeder",
        ),
        ("[topology.branches.a]\ndown = { back = {} }", "topology.branches.a.down.back", "unknown key"),
        ("[topology.branches.a]\ndown = { rate = \"1 bit/s\" }", "topology.branches.a.down.rate", "legal is 10 bit/s"),
        (
            "[topology.branches.a]\neach = [{}, { up = { delay = \"2 h\" } }]",
            "topology.branches.a.each[1].up.delay",
            "legal is at most 3600 s",
        ),
        (
            "[topology.branches.a]\nterminal = { elevation = 91 }",
            "topology.branches.a.terminal.elevation",
            "91 is not legal; legal is a number from 0 to 90",
        ),
        ("[topology.branches.\"a b\"]", "topology.branches.a b", "illegal name"),
        (
            &bad_loss("1"),
            "topology.branches.a.down.loss.ber",
            "1 is not legal; legal is a number from 0 to less than 1",
        ),
        (&bad_loss("-1e-9"), "topology.branches.a.down.loss.ber", "legal is a number from 0 to less than 1"),
        (
            "[topology.branches.a]\npreset = \"adsl\"\npayload = \"processing\"",
            "topology.branches.a.payload",
            "belongs to a satellite",
        ),
    ] {
        let found = problems(&scenario(branches, ""));
        let there = found.iter().find(|problem| problem.path == path && problem.message.contains(message));
        assert!(there.is_some() && found.len() == 1, "{path}: {message}\n{found:#?}");
    }
    let twice = problems(&scenario("[topology.branches.a]\n[topology.branches.b]\n[topology.branches.a]", ""));
    assert!(twice.len() == 1 && twice[0].message.contains("duplicate key"), "{twice:#?}");
    let two = "[topology.branches.a]\nreceivers = 1\n[topology.branches.b]\npreset = \"adsl\"\nreceivers = 1";
    for (traffic, path, message) in [
        ("[flows.w]\nkind = \"tcp\"\ncount = 2", "flows.w.from", "the topology has 1 sources"),
        ("[flows.w]\nkind = \"tcp\"\nfrom = \"source-0\"\ncount = 3", "flows.w.to", "the topology has 2 receivers"),
        (
            "[sessions.s]\nscheme = \"cbr\"\nsource = \"source-0\"\nrate = \"1 kbit/s\"\nreceivers = { count = 3 }",
            "sessions.s.receivers.nodes",
            "the topology has 2 receivers, not 3",
        ),
        ("[flows.w]\nkind = \"tcp\"\nfrom = \"left-0\"", "flows.w.from", "there is no node left-0"),
    ] {
        let found = problems(&scenario(two, traffic));
        let there = found.iter().find(|problem| problem.path == path && problem.message.contains(message));
        assert!(there.is_some() && found.len() == 1, "{path}: {message}\n{found:#?}");
    }
}
