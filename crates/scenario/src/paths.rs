//! Which links the data of every flow and session crosses: what an optimum of rates is computed from.
//!
//! Routes and trees are those of the simulator, computed by the same code. What crosses a leg crosses the link that has
//! it, whose rate all legs share; a session crosses that once, whatever the number of its legs.

use crate::network::{DirectedLink, Network, Symbols};
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::group_set::Role;
use faircast_proto::scheme::Scheme;
use faircast_proto::source::application;
use faircast_proto::time::{Instant, Rate};
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::routing::{Edge, Routes};
use std::sync::Arc;

/// The links and what crosses them.
#[derive(Clone, Debug, PartialEq)]
pub struct Paths {
    /// Name of every link direction and its rate, or what token buckets in its queue let through if less, bit/s; of one
    /// that sends symbols these, symbol/s.
    /// Periods with the same share them.
    pub links: Arc<[(String, u64)]>,
    /// Flows, then sessions, in the order of the network.
    pub demands: Vec<Demand>,
}

/// A flow or a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// Its name.
    pub name: String,
    /// Whether it is a session.
    pub is_session: bool,
    /// Whether its receivers can have different rates.
    pub multirate: bool,
    /// The rate of what does not answer congestion, bit/s, on each link that it crosses; the mean if it is on and off,
    /// or if its receivers hold more and fewer layers.
    pub fixed_rate_bps: Option<f64>,
    /// The most it ever sends, if it is bounded, bit/s: by itself, or by what its application makes in the mean.
    pub max_rate_bps: Option<f64>,
    /// Name of every receiver, and the links from the source to it: indices among the directions. The only one of a
    /// flow has the flow's name.
    pub receivers: Vec<(String, Vec<u32>)>,
    /// If a link that sends symbols is on the way: for each receiver these links, and the bits in a symbol that it can
    /// receive there. Empty if none is.
    pub efficiencies: Vec<Vec<(u32, f64)>>,
}

/// The paths of a network at its start, everybody taken as present. Who cannot be reached has no links.
pub fn paths(network: &Network) -> Paths {
    let edges = network.edges();
    // The way to a source is that of its data, backwards.
    let ends = network.flows.iter().flat_map(|flow| flow.hops().map(|(_, to)| to));
    let ends: Vec<u32> = ends.chain(network.sessions.iter().map(|session| session.source)).collect();
    let routes = Network::routes_between(&edges, network.nodes.len(), &ends);
    let mut demands = flows(network, &edges, &routes);
    demands.extend(sessions(network, &edges, &routes));
    for demand in &mut demands {
        leave_out(network, demand);
    }
    let capacity = |link: &DirectedLink| match &link.symbols {
        Some(Symbols::Transmitter(transmitter, _)) => (link.name.clone(), transmitter.symbol_rate),
        _ => (link.name.clone(), link.queue.passes(link.rate, link.rate).0),
    };
    Paths { links: network.links.iter().map(capacity).collect(), demands }
}

fn flows(network: &Network, edges: &[Edge], routes: &Routes) -> Vec<Demand> {
    let demand = |flow: &crate::network::NetworkFlow| {
        let way = flow.hops().flat_map(|(from, to)| routes.way(edges, NodeId(from), NodeId(to)));
        let way: Vec<LinkId> = way.collect();
        let links: Vec<u32> = way.iter().map(|&link| transmitter(network, link)).collect();
        Demand {
            name: flow.name.clone(),
            is_session: false,
            multirate: false,
            fixed_rate_bps: flow.kind.fixed_rate_bps(),
            max_rate_bps: flow.application.as_ref().and_then(application::Config::mean_bps),
            receivers: vec![(flow.name.clone(), links)],
            efficiencies: vec![efficiencies(network, &way)],
        }
    };
    network.flows.iter().map(demand).collect()
}

fn sessions(network: &Network, edges: &[Edge], routes: &Routes) -> Vec<Demand> {
    let demand = |session: &crate::network::NetworkSession| {
        let route = |node: u32| {
            let way = routes.way(edges, NodeId(node), NodeId(session.source));
            let mut links: Vec<LinkId> = way.map_while(|up| routes.back(edges, up)).collect();
            links.reverse();
            links
        };
        let ways: Vec<Vec<LinkId>> = session.receivers.iter().map(|one| route(one.node)).collect();
        let through = |way: &Vec<LinkId>| way.iter().map(|&link| transmitter(network, link)).collect();
        let bps = |rate: Option<Rate>| rate.map(|rate| rate.as_bps_f64());
        let made_bps = session.application.as_ref().and_then(application::Config::mean_bps);
        let most_bps = || bps(session.config.max_rate()).into_iter().chain(made_bps).reduce(f64::min);
        let elastic = session.config.is_controlled();
        let layers = session.config.groups().iter().filter(|group| group.role != Role::Control).count();
        Demand {
            name: session.name.clone(),
            is_session: true,
            multirate: elastic && layers > 1,
            fixed_rate_bps: if elastic { None } else { bps(session.config.steady_rate(network.duration)) },
            max_rate_bps: if elastic { most_bps() } else { None },
            receivers: session.receivers.iter().zip(&ways).map(|(one, way)| (one.name.clone(), through(way))).collect(),
            efficiencies: ways.iter().map(|way| efficiencies(network, way)).collect(),
        }
    };
    network.sessions.iter().map(demand).collect()
}

/// The links that send symbols on a way, and what a symbol carries there.
fn efficiencies(network: &Network, way: &[LinkId]) -> Vec<(u32, f64)> {
    let of = |&leg: &LinkId| {
        let link = &network.links[leg.index()];
        Some((link.carrier()?.0, link.symbols.as_ref()?.at(Instant::ZERO)))
    };
    way.iter().filter_map(of).collect()
}

/// Takes the links from those whom nothing reaches: in an outage, or below the floor of a link that serves others.
fn leave_out(network: &Network, demand: &mut Demand) {
    let all: Vec<(u32, f64)> = demand.efficiencies.iter().flatten().copied().collect();
    let floor = |carrier: u32| match &network.links[carrier as usize].symbols {
        Some(Symbols::Transmitter(transmitter, _)) if demand.is_session => transmitter.floor.unwrap_or(0.0),
        _ => 0.0,
    };
    let reached = |&(carrier, bits): &(u32, f64)| {
        let floor = floor(carrier);
        bits > 0.0 && (bits >= floor || !all.iter().any(|&(of, bits)| of == carrier && bits >= floor))
    };
    let reached: Vec<bool> = demand.efficiencies.iter().map(|each| each.iter().all(reached)).collect();
    for ((one, each), _) in
        demand.receivers.iter_mut().zip(&mut demand.efficiencies).zip(reached).filter(|(_, reached)| !reached)
    {
        (one.1, *each) = (Vec::new(), Vec::new());
    }
    if demand.efficiencies.iter().all(Vec::is_empty) {
        demand.efficiencies = Vec::new();
    }
}

/// The link whose rate what crosses `link` takes.
fn transmitter(network: &Network, link: LinkId) -> u32 {
    let channel = network.returns.iter().find(|channel| channel.links.binary_search(&link).is_ok());
    let shared = channel.and_then(|channel| channel.links.first().copied());
    network.links[link.index()].carrier().or(shared).unwrap_or(link).0
}
