//! The tree of a session: from every node on it the way to the source, and away from the source the branches.

use crate::ids::{LinkId, NodeId};
use crate::part::Carriers;
use crate::routing::{Edge, Routes};

/// A tree; changes by being replaced.
pub(crate) struct Tree {
    root: NodeId,
    /// By node.
    places: Vec<TreeNode>,
    /// By parent, of a parent its links before its legs, those of a carrier together, then by link.
    branches: Vec<Branch>,
}

/// A node of a session, by its position among them: in the order of their [`NodeId`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Vertex(pub(super) u32);

/// The number of a branch of a session's tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BranchId(pub(super) u32);

/// A way away from the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Branch {
    pub(crate) parent: Vertex,
    /// The link of which the branch is a leg, if it is one.
    pub(crate) carrier: Option<LinkId>,
    /// From the parent to the child.
    pub(crate) link: LinkId,
    pub(crate) child: Vertex,
}

/// A direction in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heading {
    /// Away from the source: a branch begins with the link.
    Down,
    /// Towards the source.
    Up,
}

/// A node and what it has to do with the tree.
struct TreeNode {
    node: NodeId,
    /// The link to the next node towards the source; [`LinkId::NONE`] at the source and where no way is.
    up: LinkId,
    /// Its branches, from one to before another.
    fan: [u32; 2],
}

/// What trees are made of: the shortest ways to their sources in a network.
pub(crate) struct Woods<'a> {
    edges: &'a [Edge],
    /// To the nodes of all sources.
    routes: &'a Routes,
    carriers: &'a Carriers,
    /// By node: its place in the tree that is being made.
    found: Vec<u32>,
}

const NIL: u32 = u32::MAX;

impl<'a> Woods<'a> {
    /// By `routes` among `nodes` nodes and these links, some of which may be legs.
    pub(crate) fn new(nodes: usize, edges: &'a [Edge], routes: &'a Routes, carriers: &'a Carriers) -> Woods<'a> {
        Woods { edges, routes, carriers, found: vec![NIL; nodes] }
    }

    /// How many nodes and links there are.
    pub(crate) fn size(&self) -> [usize; 2] {
        [self.found.len(), self.edges.len()]
    }

    /// The reverse of the shortest paths from `leaves` to `root`. Paths end where no link leads back.
    pub(crate) fn tree(&mut self, root: NodeId, leaves: impl Iterator<Item = NodeId>) -> Tree {
        let mut nodes = vec![root];
        self.found[root.index()] = 0;
        for leaf in leaves {
            let mut node = leaf;
            while self.found[node.index()] == NIL {
                self.found[node.index()] = 0;
                nodes.push(node);
                let Some((above, ..)) = self.step(node, root) else { break };
                node = above;
            }
        }
        nodes.sort_unstable();
        for (vertex, node) in (0..).zip(&nodes) {
            self.found[node.index()] = vertex;
        }
        let mut branches = Vec::with_capacity(nodes.len());
        let mut places = Vec::with_capacity(nodes.len());
        for (child, &node) in (0..).map(Vertex).zip(&nodes) {
            let step = self.step(node, root);
            if let Some((above, _, link)) = step {
                let (parent, carrier) = (Vertex(self.found[above.index()]), self.carriers.of(link));
                branches.push(Branch { parent, carrier, link, child });
            }
            places.push(TreeNode { node, up: step.map_or(LinkId::NONE, |(_, up, _)| up), fan: [0, 0] });
        }
        branches.sort_unstable();
        for (index, branch) in (0u32..).zip(&branches) {
            let [start, end] = &mut places[branch.parent.index()].fan;
            if *end == 0 {
                *start = index;
            }
            *end = index + 1;
        }
        for node in nodes {
            self.found[node.index()] = NIL;
        }
        Tree { root, places, branches }
    }

    /// The next node from `node` towards `root`, the link to it and the one back.
    fn step(&self, node: NodeId, root: NodeId) -> Option<(NodeId, LinkId, LinkId)> {
        let up = self.routes.next(node, root)?;
        Some((self.edges[up.index()].to, up, self.routes.back(self.edges, up)?))
    }
}

impl Tree {
    /// The node of the source.
    pub(crate) fn root(&self) -> NodeId {
        self.root
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// All nodes, in order.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.places.iter().map(|place| place.node)
    }

    /// The position of a node; `None` if the session has nothing to do with it.
    pub(crate) fn vertex(&self, node: NodeId) -> Option<Vertex> {
        self.places.binary_search_by_key(&node, |place| place.node).ok().map(|index| Vertex(index as u32))
    }

    /// The node at a position.
    pub(crate) fn node(&self, vertex: Vertex) -> NodeId {
        self.places[vertex.index()].node
    }

    /// The link towards the source; `None` at the source's node and where no way is.
    pub(crate) fn up(&self, vertex: Vertex) -> Option<LinkId> {
        let up = self.places[vertex.index()].up;
        (up != LinkId::NONE).then_some(up)
    }

    /// All branches.
    pub(crate) fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// A branch.
    pub(crate) fn branch(&self, branch: BranchId) -> &Branch {
        &self.branches[branch.index()]
    }

    /// Which of the branches are those of a node: from one to before another.
    pub(crate) fn fan(&self, vertex: Vertex) -> [u32; 2] {
        self.places[vertex.index()].fan
    }

    /// All branches, each after those of its child.
    pub(crate) fn leaves_first(&self) -> Vec<BranchId> {
        let mut order = Vec::with_capacity(self.branches.len());
        let add = |order: &mut Vec<BranchId>, vertex| {
            let [start, end] = self.fan(vertex);
            order.extend((start..end).map(BranchId));
        };
        // Where no way leads to the source there may be branches all the same.
        let mut is_child = vec![false; self.len()];
        self.branches.iter().for_each(|branch| is_child[branch.child.index()] = true);
        let tops = (0..).map(Vertex).zip(is_child).filter(|(_, is_child)| !is_child);
        tops.for_each(|(top, _)| add(&mut order, top));
        let mut next = 0;
        while let Some(&branch) = order.get(next) {
            add(&mut order, self.branch(branch).child);
            next += 1;
        }
        order.reverse();
        order
    }
}

impl Vertex {
    #[inline]
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl BranchId {
    #[inline]
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::time::Duration;

    /// 1 - 0 - 2 - 3, and a longer way 1 - 3; 4 hears and cannot answer, 5 speaks and cannot hear.
    fn tree(leaves: &[u32]) -> Tree {
        let pairs = [(0, 1, 5), (2, 0, 1), (3, 2, 1), (3, 1, 9)];
        let edge =
            |from: u32, to: u32, ms: u64| Edge { from: NodeId(from), to: NodeId(to), delay: Duration::from_millis(ms) };
        let mut edges: Vec<Edge> = pairs.iter().flat_map(|&(a, b, ms)| [edge(a, b, ms), edge(b, a, ms)]).collect();
        edges.push(edge(0, 4, 1));
        edges.push(edge(5, 0, 1));
        let routes = Routes::towards(6, &edges, &[NodeId(0)]);
        let carriers = Carriers::default();
        let mut woods = Woods::new(6, &edges, &routes, &carriers);
        woods.tree(NodeId(3), [NodeId(3)].into_iter());
        woods.tree(NodeId(0), leaves.iter().copied().map(NodeId))
    }

    fn branch(parent: u32, link: u32, child: u32) -> Branch {
        Branch { parent: Vertex(parent), carrier: None, link: LinkId(link), child: Vertex(child) }
    }

    #[test]
    fn branches_lead_away_from_the_source_on_the_links_beside_the_shortest_paths() {
        let tree = tree(&[0, 1, 2, 3, 4, 5]);
        let up: Vec<Option<u32>> = (0..6).map(|vertex| tree.up(Vertex(vertex)).map(|link| link.0)).collect();
        assert_eq!(up, [None, Some(1), Some(2), Some(4), None, None]);
        assert_eq!(tree.branches(), [branch(0, 0, 1), branch(0, 3, 2), branch(2, 5, 3)]);
        assert_eq!([0, 1, 2].map(|vertex| tree.fan(Vertex(vertex))), [[0, 2], [0, 0], [2, 3]]);
        assert_eq!(tree.leaves_first(), [2, 1, 0].map(BranchId));
    }

    #[test]
    fn only_what_leads_to_the_leaves_is_part_of_it() {
        let tree = tree(&[3, 5]);
        assert_eq!(tree.nodes().collect::<Vec<_>>(), [0, 2, 3, 5].map(NodeId));
        assert_eq!(
            [0, 1, 2, 3].map(|node| tree.vertex(NodeId(node)).map(|vertex| vertex.0)),
            [Some(0), None, Some(1), Some(2)]
        );
        assert_eq!(tree.branches(), [branch(0, 3, 1), branch(1, 5, 2)]);
        assert_eq!(tree.up(Vertex(3)), None, "no link leads to it");
    }
}
