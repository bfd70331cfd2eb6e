//! Order of a graph's nodes, which follows only from its edges.
//!
//! *Algorithm.* Vector clocks over chains: a node extends the chain of a dependency that is last in its chain, or
//! starts a new chain. A linear graph needs one number per node; n independent nodes need n numbers each.

use crate::handles::Handle;
use crate::ordering::strands::Clock;
use std::collections::HashMap;
use std::sync::Arc;

/// A node's position in the order.
#[derive(Debug)]
struct NodePlace {
    chain: u32,
    /// Position in the chain, from 1.
    number: u64,
    /// The node and everything before it.
    clock: Clock,
}

impl NodePlace {
    /// Whether there is a path from another node to this one.
    fn is_after(&self, other: &NodePlace) -> bool {
        self.clock.last(other.chain) >= other.number
    }
}

/// The order of a graph's nodes.
#[derive(Debug, Default)]
pub struct GraphOrder {
    nodes: HashMap<Handle, NodePlace>,
}

impl GraphOrder {
    /// Computes the order. Each node comes with its dependencies, which come before it.
    pub fn from_nodes<'a>(nodes: impl Iterator<Item = (Handle, &'a [Handle])>) -> GraphOrder {
        let mut places: HashMap<Handle, NodePlace> = HashMap::new();
        let mut lengths: Vec<u64> = Vec::new();
        for (node, dependencies) in nodes {
            let mut clock = Clock::default();
            let mut chain = None;
            for before in dependencies.iter().filter_map(|before| places.get(before)) {
                clock.join(&before.clock);
                if lengths[before.chain as usize] == before.number {
                    chain = Some(before.chain);
                }
            }
            let chain = chain.unwrap_or_else(|| {
                lengths.push(0);
                lengths.len() as u32 - 1
            });
            let number = &mut lengths[chain as usize];
            *number += 1;
            clock.raise(chain, *number);
            places.insert(node, NodePlace { chain, number: *number, clock });
        }
        GraphOrder { nodes: places }
    }

    /// Whether there is a path between two nodes, in either direction. An unknown node counts as ordered with all
    /// others.
    fn orders(&self, one: Handle, other: Handle) -> bool {
        let (Some(one), Some(other)) = (self.nodes.get(&one), self.nodes.get(&other)) else {
            return true;
        };
        other.is_after(one) || one.is_after(other)
    }
}

/// One step of the path from an operation to one of its parts.
#[derive(Clone, Debug)]
pub enum Step {
    /// Into a node of a graph.
    Node(Arc<GraphOrder>, Handle),
    /// Into an iteration of a conditional body.
    Iteration(u64),
}

/// Whether two parts of one operation are ordered.
pub fn ordered(one: &[Step], other: &[Step]) -> bool {
    for pair in one.iter().zip(other) {
        match pair {
            (Step::Iteration(one), Step::Iteration(other)) if one == other => {}
            (Step::Node(graph, one), Step::Node(of, other)) if Arc::ptr_eq(graph, of) => {
                if one != other {
                    return graph.orders(*one, *other);
                }
            }
            _ => return true,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diamond() -> Arc<GraphOrder> {
        let nodes: [(Handle, &[Handle]); 5] =
            [(1, &[]), (2, &[1]), (3, &[1]), (4, &[2, 3]), (5, &[])];
        Arc::new(GraphOrder::from_nodes(nodes.into_iter()))
    }

    #[test]
    fn nodes_are_ordered_by_paths_of_edges() {
        let graph = diamond();
        assert!([(1, 2), (1, 4), (4, 1), (3, 4), (2, 99)].iter().all(|&(a, b)| graph.orders(a, b)));
        assert!(![(2, 3), (3, 2), (5, 1), (4, 5)].iter().any(|&(a, b)| graph.orders(a, b)));
    }

    #[test]
    fn inner_graphs_are_ordered_as_the_nodes_that_hold_them() {
        let (outer, inner) = (diamond(), diamond());
        let node = |graph: &Arc<GraphOrder>, node| Step::Node(graph.clone(), node);
        let at = |of_outer, of_inner| [node(&outer, of_outer), node(&inner, of_inner)];
        assert!(!ordered(&at(2, 1), &at(3, 4)));
        assert!(ordered(&at(1, 2), &at(2, 3)));
        assert!(!ordered(&at(2, 2), &at(2, 3)));
        let at = |iteration, of| [Step::Iteration(iteration), node(&inner, of)];
        assert!(ordered(&at(1, 2), &at(2, 3)));
        assert!(!ordered(&at(1, 2), &at(1, 3)));
    }
}
