//! Lowers what PTX does not support: switches, branches that pass arguments, and copies and fills of memory.

use crate::analysis::{ControlFlow, Dominators, LoopForest};
use crate::ir::*;
use crate::passes::edit::split_block;

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

/// Maximum number of accesses for a copy or fill; a larger one becomes a loop.
const MOST_ACCESSES: u64 = 32;

/// A part of a copy: one load and one store.
pub(super) struct CopiedUnit {
    /// Its start offset.
    pub offset: u64,
    /// The element type.
    pub ty: ValueType,
    /// Number of elements: 1, 2 or 4.
    pub count: usize,
    /// Alignment of the address.
    pub align: u32,
}

/// Replaces copies and fills by loads and stores.
pub(crate) fn lower_copies(function: &mut SsaFunction) {
    for mut block in ControlFlow::new(function).order {
        let mut index = 0;
        while let Some(id) = function.block(block).instructions.get(index).copied() {
            index += 1;
            let instruction = function.instruction(id).clone();
            let (size, align) = match instruction.kind {
                InstructionKind::CopyMemory { size, align, .. }
                | InstructionKind::FillMemory { size, align, .. } => (size, align.clamp(1, 16)),
                _ => continue,
            };
            index -= 1;
            function.block_mut(block).instructions.remove(index);
            let unit = u64::from(align);
            let mut code = Vec::new();
            if size / unit + size % unit <= MOST_ACCESSES {
                copy_rest(function, &instruction, 0, size, align, &mut code);
            } else {
                block = copy_loop(function, block, index, &instruction, size, align.min(8));
                index = 0;
                let done = size / unit.min(8) * unit.min(8);
                copy_rest(function, &instruction, done, size, align, &mut code);
            }
            let count = code.len();
            function.block_mut(block).instructions.splice(index..index, code);
            index += count;
        }
    }
}

/// Copies or fills the bytes between two offsets.
fn copy_rest(
    function: &mut SsaFunction,
    instruction: &InstructionData,
    from: u64,
    to: u64,
    align: u32,
    code: &mut Vec<InstructionId>,
) {
    let mut offset = from;
    while offset < to {
        let bytes = (1 << (to - offset).ilog2()).min(u64::from(align));
        let count = if bytes == 16 { 2 } else { 1 };
        let ty = ValueType::integer(8 * (bytes / count) as u32).unwrap_or(ValueType::I8);
        let unit = CopiedUnit { offset, ty, count: count as usize, align: bytes as u32 };
        copy_unit(function, instruction, &unit, code);
        offset += bytes;
    }
}

/// Copies or fills one unit.
pub(super) fn copy_unit(
    function: &mut SsaFunction,
    instruction: &InstructionData,
    unit: &CopiedUnit,
    code: &mut Vec<InstructionId>,
) {
    let offset = function.constant(ValueType::I64, unit.offset);
    copy_at(function, instruction, offset, unit, code);
}

/// Copies or fills one unit at an `I64` offset.
fn copy_at(
    function: &mut SsaFunction,
    instruction: &InstructionData,
    offset: ValueId,
    unit: &CopiedUnit,
    code: &mut Vec<InstructionId>,
) {
    let position = instruction.position;
    let flags = MemoryFlags::aligned(unit.align);
    let mut insert = |function: &mut SsaFunction,
                      kind: InstructionKind,
                      arguments: Vec<ValueId>,
                      types: &[ValueType]| {
        let id = function.add_instruction(kind, arguments, types, position);
        code.push(id);
        function.instruction(id).results.clone()
    };
    let mut address = |function: &mut SsaFunction, base: ValueId| {
        let pointer = function.value_type(base);
        let constant = function.as_constant(offset);
        let offset = match constant {
            Some(0) => return base,
            Some(bits) if pointer.bytes() == 4 => function.constant(ValueType::I32, bits),
            None if pointer.bytes() == 4 => {
                let kind = InstructionKind::Convert(ValueConversion::Truncate);
                insert(function, kind, vec![offset], &[ValueType::I32])[0]
            }
            _ => offset,
        };
        insert(function, InstructionKind::PointerAdd, vec![base, offset], &[pointer])[0]
    };
    let to = address(function, instruction.arguments[0]);
    let from = instruction.arguments.get(1).map(|from| address(function, *from));
    let values = match (from, &instruction.kind) {
        (Some(from), _) => {
            let types = vec![unit.ty; unit.count];
            insert(function, InstructionKind::Load(flags), vec![from], &types)
        }
        (None, InstructionKind::FillMemory { byte, .. }) => {
            vec![function.constant(unit.ty, u64::from_ne_bytes([*byte; 8])); unit.count]
        }
        (None, _) => return,
    };
    let arguments = [to].into_iter().chain(values).collect();
    insert(function, InstructionKind::Store(flags), arguments, &[]);
}

/// A loop over units of `align` bytes. Returns the block after it.
fn copy_loop(
    function: &mut SsaFunction,
    block: BlockId,
    index: usize,
    instruction: &InstructionData,
    size: u64,
    align: u32,
) -> BlockId {
    let rest = split_block(function, block, index);
    let body = function.add_block();
    let offset = function.add_block_parameter(body, ValueType::I64);
    let zero = function.constant(ValueType::I64, 0);
    let position = instruction.position;
    function.block_mut(block).terminator =
        BlockTerminator::Jump(BlockCall { block: body, arguments: vec![zero] });
    let mut code = Vec::new();
    let ty = ValueType::integer(8 * align).unwrap_or(ValueType::I8);
    let unit = CopiedUnit { offset: 0, ty, count: 1, align };
    copy_at(function, instruction, offset, &unit, &mut code);
    let mut insert = |function: &mut SsaFunction, kind, arguments, ty| {
        let id = function.add_instruction(kind, arguments, &[ty], position);
        code.push(id);
        function.instruction(id).results[0]
    };
    let step = function.constant(ValueType::I64, align.into());
    let add = InstructionKind::Integer { op: IntegerBinary::Add, no_wrap: true };
    let next = insert(function, add, vec![offset, step], ValueType::I64);
    let end = function.constant(ValueType::I64, size / u64::from(align) * u64::from(align));
    let less = InstructionKind::CompareIntegers(IntegerCondition::LessUnsigned);
    let condition = insert(function, less, vec![next, end], ValueType::I1);
    let data = function.block_mut(body);
    data.instructions = code;
    data.position = position;
    data.unroll = UnrollHint::Count(1);
    let again = BlockCall { block: body, arguments: vec![next] };
    data.terminator = BlockTerminator::Branch(condition, again, rest.into());
    rest
}
