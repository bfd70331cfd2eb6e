//! Loops: rotation, invariant code, unrolling, and strength reduction of addresses.

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

/// The loops of a function with their graph.
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

/// Gives a loop a block from which alone it is entered, which goes nowhere else. If that changes the graph, the
/// loop's blocks stay the same.
fn preheader(function: &mut SsaFunction, flow: &ControlFlow, natural: &NaturalLoop) -> BlockId {
    if let Some(block) = natural.preheader(function, flow) {
        return block;
    }
    let header = natural.header;
    let new = function.add_block();
    let types: Vec<ValueType> =
        function.block(header).parameters.iter().map(|p| function.value_type(*p)).collect();
    let arguments = types.iter().map(|ty| function.add_block_parameter(new, *ty)).collect();
    let position = function.block(header).position;
    let data = function.block_mut(new);
    data.terminator = BlockTerminator::Jump(BlockCall { block: header, arguments });
    data.position = position;
    for from in &flow.predecessors[header.index()] {
        if !natural.contains(*from) {
            for target in function.block_mut(*from).terminator.targets_mut() {
                if target.block == header {
                    target.block = new;
                }
            }
        }
    }
    new
}
