//! What the traffic of a network may fill: packets on links and in queues, trees of sessions.

use super::legs;
use super::load::Load;
use crate::network::{DirectedLink, Network, NetworkSession};
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::quantity::QueueSize;
use faircast_proto::scheme::Scheme;
use faircast_proto::source::application;
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::multicast::Mode;
use faircast_sim::probe::{PacketAction, PacketPlan};
use faircast_sim::routing::{Edge, Routes};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What the traffic of a network may fill.
pub(super) struct Traffic {
    /// Packets that may be under way at once; one that is on its way to legs counts once.
    pub(super) under_way: f64,
    /// Bytes for what each leg is to get of them.
    pub(super) to_legs_bytes: f64,
    /// Events at the queues of which all are kept.
    pub(super) events: f64,
    /// Bytes that the trees of sessions take.
    pub(super) in_trees: f64,
    /// Links on which the dilation of sessions is told, session by session.
    pub(super) dilated: f64,
    /// Links that have a row in the same interval.
    pub(super) used: f64,
    /// Queues that are watched, each with every flow and session whose packets may wait there.
    pub(super) watched: f64,
}

impl Traffic {
    pub(super) fn of(network: &Network) -> Traffic {
        let edges = network.edges();
        let routes = network.routes(&edges);
        let (ways, trees) = (ways(network, &edges, &routes), trees(network, &edges, &routes));
        let mut loads = vec![Load::default(); network.links.len()];
        inflow(network, &ways, &trees, &mut loads);
        let all = flows(network, &ways, &Span::all(network), &mut loads)
            + sessions(network, &trees, &Span::all(network), &mut loads);
        let seconds = network.duration.as_secs_f64();
        let held = |(link, load): (&DirectedLink, &Load)| {
            if load.smallest == 0.0 {
                return 0.0;
            }
            let rate = link.rate.as_bps_f64();
            // What comes more slowly than the link could go does not fill it: answers, above all.
            let rate_on_wire = link.highest_rate().as_bps_f64().min(load.at_a_time);
            let wire = rate_on_wire * link.longest_delay().as_secs_f64() / load.smallest;
            // A queue grows by what comes faster than it goes; otherwise only what comes at one moment waits. Of a link
            // that changes nobody knows how fast it goes.
            let goes = if link.is_constant() { rate } else { 0.0 };
            let growth = ((load.inflow - goes).max(0.0) * seconds / load.smallest).max(0.0) + load.feeders;
            (wire + limit_pkts(link, load.smallest).min(growth) + 1.0).min(load.most)
        };
        let reroutes = network.reroutes();
        if reroutes {
            // Everything may go everywhere.
            let anything = loads.iter().filter(|load| load.smallest > 0.0).fold(Load::default(), |sum, load| Load {
                smallest: if sum.smallest == 0.0 { load.smallest } else { sum.smallest.min(load.smallest) },
                inflow: f64::INFINITY,
                at_a_time: f64::INFINITY,
                most: all,
                arrivals: sum.arrivals + load.arrivals,
                ..sum
            });
            loads.fill(anything);
        }
        let whole = network.links.iter().zip(&loads).filter(|(link, _)| link.carrier().is_none());
        let (to_legs, to_legs_bytes) = legs::held(network, &loads);
        let on_links: f64 = whole.map(held).sum::<f64>() + to_legs;
        let under_way = on_links.min(all);
        let events = packet_events(network, &ways, &trees, &loads, under_way);
        let (mut in_trees, mut dilated) = (0.0, 0.0);
        for (session, tree) in network.sessions.iter().zip(&trees) {
            let places = match session.plan.mode {
                Mode::Sparse if !reroutes => tree.len() + 1,
                // They may come to every node.
                _ => network.nodes.len(),
            };
            in_trees += places as f64 * (TREE + f64::from(session.plan.groups) * COUNTED);
            if session.plan.groups > 1 && session.receivers.len() > 1 {
                // Not those to single receivers; where routes change all that were on the tree once.
                dilated += if reroutes { network.links.len() } else { tree.len() } as f64;
            }
        }
        let watched = watched(network, &ways);
        let used = if reroutes { used(network, &ways, &trees) } else { network.links.len() as f64 };
        Traffic { under_way, to_legs_bytes, events, in_trees, dilated, used, watched }
    }
}

/// How many links something happens at in an interval, where routes change: an estimate. Each way is taken for twice as
/// long as the longest is at first, since it may become longer and be another one within the interval.
fn used(network: &Network, ways: &[RoundTripLinks], trees: &[Tree]) -> f64 {
    let longest = ways.iter().map(|way| way.there.len().max(way.back.len())).max().unwrap_or(0).max(SHORTEST_WAY);
    let receivers = network.sessions.iter().map(|session| session.receivers.len()).sum::<usize>();
    let of_trees = trees.iter().map(Vec::len).sum::<usize>().max(receivers * longest);
    (2 * 2 * (network.flows.len() * longest + of_trees)).min(network.links.len()) as f64
}

/// How many flows and sessions may come to the queues that are watched. Of a session some may answer over any link.
fn watched(network: &Network, ways: &[RoundTripLinks]) -> f64 {
    let (queues, anywhere) = (network.probed_queues(), network.reroutes());
    let of_flows = ways.iter().map(|way| {
        let crosses = |link: &&LinkId| anywhere || way.there.contains(link) || way.back.contains(link);
        queues.iter().filter(crosses).count()
    });
    (of_flows.sum::<usize>() + network.sessions.len() * queues.len()) as f64
}

/// What is kept of what happens to packets: at the links that are observed, in the time and of the flows that count.
fn packet_events(network: &Network, ways: &[RoundTripLinks], trees: &[Tree], all: &[Load], under_way: f64) -> f64 {
    let plan = &network.probes.packets;
    if plan.links.is_empty() {
        return 0.0;
    }
    let span = Span::of(network, plan);
    let mut loads = vec![Load::default(); network.links.len()];
    inflow(network, ways, trees, &mut loads);
    flows(network, ways, &span, &mut loads);
    sessions(network, trees, &span, &mut loads);
    if network.reroutes() {
        // Everything may go everywhere.
        let arrivals = loads.iter().map(|load| load.arrivals).sum();
        loads.iter_mut().for_each(|load| load.arrivals = arrivals);
    }
    // What was sent before the span may come in it.
    let early = if span.from > Instant::ZERO { under_way } else { 0.0 };
    let departs = plan.actions[PacketAction::Departed.index()];
    let of_link = |link: &LinkId| {
        let (rate, smallest) = (network.links[link.index()].rate.as_bps_f64(), all[link.index()].smallest);
        let arrivals = loads[link.index()].arrivals + early.min(all[link.index()].arrivals);
        let departures = rate * span.seconds() / smallest.max(1.0);
        arrivals + if departs { arrivals.min(departures) } else { 0.0 }
    };
    plan.links.iter().map(of_link).sum()
}

/// A part of a run: a time, and flows.
pub(super) struct Span {
    pub(super) from: Instant,
    pub(super) until: Instant,
    /// By flow, sessions after the others; all if there is none.
    pub(super) flows: Option<Arc<[bool]>>,
}

impl Span {
    /// The whole of it.
    pub(super) fn all(network: &Network) -> Span {
        Span { from: Instant::ZERO, until: Instant::ZERO + network.duration, flows: None }
    }

    /// That of which a plan keeps what happens to packets.
    fn of(network: &Network, plan: &PacketPlan) -> Span {
        let until = plan.until.min(Instant::ZERO + network.duration);
        Span { from: plan.from.min(until), until, flows: plan.flows.clone() }
    }

    fn seconds(&self) -> f64 {
        self.until.since(self.from).as_secs_f64()
    }

    /// How long something from `start` to `stop` lasts in it.
    fn overlap_s(&self, start: Duration, stop: Duration) -> f64 {
        let (start, stop) = ((Instant::ZERO + start).max(self.from), (Instant::ZERO + stop).min(self.until));
        stop.since(start).as_secs_f64()
    }

    fn has(&self, flow: usize) -> bool {
        self.flows.as_ref().is_none_or(|flows| flows[flow])
    }
}

/// A way that is longer than most at first, when some may lead nowhere yet.
const SHORTEST_WAY: usize = 16;

/// The links of a session's tree, each with the link before it unless that is the source.
pub(super) type Tree = Vec<(LinkId, Option<LinkId>)>;

/// A flow's links there and back. A leg follows the link that has it.
pub(super) struct RoundTripLinks {
    pub(super) there: Vec<LinkId>,
    pub(super) back: Vec<LinkId>,
}

pub(super) fn ways(network: &Network, edges: &[Edge], routes: &Routes) -> Vec<RoundTripLinks> {
    let parts = |link: LinkId| network.links[link.index()].carrier().into_iter().chain([link]);
    let way = |(from, to): (u32, u32)| routes.way(edges, NodeId(from), NodeId(to)).flat_map(parts);
    network
        .flows
        .iter()
        .map(|flow| RoundTripLinks {
            there: flow.hops().flat_map(way).collect(),
            back: flow.hops_back().flat_map(way).collect(),
        })
        .collect()
}

/// Adds the load of flows and of what comes back; returns the packets that they may have under way, all together.
pub(super) fn flows(network: &Network, ways: &[RoundTripLinks], span: &Span, loads: &mut [Load]) -> f64 {
    let mut all = 0.0;
    for (_, (flow, way)) in network.flows.iter().zip(ways).enumerate().filter(|&(flow, _)| span.has(flow)) {
        let seconds = span.overlap_s(flow.start, flow.stop.unwrap_or(network.duration));
        let bits = 8.0 * flow.kind.packet_bytes().max(1) as f64;
        let sent = |rate: Rate| rate.as_bps_f64() * seconds / bits + 1.0;
        let (most, arrivals) = match flow.kind.peak_rate() {
            Some(rate) => (sent(rate), sent(rate)),
            None => {
                let made = made_pkts(flow.application.as_ref(), flow.kind.packet_bytes(), seconds);
                let (window, carried) = tcp_window(network, way, loads, seconds, bits);
                let carried = carried.min(made);
                let window = window + flow.kind.first_pkts().max(FIRST_WINDOW);
                let most = flow.kind.window_pkts().map_or(window, |wnd| wnd.min(window));
                (most, AT_ONCE * carried + most)
            }
        };
        let mut add = |link: &LinkId, bits: f64| loads[link.index()].add(most, arrivals, bits);
        way.there.iter().for_each(|link| add(link, bits));
        let answer = flow.kind.answer_bytes();
        if answer > 0 {
            way.back.iter().for_each(|link| add(link, 8.0 * answer as f64));
        }
        all += most;
    }
    all
}

/// The most segments by which TCP's window grows, and the segments that its way carries in the whole run.
///
/// The window grows by a segment at most for each that is acknowledged, and these are no more than the way carries. It
/// also stays below twice what fills the way and those of its queues that can grow: beyond that a queue overflows, and
/// slow start doubles the window only once until TCP knows, a round trip later.
pub(super) fn tcp_window(
    network: &Network,
    way: &RoundTripLinks,
    loads: &[Load],
    seconds: f64,
    bits: f64,
) -> (f64, f64) {
    let rate = slowest(network, &way.there);
    let carried = rate * seconds / bits;
    let both = || way.there.iter().chain(&way.back).map(|id| (&network.links[id.index()], &loads[id.index()]));
    let delay: f64 = both().map(|(link, _)| link.delay.as_secs_f64()).sum();
    let growing = both().filter(|(link, load)| load.inflow > link.rate.as_bps_f64());
    let queues: f64 = growing.map(|(link, _)| limit_pkts(link, bits)).sum();
    (carried.min(AT_ONCE * (rate * delay / bits + queues)), carried)
}

pub(super) fn slowest(network: &Network, way: &[LinkId]) -> f64 {
    way.iter().map(|id| network.links[id.index()].rate.as_bps_f64()).fold(f64::INFINITY, f64::min)
}

/// The packets that may wait at a link, those of the whole run left aside.
pub(super) fn limit_pkts(link: &DirectedLink, bits: f64) -> f64 {
    match link.queue.limit() {
        QueueSize::Packets(packets) => packets,
        QueueSize::Bytes(bytes) => bytes as f64 * 8.0 / bits,
    }
}

/// Says at which rate packets may come to each link: from the links before it, and from those who send there.
pub(super) fn inflow(network: &Network, ways: &[RoundTripLinks], trees: &[Tree], loads: &mut [Load]) {
    let mut turns = BTreeSet::new();
    let mut comes = |link: LinkId, [rate, at_a_time]: [f64; 2], at_once: f64| {
        let load = &mut loads[link.index()];
        load.inflow += rate;
        load.at_a_time += at_a_time;
        load.feeders += at_once;
    };
    for (flow, RoundTripLinks { there, back }) in network.flows.iter().zip(ways) {
        turns.extend(there.windows(2).chain(back.windows(2)).map(|turn| (turn[0], turn[1])));
        let data = flow.kind.peak_rate().map_or_else(|| AT_ONCE * slowest(network, there), Rate::as_bps_f64);
        let answer = flow.kind.answer_bytes() as f64 / flow.kind.packet_bytes().max(1) as f64;
        // Packets that have waited somewhere come as fast as the last link goes, and are answered one by one.
        let last = there.last().map_or(0.0, |last| network.links[last.index()].highest_rate().as_bps_f64());
        let ends = [
            (there, [data, f64::INFINITY], flow.kind.first_pkts()),
            (back, [answer * data, answer * last.max(data)], 1.0),
        ];
        for (way, rates, at_once) in ends {
            way.first().filter(|_| rates[0] > 0.0).iter().for_each(|link| comes(**link, rates, at_once));
        }
    }
    for (rate, tree) in sending_rates(network).into_iter().zip(trees) {
        for &(link, before) in tree {
            match before {
                Some(before) => drop(turns.insert((before, link))),
                None => comes(link, [rate, f64::INFINITY], 1.0),
            }
        }
    }
    for (before, link) in turns {
        let rate = network.links[before.index()].highest_rate().as_bps_f64();
        comes(link, [rate, rate], 1.0);
    }
}

/// The trees of all sessions.
pub(super) fn trees(network: &Network, edges: &[Edge], routes: &Routes) -> Vec<Tree> {
    // By link: the last session in whose tree it was found.
    let mut found = vec![usize::MAX; edges.len()];
    let tree = |(index, session): (usize, &NetworkSession)| {
        let mut links = Vec::new();
        for receiver in &session.receivers {
            let way = routes.way(edges, NodeId(receiver.node), NodeId(session.source));
            let parts = |link: LinkId| [link].into_iter().chain(network.links[link.index()].carrier());
            let mut way = way.map_while(|up| routes.back(edges, up)).flat_map(parts).peekable();
            while let Some(link) = way.next() {
                if std::mem::replace(&mut found[link.index()], index) == index {
                    break;
                }
                links.push((link, way.peek().copied()));
            }
        }
        links
    };
    (0..).zip(&network.sessions).map(tree).collect()
}

/// The most that the source of each session ever sends, bit/s.
pub(super) fn sending_rates(network: &Network) -> Vec<f64> {
    let mut fastest = vec![Rate::default(); network.nodes.len()];
    for link in &network.links {
        let out = &mut fastest[link.from as usize];
        *out = link.rate.max(*out);
    }
    let rate = |session: &NetworkSession| session.config.max_rate().unwrap_or(fastest[session.source as usize]);
    network.sessions.iter().map(|session| rate(session).as_bps_f64()).collect()
}

/// Adds the load of sessions: a packet may be on every link of its tree. Returns the packets that may be under way.
pub(super) fn sessions(network: &Network, trees: &[Tree], span: &Span, loads: &mut [Load]) -> f64 {
    let mut all = 0.0;
    let first = network.flows.len();
    let sessions = network.sessions.iter().zip(sending_rates(network)).zip(trees).enumerate();
    for (_, ((session, rate), tree)) in sessions.filter(|&(index, _)| span.has(first + index)) {
        let bits = 8.0 * session.config.packet_bytes().max(1) as f64;
        let made =
            made_pkts(session.application.as_ref(), session.config.packet_bytes(), network.duration.as_secs_f64());
        let sent = (rate * span.seconds() / bits + 1.0).min(made);
        tree.iter().for_each(|(link, _)| loads[link.index()].add(sent, sent, bits));
        // Copies, and what receivers send: joins, and reports one by one.
        all += sent * tree.len() as f64 + 4.0 * session.receivers.len() as f64;
    }
    all
}

/// The most packets that an application may have in so many seconds, or of which one does not know.
fn made_pkts(application: Option<&application::Config>, packet_bytes: u64, seconds: f64) -> f64 {
    let Some(application) = application else { return f64::INFINITY };
    let in_all = application.packets(packet_bytes).map_or(f64::INFINITY, |packets| packets as f64);
    let bits = 8.0 * packet_bytes.max(1) as f64;
    application.rate.map_or(in_all, |rate| in_all.min(rate.as_bps_f64() * seconds / bits + 1.0))
}

/// A node of a session's tree with the branch that leads to it, and for each group who wants it there.
pub(super) const TREE: f64 = 600.0;
pub(super) const COUNTED: f64 = 8.0;
/// Segments of a first window that is asked for smaller. A choice: five times TCP's default.
const FIRST_WINDOW: f64 = 10.0;
/// Segments that an acknowledgement may release (RFC 5681, section 3.1: slow start adds one for each).
const AT_ONCE: f64 = 2.0;
