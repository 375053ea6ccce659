//! Forwarding tables: which link a node takes towards a host.
//!
//! Hosts have numbers, *slots*, in which those below a router follow each other ([`Routes::below`]). So a router of a
//! stub keeps links for these only, and one for everything else: a tree of ten thousand hosts takes a megabyte, not
//! hundreds. Where one row for each node and all slots is small anyway the tables are that, which is found faster.
//!
//! Where routes change the tables are those of the present [epoch](crate::epoch): they are empty at its beginning, and
//! keep what has been asked for.

use crate::ids::{LinkId, NodeId};
use crate::routing::{Edge, Routes};

/// Up to so many links are kept of routes that change: 4 MiB, which take a tenth of a millisecond to empty (choice).
const MOST_KEPT: usize = 1 << 20;
/// Up to so many links the tables have a row of all slots for each node: 256 KiB, less than a cache (choice).
const MOST_IN_ROWS: usize = 1 << 16;

/// The forwarding tables of all nodes.
pub(crate) struct Forwarding {
    /// How many slots the row of each node has; 0 if rows are as `spans` says.
    slots: u32,
    /// The rows of all nodes: links by slot.
    links: Vec<LinkId>,
    /// Node by node, where rows are not alike.
    spans: Vec<Span>,
    nodes: u32,
}

/// How a node forwards.
#[derive(Clone, Copy)]
struct Span {
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
        Forwarding::with_rows_up_to(MOST_IN_ROWS, nodes, edges, routes, hosts)
    }

    /// The same with rows of all slots for up to so many links.
    fn with_rows_up_to(
        most_in_rows: usize,
        nodes: usize,
        edges: &[Edge],
        routes: &Routes,
        hosts: &[NodeId],
    ) -> Forwarding {
        let mut outgoing: Vec<Vec<LinkId>> = vec![Vec::new(); nodes];
        // What leads nowhere is the transmitter of legs.
        for (index, edge) in (0..).map(LinkId).zip(edges).filter(|(_, edge)| edge.from != edge.to) {
            outgoing[edge.from.index()].push(index);
        }
        let otherwise = |node: NodeId| match outgoing[node.index()][..] {
            [only] => only,
            _ => routes.up(node).unwrap_or(LinkId::NONE),
        };
        let slot_at = |position: u32| hosts.partition_point(|&host| routes.below(host).start < position);
        let own_slots = |node: NodeId| match (&outgoing[node.index()][..], routes.up(node)) {
            ([_], _) => 0..0,
            (_, Some(_)) => slot_at(routes.below(node).start)..slot_at(routes.below(node).end),
            (_, None) => 0..hosts.len(),
        };
        let towards = |node: NodeId, slot: usize| routes.next(node, hosts[slot]).unwrap_or(LinkId::NONE);
        let all = (0..nodes as u32).map(NodeId);
        if (1..=most_in_rows).contains(&(nodes * hosts.len())) {
            let mut links = Vec::with_capacity(nodes * hosts.len());
            for node in all {
                let (own, otherwise) = (own_slots(node), otherwise(node));
                let link = |slot| if own.contains(&slot) { towards(node, slot) } else { otherwise };
                links.extend((0..hosts.len()).map(link));
            }
            return Forwarding::in_rows(nodes, hosts.len(), links);
        }
        let mut links = Vec::new();
        let spans = all.map(|node| {
            let (slots, row) = (own_slots(node), links.len() as u32);
            links.extend(slots.clone().map(|slot| towards(node, slot)));
            Span { first: slots.start as u32, count: slots.len() as u32, row, otherwise: otherwise(node) }
        });
        let spans = spans.collect();
        Forwarding { slots: 0, links, spans, nodes: nodes as u32 }
    }

    /// A row of all slots for each node.
    fn in_rows(nodes: usize, slots: usize, links: Vec<LinkId>) -> Forwarding {
        Forwarding { slots: slots as u32, links, spans: Vec::new(), nodes: nodes as u32 }
    }

    /// How many nodes there are.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes as usize
    }

    /// Tables in which nothing stands, for routes that change. Too large ones keep nothing: they would have to be
    /// emptied with every epoch.
    pub(crate) fn empty(nodes: usize, slots: usize) -> Forwarding {
        if (1..=MOST_KEPT).contains(&(nodes * slots)) {
            return Forwarding::in_rows(nodes, slots, vec![LinkId::NONE; nodes * slots]);
        }
        let nothing = Span { first: 0, count: 0, row: 0, otherwise: LinkId::NONE };
        Forwarding { slots: 0, links: Vec::new(), spans: vec![nothing; nodes], nodes: nodes as u32 }
    }

    /// Keeps the link that `node` takes towards the host at `slot`, if there is room for it.
    pub(crate) fn keep(&mut self, node: NodeId, slot: u32, link: LinkId) {
        if self.slots > 0 {
            self.links[(node.0 * self.slots + slot) as usize] = link;
        }
    }

    /// Forgets all links that are kept: routes have changed.
    pub(crate) fn forget(&mut self) {
        self.links.fill(LinkId::NONE);
    }

    /// The link that `node` takes towards the host at `slot`; [`LinkId::NONE`] if there is no way.
    #[inline]
    pub(crate) fn link(&self, node: NodeId, slot: u32) -> LinkId {
        if self.slots > 0 {
            return self.links[(node.0 * self.slots + slot) as usize];
        }
        let Span { first, count, row, otherwise } = self.spans[node.index()];
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

    /// Both forms: rows of all slots, and of those below.
    fn tables(nodes: u32, edges: &[Edge]) -> ([Forwarding; 2], Routes, Vec<NodeId>) {
        let mut hosts: Vec<NodeId> = (0..nodes).step_by(2).map(NodeId).collect();
        let routes = Routes::towards(nodes as usize, edges, &hosts);
        hosts.sort_unstable_by_key(|&host| routes.below(host).start);
        let tables = |most| Forwarding::with_rows_up_to(most, nodes as usize, edges, &routes, &hosts);
        ([tables(usize::MAX), tables(0)], routes, hosts)
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
                    let links = tables.each_ref().map(|tables| Some(tables.link(node, slot)));
                    assert_eq!(links, [routes.next(node, host); 2], "{node:?} -> {host:?}: {edges:?}");
                }
            }
        }
    }

    #[test]
    fn where_routes_change_tables_keep_what_fits() {
        let (node, link) = (NodeId(1), LinkId(7));
        let mut small = Forwarding::empty(2, 3);
        assert_eq!(small.link(node, 2), LinkId::NONE);
        small.keep(node, 2, link);
        assert_eq!([0, 1, 2].map(|slot| small.link(node, slot)), [LinkId::NONE, LinkId::NONE, link]);
        assert_eq!(small.link(NodeId(0), 2), LinkId::NONE);
        small.forget();
        assert_eq!(small.link(node, 2), LinkId::NONE);
        for (nodes, slots) in [(2, MOST_KEPT), (2, 0)] {
            let mut nothing = Forwarding::empty(nodes, slots);
            nothing.keep(node, 2, link);
            assert_eq!((nothing.link(node, 2), nothing.nodes(), nothing.links.len()), (LinkId::NONE, 2, 0));
        }
    }

    #[test]
    fn in_a_tree_only_what_is_below_takes_room() {
        // Of 1023 nodes those with even numbers are hosts, of which each stands in the table of each router above it.
        let edges: Vec<Edge> = (1..1023).flat_map(|child| duplex((child - 1) / 2, child)).collect();
        let ([rows, spans], ..) = tables(1023, &edges);
        assert!(spans.links.len() < 512 * 10, "{}", spans.links.len());
        assert_eq!(rows.links.len(), 1023 * 512);
    }
}
