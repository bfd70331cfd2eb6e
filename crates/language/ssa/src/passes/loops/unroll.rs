//! Full unrolling of loops whose trip count is constant.

use super::clone::{ValueMap, clone_blocks, mapped, repair, used_outside};
use super::with_preheaders;
use crate::analysis::{FastMap, FastSet, NaturalLoop};
use crate::fold::fold;
use crate::ir::*;

/// Maximum size, in instructions, of an unrolled loop without a pragma.
const AUTOMATIC_SIZE: usize = 400;

/// Maximum size of an unrolled loop with `#pragma unroll`.
const LARGEST_SIZE: usize = 16 * 1024;

/// Maximum number of iterations of a loop that is unrolled.
const MOST_ITERATIONS: usize = 1024;

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
            let limit = match function.block(natural.header).unroll {
                UnrollHint::Automatic => AUTOMATIC_SIZE,
                UnrollHint::Full => LARGEST_SIZE,
                UnrollHint::Count(1) => continue,
                UnrollHint::Count(count) => {
                    (count as usize).saturating_mul(size + 1).min(LARGEST_SIZE)
                }
            };
            let most = (limit / (size + 1)).min(MOST_ITERATIONS);
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

/// The trip count of a loop, up to `most`. Found by evaluating the exit condition with constants.
fn trip_count(
    function: &mut SsaFunction,
    natural: &NaturalLoop,
    before: BlockId,
    most: usize,
) -> Option<usize> {
    let [latch] = natural.latches[..] else { return None };
    let BlockTerminator::Branch(condition, yes, no) = function.block(latch).terminator.clone()
    else {
        return None;
    };
    let (again, stays_if) = if yes.block == natural.header && !natural.contains(no.block) {
        (yes, 1)
    } else if no.block == natural.header && !natural.contains(yes.block) {
        (no, 0)
    } else {
        return None;
    };
    let BlockTerminator::Jump(entry) = function.block(before).terminator.clone() else {
        return None;
    };
    let parameters = function.block(natural.header).parameters.clone();
    let mut known: FastMap<ValueId, ValueId> = FastMap::default();
    for (parameter, argument) in parameters.iter().zip(&entry.arguments) {
        if function.as_constant(*argument).is_some() {
            known.insert(*parameter, function.resolve(*argument));
        }
    }
    for count in 1..=most {
        let mut values = known.clone();
        let stays = evaluate(function, condition, &mut values, 0)?;
        if function.as_constant(stays) != Some(stays_if) {
            return Some(count);
        }
        known.clear();
        for (parameter, argument) in parameters.iter().zip(&again.arguments) {
            if let Some(value) = evaluate(function, *argument, &mut values, 0) {
                known.insert(*parameter, value);
            }
        }
    }
    None
}

/// Evaluates a value, given constants for the values in `known`; `None` if it is not constant.
fn evaluate(
    function: &mut SsaFunction,
    value: ValueId,
    known: &mut FastMap<ValueId, ValueId>,
    depth: u32,
) -> Option<ValueId> {
    let value = function.resolve(value);
    if function.as_constant(value).is_some() {
        return Some(value);
    }
    if let Some(constant) = known.get(&value) {
        return Some(*constant);
    }
    let (_, data) = function.defining(value)?;
    let data = data.clone();
    if depth > 16 || data.arguments.is_empty() || data.results.len() != 1 {
        return None;
    }
    let arguments: Option<Vec<ValueId>> =
        data.arguments.iter().map(|a| evaluate(function, *a, known, depth + 1)).collect();
    let ty = function.value_type(value);
    let constant = fold(function, &data.kind, &arguments?, ty)?;
    known.insert(value, constant);
    Some(constant)
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
