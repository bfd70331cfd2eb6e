//! Full unrolling of loops with a constant trip count, and partial unrolling of other counted loops.
//!
//! Partial unrolling runs four iterations at a time, then the remaining ones one by one. nvcc does the same with small
//! innermost loops. Both loops test the original counter, so neither needs a counter of its own.

use super::evolution::counted;
use super::trips::trip_count;
use super::with_preheaders;
use crate::analysis::{ControlFlow, FastMap, FastSet, KindEffects, NaturalLoop};
use crate::ir::*;
use crate::passes::edit::{
    ValueMap, clone_blocks, clone_instruction, mapped, repair, used_outside,
};
use crate::passes::slots::root_slot;

/// Maximum size, in instructions, of an unrolled loop without a pragma.
const AUTOMATIC_SIZE: usize = 400;

/// Maximum size of an unrolled loop that indexes a local array: unrolling makes the indices constant, so that the array
/// needs no memory.
const INDEXING_SIZE: usize = 2_000;

/// Maximum trip count of a loop that is unrolled for that reason.
const MOST_ELEMENTS: usize = 32;

/// Maximum size of an unrolled loop with `#pragma unroll`.
const LARGEST_SIZE: usize = 16 * 1024;

/// Maximum trip count of a loop that is unrolled.
const MOST_ITERATIONS: usize = 1024;

/// Maximum size of a body that is partially unrolled without a pragma.
const PARTIAL_AUTOMATIC_SIZE: usize = 40;

/// Maximum size of a partially unrolled body.
const PARTIAL_LARGEST_SIZE: usize = 4096;

/// Unroll factor without a number in a pragma.
const AUTOMATIC_COUNT: u32 = 4;

/// Unrolls loops with a constant trip count, innermost first. Returns whether it unrolled any.
pub(crate) fn unroll_fully(function: &mut SsaFunction) -> bool {
    let mut any = false;
    let mut tried: FastSet<BlockId> = FastSet::default();
    'changed: loop {
        let graph = with_preheaders(function);
        for natural in graph.forest.loops.iter().rev() {
            if !tried.insert(natural.header) {
                continue;
            }
            let size = natural.blocks.iter().map(|block| function.block(*block).instructions.len());
            let size: usize = size.sum();
            let hint = function.block(natural.header).unroll;
            let limit = match hint {
                UnrollHint::Automatic => AUTOMATIC_SIZE,
                UnrollHint::Full => LARGEST_SIZE,
                UnrollHint::Count(1) => continue,
                UnrollHint::Count(count) => {
                    (count as usize).saturating_mul(size + 1).min(LARGEST_SIZE)
                }
            };
            let mut most = (limit / (size + 1)).min(MOST_ITERATIONS);
            if matches!(hint, UnrollHint::Automatic) && indexes_local_array(function, natural) {
                most = most.max((INDEXING_SIZE / (size + 1)).min(MOST_ELEMENTS));
            }
            let Some(before) = natural.preheader(function, &graph.flow) else { continue };
            if let Some(count) = trip_count(function, natural, before, most) {
                unroll(function, natural, before, count);
                any = true;
                continue 'changed;
            }
        }
        return any;
    }
}

/// Whether a loop computes an address in a stack slot from a number that changes.
fn indexes_local_array(function: &SsaFunction, natural: &NaturalLoop) -> bool {
    let mut code = natural.blocks.iter().flat_map(|block| &function.block(*block).instructions);
    code.any(|id| {
        let data = function.instruction(*id);
        data.kind == InstructionKind::PointerAdd
            && function.as_constant(data.arguments[1]).is_none()
            && root_slot(function, data.arguments[0]).is_some()
    })
}

/// Replaces a loop by `count` copies of its body.
fn unroll(function: &mut SsaFunction, natural: &NaturalLoop, before: BlockId, count: usize) {
    let outside = used_outside(function, &natural.blocks);
    let block_of: FastMap<ValueId, BlockId> = outside.iter().copied().collect();
    let mut definitions: Vec<(ValueId, Vec<(BlockId, ValueId)>)> =
        outside.iter().map(|(value, _)| (*value, Vec::new())).collect();
    let latch = natural.latches[0];
    let mut previous = before;
    for iteration in 0..count {
        let mut values = ValueMap::default();
        let copies = clone_blocks(function, &natural.blocks, &mut values);
        for (value, list) in &mut definitions {
            list.push((copies[&block_of[value]], mapped(function, &values, *value)));
        }
        let (header, end) = (copies[&natural.header], copies[&latch]);
        function.block_mut(header).unroll = UnrollHint::Automatic;
        // Redirect the jump of the previous copy from the loop header to the header of this copy.
        for target in function.block_mut(previous).terminator.targets_mut() {
            if target.block == natural.header {
                target.block = header;
            }
        }
        let is_last = iteration + 1 == count;
        let terminator = std::mem::take(&mut function.block_mut(end).terminator);
        if let BlockTerminator::Branch(_, yes, no) = terminator {
            let (again, exit) = if yes.block == header { (yes, no) } else { (no, yes) };
            let mut target = if is_last { exit } else { again };
            if !is_last {
                target.block = natural.header;
            }
            function.block_mut(end).terminator = BlockTerminator::Jump(target);
        }
        previous = end;
    }
    repair(function, &definitions);
}

/// Unrolls innermost loops of one block.
pub(crate) fn unroll_partially(function: &mut SsaFunction) {
    let mut tried: FastSet<BlockId> = FastSet::default();
    'changed: loop {
        let graph = with_preheaders(function);
        for natural in graph.forest.loops.iter().rev() {
            let block = natural.header;
            if natural.blocks.len() > 1 || !tried.insert(block) {
                continue;
            }
            let data = function.block(block);
            let size = data.instructions.len();
            let mut kinds = data.instructions.iter().map(|id| &function.instruction(*id).kind);
            let is_small = size <= PARTIAL_AUTOMATIC_SIZE
                && kinds.all(|kind| !KindEffects::of(kind).convergent);
            let count = match data.unroll {
                UnrollHint::Automatic | UnrollHint::Full if is_small => AUTOMATIC_COUNT,
                UnrollHint::Count(count @ 2..=64)
                    if count.is_power_of_two() && size * count as usize <= PARTIAL_LARGEST_SIZE =>
                {
                    count
                }
                _ => continue,
            };
            if let Some(before) = natural.preheader(function, &graph.flow)
                && let Some(main) = unroll_by(function, &graph.flow, block, before, count)
            {
                tried.insert(main);
                continue 'changed;
            }
        }
        return;
    }
}

/// Unrolls a single-block loop by `count`, a power of two. Returns the block of the unrolled loop.
fn unroll_by(
    function: &mut SsaFunction,
    flow: &ControlFlow,
    block: BlockId,
    before: BlockId,
    count: u32,
) -> Option<BlockId> {
    let loop_count = counted(function, flow, block, before)?;
    let BlockTerminator::Jump(entry) = function.block(before).terminator.clone() else {
        return None;
    };
    let BlockTerminator::Branch(_, yes, no) = function.block(block).terminator.clone() else {
        return None;
    };
    let (again, exit) = if yes.block == block { (yes, no) } else { (no, yes) };
    let position = function.block(block).position;
    let outside = used_outside(function, &[block]);
    let parameters = function.block(block).parameters.clone();
    let code = function.block(block).instructions.clone();
    let ty = ValueType::I32;
    let add = |function: &mut SsaFunction, at: BlockId, op, a, b: u64| {
        let b = function.constant(ty, b);
        let kind = InstructionKind::Integer { op, no_wrap: false };
        let id = function.add_instruction(kind, vec![a, b], &[ty], position);
        function.block_mut(at).instructions.push(id);
        function.instruction(id).results[0]
    };
    let compare = |function: &mut SsaFunction, at: BlockId, condition, a, b: u64| {
        let b = function.constant(ty, b);
        let kind = InstructionKind::CompareIntegers(condition);
        let id = function.add_instruction(kind, vec![a, b], &[ValueType::I1], position);
        function.block_mut(at).instructions.push(id);
        function.instruction(id).results[0]
    };

    // Before the loop: compute the number of remaining iterations, and whether the unrolled loop runs at all.
    let trips = loop_count.materialize(function, before);
    let rest = add(function, before, IntegerBinary::And, trips, u64::from(count) - 1);
    let few = compare(function, before, IntegerCondition::LessUnsigned, trips, count.into());
    let (main_entry, main, after) =
        (function.add_block(), function.add_block(), function.add_block());
    for new in [main_entry, main, after] {
        function.block_mut(new).position = position;
    }
    function.block_mut(main).unroll = UnrollHint::Count(1);
    function.block_mut(block).unroll = UnrollHint::Count(1);

    // The unrolled loop ends after the largest multiple of `count` iterations.
    let kind = InstructionKind::Integer { op: IntegerBinary::Subtract, no_wrap: false };
    let id = function.add_instruction(kind, vec![trips, rest], &[ty], position);
    function.block_mut(main_entry).instructions.push(id);
    let whole = function.instruction(id).results[0];
    let way = add(function, main_entry, IntegerBinary::Multiply, whole, loop_count.step as u64);
    let kind = InstructionKind::Integer { op: IntegerBinary::Add, no_wrap: false };
    let id = function.add_instruction(kind, vec![loop_count.start, way], &[ty], position);
    function.block_mut(main_entry).instructions.push(id);
    let end = function.instruction(id).results[0];
    function.block_mut(main_entry).terminator =
        BlockTerminator::Jump(BlockCall { block: main, arguments: entry.arguments.clone() });
    let mut current: Vec<ValueId> = parameters
        .iter()
        .map(|parameter| function.add_block_parameter(main, function.value_type(*parameter)))
        .collect();
    let mut values = ValueMap::default();
    for _ in 0..count {
        values = parameters.iter().copied().zip(current.iter().copied()).collect();
        for id in &code {
            let new = clone_instruction(function, *id, &mut values);
            function.block_mut(main).instructions.push(new);
        }
        current = again.arguments.iter().map(|value| mapped(function, &values, *value)).collect();
    }
    let counted = mapped(function, &values, loop_count.next);
    let kind = InstructionKind::CompareIntegers(IntegerCondition::NotEqual);
    let id = function.add_instruction(kind, vec![counted, end], &[ValueType::I1], position);
    function.block_mut(main).instructions.push(id);
    let more = function.instruction(id).results[0];
    let again_main = BlockCall { block: main, arguments: current.clone() };
    function.block_mut(main).terminator = BlockTerminator::Branch(more, again_main, after.into());

    // The original loop runs the remaining iterations.
    let done = compare(function, after, IntegerCondition::Equal, rest, 0);
    let mut exit_after = exit.clone();
    exit_after.arguments = exit.arguments.iter().map(|v| mapped(function, &values, *v)).collect();
    function.block_mut(after).terminator =
        BlockTerminator::Branch(done, exit_after, BlockCall { block, arguments: current });
    let early = BlockCall { block, arguments: entry.arguments };
    function.block_mut(before).terminator = BlockTerminator::Branch(few, early, main_entry.into());

    let definitions: Vec<_> = outside
        .into_iter()
        .map(|(value, _)| (value, vec![(block, value), (main, mapped(function, &values, value))]))
        .collect();
    repair(function, &definitions);
    Some(main)
}
