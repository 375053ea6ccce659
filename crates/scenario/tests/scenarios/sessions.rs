//! Sessions from a scenario file to tables.

use crate::support::{go, numbers, table, words};
use faircast_scenario::run::RunOutput;

/// A constant rate, of 100 packets a second, to three receivers on two hosts: one joins late, one leaves early.
const CBR: &str = r#"
format = 1
name = "cbr"
duration = "10 s"
warmup = "2 s"

[topology]
kind = "star"
right = 2

[sessions.film]
scheme = "cbr"
source = "left-0"
rate = "800 kbit/s"
packet_size = "1000 B"

[sessions.film.receivers]
nodes = ["right-0", "right-0", "right-1"]
join = ["0 s", "5 s", "0 s"]
leave = ["10 s", "10 s", "4 s"]
"#;

fn value(output: &RunOutput, subject: &str, metric: &str) -> f64 {
    let summary = table(output, "summary");
    let rows = words(summary, "subject").into_iter().zip(words(summary, "metric"));
    let row = rows.into_iter().position(|row| row == (subject.to_owned(), metric.to_owned()));
    numbers(summary, "value")[row.unwrap_or_else(|| panic!("no {metric} of {subject}"))]
}

#[test]
fn receivers_get_what_flows_while_they_are_members() {
    let output = go(CBR);
    let receivers = table(&output, "receivers");
    let (names, times, rates) =
        (words(receivers, "receiver"), numbers(receivers, "t_s"), numbers(receivers, "rate_bps"));
    assert_eq!((names.len(), &names[..3]), (30, &["film-0", "film-1", "film-2"].map(String::from)[..]));
    let rate = |receiver: &str, second: f64| {
        let row = (0..names.len()).find(|&row| names[row] == receiver && times[row] == second).expect("it is there");
        rates[row]
    };
    for second in 2..=10 {
        assert_eq!(rate("film-0", f64::from(second)), 800e3);
    }
    // A second member on a host is there at once; one that has left gets nothing, though its link is loaded for 2 s.
    assert_eq!((rate("film-1", 6.0), rate("film-1", 7.0), rate("film-2", 4.0)), (800e3, 800e3, 800e3));
    // Who is no member has no rate.
    assert!([rate("film-1", 5.0), rate("film-2", 5.0), rate("film-2", 6.0)].iter().all(|rate| rate.is_nan()));
    assert_eq!(value(&output, "film-0", "rate"), 800e3);
    // Over the time of membership: film-2 gets 800 kbit/s from 2 to 4 s, film-1 from 5 s on.
    assert_eq!(value(&output, "film-2", "rate"), 800e3);
    assert!((value(&output, "film-1", "rate") - 800e3).abs() < 2e3);
    assert!((value(&output, "film", "rate") - 800e3).abs() < 2e3);
    assert!((value(&output, "film-2", "goodput_all") - 800e3).abs() < 4e3);
    assert_eq!(value(&output, "film", "sending_rate"), 800e3);
    // One copy on the source's link; on the other's the packets of 4 s, those of the 2 s after it, and of 2 ms or so.
    assert_eq!(value(&output, "access-left-0", "efficiency"), 0.008);
    let late = value(&output, "access-right-1", "arrived_all");
    assert!((600.0..=602.0).contains(&late), "{late}");
}

#[test]
fn a_session_gets_the_mean_over_its_present_members() {
    // film-1 is there in the last 3 s of the third interval of 4 s, film-2 in all of the first and half of the second.
    let text = CBR
        .replace("\"4 s\"]", "\"6 s\"]")
        .replace("[sessions.film]", "[probes]\ninterval = \"4 s\"\n\n[sessions.film]");
    let text = text
        .replace("duration = \"10 s\"", "duration = \"12 s\"")
        .replace("\"5 s\"", "\"9 s\"")
        .replace("\"10 s\"", "\"12 s\"");
    let output = go(&text);
    let flows = table(&output, "flows");
    assert_eq!(numbers(flows, "members"), [2.0, 1.5, 1.75]);
    for column in ["rate_bps", "goodput_bps"] {
        // 100 packets a second, of which two or so are under way.
        assert!(numbers(flows, column).iter().all(|rate| (rate - 800e3).abs() < 8e3), "{:?}", numbers(flows, column));
    }
}

#[test]
fn a_rate_of_nobody_is_none() {
    // Everybody has left before the warm-up is over.
    let text =
        CBR.replace("[\"0 s\", \"5 s\", \"0 s\"]", "\"0 s\"").replace("[\"10 s\", \"10 s\", \"4 s\"]", "\"1500 ms\"");
    let output = go(&text.replace("scheme = \"cbr\"\n", "scheme = \"tfmcc\"\n").replace("rate = \"800 kbit/s\"\n", ""));
    assert!(value(&output, "film", "goodput").is_nan() && value(&output, "film-0", "rate").is_nan());
    assert!(value(&output, "film", "goodput_all") > 0.0);
    let (members, rates) = (numbers(table(&output, "flows"), "members"), numbers(table(&output, "flows"), "rate_bps"));
    assert_eq!((members[0], members[1], &members[2..]), (3.0, 1.5, &[0.0; 8][..]));
    assert!(rates[1] > 0.0 && rates[2..].iter().all(|rate| rate.is_nan()), "{rates:?}");
    // Nor is it compared with others.
    assert!(!words(table(&output, "summary"), "metric").contains(&"jain_index".to_owned()));
}

#[test]
fn profiles_differ_in_the_leave_latency() {
    let arrived = |membership: &str| {
        let text = format!("{CBR}\n[sessions.film.membership]\n{membership}\n");
        value(&go(&text), "access-right-1", "arrived_all")
    };
    assert!((400.0..=402.0).contains(&arrived("profile = \"ns2\"")));
    assert!((600.0..=602.0).contains(&arrived("profile = \"realistic\"")));
    assert!((450.0..=452.0).contains(&arrived("profile = \"ns2\"\nleave_delay = \"500 ms\"")));
}

#[test]
fn tfmcc_names_its_limiting_receiver() {
    let output = go(include_str!("../../../../examples/scenarios/tfmcc-star.toml"));
    let events = table(&output, "events");
    let (what, who) = (words(events, "event"), words(events, "receiver"));
    let limiting: Vec<&String> =
        what.iter().zip(&who).filter(|(what, _)| *what == "limiting-receiver").map(|(_, who)| who).collect();
    assert_eq!(limiting.last().map(|name| name.as_str()), Some("video-3"), "{limiting:?}");
    assert!(what.iter().zip(&who).all(|(what, who)| what != "loss-event" || who.starts_with("video-")));
    // RTT 100 ms, p = 0.01: 0.9 Mbit/s by the equation, some per cent more since losses of a round trip are one event.
    let rate = value(&output, "video-0", "rate");
    assert!((0.5e6..=1.6e6).contains(&rate), "{rate}");
    assert!((value(&output, "video-3", "rate") / rate - 0.99).abs() < 0.01);
    assert!(value(&output, "video-3", "reports") > 5.0 * value(&output, "video-1", "reports"));
}

#[test]
fn uncontrolled_flows_do_not_count_for_fairness() {
    let output = go(CBR);
    let summary = table(&output, "summary");
    assert!(!words(summary, "metric").contains(&"jain_index".to_owned()));
}

#[test]
fn a_session_to_its_own_node_is_bounded_by_the_fastest_link_out_of_it() {
    // No link between source and receiver, and so no loss: nothing else would bound it.
    for scheme in ["tfmcc", "omcc"] {
        let output = go(&format!(
            r#"
format = 1
name = "own-node"
duration = "30 s"

[topology]
kind = "star"
right = 1
access_left = {{ rate = "765432 bit/s" }}

[sessions.film]
scheme = "{scheme}"
source = "left-0"
receivers = {{ nodes = ["left-0"] }}
"#
        ));
        let flows = table(&output, "flows");
        let fastest = numbers(flows, "sending_bps").iter().copied().fold(0.0, f64::max);
        assert_eq!(fastest, 765_432.0, "{scheme}");
    }
}

#[test]
fn layers_flow_where_they_are_held() {
    // 10 and 20 packets per second held from the beginning, 40 more from 10 s to 20 s; another 80 by nobody.
    let output = go(r#"
format = 1
name = "layers"
duration = "30 s"
warmup = "0 s"

[topology]
kind = "star"
right = 2

[sessions.film]
scheme = "layered-cbr"
source = "left-0"
rates = ["80 kbit/s", "160 kbit/s", "320 kbit/s", "640 kbit/s"]
level = 2
climb = [{ after = "10 s", level = 3 }, { after = "20 s", level = 2 }]
membership = { profile = "ns2" }
"#);
    let receivers = table(&output, "receivers");
    for (rate, &t_s) in numbers(receivers, "goodput_bps").iter().zip(numbers(receivers, "t_s")) {
        let expected = if t_s > 10.0 && t_s <= 20.0 { 560e3 } else { 240e3 };
        // Packets under way and the joins' way at the beginning of an interval: a packet or two.
        assert!((rate - expected).abs() < 45e3, "{rate} at {t_s} s");
    }
    assert_eq!((value(&output, "film-0", "missed"), value(&output, "film-1", "missed")), (0.0, 0.0));
    assert_eq!(numbers(table(&output, "events"), "layer"), [0.0, 1.0, 0.0, 1.0, 2.0, 2.0, 2.0, 2.0]);
    // Sent are all four, the last one no further than to the source's own node.
    let sent_bps = value(&output, "film", "sending_rate");
    assert!((sent_bps / 1.2e6 - 1.0).abs() < 0.01, "{sent_bps}");
    let links = table(&output, "links");
    let most = numbers(links, "rate_bps").iter().copied().fold(0.0, f64::max);
    assert!(most < 620e3, "{most}");
}

#[test]
fn the_last_receivers_lie_and_draw_each_for_itself() {
    let text = CBR.replace("join = [\"0 s\", \"5 s\", \"0 s\"]", "lie = { liars = 2, part = 0.5 }");
    let text = text
        .replace("leave = [\"10 s\", \"10 s\", \"4 s\"]", "")
        .replace("\"cbr\"\nsource", "\"pgmcc\"\nmax_rate = \"800 kbit/s\"\nsource");
    let text = text.replace("\nrate = \"800 kbit/s\"", "");
    let output = go(&text);
    let [honest, one, two] = ["film-0", "film-1", "film-2"].map(|name| value(&output, name, "loss_rate_end"));
    assert!(honest < 0.01 && one > 0.05 && two > 0.05 && one != two, "{honest}, {one}, {two}");
}
