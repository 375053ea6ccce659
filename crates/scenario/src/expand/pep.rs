//! From what splits connections to relays in the network.

use super::{Ends, Expansion};
use crate::model::{Course, PepEntry};
use crate::network::NetworkPep;
use crate::problem::Finding;
use faircast_proto::tcp;
use std::collections::BTreeSet;

impl Expansion<'_> {
    /// Where the relays of the flows of an entry are, relay by relay.
    pub(super) fn relays(&mut self, path: &str, course: &Course) -> Vec<Ends> {
        let at = course.pep.iter().flat_map(|pep| (0..).zip(&pep.at));
        at.map(|(place, nodes): (usize, _)| self.ends(&format!("{path}.pep.at[{place}]"), course, Some(nodes), "left"))
            .collect()
    }

    /// What splits flow `index` between two nodes, perhaps nothing; nothing at all if something is wrong with it.
    pub(super) fn pep(
        &mut self,
        path: &str,
        relays: &[Ends],
        index: u32,
        ends: [u32; 2],
        tcp: &tcp::Config,
        entry: Option<&PepEntry>,
    ) -> Option<Option<Box<NetworkPep>>> {
        let Some(entry) = entry else { return Some(None) };
        let at: Option<Vec<u32>> = relays.iter().map(|relay| relay.of(index)).collect();
        let (at, mut known) = (at?, BTreeSet::new());
        for (place, &node) in at.iter().enumerate() {
            let name = &self.network.nodes[node as usize].name;
            let message = if ends.contains(&node) {
                format!("{name} is an end of the connection; legal is a node between them")
            } else if !known.insert(node) {
                format!("{name} is named twice; a connection is split there once")
            } else {
                continue;
            };
            let finding = Finding::new(format!("{path}.pep.at[{place}]"), message).given(Some(name));
            self.found.push(finding.on([path.to_owned()]));
            return None;
        }
        let room = entry.room(tcp.segment_bytes());
        Some(Some(Box::new(NetworkPep { at, between: entry.between(tcp), tcp: entry.config(tcp), room })))
    }
}
