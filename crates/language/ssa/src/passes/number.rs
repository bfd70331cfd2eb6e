//! Common subexpressions: value numbering along the dominator tree, and loads of values that are known.
//!
//! Algorithm: scoped hash tables over the dominator tree (Briggs, Cooper and Simpson, "Value Numbering", 1997). What memory
//! holds is known within extended basic blocks only: it is forgotten where paths meet.

use super::edit::resolve_aliases;
use crate::analysis::{AliasAnalysis, ControlFlow, Dominators, KindEffects, MemoryRange};
use crate::ir::*;
use std::collections::HashMap;

type ExpressionKey = (InstructionKind, Vec<ValueId>, ValueType);

/// A value that memory holds.
#[derive(Clone)]
struct KnownMemory {
    pointer: ValueId,
    range: MemoryRange,
    value: ValueId,
}

/// Replaces instructions by equal values computed before.
pub(super) fn number_values(function: &mut SsaFunction) {
    let flow = ControlFlow::new(function);
    if flow.order.is_empty() {
        return;
    }
    let dominators = Dominators::new(&flow);
    let aliases = AliasAnalysis::new(function, &flow);
    let mut table: HashMap<ExpressionKey, Vec<ValueId>> = HashMap::new();
    // A block to enter with what memory holds, or keys to forget.
    enum Step {
        Enter(BlockId, Vec<KnownMemory>),
        Leave(Vec<ExpressionKey>),
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
            if !reuse_memory(function, &aliases, id, &mut memory)
                && !reuse_expression(function, id, &mut table, &mut keys)
            {
                kept.push(id);
            }
        }
        function.block_mut(block).instructions = kept;
        stack.push(Step::Leave(keys));
        for child in &dominators.children[block.index()] {
            // What memory holds is known at the end of the only predecessor.
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
    table: &mut HashMap<ExpressionKey, Vec<ValueId>>,
    keys: &mut Vec<ExpressionKey>,
) -> bool {
    let data = function.instruction(id);
    let is_constant_load =
        matches!(&data.kind, InstructionKind::Load(flags) if flags.invariant && !flags.volatile);
    if !KindEffects::of(&data.kind).is_movable() && !is_constant_load {
        return false;
    }
    let [result] = data.results[..] else { return false };
    let mut arguments = data.arguments.clone();
    let commutes = matches!(
        data.kind,
        InstructionKind::Integer {
            op: IntegerBinary::Add
                | IntegerBinary::Multiply
                | IntegerBinary::And
                | IntegerBinary::Or
                | IntegerBinary::Xor,
            ..
        } | InstructionKind::Float { op: FloatArithmetic::Add | FloatArithmetic::Multiply, .. }
    );
    if commutes {
        arguments.sort();
    }
    // Equal values that differ in what overflow means: the first one is used for both only if it promises no more.
    let kind = match &data.kind {
        InstructionKind::Integer { op, .. } => InstructionKind::Integer { op: *op, no_wrap: false },
        kind => kind.clone(),
    };
    let key = (kind, arguments, function.value_type(result));
    let values = table.entry(key.clone()).or_default();
    if let Some(value) = values.last().copied() {
        let promises =
            |kind: &InstructionKind| matches!(kind, InstructionKind::Integer { no_wrap: true, .. });
        let here = promises(&function.instruction(id).kind);
        if let Some((first, data)) = function.defining(value)
            && promises(&data.kind)
            && !here
            && let InstructionKind::Integer { no_wrap, .. } =
                &mut function.instruction_mut(first).kind
        {
            *no_wrap = false;
        }
        function.replace(result, value);
        return true;
    }
    values.push(result);
    keys.push(key);
    false
}

/// Replaces a load by the value memory is known to hold, and notes what an instruction does to memory.
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
        InstructionKind::Store(flags) if !flags.volatile => {
            let pointer = data.arguments[0];
            let bytes = size(function, data.arguments[1]);
            let count = data.arguments.len() as u64 - 1;
            let written = aliases.range(function, pointer, bytes * count);
            memory.retain(|known| !aliases.may_alias(&known.range, &written));
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
            // Slots whose address nothing else has stay as they are.
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
