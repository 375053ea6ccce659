//! The part of the engine that moves packets: links, the packets on them, and the calendar that says when one comes
//! out. What stands apart from nodes and endpoints can be lent out while these are looked at.

mod legs;
mod slotted;

use crate::calendar::{Calendar, Entry, Kind};
use crate::ids::{LinkId, NodeId};
use crate::legs::Legs;
use crate::link::{Delivered, Fate, Launched, Link, Wanted};
use crate::packet_probe::PacketAction;
use crate::part::Aim;
use crate::queue::{Held, Verdict};
use crate::return_channel::ReturnChannels;
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
    pub(crate) legs: Legs,
    /// Links that send in slots of one carrier; `None` if there are none.
    pub(crate) returns: Option<Box<ReturnChannels>>,
    /// The entity of the timer of the first router agent; those of the others follow it.
    pub(crate) first_port: u32,
    /// Somebody wants to know what links lose.
    pub(crate) witnessed: bool,
    /// What a link has lost just now, if that is so; to be told within the same event.
    pub(crate) lost: Option<Lost>,
    /// The first of the queues that have done what they must not do.
    pub(crate) fault: Option<Box<Fault>>,
}

/// A queue that owns its packets has done what it must not do. The run goes on without what it holds; it is worth
/// nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The link.
    pub link: LinkId,
    /// What the queue calls itself.
    pub queue: String,
    /// What it does, as the rest of a sentence that begins with the queue.
    pub what: String,
}

/// A packet that a link has lost at its far end. Its owner is a holder of the packet.
pub(crate) struct Lost {
    pub(crate) link: LinkId,
    /// Where it would have come.
    pub(crate) node: NodeId,
    pub(crate) label: Label,
}

impl<C: Calendar> Wires<C> {
    /// A packet comes to a link, which becomes a holder in place of the caller.
    #[inline(always)]
    pub(crate) fn put(&mut self, link: LinkId, label: Label) {
        let is_there = self.try_put(link, label);
        debug_assert!(is_there, "there is no {link:?}");
    }

    /// Puts a packet on a link if there is such a link; otherwise nothing has happened.
    #[inline(always)]
    pub(crate) fn try_put(&mut self, link: LinkId, label: Label) -> bool {
        let Some(state) = self.links.get_mut(link.index()) else { return false };
        if !state.has_room_for_certain() {
            self.put_looking_closely(link, label);
            return true;
        }
        if let Some(at) = state.admit(self.now, label) {
            self.calendar.schedule(Entry::new(at, Kind::Delivery, link.0));
        }
        if self.trace.is_some() {
            self.trace(link, Happening::Accepted, label.packet());
        }
        true
    }

    /// The same if the link may have no room, or must be looked at for another reason.
    #[inline(never)]
    fn put_looking_closely(&mut self, link: LinkId, label: Label) {
        let Some(delivery) = self.links[link.index()].admit_looking_closely(self.now, label) else {
            return self.consider(link, label);
        };
        if let Some(at) = delivery {
            self.calendar.schedule(Entry::new(at, Kind::Delivery, link.0));
        }
        if self.trace.is_some() {
            self.trace(link, Happening::Accepted, label.packet());
        }
    }

    /// A packet comes to a link whose queue must be asked, or to a leg, which has none.
    #[inline(never)]
    fn consider(&mut self, link: LinkId, label: Label) {
        match self.legs.carrier(link) {
            None => self.offer_on(link, Aim::Wanting, label),
            Some(carrier) => self.offer_on(carrier, Aim::Leg(link), label),
        }
    }

    /// A packet comes to a link whose queue must be asked.
    pub(crate) fn offer_on(&mut self, link: LinkId, aim: Aim, label: Label) {
        if self.links[link.index()].port().is_some() && self.offer(link, label) == Offer::HoldBack {
            return self.store.release(label.packet());
        }
        // What the trace is to show may be gone afterwards.
        let arrived = self.trace.is_some().then(|| *self.store.get(label.packet()));
        let way = aim.way(link);
        let is_shut = way != link && !self.links[way.index()].is_up();
        let state = &mut self.links[link.index()];
        let wanted = match is_shut {
            false => state.arrive(self.now, aim, label, &mut self.store),
            true => state.refuse(self.now, label, &mut self.store),
        };
        if state.may_have_failed() {
            self.look_for_fault(link);
        }
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
        let offer = self.links[link.index()].offer(self.now, self.store.get(label.packet()));
        self.arm_router(link);
        if offer == Offer::HoldBack && self.trace.is_some() {
            self.trace(link, Happening::Dropped, label.packet());
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

    /// The packet in transmission on a two-stage link has left: the next follows.
    pub(crate) fn start_next(&mut self, link: LinkId) {
        let state = &mut self.links[link.index()];
        let wanted = state.depart(self.now, &mut self.store);
        if state.may_have_failed() {
            self.look_for_fault(link);
        }
        if let Some(wanted) = wanted {
            self.schedule(link, &wanted);
        }
    }

    /// Takes out the packet that an adaptive link transmits next, if its transmitter is free and one may leave;
    /// [`begin_picked`](Self::begin_picked) must follow.
    pub(crate) fn pick(&mut self, link: LinkId) -> Option<Held> {
        let state = &mut self.links[link.index()];
        let picked = state.pick(self.now, &mut self.store);
        if state.may_have_failed() {
            self.look_for_fault(link);
        }
        match picked {
            Ok(held) => Some(held),
            Err(wanted) => {
                wanted.into_iter().for_each(|wanted| self.schedule(link, &wanted));
                None
            }
        }
    }

    /// Starts a transmission of an adaptive link, for all that it is known to be for.
    pub(crate) fn begin_picked(&mut self, link: LinkId, held: Held) {
        let Some(adaptive) = &mut self.legs.adaptive else { unreachable!("only adaptive links pick") };
        let nanos_per_byte = adaptive.fix(link, self.now);
        let wanted = self.links[link.index()].begin_picked(self.now, held, nanos_per_byte, &mut self.store);
        if self.links[link.index()].may_have_failed() {
            self.look_for_fault(link);
        }
        wanted.into_iter().for_each(|wanted| self.schedule(link, &wanted));
    }

    /// Does with the packets that wait at a link what has been decided. Says whether it has.
    pub(crate) fn treat_waiting(&mut self, link: LinkId, fates: &[(Handle, Fate)]) -> bool {
        let is_done = self.links[link.index()].treat_waiting(fates);
        if !is_done {
            self.look_for_fault(link);
        }
        is_done
    }

    /// Notes what the queue of a link has done that it must not do.
    #[inline(never)]
    fn look_for_fault(&mut self, link: LinkId) {
        if self.fault.is_none()
            && let Some((queue, what)) = self.links[link.index()].fault()
        {
            self.fault = Some(Box::new(Fault { link, queue, what }));
        }
    }

    /// A packet comes to the far end of a link. The node there and the packet, of which the caller becomes a holder;
    /// nothing has happened if the link must be [looked at closely](Self::deliver_looking_closely).
    #[inline(always)]
    pub(crate) fn deliver(&mut self, link: LinkId) -> Option<(NodeId, Label)> {
        let state = &mut self.links[link.index()];
        if !state.is_plain() {
            return None;
        }
        let (at, label, next) = state.deliver_oldest(self.now);
        if let Some(at) = next {
            self.calendar.schedule(Entry::new(at, Kind::Delivery, link.0));
        }
        if self.trace.is_some() {
            self.trace(link, Happening::Delivered, label.packet());
        }
        Some((at, label))
    }

    /// Delivers where the packet may be lost, or the link changes: nothing if it is lost.
    #[inline(always)]
    pub(crate) fn deliver_looking_closely(&mut self, link: LinkId) -> Option<(NodeId, Label)> {
        let Delivered { at, label, lost, next } = self.links[link.index()].deliver(self.now, &self.store);
        if let Some(at) = next {
            self.calendar.schedule(Entry::new(at, Kind::Delivery, link.0));
        }
        if lost {
            self.lose(link, at, label);
            return None;
        }
        if self.trace.is_some() {
            self.trace(link, Happening::Delivered, label.packet());
        }
        Some((at, label))
    }

    /// A packet is lost at the far end of a link: its holder lets go of it, or leaves it to the witness.
    #[cold]
    pub(crate) fn lose(&mut self, link: LinkId, node: NodeId, label: Label) {
        self.store.count_loss(label.packet(), |losses| &mut losses.lost);
        if let Some(adaptive) = self.legs.adaptive.as_mut().filter(|_| label.is_garbled())
            && !self.links[link.index()].is_slotted()
        {
            adaptive.count_undecoded(link);
        }
        if let Some(trace) = &mut self.trace {
            trace.record(self.now, link, Happening::Lost, None);
        }
        match self.witnessed {
            true => self.lost = Some(Lost { link, node, label }),
            false => self.store.release(label.packet()),
        }
    }

    /// The packet in transmission on a link that may change goes on the wire, if it has left. One that goes on to legs
    /// is given to the caller, with its aim; [`end_transmission`](Self::end_transmission) must follow.
    #[cold]
    pub(crate) fn launch(&mut self, link: LinkId) -> Option<(Aim, Label)> {
        if self.links[link.index()].is_slotted() {
            self.end_slots(link);
        }
        let launched = self.links[link.index()].launch(self.now);
        if let Some(adaptive) = &mut self.legs.adaptive
            && self.links[link.index()].has_legs()
            && self.links[link.index()].is_adaptive()
            && matches!(launched, Launched::ToLegs(..) | Launched::InVain(_))
        {
            adaptive.end(link);
        }
        match launched {
            Launched::Nothing | Launched::Sent(None) => {}
            Launched::Sent(Some(at)) => self.calendar.schedule(Entry::new(at, Kind::Delivery, link.0)),
            Launched::ToLegs(aim, label) => return Some((aim, label)),
            Launched::InVain(label) => {
                self.note_unreceived(link, label);
                self.store.release(label.packet());
            }
        }
        None
    }

    /// Nobody receives a packet that has left the transmitter of a link.
    #[cold]
    pub(crate) fn note_unreceived(&mut self, link: LinkId, label: Label) {
        self.trace(link, Happening::Unreceived, label.packet());
        self.store.count_loss(label.packet(), |losses| &mut losses.down);
        let packet = self.store.get(label.packet());
        self.links[link.index()].witness(self.now, PacketAction::Unreceived, packet);
    }

    /// Brings the counters of all links up to the present.
    pub(crate) fn settle(&mut self) {
        for link in &mut self.links {
            link.settle(self.now);
        }
    }

    /// Whether every packet in the store is on as many links as it has holders; true between two events.
    pub(crate) fn hold_all_packets(&self) -> bool {
        let on_links = |link: &Link| if link.is_fixed_leg() { 0 } else { link.inside_pkts() };
        self.store.held() == self.links.iter().map(on_links).sum::<u64>() + self.legs.flights()
            && self.legs.are_counted_by(&self.links)
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

    /// Puts into the trace that a packet is handed to an endpoint.
    #[cold]
    pub(crate) fn trace_handed(&mut self, endpoint: usize, packet: Handle) {
        if let Some(trace) = &mut self.trace {
            trace.hand(self.now, endpoint, self.store.get(packet));
        }
    }
}
