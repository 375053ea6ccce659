//! Transmissions whose modulation and code is chosen when they start ([`acm`](crate::acm)).

use super::World;
use crate::acm::{Signal, SymbolCounters, Transmitter};
use crate::calendar::{Calendar, Entry, Kind};
use crate::ids::LinkId;
use crate::part::Aim;
use crate::return_channel::{Grid, SlotCounters};

impl<C: Calendar> World<C> {
    /// The transmitter of a link of which somebody else starts the transmissions is free, or might be: starts what is
    /// next.
    #[cold]
    pub(crate) fn start_adapted(&mut self, carrier: LinkId) {
        if self.wires.links[carrier.index()].is_slotted() {
            return self.wires.start_in_slots(carrier);
        }
        let Some(held) = self.wires.pick(carrier) else { return };
        let header = u64::from(self.wires.links[carrier.index()].header_bytes());
        let bits = 8 * (header + u64::from(held.label.size()));
        let Some(adaptive) = &mut self.wires.legs.adaptive else { return };
        adaptive.begin(carrier, bits);
        let links = &self.wires.links;
        let except = match held.aim {
            _ if held.doomed => return self.wires.begin_picked(carrier, held),
            Aim::Nobody => return self.wires.begin_picked(carrier, held),
            Aim::Leg(leg) => {
                adaptive.serve(carrier, leg);
                return self.wires.begin_picked(carrier, held);
            }
            Aim::Beside(leg) => Some(leg),
            Aim::Wanting => None,
        };
        let place = self.multicast.place(self.wires.store.destination(held.label.packet()).index());
        if let Some((session, group)) = place
            && let Some(beam) = self.multicast.session(session).beam(carrier)
        {
            for leg in beam.legs_of(group).filter(|&leg| Some(leg) != except && links[leg.index()].is_up()) {
                adaptive.serve(carrier, leg);
            }
        }
        self.wires.begin_picked(carrier, held);
    }
}

impl<C: Calendar> World<C> {
    /// Lets the first superframe of each return channel begin.
    pub(crate) fn begin_superframes(&mut self) {
        let first = self.wires.first_port + (self.ports.len() + self.pools.len()) as u32;
        let channels = self.wires.returns.as_ref().map_or(0, |returns| returns.len()) as u32;
        let assigned = |entity: &u32| {
            let returns = self.wires.returns.as_ref();
            returns.is_some_and(|returns| returns.is_assigned((*entity - first) as usize))
        };
        let entities: Vec<u32> = (first..first + channels).filter(assigned).collect();
        for entity in entities {
            self.wires.calendar.schedule(Entry::new(self.wires.now, Kind::Timer, entity));
        }
    }
}

impl<C> World<C> {
    /// How the transmitter of a link, or of the link of a leg, sends symbols; `None` if it does not.
    pub fn transmitter(&self, link: LinkId) -> Option<Transmitter> {
        self.wires.legs.adaptive.as_ref()?.transmitter(link)
    }

    /// What a link that sends symbols has sent until now, or what has been sent to a leg of it.
    pub fn symbols(&self, link: LinkId) -> Option<SymbolCounters> {
        self.wires.legs.adaptive.as_ref()?.counters(link)
    }

    /// How the time of the carrier is cut on which a link sends in slots; `None` if it does not.
    pub fn grid(&self, link: LinkId) -> Option<Grid> {
        self.wires.returns.as_ref()?.grid(link)
    }

    /// What a link that sends in slots of a carrier has done until now.
    pub fn slots(&self, link: LinkId) -> Option<SlotCounters> {
        self.wires.returns.as_ref()?.counters(link)
    }

    /// What a leg of a link that sends symbols can receive over time, and what is granted to it.
    pub fn signal(&self, leg: LinkId) -> Option<&Signal> {
        self.wires.legs.adaptive.as_ref()?.signal(leg)
    }
}
