//! The forecast of memory is never low, and not high beyond what it must assume.
#![cfg(target_os = "linux")]

use faircast_scenario::memory::Forecast;
use faircast_scenario::run::Control;
use faircast_scenario::{Scenario, run};

fn text(duration: &str, rest: &str) -> String {
    format!("format = 1\nname = \"x\"\nduration = \"{duration}\"\n{rest}")
}

fn scenario(text: &str) -> Scenario {
    Scenario::from_toml(text).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// A constant rate of 10^6 packets a second over a link of `rate`; what the link cannot carry waits.
fn flood(duration: &str, rate: &str, limit: &str, probes: &str) -> String {
    text(
        duration,
        &format!(
            "[nodes.a]\n[nodes.b]\n[links.l]\nfrom = \"a\"\nto = \"b\"\nrate = \"{rate}\"\ndelay = \"10 ms\"\n\
             queue = {{ kind = \"drop-tail\", limit = \"{limit}\" }}\n\
             [links.l.back]\nrate = \"100 bit/s\"\n[flows.x]\nkind = \"cbr\"\n\
             from = \"a\"\nto = \"b\"\nrate = \"800 Mbit/s\"\npacket_size = \"100 B\"\n\
             [probes]\nflows = false\nlinks = false\n{probes}"
        ),
    )
}

/// What is run, by name, and how many times what it takes may be forecast.
fn cases() -> Vec<(&'static str, String, f64)> {
    let dumbbell = |n: u32, probes: &str| {
        let hosts = format!("[topology]\nkind = \"dumbbell\"\nleft = {n}\nright = {n}\n");
        text("2 s", &format!("{hosts}[flows.web]\nkind = \"tcp\"\ncount = {n}\n{probes}"))
    };
    let tree = "[topology]\nkind = \"tree\"\ndepth = 10\n[sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-0\"\n";
    let idle = "[topology]\nkind = \"dumbbell\"\nleft = 5000\nright = 5000\n[flows.web]\nkind = \"tcp\"\ncount = 3\n";
    // Many groups, agents that tell of all of them, and a way that comes and goes.
    let layers = "[topology]\nkind = \"dumbbell\"\nleft = 8\nright = 8\n\
        [links.bottleneck]\nchanges = [{ at = \"1 s\", up = false }, { at = \"1.1 s\", up = true }]\n\
        [links.bottleneck.agent]\nkind = \"monitor\"\n\
        [flows.web]\nkind = \"tcp\"\ncount = 8\n\
        [sessions.film]\nscheme = \"layered-cbr\"\nsource = \"left-0\"\nannounce = \"apart\"\n\
        packet_size = \"100 B\"\n";
    let rates = format!("rates = [{}]\n", ["\"8 kbit/s\""; 120].join(", "));
    let layers = format!("{layers}{rates}[probes]\ninterval = \"2 ms\"\n");
    let pair = "[nodes.a]\n[nodes.b]\n[links.l]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"1 ms\"\n";
    let rare = "[flows.x]\nkind = \"cbr\"\nfrom = \"a\"\nto = \"b\"\nrate = \"1 kbit/s\"\ncount = 4000\n";
    let rare = format!("{pair}{rare}[probes]\nflows = false\n");
    let film = |i| {
        let receivers = "receivers = { nodes = [\"b\"] }";
        format!("[sessions.film-{i}]\nscheme = \"smcc\"\nsource = \"a\"\nbase_rate = \"1 kbit/s\"\n{receivers}\n")
    };
    let films = format!("{pair}{}[probes]\nflows = false\n", (0..400).map(film).collect::<String>());
    // What nothing bounds beforehand is assumed at its most: how full TCP makes queues, how many of its packets are
    // under way at once, and that a vector has just doubled.
    vec![
        ("packets that wait", flood("200 ms", "1 Mbit/s", "1000000000 packets", ""), 4.0),
        ("events at a queue", flood("200 ms", "10 kbit/s", "50 packets", "packets = [\"l\"]"), 4.0),
        ("many flows", dumbbell(500, ""), 4.0),
        ("many flows of few packets", text("2 s", &rare), 4.0),
        ("many sessions of many groups", text("2 s", &films), 4.0),
        ("many rows", dumbbell(40, "[probes]\ninterval = \"5 ms\""), 4.0),
        ("many receivers", text("2 s", tree), 4.0),
        ("many groups on a way that comes and goes", text("2 s", &layers), 4.0),
        ("many idle hosts", text("2 s", &format!("{idle}[probes]\nlinks = false\n")), 4.0),
    ]
}

/// In a process of its own, told by the environment: runs a case and says what that took at its peak, bytes.
#[test]
fn one_case() {
    let Some(case) = std::env::var("FAIRCAST_MEMORY_CASE").ok().and_then(|text| text.parse::<usize>().ok()) else {
        return;
    };
    let kibibytes = |key: &str| {
        let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
        let line = status.lines().find_map(|line| line.strip_prefix(key)).expect("it is there").to_owned();
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("it is a number")
    };
    let (_, text, _) = cases().swap_remove(case);
    // What reading any scenario loads is no part of this one; what it leaves free would hide what the run takes.
    scenario(&flood("1 s", "1 Mbit/s", "1 packets", ""));
    let before = kibibytes("VmRSS:");
    run(&scenario(&text), 1, &Control::default(), 1).unwrap_or_else(|problems| panic!("{problems:#?}"));
    println!("peak {}", 1024 * (kibibytes("VmHWM:") - before));
}

#[test]
fn what_runs_take_is_forecast() {
    let mut wrong = String::new();
    for (case, (what, text, factor)) in cases().into_iter().enumerate() {
        let own = std::env::current_exe().expect("this program runs");
        let mut command = std::process::Command::new(own);
        command.args(["--exact", "one_case", "--nocapture"]).env("FAIRCAST_MEMORY_CASE", case.to_string());
        let said = String::from_utf8(command.output().expect("it runs").stdout).expect("it is text");
        let peak = said.split("peak ").nth(1).and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
        let (peak, forecast) =
            (peak.unwrap_or_else(|| panic!("{what}: {said}")), Forecast::of(&scenario(&text).expand()).bytes());
        let line = format!("{what}: {:.1} MB at the peak, {:.1} MB forecast\n", peak / 1e6, forecast / 1e6);
        print!("{line}");
        if forecast < peak || forecast > factor * peak {
            wrong += &line;
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn what_nobody_can_hold_is_refused() {
    // 50 GB on a link that is not the slowest: the other direction is.
    let waiting = Forecast::of(&scenario(&flood("400 s", "10 Mbit/s", "1000000000 packets", "")).expand());
    let problem = waiting.too_large(20e9).expect("4e8 packets wait");
    assert!(problem.message.starts_with("too large for memory: up to "), "{problem}");
    assert!(problem.message.contains("20.0 GB are free for it") && problem.message.ends_with("for packets under way"));
    assert!(waiting.too_large(1e12).is_none());
    // Far more packets come to the queue than leave it.
    let rows = Forecast::of(&scenario(&flood("600 s", "10 kbit/s", "50 packets", "packets = [\"l\"]")).expand());
    assert!(rows.bytes() > 6e8 * 40.0, "{:.1} GB", rows.bytes() / 1e9);
    assert_eq!(rows.too_large(1e9).map(|problem| problem.path), Some("probes.packets".to_owned()));
}

/// Of web traffic nothing is asked here: its packets do not count, whose flows have other numbers in the forecast.
#[test]
fn only_packets_of_flows_that_are_kept_count() {
    let rows = |kept: &str| {
        let network = scenario(&text(
            "100 s",
            &format!(
                "[topology]\nkind = \"dumbbell\"\nleft = 3\nright = 3\nbottleneck = {{ rate = \"10 Mbit/s\" }}\n\
                 [flows.steady]\nkind = \"cbr\"\nrate = \"8 kbit/s\"\npacket_size = \"1000 B\"\n\
                 [flows.pages]\nkind = \"web\"\ncount = 2\nload = 0.5\nlink = \"bottleneck\"\n\
                 size = {{ kind = \"constant\", bytes = \"100 KB\" }}\n\
                 [sessions.film]\nscheme = \"cbr\"\nsource = \"left-0\"\nrate = \"80 kbit/s\"\n\
                 packet_size = \"1000 B\"\n[probes]\npackets = [\"bottleneck\"]\npackets_flows = [{kept}]\n"
            ),
        ))
        .expand();
        Forecast::of(&network).part("events at queues")
    };
    let [all, steady, film, pages] = ["", "\"steady\"", "\"film\"", "\"pages\""].map(rows);
    // 101 packets and 1001, each of which comes and goes.
    assert!((film / steady - 1001.0 / 101.0).abs() < 1e-9, "{film} {steady}");
    assert!(pages > 20.0 * film && (all - steady - film - pages).abs() < 0.01 * all, "{all} {steady} {film} {pages}");
}

#[test]
fn hosts_without_traffic_cost_no_packets() {
    let hosts = text(
        "60 s",
        "[topology]\nkind = \"dumbbell\"\nleft = 20000\nright = 20000\n\
         [flows.web]\nkind = \"tcp\"\ncount = 10\n[probes]\nlinks = false",
    );
    let bytes = Forecast::of(&scenario(&hosts).expand()).bytes();
    assert!(bytes < 4e8, "{:.1} GB", bytes / 1e9);
}
