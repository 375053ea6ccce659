//! Multicast in the engine: copies down the tree, and the messages that shape it.

use super::World;
use crate::calendar::{Calendar, Entry, Kind};
use crate::counters::{DilationTotals, MembershipChanges, MembershipMessages, MessageCounters, NoWay};
use crate::ids::{LinkId, NodeId, SessionId};
use crate::multicast::{CONTROL_BYTES, Crossing, DilationSpan, Fan, Heading, Message, Vertex, Woods};
use crate::part::Aim;
use crate::probe::DilationRow;
use crate::router::NO_ENDPOINT;
use crate::routing::{Edge, Routes};
use crate::store::Label;
use faircast_proto::group_set::GroupSet;
use faircast_proto::packet::{Address, Ecn, FlowId, Header, Packet};
use faircast_proto::time::Instant;

impl<C: Calendar> World<C> {
    /// Who gets a packet to a group that has come to `node` over `link`, if it is one member and goes nowhere else, as
    /// most copies do; counts it.
    #[inline(always)]
    pub(super) fn lone_member(&mut self, node: NodeId, link: LinkId, group: Address, label: Label) -> Option<usize> {
        if self.changes.is_some() && self.wires.links[link.index()].far_end() != node {
            return None;
        }
        let (session, number) = self.multicast.place(group.index())?;
        let member = self.multicast.crossing(session, link)?.lone_member()?;
        let member = self.multicast.session(session).at(member);
        if !member.has_joined(number) {
            return None;
        }
        let endpoint = member.endpoint as usize;
        self.multicast.usage_mut(group.index()).received(label.size(), 1);
        Some(endpoint)
    }

    /// A packet to a group has come to `node` over `link`.
    #[inline(never)]
    pub(crate) fn deliver_to_group(&mut self, node: NodeId, link: LinkId, group: Address, label: Label) {
        if self.changes.is_some() && self.wires.links[link.index()].far_end() != node {
            // Sent before the link turned elsewhere: no tree leads over it to this node any more.
            return self.give_up(node, label, NoWay::OffTree);
        }
        let Some((session, number)) = self.multicast.place(group.index()) else {
            return self.hear_neighbour(node, link, label);
        };
        match self.multicast.crossing(session, link) {
            Some(&Crossing { way: Heading::Down, fan, .. }) => {
                if !self.replicate(node, session, fan, (group, number), None, label) {
                    self.find_unwanted(node, session, number);
                }
            }
            Some(&crossing) => return self.rise(node, session, crossing, (group, number), label),
            // The check of the reverse path.
            None => return self.give_up(node, label, NoWay::OffTree),
        }
        self.wires.store.release(label.packet());
    }

    /// A packet to a group has come up the tree.
    fn rise(&mut self, node: NodeId, session: SessionId, from: Crossing, group: (Address, u32), label: Label) {
        let state = self.multicast.session(session);
        let source = self.flows[state.flow().0 as usize].sender;
        if self.wires.store.get(label.packet()).source == source {
            // It was on its way down when the tree turned round.
            return self.give_up(node, label, NoWay::OffTree);
        }
        if !state.has_any_source(group.1) {
            return self.give_up(node, label, NoWay::NotASource);
        }
        let (back, vertex) = (state.link(from.branch), state.parent(from.branch));
        self.send_up(node, vertex, session, label);
        self.replicate(node, session, from.fan, group, Some(back), label);
        self.wires.store.release(label.packet());
    }

    /// A packet has come to a group that is no session's: what the neighbour wants, or a stray.
    #[cold]
    fn hear_neighbour(&mut self, node: NodeId, link: LinkId, label: Label) {
        let Header::Membership { what, session, number, groups } = self.wires.store.get(label.packet()).header else {
            return self.give_up(node, label, NoWay::NoRoute);
        };
        self.wires.store.release(label.packet());
        let message = Message { session: SessionId(session), link, what, number, groups };
        self.multicast.receive(self.wires.now, node, &message, &mut self.messages);
        self.send_messages();
    }

    /// An endpoint on `node` sends to a group: down the tree from the source; from others up and down where they may,
    /// and else only to the next node on the way up, which gives it up.
    pub(crate) fn send_to_group(&mut self, node: NodeId, sender: u32, group: Address, label: Label) {
        let Some((session, number)) = self.multicast.place(group.index()) else {
            return self.give_up(node, label, NoWay::NoRoute);
        };
        let flow = self.multicast.session(session).flow().0 as usize;
        let is_source = self.flows[flow].sender.index() == sender as usize;
        self.multicast.usage_mut(group.index()).sent(label.size(), is_source);
        if is_source {
            self.multicast.source_sends(self.wires.now, session, number, label.size());
        }
        let state = self.multicast.session(session);
        let Some(vertex) = state.vertex(node) else {
            return self.give_up(node, label, NoWay::NoRoute);
        };
        // The router where the source is serves it, too.
        let may_send = is_source || state.has_any_source(number) || (sender == NO_ENDPOINT && state.is_root(vertex));
        if !may_send && state.up(vertex).is_none() {
            return self.give_up(node, label, NoWay::NotASource);
        }
        self.send_up(node, vertex, session, label);
        if may_send {
            let state = self.multicast.session(session);
            // Not at once: the sender's outbox is being carried out.
            let fan = state.fan_of(vertex);
            for member in state.members(fan).iter().filter(|to| to.has_joined(number) && to.endpoint != sender) {
                self.wires.store.share(label.packet());
                self.local.push((member.endpoint, label));
            }
            self.copy_down(node, session, fan, number, None, label);
        }
        self.wires.store.release(label.packet());
    }

    /// Hands in what an endpoint has sent to members on its own node.
    #[cold]
    pub(crate) fn hand_to_neighbours(&mut self) {
        for (endpoint, label) in std::mem::take(&mut self.local) {
            let group = self.wires.store.destination(label.packet());
            // It may have left when it was handed the packet before.
            if !self.is_in(endpoint, group) {
                self.wires.store.release(label.packet());
                continue;
            }
            self.multicast.usage_mut(group.index()).received(label.size(), 1);
            self.hand_packet(endpoint as usize, label);
            self.wires.store.release(label.packet());
            self.carry_out(endpoint as usize);
        }
    }

    /// Whether an endpoint has joined a group.
    fn is_in(&self, endpoint: u32, group: Address) -> bool {
        let member = || {
            let (session, number) = self.multicast.place(group.index())?;
            let state = self.multicast.session(session);
            let node = state.vertex(self.places[endpoint as usize].node)?;
            Some((state.at(state.member(node, endpoint)? as u32), number))
        };
        member().is_some_and(|(member, number)| member.has_joined(number))
    }

    /// Sends a copy towards the source. There is no way if the network has fallen apart.
    fn send_up(&mut self, node: NodeId, vertex: Vertex, session: SessionId, label: Label) {
        let state = self.multicast.session(session);
        let (up, is_root) = (state.up(vertex), state.is_root(vertex));
        if !is_root {
            self.wires.store.share(label.packet());
            match (up, label.take_hop()) {
                (Some(link), Some(label)) => self.wires.put(link, label),
                (Some(_), None) => self.give_up(node, label, NoWay::OutOfHops),
                (None, _) => self.give_up(node, label, NoWay::NoRoute),
            }
        }
    }

    /// Copies a packet to the open branches, but that which begins with the link `except`, and to the members. Says
    /// whether anyone got it.
    #[inline(always)]
    fn replicate(
        &mut self,
        node: NodeId,
        session: SessionId,
        fan: Fan,
        (group, number): (Address, u32),
        except: Option<LinkId>,
        label: Label,
    ) -> bool {
        let used = fan.has_outlets() && self.copy_down(node, session, fan, number, except, label);
        let mut handed = 0;
        for member in fan.members() {
            // Not all at once: what one of them does may change what another has joined.
            let member = self.multicast.session(session).at(member);
            if member.has_joined(number) {
                handed += 1;
                let endpoint = member.endpoint as usize;
                self.hand_packet(endpoint, label);
                self.carry_out(endpoint);
            }
        }
        if handed > 0 {
            self.multicast.usage_mut(group.index()).received(label.size(), handed);
        }
        used || handed > 0
    }

    /// Copies a packet to the open branches, but that which begins with the link `except`. Says whether there are any.
    #[inline(always)]
    fn copy_down(
        &mut self,
        node: NodeId,
        session: SessionId,
        fan: Fan,
        group: u32,
        except: Option<LinkId>,
        label: Label,
    ) -> bool {
        let mut used = false;
        let onward = label.take_hop();
        let state = self.multicast.session(session);
        // A leg that is to be spared is not an outlet: its carrier is.
        let spared = except.and_then(|leg| Some((leg, self.wires.legs.carrier(leg)?)));
        for outlet in state.outlets(fan) {
            if outlet.is_open(group) && Some(outlet.link) != except {
                let aim = match spared {
                    Some((leg, carrier)) if carrier == outlet.link => {
                        if !state.beam(carrier).is_some_and(|beam| beam.is_wanted_beside(leg, group)) {
                            continue;
                        }
                        Aim::Beside(leg)
                    }
                    _ => Aim::Wanting,
                };
                used = true;
                let Some(onward) = onward else { break };
                self.wires.store.share(label.packet());
                match aim {
                    Aim::Wanting => self.wires.put(outlet.link, onward),
                    _ => self.wires.offer_on(outlet.link, aim, onward),
                }
            }
        }
        if used && onward.is_none() {
            self.wires.store.share(label.packet());
            self.give_up(node, label, NoWay::OutOfHops);
        }
        used
    }

    /// A packet that has left the transmitter of `carrier` goes on to the legs that it is for. Says whether any hears
    /// it.
    pub(crate) fn spread(&mut self, carrier: LinkId, aim: Aim, label: Label) -> bool {
        let transmission = self.wires.legs.begin_transmission();
        let except = match aim {
            Aim::Leg(leg) => return self.wires.radiate(leg, label, transmission),
            Aim::Nobody => return false,
            Aim::Beside(leg) => Some(leg),
            Aim::Wanting => None,
        };
        let place = self.multicast.place(self.wires.store.destination(label.packet()).index());
        let beam = place.and_then(|(session, group)| Some((self.multicast.session(session).beam(carrier)?, group)));
        let Some((beam, group)) = beam else { return false };
        let mut heard = false;
        for leg in beam.legs_of(group).filter(|&leg| Some(leg) != except) {
            heard |= self.wires.radiate(leg, label, transmission);
        }
        heard
    }

    /// A packet has come that `node` had no use for; perhaps it never has, and can say so upstream.
    #[cold]
    fn find_unwanted(&mut self, node: NodeId, session: SessionId, group: u32) {
        if self.multicast.session(session).has_no_use(node, group) {
            self.multicast.unwanted(self.wires.now, session, node, group, &mut self.messages);
            self.send_messages();
        }
    }

    pub(crate) fn change_membership(&mut self, node: NodeId, endpoint: u32, group: Address, joins: bool) {
        let now = self.wires.now;
        let known = self.multicast.change_membership(now, node, endpoint, group.index(), joins);
        debug_assert!(known, "only declared members join");
        if let Some((session, number)) = self.multicast.place(group.index()).filter(|_| known) {
            let is_layer = !self.multicast.session(session).plan().control.contains(number);
            let presence = &mut self.presence[endpoint as usize];
            let changes = match joins {
                true => presence.join(now, number, is_layer),
                false => presence.leave(now, number, is_layer),
            };
            if changes {
                self.multicast.usage_mut(group.index()).change(now, joins);
            }
        }
    }

    /// Sends the reports about what endpoints have joined and left.
    #[cold]
    pub(crate) fn speak(&mut self) {
        self.multicast.speak(self.wires.now, &mut self.messages);
        self.send_messages();
    }

    /// Sends the control packets that membership has called for, and sees to what is to be done later.
    pub(crate) fn send_messages(&mut self) {
        self.tell_routers();
        for message in std::mem::take(&mut self.messages) {
            let Message { session, link, what, number, groups } = message;
            let label = self.wires.store.insert(&Packet {
                sent: Instant::ZERO,
                flow: self.multicast.session(session).flow(),
                source: Address::endpoint(0),
                destination: Address::NEIGHBOUR,
                size: CONTROL_BYTES,
                ttl: 1,
                ecn: Ecn::NotCapable,
                header: Header::Membership { what, session: session.0, number, groups },
            });
            self.wires.put(link, label);
        }
        if let Some(at) = self.multicast.next_task()
            && at < self.agenda_armed
        {
            self.agenda_armed = at;
            self.wires.calendar.schedule(Entry::new(at, Kind::Timer, self.wires.first_port - 1));
        }
    }

    /// An entry for the agenda has come. Only the one put into the calendar last counts: to heed others would
    /// put one more there each time.
    pub(crate) fn run_agenda(&mut self) {
        if self.agenda_armed != self.wires.now {
            return;
        }
        self.agenda_armed = Instant::FAR_FUTURE;
        self.multicast.run_agenda(self.wires.now, &mut self.messages);
        self.send_messages();
    }

    /// The trees of all sessions become those of the shortest paths in a network with these links, by their index, some
    /// of which may lead elsewhere than at first.
    pub fn retree(&mut self, edges: &[Edge]) {
        let nodes = self.forwarding.nodes();
        let routes = Routes::towards(nodes, edges, &self.multicast.roots());
        let carriers = self.wires.legs.carriers();
        self.multicast.retree(self.wires.now, &mut Woods::new(nodes, edges, &routes, carriers), &mut self.messages);
        self.send_messages();
    }

    /// Holds groups of a session, numbered within it, back on the branch that begins with `link`, or on all legs of
    /// `link`, as far as they are joined there, or lets them pass again. `group` is any group of the session. Says
    /// whether there is such a branch. No leg can be blocked alone.
    pub fn set_blocked(&mut self, group: Address, link: LinkId, groups: GroupSet, blocked: bool) -> bool {
        let Some((session, _)) = self.multicast.place(group.index()) else { return false };
        let branch = self.multicast.branch(session, link, Heading::Down);
        let state = self.multicast.session_mut(session);
        if !state.block_beam(link, groups, blocked) {
            match branch {
                Some(branch) if self.wires.legs.carrier(link).is_none() => state.set_blocked(branch, groups, blocked),
                _ => return false,
            }
        }
        let flow = state.flow();
        let (_, blocked) = self.multicast.interface_on(session, link).unwrap_or_default();
        if let Some(port) = self.wires.links[link.index()].port_mut() {
            port.set_blocked(flow, blocked);
        }
        true
    }

    /// What the interface at the beginning of `link` keeps of the session of `group`: the groups that are joined and
    /// those that are blocked, numbered within the session. `None` where no branch of its tree begins with the link.
    pub fn interface(&self, group: Address, link: LinkId) -> Option<(GroupSet, GroupSet)> {
        let (session, _) = self.multicast.place(group.index())?;
        self.multicast.interface_on(session, link)
    }
}

impl<C> World<C> {
    /// What the endpoint at an address has sent until now that carries no data.
    pub fn messages_sent(&self, address: Address) -> MessageCounters {
        self.messages_sent[address.index()]
    }

    /// What nodes have told each other until now about who wants which groups: of each session, in the order of flows.
    pub fn membership_messages(&self) -> impl Iterator<Item = MembershipMessages> {
        self.multicast.messages()
    }

    /// Writes down the dilation since the last rows.
    pub(crate) fn record_dilation(&mut self) {
        let at = self.wires.now;
        self.multicast.settle_dilation(at);
        let found = self.multicast.dilation(DilationSpan::Interval).filter(|(.., totals)| totals.windows > 0);
        self.records.dilation.extend(found.map(|(flow, link, totals)| DilationRow { at, flow, link, totals }));
        self.multicast.restart_dilation(DilationSpan::Interval);
    }

    /// The dilation of each session over some time, on each link behind which several of its receivers are or were, and
    /// on links with legs of which that is true. Elsewhere it is 1, as in sessions of one group.
    pub fn dilation(&self, span: DilationSpan) -> impl Iterator<Item = (FlowId, LinkId, DilationTotals)> {
        self.multicast.dilation(span)
    }

    /// How often one of the [`receivers`](Self::receivers) of all flows has joined and left groups of its session until
    /// now. Nothing for the receiver of a flow between two endpoints.
    pub fn membership_changes(&self, receiver: usize) -> MembershipChanges {
        self.presence[self.receivers()[receiver].index()].changes()
    }
}
