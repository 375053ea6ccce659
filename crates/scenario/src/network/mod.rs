//! One network description: what every scenario becomes, whether its nodes and links come from a topology or stand
//! in the file. Nothing is left to be filled in; the next step only builds it.

pub(crate) mod changes;
pub(crate) mod pep;
mod signal;

pub use changes::{NetworkChange, NetworkHandoff, What};
pub use pep::NetworkPep;
pub use signal::{EsN0, Symbols};

use crate::model::engine::CalendarChoice;
use crate::recordings::link_trace::LinkTrace;
use crate::web::NetworkWeb;
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::liar::Lie;
use faircast_proto::playout;
use faircast_proto::random::Random;
use faircast_proto::registry::SchemeConfig;
use faircast_proto::registry::flows::FlowConfig;
use faircast_proto::scheme::Scheme;
use faircast_proto::source::application;
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_sim::change::Handoff;
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::multicast::SessionPlan;
use faircast_sim::part::LinkRole;
use faircast_sim::probe::ProbePlan;
use faircast_sim::return_channel::{Access, Grid};
use faircast_sim::routing::{Edge, Routes};
use faircast_sim::{link, loss, queue, router};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// A network, its traffic and what is to be observed.
///
/// Nodes and links come in the order of the topology, further ones and the flows in the order of their names. Nothing
/// random depends on that order: streams go by names.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// Simulated time.
    pub duration: Duration,
    /// Seed of all random streams.
    pub seed: u64,
    /// The nodes.
    pub nodes: Vec<NetworkNode>,
    /// The links, each direction apart.
    pub links: Vec<DirectedLink>,
    /// The return channels.
    pub returns: Vec<NetworkReturn>,
    /// The flows, each apart.
    pub flows: Vec<NetworkFlow>,
    /// The entries that count their flows.
    pub flow_groups: Vec<FlowGroup>,
    /// The web traffic, entry by entry.
    pub web: Vec<Arc<NetworkWeb>>,
    /// The multicast sessions.
    pub sessions: Vec<NetworkSession>,
    /// When ground stations turn to other satellites, in the order of time.
    pub handoffs: Vec<NetworkHandoff>,
    /// How often routes are computed anew, beside after changes that they follow at once.
    pub reroute_interval: Option<Duration>,
    /// What is observed.
    pub probes: ProbePlan,
    /// The data structure that holds what happens next.
    pub calendar: CalendarChoice,
    /// Whether the clocks of nodes have offsets of their own.
    pub clock_offsets: bool,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkNode {
    /// Its name.
    pub name: String,
}

/// One direction of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectedLink {
    /// The link's name, with `.back` for the direction back.
    pub name: String,
    /// Where it starts: index among the nodes.
    pub from: u32,
    /// Where it ends: index among the nodes. That of a link with legs is where it starts.
    pub to: u32,
    /// Whether it has legs or is one. A leg comes after the link with it.
    pub part: LinkRole,
    /// Its rate. That of a leg is its link's.
    pub rate: Rate,
    /// What it sends in symbols, or receives of them, if it does. The rate is then what it has at best.
    pub symbols: Option<Symbols>,
    /// Its propagation delay.
    pub delay: Duration,
    /// The queue in front of it, which links that follow each other share if it is the same. A leg has none, whatever
    /// stands here.
    pub queue: Arc<queue::Config>,
    /// What it loses.
    pub loss: loss::Config,
    /// What looks after the queue, if anything does.
    pub agent: Option<Box<router::Config>>,
    /// How departures are computed.
    pub mode: link::LinkMode,
    /// Bytes that the link layer adds to each packet.
    pub header: u16,
    /// What becomes of packets that wait when it goes down or turns elsewhere and they are not rerouted.
    pub handoff: Handoff,
    /// Whether they take another way if there is one.
    pub reroute: bool,
    /// What changes about it.
    pub changes: Vec<NetworkChange>,
    /// What it follows as it was measured; then nothing else changes about it.
    pub trace: Option<Arc<LinkTrace>>,
}

/// A carrier on which many terminals send in slots.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkReturn {
    /// Its name.
    pub name: String,
    /// The links of its terminals.
    pub links: Vec<LinkId>,
    /// How its time is cut.
    pub grid: Grid,
    /// Who sends when.
    pub access: Access,
}

/// A flow.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkFlow {
    /// Its name: that of its entry, with `-0`, `-1` and so on if the entry counts.
    pub name: String,
    /// Where it starts: index among the nodes.
    pub from: u32,
    /// Where it ends: index among the nodes.
    pub to: u32,
    /// What sends, and how.
    pub kind: FlowConfig,
    /// When it starts, its jitter not counted.
    pub start: Duration,
    /// It starts later by a random time, uniform from zero to this.
    pub start_jitter: Duration,
    /// When it stops, if before the end.
    pub stop: Option<Duration>,
    /// The DSCP of its packets.
    pub dscp: u8,
    /// What there is to send, if not always something.
    pub application: Option<application::Config>,
    /// What splits its connection, if anything does.
    pub pep: Option<Box<NetworkPep>>,
}

/// The flows of an entry that counts them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowGroup {
    /// The name of the entry.
    pub name: String,
    /// Which of the flows they are.
    pub flows: Range<usize>,
}

/// A multicast session.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkSession {
    /// Its name.
    pub name: String,
    /// Where its source is: index among the nodes.
    pub source: u32,
    /// Its scheme, and how it is set.
    pub config: SchemeConfig,
    /// When the source starts, its jitter not counted.
    pub start: Duration,
    /// It starts later by a random time, uniform from zero to this.
    pub start_jitter: Duration,
    /// When it stops, if before the end.
    pub stop: Option<Duration>,
    /// The DSCP of its packets.
    pub dscp: u8,
    /// What there is to send, if not always something; of media of a rate the most that it may be.
    pub application: Option<application::Config>,
    /// What its receivers play, if they do.
    pub playout: Option<playout::Config>,
    /// Who receives.
    pub receivers: Vec<NetworkReceiver>,
    /// How the last ones of them lie, if they do.
    pub lie: Option<Lie>,
    /// How members and routers come to its packets.
    pub plan: SessionPlan,
}

/// A receiver of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkReceiver {
    /// Its name: that of its session, with `-0`, `-1` and so on.
    pub name: String,
    /// Where it is: index among the nodes.
    pub node: u32,
    /// When it joins, its jitter not counted.
    pub join: Duration,
    /// It joins later by a random time, uniform from zero to this.
    pub join_jitter: Duration,
    /// When it leaves, if before the end.
    pub leave: Option<Duration>,
}

/// Two nodes, and what goes from one to the other.
pub(crate) struct PairOfNodes {
    pub from: u32,
    pub to: u32,
    pub dscp: u8,
    /// Size of a data packet on the wire.
    pub packet_bytes: u64,
}

/// Longer than any way of links that are up.
const AWAY: Duration = Duration::from_secs(1_000_000);

impl Network {
    /// The queue for a link that follows, that of the link before it if it is the same.
    pub(crate) fn shared(&self, queue: queue::Config) -> Arc<queue::Config> {
        match self.links.last() {
            Some(last) if *last.queue == queue => last.queue.clone(),
            _ => Arc::new(queue),
        }
    }
}

impl DirectedLink {
    /// The link of which it is a leg, if it is one.
    pub(crate) fn carrier(&self) -> Option<LinkId> {
        match self.part {
            LinkRole::Leg(carrier) => Some(carrier),
            LinkRole::Whole | LinkRole::Carrier => None,
        }
    }

    /// Whether nothing ever changes about it.
    pub(crate) fn is_constant(&self) -> bool {
        self.changes.is_empty() && self.trace.is_none()
    }

    /// What changes about it until a moment, in the order of time.
    pub(crate) fn all_changes(&self, end: Duration) -> impl Iterator<Item = NetworkChange> {
        let traced = self.trace.iter().flat_map(move |trace| trace.changes_until(end));
        self.changes.iter().take_while(move |change| change.at <= end).cloned().chain(traced)
    }

    /// What changes about it at the first instant.
    pub(crate) fn at_start(&self) -> impl Iterator<Item = What> {
        self.all_changes(Duration::ZERO).map(|change| change.what)
    }

    /// Whether it is down at the start of the run.
    pub(crate) fn begins_down(&self) -> bool {
        self.at_start().filter(|what| *what == What::Up(false)).count() > 0
    }

    /// The highest rate that it ever has.
    pub(crate) fn highest_rate(&self) -> Rate {
        let rate = |change: &NetworkChange| if let What::Rate(rate) = change.what { Some(rate) } else { None };
        let traced = self.trace.as_ref().map_or(Rate(0), |trace| trace.highest_rate());
        self.changes.iter().filter_map(rate).fold(self.rate.max(traced), Rate::max)
    }

    /// What token buckets in its queue let through over some time, and its rate, on the average, bit/s; nothing where
    /// they let all through that it ever carries.
    pub(crate) fn mean_passing_bps(&self, from: Instant, to: Instant) -> Option<f64> {
        let rate = |change: NetworkChange| match change.what {
            What::Rate(rate) => Some((Instant::ZERO + change.at, rate)),
            _ => None,
        };
        let mut rates = vec![(Instant::ZERO, self.rate)];
        rates.extend(self.all_changes(to.since(Instant::ZERO)).filter_map(rate));
        let passes = |rate: Rate| self.queue.passes(rate, self.rate);
        if rates.iter().all(|&(_, rate)| passes(rate) == rate) {
            return None;
        }
        let ends = rates.iter().skip(1).map(|&(at, _)| at).chain([Instant::FAR_FUTURE]);
        let carried = rates.iter().zip(ends).map(|(&(begin, rate), end)| {
            let time = end.min(to).since(begin.max(from));
            passes(rate).as_bps_f64() * time.as_secs_f64()
        });
        Some(carried.sum::<f64>() / to.since(from).as_secs_f64())
    }

    /// The highest rate at which something ever leaves its queue.
    pub(crate) fn highest_passing_rate(&self) -> Rate {
        self.queue.passes(self.highest_rate(), self.rate)
    }

    /// The longest delay that it ever has.
    pub(crate) fn longest_delay(&self) -> Duration {
        let delay = |change: &NetworkChange| if let What::Delay(from, _) = change.what { Some(from) } else { None };
        let traced = self.trace.as_ref().map_or(Duration::ZERO, |trace| trace.longest_delay());
        self.changes.iter().filter_map(delay).fold(self.delay.max(traced), Duration::max)
    }
}

impl NetworkFlow {
    /// When it starts in the run with this seed.
    pub fn starts(&self, seed: u64) -> Instant {
        let jitter = Random::stream(seed, &format!("flow/{}/start", self.name)).uniform();
        Instant::ZERO + self.start + self.start_jitter.mul_f64(jitter)
    }

    /// All that it has to send, bytes on the wire, each packet once; nothing if there is no end.
    pub fn transfer_bytes(&self) -> Option<u64> {
        let packet_bytes = self.kind.packet_bytes();
        let made = || Some(self.application.as_ref()?.packets(packet_bytes)?.saturating_mul(packet_bytes));
        self.kind.transfer_bytes().or_else(made)
    }

    /// The ends of its connections, one after the other: one, or several if it is split.
    pub(crate) fn hops(&self) -> impl Iterator<Item = (u32, u32)> {
        let between = self.pep.iter().flat_map(|pep| pep.at.iter().copied());
        let starts = std::iter::once(self.from).chain(between.clone());
        starts.zip(between.chain([self.to]))
    }

    /// The ends of its connections from the receiver's side: what answers goes from the first to the second.
    pub(crate) fn hops_back(&self) -> impl Iterator<Item = (u32, u32)> {
        let hops: Vec<(u32, u32)> = self.hops().collect();
        hops.into_iter().rev().map(|(from, to)| (to, from))
    }

    /// Whether it always has something to send.
    pub(crate) fn is_greedy(&self) -> bool {
        self.kind.is_controlled() && self.kind.transfer_bytes().is_none() && self.application.is_none()
    }
}

impl NetworkSession {
    /// Whether its source comes to an end of what it has to send.
    pub(crate) fn is_transfer(&self) -> bool {
        self.application.as_ref().is_some_and(|made| made.packets(self.config.packet_bytes()).is_some())
    }

    /// The media that its source makes, if they have a rate.
    pub(crate) fn film(&self) -> Option<&playout::Config> {
        self.playout.as_ref().filter(|playout| playout.media_rate.is_some())
    }

    /// When its source starts in the run with this seed.
    pub fn starts(&self, seed: u64) -> Instant {
        let jitter = Random::stream(seed, &format!("session/{}/start", self.name)).uniform();
        Instant::ZERO + self.start + self.start_jitter.mul_f64(jitter)
    }
}

impl NetworkReceiver {
    /// When it joins in the run with this seed.
    pub fn joins(&self, seed: u64) -> Instant {
        let jitter = Random::stream(seed, &format!("session/{}/join", self.name)).uniform();
        Instant::ZERO + self.join + self.join_jitter.mul_f64(jitter)
    }

    /// When it leaves; far in the future if not before the end.
    pub fn leaves(&self) -> Instant {
        self.leave.map_or(Instant::FAR_FUTURE, |leave| Instant::ZERO + leave)
    }
}

impl Network {
    /// The link direction called `name`.
    pub fn link(&self, name: &str) -> Option<u32> {
        self.links.iter().position(|link| link.name == name).map(|index| index as u32)
    }

    /// A copy in which nobody sends, and of which only the paths are observed.
    pub(crate) fn without_traffic(mut self) -> Network {
        (self.flows, self.flow_groups, self.sessions) = (Vec::new(), Vec::new(), Vec::new());
        self.web = Vec::new();
        self.links.iter_mut().for_each(|link| link.agent = None);
        let ProbePlan { interval, paths, .. } = self.probes;
        self.probes = ProbePlan { interval, paths, ..ProbePlan::default() };
        self
    }

    /// The links whose queues are watched: those that are sampled, and further ones of which packets are kept.
    pub(crate) fn probed_queues(&self) -> Vec<LinkId> {
        let ProbePlan { queues, packets, .. } = &self.probes;
        let further = packets.links.iter().filter(|link| !queues.contains(link));
        let all = queues.iter().chain(further).copied();
        all.filter(|link| self.links[link.index()].carrier().is_none()).collect()
    }

    /// The pairs of nodes between which flows and web traffic go, and what splits them.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = PairOfNodes> {
        let of_flows = self.flows.iter().flat_map(|flow| {
            let (dscp, packet_bytes) = (flow.dscp, flow.kind.packet_bytes());
            flow.hops().map(move |(from, to)| PairOfNodes { from, to, dscp, packet_bytes })
        });
        let of_web = self.web.iter().flat_map(|web| {
            let (dscp, packet_bytes) = (web.dscp, web.tcp.packet_bytes());
            web.hops().map(move |(from, to)| PairOfNodes { from, to, dscp, packet_bytes })
        });
        of_flows.chain(of_web)
    }

    /// The DSCP of each flow and session, and of each flow that web traffic may have, by the numbers that they get.
    pub(crate) fn dscp(&self) -> Vec<u8> {
        let of_flows = self.flows.iter().map(|flow| flow.dscp);
        let of_sessions = self.sessions.iter().map(|session| session.dscp);
        let of_web = self.web.iter().flat_map(|web| std::iter::repeat_n(web.dscp, web.at_once as usize));
        of_flows.chain(of_sessions).chain(of_web).collect()
    }

    /// The links as routing sees them.
    pub(crate) fn edges(&self) -> Vec<Edge> {
        // What is down at first is a way only where there is no other.
        let least = |link: &DirectedLink| if link.begins_down() { AWAY } else { Duration::ZERO };
        let edge = |link: &DirectedLink| Edge {
            from: NodeId(link.from),
            to: NodeId(link.to),
            delay: link.delay + least(link),
        };
        self.links.iter().map(edge).collect()
    }

    /// Routes towards every end of a flow or session, in the network of these links, its own.
    pub(crate) fn routes(&self, edges: &[Edge]) -> Routes {
        let of_flows = self.pairs().flat_map(|pair| [pair.from, pair.to]);
        let of_sessions = self.sessions.iter().flat_map(|session| {
            std::iter::once(session.source).chain(session.receivers.iter().map(|receiver| receiver.node))
        });
        let ends: Vec<NodeId> = of_flows.chain(of_sessions).map(NodeId).collect();
        Routes::towards(self.nodes.len(), edges, &ends)
    }

    /// Routes towards these nodes alone.
    pub(crate) fn routes_between(edges: &[Edge], nodes: usize, ends: &[u32]) -> Routes {
        Routes::towards(nodes, edges, &ends.iter().copied().map(NodeId).collect::<Vec<_>>())
    }

    /// Whether routes may change.
    pub(crate) fn reroutes(&self) -> bool {
        let turns = |link: &DirectedLink| {
            let traced = link.trace.as_ref().is_some_and(|trace| trace.of_routes());
            traced || link.changes.iter().any(NetworkChange::is_of_routes)
        };
        self.reroute_interval.is_some() || self.links.iter().any(turns)
    }

    /// Mean size of the data packets of all flows and sessions, whichever links they cross, rounded; 1000 without any.
    pub fn mean_packet_bytes(&self) -> u32 {
        let of_flows = self.pairs().map(|pair| pair.packet_bytes);
        let sizes: Vec<u64> =
            of_flows.chain(self.sessions.iter().map(|session| session.config.packet_bytes())).collect();
        match sizes.len() as u64 {
            0 => 1000,
            flows => ((sizes.iter().sum::<u64>() + flows / 2) / flows) as u32,
        }
    }

    /// Indices of the link directions by name.
    pub(crate) fn links_by_name(&self) -> BTreeMap<&str, u32> {
        (0..).zip(&self.links).map(|(index, link)| (link.name.as_str(), index)).collect()
    }
}
