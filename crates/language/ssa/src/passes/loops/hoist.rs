//! Moves loop-invariant instructions to before the loop.

use super::{LoopGraph, with_preheaders};
use crate::analysis::{AliasAnalysis, FastSet, KindEffects, NaturalLoop};
use crate::ir::*;

/// Hoists from all loops, innermost first.
pub(crate) fn hoist_invariants(function: &mut SsaFunction) {
    let graph = with_preheaders(function);
    let aliases = AliasAnalysis::new(function, &graph.flow);
    for natural in graph.forest.loops.iter().rev() {
        hoist(function, &graph, &aliases, natural);
    }
}

fn hoist(
    function: &mut SsaFunction,
    graph: &LoopGraph,
    aliases: &AliasAnalysis,
    natural: &NaturalLoop,
) {
    let Some(before) = natural.preheader(function, &graph.flow) else { return };
    let (blocks, header) = (&natural.blocks, natural.header);
    let mut variant: FastSet<ValueId> = FastSet::default();
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
        // Loads may fault, so hoist them only from blocks that run in every iteration.
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
        function.block_mut(before).instructions.extend(moved);
    }
}

/// Whether an instruction costs nothing in its place: it is an offset in an address.
fn is_free(function: &SsaFunction, kind: &InstructionKind, arguments: &[ValueId]) -> bool {
    *kind == InstructionKind::PointerAdd && function.as_constant(arguments[1]).is_some()
}
