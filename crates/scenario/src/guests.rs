//! Guests: what a crate from outside the tree brings for scenarios to name.
//!
//! ```
//! # use faircast_scenario::Guests;
//! let mine: Guests = faircast_scenario::guests!();
//! assert_eq!(mine.origin(), concat!("faircast-scenario ", env!("CARGO_PKG_VERSION")));
//! ```
//!
//! Once a kind has been added, scenarios are checked against the schema of its parameters, and it is listed, runs and
//! stands in results like one of the tree's own. That holds for the process, so it is done once, at its start.

use crate::model::SessionCourse;
use faircast_proto::guest::{Kind, ORIGIN, SchemeKind, Sort};
use faircast_proto::scheme::Scheme;
use faircast_proto::tcp::rule::RuleKind;
use faircast_sim::queue::QueueKind;
use faircast_sim::router::AgentKind;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;

/// What one crate brings.
#[derive(Clone, Debug)]
pub struct Guests {
    origin: String,
}

/// The guests of the crate in which this stands: scenarios and results say its name and version.
#[macro_export]
macro_rules! guests {
    () => {
        $crate::Guests::of(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
    };
}

/// Parameters as scenarios have them. With `#[serde(default, deny_unknown_fields)]` all may be left out; comments on
/// fields become descriptions, quantities have units ([`faircast_proto::quantity`]).
pub trait Parameters: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {}

impl<P: Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static> Parameters for P {}

impl Guests {
    /// The guests of the crate with this name and version.
    pub fn of(name: &str, version: &str) -> Guests {
        Guests { origin: format!("{name} {version}") }
    }

    /// Name and version of the crate.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Adds a scheme of multicast congestion control, for `sessions.NAME.scheme`.
    ///
    /// # Panics
    /// As all of these: if the name is not legal or taken, or if a parameter has the name of a key that every session
    /// has.
    pub fn scheme<C>(&self, name: &str, about: &str)
    where
        C: Parameters + Scheme<Sender: Send + 'static, Receiver: Send + 'static>,
    {
        self.add(Kind::<dyn SchemeKind>::of(name, about, &self.origin, |config: C| Arc::new(config)));
    }

    /// Adds a queue discipline, for `links.NAME.queue.kind`.
    pub fn queue<C: Parameters + QueueKind>(&self, name: &str, about: &str) {
        self.add(Kind::<dyn QueueKind>::of(name, about, &self.origin, |config: C| Arc::new(config)));
    }

    /// Adds a router agent, for `links.NAME.agent.kind`.
    pub fn agent<C: Parameters + AgentKind>(&self, name: &str, about: &str) {
        self.add(Kind::<dyn AgentKind>::of(name, about, &self.origin, |config: C| Arc::new(config)));
    }

    /// Adds a window rule of TCP, for `flows.NAME.variant`: its name, or a table with its name as `kind` and its
    /// parameters.
    pub fn window_rule<C: Parameters + RuleKind>(&self, name: &str, about: &str) {
        self.add(Kind::<dyn RuleKind>::of(name, about, &self.origin, |config: C| Arc::new(config)));
    }

    fn add<G: Sort + ?Sized>(&self, kind: Kind<G>) {
        if let Err(message) = add(kind) {
            panic!("{message}");
        }
    }
}

/// Adds a kind of any sort.
///
/// # Errors
/// The name is not legal or taken, a parameter has the name of a key with another meaning, or the parameters hold
/// themselves.
pub fn add<G: Sort + ?Sized>(kind: Kind<G>) -> Result<(), String> {
    let course = if G::TAG == "scheme" { session_keys() } else { Vec::new() };
    let taken = [G::TAG, ORIGIN].into_iter().map(str::to_owned).chain(course);
    if let Some(key) = taken.into_iter().find(|key| kind.schema()["properties"].get(key).is_some()) {
        let (what, name) = (G::WHAT, kind.name());
        return Err(format!("the {what} \"{name}\": its parameter {key} has the name of a key that every {what} has"));
    }
    // A schema that refers to itself has no place in that of scenarios.
    if kind.schema().to_string().contains("\"$ref\":") {
        return Err(format!("the {} \"{}\": its parameters hold tables of their own kind", G::WHAT, kind.name()));
    }
    G::guests().add(kind)
}

/// The keys that every session has.
fn session_keys() -> Vec<String> {
    let schema: Value = schemars::schema_for!(SessionCourse).to_value();
    schema["properties"].as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect()
}
