//! Forwarding tables: which link a node takes towards a host.
//!
//! Hosts have numbers, *slots*, in which those below a router follow each other ([`Routes::below`]). So a router of a
//! stub keeps links for these only, and one for everything else: a tree of ten thousand hosts takes a megabyte, not
//! hundreds.
//!
//! Where routes change the tables are those of the present [epoch](crate::epoch): they are empty at its beginning, and
//! keep what has been asked for.

use crate::ids::{LinkId, NodeId};
use crate::routing::{Edge, Routes};

/// Up to so many links are kept of routes that change: 4 MiB, which take a tenth of a millisecond to empty (choice).
const MOST_KEPT: usize = 1 << 20;

/// The forwarding tables of all nodes.
pub(crate) struct Forwarding {
    nodes: Vec<Node>,
    /// The rows of all nodes: links by slot.
    links: Vec<LinkId>,
}

/// How a node forwards.
#[derive(Clone, Copy)]
struct Node {
    /// Its row is for `count` slots from this one on.
    first: u32,
    count: u32,
    /// Where it begins.
    row: u32,
    /// The link towards all others.
    otherwise: LinkId,
}

impl Forwarding {
    /// Tables by `routes` in the graph of these links. `hosts` are the destinations, slot by slot, in the order of
    /// their positions. A node with one link out needs no table: all that is not for itself goes there.
    pub(crate) fn new(nodes: usize, edges: &[Edge], routes: &Routes, hosts: &[NodeId]) -> Forwarding {
        let mut outgoing: Vec<Vec<LinkId>> = vec![Vec::new(); nodes];
        // What leads nowhere is the transmitter of legs.
        for (index, edge) in (0..).map(LinkId).zip(edges).filter(|(_, edge)| edge.from != edge.to) {
            outgoing[edge.from.index()].push(index);
        }
        let slot_at = |position: u32| hosts.partition_point(|&host| routes.below(host).start < position);
        let mut links = Vec::new();
        let nodes = (0..)
            .map(NodeId)
            .zip(&outgoing)
            .map(|(node, outgoing)| {
                let slots = match (&outgoing[..], routes.up(node)) {
                    ([_], _) => 0..0,
                    (_, Some(_)) => slot_at(routes.below(node).start)..slot_at(routes.below(node).end),
                    (_, None) => 0..hosts.len(),
                };
                let row = links.len() as u32;
                links.extend(hosts[slots.clone()].iter().map(|&host| routes.next(node, host).unwrap_or(LinkId::NONE)));
                let otherwise = match outgoing[..] {
                    [only] => only,
                    _ => routes.up(node).unwrap_or(LinkId::NONE),
                };
                Node { first: slots.start as u32, count: slots.len() as u32, row, otherwise }
            })
            .collect();
        Forwarding { nodes, links }
    }

    /// How many nodes there are.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Tables in which nothing stands, for routes that change. Too large ones keep nothing: they would have to be
    /// emptied with every epoch.
    pub(crate) fn empty(nodes: usize, slots: usize) -> Forwarding {
        let slots = if nodes * slots <= MOST_KEPT { slots } else { 0 };
        let node = |node| Node { first: 0, count: slots as u32, row: (node * slots) as u32, otherwise: LinkId::NONE };
        Forwarding { nodes: (0..nodes).map(node).collect(), links: vec![LinkId::NONE; nodes * slots] }
    }

    /// Keeps the link that `node` takes towards the host at `slot`, if there is room for it.
    pub(crate) fn keep(&mut self, node: NodeId, slot: u32, link: LinkId) {
        let Node { first, count, row, .. } = self.nodes[node.index()];
        let at = slot.wrapping_sub(first);
        if at < count {
            self.links[(row + at) as usize] = link;
        }
    }

    /// Forgets all links that are kept: routes have changed.
    pub(crate) fn forget(&mut self) {
        self.links.fill(LinkId::NONE);
    }

    /// The link that `node` takes towards the host at `slot`; [`LinkId::NONE`] if there is no way.
    #[inline]
    pub(crate) fn link(&self, node: NodeId, slot: u32) -> LinkId {
        let Node { first, count, row, otherwise } = self.nodes[node.index()];
        let at = slot.wrapping_sub(first);
        if at < count { self.links[(row + at) as usize] } else { otherwise }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::random::Random;
    use faircast_proto::time::Duration;

    fn duplex(a: u32, b: u32) -> [Edge; 2] {
        let delay = Duration::from_millis(1);
        let (a, b) = (NodeId(a), NodeId(b));
        [Edge { from: a, to: b, delay }, Edge { from: b, to: a, delay }]
    }

    fn tables(nodes: u32, edges: &[Edge]) -> (Forwarding, Routes, Vec<NodeId>) {
        let mut hosts: Vec<NodeId> = (0..nodes).step_by(2).map(NodeId).collect();
        let routes = Routes::towards(nodes as usize, edges, &hosts);
        hosts.sort_unstable_by_key(|&host| routes.below(host).start);
        (Forwarding::new(nodes as usize, edges, &routes, &hosts), routes, hosts)
    }

    #[test]
    fn the_tables_say_what_the_routes_say() {
        let mut random = Random::stream(1, "test/forwarding");
        let mut draw = |below: u32| (random.uniform() * f64::from(below)) as u32;
        for _ in 0..200 {
            // Connected: a tree, and up to three links more.
            let nodes = 2 + draw(20);
            let mut edges: Vec<Edge> = (1..nodes).flat_map(|node| duplex(draw(node), node)).collect();
            for _ in 0..draw(4) {
                edges.extend(duplex(draw(nodes), draw(nodes)));
            }
            let (tables, routes, hosts) = tables(nodes, &edges);
            for node in (0..nodes).map(NodeId) {
                for (slot, &host) in (0..).zip(&hosts).filter(|&(_, &host)| host != node) {
                    let link = tables.link(node, slot);
                    assert_eq!(Some(link), routes.next(node, host), "{node:?} -> {host:?}: {edges:?}");
                }
            }
        }
    }

    #[test]
    fn in_a_tree_only_what_is_below_takes_room() {
        // Of 1023 nodes those with even numbers are hosts, of which each stands in the table of each router above it.
        let edges: Vec<Edge> = (1..1023).flat_map(|child| duplex((child - 1) / 2, child)).collect();
        let (tables, _, _) = tables(1023, &edges);
        assert!(tables.links.len() < 512 * 10, "{}", tables.links.len());
    }
}
