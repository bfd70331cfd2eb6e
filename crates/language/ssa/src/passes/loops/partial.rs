//! Partial unrolling of counted loops: four iterations at a time, then the remaining ones one by one. nvcc does the
//! same with small innermost loops. Both loops test the original counter, so neither needs a counter of its own.

use super::clone::{ValueMap, clone_instruction, mapped, repair, used_outside};
use super::evolution::counted;
use super::with_preheaders;
use crate::analysis::{ControlFlow, FastSet, KindEffects};
use crate::ir::*;

/// Maximum size of a body that is unrolled without a pragma.
const AUTOMATIC_SIZE: usize = 40;

/// Maximum size of the unrolled body.
const LARGEST_SIZE: usize = 4096;

/// Number of copies without a number in a pragma.
const AUTOMATIC_COUNT: u32 = 4;

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
            let is_small =
                size <= AUTOMATIC_SIZE && kinds.all(|kind| !KindEffects::of(kind).convergent);
            let count = match data.unroll {
                UnrollHint::Automatic | UnrollHint::Full if is_small => AUTOMATIC_COUNT,
                UnrollHint::Count(count @ 2..=64)
                    if count.is_power_of_two() && size * count as usize <= LARGEST_SIZE =>
                {
                    count
                }
                _ => continue,
            };
            if let Some(before) = natural.preheader(function, &graph.flow)
                && let Some(main) = unroll(function, &graph.flow, block, before, count)
            {
                tried.insert(main);
                continue 'changed;
            }
        }
        return;
    }
}

/// Unrolls a single-block loop by `count`, a power of two. Returns the block of the unrolled loop.
fn unroll(
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
