//! What JavaScript calls. A panic is thrown as an error with a sentence; the instance is of no use after it.

use crate::check::{self, resolved, told};
use crate::{output, places};
use faircast_proto::time::Duration;
use faircast_scenario::run::{Control, Failure, RunOutput};
use faircast_scenario::steps::{Progress, Steps};
use faircast_scenario::topology::GroundPlace;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

/// Makes panics errors of JavaScript.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|panic| {
        let what = panic.payload_as_str().unwrap_or("without a message");
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        wasm_bindgen::throw_str(&format!("The core has failed, which is a defect of faircast: {what} ({place})"));
    }));
}

/// The version of faircast.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// The JSON Schema of a scenario.
#[wasm_bindgen]
pub fn schema() -> String {
    faircast_scenario::schema().to_string()
}

/// What there is to choose from, as JSON: of each kind pairs of name and description.
#[wasm_bindgen]
pub fn catalogue() -> String {
    serde_json::json!(faircast_scenario::catalogue::catalogue()).to_string()
}

/// Files that scenarios name.
#[wasm_bindgen]
#[derive(Default)]
pub struct Files(check::Files);

#[wasm_bindgen]
impl Files {
    /// No files yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Files {
        Files::default()
    }

    /// Adds one, or puts it in the place of one.
    pub fn put(&mut self, name: String, content: Vec<u8>) {
        self.0.insert(name, content);
    }
}

/// Everything about a TOML text that can be said without a run, as JSON: [`check::check`].
#[wasm_bindgen]
pub fn check(text: &str, files: &Files) -> String {
    check::check(text, &files.0).to_string()
}

/// Where paths stand in a TOML text, as JSON: [`places::places`].
#[wasm_bindgen]
pub fn places(text: &str, paths: Vec<String>) -> String {
    places::places(text, &paths).to_string()
}

/// The map of the network of a resolved scenario, as JSON.
///
/// # Errors
/// What is wrong with the scenario.
#[wasm_bindgen(js_name = networkMap)]
pub fn network_map(scenario: &str, seed: f64) -> Result<String, JsError> {
    Ok(faircast_scenario::map::map(&legal(scenario)?, seed as u64).to_string())
}

/// Where the satellites of a resolved scenario are at `times`, seconds; nothing if none is known.
///
/// # Errors
/// What is wrong with the scenario.
#[wasm_bindgen]
pub fn sky(scenario: &str, seed: f64, times: &[f64]) -> Result<Option<Sky>, JsError> {
    Ok(faircast_scenario::sky(&legal(scenario)?, seed as u64, times).map(Sky))
}

/// Satellites and stations.
#[wasm_bindgen]
pub struct Sky(faircast_scenario::Sky);

#[wasm_bindgen]
impl Sky {
    /// The names of the satellites' nodes.
    #[wasm_bindgen(getter)]
    pub fn satellites(&self) -> Vec<String> {
        self.0.satellites.clone()
    }

    /// The stations, as JSON: `name`, `latitude`, `longitude`.
    #[wasm_bindgen(getter)]
    pub fn stations(&self) -> String {
        let all = self.0.stations.iter().map(|GroundPlace { name, latitude, longitude }| {
            serde_json::json!({ "name": name, "latitude": latitude, "longitude": longitude })
        });
        serde_json::Value::Array(all.collect()).to_string()
    }

    /// Degrees north, all satellites at the first time, then at the next.
    #[wasm_bindgen(getter)]
    pub fn latitude(&self) -> Vec<f32> {
        self.0.latitude.clone()
    }

    /// Degrees east, in that order.
    #[wasm_bindgen(getter)]
    pub fn longitude(&self) -> Vec<f32> {
        self.0.longitude.clone()
    }

    /// Metres above the ground, in that order.
    #[wasm_bindgen(getter)]
    pub fn altitude(&self) -> Vec<f32> {
        self.0.altitude.clone()
    }
}

/// A run that is under way.
#[wasm_bindgen]
pub struct Run(Steps);

#[wasm_bindgen]
impl Run {
    /// The run of a resolved scenario with a seed, before its first event, unless it may take more than `memory` bytes.
    ///
    /// # Errors
    /// What is wrong with the scenario; that it may take more memory.
    #[wasm_bindgen(constructor)]
    pub fn new(scenario: &str, seed: f64, memory: f64) -> Result<Run, JsError> {
        let steps = Steps::new(&legal(scenario)?, seed as u64, memory, &Control::default());
        steps.map(Run).map_err(failed)
    }

    /// Goes on until a simulated time, seconds, has passed, but for so many events at most. Whether it is over.
    ///
    /// # Errors
    /// What a queue did that no queue may do.
    pub fn advance(&mut self, until_s: f64, events: f64) -> Result<bool, JsError> {
        // What is too large is as good as never.
        let until = Duration((until_s * 1e9) as u64);
        self.0.advance(until, events as u64).map(|progress| progress == Progress::Done).map_err(failed)
    }

    /// The simulated time of the last event, seconds.
    #[wasm_bindgen(getter)]
    pub fn now_s(&self) -> f64 {
        self.0.now().as_secs_f64()
    }

    /// The simulated time at which it ends, seconds.
    #[wasm_bindgen(getter)]
    pub fn end_s(&self) -> f64 {
        self.0.end().as_secs_f64()
    }

    /// Calendar entries carried out.
    #[wasm_bindgen(getter)]
    pub fn events(&self) -> f64 {
        self.0.events() as f64
    }

    /// Packets that left a link.
    #[wasm_bindgen(getter)]
    pub fn packet_hops(&self) -> f64 {
        self.0.packet_hops() as f64
    }

    /// What it gave; before its end what has happened by now.
    pub fn finish(self) -> Output {
        Output(self.0.finish())
    }
}

/// What a run gave.
#[wasm_bindgen]
pub struct Output(RunOutput);

#[wasm_bindgen]
impl Output {
    /// What there is beside tables, as JSON: [`output::facts`].
    pub fn facts(&self) -> String {
        output::facts(&self.0).to_string()
    }

    /// Which tables and columns there are, as JSON: [`output::listing`].
    pub fn tables(&self) -> String {
        output::listing(&self.0.tables).to_string()
    }

    /// Takes the numbers of a column.
    pub fn numbers(&mut self, table: usize, column: usize) -> Vec<f64> {
        output::take_numbers(&mut self.0.tables, table, column)
    }

    /// Takes the words of a column.
    pub fn words(&mut self, table: usize, column: usize) -> Words {
        let (codes, dictionary) = output::take_words(&mut self.0.tables, table, column);
        Words { codes, dictionary }
    }
}

/// Words of a column.
#[wasm_bindgen]
pub struct Words {
    codes: Vec<u32>,
    dictionary: Vec<String>,
}

#[wasm_bindgen]
impl Words {
    /// Takes the codes, one a row.
    pub fn codes(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.codes)
    }

    /// Takes the words that codes stand for.
    pub fn dictionary(&mut self) -> Vec<String> {
        std::mem::take(&mut self.dictionary)
    }
}

fn legal(scenario: &str) -> Result<faircast_scenario::Scenario, JsError> {
    resolved(scenario).map_err(|told| JsError::new(&told))
}

fn failed(failure: Failure) -> JsError {
    match failure {
        Failure::Problems(problems) => JsError::new(&told(&problems)),
        Failure::Cancelled => JsError::new("The run was cancelled before its network was there."),
    }
}
