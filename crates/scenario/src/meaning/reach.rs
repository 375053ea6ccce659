//! Which nodes can reach which.

use crate::network::Network;

/// Who can reach whom.
pub(super) struct Reach {
    outgoing: Vec<Vec<u32>>,
    /// Strongly connected component of each node: within one, everybody reaches everybody.
    component: Vec<u32>,
}

impl Reach {
    pub(super) fn new(network: &Network) -> Reach {
        let mut outgoing = vec![Vec::new(); network.nodes.len()];
        let mut incoming = outgoing.clone();
        for link in &network.links {
            outgoing[link.from as usize].push(link.to);
            incoming[link.to as usize].push(link.from);
        }
        Reach { component: components(&outgoing, &incoming), outgoing }
    }

    pub(super) fn leads(&self, from: u32, to: u32) -> bool {
        if self.component[from as usize] == self.component[to as usize] {
            return true;
        }
        let mut seen = vec![false; self.outgoing.len()];
        seen[from as usize] = true;
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            for &next in &self.outgoing[node as usize] {
                if next == to {
                    return true;
                }
                if !std::mem::replace(&mut seen[next as usize], true) {
                    open.push(next);
                }
            }
        }
        false
    }
}

/// Strongly connected components, after Kosaraju: in the reverse order in which a search leaves the nodes, search
/// again against the direction of the links.
fn components(outgoing: &[Vec<u32>], incoming: &[Vec<u32>]) -> Vec<u32> {
    let mut left = Vec::with_capacity(outgoing.len());
    let mut seen = vec![false; outgoing.len()];
    for start in 0..outgoing.len() {
        // A node stands on the stack with the number of its links that have been followed.
        let mut stack = Vec::new();
        if !std::mem::replace(&mut seen[start], true) {
            stack.push((start, 0));
        }
        while let Some((node, followed)) = stack.pop() {
            match outgoing[node].get(followed) {
                None => left.push(node),
                Some(&next) => {
                    stack.push((node, followed + 1));
                    if !std::mem::replace(&mut seen[next as usize], true) {
                        stack.push((next as usize, 0));
                    }
                }
            }
        }
    }
    let mut component = vec![u32::MAX; outgoing.len()];
    for (number, &start) in (0..).zip(left.iter().rev()) {
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            if component[node] == u32::MAX {
                component[node] = number;
                open.extend(incoming[node].iter().map(|&before| before as usize).filter(|&b| component[b] == u32::MAX));
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_of_a_ring_with_a_tail() {
        // 0 -> 1 -> 2 -> 0, 2 -> 3
        let outgoing = [vec![1], vec![2], vec![0, 3], vec![]];
        let incoming = [vec![2], vec![0], vec![1], vec![2]];
        let component = components(&outgoing, &incoming);
        assert_eq!(component[0], component[1]);
        assert_eq!(component[0], component[2]);
        assert_ne!(component[0], component[3]);
    }

    #[test]
    fn a_one_way_road_leads_to_its_end_only() {
        // 0 -> 1 -> 2 -> 3, and 2 -> 1
        let outgoing = vec![vec![1], vec![2], vec![3, 1], vec![]];
        let incoming = [vec![], vec![0, 2], vec![1], vec![2]];
        let reach = Reach { component: components(&outgoing, &incoming), outgoing };
        let leads: Vec<Vec<u32>> = (0..4).map(|from| (0..4).filter(|&to| reach.leads(from, to)).collect()).collect();
        assert_eq!(leads, [vec![0, 1, 2, 3], vec![1, 2, 3], vec![1, 2, 3], vec![3]]);
    }
}
