//! Changes to functions that several passes need.

use crate::analysis::{ControlFlow, KindEffects};
use crate::ir::*;

/// Moves a block's instructions from `index` on, and its terminator, to a new block. The old block remains without a
/// terminator.
pub(super) fn split_block(function: &mut SsaFunction, block: BlockId, index: usize) -> BlockId {
    let rest = function.add_block();
    let data = function.block_mut(block);
    let instructions = data.instructions.split_off(index);
    let terminator = std::mem::take(&mut data.terminator);
    let position = data.position;
    let new = function.block_mut(rest);
    new.instructions = instructions;
    new.terminator = terminator;
    new.position = position;
    rest
}

/// Replaces aliases in every use by the values that they refer to.
pub(super) fn resolve_aliases(function: &mut SsaFunction) {
    let target: Vec<ValueId> =
        (0..function.values.len() as u32).map(|value| function.resolve(ValueId(value))).collect();
    for block in 0..function.blocks.len() {
        for index in 0..function.blocks[block].instructions.len() {
            let instruction = function.blocks[block].instructions[index];
            for argument in &mut function.instruction_mut(instruction).arguments {
                *argument = target[argument.index()];
            }
        }
        function.blocks[block].terminator.map_values(&mut |value| target[value.index()]);
    }
}

/// Removes instructions whose results are unused, and block parameters that are only passed to themselves.
pub(super) fn remove_dead(function: &mut SsaFunction) {
    let flow = ControlFlow::new(function);
    let mut live = vec![false; function.values.len()];
    let mut kept = vec![false; function.instructions.len()];
    let mut work: Vec<ValueId> = Vec::new();
    for block in &flow.order {
        let data = function.block(*block);
        for id in &data.instructions {
            let instruction = function.instruction(*id);
            if !KindEffects::of(&instruction.kind).is_removable() {
                kept[id.index()] = true;
                work.extend(&instruction.arguments);
            }
        }
        match &data.terminator {
            BlockTerminator::Branch(value, ..) | BlockTerminator::Switch(value, ..) => {
                work.push(*value);
            }
            BlockTerminator::Return(values) => work.extend(values),
            _ => {}
        }
    }
    while let Some(value) = work.pop() {
        let value = function.resolve(value);
        if std::mem::replace(&mut live[value.index()], true) {
            continue;
        }
        match function.definition(value) {
            ValueDefinition::Result(id, _) if !std::mem::replace(&mut kept[id.index()], true) => {
                work.extend(&function.instruction(id).arguments);
            }
            ValueDefinition::Parameter(block, index) if block != SsaFunction::ENTRY => {
                for from in &flow.predecessors[block.index()] {
                    for target in function.block(*from).terminator.targets() {
                        if target.block == block {
                            work.push(target.arguments[index as usize]);
                        }
                    }
                }
            }
            _ => {}
        }
    }
    for block in &flow.order {
        function.block_mut(*block).instructions.retain(|id| kept[id.index()]);
        if *block != SsaFunction::ENTRY {
            let parameters = function.block(*block).parameters.clone();
            let keep: Vec<bool> = parameters.iter().map(|p| live[p.index()]).collect();
            retain_parameters(function, &flow, *block, &keep);
        }
    }
}

/// Removes the parameters of a block for which `keep` is false, and their arguments.
pub(super) fn retain_parameters(
    function: &mut SsaFunction,
    flow: &ControlFlow,
    block: BlockId,
    keep: &[bool],
) {
    if keep.iter().all(|keep| *keep) {
        return;
    }
    let filter = |values: &mut Vec<ValueId>| {
        let mut index = 0;
        values.retain(|_| {
            index += 1;
            keep[index - 1]
        });
    };
    filter(&mut function.block_mut(block).parameters);
    for from in &flow.predecessors[block.index()] {
        for target in function.block_mut(*from).terminator.targets_mut() {
            if target.block == block {
                filter(&mut target.arguments);
            }
        }
    }
    for (index, parameter) in function.block(block).parameters.clone().into_iter().enumerate() {
        function.values[parameter.index()].definition =
            ValueDefinition::Parameter(block, index as u32);
    }
}
