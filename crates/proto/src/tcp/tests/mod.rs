//! What the two ends do together, over the two-node driver: 50 ms each way, nothing queues.
//!
//! | file | subject |
//! |---|---|
//! | `traces.rs` | every segment and every window of short transfers, computed by hand |
//! | `handshake.rs` | the exchange of SYNs before data |
//! | `marks.rs` | ECN and multilevel ECN |
//! | `counting.rs`, `next_segment.rs` | for how many segments an ACK counts; what SACK sends next |
//! | `profiles.rs` | what each profile sets |
//! | `segmentation_offload.rs` | bundles, their push flag, and what waits to be one |
//! | `whole_segments.rs` | windows that grow and shrink by whole segments |
//! | `rate_reduction.rs` | the window in a recovery, if it shrinks with what arrives |
//! | `alone.rs` | a sender by itself, every ACK made by hand |
//! | `cubic.rs` | CUBIC over the whole machine |
//! | `estimates.rs` | rules that estimate something of the path, in such a sender |
//! | `hystart.rs`, `pacing.rs` | the first slow start ended by delay; segments spaced in time |
//! | `supply.rs` | applications with little to send, hosts that cannot send |
//! | `relay.rs` | connections split by relays, over a driver of hosts in a row |
//! | `battery.rs` | invariants under random networks and random input, for every window rule |

mod alone;
mod battery;
mod counting;
mod cubic;
mod estimates;
mod handshake;
mod hystart;
mod late;
mod marks;
mod next_segment;
mod pacing;
mod profiles;
mod rate_reduction;
mod relay;
mod segmentation_offload;
mod supply;
mod traces;
mod whole_segments;

use super::*;
use crate::endpoint::{Endpoint, Event, Report};
use crate::packet::{Address, Ecn, FlowId, Header, Packet};
use crate::parts::throughput_equation::throughput_bps;
use crate::quantity::{Bytes, Packets};
use crate::random::Random;
use crate::tcp;
use crate::testing::{Fate, Pair, Side, gauge};
use crate::time::{Duration, Instant};
use std::ops::Deref;

const DELAY: Duration = Duration::from_millis(50);

/// The variants that grow and shrink as RFC 5681 has it.
const RENO_LIKE: [Variant; 3] = [Variant::Reno, Variant::NewReno, Variant::Sack];

fn ends(config: &Config) -> (Sender, Receiver) {
    assert_eq!(config.check(), []);
    let (flow, own, peer) = (FlowId(0), Address::endpoint(0), Address::endpoint(1));
    let sender = Sender::new(config, flow, own, peer, Random::stream(1, "test/jitter"));
    let sender = sender.with_clock_phase(config, Random::stream(1, "test/clock"));
    (sender, Receiver::new(config, flow, peer, own))
}

/// What a sender reports and shows, by name.
#[derive(Clone, Copy, Debug)]
struct Shown {
    report: Report,
    retransmitted_pkts: u64,
    loss_reductions: u64,
    ecn_reductions: u64,
    timeouts: u64,
    window_limited_s: f64,
    cwnd_pkts: f64,
    ssthresh_pkts: f64,
    srtt_s: f64,
}

impl Deref for Shown {
    type Target = Report;

    fn deref(&self) -> &Report {
        &self.report
    }
}

impl Sender {
    fn shown(&self) -> Shown {
        let value = |name: &str| gauge(self, name);
        let count = |name: &str| gauge(self, name) as u64;
        Shown {
            report: self.report(),
            retransmitted_pkts: count("retransmitted"),
            loss_reductions: count("loss_reductions"),
            ecn_reductions: count("ecn_reductions"),
            timeouts: count("timeouts"),
            window_limited_s: value("window_limited"),
            cwnd_pkts: value("cwnd"),
            ssthresh_pkts: value("ssthresh"),
            srtt_s: value("srtt"),
        }
    }
}

fn seconds(s: f64) -> Instant {
    Instant::from_secs_f64(s)
}

/// Number of a data segment and whether it is a retransmission.
fn segment(packet: &Packet) -> Option<(u32, bool)> {
    match packet.header {
        Header::Tcp(tcp::Header::Data { sequence, retransmission, .. }) => Some((sequence, retransmission)),
        _ => None,
    }
}

/// A pair whose network treats each data segment as `fate` says, given its number, and whether sent before, and
/// delivers all ACKs.
fn pair<F: FnMut(u32, bool) -> Fate>(
    config: &Config,
    mut fate: F,
) -> Pair<Sender, Receiver, impl FnMut(Side, &Packet) -> Fate + use<F>> {
    let (sender, receiver) = ends(config);
    let network = move |_: Side, packet: &Packet| match segment(packet) {
        Some((number, retransmission)) => fate(number, retransmission),
        None => Fate::Deliver,
    };
    let mut pair = Pair::new(sender, receiver, DELAY, network);
    pair.record = true;
    pair.pester = true;
    pair
}

/// What the sender sent from `from` to `to` seconds, as text: `t: segments`, `r` behind those sent again.
fn data_sent<L, R, N>(pair: &Pair<L, R, N>, from: f64, to: f64) -> String {
    let mut lines: Vec<(Instant, Vec<String>)> = Vec::new();
    for (at, side, packet) in &pair.sent {
        let Some((number, again)) = segment(packet).filter(|_| *side == Side::Left) else { continue };
        if *at < seconds(from) || *at > seconds(to) {
            continue;
        }
        let shown = format!("{number}{}", if again { "r" } else { "" });
        match lines.last_mut() {
            Some((time, numbers)) if time == at => numbers.push(shown),
            _ => lines.push((*at, vec![shown])),
        }
    }
    let lines: Vec<String> = lines.iter().map(|(at, n)| format!("{}: {}", at.as_secs_f64(), n.join(" "))).collect();
    lines.join(", ")
}

#[test]
fn throughput_follows_the_equation() {
    for (variant, tolerance) in [(Variant::Reno, 0.2), (Variant::NewReno, 0.1), (Variant::Sack, 0.1)] {
        let rto_min = Duration::from_millis(200);
        let config = Config {
            variant: variant.clone(),
            wnd: Some(Packets(1000.0)),
            hdr: Bytes(0),
            rto_min,
            ..Config::default()
        };
        let (sender, receiver) = ends(&config);
        let mut random = Random::stream(2, "test/loss");
        let mut pair = Pair::new(sender, receiver, DELAY, |side, _| {
            if side == Side::Left && random.chance(0.01) { Fate::Lose } else { Fate::Deliver }
        });
        pair.run_until(seconds(2000.0));
        let rate_bps = pair.right.report().distinct_bytes as f64 * 8.0 / 2000.0;
        let ratio = rate_bps / throughput_bps(1000.0, 0.1, 0.01);
        assert!((ratio - 1.0).abs() < tolerance, "{}: {ratio}", variant.name());
    }
}

#[test]
fn wrong_values_are_named() {
    let mut config = Config {
        mss: Bytes(70_000),
        ack_size: Bytes(0),
        wnd: Some(Packets(2.5)),
        initial_cwnd: Packets(0.0),
        initial_ssthresh: Some(Packets(0.5)),
        max_burst: Some(0),
        dupthresh: 0,
        abc_limit: 0,
        rto_initial: Duration::ZERO,
        rto_min: Duration::from_secs(100),
        delayed_ack_timeout: Duration::ZERO,
        segments: Some(0),
        ..Config::default()
    };
    (config.mecn.alpha1, config.mecn.alpha2, config.mecn.alpha3) = (0.7, 0.4, 1.0);
    (config.westwood.tau, config.westwood.m, config.westwood_plus.weight) = (Duration::ZERO, 0.5, 0.0);
    config.hybla.rtt0 = Duration::ZERO;
    (config.cubic.beta, config.cubic.c) = (1.0, 0.0);
    let fields: Vec<String> = config.check().into_iter().map(|(field, _)| field).collect();
    let expected = "ack_size initial_cwnd initial_ssthresh max_burst segments dupthresh abc_limit rto_min \
                    rto_initial delayed_ack_timeout mss wnd mecn.alpha3 mecn.alpha2 cubic.beta cubic.c westwood.tau \
                    westwood.m westwood_plus.weight hybla.rtt0";
    assert_eq!(fields.join(" "), expected);
    let messages: Vec<String> = config.check().into_iter().map(|(_, message)| message).collect();
    for wanted in [
        "0.5 packets given; legal is 1 packet to 1000000000 packets",
        "2.5 packets given; legal is a whole number",
        "100 s given; legal is above 0 s up to rto_max = 60 s",
        "0.4 given; legal is alpha1 = 0.7 or more, for moderate is more than incipient",
    ] {
        assert!(messages.iter().any(|message| message == wanted), "{wanted}: {messages:?}");
    }
}

#[test]
fn what_is_legal_ends_where_the_messages_say() {
    /// Sets a field.
    type Set<T> = fn(&mut Config, T);
    fn legal<T: Copy + std::fmt::Debug>(set: Set<T>, good: &[T], bad: &[T]) {
        for (values, legal) in [(good, true), (bad, false)] {
            for &value in values {
                let mut config = Config::default();
                set(&mut config, value);
                assert_eq!(config.check().is_empty(), legal, "{value:?}: {:?}", config.check());
            }
        }
    }
    let s = Duration::from_secs;
    legal(|c, bytes| (c.mss, c.hdr) = (Bytes(bytes), Bytes(0)), &[1, 65_535], &[0, 65_536]);
    legal(|c, bytes| c.ack_size = Bytes(bytes), &[1, 65_535], &[0, 65_536]);
    legal(|c, wnd| c.wnd = Some(Packets(wnd)), &[1.0, 2.0, 1e9], &[0.0, 0.5, 1.5, 1e9 + 1.0, f64::NAN]);
    legal(|c, cwnd| c.initial_cwnd = Packets(cwnd), &[1.0, 1.5, 1e9], &[0.5, 1e9 + 1.0, f64::NAN]);
    legal(|c, ssthresh| c.initial_ssthresh = Some(Packets(ssthresh)), &[1.0, 1e9], &[0.5, 1e9 + 1.0, f64::NAN]);
    legal(|c, most| c.max_burst = Some(most), &[1], &[0]);
    legal(|c, count| c.dupthresh = count, &[1, 1000], &[0, 1001]);
    legal(|c, count| c.abc_limit = count, &[1, 1000], &[0, 1001]);
    legal(|c, min| c.rto_min = min, &[Duration(1), s(60)], &[Duration::ZERO, Duration(s(60).0 + 1)]);
    legal(|c, max| c.rto_max = max, &[s(3), s(86_400)], &[Duration(s(3).0 - 1), Duration(s(86_400).0 + 1)]);
    legal(|c, rto| c.rto_initial = rto, &[Duration(1), s(60)], &[Duration::ZERO, Duration(s(60).0 + 1)]);
    legal(|c, wait| c.delayed_ack_timeout = wait, &[Duration(1), s(86_400)], &[Duration::ZERO]);
    legal(|c, count| c.segments = Some(count), &[1], &[0]);
    legal(|c, alpha| c.mecn.alpha1 = alpha, &[0.0, 0.4], &[-0.1, 0.41, f64::NAN]);
    legal(|c, alpha| c.mecn.alpha2 = alpha, &[0.2, 0.99], &[0.19, 1.0, f64::NAN]);
    legal(|c, alpha| c.mecn.alpha3 = alpha, &[0.0, 0.99], &[-0.1, 1.0, f64::NAN]);
    legal(|c, beta| c.cubic.beta = beta, &[0.01, 0.99], &[0.0, 1.0, -0.5, 2.0, f64::NAN]);
    legal(|config, c| config.cubic.c = c, &[1e-9, 0.4, 1e6], &[0.0, -0.4, 1e6 + 1.0, f64::INFINITY, f64::NAN]);
}

#[test]
fn sizes_and_waits_that_would_overflow_are_named() {
    let day = Duration::from_secs(86_400);
    let fields = |config: &Config| config.check().into_iter().map(|(field, _)| field).collect::<Vec<_>>();
    let largest = Config { mss: Bytes(65_495), granularity: day, send_jitter: day, ..Config::default() };
    assert_eq!((fields(&largest), largest.segment_bytes()), (vec![], 65_535));
    for hdr in [41, u64::MAX] {
        assert_eq!(fields(&Config { hdr: Bytes(hdr), ..largest.clone() }), ["mss"]);
    }
    assert_eq!(Config { hdr: Bytes(u64::MAX), ..largest.clone() }.segment_bytes(), u64::MAX);
    let later = Duration(day.0 + 1);
    let slow = Config { granularity: later, delayed_ack_timeout: later, send_jitter: Duration(u64::MAX), ..largest };
    assert_eq!(fields(&slow), ["delayed_ack_timeout", "granularity", "send_jitter"]);
    for (tick, wrong) in [(Duration::ZERO, 1), (later, 1), (Duration(1), 0), (day, 0)] {
        assert_eq!(fields(&Config { rtt_tick: Some(tick), ..Config::default() }).len(), wrong, "{tick}");
    }
}

#[test]
fn configurations_survive_being_written_and_read() {
    let config = Config { recovery: Some(Recovery::Sack), segments: Some(7), ecn: EcnMode::Mecn, ..Config::default() };
    let text = serde_json::to_string(&config).expect("configurations are plain data");
    assert_eq!(serde_json::from_str::<Config>(&text).expect("what was written is legal"), config, "{text}");
    assert_eq!(serde_json::from_str::<Config>("{}").expect("every field has a default"), Config::default());
    assert!(serde_json::from_str::<Config>("{\"mss\": 1000}").is_err(), "a bare number where a unit is needed");
}
