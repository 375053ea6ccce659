//! What a session is in the nodes that have to do with it: what interfaces forward, what members have joined, what
//! nodes hence want. Nothing here is as large as the network, unless the session is.

use super::beam::Beam;
use super::outlet::{Fan, Member, Outlet};
use super::plan::{Mode, Rebuild, SessionPlan, SessionSite};
use super::soft_state::{LastReport, Neighbour};
use super::tree::{Branch, BranchId, Heading, Tree, Vertex, Woods};
use crate::counters::MembershipMessages;
use crate::ids::{LinkId, NodeId};
use faircast_proto::group_set::GroupSet;
use faircast_proto::packet::{Address, FlowId};
use std::collections::VecDeque;
use std::sync::Arc;

/// One session in all its nodes.
pub(crate) struct Session {
    pub(super) plan: SessionPlan,
    first_group: u32,
    flow: u32,
    pub(super) tree: Tree,
    /// What every packet looks at, in the order of the tree's branches; one for all legs of a carrier.
    outlets: Vec<Outlet>,
    /// The carriers of which branches are legs; by link.
    beams: Vec<Beam>,
    /// What else there is of each branch.
    interfaces: Vec<Interface>,
    /// By node, then by endpoint.
    members: Vec<Member>,
    /// Those of the tree. What has been on it stays, if only as a place at which its branches end: it remembers.
    nodes: Vec<Node>,
    /// How many branches of a node and members on it want each group: node by node.
    wanting: Vec<u32>,
    /// By node of the network: whether it is a host.
    hosts: Arc<[bool]>,
    /// By link: reports on it can be lost for good.
    fallible: Arc<[bool]>,
    /// By link: somebody wants to know what is joined there.
    watched: Arc<[bool]>,
    /// What nodes have told each other.
    pub(super) messages: MembershipMessages,
    /// How often the tree was replaced.
    retrees: u32,
    /// What has changed there: the link, and what was joined.
    changes: VecDeque<(LinkId, GroupSet)>,
}

/// An interface towards the leaves, or what it knows of one leg.
#[derive(Clone, Default)]
pub(super) struct Interface {
    /// Where packets see it.
    outlet: u32,
    pub(super) joined: GroupSet,
    pub(super) blocked: GroupSet,
    /// What the node below has said.
    pub(super) below: Neighbour,
}

/// What a node keeps of a session.
pub(super) struct Node {
    /// The members on it.
    members: [u32; 2],
    /// What its branches and members want.
    pub(super) interest: GroupSet,
    pub(super) is_host: bool,
    /// What it has said upstream.
    pub(super) told: LastReport,
}

impl Session {
    pub(super) fn new(site: &SessionSite<'_>, first_group: u32, woods: &mut Woods<'_>) -> Session {
        let plan = site.plan;
        let flooded = if matches!(plan.mode, Mode::Dense { .. }) { plan.all() } else { GroupSet::EMPTY };
        let mut members = site.members.to_vec();
        members.sort_unstable();
        let tree = match plan.mode {
            Mode::Sparse => woods.tree(site.root, members.iter().map(|&(node, _)| node)),
            // Floods come to every node.
            Mode::Dense { .. } => woods.tree(site.root, (0..woods.size()[0] as u32).map(NodeId)),
        };
        let mut session = Session {
            plan,
            first_group,
            flow: site.flow,
            outlets: Vec::new(),
            beams: Vec::new(),
            interfaces: Vec::new(),
            members: members.iter().map(|&(_, endpoint)| Member { endpoint, joined: GroupSet::EMPTY }).collect(),
            nodes: tree.nodes().map(|node| Node::new(site.hosts[node.index()], flooded)).collect(),
            wanting: vec![0; tree.len() * plan.groups as usize],
            hosts: site.hosts.clone(),
            tree,
            fallible: site.fallible.clone(),
            watched: site.watched.clone(),
            messages: MembershipMessages::default(),
            retrees: 0,
            changes: VecDeque::new(),
        };
        for (index, &(node, _)) in (0..).zip(&members) {
            let vertex = session.tree.vertex(node).expect("the tree leads to all members");
            let [start, end] = &mut session.nodes[vertex.index()].members;
            if *end == 0 {
                *start = index;
            }
            *end = index + 1;
        }
        session.lay_out();
        for branch in session.branches() {
            if !session.leads_to_host(branch) {
                session.set_joined(branch, flooded);
            }
        }
        session
    }

    /// Passes to another tree. Interfaces that leave it lose what they had; those that stay keep what they block. Gives
    /// the nodes that now have another way to the source, or from there.
    pub(super) fn retree(&mut self, woods: &mut Woods<'_>) -> Vec<NodeId> {
        let tree = woods.tree(self.tree.root(), self.tree.nodes());
        let before = std::mem::replace(&mut self.tree, tree);
        self.take_in(&before);
        let nodes = self.vertices();
        let down = |tree: &Tree| {
            let mut down = vec![LinkId::NONE; tree.len()];
            tree.branches().iter().for_each(|branch| down[branch.child.index()] = branch.link);
            down
        };
        let (down_before, down_now) = (down(&before), down(&self.tree));
        let moved = |&node: &Vertex| {
            let at = before.vertex(self.tree.node(node));
            self.tree.up(node) != at.and_then(|at| before.up(at))
                || down_now[node.index()] != at.map_or(LinkId::NONE, |at| down_before[at.index()])
        };
        let moved = nodes.clone().filter(moved).map(|node| self.tree.node(node)).collect();
        let (interfaces, beams) = (std::mem::take(&mut self.interfaces), std::mem::take(&mut self.beams));
        let known = self.watched_joins(&before, &interfaces, &beams);
        let mut places: Vec<(LinkId, usize)> = (0..).zip(before.branches()).map(|(at, old)| (old.link, at)).collect();
        places.sort_unstable();
        self.lay_out();
        self.wanting.fill(0);
        for node in nodes {
            let state = &mut self.nodes[node.index()];
            state.interest = GroupSet::EMPTY;
            if self.plan.rebuild == Rebuild::AtOnce {
                state.told.outdate();
            }
            for member in state.members() {
                self.count(node, GroupSet::EMPTY, self.members[member].joined);
            }
        }
        for branch in self.tree.leaves_first() {
            let Branch { link, child, .. } = *self.tree.branch(branch);
            let outlet = self.interfaces[branch.index()].outlet;
            let place = places.binary_search_by_key(&link, |place| place.0);
            let old = place.ok().map(|place| &interfaces[places[place].1]);
            // What another node has said below a link that has turned counts no more.
            let is_same =
                |&place: &usize| before.node(before.branches()[places[place].1].child) == self.tree.node(child);
            let stays = place.ok().filter(is_same).is_some();
            let Node { interest, told, .. } = &self.nodes[child.index()];
            let joined = match (self.plan.rebuild, old) {
                (Rebuild::AtOnce, _) => *interest,
                (Rebuild::ByMessages, Some(old)) if stays => old.joined,
                (Rebuild::ByMessages, _) => GroupSet::EMPTY,
            };
            self.interfaces[branch.index()] = match (self.plan.rebuild, old) {
                (Rebuild::ByMessages, Some(old)) if stays => {
                    Interface { outlet, joined: GroupSet::EMPTY, ..old.clone() }
                }
                (_, old) => Interface {
                    outlet,
                    joined: GroupSet::EMPTY,
                    blocked: old.map_or(GroupSet::EMPTY, |old| old.blocked),
                    below: Neighbour::known(told, old.map(|old| &old.below)),
                },
            };
            self.set_joined(branch, joined);
        }
        for old in &beams {
            self.block_beam(old.carrier, old.blocked, true);
        }
        self.retrees = self.retrees.wrapping_add(1);
        self.changes.clear();
        let now = self.watched_joins(&self.tree, &self.interfaces, &self.beams);
        let joined = |joins: &[(LinkId, GroupSet)], link: LinkId| {
            joins.binary_search_by_key(&link, |&(known, _)| known).ok().map(|at| joins[at].1)
        };
        for &(link, after) in &now {
            if joined(&known, link).is_none() && !after.is_empty() {
                self.changes.push_back((link, GroupSet::EMPTY));
            }
        }
        for (link, before) in known {
            if joined(&now, link).unwrap_or_default() != before {
                self.changes.push_back((link, before));
            }
        }
        moved
    }

    /// Makes places for what is on the tree and was not on that before, of the same order.
    fn take_in(&mut self, before: &Tree) {
        if self.tree.len() == before.len() {
            return;
        }
        let mut known = before.nodes().zip(std::mem::take(&mut self.nodes)).peekable();
        for node in self.tree.nodes() {
            let state = known.next_if(|&(known, _)| known == node).map(|(_, state)| state);
            self.nodes.push(state.unwrap_or_else(|| {
                let mut new = Node::new(self.hosts[node.index()], GroupSet::EMPTY);
                new.told.outdate_by(self.retrees);
                new
            }));
        }
        self.wanting = vec![0; self.tree.len() * self.plan.groups as usize];
    }

    /// What is joined at the watched links of a tree with these interfaces and beams, by link.
    fn watched_joins(&self, tree: &Tree, interfaces: &[Interface], beams: &[Beam]) -> Vec<(LinkId, GroupSet)> {
        let links = tree.branches().iter().zip(interfaces).map(|(branch, interface)| (branch.link, interface.joined));
        let all = links.chain(beams.iter().map(|beam| (beam.carrier, beam.joined)));
        let mut joins: Vec<_> = all.filter(|(link, _)| self.watched[link.index()]).collect();
        joins.sort_unstable();
        joins
    }

    /// Makes places for the interfaces of the tree.
    fn lay_out(&mut self) {
        let branches = self.tree.branches();
        self.outlets = Vec::with_capacity(branches.len());
        self.beams = Vec::new();
        self.interfaces = Vec::with_capacity(branches.len());
        for (index, branch) in (0..).map(BranchId).zip(branches) {
            let outlet = |link| Outlet { link, open: GroupSet::EMPTY };
            match branch.carrier {
                None => self.outlets.push(outlet(branch.link)),
                Some(carrier) => {
                    if self.beams.last().is_none_or(|beam| beam.carrier != carrier) {
                        self.beams.push(Beam::new(carrier, self.outlets.len() as u32, index, self.plan.groups));
                        self.outlets.push(outlet(carrier));
                    }
                    self.beams.last_mut().expect("there is one now").legs.push(outlet(branch.link));
                }
            }
            self.interfaces.push(Interface { outlet: self.outlets.len() as u32 - 1, ..Interface::default() });
        }
        self.beams.sort_unstable_by_key(|beam| beam.carrier);
    }

    /// Where packets go that have come over links of the tree: the link, the branch that begins with it or beside whose
    /// link it leads back, and the fan at its end.
    pub(super) fn crossings(&self) -> impl Iterator<Item = (LinkId, BranchId, Fan, Heading)> {
        self.branches().flat_map(|branch| {
            let &Branch { parent, link, child, .. } = self.tree.branch(branch);
            let down = (link, branch, self.fan_of(child), Heading::Down);
            let up = self.tree.up(child).map(|up| (up, branch, self.fan_of(parent), Heading::Up));
            std::iter::once(down).chain(up)
        })
    }

    /// Where a packet goes from a node.
    pub(crate) fn fan_of(&self, node: Vertex) -> Fan {
        let [start, end] = self.tree.fan(node);
        let outlets = match start < end {
            true => {
                let outlet = |branch: u32| self.interfaces[branch as usize].outlet;
                [outlet(start), outlet(end - 1) + 1]
            }
            false => [0; 2],
        };
        Fan { outlets, members: self.nodes[node.index()].members }
    }

    /// The position of a node, if the session has to do with it.
    pub(crate) fn vertex(&self, node: NodeId) -> Option<Vertex> {
        self.tree.vertex(node)
    }

    /// The outlets of a fan.
    #[inline]
    pub(crate) fn outlets(&self, fan: Fan) -> &[Outlet] {
        let [start, end] = fan.outlets;
        &self.outlets[start as usize..end as usize]
    }

    /// One of the members.
    #[inline]
    pub(crate) fn at(&self, member: u32) -> &Member {
        &self.members[member as usize]
    }

    /// The members of a fan.
    #[inline]
    pub(crate) fn members(&self, fan: Fan) -> &[Member] {
        let [start, end] = fan.members;
        &self.members[start as usize..end as usize]
    }

    /// The nodes of all members.
    pub(super) fn member_nodes(&self) -> Vec<Vertex> {
        let mut nodes = vec![Vertex(0); self.members.len()];
        for node in self.vertices() {
            nodes[self.node(node).members()].fill(node);
        }
        nodes
    }

    /// The groups that a member has joined.
    pub(super) fn held_by(&self, member: usize) -> GroupSet {
        self.members[member].joined
    }

    /// Whether members may send to a group.
    pub(crate) fn has_any_source(&self, group: u32) -> bool {
        self.plan.any_source.contains(group)
    }

    /// Whether the source is there.
    pub(crate) fn is_root(&self, node: Vertex) -> bool {
        self.tree.node(node) == self.tree.root()
    }

    /// The link towards the source; `None` at the source's node and where no way is.
    pub(crate) fn up(&self, node: Vertex) -> Option<LinkId> {
        self.tree.up(node)
    }

    /// The node where a branch begins.
    pub(crate) fn parent(&self, branch: BranchId) -> Vertex {
        self.tree.branch(branch).parent
    }

    /// The link with which a branch begins.
    pub(crate) fn link(&self, branch: BranchId) -> LinkId {
        self.tree.branch(branch).link
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
        let Some(Node { is_host, interest, .. }) = self.tree.vertex(node).map(|node| self.node(node)) else {
            return false;
        };
        !is_host && !interest.contains(group)
    }

    /// What is joined and what is blocked on a branch.
    pub(super) fn held_on(&self, branch: BranchId) -> (GroupSet, GroupSet) {
        let Interface { joined, blocked, .. } = self.interfaces[branch.index()];
        (joined, blocked)
    }

    /// Holds groups back on a branch, as far as they are joined there, or lets them pass again.
    pub(crate) fn set_blocked(&mut self, branch: BranchId, groups: GroupSet, blocked: bool) {
        let state = &mut self.interfaces[branch.index()];
        match blocked {
            true => state.blocked |= groups & state.joined,
            false => state.blocked -= groups,
        }
        self.open(branch);
    }

    /// The index of the member that is this endpoint, on `node`.
    pub(crate) fn member(&self, node: Vertex, endpoint: u32) -> Option<usize> {
        let on_node = self.node(node).members();
        let found = self.members[on_node.clone()].binary_search_by_key(&endpoint, |member| member.endpoint);
        Some(on_node.start + found.ok()?)
    }

    /// A member on `node` joins or leaves a group.
    pub(super) fn set_member(&mut self, node: Vertex, member: usize, group: u32, joins: bool) {
        let before = self.members[member].joined;
        let group = GroupSet::of(group);
        let after = if joins { before | group } else { before - group };
        self.members[member].joined = after;
        self.count(node, before, after);
    }

    /// Makes what a branch has joined `groups`. What is no longer joined is no longer blocked.
    pub(super) fn set_joined(&mut self, branch: BranchId, groups: GroupSet) {
        let Branch { parent, carrier, link, .. } = *self.tree.branch(branch);
        let state = &mut self.interfaces[branch.index()];
        let before = std::mem::replace(&mut state.joined, groups);
        state.blocked &= groups;
        match carrier {
            None => {
                self.note_change(link, before, groups);
                self.open(branch);
            }
            Some(carrier) => self.set_heard(carrier, branch, groups),
        }
        self.count(parent, before, groups);
    }

    /// What is joined at a link has changed.
    fn note_change(&mut self, link: LinkId, before: GroupSet, after: GroupSet) {
        // Of several changes that nobody has been told of yet, what was there before the first counts.
        let untold = || self.changes.iter().any(|&(changed, _)| changed == link);
        if self.watched[link.index()] && before != after && !untold() {
            self.changes.push_back((link, before));
        }
    }

    /// What packets see of a branch becomes what it has joined and does not block.
    fn open(&mut self, branch: BranchId) {
        let Interface { outlet, joined, blocked, .. } = self.interfaces[branch.index()];
        self.outlets[outlet as usize].open = joined - blocked;
    }

    /// The legs of a carrier that are branches of the tree.
    pub(crate) fn beam(&self, carrier: LinkId) -> Option<&Beam> {
        Some(&self.beams[self.beam_at(carrier)?])
    }

    fn beam_at(&self, carrier: LinkId) -> Option<usize> {
        self.beams.binary_search_by_key(&carrier, |beam| beam.carrier).ok()
    }

    /// Makes what the leg that is a branch has joined `groups`.
    fn set_heard(&mut self, carrier: LinkId, branch: BranchId, groups: GroupSet) {
        let beam = self.beam_at(carrier).expect("of every leg there is one");
        let state = &mut self.beams[beam];
        let before = state.joined;
        state.set_joined(branch, groups);
        let after = state.joined;
        self.outlets[state.outlet as usize].open = state.open();
        self.note_change(carrier, before, after);
    }

    /// Holds groups back on all legs of a carrier, or lets them pass again. Says whether there are any.
    pub(crate) fn block_beam(&mut self, carrier: LinkId, groups: GroupSet, blocked: bool) -> bool {
        let Some(beam) = self.beam_at(carrier) else { return false };
        let state = &mut self.beams[beam];
        state.set_blocked(groups, blocked);
        self.outlets[state.outlet as usize].open = state.open();
        true
    }

    /// One of those who want something of `node` wants `after` instead of `before`.
    fn count(&mut self, node: Vertex, before: GroupSet, after: GroupSet) {
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

    pub(super) fn node(&self, node: Vertex) -> &Node {
        &self.nodes[node.index()]
    }

    pub(super) fn node_mut(&mut self, node: Vertex) -> &mut Node {
        &mut self.nodes[node.index()]
    }

    pub(super) fn interface(&self, branch: BranchId) -> &Interface {
        &self.interfaces[branch.index()]
    }

    pub(super) fn interface_mut(&mut self, branch: BranchId) -> &mut Interface {
        &mut self.interfaces[branch.index()]
    }

    /// Whether the node below a branch is a host.
    pub(super) fn leads_to_host(&self, branch: BranchId) -> bool {
        self.node(self.tree.branch(branch).child).is_host
    }

    /// Whether reports that come up beside a branch can be lost for good.
    pub(super) fn is_fallible(&self, branch: BranchId) -> bool {
        self.is_fallible_above(self.tree.branch(branch).child)
    }

    /// Whether what a node says upstream can be lost for good.
    pub(super) fn is_fallible_above(&self, node: Vertex) -> bool {
        self.tree.up(node).is_some_and(|up| self.fallible[up.index()])
    }

    /// All nodes that the session has to do with.
    pub(super) fn vertices(&self) -> impl Iterator<Item = Vertex> + Clone + use<> {
        (0..self.tree.len() as u32).map(Vertex)
    }

    /// How many values of whatever size it keeps for nodes, branches and members.
    #[cfg(test)]
    pub(super) fn room(&self) -> usize {
        self.wanting.len() + self.nodes.len() + self.outlets.len() + self.interfaces.len() + self.members.len()
    }

    /// All branches of the tree.
    pub(super) fn branches(&self) -> impl Iterator<Item = BranchId> + use<> {
        (0..self.tree.branches().len() as u32).map(BranchId)
    }
}

impl Node {
    /// Of which its neighbour upstream believes that it wants these groups, if it is a router.
    fn new(is_host: bool, flooded: GroupSet) -> Node {
        let told = LastReport::new(if is_host { GroupSet::EMPTY } else { flooded });
        Node { members: [0; 2], interest: GroupSet::EMPTY, is_host, told }
    }

    fn members(&self) -> std::ops::Range<usize> {
        let [start, end] = self.members;
        start as usize..end as usize
    }
}
