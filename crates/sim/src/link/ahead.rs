//! Packets that a link which changes sends ahead: they depart before its next change, so that their departure, and the
//! delay and far end of that moment, are known when their turn is certain, and so is their delivery.
//!
//! Such a link needs no entry of the calendar for these departures. The first packet that departs later is *in
//! transmission*: the last of the ring, without a delivery until it has departed, as on any link in two stages. Those
//! behind it wait for their turn. Both give the same deliveries: a packet takes what holds when it departs.

use super::{Form, Link, Wanted};
use crate::ids::NodeId;
use crate::queue::Verdict;
use crate::store::Label;
use faircast_proto::time::Instant;

/// The delivery of a packet that is in transmission on a link that changes.
const UNKNOWN: Instant = Instant::FAR_FUTURE;

impl Link {
    /// A packet comes to a link that changes. If it has room for certain and departs before the next change it is sent
    /// ahead; says when a delivery entry is wanted, if one is. `None`: nothing has happened.
    #[inline(always)]
    pub(super) fn admit_ahead(&mut self, now: Instant, label: Label) -> Option<Option<Instant>> {
        let sure_room = self.course.as_ref()?.ahead.sure_room;
        // Not settled, the count is an upper bound.
        if self.ring.in_system() >= sure_room {
            // Where nothing is sent ahead for certain there is no need to look.
            if sure_room == 0 {
                return None;
            }
            self.settle(now);
        }
        let (departure, remainder) = self.departure_of(now, label);
        if self.ring.in_system() >= sure_room || !self.course.as_ref()?.may_send_ahead(departure) {
            return None;
        }
        debug_assert!(self.waiting.iter().all(|waiting| waiting.pkts == 0), "what waits waits for the ring");
        (self.last_departure, self.remainder) = (departure, remainder);
        self.counters.arrived += 1;
        let delivery = self.put_on_wire(departure, label);
        self.assert_conservation();
        Some(delivery)
    }

    /// A packet whose turn it is departs at `departure`, from a link that changes: it is sent ahead, if it may be.
    pub(super) fn start_on_course(&mut self, departure: Instant, label: Label) -> Wanted {
        let Some(course) = &mut self.course else { unreachable!("only links that change are asked") };
        let (delivery, departure) = if course.may_send_ahead(departure) && !course.departs_in_vain {
            (self.put_on_wire(departure, label), None)
        } else {
            course.transmits = true;
            self.ring.push(label, departure, UNKNOWN);
            self.note_form();
            (None, Some(departure))
        };
        Wanted { delivery, departure, verdict: Verdict::Accept }
    }

    /// A packet departs at `departure` towards the present far end. Says when an entry of the calendar is wanted, if
    /// one is.
    #[inline(always)]
    pub(super) fn put_on_wire(&mut self, departure: Instant, label: Label) -> Option<Instant> {
        let Some(course) = &mut self.course else { unreachable!("only links that change are asked") };
        let delivery = course.send(departure);
        let first = self.ring.is_empty();
        self.ring.push(label, departure, delivery);
        match course.strays.is_empty() {
            true => first.then_some(delivery),
            false => course.strays.entry_for(delivery),
        }
    }

    /// The packet in transmission has departed, and its delivery is known. Says when an entry of the calendar is
    /// wanted, if one is.
    pub(super) fn depart_on_course(&mut self, now: Instant) -> Option<Instant> {
        let course = self.course.as_mut()?;
        let delivery = course.send(now);
        self.ring.deliver_newest(delivery);
        let entry = match course.strays.is_empty() {
            true => (self.ring.len() == 1).then_some(delivery),
            false => course.strays.entry_for(delivery),
        };
        self.note_form();
        entry
    }

    /// The link leads to another node from now on; what is on the wire comes where it was sent to.
    pub(super) fn turn(&mut self, now: Instant, to: NodeId) {
        let from = std::mem::replace(&mut self.to, to);
        if from == to {
            return;
        }
        while let Some(delivery) = self.ring.oldest_delivery().filter(|&at| at != UNKNOWN) {
            let label = self.ring.pop(now);
            let Some(course) = &mut self.course else { return };
            course.gone_bytes += u64::from(label.size());
            course.strays.push(from, delivery, label);
        }
        if let Some(course) = &mut self.course {
            course.last = course.strays.last_to(to);
        }
        self.note_form();
    }

    /// Takes the packet off the wire that comes to a far end now: the node there, and when another entry of the
    /// calendar is wanted, if one is.
    #[inline]
    pub(super) fn take_from_wire(&mut self, now: Instant) -> (NodeId, Label, Option<Instant>) {
        // What comes has departed: it must not be among those that have not when it is gone.
        if self.ring.none_on_wire() {
            self.settle(now);
        }
        if self.course.as_ref().is_some_and(|course| !course.strays.is_empty()) {
            return self.take_of_several(now);
        }
        let label = self.ring.pop(now);
        (self.to, label, self.ring.oldest_delivery().filter(|&at| at != UNKNOWN))
    }

    /// The same if packets are on the wire to other far ends as well.
    #[cold]
    fn take_of_several(&mut self, now: Instant) -> (NodeId, Label, Option<Instant>) {
        let Some(course) = &mut self.course else { unreachable!("only links that change turn") };
        course.strays.take_entry(now);
        let here = self.ring.oldest_delivery().filter(|&at| at != UNKNOWN).map(|at| (at, self.to));
        let (node, label) = match course.strays.first() {
            // Of two to the same node the stray was sent first.
            Some(stray) if here.is_none_or(|here| stray <= here) => {
                let (node, label) = course.strays.take();
                course.gone_bytes -= u64::from(label.size());
                (node, label)
            }
            _ => (self.to, self.ring.pop(now)),
        };
        let here = self.ring.oldest_delivery().filter(|&at| at != UNKNOWN);
        let next = course.strays.first().map(|(at, _)| at).into_iter().chain(here).min();
        let entry = next.and_then(|next| course.strays.entry_for(next));
        if course.strays.is_empty() {
            course.strays.forget_entries(next);
            self.note_form();
        }
        (node, label, entry)
    }

    /// Whether its deliveries are those of the ring, one after the other, may have changed.
    fn note_form(&mut self) {
        let Some(course) = &self.course else { return };
        if matches!(self.form, Form::Plain | Form::Moving) {
            let plain = !course.transmits && course.strays.is_empty();
            self.form = if plain { Form::Plain } else { Form::Moving };
        }
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
