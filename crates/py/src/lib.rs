//! The native module `faircast._native`: scenarios as JSON text in, columns of bytes out.
//!
//! | file | subject |
//! |---|---|
//! | `lib.rs` | the module: what scenarios and runs are to Python |
//! | `exhaustion.rs` | memory that fails |
//! | `scheme.rs` | schemes that are Python classes |
//! | `endpoint.rs` | their endpoints |
//! | `failure.rs` | errors in them, which end their run |
//! | `parts.rs` | what they may be made of |
//! | `cast.rs` | commands that send and receive files, on Linux |
//! | `gate.rs` | calls that were given up, when the interpreter ends |
//!
//! A crate with guests makes a module of its own of it: it registers them and calls [`fill`].
//!
//! Everything that takes time runs without the interpreter's lock, so that a thread per core keeps all cores busy and
//! the main thread can answer Ctrl-C.

#[cfg(target_os = "linux")]
mod cast;
mod endpoint;
mod exhaustion;
mod failure;
mod gate;
mod parts;
mod scheme;

pub use pyo3;

use endpoint::{PyOutbox, PyPacket, PySeat};
use exhaustion::{give_back, watched};
use failure::GuestError;
use faircast_proto::time::Duration;
use faircast_scenario::catalogue::catalogue;
use faircast_scenario::map::map;
use faircast_scenario::memory::Forecast;
use faircast_scenario::paths::{Demand, Paths, paths};
use faircast_scenario::periods::{Measured, Period, measured};
use faircast_scenario::run::{Control, Failure, RunOutput};
use faircast_scenario::tables::{Column, Table, Values};
use faircast_scenario::warning::{self, KnownWarning};
use faircast_scenario::{Problem, Scenario, Sky, canonical, check_part, outline, run, schema, sky, toml_lines, walk};
use gate::{Gate, behind};
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::borrow::Borrow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

create_exception!(
    faircast._native,
    ScenarioError,
    PyValueError,
    "The error of a scenario that is not legal: `problems` lists all of it, of one kind the first, `total` counts it."
);

create_exception!(
    faircast._native,
    CancelledError,
    PyRuntimeError,
    "A run was cancelled before its network was there: nothing has happened yet."
);

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    fill(module)
}

/// Puts everything into the module.
///
/// # Errors
/// What the interpreter cannot do.
pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("__commit__", option_env!("FAIRCAST_COMMIT"))?;
    module.add("__lock__", include_str!(concat!(env!("OUT_DIR"), "/Cargo.lock")))?;
    module.add("ScenarioError", py.get_type::<ScenarioError>())?;
    module.add("CancelledError", py.get_type::<CancelledError>())?;
    module.add("GuestError", py.get_type::<GuestError>())?;
    module.add_class::<PyControl>()?;
    module.add_class::<RawResult>()?;
    module.add_class::<PySeat>()?;
    module.add_class::<PyPacket>()?;
    module.add_class::<PyOutbox>()?;
    parts::fill(module)?;
    for function in [
        wrap_pyfunction!(py_catalogue, module)?,
        wrap_pyfunction!(py_check, module)?,
        wrap_pyfunction!(py_check_part, module)?,
        wrap_pyfunction!(py_forecast, module)?,
        wrap_pyfunction!(py_give_back, module)?,
        wrap_pyfunction!(py_map, module)?,
        wrap_pyfunction!(py_outline, module)?,
        wrap_pyfunction!(py_paths, module)?,
        wrap_pyfunction!(py_periods, module)?,
        wrap_pyfunction!(py_resolve, module)?,
        wrap_pyfunction!(py_run, module)?,
        wrap_pyfunction!(py_schema, module)?,
        wrap_pyfunction!(py_sky, module)?,
        wrap_pyfunction!(py_toml_to_json, module)?,
        wrap_pyfunction!(py_toml_lines, module)?,
        wrap_pyfunction!(py_walk, module)?,
        wrap_pyfunction!(py_warnings, module)?,
        wrap_pyfunction!(scheme::py_register_scheme, module)?,
    ] {
        module.add_function(function)?;
    }
    #[cfg(target_os = "linux")]
    module.add_function(wrap_pyfunction!(cast::py_cast, module)?)?;
    Ok(())
}

/// The JSON Schema of a scenario.
#[pyfunction(name = "schema")]
fn py_schema() -> String {
    format!("{:#}", schema())
}

/// A TOML text as JSON text. Raises `ScenarioError` with line and column.
#[pyfunction(name = "toml_to_json", signature = (text, control = None))]
fn py_toml_to_json(py: Python<'_>, text: &str, control: Option<PyRef<'_, PyControl>>) -> PyResult<String> {
    detached(py, control, || faircast_scenario::toml_to_json(text).map(|value| value.to_string()))
        .map_err(|problems| raise(py, &problems))
}

/// For each path of a scenario the line of a TOML text on which it stands, or the table that it would be in, and how
/// many bytes of the path lead there; None for what would be in no table, and if the text is no TOML.
#[pyfunction(name = "toml_lines")]
fn py_toml_lines(py: Python<'_>, text: &str, paths: Vec<String>) -> Vec<Option<(usize, usize)>> {
    let lines = py.detach(|| toml_lines(text, paths));
    lines.into_iter().map(|line| line.map(|line| (line.number, line.known))).collect()
}

/// All problems of a scenario, as (path, message).
#[pyfunction(name = "check")]
fn py_check(py: Python<'_>, scenario_json: &str) -> Vec<(String, String)> {
    py.detach(|| scenario(scenario_json)).err().map(|problems| pairs(&problems)).unwrap_or_default()
}

/// All problems of the form of one part of a scenario, as (path, message); paths begin at the part. Raises `ValueError`
/// if the schema has no such definition.
#[pyfunction(name = "check_part")]
fn py_check_part(py: Python<'_>, definition: &str, part_json: &str) -> PyResult<Vec<(String, String)>> {
    let found = py.detach(|| Ok(check_part(definition, json(part_json)?))).unwrap_or_else(Some);
    let unknown = || PyValueError::new_err(format!("the schema has no definition {definition}"));
    found.map(|problems| pairs(&problems)).ok_or_else(unknown)
}

/// The scenario with all defaults filled in and the content of the files that it names, which are looked for in
/// `folder`: as canonical JSON text without its seed, and its seed.
#[pyfunction(name = "resolve", signature = (scenario_json, folder = None, control = None))]
fn py_resolve(
    py: Python<'_>,
    scenario_json: &str,
    folder: Option<PathBuf>,
    control: Option<PyRef<'_, PyControl>>,
) -> PyResult<(String, u64)> {
    let read = || match &folder {
        Some(folder) => Scenario::from_json_in(json(scenario_json)?, folder),
        None => scenario(scenario_json),
    };
    let plain = |scenario: Scenario| {
        let mut value = scenario.to_json();
        // The seed is no part of what tells scenarios apart.
        value.as_object_mut().map(|entries| entries.remove("seed"));
        (canonical(&value), scenario.seed)
    };
    detached(py, control, || read().map(plain)).map_err(|problems| raise(py, &problems))
}

/// What should be known about a legal scenario before it runs, as (kind, path, message).
#[pyfunction(name = "warnings", signature = (scenario_json, control = None))]
fn py_warnings(
    py: Python<'_>,
    scenario_json: &str,
    control: Option<PyRef<'_, PyControl>>,
) -> PyResult<Vec<(&'static str, String, String)>> {
    let known = detached(py, control, || scenario(scenario_json).map(|scenario| warning::known(&scenario)))
        .map_err(|problems| raise(py, &problems))?;
    let plain = |known: KnownWarning| (known.warning.kind, known.path, known.warning.message);
    Ok(known.into_iter().map(plain).collect())
}

/// What there is, by kind: (name, description).
#[pyfunction(name = "catalogue")]
fn py_catalogue(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let kinds = PyDict::new(py);
    for (kind, entries) in catalogue() {
        kinds.set_item(kind, entries)?;
    }
    Ok(kinds)
}

/// The map of a scenario's network in the run with a seed: links as they are, and over which of them data goes. JSON.
#[pyfunction(name = "network_map")]
fn py_map(py: Python<'_>, scenario_json: &str, seed: u64) -> PyResult<String> {
    py.detach(|| scenario(scenario_json).map(|scenario| map(&scenario, seed).to_string()))
        .map_err(|problems| raise(py, &problems))
}

/// Where satellites are in the run with a seed at `times`, seconds from its start: names of `satellites`, `stations`
/// (name, degrees north, degrees east), and as little-endian single precision, all satellites at the first time, then
/// at the next, `latitude` and `longitude` (degrees) and `altitude` (metres), NaN where one is lost. None if the
/// topology has no satellite whose place is known.
#[pyfunction(name = "sky")]
fn py_sky<'py>(
    py: Python<'py>,
    scenario_json: &str,
    seed: u64,
    times: Vec<f64>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let found = py
        .detach(|| scenario(scenario_json).map(|scenario| sky(&scenario, seed, &times)))
        .map_err(|problems| raise(py, &problems))?;
    let Some(Sky { satellites, stations, latitude, longitude, altitude }) = found else { return Ok(None) };
    let stations: Vec<_> = stations.into_iter().map(|one| (one.name, one.latitude, one.longitude)).collect();
    let plain = PyDict::new(py);
    plain.set_item("satellites", satellites)?;
    plain.set_item("stations", stations)?;
    for (key, numbers) in [("latitude", latitude), ("longitude", longitude), ("altitude", altitude)] {
        plain.set_item(key, bytes(py, &numbers, f32::to_le_bytes)?)?;
    }
    Ok(Some(plain))
}

/// The links (name, bit/s), and of every flow and session: name, is_session, multirate, fixed rate, maximum rate
/// (bit/s), receivers (name, links by index).
#[pyfunction(name = "paths", signature = (scenario_json, control = None))]
fn py_paths(py: Python<'_>, scenario_json: &str, control: Option<PyRef<'_, PyControl>>) -> PyResult<(Links, Demands)> {
    let work = || {
        let found = scenario(scenario_json).map(|scenario| paths(&scenario.expand()));
        give_back();
        found
    };
    let found = detached(py, control, work).map_err(|problems| raise(py, &problems))?;
    Ok((links(py, &found)?, demands(found.demands)))
}

/// The periods of the measured time: each with the part of it, and links and demands as `paths` gives them, of those
/// who are present; and of receivers that are members for a part of that time, name and part. None if it has none
/// that are known before a run, or more than are looked at. Periods in a row with the same links have one list of them.
#[pyfunction(name = "periods", signature = (scenario_json, control = None))]
fn py_periods(py: Python<'_>, scenario_json: &str, control: Option<PyRef<'_, PyControl>>) -> PyResult<Option<Periods>> {
    let work = || {
        let found = scenario(scenario_json).map(|scenario| measured(&scenario.expand()).ok());
        give_back();
        found
    };
    let found = detached(py, control, work).map_err(|problems| raise(py, &problems))?;
    let Some(Measured { periods, members }) = found else { return Ok(None) };
    let mut known: Vec<(OfPeriod, Links)> = Vec::new();
    let mut plain = |Period { part, paths }: Period| {
        let listed = match known.iter().find(|(links, _)| Arc::ptr_eq(links, &paths.links)) {
            Some((_, listed)) => listed.clone_ref(py),
            None => {
                let listed = links(py, &paths)?;
                known.push((Arc::clone(&paths.links), listed.clone_ref(py)));
                listed
            }
        };
        Ok((part, listed, demands(paths.demands)))
    };
    let periods = periods.into_iter().map(&mut plain).collect::<PyResult<_>>()?;
    Ok(Some((periods, members)))
}

/// Names of links and their rates, bit/s.
type Links = Py<PyList>;

/// The same before: names, and what they carry.
type OfPeriod = Arc<[(String, u64)]>;
/// Of every flow and session: name, is_session, multirate, fixed rate, maximum rate (bit/s), receivers (name, links by
/// index).
type Demands = Vec<(String, bool, bool, Option<f64>, Option<f64>, Vec<(String, Vec<u32>)>, Vec<Vec<(u32, f64)>>)>;

/// The part of each period with its links and demands; names of receivers, and their parts.
type Periods = (Vec<(f64, Links, Demands)>, Vec<(String, f64)>);

fn links(py: Python<'_>, paths: &Paths) -> PyResult<Links> {
    let listed = paths.links.iter().map(|(name, rate)| (name.as_str(), *rate));
    Ok(PyList::new(py, listed.collect::<Vec<_>>())?.unbind())
}

fn demands(demands: Vec<Demand>) -> Demands {
    let plain =
        |d: Demand| (d.name, d.is_session, d.multirate, d.fixed_rate_bps, d.max_rate_bps, d.receivers, d.efficiencies);
    demands.into_iter().map(plain).collect()
}

/// Runs a scenario, one of `jobs` runs that go on at the same time in this process and share its memory. Raises
/// `ScenarioError` if it may take more than its share, `CancelledError` if it is cancelled before its network is there,
/// `GuestError` if a scheme that is a Python class raises something.
#[pyfunction(name = "run", signature = (scenario_json, seed, control = None, jobs = 1))]
fn py_run(
    py: Python<'_>,
    scenario_json: &str,
    seed: u64,
    control: Option<PyRef<'_, PyControl>>,
    jobs: u32,
) -> PyResult<RawResult> {
    let shared = control.as_ref().map_or_else(Arc::default, |control| control.shared.clone());
    let work = || {
        let output = run(&Scenario::from_json_unless_cancelled(json(scenario_json)?, &shared)?, seed, &shared, jobs);
        give_back();
        output
    };
    let (outcome, failed) = detached(py, control, || failure::ends(&shared, work));
    if let Some(error) = failed {
        return Err(error);
    }
    outcome.map(RawResult::of).map_err(|failure| failed_run(py, failure))
}

/// Gives the system what the allocator of this process holds free.
#[pyfunction(name = "give_back")]
fn py_give_back(py: Python<'_>) {
    py.detach(give_back);
}

/// How much memory a run is expected to take, what follows it included, bytes.
#[pyfunction(name = "forecast")]
fn py_forecast(py: Python<'_>, scenario_json: &str) -> PyResult<f64> {
    py.detach(|| scenario(scenario_json).map(|scenario| Forecast::of(&scenario.expand()).in_all()))
        .map_err(|problems| raise(py, &problems))
}

/// Lets the network of a scenario change as in a run with this seed up to a time such as "100 s", without anything
/// being sent. Raises as `run`.
#[pyfunction(name = "walk", signature = (scenario_json, seed, until = None, control = None))]
fn py_walk(
    py: Python<'_>,
    scenario_json: &str,
    seed: u64,
    until: Option<&str>,
    control: Option<PyRef<'_, PyControl>>,
) -> PyResult<RawResult> {
    let shared = control.as_ref().map_or_else(Arc::default, |control| control.shared.clone());
    let wrong = |message| vec![Problem::new("until", message)];
    let work = || {
        let until = until.map(Duration::parse).transpose().map_err(wrong)?;
        walk(&Scenario::from_json_unless_cancelled(json(scenario_json)?, &shared)?, seed, until, &shared)
    };
    detached(py, control, work).map(RawResult::of).map_err(|failure| failed_run(py, failure))
}

/// The columns of the summary of a run in which nothing has happened yet: which subjects and metrics it has. Raises as
/// `run`.
#[pyfunction(name = "outline", signature = (scenario_json, seed, control = None))]
fn py_outline<'py>(
    py: Python<'py>,
    scenario_json: &str,
    seed: u64,
    control: Option<PyRef<'py, PyControl>>,
) -> PyResult<Bound<'py, PyList>> {
    let shared = control.as_ref().map_or_else(Arc::default, |control| control.shared.clone());
    let work = || outline(&Scenario::from_json_unless_cancelled(json(scenario_json)?, &shared)?, seed, &shared);
    let (outcome, failed) = detached(py, control, || failure::ends(&shared, work));
    if let Some(error) = failed {
        return Err(error);
    }
    listed(py, outcome.map_err(|failure| failed_run(py, failure))?.columns)
}

fn failed_run(py: Python<'_>, failure: Failure) -> PyErr {
    match failure {
        Failure::Problems(problems) => raise(py, &problems),
        Failure::Cancelled => CancelledError::new_err("cancelled before its network was there"),
    }
}

/// Carries out `work` without the interpreter's lock; if it has a control and memory fails, that says so, and `work`
/// never ends.
fn detached<T: Send>(py: Python<'_>, control: Option<PyRef<'_, PyControl>>, work: impl FnOnce() -> T + Send) -> T {
    let Some(control) = control else { return py.detach(work) };
    let (exhausted, gate) = (control.exhausted.clone(), control.gate.clone());
    drop(control);
    let (done, _inside) = py.detach(|| {
        let done = behind(&gate, || watched(&exhausted, work));
        (done, gate.enter())
    });
    done
}

/// A handle to watch and stop a call in another thread.
#[pyclass(name = "Control", module = "faircast._native", frozen, weakref)]
struct PyControl {
    shared: Arc<Control>,
    exhausted: Arc<AtomicBool>,
    gate: Arc<Gate>,
}

#[pymethods]
impl PyControl {
    #[new]
    fn new() -> PyControl {
        PyControl { shared: Arc::default(), exhausted: Arc::default(), gate: Arc::default() }
    }

    /// Ends the run before its next event.
    fn cancel(&self) {
        self.shared.cancel();
    }

    /// Keeps the thread of the call out of Python from now on: it stops for good where it would come back. Waits until
    /// it is not there, but no longer than so many seconds; whether that is so.
    fn close(&self, py: Python<'_>, patience_s: f64) -> bool {
        py.detach(|| self.gate.close(std::time::Duration::from_secs_f64(patience_s)))
    }

    /// Simulated time done, as a part of the whole, 0 to 1.
    #[getter]
    fn progress(&self) -> f64 {
        self.shared.progress()
    }

    /// Whether memory failed in the call, which then never returns.
    #[getter]
    fn exhausted(&self) -> bool {
        self.exhausted.load(Ordering::Relaxed)
    }
}

/// What a run gave.
#[pyclass(module = "faircast._native", frozen)]
struct RawResult {
    /// Without its tables.
    output: RunOutput,
    /// Nothing once they have been taken.
    tables: Mutex<Option<Arc<Vec<Table>>>>,
}

impl RawResult {
    fn of(mut output: RunOutput) -> RawResult {
        let tables = std::mem::take(&mut output.tables);
        RawResult { output, tables: Mutex::new(Some(Arc::new(tables))) }
    }

    fn held(&self) -> MutexGuard<'_, Option<Arc<Vec<Table>>>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl RawResult {
    /// Whether it was cancelled before its end.
    #[getter]
    fn interrupted(&self) -> bool {
        self.output.interrupted
    }

    /// How far it came, seconds of simulated time.
    #[getter]
    fn simulated_s(&self) -> f64 {
        self.output.simulated_s
    }

    /// Packets that left a link.
    #[getter]
    fn packet_hops(&self) -> u64 {
        self.output.packet_hops
    }

    /// Calendar entries carried out.
    #[getter]
    fn events(&self) -> u64 {
        self.output.events
    }

    /// Hash of everything that happened, if `probes.trace` asked for it.
    #[getter]
    fn trace(&self) -> Option<String> {
        self.output.trace.map(|(hash, records)| format!("{hash:016x}-{records}"))
    }

    /// What should be known about the tables, as (kind, subject, value, message).
    #[getter]
    fn warnings(&self) -> Vec<(&'static str, &str, f64, &str)> {
        self.output.warnings.iter().map(|w| (w.kind, w.subject.as_str(), w.value, w.message.as_str())).collect()
    }

    /// Tables by name; of each its columns (name, kind, little-endian bytes, dictionary).
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tables = PyDict::new(py);
        let held = self.held().clone().ok_or_else(taken)?;
        for Table { name, columns } in held.iter() {
            tables.set_item(name, listed(py, columns)?)?;
        }
        Ok(tables)
    }

    /// The same, once: each column is released as soon as its copy is made.
    fn take_tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tables = PyDict::new(py);
        let held = self.held().take().ok_or_else(taken)?;
        for Table { name, columns } in Arc::unwrap_or_clone(held) {
            tables.set_item(name, listed(py, columns)?)?;
        }
        Ok(tables)
    }
}

fn taken() -> PyErr {
    PyRuntimeError::new_err("the tables of this result have been taken")
}

fn listed<'py, C: Borrow<Column>>(
    py: Python<'py>,
    columns: impl IntoIterator<Item = C>,
) -> PyResult<Bound<'py, PyList>> {
    let listed = PyList::empty(py);
    for column in columns {
        let Column { name, values } = column.borrow();
        let none = None::<Vec<String>>;
        let entry = match values {
            Values::Float(values) => (name, "f64", bytes(py, values, |v| v.to_le_bytes())?, none),
            Values::Integer(values) => (name, "i64", bytes(py, values, |v| v.to_le_bytes())?, none),
            Values::Words(words) => {
                let codes = bytes(py, &words.codes, |v| v.to_le_bytes())?;
                (name, "str", codes, Some(words.dictionary.clone()))
            }
        };
        listed.append(entry)?;
    }
    Ok(listed)
}

fn bytes<'py, T: Copy, const N: usize>(
    py: Python<'py>,
    values: &[T],
    to_bytes: impl Fn(T) -> [u8; N],
) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, values.len() * N, |buffer| {
        for (place, &value) in buffer.chunks_exact_mut(N).zip(values) {
            place.copy_from_slice(&to_bytes(value));
        }
        Ok(())
    })
}

fn scenario(text: &str) -> Result<Scenario, Vec<Problem>> {
    Scenario::from_json(json(text)?)
}

fn json(text: &str) -> Result<serde_json::Value, Vec<Problem>> {
    serde_json::from_str(text).map_err(|error| vec![Problem::new("", format!("not JSON: {error}"))])
}

fn pairs(problems: &[Problem]) -> Vec<(String, String)> {
    problems.iter().map(|problem| (problem.path.clone(), problem.message.clone())).collect()
}

fn raise(py: Python<'_>, problems: &[Problem]) -> PyErr {
    let listed: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let error = ScenarioError::new_err(listed.join("\n"));
    let total: usize = problems.iter().map(Problem::count).sum();
    let value = error.value(py);
    let attached = value.setattr("problems", pairs(problems)).and_then(|()| value.setattr("total", total));
    attached.err().unwrap_or(error)
}
