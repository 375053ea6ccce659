//! Links as they were measured: recordings from files, and what packets meet on such links.

use crate::support::table;
use faircast_scenario::periods::measured;
use faircast_scenario::run::{Control, RunOutput};
use faircast_scenario::tables::Values;
use faircast_scenario::{Problem, Scenario, run, toml_to_json};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Flows of three sizes from one host to another over a link whose settings `SETTINGS` stands for.
const BASE: &str = r#"
format = 1
name = "measured"
duration = "4 s"
warmup = "0 s"
nodes = { a = {}, b = {}, c = {}, d = {} }

[links.access]
from = "a"
to = "b"
rate = "97 Mbit/s"
delay = "1 ms"

[links.down]
from = "b"
to = "c"
queue = { kind = "drop-tail", limit = "100000 packets" }
SETTINGS

[links.out]
from = "c"
to = "d"
rate = "1 Gbit/s"
delay = "1 ms"

[flows.large]
kind = "cbr"
rate = "3 Mbit/s"
packet_size = "4000 B"
from = "a"
to = "d"
stop = "3 s"

[flows.full]
kind = "cbr"
rate = "2.1 Mbit/s"
packet_size = "1500 B"
from = "a"
to = "d"
start = "700 ms"
stop = "2 s"

[flows.small]
kind = "cbr"
rate = "200 kbit/s"
packet_size = "60 B"
from = "a"
to = "d"

[probes]
packets = ["down", "out"]
"#;

/// Reads the scenario with these settings of the link, with files of these contents.
fn read(settings: &str, files: &[(&str, &str)]) -> Result<Scenario, Vec<Problem>> {
    let value = toml_to_json(&BASE.replace("SETTINGS", settings)).expect("legal TOML");
    let files: BTreeMap<String, Vec<u8>> =
        files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect();
    Scenario::from_json_with(value, &files)
}

fn legal(settings: &str, files: &[(&str, &str)]) -> Scenario {
    read(settings, files).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

fn go(scenario: &Scenario) -> RunOutput {
    run(scenario, 1, &Control::default(), 1).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// The packets at the link of which this has been noted: when, ns, and how large they are. What is delivered comes to
/// the next link.
fn packets(output: &RunOutput, action: &str) -> Vec<(u64, u64)> {
    let packets = table(output, "packets");
    let (place, noted) = if action == "delivered" { ("out", "accepted") } else { ("down", action) };
    let (Some(Values::Float(times)), Some(Values::Integer(sizes))) = (packets.get("t_s"), packets.get("size_bytes"))
    else {
        panic!("columns are of other kinds");
    };
    let rows = times.iter().zip(sizes).zip(words(packets.get("link")).into_iter().zip(words(packets.get("action"))));
    let rows = rows.filter(|(_, (link, action))| link == place && action == noted);
    rows.map(|((seconds, bytes), _)| ((seconds * 1e9).round() as u64, *bytes as u64)).collect()
}

fn words(column: Option<&Values>) -> Vec<String> {
    let Some(Values::Words(words)) = column else { panic!("{column:?}") };
    words.codes.iter().map(|&code| words.dictionary.get(code as usize).cloned().unwrap_or_default()).collect()
}

/// When packets leave that come then, with so many bytes: Mahimahi's rules, opportunity by opportunity, ns.
fn by_opportunities(stamps: &[u64], arrivals: &[(u64, u64)]) -> Vec<u64> {
    let (mut departures, mut next, mut base, mut index) = (Vec::new(), 0, 0, 0);
    let mut missing = arrivals.first().map_or(0, |(_, bytes)| bytes + 4);
    while next < arrivals.len() {
        let opportunity = (base + stamps[index]) * 1_000_000;
        index += 1;
        if index == stamps.len() {
            (base, index) = (base + stamps[index - 1], 0);
        }
        let mut left = 1504;
        while left > 0 && next < arrivals.len() && arrivals[next].0 < opportunity {
            let sent = left.min(missing);
            (left, missing) = (left - sent, missing - sent);
            if missing == 0 {
                departures.push(opportunity);
                next += 1;
                missing = arrivals.get(next).map_or(0, |(_, bytes)| bytes + 4);
            }
        }
    }
    departures
}

#[test]
fn packets_leave_at_opportunities_as_a_plain_recurrence_has_it() {
    // Bursts, gaps, several at once, at the very beginning and at both ends of a round of 97 ms.
    let stamps: Vec<u64> = [0, 0, 3, 4, 4, 4, 9, 30, 31, 31, 60, 61, 62, 62, 62, 62, 80, 95, 97, 97].to_vec();
    let file = stamps.iter().map(|stamp| format!("{stamp}\n")).collect::<String>();
    for queue in ["", "mode = \"two-stage\"", "mode = \"fused\""] {
        let settings = format!("delay = \"7 ms\"\ntrace = {{ kind = \"mahimahi\", file = \"down\" }}\n{queue}");
        let output = go(&legal(&settings, &[("down", &file)]));
        let (arrivals, departures) = (packets(&output, "accepted"), packets(&output, "departed"));
        let expected = by_opportunities(&stamps, &arrivals);
        assert!(departures.len() > 800 && arrivals.len() < departures.len() + 1000, "{}", departures.len());
        let times: Vec<u64> = departures.iter().map(|(at, _)| *at).collect();
        assert_eq!(times, expected[..times.len()]);
        // All that could leave has left.
        assert!(expected.get(times.len()).is_none_or(|&next| next > 4_000_000_000));
        // Some waited, some did not, and some opportunities passed unused: all sizes are among them.
        for size in [60, 1500, 4000] {
            assert!(departures.iter().any(|(_, bytes)| *bytes == size), "{size} B");
        }
    }
}

#[test]
fn a_trace_says_rate_delay_and_header() {
    let mahimahi =
        legal("delay = \"7 ms\"\ntrace = { kind = \"mahimahi\", file = \"down\" }", &[("down", "0\n3\n8\n")]);
    let link = |scenario: &Scenario| scenario.to_json()["links"]["down"].clone();
    assert_eq!([&link(&mahimahi)["rate"], &link(&mahimahi)["header"]], ["4.512 Mbit/s", "4 B"]);
    let leocc = legal(
        "trace = { kind = \"leocc\", bw = \"bw\", delay = \"delay\" }\nheader = \"0 B\"",
        &[("bw", "1\n"), ("delay", "22\n30\n")],
    );
    let said = link(&leocc);
    assert_eq!([&said["rate"], &said["header"], &said["delay"]], ["12.032 Mbit/s", "0 B", "22 ms"]);
    assert_eq!(said["trace"]["interval"], "10 ms");
    // What is written stands for itself.
    for scenario in [mahimahi, leocc] {
        assert_eq!(Scenario::from_json(scenario.to_json()).expect("it is legal"), scenario);
    }
}

/// 300 lines of a trace with everything that it may say.
fn fade() -> String {
    let line = |line: u64| {
        let loss = if line.is_multiple_of(50) { format!("{}", (line % 7) as f64 / 100.0) } else { String::new() };
        let up = ["", "", "1", "", "0", "1", "", "", "", ""][(line % 10) as usize];
        let rate = if line.is_multiple_of(3) { format!("{}", 3 + line % 5) } else { String::new() };
        format!("{},{rate},{},{loss},{up}\n", line as f64 / 100.0, 5 + line * 7 % 13)
    };
    "time [s],rate [Mbit/s],delay [ms],loss,up\n".to_owned() + &(0..300).map(line).collect::<String>()
}

#[test]
fn a_trace_of_any_length_is_what_its_changes_are() {
    let (fade, link) = (fade(), "rate = \"8 Mbit/s\"\ndelay = \"20 ms\"\nback = { changes = [] }\n");
    let plain = legal(&format!("{link}changes = \"fade\""), &[("fade", &fade)]);
    let link = "rate = \"8 Mbit/s\"\ndelay = \"20 ms\"\nsimplex = true\n";
    let back = "[links.back]\nfrom = \"c\"\nto = \"b\"\nrate = \"8 Mbit/s\"\ndelay = \"20 ms\"\nsimplex = true";
    let plain_simplex = legal(&format!("{link}changes = \"fade\"\n{back}"), &[("fade", &fade)]);
    let trace = legal(&format!("{link}trace = {{ kind = \"csv\", file = \"fade\" }}\n{back}"), &[("fade", &fade)]);
    let (changed, followed) = (go(&plain_simplex), go(&trace));
    let shown = |output: &RunOutput| output.tables.iter().map(|table| format!("{table:?}")).collect::<Vec<_>>();
    assert_eq!(shown(&changed), shown(&followed));
    assert!(packets(&followed, "lost").len() > 5, "something is lost");
    assert_ne!(shown(&go(&plain)), Vec::<String>::new());
    // So are the periods of its optimum.
    assert_eq!(measured(&trace.expand()), measured(&plain_simplex.expand()));
    assert!(measured(&trace.expand()).expect("few changes").periods.len() > 2);
}

#[test]
fn leocc_has_delays_of_its_own_round_and_keeps_the_order() {
    // 1504 B every millisecond; 30 ms for 10 ms, then 5 ms for 10 ms.
    let settings = "trace = { kind = \"leocc\", bw = \"bw\", delay = \"delay\" }";
    let output = go(&legal(settings, &[("bw", "1\n"), ("delay", "30\n5\n")]));
    let (departed, delivered) = (packets(&output, "departed"), packets(&output, "delivered"));
    let mut last = 0;
    for ((at, _), (delivery, _)) in departed.iter().zip(&delivered) {
        let delay = if at / 10_000_000 % 2 == 0 { 30_000_000 } else { 5_000_000 };
        last = last.max(at + delay);
        assert_eq!(*delivery, last, "departed at {at}");
    }
    assert!(delivered.len() > 500);
}

#[test]
fn lens_loses_what_its_probes_lost() {
    let line = |line: u64| {
        let at = 1_705_744_800_616_897_349 + line * 10_000_000;
        // Of a second the last tenth is lost.
        if line % 100 >= 90 { format!("{at},-1,0,0\n") } else { format!("{at},60.5,{},{}\n", 40 + line % 2, 20) }
    };
    let file = "timestamp,rtt,uplink,downlink\n".to_owned() + &(0..450).map(line).collect::<String>();
    let settings = "rate = \"20 Mbit/s\"\ntrace = { kind = \"lens\", file = \"irtt\", column = \"uplink\" }";
    let scenario = legal(settings, &[("irtt", &file)]);
    assert_eq!(scenario.to_json()["links"]["down"]["delay"], "40 ms");
    let output = go(&scenario);
    let lost = packets(&output, "lost");
    assert!(lost.len() > 60);
    assert!(lost.iter().all(|(at, _)| at % 1_000_000_000 >= 900_000_000));
    assert!(packets(&output, "delivered").iter().all(|(at, _)| at % 1_000_000_000 < 900_000_000));
}

#[test]
fn a_line_takes_few_bytes_in_the_scenario() {
    let mahimahi = (0..30_000).map(|line| format!("{}\n", line * 7 / 10)).collect::<String>();
    let line = |line: u64| {
        format!("{},{}.{:06},{}.5,20.25\n", line * 10_000_001, 40 + line % 37, line * 997 % 1_000_000, 20 + line % 19)
    };
    let lens = "timestamp,rtt,uplink,downlink\n".to_owned() + &(0..30_000).map(line).collect::<String>();
    let trace = |settings: &str, file: &str| -> Value {
        let scenario = legal(settings, &[("file", file)]);
        scenario.to_json()["links"]["down"]["trace"]["file"].clone()
    };
    let of_mahimahi = trace("delay = \"7 ms\"\ntrace = { kind = \"mahimahi\", file = \"file\" }", &mahimahi);
    let of_lens = trace("rate = \"9 Mbit/s\"\ntrace = { kind = \"lens\", file = \"file\" }", &lens);
    for (content, most) in [(of_mahimahi, 4), (of_lens, 16)] {
        let length = content.as_str().expect("a text").len();
        assert!(length <= 30_000 * most, "{} B a line", length as f64 / 30_000.0);
    }
}

#[test]
fn contents_are_those_that_archives_hold() {
    let lens = "timestamp,rtt,uplink,downlink\n1705744800616897349,40.5,20.25,20.25\n1705744800626897349,-1,0,0\n\
                1705744800636897350,41.123456,-2,43\n";
    let csv = "time [s],rate [Mbit/s],delay [ms],loss,up\n0,12.5,20,0,1\n0.01,,20.000001,0.015,\n\
               0.02,13,,0.12345678,0\n";
    // As version 0.2.0 wrote them when this test was made: hashes of scenarios are made of them.
    for (settings, files, key, content) in [
        (
            "rate = \"1 Mbit/s\"\ntrace = { kind = \"lens\", file = \"f\" }",
            &[("f", lens)][..],
            "file",
            "recorded:3:0:6ab4f2e4339390c5:EACg9qcTCICt4gTBhD0Yga3iBOCGJgE",
        ),
        (
            "rate = \"1 Mbit/s\"\ndelay = \"1 ms\"\ntrace = { kind = \"csv\", file = \"f\" }",
            &[("f", csv)],
            "file",
            "recorded:3:0:42a30c269583a3fc:HwDA8PULgLSJEwEYgK3iBAKZdQ2AreIEwIQ9AJXIkRDdmr8/",
        ),
        (
            "trace = { kind = \"leocc\", bw = \"f\", delay = \"g\" }",
            &[("f", "0\n3\n3\n10\n"), ("g", "12\n30\n")],
            "delay",
            "recorded:2:20000000:5e126fb973353bc9:EACA7LgLEICt4gSAopUR",
        ),
        (
            "trace = { kind = \"leocc\", bw = \"f\", delay = \"g\" }",
            &[("f", "0\n3\n3\n10\n"), ("g", "12\n30\n")],
            "bw",
            "recorded:4:0:19ebdec74c4b31cf:AAEDAgcB",
        ),
    ] {
        let scenario = legal(settings, files);
        let written = scenario.to_json();
        assert_eq!(written["links"]["down"]["trace"][key], content);
        assert_eq!(Scenario::from_json(written), Ok(scenario), "it can be read back");
    }
}

#[test]
fn only_files_and_contents_stand_for_recordings() {
    let settings = |file: &str| format!("delay = \"7 ms\"\ntrace = {{ kind = \"mahimahi\", file = \"{file}\" }}");
    // Two that say the same, each of its own file, and then what the core calls the first among themselves.
    let good = legal(&settings("f"), &[("f", "0\n9\n")]).to_json();
    let other = legal(&settings("f"), &[("f", "0\n8\n")]).to_json();
    assert_ne!(good["links"]["down"]["trace"], other["links"]["down"]["trace"]);
    let text = settings("held recording 0");
    let said = read(&text, &[]).expect_err("no such file has been given").remove(0);
    assert!(said.message.contains("the file held recording 0 cannot be read: it has not been given"), "{said:?}");
}

#[test]
fn what_is_wrong_is_said_where_it_stands() {
    let mahimahi = "delay = \"7 ms\"\ntrace = { kind = \"mahimahi\", file = \"f\" }\n";
    let lens = "trace = { kind = \"lens\", file = \"f\" }\n";
    let csv = "rate = \"9 Mbit/s\"\ndelay = \"7 ms\"\ntrace = { kind = \"csv\", file = \"f\" }\n";
    let measured = "timestamp,rtt,uplink,downlink\n10,60,40,20\n20,60,40,20\n";
    for (settings, file, path, message) in [
        (mahimahi, "", ".trace.file", "f, line 1: the file is empty"),
        (mahimahi, "1\n\n", ".trace.file", "f, line 2: the line is empty: a hole"),
        (mahimahi, "4\n3\n", ".trace.file", "f, line 2: time runs back, from 4 to 3 ms"),
        (
            &format!("{mahimahi}rate = \"9 Mbit/s\""),
            "1\n",
            ".rate",
            "9 Mbit/s given, and the trace carries 12.032 Mbit/s",
        ),
        (&format!("{mahimahi}changes = [{{ at = \"1 s\", delay = \"1 ms\" }}]"), "1\n", ".trace", "given with changes"),
        (lens, measured, "", "rate missing: a new link needs from, to, rate and delay"),
        (
            &format!("rate = \"9 Mbit/s\"\n{lens}"),
            "timestamp,rtt,uplink,downlink\n10,60,40,20\n2000000010,60,40,20\n",
            ".trace.file",
            "f, line 3: a hole of 2 s before this line",
        ),
        (
            &format!("rate = \"9 Mbit/s\"\n{}", lens.replace(" }", ", longest_gap = \"1 us\" }")),
            measured,
            ".trace.longest_gap",
            "1 us given; legal is 0.001 s or more",
        ),
        (csv, "time [s],rate\n1,9 bit/s\n", ".trace.file", "f, line 2: column rate: 9 bit/s given"),
        (&csv.replace("\"f\"", "\"g\""), "", ".trace.file", "the file g cannot be read: it has not been given"),
        (&csv.replace("csv", "cvs"), "", ".trace.kind", "did you mean csv?"),
        (&csv.replace(", file = \"f\"", ""), "", ".trace.file", "missing"),
    ] {
        let found = read(settings, &[("f", file)]).expect_err("something is wrong");
        assert_eq!(
            (found.len(), &found[0].path[..]),
            (1, &format!("links.down{path}")[..]),
            "{settings}{file}: {found:#?}"
        );
        assert!(found[0].message.contains(message), "{settings}: {}", found[0].message);
    }
    // A trace is of a link with one far end.
    let legs = "rate = \"9 Mbit/s\"\nsimplex = true\n[links.leg]\nleg_of = \"down\"\nto = \"c\"\ndelay = \"1 ms\"\n\
                trace = { kind = \"csv\", file = \"f\" }";
    let text = BASE.replace("to = \"c\"\nqueue", "queue").replace("SETTINGS", legs);
    let files = BTreeMap::from([("f".to_owned(), b"time [s],delay\n1,3 ms\n".to_vec())]);
    let found = Scenario::from_json_with(toml_to_json(&text).expect("legal TOML"), &files).expect_err("it is a leg");
    assert!(found.iter().any(|found| found.path == "links.leg.trace"), "{found:#?}");
    // A content that is not as it was is nobody's recording.
    let mut damaged = legal(mahimahi, &[("f", "1\n7\n")]).to_json();
    let content =
        damaged["links"]["down"]["trace"]["file"].as_str().expect("a text").replace("recorded:2", "recorded:3");
    damaged["links"]["down"]["trace"]["file"] = json!(content);
    let found = Scenario::from_json(damaged).expect_err("it is damaged");
    assert!(found[0].message.contains("the content of this recording is damaged"), "{found:#?}");
}

#[test]
fn the_example_is_legal_and_follows_the_files_beside_it() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/measured");
    let text = include_str!("../../../../examples/measured/leo-link.toml").replace("\"60 s\"", "\"12 s\"");
    let value = toml_to_json(&text).expect("legal TOML");
    let scenario = Scenario::from_json_in(value, folder.as_ref()).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let links = &scenario.to_json()["links"];
    assert_eq!([&links["downlink"]["rate"], &links["downlink"]["delay"]], ["10.239232 Mbit/s", "28 ms"]);
    assert_eq!(links["uplink"]["delay"], "30 ms");
    let output = go(&scenario);
    assert!(table(&output, "links").get("t_s").is_some());
}
