//! What was judged and what is known of the packets of one sequence space, as far back as a late packet or a late truth
//! can change it.

use super::verdict::{Row, Verdict};
use std::collections::VecDeque;

/// Judgements that are remembered.
const JUDGED: usize = 32;
/// Runs of packets of which it is known that a link has lost them, and which nobody has judged; the oldest are
/// forgotten.
const TOLD: usize = 4096;

/// The ledger of a sequence space.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    /// The highest count that has arrived or was judged; `None` = nothing has arrived.
    highest: Option<u64>,
    /// Lost on links, as runs from the first to the last, rising, with others between them.
    told: VecDeque<(u64, u64)>,
    /// The last judgements, rising.
    judged: VecDeque<Row>,
}

impl Ledger {
    pub(super) fn arrived(&mut self, count: u64) {
        self.highest = Some(self.highest.unwrap_or(0).max(count));
    }

    pub(super) fn begin_anew(&mut self) {
        *self = Ledger::default();
    }

    /// How many of the packets from `first` up to `end`, which is not among them, are alike by the truth, and whether
    /// links have lost them.
    pub(super) fn alike(&self, first: u64, end: u64) -> (u64, bool) {
        let index = self.told.partition_point(|&(_, last)| last < first);
        match self.told.get(index) {
            Some(&(from, last)) if from <= first => (last.saturating_add(1).min(end) - first, true),
            Some(&(from, _)) => (from.min(end) - first, false),
            None => (end - first, false),
        }
    }

    /// Notes a judgement about packets that are behind those of all others.
    pub(super) fn note(&mut self, judged: Row) {
        if self.judged.len() == JUDGED {
            self.judged.pop_front();
        }
        self.judged.push_back(judged);
        let last = (judged.first + judged.missing).saturating_sub(1);
        self.highest = Some(self.highest.unwrap_or(0).max(last));
        // Of older packets nobody asks any more.
        let oldest = self.judged[0].first;
        while self.told.front().is_some_and(|&(_, last)| last < oldest) {
            self.told.pop_front();
        }
    }

    /// Takes a packet that has come out of what was judged: whether it was known to be lost, and what it was taken for.
    pub(super) fn late(&mut self, count: u64) -> Option<(bool, Verdict)> {
        let index = self.judgement(count)?;
        let Row { first, missing, verdict } = self.judged[index];
        let (before, after) = (count - first, first + missing - count - 1);
        self.judged[index].missing = before;
        if after > 0 {
            self.judged.insert(index + 1, Row { first: count + 1, missing: after, verdict });
        }
        if before == 0 {
            self.judged.remove(index);
        }
        if self.judged.len() > JUDGED {
            self.judged.pop_front();
        }
        Some((self.is_told(count), verdict))
    }

    /// A link has lost the packet. If it was judged, and nothing was known of it before: what it was taken for.
    pub(super) fn link_lost(&mut self, count: u64) -> Option<Verdict> {
        let highest = self.highest?;
        let judgement = self.judgement(count);
        if judgement.is_none() && count <= highest {
            // Long judged, or another copy has come.
            return None;
        }
        let is_news = self.tell(count);
        judgement.filter(|_| is_news).map(|index| self.judged[index].verdict)
    }

    /// How many runs it was told of, and how many judgements there are.
    #[cfg(test)]
    pub(super) fn remembered(&self) -> (usize, usize) {
        (self.told.len(), self.judged.len())
    }

    fn judgement(&self, count: u64) -> Option<usize> {
        let index = self.judged.partition_point(|judged| judged.first <= count).checked_sub(1)?;
        let judged = self.judged[index];
        (count - judged.first < judged.missing).then_some(index)
    }

    fn is_told(&self, count: u64) -> bool {
        let index = self.told.partition_point(|&(_, last)| last < count);
        self.told.get(index).is_some_and(|&(first, _)| first <= count)
    }

    /// Adds a packet to what was told. Says whether it is news.
    fn tell(&mut self, count: u64) -> bool {
        let index = self.told.partition_point(|&(_, last)| last < count);
        if self.told.get(index).is_some_and(|&(first, _)| first <= count) {
            return false;
        }
        let joins_before = index > 0 && self.told[index - 1].1 + 1 == count;
        let joins_after = self.told.get(index).is_some_and(|&(first, _)| count + 1 == first);
        match (joins_before, joins_after) {
            (true, true) => {
                self.told[index - 1].1 = self.told[index].1;
                self.told.remove(index);
            }
            (true, false) => self.told[index - 1].1 = count,
            (false, true) => self.told[index].0 = count,
            (false, false) => self.told.insert(index, (count, count)),
        }
        if self.told.len() > TOLD {
            self.told.pop_front();
        }
        true
    }
}
