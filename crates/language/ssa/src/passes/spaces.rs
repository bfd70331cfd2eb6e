//! Infers the address spaces of generic pointers, so that loads and stores can name them.
//!
//! A kernel's pointer parameters refer to global memory, and so do pointers in its structure parameters. Spaces
//! propagate through address arithmetic, selections and block parameters (optimistically, so they also propagate
//! through loops).

use crate::analysis::{ControlFlow, FastMap};
use crate::ir::*;
use crate::passes::edit::resolve_aliases;

/// Gives pointers their spaces. Returns whether any pointer changed.
pub(crate) fn infer_spaces(function: &mut SsaFunction) -> bool {
    mark_global(function);
    let flow = ControlFlow::new(function);
    let spaces = solve(function, &flow);
    if !spaces.is_empty() {
        rewrite(function, &flow, &spaces);
    }
    !spaces.is_empty()
}

/// Pointers that a kernel receives from outside are global: converts each to global space and back.
fn mark_global(function: &mut SsaFunction) {
    if function.linkage != FunctionLinkage::Kernel {
        return;
    }
    let global = ValueType::Pointer(AddressSpace::Global);
    let space = InstructionKind::Convert(ValueConversion::Space);
    let flow = ControlFlow::new(function);
    let mut sources = Vec::new();
    for parameter in &function.block(SsaFunction::ENTRY).parameters {
        if function.value_type(*parameter) == ValueType::POINTER {
            sources.push((SsaFunction::ENTRY, None, *parameter));
        }
    }
    for block in &flow.order {
        for id in &function.block(*block).instructions {
            let data = function.instruction(*id);
            if matches!(data.kind, InstructionKind::Load(_))
                && function.value_type(data.arguments[0])
                    == ValueType::Pointer(AddressSpace::Parameter)
                && function.value_type(data.results[0]) == ValueType::POINTER
            {
                sources.extend(data.results.iter().map(|result| (*block, Some(*id), *result)));
            }
        }
    }
    let mut replaced = FastMap::default();
    let mut added = Vec::new();
    for (block, after, value) in sources {
        let already =
            flow.order.iter().flat_map(|block| &function.block(*block).instructions).any(|id| {
                let data = function.instruction(*id);
                data.kind == space
                    && data.arguments[0] == value
                    && function.value_type(data.results[0]) == global
            });
        if already {
            continue;
        }
        let position = SourcePosition::default();
        let there = function.add_instruction(space.clone(), vec![value], &[global], position);
        let there_value = function.instruction(there).results[0];
        let back = function.add_instruction(
            space.clone(),
            vec![there_value],
            &[ValueType::POINTER],
            position,
        );
        replaced.insert(value, function.instruction(back).results[0]);
        added.push((block, after, [there, back]));
    }
    for block in &flow.order {
        for id in function.block(*block).instructions.clone() {
            for argument in &mut function.instruction_mut(id).arguments {
                *argument = replaced.get(argument).copied().unwrap_or(*argument);
            }
        }
        let terminator = &mut function.block_mut(*block).terminator;
        terminator.map_values(&mut |value| replaced.get(&value).copied().unwrap_or(value));
    }
    for (block, after, code) in added.into_iter().rev() {
        let instructions = &mut function.block_mut(block).instructions;
        let at = after.and_then(|id| instructions.iter().position(|other| *other == id));
        let at = at.map_or(0, |index| index + 1);
        instructions.splice(at..at, code);
    }
}

/// The spaces of generic pointers for which a single space is known.
fn solve(function: &SsaFunction, flow: &ControlFlow) -> FastMap<ValueId, AddressSpace> {
    // `None` means more than one space.
    let mut known: FastMap<ValueId, Option<AddressSpace>> = FastMap::default();
    let of = |known: &FastMap<ValueId, Option<AddressSpace>>, value: ValueId| {
        let value = function.resolve(value);
        match function.definition(value) {
            ValueDefinition::Undefined => None,
            ValueDefinition::Constant(_)
            | ValueDefinition::Global(_)
            | ValueDefinition::Function(_)
            | ValueDefinition::Slot(_) => Some(None),
            // Null and the parameters of device functions stay generic.
            ValueDefinition::Parameter(SsaFunction::ENTRY, _) => Some(None),
            _ => known.get(&value).copied(),
        }
    };
    let mut changed = true;
    while changed {
        changed = false;
        let mut join =
            |known: &mut FastMap<_, _>, value: ValueId, space: Option<Option<AddressSpace>>| {
                let Some(space) = space else { return };
                let new = match known.get(&value) {
                    None => space,
                    Some(old) if *old == space => return,
                    Some(None) => return,
                    Some(Some(_)) => None,
                };
                known.insert(value, new);
                changed = true;
            };
        for block in &flow.order {
            let data = function.block(*block);
            for id in &data.instructions {
                let instruction = function.instruction(*id);
                for result in &instruction.results {
                    if function.value_type(*result) != ValueType::POINTER {
                        continue;
                    }
                    match instruction.kind {
                        InstructionKind::PointerAdd => {
                            let space = of(&known, instruction.arguments[0]);
                            join(&mut known, *result, space);
                        }
                        InstructionKind::Select => {
                            for side in &instruction.arguments[1..] {
                                let space = of(&known, *side);
                                join(&mut known, *result, space);
                            }
                        }
                        InstructionKind::Convert(ValueConversion::Space) => {
                            let space = function.value_type(instruction.arguments[0]).space();
                            join(&mut known, *result, Some(space));
                        }
                        _ => join(&mut known, *result, Some(None)),
                    }
                }
            }
            for target in data.terminator.targets() {
                let parameters = &function.block(target.block).parameters;
                for (parameter, argument) in parameters.iter().zip(&target.arguments) {
                    if function.value_type(*parameter) == ValueType::POINTER {
                        let space = of(&known, *argument);
                        join(&mut known, *parameter, space);
                    }
                }
            }
        }
    }
    let specific = known.into_iter().filter_map(|(value, space)| Some((value, space?)));
    specific.collect()
}

/// Changes the types of values in place, and converts them back where a generic pointer is needed.
fn rewrite(
    function: &mut SsaFunction,
    flow: &ControlFlow,
    spaces: &FastMap<ValueId, AddressSpace>,
) {
    let space_kind = InstructionKind::Convert(ValueConversion::Space);
    // Maps each conversion to generic space to the pointer that it converts.
    let mut source: FastMap<ValueId, ValueId> = FastMap::default();
    for block in &flow.order {
        for id in &function.block(*block).instructions {
            let data = function.instruction(*id);
            if data.kind == space_kind && spaces.contains_key(&data.results[0]) {
                source.insert(data.results[0], data.arguments[0]);
            }
        }
    }
    for (value, space) in spaces {
        if !source.contains_key(value) {
            function.values[value.index()].ty = ValueType::Pointer(*space);
        }
    }
    let specific = |value: ValueId| source.get(&value).copied().unwrap_or(value);
    for block in &flow.order {
        let mut code = Vec::new();
        for id in std::mem::take(&mut function.block_mut(*block).instructions) {
            let data = function.instruction(id).clone();
            let retyped =
                |value: &ValueId| spaces.contains_key(value) && !source.contains_key(value);
            let mut arguments = data.arguments.clone();
            match data.kind {
                InstructionKind::PointerAdd if retyped(&data.results[0]) => {
                    arguments[0] = specific(arguments[0]);
                    if function.value_type(data.results[0]).bytes() == 4 {
                        arguments[1] = narrow(function, arguments[1], data.position, &mut code);
                    }
                }
                InstructionKind::Select if retyped(&data.results[0]) => {
                    arguments[1] = specific(arguments[1]);
                    arguments[2] = specific(arguments[2]);
                    for index in [1, 2] {
                        if function.definition(arguments[index]) == ValueDefinition::Undefined {
                            let ty = function.value_type(data.results[0]);
                            arguments[index] = function.leaf(ty, ValueDefinition::Undefined);
                        }
                    }
                }
                InstructionKind::Load(_)
                | InstructionKind::Store(_)
                | InstructionKind::Atomic { .. } => {
                    arguments[0] = specific(arguments[0]);
                    for argument in &mut arguments[1..] {
                        *argument =
                            generic(function, *argument, spaces, &source, data.position, &mut code);
                    }
                }
                InstructionKind::CopyMemory { .. } | InstructionKind::FillMemory { .. } => {
                    arguments.iter_mut().for_each(|argument| *argument = specific(*argument));
                }
                InstructionKind::Convert(ValueConversion::Space) => {
                    arguments[0] = specific(arguments[0]);
                    let ty = function.value_type(arguments[0]);
                    if ty == function.value_type(data.results[0]) {
                        function.replace(data.results[0], arguments[0]);
                        continue;
                    }
                }
                InstructionKind::CompareIntegers(_)
                    if arguments.iter().all(|argument| spaces.contains_key(argument))
                        && spaces[&arguments[0]] == spaces[&arguments[1]] =>
                {
                    arguments.iter_mut().for_each(|argument| *argument = specific(*argument));
                }
                _ => {
                    for argument in &mut arguments {
                        *argument =
                            generic(function, *argument, spaces, &source, data.position, &mut code);
                    }
                }
            }
            function.instruction_mut(id).arguments = arguments;
            code.push(id);
        }
        let mut terminator = std::mem::take(&mut function.block_mut(*block).terminator);
        let position = function.block(*block).position;
        for target in terminator.targets_mut() {
            let parameters = function.block(target.block).parameters.clone();
            for (parameter, argument) in parameters.iter().zip(&mut target.arguments) {
                let wanted = function.value_type(*parameter);
                if spaces.contains_key(parameter) {
                    *argument = specific(*argument);
                    if function.definition(*argument) == ValueDefinition::Undefined {
                        *argument = function.leaf(wanted, ValueDefinition::Undefined);
                    }
                } else {
                    *argument = generic(function, *argument, spaces, &source, position, &mut code);
                }
            }
        }
        if let BlockTerminator::Return(values) = &mut terminator {
            for value in values {
                *value = generic(function, *value, spaces, &source, position, &mut code);
            }
        }
        let data = function.block_mut(*block);
        data.terminator = terminator;
        data.instructions = code;
    }
    resolve_aliases(function);
}

/// The pointer, converted for a use that needs a generic one.
fn generic(
    function: &mut SsaFunction,
    value: ValueId,
    spaces: &FastMap<ValueId, AddressSpace>,
    source: &FastMap<ValueId, ValueId>,
    position: SourcePosition,
    code: &mut Vec<InstructionId>,
) -> ValueId {
    if !spaces.contains_key(&value) || source.contains_key(&value) {
        return value;
    }
    let kind = InstructionKind::Convert(ValueConversion::Space);
    let id = function.add_instruction(kind, vec![value], &[ValueType::POINTER], position);
    code.push(id);
    function.instruction(id).results[0]
}

/// Converts a 64-bit offset to 32 bits.
fn narrow(
    function: &mut SsaFunction,
    offset: ValueId,
    position: SourcePosition,
    code: &mut Vec<InstructionId>,
) -> ValueId {
    if let Some(bits) = function.as_constant(offset) {
        return function.constant(ValueType::I32, bits);
    }
    let kind = InstructionKind::Convert(ValueConversion::Truncate);
    let id = function.add_instruction(kind, vec![offset], &[ValueType::I32], position);
    code.push(id);
    function.instruction(id).results[0]
}
