//! What a sender tells of its session, whatever it sends.

use crate::carried::Outbound;
use crate::outgoing::Outgoing;
use faircast_proto::endpoint::Endpoint as _;
use faircast_wire::driver::Driver;
use faircast_wire::session::SourceEndpoint;
use serde_json::{Value, json};
use std::time::Duration;

/// The driver of a sender.
pub type Source<O> = Driver<SourceEndpoint, Outgoing<O>>;

/// The rate at which it sends.
pub fn rate<O: Outbound>(driver: &Source<O>) -> String {
    let rate = driver.endpoint().report().rate_bps;
    if rate.is_finite() { format!(", rate {:.3} Mbit/s", rate / 1e6) } else { String::new() }
}

/// Who limits, and what it has reported.
pub fn limits<O: Outbound>(driver: &Source<O>) -> String {
    let Some(limit) = driver.content().limit else { return String::new() };
    let reported = limit.reported.map_or(String::new(), |(p, rtt_s)| {
        let p = if p > 0.0 { format!("p {:.3} %", 100.0 * p) } else { "no loss yet".to_owned() };
        format!(": {p}, RTT {:.1} ms", 1e3 * rtt_s)
    });
    format!("; receiver {} limits{reported}", driver.directory().id(limit.receiver))
}

/// Who limits, and what it has reported, for machines.
fn limiting<O: Outbound>(driver: &Source<O>) -> Option<Value> {
    driver.content().limit.map(|limit| {
        let (p, rtt_s) = limit.reported.unzip();
        json!({ "id": driver.directory().id(limit.receiver), "loss_event_rate": p, "rtt_s": rtt_s })
    })
}

/// A sender's value for machines: its own part, and what all senders tell.
pub fn value<O: Outbound>(driver: &Source<O>, took: Duration, mut own: Value) -> Value {
    let (content, counters) = (driver.content(), driver.counters());
    for (key, value) in [
        ("seconds", json!(took.as_secs_f64())),
        ("limiting", json!(limiting(driver))),
        ("excluded", json!(excluded(driver))),
        ("source_symbols", json!(content.sent.0)),
        ("repair_symbols", json!(content.sent.1)),
        ("packets", json!(counters.sent)),
        ("not_sent", json!(counters.not_sent)),
        ("forged", json!(counters.forged)),
        ("refused", json!(content.refused)),
        ("greedy", json!(content.greedy)),
    ] {
        own[key] = value;
    }
    own
}

/// Who is not heeded, what could not be sent, and what strangers have sent.
pub fn troubles<O: Outbound>(driver: &Source<O>) -> String {
    let counters = driver.counters();
    let unsent = match counters.last_failure {
        Some(why) if counters.not_sent > 0 => {
            format!(", {} packets could not be sent at first: {why}", counters.not_sent)
        }
        _ => String::new(),
    };
    let forged = match counters.forged {
        0 => String::new(),
        forged => format!(", {forged} forged messages refused"),
    };
    let greedy = driver.content().greedy;
    let greedy = greedy.map_or(String::new(), |id| format!(", receiver {id} asks for more than it can need"));
    let excluded: Vec<String> = excluded(driver).iter().map(u64::to_string).collect();
    let excluded = match &excluded[..] {
        [] => String::new(),
        [id] => format!(", receiver {id} asked for less than exclude_below and is not heeded"),
        ids => format!(", receivers {} asked for less than exclude_below and are not heeded", ids.join(", ")),
    };
    format!("{excluded}{unsent}{forged}{greedy}")
}

/// Who is not heeded, by id.
fn excluded<O: Outbound>(driver: &Source<O>) -> Vec<u64> {
    driver.content().excluded.iter().map(|receiver| driver.directory().id(*receiver)).collect()
}
