//! `[schemes.NAME]`: parameters of all sessions of a scheme. What a session says itself counts instead.

use super::origins::Origins;
use crate::model::SessionEntry;
use crate::problem::Problem;
use serde_json::{Map, Value, json};

/// Gives every session the parameters of its scheme that it does not say itself. `schema`: the decisive one. The table
/// itself stays, to be held against the schema.
pub(super) fn spread(scenario: &mut Value, schema: &Value, origins: &mut Origins) {
    let Some(Value::Object(schemes)) = scenario.get("schemes").cloned() else { return };
    let Some(Value::Object(sessions)) = scenario.get_mut("sessions") else { return };
    for (name, session) in sessions {
        let Value::Object(session) = session else { continue };
        let Some(scheme) = session.get("scheme").and_then(Value::as_str).map(str::to_owned) else { continue };
        let Some(parameters) = schemes.get(&scheme).and_then(Value::as_object) else { continue };
        let legal = &schema["properties"]["schemes"]["properties"][&scheme];
        let legal = &crate::form::definitions::resolve(legal, schema)["properties"];
        for (key, value) in parameters {
            // What is no parameter is reported where it stands.
            if legal.get(key).is_some() && !session.contains_key(key) {
                session.insert(key.clone(), value.clone());
                origins.add(format!("sessions.{name}.{key}"), format!("schemes.{scheme}.{key}"));
            }
        }
    }
}

/// What is wrong with parameters that no session of a scenario takes: others are looked at with their sessions.
pub(crate) fn unused(scenario: &Value) -> Vec<Problem> {
    let sessions = || scenario["sessions"].as_object().into_iter().flatten().map(|(_, session)| session);
    let mut problems = Vec::new();
    for (scheme, parameters) in scenario["schemes"].as_object().into_iter().flatten() {
        let Some(parameters) = parameters.as_object().filter(|it| !it.is_empty()) else { continue };
        if sessions().any(|session| session["scheme"] == **scheme) {
            continue;
        }
        let mut stand_in: Map<String, Value> = parameters.clone();
        stand_in.insert("scheme".into(), scheme.as_str().into());
        stand_in.insert("source".into(), json!("anywhere"));
        // What lacks here may come from a session.
        let Ok(session) = serde_json::from_value::<SessionEntry>(Value::Object(stand_in)) else { continue };
        let of = |(field, message): (String, String)| Problem::new(format!("schemes.{scheme}.{field}"), message);
        problems.extend(session.check().into_iter().map(of));
    }
    problems
}
