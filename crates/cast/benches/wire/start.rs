//! How long a session of `faircast send` takes to come to its rate, and files over a satellite.

use crate::beside::bottleneck;
use crate::case::{Row, listed, mean, median};
use crate::emulator::Record;
use crate::link::Shape;
use crate::now;
use crate::place::Place;
use crate::programs::{Emulated, until};
use crate::simulated::Network;
use crate::trial::SHAPE;
use faircast_wire::session::host_defaults;
use serde_json::{Value, json};
use std::thread;
use std::time::Duration;

/// What `faircast send` asks of TFMCC unless it is told otherwise.
pub fn default_scheme(max_rate: &str) -> Value {
    let mut table = host_defaults("tfmcc");
    table.extend([("packet_size".to_owned(), json!("1280 B")), ("max_rate".to_owned(), json!(max_rate))]);
    Value::Object(table)
}

/// Nine tenths of the link over half a second.
const WANTED_MBPS: f64 = 9.0;
const WINDOW: usize = 5;
const RUNS: usize = 5;
/// How long it is looked at, seconds.
const LOOK_S: u64 = 12;

pub fn forty_ms() -> Result<Vec<Row>, String> {
    let mut session = default_scheme("20 Mbit/s");
    // When all are members, as on the wire: who joins with the first packet misses it, and the next comes half a second
    // later.
    session["start"] = json!("1 s");
    let network = Network { name: "start", session, tcp: None, bottleneck: bottleneck(SHAPE), seconds: 15 };
    let simulated = network.run()?;
    if crate::only_simulates() {
        return Ok(Vec::new());
    }
    let runs: Vec<Result<Record, String>> = thread::scope(|scope| {
        let one = |run: usize| {
            let place = Place::new(&format!("start-{run}"));
            place.file("film", 30_000_000);
            let running = Emulated::start(&place, [SHAPE; 2], 0, "film --max-rate 20Mbit/s --receivers 3", "--open")?;
            thread::sleep(Duration::from_secs(LOOK_S));
            Ok(running.end(true).0)
        };
        let handles: Vec<_> = (0..RUNS).map(|run| scope.spawn(move || one(run))).collect();
        handles.into_iter().map(|handle| handle.join().expect("a run does not panic")).collect()
    });
    let records: Vec<Record> = runs.into_iter().collect::<Result<_, _>>()?;
    if let Some(excuse) = records.iter().find_map(Record::excuse) {
        return Err(excuse);
    }
    let wire: Vec<f64> = records
        .iter()
        .map(|record| time_to_rate(&record.tenths.iter().map(|tenth| 8e-5 * tenth[0] as f64).collect::<Vec<_>>()))
        .collect();
    let there: Vec<f64> =
        simulated.runs.iter().map(|run| time_to_rate(&run.iter().map(|tenth| tenth[0]).collect::<Vec<_>>())).collect();
    let never = format!("never within {LOOK_S} s");
    let shown = |values: &[f64]| format!("{:.1} ({})", median(values), listed(values)).replace("inf", &never);
    let what = "start at 40 ms, alone: seconds from the first packet to half a second with nine tenths of the link";
    Ok(vec![Row::judged(what, shown(&wire), "all ≤ 3 s", wire.iter().all(|time| *time <= 3.0)).beside(shown(&there))])
}

/// Seconds from the first packet to the end of the first half second with the wanted rate; infinite if there is none.
fn time_to_rate(tenths_mbps: &[f64]) -> f64 {
    let first = tenths_mbps.iter().position(|mbps| *mbps > 0.0).unwrap_or(0);
    let reached = tenths_mbps.windows(WINDOW).position(|window| mean(window) >= WANTED_MBPS);
    reached.map_or(f64::INFINITY, |at| (at + WINDOW - first) as f64 / 10.0)
}

/// Packets on the way and back at 560 ms and 10 Mbit/s: 547 of 1280 B.
const GEO_QUEUE: usize = 547;

pub fn file_over_geo() -> Result<Vec<Row>, String> {
    if crate::only_simulates() {
        return Ok(Vec::new());
    }
    let place = Place::new("file-geo");
    place.file("film", 20_000_000);
    let delay = faircast_proto::time::Duration::from_millis(280);
    let shape = Shape { delay, limit: GEO_QUEUE, ..SHAPE };
    let send = "film --max-rate 20Mbit/s --receivers 3";
    let running = Emulated::start(&place, [shape; 2], 0, send, "--open")?;
    let began = running.began;
    let has_come = until(Duration::from_secs(200), || running.has_come("film"));
    let took = now().duration_since(began).as_secs_f64();
    let (record, ended) = running.end(!has_come);
    if let Some(excuse) = record.excuse() {
        return Err(excuse);
    }
    println!("  the sender: {} {}", ended.code, ended.value);
    let is_whole = (0..3).all(|number| place.is_same("film", &format!("r{number}/film")));
    let what = "20 MB over 280 ms each way, 10 Mbit/s: seconds from the command to the last verified file";
    Ok(vec![Row::judged(what, format!("{took:.1}"), "≤ 30 s", is_whole && took <= 30.0)])
}
