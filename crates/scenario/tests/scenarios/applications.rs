//! Flows and sessions whose application has only so much to send.

use crate::support::{go, numbers, scenario, table, words};
use faircast_proto::time::Duration;
use faircast_scenario::paths::paths;
use faircast_scenario::run::{Control, RunOutput};
use faircast_scenario::{Scenario, run};
use std::collections::BTreeMap;

/// A link of 2 Mbit/s, 50 ms long, with these flows and sessions.
fn text(traffic: &str, keys: &str) -> String {
    format!(
        r#"
format = 1
name = "applications"
duration = "60 s"
warmup = "20 s"
nodes = {{ a = {{}}, b = {{}} }}
{keys}
[links.path]
from = "a"
to = "b"
rate = "2 Mbit/s"
delay = "50 ms"
queue = {{ kind = "drop-tail", limit = "30 packets" }}
{traffic}
"#
    )
}

fn session(scheme: &str, application: &str) -> String {
    format!(
        "[sessions.film]\nscheme = \"{scheme}\"\nsource = \"a\"\nreceivers = {{ nodes = [\"b\"] }}\n\
         application = {{ {application} }}\n"
    )
}

fn tcp(keys: &str) -> String {
    format!("[flows.film]\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\n{keys}\n")
}

/// A value of the summary.
fn value(output: &RunOutput, subject: &str, metric: &str) -> f64 {
    let summary = table(output, "summary");
    let names = words(summary, "subject").into_iter().zip(words(summary, "metric"));
    let mut rows = names.zip(numbers(summary, "value")).filter(|((s, m), _)| s == subject && m == metric);
    *rows.next().unwrap_or_else(|| panic!("{subject} has {metric}")).1
}

fn warnings(output: &RunOutput) -> Vec<String> {
    words(table(output, "warnings"), "kind")
}

/// All that is wrong with a scenario: places and messages.
fn wrong(text: &str) -> Vec<(String, String)> {
    let problems = Scenario::from_toml(text).expect_err("something is wrong");
    problems.into_iter().map(|problem| (problem.path, problem.message)).collect()
}

#[test]
fn a_rate_that_the_network_carries_is_what_arrives() {
    let app = "rate = \"400 kbit/s\"";
    for traffic in [session("tfmcc", app), session("pgmcc", app), tcp(&format!("application = {{ {app} }}"))] {
        let output = go(&text(&traffic, ""));
        let rate = value(&output, "film", "rate");
        assert!((rate / 400e3 - 1.0).abs() < 1e-3 * 2.0, "{rate}: {traffic}");
        assert!(value(&output, "film", "application_limited") > 35.0, "{traffic}");
        assert_eq!(value(&output, "film", "application_dropped"), 0.0, "{traffic}");
    }
}

#[test]
fn a_rate_above_what_the_network_carries_waits_or_is_dropped() {
    let app = "rate = \"4 Mbit/s\"";
    for (buffer, drops) in [("", false), (", buffer = \"20 kB\"", true)] {
        for traffic in [session("tfmcc", &format!("{app}{buffer}")), tcp(&format!("application = {{ {app}{buffer} }}"))]
        {
            let output = go(&text(&traffic, ""));
            let rate = value(&output, "film", "rate");
            assert!((1.2e6..=2e6).contains(&rate), "{rate}: {traffic}");
            let flows = table(&output, "flows");
            let waiting = numbers(flows, "application_waiting_pkts").last().copied().expect("there are rows");
            let dropped = value(&output, "film", "application_dropped");
            assert_eq!((waiting <= 20.0, dropped > 0.0), (drops, drops), "{waiting} {dropped} {traffic}");
            // As it always has something: with an endless backlog as if it were greedy.
            if !drops {
                assert!(value(&output, "film", "application_limited") < 1.0, "{traffic}");
            }
        }
    }
}

/// The rate X of a session of which a tenth of the link is used, beside a loss now and then.
#[test]
fn x_grows_by_rfc_4654_though_little_is_sent_and_not_by_rfc_5348() {
    let loss = "[links.lossy]\nfrom = \"b\"\nto = \"c\"\nrate = \"100 Mbit/s\"\ndelay = \"1 ms\"\n\
                loss = { kind = \"bernoulli\", p = 0.001 }\nback = { loss = { kind = \"none\" } }\n";
    let x_of = |data_limited: &str| {
        let traffic = format!(
            "{loss}[sessions.film]\nscheme = \"tfmcc\"\nsource = \"a\"\nreceivers = {{ nodes = [\"c\"] }}\n\
             data_limited = \"{data_limited}\"\napplication = {{ rate = \"100 kbit/s\" }}\n"
        );
        let text = text(&traffic, "").replace("b = {}", "b = {}, c = {}").replace("60 s", "600 s");
        let output = go(&text);
        let rates = numbers(table(&output, "flows"), "sending_bps");
        *rates.last().expect("there are rows")
    };
    let (by_4654, by_5348) = (x_of("rfc4654"), x_of("rfc5348"));
    // Twice what is received: of the mean, five packets in four round-trip times, and of seven at most, as when the
    // backlog of the first slow seconds goes. By the equation it is 3 Mbit/s at one loss in a thousand.
    assert!(by_5348 <= 1.01 * 2.0 * 7.0 * 8000.0 / 0.4, "{by_5348}");
    assert!(by_4654 > 1e6, "{by_4654} {by_5348}");
}

#[test]
fn bytes_of_tcp_are_segments() {
    let of = |keys: &str| go(&text(&tcp(keys), ""));
    let (bytes, segments) = (of("application = { bytes = \"99841 B\" }"), of("segments = 97"));
    let counts = |output| crate::support::integers(table(output, "flows"), "sent_pkts").to_vec();
    assert_eq!(counts(&bytes), counts(&segments));
    assert_eq!(counts(&bytes).iter().sum::<i64>(), 97);
    assert_eq!(value(&bytes, "film", "completion"), value(&segments, "film", "completion"));
    // A film of a length ends when all of it is there: 100 packets of 1040 B, ten a second.
    let film = of("application = { rate = \"83200 bit/s\", bytes = \"104 kB\" }");
    let completion = value(&film, "film", "completion");
    assert!((10.05..10.2).contains(&completion), "{completion}");
    assert!(!warnings(&film).contains(&"phase-effects".to_owned()));
}

#[test]
fn what_keeps_the_optimum_away_is_named_as_it_stands_in_the_scenario() {
    let place = |keys: &str| {
        let known = faircast_scenario::warning::known(&scenario(&text(&tcp(keys), "")));
        known.into_iter().find(|known| known.warning.kind == "no-optimum").expect("it ends").path
    };
    assert_eq!(place("application = { bytes = \"99841 B\" }"), "flows.film.application");
    assert_eq!(place("segments = 97"), "flows.film.segments");
}

#[test]
fn a_film_of_a_session_ends() {
    let output = go(&text(&session("tfmcc", "rate = \"400 kbit/s\", bytes = \"1500 kB\""), ""));
    // 30 s.
    let active = value(&output, "film", "active");
    assert!((9.9..10.2).contains(&active), "{active}");
    // Of the 40 s after the warm-up it sends ten; what was under way at their beginning comes with them.
    let rate = value(&output, "film", "rate");
    assert!((99.5e3..102e3).contains(&rate), "{rate}");
    assert!(warnings(&output).contains(&"no-optimum".to_owned()), "{:?}", warnings(&output));
}

#[test]
fn traces_are_read_and_every_mistake_is_told() {
    let with = |csv: &str| {
        let files = BTreeMap::from([("film.csv".to_owned(), csv.as_bytes().to_vec())]);
        let value =
            faircast_scenario::toml_to_json(&text(&session("tfmcc", "trace = \"film.csv\""), "")).expect("TOML");
        Scenario::from_json_with(value, &files)
    };
    let read = with("time [s],bytes [B]\n0,5000\n30,2500\n").expect("a legal trace");
    let network = read.expand();
    let made = network.sessions[0].application.as_ref().and_then(|app| app.trace.as_ref()).expect("a trace");
    assert_eq!(made.len(), 2);
    assert_eq!((made[1].at, made[1].bytes.0), (Duration::from_secs(30), 2500));
    let output = run(&read, 1, &Control::default(), 1).expect("it runs");
    assert_eq!(value(&output, "film", "application_made"), 3.0);
    // It stands for itself: the content has taken the place of the name.
    let again = Scenario::from_json(read.to_json()).expect("it comes back");
    assert_eq!(again.expand(), network);
    for (csv, said) in [
        ("time [s],bytes [B]\n0,1\n0,1\n", "film.csv, line 3: the time 0 s stands there a second time"),
        ("time [s],bytes [B]\n2,1\n1,1\n", "film.csv, line 3: time runs back, from 2 s to 1 s"),
        ("time [s],bytes [B]\n2,1\n3,0\n", "film.csv, line 3: column bytes: 0 B is not legal"),
        ("time [s],bytes [B]\n", "it is empty; legal is at least one line"),
    ] {
        let problems = with(csv).expect_err(csv);
        assert!(problems.len() == 1 && problems[0].message.contains(said), "{problems:?} {said}");
        assert!(problems[0].path.starts_with("sessions.film.application.trace"), "{problems:?}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_in_a_sentence() {
    let app = "application = { bytes = \"1 MB\" }";
    let web = format!(
        "[flows.film]\nkind = \"web\"\nfrom = \"a\"\nto = \"b\"\ninterval = \"1 s\"\n\
         size = {{ kind = \"constant\" }}\n{app}\n"
    );
    let cbr = format!("[flows.film]\nkind = \"cbr\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\n{app}\n");
    for (traffic, path, said) in [
        (cbr, "flows.film.application", "flows of kind cbr send at constant rates"),
        (web, "flows.film.application", "web traffic is an application itself"),
        (session("cbr", "bytes = \"1 MB\""), "sessions.film.application", "sessions of scheme cbr send at constant"),
        (tcp(&format!("segments = 7\n{app}")), "flows.film.segments", "given with an application"),
        (tcp("application = {}"), "flows.film.application.rate", "missing: say what there is to send"),
        (session("tfmcc", "rate = \"1 Mbit/s\", buffer = \"10 B\""), "sessions.film.application.buffer", "at least a"),
        (
            session("tfmcc", "trace = [{ at = \"1 s\", bytes = \"1 B\" }, { at = \"1 s\", bytes = \"1 B\" }]"),
            "sessions.film.application.trace[1].at",
            "a second time",
        ),
    ] {
        let wrong = wrong(&text(&traffic, ""));
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert!(wrong[0].0 == path && wrong[0].1.contains(said), "{wrong:?}");
    }
}

#[test]
fn nobody_wants_more_than_the_application_makes() {
    let capped = |traffic: &str| {
        let found = paths(&scenario(&text(traffic, "")).expand());
        found.demands[0].max_rate_bps
    };
    let rate = "rate = \"400 kbit/s\"";
    assert_eq!(capped(&session("tfmcc", rate)), Some(400e3));
    assert_eq!(
        capped(&session("tfmcc", rate).replace("application", "max_rate = \"300 kbit/s\"\napplication")),
        Some(300e3)
    );
    assert_eq!(capped(&tcp(&format!("application = {{ {rate} }}"))), Some(400e3));
    assert_eq!(capped(&tcp("")), None);
    assert_eq!(capped(&tcp("application = { bytes = \"1 MB\", buffer = \"1 MB\" }")), None, "all of it at once");
    let trace = "trace = [{ at = \"0 s\", bytes = \"1000 B\" }, { at = \"2 s\", bytes = \"4000 B\" }]";
    assert_eq!(capped(&session("tfmcc", trace)), Some(20e3));
}

/// A pause of a minute in a film: what comes after it is no burst.
#[test]
fn after_a_pause_no_more_goes_than_the_rules_allow() {
    let trace = "trace = [{ at = \"0 s\", bytes = \"2 MB\" }, { at = \"80 s\", bytes = \"2 MB\" }]";
    let sent_after = |traffic: &str| {
        let text = text(traffic, "probes = { interval = \"0.1 s\" }").replace("60 s", "120 s");
        let output = go(&text);
        let flows = table(&output, "flows");
        let rows = numbers(flows, "t_s").iter().zip(crate::support::integers(flows, "sent_pkts"));
        rows.filter(|(at, _)| **at > 79.95 && **at < 80.105).map(|(_, sent)| *sent).sum::<i64>()
    };
    // What goes before the first acknowledgement, which is a round trip of a tenth of a second later: the initial
    // window.
    let of_tcp = sent_after(&tcp(&format!("wnd = \"40 packets\"\napplication = {{ {trace} }}")));
    assert_eq!(of_tcp, 2);
    let lasting = tcp(&format!("wnd = \"40 packets\"\ncwnd_validation = \"rfc7661\"\napplication = {{ {trace} }}"));
    assert!(sent_after(&lasting) > 15);
    // A packet per R_max, and what the first reports add.
    let of_tfmcc = sent_after(&session("tfmcc", trace));
    assert!((1..=3).contains(&of_tfmcc), "{of_tfmcc}");
}
