//! What hangs on the rest of the network by one neighbour, and so on: its *stubs*.

use super::edge::Edge;
use super::incoming::Incoming;
use crate::ids::{LinkId, NodeId};
use std::collections::VecDeque;
use std::ops::Range;

/// The trees that hang on the core: nodes that have a single neighbour, with links there and back, are stripped off
/// again and again.
///
/// Where links change, only what depends on them is looked at. Both ends of such a link are put back into the core with
/// all nodes above them, and stripped off again if they may be; everything else hangs where it did.
#[derive(Debug)]
pub(super) struct Stubs {
    /// `None` in the core.
    parents: Vec<Option<Parent>>,
    neighbours: Vec<Neighbours>,
    /// Nodes that may be to strip off.
    pending: VecDeque<NodeId>,
    /// Where nodes are in the trees; `None` as long as that has to be found anew.
    places: Option<Places>,
}

/// The neighbour of a stub's first node, with the links between them.
#[derive(Clone, Copy, Debug)]
struct Parent {
    node: NodeId,
    up: LinkId,
    down: LinkId,
}

/// The other nodes to which links lead from a node, or from which they come.
#[derive(Clone, Copy, Debug, Default)]
struct Neighbours {
    /// How many there are with links there and back, without those whose parent the node is.
    there_and_back: u32,
    /// Their numbers, combined by exclusive or: of a single one, its number.
    combined: u32,
    /// How many there are with links in one direction.
    one_way: u32,
}

#[derive(Debug)]
struct Places {
    /// The nodes right below each node, by position.
    children: Vec<Vec<NodeId>>,
    /// The node of the core on which each node hangs, or that it is.
    core: Vec<NodeId>,
    /// Position of each node, and up to the end those of all nodes below it.
    below: Vec<Range<u32>>,
}

impl Stubs {
    pub(super) fn new(edges: &[Edge], incoming: &Incoming) -> Stubs {
        let nodes = incoming.nodes();
        let mut neighbours = vec![Neighbours::default(); nodes];
        for node in (0..nodes as u32).map(NodeId) {
            for other in incoming.sources(edges, node) {
                // Each pair with links there and back is met twice, at either end.
                if !incoming.between(edges, node, other).is_empty() {
                    neighbours[node.index()].add(other);
                } else {
                    neighbours[node.index()].one_way += 1;
                    neighbours[other.index()].one_way += 1;
                }
            }
        }
        let pending = (0..nodes as u32).map(NodeId).collect();
        let mut stubs = Stubs { parents: vec![None; nodes], neighbours, pending, places: None };
        stubs.settle(edges, incoming);
        stubs
    }

    /// From one node a usable link leads to another, where there was none; [`settle`](Self::settle) must follow.
    pub(super) fn join(&mut self, edges: &[Edge], incoming: &Incoming, from: NodeId, to: NodeId) {
        let comes_back = !incoming.between(edges, to, from).is_empty();
        for [node, other] in self.loosened([from, to]) {
            let neighbours = &mut self.neighbours[node.index()];
            if comes_back {
                neighbours.one_way -= 1;
                neighbours.add(other);
            } else {
                neighbours.one_way += 1;
            }
        }
    }

    /// From one node no link leads to another any more; [`settle`](Self::settle) must follow.
    pub(super) fn part(&mut self, edges: &[Edge], incoming: &Incoming, from: NodeId, to: NodeId) {
        let comes_back = !incoming.between(edges, to, from).is_empty();
        for [node, other] in self.loosened([from, to]) {
            let neighbours = &mut self.neighbours[node.index()];
            if comes_back {
                neighbours.remove(other);
                neighbours.one_way += 1;
            } else {
                neighbours.one_way -= 1;
            }
        }
    }

    /// The links from one node to another have changed otherwise: how many or how long they are.
    pub(super) fn measure(&mut self, edges: &[Edge], incoming: &Incoming, from: NodeId, to: NodeId) {
        for [node, other] in [[from, to], [to, from]] {
            if self.parents[node.index()].is_some_and(|parent| parent.node == other) {
                self.parents[node.index()] = Parent::new(edges, incoming, node, other);
            }
        }
    }

    /// Strips off what is to be, and finds the places of all nodes if that changes them.
    pub(super) fn settle(&mut self, edges: &[Edge], incoming: &Incoming) {
        while let Some(node) = self.pending.pop_front() {
            let Neighbours { there_and_back, combined, one_way } = self.neighbours[node.index()];
            if self.parents[node.index()].is_some() || there_and_back != 1 || one_way > 0 {
                continue;
            }
            let parent = NodeId(combined);
            debug_assert!(self.parents[parent.index()].is_none(), "its parent is its only neighbour, or below it");
            self.parents[node.index()] = Parent::new(edges, incoming, node, parent);
            self.neighbours[parent.index()].remove(node);
            self.pending.push_back(parent);
        }
        if self.places.is_none() {
            self.places = Some(Places::new(&self.parents));
        }
    }

    /// Puts both nodes back into the core, with all above them. Gives each of them with the other.
    fn loosened(&mut self, nodes: [NodeId; 2]) -> [[NodeId; 2]; 2] {
        self.places = None;
        for mut node in nodes {
            while let Some(parent) = self.parents[node.index()].take() {
                self.neighbours[parent.node.index()].add(node);
                node = parent.node;
            }
            self.pending.push_back(node);
        }
        let [a, b] = nodes;
        [[a, b], [b, a]]
    }

    /// The only link out of the stub that begins with `node`; `None` in the core.
    pub(super) fn up(&self, node: NodeId) -> Option<LinkId> {
        self.parents[node.index()].map(|parent| parent.up)
    }

    /// The node of the core on which a node hangs, or that it is.
    pub(super) fn core(&self, node: NodeId) -> NodeId {
        self.places().core[node.index()]
    }

    /// The position of a node and those of the nodes below it, which come right after it, in an order of all nodes.
    pub(super) fn below(&self, node: NodeId) -> Range<u32> {
        self.places().below[node.index()].clone()
    }

    /// The link from `node` down towards `destination`, if that is below it.
    pub(super) fn down(&self, node: NodeId, destination: NodeId) -> Option<LinkId> {
        let Places { children, below, .. } = self.places();
        let position = below[destination.index()].start;
        if !below[node.index()].contains(&position) {
            return None;
        }
        let children = &children[node.index()];
        let child = children.partition_point(|child| below[child.index()].end <= position);
        self.parents[children.get(child)?.index()].map(|parent| parent.down)
    }

    fn places(&self) -> &Places {
        self.places.as_ref().expect("stubs are settled before anybody asks")
    }
}

impl Parent {
    /// The parent of `node`, by the links that a search would take; `None` unless they lead there and back.
    fn new(edges: &[Edge], incoming: &Incoming, node: NodeId, parent: NodeId) -> Option<Parent> {
        let up = incoming.shortest(edges, node, parent)?;
        Some(Parent { node: parent, up, down: incoming.shortest(edges, parent, node)? })
    }
}

impl Neighbours {
    fn add(&mut self, other: NodeId) {
        self.there_and_back += 1;
        self.combined ^= other.0;
    }

    fn remove(&mut self, other: NodeId) {
        self.there_and_back -= 1;
        self.combined ^= other.0;
    }
}

impl Places {
    fn new(parents: &[Option<Parent>]) -> Places {
        let nodes = parents.len();
        let mut children = vec![Vec::new(); nodes];
        for (node, parent) in (0..).map(NodeId).zip(parents) {
            if let Some(parent) = parent {
                children[parent.node.index()].push(node);
            }
        }
        let (mut core, mut below) = (vec![NodeId(0); nodes], vec![0..0; nodes]);
        let (mut order, mut pending) = (Vec::with_capacity(nodes), Vec::new());
        for root in (0..nodes as u32).map(NodeId).filter(|node| parents[node.index()].is_none()) {
            pending.push(root);
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
        Places { children, core, below }
    }
}
