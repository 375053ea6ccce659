//! The ways that packets to one host take in the network as it is built.

use super::{BuildError, EndpointPlan, NetworkBuilder, PlannedFlow, Ways};
use crate::forwarding::Forwarding;
use crate::ids::NodeId;
use crate::paths::Watched;
use crate::routing::{Edge, MAX_HOPS, Routes};
use crate::world::Home;
use faircast_proto::packet::{Address, FlowId};
use std::collections::BTreeSet;

impl NetworkBuilder {
    /// Places of the endpoints, and routes from every node towards them.
    pub(super) fn routes(&self, edges: &[Edge], errors: &mut Vec<BuildError>) -> Ways {
        let mut uses = vec![0; edges.len()];
        let watched = &self.probes.paths;
        let mut nodes: BTreeSet<NodeId> =
            self.endpoints.iter().map(|endpoint| endpoint.node).chain(watched.iter().map(|&(_, to)| to)).collect();
        let of_pools = || self.pools.iter().flat_map(|pool| &pool.rows);
        nodes.extend(of_pools().flatten());
        let mut hosts = Vec::from_iter(nodes);
        let routes = Routes::towards(self.nodes.len(), edges, &hosts);
        let node_of = |address: Address| self.endpoints[address.index()].node;
        let ends = |(flow, ends): (u32, &PlannedFlow)| {
            let sender = node_of(ends.sender);
            let relays = || ends.relays.iter().map(|&relay| node_of(relay));
            let of_receiver = |&receiver: &Address| {
                let starts = [sender].into_iter().chain(relays());
                let hops = starts.zip(relays().chain([node_of(receiver)]));
                hops.map(|(from, to)| (FlowId(flow), from, to)).collect::<Vec<_>>()
            };
            ends.receivers.iter().flat_map(of_receiver).collect::<Vec<_>>()
        };
        let of_flows = (0..).zip(&self.flows).flat_map(ends);
        let next = FlowId(self.flows.len() as u32);
        let hops_of_pools = of_pools().flat_map(|row| row.windows(2)).map(|hop| (next, hop[0], hop[1]));
        for (flow, a, b) in of_flows.chain(hops_of_pools) {
            for (from, to) in [(a, b), (b, a)] {
                let names = || [from, to].map(|node| self.nodes[node.index()].clone());
                match routes.hops(edges, from, to, |link| uses[link.index()] += 1) {
                    Some(hops) if hops > MAX_HOPS => {
                        let [from, to] = names();
                        errors.push(BuildError::TooManyHops { flow, from, to, hops });
                    }
                    Some(_) => {}
                    None => {
                        let [from, to] = names();
                        errors.push(BuildError::Unreachable { from, to });
                    }
                }
            }
        }
        hosts.sort_unstable_by_key(|&host| routes.below(host).start);
        let mut slots = vec![u32::MAX; self.nodes.len()];
        for (slot, &host) in (0..).zip(&hosts) {
            slots[host.index()] = slot;
        }
        let place = |endpoint: &EndpointPlan| Home { node: endpoint.node, slot: slots[endpoint.node.index()] };
        let places = self.endpoints.iter().map(place).collect();
        let watch = |&(from, to): &(NodeId, NodeId)| Watched { from, to, slot: slots[to.index()], seen: None };
        let paths = watched.iter().map(watch).collect();
        let forwarding = match self.changes.changes_routes() {
            true => Forwarding::empty(self.nodes.len(), hosts.len()),
            false => Forwarding::new(self.nodes.len(), edges, &routes, &hosts),
        };
        Ways { places, paths, forwarding, hosts, slots, uses, routes }
    }
}
