//! Classes, shapers and policers in whole runs, and DSCP.

use crate::support::{go, numbers, scenario, table, value, words};
use faircast_scenario::paths::paths;
use faircast_scenario::periods::measured;
use faircast_scenario::run::RunOutput;
use faircast_scenario::{Scenario, warning};

/// Traffic over a bottleneck of 10 Mbit/s with a round-trip time of 44 ms.
fn dumbbell(queue: &str, traffic: &str) -> String {
    format!(
        "format = 1\nname = \"x\"\nduration = \"60 s\"\nwarmup = \"20 s\"\n[topology]\nkind = \"dumbbell\"\n\
         left = 22\nright = 22\n[links.\"access-*\"]\ndelay = \"1 ms\"\nrate = \"1 Gbit/s\"\n\
         [links.bottleneck]\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\nqueue = {queue}\n{traffic}\
         [probes]\nqueues = [\"bottleneck\"]\npackets = [\"bottleneck\"]\n"
    )
}

fn tcps(name: &str, count: u32, first: u32, dscp: u32) -> String {
    let hosts = |side: &str| (first..first + count).map(|n| format!("\"{side}-{n}\"")).collect::<Vec<_>>().join(", ");
    format!(
        "[flows.{name}]\nkind = \"tcp\"\nvariant = \"sack\"\ncount = {count}\nmss = \"960 B\"\nhdr = \"40 B\"\n\
         start_jitter = \"1 s\"\nsend_jitter = \"1 ms\"\ndscp = {dscp}\nfrom = [{}]\nto = [{}]\n",
        hosts("left"),
        hosts("right")
    )
}

fn cbr(name: &str, mbit: f64, host: u32, dscp: u32) -> String {
    format!(
        "[flows.{name}]\nkind = \"cbr\"\nrate = \"{mbit} Mbit/s\"\npacket_size = \"500 B\"\njitter = 0.3\n\
         dscp = {dscp}\n\
         from = \"left-{host}\"\nto = \"right-{host}\"\n"
    )
}

/// How long packets of a flow have been at the bottleneck, from arrival to departure, at most, ms.
fn longest_ms(output: &RunOutput, flow: &str) -> f64 {
    let packets = table(output, "packets");
    let (at, action) = (numbers(packets, "t_s"), words(packets, "action"));
    let (whose, number) = (words(packets, "flow"), numbers(packets, "number"));
    let mut came = std::collections::BTreeMap::new();
    let mut longest = 0.0_f64;
    for row in (0..at.len()).filter(|&row| whose[row] == flow && at[row] > 20.0) {
        match action[row].as_str() {
            "accepted" => drop(came.insert(number[row] as u64, at[row])),
            "departed" => {
                if let Some(since) = came.remove(&(number[row] as u64)) {
                    longest = longest.max(1e3 * (at[row] - since));
                }
            }
            _ => {}
        }
    }
    longest
}

#[test]
fn what_goes_first_waits_for_one_packet_at_most() {
    // Ten TCPs fill the link; the call has 1 Mbit/s, a tenth of it, as by default.
    let traffic = tcps("web", 10, 0, 0) + &cbr("call", 0.9, 20, 46);
    let output = go(&dumbbell("{ kind = \"classes\" }", &traffic));
    // A packet of 1000 bytes that is on its way, the own one of 500, and one of its own ahead of it.
    let longest = longest_ms(&output, "call");
    assert!((0.8..=1.7).contains(&longest), "{longest} ms");
    assert!((value(&output, "call", "rate") / 0.9e6 - 1.0).abs() < 0.01);
    assert!(value(&output, "bottleneck", "efficiency") > 0.95);
    // Without a class of its own it waits among all others.
    let output = go(&dumbbell("{ kind = \"classes\" }", &traffic.replace("dscp = 46", "dscp = 0")));
    assert!(longest_ms(&output, "call") > 5.0);
    // More than its tenth does not pass.
    let traffic = tcps("web", 10, 0, 0) + &cbr("call", 3.0, 20, 46);
    let rate = value(&go(&dumbbell("{ kind = \"classes\" }", &traffic)), "call", "rate");
    assert!((rate / 1e6 - 1.0).abs() < 0.01, "{rate}");
}

#[test]
fn weights_are_what_aggregates_get() {
    // Each flow keeps a packet waiting, so that no class is ever empty.
    let within = "{ kind = \"fq-codel\", occupancy = \"own\" }";
    let gold = format!("{{ dscp = [10], weight = 3.0, queue = {within} }}");
    let queue = format!("{{ kind = \"classes\", classes = [{gold}, {{ queue = {within} }}] }}");
    // However many flows there are in each.
    for (first, second) in [(10, 10), (4, 16)] {
        let output = go(&dumbbell(&queue, &(tcps("gold", first, 0, 10) + &tcps("lead", second, first, 0))));
        let sum = |name: &str, count: u32| -> f64 {
            (0..count).map(|n| value(&output, &format!("{name}-{n}"), "rate")).sum()
        };
        let ratio = sum("gold", first) / sum("lead", second);
        assert!((ratio / 3.0 - 1.0).abs() < 0.02, "{first} {second}: {ratio}");
    }
}

#[test]
fn sessions_have_a_class_as_well() {
    let session = "[sessions.film]\nscheme = \"cbr\"\nrate = \"8 Mbit/s\"\nsource = \"left-20\"\ndscp = 10\n\
                   receivers = { nodes = [\"right-20\", \"right-21\"] }\n";
    let queue = "{ kind = \"classes\", classes = [{ dscp = [10], weight = 1.0, queue = { kind = \"drop-tail\" } }, \
                 { weight = 1.0, queue = { kind = \"codel\" } }] }";
    let output = go(&dumbbell(queue, &(tcps("web", 10, 0, 0) + session)));
    let rate = value(&output, "film-0", "rate");
    assert!((rate / 5e6 - 1.0).abs() < 0.01, "{rate}");
}

#[test]
fn what_is_policed_and_what_is_shaped_has_its_rate() {
    let policed = "{ kind = \"policer\", rate = \"2 Mbit/s\", queue = { kind = \"codel\" } }";
    let rate = value(&go(&dumbbell(policed, &cbr("stream", 6.0, 0, 0))), "stream", "rate");
    assert!((rate / 2e6 - 1.0).abs() < 0.005, "{rate}");
    let shaped = "{ kind = \"shaper\", rate = \"3 Mbit/s\", queue = { kind = \"fq-codel\" } }";
    let output = go(&dumbbell(shaped, &tcps("web", 4, 0, 0)));
    let sum: f64 = (0..4).map(|n| value(&output, &format!("web-{n}"), "rate")).sum();
    assert!((sum / 3e6 - 1.0).abs() < 0.01, "{sum}");
    // Only what the class sends is policed.
    let queue = "{ kind = \"classes\", classes = [{ dscp = [8], queue = { kind = \"policer\", rate = \"1 Mbit/s\" } }, \
                 { queue = { kind = \"codel\" } }] }";
    let output = go(&dumbbell(queue, &(tcps("web", 5, 0, 0) + &cbr("stream", 6.0, 20, 8))));
    let rate = value(&output, "stream", "rate");
    assert!((rate / 1e6 - 1.0).abs() < 0.005, "{rate}");
    assert!(value(&output, "bottleneck", "efficiency") > 0.95);
}

#[test]
fn warnings_look_into_queues_within_queues() {
    let kinds = |queue: &str, traffic: &str| -> Vec<&'static str> {
        let known = warning::known(&scenario(&dumbbell(queue, traffic)));
        known.into_iter().map(|known| known.warning.kind).collect()
    };
    let ecn = tcps("web", 2, 0, 0) + "ecn = \"ecn\"\n" + &tcps("deaf", 2, 2, 0);
    for inner in ["{ kind = \"fq-codel\" }", "{ kind = \"red\", ecn = true }"] {
        let shaped = format!("{{ kind = \"shaper\", queue = {inner} }}");
        assert!(kinds(&shaped, &ecn).contains(&"ecn-mixed"), "{inner}");
        let classes = format!("{{ kind = \"classes\", classes = [{{ queue = {shaped} }}] }}");
        assert!(kinds(&classes, &ecn).contains(&"ecn-mixed"), "{inner}");
    }
    let policed = |action| format!("{{ kind = \"policer\", action = \"{action}\" }}");
    assert!(kinds(&policed("mark"), &ecn).contains(&"ecn-mixed"));
    assert!(!kinds(&policed("drop"), &ecn).contains(&"ecn-mixed"));
    assert!(!kinds("{ kind = \"classes\" }", &ecn).contains(&"ecn-mixed"));
    let hasty = "{ kind = \"policer\", queue = { kind = \"codel\", interval = \"20 ms\", target = \"1 ms\" } }";
    assert!(kinds(hasty, &ecn).contains(&"codel-interval"));
}

#[test]
fn delays_and_flows_are_looked_at_class_by_class() {
    let found = |queue: &str, traffic: &str| -> Vec<(String, f64)> {
        let known = warning::known(&scenario(&dumbbell(queue, traffic)));
        known.into_iter().map(|known| (known.path, known.warning.value)).collect()
    };
    let classes = |of_ten: &str, others: &str| {
        format!("{{ kind = \"classes\", classes = [{{ dscp = [10], queue = {of_ten} }}, {{ queue = {others} }}] }}")
    };
    let back = |path: &str, value: f64| {
        ["bottleneck", "bottleneck.back"].map(|link| (format!("links.{link}.queue.{path}"), value)).to_vec()
    };
    // A round trip of 44 ms; classes that nobody uses say nothing.
    let (hasty, calm) = ("{ kind = \"codel\", interval = \"15 ms\", target = \"1 ms\" }", "{ kind = \"codel\" }");
    for (dscp, first, second) in [(0, hasty, calm), (10, calm, hasty), (10, calm, calm)] {
        assert_eq!(found(&classes(first, second), &tcps("web", 2, 0, dscp)), [], "{dscp}");
    }
    let rtt = 0.044;
    assert_eq!(found(&classes(hasty, calm), &tcps("web", 2, 0, 10)), back("classes[0].queue.interval", rtt));
    assert_eq!(found(&classes(calm, hasty), &tcps("web", 2, 0, 0)), back("classes[1].queue.interval", rtt));
    let both = tcps("web", 2, 0, 0) + &tcps("gold", 2, 2, 10);
    let of_both: Vec<_> = ["bottleneck", "bottleneck.back"]
        .iter()
        .flat_map(|link| [0, 1].map(|n| (format!("links.{link}.queue.classes[{n}].queue.interval"), rtt)))
        .collect();
    assert_eq!(found(&classes(hasty, hasty), &both), of_both);
    // PIE with 3000 packets rests for 0.8 s at 10 Mbit/s, and for 8 s behind a shaper to 1 Mbit/s. What polices the
    // other class, or itself, does not slow it down.
    let pie = "{ kind = \"pie\", limit = \"3000000 B\" }";
    let shaped = format!("{{ kind = \"shaper\", rate = \"1 Mbit/s\", queue = {pie} }}");
    let policed = format!("{{ kind = \"policer\", rate = \"1 Mbit/s\", queue = {pie} }}");
    let told = |path: &str, value: f64| vec![(format!("links.bottleneck.queue.{path}"), value)];
    assert_eq!(found(&classes(pie, calm), &tcps("web", 2, 0, 0)), []);
    assert_eq!(found(&classes(calm, pie), &tcps("web", 2, 0, 0)), told("classes[1].queue.limit", 0.8));
    assert_eq!(found(&classes(&policed, calm), &tcps("web", 2, 0, 10)), told("classes[0].queue.queue.limit", 0.8));
    assert_eq!(found(&classes(&shaped, calm), &tcps("web", 2, 0, 10)), told("classes[0].queue.queue.limit", 8.0));
    assert_eq!(found(&shaped, &tcps("web", 2, 0, 10)), told("queue.limit", 8.0));
    // Buckets that packets do not fit into, those of the class.
    let policed = |burst: u32| format!("{{ kind = \"policer\", burst = \"{burst} B\" }}");
    assert_eq!(found(&policed(1000), &tcps("web", 2, 0, 0)), []);
    assert_eq!(found(&policed(999), &tcps("web", 2, 0, 0)), told("burst", 1000.0)[..1]);
    assert_eq!(found(&classes(&policed(999), calm), &(tcps("web", 2, 0, 0) + &cbr("call", 0.1, 5, 10))), []);
    let both = tcps("web", 2, 0, 10) + &cbr("call", 0.1, 5, 10);
    assert_eq!(found(&classes(&policed(400), calm), &both), told("classes[0].queue.burst", 1000.0));
    // Groups as flows.
    let film = "[sessions.film]\nscheme = \"layered-cbr\"\nrates = [\"1 Mbit/s\", \"1 Mbit/s\"]\nsource = \"left-20\"\n\
                receivers = { nodes = [\"right-20\"] }\ndscp = 10\n";
    let fair = "{ kind = \"fq-codel\" }";
    assert_eq!(found(&classes(calm, fair), film), []);
    assert_eq!(found(&classes(fair, calm), film), told("classes[0].queue.by", 1.0));
}

#[test]
fn marks_are_looked_at_class_by_class() {
    let found = |queue: &str, traffic: &str| -> Vec<(&'static str, f64)> {
        let known = warning::known(&scenario(&dumbbell(queue, traffic)));
        known.into_iter().map(|known| (known.warning.kind, known.warning.value)).collect()
    };
    let (red, mecn, dual) = ("{ kind = \"red\", ecn = true }", "{ kind = \"mecn\" }", "{ kind = \"dualpi2\" }");
    let classes = |of_ten: &str, others: &str| {
        format!("{{ kind = \"classes\", classes = [{{ dscp = [10], queue = {of_ten} }}, {{ queue = {others} }}] }}")
    };
    let web = |ecn: &str, dscp: u32| tcps("web", 2, 0, dscp) + &format!("ecn = \"{ecn}\"\n");
    // Two that use marks, three that do not: in classes of their own they are nobody's rivals.
    let deaf = |dscp: u32| tcps("deaf", 3, 2, dscp);
    assert_eq!(found(&classes(red, red), &(web("ecn", 10) + &deaf(0))), []);
    for dscp in [0, 10] {
        assert_eq!(found(&classes(red, red), &(web("ecn", dscp) + &deaf(dscp))), [("ecn-mixed", 3.0)]);
    }
    // Where the class of both marks nothing, it does not matter that another does.
    assert_eq!(found(&classes(red, "{ kind = \"codel\" }"), &(web("ecn", 0) + &deaf(0))), []);
    // What marks before the classes marks all.
    let policed = format!("{{ kind = \"policer\", action = \"mark\", queue = {} }}", classes(red, red));
    assert_eq!(found(&policed, &(web("ecn", 10) + &deaf(0))), [("ecn-mixed", 3.0)]);
    // Of classes with one and with two levels the own one counts.
    let other = tcps("other", 3, 2, 0) + "ecn = \"mecn\"\n";
    assert_eq!(found(&classes(red, mecn), &(web("ecn", 10) + &other)), []);
    let both = found(&classes(mecn, red), &(web("ecn", 10) + &other));
    assert_eq!(both, [("ecn-on-mecn", 2.0), ("mecn-on-ecn", 3.0)]);
    // As of those who say ECT(1).
    let game = |dscp: u32| cbr("game", 1.0, 20, dscp) + "ecn = \"ect1\"\n";
    assert_eq!(found(&classes(red, dual), &game(0)), []);
    assert_eq!(found(&classes(red, dual), &game(10)), [("ect1-unknown", 1.0)]);
    // And of a session of layers in a fair queue.
    let film = "[sessions.film]\nscheme = \"layered-cbr\"\nrates = [\"1 Mbit/s\", \"1 Mbit/s\"]\n\
                source = \"left-20\"\ndscp = 10\nreceivers = { nodes = [\"right-20\"] }\n";
    let fair = "{ kind = \"fq-codel\", ecn = false }";
    assert_eq!(found(&classes(fair, "{ kind = \"codel\" }"), film), [("layers-as-flows", 1.0)]);
    assert_eq!(found(&classes("{ kind = \"codel\" }", fair), film), []);
}

const SHAPED: &str =
    "{ kind = \"shaper\", rate = \"1 Mbit/s\", queue = { kind = \"drop-tail\", limit = \"100000 packets\" } }";

#[test]
fn an_optimum_has_what_token_buckets_let_through() {
    let queue = |queue: &str| format!("{queue}\nchanges = [{{ at = \"30 s\", rate = \"2 Mbit/s\" }}]");
    for (what, first, then) in [
        ("{ kind = \"codel\" }", 10.0, 2.0),
        (SHAPED, 1.0, 1.0),
        ("{ kind = \"policer\", share = 0.3 }", 3.0, 2.0),
        ("{ kind = \"policer\", share = 0.1, action = \"mark\" }", 10.0, 2.0),
        ("{ kind = \"classes\" }", 10.0, 2.0),
    ] {
        let network = scenario(&dumbbell(&queue(what), &cbr("stream", 6.0, 0, 0))).expand();
        let bps = |links: &[(String, u64)]| {
            links.iter().find(|(name, _)| name == "bottleneck").map(|(_, bps)| *bps as f64 / 1e6)
        };
        assert_eq!(bps(&paths(&network).links), Some(first), "{what}");
        let periods = measured(&network).expect("it has periods").periods;
        let of_periods: Vec<_> = periods.iter().map(|period| bps(&period.paths.links)).collect();
        let expected = if first == then { vec![Some(first)] } else { vec![Some(first), Some(then)] };
        assert_eq!(of_periods, expected, "{what}");
    }
}

#[test]
fn a_token_bucket_that_is_used_up_is_a_bottleneck() {
    let told = |queue: &str, traffic: &str, kind: &str| -> Vec<f64> {
        let warnings = go(&dumbbell(queue, traffic)).warnings;
        warnings.into_iter().filter(|warning| warning.kind == kind).map(|warning| warning.value).collect()
    };
    let near =
        |found: &[f64], value: f64| assert!(found.len() == 1 && (found[0] / value - 1.0).abs() < 0.01, "{found:?}");
    // 0.95 Mbit/s of 10, or of the one that the shaper lets through.
    let stream = cbr("stream", 0.95, 0, 0);
    near(&told("{ kind = \"codel\" }", &stream, "no-bottleneck"), 0.095);
    assert!(told(SHAPED, &stream, "no-bottleneck").is_empty());
    near(&told(SHAPED, &cbr("stream", 0.5, 0, 0), "no-bottleneck"), 0.5);
    // Of the forty seconds after the warm-up it has 10 Mbit/s for ten and 1.5 for the others; a fifth of what it has at
    // first is 2 Mbit/s: 0.65 of (10·2 + 30·1.5)/40 Mbit/s.
    let changing = "{ kind = \"policer\", share = 0.2 }\nchanges = [{ at = \"30 s\", rate = \"1500 kbit/s\" }]";
    near(&told(changing, &cbr("stream", 0.65, 0, 0), "no-bottleneck"), 0.4);
    // A session that has filled the shaper, and lost nothing, has met a limit.
    let film = "[sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-0\"\nreceivers = { nodes = [\"right-0\"] }\n";
    let output = go(&dumbbell(SHAPED, film));
    let (used, dropped) = (value(&output, "bottleneck", "efficiency"), value(&output, "bottleneck", "drops_all"));
    assert!((used / 0.1 - 1.0).abs() < 0.02 && dropped == 0.0, "{used} {dropped}");
    assert!(!output.warnings.iter().any(|warning| warning.kind == "unlimited"), "{:?}", output.warnings);
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let wrong = |queue: &str, traffic: &str| -> Vec<(String, String)> {
        let problems = Scenario::from_toml(&dumbbell(queue, traffic)).expect_err("it is refused");
        problems.into_iter().map(|problem| (problem.path, problem.message)).collect()
    };
    let flow = cbr("call", 1.0, 0, 64);
    assert_eq!(wrong("{ kind = \"codel\" }", &flow)[0].0, "flows.call.dscp");
    let session = "[sessions.film]\nscheme = \"cbr\"\nsource = \"left-0\"\ndscp = 99\n";
    assert_eq!(wrong("{ kind = \"codel\" }", session)[0].0, "sessions.film.dscp");
    let of_queue = |queue: &str| wrong(queue, &cbr("call", 1.0, 0, 0));
    let found = of_queue("{ kind = \"classes\", classes = [{ dscp = [1] }] }");
    let (path, message) = &found[0];
    assert!(path.starts_with("links.bottleneck.queue.classes") && message.contains("missing"), "{found:?}");
    let found = of_queue("{ kind = \"classes\", classes = [{ weight = 0.0, queue = { kind = \"codel\" } }] }");
    assert!(found[0].0.ends_with("weight"), "{found:?}");
    let found = of_queue("{ kind = \"classes\", classes = [{ dscp = [64], queue = { kind = \"codel\" } }] }");
    assert!(found[0].0.contains("dscp"), "{found:?}");
    let found = of_queue("{ kind = \"shaper\", rate = \"0 bit/s\" }");
    assert_eq!(found[0].0, "links.bottleneck.queue.rate");
    let found = of_queue("{ kind = \"shaper\", queue = { kind = \"codel\", interval = \"1 ms\" } }");
    assert!(found[0].0.ends_with("queue.interval"), "{found:?}");
    let found = of_queue("{ kind = \"shaper\", queue = { kind = \"drop-tail\", limit = \"1 BDP\" } }");
    assert!(found[0].0.starts_with("links.bottleneck.queue"), "{found:?}");
}

#[test]
fn what_is_legal_of_the_queue_of_a_link_alone_is_not_offered_within_it() {
    let within = "{ kind = \"codel\", limit = \"1 BDP\" }";
    for (queue, is_offered) in [
        ("{ kind = \"codel\", limit = \"5 cm\" }".to_owned(), true),
        (format!("{{ kind = \"classes\", classes = [{{ queue = {within} }}] }}"), false),
        (format!("{{ kind = \"shaper\", rate = \"5 Mbit/s\", queue = {within} }}"), false),
    ] {
        let problems = Scenario::from_toml(&dumbbell(&queue, &cbr("call", 1.0, 0, 0))).expect_err(&queue);
        let [problem] = &problems[..] else { panic!("{problems:?}") };
        assert!(problem.path.ends_with("limit"), "{problem:?}");
        assert_eq!(problem.message.contains("legal, too"), is_offered, "{problem:?}");
    }
}
