//! One session in the simulator and on hosts in virtual time: what is written down of both is the same.
//!
//! A source and two receivers 20 ms away; what is between them is a [`Way`]. Whom a packet misses is drawn by other
//! streams on each side, so means over runs are compared.
//!
//! Tolerances: four standard errors of the difference of two means over [`SEEDS`] runs each, beyond which one of some
//! 760 fair comparisons would be (Student's t, 14 degrees of freedom), and beside them what the two networks differ in,
//! [`NETWORKS`].
//!
//! Of forty runs of each, seen once, 235 of 242 numbers agreed within two standard errors; of the other seven five are
//! of reports, of which there is one in each round-trip time, and differed by 0.7 to 1.1 %, and two, losses in the same
//! case, by 2 %.

use crate::agreed::Agreed;
use crate::results::SENDER;
use crate::testing::written::{Endless, Read, Written, tables};
use crate::testing::{AHEAD, Folder, agreed, begin, cloud, go_on};
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_scenario::Scenario;
use faircast_scenario::run::{Control, run};
use faircast_wire::record::receiver_name;
use faircast_wire::testing::Turns;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Runs of each side. A choice: eight make a standard error a third of what one run is away.
const SEEDS: u64 = 8;
/// From when on runs are looked at, seconds: the start is over.
const FROM_S: f64 = 20.0;
/// Packets that wait before a link at most.
const QUEUE: usize = 50;

/// What is between the source and its receivers.
#[derive(Clone, Copy)]
struct Way {
    /// The rate of the bottleneck that they share, if there is one.
    shared_bps: Option<u64>,
    /// Those of the links to them, if these take time.
    own_bps: [Option<u64>; 2],
    /// What each of them loses at random.
    losses: [f64; 2],
    /// How long a run is.
    seconds: u32,
}

type Tables = BTreeMap<String, Read>;

/// What the networks differ in. A host's source is bound by `max_rate`, the simulator's by its first link, which takes
/// 0.1 ms for a packet of 1280 B at 100 Mbit/s, as the receiver's last one does; reports take less than that, and
/// stamps have microseconds. So round-trip times are up to 0.3 ms longer there, of 40 ms and more; the rate goes by
/// their inverse or less. Together 1 % of any number.
const NETWORKS: f64 = 0.01;

/// The tables of a session on hosts: those of its sender and of its receivers.
fn on_hosts(agreed: &Agreed, way: &Way, seed: u64) -> [Tables; 3] {
    let folder = Folder::new(&format!("side-{}-{seed}", agreed.session.scheme.name()));
    let cloud = cloud(agreed, 3, seed);
    {
        let mut cloud = cloud.borrow_mut();
        (cloud.rate, cloud.queue) = (way.shared_bps.map(Rate), QUEUE);
        for (receiver, host) in cloud.hosts[1..].iter_mut().enumerate() {
            (host.loss, host.link) = (way.losses[receiver], way.own_bps[receiver].map(|bps| (Rate(bps), QUEUE)));
        }
    }
    // Ids are seeds of an endpoint's own draws.
    let id = |number: u64| 100 * seed + number;
    let source = agreed.session.source(id(9), agreed.groups, Endless::default()).unwrap();
    let mut source = Written::new(source, agreed, SENDER, &folder);
    let mut members = [1, 2].map(|number| {
        let member = agreed.session.member(id(number), agreed.groups, None, Endless::default()).unwrap();
        Written::new(member, agreed, &receiver_name(id(number)), &folder)
    });
    let [one, two] = &mut members;
    let mut ends: [(&mut dyn Turns, usize); 3] = [(one, 1), (two, 2), (&mut source, 0)];
    begin(&cloud, &mut ends);
    // A moment more, so that the last interval is over.
    let until = Duration::from_secs(way.seconds.into()) + Duration::from_millis(1);
    go_on(&cloud, until.as_secs_f64(), &mut ends);
    let now = Instant::ZERO + AHEAD + until;
    source.end(now);
    members.into_iter().for_each(|member| member.end(now));
    [SENDER.to_owned(), receiver_name(id(1)), receiver_name(id(2))].map(|who| tables(&folder.path().join(who)))
}

/// The tables of the simulator.
fn simulated(agreed: &Agreed, way: &Way, seed: u64) -> Tables {
    let mut session = agreed.session.table().unwrap();
    session.as_object_mut().unwrap().remove("max_rate");
    (session["source"], session["receivers"]) = (json!("left-0"), json!({ "nodes": ["right-0", "right-1"] }));
    // Who leaves a group leaves it at once, as where no router asks whether others want it.
    session["membership"] = json!({ "leave_delay": "0 s" });
    let queue = json!({ "kind": "drop-tail", "limit": format!("{QUEUE} packets") });
    let rate = |bps: Option<u64>| format!("{} bit/s", bps.unwrap_or(100_000_000));
    let access = |receiver: usize| {
        let loss = json!({ "kind": "bernoulli", "p": way.losses[receiver] });
        // Nothing is lost of what goes back, nor has to wait: a link is the same both ways unless that is said.
        let back = json!({ "rate": rate(None), "loss": { "kind": "none" } });
        json!({ "rate": rate(way.own_bps[receiver]), "queue": queue, "loss": loss, "back": back })
    };
    let scenario = json!({
        "format": 1,
        "name": "side",
        "duration": format!("{} s", way.seconds),
        "warmup": "0 s",
        "topology": {
            "kind": "dumbbell", "left": 1, "right": 2,
            "access": { "rate": "100 Mbit/s", "delay": "1 ms" },
            "bottleneck": { "rate": rate(way.shared_bps), "delay": "18 ms", "queue": queue },
        },
        // The way back has the delay alone.
        "links": {
            "bottleneck": { "back": { "rate": "100 Mbit/s" } },
            "access-right-0": access(0),
            "access-right-1": access(1),
        },
        "sessions": { "side": session },
    });
    let scenario = Scenario::from_json(scenario).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let output = run(&scenario, seed, &Control::default(), 1).unwrap();
    output.tables.iter().map(|table| (table.name.to_owned(), Read::of(table))).collect()
}

/// Mean and standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let square = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (count - 1.0);
    (mean, (square / count).sqrt())
}

/// Looks whether a number of runs on hosts is that of runs in the simulator.
#[track_caller]
fn agree(what: &str, hosts: &[f64], simulator: &[f64]) {
    let ((a, of_a), (b, of_b)) = (mean(hosts), mean(simulator));
    let tolerance = 4.0 * (of_a * of_a + of_b * of_b).sqrt() + NETWORKS * a.abs().max(b.abs());
    println!("{what}: hosts {a:.5} ± {of_a:.5}, simulator {b:.5} ± {of_b:.5}, tolerance {tolerance:.5}");
    assert!((a - b).abs() <= tolerance, "{what}: {a} on hosts, {b} simulated; {tolerance} is allowed");
}

/// The mean of a column's numbers from [`FROM_S`] on, of those that are some.
fn level(table: &Read, column: &str) -> f64 {
    let (times, values) = (table.numbers("t_s"), table.numbers(column));
    let known = times.iter().zip(values).filter(|(t_s, value)| **t_s > FROM_S && value.is_finite());
    let known: Vec<f64> = known.map(|(_, value)| *value).collect();
    known.iter().sum::<f64>() / known.len().max(1) as f64
}

/// Both sides of a session, run by run.
struct Sides {
    way: Way,
    hosts: Vec<[Tables; 3]>,
    simulated: Vec<Tables>,
}

impl Sides {
    fn of(agreed: &Agreed, way: Way) -> Sides {
        let hosts = (1..=SEEDS).map(|seed| on_hosts(agreed, &way, seed)).collect();
        let simulated = (1..=SEEDS).map(|seed| simulated(agreed, &way, seed)).collect();
        Sides { way, hosts, simulated }
    }

    /// The rows of a receiver, 0 or 1, in each run of the simulator.
    fn of_receiver(&self, receiver: usize) -> Vec<Read> {
        let rows = |tables: &Tables| {
            let table = &tables["receivers"];
            let names = table.words("receiver").to_vec();
            table.rows(|row| names[row].ends_with(&format!("-{receiver}")))
        };
        self.simulated.iter().map(rows).collect()
    }

    /// Looks whether the means of a column of these rows agree.
    #[track_caller]
    fn level(&self, what: &str, column: &str, hosts: impl Fn(&[Tables; 3]) -> Read, simulated: &[Read]) {
        let hosts: Vec<f64> = self.hosts.iter().map(|of| level(&hosts(of), column)).collect();
        let simulated: Vec<f64> = simulated.iter().map(|of| level(of, column)).collect();
        agree(&format!("{what} {column}"), &hosts, &simulated);
    }

    /// How many events of each kind of the source, or of a receiver, there are in a run behind [`FROM_S`].
    fn events(&self) -> [[BTreeMap<String, Vec<f64>>; 3]; 2] {
        let count = |events: Read| -> BTreeMap<String, f64> {
            let mut counts = BTreeMap::new();
            for (kind, t_s) in events.words("event").iter().zip(events.numbers("t_s")) {
                *counts.entry(kind.clone()).or_default() += f64::from(u8::from(*t_s > FROM_S));
            }
            counts
        };
        // Of the sender are those that are about no receiver's own doing.
        let is_own = |kind: &str| OF_RECEIVERS.contains(&kind);
        let of_simulated = |tables: &Tables, end: usize| {
            let events = &tables["events"];
            let (kinds, who) = (events.words("event").to_vec(), events.words("receiver").to_vec());
            count(events.rows(|row| match end {
                0 => !is_own(&kinds[row]),
                _ => is_own(&kinds[row]) && who[row].ends_with(&format!("-{}", end - 1)),
            }))
        };
        let of_hosts = |tables: &[Tables; 3], end: usize| {
            let events = &tables[end]["events"];
            let kinds = events.words("event").to_vec();
            // What a member hears of who limits is written down by it, too (docs/results.md).
            count(events.rows(|row| end == 0 || kinds[row] != "limiting-receiver"))
        };
        let gathered = |runs: Vec<BTreeMap<String, f64>>| {
            let kinds: BTreeSet<&String> = runs.iter().flat_map(|run| run.keys()).collect();
            let of = |kind: &String| runs.iter().map(|run| run.get(kind).copied().unwrap_or(0.0)).collect();
            kinds.into_iter().map(|kind| (kind.clone(), of(kind))).collect()
        };
        [
            [0, 1, 2].map(|end| gathered(self.hosts.iter().map(|tables| of_hosts(tables, end)).collect())),
            [0, 1, 2].map(|end| gathered(self.simulated.iter().map(|tables| of_simulated(tables, end)).collect())),
        ]
    }
}

/// Events that receivers have; all others are the source's.
const OF_RECEIVERS: [&str; 12] = [
    "loss-event",
    "layer-added",
    "layer-dropped",
    "rlm-state",
    "join-heard",
    "join-begun",
    "join-succeeded",
    "join-failed",
    "join-waiting",
    "join-abandoned",
    "join-revoked",
    "share",
];

/// The part of the time from [`FROM_S`] on in which a receiver limits whose name ends so, by the source's events.
fn limits(events: &Read, suffix: &str, seconds: f64) -> f64 {
    let (times, who, kinds) = (events.numbers("t_s"), events.words("receiver"), events.words("event"));
    let of = (0..times.len()).filter(|row| kinds[*row] == "limiting-receiver");
    let mut changes: Vec<(f64, bool)> = of.map(|row| (times[row].max(FROM_S), who[row].ends_with(suffix))).collect();
    changes.push((seconds, false));
    let held = changes.windows(2).map(|pair| if pair[0].1 { pair[1].0 - pair[0].0 } else { 0.0 });
    held.sum::<f64>() / (seconds - FROM_S)
}

/// Names of columns, without those that hosts do not have.
fn names(table: &Read, without: &[&str]) -> Vec<String> {
    table.order.iter().filter(|name| !without.contains(&name.as_str())).cloned().collect()
}

/// Names and kinds of columns are those of the simulator, but for what is said in `docs/results.md`.
fn columns_agree(hosts: &[Tables; 3], simulated: &Tables) {
    let [sender, receiver, _] = hosts;
    for (of, table, without) in [
        (sender, "flows", vec!["goodput_bps", "members"]),
        (sender, "events", vec![]),
        (sender, "layers", vec!["others_sent_pkts", "members", "received_bps", "received_pkts"]),
        (receiver, "receivers", vec![]),
        (receiver, "events", vec![]),
        (receiver, "layers", vec!["others_sent_pkts", "rate_bps", "sent_pkts", "sent_bytes"]),
    ] {
        let has_layers = sender.contains_key("layers");
        if table == "layers" && !has_layers {
            continue;
        }
        let without = if table == "flows" && has_layers { [without, vec!["mean_level"]].concat() } else { without };
        let (of, theirs) = (&of[table], &simulated[table]);
        assert_eq!(names(of, &[]), names(theirs, &without), "{table}");
        let kind = |read: &Read, column: &String| read.is_of_numbers(column);
        assert!(of.order.iter().all(|column| kind(of, column) == kind(theirs, column)), "{table}");
    }
}

impl Sides {
    /// Looks whether columns of the sender's and of each receiver's rows agree, and events.
    fn agree(&self, of_sender: &[&str], of_receivers: &[&str]) {
        columns_agree(&self.hosts[0], &self.simulated[0]);
        let flows: Vec<Read> = self.simulated.iter().map(|tables| tables["flows"].clone()).collect();
        for column in of_sender {
            self.level("sender", column, |tables| tables[0]["flows"].clone(), &flows);
        }
        for receiver in 0..2 {
            let rows = self.of_receiver(receiver);
            for column in of_receivers {
                let hosts = |tables: &[Tables; 3]| tables[1 + receiver]["receivers"].clone();
                self.level(&format!("receiver {receiver}"), column, hosts, &rows);
            }
        }
        let [hosts, simulated] = self.events();
        for (end, (hosts, simulated)) in hosts.iter().zip(&simulated).enumerate() {
            // A kind that one side does not have is one of which it has none in each run.
            let kinds: BTreeSet<&String> = hosts.keys().chain(simulated.keys()).collect();
            let none = vec![0.0; SEEDS as usize];
            for kind in kinds {
                let [hosts, simulated] = [hosts, simulated].map(|side| side.get(kind).unwrap_or(&none));
                agree(&format!("end {end}, events {kind}"), hosts, simulated);
            }
        }
    }

    /// Looks whether the second receiver limits for as much of the time; how much that is on hosts.
    fn limits_agree(&self) -> f64 {
        let seconds = f64::from(self.way.seconds);
        let name = |seed: u64| receiver_name(100 * seed + 2);
        let hosts = (1..=SEEDS).zip(&self.hosts);
        let hosts: Vec<f64> = hosts.map(|(seed, of)| limits(&of[0]["events"], &name(seed), seconds)).collect();
        let simulated: Vec<f64> = self.simulated.iter().map(|of| limits(&of["events"], "-1", seconds)).collect();
        agree("the second receiver limits", &hosts, &simulated);
        mean(&hosts).0
    }
}

const OF_TFMCC: [&[&str]; 2] = [
    &[
        "sending_bps",
        "sent_pkts",
        "reports_received",
        "timeouts",
        "feedback_rounds",
        "round_reports",
        "srtt_s",
        "max_rtt_s",
    ],
    &["rate_bps", "goodput_bps", "desired_bps", "reports", "loss_events", "loss_event_rate", "rtt_s"],
];

#[test]
fn a_session_of_tfmcc_whose_receivers_lose_packets_is_written_down_as_it_is_simulated() {
    let agreed = agreed("--open", "100Mbit/s");
    let way = Way { shared_bps: Some(2_000_000), own_bps: [None; 2], losses: [0.002, 0.02], seconds: 100 };
    let sides = Sides::of(&agreed, way);
    sides.agree(OF_TFMCC[0], OF_TFMCC[1]);
    assert!(sides.limits_agree() > 0.9, "who loses more limits");
}

/// Both lose what the queue drops, so who limits changes.
#[test]
fn a_session_of_tfmcc_that_fills_a_queue_is_written_down_as_it_is_simulated() {
    let agreed = agreed("--open", "100Mbit/s");
    let way = Way { shared_bps: Some(2_000_000), own_bps: [None; 2], losses: [0.001; 2], seconds: 100 };
    let sides = Sides::of(&agreed, way);
    sides.agree(OF_TFMCC[0], OF_TFMCC[1]);
    assert!((0.1..0.9).contains(&sides.limits_agree()), "now one, now the other");
}

impl Sides {
    /// Looks whether columns of the groups agree; the simulator has what came to both receivers together.
    fn groups_agree(&self, count: u32) {
        for group in 0..count {
            let rows = |table: &Read| {
                let groups = table.numbers("group").to_vec();
                table.rows(|row| groups[row] == f64::from(group))
            };
            let simulated: Vec<Read> = self.simulated.iter().map(|tables| rows(&tables["layers"])).collect();
            for column in ["rate_bps", "sent_pkts", "sent_bytes", "layer"] {
                self.level(&format!("group {group}"), column, |tables| rows(&tables[0]["layers"]), &simulated);
            }
            if simulated[0].numbers("layer")[0].is_nan() {
                // The source is in it, too, and counts in the simulator.
                continue;
            }
            let both = |column: &str| {
                let of = |tables: &[Tables; 3]| (1..3).map(|end| level(&rows(&tables[end]["layers"]), column)).sum();
                self.hosts.iter().map(of).collect::<Vec<f64>>()
            };
            for column in ["members", "received_pkts"] {
                let simulated: Vec<f64> = simulated.iter().map(|rows| level(rows, column)).collect();
                agree(&format!("group {group} {column}"), &both(column), &simulated);
            }
            let hosts = |tables: &[Tables; 3]| (1..3).map(|end| came(&rows(&tables[end]["layers"]))).sum();
            let hosts: Vec<f64> = self.hosts.iter().map(hosts).collect();
            agree(&format!("group {group} came"), &hosts, &simulated.iter().map(came).collect::<Vec<_>>());
        }
    }
}

/// What came to all in a group, bit/s, the mean from [`FROM_S`] on: their mean rate by how many there were.
fn came(rows: &Read) -> f64 {
    let (times, rates, members) = (rows.numbers("t_s"), rows.numbers("received_bps"), rows.numbers("members"));
    let known: Vec<usize> = (0..times.len()).filter(|row| times[*row] > FROM_S).collect();
    let came = |row: &usize| if members[*row] > 0.0 { rates[*row] * members[*row] } else { 0.0 };
    known.iter().map(came).sum::<f64>() / known.len() as f64
}

const OF_LAYERS: [&str; 6] = ["rate_bps", "goodput_bps", "level", "mean_level", "joins", "leaves"];

/// Receivers that hold what a schedule says: the same number at the end of the same second. Nothing happens at an end,
/// as a host and the simulator do not look in the same order then.
#[test]
fn layers_by_a_schedule_are_written_down_as_they_are_simulated() {
    let options = "--open --scheme layered-cbr --set rates=[\"80kbit/s\",\"160kbit/s\"] --set level=1 --set jitter=0.0 \
                   --set climb=[{\"after\":\"30.5s\",\"level\":2}]";
    let agreed = agreed(options, "100Mbit/s");
    let sides = Sides::of(&agreed, Way { shared_bps: None, own_bps: [None; 2], losses: [0.02, 0.1], seconds: 50 });
    sides.agree(&["sent_pkts"], &OF_LAYERS);
    sides.groups_agree(2);
    for receiver in 0..2 {
        let simulated = sides.of_receiver(receiver);
        let hosts = sides.hosts.iter().map(|tables| &tables[1 + receiver]["receivers"]);
        assert!(hosts.zip(&simulated).all(|(hosts, of)| hosts.numbers("level") == of.numbers("level")));
        assert_eq!(simulated[0].numbers("level")[..32].iter().sum::<f64>(), 34.0, "the second one from 30.5 s on");
    }
}

/// Each behind a link of its own that carries two of four layers, or three. Who joins what when hangs on losses, so
/// means of eight runs are wide apart where layers are joined.
#[test]
fn a_session_of_rlm_is_written_down_as_it_is_simulated() {
    let rates = "--set rates=[\"100kbit/s\",\"100kbit/s\",\"200kbit/s\",\"400kbit/s\"]";
    let agreed = agreed(&format!("--open --scheme rlm {rates}"), "100Mbit/s");
    let own_bps = [Some(300_000), Some(600_000)];
    let sides = Sides::of(&agreed, Way { shared_bps: None, own_bps, losses: [0.01; 2], seconds: 200 });
    sides.agree(&["sent_pkts"], &OF_LAYERS);
    sides.groups_agree(4);
}

/// Schemes of layers that answer losses by an equation, each receiver by its own.
#[test]
fn sessions_of_layers_by_an_equation_are_written_down_as_they_are_simulated() {
    let smcc = "--scheme smcc --set join=direct --set base_rate=100kbit/s --set layers=4";
    for options in [smcc, "--scheme mlda"] {
        println!("{options}");
        let agreed = agreed(&format!("--open {options}"), "100Mbit/s");
        let way = Way { shared_bps: Some(2_000_000), own_bps: [None; 2], losses: [0.01, 0.04], seconds: 100 };
        let sides = Sides::of(&agreed, way);
        sides.agree(&["sent_pkts"], &OF_LAYERS);
        sides.groups_agree(agreed.groups.count());
    }
}
