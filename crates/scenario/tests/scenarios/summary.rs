//! Summaries: what there is over the whole run beside what there is after the warm-up, and sums over flows.

use faircast_scenario::run::{Control, RunOutput};
use faircast_scenario::tables::Values;
use faircast_scenario::{Scenario, run};
use std::collections::BTreeMap;

type Summary = BTreeMap<(String, String), (f64, String)>;

/// Every value with its unit, by subject and metric, of which no two rows are about the same.
fn summary(text: &str) -> Summary {
    let scenario = Scenario::from_toml(text).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
    let output = run(&scenario, 1, &Control::default(), 1).unwrap_or_else(|failure| panic!("{failure:?}"));
    read(&output)
}

fn read(output: &RunOutput) -> Summary {
    let table = output.tables.iter().find(|table| table.name == "summary").expect("there is one");
    let words = |column: &str| match table.get(column) {
        Some(Values::Words(words)) => words.codes.iter().map(|&code| words.dictionary[code as usize].clone()).collect(),
        other => panic!("{other:?}"),
    };
    let [subjects, metrics, units]: [Vec<String>; 3] = ["subject", "metric", "unit"].map(words);
    let Some(Values::Float(values)) = table.get("value") else { panic!("no values") };
    let mut summary = Summary::new();
    for (row, value) in values.iter().enumerate() {
        let key = (subjects[row].clone(), metrics[row].clone());
        let twice = summary.insert(key, (*value, units[row].clone()));
        assert!(twice.is_none(), "{} {} comes twice", subjects[row], metrics[row]);
    }
    summary
}

fn value(summary: &Summary, subject: &str, metric: &str) -> f64 {
    summary.get(&(subject.to_owned(), metric.to_owned())).unwrap_or_else(|| panic!("{subject} has no {metric}")).0
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found} instead of {expected}");
}

/// All kinds of subjects: a group of flows, one of one, a single one, sessions with and without layers, links of which
/// one is probed.
fn all(warmup: &str) -> String {
    format!(
        "format = 1\nname = \"x\"\nduration = \"20 s\"\nwarmup = \"{warmup}\"\n[topology]\nkind = \"dumbbell\"\n\
         left = 6\nright = 6\nbottleneck = {{ rate = \"4 Mbit/s\", delay = \"10 ms\" }}\n\
         [flows.web]\nkind = \"tcp\"\ncount = 2\n[flows.alone]\nkind = \"tcp\"\ncount = 1\nfrom = \"left-2\"\n\
         to = \"right-2\"\n[flows.run]\nkind = \"cbr\"\nrate = \"100 kbit/s\"\npacket_size = \"500 B\"\ncount = 2\n\
         from = \"left-3\"\nto = \"right-3\"\nstart = \"5 s\"\n\
         [sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-4\"\n\
         receivers = {{ nodes = [\"right-4\", \"right-5\"] }}\n\
         [sessions.layers]\nscheme = \"rlm\"\nsource = \"left-5\"\nreceivers = {{ nodes = [\"right-5\"] }}\n\
         [probes]\nqueues = [\"bottleneck\"]\n"
    )
}

#[test]
fn every_metric_after_the_warm_up_has_one_over_the_whole_run() {
    let found = summary(&all("10 s"));
    // Moments at the end, and what knows no warm-up.
    let of_the_end = |metric: &str| {
        metric.ends_with("_end") || ["inside", "simulated", "packet_hops", "undeliverable"].contains(&metric)
    };
    let mut late = 0;
    for ((subject, metric), (_, unit)) in &found {
        if metric.ends_with("_all") || of_the_end(metric) {
            continue;
        }
        late += 1;
        let whole = format!("{}_all", metric.strip_suffix("_late").unwrap_or(metric));
        let (_, same) = found.get(&(subject.clone(), whole.clone())).unwrap_or_else(|| panic!("{subject}: no {whole}"));
        assert_eq!(unit, same, "{subject} {metric}");
    }
    assert!(late > 100, "{late}");
}

#[test]
fn without_a_warm_up_both_are_the_same() {
    let found = summary(&all("0 s"));
    for ((subject, metric), (whole, _)) in &found {
        let Some(plain) = metric.strip_suffix("_all") else { continue };
        let late = [plain.to_owned(), format!("{plain}_late")];
        let late = late.iter().find_map(|name| found.get(&(subject.clone(), name.clone())));
        if let Some((late, _)) = late {
            assert!(late == whole || late.is_nan() && whole.is_nan(), "{subject} {metric}: {late} and {whole}");
        }
    }
}

#[test]
fn the_whole_run_by_hand() {
    // 500 bytes every 40 ms from 5 s on: 375 in 15 s, and one more at their beginning or end; 250 after 10 s.
    let found = summary(&all("10 s"));
    let of = |metric: &str| value(&found, "run-0", metric);
    assert!((of("sent_all") - 375.5).abs() < 1.0, "{}", of("sent_all"));
    assert!((of("sent") - 250.5).abs() < 1.0, "{}", of("sent"));
    assert_eq!((of("active"), of("active_all")), (10.0, 15.0));
    // Over 20 s, of which it was silent for 5.
    // Some of them are lost where TCP fills the queue.
    assert!((70e3..=75.2e3).contains(&of("rate_all")), "{}", of("rate_all"));
    assert!((93e3..=100.2e3).contains(&of("rate")), "{}", of("rate"));
    let film = |metric: &str| value(&found, "film", metric);
    assert!(film("sent_all") > film("sent"));
    // Packets of 1000 bytes.
    near(film("sending_rate_all"), film("sent_all") * 8000.0 / 20.0);
    near(film("sending_rate"), film("sent") * 8000.0 / 10.0);
    assert!(value(&found, "web-0", "retransmitted_all") >= value(&found, "web-0", "retransmitted"));
    assert!(value(&found, "film-0", "reports_all") > value(&found, "film-0", "reports"));
    // Receivers send nothing but reports of 68 bytes, and the source of TFMCC nothing but data.
    for late in ["", "_all"] {
        let of = |subject: &str, metric: &str| value(&found, subject, &format!("{metric}{late}"));
        assert_eq!(of("film-0", "messages"), of("film-0", "reports"));
        assert_eq!(of("film-0", "message_bytes"), 68.0 * of("film-0", "reports"));
        assert_eq!((of("film", "messages"), of("film", "message_bytes")), (0.0, 0.0));
    }
    let [late, whole] = ["queue_max", "queue_max_all"].map(|metric| value(&found, "bottleneck", metric));
    assert!(whole >= late && late > 0.0, "{late} {whole}");
    // Slow start takes the queue to its limit before the warm-up is over; it begins empty.
    assert_eq!(value(&found, "bottleneck", "queue_min_all"), 0.0);
    assert_eq!(whole, 49.0, "the limit without the packet in transmission");
}

#[test]
fn sums_stand_under_the_name_of_the_group_and_of_the_run() {
    let found = summary(&all("10 s"));
    let sum = |subjects: &[&str], metric: &str| subjects.iter().map(|name| value(&found, name, metric)).sum::<f64>();
    for metric in ["goodput", "rate", "sent"] {
        for variant in ["", "_all"] {
            let of = |subjects: &[&str]| sum(subjects, &format!("{metric}{variant}"));
            let total = |subject: &str, before: &str| value(&found, subject, &format!("{before}{metric}_sum{variant}"));
            near(total("web", ""), of(&["web-0", "web-1"]));
            // A group that is called as the run is.
            near(total("run", ""), of(&["run-0", "run-1"]));
            near(total("run", "flows_"), of(&["web-0", "web-1", "alone-0", "run-0", "run-1"]));
            near(total("run", "sessions_"), of(&["film", "layers"]));
        }
    }
    near(value(&found, "web", "timeouts_sum_all"), sum(&["web-0", "web-1"], "timeouts_all"));
    near(value(&found, "run", "flows_loss_reductions_sum"), sum(&["web-0", "web-1", "alone-0"], "loss_reductions"));
    near(value(&found, "run", "sessions_sending_rate_sum"), sum(&["film", "layers"], "sending_rate"));
    let has = |subject: &str, metric: &str| found.contains_key(&(subject.to_owned(), metric.to_owned()));
    // Of what is no sum there is none; nor of a group of one, or of a session's receivers.
    for (subject, metric) in [
        ("web", "goodput"),
        ("web", "srtt_end_sum"),
        ("web", "active_sum"),
        ("web", "window_limited_sum"),
        ("alone", "goodput_sum"),
        ("film", "goodput_sum"),
        ("run", "flows_reports_received_sum"),
    ] {
        assert!(!has(subject, metric), "{subject} {metric}");
    }
    assert!(found.iter().all(|((_, metric), (_, unit))| !metric.contains("goodput_sum") || unit == "bit/s"));
    // What carries the packets is more than what arrives.
    let carried = value(&found, "bottleneck", "delivered_all");
    assert!(value(&found, "run", "flows_sent_sum_all") + value(&found, "run", "sessions_sent_sum_all") >= carried);
}

#[test]
fn jain_index_over_the_whole_run_is_that_of_the_time_in_which_flows_were_active() {
    // One flow lives in the warm-up alone: after it there is one, before there were two of which each was alone.
    let text = "format = 1\nname = \"x\"\nduration = \"40 s\"\nwarmup = \"20 s\"\n[topology]\nkind = \"dumbbell\"\n\
                [flows.early]\nkind = \"tcp\"\nstop = \"15 s\"\n\
                [flows.late]\nkind = \"tcp\"\nstart = \"20 s\"\nfrom = \"left-1\"\nto = \"right-1\"\n";
    let found = summary(text);
    assert_eq!(value(&found, "run", "jain_index"), 1.0);
    let per_active = |flow: &str| value(&found, flow, "goodput_all") * 40.0 / value(&found, flow, "active_all");
    let (early, late) = (per_active("early"), per_active("late"));
    near(
        value(&found, "run", "jain_index_all"),
        (early + late) * (early + late) / (2.0 * (early * early + late * late)),
    );
    assert!(value(&found, "run", "jain_index_all") > 0.9);
    assert_eq!(value(&found, "early", "active"), 0.0);
}

/// Three transfers on a link that carries 1000 B in 10 ms, one after the other, and one that is stopped half-way.
const TRANSFERS: &str = r#"
format = 1
name = "x"
duration = "40 s"
warmup = "5 s"
[topology]
kind = "dumbbell"
left = 4
right = 4
bottleneck = { rate = "800 kbit/s", delay = "10 ms", queue = { limit = "1000 packets" } }
[flows.page]
kind = "tcp"
mss = "960 B"
count = 3
segments = [50, 100, 4000]
start = ["1 s", "10 s", "20 s"]
[flows.cut]
kind = "tcp"
mss = "960 B"
segments = 4000
from = "left-3"
to = "right-3"
start = "12 s"
stop = "14 s"
"#;

#[test]
fn transfers_have_a_time_of_completion_and_the_rate_while_they_lasted() {
    let found = summary(TRANSFERS);
    // A window that begins with two packets fills the link after some round trips of 20 ms and a packet's time.
    let took = value(&found, "page-0", "completion");
    assert!((0.5..0.8).contains(&took), "{took}");
    assert_eq!(found[&("page-0".to_owned(), "completion".to_owned())].1, "s");
    near(value(&found, "page-0", "goodput_all"), 50.0 * 8000.0 / took);
    assert!(value(&found, "page-0", "goodput").is_nan(), "it was over before the warm-up was");
    let took = value(&found, "page-1", "completion");
    assert!((1.0..1.3).contains(&took), "{took}");
    near(value(&found, "page-1", "rate"), 100.0 * 8000.0 / took);
    assert_eq!([0, 1, 2].map(|page| value(&found, &format!("page-{page}"), "finished")), [1.0, 1.0, 0.0]);
    assert!(value(&found, "page-2", "completion").is_nan(), "4000 packets take 40 s");
    // It had the link for itself.
    let rate = value(&found, "page-2", "rate");
    assert!((780e3..=800e3).contains(&rate), "{rate}");
    // What was outstanding when it was stopped has been acknowledged, and that is no end of a transfer.
    assert_eq!(value(&found, "cut", "finished"), 0.0);
    assert!(value(&found, "cut", "completion").is_nan());
    assert!(value(&found, "cut", "active") < 10.0);
    // The group: those that are complete.
    let both = [0, 1].map(|page| value(&found, &format!("page-{page}"), "completion"));
    near(value(&found, "page", "completion_mean"), (both[0] + both[1]) / 2.0);
    near(value(&found, "page", "completion_max"), both[1]);
    assert_eq!(value(&found, "page", "finished_sum"), 2.0);
    assert_eq!(value(&found, "run", "flows_finished_sum"), 2.0);
    // The mean of the rates of those that had one.
    near(
        value(&found, "page", "rate_mean"),
        [1, 2].map(|n| value(&found, &format!("page-{n}"), "rate")).iter().sum::<f64>() / 2.0,
    );
    near(
        value(&found, "page", "goodput_mean_all"),
        [0, 1, 2].map(|n| value(&found, &format!("page-{n}"), "goodput_all")).iter().sum::<f64>() / 3.0,
    );
    // Sums are of what the link carried, over all of the time.
    let arrived = |flow: &str, metric: &str| value(&found, flow, metric) * value(&found, flow, "active_all");
    let bits: f64 = ["page-0", "page-1", "page-2", "cut"].map(|flow| arrived(flow, "goodput_all")).iter().sum();
    near(value(&found, "run", "flows_goodput_sum_all"), bits / 40.0);
}

#[test]
fn endless_flows_have_no_completion() {
    let found = summary(&all("10 s"));
    assert!(found.keys().all(|(_, metric)| !metric.contains("completion") && !metric.contains("finished")));
}
