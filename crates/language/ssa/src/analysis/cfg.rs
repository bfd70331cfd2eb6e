//! Predecessors of blocks, and a block order in which dominators come first.

use crate::ir::{BlockId, SsaFunction};

/// The control-flow graph of the reachable blocks.
pub(crate) struct ControlFlow {
    /// By block: its predecessors, each once.
    pub predecessors: Vec<Vec<BlockId>>,
    /// Reachable blocks in reverse post-order.
    pub order: Vec<BlockId>,
    /// By block: its position in `order`; `usize::MAX` if unreachable.
    pub position: Vec<usize>,
}

impl ControlFlow {
    pub(crate) fn new(function: &SsaFunction) -> ControlFlow {
        let count = function.blocks.len();
        let mut seen = vec![false; count];
        let mut order = Vec::new();
        let mut stack = Vec::new();
        if count > 0 {
            seen[0] = true;
            // Visit the last successor first, so that the first one follows its block in the order.
            stack.push((SsaFunction::ENTRY, function.blocks[0].terminator.targets().rev()));
        }
        while let Some((block, targets)) = stack.last_mut() {
            let Some(target) = targets.next().map(|target| target.block) else {
                order.push(*block);
                stack.pop();
                continue;
            };
            if !seen[target.index()] {
                seen[target.index()] = true;
                stack.push((target, function.block(target).terminator.targets().rev()));
            }
        }
        order.reverse();
        let mut predecessors = vec![Vec::new(); count];
        let mut position = vec![usize::MAX; count];
        for (index, block) in order.iter().enumerate() {
            position[block.index()] = index;
            for target in function.block(*block).terminator.targets() {
                let known: &mut Vec<BlockId> = &mut predecessors[target.block.index()];
                if !known.contains(block) {
                    known.push(*block);
                }
            }
        }
        ControlFlow { predecessors, order, position }
    }

    /// Whether a block can be reached from the entry.
    pub(crate) fn is_reachable(&self, block: BlockId) -> bool {
        self.position[block.index()] != usize::MAX
    }
}
