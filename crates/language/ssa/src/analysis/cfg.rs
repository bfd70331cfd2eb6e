//! The control-flow graph: predecessors, a block order in which dominators come first, dominators, and natural loops. A
//! natural loop is a header that dominates the sources of its back edges, and the blocks in between.
//!
//! Algorithm for dominators: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).

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

/// The dominator tree.
pub(crate) struct Dominators {
    /// By block: the times at which a walk of the tree enters and leaves it.
    interval: Vec<(u32, u32)>,
    /// By block: its children.
    pub children: Vec<Vec<BlockId>>,
}

impl Dominators {
    pub(crate) fn new(flow: &ControlFlow) -> Dominators {
        let count = flow.predecessors.len();
        let mut immediate: Vec<Option<BlockId>> = vec![None; count];
        if count > 0 {
            immediate[0] = Some(SsaFunction::ENTRY);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for block in flow.order.iter().skip(1) {
                let mut common = None;
                for from in &flow.predecessors[block.index()] {
                    if immediate[from.index()].is_none() {
                        continue;
                    }
                    common = Some(match common {
                        None => *from,
                        Some(other) => intersect(&immediate, flow, *from, other),
                    });
                }
                if immediate[block.index()] != common {
                    immediate[block.index()] = common;
                    changed = true;
                }
            }
        }
        let mut children = vec![Vec::new(); count];
        for block in flow.order.iter().skip(1) {
            if let Some(parent) = immediate[block.index()] {
                children[parent.index()].push(*block);
            }
        }
        let mut interval = vec![(u32::MAX, 0); count];
        let mut clock = 0;
        let mut stack = vec![(SsaFunction::ENTRY, 0)];
        while let Some((block, next)) = stack.pop() {
            if count == 0 {
                break;
            }
            if next == 0 {
                interval[block.index()].0 = clock;
                clock += 1;
            }
            if let Some(child) = children[block.index()].get(next) {
                stack.push((block, next + 1));
                stack.push((*child, 0));
            } else {
                interval[block.index()].1 = clock;
            }
        }
        Dominators { interval, children }
    }

    /// Whether every path to `b` passes through `a`. A block dominates itself.
    pub(crate) fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        let ((start, end), (at, _)) = (self.interval[a.index()], self.interval[b.index()]);
        start <= at && at < end
    }
}

fn intersect(
    immediate: &[Option<BlockId>],
    flow: &ControlFlow,
    mut a: BlockId,
    mut b: BlockId,
) -> BlockId {
    while a != b {
        if flow.position[a.index()] > flow.position[b.index()] {
            a = immediate[a.index()].unwrap_or(b);
        } else {
            b = immediate[b.index()].unwrap_or(a);
        }
    }
    a
}

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
