//! How long packets wait at queues: by hand, and against what happened to each of them.

use crate::support::{go, integers, numbers, scenario, table, value, words};
use faircast_scenario::run;
use faircast_scenario::run::{Control, RunOutput};
use faircast_sim::queue::LIST;
use std::collections::BTreeMap;

/// A row of the table, by what it is of, class and flow: packets, then mean, percentiles and maximum, s.
type Rows = BTreeMap<(String, String, String), (i64, [f64; 6])>;

/// The rows of one queue.
fn rows(output: &RunOutput, link: &str) -> Rows {
    let found = table(output, "sojourn");
    let [links, of, classes, flows] = ["link", "of", "class", "flow"].map(|column| words(found, column));
    let packets = integers(found, "packets");
    let times = ["mean_s", "p50_s", "p90_s", "p95_s", "p99_s", "max_s"].map(|column| numbers(found, column));
    let key = |row: usize| (of[row].clone(), classes[row].clone(), flows[row].clone());
    let own = (0..found.rows()).filter(|&row| links[row] == link);
    let all: Vec<_> = own.map(|row| (key(row), (packets[row], times.map(|column| column[row])))).collect();
    let (count, rows) = (all.len(), Rows::from_iter(all));
    assert_eq!(rows.len(), count, "each stands there once");
    rows
}

fn row(rows: &Rows, of: &str, class: &str, flow: &str) -> (i64, [f64; 6]) {
    *rows.get(&(of.into(), class.into(), flow.into())).unwrap_or_else(|| panic!("no {of} {class} {flow} in {rows:?}"))
}

fn near(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{found} instead of {expected}");
}

/// A packet of 1000 bytes every 5 ms over a link that takes 10 ms for one: that of number n comes at 5 n ms, and its
/// transmission begins at 10 n ms.
fn growing(more_of_link: &str, duration: &str, warmup: &str) -> String {
    format!(
        "format = 1\nname = \"x\"\nduration = \"{duration}\"\nwarmup = \"{warmup}\"\n[nodes.a]\n[nodes.b]\n\
         [links.l]\nfrom = \"a\"\nto = \"b\"\nrate = \"800 kbit/s\"\ndelay = \"100 ms\"\n{more_of_link}\
         [flows.x]\nkind = \"cbr\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1600 kbit/s\"\npacket_size = \"1000 B\"\n\
         [probes]\nqueues = [\"l\"]\npackets = [\"l\"]\n"
    )
}

const LONG: &str = "queue = { kind = \"drop-tail\", limit = \"1000 packets\" }\n";

#[test]
fn a_queue_that_grows_by_hand() {
    for mode in ["fused", "two-stage"] {
        let output = go(&growing(&format!("mode = \"{mode}\"\n{LONG}"), "1 s", "500 ms"));
        // The last of the warm-up departs at its end, number 49. Numbers 50 to 99 waited 250 to 495 ms.
        let late = rows(&output, "l");
        let (packets, [mean, p50, p90, p95, p99, max]) = row(&late, "queue", "", "");
        assert_eq!((packets, late.len()), (50, 2), "{mode}");
        near(mean, 0.3725, 1e-12);
        assert_eq!(max, 0.495);
        // The 25th, 45th, 48th and 50th of 50.
        for (found, exact) in [(p50, 0.370), (p90, 0.470), (p95, 0.485), (p99, 0.495)] {
            near(found, exact, exact / 128.0);
        }
        assert_eq!(row(&late, "flow", "", "x"), row(&late, "queue", "", ""));
        let told = |metric: &str| value(&output, "l", metric);
        let same = [told("sojourn_mean"), told("sojourn_p50"), told("sojourn_p95"), told("sojourn_p99")];
        assert_eq!((same, told("sojourn_max")), ([mean, p50, p95, p99], 0.495), "{mode}");
        // Numbers 0 to 99 waited 0 to 495 ms.
        near(told("sojourn_mean_all"), 0.2475, 1e-12);
        near(told("sojourn_p50_all"), 0.245, 0.245 / 128.0);
        assert_eq!(told("sojourn_max_all"), 0.495);
        // In each 100 ms ten depart, the first of them in a queue that nobody was in.
        let waits = numbers(table(&output, "queues"), "sojourn_s");
        assert!(waits[0].is_nan() && waits.len() == 11, "{mode}: {waits:?}");
        waits[1..].iter().zip(0..).for_each(|(wait, n)| near(*wait, 0.0225 + 0.05 * f64::from(n), 1e-12));
    }
}

#[test]
fn what_is_dropped_does_not_count() {
    // Every second packet finds room, and all of these wait alike.
    let output = go(&growing("queue = { kind = \"drop-tail\", limit = \"3 packets\" }\n", "2 s", "1 s"));
    let (packets, [mean, p50, .., max]) = row(&rows(&output, "l"), "queue", "", "");
    assert_eq!(packets, 100);
    let [exact_mean, exact_max] = of_packets(&output, 1.0)["x"].1;
    near(mean, exact_mean, 1e-7);
    near(max, exact_max, 1e-7);
    near(p50, exact_mean, exact_mean / 128.0);
    assert!(value(&output, "l", "drops_all") > 150.0);
}

#[test]
fn a_run_without_warm_up_has_all_and_one_whose_packets_have_all_left_nothing() {
    let output = go(&growing(LONG, "1 s", "0 s"));
    assert_eq!(row(&rows(&output, "l"), "queue", "", "").0, 100);
    assert_eq!(value(&output, "l", "sojourn_mean"), value(&output, "l", "sojourn_mean_all"));
    let text = growing(LONG, "2 s", "1500 ms").replace("kind = \"cbr\"\n", "kind = \"cbr\"\nstop = \"200 ms\"\n");
    let output = go(&text);
    let late = rows(&output, "l");
    let (packets, times) = row(&late, "queue", "", "");
    assert!(packets == 0 && times.iter().all(|time| time.is_nan()) && late.len() == 1, "{late:?}");
    for metric in ["sojourn_mean", "sojourn_p50", "sojourn_p95", "sojourn_p99", "sojourn_max"] {
        assert!(value(&output, "l", metric).is_nan() && value(&output, "l", &format!("{metric}_all")) > 0.0);
    }
    let waits = numbers(table(&output, "queues"), "sojourn_s");
    assert!(waits[19].is_nan(), "nothing leaves any more");
}

/// Who waits where a link is down.
#[test]
fn outages_count_for_those_who_stay() {
    let outage = |treatment: &str| {
        let changes = "changes = [{ at = \"52 ms\", up = false }, { at = \"1052 ms\", up = true }]\n";
        go(&growing(&format!("{LONG}handoff_queue = \"{treatment}\"\n{changes}"), "1500 ms", "0 s"))
    };
    // Numbers 0 to 5 have begun by 52 ms; 6 to 10, which wait, begin at 1052 ms and then. All later ones are dropped
    // until the link is up; that of number 211 comes at 1055 ms.
    let kept = outage("keep");
    let (packets, [mean, .., max]) = row(&rows(&kept, "l"), "queue", "", "");
    // Number 10 waits longest.
    near(max, 1.092 - 0.050, 1e-12);
    let first: f64 = (0..6).map(|n| 0.005 * f64::from(n)).sum();
    let stayed: f64 = (0..5).map(|n| 1.052 + 0.010 * f64::from(n) - 0.005 * f64::from(6 + n)).sum();
    // From 211 on they begin when the five have gone, at 1102 ms, and depart until 1500 ms: 39 of them.
    let later: f64 = (0..39).map(|n| 1.102 + 0.010 * f64::from(n) - 0.005 * f64::from(211 + n)).sum();
    assert_eq!(packets, 6 + 5 + 39);
    near(mean, (first + stayed + later) / 50.0, 1e-9);
    // Removed, they do not count; the first after the outage begins at once, and 44 depart.
    let discarded = outage("discard");
    let (packets, [mean, .., max]) = row(&rows(&discarded, "l"), "queue", "", "");
    let later: f64 = (0..44).map(|n| 0.005 * f64::from(n)).sum();
    assert_eq!(packets, 6 + 44);
    near(mean, (first + later) / 50.0, 1e-9);
    near(max, 0.005 * 43.0, 1e-9);
    assert_eq!(value(&discarded, "l", "discarded_all"), 5.0);
}

/// Three flows with a DSCP each over a bottleneck of 2 Mbit/s, which they overload a little.
fn busy(queue: &str, more: &str) -> String {
    let flow = |name: &str, host: u32, kbit: u32, bytes: u32, dscp: u32| {
        format!(
            "[flows.{name}]\nkind = \"cbr\"\nrate = \"{kbit} kbit/s\"\npacket_size = \"{bytes} B\"\njitter = 0.4\n\
             dscp = {dscp}\nfrom = \"left-{host}\"\nto = \"right-{host}\"\n"
        )
    };
    let flows = flow("call", 0, 150, 200, 46) + &flow("film", 1, 1100, 1000, 34) + &flow("rest", 2, 900, 1500, 0);
    format!(
        "format = 1\nname = \"x\"\nduration = \"12 s\"\nwarmup = \"3 s\"\n[topology]\nkind = \"dumbbell\"\n\
         left = 3\nright = 3\n[links.bottleneck]\nrate = \"2 Mbit/s\"\ndelay = \"20 ms\"\nqueue = {queue}\n{flows}\
         [probes]\nqueues = [\"bottleneck\"]\npackets = [\"bottleneck\"]\n{more}"
    )
}

/// By flow how many packets departed after `warmup_s` from the one link of which packets are kept, and how long
/// these had waited, in the mean and at most.
fn of_packets(output: &RunOutput, warmup_s: f64) -> BTreeMap<String, (i64, [f64; 2])> {
    let packets = table(output, "packets");
    let (at, action, flow) = (numbers(packets, "t_s"), words(packets, "action"), words(packets, "flow"));
    let (number, bytes, link) = (numbers(packets, "number"), integers(packets, "size_bytes"), words(packets, "link"));
    let bits_per_s = if link[0] == "l" { 800e3 } else { 2e6 };
    let (mut came, mut found) = (BTreeMap::new(), BTreeMap::<String, (i64, [f64; 2])>::new());
    for row in 0..at.len() {
        let packet = (flow[row].clone(), number[row] as u64);
        if action[row] == "departed" {
            let wait = at[row] - 8.0 * bytes[row] as f64 / bits_per_s - came[&packet];
            if at[row] > warmup_s {
                let (packets, [sum, most]) = found.entry(packet.0).or_default();
                (*packets, *sum, *most) = (*packets + 1, *sum + wait, most.max(wait));
            }
        } else {
            came.entry(packet).or_insert(at[row]);
        }
    }
    found.values_mut().for_each(|(packets, [mean, _])| *mean /= *packets as f64);
    found
}

/// That the flows of a queue are told as their packets say, and that they add up to the queue.
fn agrees_with_packets(output: &RunOutput, what: &str) {
    let (told, expected) = (rows(output, "bottleneck"), of_packets(output, 3.0));
    let flows: Vec<_> = told.iter().filter(|((of, ..), _)| of == "flow").collect();
    assert_eq!(flows.len(), expected.len(), "{what}: {told:?}");
    let (mut all, mut sum, mut most) = (0, 0.0, 0.0_f64);
    for (flow, (packets, [mean, max])) in expected {
        let (own, [own_mean, .., own_max]) = row(&told, "flow", "", &flow);
        assert_eq!(own, packets, "{what}: {flow}");
        near(own_mean, mean, 1e-7);
        near(own_max, max, 1e-7);
        (all, sum, most) = (all + own, sum + own as f64 * own_mean, most.max(own_max));
    }
    let (packets, [mean, .., max]) = row(&told, "queue", "", "");
    assert_eq!((packets, max), (all, most), "{what}");
    near(mean, sum / all as f64, 1e-12);
}

#[test]
fn in_all_kinds_of_queue_flows_have_what_their_packets_say() {
    for (kind, _) in LIST {
        let output = go(&busy(&format!("{{ kind = \"{kind}\" }}"), ""));
        agrees_with_packets(&output, kind);
        assert!(value(&output, "bottleneck", "sojourn_max") > 0.0, "{kind}");
    }
}

#[test]
fn queues_for_each_flow_tell_them_apart() {
    let told = |queue: &str| {
        let found = rows(&go(&busy(queue, "")), "bottleneck");
        ["call", "film", "rest"].map(|flow| row(&found, "flow", "", flow).1[0])
    };
    // The call has less than its share, and goes first whenever it comes; in one queue all wait alike.
    let [call, film, rest] = told("{ kind = \"fq-codel\" }");
    assert!(call < 0.01 && film > 5.0 * call && rest < film, "{call} {film} {rest}");
    let [call, film, _] = told("{ kind = \"drop-tail\" }");
    assert!((call / film - 1.0).abs() < 0.1, "{call} {film}");
}

#[test]
fn classes_add_up_to_the_queue_however_deep() {
    let class =
        |name: &str, dscp: &str, inner: &str| format!("{{ name = \"{name}\", dscp = [{dscp}], queue = {inner} }}");
    let plain = "{ kind = \"drop-tail\" }";
    let classes = |all: &[String]| format!("{{ kind = \"classes\", classes = [{}] }}", all.join(", "));
    let flat = classes(&[class("calls", "46", plain), class("", "34", plain), class("others", "", plain)]);
    let inner = classes(&[class("films", "34, 46", plain), class("rest", "", plain)]);
    let nested = classes(&[class("calls", "46", plain), class("all", "", &inner)]);
    let around = |kind: &str, queue: &str| format!("{{ kind = \"{kind}\", queue = {queue} }}");
    /// Names of classes, each with its flows.
    type Classes<'a> = &'a [(&'a str, &'a [&'a str])];
    let expected: [(&str, Classes); 2] = [
        (&flat, &[("calls", &["call"]), ("1", &["film"]), ("others", &["rest"])]),
        (
            &nested,
            &[("calls", &["call"]), ("all", &["film", "rest"]), ("all/films", &["film"]), ("all/rest", &["rest"])],
        ),
    ];
    for (queue, of_classes) in expected {
        for queue in [queue.to_owned(), around("shaper", queue), around("policer", &around("shaper", queue))] {
            let output = go(&busy(&queue, ""));
            agrees_with_packets(&output, &queue);
            let told = rows(&output, "bottleneck");
            let classes = told.keys().filter(|(of, ..)| of == "class").count();
            assert_eq!(classes, of_classes.len(), "{told:?}");
            for (class, flows) in of_classes {
                let (packets, [mean, .., max]) = row(&told, "class", class, "");
                let own: Vec<_> = flows.iter().map(|flow| row(&told, "flow", "", flow)).collect();
                assert_eq!(packets, own.iter().map(|row| row.0).sum::<i64>(), "{class}");
                assert_eq!(max, own.iter().map(|row| row.1[5]).fold(0.0, f64::max), "{class}");
                near(mean, own.iter().map(|row| row.0 as f64 * row.1[0]).sum::<f64>() / packets as f64, 1e-12);
            }
        }
    }
}

#[test]
fn a_class_to_which_nothing_comes_has_a_row() {
    let queue = "{ kind = \"classes\", classes = [{ name = \"nobody\", dscp = [1], queue = { kind = \"codel\" } }, \
                 { name = \"all\", queue = { kind = \"codel\" } }] }";
    let told = rows(&go(&busy(queue, "")), "bottleneck");
    let (packets, times) = row(&told, "class", "nobody", "");
    assert!(packets == 0 && times.iter().all(|time| time.is_nan()));
    assert_eq!(row(&told, "class", "all", ""), row(&told, "queue", "", ""));
}

#[test]
fn calendars_and_modes_agree() {
    for queue in ["{ kind = \"drop-tail\" }", "{ kind = \"red\" }", "{ kind = \"codel\" }"] {
        let told = |more: &str, mode: &str| {
            let text = busy(queue, more).replace("delay = \"20 ms\"\n", &format!("delay = \"20 ms\"\n{mode}"));
            let output = go(&text);
            let queues = numbers(table(&output, "queues"), "sojourn_s").to_vec();
            format!("{:?} {queues:?} {}", rows(&output, "bottleneck"), value(&output, "bottleneck", "sojourn_p99_all"))
        };
        let usual = told("", "");
        assert_eq!(told("[engine]\ncalendar = \"heap\"\n", ""), usual, "{queue}");
        assert_eq!(told("", "mode = \"two-stage\"\n"), usual, "{queue}");
        // That changes, but nothing that those who wait would notice.
        let changes = "changes = [{ at = \"6 s\", delay = \"30 ms\" }]\n";
        assert_eq!(told("", changes), usual, "{queue}");
    }
}

#[test]
fn sessions_and_answers_have_rows_at_the_queues_that_they_cross() {
    let text = "format = 1\nname = \"x\"\nduration = \"20 s\"\nwarmup = \"5 s\"\n[topology]\nkind = \"dumbbell\"\n\
                left = 2\nright = 2\n[links.bottleneck]\nrate = \"1 Mbit/s\"\n\
                [flows.web]\nkind = \"tcp\"\nfrom = \"left-0\"\nto = \"right-0\"\n\
                [sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-1\"\n\
                [probes]\nqueues = [\"bottleneck\", \"bottleneck.back\"]\n";
    let output = go(text);
    for link in ["bottleneck", "bottleneck.back"] {
        let told = rows(&output, link);
        let flows = ["web", "film"].map(|flow| row(&told, "flow", "", flow).0);
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(flows[0] > 100 && flows[1] > 5, "{told:?}");
        assert_eq!(row(&told, "queue", "", "").0, flows[0] + flows[1]);
    }
    // Every packet of the forward queue that was counted as departed is in the table.
    let links = table(&output, "links");
    let (at, name, departed) = (numbers(links, "t_s"), words(links, "link"), integers(links, "departed_pkts"));
    let late = (0..at.len()).filter(|&row| at[row] > 5.5 && name[row] == "bottleneck").map(|row| departed[row]);
    assert_eq!(row(&rows(&output, "bottleneck"), "queue", "", "").0, late.sum::<i64>());
}

#[test]
fn queues_of_which_only_packets_are_kept_are_told_as_well() {
    let text = busy("{ kind = \"drop-tail\" }", "").replace("queues = [\"bottleneck\"]\n", "");
    agrees_with_packets(&go(&text), "packets");
    let text = text.replace("packets = [\"bottleneck\"]\n", "");
    assert_eq!(table(&go(&text), "sojourn").rows(), 0);
}

#[test]
fn the_queue_of_a_link_with_legs_is_told_and_that_of_no_leg() {
    let text = "format = 1\nname = \"x\"\nduration = \"2 s\"\nwarmup = \"0 s\"\n[nodes.a]\n[nodes.b]\n[nodes.c]\n\
                [links.down]\nfrom = \"a\"\nrate = \"800 kbit/s\"\n\
                [links.leg-b]\nleg_of = \"down\"\nto = \"b\"\ndelay = \"10 ms\"\n\
                [links.leg-c]\nleg_of = \"down\"\nto = \"c\"\ndelay = \"10 ms\"\n\
                [links.up]\nfrom = \"b\"\nto = \"a\"\nrate = \"1 Mbit/s\"\ndelay = \"10 ms\"\nsimplex = true\n\
                [flows.x]\nkind = \"cbr\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1600 kbit/s\"\npacket_size = \"1000 B\"\n\
                stop = \"102 ms\"\n[probes]\nqueues = [\"down\"]\npackets = [\"leg-b\", \"down\"]\n";
    let output = go(text);
    // Numbers 0 to 20, of which each waits 5 ms more than the one before.
    let (packets, [mean, .., max]) = row(&rows(&output, "down"), "queue", "", "");
    assert_eq!((packets, table(&output, "sojourn").rows()), (21, 2));
    near(mean, 0.050, 1e-12);
    near(max, 0.100, 1e-12);
}

#[test]
fn of_a_run_that_was_cut_off_during_its_warm_up_nothing_is_late() {
    let text = growing(LONG, "100000 s", "99999 s").replace("packets = [\"l\"]\n", "");
    let scenario = scenario(&text);
    let control = Control::default();
    let output = std::thread::scope(|scope| {
        let running = scope.spawn(|| run(&scenario, 1, &control, 1));
        while control.progress() <= 0.0 && !running.is_finished() {
            std::thread::yield_now();
        }
        control.cancel();
        running.join().expect("it does not panic").expect("something has happened")
    });
    let told = rows(&output, "l");
    assert!(output.interrupted && told.len() == 1, "{told:?}");
    assert_eq!(row(&told, "queue", "", "").0, 0);
    assert!(value(&output, "l", "sojourn_mean").is_nan());
}
