//! Moves loop-invariant instructions before the loop.

use super::{LoopGraph, preheader};
use crate::analysis::{AliasAnalysis, KindEffects};
use crate::ir::*;
use std::collections::HashSet;

/// Hoists from all loops, inner loops first.
pub(in crate::passes) fn hoist_invariants(function: &mut SsaFunction) {
    let count = LoopGraph::new(function).forest.loops.len();
    for index in (0..count).rev() {
        // Preheaders change the graph, not the number and order of loops.
        let graph = LoopGraph::new(function);
        if let Some(natural) = graph.forest.loops.get(index) {
            hoist(function, &graph, &natural.blocks.clone(), natural.header, index);
        }
    }
}

fn hoist(
    function: &mut SsaFunction,
    graph: &LoopGraph,
    blocks: &[BlockId],
    header: BlockId,
    index: usize,
) {
    let natural = &graph.forest.loops[index];
    let aliases = AliasAnalysis::new(function, &graph.flow);
    let mut variant: HashSet<ValueId> = HashSet::new();
    let mut stores = Vec::new();
    let mut clobbers = false;
    for block in blocks {
        let data = function.block(*block);
        variant.extend(data.parameters.iter().copied());
        for id in &data.instructions {
            let instruction = function.instruction(*id);
            variant.extend(instruction.results.iter().copied());
            let bytes = |value: ValueId| u64::from(function.value_type(value).bytes());
            match instruction.kind {
                InstructionKind::Store(flags) if !flags.volatile => {
                    let size =
                        bytes(instruction.arguments[1]) * (instruction.arguments.len() as u64 - 1);
                    stores.push(aliases.range(function, instruction.arguments[0], size));
                }
                ref kind => clobbers |= KindEffects::of(kind).writes,
            }
        }
    }
    let exits = natural.exits(function);
    let mut moved = Vec::new();
    for block in blocks {
        // Loads may fault, so they are hoisted only from blocks that every iteration runs.
        let always = exits.iter().all(|(from, _)| graph.dominators.dominates(*block, *from))
            && natural.latches.iter().all(|latch| graph.dominators.dominates(*block, *latch))
            && (*block == header || exits.iter().all(|(from, _)| natural.latches.contains(from)));
        let mut kept = Vec::new();
        for id in std::mem::take(&mut function.block_mut(*block).instructions) {
            let data = function.instruction(id);
            let invariant = data.arguments.iter().all(|a| !variant.contains(&function.resolve(*a)));
            let may_move = match data.kind {
                InstructionKind::Load(flags) if !flags.volatile && always => {
                    let size =
                        data.results.iter().map(|r| u64::from(function.value_type(*r).bytes()));
                    let range = aliases.range(function, data.arguments[0], size.sum());
                    let private = aliases.is_private(function, data.arguments[0]);
                    flags.invariant
                        || (!clobbers || private)
                            && !stores.iter().any(|store| aliases.may_alias(store, &range))
                }
                ref kind => {
                    KindEffects::of(kind).is_movable() && !is_free(function, kind, &data.arguments)
                }
            };
            if invariant && may_move {
                for result in &data.results {
                    variant.remove(result);
                }
                moved.push(id);
            } else {
                kept.push(id);
            }
        }
        function.block_mut(*block).instructions = kept;
    }
    if !moved.is_empty() {
        let before = preheader(function, &graph.flow, natural);
        function.block_mut(before).instructions.extend(moved);
    }
}

/// Whether an instruction costs nothing where it is: an offset in an address.
fn is_free(function: &SsaFunction, kind: &InstructionKind, arguments: &[ValueId]) -> bool {
    *kind == InstructionKind::PointerAdd && function.as_constant(arguments[1]).is_some()
}
