//! Immediate post-dominators, where the lanes of a divergent branch reconverge, and dominators.
//!
//! Post-dominators: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on the reversed graph. Sweeps in
//! reverse postorder refine the tree of immediate post-dominators; `intersect` walks two fingers up the tree; the algorithm stops
//! when a sweep changes nothing. Reconvergence at the immediate post-dominator is PDOM of Fung, Sham, Yuan and Aamodt, "Dynamic
//! Warp Formation and Scheduling for Efficient GPU Control Flow" (2007).
//!
//! The paper assumes one exit; a kernel may have several. Lanes reconverge toward the normal exit (the last `ret` in the text).
//! Lanes bound for another exit never come back, so paths that lead only there are ignored. Blocks that reach no exit, as in
//! endless loops, have no post-dominator. Irreducible graphs need no special case.
//!
//! [`Dominators`] answers few queries per graph, so it needs no tree: block `a` dominates `b` if a search from the entry that
//! avoids `a` does not reach `b`.

use crate::analysis::bitset::BitSet;
use crate::analysis::cfg::ControlFlowGraph;
use crate::kernel::{Kernel, Opcode};
use std::collections::HashMap;

/// A block outside the part of the graph under analysis.
const OUTSIDE: usize = usize::MAX;

/// The immediate post-dominator of each block; `None` where lanes do not reconverge before they end.
pub fn immediate_post_dominators(kernel: &Kernel, cfg: &ControlFlowGraph) -> Vec<Option<usize>> {
    let count = cfg.blocks.len();
    let mut ipdom: Vec<Option<usize>> = vec![None; count];
    let mut visited = vec![false; count];
    for end in ends(kernel, cfg) {
        if visited[end] {
            continue;
        }
        let mut order = postorder_backwards(end, cfg, &mut visited);
        order.reverse();
        // A block's post-dominators have lower positions.
        let mut position = vec![OUTSIDE; count];
        for (i, b) in order.iter().enumerate() {
            position[*b] = i;
        }
        let intersect = |ipdom: &[Option<usize>], mut a: usize, mut b: usize| {
            while a != b {
                while position[a] > position[b] {
                    a = ipdom[a].unwrap_or(end);
                }
                while position[b] > position[a] {
                    b = ipdom[b].unwrap_or(end);
                }
            }
            a
        };
        ipdom[end] = Some(end);
        let mut changed = true;
        while changed {
            changed = false;
            for &b in &order[1..] {
                let processed = |s: &&usize| position[**s] != OUTSIDE && ipdom[**s].is_some();
                let successors = cfg.successors(b).iter().filter(processed).copied();
                let found = successors.reduce(|a, b| intersect(&ipdom, a, b));
                if found.is_some() && ipdom[b] != found {
                    ipdom[b] = found;
                    changed = true;
                }
            }
        }
        ipdom[end] = None;
    }
    ipdom
}

/// The blocks without successors, first those that lanes prefer to reconverge toward.
fn ends(kernel: &Kernel, cfg: &ControlFlowGraph) -> Vec<usize> {
    let rank = |b: usize| match kernel.insts[cfg.blocks[b].end - 1].opcode {
        Opcode::Return => 0,
        Opcode::Exit => 1,
        Opcode::Trap | Opcode::AssertFail | Opcode::StackOverflow => 2,
        _ => 3,
    };
    let mut ends: Vec<usize> =
        (0..cfg.blocks.len()).filter(|b| cfg.successors(*b).is_empty()).collect();
    ends.sort_by_key(|b| (rank(*b), std::cmp::Reverse(*b)));
    ends
}

/// The blocks not yet visited from which `end` can be reached, in postorder of a walk against the edges.
fn postorder_backwards(end: usize, cfg: &ControlFlowGraph, visited: &mut [bool]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut stack = vec![(end, 0)];
    visited[end] = true;
    while let Some((b, i)) = stack.pop() {
        if let Some(&p) = cfg.predecessors(b).get(i) {
            stack.push((b, i + 1));
            if !visited[p] {
                visited[p] = true;
                stack.push((p, 0));
            }
        } else {
            order.push(b);
        }
    }
    order
}

/// Which blocks come before others on every path: those without which the others cannot be reached.
pub struct Dominators {
    cfg: ControlFlowGraph,
    /// By block: the blocks reached without it.
    without: HashMap<usize, BitSet>,
}

impl Dominators {
    /// The dominators of a graph, found on demand.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::cfg::graphs::{random, reaches};

    #[test]
    fn post_dominators_match_their_definition_on_random_graphs() {
        for seed in 0..500 {
            let kernel = random(seed);
            let cfg = ControlFlowGraph::new(&kernel);
            let (count, end) = (cfg.blocks.len(), cfg.blocks.len() - 1);
            let ipdom = immediate_post_dominators(&kernel, &cfg);
            // By definition: without a post-dominator, no path leads to the end.
            let dominates = |d: usize, b: usize| !reaches(&cfg, b, end, Some(d));
            for b in (0..count).filter(|b| reaches(&cfg, *b, end, None)) {
                let strict = || (0..count).filter(|d| *d != b && dominates(*d, b));
                let nearest = strict().find(|d| strict().all(|other| dominates(other, *d)));
                assert_eq!(ipdom[b], nearest, "graph {seed}, block {b}");
            }
        }
    }
}
