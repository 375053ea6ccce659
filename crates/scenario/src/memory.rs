//! How much memory a run takes, worked out on its network before anything is built.
//!
//! An upper bound where one is known, so that a run that is let in does not die for want of memory: what is known
//! exactly (rows, nodes, links), and for packets what the traffic on each link can fill. Links that nobody uses hold
//! nothing.

use crate::network::{DirectedLink, FlowKind, Network, NetworkSession};
use crate::problem::Problem;
use faircast_proto::packet::Packet;
use faircast_proto::quantity::QueueSize;
use faircast_proto::scheme::Scheme;
use faircast_proto::time::{Duration, Rate};
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::routing::{Edge, Graph, Routes};
use faircast_sim::{link, probe};
use std::collections::BTreeSet;

/// What a run is expected to take.
#[derive(Clone, Debug)]
pub struct Forecast {
    parts: Vec<Part>,
}

/// A part of it.
#[derive(Clone, Debug)]
struct Part {
    /// What it is.
    what: &'static str,
    /// The key that it follows from.
    path: &'static str,
    bytes: f64,
}

impl Forecast {
    /// The forecast for a run of `network`.
    pub fn of(network: &Network) -> Forecast {
        let traffic = Traffic::of(network);
        let rows = |interval: Duration| network.duration.as_secs_f64() / interval.as_secs_f64().max(1e-6) + 1.0;
        let (nodes, directions) = (network.nodes.len() as f64, network.links.len() as f64);
        let receivers: usize = network.sessions.iter().map(|session| session.receivers.len()).sum();
        let (flows, sessions, receivers) =
            (network.flows.len() as f64, network.sessions.len() as f64, receivers as f64);
        let probes = &network.probes;
        let moments = |on: bool| if on { rows(probes.interval) } else { 0.0 };
        let sampled = probes.queues.len() as f64 * rows(probes.queue_interval);
        let part = |what, path, bytes| Part { what, path, bytes };
        let parts = vec![
            part("nodes", "topology", nodes * NODE),
            part("links", "topology", directions * (DIRECTION + size_of::<link::Link>() as f64)),
            part("flows", "flows", flows * FLOW),
            part("receivers", "sessions", (sessions + receivers) * FLOW + sessions * (nodes + directions) * TREE),
            part("routes", "topology", routes(network)),
            part("packets under way", "flows", traffic.under_way * PACKET),
            part(
                "rows of flows",
                "probes.interval",
                (flows + sessions) * moments(probes.flows) * row(size_of::<probe::SenderRow>(), FLOW_COLUMNS),
            ),
            part(
                "rows of receivers",
                "probes.interval",
                (flows + receivers) * moments(probes.flows) * row(size_of::<probe::ReceiverRow>(), RECEIVER_COLUMNS),
            ),
            part(
                "rows of links",
                "probes.interval",
                directions * moments(probes.links) * row(size_of::<probe::LinkRow>(), LINK_COLUMNS),
            ),
            part(
                "samples of queues",
                "probes.queue_interval",
                sampled * row(size_of::<probe::QueueRow>(), QUEUE_COLUMNS),
            ),
            part(
                "events at queues",
                "probes.packets",
                traffic.events * row(size_of::<probe::PacketRow>(), PACKET_COLUMNS),
            ),
        ];
        Forecast { parts }
    }

    /// Bytes in all.
    pub fn bytes(&self) -> f64 {
        self.parts.iter().map(|part| part.bytes).sum()
    }

    /// The problem of a run for which there are only `available` bytes.
    pub fn too_large(&self, available: f64) -> Option<Problem> {
        let total = self.bytes();
        let largest = self.parts.iter().max_by(|a, b| a.bytes.total_cmp(&b.bytes))?;
        let message = || {
            format!(
                "too large for memory: up to {} may be needed and {} are free for it; most of it, {}, for {}",
                shown(total),
                shown(available),
                shown(largest.bytes),
                largest.what
            )
        };
        (total > available).then(|| Problem::new(largest.path, message()))
    }
}

/// Bytes for the routes of all nodes towards each node with an end of a flow. Without loops, so with no more links than
/// nodes, an end stands in the tables of the routers above it only.
fn routes(network: &Network) -> f64 {
    let of_flows = network.flows.iter().flat_map(|flow| [flow.from, flow.to]);
    let of_sessions = network.sessions.iter().flat_map(|session| {
        std::iter::once(session.source).chain(session.receivers.iter().map(|receiver| receiver.node))
    });
    let ends = of_flows.chain(of_sessions).collect::<BTreeSet<u32>>().len() as f64;
    let nodes = network.nodes.len() as f64;
    let tables = if (network.links.len() as f64) < 2.0 * nodes { nodes.min(LEVELS) } else { nodes };
    nodes * NODE_ROUTES + tables * ends * ROUTE
}

/// What the traffic of a network may fill.
struct Traffic {
    /// Packets that may be under way at once.
    under_way: f64,
    /// Events at the queues of which all are kept.
    events: f64,
}

/// What crosses one link.
#[derive(Clone, Default)]
struct Load {
    /// Packets that those who send over it may have under way.
    most: f64,
    /// Packets that arrive in the whole run.
    arrivals: f64,
    /// Bits of the smallest packet.
    smallest: f64,
    /// Bit/s at which packets may come.
    inflow: f64,
    /// Links over which they come, and sources that are here.
    feeders: f64,
}

impl Traffic {
    fn of(network: &Network) -> Traffic {
        let edges = network.edges();
        let (ways, trees) = (ways(network, &edges), trees(network, &edges));
        let mut loads = vec![Load::default(); network.links.len()];
        inflow(network, &ways, &trees, &mut loads);
        let all = flows(network, &ways, &mut loads) + sessions(network, &trees, &mut loads);
        let seconds = network.duration.as_secs_f64();
        let held = |(link, load): (&DirectedLink, &Load)| {
            if load.smallest == 0.0 {
                return 0.0;
            }
            let rate = link.rate.as_bps_f64();
            let wire = rate * link.delay.as_secs_f64() / load.smallest;
            // A queue grows by what comes faster than it goes; otherwise only what comes at one moment waits.
            let growth = ((load.inflow - rate).max(0.0) * seconds / load.smallest).max(0.0) + load.feeders;
            (wire + limit_pkts(link, load.smallest).min(growth) + 1.0).min(load.most)
        };
        let on_links: f64 = network.links.iter().zip(&loads).map(held).sum();
        let events = network.probes.packets.iter().map(|&link| {
            let load = &loads[link.index()];
            let departures = network.links[link.index()].rate.as_bps_f64() * seconds / load.smallest.max(1.0);
            load.arrivals + load.arrivals.min(departures)
        });
        Traffic { under_way: on_links.min(all), events: events.sum() }
    }
}

/// A flow's links there and back.
struct Way {
    there: Vec<LinkId>,
    back: Vec<LinkId>,
}

fn ways(network: &Network, edges: &[Edge]) -> Vec<Way> {
    let ends: BTreeSet<u32> = network.flows.iter().flat_map(|flow| [flow.from, flow.to]).collect();
    let routes = Routes::towards(network.nodes.len(), edges, &ends.into_iter().map(NodeId).collect::<Vec<_>>());
    let way = |from: u32, to: u32| {
        let mut links = Vec::new();
        let mut at = NodeId(from);
        while let Some(link) = routes.next(at, NodeId(to)) {
            links.push(link);
            at = edges[link.index()].to;
        }
        links
    };
    network.flows.iter().map(|flow| Way { there: way(flow.from, flow.to), back: way(flow.to, flow.from) }).collect()
}

/// Adds the load of flows and of what comes back; returns the packets that they may have under way, all together.
fn flows(network: &Network, ways: &[Way], loads: &mut [Load]) -> f64 {
    let mut all = 0.0;
    for (flow, way) in network.flows.iter().zip(ways) {
        let (stop, start) = (flow.stop.unwrap_or(network.duration).min(network.duration), flow.start);
        let seconds = Duration(stop.0.saturating_sub(start.0)).as_secs_f64();
        let bits = 8.0 * flow.kind.packet_bytes().max(1) as f64;
        let sent = |rate: Rate| rate.as_bps_f64() * seconds / bits + 1.0;
        let (most, arrivals) = match &flow.kind {
            FlowKind::Cbr(config) => (sent(config.rate), sent(config.rate)),
            FlowKind::OnOff(config) => (sent(config.rate), sent(config.rate)),
            FlowKind::Tcp(config) => {
                let (window, carried) = tcp_window(network, way, loads, seconds, bits);
                let most = config.wnd.map_or(window, |wnd| wnd.0.min(window));
                (most, AT_ONCE * carried + most)
            }
        };
        let mut add = |link: &LinkId, bits: f64| loads[link.index()].add(most, arrivals, bits);
        way.there.iter().for_each(|link| add(link, bits));
        if let FlowKind::Tcp(config) = &flow.kind {
            way.back.iter().for_each(|link| add(link, 8.0 * config.hdr.0.max(1) as f64));
        }
        all += most;
    }
    all
}

/// The most segments that TCP may have under way, and those that its way carries in the whole run.
///
/// It cannot have more than was acknowledged and a first window, and it finds out about a full queue within a round
/// trip,
/// in which slow start doubles what fills the way and those of its queues that can grow.
fn tcp_window(network: &Network, way: &Way, loads: &[Load], seconds: f64, bits: f64) -> (f64, f64) {
    let rate = slowest(network, &way.there);
    let carried = rate * seconds / bits;
    let both = || way.there.iter().chain(&way.back).map(|id| (&network.links[id.index()], &loads[id.index()]));
    let delay: f64 = both().map(|(link, _)| link.delay.as_secs_f64()).sum();
    let growing = both().filter(|(link, load)| load.inflow > link.rate.as_bps_f64());
    let queues: f64 = growing.map(|(link, _)| limit_pkts(link, bits)).sum();
    (FIRST_WINDOW + carried.min(AT_ONCE * (rate * delay / bits + queues)), carried)
}

fn slowest(network: &Network, way: &[LinkId]) -> f64 {
    way.iter().map(|id| network.links[id.index()].rate.as_bps_f64()).fold(f64::INFINITY, f64::min)
}

/// The packets that may wait at a link, those of the whole run left aside.
fn limit_pkts(link: &DirectedLink, bits: f64) -> f64 {
    match link.queue.limit() {
        QueueSize::Packets(packets) => packets,
        QueueSize::Bytes(bytes) => bytes as f64 * 8.0 / bits,
    }
}

/// Says at which rate packets may come to each link: from the links before it, and from those who send there.
fn inflow(network: &Network, ways: &[Way], trees: &[Vec<(LinkId, Option<LinkId>)>], loads: &mut [Load]) {
    let mut turns = BTreeSet::new();
    let mut from_source = |link: LinkId, rate: f64| {
        loads[link.index()].inflow += rate;
        loads[link.index()].feeders += 1.0;
    };
    for (flow, Way { there, back }) in network.flows.iter().zip(ways) {
        turns.extend(there.windows(2).chain(back.windows(2)).map(|turn| (turn[0], turn[1])));
        let (data, answers) = match &flow.kind {
            FlowKind::Cbr(config) => (config.rate.as_bps_f64(), 0.0),
            FlowKind::OnOff(config) => (config.rate.as_bps_f64(), 0.0),
            FlowKind::Tcp(config) => {
                let rate = AT_ONCE * slowest(network, there);
                (rate, rate * config.hdr.0 as f64 / flow.kind.packet_bytes().max(1) as f64)
            }
        };
        for (way, rate) in [(there, data), (back, answers)] {
            way.first().filter(|_| rate > 0.0).iter().for_each(|link| from_source(**link, rate));
        }
    }
    for (session, tree) in network.sessions.iter().zip(trees) {
        let rate = sending_rate(network, session);
        for &(link, before) in tree {
            match before {
                Some(before) => drop(turns.insert((before, link))),
                None => from_source(link, rate),
            }
        }
    }
    for (before, link) in turns {
        loads[link.index()].inflow += network.links[before.index()].rate.as_bps_f64();
        loads[link.index()].feeders += 1.0;
    }
}

/// Of each session the links of its tree, with the link before it unless that is the source.
fn trees(network: &Network, edges: &[Edge]) -> Vec<Vec<(LinkId, Option<LinkId>)>> {
    let graph = Graph::new(network.nodes.len(), edges);
    let tree = |session: &NetworkSession| {
        let up = graph.towards(NodeId(session.source));
        let down = graph.down(&up);
        let (mut visited, mut links) = (vec![false; network.links.len()], Vec::new());
        for receiver in &session.receivers {
            let mut at = receiver.node as usize;
            while let (Some(towards), Some(link)) = (up[at], down[at]) {
                if std::mem::replace(&mut visited[link.index()], true) {
                    break;
                }
                at = edges[towards.index()].to.index();
                links.push((link, down[at]));
            }
        }
        links
    };
    network.sessions.iter().map(tree).collect()
}

/// The most that the source of a session ever sends, bit/s.
fn sending_rate(network: &Network, session: &NetworkSession) -> f64 {
    let out = network.links.iter().filter(|link| link.from == session.source).map(|link| link.rate).max();
    session.config.max_rate().or(out).unwrap_or_default().as_bps_f64()
}

/// Adds the load of sessions: a packet may be on every link of its tree. Returns the packets that may be under way.
fn sessions(network: &Network, trees: &[Vec<(LinkId, Option<LinkId>)>], loads: &mut [Load]) -> f64 {
    let mut all = 0.0;
    for (session, tree) in network.sessions.iter().zip(trees) {
        let bits = 8.0 * session.config.packet_bytes().max(1) as f64;
        let sent = sending_rate(network, session) * network.duration.as_secs_f64() / bits + 1.0;
        tree.iter().for_each(|(link, _)| loads[link.index()].add(sent, sent, bits));
        // Copies, and what receivers send: joins, and reports one by one.
        all += sent * tree.len() as f64 + 4.0 * session.receivers.len() as f64;
    }
    all
}

impl Load {
    fn add(&mut self, most: f64, arrivals: f64, bits: f64) {
        self.most += most;
        self.arrivals += arrivals;
        self.smallest = if self.smallest == 0.0 { bits } else { self.smallest.min(bits) };
    }
}

fn shown(bytes: f64) -> String {
    match bytes {
        _ if bytes >= 1e9 => format!("{:.1} GB", bytes / 1e9),
        _ if bytes >= 1e6 => format!("{:.1} MB", bytes / 1e6),
        _ => format!("{:.1} KB", bytes / 1e3),
    }
}

/// Bytes of a row: its record in a vector that grows by doubling, the numbers of the interval that columns are made
/// from
/// (two records), and the columns, in Rust and in Python.
fn row(record: usize, columns: usize) -> f64 {
    (2 * record + 2 * record + 2 * 8 * columns) as f64
}

// Columns of the tables, at 8 bytes each.
const FLOW_COLUMNS: usize = 19;
const RECEIVER_COLUMNS: usize = 10;
const LINK_COLUMNS: usize = 11;
const QUEUE_COLUMNS: usize = 4;
const PACKET_COLUMNS: usize = 7;

// Bytes that one of each takes, names and entries of calendars included: measured, see `tests/memory.rs`.
const NODE: f64 = 600.0;
const DIRECTION: f64 = 1500.0;
const FLOW: f64 = 4000.0;
const TREE: f64 = 60.0;
const ROUTE: f64 = 12.0;
const NODE_ROUTES: f64 = 300.0;
/// Routers above a host, in networks without loops.
const LEVELS: f64 = 30.0;
/// In the store, beside its tag, and as an entry of a ring; all of them grow by doubling.
const PACKET: f64 = 2.0 * (size_of::<Packet>() + 16 + 24) as f64;
/// Segments: more than any initial window of TCP that a scenario has unless it asks for more.
const FIRST_WINDOW: f64 = 10.0;
/// Segments that an acknowledgement may release (RFC 5681, section 3.1: slow start adds one for each).
const AT_ONCE: f64 = 2.0;
