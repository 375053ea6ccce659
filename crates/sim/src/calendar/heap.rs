//! A four-ary heap. After a pop its root stays vacant until the next call, since most pops are followed by a
//! `schedule` that can take the root's place: one descent instead of two.

use super::entry::{Calendar, Entry};
use faircast_proto::time::{Duration, Instant};

/// Children of a node: four 16-byte entries share a cache line.
const ARITY: usize = 4;

/// The heap calendar.
#[derive(Debug, Default)]
pub struct Heap {
    entries: Vec<Entry>,
    vacant_root: bool,
    end: Instant,
}

impl Calendar for Heap {
    const NAME: &'static str = "heap";

    fn new(_horizon: Duration) -> Heap {
        Heap::default()
    }

    #[inline]
    fn schedule(&mut self, entry: Entry) {
        if self.vacant_root {
            self.vacant_root = false;
            self.sift_down(entry);
        } else {
            self.entries.push(entry);
            self.sift_up(self.entries.len() - 1);
        }
    }

    fn set_end(&mut self, end: Instant) {
        self.end = end;
    }

    #[inline]
    fn take_next(&mut self) -> Entry {
        match self.peek() {
            Some(first) if first.at() <= self.end => {
                self.vacant_root = true;
                first
            }
            _ => Entry::END,
        }
    }
}

impl Heap {
    /// Whether no entry is in it.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.entries.len() == usize::from(self.vacant_root)
    }

    /// Removes and returns the first entry, whenever it is.
    #[inline]
    pub(super) fn take(&mut self) -> Option<Entry> {
        let first = self.peek()?;
        self.vacant_root = true;
        Some(first)
    }

    /// The first entry.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<Entry> {
        if self.vacant_root {
            self.vacant_root = false;
            let last = self.entries.pop().expect("a vacant root is an entry");
            if !self.entries.is_empty() {
                self.sift_down(last);
            }
        }
        self.entries.first().copied()
    }

    /// Puts `entry` at the root, then where it belongs.
    #[inline]
    fn sift_down(&mut self, entry: Entry) {
        let entries = &mut self.entries[..];
        let mut at = 0;
        loop {
            let first_child = at * ARITY + 1;
            let Some(children) = entries.get(first_child..(first_child + ARITY).min(entries.len())) else { break };
            let Some((offset, &smallest)) = children.iter().enumerate().min_by_key(|&(_, child)| child) else { break };
            if smallest >= entry {
                break;
            }
            entries[at] = smallest;
            at = first_child + offset;
        }
        entries[at] = entry;
    }

    fn sift_up(&mut self, mut at: usize) {
        let entry = self.entries[at];
        while at > 0 {
            let parent = (at - 1) / ARITY;
            if self.entries[parent] <= entry {
                break;
            }
            self.entries[at] = self.entries[parent];
            at = parent;
        }
        self.entries[at] = entry;
    }
}
