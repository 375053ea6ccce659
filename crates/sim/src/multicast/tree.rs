//! The tree of a session: from every node the way to the source, and away from the source the branches.

use crate::ids::{LinkId, NodeId};
use crate::routing::Graph;

/// A tree; changes by being replaced.
pub(crate) struct Tree {
    root: NodeId,
    /// By node: the link to the next node towards the source; [`LinkId::NONE`] at the source and where no way is.
    up: Vec<LinkId>,
    /// By parent, and of a parent by link.
    branches: Vec<Branch>,
    /// By node: its branches, from one to before another.
    fans: Vec<[u32; 2]>,
    /// By link: the branch that begins with it, or beside whose link it leads back.
    at: Vec<u32>,
}

/// A way away from the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Branch {
    pub(crate) parent: NodeId,
    /// From the parent to the child.
    pub(crate) link: LinkId,
    pub(crate) child: NodeId,
}

const NIL: u32 = u32::MAX;

impl Tree {
    /// The reverse of the shortest paths to `root`. A node to which no link leads back is not part of it.
    pub(crate) fn new(graph: &Graph<'_>, root: NodeId) -> Tree {
        let ways = graph.towards(root);
        let back = graph.down(&ways);
        let nodes = ways.len();
        let mut up = vec![LinkId::NONE; nodes];
        let mut branches = Vec::with_capacity(nodes);
        for (child, (way, back)) in (0..).map(NodeId).zip(ways.into_iter().zip(back)) {
            if let (Some(way), Some(link)) = (way, back) {
                up[child.index()] = way;
                branches.push(Branch { parent: graph.edge(way).to, link, child });
            }
        }
        branches.sort_unstable();
        let mut at = vec![NIL; graph.links()];
        let mut fans = vec![[0, 0]; nodes];
        for (index, branch) in (0u32..).zip(&branches) {
            at[branch.link.index()] = index;
            at[up[branch.child.index()].index()] = index;
            let [start, end] = &mut fans[branch.parent.index()];
            if *end == 0 {
                *start = index;
            }
            *end = index + 1;
        }
        Tree { root, up, branches, fans, at }
    }

    /// The node of the source.
    pub(crate) fn root(&self) -> NodeId {
        self.root
    }

    /// The link towards the source; `None` at the source's node and where no way is.
    pub(crate) fn up(&self, node: NodeId) -> Option<LinkId> {
        let up = self.up[node.index()];
        (up != LinkId::NONE).then_some(up)
    }

    /// All branches.
    pub(crate) fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// Which of the branches are those of `node`: from one to before another.
    pub(crate) fn fan(&self, node: NodeId) -> [u32; 2] {
        self.fans[node.index()]
    }

    /// The branch that begins with `link`.
    pub(crate) fn branch_on(&self, link: LinkId) -> Option<u32> {
        let branch = *self.at.get(link.index())?;
        (self.branches.get(branch as usize)?.link == link).then_some(branch)
    }

    /// The branch beside whose link `link` leads back: over it comes what is from below.
    pub(crate) fn branch_beside(&self, link: LinkId) -> Option<u32> {
        let branch = *self.at.get(link.index())?;
        (self.branches.get(branch as usize)?.link != link).then_some(branch)
    }

    /// The branches, each after those of its child.
    pub(crate) fn leaves_first(&self) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.branches.len());
        let [start, end] = self.fan(self.root);
        order.extend(start..end);
        let mut next = 0;
        while let Some(&branch) = order.get(next) {
            let [start, end] = self.fan(self.branches[branch as usize].child);
            order.extend(start..end);
            next += 1;
        }
        order.reverse();
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::Edge;
    use faircast_proto::time::Duration;

    #[test]
    fn branches_lead_away_from_the_source_on_the_links_beside_the_shortest_paths() {
        // 1 - 0 - 2 - 3, and a longer way 1 - 3; 4 hears and cannot answer, 5 speaks and cannot hear.
        let pairs = [(0, 1, 5), (2, 0, 1), (3, 2, 1), (3, 1, 9)];
        let edge =
            |from: u32, to: u32, ms: u64| Edge { from: NodeId(from), to: NodeId(to), delay: Duration::from_millis(ms) };
        let mut edges: Vec<Edge> = pairs.iter().flat_map(|&(a, b, ms)| [edge(a, b, ms), edge(b, a, ms)]).collect();
        edges.push(edge(0, 4, 1));
        edges.push(edge(5, 0, 1));
        let tree = Tree::new(&Graph::new(6, &edges), NodeId(0));
        let up: Vec<Option<u32>> = (0..6).map(|node| tree.up(NodeId(node)).map(|link| link.0)).collect();
        assert_eq!(up, [None, Some(1), Some(2), Some(4), None, None]);
        let branch = |parent, link, child| Branch { parent: NodeId(parent), link: LinkId(link), child: NodeId(child) };
        assert_eq!(tree.branches(), [branch(0, 0, 1), branch(0, 3, 2), branch(2, 5, 3)]);
        assert_eq!([0, 1, 2].map(|node| tree.fan(NodeId(node))), [[0, 2], [0, 0], [2, 3]]);
        let on: Vec<Option<u32>> = (0..11).map(|link| tree.branch_on(LinkId(link))).collect();
        let beside: Vec<Option<u32>> = (0..11).map(|link| tree.branch_beside(LinkId(link))).collect();
        let none = None;
        assert_eq!(on, [Some(0), none, none, Some(1), none, Some(2), none, none, none, none, none]);
        assert_eq!(beside, [none, Some(0), Some(1), none, Some(2), none, none, none, none, none, none]);
        assert_eq!(tree.leaves_first(), [2, 1, 0]);
    }
}
