//! The order in which a graph's nodes are done, and how deep graphs may lie inside each other.

use crate::handles::Handle;
use crate::status::{Result, Status};
use std::cell::Cell;
use std::collections::HashMap;

/// Nodes in ranks, each node in the rank after the last of those that it depends on, and a rank in the order in which its nodes were made
/// (Kahn 1962). `None` where nodes depend on each other in a cycle, or on what is not a node of the graph.
pub fn ranked(nodes: &[(Handle, Vec<Handle>)]) -> Option<Vec<Handle>> {
    let places: HashMap<Handle, usize> =
        nodes.iter().enumerate().map(|(place, (node, _))| (*node, place)).collect();
    let mut open: Vec<usize> = nodes.iter().map(|(_, after)| after.len()).collect();
    let mut dependent: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (place, (_, after)) in nodes.iter().enumerate() {
        for before in after {
            dependent[*places.get(before)?].push(place);
        }
    }
    let mut rank: Vec<usize> = (0..nodes.len()).filter(|&place| open[place] == 0).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while !rank.is_empty() {
        let mut next = Vec::new();
        for place in rank {
            order.push(nodes[place].0);
            for &later in &dependent[place] {
                open[later] -= 1;
                if open[later] == 0 {
                    next.push(later);
                }
            }
        }
        next.sort_unstable();
        rank = next;
    }
    (order.len() == nodes.len()).then_some(order)
}

/// Graphs inside each other at most: each takes stack of the thread that runs or copies it.
const MOST_NESTED: u32 = 64;

thread_local! {
    /// How many graphs this thread is in.
    static NESTED: Cell<u32> = const { Cell::new(0) };
}

/// One graph that this thread is in, as it follows graphs inside each other.
pub struct Nesting(());

impl Nesting {
    /// Enters a graph, which is refused where too many are inside each other.
    pub fn enter() -> Result<Nesting> {
        let depth = NESTED.get();
        if depth == MOST_NESTED {
            return Err(Status::NotSupported);
        }
        NESTED.set(depth + 1);
        Ok(Nesting(()))
    }
}

impl Drop for Nesting {
    fn drop(&mut self) {
        NESTED.set(NESTED.get() - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_come_after_what_they_depend_on_in_the_order_in_which_they_were_made() {
        let nodes = [(1, vec![3]), (2, vec![]), (3, vec![]), (4, vec![1, 1, 2]), (5, vec![3])];
        assert_eq!(ranked(&nodes), Some(vec![2, 3, 1, 5, 4]));
        assert_eq!(ranked(&[(1, vec![2]), (2, vec![1])]), None);
        assert_eq!(ranked(&[(1, vec![1])]), None);
        assert_eq!(ranked(&[(1, vec![7])]), None);
    }

    #[test]
    fn a_long_chain_is_ordered_at_once() {
        // Nodes that were made last to first, so that a look at all of them finds one.
        let chain: Vec<(Handle, Vec<Handle>)> = (0..200_000)
            .map(|node| (node, Vec::from_iter((node < 199_999).then_some(node + 1))))
            .collect();
        let order = ranked(&chain).expect("no cycle");
        assert!(order.iter().rev().copied().eq(0..200_000));
    }
}
