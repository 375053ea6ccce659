//! What web traffic takes: the connections that are open together, and the transfers of the whole run.

use super::MemoryPart;
use super::rows;
use crate::network::{Network, NetworkFlow};
use crate::tables::TransferOf;
use crate::web::NetworkWeb;
use faircast_proto::quantity::Packets;
use faircast_proto::registry::flows::FlowConfig;
use std::sync::Arc;

/// Connections and transfers. Of arrivals at random the expected number counts with six standard deviations more.
pub(super) fn parts(network: &Network) -> Vec<MemoryPart> {
    if network.web.is_empty() {
        return Vec::new();
    }
    let part = |what, path, bytes| MemoryPart { what, path, bytes };
    let transfers = |web: &Arc<NetworkWeb>| web.expected(network.duration);
    let all: f64 = network.web.iter().map(transfers).sum();
    let taken = |web: &Arc<NetworkWeb>| {
        let relays = web.pep.first().map_or(0, |pep| pep.at.len());
        most_open(network, web) * (CONNECTION + relays as f64 * RELAY)
    };
    let open: f64 = network.web.iter().map(taken).sum();
    vec![
        part("connections of web traffic", "flows", open),
        part("rows of transfers", "flows", all * (rows::of::<TransferOf>() + IN_SUMMARY)),
    ]
}

/// How many connections of an entry may be open together.
fn most_open(network: &Network, web: &NetworkWeb) -> f64 {
    web.expected(network.duration).min(web.at_once.into())
}

/// The network with a flow for each pair of nodes of web traffic: what it may have under way.
pub(super) fn as_flows(network: &Network) -> Network {
    let mut whole = network.clone();
    for web in &network.web {
        for (index, pair) in web.pairs.iter().enumerate() {
            // All connections may begin together.
            let first = web.tcp.initial_cwnd.0 * most_open(network, web);
            let kind = FlowConfig::Tcp(faircast_proto::tcp::Config {
                initial_cwnd: Packets(first),
                wnd: None,
                ..web.tcp.clone()
            });
            let (name, from, to) = (web.name.clone(), pair.from, pair.to);
            let (start, stop, start_jitter, dscp) = (web.start, None, Default::default(), web.dscp);
            let (application, pep) = (None, web.pep.get(index).cloned().map(Box::new));
            whole.flows.push(NetworkFlow { name, from, to, kind, start, start_jitter, stop, dscp, application, pep });
        }
    }
    whole.probes.packets.flows = network.probes.packets.flows.as_deref().map(|kept| kept_flows(network, kept));
    whole
}

/// Of which flows packets are kept, by the numbers that they have in that network: those of web traffic stand before
/// sessions there, one for each pair of nodes, and behind them, one for each connection, in `kept`.
fn kept_flows(network: &Network, kept: &[bool]) -> Arc<[bool]> {
    let (of_flows, others) = kept.split_at(network.flows.len());
    let (of_sessions, mut connections) = others.split_at(network.sessions.len());
    let mut of_web = Vec::new();
    for web in &network.web {
        let (own, rest) = connections.split_at(web.at_once as usize);
        of_web.extend(std::iter::repeat_n(own.contains(&true), web.pairs.len()));
        connections = rest;
    }
    of_flows.iter().chain(&of_web).chain(of_sessions).copied().collect()
}

/// Bytes of a connection and its seats, two hosts and two endpoints with their places, in vectors that grow by
/// doubling: 8290 of each of 39 700 that are open together, as the system counts resident pages.
const CONNECTION: f64 = 9000.0;
/// Bytes of what splits it once, with its seat: 3560 of each of two on 29 780 connections.
const RELAY: f64 = 4000.0;
/// Bytes of a transfer while the summary is made: numbers that are put in order.
const IN_SUMMARY: f64 = 48.0;
