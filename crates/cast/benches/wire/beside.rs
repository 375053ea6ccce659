//! Sessions over an emulated link, beside the kernel's TCP and alone, and the same in the simulator.

use crate::case::{Row, Verdict, listed, mean, median};
use crate::emulator::Record;
use crate::link::Shape;
use crate::simulated::Network;
use crate::start::default_scheme;
use crate::trial::{SHAPE, Trial};
use faircast_proto::time::{Duration, Instant};
use serde_json::{Value, json};
use std::thread;

/// How often a case is run, all at once: each run has links and hosts of its own, and takes a tenth of a core.
const RUNS: u64 = 5;
/// How long, and from when on it counts: by then slow start is over and both have had some losses.
const SECONDS: u64 = 100;
const FROM: usize = 300;
const UNTIL: usize = 10 * SECONDS as usize;

pub fn tfmcc_beside_reno() -> Result<Vec<Row>, String> {
    beside("tfmcc-reno", tfmcc(), "reno")
}

pub fn tfmcc_beside_cubic() -> Result<Vec<Row>, String> {
    beside("tfmcc-cubic", tfmcc(), "cubic")
}

pub fn pgmcc_beside_reno() -> Result<Vec<Row>, String> {
    beside("pgmcc-reno", pgmcc(), "reno")
}

pub fn pgmcc_beside_cubic() -> Result<Vec<Row>, String> {
    beside("pgmcc-cubic", pgmcc(), "cubic")
}

/// What a TCP gets where TFMCC was: the yardstick for its share.
pub fn reno_beside_cubic() -> Result<Vec<Row>, String> {
    let network = Network {
        name: "reno-cubic",
        session: linux("reno"),
        tcp: Some(linux("cubic")),
        bottleneck: bottleneck(SHAPE),
        seconds: SECONDS,
    };
    let simulated = network.run()?.mbps(FROM, UNTIL);
    if crate::only_simulates() {
        return Ok(Vec::new());
    }
    let trial = Trial { instead: Some("reno"), congestion: Some("cubic"), ..Trial::of(tfmcc(), SECONDS) };
    let wire = measured(&trial)?;
    Ok(vec![told_ratio("Reno beside CUBIC", &wire, &simulated), told_rate("Reno beside CUBIC", &wire, &simulated)])
}

pub fn tfmcc_alone() -> Result<Vec<Row>, String> {
    alone("tfmcc-alone", "TFMCC alone", SHAPE)
}

pub fn tfmcc_with_loss() -> Result<Vec<Row>, String> {
    alone("tfmcc-loss", "TFMCC alone, 2 % of its packets lost", Shape { loss: 0.02, ..SHAPE })
}

pub fn tfmcc_over_geo() -> Result<Vec<Row>, String> {
    alone("tfmcc-geo", "TFMCC alone, 280 ms each way", Shape { delay: Duration::from_millis(280), ..SHAPE })
}

/// What `faircast send` asks of TFMCC, in packets as long as TCP's.
pub fn tfmcc() -> Value {
    let mut session = default_scheme("20 Mbit/s");
    session["packet_size"] = json!("1000 B");
    session
}

fn pgmcc() -> Value {
    json!({ "scheme": "pgmcc", "max_rate": "20 Mbit/s" })
}

/// The bottleneck as a scenario has it. Only the way there loses packets.
pub fn bottleneck(shape: Shape) -> Value {
    let mut link = json!({
        "rate": format!("{} bit/s", shape.rate.0),
        "delay": format!("{} ms", shape.delay.0 / 1_000_000),
        "queue": { "kind": "drop-tail", "limit": format!("{} packets", shape.limit) },
    });
    if shape.loss > 0.0 {
        link["loss"] = json!({ "kind": "bernoulli", "p": shape.loss });
        link["back"] = json!({ "loss": { "kind": "none" } });
    }
    if let Some([from, until]) = shape.outage {
        let change = |at: Instant, up: bool| json!({ "at": format!("{} ms", at.0 / 1_000_000), "up": up });
        // What waits is kept otherwise, and comes half a second late: round-trip times that no emulator here makes.
        link["handoff_queue"] = json!("lose");
        link["changes"] = json!([change(from, false), change(until, true)]);
    }
    link
}

/// Runs a trial several times at once.
pub fn several(trial: &Trial, runs: u64) -> Result<Vec<Record>, String> {
    let records: Vec<Result<Record, String>> = thread::scope(|scope| {
        let seeded = |seed| Trial { seed, ..trial.clone() };
        let handles: Vec<_> =
            (0..runs).map(|seed| (seeded(seed), scope)).map(|(t, s)| s.spawn(move || t.run())).collect();
        handles.into_iter().map(|handle| handle.join().expect("a trial does not panic")).collect()
    });
    let records: Vec<Record> = records.into_iter().collect::<Result<_, _>>()?;
    let late = records.iter().map(|record| record.late as f64 / record.packets.max(1) as f64).fold(0.0, f64::max);
    let latest = records.iter().map(|record| record.latest).max().unwrap_or_default();
    let (percent, ms) = (100.0 * late, latest.as_secs_f64() * 1e3);
    let mean_ms = |record: &Record| record.lateness.as_secs_f64() * 1e3 / record.packets.max(1) as f64;
    let mean_ms = mean(&records.iter().map(mean_ms).collect::<Vec<f64>>());
    println!(
        "  the emulator's packets were late by {mean_ms:.3} ms on average and {ms:.0} ms at most, {percent:.2} % \
         of them by more than 4 ms in a run at most"
    );
    match records.iter().find_map(Record::excuse) {
        Some(excuse) => Err(excuse),
        None => Ok(records),
    }
}

/// Up to how late TCP's packets go out in the simulator, at random: of the order of what those of the emulator are late
/// by. With as much as a packet's time, 0.8 ms, which keeps simulated flows from locking into step, TCP's bursts are
/// spread, and it loses less by far.
const SEND_JITTER: &str = "100 us";

/// TCP as Linux has it, in packets of 1000 B: 40 B of headers, 12 B of time stamps.
fn linux(congestion: &str) -> Value {
    json!({
        "variant": if congestion == "cubic" { "cubic" } else { "sack" },
        "kind": "tcp", "profile": "linux", "mss": "948 B", "wnd": "10000 packets",
        "send_jitter": SEND_JITTER, "start_jitter": "100 ms",
    })
}

fn beside(name: &'static str, session: Value, congestion: &'static str) -> Result<Vec<Row>, String> {
    let scheme = session["scheme"].as_str().unwrap_or_default().to_owned();
    let network = Network {
        name,
        session: session.clone(),
        tcp: Some(linux(congestion)),
        bottleneck: bottleneck(SHAPE),
        seconds: SECONDS,
    };
    let simulated = network.run()?.mbps(FROM, UNTIL);
    if crate::only_simulates() {
        return Ok(Vec::new());
    }
    let wire = measured(&Trial { congestion: Some(congestion), ..Trial::of(session, SECONDS) })?;
    let title = if scheme == "tfmcc" { "TFMCC" } else { "pgmcc" };
    let rule = if congestion == "cubic" { "CUBIC" } else { "Reno" };
    let mut ratio_row = told_ratio(&format!("{title} beside {rule}"), &wire, &simulated);
    if scheme == "tfmcc" {
        ratio_row.wanted = "mean 0.7 to 1.3".to_owned();
        ratio_row.verdict = Some(Verdict::of_mean(&ratios(&wire), 0.7, 1.3));
    }
    // pgmcc's is what was wanted before it was measured.
    let part = if scheme == "tfmcc" { 0.10 } else { 0.20 };
    let (own, there) = (of_first(&wire), of_first(&simulated));
    Ok(vec![ratio_row, near(&format!("{title} beside {rule}: Mbit/s of the session"), &own, &there, part)])
}

/// The rates of each run, Mbit/s: of what is first, and of the TCP beside it.
fn measured(trial: &Trial) -> Result<Vec<[f64; 2]>, String> {
    let records = several(trial, RUNS)?;
    for record in &records {
        let [there, back] = record.segments;
        println!("  {:.2?} Mbit/s; {:.2} segments per ACK", record.mbps(FROM, UNTIL), there as f64 / back as f64);
    }
    Ok(records.iter().map(|record| record.mbps(FROM, UNTIL)).collect())
}

fn of_first(runs: &[[f64; 2]]) -> Vec<f64> {
    runs.iter().map(|run| run[0]).collect()
}

fn ratios(runs: &[[f64; 2]]) -> Vec<f64> {
    runs.iter().map(|run| run[0] / run[1]).collect()
}

fn shown(values: &[f64]) -> String {
    format!("{:.2} ({})", mean(values), listed(values))
}

fn told_ratio(title: &str, wire: &[[f64; 2]], simulated: &[[f64; 2]]) -> Row {
    Row::told(format!("{title}: ratio of their rates"), shown(&ratios(wire))).beside(shown(&ratios(simulated)))
}

fn told_rate(title: &str, wire: &[[f64; 2]], simulated: &[[f64; 2]]) -> Row {
    let first = title.split(' ').next().unwrap_or_default();
    Row::told(format!("{title}: Mbit/s of {first}"), shown(&of_first(wire))).beside(shown(&of_first(simulated)))
}

fn alone(name: &'static str, title: &str, shape: Shape) -> Result<Vec<Row>, String> {
    let shapes = [shape, Shape { loss: 0.0, ..shape }];
    let network = Network { name, session: tfmcc(), tcp: None, bottleneck: bottleneck(shape), seconds: SECONDS };
    let simulated: Vec<f64> = network.run()?.mbps(FROM, UNTIL).iter().map(|run| run[0]).collect();
    if crate::only_simulates() {
        return Ok(Vec::new());
    }
    let records = several(&Trial { shapes, ..Trial::of(tfmcc(), SECONDS) }, RUNS)?;
    let wire: Vec<f64> = records.iter().map(|record| record.mbps(FROM, UNTIL)[0]).collect();
    Ok(vec![near(&format!("{title}: Mbit/s"), &wire, &simulated, 0.10)])
}

/// Whether what is on the wire is within a part of the simulator's mean; of the median, as it is, where the simulator's
/// runs have two modes.
fn near(what: &str, wire: &[f64], simulated: &[f64], part: f64) -> Row {
    if has_two_modes(simulated) {
        let shown = |values: &[f64]| format!("{:.2} ({})", median(values), listed(values));
        let wanted = format!("median within {:.0} % of the simulator's", 100.0 * part);
        let is_near = (median(wire) / median(simulated) - 1.0).abs() <= part;
        return Row::judged(what, shown(wire), wanted, is_near).beside(shown(simulated));
    }
    near_mean(what, wire, simulated, part)
}

/// Whether the mean on the wire is within a part of the simulator's, which is taken as it is.
pub fn near_mean(what: &str, wire: &[f64], simulated: &[f64], part: f64) -> Row {
    let wanted = format!("mean within {:.0} % of the simulator's", 100.0 * part);
    let there = mean(simulated);
    let verdict = Verdict::of_mean(wire, there * (1.0 - part), there * (1.0 + part));
    Row::judged(what, shown(wire), wanted, verdict).beside(shown(simulated))
}

/// Some runs have less than a third of what the others have at most.
fn has_two_modes(values: &[f64]) -> bool {
    let most = values.iter().copied().fold(0.0, f64::max);
    values.iter().any(|value| *value < most / 3.0)
}
