//! The engine: takes the first entry of the calendar, carries it out, until the end.
//!
//! A packet-hop is one delivery: the packet leaves its link's ring, the node looks up the next link, the packet enters
//! that link's ring. Nothing on this path allocates, hashes or calls virtually.

use crate::calendar::{Calendar, Entry, Kind};
use crate::counters::{FlowLosses, GroupCounters, MessageCounters, NoWay, Undeliverable};
use crate::epoch::Changes;
use crate::flow::Flow;
use crate::forwarding::Forwarding;
use crate::host::Host;
use crate::ids::{LinkId, NodeId};
use crate::link::Link;
use crate::link_losses::Witnesses;
use crate::multicast::{DilationSpan, Message, Multicast};
use crate::paths::Watched;
use crate::presence::Presence;
use crate::probe::{EventRow, GivenUpRow, GroupRow, LinkRow, PacketAction, PacketIdentity, PacketRow, ProbePlan};
use crate::probe::{QueueRow, ReceiverRow, Records, SenderRow};
use crate::store::Label;
use crate::wires::Wires;
use faircast_proto::endpoint::{Action, Event, FINISHED, Gauge, Input, Outbox, Report};
use faircast_proto::packet::{Address, FlowId};
use faircast_proto::time::{Duration, Instant};

/// A network that runs.
pub struct World<C> {
    pub(crate) wires: Wires<C>,
    /// Where each endpoint lives, by address.
    pub(crate) places: Vec<Place>,
    pub(crate) forwarding: Forwarding,
    pub(crate) hosts: Vec<Host>,
    pub(crate) flows: Vec<Flow>,
    /// The receivers of all flows, flow by flow.
    pub(crate) receivers: Vec<Address>,
    pub(crate) outbox: Outbox,
    pub(crate) plan: ProbePlan,
    pub(crate) records: Records,
    pub(crate) events: u64,
    /// By flow; the last is for packets that name no flow.
    pub(crate) undeliverable: Vec<Undeliverable>,
    /// By endpoint.
    pub(crate) presence: Vec<Presence>,
    /// By endpoint: what it has sent that carries no data.
    pub(crate) messages_sent: Vec<MessageCounters>,
    pub(crate) multicast: Multicast,
    /// Control packets to be sent, filled and emptied within one event.
    pub(crate) messages: Vec<Message>,
    /// The links at whose beginning a router agent is, by its number.
    pub(crate) ports: Vec<LinkId>,
    /// Packets for members on the sender's own node, to be handed in when its outbox is empty.
    pub(crate) local: Vec<(u32, Label)>,
    /// When the calendar has an entry for the agenda of [`Multicast`].
    pub(crate) agenda_armed: Instant,
    /// What is to change; `None` if nothing ever does.
    pub(crate) changes: Option<Box<Changes>>,
    /// The ways that are watched.
    pub(crate) paths: Vec<Watched>,
    /// Who wants to know what links lose.
    pub(crate) witnesses: Option<Box<Witnesses>>,
}

/// Where an endpoint lives: its node, and the node's slot in the forwarding tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) node: NodeId,
    pub(crate) slot: u32,
}

/// Whether a run has come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Everything up to the asked time has happened.
    Done,
    /// The budget of events is used up, or somebody did not want it to go on.
    Paused,
}

impl<C: Calendar> World<C> {
    /// Lets everything up to and including `end` happen, but at most `budget` events. When it pauses before the end the
    /// counters of links may lag behind: [`settle`](Self::settle) brings them up to the present.
    pub fn run(&mut self, end: Instant, budget: u64) -> Progress {
        let mut asked = 0;
        self.run_while(end, |_| {
            asked += 1;
            asked <= budget
        })
    }

    /// Lets everything up to and including `end` happen, as long as `go_on` agrees, which is asked before every event
    /// with the present moment; it should be quick. A run that goes on later gives what it would have given.
    pub fn run_while(&mut self, end: Instant, mut go_on: impl FnMut(Instant) -> bool) -> Progress {
        let mut done = 0;
        while go_on(self.wires.now) {
            let Some(entry) = self.wires.calendar.pop_until(end) else {
                self.events += done;
                self.wires.now = end;
                self.settle();
                debug_assert!(self.wires.hold_all_packets(), "packets are on links and nowhere else");
                return Progress::Done;
            };
            self.wires.now = entry.at();
            match entry.kind() {
                Kind::Delivery => self.deliver(LinkId(entry.entity())),
                Kind::Timer => self.timer(entry.entity()),
                Kind::Departure => self.depart(LinkId(entry.entity())),
                Kind::Hearing => self.hear(entry.entity()),
                Kind::Probe => self.probe(entry.entity()),
                Kind::Change => self.change(),
            }
            done += 1;
        }
        self.events += done;
        Progress::Paused
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
            None => self.tell_of_loss(),
        }
    }

    /// A packet has come to `node` over `link`.
    #[inline(always)]
    fn come(&mut self, node: NodeId, link: LinkId, label: Label) {
        let destination = self.wires.store.destination(label.packet);
        if destination.is_group() {
            return self.deliver_to_group(node, link, destination, label);
        }
        let index = destination.index();
        let place = self.places[index];
        if place.node == node {
            self.hand_packet(index, label);
            // Before the answer is sent, which then takes the same place.
            self.wires.store.release(label.packet);
            self.carry_out(index);
        } else {
            self.forward(node, place.slot, label);
        }
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
        self.wires.store.release(flight.label.packet);
    }

    /// The packet in transmission on a two-stage link has left.
    pub(crate) fn depart(&mut self, link: LinkId) {
        if self.wires.links[link.index()].may_change()
            && let Some((aim, label)) = self.wires.launch(link)
        {
            let heard = self.spread(link, aim, label);
            self.wires.end_transmission(link, label, heard);
        }
        self.wires.start_next(link);
    }

    /// Sends a packet on from `node` towards the host at `slot`.
    #[inline(always)]
    pub(crate) fn forward(&mut self, node: NodeId, slot: u32, label: Label) {
        let mut link = self.forwarding.link(node, slot);
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
        let packet = self.wires.store.get(label.packet);
        let nobodys = self.undeliverable.len() - 1;
        *self.undeliverable[(packet.flow.0 as usize).min(nobodys)].of(reason) += 1;
        if !self.plan.packets.links.is_empty() {
            let (at, action, packet) = (self.wires.now, PacketAction::GivenUp(reason), PacketIdentity::of(packet));
            if self.plan.packets.keeps(at, action, &packet) {
                self.records.given_up.push(GivenUpRow { at, node, action, packet });
            }
        }
        self.wires.store.release(label.packet);
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
        let (packet, control) = self.wires.store.arrived(label);
        let (host, now) = (&mut self.hosts[index], self.wires.now);
        host.handle(now, Input::Packet(packet, control), &mut self.outbox);
        if let Some(at) = host.rearm(now) {
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
                    self.send_from(node, index as u32, destination, label);
                }
                Action::SendControl(packet, control) => {
                    let destination = packet.destination;
                    if !packet.is_data() {
                        self.messages_sent[index].count(packet.size);
                    }
                    let label = self.wires.store.insert_with(packet, control.clone());
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
            Some(&Place { slot, .. }) => self.forward(node, slot, label),
            None => self.give_up(node, label, NoWay::NoRoute),
        }
    }

    fn take_event(&mut self, index: usize, event: Event) {
        let (at, flow) = (self.wires.now, self.hosts[index].flow);
        if event.is(FINISHED)
            && let Some(ends) = self.flows.get_mut(flow.0 as usize)
        {
            ends.finished = Some(at);
        }
        if self.plan.events {
            self.records.events.push(EventRow { at, endpoint: index as u32, flow, event });
        }
    }

    fn timer(&mut self, index: u32) {
        let (now, index) = (self.wires.now, index as usize);
        if index >= self.hosts.len() {
            return match index - self.hosts.len() {
                0 => self.run_agenda(),
                router => self.router_timer(router as u32 - 1),
            };
        }
        if !self.hosts[index].take_timer(now) {
            return;
        }
        if self.hosts[index].take_start(now) {
            self.presence[index].start(now);
            self.hand(index, Input::Start);
        }
        if self.hosts[index].take_stop(now) {
            self.hand(index, Input::Stop);
            self.presence[index].stop(now);
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

/// Probes: entity 0 ends the warm-up, 1 writes flow and link rows, 2 queue rows, 3 path rows.
impl<C: Calendar> World<C> {
    const WARMUP: u32 = 0;
    const INTERVAL: u32 = 1;
    const QUEUE_INTERVAL: u32 = 2;
    const PATHS: u32 = 3;

    pub(crate) fn schedule_probes(&mut self) {
        if self.plan.warmup == Instant::ZERO {
            // A probe looks when everything of its moment has happened, and nothing of time zero is warm-up.
            self.end_warmup();
        } else {
            self.wires.calendar.schedule(Entry::new(self.plan.warmup, Kind::Probe, Self::WARMUP));
        }
        if self.plan.flows || self.plan.links {
            let first = Instant::ZERO + self.plan.interval;
            self.wires.calendar.schedule(Entry::new(first, Kind::Probe, Self::INTERVAL));
        }
        if !self.plan.queues.is_empty() {
            self.wires.calendar.schedule(Entry::new(Instant::ZERO, Kind::Probe, Self::QUEUE_INTERVAL));
        }
        if !self.paths.is_empty() {
            self.wires.calendar.schedule(Entry::new(Instant::ZERO, Kind::Probe, Self::PATHS));
        }
    }

    #[cold]
    fn probe(&mut self, probe: u32) {
        match probe {
            Self::WARMUP => self.end_warmup(),
            Self::INTERVAL => {
                if self.plan.flows {
                    self.record_flows();
                }
                if self.plan.links {
                    self.record_links();
                }
                self.wires.calendar.schedule(Entry::new(self.wires.now + self.plan.interval, Kind::Probe, probe));
            }
            Self::PATHS => {
                self.sample_paths();
                self.wires.calendar.schedule(Entry::new(self.wires.now + self.plan.interval, Kind::Probe, probe));
            }
            _ => {
                self.record_queues();
                self.wires.calendar.schedule(Entry::new(self.wires.now + self.plan.queue_interval, Kind::Probe, probe));
            }
        }
    }

    fn end_warmup(&mut self) {
        let now = self.wires.now;
        for link in &mut self.wires.links {
            link.settle(now);
            if let Some(probe) = link.probe_mut() {
                probe.restart(now);
            }
        }
        self.records.links_at_warmup = self.wires.links.iter().map(|link| *link.counters()).collect();
        self.records.undeliverable_at_warmup = self.undeliverable.clone();
        self.records.losses_at_warmup = self.wires.store.losses().to_vec();
        self.records.senders_at_warmup = (0..self.flows.len()).map(|flow| self.sender(flow)).collect();
        self.records.receivers_at_warmup = self.receivers.iter().map(|&address| self.report(address)).collect();
        self.records.sender_gauges_at_warmup =
            (0..self.flows.len()).map(|flow| self.record_gauges(self.flows[flow].sender)).collect();
        self.records.receiver_gauges_at_warmup =
            (0..self.receivers.len()).map(|receiver| self.record_gauges(self.receivers[receiver])).collect();
        self.records.presence_at_warmup = (0..self.receivers.len()).map(|receiver| self.presence(receiver)).collect();
        self.records.held_at_warmup = (0..self.receivers.len()).map(|receiver| self.held(receiver)).collect();
        let changes = (0..self.receivers.len()).map(|receiver| self.membership_changes(receiver));
        self.records.membership_changes_at_warmup = changes.collect();
        self.records.messages_at_warmup.clone_from(&self.messages_sent);
        self.records.membership_messages_at_warmup = self.multicast.messages().collect();
        self.multicast.settle_dilation(now);
        self.multicast.restart_dilation(DilationSpan::Late);
    }

    fn record_flows(&mut self) {
        let at = self.wires.now;
        for flow in 0..self.flows.len() {
            let (report, gauges) = (self.sender(flow), self.record_gauges(self.flows[flow].sender));
            self.records.senders.push(SenderRow { at, flow: FlowId(flow as u32), report, gauges });
        }
        for receiver in 0..self.receivers.len() {
            let address = self.receivers[receiver];
            let (report, gauges) = (self.report(address), self.record_gauges(address));
            let (present, held, level) = (self.presence(receiver), self.held(receiver), self.level(receiver));
            let changes = self.membership_changes(receiver);
            let receiver = receiver as u32;
            self.records.receivers.push(ReceiverRow { at, receiver, level, present, held, changes, report, gauges });
        }
        for (group, usage) in (0..).zip(self.multicast.usage()) {
            self.records.groups.push(GroupRow { at, group, counters: usage.until(at) });
        }
    }

    /// Records the gauges of an endpoint; returns where they are in [`Records::gauges`].
    fn record_gauges(&mut self, address: Address) -> usize {
        let (host, values) = (&self.hosts[address.index()], &mut self.records.gauges);
        let start = values.len();
        values.resize(start + host.gauges().len(), f64::NAN);
        host.measure(&mut values[start..]);
        start
    }

    fn record_links(&mut self) {
        for (link, state) in (0..).map(LinkId).zip(&mut self.wires.links) {
            state.settle(self.wires.now);
            self.records.links.push(LinkRow { at: self.wires.now, link, counters: *state.counters() });
        }
        self.record_dilation();
        self.record_routers();
    }

    fn record_queues(&mut self) {
        for &link in &self.plan.queues {
            let state = &mut self.wires.links[link.index()];
            state.settle(self.wires.now);
            self.records.queues.push(QueueRow {
                at: self.wires.now,
                link,
                waiting_pkts: state.waiting_pkts(),
                average_pkts: state.average_pkts().unwrap_or(f64::NAN),
            });
        }
    }
}

impl<C> World<C> {
    /// The present moment.
    pub fn now(&self) -> Instant {
        self.wires.now
    }

    /// The links, in the order in which they were added.
    pub fn links(&self) -> &[Link] {
        &self.wires.links
    }

    /// The flows, in the order in which they were added.
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// Report of the sender of a flow.
    pub fn sender(&self, flow: usize) -> Report {
        self.report(self.flows[flow].sender)
    }

    /// Report of one of the receivers of a flow.
    pub fn receiver(&self, flow: usize, receiver: usize) -> Report {
        self.report(self.receivers[self.flows[flow].receivers.clone()][receiver])
    }

    /// The receivers of all flows, flow by flow.
    pub fn receivers(&self) -> &[Address] {
        &self.receivers
    }

    /// The session of a group, by its flow, and the group's number in it; `None` for a group that no session owns.
    pub fn session_of(&self, group: Address) -> Option<(FlowId, u32)> {
        let (session, number) = self.multicast.place(group.index())?;
        Some((self.multicast.session(session).flow(), number))
    }

    /// How long one of the [`receivers`](Self::receivers) of all flows has been present until now: since its start,
    /// until it stops or, in a session, has left the last of its groups, which may be later; who joins again is present
    /// again. Exact to the nanosecond. What receivers got divided by how long they were present is a rate over present
    /// members.
    pub fn presence(&self, receiver: usize) -> Duration {
        self.presence[self.receivers[receiver].index()].until(self.now())
    }

    /// How many layers one of the [`receivers`](Self::receivers) of all flows holds: of the groups of its session that
    /// it has joined those that are layers. 0 for the receiver of a flow between two endpoints.
    pub fn level(&self, receiver: usize) -> u8 {
        self.presence[self.receivers[receiver].index()].level()
    }

    /// How long one of the [`receivers`](Self::receivers) of all flows has held layers until now, all of them together:
    /// the integral of its [`level`](Self::level) over time, exact to the nanosecond. Divided by its
    /// [`presence`](Self::presence) it is its mean level.
    pub fn held(&self, receiver: usize) -> Duration {
        self.presence[self.receivers[receiver].index()].held(self.now())
    }

    /// What the group at an address has been used for until now; `None` for a group that no session owns.
    pub fn group(&self, group: Address) -> Option<GroupCounters> {
        self.multicast.place(group.index())?;
        Some(self.multicast.usage()[group.index()].until(self.now()))
    }

    /// What the endpoint at an address shows beside its report.
    pub fn gauges(&self, address: Address) -> &'static [Gauge] {
        self.hosts[address.index()].gauges()
    }

    /// The present values of the [`gauges`](Self::gauges) of the endpoint at an address.
    pub fn measure(&self, address: Address) -> Vec<f64> {
        let host = &self.hosts[address.index()];
        let mut values = vec![f64::NAN; host.gauges().len()];
        host.measure(&mut values);
        values
    }

    fn report(&self, address: Address) -> Report {
        self.hosts[address.index()].report()
    }

    /// What the probes have written.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// Takes what the probes have written out of the run, which keeps nothing of it.
    pub fn take_records(&mut self) -> Records {
        std::mem::take(&mut self.records)
    }

    /// Takes what happened to packets out of the run, link by link where that was asked for.
    pub fn take_packet_rows(&mut self) -> Vec<(LinkId, Vec<PacketRow>)> {
        let mut taken = Vec::new();
        for (id, link) in (0..).map(LinkId).zip(&mut self.wires.links) {
            if let Some(rows) = link.probe_mut().and_then(|probe| probe.take_rows()) {
                taken.push((id, rows));
            }
        }
        taken
    }

    /// Calendar entries carried out.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// The packets that the network gave up since the start of the run, by reason: one entry for each of the
    /// [`flows`](Self::flows), in their order, and a last one for packets that name none of them. What queues drop and
    /// wires lose is in the counters of links. In networks whose routes stay as they were built all are zero, unless
    /// an endpoint misaddresses a packet: ways longer than [`MAX_HOPS`](crate::routing::MAX_HOPS) are not built.
    pub fn undeliverable(&self) -> &[Undeliverable] {
        &self.undeliverable
    }

    /// The packets that did not come through since the start of the run, by reason: one entry for each of the
    /// [`flows`](Self::flows), and a last one for packets that name none of them. The sums over all entries are those
    /// of the counters of links.
    pub fn losses(&self) -> &[FlowLosses] {
        self.wires.store.losses()
    }

    /// The link of which a link is a leg, if it is one.
    pub fn carrier(&self, link: LinkId) -> Option<LinkId> {
        self.wires.legs.carrier(link)
    }

    /// Packets that have come to the far end of a link or were lost there.
    pub fn packet_hops(&self) -> u64 {
        let ends = self.wires.links.iter().filter(|link| !link.has_legs());
        ends.map(|link| link.counters().delivered + link.counters().lost).sum()
    }

    /// Hash of everything that happened and the number of records behind it, if the plan asked for it.
    pub fn digest(&self) -> Option<(u64, u64)> {
        self.wires.trace.as_ref().map(|trace| trace.digest())
    }
}
