//! Multicast: which interface gets a copy of which group's packets, and how that comes about.
//!
//! | file | subject |
//! |---|---|
//! | `tree.rs` | the tree of a session: the way to the source, the branches away from it |
//! | `crossings.rs` | which sessions cross a link, and where their packets go from it |
//! | `plan.rs` | what a session is made of |
//! | `outlet.rs` | what packets see of a node: outlets and members |
//! | `soft_state.rs` | what nodes have said and heard, and what is to be done when |
//! | `state.rs` | what interfaces forward, what members have joined, what nodes hence want |
//! | `beam.rs` | the legs of one carrier as branches |
//! | `membership.rs` | how nodes tell each other what they want: reports, acknowledgements, lifetimes |
//! | `reach.rs` | whom a packet would have come to that was lost on its way |
//! | `usage.rs` | what is sent to groups, what members get, how many there are |
//! | `dilation.rs` | what is demanded behind a link, as a part of what the fastest receiver there gets |
//!
//! A session owns up to [`MAX_GROUPS`] groups. They share one tree, the reverse of the shortest paths to the source. Of
//! each session an interface of a router keeps two sets of groups: `joined`, wanted by someone downstream, and
//! `blocked`, held back by the router itself; it forwards `joined - blocked`. Blocking never alters `joined`.
//!
//! *Sparse*: nothing flows where nobody has asked. *Dense*: the first packets go everywhere; routers that have no use
//! for them prune, and what was pruned opens again after `prune_timeout` (ns-2's dense mode).

mod beam;
mod crossings;
mod dilation;
mod membership;
mod outlet;
mod plan;
mod reach;
mod soft_state;
mod state;
mod tree;
mod usage;

pub(crate) use crossings::Crossing;
pub use dilation::{DilationSpan, WINDOW as DILATION_WINDOW};
pub(crate) use outlet::Fan;
pub(crate) use plan::SessionSite;
pub use plan::{CONTROL_BYTES, Mode, Rebuild, SessionPlan};
pub(crate) use soft_state::Message;
pub(crate) use tree::{Heading, Vertex, Woods};

use crate::counters::{DilationTotals, MembershipMessages};
use crate::ids::{LinkId, NodeId, SessionId};
use crossings::Crossings;
use dilation::Dilation;
use faircast_proto::group_set::{GroupSet, MAX_GROUPS};
use faircast_proto::packet::FlowId;
use faircast_proto::random::Random;
use faircast_proto::time::Instant;
use soft_state::Agenda;
use state::Session;
use std::collections::{BTreeMap, VecDeque};
use tree::BranchId;
use usage::Usage;

/// All sessions of a network.
#[derive(Default)]
pub(crate) struct Multicast {
    sessions: Vec<Session>,
    /// By link: what packets ask that have come over it.
    crossings: Crossings,
    /// Session and number within it of every group.
    groups: Vec<(SessionId, u32)>,
    /// Of every group.
    usage: Vec<Usage>,
    /// Of every session that has several groups and members.
    dilation: Vec<Option<Dilation>>,
    agenda: Agenda,
    /// Sessions of which something has changed that somebody wants to know.
    changed: VecDeque<SessionId>,
    /// Sessions and nodes on which endpoints have joined or left just now.
    to_speak: Vec<(SessionId, NodeId)>,
    /// Links on which senders meet without asking, and what says there by how much a retry is later.
    spread: BTreeMap<LinkId, Random>,
}

impl Multicast {
    /// The sessions at these sites, on the trees of `woods`. Groups are numbered session by session.
    pub(crate) fn new<'a>(sites: impl Iterator<Item = SessionSite<'a>>, woods: &mut Woods<'_>) -> Multicast {
        let mut multicast = Multicast::default();
        for (index, site) in (0..).map(SessionId).zip(sites) {
            assert!(site.plan.groups <= MAX_GROUPS, "the builder has seen to it");
            let first_group = multicast.groups.len() as u32;
            multicast.groups.extend((0..site.plan.groups).map(|group| (index, group)));
            let session = Session::new(&site, first_group, woods);
            let several = site.plan.groups > 1 && site.members.len() > 1;
            let dilation = || Dilation::new(site.plan.groups, &session.tree, &session.member_nodes());
            multicast.dilation.push(several.then(dilation));
            multicast.sessions.push(session);
            multicast.note_changes(index);
        }
        multicast.crossings = Crossings::new(woods.size()[1], &multicast.sessions);
        multicast.usage = vec![Usage::default(); multicast.groups.len()];
        multicast
    }

    /// Reports that are lost on this link are said again at random moments: those that have met others there would meet
    /// them again, as often as all are repeated in step.
    pub(crate) fn spread_retries(&mut self, link: LinkId, random: Random) {
        self.spread.insert(link, random);
    }

    /// Session and number within it of a group; `None` for a group that no session owns.
    #[inline]
    pub(crate) fn place(&self, group: usize) -> Option<(SessionId, u32)> {
        self.groups.get(group).copied()
    }

    /// What a group that a session owns is used for.
    #[inline]
    pub(crate) fn usage_mut(&mut self, group: usize) -> &mut Usage {
        &mut self.usage[group]
    }

    /// What all groups are used for, session by session.
    pub(crate) fn usage(&self) -> &[Usage] {
        &self.usage
    }

    /// The source of a session sends a packet to a group of it.
    #[inline]
    pub(crate) fn source_sends(&mut self, now: Instant, session: SessionId, group: u32, bytes: u16) {
        if let Some(dilation) = &mut self.dilation[session.index()] {
            dilation.sent(now, group, bytes);
        }
    }

    /// Brings the dilation of all sessions up to the present.
    pub(crate) fn settle_dilation(&mut self, now: Instant) {
        self.dilation.iter_mut().flatten().for_each(|dilation| dilation.catch_up(now));
    }

    /// Begins to add up the dilation of all sessions anew.
    pub(crate) fn restart_dilation(&mut self, span: DilationSpan) {
        self.dilation.iter_mut().flatten().for_each(|dilation| dilation.restart(span));
    }

    /// The dilation of each session, on each link behind which several of its receivers are or were.
    pub(crate) fn dilation(&self, span: DilationSpan) -> impl Iterator<Item = (FlowId, LinkId, DilationTotals)> {
        let sessions = self.sessions.iter().zip(&self.dilation);
        sessions.flat_map(move |(session, dilation)| {
            let links = dilation.iter().flat_map(move |dilation| dilation.totals(span));
            links.map(|(link, totals)| (session.flow(), link, totals))
        })
    }

    /// What nodes have told each other about each session.
    pub(crate) fn messages(&self) -> impl Iterator<Item = MembershipMessages> {
        self.sessions.iter().map(|session| session.messages)
    }

    /// Where a session crosses a link, if it does.
    #[inline(always)]
    pub(crate) fn crossing(&self, session: SessionId, link: LinkId) -> Option<&Crossing> {
        self.crossings.find(session, link)
    }

    /// The branch of a session that begins with a link, or beside whose link it leads back.
    pub(crate) fn branch(&self, session: SessionId, link: LinkId, way: Heading) -> Option<BranchId> {
        self.crossing(session, link).filter(|crossing| crossing.way == way).map(|crossing| crossing.branch)
    }

    /// What is joined and what is blocked on the branch of a session that begins with `link`, or on all legs of `link`;
    /// `None` if there are none.
    pub(crate) fn interface_on(&self, session: SessionId, link: LinkId) -> Option<(GroupSet, GroupSet)> {
        if let Some(beam) = self.session(session).beam(link) {
            return Some(beam.held());
        }
        Some(self.session(session).held_on(self.branch(session, link, Heading::Down)?))
    }

    /// The next change that somebody wants to know of: session, link, and what was joined there before.
    pub(crate) fn take_change(&mut self) -> Option<(SessionId, LinkId, GroupSet)> {
        while let Some(&session) = self.changed.front() {
            if let Some((link, before)) = self.sessions[session.index()].take_change() {
                return Some((session, link, before));
            }
            self.changed.pop_front();
        }
        None
    }

    /// Remembers a session if something has changed of which somebody wants to know.
    fn note_changes(&mut self, session: SessionId) {
        if self.sessions[session.index()].has_changes() && self.changed.back() != Some(&session) {
            self.changed.push_back(session);
        }
    }

    /// Makes what a branch of a session has joined `groups`.
    fn set_joined(&mut self, session: SessionId, branch: BranchId, groups: GroupSet) {
        self.sessions[session.index()].set_joined(branch, groups);
        self.note_changes(session);
    }

    /// A session.
    #[inline]
    pub(crate) fn session(&self, session: SessionId) -> &Session {
        &self.sessions[session.index()]
    }

    /// The session, to be changed.
    pub(crate) fn session_mut(&mut self, session: SessionId) -> &mut Session {
        &mut self.sessions[session.index()]
    }

    /// The nodes of all sources.
    pub(crate) fn roots(&self) -> Vec<NodeId> {
        self.sessions.iter().map(|session| session.tree.root()).collect()
    }

    /// Passes to the trees of `woods`, of a network that has the nodes and links of that before.
    pub(crate) fn retree(&mut self, now: Instant, woods: &mut Woods<'_>, out: &mut Vec<Message>) {
        let moved: Vec<Vec<NodeId>> = self.sessions.iter_mut().map(|session| session.retree(woods)).collect();
        self.crossings = Crossings::new(woods.size()[1], &self.sessions);
        for (session, dilation) in self.sessions.iter().zip(&mut self.dilation) {
            if let Some(dilation) = dilation {
                dilation.retree(now, &session.tree, &session.member_nodes(), |member| session.held_by(member));
            }
        }
        for (session, moved) in (0..).map(SessionId).zip(&moved) {
            self.note_changes(session);
            self.meet_anew(now, session, moved, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::Carriers;
    use crate::routing::{Edge, Routes};
    use faircast_proto::time::Duration;
    use std::sync::Arc;

    #[test]
    fn several_changes_of_a_moment_are_told_as_one() {
        // What opens and closes at one moment, as in dense mode, would else be told twice.
        let ends = [(0, 1), (1, 0)].map(|(from, to)| (NodeId(from), NodeId(to)));
        let edges = ends.map(|(from, to)| Edge { from, to, delay: Duration::from_millis(1) });
        let (fallible, watched): (Arc<[bool]>, Arc<[bool]>) = (Arc::new([false; 2]), Arc::new([true; 2]));
        let hosts: Arc<[bool]> = Arc::new([true; 2]);
        let site = SessionSite {
            plan: SessionPlan::sparse(3),
            flow: 0,
            root: NodeId(0),
            members: &[(NodeId(1), 0)],
            hosts: &hosts,
            fallible: &fallible,
            watched: &watched,
        };
        let routes = Routes::towards(2, &edges, &[NodeId(0)]);
        let mut multicast =
            Multicast::new([site].into_iter(), &mut Woods::new(2, &edges, &routes, &Carriers::default()));
        let session = SessionId(0);
        for groups in [GroupSet::of(1), GroupSet::of(1) | GroupSet::of(2), GroupSet::of(2)] {
            multicast.set_joined(session, BranchId(0), groups);
        }
        assert_eq!(multicast.take_change(), Some((session, LinkId(0), GroupSet::EMPTY)));
        assert_eq!(multicast.take_change(), None);
        multicast.set_joined(session, BranchId(0), GroupSet::EMPTY);
        assert_eq!(multicast.take_change(), Some((session, LinkId(0), GroupSet::of(2))));
    }

    #[test]
    fn a_session_takes_the_room_of_its_tree_whatever_else_there_is() {
        // A star around node 0; the session of each pair of neighbours crosses four of its links.
        fn room(pairs: u32, moved: u32) -> [usize; 4] {
            let nodes = 1 + 2 * pairs;
            let delay = Duration::from_millis(1);
            let link = |from, to| Edge { from: NodeId(from), to: NodeId(to), delay };
            let edges: Vec<Edge> = (1..nodes).flat_map(|host| [link(0, host), link(host, 0)]).collect();
            let roots: Vec<NodeId> = (0..pairs).map(|pair| NodeId(1 + 2 * pair)).collect();
            let members: Vec<[(NodeId, u32); 1]> = (0..pairs).map(|pair| [(NodeId(2 + 2 * pair), pair)]).collect();
            let hosts: Arc<[bool]> = (0..nodes).map(|node| node > 0).collect();
            let none: Arc<[bool]> = edges.iter().map(|_| false).collect();
            let sites = roots.iter().zip(&members).map(|(&root, members)| SessionSite {
                plan: SessionPlan::sparse(3),
                flow: 0,
                root,
                members,
                hosts: &hosts,
                fallible: &none,
                watched: &none,
            });
            let routes = Routes::towards(nodes as usize, &edges, &roots);
            let carriers = Carriers::default();
            let mut woods = Woods::new(nodes as usize, &edges, &routes, &carriers);
            let mut multicast = Multicast::new(sites, &mut woods);
            for _ in 0..moved {
                multicast.retree(Instant::ZERO, &mut woods, &mut Vec::new());
            }
            let sum = |count: fn(&Session) -> usize| multicast.sessions.iter().map(count).sum();
            [
                sum(|one| one.tree.len()),
                sum(|one| one.tree.branches().len()),
                sum(Session::room),
                multicast.crossings.len(),
            ]
        }
        for pairs in [1, 10, 100] {
            for moved in [0, 2] {
                assert_eq!(room(pairs, moved), [3, 2, 3 * 3 + 3 + 2 + 2 + 1, 4].map(|each| each * pairs as usize));
            }
        }
    }
}
