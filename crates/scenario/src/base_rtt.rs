//! Base round-trip times: how long a packet and its answer are on their way in an empty network at the start of a run.
//!
//! Propagation alone counts, there and back, along the routes of the start; what transmitters and queues take does not.

use crate::network::{DirectedLink, Network, PairOfNodes, What};
use faircast_proto::scheme::Scheme;
use faircast_proto::time::{Duration, Rate};
use faircast_sim::ids::{LinkId, NodeId};
use faircast_sim::routing::{Edge, Routes};
use std::collections::BTreeMap;

/// What crosses a link direction at the start of a run, there or back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Crossing {
    /// The longest base round-trip time of a flow or a receiver.
    pub longest: Duration,
    /// The largest data packet of a flow or session, bytes.
    pub packet_bytes: u64,
}

impl Crossing {
    fn add(&mut self, longest: Duration, packet_bytes: u64) {
        self.longest = self.longest.max(longest);
        self.packet_bytes = self.packet_bytes.max(packet_bytes);
    }
}

/// By link direction: what crosses it, data or what answers them; nothing where nobody does. What crosses a leg
/// crosses the link that has it.
pub(crate) fn crossings(network: &Network) -> Vec<Option<Crossing>> {
    let all = |of_dscps: BTreeMap<u8, Crossing>| {
        of_dscps.into_values().reduce(|mut all, one| {
            all.add(one.longest, one.packet_bytes);
            all
        })
    };
    crossings_by_dscp(network).into_iter().map(all).collect()
}

/// By link direction what crosses it, as [`crossings`] has it, by its DSCP.
pub(crate) fn crossings_by_dscp(network: &Network) -> Vec<BTreeMap<u8, Crossing>> {
    let edges = network.edges();
    let routes = network.routes(&edges);
    let mut crossings = vec![BTreeMap::new(); network.links.len()];
    let mut add = |there: Vec<LinkId>, back: Vec<LinkId>, dscp: u8, packet_bytes: u64| {
        let rtt = there.iter().chain(&back).map(|link| network.links[link.index()].delay_at_start());
        let rtt = rtt.fold(Duration::ZERO, |sum, delay| sum + delay);
        for link in there.iter().chain(&back) {
            let transmitter = network.links[link.index()].carrier().unwrap_or(*link);
            let crossing: &mut Crossing = crossings[transmitter.index()].entry(dscp).or_default();
            crossing.add(rtt, packet_bytes);
        }
    };
    let way = |from: u32, to: u32| routes.way(&edges, NodeId(from), NodeId(to)).collect::<Vec<_>>();
    for PairOfNodes { from, to, dscp, packet_bytes } in network.pairs() {
        add(way(from, to), way(to, from), dscp, packet_bytes);
    }
    for session in &network.sessions {
        for receiver in &session.receivers {
            let (down, up) = down_and_up(&edges, &routes, session.source, receiver.node);
            add(down, up, session.dscp, session.config.packet_bytes());
        }
    }
    crossings
}

/// The way of a session's packets to a receiver, and that of its answers: the tree takes the latter backwards.
fn down_and_up(edges: &[Edge], routes: &Routes, source: u32, receiver: u32) -> (Vec<LinkId>, Vec<LinkId>) {
    let up: Vec<LinkId> = routes.way(edges, NodeId(receiver), NodeId(source)).collect();
    let down = up.iter().filter_map(|&link| routes.back(edges, link)).collect();
    (down, up)
}

impl DirectedLink {
    /// Its rate when the run starts.
    pub(crate) fn rate_at_start(&self) -> Rate {
        let rate = |what: What| if let What::Rate(rate) = what { Some(rate) } else { None };
        self.at_start().filter_map(rate).last().unwrap_or(self.rate)
    }

    /// Its delay when the run starts.
    pub(crate) fn delay_at_start(&self) -> Duration {
        let delay = |what: What| if let What::Delay(delay, _) = what { Some(delay) } else { None };
        self.at_start().filter_map(delay).last().unwrap_or(self.delay)
    }
}
