//! Where what has been spelled out was written.

use crate::problem::Problem;
use std::collections::BTreeMap;

/// Places of a plain scenario whose content was written elsewhere, and where.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins(BTreeMap<String, String>);

impl Origins {
    /// What stands at `plain` was written at `written`.
    pub fn add(&mut self, plain: impl Into<String>, written: impl Into<String>) {
        self.0.insert(plain.into(), written.into());
    }

    /// Where what stands at a path was written, if that is another place.
    pub fn written(&self, path: &str) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let ends = path.char_indices().filter(|(_, sign)| matches!(sign, '.' | '[')).map(|(at, _)| at);
        let mut ends: Vec<usize> = ends.collect();
        ends.push(path.len());
        ends.into_iter().rev().find_map(|end| {
            let (place, rest) = path.split_at(end);
            Some(format!("{}{rest}", self.0.get(place)?))
        })
    }

    /// Problems at the places where what they are about was written. What is wrong there is said once, however many
    /// places have it from there.
    pub fn trace(&self, problems: Vec<Problem>) -> Vec<Problem> {
        let mut traced: Vec<Problem> = Vec::with_capacity(problems.len());
        let (elsewhere, there): (Vec<_>, Vec<_>) = problems
            .into_iter()
            .map(|problem| (self.written(&problem.path), problem))
            .partition(|(at, _)| at.is_some());
        traced.extend(there.into_iter().map(|(_, problem)| problem));
        let mut said: std::collections::BTreeSet<String> = traced.iter().map(|problem| problem.path.clone()).collect();
        for (at, problem) in elsewhere {
            let path = at.unwrap_or_default();
            if said.insert(path.clone()) {
                traced.push(Problem { path, ..problem });
            }
        }
        traced
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_place_counts() {
        let mut origins = Origins::default();
        origins.add("links.a-1", "links.a-*");
        origins.add("links.a-1.queue", "topology.hop.queue");
        let written = |path| origins.written(path);
        assert_eq!(written("links.a-1.queue.limit").as_deref(), Some("topology.hop.queue.limit"));
        assert_eq!(written("links.a-1.changes[2].at").as_deref(), Some("links.a-*.changes[2].at"));
        assert_eq!(written("links.a-1").as_deref(), Some("links.a-*"));
        assert_eq!(written("links.a-10.rate"), None);
        assert_eq!(written(""), None);
    }

    #[test]
    fn what_is_wrong_at_one_place_is_said_once() {
        let mut origins = Origins::default();
        origins.add("links.a-1", "links.a-*");
        origins.add("links.a-2", "links.a-*");
        let problem = |path: &str, what: &str| Problem::new(path, what);
        let traced = origins.trace(vec![
            problem("links.a-1.rate", "too slow"),
            problem("links.a-2.rate", "too slow"),
            problem("links.b.rate", "first"),
            problem("links.b.rate", "second"),
        ]);
        let paths: Vec<&str> = traced.iter().map(|problem| problem.path.as_str()).collect();
        assert_eq!(paths, ["links.b.rate", "links.b.rate", "links.a-*.rate"]);
    }
}
