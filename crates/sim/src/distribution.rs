//! Multicast in the engine: copies down the tree, and the messages that shape it.

use crate::calendar::{Calendar, Entry, Kind};
use crate::engine::World;
use crate::ids::{LinkId, NodeId};
use crate::multicast::{Branch, CONTROL_BYTES, Fan, Message};
use crate::store::Label;
use faircast_proto::packet::{Address, Ecn, FlowId, Header, Packet};
use faircast_proto::time::Instant;

impl<C: Calendar> World<C> {
    /// A packet to a group has come to `node` over `link`.
    #[inline(never)]
    pub(crate) fn deliver_to_group(&mut self, node: NodeId, link: LinkId, group: Address, label: Label) {
        let Some((session, bit)) = self.multicast.place(group.index()) else {
            return self.give_up(label, |given_up| &mut given_up.no_route);
        };
        if let Header::Membership { message, session, groups } = self.wires.store.get(label.packet).header {
            self.wires.store.release(label.packet);
            self.multicast.receive(self.wires.now, node, link, (session, message, groups), &mut self.messages);
            return self.send_messages();
        }
        let state = &self.multicast.sessions[session as usize];
        if let Some(fan) = state.fan_below(link) {
            if !self.replicate(session, fan, bit, None, label) {
                self.find_unwanted(node, session, bit);
            }
        } else if state.any_source()
            && let Some(&Branch { link: back, .. }) = state.branch_beside(link)
        {
            let fan = state.fan_of(node);
            self.send_up(node, session, label);
            self.replicate(session, fan, bit, Some(back), label);
        } else {
            // The check of the reverse path: only members' packets may come from below.
            return self.give_up(label, |given_up| &mut given_up.off_tree);
        }
        self.wires.store.release(label.packet);
    }

    /// An endpoint on `node` sends to a group: down the tree from the source, from others up and down.
    pub(crate) fn send_to_group(&mut self, node: NodeId, sender: u32, group: Address, label: Label) {
        let Some((session, bit)) = self.multicast.place(group.index()) else {
            return self.give_up(label, |given_up| &mut given_up.no_route);
        };
        self.send_up(node, session, label);
        let state = &self.multicast.sessions[session as usize];
        // Not at once: the sender's outbox is being carried out.
        let fan = state.fan_of(node);
        for member in state.members(fan).iter().filter(|member| member.has_joined(bit) && member.endpoint != sender) {
            self.wires.store.share(label.packet);
            self.local.push((member.endpoint, label.packet));
        }
        for branch in state.branches(fan).iter().filter(|branch| branch.is_open(bit)) {
            self.wires.store.share(label.packet);
            self.wires.put(branch.link, label);
        }
        self.wires.store.release(label.packet);
    }

    /// Hands in what an endpoint has sent to members on its own node.
    #[cold]
    pub(crate) fn hand_to_neighbours(&mut self) {
        for (endpoint, packet) in std::mem::take(&mut self.local) {
            self.hand_packet(endpoint as usize, packet);
            self.wires.store.release(packet);
            self.carry_out(endpoint as usize);
        }
    }

    fn send_up(&mut self, node: NodeId, session: u32, label: Label) {
        if let Some(link) = self.multicast.sessions[session as usize].up(node) {
            self.wires.store.share(label.packet);
            self.wires.put(link, label);
        }
    }

    /// Copies a packet to the open branches, but that which begins with the link `except`, and to the members. Says
    /// whether anyone got it.
    #[inline(always)]
    fn replicate(&mut self, session: u32, fan: Fan, bit: u32, except: Option<LinkId>, label: Label) -> bool {
        let mut used = false;
        let state = &self.multicast.sessions[session as usize];
        for branch in state.branches(fan) {
            if branch.is_open(bit) && Some(branch.link) != except {
                used = true;
                self.wires.store.share(label.packet);
                self.wires.put(branch.link, label);
            }
        }
        for member in 0..state.members(fan).len() {
            let member = &self.multicast.sessions[session as usize].members(fan)[member];
            if member.has_joined(bit) {
                used = true;
                let endpoint = member.endpoint as usize;
                self.hand_packet(endpoint, label.packet);
                self.carry_out(endpoint);
            }
        }
        used
    }

    /// A packet has come that `node` had no use for; perhaps it never has, and can say so upstream.
    #[cold]
    fn find_unwanted(&mut self, node: NodeId, session: u32, bit: u32) {
        if self.multicast.sessions[session as usize].has_no_use(node, bit) {
            self.multicast.unwanted(self.wires.now, session, node, bit, &mut self.messages);
            self.send_messages();
        }
    }

    pub(crate) fn change_membership(&mut self, node: NodeId, endpoint: u32, group: Address, joins: bool) {
        let now = self.wires.now;
        let known = self.multicast.change_membership(now, node, endpoint, group.index(), joins, &mut self.messages);
        debug_assert!(known, "only declared members join");
        if let Some((_, bit)) = self.multicast.place(group.index()) {
            let presence = &mut self.presence[endpoint as usize];
            match joins {
                true => presence.join(now, bit),
                false => presence.leave(now, bit),
            }
        }
        self.send_messages();
    }

    /// Sends the control packets that membership has called for, and sees to what is to be done later.
    fn send_messages(&mut self) {
        for message in std::mem::take(&mut self.messages) {
            let Message { session, link, request, bits } = message;
            let state = &self.multicast.sessions[session as usize];
            let label = self.wires.store.insert(&Packet {
                sent: Instant::ZERO,
                flow: FlowId(state.flow()),
                source: Address::endpoint(0),
                destination: Address::group(state.first_group()),
                size: CONTROL_BYTES,
                ttl: 1,
                ecn: Ecn::NotCapable,
                header: Header::Membership { message: request, session, groups: bits },
            });
            self.wires.put(link, label);
        }
        if let Some(at) = self.multicast.next_task()
            && at < self.agenda_armed
        {
            self.agenda_armed = at;
            self.wires.calendar.schedule(Entry::new(at, Kind::Timer, self.hosts.len() as u32));
        }
    }

    pub(crate) fn run_agenda(&mut self) {
        self.agenda_armed = Instant::FAR_FUTURE;
        self.multicast.run_agenda(self.wires.now, &mut self.messages);
        self.send_messages();
    }

    /// Holds a session's groups (bit i is group i) back on the branch that begins with `link`, or lets them pass again.
    /// Says whether there is such a branch.
    pub fn set_blocked(&mut self, first_group: Address, link: LinkId, groups: u64, blocked: bool) -> bool {
        let Some((session, _)) = self.multicast.place(first_group.index()) else { return false };
        self.multicast.sessions[session as usize].set_blocked_on(link, groups, blocked)
    }
}
