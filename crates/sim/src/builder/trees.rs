//! The trees of multicast sessions in the network as it is built.

use super::{NetworkBuilder, PlannedFlow};
use crate::ids::{LinkId, NodeId};
use crate::loss::Loss;
use crate::multicast::{Multicast, SessionSite, Woods};
use crate::part::Carriers;
use crate::routing::{Edge, Routes};
use faircast_proto::packet::Address;
use std::sync::Arc;

impl NetworkBuilder {
    /// The trees of all sessions.
    pub(super) fn trees(&self, edges: &[Edge], routes: &Routes, carriers: &Carriers) -> Multicast {
        if self.sessions.is_empty() {
            return Multicast::default();
        }
        let mut links_out = vec![0; self.nodes.len()];
        for edge in edges.iter().filter(|edge| edge.from != edge.to) {
            links_out[edge.from.index()] += 1;
        }
        let mut hosts = vec![false; self.nodes.len()];
        for endpoint in &self.endpoints {
            let node = endpoint.node.index();
            hosts[node] = links_out[node] == 1;
        }
        let hosts: Arc<[bool]> = hosts.into();
        let watched: Arc<[bool]> =
            (0..self.links.len() as u32).map(|link| self.agents.contains_key(&LinkId(link))).collect();
        let mut fallible: Vec<bool> = self.links.iter().map(|link| !matches!(link.loss, Loss::Lossless(_))).collect();
        for link in self.changes.links() {
            fallible[link.index()] = true;
        }
        let fallible: Arc<[bool]> = fallible.into();
        let node_of = |address: Address| self.endpoints[address.index()].node;
        let members: Vec<Vec<(NodeId, u32)>> = self
            .sessions
            .iter()
            .map(|session| {
                let PlannedFlow { sender, receivers, .. } = &self.flows[session.flow.0 as usize];
                // The source may want to hear what members send.
                receivers.iter().chain([sender]).map(|&member| (node_of(member), member.index() as u32)).collect()
            })
            .collect();
        let sites = self.sessions.iter().zip(&members).map(|(session, members)| SessionSite {
            plan: session.plan,
            flow: session.flow.0,
            root: node_of(self.flows[session.flow.0 as usize].sender),
            members,
            hosts: &hosts,
            fallible: &fallible,
            watched: &watched,
        });
        Multicast::new(sites, &mut Woods::new(self.nodes.len(), edges, routes, carriers))
    }
}
