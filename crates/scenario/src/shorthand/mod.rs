//! Shorthand: what a scenario may say in fewer words. It is spelled out before the scenario is held against the schema,
//! so that equal scenarios are equal however they were written, and nothing behind it knows of it.
//!
//! | file | what it spells out |
//! |---|---|
//! | `schemes.rs` | `[schemes.tfmcc]`: parameters of all sessions of a scheme |
//! | `directions.rs` | `loss = { .., direction = "back" }`: losses in one direction |
//! | `names.rs` | `home-*`, `home-[1-9]`: names for several things |
//! | `nodes.rs` | `receivers.nodes = "home-*"`: nodes at once |
//! | `patterns.rs` | `[links."access-*"]`: links at once |
//! | `series.rs` | `{ first = "2 ms", step = "5 ms" }`: values of a row |
//! | `groups.rs` | `mss = ["500 B", "1000 B"]`: flows of a group that differ |
//! | `kinds.rs` | `queue = { limit = "20 packets" }`: the kind that is there otherwise |
//! | `limits.rs` | `limit = "0.5 BDP"`: queues measured in time or bandwidth-delay products |
//! | `origins.rs` | where what has been spelled out was written, for messages |
//! | `places.rs` | where a scenario says what links are like |

mod directions;
mod groups;
mod kinds;
mod limits;
mod names;
mod nodes;
mod origins;
mod patterns;
mod places;
mod schemes;
mod series;

pub(crate) use limits::Limits;
pub(crate) use names::{is_several, matches};
pub(crate) use origins::Origins;
pub(crate) use schemes::unused;
pub(crate) use series::is_series;

use crate::meaning::can_be_laid;
use crate::model::Scenario;
use crate::problem::Problem;
use crate::topology::Sketch;
use faircast_proto::time::Duration;
use serde_json::{Value, json};

/// What has been spelled out.
#[derive(Debug, Default)]
pub(crate) struct Spelled {
    /// Where it was written.
    pub origins: Origins,
    /// What cannot be spelled out; legal values stand in its places.
    pub problems: Vec<Problem>,
    /// Queues that wait for the network to be known.
    pub limits: Limits,
}

/// Spells out a scenario. `schema`: the decisive one. `is_legal` holds a value against it.
pub(crate) fn spell_out(scenario: &mut Value, schema: &Value, is_legal: &dyn Fn(&Value) -> bool) -> Spelled {
    let mut spelled = Spelled::default();
    let Spelled { origins, problems, .. } = &mut spelled;
    schemes::spread(scenario, schema, origins);
    directions::spread(scenario, origins, problems);
    if !kinds::lacking(scenario, "topology").is_empty() || !kinds::lacking(scenario, "stations").is_empty() {
        let (legal, limits) = of_topology(scenario, schema, is_legal);
        let filled = legal.and_then(|mut legal| {
            legal.fill();
            legal.topology
        });
        match filled {
            Some(filled) => kinds::of_topology(scenario, schema, (&filled, &limits), problems),
            None => ["topology", "stations"].iter().for_each(|table| kinds::leave_out(scenario, table)),
        }
    }
    let names = scenario["links"].as_object().into_iter().flatten().map(|(name, _)| name);
    let has_patterns = names.filter(|name| is_several(name)).count() > 0 || nodes::are_several(scenario);
    let has_series = ["flows", "sessions"].iter().any(|table| has_series(&scenario[table]));
    if has_patterns || has_series || !kinds::lacking(scenario, "links").is_empty() {
        let (legal, limits) = of_topology(scenario, schema, is_legal);
        let right = legal.as_ref().map(Scenario::right);
        let sketch = legal.and_then(|legal| match &legal.topology {
            None => Some(Sketch::default()),
            Some(topology) => can_be_laid(&legal).then(|| topology.lay(&legal.surroundings(legal.seed))),
        });
        let made: Option<Vec<String>> =
            sketch.as_ref().map(|sketch| sketch.links.iter().map(|link| link.name.clone()).collect());
        let all_made = nodes::make(scenario, origins, problems);
        let known = sketch.as_ref().filter(|_| all_made).map(|sketch| nodes::Known::of(&sketch.nodes, scenario));
        if let Some(known) = &known {
            nodes::spread(scenario, known, problems);
        }
        patterns::spread(scenario, schema, made.as_deref().zip(known.as_ref()), origins, problems);
        series::times(scenario, right, origins, problems);
        match &sketch {
            Some(sketch) => kinds::of_links(scenario, schema, (sketch, &limits), problems),
            None => kinds::leave_out(scenario, "links"),
        }
    }
    groups::settle(scenario, &mut spelled.problems);
    spelled.limits = Limits::take(scenario, schema, &mut spelled.problems);
    spelled
}

/// Spells out what a part of a scenario says, as far as it can be known without the rest: of a series the first value
/// stands for all.
pub(crate) fn spell_part(part: &mut Value, schema: &Value) -> Spelled {
    let mut spelled = Spelled::default();
    let Spelled { origins, problems, .. } = &mut spelled;
    directions::spread(part, origins, problems);
    patterns::first(part, problems);
    kinds::leave_out(part, "links");
    groups::settle(part, problems);
    spelled.limits = Limits::take(part, schema, problems);
    spelled
}

/// The topology and the stations of a scenario alone, if they are legal but for what is without a kind, which is left
/// out, and the queues in them that are measured by links.
fn of_topology(scenario: &Value, schema: &Value, is_legal: &dyn Fn(&Value) -> bool) -> (Option<Scenario>, Limits) {
    // Of another duration, if there is none, links have the same names.
    let duration = scenario["duration"].as_str().filter(|text| Duration::parse(text).is_ok()).unwrap_or("100 s");
    let mut alone = json!({ "format": 1, "name": "topology", "duration": duration });
    for key in ["topology", "stations"] {
        if let Some(table) = scenario.get(key) {
            alone[key] = table.clone();
        }
    }
    ["topology", "stations"].iter().for_each(|table| kinds::leave_out(&mut alone, table));
    let mut wrong = Vec::new();
    let limits = Limits::take(&mut alone, schema, &mut wrong);
    let legal = wrong.is_empty() && is_legal(&alone);
    (legal.then(|| serde_json::from_value(alone).ok()).flatten(), limits)
}

/// Whether a value or a part of it is a series.
fn has_series(value: &Value) -> bool {
    match value {
        Value::Object(table) => is_series(value) || table.values().any(has_series),
        Value::Array(items) => items.iter().any(has_series),
        _ => false,
    }
}
