//! What carriers send to their legs, and what comes there.

use super::Wires;
use crate::acm::Hearing;
use crate::calendar::{Calendar, Entry, Kind};
use crate::ids::{LinkId, NodeId};
use crate::legs::{Bound, Flight};
use crate::store::Label;
use crate::trace::Happening;

impl<C: Calendar> Wires<C> {
    /// A packet has left the transmitter of a carrier and goes on to `leg`, if that is up. Says whether it is.
    pub(crate) fn radiate(&mut self, leg: LinkId, label: Label, transmission: u64) -> bool {
        let (now, state) = (self.now, &mut self.links[leg.index()]);
        if !state.is_up() {
            return false;
        }
        let label = match self.legs.adaptive.as_mut().map(|adaptive| (adaptive.transmitter(leg).is_some(), adaptive)) {
            Some((true, adaptive)) => match adaptive.hearing(leg, now) {
                Hearing::Clear => label,
                Hearing::Garbled => label.garbled(),
                Hearing::Nothing => return false,
            },
            _ => label,
        };
        state.note_sent(label);
        let number = self.legs.circle_of[leg.index()];
        let Some(circle) = self.legs.circles.get_mut(number as usize) else {
            self.store.share(label.packet());
            if let Some(at) = state.send(now, label) {
                self.calendar.schedule(Entry::new(at, Kind::Delivery, leg.0));
            }
            return true;
        };
        circle.legs.push_back(Bound::to(leg, label.is_garbled()));
        match circle.flights.back_mut() {
            Some(flight) if flight.transmission == transmission => flight.legs += 1,
            _ => {
                self.store.share(label.packet());
                let at = now + circle.delay;
                if circle.flights.is_empty() {
                    self.calendar.schedule(Entry::new(at, Kind::Hearing, number));
                }
                circle.flights.push_back(Flight { at, transmission, label: label.clear(), legs: 1 });
            }
        }
        true
    }

    /// A transmission of a carrier has ended, and somebody has heard it or nobody.
    pub(crate) fn end_transmission(&mut self, carrier: LinkId, label: Label, heard: bool) {
        if !heard {
            self.note_unreceived(carrier, label);
        }
        self.links[carrier.index()].note_transmitted(label, heard);
        self.store.release(label.packet());
    }

    /// The oldest flight to a circle has come. The caller becomes the packet's holder, and asks each leg whether it
    /// hears it.
    pub(crate) fn land(&mut self, circle: u32) -> Flight {
        let state = &mut self.legs.circles[circle as usize];
        let flight = state.flights.pop_front().expect("an entry is for a flight");
        debug_assert_eq!(flight.at, self.now, "a flight lands when its time has come");
        if let Some(next) = state.flights.front() {
            self.calendar.schedule(Entry::new(next.at, Kind::Hearing, circle));
        }
        flight
    }

    /// The packet comes to the far end of the next leg: the node there and the leg, and one more holder for the caller;
    /// nothing if it is lost there.
    #[inline]
    pub(crate) fn hear(&mut self, circle: u32, label: Label) -> Option<(NodeId, LinkId)> {
        let bound = self.legs.circles[circle as usize].legs.pop_front().expect("a flight is to so many legs");
        let leg = bound.leg();
        let label = if bound.is_garbled() { label.garbled() } else { label };
        let state = &mut self.links[leg.index()];
        let (node, heard) = (state.far_end(), state.hear(self.now, label, self.store.get(label.packet())));
        self.store.share(label.packet());
        if !heard {
            self.lose(leg, node, label);
            return None;
        }
        if self.trace.is_some() {
            self.trace(leg, Happening::Delivered, label.packet());
        }
        Some((node, leg))
    }
}
