//! Lowers what PTX does not support: switches, and branches that pass arguments.

use crate::analysis::{ControlFlow, Dominators, LoopForest};
use crate::ir::*;

/// Prepares a function for the PTX writer.
pub(super) fn legalize(function: &mut SsaFunction) {
    for block in ControlFlow::new(function).order {
        lower_switch(function, block);
    }
    split_edges(function);
}

/// Lowers a switch to a binary search by comparisons.
fn lower_switch(function: &mut SsaFunction, block: BlockId) {
    if !matches!(function.block(block).terminator, BlockTerminator::Switch(..)) {
        return;
    }
    let terminator = std::mem::take(&mut function.block_mut(block).terminator);
    let BlockTerminator::Switch(value, mut cases, default) = terminator else { return };
    let ty = function.value_type(value);
    cases.iter_mut().for_each(|(case, _)| *case &= ty.mask());
    cases.sort_by_key(|(case, _)| *case);
    let mut work = vec![(block, cases)];
    while let Some((block, cases)) = work.pop() {
        let position = function.block(block).position;
        let compare = |function: &mut SsaFunction, condition, case: u64| {
            let case = function.constant(ty, case);
            let kind = InstructionKind::CompareIntegers(condition);
            let id = function.add_instruction(kind, vec![value, case], &[ValueType::I1], position);
            function.block_mut(block).instructions.push(id);
            function.instruction(id).results[0]
        };
        let next_block = |function: &mut SsaFunction| {
            let next = function.add_block();
            function.block_mut(next).position = position;
            next
        };
        function.block_mut(block).terminator = match cases.as_slice() {
            [] => BlockTerminator::Jump(default.clone()),
            [(case, target)] => {
                let condition = compare(function, IntegerCondition::Equal, *case);
                BlockTerminator::Branch(condition, target.clone(), default.clone())
            }
            [(case, target), rest @ ..] if cases.len() <= 3 => {
                let condition = compare(function, IntegerCondition::Equal, *case);
                let next = next_block(function);
                work.push((next, rest.to_vec()));
                BlockTerminator::Branch(condition, target.clone(), next.into())
            }
            _ => {
                let middle = cases.len() / 2;
                let condition = compare(function, IntegerCondition::LessUnsigned, cases[middle].0);
                let (low, high) = (next_block(function), next_block(function));
                work.push((low, cases[..middle].to_vec()));
                work.push((high, cases[middle..].to_vec()));
                BlockTerminator::Branch(condition, low.into(), high.into())
            }
        };
    }
}

/// Moves every branch argument to a new block with a jump, except for the branch at the end of a loop.
fn split_edges(function: &mut SsaFunction) {
    let flow = ControlFlow::new(function);
    let loops = LoopForest::new(&flow, &Dominators::new(&flow));
    for block in &flow.order {
        if !matches!(function.block(*block).terminator, BlockTerminator::Branch(..)) {
            continue;
        }
        let before = header_to_pass(function, &loops, *block);
        let mut terminator = std::mem::take(&mut function.block_mut(*block).terminator);
        let position = function.block(*block).position;
        for target in terminator.targets_mut() {
            if target.arguments.is_empty() || Some(target.block) == before {
                continue;
            }
            let edge = function.add_block();
            let call = std::mem::replace(target, edge.into());
            let data = function.block_mut(edge);
            data.terminator = BlockTerminator::Jump(call);
            data.position = position;
        }
        function.block_mut(*block).terminator = terminator;
    }
}

/// The loop header whose parameters a branch may set before branching: the other side leaves the loop, and neither
/// its arguments nor any code after the loop reads these parameters.
fn header_to_pass(function: &SsaFunction, loops: &LoopForest, block: BlockId) -> Option<BlockId> {
    let BlockTerminator::Branch(condition, yes, no) = &function.block(block).terminator else {
        return None;
    };
    let natural = &loops.loops[loops.innermost[block.index()]?];
    let header = natural.header;
    let exit = if yes.block == header { no } else { yes };
    let parameters = &function.block(header).parameters;
    let is_read = |value: ValueId| parameters.contains(&value);
    let leaves = yes.block != no.block
        && (yes.block == header || no.block == header)
        && !natural.contains(exit.block)
        && !is_read(*condition)
        && !exit.arguments.iter().any(|argument| is_read(*argument))
        && function.block_ids().filter(|other| !natural.contains(*other)).all(|other| {
            let data = function.block(other);
            let read = data.instructions.iter().flat_map(|id| &function.instruction(*id).arguments);
            !read.copied().chain(data.terminator.values()).any(is_read)
        });
    leaves.then_some(header)
}
