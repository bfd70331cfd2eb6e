//! Rules of loads, stores, atomics, asynchronous copies and address conversions.

pub mod access;
pub mod asynchrony;
mod bulk;
pub mod tensor_map;
pub mod texture;

use crate::LoweringResult;
use crate::kernel::*;
use crate::lower::state::width_of;
use crate::memory_layout::{LOCAL_WINDOW, SHARED_WINDOW};
use crate::module::constants::immediate_bits;
use crate::opcode::Alu;
use crate::opcode::integer::{AddressOp, IntegerOp};
use crate::opcode::logic::LogicOp;
use crate::opcode::memory::{AtomicKind, AtomicOp};
use crate::rules::context::{Cx, move_address};
use crate::rules::memory::access::{
    allowed, atomic_kind, count, elements, order, resolve, scope, space,
};
use lanework_ptx as syntax;
use lanework_ptx::Modifier::{self, *};
use lanework_ptx::ScalarType;
use lanework_ptx::ScalarType::*;

/// `ld` and `ldu`.
pub fn ld(cx: &mut Cx<'_, '_>) -> LoweringResult {
    allowed(cx, &[])?;
    let (mut ty, mut count) = (cx.ty()?, count(cx));
    if ty == Pred {
        return Err(cx.unsupported("this type"));
    }
    let (base, offset, named) = cx.address(1)?;
    let space = resolve(space(cx), named);
    let mut dst = Vec::new();
    if ty == B128 && count == 1 {
        dst.extend(crate::rules::b128::destination(cx, 0)?);
        (ty, count) = (B64, 2);
    } else {
        for operand in elements(cx, 0, count)? {
            dst.push(cx.destination(&operand, ty)?);
        }
    }
    if ty == B128 {
        return Err(cx.unsupported("this type"));
    }
    let volatile = cx.has(Volatile) || cx.has(Relaxed) || cx.has(Acquire);
    let (order, part) = (order(cx), AccessPart::Whole);
    let op = MemoryOp { kind: MemoryKind::Load, space, ty, count, offset, volatile, order, part };
    let guard = cx.guard;
    cx.lowering.emit(Opcode::Memory(op), dst, vec![base], guard);
    Ok(())
}

/// `st`.
pub fn st(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if cx.has(Async) {
        return bulk::store(cx);
    }
    if cx.has(Bulk) {
        return clear(cx);
    }
    allowed(cx, &[])?;
    let (mut ty, mut count) = (cx.ty()?, count(cx));
    if ty == Pred || ty == B128 && count > 1 {
        return Err(cx.unsupported("this type"));
    }
    let (base, offset, named) = cx.address(0)?;
    let space = resolve(space(cx), named);
    if matches!(space, MemorySpace::Constant | MemorySpace::Parameter) {
        return Err(cx.unsupported("a store to read-only memory"));
    }
    let mut src = vec![base];
    if ty == B128 {
        src.extend(crate::rules::b128::source(cx, 1)?);
        (ty, count) = (B64, 2);
    } else {
        for operand in elements(cx, 1, count)? {
            if matches!(&operand, syntax::Operand::Name(name) if name == "_") {
                return Err(cx.unsupported("a store that leaves elements out"));
            }
            src.push(cx.source(&operand, ty)?);
        }
    }
    let (order, part) = (order(cx), AccessPart::Whole);
    let volatile = false;
    let op = MemoryOp { kind: MemoryKind::Store, space, ty, count, offset, volatile, order, part };
    let guard = cx.guard;
    cx.lowering.emit(Opcode::Memory(op), Vec::new(), src, guard);
    Ok(())
}

/// `st.bulk`: zeros to shared memory, 8 bytes at a time. A size that is not a multiple of 8 is a trap.
fn clear(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&[Bulk, Weak, SharedCta])?;
    cx.operands(3)?;
    let syntax::Operand::Immediate(syntax::Immediate::Integer(0)) = *cx.operand(2)? else {
        return Err(cx.unsupported("a value other than 0"));
    };
    let (base, offset, named) = cx.address(0)?;
    let space = resolve(space(cx), named);
    let size = cx.src(1, U64)?;
    let skip = cx.lowering.skip_unless(cx.guard.take());
    let [at, left, odd] = [(); 3].map(|()| cx.lowering.new_register(Width::Wide));
    let [none, rest] = [(); 2].map(|()| cx.lowering.new_register(Width::Predicate));
    let (zero, eight) = (Operand::Const(0), Operand::Const(8));
    let integer = cx.integer(U64)?;
    cx.alu(Some(at), &[base, Operand::Const(offset as u64)], displace(Width::Wide))?;
    cx.alu(Some(odd), &[size, Operand::Const(7)], Alu::Logic(LogicOp::And(Width::Wide)))?;
    let differ = Alu::Logic(LogicOp::WideDiffer);
    cx.alu(Some(rest), &[Operand::Reg(odd), zero], differ)?;
    let even = cx.lowering.skip_unless(Some((rest, false)));
    cx.emit(Opcode::Trap, Vec::new(), Vec::new());
    if let Some(even) = even {
        cx.lowering.set_label(even);
    }
    cx.alu(Some(left), &[size], Alu::copy(Width::Wide))?;
    let (again, end) = (cx.lowering.new_label(), cx.lowering.new_label());
    cx.lowering.set_label(again);
    cx.alu(Some(none), &[Operand::Reg(left), zero], differ)?;
    let go = Some((none, true));
    cx.lowering.emit(Opcode::Branch(end), Vec::new(), Vec::new(), go);
    let (order, part, volatile) = (MemoryOrder::default(), AccessPart::Whole, false);
    let (kind, count) = (MemoryKind::Store, 1);
    let op = MemoryOp { kind, space, ty: B64, count, offset: 0, volatile, order, part };
    cx.emit(Opcode::Memory(op), Vec::new(), vec![Operand::Reg(at), zero]);
    cx.alu(Some(at), &[Operand::Reg(at), eight], Alu::Integer(IntegerOp::Add(integer)))?;
    cx.alu(Some(left), &[Operand::Reg(left), eight], Alu::Integer(IntegerOp::Sub(integer)))?;
    cx.emit(Opcode::Branch(again), Vec::new(), Vec::new());
    cx.lowering.set_label(end);
    if let Some(skip) = skip {
        cx.lowering.set_label(skip);
    }
    Ok(())
}

/// `cp.async` and the instructions that wait for it. A copy is performed immediately: that is one of the
/// orders the hardware may choose.
pub fn cp(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if cx.has(Bulk) {
        return bulk::bulk(cx);
    }
    if cx.has(Mbarrier) {
        return asynchrony::copy_arrive(cx);
    }
    if !cx.has(Async) {
        return Err(cx.unsupported("copies other than `cp.async`"));
    }
    if cx.has(CommitGroup) {
        return cx.note(SyncAnnotation::Commit, Vec::new());
    }
    if cx.has(WaitAll) {
        return cx.note(SyncAnnotation::Wait(u32::MAX), Vec::new());
    }
    if cx.has(WaitGroup) {
        let syntax::Operand::Immediate(keep) = *cx.operand(0)? else {
            return Err(cx.unsupported("the number of groups is not a literal"));
        };
        let keep = immediate_bits(keep, B32).min(u64::from(u32::MAX - 1)) as u32;
        return cx.note(SyncAnnotation::Wait(keep), Vec::new());
    }
    allowed(cx, &[Async])?;
    let (to, to_offset, _) = cx.address(0)?;
    let (from, from_offset, _) = cx.address(1)?;
    let syntax::Operand::Immediate(size) = *cx.operand(2)? else {
        return Err(cx.unsupported("the size is not a literal"));
    };
    let bytes = immediate_bits(size, B32) as u8;
    if ![4, 8, 16].contains(&bytes) {
        return Err(cx.unsupported("a size other than 4, 8 or 16"));
    }
    let have = match cx.instruction.operands.len() {
        3 => Operand::Const(u64::from(bytes)),
        _ => cx.src(3, B32)?,
    };
    let (to, from) = (moved(cx, to, to_offset)?, moved(cx, from, from_offset)?);
    let guard = cx.guard;
    cx.lowering.emit(Opcode::AsyncCopy { bytes }, Vec::new(), vec![to, from, have], guard);
    Ok(())
}

fn moved(cx: &mut Cx<'_, '_>, base: Operand, offset: i64) -> LoweringResult<Operand> {
    match base {
        Operand::Reg(r) if offset != 0 => {
            let width = cx.lowering.kernel.registers[r as usize].width;
            let to = cx.lowering.new_register(width);
            cx.alu(Some(to), &[base, Operand::Const(offset as u64)], displace(width))?;
            Ok(Operand::Reg(to))
        }
        other => Ok(move_address(other, offset as u64)),
    }
}

/// `createpolicy`: a hint for caches.
pub fn create_policy(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let dst = cx.dst_of(0, B64)?;
    cx.alu(dst, &[Operand::Const(0)], Alu::copy(Width::Wide))
}

fn displace(width: Width) -> Alu {
    Alu::Address(AddressOp::Offset { wide: width == Width::Wide })
}

fn window(space: MemorySpace) -> u64 {
    match space {
        MemorySpace::Shared => SHARED_WINDOW,
        MemorySpace::Local => LOCAL_WINDOW,
        _ => 0,
    }
}

/// `cvta`: adds or subtracts the window's base.
pub fn cvta(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let ty = cx.ty()?;
    let base = window(space(cx));
    let by = if cx.has(To) { base.wrapping_neg() } else { base };
    cx.operands(2)?;
    let dst = cx.dst_of(0, ty)?;
    let a = match cx.operand(1)?.clone() {
        syntax::Operand::Name(_) | syntax::Operand::Immediate(_) | syntax::Operand::Offset(..) => {
            cx.src(1, ty)?
        }
        _ => return Err(cx.unsupported("the source is not a register or variable")),
    };
    if ty.size() != 8 && base != 0 {
        return Err(cx.unsupported("32-bit generic addresses"));
    }
    let width = if ty.size() == 8 { Width::Wide } else { Width::Word };
    cx.alu(dst, &[a, Operand::Const(by)], displace(width))
}

/// `isspacep`.
pub fn isspacep(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.operands(2)?;
    let dst = cx.dst_of(0, Pred)?;
    let a = cx.src(1, U64)?;
    if space(cx) == MemorySpace::Shared && !cx.has(SharedCluster) {
        // This block's own memory, by either of its addresses.
        let own = Operand::Reg(cx.lowering.special(SpecialRegister::ClusterRank, Width::Word));
        return cx.alu(dst, &[a, own], Alu::Address(AddressOp::IsOwnShared));
    }
    let op = match space(cx) {
        MemorySpace::Shared => AddressOp::IsShared,
        MemorySpace::Local => AddressOp::IsLocal,
        MemorySpace::Parameter => AddressOp::IsParameter,
        MemorySpace::Global => AddressOp::IsGlobal,
        _ => return Err(cx.unsupported("this space")),
    };
    cx.alu(dst, &[a], Alu::Address(op))
}

const ATOMICS: &[Modifier] = &[Add, Min, Max, Inc, Dec, Cas, Exch, And, Or, Xor, Noftz];

/// An atomic on a vector: each element is atomic, but the vector as a whole is not.
fn vector_atomic(
    cx: &mut Cx<'_, '_>,
    address: usize,
    (base, offset, space): (Operand, i64, MemorySpace),
    ty: ScalarType,
    atomic: AtomicOp,
) -> LoweringResult {
    let count = count(cx);
    let old = if address == 1 { elements(cx, 0, count)? } else { Vec::new() };
    let mut sources = Vec::new();
    for operand in elements(cx, address + 1, count)? {
        // An operand may be among the results of an element before it.
        let source = cx.source(&operand, ty)?;
        let kept = cx.lowering.new_register(width_of(ty)?);
        cx.alu(Some(kept), &[source], crate::rules::mov::copy(ty))?;
        sources.push(Operand::Reg(kept));
    }
    let order = MemoryOrder { strong: Some(scope(cx)), ..order(cx) };
    cx.lowering.kernel.ordered_blocks = true;
    for (i, source) in sources.into_iter().enumerate() {
        let dst = match old.get(i) {
            Some(operand) => cx.destination(&operand.clone(), ty)?,
            None => None,
        };
        let offset = offset + i as i64 * i64::from(ty.size());
        let kind = MemoryKind::Atomic(atomic);
        let part = if i == 0 { AccessPart::First(count) } else { AccessPart::Rest };
        let op = MemoryOp { kind, space, ty, count: 1, offset, volatile: true, order, part };
        let guard = cx.guard;
        cx.lowering.emit(Opcode::Memory(op), vec![dst], vec![base, source], guard);
    }
    Ok(())
}

fn atomic(cx: &mut Cx<'_, '_>, address: usize, dst: Option<Reg>) -> LoweringResult {
    allowed(cx, ATOMICS)?;
    let ty = cx.ty()?;
    let named = cx.instruction.modifiers.iter().copied().find(|m| ATOMICS.contains(m));
    let kind = named.and_then(atomic_kind);
    let (base, offset, named) = cx.address(address)?;
    let space = resolve(space(cx), named);
    let shared = space == MemorySpace::Shared;
    let typed = kind.and_then(|kind| Some((kind, AtomicOp::new(kind, ty, shared)?)));
    let (kind, atomic) = typed.ok_or_else(|| cx.unsupported("this operation or type"))?;
    if count(cx) != 1 {
        return vector_atomic(cx, address, (base, offset, space), ty, atomic);
    }
    let mut src = vec![base, cx.src(address + 1, ty)?];
    if kind == AtomicKind::CompareAndSwap {
        src.push(cx.src(address + 2, ty)?);
    }
    let ordered = [
        AtomicKind::CompareAndSwap,
        AtomicKind::Exchange,
        AtomicKind::Increment,
        AtomicKind::Decrement,
    ];
    let commutes = !ty.is_float() && !ordered.contains(&kind) && dst.is_none();
    if !shared && !commutes {
        cx.lowering.kernel.ordered_blocks = true;
    }
    let order = MemoryOrder { strong: Some(scope(cx)), ..order(cx) };
    let (kind, part) = (MemoryKind::Atomic(atomic), AccessPart::Whole);
    let op = MemoryOp { kind, space, ty, count: 1, offset, volatile: true, order, part };
    let guard = cx.guard;
    cx.lowering.emit(Opcode::Memory(op), vec![dst], src, guard);
    Ok(())
}

/// `atom`.
pub fn atom(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if cx.ty()? == ScalarType::B128 {
        return crate::rules::b128::atom(cx);
    }
    let dst = if count(cx) == 1 { cx.dst_of(0, cx.ty()?)? } else { None };
    atomic(cx, 1, dst)
}

/// `red`.
pub fn red(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if cx.has(Async) {
        return bulk::store(cx);
    }
    atomic(cx, 0, None)
}
