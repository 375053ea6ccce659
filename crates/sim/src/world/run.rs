//! The loop: takes the first entry of the calendar, carries it out, until the end; forwards packets, drives endpoints.
//!
//! A packet-hop is one delivery: the packet leaves its link's ring, the node looks up the next link, the packet enters
//! that link's ring. Nothing on this path allocates, hashes or calls virtually.

use super::{Home, Loop, Progress, World};
use crate::calendar::{Calendar, Entry, Heap, Kind, Wheel};
use crate::counters::NoWay;
use crate::ids::{LinkId, NodeId};
use crate::probe::{EventRow, GivenUpRow, PacketAction, PacketIdentity};
use crate::store::Label;
use faircast_proto::endpoint::{Action, Event, FINISHED, Input};
use faircast_proto::packet::Address;
use faircast_proto::time::Instant;

impl Loop for World<Wheel> {
    fn advance(&mut self, end: Instant, budget: u64) -> Progress {
        self.run(end, budget)
    }
}

impl Loop for World<Heap> {
    fn advance(&mut self, end: Instant, budget: u64) -> Progress {
        self.run(end, budget)
    }
}

impl<C: Calendar> World<C> {
    /// Lets everything up to and including `end` happen, but at most `budget` events. When it pauses before the end the
    /// counters of links may lag behind: [`settle`](Self::settle) brings them up to the present. A run that goes on
    /// later gives what it would have given.
    pub fn run(&mut self, end: Instant, budget: u64) -> Progress {
        let mut done = 0;
        self.wires.calendar.set_end(end);
        while done < budget {
            let entry = self.wires.calendar.take_next();
            // Most are deliveries: asked first, they cost one comparison.
            if entry.is(Kind::Delivery) {
                self.wires.now = entry.at();
                self.deliver(LinkId(entry.entity()));
            } else if entry.is(Kind::End) {
                self.events += done;
                self.wires.now = end;
                self.settle();
                debug_assert!(self.wires.hold_all_packets(), "packets are on links and nowhere else");
                return Progress::Done;
            } else {
                self.wires.now = entry.at();
                self.carry_out_entry(entry);
            }
            done += 1;
        }
        self.events += done;
        Progress::Paused
    }

    /// What happens beside deliveries.
    #[inline(never)]
    fn carry_out_entry(&mut self, entry: Entry) {
        match entry.kind() {
            Kind::Delivery | Kind::End => unreachable!("asked for before"),
            Kind::Timer => self.timer(entry.entity()),
            Kind::Departure => self.depart(LinkId(entry.entity())),
            Kind::Hearing => self.hear(entry.entity()),
            Kind::Probe => self.probe(entry.entity()),
            Kind::Change => self.change(),
        }
    }

    /// Brings the counters and probes of all links, and the dilation of sessions, up to the present, as is done at the
    /// end of a run: to be called before results are taken from a run that ends at a pause. It changes nothing of what
    /// happens later.
    pub fn settle(&mut self) {
        self.wires.settle();
        self.multicast.settle_dilation(self.wires.now);
    }

    #[inline(always)]
    fn deliver(&mut self, link: LinkId) {
        match self.wires.deliver(link) {
            Some((node, label)) => self.come(node, link, label),
            None => self.deliver_looking_closely(link),
        }
    }

    /// The same where the packet may be lost, or the link changes.
    #[inline(never)]
    fn deliver_looking_closely(&mut self, link: LinkId) {
        match self.wires.deliver_looking_closely(link) {
            Some((node, label)) => self.come(node, link, label),
            None => self.tell_of_loss(),
        }
    }

    /// A packet has come to `node` over `link`.
    #[inline(always)]
    fn come(&mut self, node: NodeId, link: LinkId, label: Label) {
        let destination = self.wires.store.destination(label.packet());
        let index = if destination.is_group() {
            match self.lone_member(node, link, destination, label) {
                Some(member) => member,
                None => return self.deliver_to_group(node, link, destination, label),
            }
        } else {
            let index = destination.index();
            let place = self.places[index];
            if place.node != node {
                return self.forward(node, place.slot, label);
            }
            index
        };
        self.hand_packet(index, label);
        // Before the answer is sent, which then takes the same place.
        self.wires.store.release(label.packet());
        self.carry_out(index);
    }

    /// A packet has come to the far ends of legs, those of a circle that heard it.
    #[inline(never)]
    fn hear(&mut self, circle: u32) {
        let flight = self.wires.land(circle);
        for _ in 0..flight.legs {
            match self.wires.hear(circle, flight.label) {
                Some((node, leg)) => self.come(node, leg, flight.label),
                None => self.tell_of_loss(),
            }
        }
        self.wires.store.release(flight.label.packet());
    }

    /// The packet in transmission on a two-stage link has left.
    pub(crate) fn depart(&mut self, link: LinkId) {
        if self.wires.links[link.index()].may_change()
            && let Some((aim, label)) = self.wires.launch(link)
        {
            let heard = self.spread(link, aim, label);
            self.wires.end_transmission(link, label, heard);
        }
        match self.wires.links[link.index()].is_adaptive() {
            false => self.wires.start_next(link),
            true => self.start_adapted(link),
        }
    }

    /// Sends a packet on from `node` towards the host at `slot`.
    #[inline(always)]
    pub(crate) fn forward(&mut self, node: NodeId, slot: u32, label: Label) {
        let link = self.forwarding.link(node, slot);
        match label.take_hop() {
            Some(on) if self.wires.try_put(link, on) => {}
            _ => self.forward_otherwise(node, slot, link, label),
        }
    }

    /// The same where the tables name no link, or no hop is left.
    #[inline(never)]
    fn forward_otherwise(&mut self, node: NodeId, slot: u32, mut link: LinkId, label: Label) {
        if link.index() >= self.wires.links.len() {
            match self.way(node, slot) {
                Some(way) => link = way,
                None => return self.give_up(node, label, NoWay::NoRoute),
            }
        }
        // Routes are loop-free; the hop limit is there for those that change while packets are on their way.
        let Some(label) = label.take_hop() else {
            return self.give_up(node, label, NoWay::OutOfHops);
        };
        self.wires.put(link, label);
    }

    /// Counts a packet that cannot come from a node to its destination, and lets go of it.
    #[cold]
    pub(crate) fn give_up(&mut self, node: NodeId, label: Label, reason: NoWay) {
        let packet = self.wires.store.get(label.packet());
        let nobodys = self.undeliverable.len() - 1;
        *self.undeliverable[(packet.flow.0 as usize).min(nobodys)].of(reason) += 1;
        if !self.plan.packets.links.is_empty() {
            let (at, action, packet) = (self.wires.now, PacketAction::GivenUp(reason), PacketIdentity::of(packet));
            if self.plan.packets.keeps(at, action, &packet) {
                self.records.given_up.push(GivenUpRow { at, node, action, packet });
            }
        }
        self.wires.store.release(label.packet());
    }

    /// Hands an input to an endpoint, and does what it wants in return.
    pub(crate) fn hand(&mut self, index: usize, input: Input<'_>) {
        self.hosts[index].handle(self.wires.now, input, &mut self.outbox);
        self.arm(index);
        self.carry_out(index);
    }

    /// Hands a packet to an endpoint and arms its deadline; [`carry_out`](Self::carry_out) must follow.
    #[inline(always)]
    pub(crate) fn hand_packet(&mut self, index: usize, label: Label) {
        if self.wires.trace.is_some() {
            self.wires.trace_handed(index, label.packet());
        }
        if self.playout.is_some() {
            self.play(index, label);
        }
        let (packet, control) = self.wires.store.arrived(label);
        let (host, now) = (&mut self.hosts[index], self.wires.now);
        if let Some(at) = host.hand_packet(now, packet, control, &mut self.outbox) {
            self.wires.calendar.schedule(Entry::new(at, Kind::Timer, index as u32));
        }
    }

    /// What follows every input when the deadline is armed: carry out the outbox.
    #[inline(always)]
    pub(crate) fn carry_out(&mut self, index: usize) {
        if !self.outbox.actions().is_empty() {
            self.carry_out_actions(index);
        }
    }

    fn carry_out_actions(&mut self, index: usize) {
        let node = self.hosts[index].node;
        let mut next = 0;
        while let Some(action) = self.outbox.actions().get(next) {
            next += 1;
            match action {
                Action::Send(packet) => {
                    let destination = packet.destination;
                    if !packet.is_data() {
                        self.messages_sent[index].count(packet.size);
                    }
                    let label = self.wires.store.insert(packet);
                    if self.playout.is_some() {
                        let packet = *packet;
                        self.mark_piece(index, &packet, label);
                    }
                    self.send_from(node, index as u32, destination, label);
                }
                Action::SendControl(packet, control) => {
                    let destination = packet.destination;
                    if !packet.is_data() {
                        self.messages_sent[index].count(packet.size);
                    }
                    let label = self.wires.store.insert_with(packet, control.clone());
                    if self.playout.is_some() {
                        let packet = *packet;
                        self.mark_piece(index, &packet, label);
                    }
                    self.send_from(node, index as u32, destination, label);
                }
                &Action::Join(group) => self.change_membership(node, index as u32, group, true),
                &Action::Leave(group) => self.change_membership(node, index as u32, group, false),
                &Action::Event(event) => self.take_event(index, event),
            }
        }
        self.outbox.clear();
        if self.multicast.has_to_speak() {
            self.speak();
        }
        if !self.local.is_empty() {
            self.hand_to_neighbours();
        }
    }

    /// Sends what the endpoint `sender` on `node` wants sent.
    #[inline(always)]
    fn send_from(&mut self, node: NodeId, sender: u32, destination: Address, label: Label) {
        if destination.is_group() {
            self.send_to_group(node, sender, destination, label);
        } else {
            self.send_to_host(node, destination, label);
        }
    }

    /// Sends a packet on its way to an endpoint, if there is one at its destination.
    #[inline(always)]
    pub(crate) fn send_to_host(&mut self, node: NodeId, destination: Address, label: Label) {
        match self.places.get(destination.index()) {
            Some(&Home { slot, .. }) => self.forward(node, slot, label),
            None => self.give_up(node, label, NoWay::NoRoute),
        }
    }

    fn take_event(&mut self, index: usize, event: Event) {
        let (at, flow) = (self.wires.now, self.hosts[index].flow);
        if event.is(FINISHED) {
            match self.flows.get_mut(flow.0 as usize) {
                Some(ends) => {
                    ends.finished = Some(at);
                    self.end_playout(index);
                }
                None => self.finish_visit(flow),
            }
        }
        // Of those who come and go there may be millions.
        if self.plan.events && (flow.0 as usize) < self.flows.len() {
            self.records.events.push(EventRow { at, endpoint: index as u32, flow, event });
        }
    }

    fn timer(&mut self, index: u32) {
        let (now, index) = (self.wires.now, index as usize);
        let agenda = self.wires.first_port as usize - 1;
        if index >= agenda {
            return match index - agenda {
                0 => self.run_agenda(),
                other => match (other - 1).checked_sub(self.ports.len()) {
                    None => self.router_timer(other as u32 - 1),
                    Some(pool) if pool < self.pools.len() => self.pool_timer(pool),
                    Some(pool) => self.wires.begin_superframe(pool - self.pools.len(), index as u32),
                },
            };
        }
        if !self.hosts[index].take_timer(now) {
            return;
        }
        if self.hosts[index].take_start(now) {
            self.presence[index].start(now);
            self.begin_playout(index);
            self.hand(index, Input::Start);
        }
        if self.hosts[index].take_stop(now) {
            self.hand(index, Input::Stop);
            self.presence[index].stop(now);
            self.end_playout(index);
        }
        if self.hosts[index].is_due(now) {
            self.hand(index, Input::Timeout);
        } else {
            self.arm(index);
        }
    }

    #[inline(always)]
    pub(crate) fn arm(&mut self, index: usize) {
        if let Some(at) = self.hosts[index].rearm(self.wires.now) {
            self.wires.calendar.schedule(Entry::new(at, Kind::Timer, index as u32));
        }
    }
}
