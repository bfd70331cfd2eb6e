//! Rotates loops: a condition at the top is tested once before the loop and then at the bottom. This saves a jump per
//! iteration, and guarantees that the body runs at least once.

use super::clone::{ValueMap, clone_blocks, escaping, mapped, repair};
use super::with_preheaders;
use crate::analysis::{FastMap, KindEffects};
use crate::ir::*;

/// Maximum number of instructions of a condition that is copied.
const LARGEST_CONDITION: usize = 24;

/// Rotates all loops that test their condition at the top.
pub(crate) fn rotate_loops(function: &mut SsaFunction) {
    let graph = with_preheaders(function);
    // By copied header: the block with the copy, and the copies of its values.
    let mut copies: FastMap<BlockId, (BlockId, ValueMap)> = FastMap::default();
    for natural in &graph.forest.loops {
        let header = natural.header;
        if !natural.latches.contains(&header)
            && tests_at_top(function, &natural.blocks, header)
            && let Some(before) = natural.preheader(function, &graph.flow)
        {
            copies.insert(header, rotate(function, before, header, &natural.blocks));
        }
    }
    let definitions: Vec<_> =
        escaping(function, &|block| copies.contains_key(&block).then_some(block))
            .into_iter()
            .map(|(value, header)| {
                let (copy, values) = &copies[&header];
                (value, vec![(header, value), (*copy, mapped(function, values, value))])
            })
            .collect();
    repair(function, &definitions);
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

/// Copies the condition to before the loop. Returns the block of the copy, and the copies of its values.
fn rotate(
    function: &mut SsaFunction,
    before: BlockId,
    header: BlockId,
    blocks: &[BlockId],
) -> (BlockId, ValueMap) {
    // A new block between the condition and the body becomes the new header.
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
    // Copy the condition to before the loop. Its parameters keep values of other loops' headers out of it.
    let mut values = ValueMap::default();
    let copy = clone_blocks(function, &[header], &mut values)[&header];
    for target in function.block_mut(before).terminator.targets_mut() {
        target.block = copy;
    }
    (copy, values)
}
