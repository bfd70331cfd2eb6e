//! Common subexpression elimination: value numbering along the dominator tree, and forwarding of known
//! memory contents to loads.
//!
//! Algorithm: scoped hash tables over the dominator tree (Briggs, Cooper and Simpson, "Value Numbering", 1997). Memory
//! contents are tracked only within extended basic blocks, and forgotten where paths meet.

use super::edit::resolve_aliases;
use crate::analysis::{
    AliasAnalysis, ControlFlow, Dominators, FastMap, KindEffects, MemoryRange, NumberHasher,
};
use crate::ir::*;
use std::hash::{Hash, Hasher};

/// Maximum number of memory contents remembered.
const REMEMBERED: usize = 64;

/// By hash: the values computed so far, innermost scope last.
type ExpressionTable = FastMap<u64, Vec<ValueId>>;

/// A value that memory is known to hold.
#[derive(Clone)]
struct KnownMemory {
    pointer: ValueId,
    range: MemoryRange,
    value: ValueId,
}

/// Replaces instructions by equal values that were computed before.
pub(super) fn number_values(function: &mut SsaFunction) {
    let flow = ControlFlow::new(function);
    if flow.order.is_empty() {
        return;
    }
    let dominators = Dominators::new(&flow);
    let aliases = AliasAnalysis::new(function, &flow);
    let mut table = ExpressionTable::default();
    // Either a block to enter with known memory contents, or hashes whose last values leave the scope.
    enum Step {
        Enter(BlockId, Vec<KnownMemory>),
        Leave(Vec<u64>),
    }
    let mut stack = vec![Step::Enter(SsaFunction::ENTRY, Vec::new())];
    while let Some(step) = stack.pop() {
        let (block, mut memory) = match step {
            Step::Enter(block, memory) => (block, memory),
            Step::Leave(keys) => {
                for key in keys {
                    if let Some(values) = table.get_mut(&key) {
                        values.pop();
                    }
                }
                continue;
            }
        };
        if flow.predecessors[block.index()].len() > 1 {
            memory.clear();
        }
        let mut keys = Vec::new();
        let mut kept = Vec::new();
        for id in std::mem::take(&mut function.block_mut(block).instructions) {
            let mut arguments = std::mem::take(&mut function.instruction_mut(id).arguments);
            arguments.iter_mut().for_each(|value| *value = function.resolve(*value));
            function.instruction_mut(id).arguments = arguments;
            if memory.len() > REMEMBERED {
                memory.drain(..memory.len() - REMEMBERED);
            }
            if !reuse_memory(function, &aliases, id, &mut memory)
                && !reuse_expression(function, id, &mut table, &mut keys)
            {
                kept.push(id);
            }
        }
        function.block_mut(block).instructions = kept;
        stack.push(Step::Leave(keys));
        for child in &dominators.children[block.index()] {
            // The memory contents are known if `block` is the only predecessor.
            let follows = flow.predecessors[child.index()] == [block];
            let memory = if follows { memory.clone() } else { Vec::new() };
            stack.push(Step::Enter(*child, memory));
        }
    }
    resolve_aliases(function);
}

/// Replaces the result of a movable instruction by an equal one.
fn reuse_expression(
    function: &mut SsaFunction,
    id: InstructionId,
    table: &mut ExpressionTable,
    hashes: &mut Vec<u64>,
) -> bool {
    let data = function.instruction(id);
    let is_constant_load =
        matches!(&data.kind, InstructionKind::Load(flags) if flags.invariant && !flags.volatile);
    if !KindEffects::of(&data.kind).is_movable() && !is_constant_load {
        return false;
    }
    let [result] = data.results[..] else { return false };
    let hash = hash(function, data, result);
    let known = table.entry(hash).or_default();
    let equal = known.iter().rev().copied().find(|value| {
        function.defining(*value).is_some_and(|(_, other)| {
            let types = function.value_type(*value) == function.value_type(result);
            types && is_equal(data, other)
        })
    });
    let Some(value) = equal else {
        known.push(result);
        hashes.push(hash);
        return false;
    };
    // Equal values may differ in their overflow flags. The remaining one promises only what both promise.
    let promises =
        |kind: &InstructionKind| matches!(kind, InstructionKind::Integer { no_wrap: true, .. });
    let here = promises(&data.kind);
    let first = function.defining(value).map(|(first, _)| first);
    if let Some(first) = first
        && !here
        && let InstructionKind::Integer { no_wrap, .. } = &mut function.instruction_mut(first).kind
    {
        *no_wrap = false;
    }
    function.replace(result, value);
    true
}

/// Whether exchanging two operands makes no difference.
fn commutes(kind: &InstructionKind) -> bool {
    use IntegerBinary::*;
    match kind {
        InstructionKind::Integer { op, .. } => matches!(op, Add | Multiply | And | Or | Xor),
        InstructionKind::Float { op, .. } => {
            matches!(op, FloatArithmetic::Add | FloatArithmetic::Multiply)
        }
        _ => false,
    }
}

fn hash(function: &SsaFunction, data: &InstructionData, result: ValueId) -> u64 {
    let mut hasher = NumberHasher::default();
    match &data.kind {
        InstructionKind::Integer { op, .. } => op.hash(&mut hasher),
        kind => kind.hash(&mut hasher),
    }
    function.value_type(result).hash(&mut hasher);
    if let (true, [a, b]) = (commutes(&data.kind), &data.arguments[..]) {
        (a.min(b), a.max(b)).hash(&mut hasher);
    } else {
        data.arguments.hash(&mut hasher);
    }
    hasher.finish()
}

/// Whether two instructions compute the same value, assuming that no integer overflows.
fn is_equal(a: &InstructionData, b: &InstructionData) -> bool {
    let kinds = match (&a.kind, &b.kind) {
        (InstructionKind::Integer { op: x, .. }, InstructionKind::Integer { op: y, .. }) => x == y,
        (x, y) => x == y,
    };
    let arguments = a.arguments == b.arguments
        || commutes(&a.kind) && a.arguments.iter().rev().eq(b.arguments.iter());
    kinds && arguments
}

/// Replaces a load by the value that memory is known to hold, and records what an instruction does to memory.
fn reuse_memory(
    function: &mut SsaFunction,
    aliases: &AliasAnalysis,
    id: InstructionId,
    memory: &mut Vec<KnownMemory>,
) -> bool {
    let data = function.instruction(id).clone();
    let size =
        |function: &SsaFunction, value: ValueId| u64::from(function.value_type(value).bytes());
    match data.kind {
        InstructionKind::Load(flags) if !flags.volatile => {
            let pointer = data.arguments[0];
            let bytes = size(function, data.results[0]);
            let mut known = Vec::new();
            for (index, result) in data.results.iter().enumerate() {
                let at = offset_range(function, aliases, pointer, bytes, index as u64);
                known.extend(memory.iter().find(|known| {
                    known.range.is_same(&at)
                        && function.value_type(known.value) == function.value_type(*result)
                }));
            }
            if known.len() == data.results.len() {
                let values: Vec<ValueId> = known.iter().map(|known| known.value).collect();
                for (result, value) in data.results.iter().zip(values) {
                    function.replace(*result, value);
                }
                return true;
            }
            for (index, result) in data.results.iter().enumerate() {
                let range = offset_range(function, aliases, pointer, bytes, index as u64);
                memory.push(KnownMemory { pointer, range, value: *result });
            }
        }
        InstructionKind::Store(flags) => {
            let pointer = data.arguments[0];
            let bytes = size(function, data.arguments[1]);
            let count = data.arguments.len() as u64 - 1;
            let written = aliases.range(function, pointer, bytes * count);
            memory.retain(|known| {
                !aliases.may_alias(&known.range, &written)
                    && (!flags.volatile || aliases.is_private(function, known.pointer))
            });
            if flags.volatile {
                return false;
            }
            for (index, value) in data.arguments[1..].iter().enumerate() {
                let range = offset_range(function, aliases, pointer, bytes, index as u64);
                memory.push(KnownMemory { pointer, range, value: *value });
            }
        }
        InstructionKind::Atomic { .. } => {
            let written =
                aliases.range(function, data.arguments[0], size(function, data.results[0]));
            memory.retain(|known| !aliases.may_alias(&known.range, &written));
        }
        InstructionKind::CopyMemory { size, .. } | InstructionKind::FillMemory { size, .. } => {
            let written = aliases.range(function, data.arguments[0], size);
            memory.retain(|known| !aliases.may_alias(&known.range, &written));
        }
        ref kind if KindEffects::of(kind).writes => {
            // Private slots keep their contents.
            memory.retain(|known| aliases.is_private(function, known.pointer));
        }
        _ => {}
    }
    false
}

fn offset_range(
    function: &SsaFunction,
    aliases: &AliasAnalysis,
    pointer: ValueId,
    bytes: u64,
    index: u64,
) -> MemoryRange {
    aliases.range(function, pointer, bytes).moved(bytes * index)
}
