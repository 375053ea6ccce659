//! Queues measured in time or bandwidth-delay products become packets.

use faircast_scenario::{Problem, Scenario};
use serde_json::Value;

/// A dumbbell of two flows with round trips of 2 (1 + 20 + 1) = 44 ms and 2 (1 + 20 + 6) = 54 ms.
const BASE: &str = r#"
format = 1
name = "limits"
duration = "10 s"

[topology]
kind = "dumbbell"

[links.access-right-1]
delay = "6 ms"

[links.bottleneck]
rate = "8 Mbit/s"
queue = { kind = "drop-tail", limit = "1 BDP" }

[flows.web]
kind = "tcp"
count = 2
"#;

fn resolved(text: &str) -> Value {
    Scenario::from_toml(text).unwrap_or_else(|found| panic!("{found:#?}")).to_json()
}

fn problems(text: &str) -> Vec<Problem> {
    Scenario::from_toml(text).expect_err("something is wrong")
}

fn limit(text: &str, link: &str) -> String {
    let scenario = resolved(text);
    scenario["links"][link]["queue"]["limit"].as_str().unwrap_or("nothing").to_owned()
}

#[test]
fn a_product_is_that_of_the_longest_round_trip_and_the_largest_packet() {
    // 8 Mbit/s times 54 ms are 54000 B; a packet of TCP has 1040 B.
    assert_eq!(limit(BASE, "bottleneck"), "52 packets");
    assert_eq!(limit(&BASE.replace("1 BDP", "0.5BDP"), "bottleneck"), "26 packets");
    assert_eq!(limit(&BASE.replace("1 BDP", "0 BDP"), "bottleneck"), "1 packets");
    // Flows that do not cross the link do not count; those of which only answers cross do.
    let beside = BASE.replace(
        "[flows.web]",
        "[nodes.far]\n[links.far]\nfrom = \"left-router\"\nto = \"far\"\n\
         rate = \"1 Mbit/s\"\ndelay = \"500 ms\"\n[flows.away]\nkind = \"cbr\"\nfrom = \"left-0\"\n\
         to = \"far\"\npacket_size = \"1500 B\"\n[flows.web]",
    );
    assert_eq!(limit(&beside, "bottleneck"), "52 packets");
    // 2 (1 + 20 + 500) ms and 1500 B: 1042 ms times 1000 B / ms / 1500 B.
    let through = beside.replace("from = \"left-0\"\nto = \"far\"\npacket", "from = \"far\"\nto = \"right-0\"\npacket");
    assert_eq!(limit(&through, "bottleneck"), "695 packets");
}

#[test]
fn a_time_is_what_the_link_sends_in_it() {
    // 8 Mbit/s send 50000 B in 50 ms.
    assert_eq!(limit(&BASE.replace("1 BDP", "50 ms"), "bottleneck"), "48 packets");
    let header = BASE.replace("rate = \"8 Mbit/s\"", "rate = \"8 Mbit/s\"\nheader = \"210 B\"");
    assert_eq!(limit(&header.replace("1 BDP", "50 ms"), "bottleneck"), "40 packets");
    assert_eq!(limit(&BASE.replace("1 BDP", "1 ns"), "bottleneck"), "1 packets");
    // The rate of the start counts, and the delay.
    let changes = "rate = \"8 Mbit/s\"\n\
         changes = [{ at = \"0 s\", rate = \"4 Mbit/s\", delay = \"10 ms\" }, { at = \"1 s\", rate = \"1 Mbit/s\" }]";
    let changed = BASE.replace("rate = \"8 Mbit/s\"", changes);
    assert_eq!(limit(&changed.replace("1 BDP", "52 ms"), "bottleneck"), "25 packets");
    // 4 Mbit/s times 34 ms are 17000 B.
    assert_eq!(limit(&changed, "bottleneck"), "16 packets");
}

#[test]
fn each_direction_has_its_own() {
    let text = format!("{BASE}\n[links.bottleneck.back]\nrate = \"800 kbit/s\"\n");
    let scenario = resolved(&text);
    assert_eq!(scenario["links"]["bottleneck"]["queue"]["limit"], "52 packets");
    assert_eq!(scenario["links"]["bottleneck"]["back"]["queue"]["limit"], "5 packets");
    let network = Scenario::from_toml(&text).expect("it is legal").expand();
    let limits: Vec<String> = ["bottleneck", "bottleneck.back"]
        .map(|name| serde_json::to_value(&*network.links[network.link(name).unwrap() as usize].queue).unwrap())
        .map(|queue| queue["limit"].as_str().unwrap().to_owned())
        .to_vec();
    assert_eq!(limits, ["52 packets", "5 packets"]);
    // Where both are equal nothing is said of the direction back.
    assert_eq!(resolved(BASE)["links"]["bottleneck"].get("back"), None);
}

#[test]
fn what_a_topology_says_of_many_links_is_said_link_by_link_where_it_differs() {
    let text = BASE.replace(
        "kind = \"dumbbell\"",
        "kind = \"dumbbell\"\nright = 3\n\
         access_right = { rate = \"8 Mbit/s\", queue = { kind = \"drop-tail\", limit = \"1 BDP\" } }",
    );
    let scenario = resolved(&text);
    // 44000 B and 54000 B; nobody crosses the third, which follows the first.
    assert_eq!(scenario["topology"]["access_right"]["queue"]["limit"], "42 packets");
    assert_eq!(scenario["links"]["access-right-1"]["queue"]["limit"], "52 packets");
    assert_eq!(scenario["links"]["access-right-1"]["back"]["queue"]["limit"], "52 packets");
    assert_eq!(scenario["links"].get("access-right-0"), None);
    assert_eq!(scenario["links"].get("access-right-2"), None);
}

#[test]
fn thresholds_are_measured_likewise_and_need_not_be_whole() {
    let red =
        "{ kind = \"red\", limit = \"2 BDP\", min_th = \"0.25 BDP\", max_th = \"27 ms\", target_delay = \"5 ms\" }";
    let scenario = resolved(&BASE.replace("{ kind = \"drop-tail\", limit = \"1 BDP\" }", red));
    let queue = &scenario["links"]["bottleneck"]["queue"];
    // 54000 B / 1040 B = 51.923.
    assert_eq!(
        [&queue["limit"], &queue["min_th"], &queue["max_th"]],
        ["104 packets", "12.98 packets", "25.96 packets"]
    );
    assert_eq!(queue["target_delay"], "5 ms");
    let crossed = red.replace("0.25 BDP", "0.75 BDP");
    let found = problems(&BASE.replace("{ kind = \"drop-tail\", limit = \"1 BDP\" }", &crossed));
    assert_eq!(found[0].path, "links.bottleneck.queue.max_th");
    assert!(found[0].message.contains("it must be above min_th = 38.94 packets"), "{found:#?}");
}

#[test]
fn what_comes_of_it_is_the_same_as_if_packets_had_been_written() {
    let packets = BASE.replace("1 BDP", "52 packets");
    assert_eq!(resolved(BASE), resolved(&packets));
    assert_eq!(Scenario::from_json(resolved(BASE)).expect("it is legal").to_json(), resolved(BASE));
}

#[test]
fn a_downlink_with_legs_counts_its_farthest_receiver() {
    let text = r#"
format = 1
name = "satellite"
duration = "10 s"
[topology]
kind = "satellite"
leg_delays = ["125 ms", "150 ms"]
downlink = { queue = { kind = "drop-tail", limit = "1 BDP" } }
[sessions.film]
scheme = "tfmcc"
source = "left-0"
"#;
    // 10 Mbit/s, packets of 1000 B, 1 + 125 + 150 ms there and 125 + 125 + 1 ms back.
    assert_eq!(resolved(text)["topology"]["downlink"]["queue"]["limit"], "659 packets");
}

#[test]
fn where_nothing_can_be_said_that_is_said() {
    let spur = "[nodes.far]\n[links.far]\nfrom = \"left-router\"\nto = \"far\"\nrate = \"1 Mbit/s\"\n\
         delay = \"5 ms\"\nqueue = { kind = \"drop-tail\", limit = \"1 BDP\" }\n[flows.web]";
    let text = BASE.replace("[flows.web]", spur);
    let found = problems(&text);
    assert_eq!((found.len(), found[0].path.as_str()), (1, "links.far.queue.limit"));
    assert!(found[0].message.starts_with("no flow and no session crosses this link"), "{found:#?}");
    assert_eq!(found[0].given.as_deref(), Some("1 BDP"));
    // A time needs no round trip: 6250 B, and the packets of TCP.
    assert_eq!(
        limit(
            &text.replace(
                "ms\"\nqueue = { kind = \"drop-tail\", limit = \"1 BDP\" }",
                "ms\"\nqueue = { kind = \"drop-tail\", limit = \"50 ms\" }"
            ),
            "far"
        ),
        "6 packets"
    );
    for (given, message) in [
        ("-1 BDP", "must be finite and not negative"),
        ("inf BDP", "must be finite and not negative"),
        ("1 bdp", "did you mean \"1 BDP\"?"),
        ("0.5Bdp", "did you mean \"0.5BDP\"?"),
        ("bdp", "legal"),
        ("half a BDP", "a number is needed before BDP"),
        ("5 cm", "a bandwidth-delay product such as \"0.5 BDP\" are legal, too"),
        ("50", "50 has no unit"),
    ] {
        let found = problems(&BASE.replace("1 BDP", given));
        assert_eq!((found.len(), found[0].path.as_str()), (1, "links.bottleneck.queue.limit"), "{given}: {found:#?}");
        assert!(found[0].message.contains(message), "{given}: {found:#?}");
    }
    // Beyond all thresholds there is a greatest one.
    let red = "kind = \"red\", limit = \"9 packets\", min_th = \"1e300 BDP\"";
    let found = problems(&BASE.replace("kind = \"drop-tail\", limit = \"1 BDP\"", red));
    assert_eq!((found.len(), found[0].path.as_str()), (1, "links.bottleneck.queue.max_th"), "{found:#?}");
    // What follows from another mistake is not said.
    let found = problems(&BASE.replace("delay = \"6 ms\"", "dealy = \"6 ms\""));
    assert_eq!((found.len(), found[0].path.as_str()), (1, "links.access-right-1.dealy"), "{found:#?}");
    let found = problems(&text.replace("count = 2", "from = \"nowhere\""));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].path, "flows.web.from");
    let unused = BASE.replace(
        "kind = \"dumbbell\"",
        "kind = \"dumbbell\"\nbottleneck = { queue = { kind = \"drop-tail\", limit = \"1 BDP\" } }",
    );
    // A queue that no link has needs no number.
    assert_eq!(resolved(&unused)["topology"]["bottleneck"]["queue"]["limit"], "50 packets");
}

#[test]
fn in_a_constellation_times_are_legal_and_products_are_not() {
    let text = r#"
format = 1
name = "sky"
duration = "10 s"
[topology]
kind = "constellation"
isl = { queue = { kind = "drop-tail", limit = "40 ms" } }
[stations.berkeley]
latitude = 37.87
longitude = -122.27
[stations.boston]
latitude = 42.36
longitude = -71.06
[flows.web]
kind = "tcp"
from = "berkeley"
to = "boston"
"#;
    // 25 Mbit/s send 125000 B; the link layer adds its header to 1040 B.
    let scenario = resolved(text);
    let header: u64 =
        scenario["topology"]["isl"]["header"].as_str().map_or(0, |text| text.trim_end_matches(" B").parse().unwrap());
    let expected = (125_000.0 / (1040 + header) as f64).round();
    assert_eq!(scenario["topology"]["isl"]["queue"]["limit"], format!("{expected} packets"));
    let found = problems(&text.replace("40 ms", "1 BDP"));
    assert_eq!((found.len(), found[0].path.as_str()), (1, "topology.isl.queue.limit"));
    assert!(found[0].message.starts_with("satellites move"), "{found:#?}");
}

#[test]
fn where_nobody_sends_a_packet_has_1000_bytes() {
    let text = BASE
        .replace("[flows.web]\nkind = \"tcp\"\ncount = 2\n", "[[probes.paths]]\nfrom = \"left-0\"\nto = \"right-0\"\n");
    // 8 Mbit/s send 50000 B in 50 ms.
    assert_eq!(limit(&text.replace("1 BDP", "50 ms"), "bottleneck"), "50 packets");
}

#[test]
fn of_flows_that_differ_the_largest_packet_counts() {
    let text = BASE.replace("count = 2", "count = 2\nmss = [\"460 B\", \"1460 B\"]");
    // 54000 B by 1500 B.
    assert_eq!(limit(&text, "bottleneck"), "36 packets");
    assert_eq!(limit(&text.replace("[\"460 B\", \"1460 B\"]", "[\"1460 B\", \"460 B\"]"), "bottleneck"), "36 packets");
}
