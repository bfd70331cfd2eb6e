//! Scalar replacement of stack slots: per-thread structures and arrays whose accesses all have constant offsets
//! become values.
//!
//! A slot is cut at the boundaries of its accesses. Memory copies are cut in the same way, on both sides. Pieces that
//! are always accessed as a whole are promoted to SSA values; the rest of the slot stays in memory.

use crate::analysis::{ControlFlow, FastMap, FastSet};
use crate::fold::signed;
use crate::ir::*;
use crate::passes::edit::{remove_dead, resolve_aliases};
use crate::passes::legalize::{CopiedUnit, copy_unit};
use crate::variables::VariableState;
use std::collections::BTreeMap;

/// Bytes of a slot: the slot, the offset, and the size.
type SlotPiece = (SlotId, u64, u64);

/// Promotes all pieces that can be promoted.
pub(crate) fn promote_slots(function: &mut SsaFunction) {
    if function.slots.iter().all(|slot| slot.size == 0) {
        return;
    }
    let flow = ControlFlow::new(function);
    cut_copies(function, &flow);
    let whole = find_whole_pieces(function, &flow);
    if !whole.is_empty() {
        promote(function, &flow, &whole);
    }
    remove_dead(function);
    drop_unused(function);
}

/// The slot and constant offset of a pointer.
fn slot_of(function: &SsaFunction, pointer: ValueId) -> Option<(SlotId, u64)> {
    let (mut pointer, mut offset) = (pointer, 0_i64);
    loop {
        match function.definition(pointer) {
            ValueDefinition::Slot(slot) => return Some((slot, u64::try_from(offset).ok()?)),
            ValueDefinition::Result(id, _) => {
                let data = function.instruction(id);
                match data.kind {
                    InstructionKind::PointerAdd => {
                        let bits = function.value_type(data.arguments[1]).bits();
                        offset = offset
                            .checked_add(signed(function.as_constant(data.arguments[1])?, bits))?;
                    }
                    InstructionKind::Convert(ValueConversion::Space) => {}
                    _ => return None,
                }
                pointer = data.arguments[0];
            }
            _ => return None,
        }
    }
}

/// The pieces that a load or store accesses, one per element, with their types.
fn accessed(function: &SsaFunction, id: InstructionId) -> Vec<(SlotPiece, ValueType)> {
    let data = function.instruction(id);
    let elements = match data.kind {
        InstructionKind::Load(flags) if !flags.volatile => &data.results[..],
        InstructionKind::Store(flags) if !flags.volatile => &data.arguments[1..],
        _ => return Vec::new(),
    };
    let Some((slot, offset)) = slot_of(function, data.arguments[0]) else { return Vec::new() };
    let element = |(index, value): (usize, &ValueId)| {
        let ty = function.value_type(*value);
        let size = u64::from(ty.bytes());
        ((slot, offset + size * index as u64, size), ty)
    };
    elements.iter().enumerate().map(element).collect()
}

/// Replaces copies and fills of slots by loads and stores of the pieces that other instructions access.
fn cut_copies(function: &mut SsaFunction, flow: &ControlFlow) {
    // By slot and offset: the type of the piece that starts there. The first access at an offset determines it. It is
    // unknown where only other copies start or end.
    let mut pieces: FastMap<SlotId, BTreeMap<u64, Option<ValueType>>> = FastMap::default();
    let mut copies = Vec::new();
    // Slots with offsets that are not constant yet. Unrolling may make them constant; only then are the pieces known.
    let mut dynamic: FastSet<SlotId> = FastSet::default();
    for block in &flow.order {
        for id in &function.block(*block).instructions {
            for ((slot, offset, _), ty) in accessed(function, *id) {
                pieces.entry(slot).or_default().entry(offset).or_insert(Some(ty));
            }
            let data = function.instruction(*id);
            if data.kind == InstructionKind::PointerAdd
                && slot_of(function, data.results[0]).is_none()
            {
                dynamic.extend(root_slot(function, data.results[0]));
            }
            let size = match data.kind {
                InstructionKind::CopyMemory { size, .. }
                | InstructionKind::FillMemory { size, .. } => size,
                _ => continue,
            };
            let sides: Vec<_> = data.arguments.iter().map(|a| slot_of(function, *a)).collect();
            if sides.iter().any(Option::is_some) {
                copies.push((*block, *id, sides, size));
            }
        }
    }
    copies
        .retain(|(_, _, sides, _)| !sides.iter().flatten().any(|(slot, _)| dynamic.contains(slot)));
    for (_, _, sides, size) in &copies {
        for (slot, start) in sides.iter().flatten() {
            let slot = pieces.entry(*slot).or_default();
            slot.entry(*start).or_insert(None);
            slot.entry(start + size).or_insert(None);
        }
    }
    // Boundaries on one side of a copy become boundaries on the other side.
    for _ in 0..4 {
        let mut changed = false;
        for (_, _, sides, size) in &copies {
            if let [Some(to), Some(from)] = sides[..] {
                for ((slot, start), (other, other_start)) in [(to, from), (from, to)] {
                    let known = pieces.entry(slot).or_default().range(start..start + size);
                    let known: Vec<(u64, Option<ValueType>)> =
                        known.map(|(at, ty)| (at - start, *ty)).collect();
                    for (at, ty) in known {
                        if ty.is_none_or(|ty| at + u64::from(ty.bytes()) <= *size) {
                            let others = pieces.entry(other).or_default();
                            let before = others.len();
                            let entry = others.entry(other_start + at).or_insert(ty);
                            changed |= entry.is_none() && ty.is_some();
                            *entry = entry.or(ty);
                            changed |= others.len() != before;
                        }
                    }
                }
            }
        }
        if !changed {
            break;
        }
    }
    for (block, id, sides, size) in copies {
        let mut cuts: BTreeMap<u64, Option<ValueType>> = BTreeMap::new();
        for (slot, start) in sides.iter().flatten() {
            for (at, ty) in pieces.entry(*slot).or_default().range(*start..start + size) {
                let entry = cuts.entry(at - start).or_insert(*ty);
                *entry = entry.or(*ty);
            }
        }
        if cuts.len() <= 256 && size <= 4096 {
            cut_copy(function, block, id, &sides, &cuts, size);
        }
    }
}

/// Replaces one copy or fill.
fn cut_copy(
    function: &mut SsaFunction,
    block: BlockId,
    id: InstructionId,
    sides: &[Option<(SlotId, u64)>],
    cuts: &BTreeMap<u64, Option<ValueType>>,
    size: u64,
) {
    let data = function.instruction(id).clone();
    // Members of 2 bytes or more stay whole, so that a later access to one of them finds a piece of its own. Not if that
    // takes more accesses: a vector has at most 4 elements.
    let (align, most) = match data.kind {
        InstructionKind::CopyMemory { align, unit: unit @ 2.., .. } if align <= 4 * unit => {
            (align, u64::from(unit))
        }
        InstructionKind::CopyMemory { align, .. } | InstructionKind::FillMemory { align, .. } => {
            (align, 8)
        }
        _ => return,
    };
    let mut code = Vec::new();
    let mut at = 0;
    while at < size {
        // The memory on the other side may be less aligned than the piece; so may an offset in another slot.
        let aligned =
            |at: u64| if at == 0 { align } else { align.min(1 << at.trailing_zeros().min(16)) };
        let fits_sides = |at: u64, bytes: u32| {
            sides.iter().all(|side| match side {
                Some((_, start)) => (start + at).is_multiple_of(u64::from(bytes.max(1))),
                None => bytes <= aligned(at),
            })
        };
        // A known piece, or as much as alignment allows up to the next piece.
        let piece = |at: u64| {
            let next = cuts.range(at + 1..).next().map_or(size, |(next, _)| (*next).min(size));
            let known = cuts
                .get(&at)
                .copied()
                .flatten()
                .filter(|ty| at + u64::from(ty.bytes()) <= next && fits_sides(at, ty.bytes()));
            known.unwrap_or_else(|| {
                let fits = |bytes: u64| {
                    bytes <= most.min(next - at)
                        && at.is_multiple_of(bytes)
                        && bytes <= u64::from(align)
                };
                let bytes = [8_u64, 4, 2].into_iter().find(|bytes| fits(*bytes)).unwrap_or(1);
                ValueType::integer(8 * bytes as u32).unwrap_or(ValueType::I8)
            })
        };
        let ty = piece(at);
        let bytes = u64::from(ty.bytes());
        // Adjacent pieces of one type become a vector, as far as alignment allows.
        let count = [4, 2].into_iter().find(|count| {
            let total = count * bytes;
            total <= 16
                && at + total <= size
                && at.is_multiple_of(total)
                && u64::from(align) >= total
                && (1..*count).all(|index| piece(at + index * bytes) == ty)
        });
        let count = count.unwrap_or(1);
        for (slot, _) in sides.iter().flatten() {
            let slot = &mut function.slots[slot.index()];
            slot.align = slot.align.max(ty.bytes());
        }
        let access = CopiedUnit { offset: at, ty, count: count as usize, align: aligned(at) };
        copy_unit(function, &data, &access, &mut code);
        at += bytes * count;
    }
    let instructions = &mut function.block_mut(block).instructions;
    if let Some(index) = instructions.iter().position(|other| *other == id) {
        instructions.splice(index..=index, code);
    }
}

/// Pieces of slots that no access crosses, with the type of their first access. Slots whose address is used in other
/// ways have none.
fn find_whole_pieces(function: &SsaFunction, flow: &ControlFlow) -> FastMap<SlotPiece, ValueType> {
    let mut pieces: FastMap<SlotPiece, ValueType> = FastMap::default();
    let mut escaped: FastSet<SlotId> = FastSet::default();
    for block in &flow.order {
        let data = function.block(*block);
        for id in &data.instructions {
            let elements = accessed(function, *id);
            let instruction = function.instruction(*id);
            let mut others = &instruction.arguments[..];
            if !elements.is_empty() {
                for (piece, ty) in elements {
                    pieces.entry(piece).or_insert(ty);
                }
                others = &others[1..];
            } else if matches!(
                instruction.kind,
                InstructionKind::PointerAdd | InstructionKind::Convert(ValueConversion::Space)
            ) && slot_of(function, instruction.results[0]).is_some()
            {
                // Check its uses instead.
                continue;
            }
            for value in others {
                escaped.extend(root_slot(function, *value));
            }
        }
        for value in data.terminator.values() {
            escaped.extend(root_slot(function, value));
        }
    }
    let mut by_slot: FastMap<SlotId, Vec<(u64, u64)>> = FastMap::default();
    for (slot, offset, size) in pieces.keys() {
        by_slot.entry(*slot).or_default().push((*offset, *size));
    }
    for (slot, ranges) in by_slot {
        let mut ranges = ranges;
        ranges.sort_unstable();
        let mut crossed = FastSet::default();
        for (index, (start, size)) in ranges.iter().enumerate() {
            for (other, other_size) in &ranges[index + 1..] {
                if *other >= start + size {
                    break;
                }
                crossed.extend([(*start, *size), (*other, *other_size)]);
            }
        }
        let size = function.slots[slot.index()].size;
        pieces.retain(|(of, start, bytes), _| {
            *of != slot
                || (!escaped.contains(&slot)
                    && !crossed.contains(&(*start, *bytes))
                    && start + bytes <= size)
        });
    }
    // Promote all elements of a vector, or none.
    let mut changed = true;
    while changed {
        changed = false;
        for id in flow.order.iter().flat_map(|block| &function.block(*block).instructions) {
            let elements = accessed(function, *id);
            if elements.len() > 1 && elements.iter().any(|(piece, _)| !pieces.contains_key(piece)) {
                for (piece, _) in elements {
                    changed |= pieces.remove(&piece).is_some();
                }
            }
        }
    }
    pieces
}

/// The slot that a pointer is computed from, at any offset.
pub(super) fn root_slot(function: &SsaFunction, mut value: ValueId) -> Option<SlotId> {
    loop {
        match function.definition(value) {
            ValueDefinition::Slot(slot) => return Some(slot),
            ValueDefinition::Result(id, _) => {
                let data = function.instruction(id);
                match data.kind {
                    InstructionKind::PointerAdd
                    | InstructionKind::Convert(ValueConversion::Space) => {
                        value = data.arguments[0];
                    }
                    _ => return None,
                }
            }
            _ => return None,
        }
    }
}

/// Replaces loads and stores of pieces by values.
fn promote(function: &mut SsaFunction, flow: &ControlFlow, whole: &FastMap<SlotPiece, ValueType>) {
    let mut state = VariableState::for_open_graph(flow);
    let mut pieces: Vec<_> = whole.iter().collect();
    pieces.sort();
    let variables: FastMap<SlotPiece, (VariableId, ValueType)> =
        pieces.into_iter().map(|(piece, ty)| (*piece, (state.declare(*ty), *ty))).collect();
    let mut waiting: Vec<usize> =
        flow.predecessors.iter().map(|predecessors| predecessors.len()).collect();
    state.seal(function, SsaFunction::ENTRY);
    for block in &flow.order {
        let mut kept = Vec::new();
        for id in std::mem::take(&mut function.block_mut(*block).instructions) {
            let elements = accessed(function, id);
            let is_promoted = |piece: &SlotPiece| variables.contains_key(piece);
            if elements.is_empty() || !elements.iter().all(|(piece, _)| is_promoted(piece)) {
                // A vector with only some promoted elements cannot occur, because the others would cross it.
                kept.push(id);
                continue;
            }
            let data = function.instruction(id).clone();
            let is_load = matches!(data.kind, InstructionKind::Load(_));
            for (index, (piece, ty)) in elements.iter().enumerate() {
                let (variable, own) = variables[piece];
                if is_load {
                    let value = state.read(function, *block, variable);
                    let value = reinterpret(function, value, *ty, data.position, &mut kept);
                    function.replace(data.results[index], value);
                } else {
                    let value = function.resolve(data.arguments[index + 1]);
                    let value = reinterpret(function, value, own, data.position, &mut kept);
                    state.define(*block, variable, value);
                }
            }
        }
        function.block_mut(*block).instructions = kept;
        let mut targets: Vec<BlockId> =
            function.block(*block).terminator.targets().map(|target| target.block).collect();
        targets.sort_unstable();
        targets.dedup();
        for target in targets {
            waiting[target.index()] -= 1;
            if waiting[target.index()] == 0 {
                state.seal(function, target);
            }
        }
    }
    for block in &flow.order {
        state.seal(function, *block);
    }
    resolve_aliases(function);
}

/// A value's bits as another type of the same size.
fn reinterpret(
    function: &mut SsaFunction,
    value: ValueId,
    ty: ValueType,
    position: SourcePosition,
    code: &mut Vec<InstructionId>,
) -> ValueId {
    if function.value_type(value) == ty {
        return value;
    }
    if function.definition(value) == ValueDefinition::Undefined {
        return function.leaf(ty, ValueDefinition::Undefined);
    }
    let kind = InstructionKind::Convert(ValueConversion::Reinterpret);
    if let Some(value) = crate::fold::fold(function, &kind, &[value], ty) {
        return value;
    }
    let id = function.add_instruction(kind, vec![value], &[ty], position);
    code.push(id);
    function.instruction(id).results[0]
}

/// Removes stores to slots that nothing reads, and removes the memory of unused slots.
fn drop_unused(function: &mut SsaFunction) {
    let flow = ControlFlow::new(function);
    let mut read: FastSet<SlotId> = FastSet::default();
    for block in &flow.order {
        let data = function.block(*block);
        for id in &data.instructions {
            let instruction = function.instruction(*id);
            let skipped = match instruction.kind {
                InstructionKind::Store(flags) if !flags.volatile => 1,
                InstructionKind::FillMemory { .. } => 1,
                // Check the uses of the address instead.
                InstructionKind::PointerAdd | InstructionKind::Convert(ValueConversion::Space) => 1,
                _ => 0,
            };
            for value in &instruction.arguments[skipped..] {
                read.extend(root_slot(function, *value));
            }
        }
        for value in data.terminator.values() {
            read.extend(root_slot(function, value));
        }
    }
    for block in &flow.order {
        let mut instructions = std::mem::take(&mut function.block_mut(*block).instructions);
        instructions.retain(|id| {
            let instruction = function.instruction(*id);
            let only_writes = match instruction.kind {
                InstructionKind::Store(flags) => !flags.volatile,
                InstructionKind::FillMemory { .. } => true,
                _ => false,
            };
            let dead = only_writes
                && root_slot(function, instruction.arguments[0])
                    .is_some_and(|slot| !read.contains(&slot));
            !dead
        });
        function.block_mut(*block).instructions = instructions;
    }
    for (index, slot) in function.slots.iter_mut().enumerate() {
        if !read.contains(&SlotId(index as u32)) {
            slot.size = 0;
        }
    }
    remove_dead(function);
}
