//! Natural loops: a header that dominates the sources of its back edges, and the blocks in between.

use super::cfg::ControlFlow;
use super::dominance::Dominators;
use crate::ir::{BlockId, SsaFunction};

/// A loop.
#[derive(Clone, Debug)]
pub(crate) struct NaturalLoop {
    /// The only block that can be entered from outside.
    pub header: BlockId,
    /// All blocks: the header first, the others in reverse post-order.
    pub blocks: Vec<BlockId>,
    /// Blocks with an edge back to the header.
    pub latches: Vec<BlockId>,
    /// Number of loops around it.
    pub depth: u32,
}

/// All loops of a function; outer loops come before inner ones.
pub(crate) struct LoopForest {
    /// The loops.
    pub loops: Vec<NaturalLoop>,
    /// By block: the innermost loop that contains it.
    pub innermost: Vec<Option<usize>>,
}

impl LoopForest {
    pub(crate) fn new(flow: &ControlFlow, dominators: &Dominators) -> LoopForest {
        let mut loops: Vec<NaturalLoop> = Vec::new();
        let mut innermost: Vec<Option<usize>> = vec![None; flow.predecessors.len()];
        for header in &flow.order {
            let latches: Vec<BlockId> = flow.predecessors[header.index()]
                .iter()
                .copied()
                .filter(|from| dominators.dominates(*header, *from))
                .collect();
            if latches.is_empty() {
                continue;
            }
            let mut member = vec![false; flow.predecessors.len()];
            member[header.index()] = true;
            let mut work = latches.clone();
            while let Some(block) = work.pop() {
                if !std::mem::replace(&mut member[block.index()], true) {
                    work.extend(&flow.predecessors[block.index()]);
                }
            }
            let blocks: Vec<BlockId> =
                flow.order.iter().copied().filter(|block| member[block.index()]).collect();
            let depth = innermost[header.index()].map_or(1, |parent| loops[parent].depth + 1);
            for block in &blocks {
                innermost[block.index()] = Some(loops.len());
            }
            loops.push(NaturalLoop { header: *header, blocks, latches, depth });
        }
        LoopForest { loops, innermost }
    }
}

impl NaturalLoop {
    pub(crate) fn contains(&self, block: BlockId) -> bool {
        self.blocks.contains(&block)
    }

    /// Edges that leave the loop: the block inside, and the block outside.
    pub(crate) fn exits(&self, function: &SsaFunction) -> Vec<(BlockId, BlockId)> {
        let mut exits = Vec::new();
        for block in &self.blocks {
            for target in function.block(*block).terminator.targets() {
                if !self.contains(target.block) {
                    exits.push((*block, target.block));
                }
            }
        }
        exits
    }

    /// The only block outside that enters the header, if it has no other successor.
    pub(crate) fn preheader(&self, function: &SsaFunction, flow: &ControlFlow) -> Option<BlockId> {
        let mut outside =
            flow.predecessors[self.header.index()].iter().filter(|from| !self.contains(**from));
        let only = *outside.next()?;
        let single = function.block(only).terminator.targets().count() == 1;
        (outside.next().is_none() && single).then_some(only)
    }
}
