use super::*;
use crate::scheme::Scheme;

fn read(given: &str) -> Config {
    serde_json::from_str(given).unwrap()
}

fn wrong(given: &str) -> Vec<(String, String)> {
    read(given).check()
}

fn fields(given: &str) -> Vec<String> {
    wrong(given).into_iter().map(|(field, _)| field).collect()
}

#[test]
fn defaults_are_legal_and_come_back() {
    let config = Config::default();
    assert_eq!(config.check(), []);
    let text = serde_json::to_string(&config).unwrap();
    assert!(text.contains(r#""tfmcc":{"#) && !text.contains("bounds"), "{text}");
    assert_eq!(read(&text), config);
    assert_eq!(config.bounds(), [1, 2, 4, 8].map(|mbps| Rate(1_000_000 * mbps)));
}

#[test]
fn bounds_are_given_or_progress() {
    let config = read(r#"{"base_rate": "300 kbit/s", "layers": 3, "growth": 1.5}"#);
    assert_eq!(config.bounds(), [300_000, 450_000, 675_000].map(Rate));
    let config = read(r#"{"bounds": ["1 Mbit/s", "1.2 Mbit/s", "7 Mbit/s"]}"#);
    assert_eq!((config.check(), config.layer_bounds().floor_bps(2)), (vec![], 1.2e6));
}

#[test]
fn counting_layers_follow_the_layers_set_by_set() {
    let config = Config::default();
    let sets = config.period_sets();
    let of = |set: &PeriodSet| (set.ticks, set.layers, set.first_group);
    assert_eq!(sets.iter().map(of).collect::<Vec<_>>(), [(1, 5, 4), (2, 6, 9), (4, 7, 15), (8, 8, 22), (16, 9, 30)]);
    let plans = config.group_plans();
    assert_eq!(plans.len(), 39);
    assert_eq!((plans[3].role, plans[4].role, plans[4].senders), (Role::Layer(3), Role::Control, Senders::Source));
    assert_eq!(GroupPlan::complaint(&plans), None);
    let config = read(r#"{"rtts": ["20 ms", "80 ms"], "phases": 2, "layers": 2}"#);
    // 1.25 · 2e6 · 0.02 / 8000 = 6.25 and 25 packets.
    assert_eq!(config.period_sets().iter().map(of).collect::<Vec<_>>(), [(1, 3, 2), (4, 5, 8)]);
    assert_eq!(config.group_plans().len(), 2 + 2 * 8);
    for given in [r#"{"join": "direct"}"#, r#"{"layers": 1}"#] {
        let config = read(given);
        assert_eq!((config.check(), config.group_plans().len()), (vec![], config.bounds().len()), "{given}");
    }
}

#[test]
fn each_illegal_value_is_named() {
    for (given, expected) in [
        (r#"{"layers": 0}"#, vec!["layers"]),
        (r#"{"layers": 129}"#, vec!["layers"]),
        (r#"{"growth": 1, "base_rate": "1 bit/s"}"#, vec!["growth"]),
        (r#"{"growth": 0.5}"#, vec!["growth"]),
        (r#"{"growth": 1.0000001, "layers": 2, "base_rate": "1 kbit/s"}"#, vec!["growth"]),
        (r#"{"layers": 60, "base_rate": "500 kbit/s"}"#, vec!["layers"]),
        (r#"{"base_rate": "999 bit/s"}"#, vec!["base_rate"]),
        (r#"{"base_rate": "2 Mbit/s", "layers": 30}"#, vec!["layers"]),
        (r#"{"bounds": []}"#, vec!["bounds"]),
        (r#"{"bounds": ["1 Mbit/s", "1 Mbit/s"]}"#, vec!["bounds[1]"]),
        (r#"{"bounds": ["2 Mbit/s", "3 Mbit/s", "1 Mbit/s"]}"#, vec!["bounds[2]"]),
        (r#"{"bounds": ["0 bit/s", "3 Mbit/s"]}"#, vec!["bounds[0]"]),
        (r#"{"bounds": ["1 Mbit/s", "401 Gbit/s"]}"#, vec!["bounds[1]"]),
        (
            r#"{"bounds": ["1 Mbit/s"], "base_rate": "1 Mbit/s", "layers": 1, "growth": 2}"#,
            vec!["base_rate", "layers", "growth"],
        ),
        (r#"{"rtts": []}"#, vec!["rtts"]),
        (r#"{"rtts": ["0 ms"]}"#, vec!["rtts[0]"]),
        (r#"{"rtts": ["0.9 ms", "64 s"]}"#, vec!["rtts[0]", "rtts[1]"]),
        (
            r#"{"rtts": ["50 ms", "150 ms", "75 ms", "200 ms", "100 ms", "100 ms"]}"#,
            vec!["rtts[2]", "rtts[4]", "rtts[5]"],
        ),
        // 64, 90.51 and 128 ms have 10 microseconds in common, 250, 256 and 257 ms begin together after 8224 s.
        (r#"{"rtts": ["64 ms", "90.51 ms", "128 ms"]}"#, vec!["rtts[1]"]),
        (r#"{"rtts": ["250 ms", "256 ms", "257 ms"]}"#, vec!["rtts[2]"]),
        (r#"{"phases": 0}"#, vec!["phases"]),
        (r#"{"phases": 3}"#, vec!["phases"]),
        (r#"{"tfmcc": {"max_rate": "3 Mbit/s"}}"#, vec!["tfmcc.max_rate"]),
        (r#"{"tfmcc": {"slow_start": "doubling"}}"#, vec!["tfmcc.slow_start"]),
        (r#"{"tfmcc": {"packet_size": "0 B", "suppression": 1}}"#, vec!["tfmcc.suppression", "tfmcc.packet_size"]),
        (r#"{"tfmcc": {"packet_size": "70000 B"}}"#, vec!["tfmcc.packet_size"]),
        (r#"{"pgmcc": {"bias": 0, "ssthresh": "0.5 packets"}}"#, vec!["pgmcc.ssthresh", "pgmcc.bias"]),
        (r#"{"pgmcc": {"bias": 1.01}, "control": "pgmcc"}"#, vec!["pgmcc.bias"]),
        (r#"{"pgmcc": {"min_rto": "0 s"}}"#, vec!["pgmcc.min_rto"]),
        (r#"{"pgmcc": {"min_rto": "5 s", "initial_rto": "4 s"}}"#, vec!["pgmcc.initial_rto"]),
        (r#"{"pgmcc": {"initial_rto": "61 s"}}"#, vec!["pgmcc.initial_rto"]),
        (r#"{"pgmcc": {"nak_backoff": "61 s"}}"#, vec!["pgmcc.nak_backoff"]),
        (r#"{"rtts": ["63 s"], "bounds": ["1 Mbit/s", "400 Gbit/s"]}"#, vec!["rtts[0]"]),
        (r#"{"phases": 2, "layers": 10}"#, vec!["rtts"]),
        // The ends of the ranges.
        (r#"{"base_rate": "1 kbit/s", "layers": 1, "growth": 1.001}"#, vec![]),
        (r#"{"bounds": ["1 kbit/s", "400 Gbit/s"], "join": "direct"}"#, vec![]),
        (r#"{"rtts": ["1 ms"]}"#, vec![]),
        (r#"{"rtts": ["1 ms", "1.4 ms", "32.768 s"], "layers": 2}"#, vec!["rtts[2]"]),
        (r#"{"rtts": ["1 ms", "1.4 ms", "2 ms", "2.8 ms"]}"#, vec![]),
        (r#"{"rtts": ["1 ms", "32.768 s"], "layers": 2}"#, vec![]),
        (r#"{"rtts": ["32 ms", "45 ms", "64 ms", "90 ms", "128 ms", "180 ms", "256 ms", "360 ms"]}"#, vec![]),
        (r#"{"rtts": ["63 s"], "layers": 2}"#, vec![]),
        (r#"{"join": "direct", "layers": 128, "growth": 1.05}"#, vec![]),
    ] {
        assert_eq!(fields(given), expected, "{given}");
        // A check asks for the groups of illegal ones, too.
        let groups = read(given).groups();
        assert!(GroupPlan::complaint(&groups).is_none() && (expected.is_empty() || groups.len() == 1), "{given}");
    }
    for growth in [f64::NAN, f64::INFINITY, -2.0] {
        let config = Config { growth: Some(growth), ..Config::default() };
        assert_eq!(config.check().first().map(|(field, _)| field.as_str()), Some("growth"), "{growth}");
    }
}

#[test]
fn messages_say_what_was_given_and_what_is_legal() {
    let message = |given: &str| wrong(given).remove(0).1;
    // 1.25 · (512 - 128) Mbit/s · 32 ms / 8000 bit = 1920 packets: 11 layers, and 12 to 15 for the other periods.
    assert_eq!(
        message(r#"{"phases": 2, "layers": 10}"#),
        "140 groups: 10 layers and 130 counting layers in 5 sets, 2 of each; legal are 128: fewer rtts, fewer phases \
         or fewer layers"
    );
    assert_eq!(
        message(r#"{"bounds": ["3 Mbit/s", "2 Mbit/s"]}"#),
        "2000000 bit/s given; legal is more than the bound before it, 3000000 bit/s"
    );
    assert_eq!(
        message(r#"{"bounds": ["1 Mbit/s"], "growth": 2}"#),
        "2 given; legal beside bounds is none: they say the rates of all layers"
    );
    assert_eq!(
        message(r#"{"tfmcc": {"packet_size": "1500 B"}, "base_rate": "1.4 kbit/s"}"#),
        "1400 bit/s given; legal is at least a packet in 8 s, 1500 bit/s"
    );
    assert_eq!(
        message(r#"{"rtts": ["64 ms", "128 ms", "90.51 ms"]}"#),
        "0.09051 s given; legal is more than the one before it, 0.128 s"
    );
    assert_eq!(
        message(r#"{"rtts": ["64 ms", "90.51 ms"]}"#),
        "0.09051 s given, and all up to it are multiples of 0.00001 s; legal is 0.0001 s or more, and that they begin \
         together after at most 65536 times that, as powers of two times the first do, or 50, 70, 100 and 140 ms"
    );
    assert_eq!(message(r#"{"bounds": []}"#), "no layer given; legal is one or more");
}
