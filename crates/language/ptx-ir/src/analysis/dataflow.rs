//! The dataflow solver that all analyses use.
//!
//! Kildall's worklist algorithm (Kildall, "A Unified Approach to Global Program Optimization", 1973; Aho, Lam, Sethi and Ullman,
//! "Compilers", section 9.3), in two forms over one [`Worklist`]:
//!
//! - [`solve_blocks`]: one fact per basic block, flowing along or against the edges of the control-flow graph. Used by liveness.
//! - [`solve_variables`]: flow-insensitive, one fact per variable (usually a register) for the whole kernel. Each instruction
//!   constrains the facts of its operands and results. Used by uniformity, known bits and most sanitizer analyses: kernels are
//!   close to single assignment, so facts per program point would cost much more and find little.
//!
//! An analysis supplies its facts ([`Lattice::meet`]), a [`Direction`] and a transfer function. Facts start at the top of the
//! lattice ("nothing reaches this yet") and only descend. The lattice must have finite height, or the solver does not terminate.
//! If the transfer function is monotone, the result is the greatest solution, independent of visiting order. Nodes are visited in
//! sweeps in a fixed order, so the result is always reproducible.
//!
//! Immediate post-dominators do not use this solver: see [`crate::analysis::dominance`].

use crate::analysis::bitset::BitSet;
use crate::analysis::cfg::ControlFlowGraph;
use crate::kernel::{Inst, Kernel};

/// Facts that can be combined.
pub trait Lattice {
    /// Combines this fact with one that arrives on another path (the meet; the join, in a lattice drawn upside down).
    /// Returns whether this fact changed.
    fn meet(&mut self, other: &Self) -> bool;
}

/// Sets of *may* facts: the union.
impl Lattice for BitSet {
    fn meet(&mut self, other: &BitSet) -> bool {
        self.union(other)
    }
}

/// *May* facts: true if true on one path.
impl Lattice for bool {
    fn meet(&mut self, other: &bool) -> bool {
        !std::mem::replace(self, *self | other) & other
    }
}

/// Which way facts flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From predecessors to successors, from operands to results.
    Forward,
    /// From successors to predecessors, from results to operands.
    Backward,
}

/// The nodes that still have to be visited. They are visited in ascending order, which wraps around
/// from the last to the first.
pub struct Worklist {
    pending: BitSet,
    at: usize,
}

impl Worklist {
    /// All of `count` nodes.
    pub fn all(count: usize) -> Worklist {
        Worklist { pending: BitSet::all(count), at: 0 }
    }

    /// Schedules a visit of a node.
    pub fn insert(&mut self, node: usize) {
        self.pending.insert(node);
    }
}

impl Iterator for Worklist {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let node = self.pending.next_from(self.at).or_else(|| self.pending.next_from(0))?;
        self.pending.remove(node);
        self.at = node + 1;
        Some(node)
    }
}

/// A dataflow problem over basic blocks.
pub trait BlockAnalysis {
    /// The fact at a program point.
    type Fact: Lattice;

    /// Which way facts flow.
    const DIRECTION: Direction;

    /// The fact of an unreached point: the neutral element of [`Lattice::meet`].
    fn top(&self) -> Self::Fact;

    /// Turns the fact at the side of a block where facts flow in into the fact at the side where they flow out.
    fn transfer(&self, block: usize, fact: &mut Self::Fact);
}

/// Solves a problem: for each block, the fact on the side where facts flow out (at the end if forward, at
/// the start if backward).
pub fn solve_blocks<A: BlockAnalysis>(cfg: &ControlFlowGraph, analysis: &A) -> Vec<A::Fact> {
    let count = cfg.blocks.len();
    let mut facts: Vec<A::Fact> = (0..count).map(|_| analysis.top()).collect();
    let mut worklist = Worklist::all(count);
    while let Some(position) = worklist.next() {
        // Sweeps follow the flow of facts: from the last block upward if backward.
        let of_position = |i: usize| match A::DIRECTION {
            Direction::Forward => i,
            Direction::Backward => count - 1 - i,
        };
        let block = of_position(position);
        let mut fact = analysis.top();
        let (sources, dependents) = match A::DIRECTION {
            Direction::Forward => (cfg.predecessors(block), cfg.successors(block)),
            Direction::Backward => (cfg.successors(block), cfg.predecessors(block)),
        };
        for source in sources {
            fact.meet(&facts[*source]);
        }
        analysis.transfer(block, &mut fact);
        if facts[block].meet(&fact) {
            dependents.iter().for_each(|block| worklist.insert(of_position(*block)));
        }
    }
    facts
}

/// The facts of all variables while a problem is solved.
pub struct Facts<F> {
    of: Vec<F>,
    changed: Vec<usize>,
}

impl<F: Lattice> Facts<F> {
    /// The fact of a variable.
    pub fn get(&self, variable: usize) -> &F {
        &self.of[variable]
    }

    /// Merges a fact into a variable's fact.
    pub fn meet(&mut self, variable: usize, fact: &F) {
        if self.of[variable].meet(fact) {
            self.changed.push(variable);
        }
    }
}

/// A flow-insensitive problem over variables. Variables are the kernel's registers by number; a problem may
/// have more, numbered from there.
pub trait VariableAnalysis {
    /// The fact of a variable.
    type Fact: Lattice;

    /// Which way facts flow.
    const DIRECTION: Direction;

    /// Adds the facts that an instruction implies for its results (forward) or its operands (backward).
    fn transfer(&mut self, at: usize, inst: &Inst, facts: &mut Facts<Self::Fact>);

    /// Calls `each` with every variable that [`Self::transfer`] reads; the instruction is visited again when one changes.
    fn inputs(&self, inst: &Inst, each: &mut dyn FnMut(usize)) {
        match Self::DIRECTION {
            Direction::Forward => inst.reads().for_each(|r| each(r as usize)),
            Direction::Backward => inst.writes().for_each(|r| each(r as usize)),
        }
    }
}

/// Solves a problem; `start` is the initial value of each variable.
pub fn solve_variables<A: VariableAnalysis>(
    kernel: &Kernel,
    analysis: &mut A,
    start: Vec<A::Fact>,
) -> Vec<A::Fact> {
    let dependents = Dependents::new(kernel, analysis, start.len());
    let mut facts = Facts { of: start, changed: Vec::new() };
    let mut worklist = Worklist::all(kernel.insts.len());
    while let Some(at) = worklist.next() {
        analysis.transfer(at, &kernel.insts[at], &mut facts);
        for variable in facts.changed.drain(..) {
            dependents.on(variable).iter().for_each(|inst| worklist.insert(*inst as usize));
        }
    }
    facts.of
}

/// The instructions that read the fact of each variable, as concatenated lists.
struct Dependents {
    starts: Vec<u32>,
    insts: Vec<u32>,
}

impl Dependents {
    fn new<A: VariableAnalysis>(kernel: &Kernel, analysis: &A, variables: usize) -> Dependents {
        // Counting sort by variable: count, add up, fill from the ends.
        let mut starts = vec![0u32; variables + 1];
        for inst in &kernel.insts {
            analysis.inputs(inst, &mut |variable| starts[variable] += 1);
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        let mut insts = vec![0u32; total as usize];
        for (i, inst) in kernel.insts.iter().enumerate() {
            analysis.inputs(inst, &mut |variable| {
                starts[variable] -= 1;
                insts[starts[variable] as usize] = i as u32;
            });
        }
        Dependents { starts, insts }
    }

    fn on(&self, variable: usize) -> &[u32] {
        &self.insts[self.starts[variable] as usize..self.starts[variable + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::cfg::graphs::{random, reaches};

    /// The blocks on all paths that lead to a block, or from it.
    struct Passed<const FORWARD: bool>(usize);

    impl<const FORWARD: bool> BlockAnalysis for Passed<FORWARD> {
        type Fact = BitSet;
        const DIRECTION: Direction = if FORWARD { Direction::Forward } else { Direction::Backward };

        fn top(&self) -> BitSet {
            BitSet::new(self.0)
        }

        fn transfer(&self, block: usize, fact: &mut BitSet) {
            fact.insert(block);
        }
    }

    #[test]
    fn block_facts_match_reachability_on_random_graphs() {
        for seed in 0..200 {
            let cfg = ControlFlowGraph::new(&random(seed));
            let count = cfg.blocks.len();
            let before = solve_blocks(&cfg, &Passed::<true>(count));
            let after = solve_blocks(&cfg, &Passed::<false>(count));
            for (a, b) in (0..count).flat_map(|a| (0..count).map(move |b| (a, b))) {
                assert_eq!(after[a].contains(b), reaches(&cfg, a, b, None), "{seed}: {a} to {b}");
                assert_eq!(before[b].contains(a), after[a].contains(b), "{seed}: {a} to {b}");
            }
        }
    }

    #[test]
    fn a_worklist_visits_in_sweeps() {
        let mut worklist = Worklist::all(3);
        assert_eq!([worklist.next(), worklist.next()], [Some(0), Some(1)]);
        worklist.insert(0);
        assert_eq!([worklist.next(), worklist.next(), worklist.next()], [Some(2), Some(0), None]);
    }
}
