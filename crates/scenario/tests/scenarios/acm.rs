//! Links that send symbols, from scenarios: capacity against the harmonic mean, the loop, rain, and what is refused.

use crate::support::{go, go_with, integers, numbers, scenario, table, words};
use faircast_scenario::network::Network;
use faircast_scenario::paths::{Demand, paths};
use faircast_scenario::periods::{self, Undivided};
use faircast_scenario::run::RunOutput;
use faircast_scenario::{Problem, Scenario};

/// A satellite whose terminals have these settings as legs, beside what is said of the topology and the traffic.
fn satellite(legs: &[&str], downlink: &str, more: &str) -> String {
    let legs: String = legs.iter().enumerate().map(|(i, leg)| format!("[links.leg-{i}]\n{leg}\n")).collect();
    let right = legs.matches("[links.leg-").count();
    format!(
        "format = 1\nname = \"acm\"\nduration = \"20 s\"\nwarmup = \"2 s\"\n[topology]\nkind = \"satellite\"\n\
         left = 1\nright = {right}\nfeeder = {{ rate = \"100 Mbit/s\", queue = {{ limit = \"1000 packets\" }} }}\n\
         [topology.downlink]\n{downlink}\n{legs}{more}"
    )
}

/// Rain at a latitude of 3 degrees.
fn rain(longitude: f64, more: &str) -> String {
    format!(
        "rain = {{ frequency = \"20 GHz\", elevation = 30, latitude = 3, longitude = {longitude}, height = 5, \
         rate = \"100 mm/h\"{more} }}"
    )
}

/// Constant rates to terminals.
fn streams(count: usize, rate: &str) -> String {
    let of = |i| {
        format!(
            "[flows.stream-{i}]\nkind = \"cbr\"\nfrom = \"left-0\"\nto = \"right-{i}\"\nrate = \"{rate}\"\n\
             jitter = 0.5\npacket_size = \"1000 B\"\n"
        )
    };
    (0..count).map(of).collect()
}

/// The values of a column of a table that stand in rows of a link.
fn of_link(output: &RunOutput, name: &str, link: &str, column: &str) -> Vec<f64> {
    let table = table(output, name);
    let links = words(table, "link");
    numbers(table, column).iter().zip(links).filter(|(_, of)| of == link).map(|(value, _)| *value).collect()
}

fn measured(output: &RunOutput, subject: &str, metric: &str) -> f64 {
    let summary = table(output, "summary");
    let (subjects, metrics) = (words(summary, "subject"), words(summary, "metric"));
    let row = subjects.iter().zip(&metrics).position(|(s, m)| s == subject && m == metric);
    numbers(summary, "value")[row.unwrap_or_else(|| panic!("there is no {metric} of {subject}"))]
}

fn problems(text: &str) -> Vec<String> {
    let said = |problem: &Problem| format!("{}: {}", problem.path, problem.message);
    Scenario::from_toml(text).expect_err("something is wrong").iter().map(said).collect()
}

fn network(text: &str) -> Network {
    scenario(text).expand()
}

#[test]
fn the_capacity_for_equal_flows_is_the_harmonic_mean_of_efficiencies() {
    let efficiencies = [0.434_841, 1.972_253, 4.206_428, 5.900_855];
    let legs: Vec<String> = efficiencies.iter().map(|bits| format!("efficiency = {bits}")).collect();
    let legs: Vec<&str> = legs.iter().map(String::as_str).collect();
    let downlink = "symbol_rate = \"1 Mbaud\"\nqueue = { kind = \"fq-codel\" }";
    // Each flow offers more than all of it.
    let output = go(&satellite(&legs, downlink, &streams(4, "6 Mbit/s")));
    // 4 / (1/0.434841 + 1/1.972253 + 1/4.206428 + 1/5.900855) bits in a symbol: 1.243 of the mean's 3.129.
    let harmonic = 4.0 / efficiencies.iter().map(|bits| 1.0 / bits).sum::<f64>();
    let late = of_link(&output, "links", "downlink", "rate_bps")[2..].iter().sum::<f64>() / 18.0;
    assert!((late / (1e6 * harmonic) - 1.0).abs() < 0.005, "{late} instead of {}", 1e6 * harmonic);
    let sent = measured(&output, "downlink", "bits_per_symbol");
    assert!((sent / harmonic - 1.0).abs() < 0.005, "{sent}");
    // It is full in symbols, of which each leg has what its efficiency takes.
    assert!((measured(&output, "downlink", "efficiency") - 1.0).abs() < 1e-3);
    for (leg, bits) in efficiencies.iter().enumerate() {
        let part = measured(&output, &format!("leg-{leg}"), "efficiency");
        assert!((part - harmonic / 4.0 / bits).abs() < 0.01, "{leg}: {part}");
        assert!((measured(&output, &format!("leg-{leg}"), "bits_per_symbol") - bits).abs() < 1e-9);
    }
}

#[test]
fn three_hundred_legs_take_the_symbols_that_their_packets_need() {
    let bits = |leg: usize| 0.5 + 0.015 * leg as f64;
    let legs: Vec<String> = (0..300).map(|leg| format!("efficiency = {}", bits(leg))).collect();
    let legs: Vec<&str> = legs.iter().map(String::as_str).collect();
    let text =
        satellite(&legs, "symbol_rate = \"5 Mbaud\"\nqueue = { limit = \"1000 packets\" }", &streams(300, "20 kbit/s"));
    let output = go(&text.replace("\"20 s\"", "\"6 s\""));
    let needed: f64 = (0..300).map(|leg| 20e3 / bits(leg)).sum::<f64>() / 5e6;
    let used = of_link(&output, "links", "downlink", "utilisation")[2..].iter().sum::<f64>() / 4.0;
    assert!((used / needed - 1.0).abs() < 0.01, "{used} instead of {needed}");
    assert_eq!(measured(&output, "downlink", "drops_all"), 0.0);
}

#[test]
fn a_session_is_sent_as_its_worst_member_needs_and_the_floor_leaves_it_out() {
    let session = "[sessions.film]\nscheme = \"cbr\"\nsource = \"left-0\"\nrate = \"400 kbit/s\"\n\
                   receivers = { nodes = [\"right-0\", \"right-1\"] }\n";
    let legs = ["es_n0 = \"13 dB\"", "es_n0 = \"-1 dB\""];
    let of = |acm: &str| go(&satellite(&legs, &format!("symbol_rate = \"1 Mbaud\"\n{acm}"), session));
    let (all, best) = (of(""), of("acm = { floor = 1.0 }"));
    // At -1 dB QPSK 1/3 comes through, at 13 dB 32APSK 3/4.
    assert!((measured(&all, "downlink", "efficiency") - 0.4 / 0.656_448).abs() < 0.01);
    assert!((measured(&best, "downlink", "efficiency") - 0.4 / 3.703_295).abs() < 0.01);
    assert_eq!(measured(&all, "leg-1", "undecoded_all"), 0.0);
    let (lost, came) = (measured(&best, "leg-1", "undecoded_all"), measured(&best, "leg-1", "lost_all"));
    assert!(lost > 900.0 && lost == came, "{lost} {came}");
    assert_eq!(measured(&best, "leg-0", "lost_all"), 0.0);
}

#[test]
fn the_loop_is_late_and_what_comes_meanwhile_is_lost() {
    // From 13 to 3 dB at 10 s, reported at 10.5 s, granted 0.8 s later; and back at 15.2 s, by 0.8 s after 16 s.
    let legs = ["es_n0 = \"13.05 dB\"\nchanges = [{ at = \"10 s\", attenuation = \"10 dB\" }, \
                 { at = \"15.2 s\", attenuation = \"0 dB\" }]"];
    let downlink = "symbol_rate = \"1 Mbaud\"\nacm = { report_interval = \"500 ms\", report_delay = \"300 ms\", \
                    switching_delay = \"500 ms\" }";
    let output = go(&satellite(&legs, downlink, &streams(1, "800 kbit/s")));
    let granted = of_link(&output, "acm", "leg-0", "granted_bits_per_symbol");
    let present = of_link(&output, "acm", "leg-0", "present_bits_per_symbol");
    // 3.05 dB lets QPSK 3/5 through, 13.05 dB 32APSK 7/9.
    let steps = |values: &[f64]| -> Vec<(usize, f64)> {
        let changed = |&at: &usize| at == 0 || values[at] != values[at - 1];
        (0..values.len()).filter(changed).map(|at| (at + 1, values[at])).collect()
    };
    assert_eq!(steps(&present), [(1, 3.841_226), (10, 1.188_304), (16, 3.841_226)]);
    assert_eq!(steps(&granted), [(1, 3.841_226), (11, 1.188_304), (17, 3.841_226)]);
    // What is sent until 10.8 s is lost: the first report at 10 s says it already.
    let lost = integers(table(&output, "acm"), "undecoded_pkts").iter().sum::<i64>();
    let packets = 0.8 * 800e3 / 8000.0;
    assert!((lost as f64 - packets).abs() <= 3.0, "{lost} of {packets}");
    assert_eq!(measured(&output, "leg-0", "lost_all"), lost as f64);
}

#[test]
fn the_table_is_there_where_links_send_symbols_also_without_rows() {
    let text = |downlink: &str| satellite(&["es_n0 = \"13 dB\""], downlink, &streams(1, "100 kbit/s"));
    let symbols = text("symbol_rate = \"1 Mbaud\"");
    let tables = |text: &str| go(text).tables.iter().map(|table| table.name).collect::<Vec<_>>();
    let columns =
        |output: &RunOutput| table(output, "acm").columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
    let (probed, unprobed) = (go(&symbols), go(&format!("{symbols}[probes]\nlinks = false\n")));
    assert!(table(&probed, "acm").rows() > 0);
    assert_eq!((table(&unprobed, "acm").rows(), columns(&unprobed)), (0, columns(&probed)));
    // As those of links, behind which it stands.
    assert_eq!(table(&unprobed, "links").rows(), 0);
    assert_eq!(tables(&symbols), unprobed.tables.iter().map(|table| table.name).collect::<Vec<_>>());
    assert!(!tables(&text("rate = \"1 Mbit/s\"").replace("es_n0 = \"13 dB\"", "")).contains(&"acm"));
}

#[test]
fn rain_is_that_of_the_seed_and_one_place_has_one_rain() {
    let leg = |longitude| format!("es_n0 = \"12 dB\"\n{}", rain(longitude, ", probability = 0.6"));
    let legs = [leg(101.0), leg(101.0), leg(104.0)];
    let legs: Vec<&str> = legs.iter().map(String::as_str).collect();
    let text =
        satellite(&legs, "symbol_rate = \"1 Mbaud\"", &streams(3, "10 kbit/s")).replace("\"20 s\"", "\"5000 s\"");
    let text = format!("{text}[probes]\ninterval = \"20 s\"\n");
    let present = |output: &RunOutput, leg: &str| of_link(output, "acm", leg, "present_bits_per_symbol");
    let first = go_with(&text, 3);
    assert_eq!(present(&first, "leg-0"), present(&first, "leg-1"));
    assert_ne!(present(&first, "leg-0"), present(&first, "leg-2"));
    assert_eq!(present(&first, "leg-2"), present(&go_with(&text, 3), "leg-2"));
    assert_ne!(present(&first, "leg-0"), present(&go_with(&text, 4), "leg-0"));
    // Without a loop only what is in transmission when the rain grows is lost.
    let lost = ["leg-0", "leg-1", "leg-2"].map(|leg| measured(&first, leg, "undecoded_all"));
    assert!(lost.iter().all(|&lost| lost < 10.0), "{lost:?}");
}

#[test]
fn a_link_that_sends_symbols_has_the_rate_that_it_has_at_best() {
    let rate = |legs: &[&str]| {
        let network = network(&satellite(legs, "symbol_rate = \"2 Mbaud\"", &streams(1, "10 kbit/s")));
        ["downlink", "leg-0"].map(|name| network.links[network.link(name).expect("a link") as usize].rate.0)
    };
    assert_eq!(rate(&["efficiency = 0.5", "efficiency = 4.25"]), [8_500_000; 2]);
    assert_eq!(rate(&["efficiency = 0.5\nchanges = [{ at = \"5 s\", efficiency = 6 }]"]), [12_000_000; 2]);
    assert_eq!(rate(&["es_n0 = \"13 dB\"\nchanges = [{ at = \"0 s\", attenuation = \"10 dB\" }]"]), [2_376_608; 2]);
    assert_eq!(rate(&["es_n0 = \"-9 dB\""]), [869_682; 2], "always in an outage: the most robust");
}

#[test]
fn what_does_not_go_together_is_said_in_one_sentence() {
    let of = |leg: &str, downlink: &str| problems(&satellite(&[leg], downlink, &streams(1, "10 kbit/s")));
    let symbols = "symbol_rate = \"1 Mbaud\"";
    for (leg, downlink, said) in [
        (
            "es_n0 = \"3 dB\"",
            "symbol_rate = \"1 Mbaud\"\nacm = { floor = 6 }",
            "links.downlink.acm.floor: 6 given, which no leg is ever granted, so that nobody is left out; legal is up \
             to 5.900855, the most that a leg can receive here",
        ),
        (
            "efficiency = 7",
            "symbol_rate = \"1 Mbaud\"\nacm = { floor = 7.5 }",
            "links.downlink.acm.floor: 7.5 given, which no leg is ever granted, so that nobody is left out; legal is \
             up to 7, the most that a leg can receive here",
        ),
        (
            "efficiency = 2",
            "rate = \"1 Mbit/s\"",
            "links.leg-0.efficiency: the link downlink has a rate, which is that of all its legs: leave efficiency \
             out, or give downlink a symbol_rate in its place",
        ),
        (
            "changes = [{ at = \"1 s\", attenuation = \"3 dB\" }]",
            "",
            "links.leg-0.changes[0].attenuation: the link downlink has a rate, which is that of all its legs: leave \
             changes[0].attenuation out, or give downlink a symbol_rate in its place",
        ),
        ("", symbols, "links.leg-0: efficiency or es_n0 missing: the link downlink sends symbols"),
        (
            "efficiency = 2\nes_n0 = \"3 dB\"",
            symbols,
            "links.leg-0.efficiency: es_n0 is given as well, from which it follows: say one of them",
        ),
        (
            "efficiency = 2\nchanges = [{ at = \"1 s\", attenuation = \"3 dB\" }]",
            symbols,
            "links.leg-0.changes[0].attenuation: this leg has an efficiency, which no Es/N0 decides: say es_n0 in its \
             place",
        ),
        (
            "es_n0 = \"3 dB\"\nchanges = [{ at = \"1 s\", efficiency = 3 }]",
            symbols,
            "links.leg-0.changes[0].efficiency: this leg has an Es/N0, from which its efficiency follows: change \
             es_n0 or attenuation",
        ),
        (
            "es_n0 = \"3 dB\"",
            "rate = \"1 Mbit/s\"\nsymbol_rate = \"1 Mbaud\"",
            "links.downlink.symbol_rate: a rate is given as well: say one of them",
        ),
        (
            "",
            "acm = { margin = \"1 dB\" }",
            "links.downlink.acm: this link has a rate, whatever its legs receive: say symbol_rate in its place, or \
             leave acm out",
        ),
        (
            "efficiency = 2",
            "symbol_rate = \"1 Mbaud\"\nchanges = [{ at = \"1 s\", rate = \"1 Mbit/s\" }]",
            "links.downlink.changes[0].rate: this link sends symbols: what changes is efficiency or es_n0 of its legs",
        ),
        (
            "efficiency = 2",
            "symbol_rate = \"1 Mbaud\"\nacm = { averaging = \"1 s\" }",
            "links.downlink.acm.averaging: a mean is reported from time to time: say report_interval as well",
        ),
        (
            "efficiency = 2",
            "symbol_rate = \"1 Mbaud\"\nacm = { report_interval = \"1 ms\" }",
            "links.downlink.acm.report_interval: 0.001 s given; legal is 0 s, or at least 10 ms",
        ),
        (
            "efficiency = 2",
            "symbol_rate = \"1 Mbaud\"\nefficiency = 2",
            "topology.downlink.efficiency: efficiency belongs to the legs of this link: leave it out",
        ),
        ("efficiency = 0.01", symbols, "links.leg-0.efficiency: 0.01 is not legal; legal is a number from 0.1 to 20"),
        (
            "efficiency = 2\nsymbol_rate = \"1 Mbaud\"",
            symbols,
            "links.leg-0.symbol_rate: symbol_rate belongs to the link with this leg: leave it out",
        ),
        (
            "es_n0 = \"3 dB\"\nchanges = [{ at = \"1 s\", es_n0 = \"1 dB\" }, { at = \"1 s\", es_n0 = \"2 dB\" }]",
            symbols,
            "links.leg-0.changes[1].es_n0: changes at 1 s a second time, after changes[0]; legal is once at one \
             instant",
        ),
        (
            "es_n0 = \"3\"",
            symbols,
            "links.leg-0.es_n0: 3 has no unit: write a number of decibels as text with its unit, e.g. \"3 dB\"",
        ),
    ] {
        let all = of(leg, downlink);
        assert!(all.iter().any(|one| one == said), "{said}\nof {all:#?}");
        assert_eq!(all.len(), 1, "{all:#?}");
    }
    let plain = "[links.feeder]\nsymbol_rate = \"1 Mbaud\"\n";
    let all = problems(&satellite(&["efficiency = 2"], symbols, &format!("{plain}{}", streams(1, "10 kbit/s"))));
    assert_eq!(
        all,
        ["links.feeder.symbol_rate: only links with legs send symbols: leave it out, or make this link \
                      one with legs (leg_of)"]
    );
    let leg = format!("es_n0 = \"3 dB\"\n{}", rain(1.0, ""));
    let text = satellite(&[&leg], symbols, &streams(1, "10 kbit/s"));
    let long = problems(&text.replace("\"20 s\"", "\"8000 h\""));
    assert!(long[0].contains("legal is"), "{long:?}");
}

#[test]
fn paths_say_what_a_bit_takes_of_the_symbols() {
    let session = "[sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-0\"\nreceivers = { nodes = \"right-*\" }\n\
                   [flows.mail]\nkind = \"tcp\"\nto = \"right-1\"\n";
    let legs = ["efficiency = 4", "efficiency = 0.5", "es_n0 = \"-20 dB\""];
    let of = |acm: &str| paths(&network(&satellite(&legs, &format!("symbol_rate = \"2 Mbaud\"\n{acm}"), session)));
    let all = of("");
    let carrier = all.links.iter().position(|(name, _)| name == "downlink").expect("a link") as u32;
    assert_eq!(all.links[carrier as usize].1, 2_000_000);
    let [mail, film] = &all.demands[..] else { panic!("{all:#?}") };
    assert_eq!(mail.efficiencies, [vec![(carrier, 0.5)]]);
    assert_eq!(film.efficiencies, [vec![(carrier, 4.0)], vec![(carrier, 0.5)], vec![]]);
    let reached = |demand: &Demand| demand.receivers.iter().map(|one| one.1.len()).collect::<Vec<_>>();
    assert_eq!((reached(mail), reached(film)), (vec![3], vec![3, 3, 0]), "one is in an outage");
    let floor = of("acm = { floor = 2 }");
    assert_eq!((reached(&floor.demands[0]), reached(&floor.demands[1])), (vec![3], vec![3, 0, 0]));
}

#[test]
fn periods_begin_when_a_leg_receives_something_else_and_there_are_none_in_the_rain() {
    let leg = "es_n0 = \"12 dB\"\nchanges = [{ at = \"11 s\", attenuation = \"8 dB\" }]";
    let tcp = "[flows.mail]\nkind = \"tcp\"\n";
    let symbols = "symbol_rate = \"2 Mbaud\"";
    let known =
        periods::measured(&network(&satellite(&[leg], symbols, tcp))).unwrap_or_else(|_| panic!("it is divided"));
    let said: Vec<_> = known.periods.iter().map(|it| (it.part, it.paths.demands[0].efficiencies[0][0].1)).collect();
    assert_eq!(said, [(0.5, 3.510_192), (0.5, 1.322_253)]);
    let rain = rain(1.0, "");
    let raining = periods::measured(&network(&satellite(&[&format!("{leg}\n{rain}")], symbols, tcp)));
    assert!(matches!(raining, Err(Undivided::Rain(leg)) if leg == "leg-0"));
}
