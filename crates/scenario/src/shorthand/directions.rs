//! `loss = { kind = "bernoulli", p = 0.01, direction = "forward" }`: losses in one direction of a link, none in the
//! other.

use super::origins::Origins;
use super::places::{at_mut, settings};
use crate::problem::{Problem, given};
use serde_json::{Map, Value, json};

/// Puts losses of one direction where those of that direction stand.
pub(super) fn spread(scenario: &mut Value, origins: &mut Origins, problems: &mut Vec<Problem>) {
    for keys in settings(scenario) {
        let path = keys.join(".");
        let Some(Value::Object(settings)) = at_mut(scenario, &keys) else { continue };
        let Some(Value::Object(loss)) = settings.get_mut("loss") else { continue };
        let Some(direction) = loss.remove("direction") else { continue };
        let is_back = keys.last().is_some_and(|key| key == "back") && keys.len() > 2;
        let has_one = settings.get("simplex") == Some(&json!(true)) || settings.contains_key("leg_of");
        let of_back = settings.get("back").and_then(|back| back.get("loss")).is_some();
        let message = match direction.as_str() {
            _ if is_back => "these losses are those of the direction back: leave out direction".to_owned(),
            Some("forward" | "back") if has_one => "this link has one direction: leave out direction".to_owned(),
            Some("back") if of_back => format!("{path}.back says what is lost in that direction, too: leave out one"),
            Some(one @ ("forward" | "back")) => {
                one_way(settings, one, &path, origins);
                continue;
            }
            Some("both") => continue,
            _ => format!("{} is not legal; legal are both, forward, back", given(&direction)),
        };
        let path = format!("{path}.loss.direction");
        problems.push(Problem { given: Some(given(&direction)), ..Problem::new(path, message) });
    }
}

fn one_way(settings: &mut Map<String, Value>, direction: &str, path: &str, origins: &mut Origins) {
    let Some(loss) = settings.get("loss").cloned() else { return };
    let none = json!({ "kind": "none" });
    if !settings.contains_key("back") {
        origins.add(format!("{path}.back"), format!("{path}.loss.direction"));
    }
    let back = settings.entry("back").or_insert_with(|| json!({}));
    // What is no table is reported where it stands.
    let Value::Object(back) = back else { return };
    match direction {
        "back" => {
            back.insert("loss".to_owned(), loss);
            origins.add(format!("{path}.back.loss"), format!("{path}.loss"));
            settings.insert("loss".to_owned(), none);
        }
        _ => {
            back.entry("loss").or_insert(none);
        }
    }
}
