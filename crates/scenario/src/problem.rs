//! What is wrong with a scenario: where, what was given, what is legal.

use crate::synonyms;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
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
    /// How many others it stands for that are not listed; 0 for a problem of its own.
    pub more: usize,
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
        Problem { path: path.into(), given: None, message: message.into(), legal: None, more: 0 }
    }

    /// The problem with names and values of bounded length.
    pub(crate) fn bounded(self) -> Problem {
        let given = self.given.map(|given| shortened(&given, 120));
        Problem { path: bounded(&self.path), given, message: bounded(&self.message), ..self }
    }

    /// How many problems it is.
    pub fn count(&self) -> usize {
        self.more.max(1)
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
    pub fn follows_from(&self, problems: &Places) -> bool {
        problems.touch(&self.problem.path) || self.rests_on.iter().any(|path| problems.touch(path))
    }

    pub fn on<P: Into<String>>(mut self, paths: impl IntoIterator<Item = P>) -> Finding {
        self.rests_on.extend(paths.into_iter().map(Into::into));
        self
    }
}

/// Places of a scenario, by their paths.
#[derive(Debug, Default)]
pub(crate) struct Places(BTreeSet<String>);

impl Places {
    pub fn of<'p>(problems: impl IntoIterator<Item = &'p Problem>) -> Places {
        Places(problems.into_iter().map(|problem| problem.path.clone()).collect())
    }

    pub fn has(&self, path: &str) -> bool {
        self.0.contains(path)
    }

    /// Adds a place; whether it is new.
    pub fn add(&mut self, path: &str) -> bool {
        self.0.insert(path.to_owned())
    }

    /// Whether `path` is one of them, lies in one, or one lies in it.
    pub fn touch(&self, path: &str) -> bool {
        let ends = path.match_indices(['.', '[']).map(|(end, _)| end);
        let lies_within = ["", path].into_iter().chain(ends.map(|end| &path[..end])).any(|outer| self.has(outer));
        // What begins with the path and goes on with a sign of two follows it in the order of texts.
        let begins = |sign: char| {
            let from = format!("{path}{sign}");
            self.0.range(from.clone()..).next().is_some_and(|next| next.starts_with(&from))
        };
        lies_within || begins('.') || begins('[') || (path.is_empty() && !self.0.is_empty())
    }
}

/// Problems as they are reported: of one kind no more than [`OF_KIND`], and no more than [`IN_ALL`]; after the last one
/// that is listed it is said how many others there are.
pub(crate) fn capped(problems: Vec<Problem>) -> Vec<Problem> {
    if problems.len() <= OF_KIND {
        return problems;
    }
    // Of each kind how many there are, and the path of the first that is left out.
    let mut kinds: BTreeMap<String, (usize, Option<String>)> = BTreeMap::new();
    let (mut listed, mut left_out, mut kind_at) = (Vec::new(), 0, Vec::new());
    for problem in problems {
        let kind = problem.kind();
        let known = kinds.entry(kind.clone()).or_default();
        known.0 += 1;
        if known.0 > OF_KIND {
            known.1.get_or_insert(problem.path);
        } else if listed.len() >= IN_ALL {
            known.0 -= 1;
            left_out += 1;
        } else {
            listed.push(problem);
            kind_at.push(kind);
        }
    }
    let mut told = Vec::with_capacity(listed.len());
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (problem, kind) in listed.into_iter().zip(&kind_at) {
        told.push(problem);
        let seen = seen.entry(kind).or_default();
        *seen += 1;
        if let (OF_KIND, Some((all, Some(next)))) = (*seen, kinds.get(kind)) {
            told.push(Problem::standing_for(all - OF_KIND, format!("of this kind, the next at {next}")));
        }
    }
    if left_out > 0 {
        told.push(Problem::standing_for(left_out, "of other kinds".to_owned()));
    }
    told
}

/// Problems of one kind that are listed.
const OF_KIND: usize = 100;
/// Problems of all kinds that are listed.
const IN_ALL: usize = 1000;

impl Problem {
    /// What stands for `more` others that are not listed; nothing for none.
    pub(crate) fn left_out(more: usize) -> Option<Problem> {
        (more > 0).then(|| Problem::standing_for(more, "of this kind".to_owned()))
    }

    fn standing_for(more: usize, which: String) -> Problem {
        Problem { more, ..Problem::new("", format!("and {more} more {which}")) }
    }

    /// What problems of one kind have in common: the message without numbers, names with numbers, and what is quoted.
    fn kind(&self) -> String {
        let told = self.message.split('"').step_by(2).flat_map(|part| part.split(' '));
        told.filter(|word| !word.contains(|sign: char| sign.is_ascii_digit())).collect::<Vec<_>>().join(" ")
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
    fn places_touch_what_is_in_them_and_around_them() {
        let places = |paths: &[&str]| Places::of(&paths.iter().map(|path| Problem::new(*path, "")).collect::<Vec<_>>());
        let some = places(&["links.a.rate", "probes.queues[3]", "flows.web-1", "links.a-b.rate"]);
        for path in ["", "links", "links.a", "links.a.rate", "links.a.rate.x", "probes.queues[3].x", "probes.queues"] {
            assert!(some.touch(path), "{path}");
        }
        for path in ["link", "links.b", "links.a.rat", "probes.queues[4]", "flows.web", "links.a-", "links.a.rates"] {
            assert!(!some.touch(path), "{path}");
        }
        assert!(places(&[""]).touch("anything") && !places(&[]).touch("") && !places(&[]).touch("x"));
    }

    #[test]
    fn of_one_kind_no_more_than_enough_are_listed() {
        let problem = |path: String, message: String| Problem::new(path, message);
        let mut many: Vec<Problem> = (0..OF_KIND + 7)
            .map(|n| problem(format!("flows.f{n}"), format!("{n} given; legal is \"x{n} y\"")))
            .collect();
        many.insert(3, problem("links.a".to_owned(), "missing".to_owned()));
        let told = capped(many.clone());
        assert_eq!(told.len(), OF_KIND + 2);
        assert_eq!(told[..=OF_KIND], many[..=OF_KIND]);
        assert_eq!(told[OF_KIND + 1].to_string(), "and 7 more of this kind, the next at flows.f100");
        assert_eq!(told.iter().map(Problem::count).sum::<usize>(), many.len());
        assert_eq!(capped(many[..OF_KIND].to_vec()), many[..OF_KIND]);
        // As many kinds as problems.
        let name = |n: usize| {
            [n / 676, n / 26 % 26, n % 26].map(|place| char::from(b'a' + place as u8)).iter().collect::<String>()
        };
        let kinds: Vec<Problem> = (0..IN_ALL + 5).map(|n| problem(format!("x{n}"), name(n))).collect();
        let told = capped(kinds);
        assert_eq!(told.len(), IN_ALL + 1);
        assert_eq!(told[IN_ALL].to_string(), "and 5 more of other kinds");
    }

    #[test]
    fn long_lists_are_shortened() {
        assert_eq!(list(&["x"; 22]), format!("{} and 2 more", ["x"; 20].join(", ")));
    }
}
