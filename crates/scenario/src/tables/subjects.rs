//! Who a run's tables are about.

use crate::network::{Network, NetworkSession};
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::group_set::Role;
use faircast_proto::scheme::Scheme;
use faircast_sim::ids::LinkId;

/// The subjects of a run, in the order of the simulator.
#[derive(Clone, Debug, Default)]
pub struct Subjects {
    /// Names of nodes.
    pub nodes: Vec<String>,
    /// Names of links, one direction each.
    pub links: Vec<String>,
    /// The nodes at which each link starts and ends, before any change.
    pub ends: Vec<[u32; 2]>,
    /// Names of flows, those of sessions after the others.
    pub flows: Vec<String>,
    /// Names of entries of web traffic.
    pub web: Vec<String>,
    /// Names of flows and of entries of web traffic whose connections proxies split.
    pub split: Vec<String>,
    /// Of each flow, whether it is a session's.
    pub is_session: Vec<bool>,
    /// Of each flow, whether it answers congestion.
    pub is_controlled: Vec<bool>,
    /// Names of the receivers of sessions.
    pub members: Vec<String>,
    /// The groups of all sessions.
    pub groups: Vec<GroupSubject>,
    /// The links whose queues are watched.
    pub queues: Vec<QueueSubject>,
    /// Whether any link sends symbols.
    pub has_symbols: bool,
}

/// A queue that is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueSubject {
    /// Which link's.
    pub link: LinkId,
    /// Its classes, however deep: what each is called, and of each flow whether its packets are in it.
    pub classes: Vec<(String, Vec<bool>)>,
}

/// A group of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupSubject {
    /// Which of the flows its session is.
    pub flow: u32,
    /// Its number in the session.
    pub number: u32,
    /// The rank of the layer that it is, if it is one.
    pub layer: Option<u8>,
}

impl Subjects {
    /// The subjects of `network`, whose nodes and links are taken: tables need no more than what is here of them, and
    /// come when memory is fullest.
    pub fn taken_from(network: &mut Network) -> Subjects {
        let queues = network.probed_queues().into_iter().map(|link| QueueSubject::of(network, link)).collect();
        let has_symbols = network.links.iter().any(|link| link.symbols.is_some());
        let (nodes, links) = (std::mem::take(&mut network.nodes), std::mem::take(&mut network.links));
        let ends = links.iter().map(|link| [link.from, link.to]).collect();
        // In a vector of their own: one that is collected in place keeps the room that links took.
        let mut names = Vec::with_capacity(links.len());
        names.extend(links.into_iter().map(|link| link.name));
        let unicast = network.flows.iter().map(|flow| (&flow.name, false, flow.kind.is_controlled()));
        let sessions = network.sessions.iter().map(|session| (&session.name, true, session.config.is_controlled()));
        let flows: Vec<_> = unicast.chain(sessions).collect();
        let first = network.flows.len() as u32;
        let of_session = |(flow, session): (u32, &NetworkSession)| {
            let layer = |role| if let Role::Layer(rank) = role { Some(rank) } else { None };
            let plans = (0..).zip(session.config.groups());
            plans.map(|(number, plan)| GroupSubject { flow, number, layer: layer(plan.role) }).collect::<Vec<_>>()
        };
        let split_flows = network.flows.iter().filter(|flow| flow.pep.is_some()).map(|flow| &flow.name);
        let split_web = network.web.iter().filter(|web| !web.pep.is_empty()).map(|web| &web.name);
        let members = || network.sessions.iter().flat_map(|session| &session.receivers);
        Subjects {
            nodes: nodes.into_iter().map(|node| node.name).collect(),
            links: names,
            ends,
            flows: flows.iter().map(|(name, ..)| (*name).clone()).collect(),
            web: network.web.iter().map(|web| web.name.clone()).collect(),
            split: split_flows.chain(split_web).cloned().collect(),
            is_session: flows.iter().map(|(_, is_session, _)| *is_session).collect(),
            is_controlled: flows.iter().map(|(.., is_controlled)| *is_controlled).collect(),
            members: members().map(|receiver| receiver.name.clone()).collect(),
            groups: (first..).zip(&network.sessions).flat_map(of_session).collect(),
            queues,
            has_symbols,
        }
    }

    /// How many layers a flow has: none unless it is a session.
    pub(crate) fn layers(&self, flow: usize) -> usize {
        // They stand session by session.
        let start = self.groups.partition_point(|group| (group.flow as usize) < flow);
        let own = self.groups[start..].iter().take_while(|group| group.flow as usize == flow);
        own.filter(|group| group.layer.is_some()).count()
    }

    /// Whether a flow is a session of several layers, so that there is something to say of levels.
    pub(crate) fn has_levels(&self, flow: usize) -> bool {
        self.layers(flow) > 1
    }

    /// Which of the members a receiver is, of the receivers of all flows; nothing for that of a flow between two
    /// endpoints. Flows come before sessions, and each has one receiver.
    pub(crate) fn member(&self, receiver: usize) -> Option<usize> {
        // Asked for every row of a table: a search, not a count.
        let flows = self.is_session.partition_point(|is_session| !is_session);
        receiver.checked_sub(flows)
    }
}

impl QueueSubject {
    /// The queue of a link of `network`.
    fn of(network: &Network, link: LinkId) -> QueueSubject {
        let of_flows = network.flows.iter().map(|flow| flow.dscp);
        let dscp: Vec<u8> = of_flows.chain(network.sessions.iter().map(|session| session.dscp)).collect();
        let has = |bits: u64| dscp.iter().map(|dscp| bits >> dscp & 1 == 1).collect();
        let classes = network.links[link.index()].queue.classes();
        QueueSubject { link, classes: classes.into_iter().map(|(name, bits)| (name, has(bits))).collect() }
    }
}
