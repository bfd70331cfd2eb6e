//! Rotates loops: a condition at the top is tested once before the loop and then at the bottom, which saves a jump per
//! iteration and makes the body run at least once.

use super::clone::{ValueMap, clone_instruction, mapped, repair, used_outside};
use super::{LoopGraph, preheader};
use crate::analysis::KindEffects;
use crate::ir::*;

/// The most instructions of a condition that is copied.
const LARGEST_CONDITION: usize = 24;

/// Rotates all loops that test at the top.
pub(in crate::passes) fn rotate_loops(function: &mut SsaFunction) {
    let mut done = Vec::new();
    loop {
        let graph = LoopGraph::new(function);
        let next = graph.forest.loops.iter().rev().find(|natural| {
            !done.contains(&natural.header)
                && !natural.latches.contains(&natural.header)
                && tests_at_top(function, &natural.blocks, natural.header)
        });
        let Some(natural) = next.cloned() else { break };
        done.push(natural.header);
        let before = preheader(function, &graph.flow, &natural);
        rotate(function, before, natural.header, &natural.blocks);
    }
}

fn tests_at_top(function: &SsaFunction, blocks: &[BlockId], header: BlockId) -> bool {
    let data = function.block(header);
    let BlockTerminator::Branch(_, yes, no) = &data.terminator else { return false };
    let leaves = blocks.contains(&yes.block) != blocks.contains(&no.block);
    leaves
        && data.instructions.len() <= LARGEST_CONDITION
        && data
            .instructions
            .iter()
            .all(|id| !KindEffects::of(&function.instruction(*id).kind).convergent)
}

fn rotate(function: &mut SsaFunction, before: BlockId, header: BlockId, blocks: &[BlockId]) {
    // A new block between the condition and the body is the new header.
    let body = function.add_block();
    let hint = std::mem::take(&mut function.block_mut(header).unroll);
    let position = function.block(header).position;
    function.block_mut(body).position = position;
    function.block_mut(body).unroll = hint;
    let mut terminator = std::mem::take(&mut function.block_mut(header).terminator);
    for target in terminator.targets_mut() {
        if blocks.contains(&target.block) {
            let call = std::mem::replace(target, body.into());
            function.block_mut(body).terminator = BlockTerminator::Jump(call);
        }
    }
    function.block_mut(header).terminator = terminator;
    // The copy of the condition before the loop.
    let BlockTerminator::Jump(entry) = function.block(before).terminator.clone() else { return };
    let mut values = ValueMap::new();
    for (parameter, argument) in
        function.block(header).parameters.clone().into_iter().zip(entry.arguments)
    {
        values.insert(parameter, function.resolve(argument));
    }
    for id in function.block(header).instructions.clone() {
        let new = clone_instruction(function, id, &mut values);
        function.block_mut(before).instructions.push(new);
    }
    let mut terminator = function.block(header).terminator.clone();
    terminator.map_values(&mut |value| mapped(function, &values, value));
    function.block_mut(before).terminator = terminator;
    let outside = used_outside(function, &[header]);
    let definitions: Vec<_> = outside
        .into_iter()
        .map(|value| (value, vec![(header, value), (before, mapped(function, &values, value))]))
        .collect();
    repair(function, &definitions);
}
