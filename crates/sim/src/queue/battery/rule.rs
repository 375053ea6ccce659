//! The rules of the battery, and which of them a queue has broken.

use std::collections::BTreeMap;

/// What a queue must, or promises to, do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Each packet that comes in comes out once, or is dropped once, and all are out when enough time has passed.
    ComesOutOnce,
    /// A packet comes out with the size, the congestion bits and the moment of arrival with which it came in.
    StaysAsItIs,
    /// Only what is ECN-capable is marked, and no mark is lowered.
    MarksTheCapable,
    /// Never more waits than the limit allows.
    KeepsLimit,
    /// Nothing is dropped or marked while it says that there is sure room.
    KeepsSureRoom,
    /// While the transmitter is free and something waits it says when something may leave.
    SaysWhen,
    /// The same packets and the same seed have the same fates.
    Repeats,
    /// All that packets have waited, added up, is how many it says wait, over time; its average is not below zero.
    CountsWhatWaits,
    /// What it shows of its packets to those who take some out is each once, in the same order again.
    ShowsAll,
    /// Packets of a flow that wait in the same queue come out in the order in which they came in.
    KeepsOrder,
    /// The transmitter is never free while something waits.
    NeverRests,
}

/// The first that was seen against each rule.
#[derive(Clone, Debug, Default)]
pub(crate) struct Broken(BTreeMap<Rule, String>);

impl Broken {
    /// Notes what was seen, unless the rule was kept.
    #[inline]
    pub(super) fn unless(&mut self, kept: bool, rule: Rule, what: impl FnOnce() -> String) {
        if !kept {
            self.0.entry(rule).or_insert_with(what);
        }
    }

    /// Takes in what was seen by another run.
    pub(super) fn add(&mut self, other: Broken) {
        other.0.into_iter().for_each(|(rule, what)| self.unless(false, rule, || what));
    }

    /// Ends the test if the rule was broken.
    #[cfg(test)]
    pub(super) fn assert(&self, rule: Rule) {
        if let Some(what) = self.0.get(&rule) {
            panic!("{rule:?}: {what}");
        }
    }

    /// Ends the test if any rule was broken.
    pub(super) fn assert_all(&self) {
        assert!(self.0.is_empty(), "{:#?}", self.0);
    }
}
