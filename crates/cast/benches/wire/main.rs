//! What is measured in real time, on sockets, beside the simulator: `make measure-wire`, or `make measure-wire
//! CASES="start geo"` for some of it.
//!
//! Each case prints what it finds and keeps it in `target/measure-wire`; the table of all that has been found goes to
//! standard output and into `docs/on-the-wire-measured.md`. Links are emulated as in `make test-wire`, and what a case
//! makes is its own and gone afterwards. It needs root; a case for which something is missing is left out and says so.
//!
//! `simulate` before the names does only what is simulated, which then need not be done with the priority of what is
//! measured.

mod beside;
mod burst;
mod case;
#[path = "../../../wire/tests/namespaces/emulator.rs"]
mod emulator;
mod files;
#[path = "../../../wire/tests/namespaces/host.rs"]
mod host;
mod hostile;
mod lan;
#[path = "../../../wire/tests/namespaces/link.rs"]
mod link;
mod page;
mod place;
mod programs;
mod simulated;
mod start;
#[path = "../../../wire/tests/namespaces/tcp.rs"]
mod tcp;
#[path = "../../../wire/tests/namespaces/trial.rs"]
mod trial;
mod trouble;

use case::{Case, Row};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// All cases, in the order of the table.
const CASES: &[Case] = &[
    Case { name: "tfmcc-reno", seconds: 102, measure: beside::tfmcc_beside_reno },
    Case { name: "tfmcc-cubic", seconds: 102, measure: beside::tfmcc_beside_cubic },
    Case { name: "pgmcc-reno", seconds: 102, measure: beside::pgmcc_beside_reno },
    Case { name: "pgmcc-cubic", seconds: 102, measure: beside::pgmcc_beside_cubic },
    Case { name: "reno-cubic", seconds: 102, measure: beside::reno_beside_cubic },
    Case { name: "alone", seconds: 102, measure: beside::tfmcc_alone },
    Case { name: "loss", seconds: 102, measure: beside::tfmcc_with_loss },
    Case { name: "geo", seconds: 102, measure: beside::tfmcc_over_geo },
    Case { name: "start", seconds: 14, measure: start::forty_ms },
    Case { name: "burst", seconds: 30, measure: burst::on_loopback },
    Case { name: "file-geo", seconds: 35, measure: start::file_over_geo },
    Case { name: "speed", seconds: 60, measure: files::speed },
    Case { name: "ten", seconds: 240, measure: files::ten_receivers },
    Case { name: "junk", seconds: 35, measure: hostile::junk },
    Case { name: "forged", seconds: 35, measure: hostile::forged },
    Case { name: "replayed", seconds: 70, measure: hostile::replayed },
    Case { name: "lying", seconds: 150, measure: hostile::lying },
    Case { name: "wrap", seconds: 92, measure: trouble::wrap },
    Case { name: "outage", seconds: 92, measure: trouble::outage },
    Case { name: "suspend", seconds: 85, measure: trouble::suspend },
];

static ONLY_SIMULATES: AtomicBool = AtomicBool::new(false);

/// Whether this run does only what is simulated.
fn only_simulates() -> bool {
    ONLY_SIMULATES.load(Ordering::Relaxed)
}

fn main() -> ExitCode {
    // Cargo tells whoever it runs that this is a benchmark.
    let mut names: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if names.first().is_some_and(|first| first == "simulate") {
        names.remove(0);
        ONLY_SIMULATES.store(true, Ordering::Relaxed);
    }
    if let Some(unknown) = names.iter().find(|name| CASES.iter().all(|case| case.name != **name)) {
        let legal: Vec<&str> = CASES.iter().map(|case| case.name).collect();
        eprintln!("there is no case {unknown}; legal are {}", legal.join(", "));
        return ExitCode::from(2);
    }
    let wanted: Vec<&Case> =
        CASES.iter().filter(|case| names.is_empty() || names.iter().any(|name| name == case.name)).collect();
    if !only_simulates() {
        let seconds: u32 = wanted.iter().map(|case| case.seconds).sum();
        println!("{} cases, {} minutes in all, and what is simulated first", wanted.len(), seconds.div_ceil(60));
    }
    for case in &wanted {
        let began = now();
        let rows = (case.measure)();
        if only_simulates() {
            if let Err(why) = rows {
                println!("{}: {why}", case.name);
            }
            continue;
        }
        println!("{}, {:.0} s", case.name, now().duration_since(began).as_secs_f64());
        match rows {
            Ok(rows) => {
                rows.iter().for_each(tell);
                page::keep(case.name, &rows);
            }
            Err(why) => println!("  left out: {why}"),
        }
    }
    if !only_simulates() {
        println!("\n{}", page::write(CASES));
    }
    ExitCode::SUCCESS
}

fn tell(row: &Row) {
    let [what, wire, simulator, wanted, verdict] = row.cells();
    let beside = if simulator.is_empty() { String::new() } else { format!("; simulator {simulator}") };
    let wanted = if wanted.is_empty() { String::new() } else { format!("; wanted {wanted}: {verdict}") };
    println!("  {what}: {wire}{beside}{wanted}");
}

/// The present moment: what is measured here is time.
#[expect(clippy::disallowed_methods, reason = "what is measured is real time")]
pub fn now() -> Instant {
    Instant::now()
}
