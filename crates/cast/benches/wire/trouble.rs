//! Stamps that wrap, outages, ends that stand still: whether the rate comes back as it does in the simulator.

use crate::beside::{bottleneck, near_mean, several, tfmcc};
use crate::case::{Row, listed, mean};
use crate::emulator::Record;
use crate::link::Shape;
use crate::place::Place;
use crate::programs::{Emulated, signal};
use crate::simulated::Network;
use crate::start::default_scheme;
use crate::trial::{SHAPE, Trial};
use faircast_proto::time::{Duration, Instant};
use nix::sys::signal::Signal;
use serde_json::Value;
use std::thread;

const SECONDS: u64 = 90;
/// When it happens, and what is looked at: the ten seconds from its end on.
const AT_S: u64 = 60;
const AFTER: usize = 100;
const RUNS: u64 = 5;

/// The link of all tests, which lets nothing through for so long.
fn failing(length: Duration) -> Shape {
    let from = Instant::ZERO + Duration::from_secs(AT_S);
    Shape { outage: Some([from, from + length]), ..SHAPE }
}

fn simulated(name: &'static str, session: Value, shape: Shape, from: usize) -> Result<Vec<f64>, String> {
    let network = Network { name, session, tcp: None, bottleneck: bottleneck(shape), seconds: SECONDS };
    Ok(network.run()?.mbps(from, from + AFTER).iter().map(|run| run[0]).collect())
}

fn row(what: &str, wire: &[f64], there: &[f64]) -> Row {
    near_mean(what, wire, there, 0.10)
}

fn mbps(records: &[Record], from: usize) -> Vec<f64> {
    for record in records {
        let seconds = (from - 20..from + AFTER).step_by(10).map(|at| record.mbps(at, at + 10)[0]);
        println!("  Mbit/s by seconds: {:.1?}", seconds.collect::<Vec<_>>());
    }
    records.iter().map(|record| record.mbps(from, from + AFTER)[0]).collect()
}

/// Stamps of 32 bits in microseconds wrap 4295 s after a clock's zero: here 60 s after the start.
pub fn wrap() -> Result<Vec<Row>, String> {
    let from = 10 * AT_S as usize;
    let there = simulated("wrap", tfmcc(), SHAPE, from)?;
    if crate::only_simulates() {
        return Ok(Vec::new());
    }
    let clock = Duration((1 << 32) * 1000 - Duration::from_secs(AT_S).0);
    // Members are ahead by 11 to 13 s, so that theirs wrap before.
    let records = several(&Trial { clock, ..Trial::of(tfmcc(), SECONDS) }, RUNS)?;
    let what = "stamps wrap, those of members 11 to 13 s earlier: Mbit/s in the 10 s from there on";
    let before = "the same: Mbit/s in the 10 s around the wraps of members";
    let there_before = simulated("wrap", tfmcc(), SHAPE, from - 150)?;
    Ok(vec![row(what, &mbps(&records, from), &there), row(before, &mbps(&records, from - 150), &there_before)])
}

/// Half a second without a link.
pub fn outage() -> Result<Vec<Row>, String> {
    let length = Duration::from_millis(500);
    let (shape, from) = (failing(length), 10 * AT_S as usize + 5);
    let there = simulated("outage", tfmcc(), shape, from)?;
    if crate::only_simulates() {
        return Ok(Vec::new());
    }
    let records = several(&Trial { shapes: [shape; 2], ..Trial::of(tfmcc(), SECONDS) }, RUNS)?;
    Ok(vec![row("an outage of 500 ms: Mbit/s in the 10 s after it", &mbps(&records, from), &there)])
}

/// One end of `faircast` stands still for five seconds (SIGSTOP). In the simulator the link is down for as long, for
/// all: that is not the same, so it is told beside it, and nothing is judged.
pub fn suspend() -> Result<Vec<Row>, String> {
    let length = Duration::from_secs(5);
    let from = 10 * (AT_S + 5) as usize;
    let there = simulated("suspend", default_scheme("20 Mbit/s"), failing(length), from)?;
    if crate::only_simulates() {
        return Ok(Vec::new());
    }
    let run = |is_sender: bool, number: u64| -> Result<Record, String> {
        let place = Place::new(&format!("suspend-{is_sender}-{number}"));
        place.file("film", 150_000_000);
        let send = "film --max-rate 20Mbit/s --receivers 3";
        let running = Emulated::start(&place, [SHAPE; 2], number, send, "--open")?;
        thread::sleep(std::time::Duration::from_secs(AT_S));
        let (sender, receiver) = running.pids();
        let stopped = if is_sender { sender } else { receiver };
        signal(stopped, Signal::SIGSTOP);
        thread::sleep(std::time::Duration::from_secs(5));
        signal(stopped, Signal::SIGCONT);
        thread::sleep(std::time::Duration::from_secs(15));
        Ok(running.end(true).0)
    };
    let mut rows = Vec::new();
    let both: Vec<Vec<Result<Record, String>>> = thread::scope(|scope| {
        let ends =
            [true, false].map(|is_sender| (0..3).map(|n| scope.spawn(move || run(is_sender, n))).collect::<Vec<_>>());
        ends.map(|end| end.into_iter().map(|run| run.join().expect("a run does not panic")).collect()).into()
    });
    for (who, records) in ["the sender", "a receiver"].into_iter().zip(both) {
        let records: Vec<Record> = records.into_iter().collect::<Result<_, _>>()?;
        if let Some(excuse) = records.iter().find_map(Record::excuse) {
            return Err(excuse);
        }
        // Hosts have been there for a moment when the sender begins.
        let wire = mbps(&records, from + 5);
        let shown = |values: &[f64]| format!("{:.2} ({})", mean(values), listed(values));
        let what = format!("{who} stands still for 5 s: Mbit/s in the 10 s after it");
        rows.push(Row::told(what, shown(&wire)).beside(shown(&there)));
    }
    Ok(rows)
}
