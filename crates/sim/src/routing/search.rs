//! Shortest ways towards one destination.

use super::edge::Edge;
use super::incoming::Incoming;
use crate::ids::{LinkId, NodeId};
use faircast_proto::time::Duration;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A search for the shortest ways towards a destination (Dijkstra's), which goes on as far as somebody asks.
#[derive(Debug)]
pub(super) struct Search {
    destination: NodeId,
    /// Whether somebody has asked since [`take_asked`](Search::take_asked).
    asked: bool,
    /// By node: the link to take; final where nothing shorter can come ([`knows`](Search::knows)).
    via: Vec<Option<LinkId>>,
    /// By node: the length of the best way found.
    best: Vec<Length>,
    frontier: BinaryHeap<Reverse<u128>>,
}

/// Delay of a way, then its hops: the delay in the upper 64 bits, the hops in the next 32. As one number it takes one
/// comparison, and the rest has room for a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Length(u128);

impl Length {
    const ZERO: Length = Length(0);
    /// That of no way.
    const NONE: Length = Length::of(Duration(u64::MAX), u32::MAX);

    const fn of(delay: Duration, hops: u32) -> Length {
        Length((delay.0 as u128) << 64 | (hops as u128) << 32)
    }

    /// With another link of this delay.
    fn and(self, delay: Duration) -> Length {
        let Length(bits) = self;
        Length::of(Duration((bits >> 64) as u64) + delay, (bits >> 32) as u32 + 1)
    }

    /// The length with a node, in the order of lengths, then of nodes.
    fn at(self, node: NodeId) -> u128 {
        self.0 | u128::from(node.0)
    }

    /// A length with a node, taken apart.
    fn apart(bits: u128) -> (Length, NodeId) {
        let node = bits as u32;
        (Length(bits ^ u128::from(node)), NodeId(node))
    }
}

impl Search {
    pub(super) fn new(nodes: usize, destination: NodeId) -> Search {
        let (via, best) = (vec![None; nodes], vec![Length::NONE; nodes]);
        let mut search = Search { destination, asked: false, via, best, frontier: BinaryHeap::new() };
        search.best[destination.index()] = Length::ZERO;
        search.frontier.push(Reverse(Length::ZERO.at(destination)));
        search
    }

    /// Goes on until the way from `node` is known, or from all.
    pub(super) fn go_on(&mut self, edges: &[Edge], incoming: &Incoming, node: Option<NodeId>) {
        self.asked = true;
        while !node.is_some_and(|node| self.knows(node))
            && let Some(Reverse(next)) = self.frontier.pop()
        {
            let (length, node) = Length::apart(next);
            if length > self.best[node.index()] {
                continue;
            }
            for &link in incoming.to(node) {
                self.try_out(link, edges[link.index()], length);
            }
        }
    }

    /// A link that was `before` is `now`, as far as it could be and can be used. Whether the search holds good: it does
    /// not if a way that it has found has become longer, and it goes on from a shorter one.
    pub(super) fn adapt(&mut self, link: LinkId, before: Option<Edge>, now: Option<Edge>) -> bool {
        let is_longer = |before: Edge| now.is_none_or(|now| now.to != before.to || now.delay > before.delay);
        if before.is_some_and(|before| self.via[before.from.index()] == Some(link) && is_longer(before)) {
            return false;
        }
        if let Some(now) = now
            && self.best[now.to.index()] < Length::NONE
        {
            self.try_out(link, now, self.best[now.to.index()]);
        }
        true
    }

    /// Takes a link, from the end of which the way is so long, if that is better than what is known.
    #[inline(always)]
    fn try_out(&mut self, link: LinkId, edge: Edge, length: Length) {
        let candidate = length.and(edge.delay);
        let from = edge.from.index();
        let known = &mut self.best[from];
        if candidate < *known {
            *known = candidate;
            self.via[from] = Some(link);
            self.frontier.push(Reverse(candidate.at(edge.from)));
        } else if candidate == *known && self.via[from].is_some_and(|chosen| link < chosen) {
            self.via[from] = Some(link);
        }
    }

    /// Whether somebody has asked since the last time.
    pub(super) fn take_asked(&mut self) -> bool {
        std::mem::take(&mut self.asked)
    }

    /// Where the ways lead.
    pub(super) fn destination(&self) -> NodeId {
        self.destination
    }

    /// The link to take from a node; `None` where no path is, and at the destination.
    pub(super) fn way(&self, node: NodeId) -> Option<LinkId> {
        debug_assert!(self.knows(node), "nobody has asked for the way from {node:?}");
        self.via[node.index()]
    }

    /// The links to take from all nodes, when all ways are found.
    pub(super) fn into_ways(self) -> Vec<Option<LinkId>> {
        self.via
    }

    /// Whether the way from a node is found. All that is still to come is at least as long as the frontier's first,
    /// and a hop longer where it goes on from there.
    fn knows(&self, node: NodeId) -> bool {
        self.frontier.peek().is_none_or(|&Reverse(next)| self.best[node.index()].0 <= next)
    }
}
