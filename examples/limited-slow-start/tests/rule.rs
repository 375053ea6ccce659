//! Growth worked out by hand, a transfer over the two-node driver, and the page that explains it.

use faircast_proto::endpoint::Event;
use faircast_proto::packet::{Address, FlowId, Header, Packet};
use faircast_proto::random::Random;
use faircast_proto::tcp;
use faircast_proto::tcp::events::LOSS_REDUCTION;
use faircast_proto::tcp::{Ack, Credit, Window, WindowRule};
use faircast_proto::tcp::{Config, Receiver, Sender};
use faircast_proto::testing::{Fate, Pair, Side, gauge};
use faircast_proto::time::{Duration, Instant};
use faircast_scenario::Scenario;
use faircast_scenario::run::Control;
use faircast_scenario::tables::Values;
use limited_slow_start::LimitedSlowStart;

const ACK: Ack = Ack { arrived: Instant::ZERO, newly_acked: 1, flight: 0, rtt: None, srtt: None, credit: Credit::ONE };

#[test]
fn growth_by_hand() {
    let mut rule = LimitedSlowStart::new(100.0);
    let mut grown = |cwnd: f64, ssthresh: f64| {
        let mut window = Window { cwnd, ssthresh, wnd: 10_000.0 };
        rule.grow(&ACK, &mut window);
        window.cwnd
    };
    assert_eq!(grown(100.0, 1000.0), 101.0);
    // K = int(120 / 50) = 2, int(160 / 50) = 3; in congestion avoidance 1/200.
    assert_eq!(grown(120.0, 1000.0), 120.5);
    assert_eq!(grown(160.0, 1000.0), 160.0 + 1.0 / 3.0);
    assert_eq!(grown(200.0, 200.0), 200.005);
}

/// The window 1.25 s after the start of a transfer with 100 ms of round-trip time and without loss, and the same after
/// a loss in the segment numbered `lost`.
fn run(sender: Sender, config: &Config, lost: Option<u32>) -> (f64, Vec<Event>) {
    let receiver = Receiver::new(config, FlowId(0), Address::endpoint(1), Address::endpoint(0));
    let network = |_: Side, packet: &Packet| match packet.header {
        Header::Tcp(tcp::Header::Data { sequence, retransmission: false, .. }) if Some(sequence) == lost => Fate::Lose,
        _ => Fate::Deliver,
    };
    let mut pair = Pair::new(sender, receiver, Duration::from_millis(50), network);
    pair.run_until(Instant::from_secs_f64(1.25));
    (gauge(&pair.left, "cwnd"), pair.events.iter().map(|(_, _, event)| *event).collect())
}

#[test]
fn above_the_bound_the_window_grows_by_half_of_it_per_round_trip() {
    let config = Config::default();
    let (flow, own, peer) = (FlowId(0), Address::endpoint(0), Address::endpoint(1));
    let random = Random::stream(1, "flow/example/jitter");
    let rule = LimitedSlowStart::new(100.0).into_rule();
    let sender = Sender::with_rule(rule, &config, flow, own, peer, random.clone());
    let (limited, events) = run(sender, &config, None);
    // 2, 4 .. 64 after five round trips, 100 and a little in the sixth, then six more with about 50 each.
    assert!((limited - 410.0).abs() < 25.0, "{limited}");
    assert_eq!(events, []);
    // Plain slow start: twelve doublings.
    let (plain, _) = run(Sender::new(&config, flow, own, peer, random.clone()), &config, None);
    assert_eq!(plain, 8192.0);
    // What the rule does not say is as in NewReno: a loss halves the window.
    let rule = LimitedSlowStart::new(100.0).into_rule();
    let (_, events) = run(Sender::with_rule(rule, &config, flow, own, peer, random), &config, Some(200));
    let [Event { kind: LOSS_REDUCTION, before, after, .. }] = events[..] else { panic!("{events:?}") };
    assert_eq!(after, before / 2.0);
}

/// The largest window in the scenario file's run.
fn largest_window(text: &str) -> f64 {
    limited_slow_start::register();
    let scenario = Scenario::from_toml(text).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let output = faircast_scenario::run(&scenario, 1, &Control::default(), 1).expect("it runs");
    let flows = output.tables.iter().find(|table| table.name == "flows").expect("there is such a table");
    let Some(Values::Float(windows)) = flows.get("cwnd_pkts") else { panic!("{flows:?}") };
    windows.iter().copied().fold(0.0, f64::max)
}

#[test]
fn a_scenario_file_names_it() {
    let text = include_str!("../geo.toml");
    let limited = largest_window(text);
    let plain = largest_window(
        &text.replace("{ kind = \"limited-slow-start\", max_ssthresh = \"20 packets\" }", "\"newreno\""),
    );
    // Within 3 s, before the last round trip of 0.5 s, plain slow start doubles five times from 2; the other grows by
    // half of 20 segments in a round trip from 20 on.
    assert!(plain == 64.0 && (30.0..40.0).contains(&limited), "{limited}, {plain}");
}

#[test]
fn the_page_shows_code_that_exists() {
    let page = include_str!("../../../docs/add-a-window-rule.md");
    let sources = [
        include_str!("../src/lib.rs"),
        include_str!("rule.rs"),
        include_str!("../../../crates/proto/src/tcp/window.rs"),
        include_str!("../../../crates/proto/src/tcp/rule/newreno.rs"),
    ];
    let blocks: Vec<&str> = page.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 4, "{}", blocks.len());
    for block in blocks {
        assert!(sources.iter().any(|source| source.contains(block)), "nowhere in the tree:\n{block}");
    }
}
