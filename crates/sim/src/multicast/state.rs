//! What a session is in all nodes: what interfaces forward, what members have joined, what nodes hence want.

use super::membership::{Neighbour, Told};
use super::tree::Tree;
use super::{Mode, Rebuild, SessionPlan, SessionSite};
use crate::ids::{LinkId, NodeId};
use faircast_proto::group_set::GroupSet;
use faircast_proto::packet::{Address, FlowId};
use std::collections::VecDeque;
use std::sync::Arc;

/// One session in all nodes.
pub(crate) struct Session {
    pub(super) plan: SessionPlan,
    first_group: u32,
    flow: u32,
    pub(super) tree: Tree,
    /// What every packet looks at, branch by branch of the tree.
    outlets: Vec<Outlet>,
    /// What else there is of each branch.
    interfaces: Vec<Interface>,
    /// By node, then by endpoint.
    members: Vec<Member>,
    /// By link: where packets go that have come down over it; [`Fan::NONE`] if none come down there.
    fans: Vec<Fan>,
    nodes: Vec<Node>,
    /// How many branches of a node and members on it want each group: node by node.
    wanting: Vec<u32>,
    /// By link: reports on it can be lost for good.
    fallible: Arc<[bool]>,
    /// By link: somebody wants to know what is joined there.
    watched: Arc<[bool]>,
    /// What has changed there: the link, and what was joined.
    changes: VecDeque<(LinkId, GroupSet)>,
}

/// The branches of a node and the members on it, indices from one to before another.
#[derive(Clone, Copy)]
pub(crate) struct Fan {
    branches: [u32; 2],
    members: [u32; 2],
}

/// The beginning of a branch, as packets see it.
#[derive(Clone, Copy)]
pub(crate) struct Outlet {
    pub(crate) link: LinkId,
    /// What is joined and not blocked.
    open: GroupSet,
}

/// An interface towards the leaves.
#[derive(Clone, Default)]
pub(super) struct Interface {
    pub(super) joined: GroupSet,
    pub(super) blocked: GroupSet,
    /// What the node below has said.
    pub(super) below: Neighbour,
}

/// An endpoint that may join.
#[derive(Clone, Copy)]
pub(crate) struct Member {
    pub(crate) endpoint: u32,
    joined: GroupSet,
}

/// What a node keeps of a session.
pub(super) struct Node {
    /// The members on it.
    members: [u32; 2],
    /// What its branches and members want.
    pub(super) interest: GroupSet,
    pub(super) is_host: bool,
    /// What it has said upstream.
    pub(super) told: Told,
}

const NIL: u32 = u32::MAX;

impl Session {
    pub(super) fn new(site: &SessionSite<'_>, first_group: u32, tree: Tree) -> Session {
        let plan = site.plan;
        let flooded = if matches!(plan.mode, Mode::Dense { .. }) { plan.all() } else { GroupSet::EMPTY };
        let mut members = site.members.to_vec();
        members.sort_unstable();
        let members_of = |node: NodeId| {
            let start = members.partition_point(|&(at, _)| at < node);
            let end = members.partition_point(|&(at, _)| at <= node);
            [start as u32, end as u32]
        };
        let node = |(index, &is_host): (u32, &bool)| {
            let told = Told::new(if is_host { GroupSet::EMPTY } else { flooded });
            Node { members: members_of(NodeId(index)), interest: GroupSet::EMPTY, is_host, told }
        };
        let nodes: Vec<Node> = (0..).zip(site.hosts).map(node).collect();
        let mut session = Session {
            plan,
            first_group,
            flow: site.flow,
            tree,
            outlets: Vec::new(),
            interfaces: Vec::new(),
            members: members.iter().map(|&(_, endpoint)| Member { endpoint, joined: GroupSet::EMPTY }).collect(),
            fans: Vec::new(),
            wanting: vec![0; nodes.len() * plan.groups as usize],
            nodes,
            fallible: site.fallible.clone(),
            watched: site.watched.clone(),
            changes: VecDeque::new(),
        };
        session.lay_out();
        for branch in 0..session.interfaces.len() as u32 {
            if !session.leads_to_host(branch) {
                session.set_joined(branch, flooded);
            }
        }
        session
    }

    /// Passes to another tree. Interfaces that leave it lose what they had; those that stay keep what they block. Gives
    /// the nodes that now have another way to the source.
    pub(super) fn retree(&mut self, tree: Tree) -> Vec<NodeId> {
        let nodes = (0..self.nodes.len() as u32).map(NodeId);
        let moved = nodes.clone().filter(|&node| tree.up(node) != self.tree.up(node)).collect();
        let before = std::mem::replace(&mut self.tree, tree);
        let interfaces = std::mem::take(&mut self.interfaces);
        let known = self.watched_joins(&before, &interfaces);
        self.lay_out();
        self.wanting.fill(0);
        for node in nodes {
            let state = &mut self.nodes[node.index()];
            state.interest = GroupSet::EMPTY;
            if self.plan.rebuild == Rebuild::AtOnce {
                state.told.outdate();
            }
            for member in self.members_on(node) {
                self.count(node, GroupSet::EMPTY, self.members[member].joined);
            }
        }
        for branch in self.tree.leaves_first() {
            let super::tree::Branch { link, child, .. } = self.tree.branches()[branch as usize];
            let old = before.branch_on(link).map(|old| &interfaces[old as usize]);
            let Node { interest, told, .. } = &self.nodes[child.index()];
            let joined = match (self.plan.rebuild, old) {
                (Rebuild::AtOnce, _) => *interest,
                (Rebuild::ByMessages, Some(old)) => old.joined,
                (Rebuild::ByMessages, None) => GroupSet::EMPTY,
            };
            self.interfaces[branch as usize] = match (self.plan.rebuild, old) {
                (Rebuild::ByMessages, Some(old)) => Interface { joined: GroupSet::EMPTY, ..old.clone() },
                (_, old) => Interface {
                    joined: GroupSet::EMPTY,
                    blocked: old.map_or(GroupSet::EMPTY, |old| old.blocked),
                    below: Neighbour::known(told, old.map(|old| &old.below)),
                },
            };
            self.set_joined(branch, joined);
        }
        self.changes.clear();
        for (link, joined) in self.watched_joins(&self.tree, &self.interfaces) {
            if known.binary_search_by_key(&link, |known| known.0).is_err() && !joined.is_empty() {
                self.changes.push_back((link, GroupSet::EMPTY));
            }
        }
        for (link, joined) in known {
            if self.interface_on(link).unwrap_or_default().0 != joined {
                self.changes.push_back((link, joined));
            }
        }
        moved
    }

    /// What is joined at the watched links of a tree with these interfaces, by link.
    fn watched_joins(&self, tree: &Tree, interfaces: &[Interface]) -> Vec<(LinkId, GroupSet)> {
        let all = tree.branches().iter().zip(interfaces);
        let watched = all.filter(|(branch, _)| self.watched[branch.link.index()]);
        let mut joins: Vec<_> = watched.map(|(branch, interface)| (branch.link, interface.joined)).collect();
        joins.sort_unstable();
        joins
    }

    /// Makes places for the interfaces of the tree, and says where packets go.
    fn lay_out(&mut self) {
        let branches = self.tree.branches();
        self.outlets = branches.iter().map(|branch| Outlet { link: branch.link, open: GroupSet::EMPTY }).collect();
        self.interfaces = vec![Interface::default(); branches.len()];
        self.fans = vec![Fan::NONE; self.fallible.len()];
        for branch in self.tree.branches() {
            self.fans[branch.link.index()] = self.fan_of(branch.child);
        }
    }

    /// Where a packet goes that has come over `link`, if that is the way down the tree.
    #[inline]
    pub(crate) fn fan_below(&self, link: LinkId) -> Option<Fan> {
        let fan = self.fans[link.index()];
        (fan.members[0] != NIL).then_some(fan)
    }

    /// Where a packet goes from `node`.
    pub(crate) fn fan_of(&self, node: NodeId) -> Fan {
        Fan { branches: self.tree.fan(node), members: self.nodes[node.index()].members }
    }

    /// The branches of a fan.
    #[inline]
    pub(crate) fn outlets(&self, fan: Fan) -> &[Outlet] {
        let [start, end] = fan.branches;
        &self.outlets[start as usize..end as usize]
    }

    /// The members of a fan.
    #[inline]
    pub(crate) fn members(&self, fan: Fan) -> &[Member] {
        let [start, end] = fan.members;
        &self.members[start as usize..end as usize]
    }

    /// Whether members may send to a group.
    pub(crate) fn has_any_source(&self, group: u32) -> bool {
        self.plan.any_source.contains(group)
    }

    /// The link towards the source; `None` at the source's node and where no way is.
    pub(crate) fn up(&self, node: NodeId) -> Option<LinkId> {
        self.tree.up(node)
    }

    /// The link of the branch beside which `link` leads back: over it a packet from below has come.
    pub(crate) fn link_beside(&self, link: LinkId) -> Option<LinkId> {
        let branch = self.tree.branch_beside(link)?;
        Some(self.tree.branches()[branch as usize].link)
    }

    /// The flow to which the session's control packets count.
    pub(crate) fn flow(&self) -> FlowId {
        FlowId(self.flow)
    }

    /// Its first group.
    pub(crate) fn first_group(&self) -> Address {
        Address::group(self.first_group)
    }

    /// What it is made of.
    pub(crate) fn plan(&self) -> SessionPlan {
        self.plan
    }

    /// Whether something has changed at a link among those watched.
    pub(super) fn has_changes(&self) -> bool {
        !self.changes.is_empty()
    }

    /// The next link among those watched at which something has changed, and what was joined there before.
    pub(super) fn take_change(&mut self) -> Option<(LinkId, GroupSet)> {
        self.changes.pop_front()
    }

    /// Whether a node is a router that nobody has asked for a group.
    #[inline]
    pub(crate) fn has_no_use(&self, node: NodeId, group: u32) -> bool {
        let Node { is_host, interest, .. } = &self.nodes[node.index()];
        !is_host && !interest.contains(group)
    }

    /// What is joined and what is blocked on the branch that begins with `link`; `None` if none does.
    pub(crate) fn interface_on(&self, link: LinkId) -> Option<(GroupSet, GroupSet)> {
        let Interface { joined, blocked, .. } = &self.interfaces[self.tree.branch_on(link)? as usize];
        Some((*joined, *blocked))
    }

    /// Holds groups back on the branch that begins with `link`, as far as they are joined there, or lets them pass
    /// again. Says whether there is one.
    pub(crate) fn set_blocked_on(&mut self, link: LinkId, groups: GroupSet, blocked: bool) -> bool {
        let Some(branch) = self.tree.branch_on(link) else { return false };
        let state = &mut self.interfaces[branch as usize];
        match blocked {
            true => state.blocked |= groups & state.joined,
            false => state.blocked -= groups,
        }
        self.open(branch);
        true
    }

    /// The index of the member that is this endpoint, on `node`.
    pub(super) fn member(&self, node: NodeId, endpoint: u32) -> Option<usize> {
        let on_node = self.members_on(node);
        let found = self.members[on_node.clone()].binary_search_by_key(&endpoint, |member| member.endpoint);
        Some(on_node.start + found.ok()?)
    }

    fn members_on(&self, node: NodeId) -> std::ops::Range<usize> {
        let [start, end] = self.nodes[node.index()].members;
        start as usize..end as usize
    }

    /// A member on `node` joins or leaves a group.
    pub(super) fn set_member(&mut self, node: NodeId, member: usize, group: u32, joins: bool) {
        let before = self.members[member].joined;
        let group = GroupSet::of(group);
        let after = if joins { before | group } else { before - group };
        self.members[member].joined = after;
        self.count(node, before, after);
    }

    /// Makes what a branch has joined `groups`. What is no longer joined is no longer blocked.
    pub(super) fn set_joined(&mut self, branch: u32, groups: GroupSet) {
        let state = &mut self.interfaces[branch as usize];
        let before = std::mem::replace(&mut state.joined, groups);
        let link = self.outlets[branch as usize].link;
        // Of several changes that nobody has been told of yet, what was there before the first counts.
        let untold = || self.changes.iter().any(|&(changed, _)| changed == link);
        if self.watched[link.index()] && before != groups && !untold() {
            self.changes.push_back((link, before));
        }
        state.blocked &= groups;
        self.open(branch);
        self.count(self.tree.branches()[branch as usize].parent, before, groups);
    }

    /// What packets see of a branch becomes what it has joined and does not block.
    fn open(&mut self, branch: u32) {
        let Interface { joined, blocked, .. } = self.interfaces[branch as usize];
        self.outlets[branch as usize].open = joined - blocked;
    }

    /// One of those who want something of `node` wants `after` instead of `before`.
    fn count(&mut self, node: NodeId, before: GroupSet, after: GroupSet) {
        let first = node.index() * self.plan.groups as usize;
        let interest = &mut self.nodes[node.index()].interest;
        for group in (after - before).iter() {
            self.wanting[first + group as usize] += 1;
            interest.insert(group);
        }
        for group in (before - after).iter() {
            let wanting = &mut self.wanting[first + group as usize];
            *wanting -= 1;
            if *wanting == 0 {
                interest.remove(group);
            }
        }
    }

    pub(super) fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }

    pub(super) fn node_mut(&mut self, node: NodeId) -> &mut Node {
        &mut self.nodes[node.index()]
    }

    pub(super) fn interface(&self, branch: u32) -> &Interface {
        &self.interfaces[branch as usize]
    }

    pub(super) fn interface_mut(&mut self, branch: u32) -> &mut Interface {
        &mut self.interfaces[branch as usize]
    }

    /// Whether the node below a branch is a host.
    pub(super) fn leads_to_host(&self, branch: u32) -> bool {
        self.nodes[self.tree.branches()[branch as usize].child.index()].is_host
    }

    /// Whether reports that come up beside a branch can be lost for good.
    pub(super) fn is_fallible(&self, branch: u32) -> bool {
        self.is_fallible_above(self.tree.branches()[branch as usize].child)
    }

    /// Whether what a node says upstream can be lost for good.
    pub(super) fn is_fallible_above(&self, node: NodeId) -> bool {
        self.tree.up(node).is_some_and(|up| self.fallible[up.index()])
    }

    /// How many nodes there are, on the tree or not.
    pub(super) fn nodes(&self) -> u32 {
        self.nodes.len() as u32
    }
}

impl Fan {
    const NONE: Fan = Fan { branches: [NIL; 2], members: [NIL; 2] };
}

impl Outlet {
    /// Whether it gets packets of a group.
    #[inline]
    pub(crate) fn is_open(&self, group: u32) -> bool {
        self.open.contains(group)
    }
}

impl Member {
    /// Whether it has joined a group.
    #[inline]
    pub(crate) fn has_joined(&self, group: u32) -> bool {
        self.joined.contains(group)
    }
}
