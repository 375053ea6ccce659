//! A link that sends in slots of a return channel ([`crate::return_channel`]), which starts its transmissions.

use super::course::Deferred;
use super::{Form, Link, Traits, Wanted};
use crate::queue::Held;
use crate::store::Store;
use faircast_proto::packet::Ecn;
use faircast_proto::time::Instant;

impl Link {
    /// Makes it one that sends in slots; `may_collide`: without asking, so that something may come to nothing.
    pub(crate) fn send_in_slots(&mut self, may_collide: bool) {
        self.prepare_for_changes(Instant::FAR_FUTURE);
        self.look_at_each();
        self.adapt();
        self.traits.add(Traits::SLOTTED);
        if may_collide {
            self.form = Form::Special;
        }
    }

    /// Whether it sends in slots of a return channel.
    #[inline]
    pub(crate) fn is_slotted(&self) -> bool {
        self.traits.has(Traits::SLOTTED)
    }

    /// Whether a packet is in transmission.
    pub(crate) fn is_sending(&mut self, now: Instant) -> bool {
        self.settle(now);
        self.is_transmitting()
    }

    /// Packets that wait, and their bytes with those of the link layer.
    pub(crate) fn backlog(&self) -> (u32, u64) {
        let Some(waiting) = &self.waiting else { return (0, 0) };
        (waiting.pkts, waiting.bytes + u64::from(self.header) * u64::from(waiting.pkts))
    }

    /// Bytes for which it asks for slots, with those of the link layer; none if it is down and so cannot ask. What is
    /// sent all the same then, for nobody to receive it, has its slots.
    pub(crate) fn demand(&self) -> Option<u64> {
        self.may_start().then(|| self.backlog().1)
    }

    /// Since when the oldest of the packets that wait does so; now if none does.
    pub(crate) fn waits_since(&mut self, now: Instant) -> Instant {
        if let Some(first) = self.waiting.as_ref().and_then(|waiting| waiting.fifo.first()) {
            return first.since;
        }
        let mut oldest = now;
        self.visit(&mut |held| {
            oldest = oldest.min(held.since);
            false
        });
        oldest
    }

    /// Whether somebody will start what waits: then who comes need not ask.
    pub(crate) fn set_asked(&mut self, asked: bool) {
        if let Some(course) = &mut self.course {
            course.asked = asked;
        }
    }

    /// Transmits a packet that was picked until its last slot ends, or until [`end_at`](Self::end_at) says when that
    /// is; the entries wanted.
    #[cold]
    pub(crate) fn begin_in_slots(
        &mut self,
        now: Instant,
        held: Held,
        departure: Option<Instant>,
        store: &mut Store,
    ) -> Option<Wanted> {
        // What is sent again has waited in the queue only once.
        match self.course.as_mut().filter(|course| course.again > 0) {
            Some(course) => (course.aim, course.departs_in_vain) = (held.aim, !course.up),
            None => self.note_beginning(now, &held, store),
        }
        if self.queue.owns_packets()
            && let Some(waiting) = &mut self.waiting
        {
            waiting.owned.transmits = true;
        }
        let started = self.start((departure.unwrap_or(Instant::FAR_FUTURE), 0), held.label);
        let wanted = Wanted { departure, ..started };
        self.assert_conservation();
        match self.queue.owns_packets() {
            true => self.see_to_owned(now, Some(wanted), store),
            false => Some(wanted),
        }
    }

    /// When the first of the packets that have met others is sent again, if there are any.
    pub(crate) fn next_again(&self) -> Option<Instant> {
        self.course.as_ref()?.deferred.iter().map(|deferred| deferred.at).min()
    }

    /// Takes out the packet that is sent again first.
    pub(crate) fn take_again(&mut self) -> Option<Held> {
        let course = self.course.as_mut()?;
        let first = (0..course.deferred.len()).min_by_key(|&place| course.deferred[place].at)?;
        let Deferred { held, again, .. } = course.deferred.remove(first);
        course.again = again;
        Some(held)
    }

    /// The packet that goes into transmission next is sent for the first time.
    pub(crate) fn begin_anew(&mut self) {
        if let Some(course) = &mut self.course {
            course.again = 0;
        }
    }

    /// How often the packet has been sent again whose transmission ends now, if one does.
    pub(crate) fn ending(&mut self, now: Instant) -> Option<u32> {
        self.settle(now);
        let course = self.course.as_ref()?;
        (course.transmits && self.ring.all_departed() && !course.departs_in_vain).then_some(course.again)
    }

    /// The packet whose transmission ends now is sent again then.
    pub(crate) fn defer(&mut self, at: Instant) {
        let (Some(course), Some(label), Some(waiting)) = (&mut self.course, self.ring.newest(), &self.waiting) else {
            return;
        };
        let held = Held { label, since: at, aim: course.aim, link: waiting.link, ecn: Ecn::NotCapable, doomed: false };
        course.deferred.push(Deferred { at, held, again: course.again + 1 });
        course.transmits = false;
        course.gone_bytes += u64::from(label.size());
        self.ring.remove_newest();
        self.assert_conservation();
    }

    /// The packet whose transmission ends now has met another one: it comes to the far end as what nobody can receive.
    pub(crate) fn garble(&mut self) {
        self.ring.garble_newest();
    }

    /// The packet in transmission, for which there were not slots enough, departs then.
    pub(crate) fn end_at(&mut self, departure: Instant) {
        self.last_departure = departure;
        self.ring.set_newest_departure(departure);
    }
}
