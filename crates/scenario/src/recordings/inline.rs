//! Puts the content of recordings in the places of their files' names, and says what follows from it about their links.

use super::digits::Wrong;
use super::formats;
use super::held;
use super::packed;
use super::samples::Samples;
use super::stamps::Stamps;
use super::table;
use crate::files::{Files, Named};
use crate::model::trace::LensColumn;
use crate::problem::{Problem, given};
use faircast_proto::quantity::Bytes;
use faircast_proto::time::Duration;
use faircast_sim::opportunities::Opportunities;
use serde_json::{Value, json};

/// Bytes of a recording at most: three million lines of LENS have half of it.
const LARGEST: u64 = 1 << 28;

/// Reads the recordings that the settings of one direction of a link name, and holds them. What cannot be read is
/// reported, and the recording left out.
pub(crate) fn inline(settings: &mut Value, path: &str, files: Files<'_>, problems: &mut Vec<Problem>) {
    let Some(trace) = settings.get_mut("trace").filter(|trace| trace.is_object()) else { return };
    let time = |key: &str, default| match trace.get(key).and_then(Value::as_str).map(Duration::parse) {
        Some(Ok(given)) if given >= Duration::from_millis(1) => given,
        _ => default,
    };
    let (interval, longest_gap) =
        (time("interval", Duration::from_millis(10)), time("longest_gap", Duration::from_secs(1)));
    let column = trace.get("column").cloned().and_then(|column| serde_json::from_value::<LensColumn>(column).ok());
    let mut reading = Reading { trace, path, files, problems, is_whole: true };
    let (mut rate, mut delay) = (None, None);
    match reading.trace["kind"].as_str() {
        Some("mahimahi") => rate = reading.read("file", formats::mahimahi).map(mean_rate),
        Some("leocc") => {
            rate = reading.read("bw", formats::mahimahi).map(mean_rate);
            delay = reading.read("delay", |text| formats::delays(text, interval)).and_then(first_delay);
        }
        Some("lens") => {
            let read = |text: &str| formats::lens(text, column.unwrap_or_default(), longest_gap);
            delay = reading.read("file", read).and_then(first_delay);
        }
        Some("csv") => _ = reading.read("file", table::csv),
        // That is said where the schema is looked at.
        _ => return,
    }
    let is_whole = reading.is_whole;
    let kind = reading.trace["kind"].as_str().unwrap_or_default().to_owned();
    let Some(settings) = settings.as_object_mut() else { return };
    if !is_whole {
        // That what follows from it is missing is nobody's mistake.
        settings.remove("trace");
        rate = (kind == "mahimahi" || kind == "leocc").then(|| json!("1 Mbit/s"));
        delay = (kind == "leocc" || kind == "lens").then(|| json!("1 ms"));
    }
    let mut said = |key: &str, value: Value| _ = settings.entry(key).or_insert(value);
    if let Some(rate) = rate {
        said("rate", rate);
        said("header", json!(Bytes(Opportunities::HEADER.into())));
    }
    delay.into_iter().for_each(|delay| said("delay", delay));
}

fn mean_rate(stamps: Stamps) -> Value {
    json!(stamps.0.mean_rate())
}

fn first_delay(samples: Samples) -> Option<Value> {
    samples.first_delay().map(|delay| json!(delay))
}

/// The recordings of one trace.
struct Reading<'a> {
    trace: &'a mut Value,
    path: &'a str,
    files: Files<'a>,
    problems: &'a mut Vec<Problem>,
    /// Whether all could be read.
    is_whole: bool,
}

impl Reading<'_> {
    /// Reads the file that a key names, unless its content stands there already.
    fn read<R: Clone + 'static>(&mut self, key: &str, parse: impl FnOnce(&str) -> Result<R, Wrong>) -> Option<R> {
        let name = self.trace.get(key)?.as_str()?.to_owned();
        if packed::is_content(&name) {
            return None;
        }
        let read = Named::read_up_to(LARGEST, self.files, &name).and_then(|file| {
            parse(&file.text)
                .map_err(|(line, message)| file.wrong(Some((line, 1)), &format!(", line {line}: {message}")))
        });
        match read {
            Ok(recording) => {
                self.trace[key] = json!(held::hold(recording.clone()));
                Some(recording)
            }
            Err(message) => {
                self.is_whole = false;
                let path = format!("{}.trace.{key}", self.path);
                self.problems.push(Problem { given: Some(given(&name.into())), ..Problem::new(path, message) });
                None
            }
        }
    }
}
