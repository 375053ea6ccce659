//! What stands in the tables, by hand and against each other.

use faircast_scenario::run::{Control, RunOutput};
use faircast_scenario::tables::{Table, Values};
use faircast_scenario::{Scenario, run};

fn go(text: &str) -> RunOutput {
    let scenario = Scenario::from_toml(text).unwrap_or_else(|problems| panic!("{problems:#?}"));
    run(&scenario, 1, &Control::default(), 1).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

fn table<'a>(output: &'a RunOutput, name: &str) -> &'a Table {
    output.tables.iter().find(|table| table.name == name).expect("there is such a table")
}

fn numbers(table: &Table, column: &str) -> Vec<f64> {
    match table.get(column) {
        Some(Values::Float(values)) => values.clone(),
        Some(Values::Integer(values)) => values.iter().map(|&value| value as f64).collect(),
        other => panic!("{column} is {other:?}"),
    }
}

fn words<'a>(table: &'a Table, column: &str) -> Vec<&'a str> {
    match table.get(column) {
        Some(Values::Words(words)) => {
            words.codes.iter().map(|&code| words.dictionary[code as usize].as_str()).collect()
        }
        other => panic!("{column} is {other:?}"),
    }
}

/// The rows of the summary about `subject`: metric, unit, value.
fn about<'a>(output: &'a RunOutput, subject: &str) -> Vec<(&'a str, &'a str, f64)> {
    let summary = table(output, "summary");
    let rows = words(summary, "metric").into_iter().zip(words(summary, "unit")).zip(numbers(summary, "value"));
    let of_subject = words(summary, "subject").into_iter().zip(rows).filter(|&(name, _)| name == subject);
    of_subject.map(|(_, ((metric, unit), value))| (metric, unit, value)).collect()
}

fn value(output: &RunOutput, subject: &str, metric: &str) -> f64 {
    let rows = about(output, subject);
    rows.iter().find(|row| row.0 == metric).unwrap_or_else(|| panic!("no {metric} of {subject} in {rows:?}")).2
}

/// A packet of 1000 bytes every 5 ms over a link that takes 10 ms for one.
const FULL: &str = r#"
format = 1
name = "full"
duration = "10 s"
warmup = "4 s"
[nodes.a]
[nodes.b]
[links.l]
from = "a"
to = "b"
rate = "800 kbit/s"
delay = "100 ms"
queue = { kind = "drop-tail", limit = "5 packets" }
[flows.x]
kind = "cbr"
from = "a"
to = "b"
rate = "1600 kbit/s"
packet_size = "1000 B"
[probes]
interval = "2 s"
queues = ["l"]
packets = ["l"]
"#;

#[test]
fn an_overloaded_link_by_hand() {
    let output = go(FULL);
    // Packets come at 0, 5, .. 10000 ms; of two one finds room, and five wait or are in transmission. 1000 departed, of
    // which 10 are on the wire.
    let expected = [
        ("efficiency", "1", 1.0),
        ("efficiency_all", "1", 1.0),
        ("drops_late", "packets", 600.0),
        ("drops_all", "packets", 996.0),
        ("drops_overflow_late", "packets", 600.0),
        ("drops_overflow_all", "packets", 996.0),
        ("marks_incipient_late", "packets", 0.0),
        ("marks_incipient_all", "packets", 0.0),
        ("marks_moderate_late", "packets", 0.0),
        ("marks_moderate_all", "packets", 0.0),
        ("lost_late", "packets", 0.0),
        ("lost_all", "packets", 0.0),
        ("arrived_all", "packets", 2001.0),
        ("delivered_all", "packets", 990.0),
        ("inside", "packets", 15.0),
    ];
    let found = about(&output, "l");
    assert_eq!(found[..expected.len()], expected);
    // What waits besides the one in transmission: four when one has come, three for the moment after one departs.
    let names: Vec<String> = found[expected.len()..].iter().map(|row| row.0.to_owned()).collect();
    let of_queue =
        ["queue_mean", "queue_sd", "queue_min", "queue_max"].map(|name| [name.into(), format!("{name}_all")]);
    let of_waits =
        ["mean", "p50", "p95", "p99", "max"].map(|name| ["", "_all"].map(|all| format!("sojourn_{name}{all}")));
    assert_eq!(names, [of_queue.concat(), of_waits.concat()].concat());
    // Four others are ahead, and it takes 10 ms for each.
    assert!((value(&output, "l", "sojourn_mean") - 0.04).abs() < 1e-12 && value(&output, "l", "sojourn_max") == 0.04);
    assert!((value(&output, "l", "queue_mean") - 4.0).abs() < 1e-9 && value(&output, "l", "queue_sd") < 1e-5);
    assert_eq!((value(&output, "l", "queue_min"), value(&output, "l", "queue_max")), (3.0, 4.0));
    let flow = [
        ("goodput", "bit/s", 800e3),
        ("goodput_all", "bit/s", 792e3),
        ("rate", "bit/s", 800e3),
        ("rate_all", "bit/s", 792e3),
        ("sent", "packets", 1200.0),
        ("sent_all", "packets", 2001.0),
        ("active", "s", 6.0),
        ("active_all", "s", 10.0),
        ("drops_overflow", "packets", 600.0),
        ("drops_overflow_all", "packets", 996.0),
        ("drops_active", "packets", 0.0),
        ("drops_active_all", "packets", 0.0),
        ("drops_down", "packets", 0.0),
        ("drops_down_all", "packets", 0.0),
        ("lost", "packets", 0.0),
        ("lost_all", "packets", 0.0),
        ("undeliverable", "packets", 0.0),
        ("undeliverable_all", "packets", 0.0),
    ];
    assert_eq!(about(&output, "x"), flow);

    // Of two links the first; nothing goes back, and so there are no rows of the other.
    let links = table(&output, "links");
    let of = |column: &str| numbers(links, column);
    assert_eq!(of("rate_bps"), [800e3; 5]);
    assert_eq!(of("utilisation"), [1.0; 5]);
    assert_eq!(of("arrived_pkts"), [401.0, 400.0, 400.0, 400.0, 400.0]);
    assert_eq!(of("dropped_overflow_pkts"), [196.0, 200.0, 200.0, 200.0, 200.0]);
    assert_eq!(of("departed_pkts"), [200.0; 5]);
    assert_eq!(numbers(table(&output, "flows"), "rate_bps"), [760e3, 800e3, 800e3, 800e3, 800e3]);
    assert_eq!(numbers(table(&output, "flows"), "sent_pkts"), [401.0, 400.0, 400.0, 400.0, 400.0]);
}

/// Packets that can be marked and others, at a queue that marks, drops early and overflows.
const MARKED: &str = r#"
format = 1
name = "marked"
duration = "20 s"
[topology]
kind = "dumbbell"
left = 2
right = 2
[links.bottleneck]
rate = "1 Mbit/s"
delay = "50 ms"
queue = { kind = "mecn", limit = "10 packets", min_th = "2 packets", max_th = "9 packets", w_q = 0.1, p1_max = 0.5 }
loss = { kind = "bernoulli", p = 0.01 }
[flows.web]
kind = "tcp"
ecn = "mecn"
[flows.voice]
kind = "on-off"
rate = "1200 kbit/s"
[probes]
packets = ["bottleneck"]
"#;

#[test]
fn tables_of_what_only_some_scenarios_have_are_not_there_in_others() {
    let names: Vec<&str> = go(FULL).tables.iter().map(|table| table.name).collect();
    assert!(!["acm", "transfers", "playback"].iter().any(|name| names.contains(name)), "{names:?}");
}

#[test]
fn events_at_a_queue_are_those_that_its_link_counts() {
    let output = go(MARKED);
    let packets = table(&output, "packets");
    let rows: Vec<(&str, &str, &str)> = words(packets, "action")
        .into_iter()
        .zip(words(packets, "flow"))
        .zip(words(packets, "arrived_as"))
        .map(|((action, flow), level)| (action, flow, level))
        .collect();
    let count = |action: &str| rows.iter().filter(|row| row.0 == action).count() as f64;
    let of_link = |metric: &str| value(&output, "bottleneck", metric);
    let overflow = of_link("drops_overflow_all");
    assert_eq!(count("marked-incipient"), of_link("marks_incipient_all"));
    assert_eq!(count("marked-moderate"), of_link("marks_moderate_all"));
    assert_eq!(count("dropped-overflow"), overflow);
    assert_eq!(count("dropped-active"), of_link("drops_all") - overflow);
    assert_eq!(count("lost"), of_link("lost_all"));
    let came = rows.iter().filter(|row| row.0 != "departed" && row.0 != "lost").count() as f64;
    assert_eq!(came, of_link("arrived_all"));
    for action in ["accepted", "marked-incipient", "marked-moderate", "dropped-overflow", "dropped-active", "departed"]
    {
        assert!(count(action) > 0.0, "nothing was {action}");
    }
    // Packets of the flow that does not know marks are never marked.
    assert!(rows.iter().all(|row| row.1 == "web" || row.1 == "voice"), "{rows:?}");
    assert!(rows.iter().all(|row| row.1 != "voice" || (row.2 == "not-capable" && !row.0.starts_with("marked"))));
    assert!(rows.iter().any(|row| row.1 == "web" && row.2 == "capable"));
    // What departs is delivered, lost or inside.
    assert!(of_link("lost_all") > 0.0);
    let inside = of_link("arrived_all") - of_link("drops_all") - of_link("lost_all") - of_link("delivered_all");
    assert_eq!(inside, of_link("inside"));
}

#[test]
fn all_that_sessions_and_receivers_are_told() {
    let output = go("format = 1\nname = \"film\"\nduration = \"10 s\"\n[topology]\nkind = \"star\"\nright = 1\n\
         [sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-0\"\n");
    let names = |subject: &str| {
        about(&output, subject).into_iter().map(|(metric, unit, _)| (metric.to_owned(), unit)).collect::<Vec<_>>()
    };
    let both =
        |metric: &'static str, unit: &'static str| vec![(metric.to_owned(), unit), (format!("{metric}_all"), unit)];
    let one = |metric: &str, unit: &'static str| vec![(metric.to_owned(), unit)];
    let of_session = [
        both("goodput", "bit/s"),
        both("rate", "bit/s"),
        both("sent", "packets"),
        both("active", "s"),
        both("timeouts", "1"),
        both("feedback_rounds", "1"),
        both("round_reports", "reports"),
        one("srtt_end", "s"),
        one("max_rtt_end", "s"),
        both("drops_overflow", "packets"),
        both("drops_active", "packets"),
        both("drops_down", "packets"),
        both("lost", "packets"),
        both("undeliverable", "packets"),
        both("sending_rate", "bit/s"),
        both("reports_received", "packets"),
        both("messages", "packets"),
        both("message_bytes", "bytes"),
        both("joins_and_leaves", "packets"),
        both("grafts_and_prunes", "packets"),
        both("membership_acknowledgements", "packets"),
    ];
    assert_eq!(names("film"), of_session.concat());
    let of_receiver = [
        both("goodput", "bit/s"),
        both("rate", "bit/s"),
        both("reports", "packets"),
        both("loss_events", "1"),
        one("loss_event_rate_end", "1"),
        one("rtt_end", "s"),
        both("messages", "packets"),
        both("message_bytes", "bytes"),
    ];
    assert_eq!(names("film-0"), of_receiver.concat());
    let sums = |of: &str, metric: &str, unit: &'static str| {
        ["", "_all"].map(|variant| (format!("{of}_{metric}_sum{variant}"), unit)).to_vec()
    };
    let run = [
        both("jain_index", "1"),
        sums("sessions", "goodput", "bit/s"),
        sums("sessions", "rate", "bit/s"),
        sums("sessions", "sent", "packets"),
        sums("sessions", "timeouts", "1"),
        sums("sessions", "sending_rate", "bit/s"),
        sums("sessions", "reports_received", "packets"),
        one("simulated", "s"),
        one("packet_hops", "packets"),
        one("undeliverable", "packets"),
    ];
    assert_eq!(names("run"), run.concat());
}

/// Flows whose windows hold them at five segments of 1000 bytes per round trip of 204 ms, of which some end.
fn held(flows: &str) -> RunOutput {
    go(&format!(
        "format = 1\nname = \"held\"\nduration = \"60 s\"\nwarmup = \"10 s\"\n[topology]\nkind = \"dumbbell\"\n\
         left = 3\nright = 3\nbottleneck = {{ rate = \"100 Mbit/s\", delay = \"100 ms\" }}\n\
         [probes]\nevents = false\n{flows}"
    ))
}

#[test]
fn fairness_is_that_of_flows_while_they_have_something_to_send() {
    let tcp = |name: &str, rest: &str| {
        format!("[flows.{name}]\nkind = \"tcp\"\nfrom = \"left-0\"\nto = \"right-0\"\nwnd = \"5 packets\"\n{rest}\n")
    };
    let endless = tcp("endless", "");
    // 100 segments are there after 4 s, 500 after 20 s: all of them get the same while they last.
    let over = held(&(endless.clone() + &tcp("over", "segments = 100")));
    assert_eq!(value(&over, "run", "jain_index"), 1.0);
    assert_eq!((value(&over, "over", "active"), value(&over, "endless", "active")), (0.0, 50.0));
    let parts = [tcp("ends", "segments = 500"), tcp("begins", "start = \"50 s\""), tcp("stops", "stop = \"30 s\"")];
    let part = held(&(endless.clone() + &parts.concat()));
    assert!(value(&part, "run", "jain_index") > 0.998, "{:?}", about(&part, "run"));
    assert_eq!(value(&part, "begins", "active"), 10.0);
    // 99 rounds and a half; from the stop on what is outstanding is acknowledged.
    assert!((10.0..11.0).contains(&value(&part, "ends", "active")), "{:?}", about(&part, "ends"));
    assert!((20.0..20.3).contains(&value(&part, "stops", "active")), "{:?}", about(&part, "stops"));
    // One of half the window gets half: (1 + 1/2)^2 / (2 (1 + 1/4)).
    let half = tcp("half", "segments = 200").replace("5 packets", "2 packets").replace("wnd = \"5", "wnd = \"4");
    let half = held(&(tcp("whole", "").replace("5 packets", "4 packets") + &half));
    assert!((value(&half, "run", "jain_index") - 0.9).abs() < 2e-3, "{:?}", about(&half, "run"));
    // A session whose source is there for a part of the time, members all the time.
    let film = |stop: &str| {
        format!(
            "[sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-1\"\nmax_rate = \"200 kbit/s\"\n\
             receivers = {{ nodes = [\"right-1\", \"right-2\"] }}\n{stop}\n"
        )
    };
    let (whole, stopped) = (held(&(endless.clone() + &film(""))), held(&(endless.clone() + &film("stop = \"35 s\""))));
    let (whole, stopped) = (value(&whole, "run", "jain_index"), value(&stopped, "run", "jain_index"));
    assert!((whole - stopped).abs() < 2e-3, "{whole} {stopped}");
    let gone = held(&(endless + &film("stop = \"10 s\"")));
    assert_eq!(value(&gone, "run", "jain_index"), 1.0);
    assert_eq!(value(&gone, "film", "active"), 0.0);
}

/// A TCP beside a TFMCC session; three packets in a thousand are lost.
const BESIDE: &str = r#"
format = 1
name = "beside"
warmup = "0 s"
duration = "30 s"
[topology]
kind = "dumbbell"
left = 2
right = 2
[links.bottleneck]
rate = "2 Mbit/s"
delay = "20 ms"
loss = { kind = "bernoulli", p = 0.003 }
[flows.web]
kind = "tcp"
from = "left-1"
to = "right-1"
[sessions.film]
scheme = "tfmcc"
source = "left-0"
receivers = { nodes = ["right-0"] }
[probes]
events = true
"#;

#[test]
fn columns_are_what_the_protocols_of_the_run_show() {
    let output = go(BESIDE);
    let names =
        |name: &str| table(&output, name).columns.iter().map(|column| column.name.to_string()).collect::<Vec<_>>();
    let common = ["t_s", "flow", "rate_bps", "goodput_bps", "members", "sent_pkts", "sending_bps", "reports_received"];
    let of_tcp = [
        "retransmitted_pkts",
        "loss_reductions",
        "ecn_reductions",
        "timeouts",
        "window_limited_s",
        "cwnd_pkts",
        "ssthresh_pkts",
        "srtt_s",
    ];
    let of_tfmcc = ["feedback_rounds", "round_reports", "max_rtt_s"];
    assert_eq!(names("flows"), [&common[..], &of_tcp, &of_tfmcc].concat(), "each once, those of TCP first");
    assert_eq!(names("receivers")[6..], ["reports", "loss_events", "loss_event_rate", "rtt_s"]);
    // What belongs to the other protocol counts as 0, or is no number.
    let flows = table(&output, "flows");
    for (row, flow) in words(flows, "flow").into_iter().enumerate() {
        let is_tcp = flow == "web";
        assert_eq!(numbers(flows, "cwnd_pkts")[row].is_nan(), !is_tcp, "{flow}");
        assert!(is_tcp || numbers(flows, "retransmitted_pkts")[row] == 0.0);
        assert!(is_tcp || numbers(flows, "window_limited_s")[row] == 0.0);
        assert!(!is_tcp || numbers(flows, "feedback_rounds")[row] == 0.0);
    }
    assert!(words(table(&output, "receivers"), "session").iter().all(|&flow| flow == "film"));
    // What events have to tell follows what all of them have, each value once.
    let told = &names("events")[10..];
    assert!(!told.is_empty() && (1..told.len()).all(|at| !told[..at].contains(&told[at])), "{told:?}");
    // Intervals add up to what the summary says of the whole run.
    for (metric, column) in [("retransmitted", "retransmitted_pkts"), ("loss_reductions", "loss_reductions")] {
        assert_eq!(numbers(flows, column).iter().sum::<f64>(), value(&output, "web", metric), "{metric}");
    }
    let losses = numbers(table(&output, "receivers"), "loss_events").iter().sum::<f64>();
    assert_eq!((losses, losses > 3.0), (value(&output, "film-0", "loss_events"), true));
}

#[test]
fn events_tell_what_they_came_from() {
    let output = go(BESIDE);
    let events = table(&output, "events");
    let (what, cause) = (words(events, "event"), words(events, "cause"));
    let (whose, number) = (words(events, "cause_receiver"), numbers(events, "cause_number"));
    let of = |event: &str| (0..what.len()).filter(|&row| what[row] == event).collect::<Vec<_>>();
    assert!(of("rate").len() > 10 && of("loss-event").len() > 3 && of("loss-reduction").len() > 3);
    for row in of("rate") {
        let by_report = cause[row] == "report" && whose[row] == "film-0" && number[row] >= 0.0;
        assert!(by_report || (cause[row] == "time" && whose[row].is_empty() && number[row].is_nan()));
    }
    for row in of("loss-event").into_iter().chain(of("loss-reduction")) {
        assert!(cause[row] == "loss" && number[row] >= 0.0 && whose[row].is_empty());
    }
    // The loss of a packet is told once.
    let lost: Vec<u64> = of("loss-event").into_iter().map(|row| number[row] as u64).collect();
    assert!(lost.windows(2).all(|pair| pair[0] < pair[1]), "{lost:?}");
}
