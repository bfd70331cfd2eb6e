//! Dominators.
//!
//! Algorithm: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).

use super::cfg::ControlFlow;
use crate::ir::{BlockId, SsaFunction};

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
