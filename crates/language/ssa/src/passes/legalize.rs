//! Replaces what PTX does not have: switches, copies of memory, and branches that pass arguments.

use super::edit::split_block;
use crate::analysis::ControlFlow;
use crate::ir::*;

/// The most accesses a copy or fill becomes; a larger one becomes a loop.
const MOST_ACCESSES: u64 = 32;

/// Makes a function ready for the PTX writer.
pub(super) fn legalize(function: &mut SsaFunction) {
    for block in ControlFlow::new(function).order {
        lower_switch(function, block);
    }
    split_edges(function);
}

/// Replaces copies and fills by loads and stores, so that later passes see these.
pub(super) fn lower_copies(function: &mut SsaFunction) {
    for block in ControlFlow::new(function).order {
        let mut block = block;
        let mut index = 0;
        while let Some(id) = function.block(block).instructions.get(index).copied() {
            index += 1;
            let instruction = function.instruction(id).clone();
            let (size, align) = match instruction.kind {
                InstructionKind::CopyMemory { size, align }
                | InstructionKind::FillMemory { size, align, .. } => (size, align),
                _ => continue,
            };
            index -= 1;
            function.block_mut(block).instructions.remove(index);
            let unit = u64::from(align.clamp(1, 8));
            if size / unit + size % unit <= MOST_ACCESSES {
                let mut code = Vec::new();
                let mut offset = 0;
                while offset < size {
                    let bytes = prefix_power(unit.min(size - offset));
                    let at = |f: &mut SsaFunction| f.constant(ValueType::I64, offset);
                    let at = at(function);
                    copy_unit(function, &instruction, at, bytes, &mut code);
                    offset += bytes;
                }
                let count = code.len();
                function.block_mut(block).instructions.splice(index..index, code);
                index += count;
            } else {
                block = copy_loop(function, block, index, &instruction, size, unit);
                index = 0;
            }
        }
    }
}

/// The largest power of two that is at most `n`.
fn prefix_power(n: u64) -> u64 {
    1 << n.ilog2()
}

/// Copies or fills `bytes` bytes at an offset.
fn copy_unit(
    function: &mut SsaFunction,
    instruction: &InstructionData,
    offset: ValueId,
    bytes: u64,
    code: &mut Vec<InstructionId>,
) {
    let position = instruction.position;
    let ty = ValueType::integer(8 * bytes as u32).unwrap_or(ValueType::I8);
    let flags = MemoryFlags::aligned(bytes as u32);
    let address = |function: &mut SsaFunction, base: ValueId, code: &mut Vec<InstructionId>| {
        if function.as_constant(offset) == Some(0) {
            return base;
        }
        let pointer = function.value_type(base);
        let mut offset = offset;
        if pointer.bytes() == 4 {
            offset = match function.as_constant(offset) {
                Some(bits) => function.constant(ValueType::I32, bits),
                None => {
                    let kind = InstructionKind::Convert(ValueConversion::Truncate);
                    let id =
                        function.add_instruction(kind, vec![offset], &[ValueType::I32], position);
                    code.push(id);
                    function.instruction(id).results[0]
                }
            };
        }
        let kind = InstructionKind::PointerAdd;
        let id = function.add_instruction(kind, vec![base, offset], &[pointer], position);
        code.push(id);
        function.instruction(id).results[0]
    };
    let value = match instruction.kind {
        InstructionKind::FillMemory { byte, .. } => {
            function.constant(ty, u64::from_ne_bytes([byte; 8]))
        }
        _ => {
            let from = address(function, instruction.arguments[1], code);
            let load = InstructionKind::Load(flags);
            let id = function.add_instruction(load, vec![from], &[ty], position);
            code.push(id);
            function.instruction(id).results[0]
        }
    };
    let to = address(function, instruction.arguments[0], code);
    let store = InstructionKind::Store(flags);
    code.push(function.add_instruction(store, vec![to, value], &[], position));
}

/// A loop over units; bytes that are left are copied after it. Returns the block after it.
fn copy_loop(
    function: &mut SsaFunction,
    block: BlockId,
    index: usize,
    instruction: &InstructionData,
    size: u64,
    unit: u64,
) -> BlockId {
    let rest = split_block(function, block, index);
    let body = function.add_block();
    let offset = function.add_block_parameter(body, ValueType::I64);
    let zero = function.constant(ValueType::I64, 0);
    let position = instruction.position;
    function.block_mut(block).terminator =
        BlockTerminator::Jump(BlockCall { block: body, arguments: vec![zero] });
    let mut code = Vec::new();
    copy_unit(function, instruction, offset, unit, &mut code);
    let step = function.constant(ValueType::I64, unit);
    let add = InstructionKind::Integer { op: IntegerBinary::Add, no_wrap: true };
    let id = function.add_instruction(add, vec![offset, step], &[ValueType::I64], position);
    code.push(id);
    let next = function.instruction(id).results[0];
    let end = function.constant(ValueType::I64, size / unit * unit);
    let less = InstructionKind::CompareIntegers(IntegerCondition::LessUnsigned);
    let id = function.add_instruction(less, vec![next, end], &[ValueType::I1], position);
    code.push(id);
    let condition = function.instruction(id).results[0];
    let data = function.block_mut(body);
    data.instructions = code;
    data.position = position;
    data.unroll = UnrollHint::Count(1);
    let again = BlockCall { block: body, arguments: vec![next] };
    data.terminator = BlockTerminator::Branch(condition, again, rest.into());
    let mut code = Vec::new();
    let mut offset = size / unit * unit;
    while offset < size {
        let bytes = prefix_power(size - offset);
        let at = function.constant(ValueType::I64, offset);
        copy_unit(function, instruction, at, bytes, &mut code);
        offset += bytes;
    }
    function.block_mut(rest).instructions.splice(0..0, code);
    rest
}

/// A switch becomes a binary search of comparisons.
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

/// Gives every argument of a branch a block with a jump.
fn split_edges(function: &mut SsaFunction) {
    for block in function.block_ids() {
        if !matches!(function.block(block).terminator, BlockTerminator::Branch(..)) {
            continue;
        }
        let mut terminator = std::mem::take(&mut function.block_mut(block).terminator);
        let position = function.block(block).position;
        for target in terminator.targets_mut() {
            if target.arguments.is_empty() {
                continue;
            }
            let edge = function.add_block();
            let call = std::mem::replace(target, edge.into());
            let data = function.block_mut(edge);
            data.terminator = BlockTerminator::Jump(call);
            data.position = position;
        }
        function.block_mut(block).terminator = terminator;
    }
}
