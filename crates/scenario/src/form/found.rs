//! What the validator finds in a value: of each place one problem, and no key is called missing beside the one that was
//! written for it.

use super::repair::Repair;
use super::translate;
use crate::problem::{Places, Problem};
use jsonschema::Validator;
use serde_json::Value;

/// What was found.
pub(crate) struct Found {
    /// What is wrong, with what was known before.
    pub problems: Vec<Problem>,
    /// How to make the value legal in form.
    pub repairs: Vec<Repair>,
    /// Keys that were meant by others.
    pub misspelt: Places,
}

/// Holds a value against a schema. `problems` are known already: what is found at their places is not said again.
pub(crate) fn find(validator: &Validator, value: &Value, schema: &Value, mut problems: Vec<Problem>) -> Found {
    let (mut repairs, mut misspelt) = (Vec::new(), Places::default());
    let mut said = Places::of(&problems);
    for error in validator.iter_errors(value) {
        for (problem, repair) in translate::problems(&error, value, schema) {
            // A key that was meant for another is wrong there, too, and what follows from that is nobody's mistake.
            if let Repair::Remove { pointer, .. } = &repair {
                let table = translate::path_of(pointer);
                let meant = translate::meant(&problem.message)
                    .map(|meant| if table.is_empty() { meant.to_owned() } else { format!("{table}.{meant}") });
                meant.into_iter().for_each(|meant| _ = misspelt.add(&meant));
            }
            // What stands at an unreadable place is not the user's; of two problems at a place the first will do.
            if said.add(&problem.path) {
                problems.push(problem);
            }
            repairs.push(repair);
        }
    }
    problems.retain(|problem| problem.given.is_some() || !misspelt.has(&problem.path));
    Found { problems, repairs, misspelt }
}
