//! Unicast routes: shortest paths by propagation delay over any graph.

use faircast_proto::time::Duration;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A directed link as routing sees it.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Node it leaves.
    pub from: u32,
    /// Node it leads to.
    pub to: u32,
    /// Propagation delay, the measure of length.
    pub delay: Duration,
}

/// A graph that is asked for the way to many destinations.
#[derive(Debug)]
pub struct Graph<'a> {
    edges: &'a [Edge],
    /// Links that lead to each node.
    incoming: Vec<Vec<u32>>,
}

impl<'a> Graph<'a> {
    /// The graph of `nodes` nodes and these links, named by their index.
    pub fn new(nodes: usize, edges: &'a [Edge]) -> Graph<'a> {
        let mut incoming = vec![Vec::new(); nodes];
        for (index, edge) in (0..).zip(edges) {
            incoming[edge.to as usize].push(index);
        }
        Graph { edges, incoming }
    }

    /// For every node the link to take towards `destination`: the first link of the path with the least total delay,
    /// of those the one with the fewest hops, of those the link with the smallest index. `None` where no path is, and
    /// at the destination.
    pub fn towards(&self, destination: u32) -> Vec<Option<u32>> {
        let mut best = vec![(Duration(u64::MAX), u32::MAX); self.incoming.len()];
        let mut via = vec![None; self.incoming.len()];
        best[destination as usize] = (Duration::ZERO, 0);
        let mut frontier = BinaryHeap::from([Reverse(((Duration::ZERO, 0u32), destination))]);
        while let Some(Reverse((length, node))) = frontier.pop() {
            if length > best[node as usize] {
                continue;
            }
            for &link in &self.incoming[node as usize] {
                let edge = self.edges[link as usize];
                let candidate = (length.0 + edge.delay, length.1 + 1);
                let known = &mut best[edge.from as usize];
                let from = edge.from as usize;
                if candidate < *known {
                    *known = candidate;
                    via[from] = Some(link);
                    frontier.push(Reverse((candidate, edge.from)));
                } else if candidate == *known && via[from].is_some_and(|chosen| link < chosen) {
                    via[from] = Some(link);
                }
            }
        }
        via
    }

    /// Of every node the link to it in the tree that `up`, the ways to one destination, makes backwards: the link back of
    /// its way up, of several the one with the smallest index. `None` where no way up is, or no link back.
    pub fn down(&self, up: &[Option<u32>]) -> Vec<Option<u32>> {
        let back = |(node, via): (u32, &Option<u32>)| {
            let above = self.edges[via.as_ref().copied()? as usize].to;
            self.incoming[node as usize].iter().copied().find(|&link| self.edges[link as usize].from == above)
        };
        (0..).zip(up).map(back).collect()
    }
}

/// Routes from every node towards some destinations.
///
/// A destination with a single link towards it is reached through the node that link comes from, so that many hosts
/// behind one router share one computation.
#[derive(Debug)]
pub struct Routes {
    /// For each distinct anchor, the link to take from every node.
    towards: Vec<Vec<Option<u32>>>,
    /// For each destination: its anchor in `towards`, and the last hop if the anchor is not the destination itself.
    destinations: Vec<(u32, Option<LastHop>)>,
}

#[derive(Clone, Copy, Debug)]
struct LastHop {
    router: u32,
    link: u32,
    host: u32,
}

impl Routes {
    /// Routes in the graph of `nodes` nodes and these links, towards each of `destinations`.
    pub fn towards(nodes: usize, edges: &[Edge], destinations: &[u32]) -> Routes {
        let graph = Graph::new(nodes, edges);
        let mut anchors = vec![u32::MAX; nodes];
        let mut towards = Vec::new();
        let destinations = destinations
            .iter()
            .map(|&host| {
                let last = match graph.incoming[host as usize][..] {
                    [link] => Some(LastHop { router: edges[link as usize].from, link, host }),
                    _ => None,
                };
                let anchor = last.map_or(host, |last| last.router);
                let index = &mut anchors[anchor as usize];
                if *index == u32::MAX {
                    *index = towards.len() as u32;
                    towards.push(graph.towards(anchor));
                }
                (*index, last)
            })
            .collect();
        Routes { towards, destinations }
    }

    /// The link to take from `node` towards destination number `destination`. `None` where no path is, and at the
    /// destination.
    pub fn next(&self, node: u32, destination: u32) -> Option<u32> {
        match self.destinations[destination as usize] {
            (_, Some(LastHop { host, .. })) if host == node => None,
            (_, Some(LastHop { router, link, .. })) if router == node => Some(link),
            (anchor, _) => self.towards[anchor as usize][node as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: u32, to: u32, millis: u64) -> Edge {
        Edge { from, to, delay: Duration::from_millis(millis) }
    }

    #[test]
    fn the_shortest_way_by_delay_wins() {
        // 0 -> 2 directly takes 10 ms, over 1 only 7 ms; 3 cannot be left.
        let edges = [edge(0, 2, 10), edge(0, 1, 3), edge(1, 2, 4), edge(2, 3, 1)];
        let graph = Graph::new(4, &edges);
        assert_eq!(graph.towards(2), [Some(1), Some(2), None, None]);
        assert_eq!(graph.towards(3), [Some(1), Some(2), Some(3), None]);
        assert_eq!(graph.towards(0), [None; 4]);
    }

    #[test]
    fn ties_go_to_fewer_hops_then_to_the_first_link() {
        let edges = [edge(0, 1, 1), edge(1, 2, 1), edge(0, 2, 2), edge(0, 2, 2)];
        assert_eq!(Graph::new(3, &edges).towards(2)[0], Some(2));
    }

    #[test]
    fn shared_routes_are_those_of_each_destination() {
        // Two routers, hosts behind both, a host on two links, an island that cannot be reached.
        let pairs = [(0, 1, 5), (2, 0, 1), (3, 0, 1), (4, 1, 2), (5, 1, 1), (5, 0, 9)];
        let edges: Vec<Edge> = pairs.iter().flat_map(|&(a, b, ms)| [edge(a, b, ms), edge(b, a, ms)]).collect();
        let destinations = [2, 3, 4, 5, 6];
        let routes = Routes::towards(7, &edges, &destinations);
        let graph = Graph::new(7, &edges);
        for (slot, &destination) in (0..).zip(&destinations) {
            let expected = graph.towards(destination);
            for node in 0..7 {
                assert_eq!(routes.next(node, slot), expected[node as usize], "{node} -> {destination}");
            }
        }
        assert_eq!(routes.next(2, 2), Some(2));
    }
}
