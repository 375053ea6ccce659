//! Sessions of layers through scenario files: levels, groups, and who may send to them.

use crate::support::{go, numbers, table, words};
use faircast_scenario::Scenario;
use faircast_scenario::tables::Values;

/// 10, 20 and 40 packets of 1000 bytes a second; who joins goes to three layers after 2.5 s.
fn film(more: &str) -> String {
    format!(
        r#"
format = 1
name = "layers"
duration = "6 s"
warmup = "3 s"
[topology]
kind = "dumbbell"
left = 1
right = 2

[sessions.film]
scheme = "layered-cbr"
source = "left-0"
receivers = {{ join = ["0 s", "1 s"], leave = ["6.5 s", "5 s"] }}
rates = ["80 kbit/s", "160 kbit/s", "320 kbit/s"]
level = 1
climb = [{{ after = "2.5 s", level = 3 }}]
{more}
"#
    )
}

fn integers(output: &faircast_scenario::run::RunOutput, name: &str, column: &str) -> Vec<i64> {
    match table(output, name).get(column) {
        Some(Values::Integer(values)) => values.clone(),
        other => panic!("{column} is {other:?}"),
    }
}

fn value(output: &faircast_scenario::run::RunOutput, subject: &str, metric: &str) -> f64 {
    let summary = table(output, "summary");
    let at = |(about, name): (&String, &String)| about == subject && name == metric;
    let (subjects, metrics) = (words(summary, "subject"), words(summary, "metric"));
    let row = subjects.iter().zip(&metrics).position(at).unwrap_or_else(|| panic!("no {metric} of {subject}"));
    numbers(summary, "value")[row]
}

#[test]
fn tables_have_levels_and_groups() {
    let output = go(&film(""));
    let receivers = table(&output, "receivers");
    // By turns film-0, with three layers from 2.5 s, and film-1, from 1 s to 5 s with three from 3.5 s.
    assert_eq!(integers(&output, "receivers", "level"), [1, 1, 1, 1, 3, 1, 3, 3, 3, 0, 3, 0]);
    let means = numbers(receivers, "mean_level");
    assert!(means[1].is_nan() && means[11].is_nan(), "it is not there");
    assert_eq!(
        [0, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(|row| means[row]),
        [1.0, 1.0, 1.0, 2.0, 1.0, 3.0, 2.0, 3.0, 3.0, 3.0]
    );
    assert_eq!(numbers(table(&output, "flows"), "mean_level"), [1.0, 1.0, 1.5, 2.5, 3.0, 3.0]);
    let layers = table(&output, "layers");
    assert_eq!(integers(&output, "layers", "group"), [0, 1, 2].repeat(6));
    assert_eq!(numbers(layers, "layer"), [0.0, 1.0, 2.0].repeat(6));
    assert_eq!(words(layers, "session"), vec!["film"; 18]);
    assert_eq!(numbers(layers, "t_s")[..4], [1.0, 1.0, 1.0, 2.0]);
    // At time zero the first of each is sent, later on those at the end of an interval count in it.
    assert_eq!(integers(&output, "layers", "sent_pkts")[..6], [11, 21, 41, 10, 20, 40]);
    assert_eq!(integers(&output, "layers", "sent_bytes")[..4], [11_000, 21_000, 41_000, 10_000]);
    assert_eq!(numbers(layers, "rate_bps")[..4], [88e3, 168e3, 328e3, 80e3]);
    let members: Vec<f64> = numbers(layers, "members").to_vec();
    assert_eq!(members[..12], [1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 0.5, 0.5, 2.0, 1.5, 1.5]);
    let received = numbers(layers, "received_bps");
    assert!(received[1].is_nan() && (received[13] / 160e3 - 1.0).abs() < 0.03, "{received:?}");
    // After 3 s: film-0 has three layers, film-1 one for half a second and three for a second and a half.
    assert_eq!(["film-0", "film-1", "film"].map(|subject| value(&output, subject, "mean_level")), [3.0, 2.5, 2.8]);
    assert_eq!(["film-0", "film-1"].map(|subject| value(&output, subject, "level_end")), [3.0, 0.0]);
    assert_eq!(integers(&output, "receivers", "joins"), [1, 1, 0, 0, 2, 0, 0, 2, 0, 0, 0, 0]);
    assert_eq!(integers(&output, "receivers", "leaves"), [0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0]);
    let of = |subject: &str, metrics: [&str; 4]| metrics.map(|metric| value(&output, subject, metric));
    let metrics = ["joins", "leaves", "layers_joined", "changes_per_layer"];
    let all = metrics.map(|metric| format!("{metric}_all"));
    assert_eq!(of("film-0", metrics)[..3], [0.0, 0.0, 0.0]);
    assert!(of("film-0", metrics)[3].is_nan());
    assert_eq!(of("film-1", metrics), [2.0, 3.0, 2.0, 2.5]);
    assert_eq!(of("film-0", all.each_ref().map(String::as_str)), [3.0, 0.0, 3.0, 1.0]);
    assert_eq!(of("film-1", all.each_ref().map(String::as_str)), [3.0, 3.0, 3.0, 2.0]);
    let events = table(&output, "events");
    assert_eq!(words(events, "event").iter().filter(|event| *event == "layer-dropped").count(), 3);
    assert_eq!(numbers(events, "layer"), [0.0, 0.0, 1.0, 2.0, 1.0, 2.0, 2.0, 1.0, 0.0]);
}

#[test]
fn cumulative_layers_have_a_dilation_of_one() {
    let output = go(&film(""));
    let dilation = table(&output, "dilation");
    // Those on the way to both, as long as there is something to measure.
    assert_eq!(words(dilation, "link"), ["bottleneck", "access-left-0"].repeat(6));
    assert_eq!(words(dilation, "session"), vec!["film"; 12]);
    assert_eq!(numbers(dilation, "t_s")[..3], [1.0, 1.0, 2.0]);
    for column in ["dilation_max", "dilation_mean"] {
        assert_eq!(numbers(dilation, column), [1.0; 12], "{column}");
    }
    for column in ["demanded_bps", "fastest_bps"] {
        let last = numbers(dilation, column)[11];
        assert!((last / 560e3 - 1.0).abs() < 1e-3, "{column}: {last}");
    }
    for subject in ["film", "bottleneck", "access-left-0", "run"] {
        for metric in ["dilation", "dilation_mean", "dilation_all", "dilation_mean_all"] {
            assert_eq!(value(&output, subject, metric), 1.0, "{metric} of {subject}");
        }
    }
    let (subjects, metrics) = (words(table(&output, "summary"), "subject"), words(table(&output, "summary"), "metric"));
    assert!(!subjects.iter().zip(&metrics).any(|(about, name)| about == "access-right-0" && name == "dilation"));
    // Rates are those of the windows of an interval, however long it is.
    let slow = go(&film("[probes]\ninterval = \"2 s\""));
    for column in ["demanded_bps", "fastest_bps"] {
        let last = numbers(table(&slow, "dilation"), column)[5];
        assert!((last / 560e3 - 1.0).abs() < 1e-3, "{column}: {last}");
    }
    // All links off, there are no rows; the summary has it nevertheless.
    let output = go(&film("[probes]\nlinks = false"));
    assert!(numbers(table(&output, "dilation"), "t_s").is_empty());
    assert_eq!(value(&output, "run", "dilation"), 1.0);
}

#[test]
fn where_there_is_one_layer_nobody_asks_for_levels() {
    let text = film("").replace("\"layered-cbr\"", "\"cbr\"");
    let keys = ["rates", "level", "climb"];
    let text: Vec<&str> = text.lines().filter(|line| !keys.iter().any(|key| line.starts_with(key))).collect();
    let output = go(&text.join("\n"));
    let has = |name: &str, column: &str| table(&output, name).get(column).is_some();
    assert!(!has("receivers", "level") && !has("flows", "mean_level"));
    assert_eq!(numbers(table(&output, "layers"), "layer"), [0.0; 6]);
    assert!(!has("receivers", "joins"));
    let none = ["mean_level", "joins", "dilation"];
    assert!(!words(table(&output, "summary"), "metric").iter().any(|metric| none.contains(&metric.as_str())));
}

/// Each tells the other of its joins, its climb and its leave, as far as the other is there.
#[test]
fn members_send_to_groups_that_let_them() {
    let (apart, base) = (r#"announce = "apart""#, r#"announce = "base""#);
    for more in [apart, base] {
        let output = go(&film(more));
        let heard = ["film-0", "film-1"].map(|subject| value(&output, subject, "announcements"));
        assert_eq!((heard[1], value(&output, "film-1", "missed")), (0.0, 0.0), "{more}");
        assert_eq!(value(&output, "film-0", "announcements"), 2.0, "{more}: those after the warm-up");
        let others = integers(&output, "layers", "others_sent_pkts");
        let group = if more == apart { 3 } else { 0 };
        let by_group = others.chunks(if more == apart { 4 } else { 3 });
        let found: Vec<i64> = by_group.map(|groups| groups[group]).collect();
        assert_eq!((found.as_slice(), others.iter().sum::<i64>()), ([2, 0, 1, 1, 1, 0].as_slice(), 5), "{more}");
        assert!(table(&output, "warnings").rows() == 0, "{more}");
    }
    let apart = go(&film(apart));
    let rank = numbers(table(&apart, "layers"), "layer");
    assert!(rank[3].is_nan() && rank[..3] == [0.0, 1.0, 2.0], "the group apart is no layer");
}

#[test]
fn in_a_network_of_single_sources_what_members_send_is_dropped_and_counted() {
    let output = go(&film("announce = \"base\"\nmembership = { any_source = false }"));
    assert_eq!(["film-0", "film-1"].map(|subject| value(&output, subject, "announcements")), [0.0, 0.0]);
    let warnings = table(&output, "warnings");
    assert_eq!((words(warnings, "kind"), numbers(warnings, "value")), (vec!["not-a-source".to_owned()], &[5.0][..]));
}

#[test]
fn a_group_to_which_nobody_may_send_is_refused() {
    let text = film("announce = \"apart\"\nmembership = { any_source = false }");
    let problems = Scenario::from_toml(&text).expect_err("it is not legal");
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(
        problems[0].to_string(),
        "sessions.film.membership.any_source: false given, and to group 3 of layered-cbr members alone send: nobody \
         could; leave it out, or choose parameters without such a group"
    );
}

/// Two sessions of RLM behind 1 Mbit/s, of layers that do not double, with the keys of its machine.
fn rlm(more: &str) -> String {
    format!(
        r#"
format = 1
name = "rlm"
duration = "200 s"
warmup = "20 s"
[topology]
kind = "dumbbell"
left = 2
right = 4
[links.bottleneck]
rate = "1 Mbit/s"
queue = {{ kind = "drop-tail", limit = "20 packets" }}

[sessions.film]
scheme = "rlm"
source = "left-0"
receivers = {{ nodes = ["right-0", "right-1"] }}
rates = ["32 kbit/s", "64 kbit/s", "128 kbit/s", "256 kbit/s", "1024 kbit/s"]
{more}

[sessions.other]
scheme = "rlm"
source = "left-1"
receivers = {{ nodes = ["right-2", "right-3"] }}
"#
    )
}

#[test]
fn members_of_rlm_share_what_they_learn_with_their_own_session() {
    for membership in ["", "membership = { mode = \"dense\", leave_delay = \"0 s\" }\nprofile = \"ns2\""] {
        let output = go(&rlm(membership));
        // What a member hears are the announcements of the other member of its session.
        let events = table(&output, "events");
        let rows: Vec<(String, String)> = words(events, "event").into_iter().zip(words(events, "receiver")).collect();
        let count = |what: &str, whose: &str| rows.iter().filter(|row| row.0 == what && row.1 == whose).count();
        for (one, other) in [("film-0", "film-1"), ("film-1", "film-0"), ("other-0", "other-1"), ("other-1", "other-0")]
        {
            // The base is joined without one.
            let (tried, heard) = (count("layer-added", other) - 1, count("join-heard", one));
            assert!(tried > 2 && heard == tried, "{membership}: {one} has heard {heard} of {tried}");
            assert!(count("rlm-state", one) > 0);
        }
        // They share the link: neither takes all of it, and together they hold most of it.
        let rates = ["film", "other"].map(|session| value(&output, session, "goodput"));
        assert!(rates.iter().all(|&rate| rate > 90e3), "{rates:?}");
        assert!((500e3..=1000e3).contains(&rates.iter().sum()), "{rates:?}");
    }
}

#[test]
fn what_is_wrong_with_rlm_is_said() {
    let cases = [
        ("max_join_timer = \"4 s\"", "max_join_timer", "4 s given; legal is join_timer = 5 s or more"),
        ("backoff = 0.5", "backoff", "legal is a number from 1"),
        ("loss_threshold = 1.5", "loss_threshold", "1.5"),
        ("profile = \"ns-2\"", "profile", "did you mean ns2?"),
        ("restart = true", "restart", "unknown key"),
        ("jitter = -0.1", "jitter", "-0.1"),
    ];
    for (more, field, message) in cases {
        let problems = Scenario::from_toml(&rlm(more)).expect_err(more);
        let path = format!("sessions.film.{field}");
        let found = problems.iter().any(|problem| problem.path == path && problem.message.contains(message));
        assert!(found, "{more}: {problems:#?}");
    }
    let text = rlm("").replace("[\"32 kbit/s\", \"64 kbit/s\"", "[\"0 bit/s\", \"64 kbit/s\"");
    let problems = Scenario::from_toml(&text).expect_err("a layer of nothing");
    assert_eq!(problems[0].path, "sessions.film.rates[0]");
}
