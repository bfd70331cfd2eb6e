//! Which blocks of a control-flow graph dominate others, asked for few pairs of a graph.

use crate::bitset::BitSet;
use crate::cfg::ControlFlowGraph;
use std::collections::HashMap;

/// Which blocks come before others on every path: those without which the others cannot be reached.
pub(super) struct Dominators {
    cfg: ControlFlowGraph,
    /// By block: what is reached without it.
    without: HashMap<usize, BitSet>,
}

impl Dominators {
    /// Of a graph.
    pub fn new(cfg: ControlFlowGraph) -> Dominators {
        Dominators { cfg, without: HashMap::new() }
    }

    /// Whether every path to the other block goes through this one.
    pub fn dominates(&mut self, block: usize, other: usize) -> bool {
        if block == other {
            return true;
        }
        let cfg = &self.cfg;
        let reached = self.without.entry(block).or_insert_with(|| {
            let mut reached = BitSet::new(cfg.blocks.len());
            let mut stack = vec![0];
            while let Some(at) = stack.pop() {
                if at != block && !reached.contains(at) {
                    reached.insert(at);
                    stack.extend(cfg.successors(at));
                }
            }
            reached
        });
        !reached.contains(other)
    }
}
