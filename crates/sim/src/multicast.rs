//! Multicast forwarding: which interface gets a copy of which group's packets, and how that comes about.
//!
//! A session owns up to 64 groups, its layers. They share one tree, the reverse of the shortest paths to the source. Of
//! each session an interface of a router keeps two sets of groups: `joined`, wanted by someone downstream, and
//! `blocked`, held back by the router itself; it forwards `joined & !blocked`. Blocking never alters `joined`.
//!
//! Hosts report joins and leaves to their router, routers graft and prune towards the source; all of these are packets
//! that wait in queues and can be lost. A join or graft is acknowledged and repeated until it is; a prune is repeated
//! when unwanted data comes. A router heeds a host's leave after `leave_delay`, the time that IGMP takes to find out
//! that nobody else is left (RFC 2236: two queries a second apart).
//!
//! *Sparse*: nothing flows where nobody has asked. *Dense*: the first packets go everywhere; routers that have no use
//! for them prune, and what was pruned opens again after `prune_timeout` (ns-2's dense mode).

use crate::ids::{LinkId, NodeId};
use crate::unions::Unions;
use faircast_proto::packet::MembershipMessage;
use faircast_proto::time::{Duration, Instant};
use std::collections::BTreeMap;
use std::ops::Range;

/// Groups of a session at most: the bits of a set.
pub const MAX_GROUPS: u32 = 64;
/// Size of a report, graft, prune or acknowledgement on the wire.
pub const CONTROL_BYTES: u16 = 40;

/// How a session's tree comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By explicit joins.
    Sparse,
    /// By flooding; what was pruned opens again after this time.
    Dense {
        /// Until a pruned interface opens again.
        prune_timeout: Duration,
    },
}

/// What a session is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionPlan {
    /// Number of groups, 1 to [`MAX_GROUPS`].
    pub groups: u32,
    /// Members may send to the groups, too; their packets go up and down the source's tree.
    pub any_source: bool,
    /// How the tree comes about.
    pub mode: Mode,
    /// How long a router goes on forwarding after a host's leave.
    pub leave_delay: Duration,
    /// How long a join or graft waits for its acknowledgement.
    pub retry: Duration,
}

impl SessionPlan {
    /// Sparse, with the leave latency of RFC 2236 (2 s) and retries after 3 s (as in PIM-DM).
    pub fn sparse(groups: u32) -> SessionPlan {
        SessionPlan {
            groups,
            any_source: false,
            mode: Mode::Sparse,
            leave_delay: Duration::from_secs(2),
            retry: Duration::from_secs(3),
        }
    }
}

/// All sessions of a network.
#[derive(Default)]
pub(crate) struct Multicast {
    pub(crate) sessions: Vec<Session>,
    /// Session and bit of every group.
    groups: Vec<(u32, u32)>,
    /// What is to be done later.
    agenda: BTreeMap<(Instant, Task), u64>,
}

/// One session in all nodes.
pub(crate) struct Session {
    plan: SessionPlan,
    first_group: u32,
    flow: u32,
    root: NodeId,
    nodes: Vec<SessionNode>,
    branches: Vec<Branch>,
    members: Vec<Member>,
    /// What the branches and the members of each node want.
    interest: Unions,
    /// By link: where packets go that have come down over it; [`Fan::NONE`] if none come down there.
    fans: Vec<Fan>,
    /// The branch that ends where a link begins: by link, for messages from below.
    branch_above: Vec<u32>,
}

/// The branches of a node and the members on it, indices from one to before another.
#[derive(Clone, Copy)]
pub(crate) struct Fan {
    branches: [u32; 2],
    members: [u32; 2],
}

/// What a node keeps of a session.
#[derive(Clone, Copy)]
struct SessionNode {
    /// Link to the next node towards the source.
    up: LinkId,
    fan: Fan,
    /// What it has asked for upstream.
    wanted: u64,
    /// What of it is not acknowledged.
    unacknowledged: u64,
    last_prune: Option<Instant>,
    is_host: bool,
}

/// An interface towards the leaves of the tree.
#[derive(Clone, Copy)]
pub(crate) struct Branch {
    pub(crate) link: LinkId,
    /// Node that it belongs to.
    node: NodeId,
    to_host: bool,
    /// How often it is on the agenda as left by its host.
    leaves: u32,
    joined: u64,
    blocked: u64,
}

/// An endpoint that may join.
#[derive(Clone, Copy)]
pub(crate) struct Member {
    pub(crate) endpoint: u32,
    joined: u64,
}

/// Something to be done later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Task {
    /// A branch stops getting what a host below has left.
    EndLeave { session: u32, branch: u32 },
    /// A pruned branch opens again.
    Reopen { session: u32, branch: u32 },
    /// A node asks again for what was not acknowledged.
    Retry { session: u32, node: NodeId },
}

/// A control packet to be sent: session, the link to send it on, what it says of which groups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    pub(crate) session: u32,
    pub(crate) link: LinkId,
    pub(crate) request: MembershipMessage,
    pub(crate) bits: u64,
}

/// Where a session's source is and who may join it: `(node, endpoint)` in any order.
pub(crate) struct SessionSite<'a> {
    pub(crate) plan: SessionPlan,
    pub(crate) flow: u32,
    pub(crate) root: NodeId,
    pub(crate) members: &'a [(NodeId, u32)],
    /// For every node the link towards the source.
    pub(crate) up: &'a [Option<LinkId>],
    /// For every node the link back from there.
    pub(crate) down: &'a [Option<LinkId>],
    /// From and to of every link.
    pub(crate) links: &'a [(NodeId, NodeId)],
    /// Nodes that have endpoints and one link out.
    pub(crate) hosts: &'a [bool],
}

const NIL: u32 = u32::MAX;

impl Multicast {
    /// Adds a session; its groups follow those of the sessions before it.
    pub(crate) fn add(&mut self, site: &SessionSite<'_>) {
        let index = self.sessions.len() as u32;
        let first_group = self.groups.len() as u32;
        self.groups.extend((0..site.plan.groups).map(|bit| (index, bit)));
        self.sessions.push(Session::new(site, first_group));
    }

    /// Session and bit of a group; `None` for a group that no session owns.
    #[inline]
    pub(crate) fn place(&self, group: usize) -> Option<(u32, u32)> {
        self.groups.get(group).copied()
    }

    /// When something is to be done next.
    pub(crate) fn next_task(&self) -> Option<Instant> {
        self.agenda.first_key_value().map(|((at, _), _)| *at)
    }

    /// An endpoint joins or leaves a group. Says whether it may; what must be sent is added to `out`.
    pub(crate) fn change_membership(
        &mut self,
        now: Instant,
        node: NodeId,
        endpoint: u32,
        group: usize,
        joins: bool,
        out: &mut Vec<Message>,
    ) -> bool {
        let Some((session, bit)) = self.place(group) else { return false };
        let state = &mut self.sessions[session as usize];
        let Some(member) = state.member(node, endpoint) else { return false };
        let joined = state.members[member].joined;
        state.set_joined_by_member(node, member, if joins { joined | 1 << bit } else { joined & !(1 << bit) });
        self.update(now, session, node, out);
        true
    }

    /// A control packet has come to `node` over `link`.
    pub(crate) fn receive(
        &mut self,
        now: Instant,
        node: NodeId,
        link: LinkId,
        message: (u32, MembershipMessage, u64),
        out: &mut Vec<Message>,
    ) {
        let (session, request, bits) = message;
        let state = &mut self.sessions[session as usize];
        if request == MembershipMessage::Acknowledge {
            state.nodes[node.index()].unacknowledged &= !bits;
            return;
        }
        let branch = state.branch_above[link.index()];
        let Some(Branch { link: down, .. }) = state.branches.get(branch as usize).copied() else { return };
        match request {
            MembershipMessage::Join => {
                state.set_joined(branch, state.branches[branch as usize].joined | bits);
                out.push(Message { session, link: down, request: MembershipMessage::Acknowledge, bits });
                self.forget_leave(session, branch, bits);
                self.update(now, session, node, out);
            }
            MembershipMessage::Leave if state.plan.leave_delay > Duration::ZERO => {
                let at = now + state.plan.leave_delay;
                let pending = self.agenda.entry((at, Task::EndLeave { session, branch })).or_insert_with(|| {
                    state.branches[branch as usize].leaves += 1;
                    0
                });
                *pending |= bits;
            }
            MembershipMessage::Leave | MembershipMessage::Prune => self.close(now, session, branch, bits, out),
            MembershipMessage::Acknowledge => {}
        }
    }

    /// Does what is due.
    pub(crate) fn run_agenda(&mut self, now: Instant, out: &mut Vec<Message>) {
        while let Some((&(at, task), &bits)) = self.agenda.first_key_value() {
            if at > now {
                return;
            }
            self.agenda.remove(&(at, task));
            match task {
                Task::EndLeave { session, branch } => {
                    self.sessions[session as usize].branches[branch as usize].leaves -= 1;
                    self.close(now, session, branch, bits, out);
                }
                Task::Reopen { session, branch } => {
                    let state = &mut self.sessions[session as usize];
                    state.set_joined(branch, state.branches[branch as usize].joined | bits);
                }
                Task::Retry { session, node } => {
                    let missing = self.sessions[session as usize].nodes[node.index()].unacknowledged & bits;
                    if missing != 0 {
                        self.ask(now, session, node, missing, out);
                    }
                }
            }
        }
    }

    /// Data of a group has come to a router that has no use for it.
    pub(crate) fn unwanted(&mut self, now: Instant, session: u32, node: NodeId, bit: u32, out: &mut Vec<Message>) {
        let Session { plan, root, nodes, .. } = &mut self.sessions[session as usize];
        let state = &mut nodes[node.index()];
        let pause = match plan.mode {
            Mode::Sparse => plan.retry,
            Mode::Dense { prune_timeout } => plan.retry.min(prune_timeout),
        };
        if node == *root || state.is_host || state.last_prune.is_some_and(|last| now.since(last) < pause) {
            return;
        }
        state.last_prune = Some(now);
        state.wanted &= !(1 << bit);
        out.push(Message { session, link: state.up, request: MembershipMessage::Prune, bits: 1 << bit });
    }

    /// A branch gets these groups no longer.
    fn close(&mut self, now: Instant, session: u32, branch: u32, bits: u64, out: &mut Vec<Message>) {
        let state = &mut self.sessions[session as usize];
        let Branch { node, to_host, joined, .. } = state.branches[branch as usize];
        state.set_joined(branch, joined & !bits);
        state.branches[branch as usize].blocked &= !bits;
        if let Mode::Dense { prune_timeout } = state.plan.mode
            && !to_host
        {
            *self.agenda.entry((now + prune_timeout, Task::Reopen { session, branch })).or_default() |= bits;
        }
        self.update(now, session, node, out);
    }

    /// A host that has joined again takes its leave back.
    fn forget_leave(&mut self, session: u32, branch: u32, bits: u64) {
        if self.sessions[session as usize].branches[branch as usize].leaves == 0 {
            return;
        }
        let task = Task::EndLeave { session, branch };
        for (_, pending) in self.agenda.iter_mut().filter(|((_, at), _)| *at == task) {
            *pending &= !bits;
        }
    }

    /// Makes what a node asks for upstream what is wanted of it.
    fn update(&mut self, now: Instant, session: u32, node: NodeId, out: &mut Vec<Message>) {
        let state = &mut self.sessions[session as usize];
        if node == state.root {
            return;
        }
        let interest = state.interest(node);
        let SessionNode { wanted, up, is_host, .. } = state.nodes[node.index()];
        let (joins, leaves) = (interest & !wanted, wanted & !interest);
        if leaves != 0 {
            state.nodes[node.index()].wanted &= !leaves;
            state.nodes[node.index()].unacknowledged &= !leaves;
            let request = if is_host { MembershipMessage::Leave } else { MembershipMessage::Prune };
            out.push(Message { session, link: up, request, bits: leaves });
        }
        if joins != 0 {
            state.nodes[node.index()].wanted |= joins;
            self.ask(now, session, node, joins, out);
        }
    }

    /// Asks upstream for groups, and again if no acknowledgement comes.
    fn ask(&mut self, now: Instant, session: u32, node: NodeId, bits: u64, out: &mut Vec<Message>) {
        let Session { plan, nodes, .. } = &mut self.sessions[session as usize];
        let state = &mut nodes[node.index()];
        state.unacknowledged |= bits;
        out.push(Message { session, link: state.up, request: MembershipMessage::Join, bits });
        *self.agenda.entry((now + plan.retry, Task::Retry { session, node })).or_default() |= bits;
    }
}

impl Session {
    fn new(site: &SessionSite<'_>, first_group: u32) -> Session {
        let SessionSite { plan, root, .. } = *site;
        let all = if plan.groups == MAX_GROUPS { u64::MAX } else { (1 << plan.groups) - 1 };
        let flooded = if matches!(plan.mode, Mode::Dense { .. }) { all } else { 0 };
        let down = |node: NodeId| {
            let up = site.up[node.index()]?;
            let (_, to) = site.links[up.index()];
            Some((up, site.down[node.index()]?, to))
        };
        let mut children: Vec<(NodeId, LinkId, NodeId)> = (0..site.up.len() as u32)
            .map(NodeId)
            .filter(|&node| node != root)
            .filter_map(|node| down(node).map(|(_, link, parent)| (parent, link, node)))
            .collect();
        children.sort_unstable();
        let mut members = site.members.to_vec();
        members.sort_unstable();
        let mut branch_above = vec![NIL; site.links.len()];
        let branches: Vec<Branch> = (0u32..)
            .zip(&children)
            .map(|(index, &(node, link, child))| {
                let (up, _, _) = down(child).expect("children have a way up");
                branch_above[up.index()] = index;
                let to_host = site.hosts[child.index()];
                Branch { link, node, to_host, leaves: 0, joined: if to_host { 0 } else { flooded }, blocked: 0 }
            })
            .collect();
        let range = |start: usize, end: usize| [start as u32, end as u32];
        let mut fans = vec![Fan::NONE; site.links.len()];
        let nodes = (0..site.up.len() as u32)
            .map(NodeId)
            .map(|node| {
                let fan = Fan {
                    branches: range(
                        children.partition_point(|&(parent, ..)| parent < node),
                        children.partition_point(|&(parent, ..)| parent <= node),
                    ),
                    members: range(
                        members.partition_point(|&(at, _)| at < node),
                        members.partition_point(|&(at, _)| at <= node),
                    ),
                };
                let way = down(node);
                if let Some((_, link, _)) = way {
                    fans[link.index()] = fan;
                }
                let is_host = site.hosts[node.index()];
                SessionNode {
                    up: way.map_or(LinkId::NONE, |(up, ..)| up),
                    fan,
                    wanted: if is_host { 0 } else { flooded },
                    unacknowledged: 0,
                    last_prune: None,
                    is_host,
                }
            })
            .collect();
        let interest = Unions::new(branches.len() + members.len());
        let mut session = Session {
            plan,
            first_group,
            flow: site.flow,
            root,
            nodes,
            branches,
            members: members.iter().map(|&(_, endpoint)| Member { endpoint, joined: 0 }).collect(),
            interest,
            fans,
            branch_above,
        };
        for branch in 0..session.branches.len() as u32 {
            session.set_joined(branch, session.branches[branch as usize].joined);
        }
        session
    }

    /// Where a packet goes that has come over `link`, if that is the way down the tree.
    #[inline]
    pub(crate) fn fan_below(&self, link: LinkId) -> Option<Fan> {
        let fan = self.fans[link.index()];
        (fan.members[0] != NIL).then_some(fan)
    }

    /// Where a packet goes from `node`.
    pub(crate) fn fan_of(&self, node: NodeId) -> Fan {
        self.nodes[node.index()].fan
    }

    /// The branches of a fan.
    #[inline]
    pub(crate) fn branches(&self, fan: Fan) -> &[Branch] {
        let [start, end] = fan.branches;
        &self.branches[start as usize..end as usize]
    }

    /// The members of a fan.
    #[inline]
    pub(crate) fn members(&self, fan: Fan) -> &[Member] {
        let [start, end] = fan.members;
        &self.members[start as usize..end as usize]
    }

    /// Whether members may send.
    pub(crate) fn any_source(&self) -> bool {
        self.plan.any_source
    }

    /// The link towards the source; `None` at the source's node.
    pub(crate) fn up(&self, node: NodeId) -> Option<LinkId> {
        (node != self.root).then(|| self.nodes[node.index()].up)
    }

    /// The branch over whose other direction, `link`, a packet from below has come.
    pub(crate) fn branch_beside(&self, link: LinkId) -> Option<&Branch> {
        self.branches.get(*self.branch_above.get(link.index())? as usize)
    }

    /// The flow to which the session's control packets count.
    pub(crate) fn flow(&self) -> u32 {
        self.flow
    }

    /// Its first group.
    pub(crate) fn first_group(&self) -> u32 {
        self.first_group
    }

    /// Whether a node is a router that nobody has asked for group `bit`.
    #[inline]
    pub(crate) fn has_no_use(&self, node: NodeId, bit: u32) -> bool {
        !self.nodes[node.index()].is_host && self.interest(node) >> bit & 1 == 0
    }

    /// Holds groups back on the branch that begins with `link`, or lets them pass again; says whether there is one.
    pub(crate) fn set_blocked_on(&mut self, link: LinkId, bits: u64, blocked: bool) -> bool {
        let Some(branch) = self.branches.iter_mut().find(|branch| branch.link == link) else { return false };
        match blocked {
            true => branch.blocked |= bits & branch.joined,
            false => branch.blocked &= !bits,
        }
        true
    }

    /// The index of the member that is this endpoint, on `node`.
    fn member(&self, node: NodeId, endpoint: u32) -> Option<usize> {
        let fan = self.fan_of(node);
        let on_node = self.members(fan).binary_search_by_key(&endpoint, |member| member.endpoint);
        Some(fan.members[0] as usize + on_node.ok()?)
    }

    /// What the branches of a node and the endpoints on it want.
    fn interest(&self, node: NodeId) -> u64 {
        self.interest.of(self.fan_of(node).range())
    }

    /// Makes what a branch has joined `bits`.
    fn set_joined(&mut self, branch: u32, bits: u64) {
        let state = &mut self.branches[branch as usize];
        state.joined = bits;
        let fan = self.nodes[state.node.index()].fan;
        self.interest.set(fan.range(), branch as usize + fan.members[0] as usize, bits);
    }

    /// Makes what a member on `node` has joined `bits`.
    fn set_joined_by_member(&mut self, node: NodeId, member: usize, bits: u64) {
        self.members[member].joined = bits;
        let fan = self.fan_of(node);
        self.interest.set(fan.range(), fan.branches[1] as usize + member, bits);
    }
}

impl Fan {
    const NONE: Fan = Fan { branches: [NIL; 2], members: [NIL; 2] };

    /// Its sets among those of all nodes: first the branches', then the members'.
    fn range(self) -> Range<usize> {
        (self.branches[0] + self.members[0]) as usize..(self.branches[1] + self.members[1]) as usize
    }
}

impl Branch {
    /// Whether it gets packets of group `bit`.
    #[inline]
    pub(crate) fn is_open(&self, bit: u32) -> bool {
        (self.joined & !self.blocked) >> bit & 1 != 0
    }
}

impl Member {
    /// Whether it has joined group `bit`.
    #[inline]
    pub(crate) fn has_joined(&self, bit: u32) -> bool {
        self.joined >> bit & 1 != 0
    }
}
