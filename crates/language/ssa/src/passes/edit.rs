//! Changes to functions that several passes need: splitting and copying blocks, resolving aliases, removing dead code, and
//! repairing values that have several definitions after a copy.

use crate::analysis::{ControlFlow, FastMap, FastSet, KindEffects};
use crate::ir::*;
use crate::variables::VariableState;

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
