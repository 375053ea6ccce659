//! Transmissions in slots of a return channel ([`return_channel`](crate::return_channel)).

use super::Wires;
use crate::calendar::{Calendar, Entry, Kind};
use crate::ids::LinkId;
use crate::queue::Held;
use crate::return_channel::{Outcome, Turn};
use faircast_proto::time::Instant;

impl<C: Calendar> Wires<C> {
    /// A terminal of a return channel may have a packet for a slot, or may begin to wait for one.
    #[cold]
    pub(crate) fn start_in_slots(&mut self, link: LinkId) {
        let (now, state) = (self.now, &mut self.links[link.index()]);
        let Some(returns) = &mut self.returns else { unreachable!("it sends in slots") };
        if state.is_sending(now) {
            return;
        }
        if let Some(at) = returns.next_slot(link, now) {
            return self.start_without_asking(link, at);
        }
        if state.backlog().0 == 0 {
            return state.set_asked(false);
        }
        let turn = returns.turn(link, now, || state.waits_since(now));
        state.set_asked(turn != Turn::Now);
        match turn {
            Turn::Now => {}
            Turn::At(at) => return self.calendar.schedule(Entry::new(at, Kind::Departure, link.0)),
            // When a superframe begins.
            Turn::Later => return,
        }
        let Some(held) = self.pick(link) else { return };
        let state = &mut self.links[link.index()];
        let bytes = u32::from(state.header_bytes()) + u32::from(held.label.size());
        let Some(returns) = &mut self.returns else { unreachable!("it sends in slots") };
        let departure = returns.fill(link, now, held.since, bytes);
        self.begin_in_slots(link, held, departure);
    }

    /// The same of a terminal that sends without asking. It sends in the slot that begins at `at`, or waits for that.
    fn start_without_asking(&mut self, link: LinkId, at: Instant) {
        let (now, state) = (self.now, &mut self.links[link.index()]);
        let again = state.next_again().filter(|_| state.is_up());
        let is_due = again.is_some_and(|due| due <= at);
        if !is_due && state.backlog().0 == 0 {
            state.set_asked(false);
            // A packet that comes until then asks.
            return again.into_iter().for_each(|due| self.calendar.schedule(Entry::new(due, Kind::Departure, link.0)));
        }
        if at > now {
            state.set_asked(true);
            return self.calendar.schedule(Entry::new(at, Kind::Departure, link.0));
        }
        let held = match is_due {
            true => state.take_again(),
            false => {
                state.begin_anew();
                self.pick(link)
            }
        };
        let Some(held) = held else { return };
        let state = &mut self.links[link.index()];
        let bytes = u32::from(state.header_bytes()) + u32::from(held.label.size());
        let Some(returns) = &mut self.returns else { unreachable!("it sends in slots") };
        let departure = returns.begin_burst(link, now, bytes);
        self.begin_in_slots(link, held, departure);
    }

    fn begin_in_slots(&mut self, link: LinkId, held: Held, departure: Option<Instant>) {
        let state = &mut self.links[link.index()];
        let wanted = state.begin_in_slots(self.now, held, departure, &mut self.store);
        if state.may_have_failed() {
            self.look_for_fault(link);
        }
        wanted.into_iter().for_each(|wanted| self.schedule(link, &wanted));
    }

    /// The last slot of a packet may have ended: if it has met another one, that is known now.
    #[cold]
    pub(crate) fn end_slots(&mut self, link: LinkId) {
        let (now, state) = (self.now, &mut self.links[link.index()]);
        let (Some(returns), Some(again)) = (&mut self.returns, state.ending(now)) else { return };
        match returns.end_burst(link, now, again) {
            Outcome::Sent => {}
            Outcome::Again(at) => state.defer(at),
            Outcome::Lost => state.garble(),
        }
    }

    /// A superframe of a return channel begins: its terminals ask, and send in what was assigned to them.
    #[cold]
    pub(crate) fn begin_superframe(&mut self, channel: usize, entity: u32) {
        let Some(mut returns) = self.returns.take() else { return };
        for place in 0..returns.terminals(channel) {
            let demand = self.links[returns.link(channel, place).index()].demand();
            returns.ask(channel, place, demand);
        }
        let next = returns.begin_superframe(channel);
        self.calendar.schedule(Entry::new(next, Kind::Timer, entity));
        for place in 0..returns.terminals(channel) {
            let link = returns.link(channel, place);
            if let Some(at) = returns.go_on(link) {
                self.links[link.index()].end_at(at);
                self.calendar.schedule(Entry::new(at, Kind::Departure, link.0));
            }
        }
        let terminals = returns.terminals(channel);
        self.returns = Some(returns);
        for place in 0..terminals {
            let Some(returns) = &self.returns else { return };
            let link = returns.link(channel, place);
            if returns.has_slots(link) {
                self.start_in_slots(link);
            }
        }
    }
}
