//! What a scheme has on hosts where scenarios have something else by default.

use serde_json::{Map, Value, json};

/// The parameters of a scheme, by its name, that hosts have unless they are told otherwise, as
/// [`Session::read`](super::Session::read) takes them. `faircast send`, `receive`, `stream` and `probe` begin with
/// these; both ends of a session must have the same.
///
/// A driver is late by milliseconds and takes what is due with it (`granularity`), and is silent for as long without
/// anything being wrong (`silence_floor`). A start that doubles the rate per round trip has nine tenths of 10 Mbit/s
/// for good after 4 s, and not 40 (`slow_start`); and a queue that overflows once is one loss event for as long as it
/// is for TCP (`loss_event_span`). `max_rtt` and `seed_floor` are those of scenarios: beside an established TCP none of
/// 20 simulated sessions stayed down by them (`docs/tfmcc.md`).
///
/// ```
/// let mut table = faircast_wire::session::host_defaults("tfmcc");
/// table.insert("max_rate".to_owned(), "20 Mbit/s".into());
/// assert!(faircast_wire::session::Session::read(table.into()).is_ok());
/// ```
pub fn host_defaults(scheme: &str) -> Map<String, Value> {
    let late =
        Map::from_iter([("granularity", "10 ms"), ("silence_floor", "50 ms")].map(|(k, v)| (k.to_owned(), json!(v))));
    let mut table = match scheme {
        "tfmcc" | "omcc" => late,
        "smcc" => Map::from_iter([("tfmcc".to_owned(), Value::Object(late))]),
        _ => Map::new(),
    };
    if scheme == "tfmcc" {
        table.insert("slow_start".to_owned(), json!("doubling"));
        table.insert("loss_event_span".to_owned(), json!("window"));
    }
    table.insert("scheme".to_owned(), json!(scheme));
    table
}
