//! DualPI2 in whole runs: ECT(1) beside what is classic, and what is worth a warning.

use crate::support::{go_with as go, numbers, scenario, table, value, words};
use faircast_scenario::run::RunOutput;
use faircast_scenario::{Scenario, warning};

/// Twenty NewReno flows, and a constant rate with ECT(1), over a bottleneck with a round-trip time of 24 ms.
fn beside(queue: &str, rate: &str, mbit_of_cbr: f64, count: u32) -> String {
    let tcps = match count {
        0 => String::new(),
        count => format!(
            "[flows.web]\nkind = \"tcp\"\nvariant = \"newreno\"\ncount = {count}\nmss = \"960 B\"\nhdr = \"40 B\"\n\
             start_jitter = \"1 s\"\nsend_jitter = \"1 ms\"\n"
        ),
    };
    format!(
        "format = 1\nname = \"x\"\nduration = \"60 s\"\nwarmup = \"20 s\"\n[topology]\nkind = \"dumbbell\"\n\
         left = 21\nright = 21\n[links.\"access-*\"]\ndelay = \"1 ms\"\nrate = \"1 Gbit/s\"\n\
         [links.bottleneck]\nrate = \"{rate}\"\ndelay = \"10 ms\"\nqueue = {queue}\n{tcps}\
         [flows.game]\nkind = \"cbr\"\nrate = \"{mbit_of_cbr} Mbit/s\"\npacket_size = \"1000 B\"\njitter = 0.5\n\
         ecn = \"ect1\"\nfrom = \"left-20\"\nto = \"right-20\"\n\
         [probes]\nqueues = [\"bottleneck\"]\npackets = [\"bottleneck\"]\n"
    )
}

/// What a queue has done with the packets of a kind after the warm-up.
#[derive(Debug, Default)]
struct Fate {
    came: f64,
    marked: f64,
    dropped: f64,
    /// Seconds from arrival to departure, each.
    delays: Vec<f64>,
}

fn fates(output: &RunOutput, is_of: impl Fn(&str) -> bool) -> Fate {
    let packets = table(output, "packets");
    let (at, action) = (numbers(packets, "t_s"), words(packets, "action"));
    let (subject, number) = (words(packets, "flow"), numbers(packets, "number"));
    let mut fate = Fate::default();
    let mut since = std::collections::BTreeMap::new();
    for row in 0..at.len() {
        if at[row] < 20.0 || !is_of(&subject[row]) {
            continue;
        }
        let whose = (subject[row].clone(), number[row] as u64);
        match action[row].as_str() {
            "accepted" => {
                fate.came += 1.0;
                since.insert(whose, at[row]);
            }
            "marked-moderate" => fate.marked += 1.0,
            "dropped-active" => fate.dropped += 1.0,
            "departed" => fate.delays.extend(since.remove(&whose).map(|since| at[row] - since)),
            other => panic!("{other}"),
        }
    }
    fate.delays.sort_by(f64::total_cmp);
    fate
}

/// The delay that such a part of the packets has at most, ms.
fn percentile_ms(fate: &Fate, part: f64) -> f64 {
    1e3 * fate.delays[(part * (fate.delays.len() - 1) as f64) as usize]
}

const DUAL: &str = "{ kind = \"dualpi2\" }";

#[test]
fn what_says_ect1_waits_for_next_to_nothing_and_both_are_coupled() {
    // Measured in six such runs: p_CL between 0.989 and 0.998 of k √p_C, classic delays around 15.7 ms, half of the
    // others below 0.62 ms, of which 0.4 ms are the transmission.
    for (count, mbit) in [(20, 2.0), (10, 4.0), (20, 10.0)] {
        let output = go(&beside(DUAL, "20 Mbit/s", mbit, count), 1);
        let (game, web) = (fates(&output, |flow| flow == "game"), fates(&output, |flow| flow != "game"));
        assert!(game.dropped == 0.0 && web.marked == 0.0, "{game:?}");
        let coupled = 2.0 * (web.dropped / web.came).sqrt();
        assert!(
            (game.marked / game.came / coupled - 1.0).abs() < 0.02,
            "{count}: {} {coupled}",
            game.marked / game.came
        );
        let median_ms = percentile_ms(&web, 0.5);
        assert!((median_ms / 15.5 - 1.0).abs() < 0.1, "{count}: {median_ms} ms");
        let (half_ms, most_ms) = (percentile_ms(&game, 0.5), percentile_ms(&game, 0.99));
        assert!(half_ms < 0.8 && most_ms < 1.5, "{count}: {half_ms} {most_ms} ms");
        assert!((value(&output, "game", "rate") / (mbit * 1e6) - 1.0).abs() < 0.01);
        assert!(value(&output, "bottleneck", "efficiency") > 0.99);
    }
}

#[test]
fn a_rate_that_has_changed_leaves_the_coupling_and_the_target() {
    // From 20 Mbit/s to 8 ten seconds before anything is measured, and from 5 to 20. Measured 0.992 and 0.996 of
    // k √p_C, classic delays of 16.5 and 15.7 ms, and 1.53 and 0.62 ms of ECT(1), of which 1 and 0.4 are transmission.
    for (first, then, mbit) in [("20 Mbit/s", "8 Mbit/s", 1.0), ("5 Mbit/s", "20 Mbit/s", 2.0)] {
        let queue = format!("{DUAL}\nchanges = [{{ at = \"10 s\", rate = \"{then}\" }}]");
        let output = go(&beside(&queue, first, mbit, 10), 1);
        let (game, web) = (fates(&output, |flow| flow == "game"), fates(&output, |flow| flow != "game"));
        let ratio = game.marked / game.came / (2.0 * (web.dropped / web.came).sqrt());
        let (median_ms, half_ms) = (percentile_ms(&web, 0.5), percentile_ms(&game, 0.5));
        assert!((ratio - 1.0).abs() < 0.02, "{first}: {ratio}");
        assert!((median_ms / 15.5 - 1.0).abs() < 0.1, "{first}: {median_ms} ms");
        assert!(half_ms < 2.0, "{first}: {half_ms} ms");
    }
}

#[test]
fn more_than_the_link_carries_is_dropped_at_the_target_of_the_classic_queue() {
    let output = go(&beside(DUAL, "20 Mbit/s", 25.0, 0), 1);
    let game = fates(&output, |_| true);
    assert!((game.dropped / game.came - 0.2).abs() < 0.01, "{} of {}", game.dropped, game.came);
    let median_ms = percentile_ms(&game, 0.5);
    assert!((median_ms / 15.4 - 1.0).abs() < 0.1, "{median_ms} ms");
    // Beside TCP it takes all but the share that the classic queue is sure of, which has no use for it: each flow has
    // lost what it sent.
    let output = go(&beside(DUAL, "20 Mbit/s", 25.0, 10), 1);
    let rate = value(&output, "game", "rate");
    assert!((18.75e6..20e6).contains(&rate), "{rate}");
}

#[test]
fn a_queue_that_does_not_know_ect1_is_named() {
    let kinds = |queue: &str| -> Vec<&'static str> {
        let known = warning::known(&scenario(&beside(queue, "20 Mbit/s", 2.0, 2)));
        known.into_iter().map(|known| known.warning.kind).collect()
    };
    let strange = |queue: &str| kinds(queue).contains(&"ect1-unknown");
    assert!(strange("{ kind = \"fq-codel\" }"));
    assert!(strange("{ kind = \"red\", ecn = true }"));
    assert!(strange("{ kind = \"mecn\" }"));
    assert!(!strange(DUAL));
    // They mark nothing, or those who answer each mark a little apart from others.
    assert!(!strange("{ kind = \"codel\" }"));
    assert!(!strange("{ kind = \"fq-codel\", ce_threshold = \"1 ms\" }"));
}

#[test]
fn no_session_says_ect1() {
    let text = beside(DUAL, "20 Mbit/s", 2.0, 2)
        + "[sessions.film]\nscheme = \"cbr\"\nsource = \"left-0\"\nreceivers = { nodes = [\"right-0\"] }\n";
    assert_eq!(Scenario::from_toml(&(text.clone() + "ecn = \"ect0\"\n")).err(), None);
    let problems = Scenario::from_toml(&(text + "ecn = \"ect1\"\n")).expect_err("it is refused");
    assert_eq!(problems[0].path, "sessions.film.ecn");
    assert!(problems[0].message.contains("\"off\" and \"ect0\""), "{problems:?}");
}
