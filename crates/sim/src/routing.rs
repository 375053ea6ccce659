//! Unicast routes: shortest paths by propagation delay over any graph.

use crate::ids::{LinkId, NodeId};
use faircast_proto::packet::INITIAL_TTL;
use faircast_proto::time::Duration;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Range;

/// Links that a packet may cross: the hop limit that packets start with.
pub const MAX_HOPS: usize = INITIAL_TTL as usize;

/// A directed link as routing sees it.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Node it leaves.
    pub from: NodeId,
    /// Node it leads to.
    pub to: NodeId,
    /// Propagation delay, the measure of length.
    pub delay: Duration,
}

/// A graph that is asked for the way to many destinations.
#[derive(Debug)]
pub struct Graph<'a> {
    edges: &'a [Edge],
    /// Links that lead to each node.
    incoming: Cow<'a, [Vec<LinkId>]>,
}

impl<'a> Graph<'a> {
    /// The graph of `nodes` nodes and these links, named by their index.
    pub fn new(nodes: usize, edges: &'a [Edge]) -> Graph<'a> {
        Graph::of_those(nodes, edges, |_| true)
    }

    /// Computes without the links that are not `usable`.
    fn of_those(nodes: usize, edges: &'a [Edge], usable: impl Fn(LinkId) -> bool) -> Graph<'a> {
        Graph { edges, incoming: Cow::Owned(incoming(nodes, edges, usable)) }
    }

    /// The graph of these links, of which those that lead to each node are known, in any order.
    pub(crate) fn of_known(edges: &'a [Edge], incoming: &'a [Vec<LinkId>]) -> Graph<'a> {
        Graph { edges, incoming: Cow::Borrowed(incoming) }
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
        let mut search = Search::new(self.incoming.len(), destination);
        search.go_on(self, None);
        search.via
    }
}

/// The links that lead to each node, without those that are not `usable`.
pub(crate) fn incoming(nodes: usize, edges: &[Edge], usable: impl Fn(LinkId) -> bool) -> Vec<Vec<LinkId>> {
    let mut incoming = vec![Vec::new(); nodes];
    for (index, edge) in (0..).map(LinkId).zip(edges).filter(|(index, _)| usable(*index)) {
        incoming[edge.to.index()].push(index);
    }
    incoming
}

/// Delay of a way, then its hops.
type Length = (Duration, u32);

/// A search for the shortest ways towards a destination (Dijkstra's), which goes on as far as somebody asks.
#[derive(Debug)]
struct Search {
    /// By node: the link to take; final where nothing shorter can come ([`knows`](Search::knows)).
    via: Vec<Option<LinkId>>,
    /// By node: the length of the best way found.
    best: Vec<Length>,
    frontier: BinaryHeap<Reverse<(Length, NodeId)>>,
}

impl Search {
    fn new(nodes: usize, destination: NodeId) -> Search {
        let nowhere = (Duration(u64::MAX), u32::MAX);
        let mut search = Search { via: vec![None; nodes], best: vec![nowhere; nodes], frontier: BinaryHeap::new() };
        search.best[destination.index()] = (Duration::ZERO, 0);
        search.frontier.push(Reverse((search.best[destination.index()], destination)));
        search
    }

    /// Whether the way from a node is found. All that is still to come is at least as long as the frontier's first,
    /// and a hop longer where it goes on from there.
    fn knows(&self, node: NodeId) -> bool {
        self.frontier.peek().is_none_or(|Reverse((next, _))| self.best[node.index()] <= *next)
    }

    /// Goes on until the way from `node` is known, or from all.
    fn go_on(&mut self, graph: &Graph<'_>, node: Option<NodeId>) {
        while !node.is_some_and(|node| self.knows(node))
            && let Some(Reverse((length, node))) = self.frontier.pop()
        {
            if length > self.best[node.index()] {
                continue;
            }
            for &link in &graph.incoming[node.index()] {
                let edge = graph.edges[link.index()];
                let candidate = (length.0 + edge.delay, length.1 + 1);
                let from = edge.from.index();
                let known = &mut self.best[from];
                if candidate < *known {
                    *known = candidate;
                    self.via[from] = Some(link);
                    self.frontier.push(Reverse((candidate, edge.from)));
                } else if candidate == *known && self.via[from].is_some_and(|chosen| link < chosen) {
                    self.via[from] = Some(link);
                }
            }
        }
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
    stubs: Stubs,
    /// By node of the core: where the ways to it are among `searched`.
    towards: Vec<Option<u32>>,
    /// The searches.
    searched: Vec<Search>,
    /// By link: the one that leads back, of several the first.
    back: Vec<Option<LinkId>>,
}

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
        let stubs = Stubs::new(nodes, edges, &usable);
        let back = backs(edges, &usable);
        let mut routes = Routes { stubs, towards: vec![None; nodes], searched: Vec::new(), back };
        if !destinations.is_empty() {
            routes.search(&Graph::of_those(nodes, edges, &usable), destinations);
        }
        routes
    }

    /// Adds destinations in `graph`, that of the routes.
    pub(crate) fn search(&mut self, graph: &Graph<'_>, destinations: &[NodeId]) {
        destinations.iter().for_each(|&destination| self.searching(destination).go_on(graph, None));
    }

    /// Finds the way from `node` to `destination` in `graph`, that of the routes, and what is found on the way to that.
    pub(crate) fn search_from(&mut self, graph: &Graph<'_>, node: NodeId, destination: NodeId) {
        self.searching(destination).go_on(graph, Some(node));
    }

    /// The search towards a destination, as far as it has come.
    fn searching(&mut self, destination: NodeId) -> &mut Search {
        let core = self.stubs.core[destination.index()];
        let search = *self.towards[core.index()].get_or_insert_with(|| {
            self.searched.push(Search::new(self.stubs.core.len(), core));
            self.searched.len() as u32 - 1
        });
        &mut self.searched[search as usize]
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
            let search = self.towards[self.stubs.core[destination.index()].index()].expect("it is one of those given");
            let search = &self.searched[search as usize];
            debug_assert!(search.knows(node), "nobody has asked for the way from {node:?}");
            search.via[node.index()]
        };
        self.stubs.down(node, destination).or_else(towards)
    }

    /// The link that leads back from the far end of `link`, of several the one with the smallest index. Multicast takes
    /// the ways to its source backwards.
    pub fn back(&self, link: LinkId) -> Option<LinkId> {
        self.back[link.index()]
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
        self.stubs.parents[node.index()].map(|parent| parent.up)
    }

    /// The position of a node and those of the nodes below it, which come right after it, in an order of all nodes.
    pub fn below(&self, node: NodeId) -> Range<u32> {
        self.stubs.below[node.index()].clone()
    }
}

/// The trees that hang on the core.
#[derive(Debug)]
struct Stubs {
    /// `None` in the core.
    parents: Vec<Option<Parent>>,
    /// The nodes right below each node, by position.
    children: Vec<Vec<NodeId>>,
    /// The node of the core on which each node hangs, or that it is.
    core: Vec<NodeId>,
    /// Position of each node, and up to the end those of all nodes below it.
    below: Vec<Range<u32>>,
}

/// The neighbour of a stub's first node, with the links between them.
#[derive(Clone, Copy, Debug)]
struct Parent {
    node: NodeId,
    up: LinkId,
    down: LinkId,
}

impl Stubs {
    fn new(nodes: usize, edges: &[Edge], usable: impl Fn(LinkId) -> bool) -> Stubs {
        let parents = parents(nodes, edges, usable);
        let mut children = vec![Vec::new(); nodes];
        for (node, parent) in (0..).map(NodeId).zip(&parents) {
            if let Some(parent) = parent {
                children[parent.node.index()].push(node);
            }
        }
        let (mut core, mut below) = (vec![NodeId(0); nodes], vec![0..0; nodes]);
        let mut order = Vec::with_capacity(nodes);
        for root in (0..nodes as u32).map(NodeId).filter(|node| parents[node.index()].is_none()) {
            let mut pending = vec![root];
            while let Some(node) = pending.pop() {
                let position = order.len() as u32;
                core[node.index()] = root;
                below[node.index()] = position..position + 1;
                order.push(node);
                pending.extend(children[node.index()].iter().rev());
            }
        }
        for &node in order.iter().rev() {
            if let Some(parent) = parents[node.index()] {
                let end = below[node.index()].end;
                let of_parent = &mut below[parent.node.index()];
                of_parent.end = of_parent.end.max(end);
            }
        }
        Stubs { parents, children, core, below }
    }

    /// The link from `node` down towards `destination`, if that is below it.
    fn down(&self, node: NodeId, destination: NodeId) -> Option<LinkId> {
        let position = self.below[destination.index()].start;
        if !self.below[node.index()].contains(&position) {
            return None;
        }
        let children = &self.children[node.index()];
        let child = children.partition_point(|child| self.below[child.index()].end <= position);
        self.parents[children.get(child)?.index()].map(|parent| parent.down)
    }
}

/// By link: the link that leads back from its far end, of several the one with the smallest index.
fn backs(edges: &[Edge], usable: impl Fn(LinkId) -> bool) -> Vec<Option<LinkId>> {
    let all = || (0..).map(LinkId).zip(edges);
    let mut links: Vec<_> =
        all().filter(|&(link, _)| usable(link)).map(|(link, edge)| (edge.from, edge.to, link)).collect();
    links.sort_unstable();
    let back = |(_, edge): (LinkId, &Edge)| {
        let first = links.partition_point(|&(from, to, _)| (from, to) < (edge.to, edge.from));
        links.get(first).filter(|&&(from, to, _)| (from, to) == (edge.to, edge.from)).map(|&(.., link)| link)
    };
    all().map(back).collect()
}

/// Strips off, again and again, the nodes that have a single neighbour, with links there and back.
fn parents(nodes: usize, edges: &[Edge], usable: impl Fn(LinkId) -> bool) -> Vec<Option<Parent>> {
    // Of parallel links the one that a search would take: the shortest, then the first.
    let mut links: Vec<(NodeId, NodeId, Duration, LinkId)> =
        (0..).map(LinkId).zip(edges).map(|(link, edge)| (edge.from, edge.to, edge.delay, link)).collect();
    links.retain(|&(from, to, _, link)| from != to && usable(link));
    links.sort_unstable();
    links.dedup_by_key(|&mut (from, to, ..)| (from, to));
    let link = |from: NodeId, to: NodeId| {
        let found = links.binary_search_by_key(&(from, to), |&(from, to, ..)| (from, to));
        found.ok().map(|at| links[at].3)
    };
    let neighbours = |node: NodeId| {
        let start = links.partition_point(|&(from, ..)| from < node);
        let end = links.partition_point(|&(from, ..)| from <= node);
        links[start..end].iter().map(|&(_, to, ..)| to)
    };
    let mut degrees: Vec<usize> = (0..nodes as u32).map(|node| neighbours(NodeId(node)).count()).collect();
    let mut stays = vec![false; nodes];
    for &(from, to, ..) in links.iter().filter(|&&(from, to, ..)| link(to, from).is_none()) {
        stays[from.index()] = true;
        stays[to.index()] = true;
    }
    let mut parents: Vec<Option<Parent>> = vec![None; nodes];
    let mut pending: VecDeque<NodeId> = (0..nodes as u32).map(NodeId).collect();
    while let Some(node) = pending.pop_front() {
        if degrees[node.index()] != 1 || stays[node.index()] {
            continue;
        }
        let parent = neighbours(node).find(|other| parents[other.index()].is_none()).expect("its degree is 1");
        let between = link(node, parent).zip(link(parent, node));
        parents[node.index()] = between.map(|(up, down)| Parent { node: parent, up, down });
        degrees[node.index()] = 0;
        degrees[parent.index()] -= 1;
        pending.push_back(parent);
    }
    parents
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::random::Random;

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
                // Of the links to its node the first that comes from the next node on the way.
                let Edge { from, to, .. } = graph.edge(way);
                let back = graph.incoming[from.index()].iter().find(|&&link| graph.edge(link).from == to);
                assert_eq!(routes.back(way), back.copied(), "{way:?}: {edges:?}");
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
            // Asked for one by one, with links in another order, ways are those of whole searches.
            let mut known = incoming(nodes as usize, &edges, |link| usable[link.index()]);
            known.iter_mut().for_each(|links| links.reverse());
            let graph = Graph::of_known(&edges, &known);
            let mut asked = Routes::over_those(nodes as usize, &edges, |link| usable[link.index()], &[]);
            for _ in 0..4 * nodes {
                let [node, to] = [draw(nodes), draw(nodes)].map(NodeId);
                asked.search_from(&graph, node, to);
                assert_eq!(asked.next(node, to), own.next(node, to), "{node:?} -> {to:?}: {edges:?}");
            }
            let of_fewer = Routes::towards(nodes as usize, &fewer, &destinations);
            for (node, to) in destinations.iter().flat_map(|&node| destinations.iter().map(move |&to| (node, to))) {
                assert_eq!(own.next(node, to), of_fewer.next(node, to).map(|link| left[link.index()]));
            }
            for (link, own_link) in (0..).map(LinkId).zip(&left) {
                assert_eq!(own.back(*own_link), of_fewer.back(link).map(|back| left[back.index()]));
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
