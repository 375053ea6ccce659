//! What is wrong with a scenario: where, what was given, what is legal.

use crate::synonyms;
use serde_json::Value;
use std::fmt;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where, as keys joined by dots: `links.bottleneck.rate`, `probes.queues[0]`; empty for the scenario as a whole.
    pub path: String,
    /// What was given there, as in the file; nothing if something is missing.
    pub given: Option<String>,
    /// What is wrong with it and what to do, complete by itself.
    pub message: String,
    /// What is legal, if that is not all in the message or of use to a program.
    pub legal: Option<String>,
}

/// A problem of meaning, and the values it follows from beside the one at its path. It is dropped if one of them is
/// wrong by itself, since it would follow from what was put in its place.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub problem: Problem,
    pub rests_on: Vec<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() { f.write_str(&self.message) } else { write!(f, "{}: {}", self.path, self.message) }
    }
}

impl Problem {
    /// A problem at `path`.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Problem {
        Problem { path: path.into(), given: None, message: message.into(), legal: None }
    }

    /// The same with names and values of bounded length.
    pub(crate) fn bounded(self) -> Problem {
        let given = self.given.map(|given| shortened(&given, 120));
        Problem { path: bounded(&self.path), given, message: bounded(&self.message), legal: self.legal }
    }
}

impl Finding {
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Finding {
        Finding { problem: Problem::new(path, message), rests_on: Vec::new() }
    }

    pub fn given(mut self, given: Option<impl ToString>) -> Finding {
        self.problem.given = given.map(|given| given.to_string());
        self
    }

    pub fn legal(mut self, legal: impl Into<String>) -> Finding {
        self.problem.legal = Some(legal.into());
        self
    }

    /// Whether it may be there only because something is wrong at one of the places of `problems`.
    pub fn follows_from(&self, problems: &[Problem]) -> bool {
        let touches = |a: &str, b: &str| within(a, b) || within(b, a);
        problems.iter().any(|wrong| {
            touches(&self.problem.path, &wrong.path) || self.rests_on.iter().any(|path| touches(path, &wrong.path))
        })
    }

    pub fn on<P: Into<String>>(mut self, paths: impl IntoIterator<Item = P>) -> Finding {
        self.rests_on.extend(paths.into_iter().map(Into::into));
        self
    }
}

/// Whether `path` is `outer` or lies in it.
fn within(path: &str, outer: &str) -> bool {
    match path.strip_prefix(outer) {
        Some(rest) => outer.is_empty() || rest.is_empty() || rest.starts_with(['.', '[']),
        None => false,
    }
}

/// A value as a message quotes it, shortened.
pub(crate) fn given(value: &Value) -> String {
    shortened(&value.to_string(), 60)
}

/// The first `most` characters of a text, and two dots if there are more.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}..", &text[..at]),
        None => text.to_owned(),
    }
}

/// A text in which no word has more than 120 characters: names may be of any length, what is said of them may not.
fn bounded(text: &str) -> String {
    const MOST: usize = 120;
    text.split(' ').map(|word| shortened(word, MOST)).collect::<Vec<_>>().join(" ")
}

/// `; did you mean web-0?`, or nothing if no name is near and none means the same.
pub(crate) fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    if let Some(own) = synonyms::ours(name, &names) {
        return format!("; did you mean {own}?");
    }
    // Up to one edit in three characters counts as a slip; of equal distance the first in the list.
    let allowed = name.chars().count().div_ceil(3).max(1);
    let distance = |other: &str| strsim::damerau_levenshtein(&name.to_lowercase(), &other.to_lowercase());
    let best = names.into_iter().map(|other| (distance(other), other)).min_by_key(|(distance, _)| *distance);
    match best {
        Some((distance, other)) if distance <= allowed => format!("; did you mean {other}?"),
        _ => String::new(),
    }
}

/// `a, b, c`, shortened after twenty.
pub(crate) fn list(names: &[&str]) -> String {
    const MOST: usize = 20;
    match names.len() {
        0 => "none".to_owned(),
        1..=MOST => names.join(", "),
        n => format!("{} and {} more", names[..MOST].join(", "), n - MOST),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_strangers_are_not() {
        assert_eq!(nearest("botleneck", ["access", "bottleneck"]), "; did you mean bottleneck?");
        assert_eq!(nearest("Rate", ["delay", "rate"]), "; did you mean rate?");
        assert_eq!(nearest("colour", ["delay", "rate"]), "");
        assert_eq!(nearest("bandwidth", ["delay", "rate"]), "; did you mean rate?");
    }

    #[test]
    fn long_lists_are_shortened() {
        assert_eq!(list(&["x"; 22]), format!("{} and 2 more", ["x"; 20].join(", ")));
    }
}
