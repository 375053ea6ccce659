//! The wire of a link that changes: packets with their deliveries, apart for every far end.
//!
//! A packet takes the delay and the far end of its departure. Between the same two ends none overtakes another, however
//! the delay shrinks; those to another far end may come earlier. Of two that come at one moment that to the node with
//! the lower number is first.

use crate::ids::NodeId;
use crate::store::Label;
use faircast_proto::time::{Duration, Instant};
use std::collections::VecDeque;

/// Packets on a wire that may lead elsewhere and be longer or shorter by and by.
pub(super) struct Wire {
    /// The far end that packets were sent to last.
    end: End,
    /// Others to which packets are still on their way.
    others: Vec<End>,
    /// When the calendar has an entry for a delivery, each time once, the first one last.
    entries: Vec<Instant>,
}

struct End {
    node: NodeId,
    /// The last delivery there.
    last: Instant,
    packets: VecDeque<Sent>,
}

/// A packet on the wire.
#[derive(Clone, Copy)]
struct Sent {
    departure: Instant,
    delivery: Instant,
    label: Label,
}

impl Wire {
    /// An empty one, towards this node.
    pub(super) fn new(node: NodeId) -> Wire {
        Wire { end: End::new(node), others: Vec::new(), entries: Vec::new() }
    }

    /// A packet departs at `departure` towards `node`. Says when an entry of the calendar is wanted, if one is.
    #[inline]
    pub(super) fn send(&mut self, departure: Instant, node: NodeId, delay: Duration, label: Label) -> Option<Instant> {
        if self.end.node != node {
            self.turn(node);
        }
        let delivery = self.end.last.max(departure + delay);
        self.end.last = delivery;
        self.end.packets.push_back(Sent { departure, delivery, label });
        self.entry_for(delivery)
    }

    /// The link leads to another node now.
    #[cold]
    fn turn(&mut self, node: NodeId) {
        let known = self.others.iter().position(|end| end.node == node);
        // Where nothing is under way nothing can be overtaken.
        let end = known.map_or_else(|| End::new(node), |place| self.others.swap_remove(place));
        let before = std::mem::replace(&mut self.end, end);
        if !before.packets.is_empty() {
            self.others.push(before);
        }
    }

    /// Takes out the packet whose delivery the entry of `now` was for: where it comes out, and when another entry is
    /// wanted, if one is.
    #[inline]
    pub(super) fn take(&mut self, now: Instant) -> (NodeId, Label, Option<Instant>) {
        let entry = self.entries.pop();
        debug_assert_eq!(entry, Some(now), "entries come in their order");
        let (node, sent) = match self.others.is_empty() {
            true => (self.end.node, self.end.packets.pop_front()),
            false => self.take_of_several(),
        };
        let Some(Sent { delivery, label, .. }) = sent else { unreachable!("an entry is for a packet") };
        debug_assert_eq!(delivery, now, "a packet comes when its delivery is");
        let next = match self.others.is_empty() {
            true => self.end.first(),
            false => self.first(),
        };
        (node, label, next.and_then(|delivery| self.entry_for(delivery)))
    }

    /// The first delivery of all.
    #[cold]
    fn first(&self) -> Option<Instant> {
        self.others.iter().chain([&self.end]).filter_map(End::first).min()
    }

    #[cold]
    fn take_of_several(&mut self) -> (NodeId, Option<Sent>) {
        let ends = self.others.iter_mut().chain([&mut self.end]);
        let Some(end) = ends.min_by_key(|end| (end.first().unwrap_or(Instant::FAR_FUTURE), end.node)) else {
            unreachable!("there is one at least")
        };
        let taken = (end.node, end.packets.pop_front());
        self.others.retain(|end| !end.packets.is_empty());
        taken
    }

    /// Departure and size of the `nth` last packet sent, 1 = the last, which must have been sent to the present end.
    #[inline]
    pub(super) fn sent(&self, nth: u32) -> Option<(Instant, u16)> {
        let place = self.end.packets.len().checked_sub(nth as usize)?;
        self.end.packets.get(place).map(|sent| (sent.departure, sent.label.size))
    }

    /// How many packets are on it to the present end.
    #[inline]
    pub(super) fn sent_pkts(&self) -> usize {
        self.end.packets.len()
    }

    /// How many packets are on it.
    pub(super) fn len(&self) -> u64 {
        self.others.iter().chain([&self.end]).map(|end| end.packets.len() as u64).sum()
    }

    /// An entry for `delivery`, unless there is one for it or for an earlier one, after which the next is asked for.
    #[inline]
    fn entry_for(&mut self, delivery: Instant) -> Option<Instant> {
        if self.entries.last().is_some_and(|&first| first <= delivery) {
            return None;
        }
        self.entries.push(delivery);
        Some(delivery)
    }
}

impl End {
    fn new(node: NodeId) -> End {
        End { node, last: Instant::ZERO, packets: VecDeque::new() }
    }

    /// Its first delivery.
    #[inline]
    fn first(&self) -> Option<Instant> {
        self.packets.front().map(|sent| sent.delivery)
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
        let (mut wire, mut store) = (Wire::new(NodeId(0)), Store::default());
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
