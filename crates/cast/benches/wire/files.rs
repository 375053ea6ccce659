//! Large files: how fast they go, what they cost, and whether they come.

use crate::case::Row;
use crate::lan::{self, Lan};
use crate::now;
use crate::place::Place;
use crate::programs::{Ended, Program, listens, until};
use std::time::Duration;

/// The group with this number, and a port that no other process measures on.
pub fn group(number: u8) -> String {
    format!("239.255.81.{number}:{}", 20_000 + std::process::id() % 20_000)
}

/// Draws keys for so many receivers into a folder.
pub fn keys(place: &Place, folder: &str, receivers: usize) -> Result<(), String> {
    let ended = Program::start(&place.path(""), &format!("keys {folder} --receivers {receivers}")).end();
    if ended.code == 0 { Ok(()) } else { Err(ended.said) }
}

const SPEED_BYTES: u64 = 1_000_000_000;

/// To three receivers over the loopback interface.
pub fn speed() -> Result<Vec<Row>, String> {
    if crate::only_simulates() {
        return Ok(Vec::new());
    }
    let place = Place::in_memory("speed");
    let mut rows = fast(&place, "no loss", Program::start)?;
    // The same in a namespace whose loopback interface loses packets.
    let own = Lan::new(1, None)?;
    own.on(0, || lan::lose_here(100))?;
    rows.extend(fast(&place, "1 % loss", |folder, words| {
        let (folder, words) = (folder.to_owned(), words.to_owned());
        own.on(0, move || Program::start(&folder, &words))
    })?);
    Ok(rows)
}

fn fast(place: &Place, how: &str, start: impl Fn(&std::path::Path, &str) -> Program) -> Result<Vec<Row>, String> {
    let is_lossless = how == "no loss";
    let bytes = if is_lossless { SPEED_BYTES } else { SPEED_BYTES / 10 };
    let _ = std::fs::remove_dir_all(place.path("keys"));
    place.file("film", bytes);
    keys(place, "keys", 3)?;
    let (group, folder) = (group(1), place.path(""));
    let receivers: Vec<Program> = (1..=3)
        .map(|number| {
            let _ = std::fs::remove_dir_all(place.path(&format!("r{number}")));
            let keys = format!("--keys keys/receiver-{number}.key");
            start(&folder, &format!("receive r{number} --from {group} --interface lo {keys}"))
        })
        .collect();
    until(Duration::from_secs(10), || (1..=3).all(|number| listens(&place.path(&format!("r{number}")))));
    let began = now();
    let sender =
        start(&folder, &format!("send film --to {group} --interface lo --max-rate {RATE} --keys keys/sender.key"));
    until(Duration::from_secs(120), || (1..=3).all(|number| place.path(&format!("r{number}/film")).exists()));
    let took = now().duration_since(began).as_secs_f64();
    let sent = sender.end();
    let received: Vec<Ended> = receivers.into_iter().map(Program::end).collect();
    let is_whole = (1..=3).all(|number| place.is_same("film", &format!("r{number}/film")));
    if !is_whole {
        return Err(format!("not all came: {} {}", sent.said, sent.value));
    }
    let (mb, gb) = (bytes as f64 / 1e6, bytes as f64 / 1e9);
    let (source, repair) = (sent.value["source_symbols"].as_f64(), sent.value["repair_symbols"].as_f64());
    let repair = 100.0 * repair.unwrap_or(f64::NAN) / source.unwrap_or(f64::NAN);
    let per_gb = |ended: &Ended| ended.cpu_s.map(|part| part / gb);
    let (rate, own) = (mb / took, per_gb(&sent));
    let others = received.iter().map(per_gb).max_by(|one, other| sum(one).total_cmp(&sum(other))).unwrap_or_default();
    let shown = |parts: [f64; 2]| format!("{:.2} ({:.2} and {:.2})", sum(&parts), parts[0], parts[1]);
    println!("  {how}: {} {:?}", sent.value, received.iter().map(|ended| ended.cpu_s).collect::<Vec<_>>());
    let what = format!("loopback, three receivers, sealed, {how}");
    let rate_row = Row::told(format!("{what}: MB/s from the command to the last verified file"), format!("{rate:.1}"));
    let at = |who: &str| format!("{what}: CPU seconds per GB at {who} (the program's and the kernel's)");
    let cpu_row = Row::told(at("the sender"), shown(own));
    let others = Row::told(at("the receiver that took most"), shown(others));
    let repair = Row::told(format!("{what}: repair symbols, % of source symbols"), format!("{repair:.1}"));
    let judge =
        |row: Row, wanted: &str, is_so: bool| Row { wanted: wanted.to_owned(), verdict: Some(is_so.into()), ..row };
    Ok(match is_lossless {
        true => vec![judge(rate_row, "≥ 60", rate >= 60.0), judge(cpu_row, "≤ 3", sum(&own) <= 3.0), others, repair],
        false => vec![rate_row, cpu_row, others, repair],
    })
}

fn sum(parts: &[f64; 2]) -> f64 {
    parts[0] + parts[1]
}

/// What the sender of the fast cases is allowed to send: some more than is wanted.
const RATE: &str = "800Mbit/s";
const TEN: usize = 10;

/// Bytes of the file for ten: a gigabyte, which takes minutes of two cores, or what the environment says.
fn ten_bytes() -> u64 {
    std::env::var("TEN_BYTES").ok().and_then(|given| given.parse().ok()).unwrap_or(1_000_000_000)
}

/// To ten receivers, each of which loses a packet of a hundred by itself; two are killed, one comes late.
pub fn ten_receivers() -> Result<Vec<Row>, String> {
    if crate::only_simulates() {
        return Ok(Vec::new());
    }
    let place = Place::in_memory("ten");
    let lan = Lan::new(1 + TEN, Some(100))?;
    let bytes = ten_bytes();
    place.file("film", bytes);
    keys(&place, "keys", TEN)?;
    let both = format!("{} --interface {}", group(1), lan::INTERFACE);
    let start = |number: usize| {
        let (folder, both) = (place.path(""), both.clone());
        let words = format!("receive r{number} --from {both} --keys keys/receiver-{number:02}.key");
        lan.on(number, move || Program::start(&folder, &words))
    };
    let has = |number: usize, part: f64| {
        let work = std::fs::read_dir(place.path(&format!("r{number}/.faircast"))).into_iter().flatten().flatten();
        let parts = work.filter_map(|entry| std::fs::metadata(entry.path().join("1.part")).ok());
        // A partial file is as long as the last of what came.
        parts.map(|part| part.len()).max().unwrap_or(0) as f64 > part * bytes as f64
    };
    let mut receivers: Vec<Program> = (1..TEN).map(start).collect();
    until(Duration::from_secs(20), || (1..TEN).all(|number| listens(&place.path(&format!("r{number}")))));
    let began = now();
    let (folder, words) =
        (place.path(""), format!("send film --to {both} --max-rate 400Mbit/s --keys keys/sender.key"));
    let sender = lan.on(0, move || Program::start(&folder, &words));
    let most = Duration::from_secs(600);
    let mut killed = 0;
    for (number, part) in [(1, 0.2), (2, 0.4)] {
        until(most, || has(number, part));
        drop(std::mem::replace(&mut receivers[number - 1], start(number)));
        killed += 1;
    }
    until(most, || has(3, 0.5));
    receivers.push(start(TEN));
    until(most, || (1..=TEN).all(|number| place.path(&format!("r{number}/film")).exists()));
    let took = now().duration_since(began).as_secs_f64();
    let sent = sender.end();
    drop(receivers);
    let same = (1..=TEN).filter(|number| place.is_same("film", &format!("r{number}/film"))).count();
    println!("  {} {}", sent.said, sent.value);
    let what = format!(
        "{} MB to ten receivers, each losing 1 %, {killed} killed and started again, one late: equal files",
        bytes / 1_000_000
    );
    Ok(vec![
        Row::judged(what, same.to_string(), "10", same == TEN && sent.code == 0),
        Row::told("the same: seconds from the command to the last verified file", format!("{took:.0}")),
    ])
}
