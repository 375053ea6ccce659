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

use crate::acm::Adaptive;
use crate::ids::LinkId;
use crate::link::Link;
use crate::part::Carriers;
use crate::store::Label;
use faircast_proto::time::{Duration, Instant};
use std::collections::{BTreeMap, VecDeque};

/// The legs of a network that runs.
#[derive(Default)]
pub(crate) struct Legs {
    carriers: Carriers,
    /// By link: the circle of a leg that never changes.
    pub(crate) circle_of: Vec<u32>,
    pub(crate) circles: Vec<Circle>,
    /// What those keep whose modulation and code is chosen anew for each transmission; `None` if there are none.
    pub(crate) adaptive: Option<Box<Adaptive>>,
    transmission: u64,
}

/// Legs of one carrier and one delay.
pub(crate) struct Circle {
    pub(crate) delay: Duration,
    /// What is on the way to some of them, oldest first.
    pub(crate) flights: VecDeque<Flight>,
    /// To which, flight by flight.
    pub(crate) legs: VecDeque<Bound>,
}

/// A packet on the way to legs of a circle: one holder of it for all.
#[derive(Clone, Copy)]
pub(crate) struct Flight {
    pub(crate) at: Instant,
    pub(crate) transmission: u64,
    pub(crate) label: Label,
    /// How many legs it goes to.
    pub(crate) legs: u32,
}

/// A leg to which a flight goes, and whether what comes there is beyond what it can receive.
#[derive(Clone, Copy)]
pub(crate) struct Bound(u32);

impl Bound {
    const GARBLED: u32 = 1 << 31;

    pub(crate) fn to(leg: LinkId, garbled: bool) -> Bound {
        Bound(if garbled { leg.0 | Self::GARBLED } else { leg.0 })
    }

    pub(crate) fn leg(self) -> LinkId {
        LinkId(self.0 & !Self::GARBLED)
    }

    pub(crate) fn is_garbled(self) -> bool {
        self.0 & Self::GARBLED != 0
    }
}

const NIL: u32 = u32::MAX;

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
        Legs { carriers, circle_of, circles, adaptive: None, transmission: 0 }
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
