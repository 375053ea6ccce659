//! Element sets from a file, whose content takes the place of its name in the scenario.

use crate::files::{Files, Named};
use crate::problem::{Problem, given, nearest};
use faircast_orbit::elements::ElementSets;
use serde_json::{Value, json};

/// Samples that come with the program, by the names that stand for them.
const SAMPLES: [(&str, &str); 1] = [("iridium-next", include_str!("../data/iridium-next.json"))];

/// Puts the content of the file of `topology.elements` in the place of its name; what cannot be read is reported and
/// left out. `files`: where it is.
pub(crate) fn inline(scenario: &mut Value, files: Files<'_>) -> Option<Problem> {
    let elements = scenario.get_mut("topology")?.get_mut("elements")?;
    let Value::String(name) = &*elements else { return None };
    let read = match SAMPLES.iter().find(|(sample, _)| sample == name) {
        Some((_, text)) => Ok(Named::built_in(name, text)),
        None => {
            let samples = SAMPLES.iter().map(|(sample, _)| *sample);
            Named::read(files, name).map_err(|error| format!("{error}{}", nearest(name, samples)))
        }
    };
    let read = read.and_then(|file| {
        ElementSets::parse(&file.text).map_err(|error| file.wrong(error.place(), &format!(": {error}")))
    });
    let given = given(elements);
    match read {
        Ok(sets) => {
            *elements = named(sets.to_json());
            None
        }
        Err(message) => {
            *elements = json!([]);
            Some(Problem { given: Some(given), ..Problem::new("topology.elements", message) })
        }
    }
}

/// Every satellite needs a name in a scenario: one without has its number.
fn named(mut sets: Value) -> Value {
    for set in sets.as_array_mut().into_iter().flatten() {
        if set["OBJECT_NAME"].is_null() {
            set["OBJECT_NAME"] = set["NORAD_CAT_ID"].to_string().into();
        }
        if set["OBJECT_ID"].is_null()
            && let Some(fields) = set.as_object_mut()
        {
            fields.remove("OBJECT_ID");
        }
    }
    sets
}
