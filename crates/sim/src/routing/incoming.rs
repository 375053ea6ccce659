//! The links that lead to each node.

use super::edge::Edge;
use crate::ids::{LinkId, NodeId};
use faircast_proto::time::Duration;

/// The usable links of a network, by the node that they lead to. Those to one node are in the order of the nodes that
/// they come from, those from one node to another in their own order, so that few have to be looked at to find them.
#[derive(Clone, Debug)]
pub(crate) struct Incoming {
    links: Vec<Vec<LinkId>>,
}

impl Incoming {
    /// The links among `nodes` nodes that are `usable`.
    pub(super) fn new(nodes: usize, edges: &[Edge], usable: impl Fn(LinkId) -> bool) -> Incoming {
        let mut links = vec![Vec::new(); nodes];
        for (index, edge) in (0..).map(LinkId).zip(edges).filter(|(index, _)| usable(*index)) {
            links[edge.to.index()].push(index);
        }
        for links in &mut links {
            links.sort_unstable_by_key(|&link| order(edges, link));
        }
        Incoming { links }
    }

    /// Takes in a link that can be used from now on. Whether it is the first from its node to that where it leads.
    pub(super) fn insert(&mut self, edges: &[Edge], link: LinkId) -> bool {
        let Edge { from, to, .. } = edges[link.index()];
        let links = &mut self.links[to.index()];
        let place = links.partition_point(|&other| order(edges, other) < (from, link));
        links.insert(place, link);
        self.between(edges, from, to).len() == 1
    }

    /// Leaves out a link that was there. Whether it was the last from its node to that where it leads.
    pub(super) fn remove(&mut self, edges: &[Edge], link: LinkId) -> bool {
        let Edge { from, to, .. } = edges[link.index()];
        let links = &mut self.links[to.index()];
        let place = links.binary_search_by_key(&(from, link), |&other| order(edges, other));
        links.remove(place.expect("it was taken in"));
        self.between(edges, from, to).is_empty()
    }

    /// How many nodes there are.
    pub(super) fn nodes(&self) -> usize {
        self.links.len()
    }

    /// The links that lead to a node.
    pub(super) fn to(&self, node: NodeId) -> &[LinkId] {
        &self.links[node.index()]
    }

    /// The links from one node to another, in order.
    pub(super) fn between(&self, edges: &[Edge], from: NodeId, to: NodeId) -> &[LinkId] {
        let links = &self.links[to.index()];
        let source = |link: &LinkId| edges[link.index()].from;
        let start = links.partition_point(|link| source(link) < from);
        let count = links[start..].iter().take_while(|link| source(link) == from).count();
        &links[start..start + count]
    }

    /// The nodes other than `node` from which a link leads to it, each once and in order.
    pub(super) fn sources(&self, edges: &[Edge], node: NodeId) -> impl Iterator<Item = NodeId> {
        let sources = self.to(node).iter().map(|link| edges[link.index()].from).filter(move |&from| from != node);
        let mut last = None;
        sources.filter(move |&from| last.replace(from) != Some(from))
    }

    /// Of the links from one node to another the one that a search takes: the shortest, of those the first.
    pub(super) fn shortest(&self, edges: &[Edge], from: NodeId, to: NodeId) -> Option<LinkId> {
        let length = |link: &LinkId| -> (Duration, LinkId) { (edges[link.index()].delay, *link) };
        self.between(edges, from, to).iter().copied().min_by_key(length)
    }
}

fn order(edges: &[Edge], link: LinkId) -> (NodeId, LinkId) {
    (edges[link.index()].from, link)
}
