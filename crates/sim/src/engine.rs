//! The engine: takes the first entry of the calendar, carries it out, until the end.
//!
//! A packet-hop is one delivery: the packet leaves its link's ring, the node looks up the next link, the packet enters
//! that link's ring. Nothing on this path allocates, hashes or calls virtually.

use crate::agent::Agent;
use crate::calendar::{Calendar, Entry, Kind};
use crate::link::{Link, Wanted};
use crate::multicast::{CONTROL_BYTES, Message, Multicast};
use crate::network::Flow;
use crate::probe::{EventRow, LinkRow, ProbePlan, QueueRow, ReceiverRow, Records, SenderRow};
use crate::queue::Verdict;
use crate::trace::{Happening, Trace};
use faircast_proto::endpoint::{Action, Endpoint, Input, Outbox, Report};
use faircast_proto::packet::{Address, Ecn, FlowId, Header, Packet};
use faircast_proto::time::{Duration, Instant};

/// What stands in a packet's place before it is taken out of its ring.
const NO_PACKET: Packet = Packet {
    sent: Instant::ZERO,
    flow: FlowId(0),
    source: Address::endpoint(0),
    destination: Address::endpoint(0),
    size: 0,
    ttl: 0,
    ecn: Ecn::NotCapable,
    header: Header::Datagram { sequence: 0 },
};

/// A network that runs.
pub struct World<C> {
    pub(crate) now: Instant,
    pub(crate) calendar: C,
    pub(crate) links: Vec<Link>,
    pub(crate) nodes: Vec<Node>,
    /// Where each endpoint lives, by address.
    pub(crate) places: Vec<Place>,
    /// Next links of the routers: rows of destination slots.
    pub(crate) table: Vec<u32>,
    pub(crate) hosts: Vec<Host>,
    pub(crate) flows: Vec<Flow>,
    /// The receivers of all flows, flow by flow.
    pub(crate) receivers: Vec<Address>,
    pub(crate) outbox: Outbox,
    pub(crate) trace: Option<Box<Trace>>,
    pub(crate) plan: ProbePlan,
    pub(crate) records: Records,
    pub(crate) events: u64,
    pub(crate) unroutable: u64,
    pub(crate) multicast: Multicast,
    /// Control packets to be sent, filled and emptied within one event.
    pub(crate) messages: Vec<Message>,
    /// Packets for members on the sender's own node, to be handed in when its outbox is empty.
    pub(crate) local: Vec<(u32, Packet)>,
    /// When the calendar has an entry for the agenda of [`Multicast`].
    pub(crate) agenda_armed: Instant,
}

/// How a node forwards.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node {
    /// One way out: everything takes it.
    Leaf { link: u32 },
    /// The next link stands in the table, in the row that begins at `row`.
    Router { row: u32 },
}

/// Where an endpoint lives: its node, and the node's column in the routing table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) node: u32,
    pub(crate) slot: u32,
}

/// An endpoint with what its driver keeps for it.
pub(crate) struct Host {
    agent: Agent,
    /// The host's clock is this much ahead of the simulator's.
    offset: Duration,
    /// When the next timer entry comes that is heeded.
    armed: Instant,
    /// A later entry that is in the calendar already: re-arming to an earlier time and back costs one entry, not two.
    armed_later: Instant,
    node: u32,
    flow: FlowId,
    start: Instant,
    stop: Instant,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Waiting,
    Running,
    Stopped,
}

/// Whether a run has come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Everything up to the asked time has happened.
    Done,
    /// The budget of events is used up.
    Paused,
}

impl<C: Calendar> World<C> {
    /// Lets everything up to and including `end` happen, but at most `budget` events.
    pub fn run(&mut self, end: Instant, budget: u64) -> Progress {
        for done in 0..budget {
            let Some(entry) = self.calendar.pop_until(end) else {
                self.events += done;
                self.now = end;
                for link in &mut self.links {
                    link.settle(end);
                }
                return Progress::Done;
            };
            self.now = entry.at();
            match entry.kind() {
                Kind::Delivery => self.deliver(entry.entity()),
                Kind::Timer => self.timer(entry.entity()),
                Kind::Departure => self.depart(entry.entity()),
                Kind::Probe => self.probe(entry.entity()),
            }
        }
        self.events += budget;
        Progress::Paused
    }

    #[inline]
    fn deliver(&mut self, link: u32) {
        let now = self.now;
        let mut packet = NO_PACKET;
        let state = &mut self.links[link as usize];
        let node = state.to;
        let (arrives, next) = state.deliver(now, &mut packet);
        if let Some(at) = next {
            self.calendar.schedule(Entry::new(at, Kind::Delivery, link));
        }
        if self.trace.is_some() {
            self.trace_delivery(link, arrives.then_some(&packet));
        }
        if !arrives {
            return;
        }
        if packet.destination.is_group() {
            return self.deliver_to_group(node, link, &packet);
        }
        let place = self.places[packet.destination.index()];
        if place.node == node {
            self.hand(packet.destination.index(), Input::Packet(&packet));
        } else {
            self.forward(node, place.slot, &mut packet);
        }
    }

    fn depart(&mut self, link: u32) {
        if let Some(wanted) = self.links[link as usize].depart(self.now) {
            self.schedule(link, &wanted);
        }
    }

    /// Sends a packet on from `node` towards the node whose column of the routing table is `slot`.
    #[inline]
    fn forward(&mut self, node: u32, slot: u32, packet: &mut Packet) {
        let link = match self.nodes[node as usize] {
            Node::Leaf { link } => link,
            Node::Router { row } => self.table[(row + slot) as usize],
        };
        // Routes are loop-free; the hop limit is there for those that change while packets are on their way.
        if link as usize >= self.links.len() || packet.ttl == 0 {
            self.unroutable += 1;
            return;
        }
        packet.ttl -= 1;
        self.put(link, packet);
    }

    /// A packet comes to a link.
    #[inline]
    fn put(&mut self, link: u32, packet: &Packet) {
        let delivery = match self.links[link as usize].admit(self.now, packet) {
            Some(delivery) if self.trace.is_none() => delivery,
            Some(delivery) => {
                self.trace_arrival(link, packet, Verdict::Accept);
                delivery
            }
            None => return self.consider(link, packet),
        };
        if let Some(at) = delivery {
            self.calendar.schedule(Entry::new(at, Kind::Delivery, link));
        }
    }

    /// A packet comes to a link whose queue must be asked.
    #[inline(never)]
    fn consider(&mut self, link: u32, packet: &Packet) {
        let wanted = self.links[link as usize].arrive(self.now, packet);
        if self.trace.is_some() {
            self.trace_arrival(link, packet, wanted.verdict);
        }
        self.schedule(link, &wanted);
    }

    #[inline]
    fn schedule(&mut self, link: u32, wanted: &Wanted) {
        if let Some(at) = wanted.delivery {
            self.calendar.schedule(Entry::new(at, Kind::Delivery, link));
        }
        if let Some(at) = wanted.departure {
            self.calendar.schedule(Entry::new(at, Kind::Departure, link));
        }
    }

    /// The driver's three steps: handle the input, carry out the outbox, arm the deadline.
    #[inline]
    fn hand(&mut self, index: usize, input: Input<'_>) {
        let host = &mut self.hosts[index];
        host.agent.handle(Instant(self.now.0 + host.offset.0), input, &mut self.outbox);
        let node = host.node;
        if let Some(at) = host.rearm(self.now) {
            self.calendar.schedule(Entry::new(at, Kind::Timer, index as u32));
        }
        let mut next = 0;
        while let Some(action) = self.outbox.actions().get(next) {
            next += 1;
            match action {
                Action::Send(packet) if packet.destination.is_group() => {
                    let packet = *packet;
                    self.send_to_group(node, index as u32, &packet);
                }
                Action::Send(packet) => {
                    let mut packet = *packet;
                    let slot = self.places[packet.destination.index()].slot;
                    self.forward(node, slot, &mut packet);
                }
                &Action::Join(group) => self.change_membership(node, index as u32, group, true),
                &Action::Leave(group) => self.change_membership(node, index as u32, group, false),
                Action::Event(event) if self.plan.events => {
                    let (at, flow) = (self.now, self.hosts[index].flow);
                    self.records.events.push(EventRow { at, endpoint: index as u32, flow, event: *event });
                }
                Action::Event(_) => {}
            }
        }
        self.outbox.clear();
        if !self.local.is_empty() {
            for (endpoint, packet) in std::mem::take(&mut self.local) {
                self.hand(endpoint as usize, Input::Packet(&packet));
            }
        }
    }

    fn timer(&mut self, index: u32) {
        if index as usize == self.hosts.len() {
            return self.run_agenda();
        }
        let host = &mut self.hosts[index as usize];
        if host.armed != self.now {
            return;
        }
        host.armed = std::mem::replace(&mut host.armed_later, Instant::FAR_FUTURE);
        if host.phase == Phase::Waiting && host.start <= self.now {
            host.phase = Phase::Running;
            self.hand(index as usize, Input::Start);
        }
        let host = &mut self.hosts[index as usize];
        if host.phase != Phase::Stopped && host.stop <= self.now {
            host.phase = Phase::Stopped;
            self.hand(index as usize, Input::Stop);
        }
        let host = &mut self.hosts[index as usize];
        let due = host.agent.deadline().is_some_and(|deadline| deadline <= self.now + host.offset);
        if due {
            self.hand(index as usize, Input::Timeout);
        } else if let Some(at) = host.rearm(self.now) {
            self.calendar.schedule(Entry::new(at, Kind::Timer, index));
        }
    }

    #[cold]
    fn trace_delivery(&mut self, link: u32, packet: Option<&Packet>) {
        if let Some(trace) = &mut self.trace {
            let what = if packet.is_some() { Happening::Delivered } else { Happening::Lost };
            trace.record(self.now, link, what, packet);
        }
    }

    #[cold]
    fn trace_arrival(&mut self, link: u32, packet: &Packet, verdict: Verdict) {
        if let Some(trace) = &mut self.trace {
            let what = match verdict {
                Verdict::Drop(_) => Happening::Dropped,
                Verdict::Mark(_) => Happening::Marked,
                Verdict::Accept => Happening::Accepted,
            };
            trace.record(self.now, link, what, Some(packet));
        }
    }
}

/// Multicast: copies down the tree, and the messages that shape it.
impl<C: Calendar> World<C> {
    /// A packet to a group has come to `node` over `link`.
    #[inline(never)]
    fn deliver_to_group(&mut self, node: u32, link: u32, packet: &Packet) {
        if let Header::Membership { message, session, groups } = packet.header {
            self.multicast.receive(self.now, node, link, (session, message, groups), &mut self.messages);
            return self.send_messages();
        }
        let Some((session, bit)) = self.multicast.place(packet.destination.index()) else {
            self.unroutable += 1;
            return;
        };
        let state = &self.multicast.sessions[session as usize];
        if state.comes_from_above(node, link) {
            return self.replicate(node, session, bit, None, packet);
        }
        // The check of the reverse path: only members' packets may come from below.
        let below = state.branch_below(link);
        if !state.any_source() || below.is_none() {
            self.unroutable += 1;
            return;
        }
        self.send_up(node, session, packet);
        self.replicate(node, session, bit, below, packet);
    }

    /// An endpoint on `node` sends to a group: down the tree from the source, from others up and down.
    fn send_to_group(&mut self, node: u32, sender: u32, packet: &Packet) {
        let Some((session, bit)) = self.multicast.place(packet.destination.index()) else {
            self.unroutable += 1;
            return;
        };
        self.send_up(node, session, packet);
        let state = &self.multicast.sessions[session as usize];
        let members = state.members_of(node).filter_map(|member| state.joined_endpoint(member, bit));
        // Not at once: the sender's outbox is being carried out.
        self.local.extend(members.filter(|&endpoint| endpoint != sender).map(|endpoint| (endpoint, *packet)));
        for branch in state.branches_of(node) {
            if let Some(link) = self.multicast.sessions[session as usize].open_link(branch, bit) {
                self.put(link, packet);
            }
        }
    }

    fn send_up(&mut self, node: u32, session: u32, packet: &Packet) {
        if let Some(link) = self.multicast.sessions[session as usize].up(node) {
            self.put(link, packet);
        }
    }

    /// Copies a packet to the open branches of a node, but that over which it came, and to the members there.
    #[inline]
    fn replicate(&mut self, node: u32, session: u32, bit: u32, came_over: Option<usize>, packet: &Packet) {
        let session = session as usize;
        let mut copies = 0;
        for branch in self.multicast.sessions[session].branches_of(node) {
            if let Some(link) = self.multicast.sessions[session].open_link(branch, bit)
                && came_over != Some(branch)
            {
                copies += 1;
                self.put(link, packet);
            }
        }
        for member in self.multicast.sessions[session].members_of(node) {
            if let Some(endpoint) = self.multicast.sessions[session].joined_endpoint(member, bit) {
                copies += 1;
                self.hand(endpoint as usize, Input::Packet(packet));
            }
        }
        if copies == 0 && came_over.is_none() && self.multicast.sessions[session].has_no_use(node, bit) {
            self.multicast.unwanted(self.now, session as u32, node, bit, &mut self.messages);
            self.send_messages();
        }
    }

    fn change_membership(&mut self, node: u32, endpoint: u32, group: Address, joins: bool) {
        let known =
            self.multicast.change_membership(self.now, node, endpoint, group.index(), joins, &mut self.messages);
        debug_assert!(known, "only declared members join");
        self.send_messages();
    }

    /// Sends the control packets that membership has called for, and sees to what is to be done later.
    fn send_messages(&mut self) {
        for message in std::mem::take(&mut self.messages) {
            let Message { session, link, request, bits } = message;
            let state = &self.multicast.sessions[session as usize];
            let header = Header::Membership { message: request, session, groups: bits };
            let packet = Packet {
                flow: FlowId(state.flow()),
                destination: Address::group(state.first_group()),
                size: CONTROL_BYTES,
                ttl: 1,
                header,
                ..NO_PACKET
            };
            self.put(link, &packet);
        }
        if let Some(at) = self.multicast.next_task()
            && at < self.agenda_armed
        {
            self.agenda_armed = at;
            self.calendar.schedule(Entry::new(at, Kind::Timer, self.hosts.len() as u32));
        }
    }

    fn run_agenda(&mut self) {
        self.agenda_armed = Instant::FAR_FUTURE;
        self.multicast.run_agenda(self.now, &mut self.messages);
        self.send_messages();
    }

    /// Holds a session's groups (bit i is group i) back on the branch that begins with `link`, or lets them pass again.
    /// Says whether there is such a branch.
    pub fn set_blocked(&mut self, first_group: Address, link: u32, groups: u64, blocked: bool) -> bool {
        let Some((session, _)) = self.multicast.place(first_group.index()) else { return false };
        self.multicast.sessions[session as usize].set_blocked_on(link, groups, blocked)
    }
}

/// Probes: entity 0 ends the warm-up, 1 writes flow and link rows, 2 queue rows.
impl<C: Calendar> World<C> {
    const WARMUP: u32 = 0;
    const INTERVAL: u32 = 1;
    const QUEUE_INTERVAL: u32 = 2;

    pub(crate) fn schedule_probes(&mut self) {
        self.calendar.schedule(Entry::new(self.plan.warmup, Kind::Probe, Self::WARMUP));
        if self.plan.flows || self.plan.links {
            let first = Instant::ZERO + self.plan.interval;
            self.calendar.schedule(Entry::new(first, Kind::Probe, Self::INTERVAL));
        }
        if !self.plan.queues.is_empty() {
            self.calendar.schedule(Entry::new(Instant::ZERO, Kind::Probe, Self::QUEUE_INTERVAL));
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
                self.calendar.schedule(Entry::new(self.now + self.plan.interval, Kind::Probe, probe));
            }
            _ => {
                self.record_queues();
                self.calendar.schedule(Entry::new(self.now + self.plan.queue_interval, Kind::Probe, probe));
            }
        }
    }

    fn end_warmup(&mut self) {
        let now = self.now;
        for link in &mut self.links {
            link.settle(now);
            if let Some(probe) = link.probe_mut() {
                probe.restart(now);
            }
        }
        self.records.links_at_warmup = self.links.iter().map(|link| *link.counters()).collect();
        self.records.senders_at_warmup = (0..self.flows.len()).map(|flow| self.sender(flow)).collect();
        self.records.receivers_at_warmup = self.receivers.iter().map(|&address| self.report(address)).collect();
    }

    fn record_flows(&mut self) {
        let at = self.now;
        for flow in 0..self.flows.len() {
            let report = self.sender(flow);
            self.records.senders.push(SenderRow { at, flow: FlowId(flow as u32), report });
        }
        for (receiver, &address) in (0..).zip(&self.receivers) {
            let report = self.report(address);
            self.records.receivers.push(ReceiverRow { at, receiver, report });
        }
    }

    fn record_links(&mut self) {
        for (link, state) in (0..).zip(&mut self.links) {
            state.settle(self.now);
            self.records.links.push(LinkRow { at: self.now, link, counters: *state.counters() });
        }
    }

    fn record_queues(&mut self) {
        for &link in &self.plan.queues {
            let state = &mut self.links[link as usize];
            state.settle(self.now);
            self.records.queues.push(QueueRow {
                at: self.now,
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
        self.now
    }

    /// The links, in the order in which they were added.
    pub fn links(&self) -> &[Link] {
        &self.links
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

    fn report(&self, address: Address) -> Report {
        self.hosts[address.index()].agent.report()
    }

    /// What the probes have written.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// Calendar entries carried out.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Packets that found no route or had used up their hops.
    pub fn unroutable(&self) -> u64 {
        self.unroutable
    }

    /// Packets that have come to the far end of a link or were lost there.
    pub fn packet_hops(&self) -> u64 {
        self.links.iter().map(|link| link.counters().delivered + link.counters().lost).sum()
    }

    /// Hash of everything that happened and the number of records behind it, if the plan asked for it.
    pub fn digest(&self) -> Option<(u64, u64)> {
        self.trace.as_ref().map(|trace| trace.digest())
    }
}

impl Host {
    pub(crate) fn new(agent: Agent, node: u32, flow: FlowId, offset: Duration, start: Instant, stop: Instant) -> Host {
        Host {
            agent,
            offset,
            armed: start.min(stop),
            armed_later: Instant::FAR_FUTURE,
            node,
            flow,
            start,
            stop,
            phase: Phase::Waiting,
        }
    }

    /// When this host next wants to be called, on the simulator's clock.
    #[inline]
    fn wake(&self) -> Instant {
        let deadline = match self.agent.deadline() {
            Some(deadline) => Instant(deadline.0.saturating_sub(self.offset.0)),
            None => Instant::FAR_FUTURE,
        };
        match self.phase {
            Phase::Waiting => deadline.min(self.start).min(self.stop),
            Phase::Running => deadline.min(self.stop),
            Phase::Stopped => deadline,
        }
    }

    /// Says when to put a timer entry into the calendar, if one is needed. A deadline that has moved to a later time
    /// needs none: the entry that is there will find it not yet due and ask again. So timers that move with every
    /// packet, as retransmission timers do, cost nothing.
    #[inline]
    fn rearm(&mut self, now: Instant) -> Option<Instant> {
        let wake = self.wake().max(now);
        if wake >= self.armed {
            return None;
        }
        if self.armed < self.armed_later {
            self.armed_later = self.armed;
        }
        self.armed = wake;
        Some(wake)
    }
}
