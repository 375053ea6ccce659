//! Who receives, as far as the sender has heard: a few numbers for each, whatever is sent.

use crate::failure::Malformed;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What is known of a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receiver {
    /// When it was heard last.
    pub heard: Duration,
    /// How many symbols it lacks; `u64::MAX` while it has no manifest.
    pub left: u64,
    /// How many symbols have been sent because it asked.
    pub asked: u64,
}

/// All receivers that have been heard.
#[derive(Clone, Debug)]
pub struct Roster {
    receivers: BTreeMap<u64, Receiver>,
    /// Who has said that it goes, as far as there is room.
    left: BTreeSet<u64>,
    most: usize,
    silent: Duration,
}

impl Receiver {
    /// Whether it has everything.
    pub fn complete(&self) -> bool {
        self.left == 0
    }
}

impl Roster {
    /// Room for `most` receivers; one that was not heard for `silent` has gone.
    pub fn new(most: usize, silent: Duration) -> Roster {
        Roster { receivers: BTreeMap::new(), left: BTreeSet::new(), most, silent }
    }

    /// A receiver says how much it lacks.
    ///
    /// # Errors
    ///
    /// It is a new one, and there is no room: all others have been heard of late.
    pub(crate) fn hear(&mut self, now: Duration, id: u64, left: u64) -> Result<&mut Receiver, Malformed> {
        if !self.receivers.contains_key(&id) && self.receivers.len() >= self.most {
            let longest = self.receivers.iter().min_by_key(|(_, receiver)| receiver.heard);
            match longest.map(|(id, receiver)| (*id, self.gone(now, receiver))) {
                Some((longest, true)) => self.receivers.remove(&longest),
                _ => return Err(Malformed("more receivers than there is room for")),
            };
        }
        self.left.remove(&id);
        let receiver = self.receivers.entry(id).or_insert(Receiver { heard: now, left, asked: 0 });
        (receiver.heard, receiver.left) = (now, left);
        Ok(receiver)
    }

    /// A receiver goes, and wants no more.
    pub(crate) fn leave(&mut self, id: u64) {
        if self.receivers.remove(&id).is_some() && self.left.len() < self.most {
            self.left.insert(id);
        }
    }

    /// All that have been heard, by id.
    pub fn receivers(&self) -> impl Iterator<Item = (u64, &Receiver)> {
        self.receivers.iter().map(|(id, receiver)| (*id, receiver))
    }

    /// How many have everything.
    pub fn complete(&self) -> usize {
        self.receivers.values().filter(|receiver| receiver.complete()).count()
    }

    /// How many have said that they go, and have not come back.
    pub fn left(&self) -> usize {
        self.left.len()
    }

    /// Whether somebody who was heard of late lacks something.
    pub fn wanting(&self, now: Duration) -> bool {
        self.receivers.values().any(|receiver| !receiver.complete() && !self.gone(now, receiver))
    }

    /// How long nobody has been heard; `None` if nobody ever was.
    pub fn quiet(&self, now: Duration) -> Option<Duration> {
        self.receivers.values().map(|receiver| now.saturating_sub(receiver.heard)).min()
    }

    /// Ids of receivers that lack something and have not been heard for long.
    pub fn lost(&self, now: Duration) -> impl Iterator<Item = u64> {
        let lost = self.receivers.iter().filter(move |(_, receiver)| !receiver.complete() && self.gone(now, receiver));
        lost.map(|(id, _)| *id)
    }

    fn gone(&self, now: Duration, receiver: &Receiver) -> bool {
        now.saturating_sub(receiver.heard) > self.silent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_so_many() {
        let mut roster = Roster::new(2, Duration::from_secs(60));
        let second = Duration::from_secs;
        assert!(roster.hear(second(0), 7, 5).is_ok());
        assert!(roster.hear(second(1), 8, 0).is_ok());
        assert!(roster.hear(second(60), 9, 5).is_err(), "both were heard of late");
        assert!(roster.hear(second(60), 8, 0).is_ok(), "one that is known");
        assert_eq!((roster.complete(), roster.wanting(second(60))), (1, true));
        assert_eq!(roster.lost(second(61)).collect::<Vec<_>>(), [7]);
        assert!(!roster.wanting(second(61)));
        assert!(roster.hear(second(61), 9, 5).is_ok(), "the one that has gone makes room");
        assert_eq!(roster.receivers().map(|(id, _)| id).collect::<Vec<_>>(), [8, 9]);
        roster.leave(9);
        roster.leave(7);
        assert_eq!((roster.left(), roster.receivers().count()), (1, 1), "who was not there cannot go");
        assert!(roster.hear(second(62), 9, 5).is_ok(), "it comes back");
        assert_eq!(roster.left(), 0);
    }
}
