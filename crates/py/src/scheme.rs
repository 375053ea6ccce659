//! Schemes that are Python classes: slow, for teaching and for trying something out.

use crate::endpoint::{PyEndpoint, Shown};
use crate::exhaustion::unwatched;
use crate::gate::through;
use faircast_proto::endpoint::{EventKind, Gauge};
use faircast_proto::group_set::{GroupPlan, MAX_GROUPS};
use faircast_proto::guest::{Kind, SchemeKind};
use faircast_proto::quantity::Bytes;
use faircast_proto::scheme::{Responder, Scheme, Seat};
use faircast_proto::time::{Duration, Rate};
use faircast_scenario::guests;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Makes a class known as a scheme. `schema`: the JSON Schema of its parameters, defaults of quantities in base units
/// (bit/s, ns, bytes); `make`: the class, called with all of them. Gauges are (name, unit, kind, description), events
/// (name, unit, description).
#[pyfunction(name = "register_scheme")]
#[expect(clippy::too_many_arguments, reason = "the package around it gives them names")]
pub fn py_register_scheme(
    name: &str,
    about: &str,
    origin: &str,
    schema: &str,
    make: Py<PyAny>,
    source_gauges: Vec<(String, String, String, String)>,
    member_gauges: Vec<(String, String, String, String)>,
    events: Vec<(String, String, String)>,
) -> PyResult<()> {
    let wrong = |message: String| PyValueError::new_err(message);
    let mut schema: Value = serde_json::from_str(schema).map_err(|error| wrong(error.to_string()))?;
    for (_, property) in schema["properties"].as_object_mut().into_iter().flatten() {
        if let (Some(kind), Some(default)) = (property["x-quantity"].as_str(), property["default"].as_u64()) {
            property["default"] = written(kind, default);
        }
    }
    let listed = |gauges: Vec<_>| gauges.into_iter().map(gauge).collect::<Result<Vec<Gauge>, String>>().map_err(wrong);
    let event = |(name, unit, about): (String, String, String)| -> &'static EventKind {
        let [name, unit, about] = [name, unit, about].map(lasting);
        Box::leak(Box::new(EventKind::new(name, unit, about)))
    };
    // Kinds last as long as the process, as those that are built in do.
    let shown: &'static Shown = Box::leak(Box::new(Shown {
        name: lasting(name.to_owned()),
        source: listed(source_gauges)?,
        member: listed(member_gauges)?,
        events: events.into_iter().map(event).collect(),
    }));
    let defaults: Map<String, Value> = properties(&schema)
        .filter_map(|(key, property)| Some((key.clone(), property.get("default")?.clone())))
        .collect();
    let read = {
        let schema = schema.clone();
        move |given: Map<String, Value>| {
            let mut all = defaults.clone();
            all.extend(given);
            let make = || {
                Python::attach(|py| PyScheme::new(py, &make, &all, &schema, shown).map_err(|error| error.to_string()))
            };
            let scheme = through(|| unwatched(make))?;
            let shared: Arc<dyn SchemeKind> = Arc::new(scheme);
            Ok((all, shared))
        }
    };
    guests::add(Kind::<dyn SchemeKind>::read_by(name, about, origin, schema, read)).map_err(wrong)
}

/// An instance of such a class, and what it says of itself.
struct PyScheme {
    instance: Py<PyAny>,
    wrong: Vec<(String, String)>,
    groups: u8,
    packet_bytes: u64,
    max_rate: Option<Rate>,
    is_controlled: bool,
    shown: &'static Shown,
}

impl PyScheme {
    fn new(
        py: Python<'_>,
        make: &Py<PyAny>,
        parameters: &Map<String, Value>,
        schema: &Value,
        shown: &'static Shown,
    ) -> PyResult<PyScheme> {
        let arguments = PyDict::new(py);
        for (key, value) in parameters {
            let quantity = schema["properties"][key]["x-quantity"].as_str();
            match (quantity, value) {
                (Some(kind), Value::String(text)) => {
                    arguments.set_item(key, parsed(kind, text).map_err(PyValueError::new_err)?)?;
                }
                (_, Value::Bool(value)) => arguments.set_item(key, value)?,
                (_, Value::String(value)) => arguments.set_item(key, value)?,
                (_, Value::Number(number)) if schema["properties"][key]["type"] == "number" => {
                    arguments.set_item(key, number.as_f64())?;
                }
                (_, Value::Number(number)) => arguments.set_item(key, number.as_i64())?,
                _ => return Err(PyValueError::new_err(format!("{key}: {value} is no parameter"))),
            }
        }
        let instance = make.bind(py).call((), Some(&arguments))?;
        let wrong: Vec<(String, String)> = instance.call_method0("check")?.extract()?;
        let groups = instance.call_method0("groups")?;
        let legal = |groups: &u8| (1..=MAX_GROUPS).contains(&u32::from(*groups));
        let groups: u8 = groups.extract().ok().filter(legal).ok_or_else(|| {
            PyValueError::new_err(format!("groups() gives {groups}; legal is a whole number from 1 to {MAX_GROUPS}"))
        })?;
        let max_rate_bps: Option<u64> = instance.call_method0("max_rate_bps")?.extract()?;
        Ok(PyScheme {
            packet_bytes: instance.call_method0("packet_bytes")?.extract()?,
            is_controlled: instance.call_method0("is_controlled")?.extract()?,
            max_rate: max_rate_bps.map(Rate),
            instance: instance.unbind(),
            wrong,
            groups,
            shown,
        })
    }
}

impl Scheme for PyScheme {
    type Sender = PyEndpoint;
    type Receiver = PyEndpoint;

    fn check(&self) -> Vec<(String, String)> {
        self.wrong.clone()
    }

    fn groups(&self) -> Vec<GroupPlan> {
        (0..self.groups).map(GroupPlan::layer).collect()
    }

    fn events(&self) -> &'static [&'static EventKind] {
        &self.shown.events
    }

    fn packet_bytes(&self) -> u64 {
        self.packet_bytes
    }

    fn max_rate(&self) -> Option<Rate> {
        self.max_rate
    }

    fn responder(&self) -> Responder {
        if self.is_controlled { Responder::Sender } else { Responder::Nobody }
    }

    fn sender(&self, seat: Seat) -> PyEndpoint {
        PyEndpoint::new(&self.instance, "source", seat, self.groups, self.shown, &self.shown.source)
    }

    fn receiver(&self, seat: Seat) -> PyEndpoint {
        PyEndpoint::new(&self.instance, "member", seat, self.groups, self.shown, &self.shown.member)
    }
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}

/// A quantity in base units as scenarios write it.
fn written(kind: &str, value: u64) -> Value {
    let written = match kind {
        "rate" => serde_json::to_value(Rate(value)),
        "duration" => serde_json::to_value(Duration(value)),
        _ => serde_json::to_value(Bytes(value)),
    };
    written.expect("a text")
}

/// A quantity in base units.
fn parsed(kind: &str, text: &str) -> Result<u64, String> {
    match kind {
        "rate" => Rate::parse(text).map(|rate| rate.0),
        "duration" => Duration::parse(text).map(|duration| duration.0),
        _ => Bytes::parse(text).map(|bytes| bytes.0),
    }
}

fn gauge((name, unit, kind, about): (String, String, String, String)) -> Result<Gauge, String> {
    let [name, unit, about] = [name, unit, about].map(lasting);
    match kind.as_str() {
        "count" => Ok(Gauge::count(name, unit, about)),
        "amount" => Ok(Gauge::amount(name, unit, about)),
        "level" => Ok(Gauge::level(name, unit, about)),
        _ => Err(format!("the gauge {name} is a {kind}; legal are count, amount, level")),
    }
}

fn lasting(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}
