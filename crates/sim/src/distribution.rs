//! Multicast in the engine: copies down the tree, and the messages that shape it.

use crate::calendar::{Calendar, Entry, Kind};
use crate::engine::World;
use crate::multicast::{CONTROL_BYTES, Message};
use crate::store::Label;
use faircast_proto::packet::{Address, Ecn, FlowId, Header, Packet};
use faircast_proto::time::Instant;

impl<C: Calendar> World<C> {
    /// A packet to a group has come to `node` over `link`.
    #[inline(never)]
    pub(crate) fn deliver_to_group(&mut self, node: u32, link: u32, group: Address, label: Label) {
        let Some((session, bit)) = self.multicast.place(group.index()) else {
            self.unroutable += 1;
            return self.wires.store.release(label.packet);
        };
        if let Header::Membership { message, session, groups } = self.wires.store.get(label.packet).header {
            self.wires.store.release(label.packet);
            self.multicast.receive(self.wires.now, node, link, (session, message, groups), &mut self.messages);
            return self.send_messages();
        }
        let state = &self.multicast.sessions[session as usize];
        if state.comes_from_above(node, link) {
            self.replicate(node, session, bit, None, label);
        } else if state.any_source()
            && let Some(below) = state.branch_below(link)
        {
            self.send_up(node, session, label);
            self.replicate(node, session, bit, Some(below), label);
        } else {
            // The check of the reverse path: only members' packets may come from below.
            self.unroutable += 1;
        }
        self.wires.store.release(label.packet);
    }

    /// An endpoint on `node` sends to a group: down the tree from the source, from others up and down.
    pub(crate) fn send_to_group(&mut self, node: u32, sender: u32, group: Address, label: Label) {
        let Some((session, bit)) = self.multicast.place(group.index()) else {
            self.unroutable += 1;
            return self.wires.store.release(label.packet);
        };
        self.send_up(node, session, label);
        let state = &self.multicast.sessions[session as usize];
        // Not at once: the sender's outbox is being carried out.
        for endpoint in state.joined_endpoints(node, bit).filter(|&endpoint| endpoint != sender) {
            self.wires.store.share(label.packet);
            self.local.push((endpoint, label.packet));
        }
        for (_, link) in state.open_links(node, bit) {
            self.wires.store.share(label.packet);
            self.wires.put(link, label);
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

    fn send_up(&mut self, node: u32, session: u32, label: Label) {
        if let Some(link) = self.multicast.sessions[session as usize].up(node) {
            self.wires.store.share(label.packet);
            self.wires.put(link, label);
        }
    }

    /// Copies a packet to the open branches of a node, but that over which it came, and to the members there.
    #[inline]
    fn replicate(&mut self, node: u32, session: u32, bit: u32, came_over: Option<usize>, label: Label) {
        let state = &self.multicast.sessions[session as usize];
        let mut copies = 0;
        for (branch, link) in state.open_links(node, bit) {
            if came_over != Some(branch) {
                copies += 1;
                self.wires.store.share(label.packet);
                self.wires.put(link, label);
            }
        }
        for member in state.members_of(node) {
            if let Some(endpoint) = self.multicast.sessions[session as usize].joined_endpoint(member, bit) {
                copies += 1;
                self.hand_packet(endpoint as usize, label.packet);
                self.carry_out(endpoint as usize);
            }
        }
        if copies == 0 && came_over.is_none() && self.multicast.sessions[session as usize].has_no_use(node, bit) {
            self.multicast.unwanted(self.wires.now, session, node, bit, &mut self.messages);
            self.send_messages();
        }
    }

    pub(crate) fn change_membership(&mut self, node: u32, endpoint: u32, group: Address, joins: bool) {
        let now = self.wires.now;
        let known = self.multicast.change_membership(now, node, endpoint, group.index(), joins, &mut self.messages);
        debug_assert!(known, "only declared members join");
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
    pub fn set_blocked(&mut self, first_group: Address, link: u32, groups: u64, blocked: bool) -> bool {
        let Some((session, _)) = self.multicast.place(first_group.index()) else { return false };
        self.multicast.sessions[session as usize].set_blocked_on(link, groups, blocked)
    }
}
