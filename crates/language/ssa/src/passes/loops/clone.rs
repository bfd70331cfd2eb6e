//! Copies blocks, and repairs values that have several definitions afterwards.

use crate::analysis::{ControlFlow, FastMap, FastSet};
use crate::ir::*;
use crate::variables::VariableState;

/// Maps old values to new ones.
pub(super) type ValueMap = FastMap<ValueId, ValueId>;

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

/// Copies blocks with their parameters. Jumps between these blocks go to the copies.
pub(super) fn clone_blocks(
    function: &mut SsaFunction,
    blocks: &[BlockId],
    values: &mut ValueMap,
) -> FastMap<BlockId, BlockId> {
    let mut copies = FastMap::default();
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

/// Values that blocks of another region use, each with the block that defines it. Definitions in blocks without
/// a region are ignored.
pub(super) fn escaping(
    function: &SsaFunction,
    region: &dyn Fn(BlockId) -> Option<BlockId>,
) -> Vec<(ValueId, BlockId)> {
    let order = ControlFlow::new(function).order;
    let mut defined: FastMap<ValueId, BlockId> = FastMap::default();
    for block in order.iter().copied().filter(|block| region(*block).is_some()) {
        let data = function.block(block);
        defined.extend(data.parameters.iter().map(|value| (*value, block)));
        for id in &data.instructions {
            defined.extend(function.instruction(*id).results.iter().map(|value| (*value, block)));
        }
    }
    let mut used = Vec::new();
    for block in order {
        let home = region(block);
        let mut visit = |value: ValueId| {
            if let Some(from) = defined.get(&value).copied()
                && region(from) != home
            {
                defined.remove(&value);
                used.push((value, from));
            }
        };
        let data = function.block(block);
        for id in &data.instructions {
            function.instruction(*id).arguments.iter().copied().for_each(&mut visit);
        }
        data.terminator.values().for_each(&mut visit);
    }
    used
}

/// Values that are defined in these blocks and used in others, each with the block that defines it.
pub(super) fn used_outside(function: &SsaFunction, blocks: &[BlockId]) -> Vec<(ValueId, BlockId)> {
    let inside: FastSet<BlockId> = blocks.iter().copied().collect();
    escaping(function, &|block| inside.contains(&block).then_some(blocks[0]))
}

/// Rewrites uses of values that have further definitions in other blocks: each use gets the definition that reaches
/// it. Uses in blocks with a definition do not change.
pub(super) fn repair(function: &mut SsaFunction, values: &[(ValueId, Vec<(BlockId, ValueId)>)]) {
    if values.is_empty() {
        return;
    }
    let flow = ControlFlow::new(function);
    let mut state = VariableState::for_graph(&flow);
    let mut variables = FastMap::default();
    let mut defining: FastSet<(BlockId, ValueId)> = FastSet::default();
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
        let used: Vec<ValueId> = function.block(*block).terminator.values().collect();
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
