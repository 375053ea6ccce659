//! Unicast routes: shortest paths by propagation delay over any graph.

mod edge;
mod incoming;
mod search;
mod stubs;

pub use edge::Edge;

use crate::ids::{LinkId, NodeId};
use faircast_proto::packet::INITIAL_TTL;
use incoming::Incoming;
use search::Search;
use std::ops::Range;
use stubs::Stubs;

/// Links that a packet may cross: the hop limit that packets start with.
pub const MAX_HOPS: usize = INITIAL_TTL as usize;

/// A graph that is asked for the way to many destinations.
#[derive(Debug)]
pub struct Graph<'a> {
    edges: &'a [Edge],
    incoming: Incoming,
}

impl<'a> Graph<'a> {
    /// The graph of `nodes` nodes and these links, named by their index.
    pub fn new(nodes: usize, edges: &'a [Edge]) -> Graph<'a> {
        Graph { edges, incoming: Incoming::new(nodes, edges, |_| true) }
    }

    /// A link, by its index.
    pub fn edge(&self, link: LinkId) -> Edge {
        self.edges[link.index()]
    }

    /// How many links there are.
    pub fn links(&self) -> usize {
        self.edges.len()
    }

    /// For every node the link to take towards `destination`: the first link of the path with the least total delay,
    /// of those the one with the fewest hops, of those the link with the smallest index. `None` where no path is, and
    /// at the destination.
    pub fn towards(&self, destination: NodeId) -> Vec<Option<LinkId>> {
        let mut search = Search::new(self.incoming.nodes(), destination);
        search.go_on(self.edges, &self.incoming, None);
        search.into_ways()
    }
}

/// Routes from every node towards some destinations.
///
/// What hangs on the rest of the network by one neighbour, as a host behind a router does, and then the router with all
/// its hosts, and so on, needs no search: that neighbour is its only way out and the only way in. Such *stubs* are
/// stripped off first; what is left, the *core*, is searched once for each of its nodes that is a destination or has
/// some below it. Of a network without loops one node is left.
#[derive(Debug)]
pub struct Routes {
    incoming: Incoming,
    stubs: Stubs,
    /// By node of the core: where the ways to it are among `searched`.
    towards: Vec<Option<u32>>,
    /// The searches.
    searched: Vec<Search>,
    /// How many links have changed since unasked searches were forgotten.
    changed: usize,
}

/// If more than one of so many links changes, searches are made anew: to go on from all that has become shorter takes
/// longer, twice as long where all links have.
const MANY: usize = 32;

impl Routes {
    /// Routes in the graph of `nodes` nodes and these links, towards each of `destinations`.
    pub fn towards(nodes: usize, edges: &[Edge], destinations: &[NodeId]) -> Routes {
        Routes::over_those(nodes, edges, |_| true, destinations)
    }

    /// Computes without the links that are not `usable`.
    pub(crate) fn over_those(
        nodes: usize,
        edges: &[Edge],
        usable: impl Fn(LinkId) -> bool,
        destinations: &[NodeId],
    ) -> Routes {
        let incoming = Incoming::new(nodes, edges, usable);
        let stubs = Stubs::new(edges, &incoming);
        let mut routes = Routes { incoming, stubs, towards: vec![None; nodes], searched: Vec::new(), changed: 0 };
        routes.search(edges, destinations);
        routes
    }

    /// Adds destinations in the graph of `edges`, that of the routes.
    pub(crate) fn search(&mut self, edges: &[Edge], destinations: &[NodeId]) {
        destinations.iter().for_each(|&destination| self.go_on(edges, None, destination));
    }

    /// Finds the way from `node` to `destination` in the graph of `edges`, that of the routes, and what is found on the
    /// way to that.
    pub(crate) fn search_from(&mut self, edges: &[Edge], node: NodeId, destination: NodeId) {
        self.go_on(edges, Some(node), destination);
    }

    fn go_on(&mut self, edges: &[Edge], node: Option<NodeId>, destination: NodeId) {
        self.stubs.settle(edges, &self.incoming);
        let core = self.stubs.core(destination);
        let search = *self.towards[core.index()].get_or_insert_with(|| {
            self.searched.push(Search::new(self.incoming.nodes(), core));
            self.searched.len() as u32 - 1
        });
        self.searched[search as usize].go_on(edges, &self.incoming, node);
    }

    /// Changes `link`, of which `usable` says whether it could be and can be used, into `now`. Searches go on from what
    /// has become shorter; those whose ways have become longer are forgotten.
    pub(crate) fn change(&mut self, edges: &mut [Edge], link: LinkId, usable: [bool; 2], now: Edge) {
        let before = edges[link.index()];
        debug_assert_eq!(before.from, now.from, "links stay at their nodes");
        if usable == [true, true] && before.to == now.to {
            edges[link.index()] = now;
            self.stubs.measure(edges, &self.incoming, now.from, now.to);
        } else {
            if usable[0] {
                self.leave_out(edges, link);
            }
            edges[link.index()] = now;
            if usable[1] {
                self.take_in(edges, link);
            }
        }
        self.changed += 1;
        if self.changed > MANY && self.changed * MANY > edges.len() {
            return self.retain(|_| false);
        }
        let [before, now] = [(usable[0], before), (usable[1], now)].map(|(usable, edge)| usable.then_some(edge));
        self.retain(|search| search.adapt(link, before, now));
    }

    /// Forgets the ways for which nobody has asked since the last time.
    pub(crate) fn forget_unasked(&mut self) {
        self.changed = 0;
        self.retain(|search| search.take_asked());
    }

    fn retain(&mut self, mut holds: impl FnMut(&mut Search) -> bool) {
        let mut at = 0;
        while at < self.searched.len() {
            if holds(&mut self.searched[at]) {
                at += 1;
                continue;
            }
            let gone = self.searched.swap_remove(at);
            self.towards[gone.destination().index()] = None;
            if let Some(moved) = self.searched.get(at) {
                self.towards[moved.destination().index()] = Some(at as u32);
            }
        }
    }

    fn leave_out(&mut self, edges: &[Edge], link: LinkId) {
        let last = self.incoming.remove(edges, link);
        let Edge { from, to, .. } = edges[link.index()];
        match last && from != to {
            true => self.stubs.part(edges, &self.incoming, from, to),
            false => self.stubs.measure(edges, &self.incoming, from, to),
        }
    }

    fn take_in(&mut self, edges: &[Edge], link: LinkId) {
        let first = self.incoming.insert(edges, link);
        let Edge { from, to, .. } = edges[link.index()];
        match first && from != to {
            true => self.stubs.join(edges, &self.incoming, from, to),
            false => self.stubs.measure(edges, &self.incoming, from, to),
        }
    }

    /// How many searches it took.
    #[cfg(test)]
    pub(crate) fn searches(&self) -> usize {
        self.searched.len()
    }

    /// The link to take from `node` towards `destination`, one of those given. `None` where no path is, and at the
    /// destination.
    pub fn next(&self, node: NodeId, destination: NodeId) -> Option<LinkId> {
        if node == destination {
            return None;
        }
        let towards = || {
            let search = self.towards[self.stubs.core(destination).index()].expect("it is one of those given");
            self.searched[search as usize].way(node)
        };
        self.stubs.down(node, destination).or_else(towards)
    }

    /// The link that leads back from the far end of `link` in the graph of `edges`, that of the routes; of several the
    /// one with the smallest index. Multicast takes the ways to its source backwards.
    pub fn back(&self, edges: &[Edge], link: LinkId) -> Option<LinkId> {
        let Edge { from, to, .. } = edges[link.index()];
        self.incoming.between(edges, to, from).first().copied()
    }

    /// The links of the way from `node` to `destination`, one of those given, in the graph of `edges`, that of the
    /// routes. None where no path is.
    pub fn way<'a>(
        &'a self,
        edges: &'a [Edge],
        node: NodeId,
        destination: NodeId,
    ) -> impl Iterator<Item = LinkId> + use<'a> {
        let mut at = node;
        std::iter::from_fn(move || {
            let link = self.next(at, destination)?;
            at = edges[link.index()].to;
            Some(link)
        })
    }

    /// How many links the way from `node` to `destination`, one of those given, has in the graph of `edges`, that of
    /// the routes. `None` where no path is. `crossed` is told of each.
    pub fn hops(
        &self,
        edges: &[Edge],
        node: NodeId,
        destination: NodeId,
        mut crossed: impl FnMut(LinkId),
    ) -> Option<usize> {
        let hops = self.way(edges, node, destination).inspect(|&link| crossed(link)).count();
        (hops > 0 || node == destination).then_some(hops)
    }

    /// The only link out of the stub that begins with `node`; `None` in the core.
    pub fn up(&self, node: NodeId) -> Option<LinkId> {
        self.stubs.up(node)
    }

    /// The position of a node and those of the nodes below it, which come right after it, in an order of all nodes.
    pub fn below(&self, node: NodeId) -> Range<u32> {
        self.stubs.below(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::random::Random;
    use faircast_proto::time::Duration;

    fn edge(from: u32, to: u32, millis: u64) -> Edge {
        Edge { from: NodeId(from), to: NodeId(to), delay: Duration::from_millis(millis) }
    }

    #[test]
    fn the_shortest_way_by_delay_wins() {
        // 0 -> 2 directly takes 10 ms, over 1 only 7 ms; 3 cannot be left.
        let edges = [edge(0, 2, 10), edge(0, 1, 3), edge(1, 2, 4), edge(2, 3, 1)];
        let graph = Graph::new(4, &edges);
        assert_eq!(graph.towards(NodeId(2)), [Some(LinkId(1)), Some(LinkId(2)), None, None]);
        assert_eq!(graph.towards(NodeId(3)), [Some(LinkId(1)), Some(LinkId(2)), Some(LinkId(3)), None]);
        assert_eq!(graph.towards(NodeId(0)), [None; 4]);
    }

    #[test]
    fn ties_go_to_fewer_hops_then_to_the_first_link() {
        let edges = [edge(0, 1, 1), edge(1, 2, 1), edge(0, 2, 2), edge(0, 2, 2)];
        assert_eq!(Graph::new(3, &edges).towards(NodeId(2))[0], Some(LinkId(2)));
    }

    /// Holds the routes towards all nodes against a search for each.
    fn check(nodes: u32, edges: &[Edge]) -> Routes {
        let destinations: Vec<NodeId> = (0..nodes).map(NodeId).collect();
        let routes = Routes::towards(nodes as usize, edges, &destinations);
        let graph = Graph::new(nodes as usize, edges);
        for destination in destinations {
            let expected = graph.towards(destination);
            for node in (0..nodes).map(NodeId) {
                assert_eq!(
                    routes.next(node, destination),
                    expected[node.index()],
                    "{node:?} -> {destination:?}: {edges:?}"
                );
            }
            for &way in expected.iter().flatten() {
                // The first from the next node on the way.
                let Edge { from, to, .. } = graph.edge(way);
                let back = (0..).map(LinkId).zip(edges).find(|(_, edge)| (edge.from, edge.to) == (to, from));
                assert_eq!(routes.back(edges, way), back.map(|(link, _)| link), "{way:?}: {edges:?}");
            }
        }
        routes
    }

    #[test]
    fn routes_with_stubs_are_those_of_a_search() {
        // Two routers, hosts behind both, a host on two links, an island that cannot be reached.
        let pairs = [(0, 1, 5), (2, 0, 1), (3, 0, 1), (4, 1, 2), (5, 1, 1), (5, 0, 9)];
        let edges: Vec<Edge> = pairs.iter().flat_map(|&(a, b, ms)| [edge(a, b, ms), edge(b, a, ms)]).collect();
        let routes = check(7, &edges);
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6].map(|node| routes.up(NodeId(node)).is_some()),
            [0, 0, 1, 1, 1, 0, 0].map(|n| n == 1)
        );
    }

    #[test]
    fn routes_in_random_networks_are_those_of_a_search() {
        let mut random = Random::stream(1, "test/routing");
        let mut draw = |below: u32| (random.uniform() * f64::from(below)) as u32;
        for _ in 0..300 {
            let nodes = 2 + draw(12);
            let mut edges = Vec::new();
            for _ in 0..draw(2 * nodes) {
                let (a, b, ms) = (draw(nodes), draw(nodes), u64::from(draw(4)));
                edges.push(edge(a, b, ms));
                // Most links have a way back, some a longer one.
                if draw(5) > 0 {
                    edges.push(edge(b, a, ms + u64::from(draw(2))));
                }
            }
            check(nodes, &edges);
            // Links that cannot be used are as links that are not there.
            let usable: Vec<bool> = edges.iter().map(|_| draw(4) > 0).collect();
            let left: Vec<LinkId> =
                (0..).map(LinkId).zip(&usable).filter(|(_, usable)| **usable).map(|(link, _)| link).collect();
            let fewer: Vec<Edge> = left.iter().map(|link| edges[link.index()]).collect();
            let destinations: Vec<NodeId> = (0..nodes).map(NodeId).collect();
            let own = Routes::over_those(nodes as usize, &edges, |link| usable[link.index()], &destinations);
            // Asked for one by one, ways are those of whole searches.
            let mut asked = Routes::over_those(nodes as usize, &edges, |link| usable[link.index()], &[]);
            for _ in 0..4 * nodes {
                let [node, to] = [draw(nodes), draw(nodes)].map(NodeId);
                asked.search_from(&edges, node, to);
                assert_eq!(asked.next(node, to), own.next(node, to), "{node:?} -> {to:?}: {edges:?}");
            }
            let of_fewer = Routes::towards(nodes as usize, &fewer, &destinations);
            for (node, to) in destinations.iter().flat_map(|&node| destinations.iter().map(move |&to| (node, to))) {
                assert_eq!(own.next(node, to), of_fewer.next(node, to).map(|link| left[link.index()]));
            }
            for (link, own_link) in (0..).map(LinkId).zip(&left) {
                let of_fewer = of_fewer.back(&fewer, link).map(|back| left[back.index()]);
                assert_eq!(own.back(&edges, *own_link), of_fewer);
            }
        }
    }

    #[test]
    fn a_tree_is_all_stubs_but_one_node() {
        let edges: Vec<Edge> =
            (1..63).flat_map(|child| [edge((child - 1) / 2, child, 1), edge(child, (child - 1) / 2, 1)]).collect();
        let routes = check(63, &edges);
        assert_eq!((0..63).filter(|&node| routes.up(NodeId(node)).is_none()).count(), 1);
        assert_eq!(routes.searches(), 1);
        for node in 1..63 {
            let above = NodeId((node - 1) / 2);
            let below = routes.below(NodeId(node));
            let parent = routes.below(above);
            assert!(parent.start < below.start && below.end <= parent.end || routes.up(above).is_some());
        }
    }
}
