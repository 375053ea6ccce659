//! Web traffic whose connections are split by relays: what comes of it, and what is refused.

use crate::support::{go, integers, numbers, table, value, words};
use faircast_scenario::Scenario;
use faircast_scenario::run::RunOutput;

/// Hosts on both sides of a satellite between a station and a terminal. A packet takes 10 ms to the station, 250 ms to
/// the terminal, 10 ms to a host.
fn network(beam: &str) -> String {
    format!(
        "format = 1\nname = \"split\"\nduration = \"60 s\"\nwarmup = \"0 s\"\n\
         [nodes.a]\n[nodes.station]\n[nodes.terminal]\n[nodes.b-0]\n[nodes.b-1]\n\
         [links.feed]\nfrom = \"a\"\nto = \"station\"\nrate = \"10 Gbit/s\"\ndelay = \"10 ms\"\n\
         [links.beam]\nfrom = \"station\"\nto = \"terminal\"\nrate = \"10 Gbit/s\"\ndelay = \"250 ms\"\n{beam}\n\
         [links.home-0]\nfrom = \"terminal\"\nto = \"b-0\"\nrate = \"10 Gbit/s\"\ndelay = \"10 ms\"\n\
         [links.home-1]\nfrom = \"terminal\"\nto = \"b-1\"\nrate = \"10 Gbit/s\"\ndelay = \"10 ms\"\n"
    )
}

const BOTH: &str = "pep = { at = [\"station\", \"terminal\"] }\n";

/// Transfers from `a` to `b-0`.
fn web(more: &str) -> String {
    format!("{}[flows.pages]\nkind = \"web\"\nfrom = \"a\"\nto = \"b-0\"\n{more}", network(""))
}

/// One of 30 segments at the first second.
const ONE: &str = "arrivals = [{ at = \"1 s\", size = \"30 KB\" }]\n";

fn completions(output: &RunOutput) -> Vec<f64> {
    numbers(table(output, "transfers"), "completion_s").to_vec()
}

fn near(measured: f64, wanted: f64) {
    assert!((measured - wanted).abs() < 1e-3, "{measured} instead of {wanted}");
}

#[test]
fn a_transfer_takes_as_long_as_a_flow_that_is_split() {
    let one = |more: &str| completions(&go(&web(&format!("{ONE}{more}"))))[0];
    // As in tests/pep.rs, where the sums are explained.
    near(one(""), 4.0 * 0.54);
    near(one(BOTH), 0.01 + 4.0 * 0.5 + 0.02 + 0.01 + 0.02);
    near(one("pep = { at = [\"station\"], initial_cwnd = \"30 packets\" }\n"), 0.07 + 0.52 + 0.01);
    near(one("initial_cwnd = \"30 packets\"\npep = { at = [\"station\"] }\n"), 0.54);
}

#[test]
fn a_handshake_is_of_each_part_and_tls_of_the_whole() {
    let one = |more: &str| {
        let output = go(&web(&format!("{ONE}initial_cwnd = \"30 packets\"\n{more}")));
        (completions(&output)[0], numbers(table(&output, "transfers"), "slowdown")[0])
    };
    let (plain, _) = one(BOTH);
    near(plain, 0.54);
    // The station answers after 10 ms and sends its SYN over the satellite then. When that is answered, 500 ms later,
    // the data is there and goes; the terminal has its connection to the host by then.
    let (opened, slowdown) = one(&format!("handshake = true\n{BOTH}"));
    near(opened, 0.01 + 0.5 + 0.53);
    // The least time is that of the whole way without a split: a handshake and a round trip.
    near(slowdown, opened / (2.0 * 0.54));
    // A round trip of TLS is answered by the far end alone.
    let (secured, slowdown) = one(&format!("handshake = true\ntls_round_trips = 1\n{BOTH}"));
    near(secured, opened + 0.54);
    near(slowdown, secured / (3.0 * 0.54));
}

#[test]
fn objects_of_a_connection_come_one_after_the_other_through_relays() {
    let output = go(&web(&format!(
        "{ONE}size = {{ kind = \"constant\", bytes = \"30 KB\" }}\nobjects_per_connection = 3\nhandshake = true\n\
         initial_cwnd = \"40 packets\"\n{BOTH}"
    )));
    let times = completions(&output);
    assert_eq!(times.len(), 3);
    near(times[0], 1.04);
    // Each is asked for from afar, and goes by the windows that are there.
    near(times[1], 0.54);
    near(times[2], 0.54);
    let began = numbers(table(&output, "transfers"), "t_s");
    near(began[1], began[0] + times[0]);
}

#[test]
fn a_small_buffer_holds_the_server_back() {
    let small = completions(&go(&web(&format!("{ONE}pep = {{ at = [\"station\"], buffer = \"2080 B\" }}\n"))))[0];
    // Two segments at a time over the satellite, as for a flow.
    assert!((small - (0.01 + 14.0 * 0.54 + 0.53)).abs() < 1e-2, "{small}");
}

/// 300 transfers of 1 to 60 segments to two hosts within 3 s, over a satellite that loses much, with small buffers, on
/// few connections.
fn many(engine: &str, pep: &str) -> RunOutput {
    let beam = "loss = { kind = \"bernoulli\", p = 0.2 }";
    go(&format!(
        "{}[flows.pages]\nkind = \"web\"\nfrom = [\"a\", \"a\"]\nto = [\"b-0\", \"b-1\"]\ncount = 2\n\
         handshake = true\ntls_round_trips = 1\nobjects_per_connection = 3\nat_once = 40\nrto_initial = \"1 s\"\n\
         rto_max = \"2 s\"\ninterval = \"30 ms\"\n\
         stop = \"3 s\"\nsize = {{ kind = \"exponential\", mean = \"10 KB\" }}\n{pep}[engine]\n{engine}",
        network(beam).replace("\"60 s\"", "\"2000 s\"")
    ))
}

#[test]
fn many_connections_at_once_all_come_to_their_end() {
    const SMALL: &str = "pep = { at = [\"station\", \"terminal\"], buffer = \"5 KB\" }\n";
    let output = many("", SMALL);
    let transfers = table(&output, "transfers");
    let times = numbers(transfers, "completion_s");
    assert!(times.len() > 200 && times.iter().all(|time| time.is_finite()), "{} transfers", times.len());
    assert_eq!(value(&output, "pages", "unfinished"), 0.0);
    assert_eq!(value(&output, "pages", "proxy_0_most"), 4.0, "a segment has 1040 bytes");
    assert_eq!(*integers(table(&output, "proxies"), "held_pkts").last().expect("a row"), 0);
    for engine in ["calendar = \"heap\"\n", "calendar = \"wheel\"\n", "clock_offsets = false\n"] {
        assert_eq!(numbers(table(&many(engine, SMALL), "transfers"), "completion_s"), times, "{engine}");
    }
    // They arrive at the same moments with the same sizes without a split.
    let whole = many("", "");
    let of = |output: &RunOutput, opens: i64| -> Vec<i64> {
        let table = table(output, "transfers");
        let sizes = integers(table, "size_bytes").iter().zip(integers(table, "opens"));
        let mut sizes: Vec<i64> = sizes.filter(|(_, first)| **first == opens).map(|(size, _)| *size).collect();
        sizes.sort_unstable();
        sizes
    };
    assert_eq!([of(&whole, 0), of(&whole, 1)], [of(&output, 0), of(&output, 1)]);
}

#[test]
fn what_lies_in_the_proxies_of_all_connections_is_told() {
    // Two of 30 segments at once: 4 segments lie at the station while they are sent over the satellite, two by two.
    let at = "arrivals = [{ at = \"1 s\" }, { at = \"1 s\" }]\nsize = { kind = \"constant\", bytes = \"30 KB\" }\n";
    let output = go(&web(&format!("{at}pep = {{ at = [\"station\", \"terminal\"], buffer = \"2080 B\" }}\n")));
    let proxies = table(&output, "proxies");
    assert!(words(proxies, "flow").iter().all(|flow| flow == "pages"));
    let [held, place, most] = ["held_pkts", "place", "most_pkts"].map(|column| integers(proxies, column));
    assert_eq!((place[..4].to_vec(), held[4], most[4]), (vec![0, 1, 0, 1], 4, 2));
    let held_back: f64 = numbers(proxies, "held_back_s").iter().step_by(2).sum();
    assert!((held_back / 2.0 - value(&output, "pages", "proxy_0_held_back_all") / 2.0).abs() < 1e-9);
    assert!((held_back / 2.0 - 14.0 * 0.52).abs() < 0.5, "{held_back}");
    assert_eq!(value(&output, "pages", "proxy_1_most"), 2.0);
}

#[test]
fn what_cannot_be_split_is_one_sentence_with_its_place() {
    for (pep, path, message) in [
        ("{ at = [] }", "pep.at", "the list is empty; legal is a node or more"),
        ("{ at = [\"staton\"] }", "pep.at[0]", "there is no node staton"),
        ("{ at = [\"b-0\"] }", "pep.at[0]", "b-0 is an end of the connection"),
        ("{ at = [\"station\", \"station\"] }", "pep.at[1]", "station is named twice"),
        ("{ at = [\"b-1\"] }", "pep.at[0]", "b-1 is not on the way from a to b-0, which is a, station, terminal, b-0"),
        ("{ at = [\"station\"], buffer = \"0 B\" }", "pep.buffer", "0 B given; legal is two segments, 2080 B"),
        ("{ at = [\"station\"], variant = \"vegas\" }", "pep.variant", "vegas"),
    ] {
        let found = Scenario::from_toml(&web(&format!("{ONE}pep = {pep}\n"))).expect_err("it is wrong");
        let is_it = |found: &&faircast_scenario::Problem| {
            found.path == format!("flows.pages.{path}") && found.message.contains(message)
        };
        assert_eq!((found.iter().filter(is_it).count(), found.len()), (1, 1), "{pep}: {found:?}");
    }
}

#[test]
fn each_pair_of_nodes_has_proxies_of_its_own() {
    let of = |at: &str| {
        let output = go(&format!(
            "{}[flows.pages]\nkind = \"web\"\nfrom = [\"a\", \"a\"]\nto = [\"b-0\", \"b-1\"]\ncount = 2\n\
             arrivals = [{{ at = \"1 s\", pair = 0 }}, {{ at = \"20 s\", pair = 1 }}]\n\
             size = {{ kind = \"constant\", bytes = \"30 KB\" }}\npep = {{ at = [{at}] }}\n",
            network("")
        ));
        completions(&output)
    };
    let [station, terminal] = ["\"station\"", "\"terminal\""].map(of);
    assert!(station[0] + 0.01 < terminal[0] && station[1] + 0.01 < terminal[1], "{station:?}, {terminal:?}");
    assert_eq!(of("[\"terminal\", \"station\"]"), [terminal[0], station[1]]);
}
