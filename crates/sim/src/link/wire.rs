//! The wire of a link that changes: packets with their deliveries, apart for every far end.
//!
//! A packet takes the delay and the far end of its departure. Between the same two ends none overtakes another, however
//! the delay shrinks; those to another far end may come earlier.

use crate::ids::NodeId;
use crate::store::Label;
use faircast_proto::time::{Duration, Instant};
use std::collections::VecDeque;

/// Packets on a wire that may lead elsewhere and be longer or shorter by and by.
#[derive(Default)]
pub(super) struct Wire {
    /// The present far end, and others to which packets are still on their way.
    ends: Vec<End>,
    /// When the calendar has an entry for a delivery, each time once, the first one last.
    entries: Vec<Instant>,
}

struct End {
    node: NodeId,
    /// The last delivery there.
    last: Instant,
    packets: VecDeque<(Instant, Label)>,
}

impl Wire {
    /// A packet departs towards `node`. Says when an entry of the calendar is wanted, if one is.
    #[inline]
    pub(super) fn send(&mut self, now: Instant, node: NodeId, delay: Duration, label: Label) -> Option<Instant> {
        let place = match &self.ends[..] {
            [only] if only.node == node => 0,
            _ => self.end_at(node),
        };
        let end = &mut self.ends[place];
        let delivery = end.last.max(now + delay);
        end.last = delivery;
        end.packets.push_back((delivery, label));
        self.entry_for(delivery)
    }

    /// The place of the end at `node`.
    #[cold]
    fn end_at(&mut self, node: NodeId) -> usize {
        if let Some(place) = self.ends.iter().position(|end| end.node == node) {
            return place;
        }
        // Where nothing is under way nothing can be overtaken.
        self.ends.retain(|end| !end.packets.is_empty());
        self.ends.push(End { node, last: Instant::ZERO, packets: VecDeque::new() });
        self.ends.len() - 1
    }

    /// Takes out the packet whose delivery the entry of `now` was for: where it comes out, and when another entry is
    /// wanted, if one is.
    #[inline]
    pub(super) fn take(&mut self, now: Instant) -> (NodeId, Label, Option<Instant>) {
        let entry = self.entries.pop();
        debug_assert_eq!(entry, Some(now), "entries come in their order");
        let place = if self.ends.len() == 1 { 0 } else { self.first().expect("an entry is for a packet").1 };
        let end = &mut self.ends[place];
        let (delivery, label) = end.packets.pop_front().expect("it is the first of one");
        debug_assert_eq!(delivery, now, "a packet comes when its delivery is");
        let node = end.node;
        let next = match self.ends.len() {
            1 => self.ends[0].packets.front().map(|&(delivery, _)| delivery),
            _ => self.first().map(|(delivery, _)| delivery),
        };
        (node, label, next.and_then(|delivery| self.entry_for(delivery)))
    }

    /// The first delivery of all, and to which end.
    #[cold]
    fn first(&self) -> Option<(Instant, usize)> {
        let ends = self.ends.iter().enumerate();
        ends.filter_map(|(place, end)| Some((end.packets.front()?.0, place))).min()
    }

    /// How many packets are on it.
    pub(super) fn len(&self) -> u64 {
        self.ends.iter().map(|end| end.packets.len() as u64).sum()
    }

    /// An entry for `delivery`, unless there is one for it or for an earlier one, after which the next is asked for.
    fn entry_for(&mut self, delivery: Instant) -> Option<Instant> {
        if self.entries.last().is_some_and(|&first| first <= delivery) {
            return None;
        }
        self.entries.push(delivery);
        Some(delivery)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::battery::packet;
    use crate::store::Store;
    use faircast_proto::packet::Ecn;
    use faircast_proto::random::Random;
    use std::collections::BTreeSet;

    #[test]
    fn order_holds_to_each_end_and_entries_are_few() {
        let mut random = Random::stream(1, "test/wire");
        let (mut wire, mut store) = (Wire::default(), Store::default());
        let mut entries: BTreeSet<Instant> = BTreeSet::new();
        let (mut sent, mut came) = (vec![Vec::new(); 4], vec![Vec::new(); 4]);
        let mut count = 0;
        for now in (0..2000).map(|step| Instant(step * 10)) {
            while let Some(at) = entries.first().copied().filter(|&at| at <= now) {
                entries.remove(&at);
                let (node, label, next) = wire.take(at);
                came[node.index()].push((at, label.size));
                assert!(next.is_none_or(|next| next >= at && entries.insert(next)), "an entry is there once");
            }
            let node = NodeId((random.uniform() * 4.0) as u32);
            let delay = Duration((random.uniform() * 90.0) as u64);
            count += 1;
            let label = store.insert(&packet(count, Ecn::NotCapable));
            let before = sent[node.index()].last().map_or(Instant::ZERO, |&(at, _)| at);
            sent[node.index()].push((before.max(now + delay), label.size));
            if let Some(at) = wire.send(now, node, delay, label) {
                assert!(entries.insert(at), "an entry is there once");
            }
            assert!(entries.len() as u64 <= wire.len());
        }
        while let Some(at) = entries.pop_first() {
            let (node, label, next) = wire.take(at);
            came[node.index()].push((at, label.size));
            entries.extend(next);
        }
        assert_eq!((came, wire.len()), (sent, 0));
    }
}
