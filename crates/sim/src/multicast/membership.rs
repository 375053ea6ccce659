//! How nodes tell each other what they want: soft state.
//!
//! A node tells the next one towards the source which groups of a session are wanted on it and below it, all of them
//! with every report, so a later report repairs what an earlier one that was lost should have changed (the state-change
//! and current-state reports of IGMPv3, RFC 3376, and the joins and prunes of PIM are made alike here). Reports are
//! numbered and acknowledged, and repeated until the acknowledgement of the latest comes: neither an old report nor an
//! old acknowledgement has an effect.
//!
//! Where a report can be lost for good, as on a wire that loses packets or may go down, a report is repeated from time
//! to time even so, and what is not repeated within its lifetime ends. Elsewhere nothing is repeated: it could change
//! nothing.

use super::Multicast;
use super::plan::{Mode, Rebuild};
use super::soft_state::{Message, Pending, Task};
use super::state::Node;
use super::tree::{BranchId, Heading, Vertex};
use crate::ids::{LinkId, NodeId, SessionId};
use faircast_proto::group_set::GroupSet;
use faircast_proto::packet::MembershipMessage;
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant};

/// Whether `number` is from before `than`, in the order of numbers that wrap.
fn is_older(number: u32, than: u32) -> bool {
    (number.wrapping_sub(than) as i32) < 0
}

/// How long a node waits until it repeats a report that was acknowledged: the query interval of RFC 2236, 125 s of
/// the lifetime of 260 s, in which so two reports and the time that an answer takes have room.
fn repeat_interval(lifetime: Duration) -> Duration {
    Duration(lifetime.0 / 52 * 25)
}

impl Multicast {
    /// When something is to be done next.
    pub(crate) fn next_task(&self) -> Option<Instant> {
        self.agenda.0.first().map(|&(at, _)| at)
    }

    /// An endpoint joins or leaves a group. Says whether it may. [`speak`](Self::speak) must follow, when it has joined
    /// and left all that it will at this moment: one report says it all.
    pub(crate) fn change_membership(
        &mut self,
        now: Instant,
        node: NodeId,
        endpoint: u32,
        group: usize,
        joins: bool,
    ) -> bool {
        let Some((session, group)) = self.place(group) else { return false };
        let state = &mut self.sessions[session.index()];
        let Some(place) = state.vertex(node) else { return false };
        let Some(member) = state.member(place, endpoint) else { return false };
        if let Some(dilation) = &mut self.dilation[session.index()]
            && state.held_by(member).contains(group) != joins
        {
            dilation.change(now, member, group, joins);
        }
        state.set_member(place, member, group, joins);
        if self.to_speak.last() != Some(&(session, node)) {
            self.to_speak.push((session, node));
        }
        true
    }

    /// Whether somebody has joined or left and nobody said so yet.
    #[inline]
    pub(crate) fn has_to_speak(&self) -> bool {
        !self.to_speak.is_empty()
    }

    /// What the nodes want on which endpoints have joined and left: the reports about it are added to `out`.
    pub(crate) fn speak(&mut self, now: Instant, out: &mut Vec<Message>) {
        while let Some((session, node)) = self.to_speak.pop() {
            if let Some(node) = self.session(session).vertex(node) {
                self.update(now, session, node, out);
            }
        }
    }

    /// A control packet has come to `node` over the link it names.
    pub(crate) fn receive(&mut self, now: Instant, node: NodeId, message: &Message, out: &mut Vec<Message>) {
        let Some(state) = self.sessions.get_mut(message.session.index()) else { return };
        match message.what {
            MembershipMessage::Acknowledge => {
                let Some(node) = state.vertex(node) else { return };
                let told = &mut state.node_mut(node).told;
                told.acknowledged |= told.number == message.number;
            }
            MembershipMessage::Report => {
                if let Some(branch) = self.branch(message.session, message.link, Heading::Up) {
                    self.take_report(now, branch, message, out);
                }
            }
        }
    }

    fn take_report(&mut self, now: Instant, branch: BranchId, report: &Message, out: &mut Vec<Message>) {
        let &Message { session, number, .. } = report;
        let state = &mut self.sessions[session.index()];
        // From any sender: there are no others.
        let groups = report.groups & state.plan.all();
        let link = state.link(branch);
        let (plan, to_host, fallible) = (state.plan, state.leads_to_host(branch), state.is_fallible(branch));
        let interface = state.interface_mut(branch);
        if interface.below.number.is_some_and(|latest| is_older(number, latest)) {
            return;
        }
        interface.below.number = Some(number);
        interface.below.expires = now + plan.lifetime;
        let joined = interface.joined;
        let joins = groups - joined;
        let leaves = match plan.mode {
            // What it does not name is pruned, and what was pruned before is so anew.
            Mode::Dense { .. } if !to_host => {
                interface.below.forget(plan.all());
                plan.all() - groups
            }
            _ => {
                interface.below.forget(groups);
                joined - groups - interface.below.closing()
            }
        };
        if fallible && !interface.below.watched {
            interface.below.watched = true;
            self.agenda.0.insert((interface.below.expires, Task::Expire { session, link }));
        }
        out.push(Message { what: MembershipMessage::Acknowledge, link, ..*report });
        state.messages.acknowledgements += 1;
        if !joins.is_empty() {
            self.set_joined(session, branch, joined | joins);
        }
        if to_host && plan.leave_delay > Duration::ZERO && !leaves.is_empty() {
            self.put_off(session, branch, Pending { at: now + plan.leave_delay, opens: false, groups: leaves });
            self.update(now, session, self.parent(session, branch), out);
        } else {
            self.close(now, session, branch, leaves, out);
        }
    }

    /// A branch gets these groups no longer, and the node above hears what follows.
    fn close(&mut self, now: Instant, session: SessionId, branch: BranchId, groups: GroupSet, out: &mut Vec<Message>) {
        let node = self.parent(session, branch);
        let state = &self.sessions[session.index()];
        let before = state.node(node).interest;
        let joined = state.interface(branch).joined;
        self.set_joined(session, branch, joined - groups);
        let state = &self.sessions[session.index()];
        let Mode::Dense { prune_timeout } = state.plan.mode else {
            return self.update(now, session, node, out);
        };
        let news = state.node(node).interest != before && state.tree.up(node).is_some();
        if !state.leads_to_host(branch) && !groups.is_empty() {
            self.put_off(session, branch, Pending { at: now + prune_timeout, opens: true, groups });
        }
        // What opens again by itself is not told upstream, where it opens by itself as well: so what closes again is
        // told even if that was said before.
        match news {
            true => self.tell(now, session, node, out),
            false => self.update(now, session, node, out),
        }
    }

    fn parent(&self, session: SessionId, branch: BranchId) -> Vertex {
        self.session(session).parent(branch)
    }

    fn put_off(&mut self, session: SessionId, branch: BranchId, pending: Pending) {
        let state = &mut self.sessions[session.index()];
        let link = state.link(branch);
        state.interface_mut(branch).below.pending.push(pending);
        self.agenda.0.insert((pending.at, Task::Settle { session, link }));
    }

    /// Does what is due.
    pub(crate) fn run_agenda(&mut self, now: Instant, out: &mut Vec<Message>) {
        while let Some(&(at, task)) = self.agenda.0.first() {
            if at > now {
                return;
            }
            self.agenda.0.pop_first();
            match task {
                Task::Settle { session, link } => self.settle(now, session, link, out),
                Task::Expire { session, link } => self.expire(now, session, link, out),
                Task::Retry { session, node } => self.retry(now, session, node, out),
                Task::Repeat { session, node } => self.repeat(now, session, node, out),
            }
        }
    }

    /// Closes and opens what is pending at an interface.
    fn settle(&mut self, now: Instant, session: SessionId, link: LinkId, out: &mut Vec<Message>) {
        let Some(branch) = self.branch(session, link, Heading::Down) else { return };
        let interface = self.session_mut(session).interface_mut(branch);
        let [closed, opened] = interface.below.take_due(now);
        if !opened.is_empty() {
            let joined = interface.joined | opened;
            self.set_joined(session, branch, joined);
        }
        if !closed.is_empty() {
            self.close(now, session, branch, closed, out);
        }
    }

    /// Ends what has not been repeated within its lifetime.
    fn expire(&mut self, now: Instant, session: SessionId, link: LinkId, out: &mut Vec<Message>) {
        let Some(branch) = self.branch(session, link, Heading::Down) else { return };
        let state = &mut self.sessions[session.index()];
        let still = state.is_fallible(branch);
        // In dense mode nothing need be said for a router to be flooded.
        let said = matches!(state.plan.mode, Mode::Sparse) || state.leads_to_host(branch);
        let interface = state.interface_mut(branch);
        let expires = interface.below.expires;
        interface.below.watched = still && expires > now;
        if interface.below.watched {
            self.agenda.0.insert((expires, Task::Expire { session, link }));
        } else if still && said {
            let joined = interface.joined;
            self.close(now, session, branch, joined, out);
        }
    }

    /// Says again what was not acknowledged.
    fn retry(&mut self, now: Instant, session: SessionId, node: NodeId, out: &mut Vec<Message>) {
        let state = &self.sessions[session.index()];
        let Some(node) = state.vertex(node) else { return };
        let told = &state.node(node).told;
        // A report sent since then has a task of its own.
        if !told.acknowledged && told.sent.is_some_and(|sent| sent + state.plan.retry <= now) {
            self.send_report(now, session, node, out);
        }
    }

    /// Says again what was acknowledged.
    fn repeat(&mut self, now: Instant, session: SessionId, at_node: NodeId, out: &mut Vec<Message>) {
        let state = &mut self.sessions[session.index()];
        let Some(node) = state.vertex(at_node) else { return };
        let fallible = state.is_fallible_above(node);
        let next = state.node(node).told.sent.map(|sent| sent + repeat_interval(state.plan.lifetime));
        let told = &mut state.node_mut(node).told;
        told.repeats = fallible && !told.groups.is_empty();
        match next {
            _ if !told.repeats => {}
            Some(at) if at > now => {
                self.agenda.0.insert((at, Task::Repeat { session, node: at_node }));
            }
            _ => {
                told.repeats = false;
                told.acknowledged = false;
                self.send_report(now, session, node, out);
            }
        }
    }

    /// Data of a group has come to a router that has no use for it.
    pub(crate) fn unwanted(
        &mut self,
        now: Instant,
        session: SessionId,
        node: NodeId,
        group: u32,
        out: &mut Vec<Message>,
    ) {
        let state = &self.sessions[session.index()];
        let pause = match state.plan.mode {
            Mode::Sparse => state.plan.retry,
            Mode::Dense { prune_timeout } => state.plan.retry.min(prune_timeout),
        };
        let Some(node) = state.vertex(node) else { return };
        let Node { is_host, told, .. } = state.node(node);
        // Every report declines all groups that it does not name. It takes a while to have an effect.
        let declined = !told.groups.contains(group) && told.sent.is_some_and(|sent| now.since(sent) < pause);
        if state.tree.up(node).is_some() && !is_host && !declined {
            self.tell(now, session, node, out);
        }
    }

    /// Makes what a node has said upstream what is wanted of it.
    fn update(&mut self, now: Instant, session: SessionId, node: Vertex, out: &mut Vec<Message>) {
        let state = &self.sessions[session.index()];
        let place = state.node(node);
        if state.tree.up(node).is_some() && place.interest != place.told.groups {
            self.tell(now, session, node, out);
        }
    }

    /// After a change of the tree: those whose way has moved say what they want, all others what has changed.
    pub(super) fn meet_anew(&mut self, now: Instant, session: SessionId, moved: &[NodeId], out: &mut Vec<Message>) {
        let state = &mut self.sessions[session.index()];
        if state.plan.rebuild == Rebuild::AtOnce {
            return self.know_at_once(now, session);
        }
        for node in moved.iter().filter_map(|&node| state.vertex(node)).collect::<Vec<_>>() {
            state.node_mut(node).told.groups = GroupSet::EMPTY;
        }
        for node in state.vertices() {
            self.update(now, session, node, out);
        }
    }

    /// Everyone knows what everyone wants.
    fn know_at_once(&mut self, now: Instant, session: SessionId) {
        let state = &mut self.sessions[session.index()];
        for node in state.vertices() {
            let fallible = state.is_fallible_above(node);
            let place = state.node_mut(node);
            place.told.groups = place.interest;
            place.told.acknowledged = true;
            place.told.sent = Some(now);
            if fallible && !place.told.repeats && !place.interest.is_empty() {
                place.told.repeats = true;
                let at = now + repeat_interval(state.plan.lifetime);
                self.agenda.0.insert((at, Task::Repeat { session, node: state.tree.node(node) }));
            }
        }
        for branch in state.branches() {
            let (link, fallible) = (state.link(branch), state.is_fallible(branch));
            let expires = now + state.plan.lifetime;
            let interface = state.interface_mut(branch);
            interface.below.expires = expires;
            if fallible && !interface.below.watched && !interface.joined.is_empty() {
                interface.below.watched = true;
                self.agenda.0.insert((expires, Task::Expire { session, link }));
            }
        }
    }

    /// A new report of what is wanted of a node.
    fn tell(&mut self, now: Instant, session: SessionId, node: Vertex, out: &mut Vec<Message>) {
        let place = self.sessions[session.index()].node_mut(node);
        place.told.groups = place.interest;
        place.told.number = place.told.number.wrapping_add(1);
        place.told.acknowledged = false;
        self.send_report(now, session, node, out);
    }

    /// Sends the latest report of a node, for the first time or again.
    fn send_report(&mut self, now: Instant, session: SessionId, node: Vertex, out: &mut Vec<Message>) {
        let state = &mut self.sessions[session.index()];
        let Some(link) = state.tree.up(node) else { return };
        let at_node = state.tree.node(node);
        let (plan, fallible) = (state.plan, state.is_fallible_above(node));
        let Node { is_host, told, .. } = state.node_mut(node);
        let from_host = *is_host;
        told.sent = Some(now);
        let what = MembershipMessage::Report;
        out.push(Message { session, link, what, number: told.number, groups: told.groups });
        let later = self.spread.get_mut(&link).map_or(0.0, Random::uniform);
        let retry = plan.retry + Duration((plan.retry.0 as f64 * later) as u64);
        self.agenda.0.insert((now + retry, Task::Retry { session, node: at_node }));
        if fallible && !told.repeats && !told.groups.is_empty() {
            told.repeats = true;
            self.agenda.0.insert((now + repeat_interval(plan.lifetime), Task::Repeat { session, node: at_node }));
        }
        let messages = &mut state.messages;
        *(if from_host { &mut messages.of_hosts } else { &mut messages.of_routers }) += 1;
    }
}

#[cfg(test)]
#[path = "membership_tests.rs"]
mod tests;
