//! Real sockets beside the kernel's TCP, over an emulated link between network namespaces: `make test-wire`.
//!
//! Everything here is the test's own: namespaces, tunnels and threads are gone when it ends. Nothing is sent to any
//! other network. It needs root, `/dev/net/tun` and iproute2, and says so where they are not there.
//!
//! What is measured needs a machine that has time for it. The emulator keeps count of how late it is; where that is too
//! much the case is left out, with a sentence.

mod emulator;
mod families;
mod host;
mod link;
mod link_tests;
mod tcp;
mod trial;

use faircast_proto::time::{Duration, Rate};
use faircast_wire::session::host_defaults;
use link::Shape;
use serde_json::{Value, json};
use std::thread;
use trial::Trial;

/// How long a case runs, and from when on it counts: by then slow start is over and both have had some losses.
const SECONDS: u64 = 100;
const FROM: usize = 30;

#[test]
#[ignore = "needs root and minutes: make test-wire"]
fn tfmcc_and_pgmcc_beside_reno() {
    shares("reno", 1.0);
}

#[test]
#[ignore = "needs root and minutes: make test-wire"]
fn tfmcc_and_pgmcc_beside_cubic() {
    shares("cubic", RENO_BESIDE_CUBIC);
}

#[test]
#[ignore = "needs root: make test-wire"]
fn tcp_beside_is_not_paced_by_what_the_machine_has_for_others() {
    // Four round trips: a window that has grown is paced in gaps as short as those of a burst.
    let long = Shape { rate: Rate(1_000_000_000), delay: Duration::from_millis(200), limit: 1000, ..trial::SHAPE };
    let session = json!({ "scheme": "tfmcc", "max_rate": "100 kbit/s" });
    let trial = Trial { congestion: Some("reno"), shapes: [long; 2], ..Trial::of(session, 2) };
    match trial.run() {
        // The window of the second round trip goes at once: twice the first ten segments.
        Ok(record) => assert!(record.burst >= 20, "{} packets at once", record.burst),
        Err(why) => println!("left out: {why}"),
    }
}

/// As hosts have it, in packets as long as TCP's.
fn tfmcc() -> Value {
    let mut session = host_defaults("tfmcc");
    session.extend([("max_rate".to_owned(), json!("20 Mbit/s")), ("packet_size".to_owned(), json!("1000 B"))]);
    Value::Object(session)
}

fn pgmcc() -> Value {
    json!({ "scheme": "pgmcc", "max_rate": "20 Mbit/s" })
}

/// How often a case is run, all at once: each run has links and hosts of its own, and takes a tenth of a core. One by
/// itself says little: thirty of TFMCC beside CUBIC had ratios of 0.48 to 0.66.
const RUNS: u64 = 3;
/// What a Reno has of a CUBIC's rate in the place of a session here: the first of six means of five runs, which are
/// 0.59 to 0.73 (`docs/on-the-wire-measured.md`).
const RENO_BESIDE_CUBIC: f64 = 0.67;

/// Both schemes at once, on links of their own, so that it takes half of the time.
fn shares(congestion: &'static str, fair: f64) {
    thread::scope(|scope| {
        for session in [tfmcc(), pgmcc()] {
            scope.spawn(move || share(session, congestion, fair));
        }
    });
}

/// Runs a session beside one TCP and looks how they share the link, of which a Reno in its place would have `fair` of
/// what that TCP has.
fn share(session: Value, congestion: &'static str, fair: f64) {
    let name = format!("{} beside {congestion}", session["scheme"].as_str().unwrap_or_default());
    let trial = Trial { congestion: Some(congestion), ..Trial::of(session, SECONDS) };
    let mut ratios = Vec::new();
    for record in together(&trial) {
        let record = match record {
            Ok(record) => record,
            Err(why) => return println!("{name} left out: {why}"),
        };
        let [multicast, tcp] = record.mbps(10 * FROM, 10 * SECONDS as usize);
        let mean_ms = record.lateness.as_secs_f64() * 1e3 / record.packets as f64;
        let latest_ms = record.latest.as_secs_f64() * 1e3;
        println!("{name}: {multicast:.2} / {tcp:.2} Mbit/s, ratio {:.2}", multicast / tcp);
        println!(
            "  the emulator was late by {mean_ms:.2} ms on average, {latest_ms:.0} ms at most; {} drops",
            record.dropped
        );
        if let Some(excuse) = record.excuse() {
            return println!("{name} left out: {excuse}");
        }
        assert!(multicast + tcp > 9.0, "{name}: the link is used");
        ratios.push(multicast / tcp);
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    // RFC 4654 section 1: "generally within a factor of two of the sending rate of a TCP flow", which was Reno then.
    assert!((0.5..=2.0).contains(&(median / fair)), "{name}: {ratios:?}");
}

/// Some runs of a trial at once.
fn together(trial: &Trial) -> Vec<Result<emulator::Record, String>> {
    thread::scope(|scope| {
        let runs: Vec<_> =
            (0..RUNS).map(|seed| Trial { seed, ..trial.clone() }).map(|t| scope.spawn(move || t.run())).collect();
        runs.into_iter().map(|run| run.join().expect("a trial does not panic")).collect()
    })
}
