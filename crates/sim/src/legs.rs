//! Links with legs: one queue and one transmitter, the *carrier*, and several far ends, its *legs*, as a satellite's
//! downlink has them.
//!
//! A leg is a link for routes and trees, with a far end, a delay and losses of its own, but what is sent over it waits
//! in the carrier's queue and is transmitted there: a packet to one host once for that leg, a packet to a group once
//! for all legs on which the group is joined when the transmission ends.
//!
//! Legs that do not change and are equally far from their carrier form a *circle*: what departs towards them arrives at
//! one moment, and the calendar has one entry for all. A leg that changes has a wire of its own, as every link that
//! does ([`link`](crate::link)).

use crate::calendar::{Calendar, Entry, Kind};
use crate::change::Subject;
use crate::ids::{LinkId, NodeId};
use crate::link::Link;
use crate::store::Label;
use crate::trace::Happening;
use crate::wires::Wires;
use faircast_proto::time::{Duration, Instant};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;

/// What a link is in a network where links have legs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// Queue, transmitter and far end in one.
    #[default]
    Whole,
    /// Queue and transmitter, which change their state and rate.
    Carrier,
    /// A far end of this link; state, delay, losses and where it leads may change.
    Leg(LinkId),
}

/// For which legs of a link a packet is that waits there or is in transmission. On other links it means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    /// For all that want its group when the transmission ends.
    Wanting,
    /// For these but one: the packet has come from there.
    Beside(LinkId),
    /// For one.
    Leg(LinkId),
    /// For none any more.
    Nobody,
}

/// The carriers of legs.
#[derive(Debug, Default)]
pub(crate) struct Carriers {
    /// By link; empty if no link has legs.
    of: Vec<Option<LinkId>>,
}

/// The legs of a network that runs.
#[derive(Default)]
pub(crate) struct Legs {
    carriers: Carriers,
    /// By link: the circle of a leg that never changes.
    circle_of: Vec<u32>,
    circles: Vec<Circle>,
    transmission: u64,
}

/// Legs of one carrier and one delay.
struct Circle {
    delay: Duration,
    /// What is on the way to some of them, oldest first.
    flights: VecDeque<Flight>,
    /// To which, flight by flight.
    legs: VecDeque<LinkId>,
}

/// A packet on the way to legs of a circle: one holder of it for all.
#[derive(Clone, Copy)]
pub(crate) struct Flight {
    at: Instant,
    transmission: u64,
    pub(crate) label: Label,
    /// How many legs it goes to.
    pub(crate) legs: u32,
}

const NIL: u32 = u32::MAX;

impl Part {
    /// Whether it has something that may change.
    pub fn may_change(self, what: Subject) -> bool {
        match self {
            Part::Whole => true,
            Part::Carrier => matches!(what, Subject::State | Subject::Rate),
            Part::Leg(_) => what != Subject::Rate,
        }
    }

    /// Of a leg the link with it.
    pub(crate) fn carrier(self) -> Option<LinkId> {
        match self {
            Part::Leg(carrier) => Some(carrier),
            Part::Whole | Part::Carrier => None,
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Whole => "a link",
            Part::Carrier => "a link with legs",
            Part::Leg(_) => "a leg",
        })
    }
}

impl Carriers {
    /// By link the carrier of what is a leg.
    pub(crate) fn new(of: Vec<Option<LinkId>>) -> Carriers {
        match of.iter().any(Option::is_some) {
            true => Carriers { of },
            false => Carriers::default(),
        }
    }

    /// The carrier of a leg; `None` for all other links.
    #[inline]
    pub(crate) fn of(&self, link: LinkId) -> Option<LinkId> {
        *self.of.get(link.index())?
    }
}

impl Legs {
    /// The legs among `links`.
    pub(crate) fn new(carriers: Carriers, links: &[Link]) -> Legs {
        let mut known = BTreeMap::new();
        let (mut circle_of, mut circles) = (Vec::new(), Vec::new());
        for (link, carrier) in (0..).map(LinkId).zip(&carriers.of) {
            let state = &links[link.index()];
            circle_of.push(match carrier {
                Some(carrier) if !state.may_change() => {
                    let delay = state.delay(Instant::ZERO);
                    *known.entry((*carrier, delay)).or_insert_with(|| {
                        circles.push(Circle { delay, flights: VecDeque::new(), legs: VecDeque::new() });
                        circles.len() as u32 - 1
                    })
                }
                _ => NIL,
            });
        }
        Legs { carriers, circle_of, circles, transmission: 0 }
    }

    /// The carriers of all legs.
    pub(crate) fn carriers(&self) -> &Carriers {
        &self.carriers
    }

    /// The carrier of a leg; `None` for all other links.
    #[inline]
    pub(crate) fn carrier(&self, link: LinkId) -> Option<LinkId> {
        self.carriers.of(link)
    }

    /// Whether packets can be sent over a link: it is up, and so is its carrier if it is a leg.
    pub(crate) fn is_usable(&self, links: &[Link], link: LinkId) -> bool {
        links[link.index()].is_up() && self.carrier(link).is_none_or(|carrier| links[carrier.index()].is_up())
    }

    /// A number for the next transmission.
    pub(crate) fn begin_transmission(&mut self) -> u64 {
        self.transmission += 1;
        self.transmission
    }

    /// How many packets are on the way to circles, each counted once for all legs of one.
    pub(crate) fn flights(&self) -> u64 {
        self.circles.iter().map(|circle| circle.flights.len() as u64).sum()
    }

    /// Whether what legs count is what is on the way to them.
    pub(crate) fn are_counted_by(&self, links: &[Link]) -> bool {
        let inside = links.iter().filter(|link| link.is_fixed_leg()).map(Link::inside_pkts).sum::<u64>();
        inside == self.circles.iter().map(|circle| circle.legs.len() as u64).sum::<u64>()
    }
}

impl Aim {
    /// The way of what is offered to `link` with this aim: one of its legs, or the link.
    #[inline]
    pub(crate) fn way(self, link: LinkId) -> LinkId {
        match self {
            Aim::Leg(leg) => leg,
            Aim::Wanting | Aim::Beside(_) | Aim::Nobody => link,
        }
    }
}

impl<C: Calendar> Wires<C> {
    /// A packet has left the transmitter of a carrier and goes on to `leg`, if that is up. Says whether it is.
    pub(crate) fn radiate(&mut self, leg: LinkId, label: Label, transmission: u64) -> bool {
        let (now, state) = (self.now, &mut self.links[leg.index()]);
        if !state.is_up() {
            return false;
        }
        state.note_sent(label);
        let number = self.legs.circle_of[leg.index()];
        let Some(circle) = self.legs.circles.get_mut(number as usize) else {
            self.store.share(label.packet);
            if let Some(at) = state.send(now, label) {
                self.calendar.schedule(Entry::new(at, Kind::Delivery, leg.0));
            }
            return true;
        };
        circle.legs.push_back(leg);
        match circle.flights.back_mut() {
            Some(flight) if flight.transmission == transmission => flight.legs += 1,
            _ => {
                self.store.share(label.packet);
                let at = now + circle.delay;
                if circle.flights.is_empty() {
                    self.calendar.schedule(Entry::new(at, Kind::Hearing, number));
                }
                circle.flights.push_back(Flight { at, transmission, label, legs: 1 });
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
        self.store.release(label.packet);
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
        let leg = self.legs.circles[circle as usize].legs.pop_front().expect("a flight is to so many legs");
        let state = &mut self.links[leg.index()];
        let (node, heard) = (state.far_end(), state.hear(self.now, label, self.store.get(label.packet)));
        self.store.share(label.packet);
        if !heard {
            self.lose(leg, node, label);
            return None;
        }
        if self.trace.is_some() {
            self.trace(leg, Happening::Delivered, label.packet);
        }
        Some((node, leg))
    }
}
