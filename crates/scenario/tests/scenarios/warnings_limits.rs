//! What limited a run, and what did not, is told: each kind of warning with a scenario that raises it and one beside it
//! that does not.

use faircast_scenario::run::{Control, RunOutput};
use faircast_scenario::warning::{FULL_FROM, Warning};
use faircast_scenario::{Scenario, run, warning};

fn scenario(text: &str) -> Scenario {
    let head = "format = 1\nname = \"x\"\n";
    Scenario::from_toml(&format!("{head}{text}")).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"))
}

fn go(text: &str) -> RunOutput {
    run(&scenario(text), 1, &Control::default(), 1).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// The warnings of a kind that a run of this gives.
fn told(kind: &str, text: &str) -> Vec<Warning> {
    go(text).warnings.into_iter().filter(|warning| warning.kind == kind).collect()
}

/// Subjects of the warnings of a kind that are known before a run, and the same in a run of it, with their paths.
fn known(kind: &str, text: &str) -> Vec<(String, Warning)> {
    let before = warning::known(&scenario(text)).into_iter().map(|known| (known.path, known.warning));
    let before: Vec<_> = before.filter(|(_, warning)| warning.kind == kind).collect();
    let after = told(kind, text);
    assert_eq!(after, before.iter().map(|(_, warning)| warning.clone()).collect::<Vec<_>>(), "a run tells them, too");
    before
}

fn dumbbell(times: &str, bottleneck: &str, rest: &str) -> String {
    format!("{times}\n[topology]\nkind = \"dumbbell\"\nleft = 3\nright = 3\n[links.bottleneck]\n{bottleneck}\n{rest}")
}

const TCP: &str = "[flows.web]\nkind = \"tcp\"\nvariant = \"sack\"\n";
const FILM: &str = "[sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-2\"\nreceivers = { nodes = [\"right-2\"] }\n";

#[test]
fn a_warm_up_that_ends_in_a_flows_slow_start_is_told() {
    // A window of two packets doubles every 202 ms: at 1 s it is about 2^6, and the link holds 250 and queues 1000.
    let text = |warmup: &str| {
        let times = format!("duration = \"20 s\"\nwarmup = \"{warmup}\"");
        let link =
            "rate = \"10 Mbit/s\"\ndelay = \"100 ms\"\nqueue = { kind = \"drop-tail\", limit = \"1000 packets\" }";
        dumbbell(&times, link, &format!("{TCP}start = \"250 ms\"\n"))
    };
    let found = told("slow-start", &text("1 s"));
    let [warning] = &found[..] else { panic!("{found:?}") };
    assert_eq!((warning.subject.as_str(), warning.value), ("web", 0.75));
    let message = &warning.message;
    assert!(
        message.starts_with("flow web was still in its first slow start when the warm-up ended at 1 s"),
        "{message}"
    );
    let at = message.split("first reduced at ").nth(1).and_then(|rest| rest.split(" s").next()).expect("a time");
    let at: f64 = at.parse().expect("a number");
    assert!((1.5..5.0).contains(&at), "{message}");
    // Just after that moment, and without any warm-up, nothing is said; nor where it has not begun.
    for fine in [format!("{} s", at + 0.001), "0 s".to_owned(), "200 ms".to_owned()] {
        assert_eq!(told("slow-start", &text(&fine)), [], "{fine}");
    }
    assert_eq!(told("slow-start", &text(&format!("{} s", at - 0.001))).len(), 1);
    // Without events nobody knows when it ends.
    let found = told("slow-start", &format!("{}[probes]\nevents = false\n", text("1 s")));
    assert!(found[0].message.ends_with("take a longer warmup"), "{}", found[0].message);
}

#[test]
fn a_window_that_is_full_is_not_in_slow_start() {
    let text = |more: &str| {
        let link = "rate = \"10 Mbit/s\"\ndelay = \"100 ms\"";
        dumbbell("duration = \"20 s\"\nwarmup = \"5 s\"", link, &format!("{TCP}wnd = \"20 packets\"\n{more}"))
    };
    assert_eq!(told("slow-start", &text("")), []);
    // A threshold above the window changes nothing.
    assert_eq!(told("slow-start", &text("initial_ssthresh = \"1000 packets\"")), []);
    // A transfer that ends before its window is ever reduced is too short for any warm-up.
    let short = |segments: u32| {
        let times = "duration = \"20 s\"\nwarmup = \"500 ms\"";
        let flow = format!("{TCP}segments = {segments}\n");
        told("slow-start", &dumbbell(times, "rate = \"10 Mbit/s\"\ndelay = \"100 ms\"", &flow)).len()
    };
    assert_eq!([short(60), short(100_000)], [0, 1]);
}

#[test]
fn a_warm_up_that_ends_in_a_sessions_slow_start_is_told() {
    let text = |warmup: &str, more: &str| {
        let times = format!("duration = \"60 s\"\nwarmup = \"{warmup}\"");
        dumbbell(&times, "rate = \"2 Mbit/s\"\ndelay = \"50 ms\"", &format!("{FILM}{more}"))
    };
    let found = told("slow-start", &text("2 s", ""));
    let [warning] = &found[..] else { panic!("{found:?}") };
    assert_eq!((warning.subject.as_str(), warning.value), ("film", 2.0));
    assert!(warning.message.starts_with("session film was still in its first slow start"), "{}", warning.message);
    assert!(warning.message.contains("its slow start ended at "), "{}", warning.message);
    assert_eq!(told("slow-start", &text("40 s", "")), []);
    // At its highest rate it grows no more; a constant rate knows no slow start.
    assert_eq!(told("slow-start", &text("40 s", "max_rate = \"500 kbit/s\"\n")), []);
    let constant = FILM.replace("tfmcc", "cbr") + "rate = \"500 kbit/s\"\n";
    let times = "duration = \"20 s\"\nwarmup = \"2 s\"";
    assert_eq!(told("slow-start", &dumbbell(times, "rate = \"2 Mbit/s\"", &constant)), []);
}

const TIMES: &str = "duration = \"40 s\"\nwarmup = \"20 s\"";

#[test]
fn an_access_link_that_limits_is_told() {
    let text = |access: &str, rest: &str| {
        dumbbell(TIMES, "rate = \"10 Mbit/s\"\ndelay = \"10 ms\"", &format!("{access}\n{TCP}{rest}"))
    };
    let narrow = "[links.access-left-0]\nrate = \"2 Mbit/s\"\nqueue = { kind = \"drop-tail\", limit = \"20 packets\" }";
    let found = told("access-limited", &text(narrow, ""));
    let [warning] = &found[..] else { panic!("{found:?}") };
    assert_eq!(warning.subject, "web");
    assert!(warning.value >= FULL_FROM, "{}", warning.value);
    for part in ["what limits flow web is the access link access-left-0", "and not bottleneck, used to 20 %"] {
        assert!(warning.message.contains(part), "{}", warning.message);
    }
    // Likewise at the receiver; not if the bottleneck is full, by this flow or by others.
    let right = narrow.replace("left", "right");
    assert_eq!(told("access-limited", &text(&right, "")).len(), 1);
    assert_eq!(told("access-limited", &text("", "")), []);
    let others = "[flows.voice]\nkind = \"cbr\"\nrate = \"9 Mbit/s\"\nfrom = \"left-1\"\nto = \"right-1\"\n";
    assert_eq!(told("access-limited", &text(narrow, others)), []);
    // An access link that is probed is what one looks at.
    assert_eq!(told("access-limited", &text(narrow, "[probes]\nqueues = [\"access-left-0\"]\n")).len(), 0);
}

#[test]
fn an_access_link_of_an_explicit_network_is_that_of_a_host_which_forwards_nothing() {
    let link = |name: &str, from: &str, to: &str, rate: &str| {
        format!(
            "[links.{name}]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"{rate}\"\ndelay = \"5 ms\"\n\
             queue = {{ kind = \"drop-tail\", limit = \"30 packets\" }}\n"
        )
    };
    let network = |first: &str, rest: &str| {
        let nodes = "[nodes.a]\n[nodes.b]\n[nodes.c]\n[nodes.d]\n";
        let links =
            link("ab", "a", "b", first) + &link("bc", "b", "c", "8 Mbit/s") + &link("cd", "c", "d", "50 Mbit/s");
        format!("{TIMES}\n{nodes}{links}{TCP}from = \"a\"\nto = \"d\"\n{rest}")
    };
    let probe = |link: &str| format!("[probes]\nqueues = [\"{link}\"]\n");
    assert_eq!(told("access-limited", &network("2 Mbit/s", &probe("bc"))).len(), 1);
    // Nobody has said what should be the bottleneck.
    assert_eq!(told("access-limited", &network("2 Mbit/s", "")), []);
    // bc is full, and b is no host of the flow from a; but of one that starts there bc is as good as its access link,
    // unless others come through b.
    let alone = network("50 Mbit/s", &probe("cd")).replace("from = \"a\"\nto = \"d\"", "from = \"b\"\nto = \"d\"");
    assert_eq!(told("access-limited", &alone).len(), 1);
    let through = format!("{alone}[flows.voice]\nkind = \"cbr\"\nrate = \"8 kbit/s\"\nfrom = \"a\"\nto = \"d\"\n");
    assert_eq!(told("access-limited", &through), []);
}

#[test]
fn receivers_behind_narrow_access_links_are_told_session_by_session() {
    let film = "[sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-2\"\n";
    let narrow = |receiver: u32| {
        let queue = "queue = { kind = \"drop-tail\", limit = \"20 packets\" }";
        format!("[links.access-right-{receiver}]\nrate = \"500 kbit/s\"\n{queue}\n")
    };
    let text = |rest: &str| dumbbell(TIMES, "rate = \"4 Mbit/s\"\ndelay = \"10 ms\"", &format!("{rest}{film}"));
    let found = told("access-limited", &text(&(narrow(0) + &narrow(2))));
    let [warning] = &found[..] else { panic!("{found:?}") };
    assert_eq!(warning.subject, "film");
    assert!(warning.message.contains("session film on the way to 2 of its 3 receivers"), "{}", warning.message);
    assert_eq!(told("access-limited", &text("")), []);
}

#[test]
fn a_tree_has_no_bottleneck_unless_one_is_named() {
    let text = |probes: &str| {
        format!(
            "{TIMES}\n[topology]\nkind = \"tree\"\ndepth = 2\nbranch = {{ rate = \"10 Mbit/s\", delay = \"5 ms\" }}\n\
             access_right = {{ rate = \"1 Mbit/s\" }}\n\
             [sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-0\"\n{probes}"
        )
    };
    assert_eq!(told("access-limited", &text("")), []);
    let probed = told("access-limited", &text("[probes]\nqueues = [\"branch-1\"]\n"));
    assert_eq!(probed.len(), 1);
    // Two of the four leaves are below it.
    assert!(probed[0].message.contains("2 of its 4 receivers"), "{}", probed[0].message);
}

fn marking(queue: &str, flows: &str) -> String {
    let times = "duration = \"2 s\"";
    dumbbell(times, &format!("rate = \"5 Mbit/s\"\nqueue = {queue}"), flows)
}

fn tcp(name: &str, host: u32, ecn: &str) -> String {
    format!("[flows.{name}]\nkind = \"tcp\"\nfrom = \"left-{host}\"\nto = \"right-{host}\"\necn = \"{ecn}\"\n")
}

const RED: &str = "{ kind = \"red\", ecn = true }";
const MECN: &str = "{ kind = \"mecn\" }";

#[test]
fn traffic_with_and_without_marks_on_one_queue_is_told() {
    let pair = |one: &str, other: &str| tcp("a", 0, one) + &tcp("b", 1, other);
    for queue in [RED, MECN] {
        let found = known("ecn-mixed", &marking(queue, &pair("ecn", "off")));
        let [(path, warning)] = &found[..] else { panic!("{found:?}") };
        assert_eq!(
            (path.as_str(), warning.subject.as_str(), warning.value),
            ("links.bottleneck.queue", "bottleneck", 1.0)
        );
        assert!(
            warning.message.contains("marks the packets of flow a, and drops those of flow b,"),
            "{}",
            warning.message
        );
    }
    for (queue, flows) in [
        (RED, pair("ecn", "ecn")),
        (RED, pair("off", "off")),
        // That queue marks nothing.
        ("{ kind = \"red\" }", pair("ecn", "off")),
        // A constant rate is compared with nothing; acknowledgements go the other way.
        (
            RED,
            tcp("a", 0, "ecn")
                + "[flows.b]\nkind = \"cbr\"\nrate = \"8 kbit/s\"\nfrom = \"left-1\"\nto = \"right-1\"\n",
        ),
    ] {
        assert_eq!(known("ecn-mixed", &marking(queue, &flows)), [], "{queue} {flows}");
    }
    // A session that does not use them beside many flows that do.
    let flows =
        format!("{}{FILM}", tcp("a", 0, "ecn") + &tcp("b", 1, "ecn") + &tcp("c", 1, "ecn") + &tcp("d", 0, "ecn"));
    let found = known("ecn-mixed", &marking(RED, &flows));
    assert!(found[0].1.message.contains("of flow a, flow b and 2 more, and drops those of session film"), "{found:?}");
    assert_eq!(known("ecn-mixed", &marking(RED, &format!("{flows}ecn = true\n"))), []);
    let layered = flows.replace("tfmcc", "smcc");
    assert_eq!(known("ecn-mixed", &marking(RED, &layered)).len(), 1);
    assert_eq!(known("ecn-mixed", &marking(RED, &format!("{layered}tfmcc = {{ ecn = true }}\n"))), []);
}

#[test]
fn levels_of_marks_that_sender_and_queue_do_not_share_are_told() {
    let kinds = |queue: &str, flows: &str| {
        let text = marking(queue, flows);
        [known("mecn-on-ecn", &text).len(), known("ecn-on-mecn", &text).len()]
    };
    assert_eq!(kinds(RED, &tcp("a", 0, "mecn")), [1, 0]);
    assert_eq!(kinds(MECN, &tcp("a", 0, "mecn")), [0, 0]);
    assert_eq!(kinds(MECN, &tcp("a", 0, "ecn")), [0, 1]);
    assert_eq!(kinds(RED, &tcp("a", 0, "ecn")), [0, 0]);
    assert_eq!(kinds(MECN, &format!("{FILM}ecn = true\n")), [0, 1]);
    assert_eq!(kinds("{ kind = \"red\" }", &tcp("a", 0, "mecn")), [0, 0]);
    let found = known("mecn-on-ecn", &marking(RED, &tcp("a", 0, "mecn")));
    assert_eq!((found[0].0.as_str(), found[0].1.subject.as_str()), ("links.bottleneck.queue", "bottleneck"));
}

#[test]
fn a_first_round_trip_time_below_that_of_the_links_is_told() {
    // 2 · (250 + 1 + 1) ms.
    let text = |scheme: &str, first: &str| {
        let film = FILM.replace("tfmcc", scheme);
        dumbbell("duration = \"2 s\"", "rate = \"5 Mbit/s\"\ndelay = \"250 ms\"", &format!("{film}{first}"))
    };
    for scheme in ["tfmcc", "omcc"] {
        let found = known("initial-max-rtt", &text(scheme, ""));
        let [(path, warning)] = &found[..] else { panic!("{found:?}") };
        assert_eq!((path.as_str(), warning.subject.as_str()), ("sessions.film.initial_max_rtt", "film"));
        assert!((warning.value - 0.504).abs() < 1e-12, "{}", warning.value);
        assert!(warning.message.contains("(film-0 on node right-2: 0.504 s)"), "{}", warning.message);
        assert_eq!(known("initial-max-rtt", &text(scheme, "initial_max_rtt = \"504 ms\"\n")), []);
    }
    assert_eq!(known("initial-max-rtt", &text("rlm", "")), []);
    let found = known("initial-max-rtt", &text("smcc", ""));
    assert_eq!(found[0].0, "sessions.film.tfmcc.initial_max_rtt");
    assert_eq!(known("initial-max-rtt", &text("smcc", "tfmcc = { initial_max_rtt = \"504 ms\" }\n")), []);
    // Over legs: 1 + 125 + 200 ms there, 125 + 125 + 1 ms back; the other receiver has 502 ms, which is too much, too.
    let legs = "duration = \"2 s\"\n[topology]\nkind = \"satellite\"\nleg_delays = [\"125 ms\", \"200 ms\"]\n\
                [sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-0\"\n";
    let found = known("initial-max-rtt", legs);
    assert!((found[0].1.value - 0.577).abs() < 1e-12, "{found:?}");
    assert!(found[0].1.message.contains("to 2 of its 2 receivers"), "{found:?}");
}

#[test]
fn a_session_that_nothing_limits_is_told() {
    let text = |rate: &str, more: &str| {
        dumbbell(TIMES, &format!("rate = \"{rate}\"\ndelay = \"20 ms\""), &format!("{FILM}{more}"))
    };
    let capped = "max_rate = \"1 Mbit/s\"\n";
    let found = told("unlimited", &text("5 Mbit/s", capped));
    let [warning] = &found[..] else { panic!("{found:?}") };
    assert_eq!(warning.subject, "film");
    assert!((warning.value / 1e6 - 1.0).abs() < 0.02, "{}", warning.value);
    assert!(warning.message.contains("it sent at its max_rate, 1.000 Mbit/s"), "{}", warning.message);
    // The network limits it where it is narrower, or where packets are lost at random.
    assert_eq!(told("unlimited", &text("800 kbit/s", capped)), []);
    let lossy = "[links.access-right-2]\nloss = { kind = \"bernoulli\", p = 0.02 }\n";
    assert_eq!(told("unlimited", &text("5 Mbit/s", &format!("{capped}{lossy}"))), []);
    // No bound but its source's own link, and nothing narrower.
    let line = "[links.access-left-2]\nrate = \"1 Mbit/s\"\n";
    let found = told("unlimited", &text("5 Mbit/s", line));
    assert!(found[0].message.contains("the fastest link out of its source's node, 1.000 Mbit/s"), "{found:?}");
    // It still grows: nothing is full yet.
    let late = format!("{FILM}start = \"35 s\"\n");
    let late = dumbbell(TIMES, "rate = \"50 Mbit/s\"\ndelay = \"100 ms\"", &late);
    let found = told("unlimited", &late);
    assert!(found[0].message.contains("no link on its way was full"), "{found:?}");
    // Nor did anything limit a constant rate, but it does not ask.
    let constant = FILM.replace("tfmcc", "cbr") + "rate = \"1 Mbit/s\"\n";
    assert_eq!(told("unlimited", &dumbbell(TIMES, "rate = \"5 Mbit/s\"", &constant)), []);
    // One that is over, or that has nobody to receive it, is not limited but away.
    assert_eq!(told("unlimited", &text("5 Mbit/s", &format!("{capped}stop = \"10 s\"\n"))), []);
}

#[test]
fn a_session_whose_receivers_hold_all_layers_is_told() {
    let film =
        "[sessions.film]\nscheme = \"layer-blocking\"\nsource = \"left-2\"\nreceivers = { nodes = [\"right-2\"] }\n";
    let text = |rate: &str| {
        let times = "duration = \"60 s\"\nwarmup = \"30 s\"";
        dumbbell(times, &format!("rate = \"{rate}\"\nagent = {{ kind = \"layer-blocking\" }}"), film)
    };
    let found = told("unlimited", &text("50 Mbit/s"));
    assert!(found[0].message.contains("its receivers held all of its 15 layers"), "{found:?}");
    assert_eq!(told("unlimited", &text("500 kbit/s")), []);
}

#[test]
fn a_probed_link_that_was_no_bottleneck_is_told() {
    let text = |rate: &str, probes: &str| {
        let voice = "[flows.voice]\nkind = \"cbr\"\nrate = \"1 Mbit/s\"\n";
        dumbbell(TIMES, &format!("rate = \"{rate}\""), &format!("{voice}[probes]\nqueues = {probes}\n"))
    };
    let found = told("no-bottleneck", &text("2 Mbit/s", "[\"bottleneck\"]"));
    let [warning] = &found[..] else { panic!("{found:?}") };
    assert_eq!(warning.subject, "bottleneck");
    assert!((warning.value - 0.5).abs() < 0.01, "{}", warning.value);
    assert!(warning.message.contains("used to 50 %"), "{}", warning.message);
    // Where it is nearly full, or not looked at, nothing is said; of its way back, over which nothing goes, it is.
    assert_eq!(told("no-bottleneck", &text("1.1 Mbit/s", "[\"bottleneck\"]")), []);
    assert_eq!(told("no-bottleneck", &text("2 Mbit/s", "[]")), []);
    let back = told("no-bottleneck", &text("1.1 Mbit/s", "[\"bottleneck\", \"bottleneck.back\"]"));
    assert_eq!(back.iter().map(|it| (it.subject.as_str(), it.value)).collect::<Vec<_>>(), [("bottleneck.back", 0.0)]);
    // A short queue that drops is one, however much the link is used.
    let bursts = "[flows.web]\nkind = \"on-off\"\nrate = \"8 Mbit/s\"\non = \"100 ms\"\noff = \"1 s\"\n";
    let link = "rate = \"2 Mbit/s\"\nqueue = { kind = \"drop-tail\", limit = \"5 packets\" }";
    assert_eq!(
        told("no-bottleneck", &dumbbell(TIMES, link, &format!("{bursts}[probes]\nqueues = [\"bottleneck\"]\n"))),
        []
    );
}

#[test]
fn a_run_that_ends_in_its_warm_up_is_not_judged() {
    let text = dumbbell(
        "duration = \"100000 s\"\nwarmup = \"99999 s\"",
        "rate = \"5 Mbit/s\"",
        &format!("{FILM}max_rate = \"1 Mbit/s\"\n[probes]\nqueues = [\"bottleneck\"]\n"),
    );
    let (scenario, control) = (scenario(&text), Control::default());
    let output = std::thread::scope(|scope| {
        let running = scope.spawn(|| run(&scenario, 1, &control, 1));
        while control.progress() == 0.0 && !running.is_finished() {
            std::thread::yield_now();
        }
        control.cancel();
        running.join().expect("it does not panic").expect("it has begun")
    });
    assert!(output.interrupted && output.simulated_s < 99_999.0);
    assert_eq!(output.warnings, []);
}

/// A hub that sends symbols to two legs with these settings, and how often `never-granted` is known.
fn legs(acm: &str, legs: [&str; 2]) -> Vec<(String, Warning)> {
    let of = |number: usize| {
        let said = legs[number];
        format!(
            "[links.leg-{number}]\nleg_of = \"beam\"\nto = \"home-{number}\"\ndelay = \"1 ms\"\n{said}\n\
             [links.back-{number}]\nfrom = \"home-{number}\"\nto = \"hub\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n\
             simplex = true\n[flows.f{number}]\nkind = \"cbr\"\nfrom = \"hub\"\nto = \"home-{number}\"\n"
        )
    };
    known(
        "never-granted",
        &format!(
            "duration = \"2 s\"\nwarmup = \"0 s\"\n[nodes.hub]\n[nodes.home-0]\n[nodes.home-1]\n[links.beam]\n\
             from = \"hub\"\nsymbol_rate = \"1 Mbaud\"\nacm = {{ {acm} }}\n{}{}",
            of(0),
            of(1)
        ),
    )
}

#[test]
fn a_leg_to_which_nothing_is_ever_granted_is_told() {
    // The most robust row needs -2.85 dB.
    let es_n0 = |of: &str| format!("es_n0 = \"{of}\"");
    let found = legs("", [&es_n0("-2.85 dB"), &es_n0("-2.86 dB")]);
    let about: Vec<_> = found.iter().map(|(path, warning)| (path.as_str(), warning.value)).collect();
    assert_eq!(about, [("links.leg-1.es_n0", -2.86)]);
    assert!(found[0].1.message.contains("needs -2.85 dB"), "{}", found[0].1.message);
    // What the loop takes off counts, on the way up, too.
    let by = "margin = \"10 dB\", hysteresis = \"2 dB\"";
    assert_eq!(legs(by, [&es_n0("9.15 dB"), &es_n0("9.14 dB")]).len(), 1);
    // Once is enough; and an efficiency is granted as it is.
    let rises = "es_n0 = \"-20 dB\"\nchanges = [{ at = \"1 s\", es_n0 = \"20 dB\" }]";
    assert!(legs("", [rises, "efficiency = 0.1"]).is_empty());
    let taken = "es_n0 = \"20 dB\"\nchanges = [{ at = \"0 s\", attenuation = \"30 dB\" }]";
    assert_eq!(legs("", [taken, "efficiency = 0.1"]).len(), 1);
}

#[test]
fn a_full_return_channel_is_a_bottleneck_of_each_of_its_terminals() {
    // Five terminals on 100 kbit/s; of the first the queue is probed.
    let of = |access: &str, rate: &str| {
        let flow = |i| {
            format!(
                "[flows.s{i}]\nkind = \"cbr\"\nfrom = \"home-{i}\"\nto = \"hub\"\nrate = \"{rate}\"\n\
                 packet_size = \"125 B\"\n"
            )
        };
        let flows: String = (0..5).map(flow).collect();
        told(
            "no-bottleneck",
            &format!(
                "duration = \"12 s\"\nwarmup = \"2 s\"\n[nodes.hub]\n[nodes.\"home-[0-4]\"]\n[links.\"line-[0-4]\"]\n\
                 from = \"hub\"\nto = \"home-[0-4]\"\nrate = \"1 Mbit/s\"\ndelay = \"10 ms\"\n\
                 queue = {{ limit = \"1000 packets\" }}\n[return_channels.carrier]\nlinks = [\"line-*.back\"]\n\
                 superframe = \"100 ms\"\nslots = 10\npayload = \"125 B\"\naccess = {{ {access} }}\n{flows}\
                 [probes]\nqueues = [\"line-0.back\"]\n"
            ),
        )
    };
    for access in ["kind = \"cra\"", "kind = \"vbdc\"", "kind = \"rbdc\"", "kind = \"vbdc\", free = true"] {
        assert!(of(access, "30 kbit/s").is_empty(), "{access}");
        let light = of(access, "4 kbit/s");
        assert_eq!(light.len(), 1, "{access}");
        // Of its own two slots in ten, or of what the five leave of 100 kbit/s; slots by rates or free ones stay empty.
        assert!((0.03..0.5).contains(&light[0].value), "{access}: {}", light[0].value);
        assert!(light[0].message.contains("give the return channel carrier fewer slots"), "{}", light[0].message);
    }
}
