//! Copies of blocks, and values that have several definitions afterwards.

use crate::analysis::ControlFlow;
use crate::ir::*;
use crate::variables::VariableState;
use std::collections::{HashMap, HashSet};

/// Old values to new ones.
pub(super) type ValueMap = HashMap<ValueId, ValueId>;

/// The new value for an old one.
pub(super) fn mapped(function: &SsaFunction, values: &ValueMap, value: ValueId) -> ValueId {
    let value = function.resolve(value);
    values.get(&value).copied().unwrap_or(value)
}

/// Copies an instruction.
pub(super) fn clone_instruction(
    function: &mut SsaFunction,
    id: InstructionId,
    values: &mut ValueMap,
) -> InstructionId {
    let data = function.instruction(id).clone();
    let types: Vec<ValueType> = data.results.iter().map(|r| function.value_type(*r)).collect();
    let arguments = data.arguments.iter().map(|a| mapped(function, values, *a)).collect();
    let new = function.add_instruction(data.kind, arguments, &types, data.position);
    for (old, new) in data.results.iter().zip(&function.instruction(new).results) {
        values.insert(*old, *new);
    }
    new
}

/// Copies blocks with their parameters. Jumps among them go to the copies.
pub(super) fn clone_blocks(
    function: &mut SsaFunction,
    blocks: &[BlockId],
    values: &mut ValueMap,
) -> HashMap<BlockId, BlockId> {
    let mut copies = HashMap::new();
    for block in blocks {
        let copy = function.add_block();
        copies.insert(*block, copy);
        for parameter in function.block(*block).parameters.clone() {
            let ty = function.value_type(parameter);
            values.insert(parameter, function.add_block_parameter(copy, ty));
        }
    }
    // The blocks are in reverse post-order, so definitions come before uses.
    for block in blocks {
        let code = function.block(*block).instructions.clone();
        let code = code.into_iter().map(|id| clone_instruction(function, id, values)).collect();
        function.block_mut(copies[block]).instructions = code;
    }
    for block in blocks {
        let mut terminator = function.block(*block).terminator.clone();
        terminator.map_values(&mut |value| mapped(function, values, value));
        for target in terminator.targets_mut() {
            target.block = copies.get(&target.block).copied().unwrap_or(target.block);
        }
        let (position, unroll) = (function.block(*block).position, function.block(*block).unroll);
        let copy = function.block_mut(copies[block]);
        copy.terminator = terminator;
        copy.position = position;
        copy.unroll = unroll;
    }
    copies
}

/// Values defined in blocks that other blocks use.
pub(super) fn used_outside(function: &SsaFunction, blocks: &[BlockId]) -> Vec<ValueId> {
    let inside: HashSet<BlockId> = blocks.iter().copied().collect();
    let mut defined = HashSet::new();
    for block in blocks {
        let data = function.block(*block);
        defined.extend(data.parameters.iter().copied());
        for id in &data.instructions {
            defined.extend(function.instruction(*id).results.iter().copied());
        }
    }
    let mut used = Vec::new();
    let mut seen = HashSet::new();
    let mut add = |value: ValueId| {
        if defined.contains(&value) && seen.insert(value) {
            used.push(value);
        }
    };
    for block in ControlFlow::new(function).order {
        if inside.contains(&block) {
            continue;
        }
        let data = function.block(block);
        for id in &data.instructions {
            function.instruction(*id).arguments.iter().copied().for_each(&mut add);
        }
        data.terminator.values().into_iter().for_each(&mut add);
    }
    used
}

/// Rewrites uses of values that have further definitions in other blocks: each use gets the one that reaches it. Uses in
/// blocks with a definition stay.
pub(super) fn repair(function: &mut SsaFunction, values: &[(ValueId, Vec<(BlockId, ValueId)>)]) {
    if values.is_empty() {
        return;
    }
    let flow = ControlFlow::new(function);
    let mut state = VariableState::for_graph(&flow);
    let mut variables = HashMap::new();
    let mut defining: HashSet<(BlockId, ValueId)> = HashSet::new();
    for (value, definitions) in values {
        let variable = state.declare(function.value_type(*value));
        variables.insert(*value, variable);
        for (block, definition) in definitions {
            state.define(*block, variable, *definition);
            defining.insert((*block, *value));
        }
    }
    for block in &flow.order {
        let wanted = |value: ValueId| {
            variables.get(&value).copied().filter(|_| !defining.contains(&(*block, value)))
        };
        for id in function.block(*block).instructions.clone() {
            let mut arguments = function.instruction(id).arguments.clone();
            let mut changed = false;
            for argument in &mut arguments {
                if let Some(variable) = wanted(*argument) {
                    *argument = state.read(function, *block, variable);
                    changed = true;
                }
            }
            if changed {
                function.instruction_mut(id).arguments = arguments;
            }
        }
        let used = function.block(*block).terminator.values();
        let new: ValueMap = used
            .into_iter()
            .filter_map(|value| Some((value, state.read(function, *block, wanted(value)?))))
            .collect();
        if !new.is_empty() {
            let terminator = &mut function.block_mut(*block).terminator;
            terminator.map_values(&mut |value| new.get(&value).copied().unwrap_or(value));
        }
    }
}
