//! Shortest ways towards one destination.

use super::Edge;
use super::incoming::Incoming;
use crate::ids::{LinkId, NodeId};
use faircast_proto::time::Duration;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A search for the shortest ways towards a destination (Dijkstra's), which goes on as far as somebody asks.
#[derive(Debug)]
pub(super) struct Search {
    /// By node: the link to take; final where nothing shorter can come ([`knows`](Search::knows)).
    via: Vec<Option<LinkId>>,
    /// By node: the length of the best way found.
    best: Vec<Length>,
    frontier: BinaryHeap<Reverse<(Length, NodeId)>>,
}

/// Delay of a way, then its hops.
type Length = (Duration, u32);

impl Search {
    pub(super) fn new(nodes: usize, destination: NodeId) -> Search {
        let nowhere = (Duration(u64::MAX), u32::MAX);
        let mut search = Search { via: vec![None; nodes], best: vec![nowhere; nodes], frontier: BinaryHeap::new() };
        search.best[destination.index()] = (Duration::ZERO, 0);
        search.frontier.push(Reverse((search.best[destination.index()], destination)));
        search
    }

    /// Goes on until the way from `node` is known, or from all.
    pub(super) fn go_on(&mut self, edges: &[Edge], incoming: &Incoming, node: Option<NodeId>) {
        while !node.is_some_and(|node| self.knows(node))
            && let Some(Reverse((length, node))) = self.frontier.pop()
        {
            if length > self.best[node.index()] {
                continue;
            }
            for &link in incoming.to(node) {
                let edge = edges[link.index()];
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

    /// The link to take from a node; `None` where no path is, and at the destination.
    pub(super) fn way(&self, node: NodeId) -> Option<LinkId> {
        debug_assert!(self.knows(node), "nobody has asked for the way from {node:?}");
        self.via[node.index()]
    }

    /// Those of all nodes, when all are found.
    pub(super) fn into_ways(self) -> Vec<Option<LinkId>> {
        self.via
    }

    /// Whether the way from a node is found. All that is still to come is at least as long as the frontier's first,
    /// and a hop longer where it goes on from there.
    fn knows(&self, node: NodeId) -> bool {
        self.frontier.peek().is_none_or(|Reverse((next, _))| self.best[node.index()] <= *next)
    }
}
