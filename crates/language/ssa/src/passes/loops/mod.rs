//! Loop passes: rotation, invariant code, unrolling, and strength reduction of addresses.

mod clone;
mod evolution;
mod hoist;
mod partial;
mod rotate;
mod strength;
mod unroll;

pub(super) use hoist::hoist_invariants;
pub(super) use partial::unroll_partially;
pub(super) use rotate::rotate_loops;
pub(super) use strength::reduce_addresses;
pub(super) use unroll::unroll_fully;

use crate::analysis::{ControlFlow, Dominators, LoopForest, NaturalLoop};
use crate::ir::*;

/// The loops of a function and its control-flow graph.
struct LoopGraph {
    flow: ControlFlow,
    dominators: Dominators,
    forest: LoopForest,
}

impl LoopGraph {
    fn new(function: &SsaFunction) -> LoopGraph {
        let flow = ControlFlow::new(function);
        let dominators = Dominators::new(&flow);
        let forest = LoopForest::new(&flow, &dominators);
        LoopGraph { flow, dominators, forest }
    }
}

/// Gives each loop of a function a preheader, and returns the loops.
fn with_preheaders(function: &mut SsaFunction) -> LoopGraph {
    let graph = LoopGraph::new(function);
    let count = function.blocks.len();
    for natural in &graph.forest.loops {
        preheader(function, &graph.flow, natural);
    }
    if function.blocks.len() == count { graph } else { LoopGraph::new(function) }
}

/// Creates the only block from which a loop is entered, if the loop does not have one. If this changes the
/// graph, the loop's own blocks do not change.
fn preheader(function: &mut SsaFunction, flow: &ControlFlow, natural: &NaturalLoop) -> BlockId {
    if let Some(block) = natural.preheader(function, flow) {
        return block;
    }
    let header = natural.header;
    let new = function.add_block();
    let outside: Vec<BlockId> = flow.predecessors[header.index()]
        .iter()
        .copied()
        .filter(|b| !natural.contains(*b))
        .collect();
    let edges: Vec<BlockCall> = outside
        .iter()
        .flat_map(|from| function.block(*from).terminator.targets())
        .filter(|target| target.block == header)
        .cloned()
        .collect();
    // With one edge, the arguments move to the new block's jump; with several, they are merged by the
    // block's parameters.
    let arguments = match &edges[..] {
        [edge] => edge.arguments.clone(),
        _ => {
            let parameters = function.block(header).parameters.clone();
            let types = parameters.iter().map(|parameter| function.value_type(*parameter));
            let types: Vec<ValueType> = types.collect();
            types.iter().map(|ty| function.add_block_parameter(new, *ty)).collect()
        }
    };
    let position = function.block(header).position;
    let data = function.block_mut(new);
    data.terminator = BlockTerminator::Jump(BlockCall { block: header, arguments });
    data.position = position;
    for from in outside {
        for target in function.block_mut(from).terminator.targets_mut() {
            if target.block == header {
                target.block = new;
                if edges.len() == 1 {
                    target.arguments.clear();
                }
            }
        }
    }
    new
}
