//! Loop passes. This file rotates loops and hoists loop-invariant instructions to before the loop.
//!
//! Rotation: a condition at the top is tested once before the loop and then at the bottom. This saves a jump per
//! iteration, and guarantees that the body runs at least once.

mod evolution;
mod strength;
mod trips;
mod unroll;

pub(super) use strength::reduce_addresses;
pub(super) use unroll::unroll_fully;
pub(super) use unroll::unroll_partially;

use super::edit::{ValueMap, clone_blocks, escaping, mapped, repair};
use crate::analysis::{
    AliasAnalysis, ControlFlow, Dominators, FastMap, FastSet, KindEffects, LoopForest, NaturalLoop,
};
use crate::ir::*;

/// The loops of a function and its control-flow graph.
struct LoopGraph {
    flow: ControlFlow,
    dominators: Dominators,
    forest: LoopForest,
}

impl LoopGraph {
    fn new(function: &SsaFunction) -> LoopGraph {
        let flow = ControlFlow::new(function);
        let dominators = Dominators::new(&flow);
        let forest = LoopForest::new(&flow, &dominators);
        LoopGraph { flow, dominators, forest }
    }
}

/// Gives each loop of a function a preheader, and returns the loops.
fn with_preheaders(function: &mut SsaFunction) -> LoopGraph {
    let graph = LoopGraph::new(function);
    let count = function.blocks.len();
    for natural in &graph.forest.loops {
        preheader(function, &graph.flow, natural);
    }
    if function.blocks.len() == count { graph } else { LoopGraph::new(function) }
}

/// Creates the only block from which a loop is entered, if the loop does not have one. If this changes the
/// graph, the loop's own blocks do not change.
fn preheader(function: &mut SsaFunction, flow: &ControlFlow, natural: &NaturalLoop) -> BlockId {
    if let Some(block) = natural.preheader(function, flow) {
        return block;
    }
    let header = natural.header;
    let new = function.add_block();
    let outside: Vec<BlockId> = flow.predecessors[header.index()]
        .iter()
        .copied()
        .filter(|b| !natural.contains(*b))
        .collect();
    let edges: Vec<BlockCall> = outside
        .iter()
        .flat_map(|from| function.block(*from).terminator.targets())
        .filter(|target| target.block == header)
        .cloned()
        .collect();
    // An argument that all edges pass, such as the counter's first value, moves to the new block's jump. The others are
    // merged by the block's parameters.
    let mut merged = Vec::new();
    let mut arguments = Vec::new();
    for (index, parameter) in function.block(header).parameters.clone().into_iter().enumerate() {
        let mut passed = edges.iter().map(|edge| function.resolve(edge.arguments[index]));
        let first = passed.next();
        arguments.push(match first.filter(|first| passed.all(|other| other == *first)) {
            Some(same) => same,
            None => {
                merged.push(index);
                let ty = function.value_type(parameter);
                function.add_block_parameter(new, ty)
            }
        });
    }
    let position = function.block(header).position;
    let data = function.block_mut(new);
    data.terminator = BlockTerminator::Jump(BlockCall { block: header, arguments });
    data.position = position;
    for from in outside {
        for target in function.block_mut(from).terminator.targets_mut() {
            if target.block == header {
                target.block = new;
                target.arguments = merged.iter().map(|at| target.arguments[*at]).collect();
            }
        }
    }
    new
}

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
                InstructionKind::Store(flags) => {
                    clobbers |= flags.volatile;
                    let size =
                        bytes(instruction.arguments[1]) * (instruction.arguments.len() as u64 - 1);
                    stores.push(aliases.range(function, instruction.arguments[0], size));
                }
                InstructionKind::CopyMemory { size, .. }
                | InstructionKind::FillMemory { size, .. } => {
                    stores.push(aliases.range(function, instruction.arguments[0], size));
                }
                ref kind => {
                    if let InstructionKind::Atomic { .. } = kind {
                        let size = bytes(instruction.results[0]);
                        stores.push(aliases.range(function, instruction.arguments[0], size));
                    }
                    clobbers |= KindEffects::of(kind).writes;
                }
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
                InstructionKind::Integer { op, .. } if op.divides() && function.division_faults => {
                    function.as_constant(data.arguments[1]).is_some_and(|by| by != 0)
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
