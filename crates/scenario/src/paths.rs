//! Which links the data of every flow and session crosses: what an optimum of rates is computed from.
//!
//! Routes and trees are those of the simulator, computed by the same code. What crosses a leg crosses the link that has
//! it, whose rate all legs share; a session crosses that once, whatever the number of its legs.

use crate::network::{DirectedLink, Network};
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::group_set::Role;
use faircast_proto::scheme::Scheme;
use faircast_proto::time::Rate;
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::routing::{Edge, Routes};

/// The links and what crosses them.
#[derive(Clone, Debug, PartialEq)]
pub struct Paths {
    /// Name of every link direction and its rate, or what token buckets in its queue let through if less, bit/s.
    pub links: Vec<(String, u64)>,
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
    /// The most it ever sends, if it is bounded, bit/s.
    pub max_rate_bps: Option<f64>,
    /// Name of every receiver, and the links from the source to it: indices among the directions. The only one of a
    /// flow has the flow's name.
    pub receivers: Vec<(String, Vec<u32>)>,
}

/// The paths of a network at its start, everybody taken as present. Who cannot be reached has no links.
pub fn paths(network: &Network) -> Paths {
    let edges = network.edges();
    let routes = network.routes(&edges);
    let mut demands = flows(network, &edges, &routes);
    demands.extend(sessions(network, &edges, &routes));
    let capacity = |link: &DirectedLink| (link.name.clone(), link.queue.passes(link.rate, link.rate).0);
    Paths { links: network.links.iter().map(capacity).collect(), demands }
}

fn flows(network: &Network, edges: &[Edge], routes: &Routes) -> Vec<Demand> {
    let demand = |flow: &crate::network::NetworkFlow| {
        let way = routes.way(edges, NodeId(flow.from), NodeId(flow.to));
        let links: Vec<u32> = way.map(|link| transmitter(network, link)).collect();
        Demand {
            name: flow.name.clone(),
            is_session: false,
            multirate: false,
            fixed_rate_bps: flow.kind.fixed_rate_bps(),
            max_rate_bps: None,
            receivers: vec![(flow.name.clone(), links)],
        }
    };
    network.flows.iter().map(demand).collect()
}

fn sessions(network: &Network, edges: &[Edge], routes: &Routes) -> Vec<Demand> {
    let demand = |session: &crate::network::NetworkSession| {
        let route = |node: u32| {
            let way = routes.way(edges, NodeId(node), NodeId(session.source));
            let mut links: Vec<u32> =
                way.map_while(|up| routes.back(up)).map(|down| transmitter(network, down)).collect();
            links.reverse();
            links
        };
        let bps = |rate: Option<Rate>| rate.map(|rate| rate.as_bps_f64());
        let elastic = session.config.is_controlled();
        let layers = session.config.groups().iter().filter(|group| group.role != Role::Control).count();
        Demand {
            name: session.name.clone(),
            is_session: true,
            multirate: elastic && layers > 1,
            fixed_rate_bps: if elastic { None } else { bps(session.config.steady_rate(network.duration)) },
            max_rate_bps: if elastic { bps(session.config.max_rate()) } else { None },
            receivers: session.receivers.iter().map(|one| (one.name.clone(), route(one.node))).collect(),
        }
    };
    network.sessions.iter().map(demand).collect()
}

/// The link whose rate what crosses `link` takes.
fn transmitter(network: &Network, link: LinkId) -> u32 {
    network.links[link.index()].carrier().unwrap_or(link).0
}
