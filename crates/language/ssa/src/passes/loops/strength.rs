//! Strength reduction: an address that changes by the same amount in every iteration becomes a pointer that is
//! incremented, instead of being recomputed.

use super::evolution::{Evolution, LoopStep};
use super::{LoopGraph, with_preheaders};
use crate::fold::{fold, signed};
use crate::ir::*;
use crate::passes::edit::{ValueMap, clone_instruction};
use std::collections::HashMap;

/// Reduces addresses in innermost loops.
pub(crate) fn reduce_addresses(function: &mut SsaFunction) {
    let graph = with_preheaders(function);
    for index in (0..graph.forest.loops.len()).rev() {
        reduce(function, &graph, index);
    }
}

fn reduce(function: &mut SsaFunction, graph: &LoopGraph, index: usize) {
    let natural = graph.forest.loops[index].clone();
    let [latch] = natural.latches[..] else { return };
    let Some(before) = natural.preheader(function, &graph.flow) else { return };
    let mut block_of = vec![None; function.instructions.len()];
    for block in &graph.flow.order {
        for id in &function.block(*block).instructions {
            block_of[id.index()] = Some(*block);
        }
    }
    let arguments = |function: &SsaFunction, from: BlockId| -> Vec<Vec<ValueId>> {
        let targets = function.block(from).terminator.targets();
        let to_header = targets.filter(|target| target.block == natural.header);
        to_header.map(|target| target.arguments.clone()).collect()
    };
    let [start] = &arguments(function, before)[..] else { return };
    let [next] = &arguments(function, latch)[..] else { return };
    let evolution = Evolution { natural: &natural, next, block_of: &block_of };
    // Addresses without their constant offsets, in program order.
    let mut addresses: Vec<ValueId> = Vec::new();
    for block in &natural.blocks {
        if graph.forest.innermost[block.index()] != Some(index) {
            continue;
        }
        for id in &function.block(*block).instructions {
            let data = function.instruction(*id);
            if !matches!(
                data.kind,
                InstructionKind::Load(_)
                    | InstructionKind::Store(_)
                    | InstructionKind::Atomic { .. }
            ) {
                continue;
            }
            let base = without_offset(function, data.arguments[0]);
            if !addresses.contains(&base) && is_worthwhile(function, &evolution, base) {
                addresses.push(base);
            }
        }
    }
    let mut pointers = Vec::new();
    for address in addresses {
        let Some(step) = evolution.step(function, address, false, 0) else { continue };
        if step == LoopStep::Zero {
            continue;
        }
        pointers.push((address, step));
    }
    let mut starts = ValueMap::default();
    for (parameter, argument) in function.block(natural.header).parameters.iter().zip(start) {
        starts.insert(*parameter, function.resolve(*argument));
    }
    let mut steps: HashMap<String, ValueId> = HashMap::new();
    for (address, step) in pointers {
        let ty = function.value_type(address);
        let offset_type = if ty.bytes() == 4 { ValueType::I32 } else { ValueType::I64 };
        let Some(first) = start_value(function, &evolution, address, before, &mut starts) else {
            continue;
        };
        let amount = match steps.get(&format!("{step:?}")) {
            Some(value) => *value,
            None => {
                let value = step_value(function, &step, offset_type, before);
                steps.insert(format!("{step:?}"), value);
                value
            }
        };
        let pointer = function.add_block_parameter(natural.header, ty);
        let position = function.block(latch).position;
        let id = function.add_instruction(
            InstructionKind::PointerAdd,
            vec![pointer, amount],
            &[ty],
            position,
        );
        function.block_mut(latch).instructions.push(id);
        let advanced = function.instruction(id).results[0];
        for (from, value) in [(before, first), (latch, advanced)] {
            for target in function.block_mut(from).terminator.targets_mut() {
                if target.block == natural.header {
                    target.arguments.push(value);
                }
            }
        }
        replace_uses(function, &natural.blocks, address, pointer);
    }
}

/// A pointer without the constants that are added to it.
fn without_offset(function: &SsaFunction, pointer: ValueId) -> ValueId {
    let mut base = function.resolve(pointer);
    while let Some((_, data)) = function.defining(base)
        && data.kind == InstructionKind::PointerAdd
        && function
            .as_constant(data.arguments[1])
            .is_some_and(|c| i32::try_from(signed(c, 64)).is_ok())
    {
        base = function.resolve(data.arguments[0]);
    }
    base
}

/// Whether the loop needs at least two instructions to compute an address.
fn is_worthwhile(function: &SsaFunction, evolution: &Evolution<'_>, address: ValueId) -> bool {
    if evolution.is_invariant(function, address) {
        return false;
    }
    let Some((_, data)) = function.defining(address) else { return false };
    if data.kind != InstructionKind::PointerAdd {
        return false;
    }
    let offset = data.arguments[1];
    !evolution.is_invariant(function, offset) && function.defining(offset).is_some()
}

/// The address in the first iteration, computed before the loop.
fn start_value(
    function: &mut SsaFunction,
    evolution: &Evolution<'_>,
    value: ValueId,
    before: BlockId,
    starts: &mut ValueMap,
) -> Option<ValueId> {
    let value = function.resolve(value);
    if evolution.is_invariant(function, value) {
        return Some(value);
    }
    if let Some(start) = starts.get(&value) {
        return Some(*start);
    }
    let (id, data) = function.defining(value)?;
    for argument in data.arguments.clone() {
        let start = start_value(function, evolution, argument, before, starts)?;
        starts.insert(function.resolve(argument), start);
    }
    let data = function.instruction(id);
    let arguments: Vec<ValueId> =
        data.arguments.iter().map(|a| crate::passes::edit::mapped(function, starts, *a)).collect();
    let (kind, ty) = (data.kind.clone(), function.value_type(value));
    if let Some(constant) = fold(function, &kind, &arguments, ty) {
        starts.insert(value, constant);
        return Some(constant);
    }
    let new = clone_instruction(function, id, starts);
    function.block_mut(before).instructions.push(new);
    Some(function.instruction(new).results[0])
}

/// A step as a value of an integer type, computed before the loop.
fn step_value(
    function: &mut SsaFunction,
    step: &LoopStep,
    ty: ValueType,
    before: BlockId,
) -> ValueId {
    let insert = |function: &mut SsaFunction, kind: InstructionKind, arguments: Vec<ValueId>| {
        if let Some(value) = fold(function, &kind, &arguments, ty) {
            return value;
        }
        let position = function.block(before).position;
        let id = function.add_instruction(kind, arguments, &[ty], position);
        function.block_mut(before).instructions.push(id);
        function.instruction(id).results[0]
    };
    let integer = |op| InstructionKind::Integer { op, no_wrap: false };
    let narrower = if ty == ValueType::I64 { ValueType::I32 } else { ValueType::I64 };
    match step {
        LoopStep::Zero => function.constant(ty, 0),
        LoopStep::Value(value) => {
            let from = function.value_type(*value);
            match from.bits().cmp(&ty.bits()) {
                std::cmp::Ordering::Equal => *value,
                std::cmp::Ordering::Less => insert(
                    function,
                    InstructionKind::Convert(ValueConversion::SignExtend),
                    vec![*value],
                ),
                std::cmp::Ordering::Greater => insert(
                    function,
                    InstructionKind::Convert(ValueConversion::Truncate),
                    vec![*value],
                ),
            }
        }
        LoopStep::Sum(a, b) => {
            let a = step_value(function, a, ty, before);
            let b = step_value(function, b, ty, before);
            insert(function, integer(IntegerBinary::Add), vec![a, b])
        }
        LoopStep::Negative(a) => {
            let a = step_value(function, a, ty, before);
            let zero = function.constant(ty, 0);
            insert(function, integer(IntegerBinary::Subtract), vec![zero, a])
        }
        LoopStep::Product(a, factor) => {
            let a = step_value(function, a, ty, before);
            let factor = step_value(function, &LoopStep::Value(*factor), ty, before);
            insert(function, integer(IntegerBinary::Multiply), vec![a, factor])
        }
        LoopStep::Extended(inner, _) => {
            let inner = step_value(function, inner, narrower, before);
            insert(function, InstructionKind::Convert(ValueConversion::SignExtend), vec![inner])
        }
        LoopStep::Truncated(inner, _) => {
            let inner = step_value(function, inner, narrower, before);
            insert(function, InstructionKind::Convert(ValueConversion::Truncate), vec![inner])
        }
    }
}

fn replace_uses(function: &mut SsaFunction, blocks: &[BlockId], old: ValueId, new: ValueId) {
    for block in blocks {
        for id in function.block(*block).instructions.clone() {
            for argument in &mut function.instruction_mut(id).arguments {
                if *argument == old {
                    *argument = new;
                }
            }
        }
        let terminator = &mut function.block_mut(*block).terminator;
        terminator.map_values(&mut |value| if value == old { new } else { value });
    }
}
