//! The part of a link with legs that is the link's: the transmitter's aims, and what a leg counts.

use super::{DropReason, Form, Link, Traits, Verdict, Wanted};
use crate::store::{Label, Store};
use faircast_proto::packet::Packet;
use faircast_proto::time::Instant;

/// The transmitter.
impl Link {
    /// Makes it a link with legs.
    pub(crate) fn prepare_for_legs(&mut self) {
        self.prepare_for_changes(Instant::FAR_FUTURE);
        self.form = Form::Special;
        if let Some(course) = &mut self.course {
            course.ahead.forbid();
            course.has_legs = true;
        }
    }

    /// Makes it one of which somebody else starts each transmission, who knows how long a byte takes in that.
    pub(crate) fn adapt(&mut self) {
        debug_assert!(self.course.is_some(), "asked for in its course");
        self.traits.add(Traits::ADAPTIVE);
    }

    /// Whether somebody else starts its transmissions.
    #[inline]
    pub(crate) fn is_adaptive(&self) -> bool {
        self.traits.has(Traits::ADAPTIVE)
    }

    /// Whether it has legs: one transmitter for several far ends, which are links as well.
    pub fn has_legs(&self) -> bool {
        self.course.as_ref().is_some_and(|course| course.has_legs)
    }

    /// A packet comes to the queue for a leg that is down.
    pub(crate) fn refuse(&mut self, now: Instant, label: Label, store: &mut Store) -> Wanted {
        self.settle(now);
        self.counters.arrived += 1;
        let reason = DropReason::Down;
        self.drop_packet(now, label, reason, self.waiting_pkts(), store);
        self.assert_conservation();
        Wanted { verdict: Verdict::Drop(reason), delivery: None, departure: None }
    }

    /// A packet has left the transmitter, and some leg has heard it or none.
    pub(crate) fn note_transmitted(&mut self, label: Label, heard: bool) {
        match heard {
            true => self.count_delivered(label),
            false => {
                self.counters.unreceived += 1;
                self.assert_conservation();
            }
        }
    }
}

/// A leg.
impl Link {
    /// Makes it a leg of a link whose link layer adds so many bytes to each packet.
    pub(crate) fn prepare_as_leg(&mut self, header: u16) {
        self.header = header;
        self.waiting = None;
        match &mut self.course {
            Some(course) => course.ahead.forbid(),
            None => self.form = Form::FixedLeg,
        }
    }

    /// Makes it a leg to which packets may come that it cannot receive.
    pub(crate) fn expect_garbled(&mut self) {
        if self.form != Form::FixedLeg {
            self.form = Form::Special;
        }
    }

    /// Whether it is a leg that never changes.
    pub(crate) fn is_fixed_leg(&self) -> bool {
        self.form == Form::FixedLeg
    }

    /// Whether it is a leg that may change. Its packets depart, but from no queue of its own.
    pub(super) fn is_changing_leg(&self) -> bool {
        self.course.is_some() && self.waiting.is_none()
    }

    /// A packet goes on its way to the far end.
    #[inline]
    pub(crate) fn note_sent(&mut self, label: Label) {
        self.counters.arrived += 1;
        // Where it may change it has a ring, whose cursor counts departures.
        if self.form == Form::FixedLeg {
            self.counters.departed += 1;
            self.counters.departed_bytes += u64::from(label.size());
        }
    }

    /// A packet goes on the wire of a leg that may change. Says when an entry of the calendar is wanted, if one is.
    pub(crate) fn send(&mut self, now: Instant, label: Label) -> Option<Instant> {
        self.put_on_wire(now, label)
    }

    /// A packet has come to the far end of a leg that never changes. Says whether it is heard there.
    #[inline]
    pub(crate) fn hear(&mut self, now: Instant, label: Label, packet: &Packet) -> bool {
        !self.loses(now, label, packet)
    }
}
