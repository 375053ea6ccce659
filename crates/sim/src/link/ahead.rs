//! Packets that a link which changes has sent ahead: they depart before its next change, so that their departure, and
//! the delay and far end of that moment, are known when their turn is certain, and they go on the wire at once.
//!
//! Such a link needs no entry of the calendar for these departures. The first packet that departs later waits for its
//! departure in the ring, as on any link in two stages, and those behind it wait for their turn. Both give the same
//! deliveries: a packet takes what holds when it departs.

use super::{Link, Wanted};
use crate::ids::NodeId;
use crate::queue::Verdict;
use crate::store::Label;
use faircast_proto::time::Instant;

impl Link {
    /// A packet comes to a link that changes. If it has room for certain and departs before the next change it is sent
    /// ahead; says when a delivery entry is wanted, if one is. `None`: nothing has happened.
    #[inline(always)]
    pub(super) fn admit_ahead(&mut self, now: Instant, label: Label) -> Option<Option<Instant>> {
        // Not settled, the count is an upper bound.
        if self.course.as_ref().is_some_and(|course| course.ahead.len() >= course.ahead.sure_room) {
            self.settle(now);
        }
        let (departure, remainder) = self.departure_of(now, label);
        let course = self.course.as_mut()?;
        if course.ahead.len() >= course.ahead.sure_room
            || departure >= course.ahead.until
            || !course.up
            || !self.ring.is_empty()
        {
            return None;
        }
        debug_assert!(self.waiting.iter().all(|waiting| waiting.packets.is_empty()), "what waits waits for the ring");
        (self.last_departure, self.remainder) = (departure, remainder);
        self.counters.arrived += 1;
        let delivery = course.send_ahead(departure, self.to, label);
        self.assert_conservation();
        Some(delivery)
    }

    /// Takes the packet off the wire that comes to a far end now: the node there, and when another entry of the
    /// calendar is wanted, if one is.
    #[inline]
    pub(super) fn take_from_wire(&mut self, now: Instant) -> (NodeId, Label, Option<Instant>) {
        // What comes has departed: it must not be among those that have not when it is gone.
        if self.course.as_ref().is_some_and(|course| course.knows_of_none_departed()) {
            self.settle_ahead(now);
        }
        let Some(course) = &mut self.course else { unreachable!("only links that change have a wire") };
        course.wire.take(now)
    }

    /// Lets go of what has been sent ahead and has departed by now.
    #[inline(never)]
    pub(super) fn settle_ahead(&mut self, now: Instant) {
        let Some(course) = &mut self.course else { return };
        while let Some((departure, size)) = course.first_ahead()
            && departure <= now
        {
            course.ahead.pkts -= 1;
            course.ahead.bytes -= u64::from(size);
            self.counters.departed += 1;
            self.counters.departed_bytes += u64::from(size);
        }
    }

    /// Sends a packet ahead whose turn it is and which departs at `departure`, if it may be.
    pub(super) fn try_ahead(&mut self, departure: Instant, label: Label) -> Option<Wanted> {
        let course = self.course.as_mut()?;
        if departure >= course.ahead.until || !course.up || course.departs_in_vain || !self.ring.is_empty() {
            return None;
        }
        let delivery = course.send_ahead(departure, self.to, label);
        Some(Wanted { delivery, departure: None, verdict: Verdict::Accept })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Change;
    use crate::loss::{self, Loss};
    use crate::queue::{self, LinkContext, Queue, battery::packet};
    use crate::store::Store;
    use crate::{link::LinkMode, part::Aim};
    use faircast_proto::packet::Ecn;
    use faircast_proto::random::Random;
    use faircast_proto::time::{Duration, Rate};

    /// A link on which a packet of 1000 bytes takes a millisecond, where three in the system are
    /// let in unasked, that changes at 10 ms.
    fn link() -> Link {
        let (rate, delay, random) = (Rate(8_000_000), Duration::from_millis(5), Random::stream(1, "test"));
        let queue: queue::Config =
            serde_json::from_str(r#"{"kind": "drop-tail", "limit": "4 packets"}"#).expect("a legal queue");
        let loss: loss::Config = serde_json::from_str(r#"{"kind": "none"}"#).expect("a legal loss model");
        let context = LinkContext { rate, delay, mean_packet_bytes: 1000, random: random.clone() };
        let (queue, loss) = (Queue::new(&queue, context), Loss::new(&loss, random));
        let mut link = Link::new(NodeId(7), rate, delay, queue, loss, LinkMode::Fused);
        link.prepare_for_changes(ms(10));
        link
    }

    fn ms(count: u64) -> Instant {
        Instant(count * 1_000_000)
    }

    #[test]
    fn what_departs_before_the_next_change_goes_ahead_while_there_is_room() {
        let (mut link, mut store) = (link(), Store::default());
        let mut label = || store.insert(&packet(1000, Ecn::NotCapable));
        // The first delivery needs an entry; three are in the system then.
        assert_eq!(link.admit_looking_closely(ms(0), label()), Some(Some(ms(6))));
        assert_eq!(link.admit_looking_closely(ms(0), label()), Some(None));
        assert_eq!(link.admit_looking_closely(ms(0), label()), Some(None));
        assert_eq!(link.admit_looking_closely(ms(0), label()), None);
        // At 1 ms one has left.
        assert_eq!(link.admit_looking_closely(ms(1), label()), Some(None));
        assert_eq!((link.waiting_pkts(), link.inside_pkts()), (2, 4));
        // What departs at 9 ms does, at 10 ms does not.
        assert_eq!(link.admit_looking_closely(ms(8), label()), Some(None));
        assert_eq!(link.admit_looking_closely(ms(8), label()), None);
        assert!(link.conserves());
    }

    #[test]
    fn a_link_that_is_down_sends_nothing_ahead_until_it_is_up() {
        let (mut link, mut store) = (link(), Store::default());
        let label = store.insert(&packet(1000, Ecn::NotCapable));
        link.change(ms(10), Change::Down, ms(20));
        assert_eq!(link.admit_looking_closely(ms(12), label), None);
        assert!(matches!(link.arrive(ms(12), Aim::Wanting, label, &mut store).verdict, Verdict::Drop(_)));
        link.change(ms(20), Change::Up, Instant::FAR_FUTURE);
        let label = store.insert(&packet(1000, Ecn::NotCapable));
        assert_eq!(link.admit_looking_closely(ms(21), label), Some(Some(ms(27))));
    }
}
