//! The control-flow graph of a kernel: basic blocks and the edges between them.
//!
//! Blocks start at leaders (Aho, Lam, Sethi and Ullman, "Compilers", section 8.4): the first instruction, the target of every
//! label, and each instruction after a branch or an exit.
//!
//! Invariants: blocks are in text order and cover every instruction; block 0 is the entry. An [`Opcode::Branch`],
//! [`Opcode::Exit`], [`Opcode::Return`], [`Opcode::Trap`] or [`Opcode::StackOverflow`] is the last instruction of its block. Exits
//! and traps have no guard, because [`crate::lower`] branches around them. Calls are inlined and indexed branches are lowered to
//! chains of branches, so a block has at most two successors.

use crate::kernel::{Kernel, Opcode};

/// A basic block: instructions `start..end` and its successors.
#[derive(Clone, Debug, Default)]
pub struct BasicBlock {
    /// First instruction.
    pub start: usize,
    /// One past the last.
    pub end: usize,
    /// The block after it in the text, if control can fall through.
    pub fall_through: Option<usize>,
    /// The block that its branch goes to.
    pub target: Option<usize>,
}

/// The control-flow graph.
pub struct ControlFlowGraph {
    /// Blocks in the order of the text.
    pub blocks: Vec<BasicBlock>,
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
}

impl ControlFlowGraph {
    /// The graph of a kernel.
    pub fn new(kernel: &Kernel) -> ControlFlowGraph {
        let blocks = basic_blocks(kernel);
        let follow = |b: &BasicBlock| b.fall_through.into_iter().chain(b.target).collect();
        let successors: Vec<Vec<usize>> = blocks.iter().map(follow).collect();
        let mut predecessors = vec![Vec::new(); blocks.len()];
        for (b, successors) in successors.iter().enumerate() {
            successors.iter().for_each(|s| predecessors[*s].push(b));
        }
        ControlFlowGraph { blocks, successors, predecessors }
    }

    /// The blocks that control can go to from the end of a block: the next, then the branch's target.
    pub fn successors(&self, block: usize) -> &[usize] {
        &self.successors[block]
    }

    /// The blocks from whose end control can go to a block.
    pub fn predecessors(&self, block: usize) -> &[usize] {
        &self.predecessors[block]
    }

    /// The block that an instruction is in.
    pub fn block_of(&self, inst: usize) -> usize {
        self.blocks.partition_point(|block| block.end <= inst)
    }
}

fn ends_block(opcode: &Opcode) -> bool {
    matches!(
        opcode,
        Opcode::Branch(_)
            | Opcode::Exit
            | Opcode::Return
            | Opcode::Trap
            | Opcode::AssertFail
            | Opcode::StackOverflow
    )
}

fn basic_blocks(kernel: &Kernel) -> Vec<BasicBlock> {
    let count = kernel.insts.len();
    let mut leader = vec![false; count + 1];
    leader[0] = true;
    for label in &kernel.labels {
        leader[*label] = true;
    }
    for (i, inst) in kernel.insts.iter().enumerate() {
        if ends_block(&inst.opcode) {
            leader[i + 1] = true;
        }
    }
    let mut block_of = vec![0; count];
    let mut blocks: Vec<BasicBlock> = Vec::new();
    for i in 0..count {
        if leader[i] {
            blocks.push(BasicBlock { start: i, end: i, ..BasicBlock::default() });
        }
        let last = blocks.len() - 1;
        block_of[i] = last;
        blocks[last].end = i + 1;
    }
    let number = blocks.len();
    for (b, block) in blocks.iter_mut().enumerate() {
        let inst = &kernel.insts[block.end - 1];
        let falls = match inst.opcode {
            Opcode::Branch(label) => {
                block.target = block_of.get(kernel.labels[label as usize]).copied();
                inst.guard.is_some()
            }
            Opcode::Exit
            | Opcode::Return
            | Opcode::Trap
            | Opcode::AssertFail
            | Opcode::StackOverflow => false,
            _ => true,
        };
        block.fall_through = (falls && b + 1 < number).then_some(b + 1);
    }
    blocks
}

/// Graphs for tests.
#[cfg(test)]
pub mod graphs {
    use super::ControlFlowGraph;
    use crate::kernel::{Inst, Kernel, Opcode};

    /// A kernel of 2 to 13 blocks of one instruction, with branches anywhere; the last one returns.
    pub fn random(seed: u64) -> Kernel {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 33) as usize % below
        };
        let count = 2 + next(12);
        let mut inst = |last: bool| {
            let (opcode, guard) = match next(3) {
                _ if last => (Opcode::Return, None),
                0 => (Opcode::Branch(next(count) as u32), None),
                1 => (Opcode::Branch(next(count) as u32), Some((0, false))),
                _ => (Opcode::Nothing, None),
            };
            Inst { opcode, dst: Vec::new(), src: Vec::new(), guard, origin: 0 }
        };
        let insts = (0..count).map(|i| inst(i + 1 == count)).collect();
        Kernel { insts, labels: (0..count).collect(), ..Kernel::default() }
    }

    /// Whether a path from `a` to `b` avoids the block `without`.
    pub fn reaches(cfg: &ControlFlowGraph, a: usize, b: usize, without: Option<usize>) -> bool {
        let mut seen = vec![false; cfg.blocks.len()];
        let mut stack = vec![a];
        while let Some(at) = stack.pop() {
            if Some(at) == without || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if at == b {
                return true;
            }
            stack.extend(cfg.successors(at));
        }
        false
    }
}
