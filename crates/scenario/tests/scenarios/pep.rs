//! Connections split by relays: what comes of it, and what is refused.

use crate::support::{go, integers, numbers, table, value, words};
use faircast_scenario::Scenario;
use faircast_scenario::paths::paths;

/// Hosts on both sides of a satellite between a station and two terminals, one of which is off the way. A packet takes
/// 10 ms to the station, 250 ms to the terminal, 10 ms to the host.
const NETWORK: &str = "format = 1\nname = \"split\"\nduration = \"60 s\"\nwarmup = \"0 s\"\n\
    [nodes.a]\n[nodes.station]\n[nodes.terminal-0]\n[nodes.terminal-1]\n[nodes.b-0]\n[nodes.b-1]\n\
    [links.feed]\nfrom = \"a\"\nto = \"station\"\nrate = \"10 Gbit/s\"\ndelay = \"10 ms\"\n\
    [links.beam-0]\nfrom = \"station\"\nto = \"terminal-0\"\nrate = \"10 Gbit/s\"\ndelay = \"250 ms\"\n\
    [links.beam-1]\nfrom = \"station\"\nto = \"terminal-1\"\nrate = \"10 Gbit/s\"\ndelay = \"250 ms\"\n\
    [links.home-0]\nfrom = \"terminal-0\"\nto = \"b-0\"\nrate = \"10 Gbit/s\"\ndelay = \"10 ms\"\n\
    [links.home-1]\nfrom = \"terminal-1\"\nto = \"b-1\"\nrate = \"10 Gbit/s\"\ndelay = \"10 ms\"\n";

fn text(more: &str) -> String {
    format!("{NETWORK}{more}")
}

/// A flow of 30 segments from `a` to `b-0`.
fn flow(more: &str) -> String {
    text(&format!("[flows.file]\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b-0\"\nsegments = 30\n{more}"))
}

const BOTH: &str = "pep = { at = [\"station\", \"terminal-0\"] }\n";

fn completion(more: &str) -> f64 {
    value(&go(&flow(more)), "file", "completion")
}

fn problems(text: &str) -> Vec<(String, String)> {
    let found = Scenario::from_toml(text).expect_err("it is wrong");
    found.into_iter().map(|problem| (problem.path, problem.message)).collect()
}

#[test]
fn a_transfer_takes_the_round_trips_of_each_part() {
    // Windows of 2, 4, 8, 16: without a split four round trips of 540 ms. Split, the satellite's part begins at 10 ms
    // and has four round trips of 500 ms, the last of which ends with the far host's 10 ms there and back; and the
    // terminal's window, which was not half used before, takes a round trip of its own more for the last 16.
    let near = |measured: f64, wanted: f64| assert!((measured - wanted).abs() < 1e-3, "{measured} instead of {wanted}");
    near(completion(""), 4.0 * 0.54);
    near(completion(BOTH), 0.01 + 4.0 * 0.5 + 0.02 + 0.01 + 0.02);
    // With a window of 30 at the station one round trip of the satellite is enough, but for what the first hop takes:
    // 2, 6, 14, 30 segments are there after 10, 30, 50 and 70 ms.
    near(completion("pep = { at = [\"station\"], initial_cwnd = \"30 packets\" }\n"), 0.07 + 0.52 + 0.01);
    // All from the beginning: that of the flow is the relays' too.
    near(completion("initial_cwnd = \"30 packets\"\npep = { at = [\"station\"] }\n"), 0.54);
}

#[test]
fn each_flow_has_relays_of_its_own() {
    let flows = |at: &str| {
        let more =
            format!("[flows.file]\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b-*\"\nsegments = 30\npep = {{ at = {at} }}\n");
        let output = go(&text(&more));
        [0, 1].map(|flow| value(&output, &format!("file-{flow}"), "completion"))
    };
    let listed = flows("[\"station\", [\"terminal-0\", \"terminal-1\"]]");
    assert!(listed.iter().all(|time| (time - completion(BOTH)).abs() < 1e-3), "{listed:?}");
    assert_eq!(flows("[\"station\", \"terminal-*\"]"), listed);
}

#[test]
fn a_relay_off_the_way_is_refused_where_routes_stay_and_makes_a_detour_elsewhere() {
    let more = "pep = { at = [\"terminal-1\"] }\n";
    let message = "terminal-1 is not on the way from a to b-0, which is a, station, terminal-0, b-0";
    assert_eq!(problems(&flow(more)), [("flows.file.pep.at[0]".to_owned(), message.to_owned())]);
    let back = "pep = { at = [\"terminal-0\", \"station\"] }\n";
    let message =
        "station comes before the one before it on the way from a to b-0, which is a, station, terminal-0, b-0";
    assert_eq!(problems(&flow(back)), [("flows.file.pep.at[1]".to_owned(), message.to_owned())]);
    let more = &format!(
        "{more}[links.spare]\nfrom = \"a\"\nto = \"b-1\"\nrate = \"1 Mbit/s\"\ndelay = \"9 s\"\n\
        changes = [{{ at = \"59 s\", up = false }}]\n"
    );
    let scenario = Scenario::from_toml(&flow(more)).expect("it is legal");
    let paths = paths(&scenario.expand());
    let way: Vec<&str> =
        paths.demands[0].receivers[0].1.iter().map(|&link| paths.links[link as usize].0.as_str()).collect();
    assert_eq!(way, ["feed", "beam-1", "beam-1.back", "beam-0", "home-0"]);
    assert!(completion(more) > completion("") + 0.5);
}

#[test]
fn rules_of_relays_are_their_own() {
    // A satellite that loses: CUBIC there depends less on the round trip.
    let lossy = |pep: &str| {
        let text = flow(pep).replace("segments = 30", "segments = 5000");
        let lossy = "delay = \"250 ms\"\nloss = { kind = \"bernoulli\", p = 0.002 }\n[links.beam-1]";
        let text = text.replacen("delay = \"250 ms\"\n[links.beam-1]", lossy, 1).replace("\"60 s\"", "\"600 s\"");
        assert!(text.contains("bernoulli"));
        value(&go(&text), "file", "completion")
    };
    let (newreno, cubic) = (lossy(BOTH), lossy("pep = { at = [\"station\", \"terminal-0\"], variant = \"cubic\" }\n"));
    assert!(2.0 * cubic < newreno, "{cubic} s by CUBIC, {newreno} s by NewReno");
}

#[test]
fn proxies_need_no_handshake_between_them() {
    let near = |measured: f64, wanted: f64| assert!((measured - wanted).abs() < 1e-3, "{measured} instead of {wanted}");
    let of = |more: &str| {
        completion(&format!(
            "handshake = true\ninitial_cwnd = \"30 packets\"\npep = {{ at = [\"station\", \"terminal-0\"]{more} }}\n"
        ))
    };
    // Data is at the station after 30 ms, but its own connection takes 510 ms. Where one is there all the time, data
    // goes on at once; with it the terminal opens its connection to the host, 20 ms.
    near(of(""), 0.51 + 0.26 + 0.27);
    near(of(", handshake = false"), 0.03 + 0.25 + 0.02 + 0.01 + 0.27);
    near(of(", handshake = true"), of(""));
}

#[test]
fn what_lies_in_proxies_is_told() {
    // The satellite's two segments at a time: the sender waits for room from its first two on, but for the 10 ms in
    // which what it has just sent is on the way.
    let output = go(&flow("pep = { at = [\"station\"], buffer = \"2080 B\" }\n"));
    let proxies = table(&output, "proxies");
    assert!(words(proxies, "flow").iter().all(|flow| flow == "file"));
    let held = integers(proxies, "held_pkts");
    assert_eq!((held[0], held[4]), (2, 2), "after a second and after five");
    assert_eq!(*held.last().expect("a row"), 0);
    assert_eq!((integers(proxies, "place")[0], integers(proxies, "most_pkts")[0]), (0, 2));
    let held_back: f64 = numbers(proxies, "held_back_s").iter().sum();
    assert!((numbers(proxies, "held_back_s")[2] - 1.0).abs() < 1e-9, "{:?}", numbers(proxies, "held_back_s"));
    // From the beginning on until the last two have gone.
    assert!((held_back - (14.0 * 0.54)).abs() < 0.02, "{held_back}");
    assert_eq!(value(&output, "file", "proxy_0_most"), 2.0);
    assert!((value(&output, "file", "proxy_0_held_back_all") - held_back).abs() < 1e-9);
    assert_eq!(value(&output, "file", "proxy_0_held_back"), value(&output, "file", "proxy_0_held_back_all"));
    assert!(go(&flow("")).tables.iter().all(|table| table.name != "proxies"), "without proxies there is no table");
}

#[test]
fn a_small_buffer_holds_the_sender_back() {
    // Two segments are over the satellite at a time. When they have come to the other side, 520 ms later, the sender
    // hears of room, and what it sends comes to the station after another 20 ms.
    let small = completion("pep = { at = [\"station\"], buffer = \"2080 B\" }\n");
    assert!((small - (0.01 + 14.0 * 0.54 + 0.53)).abs() < 1e-2, "{small}");
}

#[test]
fn the_calendar_and_clocks_decide_nothing() {
    let of = |engine: &str| {
        let output = go(&format!("{}[engine]\n{engine}", flow(BOTH)));
        value(&output, "file", "completion").to_bits()
    };
    let plain = of("calendar = \"heap\"\n");
    assert_eq!(of("calendar = \"wheel\"\n"), plain);
    assert_eq!(of("clock_offsets = false\n"), plain);
    assert_eq!(of("link_mode = \"two-stage\"\n"), plain);
}

#[test]
fn what_cannot_be_split_is_refused() {
    for (pep, path, message) in [
        ("{ at = [] }", "pep.at", "the list is empty; legal is a node or more"),
        ("{ at = [\"staton\"] }", "pep.at[0]", "there is no node staton"),
        ("{ at = [\"station\", \"terminal-7\"] }", "pep.at[1]", "there is no node terminal-7"),
        ("{ at = [\"a\"] }", "pep.at[0]", "a is an end of the connection; legal is a node between them"),
        ("{ at = [\"station\", \"b-0\"] }", "pep.at[1]", "b-0 is an end of the connection"),
        ("{ at = [\"station\", \"station\"] }", "pep.at[1]", "station is named twice"),
        ("{ at = [[\"station\", \"terminal-0\"]] }", "pep.at[0]", "2 nodes for 1 flows"),
        (
            "{ at = [\"station\"], buffer = \"2079 B\" }",
            "pep.buffer",
            "2079 B given; legal is two segments, 2080 B, to 65535",
        ),
        (
            "{ at = [\"station\"], buffer = \"1 GB\" }",
            "pep.buffer",
            "legal is two segments, 2080 B, to 65535, 68156400 B",
        ),
        ("{ at = [\"station\"], initial_cwnd = \"0.5 packets\" }", "pep.initial_cwnd", "legal is"),
        ("{ at = [\"station\"], variant = \"vegas\" }", "pep.variant", "vegas"),
        ("{ at = [\"station\"], room = 3 }", "pep.room", ""),
        ("{ at = [\"station\"], handshake = false }", "pep.handshake", "there is one proxy"),
        ("{ at = [\"station\"], buffer = \"0 B\" }", "pep.buffer", "0 B given; legal is two segments, 2080 B"),
        ("{ at = [\"terminal-[7-8]\"] }", "pep.at[0]", "there is no node terminal-7"),
    ] {
        let found = problems(&flow(&format!("pep = {pep}\n")));
        let is_it = |(at, told): &&(String, String)| *at == format!("flows.file.{path}") && told.contains(message);
        assert_eq!(found.iter().filter(is_it).count(), 1, "{pep}: {found:?}");
    }
    let limited = flow("rate_limited_increase = true\npep = { at = [\"station\"], variant = \"cubic\" }\n");
    assert_eq!(
        problems(&limited).iter().map(|problem| problem.0.as_str()).collect::<Vec<_>>(),
        ["flows.file.pep.variant"]
    );
    let cbr = "[flows.voice]\nkind = \"cbr\"\nrate = \"1 Mbit/s\"\nfrom = \"a\"\nto = \"b-0\"\n\
               pep = { at = [\"station\"] }\n";
    let message = "flows of kind cbr have no connection to split, as TCP has; leave it out";
    assert_eq!(problems(&text(cbr)), [("flows.voice.pep".to_owned(), message.to_owned())]);
    let film = "[sessions.film]\nscheme = \"tfmcc\"\nsource = \"a\"\npep = { at = [\"station\"] }\n\
                [sessions.film.receivers]\nnodes = [\"b-0\"]\n";
    let found = problems(&text(film));
    assert!(found.len() == 1 && found[0].0 == "sessions.film.pep", "{found:?}");
}
