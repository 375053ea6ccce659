//! Groups of flows that are not all alike: `variant = ["newreno", "sack"]` for two flows.

use crate::model::VARIED;
use crate::problem::{Problem, given};
use faircast_proto::time::Duration;
use serde_json::{Map, Value};

/// Looks whether each list has a value for every flow, and makes one value of those that are all the same.
pub(super) fn settle(scenario: &mut Value, problems: &mut Vec<Problem>) {
    for (name, flow) in scenario.get_mut("flows").and_then(Value::as_object_mut).into_iter().flatten() {
        let Value::Object(flow) = flow else { continue };
        for key in VARIED.into_iter().chain(["start"]) {
            let Some(Value::Array(values)) = flow.get(key) else { continue };
            let wrong = wrong(key, values, flow);
            let alike = values.first().filter(|first| values.iter().all(|value| value == *first)).cloned();
            if let Some((message, legal)) = wrong {
                let given = flow.remove(key).as_ref().map(given);
                problems.push(Problem { given, legal, ..Problem::new(format!("flows.{name}.{key}"), message) });
            } else if let Some(value) = alike {
                flow.insert(key.to_owned(), value);
            }
        }
    }
}

/// What is wrong with a list beside its elements, and what is legal.
fn wrong(key: &str, values: &[Value], flow: &Map<String, Value>) -> Option<(String, Option<String>)> {
    let counted = |number: u64, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    let number = values.len() as u64;
    let flows = match flow.get("count") {
        // One number or the other may be meant; a count that is none is reported where it stands.
        Some(count) => count.as_u64().filter(|&flows| flows > 0)?,
        None => 1,
    };
    if number != flows {
        let how = match flow.contains_key("count") {
            true => "give one for each, or a single one".to_owned(),
            false if number == 0 => "give one".to_owned(),
            false => format!("give a single one, or say count = {number}"),
        };
        let message = format!("{} for {}: {how}", counted(number, "value"), counted(flows, "flow"));
        return Some((message, Some(format!("a list of {flows}"))));
    }
    // What has been resolved says the default of start_step, which shifts nothing.
    let step = flow.get("start_step").and_then(Value::as_str).and_then(|step| Duration::parse(step).ok());
    let stepped = key == "start" && step.is_some_and(|step| step > Duration::ZERO);
    stepped.then(|| ("a list of times, and start_step would shift them: leave out one".to_owned(), None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn settled(flow: Value) -> (Value, Vec<String>) {
        let mut scenario = json!({ "flows": { "web": flow } });
        let mut problems = Vec::new();
        settle(&mut scenario, &mut problems);
        (scenario["flows"]["web"].take(), problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn lists_have_a_value_for_each_flow() {
        let legal = json!({ "count": 2, "mss": ["1 B", "2 B"], "variant": ["reno", "sack"], "start": ["0 s", "1 s"] });
        assert_eq!(settled(legal.clone()), (legal, vec![]));
        let (left, problems) = settled(json!({ "count": 3, "mss": ["1 B", "2 B"], "variant": ["reno"] }));
        assert_eq!(left, json!({ "count": 3 }));
        assert_eq!(
            problems,
            [
                "flows.web.variant: 1 value for 3 flows: give one for each, or a single one",
                "flows.web.mss: 2 values for 3 flows: give one for each, or a single one",
            ]
        );
        let (_, problems) = settled(json!({ "rate": ["1 bit/s", "2 bit/s"] }));
        assert_eq!(problems, ["flows.web.rate: 2 values for 1 flow: give a single one, or say count = 2"]);
        assert_eq!(settled(json!({ "mss": [] })).1, ["flows.web.mss: 0 values for 1 flow: give one"]);
        let (_, problems) = settled(json!({ "count": 1, "start": [] }));
        assert_eq!(problems, ["flows.web.start: 0 values for 1 flow: give one for each, or a single one"]);
    }

    #[test]
    fn equal_values_are_one() {
        let (left, problems) = settled(json!({ "count": 2, "mss": ["5 B", "5 B"], "start": ["1 s", "1 s"] }));
        assert_eq!((left, problems), (json!({ "count": 2, "mss": "5 B", "start": "1 s" }), vec![]));
        assert_eq!(settled(json!({ "packet_size": ["5 B"] })).0, json!({ "packet_size": "5 B" }));
    }

    #[test]
    fn listed_starts_have_no_step() {
        let (left, problems) = settled(json!({ "count": 2, "start": ["0 s", "5 s"], "start_step": "1 s" }));
        assert_eq!(left, json!({ "count": 2, "start_step": "1 s" }));
        assert_eq!(problems, ["flows.web.start: a list of times, and start_step would shift them: leave out one"]);
        let resolved = json!({ "count": 2, "start": ["0 s", "5 s"], "start_step": "0 s" });
        assert_eq!(settled(resolved.clone()), (resolved, vec![]));
        // Not of the other parameters.
        assert_eq!(settled(json!({ "count": 2, "mss": ["1 B", "5 B"], "start_step": "1 s" })).1, [""; 0]);
    }

    #[test]
    fn a_count_that_is_none_is_reported_elsewhere() {
        for count in [json!("two"), json!(0), json!(-1), json!(1.5)] {
            let flow = json!({ "count": count, "mss": ["1 B", "2 B"] });
            assert_eq!(settled(flow.clone()), (flow, vec![]));
        }
    }
}
