//! The part of the engine that moves packets: links, the packets on them, and the calendar that says when one comes
//! out. What stands apart from nodes and endpoints can be lent out while these are looked at.

use crate::calendar::{Calendar, Entry, Kind};
use crate::ids::{LinkId, NodeId};
use crate::link::{Delivered, Launched, Link, Wanted};
use crate::queue::Verdict;
use crate::router::Offer;
use crate::store::{Handle, Label, Store};
use crate::trace::{Happening, Trace};
use faircast_proto::time::Instant;

/// The links of a network that runs.
pub(crate) struct Wires<C> {
    pub(crate) now: Instant,
    pub(crate) calendar: C,
    pub(crate) links: Vec<Link>,
    pub(crate) store: Store,
    pub(crate) trace: Option<Box<Trace>>,
    /// The entity of the timer of the first router agent; those of the others follow it.
    pub(crate) first_port: u32,
}

impl<C: Calendar> Wires<C> {
    /// A packet comes to a link, which becomes a holder in place of the caller.
    #[inline(always)]
    pub(crate) fn put(&mut self, link: LinkId, label: Label) {
        let Some(delivery) = self.links[link.index()].admit(self.now, label) else {
            return self.consider(link, label);
        };
        if self.trace.is_some() {
            self.trace(link, Happening::Accepted, label.packet);
        }
        if let Some(at) = delivery {
            self.calendar.schedule(Entry::new(at, Kind::Delivery, link.0));
        }
    }

    /// A packet comes to a link whose queue must be asked.
    #[inline(never)]
    fn consider(&mut self, link: LinkId, label: Label) {
        if self.links[link.index()].port().is_some() && self.offer(link, label) == Offer::HoldBack {
            return self.store.release(label.packet);
        }
        // What the trace is to show may be gone afterwards.
        let arrived = self.trace.is_some().then(|| *self.store.get(label.packet));
        let wanted = self.links[link.index()].arrive(self.now, label, &mut self.store);
        if let Some(trace) = &mut self.trace {
            let what = match wanted.verdict {
                Verdict::Drop(_) => Happening::Dropped,
                Verdict::Mark(_) => Happening::Marked,
                Verdict::Accept => Happening::Accepted,
            };
            trace.record(self.now, link, what, arrived.as_ref());
        }
        self.schedule(link, &wanted);
    }

    /// A packet is offered to an interface that a router agent looks after.
    #[cold]
    fn offer(&mut self, link: LinkId, label: Label) -> Offer {
        let offer = self.links[link.index()].offer(self.now, self.store.get(label.packet));
        self.arm_router(link);
        if offer == Offer::HoldBack && self.trace.is_some() {
            self.trace(link, Happening::Dropped, label.packet);
        }
        offer
    }

    /// Sees to the timer of the router agent at the beginning of a link.
    pub(crate) fn arm_router(&mut self, link: LinkId) {
        let Some(port) = self.links[link.index()].port_mut() else { return };
        if let Some(at) = port.rearm(self.now) {
            self.calendar.schedule(Entry::new(at, Kind::Timer, self.first_port + port.number));
        }
    }

    /// The packet in transmission on a two-stage link has left.
    pub(crate) fn depart(&mut self, link: LinkId) {
        if self.links[link.index()].may_change() {
            self.launch(link);
        }
        if let Some(wanted) = self.links[link.index()].depart(self.now, &mut self.store) {
            self.schedule(link, &wanted);
        }
    }

    /// A packet comes to the far end of a link. The node there and the packet, of which the caller becomes a holder;
    /// nothing if it is lost.
    #[inline(always)]
    pub(crate) fn deliver(&mut self, link: LinkId) -> Option<(NodeId, Label)> {
        let Delivered { at, label, lost, next } = self.links[link.index()].deliver(self.now, &self.store);
        if let Some(at) = next {
            self.calendar.schedule(Entry::new(at, Kind::Delivery, link.0));
        }
        if lost {
            if let Some(trace) = &mut self.trace {
                trace.record(self.now, link, Happening::Lost, None);
            }
            self.store.release(label.packet);
            return None;
        }
        if self.trace.is_some() {
            self.trace(link, Happening::Delivered, label.packet);
        }
        Some((at, label))
    }

    /// The packet in transmission on a link that may change goes on the wire, if it has left.
    #[cold]
    fn launch(&mut self, link: LinkId) {
        match self.links[link.index()].launch(self.now) {
            Launched::Nothing | Launched::Sent(None) => {}
            Launched::Sent(Some(at)) => self.calendar.schedule(Entry::new(at, Kind::Delivery, link.0)),
            Launched::InVain(label) => {
                self.trace(link, Happening::Unreceived, label.packet);
                self.store.release(label.packet);
            }
        }
    }

    /// Brings the counters of all links up to the present.
    pub(crate) fn settle(&mut self) {
        for link in &mut self.links {
            link.settle(self.now);
        }
    }

    /// Whether every packet in the store is on as many links as it has holders; true between two events.
    pub(crate) fn hold_all_packets(&self) -> bool {
        self.store.held() == self.links.iter().map(Link::inside_pkts).sum::<u64>()
    }

    #[inline]
    fn schedule(&mut self, link: LinkId, wanted: &Wanted) {
        if let Some(at) = wanted.delivery {
            self.calendar.schedule(Entry::new(at, Kind::Delivery, link.0));
        }
        if let Some(at) = wanted.departure {
            self.calendar.schedule(Entry::new(at, Kind::Departure, link.0));
        }
    }

    #[cold]
    pub(crate) fn trace(&mut self, link: LinkId, what: Happening, packet: Handle) {
        if let Some(trace) = &mut self.trace {
            trace.record(self.now, link, what, Some(self.store.get(packet)));
        }
    }
}
