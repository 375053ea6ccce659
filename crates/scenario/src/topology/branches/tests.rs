//! Names, delays and settings of branches.

use super::*;
use crate::topology::{SketchedLink, Topology};

/// What comes of a topology, written in TOML.
fn laid(text: &str) -> (Topology, Sketch) {
    let config: Config = serde_json::from_value(crate::read::toml_to_json(text).expect("it is TOML")).expect("legal");
    let mut topology = Topology::Branches(config);
    topology.fill();
    assert_eq!(topology.check(Duration::from_secs(1)), [], "{text}");
    let mut again = topology.clone();
    again.fill();
    assert_eq!(again, topology, "what is complete stays as it is");
    let sketch = topology.lay(&Surroundings::nothing());
    let Size { nodes, links, .. } = topology.size();
    assert_eq!([nodes, links], [sketch.nodes.len() as u64, sketch.links.len() as u64], "{text}");
    (topology, sketch)
}

fn names(sketch: &Sketch) -> Vec<String> {
    sketch.links.iter().map(|link| format!("{}: {} {}", link.name, link.from, link.to)).collect()
}

fn link<'s>(sketch: &'s Sketch, name: &str) -> &'s SketchedLink {
    sketch.links.iter().find(|link| link.name == name).unwrap_or_else(|| panic!("{name} is there"))
}

/// Rate, delay in ms and packets of queue of a link.
fn numbers(sketch: &Sketch, name: &str) -> (u64, f64, f64) {
    let Settings { rate, delay, queue, .. } = &link(sketch, name).duplex.both;
    let queue = serde_json::to_value(queue).expect("it is plain data");
    let limit = queue["limit"].as_str().and_then(|text| text.split(' ').next()?.parse().ok());
    let millis = delay.map_or(0.0, |delay| delay.0 as f64 / 1e6);
    (rate.map_or(0, |rate| rate.0), millis, limit.unwrap_or(0.0))
}

#[test]
fn a_processing_satellite_and_wires() {
    let (topology, sketch) = laid("[branches.sat]\n[branches.ter]\npreset = \"adsl\"\nreceivers = 1");
    let nodes = ["router", "source-0", "sat-station", "sat-satellite", "sat-0", "sat-1", "ter-node", "ter-0"];
    assert_eq!(sketch.nodes, nodes);
    let links = [
        "access-source-0: source-0 router",
        "sat-trunk: router sat-station",
        "sat-feeder: sat-station sat-satellite",
        "sat-down-0: sat-satellite sat-0",
        "sat-up-0: sat-0 sat-satellite",
        "sat-down-1: sat-satellite sat-1",
        "sat-up-1: sat-1 sat-satellite",
        "ter-trunk: router ter-node",
        "ter-down-0: ter-node ter-0",
        "ter-up-0: ter-0 ter-node",
    ];
    assert_eq!(names(&sketch), links);
    // As in the paper: 10 + 10 + 125 + 125 ms there and as much back are 540 ms.
    for (name, expected) in [
        ("access-source-0", (10_000_000, 10.0, 50.0)),
        ("sat-trunk", (10_000_000, 10.0, 50.0)),
        ("sat-feeder", (10_000_000, 125.0, 50.0)),
        ("sat-down-1", (300_000, 125.0, 50.0)),
        ("sat-up-1", (8_000, 125.0, 50.0)),
        ("ter-trunk", (10_000_000, 10.0, 50.0)),
        ("ter-down-0", (768_000, 10.0, 50.0)),
        ("ter-up-0", (128_000, 10.0, 50.0)),
    ] {
        assert_eq!(numbers(&sketch, name), expected, "{name}");
    }
    let hosts = |side| (0..5).map_while(|i| topology.host(side, i)).collect::<Vec<String>>();
    assert_eq!(hosts("left"), ["source-0"]);
    assert_eq!(hosts("right"), ["sat-0", "sat-1", "ter-0"]);
}

#[test]
fn a_bent_pipe_has_no_node_and_the_delay_of_both_hops() {
    let (_, sketch) = laid(
        "[branches.sat]\npayload = \"bent-pipe\"\nreceivers = 1\nfeeder = { delay = \"120 ms\" }\n\
         down = { changes = [{ at = \"5 s\", delay = \"125 ms\", delay_to = \"130 ms\", over = \"2 s\" }] }",
    );
    assert_eq!(sketch.nodes, ["router", "source-0", "sat-station", "sat-0"]);
    let links = [
        "access-source-0: source-0 router",
        "sat-trunk: router sat-station",
        "sat-down-0: sat-station sat-0",
        "sat-up-0: sat-0 sat-station",
    ];
    assert_eq!(names(&sketch), links);
    assert_eq!(numbers(&sketch, "sat-down-0"), (300_000, 245.0, 50.0));
    assert_eq!(numbers(&sketch, "sat-up-0"), (8_000, 245.0, 50.0));
    let change = &link(&sketch, "sat-down-0").duplex.both.changes.as_ref().expect("there is one")[0];
    let millis = [change.delay, change.delay_to, change.over].map(|time| time.map(|time| time.0 / 1_000_000));
    assert_eq!(millis, [Some(245), Some(250), Some(2000)]);
}

#[test]
fn a_beam_sends_symbols_and_hears_slots() {
    let (_, sketch) = laid("[branches.ka]\npreset = \"ka-beam\"\neach = [{}, { down = { es_n0 = \"9 dB\" } }]");
    let links = [
        "access-source-0: source-0 router",
        "ka-trunk: router ka-station",
        "ka-down: ka-station ka-station",
        "ka-down-0: ka-down ka-0",
        "ka-up-0: ka-0 ka-station",
        "ka-down-1: ka-down ka-1",
        "ka-up-1: ka-1 ka-station",
    ];
    assert_eq!(names(&sketch), links);
    let of = |name: &str| link(&sketch, name).duplex.both.clone();
    // 125 MHz with a roll-off of a fifth.
    assert_eq!(of("ka-down").symbol_rate.map(|rate| rate.0), Some(104_166_667));
    assert_eq!(["ka-down-0", "ka-down-1"].map(|name| of(name).es_n0.map(|ratio| ratio.0)), [Some(14.0), Some(9.0)]);
    assert_eq!(numbers(&sketch, "ka-up-1"), (0, 250.0, 100.0));
    let (name, channel) = &sketch.returns[0];
    assert_eq!((name.as_str(), &channel.links[..]), ("ka-return", &["ka-up-0", "ka-up-1"].map(str::to_owned)[..]));
}

#[test]
fn one_downlink_that_all_hear_has_legs() {
    let text = "[branches.tv]\npreset = \"geo-broadcast\"\nreceivers = 3\n\
                down = { rate = \"2 Mbit/s\", loss = { kind = \"bernoulli\", p = 0.5 }, \
                changes = [{ at = \"1 s\", rate = \"1 Mbit/s\", delay = \"126 ms\" }, { at = \"2 s\", up = false }] }\n\
                each = [{}, { down = { loss = { kind = \"none\" }, changes = [{ at = \"3 s\", up = false }] } }]\n";
    let (_, sketch) = laid(text);
    assert_eq!(sketch.nodes, ["router", "source-0", "tv-station", "tv-0", "tv-1", "tv-2"]);
    let links = [
        "access-source-0: source-0 router",
        "tv-trunk: router tv-station",
        "tv-down: tv-station tv-station",
        "tv-down-0: tv-down tv-0",
        "tv-up-0: tv-0 tv-station",
        "tv-down-1: tv-down tv-1",
        "tv-up-1: tv-1 tv-station",
        "tv-down-2: tv-down tv-2",
        "tv-up-2: tv-2 tv-station",
    ];
    assert_eq!(names(&sketch), links);
    assert_eq!(numbers(&sketch, "tv-down"), (2_000_000, 0.0, 1000.0));
    assert_eq!(numbers(&sketch, "tv-down-2"), (0, 250.0, 0.0));
    let p = |i: u32| serde_json::to_value(&link(&sketch, &format!("tv-down-{i}")).duplex.both.loss).expect("plain");
    assert_eq!(
        [0, 1, 2].map(|i| p(i)["kind"].as_str().map(str::to_owned)).map(Option::unwrap),
        ["bernoulli", "none", "bernoulli"]
    );
    // What changes about the transmitter is the link's, the rest the legs'; a receiver may have changes of its own.
    let changes = |name: &str| {
        let changes = link(&sketch, name).duplex.both.changes.iter().flatten();
        changes.map(|change| (change.at.0 / 1_000_000_000, change.subjects().len())).collect::<Vec<_>>()
    };
    assert_eq!(
        [changes("tv-down"), changes("tv-down-0"), changes("tv-down-1")],
        [vec![(1, 1), (2, 1)], vec![(1, 1)], vec![(3, 1)]]
    );
    // On board the queue is behind the feeder.
    let (_, sketch) = laid(&text.replace("receivers = 3", "receivers = 1\npayload = \"processing\""));
    assert_eq!(sketch.nodes, ["router", "source-0", "tv-station", "tv-satellite", "tv-0"]);
    let links = ["tv-feeder: tv-station tv-satellite", "tv-down: tv-satellite tv-satellite", "tv-down-0: tv-down tv-0"];
    assert_eq!(names(&sketch)[2..5], links);
    assert_eq!([numbers(&sketch, "tv-feeder").1, numbers(&sketch, "tv-down-0").1], [125.0, 125.0]);
}

#[test]
fn receivers_differ_by_turns() {
    let (_, sketch) = laid(
        "[branches.a]\nreceivers = 3\ndown = { queue = { kind = \"drop-tail\", limit = \"7 packets\" } }\n\
         each = [{ down = { rate = \"1 Mbit/s\" }, up = { delay = \"130 ms\" } }, { up = { rate = \"64 kbit/s\" } }]\n",
    );
    let downs = ["a-down-0", "a-down-1", "a-down-2"].map(|name| numbers(&sketch, name));
    assert_eq!(downs, [(1_000_000, 125.0, 7.0), (300_000, 125.0, 7.0), (1_000_000, 125.0, 7.0)]);
    let ups = ["a-up-0", "a-up-1", "a-up-2"].map(|name| numbers(&sketch, name));
    assert_eq!(ups, [(8_000, 130.0, 50.0), (64_000, 125.0, 50.0), (8_000, 130.0, 50.0)]);
}

#[test]
fn delays_follow_from_places() {
    let (topology, sketch) = laid(
        "[branches.a]\nsatellite = 19.2\nreceivers = 4\nstation = { latitude = 0.0, longitude = 19.2 }\n\
         terminal = { elevation = 10 }\n\
         each = [{}, { terminal = { elevation = 0 } }, { down = { delay = \"121 ms\" } }, \
         { terminal = { latitude = 50.1, longitude = 8.7 } }]\n",
    );
    let millis = |name: &str| numbers(&sketch, name).1;
    assert!((millis("a-feeder") - 119.369).abs() < 1e-3);
    assert!((millis("a-down-0") - 135.4).abs() < 0.05);
    assert_eq!(millis("a-up-0"), millis("a-down-0"));
    assert!((millis("a-down-1") - 139.025).abs() < 1e-3);
    assert_eq!([millis("a-down-2"), millis("a-up-2")], [121.0, millis("a-up-0")]);
    // At 50.1° N 8.7° E the cosine of the angle to below the satellite is cos 50.1° · cos 10.5° = 0.6307085; the law of
    // cosines with 6378 and 42164 km gives 38 461 km.
    assert!((millis("a-down-3") - 128.2923).abs() < 1e-4, "{}", millis("a-down-3"));
    let Topology::Branches(config) = topology else { unreachable!() };
    let branch = &config.branches["a"];
    assert_eq!([branch.feeder.both.delay, branch.down.both.delay], [None, None], "they are not given");
    // Of a bent pipe both count.
    let (_, sketch) =
        laid("[branches.a]\npayload = \"bent-pipe\"\nstation = { elevation = 90 }\nterminal = { elevation = 90 }\n");
    assert!((numbers(&sketch, "a-down-0").1 - 2.0 * 119.369).abs() < 1e-3);
}

#[test]
fn the_sources_are_as_fast_as_the_fastest_trunk() {
    let (_, sketch) = laid("sources = 2\n[branches.a]\n[branches.b]\npreset = \"geo-ka\"\n");
    assert_eq!(numbers(&sketch, "access-source-1"), (1_000_000_000, 10.0, 1000.0));
    let (_, sketch) = laid("access = { rate = \"5 Mbit/s\" }\n[branches.b]\npreset = \"geo-ka\"\n");
    assert_eq!(numbers(&sketch, "access-source-0"), (5_000_000, 10.0, 1000.0));
}

#[test]
fn what_cannot_be_is_said_where_it_stands() {
    for (text, path, message) in [
        ("", "branches", "at least one"),
        ("[branches.source]", "branches.source", "rename it"),
        ("[branches.a]\npreset = \"adsl\"\npayload = \"processing\"", "branches.a.payload", "belongs to a satellite"),
        (
            "[branches.a]\npreset = \"adsl\"\nfeeder = { delay = \"1 ms\" }",
            "branches.a.feeder",
            "belongs to a satellite",
        ),
        (
            "[branches.a]\npreset = \"adsl\"\neach = [{}, { terminal = { elevation = 9 } }]",
            "branches.a.each[1].terminal",
            "belongs to a satellite",
        ),
        ("[branches.a]\nterminal = { latitude = 1, longitude = 2 }", "branches.a.terminal", "give `satellite`"),
        ("[branches.a]\nterminal = { elevation = 1, longitude = 2 }", "branches.a.terminal.elevation", "say how high"),
        ("[branches.a]\nsatellite = 1\nstation = { latitude = 1 }", "branches.a.station.longitude", "missing"),
        ("[branches.a]\nsatellite = 1\nstation = { longitude = 1 }", "branches.a.station.latitude", "missing"),
        ("[branches.a]\nstation = {}", "branches.a.station", "an elevation is missing"),
        (
            "[branches.a]\nsatellite = 19.2\nstation = { latitude = 85, longitude = 19 }",
            "branches.a.station",
            "a satellite above 19.2° E stands 3.7° below the horizon there",
        ),
        ("[branches.a]\nsatellite = 19.2", "branches.a.satellite", "nothing follows"),
        (
            "[branches.a]\nterminal = { elevation = 9 }\nup = { delay = \"1 ms\" }",
            "branches.a.up.delay",
            "it follows from terminal",
        ),
        (
            "[branches.a]\nstation = { elevation = 9 }\nfeeder = { back = { delay = \"1 ms\" } }",
            "branches.a.feeder.back.delay",
            "it follows from station",
        ),
        (
            "[branches.a]\npayload = \"bent-pipe\"\nfeeder = { rate = \"1 Mbit/s\" }",
            "branches.a.feeder",
            "legal is a delay",
        ),
        (
            "[branches.a]\npreset = \"ka-beam\"\nup = { rate = \"1 Mbit/s\" }",
            "branches.a.up.rate",
            "[return_channels.a-return]",
        ),
        (
            "[branches.a]\npreset = \"ka-beam\"\neach = [{}, { up = { rate = \"1 Mbit/s\" } }]",
            "branches.a.each[1].up.rate",
            "slots of one carrier",
        ),
        (
            "[branches.a]\npreset = \"ka-beam\"\nup = { changes = [{ at = \"1 s\", rate = \"1 Mbit/s\" }] }",
            "branches.a.up.changes[0].rate",
            "slots of one carrier",
        ),
        (
            "[branches.a]\npreset = \"ka-beam\"\neach = [{ down = { symbol_rate = \"1 Mbaud\" } }]",
            "branches.a.each[0].down.symbol_rate",
            "one downlink",
        ),
        (
            "[branches.a]\npreset = \"geo-broadcast\"\neach = [{ down = { rate = \"1 Mbit/s\" } }]",
            "branches.a.each[0].down.rate",
            "one downlink",
        ),
        (
            "[branches.a]\npreset = \"geo-broadcast\"\neach = [{ down = { changes = [{ at = \"1 s\", rate = \"1 \
          Mbit/s\" }] } }]",
            "branches.a.each[0].down.changes[0].rate",
            "one downlink",
        ),
    ] {
        let config: Config = serde_json::from_value(crate::read::toml_to_json(text).expect(text)).expect(text);
        let mut topology = Topology::Branches(config);
        topology.fill();
        let found = topology.check(Duration::from_secs(1));
        assert!(matches!(&found[..], [(at, what)] if at == path && what.contains(message)), "{text}: {found:?}");
        assert!(!topology.can_be_laid(Duration::from_secs(1)));
    }
}
