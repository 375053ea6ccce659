//! Packets on the wire of a link that has turned elsewhere: on their way to far ends that it has turned away from.
//!
//! A packet takes the delay and the far end of its departure. Between the same two ends none overtakes another, however
//! the delay shrinks; those to another far end may come earlier. Of two that come at one moment that to the node with
//! the lower number is first.

use crate::ids::NodeId;
use crate::store::Label;
use faircast_proto::time::Instant;
use std::collections::VecDeque;

/// Packets on their way to former far ends, and what the calendar knows of the link as long as there are any.
#[derive(Default)]
pub(super) struct Strays {
    ends: Vec<End>,
    /// When the calendar has an entry for a delivery of the link, to whichever far end, each time once, the first one
    /// last. Nothing if there are no strays: then it has one for the first packet of the ring.
    entries: Vec<Instant>,
}

struct End {
    node: NodeId,
    /// The last delivery there.
    last: Instant,
    /// With their deliveries; never empty.
    packets: VecDeque<(Instant, Label)>,
}

impl Strays {
    /// Whether there are none.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many there are.
    pub(super) fn len(&self) -> u64 {
        self.ends.iter().map(|end| end.packets.len() as u64).sum()
    }

    /// One more, behind all others to the same node.
    pub(super) fn push(&mut self, node: NodeId, delivery: Instant, label: Label) {
        if self.is_empty() {
            self.entries.push(delivery);
        }
        let known = self.ends.iter().position(|end| end.node == node);
        let end = known.unwrap_or_else(|| {
            self.ends.push(End { node, last: delivery, packets: VecDeque::new() });
            self.ends.len() - 1
        });
        self.ends[end].last = delivery;
        self.ends[end].packets.push_back((delivery, label));
    }

    /// The last delivery to a node. Where nothing is under way nothing can be overtaken.
    pub(super) fn last_to(&self, node: NodeId) -> Instant {
        self.ends.iter().find(|end| end.node == node).map_or(Instant::ZERO, |end| end.last)
    }

    /// The first delivery of all, and where.
    pub(super) fn first(&self) -> Option<(Instant, NodeId)> {
        self.ends.iter().filter_map(|end| Some((end.packets.front()?.0, end.node))).min()
    }

    /// Takes out the packet that is [first](Self::first).
    pub(super) fn take(&mut self) -> (NodeId, Label) {
        let first = self.first();
        let end = self.ends.iter_mut().find(|end| first.is_some_and(|(_, node)| end.node == node));
        let Some((node, (_, label))) = end.and_then(|end| Some((end.node, end.packets.pop_front()?))) else {
            unreachable!("who takes one has seen one")
        };
        self.ends.retain(|end| !end.packets.is_empty());
        (node, label)
    }

    /// The calendar's entry for `now` has come.
    pub(super) fn take_entry(&mut self, now: Instant) {
        let entry = self.entries.pop();
        debug_assert_eq!(entry, Some(now), "entries come in their order");
    }

    /// An entry for `delivery`, unless there is one for it or for an earlier one, after which the next is asked for.
    pub(super) fn entry_for(&mut self, delivery: Instant) -> Option<Instant> {
        if self.entries.last().is_some_and(|&first| first <= delivery) {
            return None;
        }
        self.entries.push(delivery);
        Some(delivery)
    }

    /// There are no strays any more, and an entry for `next` alone, if for any.
    pub(super) fn forget_entries(&mut self, next: Option<Instant>) {
        debug_assert!(self.is_empty() && self.entries.iter().copied().eq(next), "one entry for the first packet");
        self.entries.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::battery::packet;
    use crate::store::Store;
    use faircast_proto::packet::Ecn;

    fn taken(strays: &mut Strays) -> (NodeId, u16) {
        let (node, label) = strays.take();
        (node, label.size())
    }

    #[test]
    fn the_first_delivery_comes_first_and_of_one_moment_the_lower_node() {
        let (mut strays, mut store) = (Strays::default(), Store::default());
        let mut push = |strays: &mut Strays, node: u32, at: u64, size: u16| {
            strays.push(NodeId(node), Instant(at), store.insert(&packet(size, Ecn::NotCapable)));
        };
        push(&mut strays, 5, 20, 1);
        push(&mut strays, 5, 30, 2);
        push(&mut strays, 3, 20, 3);
        push(&mut strays, 9, 10, 4);
        assert_eq!(
            (strays.len(), strays.last_to(NodeId(5)), strays.last_to(NodeId(1))),
            (4, Instant(30), Instant::ZERO)
        );
        assert_eq!(taken(&mut strays), (NodeId(9), 4));
        // Nothing is on its way there any more.
        assert_eq!(strays.last_to(NodeId(9)), Instant::ZERO);
        assert_eq!(strays.first(), Some((Instant(20), NodeId(3))));
        assert_eq!(
            [taken(&mut strays), taken(&mut strays), taken(&mut strays)],
            [(NodeId(3), 3), (NodeId(5), 1), (NodeId(5), 2)]
        );
        assert_eq!((strays.is_empty(), strays.len()), (true, 0));
    }

    #[test]
    fn there_is_one_entry_for_the_first_delivery_however_it_comes_about() {
        let (mut strays, mut store) = (Strays::default(), Store::default());
        let label = store.insert(&packet(1, Ecn::NotCapable));
        // The entry that the calendar has for the first packet of the ring is kept; the second needs none.
        strays.push(NodeId(1), Instant(20), label);
        strays.push(NodeId(1), Instant(30), label);
        assert_eq!([25, 20, 10, 10].map(|at| strays.entry_for(Instant(at))), [None, None, Some(Instant(10)), None]);
        strays.take_entry(Instant(10));
        assert_eq!(strays.entry_for(Instant(20)), None);
        strays.take_entry(Instant(20));
        assert_eq!(strays.entry_for(Instant(30)), Some(Instant(30)));
        strays.take();
        strays.take();
        strays.forget_entries(Some(Instant(30)));
        assert!(strays.entries.is_empty());
    }
}
