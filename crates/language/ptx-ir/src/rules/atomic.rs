//! Atomics and reductions on memory.

use super::access::{allowed, atomic_kind, count, elements, order, resolve, scope, space};
use super::bulk;
use super::context::Cx;
use crate::kernel::*;
use crate::lower::state::width_of;
use crate::lower::unsupported::LoweringResult;
use crate::opcode::atomic::{AtomicKind, AtomicOp};
use lanework_ptx::ScalarType;

const ATOMICS: &[&str] =
    &["add", "min", "max", "inc", "dec", "cas", "exch", "and", "or", "xor", "noftz"];

/// An atomic on a vector: each element is one by itself, and the vector as a whole is not.
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
        cx.alu(Some(kept), &[source], super::mov::copy(ty))?;
        sources.push(Operand::Reg(kept));
    }
    let order = Order { strong: Some(scope(cx)), ..order(cx) };
    cx.lowering.kernel.ordered_blocks = true;
    for (i, source) in sources.into_iter().enumerate() {
        let dst = match old.get(i) {
            Some(operand) => cx.destination(&operand.clone(), ty)?,
            None => None,
        };
        let offset = offset + i as i64 * i64::from(ty.size());
        let kind = MemoryKind::Atomic(atomic);
        let part = if i == 0 { Part::First(count) } else { Part::Rest };
        let op = MemoryOp { kind, space, ty, count: 1, offset, volatile: true, order, part };
        let guard = cx.guard;
        cx.lowering.emit(Opcode::Memory(op), vec![dst], vec![base, source], guard);
    }
    Ok(())
}

fn atomic(cx: &mut Cx<'_, '_>, address: usize, dst: Option<Reg>) -> LoweringResult {
    allowed(cx, ATOMICS)?;
    let ty = cx.ty()?;
    let named = cx.instruction.modifiers.iter().find(|m| ATOMICS.contains(&m.as_str()));
    let kind = named.and_then(|modifier| atomic_kind(modifier));
    let (base, offset, named) = cx.address(address)?;
    let space = resolve(space(cx), named);
    let shared = space == MemorySpace::Shared;
    let typed = kind.and_then(|kind| Some((kind, AtomicOp::new(kind, ty, shared)?)));
    let (kind, atomic) = typed.ok_or_else(|| cx.unknown("this operation or type"))?;
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
    let order = Order { strong: Some(scope(cx)), ..order(cx) };
    let (kind, part) = (MemoryKind::Atomic(atomic), Part::Whole);
    let op = MemoryOp { kind, space, ty, count: 1, offset, volatile: true, order, part };
    let guard = cx.guard;
    cx.lowering.emit(Opcode::Memory(op), vec![dst], src, guard);
    Ok(())
}

/// `atom`.
pub fn atom(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if cx.ty()? == ScalarType::B128 {
        return super::quad::atom(cx);
    }
    let dst = if count(cx) == 1 { cx.dst_of(0, cx.ty()?)? } else { None };
    atomic(cx, 1, dst)
}

/// `red`.
pub fn red(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if cx.has("async") {
        return bulk::store(cx);
    }
    atomic(cx, 0, None)
}
